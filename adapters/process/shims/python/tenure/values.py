"""What goes to the simulator and comes from it: statements and their rows, the disk, the schedules of a scheduler."""

import json

from tenure.times import Duration, StoreTime, Wall


class StoreError(Exception):
    """No rows. kind: "failed" (with sqlstate), "rejected" (certainly not done) or "unknown" (done, or not, or still to
    be)."""

    def __init__(self, kind, message, sqlstate=None):
        super().__init__(message)
        self.kind, self.message, self.sqlstate = kind, message, sqlstate


class Row(dict):
    """row.name, or row["name"]."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the row has no column {name!r}; it has {', '.join(self)}") from None


class Rows(list):
    """The rows of a statement; `count` of them were read or changed."""

    count = 0


class Disk:
    """A small store of the machine's own: text, whole numbers, True and False, durations and times."""

    def __init__(self, t, contents):
        self._t = t
        self._contents = dict(contents)

    def put(self, key, value):
        if value is None:
            raise TypeError("t.disk.put: a value, and not None")
        written = json.dumps(to_value(value), ensure_ascii=False)
        self._t._loop.act("put", {"key": a_text(key), "value": written})
        self._contents[key] = written

    def get(self, key):
        """As it was put last; None: it never was, or a crash has lost it."""
        written = self._contents.get(a_text(key))
        return None if written is None else from_value(json.loads(written))

    async def sync(self):
        """Waits until what was put before is safe."""
        await self._t._ask("sync", {})


class Schedule:
    """What put_schedule and delete_schedule are given. Of a schedule that is deleted: id, name and now."""

    def __init__(self, said):
        self.id, self.name, self.now = said["id"], said["name"], StoreTime(said["now"])
        if "first" in said:
            self.first = None if said["first"] is None else StoreTime(said["first"])
            self.period = None if said["period"] is None else Duration.of_ns(said["period"])
            self.paused = said["paused"]


def statements_of(made):
    """Of put_schedule: (text, value, …), or a list of them."""
    made = made if isinstance(made, list) else [made]
    if not all(isinstance(each, tuple) and each for each in made):
        raise TypeError("a statement, like (\"INSERT …\", s.id, s.first), or a list of them")
    return [to_statement(text, values) for text, *values in made]


def whole_number(value):
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"a whole number, and not a {type(value).__name__}")
    if not -(2**63) <= value < 2**63:
        raise OverflowError(f"a whole number of 64 bits, and not {value}")
    return value


def a_text(value):
    if not isinstance(value, str):
        raise TypeError(f"a text, and not a {type(value).__name__}")
    value.encode()  # half a character is an error here, in the program
    return value


def shown_token(token):
    if token is None:
        return {}
    return {"token": token if isinstance(token, str) else whole_number(token)}


def to_statement(text, values):
    return {"text": a_text(text), "values": [to_value(each) for each in values]}


def to_value(value):
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return whole_number(value)
    if isinstance(value, str):
        return a_text(value)
    if isinstance(value, Duration):
        return {"interval": value.ns}
    if isinstance(value, StoreTime):
        return {"time": value.ns}
    if isinstance(value, Wall):
        raise TypeError("a time of the wall clock; t.as_store(x) gives it to the store as one of its own")
    raise TypeError(f"a statement takes no {type(value).__name__}")


def from_value(value):
    if not isinstance(value, dict):
        return value
    return StoreTime(value["time"]) if "time" in value else Duration.of_ns(value["interval"])


def settle(future, reply):
    outcome = reply["outcome"]
    if outcome == "done":
        results = []
        for result in reply["results"]:
            rows = Rows(Row(zip(result["columns"], map(from_value, row))) for row in result["rows"])
            rows.count = result["count"]
            results.append(rows)
        future.set_result(results)
    elif outcome == "unknown":
        future.set_exception(StoreError(outcome, "no answer by the deadline: done, or not, or still to be"))
    elif outcome == "rejected":
        future.set_exception(StoreError(outcome, "certainly not done: " + reply["message"]))
    else:
        future.set_exception(StoreError(outcome, reply["message"], reply["sqlstate"]))
