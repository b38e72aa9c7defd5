"""Influence values added up by sign and size have the intervals and tests of the values themselves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

import adjudge
from adjudge.engines.frames import chunks
from adjudge.inference.common.significance import difference_of_influences, difference_up_to
from adjudge.inference.forecasts import influence_sums, loss_sums
from adjudge.inference.forecasts.influence_sums import InfluenceCells
from adjudge.inference.forecasts.loss_sums import LossSums, Unseen
from adjudge.inference.influence import Influence
from adjudge.inference.interval import Wanted, intervals_of, share_of
from adjudge.statistics.forecasts import ProbabilityForecasts, read_forecasts

RNG = np.random.default_rng(11)
N = 500
SAME = "the expected scores of both models are the same"
#: Influence values, or what they are drawn from.
VALUES = {
    "normal": RNG.normal(size=N),
    "skewed": RNG.exponential(size=N) ** 3,
    "heavy": RNG.standard_t(2, N),
    "rare": np.r_[np.zeros(N - 7), 3.0, 1e-3, -1e3, np.full(4, 2.0)],
    "tiny": RNG.normal(size=N) * 1e-30,
    "on edges": 2.0 ** RNG.integers(-6, 6, N) * RNG.choice([-1, 1], N),
    "one": np.full(N, 0.25),
    "share": np.r_[np.full(120, 0.76), np.full(380, -0.24)],
}


def cells_of(psi: np.ndarray, n_parts: int = 3) -> InfluenceCells:
    found = InfluenceCells()
    for part in np.array_split(psi, n_parts):
        own = InfluenceCells()
        own.take(part, np.zeros(part.size, np.int64), None)
        found = found + own
    return found


@pytest.mark.parametrize("kind", VALUES)
def test_cells_have_the_sums_of_values(kind: str) -> None:
    psi = VALUES[kind]
    values, counts = cells_of(psi).values()
    assert counts.sum() == pytest.approx(N, rel=1e-14)
    for sign in (1, -1):
        own, merged = np.maximum(sign * psi, 0), np.maximum(sign * values, 0)
        assert counts @ merged == pytest.approx(own.sum(), rel=1e-13)
        assert counts @ merged**2 == pytest.approx((own**2).sum(), rel=1e-13)
        assert merged.max(initial=0) == pytest.approx(own.max(), rel=1e-11)


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("value", [0.24, 0.7])
def test_intervals_and_tests_are_those_of_values(kind: str, value: float) -> None:
    psi = VALUES[kind] - VALUES[kind].mean()
    wanted = Influence.centred(value, psi, rise=0.1, fall=0.2)
    found = Influence.centred(value, *cells_of(psi).values(), rise=0.1, fall=0.2)
    one, other = (Wanted(own, (0.0, 1.0)) for own in (wanted, found))
    assert (share_of(one) is None) == (share_of(other) is None)
    for own, rows in zip(*(intervals_of([each], 0.9) for each in (other, one)), strict=True):
        assert list(own) == pytest.approx(list(rows), abs=1e-9)
        assert own.method == rows.method
    differences = [difference_of_influences(each, 0.9, SAME) for each in (other, one)]
    tests = [own.test for own in differences]
    assert (tests[0] is None) == (tests[1] is None)
    if tests[0] is not None and tests[1] is not None:
        assert tests[0].p_value == pytest.approx(tests[1].p_value, rel=1e-8)
    assert found.events == pytest.approx(wanted.events, rel=0.01)


def test_a_difference_that_is_known_up_to_a_bound() -> None:
    psi = VALUES["normal"] - VALUES["normal"].mean()
    for value in (0.2, -0.2):
        own = Wanted(Influence.centred(value, psi), (0.0, 1.0))
        found = difference_up_to(own, 0.05, 0.9, SAME)
        near, far = (
            difference_of_influences(own._replace(influence=replace(own.influence, value=end)), 0.9, SAME)
            for end in (0.75 * value, 1.25 * value)
        )
        assert found.test == near.test
        assert found.interval.low == min(near.interval.low, far.interval.low)
        assert found.interval.high == max(near.interval.high, far.interval.high)
        assert difference_up_to(own, 0.0, 0.9, SAME) == difference_of_influences(own, 0.9, SAME)
    hidden = difference_up_to(Wanted(Influence.centred(0.01, psi), (0.0, 1.0)), 0.05, 0.9, SAME)
    assert hidden.test is not None
    assert hidden.test.p_value == 1.0


def test_what_was_not_seen_adds_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """However rows are cut, and if neighbours are put together, up to what one of them counts."""
    truth = RNG.integers(0, 3, N)
    shares = RNG.dirichlet([0.2, 0.2, 0.2], N)
    read = read_forecasts(truth, shares, classes=[0, 1, 2])
    assert isinstance(read, ProbabilityForecasts)
    slope, start = np.array([0.3, -0.2, 0.0, 0.1, 0.2]), np.zeros(5)
    whole = LossSums(read).unseen(slope)
    parts = sum((LossSums(read.take(np.arange(i, N, 7))).unseen(slope) for i in range(7)), Unseen())
    wanted, found = (list(own.numbers(start, np.ones(3), known_sizes=False)) for own in (whole, parts))
    assert np.allclose(wanted, found, rtol=1e-12)
    monkeypatch.setattr(loss_sums, "_MOST_KEPT", 40)
    few = sum((LossSums(read.take(np.arange(i, N, 7))).unseen(slope) for i in range(7)), Unseen())
    assert few.most.values.size <= 100
    merged = list(few.numbers(start, np.ones(3), known_sizes=False))
    assert np.allclose(wanted, merged, rtol=0.1, atol=1e-6)
    assert not np.allclose(wanted, merged, rtol=1e-12)


@pytest.mark.parametrize("units", [None, "unit"])
def test_intervals_do_not_depend_on_chunks(units: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor on how wide cells are, as long as values below and above the mean are apart."""
    truth = RNG.integers(0, 2, N)
    frame = pl.DataFrame(
        {
            "truth": truth,
            "p": np.clip(0.3 * truth + 0.6 * RNG.random(N), 0.01, 0.99),
            "q": np.clip(0.2 * truth + 0.7 * RNG.random(N), 0.01, 0.99),
            "unit": RNG.integers(0, 60, N),
        }
    )
    asked: dict[str, Any] = {"truth": "truth", "positive": 1, "kind": "classification", "confidence": 0.9}
    asked |= {"units": units}
    wanted = adjudge.evaluate(frame.lazy(), probabilities="p", **asked)
    between = adjudge.compare(frame.lazy(), probabilities={"a": "p", "b": "q"}, **asked)["a", "b"].differences
    monkeypatch.setattr(chunks, "_ROWS", 64)
    monkeypatch.setattr(influence_sums, "_PARTS", 1)
    found = adjudge.evaluate(frame.lazy(), probabilities="p", **asked)
    parts = adjudge.compare(frame.lazy(), probabilities={"a": "p", "b": "q"}, **asked)["a", "b"].differences
    for name in wanted:
        own, other = found.score(name).interval, wanted.score(name).interval
        assert (own is None) == (other is None)
        assert own is None or other is None or own == pytest.approx(other, rel=1e-10)
        one, two = parts[name].p_value, between[name].p_value
        assert (one is None) == (two is None)
        assert one is None or one == pytest.approx(two, rel=1e-9)


@pytest.mark.parametrize("units", [None, "unit"])
def test_rankings_whose_bins_leave_nothing_open_have_the_intervals_of_rows(units: str | None) -> None:
    """Few digits, classes of different sizes, and one that is harder than the others."""
    rng = np.random.default_rng(2)
    truth = rng.choice(3, N, p=[0.6, 0.3, 0.1])
    columns: dict[str, Any] = {"truth": np.array(["a", "b", "c"])[truth], "unit": rng.integers(0, 60, N)}
    for model, share in (("p", 0.5), ("q", 0.35)):
        sure = np.where(truth == 2, 0.2, share)[:, None] * np.eye(3)[truth]
        shares = np.round(sure + (1 - sure.sum(axis=1, keepdims=True)) * rng.dirichlet([1, 1, 1], N), 2)
        shares[:, 0] = np.round(1 - shares[:, 1:].sum(axis=1), 2)
        columns |= {f"{model}_{label}": np.abs(shares[:, i]) for i, label in enumerate("abc")}
    frame = pl.DataFrame(columns)
    ranks = [
        "roc_auc",
        "average_precision",
        "roc_auc_ovr_weighted",
        "weighted_average_precision",
        "d2_log_loss",
    ]
    asked: dict[str, Any] = {"truth": "truth", "kind": "classification", "confidence": 0.9, "units": units}
    asked |= {"indices": ranks}
    both = {model: {label: f"{model}_{label}" for label in "abc"} for model in "pq"}
    wanted, found = (adjudge.compare(own, probabilities=both, **asked) for own in (frame, frame.lazy()))
    for name in ranks:
        assert not found.judged["p"][name].error_bound
        for model in "pq":
            assert found.judged[model][name].interval == pytest.approx(
                wanted.judged[model][name].interval, abs=1e-9
            )
        own, rows = (each["p", "q"].differences[name] for each in (found, wanted))
        assert own.interval == pytest.approx(rows.interval, abs=1e-9)
        assert own.p_value == pytest.approx(rows.p_value, rel=1e-6)


@pytest.mark.parametrize(("close", "decided"), [(0.8, False), (0.05, True)])
def test_areas_of_scores_too_close_to_be_told_apart_by_bins_may_be_those_of_their_order(
    close: float, decided: bool
) -> None:
    """In a lazy table, their order is not known: interval and test allow for any."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 400)
    scores = {}
    for name, apart in (("a", 1.5), ("b", 0.4)):
        sure = rng.normal(size=400) + apart * truth
        shares = 1 / (1 + np.exp(-sure))
        scores[name] = np.where(rng.random(400) < close, 0.6 + 1e-12 * sure, shares)
    table = pl.DataFrame({"y": truth, **scores})
    exact, summed = (
        adjudge.compare(
            own,
            truth="y",
            probabilities={"a": "a", "b": "b"},
            kind="classification",
            positive=1,
            indices=["roc_auc"],
            confidence=0.95,
        )["a", "b"].differences["roc_auc"]
        for own in (table, table.lazy())
    )
    assert summed.value != exact.value
    assert summed.low < exact.low < exact.high < summed.high
    assert exact.p_value < summed.p_value
    assert (summed.p_value < 0.05) == decided == (summed.low > 0)
    assert (summed.p_value == 1) == (not decided)
