"""The report as a reader uses it, in a headless Chromium."""

import base64
import json
import time

import numpy as np
import pytest

from adjudge import benchmark, compare, evaluate, report
from adjudge._report.build import report_page
from adjudge._report.images import png_uri
from adjudge._report.render import write_report
from adjudge._report.section import Section
from adjudge.presentation.numbers import share_text

CELLS = ("both_right", "right_wrong", "wrong_right", "both_wrong")
HOSTILE = [
    "<img src=x onerror=window.pwned=1>",
    "</script><script>window.pwned=1</script>",
    "\"'><svg onload=window.pwned=1>",
    "__proto__",
    "a\u2028b & c?p=1#x",
]


class Reader:
    """What a reader does with the first section of a page."""

    def __init__(self, driver, section):
        self.driver, self.section = driver, section
        self.root = driver.find_element("css selector", f"#{section}")

    def all(self, selector):
        return self.root.find_elements("css selector", selector)

    def one(self, selector):
        return self.root.find_element("css selector", selector)

    def role(self, role):
        return self.one(f'[data-role="{role}"]')

    def click(self, selector):
        element = self.one(selector)
        self.driver.execute_script(
            "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element
        )
        element.click()

    def choose(self, role, value):
        options = self.role(role).find_elements("css selector", "option")
        next(o for o in options if o.get_attribute("value") == value).click()

    def counts(self):
        return [int(self.one(f'td[data-cell="{c}"] .count').text.replace(",", "")) for c in CELLS]

    def search(self, text):
        self.role("find").clear()
        self.role("find").send_keys(text)
        time.sleep(0.4)

    def column(self, k=0):
        return self.texts(f"[data-role=rows] .instances tbody tr > :nth-child({k + 1})")

    def headings(self):
        return self.texts("[data-role=rows] .instances thead th")

    def texts(self, selector):
        return self.driver.execute_script(
            "return [...arguments[0].querySelectorAll(arguments[1])].map((e) => e.textContent.trim())",
            self.root,
            selector,
        )

    def everything(self, k=0):
        found = self.column(k)
        while self.role("pager").is_displayed() and self.role("next").is_enabled():
            self.click('[data-role="next"]')
            found += self.column(k)
        return found

    def tally(self):
        return int(self.role("tally").text.split()[0].replace(",", ""))

    @property
    def address(self):
        return self.driver.current_url


def trial(n=90, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    models = {
        name: np.where(rng.random(n) < share, truth, rng.integers(0, 3, n))
        for name, share in (("poor", 0.3), ("good", 0.9), ("fair", 0.6))
    }
    X = rng.normal(size=(n, 3)) + truth[:, None]
    return truth, models, X


def build(tmp_path, kind="classification", title="Trial", n=90, **more):
    truth, models, X = trial(n)
    comparison = compare(truth, models, kind=kind)
    section = Section(title, comparison, labels_true=truth, models=models, X=X, **more)
    return comparison, write_report(report_page("A report", [section]), tmp_path / "report.html")


@pytest.fixture
def open_page(browser):
    def visit(path, fragment="", section="trial"):
        browser.get("about:blank")
        browser.get_log("browser")
        browser.get(path.as_uri() + fragment)
        return Reader(browser, section)

    yield visit
    complaints = browser.get_log("browser")
    assert complaints == []


def test_a_cell_shows_exactly_its_instances(open_page, tmp_path):
    comparison, path = build(tmp_path)
    page = open_page(path)
    for cell in CELLS:
        if page.one(f'td[data-cell="{cell}"] button').get_attribute("aria-pressed") == "false":
            page.click(f'td[data-cell="{cell}"] button')
        wanted = comparison["good", "fair"].instances(cell).tolist()
        assert [int(i) for i in page.everything()] == wanted
        assert page.tally() == len(wanted)


def test_switching_models_shows_their_matrix_and_measures(open_page, tmp_path):
    comparison, path = build(tmp_path)
    page = open_page(path)
    page.choose("choose-q", "poor")
    page.click('[data-role="swap"]')
    pair = comparison["poor", "good"]
    assert page.counts() == [getattr(pair, cell) for cell in CELLS]
    shown = [text.replace("−", "-") for text in page.texts('.measures [data-role="value"]')]
    assert shown == [f"{value:.4f}" for value in pair.measures.values()]
    total = pair.agreement.total
    shares = page.texts('.matrix [data-role="share"]')
    assert shares == [
        share_text(getattr(pair, cell), total).replace(" ", "\N{NO-BREAK SPACE}") for cell in CELLS
    ]
    page.click('td[data-cell="wrong_right"] button')
    assert [int(i) for i in page.everything()] == pair.instances("wrong_right").tolist()
    assert page.one(".matrix thead th .who").text == "good"


def test_choosing_the_other_model_swaps(open_page, tmp_path):
    comparison, path = build(tmp_path)
    page = open_page(path)
    page.choose("choose-p", "fair")
    assert page.counts() == [getattr(comparison["fair", "good"], cell) for cell in CELLS]


def test_outcomes_by_class_are_those_of_the_pair(open_page, tmp_path):
    _, path = build(tmp_path)
    truth, models, _ = trial()
    page = open_page(path, "#trial?p=poor&q=fair")
    p, q = models["poor"] == truth, models["fair"] == truth
    cells = {"both_right": p & q, "right_wrong": p & ~q, "wrong_right": ~p & q, "both_wrong": ~p & ~q}
    for k in range(3):
        shown = [int(page.texts(f'tr[data-class="{k}"] [data-role="{c}"]')[0]) for c in CELLS]
        assert shown == [int((cells[c] & (truth == k)).sum()) for c in CELLS]
    page.click('tr[data-class="1"] button')
    assert page.tally() == int((truth == 1).sum())
    assert set(page.everything(page.headings().index("Truth"))) == {"1"}


def test_clusterings_show_the_pairs_of_each_instance(open_page, tmp_path):
    comparison, path = build(tmp_path, "clustering")
    page = open_page(path)
    best = page.role("choose-p").get_attribute("value"), page.role("choose-q").get_attribute("value")
    for cell in CELLS:
        counts = comparison[best].instances(cell)
        if page.one(f'td[data-cell="{cell}"] button').get_attribute("aria-pressed") == "false":
            page.click(f'td[data-cell="{cell}"] button')
        positions = [int(i) for i in page.everything()]
        assert sorted(positions) == np.flatnonzero(counts).tolist()
        assert [counts[i] for i in positions] == sorted(counts[counts > 0].tolist(), reverse=True)
    page.choose("cell", "both_wrong")
    position = int(page.column()[0])
    assert int(page.column(1)[0]) == comparison[best].instances("both_wrong")[position]


def test_headings_sort(open_page, tmp_path):
    _, path = build(tmp_path)
    _, _, X = trial()
    page = open_page(path)
    page.choose("cell", "")
    k = page.headings().index("x1")
    for direction, sign in (("ascending", 1), ("descending", -1)):
        page.click(f"[data-role=rows] .instances thead th:nth-child({k + 1}) button")
        assert (
            page.one(f"[data-role=rows] .instances thead th:nth-child({k + 1})").get_attribute("aria-sort")
            == direction
        )
        wanted = np.argsort(sign * X[:, 1], kind="stable")
        assert [int(i) for i in page.everything()] == wanted.tolist()
    assert "sort=c1%3Adesc" in page.address


def test_scores_sort(open_page, tmp_path):
    _, path = build(tmp_path)
    page = open_page(path)

    def order():
        return page.texts(".scores tbody th")

    assert order() == ["good", "fair", "poor"]
    page.click(".scores thead th:nth-child(2) button")
    page.click(".scores thead th:nth-child(2) button")
    assert order() == ["poor", "fair", "good"]
    page.click(".scores thead th:nth-child(1) button")
    assert order() == ["poor", "good", "fair"]


def test_search_finds_labels_numbers_and_text(open_page, tmp_path):
    text = [f"word {i % 7} <b>" for i in range(90)]
    _, path = build(tmp_path, text=text)
    _, _, X = trial()
    page = open_page(path)
    page.choose("cell", "")
    page.search("WORD 3")
    assert [int(i) for i in page.everything()] == list(range(3, 90, 7))
    number = f"{X[42, 0]:.4f}"[:-1]
    page.search(number)
    assert "42" in page.everything()
    assert page.tally() < 5
    page.search("nothing like it")
    assert page.tally() == 0
    page.click('[data-role="reset"]')
    assert page.tally() == 90


def test_pages_turn(open_page, tmp_path):
    _, path = build(tmp_path)
    page = open_page(path)
    page.choose("cell", "")
    assert page.role("page").text == "Page 1 of 4"
    assert not page.role("previous").is_enabled()
    assert [int(i) for i in page.everything()] == list(range(90))
    assert page.role("page").text == "Page 4 of 4"
    assert not page.role("next").is_enabled()


def test_a_link_shows_the_same_view(open_page, tmp_path, browser):
    _, path = build(tmp_path)
    page = open_page(path)
    page.choose("choose-p", "poor")
    page.click('td[data-cell="both_wrong"] button')
    page.choose("class", "2")
    page.click("[data-role=rows] .instances tbody tr:nth-child(2) button")
    address, shown = page.address, page.root.text
    other = open_page(path, "#" + address.partition("#")[2])
    assert other.root.text == shown
    assert other.all("tr.picked")
    browser.execute_script("location.hash = 'trial?p=fair&q=poor'")
    time.sleep(0.2)
    assert other.role("choose-p").get_attribute("value") == "fair"


def test_a_link_to_what_is_not_there_shows_the_start(open_page, tmp_path):
    _, path = build(tmp_path)
    start = open_page(path).root.text
    assert (
        open_page(path, "#trial?p=gone&cell=none&class=99&page=77&view=x&color=y&i=-5&sort=zz:up").root.text
        == start
    )


@pytest.mark.parametrize("kind", ["classification", "clustering"])
def test_a_comparison_without_its_instances_has_its_matrices(open_page, tmp_path, kind):
    truth, models, _ = trial()
    comparison = compare(truth, models, kind=kind)
    path = write_report(report_page("R", [Section("Trial", comparison)]), tmp_path / "r.html")
    page = open_page(path)
    page.choose("choose-p", "poor")
    p, q = page.role("choose-p").get_attribute("value"), page.role("choose-q").get_attribute("value")
    assert page.counts() == [getattr(comparison[p, q], cell) for cell in CELLS]
    assert not page.all("td[data-cell] button")


@pytest.mark.parametrize("kind", ["classification", "clustering"])
def test_one_model_without_a_rival_shows_where_it_is_right(open_page, tmp_path, kind):
    truth, models, X = trial()
    made = report(truth, {"good": models["good"]}, kind=kind, X=X, output=tmp_path / "r.html")
    page = open_page(made.path, section=made.page["sections"][0]["id"])
    assert page.texts(".scores tbody th") == ["good"]
    assert not page.all(".matrix")
    page.choose("cell", "both_wrong")
    same = [labels[:, None] == labels for labels in (truth, models["good"])]
    wrong = (same[0] != same[1]).sum(axis=1)
    if kind == "classification":
        wrong = models["good"] != truth
        assert page.headings()[1:4] == ["Outcome", "Truth", "good"]
    assert sorted(int(i) for i in page.everything()) == np.flatnonzero(wrong).tolist()
    table = np.zeros((3, 3), int)
    np.add.at(table, (truth, models["good"]), 1)
    shown = page.texts(".cross tbody td")
    if kind == "classification":
        assert [int(t.replace("·", "0")) for t in shown] == table.ravel().tolist()


def test_clusterings_without_a_truth_show_their_clusters(open_page, tmp_path):
    _, models, X = trial()
    made = report(models=models, X=X, output=tmp_path / "r.html", title="Alone")
    page = open_page(made.path, section="clusterings")
    first = made.page["sections"][0]["ranking"]["order"][0]
    assert page.role("choose-p").get_attribute("value") == first
    assert page.headings()[1:4] == ["poor", "good", "fair"]
    page.choose("choose-p", "good")
    page.choose("class", "2")
    wanted = np.flatnonzero(models["good"] == 2).tolist()
    assert [int(i) for i in page.everything()] == wanted
    assert page.texts(".legend li") == ["0", "1", "2"]
    again = open_page(made.path, "#" + page.address.partition("#")[2], section="clusterings")
    assert again.tally() == len(wanted)
    assert not again.all(".matrix")


def test_nothing_is_asked_of_the_network(open_page, tmp_path, browser):
    _, path = build(tmp_path, images=np.random.default_rng(0).random((90, 4, 4)))
    browser.get_log("performance")
    page = open_page(path)
    page.click('td[data-cell="both_right"] button')
    asked = set()
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            asked.add(message["params"]["request"]["url"].partition(":")[0])
    assert asked <= {"file", "data", "about"}


def test_pictures_are_those_of_the_instances(open_page, tmp_path, browser):
    n = 1100  # more than one sheet
    truth, models, _ = trial(n)
    shades = (np.arange(n) % 250).astype(np.uint8)
    images = np.repeat(shades, 4).reshape(n, 2, 2)
    comparison = compare(truth, models, kind="classification")
    page = report_page("R", [Section("Trial", comparison, labels_true=truth, models=models, images=images)])
    reader = open_page(write_report(page, tmp_path / "r.html"), "#trial?cell=&page=19")
    pixel = """
        const done = arguments[1], style = getComputedStyle(arguments[0]), image = new Image();
        image.onload = () => {
          const canvas = document.createElement('canvas');
          [canvas.width, canvas.height] = [image.width, image.height];
          const context = canvas.getContext('2d');
          context.drawImage(image, 0, 0);
          const [x, y] = style.backgroundPosition.split(' ').map((v) => -parseFloat(v));
          const scale = image.width / parseFloat(style.backgroundSize);
          const rows = parseFloat(style.backgroundSize.split(' ')[1]) * scale;
          const shade = context.getImageData(Math.round(x * scale) + 1, Math.round(y * scale) + 1, 1, 1).data[0];
          done([shade, image.height, Math.round(rows)]);
        };
        image.src = style.backgroundImage.slice(5, -2);
    """
    tiles = reader.all(".tile")
    assert len(tiles) == 1100 - 18 * 60
    for k in (0, 19):
        picture = tiles[k].find_element("css selector", ".picture")
        shade, height, rows = browser.execute_async_script(pixel, picture)
        assert shade == shades[18 * 60 + k]
        assert height == rows


def test_picture_files_are_shown(open_page, tmp_path, browser):
    uris = [png_uri(np.full((3, 4, 1), shade, np.uint8)) for shade in range(90)]
    images = [None if i == 1 else base64.b64decode(uri.partition(",")[2]) for i, uri in enumerate(uris)]
    _, path = build(tmp_path, images=images)
    page = open_page(path, "#trial?cell=")
    shown = browser.execute_script(
        "return [...document.querySelectorAll('.tile .picture')].map((e) => e.style.backgroundImage)"
    )
    assert shown == [f'url("{uri}")' if i != 1 else "" for i, uri in enumerate(uris[:60])]
    assert page.role("detail").find_elements("css selector", ".picture.file")


def test_hostile_text_is_inert(open_page, tmp_path, browser):
    rng = np.random.default_rng(1)
    truth = np.array(HOSTILE)[rng.integers(0, 5, 60)]
    models = {name: np.where(rng.random(60) < 0.6, truth, HOSTILE[0]) for name in HOSTILE}
    comparison = compare(truth, models, kind="classification")
    section = Section(
        HOSTILE[0],
        comparison,
        labels_true=truth,
        models=models,
        X=rng.normal(size=(60, 5)),
        feature_names=HOSTILE,
        text=[HOSTILE[i % 5] for i in range(60)],
        note=HOSTILE[1],
    )
    path = write_report(report_page(HOSTILE[1], [section]), tmp_path / "r.html")
    name = "img-src-x-onerror-window-pwned-1"
    page = open_page(path, section=name)
    page.choose("cell", "")
    for primary in HOSTILE[1:]:
        page.choose("choose-p", primary)
        assert page.one(".matrix tbody th .who").text == primary.replace(
            "\u2028", " "
        ) or primary in page.one(".matrix tbody th .who").get_property("textContent")
    page.click("details.pairs summary")
    page.click(".allpairs tbody tr:nth-child(3) button")
    page.click('tr[data-class="1"] button')
    page.click("[data-role=rows] .instances tbody tr:nth-child(1) button")
    assert browser.execute_script("return window.pwned") is None
    assert browser.execute_script("return document.querySelectorAll('main img, main svg').length") == 0
    assert browser.execute_script("return document.scripts.length") == 3
    assert browser.title == HOSTILE[1]


def test_a_cell_opens_from_the_keyboard(open_page, tmp_path, browser):
    from selenium.webdriver.common.keys import Keys

    comparison, path = build(tmp_path)
    page = open_page(path)
    page.role("choose-q").send_keys(Keys.TAB)
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    pressed = page.one('td[data-cell] button[aria-pressed="true"]')
    assert pressed == browser.switch_to.active_element
    cell = page.one('td[data-cell]:has(button[aria-pressed="true"])').get_attribute("data-cell")
    assert page.tally() == getattr(comparison["good", "fair"], cell)


def test_every_control_has_a_name_and_every_table_headings(open_page, tmp_path, browser):
    _, path = build(tmp_path)
    page = open_page(path)
    nameless = browser.execute_script(
        "return [...document.querySelectorAll('button, select, input')].filter(e => e.offsetParent && !"
        "(e.getAttribute('aria-label') || e.textContent.trim() && e.tagName === 'BUTTON' || e.closest('label')))"
        ".map(e => e.outerHTML)"
    )
    assert nameless == []
    for table in page.all("table"):
        assert table.find_elements("css selector", "th[scope=col]")
        assert table.find_elements("css selector", "th[scope=row]")
        assert table.find_elements("css selector", "caption")


def test_the_page_works_inside_a_notebook(open_page, tmp_path, browser):
    truth, models, X = trial()
    made = report(truth, models, kind="classification", X=X, output=tmp_path / "r.html")
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<!DOCTYPE html><body>{made._repr_html_()}</body>", encoding="utf-8")
    browser.get(notebook.as_uri())
    browser.switch_to.frame(browser.find_element("css selector", "iframe"))
    page = Reader(browser, "classifiers")
    page.choose("choose-p", "poor")
    page.click('td[data-cell="both_wrong"] button')
    pair = compare(truth, models, kind="classification")["poor", page.role("choose-q").get_attribute("value")]
    assert page.counts() == [getattr(pair, cell) for cell in CELLS]
    assert [int(i) for i in page.everything()] == pair.instances("both_wrong").tolist()
    browser.switch_to.default_content()
    assert browser.get_log("browser") == []


def test_the_map_shows_and_gives_its_instances(open_page, tmp_path, browser):
    from selenium.webdriver import ActionChains

    truth, models, _ = trial(30)
    places = np.stack([np.arange(30) % 6, np.arange(30) // 6], axis=1)
    comparison = compare(truth, models, kind="classification")
    section = Section("Trial", comparison, labels_true=truth, models=models, embedding=places)
    page = open_page(write_report(report_page("R", [section]), tmp_path / "r.html"), "#trial?cell=")
    canvas = page.one(".u-over")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", canvas)
    width, height = canvas.size["width"], canvas.size["height"]
    # The map leaves 4 % of the range free on every side; instance 15 lies at (3, 2).
    left, up = (3 / 5 + 0.04) / 1.08, (2 / 4 + 0.04) / 1.08
    ActionChains(browser).move_to_element_with_offset(
        canvas, round((left - 0.5) * width), round((0.5 - up) * height)
    ).click().perform()
    assert page.texts(".detail .name") == ["Instance 15"]
    assert "i=15" in page.address
    ring = page.one(".ring")
    assert abs(float(ring.value_of_css_property("left")[:-2]) - left * width) < 2
    assert abs(float(ring.value_of_css_property("top")[:-2]) - (1 - up) * height) < 2
    # Drag over the middle half: instance 15 stays chosen, and moves out from the centre.
    corner = round(-width / 4), round(-height / 4)
    drag = ActionChains(browser).move_to_element_with_offset(canvas, *corner).click_and_hold()
    drag.move_by_offset(round(width / 2), round(height / 2)).release().perform()
    assert page.texts(".detail .name") == ["Instance 15"]
    moved = float(page.one(".ring").value_of_css_property("left")[:-2])
    assert abs(moved - (0.5 + 2 * (left - 0.5)) * width) < 4
    page.click('[data-role="zoom-out"]')
    assert abs(float(page.one(".ring").value_of_css_property("left")[:-2]) - left * width) < 2


@pytest.mark.parametrize("width", [1280, 400])
def test_nothing_runs_over_the_edge(open_page, tmp_path, browser, width):
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False},
    )
    try:
        _, path = build(tmp_path, title="Trial")
        open_page(path)
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_results_can_be_downloaded_as_json(open_page, tmp_path, browser):
    comparison, path = build(tmp_path)
    open_page(path)
    browser.execute_script(
        "window.kept = []; URL.createObjectURL = (blob) => { window.kept.push(blob); return 'blob:none'; };"
        "HTMLAnchorElement.prototype.click = function () { window.kept.push(this.download); };"
        "document.querySelector('[data-download]').click();"
    )
    text, name = browser.execute_async_script(
        "window.kept[0].text().then((t) => arguments[0]([t, window.kept[1]]))"
    )
    assert [section["comparison"] for section in json.loads(text)] == [comparison.to_dict()]
    assert name == "adjudge-results.json"


def test_a_hundred_thousand_instances_load_in_three_seconds(open_page, tmp_path, browser):
    n = 100_000
    truth, models, _ = trial(n)
    X = np.random.default_rng(0).normal(size=(n, 8))
    comparison = compare(truth, models, kind="classification")
    page = report_page("Large", [Section("Trial", comparison, labels_true=truth, models=models, X=X)])
    path = write_report(page, tmp_path / "large.html")
    browser.get("about:blank")
    start = time.perf_counter()
    reader = open_page(path)
    browser.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
    assert time.perf_counter() - start < 3
    assert reader.tally() == comparison["good", "fair"].right_wrong
    reader.choose("cell", "")
    start = time.perf_counter()
    reader.click("[data-role=rows] .instances thead th:nth-child(7) button")
    assert time.perf_counter() - start < 1.5
    assert reader.tally() == n


def at_width(browser, width):
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False},
    )


@pytest.fixture
def wide(browser):
    at_width(browser, 1400)
    yield browser
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_a_long_text_has_room_beside_many_columns(open_page, tmp_path, wide):
    truth, models, _ = trial(60)
    words = ("the quick brown fox jumps over a lazy dog " * 7)[:280]
    columns = np.random.default_rng(0).normal(size=(60, 8))
    made = report(
        truth, models, kind="classification", X=columns, text=[words] * 60, output=tmp_path / "r.html"
    )
    page = open_page(made.path, section="classifiers")
    assert page.one("[data-role=rows] td.text").size["width"] > 300
    height = wide.execute_script("return document.documentElement.scrollHeight")
    # The text and the columns make a row four lines high instead of two.
    assert height < 9_000
    # All of the text is there, of the instance that was chosen.
    assert words.strip() in page.one("[data-role=detail]").get_attribute("textContent")
    at_width(wide, 420)
    assert wide.execute_script("return document.documentElement.scrollWidth") <= 420


@pytest.mark.parametrize(
    "names", [list("0123456789"), [f"a class called {i}" for i in range(10)], [f"c{i}" for i in range(26)]]
)
def test_a_cross_table_shows_all_its_columns(open_page, tmp_path, wide, names):
    truth = np.array(names)[np.arange(260) % len(names)]
    models = {"one": np.roll(truth, 1), "other": np.where(np.arange(260) % 3, truth, names[0])}
    made = report(truth, models, kind="classification", X=np.arange(260.0), output=tmp_path / "r.html")
    page = open_page(made.path, section="classifiers")
    tables = page.all("[data-role=cross] .scroll")
    assert len(tables) == 2
    for table in tables:
        assert wide.execute_script("return arguments[0].scrollWidth <= arguments[0].clientWidth", table)
        heads = [h.get_attribute("textContent") for h in table.find_elements("css selector", "thead th")]
        assert heads == ["Truth", *sorted(names)]


def test_what_is_said_of_shades_holds_in_the_dark_and_on_paper(open_page, tmp_path, wide):
    _, path = build(tmp_path)
    page = open_page(path)
    captions = page.texts("[data-role=cross] caption")
    assert len(captions) == 2
    assert all("The stronger the colour" in text and "dark" not in text for text in captions)
    wide.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    for selector in (".heat", ".outcome.right_wrong", ".scores .bar span", ".verdict", ".split span"):
        kept = wide.execute_script(
            "return getComputedStyle(document.querySelector(arguments[0])).printColorAdjust", selector
        )
        assert kept == "exact", selector


def test_the_scores_of_clusterings_fit_a_window_and_a_sheet_of_paper(open_page, tmp_path, wide):
    truth, models, X = trial()
    made = report(truth, models, kind="clustering", X=X, output=tmp_path / "r.html")
    open_page(made.path, section="clusterings")
    fits = "const at = document.querySelector('.scroll:has(.scores)'); return at.scrollWidth - at.clientWidth"
    at_width(wide, 1100)
    assert wide.execute_script(fits) <= 0
    at_width(wide, 720)
    assert wide.execute_script(fits) > 0
    wide.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert wide.execute_script(fits) <= 0


def test_on_paper_sections_run_on_and_no_column_is_lost(open_page, tmp_path, wide):
    truth, models, X = trial()
    columns = {f"a_rather_long_name_{i}": X[:, 0].round(1) for i in range(9)}
    sections = [
        Section(
            title, compare(truth, models, kind="classification"), labels_true=truth, models=models, X=columns
        )
        for title in ("Trial", "Another")
    ]
    open_page(write_report(report_page("A report", sections), tmp_path / "report.html"))
    wide.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    at_width(wide, 720)
    breaks = "return [...document.querySelectorAll('.block')].map((at) => getComputedStyle(at).breakBefore)"
    assert set(wide.execute_script(breaks)) == {"auto"}
    wider = (
        "const at = document.querySelector('.scroll:has(.instances)'); return at.scrollWidth - at.clientWidth"
    )
    assert wide.execute_script(wider) <= 0
    card, plot = (
        wide.execute_script(
            "return document.querySelector(arguments[0]).getBoundingClientRect().toJSON()", at
        )
        for at in (".detail", "[data-role=plot] canvas")
    )
    assert plot["right"] <= card["left"] or plot["bottom"] <= card["top"]


def test_the_bar_leads_to_the_parts_of_the_section_that_is_read(open_page, tmp_path, wide):
    truth, models, X = trial()
    sections = [
        Section(title, compare(truth, models, kind="classification"), labels_true=truth, models=models, X=X)
        for title in ("Trial", "Another")
    ]
    path = write_report(report_page("A report", sections), tmp_path / "report.html")
    page = open_page(path)

    def shown():
        return wide.execute_script(
            "return [...document.querySelectorAll('.bar-nav a')].filter((a) => a.offsetParent)"
            ".map((a) => [a.textContent, a.getAttribute('aria-current') === 'true'])"
        )

    parts = ["Verdict", "Each model against the truth", "Head to head", "The instances", "By class"]
    parts += ["Where is the best model worse?", "Scores by class"]
    assert [name for name, _ in shown()] == ["Trial", "Another", "How it was computed", *parts]
    assert [name for name, is_current in shown() if is_current] == ["Trial"]
    wide.execute_script("document.documentElement.style.scrollBehavior = 'auto'")
    for name in ("By class", "Head to head"):
        link = next(a for a in wide.find_elements("css selector", ".bar-nav .parts a") if a.text == name)
        link.click()
        time.sleep(0.3)
        assert [n for n, is_current in shown() if is_current] == ["Trial", name]
        heading = next(h for h in page.all("h3") if h.text == name)
        bar = wide.find_element("css selector", ".bar-nav")
        top, bottom = wide.execute_script(
            "return [arguments[0].getBoundingClientRect().top, arguments[1].getBoundingClientRect().bottom]",
            heading,
            bar,
        )
        assert top >= bottom
    wide.execute_script("document.querySelector('#another').scrollIntoView()")
    time.sleep(0.3)
    assert next(n for n, is_current in shown() if is_current) == "Another"
    assert [name for name, _ in shown()][3:] == parts


def ranked(tmp_path, name="page.html", **models):
    rng = np.random.default_rng(5)
    shifts = models or {"poor": 0.0, "good": 0.2, "fair": 0.1}
    given = {
        f"set {i}": {m: float(0.5 + s + rng.normal(0, 0.01)) for m, s in shifts.items()} for i in range(12)
    }
    return benchmark(given), report(benchmark=benchmark(given), output=tmp_path / name).path


def test_models_over_many_data_sets_sort_by_any_column(open_page, tmp_path):
    found, path = ranked(tmp_path)
    page = open_page(path, section="models-over-data-sets")
    assert page.texts(".ladder tbody th") == found.order == ["good", "fair", "poor"]
    page.click(".ladder thead th:nth-child(2) button")
    assert page.texts(".ladder tbody th") == ["poor", "fair", "good"]
    best = list(page.texts(".cross tbody td.best .value"))
    assert [float(text) for text in best] == pytest.approx(
        [max(row.values()) for row in found.scores.values()], abs=5e-4
    )


def test_many_data_sets_on_a_small_screen_and_with_hostile_names(open_page, tmp_path, browser):
    _, path = ranked(tmp_path, **dict(zip(HOSTILE, (0.0, 0.1, 0.2, 0.3, 0.4), strict=True)))
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": 360, "height": 900, "deviceScaleFactor": 1, "mobile": False},
    )
    try:
        open_page(path, section="models-over-data-sets")
        assert browser.execute_script("return document.documentElement.scrollWidth") <= 360
        assert browser.execute_script("return window.pwned") is None
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_cell_of_the_cross_table_shows_its_instances(open_page, tmp_path):
    _, path = build(tmp_path)
    truth, models, _ = trial()
    page = open_page(path)
    for side, name in (("p", "good"), ("q", "fair")):
        for code, said in ((0, 0), (1, 2)):
            wanted = np.flatnonzero((truth == code) & (models[name] == said)).tolist()
            table = page.all('[data-role="cross"] table')[0 if side == "p" else 1]
            box = table.find_elements("css selector", "tbody tr")[code].find_elements("css selector", "td")[
                said
            ]
            (button,) = box.find_elements("css selector", "button")
            assert int(button.text) == len(wanted)
            page.driver.execute_script("arguments[0].click()", button)
            assert page.role("said").get_attribute("value") == f"{side}:{said}"
            assert [int(i) for i in page.everything()] == wanted
    # Another pair has other labels.
    page.choose("choose-q", "poor")
    assert page.role("said").get_attribute("value") == ""
    page.click('[data-role="reset"]')
    assert page.tally() == len(truth)


def test_classifiers_by_class_probability_and_group(open_page, tmp_path):
    truth, models, _ = trial(300)
    P = {name: np.eye(3)[said] * 0.7 + 0.1 for name, said in models.items()}
    groups = np.where(np.arange(300) % 2, "odd", "even")
    made = report(
        truth, probabilities=P, kind="classification", groups=groups, output=tmp_path / "classifiers.html"
    )
    page = open_page(made.path, section="classifiers")
    headings = page.texts("h3")
    for heading in ("Differences", "By group", "Scores by class", "Probabilities"):
        assert heading in headings
    names = page.texts(".measured tbody th")
    assert names == ["0", "1", "2"] * 3
    recalls = page.all("details[open] .measured thead button")[4]
    page.driver.execute_script("arguments[0].click()", recalls)
    shown = [float(text) for text in page.texts("details[open] .measured tbody td:nth-child(5) .value")]
    assert shown == sorted(shown, reverse=True)
    # The curves of all models of each class, and the reliability of all.
    assert [len(at.find_elements("css selector", "polyline")) for at in page.all(".curves svg")] == [3] * 4
    box = page.one(".curves svg").rect
    assert box["width"] > 100
    assert abs(box["width"] - box["height"]) < 2


def test_a_narrow_matrix_keeps_the_words_of_names_whole(open_page, tmp_path, wide):
    truth, models, _ = trial()
    named = dict(zip(("Gaussian mixture", "naive Bayes", "k-means"), models.values(), strict=True))
    made = report(truth, named, kind="classification", output=tmp_path / "r.html")
    page = open_page(made.path, section="classifiers")
    at_width(wide, 390)
    assert len(page.all(".matrix .who")) == 4
    # The lines on which the letters of each word stand.
    whole = """return [...document.querySelectorAll('.matrix .who')].every((name) => {
      const text = name.firstChild, range = document.createRange();
      return [...text.data.matchAll(/\\S+/g)].every((word) => {
        range.setStart(text, word.index);
        range.setEnd(text, word.index + word[0].length);
        return range.getClientRects().length === 1;
      });
    })"""
    for primary in named:
        page.choose("choose-p", primary)
        assert wide.execute_script(whole), primary


def test_paper_is_not_told_what_a_mouse_does(open_page, tmp_path, wide):
    _, path = build(tmp_path)
    page = open_page(path)
    caption = page.one("[data-role=map-caption]")
    assert "Drag to zoom" in caption.text
    wide.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert caption.text
    assert "Drag" not in caption.text


def test_the_page_shows_what_changed_since_an_earlier_result(tmp_path, open_page):
    truth, models, X = trial()
    earlier = evaluate(truth, models["poor"], kind="classification", confidence=0.95)
    saved = earlier.save(tmp_path / "run.adjudge", instances=True)
    given = {"kind": "classification", "X": X, "against": saved}
    made = report(truth, {"good": models["good"]}, **given, output=tmp_path / "report.html")
    page = open_page(made.path, section="classifiers")
    rows = page.all("[data-role=changes] table tbody tr")[:2]
    cells = [cell.text.split()[0] for cell in rows[0].find_elements("css selector", "td")]
    was, now = (np.mean(models[name] == truth) for name in ("poor", "good"))
    assert [float(cell.replace("\N{MINUS SIGN}", "-")) for cell in cells[:3]] == pytest.approx(
        [was, now, now - was], abs=1e-4
    )
    assert cells[3] == "better"
    page.click("[data-role=changes] summary")
    shown = [element.text for element in page.all("[data-role=changes] h4")]
    broken = np.flatnonzero((models["poor"] == truth) & (models["good"] != truth))
    assert shown[0].startswith("Broken: right before, wrong now")
    listed = page.texts("[data-role=changes] .wrong_right tbody th")
    assert [int(text) for text in listed] == broken[:24].tolist()
    assert page.role("choose-q").get_attribute("value") == "before"
