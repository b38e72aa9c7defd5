"""The documentation for everyone: what axe-core finds on its pages, and what a phone shows."""

from pathlib import Path

import pytest

SITE = Path(__file__).parents[2] / "docs/_build/html"


@pytest.mark.full
@pytest.mark.skipif(not SITE.exists(), reason="the documentation is not built: make docs")
@pytest.mark.parametrize(
    "name", ["index", "getting_started", "guide/gate", "benchmarks/labels", "indices/lisi"]
)
def test_axe_finds_no_violation_on_any_screen(browser, violations, name):
    try:
        for width, scheme in ((1280, "light"), (1280, "dark"), (820, "light"), (390, "light"), (390, "dark")):
            metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
            features = [{"name": "prefers-color-scheme", "value": scheme}]
            browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
            browser.get((SITE / f"{name}.html").as_uri())
            assert violations(browser) == [], (width, scheme)
            size = "document.documentElement"
            assert browser.execute_script(f"return {size}.scrollWidth <= {size}.clientWidth"), width
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        browser.get("about:blank")
        browser.get_log("browser")  # what a page says of being opened from a file
