"""Inputs that once fooled somebody, and their verdicts now: the blocks of scenarios.txt."""
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

tenure = pathlib.Path(sys.argv[1]).resolve()
folder = pathlib.Path(__file__).resolve().parent
blocks = re.split(r"^== ", (folder / "scenarios.txt").read_text(), flags=re.MULTILINE)[1:]
assert len(blocks) >= 45
wrong = []
for block in blocks:
    title, *lines = block.splitlines()
    name = title.split(":")[0]
    said = {key: line[len(key) + 2:] for line in lines for key in ("expect", "command") if line.startswith(key + ": ")}
    toml = [f'format = 1\nname = "{name}"'] + [line for line in lines if not line.startswith(("expect: ", "command: "))]
    text = re.sub(r'"([^"]*\.lua)"', lambda design: f'"{folder / design[1]}"', "\n".join(toml) + "\n")
    code, part = said["expect"].split(" ", 1)
    words = shlex.split(re.sub(r"\S+\.lua", lambda design: str(folder / design[0]), said.get("command", "run --seed 1")))
    if "FILE" not in words:
        words.insert(1, "FILE")
    with tempfile.TemporaryDirectory() as kept:
        file = pathlib.Path(kept) / (name + ".toml")
        file.write_text(text)
        done = subprocess.run([tenure, *(file if word == "FILE" else word for word in words)], capture_output=True, text=True, cwd=kept)
    if done.returncode != int(code) or part not in done.stdout + done.stderr:
        wrong.append(f"{name}: {code} {part!r} expected, {done.returncode} came:\n{done.stdout}{done.stderr}")
sys.exit("\n".join(wrong) or 0)
