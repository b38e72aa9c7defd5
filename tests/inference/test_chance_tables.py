"""Random tables with fixed margins: the cells' law, the sampler's bounds, and independence of threads."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chi2, hypergeom

from adjudge.inference.null_moments import enumerate_tables, pair_sum_moments
from adjudge.inference.null_tables import RandomTables
from adjudge.kernels import random_tables as kernel
from adjudge.kernels.random_tables import (
    draw_sums,
    draw_tables,
    lanes_for,
    log_factorials,
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
    draw_tables(
        np.array([sample, n - sample]), np.array([good, bad]), streams, lanes, log_factorials(n), tables
    )
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
        if variance < kernel._WIDE**2:
            continue
        checked += 1
        deviation = math.sqrt(variance)
        b = kernel._B0 + kernel._B1 * deviation
        a = kernel._A0 + kernel._A1 * b
        margin = np.concatenate(
            [np.geomspace(1e-4, kernel._CENTRAL, 100), np.linspace(kernel._CENTRAL, 0.5, 200)]
        )
        u = np.concatenate([margin - 0.5, 0.5 - margin])
        margin = np.concatenate([margin, margin])
        k = np.floor((2 * a / margin + b) * u + mean + 0.5)
        law = hypergeom(n, good, sample)
        mode = math.floor((sample + 1) * (good + 1) / (n + 2))
        relative = np.exp(law.logpmf(k) - law.logpmf(mode))
        height = relative * (a / margin**2 + b) / ((kernel._HAT0 + kernel._HAT1 / b) * deviation)
        assert height.max() <= 1, (n, good, sample)
        assert height[margin >= kernel._CENTRAL].min() >= kernel._SQUEEZE0 - kernel._SQUEEZE1 / b, (
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


@pytest.mark.parametrize(("rows", "cols"), [([40, 30, 50], [60, 20, 40]), ([2] * 40, [4] * 20)])
def test_sums_are_those_of_the_tables(rows, cols):
    """Both kernels reduce the same tables that they hand out."""
    n_tables = 300
    lanes = lanes_for(len(rows), len(cols))
    streams = np.random.default_rng(0).integers(0, 1 << 64, size=(-(-n_tables // lanes), 4), dtype=np.uint64)
    rows, cols = np.array(rows), np.array(cols)
    tables = np.empty((n_tables, rows.size, cols.size), np.int64)
    draw_tables(rows, cols, streams.copy(), lanes, log_factorials(int(rows.sum())), tables)
    pairs, entropies = np.zeros(n_tables, np.int64), np.zeros(n_tables)
    draw_sums(rows, cols, streams.copy(), lanes, log_factorials(int(rows.sum())), pairs, entropies)
    assert np.array_equal(pairs, (tables * (tables - 1) // 2).sum(axis=(1, 2)))
    logs = np.log(np.maximum(tables, 1))
    assert entropies == pytest.approx((tables * logs).sum(axis=(1, 2)), rel=1e-13)


def test_shuffling_and_drawing_agree_in_law():
    rows, cols, m = np.array([5] * 12), np.array([6] * 10), 20_000
    labels = np.repeat(np.arange(10, dtype=np.int32), 6)
    streams = np.random.default_rng(0).integers(0, 1 << 64, size=(m, 4), dtype=np.uint64)
    moments = pair_sum_moments(rows, cols, 60)
    means = []
    for which in ("draw", "shuffle"):
        pairs, entropies = np.zeros(m, np.int64), np.zeros(m)
        if which == "draw":
            draw_sums(rows, cols, streams.copy(), 1, log_factorials(60), pairs, entropies)
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
