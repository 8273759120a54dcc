"""What shells complete and what the manual page says is what --help says. In real shells, with the real program."""

import os
import pathlib
import pty
import re
import select
import subprocess
import tempfile
import time
import unittest

BINARY = os.environ["STINT_BINARY"]


def output(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, **options).stdout


def stint(*arguments):
    return output(BINARY, *arguments)


def commands(*words):
    """The commands below these words, by --help."""
    listed = re.search(r"^Subcommands:\n((?:  .*\n)+)", stint(*words, "--help"), re.M)
    return re.findall(r"^  (\S+)", listed[1], re.M) if listed else []


def all_commands(words=()):
    """The words of every command, the program's own (none) first."""
    return [words] + [found for name in commands(*words) for found in all_commands((*words, name))]


def options(*words):
    """The options of a command, by --help."""
    text = stint(*words, "--help")
    return {name for line in re.findall(r"^  (-\S+)", text, re.M) for name in line.split(",")}


class Bash(unittest.TestCase):
    def offered(self, *words, folder="."):
        script = ('source <("$0" completions bash); COMP_WORDS=(stint "$@"); COMP_CWORD=$#; _stint; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        return set(output("bash", "--norc", "-c", script, BINARY, *words, cwd=folder).split())

    def test_all_commands_and_options(self):
        self.assertGreater(len(all_commands()), 10)
        for words in all_commands():
            with self.subTest(words):
                self.assertEqual(self.offered(*words, "-"), options(*words))
                if commands(*words):
                    self.assertEqual(self.offered(*words, ""), options(*words) | set(commands(*words)))

    def test_words_begin_as_typed(self):
        self.assertEqual(self.offered("re"), {"replay", "reset"})
        self.assertEqual(self.offered("scripts", "lo"), {"load"})
        self.assertEqual(self.offered("help", "sc"), {"scripts"})

    def test_what_an_option_takes(self):
        self.assertEqual(self.offered("replay", "--format", ""), {"auto", "combined", "common", "json"})
        self.assertEqual(self.offered("replay", "--format", "=", "co"), {"combined", "common"})
        self.assertEqual(self.offered("replay", "--format", "="), {"auto", "combined", "common", "json"})
        self.assertEqual(self.offered("completions", "z"), {"zsh"})
        self.assertEqual(self.offered("serve", "--http", ""), set())

    def test_files_where_files_are_taken(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "rules.yaml").touch()
            for words in [("serve", "--rules"), ("serve", "--rules", "="), ("lint",), ("replay",)]:
                with self.subTest(words):
                    self.assertEqual(self.offered(*words, "ru", folder=folder), {"rules.yaml"})
            self.assertEqual(self.offered("check", "ru", folder=folder), set())


class Fish(unittest.TestCase):
    def offered(self, line, folder="."):
        script = f"'{BINARY}' completions fish | source; complete -C '{line}'"
        with tempfile.TemporaryDirectory() as home:
            # Completions are only asked for a command that exists.
            os.symlink(BINARY, os.path.join(home, "stint"))
            environment = {**os.environ, "HOME": home, "PATH": f"{home}:{os.environ['PATH']}"}
            lines = output("fish", "--no-config", "-c", script, cwd=folder, env=environment).splitlines()
        return {found.split("\t")[0] for found in lines}

    def test_all_commands_and_options(self):
        for words in all_commands():
            line = " ".join(("stint", *words))
            with self.subTest(line):
                self.assertEqual(self.offered(line + " -"), options(*words))
                if commands(*words):
                    self.assertEqual(self.offered(line + " "), set(commands(*words)))

    def test_what_an_option_takes(self):
        self.assertEqual(self.offered("stint replay --format "), {"auto", "combined", "common", "json"})
        self.assertEqual(self.offered("stint serve --http "), set())
        self.assertEqual(self.offered("stint help sc"), {"scripts"})

    def test_files_where_files_are_taken(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "rules.yaml").touch()
            self.assertEqual(self.offered("stint serve --rules ru", folder), {"rules.yaml"})
            self.assertEqual(self.offered("stint lint ru", folder), {"rules.yaml"})
            self.assertEqual(self.offered("stint check ru", folder), set())


class Zsh(unittest.TestCase):
    """Types into an interactive shell, and reads the line that it has made of it."""

    def completed(self, *lines):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "rules.yaml").touch()
            pathlib.Path(folder, "_stint").write_text(stint("completions", "zsh"))
            child, terminal = pty.fork()
            if child == 0:
                os.chdir(folder)
                os.execvpe("zsh", ["zsh", "-f", "-i"], {**os.environ, "HOME": folder, "TERM": "dumb"})
            try:
                return self.type(terminal, pathlib.Path(folder, "lines"), lines)
            finally:
                os.close(terminal)
                os.waitpid(child, 0)

    def type(self, terminal, file, lines):
        os.write(terminal, b"fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D; unsetopt beep\n"
                           b"keep() { print -r -- $BUFFER >>lines; BUFFER= }; zle -N keep; bindkey '^X' keep\n")
        deadline = time.monotonic() + 60
        for count, line in enumerate(lines, 1):
            os.write(terminal, line.encode() + b"\t\x18")
            while not file.exists() or file.read_text().count("\n") < count:
                self.assertLess(time.monotonic(), deadline, "zsh does not answer")
                if select.select([terminal], [], [], 0.05)[0]:
                    os.read(terminal, 65536)
        return file.read_text().splitlines()

    def test_in_every_place(self):
        typed = {"stint repl": "stint replay ", "stint scripts lo": "stint scripts load ",
                 "stint serve --inst": "stint serve --instances=",
                 "stint scripts load --st": "stint scripts load --store=",
                 "stint replay --format=comb": "stint replay --format=combined ", "stint help inst": "stint help inst",
                 "stint help insp": "stint help inspect ", "stint completions f": "stint completions fish ",
                 "stint serve --rules=ru": "stint serve --rules=rules.yaml ", "stint lint ru": "stint lint rules.yaml ",
                 "stint replay --rules rules.yaml ru": "stint replay --rules rules.yaml rules.yaml "}
        self.assertEqual(self.completed(*typed), list(typed.values()))


class ManPage(unittest.TestCase):
    def page(self, *arguments):
        return subprocess.run(["groff", "-man", "-ww", *arguments], input=stint("man"), capture_output=True, text=True,
                              timeout=60, check=True, env={**os.environ, "GROFF_NO_SGR": "1"})

    def test_groff_has_no_warnings(self):
        self.assertEqual(self.page("-z", "-Tutf8").stderr, "")

    def test_all_commands_and_options(self):
        text = re.sub(r".\x08", "", self.page("-Tascii", "-rLL=400n").stdout)
        parts = {part.split("\n")[0]: part for part in re.split(r"\n   (?=stint )", text)}
        self.assertEqual([f"stint {' '.join(words)}" for words in all_commands() if words], list(parts)[1:])
        for words in all_commands():
            part = parts[f"stint {' '.join(words)}"] if words else text.split("COMMANDS")[0]
            with self.subTest(words):
                heads = {name for line in re.findall(r"^       (-.*)$", part, re.M)
                         for name in re.findall(r"-[-\w]+", line)}
                self.assertEqual(heads, options(*words))
                for said in re.findall(r"^  -\S+(?: \S+)* {2,}(\S.*)$", stint(*words, "--help"), re.M):
                    self.assertIn(said, part)


if __name__ == "__main__":
    unittest.main()
