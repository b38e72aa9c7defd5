"""The report for everyone: what axe-core finds, what a keyboard reaches, and what a phone shows."""

import numpy as np
import pytest
from selenium.webdriver.common.keys import Keys

from adjudge import evaluate, gate, report

KINDS = ("classifiers", "clusterings", "alone", "gate", "scores", "changes")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """One page of each kind."""
    folder = tmp_path_factory.mktemp("pages")
    rng = np.random.default_rng(0)
    truth = np.array(["cat", "dog", "horse"])[rng.integers(0, 3, 240)]
    codes = np.unique(truth, return_inverse=True)[1]
    sure = {
        name: np.exp(share * np.eye(3)[codes] + rng.normal(size=(240, 3)))
        for name, share in (("a long name", 3), ("knn", 1))
    }
    sure = {name: own / own.sum(axis=1, keepdims=True) for name, own in sure.items()}
    said = {name: np.unique(truth)[own.argmax(axis=1)] for name, own in sure.items()}
    X = rng.normal(size=(240, 4)) + codes[:, None]
    beside = {
        "groups": np.array(["north", "south"])[rng.integers(0, 2, 240)],
        "units": np.array([f"patient {i // 4}" for i in range(240)]),
    }
    old, new = said["knn"], said["a long name"]
    report(
        truth, probabilities=sure, kind="classification", X=X, output=folder / "classifiers.html", **beside
    )
    report(
        truth,
        {**said, "third": np.roll(truth, 1)},
        kind="clustering",
        X=X,
        output=folder / "clusterings.html",
    )
    report(models=said, X=X, output=folder / "alone.html")
    report(gate=gate(truth, old, new, **beside), output=folder / "gate.html")
    earlier = evaluate(truth, old, kind="classification", confidence=0.95)
    report(evaluation=earlier, output=folder / "scores.html")
    report(truth, {"new": new}, kind="classification", against=earlier, output=folder / "changes.html")
    return folder


@pytest.fixture
def look(browser, pages):
    """Open a page in a window of this width, in this scheme."""

    def opened(kind, width, scheme="light"):
        browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False},
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        browser.get("about:blank")
        browser.get((pages / f"{kind}.html").as_uri())
        return browser

    yield opened
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert browser.get_log("browser") == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("width", "scheme"), [(1280, "light"), (1280, "dark"), (820, "light"), (390, "light"), (390, "dark")]
)
def test_axe_finds_no_violation(look, violations, kind, width, scheme):
    page = look(kind, width, scheme)
    page.execute_script("document.querySelectorAll('details').forEach((at) => (at.open = true))")
    assert violations(page) == []


# What can be operated, and is shown.
CONTROLS = (
    "return [...document.querySelectorAll('a[href], button:not(:disabled), select, input, summary')]"
    ".filter((at) => at.checkVisibility({visibilityProperty: true}))"
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [1280, 390])
def test_tab_reaches_every_control(look, kind, width):
    page = look(kind, width)
    wanted = page.execute_script(
        f"{CONTROLS}.map((at, i) => {{ at.dataset.stop = i; return at.outerHTML.slice(0, 120); }})"
    )
    assert len(wanted) > 5
    page.execute_script(
        "window.stops = new Set();"
        "addEventListener('focusin', (event) => window.stops.add(event.target.dataset.stop));"
    )
    body = page.find_element("css selector", "body")
    body.send_keys(Keys.TAB)
    for _ in range(0, 2 * len(wanted), 20):
        page.switch_to.active_element.send_keys(Keys.TAB * 20)
    reached = page.execute_script("return [...window.stops]")
    missed = [text for i, text in enumerate(wanted) if str(i) not in reached]
    assert missed == []


def test_keys_do_what_clicks_do(look):
    page = look("clusterings", 1280)
    head = page.find_element("css selector", ".scores thead th:nth-child(2)")
    head.find_element("css selector", "button").send_keys(Keys.ENTER)
    assert head.get_attribute("aria-sort") == "descending"
    details = page.find_element("css selector", "details.meanings")
    details.find_element("css selector", "summary").send_keys(Keys.SPACE)
    assert details.get_attribute("open")
    typical = page.find_element("css selector", ".clusters [data-instance] button")
    typical.send_keys(Keys.ENTER)
    assert page.find_element("css selector", ".detail .name").text == f"Instance {typical.text}"
    ticks = "return document.querySelector('[data-role=plot] .ring').style.left"
    before = page.execute_script(ticks)
    page.find_element("css selector", "[data-role=zoom-in]").send_keys(Keys.ENTER)
    # What was chosen is now in the middle.
    middle = page.execute_script("return document.querySelector('.u-over').clientWidth / 2")
    assert page.execute_script(ticks) != before
    assert float(page.execute_script(ticks)[:-2]) == pytest.approx(middle, abs=2)
    page.find_element("css selector", "[data-role=zoom-out]").send_keys(Keys.ENTER)
    assert page.execute_script(ticks) == before


@pytest.mark.parametrize("kind", KINDS)
def test_a_phone_shows_every_column_that_decides(look, kind):
    page = look(kind, 390)
    page.execute_script("document.querySelectorAll('details').forEach((at) => (at.open = true))")
    assert page.execute_script("return document.documentElement.scrollWidth") <= 390
    beyond = page.execute_script(
        "return [...document.querySelectorAll('.cards')].filter((table) => table.checkVisibility())"
        ".flatMap((table) => [...table.querySelectorAll('th, td')])"
        ".filter((cell) => cell.getBoundingClientRect().right > 390).map((cell) => cell.outerHTML)"
    )
    assert beyond == []
    # Each value says what it is.
    named = page.execute_script(
        "return [...document.querySelectorAll('.cards tbody td')].map((cell) => [cell.dataset.head,"
        " cell.closest('table').tHead.rows[0].cells[cell.cellIndex].textContent.trim()])"
    )
    assert all(name == head for name, head in named)
    decisive = page.execute_script(
        "return [...document.querySelectorAll('[data-role=rows] .instances thead th')].slice(0, arguments[0])"
        ".map((head) => head.getBoundingClientRect().right)",
        5 if kind == "classifiers" else 3,
    )
    assert all(right <= 390 for right in decisive)


def test_the_contents_follow_the_scroll(look):
    page = look("gate", 390)
    page.execute_script("document.documentElement.style.scrollBehavior = 'auto'")
    for title in ("Checks", "The rows that broke"):
        page.execute_script(
            "[...document.querySelectorAll('h3')].find((at) => at.textContent === arguments[0]).scrollIntoView()",
            title,
        )
        seen = page.execute_async_script(
            "requestAnimationFrame(() => requestAnimationFrame(() => {"
            " const at = document.querySelector('.parts:not([hidden]) [aria-current]');"
            " const {left} = at.getBoundingClientRect();"
            " arguments[0]([at.textContent, left >= 0, left < 390]);"
            "}))"
        )
        assert seen == [title, True, True]


@pytest.mark.parametrize("kind", KINDS)
def test_the_verdict_comes_first(look, kind):
    page = look(kind, 1280)
    box = page.find_element("css selector", ".verdict")
    assert box.rect["y"] + box.rect["height"] < 900
    assert len(box.find_elements("css selector", ".main")) == 1
    pictures = box.find_elements("css selector", "figure")
    assert len(pictures) == 1


def test_tables_of_clusters_need_no_scrolling_on_a_desk(look):
    page = look("clusterings", 1280)
    page.execute_script("document.querySelectorAll('details').forEach((at) => (at.open = true))")
    wide = page.execute_script(
        "return [...document.querySelectorAll('.scroll:has(.clusters)')]"
        ".map((at) => at.scrollWidth - at.clientWidth)"
    )
    assert len(wide) == 6
    assert max(wide) == 0
