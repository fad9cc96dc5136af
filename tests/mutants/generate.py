#!/usr/bin/env python3
"""Makes copies of core sources in which planted bugs can be switched on, from the table in mutants.txt.

  generate.py TABLE SOURCE_DIR files              prints the sources that the table names, one a line
  generate.py TABLE SOURCE_DIR copy FILE OUTPUT   writes the copy of one source
  generate.py TABLE SOURCE_DIR table OUTPUT       writes the table, and the budget, as C++

README.md shows a table. A text with a `;` in it is one or more statements, any other an expression:

  { if (::tenure::mutant::is(7)) { MUTATED } else { ORIGINAL } }
  (::tenure::mutant::is(7) ? (MUTATED) : (ORIGINAL))

Mutants of the same text share one place. The core's own sources are not touched.
"""
import json
import re
import sys
from pathlib import Path


class Stale(Exception):
    """The table does not fit the sources."""


def read_table(text):
    """The mutants in the order of the text, each with its name, its file and its number; and the budget."""
    rows = []
    budget = {}
    file = None
    for line in text.splitlines():
        code = re.match(r"  ([-+])(?: (.*))?$", line)
        heading = re.match(r"([a-z0-9-]+): (.+?)(; like .+)?$", line)
        if not line or line.startswith("#"):
            continue
        if line.startswith("== "):
            file = line[3:]
        elif file == "budget":
            runs, of = line.split(" ", 1)
            budget[of] = int(runs)
        elif heading and file:
            rows.append({"name": heading[1], "file": file, "bug": heading[2], "-": [], "+": []})
        elif code and rows:
            rows[-1][code[1]].append(code[2] or "")
        elif not line.startswith("  like ") or not rows:
            raise Stale(f"not understood: {line}")
    names = set()
    for number, row in enumerate(rows):
        row.update(number=number, original="\n".join(row.pop("-")), mutated="\n".join(row.pop("+")))
        if not row["original"]:
            raise Stale(f"mutant {row['name']!r}: lacks its original")
        if row["name"] in names:
            raise Stale(f"mutant {row['name']!r}: there are two of that name")
        if not row["file"].endswith(".cc"):
            raise Stale(f"mutant {row['name']!r}: {row['file']} is no .cc: others would see the header as it is")
        if row["original"].split() == row["mutated"].split():
            raise Stale(f"mutant {row['name']!r}: nothing is changed")
        names.add(row["name"])
    return {"mutant": rows, "budget": budget}


def is_statement(text):
    return ";" in text


def choice(original, mutants):
    """The code that stands where `original` stood."""
    code = original
    for row in reversed(mutants):
        asked = f"::tenure::mutant::is({row['number']})"
        if is_statement(original):
            # On lines of their own, as a comment may end them.
            code = f"{{ if ({asked}) {{\n{row['mutated']}\n}} else {{\n{code}\n}} }}"
        else:
            code = f"({asked} ? ({row['mutated']}) : ({code}))"
    return code


def mutate(source, rows):
    """`source` with every original replaced, wherever its lines break. Raises Stale if the table no longer fits."""
    by_original = {}
    for row in rows:
        by_original.setdefault(row["original"], []).append(row)
    places = []
    for original, mutants in by_original.items():
        found = list(re.finditer(r"\s+".join(map(re.escape, original.split())), source))
        if len(found) != 1:
            raise Stale(f"mutant {mutants[0]['name']!r} is stale: its original occurs {len(found)} times, and not once, "
                        f"in {mutants[0]['file']}:\n{original}")
        places.append((found[0].start(), found[0].end(), found[0][0], mutants))
    places.sort(key=lambda place: place[0])
    for before, after in zip(places, places[1:]):
        if after[0] < before[1]:
            raise Stale(f"mutants {before[3][0]['name']!r} and {after[3][0]['name']!r} overlap")
    for begin, end, original, mutants in reversed(places):
        source = source[:begin] + choice(original, mutants) + source[end:]
    return '#include "tests/mutants/switch.h"\n' + source


def as_cpp(table):
    def quoted(text):
        return json.dumps(text, ensure_ascii=True)

    lines = ['// Generated from a mutants.txt.', '#include <array>', '',
             '#include "tests/mutants/table.h"', '', 'namespace tenure::mutant {', 'namespace {', '',
             'constexpr Mutant kMutants[] = {']
    lines += [f"    {{{quoted(row['name'])}, {quoted(row['file'])}, {quoted(row['bug'])}}},"
              for row in table["mutant"]]
    budget = table["budget"]
    lines += ['};', '', f'constexpr std::array<Share, {len(budget)}> kBudget = {{{{']
    lines += [f"    {{{quoted(scenario)}, {seeds}}}," for scenario, seeds in budget.items()]
    lines += ['}};', '', '}  // namespace', '', 'std::span<const Mutant> mutants() { return kMutants; }',
              'std::span<const Share> budget() { return kBudget; }', '', '}  // namespace tenure::mutant', '']
    return "\n".join(lines)


def main(arguments):
    table_path, source_dir, what, *rest = arguments
    table = read_table(Path(table_path).read_text(encoding="utf-8"))
    if what == "files":
        print("\n".join(sorted({row["file"] for row in table["mutant"]})))
    elif what == "copy":
        file, output = rest
        rows = [row for row in table["mutant"] if row["file"] == file]
        source = (Path(source_dir) / file).read_text(encoding="utf-8")
        Path(output).parent.mkdir(parents=True, exist_ok=True)
        Path(output).write_text(mutate(source, rows), encoding="utf-8")
    elif what == "table":
        Path(rest[0]).write_text(as_cpp(table), encoding="utf-8")
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Stale as stale:
        raise SystemExit(f"{sys.argv[1]}: {stale}") from None
