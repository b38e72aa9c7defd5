"""Rows that belong to units: what arrives at the intervals, what results say, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import adjudge
from adjudge import InputError, compare, evaluate, report
from adjudge.inference.sampling_design import Drawn
from adjudge.statistics.agreement import CELLS
from conftest import raises_line

N, G = 240, 40


@dataclass(frozen=True)
class _Data:
    truth: Any
    models: dict[str, Any]
    units: Any
    probabilities: Any
    sets: tuple[Any, Any]

    @property
    def frame(self) -> Any:
        return pd.DataFrame({"truth": self.truth, **self.models, "patient": self.units})


@pytest.fixture(scope="module")
def data() -> _Data:
    rng = np.random.default_rng(7)
    units = rng.integers(0, G, N)
    truth = rng.integers(0, 3, N)

    def model(share: float) -> Any:
        return np.where(rng.random(N) < share, truth, rng.integers(0, 3, N))

    true_sets = rng.random((N, 4)) < 0.4
    sets = true_sets, true_sets ^ (rng.random((N, 4)) < 0.15)
    models = {"one": model(0.7), "two": model(0.6), "three": model(0.5)}
    return _Data(truth, models, units, rng.dirichlet([1, 1, 1], N), sets)


def told(monkeypatch: pytest.MonkeyPatch, module: str, function: str) -> list[Any]:
    """Record what a function of inference is told of how rows were drawn."""
    owner = __import__(module, fromlist=[function])
    original, found = getattr(owner, function), []

    def recording(*given: Any, **options: Any) -> Any:
        bound = signature(original).bind(*given, **options)
        name = "outcomes" if "outcomes" in signature(original).parameters else "drawn"
        how = bound.arguments.get(name)
        found.append((given, how))
        bound.arguments[name] = [None] * len(how) if isinstance(how, list) else None
        return original(*bound.args, **bound.kwargs)

    monkeypatch.setattr(owner, function, recording)
    return found


def check_sums(drawn: Drawn | None, units: Any, entries: Any, weights: Any = None) -> None:
    """Compare the sums by unit with those that are added up row by row."""
    assert drawn is not None
    values = np.random.default_rng(1).normal(size=int(np.max(entries)) + 1)
    of_rows = values[entries] * (1 if weights is None else weights)
    expected = pd.Series(of_rows).groupby(np.asarray(units)).sum().to_numpy()
    assert drawn.sums(values) == pytest.approx(expected, abs=1e-9)
    sizes = pd.Series(np.ones(len(units)) if weights is None else weights).groupby(np.asarray(units)).sum()
    assert drawn.sizes == pytest.approx(sizes.to_numpy())


def places(*labels: Any) -> Any:
    """Number the combinations of labels that occur, as tables list their cells."""
    return np.unique(np.column_stack(labels), axis=0, return_inverse=True)[1].ravel()


INTERVALS = "adjudge.inference.partitions.intervals"
CLASSES = "adjudge.inference.classes.class_intervals"
FORECASTS = "adjudge.inference.forecasts.forecast_intervals"
DIFFERENCES = "adjudge.inference.differences"


def test_external_indices_are_told_the_cells_of_the_table(
    data: _Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = told(monkeypatch, INTERVALS, "external_intervals")
    pred = np.array(["c", "a", "b"])[data.models["one"]]
    evaluate(data.truth, pred, kind="clustering", units=data.units, confidence=0.95)
    check_sums(found[0][1], data.units, places(data.truth, pred))


def test_scores_of_labels_are_told_the_cells_of_the_confusion(
    data: _Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = told(monkeypatch, CLASSES, "intervals_of_labels")
    # The classes in another order than that of their codes.
    evaluate(
        data.truth,
        data.models["one"],
        kind="classification",
        classes=[2, 0, 1],
        units=data.units,
        confidence=0.9,
    )
    order = np.array([1, 2, 0])
    check_sums(found[0][1], data.units, places(order[data.truth], order[data.models["one"]]))


def test_forecasts_are_told_of_each_row(data: _Data, monkeypatch: pytest.MonkeyPatch) -> None:
    found = told(monkeypatch, FORECASTS, "intervals_of_forecasts")
    evaluate(data.truth, probabilities=data.probabilities, units=data.units, confidence=0.9)
    check_sums(found[0][1], data.units, np.arange(N))
    assert found[0][1].entry is None


def test_label_sets_are_told_of_each_row(data: _Data, monkeypatch: pytest.MonkeyPatch) -> None:
    found = told(monkeypatch, "adjudge.inference.classes.label_set_intervals", "label_set_intervals")
    evaluate(*data.sets, kind="multilabel", units=data.units, confidence=0.9)
    check_sums(found[0][1], data.units, np.arange(N))


@pytest.mark.parametrize("kind", ["clustering", "classification"])
def test_differences_are_told_the_combinations_of_three_labels(
    data: _Data, monkeypatch: pytest.MonkeyPatch, kind: Any
) -> None:
    if kind == "clustering":
        found = told(monkeypatch, DIFFERENCES + ".head_to_head", "clustering_intervals_of")
    else:
        found = told(monkeypatch, DIFFERENCES + ".label_differences", "differences_of_labels")
    compare(data.truth, data.models, kind=kind, units=data.units, confidence=0.9)
    one, two = data.models["one"], data.models["two"]
    check_sums(found[0][1], data.units, places(data.truth, one, two))
    # Both orders of two models have the same cells.
    assert len(found) == (6 if kind == "clustering" else 3)


def test_measures_of_classifiers_are_told_the_cells_of_their_matrix(
    data: _Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = told(monkeypatch, DIFFERENCES + ".head_to_head", "intervals_of_pairs")
    compare(data.truth, data.models, kind="classification", units=data.units, confidence=0.9)
    right = [data.models[name] == data.truth for name in ("one", "two")]
    (agreements, *_), drawn = found[0]
    agreement, entries = agreements[0], 2 * ~right[0] + ~right[1]
    check_sums(drawn[0], data.units, entries)
    assert np.bincount(entries).tolist() == [getattr(agreement, cell) for cell in CELLS]


def test_differences_of_forecasts_are_told_of_each_row(data: _Data, monkeypatch: pytest.MonkeyPatch) -> None:
    found = told(monkeypatch, DIFFERENCES + ".forecast_differences", "differences_of_forecasts")
    probabilities = {"one": data.probabilities, "two": data.probabilities[::-1]}
    compare(data.truth, probabilities=probabilities, units=data.units, confidence=0.9)
    check_sums(found[0][1], data.units, np.arange(N))


def of_classes(found: list[Any]) -> Callable[[int], Drawn]:
    """Return what measures by class were told."""
    return next(drawn for _, drawn in found if drawn is not None)


def test_measures_of_a_class_are_told_what_is_right_and_wrong_about_it(
    data: _Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = told(monkeypatch, CLASSES, "intervals_of_measures")
    pred = data.models["one"]
    judged = evaluate(data.truth, pred, kind="classification", units=data.units, confidence=0.9)
    assert judged.by_class[1]["recall"] > 0
    for code in range(3):
        check_sums(of_classes(found)(code), data.units, 2 * (pred != code) + (data.truth != code))


def test_matched_clusters_are_told_by_their_partners(data: _Data, monkeypatch: pytest.MonkeyPatch) -> None:
    found = told(monkeypatch, CLASSES, "intervals_of_measures")
    pred = np.array([9, 7, 8])[data.models["one"]]
    judged = evaluate(data.truth, pred, kind="clustering", units=data.units, confidence=0.9)
    partners = [row.partner for row in judged.by_cluster().values()]
    for code, partner in enumerate(partners):
        check_sums(of_classes(found)(code), data.units, 2 * (pred != partner) + (data.truth != code))


def test_several_labels_are_told_label_by_label(data: _Data, monkeypatch: pytest.MonkeyPatch) -> None:
    found = told(monkeypatch, CLASSES, "intervals_of_measures")
    true, said = data.sets
    list(evaluate(true, said, kind="multilabel", units=data.units, confidence=0.9).by_class.values())
    for code in range(4):
        check_sums(of_classes(found)(code), data.units, 2 * ~said[:, code] + ~true[:, code])


@pytest.mark.parametrize("meaning", ["counts", "frequency", "importance"])
def test_rows_count_in_their_units_as_often_as_they_stand(
    data: _Data, monkeypatch: pytest.MonkeyPatch, meaning: str
) -> None:
    weights = np.random.default_rng(2).integers(0, 4, N)
    given: dict[str, Any] = {"counts": weights}
    if meaning != "counts":
        given = {"sample_weight": 0.5 * weights if meaning == "importance" else weights, "weights": meaning}
    found = told(monkeypatch, CLASSES, "intervals_of_labels")
    pred = data.models["one"]
    evaluate(data.truth, pred, kind="classification", units=data.units, confidence=0.9, **given)
    kept = weights > 0
    expected = weights[kept] * (0.5 if meaning == "importance" else 1)
    check_sums(found[0][1], data.units[kept], places(data.truth[kept], pred[kept]), expected)


def test_a_sampling_weight_makes_a_row_a_unit_of_that_size(
    data: _Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = np.random.default_rng(2).random(N) + 0.1
    found = told(monkeypatch, CLASSES, "intervals_of_labels")
    pred = data.models["one"]
    judged = evaluate(
        data.truth, pred, kind="classification", sample_weight=weights, weights="importance", confidence=0.9
    )
    check_sums(found[0][1], np.arange(N), places(data.truth, pred), weights)
    # Nobody spoke of units.
    assert judged.units is None
    assert "n_units" not in judged.to_dict()


def test_clusterings_with_sampling_weights_have_intervals(data: _Data) -> None:
    rng = np.random.default_rng(3)
    pred = data.models["one"]
    plain = evaluate(data.truth, pred, kind="clustering", confidence=0.9, indices=["rand", "purity"])
    for weights, wider in ((np.full(N, 2.5), 1.0), (rng.exponential(size=N), 1.2)):
        judged = evaluate(
            data.truth,
            pred,
            kind="clustering",
            indices=["rand", "purity"],
            sample_weight=weights,
            weights="importance",
            confidence=0.9,
        )
        for name, (low, high) in judged.intervals.items():
            assert low < judged[name] < high
            width = plain.intervals[name][1] - plain.intervals[name][0]
            assert 0.8 * wider < (high - low) / width < 2.5


def test_weighted_cells_that_would_take_too_long_are_refused(
    data: _Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: dict[str, Any] = {"kind": "clustering", "sample_weight": np.ones(N) / 2, "weights": "importance"}
    cells = np.unique(np.column_stack([data.truth, data.models["one"]]), axis=0).shape[0]
    for most in (cells, cells - 1):
        monkeypatch.setattr("adjudge.inference.partitions.intervals.MOST_LEFT_OUT", most)
        judged = evaluate(data.truth, data.models["one"], confidence=0.95, indices=["purity"], **given)
        assert bool(judged.intervals) == (most == cells)
    assert judged.interval_reasons["purity"].startswith("no interval: the index has no closed form")


def test_importance_is_refused_where_rows_are_not_known(data: _Data) -> None:
    given: dict[str, Any] = {"kind": "clustering", "sample_weight": np.ones(N), "weights": "importance"}
    with pytest.raises(InputError, match="adjust= would be wrong for sampling weights"):
        evaluate(data.truth, data.models["one"], adjust=True, **given)
    judged = compare(data.truth, data.models, confidence=0.95, **given)
    pair = judged["one", "two"]
    assert not pair.intervals
    assert pair.test["reason"] == "no interval of weighted pairs of instances is known"


# What a unit a row says

KINDS: dict[str, Callable[[_Data, Any], Any]] = {
    "clustering": lambda d, units: evaluate(
        d.truth, d.models["one"], kind="clustering", confidence=0.9, units=units
    ),
    "classification": lambda d, units: evaluate(
        d.truth, d.models["one"], kind="classification", groups=d.truth, confidence=0.9, units=units
    ),
    "probabilities": lambda d, units: evaluate(
        d.truth, probabilities=d.probabilities, confidence=0.9, units=units
    ),
    "decision values": lambda d, units: evaluate(
        d.truth, scores=d.probabilities, confidence=0.9, units=units
    ),
    "several labels": lambda d, units: evaluate(*d.sets, kind="multilabel", confidence=0.9, units=units),
    "points": lambda d, units: evaluate(
        X=d.probabilities, labels=d.truth, indices=["silhouette"], confidence=0.9, units=units
    ),
    "clusterings": lambda d, units: compare(
        d.truth, d.models, kind="clustering", confidence=0.9, units=units
    ),
    "classifiers": lambda d, units: compare(
        d.truth, d.models, kind="classification", groups=d.truth, confidence=0.9, units=units
    ),
    "compared probabilities": lambda d, units: compare(
        d.truth,
        probabilities={"one": d.probabilities, "two": d.probabilities[::-1]},
        confidence=0.9,
        units=units,
    ),
}


def plain_data(result: Any) -> dict[str, Any]:
    found = result.to_dict()
    if (
        hasattr(result, "by_cluster")
        and found["settings"]["of"] == "clustering"
        and "labels_pred" in found["n_clusters"]
    ):
        found["by_cluster"] = result.by_cluster().to_dict()
    for key in ("n_units", "effective_units", "settings"):
        found.pop(key, None)
    return found


@pytest.mark.full(keep=5)
@pytest.mark.parametrize("kind", KINDS)
def test_a_unit_a_row_changes_no_digit(data: _Data, kind: str) -> None:
    units = [f"row {i}" for i in np.random.default_rng(4).permutation(N)]
    assert plain_data(KINDS[kind](data, units)) == plain_data(KINDS[kind](data, None))


@pytest.mark.full(keep=6)
@pytest.mark.parametrize("kind", KINDS)
def test_units_change_no_value(data: _Data, kind: str) -> None:
    one, other = (KINDS[kind](data, units) for units in (data.units, None))
    assert one.flat().keys() >= {name for name in other.flat() if "/" not in name}
    for name, value in other.flat().items():
        if name.rsplit("/", 1)[-1] not in ("low", "high", "estimate", "p_value"):
            assert one.flat()[name] == value


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "several labels"])
def test_one_unit_has_no_interval_and_says_why(data: _Data, kind: str) -> None:
    result = KINDS[kind](data, ["all"] * N)
    if isinstance(result, adjudge.results.Evaluation):
        assert not result.intervals
        assert all(reason for reason in result.interval_reasons.values())
    else:
        pair = result["one", "two"]
        assert not any(own.interval for own in pair.differences.values())
        assert np.isnan(pair.test["p_value"])
        assert "1 unit " in pair.test["reason"]


def test_points_of_units_have_a_reason(data: _Data) -> None:
    judged = KINDS["points"](data, data.units)
    assert judged.interval_reasons["silhouette"].startswith(
        "no interval: what points of one unit have in common"
    )
    assert judged.n_units == len(set(data.units))


# What results say


@pytest.mark.parametrize("verb", ["evaluate", "compare"])
def test_results_say_how_many_rows_of_how_many_units(data: _Data, verb: str) -> None:
    models = data.models if verb == "compare" else data.models["one"]
    result = getattr(adjudge, verb)(data.truth, models, kind="classification", units=data.units)
    g = len(set(data.units))
    sizes = np.unique(data.units, return_counts=True)[1]
    assert result.n_units == g
    assert result.to_dict()["n_units"] == g
    assert result.to_dict()["effective_units"] == pytest.approx(N**2 / (sizes @ sizes))
    assert f"{N} rows of {g} units" in repr(result).splitlines()[0]
    assert f"{N} rows of {g} units" in result._repr_html_()
    assert result.settings["units"] == "units"


def test_few_units_are_spoken_of_if_there_are_intervals(data: _Data) -> None:
    def codes(units: Any, confidence: float | None) -> list[str]:
        judged = evaluate(
            data.truth, data.models["one"], kind="classification", units=units, confidence=confidence
        )
        return [notice.code for notice in judged.warnings]

    assert codes(np.arange(N) % 12, 0.95) == ["few-units"]
    assert codes(np.arange(N) % 12, None) == []
    assert codes(np.arange(N) % 30, 0.95) == []
    assert codes(np.arange(N) % 9, 0.95) == []


@pytest.mark.parametrize("units", [8, 15])
def test_few_units_are_spoken_of_in_comparisons(data: _Data, units: int) -> None:
    for kind in ("clustering", "classification"):
        both = compare(data.truth, data.models, kind=kind, units=np.arange(N) % units, confidence=0.95)
        assert [own.code for own in both.warnings] == (["few-units"] if units == 15 else [])


def test_fewer_than_ten_units_have_a_test_and_no_interval(data: _Data) -> None:
    both = compare(data.truth, data.models, kind="classification", units=np.arange(N) % 8, confidence=0.95)
    assert 0 < both["one", "two"].test["p_value"] <= 1
    found = both["one", "two"].differences["macro_f1"]
    assert found.interval is None
    assert found.reason == (
        "no interval: 240 rows of 8 units vary as 8.0 units of one size would, and fewer than 10 do not tell how "
        "units vary"
    )
    assert found.p_value is not None


def test_recalls_and_accuracies_are_compared_by_units() -> None:
    # Twelve units of ten equal rows: their means are the data.
    rng = np.random.default_rng(11)
    right = np.repeat(rng.random((12, 2)) < 0.5, 10, axis=0)
    truth = np.array(["a"] * 120 + ["b"] * 120)
    units = np.repeat(np.arange(24), 10)
    right = np.concatenate([right, np.repeat(rng.random((12, 2)) < 0.7, 10, axis=0)])
    models = {
        name: np.where(right[:, i], truth, np.where(truth == "a", "b", "a")) for i, name in enumerate("pq")
    }
    by_rows, by_units = (
        compare(
            t, {name: m[s] for name, m in models.items()}, units=u, kind="classification", confidence=0.95
        )
        for t, s, u in ((truth[::10], slice(None, None, 10), None), (truth, slice(None), units))
    )
    one, other = by_rows["p", "q"], by_units["p", "q"]
    assert other.test["name"] == "Test of equal accuracies"
    # Student's t of the differences of the units' means.
    gain = right[::10, 0].astype(float) - right[::10, 1]
    t = gain.mean() / (gain.std(ddof=1) / np.sqrt(24))
    from scipy.stats import t as student

    expected = 2 * student.sf(abs(t), 23)
    assert other.test["p_value"] == pytest.approx(expected, rel=0.15)
    for few, many in zip(one.recalls, other.recalls, strict=True):
        assert many.score.value == pytest.approx(few.score.value)
        assert many.score.low < many.score.value < many.score.high
        # Not ten times as sure as twelve units can be.
        assert many.score.high - many.score.low > 0.5 * (few.score.high - few.score.low)


@pytest.mark.parametrize("across", [True, False], ids=["across groups", "within groups"])
def test_groups_are_compared_by_units_that_may_be_in_both(across: bool) -> None:
    rng = np.random.default_rng(5)
    units = np.repeat(np.arange(30), 8)
    groups = np.array(["x", "y"])[(np.arange(240) if across else units) % 2]
    # A unit's rows are right or wrong together.
    right = np.repeat(rng.random(30) < 0.6, 8)
    truth = rng.integers(0, 2, 240)
    given: dict[str, Any] = {"groups": groups, "confidence": 0.95, "kind": "classification"}
    chance = rng.random(240)
    p_right = np.where(right, 0.5 + chance / 2, 0.5 - chance / 2)
    p = np.where(truth == 1, p_right, 1 - p_right)
    by_units, by_rows = (evaluate(truth, probabilities=p, units=u, **given) for u in (units, None))
    for name in ("accuracy", "macro_f1", "log_loss"):
        own, other = (
            next(row.score for row in found.differences if row.score.index.name == name)
            for found in (by_units, by_rows)
        )
        assert own.value == pytest.approx(other.value, abs=1e-9)
        if name == "accuracy" and across:
            # What is alike in both groups cancels.
            assert own.value == 0
            assert "no instance changes it" in own.reason
        else:
            width = (own.high - own.low) / (other.high - other.low)
            assert width < 1 if across else width > 1.5
    # Student's t of the units' means is the test of accuracies of groups without a unit in common.
    if not across:
        from scipy.stats import ttest_ind

        means = right[::8].astype(float)
        expected = ttest_ind(means[::2], means[1::2]).pvalue
        own = next(row.score for row in by_units.differences if row.score.index.name == "accuracy")
        assert own.p_value == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize("of_one", [1, 6], ids=["a row each", "six rows each"])
@pytest.mark.parametrize("few", [3, 9, 10])
def test_a_group_of_fewer_than_ten_units_is_not_told_apart(few: int, of_one: int) -> None:
    rng = np.random.default_rng(0)
    units = np.r_[np.repeat(np.arange(few), of_one), np.repeat(np.arange(few, 70), 5)]
    right = (units < few) | (rng.random(70) < 0.75)[units]
    truth = np.arange(units.size) % 2
    said = np.where(right, truth, 1 - truth)
    groups = {"site": np.where(units < few, "W", "N")}
    asked = {"indices": ["accuracy", "recall"], "confidence": 0.95, "kind": "classification"}
    found = evaluate(truth, said, groups=groups, units=units, **asked)
    reason = (
        f"no interval: {few * of_one} row{'s' * (few * of_one > 1)} of {few} units vary as {few}.0 units of one size "
        "would, and fewer than 10 do not tell how units vary"
    )
    for row in (*found.differences, *found.pair_differences):
        assert (row.score.interval is None, row.score.p_value is None) == (few < 10, few < 10)
        assert row.score.reason == (reason if few < 10 else None)
    disparities = found.disparities[::2]
    assert [own.interval is None for own in disparities] == [few < 10] * 2
    for own in disparities:
        if few < 10:
            assert re.match(rf"(N and )?W: no interval: \d+ rows? of {few} units ", own.interval_reason)
        else:
            assert own.interval_reason is None


# Tables


def test_lazy_tables_add_up_the_rows_of_a_unit(data: _Data, monkeypatch: pytest.MonkeyPatch) -> None:
    found = told(monkeypatch, INTERVALS, "external_intervals")
    lazy = pl.DataFrame(data.frame).lazy()
    evaluate(lazy, truth="truth", pred="one", units="patient", kind="clustering", confidence=0.9)
    drawn, entries = found[0][1], places(data.truth, data.models["one"])
    assert drawn is not None
    values = np.random.default_rng(1).normal(size=int(entries.max()) + 1)
    of_units = pd.Series(values[entries]).groupby(np.asarray(data.units)).sum().to_numpy()
    assert np.sort(drawn.apart.sums(values)) == pytest.approx(np.sort(of_units), abs=1e-9)
    weighed = lazy.with_columns(w=pl.col("one") + 0.5)
    evaluate(
        weighed, truth="truth", pred="one", units="patient", sample_weight="w", weights="importance",
        kind="classification", confidence=0.9,
    )  # fmt: skip


def test_tables_name_a_column_that_is_not_there(data: _Data) -> None:
    message = (
        "the table has no column 'pateint': did you mean 'patient'? It has 'truth', 'one', 'two', 'three', "
        "'patient'"
    )
    for table in (data.frame, pl.DataFrame(data.frame).lazy()):
        with raises_line(InputError, message):
            evaluate(table, truth="truth", pred="one", units="pateint")
        with raises_line(InputError, message):
            compare(table, truth="truth", models=["one"], units="pateint")


def test_missing_units_are_left_out_with_their_rows(data: _Data) -> None:
    frame = data.frame.assign(patient=data.frame["patient"].where(data.frame.index % 3 > 0))
    for table in (pl.DataFrame(frame), pl.DataFrame(frame).lazy()):
        judged = evaluate(
            table, truth="truth", pred="one", units="patient", missing="drop", kind="classification"
        )
        assert judged.n == 2 * N // 3
        with pytest.raises(InputError, match="column 'patient' has"):
            evaluate(table, truth="truth", pred="one", units="patient", kind="classification")


def test_a_contingency_table_has_no_rows() -> None:
    with raises_line(
        InputError,
        "units= says which rows belong together, and a contingency table has none: give label vectors",
    ):
        evaluate([[30, 5], [4, 61]], units=range(100))


# Columns that look like units


def with_ids(data: _Data, name: str, times: int = 6) -> Any:
    return data.frame.drop(columns="patient").assign(**{name: [f"c{i // times}" for i in range(N)]})


@pytest.mark.parametrize("lazy", [False, True], ids=["eager", "lazy"])
def test_a_repeating_identifier_is_spoken_of(data: _Data, lazy: bool) -> None:
    frame: Any = pl.DataFrame(with_ids(data, "customer_id"))
    table = frame.lazy() if lazy else frame
    given: dict[str, Any] = {"kind": "classification", "confidence": 0.9}
    text = (
        "column 'customer_id' repeats: rows of one customer are alike, but intervals take all rows as independent: "
        "pass units='customer_id'"
    )
    judged = evaluate(table, truth="truth", pred="one", **given)
    assert [own.text for own in judged.warnings if own.code == "rows-belong-together"] == [text]
    both = compare(table, truth="truth", models=["one", "two"], **given)
    assert [own.text for own in both.warnings if own.code == "rows-belong-together"] == [text]


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("author", "author"),
        ("Patients", "patient"),
        ("userNo", "user"),
        ("tile", "tile"),
        ("row", "value of it"),
    ],
)
def test_the_name_of_a_unit_is_enough(data: _Data, name: str, unit: str) -> None:
    frame = with_ids(data, name)
    judged = evaluate(frame, truth="truth", pred="one", kind="classification", confidence=0.9)
    (said,) = [own.text for own in judged.warnings if own.code == "rows-belong-together"]
    assert said.startswith(f"column {name!r} repeats: rows of one {unit} are alike")


@pytest.mark.parametrize(
    "change",
    [
        {"confidence": None},
        {"units": "customer_id"},
        {"groups": "customer_id"},
        {"name": "paid"},
        {"name": "patient_type"},
        {"name": "row", "beside": "col"},
        {"times": 1},
        {"times": 60},
    ],
    ids=str,
)
def test_nothing_is_said_of_units_without_a_reason(data: _Data, change: dict[str, Any]) -> None:
    frame = with_ids(data, change.pop("name", "customer_id"), change.pop("times", 6))
    if "beside" in change:
        frame = frame.assign(**{change.pop("beside"): range(N)})
    given: dict[str, Any] = {"kind": "classification", "confidence": 0.9, **change}
    judged = evaluate(frame, truth="truth", pred="one", **given)
    assert "rows-belong-together" not in {own.code for own in judged.warnings}


# Other verbs


def test_many_evaluations_take_units(data: _Data) -> None:
    found = evaluate(data.truth, data.models, kind="clustering", units=data.units, indices="rand")
    assert [found[name].n_units for name in data.models] == [len(set(data.units))] * 3


@pytest.mark.full
@pytest.mark.parametrize("kind", ["clustering", "classification", "multilabel", None])
def test_reports_take_units(data: _Data, kind: Any, tmp_path: Any) -> None:
    output = tmp_path / "report.html"
    given: dict[str, Any] = {"units": data.units, "output": output}
    if kind is None:
        made = report(models=data.models, X=data.probabilities, **given)
        assert made.page["sections"][0]["n"] == N
        return
    truth, models = (
        (data.sets[0], {"one": data.sets[1]}) if kind == "multilabel" else (data.truth, data.models)
    )
    made = report(truth, models, kind=kind, **given)
    (section,) = made.page["sections"]
    if kind != "multilabel":
        assert f"on {N} rows" in section["subject"] or f"of {N} rows" in section["subject"]
        assert section["results"]["comparison"]["n_units"] == len(set(data.units))


def test_reports_leave_out_rows_without_a_unit(data: _Data, tmp_path: Any) -> None:
    units = [None, *data.units[1:]]
    made = report(
        data.truth,
        data.models,
        kind="classification",
        units=units,
        missing="drop",
        output=tmp_path / "r.html",
    )
    assert made.page["sections"][0]["n"] == N - 1


@pytest.mark.parametrize("units", [False, True])
def test_reports_leave_out_rows_without_a_group(data: _Data, tmp_path: Any, units: bool) -> None:
    groups = np.where(np.arange(N) % 2 == 0, "f", "m").astype(object)
    groups[-1] = None
    made = report(
        data.truth,
        data.models,
        kind="classification",
        missing="drop",
        groups={"sex": groups},
        units=data.units if units else None,
        output=tmp_path / "page.html",
    )
    assert f"{N - 1} instances" in made.path.read_text() or f"{N - 1} rows" in made.path.read_text()


def test_benchmarks_take_the_units_of_each_data_set(data: _Data) -> None:
    labels = {"first": (data.truth, data.models), "second": (data.truth[::-1], data.models)}
    found = adjudge.benchmark(labels, score="accuracy", confidence=0.9, units={"first": data.units})
    for name, (truth, models) in labels.items():
        units = data.units if name == "first" else None
        one = evaluate(
            truth, models["one"], kind="classification", indices="accuracy", confidence=0.9, units=units
        )
        assert found.intervals[name]["one"] == one.intervals["accuracy"]
    without_two = adjudge.benchmark(
        labels, score="accuracy", confidence=0.9, units={"first": data.units}, truth_noise=2
    )
    kept = data.truth != 2
    left = evaluate(
        data.truth[kept],
        data.models["one"][kept],
        kind="classification",
        indices="accuracy",
        confidence=0.9,
        units=data.units[kept],
    )
    assert without_two.intervals["first"]["one"] == left.intervals["accuracy"]
    with raises_line(InputError, "units= names 'third': the data sets are 'first', 'second'"):
        adjudge.benchmark(labels, score="accuracy", units={"third": data.units})
    with pytest.raises(InputError, match="units= are those of instances: give them as a mapping"):
        adjudge.benchmark({"first": {"one": 0.5, "two": 0.6}}, units={"first": data.units})


def test_units_of_clusterings_have_one_test_of_rand_indices() -> None:
    """The test beside the matrix is that of the difference: no worst case of a unit that was not seen."""
    rng = np.random.default_rng(3)
    units = np.repeat(np.arange(14), 100)
    truth = rng.integers(0, 4, units.size)
    wrong = {name: rng.random(units.size) < rate for name, rate in (("a", 0.08), ("b", 0.01))}
    models = {name: np.where(own, (truth + 1) % 4, truth) for name, own in wrong.items()}
    asked: dict[str, Any] = {"kind": "clustering", "confidence": 0.95, "indices": ["rand", "ari"]}
    pair = adjudge.compare(truth, models, units=units, **asked)["a", "b"]
    rand, ari = pair.differences["rand"], pair.differences["adjusted_rand"]
    assert pair.test is not None
    assert pair.test["p_value"] == rand.p_value
    p_values = [own.p_value for own in (rand, ari)]
    assert None not in p_values
    assert max(p_values) < 0.001  # type: ignore[type-var]
    assert rand.interval is not None
    assert rand.interval[1] < 0


def test_a_class_of_which_units_have_little_may_lose_little() -> None:
    """A unit that was not seen has of a class what units have of it: 2 rows of the rare one, not 20."""
    rng = np.random.default_rng(0)
    units = np.repeat(np.arange(20), 40)
    truth = np.tile(np.repeat(["rare", "often"], [2, 38]), 20)
    said = np.where((truth == "often") & (rng.random(units.size) < 0.1), "other", truth)
    found = adjudge.evaluate(truth, said, kind="classification", units=units, confidence=0.95)
    rare = found.by_class["rare"].score("recall")
    assert (rare.value, rare.high) == (1, 1)
    # None of 20 equal units lost its two rows: with all 40 rows of a unit, the end would be 0.
    assert abs(rare.low - 0.025 ** (1 / 20)) < 0.03


def test_a_gate_asks_for_no_fewer_units_than_tell_how_they_vary() -> None:
    rng = np.random.default_rng(1)
    units = np.repeat(np.arange(12), 50)
    truth = rng.integers(0, 2, units.size)
    old = np.where(rng.random(units.size) < 0.10, 1 - truth, truth)
    new = np.where(rng.random(units.size) < 0.18, 1 - truth, truth)
    asked: dict[str, Any] = {"kind": "classification", "indices": ["accuracy"], "units": units}
    found = adjudge.gate(truth, old=old, new=new, margin=0.1, **asked)
    assert found.verdict == "undecided"
    assert found.units_needed == 10
    assert "There are 12 units, which would be enough if the models were equally good." in str(found)


#: Of 60 rows of a class, ten have nearly all of the weight.
UNEQUAL = np.r_[np.ones(50), np.full(10, 16.0), np.full(200, 20.0)]


@pytest.mark.parametrize("n_wrong", [1, 3])
def test_light_rows_that_were_wrong_do_not_say_that_heavy_ones_are_right(n_wrong: int) -> None:
    truth = np.array(["wetland"] * 60 + ["forest"] * 200)
    said = truth.copy()
    said[:n_wrong] = "forest"
    asked: dict[str, Any] = {"kind": "classification", "sample_weight": UNEQUAL, "weights": "importance"}
    names = ["recall", "accuracy", "balanced_accuracy", "f1"]
    of_none, of_some = (
        adjudge.evaluate(truth, own, positive="wetland", indices=names, confidence=0.95, **asked)
        for own in (truth, said)
    )
    for name in names:
        assert of_some.intervals[name][0] < of_none.intervals[name][0] + 0.03, name
    # As many rows as weigh alike would say as much: about 17 of the class.
    assert of_some.intervals["recall"][0] < 0.85
    assert adjudge.gate(truth, truth, said, margin={"recall[wetland]": 0.05}, **asked).verdict == "undecided"


@pytest.mark.parametrize(
    "given", [{"sample_weight": UNEQUAL, "weights": "importance"}, {"units": np.arange(260) // 4}]
)
@pytest.mark.parametrize("n_wrong", [0, 1, 8])
def test_a_score_of_the_positive_class_is_its_row_in_the_table(given: dict[str, Any], n_wrong: int) -> None:
    truth = np.array(["wetland"] * 60 + ["forest"] * 150 + ["water"] * 50)
    said = truth.copy()
    said[:n_wrong] = "forest"
    said[100 : 100 + n_wrong] = "wetland"
    names = ["recall", "precision", "f1"]
    found = adjudge.evaluate(
        truth, said, kind="classification", positive="wetland", indices=names, confidence=0.95, **given
    )
    (of_class,) = (own for own in found.to_dict()["by_class"] if own["class"] == "wetland")
    for name in names:
        assert found.intervals[name] == pytest.approx(of_class["intervals"][name]), name


@pytest.mark.parametrize("lazy", [False, True])
def test_one_unit_that_has_a_whole_class_does_not_tell_how_units_vary(lazy: bool) -> None:
    rng = np.random.default_rng(3)
    unit = np.repeat(np.arange(30), rng.integers(20, 41, 30))
    truth = (unit < 1).astype(np.int64)
    shares = {name: 1 / (1 + np.exp(1 - 2 * truth - rng.normal(size=truth.size))) for name in ("a", "b")}
    table: Any = pl.DataFrame({"y": truth, "unit": unit, **shares})
    found = adjudge.compare(
        table.lazy() if lazy else table,
        truth="y",
        probabilities={"a": "a", "b": "b"},
        units="unit",
        kind="classification",
        positive=1,
        confidence=0.95,
    )
    differences = found["a", "b"].differences
    for name in ("balanced_accuracy", "matthews_correlation", "roc_auc", "average_precision"):
        assert differences[name].p_value is None, name
        assert "nearly all rows are in one unit" in differences[name].reason
    for name in ("accuracy", "log_loss", "brier_score"):
        assert differences[name].p_value is not None, name
