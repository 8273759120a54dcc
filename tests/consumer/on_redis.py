"""Runs a program with the URL of a Redis server of its own as the last argument: on_redis.py PROGRAM [ARGUMENT…]"""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "redis"))

from redis_server import RedisServer  # noqa: E402

with RedisServer() as redis:
    sys.exit(subprocess.run([*sys.argv[1:], redis.url], timeout=60, check=False).returncode)
