"""Three real instances with every kind of schedule, clients that edit and work meanwhile, and faults drawn from a seed.

In the end the audit passes over all journals, and what receivers, workers and the history say agrees: no slot is lost,
doubled or early. Then the run's own journals are forged, and each forgery is found.

  FAULTS=100 SEED=7    so many faults, in rounds of at most 25 with a fresh store each; the first round has this seed
  KEEP=FOLDER          what they leave behind

A quarter as many are of three schedulers of another program, which do the work themselves. The store is a file; with
ENGINE=postgres it is on a server of the test's own, which is broken as well: PGOPTION is set, so that with_postgres.sh
shares it with nobody.
"""

import contextlib
import heapq
import itertools
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import time
import unittest
from collections import Counter, defaultdict
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import live_forgeries
from cluster import FIRED, PATIENCE, TENURE, Cluster, Worker
from daemon import POSTGRES, Process, eventually
from live_faults import Faults
from processes_test import Client, Consumer, seconds_of
from slot_oracle import Findings, SlotOracle
from webhooks_test import Sink, destination

FAULTS = int(os.environ.get("FAULTS", "25"))
SEED = int(os.environ.get("SEED", "1"))
AUDITED = os.environ.get("AUDITED", "audited_process")
KEEP = os.environ.get("KEEP")  # a folder for stores and journals
A_ROUND = 25
SECOND = 10**9  # in nanoseconds, as journals have them
HOLDER = "SELECT max(holder_node) FROM " + ("tenure.lease" if POSTGRES else "tenure_resource")
LEASE = 2
ZONE = "Asia/Kathmandu"  # 5:45 h east of Greenwich
FLAGS = ("--set", "scheduling.request_timeout=1s", "--set", "scheduling.stall_timeout=4s",
         "--set", "scheduling.work_retry=300ms", "--set", "scheduling.poll_period=1s",
         "--set", "scheduling.destination_running=20")
LATE = ({"misfire": "fire_all", "max_catchup": 100000}, {"misfire": "fire_all", "max_catchup": 3, "grace": "300ms"},
        {"misfire": "fire_all", "catchup_window": "2s", "grace": "500ms"},
        {"misfire": "fire_once", "fire_once": "latest", "grace": "300ms"},
        {"misfire": "fire_once", "fire_once": "earliest", "grace": "300ms"}, {"misfire": "skip", "grace": "500ms"})
QUICK = {"back_off": "100ms", "back_off_max": "1s"}
DELIVERIES = ({"destination": "crm", **QUICK}, {"destination": "crm", **QUICK, "attempts": 2},
              {"destination": "shop", **QUICK, "strict_order": True},
              {"destination": "shop", **QUICK, "overlap": "skip"},
              {"destination": "crm", **QUICK, "overlap": "queue_one"}, {"topic": "work", **QUICK, "attempts": 3},
              {"topic": "work", **QUICK, "strict_order": True}, {"topic": "work", **QUICK, "overlap": "skip"},
              {"topic": "work", **QUICK, "overlap": "queue_one"}, {"topic": "work", **QUICK, "overlap": "replace"},
              {"topic": "inbox"}, {"topic": "table"})


def text(moment):
    return datetime.fromtimestamp(moment, timezone.utc).isoformat().replace("+00:00", "Z")


def rules(rng):
    """One of each kind."""
    now = time.time()
    local = datetime.now(ZoneInfo(ZONE))
    hours = ",".join(str((local + timedelta(hours=i)).hour) for i in range(2))
    return ({"every": f"{rng.randrange(2, 13) * 100}ms"},
            {"cron": f"*/{rng.randrange(1, 4)} * {hours} * * *", "timezone": ZONE},
            {"at": [text(now + one) for one in sorted(rng.sample(range(2, 120), 40))]},
            {"once": text(now + rng.uniform(1, 20))},
            {"every": "500ms", "jitter": "300ms", "jitter_seed": rng.randrange(9)},
            {"every": "700ms", "jitter": "1s", "jitter_per": "schedule", "start": text(now + 1), "end": text(now + 60)})


class Editor(Client):
    """Creates, edits, pauses, resumes, runs and deletes schedules, and lets dead events wait again or go."""

    def __init__(self, cluster, rng):
        self.rng, self.runs, self.asked = rng, {}, Counter()
        super().__init__(cluster.daemons)

    def drawn(self):
        return {**self.rng.choice(rules(self.rng)), **self.rng.choice(LATE), **self.rng.choice(DELIVERIES)}

    def ask(self, daemon):
        name = f"edited-{self.rng.randrange(8)}"
        path, if_there = f"/v1/schedules/{name}", {"If-Match": "*"}
        act = self.rng.choice(("create", "create", "edit", "edit", "pause", "resume", "trigger", "trigger", "backfill",
                               "delete", "replay", "discard"))
        if act == "create":
            answer = daemon.ask("PUT", path, self.drawn(), {"If-None-Match": "*"})
        elif act == "edit":
            answer = daemon.ask("PUT", path, self.drawn(), if_there)
        elif act == "delete":
            answer = daemon.ask("DELETE", path, headers=if_there)
        elif act in ("pause", "resume"):
            answer = daemon.ask("POST", f"{path}/{act}")
        elif act == "trigger":
            key = {"Idempotency-Key": f"key-{self.rng.randrange(10**9)}"}
            name = self.rng.choice((name, "pushed", "worked"))
            for _ in range(2):  # and again, as a client does that has not heard
                answer = daemon.ask("POST", f"/v1/schedules/{name}/trigger", headers=key)
                if answer.status == 202:
                    self.got.append(answer.json["event"]["key"])
        elif act == "backfill":
            now = time.time()
            answer = daemon.ask("POST", f"{path}/backfill", {"from": text(now - 20), "to": text(now - 18)})
        else:
            dead = daemon.get("/v1/events/dead?limit=5").json["events"]
            answer = daemon.ask("POST", f"/v1/events:{act}", {"keys": [one["key"] for one in dead[:2]]})
        self.asked[act, answer.status] += 1
        time.sleep(self.rng.uniform(0.05, 0.3))


class LiveFaultsTest(unittest.TestCase):
    def test_instances_lose_double_and_hasten_nothing(self):
        self.run_rounds(RoundOfInstances, FAULTS)

    def test_schedulers_of_other_programs_lose_double_and_hasten_nothing(self):
        self.run_rounds(RoundOfSchedulers, (FAULTS + 3) // 4)

    def run_rounds(self, kind, faults):
        left, seed, total = faults, SEED, Counter()
        while left > 0:
            with contextlib.ExitStack() as stack:
                total += kind(self, stack, seed).run(min(left, A_ROUND))
            left, seed = left - A_ROUND, seed + 1
        print("in sum:", dict(total), flush=True)
        self.assertEqual(total["faults"], faults)


class Round:
    def __init__(self, test, stack, seed):
        self.test, self.stack, self.seed, self.rng = test, stack, seed, random.Random(seed)
        self.sinks = []

    def say(self, *words):
        print(f"seed {self.seed}, {time.monotonic() - self.began:6.1f} s:", *words, flush=True)

    def run(self, count):
        self.began = time.monotonic()
        if KEEP:
            folder = f"{KEEP}/{type(self).__name__}{self.seed}"
            self.stack.callback(lambda: shutil.copytree(self.cluster.folder, folder))
        self.cluster.start()
        found = Findings()
        faults, fires = self.disturb(count, found)
        self.say("fires:", fires, "slots:", found.slots, "faults:", dict(faults), found.counts())
        for name in found.counts():
            self.test.assertEqual(getattr(found, name)[:10], [], name)
        self.audit()
        return Counter(faults=sum(faults.values()), fires=fires, slots=found.slots, **found.counts())

    def strike(self, count):
        """Up to three faults at a time. Returns how many there were of each kind."""
        faults, under_way = Faults(self.cluster, self.sinks, self.rng, LEASE), []
        for i in range(count):
            time.sleep(self.rng.uniform(0.5, 3))
            while len(under_way) == 3 or under_way and under_way[0][0] <= time.monotonic():
                self.heal_first(under_way)
            while (begun := faults.begin()) is None:
                self.heal_first(under_way)
            name, length, heal = begun
            heapq.heappush(under_way, (time.monotonic() + length, i, name, heal))
            self.say("fault", i + 1, name, f"for {length:.1f} s")
            if i % 8 == 7:
                while under_way:
                    self.heal_first(under_way)
                self.cluster.leader()
        while under_way:
            self.heal_first(under_way)
        return faults.count

    def heal_first(self, under_way):
        when, _, name, heal = heapq.heappop(under_way)
        time.sleep(max(0, when - time.monotonic()))
        heal()

    def wait_until_covered(self, moment):
        """Each segment in which there is a slot before then."""
        def behind():
            return SlotOracle(self.cluster.engine).behind(int(moment * 1e6))

        try:
            eventually(lambda: not behind(), PATIENCE)
        except AssertionError:
            raise AssertionError(f"not covered at {moment}: {behind()}") from None

    def check_slots(self, until, found):
        oracle, moment = SlotOracle(self.cluster.engine), int(until * 1e6)
        oracle.check(moment, found)
        for name, rows in oracle.planted(moment):
            planted = Findings()
            oracle.check(moment, planted, rows)
            self.test.assertTrue(getattr(planted, name), f"what is {name} is not found")
        return oracle

    def audit(self):
        said = self.cluster.audit()
        self.say("audit:", said["verdict"], said["lacking"])
        failed = {one["name"]: one["first"] for one in said["checks"] if one["verdict"] == "fail"}
        self.test.assertNotEqual(said["verdict"], "fail", failed)
        for words in said["lacking"]:
            self.test.assertTrue(self.is_of_a_kill(words), words)
        missed = live_forgeries.missed(TENURE, self.cluster.journals(), self.cluster.folder + "/forged")
        self.test.assertEqual(missed, {})


    def is_of_a_kill(self, words):
        """Who is killed does not tell what its clients have just changed (docs/adr/0073). There are four clients. And who
        is killed as it starts has registered, and has no journal yet: its number is the store's."""
        gap = re.match(r"(\w+) changes? of .* told by no journal, the first between positions (\d+) and (\d+) ", words)
        killed = sum(one.process.returncode == -signal.SIGKILL for one in self.cluster.daemons)
        if gap is None or int(gap[1].replace("a", "1")) > 4 * killed:
            return False
        told, times, nodes, ends = {}, {}, set(), []
        for files in self.cluster.journals().values():
            for path in files:
                with open(path) as file:
                    lines = [json.loads(line) for line in file if line.endswith("\n")]
                told.update((line["position"], line["at"]) for line in lines if "position" in line)
                times.update((line["position"], line["store_time_us"]) for line in lines if "position" in line)
                nodes.update(line["node"] for line in lines)
                ends += [line["at"] for line in lines[-1:] if line["event"] != "died"]
        registered = self.cluster.engine.rows("SELECT node, since_us FROM tenure{}node")
        if any(int(node) not in nodes and times[int(gap[2])] <= int(since) <= times[int(gap[3])]
               for node, since in registered):
            return True
        before, after = told[int(gap[2])], told[int(gap[3])]
        return any(before - SECOND <= end <= after + SECOND for end in ends)


class RoundOfInstances(Round):
    def __init__(self, test, stack, seed):
        super().__init__(test, stack, seed)
        self.sinks = [Sink(), Sink()]
        for one in self.sinks:
            stack.callback(one.close)
        config = destination("crm", self.sinks[0]) + 'timeout = "2s"\nin_flight = 8\n'
        config += destination("shop", self.sinks[1]) + 'timeout = "2s"\nin_flight = 2\n'
        self.cluster = Cluster(stack, config, lease=LEASE, timeout="800ms", flags=FLAGS)

    def disturb(self, count, found):
        self.strict = self.create_schedules()
        with contextlib.ExitStack() as clients:
            editor = Editor(self.cluster, random.Random(self.seed))
            consumer = Consumer(self.cluster.daemons, "inbox")
            workers = [Worker(self.cluster, "work") for _ in range(2)]
            for one in (editor, consumer, *workers):
                clients.callback(one.end)
            faults = self.strike(count)
            editor.end()
            self.say("all is healed; clients:", dict(Counter(act for act, _ in editor.asked.elements())))
            until = time.time()
            self.wait_for_the_rest(until)
            handed = consumer.end()
        fires, dead = self.read_fires(), self.read_dead()
        self.cluster.stop()
        oracle = self.check_slots(until, found)
        taken = [(json.loads(body), seconds) for sink in self.sinks for body, seconds in sink.taken]
        completed = [event for worker in workers for event, _, standing in worker.ended if standing == "completed"]
        self.check_deliveries(fires, taken, completed, dead, handed, oracle, found)
        found.lost += [f"the run {key} was answered, and never fired"
                       for key in set(editor.got) - {one["event"]["key"] for one in fires}]
        begun = Counter(one for worker in workers for one in worker.begun)
        found.doubled += [f"attempt {one} was handed out twice" for one, count in begun.items() if count > 1]
        self.check_sent({one["event"]["id"] for one in fires}, found)
        self.say("sent:", sum(len(sink.got) for sink in self.sinks), "taken:", len(taken), "dead:", len(dead),
                 "claimed:", sum(begun.values()), "completed:", len(completed), "polled:", len(handed))

        for name, some_taken, some_completed in (("lost", taken[20:], completed), ("lost", taken, completed[20:]),
                                                 ("doubled", taken + taken, completed),
                                                 ("doubled", taken, completed + completed)):
            planted = Findings()
            self.check_deliveries(fires, some_taken, some_completed, dead, handed, oracle, planted)
            self.test.assertTrue(getattr(planted, name), f"what is {name} is not found")
        return faults, len(fires)

    def create_schedules(self):
        """Those that nobody edits: each kind of delivery, each kind of rule with each second policy for late slots.
        Returns which are in strict order."""
        made = {"pushed": {"every": "300ms", **LATE[0], **DELIVERIES[0]},
                "worked": {"every": "500ms", **LATE[0], **DELIVERIES[5]}}
        for i, delivery in enumerate(DELIVERIES):
            made[f"delivery-{i}"] = {"every": "600ms", **LATE[0], **delivery}
        for i, rule in enumerate(rules(self.rng)):
            for j, late in list(enumerate(LATE))[i % 2::2]:
                made[f"rule-{i}-{j}"] = {**rule, **late, **DELIVERIES[(i + j) % len(DELIVERIES)]}
        for name, schedule in made.items():
            self.cluster.leader().create(name, schedule)
        return {name for name, schedule in made.items() if schedule.get("strict_order")}

    def ask(self, method, path, *more):
        """Of whoever answers."""
        def answer():
            with contextlib.suppress(OSError):
                got = self.cluster.leader().ask(method, path, *more)
                return got if got.status != 503 else None
        return eventually(answer, PATIENCE, path)

    def wait_for_the_rest(self, until):
        """All that was due is covered; then nothing fires any more, and what waits is delivered."""
        self.wait_until_covered(until)
        schedules = [one["name"] for one in self.ask("GET", "/v1/schedules?limit=1000").json["schedules"]]
        for name in schedules:
            self.ask("POST", f"/v1/schedules/{name}/pause")
        waits = "SELECT count(*) FROM tenure{}waiting WHERE name <> 'table'"
        eventually(lambda: self.cluster.number(waits) == 0, 5 * PATIENCE, "what waits is delivered")

    def pages(self, path, key):
        found, after = [], "0"
        while True:
            page = self.ask("GET", f"{path}after={after}&limit=1000").json
            found += page[key]
            if not page["more"]:
                return found
            after = page["next"]

    def read_fires(self):
        return self.pages("/v1/fires?outcome=fired&", "fires")

    def read_dead(self):
        found = self.pages("/v1/events/dead?", "events") + self.pages("/v1/events/dead?discarded=true&", "events")
        return {one["key"] for one in found}

    def check_deliveries(self, fires, taken, completed, dead, handed, oracle, found):
        """Each event has arrived, or waits, or is dead, and under one id; what is over is not done again."""
        if len({one["event"]["id"] for one in fires}) != len(fires):
            found.doubled.append("two events have one id")
        at_work = set()
        for one, seconds in taken:
            leader = one["id"], one["fencingtoken"]
            if leader in at_work:
                found.doubled.append(f"sent again by the leader that had heard: {one}")
            if seconds < 0.5:  # it has heard, or has lost its lease
                at_work.add(leader)
        found.doubled += [f"{count} workers have completed {event}"
                          for event, count in Counter(completed).items() if count > 1]
        pushed, pulled = {one["id"] for one, _ in taken}, {*completed, *handed}
        over = dead | oracle.replaced() | oracle.waits
        for one in fires:
            event = one["event"]
            arrived = pushed if oracle.delivery(one["uid"], one["version"]) == "push" else pulled
            if event["id"] not in arrived and event["key"] not in over:
                found.lost.append(f"fired, and nobody has it: {one}")

    def check_sent(self, ids, found):
        clock, order = time.time() - time.monotonic(), defaultdict(int)
        for at, (_, body) in (one for sink in self.sinks for one in zip(sink.at, sink.got)):
            one = json.loads(body)
            if one["id"] not in ids:
                found.wrong.append(f"sent, and never fired: {one}")
            if seconds_of(one["time"]) > at + clock + 0.001:
                found.early.append(f"at {text(at + clock)}: {one}")
            if one["subject"] in self.strict:
                turn = one["subject"], one["fencingtoken"]
                if order[turn] > int(one["sequence"]):
                    found.wrong.append(f"sent after a later one: {one}")
                order[turn] = int(one["sequence"])


class Scheduler(Process):
    """Of a program with work of its own (tests/adapters/audited/audited.cc), whose lease lasts for 3 s."""

    ids = itertools.count(1)

    def __init__(self, store, *flags, environment=None, **_):
        self.id, self.path = next(self.ids), flags[flags.index("--journal") + 1]
        self.of_before = self.file()
        super().__init__([AUDITED, store, str(self.id), self.path], environment)

    def file(self):
        return os.stat(self.path).st_ino if os.path.exists(self.path) else None

    def wait_for_port(self):
        """It has begun a journal, and can be asked to stop."""
        eventually(lambda: self.file() not in (None, self.of_before), PATIENCE)
        return self

    def leads(self):
        with contextlib.suppress(sqlite3.OperationalError, subprocess.CalledProcessError):  # there are no tables yet
            return self.process.poll() is None and self.cluster.number(HOLDER) == self.id
        return False


class RoundOfSchedulers(Round):
    def __init__(self, test, stack, seed):
        super().__init__(test, stack, seed)
        self.cluster = Cluster(stack, make=Scheduler)
        Scheduler.cluster = self.cluster

    def disturb(self, count, found):
        client = Process([AUDITED, self.cluster.engine.store, "client", str(self.seed)], None)
        self.stack.callback(client.kill)
        faults = self.strike(count)
        client.kill()
        until = time.time()
        self.wait_until_covered(until)
        self.cluster.stop()
        self.check_slots(until, found)
        return faults, self.cluster.number(FIRED)


if __name__ == "__main__":
    unittest.main()
