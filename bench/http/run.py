#!/usr/bin/env python3
"""Server CPU for each request: stint beside bare Beast servers.

Each server has one thread on core 0; wrk, on core 1, keeps CONNECTIONS
connections busy. The servers take turns, so that a change of the machine's
mood meets all of them. CPU time is user + system from /proc/PID/stat, over the
seconds in which wrk runs; the number of requests is wrk's.
"""

import argparse
import os
import pathlib
import re
import statistics
import subprocess

FOLDER = pathlib.Path(__file__).parent
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


class Server:
    def __init__(self, name, command):
        self.name = name
        self.us_per_request = []
        self.requests_per_second = []
        self.process = subprocess.Popen(["taskset", "-c", "0", *command], stdout=subprocess.PIPE, text=True)
        self.url = re.search(r"http://\S+", self.process.stdout.readline())[0]

    def cpu_seconds(self):
        stat = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text()
        fields = stat.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND

    def measure(self, seconds, connections):
        before = self.cpu_seconds()
        wrk = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", str(FOLDER / "check.lua"), self.url]
        report = subprocess.run(["taskset", "-c", "1", *wrk], capture_output=True, text=True, check=True).stdout
        used = self.cpu_seconds() - before
        requests, took = re.search(r"(\d+) requests in ([\d.]+)s", report).groups()
        if "Non-2xx" in report or "Socket errors" in report:
            raise SystemExit(f"{self.name}: not all requests were served\n{report}")
        self.us_per_request.append(used / int(requests) * 1e6)
        self.requests_per_second.append(int(requests) / float(took))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True, help="build folder of the preset `release`")
    parser.add_argument("--seconds", type=int, default=5, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--connections", type=int, default=64)
    options = parser.parse_args()
    bare = str(options.build / "bench/http/http_bare_server")
    serve = [str(options.build / "stint"), "serve", "--rules", str(FOLDER / "rules.yaml"), "--http", "127.0.0.1:0"]
    servers = []
    try:
        for name, command in (
            ("bare, message objects", [bare, "message", "0"]),
            ("bare, parser alone", [bare, "minimal", "0"]),
            ("stint serve", [*serve, "--threads", "1"]),
        ):
            servers.append(Server(name, command))
        for server in servers:
            server.measure(1, options.connections)  # warms up
            server.us_per_request.clear()
            server.requests_per_second.clear()
        for _ in range(options.rounds):
            for server in servers:
                server.measure(options.seconds, options.connections)
    finally:
        for server in servers:
            server.process.terminate()
            server.process.wait()
    stint = servers[-1]
    print(f"{'server':<24} {'CPU us/request':>14} {'least':>7} {'most':>7} {'requests/s':>11} {'stint is':>9}")
    for server in servers:
        middle = statistics.median(server.us_per_request)
        ratio = statistics.median(a / b for a, b in zip(stint.us_per_request, server.us_per_request))
        print(
            f"{server.name:<24} {middle:>14.2f} {min(server.us_per_request):>7.2f} {max(server.us_per_request):>7.2f}"
            f" {statistics.median(server.requests_per_second):>11.0f} {ratio:>8.2f}x"
        )


if __name__ == "__main__":
    main()
