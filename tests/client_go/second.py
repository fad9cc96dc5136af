#!/usr/bin/env python3
"""A second model of client-go's leader election, written from the Go source line by line, on a clock of its own.

  second.py FILE.toml [--release 0.36] [--seeds 500] [--forgets]     prints what expected.json has, as JSON

Sources: tools/leaderelection/leaderelection.go (acquire, renew, tryAcquireOrRenew, release) and
resourcelock/leaselock.go of k8s.io/client-go, pkg/util/wait (loopConditionUntilContext, poller) of apimachinery. A
generator is a goroutine; it yields ("until", t) and ("ask", what, deadline). It knows what scenarios here need:
cluster.instances and start_spread, [election], and the faults kill, restart, pause, partition, store-down, store-hang,
store-slow, store-reject, store-ack-lost and store-request-lost with `at`. --forgets: whoever gave up begins with a new
LeaderElector instead of running the old one again.
"""
import argparse, heapq, itertools, json, math, random, re, statistics, tomllib

UNIT = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
NEVER = math.inf
LATENCY = 0.0016  # there and back, with the store's own


def sec(text):
    return sum(float(n) * UNIT[u] for n, u in re.findall(r"([\d.]+)(ms|us|ns|h|m|s)", text))


class World:
    def __init__(self, scenario, release, forgets, seed):
        self.random, self.now, self.heap, self.order = random.Random(seed), 0.0, [], itertools.count()
        self.release, self.forgets = release, forgets
        self.record, self.version = None, 0
        self.events, self.faults = [], scenario.get("fault", [])
        self.heal = sec(scenario["sim"]["duration"])
        self.end = self.heal + sec(scenario["sim"].get("tail", "60s"))
        e = scenario.get("election", {})
        self.L = float(int(sec(e.get("lease_duration", "15s"))))
        self.D, self.R = sec(e.get("renew_deadline", "10s")), sec(e.get("retry_period", "2s"))
        self.timeout, self.releases = sec(e.get("request_timeout", "5s")), e.get("release_on_cancel", False)
        spread = sec(scenario["cluster"].get("start_spread", "0s"))
        self.nodes = [Node(self, "n%d" % (i + 1)) for i in range(scenario["cluster"].get("instances", 3))]
        for node in self.nodes:
            self.at(self.random.uniform(0, spread), node.start)
        for fault in self.faults:
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

    def until(self, fault):
        return min(sec(fault["at"]) + sec(fault.get("duration", "0s")), self.heal)

    def active(self, action, node=None):
        for fault in self.faults:
            began = sec(fault["at"]) <= self.now < self.until(fault)
            if fault["action"] == action and began and (node is None or fault.get("struck") is node):
                return fault
        return None

    def strike(self, fault):
        self.say("fault")
        leaders = [n for n in self.nodes if n.leads]
        target = fault.get("target", "")
        named = [n for n in self.nodes if n.name == target]
        standbys = [n for n in self.nodes if not n.leads]
        struck = (leaders if target == "leader" else standbys if target == "standby" else named)[:1]
        fault["struck"] = struck[0] if struck else None
        if not struck:
            return
        if fault["action"] in ("kill", "restart"):
            struck[0].die()
            down = fault.get("down", "1s") if fault["action"] == "restart" else fault.get("duration")
            self.at(self.now + sec(down) if down else self.heal, struck[0].start)
        if fault["action"] == "pause":
            struck[0].paused_until = self.until(fault)

    # What becomes of a request: when it is executed, and whether and when its answer is there; None: never.
    def fate(self, node):
        if self.active("partition", node):
            return None, None
        if self.active("store-down"):
            return None, LATENCY
        for action, what in (("store-reject", (None, LATENCY)), ("store-request-lost", (None, None)),
                             ("store-ack-lost", (LATENCY / 2, None))):
            fault = self.active(action)
            if fault and self.random.random() < fault.get("rate", 1):
                return what
        slow, hang = self.active("store-slow"), self.active("store-hang")
        more = sec(slow["latency"]) if slow else self.until(hang) - self.now if hang else 0.0
        return LATENCY / 2 + more, LATENCY + more


class Node:
    def __init__(self, world, name):
        self.w, self.name, self.life, self.leads, self.paused_until = world, name, 0, False, 0.0
        self.goroutine = None

    def start(self):
        if self.goroutine is not None:
            return
        self.life += 1
        self.phase = self.w.random.random()  # where its seconds begin
        self.observed, self.raw, self.seen_at, self.lease_version = None, None, -NEVER, None
        self.goroutine = self.run()
        self.go(None, self.life)

    def die(self):
        if self.leads:
            self.w.say("died", self.name)
        self.goroutine, self.leads, self.paused_until = None, False, 0.0

    def go(self, value, life):
        if life != self.life or self.goroutine is None:
            return
        if self.w.now < self.paused_until:
            return self.w.at(self.paused_until, lambda: self.go(value, life))
        what = self.goroutine.send(value)
        if what[0] == "until":
            self.w.at(what[1], lambda: self.go(None, life))
        else:
            self.ask(what[1], what[2], life)

    def ask(self, request, deadline, life):
        executed, answered = self.w.fate(self)
        box, start = [], self.w.now

        def execute():
            self.w.say("applied")
            box.append(self.execute(*request))

        if executed is not None:
            self.w.at(start + executed, execute)
        in_time = answered is not None and start + answered < deadline
        # Overdue timers go before the network after a pause.
        late = lambda: self.w.now >= deadline
        self.w.at(start + answered if in_time else deadline,
                  lambda: self.answer(box, late, life))

    def answer(self, box, late, life):
        if self.w.now < self.paused_until:
            return self.w.at(self.paused_until, lambda: self.answer(box, late, life))
        self.go(("error",) if late() or not box else box[0], life)

    def execute(self, kind, version=None, record=None):
        w = self.w
        if kind == "get":
            return ("found", w.version, w.record) if w.record else ("none",)
        if version != w.version:
            return ("conflict",)
        w.version, w.record = w.version + 1, record
        return ("stored", w.version)

    # ---- leaderelection.go ----

    def second(self):
        return math.floor(self.w.now - self.phase)

    def set_observed(self, record):
        self.observed, self.seen_at = record, self.w.now

    def is_leader(self):
        return self.observed is not None and self.observed["holder"] == self.name

    def is_valid(self, now):
        return self.observed is not None and self.seen_at + self.observed["duration"] > now

    def deadline(self, context):
        return min(self.w.now + self.w.timeout, context)

    def update(self, record, context):
        answer = yield ("ask", ("put", self.lease_version, record), self.deadline(context))
        if answer[0] != "stored":
            return False
        self.lease_version = answer[1]
        self.set_observed(record)
        return True

    def try_acquire_or_renew(self, context):
        now = self.w.now
        fresh = {"holder": self.name, "duration": self.w.L, "renew": self.second(), "acquire": self.second(), "n": 0}
        if self.w.release != "0.29" and self.is_leader() and self.is_valid(now):
            fast = dict(fresh, acquire=self.observed["acquire"], n=self.observed["n"])
            if (yield from self.update(fast, context)):
                return True
            if self.w.now >= context:
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
        w = self.w
        while True:
            while not (yield from self.try_acquire_or_renew(NEVER)):
                yield ("until", w.now + w.R * (1 + 1.2 * w.random.random()))
            self.leads = True
            w.say("believes", self.name)
            while (yield from self.poll()):
                yield ("until", w.now + w.R)
            if w.releases:
                yield from self.release()
            self.leads = False
            w.say("ctx-done", self.name)
            if w.forgets:
                self.observed = self.raw = None

    def poll(self):
        w, start = self.w, self.w.now
        context, taken = start + w.D, 0
        ticks_from = start if w.release in ("0.33", "0.36") else None
        while True:
            if (yield from self.try_acquire_or_renew(context)):
                return True
            if ticks_from is None:
                ticks_from = w.now  # the poller's ticker begins after the first attempt
            ticked = math.floor((w.now - ticks_from) / w.R + 1e-9)
            if w.release in ("0.33", "0.36") and ticked > taken:
                taken, next_tick = ticked, w.now  # one tick waits in the channel
            else:
                taken, next_tick = ticked + 1, ticks_from + w.R * (ticked + 1)
            if next_tick >= context:
                yield ("until", context)
                return False
            yield ("until", next_tick)
            if w.now >= context:
                return False

    def release(self):
        w, context = self.w, NEVER if self.w.release == "0.29" else self.w.now + self.w.D
        transitions = self.observed["n"]
        if w.release == "0.36":
            answer = yield ("ask", ("get",), self.deadline(context))
            if answer[0] != "found":
                return
            self.lease_version, transitions = answer[1], answer[2]["n"]
        if self.is_leader():
            empty = {"holder": "", "duration": 1.0, "renew": self.second(), "acquire": self.second(), "n": transitions}
            yield from self.update(empty, context)


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
    runs = []
    for seed in range(1, seeds + 1):
        world = World(tomllib.load(open(path, "rb")), release, forgets, seed)
        runs.append(measure(world.run(), world.end))
    over = [m["overlap"] for m in runs if m["overlap"] > 1e-6]
    said = {k: spread_of(m[k] for m in runs) for k in ("losses", "loss_after", "failover", "leaderless", "requests")}
    return {"runs": len(runs), "overlap_share": round(len(over) / len(runs), 4), "overlap": spread_of(over), **said}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--release", default="0.36", choices=["0.29", "0.31", "0.33", "0.36"])
    parser.add_argument("--seeds", type=int, default=500)
    parser.add_argument("--forgets", action="store_true")
    options = parser.parse_args()
    print(json.dumps(summary(options.file, options.release, options.seeds, options.forgets), indent=1))
