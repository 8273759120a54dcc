"""What `./run --redis` does after it has built: a Redis of its own that ends with stint."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "tests/integration/http"))

import harness  # noqa: E402

SCRIPT = 'set -euo pipefail; . "$0/tools/local_redis.sh"; serve_on_local_redis "$@"; echo "after it"'


class Serving:
    """The part of ./run that serves."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            ["bash", "-c", SCRIPT, str(ROOT), harness.BINARY, "--rules", str(ROOT / "examples/rules.yaml"), "--http",
             "127.0.0.1:0", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def read_start(self):
        """Returns: the port and the pid of Redis, and the address of stint."""
        line = self.process.stderr.readline()
        match = re.match(r"stint: Redis on 127\.0\.0\.1:(\d+), pid (\d+);", line)
        assert match, line
        ready = self.process.stdout.readline()
        return int(match[1]), int(match[2]), ready.removeprefix("stint: ready on ").strip()

    def end(self):
        out, err = self.process.communicate(timeout=harness.DEADLINE_S)
        return self.process.returncode, out, err


def check(address):
    done = subprocess.run(["curl", "-sf", "-d", '{"attributes":{"action":"submit","team":"42"}}',
                           f"{address}/v1/check"], capture_output=True, text=True, timeout=harness.DEADLINE_S)
    return done.stdout


def redis_cli(port, *words):
    return subprocess.run(["redis-cli", "-p", str(port), *words], capture_output=True, text=True,
                          timeout=harness.DEADLINE_S).stdout.strip()


class LocalRedis(unittest.TestCase):
    def test_counters_are_in_redis_which_ends_with_stint(self):
        serving = Serving()
        port, pid, address = serving.read_start()
        self.assertIn('"allowed":true', check(address))
        self.assertEqual(redis_cli(port, "KEYS", "*"), "stint:1:submit:{team=42}")
        serving.process.send_signal(signal.SIGTERM)
        code, out, err = serving.end()
        self.assertEqual(code, 0, err)
        self.assertIn("after it", out)
        self.assertFalse(os.path.exists(f"/proc/{pid}"))

    def test_a_signal_reaches_stint_once(self):
        serving = Serving()
        _, pid, _ = serving.read_start()
        serving.process.send_signal(signal.SIGHUP)
        line = ""
        while "rules reloaded" not in line:
            line = serving.process.stderr.readline()
            self.assertTrue(line, "stint has ended")
        serving.process.send_signal(signal.SIGINT)
        code, _, err = serving.end()
        self.assertEqual(code, 0, err)
        self.assertIn("drained", err)
        self.assertFalse(os.path.exists(f"/proc/{pid}"))

    def test_the_status_is_that_of_stint(self):
        serving = Serving("--threads", "many")
        code, out, err = serving.end()
        self.assertEqual((code, out), (2, ""))
        pid = re.search(r"pid (\d+);", err)[1]
        self.assertFalse(os.path.exists(f"/proc/{pid}"))

    def test_redis_ends_even_if_the_script_is_killed(self):
        serving = Serving()
        _, pid, _ = serving.read_start()
        serving.process.kill()
        serving.end()
        harness.until(lambda: not os.path.exists(f"/proc/{pid}"), "the end of Redis")


if __name__ == "__main__":
    unittest.main()
