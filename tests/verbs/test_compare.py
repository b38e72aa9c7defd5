"""The verb compare: models of any form, scores, what is left out, counts, and every error."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import adjudge
import naive
from adjudge import InputError, InputTypeError, compare, parallel
from adjudge.indices.label_record import LabelIndex
from adjudge.statistics import Agreement
from adjudge.statistics.agreement import CELLS
from conftest import raises_line
from table_engines import in_engine

TRUTH = [0, 0, 1, 1, 2]
MODELS = {"one": [0, 0, 1, 1, 1], "two": [0, 1, 1, 1, 2], "three": [2, 2, 0, 0, 1]}


def counts(pair: adjudge.results.HeadToHead) -> list[int]:
    return [getattr(pair, cell) for cell in CELLS]


@pytest.mark.parametrize(
    "models",
    [
        MODELS,
        {name: tuple(labels) for name, labels in MODELS.items()},
        pd.DataFrame(MODELS),
        pl.DataFrame(MODELS),
        pa.table(MODELS),
        pl.LazyFrame(MODELS),
        {name: pd.Series(labels, dtype="category") for name, labels in MODELS.items()},
        {name: pl.Series(labels) for name, labels in MODELS.items()},
    ],
    ids=["lists", "tuples", "pandas", "polars", "arrow", "lazy", "categories", "polars series"],
)
@pytest.mark.parametrize("kind", ["clustering", "classification"])
def test_models_of_any_form(models: Any, kind: Any) -> None:
    result = compare(TRUTH, models, kind=kind)
    assert result.models == ("one", "two", "three")
    assert [(pair.primary, pair.alternative) for pair in result] == [
        (p, q) for p in MODELS for q in MODELS if p != q
    ]
    assert len(result) == 6
    for pair in result:
        p, q = MODELS[pair.primary], MODELS[pair.alternative]
        if kind == "clustering":
            expected = naive.prayatul_clustering(TRUTH, p, q)[0]
        else:
            expected = {c: len(v) for c, v in naive.prayatul_classification(TRUTH, p, q).items()}
        assert counts(pair) == list(expected.values())
        assert all(type(count) is int for count in counts(pair))
        assert pair.agreement == Agreement(*counts(pair))
        assert pair.agreement.total == (10 if kind == "clustering" else 5)
        assert pair.kind == kind


def test_each_models_own_scores() -> None:
    result = compare(TRUTH, MODELS, kind="clustering", indices=["rand", "jac", adjudge.nmi])
    for name, labels in MODELS.items():
        assert result.scores[name] == {
            "rand": adjudge.rand(TRUTH, labels),
            "jaccard": adjudge.jaccard(TRUTH, labels),
            "nmi": adjudge.nmi(TRUTH, labels),
        }
    result = compare(TRUTH, MODELS, kind="classification", indices="all")
    of_labels = [r.name for r in adjudge.list_indices("classification") if isinstance(r, LabelIndex)]
    assert list(result.scores["one"]) == of_labels
    assert result.scores["one"]["accuracy"] == 0.8
    assert result.score_reasons["one"]["macro_precision"] == "0/0: class 2 is never predicted"
    assert result.score_reasons["one"]["selection_rate"].endswith("name the positive class")
    reasons = [dict(own) for own in result.score_reasons.values()]
    of_one = "_rate", "_ratio", "prevalence"
    assert {reason for own in reasons for name, reason in own.items() if not name.endswith(of_one)} <= {
        f"0/0: class {c} is never predicted" for c in (0, 1, 2)
    } | {f"0/0: class {c} is predicted never or always" for c in (0, 1, 2)}
    alone = compare([0, 1, 2], {"m": [0, 1, 2]}, kind="clustering", indices="jaccard")
    assert math.isnan(alone.scores["m"]["jaccard"])
    assert alone.score_reasons == {"m": {"jaccard": "0/0: neither partition joins any pair"}}


def test_scores_agree_with_the_matrix() -> None:
    """What a model gets right against the truth does not depend on what it is compared with."""
    result = compare(TRUTH, MODELS, kind="clustering", indices="rand")
    for pair in result:
        assert (pair.both_right + pair.right_wrong) / 10 == pytest.approx(result.scores[pair.primary]["rand"])
    result = compare(TRUTH, MODELS, kind="classification", indices="accuracy")
    for pair in result:
        assert (pair.both_right + pair.right_wrong) / 5 == pytest.approx(
            result.scores[pair.primary]["accuracy"]
        )


def test_one_model() -> None:
    result = compare(TRUTH, {"only": TRUTH}, kind="clustering")
    assert len(result) == 0
    assert result.scores["only"]["adjusted_rand"] == 1
    assert "only" in repr(result)
    assert result.to_dict()["pairs"] == []


def test_stored_spans() -> None:
    result = compare(TRUTH, MODELS, kind="classification")
    assert result["one", "two"].primary == "one"
    assert result["two", "one"].agreement == result["one", "two"].agreement.swap()
    with raises_line(InputError, "no model is called 'four': choose one of 'one', 'two', 'three'"):
        result["one", "four"]
    with raises_line(InputError, "'one' is not compared with itself: name two models"):
        result["one", "one"]
    read_by_two = "give two names: comparison['primary', 'alternative']"
    for key in ("one", ("one",), ("one", "two", "three"), 0):
        with raises_line(InputError, read_by_two):
            result[key]  # type: ignore[index]
    cells = (
        "'both_right', 'right_wrong', 'wrong_right', 'both_wrong', 'both_wrong_same', 'both_wrong_different'"
    )
    with raises_line(InputError, f"cell='RW' is not known: choose one of {cells}"):
        result["one", "two"].instances("RW")


def test_instances_of_a_result_from_counts_alone_are_not_known() -> None:
    pair = adjudge.results.HeadToHead("p", "q", "clustering", Agreement(1, 2, 3, 4), {})
    with raises_line(InputError, "the instances are not known: the comparison was made from counts alone"):
        pair.instances("both_right")


@pytest.mark.parametrize("kind", ["clustering", "classification"])
def test_what_is_left_out_for_one_model_is_left_out_for_all(kind: Any) -> None:
    truth = [0, 0, None, 1, 1, 0]
    models = {"p": [0, None, 0, 1, 0, 0], "q": [0, 1, 1, 0, 1, 0], "r": [0, 0, 0, 1, 1, 1]}
    result = compare(truth, models, kind=kind, missing="drop")
    kept = [0, 3, 4, 5]
    assert result.n == 4
    assert result.settings["n_given"] == 6
    plain = compare([truth[i] for i in kept], {m: [x[i] for i in kept] for m, x in models.items()}, kind=kind)
    assert result.scores == plain.scores
    for pair in result:
        other = plain[pair.primary, pair.alternative]
        assert pair.agreement == other.agreement
        for cell in CELLS:
            if kind == "classification":
                assert pair.instances(cell).tolist() == [kept[i] for i in other.instances(cell)]
            else:
                scattered = [0] * 6
                for i, count in zip(kept, other.instances(cell).tolist(), strict=True):
                    scattered[i] = count
                assert pair.instances(cell).tolist() == scattered


def test_noise() -> None:
    truth, models = [0, 0, 1, 1], {"p": [0, 0, -1, -1], "q": [5, 5, 6, 6]}
    assert counts(compare(truth, models, kind="clustering")["p", "q"]) == [6, 0, 0, 0]
    alone = compare(truth, models, kind="clustering", noise="singletons")
    assert counts(alone["p", "q"]) == [5, 0, 1, 0]
    assert compare(truth, models, kind="clustering", noise="drop").n == 2
    assert alone.settings["noise"] == "singletons"


@pytest.mark.parametrize("kind", ["clustering", "classification"])
def test_counts_equal_repetition(kind: Any, rng: np.random.Generator) -> None:
    g, p, q = rng.integers(0, 3, (3, 25))
    weights = rng.integers(0, 4, 25)
    weighted = compare(g, {"p": p, "q": q}, kind=kind, counts=weights)
    repeated = compare(
        np.repeat(g, weights), {"p": np.repeat(p, weights), "q": np.repeat(q, weights)}, kind=kind
    )
    assert weighted.n == repeated.n == weights.sum()
    assert weighted.scores == repeated.scores
    assert weighted["p", "q"].agreement == repeated["p", "q"].agreement
    assert weighted["p", "q"].measures == repeated["p", "q"].measures


@pytest.mark.parametrize("kind", ["clustering", "classification"])
def test_threads_do_not_matter(kind: Any, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    g, p, q = rng.integers(0, 5, (3, 3_001))
    expected = compare(g, {"p": p, "q": q}, kind=kind).to_dict()
    monkeypatch.setattr(parallel, "WORTH_A_THREAD", 1)
    for n_spans in (1, 2, 7):
        monkeypatch.setattr(parallel, "n_cores", lambda n_spans=n_spans: n_spans)
        assert compare(g, {"p": p, "q": q}, kind=kind).to_dict() == expected


def test_names_are_text() -> None:
    assert compare(TRUTH, {1: TRUTH, 2.5: TRUTH}, kind="clustering").models == ("1", "2.5")
    numbered = pd.DataFrame({1: TRUTH, 0: [0] * 5})
    assert compare(TRUTH, numbered, kind="clustering")["1", "0"].wrong_right == 0


NOISE = "noise= is an option for clusterings: classes are never noise"


def test_classifiers_have_no_noise() -> None:
    for call in (
        lambda: compare([0, -1], {"p": [0, -1]}, kind="classification", noise="drop"),
        lambda: adjudge.evaluate([0, -1], [0, -1], kind="classification", noise="singletons", indices="all"),
        lambda: adjudge.accuracy([0, -1], [0, -1], noise="drop"),
        lambda: adjudge.polarization([0, -1], [0, -1], [0, 0], kind="classification", noise="drop"),
    ):
        with raises_line(InputError, NOISE):
            call()


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ({}, "models is empty: at least one model is needed"),
        ({1: TRUTH, "1": TRUTH}, "two models have the same name"),
        ({"labels_true": TRUTH}, "no model may be called 'labels_true'"),
        ({"p": TRUTH[:-1]}, "p has 4 entries, labels_true has 5: they must have the same length"),
    ],
)
def test_errors_of_models(models: Any, message: str) -> None:
    with raises_line(InputError, message):
        compare(TRUTH, models, kind="clustering")


@pytest.mark.parametrize(
    ("models", "is_a"), [([TRUTH], "a list"), (np.zeros((5, 2)), "an ndarray"), (None, "a NoneType")]
)
def test_models_have_names(models: Any, is_a: str) -> None:
    message = f"models is {is_a}: give a mapping of names to labels, or a data frame"
    with raises_line(InputTypeError, message):
        compare(TRUTH, models, kind="clustering")
    with raises_line(InputTypeError, "p is a NoneType: give a sequence of labels"):
        compare(TRUTH, {"p": None}, kind="clustering")


KINDS = "'clustering', 'classification', 'multilabel', 'regression', 'values'"
OF_CLUSTERINGS = "scores of a clustering are external indices"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "ranking"}, f"kind='ranking' is not known: choose one of {KINDS}"),
        ({"indices": "accuracy"}, f"accuracy is of kind 'classification': {OF_CLUSTERINGS}"),
        ({"indices": "dunn"}, f"dunn is of kind 'internal': {OF_CLUSTERINGS}"),
        (
            {"indices": adjudge.rand, "kind": "classification"},
            "rand is of kind 'external': scores of a classification are classification indices",
        ),
        ({"indices": []}, "indices is empty: give names, 'default' or 'all'"),
        ({"counts": [1]}, "counts has shape (1,), but there are 5 instances"),
    ],
)
def test_errors_of_options(options: dict[str, Any], message: str) -> None:
    with raises_line(InputError, message):
        compare(TRUTH, MODELS, **{"kind": "clustering", **options})


@pytest.mark.parametrize("engine", ["arrays", "pandas", "polars-lazy", "duckdb"])
def test_rows_that_are_left_out_are_counted_in_the_notice(
    engine: str, request: pytest.FixtureRequest
) -> None:
    truth, weight = ["a", "b"] * 10, np.linspace(0.5, 1.5, 20)
    models = {"one": [None] * 3 + truth[3:], "two": truth[::-1]}
    said = "3 of the 20 rows are left out, without a label"
    frame = pl.DataFrame({"truth": truth, **models, "weight": weight})
    for weights in ({}, {"sample_weight": "weight", "weights": "importance"}):
        options: dict[str, Any] = {"missing": "drop", "kind": "classification", **weights}
        if engine == "arrays":
            options |= {"sample_weight": weight} if weights else {}
            found = compare(truth, models, **options)
        else:
            found = compare(in_engine(frame, engine, request), ["one", "two"], truth="truth", **options)
        assert [own.message for own in found.warnings if own.code == "rows-left-out"] == [said]
        assert found.settings["n_given"] == 20
        assert said in repr(found)
    assert not compare(truth, {"two": truth[::-1]}, kind="classification", missing="drop").warnings


def test_the_page_counts_rows_that_are_left_out_under_sampling_weights(tmp_path: Path) -> None:
    truth, weight = ["a", "b"] * 10, np.linspace(0.5, 1.5, 20)
    models = {"one": [None] * 3 + truth[3:], "two": truth[::-1]}
    options = {"missing": "drop", "sample_weight": weight, "weights": "importance", "kind": "classification"}
    page = adjudge.report(truth, models, **options, output=tmp_path / "page.html").page
    assert "(3 instances left out" in page["sections"][0]["subject"]


def test_a_lazy_table_treats_all_missing_labels_alike() -> None:
    table = pl.LazyFrame({"truth": [0, 1, None], "old": [0, 1, 1], "new": [1, 1, 0]})
    with raises_line(InputError, "missing={'truth': 'drop'} is not known: choose one of 'raise', 'drop'"):
        compare(table, ["old", "new"], truth="truth", kind="classification", missing={"truth": "drop"})


def test_clusterings_that_have_nothing_to_do_with_the_truth_are_said_to() -> None:
    truth, better = np.repeat([0, 1], 40), np.repeat([0, 1, 0, 1], [39, 1, 1, 39])
    other, third = np.arange(80) % 2, np.arange(80) // 2 % 2
    assert max(adjudge.adjusted_rand(truth, own) for own in (other, third)) <= 0
    for models, is_said in (
        ({"p": other, "q": third}, True),
        ({"p": other}, True),
        ({"p": other, "q": better}, False),
    ):
        found = adjudge.compare(truth, models, kind="clustering", confidence=0.95)
        assert ("no-better-than-chance" in [own.code for own in found.verdict.cautions]) is is_said
    of_classes = adjudge.compare(truth, {"p": other, "q": third}, kind="classification")
    assert "no-better-than-chance" not in [own.code for own in of_classes.verdict.cautions]
