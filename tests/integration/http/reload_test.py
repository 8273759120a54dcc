"""New rules while the server runs: by SIGHUP, by a changed file, by Kubernetes' links."""

import os
import pathlib
import signal
import threading
import time
import unittest

from harness import Case, Server, until


def hourly(limit, per="1h", algorithm="fixed_window", name="calls"):
    return f"  - {{name: {name}, key: [k], limits: [{{algorithm: {algorithm}, limit: {limit}, per: {per}}}]}}\n"


class Counters(Case):
    def drive(self, server, times):
        return [server.check({"k": "1"}) for _ in range(times)]

    def test_reload_keeps_what_was_counted(self):
        rules = self.rules(hourly(10))
        with Server(rules) as server:
            self.assertEqual(self.drive(server, 8)[-1].json["remaining"], 2)
            server.reload()
            self.assertEqual(self.drive(server, 1)[0].json["remaining"], 1)
            self.rules(hourly(20))
            server.reload()
            self.assertEqual(self.drive(server, 1)[0].json["remaining"], 10)
            self.rules(hourly(5))
            server.reload()
            denied = self.drive(server, 1)[0]
            self.assertEqual((denied.status, denied.json["remaining"]), (429, 0))
            self.assertIn(denied.json["retry_after_ms"], range(3_500_000, 3_600_001))
            self.rules(hourly(12))
            server.reload()
            self.assertEqual([reply.status for reply in self.drive(server, 3)], [200, 200, 429])

    def test_refused_requests_do_not_count_against_a_raised_limit(self):
        self.rules(hourly(10))
        with Server(self.folder / "rules.yaml") as server:
            self.drive(server, 60)
            self.rules(hourly(20))
            server.reload()
            self.assertEqual([reply.status for reply in self.drive(server, 11)], [200] * 10 + [429])

    def test_another_kind_of_limit_starts_afresh_and_the_old_one_is_still_known(self):
        self.rules(hourly(10))
        with Server(self.folder / "rules.yaml") as server:
            self.drive(server, 8)
            self.rules(hourly(10, per="1m"))
            server.reload()
            self.assertEqual(self.drive(server, 1)[0].json["remaining"], 9)
            self.rules(hourly(10, name="other"))
            server.reload()
            self.assertEqual(self.drive(server, 1)[0].json["remaining"], 9)
            self.rules(hourly(10))
            server.reload()
            self.assertEqual(self.drive(server, 1)[0].json["remaining"], 1)

    def test_20_reloads_with_the_order_of_rules_swapped(self):
        orders = [hourly(30, name="a") + hourly(40, name="b"), hourly(40, name="b") + hourly(30, name="a")]
        self.rules(orders[0])
        with Server(self.folder / "rules.yaml") as server:
            allowed = 0
            for number in range(20):
                allowed += sum(reply.status == 200 for reply in self.drive(server, 2))
                self.rules(orders[number % 2])
                server.reload()
            self.assertEqual(allowed, 30)


class Signals(Case):
    def test_sighup_while_the_first_rules_are_being_read(self):
        rules = self.rules("".join(hourly(10, name=f"r{number}") for number in range(3_000)))
        server = Server(rules)

        def bytes_read():
            io = pathlib.Path(f"/proc/{server.process.pid}/io").read_text()
            return int(io.split("rchar: ")[1].split()[0])

        def hang_up():
            until(lambda: hasattr(server, "process") and bytes_read() > rules.stat().st_size, "the rules to be read")
            server.signal(signal.SIGHUP)

        thread = threading.Thread(target=hang_up)
        thread.start()
        with server:
            thread.join()
            until(lambda: server.logged("rules reloaded: 3000 from"), "the reload")


class Changes(Case):
    def test_a_changed_file_is_in_force_within_two_seconds(self):
        rules = self.rules(hourly(10))
        with Server(rules) as server:
            self.assertEqual(server.check({"k": "1"}).json["limit"], 10)
            changed = time.monotonic()
            rules.write_text(rules.read_text().replace("10", "20"))
            until(lambda: server.check({"k": "2"}, cost=0).json["limit"] == 20, "the new limit")
            self.assertLess(time.monotonic() - changed, 2)
            self.assertEqual(server.check({"k": "1"}).json["remaining"], 18)

    def test_a_file_that_is_replaced_by_rename(self):
        rules = self.rules(hourly(10))
        with Server(rules) as server:
            os.replace(self.rules(hourly(20), "new"), rules)
            until(lambda: server.check({"k": "2"}, cost=0).json["limit"] == 20, "the new limit")

    def test_kubernetes_swaps_a_link(self):
        """A ConfigMap volume: names that link into ..data, which links to the version."""
        volume = self.folder / "volume"
        for version, limits in (("..v1", (10, 7)), ("..v2", (20, 7)), ("..v3", (20,))):
            (volume / version).mkdir(parents=True)
            for number, limit in enumerate(limits):
                self.rules(hourly(limit, name=f"r{number}"), volume / version / f"r{number}.yaml")
        os.symlink("..v1", volume / "..data")
        for number in range(2):
            os.symlink(f"..data/r{number}.yaml", volume / f"r{number}.yaml")

        def swap(version):
            os.symlink(version, volume / "..data_tmp")
            os.rename(volume / "..data_tmp", volume / "..data")

        def limits():
            return [limit["limit"] for limit in server.check({"k": "1"}, cost=0).json["limits"]]

        with Server(volume) as server:
            self.assertEqual(limits(), [10, 7])
            swapped = time.monotonic()
            swap("..v2")
            until(lambda: limits() == [20, 7], "the swap")
            self.assertLess(time.monotonic() - swapped, 2)
            os.unlink(volume / "r1.yaml")
            swap("..v3")
            until(lambda: limits() == [20], "the deleted file's rules to go")
            self.assertEqual(server.logged("old ones stay"), 0)

    def test_bad_rules_are_refused_whole_and_said_once(self):
        rules = self.rules(hourly(10))
        with Server(rules) as server:
            good = rules.read_text()
            rules.write_text(good.replace("limit: 10", "limit: ten").replace("key", "keys"))
            until(lambda: server.logged("old ones stay") == 1, "the complaint")
            self.assertEqual(server.logged("rules.yaml:3:"), 2, server.log)
            self.assertEqual(server.check({"k": "1"}).json["limit"], 10)
            rules.write_text("{broken")
            until(lambda: server.logged("old ones stay") == 2, "the second complaint")
            rules.unlink()
            until(lambda: server.logged("old ones stay") == 3, "the complaint about a missing file")
            self.assertEqual(server.check({"k": "1"}).json["remaining"], 8)
            rules.write_text(good.replace("10", "11"))
            until(lambda: server.logged("rules reloaded") == 1, "good rules again")
            self.assertEqual(server.check({"k": "1"}).json["remaining"], 8)
            self.assertEqual(server.logged("old ones stay"), 3)

    def test_sighup_with_bad_rules_keeps_serving(self):
        rules = self.rules(hourly(10))
        with Server(rules) as server:
            rules.write_text("version: 2\n")
            server.signal(signal.SIGHUP)
            until(lambda: server.logged("old ones stay"), "the complaint")
            self.assertEqual(server.check({"k": "1"}).status, 200)
            self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    unittest.main()
