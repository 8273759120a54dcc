"""Commands that work on the counters of a real Redis server: check, inspect, reset, serve, selftest."""

import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).parents[3]
sys.path[:0] = [str(ROOT / "tests/redis"), str(ROOT / "tests/integration/http")]

import harness  # noqa: E402
from redis_server import RedisServer, free_port  # noqa: E402

BINARY = os.environ["STINT_BINARY"]

RULES = """version: 1
rules:
  - {name: first, match: {a: f}, key: [team], limits: [{algorithm: fixed_window, limit: 3, per: 1h}]}
  - {name: clock, match: {a: c}, key: [team], limits: [{algorithm: fixed_window, limit: 3, per: 1d, anchor: clock}]}
  - name: day
    match: {a: d}
    key: [team]
    limits: [{algorithm: fixed_window, limit: 3, anchor: calendar, unit: year, timezone: Asia/Tokyo}]
  - {name: strict, match: {a: s}, key: [team], limits: [{limit: 9, per: 1h}]}
  - {name: weighted, match: {a: w}, key: [team], limits: [{limit: 9, per: 1d, mode: weighted, buckets: 2}]}
  - {name: log, match: {a: l}, key: [team], limits: [{algorithm: sliding_log, limit: 9, per: 1h}]}
  - {name: bucket, match: {a: b}, key: [team], limits: [{algorithm: token_bucket, limit: 7, per: 1d}]}
  - {name: seats, match: {a: k}, key: [team], limits: [{algorithm: concurrency, limit: 5, lease: 1h}]}
  - name: several
    match: {a: m}
    key: [user, team]
    limits: [{limit: 2, per: 1h}, {algorithm: token_bucket, limit: 5, per: 1d}]
    ban: {denials: 2, within: 1h, for: 1d}
  - name: plain
    match: {a: p}
    key: [team]
    limits: [{algorithm: fixed_window, limit: 3, per: 1h}]
    layout: counter
    redis_key: "rate:{a}:{team}"
  - {name: all, match: {a: x}, key: [], limits: [{algorithm: sliding_log, limit: 9, per: 1h}]}
"""
BUCKETS = """version: 1
rules: [{name: b, key: [team], limits: [{algorithm: token_bucket, limit: 7, per: 1d}]}]
"""
HOUR_US, DAY_US = 3_600_000_000, 86_400_000_000


def stint(*arguments, **variables):
    done = subprocess.run([BINARY, *arguments], capture_output=True, text=True, timeout=60,
                          env={**os.environ, **variables})
    return done.returncode, done.stdout, done.stderr


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory(prefix="stint-store-"))
        self.rules = self.write("rules.yaml", RULES)

    def write(self, name, text):
        path = pathlib.Path(self.folder, name)
        path.write_text(text)
        return str(path)


class Keys(Case):
    def setUp(self):
        super().setUp()
        self.redis = self.enterContext(RedisServer())

    def check(self, *words):
        code, out, err = stint("check", "--store", self.redis.url, "--rules", self.rules, "--json", *words)
        self.assertEqual(err, "")
        return json.loads(out)

    def inspect(self, *words):
        code, out, err = stint("inspect", "--store", self.redis.url, "--rules", self.rules, "--json", *words)
        self.assertEqual((code, err), (0, ""))
        return json.loads(out)

    def test_counters_outlive_the_command(self):
        allowed = [self.check("a=f", "team=42")["allowed"] for _ in range(5)]
        self.assertEqual(allowed, [True, True, True, False, False])

    def test_the_state_of_every_algorithm_is_what_a_check_goes_by(self):
        before = time.time_ns() // 1000
        for rule, letter in (("first", "f"), ("clock", "c"), ("day", "d"), ("strict", "s"), ("weighted", "w"),
                             ("log", "l"), ("bucket", "b"), ("seats", "k")):
            with self.subTest(rule):
                self.check(f"a={letter}", "team=42")
                self.check(f"a={letter}", "team=42", "--cost", "2")
                seen = self.inspect(rule, "team=42")
                after = time.time_ns() // 1000
                self.assertEqual(seen["key"], f"stint:1:{rule}:{{team=42}}")
                self.assertEqual(seen["bytes"], int(self.redis.cli("STRLEN", seen["key"])))
                self.assertGreater(seen["expires_in_ms"], 0)
                self.assertTrue(before <= seen["time_us"] <= after)
                limit, told = seen["limits"][0], seen["peek"]["limits"][0]
                self.assertEqual(limit["used"], 3)
                self.assertEqual(limit["limit"] - limit["used"], told["remaining"])
                # The peek comes a little later than the look, and is told in whole milliseconds.
                left_ms = (limit["as_new_at_us"] - seen["time_us"]) / 1000
                self.assertTrue(left_ms - 5000 <= told["reset_after_ms"] <= left_ms + 1, (left_ms, told))
                if rule == "bucket":
                    self.assertEqual(limit["held"], [])
                    continue
                self.assertEqual(sum(held["units"] for held in limit["held"]), 3)
                self.assertEqual(max(held["until_us"] for held in limit["held"]), limit["as_new_at_us"])
                for held in limit["held"]:
                    self.assertLessEqual(held.get("from_us", before), after)

    def test_ends_are_those_of_the_limit(self):
        self.check("a=f", "team=42")
        self.check("a=c", "team=42")
        self.check("a=l", "team=42")
        self.check("a=k", "team=42")
        first = self.inspect("first", "team=42")["limits"][0]["held"][0]
        self.assertEqual(first["until_us"] - first["from_us"], HOUR_US)
        clock = self.inspect("clock", "team=42")["limits"][0]["held"][0]
        self.assertEqual((clock["from_us"] % DAY_US, clock["until_us"] - clock["from_us"]), (0, DAY_US))
        log = self.inspect("log", "team=42")["limits"][0]["held"][0]
        self.assertEqual(log["until_us"] - log["from_us"], HOUR_US)
        seats = self.inspect("seats", "team=42")["limits"][0]["held"][0]
        self.assertRegex(seats["lease"], "^[0-9a-f]{16}$")

    def test_looking_changes_nothing(self):
        self.check("a=b", "team=42")
        before = self.redis.cli("--no-raw", "GET", "stint:1:bucket:{team=42}")
        for _ in range(5):
            self.inspect("bucket", "team=42")
        self.assertEqual(self.redis.cli("--no-raw", "GET", "stint:1:bucket:{team=42}"), before)

    def test_several_limits_and_a_ban(self):
        words = ("several", "team=42", "user=ann")
        self.check("a=m", "team=42", "user=ann")
        seen = self.inspect(*words)
        self.assertEqual(seen["key"], "stint:1:several:{user=ann,team=42}")
        self.assertEqual([limit["used"] for limit in seen["limits"]], [1, 1])
        self.assertEqual(seen["ban"], {"banned": False, "denials": 0, "until_us": 0})
        for _ in range(2):
            self.check("a=m", "team=42", "user=ann")
        self.assertEqual(self.inspect(*words)["ban"]["denials"], 1)
        self.check("a=m", "team=42", "user=ann")
        seen = self.inspect(*words)
        self.assertTrue(seen["ban"]["banned"])
        self.assertAlmostEqual((seen["ban"]["until_us"] - seen["time_us"]) / DAY_US, 1, 2)
        self.assertFalse(seen["peek"]["allowed"])

    def test_what_a_rule_no_longer_has_is_counted_apart(self):
        self.check("a=m", "team=42", "user=ann")
        self.write("rules.yaml", RULES.replace("limits: [{limit: 2, per: 1h}, ", "limits: ["))
        seen = self.inspect("several", "team=42", "user=ann")
        self.assertEqual((len(seen["limits"]), seen["other_counters"]), (1, 1))

    def test_a_counter_that_others_share(self):
        self.redis.cli("SET", "rate:p:42", "2", "EX", "600")
        seen = self.inspect("plain", "team=42")
        self.assertEqual(seen["key"], "rate:p:42")
        self.assertEqual(seen["limits"][0]["used"], 2)
        self.assertAlmostEqual(seen["limits"][0]["as_new_at_us"], seen["time_us"] + 600_000_000, delta=5_000_000)
        self.assertEqual(seen["peek"]["remaining"], 1)
        code, out, err = stint("reset", "--store", self.redis.url, "--rules", self.rules, "plain", "team=42")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(self.inspect("plain", "team=42")["limits"][0]["used"], 0)

    def test_a_key_that_is_not_there(self):
        seen = self.inspect("all")
        self.assertEqual((seen["key"], seen["bytes"], seen["expires_in_ms"]), ("stint:1:all:{all}", None, None))
        self.assertEqual(seen["limits"], [{"algorithm": "sliding_log", "limit": 9, "used": 0, "as_new_at_us": 0,
                                           "held": []}])

    def test_a_value_of_others_is_named(self):
        for command in (["SET", "stint:1:all:{all}", "something else"], ["HSET", "stint:1:all:{all}", "a", "b"]):
            self.redis.cli("DEL", "stint:1:all:{all}")
            self.redis.cli(*command)
            code, out, err = stint("inspect", "--store", self.redis.url, "--rules", self.rules, "all")
            self.assertEqual((code, out), (2, ""))
            self.assertIn("stint inspect: stint:1:all:{all}: ", err)

    def test_reset_makes_a_key_as_new(self):
        command = ("reset", "--store", self.redis.url, "--rules", self.rules, "first", "team=42")
        for _ in range(3):
            self.check("a=f", "team=42")
        self.assertFalse(self.check("a=f", "team=42")["allowed"])
        self.assertEqual(stint(*command), (0, "stint:1:first:{team=42}: reset\n", ""))
        self.assertEqual(stint(*command), (0, "stint:1:first:{team=42}: was as new already\n", ""))
        self.assertTrue(self.check("a=f", "team=42")["allowed"])

    def test_the_url_says_how_keys_are_named(self):
        url = self.redis.url + "/2?prefix=other:&key_names=digest"
        stint("check", "--store", url, "--rules", self.rules, "a=f", "team=42")
        self.assertEqual(self.redis.cli("DBSIZE"), "0")
        code, out, err = stint("inspect", "--store", url, "--rules", self.rules, "first", "team=42")
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"key: other:1:first:\{#[0-9a-f]{32}\}\n.*\n.*: 1 used")

    def test_the_store_may_come_from_the_environment(self):
        words = ("check", "--rules", self.rules, "a=f", "team=42")
        stint(*words, STINT_STORE=self.redis.url)
        self.assertEqual(self.inspect("first", "team=42")["limits"][0]["used"], 1)
        stint(*words, "--store", "memory://", STINT_STORE=self.redis.url)
        self.assertEqual(self.inspect("first", "team=42")["limits"][0]["used"], 1)


class Complaints(Case):
    def complain(self, command, *words):
        code, out, err = stint(command, *words)
        self.assertEqual((code, out), (2, ""))
        return err

    def test_a_store_that_is_not_there(self):
        url = f"redis://127.0.0.1:{free_port()}"
        for command, *words in (["check", "--rules", self.rules, "a=f", "team=42"], ["selftest"],
                                ["inspect", "--rules", self.rules, "first", "team=42"],
                                ["reset", "--rules", self.rules, "first", "team=42"]):
            with self.subTest(command):
                err = self.complain(command, "--store", url, *words)
                self.assertIn("the store cannot be reached: 127.0.0.1:", err)
                self.assertIn("Connection refused", err)

    def test_a_url_that_is_none(self):
        for command, *words in (["serve", "--rules", self.rules], ["check", "--rules", self.rules], ["selftest"],
                                ["inspect", "--rules", self.rules, "first"]):
            with self.subTest(command):
                self.assertIn("did you mean 'prefix'?", self.complain(command, "--store", "redis://h?prefx=a", *words))
                self.assertIn("expected memory:// or redis://", self.complain(command, "--store", "h", *words))

    def test_no_password_is_shown(self):
        with RedisServer("--requirepass", "right") as redis:
            url = redis.url.replace("//", "//:hunter2@")
            for command, *words in (["check", "--rules", self.rules, "a=f"], ["selftest"]):
                err = self.complain(command, "--store", url, *words)
                self.assertIn("WRONGPASS", err)
                self.assertNotIn("hunter2", err)
            secret = self.write("secret", "right\n")
            self.assertEqual(stint("check", "--store", f"{redis.url}?password_file={secret}", "--rules", self.rules,
                                   "a=f", "team=42")[0], 0)

    def test_a_check_that_the_store_does_not_decide_says_so(self):
        rules = self.write("policies.yaml", RULES + """
  - {name: deny, match: {a: n}, key: [], limits: [{limit: 9, per: 1h}], on_store_failure: deny}
""")
        with RedisServer() as redis:
            # May be looked at, but runs no script.
            redis.cli("ACL", "SETUSER", "stint", "on", ">pw", "~stint:*", "+script|load", "+time")
            words = ("check", "--store", redis.url.replace("//", "//stint:pw@"), "--rules", rules)
            code, out, _ = stint(*words, "a=f", "team=42")
            self.assertEqual((code, out.splitlines()[0]), (0, "allowed (the store failed: decided in memory)"))
            code, out, _ = stint(*words, "a=n")
            self.assertEqual(code, 1)
            self.assertEqual(out.splitlines()[0][-51:], "(the store failed: the rules say what happens then)")
            self.assertIn("  deny: sliding_window 9 per 1h; denies, not counted, retry after: 1s\n", out)
            peeked = json.loads(stint(*words, "a=n", "--json")[1])
            self.assertEqual((peeked["remaining"], peeked["limits"][0]["remaining"]), (None, None))

    def test_a_key_that_the_rule_does_not_have(self):
        def complaint(*words):
            return self.complain("inspect", "--store", "redis://h", "--rules", self.rules, *words)
        self.assertIn('there is no rule "frist"; did you mean \'first\'?', complaint("frist"))
        self.assertIn('the key of "several" is user=… team=…', complaint("several", "team=1"))
        self.assertIn('the key of "all" is one for all', complaint("all", "team=1"))
        self.assertIn("given as NAME=VALUE", complaint("first", "team"))
        self.assertIn("--store is missing", self.complain("reset", "--rules", self.rules, "first", "team=1"))


class Scripts(Case):
    """One user loads the scripts, another calls them and may neither load nor write any."""

    def setUp(self):
        super().setUp()
        self.redis = self.enterContext(RedisServer())
        self.loader, self.limiter = (self.redis.url.replace("//", f"//{user}:pw@") for user in ("loader", "limiter"))
        self.redis.cli("ACL", "SETUSER", "loader", "on", ">pw", "-@all", "+script|load")
        self.redis.cli("ACL", "SETUSER", "limiter", "on", ">pw", "~stint:*", "-@all", "+evalsha", "+time", "+get",
                       "+set", "+del", "+pttl")

    def load(self):
        code, out, err = stint("scripts", "load", "--store", self.loader)
        self.assertEqual((code, out, err), (0, f"127.0.0.1:{self.redis.port}: 8 scripts\n", ""))

    def test_a_check_without_them_says_what_to_do(self):
        words = ("check", "--store", self.limiter, "--rules", self.rules, "--json", "a=f", "team=42")
        code, out, err = stint(*words)
        self.assertEqual((code, json.loads(out)["source"]), (0, "local"))
        self.assertEqual(err.count("\n"), 1)
        self.assertIn("NOSCRIPT", err)
        self.assertIn("`stint scripts load`", err)
        self.load()
        code, out, err = stint(*words)
        self.assertEqual((code, json.loads(out)["source"], err), (0, "store", ""))

    def test_all_that_a_server_does_works_for_the_user_who_calls(self):
        self.load()
        code, out, err = stint("selftest", "--store", self.limiter)
        self.assertEqual((code, err), (0, ""))
        self.assertIn(" 0 mismatches", out)
        key = ("--store", self.limiter, "--rules", self.rules, "first", "team=42")
        self.assertEqual([stint(command, *key)[0] for command in ("inspect", "reset")], [0, 0])

    def test_a_running_server_needs_no_restart_when_they_were_lost(self):
        self.load()
        with harness.Server(self.rules, "--store", self.limiter + "?deadline=5s") as server:
            def source():
                return server.check({"a": "f", "team": "42"}).json["source"]
            self.assertEqual(source(), "store")
            self.redis.cli("SCRIPT", "FLUSH")
            self.assertEqual([source(), source()], ["local", "local"])
            harness.until(lambda: server.logged("`stint scripts load`"), "the complaint")
            self.load()
            self.assertEqual(source(), "store")
            self.assertEqual(server.logged("`stint scripts load`"), 1)

    def test_one_that_is_printed_can_be_loaded_by_others(self):
        code, out, _ = stint("scripts", "print")
        self.assertEqual(code, 0)
        listed = [line.split() for line in out.splitlines()]
        self.assertEqual(len(listed), 8)
        for sha, name in listed:
            text = stint("scripts", "print", name)[1]
            done = subprocess.run(["redis-cli", "-p", str(self.redis.port), "-x", "SCRIPT", "LOAD"], input=text,
                                  capture_output=True, text=True, timeout=60, check=True)
            self.assertEqual(done.stdout.strip(), sha, name)

    def test_complaints(self):
        code, out, err = stint("scripts", "load", "--store", self.limiter)
        self.assertEqual((code, out), (2, ""))
        self.assertIn(f"127.0.0.1:{self.redis.port}: NOPERM", err)
        self.assertIn("--store is missing", stint("scripts", "load")[2])
        code, out, err = stint("scripts", "print", "togehter")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("did you mean 'together'?", err)
        self.assertEqual(stint("scripts")[0], 2)


class Tls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="stint-tls-"))

        def openssl(*words):
            subprocess.run(["openssl", *words], cwd=cls.folder, check=True, capture_output=True, timeout=60)

        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=test")
        for name, names in (("server", "DNS:redis.internal"), ("client", "DNS:client.internal")):
            pathlib.Path(cls.folder, "names").write_text(f"subjectAltName={names}\n")
            openssl("req", *key, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
            openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
                    "-out", f"{name}.pem", "-extfile", "names")
        path = pathlib.Path(cls.folder)
        cls.redis = cls.enterClassContext(RedisServer(
            "--port", "0", "--tls-port", "{port}", "--tls-cert-file", str(path / "server.pem"), "--tls-key-file",
            str(path / "server.key"), "--tls-ca-cert-file", str(path / "ca.pem")))

    def selftest(self, **options):
        pem = {name: f"{self.folder}/{file}" for name, file in
               (("ca", "ca.pem"), ("cert", "client.pem"), ("key", "client.key"))}
        options = {**pem, "server_name": "redis.internal", **options}
        query = "&".join(f"{name}={value}" for name, value in options.items() if value)
        return stint("selftest", "--store", self.redis.url.replace("redis:", "rediss:") + "?" + query)

    def test_both_sides_show_their_certificates(self):
        code, out, err = self.selftest()
        self.assertEqual((code, err), (0, ""))
        self.assertIn(" 0 mismatches", out)

    def test_the_certificate_must_name_the_server(self):
        for name in ("other.internal", ""):  # without a name it is the host, an address that the certificate has not
            code, _, err = self.selftest(server_name=name)
            self.assertEqual(code, 2)
            self.assertIn("certificate verify failed", err)

    def test_only_the_named_authority_is_trusted(self):
        self.assertIn("certificate verify failed", self.selftest(ca="")[2])

    def test_a_client_without_a_certificate_is_refused(self):
        code, _, err = self.selftest(cert="", key="")
        self.assertEqual(code, 2)
        # The server's words are lost if it closes while the first command is on its way.
        self.assertRegex(err, "certificate required|Connection reset by peer|Broken pipe")


class Serving(Case):
    def test_servers_share_their_counters(self):
        with RedisServer() as redis:
            with harness.Server(self.rules, "--store", redis.url) as one, \
                    harness.Server(self.rules, "--store", redis.url) as other:
                allowed = [server.check({"a": "f", "team": "42"}).json["allowed"]
                           for server in (one, other, one, other, one)]
                self.assertEqual(allowed, [True, True, True, False, False])
                self.assertEqual((one.stop(), other.stop()), (0, 0))

    def test_a_policy_that_drops_counters_is_warned_of(self):
        buckets = self.write("buckets.yaml", BUCKETS)
        for policy, rules, warns in (("noeviction", self.rules, False), ("allkeys-lru", self.rules, True),
                                     ("volatile-ttl", self.rules, True), ("volatile-ttl", buckets, False)):
            with self.subTest(policy=policy, rules=rules), RedisServer("--maxmemory-policy", policy) as redis:
                with harness.Server(rules, "--store", redis.url) as server:
                    self.assertEqual(server.stop(), 0)
                    self.assertEqual(server.logged(f"has the maxmemory-policy {policy}"), int(warns))
                err = stint("check", "--store", redis.url, "--rules", rules, "a=f", "team=42")[2]
                self.assertEqual("maxmemory-policy" in err, warns)

    def test_a_server_that_does_not_tell_its_policy_is_passed_over(self):
        with RedisServer("--maxmemory-policy", "allkeys-lru") as redis:
            redis.cli("ACL", "SETUSER", "stint", "on", ">pw", "~stint:*", "+evalsha", "+script|load", "+time", "+get",
                      "+set", "+pttl", "+del")
            url = redis.url.replace("//", "//stint:pw@")
            code, out, err = stint("check", "--store", url, "--rules", self.rules, "--json", "a=f", "team=42")
            self.assertEqual((code, json.loads(out)["source"], err), (0, "store", ""))
            redis.cli("ACL", "SETUSER", "stint", "+config|get")
            self.assertIn("allkeys-lru", stint("check", "--store", url, "--rules", self.rules, "a=f", "team=42")[2])

    def test_a_store_that_is_down_is_logged_and_waited_for(self):
        with harness.Server(self.rules, "--store", f"redis://127.0.0.1:{free_port()}") as server:
            harness.until(lambda: server.logged("the store cannot be reached"), "the complaint")
            server.signal(signal.SIGTERM)
            self.assertEqual(server.wait(harness.DEADLINE_S), 0)

    def test_releases_of_many_connections_wait_for_the_store_together(self):
        deadline_s, count = 0.3, 1000
        resource.setrlimit(resource.RLIMIT_NOFILE, [max(2 * count, resource.getrlimit(resource.RLIMIT_NOFILE)[0]),
                                                    resource.getrlimit(resource.RLIMIT_NOFILE)[1]])
        with RedisServer() as redis, harness.Server(self.rules, "--store", f"{redis.url}?deadline=300ms") as server:
            lease = json.dumps({"lease": server.check({"a": "k", "team": "42"}).json["lease"]}).encode()
            request = b"POST /v1/release HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(lease) + lease
            connections = [server.connect() for _ in range(count)]
            redis.stop_answering()
            sent = time.monotonic()
            for connection in connections:
                connection.sendall(request)
            for connection in connections:
                reply = connection.recv(65536)
                connection.close()
                self.assertTrue(reply.startswith(b"HTTP/1.1 503 "), reply)
                self.assertIn(b"the store failed: ", reply)
            self.assertLess(time.monotonic() - sent, deadline_s + 0.5)

    def test_a_request_that_waits_for_the_store_does_not_time_out(self):
        timeouts = ("--request-timeout", "100ms", "--idle-timeout", "100ms")
        with RedisServer() as redis, \
                harness.Server(self.rules, "--store", f"{redis.url}?deadline=2s", *timeouts) as server:
            self.assertTrue(server.check({"a": "f", "team": "42"}).json["allowed"])
            redis.stop_answering()
            with server.connect() as connection:
                begun = time.monotonic()
                connection.sendall(harness.raw_check({"a": "f", "team": "42"}) + b"POST /v1/check HTTP/1.1\r\n")
                reply = connection.recv(65536)
                self.assertGreater(time.monotonic() - begun, 1.9)
                self.assertTrue(reply.startswith(b"HTTP/1.1 200 ") and b'"source":"local"' in reply, reply)
                # The time of the second request, which never ends, begins only now.
                self.assertTrue(connection.recv(65536).startswith(b"HTTP/1.1 408 "))

    def test_a_store_that_does_not_answer_delays_the_start_by_a_second(self):
        with RedisServer() as redis:
            redis.stop_answering()
            with harness.Server(self.rules, "--store", redis.url) as server:
                harness.until(lambda: server.logged("no answer within 1s"), "the complaint")


if __name__ == "__main__":
    unittest.main()
