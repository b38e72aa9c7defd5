"""The browser that pages are opened in."""

import os
import shutil
from pathlib import Path

import pytest

AXE = Path(__file__).parent / "node_modules/axe-core/axe.min.js"

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """A headless Chromium; tests that ask for one are skipped where there is none."""
    webdriver = pytest.importorskip(
        "selenium.webdriver", reason="selenium is not installed (extra 'browser')"
    )
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("no chromium with its chromedriver on this machine")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    flags = [
        "--headless",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--window-size=1280,1400",
        f"--user-data-dir={tmp_path_factory.mktemp('profile')}",
    ]
    # Chromium refuses its sandbox to root, whom containers often run as.
    for flag in flags + (["--no-sandbox"] if os.geteuid() == 0 else []):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(DRIVER)
    driver = webdriver.Chrome(options=options, service=service)
    yield driver
    driver.quit()


@pytest.fixture
def violations():
    """Return what axe-core finds on the page that a browser shows."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed: run tests/browser/install.sh")

    def found(page):
        page.execute_script(AXE.read_text(encoding="utf-8"))
        return page.execute_async_script(
            "axe.run(document, {resultTypes: ['violations'], preload: false}).then(({violations}) => "
            "arguments[0](violations.map((v) => [v.id, v.nodes.map((node) => node.html)])))"
        )

    return found
