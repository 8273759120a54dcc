"""Starts the real `stint serve` on a free loopback port and talks to it.

The binary's path is in the environment variable STINT_BINARY.
"""

import http.client
import json
import os
import pathlib
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

BINARY = os.environ["STINT_BINARY"]
DEADLINE_S = 20  # for what should happen at once, on a busy machine


def until(condition, what, deadline_s=DEADLINE_S):
    """Waits until condition() gives something true, and returns that."""
    end = time.monotonic() + deadline_s
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > end:
            raise AssertionError(f"waited {deadline_s} s in vain: {what}")
        time.sleep(0.01)


class Reply:
    def __init__(self, status, fields, body):
        self.status = status
        self.fields = fields
        self.text = body
        self.json = json.loads(body) if body else None


class Server:
    """One `stint serve` process. Use as a context manager."""

    def __init__(self, rules, *arguments):
        self.command = [BINARY, "serve", "--rules", str(rules), "--http", "127.0.0.1:0", *arguments]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.log = []
        self.log_reader = threading.Thread(target=self._read_log, daemon=True)
        self.log_reader.start()
        self.ready_line = self.process.stdout.readline()
        match = re.fullmatch(r"stint: ready on http://(127\.0\.0\.1):(\d+)\n", self.ready_line)
        if not match:
            self.process.kill()
            self.process.wait()
            self.log_reader.join()
            raise AssertionError(f"no ready line: {self.ready_line!r}, {self.log}")
        self.host, self.port = match[1], int(match[2])
        self.try_line = self.process.stdout.readline()
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.log_reader.join()
        self.process.stdout.close()
        self.process.stderr.close()
        if self.logged("Sanitizer") or self.logged("runtime error"):
            raise AssertionError("".join(self.log))

    def _read_log(self):
        for line in self.process.stderr:
            self.log.append(line)

    def logged(self, text):
        return sum(text in line for line in self.log)

    def signal(self, number):
        self.process.send_signal(number)

    def reload(self):
        before = self.logged("rules reloaded") + self.logged("old ones stay")
        self.signal(signal.SIGHUP)
        until(lambda: self.logged("rules reloaded") + self.logged("old ones stay") > before, "reload")

    def stop(self):
        """Drains. Returns the exit code."""
        self.signal(signal.SIGTERM)
        return self.wait(DEADLINE_S)

    def wait(self, seconds):
        """Waits for the end of the process and of its log. Returns the exit code."""
        code = self.process.wait(seconds)
        self.log_reader.join(DEADLINE_S)
        return code

    def connect(self):
        connection = socket.create_connection((self.host, self.port), DEADLINE_S)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def connect_unless_closed(self):
        """Returns: a connection; None once the port is closed. One that was queued when it closed is reset."""
        try:
            return self.connect()
        except (ConnectionRefusedError, ConnectionResetError):
            return None

    def http(self):
        return http.client.HTTPConnection(self.host, self.port, timeout=DEADLINE_S)

    def request(self, method, path, body=None, connection=None, fields=None):
        own = connection is None
        connection = connection or self.http()
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
        connection.request(method, path, body, fields or {})
        response = connection.getresponse()
        reply = Reply(response.status, response.headers, response.read())
        if own:
            connection.close()
        return reply

    def check(self, attributes, cost=None, connection=None, path="/v1/check"):
        body = {"attributes": attributes}
        if cost is not None:
            body["cost"] = cost
        return self.request("POST", path, body, connection)

    def check_rule(self, rule, key, cost=None, path="/v1/check"):
        body = {"rule": rule, "key": key}
        if cost is not None:
            body["cost"] = cost
        return self.request("POST", path, body)


def receive_all(connection):
    """Reads until the other side closes."""
    received = b""
    while True:
        try:
            piece = connection.recv(65536)
        except ConnectionResetError:
            return received
        if not piece:
            return received
        received += piece


def raw_check(attributes, path="/v1/check"):
    body = json.dumps({"attributes": attributes}).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


class Case(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="stint-http-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def rules(self, text, name="rules.yaml"):
        path = self.folder / name
        path.write_text("version: 1\nrules:\n" + text)
        return path
