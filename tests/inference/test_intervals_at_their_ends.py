"""Intervals agree with tests, hold their values, and are whole, also at their ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.inference.classes.class_intervals import intervals_of_measures
from adjudge.inference.classes.outcome_intervals import diversity_intervals
from adjudge.inference.common.significance import TestResult, agreeing
from adjudge.inference.confidence import comparison_intervals, confidence_intervals
from adjudge.inference.differences.groups import compare_shares
from adjudge.inference.forecasts.auc import Placements, auc_interval
from adjudge.inference.interval import Interval
from adjudge.inference.partitions.intervals import METHODS
from adjudge.inference.points.internal_intervals import internal_intervals
from adjudge.kinds.by_class import BY_CLASS
from adjudge.results.evaluation import Evaluation
from adjudge.results.score import Score
from adjudge.statistics import Agreement
from adjudge.statistics.confusion import Confusion

LEVEL = 0.83
RNG = np.random.default_rng(0)

TRUTH = [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]
FOUND = {
    "some wrong": [0, 0, 0, 1, 1, 1, 2, 2, 2, 0],
    "nothing wrong": TRUTH,
    "nothing right": [1, 1, 1, 1, 2, 2, 2, 0, 0, 0],
    "one is found": [0] * 10,
    "one is not found": [0, 0, 0, 0, 1, 1, 1, 1, 1, 0],
    "another is found": [0, 0, 0, 0, 1, 1, 1, 3, 3, 2],
}
CONFUSIONS = {
    "some wrong": [[9, 1], [2, 8]],
    "nothing wrong": [[9, 0], [0, 8]],
    "nothing right": [[0, 3], [4, 0]],
    "never in the truth": [[9, 1], [0, 0]],
    "never found": [[9, 0], [3, 0]],
    "one instance": [[1, 0], [0, 0]],
    "nothing at all but one class": [[5, 0], [0, 0]],
}
TABLES = [[[1]], [[4, 3]], [[4], [3]], [[1, 0], [0, 1]], [[5, 0], [0, 4]], [[3, 3], [3, 3]], [[1, 1], [1, 1]]]
RIGHT = [
    (5, 3, 2, 4),
    (6, 0, 0, 4),
    (5, 3, 0, 2),
    (0, 3, 2, 0),
    (0, 0, 0, 4),
    (4, 0, 0, 0),
    (1, 0, 0, 0),
    (0, 1, 0, 0),
]
SETS = [["a"], ["b"], ["a", "b"], ["c"], ["a"], [], ["b", "c"], ["a"]]
LABEL_SETS = {
    "some wrong": [*SETS[:5], ["a"], ["b"], ["c"]],
    "nothing wrong": SETS,
    "nothing right": [["c"], ["c"], ["c"], ["a"], ["b"], ["a"], ["a"], ["b"]],
    "nothing found": [[] for _ in SETS],
}
RATINGS = {
    "some differ": RNG.integers(0, 3, size=(12, 3)).tolist(),
    "all agree": [[i % 2] * 3 for i in range(8)],
    "one category": [[0, 0, 0]] * 5,
    "one unit": [[0, 1, 0]],
    "two units": [[0, 1, 0], [1, 1, 0]],
    "one differs": [*([[0, 0, 0], [1, 1, 1]] * 5), [0, 0, 1]],
}


def chances(truth: list[int], k: int) -> Any:
    return 0.6 * np.eye(k)[truth] + 0.4 * np.random.default_rng(1).dirichlet(np.ones(k), len(truth))


def of_classes(cells: list[list[int]]) -> None:
    for weighted in (False, True):
        counts = Confusion([0, 1], np.array(cells) * (1.5 if weighted else 1)).by_class(positive=1)
        for measure in BY_CLASS:
            intervals_of_measures(counts, [measure], LEVEL)[measure]


def of_forecasts(**options: Any) -> None:
    for truth in (TRUTH, [0, 1] * 6, [0, 0, 0, 0, 0, 1]):
        k = max(truth) + 1
        p = chances(truth, k)
        given = p if k > 2 else p[:, 1]
        weights = {name: value[: len(truth)] for name, value in options.items()}
        adjudge.evaluate(
            truth, probabilities=given, kind="classification", indices="all", confidence=LEVEL, **weights
        )


def of_two_models(kind: Any, one: list[Any], other: list[Any], truth: list[Any], **options: Any) -> None:
    adjudge.compare(truth, {"one": one, "other": other}, kind=kind, confidence=LEVEL, **options)


def of_two_forecasts(truth: list[int], **options: Any) -> None:
    p = chances(truth, max(truth) + 1)
    models = {"one": p, "other": p[::-1], "same": p}
    given = models if p.shape[1] > 2 else {name: own[:, 1] for name, own in models.items()}
    adjudge.compare(
        truth, probabilities=given, kind="classification", indices="all", confidence=LEVEL, **options
    )


def of_many_classes() -> None:
    """A matrix with more filled cells than can be left out one by one."""
    codes = np.arange(2500)
    truth, one, other = codes % 50, codes // 50, (codes + codes // 50) % 50
    names = ["accuracy", "cohen_kappa", "macro_f1"]
    adjudge.evaluate(truth, one, kind="classification", indices=names, confidence=LEVEL)
    adjudge.compare(truth, {"a": one, "b": other}, kind="classification", indices=names, confidence=LEVEL)


def of_points(labels: Any, X: Any = RNG.normal(size=(40, 2))) -> None:  # noqa: B008 - never changed
    names = [record.name for record in adjudge.list_indices("internal")]
    internal_intervals(X, labels, names, confidence=LEVEL, n_resamples=4, random_state=0)


def all_equal(n: int) -> Any:
    return np.repeat(np.arange(2.0), n // 2)[:, None]


CALLS: dict[str, Callable[[], Any]] = {
    **{f"by class, {name}": lambda cells=cells: of_classes(cells) for name, cells in CONFUSIONS.items()},
    **{
        f"classification, {name}": lambda found=found: adjudge.evaluate(
            TRUTH, found, kind="classification", indices="all", confidence=LEVEL
        )
        for name, found in FOUND.items()
    },
    "classification, weighted": lambda: adjudge.evaluate(
        TRUTH, FOUND["some wrong"], kind="classification", indices="all", confidence=LEVEL,
        sample_weight=[1.5] * 10,
    ),
    "many classes": of_many_classes,
    "forecasts": of_forecasts,
    "forecasts, weighted": lambda: of_forecasts(sample_weight=[1.5] * 12, ),
    **{
        f"clustering, {cells}": lambda cells=cells: adjudge.evaluate(cells, indices="all", confidence=LEVEL)
        for cells in TABLES
    },
    **{
        f"clustering by {method}, {cells}": lambda cells=cells, method=method: confidence_intervals(
            ["rand", "nmi", "purity", "pair_f"], cells, confidence=LEVEL, method=method,
            n_resamples=12, random_state=0,
        )
        for method in METHODS
        for cells in TABLES
    },
    **{
        f"two models, {counts}": lambda counts=counts: diversity_intervals(Agreement(*counts), confidence=LEVEL)
        for counts in RIGHT
    },
    **{
        f"two {kind}, {name}": lambda found=found, kind=kind, method=method: comparison_intervals(
            TRUTH, found, FOUND["some wrong"], kind=kind, confidence=LEVEL, **method
        )
        for name, found in FOUND.items()
        for kind, method in (("classification", {}), ("clustering", {"method": "jackknife"}))
    },
    **{
        f"differences, {name}": lambda found=found: of_two_models(
            "classification", found, FOUND["some wrong"], TRUTH, indices="all"
        )
        for name, found in FOUND.items()
    },
    "differences, weighted": lambda: of_two_models(
        "classification", TRUTH, FOUND["some wrong"], TRUTH, sample_weight=[2] * 10, weights="frequency"
    ),
    "differences of forecasts": lambda: of_two_forecasts([0, 1] * 6),
    "differences of forecasts of three classes": lambda: of_two_forecasts(TRUTH),
    **{
        f"label sets, {name}": lambda found=found: adjudge.evaluate(
            SETS, found, kind="multilabel", indices="all", confidence=LEVEL
        )
        for name, found in LABEL_SETS.items()
    },
    "one label set": lambda: adjudge.evaluate(
        [["a"]], [["b"]], kind="multilabel", indices="all", confidence=LEVEL
    ),
    "label rankings": lambda: adjudge.evaluate(
        SETS, probabilities=RNG.random((8, 3)), classes=["a", "b", "c"], kind="multilabel", indices="all",
        confidence=LEVEL,
    ),
    **{
        f"raters, {name}": lambda ratings=ratings: adjudge.evaluate(ratings, kind="raters", confidence=LEVEL)
        for name, ratings in RATINGS.items()
    },
    "points": lambda: of_points(np.arange(40) % 3),
    "points of one cluster": lambda: of_points(np.zeros(40, int)),
    "points with a cluster of one": lambda: of_points(np.r_[1, np.zeros(39, int)]),
    "equal points": lambda: of_points(np.repeat([0, 1], 10), all_equal(20)),
    "no area": lambda: [
        auc_interval(Placements(np.ones(a), np.ones(b)), confidence=LEVEL) for a, b in ((0, 3), (1, 3), (3, 3))
    ],
}  # fmt: skip


@pytest.mark.full(keep=32)
@pytest.mark.parametrize("name", CALLS)
def test_intervals_are_whole(name: str, results_may_be_shown: list[Any]) -> None:
    """That each can be shown is looked at wherever one is made; here, that its level is the one asked for.

    Ends are values that the index can have.
    """
    found = CALLS[name]()
    made = {own.confidence for own in results_may_be_shown if isinstance(own, Interval)}
    # The largest of two or three shares is in ends that hold together.
    assert {LEVEL} <= made <= {LEVEL, *(1 - (1 - LEVEL) / m for m in (2, 3))}
    for score in found.scores.values() if isinstance(found, Evaluation) else []:
        if score.interval is not None:
            low, high = score.index.range
            assert low <= score.interval[0] <= score.interval[1] <= high, score


FIRST, SECOND = [0, 1, 0, 0, 1, 0, 1, 1, 1, 1, 0, 2, 2, 2], [1, 1, 1, 0, 0, 0, 0, 1, 0, 1, 2, 2, 2, 0]
CLASSES = [0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 2, 2, 2, 2]


@pytest.mark.full
@pytest.mark.parametrize("of", [slice(10), slice(14)], ids=["two classes", "three classes"])
def test_differences_turn_around(of: slice) -> None:
    """The first model less the second one is the negative of the second less the first; models are like themselves."""
    models = {"a": 3 * FIRST[of], "b": 3 * SECOND[of], "c": 3 * FIRST[of]}
    positive = {"positive": 1} if of.stop == 10 else {}

    def compared(*names: str) -> Any:
        given = {name: models[name] for name in names}
        found = adjudge.compare(
            3 * CLASSES[of], given, kind="classification", indices="all", confidence=LEVEL, **positive
        )
        return found.pairs[names].differences

    one, other, same = compared("a", "b"), compared("b", "a"), compared("a", "c")
    of_one_class = ["selection_rate", "prevalence"]
    assert [name for name, own in one.items() if math.isnan(own.first)] == of_one_class * (of.stop == 14)
    for name, own in one.items():
        # Of two classes, all labels are within one.
        if math.isnan(own.first) or (name == "within_one" and of.stop == 10):
            continue
        # Refused; nothing is unanswered; the truth alone decides.
        if own.index.ratio_of or name in ("answered_share", "prevalence", "no_information_rate"):
            assert own.interval is None
            continue
        low, high = own.index.range
        assert own.interval is not None, name
        assert low - high <= own.low <= own.value <= own.high <= high - low
        turned = other[name]
        assert (own.value, own.low, own.high) == pytest.approx(
            (-turned.value, -turned.high, -turned.low), abs=1e-9
        )
        assert own.p_value == pytest.approx(turned.p_value)
        assert same[name].value == 0
        # Nothing varies, but that Newcombe's interval of shares allows for it.
        assert same[name].interval is None or same[name].low == pytest.approx(-same[name].high)
    if positive:
        for name, rest in (
            ("recall", "false_negative_rate"),
            ("precision", "false_discovery_rate"),
            ("specificity", "false_positive_rate"),
            ("negative_predictive_value", "false_omission_rate"),
        ):
            assert [one[name].low, one[name].high] == pytest.approx([-one[rest].high, -one[rest].low])


def contradicts(low: float, high: float, p_value: float, confidence: float = 0.95) -> bool:
    return (low > 0 or high < 0) != (p_value < 1 - confidence)


@pytest.mark.parametrize(
    ("n", "only_p", "only_q"),
    [(2, 2, 0), (4, 4, 0), (5, 3, 0), (100, 12, 4), (300, 12, 4), (50, 0, 6), (9, 3, 3)],
)
def test_of_accuracies(n: int, only_p: int, only_q: int) -> None:
    truth = [i % 2 for i in range(n)]
    q = [1 - t if i < only_p else t for i, t in enumerate(truth)]
    p = [1 - t if only_p <= i < only_p + only_q else t for i, t in enumerate(truth)]
    options: dict[str, Any] = {"kind": "classification", "indices": "accuracy", "confidence": 0.95}
    pair = adjudge.compare(truth, {"p": p, "q": q}, **options)["p", "q"]
    found = pair.differences["accuracy"]
    assert not contradicts(found.low, found.high, found.p_value)
    assert found.low <= (only_p - only_q) / n <= found.high


@pytest.mark.full(keep=3)
@pytest.mark.parametrize("seed", range(12))
def test_of_all_scores_of_two_classifiers(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k = 2 + seed % 2
    truth = np.r_[np.tile(np.arange(k), 2), rng.integers(0, k, [6, 25, 60, 150][seed % 4])]

    def model(skill: float) -> Any:
        z = rng.normal(size=(truth.size, k))
        z[np.arange(truth.size), truth] += skill
        return np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)

    one = model(1.5)
    other = np.where(rng.random(truth.size)[:, None] < 0.6, one, model(0.6))
    both = {"one": one, "other": other}
    compared = adjudge.compare(
        truth,
        {name: p.argmax(axis=1) for name, p in both.items()},
        probabilities={name: p if k > 2 else p[:, 1] for name, p in both.items()},
        kind="classification",
        indices="all",
        confidence=0.95,
    )
    tested = 0
    for name, found in compared["one", "other"].differences.items():
        if found.low is not None and found.p_value is not None and not math.isnan(found.low + found.p_value):
            assert not contradicts(found.low, found.high, found.p_value), name
            tested += 1
    assert tested > 5


def test_of_groups() -> None:
    for one in range(11):
        for other in range(0, 31, 3):
            found = compare_shares((one, 10), (other, 30), 0.95)
            assert found.test is not None
            if not math.isnan(found.test.p_value):
                assert not contradicts(found.interval.low, found.interval.high, found.test.p_value)


@pytest.mark.parametrize("sign", [1, -1])
def test_the_end_that_faces_zero_gives_way(sign: int) -> None:
    """It is where an interval ends whose standard error gives the p-value."""

    def moved(low: float, high: float, p_value: float) -> tuple[float, float]:
        ends = sorted((sign * low, sign * high))
        test = TestResult(0.0, p_value, "mid-p", "h")
        found = agreeing(sign * 0.3, Interval(*ends, 0.95, "newcombe"), test).interval
        near, far = sorted((found.low, found.high), key=abs)
        return sign * near, sign * far

    # z of 0.02 is 2.326: the standard error is 0.3 / 2.326.
    assert moved(-0.01, 0.5, 0.02) == pytest.approx((0.3 - 1.959964 * 0.3 / 2.326348, 0.5), rel=1e-5)
    assert moved(0.01, 0.5, 0.1) == pytest.approx((0.3 - 1.959964 * 0.3 / 1.644854, 0.5), rel=1e-5)
    assert moved(0.01, 0.5, 1.0) == (-0.3, 0.5)
    assert moved(0.01, 0.5, 0.02) == (0.01, 0.5)
    assert moved(-0.01, 0.5, 0.1) == (-0.01, 0.5)


EXTERNAL = [record.name for record in adjudge.list_indices("external")]


def small_tables(seed: int, how_many: int) -> list[np.ndarray]:
    """Tables of few instances: random, even, drawn from even cells, and nearly diagonal ones."""
    rng = np.random.default_rng(seed)
    found: list[np.ndarray] = []
    while len(found) < how_many:
        shape = rng.integers(1, 5, 2)
        cells = int(shape.prod())
        table = (
            lambda shape=shape: rng.integers(0, 8, shape),
            lambda shape=shape: np.full(shape, rng.integers(1, 6)),
            lambda shape=shape, cells=cells: rng.multinomial(
                rng.integers(3, 40), np.full(cells, 1 / cells)
            ).reshape(shape),
            lambda: np.diag(rng.integers(0, 6, 4)) + (rng.random((4, 4)) < 0.15),
        )[len(found) % 4]()
        if table.sum() >= 2:
            found.append(table)
    return found


def labels_of(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rows, cols = np.nonzero(table)
    return np.repeat(rows, table[rows, cols]), np.repeat(cols, table[rows, cols])


def fault_of(score: Score) -> str | None:
    """What is wrong with an interval, or with its absence."""
    if score.low is None or score.high is None:
        return None if score.interval_reason else "no interval and no reason"
    if not score.low <= score.high:
        return "the ends are in the wrong order"
    low, high = score.index.range
    slack = 1e-9
    if score.low < low - slack or score.high > high + slack:
        return "the interval passes the range"
    if math.isnan(score.value):
        return None if score.interval_reason else "an interval of nothing without a reason"
    about = score.value if score.estimate is None else score.estimate
    if not score.low - slack <= about <= score.high + slack:
        return "the interval leaves out what it is about"
    if not score.low - slack <= score.value <= score.high + slack and not score.interval_reason:
        return "the value lies outside, without a reason"
    return None


@pytest.mark.full
@pytest.mark.parametrize("seed", range(4))
def test_intervals_hold_what_they_are_about(seed: int) -> None:
    faults: dict[str, Any] = {}
    for table in small_tables(seed, 60):
        judged = adjudge.evaluate(*labels_of(table), indices=EXTERNAL, confidence=0.95)
        for name in judged:
            score = judged.score(name)
            fault = fault_of(score)
            if fault is not None:
                faults.setdefault(f"{name}: {fault}", (table.tolist(), score.value, score.low, score.high))
    assert not faults


@pytest.mark.parametrize("name", ["bcubed_precision", "bcubed_recall", "bcubed_f"])
def test_even_tables_have_the_least_share(name: str) -> None:
    for k, count in ((2, 6), (3, 5), (4, 4)):
        score = adjudge.evaluate(*labels_of(np.full((k, k), count)), indices=name, confidence=0.95).score(
            name
        )
        assert score.value == pytest.approx(1 / k)
        # No population with these clusters has a smaller value: the interval reaches above it.
        assert score.low < score.value < score.high < 1


@pytest.mark.parametrize("table", [[[6, 5]], [[6], [2], [3], [4]]])
def test_one_cluster_gives_no_interval_of_a_quotient_of_entropies(table: list[list[int]]) -> None:
    judged = adjudge.evaluate(*labels_of(np.array(table)), indices=["nmi", "v_measure"], confidence=0.95)
    for name in judged:
        assert judged.score(name).low is None
        assert "a partition has one cluster" in str(judged.score(name).interval_reason)


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("adjusted_rand", [[10], [20]]),
        ("adjusted_rand", [[10, 20]]),
        ("pair_recall", [[10], [20]]),
        ("pair_precision", [[10, 20]]),
        ("adjusted_fowlkes_mallows", [[10, 20]]),
    ],
)
def test_one_cluster_gives_no_interval_of_what_no_instance_changes(name: str, table: list[list[int]]) -> None:
    """These had intervals of no length, or of the whole range."""
    found = adjudge.inference.confidence_intervals([name], np.array(table))[name]
    assert math.isnan(found.low)
    assert "a partition has one cluster" in str(found.reason)
    assert not math.isnan(adjudge.inference.confidence_intervals(["rand"], np.array(table))["rand"].low)


def test_what_is_undefined_has_no_interval_and_a_reason() -> None:
    ratings = [["a", "a"], ["a", "a"], ["a", "a"]]
    judged = adjudge.evaluate(ratings, kind="raters", confidence=0.95)
    undefined = [name for name in judged if math.isnan(judged[name])]
    assert "fleiss_kappa" in undefined
    classes = adjudge.evaluate([0, 0, 0], [0, 0, 0], kind="classification", indices="all", confidence=0.95)
    undefined_too = [name for name in classes if math.isnan(classes[name])]
    assert "matthews_correlation" in undefined_too
    for result, names in ((judged, undefined), (classes, undefined_too)):
        for name in names:
            assert fault_of(result.score(name)) is None, name
