"""What must have become of each slot, counted from definitions by code of the tests, and compared with the history.

Slots of cron rules are found second by second, and only with numbers, `*`, lists, ranges and steps.
"""

import json
from collections import Counter, defaultdict
from datetime import datetime
from zoneinfo import ZoneInfo

SECOND = 1_000_000  # in microseconds, as all times here
FIRED, MISSED, PAUSED, OVERLAPPED, REPLACED = 0, 2, 3, 4, 6  # core/store/reference/requests.h: Disposition
CHANGES = """SELECT schedule, version, begin_us, cursor_us, CAST(deleted AS INTEGER), definition FROM tenure{}change
  ORDER BY seq"""
HISTORY = "SELECT schedule, version, what, slot_us, run, from_us, to_us, slots, at_us FROM tenure{}history ORDER BY seq"
SEGMENTS = "SELECT schedule, version, cursor_us FROM tenure{}segment"
WAITING = "SELECT schedule, slot_us, run FROM tenure{}waiting"


def numbers(field, least, most):
    found = set()
    for part in field.split(","):
        span, _, step = part.partition("/")
        low, _, high = (f"{least}-{most}" if span == "*" else span).partition("-")
        found |= set(range(int(low), int(high or low) + 1, int(step or 1)))
    return found


def cron_slots(rule, begin, end):
    bounds = ((0, 59), (0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
    wanted = [numbers(field, *each) for field, each in zip(rule["text"].split(), bounds)]
    zone = ZoneInfo(rule["zone"])
    for second in range(-(-begin // SECOND), -(-end // SECOND)):
        t = datetime.fromtimestamp(second, zone)
        fields = t.second, t.minute, t.hour, t.day, t.month, t.isoweekday() % 7
        if all(one in each for one, each in zip(fields, wanted)):
            yield second * SECOND


def slots_of(definition, begin, end):
    """Those in [begin, end)."""
    begin, end = max(begin, definition.get("not_before_us", begin)), min(end, definition.get("until_us", end))
    if "times_us" in definition:
        return [one for one in definition["times_us"] if begin <= one < end]
    if "cron" in definition:
        return list(cron_slots(definition["cron"], begin, end))
    start, period = definition["every"]["start_us"], definition["every"]["period_us"]
    return list(range(start + max(0, -(-(begin - start) // period)) * period, end, period))


class Version:
    def __init__(self, begin, cursor, definition):
        self.begin, self.cursor, self.definition = begin, cursor, json.loads(definition)
        self.end = None  # while it is in force


class Findings:
    """`lost`, `doubled`, `early`, `wrong`: each a list of words."""

    def __init__(self):
        self.lost, self.doubled, self.early, self.wrong = [], [], [], []
        self.slots = 0  # that were looked at

    def counts(self):
        return {name: len(found) for name, found in vars(self).items() if name != "slots"}


class SlotOracle:
    def __init__(self, engine):
        self.versions = defaultdict(dict)
        for *numbers_of_it, definition in engine.rows(CHANGES):
            schedule, version, begin, cursor, deleted = (int(one) for one in numbers_of_it)
            versions = self.versions[schedule]
            if versions:
                versions[max(versions)].end = begin
            if not deleted:
                versions[version] = Version(begin, cursor, definition)
        self.rows = [[int(one) for one in row] for row in engine.rows(HISTORY)]
        self.segments = [[int(one) for one in row] for row in engine.rows(SEGMENTS)]
        self.waits = {"/".join(str(one) for one in row) for row in engine.rows(WAITING)}

    def behind(self, moment):
        """Segments with a slot that is not covered yet, and comes before then."""
        found = [(self.versions[schedule][version], cursor) for schedule, version, cursor in self.segments]
        return [(version.definition, cursor) for version, cursor in found
                if cursor < moment and slots_of(version.definition, cursor, min(moment, version.end or moment))]

    def delivery(self, schedule, version):
        return self.versions[schedule][version].definition["delivery"]["kind"]

    def replaced(self):
        """Keys of events that gave way to a later one."""
        return {f"{row[0]}/{row[3]}/{row[4]}" for row in self.rows if row[2] == REPLACED}

    def planted(self, until):
        """Rows in which something is wrong before then, and what that is."""
        alone = [i for i, (_, _, what, slot, run, _, _, slots, _) in enumerate(self.rows)
                 if what == FIRED and run == 0 and slots == 1 and slot < until]
        place = alone[len(alone) // 2]
        one = self.rows[place]
        schedule, version, what, slot, *rest, at = one
        for name, instead in (("lost", []), ("doubled", [one, one]),
                              ("early", [[schedule, version, what, slot, *rest, slot - 1]]),
                              ("wrong", [[schedule, version, what, slot + 1, *rest, at]])):
            yield name, self.rows[:place] + instead + self.rows[place + 1:]

    def check(self, until, found, rows=None):
        """Each slot before `until` is covered once; what fired is a slot, and was due."""
        covered = defaultdict(list)
        events = Counter()
        for schedule, version, what, slot, run, begin, end, slots, at in rows or self.rows:
            if what == FIRED:
                events[schedule, slot, run] += 1
            if run == 0 and what != REPLACED:
                covered[schedule, version].append((begin, end, slots, what, slot, at))
        found.doubled += [f"event {event} fired {count} times" for event, count in events.items() if count > 1]
        for schedule, versions in self.versions.items():
            for number, version in versions.items():
                end = min(until, version.end or until)
                self._check_version(f"{schedule}.{number}", version, end, covered[schedule, number], found)

    def _check_version(self, name, version, end, rows, found):
        rows.sort()
        definition = version.definition
        last = max([end, *(min(row[1], row[5] + SECOND) for row in rows)])
        slots = slots_of(definition, version.cursor, last)
        times = Counter()
        misfire = definition["misfire"]
        limited = "catchup_ns" in misfire or misfire.get("max_catchup", 100) < 1000
        for begin, until, count, what, slot, at in rows:
            mine = [one for one in slots if begin <= one < until]
            times.update(mine)
            words = f"{name}: row of [{begin}, {until}) with {count} slots, what {what}, slot {slot}, at {at}"
            if count not in (0, len(mine)) and until <= last:
                found.wrong.append(f"{words}: of {len(mine)}")
            if what == FIRED and slot not in mine:
                found.wrong.append(f"{words}: fired what is no slot of it")
            if what == FIRED and at < slot:
                found.early.append(words)
            suppressed = [one for one in mine if what == MISSED or what == FIRED and one != slot]
            if any(at <= one + misfire["grace_ns"] // 1000 for one in suppressed):
                found.lost.append(f"{words}: suppressed what was not late")
            if what == MISSED and mine and misfire["policy"] == "fire_all" and not limited or \
                    what == PAUSED and not definition["paused"] or \
                    what == OVERLAPPED and definition["overlap"] == "allow":
                found.lost.append(f"{words}: which its definition does not allow")
        found.slots += len(slots)
        found.lost += [f"{name}: slot {one} is in no row" for one in slots if one < end and times[one] == 0]
        found.doubled += [f"{name}: slot {one} is in {times[one]} rows" for one in slots if times[one] > 1]
