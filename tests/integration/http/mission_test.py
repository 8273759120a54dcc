"""Four servers on one store: of a hundred requests, twenty at a time, exactly as many pass as the limit says."""

import pathlib
import subprocess
import sys
import threading
import unittest

ROOT = pathlib.Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "tests/redis"))

import harness  # noqa: E402
from redis_server import RedisCluster, RedisServer  # noqa: E402

RULES = """
  - name: submit
    match: {action: submit}
    key: [team]
    limits: [{algorithm: fixed_window, limit: 10, per: 1h}]
"""
SERVERS, CALLERS, REQUESTS, LIMIT = 4, 20, 100, 10
PATIENT = "?deadline=10s"  # so that a busy machine does not make a store's failure of a late answer


class Mission(harness.Case):
    def hundred_at_once(self, servers, team):
        """Returns: how many requests were allowed. Each caller is on one server, with a connection of its own."""
        answers, start = [], threading.Barrier(CALLERS)

        def call(server):
            connection = server.http()
            connection.connect()
            start.wait(harness.DEADLINE_S)
            for _ in range(REQUESTS // CALLERS):
                answers.append(server.check({"action": "submit", "team": team}, connection=connection))
            connection.close()

        callers = [threading.Thread(target=call, args=(servers[i % len(servers)],)) for i in range(CALLERS)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
        self.assertEqual([answer.json["source"] for answer in answers], ["store"] * REQUESTS)
        self.assertEqual({(answer.status, answer.json["allowed"]) for answer in answers}, {(200, True), (429, False)})
        return sum(answer.json["allowed"] for answer in answers)

    def run_rounds(self, url, rounds):
        rules = self.rules(RULES)
        servers = [self.enterContext(harness.Server(rules, "--store", url + PATIENT)) for _ in range(SERVERS)]
        self.assertEqual(len({server.process.pid for server in servers}), SERVERS)
        passed = [self.hundred_at_once(servers, str(number)) for number in range(rounds)]
        self.assertEqual(passed, [LIMIT] * rounds)
        self.assertEqual([server.stop() for server in servers], [0] * SERVERS)

    def test_on_one_redis(self):
        with RedisServer() as redis:
            self.run_rounds(redis.url, 50)
            self.assertEqual(redis.cli("DBSIZE"), "50")

    def test_as_a_user_who_may_not_load_scripts(self):
        with RedisServer() as redis:
            redis.cli("ACL", "SETUSER", "loader", "on", ">pw", "-@all", "+script|load")
            redis.cli("ACL", "SETUSER", "limiter", "on", ">pw", "~stint:*", "-@all", "+evalsha", "+time", "+get", "+set")
            limiter = ("--user", "limiter", "--pass", "pw", "--no-auth-warning")
            for command in (("EVAL", "return 1", "0"), ("SCRIPT", "LOAD", "return 1"), ("GET", "other")):
                self.assertIn("NOPERM", redis.cli(*limiter, *command))
            loaded = subprocess.run([harness.BINARY, "scripts", "load", "--store",
                                     redis.url.replace("//", "//loader:pw@")], timeout=harness.DEADLINE_S, check=False)
            self.assertEqual(loaded.returncode, 0)
            self.run_rounds(redis.url.replace("//", "//limiter:pw@"), 10)

    def test_on_a_cluster(self):
        with RedisCluster() as cluster:
            self.run_rounds(cluster.url, 10)
            # The teams lie on all of its nodes.
            sizes = [int(node.cli("DBSIZE")) for node in cluster.nodes]
            self.assertEqual(sum(sizes), 10)
            self.assertNotIn(0, sizes)


if __name__ == "__main__":
    unittest.main()
