"""Random tables with fixed margins: the cells' law, the sampler's bounds, and independence of threads."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chi2, hypergeom

from adjudge.inference.chance import null_tables
from adjudge.inference.chance.null_moments import enumerate_tables, pair_sum_moments
from adjudge.inference.chance.null_tables import RandomTables
from adjudge.kernels import random_tables as kernel
from adjudge.kernels.random_tables import (
    draw_sums,
    draw_tables,
    lanes_for,
    shuffle_sums,
)
from adjudge.statistics.contingency import Contingency


def template(rows, cols):
    rows, cols = np.asarray(rows), np.asarray(cols)
    return Contingency(rows, cols, range(rows.size), range(cols.size), int(rows.sum()), None, None)


def goodness_of_fit(observed, expected):
    """Chi-square p-value, rare values pooled."""
    rare = expected < 10
    observed = np.append(observed[~rare], observed[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    keep = expected > 0
    statistic = ((observed[keep] - expected[keep]) ** 2 / expected[keep]).sum()
    return chi2.sf(statistic, keep.sum() - 1)


@pytest.mark.parametrize(
    ("good", "bad", "sample"),
    [
        (266, 534, 266),
        (20, 30, 25),  # inversion
        (5, 7, 6),
        (3, 10**7, 10**6),  # beyond the table of log-factorials
        (10**6, 3 * 10**6, 10**5),
        (900, 100, 500),  # skewed to the left
        (100_000, 100_000, 90),
        (60, 60, 60),
    ],
)
def test_a_cell_is_hypergeometric(good, bad, sample):
    n, m = good + bad, 200_000
    lanes = lanes_for(2, 2)
    streams = np.random.default_rng(1).integers(0, 1 << 64, size=(-(-m // lanes), 4), dtype=np.uint64)
    tables = np.empty((m, 2, 2), np.int64)
    draw_tables(np.array([sample, n - sample]), np.array([good, bad]), streams, lanes, tables)
    assert (tables >= 0).all()
    assert (tables.sum(axis=2) == [sample, n - sample]).all()
    assert (tables.sum(axis=1) == [good, bad]).all()
    cell = tables[:, 0, 0]
    low = cell.min()
    law = hypergeom(n, good, sample)
    observed = np.bincount(cell - low)
    expected = m * law.pmf(np.arange(low, low + observed.size))
    assert goodness_of_fit(observed, expected) > 1e-3


@pytest.mark.parametrize("rows", [[3, 2, 2], [1, 1, 1, 1, 1, 1, 1]])
def test_whole_tables_occur_as_often_as_shuffles_make_them(rows):
    """Small tables, by the cells and (where they have more cells than instances) by shuffling."""
    cols = [3, 3, 1]
    m = 20_000
    found = Counter(t.to_array().tobytes() for t in RandomTables(template(rows, cols), 5)(m))
    ways = {t.tobytes(): w for t, w in enumerate_tables(np.array(rows), np.array(cols))}
    total = sum(ways.values())
    assert set(found) <= set(ways)
    observed = np.array([found[key] for key in ways])
    assert goodness_of_fit(observed, np.array([m * w / total for w in ways.values()])) > 1e-3


@pytest.mark.full
def test_hat_and_squeeze_of_the_rejection_hold():
    """Hörmann's constants are for the binomial law: wherever the kernel rejects, they must hold for this one."""
    generator = np.random.default_rng(0)
    checked = 0
    while checked < 800:
        n = int(10 ** generator.uniform(1.7, 7))
        good, sample = (
            min(n - 1, max(1, int(10 ** generator.uniform(0.5, math.log10(n))))) for _ in range(2)
        )
        if generator.random() < 0.3:
            good = n - good
        mean = sample * good / n
        variance = mean * (1 - good / n) * (1 - sample / n) * (1 + 1 / n)
        if variance < kernel.WIDE**2:
            continue
        checked += 1
        deviation = math.sqrt(variance)
        b = kernel.B0 + kernel.B1 * deviation
        a = kernel.A0 + kernel.A1 * b
        margin = np.concatenate(
            [np.geomspace(1e-4, kernel.CENTRAL, 100), np.linspace(kernel.CENTRAL, 0.5, 200)]
        )
        u = np.concatenate([margin - 0.5, 0.5 - margin])
        margin = np.concatenate([margin, margin])
        k = np.floor((2 * a / margin + b) * u + mean + 0.5)
        law = hypergeom(n, good, sample)
        mode = math.floor((sample + 1) * (good + 1) / (n + 2))
        relative = np.exp(law.logpmf(k) - law.logpmf(mode))
        height = relative * (a / margin**2 + b) / ((kernel.HAT0 + kernel.HAT1 / b) * deviation)
        assert height.max() <= 1, (n, good, sample)
        assert height[margin >= kernel.CENTRAL].min() >= kernel.SQUEEZE0 - kernel.SQUEEZE1 / b, (
            n,
            good,
            sample,
        )


@pytest.mark.parametrize(
    ("rows", "cols"),
    [
        ([240, 240, 320], [250, 262, 288]),
        ([100] * 10, [50] * 20),
        ([3] * 100, [2] * 150),
        ([300, 2, 1], [301, 2]),
    ],
)
def test_sums_have_the_exact_moments(rows, cols):
    m = 30_000
    base, offsets = RandomTables(template(rows, cols), 2).pair_sums(m)
    moments = pair_sum_moments(np.array(rows), np.array(cols), sum(rows))
    z = (offsets + base - float(moments.mean)) / math.sqrt(moments.variance)
    assert abs(z.mean()) < 4 / math.sqrt(m)
    assert abs((z**2).mean() - 1) < 4 * math.sqrt(((z**4).mean() - 1) / m)


def test_shuffling_and_drawing_agree_in_law():
    rows, cols, m = np.array([5] * 12), np.array([6] * 10), 20_000
    labels = np.repeat(np.arange(10, dtype=np.int32), 6)
    streams = np.random.default_rng(0).integers(0, 1 << 64, size=(m, 4), dtype=np.uint64)
    moments = pair_sum_moments(rows, cols, 60)
    means = []
    for which in ("draw", "shuffle"):
        pairs, entropies = np.zeros(m, np.int64), np.zeros(m)
        if which == "draw":
            draw_sums(rows, cols, streams.copy(), 1, pairs, entropies)
        else:
            shuffle_sums(rows, labels, 10, streams.copy(), 1, pairs, entropies)
        assert pairs.mean() == pytest.approx(float(moments.mean), abs=4 * math.sqrt(moments.variance / m))
        means.append((entropies.mean(), entropies.std() / math.sqrt(m)))
    assert means[0][0] == pytest.approx(means[1][0], abs=4 * math.hypot(means[0][1], means[1][1]))


@pytest.mark.parametrize(("rows", "cols"), [([240, 240, 320], [250, 262, 288]), ([2] * 30, [3] * 20)])
def test_threads_change_nothing_and_fewer_tables_are_the_first_ones(rows, cols):
    margins = template(rows, cols)
    one = RandomTables(margins, 7, n_threads=1).pair_sums(2000)[1]
    four = RandomTables(margins, 7, n_threads=4).pair_sums(2000)[1]
    with_progress = RandomTables(margins, 7, n_threads=2, progress=lambda done, total: None).pair_sums(2000)[
        1
    ]
    assert np.array_equal(one, four)
    assert np.array_equal(one, with_progress)
    assert np.array_equal(one[:300], RandomTables(margins, 7).pair_sums(300)[1])
    assert not np.array_equal(one, RandomTables(margins, 8).pair_sums(2000)[1])


@pytest.mark.parametrize(
    ("rows", "cols"),
    [
        ([7, 9, 4], [3, 12, 5]),  # the largest cluster is not the last
        ([30, 20], [1, 40, 9]),
        ([2] * 40, [4] * 20),  # shuffled
        (
            [(1 << 32) - 9, 5, 3],
            [(1 << 31) - 1, 1 << 31],
        ),  # an instance fewer than the pairs of which need a base
        ([(1 << 32) - 8, 5, 3], [1 << 31, 1 << 31]),
        ([1 << 33, 1 << 33, 5], [1 << 34, 5]),  # pairs beyond 2**64, kept as a base and what is to be added
        ([3_000_000_000, 5_000_000_000, 7], [8_000_000_000, 7]),
    ],
)
def test_sums_are_those_of_the_tables_that_are_handed_out(rows: list[int], cols: list[int]) -> None:
    """In exact integers, with the margins in their places."""
    margins, m = template(rows, cols), 70
    tables = [table.to_array() for table in RandomTables(margins, 3)(m)]
    assert len(tables) == m
    for table in tables:
        assert table.sum(axis=1).tolist() == rows
        assert table.sum(axis=0).tolist() == cols
    base, sums = RandomTables(margins, 3, n_threads=2).pair_sums(m)
    expected = [sum(k * (k - 1) // 2 for k in table.ravel().tolist()) for table in tables]
    assert [base + more for more in sums.tolist()] == expected
    assert (base == 0) == (sum(rows) < 1 << 32)
    n = sum(rows)
    own = -sum(size / n * math.log(size / n) for size in (*rows, *cols))
    wanted = [own + sum(k / n * math.log(k / n) for k in t.ravel().tolist() if k) for t in tables]
    assert RandomTables(margins, 3).mutual_information(m) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize(("rows", "cols"), [([40, 30, 50], [60, 20, 40]), ([2] * 40, [4] * 20)])
def test_results_depend_on_no_rounds_and_parts(
    rows: list[int], cols: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    margins, m = template(rows, cols), 5 * lanes_for(len(rows), len(cols)) + 3
    whole = RandomTables(margins, 1, n_threads=1)
    pairs, entropies = whole.pair_sums(m)[1], whole.mutual_information(m)
    for seconds, cells, n_threads in ((0.0, 1, 3), (10.0, 1, 3), (0.0, 10**9, 2), (10.0, 1, 50)):
        monkeypatch.setattr(null_tables, "_ROUND", seconds)
        monkeypatch.setattr(null_tables, "_CELLS_PER_THREAD", cells)
        told: list[tuple[int, int]] = []
        tables = RandomTables(
            margins,
            1,
            n_threads=n_threads,
            progress=lambda done, wanted, told=told: told.append((done, wanted)),
        )
        assert np.array_equal(tables.pair_sums(m)[1], pairs)
        assert [wanted for _, wanted in told] == [m] * len(told)
        done = [done for done, _ in told]
        assert done == sorted(set(done))
        assert done[-1] == m
        assert (len(told) > 1) == (seconds == 0)
        assert np.array_equal(tables.mutual_information(m), entropies)


@pytest.mark.parametrize(("rows", "cols"), [([5, 4], [6, 3]), ([1] * 9, [2, 2, 2, 2, 1])])
def test_each_table_that_is_handed_out_is_told(rows: list[int], cols: list[int]) -> None:
    """Many at a time if they are drawn by cells, one by one if they are shuffled; with the names of the clusters."""
    told: list[tuple[int, int]] = []
    names = [f"row {i}" for i in range(len(rows))], [f"column {i}" for i in range(len(cols))]
    margins = Contingency(np.array(rows), np.array(cols), *names, 9, None, None)
    m = 2 * lanes_for(len(rows), len(cols)) + 1
    found = list(RandomTables(margins, 0, progress=lambda done, wanted: told.append((done, wanted)))(m))
    assert len(found) == m
    assert (list(found[-1].row_labels), list(found[-1].col_labels)) == names
    assert found[-1].n == 9
    step = 1 if len(rows) * len(cols) > 9 else lanes_for(len(rows), len(cols))
    assert told == [(min(done, m), m) for done in range(step, m + step, step)]


def test_what_a_table_costs() -> None:
    """The cells that do not follow from the margins, or half of the instances if that is less."""
    for rows, cols, cells in (
        ([9, 8, 7], [12, 12], 2.0),
        ([8, 8, 8], [6] * 4, 6.0),
        ([2] * 12, [3] * 8, 12.0),
    ):
        tables = RandomTables(template(rows, cols))
        assert tables.cells_to_draw == cells
        assert tables.seconds(30) == pytest.approx(30 * tables.seconds(1))
        assert tables.seconds(1) == pytest.approx(cells * null_tables._SECONDS_PER_CELL)
    a_cell = []
    for k in (100, 141, 142, 200, 300):
        large = RandomTables(template([1000] * k, [1000] * k))
        a_cell.append(large.seconds(1) / (k - 1) ** 2 / null_tables._SECONDS_PER_CELL)
    assert a_cell == pytest.approx([max(1.0, (k * k / 20_000) ** 0.6) for k in (100, 141, 142, 200, 300)])
    assert a_cell[1] == pytest.approx(1.0)
    # As many shuffled instances cost the same whatever the number of clusters.
    shuffled = RandomTables(template([1] * 300, [1] * 300))
    assert shuffled.seconds(1) == pytest.approx(150 * null_tables._SECONDS_PER_CELL)
