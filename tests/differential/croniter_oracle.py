"""Slots by croniter. A line in: zone|from|count|expression. A line out: instants in seconds since the epoch, or `never`."""
import sys

from croniter import croniter
from croniter.croniter import CroniterBadDateError

for line in sys.stdin:
    _zone, start, count, expression = line.rstrip("\n").split("|")
    found = []
    try:
        slots = croniter(expression, float(start))
        while len(found) < int(count):
            found.append(str(int(slots.get_next(float))))
    except CroniterBadDateError:
        found.append("never")
    except Exception as error:  # a refusal is an answer, too
        found = ["refused " + str(error).replace("\n", " ")]
    print(" ".join(found))
