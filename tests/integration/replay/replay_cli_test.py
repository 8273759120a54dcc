#!/usr/bin/env python3
"""`stint replay` as its users meet it: logs plain, compressed and on standard
input, against the exact numbers of expected.jsonl; and its refusals.

Usage: replay_cli_test.py STINT SOURCE_DIR
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile
import unittest

STINT, SOURCE = sys.argv[1:3]
LOGS = os.path.join(SOURCE, "tests", "data", "logs")
ALL = os.path.join(LOGS, "rules", "all-shadow.yaml")


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return file.readlines()


def rule_names():
    """The words of expected.jsonl to the rule's name, by the comments in all-shadow.yaml."""
    named = [line.split("- name: ")[1].split("  # ") for line in lines_of(ALL) if "- name: " in line]
    return {words.strip(): name for name, words in named}


def replay(*arguments, stdin=b""):
    command = [STINT, "replay", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=60)


def numbers(rule):
    top = [[entry["ip"], entry["denied"]] for entry in rule["top_clients"][:1]]
    return [rule["checked"], rule["allowed"], rule["denied"], rule["denied_clients"], top]


class Replay(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, data=None):
        path = os.path.join(self.folder.name, name)
        if data is not None:
            with open(path, "wb") as file:
                file.write(data)
        return path

    def expect_numbers(self, log, order, result):
        self.assertEqual(result.returncode, 0, result.stderr)
        rules = {rule["rule"]: rule for rule in json.loads(result.stdout)["rules"]}
        compared = 0
        names = rule_names()
        for line in lines_of(os.path.join(LOGS, "expected.jsonl")):
            expected = json.loads(line)
            if (expected["log"], expected["order"]) == (log, order):
                found = numbers(rules[names[expected["rule"]]])
                self.assertEqual(found, [expected[field] for field in
                                         ("checked", "allowed", "denied", "denied_clients", "top")])
                compared += 1
        self.assertEqual(compared, 10)

    def test_plain_log_in_both_orders(self):
        log = "site-week-bruteforce.log"
        for order in ("time", "file"):
            result = replay("--rules", ALL, "--json", "--order", order, os.path.join(LOGS, log))
            self.expect_numbers(log, order, result)

    def test_gzip_and_standard_input(self):
        log = "worms-binary-longuri.log"
        with open(os.path.join(LOGS, log), "rb") as file:
            data = file.read()
        middle = data.index(b"\n", len(data) // 2) + 1
        compressed = gzip.compress(data[:middle]) + gzip.compress(data[middle:])
        self.expect_numbers(log, "file", replay("--rules", ALL, "--json", "-", stdin=compressed))
        two = [self.path("b.gz", gzip.compress(data[middle:])), self.path("a.gz", gzip.compress(data[:middle]))]
        self.expect_numbers(log, "file", replay("--rules", ALL, "--json", *two))

    def test_json_is_one_object_with_the_documented_fields(self):
        result = replay("--rules", os.path.join(LOGS, "rules", "site-100-per-minute.yaml"), "--json", "--top", "1",
                        os.path.join(LOGS, "http-flood-cachebust.log"))
        self.assertEqual(json.loads(result.stdout), {
            "lines": 356, "unparsable": 0, "checked": 356, "allowed": 100, "denied": 256,
            "rules": [{"rule": "site-100-per-minute", "checked": 356, "allowed": 100, "denied": 256, "denied_keys": 1,
                       "top": [{"key": {}, "denied": 256}], "denied_clients": 10,
                       "top_clients": [{"ip": "127.0.0.4", "denied": 60}]}]})
        self.assertEqual(result.stdout.count(b"\n"), 1)

    def test_html_survives_hostile_keys(self):
        line = '%s - - [10/Oct/2000:10:00:00 +0000] "GET /<script>alert(1)</script> HTTP/1.1" 200 1 "-" "-"\n'
        log = self.path("a.log", "".join(line % "</script><script>alert(2)</script>" for _ in range(9)).encode())
        rule = b"{name: r, key: [ip, path], limits: [{limit: 1, per: 1m}]}"
        rules = self.path("r.yaml", b"version: 1\nrules:\n  - " + rule + b"\n")
        page = self.path("out.html")
        result = replay("--rules", rules, "--html", page, log)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.assertNotIn("<script>alert", text)
        self.assertIn("&lt;script&gt;alert(1)&lt;/script&gt;", text)

    def test_refusals_name_the_reason_and_print_nothing(self):
        log = os.path.join(LOGS, "http-flood-cachebust.log")
        broken = self.path("broken.gz", gzip.compress(b"x\n" * 1000)[:-5])
        for arguments, reason in [
            (["--rules", ALL, self.path("none.log")], "No such file"),
            (["--rules", ALL, log, self.folder.name], "is a folder"),
            (["--rules", ALL, broken], "ends in the middle"),
            (["--rules", self.path("none.yaml"), log], "none.yaml"),
            (["--rules", ALL, "--order", "size", log], "--order"),
            (["--rules", ALL, "--format", "xml", log], "--format"),
            (["--rules", ALL, "--html", self.path("none/out.html"), log], "none/out.html"),
        ]:
            result = replay(*arguments)
            self.assertEqual((result.returncode, result.stdout), (2, b""), arguments)
            self.assertIn(reason, result.stderr.decode(), arguments)

    def test_lines_that_do_not_count_are_shown_harmlessly(self):
        log = self.path("a.log", b"\x1b[2Jnonsense\nmore\n")
        result = replay("--rules", ALL, log)
        self.assertIn(b"a.log:1: no [time]: \\x1b[2Jnonsense", result.stdout)
        self.assertIn(b"2 lines do not count", result.stdout)
        result = replay("--rules", ALL, "--json", log)
        self.assertIn(b"a.log:1: no [time]", result.stderr)
        self.assertEqual(json.loads(result.stdout)["unparsable"], 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
