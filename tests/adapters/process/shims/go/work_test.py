"""The shim for Go: schedulers, writes to the outside resource, and the disk."""

import json
import unittest

from shim_test import BEGIN, RUN, SECOND, Life

NO_SCHEDULE = {"id": 1, "name": "sync", "now": 5000}
SCHEDULE = {**NO_SCHEDULE, "first": 9000, "period": 7, "paused": False}


def logged(text):
    return {"log": {"text": text}}


class Work(unittest.TestCase):
    def life(self, case, elects=False, leadership="none", disk=None, number=1):
        program = "elector" if elects else "scheduler"
        life = Life(case, command=("sh", RUN, f"{program}/main.go"), number=number)
        self.addCleanup(life.end)
        life.start["start"]["parameters"] = {"case": case}
        if disk:
            life.start["start"]["disk"] = disk
        done = life.tell(life.start if leadership == "none" else {**life.start, "leadership": leadership})
        return life, done

    def dies(self, case, elects=False):
        life, _ = self.life(case, elects, None if not elects else "none")
        return life.end()[1]

    # ---- schedulers ----

    def test_a_scheduler_hears_of_its_election_and_does_the_work_of_slots(self):
        life, done = self.life("works", leadership=None)
        self.assertEqual(done, [logged("false ")])
        leads = {"until_mono": BEGIN + 2 * SECOND, "token": "1.8.3"}
        self.assertEqual(life.tell({"leadership": leads}), [])
        self.assertEqual(
            life.tell({"wake": {}, "leadership": leads}, SECOND),
            [{"checked": {}}, logged("true 1.8.3 true"),
             {"run": {"id": 1, "schedule": 2, "slot": 5000, "once": False}}])
        self.assertEqual(
            life.tell({"ran": {"id": 1, "result": "stopped"}, "leadership": None}, 2 * SECOND),
            [logged("stopped <nil>"), {"run": {"id": 2, "schedule": 2, "slot": 5000, "once": True, "token": "1.7.0"}}])
        self.assertEqual(
            life.tell({"ran": {"id": 2, "result": "duplicate"}, "leadership": None}), [logged("duplicate <nil>")])

    def test_what_runs_while_leading_ends_with_the_leadership(self):
        life, _ = self.life("leading", leadership={"until_mono": BEGIN + 9 * SECOND})
        self.assertEqual(life.answer["wake"], BEGIN + 9 * SECOND)
        self.assertEqual(life.tell({"leadership": {"open": True}}, SECOND), [])
        self.assertEqual(life.tell({"leadership": None}, SECOND), [logged("context canceled")])

    def test_a_scheduler_has_no_election_of_its_own(self):
        for case in ("believes", "steps-down", "sends", "receives"):
            self.assertIn("is its election's business, and this program is a scheduler", self.dies(case))
        self.assertIn("t.Run does the work of a slot", self.dies("writes"))
        self.assertIn("Role: tenure.Scheduler", self.dies("runs", elects=True))

    def test_it_says_what_a_client_sends_for_a_schedule(self):
        def asked(line):
            life = Life("works", command=("sh", RUN, "scheduler/main.go"))
            self.addCleanup(life.end)
            return json.loads(life.say({"tenure": 1, **line}))

        values = [1, {"time": 9000}, {"interval": 7}, True, {"time": 5000}]
        self.assertEqual(
            asked({"put_schedule": SCHEDULE}),
            {"statements": [{"text": "DELETE", "values": [1]}, {"text": "INSERT", "values": values}]})
        never = {**SCHEDULE, "first": None, "period": None}
        self.assertEqual(asked({"put_schedule": never})["statements"][1]["values"][1:3], [None, None])
        self.assertRegex(asked({"put_schedule": {**SCHEDULE, "name": "panics"}})["error"], r"\.go:\d+: gone")
        self.assertIn("has no DeleteSchedule", asked({"delete_schedule": NO_SCHEDULE})["error"])

    # ---- connections ----

    def test_a_statement_may_have_a_connection_of_its_own(self):
        _, done = self.life("asks", elects=True)
        self.assertEqual([each["sql"].get("on") for each in done], [None, "watch"])

    # ---- an election that writes ----

    def test_a_write_is_answered_or_given_up(self):
        life, done = self.life("writes", elects=True)
        self.assertEqual(
            done, [{"believe": {"open": True, "token": 4}}, {"checked": {}}, logged("true 1.4.0"), {"write": {"id": 1}}])
        done = life.tell({"written": {"id": 1, "result": "fenced"}})
        self.assertEqual(done, [logged("fenced <nil>"), {"write": {"id": 2, "token": "1.3.0"}}])
        self.assertEqual(life.answer["wake"], BEGIN + 2 * SECOND)
        self.assertEqual(life.tell({"wake": {}}, 2 * SECOND), [logged(" context deadline exceeded")])
        self.assertEqual(life.tell({"written": {"id": 2, "result": "done"}}, SECOND), [], "nobody waits for it")

    # ---- the disk ----

    def test_the_disk_keeps_text_and_syncs(self):
        life, done = self.life("keeps", elects=True, disk={"votes": "n1"})
        self.assertEqual(done, [logged("n1 true"), {"put": {"key": "votes", "value": "n2"}}, {"sync": {"id": 1}}])
        self.assertEqual(life.tell({"synced": {"id": 1}}, SECOND), [logged("n2 true <nil>")])

    def test_a_disk_may_be_full_when_a_life_begins(self):
        life, done = self.life("keeps", elects=True, disk={"votes": "\x01" * 1_000_000})
        self.assertEqual(len(done), 3)


if __name__ == "__main__":
    unittest.main()
