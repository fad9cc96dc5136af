"""Three real processes on one Postgres, and what goes wrong with it: the network to it goes silent, the server begins
anew, its clock jumps. Nothing is lost, and nothing happens twice that should not.

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


def shift_clock(cluster, seconds):
    """From now on the server's clock is so much ahead."""
    cluster.engine.tell("CREATE OR REPLACE FUNCTION tenure.now_us() RETURNS bigint LANGUAGE sql VOLATILE AS $$"
                        f" SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + {seconds * 1000000} $$")


def holds(cluster):
    return any("\ntenure_clock_hold 1\n" in one.get("/metrics").body.decode() for one in cluster.alive())


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
            # One of its processes dies: it ends all others, and begins anew from its log.
            witness = subprocess.Popen(psql(cluster, "SELECT pg_sleep(600)"), stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            os.kill(eventually(lambda: cluster.number(SLEEPER), PATIENCE), signal.SIGKILL)
            witness.wait(PATIENCE)
            eventually(lambda: subprocess.run(psql(cluster, "SELECT 1"), capture_output=True).returncode == 0, PATIENCE,
                       "it answers again")
            cluster.leader()
        self.assertTrue(all(one.process.poll() is None for one in cluster.daemons), "all have outlived it")
        self.check(cluster)

    def test_a_clock_that_jumps_holds_fires_and_loses_none(self):
        cluster = Cluster(self.stack, config='[scheduling]\nclock_hold = "20s"\n').start()
        cluster.create("tick")
        for seconds in (3600, -3600):
            cluster.fired_until(time.time())
            shift_clock(cluster, seconds)
            if seconds > 0:
                eventually(lambda: holds(cluster), PATIENCE, "firing is on hold")
            time.sleep(3)
            last = cluster.number("SELECT max(slot_us) FROM tenure{}history")
            self.assertLess(last, (time.time() + 60) * 1e6, "nothing fires by a time that has not come")
            shift_clock(cluster, 0)
            eventually(lambda: not holds(cluster), PATIENCE, "firing goes on")
            cluster.leader()
        self.check(cluster)


if __name__ == "__main__":
    unittest.main()
