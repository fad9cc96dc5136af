#!/usr/bin/env python3
"""Adds one protocol, scheduler, fault, checker and store to a copy of the sources, as docs/how-to-add.md says.

add.py SOURCE COPY. Ends with an error if an addition does not take as many files as the page says.
"""
import pathlib, re, shutil, subprocess, sys, tomllib

source, copy = map(pathlib.Path, sys.argv[1:3])
here = source / "tests/how_to_add"
kept = ["CMakeLists.txt", "cmake", "core", "sim", "format", "lab", "adapters", "cli", "testing"]

shutil.rmtree(copy, ignore_errors=True)
for name in kept:
    place = copy / name
    place.parent.mkdir(parents=True, exist_ok=True)
    if (source / name).is_dir():
        shutil.copytree(source / name, place)
    else:
        shutil.copy(source / name, place)

# "| a fault | 1 | 1 |": files that are new, and files that are there and get rows.
page = (source / "docs/how-to-add.md").read_text()
promised = {kind: (int(new), int(old)) for kind, new, old in re.findall(r"^\| an? (\w+) *\| *(\d+) *\| *(\d+) *\|", page, re.M)}

wrong = []
for kind, rows in tomllib.loads((here / "rows.toml").read_text()).items():
    new = [path for path in (here / kind).rglob("*") if path.is_file()]
    for path in new:
        place = copy / path.relative_to(here / kind)
        if place.exists():
            wrong.append(f"{place} is there already")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, place)
    for row in rows:
        place = copy / row["file"]
        text = place.read_text()
        if text.count(row["find"]) != 1:
            wrong.append(f"{row['file']}: {row['find']!r} stands there {text.count(row['find'])} times")
        place.write_text(text.replace(row["find"], row["put"]))
    counted = (len(new), len({row["file"] for row in rows}))
    if promised.get(kind) != counted:
        wrong.append(f"a {kind} takes {counted[0]} new files and rows in {counted[1]}; "
                     f"docs/how-to-add.md says {promised.get(kind)}")
sys.exit("\n".join(wrong) or None)
