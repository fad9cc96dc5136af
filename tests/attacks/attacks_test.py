"""Inputs that once fooled a checker, a hunt, an exploration or the bounds of a file.

The first line of each says what its verdict is now: `# expect: CODE TEXT`, TEXT being in the report; the second may say
how it is run.
"""
import pathlib
import shlex
import subprocess
import sys
import tempfile

tenure = sys.argv[1]
folder = pathlib.Path(__file__).parent


def comment(text, word):
    found = [line for line in text.splitlines()[:2] if line.startswith(f"# {word}: ")]
    return found[0].split(": ", 1)[1] if found else None


files = sorted(folder.glob("*.toml"))
assert files
wrong = []
for file in files:
    text = file.read_text()
    code, said = comment(text, "expect").split(" ", 1)
    command, *options = shlex.split(comment(text, "command") or "run --seed 1")
    with tempfile.TemporaryDirectory() as kept:
        done = subprocess.run([tenure, command, file, *options], capture_output=True, text=True, cwd=kept)
    if done.returncode != int(code) or said not in done.stdout + done.stderr:
        wrong.append(f"{file.name}: {code} {said!r} expected, {done.returncode} came:\n{done.stdout}{done.stderr}")
sys.exit("\n".join(wrong) or 0)
