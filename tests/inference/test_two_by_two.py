"""Intervals and tests of two clusters by two, summed over all tables of as many instances."""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import gammaln
from scipy.stats import binom, multinomial

from adjudge import confidence_interval
from adjudge.indices.catalog import find_index
from adjudge.inference.common.samples import Sample
from adjudge.inference.common.two_by_two import MOST_INSTANCES, Reading, TablesOfFour, TestOfFour
from adjudge.inference.partitions.intervals import clustering_intervals_of, equality_score, external_intervals
from adjudge.statistics.contingency import Contingency

Table = tuple[int, int, int, int]
OF_PAIRS = ("pair_precision", "adjusted_rand", "jaccard")
INDICES = (*OF_PAIRS, "bcubed_f", "variation_of_information")


def tables_of(n: int) -> list[Table]:
    return [
        (a, b, c, n - a - b - c) for a, b, c in itertools.product(range(n + 1), repeat=3) if a + b + c <= n
    ]


def renamed(table: Table) -> Table:
    """One of the four tables that differ in the names of clusters."""
    a, b, c, d = table
    return min((a, b, c, d), (c, d, a, b), (b, a, d, c), (d, c, b, a))


@cache
def intervals_at(table: Table) -> dict[str, tuple[float, float]]:
    found = external_intervals(INDICES, np.reshape(table, (2, 2)))
    return {name: (interval.low, interval.high) for name, interval in found.items()}


def law_of(first: float, second: float, beyond_chance: float) -> np.ndarray:
    chance = np.outer([first, 1 - first], [second, 1 - second])
    return chance + beyond_chance * np.array([[1, -1], [-1, 1]])


LAWS = {
    "even, independent": law_of(0.5, 0.5, 0.0),
    "even, worse than chance": law_of(0.5, 0.5, -0.05),
    "even, better than chance": law_of(0.5, 0.5, 0.04),
    "independent": law_of(0.4, 0.3, 0.0),
    "independent, the other way round": law_of(0.3, 0.7, 0.0),
    "uneven, better than chance": law_of(0.3, 0.25, 0.06),
    "far from chance": law_of(0.5, 0.5, 0.16),
}


@pytest.mark.parametrize("law", LAWS)
def test_intervals_near_chance_hold_their_level(law: str) -> None:
    """They held in 98 to 100 % of samples of even clusters, and adjusted Rand's in 80 % with clusters of a fifth."""
    n, shares = 16, LAWS[law]
    population = Contingency.from_matrix(np.round(shares * 1e9).astype(np.int64))
    tables = tables_of(n)
    likely = multinomial.pmf(tables, n, shares.ravel())
    for name in INDICES:
        truth = find_index(name, "external")(population)
        ends = np.array([intervals_at(renamed(table))[name] for table in tables])
        given = ~np.isnan(ends[:, 0])
        held = (ends[:, 0] <= truth + 1e-9) & (ends[:, 1] >= truth - 1e-9)
        assert 0.92 < likely[given & held].sum() / likely[given].sum() < 0.985, name


@pytest.mark.parametrize(("n", "same"), [(20, 14), (31, 10), (61, 40), (101, 62)])
def test_rand_is_that_of_a_binomial_distance_from_half(n: int, same: int) -> None:
    """Rand's index is (1 + (2 p - 1)^2) / 2 if a share p has the same label in both partitions."""
    low, high = confidence_interval("rand", [[same // 2, n - same - 3], [3, same - same // 2]])
    counts = np.arange(n + 1)
    apart = np.abs(2 * counts - n) - abs(2 * same - n)

    def so_near(share: float) -> float:
        chances = binom.pmf(counts, n, share)
        return float(chances[apart < 0].sum() + chances[apart == 0].sum() / 2)

    upper = brentq(lambda share: so_near(share) - 0.025, max(0.5, same / n, 1 - same / n), 1 - 1e-9)
    # Of larger tables only some are summed.
    assert high == pytest.approx((1 + (2 * upper - 1) ** 2) / 2, abs=1e-6 if n < 37 else 0.006)
    assert (low > 0.5 + 1e-4) == (1 - so_near(0.5) < 0.05)


def test_ends_lie_on_the_turn() -> None:
    """Of even clusters no law has a precision below a half, and none a Jaccard index below a third."""
    table = [[10, 5], [6, 9]]
    assert confidence_interval("pair_precision", table).low == pytest.approx(0.5, abs=1e-4)
    assert confidence_interval("jaccard", table).low == pytest.approx(1 / 3, abs=1e-4)
    for name in OF_PAIRS:
        low, high = confidence_interval(name, table)
        assert low < high
        wider = confidence_interval(name, table, confidence=0.99)
        assert wider.high > high


@pytest.mark.parametrize("name", ["pair_precision", "adjusted_rand", "goodman_kruskal", "russell_rao"])
def test_names_of_clusters_do_not_matter(name: str) -> None:
    found = [
        tuple(confidence_interval(name, table))
        for table in ([[9, 4], [7, 12]], [[7, 12], [9, 4]], [[4, 9], [12, 7]])
    ]
    assert found[0] == pytest.approx(found[1], abs=1e-6)
    assert found[0] == pytest.approx(found[2], abs=1e-6)


@pytest.mark.parametrize("name", ["rand", "jaccard", "adjusted_rand"])
def test_there_is_no_leap_where_tables_are_no_longer_summed(name: str) -> None:
    """From 38 of 100 misplaced instances to 10, the ends change step by step."""
    tables = [[[50 - k, k], [k, 50 - k]] for k in range(19, 4, -1)]
    ends = np.array([tuple(confidence_interval(name, table)) for table in tables])
    values = np.array([find_index(name, "external")(Contingency.from_matrix(np.array(t))) for t in tables])
    steps = np.diff(ends, axis=0) / np.diff(values)[:, None]
    assert (steps > -0.15).all()
    assert (steps < 2.5).all()


def test_many_instances() -> None:
    """Nearly the same is said of a thinned table of as many instances as are summed, and of one with more."""
    ends = [
        tuple(confidence_interval("rand", [[n // 4 + 25, n // 4 - 25], [n // 4 - 25, n // 4 + 25]]))
        for n in (MOST_INSTANCES, MOST_INSTANCES + 4)
    ]
    assert ends[0] == pytest.approx(ends[1], abs=2e-4)


def sample_of(signs: Table) -> Sample:
    """Truth and two models of two clusters each; which of the models are right: both, the first, the second, none."""
    truth, first, second, counts = [], [], [], []
    for (p, q), count in zip(((0, 0), (0, 1), (1, 0), (1, 1)), signs, strict=True):
        for g, part in ((0, count // 2), (1, count - count // 2)):
            if part:
                truth.append(g)
                first.append(g ^ p)
                second.append(g ^ q)
                counts.append(part)
    return Sample(np.array(counts), Sample.groupings_of(*map(np.array, (truth, first, second))))


def p_value_of(sample: Sample) -> float:
    score = equality_score(sample)
    return 1.0 if score is None else score.p_value(0.0)


def test_the_interval_leaves_out_what_its_test_rejects() -> None:
    generator = np.random.default_rng(0)
    rejected = 0
    for shares in generator.dirichlet(np.ones(4), 40):
        sample = sample_of(tuple(generator.multinomial(40, shares).tolist()))
        p_value = p_value_of(sample)
        interval = clustering_intervals_of(sample)["comparative_deviation"]
        if not interval.one_sided and abs(p_value - 0.05) > 1e-3:
            assert (0.0 not in interval) == (p_value < 0.05)
            rejected += p_value < 0.05
    assert 5 < rejected < 35


def test_the_test_of_two_clusterings_holds_its_level_near_chance() -> None:
    """Right on 40 %, both of them: it rejected less than 0.004 of the samples."""
    n, right = 14, 0.4
    shares = np.outer([right, 1 - right], [right, 1 - right]).ravel()
    size = 0.0
    for table in tables_of(n):
        if table <= table[::-1]:
            ways = [table] if table == table[::-1] else [table, table[::-1]]
            size += sum(multinomial.pmf(ways, n, shares)) * (p_value_of(sample_of(table)) < 0.05)
    assert 0.01 < size < 0.06


@cache
def rejected_at(n: int) -> tuple[list[Table], np.ndarray]:
    """All tables of n instances, and which the test of equal goodness rejects at 5 %."""
    tables = tables_of(n)
    # Neither names of clusters nor those of the models matter.
    alike = [max(t, t[::-1], (t[0], t[2], t[1], t[3]), (t[3], t[1], t[2], t[0])) for t in tables]
    alike = [max(t, (t[1], t[0], t[3], t[2]), (t[2], t[0], t[3], t[1])) for t in alike]
    p_values = {table: p_value_of(sample_of(table)) for table in set(alike)}
    return tables, np.array([p_values[table] < 0.05 for table in alike])


@pytest.mark.parametrize(("right", "at_least"), [(0.65, 0.03), (0.75, 0.05), (0.85, 0.05)])
def test_the_test_of_two_clusterings_rejects_no_more_than_its_level_allows(
    right: float, at_least: float
) -> None:
    """Both are right on three of four instances: it rejected 6.6 % of 20 instances, and 7 % of 24."""
    tables, rejected = rejected_at(20)
    shares = np.outer([right, 1 - right], [right, 1 - right]).ravel()
    assert at_least < multinomial.pmf(tables, 20, shares)[rejected].sum() < 0.06


def test_few_are_rejected_if_both_are_chance() -> None:
    """The middle of the hypothesis, at which both factors of the difference vanish."""
    assert p_value_of(sample_of((5, 5, 5, 5))) == 1.0
    # The second is chance, so that the first is neither better nor worse.
    assert p_value_of(sample_of((10, 20, 0, 10))) > 0.05


def test_a_test_of_any_function_of_four_cells() -> None:
    """The share of one cell: the mid-P interval of a proportion."""
    share = Reading(lambda tables: tables[:, 0] / tables.sum(axis=1), lambda laws: laws[:, 0])
    test = TestOfFour(TablesOfFour(np.array([7.0, 5, 4, 9])), share)
    low, high = test.interval(0.95)
    chances = [
        binom.sf(7, 25, low) + binom.pmf(7, 25, low) / 2,
        binom.cdf(6, 25, high) + binom.pmf(7, 25, high) / 2,
    ]
    assert chances == pytest.approx([0.025, 0.025], abs=0.001)
    assert test.p_value(low) == pytest.approx(0.05, abs=0.002)
    assert math.isclose(test.p_value(0.28), 1.0, abs_tol=0.1)


def test_p_values_are_those_at_which_intervals_end() -> None:
    """Of a difference of two cells, too, which has a value below 0; what no law reaches has next to no probability."""
    share = Reading(lambda tables: tables[:, 0] / tables.sum(axis=1), lambda laws: laws[:, 0])
    apart = Reading(
        lambda tables: (tables[:, 0] - tables[:, 1]) / tables.sum(axis=1),
        lambda laws: laws[:, 0] - laws[:, 1],
    )
    for reading, least in ((share, 0.0), (apart, -1.0)):
        test = TestOfFour(TablesOfFour(np.array([7.0, 5, 4, 9])), reading)
        for confidence in (0.5, 0.8, 0.99):
            for end in test.interval(confidence):
                assert test.p_value(end) == pytest.approx(1 - confidence, abs=2e-3)
        for null in (least, 1.0):
            assert 0 <= test.p_value(null) < 1e-4


# --- pieces --------------------------------------------------------------------------------------------------------

RANDOM = [tuple(row) for row in np.random.default_rng(2).integers(1, 30, (12, 4)).tolist()]


@pytest.mark.parametrize("counts", [*RANDOM, (9, 0, 0, 4), (0, 5, 5, 0), (4, 6, 6, 9)])
def test_agreement_beyond_chance_by_instances(counts: Table) -> None:
    """Rows and columns as signs: their mean product beyond the product of their means, and how far it could be."""
    rows, cols = (np.repeat(signs, counts) for signs in ([1, 1, -1, -1], [1, -1, 1, -1]))
    first, second, both = abs(rows.mean()), abs(cols.mean()), abs((rows * cols).mean())
    found = TablesOfFour(np.array(counts))
    assert found.excesses == pytest.approx((first, second, both))
    assert found.beyond_chance == pytest.approx((both - first * second) / (1 - first * second))
    if 0 in counts:
        assert found.beyond_chance == pytest.approx(1.0)


def test_tables_are_summed_near_chance_only() -> None:
    """Five standard deviations, and 0.7 of the way to identical partitions."""
    for n, most in ((16, 0.7), (51, 0.7), (100, 0.5), (2500, 0.1)):
        quarter = np.full(4, n / 4)
        assert TablesOfFour(quarter).near_chance(most - 1e-9)
        assert not TablesOfFour(quarter).near_chance(most)
    for table, near in (
        ([[749, 751], [750, 750]], True),
        ([[750, 751], [750, 750]], False),
        ([[7, 6], [7, 5]], True),
        ([[13, 2], [1, 14]], False),
        ([[7, 6, 1], [7, 5, 1]], False),
        ([[7], [5]], False),
    ):
        found = TablesOfFour.of_table(Contingency.from_matrix(np.array(table)))
        assert (found is not None) == near
        if found is not None:
            assert found.counts.tolist() == np.ravel(table).tolist()


@pytest.mark.parametrize("counts", RANDOM)
def test_a_law_that_has_less_of_the_smaller_factor(counts: Table) -> None:
    """Half of its square; the other factor, and what both pairs of cells have, stay."""
    a, b, c, d = counts
    start = (np.array(counts) + 0.5) / (sum(counts) + 2)
    found = TablesOfFour(np.array(counts)).with_less_of_a_product
    kept = math.sqrt(0.5)
    smaller = abs(a - d) / math.sqrt(a + d + 1) < abs(b - c) / math.sqrt(b + c + 1)
    outer, inner = (kept, 1.0) if smaller else (1.0, kept)
    assert found[0] + found[3] == pytest.approx(start[0] + start[3])
    assert found[1] + found[2] == pytest.approx(start[1] + start[2])
    assert found[0] - found[3] == pytest.approx(outer * (start[0] - start[3]))
    assert found[1] - found[2] == pytest.approx(inner * (start[1] - start[2]))


def product(tables: np.ndarray) -> np.ndarray:
    """How much more often one of two models is right, as comparative deviation compares them."""
    n = tables.sum(axis=1)
    return np.asarray((tables[:, 0] - tables[:, 3]) * (tables[:, 1] - tables[:, 2]) / n**2)


@pytest.mark.parametrize("law", [(0.2, 0.3, 0.1, 0.4), (0.01, 0.5, 0.489, 0.001), (0.5, 3e-6, 0.2, 0.299997)])
def test_slopes_are_what_an_instance_of_each_cell_does(law: tuple[float, ...]) -> None:
    shares = np.array(law)
    for values in (
        product,
        lambda t: t[:, 0] * t[:, 3] / (t[:, 0] + t[:, 1]) / t.sum(axis=1),
        lambda t: np.sin(3 * t[:, 1] / t.sum(axis=1)),
    ):
        reading = Reading.of_shares(values)
        assert reading.of_law(shares) == pytest.approx(float(values(shares[None])[0]))
        step = 1e-7
        moved = [(1 - step) * shares + step * cell for cell in np.eye(4)]
        expected = [(reading.of_law(to) - reading.of_law(shares)) / step for to in moved]
        assert reading.slope(shares) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("counts", [(7, 5, 4, 9), (0, 3, 8, 2), (40, 35, 60, 45), (400, 500, 300, 600)])
@pytest.mark.parametrize("z", [0.7, 1.96, 3.9])
def test_tables_near_the_observed_one(counts: Table, z: float) -> None:
    """All that are likely, with how many orders each has; of large counts every second or third one."""
    given = TablesOfFour(np.array(counts))
    tables, orders = given.near(z)
    n = sum(counts)
    assert (tables.sum(axis=1) == n).all()
    assert tables.min() >= 0
    assert len(np.unique(tables, axis=0)) == len(tables)
    assert (tables == counts).all(axis=1).any()
    assert orders == pytest.approx(-gammaln(tables + 1).sum(axis=1))
    deviations = np.sqrt(n * given.start * (1 - given.start))
    reach = (max(z, 2.5) + 2.5) * deviations
    apart = np.maximum(1, np.floor(0.75 * deviations))
    smaller = np.argsort(counts)[:3]
    low, high = tables.min(axis=0)[smaller], tables.max(axis=0)[smaller]
    own = np.array(counts)[smaller]
    # They go as far as there are counts, and no farther than a few more.
    assert (low <= np.maximum(0, own - reach[smaller]) + apart[smaller]).all()
    assert (low >= own - reach[smaller] - 2).all()
    assert (high <= own + reach[smaller] + 3).all()
    if n > 20:
        assert (high >= own + reach[smaller] + 2 - apart[smaller]).all()
    if (apart == 1).all():
        chances = np.exp(orders + gammaln(n + 1) + tables @ np.log(given.start))
        assert 1 - 1e-5 < chances.sum() <= 1 + 1e-9


@pytest.mark.parametrize("counts", [(5, 4, 1, 2), (6, 1, 4, 1), (2, 7, 0, 1)])
@pytest.mark.parametrize("less", [True, False])
def test_the_p_value_of_the_start_is_its_own(counts: Table, less: bool) -> None:
    """Summed over all tables under that law, half of the weight being on what was observed."""
    given = TablesOfFour(np.array(counts))
    start = given.with_less_of_a_product if less else given.start
    reading = Reading.of_shares(product)
    test = TestOfFour(given, reading, start if less else None)
    null, seen = reading.of_law(start), float(product(np.array([counts]))[0])
    tables = np.array(tables_of(sum(counts)))
    chances, values = multinomial.pmf(tables, sum(counts), start), product(tables)
    same = np.isclose(values, seen)
    above = chances[(values > seen) & ~same].sum() + chances[same].sum() / 2
    # Of a value on the side of the start on which nothing was observed.
    beside = null - 1e-9 if seen > null else null
    assert test.p_value(beside) == pytest.approx(2 * min(above, 1 - above), rel=0.02)
    for other in np.linspace(-0.2, 0.2, 9):
        assert 0 <= test.p_value(float(other)) <= 1
