"""Rule files of megabytes, while the server runs: read aside, and within bounds."""

import os
import pathlib
import resource
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "http"))
from harness import Case, Server, until  # noqa: E402


def rule(limit, name="calls"):
    return f"  - {{name: {name}, key: [k], limits: [{{algorithm: fixed_window, limit: {limit}, per: 1h}}]}}\n"


def many_rules(count):
    return "".join(rule(number + 1, f"rule_{number}") for number in range(count))


class LargeRules(Case):
    def test_sigterm_does_not_wait_for_rules_that_are_being_read(self):
        rules = self.rules(rule(10))
        with Server(rules) as server:
            self.rules(many_rules(30_000))
            begun = time.monotonic()
            server.reload()
            reading_s = time.monotonic() - begun
            self.assertEqual(server.logged("rules reloaded: 30000 from"), 1, server.log)
            server.signal(signal.SIGHUP)
            begun = time.monotonic()
            self.assertEqual(server.stop(), 0)
            self.assertLess(time.monotonic() - begun, reading_s)
            self.assertEqual(server.logged("draining"), 1)
            self.assertEqual(server.logged("rules reloaded"), 1, "the second reading was not dropped")
            self.assertEqual(server.logged("error"), 0, server.log)

    def test_signals_while_rules_are_freed_do_not_change_the_exit_code(self):
        with Server(self.rules(many_rules(30_000))) as server:
            server.signal(signal.SIGTERM)
            while server.process.poll() is None:
                for late in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
                    os.kill(server.process.pid, late)  # no one has waited for it: the number is still its own
            self.assertEqual(server.process.returncode, 0)

    def test_what_changes_while_rules_are_being_read_is_read_too(self):
        rules = self.rules(many_rules(10_000))
        with Server(rules) as server:
            server.signal(signal.SIGHUP)
            self.rules(rule(20))
            server.signal(signal.SIGHUP)
            until(lambda: server.logged("rules reloaded: 1 from"), "the last rules")
            self.assertEqual(server.check({"k": "1"}).json["limit"], 20)

    def test_rules_beyond_all_bounds_are_refused_in_bounded_memory(self):
        rules = self.rules(rule(10))
        with Server(rules) as server:
            rules.write_text("version: 1\nrules: [" + "," * 4_000_000 + "]\n")
            until(lambda: server.logged("old ones stay"), "the complaint", 60)
            self.assertEqual(server.logged("rules.yaml:2:1000004: too large"), 1, server.log)
            self.assertEqual(server.check({"k": "1"}).status, 200)
            status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
            peak_kb = int(status.split("VmHWM:")[1].split()[0])
            self.assertLess(peak_kb, 800_000)  # 2 GB where the tree is built

    def test_a_lack_of_memory_is_called_so(self):
        rules = self.folder / "rules.yaml"
        rules.write_text("version: 1\nrules: " + "[" * 4_000_000 + "\n")
        bytes_max = 150 << 20  # of address space; the brackets alone take six times as much
        done = subprocess.run(
            [os.environ["STINT_BINARY"], "lint", rules], capture_output=True, text=True, timeout=60,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (bytes_max, bytes_max)))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, f"{rules}: error: there is not enough memory to read it\n")


if __name__ == "__main__":
    unittest.main()
