"""Real Redis servers of a test's own, on free loopback ports, each in a folder that goes with it."""

import contextlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

DEADLINE_S = 20


def free_port():
    """Returns: a loopback port that nothing listens on just now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class RedisServer:
    """Use as a context manager. `{port}` in an argument is the port, for a server that listens with TLS."""

    def __init__(self, *arguments):
        self.arguments = arguments
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}"

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="stint-redis-")
        self.process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir", self.folder,
             "--logfile", "redis.log", *(word.replace("{port}", str(self.port)) for word in self.arguments)])
        end = time.monotonic() + DEADLINE_S
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            except OSError:
                if self.process.poll() is not None or time.monotonic() > end:
                    self.__exit__()
                    raise
                time.sleep(0.01)

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder)

    def stop_answering(self):
        self.process.send_signal(signal.SIGSTOP)

    def cli(self, *words):
        """Returns: what redis-cli prints for a command."""
        done = subprocess.run(["redis-cli", "-p", str(self.port), *words], capture_output=True, text=True,
                              timeout=DEADLINE_S)
        return done.stdout.rstrip("\n")


class RedisCluster:
    """Three primaries. Use as a context manager."""

    SLOTS = 16_384

    def __enter__(self):
        with contextlib.ExitStack() as started:
            ports = [free_port() for _ in range(3)]
            self.nodes = [started.enter_context(RedisServer("--cluster-enabled", "yes", "--cluster-port", str(port)))
                          for port in ports]
            for i, node in enumerate(self.nodes):
                node.cli("CLUSTER", "SET-CONFIG-EPOCH", str(i + 1))
                node.cli("CLUSTER", "ADDSLOTSRANGE", str(i * self.SLOTS // 3), str((i + 1) * self.SLOTS // 3 - 1))
                node.cli("CLUSTER", "MEET", "127.0.0.1", str(self.nodes[0].port), str(ports[0]))
            end = time.monotonic() + DEADLINE_S
            while not all(self.forms(node) for node in self.nodes):
                if time.monotonic() > end:
                    raise TimeoutError("the cluster does not form")
                time.sleep(0.05)
            self.url = "redis+cluster://" + ",".join(f"127.0.0.1:{node.port}" for node in self.nodes)
            self.started = started.pop_all()
        return self

    @staticmethod
    def forms(node):
        info = node.cli("CLUSTER", "INFO")
        return "cluster_state:ok" in info and "cluster_known_nodes:3" in info

    def __exit__(self, *_):
        self.started.close()
