"""The shim for Go: cases.go, told what happens by this test in the simulator's place."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import life
from life import BEGIN, SECOND

RUN = os.path.join(HERE, "..", "..", "..", "..", "..", "adapters", "process", "shims", "go", "tenure", "run.sh")


class Life(life.Life):
    """Of cases.go: this case."""

    def __init__(self, case, number=1, seed=7, command=("sh", RUN, "cases.go"), folder=HERE, environment=None):
        values = {"case": case, "period": 3 * SECOND, "kept": 604_800 * SECOND, "tries": 2, "eager": False}
        super().__init__(command, values, number, seed, folder, environment)


class Shim(unittest.TestCase):
    def life(self, case, **of):
        life = Life(case, **of)
        self.addCleanup(life.end)
        return life

    def logs(self, case, **of):
        """What a program logs, that must not fail."""
        life = self.life(case, **of)
        done = life.run()
        self.assertIsNotNone(life.answer, done)
        self.assertFalse([each for each in done if "error" in each], done)
        return [each["log"]["text"] for each in done if "log" in each]

    def dies(self, case):
        """What it prints when it dies."""
        life = self.life(case)
        life.run()
        self.assertIsNone(life.answer, case)
        code, said = life.end()
        self.assertEqual(code, 2, said)
        return said

    # ---- time ----

    def test_sleeps_end_at_their_nanosecond(self):
        life = self.life("sleeps")
        life.tell(life.start)
        for length in (1_000_000_001, 2, 100_000_000):
            self.assertEqual(life.answer["wake"] - life.mono, length)
            life.tell({"wake": {}}, length)
        self.assertNotIn("wake", life.answer)

    def test_each_sleep_is_one_step(self):
        life = self.life("many-sleeps")
        life.tell(life.start)
        for step in range(300):
            self.assertEqual(life.answer["wake"] - life.mono, 100_000_000, f"step {step}")
            life.tell({"wake": {}}, life.answer["wake"] - life.mono)
        self.assertNotIn("wake", life.answer)

    def test_a_timer_that_was_stopped_wakes_nobody(self):
        life = self.life("stopped-timer")
        life.tell(life.start)
        self.assertEqual(life.answer["wake"] - life.mono, 3 * SECOND)
        # A step that comes early does not either.
        self.assertEqual(life.tell({"message": {"from": 2, "kind": "x", "words": []}}, SECOND), [])
        self.assertEqual(life.answer["wake"] - life.mono, 2 * SECOND)
        self.assertEqual(life.tell({"wake": {}}, 2 * SECOND), [{"log": {"text": "woken"}}])

    def test_clocks_are_the_simulators(self):
        self.assertEqual(self.logs("clocks"), ["0s true true UTC", "5s 5s 5s 5000000000"])
        life = self.life("wall-steps")
        life.tell(life.start)
        self.assertEqual(life.tell({"wake": {}}, SECOND, -9 * SECOND), [{"log": {"text": "1s -8000000000"}}])

    def test_goroutines_run_on_that_clock(self):
        self.assertEqual(
            self.logs("concurrency"), ["1 2 3 3s", "context deadline exceeded 5s", "9s", "4950 9.006s"])

    def test_whoever_waits_for_ever_is_woken_by_no_clock(self):
        life = self.life("waits")
        life.tell(life.start)
        self.assertEqual(life.answer, {})

    # ---- the same each time ----

    def test_everything_is_the_same_each_time(self):
        runs = []
        for environment in ({}, {"GOMAXPROCS": "8"}, {"GOGC": "20"}, {"LONG": "x" * 5000}):
            life = self.life("everything", environment=environment)
            runs.append(life.run())
        self.assertGreater(len(runs[0]), 30)
        for other in runs[1:]:
            self.assertEqual(runs[0], other)
        other_seed = self.life("everything", seed=8).run()
        self.assertNotEqual(runs[0], other_seed)

    def test_draws_come_from_the_seed(self):
        runs = [self.logs("draws", seed=seed) for seed in (1, 1, 2)]
        self.assertEqual(runs[0], runs[1])
        drawn_from_the_clock = runs[0][0].rsplit(" ", 1)[1]
        for one, other in zip(runs[0][0].rsplit(" ", 3), runs[2][0].rsplit(" ", 3)):
            self.assertTrue(one != other or one == "<nil>" or one == drawn_from_the_clock, runs)

    def test_the_order_of_a_map_does_not_depend_on_the_processor(self):
        life = self.life("waits")
        life.tell(life.start)
        program = os.readlink(f"/proc/{life.process.pid}/exe")
        with_aes, without = (
            self.logs("draws", command=(program,), environment={"GODEBUG": debug}) for debug in ("cpu.aes=on", "cpu.aes=off"))
        self.assertEqual(with_aes, without)

    def test_the_machine_is_the_simulators(self):
        self.assertEqual(self.logs("machine"), ["1 n1 <nil>", "n1 <nil> 1 1 1 1", "1 <nil>"])

    # ---- what there is not ----

    def test_what_would_leave_the_simulation_is_refused_in_words(self):
        for case, said in (
            ("socket", "a socket is not for a simulated process: t.Send and t.Messages are the network, t.SQL is the store"),
            ("listens", "a socket is not for a simulated process"),
            ("program", "another program is not for a simulated process: it is one process"),
        ):
            self.assertIn(f"panic: {said}", self.dies(case))

    def test_signals_never_come_and_standard_input_is_not_its_own(self):
        self.assertEqual(self.logs("signals"), ["0"])
        self.assertEqual(self.logs("stdin"), ["0 <nil>"])

    # ---- failing ----

    def test_a_panic_is_told_with_its_place_in_whatever_goroutine(self):
        for case in ("panics", "panics-apart"):
            said = self.dies(case)
            self.assertIn("panic: gone\n", said)
            self.assertRegex(said, r"cases\.go:\d+ ")

    def test_an_error_is_told(self):
        self.assertEqual(self.life("fails").run(), [{"error": "out of ideas"}])
        life = self.life("exits")
        life.run()
        self.assertEqual(life.end(), (3, ""))

    def test_what_it_prints_is_not_taken_for_an_answer(self):
        life = self.life("prints")
        self.assertEqual(life.tell(life.start), [{"log": {"text": "said"}}])
        self.assertEqual(life.end(), (0, "hello\nthere\n"))

    def test_what_no_line_can_hold_and_what_is_not_there_is_an_error_with_its_place(self):
        for case, said in (
            ("no-parameter", 'there is no parameter "perod"; there is case, eager, kept, period, tries'),
            ("no-such-type", 'the parameter "case" is not a whole number: it is "no-such-type"'),
            ("no-such-value", "a statement takes no float64"),
            ("a-wall-time", "a time of the wall clock; t.AsStore(x)"),
            ("no-token", "a token, a whole number above 0, belongs to the beliefs of a design with Tokens"),
            ("no-node", "t.Send: there is no node 4"),
        ):
            error = self.dies(case)
            self.assertIn(said, error)
            self.assertRegex(error, r"cases\.go:\d+ ")
        self.assertEqual(self.logs("half-character"), ["\ufffd €"])

    def program(self, text):
        """How a program of this text ends, that is asked what it is."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "go.mod"), "w") as file:
                shim = os.path.dirname(os.path.abspath(RUN))
                file.write(f"module x\ngo 1.19\nrequire tenure v0.0.0\nreplace tenure => {shim}\n")
            with open(os.path.join(folder, "mine.go"), "w") as file:
                file.write(text)
            life = Life("", command=("sh", RUN, "mine.go"), folder=folder)
            life.say({"tenure": 1, "describe": {}})
            return life.end()

    def test_a_program_that_cannot_be_built_says_where(self):
        code, said = self.program("package main\nfunc main() { x := 1 }\nfunc f() { g() }\n")
        self.assertEqual((code, said.splitlines()[-1]), (1, "./mine.go:2:15: x declared but not used"))
        code, said = self.program("package main\nfunc main( {\n")
        self.assertEqual((code, said.splitlines()[-1]), (1, "./mine.go:2:12: syntax error: unexpected {, expecting )"))
        code, said = self.program('package main\nimport "tenure"\nfunc main() { tenure.Main(tenure.Design{Name: "x"}) }\n')
        self.assertEqual((code, said.splitlines()[-1]), (1, "the design has no Node, the process"))
        said = subprocess.run(["sh", RUN, "mine.go"], cwd=HERE, capture_output=True, text=True).stderr
        self.assertEqual(said, f"there is no mine.go in {HERE}\n")
        self.assertIn("usage: run.sh", subprocess.run(["sh", RUN], capture_output=True, text=True).stderr)

    def test_a_program_is_a_file_or_a_folder_from_anywhere(self):
        for path in ("shims/go/cases.go", "shims/go"):
            life = self.life("waits", command=("sh", RUN, path), folder=os.path.join(HERE, "..", ".."))
            life.tell(life.start)
            self.assertEqual(life.answer, {})

    def test_what_is_built_without_run_sh_says_so(self):
        ended = subprocess.run(["go", "run", "cases.go"], cwd=HERE, input="", capture_output=True, text=True)
        self.assertIn('run.sh builds this program: command = ["sh", "tenure/run.sh", "main.go"]', ended.stderr)

    # ---- what it says of itself ----

    def test_it_has_the_fields_of_a_design(self):
        said = json.loads(self.life("").say({"tenure": 1, "describe": {}}))
        said["parameters"].pop("case")
        self.assertEqual(
            said,
            {"tenure": 1, "name": "mine", "validates": True, "copies_itself": False, "tokens": True, "goes_round": False,
             "writes": False,
             "claims": {"leader-elected": {"assumes": [], "passes": False},
                        "one-believer": {"assumes": ["no-crash"], "passes": True}},
             "parameters": {"period": {"default": "1500ms", "min": "1ns", "max": "2h", "doc": "x"},
                            "kept": {"default": "168h", "recovery": False}, "tries": {"default": 2}, "eager": {"default": True}}},
        )

    def test_it_judges_its_parameters(self):
        for values, complaints in (
            ({"case": "sql", "period": SECOND}, []),
            ({"case": "sql", "period": 61 * SECOND}, [["period", "too long"]]),
        ):
            said = self.life("").say({"tenure": 1, "validate": {"parameters": values}})
            self.assertEqual(json.loads(said), {"complaints": complaints})
        said = self.life("").say({"tenure": 1, "validate": {"parameters": {"case": "panics"}}})
        self.assertRegex(json.loads(said)["error"], r"^cases\.go:\d+: cannot judge$")

    # ---- the rest of the API ----

    def test_parameters_and_names(self):
        self.assertEqual(self.logs("parameters"), ["n1 1 3 n1#1", "3s 2 false 168h0m0s"])

    def test_a_statement_and_its_answers(self):
        life = self.life("sql")
        (asked,) = life.tell(life.start)
        self.assertEqual(asked["sql"]["deadline"] - life.mono, 4 * SECOND)
        self.assertEqual(
            asked["sql"]["statements"],
            [{"text": "SELECT $1", "values": [5, None, True, {"interval": 2 * SECOND}, {"time": 7000}, "x"]}],
        )
        rows = {"columns": ["n", "at", "for", "no"], "rows": [[5, {"time": 9000}, {"interval": 7}, None]], "count": 1}
        done = life.tell({"reply": {"id": asked["sql"]["id"], "outcome": "done", "results": [rows]}}, SECOND)
        self.assertEqual(done[0]["log"]["text"], "5 9000 7ns true 1 1 <nil>")
        self.assertEqual([each["text"] for each in done[1]["sql"]["statements"]], ["A", "B"])
        self.assertEqual(done[1]["sql"]["deadline"] - life.mono, 10 * SECOND)
        for reply, said in (
            ({"outcome": "failed", "sqlstate": "23505", "message": "x"}, "true failed 23505 false"),
            ({"outcome": "rejected", "message": "x"}, "true rejected  false"),
            ({"outcome": "unknown"}, "true unknown  true"),
        ):
            done = life.tell({"reply": {"id": done[-1]["sql"]["id"], **reply}}, SECOND)
            self.assertEqual(done[0]["log"]["text"], said)

    def test_no_timer_of_its_own_watches_a_deadline_that_only_statements_look_at(self):
        life = self.life("within")
        (asked,) = life.tell(life.start)
        self.assertEqual(asked["sql"]["deadline"] - life.mono, 2 * SECOND)
        self.assertNotIn("wake", life.answer)
        said, asked = life.tell({"reply": {"id": asked["sql"]["id"], "outcome": "unknown"}}, 2 * SECOND)
        self.assertIn("unknown: no answer", said["log"]["text"])
        self.assertEqual(asked["sql"]["deadline"] - life.mono, SECOND)
        self.assertEqual(life.answer["wake"] - life.mono, SECOND)
        # That timer goes off, and the answer that comes then is the answer.
        self.assertEqual(life.tell({"wake": {}}, SECOND), [])
        (said,) = life.tell({"reply": {"id": asked["sql"]["id"], "outcome": "rejected", "message": "x"}})
        self.assertEqual(said["log"]["text"], "rejected: certainly not done: x")

    def test_an_answer_to_a_request_that_nobody_waits_for_is_dropped(self):
        life = self.life("gives-up")
        (asked,) = life.tell(life.start)
        done = life.tell({"wake": {}}, SECOND)
        self.assertEqual(
            [each["log"]["text"] for each in done],
            ["unknown: no answer by the deadline: done, or not, or still to be true", "rejected"])
        self.assertEqual(life.tell({"reply": {"id": asked["sql"]["id"], "outcome": "unknown"}}), [])

    def test_a_column_that_is_not_there_is_told_with_what_is(self):
        life = self.life("no-column")
        (asked,) = life.tell(life.start)
        rows = {"columns": ["n", "at"], "rows": [[5, None]], "count": 1}
        life.tell({"reply": {"id": asked["sql"]["id"], "outcome": "done", "results": [rows]}})
        self.assertIn('the row has no column "m"; it has n, at', life.end()[1])

    def test_messages_come_in_their_order(self):
        life = self.life("messages")
        life.tell(life.start)
        for n in (4, 5):
            done = life.tell({"message": {"from": 2, "kind": "beat", "words": [n]}})
            self.assertEqual(done[0]["log"]["text"], f"2 beat [{n}]")
        self.assertEqual(
            self.life("sends").run(),
            [{"send": {"to": 2, "kind": "beat", "words": [4, -5]}}, {"send": {"to": 3, "kind": "alive", "words": []}}])

    def test_belief(self):
        self.assertEqual(
            self.life("beliefs").run(),
            [{"believe": {"until_mono": BEGIN + 5 * SECOND, "token": 3}}, {"believe": {"until_wall": 9, "token": 3}},
             {"believe": {"open": True, "token": 4}}, {"step_down": "test"}])
        self.assertEqual(self.logs("leading"), ["false 0s", "true", "false 3s", "false 5s", "false 8.5s"])

    def test_a_stop_runs_what_was_asked_for(self):
        life = self.life("stop")
        life.tell(life.start)
        self.assertEqual(life.tell({"stop": {}}), [])
        done = life.tell({"wake": {}}, SECOND)
        self.assertEqual(done, [{"log": {"text": "bye"}}, {"stopped": {}}])
        life = self.life("waits")
        life.tell(life.start)
        self.assertEqual(life.tell({"stop": {}}), [{"stopped": {}}])


if __name__ == "__main__":
    unittest.main()
