#!/usr/bin/env python3
"""Writes the long tables of docs/tuning.md anew, between their marks.

    python3 docs/tables/tuning.py build/release/bin/tenure

from the root of the repository; it takes about a minute. What it prints follows from the scenarios and their seeds alone.
"""
import csv
import io
import json
import subprocess
import sys

PAGE = "docs/tuning.md"
DESIGNS = ["client-go", "heartbeat-lock", "db-lease", "fenced-lease"]
PAUSES = [("0.1 s", "1ms..101ms"), ("1 s", "10ms..1010ms"), ("10 s", "100ms..10100ms")]
STORE = '{ p50 = "10ms", p99 = "50ms", max = "100ms" }'
RATES = [50, 500]


def tune(binary, path, form, *sets):
    arguments = [binary, "tune", path, "--no-save", "--format", form]
    for one in sets:
        arguments += ["--set", one]
    return subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


def seconds(text):
    return "-" if text == "" else f"{float(text):.1f} s"


def cell(binary, design, pause, rate):
    """The mean and p99 of failover, the time that nobody leads, and whether two ever led."""
    out = tune(binary, f"scenarios/tuning/answer-{design}.toml", "csv", f"fault.2.duration={pause}",
               f"store.latency={STORE}", f"cluster.clock.rate_ppm=-{rate}..{rate}")
    row = next(csv.DictReader(io.StringIO(out)))
    two = row["why"].replace("one-believer failed in ", "two led in ") if "one-believer" in row["why"] else ""
    return (f"{seconds(row['failover_seconds.mean'])} / {seconds(row['failover_seconds.p99'])}, "
            f"{100 * float(row['leaderless_share']):.2f} %" + (f", **{two}**" if two else ""))


def month(cost):
    """Seconds a month, with their interval of 95 %."""
    return (f"{cost['leaderless_seconds']:.1f} s "
            f"[{cost['leaderless_seconds_low']:.1f}..{cost['leaderless_seconds_high']:.1f}]")


def designs(binary):
    lines = ["| pause p99 | clocks | " + " | ".join(DESIGNS) + " |", "|---" * (2 + len(DESIGNS)) + "|"]
    for pause_name, pause in PAUSES:
        for rate in RATES:
            cells = [cell(binary, design, pause, rate) for design in DESIGNS]
            lines.append(f"| {pause_name} | {rate} ppm | " + " | ".join(cells) + " |")
    return lines


def flaky(binary):
    """The first table, of the settings that are safe, without the last column; reasons and the command come after it."""
    table = tune(binary, "scenarios/tuning/answer-flaky-network.toml", "markdown").split("\n\n")[0].rstrip("\n")
    return [row.rsplit("|", 2)[0] + "|" for row in table.split("\n") if not row.startswith("| unsafe")]


def standbys(binary):
    lines = ["| instances | failover after a crash of the leader | leaderless a month | crashes | deploys | store failovers |",
             "|---|---|---|---|---|---|"]
    for instances in [1, 2, 3, 5]:
        found = json.loads(tune(binary, "scenarios/tuning/answer-standbys.toml", "json", f"cluster.instances={instances}"))
        mean = found["file"]["objectives"]["failover_seconds.mean"]["value"]
        costs = {each["cause"]: each for each in found["profile"][0]["a_month"]}
        parts = [costs[cause] for cause in ["crashes", "deploys", "store failovers"]]
        lines.append(f"| {instances} | {mean:.1f} s | {sum(part['leaderless_seconds'] for part in parts):.1f} s | "
                     + " | ".join(month(part) for part in parts) + " |")
    return lines


def main():
    binary = sys.argv[1]
    with open(PAGE) as page:
        text = page.read()
    for name, make in [("designs", designs), ("flaky", flaky), ("standbys", standbys)]:
        begin, end = f"<!-- table: {name} -->\n", f"<!-- end of {name} -->\n"
        head, rest = text.split(begin)
        tail = rest.split(end)[1]
        text = head + begin + "\n".join(make(binary)) + "\n" + end + tail
    with open(PAGE, "w") as page:
        page.write(text)


if __name__ == "__main__":
    main()
