"""Measure how often 95 % intervals hold the true value, and how often tests at 5 % reject.

python benchmarks/coverage_study.py [--replicates 1000] [--parts external,models,...]
                                    [--rows build/coverage.jsonl] [--minutes 60] [--seed 2026]
                                    [--share 1/2] [--first 1] [--laws build/laws.txt]
python benchmarks/coverage_study.py --page docs/benchmarks [--rows build/coverage.jsonl]

The grid has strata: a part with a number of instances. In each of them the laws are put in a random order, which
depends on nothing but `DRAW`, and the run takes the first law of every stratum, then the second: a run that is stopped
after some minutes has looked at a stratified random sample of the grid, and another run goes on with what is missing.
With another seed every cell gets more samples, which the page takes together. For each cell samples are drawn from a
known law, and each interval is asked whether it holds the index of that law. Refused intervals and one-sided ones are
counted by themselves; a cell where they are more than half of the samples is not judged. coverage_page.py writes the
page of labels, coverage_points_page.py that of points, if there are such rows.

What the pages show was measured with these lines, and their rows put together. The laws were drawn by runs without
--laws that were stopped after 20 to 60 minutes; later ones, from position 58 on (--first 58), when the first rules had
been made. build/laws.txt names them, one "law|number of instances" a line, so that they can be measured again with
other code. A line that is started again goes on; --share 1/2 and 2/2, with a file of rows each, make two processes of
it. The second file of tests adds samples to some cells. 17 of the external laws have the seed 2033, and some of two
clusters by two 200 samples; the two means over clusters have the seed 2042, and seven cells of points 300 samples.

python benchmarks/coverage_study.py --parts models,classifiers --replicates 1000 --seed 2032 --laws build/laws.txt ...
python benchmarks/coverage_study.py --parts external --replicates 500 --seed 2032 --laws build/laws.txt --rows ...
python benchmarks/two_by_two_coverage.py --indices rand,adjusted_rand,jaccard,... --rows build/two_by_two.jsonl
python benchmarks/coverage_study.py --parts internal --replicates 500 --seed 2043 --rows build/internal.jsonl
python benchmarks/coverage_study.py --parts squares --replicates 300 --seed 2043 --rows build/squares.jsonl
python benchmarks/coverage_study.py --parts size,power,several --replicates 500 --seed 2027 --rows build/tests.jsonl
python benchmarks/coverage_study.py --parts size,power --replicates 1000 --seed 2028 --rows build/more.jsonl

Tests of two clusters by two come from benchmarks/two_by_two_tests.py, which sums over all tables where they are few.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
from scipy.stats import t as student

from adjudge.indices.catalog import find_index, list_indices
from adjudge.inference.classes.right_or_wrong import cochran_q_test, mcnemar_test
from adjudge.inference.common.samples import Sample
from adjudge.inference.data_sets.ranks import friedman, iman_davenport
from adjudge.inference.partitions.equal_goodness import equal_goodness_of, equal_goodness_test
from adjudge.inference.partitions.intervals import (
    classification_intervals,
    clustering_intervals_of,
    external_intervals,
)
from adjudge.inference.points.internal_intervals import BENT, internal_intervals
from adjudge.statistics.agreement import Agreement, JoinedPairs
from adjudge.statistics.assignment import optimal_assignment
from adjudge.statistics.contingency import Contingency
from adjudge.statistics.moments import made_by_centroids
from adjudge.statistics.pair_distances import Silhouettes
from adjudge.statistics.rankings import Rankings
from coverage_counts import gap_of
from coverage_indices import EXTERNAL, POPULATION, SAME_AS, truth_of
from coverage_page import LEAST, MOST, TITLES, write_page
from coverage_points_page import PART, write_points_page

MEASURES = [record.name for record in list_indices("comparative")]


def sizes_of(k, kind):
    shares = np.ones(k) if kind == "equal" else 0.8 ** np.arange(k)
    return shares / shares.sum()


def spread(k, accuracy):
    law = np.full((k, k), (1 - accuracy) / (k - 1))
    np.fill_diagonal(law, accuracy)
    return law


def merged(law):
    """Each two neighbouring predicted clusters as one."""
    k = law.shape[-1]
    into = np.arange(k) // 2
    found = np.zeros((*law.shape[:-1], into.max() + 1))
    np.add.at(found, (..., into), law)
    return found


def split(law):
    """Each predicted cluster as two halves."""
    return np.repeat(law / 2, 2, axis=-1)


def one_never(law):
    """Send the instances of the last predicted cluster to the first: one class is never predicted."""
    found = law.copy()
    found[..., 0] += found[..., -1]
    return found[..., :-1]


def noisy(law, share):
    """Deal a share of the instances to any two clusters."""
    return (1 - share) * law + share / law.size


SHAPES = {"as many": lambda law: law, "half as many": merged, "twice as many": split, "one never": one_never}
SIZES = (30, 100, 300, 1000, 3000)


def external_laws():
    for k, kind, accuracy in itertools.product(
        (2, 7, 20, 60), ("equal", "geometric"), (0.4, 0.7, 0.9, 0.98, 0.999)
    ):
        yield f"K={k} {kind} {accuracy}", sizes_of(k, kind)[:, None] * spread(k, accuracy)
    for k, shape in itertools.product((4, 15), list(SHAPES)[1:]):
        law = sizes_of(k, "geometric")[:, None] * spread(k, 0.88)
        yield f"K={k} geometric 0.88 {shape}", SHAPES[shape](law)
    yield "K=5 equal 0.5, a third noise", noisy(sizes_of(5, "equal")[:, None] * spread(5, 0.9), 1 / 3)
    yield "K=2 independent", np.outer([0.4, 0.6], [0.3, 0.7])
    for k in (2, 9):
        yield f"K={k} identical", np.diag(sizes_of(k, "geometric"))
    yield from unlike_laws()


def unlike_laws():
    """Laws of other kinds: no constant of an interval was chosen on laws like these."""
    neighbours = 0.8 * np.eye(6) + 0.1 * (np.roll(np.eye(6), 1, axis=1) + np.roll(np.eye(6), -1, axis=1))
    yield "errors to neighbours, K=6 equal 0.8", neighbours / 6
    hub = 0.8 * np.eye(6)
    hub[:, 0] += 0.2
    yield "errors to one cluster, K=6 geometric 0.8", sizes_of(6, "geometric")[:, None] * hub
    yield "one of 70 %, K=6 0.9", np.r_[0.7, np.full(5, 0.06)][:, None] * spread(6, 0.9)
    yield "any table, 5 x 8", np.random.default_rng(8).dirichlet(np.full(40, 0.3)).reshape(5, 8)


def model_laws():
    """Truth, P and Q."""

    def law(k, kind, primary, alternative, copied=0.0):
        shares = sizes_of(k, kind)
        p, q = spread(k, primary), spread(k, alternative)
        joint = (1 - copied) * np.einsum("g,gp,gq->gpq", shares, p, q)
        return joint + copied * np.einsum("g,gp,pq->gpq", shares, p, np.eye(k))

    pairs = ((0.55, 0.4), (0.75, 0.7), (0.93, 0.85), (0.99, 0.975), (0.999, 0.995))
    for k, kind, (p, q) in itertools.product((2, 5, 10), ("equal", "geometric"), pairs):
        yield f"K={k} {kind} {p} and {q}", law(k, kind, p, q)
    yield "K=4 equal 0.9 and 0.9, 0.8 copied", law(4, "equal", 0.9, 0.9, 0.8)
    three = law(3, "geometric", 0.8, 0.75)
    yield "truth 3, P 6, Q 2", merged(split(np.swapaxes(three, 1, 2)).swapaxes(1, 2))
    yield "K=4 equal 0.85, Q never one", one_never(law(4, "equal", 0.85, 0.85))
    yield "K=4 equal identical models", law(4, "equal", 0.8, 0.8, 1.0)
    yield "K=30 geometric 0.8 and 0.75", law(30, "geometric", 0.8, 0.75)


def same_goodness_laws():
    """Truth, P and Q that are equally good."""
    for k, kind, accuracy in itertools.product(
        (2, 4, 8, 30), ("equal", "geometric"), (0.4, 0.65, 0.85, 0.97, 0.999)
    ):
        shares, p = sizes_of(k, kind), spread(k, accuracy)
        yield f"K={k} {kind} {accuracy}", np.einsum("g,gp,gq->gpq", shares, p, p)


def better_laws():
    """P is better than Q by about a tenth."""
    for k, kind, (p, q) in itertools.product(
        (2, 5), ("equal", "geometric"), ((0.7, 0.6), (0.85, 0.75), (0.97, 0.9))
    ):
        yield (
            f"K={k} {kind} {p} and {q}",
            np.einsum("g,gp,gq->gpq", sizes_of(k, kind), spread(k, p), spread(k, q)),
        )


class Cell:
    """What the intervals of one law and one number of instances did."""

    def __init__(self, names):
        self.held, self.width, self.values, self.refused, self.bounds, self.indices = (
            {name: [] for name in names} for _ in range(6)
        )
        # By the probability of an event, such as a misplaced instance: how many each sample has.
        self.counts = {}

    def add(self, intervals, truth, values, events=None):
        """Ask the intervals of one sample whether they hold the truth."""
        for share, number in (events or {}).items():
            self.counts.setdefault(share, []).append(number)
        for name, value in values.items():
            self.indices[name].append(value)
        for name, interval in intervals.items():
            if math.isnan(values[name]):
                # Where models never disagree, the index has no value: as if refused.
                self.refused[name].append(True)
                continue
            self.refused[name].append(math.isnan(interval.low))
            # Without an interval there is no estimate that the oracle could know the deviation of.
            estimate = values[name] if interval.estimate is None else interval.estimate
            self.values[name].append(math.nan if math.isnan(interval.low) else estimate)
            if not math.isnan(interval.low):
                # Rounding must not decide where an end is the truth.
                slack = 1e-9 * max(1.0, abs(truth[name]))
                held = interval.low - slack <= truth[name] <= interval.high + slack
                if interval.one_sided:
                    self.bounds[name].append(held)
                    continue
                self.held[name].append(held)
                self.width[name].append(interval.high - interval.low)

    def rows(self, part, law, n):
        """Yield what was found, index by index."""
        for name, held in self.held.items():
            refused = float(np.mean(self.refused[name])) if self.refused[name] else 1.0
            drawn = len(self.refused[name])
            if not self.values[name]:
                continue
            # Infinite values have no deviation, and no interval.
            values = np.array(self.values[name])
            values = values[~np.isnan(values)]
            known = values.size > 1 and bool(np.isfinite(values).all())
            oracle = 2 * 1.959964 * float(np.std(values)) if known else math.nan
            judged = len(held) >= drawn / 2
            told = held + self.bounds[name]
            gap = gap_of(self.indices[name], self.counts, n, (LEAST, MOST))
            yield {
                "part": part,
                "law": law,
                "n": n,
                "name": name,
                "replicates": len(held),
                "refused": refused,
                "one_sided": len(self.bounds[name]) / drawn,
                "together": float(np.mean(told)) if told else None,
                "missed": (len(told) - sum(told)) / drawn,
                "coverage": float(np.mean(held)) if judged else None,
                "width": float(np.mean(self.width[name])) / oracle if judged and oracle > 1e-12 else None,
                # The nearest coverages that an interval can have, if none within the band.
                **({"gap": [round(end, 4) for end in gap]} if gap else {}),
            }


def external(law, replicates, generator, n):
    truth = truth_of(law, n)
    misplaced = ~matched(law)
    cell = Cell(EXTERNAL)
    for counts in generator.multinomial(n, law.ravel(), replicates):
        table = Contingency.from_matrix(counts.reshape(law.shape))
        cell.add(
            external_intervals(EXTERNAL, table),
            truth,
            {name: find_index(name, "external")(table) for name in EXTERNAL},
            {float(law[misplaced].sum()): int(counts.reshape(law.shape)[misplaced].sum())},
        )
    return cell


def matched(law):
    """Mark the cells of the best matching of true clusters to predicted ones."""
    rows, cols = np.indices(law.shape).reshape(2, -1)
    return (optimal_assignment(rows, cols, law.ravel(), law.shape)[rows] == cols).reshape(law.shape)


def sample_of(counts):
    g, p, q = np.nonzero(counts)
    return Sample(counts[g, p, q], Sample.groupings_of(g, p, q))


def agreement_of(sample):
    return JoinedPairs(sample.n * (sample.n - 1) // 2, *sample.pair_sums).agreement


def measures_of(agreement):
    return {m: find_index(m, "comparative").of(agreement) for m in MEASURES}


def models(law, replicates, generator, n):
    truth = measures_of(agreement_of(sample_of(np.round(law * POPULATION).astype(np.int64))))
    right_p, right_q = matched(law.sum(axis=2))[:, :, None], matched(law.sum(axis=1))[:, None, :]
    kinds = [np.broadcast_to(cells, law.shape) for cells in (~right_p, ~right_q, ~right_p & right_q)]
    cell = Cell(MEASURES)
    for counts in generator.multinomial(n, law.ravel(), replicates):
        counts = counts.reshape(law.shape)
        sample = sample_of(counts)
        values = measures_of(agreement_of(sample))
        events = {float(law[cells].sum()): int(counts[cells].sum()) for cells in kinds}
        cell.add(clustering_intervals_of(sample), truth, values, events)
    return cell


def classifiers(law, replicates, generator, n):
    truth = measures_of(Agreement(*(round(p * POPULATION) for p in law)))
    cell = Cell(MEASURES)
    for counts in generator.multinomial(n, law, replicates).tolist():
        agreement = Agreement(*counts)
        values = measures_of(agreement)
        _, _, only_second, neither = counts
        events = {law[2]: only_second, law[2] + law[3]: only_second + neither}
        cell.add(classification_intervals(agreement), truth, values, events)
    return cell


OF_CLUSTERINGS = (
    "score",
    "jackknife of the Jaccard index",
    "bootstrap of the Jaccard index",
    "Wald, for comparison",
)


def tests(law, replicates, generator, n):
    """How often each test at 5 % rejects: for P and Q that are equally good, its size; else its power."""
    jaccard = find_index("jaccard", "external")
    found = {name: [] for name in OF_CLUSTERINGS}
    for counts in generator.multinomial(n, law.ravel(), replicates):
        sample = sample_of(counts.reshape(law.shape))
        labels = [np.repeat(codes, counts.ravel()) for codes in np.indices(law.shape).reshape(3, -1)]
        p_values = (
            equal_goodness_of(sample, find_index("rand", "external")).p_value,
            equal_goodness_of(sample, jaccard).p_value,
            equal_goodness_test(
                *labels, index=jaccard, method="bootstrap", n_resamples=199, random_state=generator
            ).p_value,
            wald(sample),
        )
        for name, p_value in zip(OF_CLUSTERINGS, p_values, strict=True):
            found[name].append(p_value)
    return {name: np.nan_to_num(np.array(values), nan=1.0) for name, values in found.items()}


def wald(sample):
    """Student's t of the difference of the Rand indices, with the jackknife's standard error."""
    pairs = sample.n * (sample.n - 1) // 2
    difference = [
        (a.right_wrong - a.wrong_right) / m
        for a, m in (
            (agreement_of(sample), pairs),
            *(
                (JoinedPairs(pairs - sample.n + 1, *sums).agreement, pairs - sample.n + 1)
                for sums in sample.without_one()
            ),
        )
    ]
    error = sample.jackknife_error(np.array(difference[1:]))
    return 1.0 if error == 0 else float(2 * student.sf(abs(difference[0]) / error, sample.n - 1))


CLASSIFIERS = {
    "typical": (0.66, 0.14, 0.09, 0.11),
    "good": (0.90, 0.045, 0.025, 0.03),
    "poor": (0.25, 0.25, 0.2, 0.3),
    "disagreement 2 %": (0.95, 0.012, 0.008, 0.03),
    "disagreement 0.5 %": (0.985, 0.003, 0.002, 0.01),
    "many wrong": (0.1, 0.1, 0.05, 0.75),
}


def normal(generator, shape):
    return generator.standard_normal(shape)


def heavy(generator, shape):
    """Student with 3 degrees of freedom: squares have no variance."""
    return generator.standard_t(3, shape)


def uniform(generator, shape):
    return generator.uniform(-np.sqrt(3), np.sqrt(3), shape)


def skew(generator, shape):
    return generator.exponential(1.0, shape)


def lognormal(generator, shape):
    return generator.lognormal(0.0, 0.7, shape)


def pareto(generator, shape):
    return generator.pareto(3.5, shape)


def laplace(generator, shape):
    return generator.laplace(0.0, 1.0, shape)


def with_a_part_far_out(generator, shape):
    """Draw normal points, and a small group of them 4 away in every coordinate."""
    return generator.standard_normal(shape) + 4.0 * (generator.random((shape[0], 1)) < 0.05)


def skewed_in_one(generator, shape):
    found = generator.standard_normal(shape)
    found[:, 0] = generator.gamma(0.5, 1.0, shape[0])
    return found


def correlated(generator, shape):
    """Draw from Student's t with 6 degrees of freedom, with correlations of 0.6 between coordinates."""
    common = generator.standard_normal((shape[0], 1))
    found = 0.4**0.5 * generator.standard_normal(shape) + 0.6**0.5 * common
    return found / np.sqrt(generator.chisquare(6, (shape[0], 1)) / 6)


#: Shares of the clusters, how far apart their centres are, how points scatter, and in how many dimensions.
POINTS = {
    "3 apart": ((1 / 3, 1 / 3, 1 / 3), 5.0, normal, 2),
    "3 overlapping": ((1 / 3, 1 / 3, 1 / 3), 2.0, normal, 2),
    "4, one of 12 %": ((0.4, 0.28, 0.2, 0.12), 4.0, normal, 2),
    "2, heavy tails": ((0.5, 0.5), 5.0, heavy, 2),
    # Unlike those with which constants were chosen; the rule on tails was chosen on exponential points, too.
    "3, uniform in 6 dimensions": ((0.5, 0.3, 0.2), 3.0, uniform, 6),
    "2, exponential": ((0.6, 0.4), 4.0, skew, 2),
} | {
    # Measured for the first time when all rules were made.
    "3, log-normal": ((0.4, 0.3, 0.3), 5.0, lognormal, 3),
    "2, Pareto with exponent 3.5": ((0.5, 0.5), 4.0, pareto, 2),
    "4, Laplace in 4 dimensions": ((0.25, 0.25, 0.25, 0.25), 5.0, laplace, 4),
    "3, a part of 5 % far out": ((0.5, 0.3, 0.2), 5.0, with_a_part_far_out, 3),
    "2, skewed in one of 5 dimensions": ((0.5, 0.5), 3.0, skewed_in_one, 5),
    "3, t of 6 degrees of freedom, correlated": ((0.4, 0.4, 0.2), 5.0, correlated, 3),
}


def points_of(law, n, generator):
    shares, apart, scatter, dimensions = law
    angles = 2 * np.pi * np.arange(len(shares)) / len(shares)
    labels = generator.choice(len(shares), n, p=shares)
    centres = np.zeros((len(shares), dimensions))
    centres[:, :2] = apart * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return scatter(generator, (n, dimensions)) + centres[labels], labels


def internal(law, replicates, generator, n):
    """Ask the criteria that have intervals."""
    records = [
        r
        for r in list_indices("internal")
        if r.name not in BENT
        and (r.requires == (Silhouettes,) or made_by_centroids(r.requires) == {*r.requires})
    ]
    return of_points(records, law, replicates, generator, n)


#: Criteria of squares that are asked at more numbers of points.
OF_SQUARES = ("trace_w", "ball_hall", "calinski_harabasz", "det_ratio")


def squares(law, replicates, generator, n):
    """Ask a few criteria of squares, with fewer groups of points left out than by default."""
    records = [find_index(name, "internal") for name in OF_SQUARES]
    return of_points(records, law, replicates, generator, n, draws=100, n_resamples=100)


def of_points(records, law, replicates, generator, n, draws=25, **options):
    """Draw points; the mean at n stands for the limit of criteria that grow with n."""
    names = [r.name for r in records]
    # So many points that chance in the limit is little beside that in the largest sample that is judged.
    limits, half_as_many = (
        np.mean(
            [[value_of(r, sample) for r in records] for sample in drawn(law, size, draws, generator)], axis=0
        )
        for size in (4000, 2000)
    )
    grows = np.abs(half_as_many - limits) > 0.1 * np.abs(limits)
    samples = [*drawn(law, n, replicates, generator)]
    values = np.array([[value_of(r, sample) for r in records] for sample in samples])
    # A sum of logarithms is infinite in a sample with a tiny cluster, which has no interval.
    means = np.ma.masked_invalid(values).mean(axis=0)
    truth = dict(zip(names, np.where(grows | ~np.isfinite(limits), means, limits).tolist(), strict=True))
    cell = Cell(names)
    for sample, own in zip(samples, values, strict=True):
        found = internal_intervals(*sample, names, random_state=0, **options)
        cell.add(found, truth, dict(zip(names, own, strict=True)))
    return cell


def drawn(law, n, times, generator):
    return (points_of(law, n, generator) for _ in range(times))


def value_of(record, sample):
    return float(record(*sample))


def several(law, replicates, generator, n):
    """How often tests of classifiers, and of models over data sets, reject at 5 %."""
    accuracies, common = law
    found = {name: [] for name in (*MCNEMAR, "Cochran's Q", "Friedman", "Iman-Davenport")}
    for _ in range(replicates):
        right = generator.random((n, len(accuracies))) < accuracies
        shared = generator.random(n) < common
        right[shared] = right[shared, :1]
        both, first, second = (
            int(np.count_nonzero(x))
            for x in (
                right[:, 0] & right[:, 1],
                right[:, 0] & ~right[:, 1],
                ~right[:, 0] & right[:, 1],
            )
        )
        agreement = Agreement(both, first, second, n - both - first - second)
        for name, method in MCNEMAR.items():
            found[name].append(mcnemar_test(agreement, method=method).p_value)
        found["Cochran's Q"].append(cochran_q_test(right).p_value)
        scores = Rankings.of_goodness(generator.standard_normal((min(n, 100), 4)) + 3 * np.array(accuracies))
        found["Friedman"].append(friedman(scores).p_value)
        found["Iman-Davenport"].append(iman_davenport(scores).p_value)
    return {name: np.nan_to_num(np.array(values), nan=1.0) for name, values in found.items()}


MCNEMAR = {
    "McNemar, mid-p": "mid-p",
    "McNemar, exact": "exact",
    "McNemar, asymptotic": "asymptotic",
    "McNemar, corrected": "corrected",
}
SEVERAL = {
    "equal 0.5": ((0.5,) * 4, 0.0),
    "equal 0.75": ((0.75,) * 4, 0.3),
    "equal 0.95": ((0.95,) * 4, 0.3),
    "better 0.75, 0.65": ((0.75, 0.65, 0.65, 0.65), 0.3),
    "better 0.95, 0.88": ((0.95, 0.88, 0.88, 0.88), 0.3),
}
#: Laws of kinds on which no constant of an interval was chosen.
UNLIKE = {name for name, _ in unlike_laws()} | {
    "3, uniform in 6 dimensions",
    "3, log-normal",
    "2, Pareto with exponent 3.5",
    "4, Laplace in 4 dimensions",
    "3, a part of 5 % far out",
    "2, skewed in one of 5 dimensions",
    "3, t of 6 degrees of freedom, correlated",
}
PARTS = {
    "external": (external, lambda: external_laws()),
    "models": (models, lambda: model_laws()),
    "classifiers": (classifiers, lambda: CLASSIFIERS.items()),
    "internal": (internal, lambda: POINTS.items()),
    "squares": (squares, lambda: POINTS.items()),
    "size": (tests, lambda: same_goodness_laws()),
    "power": (tests, lambda: better_laws()),
    "several": (several, lambda: SEVERAL.items()),
}
OF_TESTS = ("size", "power", "several")
OF_POINTS = ("internal", "squares")
#: Numbers of points; the jackknife of silhouettes costs their square.
POINT_SIZES = (60, 150, 400)


def disagreements_of(part, law, n):
    """On how many instances, on average, one of the two models is right and the other wrong."""
    if part == "several":
        (first, second, *_), common = law
        return n * (1 - common) * (first * (1 - second) + second * (1 - first))
    k = law.shape[0]
    same = np.arange(k)[:, None] == np.arange(k)
    return n * float(law[same[:, :, None] != same[:, None, :]].sum())


def rows_of(part, name, n, result, replicates, law=None):
    if part not in OF_TESTS:
        yield from result.rows(part, name, n)
        return
    for test, p_values in result.items():
        yield {
            "part": part,
            "law": name,
            "n": n,
            "name": test,
            "replicates": replicates,
            "rejected": float((p_values < 0.05).mean()),
            "disagreements": disagreements_of(part, law, n),
        }


def cells_of(part):
    """Every law of a part, with every number of instances."""
    for (name, law), n in itertools.product(PARTS[part][1](), POINT_SIZES if part == "internal" else SIZES):
        yield part, name, law, n


#: Seed of the order in which laws are taken.
DRAW = 20261122
#: Position of the first external law that was drawn when the first three rules had been made.
FIRST_AFTERWARDS = 58


def in_order(cells):
    """Numbers of the cells, stratum by stratum in turn: the first so many are a stratified random sample."""
    strata = {}
    for i, (part, _, _, n) in enumerate(cells):
        strata.setdefault((part, n), []).append(i)
    ranked = []
    for (part, n), own in strata.items():
        # The order of a part does not depend on which other parts are measured.
        generator = np.random.default_rng([DRAW, n, *part.encode()])
        ranked += [(rank, own[j]) for rank, j in enumerate(generator.permutation(len(own)).tolist())]
    return [i for _, i in sorted(ranked)]


def read(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def run(options):
    cells = [cell for part in options.parts.split(",") for cell in cells_of(part)]
    own, step = map(int, options.share.split("/"))
    order = in_order(cells)[options.first - 1 :]
    if options.laws:
        wanted = set(options.laws.read_text().splitlines())
        order = [i for i in order if f"{cells[i][1]}|{cells[i][3]}" in wanted]
    order = order[own - 1 :: step]
    there = set()
    if options.rows.exists():
        there = {
            (row["part"], row["law"], row["n"]) for row in read(options.rows) if row["seed"] == options.seed
        }
    start = time.perf_counter()
    with options.rows.open("a") as out:
        for done, i in enumerate(order):
            if time.perf_counter() - start > 60 * options.minutes:
                break
            part, name, law, n = cells[i]
            if (part, name, n) in there:
                continue
            result = PARTS[part][0](law, options.replicates, np.random.default_rng([options.seed, int(i)]), n)
            for row in rows_of(part, name, n, result, options.replicates, law):
                out.write(json.dumps({"seed": options.seed, **row}) + "\n")
            out.flush()
            print(f"{done + 1} of {len(order)} cells", end="\r", flush=True)


def write_labels_page(rows, folder):
    strata = Counter((part, n) for part in PARTS if part not in OF_POINTS for _, _, _, n in cells_of(part))
    external_cells = [*cells_of("external")]
    drawn_later = (external_cells[i] for i in in_order(external_cells)[FIRST_AFTERWARDS - 1 :])
    write_page(
        rows,
        folder,
        same_as=SAME_AS,
        sizes=SIZES,
        strata=strata,
        afterwards={(law, n) for _, law, _, n in drawn_later},
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--replicates", type=int, default=1000)
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--rows", type=Path, default=Path("coverage.jsonl"))
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--share", default="1/1", help="2/3: the second of three parts, for three processes")
    parser.add_argument("--first", type=int, default=1, help="position in the order of the first law")
    parser.add_argument("--laws", type=Path, help="a file with the laws to measure, one 'law|N' a line")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--page", type=Path)
    options = parser.parse_args()
    if options.page:
        rows = read(options.rows)
        parts = {row["part"] for row in rows}
        if PART in parts:
            write_points_page(rows, options.page, UNLIKE)
        if parts & TITLES.keys():
            write_labels_page(rows, options.page)
    else:
        run(options)


if __name__ == "__main__":
    warnings.simplefilter("error")
    main()
