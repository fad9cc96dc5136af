"""Three real processes on one Postgres, and what goes wrong between and under them: an instance is killed before and
after a commit, a renewal, a send, an acknowledgement, what workers ask and what clients edit; the network to the server
goes silent; the server begins anew; its clock jumps; its disk is full; all instances are replaced, one after the other. Nothing is lost, and nothing happens
twice that should not.

What became of slots is asked of the database: no instance is believed.
"""

import contextlib
import http.client
import json
import os
import signal
import subprocess
import tempfile
import threading
import time
import unittest
from collections import Counter

from daemon import Daemon, eventually
from postgres_proxy import Failpoint, PostgresProxy
from webhooks_test import SECRET, Sink, destination

TENURE = os.environ.get("TENURE", "tenure")
PATIENCE = 60
PERIOD_MS = 100
RELEASED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../adapters/postgres/released/7.sql")

# Of all that became of slots: how many rows, how many that did not fire, how many slots, how many there are from each
# schedule's first to its last, and the least of the last ones.
HISTORY = f"""SELECT sum(n), sum(others), sum(slots), sum((last - first) / {PERIOD_MS * 1000} + 1), min(last)
  FROM (SELECT count(*) AS n, count(*) FILTER (WHERE what <> 0) AS others, count(DISTINCT slot_us) AS slots,
               min(slot_us) AS first, max(slot_us) AS last FROM tenure.history GROUP BY schedule) x"""
# Events that wait and did not fire, or fired and do not wait.
UNLIKE = """SELECT count(*) FROM (SELECT schedule, slot_us, run FROM tenure.waiting) w
  FULL JOIN tenure.history h USING (schedule, slot_us, run) WHERE w.run IS NULL OR h.seq IS NULL"""
SLEEPER = "SELECT pid FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600)'"


class Cluster:
    """Instances of one configuration, each behind a proxy of its own."""

    def __init__(self, stack, config=None, count=3):
        self.stack, self.config = stack, config
        self.folder = stack.enter_context(tempfile.TemporaryDirectory())
        self.database = "faults_" + os.path.basename(self.folder).lower().replace("-", "_")
        subprocess.run(["createdb", self.database], check=True)
        stack.callback(lambda: subprocess.run(["dropdb", "--force", self.database], check=True))
        self.count, self.daemons, self.journals = count, [], []

    def start(self):
        for _ in range(self.count):
            self.add()
        self.leader()
        return self

    def add(self):
        self.journals.append(f"{self.folder}/journal{len(self.journals)}.jsonl")
        proxy = self.stack.enter_context(PostgresProxy())
        # pooled: each request has its statement, for the failpoints
        daemon = Daemon(proxy.connection(self.database), "--journal", self.journals[-1], "--set", "pooled=true",
                        config=self.config, environment={"SECRET": SECRET})
        daemon.proxy = proxy
        self.daemons.append(self.stack.enter_context(daemon))
        return daemon

    def alive(self):
        return [one for one in self.daemons if one.process.poll() is None]

    def leader(self, but=()):
        return eventually(lambda: next((one for one in self.alive() if one not in but and one.leads()), None), PATIENCE,
                          "one leads")

    def create(self, name, **more):
        self.leader().create(name, {"every": f"{PERIOD_MS}ms", "max_catchup": 100000, **more})

    def sql(self, statement):
        done = subprocess.run(["psql", "-XAtqc", statement, self.database], capture_output=True, text=True, check=True)
        return done.stdout.strip().split("|")

    def shift_clock(self, seconds):
        """From now on the server's clock is so much ahead."""
        self.sql("CREATE OR REPLACE FUNCTION tenure.now_us() RETURNS bigint LANGUAGE sql VOLATILE AS $$"
                 f" SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + {seconds * 1000000} $$")

    def holds(self):
        return any("\ntenure_clock_hold 1\n" in one.get("/metrics").body.decode() for one in self.alive())

    def fired_until(self, moment):
        """Waits until each schedule has fired its slots up to then, by this machine's clock: the server's, too."""
        eventually(lambda: int(self.sql(HISTORY)[4] or 0) >= moment * 1e6, PATIENCE, "slots fire")

    def arm(self, one, text, when):
        """It dies at its next request with this text."""
        one.proxy.failpoint = Failpoint(text, when, one.process.kill)
        return one.proxy.failpoint.struck

    def kill_at(self, text, when):
        """The leader dies at its next request with this text."""
        leader = self.leader()
        eventually(self.arm(leader, text, when).is_set, PATIENCE, f"killed {when} {text}")
        leader.process.wait()
        return leader


class Worker:
    """Claims events, and says what became of them, at one instance after another: who was killed has not answered.

    Of what it begins it fails at each fourth, gives back each fourth, and is slow with each fourth.
    """

    def __init__(self, cluster, topic):
        self.cluster, self.topic = cluster, topic
        self.begun, self.ended, self.over = [], [], False
        self.at = cluster.alive()[0]
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _ask(self, path, body=None):
        """Until somebody answers."""
        while True:
            try:
                answer = self.at.ask("POST", path, body)
                if answer.status != 503:
                    return answer
            except (OSError, http.client.HTTPException):
                pass
            others = [one for one in self.cluster.alive() if one is not self.at]
            if self.at.process.poll() is not None and others:
                self.at = others[0]
            time.sleep(0.05)

    def _run(self):
        while not self.over:
            claim = self._ask("/v1/executions:claim", {"topic": self.topic, "max": 3, "duration": "2s"})
            for one in claim.json["executions"]:
                self.begun.append((one["event"]["id"], one["attempt"]))
                path = f"/v1/executions/{one['id']}"
                how = len(self.begun) % 4
                if how == 2:
                    self._ask(path + "/heartbeat", {"duration": "2s"})
                verb = {0: "fail", 1: "release"}.get(how, "complete") if one["attempt"] < 4 else "complete"
                answer = self._ask(f"{path}/{verb}")
                self.ended.append((one["event"]["id"], answer.status, answer.json.get("standing")))
            time.sleep(0.05)

    def end(self):
        self.over = True
        self.thread.join()



class FaultsTest(unittest.TestCase):
    def setUp(self):
        self.stack = contextlib.ExitStack()
        self.addCleanup(self.stack.close)

    def check_history(self, cluster):
        """Each slot from the first to the last fired, and once."""
        rows, others, slots, range_of_slots, _ = (int(one) for one in cluster.sql(HISTORY))
        self.assertEqual(others, 0, "all fired, however late")
        self.assertEqual((rows, rows), (slots, range_of_slots), "no slot is missing, none fired twice")
        return rows

    def check_journals(self, cluster):
        for daemon in cluster.alive():
            daemon.stop(PATIENCE)
        audit = subprocess.run([TENURE, "audit", *cluster.journals], capture_output=True, text=True)
        # Who is killed does not tell what he has just done.
        killed = any(one.process.returncode == -signal.SIGKILL for one in cluster.daemons)
        self.assertIn(audit.returncode, (0, 2) if killed else (0,), audit.stdout + audit.stderr)

    def check(self, cluster):
        cluster.fired_until(time.time())
        for daemon in cluster.alive():
            daemon.stop(PATIENCE)
        self.check_history(cluster)
        self.assertEqual(cluster.sql(UNLIKE), ["0"], "an event for each fire, and no other")
        self.check_journals(cluster)

    def test_killed_before_a_commit_and_after_one(self):
        cluster = Cluster(self.stack).start()
        cluster.create("tick")
        cluster.kill_at("tenure.commit_fire", "before")
        cluster.kill_at("tenure.commit_fire", "after")
        self.check(cluster)

    def test_killed_before_and_after_a_renewal_and_a_release_of_the_lease(self):
        cluster = Cluster(self.stack, count=5).start()
        cluster.create("tick")
        for when in ("before", "after"):
            cluster.kill_at("tenure.renew", when)
            leader = cluster.leader()
            struck = cluster.arm(leader, "tenure.release(", when)
            leader.process.terminate()
            eventually(struck.is_set, PATIENCE, f"killed {when} the release")
            leader.process.wait()
        self.check(cluster)

    def test_killed_before_and_after_what_a_worker_asks(self):
        failpoints = [(f"tenure.{text}", when) for text in ("claim(", "extend_attempts", "end_attempts")
                      for when in ("before", "after")]
        cluster = Cluster(self.stack).start()
        cluster.create("tick", topic="work", attempts=100, back_off="10ms")
        worker = Worker(cluster, "work")
        self.addCleanup(worker.end)
        for text, when in failpoints:
            cluster.add().wait_for_port()
            count = len(worker.ended)
            eventually(lambda: len(worker.ended) > count + 8, PATIENCE, "the worker works")
            eventually(cluster.arm(worker.at, text, when).is_set, PATIENCE, f"killed {when} {text}")
        cluster.leader().ask("POST", "/v1/schedules/tick/pause", {"why": "the test is over"})
        eventually(lambda: cluster.sql("SELECT count(*) FROM tenure.waiting") == ["0"], PATIENCE, "all is done")
        worker.end()
        for daemon in cluster.alive():
            daemon.stop(PATIENCE)
        self.assertEqual(cluster.sql("SELECT count(*) FROM tenure.dead"), ["0"])
        fired = int(cluster.sql("SELECT count(*) FROM tenure.history WHERE what = 0")[0])
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
            for verb, text, headers in (("PUT", "tenure.put_named", {"If-None-Match": "*"}),
                                        ("DELETE", "tenure.remove_named", {"If-Match": "*"})):
                cluster.add().wait_for_port()
                asked = cluster.alive()[0]
                struck = cluster.arm(asked, text, when)
                with self.assertRaises((OSError, http.client.HTTPException)):
                    asked.ask(verb, f"/v1/schedules/{when}", {"every": "1000h"} if verb == "PUT" else None, headers)
                eventually(struck.is_set, PATIENCE)
                asked.process.wait()
                other = cluster.alive()[0]
                there = other.get(f"/v1/schedules/{when}").status == 200
                self.assertEqual(there, (verb == "PUT") == (when == "after"), "it happened, or it did not")
                again = other.ask(verb, f"/v1/schedules/{when}", {"every": "1000h"} if verb == "PUT" else None, headers)
                self.assertEqual(other.get(f"/v1/schedules/{when}").status, 200 if verb == "PUT" else 404, again)
        self.assertEqual(cluster.sql("SELECT count(*) FROM tenure.change"), ["4"], "each once")

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
        cluster.kill_at("tenure.acknowledge_events", "before")
        cluster.kill_at("tenure.acknowledge_events", "after")
        cluster.fired_until(time.time())
        cluster.leader().ask("POST", "/v1/schedules/tick/pause", {"why": "the test is over"})
        eventually(lambda: cluster.sql("SELECT count(*) FROM tenure.waiting") == ["0"], PATIENCE)
        self.assertEqual(cluster.sql("SELECT count(*) FROM tenure.dead"), ["0"])
        for daemon in cluster.alive():
            daemon.stop(PATIENCE)
        fired = int(cluster.sql("SELECT count(*) FROM tenure.history WHERE what = 0")[0])
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

    def test_a_leader_whose_network_is_silent_gives_way_and_comes_back(self):
        cluster = Cluster(self.stack).start()
        cluster.create("tick")
        cut = cluster.leader()
        cut.proxy.swallows = True
        other = cluster.leader(but=(cut,))
        eventually(lambda: not cut.leads(), PATIENCE)
        self.assertEqual(cut.get("/healthz").status, 200)
        cut.proxy.swallows = False
        eventually(lambda: cut.get("/readyz").status == 200, PATIENCE, "it comes back")
        other.proxy.swallows = True
        cluster.leader(but=(other,))
        other.proxy.swallows = False
        self.check(cluster)

    def test_a_silence_for_all_delays_fires_and_loses_none(self):
        cluster = Cluster(self.stack).start()
        cluster.create("tick")
        cluster.fired_until(time.time())
        for one in cluster.daemons:
            one.proxy.swallows = True
        eventually(lambda: not any(one.leads() for one in cluster.daemons), PATIENCE)
        for one in cluster.daemons:
            one.proxy.swallows = False
        self.check(cluster)

    def test_a_server_that_begins_anew_delays_fires_and_loses_none(self):
        cluster = Cluster(self.stack).start()
        cluster.create("tick")
        for _ in range(3):
            cluster.fired_until(time.time())
            # One of its processes dies: it ends all others, and begins anew from its log.
            witness = subprocess.Popen(["psql", "-XAtqc", "SELECT pg_sleep(600)", cluster.database],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            eventually(lambda: cluster.sql(SLEEPER) != [""], PATIENCE)
            os.kill(int(cluster.sql(SLEEPER)[0]), signal.SIGKILL)
            witness.wait(PATIENCE)
            eventually(lambda: subprocess.run(["psql", "-XAtqc", "SELECT 1", cluster.database],
                                              capture_output=True).returncode == 0, PATIENCE, "it answers again")
            cluster.leader()
        self.assertTrue(all(one.process.poll() is None for one in cluster.daemons), "all have outlived it")
        self.check(cluster)

    def test_a_clock_that_jumps_holds_fires_and_loses_none(self):
        cluster = Cluster(self.stack, config='[scheduling]\nclock_hold = "20s"\n').start()
        cluster.create("tick")
        for seconds in (3600, -3600):
            cluster.fired_until(time.time())
            cluster.shift_clock(seconds)
            if seconds > 0:
                eventually(cluster.holds, PATIENCE, "firing is on hold")
            time.sleep(3)
            last = int(cluster.sql("SELECT max(slot_us) FROM tenure.history")[0])
            self.assertLess(last, (time.time() + 60) * 1e6, "nothing fires by a time that has not come")
            cluster.shift_clock(0)
            eventually(lambda: not cluster.holds(), PATIENCE, "firing goes on")
            cluster.leader()
        self.check(cluster)

    def test_a_full_disk_delays_fires_and_loses_none(self):
        disk = self.stack.enter_context(tempfile.TemporaryDirectory())
        os.chmod(disk, 0o777)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m,mode=0777", "tmpfs", disk], capture_output=True).returncode:
            self.skipTest("may not mount a disk")
        self.stack.callback(lambda: subprocess.run(["umount", "-l", disk]))
        os.mkdir(disk + "/files")
        subprocess.run(["chown", "postgres", disk + "/files"], check=True)
        cluster = Cluster(self.stack)
        subprocess.run(["psql", "-Xqc", f"CREATE TABLESPACE faults LOCATION '{disk}/files'", "postgres"], check=True)
        cluster.stack.callback(lambda: subprocess.run(["psql", "-Xqc", "DROP TABLESPACE faults", "postgres"]))
        subprocess.run(["psql", "-Xqc", f"ALTER DATABASE {cluster.database} SET TABLESPACE faults", "postgres"], check=True)
        cluster.stack.callback(lambda: subprocess.run(
            ["psql", "-Xqc", f"ALTER DATABASE {cluster.database} SET TABLESPACE pg_default", "postgres"]))
        cluster.start()
        for i in range(20):
            cluster.create(f"tick-{i}")
        with open(disk + "/filler", "wb", buffering=0) as filler, contextlib.suppress(OSError):
            while True:
                filler.write(bytes(4096))
        eventually(lambda: any("no room left" in line for one in cluster.daemons for line in one.lines), PATIENCE,
                   "it says so")
        time.sleep(1)
        os.remove(disk + "/filler")
        self.check(cluster)

    def test_all_instances_are_replaced_one_after_the_other(self):
        cluster = Cluster(self.stack)
        # The tables are those of a release before: the first instance that comes migrates them.
        subprocess.run(["psql", "-Xqf", RELEASED, cluster.database], check=True, capture_output=True)
        cluster.start()
        cluster.create("tick")
        for old in list(cluster.daemons):
            new = cluster.add()
            self.assertEqual(old.stop(PATIENCE), 0, "".join(old.lines))
            eventually(lambda: new.get("/readyz").status == 200, PATIENCE)
            cluster.fired_until(time.time())
        self.check(cluster)


if __name__ == "__main__":
    unittest.main()
