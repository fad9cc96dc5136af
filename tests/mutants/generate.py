#!/usr/bin/env python3
"""Makes copies of core sources in which planted bugs can be switched on, from the table in mutants.toml.

  generate.py TABLE SOURCE_DIR files              prints the sources that the table names, one a line
  generate.py TABLE SOURCE_DIR copy FILE OUTPUT   writes the copy of one source
  generate.py TABLE SOURCE_DIR table OUTPUT       writes the table, and the budget, as C++

A text with a `;` in it is one or more statements, any other an expression:

  { if (::tenure::mutant::is(7)) { MUTATED } else { ORIGINAL } }
  (::tenure::mutant::is(7) ? (MUTATED) : (ORIGINAL))

Mutants of the same text share one place. The core's own sources are not touched.
"""
import json
import sys
import tomllib
from pathlib import Path

KEYS = ("original", "mutated", "bug")
OPTIONAL = ("like",)


class Stale(Exception):
    """The table does not fit the sources."""


def rows_of(text):
    """The mutants in the order of the text, each with its name and file."""
    table = tomllib.loads(text)
    table.pop("budget", None)
    rows = [{"name": name, "file": file, **row} for file, named in table.items() for name, row in named.items()]
    return sorted(rows, key=lambda row: text.find(f'["{row["file"]}".{row["name"]}]'))


def read_table(text):
    rows = rows_of(text)
    names = set()
    for number, row in enumerate(rows):
        missing = [key for key in KEYS if key not in row]
        unknown = [key for key in row if key not in (*KEYS, *OPTIONAL, "name", "file")]
        if missing or unknown:
            raise Stale(f"mutant {row['name']!r}: lacks {missing}, does not know {unknown}")
        if row["name"] in names:
            raise Stale(f"mutant {row['name']!r}: there are two of that name")
        if not row["file"].endswith(".cc"):
            raise Stale(f"mutant {row['name']!r}: {row['file']} is no .cc: others would see the header as it is")
        if row["original"].split() == row["mutated"].split():
            raise Stale(f"mutant {row['name']!r}: nothing is changed")
        names.add(row["name"])
        row["number"] = number
    budget = tomllib.loads(text).get("budget", {})
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
    """`source` with every original replaced. Raises Stale if the table no longer fits."""
    by_original = {}
    for row in rows:
        by_original.setdefault(row["original"], []).append(row)
    places = []
    for original, mutants in by_original.items():
        times = source.count(original)
        if times != 1:
            raise Stale(f"mutant {mutants[0]['name']!r} is stale: its original occurs {times} times, and not once, "
                        f"in {mutants[0]['file']}:\n{original}")
        begin = source.index(original)
        places.append((begin, begin + len(original), original, mutants))
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

    lines = ['// Generated from tests/mutants/mutants.toml.', '#include <array>', '',
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
