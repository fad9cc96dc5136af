"""Journals of real processes, to be changed line by line.

  elections  three processes: one was killed, one stood still, one was stopped (docs/examples/leader.cc)
  own_work   two schedulers on SQLite with the leader's own work: the first was killed (docs/examples/scheduler.cc)
  kinds      two instances of tenured with schedules of all kinds: the first stood still and was late, then both were
             stopped
"""
import copy
import hashlib
import json
import os
import pathlib
import subprocess

root = pathlib.Path(__file__).parents[3]
FIRST = "0" * 32
GRANT, BELIEF = {"kind": "granted"}, {"event": "believes"}
MS, SECOND = 1_000_000, 1_000_000_000  # nanoseconds
TOKEN = ("branch", "epoch", "nonce")
HEAD = ("v", "prev", "at", "mono", "node", "life", "seq")
REAL = root / "tests/lab/audit/real"
HONEST = {
    "elections": sorted((root / "docs/examples/journals").glob("node?.jsonl")),
    "own_work": [REAL / "killed.jsonl", REAL / "stopped.jsonl"],
    "kinds": [REAL / "kinds1.jsonl", REAL / "kinds2.jsonl"],
}


class Journals:
    """The lines of each sink, in the order in which they were written, and in which file each is."""

    def __init__(self, sinks):
        self.lines = {sink: [[os.path.basename(path), json.loads(line)] for path in paths
                             for line in pathlib.Path(path).read_text().splitlines(True) if line.endswith("\n")]
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
            with open(folder + "/" + file, "w") as written:
                written.writelines(lines)
        return sorted(folder + "/" + file for file in files)


class Forged(Journals):
    """The lines of each journal, by its place from 0."""

    def __init__(self, of):
        super().__init__({str(i): [path] for i, path in enumerate(HONEST[of])})

    def __getitem__(self, i):
        return [line for _, line in self.lines[str(i)]]

    def drop(self, *gone):
        self.take_out(lambda line: any(line is one for one in gone))

    def add(self, after, later=0, **fields):
        """A line of the same life after that one, at its time or later."""
        new = {**{key: after[key] for key in HEAD}, "at": after["at"] + later, "mono": after["mono"] + later, **fields}
        self.put_after(after, [new])
        return new

    def copy(self, line, after, later=0, **fields):
        body = {key: value for key, value in copy.deepcopy(line).items() if key not in HEAD}
        return self.add(after, later, **{**body, **fields})

    def nth(self, journal, n=0, **wanted):
        """Its nth line with these fields, from 0."""
        found = [x for x in self[journal] if all(x.get(key) == value for key, value in wanted.items())]
        return found[n]

    def answer(self, asked):
        return next(x for x in self.all() if x["event"] == "answered" and x["request"] == asked["request"] and
                    (x["node"], x["life"]) == (asked["node"], asked["life"]))

    def changes(self):
        return [change for x in self.all() if x.get("kind") == "changes" for change in x["changes"]]

    def definitions(self, which=lambda _: True):
        found = [change["definition"] for change in self.changes()
                 if not change.get("deleted") and which(change["definition"])]
        assert found
        return found

    def commits(self, journal=None):
        return [x for x in (self.all() if journal is None else self[journal]) if x.get("kind") == "commit-fires"]

    def row(self, which):
        """The first one of the second journal of which `which(row)`."""
        return next(row for commit in self.commits(1) for row in commit["rows"] if which(row))

    def take_work_out(self, row):
        gone = (row["schedule"], row["slot_us"], row.get("run", "0"))
        self.take_out(lambda line: is_work(line) and event(line) == gone)


def text(line):
    return json.dumps(line, separators=(",", ":"), ensure_ascii=False)


def event(line):
    return line["schedule"], line["slot_us"], line["run"]


def audited(tenure, files):
    """`tenure`: the program, and its first arguments."""
    done = subprocess.run([*tenure, "audit", *files], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def is_work(line):
    return line["event"] in ("work", "work-done")


def set_in(line, **fields):
    line.update(fields)


def set_all(lines, **fields):
    lines = list(lines)
    assert lines
    for line in lines:
        line.update(fields)


def more(line, key, by):
    line[key] += by


def without(line, *keys):
    for key in keys:
        del line[key]


def token(line):
    return {key: line[key] for key in TOKEN}


def refuse(grant, why, remaining_ns):
    without(grant, *TOKEN, "duration_ns")
    grant.update(kind="refused", why_refused=why, remaining_ns=remaining_ns, holder_node=0, holder_life=0, held_epoch=2)
