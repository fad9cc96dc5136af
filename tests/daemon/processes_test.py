"""Three instances on one store: who leads is killed, stands still, or is asked to stop. Nothing is lost, nothing doubled.

With ENGINE=postgres the store is the server that PGHOST and the others name.
"""

import contextlib
import datetime
import http.client
import json
import os
import signal
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time
import unittest

from croniter import croniter

from daemon import BINARY, POSTGRES, Daemon, eventually, fresh_store, read_all, read_until

TENURE = os.environ.get("TENURE", "tenure")
SECONDS = "*/2,7,9-31/5"  # a cron schedule has its seconds first, and croniter has them last


def seconds_of(text):
    """Since the epoch, of a time as the API has it."""
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def stop_between_writes(store, process):
    """SIGSTOP. Who stands still with the lock of a file keeps every other writer waiting (docs/sqlite.md)."""
    while True:
        process.send_signal(signal.SIGSTOP)
        if POSTGRES:
            return
        with contextlib.closing(sqlite3.connect(store, timeout=0.5, isolation_level=None)) as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError:
                process.send_signal(signal.SIGCONT)


def change_store(store, statement):
    """By hand; {} is what stands between `tenure` and a table's name."""
    if POSTGRES:
        return subprocess.run(["psql", "-XAtqc", statement.format("."), store], check=True)
    with contextlib.closing(sqlite3.connect(store, timeout=20, isolation_level=None)) as connection:
        return connection.execute(statement.format("_"))


class Three:
    def __init__(self, **more):
        self.folder = tempfile.TemporaryDirectory()
        self.store = fresh_store(self.folder.name)
        self.more = more
        self.journals = [f"{self.folder.name}/node{i}.jsonl" for i in range(3)]

    def __enter__(self):
        self.daemons = [self.start("--journal", journal) for journal in self.journals]
        self.leader()
        return self

    def start(self, *flags, **more):
        return Daemon(self.store, *flags, **{**self.more, **more}).wait_for_port()

    def __exit__(self, *_):
        for daemon in self.daemons:
            daemon.kill()
        self.folder.cleanup()

    def leader(self, but=None, within=20):
        return eventually(lambda: next((one for one in self.daemons if one is not but and one.leads()), None), within,
                          "one leads")

    def other(self, daemon):
        return next(one for one in self.daemons if one is not daemon and one.process.poll() is None)


class Client:
    """A thread that asks one instance after another, until the end. What these cannot answer now it asks again."""

    def __init__(self, daemons):
        self.daemons = daemons
        self.got = []
        self.over = False
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def ask(self, daemon):
        """Asks one instance, and keeps in `got` what it got."""
        raise NotImplementedError

    def _run(self):
        while not self.over:
            for daemon in [one for one in self.daemons if one.process.poll() is None]:
                try:
                    self.ask(daemon)
                except (OSError, ValueError, KeyError, http.client.HTTPException):
                    pass  # it is being replaced, has just been killed, or its store does not answer
            time.sleep(0.05)

    def end(self):
        self.over = True
        self.thread.join()
        return self.got


class Consumer(Client):
    """Polls events, of a topic or of all, and acknowledges what it got."""

    def __init__(self, daemons, topic=None):
        self.path = "/v1/events?limit=1000" + (f"&topic={topic}" if topic else "")
        super().__init__(daemons)

    def ask(self, daemon):
        events = daemon.get(self.path).json["events"]
        if events:
            self.got += events
            daemon.ask("POST", "/v1/events:ack", {"keys": [one["key"] for one in events]})

    def end(self):
        by_id = {}
        for one in super().end():
            by_id.setdefault(one["id"], set()).add((one["schedule"], one["slot"], one["run"]))
        return by_id


class SlotChecks(unittest.TestCase):
    def fired_until(self, consumer, moment, *names):
        """Waits until it has an event of each of these from then on: what one schedule fires comes in order."""
        for name in names:
            eventually(lambda: any(one["schedule"] == name and seconds_of(one["slot"]) >= moment
                                   for one in list(consumer.got)), 60, f"{name} fires")

    def check_slots(self, events, name, first, last):
        """Each slot between the first and the last event, once: every id is one slot, and no slot has two."""
        slots = sorted(slot for ids in events.values() for (schedule, slot, _) in ids if schedule == name)
        for ids in events.values():
            self.assertEqual(len(ids), 1)
        self.assertEqual(len(slots), len(set(slots)), "two ids for one slot")
        self.assertLessEqual(slots[0], first)
        self.assertGreaterEqual(slots[-1], last)
        seconds = [float(slot[17:-1]) for slot in slots]
        for one, other in zip(seconds, seconds[1:]):
            self.assertAlmostEqual((other - one) % 60, 0.25, places=5, msg=f"{slots}")

    def check_against_croniter(self, consumer, name, first, last):
        """Each slot that croniter finds up to the last that came, under one id, and none that it does not; none early."""
        events = [one for one in consumer.got if one["schedule"] == name]
        got = sorted({one["id"]: seconds_of(one["slot"]) for one in events}.values())
        oracle, expected = croniter(f"* * * * * {SECONDS}", seconds_of(first) - 0.5), []
        slot = oracle.get_next(float)
        while slot <= max([last, *got[-1:]]):
            expected.append(slot)
            slot = oracle.get_next(float)
        self.assertEqual(got, expected)
        for one in events:
            self.assertLessEqual(one["slot"], one["fired"])


class ProcessesTest(SlotChecks):
    def run_with(self, disturb, before=1.5, after=2, **more):
        with Three(**more) as three:
            consumer = Consumer(three.daemons)
            leader = three.leader()
            made = leader.create("tick", {"every": "250ms", "data": {"n": 1}})
            cron = leader.create("cron", {"cron": f"{SECONDS} * * * * *", "timezone": "Europe/Berlin"})
            time.sleep(before)
            disturb(three, leader)
            three.leader()
            time.sleep(after)
            self.assertEqual(three.other(leader).get("/v1/schedules/tick").status, 200)
            last = time.time()
            self.fired_until(consumer, last, "tick", "cron")
            events = consumer.end()
            for daemon in three.daemons:
                if daemon.process.poll() is None:
                    daemon.stop()
            audit = subprocess.run([TENURE, "audit", *three.journals], capture_output=True, text=True)
            # Who is killed does not tell what he has just done.
            killed = any(one.process.returncode == -signal.SIGKILL for one in three.daemons)
            self.assertIn(audit.returncode, (0, 2) if killed else (0,), audit.stdout + audit.stderr)
            self.check_slots(events, "tick", made.json["status"]["next"],
                             time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(last)))
            self.check_against_croniter(consumer, "cron", cron.json["status"]["next"], last)

    def test_a_leader_that_is_killed_loses_and_doubles_nothing(self):
        self.run_with(lambda three, leader: leader.process.kill())

    def test_a_leader_that_is_killed_on_a_short_lease_loses_and_doubles_nothing(self):
        self.run_with(lambda three, leader: leader.process.kill(), before=0.5, after=0.3,
                      lease="1200ms", renew="250ms", timeout="400ms")

    def test_a_leader_that_stands_still_for_two_leases_loses_and_doubles_nothing(self):
        def stand_still(three, leader):
            stop_between_writes(three.store, leader.process)
            three.leader(but=leader)
            time.sleep(4)
            leader.process.send_signal(signal.SIGCONT)
            eventually(lambda: leader.get("/leaderz").status == 503)

        self.run_with(stand_still)

    def test_a_leader_that_is_asked_to_stop_hands_over_at_once(self):
        with Three(lease="60s") as three:
            leader = three.leader()
            began = time.monotonic()
            self.assertEqual(leader.stop(), 0, "".join(leader.lines))
            three.leader(but=leader, within=40)
            self.assertLess(time.monotonic() - began, 40, "and not when the lease has run out")

    def test_an_idempotency_key_holds_at_every_instance(self):
        with Three() as three:
            first, second = three.daemons[0], three.daemons[1]
            first.create("keyed", {"every": "1000h", "topic": "t"})
            trigger, backfill = (f"/v1/schedules/keyed/{what}" for what in ("trigger", "backfill"))
            for path, body, other in (
                    (trigger, None, {"at": "2026-01-01T00:00:00Z"}),
                    (trigger, {"at": "2026-01-01T00:00:00Z"}, {"at": "2026-01-01T00:00:01Z"}),
                    (backfill, {"slots": ["2026-01-01T00:00:00Z"]}, {"slots": ["2026-01-02T00:00:00Z"]}),
                    (backfill, {"from": "2020-01-01T00:00:00Z", "to": "2020-06-01T00:00:00Z"},
                     {"from": "2020-01-01T00:00:00Z", "to": "2020-07-01T00:00:00Z"})):
                key = {"Idempotency-Key": f"{path} {body}"}
                done = first.ask("POST", path, body, key)
                self.assertEqual(done.status, 202, done)
                for daemon in three.daemons:
                    again = daemon.ask("POST", path, body, key)
                    self.assertEqual((again.status, again.json), (202, done.json), "a repetition has the same answer")
                    refused = daemon.ask("POST", path, other, key)
                    self.assertEqual((refused.status, refused.json["type"]), (422, "urn:tenure:idempotency-mismatch"))
            events = second.get("/v1/events?limit=1000").json["events"]
            slots = second.ask("POST", backfill, {"from": "2020-01-01T00:00:00Z", "to": "2020-06-01T00:00:00Z",
                                                  "dry_run": True}).json["slots"]
            self.assertEqual(len(events), 3 + len(slots), "each happened once")
            self.assertEqual(len({one["id"] for one in events}), len(events))

    def test_a_stream_goes_on_at_another_instance_without_a_gap(self):
        with Three() as three:
            first, second = three.daemons[0], three.daemons[1]
            first.create("before", {"every": "1h"})
            seen, position = self.follow(first, "0", lambda: [first.create(f"s-{i}", {"every": "1h"}) for i in range(5)], 6)
            first.process.kill()
            second.create("between", {"every": "1h"})
            more, _ = self.follow(second, position, lambda: second.create("after", {"every": "1h"}), 2)
            names = [one["name"] for one in seen + more]
            self.assertEqual(names, ["before"] + [f"s-{i}" for i in range(5)] + ["between", "after"])
            seqs = [one["seq"] for one in seen + more]
            self.assertEqual(seqs, list(range(seqs[0], seqs[0] + len(seqs))))
            self.assertEqual(second.get("/v1/changes?after=9.1").status, 410)
            self.assertEqual(second.get("/v1/changes?after=1.999", Accept="text/event-stream").status, 410)
            self.assertEqual(second.get("/v1/changes?after=x").status, 400)

    def test_a_stream_of_fires_goes_on_at_another_instance_without_a_gap(self):
        with Three() as three:
            leader = three.leader()
            first, second = (one for one in three.daemons if one is not leader)
            first.create("tick", {"every": "10ms"})
            first.create("tock", {"every": "250ms"})
            seen, position = self.follow(first, "0", lambda: None, 30, "/v1/fires")
            first.process.kill()
            time.sleep(1)
            more, _ = self.follow(second, position, lambda: leader.process.kill(), 1000, "/v1/fires")
            three.leader(but=leader)
            all_rows = seen + more
            self.assertEqual([one["seq"] for one in all_rows], list(range(1, len(all_rows) + 1)))
            page = {one["seq"]: one for one in second.get("/v1/fires?limit=1000").json["fires"]}
            shown = [one for one in all_rows if one["seq"] in page]
            self.assertTrue(shown)
            self.assertEqual(shown, [page[one["seq"]] for one in shown], "as a page has it")
            # Of one schedule, with one outcome, and from where a page was read.
            position = second.get("/v1/schedules/tock/fires?outcome=fired").json["position"]
            tocks, _ = self.follow(second, position, lambda: None, 2, "/v1/schedules/tock/fires?outcome=fired")
            self.assertEqual({(one["schedule"], one["outcome"]) for one in tocks}, {("tock", "fired")})
            self.assertGreater(tocks[0]["seq"], int(position.split(".")[1]))
            none = second.get("/v1/fires?outcome=nothing", Accept="text/event-stream")
            self.assertEqual(none.status, 400)

    def test_a_stream_of_fires_says_what_is_not_known_any_more(self):
        with tempfile.TemporaryDirectory() as folder, Daemon(fresh_store(folder)) as daemon:
            daemon.wait_for_port()
            eventually(daemon.leads)
            daemon.create("runs", {"every": "1000h"})

            def run():
                self.assertEqual(daemon.ask("POST", "/v1/schedules/runs/trigger").status, 202)

            for _ in range(5):
                run()
            branch = daemon.get("/v1/fires").json["position"].split(".")[0]
            for position, status in ((f"{branch}.6", 410), ("999.1", 410), ("x", 400), ("0.1", 400), ("1", 400)):
                self.assertIn(f" {status} ".encode(), self.first_bytes(daemon, "/v1/fires", position), position)
            rows, position = self.follow(daemon, f"{branch}.2", lambda: None, 3, "/v1/fires")
            self.assertEqual([one["seq"] for one in rows], [3, 4, 5])

            # Rows that a stream has not seen are forgotten.
            daemon.create("never", {"every": "1000h"})
            with daemon.stream("/v1/schedules/never/fires", f"{branch}.5") as quiet:
                read_until(quiet, b"event: begin")
                time.sleep(3)  # it has looked at all that there is
                change_store(daemon.store, "DELETE FROM tenure{}history WHERE seq < 5")
                self.assertIn(b" 410 Gone", self.first_bytes(daemon, "/v1/fires", f"{branch}.3"))
                rows, _ = self.follow(daemon, f"{branch}.4", lambda: None, 1, "/v1/fires")
                self.assertEqual(rows[0]["seq"], 5)
                rows, _ = self.follow(daemon, "0", lambda: None, 1, "/v1/fires")
                self.assertEqual(rows[0]["seq"], 5)
                # The last row stays: by it the store knows how many it has forgotten.
                run()
                run()
                with daemon.stream("/v1/schedules/runs/fires", f"{branch}.5") as loud:
                    read_until(loud, b"event: fire", 2)
                time.sleep(3)  # the quiet one has looked at these as well, and shown none
                change_store(daemon.store, "DELETE FROM tenure{}history WHERE seq < 7")
                text = read_until(quiet, f"id: {branch}.7\n: still here".encode())
                self.assertNotIn(b"reset", text, "it has missed nothing")

    @unittest.skipIf(POSTGRES, "of a file: a branch is a column there")
    def test_a_stream_of_fires_ends_with_a_reset_when_the_branch_changes(self):
        with tempfile.TemporaryDirectory() as folder, Daemon(fresh_store(folder)) as daemon:
            daemon.wait_for_port()
            eventually(daemon.leads)
            daemon.create("runs", {"every": "1000h"})
            with daemon.stream("/v1/fires") as fires, daemon.stream("/v1/changes") as changes:
                for one in (fires, changes):
                    read_until(one, b"event: begin")
                change_store(daemon.store, "UPDATE tenure{}meta SET branch = branch + 1")
                for one in (fires, changes):
                    self.assertTrue(read_all(one).endswith(b"event: reset\ndata: {}\n\n"))

    def first_bytes(self, daemon, path, position):
        """Of the answer, which may be a stream without an end."""
        with daemon.stream(path, position) as connection:
            return connection.recv(4096)

    def follow(self, daemon, position, act, count, path="/v1/changes"):
        with daemon.stream(path, position) as connection:
            act()
            event = b"event: change" if path == "/v1/changes" else b"event: fire"
            text = read_until(connection, event, count)
        events = [json.loads(line[6:]) for line in text.decode().splitlines() if line.startswith("data: {\"seq\"")]
        ids = [line[4:] for line in text.decode().splitlines() if line.startswith("id: ")]
        return events, ids[-1]


class RegistrationTest(unittest.TestCase):
    def node(self, daemon):
        return daemon.get("/v1/leaders").json["this"]["node"]

    def test_replicas_of_identical_configuration_are_told_apart(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
            store = fresh_store(folder)
            config = 'log = "json"\n'
            # All at once, and a file of SQLite has one machine.
            replicas = [Daemon(store, config=config) for _ in range(3 if POSTGRES else 2)]
            for replica in replicas:
                stack.enter_context(replica)
            nodes = [eventually(lambda: self.node(replica), 60) for replica in replicas]
            self.assertEqual(sorted(nodes), list(range(1000, 1000 + len(replicas))))
            eventually(lambda: any(one.leads() for one in replicas), 60)
            replicas[0].create("tick", {"every": "250ms"})

            def leader_that_all_tell():
                told = {one.get("/v1/leaders").json["leaders"][0]["node"] for one in replicas}
                return next((one for one in replicas if one.leads() and told == {self.node(one)}), None)

            leader = eventually(leader_that_all_tell, 60)
            leader.kill()
            again = stack.enter_context(Daemon(store, config=config))
            self.assertEqual(eventually(lambda: self.node(again), 60), 1000 + len(replicas), "no number is used twice")
            others = [one for one in replicas if one is not leader] + [again]
            eventually(lambda: any(one.leads() for one in others), 60)
            seen = len(others[0].get("/v1/schedules/tick/fires?limit=1000").json["fires"])
            eventually(lambda: len(others[0].get("/v1/schedules/tick/fires?limit=1000").json["fires"]) > seen, 60)

    def test_a_number_by_hand_is_no_number_that_the_store_gives(self):
        with tempfile.TemporaryDirectory() as folder, Daemon(fresh_store(folder), "--node", "7") as daemon:
            eventually(daemon.leads, 60)
            self.assertEqual(self.node(daemon), 7)
            taken = subprocess.run([BINARY, "--node", "1000", "--check-config"], capture_output=True, text=True)
            self.assertEqual(taken.returncode, 65, taken.stderr)

    @unittest.skipIf(POSTGRES, "of a file")
    def test_it_takes_part_once_its_store_is_there(self):
        with tempfile.TemporaryDirectory() as folder, Daemon(folder + "/later/tenure.db") as daemon:
            eventually(lambda: any("cannot register" in line for line in daemon.lines), 60)
            self.assertEqual(daemon.get("/healthz").status, 200)
            self.assertIn("later", " ".join(daemon.get("/readyz").json["reasons"]))
            os.mkdir(folder + "/later")
            eventually(daemon.leads, 60)
            self.assertEqual(self.node(daemon), 1000)
            self.assertEqual(daemon.stop(), 0)


class ServiceTest(unittest.TestCase):
    def test_it_tells_its_supervisor_and_answers_health_apart(self):
        with tempfile.TemporaryDirectory() as folder:
            supervisor = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            supervisor.bind(folder + "/notify")
            supervisor.settimeout(20)
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = free.getsockname()[1]
            with Daemon(fresh_store(folder), "--health", f"127.0.0.1:{port}",
                        environment={"NOTIFY_SOCKET": folder + "/notify", "WATCHDOG_USEC": "3000000"}) as daemon:
                self.assertEqual(supervisor.recv(100), b"READY=1")
                self.assertEqual(supervisor.recv(100), b"WATCHDOG=1")
                with socket.create_connection(("127.0.0.1", port)) as connection:
                    connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: 10.0.0.7\r\nConnection: close\r\n\r\n")
                    self.assertIn(b"200 OK", read_all(connection))
                with socket.create_connection(("127.0.0.1", port)) as connection:
                    connection.sendall(b"GET /v1/schedules HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                    self.assertIn(b"404 Not Found", read_all(connection))
                self.assertEqual(daemon.stop(), 0)
                eventually(lambda: supervisor.recv(100) == b"STOPPING=1")

    def test_each_line_of_a_log_in_json_is_an_object(self):
        with tempfile.TemporaryDirectory() as folder, Daemon(fresh_store(folder), config='log = "json"\n') as daemon:
            eventually(daemon.leads, 60)
            daemon.write_config('log = "json"\nodd = "\\"\\u0001ü\\n"\n')
            daemon.process.send_signal(signal.SIGHUP)
            eventually(lambda: any("stays" in line for line in daemon.lines))
            self.assertEqual(daemon.stop(), 0)
            lines = [json.loads(line) for line in daemon.lines]
        for line in lines:
            self.assertLessEqual({"time", "level", "message"}, set(line), line)
            self.assertRegex(line["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")
        messages = [line["message"] for line in lines]
        self.assertIn("leads", messages)
        self.assertIn("unknown key `odd` at the top of the file", messages)  # on a line of its own

    @unittest.skipIf(POSTGRES, "of a file")
    def test_without_its_store_it_answers_and_says_that_it_is_not_ready(self):
        with Daemon("/nowhere/tenure.db") as daemon:
            self.assertEqual(daemon.get("/healthz").status, 200)
            ready = daemon.get("/readyz")
            self.assertEqual((ready.status, ready.json["ready"]), (503, False))
            asked = daemon.get("/v1/schedules")
            self.assertEqual((asked.status, asked.headers["content-type"]), (503, "application/problem+json"))
            self.assertEqual(daemon.get("/leaderz").status, 503)

    @unittest.skipIf(POSTGRES, "of a file")
    def test_a_file_is_its_accounts_alone_and_that_of_another_program_stays_as_it_is(self):
        with tempfile.TemporaryDirectory() as folder:
            mask = os.umask(0)
            try:
                with Daemon(folder + "/tenure.db") as daemon:
                    eventually(daemon.leads)
                    modes = {name: os.stat(f"{folder}/{name}").st_mode & 0o777 for name in os.listdir(folder)}
            finally:
                os.umask(mask)
            self.assertEqual(modes, {"tenure.db": 0o600, "tenure.db-wal": 0o600, "tenure.db-shm": 0o600})
            for name, statement in (("places", "CREATE TABLE places (url)"), ("other", "PRAGMA application_id = 7")):
                change_store(f"{folder}/{name}", statement)
                with Daemon(f"{folder}/{name}") as daemon:
                    words = eventually(lambda: [one for one in daemon.get("/readyz").json["reasons"] if "another program" in one])
                    self.assertIn("name a new file", words[0])
                    self.assertEqual(daemon.get("/v1/schedules").status, 503)
                with contextlib.closing(sqlite3.connect(f"{folder}/{name}")) as connection:
                    self.assertEqual(connection.execute("SELECT count(*) FROM sqlite_master WHERE name LIKE 'tenure%'").fetchone(), (0,))


if __name__ == "__main__":
    unittest.main()
