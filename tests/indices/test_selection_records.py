"""What a record says of a criterion over a sweep is true: what it reads, which neighbours, its range and its rule."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.choosing.estimators import Tree
from adjudge.engines.labellings import sweep_of_labels
from adjudge.errors import InputTypeError
from adjudge.indices.record import Noted
from adjudge.indices.rules import RULES
from adjudge.indices.selection_record import Compared, SelectionIndex, selection
from adjudge.statistics.moments import Moments, Scatter
from adjudge.statistics.neighbours import NeighbourLabels
from adjudge.statistics.pair_distances import PairSums
from adjudge.statistics.prototypes import CentroidProfile, DistanceSquares
from adjudge.statistics.sweep import GapReference, MixtureFits, Split, Stability, Sweep
from conftest import raises_line

RECORDS: list[SelectionIndex] = [
    r for r in adjudge.list_indices("selection") if isinstance(r, SelectionIndex)
]
OF_SWEEPS = [r for r in RECORDS if r.requires == (Sweep,)]
EVERYTHING = (Moments, Scatter, PairSums, NeighbourLabels, DistanceSquares, CentroidProfile)
# Values are relative to the partitions that are compared.
RELATIVE = {"cvnn"}
Labels = dict[int, np.ndarray]


def name_of(record: SelectionIndex) -> str:
    return record.name


def levels(X: np.ndarray, most: int = 6) -> Labels:
    return {
        k: fit.codes for k, fit in Tree("ward").fit(X, range(1, most + 1), np.random.SeedSequence(0)).items()
    }


def blobs(apart: float, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(60, 2)) + apart * np.array([[0, 0], [1, 0], [0, 1]])[np.arange(60) % 3]


def plain(value: Any) -> float:
    return float(value.value) if isinstance(value, (Noted, Compared)) else float(value)


@pytest.mark.parametrize("record", [r for r in OF_SWEEPS if r.name not in RELATIVE], ids=name_of)
def test_neighbours_and_statistics_are_all_that_is_read(record: SelectionIndex) -> None:
    X = blobs(2.0)
    labels = levels(X)
    whole = {k: plain(v) for k, v in record.over(sweep_of_labels(X, labels, EVERYTHING, (-1, 1))).items()}
    needed = {3 + step for step in (0, *record.neighbours)}
    assert whole[3] == record(X, {k: labels[k] for k in needed})[3]
    for missing in needed:
        assert 3 not in record(X, {k: labels[k] for k in needed - {missing}})
    assert set(record.reads) == set(sweep_of_labels(X, labels, record.reads, ()).partitions[3])


@pytest.mark.parametrize("record", OF_SWEEPS, ids=name_of)
def test_hierarchies_are_asked_for_by_those_that_need_one(record: SelectionIndex) -> None:
    """Partitions of which none is within another have values of the other criteria only."""
    X = blobs(2.0)
    found = record(X, {k: np.arange(60) % k for k in range(2, 6)})
    assert bool(found) != record.hierarchical


@pytest.mark.parametrize("record", OF_SWEEPS, ids=name_of)
def test_a_criterion_asked_for_alone_has_what_it_reads(record: SelectionIndex) -> None:
    X = blobs(2.0)
    labels = levels(X)
    alone = adjudge.choose_k(X, "ward", [2, 3, 4], indices=record.name).values[record.name]
    if record.name in RELATIVE:
        labels = {k: labels[k] for k in (2, 3, 4)}
    expected = record(X, labels)
    assert alone == {k: pytest.approx(expected[k], nan_ok=True) for k in (2, 3, 4)}


def sweeps() -> list[Sweep]:
    rng = np.random.default_rng(1)
    clouds = [
        blobs(1e3),
        blobs(0.0),
        rng.uniform(size=(60, 2)),
        np.column_stack([blobs(3.0), rng.random(60)]),
    ]
    clouds += [1e-3 * blobs(2.0), 1e3 * blobs(2.0), blobs(0.0, 5)[:12]]
    made = [sweep_of_labels(X, levels(X, min(8, len(X) - 1)), EVERYTHING, (-1, 1)) for X in clouds]
    # Partitions that grow worse with K.
    crossed = {k: np.arange(60) // 20 if k == 3 else np.arange(60) % k for k in range(1, 7)}
    made.append(sweep_of_labels(np.sort(blobs(0.0), axis=0) * 100, crossed, EVERYTHING, (-1, 1)))
    # Mean distances between clusters grow, those within fall.
    X = np.array([[1.0], [3.0], [8.0], [4.0], [9.0], [9.0]])
    nested = {2: np.array([1, 0, 0, 1, 0, 0]), 3: np.array([1, 2, 0, 1, 0, 2])}
    return [*made, sweep_of_labels(X, nested, EVERYTHING, (-1, 1))]


def statistics_of(record: SelectionIndex) -> list[Any]:
    if record.requires == (Sweep,):
        halves = Sweep((2,), {}, {2: Split(n=9, p=1, whole=8.0, parts=0.0)})
        same = Sweep((2,), {}, {2: Split(n=9, p=1, whole=8.0, parts=8.0)})
        near = Sweep((2,), {}, {2: Split(n=9, p=1, whole=8.0, parts=1e-9)})
        return [
            *sweeps(),
            *([halves, same, near] if record.hierarchical and record.reads == (Moments,) else []),
        ]
    if record.requires == (MixtureFits,):
        return [MixtureFits(100, {2: sign * 500.0}, {2: 11}, {2: -3.0}) for sign in (1, -1)]
    if record.requires == (GapReference,):
        return [GapReference({2: sign * 5.0}, {2: np.array([0.5, -0.5])}) for sign in (1, -1)]
    shares = [0.0, 0.4, 1.0]
    by_k = dict(enumerate(shares, 2))
    return [Stability(jaccard={}, strength=by_k, instability=by_k, ambiguity=by_k)]


@pytest.mark.full(keep=6)
@pytest.mark.parametrize("record", RECORDS, ids=name_of)
def test_range_is_reached(record: SelectionIndex) -> None:
    values = [plain(v) for s in statistics_of(record) for v in record.over(s).values()]
    finite = [v for v in values if math.isfinite(v)]
    low, high = record.range
    assert all(low <= v <= high for v in finite)
    assert min(finite) < -1.5 if math.isinf(low) else min(finite) == pytest.approx(low, abs=0.1)
    assert max(finite) > 3 if math.isinf(high) else max(finite) == pytest.approx(high, abs=0.1)


#: How the publications and NbClust's manual choose.
PUBLISHED = {
    "krzanowski_lai": "max",
    "hartigan": "first_at_most",
    "hartigan_drop": "max_drop",
    "ball_drop": "max_drop",
    "friedman": "max_rise",
    "scott": "max_rise",
    "trcovw": "max_drop",
    "duda": "first_at_least",
    "pseudo_t2": "first_at_most",
    "beale": "first_at_most",
    "frey": "last_above",
    "gap": "one_standard_error",
    "bic": "min",
    "aic": "min",
    "icl": "min",
    "prediction_strength": "last_at_least",
    "instability": "min",
    "ambiguous_clustering": "min",
    "cvnn": "min",
    "nci": "max",
}


def test_rules_are_those_of_the_publications() -> None:
    assert {record.name: record.rule for record in RECORDS} == PUBLISHED


def test_every_rule_is_told() -> None:
    internal = {record.best_k for record in adjudge.list_indices("internal")} - {None}
    assert set(RULES) == internal | set(PUBLISHED.values())
    assert len({rule.words for rule in RULES.values()}) == len(RULES)
    for rule, extreme in (
        ("max", "largest"),
        ("max_diff", "largest"),
        ("min", "smallest"),
        ("min_diff", "smallest"),
    ):
        assert extreme in RULES[rule].words
    assert "second difference" in RULES["max_diff"].words
    assert "second difference" in RULES["min_diff"].words


@pytest.mark.parametrize("record", RECORDS, ids=name_of)
def test_the_rule_agrees_with_the_direction_and_is_told(record: SelectionIndex) -> None:
    upwards = {"max": "higher", "max_rise": "higher", "min": "lower", "max_drop": "lower"}
    if record.better is not None and record.rule in upwards:
        assert record.better == upwards[record.rule]
    assert record.note.startswith(f"Votes for {RULES[record.rule].words}.")
    assert not record.identical_is_best


def test_a_record_of_a_sweep_made_by_hand() -> None:
    def silent(sweep: Sweep) -> dict[int, float]:
        return dict.fromkeys(sweep.ks, 1.0)

    facts: dict[str, Any] = {
        "title": "T",
        "better": None,
        "range": (0, 1),
        "reference": "nobody",
        "rule": "min_diff",
    }
    own = selection(**facts, name="mine", note="My words.")(silent)
    assert (own.name, own.kind, own.rule, own.requires) == ("mine", "selection", "min_diff", (Sweep,))
    assert own.note == "Votes for the K of the smallest second difference. My words."
    assert (own.reads, own.neighbours, own.hierarchical) == ((), (), False)
    plain_one = selection(**facts, requires=MixtureFits)(silent)
    assert (plain_one.name, plain_one.requires) == ("silent", (MixtureFits,))
    assert plain_one.note == "Votes for the K of the smallest second difference."
    assert dict(own.over(Sweep((2, 3), {}))) == {2: 1.0, 3: 1.0}
    assert "mclust" in adjudge.find_index("bic").note
    assert "Returns\n-------\ndict of int to float\n    The value by K.\n" in own.__doc__
    assert (
        "X : array-like of shape (n, p)\n    Points, one a row.\n"
        "labels : mapping of int to array-like of shape (n,)\n    Partitions by their numbers of clusters.\n"
    ) in own.__doc__


def test_records_and_values_do_not_change() -> None:
    value = Compared(1.0, 2.0)
    assert repr(RECORDS[0]) == f"<selection index {RECORDS[0].name}: {RECORDS[0].title}>"
    for thing, name in ((value, "value"), (RECORDS[0], "rule")):
        with pytest.raises(AttributeError):
            setattr(thing, name, "other")
    assert not hasattr(value, "__dict__")
    assert len({*RECORDS}) == len(RECORDS)


def test_direction_of_tests() -> None:
    """One cluster that is cut in two for nothing, and one that falls in two."""
    for_nothing, in_two = (Split(n=50, p=2, whole=100.0, parts=parts) for parts in (99.0, 1.0))
    for name in ("duda", "pseudo_t2", "beale"):
        record = adjudge.find_index(name)
        kept, cut = (plain(record.over(Sweep((2,), {}, {2: split}))[2]) for split in (for_nothing, in_two))  # type: ignore[attr-defined]
        assert (kept > cut) == (record.better == "higher")
    assert adjudge.find_index("gap").better == adjudge.find_index("prediction_strength").better == "higher"
    assert [adjudge.find_index(name).better for name in ("hartigan", "hartigan_drop", "frey")] == [None] * 3


def test_information_criteria_by_hand() -> None:
    fits = MixtureFits(n=100, log_likelihood={2: -50.0}, n_parameters={2: 7}, log_certainty={2: -3.0})
    bic, aic, icl = (adjudge.find_index(name).function(fits)[2] for name in ("bic", "aic", "icl"))
    assert aic == 100 + 14
    assert bic == pytest.approx(100 + 7 * math.log(100), rel=1e-15)
    assert icl == pytest.approx(bic + 6, rel=1e-15)


def test_critical_values_by_hand() -> None:
    split = Split(n=10, p=2, whole=100.0, parts=40.0)
    sweep = Sweep((2,), {}, {2: split})
    # 1 - 2/(pi p) - z sqrt(2 (1 - 8/(pi^2 p)) / (n p)), and what it is for t^2 = (1 - r) / r (n - 2).
    ratio = 1 - 1 / math.pi - 3.2 * math.sqrt(2 * (1 - 4 / math.pi**2) / 20)
    found = {name: adjudge.find_index(name).function(sweep)[2] for name in ("duda", "pseudo_t2", "beale")}
    assert (found["duda"].value, found["duda"].critical) == (0.4, pytest.approx(ratio, rel=1e-14))
    assert found["pseudo_t2"].value == pytest.approx(60 / 40 * 8, rel=1e-14)
    assert found["beale"].value == pytest.approx(60 / 40 / (9 / 8 * 2 - 1), rel=1e-14)
    assert ratio < 0.5
    small = adjudge.find_index("pseudo_t2").function(Sweep((2,), {}, {2: Split(3, 1, 4.0, 2.0)}))[2]
    assert small.critical == math.inf
    # A critical ratio of 0 is passed by every t squared.
    split = Split(3, 1, 4.0, 2.0)
    zero = (1 - 2 / math.pi) / math.sqrt(2 * (1 - 8 / math.pi**2) / 3)
    exact = [
        z
        for z in (zero, math.nextafter(zero, 9))
        if criticals("duda", Sweep((2,), {}, {2: split}), z=z) == {0.0}
    ]
    assert exact
    assert criticals("pseudo_t2", Sweep((2,), {}, {2: split}), z=exact[0]) == {math.inf}
    large = adjudge.find_index("pseudo_t2").function(Sweep((2,), {}, {2: Split(50, 2, 4.0, 2.0)}))[2]
    ratio = 1 - 1 / math.pi - 3.2 * math.sqrt(2 * (1 - 4 / math.pi**2) / 100)
    assert large.critical == pytest.approx((1 - ratio) / ratio * 48, rel=1e-13)


def test_reasons_of_splits() -> None:
    """0/0 and division by zero where a cluster has no dispersion, or two points."""
    no_dispersion = Sweep((2,), {}, {2: Split(5, 2, 0.0, 0.0)})
    for name in ("duda", "pseudo_t2", "beale"):
        value = adjudge.find_index(name).function(no_dispersion)[2]
        assert isinstance(value, Noted)
        assert math.isnan(value.value)
        assert value.reason == "0/0: the cluster that splits has no dispersion"
    two_points = Sweep((2,), {}, {2: Split(2, 2, 1.0, 0.0)})
    value = adjudge.find_index("beale").function(two_points)[2]
    assert (str(value.value), value.reason) == ("nan", "0/0: the cluster that splits has two points")
    assert math.isnan(adjudge.find_index("pseudo_t2").function(two_points)[2].value)
    three = adjudge.find_index("beale").function(Sweep((2,), {}, {2: Split(3, 2, 4.0, 2.0)}))[2]
    assert three.value == pytest.approx(1 / (2 / 1 * 2 - 1), rel=1e-15)


def test_reasons_of_neighbours() -> None:
    X = np.array([[0.0], [0.0], [4.0], [4.0], [9.0], [9.0]])
    labels = {
        1: np.zeros(6, int),
        2: np.array([0] * 4 + [1] * 2),
        3: np.repeat([0, 1, 2], 2),
        4: [0, 0, 1, 1, 2, 3],
    }
    sweep = sweep_of_labels(X, labels, EVERYTHING, (-1, 1))

    def reason(name: str, k: int) -> tuple[str, str]:
        value = adjudge.find_index(name).function(sweep)[k]
        return str(value.value), value.reason

    nothing_left = "no cluster has any dispersion with one cluster more"
    for name in ("hartigan", "hartigan_drop"):
        assert reason(name, 2) == ("inf", f"division by zero: {nothing_left}")
        assert reason(name, 3) == ("nan", f"0/0: {nothing_left}")
    assert reason("krzanowski_lai", 3) == ("inf", "division by zero: the dispersion does not change")
    assert reason("trcovw", 2) == ("nan", "0/0: there is one variable")
    assert reason("frey", 1) == ("nan", "there are no distances to compare")
    assert reason("frey", 3)[1].endswith("the mean distance within clusters does not change")


def criticals(name: str, statistic: Any, **parameters: Any) -> set[float]:
    values = adjudge.find_index(name).function(statistic, **parameters).values()
    return {v.critical for v in values if isinstance(v, Compared)}


def test_what_tests_compare_with() -> None:
    X = blobs(2.0)
    sweep = sweep_of_labels(X, levels(X), EVERYTHING, (-1, 1))
    assert criticals("hartigan", sweep) == {10.0}
    assert criticals("hartigan", sweep, critical=7.0) == {7.0}
    assert criticals("frey", sweep) == {1.0}
    strength = Stability(jaccard={}, strength={2: 0.5}, instability={}, ambiguity={})
    assert criticals("prediction_strength", strength) == {0.8}
    assert criticals("prediction_strength", strength, critical=0.9) == {0.9}
    assert min(criticals("beale", sweep, alpha=0.01)) > max(criticals("beale", sweep, alpha=0.5))
    assert criticals("beale", sweep) == criticals("beale", sweep, alpha=0.1)
    assert criticals("duda", sweep) == criticals("duda", sweep, z=3.2)
    assert min(criticals("duda", sweep, z=-50.0)) > max(criticals("duda", sweep))
    assert (
        criticals("pseudo_t2", sweep)
        == criticals("pseudo_t2", sweep, z=3.2)
        != criticals("pseudo_t2", sweep, z=1)
    )


@pytest.mark.parametrize("record", OF_SWEEPS, ids=name_of)
def test_undefined_somewhere_is_what_the_record_says(record: SelectionIndex) -> None:
    flat = np.repeat([[0.0], [4.0], [9.0]], 4, axis=0)
    nested = {k: np.minimum(np.arange(12) // 4, k - 1) for k in (1, 2, 3)} | {
        4: np.repeat([0, 1, 2, 3], [4, 4, 2, 2])
    }
    pairs = {1: np.zeros(4, int), 2: np.array([0, 0, 1, 1]), 3: np.array([0, 0, 1, 2]), 4: np.arange(4)}
    cases = [(flat, nested), (np.array([[0.0], [1.0], [5.0], [9.0]]), pairs), (np.ones((12, 2)), nested)]
    found = [record.over(sweep_of_labels(X, labels, EVERYTHING, (-1, 1))).values() for X, labels in cases]
    ever = any(isinstance(v, Noted) for values in found for v in values)
    assert ever == bool(record.undefined)


def test_other_criteria_are_no_functions_of_labels() -> None:
    for record in RECORDS:
        if record.requires != (Sweep,):
            message = (
                f"{record.name} is not a function of labels: use choose_k() with indices={record.name!r}"
            )
            with raises_line(InputTypeError, message):
                record([[0.0], [1.0]], {2: [0, 1]})
