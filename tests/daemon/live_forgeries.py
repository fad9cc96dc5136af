"""Forges the journals of a run of now, and has each forgery audited: none may pass as the run did.

Those are made that show whatever has struck a run. All others are in tests/lab/audit/forgeries.py.
"""

import copy
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1] / "lab/audit"))
from forged import Journals, audited  # noqa: E402


def middle(found):
    assert found, "this run has nothing to forge"
    return found[len(found) // 2]


def who(line):
    return line["node"], line["life"]


def commits(j):
    """Commits that were executed, with their answers; those whose life went on to commit more."""
    asked = {(who(x), x["request"]): x for x in j.all() if x.get("kind") == "commit-fires"}
    pairs = [(asked[(who(x), x["request"])], x) for x in j.all() if x.get("kind") == "committed"]
    last = {who(x): x["request"] for x, _ in pairs}
    return [(x, y) for x, y in pairs if x["request"] < last[who(x)] - 5 and "covered" in y["rows"]]


def a_line_is_changed(j):
    middle(j.all())["mono"] += 1
    return "a line was changed, taken out or put in"


def a_slot_is_moved(j):
    fired = [row for asked, answered in commits(j) for row, became in zip(asked["rows"], answered["rows"])
             if row["what"] == "fired" and became == "covered"]
    middle(fired)["slot_us"] += 1000
    return "no-drift"


def a_participant_is_left_out(j):
    asked, _ = middle(commits(j))
    j.take_out(lambda x: x["node"] == asked["node"])
    return "lacking"


def missed(tenure, sinks, folder):
    """What the audit says of each forgery that it does not find; `sinks` has the files of each journal."""
    honest = Journals(sinks)
    _, said = audited([tenure], honest.write(folder + "/nothing"))
    found = {}
    for forge in (a_line_is_changed, a_slot_is_moved, a_participant_is_left_out):
        journals = copy.deepcopy(honest)
        expected = forge(journals)
        if forge is not a_line_is_changed:
            journals.number_anew()
            journals.chain_anew()
        status, says = audited([tenure], journals.write(f"{folder}/{forge.__name__}"))
        # What an honest run says as well shows nothing.
        new = [line for line in says.splitlines() if line not in said.splitlines()]
        if status == 0 or not any(re.search(expected, line) for line in new):
            found[forge.__name__] = status, new[:20]
    return found
