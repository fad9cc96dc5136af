"""The shim for Python: programs in asyncio, told what happens by this test in the simulator's place."""

import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import life
from life import BEGIN, SECOND

SHIM = os.path.join(HERE, "..", "..", "..", "..", "..", "adapters", "process", "shims", "python", "tenure")


class Life(life.Life):
    """Of a program with node(t), and `more` before it."""

    def __init__(self, node, more="", number=1, seed=7):
        self.folder = tempfile.TemporaryDirectory()
        path = os.path.join(self.folder.name, "mine.py")
        text = "import asyncio, tenure\nname = 'mine'\n" + textwrap.dedent(more)
        text += "\nasync def node(t):\n" + textwrap.indent(textwrap.dedent(node), "    ") + "\n"
        with open(path, "w") as file:
            file.write(text)
        super().__init__([sys.executable, SHIM, path], {"period": 3 * SECOND, "tries": 2}, number, seed)

    def end(self):
        said = super().end()[1]
        self.folder.cleanup()
        return said


PERIOD = 'parameters = {"period": {"default": "3s"}, "tries": {"default": 2}}'


class Shim(unittest.TestCase):
    def life(self, node, more=PERIOD, **of):
        life = Life(node, more, **of)
        self.addCleanup(lambda: life.process.poll() is None and life.end())
        return life

    def logs(self, node, more=PERIOD):
        """What a program logs, that must not fail."""
        done = self.life(node, more).run()
        self.assertFalse([each for each in done if "error" in each], done)
        return [each["log"]["text"] for each in done if "log" in each]

    def error(self, node, more=PERIOD):
        done = self.life(node, more).run()
        self.assertIn("error", done[-1], done)
        return done[-1]["error"]

    # ---- time ----

    def test_sleeps_end_at_their_nanosecond(self):
        life = self.life('await t.sleep("1.000000001s")\nawait t.sleep("2ns")\nawait asyncio.sleep(0.1)')
        life.tell(life.start)
        self.assertEqual(life.answer["wake"] - life.mono, 1_000_000_001)
        life.tell({"wake": {}}, 1_000_000_001)
        self.assertEqual(life.answer["wake"] - life.mono, 2)
        life.tell({"wake": {}}, 2)
        self.assertEqual(life.answer["wake"] - life.mono, 100_000_000)

    def test_each_sleep_is_one_step(self):
        life = self.life("for _ in range(300): await asyncio.sleep(0.1)")
        life.tell(life.start)
        for step in range(300):
            self.assertGreater(life.answer["wake"], life.mono, f"step {step}")
            life.tell({"wake": {}}, life.answer["wake"] - life.mono)
        self.assertNotIn("wake", life.answer)

    def test_a_step_that_comes_early_wakes_nobody(self):
        life = self.life('await t.sleep("2s")\nt.log("woken")')
        life.tell(life.start)
        wake = life.answer["wake"]
        self.assertEqual(life.tell({"message": {"from": 2, "kind": "x", "words": []}}, SECOND), [])
        self.assertEqual(life.answer["wake"], wake)
        self.assertEqual(life.tell({"wake": {}}, SECOND), [{"log": {"text": "woken", "value": 0}}])

    def test_clocks_are_the_simulators(self):
        logs = self.logs("""
            import datetime, time
            a = time.time(), time.monotonic(), time.perf_counter_ns(), datetime.datetime.now(), t.wall(), t.mono()
            await asyncio.sleep(5)
            b = time.time(), time.monotonic(), time.perf_counter_ns(), datetime.datetime.now(), t.wall(), t.mono()
            t.log([round(b[0] - a[0], 6), round(b[1] - a[1], 6), b[2] - a[2], str(b[3] - a[3]), (b[4] - a[4]).ns, (b[5] - a[5]).ns])
            t.log(isinstance(datetime.datetime.now(), datetime.datetime) and time.localtime().tm_year)
            t.log(asyncio.get_running_loop().time() == time.monotonic())
        """)
        self.assertEqual(logs, ["[5.0, 5.0, 5000000000, '0:00:05', 5000000000, 5000000000]", "2024", "True"])

    def test_asyncio_runs_on_that_clock(self):
        logs = self.logs("""
            begun = t.mono()
            async def late(n):
                await asyncio.sleep(n)
                return n
            t.log(await asyncio.gather(late(3), late(1), late(2)))
            try:
                async with asyncio.timeout(2):
                    await late(5)
            except TimeoutError:
                t.log("timeout")
            queue, event = asyncio.Queue(), asyncio.Event()
            async def producer():
                for i in range(3):
                    await asyncio.sleep(1)
                    queue.put_nowait(i)
                event.set()
            producing = asyncio.create_task(producer())
            t.log([await queue.get() for _ in range(3)])
            await event.wait()
            t.log((t.mono() - begun).seconds)
        """)
        self.assertEqual(logs, ["[3, 1, 2]", "timeout", "[0, 1, 2]", "8.0"])

    def test_clocks_do_not_mix(self):
        for wrong, said in (
            ("t.mono() < t.wall()", "comparing: a time of the monotonic clock and a time of the wall clock"),
            ("t.believe(until_wall=t.mono())", "until_wall must be a time of the wall clock"),
            ("t.believe(until_wall=tenure.StoreTime(1))", "until_wall is a store's time; t.as_wall(x)"),
            ("t.as_wall(t.wall())", "t.as_wall takes a time that a store gave"),
            ("tenure.Duration('5')", "'5' is no duration"),
            ("t.mono() + t.mono()", "adding: a time of the monotonic clock and"),
        ):
            self.assertIn(said, self.error(wrong), wrong)

    # ---- what there is not ----

    def test_what_would_leave_the_simulation_is_refused_in_words(self):
        for wrong, said in (
            ("import time; time.sleep(1)", "time.sleep is not for a simulated process"),
            ("import threading; threading.Thread(target=print).start()", "a thread is not for"),
            ("await asyncio.to_thread(print)", "loop.run_in_executor is not for"),
            ("await asyncio.open_connection('localhost', 1)", "loop.create_connection is not for"),
            ("import socket; socket.socket()", "a socket is not for"),
            ("import subprocess; subprocess.run(['true'])", "another program is not for"),
            ("await asyncio.create_subprocess_exec('true')", "loop.subprocess_exec is not for"),
            ("import os; os.fork()", "another program is not for"),
        ):
            self.assertIn(said, self.error(wrong), wrong)

    def test_what_would_strike_a_process_of_the_machine_is_refused_in_words(self):
        # Signal 0 and programs that do nothing: should one of them not be refused, the machine stays as it is.
        for wrong, said in (
            ("import os; os.kill(os.getpid(), 0)", "os.kill is not for a simulated process"),
            ("import os; os.killpg(os.getpid(), 0)", "os.killpg is not for"),
            ("import posix; posix.kill(1, 0)", "os.kill is not for"),
            ("import signal; signal.raise_signal(0)", "signal.raise_signal is not for"),
            ("import signal; signal.pthread_kill(0, 0)", "signal.pthread_kill is not for"),
            ("import signal; signal.pidfd_send_signal(0, 0)", "signal.pidfd_send_signal is not for"),
            ("import signal; signal.alarm(0)", "signal.alarm is not for"),
            ("import signal; signal.setitimer(signal.ITIMER_REAL, 0)", "signal.setitimer is not for"),
            ("import _thread; _thread.interrupt_main(0)", "_thread.interrupt_main is not for"),
            ("import os; os.abort()", "os.abort is not for"),
            ("import os; os._exit(0)", "os._exit is not for"),
            ("import os; os.execv('/bin/true', ['true'])", "another program is not for"),
            ("import os; os.execlp('true', 'true')", "another program is not for"),
            ("import os; os.spawnv(os.P_WAIT, '/bin/true', ['true'])", "another program is not for"),
            ("import os; os.popen('true')", "another program is not for"),
            ("import os; os.system('true')", "another program is not for"),
            ("import os; os.posix_spawn('/bin/true', ['true'], {})", "another program is not for"),
            ("import pty; pty.fork()", "another program is not for"),
            ("import multiprocessing; multiprocessing.Process(target=print).start()", "another program is not for"),
            ("import multiprocessing as m; m.get_context('spawn').Process(target=print).start()", "another program is not for"),
        ):
            self.assertIn(said, self.error(wrong), wrong)

    def test_draws_come_from_the_seed(self):
        draws = """
            import os, random, secrets, socket, uuid
            t.log([random.random(), uuid.uuid4().hex, os.urandom(4), secrets.token_hex(4), random.Random().random(), random.seed() or random.random(), t.random(6), os.getpid(), socket.gethostname()])
        """
        runs = [self.life(draws, seed=seed).run() for seed in (1, 1, 2)]
        self.assertEqual(runs[0], runs[1])
        self.assertNotEqual(runs[0], runs[2])

    # ---- failing ----

    def test_a_program_that_cannot_be_read_says_where(self):
        for text, said in (
            ("name = ", "mine.py:1: SyntaxError: invalid syntax"),
            ("import math\nmath.sqrt(-1)", "mine.py:2: ValueError: math domain error"),
            ("name = 'x'", "mine.py has no `async def node(t)`, the process"),
            ("async def node(t): pass\nvalidate = 5", 'mine.py: `validate` must be a function: def validate(p): return [("parameter", "what is wrong")]'),
            ("async def node(t): pass\ndef put_schedule(s): pass", 'mine.py: `put_schedule` is for a scheduler: role = "scheduler", or "both"'),
        ):
            with tempfile.TemporaryDirectory() as folder:
                with open(os.path.join(folder, "mine.py"), "w") as file:
                    file.write(text)
                ended = subprocess.run([sys.executable, SHIM, "mine.py"], cwd=folder, capture_output=True, text=True)
                self.assertEqual(ended.returncode, 1)
                self.assertEqual(ended.stderr.splitlines()[-1], said)

    def test_an_exception_is_told_with_its_place_in_whatever_task(self):
        for wrong in (
            "await t.sleep('1s')\nboom()",
            "kept = t.spawn(later)\nawait t.sleep('5s')\nkept.cancel()",
            "asyncio.create_task(later())\nawait t.sleep('5s')",
        ):
            said = self.error(wrong, PERIOD + "\ndef boom():\n    raise KeyError('gone')\nasync def later():\n    await asyncio.sleep(1)\n    boom()")
            self.assertIn("KeyError: 'gone'", said)
            self.assertIn('mine.py", line 5, in boom', said)

    def test_a_step_that_never_waits_ends(self):
        self.assertIn("a step of more than 100000 rounds", self.error("while True: await asyncio.sleep(0)"))

    def test_what_it_prints_is_not_taken_for_an_answer(self):
        life = self.life("print('hello')\nt.log('said')")
        self.assertEqual(life.tell(life.start), [{"log": {"text": "said", "value": 0}}])
        self.assertIn("hello\n", life.end())

    def test_a_forgotten_await_is_an_error_with_its_place(self):
        for wrong in ("t.sleep('1s')", "t.sql('DELETE FROM a')", "asyncio.sleep(1)"):
            said = self.error(wrong + "\nawait t.sleep('1s')")
            self.assertIn("was called and never awaited", said)
            self.assertRegex(said, r"mine\.py:5\)")
        self.assertEqual(self.logs("t.log('ok')\ntask = asyncio.create_task(t.sleep('1s'))\ntask.cancel()"), ["ok"])

    def test_what_no_line_can_hold_is_an_error_with_its_place(self):
        for wrong, said in (
            ("t.send(2, 'x', 1.5)", "a whole number, and not a float"),
            ("t.send(2, 'x', 2**63)", "a whole number of 64 bits"),
            ("t.send(2, 5)", "a text, and not a int"),
            ("t.log('x', 'y')", "a whole number, and not a str"),
            ("await t.sql('SELECT $1', '\\udcff')", "surrogates not allowed"),
            ("await t.sql('SELECT $1', 2**63)", "a whole number of 64 bits"),
            ("await asyncio.sleep(float('nan'))", "an instant that is not a number"),
            ("t.believe(open=True, token=1)", "a token needs a design with tokens = True"),
        ):
            error = self.error(wrong)
            self.assertIn(said, error)
            self.assertIn('mine.py", line 5, in node', error)
        tokens = PERIOD + "\ntokens = True"
        for wrong in ("t.believe(open=True)", "t.believe(open=True, token=0)", "t.believe(open=True, token=True)"):
            self.assertIn('mine.py", line 6, in node', self.error(wrong, tokens))
        (believes,) = self.life("t.believe(open=True, token=3)", tokens).run()
        self.assertEqual(believes, {"believe": {"token": 3, "open": True}})

    def test_whoever_waits_for_ever_is_woken_by_no_clock(self):
        life = self.life("await asyncio.sleep(float('inf'))")
        life.tell(life.start)
        self.assertNotIn("wake", life.answer)

    def test_half_a_character_hides_no_error(self):
        self.assertIn("ValueError: \\udcff\n", self.error("raise ValueError('\\udcff')"))
        self.assertEqual(self.logs("t.log('\\udcff \u20ac')"), ["\\udcff \u20ac"])

    def test_what_is_not_there_is_told_with_what_is(self):
        self.assertIn("there is no parameter 'perod'; there is period, tries", self.error("t.p.perod"))
        life = self.life("rows = await t.sql('SELECT')\nrows[0].m")
        (asked,) = life.tell(life.start)
        rows = {"columns": ["n", "at"], "rows": [[5, None]], "count": 1}
        (failed,) = life.tell({"reply": {"id": asked["sql"]["id"], "outcome": "done", "results": [rows]}})
        self.assertIn("the row has no column 'm'; it has n, at", failed["error"])

    def test_standard_input_is_not_its_own(self):
        for wrong in ("import sys; sys.stdin.read()", "input()", "import sys\nfor line in sys.stdin: pass"):
            self.assertIn("standard input is the simulator's", self.error(wrong))
        self.assertEqual(self.logs("import os\nt.log(os.read(0, 10))"), ["b''"])

    # ---- what it says of itself ----

    def description(self, more):
        life = self.life("pass", more)
        life.process.stdin.write('{"tenure": 1, "describe": {}}\n')
        return json.loads(life.process.stdout.readline() or "null"), life

    def test_it_has_the_variables_of_a_design(self):
        said, _ = self.description("""
            role = "elector"
            goes_round = True
            tokens = True
            parameters = {"kept": {"default": "168h", "recovery": False}, "when": {"default": "a", "choices": ["a", "b"]}}
            claims = {"leader-elected": [], "one-believer": {"assumes": ["no-crash"], "passes": True}}
        """)
        self.assertEqual(said.pop("claims"), {"leader-elected": [], "one-believer": {"assumes": ["no-crash"], "passes": True}})
        self.assertEqual(said.pop("parameters")["kept"], {"default": "168h", "recovery": False})
        self.assertEqual(
            said,
            {"name": "mine", "role": "elector", "goes_round": True, "tokens": True,
             "tenure": 1, "copies_itself": False, "validates": False},
        )
        said, life = self.description("claims = {'leader-elected': {1, 2}}")
        self.assertIsNone(said)
        self.assertIn("the variables of a design are texts, whole numbers", life.end())

    def test_it_judges_its_parameters(self):
        values = {"period": 3 * SECOND, "when": "b"}
        more = 'parameters = {"period": {"default": "1s"}, "when": {"default": "a", "choices": ["a", "b"]}}\n'
        for function, answer in (
            ("return [('period', f'{p.period.seconds} {p.when}')]", {"complaints": [["period", "3.0 b"]]}),
            ("return None", {"complaints": []}),
            ("p.perod", {"error": "AttributeError: there is no parameter 'perod'; there is period, when"}),
        ):
            said, life = self.description(more + f"def validate(p): {function}")
            self.assertTrue(said["validates"])
            life.process.stdin.write(json.dumps({"tenure": 1, "validate": {"parameters": values}}) + "\n")
            judged = json.loads(life.process.stdout.readline())
            if "error" in judged:
                self.assertRegex(judged["error"], r"mine\.py:4: ")
                judged["error"] = judged["error"].split(": ", 1)[1]
            self.assertEqual(judged, answer)

    # ---- the rest of the API ----

    def test_parameters_and_names(self):
        logs = self.logs("t.log([t.me, t.number, t.nodes, t.identity, t.p.period.seconds, t.p.tries])")
        self.assertEqual(logs, ["['n1', 1, 3, 'n1#1', 3.0, 2]"])

    def test_a_statement_and_its_answers(self):
        life = self.life("""
            rows = await t.sql("SELECT $1", 5, None, True, t.duration("2s"), tenure.StoreTime(7000), timeout="4s")
            t.log([rows[0].n, rows[0]["at"].ns, rows.count, len(rows)])
            for _ in range(3):
                try:
                    await t.transaction(("A",), ("B", "x"))
                except tenure.StoreError as error:
                    t.log([error.kind, error.sqlstate])
        """)
        (asked,) = life.tell(life.start)
        self.assertEqual(asked["sql"]["deadline"] - life.mono, 4 * SECOND)
        self.assertEqual(
            asked["sql"]["statements"],
            [{"text": "SELECT $1", "values": [5, None, True, {"interval": 2 * SECOND}, {"time": 7000}]}],
        )
        rows = {"columns": ["n", "at"], "rows": [[5, {"time": 9000}]], "count": 1}
        done = life.tell({"reply": {"id": asked["sql"]["id"], "outcome": "done", "results": [rows]}}, SECOND)
        self.assertEqual(done[0]["log"]["text"], "[5, 9000, 1, 1]")
        self.assertEqual([each["text"] for each in done[1]["sql"]["statements"]], ["A", "B"])
        for reply, said in (
            ({"outcome": "failed", "sqlstate": "23505", "message": "x"}, "['failed', '23505']"),
            ({"outcome": "rejected", "message": "x"}, "['rejected', None]"),
            ({"outcome": "unknown"}, "['unknown', None]"),
        ):
            done = life.tell({"reply": {"id": done[-1]["sql"]["id"], **reply}}, SECOND)
            self.assertEqual(done[0]["log"]["text"], said)

    def test_an_answer_to_a_request_that_nobody_waits_for_is_dropped(self):
        life = self.life("""
            try:
                await asyncio.wait_for(t.sql("A"), 1)
            except TimeoutError:
                t.log("given up")
        """)
        (asked,) = life.tell(life.start)
        self.assertEqual(life.tell({"wake": {}}, SECOND)[0]["log"]["text"], "given up")
        self.assertEqual(life.tell({"reply": {"id": asked["sql"]["id"], "outcome": "unknown"}}), [])

    def test_messages_come_in_their_order(self):
        life = self.life("while True: t.log(await t.receive())")
        life.tell(life.start)
        for n in (4, 5):
            done = life.tell({"message": {"from": 2, "kind": "beat", "words": [n]}})
            self.assertEqual(done[0]["log"]["text"], f"(2, 'beat', {n})")

    def test_belief_and_what_is_done_while_leading(self):
        logs = self.logs("""
            begun = t.mono()
            async def passed(): return (t.mono() - begun).seconds
            async def never(): raise AssertionError
            async def work():
                while True: await t.sleep("1s")
            t.log(await t.while_leading(never))
            t.believe(until_mono=t.mono() + "3s")
            t.log([t.leads(), await t.while_leading(work), t.leads(), await passed()])
            t.believe(open=True)
            async def end():
                await t.sleep("2s")
                t.step_down("test")
            t.spawn(end)
            t.log([await t.while_leading(work), await passed()])
            t.believe(until_mono=t.mono() + "1s")
            async def extend():
                await t.sleep("500ms")
                t.believe(until_wall=t.wall() + "3s")
            t.spawn(extend)
            t.log([await t.while_leading(work), await passed()])
            t.believe(open=True)
            async def short(): await t.sleep("1s")
            t.log(await t.while_leading(short))
        """)
        self.assertEqual(logs, ["False", "[True, False, False, 3.0]", "[False, 5.0]", "[False, 8.5]", "True"])

    def test_events_deadlines_and_ticks(self):
        logs = self.logs("""
            one, other = t.event(), t.event()
            async def later():
                await t.sleep("3s")
                one.set("x")
                one.set("y")
            t.spawn(later)
            try:
                await one.wait("1s")
            except TimeoutError:
                t.log("not yet")
            t.log([await t.any(other, one), await one.wait()])
            async def two(): await t.sleep("2s"); return 2
            t.log(await t.deadline("5s", two))
            for missed in ("skip", "catch up", "delay"):
                begun, at = t.mono(), []
                async def tick():
                    at.append((t.mono() - begun) // t.duration("1s"))
                    if len(at) == 2: await t.sleep("5s")
                try:
                    await t.deadline("10s", lambda: t.every("2s", tick, missed))
                except TimeoutError:
                    t.log(at)
        """)
        self.assertEqual(logs, ["not yet", "[(1, 'x'), 'x']", "2", "[0, 2, 8]", "[0, 2, 7, 7, 8]", "[0, 2, 9]"])

    def test_a_stop_runs_what_was_asked_for(self):
        life = self.life("""
            async def stop():
                await t.sleep("1s")
                t.log("bye")
            t.on_stop(stop)
            await t.sleep("1h")
        """)
        life.tell(life.start)
        self.assertEqual(life.tell({"stop": {}}), [])
        self.assertEqual(life.tell({"wake": {}}, SECOND), [{"log": {"text": "bye", "value": 0}}, {"stopped": {}}])
        life = self.life("await t.sleep('1h')")
        life.tell(life.start)
        self.assertEqual(life.tell({"stop": {}}), [{"stopped": {}}])


if __name__ == "__main__":
    unittest.main()
