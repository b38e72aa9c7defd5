"""Weights beside probabilities: what sums of a table's rows say is what arrays say, in every engine."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import adjudge
from adjudge.statistics import binned_scores, score_sums
from adjudge.statistics.binned_scores import ScoreBins
from adjudge.statistics.ranked_scores import ranked, weighted_areas
from table_engines import LAZY, in_engine, in_engines

N = 600
SUMS = ("accuracy", "macro_f1", "log_loss", "brier_score", "d2_log_loss")
CALIBRATED = ("expected_calibration_error", "top_label_calibration_error")
RANKS = ("roc_auc", "average_precision", "macro_average_precision")
ASKED: dict[str, Any] = {"kind": "classification", "indices": [*SUMS, *RANKS]}
FILES = ["parquet", "folder", "csv"]
#: What is said of the weights, and whether an interval of each score follows.
DESIGNS: list[tuple[dict[str, Any], bool]] = [
    ({"sample_weight": "w", "groups": "town"}, False),
    ({"sample_weight": "f", "weights": "frequency"}, True),
    ({"sample_weight": "w", "units": "u"}, True),
    ({"sample_weight": "w", "weights": "importance", "units": "u", "groups": "town"}, True),
    ({"sample_weight": "f", "weights": "frequency", "units": "u", "groups": "town"}, True),
]


def weighted_frame(k: int, *, gaps: bool = True) -> pl.DataFrame:
    """Two models of k classes; rows of weight 0 lack a label and a probability."""
    rng = np.random.default_rng(k)
    codes = rng.integers(0, k, N)
    P = 0.35 * np.eye(k)[codes] + 0.65 * rng.dirichlet(np.ones(k), N)
    Q = P * rng.uniform(0.5, 1.5, P.shape)
    f = rng.integers(0, 4, N)
    frame = pl.DataFrame(
        {
            "truth": np.array(["cat", "dog", "owl"])[codes],
            "w": rng.lognormal(size=N) * (f > 0),
            "f": f,
            "u": rng.integers(0, 50, N),
            "town": np.array(["Bonn", "Lyon"])[rng.integers(0, 2, N)],
            **{f"p_{i}": P[:, i] for i in range(k)},
            **{f"q_{i}": own for i, own in enumerate((Q / Q.sum(axis=1, keepdims=True)).T)},
        }
    )
    absent = pl.col("f") == 0
    lost = [pl.when(absent).then(None).otherwise(pl.col(name)).alias(name) for name in ("truth", "p_0")]
    return frame.with_columns(lost) if gaps else frame


def columns_of(model: str, k: int) -> dict[str, str]:
    return {name: f"{model}_{i}" for i, name in enumerate(("cat", "dog", "owl")[:k])}


def arrays_of(frame: pl.DataFrame, design: dict[str, Any]) -> dict[str, Any]:
    """Return the options as arrays, of the rows that weigh."""
    return {name: frame[own].to_list() if own in frame.columns else own for name, own in design.items()}


def source(frame: pl.DataFrame, engine: str, request: pytest.FixtureRequest) -> tuple[Any, dict[str, Any]]:
    """Return the table as a frame of an engine, or as a file that DuckDB streams."""
    if engine not in FILES:
        return in_engine(frame, engine, request), {}
    pytest.importorskip("duckdb", reason="DuckDB is not installed")
    folder: Path = request.getfixturevalue("tmp_path")
    path = folder / f"rows.{engine}"
    if engine == "csv":
        frame.write_csv(path)
    elif engine == "parquet":
        frame.write_parquet(path)
    else:
        path = folder / "parts"
        path.mkdir()
        for i in range(2):
            frame[i * N // 2 : (i + 1) * N // 2].write_parquet(path / f"part{i}.parquet")
    return str(path), {"engine": "duckdb"}


def values_agree(found: Any, wanted: Any) -> None:
    for name in found:
        own, bound = found.score(name), found.score(name).error_bound or 0.0
        assert bound < 1e-3
        assert abs(own.value - wanted[name]) <= bound + 1e-12 * max(1.0, abs(wanted[name])), name


def intervals_agree(found: Any, wanted: Any, name: str) -> None:
    bound = found.error_bound or 0.0
    assert (found.low is None) == (wanted.low is None), name
    if found.low is None:
        assert found.interval_reason == wanted.interval_reason
    elif name in (*SUMS, *CALIBRATED):
        assert found.interval == pytest.approx(wanted.interval, rel=1e-9, abs=1e-12), name
    else:  # the order of weights within a bin is open, which changes what is not seen by a little
        assert found.interval == pytest.approx(wanted.interval, abs=5 * bound + 1e-5), name


@pytest.mark.full
@pytest.mark.parametrize("k", [2, 3])
@in_engines([*LAZY, *FILES])
def test_tables_say_what_arrays_say(engine: str, k: int, request: pytest.FixtureRequest) -> None:
    frame = weighted_frame(k)
    table, read = source(frame, engine, request)
    rows = frame.filter(pl.col("f") > 0)
    # Of a large file, these read all rows.
    asked = ASKED if engine in FILES else ASKED | {"indices": [*ASKED["indices"], *CALIBRATED]}
    models = {name: columns_of(name, k) for name in "pq"}
    P = {name: rows.select(own.values()).to_numpy() for name, own in models.items()}
    # The engines differ in how rows are read, and not in what is made of them.
    for design, is_known in DESIGNS if engine == "polars-lazy" else DESIGNS[3:4]:
        given = arrays_of(rows, design) | {"classes": list(models["p"]), **asked}
        truth = rows["truth"].to_list()
        wanted = adjudge.evaluate(truth, probabilities=P["p"], confidence=0.9, **given)
        own = {**design, **asked, **read}
        found = adjudge.evaluate(table, truth="truth", probabilities=models["p"], confidence=0.9, **own)
        assert found.n == pytest.approx(wanted.n, rel=1e-14)
        assert [notice.code for notice in found.warnings] == [notice.code for notice in wanted.warnings]
        parts = [(found, wanted)]
        parts += [(own, wanted.by_group[town]) for town, own in getattr(found, "by_group", {}).items()]
        assert len(parts) == (3 if "groups" in design else 1)
        for one, other in parts:
            values_agree(one, other)
            for name in asked["indices"]:
                intervals_agree(one.score(name), other.score(name), name)
        assert (found.score("log_loss").low is not None) == is_known
        for row, other in zip(found.differences, wanted.differences, strict=True):
            assert row.group == other.group
            name = row.score.index.name
            bound = sum(own.score(name).error_bound or 0.0 for own in found.by_group.values())
            assert row.score.value == pytest.approx(other.score.value, abs=bound + 1e-11)
            if other.score.p_value is not None and name in SUMS:
                assert row.score.p_value == pytest.approx(other.score.p_value, abs=1e-6)

        given["confidence"] = own["confidence"] = 0.9 if is_known else None
        compared = adjudge.compare(table, truth="truth", probabilities=models, **own)
        pair = adjudge.compare(truth, probabilities=P, **given)["p", "q"]
        assert asdict(compared["p", "q"].agreement) == pytest.approx(asdict(pair.agreement))
        for name, one in compared["p", "q"].differences.items():
            other = pair.differences[name]
            bound = sum(compared.judged[model][name].error_bound or 0.0 for model in "pq")
            assert one.value == pytest.approx(other.value, abs=bound + 1e-11)
            assert (one.interval is None) == (other.interval is None)
            if one.interval is not None:
                assert one.interval == pytest.approx(other.interval, abs=5 * bound + 1e-5)
                assert one.p_value == pytest.approx(other.p_value, abs=1e-2 if name in RANKS else 1e-6)


@in_engines(["polars-lazy", "duckdb"])
def test_weighted_models_pass_the_same_gate(engine: str, request: pytest.FixtureRequest) -> None:
    frame = weighted_frame(2, gaps=False)
    asked: dict[str, Any] = {"truth": "truth", "sample_weight": "w", "units": "u", "margin": 0.05}
    models = {"old": columns_of("q", 2), "new": columns_of("p", 2)}
    found, wanted = (
        adjudge.gate(table, probabilities=models, indices=["log_loss", "roc_auc"], **asked)
        for table in (in_engine(frame, engine, request), frame)
    )
    assert [own.status for own in found.tested] == [own.status for own in wanted.tested]
    assert [own.name for own in found.tested] == ["log_loss", "roc_auc"]
    assert [own.new for own in found.tested] == pytest.approx([own.new for own in wanted.tested], abs=1e-4)
    one, other = ([own.p_value for own in each.tested] for each in (found, wanted))
    assert one == pytest.approx(other, abs=1e-2)


def test_scores_that_rank_take_weights() -> None:
    frame = weighted_frame(2, gaps=False).with_columns(s=pl.col("p_1") * 100 - 20)
    asked: dict[str, Any] = {"positive": "dog", "indices": ["roc_auc", "average_precision", "ks_statistic"]}
    found = adjudge.evaluate(
        frame.lazy(), truth="truth", scores="s", sample_weight="w", kind="classification", **asked
    )
    wanted = adjudge.evaluate(frame["truth"], scores=frame["s"], sample_weight=frame["w"], **asked)
    for name in asked["indices"]:
        assert abs(found[name] - wanted[name]) <= found.score(name).error_bound + 1e-12


def test_groups_without_places_for_all_bins_are_summed_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {"probabilities": columns_of("p", 3), "sample_weight": "w", "groups": "town"}
    asked = {"truth": "truth", **given, **ASKED}
    frame = weighted_frame(3)
    in_place = adjudge.evaluate(frame.lazy(), **asked)
    monkeypatch.setattr(score_sums, "MOST_PLACES", 0)
    sparse = adjudge.evaluate(frame.lazy(), **asked)
    assert {**in_place} == pytest.approx({**sparse}, rel=1e-12)


def test_few_bins_still_bound_what_they_hide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binned_scores, "BINS", 12)
    monkeypatch.setattr(score_sums, "BINS", 12)
    frame = weighted_frame(2)
    rows = frame.filter(pl.col("f") > 0)
    for weight in ("w", "f"):
        wanted = adjudge.evaluate(
            rows["truth"], probabilities=rows["p_1"].to_numpy(), sample_weight=rows[weight], **ASKED
        )
        found = adjudge.evaluate(
            frame.lazy(), truth="truth", probabilities={"dog": "p_1"}, sample_weight=weight, **ASKED
        )
        for name in RANKS[:2]:
            bound = found.score(name).error_bound
            assert bound > 1e-3
            assert abs(found[name] - wanted[name]) <= bound


def test_bounds_hold_for_all_orders_of_weights() -> None:
    rng = np.random.default_rng(3)
    for _ in range(300):
        n = int(rng.integers(2, 7))
        hits = rng.integers(0, 2, n)
        if hits.all() or not hits.any():
            continue
        scores, w = rng.integers(0, 4, n) + rng.integers(0, 3, n) / 4, rng.lognormal(size=n)
        bins = ScoreBins.of(np.floor(scores), hits == 1, w, scores, scores, w * w)
        least, greatest, _ = bins.areas
        low, high = bins.average_precisions
        area, precision = weighted_areas(ranked(scores, hits, 1, w))
        assert least - 1e-12 <= area <= greatest + 1e-12
        assert low - 1e-12 <= precision <= high + 1e-12


def test_the_order_of_weighted_rows_changes_no_interval() -> None:
    """Those that rank first have no others above them, whatever rounding leaves of sums of weights."""
    frame = weighted_frame(2, gaps=False).filter(pl.col("f") > 0)
    found = [
        adjudge.evaluate(
            rows["truth"],
            probabilities=rows["p_1"].to_numpy(),
            sample_weight=rows["w"],
            weights="importance",
            confidence=0.9,
            indices="average_precision",
        )
        .score("average_precision")
        .interval
        for rows in (frame.sample(fraction=1.0, shuffle=True, seed=seed) for seed in range(8))
    ]
    assert np.ptp(found, axis=0) == pytest.approx([0, 0], abs=1e-9)


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        (pl.lit(0.0), "w is 0 everywhere"),
        (pl.when(pl.col("f") == 1).then(None).otherwise(pl.col("w")), "w has missing or infinite weights"),
        (-pl.col("w"), "w has -"),
        (pl.lit("x"), "w has type String: weights are numbers"),
    ],
)
def test_mistakes_are_named(weights: pl.Expr, said: str) -> None:
    frame = weighted_frame(2, gaps=False).with_columns(w=weights)
    given = {"truth": "truth", "sample_weight": "w", **ASKED}
    with pytest.raises(adjudge.AdjudgeError, match=said):
        adjudge.evaluate(frame.lazy(), probabilities=columns_of("p", 2), **given)
    with pytest.raises(adjudge.AdjudgeError, match=said):
        adjudge.compare(frame.lazy(), probabilities={own: columns_of(own, 2) for own in "pq"}, **given)


def test_frequencies_are_whole() -> None:
    asked: dict[str, Any] = {"probabilities": columns_of("p", 2), "weights": "frequency", **ASKED}
    with pytest.raises(adjudge.InputError, match="which is not a number of instances"):
        adjudge.evaluate(weighted_frame(2).lazy(), truth="truth", sample_weight="w", **asked)
