"""Compares periods of time zones with what Python's zoneinfo says.

Reads lines "NAME BEGIN:OFFSET BEGIN:OFFSET …" from the file named first, says where the offsets differ, and how many
instants were looked at: both sides of each change, and a grid of instants from 1901 to 2200.
"""
import bisect
import datetime
import sys
import zoneinfo

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
FIRST = int((datetime.datetime(1901, 12, 31, tzinfo=datetime.timezone.utc) - EPOCH).total_seconds())
LAST = int((datetime.datetime(2200, 1, 1, tzinfo=datetime.timezone.utc) - EPOCH).total_seconds())
STEP = 29 * 86400 + 12345

looked = 0
differ = 0
seen = set()
for line in open(sys.argv[1]):
    name, *words = line.split()
    periods = [tuple(map(int, word.split(":"))) for word in words]
    begins = [begin for begin, _ in periods]
    zone = zoneinfo.ZoneInfo(name)
    instants = [t for begin in begins for t in (begin - 1, begin) if FIRST <= t < LAST]
    if tuple(periods) not in seen:  # a link to a zone that was looked at: its changes will do
        instants += range(FIRST, LAST, STEP)
    seen.add(tuple(periods))
    for t in instants:
        ours = periods[bisect.bisect_right(begins, t) - 1][1]
        at = EPOCH + datetime.timedelta(seconds=t)
        theirs = int(at.astimezone(zone).utcoffset().total_seconds())
        looked += 1
        if ours != theirs:
            differ += 1
            if differ <= 20:
                print(f"{name} at {t} ({at:%Y-%m-%dT%H:%M:%SZ}): {ours}, and zoneinfo says {theirs}")
print(f"looked at {looked} instants of {len(seen)} zones")
sys.exit(1 if differ else 0)
