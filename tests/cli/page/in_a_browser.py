"""What the tests of pages have in common: Chromium without a screen, and a folder for pages.

A test is started with TENURE SOURCES [CLASS[.test]…].
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

TENURE, SOURCES = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()

# What a browser would take for markup, and what would end the block of data.
NASTY = "</script ><img src=x onerror=document.title='broken'>"
NASTY_NAME = "<img src=x onerror=alert(1)>.toml"
TWO_LEADERS = """
format = 1
name = "two-leaders"
summary = "NASTY"
[sim]
seed = 7
duration = "5m"
tail = "60s"
[cluster]
instances = 3
protocol = "db-lease"
scheduler = "ticker"
[[schedule]]
name = "job"
every = "5s"
[[fault]]
at = "30s"
action = "clock-step"
target = "leader"
by = "-40s"
[[fault]]
at = "31s"
action = "partition"
target = "leader"
peers = "store"
duration = "40s"
[expect]
believer_overlap = "forbidden"
"""

def browser():
    options = Options()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--window-size=1400,1200"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


class InABrowser(unittest.TestCase):
    """A folder for pages, and a browser in which each is opened anew."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.scenario = cls.folder / NASTY_NAME
        cls.scenario.write_text(TWO_LEADERS.replace("NASTY", NASTY))
        cls.browser = browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        cls.temporary.cleanup()

    @classmethod
    def make(cls, page, *arguments):
        """The page, and what was printed."""
        ended = subprocess.run([TENURE, *map(str, arguments), "--report", str(page)], capture_output=True, text=True,
                               check=False, cwd=cls.folder)
        assert page.exists() and page.stat().st_size > 0, ended.stderr
        return page, ended.stdout

    def open(self, page, link=""):
        self.browser.get("about:blank")
        self.browser.get_log("performance")
        self.browser.get(f"file://{page}{link}")
        self.settle()

    def screen(self, width, scheme="light"):
        """A screen so wide, bright or dark; zero: the browser's own."""
        if width == 0:
            self.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        else:
            self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                         {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": True})
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                     {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def unfold(self):
        self.js("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        self.settle()

    def assert_asks_for_nothing(self, page):
        self.open(page)
        self.assertEqual(self.browser.get_log("browser"), [])
        asked = [json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")]
        urls = [one["params"]["request"]["url"] for one in asked if one["method"] == "Network.requestWillBeSent"]
        self.assertEqual([url for url in urls if not url.startswith(f"file://{page}")], [])

    def settle(self):
        """Until what was asked for is drawn."""
        self.browser.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))")

    def js(self, expression):
        return self.browser.execute_script(f"return {expression}")

    def text(self, name):
        return self.browser.find_element(By.ID, name).text

    def window(self):
        """What the address of a copied link says: the moment, and the length of the window."""
        self.press("copy-link")
        link = re.search(r"#t=([0-9.e-]+)s&for=([0-9.e-]+)s", self.browser.current_url)
        return float(link.group(1)), float(link.group(2))

    def press(self, name):
        self.browser.find_element(By.ID, name).click()
        self.settle()

    def keys(self, keys):
        ActionChains(self.browser).send_keys(keys).perform()
        self.settle()

    def data(self, block="data"):
        return json.loads(self.js(f"document.getElementById('{block}').textContent"))
