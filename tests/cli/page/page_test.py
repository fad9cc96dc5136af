#!/usr/bin/python3
"""The pages of `--report`, as a real browser shows them: Chromium without a screen.

usage: page_test.py TENURE SOURCES [CLASS[.test]…]
"""
import json
import shlex
import subprocess
import sys
import unittest

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from in_a_browser import NASTY, NASTY_NAME, SOURCES, TENURE, InABrowser

TUNED = """
format = 1
name = "tuned"
[sim]
seed = 42
duration = "3m"
tail = "2m"
[cluster]
instances = 3
protocol = "client-go"
[[fault]]
every = "60s"
action = "pause"
target = "leader"
duration = "30s"
[expect]
always = ["one-believer"]
[tune]
seeds = 4
objectives = ["failover_seconds.p50", "store_requests_per_second"]
constraints = ["one-believer"]
[tune.election]
lease_duration = ["15s", "30s", "60s"]
[tune.frontier]
against = "fault.1.duration"
range = "0s..60s"
resolution = "15s"
checkers = ["one-believer"]
seeds = 3
"""


class OneRun(InABrowser):
    """One run with two leaders, and one that passes."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.failing = cls.report(cls.scenario, cls.folder / "fail.html")
        cls.passing = cls.report(SOURCES / "scenarios/zombie-leader.toml", cls.folder / "pass.html")

    @classmethod
    def report(cls, scenario, page, *more):
        page, printed = cls.make(page, "run", scenario, "--format", "json", *more)
        return page, json.loads(printed)

    def open(self, made, link=""):
        super().open(made[0] if isinstance(made, tuple) else made, link)

    def test_says_nothing_in_the_console_and_asks_for_nothing(self):
        for made in (self.failing, self.passing):
            self.assert_asks_for_nothing(made[0])

    def test_has_the_verdict_and_the_numbers_of_the_json(self):
        for made in (self.failing, self.passing):
            self.open(made)
            told = made[1]
            self.assertIn(told["verdict"].upper(), self.text("verdict"))
            self.assertEqual(self.text("reproduce"), told["reproduce"])
            self.assertEqual(self.data()["run"]["trace_hash"], told["trace_hash"])
            overlap = told["metrics"]["believer_overlap_seconds"]
            self.assertEqual(self.text("believing") == "0s", overlap == 0)
        self.assertEqual(self.failing[1]["verdict"], "fail")

    def test_has_the_same_faults_and_overlaps_as_the_json(self):
        self.open(self.failing)
        recording = self.data()["recording"]
        struck = [fault for fault in self.failing[1]["faults"] if "at_seconds" in fault]
        self.assertEqual(len(recording["faults"]["rows"]), len(struck))
        columns = recording["overlaps"]["columns"]
        overlaps = [dict(zip(columns, row)) for row in recording["overlaps"]["rows"]]
        length = sum(one["to"] - one["from"] for one in overlaps)
        self.assertAlmostEqual(length, self.failing[1]["metrics"]["believer_overlap_seconds"], places=6)

    def test_has_a_lane_for_each_node_that_is_drawn(self):
        self.open(self.failing)
        self.assertEqual(self.data()["recording"]["nodes"], ["n1", "n2", "n3"])
        inked = """(() => { const c = document.getElementById("timeline");
          const p = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
          let n = 0; for (let i = 3; i < p.length; i += 4) if (p[i] > 0) ++n; return n; })()"""
        self.assertGreater(self.js(inked), 1000)

    def test_begins_at_the_first_violation(self):
        self.open(self.failing)
        violations = self.data()["recording"]["violations"]
        demanded = [dict(zip(violations["columns"], row)) for row in violations["rows"]]
        first = min(one["to"] for one in demanded if one["demanded"])
        self.assertAlmostEqual(self.window()[0], first, places=3)
        self.assertTrue(self.text("state").startswith("At "))

    def test_zooms_by_button_key_and_wheel(self):
        self.open(self.passing)
        before = self.window()[1]
        self.press("zoom-in")
        self.assertAlmostEqual(self.window()[1], before / 2, places=6)
        self.keys("-")
        self.assertAlmostEqual(self.window()[1], before, places=6)
        timeline = self.browser.find_element(By.ID, "timeline")
        self.js("document.getElementById('timeline').dispatchEvent(new WheelEvent('wheel', "
                "{deltaY: -300, clientX: 500, clientY: 400, cancelable: true}))")
        self.settle()
        self.assertLess(self.window()[1], before)
        self.keys("0")
        self.assertAlmostEqual(self.window()[1], self.data()["recording"]["end"], places=6)
        self.assertTrue(timeline.is_displayed())

    def test_shows_the_state_at_the_cursor_and_measures(self):
        self.open(self.passing)
        timeline = self.browser.find_element(By.ID, "timeline")
        ActionChains(self.browser).move_to_element(timeline).click().perform()
        self.settle()
        self.assertIn("lease", self.text("state"))
        for node in ("n1", "n2", "n3"):
            self.assertIn(node, self.text("state"))
        ActionChains(self.browser).key_down(Keys.SHIFT).move_to_element_with_offset(timeline, 80, 0).click().key_up(
            Keys.SHIFT).perform()
        self.settle()
        self.assertIn("from the other cursor", self.text("state"))

    def test_searches_and_filters_the_story(self):
        self.open(self.passing)
        lines = lambda: self.browser.find_elements(By.CSS_SELECTOR, "#story li")
        everything = len(lines())
        Select(self.browser.find_element(By.ID, "kind")).select_by_visible_text("fault")
        self.settle()
        self.assertLess(len(lines()), everything)
        self.assertTrue(all("fault" in one.get_attribute("class")
                            for one in self.browser.find_elements(By.CSS_SELECTOR, "#story button")))
        Select(self.browser.find_element(By.ID, "kind")).select_by_visible_text("every kind")
        Select(self.browser.find_element(By.ID, "node")).select_by_visible_text("n3")
        self.settle()
        self.assertEqual({one.text for one in self.browser.find_elements(By.CSS_SELECTOR, "#story b")} - {""}, {"n3"})
        self.keys(Keys.ESCAPE)  # leaves the list of nodes
        self.keys("/")
        self.keys("leads")
        self.assertEqual(len(lines()), 1)

    def test_goes_where_a_line_of_the_story_points(self):
        self.open(self.passing)
        Select(self.browser.find_element(By.ID, "kind")).select_by_visible_text("fault")
        self.settle()
        self.browser.find_element(By.CSS_SELECTOR, "#story button").click()
        self.settle()
        self.assertAlmostEqual(self.window()[0], 60, places=2)
        self.assertTrue(self.text("state").startswith("At 1m00.000s"), self.text("state"))

    def test_steps_through_violations(self):
        self.open(self.failing)
        first = self.window()[0]
        self.keys(Keys.ESCAPE)
        self.press("next")
        self.assertAlmostEqual(self.window()[0], first, places=3)

    def test_opens_where_a_copied_link_points(self):
        self.open(self.passing, "#t=76.4s&for=10s&node=n1")
        at, length = self.window()
        self.assertAlmostEqual(at, 76.4, places=3)
        self.assertAlmostEqual(length, 10, places=3)
        self.assertEqual(Select(self.browser.find_element(By.ID, "node")).first_selected_option.text, "n1")

    def test_shows_markup_as_text(self):
        self.open(self.failing)
        self.assertEqual(self.browser.title, "two-leaders, seed 7 - tenure")
        self.assertEqual(self.js("document.images.length"), 0)
        self.assertIn(NASTY, self.js("document.getElementById('settings').textContent"))
        self.assertIn(NASTY_NAME.removesuffix(".toml"), self.text("reproduce"))

    def test_shows_markup_in_the_words_of_a_design_as_text(self):
        """A design may say anything; here it is put into the data, as the program would."""
        words = NASTY.replace("<", r"\u003c").replace(">", r"\u003e")
        page = self.folder / "words.html"
        page.write_text(self.passing[0].read_text().replace("is given the lease by the store", words))
        self.open((page, None))
        self.assertIn(NASTY, self.js("document.getElementById('story').textContent"))
        self.assertEqual(self.js("document.images.length"), 0)

    def test_has_a_table_for_what_is_drawn(self):
        self.open(self.failing)
        captions = self.js("[...document.querySelectorAll('caption')].map((one) => one.textContent)")
        for caption in ("Checks", "Violations", "Two who believed", "Who led", "Faults", "Measured"):
            self.assertIn(caption, captions)

    def test_says_what_was_demanded_of_a_distribution(self):
        page, printed = self.report(SOURCES / "scenarios/leader-crash.toml", self.folder / "crash.html")
        self.open(page)
        demanded = [check["detail"] for check in printed["checks"] if check["name"] == "failover_seconds"]
        self.assertGreater(len(demanded), 0)
        self.browser.find_element(By.CSS_SELECTOR, "#numbers summary").click()
        self.assertIn(demanded[0], self.text("tables"))

    def test_of_a_long_run_is_small_and_says_where_requests_are_left_out(self):
        """Takes the command from the page, runs it, and looks whether they are there."""
        scenario = SOURCES / "scenarios/leader-crash.toml"
        day = self.report(scenario, self.folder / "day.html", "--set", "sim.duration=24h")
        self.assertLess(day[0].stat().st_size, 5_000_000)
        self.open(day, "#t=36000s&for=20s")
        note = self.text("requests-note")
        self.assertIn("Not every request in this window", note)
        command = shlex.split(note[note.index("tenure run"):])
        self.assertEqual(command[0], "tenure")
        full = self.folder / "full.html"
        subprocess.run([TENURE] + [str(full) if one == "FILE" else one for one in command[1:]],
                       stdout=subprocess.DEVNULL, check=True)
        self.open((full, None), "#t=36000s&for=20s")
        self.assertNotIn("Not every request", self.text("requests-note"))

    def test_is_the_same_for_the_same_run(self):
        again = self.folder / "again.html"
        self.report(SOURCES / "scenarios/zombie-leader.toml", again)
        self.assertEqual(again.read_bytes(), self.passing[0].read_bytes())

    def test_is_small_enough_to_mail(self):
        self.assertLess(self.passing[0].stat().st_size, 1_500_000)


class ManyRuns(InABrowser):
    """What was found is a page of tables and pictures; each case that is worth it has its timeline in the same file."""

    def links(self):
        self.unfold()
        return self.browser.find_elements(By.CSS_SELECTOR, "#cases td a")

    def follow(self, link):
        link.click()
        self.settle()

    def assert_leads_to_timelines(self, page, verdict=None):
        """Every link of a table leads to the run that its row is about, and back."""
        self.assert_asks_for_nothing(page)
        self.assertFalse(self.browser.find_element(By.ID, "run").is_displayed())
        titles = [link.text for link in self.links()]
        self.assertGreater(len(titles), 0)
        for place in sorted({titles.index(title) for title in titles}):
            self.follow(self.links()[place])
            self.assertIn(titles[place], self.text("what") + self.text("reproduce"))
            if verdict is not None:
                self.assertIn(verdict, self.text("verdict"))
            self.assertFalse(self.browser.find_element(By.ID, "cases").is_displayed())
            self.assertGreater(self.js("document.getElementById('story').children.length"), 0)
            self.browser.find_element(By.CSS_SELECTOR, "#back a").click()
            self.settle()
            self.assertTrue(self.browser.find_element(By.ID, "cases").is_displayed())
        self.assertEqual(self.browser.get_log("browser"), [])

    def test_seeds_lead_to_those_that_fail_and_those_that_are_worst(self):
        page, printed = self.make(self.folder / "seeds.html", "run", self.scenario, "--seeds", "1..6",
                                  "--format", "json")
        summary = json.loads(printed.splitlines()[-1])
        self.assert_leads_to_timelines(page)
        said = self.text("cases")
        self.assertIn(f"{summary['verdicts']['fail']} of {summary['runs']} runs fail", said)
        for failure in summary["failures"]:
            self.assertIn(failure["checks"], said)
        drawn = {json.loads(self.js(f"document.getElementById('case-{i + 1}').textContent"))["run"]["seed"]
                 for i in range(self.js("document.querySelectorAll('script[id^=case-]').length"))}
        self.assertTrue({failure["seed"] for failure in summary["failures"]} <= drawn)
        self.assertGreater(self.js("document.querySelectorAll('#cases svg').length"), 0)
        self.assertEqual(self.js("document.images.length"), 0)

    def test_a_link_into_a_timeline_opens_there(self):
        page, _ = self.make(self.folder / "linked.html", "run", self.scenario, "--seeds", "1..3")
        self.open(page, "#case=2&t=33s&for=10s")
        self.press("copy-link")
        self.assertIn("#case=2&t=33s&for=10s", self.browser.current_url)
        self.assertEqual(self.data("case-2")["run"]["reproduce"], self.text("reproduce"))

    def test_a_hunt_and_a_replay_lead_to_what_they_found(self):
        arguments = ["hunt", self.scenario, "--seeds", "20", "--shrink-for", "1s", "--out", self.folder / "kept"]
        page, _ = self.make(self.folder / "hunt.html", *arguments)
        self.assert_leads_to_timelines(page, "FAIL")
        kept = list((self.folder / "kept").glob("*.toml"))
        self.assertEqual(len(kept), 1)
        one, _ = self.make(self.folder / "replay.html", "replay", kept[0])
        self.assert_asks_for_nothing(one)
        self.assertIn("FAIL", self.text("verdict"))

    def test_a_tuning_leads_to_what_breaks(self):
        tuned = self.folder / "tuned.toml"
        tuned.write_text(TUNED)
        page, _ = self.make(self.folder / "tune.html", "tune", tuned, "--no-save", "--no-shrink",
                            "--out", self.folder / "counterexamples")
        self.assert_leads_to_timelines(page)
        self.assertGreater(self.js("document.querySelectorAll('#cases svg').length"), 0)

    def test_a_comparison_leads_to_the_worst_run_of_each_cell(self):
        page, _ = self.make(self.folder / "compare.html", "compare", "heartbeat-lock", "fenced-lease", "--seeds", "3")
        self.assert_leads_to_timelines(page)
        self.assertIn("heartbeat-lock", self.text("cases"))

    def test_files_that_stand_alone_are_a_table_of_runs(self):
        page, _ = self.make(self.folder / "files.html", "run", self.scenario,
                            SOURCES / "scenarios/zombie-leader.toml")
        self.assert_leads_to_timelines(page)
        self.assertIn("1 fail, 1 pass", self.text("cases"))


class AnAudit(InABrowser):
    """The page of three real journals: what they know, and what they do not."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.journals = sorted((SOURCES / "docs/examples/journals").glob("*.jsonl"))
        cls.page, printed = cls.make(cls.folder / "audit.html", "audit", *cls.journals, "--format", "json")
        cls.told = json.loads(printed)
        cls.lines = [json.loads(line) for path in cls.journals for line in path.read_text().splitlines()]

    def test_says_nothing_in_the_console_and_asks_for_nothing(self):
        self.assert_asks_for_nothing(self.page)

    def test_has_the_verdict_and_the_lives_of_the_json(self):
        self.open(self.page)
        self.assertIn(self.told["verdict"].upper(), self.text("verdict"))
        self.assertEqual(self.data()["recording"]["nodes"], ["n1", "n2", "n3"])
        self.assertEqual(len(self.data()["recording"]["lives"]["rows"]), len(self.told["lives"]))
        self.assertIn(str(self.journals[0].name), self.text("reproduce"))

    def test_ends_the_belief_of_the_killed_one_where_its_last_line_says(self):
        """Reckoned here from the journal itself."""
        zero = min(line["at"] for line in self.lines)
        last = [line for line in self.lines if line["node"] == 3 and line["event"] == "believes"][-1]
        until = last["until_mono"] - last["mono"] + last["at"] - zero
        self.open(self.page)
        beliefs = self.data()["recording"]["beliefs"]
        rows = [dict(zip(beliefs["columns"], row)) for row in beliefs["rows"]]
        killed = [row for row in rows if row["node"] == 2]
        self.assertEqual(len(killed), 1)
        self.assertAlmostEqual(killed[0]["to"], until / 1e9, places=3)
        self.assertEqual(killed[0]["ended"], "its time ran out")

    def test_says_what_is_not_known(self):
        self.open(self.page)
        self.assertEqual(self.text("acting"), "not known")
        for words in ("by the store's clock", "do not tell of pauses", "When a request reached the store is not known"):
            self.assertIn(words, self.text("unknown"))
        silences = self.data()["audit"]["silences"]
        self.assertEqual([silence["node"] for silence in silences], [2])
        self.open(self.page, "#t=3s&for=2s")
        self.press("zoom-all")
        self.assertFalse(self.js("document.querySelector('.legend .paused').offsetParent !== null"))
        self.assertIn("paused", self.js("document.querySelector('.legend').textContent"))

    def test_shows_the_state_of_a_silent_life_as_not_known(self):
        self.open(self.page, "#t=3s&for=4s")
        self.assertIn("not known: nothing is written", self.text("state"))

    def test_of_a_broken_journal_begins_with_what_is_broken(self):
        """A belief that ends 5 s later than it did."""
        broken = self.folder / "broken"
        broken.mkdir()
        for path in self.journals:
            lines = []
            for line in path.read_text().splitlines():
                told = json.loads(line)
                if "until_mono" in told:
                    told["until_mono"] += 5_000_000_000
                lines.append(json.dumps(told, separators=(",", ":"), ensure_ascii=False))
            (broken / path.name).write_text("\n".join(lines) + "\n")
        files = sorted(broken.glob("*.jsonl"))
        subprocess.run([sys.executable, SOURCES / "tests/adapters/runtime/rechain.py", *files], check=True)
        page, _ = self.make(self.folder / "broken.html", "audit", *files)
        self.assert_asks_for_nothing(page)
        self.assertIn("FAIL", self.text("verdict"))
        self.assertIn("one-believer", self.text("sentence"))
        self.assertNotEqual(self.text("believing"), "0s")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
