#!/usr/bin/env python3
"""Writes the table of all designs in docs/compare.md anew, between its marks.

    python3 docs/tables/compare.py build/release/bin/tenure

from the root of the repository. It takes 13 minutes of CPU time. What it prints follows from the scenarios and their
seeds alone.
"""
import subprocess
import sys

PAGE = "docs/compare.md"
SEEDS = "200"
DESIGNS = ["fenced-lease", "client-go", "client-go:60/40/5", "client-go:on_loss=exit,startup=15s",
           "db-lease", "heartbeat-lock", "token-ring"] + [
    f"designs/{name}.lua"
    for name in ["article-lease", "portal-lock", "portal-lock-in-code", "shedlock", "river", "row-mutex", "redis-setnx",
                 "dynamodb-conditional", "dynamodb-lock-client", "azure-blob-lease", "etcd-campaign", "etcd-election",
                 "consul-session", "sqs-visibility", "ballot", "zookeeper-latch", "raft", "lease-store"]
] + [
    # One attempt now and then. As it is printed, the standbys ask ten times as much (docs/compare.md).
    "designs/redlock.lua:retry_min=2s,retry_max=3s"
]

# What is run on a real Postgres takes longer.
SEEDS_ON_POSTGRES = "20"
DESIGNS_ON_POSTGRES = [
    f"designs/{name}" for name in ["advisory-lock.lua:engine=postgres", "row-mutex.lua:by=lock,engine=postgres",
                                   "article-lease.lua:engine=postgres", "portal-lock.lua:engine=postgres",
                                   "river.lua:engine=postgres", "shedlock.lua:engine=postgres"]
]


def compare(tenure, designs, seeds):
    command = [tenure, "compare", *designs, "--seeds", seeds]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout.rstrip("\n")


def put(text, name, table):
    begin, end = f"<!-- table: {name} -->\n", f"<!-- end of {name} -->\n"
    head, rest = text.split(begin)
    tail = rest.split(end)[1]
    return f"{head}{begin}```text\n{table}\n```\n{end}{tail}"


def main():
    with open(PAGE) as page:
        text = page.read()
    text = put(text, "all designs", compare(sys.argv[1], DESIGNS, SEEDS))
    text = put(text, "designs on Postgres", compare(sys.argv[1], DESIGNS_ON_POSTGRES, SEEDS_ON_POSTGRES))
    with open(PAGE, "w") as page:
        page.write(text)


if __name__ == "__main__":
    main()
