"""Results between the rules that JupyterLab and the classic notebook have for the tables of others."""

import numpy as np
import pytest

from adjudge import compare, find_index, report

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
    cell = browser.find_element("id", "cell")
    frame = browser.find_element("css selector", "iframe")
    assert frame.rect["width"] == cell.rect["width"] == 700
    assert cell.rect["height"] == frame.rect["height"]
