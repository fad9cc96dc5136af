#!/usr/bin/env python3
"""A second model of client-go's leader election, written from the Go source line by line, on a clock of its own.

  second.py FILE.toml [--release 0.36] [--seeds 500] [--forgets]     prints what expected.json has, as JSON

Sources: tools/leaderelection/leaderelection.go (acquire, renew, tryAcquireOrRenew, release) and
resourcelock/leaselock.go of k8s.io/client-go, pkg/util/wait (loopConditionUntilContext, poller) of apimachinery. A
generator is a goroutine; it yields ("until", t) and ("ask", what, deadline), in the time of its own clock.

It knows what scenarios here need: cluster.instances and start_spread, [election], [[instance]] with settings and rates,
one latency of the store, and the faults kill, restart, stop, pause, partition, delay, store-down, store-hang,
store-slow, store-reject, store-ack-lost and store-request-lost with `at` or `on = "leads"`. --forgets: whoever gave up
begins with a new LeaderElector instead of running the old one again.
"""
import argparse, functools, heapq, itertools, json, math, random, re, statistics, tomllib

UNIT = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
NEVER = math.inf
ONE_WAY = 0.0003  # to the store, and back


@functools.cache
def sec(text):
    return sum(float(n) * UNIT[u] for n, u in re.findall(r"([\d.]+)(ms|us|ns|h|m|s)", text))


class Stopped(Exception):
    """The context that Run was given is done."""


class World:
    def __init__(self, scenario, release, forgets, seed):
        self.random, self.now, self.heap, self.order = random.Random(seed), 0.0, [], itertools.count()
        self.release, self.forgets = release, forgets
        self.record, self.version = None, 0
        self.events, self.faults, self.began_to_lead = [], [dict(f) for f in scenario.get("fault", [])], 0
        self.heal = sec(scenario["sim"]["duration"])
        self.end = self.heal + sec(scenario["sim"].get("tail", "60s"))
        self.service = sec(scenario.get("store", {}).get("latency", "1ms"))
        spread = sec(scenario["cluster"].get("start_spread", "0s"))
        self.nodes = []
        for i in range(scenario["cluster"].get("instances", 3)):
            name = "n%d" % (i + 1)
            election, clock = dict(scenario.get("election", {})), dict(scenario["cluster"].get("clock", {}))
            for one in scenario.get("instance", []):
                if name in one["names"]:
                    election.update(one.get("election", {}))
                    clock.update(one.get("clock", {}))
            self.nodes.append(Node(self, name, election, clock))
        for node in self.nodes:
            self.at(self.random.uniform(0, spread), node.start)
        for fault in self.faults:
            if "at" in fault:
                self.at(sec(fault["at"]), lambda fault=fault: self.strike(fault))

    def at(self, time, call):
        heapq.heappush(self.heap, (max(time, self.now), next(self.order), call))

    def say(self, kind, node=""):
        self.events.append({"t": self.now, "kind": kind, "node": node, "life": 0, "text": ""})

    def run(self):
        while self.heap and self.heap[0][0] <= self.end:
            self.now, _, call = heapq.heappop(self.heap)
            call()
        return self.events

    # Somebody begins to lead.
    def leads(self, node):
        self.say("believes", node)
        self.began_to_lead += 1
        for fault in self.faults:
            if fault.get("on") == "leads" and fault.get("nth", 1) == self.began_to_lead:
                self.at(self.now + sec(fault.get("after", "0s")), lambda fault=fault: self.strike(fault))

    def active(self, action, node=None):
        for fault in self.faults:
            began = fault.get("began", NEVER) <= self.now < fault.get("until", NEVER)
            if fault["action"] == action and began and (node is None or fault.get("struck") is node):
                return fault
        return None

    def strike(self, fault):
        if self.now >= self.heal:
            return
        self.say("fault")
        leaders = [n for n in self.nodes if n.leads]
        target = fault.get("target", "")
        named = [n for n in self.nodes if n.name == target]
        standbys = [n for n in self.nodes if not n.leads]
        struck = (leaders if target == "leader" else standbys if target == "standby" else named)[:1]
        fault["struck"] = struck[0] if struck else None
        lasts = sec(fault["duration"]) if "duration" in fault else NEVER
        fault["began"], fault["until"] = self.now, min(self.now + lasts, self.heal)
        if not struck:
            return
        node = struck[0]
        if fault["action"] in ("kill", "restart"):
            node.die()
            down = sec(fault.get("down", "1s")) if fault["action"] == "restart" else lasts
            self.at(min(self.now + down, self.heal), node.start)
        if fault["action"] == "stop":
            self.at(fault["until"], node.start)
            self.at(self.now + sec(fault.get("grace", "10s")), lambda life=node.life: node.life == life and node.die())
            node.stop(node.life)
        if fault["action"] == "pause":
            node.paused_until = fault["until"]

    # ---- the way of a request ----

    # Half of what a partition catches is held until its end, and the rest is gone.
    def pass_on(self, node, way, arrive):
        cut, delay = self.active("partition", node), self.active("delay", node)
        if cut and cut.get("direction", "both") in (way, "both"):
            if self.random.random() < 0.5:
                self.at(cut["until"] + ONE_WAY, arrive)
        else:
            self.at(self.now + ONE_WAY + (sec(delay["latency"]) if delay else 0.0), arrive)

    # Calls done(reply) when its answer is back, if one comes.
    def send(self, node, request, done):
        self.pass_on(node, "from", lambda: self.arrive(node, request, done))

    def arrive(self, node, request, done):
        hit = {action: fault for action in ("store-reject", "store-request-lost", "store-ack-lost")
               if (fault := self.active(action)) and self.random.random() < fault.get("rate", 1)}
        if self.active("store-down") or "store-reject" in hit:
            return self.answer(node, ("error",), done)
        if "store-request-lost" in hit:
            return
        slow, hang = self.active("store-slow"), self.active("store-hang")
        woken = hang and hang["until"] + self.random.random() * 1e-9  # then they are served in any order
        until = (woken if hang else self.now) + self.service + (sec(slow["latency"]) if slow else 0.0)
        self.at(until, lambda: self.execute(node, request, done, "store-ack-lost" in hit))

    def execute(self, node, request, done, unheard):
        self.say("applied")
        reply = self.reply_to(*request)
        if not unheard:
            self.answer(node, reply, done)

    def answer(self, node, reply, done):
        self.pass_on(node, "to", lambda: done(reply))

    def reply_to(self, kind, version=None, record=None):
        if kind == "get":
            return ("found", self.version, self.record) if self.record else ("none",)
        if version != self.version:
            return ("conflict",)
        self.version, self.record = self.version + 1, record
        return ("stored", self.version)


class Node:
    def __init__(self, world, name, election, clock):
        self.w, self.name, self.life, self.leads, self.paused_until = world, name, 0, False, 0.0
        self.goroutine, self.waits_for, self.gave_up = None, None, False
        low, high = (str(clock.get("rate_ppm", 0)) + ".." + str(clock.get("rate_ppm", 0))).split("..")[:2]
        self.rate = 1 + world.random.uniform(float(low), float(high)) / 1e6
        self.L = float(int(sec(election.get("lease_duration", "15s"))))
        self.D, self.R = sec(election.get("renew_deadline", "10s")), sec(election.get("retry_period", "2s"))
        self.timeout = sec(election.get("request_timeout", "5s"))
        self.releases = election.get("release_on_cancel", False)

    def now(self):
        return self.w.now * self.rate

    def true(self, time):
        return time / self.rate

    def start(self):
        if self.goroutine is not None:
            return
        self.life += 1
        self.phase = self.w.random.random()  # where its seconds begin
        self.observed, self.raw, self.seen_at, self.lease_version = None, None, -NEVER, None
        self.goroutine, self.gave_up = self.run(), False
        self.waits_for = None
        self.go(None, None, self.life)

    def die(self):
        if self.leads:
            self.w.say("died", self.name)
        self.goroutine, self.leads, self.paused_until = None, False, 0.0

    def stop(self, life):
        if life != self.life or self.goroutine is None:
            return
        if self.w.now < self.paused_until:
            return self.w.at(self.paused_until, lambda: self.stop(life))
        if self.gave_up:  # its release goes on
            self.lead_no_more()
            self.stopping = True
        else:
            self.step(lambda: self.goroutine.throw(Stopped()))

    def lead_no_more(self):
        if self.leads:
            self.leads = False
            self.w.say("ctx-done", self.name)

    # Gives it what it waits for, unless it waits for something else by now.
    def go(self, value, wait, life):
        if life != self.life or self.goroutine is None or wait != self.waits_for:
            return
        if self.w.now < self.paused_until:
            return self.w.at(self.paused_until, lambda: self.go(value, wait, life))
        if wait and wait[1] is not None and self.now() >= wait[1]:
            value = ("error",)  # overdue timers go before the network after a pause
        self.step(lambda: self.goroutine.send(value))

    def step(self, resume):
        try:
            what = resume()
        except StopIteration:
            self.goroutine = None
            return
        life = self.life
        if what[0] == "until":
            wait = self.waits_for = (next(self.w.order), None)
            self.w.at(self.true(what[1]), lambda: self.go(None, wait, life))
        else:
            wait = self.waits_for = (next(self.w.order), what[2])
            self.w.at(self.true(what[2]), lambda: self.go(("error",), wait, life))
            self.w.send(self, what[1], lambda reply: self.go(reply, wait, life))

    # ---- leaderelection.go ----

    def second(self):
        return math.floor(self.now() - self.phase)

    def set_observed(self, record):
        self.observed, self.seen_at = record, self.now()

    def is_leader(self):
        return self.observed is not None and self.observed["holder"] == self.name

    def is_valid(self, now):
        return self.observed is not None and self.seen_at + self.observed["duration"] > now

    def deadline(self, context):
        return min(self.now() + self.timeout, context)

    def put(self, record, context):
        answer = yield ("ask", ("put", self.lease_version, record), self.deadline(context))
        if answer[0] == "stored":
            self.lease_version = answer[1]
            self.set_observed(record)
        return answer[0]

    def update(self, record, context):
        return (yield from self.put(record, context)) == "stored"

    def try_acquire_or_renew(self, context):
        now = self.now()
        fresh = {"holder": self.name, "duration": self.L, "renew": self.second(), "acquire": self.second(), "n": 0}
        if self.w.release != "0.29" and self.is_leader() and self.is_valid(now):
            fast = dict(fresh, acquire=self.observed["acquire"], n=self.observed["n"])
            if (yield from self.update(fast, context)):
                return True
            if self.now() >= context:
                return False
        answer = yield ("ask", ("get",), self.deadline(context))
        if answer[0] == "none":
            self.lease_version = 0
            return (yield from self.update(fresh, context))
        if answer[0] != "found":
            return False
        _, self.lease_version, old = answer
        if old != self.raw:
            self.set_observed(old)
            self.raw = old
        if old["holder"] and self.is_valid(now) and not self.is_leader():
            return False
        mine = self.is_leader()
        record = dict(fresh, acquire=old["acquire"] if mine else fresh["acquire"], n=old["n"] + (not mine))
        return (yield from self.update(record, context))

    def run(self):
        self.stopping = False
        try:
            while not self.stopping:
                yield from self.lead_once()
        except Stopped:
            was_leading = self.leads
            self.lead_no_more()
            if was_leading and self.releases:
                yield from self.release()

    def lead_once(self):
        w = self.w
        while not (yield from self.try_acquire_or_renew(NEVER)):
            yield ("until", self.now() + self.R * (1 + 1.2 * w.random.random()))
        self.leads = True
        w.leads(self.name)
        while (yield from self.poll()):
            yield ("until", self.now() + self.R)
        self.gave_up = True
        if self.releases:
            yield from self.release()
        self.gave_up = False
        self.lead_no_more()
        if w.forgets:
            self.observed = self.raw = None

    def poll(self):
        release, start = self.w.release, self.now()
        context, taken = start + self.D, 0
        ticks_from = start if release >= "0.33" else None
        while True:
            if (yield from self.try_acquire_or_renew(context)):
                return True
            if ticks_from is None:
                ticks_from = self.now()  # the poller's ticker begins after the first attempt
            ticked = math.floor((self.now() - ticks_from) / self.R + 1e-9)
            if release >= "0.33" and ticked > taken:
                taken, next_tick = ticked, self.now()  # one tick waits in the channel
            else:
                taken, next_tick = ticked + 1, ticks_from + self.R * (ticked + 1)
            if next_tick >= context:
                yield ("until", context)
                return False
            yield ("until", next_tick)
            if self.now() >= context:
                return False

    def release(self):
        w, context = self.w, NEVER if self.w.release == "0.29" else self.now() + self.D
        transitions = self.observed["n"]
        while True:
            if w.release >= "0.36":
                answer = yield ("ask", ("get",), self.deadline(context))
                if answer[0] != "found":
                    return
                self.lease_version, transitions = answer[1], answer[2]["n"]
            if not self.is_leader():
                return
            empty = {"holder": "", "duration": 1.0, "renew": self.second(), "acquire": self.second(), "n": transitions}
            if (yield from self.put(empty, context)) != "conflict" or w.release < "0.37":
                return


def measure(events, end):
    m = {"failover": None, "losses": 0, "loss_after": None, "overlap": 0.0, "leaderless": 0.0}
    on, terms, fault = {}, [], None
    m["requests"] = sum(x["kind"] == "applied" for x in events) / end
    for x in events:
        kind, node, t = x["kind"], x["node"], x["t"]
        if kind == "fault" and fault is None:
            fault = t
        if kind == "believes":
            on[node] = t
            if fault is not None and t > fault and m["failover"] is None:
                m["failover"] = t - fault
        if kind in ("ctx-done", "died") and node in on:
            terms.append((on.pop(node), t))
            if kind == "ctx-done":
                m["losses"] += 1
                if fault is not None and m["loss_after"] is None:
                    m["loss_after"] = t - fault
    terms += [(t, end) for t in on.values()]
    depth, last, first = 0, 0.0, None
    for t, d in sorted([(a, 1) for a, _ in terms] + [(b, -1) for _, b in terms]):
        m["overlap"] += t - last if depth >= 2 else 0
        m["leaderless"] += t - last if depth == 0 and first is not None else 0
        depth, last, first = depth + d, t, t if first is None else first
    m["leaderless"] += max(0.0, end - last) if depth == 0 else 0
    return m


def spread_of(values):
    values = [v for v in values if v is not None]
    if not values:
        return {"n": 0}
    return {"n": len(values), "mean": round(statistics.mean(values), 4), "sd": round(statistics.pstdev(values), 4),
            "min": round(min(values), 4), "max": round(max(values), 4)}


def summary(path, release, seeds, forgets):
    with open(path, "rb") as file:
        scenario = tomllib.load(file)
    runs = []
    for seed in range(1, seeds + 1):
        world = World(scenario, release, forgets, seed)
        runs.append(measure(world.run(), world.end))
    over = [m["overlap"] for m in runs if m["overlap"] > 1e-6]
    said = {k: spread_of(m[k] for m in runs) for k in ("losses", "loss_after", "failover", "leaderless", "requests")}
    return {"runs": len(runs), "overlap_share": round(len(over) / len(runs), 4), "overlap": spread_of(over), **said}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--release", default="0.36", choices=["0.29", "0.31", "0.33", "0.36", "0.37"])
    parser.add_argument("--seeds", type=int, default=500)
    parser.add_argument("--forgets", action="store_true")
    options = parser.parse_args()
    print(json.dumps(summary(options.file, options.release, options.seeds, options.forgets), indent=1))
