"""What /v1/check promises, asked from the real server."""

import base64
import collections
import concurrent.futures
import shlex
import subprocess
import time
import unittest

from harness import BINARY, Case, Server, until

SUBMIT = """
  - name: submit
    match: {action: submit}
    key: [team]
    limits: [{algorithm: fixed_window, limit: 3, per: 60s}]
"""

ALGORITHMS = {
    "fixed_window": "{algorithm: fixed_window, limit: 10, per: 1h}",
    "clock": "{algorithm: fixed_window, anchor: clock, limit: 10, per: 100d}",
    "sliding_window": "{limit: 10, per: 1h}",
    "sliding_log": "{algorithm: sliding_log, limit: 10, per: 1h}",
    "token_bucket": "{algorithm: token_bucket, limit: 10, per: 30d}",
    "concurrency": "{algorithm: concurrency, limit: 10, lease: 1h}",
}


class Mission(Case):
    def test_100_requests_20_at_a_time_limit_10(self):
        """Exactly 10 pass, in 50 rounds with fresh keys, with every algorithm."""
        rules = "".join(
            f"  - {{name: {name}, match: {{kind: {name}}}, key: [team], limits: [{limit}]}}\n"
            for name, limit in ALGORITHMS.items()
        )
        with Server(self.rules(rules)) as server, concurrent.futures.ThreadPoolExecutor(20) as pool:
            connections = [server.http() for _ in range(20)]
            names = list(ALGORITHMS)
            for round_number in range(50):
                attributes = {"kind": names[round_number % len(names)], "team": f"team {round_number}"}

                def five_requests(connection):
                    return [server.check(attributes, connection=connection).status for _ in range(5)]

                statuses = collections.Counter()
                for part in pool.map(five_requests, connections):
                    statuses.update(part)
                self.assertEqual(statuses, {200: 10, 429: 90}, attributes)
            for connection in connections:
                connection.close()


class Answers(Case):
    def test_fields_and_body_of_a_denial(self):
        with Server(self.rules(SUBMIT)) as server:
            for left in (2, 1, 0):
                reply = server.check({"action": "submit", "team": "42"})
                self.assertEqual(reply.status, 200)
                self.assertEqual(reply.json["remaining"], left)
                self.assertEqual(reply.json["retry_after_ms"], 0)
                self.assertIsNone(reply.fields["Retry-After"])
            reply = server.check({"action": "submit", "team": "42"})
            self.assertEqual(reply.status, 429)
            self.assertEqual(reply.fields["RateLimit-Policy"], '"submit";q=3;w=60')
            self.assertRegex(reply.fields["RateLimit"], r'^"submit";r=0;t=(60|59|58|57|56|55)$')
            self.assertIn(int(reply.fields["Retry-After"]), range(50, 61))
            self.assertIn(reply.json["retry_after_ms"], range(50_000, 60_001))
            limits = reply.json.pop("limits")
            self.assertEqual(len(limits), 1)
            self.assertEqual(limits[0]["rule"], "submit")
            for name in ("retry_after_ms", "reset_after_ms"):
                reply.json.pop(name)
            self.assertEqual(
                reply.json,
                {
                    "allowed": False,
                    "rule": "submit",
                    "limit": 3,
                    "remaining": 0,
                    "denied_by": ["submit"],
                    "silent": False,
                    "source": "store",
                },
            )

    def test_a_rule_is_asked_alone_with_its_own_numbers(self):
        rules = SUBMIT + "    overrides:\n      - match: {team: vip}\n"
        rules += "        limits: [{algorithm: fixed_window, limit: 30, per: 60s}]\n"
        rules += "  - {name: all, key: [], limits: [{limit: 1, per: 1h}]}\n"
        with Server(self.rules(rules)) as server:
            self.assertEqual(server.check({"action": "submit", "team": "vip"}).json["limits"][0]["limit"], 30)
            reply = server.check_rule("submit", {"team": "vip"})
            self.assertEqual((reply.status, reply.json["limit"], len(reply.json["limits"])), (200, 3, 1))
            self.assertEqual(server.check_rule("all", {}).status, 429)
            self.assertEqual(server.request("POST", "/v1/check", {"rule": "all"}).status, 429)
            self.assertEqual(server.check_rule("none", {}).status, 404)
            self.assertEqual(server.check_rule("submit", {"action": "submit"}).status, 400)
            self.assertEqual(server.check_rule("submit", {"team": "1"}, cost=4).json["retry_after_ms"], None)

    def test_a_silent_ban_is_a_429_that_says_so(self):
        rules = SUBMIT + "    ban: {denials: 2, within: 1m, for: 1h, silent: true}\n"
        with Server(self.rules(rules)) as server:
            replies = [server.check({"action": "submit", "team": "42"}) for _ in range(6)]
            self.assertEqual([reply.status for reply in replies], [200] * 3 + [429] * 3)
            self.assertTrue(replies[5].json["silent"])
            self.assertTrue(replies[5].json["limits"][0]["banned"])
            self.assertGreater(replies[5].json["retry_after_ms"], 3_500_000)
            key = {"rule": "submit", "key": {"team": "42"}}
            self.assertEqual(server.request("POST", "/v1/reset", key).json, {"reset": True})
            self.assertEqual(server.check({"action": "submit", "team": "42"}).status, 200)

    def test_shadow_rules_are_reported_and_send_no_fields(self):
        with Server(self.rules(SUBMIT + "    shadow: true\n")) as server:
            replies = [server.check({"action": "submit", "team": "42"}) for _ in range(4)]
            self.assertEqual([reply.status for reply in replies], [200] * 4)
            self.assertEqual(replies[3].json["source"], "shadow")
            self.assertEqual(replies[3].json["denied_by"], [])
            self.assertIs(replies[3].json["limits"][0]["allowed"], False)
            self.assertIs(replies[3].json["limits"][0]["shadow"], True)
            self.assertIsNone(replies[3].fields["RateLimit"])

    def test_a_refused_request_does_not_eat_the_other_limit(self):
        """Two rules on every request: user 5 a minute, site 10 a minute."""
        rules = "  - {name: user, key: [user], limits: [{algorithm: fixed_window, limit: 5, per: 60s}]}\n"
        rules += "  - {name: site, key: [], limits: [{algorithm: fixed_window, limit: 10, per: 60s}]}\n"
        with Server(self.rules(rules)) as server:
            ann = [server.check({"user": "ann"}) for _ in range(8)]
            self.assertEqual([reply.status for reply in ann], [200] * 5 + [429] * 3)
            self.assertEqual(ann[7].json["denied_by"], ["user"])
            site = server.check_rule("site", {}, path="/v1/peek")
            self.assertEqual(site.json["remaining"], 5)
            ben = [server.check({"user": "ben"}) for _ in range(6)]
            self.assertEqual([reply.status for reply in ben], [200] * 5 + [429])
            self.assertEqual(ben[5].json["denied_by"], ["user", "site"])

    def test_x_ratelimit_fields_on_demand(self):
        with Server(self.rules(SUBMIT), "--x-ratelimit") as server:
            reply = server.check({"action": "submit", "team": "42"})
            self.assertEqual(reply.fields["X-RateLimit-Limit"], "3")
            self.assertEqual(reply.fields["X-RateLimit-Remaining"], "2")
            self.assertEqual(reply.fields["X-RateLimit-Reset"], "60")


class Keys(Case):
    VALUES = [
        b"", b" ", b"a b", b"a\r\nSET x 1", b"a\0b", b"a:b", b"a::b", "é".encode(), "e\u0301".encode(),
        "😀".encode(), b"k" * 10_240, b"k" * 10_239 + b"j", b"{same}1", b"{same}2", b"\xff\xfe", b"\xff", b"%00",
        bytes(range(256)),
    ]  # fmt: skip

    def test_any_bytes_are_a_key_of_their_own(self):
        rules = "  - {name: one, key: [v], limits: [{algorithm: fixed_window, limit: 1, per: 1h}]}\n"
        with Server(self.rules(rules)) as server:
            coded = [{"base64": base64.b64encode(value).decode()} for value in self.VALUES]
            self.assertEqual([server.check({"v": value}).status for value in coded], [200] * len(coded))
            self.assertEqual([server.check({"v": value}).status for value in coded], [429] * len(coded))
            # The same bytes as text are the same key.
            self.assertEqual(server.check({"v": "a\0b"}).status, 429)
            self.assertEqual(server.check({"v": "e\u0301"}).status, 429)
            self.assertEqual(server.check({"v": "new"}).status, 200)
            # No value is another thing than an empty one.
            self.assertEqual(server.check({"w": ""}).json["source"], "none")

    def test_key_parts_do_not_run_together(self):
        rules = "".join(
            f"  - {{name: {name}, key: [{key}], limits: [{{algorithm: fixed_window, limit: 2, per: 1m}}]}}\n"
            for name, key in (("one", "a"), ("two", "a_b"), ("pair", "p, q"))
        )
        with Server(self.rules(rules)) as server:
            for attributes in ({"a": "b_c"}, {"a_b": "c"}, {"p": "x", "q": "yz"}, {"p": "xy", "q": "z"}):
                self.assertEqual([server.check(attributes).status for _ in range(3)], [200, 200, 429], attributes)
            prefix = "k" * 64
            for value in ("1", "2"):
                self.assertEqual([server.check({"a": prefix + value}).status for _ in range(3)], [200, 200, 429])


class Leases(Case):
    def test_leases_end_are_released_and_renewed(self):
        rules = "  - {name: jobs, key: [q], limits: [{algorithm: concurrency, limit: 2, lease: 3s}]}\n"
        with Server(self.rules(rules)) as server:
            taken = time.monotonic()
            first = server.check({"q": "1"})
            second = server.check({"q": "1"})
            self.assertEqual((first.status, second.status), (200, 200))
            self.assertNotEqual(first.json["lease"], second.json["lease"])
            third = server.check({"q": "1"})
            self.assertEqual(third.status, 429)
            self.assertNotIn("lease", third.json)
            self.assertIn(third.json["retry_after_ms"], range(1, 3001))
            # The second is kept busy; the first, which nobody renews, ends all the same.
            lease = {"lease": second.json["lease"]}

            def passes():
                self.assertEqual(server.request("POST", "/v1/renew", lease).json, {"renewed": True})
                reply = server.check({"q": "1"})
                return reply if reply.status == 200 else None

            third = until(passes, "the first lease to end")
            self.assertGreaterEqual(time.monotonic() - taken, 3)
            ended = {"lease": first.json["lease"]}
            self.assertEqual(server.request("POST", "/v1/renew", ended).json, {"renewed": False})
            # Releasing twice frees one place.
            for released in (True, False):
                self.assertEqual(server.request("POST", "/v1/release", lease).json, {"released": released})
            self.assertEqual([server.check({"q": "1"}).status for _ in range(2)], [200, 429])
            self.assertEqual(server.request("POST", "/v1/release", {"lease": "nonsense"}).json, {"released": False})

    def test_a_place_is_not_lost_to_a_request_that_another_rule_refuses(self):
        rules = "  - {name: jobs, key: [], limits: [{algorithm: concurrency, limit: 1, lease: 1h}]}\n"
        rules += "  - {name: none, match: {kind: x}, key: [], limits: [{algorithm: fixed_window, limit: 0, per: 1m}]}\n"
        with Server(self.rules(rules)) as server:
            self.assertEqual([server.check({"kind": "x"}).status for _ in range(5)], [429] * 5)
            self.assertEqual(server.check_rule("jobs", {}, path="/v1/peek").json["remaining"], 1)


class CommandLine(Case):
    def run_stint(self, *arguments):
        return subprocess.run([BINARY, *arguments], capture_output=True, text=True, timeout=30)

    def test_the_ready_line_comes_with_a_command_that_works(self):
        rules = "  - {name: shadow, key: [a], shadow: true, limits: [{limit: 1, per: 1h}]}\n"
        rules += "  - {name: api, match: {path: '/it''s/*', ip: 10.0.0.0/8}, key: [ip, u],"
        rules += " limits: [{limit: 2, per: 1h}]}\n"
        with Server(self.rules(rules)) as server:
            self.assertTrue(server.try_line.startswith("try: curl -i "), server.try_line)
            words = shlex.split(server.try_line.removeprefix("try: "))
            self.assertEqual(words[2], f"http://{server.host}:{server.port}/v1/check")
            reply = server.request("POST", "/v1/check", words[words.index("-d") + 1])
            self.assertEqual((reply.json["rule"], reply.json["remaining"]), ("api", 1))

    def test_check_prints_one_decision(self):
        rules = str(self.rules(SUBMIT))
        allowed = self.run_stint("check", "--rules", rules, "action=submit", "team=42")
        self.assertEqual(allowed.returncode, 0)
        self.assertEqual(
            allowed.stdout, "allowed\n  submit: fixed_window 3 per 1m; allows, 2 remaining, as new after 1m\n"
        )
        denied = self.run_stint("check", "--rules", rules, "--cost", "4", "action=submit", "team=4=2")
        self.assertEqual(denied.returncode, 1)
        self.assertTrue(denied.stdout.startswith("denied by submit; no wait helps\n"), denied.stdout)
        nothing = self.run_stint("check", "--rules", rules, "action=read")
        self.assertEqual((nothing.returncode, nothing.stdout), (0, "allowed: no rule applies\n"))

    def test_check_prints_the_servers_json(self):
        rules = self.rules(SUBMIT)
        printed = self.run_stint("check", "--json", "--rules", str(rules), "action=submit", "team=42")
        with Server(rules) as server:
            served = server.check({"action": "submit", "team": "42"})
        self.assertEqual(printed.stdout.encode(), served.text + b"\n")

    def test_usage_errors_exit_with_2(self):
        rules = str(self.rules(SUBMIT))
        bad = str(self.rules("  - {name: x, limitz: 1}\n  - {nam: y}\n", "bad.yaml"))
        for arguments in (
            [],
            ["bogus"],
            ["serve"],
            ["serve", "--rules", bad],
            ["serve", "--rules", str(self.folder / "missing.yaml")],
            ["serve", "--rules", rules, "--http", "8080"],
            ["serve", "--rules", rules, "--http", "::1:8080"],
            ["serve", "--rules", rules, "--http", "127.0.0.1:70000"],
            ["serve", "--rules", rules, "--max-memory", "1x"],
            ["serve", "--rules", rules, "--max-memory", "10"],
            ["serve", "--rules", rules, "--idle-timeout", "soon"],
            ["serve", "--rules", rules, "--max-body", "0"],
            ["check", "--rules", rules, "team"],
            ["check", "--rules", rules, "team=1", "team=2"],
            ["check", "--rules", rules, "--cost", "-1"],
            ["check", "--rules", bad, "team=1"],
        ):
            result = self.run_stint(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertNotEqual(result.stderr + result.stdout, "", arguments)
        problems = self.run_stint("serve", "--rules", bad).stderr
        self.assertGreaterEqual(problems.count("bad.yaml:"), 2, problems)

    def test_a_port_in_use_is_told_apart(self):
        rules = self.rules(SUBMIT)
        with Server(rules) as server:
            second = self.run_stint("serve", "--rules", str(rules), "--http", f"127.0.0.1:{server.port}")
            self.assertEqual(second.returncode, 1)
            self.assertIn(f"127.0.0.1:{server.port}: Address already in use", second.stderr)
            self.assertEqual(second.stdout, "")


if __name__ == "__main__":
    unittest.main()
