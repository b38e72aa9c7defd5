"""Pair counts are exact, and each index of them is its printed formula, degenerate cases included."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import adjudge
import naive
from adjudge import InputError, find_index
from adjudge.statistics import Contingency, PairCounts
from conftest import raises_line

COUNT = st.one_of(st.integers(0, 5), st.integers(0, 10**22))
LABELS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=40)


@given(LABELS)
def test_pairs_are_those_that_a_loop_counts(labels: list[tuple[int, int]]) -> None:
    a, b = zip(*labels, strict=True)
    pairs = Contingency.from_labels(a, b).pairs
    assert (pairs.yy, pairs.yn, pairs.ny, pairs.nn) == naive.pair_counts(a, b)


@given(COUNT, COUNT, COUNT, COUNT)
def test_indices_are_their_formulas(yy: int, yn: int, ny: int, nn: int) -> None:
    pairs = PairCounts(yy, yn, ny, nn)
    for name, formula in naive.PAIR_INDICES.items():
        record = find_index(name)
        assert record.requires == (PairCounts,)
        value, reason = record.assess(pairs)
        expected = formula(yy, yn, ny, nn)
        assert value == pytest.approx(expected, rel=1e-13, abs=1e-100, nan_ok=True), name
        if math.isfinite(expected):
            assert reason is None
        else:
            assert reason is not None
            assert reason.startswith("0/0: " if math.isnan(expected) else "division by zero: ")


def test_every_index_of_pairs_has_a_naive_twin() -> None:
    ours = {r.name for r in adjudge.list_indices("external") if r.requires == (PairCounts,)}
    assert ours == set(naive.PAIR_INDICES)


def test_derived_counts() -> None:
    pairs = PairCounts(yy=1, yn=2, ny=3, nn=4)
    assert (pairs.total, pairs.joined_true, pairs.joined_pred) == (10, 3, 4)
    assert (pairs.agreeing, pairs.disagreeing, pairs.identical) == (5, 5, False)
    assert PairCounts(3, 0, 0, 4).identical
    assert not PairCounts(3, 1, 0, 4).identical
    assert not PairCounts(3, 0, 1, 4).identical


def test_counts_are_python_integers() -> None:
    pairs = PairCounts(np.int64(1), np.int32(2), np.uint8(3), 4)  # type: ignore[arg-type]
    assert all(type(getattr(pairs, name)) is int for name in ("yy", "yn", "ny", "nn"))
    assert repr(pairs) == "PairCounts(yy=1, yn=2, ny=3, nn=4)"
    with pytest.raises(AttributeError):
        pairs.yy = 5  # type: ignore[misc]


@pytest.mark.parametrize("name", ["yy", "yn", "ny", "nn"])
@pytest.mark.parametrize("value", [-1, 1.0, "1", None])
def test_errors(name: str, value: Any) -> None:
    counts: dict[str, Any] = {"yy": 1, "yn": 1, "ny": 1, "nn": 1, name: value}
    with raises_line(InputError, f"PairCounts.{name} is {value!r}: it counts pairs, a whole number >= 0"):
        PairCounts(**counts)


# --- parameters -------------------------------------------------------------------------------------------------

PAIRS = PairCounts(yy=6, yn=2, ny=3, nn=4)


def test_f_beta() -> None:
    p, r = 6 / 9, 6 / 8
    for beta in (0.5, 1, 2, 3.7):
        expected = (1 + beta**2) * p * r / (beta**2 * p + r)
        assert adjudge.pair_f.of(PAIRS, beta=beta) == pytest.approx(expected, rel=1e-14)
        assert adjudge.f_alpha.of(PAIRS, alpha=beta**2) == pytest.approx(expected, rel=1e-14)
    assert adjudge.pair_f.of(PAIRS, beta=1e6) == pytest.approx(r, rel=1e-9)
    assert adjudge.pair_f.of(PAIRS, beta=1e-6) == pytest.approx(p, rel=1e-9)


def test_scales_of_mirkin() -> None:
    assert adjudge.mirkin.of(PAIRS) == 10
    assert adjudge.mirkin.of(PAIRS, scale="unordered") == 5
    assert adjudge.mirkin.of(PAIRS, scale="share") == pytest.approx(5 / 15)
    none = PairCounts(0, 0, 0, 0)
    for scale in ("ordered", "unordered", "share"):
        assert adjudge.mirkin.assess(none, scale=scale)[1] == "0/0: there is no pair of instances"


def test_unknown_parameters_are_refused() -> None:
    with pytest.raises(TypeError, match="gamma"):
        adjudge.pair_f([0, 1], [0, 1], gamma=2)


# --- conventions for degenerate inputs --------------------------------------------------------------------------

SINGLETONS = [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("name", "labels_true", "labels_pred", "reason"),
    [
        ("jaccard", SINGLETONS, SINGLETONS, "0/0: neither partition joins any pair"),
        ("rand", [0], [0], "0/0: there is no pair of instances"),
        (
            "ami_min",
            SINGLETONS,
            [0, 0, 1, 1],
            "0/0: with these cluster sizes every table has the same mutual information",
        ),
        ("homogeneity", [0, 0, 0, 0], [0, 0, 1, 1], "0/0: the truth is one cluster"),
    ],
)
def test_reasons_of_what_is_undefined(
    name: str, labels_true: list[int], labels_pred: list[int], reason: str
) -> None:
    result = adjudge.evaluate(labels_true, labels_pred, indices=name)
    assert math.isnan(result[name])
    assert result.reasons == {name: reason}
    assert math.isnan(find_index(name)(labels_true, labels_pred))
