"""A program that speaks the node protocol with nothing but JSON and pipes, and misbehaves as its argument says.

The first node leads, and says so to the others; they listen.
"""

import json
import os
import signal
import sys
import time

how = sys.argv[1] if len(sys.argv) > 1 else "well"


def say(answer):
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def say_as_asked(otherwise):
    if how == "answers much":
        say({"do": [{"log": {"text": "x" * 2_000_000}}]})
    elif how.startswith("answers "):
        line = how.removeprefix("answers ").encode().replace(rb"\n", b"\n").replace(rb"\xff", b"\xff")
        os.write(1, line + b"\n")
    else:
        say(otherwise)


def misbehave(step):
    if step == 3 and start["number"] == 1:
        fail()


def fail():
    if how == "exits":
        sys.stderr.write("out of ideas\n")
        sys.exit(7)
    if how == "is-killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "closes-its-input":
        os.close(0)
        sys.excepthook = lambda *_: None  # it fails in silence when it reads next
    if how == "closes-its-output":
        sys.stdout.flush()
        os.close(1)
        time.sleep(1000)
    if how == "hangs":
        time.sleep(1000)
    if how == "floods":
        while True:
            os.write(1, b"x" * 65536)


def answer(told, start):
    if "start" in told and start["number"] > 1:
        return {}
    if "message" in told:
        return {"do": [{"log": {"text": "heard " + told["message"]["kind"], "value": told["message"]["words"][0]}}]}
    if "stop" in told:
        return {"do": [{"step_down": "asked"}, {"stopped": {}}]}
    if how == "draws":
        sys.stderr.write("draws\n")
        return {"wake": told["mono"] + int.from_bytes(os.urandom(4), "big")}
    if how == "says-otherwise":
        sys.stderr.write(f"I am {os.getpid()}\n")
    acts = [{"believe": {"until_mono": told["mono"] + 4_000_000_000}}]
    acts += [{"send": {"to": to, "kind": "beat", "words": [to]}} for to in range(2, start["nodes"] + 1)]
    return {"do": acts, "wake": told["mono"] + (0 if how == "spins" else 2_000_000_000)}


if how == "writes-before":
    os.write(2, b"y" * 1_000_000)
if how == "leaves-a-child" and os.fork() == 0:
    time.sleep(1000)
start, step = None, 0
for line in sys.stdin:
    told = json.loads(line)
    if "describe" in told:
        say(json.loads(sys.argv[2]) if len(sys.argv) > 2 else {"tenure": 1, "name": "mine"})
        continue
    if "validate" in told:
        fail()
        too_long = told["validate"]["parameters"]["a"] >= 5_000_000_000
        say_as_asked({"complaints": [["a", "a must be below 5 s"]] if too_long else []})
        continue
    start = told.get("start", start)
    step += 1
    misbehave(step)
    if step == 1 and how.startswith("begins "):
        say(json.loads(how.removeprefix("begins ")))
        continue
    (say_as_asked if step == 3 and start["number"] == 1 else say)(answer(told, start))
