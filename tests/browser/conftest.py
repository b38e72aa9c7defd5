"""The browser that pages are opened in."""

import os
import shutil

import pytest

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
