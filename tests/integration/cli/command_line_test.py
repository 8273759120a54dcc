"""What the program says of its commands, of words that are none, and when it cannot say it."""

import os
import pathlib
import subprocess
import unittest

BINARY = os.environ["STINT_BINARY"]
RULES = pathlib.Path(__file__).parents[3] / "examples" / "rules.yaml"
LOG = pathlib.Path(__file__).parents[2] / "data" / "logs" / "site-week-bruteforce.log"


def stint(*arguments):
    done = subprocess.run([BINARY, *arguments], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


class Commands(unittest.TestCase):
    def test_help_is_what_the_option_says(self):
        for command in ("serve", "check", "replay", "lint", "selftest", "inspect", "reset", "completions",
                        "help"):
            with self.subTest(command):
                code, out, err = stint("help", command)
                self.assertEqual((code, err), (0, ""))
                self.assertIn(f"Usage: stint {command} ", out)
                self.assertIn("Examples:", out)
                for example in out.split("Examples:\n")[1].splitlines():
                    self.assertIn(f"stint {command}", example)
                self.assertEqual(out, stint(command, "--help")[1])
        self.assertEqual(stint("help"), stint("--help"))
        self.assertEqual(stint("help")[0], 0)

    def test_an_unknown_command_is_named(self):
        for arguments in (["serv"], ["serv", "--rules", "x"], ["help", "serv"]):
            with self.subTest(arguments):
                code, out, err = stint(*arguments)
                self.assertEqual((code, out), (2, ""))
                self.assertTrue(err.startswith("stint: unknown command 'serv'; did you mean 'serve'?\n"), err)
        code, out, err = stint("frobnicate")
        self.assertEqual((code, out), (2, ""))
        known = "serve, check, replay, lint, selftest, inspect, reset, scripts, completions, help"
        self.assertIn(f"'frobnicate'; known: {known}\n", err)

    def test_without_a_command_all_are_shown(self):
        code, out, err = stint()
        self.assertEqual((code, out), (2, ""))
        self.assertIn("a command is missing", err)
        self.assertIn("selftest", err)

    def test_an_unknown_option_is_named(self):
        code, out, err = stint("--bogus")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("--bogus", err)

    def test_a_file_without_a_name_is_not_the_default(self):
        self.assertEqual(stint("selftest", "--vectors", ""),
                         (2, "", "selftest: --vectors: the name of a file is expected\n"))

    def test_what_cannot_be_printed_is_an_error(self):
        for arguments in (["check", "--rules", RULES, "a=b"], ["check", "--json", "--rules", RULES], ["lint", RULES],
                          ["selftest"], ["help"], ["help", "serve"], ["completions", "bash"], ["man"],
                          ["replay", "--rules", RULES, LOG]):
            with self.subTest(arguments), open("/dev/full", "w") as full:
                done = subprocess.run([BINARY, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, r"stint: .* cannot be written\n\Z")


if __name__ == "__main__":
    unittest.main()
