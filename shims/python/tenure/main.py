"""Reads a program, says what it is, and leads its lives."""

import asyncio
import importlib.util
import json
import os
import sys
import traceback

from tenure import api, copies, loop, world

_VERSION = 1
_KEYS = ("name", "summary", "parameters", "schema", "claims", "tokens")


def _place(error, path):
    """The line of the program that led to an error."""
    places = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError):
        places.append((error.filename, error.lineno))
    lines = [line for file, line in places if file == os.path.abspath(path)]
    return f"{path}:{lines[-1]}" if lines else path


def _read(path):
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    stem = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(stem, path)
    if spec is None:
        sys.exit(f"{path} is no file of Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[stem] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        traceback.print_exc()
        sys.exit(f"{_place(error, path)}: {type(error).__name__}: {getattr(error, 'msg', error)}")
    if not asyncio.iscoroutinefunction(getattr(module, "node", None)):
        sys.exit(f"{path} has no `async def node(t)`, the process")
    return module


def _description(module):
    said = {key: getattr(module, key) for key in _KEYS if hasattr(module, key)}
    # A list of assumptions stands for a claim that has nothing else to say.
    said["claims"] = {
        name: claim if isinstance(claim, dict) else {"assumes": list(claim)}
        for name, claim in said.get("claims", {}).items()
    }
    return {"tenure": _VERSION, "copies_itself": "TENURE_FORKS" in os.environ, **said}


def _take_pipes():
    """Our own two; prints of the program go to standard error, which the simulator keeps in its trace."""
    wire = loop.Wire(os.dup(0), os.dup(1))
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)  # a line is out before its step is answered
    return wire


def _lead_life(module, wire, told):
    start = told["start"]
    world.Now.mono, world.Now.wall = told["mono"], told["wall"]
    world.Now.begin = world.Now.mono
    world.begin_life(start["seed"], start["me"])
    parameters = getattr(module, "parameters", {})
    durations = {name for name, parameter in parameters.items() if isinstance(parameter["default"], str)}
    events = loop.Loop(wire, lambda each: t.take(each))
    asyncio.set_event_loop(events)
    t = api.T(events, start, durations)
    events.set_exception_handler(lambda _, context: t.fail(context.get("exception") or RuntimeError(context["message"]), "task"))

    async def node():
        await module.node(t)

    events.call_soon(t.spawn, node)
    try:
        events.run_forever()
    except Exception as error:  # of the loop itself: a step that does not end
        t.fail(error, "loop")
    events.end_step()


def main(arguments):
    if len(arguments) != 2:
        sys.exit(f"usage: {arguments[0]} PROGRAM.py")
    wire = _take_pipes()
    world.take_over()
    module = _read(arguments[1])
    told = wire.read()
    if "describe" in told:
        wire.write(json.dumps(_description(module)))
        if "TENURE_FORKS" in os.environ:
            copies.serve(int(os.environ["TENURE_FORKS"]))
            wire = _take_pipes()
        told = wire.read()
    _lead_life(module, wire, told)
