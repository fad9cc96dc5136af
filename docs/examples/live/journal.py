"""A journal as docs/reference/journal.md describes it, for leader elections of your own that `tenure live` and
`tenure audit` judge: what this process believed, from when until when, and when it acted as the leader.

    journal = Journal("node1.jsonl", 1, "my-lock")
    journal.believes(until_mono=asked_at + lease)   # it leads, until then at most
    journal.checked()                               # it has looked whether it leads, and acts now
    journal.steps_down("the store says somebody else leads")
"""

import fcntl
import hashlib
import json
import os
import random
import signal
import threading
import time

SECOND = 1_000_000_000


class Journal:
    """Any thread may write."""

    def __init__(self, path, node, election, settings=None):
        self.node, self.life, self.seq = node, random.SystemRandom().randrange(1, 2**31), 0
        self.lock = threading.Lock()
        self.believing = False
        self.file = open(path, "ab+", buffering=0)
        fcntl.flock(self.file, fcntl.LOCK_EX)  # of one life at a time
        self.prev = self._last_hash()
        with open("/proc/sys/kernel/random/boot_id") as boot:
            self.write("started", boot=boot.read().strip(), settings=settings or {}, election=election)

    def _last_hash(self):
        """The hash of the line before, also of another life. What a killed one has not written whole goes."""
        self.file.seek(0)
        *whole, rest = self.file.read().split(b"\n")
        if rest:
            self.file.truncate(self.file.tell() - len(rest))
        return hashlib.sha256(whole[-1]).hexdigest()[:32] if whole else "0" * 32

    def write(self, event, **fields):
        with self.lock:
            self.seq += 1
            line = json.dumps({
                "v": 5, "prev": self.prev, "at": time.clock_gettime_ns(time.CLOCK_BOOTTIME), "mono": time.monotonic_ns(),
                "node": self.node, "life": self.life, "seq": self.seq, "event": event, **fields}).encode()
            self.prev = hashlib.sha256(line).hexdigest()[:32]
            self.file.write(line + b"\n")

    def believes(self, **until):
        """Until `until_mono`, in nanoseconds; or `open=True`: until it steps down. An open one of a process that was
        killed lasts for ever, as far as its journal tells.
        """
        self.believing = True
        self.write("believes", resource=0, **until)

    def checked(self):
        self.write("checked", resource=0)

    def steps_down(self, why):
        if self.believing:
            self.write("steps-down", resource=0, why=why)
        self.believing = False

    def stopped(self):
        self.steps_down("it stops")
        self.write("stopped")
        self.write("died", how="stopped")


def stop_signal(journal):
    """An event that SIGTERM and SIGINT set. From then on the process ends in its own time."""
    asked = threading.Event()

    def ask(*_):
        if not asked.is_set():
            asked.set()
            journal.write("stop-heard")

    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, ask)
    return asked
