"""The server under load for a long time: every request is answered, counts are
exact, and neither memory nor descriptors grow, while clients of all manners
come and go and the rules are reloaded.

Usage: load_test.py SECONDS. STINT_LOAD_SECONDS in the environment has
precedence; STINT_LOAD_SEED says what is sent. Prints what it measured.
"""

import collections
import json
import os
import pathlib
import random
import re
import socket
import statistics
import struct
import subprocess
import sys
import threading
import time
import unittest

from harness import Case, Server, raw_check, receive_all, until

FOLDER = pathlib.Path(__file__).parent
EXAMPLE = FOLDER.parents[2] / "examples" / "rules.yaml"
SECONDS = int(os.environ.get("STINT_LOAD_SECONDS") or sys.argv[1])
SEED = int(os.environ.get("STINT_LOAD_SEED") or random.randrange(1 << 30))
CONNECTIONS = 64
THREADS = 2
HOT_RULES = 4
HOT_LIMIT = 100 * SECONDS  # far fewer than are asked in a rule's share of the time
QUIET_S = 2  # in the end, for the last replies
RELOAD_PERIOD_S = 1
SAMPLE_PERIOD_S = 0.25
CHURN_PERIOD_S = 0.005  # slow enough for the ports that a closed connection keeps for a minute
# Memory moves by some pages: buffers of connections, counters that leave their short form.
RESIDENT_GROWTH_MAX = 1 << 20


def rules(version):
    """The example's rules, and the hot ones; each version has another order and another number."""
    hot = [
        f"  - {{name: hot_{number}, match: {{never: asked}}, key: [],"
        f" limits: [{{algorithm: fixed_window, limit: {HOT_LIMIT}, per: 100d}}]}}\n"
        for number in range(1, HOT_RULES + 1)
    ]
    example = EXAMPLE.read_text().replace("capacity: 200", f"capacity: {200 + version % 2}")
    return example + "".join(hot if version % 2 else reversed(hot))


class Repeated(threading.Thread):
    """Calls a function every `period` seconds until stopped; keeps what went wrong."""

    def __init__(self, function, period):
        super().__init__()
        self.function, self.period = function, period
        self.calls = 0
        self.failure = None
        self.over = threading.Event()

    def run(self):
        try:
            while not self.over.wait(self.period):
                self.function(self.calls)
                self.calls += 1
        except Exception as failure:  # whatever it is, the test must not pass
            self.failure = failure

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join()


class Churn:
    """One client after another; most of them misbehave. All use teams that nobody else asks."""

    def __init__(self, server):
        self.server = server
        self.random = random.Random(SEED)
        self.held = collections.deque()
        self.manners = [self.idle, self.half, self.reset_half, self.reset_unread, self.hold, self.polite, self.garbage]

    def __call__(self, number):
        connection = self.server.connect()
        self.random.choice(self.manners)(connection)
        if connection not in self.held:
            connection.close()
        while len(self.held) > CONNECTIONS:
            self.held.popleft().close()

    def request(self):
        return raw_check({"action": "submit", "team": f"churn {self.random.randrange(100)}"})

    def part(self):
        request = self.request()
        return request[: self.random.randrange(1, len(request))]

    def reset(self, connection):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def idle(self, connection):
        pass

    def half(self, connection):
        connection.sendall(self.part())

    def reset_half(self, connection):
        connection.sendall(self.part())
        self.reset(connection)

    def reset_unread(self, connection):
        connection.sendall(self.request() * self.random.randrange(1, 20))
        self.reset(connection)

    def hold(self, connection):
        connection.sendall(self.part())
        self.held.append(connection)

    def polite(self, connection):
        connection.sendall(self.request() + b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        self.expect(connection, rb"HTTP/1\.1 (200|429) .*HTTP/1\.1 200 ")

    def garbage(self, connection):
        connection.sendall(b"\0" * self.random.randrange(1, 100))
        self.expect(connection, rb"HTTP/1\.1 400 ")

    def expect(self, connection, pattern):
        received = receive_all(connection)
        if not re.match(pattern, received, re.DOTALL):
            raise AssertionError(f"{pattern} is expected, not {received}")

    def close(self):
        while self.held:
            self.held.popleft().close()


class Load(Case):
    def wrk(self, server):
        """Returns: what load.lua counted."""
        command = ["wrk", f"-t{THREADS}", f"-c{CONNECTIONS}", f"-d{SECONDS + QUIET_S}s", "--timeout", "20s", "-s"]
        command += [FOLDER / "load.lua", f"http://{server.host}:{server.port}", "--"]
        command += [str(number) for number in (SEED, SECONDS, HOT_RULES)]
        run = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS + 120)
        self.assertEqual(run.returncode, 0, run.stderr)
        lines = [line for line in run.stdout.splitlines() if line.startswith("{")]
        self.assertEqual(len(lines), 1, run.stdout + run.stderr)
        return json.loads(lines[0])

    def test_everything_is_answered_and_counted_and_nothing_grows(self):
        print(f"STINT_LOAD_SEED={SEED}", flush=True)
        path = self.folder / "rules.yaml"
        path.write_text(rules(0))
        with Server(path, "--max-memory", "8MiB", "--threads", str(THREADS)) as server:
            proc = pathlib.Path("/proc") / str(server.process.pid)

            def descriptors():
                return len(os.listdir(proc / "fd"))

            def reload(number):
                # The server looks at the file by itself too, and must not see it half written.
                written = self.folder / "written"
                written.write_text(rules(number + 1))
                written.replace(path)
                server.reload()

            resident = []

            def sample(_):
                resident.append(int((proc / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE"))

            descriptors_before = descriptors()
            churn = Churn(server)
            with (
                Repeated(reload, RELOAD_PERIOD_S) as reloads,
                Repeated(sample, SAMPLE_PERIOD_S) as samples,
                Repeated(churn, CHURN_PERIOD_S) as clients,
            ):
                counted = self.wrk(server)
            churn.close()
            until(lambda: descriptors() == descriptors_before, "the descriptors to be as before")
            quarter = len(resident) // 4
            first = statistics.median_high(resident[quarter : 2 * quarter])
            last = statistics.median_high(resident[-quarter:])
            print(
                f"{counted['answered']} requests, {counted['answered'] / SECONDS:.0f} a second,"
                f" 99 % within {counted['p99_us'] / 1000:.1f} ms; statuses {counted['statuses']};"
                f" {clients.calls} other clients, {reloads.calls} reloads; resident {first >> 10} KiB,"
                f" then {last >> 10} KiB; {descriptors_before} descriptors before and after",
                flush=True,
            )

            for repeated in (reloads, samples, clients):
                self.assertIsNone(repeated.failure, repr(repeated.failure))
                self.assertGreater(repeated.calls, 2)
            self.assertEqual(counted["socket_errors"], 0)
            # wrk asks load.lua for one request more, to look at it before it begins.
            self.assertEqual(counted["sent"] - 1, counted["answered"])
            self.assertEqual(set(counted["statuses"]), {"200", "400", "404", "405", "429"})
            names = [f"hot_{number}" for number in range(1, HOT_RULES + 1)]
            self.assertGreater(min(counted["hot_asked"][name] for name in names), HOT_LIMIT, "too slow to tell")
            self.assertEqual(counted["hot_allowed"], dict.fromkeys(names, HOT_LIMIT))
            if "STINT_SANITIZED" not in os.environ:  # sanitizers keep books on all memory that was ever used
                self.assertLessEqual(last - first, RESIDENT_GROWTH_MAX)
            self.assertEqual([line for line in server.log if "old ones stay" in line], [])
            self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
