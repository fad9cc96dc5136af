"""The shim for Python: schedulers, writes to the outside resource, and the disk."""

import json
import unittest

from shim_test import BEGIN, SECOND, Life

SCHEDULER = """
role = "scheduler"
schema = "CREATE TABLE jobs (id bigint)"
def put_schedule(s):
    if s.name == "wrong": return "INSERT"
    if s.name == "raises": raise KeyError("gone")
    return [("DELETE", s.id), ("INSERT", s.id, s.first, s.period, not s.paused, s.now)]
"""
NO_SCHEDULE = {"id": 1, "name": "sync", "now": 5000}
SCHEDULE = {**NO_SCHEDULE, "first": 9000, "period": 7, "paused": False}


class Work(unittest.TestCase):
    def life(self, node, more, leadership="none", disk=None):
        life = Life(node, more)
        self.addCleanup(lambda: life.process.poll() is None and life.end())
        life.start["start"]["disk"] = disk or {}
        life.start["start"]["parameters"] = {}
        done = life.tell(life.start if leadership == "none" else {**life.start, "leadership": leadership})
        return life, done

    def error(self, node, more):
        _, done = self.life(node, more, None)
        return done[-1].get("error", done)

    # ---- schedulers ----

    def test_a_scheduler_hears_of_its_election_and_does_the_work_of_slots(self):
        life, done = self.life(
            """
            t.log([t.leads(), t.token()])
            await t.sleep("1s")
            t.log([t.leads(), t.token()])
            t.log(await t.run(schedule=2, slot=tenure.StoreTime(5000)))
            t.log(await t.run(schedule=2, slot=tenure.StoreTime(5000), token="1.7.9", once=True))
            """,
            SCHEDULER, None)
        self.assertEqual(done, [{"log": {"text": "[False, None]", "value": 0}}])
        self.assertEqual(life.tell({"leadership": {"until_mono": BEGIN + 2 * SECOND, "token": "1.8.3"}}), [])
        done = life.tell({"wake": {}, "leadership": {"until_mono": BEGIN + 2 * SECOND, "token": "1.8.3"}}, SECOND)
        self.assertEqual(
            done,
            [{"checked": {}}, {"log": {"text": "[True, '1.8.3']", "value": 0}},
             {"run": {"id": 1, "schedule": 2, "slot": 5000, "once": False}}])
        done = life.tell({"ran": {"id": 1, "result": "stopped"}, "leadership": None}, 2 * SECOND)
        self.assertEqual(
            done,
            [{"log": {"text": "stopped", "value": 0}},
             {"run": {"id": 2, "schedule": 2, "slot": 5000, "once": True, "token": "1.7.9"}}])
        self.assertEqual(
            life.tell({"ran": {"id": 2, "result": "duplicate"}, "leadership": None}),
            [{"log": {"text": "duplicate", "value": 0}}])

    def test_what_runs_while_leading_ends_with_the_leadership(self):
        node = """
            async def work():
                await t.sleep("1h")
            t.log(await t.while_leading(work))
        """
        until = {"until_mono": BEGIN + 9 * SECOND}
        life, _ = self.life(node, SCHEDULER, until)
        self.assertEqual(life.answer["wake"], BEGIN + 9 * SECOND)
        self.assertEqual(life.tell({"leadership": {"open": True}}, SECOND), [])
        self.assertEqual(life.tell({"leadership": None}, SECOND), [{"log": {"text": "False", "value": 0}}])

    def test_a_scheduler_has_no_election_of_its_own(self):
        for wrong in ("t.believe(open=True)", "t.step_down()", "t.send(1, 'x')", "await t.receive()"):
            self.assertIn("is its election's business, and this program is a scheduler", self.error(wrong, SCHEDULER))
        self.assertIn("t.run does the work of a slot", self.error("await t.write()", SCHEDULER))
        self.assertIn("`slot` is a time of the store", self.error("await t.run(schedule=1, slot=t.wall())", SCHEDULER))
        self.assertIn('role = "scheduler"', self.error("await t.run(schedule=1, slot=tenure.StoreTime(0))", ""))

    def test_it_says_what_a_client_sends_for_a_schedule(self):
        def asked(line, more=SCHEDULER):
            life = Life("pass", more)
            self.addCleanup(life.end)
            life.process.stdin.write(json.dumps({"tenure": 1, **line}) + "\n")
            return json.loads(life.process.stdout.readline())

        values = [1, {"time": 9000}, {"interval": 7}, True, {"time": 5000}]
        self.assertEqual(
            asked({"put_schedule": SCHEDULE}),
            {"statements": [{"text": "DELETE", "values": [1]}, {"text": "INSERT", "values": values}]})
        never = {**SCHEDULE, "first": None, "period": None}
        self.assertEqual(asked({"put_schedule": never})["statements"][1]["values"][1:3], [None, None])
        self.assertIn("TypeError: a statement, like (\"INSERT", asked({"put_schedule": {**SCHEDULE, "name": "wrong"}})["error"])
        self.assertIn("mine.py:8: KeyError: 'gone'", asked({"put_schedule": {**SCHEDULE, "name": "raises"}})["error"])
        self.assertIn("has no `delete_schedule`", asked({"delete_schedule": NO_SCHEDULE})["error"])
        deletes = SCHEDULER + "def delete_schedule(s): return ('DELETE', s.id, s.now)\n"
        self.assertEqual(
            asked({"delete_schedule": NO_SCHEDULE}, deletes),
            {"statements": [{"text": "DELETE", "values": [1, {"time": 5000}]}]})

    # ---- connections ----

    def test_a_statement_may_have_a_connection_of_its_own(self):
        _, done = self.life("t.spawn(lambda: t.sql('A', on='watch'))\nawait t.transaction(('B',), on='other')", "")
        self.assertEqual([each["sql"]["on"] for each in done], ["other", "watch"])
        self.assertIn("a text, and not a int", self.error("await t.sql('A', on=5)", ""))

    # ---- an election that writes ----

    def test_a_write_is_answered_or_unknown(self):
        life, done = self.life(
            """
            t.believe(open=True, token=4)
            t.log([t.leads(), t.token()])
            t.log(await t.write())
            t.log(await t.write(token=3, timeout="2s"))
            t.log(await t.write())
            """,
            "tokens = writes = True")
        self.assertEqual(
            done,
            [{"believe": {"token": 4, "open": True}}, {"checked": {}}, {"log": {"text": "[True, 4]", "value": 0}},
             {"write": {"id": 1}}])
        done = life.tell({"written": {"id": 1, "result": "done"}})
        self.assertEqual(done, [{"log": {"text": "done", "value": 0}}, {"write": {"id": 2, "token": 3}}])
        self.assertEqual(life.answer["wake"], BEGIN + 2 * SECOND)
        done = life.tell({"wake": {}}, 2 * SECOND)
        self.assertEqual(done, [{"log": {"text": "unknown", "value": 0}}, {"write": {"id": 3}}])
        self.assertEqual(life.tell({"written": {"id": 2, "result": "done"}}, SECOND), [], "nobody waits for it")
        done = life.tell({"written": {"id": 3, "result": "fenced"}})
        self.assertEqual(done, [{"log": {"text": "fenced", "value": 0}}])

    def test_a_program_that_writes_says_so(self):
        self.assertIn("t.write is for a program with writes = True", self.error("await t.write()", ""))
        _, done = self.life("t.believe(open=True)\nt.leads()", "")
        self.assertNotIn({"checked": {}}, done)

    # ---- the disk ----

    def test_the_disk_keeps_values_and_syncs(self):
        life, done = self.life(
            """
            t.log([t.disk.get("votes"), t.disk.get("none")])
            for value in (5, True, "x", t.duration("2s"), tenure.StoreTime(7)):
                t.disk.put("a", value)
                t.log(t.disk.get("a") == value)
            await t.disk.sync()
            t.log("synced")
            """,
            "", disk={"votes": '"n1"'})
        self.assertEqual(done[0], {"log": {"text": "['n1', None]", "value": 0}})
        self.assertEqual([each["log"]["text"] for each in done[2:-1:2]], ["True"] * 5)
        written = [each["put"] for each in done if "put" in each]
        self.assertEqual([each["value"] for each in written], ["5", "true", '"x"', '{"interval": 2000000000}', '{"time": 7}'])
        self.assertEqual(done[-1], {"sync": {"id": 1}})
        self.assertEqual(life.tell({"synced": {"id": 1}}, SECOND), [{"log": {"text": "synced", "value": 0}}])
        self.assertIn("a text, and not a int", self.error("t.disk.put(5, 'x')", ""))
        self.assertIn("and not None", self.error("t.disk.put('x', None)", ""))


if __name__ == "__main__":
    unittest.main()
