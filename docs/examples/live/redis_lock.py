#!/usr/bin/env python3
"""A leader by a key in Redis, SET … NX PX, renewed by a script that looks whose it is: a client for `tenure live`.

    tenure live FILE --store … -- python3 redis_lock.py {node} {store} {journal}

`{store}` is HOST:PORT. The belief ends with the key's time to live, counted from before the request was sent, so that
it is never later than Redis' own end: but for Redis' clock, and for a failover that loses the key.
"""

import contextlib
import socket
import sys
import time
import uuid

from journal import SECOND, Journal, stop_signal

TIME_TO_LIVE, PERIOD, TIMEOUT = 2 * SECOND, SECOND // 4, 1.0
RENEW = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0"
RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0"


class Redis:
    """As much of its protocol as this needs. A connection that fails once is not used again."""

    def __init__(self, address):
        host, _, port = address.rpartition(":")
        self.address, self.stream = (host, int(port)), None

    def __call__(self, *words):
        try:
            if self.stream is None:
                self.stream = socket.create_connection(self.address, TIMEOUT).makefile("rwb")
            words = [str(word).encode() for word in words]
            self.stream.write(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words))
            self.stream.flush()
            return self._answer()
        except OSError:
            if self.stream is not None:
                with contextlib.suppress(OSError):
                    self.stream.close()
            self.stream = None
            raise

    def _answer(self):
        line = self.stream.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("the server has closed the connection")
        kind, rest = line[:1], line[1:-2].decode()
        if kind == b"-":
            raise ConnectionError(rest)
        if kind == b"$" and rest != "-1":
            return self.stream.read(int(rest) + 2)[:-2].decode()
        return int(rest) if kind == b":" else None if kind == b"$" else rest


def main():
    node, address, path = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    journal = Journal(path, node, "redis-lock", {"election.lease_duration": TIME_TO_LIVE})
    asked_to_stop = stop_signal(journal)
    redis, mine, until = Redis(address), uuid.uuid4().hex, 0
    while not asked_to_stop.is_set():
        sent = time.monotonic_ns()
        if journal.believing and until <= sent:
            journal.steps_down("the key's time is over")
        try:
            leads = (redis("eval", RENEW, 1, "leader", mine, TIME_TO_LIVE // 1_000_000) == 1 if journal.believing else
                     redis("set", "leader", mine, "NX", "PX", TIME_TO_LIVE // 1_000_000) == "OK")
            if not leads:
                journal.steps_down("the key is not ours")
            elif sent + TIME_TO_LIVE > time.monotonic_ns():
                until = sent + TIME_TO_LIVE
                journal.believes(until_mono=until)
        except OSError:
            pass  # nobody knows: the belief lasts as long as it would have
        if journal.believing and time.monotonic_ns() < until:
            journal.checked()
        asked_to_stop.wait(PERIOD / SECOND)
    was_leader = journal.believing
    journal.steps_down("it stops")
    if was_leader:
        with contextlib.suppress(OSError):
            redis("eval", RELEASE, 1, "leader", mine)
    journal.stopped()


if __name__ == "__main__":
    main()
