#!/usr/bin/env python3
"""Adds one protocol, scheduler, fault, checker and store to a copy of the sources, as docs/how-to-add.md says.

add.py SOURCE COPY. Ends with an error if an addition does not take as many files as the page says, or if one of them
is at a place that the page does not name.
"""
import pathlib, re, shutil, subprocess, sys, tomllib

source, copy = map(pathlib.Path, sys.argv[1:3])
here = source / "tests/how_to_add"
kept = ["CMakeLists.txt", "cmake", "core", "sim", "format", "lab", "adapters", "cli"]

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

# What the page names under "## A fault": `sim/faults/<name>.cc`, `sim/faults/faults.h`.
def places_in(kind):
    section = re.split(r"^## ", page, flags=re.M)
    parts = [part for part in section if re.match(rf"an? {kind}\n", part, re.I)]
    # A scheduler is added "in the same way".
    if not parts:
        whole, = [part for part in section if re.search(rf"^Add a {kind} in the same way", part, re.M)]
        parts = [whole]
    text = re.sub(r"`([\w/]+)\.h` and `\.cc`", r"`\1.h` and `\1.cc`", "\n".join(parts))
    return set(re.findall(r"`(\w+/[\w/<>.]+)`", text))


# As it is, with another name, or in its folder.
def is_named(path, places):
    folder = path.rpartition("/")[0]
    here = {path, re.sub(r"[^/]+(?=\.\w+$)", "<name>", path), folder + "/", re.sub(r"[^/]+$", "<name>", folder) + "/"}
    return bool(here & places)


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
    places = places_in(kind)
    for path in [str(path.relative_to(here / kind)) for path in new] + [row["file"] for row in rows]:
        if not is_named(path, places):
            wrong.append(f"a {kind} has {path}; docs/how-to-add.md names {', '.join(sorted(places))}")
    counted = (len(new), len({row["file"] for row in rows}))
    if promised.get(kind) != counted:
        wrong.append(f"a {kind} takes {counted[0]} new files and rows in {counted[1]}; "
                     f"docs/how-to-add.md says {promised.get(kind)}")
sys.exit("\n".join(wrong) or None)
