"""Advice about indices: sentences and defaults are what the studies' tables say, and every call of the tree runs."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import adjudge
from adjudge.cli import main

ROOT = Path(__file__).parents[2]


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(ROOT / "studies"))
    import which_index

    yield which_index
    for name in ("which_index", "tables"):
        del sys.modules[name]


@pytest.fixture(scope="module")
def given() -> dict[str, Any]:
    """What the calls of the tree are about."""
    X, truth = load_iris(return_X_y=True)
    features, y = load_breast_cancer(return_X_y=True)
    half = np.arange(y.size) % 2 == 0
    features = (features - features.mean(axis=0)) / features.std(axis=0)
    better = LogisticRegression().fit(features[half], y[half])
    worse = DecisionTreeClassifier(max_depth=2, random_state=0).fit(features[half], y[half])
    names = ("evaluate", "compare", "choose", "choose_k", "gate")
    return {
        **{name: getattr(adjudge, name) for name in names},
        "KMeans": KMeans,
        "X": X,
        "truth": truth,
        "labels": KMeans(3, n_init=3, random_state=0).fit_predict(X),
        "new": AgglomerativeClustering(3).fit_predict(X),
        "third": AgglomerativeClustering(2).fit_predict(X),
        "y": y[~half],
        "pred": better.predict(features[~half]),
        "p": better.predict_proba(features[~half])[:, 1],
        "q": worse.predict_proba(features[~half])[:, 1],
    }


def test_every_call_of_the_tree_runs_and_is_on_the_page(study: Any, given: dict[str, Any]) -> None:
    page = study.PAGE.read_text("utf-8")
    for leaf in (leaf for leaves in study.TREE.values() for leaf in leaves):
        result = eval(leaf.call, dict(given))
        said = str(result)
        assert said
        assert not {"nan", "inf", "UNDECIDED"} & set(said.replace(":", " ").split()), leaf.call
        assert f"| {leaf.when} | `{leaf.call}` | {leaf.why} |" in page
    assert study.tree() in page


def test_the_sheet_says_what_the_tree_says(study: Any) -> None:
    drawn = ET.parse(ROOT / "docs" / "studies" / "images" / "which_index.svg").getroot()
    words = " ".join("".join(own.itertext()) for own in drawn.iter("{http://www.w3.org/2000/svg}text"))
    for question, leaves in study.TREE.items():
        assert question in words
        for leaf in leaves:
            for text in (leaf.when, leaf.call, leaf.why):
                assert "".join(text.split()) in "".join(words.split()), text


def test_sentences_are_those_of_the_tables_and_are_shown(study: Any) -> None:
    kept = json.loads(study.ADVICE.read_text("utf-8"))
    assert kept == study.advice()
    for name, sentence in kept.items():
        assert adjudge.find_index(name).advice == sentence
        assert sentence[0].isupper()
        assert sentence.endswith(".")
    assert adjudge.modularity.advice == ""
    assert kept["adjusted_rand"] in adjudge.find_index("adjusted_rand")._repr_html_()


def test_a_sentence_follows_from_the_facts(study: Any) -> None:
    own = study.read("external_indices", "index", "chosen")["adjusted_rand"]
    assert "can be compared" in study.of_external(own)
    assert "moves it by 50 %" in study.of_external({**own, "drift": 0.5})
    assert "improves if clusters are merged" in study.of_external({**own, "merge": -0.1})
    assert "a wrong split costs 4 times as much as a wrong merge" in study.of_external(
        {**own, "split": 0.4, "merge": 0.1}
    )
    assert "small classes count" in study.of_external({**own, "lose the smallest": 0.6, "move as many": 0.3})
    criteria = study.read("internal_criteria", "criterion")
    by_chance = criteria["any candidate"]
    best = study.of_internal(dict.fromkeys(by_chance, 0.0), by_chance)
    assert "better than a random one" in best
    assert "worse" not in best
    scores = study.read("classifier_scores", "score")
    assert (
        "rewards a low threshold"
        in study.of_classifier({**scores["accuracy"], "threshold 0.2": -3.0}, scores["log_loss"]).lower()
    )


def test_external_defaults_are_what_the_rules_choose(study: Any) -> None:
    facts = study.read("external_indices", "index", "chosen")
    chosen = set(study.external_roles(facts).values())
    assert chosen == {r.name for r in adjudge.list_indices("external") if r.default}
    drifting = {name: {**own, "drift": 0.9} if name == "ami" else own for name, own in facts.items()}
    assert "ami" not in study.external_roles(drifting).values()


def test_scores_that_the_rules_choose_are_defaults(study: Any) -> None:
    facts = study.read("classifier_scores", "score")
    for half in ("", ", held out"):
        assert all(adjudge.find_index(name).default for name in study.classifier_roles(facts, half).values())
    internal = study.read("internal_criteria", "criterion")
    *cited, best = study.internal_roles(internal, list(internal["dunn"])[:6]).values()
    assert all(adjudge.find_index(name).default for name in cited)
    assert not adjudge.find_index(best, "internal").default


def test_the_page_has_the_rules_and_the_reasons_of_the_records(study: Any) -> None:
    page = study.PAGE.read_text("utf-8")
    for role, name, other in study.roles():
        assert f"| {role} | {name} | {other} |" in page
    assert study.addition() in page
    assert study.defaults() in page
    for record in adjudge.list_indices():
        if record.default and record.kind in ("external", "internal", "classification"):
            assert record.default in page


def test_advice_is_on_the_report_and_in_the_terminal(
    given: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    advice = adjudge.find_index("adjusted_rand").advice
    page = tmp_path / "page.html"
    adjudge.report(given["truth"], {"k-means": given["labels"]}, kind="clustering", output=page)
    assert advice in page.read_text("utf-8")
    assert main(["indices", "adjusted_rand", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["advice"] == advice
