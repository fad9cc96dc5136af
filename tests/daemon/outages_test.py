"""Three real processes on one Postgres, and what goes wrong with it: the network to it goes silent, the server begins
anew. Nothing is lost, and nothing happens twice that should not.

The server is the one that PGHOST and the others name. What goes wrong with instances: faults_test.py.
"""

import os
import signal
import subprocess
import time
import unittest

from cluster import PATIENCE, Cluster, ClusterTest
from daemon import POSTGRES, eventually

SLEEPER = "SELECT max(pid) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600)'"


def psql(cluster, statement):
    return ["psql", "-XAtqc", statement, cluster.engine.name]


def crash_server(cluster):
    """One of its processes dies: it ends all others, and begins anew from its log."""
    witness = subprocess.Popen(psql(cluster, "SELECT pg_sleep(600)"), stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    os.kill(eventually(lambda: cluster.number(SLEEPER), PATIENCE), signal.SIGKILL)
    witness.wait(PATIENCE)
    eventually(lambda: subprocess.run(psql(cluster, "SELECT 1"), capture_output=True).returncode == 0, PATIENCE,
               "it answers again")


@unittest.skipUnless(POSTGRES, "of a server")
class OutagesTest(ClusterTest):
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
            crash_server(cluster)
            cluster.leader()
        self.assertTrue(all(one.process.poll() is None for one in cluster.daemons), "all have outlived it")
        self.check(cluster)


if __name__ == "__main__":
    unittest.main()
