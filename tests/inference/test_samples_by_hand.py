"""Counted cells, small laws and units beside plain counting and enumeration."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, norm

from adjudge.errors import InputTypeError
from adjudge.given.labels import Labels
from adjudge.indices.record import Noted
from adjudge.inference.chance.correction import null_distribution
from adjudge.inference.chance.random_partitions import _power
from adjudge.inference.common.samples import CrossTabulation, joined, three_way
from adjudge.inference.data_sets.rank_power import datasets_needed, detectable, pair_power, smallest_p_value
from adjudge.inference.influence import Influence
from adjudge.inference.sampling_design import Drawn, freedom_of, variance_of
from adjudge.statistics import Contingency, PairCounts
from adjudge.statistics.entropies import PartitionEntropies
from conftest import raises_line

G, P, Q = np.random.default_rng(3).integers(0, 3, (3, 40))


def made(codes: np.ndarray) -> Labels:
    size = int(codes.max()) + 1
    return Labels(codes.astype(np.int64), 0, size, range(size))


def sample() -> CrossTabulation:
    return three_way(made(G), made(P), made(Q))


def test_joined_labels_run_over_all_pairs() -> None:
    both = joined(made(G), made(P))
    assert np.subtract(both.codes, both.low).tolist() == (G * 3 + P).tolist()
    assert both.n_codes == 9


def pairs(*labels: np.ndarray) -> int:
    _, sizes = np.unique(np.stack(labels), axis=1, return_counts=True)
    return int((sizes * (sizes - 1) // 2).sum())


ALL = ((G,), (P,), (Q,), (G, P), (G, Q), (P, Q))


def test_pairs_of_a_sample() -> None:
    found = sample()
    assert found.n == 40
    assert found.pair_sums == tuple(pairs(*labels) for labels in ALL)
    assert found.swapped().pair_sums == tuple(
        pairs(*labels) for labels in ((G,), (Q,), (P,), (G, Q), (G, P), (P, Q))
    )


@pytest.mark.parametrize("sizes", [(9, 2, 3), (2, 9, 1), (3, 1, 12), (1, 1, 1), (7, 7, 7)])
def test_pairs_of_any_numbers_of_clusters(sizes: tuple[int, int, int]) -> None:
    """Rows may stand for several instances, and codes need not start at 0."""
    rng = np.random.default_rng(sum(sizes))
    g, p, q = (rng.integers(0, size, 30) for size in sizes)
    weights = rng.integers(1, 4, 30)

    def shifted(codes: np.ndarray, size: int) -> Labels:
        return Labels(codes.astype(np.int64) - 5, -5, size, range(size))

    labels = [shifted(codes, size) for codes, size in zip((g, p, q), sizes, strict=True)]
    found = three_way(*labels, weights=weights)
    every = [np.repeat(codes, weights) for codes in (g, p, q)]
    one, first, second = ((codes,) for codes in every)
    groups = (one, first, second, one + first, one + second, first + second)
    assert found.n == weights.sum()
    assert found.pair_sums == tuple(pairs(*own) for own in groups)
    assert three_way(*labels).pair_sums == tuple(
        pairs(*own) for own in ((g,), (p,), (q,), (g, p), (g, q), (p, q))
    )


def test_resamples_come_in_blocks_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    found = sample()
    at_once = 7
    monkeypatch.setattr("adjudge.array_types.BLOCK", at_once * found.counts.size + 1)
    blocks = list(found.resamples(17, np.random.default_rng(0)))
    assert [len(block) for block in blocks] == [7, 7, 3]
    drawn = np.concatenate(blocks)
    assert (drawn.sum(axis=1) == 40).all()
    assert (drawn == np.random.default_rng(0).multinomial(40, found.counts / 40, size=17)).all()
    monkeypatch.setattr("adjudge.array_types.BLOCK", 1)
    assert [len(block) for block in found.resamples(3, np.random.default_rng(0))] == [1, 1, 1]
    assert found.resampled_sums(found.counts[None]) == [found.pair_sums]


TABLE = [[3, 1], [0, 2]]


# --- functions of one's own --------------------------------------------------------------------------------------


def annotated_pairs(p: PairCounts, *, times: float = 1.0) -> float:
    return times * p.yy


def annotated_information(i: PartitionEntropies) -> float:
    return i.mutual


def annotated_table(t: Contingency) -> float:
    return float(t.to_array().max())


def test_what_a_function_reads_is_what_it_is_annotated_with() -> None:
    table = Contingency.from_matrix(np.array(TABLE))
    assert null_distribution(annotated_pairs, TABLE).observed == table.pairs.yy
    assert null_distribution(annotated_pairs, TABLE, times=2.0).observed == 2 * table.pairs.yy
    assert null_distribution(annotated_information, TABLE).observed == table.information.mutual
    assert null_distribution(annotated_information, TABLE).mean_method == "exact"
    assert null_distribution(annotated_table, TABLE).observed == 3
    # Without an annotation it is tried on pairs, then on the table.
    assert null_distribution(lambda p: p.yy, TABLE).observed == table.pairs.yy
    assert null_distribution(lambda t: t.to_array().max(), TABLE).observed == 3
    assert null_distribution(lambda *all_: all_[0].yy, TABLE).observed == table.pairs.yy


def test_what_a_function_returns() -> None:
    noted = null_distribution(lambda p: Noted(math.nan, "why not") if p.yy < 4 else 1.0, TABLE)
    assert noted.reason is not None
    assert noted.reason.startswith("<lambda> is undefined for a share of ")
    divided = null_distribution(lambda p: 1 / (p.yy - p.yy), TABLE)
    assert math.isnan(divided.observed)
    with raises_line(InputTypeError, "the function returned 'much': a number is needed"):
        null_distribution(lambda p: "much", TABLE)
    with raises_line(
        InputTypeError, "index=3: a name, an index or a function of PairCounts or Contingency is needed"
    ):
        null_distribution(3, TABLE)  # type: ignore[arg-type]


# --- power -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [5, 6, 9, 20])
@pytest.mark.parametrize("alpha", [0.01, 0.05, 2.0**-5])
def test_the_power_of_the_sign_test_is_summed_over_its_outcomes(n: int, alpha: float) -> None:
    for probability, times in itertools.product((0.5, 0.7, 0.95), (1, 3)):
        wins = np.arange(n + 1)
        p_values = 2 * binom.cdf(np.minimum(wins, n - wins), n, 0.5)
        expected = binom.pmf(wins, n, probability)[p_values <= alpha / times + 1e-15].sum()
        found = pair_power(n, probability, test="sign", alpha=alpha, n_comparisons=times)
        assert found == pytest.approx(expected, abs=1e-12)


def test_the_power_of_signed_ranks_is_noethers() -> None:
    for n, probability, times in ((10, 0.7, 1), (30, 0.4, 2)):
        shift = math.sqrt(3 * n) * abs(probability - 0.5)
        z = norm.isf(0.05 / times / 2)
        assert pair_power(n, probability, n_comparisons=times) == pytest.approx(
            norm.cdf(shift - z) + norm.cdf(-shift - z)
        )
    # Five data sets show nothing at 5 %, six do; as many as show it exactly at the level count.
    assert pair_power(5, 0.9) == 0.0 < pair_power(6, 0.9)
    assert pair_power(6, 0.9, alpha=2.0**-5) > 0
    assert [smallest_p_value(n, 3) for n in (0, 1, 2, 3, 4)] == [1.0, 1.0, 1.0, 0.75, 0.375]


@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
@pytest.mark.parametrize("options", [{}, {"alpha": 0.2}, {"n_comparisons": 3}])
def test_as_many_data_sets_as_are_needed(test: str, options: dict[str, Any]) -> None:
    for probability in (0.7, 0.9):
        n = datasets_needed(probability, power=0.8, test=test, **options)
        assert pair_power(n, probability, test=test, **options) >= 0.8
        assert pair_power(n - 1, probability, test=test, **options) < 0.8
        found = detectable(n, power=0.8, test=test, **options)
        assert 0.5 < found <= probability
        assert pair_power(n, found, test=test, **options) == pytest.approx(0.8, abs=1e-6)
    assert math.isnan(detectable(4, test=test))
    assert datasets_needed(0.5001, test=test) is None


# --- groups, ranks, laws -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("exponent", "n"), [(1, 5), (3, 5), (6, 9)])
def test_the_law_of_a_sum_is_enumerated(exponent: int, n: int) -> None:
    law = np.array([0.0, 0.5, 0.3, 0.2])
    expected = np.zeros(n + 1)
    for sizes in itertools.product(range(4), repeat=exponent):
        if sum(sizes) <= n:
            expected[sum(sizes)] += math.prod(law[size] for size in sizes)
    found = _power(np.r_[law, np.zeros(max(0, n - 3))][: n + 1], exponent, n)
    np.testing.assert_allclose(found[: n + 1], expected[: found.size], atol=1e-14)
    assert found.size == n + 1


def test_units_that_are_alike_are_as_good_as_each_by_itself() -> None:
    """One unit that stands for several has their number in every sum."""
    unit, entry = np.array([0, 0, 1, 2, 2, 2]), np.array([0, 1, 1, 0, 0, 2])
    counts, alike = np.array([3, 1, 2, 1, 4, 1]), np.array([5, 1, 3])
    together = Drawn(unit, 3, entry, counts, alike=alike)
    apart = together.apart
    by_hand = [
        (line_entry, n)
        for number, times in enumerate(alike)
        for _ in range(times)
        for line_unit, line_entry, n in zip(unit, entry, counts, strict=True)
        if line_unit == number
    ]
    assert [*zip(apart.entry.tolist(), apart.counts.tolist(), strict=True)] == by_hand
    assert apart.unit.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8]
    psi = np.array([0.4, -1.3, 0.7])
    influence = Influence(0.0, psi, np.bincount(apart.entry, apart.counts))
    for name in ("n_drawn", "n", "total", "effective", "share_of_one"):
        assert getattr(together, name) == pytest.approx(getattr(apart, name)), name
    # By hand: the entries that each unit has, times how many units there are of it.
    assert together.share_of_one == pytest.approx(together.total / (5 * 2 + 1 + 3 * 2))
    assert together.share_below(2) == pytest.approx((together.total - 3) / (5 * 2 + 1 + 3))
    assert variance_of(influence, together) == pytest.approx(variance_of(influence, apart))
    assert together.effective_for(influence) == pytest.approx(apart.effective_for(influence))


def test_units_that_do_not_move_a_value_have_no_freedom() -> None:
    drawn = Drawn(np.arange(6), 6, np.array([0, 0, 1, 1, 1, 2]), np.array([2, 4, 1, 1, 1, 5]))
    # The units of the middle entry do not move it: sizes 2, 4 and 5 are left.
    assert drawn.effective_for(Influence(0.0, np.array([1.0, 0.0, -1.0]))) == pytest.approx(
        11**2 / (4 + 16 + 25)
    )
    assert (
        drawn.effective_for(Influence(0.0, np.zeros(3)))
        == drawn.effective
        == pytest.approx(14**2 / (4 + 16 + 3 + 25))
    )


def test_a_class_that_few_units_have_has_their_degrees_of_freedom() -> None:
    """Ten units: two have the rows of one class, with 3 and 1 of them, and all of the other class are in eight."""
    sizes = np.array([3, 1, *[2] * 8])
    unit = np.repeat(np.arange(10), sizes)
    classes = (unit >= 2).astype(np.int64)
    psi = np.array([4.0, -2.0, -2.0, 0.0, *[0.5, -0.5] * 8])
    influence, drawn = Influence(0.5, psi, classes=classes, rests_on_classes=True), Drawn(unit, 10)
    assert influence.within_classes == pytest.approx([math.sqrt(24 / 4), 0.5])
    few, many = (9 + 1) * 24 / 4, 8 * 4 * 0.25
    freedom = (few + many) ** 2 / (few**2 / (4**2 / 10 - 1) + many**2 / (16**2 / 32 - 1))
    assert drawn.effective_for(influence) == pytest.approx(1 + freedom)
    assert not drawn.rests_on_one(influence)
    # Cells that each stand for several rows, and units that stand for several, say the same.
    entry = np.array([0, 1, 1, 2, *[3, 4] * 8])
    cells = Influence(
        0.5,
        np.array([4.0, -2.0, 0.0, 0.5, -0.5]),
        np.bincount(entry),
        classes=np.array([0, 0, 0, 1, 1]),
        rests_on_classes=True,
    )
    assert Drawn(unit, 10, entry).effective_for(cells) == pytest.approx(1 + freedom)
    alike = Drawn(np.repeat([0, 1, 2], [3, 1, 2]), 3, entry[:6], alike=np.array([1, 1, 8]))
    assert alike.effective_for(cells) == pytest.approx(1 + freedom)
    # One unit alone has the class: how units of it vary is not known, whatever its own rows are.
    alone = Influence(0.5, np.r_[psi[:3], psi[4:]], classes=classes[1:], rests_on_classes=True)
    assert Drawn(np.r_[unit[:3], unit[4:] - 1], 9).rests_on_one(alone)
    # Units move this value by more than their rows differ within classes: their numbers of rows do.
    shares = Influence(0.5, psi + np.where(unit < 2, 30.0, -7.5), classes=classes, rests_on_classes=True)
    assert drawn.effective_for(shares) == drawn.effective


def test_a_class_of_one_row_varies_as_one_that_was_not_seen_would_move_the_value() -> None:
    psi, classes = np.array([0.0, 0.5, -0.5, 0.5, -0.5]), np.array([0, 1, 1, 1, 1])
    assert Influence(0.5, psi, classes=classes).within_classes == pytest.approx([0, 0.5])
    seen = Influence(0.5, psi, rise=0.1, fall=0.3, classes=classes)
    assert seen.within_classes == pytest.approx([5 * 0.3, 0.5])


def test_the_usual_weight_of_a_row_is_that_of_its_class() -> None:
    weights, classes = np.array([1.0, 1.0, 4.0, 2.0, 6.0]), np.array([0, 0, 0, 1, 1])
    drawn = Drawn(np.arange(5), 5, None, weights)
    assert drawn.weighs_rows
    assert drawn.usual_weight(classes) == pytest.approx([66 / 18] * 3 + [224 / 40] * 2)
    cells = Drawn(np.arange(5), 5, np.array([0, 1, 1, 2, 2]), weights)
    assert cells.usual_weight(np.array([0, 0, 1])) == pytest.approx([66 / 18] * 2 + [224 / 40])


def test_freedom_of_units_and_runs_is_put_together_by_their_variances() -> None:
    """Six units of three runs each, of which the last is better for all."""
    rng = np.random.default_rng(2)
    unit, run = np.repeat(np.arange(6), 3), np.tile(np.arange(3), 6)
    psi = rng.normal(size=18) + np.where(run == 2, 1.5, 0.0)
    influence, drawn = Influence(0.0, psi - psi.mean()), Drawn(unit, 6, run=run)
    whole, of_runs = variance_of(influence, drawn), drawn.between_runs(influence.psi)
    assert 0 < of_runs < whole
    freedom = freedom_of(influence, drawn)
    assert freedom == pytest.approx(whole**2 / ((whole - of_runs) ** 2 / 5 + of_runs**2 / 2))
    assert freedom_of(influence, Drawn(unit, 6)) == 5
    assert freedom_of(influence, None) is None
