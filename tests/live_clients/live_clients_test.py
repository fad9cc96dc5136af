"""The clients of docs/examples/live on real servers: one leads at a time, the next one takes over when it is killed or
stopped, and the audit reads what they write. Servers are this test's own, on loopback, and end with it.
"""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

TENURE, SOURCES = os.environ["TENURE"], os.environ["SOURCES"]
CLIENTS = os.path.join(SOURCES, "docs/examples/live")
PATIENCE = 60


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def until(what, holds):
    last = time.monotonic() + PATIENCE
    while not (found := holds()):
        assert time.monotonic() < last, what
        time.sleep(0.02)
    return found


class LiveClients(unittest.TestCase):
    def setUp(self):
        self.stack = contextlib.ExitStack()
        self.addCleanup(self.stack.close)
        self.folder = self.stack.enter_context(tempfile.TemporaryDirectory())

    def start(self, *command):
        process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL)
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)
        return process

    def server(self, port, *command):
        if shutil.which(command[0]) is None:
            self.skipTest(f"{command[0]} is missing: ./dev setup all")
        process = self.start(*command)

        def answers():
            self.assertIsNone(process.poll(), "the server has ended")
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                return True

        until("the server answers", answers)
        return f"127.0.0.1:{port}"

    def client(self, program, number, store):
        return self.start(sys.executable, "-B", os.path.join(CLIENTS, program), str(number), store, f"n{number}.jsonl")

    def lines(self, number):
        with contextlib.suppress(FileNotFoundError), open(f"{self.folder}/n{number}.jsonl", encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.endswith("\n")]
        return []

    def leaders(self, numbers):
        """Those whose latest word on it is a belief."""
        last = {each: [line["event"] for line in self.lines(each) if line["event"] in ("believes", "steps-down")][-1:]
                for each in numbers}
        return [each for each in numbers if last[each] == ["believes"]]

    def take_turns(self, program, store):
        running = {each: self.client(program, each, store) for each in (1, 2, 3)}
        leader = until("one leads", lambda: self.leaders(running))[0]
        running.pop(leader).kill()
        leader = until("another one leads", lambda: self.leaders(running))[0]
        stopped = running.pop(leader)
        stopped.send_signal(signal.SIGTERM)
        self.assertEqual(stopped.wait(PATIENCE), 0)
        until("the last one leads", lambda: self.leaders(running))
        (last, process), = running.items()
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE), 0)
        self.assertEqual([line["event"] for line in self.lines(last)][-2:], ["stopped", "died"])
        audit = subprocess.run([TENURE, "audit"] + [f"n{each}.jsonl" for each in (1, 2, 3)], cwd=self.folder,
                               capture_output=True, text=True)
        self.assertEqual(audit.returncode, 0, audit.stdout + audit.stderr)
        for checker in ("acts-within-belief", "one-believer"):
            self.assertIn(checker, audit.stdout)
        self.assertRegex(audit.stdout, "belief-within-grant: beliefs of those that are elected by ")

    def test_redis_lock(self):
        port = free_port()
        self.take_turns("redis_lock.py", self.server(port, "redis-server", "--port", str(port), "--bind", "127.0.0.1",
                                                     "--save", "", "--dir", self.folder))

    def test_etcd_lease(self):
        port, peers = free_port(), f"http://127.0.0.1:{free_port()}"
        clients = f"http://127.0.0.1:{port}"
        self.take_turns("etcd_lease.py", self.server(
            port, "etcd", "--data-dir", self.folder + "/etcd", "--listen-client-urls", clients,
            "--advertise-client-urls", clients, "--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers,
            "--initial-cluster", "default=" + peers, "--logger", "zap", "--log-level", "fatal"))

    def test_zookeeper_lock(self):
        port = free_port()
        with open(self.folder + "/zoo.cfg", "w", encoding="utf-8") as file:
            file.write(f"tickTime=500\ndataDir={self.folder}/zookeeper\nclientPort={port}\n"
                       "clientPortAddress=127.0.0.1\nadmin.enableServer=false\n")
        jars = ":".join(f"/usr/share/java/{each}.jar"
                        for each in ("zookeeper", "zookeeper-jute", "slf4j-nop", "slf4j-api", "netty-all"))
        self.take_turns("zookeeper_lock.py", self.server(
            port, "java", "-Dzookeeper.admin.enableServer=false", "-cp", jars,
            "org.apache.zookeeper.server.quorum.QuorumPeerMain", self.folder + "/zoo.cfg"))

    def test_article_lease(self):
        port = os.environ.get("PGPORT")
        if port is None:
            self.skipTest("no Postgres: with_postgres.sh")
        self.take_turns("article_lease.py", f"dbname={os.environ['PGDATABASE']}")

    def test_a_killed_life_leaves_a_journal_that_the_next_one_continues(self):
        port = free_port()
        store = self.server(port, "redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir",
                            self.folder)
        first = self.client("redis_lock.py", 1, store)
        until("it leads", lambda: self.leaders([1]))
        first.kill()
        first.wait()
        with open(self.folder + "/n1.jsonl", "ab") as file:
            file.write(b'{"v": 5, "half a li')
        second = self.client("redis_lock.py", 1, store)
        until("it leads again", lambda: len({line["life"] for line in self.lines(1)
                                             if line["event"] == "believes"}) == 2)
        second.send_signal(signal.SIGTERM)
        self.assertEqual(second.wait(PATIENCE), 0)
        audit = subprocess.run([TENURE, "audit", "n1.jsonl"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(audit.returncode, 0, audit.stdout + audit.stderr)


if __name__ == "__main__":
    unittest.main()
