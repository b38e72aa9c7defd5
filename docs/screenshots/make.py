"""Take the pictures in this folder in headless Chromium: of the reports of README, guides and demo.

Run as ``python docs/screenshots/make.py``, or with ``first`` for those of the README and of guides alone; needs the
extras "demo" and "browser", chromium and chromedriver.
"""

from __future__ import annotations

import base64
import os
import shutil
import sys
import tempfile
from contextlib import chdir
from pathlib import Path
from typing import Any

from selenium import webdriver

import adjudge
from adjudge.demo import run_demo

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent)]

from guide_pictures import after_examples  # noqa: E402

TALLEST = 1500

# Name of the picture, fragment, first and last element shown, and whether in the dark.
SHOTS = (
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

# Name of the picture, page, where its examples end, fragment, first and last element shown, and width.
FIRST = (
    ("first", "README.md", "## Where to go", "classifiers", "header.top", ".scores", 1400),
    ("verdict", "docs/guide/report.md", "What is in it", "classifiers", "header.top", ".scores", 1200),
    ("gate", "docs/guide/gate.md", "## From files", "gate", ".verdict", ".nulls", 1200),
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


def report_of(page: str, end: str, folder: str) -> Path:
    """Run a page's examples up to a piece of its text, and return the report that they write, or that of their gate."""
    names: dict[str, Any] = {}
    with chdir(folder):
        after_examples((HERE.parents[1] / page).read_text("utf-8").partition(end)[0], names)
        if "found" in names and isinstance(names["found"], adjudge.results.Gate):
            adjudge.report(gate=names["found"], output="gate.html")
        (path,) = Path().glob("*.html")
        return path.absolute()


def take_first() -> None:
    """Take the pictures of the README and of guides whose answer is a page: from their own examples."""
    for name, page, end, root, first, last, width in FIRST:
        with tempfile.TemporaryDirectory() as folder:
            path = report_of(page, end, folder)
            driver = start(f"{folder}/profile")
            try:
                screen(driver, width, False)
                driver.get(path.as_uri())
                shoot(driver, name, root, first, last, width)
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
