#!/usr/bin/python3
"""What the pages of `--report` show of the world around the nodes, of numbers, and on other media than a bright screen.

usage: states_test.py TENURE SOURCES [CLASS[.test]…]
"""
import base64
import json
import re
import subprocess
import sys
import unittest

from selenium.webdriver.common.by import By

from in_a_browser import SOURCES, TENURE, InABrowser

TROUBLED = """
format = 1
name = "troubled"
[sim]
seed = 1
duration = "3m"
tail = "2m"
[cluster]
instances = 3
protocol = "fenced-lease"
scheduler = "fenced-outbox"
[work]
warmup = "4s"
startup = "5s"
[[schedule]]
name = "job"
every = "2s"
[[fault]]
at = "20s"
action = "partition"
target = "n2"
peers = "store"
direction = "from"
duration = "8s"
[[fault]]
at = "50s"
action = "store-hang"
duration = "4s"
[[fault]]
at = "70s"
action = "kill"
target = "leader"
duration = "10s"
[[fault]]
at = "2m"
action = "clock-step"
target = "n3"
by = "-7s"
"""


class Recorded(InABrowser):
    """A page, and its tables as lists of objects."""

    def tables(self, block="data"):
        recording = self.data(block)["recording"]
        return {name: [dict(zip(table["columns"], row)) for row in table["rows"]]
                for name, table in recording.items() if isinstance(table, dict)}

    def state(self):
        """What is said of the moment at the cursor, by name."""
        cells = self.browser.find_elements(By.CSS_SELECTOR, "#state dt, #state dd")
        return {cells[i].text: cells[i + 1].text for i in range(0, len(cells), 2)}

    def legend(self):
        return [entry.text for entry in self.browser.find_elements(By.CSS_SELECTOR, ".legend li") if entry.is_displayed()]

    def lines_of_table(self, caption):
        return self.js("[...[...document.querySelectorAll('table')].find((one) => one.caption.textContent === "
                       f"{json.dumps(caption)}).rows].map((row) => [...row.cells].map((cell) => cell.textContent))")


class TheWorldAround(Recorded):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        scenario = cls.folder / "troubled.toml"
        scenario.write_text(TROUBLED)
        cls.page, _ = cls.make(cls.folder / "troubled.html", "run", scenario)

    def at(self, seconds):
        self.open(self.page, f"#t={seconds}s&for=10s")
        return self.state()

    def test_is_in_the_state_at_the_cursor(self):
        self.assertIn("sends nothing to store", self.at(22)["n2"])
        self.assertNotIn("store", self.at(30)["n2"])
        self.assertIn("hangs", self.at(52)["store"])
        self.assertIn("up", self.at(56)["store"])
        self.assertIn("wall clock 7s behind", self.at(125)["n3"])

    def test_has_the_leader_that_warms_up_and_the_process_that_starts(self):
        self.open(self.page)
        tables = self.tables()
        began = tables["beliefs"][0]
        name = f"n{began['node'] + 1}"
        self.assertIn("warms up", self.at(began["from"] + 1)[name])
        self.assertNotIn("warms up", self.at(began["from"] + 5)[name])
        starts = tables["startups"][0]
        self.assertAlmostEqual(starts["from"], 80, places=6)
        self.assertEqual(self.at(75)[f"n{starts['node'] + 1}"], "down")
        self.assertEqual(self.at(82)[f"n{starts['node'] + 1}"], "starts up")

    def test_says_how_much_of_a_belief_is_left(self):
        self.open(self.page)
        ended = next(row for row in self.tables()["beliefs"] if row["to"] is not None)
        self.assertIn("(3s left)", self.at(ended["to"] - 3)[f"n{ended['node'] + 1}"])

    def test_explains_what_is_drawn_and_nothing_else(self):
        self.open(self.page)
        legend = " / ".join(self.legend())
        for words in ("warms up", "starts up", "cut off", "does not answer", "was late"):
            self.assertIn(words, legend)
        for words in ("two at once", "slow", "refused", "dotted", "only counted"):
            self.assertNotIn(words, legend)

    def test_has_tables_of_it(self):
        self.open(self.page)
        self.assertEqual(self.lines_of_table("Stores: what was the matter")[1:], [["store", "50.000s", "4s", "hangs"]])
        self.assertEqual(self.lines_of_table("Links: what was the matter")[1:], [["n2", "store", "20.000s", "8s", "cut"]])
        late = self.tables()["late"]
        self.assertGreater(len(late), 0)
        self.assertEqual(len(self.lines_of_table("Late")) - 1, len(late))

    def test_has_a_lane_for_each_of_several_stores(self):
        scenario = SOURCES / "scenarios/designs/redlock/redlock-clock-step.toml"
        page, _ = self.make(self.folder / "redlock.html", "run", scenario)
        self.assert_asks_for_nothing(page)
        self.open(page, "#t=33s&for=10s")
        state = self.state()
        for store in range(5):
            self.assertIn(f"store {store}", state)
        taken = [store for store in range(5) if "given to n3" in state[f"store {store}"]]
        self.assertTrue({0, 2, 3} <= set(taken), state)  # whose clocks have jumped
        jumps = [row["store"] for row in self.tables()["troubles"] if "jumps by 10s" in row["text"]]
        self.assertEqual(sorted(jumps), [0, 2, 3])


class Numbers(Recorded):
    def test_have_the_distributions_of_the_run_with_their_thresholds(self):
        page, printed = self.make(self.folder / "crash.html", "run", SOURCES / "scenarios/leader-crash.toml",
                                  "--format", "json")
        told = json.loads(printed)
        self.open(page)
        self.press_summary()
        drawn = self.browser.find_elements(By.CSS_SELECTOR, ".plots svg")
        self.assertEqual(len(drawn), 3)  # and the causes
        for plot, metric in zip(drawn, ("failover_seconds", "fire_lateness_seconds")):
            self.assertIn(f"{told['metrics'][metric]['count']} samples", plot.text)
            self.assertIn("median", plot.text)
        for threshold in ("min > 9.9", "max < 16"):
            self.assertIn(threshold, drawn[0].text)
        causes = told["metrics"]["leaderless_by_cause"]
        for cause in causes:
            self.assertIn(cause, drawn[-1].text)

    def press_summary(self):
        self.browser.find_element(By.CSS_SELECTOR, "#numbers summary").click()
        self.settle()

    def test_give_the_price_of_the_fix_and_it_is_one(self):
        scenario = SOURCES / "docs/examples/controller.toml"
        page, _ = self.make(self.folder / "price.html", "run", scenario)
        self.open(page)
        self.assertIn("assumption broken", self.text("chips"))
        self.assertIn("no-pause", self.text("chips"))
        price = re.search(r"a (lease_duration) of (\d+s) instead of 15s outlasts it; a failover then takes ([0-9.]+)s in "
                          r"the mean instead of ([0-9.]+)s", self.text("chips"))
        self.assertIsNotNone(price, self.text("chips"))
        fixed = subprocess.run([TENURE, "run", str(scenario), "--seeds", "1..20",
                                "--set", f"election.lease_duration={price.group(2)}"], stdout=subprocess.DEVNULL, check=False)
        self.assertEqual(fixed.returncode, 0)
        self.assertGreater(float(price.group(3)), float(price.group(4)))

    def test_give_no_price_of_what_did_not_happen(self):
        page, _ = self.make(self.folder / "no-price.html", "run", SOURCES / "scenarios/zombie-leader.toml")
        self.open(page)
        self.assertNotIn("price", self.text("chips"))

    def test_sum_up_the_requests_that_a_long_run_does_not_record(self):
        page, printed = self.make(self.folder / "day.html", "run", SOURCES / "scenarios/leader-crash.toml",
                                  "--set", "sim.duration=24h", "--format", "json")
        self.open(page, "#t=36000s&for=60s")
        self.assertRegex(self.state().get("requests", ""), r"n\d+ \d+ from .* to .*, answered after .* to ")
        tables = self.tables()
        everything = len(tables["requests"]) + sum(row["count"] for row in tables["buckets"])
        executed = json.loads(printed)["metrics"]["store_requests"]
        self.assertGreaterEqual(everything, executed)
        self.assertLess(everything, executed * 1.1)


class OtherMedia(Recorded):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.page, _ = cls.make(cls.folder / "fail.html", "run", cls.scenario)

    def tearDown(self):
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})

    def colours(self, scheme):
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                     {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.settle()
        paper = self.js("getComputedStyle(document.body).backgroundColor")
        picture = self.js("document.getElementById('timeline').toDataURL()")
        return paper, picture

    def test_are_bright_and_dark(self):
        self.open(self.page)
        (bright, bright_picture), (dark, dark_picture) = self.colours("light"), self.colours("dark")
        self.assertNotEqual(bright, dark)
        self.assertNotEqual(bright_picture, dark_picture)
        self.assertEqual(self.browser.get_log("browser"), [])

    def test_are_two_sheets_of_paper(self):
        for name in ("scenarios/failover/kubernetes-controller.toml", "docs/examples/controller.toml"):
            page, _ = self.make(self.folder / "printed.html", "run", SOURCES / name)
            self.open(page)
            printed = base64.b64decode(self.browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"])
            self.assertLessEqual(len(re.findall(rb"/Type\s*/Page\b", printed)), 2, name)

    def test_are_tables_for_those_who_do_not_see_the_pictures(self):
        self.open(self.page)
        for name in ("overview", "timeline"):
            picture = self.browser.find_element(By.ID, name)
            self.assertEqual(picture.get_attribute("role"), "img")
            self.assertIn("tables below", picture.get_attribute("aria-label"))
        recording = self.tables()
        self.assertEqual(len(self.lines_of_table("Who led")) - 1, len(recording["beliefs"]))
        self.assertEqual(len(self.lines_of_table("Faults")) - 1, len(recording["faults"]))

    def test_are_pictures_that_are_copied(self):
        self.open(self.page)
        self.browser.execute_cdp_cmd("Browser.grantPermissions",
                                     {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
        self.browser.find_element(By.ID, "copy-picture").click()
        said = self.browser.execute_async_script("""const [done] = arguments;
          const button = document.getElementById("copy-picture");
          const look = () => (button.textContent === "copy picture" ? setTimeout(look, 20) : done(button.textContent));
          look();""")
        self.assertEqual(said, "copied")


PASSES = """
format = 1
name = "crashes"
[sim]
seed = 1
duration = "5m"
tail = "2m"
[cluster]
instances = 3
protocol = "client-go"
[[fault]]
every = "60s"
action = "kill"
target = "leader"
duration = "20s"
[thresholds]
failover_seconds = ["p50 < 40"]
[tune]
seeds = 20
objectives = ["failover_seconds.p50", "store_requests_per_second"]
[tune.election]
lease_duration = ["15s", "30s", "60s"]
renew_deadline = ["5s", "10s", "20s"]
"""

# Elements with words of their own whose colour is too near the paper's, each as text and contrast.
FAINT = """return (() => {
  const parts = (colour) => colour.match(/[0-9.]+/g).map(Number);
  const light = (colour) => parts(colour).slice(0, 3).map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (one) => {
    for (; one !== null; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor;
      if (parts(colour)[3] !== 0) return light(colour);
    }
    return 1;
  };
  const faint = [];
  for (const one of document.querySelectorAll("body *")) {
    const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== "");
    if (!own || one.closest("script, style, option, title, desc") || one.closest(".outside")) continue;
    if (one.getClientRects().length === 0) continue;
    const style = getComputedStyle(one);
    const [a, b] = [light(one instanceof SVGElement ? style.fill : style.color), behind(one)];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) faint.push(`${one.textContent.slice(0, 40)}: ${contrast.toFixed(2)}`);
  }
  return faint;
})()"""

# Parts that reach beyond the window, and those that are there and show nothing.
WIDE = """return [...document.querySelectorAll("body *")].filter((one) => one.offsetParent !== null
  && !one.closest("pre") && one.getBoundingClientRect().right > innerWidth + 1)
  .map((one) => `${one.tagName} ${one.className}: ${one.textContent.slice(0, 40)}`)"""
BLANK = """return [...document.querySelectorAll("h1, h2, caption, summary, dt, dd, li, th, figure, svg, #cases p")]
  .filter((one) => one.getClientRects().length > 0 && one.textContent.trim() === "").map((one) => one.outerHTML)"""


class EveryPage(Recorded):
    """Pages of each command: what they say first, on a telephone and in the dark."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        passes = cls.folder / "crashes.toml"
        passes.write_text(PASSES)
        before = cls.folder / "before.json"
        before.write_text(subprocess.run([TENURE, "run", passes, "--seeds", "1..20", "--format", "json"],
                                         capture_output=True, text=True, check=True).stdout)
        commands = {
            "run": ["run", cls.scenario],
            "pass": ["run", passes],
            "batch": ["run", passes, "--seeds", "1..20"],
            "failing": ["run", cls.scenario, "--seeds", "1..20"],
            "trend": ["run", passes, "--seeds", "1..20", "--set", "election.lease_duration=40s", "--baseline", before],
            "hunt": ["hunt", cls.scenario, "--seeds", "20", "--keep-going", "--no-shrink", "--out", cls.folder / "kept"],
            "tune": ["tune", passes, "--no-save"],
            "compare": ["compare", "heartbeat-lock", "fenced-lease", "client-go", "--seeds", "2"],
        }
        cls.pages = {name: cls.make(cls.folder / f"{name}.html", *command)[0] for name, command in commands.items()}

    def tearDown(self):
        self.screen(0)

    def on_each(self, check):
        for name, page in self.pages.items():
            with self.subTest(page=name):
                self.open(page)
                self.unfold()
                check(name)

    def heading(self):
        return next(one.text for one in self.browser.find_elements(By.TAG_NAME, "h1") if one.is_displayed())

    def test_fits_a_telephone(self):
        def check(_):
            self.assertEqual(self.browser.execute_script(WIDE), [])
            self.assertEqual(self.js("document.documentElement.scrollWidth"), 390)
        self.screen(390)
        self.on_each(check)

    def test_is_readable_bright_and_dark(self):
        for scheme in ("light", "dark"):
            self.screen(1280, scheme)
            self.on_each(lambda _: self.assertEqual(self.browser.execute_script(FAINT), []))

    def test_has_nothing_blank(self):
        def check(_):
            self.assertEqual(self.browser.execute_script(BLANK), [])
            rows = self.js("[...document.querySelectorAll('#cases table')].map((one) => one.rows.length)")
            self.assertTrue(all(count > 1 for count in rows), rows)
        self.screen(1280)
        self.on_each(check)

    def test_says_first_what_was_found_and_what_was_run(self):
        found = {"run": "in effect were fault 1", "pass": "Passed: ",
                 "batch": "All 20 runs pass; a failover", "failing": "20 of 20 runs fail", "trend": "All 20 runs pass",
                 "hunt": "of 20 cases fail. First, with seed", "tune": "lease_duration 15s",
                 "compare": "Two leaders at once, at the longest: "}
        facts = {"run": [], "pass": [], "hunt": ["design", "drawn", "cases"], "compare": ["designs", "situations"]}

        def check(name):
            self.assertIn(found[name], self.heading())
            told = self.js("[...document.querySelectorAll('.ran dt')].map((one) => one.textContent)")
            for fact in facts.get(name, ["design", "replicas", "settings", "fault 1"]):
                self.assertIn(fact, told)
            commands = self.js("[...document.querySelectorAll('.reproduce code')].map((one) => one.textContent)")
            self.assertTrue(commands[0].startswith("tenure "), commands)
        self.on_each(check)

    def test_draws_distributions_with_their_median_and_thresholds_and_no_legend_of_one(self):
        self.open(self.pages["batch"])
        drawn = [one.text for one in self.browser.find_elements(By.CSS_SELECTOR, "#cases figure svg")]
        self.assertGreater(len(drawn), 1)
        self.assertIn("p50 < 40", drawn[0])
        for text in drawn:
            self.assertIn("median", text)
            self.assertNotIn("measured", text)

    def test_marks_the_setting_of_the_file_and_the_recommended_one(self):
        self.open(self.pages["tune"])
        drawn = self.browser.find_element(By.CSS_SELECTOR, "#cases figure svg").text
        self.assertRegex(drawn, r"the file: 15s, 10s|recommended, as the file: 15s, 10s")
        self.assertIn("recommended", drawn)

    def test_of_a_comparison_has_the_worst_situations_first_in_colour(self):
        self.open(self.pages["compare"])
        bad = self.js("[...[...document.querySelectorAll('table')].find((one) => one.caption?.textContent.startsWith("
                      "'Situations')).rows].slice(1).map((row) => row.querySelectorAll('.bad').length)")
        self.assertEqual(bad, sorted(bad, reverse=True))
        self.assertGreater(bad[-1] + self.js("document.querySelectorAll('.doubtful').length"), 0)
        self.assertIn("nothing went wrong", self.text("cases"))
        links = [one.text for one in self.browser.find_elements(By.CSS_SELECTOR, "#cases td a")]
        self.assertTrue({"heartbeat-lock", "client-go"} <= {link.split(" in ")[0] for link in links[:3]}, links)

    def test_of_a_hunt_folds_what_never_was(self):
        self.open(self.pages["hunt"])
        self.assertNotIn("never", [cell.text for cell in self.browser.find_elements(By.CSS_SELECTOR, "#cases td")])
        self.assertIn("Never: ", self.text("cases"))

    def test_of_a_pass_shows_the_whole_run_and_why_nobody_led(self):
        self.open(self.pages["pass"])
        self.press("copy-link")
        link = re.search(r"&for=([0-9.]+)s", self.browser.current_url)
        self.assertAlmostEqual(float(link.group(1)), self.data()["recording"]["end"], places=6)
        self.assertRegex(self.text("chips"), r"nobody led, by cause\s*crash [0-9ms.]+")
        for words in ("fault", "nobody leads", "request to the store"):
            self.assertIn(words, " / ".join(self.legend()))

    def test_shows_a_short_overlap_with_a_marker(self):
        """Two who believe for 40 ms, in a run of minutes."""
        page = self.pages["run"].read_text()
        block = re.search(r'(<script type="application/json" id="data">)(.*?)(</script>)', page, re.S)
        data = json.loads(block.group(2))
        overlaps = data["recording"]["overlaps"]
        place = {name: i for i, name in enumerate(overlaps["columns"])}
        first = overlaps["rows"][0]
        first[place["to"]] = first[place["from"]] + 0.04
        overlaps["rows"] = [first]
        short = self.folder / "short.html"
        short.write_text(page[:block.start(2)] + json.dumps(data).replace("<", r"\u003c") + page[block.end(2):])
        self.open(short)
        self.assertEqual(self.js("document.getElementById('timeline').dataset.markers"), "0")  # it is zoomed to
        self.press("zoom-all")
        self.assertEqual(self.js("document.getElementById('timeline').dataset.markers"), "1")
        self.assertIn("too short to be seen", " / ".join(self.legend()))

    def test_of_a_trend_says_what_is_worse(self):
        self.open(self.pages["trend"])
        rows = self.lines_of_table("Changes beyond noise")
        self.assertIn(["worse", "crashes", "failover_seconds p50"], [row[:3] for row in rows])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
