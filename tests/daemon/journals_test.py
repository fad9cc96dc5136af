"""Clients ask three instances for all that they can. The journals tell of every change of the store, so `tenure audit`
passes.

With ENGINE=postgres the store is the server that PGHOST and the others name.
"""

import contextlib
import http.client
import itertools
import json
import pathlib
import signal
import subprocess
import time
import unittest

from cluster import TENURE, Cluster, ClusterTest
from daemon import eventually
from schemas import Schemas
from webhooks_test import Sink, destination

# Requests of clients that change the store.
CHANGES = {"register-node", "put-named", "pause-named", "delete-named", "trigger-schedule", "backfill-schedule",
           "claim-executions", "extend-executions", "end-executions", "release-executions", "ack-events", "discard-dead",
           "redrive"}


class Instances(Cluster):
    """They take turns in being asked."""

    def __init__(self, stack, config):
        super().__init__(stack, config)
        self.start()
        self.turns = itertools.cycle(self.alive())

    def ask(self, method, path, body=None, headers=None, status=200):
        answer = next(self.turns).ask(method, path, body, headers)
        assert answer.status == status, (path, answer)
        return answer.json if answer.body else None

    def create(self, name, **schedule):
        rule = {} if "every" in schedule else {"once": "2099-01-01T00:00:00Z"}
        self.ask("PUT", f"/v1/schedules/{name}", {**rule, **schedule}, {"If-None-Match": "*"}, 201)

    def post(self, path, body=None, status=200):
        return self.ask("POST", path, body, status=status)

    def trigger(self, name):
        return self.post(f"/v1/schedules/{name}/trigger", status=202)["event"]

    def claim(self, topic):
        claim = {"topic": topic, "duration": "1m"}
        return eventually(lambda: self.post("/v1/executions:claim", claim)["executions"])[0]["id"]

    def dead(self, schedule):
        return [one for one in self.ask("GET", "/v1/events/dead")["events"] if one["schedule"] == schedule]

    def lines(self, *instances):
        """Of these, or of all."""
        files = self.journals()
        names = [one.journal for one in instances] or files
        return [json.loads(line) for name in names for file in files[name]
                for line in pathlib.Path(file).read_text().splitlines()]


class JournalsTest(ClusterTest):
    def setUp(self):
        super().setUp()
        self.sink = Sink()
        self.stack.callback(self.sink.close)
        self.three = Instances(self.stack, destination("crm", self.sink))

    def test_an_audit_passes_after_all_that_clients_can_ask_for(self):
        three = self.three
        three.create("tick", every="100ms", topic="tick")
        waiting = eventually(lambda: three.ask("GET", "/v1/events?topic=tick")["events"])  # fired by itself
        for name in ("tock", "tack"):
            three.create(name, every="100ms", topic=name)
        for name in ("work", "filled"):
            three.create(name, topic="work", attempts=2, back_off="10ms", back_off_max="20ms")
        three.create("sent", destination="crm", attempts=1, data={"password": "hunter2"})

        for _ in range(6):
            three.trigger("work")
        three.post("/v1/schedules/filled/backfill", {"slots": ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"]}, 202)
        for verb in ("complete", "fail", "release", "complete", "fail", "complete", "complete", "complete"):
            path = f"/v1/executions/{three.claim('work')}"
            three.post(path + "/heartbeat", {"duration": "2m"})
            three.post(f"{path}/{verb}")
        three.post("/v1/events:ack", {"keys": [one["key"] for one in waiting]}, 204)

        self.sink.statuses = [500] * 100
        for _ in range(3):
            three.trigger("sent")
        dead = eventually(lambda: (got := three.dead("sent")) and len(got) == 3 and got)
        self.sink.statuses, sent = [], len(self.sink.got)
        three.post("/v1/events:discard", {"keys": [dead[0]["key"]]})
        self.assertEqual(three.post("/v1/events:replay", {"keys": [dead[1]["key"]]}), {"replayed": 1})
        eventually(lambda: len(self.sink.got) > sent)

        three.post("/v1/schedules/tock/pause", {"why": "enough"})
        three.post("/v1/schedules/tock/resume")
        three.ask("PUT", "/v1/schedules/tack", {"every": "200ms", "topic": "tack"}, {"If-Match": "*"})
        three.ask("DELETE", "/v1/schedules/work", headers={"If-Match": "*"}, status=204)
        self.stop_and_audit()
        told = three.lines()
        self.assertEqual({line["kind"] for line in told if line["event"] == "client"}, CHANGES)
        self.assertNotIn("hunter2", str(told))

    def test_what_clients_change_while_an_instance_stops_is_told(self):
        three = self.three
        three.create("work", topic="work")
        three.create("sent", destination="crm")
        self.sink.takes = 3
        three.trigger("sent")
        eventually(lambda: self.sink.got)
        leader = three.leader()
        leader.process.send_signal(signal.SIGTERM)
        eventually(lambda: any("stops" in line for line in leader.lines))
        while leader.process.poll() is None:
            with contextlib.suppress(OSError, http.client.HTTPException):
                leader.ask("POST", "/v1/schedules/work/trigger")
            time.sleep(0.01)
        self.stop_and_audit()
        events = [line["event"] for line in three.lines(leader)]
        self.assertIn("client", events[events.index("stop-heard"):])
        self.assertEqual(events[-1], "died")

    def stop_and_audit(self):
        self.check_journals(self.three)
        self.assertEqual({one.process.returncode for one in self.three.daemons}, {0})
        schema = subprocess.run([TENURE, "schema", "--of", "journal"], capture_output=True, text=True, check=True)
        described = Schemas({"components": {"schemas": json.loads(schema.stdout)["definitions"]}})
        problems = [described.problems({"$ref": "/" + line["event"]}, line) for line in self.three.lines()]
        self.assertEqual(set().union(*problems), set())


if __name__ == "__main__":
    unittest.main()
