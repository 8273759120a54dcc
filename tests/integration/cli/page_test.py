"""docs/cli.md says what is so: its options are those of --help, its examples do as they show."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

BINARY = os.environ["STINT_BINARY"]
ROOT = pathlib.Path(__file__).parents[3]

sys.path.insert(0, str(ROOT / "tests/redis"))

from redis_server import RedisServer  # noqa: E402


def run(command, folder):
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)


def options_of_help(command):
    """The options that --help names, with their defaults."""
    text = run([BINARY, command, "--help"], ".").stdout
    return dict(re.findall(r"^  (?:-\w,)?(--[a-z-]+)(?: [A-Z]\S*?=(\S+))?", text, re.M))


def options_of_page(page, section):
    """The options of a section's table, with the third column as their defaults."""
    text = (ROOT / "docs" / page).read_text().split(f"\n## {section}\n")[1].split("\n## ")[0]
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("| `--")]
    return {re.search(r"--[a-z-]+", row[0])[0]: row[2].strip() if len(row) > 2 else "" for row in rows}


def transcripts(page):
    """Each command of the page's examples, with the lines that it prints."""
    language, found = None, []
    for line in page.read_text().splitlines():
        inside = language == ""  # what has a language is no example to run
        if line.startswith("```"):
            language = line[3:] if language is None else None
        elif inside and line.startswith("$ "):
            found.append((line[2:], []))
        elif inside:
            found[-1][1].append(line)
    return found


def timeless(line, shared):
    """The line without what depends on the clock, and with a server on how long the commands took."""
    line = re.sub(r"\d{4}-\d\d-\d\dT[0-9:.]{15}Z", "…", line)
    if shared or ": sliding_window " in line:
        line = re.sub(r"(as new after|expires in).*", r"\1", line)
    return line


class Page(unittest.TestCase):
    def test_serve_has_the_options_of_its_help(self):
        page, told = options_of_page("cli.md", "stint serve"), options_of_help("serve")
        self.assertEqual(sorted(page), sorted(told))
        for option, default in told.items():
            with self.subTest(option):
                shown = page[option].replace(",", "").replace("`", "").split(":")
                shown = ":".join(shown) if option in ("--http", "--store") else shown[0]
                self.assertEqual(default, "" if shown in ("none", "off") else shown)

    def test_replay_has_the_options_of_its_help(self):
        page = options_of_page("replay.md", "Options")
        self.assertEqual(sorted([*page, "--help"]), sorted(options_of_help("replay")))

    def test_the_examples_do_as_they_show(self):
        for page, least in (("cli.md", 20), ("redis.md", 7)):
            examples = transcripts(ROOT / "docs" / page)
            self.assertGreater(len(examples), least)
            with RedisServer() as redis, tempfile.TemporaryDirectory(prefix="stint-cli-") as folder:
                shutil.copy(ROOT / "examples/rules.yaml", folder)
                self.run_examples(examples, redis, folder)

    def run_examples(self, examples, redis, folder):
        code = None
        for command, shown in examples:
            with self.subTest(command):
                if command.startswith("cat "):
                    pathlib.Path(folder, command[4:]).write_text("\n".join(shown) + "\n")
                elif command == "echo $?":
                    self.assertEqual(shown, [str(code)])
                else:
                    command = command.replace("127.0.0.1:6379", redis.url.removeprefix("redis://"))
                    program, *words = shlex.split(command)
                    done = run({"stint": [BINARY], "redis-cli": ["redis-cli", "-p", str(redis.port)]}[program] + words,
                               folder)
                    code = done.returncode
                    printed = done.stdout.replace(str(redis.port), "6379").splitlines()
                    self.assertEqual([timeless(line, "6379" in command) for line in printed],
                                     [timeless(line, "6379" in command) for line in shown])


if __name__ == "__main__":
    unittest.main()
