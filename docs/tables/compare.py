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
# Elections alone. Those that need a real Postgres are left out: docs/designs.md has their scenarios.
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


def main():
    command = [sys.argv[1], "compare", *DESIGNS, "--seeds", SEEDS]
    table = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout.rstrip("\n")
    with open(PAGE) as page:
        text = page.read()
    begin, end = "<!-- table: all designs -->\n", "<!-- end of all designs -->\n"
    head, rest = text.split(begin)
    tail = rest.split(end)[1]
    with open(PAGE, "w") as page:
        page.write(f"{head}{begin}```text\n{table}\n```\n{end}{tail}")


if __name__ == "__main__":
    main()
