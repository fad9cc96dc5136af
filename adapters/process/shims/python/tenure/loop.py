"""An event loop of asyncio that waits for the simulator.

It is BaseEventLoop with another selector. Where that would wait for files or for time, this one ends the step: it says
what it wants done and when it is to be woken, and goes on when it is told what has happened.
"""

import asyncio
import heapq
import json
import math
import os
import re

from tenure.world import Now, Refused

_exit = os._exit
_MOST_ROUNDS = 100_000  # of a step
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_HALF_A_CHARACTER = re.compile("[\ud800-\udfff]")
_NEVER = 2**62 / 1e9  # seconds: whoever waits for that long is woken by no clock


def to_json(value):
    """As a part of a line. Half a character, which is no UTF-8, becomes the text \\udcff: no report could show it."""
    text = _ENCODER.encode(value)
    return text if text.isascii() else _HALF_A_CHARACTER.sub(lambda half: f"\\\\u{ord(half[0]):04x}", text)


class Wire:
    """The simulator's two pipes: lines of the node protocol."""

    def __init__(self, source, sink):
        self._source, self._sink = source, sink
        self._buffer = b""

    def read(self):
        """The next line as JSON. Ends the process when there is none."""
        while True:
            line, newline, rest = self._buffer.partition(b"\n")
            if newline:
                self._buffer = rest
                return json.loads(line)
            more = os.read(self._source, 65536)
            if not more:
                _exit(0)
            self._buffer += more

    def write(self, text):
        data = text.encode() + b"\n"
        while data:
            data = data[os.write(self._sink, data) :]


class _Steps:
    """In the place of a selector."""

    def __init__(self, loop):
        self._loop = loop

    def select(self, timeout):
        return self._loop.wait(timeout)


class Loop(asyncio.BaseEventLoop):
    def __init__(self, wire, on_input):
        super().__init__()
        self._wire = wire
        self._on_input = on_input
        self._acts = []  # as JSON
        self._rounds = 0
        self._selector = _Steps(self)
        # Half a nanosecond and more: what time() loses to floating point.
        self._clock_resolution = 0.75e-9

    def time(self):
        return Now.seconds()

    def act(self, what, value):
        """Asks for something; it is done when the step ends."""
        self._acts.append(to_json({what: value}))

    def call_at(self, when, callback, *args, context=None):
        if math.isnan(when):
            raise ValueError("an instant that is not a number")
        return super().call_at(when, callback, *args, context=context)

    def wait(self, timeout):
        self._rounds += 1
        if self._rounds > _MOST_ROUNDS:
            raise RuntimeError(f"a step of more than {_MOST_ROUNDS} rounds: a task goes on and on, and waits for nothing")
        if self._ready or self._stopping:
            return ()
        wake = None
        if self._scheduled:
            seconds = self._scheduled[0]._when
            wake = Now.begin + round(seconds * 1e9) if seconds < _NEVER else None
        self.end_step(wake)
        return ()

    def end_step(self, wake=None):
        parts = []
        if self._acts:
            parts.append('"do":[' + ",".join(self._acts) + "]")
            self._acts.clear()
        if wake is not None:
            parts.append(f'"wake":{wake}')
        self._wire.write("{" + ",".join(parts) + "}")
        told = self._wire.read()
        self._rounds = 0
        Now.mono, Now.wall = told["mono"], told["wall"]
        self._on_input(told)

    def _process_events(self, event_list):
        pass

    def _write_to_self(self):
        pass

    def close(self):
        heapq.heapify(self._scheduled)
        super().close()


def _refusal(name, instead):
    def refused(*_args, **_kwargs):
        raise Refused(f"loop.{name} is not for a simulated process: {instead}")

    return refused


for _name in ("run_in_executor", "set_default_executor", "call_soon_threadsafe"):
    setattr(Loop, _name, _refusal(_name, "there are no threads; use tasks"))
for _name in ("create_connection", "create_server", "create_datagram_endpoint", "create_unix_connection", "create_unix_server",
              "getaddrinfo", "getnameinfo", "sock_connect", "sock_accept", "sock_recv", "sock_sendall", "add_reader", "add_writer"):
    setattr(Loop, _name, _refusal(_name, "t.send(…) and t.receive() are the network, t.sql(…) is the store"))
for _name in ("subprocess_exec", "subprocess_shell", "connect_read_pipe", "connect_write_pipe"):
    setattr(Loop, _name, _refusal(_name, "a simulated process is one process"))
_add_signal = _refusal("add_signal_handler", "t.on_stop(…) is what SIGTERM does")
Loop.add_signal_handler = _add_signal
