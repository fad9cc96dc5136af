"""Events that are sent to a destination of the configuration: docs/daemon.md, docs/webhooks.md."""

import base64
import hmac
import http.server
import json
import signal
import tempfile
import threading
import time
import unittest

from daemon import Daemon, eventually, fresh_store

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


class Sink:
    """A receiver on this machine. It answers the statuses that it was told, and then 204."""

    def __init__(self, *statuses):
        self.statuses, self.got, self.takes = list(statuses), [], 0
        sink = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                sink.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
                time.sleep(sink.takes)
                self.send_response(sink.statuses.pop(0) if sink.statuses else 204)
                self.send_header("Content-Length", "0")
                self.end_headers()

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
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

    def test_what_failed_is_sent_again(self):
        self.sink.statuses = [500]
        self.triggered("again")
        eventually(lambda: len(self.sink.got) == 2)
        first, second = (json.loads(body) for _, body in self.sink.got)
        self.assertEqual((first["id"], first["attempt"], second["attempt"]), (second["id"], 1, 2))

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
                self.assertEqual(daemon.process.wait(10), 1)

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
        self.triggered("before")
        eventually(lambda: len(self.sink.got) == 1)

        def read_again(config, times):
            self.daemon.write_config(config)
            self.daemon.process.send_signal(signal.SIGHUP)
            eventually(lambda: sum("read again" in line for line in self.daemon.lines) == times)

        read_again("", 1)
        refused = self.daemon.ask("PUT", "/v1/schedules/x", {"every": "1h", "destination": "crm"}, {"If-None-Match": "*"})
        self.assertEqual((refused.status, refused.json["errors"][0]["pointer"]), (400, "/destination"))
        event = self.daemon.ask("POST", "/v1/schedules/before/trigger").json["event"]
        eventually(lambda: any("was not delivered" in line for line in self.daemon.lines))
        self.assertEqual(self.daemon.get("/v1/events/dead").json["events"], [])
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


if __name__ == "__main__":
    unittest.main()
