"""What the tests of faults need of a store's engine: a fresh store, what is in it, and instances with failpoints.

A failpoint is armed for one instance. It strikes once, at the instance's next transaction of a kind: before that is
committed, or after it is and before the instance has heard so. Then the instance is sent a signal.
"""

import os
import subprocess

from daemon import Daemon
from postgres_proxy import Failpoint, PostgresProxy

RELEASED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../adapters/{}/released/7.sql")


class PostgresDatabase:
    """Each instance has a proxy of its own before the server."""

    # What the requests have in their texts.
    TRANSACTIONS = {
        "fires": "tenure.commit_fire",
        "renewal": "tenure.renew",
        "release": "tenure.release(",
        "claim": "tenure.claim(",
        "heartbeat": "tenure.extend_attempts",
        "end": "tenure.end_attempts",
        "put": "tenure.put_named",
        "delete": "tenure.remove_named",
        "acknowledgement": "tenure.acknowledge_events",
    }
    FULL = "no room left"

    def __init__(self, stack, folder, disk=None):
        self.stack = stack
        self.name = "faults_" + os.path.basename(folder).lower().replace("-", "_")
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

    def start(self, *flags, **more):
        proxy = self.stack.enter_context(PostgresProxy())
        # pooled: each request has its statement, for the failpoints
        daemon = Daemon(proxy.connection(self.name), *flags, "--set", "pooled=true", **more)
        daemon.proxy = proxy
        return daemon

    def arm(self, daemon, kind, when, how):
        """Returns a question: has it struck?"""
        failpoint = Failpoint(self.TRANSACTIONS[kind], when, lambda: daemon.process.send_signal(how))
        daemon.proxy.failpoint = failpoint
        return failpoint.struck.is_set

    def release_before(self):
        """Its tables are those of a release before."""
        subprocess.run(["psql", "-Xqf", RELEASED.format("postgres"), self.name], check=True, capture_output=True)

    def tell(self, statement, database=None):
        done = subprocess.run(["psql", "-XAtqc", statement, database or self.name], capture_output=True, text=True,
                              check=True)
        return done.stdout.strip()

    def row(self, statement):
        """The numbers of one row; null is 0. {} is what stands between `tenure` and a table's name."""
        return [int(one or 0) for one in self.tell(statement.format(".")).split("|")]


Engine = PostgresDatabase
