"""Take the pictures in this folder, in headless Chromium: the report of the README, and that on wines and digits.

Run as ``python docs/screenshots/make.py``, or with ``first`` for that of the README alone; needs the extras "demo" and
"browser", chromium and chromedriver.
"""

from __future__ import annotations

import base64
import doctest
import os
import shutil
import sys
import tempfile
from contextlib import chdir
from pathlib import Path

from selenium import webdriver

from adjudge.demo import run_demo

HERE = Path(__file__).parent
TALLEST = 1500

# Name of the picture, fragment, first and last element shown, and whether in the dark.
SHOTS = (
    ("verdict", "wine-clusterings", "header.top", ".verdict", False),
    ("head-to-head", "digits-classifiers", ".controls.live", "[data-role=duel]", False),
    ("instances-pictures", "digits-classifiers", "[data-role=explorer]", "[data-role=explorer]", False),
    ("instances-table", "wine-clusterings", "[data-role=explorer]", "[data-role=explorer]", False),
    ("by-class", "digits-classifiers", "[data-role=classes]", "[data-role=classes]", False),
    ("clusters", "wine-clusterings", ".criteria", ".clusters", False),
    ("how-many-clusters", "wine-clusterings", ".tally-table", ".choices", False),
    ("method", "method", "#method", "#method", False),
    ("models", "wine-clusterings", ".block", ".scores", False),
    ("dark", "digits-clusterings", ".verdict", "[data-role=map]", True),
)


def start(profile: str) -> webdriver.Chrome:
    """Start a headless browser that asks nothing of the network."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    flags = ["headless", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking"]
    flags += ["disable-component-update", "disable-sync", "hide-scrollbars", f"user-data-dir={profile}"]
    for flag in flags + (["no-sandbox"] if os.geteuid() == 0 else []):
        options.add_argument(f"--{flag}")
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))


def shoot(driver: webdriver.Chrome, name: str, root: str, first: str, last: str, width: int = 1200) -> None:
    """Save the part of the page from the top of one element to the bottom of another."""
    edges = """
        const root = document.getElementById(arguments[0]);
        const find = (selector) => root.matches(selector) ? root
          : root.querySelector(selector) ?? document.querySelector(selector);
        document.querySelectorAll('details').forEach((d) => { d.open = d.open || arguments[2] === '.choices'; });
        // With the heading that it stands under.
        const start = find(arguments[1]).getBoundingClientRect().top;
        const heads = [...root.querySelectorAll('h3')].map((h) => h.getBoundingClientRect().top);
        const first = root.contains(find(arguments[1])) && !find(arguments[1]).matches('.block');
        const top = (first ? Math.max(...heads.filter((h) => h <= start + 1), 0) || start : start) + scrollY;
        return [top, find(arguments[2]).getBoundingClientRect().bottom + scrollY];
    """
    driver.execute_script("document.querySelector('.bar-nav').style.position = 'static'; scrollTo(0, 0)")
    top, bottom = driver.execute_script(edges, root, first, last)
    clip = {
        "x": 0,
        "y": max(0, top - 12),
        "width": width,
        "height": min(bottom - top + 30, TALLEST),
        "scale": 1,
    }
    shot = driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
    (HERE / f"{name}.png").write_bytes(base64.b64decode(shot["data"]))


def screen(driver: webdriver.Chrome, width: int, dark: bool, media: str = "screen") -> None:
    """Set the window's width, the colour scheme, and whether the page is on paper."""
    size = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": scheme})


def report_of_readme(folder: str) -> Path:
    """Run the README's examples, which write a report."""
    examples = doctest.DocTestParser().get_examples((HERE.parents[1] / "README.md").read_text("utf-8"))
    names: dict[str, object] = {}
    with chdir(folder):
        for example in examples:
            exec(example.source, names)
    return Path(folder) / "tumours.html"


def take_first() -> None:
    """Take the picture of the README: the top of its report."""
    with tempfile.TemporaryDirectory() as folder:
        path = report_of_readme(folder)
        driver = start(f"{folder}/profile")
        try:
            screen(driver, 1400, False)
            driver.get(path.as_uri())
            shoot(driver, "first", "classifiers", "header.top", ".scores", 1400)
        finally:
            driver.quit()


def main() -> None:
    """Build the reports and take all pictures."""
    take_first()
    if sys.argv[1:] == ["first"]:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = run_demo(Path(folder) / "report.html", lambda line: None)
        driver = start(f"{folder}/profile")
        try:
            for name, root, first, last, dark in SHOTS:
                screen(driver, 1200, dark)
                driver.get("about:blank")
                driver.get(path.as_uri())
                shoot(driver, name, root, first, last)
            screen(driver, 400, False)
            driver.get("about:blank")
            driver.get(path.as_uri())
            shoot(driver, "narrow", "wine-classifiers", ".verdict", "[data-role=map]", 400)
            screen(driver, 780, False, "print")
            driver.get("about:blank")
            driver.get(path.as_uri())
            shoot(driver, "print", "digits-classifiers", ".block", "[data-role=rows]", 780)
        finally:
            driver.quit()


if __name__ == "__main__":
    main()
