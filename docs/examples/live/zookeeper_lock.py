#!/usr/bin/env python3
"""A leader by kazoo's lock in ZooKeeper (Debian: python3-kazoo): a client for `tenure live`.

    tenure live FILE --store … -- python3 zookeeper_lock.py {node} {store} {journal}

`{store}` is HOST:PORT. It leads from when it has the lock until the session is suspended, as Curator's recipes advise. It
looks for that every PERIOD; a belief that no look has renewed is over, so that one of a killed process ends. A process
that was paused may look before its session tells it anything, and then believes that it still leads.
"""

import logging
import sys
import threading
import time

from journal import SECOND, Journal, stop_signal
from kazoo.client import KazooClient, KazooState
from kazoo.exceptions import KazooException

SESSION, PERIOD = 4.0, 0.25


def believe(journal):
    journal.believes(until_mono=time.monotonic_ns() + int(2 * PERIOD * SECOND))


def main():
    logging.disable(logging.CRITICAL)
    node, address, path = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    journal = Journal(path, node, "zookeeper-lock", {"election.lease_duration": int(SESSION * SECOND)})
    asked_to_stop = stop_signal(journal)
    zookeeper = KazooClient(address, timeout=SESSION, connection_retry={"max_tries": -1, "max_delay": 0.5})
    changes = threading.Lock()  # the listener runs on another thread
    state = [KazooState.LOST]

    def hear(now):
        with changes:
            state[0] = now
            if now != KazooState.CONNECTED:
                journal.steps_down("its session is " + now.lower())

    zookeeper.add_listener(hear)
    zookeeper.start_async()
    lock = None
    while not asked_to_stop.is_set():
        try:
            if state[0] == KazooState.CONNECTED and not journal.believing:
                lock = zookeeper.Lock("/leader", str(node))
                if lock.acquire(timeout=PERIOD):
                    with changes:
                        if state[0] == KazooState.CONNECTED:
                            believe(journal)
                    if not journal.believing:
                        lock.release()
        except (KazooException, OSError):
            pass  # nobody knows; a node that was left behind goes with the session
        with changes:
            if journal.believing:
                believe(journal)
                journal.checked()
        asked_to_stop.wait(PERIOD)
    with changes:
        journal.steps_down("it stops")
    zookeeper.stop()  # ends the session, and so the lock
    zookeeper.close()
    journal.stopped()


if __name__ == "__main__":
    main()
