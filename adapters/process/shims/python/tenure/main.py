"""Reads a program, says what it is, and leads its lives."""

import asyncio
import importlib.util
import os
import sys
import traceback

from tenure import api, copies, loop, values, world
from tenure.times import Duration

_VERSION = 1
_KEYS = ("name", "summary", "role", "parameters", "schema", "claims", "tokens", "goes_round", "writes")


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
    schedules = getattr(module, "role", "elector") != "elector"
    if schedules and not callable(getattr(module, "put_schedule", None)):
        sys.exit(f'{path}: a scheduler needs `put_schedule`: def put_schedule(s): return ("INSERT …", s.id, s.first, s.period)')
    for name in ("put_schedule", "delete_schedule"):
        if hasattr(module, name) and not schedules:
            sys.exit(f'{path}: `{name}` is for a scheduler: role = "scheduler", or "both"')
    if not callable(getattr(module, "validate", print)):
        sys.exit(f'{path}: `validate` must be a function: def validate(p): return [("parameter", "what is wrong")]')
    return module


def _description(module):
    said = {key: getattr(module, key) for key in _KEYS if hasattr(module, key)}
    said |= {"tenure": _VERSION, "copies_itself": "TENURE_FORKS" in os.environ, "validates": hasattr(module, "validate")}
    try:
        return loop.to_json(said)
    except (TypeError, ValueError) as error:
        sys.exit(f"the variables of a design are texts, whole numbers, true and false, lists and dicts: {error}")


def _parameters(module, values):
    """The values as the program has them: Durations, where the defaults are."""
    rows = getattr(module, "parameters", {})
    is_duration = {name: isinstance(row["default"], str) and "choices" not in row for name, row in rows.items()}
    return api.Parameters({name: Duration.of_ns(value) if is_duration[name] else value for name, value in values.items()})


def _validation(module, path, values):
    try:
        complaints = module.validate(_parameters(module, values)) or []
        return {"complaints": [[name, text] for name, text in complaints]}
    except Exception as error:
        return {"error": f"{_place(error, path)}: {type(error).__name__}: {error}"}


def _edit(module, path, told):
    name = "put_schedule" if "put_schedule" in told else "delete_schedule"
    if not hasattr(module, name):
        return {"error": f"{path}: the scenario deletes a schedule, and the program has no `{name}`"}
    try:
        return {"statements": values.statements_of(getattr(module, name)(values.Schedule(told[name])))}
    except Exception as error:
        return {"error": f"{_place(error, path)}: {type(error).__name__}: {error}"}


def _take_pipes():
    """Our own two; prints of the program go to standard error, which the simulator keeps in its trace."""
    wire = loop.Wire(os.dup(0), os.dup(1))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)  # a line is out before its step is answered
    return wire


def _lead_life(module, wire, told):
    start = told["start"]
    world.Now.mono, world.Now.wall = told["mono"], told["wall"]
    world.Now.begin = world.Now.mono
    world.begin_life(start["seed"], start["me"])
    events = loop.Loop(wire, lambda each: t.take(each))
    asyncio.set_event_loop(events)
    t = api.T(events, start, _parameters(module, start["parameters"]), module)
    if "leadership" in told:
        t.hear(told["leadership"])
    world.find_forgotten_awaits(lambda error: t.fail(error, "a forgotten await"))
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
        wire.write(_description(module))
        if "TENURE_FORKS" in os.environ:
            copies.serve(int(os.environ["TENURE_FORKS"]))
            wire = _take_pipes()
        told = wire.read()
    if "validate" in told:
        wire.write(loop.to_json(_validation(module, arguments[1], told["validate"]["parameters"])))
        wire.read()  # ends the process
    if "put_schedule" in told or "delete_schedule" in told:
        wire.write(loop.to_json(_edit(module, arguments[1], told)))
        wire.read()  # ends the process
    _lead_life(module, wire, told)
