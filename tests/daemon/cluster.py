"""Instances of one configuration on a store with failpoints (engines.py), and what must hold of them in the end.

What became of slots is asked of the database: no instance is believed.
"""

import contextlib
import glob
import http.client
import json
import os
import signal
import subprocess
import tempfile
import threading
import time
import unittest

from daemon import Daemon, eventually
from engines import Engine
from webhooks_test import SECRET

TENURE = os.environ.get("TENURE", "tenure")
PATIENCE = 60
LEASE = 3
PERIOD_MS = 100

# Of all that became of slots: how many rows, how many that did not fire, how many slots, how many there are from each
# schedule's first to its last, and the least of the last ones.
HISTORY = f"""SELECT sum(n), sum(others), sum(slots), sum((last - first) / {PERIOD_MS * 1000} + 1), min(last)
  FROM (SELECT count(*) AS n, count(*) FILTER (WHERE what <> 0) AS others, count(DISTINCT slot_us) AS slots,
               min(slot_us) AS first, max(slot_us) AS last FROM tenure{{}}history GROUP BY schedule) x"""
FIRED = "SELECT count(*) FROM tenure{}history WHERE what = 0"
WAITING = "SELECT count(*) FROM tenure{}waiting"
DEAD = "SELECT count(*) FROM tenure{}dead"
# Events that wait and did not fire, or fired and do not wait.
UNLIKE = """SELECT count(*) FROM (SELECT schedule, slot_us, run FROM tenure{0}waiting) w
  FULL JOIN tenure{0}history h USING (schedule, slot_us, run) WHERE w.run IS NULL OR h.seq IS NULL"""


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


class Cluster:
    def __init__(self, stack, config=None, count=3, disk=None, lease=LEASE, timeout="1s", flags=(), make=Daemon):
        self.stack, self.config, self.flags, self.make = stack, config, flags, make
        self.lease = {"lease": f"{lease}s", "timeout": timeout}
        self.folder = stack.enter_context(tempfile.TemporaryDirectory())
        self.engine = Engine(stack, self.folder, disk)
        self.count, self.daemons = count, []

    def start(self):
        for _ in range(self.count):
            self.add()
        self.leader()
        return self

    def add(self, **more):
        return self._begin(f"{self.folder}/journal{len(self.daemons)}.jsonl", more)

    def start_again(self, one, **more):
        """It takes the place of one that has ended, whose journal is put aside."""
        return self._begin(one.journal, more)

    def _begin(self, journal, more):
        daemon = self._start("--journal", journal, **more)
        self.stack.callback(daemon.kill)
        daemon.journal = journal
        self.daemons.append(daemon.wait_for_port())
        return daemon

    def journals(self):
        """The files of each, the older ones first."""
        return {path: [*sorted(glob.glob(path + ".*")), path] for path in {one.journal for one in self.daemons}}

    def audit(self):
        files = [file for each in self.journals().values() for file in each]
        done = subprocess.run([TENURE, "audit", "--format", "json", *files], capture_output=True, text=True)
        assert done.returncode in (0, 1, 2), done.stderr
        return json.loads(done.stdout)

    def kill_at_start(self, kind, when):
        """An instance that never comes so far that it has a journal."""
        daemon = self._start(armed=(kind, when))
        self.stack.callback(daemon.kill)
        assert daemon.process.wait(PATIENCE) == -signal.SIGKILL, "".join(daemon.lines)

    def _start(self, *flags, **more):
        return self.engine.start(self.make, *self.flags, *flags, **self.lease, config=self.config,
                                 environment={"SECRET": SECRET}, **more)

    def alive(self):
        return [one for one in self.daemons if one.process.poll() is None]

    def leader(self, but=()):
        return eventually(lambda: next((one for one in self.alive() if one not in but and one.leads()), None), PATIENCE,
                          "one leads")

    def create(self, name, **more):
        self.leader().create(name, {"every": f"{PERIOD_MS}ms", "max_catchup": 100000, **more})

    def pause(self, name):
        why = {"why": "the test is over"}
        eventually(lambda: self.leader().ask("POST", f"/v1/schedules/{name}/pause", why).status == 200, PATIENCE)

    def number(self, statement):
        return self.engine.row(statement)[0]

    def fired_until(self, moment):
        """Waits until each schedule has fired its slots up to then, by this machine's clock: the store's, too."""
        eventually(lambda: self.engine.row(HISTORY)[4] >= moment * 1e6, PATIENCE, "slots fire")

    def arm(self, one, kind, when, how=signal.SIGKILL):
        """At its next transaction of this kind it is sent the signal. Returns what waits for that."""
        has_struck = self.engine.arm(one, kind, when, how)

        def wait():
            eventually(has_struck, PATIENCE, f"struck {when} the {kind}")
            if how == signal.SIGKILL:
                assert one.process.wait(PATIENCE) == -how, "it died of it"
            else:
                stopped = os.WSTOPPED | os.WNOHANG | os.WNOWAIT
                eventually(lambda: os.waitid(os.P_PID, one.process.pid, stopped), PATIENCE, "it stands still")
            return one

        wait.has_struck = has_struck
        return wait

    def strike_leader(self, kind, when, how=signal.SIGKILL):
        """Arms whoever leads; where another one leads before it has struck, that one instead."""
        while True:
            one = self.leader()
            wait = self.arm(one, kind, when, how)
            eventually(lambda: wait.has_struck() or any(other.leads() for other in self.alive() if other is not one),
                       PATIENCE, f"struck {when} the {kind}, or another one leads")
            if wait.has_struck() or not self.engine.disarm(one):
                return wait()

    def stop(self):
        for daemon in self.alive():
            daemon.stop(PATIENCE)


class ClusterTest(unittest.TestCase):
    def setUp(self):
        self.stack = contextlib.ExitStack()
        self.addCleanup(self.stack.close)

    def check_journals(self, cluster, but=(), lacking=None):
        """The audit passes; the checks of `but` may fail. `lacking`: a pattern of what alone has to be lacking."""
        cluster.stop()
        found = cluster.audit()
        failed = {check["name"]: check["first"] for check in found["checks"] if check["verdict"] == "fail"}
        self.assertLessEqual(set(failed), set(but), failed)
        # Who is killed does not tell what he has just done.
        if not any(one.process.returncode == -signal.SIGKILL for one in cluster.daemons):
            self.assertRegex("\n".join(found["lacking"]), f"^({lacking})$" if lacking else "^$")
            self.assertEqual(found["verdict"], "fail" if failed else "inconclusive" if lacking else "pass")

    def check(self, cluster, but=(), lacking=None):
        self.check_slots(cluster)
        self.check_journals(cluster, but, lacking)

    def check_slots(self, cluster):
        """Each slot from the first to the last fired, and once."""
        cluster.fired_until(time.time())
        cluster.stop()
        rows, others, slots, range_of_slots, _ = cluster.engine.row(HISTORY)
        self.assertEqual(others, 0, "all fired, however late")
        self.assertEqual((rows, rows), (slots, range_of_slots), "no slot is missing, none fired twice")
        self.assertEqual(cluster.number(UNLIKE), 0, "an event for each fire, and no other")
