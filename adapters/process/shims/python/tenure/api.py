"""What node(t) finds in `t`: the API of docs/designs.md, for asyncio."""

import asyncio
import collections
import random
import traceback

from tenure.times import Duration, Mono, StoreTime, Wall
from tenure.values import Disk, a_text, settle, shown_token, to_statement, whole_number
from tenure.world import Now

_FRAMES = 20  # of a traceback


class Event:
    """Happens once, with a value."""

    def __init__(self):
        self._future = asyncio.get_running_loop().create_future()

    def set(self, value=True):
        if not self._future.done():
            self._future.set_result(value)

    def is_set(self):
        return self._future.done()

    async def wait(self, timeout=None):
        """Its value. Raises TimeoutError."""
        seconds = None if timeout is None else Duration(timeout).seconds
        return await asyncio.wait_for(asyncio.shield(self._future), seconds)


class Parameters:
    def __init__(self, values):
        self.__dict__.update(values)

    def __getattr__(self, name):
        raise AttributeError(f"there is no parameter {name!r}; there is {', '.join(self.__dict__) or 'none'}")


class T:
    def __init__(self, loop, start, parameters, design):
        self._loop = loop
        self.me, self.number, self.nodes = start["me"], start["number"], start["nodes"]
        self.identity = start["identity"]
        self.p = parameters
        self._tokens = getattr(design, "tokens", False)
        self._writes = getattr(design, "writes", False)
        self._role = getattr(design, "role", "elector")
        self.disk = Disk(self, start.get("disk", {}))
        self._requests = 0
        self._open = {}  # the futures of requests, by number
        self._letters = collections.deque()
        self._readers = collections.deque()
        self._belief = None  # the end of it; or True: open. A scheduler's: that of its election
        self._token = None
        self._belief_changed = []  # futures
        self._on_stop = None
        self._over = False
        self._tasks = set()

    # ---- tasks and time ----

    def spawn(self, function, name=None):
        """A task beside this one; .cancel() ends it where it waits."""
        task = self._loop.create_task(function(), name=name or function.__name__)
        self._tasks.add(task)
        task.add_done_callback(self._task_ended)
        return task

    async def sleep(self, length):
        # call_at, and not asyncio.sleep: a sum of seconds would be rounded twice.
        woken = self._loop.create_future()
        handle = self._loop.call_at(((self.mono() + length).ns - Now.begin) / 1e9, _wake, woken)
        try:
            await woken
        finally:
            handle.cancel()

    def mono(self):
        return Mono(Now.mono)

    def wall(self):
        return Wall(Now.wall)

    def duration(self, length):
        return Duration(length)

    def as_wall(self, time):
        """Takes a store's time for one of this machine's wall clock: two clocks that need not agree."""
        if not isinstance(time, StoreTime):
            raise TypeError(f"t.as_wall takes a time that a store gave, and not a {type(time).__name__}")
        return Wall(time.ns)

    def as_store(self, time):
        if not isinstance(time, Wall):
            raise TypeError(f"t.as_store takes a time of the wall clock, and not a {type(time).__name__}")
        return StoreTime(time.ns)

    def event(self):
        return Event()

    async def any(self, *events, timeout=None):
        """Waits for the first of several: (which one from 0, its value). Raises TimeoutError."""
        seconds = None if timeout is None else Duration(timeout).seconds
        futures = [event._future for event in events]
        await asyncio.wait(futures, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for which, future in enumerate(futures):
            if future.done():
                return which, future.result()
        raise TimeoutError

    async def deadline(self, length, function):
        """What function() returns. Raises TimeoutError, and then it is cancelled where it waits."""
        return await asyncio.wait_for(function(), Duration(length).seconds)

    async def every(self, period, function, missed="skip"):
        """Calls function() at each tick, for ever. Missed ticks: "skip", "catch up" or "delay"."""
        period = Duration(period)
        if missed not in ("skip", "catch up", "delay"):
            raise ValueError(f't.every: missed ticks are "skip", "catch up" or "delay", and not {missed!r}')
        if period.ns <= 0:
            raise ValueError("t.every: a period above zero")
        tick = self.mono()
        while True:
            await function()
            now = self.mono()
            tick = (now if missed == "delay" else tick) + period
            if missed == "skip" and tick < now:
                tick = tick + period * ((now - tick) // period + 1)
            if tick > now:
                await self.sleep(tick - now)

    async def while_leading(self, function):
        """Runs function(), and cancels it where it waits when this instance believes no more. Whether it has ended."""
        if not self._believes():
            return False
        task = self.spawn(function, "while_leading")
        while self._believes() and not task.done():
            changed = self._loop.create_future()
            self._belief_changed.append(changed)
            end = self._belief_left()
            await asyncio.wait({task, changed}, timeout=end, return_when=asyncio.FIRST_COMPLETED)
        ended = task.done()
        task.cancel()
        return ended

    # ---- the store ----

    async def sql(self, text, *values, timeout="10s", on=None):
        """Runs one statement, on the connection of that name: its Rows. Raises StoreError."""
        return (await self._submit([(text, *values)], timeout, on))[0]

    async def transaction(self, *statements, timeout="10s", on=None):
        """Runs several statements, each (text, value, …): all of them or none. A list of Rows."""
        if not statements:
            raise ValueError("a transaction without a statement")
        return await self._submit(statements, timeout, on)

    def _submit(self, statements, timeout, on):
        made = [to_statement(text, values) for text, *values in statements]
        connection = {} if on is None else {"on": a_text(on)}
        return self._ask("sql", {"deadline": (self.mono() + timeout).ns, "statements": made} | connection)

    def _ask(self, what, value):
        """Asks for what is answered by its number: a future."""
        self._requests += 1
        answered = self._open[self._requests] = self._loop.create_future()
        self._loop.act(what, {"id": self._requests, **value})
        return answered

    # ---- work ----

    async def run(self, *, schedule, slot, token=None, once=False):
        """Does the work of a slot, and waits for its end: "done", "stopped", "failed", "fenced"; with once=True also
        "duplicate" and "running"."""
        if self._role == "elector":
            raise ValueError('t.run is for a scheduler: role = "scheduler", or "both"')
        if not isinstance(slot, StoreTime) or slot.ns % 1_000:
            raise TypeError("t.run: `slot` is a time of the store, in whole microseconds, like a row's next_run")
        work = {"schedule": whole_number(schedule), "slot": slot.ns, "once": bool(once)}
        return await self._ask("run", work | shown_token(token))

    async def write(self, *, token=None, timeout="10s"):
        """Writes to the outside resource as the leader: "done"; "fenced": it has seen a newer token; or "unknown": no
        answer in time."""
        if self._role == "scheduler":
            raise ValueError("t.write is an election's own; t.run does the work of a slot")
        if not self._writes:
            raise ValueError("t.write is for a program with writes = True: the checkers go by that")
        answered = self._ask("write", shown_token(token))
        await asyncio.wait({answered}, timeout=Duration(timeout).seconds)
        return answered.result() if answered.done() else "unknown"

    # ---- messages ----

    def send(self, to, kind, *words):
        """To node `to`, with whole numbers; it may be lost, late, or come twice."""
        self._not_of_schedulers("t.send")
        if not isinstance(to, int) or not 1 <= to <= self.nodes:
            raise ValueError(f"there is no node {to}")
        self._loop.act("send", {"to": to, "kind": a_text(kind), "words": [whole_number(word) for word in words]})

    async def receive(self):
        """Who sent it, its kind, its numbers."""
        self._not_of_schedulers("t.receive")
        while not self._letters:
            reader = self._loop.create_future()
            self._readers.append(reader)
            await reader
        return self._letters.popleft()

    # ---- belief ----

    def believe(self, *, until_mono=None, until_wall=None, open=False, token=None):
        """From now on this instance acts as the leader: until then, or until it steps down."""
        self._not_of_schedulers("t.believe")
        if (until_mono is not None) + (until_wall is not None) + bool(open) != 1:
            raise ValueError("t.believe takes one of until_mono, until_wall, open=True")
        if until_mono is not None and not isinstance(until_mono, Mono):
            raise TypeError("until_mono must be a time of the monotonic clock, like t.mono() + '5s'")
        if isinstance(until_wall, StoreTime):
            raise TypeError("until_wall is a store's time; t.as_wall(x) takes it for the wall clock's, which need not agree")
        if until_wall is not None and not isinstance(until_wall, Wall):
            raise TypeError("until_wall must be a time of the wall clock, like t.wall() + '5s'")
        if token is not None and not self._tokens:
            raise ValueError("t.believe: a token needs a design with tokens = True")
        if self._tokens and (whole_number(token or 0) < 1):
            raise ValueError("t.believe: the design has tokens, so token = a whole number above 0 belongs to a belief")
        belief = {"token": token} if token is not None else {}
        if open:
            belief["open"] = True
        elif until_mono is not None:
            belief["until_mono"] = until_mono.ns
        else:
            belief["until_wall"] = until_wall.ns
        self._belief = True if open else until_mono or until_wall
        self._token = token
        self._loop.act("believe", belief)
        self._tell_belief()

    def step_down(self, why="says so"):
        self._not_of_schedulers("t.step_down")
        if self._belief is not None:
            self._belief = None
            self._loop.act("step_down", str(why))
            self._tell_belief()

    def _not_of_schedulers(self, what):
        if self._role == "scheduler":
            raise ValueError(f"{what} is its election's business, and this program is a scheduler")

    def leads(self):
        """Whether it believes so now; of a scheduler, whether its election does."""
        leads = self._believes()
        # A program that works checks before it acts: the moment at which classic zombie writes begin.
        if leads and (self._role != "elector" or self._writes):
            self._loop.act("checked", {})
        return leads

    def token(self):
        """The token that this instance leads with, or None."""
        return self._token if self._believes() else None

    def _believes(self):
        left = self._belief_left()
        return self._belief is not None and (left is None or left > 0)

    def _belief_left(self):
        if self._belief is None or self._belief is True:
            return None
        now = Now.mono if isinstance(self._belief, Mono) else Now.wall
        return (self._belief.ns - now) / 1e9

    def _tell_belief(self):
        for future in self._belief_changed:
            if not future.done():
                future.set_result(None)
        self._belief_changed.clear()

    # ---- the rest ----

    def random(self, most):
        """From 1 to `most`, the same for the same seed."""
        return random.randint(1, most)

    def log(self, text, value=0):
        self._loop.act("log", {"text": str(text), "value": whole_number(value)})

    def on_stop(self, function):
        """Runs when the process is asked to stop; it has stopped when function() returns."""
        self._on_stop = function

    # ---- what the simulator tells ----

    def take(self, told):
        if "leadership" in told:
            self.hear(told["leadership"])
        if "reply" in told:
            reply = told["reply"]
            future = self._open.pop(reply["id"])
            if not future.done():
                settle(future, reply)
        elif "ran" in told or "written" in told or "synced" in told:
            answer = told.get("ran") or told.get("written") or told["synced"]
            future = self._open.pop(answer["id"])
            if not future.done():
                future.set_result(answer.get("result"))
        elif "message" in told:
            message = told["message"]
            self._letters.append((message["from"], message["kind"], *message["words"]))
            while self._readers:
                reader = self._readers.popleft()
                if not reader.done():
                    reader.set_result(None)
                    break
        elif "stop" in told:
            if self._on_stop is None:
                self._stopped()
            else:
                self.spawn(self._stop, "on_stop")

    def hear(self, leadership):
        """Of a scheduler's election."""
        before = self._belief, self._token
        self._belief = self._token = None
        if leadership is not None:
            self._belief = True if leadership.get("open") else Mono(leadership["until_mono"])
            self._token = leadership.get("token")
        if not _same(before, (self._belief, self._token)):
            self._tell_belief()

    async def _stop(self):
        await self._on_stop()
        self._stopped()

    def _stopped(self):
        self._loop.act("stopped", {})
        self._over = True

    def _task_ended(self, task):
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self.fail(task.exception(), task.get_name())

    def fail(self, error, where):
        if self._over:
            return
        frames = traceback.format_exception(error, limit=-_FRAMES)
        self._loop.act("error", f"{where}: {type(error).__name__}: {error}\n" + "".join(frames).rstrip())
        self._over = True


def _wake(future):
    if not future.done():
        future.set_result(None)


def _same(one, other):
    # Two instants compare, and an instant and None do not.
    return all(type(a) is type(b) and a == b for a, b in zip(one, other))
