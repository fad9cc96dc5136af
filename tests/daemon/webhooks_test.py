"""Events that are sent to a destination of the configuration: docs/daemon.md, docs/webhooks.md."""

import base64
import contextlib
import hashlib
import hmac
import http.server
import json
import re
import signal
import tempfile
import threading
import time
import unittest

from daemon import Daemon, eventually, fresh_store

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


class Sink:
    """A receiver on this machine. It answers the statuses that it was told (one may be a pair with a Retry-After), and
    then what is usual. Instead of answering None it hangs up."""

    def __init__(self, *statuses):
        self.statuses, self.got, self.at, self.takes, self.says = list(statuses), [], [], 0, b""
        self.usual, self.taken = 204, []  # and what was answered so: body, seconds
        sink = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                began = time.monotonic()
                sink.at.append(began)
                sink.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
                time.sleep(sink.takes)
                status = sink.statuses.pop(0) if sink.statuses else sink.usual
                if status is None:
                    return
                status, wait = status if isinstance(status, tuple) else (status, None)
                self.send_response(status)
                if wait is not None:
                    self.send_header("Retry-After", wait)
                said = sink.says if status != 204 else b""
                self.send_header("Content-Length", str(len(said)))
                with contextlib.suppress(ConnectionError):  # who has been killed does not listen any more
                    self.end_headers()
                    self.wfile.write(said)
                    if status == 204:
                        sink.taken.append((body, time.monotonic() - began))

        self.handler, self.port = Handler, 0
        self.open()

    def open(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), self.handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def destination(name, sink):
    return (f'[[destination]]\nname = "{name}"\nurl = "http://127.0.0.1:{sink.port}/hooks"\n'
            'keys = ["env:SECRET"]\nallow = ["127.0.0.0/8"]\n')


class WebhooksTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.sink = Sink()
        self.daemon = Daemon(fresh_store(self.folder.name), config=destination("crm", self.sink),
                             environment={"SECRET": SECRET}).wait_for_port()
        eventually(self.daemon.leads)

    def tearDown(self):
        self.daemon.kill()
        self.sink.close()
        self.folder.cleanup()

    def triggered(self, name, **more):
        self.daemon.create(name, {"once": "2099-01-01T00:00:00Z", "destination": "crm", **more})
        return self.daemon.ask("POST", f"/v1/schedules/{name}/trigger").json["event"]

    def test_an_event_arrives_signed(self):
        event = self.triggered("report", data={"n": 1}, type="report.nightly")
        self.assertEqual(self.daemon.get("/v1/schedules/report").json["destination"], "crm")
        headers, body = eventually(lambda: self.sink.got)[0]
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        key = base64.b64decode(SECRET.removeprefix("whsec_"))
        expected = "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
        self.assertEqual(headers["webhook-signature"], expected)
        sent = json.loads(body)
        self.assertEqual((sent["id"], sent["subject"], sent["type"], sent["data"], sent["attempt"]),
                         (event["id"], "report", "report.nightly", {"n": 1}, 1))
        self.assertEqual(self.daemon.get("/v1/events").json["events"], [], "nobody else has to acknowledge it")

    def test_what_somebody_asks_for_does_not_wait_for_the_next_look(self):
        self.daemon.kill()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        rare = ("--set", "scheduling.poll_period=1h", "--set", "scheduling.clock_hold=2h")
        self.daemon = Daemon(fresh_store(folder.name), *rare, config=destination("crm", self.sink),
                             environment={"SECRET": SECRET}).wait_for_port()
        # On SQLite another instance takes it to the leader, too: both only look at the file.
        with Daemon(self.daemon.store, *rare, config=destination("crm", self.sink),
                    environment={"SECRET": SECRET}) as other:
            eventually(lambda: self.daemon.leads() or other.leads())
            self.triggered("report", attempts=1)
            eventually(lambda: len(self.sink.got) == 1)
            self.sink.statuses = [500]
            for daemon in (other, self.daemon):
                daemon.ask("POST", "/v1/schedules/report/trigger")
            eventually(lambda: len(self.sink.got) == 3)
            dead = eventually(lambda: other.get("/v1/events/dead").json["events"])
            other.ask("POST", "/v1/events:replay", {"keys": [dead[0]["key"]]})
            eventually(lambda: len(self.sink.got) == 4)
            hour = {"every": "1h", "start": "2026-01-01T00:00:00Z", "destination": "crm"}
            other.create("hourly", hour)
            filled = other.ask("POST", "/v1/schedules/hourly/backfill",
                               {"from": "2026-01-01T00:00:00Z", "to": "2026-01-01T03:00:00Z"})
            self.assertEqual(filled.status, 202, filled)
            eventually(lambda: len(self.sink.got) == 7)

    def test_what_failed_is_sent_again(self):
        self.sink.statuses = [500]
        self.triggered("again")
        eventually(lambda: len(self.sink.got) == 2)
        first, second = (json.loads(body) for _, body in self.sink.got)
        self.assertEqual((first["id"], first["attempt"], second["attempt"]), (second["id"], 1, 2))
        self.assertTrue(any("an event was not delivered destination=crm schedule=again uid=" in line
                            for line in self.daemon.lines), self.daemon.lines)

    def test_a_receiver_is_spared_for_as_long_as_it_asks_and_other_events_are_sent(self):
        self.sink.statuses = [(503, "3")]
        spared = self.triggered("spared")
        eventually(lambda: len(self.sink.got) == 1)
        other = self.triggered("other")
        eventually(lambda: len(self.sink.got) == 3)
        sent = [(json.loads(body), at) for (_, body), at in zip(self.sink.got, self.sink.at)]
        tries = [(body["attempt"], at) for body, at in sent if body["id"] == spared["id"]]
        self.assertEqual([attempt for attempt, _ in tries], [1, 2])
        self.assertGreaterEqual(tries[1][1] - tries[0][1], 3)
        self.assertEqual([body["attempt"] for body, _ in sent if body["id"] == other["id"]], [1])
        self.assertTrue(any("asks for no other attempt within 3s" in line for line in self.daemon.lines))

    def test_an_event_is_dead_at_once_that_is_not_to_be_sent_while_it_may_be(self):
        self.sink.statuses = [(503, "86400")]
        event = self.triggered("for-too-long")
        dead = eventually(lambda: self.daemon.get("/v1/events/dead").json["events"])
        self.assertEqual([one["id"] for one in dead], [event["id"]])
        self.assertEqual(len(self.sink.got), 1)

    def test_a_destination_that_is_not_there_is_refused(self):
        answer = self.daemon.ask("PUT", "/v1/schedules/x", {"every": "1h", "destination": "crn"}, {"If-None-Match": "*"})
        self.assertEqual(answer.status, 400)
        self.assertEqual([(one["pointer"], one["hint"]) for one in answer.json["errors"]],
                         [("/destination", "did you mean `crm`?")])

    def test_what_is_in_flight_is_finished_before_the_program_stops(self):
        self.sink.takes = 2
        event = self.triggered("slow")
        eventually(lambda: self.sink.got)
        self.assertEqual(self.daemon.stop(), 0)
        with Daemon(self.daemon.store, config=destination("crm", self.sink), environment={"SECRET": SECRET}) as after:
            eventually(after.leads)
            time.sleep(1)
            self.assertEqual(after.get("/v1/events/dead").json["events"], [])
        self.assertEqual([json.loads(body)["id"] for _, body in self.sink.got], [event["id"]], "it was sent once")

    def being_stopped(self, daemon):
        """Something is in flight, and it was asked to stop."""
        daemon.create("slow", {"once": "2099-01-01T00:00:00Z", "destination": "crm"})
        daemon.ask("POST", "/v1/schedules/slow/trigger")
        eventually(lambda: self.sink.got)
        daemon.process.send_signal(signal.SIGTERM)
        eventually(lambda: any("stops" in line for line in daemon.lines))

    def test_a_hangup_while_it_stops_ends_nothing(self):
        self.sink.takes = 2
        self.being_stopped(self.daemon)
        self.daemon.process.send_signal(signal.SIGHUP)
        self.assertEqual(self.daemon.process.wait(30), 0)
        self.assertEqual(len(self.sink.got), 1)

    def test_who_is_asked_twice_stops_at_once(self):
        self.sink.takes = 30
        for once_more in (signal.SIGTERM, signal.SIGINT):
            with tempfile.TemporaryDirectory() as folder, Daemon(
                    fresh_store(folder), config=destination("crm", self.sink), environment={"SECRET": SECRET}) as daemon:
                eventually(daemon.leads)
                self.sink.got.clear()
                self.being_stopped(daemon)
                daemon.process.send_signal(once_more)
                self.assertEqual(daemon.process.wait(25), 1)

    def test_a_stop_takes_no_longer_than_drain(self):
        self.sink.takes = 30
        with tempfile.TemporaryDirectory() as folder, Daemon(
                fresh_store(folder), "--drain", "1s", config=destination("crm", self.sink),
                environment={"SECRET": SECRET}) as daemon:
            eventually(daemon.leads)
            self.being_stopped(daemon)
            self.assertEqual(daemon.process.wait(20), 1)
            self.assertTrue(any("not finished in time" in line for line in daemon.lines))

    def test_a_destination_that_was_taken_out_is_refused_and_its_events_wait(self):
        self.triggered("before", attempts=1, back_off="10ms", back_off_max="20ms")
        eventually(lambda: len(self.sink.got) == 1)

        def read_again(config, times):
            self.daemon.write_config(config)
            self.daemon.process.send_signal(signal.SIGHUP)
            eventually(lambda: sum("read again" in line for line in self.daemon.lines) == times)

        read_again("", 1)
        refused = self.daemon.ask("PUT", "/v1/schedules/x", {"every": "1h", "destination": "crm"}, {"If-None-Match": "*"})
        self.assertEqual((refused.status, refused.json["errors"][0]["pointer"]), (400, "/destination"))
        event = self.daemon.ask("POST", "/v1/schedules/before/trigger").json["event"]
        eventually(lambda: sum("was not sent" in line for line in self.daemon.lines) >= 2)
        self.assertEqual(self.daemon.get("/v1/events/dead").json["events"], [], "its one attempt is not over")
        read_again(destination("crm", self.sink), 2)
        eventually(lambda: len(self.sink.got) == 2)
        self.assertEqual(json.loads(self.sink.got[1][1])["id"], event["id"])

    def test_destinations_are_read_again(self):
        other = Sink()
        self.daemon.write_config(destination("crm", other) + destination("new", other))
        self.daemon.process.send_signal(signal.SIGHUP)
        eventually(lambda: any("read again" in line for line in self.daemon.lines))
        self.triggered("moved")
        eventually(lambda: other.got)
        self.assertEqual(self.sink.got, [])
        self.assertEqual(self.daemon.ask("PUT", "/v1/schedules/y", {"every": "1h", "destination": "new"},
                                         {"If-None-Match": "*"}).status, 201)
        other.close()

    def test_an_event_that_fails_too_often_is_dead_until_it_is_replayed(self):
        self.sink.statuses, self.sink.says = [500] * 3, b"no room for \xff\n" + b"x" * 3000
        self.triggered("poor", attempts=3, back_off="10ms", back_off_max="20ms")
        shown = self.daemon.get("/v1/schedules/poor").json
        self.assertEqual((shown["attempts"], shown["back_off"], shown["back_off_max"]), (3, "10ms", "20ms"))
        dead = eventually(lambda: self.daemon.get("/v1/events/dead").json["events"])
        self.assertEqual([(each["schedule"], each["attempts"]) for each in dead], [("poor", 3)])
        self.assertEqual(len(self.sink.got), 3)
        self.assertEqual(dead[0]["why"], "the destination answered 500")
        self.assertEqual(dead[0]["response"][:17], "no room for \\xff\n", "an admin sees the beginning")
        self.assertIn(len((dead[0]["why"] + dead[0]["response"]).encode()), range(900, 1001))
        replayed = self.daemon.ask("POST", "/v1/events:replay", {"keys": [dead[0]["key"]]})
        self.assertEqual(replayed.json, {"replayed": 1})
        eventually(lambda: any("dead events were replayed events=1 by=local" in line for line in self.daemon.lines))
        eventually(lambda: len(self.sink.got) == 4)
        self.assertEqual(len({headers["webhook-id"] for headers, _ in self.sink.got}), 1)
        self.assertEqual([json.loads(body)["attempt"] for _, body in self.sink.got], [1, 2, 3, 4])
        eventually(lambda: self.daemon.get("/v1/events/dead").json["events"] == [])

    def test_a_receiver_that_is_gone_is_said_to_want_no_more(self):
        self.sink.statuses = [410]
        self.triggered("gone", attempts=1)
        dead = eventually(lambda: self.daemon.get("/v1/events/dead").json["events"])
        self.assertEqual(dead[0]["why"], "the destination answered 410: it wants no more events")

    def test_a_dead_event_that_is_discarded_is_quiet_and_can_be_replayed_still(self):
        self.sink.statuses = [500]
        self.triggered("poor", attempts=1)
        dead = eventually(lambda: self.daemon.get("/v1/events/dead").json["events"])
        counted = lambda: re.findall(r"^tenure_dead_events (\d+)", self.daemon.get("/metrics").body.decode(), re.M)
        eventually(lambda: counted() == ["1"])
        for actor, discarded in (("ann", 1), ("bob", 0)):
            answer = self.daemon.ask("POST", "/v1/events:discard", {"keys": [dead[0]["key"], "9/9/9"]},
                                     {"Tenure-Actor": actor})
            self.assertEqual(answer.json, {"discarded": discarded})
        self.assertEqual(self.daemon.get("/v1/events/dead").json["events"], [])
        eventually(lambda: counted() == ["0"])
        gone = self.daemon.get("/v1/events/dead?discarded=true").json["events"]
        self.assertEqual([(each["key"], each["discarded"]["by"], each["why"]) for each in gone],
                         [(dead[0]["key"], "local/ann", "the destination answered 500")])
        self.assertEqual(self.daemon.ask("POST", "/v1/events:replay", {"keys": [dead[0]["key"]]}).json, {"replayed": 1})
        eventually(lambda: len(self.sink.got) == 2)
        self.assertEqual(self.daemon.get("/v1/events/dead?discarded=true").json["events"], [])

    def test_only_admins_see_what_a_destination_said(self):
        tokens = "".join(f'[[token]]\nname = "{name}"\nsha256 = "{hashlib.sha256(name.encode()).hexdigest()}"\n'
                         f'scopes = ["{name}"]\n' for name in ("read", "admin"))
        self.daemon.write_config(destination("crm", self.sink) + tokens)
        self.daemon.process.send_signal(signal.SIGHUP)
        self.sink.statuses, self.sink.says = [500], b"a secret"

        def dead_for(name):
            return self.daemon.get("/v1/events/dead", Authorization=f"Bearer {name}").json.get("events")

        eventually(lambda: dead_for("admin") == [])
        admin = {"Authorization": "Bearer admin", "If-None-Match": "*"}
        body = {"once": "2099-01-01T00:00:00Z", "destination": "crm", "attempts": 1}
        self.assertEqual(self.daemon.ask("PUT", "/v1/schedules/told", body, admin).status, 201)
        self.daemon.ask("POST", "/v1/schedules/told/trigger", headers={"Authorization": "Bearer admin"})
        eventually(lambda: dead_for("admin"))
        self.assertEqual(dead_for("admin")[0]["response"], "a secret")
        self.assertNotIn("response", dead_for("read")[0])
        self.assertEqual(dead_for("read")[0]["why"], "the destination answered 500")
        self.assertNotIn("a secret", "".join(self.daemon.lines))

    def test_what_waits_for_a_destination_can_be_seen(self):
        self.sink.statuses = [500] * 100
        event = self.triggered("late", back_off="1h", back_off_max="2h")
        eventually(lambda: self.sink.got)
        for query in ("kind=push", "destination=crm"):
            [row] = self.daemon.get("/v1/events?" + query).json["events"]
            self.assertEqual((row["key"], row["destination"]), (event["key"], "crm"))
            self.assertLess(row["fired"], "2099", "when it was committed, and not its slot")
        for query in ("", "destination=other", "kind=pull", "topic=late"):
            self.assertEqual(self.daemon.get("/v1/events?" + query).json["events"], [], query)
        for query in ("kind=both", "kind=push&topic=late", "kind=pull&destination=crm"):
            self.assertEqual(self.daemon.get("/v1/events?" + query).status, 400, query)

    def test_attempts_and_back_off_are_bounded(self):
        for wrong, where in (({"attempts": 0}, "/attempts"), ({"back_off": "0s"}, "/back_off"),
                             ({"back_off": "31d"}, "/back_off"), ({"back_off": "2s", "back_off_max": "1s"}, "/back_off_max")):
            answer = self.daemon.ask("PUT", "/v1/schedules/wrong", {"every": "1h", "destination": "crm", **wrong},
                                     {"If-None-Match": "*"})
            self.assertEqual((answer.status, [each["pointer"] for each in answer.json["errors"]]), (400, [where]), wrong)
        self.daemon.create("plain", {"every": "1h", "destination": "crm"})
        self.assertNotIn("attempts", self.daemon.get("/v1/schedules/plain").json, "what is usual is not said")


if __name__ == "__main__":
    unittest.main()
