"""Faults of a running cluster (cluster.py), drawn one after the other, each with what heals it."""

import signal
import subprocess
import sys
import time
from collections import Counter

from cluster import PATIENCE
from daemon import POSTGRES
from outages_test import crash_server

COMMITS = ("fires", "fires", "renewal", "release", "claim", "heartbeat", "end", "put", "delete", "run",
           "acknowledgement")


class Faults:
    """Each begins one fault of an instance, its store or a receiver, and returns what heals it; None: not now."""

    def __init__(self, cluster, sinks, rng, lease):
        self.cluster, self.sinks, self.rng, self.lease = cluster, sinks, rng, lease
        self.broken = set()  # instances and receivers
        self.kinds = [self.kill, self.kill, self.stop, self.stand_still, self.stand_still, self.kill_at_commit,
                      self.stand_still_at_commit] + [self.break_receiver] * len(sinks)
        self.kinds += ([self.cut, self.silence, self.delay, self.lose_answer, self.crash_server] if POSTGRES else
                       [self.lock_file, self.lock_file])
        self.count = Counter()

    def one(self):
        """The leader, or any; None: all of them are broken."""
        whole = [one for one in self.cluster.alive() if one not in self.broken]
        leading = [one for one in whole if one.leads()] if self.rng.random() < 0.6 else []
        return self.rng.choice(leading or whole) if whole else None

    def begin(self):
        """Some fault: its name, how long it lasts, and what heals it."""
        while True:
            kind = self.rng.choice(self.kinds)
            length = self.rng.uniform(0.3, 3)
            if kind == self.stand_still:
                length += self.lease
            if kind in (self.break_receiver, self.lock_file, self.crash_server):
                heal = kind()
            elif (one := self.one()) is not None:
                heal = kind(one)
                if heal is not None:
                    self.broken.add(one)
            else:
                return None
            if heal is not None:
                self.count[kind.__name__] += 1
                return kind.__name__, length, heal

    # ---- of an instance ----

    def start_again(self, one):
        one.process.wait(PATIENCE)
        self.broken.discard(one)
        self.cluster.start_again(one, pooled=self.rng.random() < 0.5)

    def kill(self, one):
        one.process.kill()
        return lambda: self.start_again(one)

    def stop(self, one):
        one.process.terminate()

        def heal():
            assert one.process.wait(PATIENCE) == 0, (one.process.returncode, one.lines)
            self.start_again(one)
        return heal

    def go_on(self, one):
        one.process.send_signal(signal.SIGCONT)
        self.broken.discard(one)

    def stand_still(self, one):
        one.process.send_signal(signal.SIGSTOP)
        return lambda: self.go_on(one)

    def kill_at_commit(self, one):
        return self._at_commit(one, signal.SIGKILL)

    def stand_still_at_commit(self, one):
        return self._at_commit(one, signal.SIGSTOP)

    def _at_commit(self, one, how):
        """Before its next commit of a kind, or after it."""
        has_struck = self.cluster.engine.arm(one, self.rng.choice(COMMITS), self.rng.choice(("before", "after")), how)
        if self.has_not(has_struck, one):
            return None
        return lambda: self.go_on(one) if how == signal.SIGSTOP else self.start_again(one)

    def has_not(self, struck, one):
        """It has done nothing of the kind for a while: so it goes on."""
        end = time.monotonic() + 2
        while not struck() and time.monotonic() < end:
            time.sleep(0.02)
        return not struck() and self.cluster.engine.disarm(one)

    # ---- of the store ----

    def lock_file(self):
        locks = ("import sqlite3, sys, time; c = sqlite3.connect(sys.argv[1], timeout=20, isolation_level=None);"
                 "c.execute('BEGIN EXCLUSIVE'); time.sleep(60)")
        holder = subprocess.Popen([sys.executable, "-c", locks, self.cluster.engine.path])
        self.cluster.stack.callback(holder.kill)

        def heal():
            holder.kill()
            holder.wait()
        return heal

    def _of_proxy(self, one, **fields):
        before = {name: getattr(one.proxy, name) for name in fields}
        vars(one.proxy).update(fields)

        def heal():
            vars(one.proxy).update(before)
            self.broken.discard(one)
        return heal

    def cut(self, one):
        heal = self._of_proxy(one, refuses=True)
        one.proxy.cut()
        return heal

    def silence(self, one):
        return self._of_proxy(one, swallows=True)

    def delay(self, one):
        return self._of_proxy(one, delay=self.rng.uniform(0.02, 0.4))

    def lose_answer(self, one):
        """Of a commit that was executed; the connection is lost, too."""
        struck = self.cluster.engine.lose_answer(one, self.rng.choice(COMMITS))
        return None if self.has_not(struck, one) else lambda: self.broken.discard(one)

    def crash_server(self):
        crash_server(self.cluster)
        return lambda: None

    # ---- of a receiver ----

    def break_receiver(self):
        whole = [one for one in self.sinks if one not in self.broken]
        if not whole:
            return None
        sink = self.rng.choice(whole)
        self.broken.add(sink)
        how = self.rng.choice(("down", "slow", "500", "hangs up"))
        if how == "down":
            sink.close()
        else:
            sink.takes = 3 if how == "slow" else 0
            sink.usual = {"slow": 204, "500": 500, "hangs up": None}[how]

        def heal():
            if how == "down":
                sink.open()
            sink.takes, sink.usual = 0, 204
            self.broken.discard(sink)
        return heal
