"""Displays of models over data sets: what they show is what the result says."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from adjudge import benchmark
from adjudge.displays import (
    CriticalDifferenceDisplay,
    DatasetMapDisplay,
    PosteriorDisplay,
    RankDistributionDisplay,
    WinTieLossDisplay,
)
from adjudge.errors import InputError, InputTypeError

SCORES = {f"d{i}": {"p": 0.9, "q": 0.8 + (i % 3) / 10, "r": 0.3} for i in range(12)}
HOSTILE = {f"$d_{i}$": {"$p_1$": 0.9, "q" * 60: 0.8, "<r>": 0.3 + i / 100} for i in range(4)}


def texts(display):
    return [text.get_text() for ax in display.figure_.axes for text in ax.texts]


@pytest.fixture
def result():
    return benchmark(SCORES)


def test_critical_differences_of_a_benchmark(result):
    shown = CriticalDifferenceDisplay.from_result(result)
    assert shown.critical_difference == result.critical_difference
    assert shown.average_ranks == dict(sorted(result.average_ranks.items(), key=lambda item: item[1]))
    pairs = result.pairwise(correction="nemenyi")
    alike = {frozenset(pair) for pair, p in pairs.items() if p > 0.05}
    assert {frozenset(group) for group in shown.groups if len(group) == 2} <= alike
    other = CriticalDifferenceDisplay.from_result(result, test="wilcoxon", correction="holm")
    assert other.critical_difference is None
    undecided = benchmark({d: {"p": 0.5, "q": 0.5} for d in SCORES})
    assert CriticalDifferenceDisplay.from_result(undecided).groups == [["p", "q"]]


def test_the_best_score_of_a_row_is_bold(result):
    shown = DatasetMapDisplay.from_result(result).plot()
    bold = [t.get_text() for t in shown.ax_.texts if t.get_fontweight() == "bold"]
    assert len(bold) == sum(sum(v == max(row.values()) for v in row.values()) for row in SCORES.values())
    assert DatasetMapDisplay.from_result(result).columns == result.order


def test_deviations_by_data_set(rng):
    truth = rng.integers(0, 2, 50)
    sets = {d: (truth, {m: np.where(rng.random(50) < 0.3, 1 - truth, truth) for m in "pqr"}) for d in "xyz"}
    result = benchmark(sets, score="accuracy")
    shown = DatasetMapDisplay.from_deviations(result).plot()
    assert shown.values.shape == (3, 3)
    first, second = result.order[:2]
    assert shown.values[0, 0] == result.across(first, second).deviations["x"]
    with pytest.raises(InputError, match="there are no predictions"):
        DatasetMapDisplay.from_deviations(benchmark(SCORES))


def test_wins_ties_and_losses(result):
    shown = WinTieLossDisplay.from_result(result).plot()
    i, j = result.order.index("p"), result.order.index("q")
    wins = sum(row["p"] > row["q"] for row in SCORES.values())
    assert (shown.wins[i, j], shown.ties[i, j], shown.wins[j, i]) == (wins, 4, 12 - wins - 4)
    assert f"{wins}/4/{12 - wins - 4}" in texts(shown)


def test_distribution_of_ranks(result):
    shown = RankDistributionDisplay.from_result(result).plot()
    assert shown.ranks.mean(axis=0).tolist() == pytest.approx(sorted(result.average_ranks.values()))


def test_posteriors_with_and_without_a_rope(result):
    for rope in (0.0, 0.05):
        posteriors = result.bayesian(rope=rope, n_draws=500)
        shown = PosteriorDisplay.from_result(posteriors, "p", "r").plot()
        assert shown.has_rope is (rope > 0)
        assert any("p better" in text for text in texts(shown))
        assert shown.shares[0] == posteriors["p", "r"].first
    with pytest.raises(InputError, match="are not a pair"):
        PosteriorDisplay.from_result(posteriors, "p", "s")
    with pytest.raises(InputTypeError, match="bayesian"):
        PosteriorDisplay.from_result(result, "p", "r")


def test_names_are_shown_as_they_are():
    result = benchmark(HOSTILE)
    for display in (CriticalDifferenceDisplay, DatasetMapDisplay, RankDistributionDisplay, WinTieLossDisplay):
        display.from_result(result).plot().figure_.draw_without_rendering()
    first, second = result.order[:2]
    PosteriorDisplay.from_result(result.bayesian(rope=0.01, n_draws=100), first, second).plot()


@pytest.mark.parametrize(
    "make",
    [
        lambda: DatasetMapDisplay(["a"], ["p", "q"], [[1.0]]),
        lambda: RankDistributionDisplay([[1, 2]], ["p"]),
        lambda: WinTieLossDisplay(["p", "q"], [[0, 1]], [[0, 0], [0, 0]]),
        lambda: PosteriorDisplay([[0.5, 0.5]], "p", "q"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(make):
    with pytest.raises(InputError, match="has shape"):
        make()


def test_the_axis_of_ranks_starts_at_one() -> None:
    display = CriticalDifferenceDisplay({"a": 2.1, "b": 2.9, "c": 3.4}).plot()
    ticks = [text.get_text() for text in display.ax_.texts if text.get_text().isdigit()]
    assert ticks == ["1", "2", "3", "4"]
