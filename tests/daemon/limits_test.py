"""No client can keep others from being answered."""

import contextlib
import datetime
import hashlib
import json
import os
import random
import re
import socket
import subprocess
import tempfile
import time
import unittest

from daemon import POSTGRES, Daemon, eventually, read_all, fresh_store

CONFIG = """
[http]
connections = 40
idle_time = "2s"
request_time = "3s"
streams = 3
"""


asks_no_store = unittest.skipIf(POSTGRES, "it asks no store")


class LimitsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.daemon = Daemon(fresh_store(self.folder.name), config=CONFIG).wait_for_port()

    def tearDown(self):
        self.assertIsNone(self.daemon.process.poll(), "it still runs: " + "".join(self.daemon.lines))
        self.daemon.kill()
        self.folder.cleanup()

    def head(self, method="PUT", path="/v1/schedules/a", more=""):
        return (f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: *\r\n"
                f"Content-Type: application/json\r\n{more}").encode()

    def status(self, data):
        answer = self.daemon.raw(data)
        return int(answer.split(b" ", 2)[1]) if answer else None

    @asks_no_store
    def test_clients_that_stall_are_sent_away_and_keep_nobody_waiting(self):
        begun = [b"", b"GET /hea", self.head(more="Content-Length: 100\r\n\r\n{"),
                 self.head(more="Transfer-Encoding: chunked\r\n\r\n5\r\nab")]

        def nobody_waits():
            stalled = []
            for i in range(36):
                connection = self.daemon.connect()
                connection.sendall(begun[i % len(begun)])
                stalled.append(connection)
            began = time.monotonic()
            self.assertEqual(self.daemon.get("/healthz").status, 200)
            quick = time.monotonic() - began < 1
            for connection in stalled:
                connection.settimeout(10)
                self.assertEqual(read_all(connection), b"", "they are closed, within idle_time + request_time")
                connection.close()
            return quick and time.monotonic() - began < 5

        # This machine may stand still once.
        self.assertTrue(any(nobody_waits() for _ in range(3)))

    def test_readers_that_do_not_read_keep_nobody_waiting(self):
        for i in range(40):
            self.daemon.create(f"big-{i}", {"every": "1h", "description": "x" * 1000})
        stuck = []
        for _ in range(8):
            connection = socket.socket()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            connection.connect(("127.0.0.1", self.daemon.port))
            connection.sendall(self.head("GET", "/v1/schedules", "\r\n") * 20)
            stuck.append(connection)
        time.sleep(0.3)
        for path in ("/healthz", "/v1/schedules?limit=1"):
            def seconds_taken():
                began = time.monotonic()
                # Less time for all than these may be stuck: 20 s.
                self.assertEqual(self.daemon.ask("GET", path, timeout=6).status, 200)
                return time.monotonic() - began

            self.assertTrue(any(seconds_taken() < 2 for _ in range(3)), path)  # this machine may stand still once
        for connection in stuck:
            connection.close()

    def test_large_pages_that_nobody_reads_are_bounded_together(self):
        self.daemon.create("big", {"every": "1h", "data": "x" * 60_000, "topic": "big"})
        runs = {"from": "2026-01-01T00:00:00Z", "to": "2026-01-05T00:00:00Z"}
        self.assertEqual(self.daemon.ask("POST", "/v1/schedules/big/backfill", runs).status, 202)
        page = "/v1/events?topic=big&limit=1000"
        self.assertGreater(len(self.daemon.get(page).body), 3_900_000)
        stuck = []
        for _ in range(36):
            connection = socket.socket()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            connection.connect(("127.0.0.1", self.daemon.port))
            connection.sendall(self.head("GET", page, "\r\n"))
            stuck.append(connection)

        def answered(status):
            lines = self.daemon.get("/metrics").body.decode().splitlines()
            return sum(int(line.split()[-1]) for line in lines if line.startswith("tenure_http_requests_total{")
                       and 'route="/v1/events"' in line and f'status="{status}"' in line)

        eventually(lambda: answered(200) + answered(503) == 37)
        self.assertLessEqual((answered(200) - 1) * 3.9, 64)
        self.assertEqual(self.daemon.get("/v1/schedules").status, 200)
        for connection in stuck:
            connection.close()
        eventually(lambda: self.daemon.get(page).status == 200)

    @asks_no_store
    def test_too_many_are_told_so(self):
        def one_more_is_told():
            held = [self.daemon.connect() for _ in range(40)]  # anew: they are idle, and sent away
            try:
                return self.daemon.get("/healthz").status == 503
            finally:
                for connection in held:
                    connection.close()

        eventually(one_more_is_told)
        eventually(lambda: self.daemon.get("/healthz").status == 200)

    def test_what_is_too_large_is_refused(self):
        self.assertEqual(self.status(self.head(more="X: " + "x" * 20000 + "\r\n\r\n")), 431)
        self.assertEqual(self.status(b"GET /" + b"x" * 20000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"), 431)
        self.assertEqual(self.status(self.head(more="Content-Length: 1048577\r\n\r\n")), 413)
        chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
        self.assertEqual(self.status(self.head(more="Transfer-Encoding: chunked\r\n\r\n") + chunk * 17), 413)
        fits = b'{"every":"1h","data":"' + b"x" * 60000 + b'"}'
        self.assertEqual(self.status(self.head(more="Transfer-Encoding: chunked\r\n\r\n") + b"%x\r\n" % len(fits) +
                                     fits + b"\r\n0\r\n\r\n"), 201)
        deep = b'{"every":"1h","data":' + b"[" * 100000 + b"]" * 100000 + b"}"
        self.assertEqual(self.daemon.ask("PUT", "/v1/schedules/deep", deep, {"If-None-Match": "*"}).status, 400)

    def test_requests_that_are_sent_ahead_are_answered_in_order(self):
        requests = b""
        for i in range(20):
            body = json.dumps({"every": "1h", "description": str(i)}).encode()
            requests += self.head(path=f"/v1/schedules/ahead-{i}", more=f"Content-Length: {len(body)}\r\n\r\n") + body
            requests += b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        requests += b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        answers = self.daemon.raw(requests)
        parts = answers.split(b"HTTP/1.1 ")[1:]
        self.assertEqual(len(parts), 41)
        for i in range(20):
            self.assertIn(f'"description":"{i}"'.encode(), parts[2 * i])
            self.assertTrue(parts[2 * i + 1].endswith(b'{"status":"ok"}'))

    @asks_no_store
    def test_what_is_no_http_is_refused(self):
        for data in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
                     b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
                     self.head(more="Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}"),
                     self.head(more="Content-Length: -1\r\n\r\n"),
                     self.head(more="Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}"),
                     self.head(more="Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n"),
                     b"GET / HTTP/1.1\r\nHost: localhost\r\nX : y\r\n\r\n"):
            self.assertEqual(self.status(data), 400, data)
        # Else what is a body for one of two programs is a request for the other.
        for coding in ("identity", "gzip, chunked", "chunked\r\nTransfer-Encoding: chunked"):
            answers = self.daemon.raw(self.head(more=f"Transfer-Encoding: {coding}\r\n\r\n") +
                                      b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.assertNotIn(b"HTTP/1.1 200", answers, coding)
            self.assertIn(answers[:12], (b"HTTP/1.1 501", b"HTTP/1.1 400"), coding)
        self.assertEqual(self.status(b"GET http://localhost/healthz HTTP/1.1\r\nHost: other\r\nConnection: close\r\n\r\n"),
                         200)
        answer = self.daemon.raw(self.head(more="Expect: 100-continue\r\nContent-Length: 14\r\nConnection: close\r\n\r\n") +
                                 b'{"every":"1h"}')
        self.assertTrue(answer.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 "), answer)
        self.assertTrue(self.daemon.raw(b"GET /healthz HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.0 421 "))

    def test_bytes_that_were_changed_by_chance_do_no_harm(self):
        draw = random.Random(20261124)
        body = b'{"every":"1h","labels":{"a":"b"},"data":[1,2,{"c":null}]}'
        whole = (self.head(more=f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n") + body)
        chunked = self.head(more="Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n") + \
            b"".join(b"%x;x=y\r\n" % len(body[i:i + 9]) + body[i:i + 9] + b"\r\n" for i in range(0, len(body), 9)) + \
            b"0\r\nTrailer: x\r\n\r\n"
        for i in range(300):
            data = bytearray(draw.choice((whole, chunked)))
            for _ in range(draw.randint(1, 4)):
                at = draw.randrange(len(data))
                how = draw.randrange(3)
                if how == 0:
                    data[at] = draw.randrange(256)
                elif how == 1:
                    del data[at:at + draw.randint(1, 8)]
                else:
                    data[at:at] = bytes(draw.randrange(256) for _ in range(draw.randint(1, 8)))
            status = self.status(bytes(data))
            self.assertNotIn(status, (500, 503), bytes(data))
        self.assertEqual(self.daemon.get("/healthz").status, 200)

    def test_streams_are_bounded(self):
        streams = []
        for path in ("/v1/changes", "/v1/fires", "/v1/fires"):  # of all kinds together
            connection = self.daemon.connect()
            connection.sendall(self.head("GET", path, "Accept: text/event-stream\r\n\r\n"))
            self.assertIn(b"200 OK", connection.recv(4096))
            streams.append(connection)
        for path in ("/v1/changes", "/v1/fires"):
            refused = self.daemon.get(path, Accept="text/event-stream")
            self.assertEqual((refused.status, refused.headers["retry-after"]), (503, "5"))
        for connection in streams:
            connection.close()
        eventually(lambda: "tenure_http_streams 0" in self.daemon.get("/metrics").body.decode())


BOUND = 2.0  # seconds: so late may a fire be, whatever a neighbour does. A busy machine takes some of it


class NeighboursTest(unittest.TestCase):
    """Schedules of others are in time, whatever one client does."""

    def setUp(self):
        self.stack = contextlib.ExitStack()
        self.addCleanup(self.stack.close)
        self.store = fresh_store(self.stack.enter_context(tempfile.TemporaryDirectory()))

    def start(self, config=None):
        daemon = Daemon(self.store, config=config).wait_for_port()
        self.stack.callback(daemon.kill)
        return daemon

    def lateness(self, daemon, name, count):
        """Of each fire, once there are so many."""
        def fires():
            rows = daemon.get(f"/v1/schedules/{name}/fires?limit=100").json["fires"]
            return rows if len(rows) >= count else None

        times = [[datetime.datetime.fromisoformat(row[key].rstrip("Z")) for key in ("from", "at")]
                 for row in eventually(fires, 60)]
        return [(at - due).total_seconds() for due, at in times]

    def test_a_token_with_a_prefix_makes_no_other_late(self):
        shop = {"Authorization": "Bearer shop-secret"}
        daemon = self.start("[http]\nloopback_needs_token = false\n[[token]]\nname = \"shop\"\nscopes = [\"write\"]\n"
                            f"prefix = \"shop-\"\nsha256 = \"{hashlib.sha256(b'shop-secret').hexdigest()}\"\n")
        eventually(daemon.leads)
        daemon.create("ops-tick", {"every": "1s", "topic": "tick"})

        def fill(every, first):
            bulk = daemon.ask("POST", "/v1/schedules:bulk", {"schedules": [
                {"name": f"shop-{first + i}", "every": every, "topic": "junk", "data": "x" * 1000}
                for i in range(60)]}, shop)
            return [one["result"] for one in bulk.json["results"]]

        self.assertEqual(set(fill("1ms", 0)), {"failed"})
        self.assertEqual(set(fill("1s", 100)), {"created"}, "60 of the 100 that a prefix has by default")
        self.assertEqual(fill("1s", 200).count("created"), 40)
        late = self.lateness(daemon, "ops-tick", 10)
        self.assertLess(max(late), BOUND, late)

    @unittest.skipUnless(POSTGRES, "sessions of the server")
    def test_the_log_names_the_session_that_has_the_lock(self):
        daemon = self.start()
        eventually(daemon.leads)
        daemon.create("tick", {"every": "100ms"})
        session = subprocess.Popen(["psql", "-qX", self.store], stdin=subprocess.PIPE, text=True, stdout=subprocess.DEVNULL)
        self.stack.callback(session.wait)
        self.stack.callback(session.stdin.close)
        session.stdin.write("BEGIN; SELECT FROM tenure.head FOR UPDATE;\n")
        session.stdin.flush()
        said = eventually(lambda: [line for line in daemon.lines if "has locked" in line], 30)
        user = os.environ["PGUSER"]
        self.assertRegex(said[0], rf"commit-fire.* session \d+ of role {user}, idle in transaction, in a transaction for "
                                  r"\d+ s, has locked tenure\.head: SELECT FROM tenure\.head FOR UPDATE;")
        refused = daemon.ask("PUT", "/v1/schedules/other", {"every": "1h"}, {"If-None-Match": "*"})
        self.assertEqual((refused.status, b"of role" in refused.body), (503, False), "clients are not told of sessions")
        errors = re.search(r'tenure_store_errors_total{trouble="busy"} (\d+)', daemon.get("/metrics").body.decode())
        self.assertGreater(int(errors[1]), 0, "what the alert counts")

    @unittest.skipUnless(POSTGRES, "consumers in the database")
    def test_an_open_transaction_of_a_consumer_keeps_no_fire_and_no_edit_waiting(self):
        daemons = [self.start() for _ in range(2)]
        eventually(lambda: any(one.leads() for one in daemons))
        database = self.store.removeprefix("dbname=")
        role = database + "_mailer"

        def sql(text):
            subprocess.run(["psql", "-qX", "-v", "ON_ERROR_STOP=1", database], input=text, text=True, check=True,
                           stdout=subprocess.DEVNULL)

        sql(f"CREATE ROLE {role} LOGIN PASSWORD 'pw'; SELECT tenure.grant_consume('{role}')")
        self.stack.callback(sql, f"DROP OWNED BY {role}; DROP ROLE {role}")
        daemons[0].create("tick", {"every": "1s", "topic": "t"})
        self.lateness(daemons[0], "tick", 3)
        leader = next(one for one in daemons if one.leads())
        consumer = subprocess.Popen(["psql", "-qX", database], stdin=subprocess.PIPE, text=True, stdout=subprocess.DEVNULL,
                                    env={**os.environ, "PGUSER": role, "PGPASSWORD": "pw"})
        self.stack.callback(consumer.wait)
        self.stack.callback(consumer.stdin.close)
        consumer.stdin.write("BEGIN; SELECT count(*) FROM tenure.claim_events('t', 1, '1 minute');\n"
                             "SELECT tenure.ack(ARRAY(SELECT key FROM tenure.poll('t') LIMIT 1 OFFSET 1));\n")
        consumer.stdin.flush()
        began = time.monotonic()
        late = self.lateness(leader, "tick", 12)  # three leases
        self.assertLess(max(late), BOUND, late)
        asked = time.monotonic()
        leader.create("other", {"every": "1h"})
        self.assertLess(time.monotonic() - asked, BOUND)
        self.assertGreater(time.monotonic() - began, 6, "the transaction was open")
        self.assertTrue(leader.leads(), "the leadership stays")
        consumer.stdin.write("COMMIT;\n")
        consumer.stdin.close()
        consumer.wait()
        waiting = leader.get("/v1/events?topic=t&limit=100").json["events"]
        self.assertEqual([one["claimed"] for one in waiting if one.get("attempts")], [True])
        self.assertNotIn(2, [one["seq"] for one in waiting], "it was acknowledged")


if __name__ == "__main__":
    unittest.main()
