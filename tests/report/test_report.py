"""The report: what it says is what the results say, and text in the data never becomes markup."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from adjudge import InputError, compare, evaluate, report
from adjudge._report.build import report_page
from adjudge._report.images import as_pictures, png_uri
from adjudge._report.render import render_report, script_json, write_report
from adjudge._report.section import Section
from conftest import raises_line

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><b>bold</b>',
    "a\u2028b\u2029c & {{ 7*7 }}",
    "=1+1\ud800",
]


class Page(HTMLParser):
    """Tags with their attributes, and the text outside scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.words, self.embedded = [], [], []
        self._inside = None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self._inside = tag

    def handle_endtag(self, tag):
        if tag == self._inside:
            self._inside = None

    def handle_data(self, data):
        (self.words if self._inside is None else self.embedded).append(data)

    @property
    def text(self):
        return re.sub(r"\s+", " ", " ".join(self.words))


def classifiers(n=40, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    models = {
        name: np.where(rng.random(n) < share, truth, rng.integers(0, 3, n))
        for name, share in (("poor", 0.3), ("good", 0.9), ("fair", 0.6))
    }
    return truth, models


def section(kind="classification", **more):
    truth, models = classifiers()
    return Section("Trial", compare(truth, models, kind=kind), labels_true=truth, models=models, **more)


@pytest.mark.parametrize("kind", ["classification", "clustering"])
def test_the_page_says_what_the_comparison_says(kind):
    given = section(kind)
    page = report_page("Title", [given])
    comparison = given.comparison
    built = page["sections"][0]
    score = built["ranking"]["score"]
    values = [comparison.scores[m][score] for m in built["ranking"]["order"]]
    assert values == sorted(values, reverse=True)
    shown = Page(render_report(page)).text
    p, q = built["best"]
    for cell in ("both_right", "right_wrong", "wrong_right", "both_wrong"):
        assert f"{getattr(comparison[p, q], cell):,}" in shown
    for value in comparison[p, q].measures.values():
        assert f"{value:.4f}".replace("-", "−") in shown
    for scores in comparison.scores.values():
        for value in scores.values():
            assert f"{value:.4f}".replace("-", "−") in shown
    assert (p, q) == (comparison.verdict.leader, comparison.verdict.rival)
    for sentence in comparison.verdict.sentences:
        assert sentence.replace("-", "−") in shown.replace("-", "−")


def test_classifiers_list_exactly_the_instances_that_one_model_alone_has_right():
    given = section()
    found = report_page("Title", [given])["sections"][0]["disagreements"]
    truth, models = classifiers()
    p, q = found["primary"], found["alternative"]
    right, wrong = found["groups"]
    assert [r["position"] for r in right["rows"]] == [
        i for i in range(40) if models[p][i] == truth[i] != models[q][i]
    ]
    assert [r["position"] for r in wrong["rows"]] == [
        i for i in range(40) if models[q][i] == truth[i] != models[p][i]
    ]
    row = right["rows"][0]
    i = row["position"]
    assert (row["truth"], row["primary"], row["alternative"]) == (
        str(truth[i]),
        str(models[p][i]),
        str(models[q][i]),
    )


def test_clusterings_list_the_instances_with_most_pairs():
    found = report_page("Title", [section("clustering")])["sections"][0]["disagreements"]
    truth, models = classifiers()
    p, q = models[found["primary"]], models[found["alternative"]]
    same = [labels[:, None] == labels[None, :] for labels in (truth, p, q)]
    alone = ((same[1] == same[0]) & (same[2] != same[0])).sum(axis=1)
    rows = found["groups"][0]["rows"]
    assert [r["pairs"] for r in rows] == sorted(alone.tolist(), reverse=True)[: len(rows)]
    assert all(alone[r["position"]] == r["pairs"] for r in rows)


def test_dropped_instances_keep_their_positions():
    truth, models = classifiers()
    truth = [None if i % 5 == 0 else int(t) for i, t in enumerate(truth)]
    comparison = compare(truth, models, kind="classification", missing="drop")
    page = report_page("T", [Section("S", comparison, labels_true=truth, models=models)])
    found = page["sections"][0]["disagreements"]
    rows = [row for group in found["groups"] for row in group["rows"]]
    assert rows
    assert all(str(truth[row["position"]]) == row["truth"] for row in rows)
    assert "8 instances left out" in page["sections"][0]["subject"]


def test_hostile_text_is_text():
    truth, models = classifiers()
    names = np.array([*HOSTILE[:3]])
    comparison = compare(
        names[truth], {HOSTILE[i]: names[v] for i, v in enumerate(models.values())}, kind="classification"
    )
    page = report_page(
        HOSTILE[0],
        [
            Section(
                HOSTILE[1],
                comparison,
                labels_true=names[truth],
                models={HOSTILE[i]: names[v] for i, v in enumerate(models.values())},
                X=np.ones((40, 2)),
                feature_names=HOSTILE[2:4],
                embedding=np.zeros((40, 2)),
                text=[HOSTILE[i % 5] for i in range(40)],
                note=HOSTILE[2],
            )
        ],
    )
    parsed = Page(render_report(page))
    assert {tag for tag, _ in parsed.tags}.isdisjoint({"b", "img"})
    scripts = [attrs for tag, attrs in parsed.tags if tag == "script"]
    data = {"type": "application/json"}
    assert scripts == [{**data, "class": "section-data"}, {**data, "id": "adjudge-results"}, {}]
    assert not any(name.startswith("on") for _, attrs in parsed.tags for name in attrs)
    assert HOSTILE[1] in parsed.text
    assert "{{ 7*7 }}" in parsed.text


def test_embedded_json_survives_any_text():
    text = script_json({"name": HOSTILE})
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == {"name": HOSTILE}


def test_the_page_asks_for_nothing_from_elsewhere():
    text = render_report(report_page("T", [section(images=np.random.default_rng(0).random((40, 4, 4)))]))
    parsed = Page(text)
    policy = next(a["content"] for t, a in parsed.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert "default-src 'none'" in policy
    for _, attrs in parsed.tags:
        for name in ("src", "href", "srcset", "action"):
            if name in attrs:
                assert attrs[name].startswith(("#", "data:"))
    assert "@import" not in text
    assert not re.search(r"url\((?!\"\$)", text)


def test_one_model_alone_has_a_page():
    truth, models = classifiers()
    comparison = compare(truth, {"only": models["good"]}, kind="classification")
    page = report_page("T", [Section("S", comparison, labels_true=truth, models={"only": models["good"]})])
    assert page["sections"][0]["best"] is None
    assert page["sections"][0]["settings"] == comparison.settings
    accuracy = comparison.scores["only"]["accuracy"]
    assert f"Accuracy of only: {accuracy:.4f}." in Page(render_report(page)).text


def test_undefined_values_are_named_with_their_reason():
    comparison = compare([1, 1, 1], {"a": [1, 1, 1], "b": [1, 1, 1]}, kind="classification")
    page = report_page(
        "T", [Section("S", comparison, labels_true=[1, 1, 1], models={"a": [1] * 3, "b": [1] * 3})]
    )
    shown = Page(render_report(page)).text
    assert "undefined" in shown
    assert "nan" not in shown
    assert "there is only one label" in shown
    assert "there is no difference between them" in shown
    json.dumps(page, allow_nan=False)


def test_sections_of_one_title_have_different_anchors():
    page = report_page("T", [section(), section()])
    assert [s["id"] for s in page["sections"]] == ["trial", "trial-2"]
    text = render_report(page)
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))


def test_png_is_readable_by_others():
    image = pytest.importorskip("PIL.Image")
    import base64
    import io

    for channels in (1, 2, 3, 4):
        picture = np.random.default_rng(channels).integers(0, 256, (5, 7, channels)).astype(np.uint8)
        read = image.open(io.BytesIO(base64.b64decode(png_uri(picture).partition(",")[2])))
        np.testing.assert_array_equal(np.asarray(read).reshape(picture.shape), picture)


def test_pictures_are_stretched_and_thinned():
    images = np.arange(2 * 100 * 50, dtype=float).reshape(2, 100, 50)
    pictures = as_pictures(images, 2, max_side=64)
    assert pictures.shape == (2, 50, 25, 1)
    assert pictures.min() == 0
    assert pictures.max() >= 253
    np.testing.assert_array_equal(as_pictures(np.full((1, 2, 2), 7, np.uint8), 1), 7)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"images": np.zeros((39, 2, 2))}, "images has 39 entries, but there are 40 instances"),
        ({"images": np.zeros((40, 2))}, "images has shape"),
        ({"images": np.full((40, 2, 2), np.nan)}, "images has NaN"),
        ({"X": np.zeros((39, 2))}, "X has 39 rows, but there are 40 instances"),
        ({"X": np.zeros((40, 2)), "feature_names": ["a"]}, "feature_names has 1 entries, X has 2 columns"),
        ({"text": ["a"]}, "text has 1 entries, but there are 40 instances"),
    ],
)
def test_bad_inputs_are_named(more, message):
    with pytest.raises(InputError, match=re.escape(message)):
        report_page("T", [section(**more)])


def test_no_section_is_an_error():
    with pytest.raises(InputError, match="sections is empty"):
        report_page("T", [])


def test_the_verb_writes_a_file_and_replaces_it_whole(tmp_path):
    truth, models = classifiers()
    target = tmp_path / "page.html"
    target.write_text("old")
    made = report(truth, models, kind="classification", title="Mine", output=target)
    assert made.path == target
    assert target.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]
    assert "srcdoc=" in made._repr_html_()
    assert "<script" not in made._repr_html_()
    assert "page.html" in made._repr_html_().rpartition("</iframe>")[2]  # for notebooks without frames
    with pytest.raises(InputError):
        report(truth[:-1], models, kind="classification", output=target)
    assert target.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_the_verb_replaces_pages_only(tmp_path):
    truth, models = classifiers()
    table, page, empty = (tmp_path / name for name in ("table.csv", "page", "empty"))
    table.write_text("a,b\n1,2\n")
    empty.touch()
    with raises_line(
        InputError, f"'{table}' is there, and is no HTML page: name another file, or remove it first"
    ):
        report(truth, models, kind="classification", output=table)
    assert table.read_text() == "a,b\n1,2\n"
    for target in (page, page, empty):
        assert report(truth, models, kind="classification", output=target).path == target


def test_a_lone_surrogate_does_not_stop_the_report(tmp_path):
    page = report_page("bad \ud800 text", [section()])
    assert write_report(page, tmp_path / "r.html").read_text(encoding="utf-8").count("bad ? text") == 2


def test_kinds_without_a_page_of_models_say_what_makes_one(tmp_path):
    numbers, output = [0.5, 1.5, 2.5], tmp_path / "page.html"
    other = "compare() compares them, and evaluation= makes a page of what evaluate() returns"
    with raises_line(InputError, f"kind='regression' has no page of models: {other}"):
        report(numbers, {"a": numbers}, kind="regression", output=output)
    with raises_line(InputError, f"values= have no page of models: {other}"):
        report(values={"a": numbers}, output=output)
    with pytest.raises(
        InputError, match=r"kind='regresion' is not known: choose one of 'clustering', 'class"
    ):
        report(numbers, {"a": numbers}, kind="regresion", output=output)
    assert not output.exists()
    report(evaluation=evaluate(numbers, numbers, kind="regression"), output=output)
    assert output.exists()
