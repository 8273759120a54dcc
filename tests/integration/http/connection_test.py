"""Connections: how they are bounded, how they end, and what odd clients get."""

import concurrent.futures
import json
import re
import signal
import socket
import threading
import time
import unittest

from harness import Case, Server, raw_check, receive_all, until

RULES = "  - {name: submit, key: [team], limits: [{algorithm: fixed_window, limit: 3, per: 1h}]}\n"
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
HEALTH_LAST = b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"


def statuses(received):
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d\d\d) ", received)]


class Requests(Case):
    def test_bad_input_gets_an_error_and_changes_nothing(self):
        table = [
            ("/v1/check", b"", 400, "empty"),
            ("/v1/check", b"{", 400, "ends too early"),
            ("/v1/check", b"[]", 400, "JSON object"),
            ("/v1/check", b"\xff", 400, "not valid JSON"),
            ("/v1/check", b'{"attributes":{"team":42}}', 400, '"attributes"."team"'),
            ("/v1/check", b'{"attributes":{"team":"1"},"cost":1.5}', 400, '"cost"'),
            ("/v1/check", b'{"attributes":{"team":"1"},"cost":-1}', 400, '"cost"'),
            ("/v1/check", b'{"attributes":{"team":"1","team":"1"}}', 400, "twice"),
            ("/v1/check", b'{"attributes":{"team":"1"},"extra":1}', 400, "unknown field"),
            ("/v1/check", b'{"attributes":{"team":{"base64":"?"}}}', 400, "base64"),
            ("/v1/check", b'{"attributes":{"team":"1"},"rule":"submit","key":{"team":"1"}}', 400, "together"),
            ("/v1/check", b'{"rule":"submit","key":{}}', 400, "exactly"),
            ("/v1/check", b'{"rule":"submit","key":{"team":"1","x":"2"}}', 400, "exactly"),
            ("/v1/check", b'{"rule":"none","key":{}}', 404, "none"),
            ("/v1/check", b'{"attributes":{"team":"' + b"x" * 70_000 + b'"}}', 413, "65536"),
            ("/v1/check", json.dumps({"attributes": {str(n): "" for n in range(65)}}), 400, "64 at most"),
            ("/v1/check", b"[" * 60_000, 400, "JSON object"),
            ("/v1/check", b'{"attributes":' * 4_000, 400, "attributes"),
            ("/v1/release", b'{"lease":1}', 400, "lease"),
            ("/v1/reset", b'{"rule":"submit"}', 400, "exactly"),
            ("/nothing", b"", 404, "unknown path"),
        ]
        with Server(self.rules(RULES)) as server:
            for path, body, status, text in table:
                reply = server.request("POST", path, body)
                self.assertEqual(reply.status, status, (path, body[:80]))
                self.assertEqual(list(reply.json), ["error"])
                self.assertIn(text, reply.json["error"])
            for method, path, allow in (
                ("GET", "/v1/check", "POST"), ("PUT", "/v1/peek", "POST"), ("POST", "/healthz", "GET, HEAD"),
                ("DELETE", "/readyz", "GET, HEAD"),
            ):  # fmt: skip
                reply = server.request(method, path)
                self.assertEqual((reply.status, reply.fields["Allow"]), (405, allow))
            self.assertEqual(server.check({"team": "1"}).json["remaining"], 2)

    def test_a_date_comes_with_every_reply(self):
        with Server(self.rules(RULES)) as server:
            self.assertRegex(
                server.request("GET", "/healthz").fields["Date"],
                r"^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z][a-z] \d{4} \d\d:\d\d:\d\d GMT$",
            )

    def test_many_pipelined_requests_are_answered_in_order(self):
        with Server(self.rules(RULES)) as server, server.connect() as connection:
            requests = b"".join(raw_check({"team": str(number // 4)}) for number in range(4000)) + HEALTH_LAST
            sender = threading.Thread(target=connection.sendall, args=(requests,))
            sender.start()
            received = receive_all(connection)
            sender.join()
            self.assertEqual(statuses(received), [200, 200, 200, 429] * 1000 + [200])
            remaining = [int(left) for left in re.findall(rb'"limit":3,"remaining":(\d),"retry', received)]
            self.assertEqual(remaining, [2, 1, 0, 0] * 1000)

    def test_a_client_that_sends_byte_by_byte(self):
        with Server(self.rules(RULES)) as server, server.connect() as connection:
            for byte in raw_check({"team": "1"}) + HEALTH_LAST:
                connection.sendall(bytes([byte]))
            self.assertEqual(statuses(receive_all(connection)), [200, 200])

    def test_expect_100_continue(self):
        with Server(self.rules(RULES)) as server, server.connect() as connection:
            body = b'{"attributes":{"team":"1"}}'
            head = "POST /v1/check HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\n"
            connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode())
            self.assertEqual(connection.recv(100), b"HTTP/1.1 100 Continue\r\n\r\n")
            connection.sendall(body)
            self.assertEqual(statuses(receive_all(connection)), [200])

    def test_a_chunked_body(self):
        with Server(self.rules(RULES)) as server:
            chunks = (chunk for chunk in (b'{"attributes":', b'{"team"', b":", b'"1"}}'))
            reply = server.request("POST", "/v1/check", None)
            self.assertEqual(reply.status, 400)
            connection = server.http()
            coding = {"Transfer-Encoding": "chunked"}
            connection.request("POST", "/v1/check", chunks, encode_chunked=True, headers=coding)
            self.assertEqual(json.loads(connection.getresponse().read())["remaining"], 2)
            connection.close()

    def test_a_chunk_header_or_trailer_that_is_too_large_gets_431(self):
        head = b"POST /v1/check HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
        body = b"11;x=%b\r\n" b'{"attributes":{}}' b"\r\n0\r\nTrailer: %b\r\n\r\n"
        with Server(self.rules(RULES)) as server:
            for extension, trailer, status in ((8000, 8000, 200), (8200, 1, 431), (1, 8200, 431), (30_000, 1, 431)):
                request = head + body % (b"e" * extension, b"t" * trailer)
                for piece in (len(request), 1):
                    with server.connect() as connection:
                        try:
                            for begin in range(0, len(request), piece):
                                connection.sendall(request[begin : begin + piece])
                        except (BrokenPipeError, ConnectionResetError):
                            pass  # refused before the end; the reply is there
                        self.assertEqual(statuses(receive_all(connection)), [status], (extension, trailer, piece))

    def test_http_1_0_closes_and_connection_close_too(self):
        with Server(self.rules(RULES)) as server:
            for request in (b"GET /healthz HTTP/1.0\r\n\r\n", HEALTH_LAST):
                with server.connect() as connection:
                    connection.sendall(request)
                    self.assertEqual(statuses(receive_all(connection)), [200])

    def test_a_refused_upload_still_reads_its_reply(self):
        """The reply must not be lost to a reset because the client was still sending."""
        with Server(self.rules(RULES)) as server, server.connect() as connection:
            connection.sendall(b"POST /v1/check HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n")
            for _ in range(30):
                connection.sendall(b"x" * 10_000)
            received = receive_all(connection)
            self.assertEqual(statuses(received), [413])

    def test_not_http_at_all(self):
        with Server(self.rules(RULES)) as server:
            for bytes_sent in (b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03", b"\0" * 5000, b"*1\r\n$4\r\nPING\r\n"):
                with server.connect() as connection:
                    connection.sendall(bytes_sent)
                    self.assertEqual(statuses(receive_all(connection))[:1], [400], bytes_sent[:20])
            with server.connect() as connection:
                connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\nX: " + b"y" * 9000)
                self.assertEqual(statuses(receive_all(connection)), [431])


class Bounds(Case):
    def test_a_slow_request_gets_408_and_an_idle_connection_is_closed(self):
        with Server(self.rules(RULES), "--request-timeout", "1s", "--idle-timeout", "2s") as server:
            idle, slow, kept = server.connect(), server.connect(), server.connect()
            began = time.monotonic()
            slow.sendall(b"POST /v1/check HTTP/1.1\r\nHost: a\r\nX: ")
            dripping = threading.Event()

            def drip():
                while not dripping.wait(0.1):
                    try:
                        slow.sendall(b"y")
                    except OSError:
                        return

            dripper = threading.Thread(target=drip)
            dripper.start()
            try:
                slow.settimeout(15)
                first = slow.recv(4096)
            finally:
                dripping.set()
                dripper.join()
            self.assertEqual(statuses(first), [408])
            self.assertGreaterEqual(time.monotonic() - began, 1)
            # A connection that is used stays; one that is not is closed without a word.
            kept.sendall(HEALTH)
            self.assertEqual(statuses(kept.recv(4096)), [200])
            self.assertEqual(receive_all(idle), b"")
            self.assertGreaterEqual(time.monotonic() - began, 2)
            for connection in (idle, slow, kept):
                connection.close()

    def test_a_client_that_never_reads_is_cut(self):
        with Server(self.rules(RULES), "--request-timeout", "1s") as server, server.connect() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.settimeout(1)
            requests = raw_check({"team": "1"}) * 1000
            try:
                until(lambda: connection.sendall(requests), "the server to stop reading")
            except OSError:
                pass
            with server.connect() as other:
                other.sendall(HEALTH_LAST)
                self.assertEqual(statuses(receive_all(other)), [200])
            connection.settimeout(20)

            def cut():
                try:
                    connection.send(b"x")
                    return False
                except (BrokenPipeError, ConnectionResetError):
                    return True
                except TimeoutError:
                    return False

            until(cut, "the server to close the connection")

    def test_one_connection_too_many_gets_503(self):
        with Server(self.rules(RULES), "--max-connections", "5", "--threads", "2") as server:
            connections = [server.connect() for _ in range(5)]
            for connection in connections:
                connection.sendall(HEALTH)
                self.assertEqual(statuses(connection.recv(4096)), [200])
            with server.connect() as refused:
                self.assertEqual(statuses(receive_all(refused)), [503])
            connections.pop().close()

            def served():
                with server.connect() as another:
                    try:
                        another.sendall(HEALTH_LAST)
                    except OSError:
                        return False
                    return statuses(receive_all(another)) == [200]

            until(served, "a place to become free")
            for connection in connections:
                connection.close()

    def test_500_connections_at_once(self):
        with Server(self.rules(RULES), "--threads", "2") as server:
            connections = [server.connect() for _ in range(500)]
            for connection in connections:
                connection.sendall(raw_check({"team": "1"}))
            replies = [statuses(connection.recv(65536)) for connection in connections]
            self.assertEqual(sorted(replies), [[200]] * 3 + [[429]] * 497)
            for connection in connections:
                connection.close()


class Drain(Case):
    def test_idle_connections_end_and_the_exit_code_is_0(self):
        with Server(self.rules(RULES)) as server:
            connections = [server.connect() for _ in range(10)]
            for connection in connections[:5]:
                connection.sendall(HEALTH)
                connection.recv(4096)
            server.signal(signal.SIGTERM)
            self.assertEqual(server.wait(9), 0)
            for connection in connections:
                self.assertEqual(receive_all(connection), b"")
                connection.close()

    def test_what_is_under_way_is_finished(self):
        with Server(self.rules(RULES)) as server, server.connect() as connection, server.connect() as probe:
            request = raw_check({"team": "1"})
            connection.sendall(request[:-5])
            probe.sendall(b"GET /readyz HTTP/1.1\r\nHo")
            until(lambda: server.request("GET", "/readyz").status == 200, "the server to have read both")
            time.sleep(0.2)
            server.signal(signal.SIGINT)
            until(lambda: server.logged("draining"), "the drain")

            def closed():
                late = server.connect_unless_closed()
                if late:
                    late.close()
                return not late

            until(closed, "the port to close")
            probe.sendall(b"st: a\r\n\r\n")
            received = receive_all(probe)
            self.assertEqual(statuses(received), [503])
            self.assertIn(b"Connection: close\r\n", received)
            connection.sendall(request[-5:])
            received = receive_all(connection)
            self.assertEqual(statuses(received), [200])
            self.assertIn(b"Connection: close\r\n", received)
            connection.close()
            probe.close()
            self.assertEqual(server.wait(9), 0)

    def test_the_drain_ends_in_time(self):
        for arguments, signals in ((["--drain-timeout", "1s"], 1), ([], 2)):
            with Server(self.rules(RULES), *arguments) as server, server.connect() as connection:
                connection.sendall(b"POST /v1/check HTTP/1.1\r\n")
                self.assertEqual(server.request("GET", "/healthz").status, 200)
                time.sleep(0.2)
                began = time.monotonic()
                for _ in range(signals):
                    server.signal(signal.SIGTERM)
                    until(lambda: server.logged("draining"), "the drain")
                self.assertEqual(server.wait(8), 0)
                self.assertLess(time.monotonic() - began, 8)
                self.assertEqual(server.logged("cutting 1 connection that has not ended"), 1, server.log)

    def test_no_request_is_lost_or_left_without_a_reply(self):
        """Clients that ask until the port closes: each request written gets its reply, or a clean end before it."""
        with Server(self.rules(RULES), "--threads", "2") as server:

            def ask(number):
                answered = 0
                while True:
                    connection = server.connect_unless_closed()
                    if not connection:
                        return answered
                    with connection:
                        try:
                            connection.sendall(raw_check({"team": str(number)})[:-1])
                            connection.sendall(b"}")
                            received = connection.recv(65536)
                        except (ConnectionResetError, BrokenPipeError):  # one event, seen by recv or by sendall
                            return answered
                        if not received:
                            return answered
                        answered += 1

            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                futures = [pool.submit(ask, number) for number in range(8)]
                until(lambda: server.check({"team": "x"}).status, "the server")
                time.sleep(0.3)
                self.assertEqual(server.stop(), 0)
                self.assertGreater(min(future.result() for future in futures), 0)


if __name__ == "__main__":
    unittest.main()
