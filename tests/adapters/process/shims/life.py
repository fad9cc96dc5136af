"""One life of a program that a shim runs, told what happens by a test in the simulator's place."""
import json
import os
import re
import subprocess

SECOND = 1_000_000_000
BEGIN = 300 * 86_400 * SECOND + 123_456_789  # a machine that has run for most of a year: seconds in a float miss 4 ns


class Life:
    def __init__(self, command, parameters, number, seed, folder=None, environment=None):
        environment = {**os.environ, "PYTHONHASHSEED": "0", "TZ": "UTC", **(environment or {})}
        for name in ("PYTHONUNBUFFERED", "TENURE_FORKS"):
            environment.pop(name, None)
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1,
            env=environment,
        )
        self.mono = BEGIN
        start = {"me": f"n{number}", "number": number, "nodes": 3, "identity": f"n{number}#1", "seed": seed}
        self.start = {"tenure": 1, "start": {**start, "parameters": parameters}}

    def say(self, line):
        self.process.stdin.write(json.dumps(line) + "\n")
        return self.process.stdout.readline()

    def tell(self, told, after=0, wall_step=0):
        self.mono += after
        answer = self.say({**told, "mono": self.mono, "wall": self.mono + wall_step + 1_700_000_000 * SECOND})
        self.answer = json.loads(answer) if answer else None
        return self.answer.get("do", []) if answer else []

    def run(self, most=5000):
        """Wakes it when it wants to be woken, until it wants so no more; all that it has done."""
        done = self.tell(self.start)
        for _ in range(most):
            if self.answer is None or self.answer.get("wake") is None or any("error" in each for each in done):
                return done
            done += self.tell({"wake": {}}, self.answer["wake"] - self.mono)
        raise AssertionError("it goes on and on")

    def end(self):
        """How it ended, and what it had printed."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
            # Where that takes a while, it is told that the program is compiled.
            self.said = re.sub(r"^compiling .*\n", "", self.process.stderr.read(), flags=re.MULTILINE)
            self.process.wait()
            self.process.stdout.close()
            self.process.stderr.close()
        return self.process.returncode, self.said
