"""Probabilities and scores in tables: sums are exact, ranks have bounds, in every engine."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import adjudge
from adjudge.engines.frames import chunks, summed_scores
from adjudge.indices.forecast_record import ForecastIndex
from adjudge.inference.forecasts import summed_forecasts
from adjudge.statistics import binned_scores, score_sums
from adjudge.statistics.binned_scores import ScoreBins
from adjudge.statistics.ranked_scores import ranked, weighted_areas
from adjudge.tables import streaming
from table_engines import LAZY, in_engine, in_engines, rows_in_memory

EXACT = ("accuracy", "macro_f1", "log_loss", "brier_score", "d2_log_loss", "brier_skill_score")
CALIBRATED = ("expected_calibration_error", "maximum_calibration_error", "top_label_calibration_error")
RANKS = ("roc_auc", "gini", "average_precision", "macro_average_precision")
OF_POSITIVE = ("ks_statistic", "youden_index", "maximum_f1", "partial_auc", "mcclish_auc")
N = 700
ALONE = "the model has labels alone"


def two_classes(seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, N)
    p = 1 / (1 + np.exp(-(2 * truth - 1 + 1.5 * rng.normal(size=N))))
    # Values on the edges of bins, ties, and both ends.
    p[:100] = np.round(p[:100], 1)
    p[100:200] = np.round(p[100:200], 3)
    p[200], p[201], truth[200], truth[201] = 0.0, 1.0, 0, 1
    # On an edge, and in the narrow bin above it.
    p[202:242:2], p[203:243:2] = 0.3, 0.3 + 1e-5
    return pl.DataFrame(
        {
            "truth": np.where(truth == 1, "yes", "no"),
            "said": np.where(rng.random(N) < 0.2, "no", np.where(p > 0.4, "yes", "no")),
            "p_yes": p,
            "score_yes": np.log(p + 0.01) * 10,
            "country": np.array(["FR", "IT", "ES"])[rng.integers(0, 3, N)],
            "year": 2020 + rng.integers(0, 2, N),
        }
    )


def three_classes(seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, N)
    P = 0.4 * np.eye(3)[truth] + 0.6 * rng.dirichlet([1, 1, 1], N)
    P[:50] = np.round(P[:50], 1)
    P[:50, 0] = 1 - P[:50, 1:].sum(axis=1)
    P = np.abs(P)
    names = np.array(["cat", "dog", "owl"])
    return pl.DataFrame(
        {
            "truth": names[truth],
            "p.owl": P[:, 2],
            "p cat": P[:, 0],
            "p dog": P[:, 1],
            "country": np.array(["FR", "IT"])[rng.integers(0, 2, N)],
        }
    )


OF_THREE = {"cat": "p cat", "dog": "p dog", "owl": "p.owl"}


def agree_by_class(found: Any, wanted: Any) -> None:
    """Areas of each class are as far off as they say, and so are their intervals."""
    assert list(found.by_class) == list(wanted.by_class)
    for label, row in wanted.by_class.items():
        for name in ("roc_auc", "average_precision"):
            own = found.by_class[label].score(name)
            bound = 0.0 if own.reason is None else float(own.reason.removeprefix("error at most "))
            assert abs(own.value - row[name]) <= bound + 1e-12
            assert (own.low is None) == (row.score(name).low is None)
            if own.low is not None:
                near_interval(own, row.score(name), bound)


def near_interval(found: Any, wanted: Any, bound: float) -> None:
    """The interval is that of the rows, and wider by the bound of the value; so much its width may be off, too."""
    assert wanted.low - 5 * bound - 1e-9 <= found.low <= wanted.low + 1.5 * bound + 1e-9
    assert wanted.high - 1.5 * bound - 1e-9 <= found.high <= wanted.high + 5 * bound + 1e-9


def agree(found: Any, wanted: Any, exact: tuple[str, ...], bounded: tuple[str, ...]) -> None:
    for name in exact:
        assert found[name] == pytest.approx(wanted[name], rel=1e-11, abs=1e-15), name
        assert not found.score(name).error_bound
    for name in bounded:
        bound = found.score(name).error_bound
        assert bound is not None, name
        assert abs(found[name] - wanted[name]) <= bound + 1e-13, name


def parts_of(found: Any, wanted: Any) -> list[tuple[Any, Any]]:
    """Both results, and those of each group."""
    assert found.by_group.keys() == wanted.by_group.keys()
    return [(found, wanted), *((own, wanted.by_group[group]) for group, own in found.by_group.items())]


def of_both(table: Any, frame: pl.DataFrame, verb: Any = adjudge.evaluate, **asked: Any) -> tuple[Any, Any]:
    """What is said of a table, and of its rows in memory."""
    asked = {"truth": "truth", "kind": "classification", **asked}
    found, wanted = (verb(own, **asked) for own in (table, frame))
    return found, wanted


def test_columns_in_memory_are_judged_as_arrays_are() -> None:
    options: dict[str, Any] = {"kind": "classification", "confidence": 0.9}
    two, three = two_classes(), three_classes()
    truth, groups = two["truth"].to_list(), two["country"].to_list()
    P = three.select(OF_THREE.values()).to_numpy()
    for found, wanted in (
        (
            adjudge.evaluate(two, truth="truth", probabilities="p_yes", groups="country", **options),
            adjudge.evaluate(truth, probabilities=two["p_yes"].to_numpy(), groups=groups, **options),
        ),
        (
            adjudge.evaluate(two, truth="truth", pred="said", scores="score_yes", **options),
            adjudge.evaluate(truth, two["said"].to_list(), scores=two["score_yes"].to_numpy(), **options),
        ),
        (
            adjudge.evaluate(three, truth="truth", probabilities=OF_THREE, **options),
            adjudge.evaluate(three["truth"].to_list(), probabilities=P, classes=list(OF_THREE), **options),
        ),
    ):
        for own, other in parts_of(found, wanted):
            assert dict(own) == dict(other)
        assert found.intervals == wanted.intervals


@pytest.mark.full
@in_engines(["pandas", *LAZY])
def test_two_classes_in_one_column(engine: str, request: pytest.FixtureRequest) -> None:
    frame = two_classes()
    table = in_engine(frame, engine, request)
    indices = [*EXACT, *CALIBRATED, *RANKS, *OF_POSITIVE, "debiased_calibration_error"]
    found, wanted = of_both(table, frame, probabilities="p_yes", indices=indices)
    assert found.n == N
    exact = (*EXACT, *CALIBRATED, "debiased_calibration_error")
    if engine == "pandas":
        exact, bounded = (*exact, *RANKS, *OF_POSITIVE), ()
    else:
        bounded = (*RANKS, *OF_POSITIVE)
        assert found.score("roc_auc").error_bound < 1e-3
    agree(found, wanted, exact, bounded)
    assert [w.code for w in found.warnings] == [w.code for w in wanted.warnings]
    assert found.confusion.matrix.tolist() == wanted.confusion.matrix.tolist()
    assert found.by_class["yes"]["recall"] == wanted.by_class["yes"]["recall"]
    found, wanted = of_both(table, frame, probabilities="p_yes", indices="smooth_calibration_error")
    assert found["smooth_calibration_error"] == pytest.approx(wanted["smooth_calibration_error"], rel=1e-5)


@pytest.mark.full
@in_engines(LAZY)
def test_labels_positive_class_and_groups(engine: str, request: pytest.FixtureRequest) -> None:
    frame = two_classes(1)
    table = in_engine(frame, engine, request)
    asked: dict[str, Any] = {"pred": "said", "probabilities": {"yes": "p_yes"}, "positive": "no"}
    asked |= {"groups": ["country", "year"], "indices": [*EXACT, *CALIBRATED, *RANKS, *OF_POSITIVE]}
    found, wanted = of_both(table, frame, confidence=0.9, **asked)
    for own, other in parts_of(found, wanted):
        assert own.n == other.n
        agree(own, other, (*EXACT, *CALIBRATED), (*RANKS, *OF_POSITIVE))
    assert found.score("accuracy").interval == wanted.score("accuracy").interval
    for name in (*EXACT, *RANKS):
        near_interval(found.score(name), wanted.score(name), found.score(name).error_bound or 0.0)
    for name in CALIBRATED:
        assert found.score(name).interval_reason == wanted.score(name).interval_reason
    for name in OF_POSITIVE:
        assert (
            "collect the table, or read the file with the engine 'memory'"
            in found.score(name).interval_reason
        )
    for rows, others in (
        (found.differences, wanted.differences),
        (found.pair_differences, wanted.pair_differences),
    ):
        of_accuracy = [
            [
                (r.group, r.against, r.score.value, r.score.p_value)
                for r in each
                if r.score.index.name == "accuracy"
            ]
            for each in (rows, others)
        ]
        assert of_accuracy[0] == of_accuracy[1]
        assert len(rows) == len(others)
    assert len(found.disparities) == 4
    assert found.disparities == wanted.disparities


@pytest.mark.full
@in_engines(LAZY)
def test_a_column_of_the_first_class(engine: str, request: pytest.FixtureRequest) -> None:
    frame = two_classes().with_columns(p=1 - pl.col("p_yes"), s=-pl.col("score_yes"))
    table = in_engine(frame, engine, request)
    options: dict[str, Any] = {"positive": "no", "indices": [*EXACT, *CALIBRATED, *RANKS, *OF_POSITIVE]}
    found, wanted = of_both(table, frame, probabilities="p", **options)
    agree(found, wanted, (*EXACT, *CALIBRATED), (*RANKS, *OF_POSITIVE))
    by_name = adjudge.evaluate(frame["truth"].to_list(), probabilities=frame["p_yes"], **options)
    assert wanted["log_loss"] == pytest.approx(by_name["log_loss"])
    ranks = adjudge.evaluate(table, truth="truth", scores="s", positive="no", indices="roc_auc")
    agree(ranks, wanted, (), ("roc_auc",))


@pytest.mark.full
@in_engines(LAZY)
def test_three_classes(engine: str, request: pytest.FixtureRequest) -> None:
    frame = three_classes()
    table = in_engine(frame, engine, request)
    weighted = ("roc_auc_ovr_weighted", "weighted_average_precision")
    asked: dict[str, Any] = {"indices": [*EXACT, *CALIBRATED, *RANKS, *weighted], "confidence": 0.9}
    for given in (
        {"probabilities": OF_THREE},
        {"probabilities": list(OF_THREE.values()), "classes": list(OF_THREE)},
    ):
        found, wanted = of_both(table, frame, groups="country", **given, **asked)
        agree(found, wanted, (), ("roc_auc_ovr_weighted",))
        agree_by_class(found, wanted)
        for name in (*EXACT, *RANKS, *weighted):
            near_interval(found.score(name), wanted.score(name), found.score(name).error_bound or 0.0)
        for own, other in parts_of(found, wanted):
            agree(own, other, (*EXACT, *CALIBRATED), RANKS)
    found, wanted = of_both(table, frame, probabilities=OF_THREE, positive="dog", indices="ks_statistic")
    agree(found, wanted, (), ("ks_statistic",))


@pytest.mark.full
@in_engines(LAZY)
def test_scores_that_rank(engine: str, request: pytest.FixtureRequest) -> None:
    frame = two_classes(2)
    table = in_engine(frame, engine, request)
    indices = [*RANKS, *OF_POSITIVE]
    found, wanted = of_both(table, frame, scores="score_yes", groups="country", indices=indices)
    agree(found, wanted, (), (*RANKS, *OF_POSITIVE))
    agree_by_class(found, wanted)
    assert found.n == N
    assert sum(own.n for own in found.by_group.values()) == N
    labelled = adjudge.evaluate(table, truth="truth", pred="said", scores="score_yes", kind="classification")
    assert labelled["accuracy"] == (frame["truth"] == frame["said"]).mean()
    assert labelled["roc_auc"] == found["roc_auc"]


@pytest.mark.full
@in_engines(LAZY)
def test_labels_alone_in_groups(engine: str, request: pytest.FixtureRequest) -> None:
    frame = two_classes()
    found, wanted = of_both(in_engine(frame, engine, request), frame, pred="said", groups="country")
    for own, other in parts_of(found, wanted):
        assert dict(own) == dict(other)


@pytest.mark.full
def test_few_bins_still_bound_what_they_hide(monkeypatch: pytest.MonkeyPatch) -> None:
    """With bins as coarse as these, values are far off, and the bounds say so."""
    monkeypatch.setattr(binned_scores, "BINS", 12)
    monkeypatch.setattr(score_sums, "BINS", 12)
    widths = []
    for seed in range(40):
        frame = two_classes(seed)
        indices = [*RANKS, *OF_POSITIVE]
        found, wanted = of_both(frame.lazy(), frame, probabilities="p_yes", indices=indices)
        agree(found, wanted, (), (*RANKS, *OF_POSITIVE))
        widths.append([found.score(name).error_bound for name in (*RANKS, *OF_POSITIVE)])
    assert np.min(np.max(widths, axis=0)) > 0.001
    assert np.max(widths) < 0.5


def test_bounds_are_reached() -> None:
    """The orders of a bin that are possible have these areas and average precisions, and no others."""
    rng = np.random.default_rng(3)
    for _ in range(300):
        n = int(rng.integers(2, 7))
        hits = rng.integers(0, 2, n)
        if hits.all() or not hits.any():
            continue
        scores = rng.integers(0, 4, n) + rng.integers(0, 3, n) / 4
        bins = ScoreBins.of(np.floor(scores), hits == 1, np.ones(n, np.int64), scores, scores)
        least, greatest, _ = bins.areas
        low, high = bins.average_precisions
        area, precision = weighted_areas(ranked(scores, hits, 1))
        assert least - 1e-12 <= area <= greatest + 1e-12
        assert low - 1e-12 <= precision <= high + 1e-12
    # Two of each in a bin: all orders that keep the ends.
    assert ScoreBins.of(
        np.zeros(4), np.array([True, True, False, False]), np.ones(4, np.int64), *([[0, 3, 1, 2.0]] * 2)
    ).areas == (0.0, 1.0, 0.5)
    # Sides that do not overlap, and ties, leave nothing open.
    apart = ScoreBins.of(
        np.zeros(3), np.array([True, False, False]), np.ones(3, np.int64), *([[0.9, 0.1, 0.2]] * 2)
    )
    assert apart.areas == (1.0, 1.0, 1.0)
    tied = ScoreBins.of(np.zeros(3), np.array([True, False, False]), np.ones(3, np.int64), *([[0.5] * 3] * 2))
    assert tied.areas == (0.5, 0.5, 0.5)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"probabilities": "q_yes"}, "the table has no column 'q_yes'"),
        ({"probabilities": "country"}, "column 'country' has type String: probabilities are numbers"),
        ({"probabilities": "score_yes"}, "entries that are missing or not between 0 and 1"),
        ({"probabilities": ["p_yes", "score_yes"]}, "does not say which class each column is of"),
        ({"probabilities": {"maybe": "p_yes"}}, "'maybe' is not a class: choose one of 'no', 'yes'"),
        ({"probabilities": {"no": "p_yes", "yes": "p2"}}, "probabilities add up to"),
        ({"probabilities": 3.5}, "probabilities is a float: name a column"),
        ({"probabilities": "p_yes", "kind": "clustering"}, "is an option for classifiers"),
        ({"probabilities": "p_yes", "scores": "score_yes"}, "give one of them"),
        (
            {"probabilities": "p_yes", "indices": "roc_auc_ovo"},
            "roc_auc_ovo needs the scores of all instances",
        ),
        ({"probabilities": "p_yes", "indices": "brier_reliability"}, "needs the scores of all instances"),
        ({"probabilities": "p_yes", "indices": "calibration_slope"}, "collect the table first"),
        (
            {"probabilities": "p_yes", "sample_weight": "year", "weights": "importance", "confidence": 0.9},
            "needs the weight of each row",
        ),
        ({"probabilities": "p_yes", "positive": "maybe"}, "positive='maybe' is not a class"),
        ({"probabilities": "p_yes", "classes": ["a", "b"]}, "which is not among the classes"),
        (
            {"probabilities": "p_yes", "features": ["score_yes"], "labels": "said"},
            "judged in a call of their own",
        ),
        ({"probabilities": "p_yes", "noise": "drop"}, "classes are never noise"),
    ],
)
def test_mistakes_are_named(given: dict[str, Any], said: str) -> None:
    frame = two_classes().with_columns(p2=pl.col("p_yes") * 0.5)
    with pytest.raises(adjudge.AdjudgeError, match=said):
        adjudge.evaluate(frame.lazy(), truth="truth", **{"kind": "classification", **given})


@pytest.mark.full
@in_engines(LAZY)
def test_what_is_missing(engine: str, request: pytest.FixtureRequest) -> None:
    frame = two_classes()
    gaps = np.arange(N) % 50 == 3
    broken = frame.with_columns(p_yes=pl.when(pl.Series(gaps)).then(None).otherwise(pl.col("p_yes")))
    three = three_classes()
    lost = three.with_columns(
        pl.when(pl.Series(np.arange(N) == 5)).then(None).otherwise(pl.col("p dog")).alias("p dog")
    )
    unlabelled = frame.with_columns(truth=pl.when(pl.Series(gaps)).then(None).otherwise(pl.col("truth")))
    asked: dict[str, Any] = {"truth": "truth", "kind": "classification"}
    for own, probabilities, said in (
        (broken, "p_yes", "column 'p_yes' has 14 entries that are missing"),
        (lost, OF_THREE, "column 'p dog' has 1 entries that are missing"),
        (unlabelled, "p_yes", "column 'truth' has 14 missing labels"),
    ):
        table = in_engine(own, engine, request)
        with pytest.raises(adjudge.InputError, match=said):
            adjudge.evaluate(table, probabilities=probabilities, **asked)
    found = adjudge.evaluate(table, probabilities="p_yes", missing="drop", indices="log_loss", **asked)
    kept = frame.filter(pl.Series(~gaps))
    assert found["log_loss"] == pytest.approx(
        adjudge.log_loss(kept["truth"].to_list(), kept["p_yes"].to_numpy())
    )


def test_an_impossible_class_is_counted() -> None:
    frame = two_classes().with_columns(
        p_yes=pl.when(pl.int_range(N) < 3).then(0.0).otherwise(pl.col("p_yes"))
    )
    frame = frame.with_columns(truth=pl.when(pl.int_range(N) < 3).then(pl.lit("yes")).otherwise("truth"))
    found = adjudge.evaluate(
        frame.lazy(), truth="truth", probabilities="p_yes", kind="classification", indices="log_loss"
    )
    assert math.isinf(found["log_loss"])
    assert found.reasons["log_loss"] == "the true class of 3 instances had the probability 0"


def test_bins_that_are_not_made_up_of_the_engines() -> None:
    own = adjudge.expected_calibration_error.variant(
        "ece_of_eleven", title="ECE of eleven bins", fixed={"n_bins": 11}, aliases=(), peers={}
    )
    frame = two_classes()
    with pytest.raises(adjudge.InputError, match="counted scores in 50,400 bins"):
        adjudge.evaluate(
            frame.lazy(), truth="truth", probabilities="p_yes", kind="classification", indices=[own]
        )


def two_models(seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    q = np.clip(two_classes(seed)["p_yes"].to_numpy() + 0.3 * rng.normal(size=N), 0, 1)
    return two_classes(seed).with_columns(q_yes=q, said_q=pl.Series(np.where(q > 0.6, "yes", "no")))


@pytest.mark.full
@in_engines(["pandas", *LAZY])
def test_models_are_compared_by_their_probabilities(engine: str, request: pytest.FixtureRequest) -> None:
    frame = two_models()
    table = in_engine(frame, engine, request)
    exact, bounded = ("accuracy", "log_loss", "brier_score"), ("roc_auc", "average_precision")
    asked = {"probabilities": {"a": "p_yes", "b": ["q_yes"]}, "indices": [*exact, *bounded]}
    found, wanted = of_both(table, frame, adjudge.compare, groups="country", **asked)
    parts = parts_of(found, wanted)
    assert len(parts) == 4
    for own, other in parts:
        assert own["a", "b"].agreement == other["a", "b"].agreement
        for model in ("a", "b"):
            assert own.scores[model].keys() == other.scores[model].keys()
            for name in exact:
                assert own.scores[model][name] == pytest.approx(other.scores[model][name], rel=1e-11)
            for name in bounded:
                bound = own.judged[model][name].error_bound or 0.0
                assert own.scores[model][name] == pytest.approx(other.scores[model][name], abs=bound + 1e-12)
        for name, row in own["b", "a"].differences.items():
            assert row.value == pytest.approx(other["b", "a"].differences[name].value, abs=1e-3)
    rows, others = (
        {(r.group, r.score.index.name): r for r in each.group_differences} for each in (found, wanted)
    )
    assert rows.keys() == others.keys()
    for key, row in rows.items():
        assert row.is_reversed == others[key].is_reversed
        assert row.score.value == pytest.approx(others[key].score.value, abs=1e-3)
    assert "Differences" in str(found)
    if engine != "pandas":
        assert found["a", "b"].differences["roc_auc"].reason.startswith("error at most ")
        rows_of_cell = found["a", "b"].instances("right_wrong")
        assert found["a", "b"].right_wrong == nw_length(rows_of_cell)


def nw_length(rows: Any) -> int:
    import narwhals as nw

    frame = nw.from_native(rows_in_memory(rows))
    return len(frame.collect() if isinstance(frame, nw.LazyFrame) else frame)


def test_models_compared_by_sums_stand_as_those_compared_by_rows() -> None:
    """The same scores in the same order, also of groups; what is untested says so if tests were asked for."""
    frame = two_models().with_columns(pl.col("p_yes", "q_yes").clip(0.01, 0.99))
    asked: dict[str, Any] = {"kind": "classification", "truth": "truth", "groups": "country"}
    asked["probabilities"] = {"a": "p_yes", "b": "q_yes"}
    for confidence in (None, 0.95):
        wanted, found = (
            adjudge.compare(own, **asked, confidence=confidence) for own in (frame, frame.lazy())
        )
        rows, others = ([(r.group, r.score.index) for r in own.group_differences] for own in (found, wanted))
        assert rows == others
        assert found.settings["scores"] == wanted.settings["scores"]
        for group, own in found.by_group.items():
            each = [part.scores["b"]["brier_score"] for part in (own, wanted.by_group[group])]
            assert each[0] == pytest.approx(each[1], rel=1e-12)
        assert found["a", "b"].differences["roc_auc"].reason.startswith("error at most ")
        for part, other in parts_of(found, wanted):
            differences_agree(part["a", "b"].differences, other["a", "b"].differences)
    alone = adjudge.compare(frame.lazy(), **asked, indices="accuracy")
    assert alone["a", "b"].differences["accuracy"].reason is None


def differences_agree(found: Any, wanted: Any) -> None:
    """Differences have the intervals and tests of the rows, to 1e-9 or to the bounds of both scores."""
    for name, row in found.items():
        other, reason = wanted[name], row.reason or ""
        bound = float(reason.split("; ")[0].removeprefix("error at most ")) if "error at" in reason else 0.0
        assert (row.low is None) == (other.low is None), name
        if row.low is not None:
            near_interval(row, other, bound)
            assert row.p_value >= other.p_value * (1 - 1e-6) or bound, name
            assert bound or row.p_value == pytest.approx(other.p_value, rel=1e-6), name


@pytest.mark.full
@in_engines(LAZY)
def test_models_with_labels_of_their_own(engine: str, request: pytest.FixtureRequest) -> None:
    frame = two_models(1)
    table = in_engine(frame, engine, request)
    columns = {"said": "p_yes", "said_q": "q_yes"}
    for option in ("probabilities", "scores"):
        asked: dict[str, Any] = {"models": list(columns), option: columns, "confidence": 0.9}
        found, wanted = of_both(table, frame, adjudge.compare, **asked)
        assert found.scores["said"].keys() == wanted.scores["said"].keys()
        accuracy, other = (r["said", "said_q"].differences["accuracy"] for r in (found, wanted))
        assert (accuracy.interval, accuracy.p_value) == (other.interval, other.p_value)
        area = found["said", "said_q"].differences["roc_auc"]
        assert area.value == pytest.approx(wanted["said", "said_q"].differences["roc_auc"].value, abs=1e-3)
        differences_agree(found["said", "said_q"].differences, wanted["said", "said_q"].differences)
    alone = adjudge.compare(
        table, truth="truth", models=list(columns), scores=columns, kind="classification", indices="roc_auc"
    )
    assert alone.scores["said"].keys() == {"roc_auc"}
    assert alone["said", "said_q"].differences.keys() == {"roc_auc"}


def test_results_are_pickled_without_the_table() -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    frame = two_models()
    asked: dict[str, Any] = {"truth": "truth", "kind": "classification", "confidence": 0.9}
    for table in (frame.lazy(), duckdb.from_arrow(frame.to_arrow())):
        found = adjudge.compare(table, probabilities={"a": "p_yes"}, **asked)
        copy = pickle.loads(pickle.dumps(found))
        judged = [own.evaluations["a"].by_class["yes"].score("roc_auc") for own in (copy, found)]
        assert judged[0] == judged[1]
        judged_alone = adjudge.evaluate(table, probabilities="p_yes", **asked)
        assert dict(pickle.loads(pickle.dumps(judged_alone))) == dict(judged_alone)


@pytest.mark.full
@in_engines(LAZY)
def test_intervals_and_tests_by_unit(engine: str, request: pytest.FixtureRequest) -> None:
    frame = two_models(3).with_columns(patient=pl.Series(np.random.default_rng(5).integers(0, 80, N)))
    table = in_engine(frame, engine, request)
    asked: dict[str, Any] = {"confidence": 0.9, "groups": "country", "units": "patient"}
    asked |= {"indices": ["accuracy", *EXACT[2:], *RANKS]}
    found, wanted = of_both(table, frame, probabilities="p_yes", **asked)
    assert found.units == wanted.units
    agree_by_class(found, wanted)
    for one, other in parts_of(found, wanted):
        for name in asked["indices"]:
            near_interval(one.score(name), other.score(name), one.score(name).error_bound or 0.0)
    bounds = [own.score(name).error_bound or 0.0 for own in found.by_group.values() for name in RANKS]
    assert len(found.differences) == len(wanted.differences) > 0
    for row, same in zip(found.differences, wanted.differences, strict=True):
        assert (row.group, row.score.index) == (same.group, same.score.index)
        near_interval(row.score, same.score, 4 * max(bounds) if row.score.index.name in RANKS else 0.0)
    both = {"first": "p_yes", "second": "q_yes"}
    for one, other in parts_of(*of_both(table, frame, adjudge.compare, probabilities=both, **asked)):
        differences_agree(one["first", "second"].differences, other["first", "second"].differences)


@in_engines(["pandas", "polars", "pyarrow", "polars-lazy", "duckdb"])
def test_a_model_with_labels_alone_beside_one_with_probabilities(
    engine: str, request: pytest.FixtureRequest
) -> None:
    frame = two_models(1)
    table = in_engine(frame, engine, request)
    options: dict[str, Any] = {
        "kind": "classification",
        "groups": "year",
        "truth": "truth",
        "positive": "yes",
    }
    for named, option in ((["said", "said_q"], "probabilities"), (["said_q", "said"], "scores")):
        both = adjudge.compare(table, named, **{option: {"said": "p_yes", "said_q": "q_yes"}}, **options)
        found = adjudge.compare(table, named, **{option: {"said": "p_yes"}}, **options)
        assert list(found.models) == named
        assert found.judged["said"] == both.judged["said"]
        for part, whole in parts_of(found, both):
            for name, score in part.judged["said_q"].items():
                if isinstance(score.index, ForecastIndex):
                    assert score.reason == part["said", "said_q"].differences[name].reason == ALONE
                else:
                    assert score == whole.judged["said_q"][name]
            assert part["said", "said_q"].agreement == whole["said", "said_q"].agreement
        (notice,) = (own.message for own in found.warnings if own.code == "labels-alone")
        assert notice.startswith("only labels were given of said_q, so there is no ")
        assert [own.code for own in both.warnings if own.code == "labels-alone"] == []


@pytest.mark.full
@in_engines(LAZY)
def test_models_of_three_classes(engine: str, request: pytest.FixtureRequest) -> None:
    frame = three_classes()
    turned = dict(zip(OF_THREE, [OF_THREE["dog"], OF_THREE["cat"], OF_THREE["owl"]], strict=True))
    given = {"one": OF_THREE, "two": turned}
    table = in_engine(frame, engine, request)
    found, wanted = of_both(table, frame, adjudge.compare, probabilities=given)
    assert found["one", "two"].agreement == wanted["one", "two"].agreement
    for model in given:
        assert found.scores[model]["log_loss"] == pytest.approx(wanted.scores[model]["log_loss"], rel=1e-11)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"probabilities": "p_yes"}, "give a mapping from models to columns"),
        (
            {"models": ["said"], "probabilities": {"said_q": "q_yes"}},
            "probabilities has 'said_q', which is not a model: choose from 'said'",
        ),
        ({"scores": {"a": "score_yes"}}, "name the columns with the models' labels as well"),
        ({"probabilities": {"a": "x"}}, "the table has no column 'x'"),
        (
            {
                "probabilities": {"a": "p_yes"},
                "sample_weight": "year",
                "weights": "importance",
                "confidence": 0.9,
            },
            "needs the weight of each row",
        ),
        ({"probabilities": {"a": "p_yes"}, "kind": "clustering"}, "is an option for classifiers"),
        ({"probabilities": {"a": "p_yes"}, "indices": "roc_auc_ovo"}, "needs the scores of all instances"),
    ],
)
def test_mistakes_of_several_models_are_named(given: dict[str, Any], said: str) -> None:
    with pytest.raises(adjudge.AdjudgeError, match=said):
        adjudge.compare(two_models().lazy(), truth="truth", **{"kind": "classification", **given})


@pytest.mark.full
@in_engines(["pandas", *LAZY])
def test_rows_with_few_decimals_in_tables(engine: str, request: pytest.FixtureRequest) -> None:
    """Thirds with three decimals: every engine divides them by their sums, and says so."""
    rows = [[0.334, 0.333, 0.333], [0.333, 0.333, 0.333], [0.1, 0.2, 0.7], [0.667, 0.167, 0.167]]
    wanted = -sum(map(math.log, (0.334, 1 / 3, 0.7, 0.667 / 1.001))) / 4
    columns = {label: f"p {label}" for label in "abc"}
    frame = pl.DataFrame(
        {"truth": list("abca"), **{f"p {c}": [row[i] for row in rows] for i, c in enumerate("abc")}}
    )
    ask: dict[str, Any] = {"truth": "truth", "kind": "classification", "indices": ["log_loss"]}
    table = in_engine(frame, engine, request)
    found = adjudge.evaluate(table, probabilities=columns, **ask)
    assert found["log_loss"] == pytest.approx(wanted)
    assert any("but did within 3 decimals" in notice.message for notice in found.warnings)
    compared = adjudge.compare(table, probabilities={"m": columns}, **ask)
    assert compared.scores["m"]["log_loss"] == pytest.approx(wanted)
    assert any("but did within 3 decimals" in notice.message for notice in compared.warnings)
    for odd, said in (
        (frame.with_columns(pl.col("p a") + 0.003), r"add up to 1.* in (a row|row 0): divide each row"),
        (
            frame.with_columns(pl.col("^p.*$") * 100),
            "these look like percentages, so divide all of them by 100",
        ),
    ):
        table = in_engine(odd, engine, request)
        with pytest.raises(adjudge.InputError, match=said):
            adjudge.evaluate(table, probabilities=columns, **ask)


@in_engines(["polars-lazy", "duckdb", "dask", "ibis"])
def test_chunks_add_up(engine: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """However the rows are cut, the sums are those of all rows; groups and gaps of a few decimals too."""
    frame, rounded = two_classes(), {name: f"r_{name}" for name in OF_THREE}
    thirds = {f"r_{name}": pl.lit(0.333 + 0.001 * (i == 0)) for i, name in enumerate(OF_THREE)}
    three = three_classes().with_columns(**thirds)
    asked: list[tuple[pl.DataFrame, dict[str, Any]]] = [
        (frame, {"probabilities": "p_yes", "groups": ["country", "year"], "pred": "said"}),
        (frame, {"scores": "score_yes", "groups": "country"}),
        (three, {"probabilities": OF_THREE}),
        (three, {"probabilities": rounded}),
    ]
    for rows, given in asked:
        options: dict[str, Any] = {"truth": "truth", "kind": "classification", **given}
        whole = adjudge.evaluate(rows.lazy(), **options)
        monkeypatch.setattr(chunks, "_ROWS", 64)
        parts = adjudge.evaluate(in_engine(rows, engine, request), **options)
        monkeypatch.undo()
        for found, wanted in parts_of(parts, whole):
            assert dict(found) == pytest.approx(dict(wanted), rel=1e-12, nan_ok=True)
            for name in wanted:
                assert found.score(name).error_bound == pytest.approx(
                    wanted.score(name).error_bound, abs=1e-12
                )


def test_rows_that_change_between_two_readings_are_noticed() -> None:
    readings = iter(range(100))
    frame = two_classes().lazy()
    changing = frame.map_batches(lambda own: own.head(N - next(readings)), schema=frame.collect_schema())
    with pytest.raises(adjudge.InputError, match="the table's rows changed between two readings"):
        adjudge.evaluate(changing, truth="truth", probabilities="p_yes", kind="classification")


@pytest.mark.full
def test_dask_adds_up_in_processes(request: pytest.FixtureRequest) -> None:
    """What partitions are summed with can be pickled."""
    dask = pytest.importorskip("dask", reason="Dask is not installed")
    frame = three_classes()
    options: dict[str, Any] = {"truth": "truth", "probabilities": OF_THREE, "kind": "classification"}
    with dask.config.set(scheduler="processes", num_workers=1):
        found = adjudge.evaluate(in_engine(frame, "dask", request), **options)
    wanted = adjudge.evaluate(frame, **options)
    assert found["log_loss"] == pytest.approx(wanted["log_loss"], rel=1e-12)


def test_with_many_groups_only_cells_with_scores_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    options: dict[str, Any] = {"truth": "truth", "kind": "classification", "groups": ["country", "year"]}
    for scores in ({"probabilities": "p_yes"}, {"scores": "score_yes", "pred": "said"}):
        wanted = adjudge.evaluate(two_classes().lazy(), **options, **scores)
        with monkeypatch.context() as few:
            few.setattr(chunks, "_ROWS", 64)
            few.setattr(score_sums, "MOST_PLACES", 0)
            few.setattr(score_sums, "_MOST_RECENT", 100)
            found = adjudge.evaluate(two_classes().lazy(), **options, **scores)
        for own, other in parts_of(found, wanted):
            assert dict(own) == pytest.approx(dict(other), rel=1e-12)


@pytest.mark.parametrize("units", [None, "unit"])
def test_rows_are_read_once_for_all_groups(units: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums of all groups are made in one reading, and what intervals and differences read in another."""
    readings: list[int] = []

    def counted(*given: Any) -> Any:
        readings.append(1)
        return chunks.map_chunks(*given)

    monkeypatch.setattr(summed_scores, "map_chunks", counted)
    frame = two_models().with_columns(unit=pl.int_range(N) // 7)
    asked: dict[str, Any] = {"truth": "truth", "kind": "classification", "confidence": 0.9}
    asked |= {"groups": "country", "units": units}
    wanted = adjudge.evaluate(frame, probabilities="p_yes", **asked)
    found = adjudge.evaluate(frame.lazy(), probabilities="p_yes", **asked)
    assert len(readings) == 2
    assert len(found.by_group) == 3
    both = {"a": "p_yes", "b": "q_yes"}
    pairs = adjudge.compare(frame.lazy(), probabilities=both, **asked)
    assert len(readings) == 4
    of_rows = adjudge.compare(frame, probabilities=both, **asked)
    for group, own in wanted.by_group.items():
        for name in ("log_loss", "brier_score"):
            assert found.by_group[group].score(name).interval == pytest.approx(
                own.score(name).interval, abs=1e-9
            )
            one, other = (each.by_group[group]["a", "b"].differences[name] for each in (pairs, of_rows))
            assert one.interval == pytest.approx(other.interval, abs=1e-9)
    # What does not fit into memory at a time is read in several turns: first one model after the other.
    monkeypatch.setattr(summed_scores, "MOST_PLACES", 1)
    one_by_one = adjudge.compare(frame.lazy(), probabilities=both, **asked)
    assert len(readings) == 7
    for name in ("log_loss", "roc_auc"):
        one, other = (own["a", "b"].differences[name].interval for own in (one_by_one, pairs))
        assert one == pytest.approx(other, abs=1e-9)
    monkeypatch.setattr(summed_forecasts, "_MOST_BYTES", 1)
    again = adjudge.evaluate(frame.lazy(), probabilities="p_yes", **asked)
    assert len(readings) > 10
    for group in found.by_group:
        intervals = [own.by_group[group].score("log_loss").interval for own in (again, found)]
        assert intervals[0] == pytest.approx(intervals[1], rel=1e-9)


def of_one_model(found: Any) -> Any:
    return found["first"] if isinstance(found, adjudge.Evaluations) else found


@pytest.mark.parametrize("engine", ["auto", "duckdb"])
def test_scores_of_large_parquet_files_are_summed(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a lazy table; what needs the scores of all rows reads them."""
    pytest.importorskip("duckdb", reason="DuckDB is not installed")
    frame = two_models().with_columns(number=(pl.col("truth") == "yes").cast(pl.Int64))
    for i in range(2):
        frame[i * N // 2 : (i + 1) * N // 2].write_parquet(tmp_path / f"part{i}.parquet")
    options: dict[str, Any] = {"truth": "truth", "probabilities": "p_yes", "kind": "classification"}
    calls = [
        options | {"groups": "country"},
        {
            **options,
            "pred": {"first": adjudge.Classifier("said", probabilities="p_yes")},
            "probabilities": None,
        },
        options | {"truth": "number", "positive": "1"},
    ]
    if engine == "auto":
        monkeypatch.setattr(streaming, "SMALL_PARQUET", 0)
        assert adjudge.evaluate(str(tmp_path), **options).score("roc_auc").error_bound is None
        monkeypatch.setattr(streaming, "MOST_SCORES", N - 1)
    for given in calls:
        of_rows = adjudge.evaluate(str(tmp_path), **given, engine="memory")
        found = adjudge.evaluate(str(tmp_path), **given, engine=engine)
        one, other = map(of_one_model, (found, of_rows))
        assert one.score("roc_auc").error_bound is not None
        agree(one, other, EXACT[:4], ("roc_auc", "average_precision"))
        assert one.by_group.keys() == other.by_group.keys()
        sure, of_all = (
            of_one_model(adjudge.evaluate(str(tmp_path), **given, confidence=0.9, engine=read))
            for read in (engine, "memory")
        )
        for name in ("log_loss", "brier_score", "roc_auc", "average_precision"):
            near_interval(sure.score(name), of_all.score(name), sure.score(name).error_bound or 0.0)
    for given in (options, options | {"truth": "number", "positive": "1"}):
        asked = given | {"probabilities": {"a": "p_yes", "b": "q_yes"}, "confidence": 0.9}
        found, of_rows = (adjudge.compare(str(tmp_path), **asked, engine=read) for read in (engine, "memory"))
        assert found["a", "b"].differences["roc_auc"].reason.startswith("error at most ")
        assert found["a", "b"].agreement == of_rows["a", "b"].agreement
        rows = found["a", "b"].instances("right_wrong")
        assert isinstance(rows, pa.Table)
        assert rows.num_rows == found["a", "b"].right_wrong
        differences_agree(found["a", "b"].differences, of_rows["a", "b"].differences)
    for needing in (
        {"indices": "smooth_calibration_error"},
        {"indices": ["roc_auc_ovo"]},
    ):
        if engine == "auto":
            assert adjudge.evaluate(str(tmp_path), **options, **needing) == adjudge.evaluate(
                str(tmp_path), **options, **needing, engine="memory"
            )
        else:
            with pytest.raises(adjudge.InputError, match="needs all rows in memory: leave out engine="):
                adjudge.evaluate(str(tmp_path), **options, **needing, engine=engine)


@pytest.mark.parametrize("truth", ["truth", "number", "odd"])
def test_scores_of_large_files_of_text_are_summed(
    truth: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Labels mean what they mean to who reads all rows, and a word among the probabilities is an error."""
    pytest.importorskip("duckdb", reason="DuckDB is not installed")
    number = (pl.col("truth") == "yes").cast(pl.Int64)
    # The same numbers, written in several ways.
    odd = (
        pl.when(pl.int_range(N) % 3 == 0).then(pl.format(" {}.0", number)).otherwise(pl.format("{} ", number))
    )
    frame = two_models().with_columns(number=number, odd=odd, unit=pl.int_range(N) // 5)
    path = tmp_path / "rows.csv"
    frame.write_csv(path)
    asked: dict[str, Any] = {"truth": truth, "kind": "classification", "confidence": 0.9, "groups": "country"}
    asked |= {"positive": "yes" if truth == "truth" else "1"}
    both = {"a": "p_yes", "b": "q_yes"}

    def results() -> tuple[Any, Any, Any, Any]:
        gated = {"truth": truth, "positive": asked["positive"], "groups": "country", "margin": 0.02}
        return (
            adjudge.evaluate(path, probabilities="p_yes", **asked),
            adjudge.evaluate(path, probabilities="p_yes", units="unit", **asked),
            adjudge.compare(path, probabilities=both, **asked),
            adjudge.gate(path, probabilities={"old": "p_yes", "new": "q_yes"}, **gated),
        )

    wanted = results()
    assert adjudge.evaluate(path, probabilities="p_yes", **asked).score("roc_auc").error_bound is None
    monkeypatch.setattr(streaming, "SMALL_TEXT", 0)
    monkeypatch.setattr(streaming, "MOST_SCORES", N - 1)
    found = results()
    for own, of_rows in zip(found[:2], wanted[:2], strict=True):
        assert own.score("roc_auc").error_bound is not None
        agree(own, of_rows, EXACT[:4], ("roc_auc", "average_precision"))
        assert [row.label for row in own.by_class.values()] == [
            row.label for row in of_rows.by_class.values()
        ]
        assert own.by_group.keys() == of_rows.by_group.keys()
        for name in ("log_loss", "brier_score"):
            assert own.score(name).interval == pytest.approx(of_rows.score(name).interval, abs=1e-9)
    one, other = (each[2]["a", "b"] for each in (found, wanted))
    assert one.agreement == other.agreement
    assert one.instances("right_wrong").num_rows == one.right_wrong
    for name in ("accuracy", "log_loss"):
        assert one.differences[name].interval == pytest.approx(other.differences[name].interval, abs=1e-9)
    gated, of_rows = found[3], wanted[3]
    assert [own.status for own in gated.tested] == [own.status for own in of_rows.tested]
    rows, others = gated.rows_of("right_wrong"), of_rows.rows_of("right_wrong")
    assert {*rows.columns} == {*others.columns}
    order = [rows.columns.index(name) for name in others.columns]
    assert sorted([row[i] for i in order] for row in rows.rows) == sorted(map(list, others.rows))
    words = frame.with_columns(p_yes=pl.when(pl.int_range(N) == 9).then(pl.lit("high")).otherwise("p_yes"))
    words.write_csv(path)
    with pytest.raises(adjudge.InputError, match="high"):
        adjudge.evaluate(path, probabilities="p_yes", **asked, missing="drop")


def test_only_columns_that_are_named_are_read_of_partitions() -> None:
    dask, dataframe = pytest.importorskip("dask"), pytest.importorskip("dask.dataframe")
    rows = two_models().to_pandas()
    read: set[str] = set()

    def part(i: int, columns: list[str] | None = None) -> Any:
        own = rows[i::3] if columns is None else rows[i::3][columns]
        read.update(own.columns)
        return own

    table = dataframe.from_map(part, range(3), meta=rows.iloc[:0])
    asked: dict[str, Any] = {"truth": "truth", "confidence": 0.9}
    both, gated = {"a": "p_yes", "b": "q_yes"}, {"old": "p_yes", "new": "q_yes"}
    with dask.config.set(scheduler="sync"):
        for missing in ("raise", "drop"):
            read.clear()
            found = adjudge.compare(table, probabilities=both, missing=missing, **asked)
            decision = adjudge.gate(table, probabilities=gated, missing=missing, **asked)
            adjudge.evaluate(table, probabilities="p_yes", missing=missing, **asked)
            assert read == {"truth", "p_yes", "q_yes"}
    # What is shown of the rows has all columns.
    assert {*rows} < {*found["a", "b"].instances("right_wrong").columns}
    assert found["a", "b"].right_wrong == decision.comparison["old", "new"].right_wrong
