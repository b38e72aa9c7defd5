"""The report on very many instances: a density for a map, compressed columns, and filters that do not wait."""

import time

import numpy as np
import pytest

from adjudge import compare
from adjudge._report import payload
from adjudge._report.build import report_page
from adjudge._report.render import write_report
from adjudge._report.section import Section

# Colours of the first and the second group, and of instances that are not shown.
FIRST, SECOND, REST = (0x44, 0x77, 0xAA), (0xEE, 0x66, 0x77), (0x8B, 0x90, 0x9C)


def page_of(n, path, kind="classification"):
    """Three classes side by side, and two models of them."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, n).astype(np.uint8)
    models = {
        name: np.where(rng.random(n) < share, truth, (truth + 1) % 3).astype(np.uint8)
        for name, share in (("good", 0.9), ("fair", 0.7))
    }
    X = rng.normal(size=(n, 4)).astype(np.float32)
    places = np.stack([truth + 0.8 * rng.random(n), rng.random(n)], axis=1)
    comparison = compare(truth, models, kind=kind)
    section = Section("Trial", comparison, labels_true=truth, models=models, X=X, embedding=places)
    return truth, models, X, write_report(report_page("Many", [section]), path)


@pytest.fixture
def show(browser):
    """Open a page with many instances, and wait for its map."""
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "light"}]}
    )

    def opened(path):
        browser.get("about:blank")
        browser.get(path.as_uri())
        end = time.monotonic() + 60
        while not browser.find_elements("css selector", "[data-role=plot] canvas"):
            assert time.monotonic() < end
            time.sleep(0.02)
        return browser

    yield opened
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert browser.get_log("browser") == []


def choose(page, role, value):
    page.execute_script(
        "const at = document.querySelector(`[data-role=${arguments[0]}]`); at.value = arguments[1];"
        "at.dispatchEvent(new Event('change'));",
        role,
        value,
    )


def colour_at(page, across):
    """Return the mean colour around a place half-way up the map, over white."""
    return page.execute_script(
        """
        const canvas = document.querySelector('[data-role=plot] canvas'), over = document.querySelector('.u-over');
        const ratio = canvas.width / canvas.clientWidth;
        const [box, inner] = [canvas, over].map((e) => e.getBoundingClientRect());
        const left = inner.left - box.left + arguments[0] * inner.width;
        const top = inner.top - box.top + inner.height / 2;
        const copy = document.createElement('canvas');
        [copy.width, copy.height] = [canvas.width, canvas.height];
        const context = copy.getContext('2d', {willReadFrequently: true});
        context.drawImage(canvas, 0, 0);
        const size = 30, at = context.getImageData((left - 15) * ratio, (top - 15) * ratio, size, size).data;
        const sum = [0, 0, 0];
        for (let k = 0; k < at.length; k += 4)
          for (let c = 0; c < 3; c++) sum[c] += (at[k + c] * at[k + 3] + 255 * (255 - at[k + 3])) / 255;
        return sum.map((total) => total / size / size);
        """,
        across,
    )


def hue(colour):
    """Return how a colour over white deviates from white, as a direction."""
    off = 255 - np.asarray(colour, float)
    return off / np.linalg.norm(off)


def test_a_density_has_the_colours_of_its_groups(show, tmp_path):
    truth, _, _, path = page_of(120_000, tmp_path / "r.html")
    page = show(path)
    choose(page, "cell", "")
    choose(page, "color", "truth")
    # The classes lie from 0 to 0.8, from 1 to 1.8 and from 2 to 2.8; 4 % of the range are free on either side.
    places = [(middle / 2.8 + 0.04) / 1.08 for middle in (0.4, 1.4)]
    for across, expected in zip(places, (FIRST, SECOND), strict=True):
        assert hue(colour_at(page, across)) @ hue(expected) > 0.99
    assert colour_at(page, (0.9 / 2.8 + 0.04) / 1.08) == pytest.approx([255] * 3, abs=12)
    # Of one class the others are left faint and grey.
    choose(page, "class", "0")
    assert page.find_element("css selector", "[data-role=tally]").text.startswith(f"{np.sum(truth == 0):,} ")
    first, second = (colour_at(page, across) for across in places)
    assert hue(first) @ hue(FIRST) > 0.99
    assert hue(second) @ hue(REST) > 0.99
    assert np.sum(second) > np.sum(first) + 60


@pytest.mark.parametrize("kind", ["classification", "clustering"])
def test_compressed_columns_arrive_whole(show, tmp_path, monkeypatch, kind):
    monkeypatch.setattr(payload, "_COMPRESSED", 0)
    monkeypatch.setattr(payload, "_GRIDDED", 0)
    truth, models, X, path = page_of(500, tmp_path / "r.html", kind)
    page = show(path)
    choose(page, "cell", "")
    rows = page.execute_script(
        "return [...document.querySelectorAll('[data-role=rows] .instances tbody tr')]"
        ".map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    assert len(rows) == 25
    for i, row in enumerate(rows):
        *before, a, b, c, d = row
        assert before[0] == str(i)
        assert before[-3:] == [str(truth[i]), str(models["good"][i]), str(models["fair"][i])]
        shown = [float(text.replace("−", "-")) for text in (a, b, c, d)]
        assert shown == pytest.approx(X[i].tolist(), rel=1e-5)


def test_numbers_sort_like_numbers_and_gaps_come_last(show, tmp_path):
    rng = np.random.default_rng(1)
    values = np.round(rng.normal(size=300), 1)
    values[::7] = np.nan
    truth = rng.integers(0, 2, 300)
    models = {"a": truth, "b": 1 - truth}
    comparison = compare(truth, models, kind="classification")
    section = Section(
        "Trial",
        comparison,
        labels_true=truth,
        models=models,
        X={"v": values, "w": -values, "u": truth * 1.0},
        embedding=rng.random((300, 2)),
    )
    page = show(write_report(report_page("S", [section]), tmp_path / "r.html"))
    choose(page, "cell", "")
    head = "[data-role=rows] .instances thead th:nth-child(6) button"
    expected = {1: np.lexsort((np.arange(300), values)), -1: np.lexsort((np.arange(300), -values))}
    for sign in (1, -1):
        page.execute_script("document.querySelector(arguments[0]).click()", head)
        shown = page.execute_script(
            "const all = []; const next = document.querySelector('[data-role=next]');"
            "for (;;) {"
            " all.push(...[...document.querySelectorAll('[data-role=rows] tbody th')].map((e) => e.textContent));"
            " if (next.disabled) return all; next.click(); }"
        )
        assert [int(text) for text in shown] == expected[sign].tolist()


def busy(page):
    """Return the seconds of processor that the page's thread has used: others may run beside it."""
    found = page.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return next(own["value"] for own in found if own["name"] == "TaskDuration")


@pytest.mark.parametrize("kind", ["classification", "clustering"])
def test_a_million_instances(show, browser, tmp_path, kind):
    browser.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    truth, models, _, path = page_of(1_000_000, tmp_path / "r.html", kind)
    assert path.stat().st_size < 40_000_000
    browser.get("about:blank")
    before = busy(browser)
    page = show(path)
    assert busy(page) - before < 3
    choose(page, "cell", "")
    spent = []
    for role, value, expected in (
        ("class", "1", truth == 1),
        ("said", "q:2", (truth == 1) & (models["fair"] == 2)),
        ("class", "", models["fair"] == 2),
        ("said", "", np.ones(truth.size)),
    ):
        before = busy(page)
        choose(page, role, value)
        page.execute_async_script("requestAnimationFrame(() => setTimeout(arguments[0]))")
        spent.append(busy(page) - before)
        tally = page.find_element("css selector", "[data-role=tally]").text
        assert tally.startswith(f"{int(expected.sum()):,} instances of 1,000,000")
    assert np.median(spent) < 0.2
