#!/usr/bin/python3
"""How long a browser takes to load and to draw the page of a day of five instances.

usage: bench/page.py [TENURE]     (build/release/bin/tenure)

It prints the page's size, the time until it is loaded, and the 95th percentile of the time for a frame while one moves
and zooms. Aims: 5 MB, 2 s, 60 ms.
"""
import pathlib
import subprocess
import sys
import tempfile

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

SOURCES = pathlib.Path(__file__).resolve().parent.parent
TENURE = sys.argv[1] if len(sys.argv) > 1 else str(SOURCES / "build/release/bin/tenure")

# Presses keys that move and zoom, and says how long each frame took to draw.
TIME_FRAMES = """
const done = arguments[0];
const keys = ["0", "+", "+", "ArrowRight", "+", "ArrowRight", "+", "-", "ArrowLeft", "0"];
const times = [];
const step = (i) => {
  if (i === 60) return done(times);
  const begin = performance.now();
  document.dispatchEvent(new KeyboardEvent("keydown", { key: keys[i % keys.length], bubbles: true }));
  requestAnimationFrame(() => {
    times.push(performance.now() - begin);
    step(i + 1);
  });
};
step(0);
"""


def main():
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "day.html"
        subprocess.run([TENURE, "run", str(SOURCES / "scenarios/leader-crash.toml"), "--set", "sim.duration=24h",
                        "--report", str(page)], stdout=subprocess.DEVNULL, check=True)
        options = Options()
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,1200"):
            options.add_argument(argument)
        browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        try:
            browser.get(f"file://{page}")
            loaded = browser.execute_script("return performance.getEntriesByType('navigation')[0].loadEventEnd")
            frames = sorted(browser.execute_async_script(TIME_FRAMES))
        finally:
            browser.quit()
        print(f"size    {page.stat().st_size / 1e6:.2f} MB")
        print(f"loaded  {loaded / 1e3:.2f} s")
        print(f"frame   {frames[int(len(frames) * 0.95)]:.1f} ms")


if __name__ == "__main__":
    main()
