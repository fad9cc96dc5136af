#!/usr/bin/env python3
"""Writes the tables of all designs anew, between their marks: docs/reference/designs-compared.md, and in
the counterexamples beside it.

    python3 docs/tables/compare.py build/release/bin/tenure [RUNS]

from the root of the repository. It takes half an hour of CPU time, and needs postgresql-15. What it prints follows
from the scenarios and their seeds alone, but for the counterexamples: how small one gets depends on the time. RUNS is a
file that keeps the runs: after an interruption, the same command goes on.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

PAGE = "docs/reference/designs-compared.md"
KEPT = "docs/counterexamples"
SEEDS = "200"


def design(name):
    return f"scenarios/designs/{name.partition('.')[0]}/{name}"


# Elections alone.
DESIGNS = ["fenced-lease", "client-go", "client-go:60/40/5", "client-go:on_loss=exit,startup=15s",
           "db-lease", "heartbeat-lock", "token-ring"] + [
    design(f"{name}.lua")
    for name in ["article-lease", "portal-lock", "portal-lock-in-code", "shedlock", "river", "row-mutex", "redis-setnx",
                 "dynamodb-conditional", "dynamodb-lock-client", "azure-blob-lease", "etcd-campaign", "etcd-election",
                 "consul-session", "sqs-visibility", "ballot", "zookeeper-latch", "raft", "lease-store"]
] + [
    # One attempt now and then. As it is printed, the standbys ask ten times as much (PAGE).
    design("redlock.lua:retry_min=2s,retry_max=3s")
]

# What is run on a real Postgres takes longer.
SEEDS_ON_POSTGRES = "20"
DESIGNS_ON_POSTGRES = [
    design(name) for name in ["advisory-lock.lua:engine=postgres", "row-mutex.lua:by=lock,engine=postgres",
                              "article-lease.lua:engine=postgres", "portal-lock.lua:engine=postgres",
                              "river.lua:engine=postgres", "shedlock.lua:engine=postgres"]
]

GRAVEST_FIRST = ["design-error", "two-lead", "stale-writes", "never-led", "nobody-at-end"]


# Of a comparison that keeps counterexamples: one that cannot be repeated, or made any smaller, is no reason to stop.
NOT_REPEATED = 70


def compare(tenure, designs, *more):
    done = subprocess.run([tenure, "compare", *designs, *more], stdout=subprocess.PIPE, text=True)
    if done.returncode not in (0, NOT_REPEATED):
        sys.exit(f"tenure compare: exit {done.returncode}")
    return done.stdout.rstrip("\n")


def put(path, name, lines):
    begin, end = f"<!-- table: {name} -->\n", f"<!-- end of {name} -->\n"
    with open(path) as page:
        head, rest = page.read().split(begin)
    with open(path, "w") as page:
        page.write(f"{head}{begin}{lines}\n{end}{rest.split(end)[1]}")


def gravity(cell):
    trouble = cell["troubles"][0]
    return (-GRAVEST_FIRST.index(trouble["trouble"]), trouble.get("longest_seconds", trouble.get("most", 0)))


# The situation in which the worst happens, as it is and not stretched if that is as bad.
def worst_cell(design):
    cells = [cell for cell in design["cells"]
             if not cell["crowded"] and cell.get("troubles") and cell["troubles"][0]["trouble"] in GRAVEST_FIRST]
    return max(cells, key=gravity, default=None)


# client-go:60/40/5: client-go-60-40-5.toml
def file_of(design):
    return re.sub("[^a-z0-9]+", "-", design.replace(".lua", "").replace("_", "-")) + ".toml"


# One counterexample a design: the worst that happens to it, as small as it gets.
def keep_worst(tenure, saved, designs):
    new = f"{KEPT}.new"  # beside it, so that paths of designs are the same from there
    found = json.loads(compare(tenure, designs, "--seeds", SEEDS, "--save", saved, "--resume", "--format", "json"))
    by_name = {design["design"]: design for design in found["designs"]}
    lines = ["| design | where | run | what fails |", "|---|---|---|---|"]
    for argument in designs:
        name = os.path.basename(argument)
        worst = worst_cell(by_name[name])
        if worst is None:
            continue
        report = json.loads(compare(tenure, [argument], "--seeds", SEEDS, "--save", saved, "--resume", "--against",
                                    f"scenarios/gauntlet/{worst['situation']}.toml", "--out", new, "--shrink-for",
                                    "5s", "--format", "json"))
        same = [cell for cell in report["designs"][0]["cells"]
                if cell["situation"] == worst["situation"] and cell["stretched"] == worst["stretched"]]
        kept = same[0]["kept"]
        if kept is None:
            print(f"{argument}: no counterexample of {worst['situation']}", file=sys.stderr)
            continue
        for cell in report["designs"][0]["cells"]:
            if cell.get("kept") and cell["kept"] != kept:
                os.remove(cell["kept"])
        file = file_of(name)
        os.rename(kept, f"{new}/{file}")
        where = worst["situation"] + (", stretched" if worst["stretched"] else "")
        what = worst["troubles"][0]["checker"]
        lines.append(f"| `{name}` | {where} | [{file}](../counterexamples/{file}) | `{what}` |")
    shutil.rmtree(KEPT, ignore_errors=True)
    os.rename(new, KEPT)
    return "\n".join(lines)


def main():
    tenure = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        saved = sys.argv[2] if len(sys.argv) > 2 else os.path.join(folder, "runs")
        resume = ["--resume"] if os.path.exists(saved) else []
        all_designs = compare(tenure, DESIGNS, "--seeds", SEEDS, "--save", saved, *resume)
        on_postgres = compare(tenure, DESIGNS_ON_POSTGRES, "--seeds", SEEDS_ON_POSTGRES)
        counterexamples = keep_worst(tenure, saved, DESIGNS)
    put(PAGE, "all designs", f"```text\n{all_designs}\n```")
    put(PAGE, "designs on Postgres", f"```text\n{on_postgres}\n```")
    put(PAGE, "counterexamples", counterexamples)


if __name__ == "__main__":
    main()
