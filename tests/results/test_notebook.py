"""What a notebook shows of results."""

from html.parser import HTMLParser

import numpy as np
import pytest

from adjudge import choose_k, compare, evaluate, find_index, plan
from adjudge.inference import equal_goodness_test, friedman_test, null_distribution
from adjudge.presentation.palette import OUTCOME_COLORS

HOSTILE = "<img src=x onerror=alert(1)>"


class Shown(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.cells, self.words = [], [], []
        self._inside = []
        self.feed(text)
        assert self._inside == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self._inside.append(tag)
        if tag in ("td", "th"):
            self.cells.append([dict(attrs).get("class", ""), ""])

    def handle_endtag(self, tag):
        assert self._inside.pop() == tag

    def handle_data(self, data):
        if "style" in self._inside:
            return
        self.words.append(data)
        if {"td", "th"} & set(self._inside):
            self.cells[-1][1] += data


def results():
    truth = np.repeat([0, 1, 2], 20)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2)) + 9 * truth[:, None]
    models = {HOSTILE: np.where(rng.random(60) < 0.8, truth, 1), "other": truth // 2}
    comparison = compare(truth, models, kind="classification", confidence=0.95)
    return {
        "evaluation": evaluate(truth, models["other"], indices=["rand", "jaccard"]),
        "comparison": comparison,
        "pair": comparison[HOSTILE, "other"],
        "null": null_distribution("rand", truth, models["other"], method="simulate", n_tables=99),
        "plan": plan(10**8, 8, 10, indices=["silhouette"], n_jobs=4),
        "test": equal_goodness_test(
            truth, truth, models["other"], method="bootstrap", n_resamples=99, random_state=0
        ),
        "ranks": friedman_test({HOSTILE: [0.9, 0.8, 0.85], "b": [0.8, 0.7, 0.8], "c": [0.1, 0.2, 0.3]}),
        "index": find_index("silhouette"),
        "choice": choose_k(X, k=range(2, 5), random_state=0, indices=["silhouette", "calinski_harabasz"]),
    }


@pytest.fixture(scope="module")
def shown():
    return {name: Shown(result._repr_html_()) for name, result in results().items()}


def test_no_result_lets_a_name_become_markup(shown):
    for page in shown.values():
        assert "img" not in page.tags
        assert "script" not in page.tags
    assert HOSTILE in " ".join(shown["comparison"].words)
    assert HOSTILE in " ".join(shown["pair"].words)
    assert HOSTILE in " ".join(shown["ranks"].words)


def test_the_matrix_has_the_colours_of_the_outcomes():
    found = results()["pair"]
    text = found._repr_html_()
    cells = {name.split()[1]: value for name, value in Shown(text).cells if name.startswith("cell ")}
    assert cells == {cell: str(getattr(found, cell)) for cell in OUTCOME_COLORS}
    for color in OUTCOME_COLORS.values():
        assert color in text
    assert "prefers-color-scheme:dark" in text


def test_intervals_and_tests_are_shown_where_they_were_asked_for(shown):
    assert "p (Holm)" in [text for _, text in shown["comparison"].cells]
    assert any("McNemar" in text for text in shown["pair"].words)
    assert {"low", "high"} <= {text for _, text in shown["pair"].cells}


def test_votes_stand_out(shown):
    assert shown["choice"].tags.count("strong") >= 3
    assert not any("*" in text for _, text in shown["choice"].cells)


def test_distributions_tests_plans_and_indices_are_tables(shown):
    def cells(name):
        return [text for _, text in shown[name].cells]

    assert {"rand", "< 0.01", "99, simulated"} <= set(cells("null"))
    assert {"bootstrap", "< 0.01"} <= set(cells("test"))
    assert ("num", "< 0.01") in [tuple(cell) for cell in shown["test"].cells]
    assert {"on 4 workers", "distances"} <= set(cells("plan"))
    assert "warning: " in " ".join(shown["plan"].words)
    assert cells("ranks")[:4] == ["model", "mean rank", HOSTILE, "1.0000"]
    assert {"silhouette", "range", "[-1, 1]", "higher"} <= set(cells("index"))
