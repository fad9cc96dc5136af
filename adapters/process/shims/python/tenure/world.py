"""What a program finds instead of the machine: the simulator's clock, draws from the seed; and what it does not find.

A process that read the machine's clock, drew from its entropy, or went on by itself would do otherwise each time.
"""

import _posixsubprocess
import _thread
import builtins
import datetime
import os
import posix
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import warnings

_real_gmtime = time.gmtime
_real_strftime = time.strftime
_real_asctime = time.asctime
_real_datetime = datetime.datetime


class Refused(RuntimeError):
    """What a simulated process cannot do."""


class Now:
    """The instant of the step: set by the loop, before each."""

    mono = 0  # nanoseconds, as the simulator gives them
    wall = 0
    begin = 0  # the life's first instant; seconds since then are few, so that a float has each nanosecond

    @classmethod
    def seconds(cls):
        return (cls.mono - cls.begin) / 1e9


def _refuse(what, instead):
    def refused(*_args, **_kwargs):
        raise Refused(f"{what} is not for a simulated process: {instead}")

    return refused


def _whole_seconds(seconds):
    return Now.wall // 1_000_000_000 if seconds is None else seconds


class _Datetime(_real_datetime):
    """datetime, of the simulated wall clock. The machine is in UTC."""

    @classmethod
    def now(cls, tz=None):
        seconds, rest = divmod(Now.wall, 1_000_000_000)
        return cls.fromtimestamp(seconds, tz).replace(microsecond=rest // 1_000)

    @classmethod
    def utcnow(cls):
        return cls.now(datetime.timezone.utc).replace(tzinfo=None)

    @classmethod
    def today(cls):
        return cls.now()


_Datetime.__name__ = _Datetime.__qualname__ = "datetime"


class _NoInput:
    def __getattr__(self, name):
        raise Refused(f"sys.stdin.{name} is not for a simulated process: standard input is the simulator's")

    def __iter__(self):
        return self.readline()


def _take_clocks():
    time.time = lambda: Now.wall / 1e9
    time.time_ns = lambda: Now.wall
    for name in ("monotonic", "perf_counter", "process_time", "thread_time"):
        setattr(time, name, Now.seconds)
        setattr(time, name + "_ns", lambda: Now.mono - Now.begin)
    time.clock_gettime = _refuse("time.clock_gettime", "time.time() and time.monotonic() are the simulator's")
    time.gmtime = lambda seconds=None: _real_gmtime(_whole_seconds(seconds))
    time.localtime = time.gmtime
    time.ctime = lambda seconds=None: _real_asctime(time.gmtime(seconds))
    time.asctime = lambda at=None: _real_asctime(at or time.gmtime())
    time.strftime = lambda form, at=None: _real_strftime(form, at or time.gmtime())
    datetime.datetime = _Datetime
    time.sleep = _refuse("time.sleep", "it would stop every task; `await asyncio.sleep(…)` or `await t.sleep(…)`")


def _take_draws():
    # Draws of the program's own come from `random`, which each life seeds.
    os.urandom = lambda size: random.randbytes(size)
    os.getrandom = lambda size, flags=0: random.randbytes(size)
    random._urandom = os.urandom
    # Without a seed, Python would take one from the machine.
    draw_seed, seed = random.getrandbits, random.seed
    random.seed = lambda a=None, version=2: seed(draw_seed(128) if a is None else a, version)

    class Random(random.Random):
        def seed(self, a=None, version=2):
            super().seed(draw_seed(128) if a is None else a, version)

    random.Random = Random
    os.getpid = lambda: 1


def _take_threads_and_files():
    threads = _refuse("a thread", "use tasks: asyncio.create_task(…) or t.spawn(…)")
    _thread.start_new_thread = threading._start_new_thread = threads
    network = _refuse("a socket", "t.send(…) and t.receive() are the network, t.sql(…) is the store")
    socket.socket = type("socket", (socket.socket,), {"__init__": network})
    socket.socketpair = socket.create_connection = socket.getaddrinfo = network
    builtins.input = _refuse("input()", "standard input is the simulator's")
    sys.stdin = _NoInput()


def _take_processes():
    # Its own number, too, is a simulated one: what it would signal by it is the machine's init.
    programs = _refuse("another program", "a simulated process is one process")
    subprocess.Popen = _posixsubprocess.fork_exec = programs
    for name in ("fork", "forkpty", "system", "posix_spawn", "posix_spawnp", "execv", "execve"):
        setattr(os, name, programs)
        setattr(posix, name, programs)
    for name in ("kill", "killpg", "abort", "_exit"):
        refused = _refuse("os." + name, "a fault kills a process; a program that is to end returns from node(t)")
        setattr(os, name, refused)
        setattr(posix, name, refused)
    for name in ("raise_signal", "pthread_kill", "pidfd_send_signal", "alarm", "setitimer"):
        setattr(signal, name, _refuse("signal." + name, "t.on_stop(…) is what SIGTERM does, t.sleep(…) what a timer does"))
    _thread.interrupt_main = _refuse("_thread.interrupt_main", "t.on_stop(…) is what SIGTERM does")


def take_over():
    """From now on. What asyncio itself needs of the machine is not touched: its loop is ours, and asks Now."""
    _take_clocks()
    _take_draws()
    _take_threads_and_files()
    _take_processes()


def find_forgotten_awaits(fail):
    """A coroutine that nobody awaits does nothing: what it should have done is missing, and no run shows that."""

    def found(coroutine):
        place = "".join(f" ({file}:{line})" for file, line, _ in (coroutine.cr_origin or ())[:1])
        fail(RuntimeError(f"`{coroutine.__qualname__}` was called and never awaited{place}"))

    sys.set_coroutine_origin_tracking_depth(1)
    warnings._warn_unawaited_coroutine = found


def begin_life(seed, me):
    random.seed(seed)
    socket.gethostname = lambda: me
