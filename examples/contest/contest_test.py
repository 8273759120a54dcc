"""Plays against the contest site: contest_test.py PROGRAM [redis]

On each store, three of 100 answers of a team get through, however close together they come; with Redis also when they
go to two servers in turn.
"""

import contextlib
import http.client
import pathlib
import re
import subprocess
import sys
import unittest
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "redis"))

from redis_server import RedisServer  # noqa: E402

PROGRAM = sys.argv.pop(1)


@contextlib.contextmanager
def site(*arguments):
    """Yields: the port of a server of its own."""
    process = subprocess.Popen([PROGRAM, "0", *arguments], stdout=subprocess.PIPE, text=True)
    try:
        yield int(re.fullmatch(r"contest: http://127\.0\.0\.1:(\d+)\n", process.stdout.readline())[1])
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def submit(port, team, answer="forty-two"):
    """Returns: the status, the header fields and the text of the reply."""
    # cpp-httplib lets five connections wait; where more come at once the system may reset one that was never accepted.
    # One that had been counted all the same would be missing among the answers that get through.
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        with contextlib.closing(connection), contextlib.suppress(ConnectionResetError):
            connection.request("POST", "/submit", body=answer, headers={"Team": team} if team else {})
            reply = connection.getresponse()
            return reply.status, reply.headers, reply.read().decode()


class ContestTest(unittest.TestCase):
    def play(self, *ports):
        self.assertEqual(submit(ports[0], "1", "seven")[2], "wrong (try 1)\n")
        self.assertEqual(submit(ports[-1], "1")[0], 200)
        self.assertEqual(submit(ports[0], "1")[0], 200)
        status, headers, text = submit(ports[-1], "1")
        self.assertEqual(status, 429)
        self.assertRegex(headers["Retry-After"], r"^(60|61)$")
        self.assertEqual(headers["RateLimit-Policy"], '"submit";q=3;w=60')
        self.assertRegex(text, r"^rate limit 'submit' exceeded: try again in (59|60|61)\.\d{3} s\n$")
        self.assertEqual(submit(ports[0], "")[0], 400)
        with ThreadPoolExecutor(20) as pool:
            for team in range(2, 6):
                replies = pool.map(lambda i: submit(ports[i % len(ports)], str(team))[0], range(100))
                self.assertEqual(Counter(replies), {200: 3, 429: 97})

    def test_in_memory(self):
        with site() as port:
            self.play(port)

    def test_on_redis_shared_by_two_servers(self):
        with RedisServer() as redis, site(redis.url) as one, site(redis.url) as other:
            self.play(one, other)

    def test_mistakes_are_told(self):
        run = subprocess.run([PROGRAM, "0", "http://nothing"], capture_output=True, text=True, timeout=30)
        self.assertEqual(run.returncode, 2)
        self.assertIn("contest: ", run.stderr)


if __name__ == "__main__":
    unittest.main()
