"""Instances of an older program are replaced one by one, and one of them comes back: nothing is lost, nothing doubled.

BEFORE is the older program. `./dev upgrade COMMIT` builds it and runs this, on SQLite and, with ENGINE=postgres, on a
server.
"""

import os
import time
import unittest

from daemon import BINARY, eventually
from processes_test import SECONDS, Client, Consumer, SlotChecks, Three

BEFORE = os.environ.get("BEFORE")


class Worker(Client):
    """Claims events of a topic, and completes them."""

    def ask(self, daemon):
        got = daemon.ask("POST", "/v1/executions:claim", {"topic": "work", "max": 5, "wait": "0s"})
        for one in got.json["executions"]:
            self.got.append(one)
            daemon.ask("POST", f"/v1/executions/{one['id']}/complete")


@unittest.skipUnless(BEFORE, "BEFORE names no older program")
class UpgradeTest(SlotChecks):
    def replace(self, three, old, binary):
        """`old` is asked to stop, and another one takes its place."""
        self.assertEqual(old.stop(), 0, "".join(old.lines))
        three.daemons[three.daemons.index(old)] = new = three.start(binary=binary)
        eventually(lambda: new.get("/readyz").status == 200, what="the new one is ready")
        three.leader(within=40)
        time.sleep(1)
        return new

    def change_by(self, daemon, name):
        """What clients do, asked of one program and seen by all."""
        self.assertEqual(daemon.create(name, {"every": "1000h", "topic": "work", "data": {"by": name}}).status, 201)
        self.assertEqual(daemon.ask("POST", f"/v1/schedules/{name}/trigger").status, 202)
        self.assertEqual(daemon.ask("POST", f"/v1/schedules/{name}/pause").status, 200)
        for other in self.three.daemons:
            self.assertEqual(other.get(f"/v1/schedules/{name}").json["data"], {"by": name})

    def test_programs_of_two_versions_share_a_store_while_one_replaces_the_other(self):
        with Three(binary=BEFORE) as self.three:
            three = self.three
            consumer, worker = Consumer(three.daemons, "poll"), Worker(three.daemons)
            made = three.leader().create("tick", {"every": "250ms", "topic": "poll"})
            cron = three.leader().create(
                "cron", {"cron": f"{SECONDS} * * * * *", "timezone": "Europe/Berlin", "topic": "poll"})
            three.leader().create("job", {"every": "500ms", "topic": "work"})
            self.change_by(three.daemons[0], "before")
            for i, old in enumerate(list(three.daemons)):
                new = self.replace(three, old, BINARY)
                self.change_by(new, f"new-{i}")
                self.change_by(three.other(new), f"other-{i}")
            back = self.replace(three, three.daemons[0], BEFORE)
            self.change_by(back, "back")
            for new in three.daemons[1:]:
                self.assertEqual(new.stop(), 0, "".join(new.lines))
            self.assertIs(three.leader(within=40), back)
            time.sleep(2)
            last = time.time()
            self.fired_until(consumer, last, "tick", "cron")
            events, claimed = consumer.end(), worker.end()
            self.check_slots(events, "tick", made.json["status"]["next"],
                             time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(last)))
            self.check_against_croniter(consumer, "cron", cron.json["status"]["next"], last)
            self.assertEqual({one["attempt"] for one in claimed}, {1}, "no event is handed out twice")
            triggered = sorted(one["event"]["schedule"] for one in claimed if one["event"]["run"] != "0")
            self.assertEqual(
                triggered, sorted(["before", "back", *(f"{of}-{i}" for of in ("new", "other") for i in range(3))]))


if __name__ == "__main__":
    unittest.main()
