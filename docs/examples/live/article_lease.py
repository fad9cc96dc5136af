#!/usr/bin/env python3
"""The lease of scenarios/designs/article-lease, on a real Postgres (Debian: python3-psycopg2): a client for
`tenure live`.

    tenure live FILE --store postgres -- python3 article_lease.py {node} {store} {journal}

Its mistake is the design's: it takes the database's time for one of this machine's wall clock. The journal has that time
by the monotonic clock, as it was when the answer came: the audit takes none of a wall clock, which may step.
"""

import contextlib
import select
import sys
import time
import uuid

import psycopg2
import psycopg2.extensions
from journal import SECOND, Journal, stop_signal

LOCK_SECONDS, PERIOD, TIMEOUT = 2, 0.5, 1.0
SCHEMA = """CREATE TABLE IF NOT EXISTS leader_lock (
  resource text PRIMARY KEY, holder_id text NOT NULL, expires_at timestamptz NOT NULL)"""
TAKE = """INSERT INTO leader_lock AS l (resource, holder_id, expires_at)
  VALUES ('scheduler', %s, now() + make_interval(secs => %s))
  ON CONFLICT (resource) DO UPDATE SET holder_id = excluded.holder_id, expires_at = excluded.expires_at
  WHERE l.holder_id = excluded.holder_id OR l.expires_at < now()
  RETURNING extract(epoch FROM expires_at)"""


def wait_in_bounds(connection):
    """libpq alone would wait for ever for a server that says nothing."""
    last = time.monotonic() + TIMEOUT
    while (wants := connection.poll()) != psycopg2.extensions.POLL_OK:
        reads = [connection] if wants == psycopg2.extensions.POLL_READ else []
        writes = [connection] if wants == psycopg2.extensions.POLL_WRITE else []
        if not any(select.select(reads, writes, [], max(last - time.monotonic(), 0))):
            # psycopg2 holds the connection's lock here, and closes it because of this: close() would wait for ever.
            raise psycopg2.OperationalError("no answer in time")


class Database:
    def __init__(self, address):
        self.address, self.connection = address, None

    def __call__(self, sql, *values):
        try:
            if self.connection is None:
                self.connection = psycopg2.connect(self.address)
                self.connection.autocommit = True
            with self.connection.cursor() as cursor:
                cursor.execute(sql, values)
                return cursor.fetchall() if cursor.description else []
        except psycopg2.Error:
            with contextlib.suppress(psycopg2.Error):
                if self.connection is not None:
                    self.connection.close()
            self.connection = None
            raise


def main():
    psycopg2.extensions.set_wait_callback(wait_in_bounds)
    node, address, path = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    journal = Journal(path, node, "article-lease", {"election.lease_duration": LOCK_SECONDS * SECOND})
    asked_to_stop = stop_signal(journal)
    database, mine, until, has_schema = Database(address), uuid.uuid4().hex, 0, False
    while not asked_to_stop.is_set():
        if journal.believing and until <= time.time_ns():
            journal.steps_down("its row has expired")
        try:
            if not has_schema:
                with contextlib.suppress(psycopg2.errors.UniqueViolation):  # another one makes it at the same moment
                    database(SCHEMA)
                has_schema = True
            rows = database(TAKE, mine, LOCK_SECONDS)
            if rows:
                until = int(rows[0][0] * SECOND)
                journal.believes(until_mono=time.monotonic_ns() + until - time.time_ns())
            else:
                journal.steps_down("no row came back")
        except psycopg2.Error:
            journal.steps_down("the attempt failed")
        if journal.believing and time.time_ns() < until:
            journal.checked()
        asked_to_stop.wait(PERIOD)
    journal.stopped()


if __name__ == "__main__":
    main()
