"""live_test.py TENURE [TEST…]: `tenure live` with real processes. Those of Running begin together."""
import atexit
import contextlib
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).parent
TENURE = sys.argv.pop(1)
LEASE = ["--", sys.executable, str(HERE / "lease.py"), "{node}", "{store}", "{journal}"]
SHORT = [word for setting in ("sim.duration=3s", "sim.tail=4500ms", "fault.1.at=1s", "fault.1.action=kill",
                              "fault.1.duration=1s", "fault.2.at=2500ms", "fault.2.duration=200ms",
                              "fault.2.target=standby")
         for word in ("--set", setting)]
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="live-test-"))
FOLDER.chmod(0o755)


def begin(name, *arguments, scenario="leases.toml"):
    """A live run in a folder of its own: whatever it keeps is there."""
    folder = FOLDER / name
    folder.mkdir()
    folder.chmod(0o1777)  # a server of our own does not run as root
    environment = {**os.environ, "TMPDIR": str(folder)}
    return subprocess.Popen([TENURE, "live", str(HERE / scenario), *arguments], stdout=subprocess.PIPE, cwd=folder,
                            stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True)


def end(process):
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def processes_of(name):
    """Those whose command line names the folder: instances have their journal there."""
    found = []
    for each in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if each.name.isdigit() and str(FOLDER / name).encode() in (each / "cmdline").read_bytes():
                found.append(int(each.name))
    return found


def stat(process):
    """Its state and its parent; None: it is gone."""
    with contextlib.suppress(OSError):
        fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return fields[0], int(fields[1])
    return None


def descendants(process):
    """All that it has started, a server included."""
    parents = {int(each.name): stat(each.name) for each in pathlib.Path("/proc").iterdir() if each.name.isdigit()}
    found = {process}
    while more := {each for each, known in parents.items() if known and known[1] in found} - found:
        found |= more
    return found - {process}


def wait_until(condition, seconds=60):
    last = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > last:
            return False
        time.sleep(0.05)
    return True


class Refusing(unittest.TestCase):
    def refused(self, name, *arguments):
        code, out, err = end(begin(name, *arguments))
        self.assertEqual(out, "")
        self.assertEqual([each for each in (FOLDER / name).iterdir() if each.name.startswith("tenure-live")], [])
        return code, err

    def test_what_cannot_be_live_before_anything_starts(self):
        code, err = self.refused("cut", "--set", "fault.1.action=partition")
        self.assertEqual(code, 65)
        self.assertIn("error: `partition` needs a proxy of ours before the store, and SQLite has none", err)
        self.assertIn("1 error; nothing was started", err)

    def test_a_store_of_the_users(self):
        file = FOLDER / "mine.db"
        with contextlib.closing(sqlite3.connect(file)) as mine:
            mine.execute("CREATE TABLE mine (x)")
        before = file.read_bytes()
        code, err = self.refused("mine", "--store", f"sqlite:{file}")
        self.assertEqual(code, 74)
        self.assertIn("is there already", err)
        self.assertEqual(file.read_bytes(), before)
        code, err = self.refused("folder", "--store", "sqlite:/nonexistent/x.db")
        self.assertEqual(code, 74)
        self.assertIn("cannot make /nonexistent/x.db: No such file or directory", err)

    def test_a_command_that_cannot_run(self):
        code, err = self.refused("missing", "--", "./nothing")
        self.assertEqual(code, 74)
        self.assertIn("cannot run `./nothing`: No such file or directory", err)
        code, err = self.refused("dies", "--", "sh", "-c", "echo my own words >&2; exit 3")
        self.assertEqual(code, 74)
        self.assertIn("ended at once and wrote no journal (exit status 3): my own words", err)


class Deceiving(unittest.TestCase):
    """Commands whose journals do not tell what happened."""
    @classmethod
    def setUpClass(cls):
        old, store = FOLDER / "old.jsonl", FOLDER / "old.db"
        leading = subprocess.Popen([sys.executable, HERE / "lease.py", "1", store, old])
        wait_until(lambda: old.exists() and b'"believes"' in old.read_bytes())
        leading.terminate()
        leading.wait()
        lease = f"{sys.executable} {HERE / 'lease.py'}"
        scripts = {"copied": f"[ {{node}} = 1 ] && cp {old} {{journal}} && exec sleep 1000",
                   "ahead": f"[ {{node}} = 1 ] && sed '1s/\"at\": /&9/; q' {old} > {{journal}} && exec sleep 1000",
                   "one_node": f"exec {lease} 1 {{store}} {{journal}}",
                   "silent": "[ {node} = 2 ] && exec sleep 1000",
                   "escaped": f"setsid {lease} {{node}} {{store}} {{journal}} & wait; exit"}
        paused = [word.replace("1.action=kill", "1.action=pause").replace("1.duration=1s", "1.duration=1400ms")
                  for word in SHORT]
        honest = f"exec {lease} {{node}} {{store}} {{journal}}"
        cls.runs = {name: begin(name, *paused, "--", "sh", "-c", f"{script}; {honest}")
                    for name, script in scripts.items()}

    @classmethod
    def tearDownClass(cls):
        for name, run in cls.runs.items():
            run.kill()
            run.communicate()
            for process in processes_of(name):
                os.kill(process, signal.SIGKILL)

    def refused(self, name, wanted, words):
        code, out, err = end(self.runs[name])
        self.assertEqual((code, out), (wanted, ""), err)
        self.assertRegex(err, words)

    def test_journals_of_another_run(self):
        self.refused("copied", 65, r"n1-1.jsonl began \d.* before this run did\n(.*\n)*.*COMMAND is to write")
        self.refused("ahead", 65, r"n1-1.jsonl began \d.* after this run ended\n")

    def test_journals_of_another_node(self):
        self.refused("one_node", 74, r"n2-1.jsonl tells of node 1, and is the journal of node 2")

    def test_silence_and_what_faults_do_not_reach(self):
        for name, words in (("silent", "n2 wrote no journal in its life 1"),
                            ("escaped", r"jsonl:\d+ was written while its process was paused")):
            code, out, err = end(self.runs[name])
            self.assertEqual(code, 2, out + err)
            self.assertRegex(out, "lacking .*" + words)


class Ending(unittest.TestCase):
    def test_ends_everything_if_it_is_killed(self):
        script = f"sleep 1000 & python3 {HERE / 'lease.py'} {{node}} {{store}} {{journal}}"
        killed = begin("killed", "--", "sh", "-c", script)
        self.addCleanup(killed.communicate)
        self.addCleanup(killed.kill)

        def sleeping():
            found = []
            for each in pathlib.Path("/proc").iterdir():
                with contextlib.suppress(OSError):
                    mine = each.name.isdigit() and os.readlink(each / "cwd") == str(FOLDER / "killed")
                    if mine and (each / "cmdline").read_bytes() == b"sleep\x001000\x00":
                        found.append(int(each.name))
            return found

        self.assertTrue(wait_until(lambda: len(sleeping()) == 2))
        killed.kill()
        killed.wait()
        self.assertTrue(wait_until(lambda: not sleeping() and not processes_of("killed")))


class Running(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.ours = begin("ours", "--keep", "kept", "--report", "page.html")
        cls.python = begin("python", *LEASE)
        cls.interrupted = begin("interrupted")
        cls.paused = begin("paused", "--store", "postgres")
        cls.compared = begin("compared", "--runs", "2", "--compare-with-simulation", "--keep", "kept",
                             "--report", "page.html", *SHORT)
        cls.ahead = begin("ahead", "--set", "sim.duration=4s", "--set",
                          'fault=[{at="2s", action="clock-step", target="standby", by="1h"}]', *LEASE)
        cls.in_json = begin("in_json", "--compare-with-simulation", "--format", "json", *SHORT)

    @classmethod
    def tearDownClass(cls):
        for process in (cls.ours, cls.python, cls.interrupted, cls.paused, cls.compared, cls.in_json, cls.ahead):
            if process.poll() is None:
                process.kill()
            process.communicate()

    def test_0_ends_a_server_of_its_own_and_a_pause_on_ctrl_c(self):
        def frozen():
            return any((stat(each) or "?")[0] == "T" for each in descendants(self.paused.pid))

        self.assertTrue(wait_until(frozen))
        started = descendants(self.paused.pid)
        self.assertGreater(len(started), 4)  # the server's processes, and two instances
        self.paused.send_signal(signal.SIGINT)
        code, out, err = end(self.paused)
        self.assertEqual(code, 130, out + err)
        self.assertIn("INCONCLUSIVE leases", out)
        self.assertEqual(out.count("has stopped"), 2, out)
        self.assertTrue(wait_until(lambda: not any(stat(each) for each in started), 5))

    def test_1_judges_what_there_is_after_ctrl_c(self):
        self.assertTrue(wait_until(lambda: len(processes_of("interrupted")) >= 2))
        time.sleep(1)
        self.interrupted.send_signal(signal.SIGINT)
        code, out, err = end(self.interrupted)
        self.assertEqual(code, 130, out + err)
        self.assertIn("INCONCLUSIVE leases", out)
        self.assertEqual(processes_of("interrupted"), [])

    def test_2_a_program_in_another_language(self):
        code, out, err = end(self.python)
        self.assertEqual((code, err), (0, ""), out)
        self.assertRegex(out, r"PASS leases +live on SQLite +2 instances +2 faults")
        self.assertRegex(out, r"fault 1: pause n\d for 3s")
        self.assertRegex(out, r"(?s)failover ([1-9])x.* failovers \1, leaderless \d\.")
        self.assertEqual(list((FOLDER / "python").iterdir()), [])

    def test_3_instances_of_ours(self):
        code, out, err = end(self.ours)
        self.assertEqual((code, err), (0, ""), out)
        self.assertRegex(out, r"fault 2: kill n\d for 1s")
        kept = FOLDER / "ours" / "kept"
        self.assertTrue(list(kept.glob("n1-*.jsonl")) and list(kept.glob("n2-*.jsonl")))
        self.assertIn("pause n", (FOLDER / "ours" / "page.html").read_text())
        journals = sorted(str(path) for path in kept.glob("*.jsonl"))
        audited = subprocess.run([TENURE, "audit", *journals], capture_output=True, text=True)
        self.assertEqual(audited.returncode, 0, audited.stdout + audited.stderr)


    def test_4_several_runs_beside_simulated_ones(self):
        code, out, err = end(self.compared)
        self.assertEqual((code, err), (0, ""), out)
        self.assertEqual(out.count("PASS leases"), 2)
        self.assertIn("compared  2 runs live, 1,000 simulated", out)
        self.assertRegex(out, r"failover +live +[2-4] +[0-9.]+s .*\n +simulated +[1-9],[0-9]{3} ")
        self.assertRegex(out, r"store requests +live +2 ")
        kept = FOLDER / "compared" / "kept"
        self.assertTrue(list((kept / "1").glob("n1-*.jsonl")) and list((kept / "2").glob("n1-*.jsonl")))
        page = (FOLDER / "compared" / "page.html").read_text()
        self.assertRegex(page, "<h1>Live and simulated runs differ b")  # by no more than chance, or beyond it
        self.assertRegex(page, r"failover: [2-4] live, [1-9][0-9]{3} simulated")
        self.assertIn("the last live run", page)

    def test_6_the_clock_of_a_program_that_is_not_ours(self):
        """lease.py judges leases by its wall clock: an hour ahead, it takes one that another holds."""
        code, out, err = end(self.ahead)
        self.assertEqual((code, err), (1, ""), out)
        self.assertRegex(out, r"fault 1: clock-step n\d by=3600s")
        self.assertRegex(out, r"FAIL leases")

    def test_5_all_of_it_as_json(self):
        code, out, err = end(self.in_json)
        self.assertEqual((code, err), (0, ""), out)
        run, comparison = [json.loads(line) for line in out.splitlines()]
        self.assertEqual((run["kind"], run["scenario"], run["verdict"]), ("live", "leases", "pass"))
        self.assertEqual([fault["action"] for fault in run["faults"]], ["kill", "kill"])
        self.assertEqual(len(run["metrics"]["failover_seconds"]), run["metrics"]["failovers"])
        failover = comparison["measures"][0]
        self.assertEqual((comparison["kind"], failover["name"]), ("comparison", "failover"))
        self.assertEqual(failover["live"]["n"], run["metrics"]["failovers"])
        self.assertGreaterEqual(failover["simulated"]["n"], 1000)
        self.assertEqual((comparison["live_runs"], comparison["simulated_runs"]), (1, 1000))


class Longer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        page = ["--report", "page.html"]
        cls.runs = {store: begin(f"zombie-{store}", "--store", store, *page, scenario="zombie.toml")
                    for store in ("sqlite", "postgres")}
        cls.network = begin("network", "--store", "postgres", scenario="network.toml")

    def test_1_shows_how_the_late_write_of_a_paused_leader_is_refused(self):
        for store, run in self.runs.items():
            with self.subTest(store=store):
                code, out, err = end(run)
                self.assertEqual((code, err), (0, ""), out)
                self.assertRegex(out, r"PASS zombie ")
                self.assertRegex(out, r"n\d +the store refuses a commit of fires: other holder")
                page = (FOLDER / f"zombie-{store}" / "page.html").read_text()
                self.assertIn("the store refuses a commit of fires", page)

    def test_2_breaks_the_network_before_a_server_of_its_own(self):
        code, out, err = end(self.network)
        self.assertEqual((code, err), (0, ""), out)
        self.assertRegex(out, r"PASS network +live on Postgres +3 instances +5 faults")


class Soaking(unittest.TestCase):
    def test_loses_doubles_and_hurries_nothing_for_two_minutes(self):
        stores = {store: begin(f"soak-{store}", "--store", store, "--soak", "2m", scenario="soak.toml")
                  for store in ("sqlite", "postgres")}
        for store, run in stores.items():
            with self.subTest(store=store):
                out, err = run.communicate(timeout=300)
                self.assertEqual(run.returncode, 0, out + err)
                self.assertRegex(out, r"soak +seeds 1 to [1-9]: [1-9] runs, 0 not passed; .*: 0 lost, 0 doubled, 0 early")
                self.assertRegex(out, r" [1-9]\d* restarts .* [1-9]\d* edits, [1-9]\d* fires")


if __name__ == "__main__":
    atexit.register(shutil.rmtree, FOLDER, True)
    unittest.main()
