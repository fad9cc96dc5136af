#!/usr/bin/python3
"""The examples of campaigns are run: each part's command as its system would, on fewer seeds, and the merge.

usage: examples_test.py TENURE SOURCES
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

TENURE = pathlib.Path(sys.argv[1]).resolve()
SOURCES = pathlib.Path(sys.argv[2]).resolve()
EXAMPLES = SOURCES / "docs/examples/campaign"
SEEDS = 40


class Examples(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        shutil.copy(SOURCES / "tests/cli/scenarios/pass.toml", f"{self.folder.name}/scenario.toml")
        self.one = self.run_command(f"tenure run scenario.toml --seeds 1..{SEEDS}")

    def run_command(self, command, environment=()):
        command = re.sub(r"1\.\.\d+", f"1..{SEEDS}", command).replace("/campaign/", "")
        path = f"{TENURE.parent}:{os.environ['PATH']}"
        ended = subprocess.run(["sh", "-c", command], cwd=self.folder.name, capture_output=True, text=True, check=False,
                               env={"PATH": path, "GITHUB_STEP_SUMMARY": "summary.md", **dict(environment)})
        self.assertEqual(ended.returncode, 0, f"{command}: {ended.stdout}{ended.stderr}")
        return ended.stdout

    def read(self, name):
        return yaml.safe_load((EXAMPLES / name).read_text())

    def merges(self, command="tenure merge results"):
        self.run_command(command)
        self.assertEqual(self.run_command("tenure merge results"), self.one)

    def test_an_indexed_job_of_kubernetes(self):
        spec = self.read("job.yaml")["spec"]
        container = spec["template"]["spec"]["containers"][0]
        environment = {each["name"]: each["value"] for each in container["env"]}
        self.assertEqual(environment, {"JOB_COMPLETIONS": str(spec["completions"])})
        for index in range(spec["completions"]):
            self.run_command(shlex.join(container["command"]), {**environment, "JOB_COMPLETION_INDEX": str(index)})
        self.merges()

    def test_a_matrix_of_github(self):
        jobs = self.read("github.yml")["jobs"]
        part = jobs["part"]
        total = len(part["strategy"]["matrix"]["part"])
        self.assertEqual(part["env"], {"STRATEGY_JOB_INDEX": "${{ strategy.job-index }}",
                                       "STRATEGY_JOB_TOTAL": "${{ strategy.job-total }}"})
        command = next(step["run"] for step in part["steps"] if "run" in step)
        for index in range(total):
            self.run_command(command, {"STRATEGY_JOB_INDEX": str(index), "STRATEGY_JOB_TOTAL": str(total)})
        self.merges(next(step["run"] for step in jobs["report"]["steps"] if "run" in step))

    def test_parallel_jobs_of_gitlab(self):
        jobs = self.read("gitlab.yml")
        total = jobs["part"]["parallel"]
        for index in range(1, total + 1):
            self.run_command(jobs["part"]["script"][0], {"CI_NODE_INDEX": str(index), "CI_NODE_TOTAL": str(total)})
        self.merges(jobs["report"]["script"][0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
