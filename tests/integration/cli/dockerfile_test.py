"""What can be said of the Dockerfile without an engine: all that it names is there, and what it starts starts."""

import json
import os
import pathlib
import re
import subprocess
import unittest

BINARY = os.environ["STINT_BINARY"]
ROOT = pathlib.Path(__file__).parents[3]
TEXT = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text())
STEPS = re.findall(r"^([A-Z]+) (.*)$", TEXT, re.M)
# Part of the image of Debian 12.
IN_THE_IMAGE = {"libc6", "libgcc-s1", "libstdc++6"}


def arguments(step):
    return [rest for name, rest in STEPS if name == step]


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout


class Dockerfile(unittest.TestCase):
    def test_it_builds_by_the_two_commands(self):
        self.assertEqual(arguments("RUN")[:2], ["./run --help", "./test"])
        for command in ("run", "test"):
            self.assertTrue(os.access(ROOT / command, os.X_OK))

    def test_what_it_copies_is_there(self):
        self.assertEqual(arguments("COPY")[0], ". .")
        copied = {source: place for source, place in
                  (words.removeprefix("--from=build /stint/").split() for words in arguments("COPY")[1:])}
        self.assertEqual(copied, {"build/release/stint": "/usr/local/bin/stint",
                                  "deploy/rules.yaml": "/etc/stint/rules.yaml"})
        self.assertTrue((ROOT / "deploy/rules.yaml").is_file())
        # As ./run calls it.
        self.assertIn("binary=$root/build/release/stint\n", (ROOT / "run").read_text())

    def test_what_is_ignored_is_not_the_trees(self):
        ignored = (ROOT / ".dockerignore").read_text().split()
        self.assertIn("build", ignored)
        for pattern in ignored:
            name = pattern.removeprefix("**/")
            if name == ".git":
                continue
            with self.subTest(pattern):
                self.assertRegex((ROOT / ".gitignore").read_text(), rf"(?m)^/?{re.escape(name)}/?$")

    def test_the_libraries_are_those_that_the_program_links(self):
        installed = set(re.search(r"--no-install-recommends (.*?) &&", TEXT)[1].split())
        linked = re.findall(r"=> (\S+)", output("ldd", BINARY))
        packages = set()
        for library in linked:
            # dpkg knows files by the name that they were installed as, from before /lib was a link.
            for place in (library, f"/usr{library}", os.path.realpath(library)):
                found = subprocess.run(["dpkg", "-S", place], capture_output=True, text=True, timeout=60, check=False)
                if found.returncode == 0:
                    packages.add(found.stdout.split(":")[0])
                    break
            else:
                self.fail(f"no package has {library}")
        self.assertEqual(packages - IN_THE_IMAGE, installed - {"ca-certificates", "tzdata"})

    def test_what_it_starts_starts(self):
        words = json.loads(arguments("CMD")[0])
        self.assertEqual(words[:2], ["stint", "serve"])
        self.assertEqual(words[words.index("--http") + 1], f"0.0.0.0:{arguments('EXPOSE')[0]}")
        self.assertEqual(arguments("USER"), ["stint"])
        self.assertIn("useradd --system --no-create-home stint", arguments("RUN")[-1])
        places = {words[words.index("--rules") + 1]: str(ROOT / "deploy/rules.yaml"),
                  words[words.index("--http") + 1]: "127.0.0.1:0"}
        server = subprocess.Popen([BINARY, *(places.get(word, word) for word in words[1:])], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True)
        try:
            self.assertRegex(server.stdout.readline(), r"^stint: ready on http://127\.0\.0\.1:\d+\n$")
        finally:
            server.terminate()
            server.communicate(timeout=60)
        self.assertEqual(server.returncode, 0)


if __name__ == "__main__":
    unittest.main()
