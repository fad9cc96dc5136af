#!/usr/bin/env python3
"""Forges the journals of a real run of now, and has each forgery audited: none may pass as the run did.

  forge.py TENURE FOLDER     the journals are FOLDER/journal.*

Those are made that show whatever has struck a run. All others are in tests/lab/audit/forgeries.py.
"""
import copy
import glob
import hashlib
import json
import os
import re
import subprocess
import sys

FIRST = "0" * 32


class Journals:
    """The lines of each sink, in the order in which they were written, and in which file each is."""

    def __init__(self, sinks):
        self.lines = {sink: [[os.path.basename(path), json.loads(line)]
                             for path in paths for line in open(path) if line.endswith("\n")]
                      for sink, paths in sinks.items()}

    def all(self):
        """The lines of everybody, in the order of the machine's clock."""
        every = [line for sink in sorted(self.lines) for _, line in self.lines[sink]]
        return sorted(every, key=lambda line: line["at"])

    def take_out(self, which):
        for sink, lines in self.lines.items():
            self.lines[sink] = [one for one in lines if not which(one[1])]

    def put_after(self, line, new):
        for lines in self.lines.values():
            for i, (file, one) in enumerate(lines):
                if one is line:
                    lines[i + 1:i + 1] = [[file, each] for each in new]
                    return

    def number_anew(self):
        count = {}
        for lines in self.lines.values():
            for _, line in lines:
                life = (line["node"], line["life"])
                count[life] = line["seq"] = count.get(life, 0) + 1

    def chain_anew(self):
        for lines in self.lines.values():
            prev = FIRST
            for _, line in lines:
                line["prev"] = FIRST if line["prev"] == FIRST else prev
                prev = hashlib.sha256(text(line).encode()).hexdigest()[:32]

    def write(self, folder):
        os.makedirs(folder)
        files = {}
        for lines in self.lines.values():
            for file, line in lines:
                files.setdefault(file, []).append(text(line) + "\n")
        for file, lines in files.items():
            open(folder + "/" + file, "w").writelines(lines)
        return sorted(folder + "/" + file for file in files)


def sinks_in(folder):
    """The files of each sink, as they were written: journal.1.1, journal.1.2 and last journal.1."""
    sinks = {}
    for path in glob.glob(folder + "/journal.*"):
        sink, _, number = os.path.basename(path)[len("journal."):].partition(".")
        sinks.setdefault(sink, []).append((int(number) if number else sys.maxsize, path))
    return {sink: [path for _, path in sorted(files)] for sink, files in sinks.items()}


def text(line):
    return json.dumps(line, separators=(",", ":"), ensure_ascii=False)


def middle(found):
    return found[len(found) // 2] if found else sys.exit("FAILED: this run has nothing to forge")


def who(line):
    return line["node"], line["life"]


def event(line):
    return line["schedule"], line["slot_us"], line["run"]


def commits(j):
    """Commits that were executed, with their answers; those whose life went on to commit more."""
    asked = {(who(x), x["request"]): x for x in j.all() if x.get("kind") == "commit-fires"}
    pairs = [(asked[(who(x), x["request"])], x) for x in j.all() if x.get("kind") == "committed"]
    last = {who(x): x["request"] for x, _ in pairs}
    return [(x, y) for x, y in pairs if x["request"] < last[who(x)] - 5 and "covered" in y["rows"]]


def fired_rows(j):
    """Of those commits, the rows that fired and were followed by more of their version in the same life."""
    found = []
    for asked, answered in commits(j):
        for i, row in enumerate(asked["rows"]):
            later = any(who(x) == who(asked) and x["request"] > asked["request"] and
                        any((r["schedule"], r["version"]) == (row["schedule"], row["version"]) for r in x["rows"])
                        for x, _ in commits(j))
            if row["what"] == "fired" and answered["rows"][i] == "covered" and later:
                found.append((asked, answered, i))
    return found


# ---- the forgeries: what is done, and what the audit says ----

def a_line_is_changed(j):
    middle(j.all())["mono"] += 1
    return "a line was changed, taken out or put in"


def a_slot_is_moved(j):
    asked, _, i = middle(fired_rows(j))
    asked["rows"][i]["slot_us"] += 1000
    return "no-drift"


def a_participant_is_left_out(j):
    asked, _ = middle(commits(j))
    j.take_out(lambda x: x["node"] == asked["node"])
    return "lacking"


def audited(tenure, files):
    done = subprocess.run([tenure, "audit", *files], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def main():
    tenure, folder = sys.argv[1:]
    honest = Journals(sinks_in(folder))
    before, said = audited(tenure, honest.write(folder + "/forged/nothing"))
    if before not in (0, 2):
        sys.exit("FAILED: nothing was forged, and the audit says\n" + said)
    missed = 0
    for forge in (a_line_is_changed, a_slot_is_moved, a_participant_is_left_out):
        journals = copy.deepcopy(honest)
        expected = forge(journals)
        if forge is not a_line_is_changed:
            journals.number_anew()
            journals.chain_anew()
        status, says = audited(tenure, journals.write(f"{folder}/forged/{forge.__name__}"))
        # What an honest run says as well shows nothing.
        new = [line for line in says.splitlines() if line not in said.splitlines()]
        shown = status != 0 and any(re.search(expected, line) for line in new)
        print(f"{'ok' if shown else 'MISSED':6} {status:2} {forge.__name__}")
        if not shown:
            missed += 1
            print("\n".join("       " + line for line in new[:30]))
    sys.exit(missed > 0)


if __name__ == "__main__":
    main()
