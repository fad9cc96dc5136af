#!/usr/bin/python3
"""The page `/` of `tenured`, as a real browser shows it: Chromium without a screen, on a server with the API of
docs/daemon.md.

usage: page_test.py SOURCES [CLASS[.test]…]
"""
import datetime
import pathlib
import sys
import time
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

SOURCES = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(SOURCES / "tests/cli/client"))
from fake_tenured import CSP, FakeTenured  # noqa: E402

NASTY = "<img src=x onerror=document.title='broken'>"


def in_seconds(seconds):
    at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    return at.strftime("%Y-%m-%dT%H:%M:%S.000000Z")


def event(schedule, key, seconds, **more):
    """That was committed so many seconds ago, as the API shows it."""
    return {"seq": 1, "key": key, "id": key, "schedule": schedule, "uid": 1, "version": 1, "run": "0",
            "slot": in_seconds(seconds), "fired": in_seconds(seconds), **more}


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        options = Options()
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                         "--window-size=1200,1000"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        cls.browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()

    def setUp(self):
        self.server = FakeTenured(page=SOURCES / "daemon/page")
        self.state = self.server.state
        self.state.put("tick", {"every": "1m30s"}, next=in_seconds(90))
        self.state.put("nightly-report", {"cron": "30 2 * * *", "timezone": "Europe/Berlin"}, next=in_seconds(36000))

    def tearDown(self):
        self.browser.get("about:blank")
        self.server.close()

    def open(self):
        self.browser.get_log("browser")
        self.browser.get(self.server.url + "/")
        self.until(lambda: "as of" in self.text("freshness") or self.shown("ask-token"))

    def until(self, holds, seconds=20):
        bound = time.monotonic() + seconds
        while not holds():
            self.assertLess(time.monotonic(), bound, "it does not come: " + self.browser.find_element(By.TAG_NAME, "body").text)
            time.sleep(0.05)

    def find(self, name):
        return self.browser.find_element(By.ID, name)

    def text(self, name):
        return self.find(name).text

    def shown(self, name):
        return self.find(name).is_displayed()

    def rows(self, name):
        # In one step: the page is read anew meanwhile.
        return self.js(f"return [...document.querySelectorAll('#{name} tbody tr')]"
                       ".map((row) => [...row.cells].map((cell) => cell.innerText))")

    def press(self, label):
        self.browser.find_element(By.CSS_SELECTOR, f"button[aria-label='{label}']").click()

    def keys(self, *keys):
        ActionChains(self.browser).send_keys(*keys).perform()

    def js(self, text):
        return self.browser.execute_script(text)

    def refresh(self):
        self.browser.execute_async_script("const done = arguments[0]; refresh().then(() => refresh()).then(done)")

    def posts(self):
        return [request for request in self.state.requests if request[0] == "POST"]


class Showing(Page):
    def test_who_leads_what_is_due_and_every_schedule(self):
        self.open()
        self.assertIn("node 7 (this instance), epoch 12", self.text("leader"))
        self.assertRegex(self.text("leader"), r"It believes for\n\d+ s")
        self.assertEqual([row[0] for row in self.rows("due")], ["tick"], "the other is due in ten hours")
        self.assertEqual([row[:3] for row in self.rows("schedules")],
                         [["nightly-report", "30 2 * * * Europe/Berlin", "active"], ["tick", "every 1m30s", "active"]])
        self.assertTrue(self.shown("calm"))
        self.assertFalse(self.shown("trouble"))
        self.assertTrue(self.shown("late-none") and self.shown("dead-none"))

    def test_times_are_those_of_the_reader_and_utc(self):
        self.state.put("tick", {"every": "1m"}, next="2999-01-01T20:30:00.000000Z")
        for zone, shown in (("Asia/Tokyo", r"^(?=.*2999)(?=.*5:30).*\(2999-01-01 20:30:00 UTC\)$"),
                            ("UTC", "^2999-01-01 20:30:00 UTC$")):
            self.browser.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": zone})
            self.open()
            self.assertRegex([row[3] for row in self.rows("schedules") if row[0] == "tick"][0], shown)
        self.browser.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": ""})

    def test_what_was_missed(self):
        missed = {"schedule": "tick", "uid": 1, "version": 1, "outcome": "missed", "at": in_seconds(-7)}
        self.state.fires = [{**missed, "seq": 9, "slots": 1, "from": in_seconds(-90), "to": in_seconds(-60)},
                            {**missed, "seq": 8, "slots": 30, "from": in_seconds(-9000), "to": in_seconds(-90)}]
        self.open()
        rows = self.rows("missed")
        self.assertEqual([row[0] for row in rows], ["tick", "tick"])
        self.assertNotIn("more", rows[0][1])
        self.assertIn("and 29 more, before", rows[1][1])
        self.assertTrue(all(row[2].startswith("too late when it was found, ") for row in rows))

    def test_what_is_due_now_stays_until_the_page_is_read_anew(self):
        self.state.put("tick", {"every": "5s"}, next=in_seconds(1))
        self.open()
        self.js("window.fetch = () => new Promise(() => {})")
        self.until(lambda: self.rows("due") and self.rows("due")[0][2] == "now")

    def test_belief_runs_down_between_readings(self):
        self.open()
        self.js("window.fetch = () => new Promise(() => {})")  # nothing is read any more
        before = self.text("leader")
        self.until(lambda: self.text("leader") != before)

    def test_nothing_is_inline_and_the_browser_complains_of_nothing(self):
        self.open()
        self.refresh()
        self.assertEqual(self.browser.get_log("browser"), [])
        self.assertIn("script-src 'self'", CSP)

    def test_names_are_text_whatever_is_in_them(self):
        self.state.put(NASTY, {"cron": NASTY, "labels": {NASTY: NASTY}}, next=in_seconds(60), state="paused",
                       paused={"by": NASTY, "why": NASTY, "since": in_seconds(0)})
        self.state.dead = [event(NASTY, "1", -100, why=NASTY)]
        self.state.fires = [{"seq": 1, "uid": 1, "version": 1, "schedule": NASTY, "outcome": "missed", "slots": 1, "from": in_seconds(-9),
                             "to": in_seconds(-8), "at": in_seconds(-7)}]
        self.state.events = [event(NASTY, "2", -100, attempts=1, worker=NASTY, until=in_seconds(9)),
                             event(NASTY, "3", -100, destination=NASTY)]
        self.state.ready = {"ready": False, "reasons": [NASTY]}
        self.open()
        self.assertIn(NASTY, self.text("trouble"))
        self.assertIn([NASTY, NASTY], [row[:2] for row in self.rows("schedules")])
        self.assertEqual(self.js("return document.images.length"), 0)
        self.assertNotEqual(self.browser.title, "broken")

    def test_the_list_is_narrowed_by_name_and_state(self):
        self.state.put("paused-one", {"every": "1m"}, state="paused")
        self.open()
        self.find("prefix").send_keys("ti")
        self.until(lambda: [row[0] for row in self.rows("schedules")] == ["tick"])
        self.find("prefix").clear()
        self.find("prefix").send_keys(Keys.BACKSPACE)
        self.browser.find_element(By.CSS_SELECTOR, "#state option:nth-child(3)").click()
        self.until(lambda: [row[0] for row in self.rows("schedules")] == ["paused-one"])


class Trouble(Page):
    def trouble(self):
        self.refresh()
        return self.text("trouble")

    def test_is_said_for_each_thing_that_is_wrong(self):
        self.open()
        self.state.leaders["hold"] = {"since": in_seconds(-60), "jump": "3s"}
        self.assertIn("the store's clock jumped by 3s", self.trouble())
        self.state.leaders["hold"] = None
        self.state.leaders["leaders"][0]["led"] = False
        self.assertIn("Nobody leads: nothing fires", self.trouble())
        self.state.leaders["leaders"][0]["led"] = True
        self.state.ready = {"ready": False, "reasons": ["the store does not answer: connection refused"]}
        self.assertIn("Not ready: the store does not answer: connection refused", self.trouble())
        self.state.ready = {"ready": True, "reasons": []}
        self.state.events = [event("tick", "1", -200), event("tick", "2", -10)]
        self.assertIn("1 event late, the oldest by 3 min", self.trouble())
        self.assertEqual([row[3] for row in self.rows("late")], ["nobody has taken it"])
        self.state.events = [event("tick", "1", -100, destination="crm"),
                             event("tick", "2", -200, attempts=2, claimed=False, until=in_seconds(9), worker="w7"),
                             event("tick", "3", -300, attempts=1, claimed=True, until=in_seconds(9), worker="w8"),
                             {**event("tick", "4", -5), "slot": in_seconds(-90000)}]
        self.assertIn("2 events late, the oldest by 3 min", self.trouble())
        late = [row[3] for row in self.rows("late")]
        self.assertRegex(late[0], "^w7 failed; 2 attempts, the next from ")
        self.assertEqual(late[1:], ["crm has not taken it"], "one is worked at, and one is a slot of long ago")
        self.state.events = []
        self.state.dead = [event("tick", "1", -200, attempts=5, since=in_seconds(-100))]
        self.assertIn("1 event given up", self.trouble())
        self.assertIn("failed 5 times", self.rows("dead")[0][2])
        self.assertEqual(self.browser.title, "(1) Tenure")
        self.state.dead = []
        self.refresh()
        self.assertFalse(self.shown("trouble"))
        self.assertTrue(self.shown("calm"))

    def test_a_server_that_is_gone_is_said_and_what_was_read_stays(self):
        self.open()
        self.server.close()
        self.assertIn("tenured does not answer", self.trouble())
        self.assertEqual(len(self.rows("schedules")), 2)

    def test_is_an_alert_for_screen_readers(self):
        self.open()
        self.assertEqual(self.find("trouble").get_attribute("role"), "alert")
        self.assertEqual(self.find("said").get_attribute("role"), "status")


class Acting(Page):
    def test_pause_and_resume_ask_first_and_take_a_reason(self):
        self.open()
        self.press("Pause tick")
        self.assertTrue(self.shown("confirm"))
        self.assertEqual(self.posts(), [])
        self.find("why").send_keys("holiday")
        self.find("confirm-yes").click()
        self.until(lambda: self.text("said") == "tick is paused")
        self.assertEqual(self.posts()[0][1:2] + self.posts()[0][3:], ("/v1/schedules/tick/pause", '{"why":"holiday"}'))
        self.until(lambda: any("by local" in row[2] and "holiday" in row[2] for row in self.rows("schedules")))
        self.press("Resume tick")
        self.find("confirm-yes").click()
        self.until(lambda: self.text("said") == "tick runs again")

    def test_trigger_and_replay_ask_first(self):
        self.state.dead = [event("tick", "7/0/1", -200, attempts=5)]
        self.open()
        self.press("Trigger tick")
        self.find("confirm-yes").click()
        self.until(lambda: self.text("said") == "tick is to run once")
        self.assertRegex(dict(self.posts()[0][2]).get("Idempotency-Key", ""), r"^[0-9a-f-]{36}$")
        self.browser.find_element(By.CSS_SELECTOR, "#dead button").click()
        self.find("confirm-yes").click()
        self.until(lambda: "delivered again" in self.text("said"))
        self.assertEqual(self.posts()[1][3], '{"keys":["7/0/1"]}')

    def test_many_are_replayed_at_once(self):
        self.state.dead = [event("tick", f"7/0/{i}", -200, attempts=5) for i in range(3)]
        self.open()
        self.find("replay-all").click()
        self.assertEqual(self.posts(), [])
        self.find("confirm-yes").click()
        self.until(lambda: self.text("said") == "3 events are to be delivered again")
        self.assertEqual([request[3] for request in self.posts()], ['{"keys":["7/0/0","7/0/1","7/0/2"]}'])
        self.until(lambda: not self.shown("replay-all"))

    def test_many_are_discarded_at_once(self):
        self.state.dead = [event("tick", f"7/0/{i}", -200, attempts=5) for i in range(3)]
        self.open()
        self.find("discard-all").click()
        self.assertEqual(self.posts(), [])
        self.find("confirm-yes").click()
        self.until(lambda: self.text("said") == "3 events are discarded")
        self.assertEqual([(request[1], request[3]) for request in self.posts()],
                         [("/v1/events:discard", '{"keys":["7/0/0","7/0/1","7/0/2"]}')])
        self.until(lambda: not self.shown("discard-all"))

    def test_discard_asks_first_and_the_trouble_is_over(self):
        self.state.dead = [event("tick", "7/0/1", -200, attempts=5)]
        self.open()
        self.assertIn("1 event given up", self.text("trouble"))
        self.browser.find_element(By.CSS_SELECTOR, "#dead button:nth-child(2)").click()
        self.assertEqual(self.posts(), [])
        self.find("confirm-yes").click()
        self.until(lambda: self.text("said") == "The event of tick is discarded")
        self.assertEqual((self.posts()[0][1], self.posts()[0][3]), ("/v1/events:discard", '{"keys":["7/0/1"]}'))
        self.until(lambda: self.shown("calm"))

    def test_what_a_token_may_not_do_is_not_offered(self):
        self.state.dead = [event("tick", "7/0/1", -200, attempts=5)]
        for scopes, of_dead, of_schedules in ((["read"], 0, 0), (["read", "write"], 0, 4),
                                              (["read", "write", "admin"], 2, 4)):
            self.state.leaders["caller"]["scopes"] = scopes
            self.open()
            self.assertEqual([len(self.browser.find_elements(By.CSS_SELECTOR, f"#{table} button"))
                              for table in ("dead", "schedules")], [of_dead, of_schedules], scopes)
            self.assertEqual(self.shown("dead-admin"), of_dead == 0)

    def test_cancel_and_escape_and_a_stray_enter_do_nothing(self):
        self.open()
        for leave in (lambda: self.find("confirm-no").click(), lambda: self.keys(Keys.ESCAPE), lambda: self.keys(Keys.ENTER)):
            self.press("Trigger tick")
            leave()
            self.until(lambda: not self.shown("confirm"))
        self.assertEqual(self.posts(), [])

    def test_what_the_server_refuses_is_said(self):
        self.open()
        self.press("Pause tick")
        del self.state.schedules["tick"]
        self.find("confirm-yes").click()
        self.until(lambda: self.text("said") == "Not done: There is no schedule `tick`")

    def test_works_by_keyboard_alone(self):
        self.open()
        self.js("document.querySelector('#filter select').focus()")
        self.until(lambda: self.focus() == "state")
        for _ in range(10):
            self.keys(Keys.TAB)
            if self.focus() == "Pause nightly-report":
                break
        self.assertEqual(self.focus(), "Pause nightly-report")
        self.keys(Keys.SPACE)
        self.assertEqual(self.focus(), "why", "the dialog has the focus")
        self.keys("audit", Keys.TAB, Keys.TAB, Keys.ENTER)
        self.until(lambda: self.text("said") == "nightly-report is paused")

    def focus(self):
        return self.js("const e = document.activeElement; return e.getAttribute('aria-label') || e.id")

    def test_the_focus_stays_while_the_page_is_read_anew(self):
        self.open()
        self.js("document.querySelector('button[aria-label=\"Trigger tick\"]').focus()")
        self.state.put("another", {"every": "1m"})
        self.refresh()
        self.assertEqual(len(self.rows("schedules")), 3)
        self.assertEqual(self.focus(), "Trigger tick")


class Token(Page):
    def test_is_asked_for_and_sent_and_kept_for_the_tab(self):
        self.state.token = "secret"
        self.open()
        self.until(lambda: self.shown("ask-token"))
        for table in ("due", "late", "dead", "schedules"):
            self.assertEqual(self.js(f"return document.getElementById('{table}-none').innerText"),
                             "unknown: A token is needed")
        self.find("token").send_keys("secret", Keys.ENTER)
        self.until(lambda: len(self.rows("schedules")) == 2)
        self.assertEqual(self.text("dead-none"), "none")
        self.open()
        self.assertFalse(self.shown("ask-token"))
        self.assertEqual(self.browser.get_cookies(), [])
        self.js("sessionStorage.clear()")


class Reading(Page):
    def test_every_control_has_a_name_and_tables_have_headers(self):
        self.state.dead = [event("tick", "1", -200)]
        self.open()
        names = self.js("""return [...document.querySelectorAll('button, input, select')].filter((e) => e.checkVisibility())
            .map((e) => e.getAttribute('aria-label') || (e.labels && e.labels[0] && e.labels[0].textContent) || '')""")
        self.assertTrue(names and all(name.strip() for name in names), names)
        self.assertEqual(self.js("return document.querySelectorAll('th:not([scope])').length"), 0)
        self.assertEqual(self.js("return document.documentElement.lang"), "en")
        self.assertEqual(self.js("""return [...document.querySelectorAll('section')]
            .filter((e) => !e.getAttribute('aria-labelledby') && e.id !== 'trouble').length"""), 0)

    def test_text_has_contrast_in_light_and_in_dark(self):
        self.open()
        for scheme in ("light", "dark"):
            self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                         {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
            for ink, paper in (("--ink", "--paper"), ("--soft", "--paper"), ("--wrong", "--wrong-paper"),
                               ("--ink", "--wrong-paper"), ("--ink", "--panel"), ("--good", "--paper")):
                self.assertGreaterEqual(self.contrast(ink, paper), 4.5, f"{scheme}: {ink} on {paper}")
        papers = self.js("return getComputedStyle(document.body).backgroundColor")
        self.assertEqual(papers, "rgb(21, 25, 29)", "dark")

    def contrast(self, one, other):
        def light(name):
            text = self.js(f"return getComputedStyle(document.documentElement).getPropertyValue('{name}')").strip()
            parts = [int(text[at:at + 2], 16) / 255 for at in (1, 3, 5)]
            linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
            return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        bright, dim = sorted((light(one), light(other)), reverse=True)
        return (bright + 0.05) / (dim + 0.05)


unittest.main(argv=sys.argv[:1] + sys.argv[2:])
