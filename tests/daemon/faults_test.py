"""Three real processes on one store, and what goes wrong under them: an instance is killed before and after a commit, a
renewal, a send, an acknowledgement, what workers ask and what clients edit, or stands still there; the disk is full;
the store's clock jumps; all instances are replaced, one after the other. Nothing is lost, and nothing happens twice
that should not.

The store is a file; with ENGINE=postgres it is on the server that PGHOST and the others name.
"""

import contextlib
import http.client
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from collections import Counter
from datetime import datetime

from cluster import DEAD, FIRED, LEASE, PATIENCE, WAITING, Cluster, ClusterTest, Worker
from daemon import POSTGRES, eventually
from webhooks_test import Sink, destination


def holds(cluster):
    return any("\ntenure_clock_hold 1\n" in one.get("/metrics").body.decode() for one in cluster.alive())


class FaultsTest(ClusterTest):
    def test_killed_before_a_commit_and_after_one(self):
        cluster = Cluster(self.stack).start()
        cluster.create("tick")
        cluster.strike_leader("fires", "before")
        cluster.strike_leader("fires", "after")
        self.check(cluster)

    def test_killed_before_and_after_a_renewal_and_a_release_of_the_lease(self):
        cluster = Cluster(self.stack, count=6).start()
        cluster.create("tick")
        for when in ("before", "after"):
            cluster.strike_leader("renewal", when)
            ended = 0
            while ended == 0:  # it had just lost the lease, and had none to release
                leader = cluster.leader()
                cluster.arm(leader, "release", when)
                leader.process.terminate()
                ended = leader.process.wait(PATIENCE)
            self.assertEqual(ended, -signal.SIGKILL)
        self.check(cluster)

    @unittest.skipIf(POSTGRES, "of a file: there a lease that is granted can be told from one that is refused")
    def test_killed_before_and_after_it_is_granted_the_lease(self):
        cluster = Cluster(self.stack, count=1).start()
        cluster.create("tick")
        for when in ("before", "after"):
            leader = cluster.leader()
            strike = cluster.arm(cluster.add(), "grant", when)
            leader.process.kill()
            strike()
            cluster.add()
        self.check(cluster)

    def test_killed_before_and_after_it_makes_the_tables_and_registers(self):
        cluster = Cluster(self.stack)
        for kind in ("migration", "registration"):
            cluster.kill_at_start(kind, "before")
            cluster.kill_at_start(kind, "after")
        cluster.start()
        cluster.create("tick")
        self.check(cluster)

    def test_killed_before_and_after_what_a_worker_asks(self):
        failpoints = [(kind, when) for kind in ("claim", "heartbeat", "end") for when in ("before", "after")]
        cluster = Cluster(self.stack).start()
        cluster.create("tick", topic="work", attempts=100, back_off="10ms")
        worker = Worker(cluster, "work")
        self.addCleanup(worker.end)
        for kind, when in failpoints:
            cluster.add()
            count = len(worker.ended)
            eventually(lambda: len(worker.ended) > count + 8, PATIENCE, "the worker works")
            cluster.arm(worker.at, kind, when)()
        cluster.pause("tick")
        eventually(lambda: cluster.number(WAITING) == 0, PATIENCE, "all is done")
        worker.end()
        cluster.stop()
        self.assertEqual(cluster.number(DEAD), 0)
        fired = cluster.number(FIRED)
        self.assertEqual(len(worker.begun), len(set(worker.begun)), "no attempt is handed out twice")
        done = Counter(event for event, _, standing in worker.ended if standing == "completed")
        self.assertEqual(set(done.values()), {1}, "each event is done once")
        self.assertEqual(len(done), fired, "each fire is done")
        self.assertLessEqual({status for _, status, _ in worker.ended}, {200, 409})
        # Each kill leaves at most what was claimed and not heard of: three attempts.
        begun = Counter(event for event, _ in worker.begun)
        last = {event: attempt for event, attempt in sorted(worker.begun)}
        self.assertLessEqual(sum(last[event] - begun[event] for event in done), 3 * len(failpoints))
        self.check_journals(cluster)

    def test_killed_before_and_after_an_edit(self):
        cluster = Cluster(self.stack, count=2).start()
        for when in ("before", "after"):
            for verb, headers in (("PUT", {"If-None-Match": "*"}), ("DELETE", {"If-Match": "*"})):
                cluster.add()
                asked = cluster.alive()[0]
                strike = cluster.arm(asked, verb.lower(), when)
                with self.assertRaises((OSError, http.client.HTTPException)):
                    asked.ask(verb, f"/v1/schedules/{when}", {"every": "1000h"} if verb == "PUT" else None, headers)
                strike()
                other = cluster.alive()[0]
                there = other.get(f"/v1/schedules/{when}").status == 200
                self.assertEqual(there, (verb == "PUT") == (when == "after"), "it happened, or it did not")
                again = other.ask(verb, f"/v1/schedules/{when}", {"every": "1000h"} if verb == "PUT" else None, headers)
                self.assertEqual(other.get(f"/v1/schedules/{when}").status, 200 if verb == "PUT" else 404, again)
        self.assertEqual(cluster.number("SELECT count(*) FROM tenure{}change"), 4, "each once")

    def test_killed_before_and_after_a_run_that_somebody_asks_for(self):
        cluster = Cluster(self.stack, count=2).start()
        cluster.create("runs", every="1000h")
        for when in ("before", "after"):
            asked, other = cluster.add(), cluster.alive()[0]
            strike = cluster.arm(asked, "run", when)
            asks = ("POST", "/v1/schedules/runs/trigger", None, {"Idempotency-Key": when})
            with self.assertRaises((OSError, http.client.HTTPException)):
                asked.ask(*asks)
            strike()
            self.assertEqual(cluster.number(WAITING), 0 if when == "before" else 2)
            self.assertEqual(other.ask(*asks).status, 202)
        self.assertEqual(cluster.number(WAITING), 2, "each once")

    def test_killed_at_a_send_and_before_and_after_its_acknowledgement(self):
        sink = Sink()
        self.addCleanup(sink.close)
        cluster = Cluster(self.stack, destination("crm", sink), count=4).start()
        cluster.create("tick", destination="crm")
        leader = cluster.leader()
        eventually(lambda: sink.got, PATIENCE)
        sink.takes = 1
        taken = len(sink.got)
        eventually(lambda: len(sink.got) > taken, PATIENCE)
        leader.process.kill()  # it does not learn that what it sent has arrived
        leader.process.wait()
        sink.takes = 0
        cluster.strike_leader("acknowledgement", "before")
        cluster.strike_leader("acknowledgement", "after")
        cluster.fired_until(time.time())
        cluster.pause("tick")
        eventually(lambda: cluster.number(WAITING) == 0, PATIENCE)
        self.assertEqual(cluster.number(DEAD), 0)
        cluster.stop()
        fired = cluster.number(FIRED)
        sent = [json.loads(body) for _, body in sink.got]
        times = {}
        for one in sent:
            times.setdefault(one["id"], set()).add(one["time"])
        self.assertTrue(all(len(one) == 1 for one in times.values()), "an id is one slot")
        self.assertEqual(len(times), fired, "each fire has arrived")
        self.assertGreater(len(sent), fired, "what was not acknowledged was sent again")
        # Nobody refused one, so each leader sends it once.
        leaderships = sum(" leads" in line and "no longer" not in line for one in cluster.daemons for line in one.lines)
        self.assertGreaterEqual(leaderships, 4)
        self.assertLessEqual(max(Counter(one["id"] for one in sent).values()), leaderships)
        self.check_journals(cluster)

    def test_a_leader_that_stands_still_after_a_commit_hears_of_it_when_another_one_leads(self):
        cluster = Cluster(self.stack).start()
        cluster.create("tick")
        for kind in ("fires", "renewal"):
            stopped = cluster.strike_leader(kind, "after", signal.SIGSTOP)
            end = time.monotonic() + 2 * LEASE
            cluster.leader(but=(stopped,))
            time.sleep(max(0, end - time.monotonic()))
            stopped.process.send_signal(signal.SIGCONT)
            eventually(lambda: stopped.get("/leaderz").status == 503, PATIENCE, "it leads no longer")
            eventually(lambda: stopped.get("/readyz").status == 200, PATIENCE, "it takes part again")
        self.check(cluster)

    @unittest.skipIf(POSTGRES, "of a file: it has one writer at a time")
    def test_a_leader_that_stands_still_before_a_commit_delays_fires_and_loses_none(self):
        cluster = Cluster(self.stack).start()
        cluster.create("tick")
        for kind in ("fires", "renewal"):
            stopped = cluster.strike_leader(kind, "before", signal.SIGSTOP)
            end = time.monotonic() + 2 * LEASE
            fired = cluster.number(FIRED)
            others = [one for one in cluster.alive() if one is not stopped]
            refused = others[0].ask("PUT", "/v1/schedules/late", {"every": "1000h"}, {"If-None-Match": "*"})
            self.assertEqual(refused.status, 503, refused)
            time.sleep(max(0, end - time.monotonic()))
            self.assertEqual([one.leads() for one in others], [False, False], "nobody else can take the lease")
            self.assertEqual(others[0].get("/v1/schedules/tick").status, 200, "others read")
            self.assertEqual(others[0].get("/v1/schedules/late").status, 404, "what was refused has not happened")
            self.assertEqual(cluster.number(FIRED), fired)
            stopped.process.send_signal(signal.SIGCONT)
            cluster.leader()
            cluster.fired_until(time.time())
        self.check(cluster)

    def test_a_full_disk_delays_fires_and_loses_none(self):
        disk = self.stack.enter_context(tempfile.TemporaryDirectory())
        os.chmod(disk, 0o777)
        mount = ["mount", "-t", "tmpfs", "-o", "size=24m,mode=0777", "tmpfs", disk]
        if subprocess.run(mount, capture_output=True).returncode:
            self.skipTest("may not mount a disk")
        self.stack.callback(subprocess.run, ["umount", "-l", disk])
        cluster = Cluster(self.stack, disk=disk).start()
        for i in range(20):
            cluster.create(f"tick-{i}")
        with open(disk + "/filler", "wb", buffering=0) as filler, contextlib.suppress(OSError):
            while True:
                filler.write(bytes(4096))
        eventually(lambda: any(cluster.engine.FULL in line for one in cluster.daemons for line in one.lines), PATIENCE,
                   "it says so")
        time.sleep(1)
        os.remove(disk + "/filler")
        self.check(cluster)

    def test_all_instances_are_replaced_one_after_the_other(self):
        cluster = Cluster(self.stack).start()
        cluster.create("tick")
        for old in list(cluster.daemons):
            new = cluster.add()
            self.assertEqual(old.stop(PATIENCE), 0, "".join(old.lines))
            eventually(lambda: new.get("/readyz").status == 200, PATIENCE)
            cluster.fired_until(time.time())
        self.check(cluster)

    def test_a_clock_that_jumps_holds_fires_and_loses_none(self):
        cluster = Cluster(self.stack, config='[scheduling]\nclock_hold = "20s"\n').start()
        cluster.create("tick")
        for seconds in (3600, -3600):
            cluster.fired_until(time.time())
            cluster.engine.shift_clock(seconds)
            if seconds > 0:
                eventually(lambda: holds(cluster), PATIENCE, "firing is on hold")
            time.sleep(3)
            last = cluster.number("SELECT max(slot_us) FROM tenure{}history")
            self.assertLess(last, (time.time() + 60) * 1e6, "nothing fires by a time that has not come")
            cluster.engine.shift_clock(0)
            eventually(lambda: not holds(cluster), PATIENCE, "firing goes on")
            cluster.leader()
        # Ahead, it ends the lease early: a follower that asks then leads beside the holder, until he hears of it.
        self.check(cluster, but=("one-believer",), lacking=".* its clock went back, .*")

    @unittest.skipIf(POSTGRES, "the clock is the server's, which does not start with an instance")
    def test_a_clock_that_is_ahead_at_the_start_is_a_jump(self):
        config = '[scheduling]\nclock_hold = "{}"\n'
        cluster = Cluster(self.stack, config=config.format("15s"), count=1).start()
        cluster.create("tick")
        cluster.fired_until(time.time())
        for seconds in (3600, 0):
            cluster.stop()
            cluster.engine.shift_clock(seconds)
            one = cluster.add()
            eventually(lambda: holds(cluster), PATIENCE, "firing is on hold")
            self.assertIn("the store's clock jumped by", one.get("/readyz").json["warnings"][0])
            time.sleep(3)
            self.assertLess(cluster.number("SELECT max(slot_us) FROM tenure{}history"), time.time() * 1e6)
        eventually(lambda: not holds(cluster), PATIENCE, "firing goes on")
        cluster.fired_until(time.time())

        # The clock is believed once it has been steady. What fires by it is silent afterwards, and that is said.
        cluster.stop()
        cluster.engine.shift_clock(60)
        cluster.config = config.format("1s")
        cluster.add()
        cluster.fired_until(time.time() + 50)
        cluster.stop()
        cluster.engine.shift_clock(0)
        one = cluster.add()
        status = one.get("/v1/schedules/tick").json["status"]
        silent_until = cluster.number("SELECT max(slot_us) FROM tenure{}history") / 1e6
        self.assertGreater(datetime.fromisoformat(status["next"].replace("Z", "+00:00")).timestamp(), silent_until)
        self.assertEqual(one.get("/v1/schedules/tick/next").json["slots"][0]["slot"], status["next"])
        eventually(lambda: b"\ntenure_schedules_ahead 1\n" in one.get("/metrics").body, PATIENCE)
        warnings = one.get("/readyz").json["warnings"]
        self.assertTrue(any("1 schedules fired while the store's clock was ahead" in words for words in warnings), warnings)
        self.check_slots(cluster)  # journals cannot be ordered across such a step


if __name__ == "__main__":
    unittest.main()
