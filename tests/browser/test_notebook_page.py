"""Results between the rules that JupyterLab and the classic notebook have for the tables of others."""

import time
from importlib.resources import files

import numpy as np
import pytest

from adjudge import compare, find_index, report
from adjudge._report.render import script_json

# What these notebooks say of tables, as far as it would touch ours.
LAB = """
.jp-RenderedHTMLCommon table { border: none; border-collapse: collapse; font-size: 12px; table-layout: fixed; }
.jp-RenderedHTMLCommon:not(.jp-RenderedMarkdown) td, .jp-RenderedHTMLCommon:not(.jp-RenderedMarkdown) th,
.jp-RenderedHTMLCommon:not(.jp-RenderedMarkdown) tr { text-align: right; vertical-align: middle; padding: 0.5em;
  line-height: normal; white-space: normal; max-width: none; border: none; }
.jp-RenderedHTMLCommon tbody tr:nth-child(odd) { background: #f5f5f5; }
"""
CLASSIC = """
div.output_area div.rendered_html table { table-layout: fixed; }
.rendered_html tr, .rendered_html th, .rendered_html td { text-align: right; vertical-align: middle; padding: 0.5em;
  white-space: normal; max-width: none; border: none; }
div.output_area div.rendered_html tbody tr:nth-child(odd) { background: #f5f5f5; }
"""


def compared():
    truth = np.repeat([0, 1, 2], 20)
    models = {"a model whose name takes room": np.roll(truth, 5), "halves": truth // 2}
    return truth, models, compare(truth, models, kind="classification")


@pytest.mark.parametrize(("rules", "around"), [(LAB, "jp-RenderedHTMLCommon"), (CLASSIC, "rendered_html")])
def test_prose_is_set_from_the_left_and_numbers_from_the_right(browser, tmp_path, rules, around):
    _, _, comparison = compared()
    page = tmp_path / "notebook.html"
    parts = (find_index("silhouette")._repr_html_(), comparison._repr_html_())
    page.write_text(
        f'<!DOCTYPE html><style>{rules}</style><body><div class="output_area"><div class="{around}">'
        f"{''.join(parts)}</div></div></body>",
        encoding="utf-8",
    )
    browser.get(page.as_uri())
    found = browser.execute_script(
        "return [...document.querySelectorAll('.adjudge :is(td,th)')].map((e) => {"
        " const s = getComputedStyle(e);"
        " return [e.classList.contains('num'), s.textAlign, s.verticalAlign, s.borderBottomWidth,"
        " getComputedStyle(e.parentElement).backgroundColor]; })"
    )
    assert {(align, place) for is_number, align, place, *_ in found if is_number} == {("right", "top")}
    assert {(align, place) for is_number, align, place, *_ in found if not is_number} == {("left", "top")}
    assert {line for *_, line, _ in found} <= {"1px", "2px"}
    assert {background for *_, background in found} == {"rgba(0, 0, 0, 0)"}


def test_the_report_stays_in_its_cell(browser, tmp_path):
    truth, models, _ = compared()
    made = report(truth, models, kind="classification", output=tmp_path / "report.html")
    page = tmp_path / "notebook.html"
    page.write_text(
        f"<!DOCTYPE html><body><div id=cell style='width: 700px'>{made._repr_html_()}</div></body>",
        encoding="utf-8",
    )
    browser.get(page.as_uri())
    cell = browser.find_element("id", "cell").rect
    frame = browser.find_element("css selector", "iframe").rect
    below = browser.find_element("css selector", "iframe + p").rect
    assert frame["width"] == cell["width"] == 700
    assert cell["y"] == frame["y"]
    assert frame["y"] + frame["height"] <= below["y"]
    assert below["y"] + below["height"] <= cell["y"] + cell["height"]


def test_a_widget_hears_which_instances_the_page_selects(browser, tmp_path):
    truth, models, _ = compared()
    made = report(truth, models, kind="classification", output=tmp_path / "report.html")
    script = files("adjudge._report").joinpath("static", "notebook.js").read_text("utf-8")
    page = tmp_path / "notebook.html"
    page.write_text(
        "<!DOCTYPE html><body><div id=cell style='width: 900px'></div><script type=module>"
        f"{script.replace('export default', 'const widget =')}\n"
        f"const kept = {{page: {script_json(made.path.read_text('utf-8'))}}};\n"
        "const model = {get: (name) => kept[name], set: (name, value) => { kept[name] = value; },"
        " save_changes: () => { window.saved = [...new Uint32Array(kept.selected.buffer)]; }};\n"
        "window.leave = widget.render({model, el: document.getElementById('cell')});</script></body>",
        encoding="utf-8",
    )
    browser.get(page.as_uri())

    def saved(wanted):
        for _ in range(50):
            if (found := browser.execute_script("return window.saved")) == wanted:
                break
            time.sleep(0.1)
        return found

    def in_frame(act, role):
        browser.switch_to.frame(0)
        browser.execute_script(
            f"const part = document.querySelector(`[data-role=${{arguments[0]}}]`); {act}", role
        )
        browser.switch_to.default_content()

    good, bad = (models[name] == truth for name in ("halves", "a model whose name takes room"))
    first, second = (good, bad) if good.sum() > bad.sum() else (bad, good)
    only = np.flatnonzero(first & ~second).tolist()
    assert saved(only) == only
    in_frame("part.click()", "reset")
    assert saved(list(range(60))) == list(range(60))
    in_frame("part.value = 'both_wrong'; part.dispatchEvent(new Event('change'))", "cell")
    neither = np.flatnonzero(~good & ~bad).tolist()
    assert saved(neither) == neither
    browser.execute_script("window.leave(); window.saved = null")
    in_frame("part.click()", "reset")
    time.sleep(0.3)
    assert browser.execute_script("return window.saved") is None
