"""`tenure schedule` and `tenure leader` with a real tenured (tests/cli/client has a server that can be made to fail)."""

import json
import os
import subprocess
import unittest

from daemon import OnOneDaemon, eventually

TENURE = os.environ.get("TENURE", "tenure")

# Each is written in another way than the server writes it.
SPELLINGS = """
[[schedule]]
name = "plain"
every = "90s"
strict_order = false
topic = "work"

[[schedule]]
name = "as-cron"
cron = "@every 90s"

[[schedule]]
name = "one-time"
at = ["2036-01-02T03:04:05Z"]

[[schedule]]
name = "unsorted"
at = ["2036-01-02T03:04:05Z", "2035-01-02T03:04:05+01:00"]

[[schedule]]
name = "in-utc"
cron = "0 3 * * *"
timezone = "Etc/UTC"
data = { b = 1, a = [1, 2.50] }
"""


class ClientTest(OnOneDaemon):
    def tenure(self, *arguments, code=0, **more):
        ran = subprocess.run([TENURE, *arguments], capture_output=True, text=True, timeout=60,
                             env={**os.environ, "TENURE_SERVER": f"http://127.0.0.1:{self.daemon.port}"}, **more)
        self.assertEqual(ran.returncode, code, ran)
        return ran.stdout

    def apply(self, text, *flags, code=0):
        return self.tenure("schedule", "apply", "-f", "-", *flags, input=text, code=code)

    def test_applying_a_file_again_changes_nothing_however_it_is_written(self):
        self.assertEqual(self.apply(SPELLINGS).splitlines()[-1], "5 created")
        self.assertEqual(self.apply(SPELLINGS), "5 unchanged\n")
        self.assertEqual(self.apply(SPELLINGS, "--dry-run"), "5 unchanged\n")
        self.assertIn('"1m30s" -> "2m"', self.apply(SPELLINGS.replace('every = "90s"', 'every = "2m"')))

    def test_a_schedule_from_its_creation_to_its_end(self):
        self.apply('{"name": "life", "every": "1h", "start": "2026-01-01T00:00:00Z"}')
        self.assertIn("life", self.tenure("schedule", "list"))
        self.assertEqual(self.tenure("schedule", "pause", "life", "--why", "a test"), "life is paused\n")
        self.assertIn("a test", self.tenure("schedule", "get", "life"))
        self.assertEqual(self.tenure("schedule", "resume", "life"), "life runs again\n")
        self.assertEqual(len(self.tenure("schedule", "next", "life", "--count", "3").splitlines()), 3)
        self.assertIn("is to run once: event", self.tenure("schedule", "trigger", "life", "--idempotency-key", "k"))
        eventually(lambda: "fired" in self.tenure("schedule", "fires", "life"))
        self.assertEqual(self.tenure("schedule", "fires", "life", "--outcome", "missed"), "nothing\n")
        times = ("--from", "2026-01-01T00:30:00Z", "--to", "2026-01-01T02:30:00Z")
        slots = "2026-01-01T01:00:00Z\n2026-01-01T02:00:00Z\n"
        self.assertEqual(self.tenure("schedule", "backfill", "life", *times, "--dry-run"), slots + "life would run 2 times\n")
        self.assertRegex(self.tenure("schedule", "backfill", "life", *times), slots + r"life is to run 2 times: run \d+\n")
        self.assertEqual(self.tenure("schedule", "delete", "life"), "life deleted\n")
        self.tenure("schedule", "get", "life", code=1)

    def test_dead_events(self):
        self.apply('{"name": "mail", "once": "2036-01-01T00:00:00Z", "topic": "mail", "attempts": 1}')
        self.tenure("schedule", "trigger", "mail")
        claimed = self.daemon.ask("POST", "/v1/executions:claim", {"topic": "mail"}).json["executions"][0]
        self.daemon.ask("POST", f"/v1/executions/{claimed['id']}/fail", {"why": "no such address"})
        self.assertIn("no such address", self.tenure("event", "dead", "--schedule", "mail"))
        self.assertEqual(self.tenure("event", "discard", claimed["event"]["key"]), "1 discarded\n")
        self.assertEqual(self.tenure("event", "dead"), "no dead events\n")
        self.assertIn("(discarded by local)", self.tenure("event", "dead", "--discarded"))
        self.assertEqual(self.tenure("event", "replay", claimed["event"]["key"]), "1 replayed\n")
        self.assertEqual(self.tenure("event", "dead", "--discarded"), "no discarded events\n")

    def test_the_leader(self):
        self.assertRegex(self.tenure("leader"), r"^node \d+ leads \(the instance that was asked\), epoch \d+, ")
        self.assertTrue(json.loads(self.tenure("leader", "--format", "json"))["leaders"][0]["led"])


if __name__ == "__main__":
    unittest.main()
