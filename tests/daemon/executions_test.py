"""What became of slots, and workers that claim events: docs/daemon.md."""

import json
import tempfile
import threading
import time
import unittest

from daemon import Daemon, OnOneDaemon, eventually


class ExecutionsTest(OnOneDaemon):
    def post(self, path, body=None):
        return self.daemon.ask("POST", path, body)

    def triggered(self, name, **more):
        """The event of one run of a new schedule that fires at no other time."""
        self.daemon.create(name, {"once": "2099-01-01T00:00:00Z", "topic": name, **more})
        return self.post(f"/v1/schedules/{name}/trigger").json["event"]

    def claim(self, topic, duration="1m", **more):
        return self.post("/v1/executions:claim", {"topic": topic, "duration": duration, **more}).json["executions"]

    def claim_one(self, topic, duration="1m"):
        """Soon: the leader commits a run after it was asked for."""
        return eventually(lambda: self.claim(topic, duration))[0]

    # ---- fires ----

    def test_what_became_of_slots_is_listed_the_latest_first(self):
        etag = self.daemon.create("seen", {"every": "100ms"}).headers["etag"]
        path = "/v1/schedules/seen/fires"
        eventually(lambda: len(self.daemon.get(path).json["fires"]) >= 4)
        self.daemon.ask("PUT", "/v1/schedules/seen", {"every": "1000h"}, {"If-Match": etag})

        def all_of_it():  # and page by page it is the same, once nothing fires any more
            got = self.daemon.get(path + "?outcome=fired").json["fires"]
            paged, after, more = [], "0", True
            while more:
                page = self.daemon.get(f"{path}?outcome=fired&limit=3&after={after}").json
                paged, after, more = paged + page["fires"], page["next"], page["more"]
            return paged == got and got

        fires = eventually(all_of_it)
        numbers = [one["seq"] for one in fires]
        self.assertEqual(numbers, sorted(numbers, reverse=True))
        first = fires[0]
        self.assertEqual((first["schedule"], first["outcome"], first["version"], first["event"]["run"]),
                         ("seen", "fired", 1, "0"))
        self.assertIn(first["event"]["id"], [one["id"] for one in self.daemon.get("/v1/events?limit=1000").json["events"]])
        self.assertIn(first, self.daemon.get("/v1/fires?limit=1000").json["fires"])
        self.assertEqual(self.daemon.get(path + "?outcome=missed").json["fires"], [])
        self.assertEqual(self.daemon.get(path + "?outcome=lost").status, 400)
        self.assertEqual(self.daemon.get("/v1/schedules/nobody/fires").status, 404)

    def test_fires_of_a_schedule_that_is_gone_are_still_listed(self):
        self.triggered("gone")
        eventually(lambda: self.daemon.get("/v1/schedules/gone/fires").json["fires"])
        self.assertEqual(self.daemon.get("/v1/fires").json["fires"][0]["schedule"], "gone")
        uid = self.daemon.get("/v1/schedules/gone").json["status"]["uid"]
        self.daemon.ask("DELETE", "/v1/schedules/gone", headers={"If-Match": "*"})
        names = {one["uid"]: one["schedule"] for one in self.daemon.get("/v1/fires?limit=1000").json["fires"]}
        self.assertEqual(names[uid], "gone")

    # ---- executions ----

    def test_a_claim_waits_for_an_event(self):
        self.daemon.create("later", {"once": "2099-01-01T00:00:00Z", "topic": "later"})
        got = []
        waits = threading.Thread(target=lambda: got.extend(self.claim("later", wait="15s")))
        waits.start()
        time.sleep(1.5)
        self.assertEqual(got, [], "there is nothing yet")
        event = self.post("/v1/schedules/later/trigger").json["event"]
        waits.join()
        self.assertEqual([one["event"]["key"] for one in got], [event["key"]])

    def test_who_is_gone_is_handed_nothing(self):
        self.daemon.create("left", {"once": "2099-01-01T00:00:00Z", "topic": "left"})
        body = json.dumps({"topic": "left", "wait": "20s", "duration": "1h"}).encode()
        for _ in range(5):
            with self.daemon.connect() as connection:
                connection.sendall(b"POST /v1/executions:claim HTTP/1.1\r\nHost: localhost\r\n"
                                   b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
                time.sleep(0.3)
        self.post("/v1/schedules/left/trigger")
        time.sleep(1.5)
        self.assertEqual(self.claim_one("left")["attempt"], 1)

    def test_a_claim_waits_no_longer_than_it_says(self):
        began = time.monotonic()
        self.assertEqual(self.claim("nothing", wait="1s"), [])
        self.assertGreaterEqual(time.monotonic() - began, 1)
        refused = self.post("/v1/executions:claim", {"topic": "nothing", "wait": "21s"})
        self.assertEqual((refused.status, refused.json["errors"][0]["pointer"]), (400, "/wait"))

    def test_a_claim_that_waits_is_answered_when_the_program_stops(self):
        with tempfile.TemporaryDirectory() as folder, Daemon(folder + "/own.db") as daemon:
            eventually(daemon.leads)
            got = []
            waits = threading.Thread(target=lambda: got.append(
                daemon.ask("POST", "/v1/executions:claim", {"topic": "nothing", "wait": "20s"})))
            waits.start()
            eventually(lambda: "\ntenure_http_connections 2\n" in daemon.get("/metrics").body.decode())
            time.sleep(0.5)  # its request is read
            began = time.monotonic()
            self.assertEqual(daemon.stop(), 0)
            self.assertLess(time.monotonic() - began, 15)
            waits.join()
            self.assertEqual((got[0].status, got[0].json), (200, {"executions": []}))

    def test_an_event_is_claimed_kept_and_completed(self):
        event = self.triggered("work", data={"n": 1})
        execution = self.claim_one("work")
        self.assertEqual((execution["attempt"], execution["event"]["key"], execution["event"]["id"]),
                         (1, event["key"], event["id"]))
        self.assertEqual((execution["event"]["data"], execution["event"]["schedule"]), ({"n": 1}, "work"))
        self.assertEqual(self.claim("work"), [], "one worker has it")
        path = f"/v1/executions/{execution['id']}"
        beat = self.post(path + "/heartbeat", {"duration": "2m"})
        self.assertEqual((beat.status, beat.json["standing"], beat.json["cancel"]), (200, "claimed", False))
        self.assertGreater(beat.json["until"], execution["until"])
        refused = self.post("/v1/events:ack", {"keys": [event["key"]]})
        self.assertEqual((refused.status, refused.json["type"]), (409, "urn:tenure:conflict"))
        for _ in range(2):
            self.assertEqual(self.post(path + "/complete").json, {"standing": "completed", "cancel": False})
        self.assertEqual(self.daemon.get("/v1/events?topic=work").json["events"], [])

    def test_a_heartbeat_without_a_body_extends_a_claim_by_as_much_as_before(self):
        self.triggered("long")
        execution = self.claim_one("long", "30m")
        path = f"/v1/executions/{execution['id']}/heartbeat"
        beat = self.post(path).json
        self.assertGreater(beat["until"], execution["until"])
        longer = self.post(path, {"duration": "2h"}).json["until"]
        self.assertGreater(self.post(path).json["until"], longer)

    def test_an_event_that_failed_is_tried_again(self):
        self.triggered("again")
        path = f"/v1/executions/{self.claim_one('again')['id']}"
        failed = self.post(path + "/fail", {"why": "no paper"})
        self.assertEqual((failed.status, failed.json["standing"]), (200, "failed"))
        self.assertEqual(self.claim_one("again")["attempt"], 2)
        for verb in ("/heartbeat", "/complete", "/fail"):
            late = self.post(path + verb)
            self.assertEqual((late.status, late.json["type"]), (409, "urn:tenure:conflict"), verb)

    def test_what_a_worker_gives_back_is_handed_out_at_once_and_does_not_count(self):
        self.triggered("back", attempts=1)
        for attempt in (1, 2, 3):
            execution = self.claim_one("back")
            self.assertEqual(execution["attempt"], attempt)
            path = f"/v1/executions/{execution['id']}"
            for _ in range(2):
                released = self.post(path + "/release")
                self.assertEqual((released.status, released.json["standing"]), (200, "released"))
        execution = self.claim("back")[0]
        self.assertEqual(self.post(path + "/release").status, 409, "somebody else has it")
        self.assertEqual(self.post(f"/v1/executions/{execution['id']}/fail").json["standing"], "dead")
        dead = [one for one in self.daemon.get("/v1/events/dead").json["events"] if one["schedule"] == "back"]
        self.assertEqual([one["attempts"] for one in dead], [1])

    def test_a_claim_that_is_over_is_handed_out_again(self):
        self.triggered("slow")
        first = self.claim_one("slow", "100ms")
        second = self.claim_one("slow")
        self.assertEqual((second["attempt"], second["event"]["id"]), (2, first["event"]["id"]))
        self.assertEqual(self.post(f"/v1/executions/{first['id']}/complete").status, 409)
        self.assertEqual(self.post(f"/v1/executions/{second['id']}/complete").status, 200)

    def test_a_later_event_that_replaces_asks_the_worker_to_stop(self):
        etag = self.daemon.create("newest", {"every": "1s", "overlap": "replace", "topic": "newest"}).headers["etag"]
        path = f"/v1/executions/{self.claim_one('newest')['id']}"
        eventually(lambda: self.post(path + "/heartbeat").json["cancel"])
        self.daemon.ask("PUT", "/v1/schedules/newest", {"every": "1000h", "topic": "newest"}, {"If-Match": etag})
        self.assertEqual(self.post(path + "/fail").json["standing"], "replaced")
        self.assertEqual(self.post(path + "/complete").status, 409)
        self.assertTrue([one for one in self.daemon.get("/v1/schedules/newest/fires?limit=1000").json["fires"]
                         if one["outcome"] == "replaced"])

    def test_in_strict_order_the_next_event_waits(self):
        first = self.triggered("strict", strict_order=True)
        self.assertEqual(self.daemon.get("/v1/schedules/strict").json["strict_order"], True)
        eventually(lambda: len(self.daemon.get("/v1/events?topic=strict").json["events"]) == 1)
        self.post("/v1/schedules/strict/trigger")
        eventually(lambda: len(self.daemon.get("/v1/events?topic=strict").json["events"]) == 2)
        claimed = self.claim("strict", max=10)
        self.assertEqual([one["event"]["id"] for one in claimed], [first["id"]])
        self.post(f"/v1/executions/{claimed[0]['id']}/complete")
        self.assertEqual(len(self.claim("strict", max=10)), 1)

    def test_bounds_are_the_same_wherever_they_are_told(self):
        for body in ({"topic": "t", "duration": "0s"}, {"topic": "t", "duration": "800h"}):
            refused = self.post("/v1/executions:claim", body).json["errors"]
            self.assertIn("must be from 1us to 720h", refused[0]["message"], body)
        refused = self.post("/v1/executions/1.2.3.4.5/heartbeat", {"duration": "800h"}).json["errors"]
        self.assertIn("must be from 1us to 720h", refused[0]["message"])

    def test_what_is_wrong_is_refused(self):
        for body in ({}, {"topic": 7}, {"topic": "t", "max": 0}, {"topic": "t", "max": 101}, {"topic": "x" * 121},
                     {"topic": "t", "duration": "0s"}, {"topic": "t", "duration": "31d"}, {"topic": "t", "tpic": 1}):
            self.assertEqual(self.post("/v1/executions:claim", body).status, 400, body)
        for name in ("x", "1.2.3.4", "1.2.3.4.5.6", "01.2.3.4.5", "1.2.3.4.5.", "1.2.3.4.18446744073709551615", "1.2.3.1.5"):
            self.assertEqual(self.post(f"/v1/executions/{name}/complete").status, 404, name)


if __name__ == "__main__":
    unittest.main()
