"""The Debian packages in a folder: deb_test.py FOLDER. They are unpacked, not installed."""

import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
CMAKE = (ROOT / "CMakeLists.txt").read_text()
VERSION = re.search(r"project\(stint VERSION (\S+)", CMAKE)[1]
ABI = re.search(r"set\(STINT_ABI (\d+)\)", CMAKE)[1]
FOLDER = pathlib.Path(sys.argv.pop())


def output(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, **options).stdout


ARCHITECTURE = output("dpkg", "--print-architecture").strip()
MULTIARCH = output("dpkg-architecture", "-qDEB_HOST_MULTIARCH").strip()


def file_of(package):
    return FOLDER / f"{package}_{VERSION}_{ARCHITECTURE}.deb"


def fields(package):
    text = output("dpkg-deb", "--field", file_of(package))
    return dict(re.findall(r"^(\S+): (.*(?:\n .*)*)", text, re.M))


def depends(package):
    return {name.split(" ")[0] for name in fields(package)["Depends"].split(", ")}


def contents(package):
    """The files of a package: path to mode and owner."""
    rows = [row.split() for row in output("dpkg-deb", "--contents", file_of(package)).splitlines()]
    return {row[5].removeprefix("./"): f"{row[0]} {row[1]}" for row in rows if not row[0].startswith("d")}


class Packages(unittest.TestCase):
    def test_there_are_three(self):
        self.assertEqual({file.name for file in FOLDER.glob("*.deb")},
                         {file_of(package).name for package in (f"libstint{ABI}", "libstint-dev", "stint")})

    def test_fields(self):
        for package, section in ((f"libstint{ABI}", "libs"), ("libstint-dev", "libdevel"), ("stint", "net")):
            with self.subTest(package):
                found = fields(package)
                self.assertEqual((found["Package"], found["Version"], found["Section"]), (package, VERSION, section))
                self.assertRegex(found["Description"], r"^exact rate limiter.*\n stint decides, .*\n This package ")

    def test_depends_on_what_it_links(self):
        self.assertEqual(fields("libstint-dev")["Depends"], f"libstint{ABI} (= {VERSION})")
        self.assertLessEqual({"libc6", "libstdc++6", "libssl3", "libyaml-cpp0.7", "libfmt9"}, depends(f"libstint{ABI}"))
        self.assertLessEqual({"libc6", "libssl3", "zlib1g", "tzdata", "systemd-standalone-sysusers"}, depends("stint"))
        # The program has the library inside.
        self.assertNotIn(f"libstint{ABI}", depends("stint"))
        shlibs = output("dpkg-deb", "--info", file_of(f"libstint{ABI}"), "shlibs").split("\n")
        self.assertEqual(shlibs[:2], [f"libstint {ABI} libstint{ABI} (>= {VERSION})",
                                      f"libstint_redis {ABI} libstint{ABI} (>= {VERSION})"])

    def test_contents(self):
        libraries = f"usr/lib/{MULTIARCH}"
        self.assertEqual(set(contents(f"libstint{ABI}")), {
            f"{libraries}/libstint.so.{ABI}", f"{libraries}/libstint.so.{VERSION}",
            f"{libraries}/libstint_redis.so.{ABI}", f"{libraries}/libstint_redis.so.{VERSION}",
            f"usr/share/doc/libstint{ABI}/copyright"})
        self.assertLessEqual({
            f"{libraries}/libstint.so", f"{libraries}/libstint_redis.so", f"{libraries}/pkgconfig/stint.pc",
            f"{libraries}/cmake/stint/stintConfig.cmake", "usr/include/stint/stint.hpp",
            "usr/include/stint/redis_store.hpp"}, set(contents("libstint-dev")))
        program = contents("stint")
        self.assertEqual(set(program), {
            "etc/stint/rules.yaml", "usr/bin/stint", "usr/lib/systemd/system/stint.service",
            "usr/lib/sysusers.d/stint.conf", "usr/share/bash-completion/completions/stint",
            "usr/share/doc/stint/copyright", "usr/share/fish/vendor_completions.d/stint.fish",
            "usr/share/man/man1/stint.1.gz", "usr/share/zsh/vendor-completions/_stint"})
        self.assertEqual(program.pop("usr/bin/stint"), "-rwxr-xr-x root/root")
        self.assertEqual(set(program.values()), {"-rw-r--r-- root/root"})
        self.assertEqual(output("dpkg-deb", "--info", file_of("stint"), "conffiles"), "/etc/stint/rules.yaml\n")
        with tempfile.TemporaryDirectory() as folder:
            output("dpkg-deb", "--control", file_of("stint"), folder)
            for script in ("postinst", "prerm", "postrm"):
                self.assertEqual(pathlib.Path(folder, script).stat().st_mode & 0o777, 0o755)


class Unpacked(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.root)
        for package in (f"libstint{ABI}", "libstint-dev", "stint"):
            output("dpkg-deb", "--extract", file_of(package), cls.root)
        cls.program = cls.root / "usr/bin/stint"
        cls.unit = (cls.root / "usr/lib/systemd/system/stint.service").read_text()

    def test_the_program_runs(self):
        self.assertEqual(output(self.program, "--version"), f"stint {VERSION}\n")
        rules = self.root / "etc/stint/rules.yaml"
        self.assertEqual(output(self.program, "lint", "--strict", rules), f"{rules}: 1 rule, 0 warnings\n")
        said = output(self.program, "check", "--rules", rules, "action=submit", "team=42")
        self.assertTrue(said.startswith("allowed\n  submit: "), said)

    def test_the_libraries_find_each_other(self):
        libraries = self.root / "usr/lib" / MULTIARCH
        linked = output("ldd", libraries / f"libstint_redis.so.{ABI}", env={"LD_LIBRARY_PATH": str(libraries)})
        self.assertIn(f"libstint.so.{ABI} => {libraries}/", linked)
        self.assertNotIn("not found", linked)
        # Debian's libraries name no folder of their own.
        self.assertNotIn("PATH", output("readelf", "--dynamic", libraries / f"libstint_redis.so.{ABI}"))

    def test_the_unit_starts_what_is_there(self):
        words = re.search(r"^ExecStart=(.*)$", self.unit, re.M)[1].split()
        self.assertEqual(words[:2], ["/usr/bin/stint", "serve"])
        self.assertIn("Environment=STINT_HTTP=127.0.0.1:8080\n", self.unit)
        rules = words[words.index("--rules") + 1].removeprefix("/")
        places = {"${STINT_HTTP}": "127.0.0.1:0", f"/{rules}": str(self.root / rules)}
        arguments = [places.get(word, word) for word in words[1:] if word != "$STINT_OPTIONS"]
        server = subprocess.Popen([self.program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            self.assertRegex(server.stdout.readline(), r"^stint: ready on http://127\.0\.0\.1:\d+\n$")
            server.send_signal(signal.SIGHUP)  # what ExecReload sends; it would end a program that does not take it
            server.send_signal(signal.SIGTERM)
            _, log = server.communicate(timeout=60)
            self.assertEqual(server.returncode, 0)
            self.assertIn("drained", log)
        finally:
            server.kill()
            server.wait()

    def test_systemd_understands_the_unit(self):
        with tempfile.TemporaryDirectory() as folder:
            unit = pathlib.Path(folder, "stint.service")
            unit.write_text(self.unit.replace("/usr/bin/stint", str(self.program)))
            done = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True,
                                  timeout=60)
            said = [line for line in done.stderr.splitlines() if "stint" in line]
            self.assertEqual((said, done.returncode), ([], 0))
            # In tenths: 2.0, where 10.0 is a service that may do everything.
            subprocess.run(["systemd-analyze", "security", "--offline=yes", "--threshold=20", unit], check=True,
                           capture_output=True, timeout=60)

    def test_the_user_is_made(self):
        output("systemd-sysusers", f"--root={self.root}", "stint.conf")
        self.assertRegex((self.root / "etc/passwd").read_text(), r"^stint:x:\d{3}:\d{3}:.*:/usr/sbin/nologin\n$")


if __name__ == "__main__":
    unittest.main()
