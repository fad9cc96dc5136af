#!/usr/bin/env python3
"""How long nobody fires when the leader is killed, and when it is asked to stop: real processes on a real store.

    python3 bench/failover.py build/release/bin/example_scheduler STORE [ROUNDS]

STORE is a file of SQLite or a connection string of Postgres; for a Postgres of its own:
    tests/adapters/postgres/with_postgres.sh python3 bench/failover.py build/release/bin/example_scheduler dbname=postgres

Three processes with the defaults of fenced-lease fire a schedule that is due every 250 ms. Time is counted from the
signal until another process leads, and until it fires, which may have to wait for the next slot; on the machine's boot
clock, which the journals have too.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

LEASE = 15.0  # fenced-lease's default


def boot_clock():
    return max(time.clock_gettime(time.CLOCK_BOOTTIME), time.clock_gettime(time.CLOCK_MONOTONIC_RAW))


class Process:
    started = 0

    def __init__(self, program, store, folder):
        Process.started += 1
        self.journal = os.path.join(folder, f"journal.{Process.started}")
        self.child = subprocess.Popen([program, store, str(Process.started), self.journal], stdout=subprocess.DEVNULL)

    def times(self, event):
        """When this process noted the event, in seconds."""
        if not os.path.exists(self.journal):
            return []
        with open(self.journal) as lines:
            found = [line for line in lines if line.endswith("\n") and f'"event":"{event}",' in line]
        return [json.loads(line)["mono"] / 1e9 for line in found]


def first(event, processes, after):
    """(when, who) noted it first after that time."""
    end = time.monotonic() + LEASE + 30
    while time.monotonic() < end:
        noted = [(at, process) for process in processes for at in process.times(event) if at > after]
        if noted:
            return min(noted, key=lambda pair: pair[0])
        time.sleep(0.05)
    sys.exit(f"nobody {event}")


def told(what, seconds):
    mean = sum(seconds) / len(seconds)
    return f"{what} after {min(seconds):.3f} to {max(seconds):.3f} s (mean {mean:.3f})"


def main():
    program, store = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 8
    leads = {"SIGKILL": [], "SIGTERM": []}
    fires = {"SIGKILL": [], "SIGTERM": []}
    with tempfile.TemporaryDirectory() as folder:
        processes = [Process(program, store, folder) for _ in range(3)]
        try:
            for number in range(rounds):
                for name in leads:
                    _, leader = first("work", processes, boot_clock())
                    time.sleep(1 + 0.37 * (number % 8))  # so that the age of the last renewal differs
                    processes.remove(leader)
                    sent = boot_clock()
                    leader.child.send_signal(getattr(signal, name))
                    leads[name].append(first("believes", processes, sent)[0] - sent)
                    fires[name].append(first("work", processes, sent)[0] - sent)
                    leader.child.wait()
                    processes.append(Process(program, store, folder))
        finally:
            for process in processes:
                process.child.kill()
                process.child.wait()
    for name in leads:
        beyond = f"; at most {max(fires[name]) - LEASE:+.3f} s beyond the lease" if name == "SIGKILL" else ""
        print(f"{name} {rounds} times: another {told('leads', leads[name])}, {told('fires', fires[name])}{beyond}")


main()
