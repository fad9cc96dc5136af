"""What the tests of faults need of a store's engine: a fresh store, what is in it, and instances with failpoints.

A failpoint is armed for one instance. It strikes once, at the instance's next transaction of a kind: before that is
committed, or after it is and before the instance has heard so. Then the instance is sent a signal.
"""

import contextlib
import os
import queue
import signal
import sqlite3
import subprocess

from daemon import POSTGRES
from postgres_proxy import Failpoint, PostgresProxy

PRELOADED = os.environ.get("FAILPOINTS", "")


class SqliteFile:
    """Each instance has a library preloaded that looks at its transactions (preload/failpoints.cc)."""

    # Patterns that are found in a transaction's statements. Each begins with BEGIN and a look at the head, whose row it
    # writes last. Who takes, renews or releases the lease writes nothing else.
    HEAD_ALONE = "^BEGIN IMMEDIATE;[^;]*;INSERT INTO tenure_resource [^;]* holder_life = "
    TRANSACTIONS = {
        "migration": ";INSERT INTO tenure_meta ",
        "registration": ";INSERT INTO tenure_node",
        "fires": ";UPDATE tenure_segment SET cursor_us",
        "grant": HEAD_ALONE + "[1-9]",  # of one who does not lead
        "renewal": HEAD_ALONE + "[1-9]",
        "release": HEAD_ALONE + "0,",
        "claim": "INDEXED BY tenure_waiting_name .*;UPDATE tenure_waiting SET attempt",
        "heartbeat": "^BEGIN IMMEDIATE;[^;]*;SELECT [^;]*;UPDATE tenure_waiting SET attempt [^;]* claimed = 1,",
        "end": ";INSERT INTO tenure_ended",
        "put": ";INSERT INTO tenure_segment",
        "delete": ";INSERT INTO tenure_schedule [^;]* deleted = 1,",
        "run": ";INSERT INTO tenure_run",
        "acknowledgement": ";DELETE FROM tenure_waiting",
    }
    FULL = "the disk is full"

    def __init__(self, _, folder, disk=None):
        self.folder, self.path = folder, os.path.join(disk or folder, "tenure.db")
        self.store = self.path
        self.clock = f"{folder}/clock"
        self.started = 0

    def start(self, make, *flags, environment, armed=None, pooled=True, **more):
        self.started += 1
        failpoint = f"{self.folder}/failpoint{self.started}"
        if armed:
            self._arm(failpoint, *armed, signal.SIGKILL)
        daemon = make(self.path, *flags, **more, environment={
            **environment, "LD_PRELOAD": PRELOADED, "TENURE_FAILPOINT": failpoint, "TENURE_CLOCK": self.clock})
        daemon.failpoint = failpoint
        return daemon

    def arm(self, daemon, kind, when, how):
        """Returns a question: has it struck?"""
        self._arm(daemon.failpoint, kind, when, how)
        return lambda: not os.path.exists(daemon.failpoint)

    def disarm(self, daemon):
        """False: it has struck."""
        try:
            os.remove(daemon.failpoint)
        except FileNotFoundError:
            return False
        return True

    def _arm(self, failpoint, kind, when, how):
        assert os.path.exists(PRELOADED), "FAILPOINTS names no library"
        with open(failpoint + ".new", "w") as file:
            file.write(f"{when}\n{int(how)}\n{self.TRANSACTIONS[kind]}\n")
        os.rename(failpoint + ".new", failpoint)

    def shift_clock(self, seconds):
        """From now on the store's clock is so much ahead: that of each instance (preload/clock.cc)."""
        with open(self.clock + ".new", "w") as file:
            file.write(str(seconds))
        os.rename(self.clock + ".new", self.clock)

    def row(self, statement):
        """The numbers of one row; null is 0. {} is what stands between `tenure` and a table's name."""
        return [int(one or 0) for one in self.rows(statement)[0]]

    def rows(self, statement):
        with contextlib.closing(sqlite3.connect(self.path, timeout=20)) as connection:
            return connection.execute(statement.format("_")).fetchall()


class PostgresDatabase:
    """Each instance has a proxy of its own before the server."""

    # What the requests have in their texts. One for the lease looks the same when it is refused: there is no grant.
    TRANSACTIONS = {
        "migration": "COMMIT\0",  # as text, which nothing else is
        "registration": "tenure.register(",
        "fires": "tenure.commit_fire",
        "renewal": "tenure.renew",
        "release": "tenure.release(",
        "claim": "tenure.claim(",
        "heartbeat": "tenure.extend_attempts",
        "end": "tenure.end_attempts",
        "put": "tenure.put_named",
        "delete": "tenure.remove_named",
        "run": "tenure.run_once",
        "acknowledgement": "tenure.acknowledge_events",
    }
    FULL = "no room left"

    def __init__(self, stack, folder, disk=None):
        self.stack = stack
        self.name = "faults_" + os.path.basename(folder).lower().replace("-", "_")
        self.store = f"dbname={self.name}"
        subprocess.run(["createdb", self.name], check=True)
        stack.callback(lambda: subprocess.run(["dropdb", "--force", self.name], check=True))
        if disk:
            self._move_to(disk)

    def _move_to(self, disk):
        os.mkdir(disk + "/files")
        subprocess.run(["chown", "postgres", disk + "/files"], check=True)
        self.tell(f"CREATE TABLESPACE faults LOCATION '{disk}/files'", "postgres")
        self.stack.callback(self.tell, "DROP TABLESPACE faults", "postgres")
        self.tell(f"ALTER DATABASE {self.name} SET TABLESPACE faults", "postgres")
        self.stack.callback(self.tell, f"ALTER DATABASE {self.name} SET TABLESPACE pg_default", "postgres")

    def start(self, make, *flags, armed=None, pooled=True, **more):
        proxy = self.stack.enter_context(PostgresProxy())
        started = queue.SimpleQueue()
        if armed:
            self._arm(proxy, *armed, lambda: started.get().send_signal(signal.SIGKILL))
        # pooled: each request has its statement, for the failpoints
        daemon = make(proxy.connection(self.name), *flags, "--set", f"pooled={str(pooled).lower()}", **more)
        started.put(daemon.process)
        daemon.proxy = proxy
        return daemon

    def arm(self, daemon, kind, when, how):
        return self._arm(daemon.proxy, kind, when, lambda: daemon.process.send_signal(how))

    def lose_answer(self, daemon, kind):
        """To its next transaction of this kind: it is not told that this is committed."""
        return self._arm(daemon.proxy, kind, "after", lambda: None)

    def disarm(self, daemon):
        return daemon.proxy.failpoint.take()

    def _arm(self, proxy, kind, when, strike):
        proxy.failpoint = Failpoint(self.TRANSACTIONS[kind], when, strike)
        return proxy.failpoint.struck.is_set

    def shift_clock(self, seconds):
        self.tell("CREATE OR REPLACE FUNCTION tenure.now_us() RETURNS bigint LANGUAGE sql VOLATILE AS $$"
                  f" SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + {seconds * 1000000} $$")

    def tell(self, statement, database=None):
        done = subprocess.run(["psql", "-XAtqc", statement, database or self.name], capture_output=True, text=True,
                              check=True)
        return done.stdout.strip()

    def row(self, statement):
        return [int(one or 0) for one in (self.rows(statement) or [[""]])[0]]

    def rows(self, statement):
        return [line.split("|") for line in self.tell(statement.format(".")).splitlines()]


Engine = PostgresDatabase if POSTGRES else SqliteFile
