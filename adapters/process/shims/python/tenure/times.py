"""Durations, and instants of three clocks. Two clocks do not mix: that is an error, and not a number."""

import re

_UNITS = {"h": 3_600_000_000_000, "m": 60_000_000_000, "s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}
_PART = re.compile(r"(\d+)(?:\.(\d+))?(ms|us|ns|h|m|s)")


def _parse(text):
    rest, ns = text.removeprefix("-"), 0
    while rest:
        part = _PART.match(rest)
        if part is None:
            raise ValueError(f"{text!r} is no duration; write it like '5s', '200ms' or '1m30s'")
        unit, fraction = _UNITS[part[3]], part[2] or ""
        exact, remainder = divmod(int(part[1] + fraction) * unit, 10 ** len(fraction))
        if remainder:
            raise ValueError(f"{text!r} is finer than a nanosecond")
        ns += exact
        rest = rest[part.end() :]
    if text in ("", "-"):
        raise ValueError("'' is no duration")
    return -ns if text.startswith("-") else ns


class _Time:
    """A count of nanoseconds that compares with its own kind."""

    __slots__ = ("ns",)

    def __init__(self, ns):
        self.ns = ns

    def _same(self, other, what):
        if type(other) is not type(self):
            raise TypeError(f"{what}: a {_name(self)} and a {_name(other)}")
        return other.ns

    def __eq__(self, other):
        return self.ns == self._same(other, "comparing")

    def __lt__(self, other):
        return self.ns < self._same(other, "comparing")

    def __le__(self, other):
        return self.ns <= self._same(other, "comparing")

    def __gt__(self, other):
        return self.ns > self._same(other, "comparing")

    def __ge__(self, other):
        return self.ns >= self._same(other, "comparing")

    def __hash__(self):
        return hash(self.ns)

    def __repr__(self):
        return f"{type(self).__name__}({self.ns / 1e9}s)"


class Duration(_Time):
    """Duration("1m30s"), or a number of seconds."""

    __slots__ = ()

    def __init__(self, length=0):
        if isinstance(length, str):
            super().__init__(_parse(length))
        elif isinstance(length, Duration):
            super().__init__(length.ns)
        elif isinstance(length, (int, float)) and not isinstance(length, bool):
            super().__init__(round(length * 1_000_000_000))
        else:
            raise TypeError(f"a duration is text like '5s', or seconds, and not a {_name(length)}")

    @staticmethod
    def of_ns(ns):
        made = Duration.__new__(Duration)
        made.ns = ns
        return made

    @property
    def seconds(self):
        return self.ns / 1_000_000_000

    def __add__(self, other):
        if isinstance(other, _Instant):
            return other + self
        return Duration.of_ns(self.ns + Duration(other).ns)

    __radd__ = __add__

    def __sub__(self, other):
        return Duration.of_ns(self.ns - Duration(other).ns)

    def __neg__(self):
        return Duration.of_ns(-self.ns)

    def __mul__(self, factor):
        if not isinstance(factor, int):
            raise TypeError("a duration times a whole number")
        return Duration.of_ns(self.ns * factor)

    __rmul__ = __mul__

    def __floordiv__(self, other):
        if isinstance(other, int):
            return Duration.of_ns(self.ns // other)
        return self.ns // Duration(other).ns


class _Instant(_Time):
    __slots__ = ()

    def __add__(self, length):
        if isinstance(length, _Instant):
            raise TypeError(f"adding: a {_name(self)} and a {_name(length)}")
        return type(self)(self.ns + Duration(length).ns)

    def __sub__(self, other):
        if isinstance(other, _Instant):
            return Duration.of_ns(self.ns - self._same(other, "subtracting"))
        return type(self)(self.ns - Duration(other).ns)


class Mono(_Instant):
    """Of this machine's monotonic clock: t.mono()."""

    __slots__ = ()


class Wall(_Instant):
    """Of this machine's wall clock: t.wall()."""

    __slots__ = ()


class StoreTime(_Instant):
    """Of a store's clock: what a statement gives for a timestamptz."""

    __slots__ = ()


_NAMES = {Duration: "duration", Mono: "time of the monotonic clock", Wall: "time of the wall clock"}


def _name(value):
    return _NAMES.get(type(value)) or ("store's time" if isinstance(value, StoreTime) else type(value).__name__)
