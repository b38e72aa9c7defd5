"""Calling a record: every option reaches what it is meant for, and what is wrong is named."""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge import InputError, InputTypeError, find_index
from adjudge.indices.record import Noted, quotient
from adjudge.statistics import Agreement, Contingency, PairCounts
from conftest import raises_line

TRUE = np.array([0, 0, 1, 1, 2, 2, 7, 7, 0, 1])
PRED = np.array([0, 1, 1, 1, 2, 0, 0, 7, 7, 1])
THIRD = np.array([1, 1, 0, 1, 2, 2, 0, 7, 0, 7])
X = np.array([[0, 1], [1, 5], [8, 2], [9, 4], [3, 9], [4, 8], [2, 2], [6, 6], [0.5, 3], [7, 1]])
SINGLETONS = np.where(TRUE == 7, np.arange(10) + 100, TRUE)
KEPT = TRUE != 7


def test_options_of_measures_on_labels() -> None:
    rand = find_index("rand")
    both = KEPT & (PRED != 7)
    assert rand(TRUE, PRED, noise="drop", noise_label=7) == rand(TRUE[both], PRED[both]) != rand(TRUE, PRED)
    alone = [np.where(v == 7, np.arange(10) + 100, v) for v in (TRUE, PRED)]
    assert rand(TRUE, PRED, noise="singletons", noise_label=7) == rand(*alone)
    # The label of noise is -1 unless it is said, and noise is a cluster.
    minus = [np.where(v == 7, -1, v) for v in (TRUE, PRED)]
    assert rand(*minus, noise="drop") == rand(TRUE[both], PRED[both])
    assert rand(*minus) == rand(TRUE, PRED)
    counts = np.arange(10)
    assert rand(TRUE, PRED, counts=counts) == rand(np.repeat(TRUE, counts), np.repeat(PRED, counts))
    missing = [None if v == 7 else int(v) for v in TRUE]
    assert rand(missing, PRED, missing="drop") == rand(TRUE[KEPT], PRED[KEPT])
    with pytest.raises(InputError):
        rand(missing, PRED)
    with raises_line(InputError, "rand is of no single class: leave positive=1 out"):
        rand(TRUE, PRED, pos_label=1)
    with raises_line(InputTypeError, "rand() has no option nonsense=: did you mean noise=?"):
        rand(TRUE, PRED, nonsense=1)


def test_options_of_classification_scores() -> None:
    accuracy = find_index("accuracy")
    counts = np.arange(10)
    assert accuracy(TRUE, PRED, counts=counts) == accuracy(np.repeat(TRUE, counts), np.repeat(PRED, counts))
    missing = [None if v == 7 else int(v) for v in TRUE]
    assert accuracy(missing, PRED, missing="drop") == accuracy(TRUE[KEPT], PRED[KEPT])
    with pytest.raises(InputError, match="noise= is an option for clusterings"):
        accuracy(TRUE, PRED, noise="drop", noise_label=7)


def test_options_of_internal_criteria() -> None:
    silhouette = find_index("silhouette")
    value = silhouette(X, TRUE)
    assert silhouette(X, TRUE, noise="drop", noise_label=7) == silhouette(X[KEPT], TRUE[KEPT]) != value
    assert silhouette(X, TRUE, noise="singletons", noise_label=7) == silhouette(X, SINGLETONS) != value
    minus = np.where(TRUE == 7, -1, TRUE)
    assert silhouette(X, minus) == value
    assert silhouette(X, minus, noise="drop") == silhouette(X[KEPT], TRUE[KEPT])
    city = np.abs(X[:, None] - X[None]).sum(axis=2)
    assert silhouette(X, TRUE, metric="cityblock") == pytest.approx(
        silhouette(city, TRUE, metric="precomputed")
    )
    assert silhouette(X, TRUE, metric="cityblock") != value
    missing = [None if v == 7 else int(v) for v in TRUE]
    assert silhouette(X, missing, missing="drop") == silhouette(X[KEPT], TRUE[KEPT])
    with pytest.raises(InputError):
        silhouette(X, missing)
    sd_validity = find_index("sd_validity")
    assert sd_validity(X, TRUE, alpha=3.0) == pytest.approx(
        3 * adjudge.sd_scat(X, TRUE) + adjudge.sd_dis(X, TRUE)
    )


def test_options_of_comparative_measures() -> None:
    polarization = find_index("polarization")
    for kind in ("clustering", "classification"):
        value = polarization(TRUE, PRED, THIRD, kind=kind)
        assert value == polarization.of(Agreement.from_labels(TRUE, PRED, THIRD, kind=kind))  # type: ignore[arg-type]
        missing = [None if v == 7 else int(v) for v in TRUE]
        expected = polarization(TRUE[KEPT], PRED[KEPT], THIRD[KEPT], kind=kind)
        assert polarization(missing, PRED, THIRD, kind=kind, missing="drop") == expected
        with pytest.raises(InputError):
            polarization(missing, PRED, THIRD, kind=kind)
    kept = KEPT & (PRED != 7) & (THIRD != 7)
    dropped = polarization(TRUE[kept], PRED[kept], THIRD[kept], kind="clustering")
    value = polarization(TRUE, PRED, THIRD, kind="clustering")
    assert polarization(TRUE, PRED, THIRD, kind="clustering", noise="drop", noise_label=7) == dropped != value
    minus = [np.where(v == 7, -1, v) for v in (TRUE, PRED, THIRD)]
    assert polarization(*minus, kind="clustering") == value
    assert polarization(*minus, kind="clustering", noise="drop") == dropped


def test_parameters_reach_the_formula() -> None:
    assert find_index("pair_f")(TRUE, PRED, beta=2.0) != find_index("pair_f")(TRUE, PRED)
    assert find_index("nmi")(TRUE, PRED, average="max") == find_index("nmi_max")(TRUE, PRED)
    pairs = Contingency.from_labels(TRUE, PRED).pairs
    assert find_index("pair_f").of(pairs, beta=2.0) == find_index("pair_f")(TRUE, PRED, beta=2.0)
    # What a variant fixes can be asked for otherwise.
    assert find_index("nmi_max")(TRUE, PRED, average="min") == find_index("nmi_min")(TRUE, PRED)


AVERAGES = "is not known: choose one of 'arithmetic', 'geometric', 'min', 'max', 'joint'"


@pytest.mark.parametrize(
    ("name", "parameter", "wrong", "said"),
    [
        *[
            (name, parameter, wrong, ": a finite number above 0 is needed")
            for name, parameter in (("pair_f", "beta"), ("bcubed_f", "beta"), ("f_alpha", "alpha"))
            for wrong in (0.0, -1.0, math.inf, math.nan)
        ],
        *[
            ("v_measure", "beta", wrong, ": a finite number of at least 0 is needed")
            for wrong in (-1.0, math.inf, math.nan)
        ],
        ("mirkin", "scale", "half", " is not known: choose one of 'ordered', 'unordered', 'share'"),
        ("nmi", "average", "mean", f" {AVERAGES}"),
        ("ami", "average", "mean", f" {AVERAGES}"),
    ],
)
def test_values_that_a_parameter_cannot_have(name: str, parameter: str, wrong: Any, said: str) -> None:
    with raises_line(InputError, f"{parameter}={wrong!r}{said}"):
        find_index(name)(TRUE, PRED, **{parameter: wrong})


def test_weights_just_above_zero_and_at_zero() -> None:
    """As beta tends to 0, recall counts for nothing."""
    for name, precision in (("pair_f", "pair_precision"), ("bcubed_f", "bcubed_precision")):
        value = find_index(name)(TRUE, PRED, beta=1e-9)
        assert value == pytest.approx(find_index(precision)(TRUE, PRED), rel=1e-12)
        assert find_index(name)(TRUE, PRED, beta=0.5) != value
    assert adjudge.f_alpha(TRUE, PRED, alpha=0.25) == adjudge.pair_f(TRUE, PRED, beta=0.5)
    assert adjudge.v_measure(TRUE, PRED, beta=0.0) == adjudge.homogeneity(TRUE, PRED)


def test_of_takes_the_statistics_that_the_record_names() -> None:
    rand = find_index("rand")
    with raises_line(InputTypeError, "rand.of takes PairCounts; it was given nothing"):
        rand.of()
    with raises_line(InputTypeError, "rand.of takes PairCounts; it was given Contingency"):
        rand.of(Contingency.from_labels(TRUE, PRED))
    pairs = PairCounts(1, 2, 3, 4)
    with raises_line(InputTypeError, "rand.of takes PairCounts; it was given PairCounts, PairCounts"):
        rand.of(pairs, pairs)
    with raises_line(
        InputTypeError, "sd_validity.of takes Moments, CentroidDistances, CentroidSums; it was given int, int"
    ):
        find_index("sd_validity").of(1, 2)
    moments = _infinite()
    with raises_line(
        InputTypeError,
        "sd_validity.of takes Moments, CentroidDistances, CentroidSums; it was given Moments, int",
    ):
        find_index("sd_validity").of(moments, 2)
    with raises_line(InputTypeError, "trace_w.of takes Moments; it was given Moments, int"):
        find_index("trace_w").of(moments, 2)
    assert rand.of(pairs) == 0.5


def test_quotients() -> None:
    assert quotient(1, 4, "why") == 0.25
    assert quotient(10**400, 10**400 * 4, "why") == 0.25
    assert quotient(10**400 + 1, 10**400, "why") == 1
    for numerator, value, reason in [
        (0, math.nan, "0/0: why"),
        (math.nan, math.nan, "0/0: why"),
        (3, math.inf, "division by zero: why"),
        (-3, -math.inf, "division by zero: why"),
    ]:
        found = quotient(numerator, 0, "why")
        assert isinstance(found, Noted)
        assert (str(found.value), found.reason) == (str(value), reason)


def test_values_are_python_floats_with_a_reason_where_they_need_one() -> None:
    mirkin = find_index("mirkin")
    value, reason = mirkin.assess(PairCounts(1, 2, 3, 4))
    assert (type(value), value, reason) == (float, 10.0, None)
    value, reason = find_index("pair_precision").assess(PairCounts(0, 2, 0, 4))
    assert (type(value), reason) == (float, "0/0: the prediction joins no pair")
    assert find_index("ball_hall").variant("huge", title="Huge", fixed={}).assess(_infinite()) == (
        math.inf,
        "too large for floating point",
    )


def _infinite() -> Any:
    from adjudge.engines.points import reduce_coded_points
    from adjudge.statistics.moments import Moments

    return reduce_coded_points(X * 1e160, np.zeros(10, np.int64), {Moments})[Moments]


def test_a_variant_says_what_it_is_of() -> None:
    nmi = find_index("nmi")
    own = nmi.variant("mine", title="My NMI", fixed={"average": "max"}, note="Mine.")
    assert (own.name, own.title, own.variant_of, dict(own.fixed)) == (
        "mine",
        "My NMI",
        "nmi",
        {"average": "max"},
    )
    assert (own.aliases, dict(own.peers), own.note) == ((), {}, "Mine.")
    assert (own.range, own.better, own.family, own.symmetric) == (
        nmi.range,
        nmi.better,
        nmi.family,
        nmi.symmetric,
    )
    assert own.parameters == {"average": "max"}
    assert own(TRUE, PRED) == nmi(TRUE, PRED, average="max")
    again = own.variant("other", title="Other", fixed={"average": "min"})
    assert (again.variant_of, dict(again.fixed)) == ("nmi", {"average": "min"})
    assert find_index("simplified_pair_sets_index").parameters == {"simplified": True, "clipped": True}


def test_a_record_looks_like_its_function() -> None:
    pair_f = find_index("pair_f")
    assert pair_f.__name__ == "pair_f"  # type: ignore[attr-defined]
    assert str(inspect.signature(pair_f)) == (
        "(labels_true: 'Any', labels_pred: 'Any' = None, *, counts: 'Any' = None, sample_weight: 'Any' = None, "
        "weights: 'str | None' = None, missing: 'str' = 'raise', "
        "noise: 'str' = 'cluster', noise_label: 'Any' = -1, beta: 'float' = 1.0) -> float"
    )
    assert inspect.signature(find_index("nmi_max")).parameters["average"].default == "max"
    with pytest.raises(AttributeError):
        pair_f.name = "other"  # type: ignore[misc]


def test_labels_without_a_score_are_refused_by_name() -> None:
    scores = adjudge.indices.element_centric_scores
    with pytest.raises(InputError, match=r"labels_pred has 1 entr.*labels_true has 2"):
        scores([0, 1], [0])
    with pytest.raises(InputError, match=r"^noise='drop' would leave instances without a score"):
        scores([0, 1], [0, 0], noise="drop")
    assert scores([0, 7, 7], [0, 1, 1], noise="singletons", noise_label=7).tolist() == [1.0, 0.5, 0.5]
    assert scores([0, -1, -1], [0, 1, 1], noise="singletons").tolist() == [1.0, 0.5, 0.5]
    assert scores([0, -1, -1], [0, 1, 1]).tolist() == [1.0, 1.0, 1.0]
