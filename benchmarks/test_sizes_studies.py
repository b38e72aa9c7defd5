"""The tests of adjudge, the laws under which benchmarks/test_sizes.py asks them, and their peers in other libraries.

A case is a law with a number of instances. It says what p-values one sample gives, or, where samples can be counted,
with what probability each test rejects.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from scipy.special import gammaln
from scipy.stats import binom, chi2_contingency, friedmanchisquare, hypergeom, wilcoxon
from statsmodels.stats.contingency_tables import cochrans_q, mcnemar
from statsmodels.stats.multitest import multipletests

from adjudge.given.labels import Labels
from adjudge.given.score_table import ScoreTable
from adjudge.indices.catalog import find_index
from adjudge.inference.chance.correction import null_distribution
from adjudge.inference.classes.class_intervals import intervals_of_labels
from adjudge.inference.classes.recall_means import why_not_compared
from adjudge.inference.classes.right_or_wrong import cochran_q_test, mcnemar_test
from adjudge.inference.clusters.dip import dip_test
from adjudge.inference.common.adjustments import adjust_p_values
from adjudge.inference.common.test_results import TestResult
from adjudge.inference.data_sets.cross_validation import five_by_two_f_test, five_by_two_t_test
from adjudge.inference.data_sets.posterior import corrected_t_test
from adjudge.inference.data_sets.rank_comparison import pairwise_tests
from adjudge.inference.data_sets.ranks import friedman, iman_davenport
from adjudge.inference.differences.forecast_differences import differences_of_forecasts
from adjudge.inference.differences.groups import compare_independent, compare_shares
from adjudge.inference.differences.label_differences import PairedLabels, differences_of_labels
from adjudge.inference.forecasts.auc import compare_areas, placements
from adjudge.inference.forecasts.paired_losses import compare_losses
from adjudge.inference.partitions.equal_goodness import equal_goodness_of
from adjudge.statistics.agreement import Agreement
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.forecasts import DecisionForecasts, ProbabilityForecasts
from adjudge.statistics.rankings import Rankings
from coverage_study import merged, sample_of, sizes_of, split, spread
from two_by_two_tests import alike, of_four_counts

__all__ = ["LEVEL", "STUDIES", "Case", "Study"]

LEVEL = 0.05
Generator = np.random.Generator
PValues = Sequence[float]


@dataclass(frozen=True)
class Case:
    """A law with a number of instances; `power` says that its hypothesis is false, `rates` that it draws shares."""

    name: str
    draw: Callable[[Generator], PValues] | None = None
    exact: Callable[[], PValues] | None = None
    power: bool = False
    rates: bool = False


def with_note(test: TestResult | None) -> float:
    """P-value of a reader who takes that of the note if there is one, to the digits that are written."""
    if test is None or math.isnan(test.p_value):
        return math.nan
    told = re.search(r"p = ([0-9.e-]+)", test.reason or "")
    return max(test.p_value, float(told[1])) if told else test.p_value


@dataclass(frozen=True)
class Study:
    """A test, the columns of its table, and its cases.

    The first column is the default; those from `peers` on are others' tests, or other tests of the same hypothesis.
    """

    name: str
    columns: tuple[str, ...]
    peers: int
    cases: Callable[[], Iterator[Case]]
    words: str
    #: Of the replicates that are asked for, by how much fewer this study draws.
    fewer: int = 1


# Two classifiers


@cache
def _signs(b: int, c: int) -> tuple[bool, ...]:
    given = Agreement(1, b, c, 1)
    ours = [
        mcnemar_test(given, method=method).p_value for method in ("mid-p", "exact", "asymptotic", "corrected")
    ]
    theirs = mcnemar([[1, b], [c, 1]], exact=True).pvalue
    return tuple(p <= LEVEL for p in (*ours, theirs))


def _of_signs(n: int, first: float, second: float) -> PValues:
    """Rejections of tests that read how often one model alone is right, summed over all counts."""
    found = np.zeros(5)
    for k in range(n + 1):
        # Rare numbers of disagreements do not matter.
        chance = float(binom.pmf(k, n, first + second))
        if chance < 1e-9:
            continue
        likely = binom.pmf(np.arange(k + 1), k, first / (first + second))
        rejected = np.array([_signs(b, k - b) for b in range(k + 1)])
        found += chance * (likely @ rejected)
    return found.tolist()


def _mcnemar() -> Iterator[Case]:
    for n, share in itertools.product((10, 20, 50, 200), (0.02, 0.1, 0.3, 0.6)):
        law = partial(_of_signs, n, share / 2, share / 2)
        yield Case(f"n = {n}, one alone right on {share:.0%}", exact=law)
    for n, first, second in ((20, 0.5, 0.1), (50, 0.2, 0.06), (200, 0.06, 0.02)):
        law = partial(_of_signs, n, first, second)
        yield Case(f"n = {n}, alone right on {first:.0%} and {second:.0%}", exact=law, power=True)


def _unlike_models(rng: Generator, kind: str) -> np.ndarray:
    """Law of the four counts of two equally good models: both right, first alone, second alone, neither."""
    if kind == "models with errors in common":
        right, common = rng.uniform(0.5, 0.97), rng.uniform(0, 0.6)
        alone = (1 - common) * right * (1 - right)
        return np.array([right - alone, alone, alone, 1 - right - alone])
    law = rng.dirichlet(np.full(4, rng.choice([0.5, 1.0, 3.0])))
    law[1] = law[2] = (law[1] + law[2]) / 2
    return law


@cache
def _rejected_tables(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every table of four counts, the logarithm of its orders, and which tests reject it."""
    tables = np.array([(i, j, k, n - i - j - k) for i in range(n + 1) for j in range(n + 1 - i)
                       for k in range(n + 1 - i - j)])  # fmt: skip
    found = []
    for a, b, c, d in tables.tolist():
        test = of_four_counts(alike((a, b, c, d)))
        signs = max(mcnemar_test(Agreement(0, *both, 0)).p_value for both in ((a, d), (b, c)))
        found.append([p <= LEVEL for p in (test.p_value, with_note(test), signs)])
    return tables, gammaln(n + 1) - gammaln(tables + 1).sum(axis=1), np.array(found, float)


def _of_four_shares(n: int, law: np.ndarray) -> np.ndarray:
    tables, orders, rejected = _rejected_tables(n)
    return np.exp(orders + tables @ np.log(np.maximum(law, 1e-300))) @ rejected


def _of_fresh_laws(n: int, kind: str, quantile: float) -> PValues:
    rng = np.random.default_rng([20261123, n])
    sizes = [_of_four_shares(n, _unlike_models(rng, kind)) for _ in range(100)]
    return np.quantile(sizes, quantile, axis=0).tolist()


def _power_of_four(n: int, law: Sequence[float]) -> PValues:
    return _of_four_shares(n, np.array(law)).tolist()


def _of_opposed(n: int) -> PValues:
    """Largest sizes of models that are never both wrong; never both right gives the same."""
    sizes = [_of_four_shares(n, np.array([1 - 2 * b, b, b, 0.0])) for b in np.linspace(0.02, 0.499, 30)]
    return np.max(sizes, axis=0).tolist()


def _two_by_two() -> Iterator[Case]:
    kinds = ("models with errors in common", "any table")
    names = {0.5: "median", 0.95: "95th percentile", 1.0: "largest"}
    for n in (12, 18, 28):
        for kind, quantile in itertools.product(kinds, names):
            law = partial(_of_fresh_laws, n, kind, quantile)
            yield Case(f"n = {n}, {kind}, {names[quantile]} of 100 laws", exact=law)
        yield Case(f"n = {n}, models never both wrong, largest of 30 laws", exact=partial(_of_opposed, n))
    for n, law in ((18, (0.6, 0.35, 0.05, 0.0)), (28, (0.63, 0.27, 0.07, 0.03))):
        name = f"n = {n}, alone right on {law[1]:.0%} and {law[2]:.0%}, neither on {law[3]:.0%}"
        yield Case(name, exact=partial(_power_of_four, n, law), power=True)


INDICES = ("rand", "jaccard", "adjusted_rand", "fowlkes_mallows")


def _same_goodness() -> dict[str, np.ndarray]:
    """Joint laws of truth, P and Q, with P and Q exchangeable."""

    def both(shares: np.ndarray, law: np.ndarray) -> np.ndarray:
        return np.einsum("g,gp,gq->gpq", shares, law, law)

    hub = 0.75 * np.eye(5)
    hub[:, 0] += 0.25
    neighbours = 0.8 * np.eye(6) + 0.1 * (np.roll(np.eye(6), 1, axis=1) + np.roll(np.eye(6), -1, axis=1))
    four = spread(4, 0.85)
    table = np.random.default_rng(17).dirichlet(np.full(7, 0.3), 5)
    return {
        "errors to one cluster, K = 5": both(sizes_of(5, "geometric"), hub),
        "errors to neighbours, K = 6": both(sizes_of(6, "equal"), neighbours),
        "one cluster of 85 %": both(np.array([0.85, 0.05, 0.05, 0.05]), spread(4, 0.9)),
        "any table, 5 x 7": both(sizes_of(5, "geometric"), table),
        "half as many clusters": both(sizes_of(4, "geometric"), merged(four)),
        "twice as many clusters": both(sizes_of(4, "geometric"), split(four)),
        "a third noise": both(sizes_of(3, "equal"), 2 / 3 * spread(3, 0.95) + 1 / 9),
        "60 clusters": both(sizes_of(60, "equal"), spread(60, 0.9)),
    }


def _goodness(law: np.ndarray, n: int, rng: Generator) -> PValues:
    law = law / law.sum()
    sample = sample_of(rng.multinomial(n, law.ravel()).reshape(law.shape))
    return [equal_goodness_of(sample, find_index(name, "external")).p_value for name in INDICES]


def _goodness_cases() -> Iterator[Case]:
    for (name, law), n in itertools.product(_same_goodness().items(), (40, 150)):
        yield Case(f"n = {n}, {name}", partial(_goodness, law, n))
    better = np.einsum("g,gp,gq->gpq", sizes_of(5, "geometric"), spread(5, 0.9), spread(5, 0.75))
    for n in (40, 150):
        yield Case(f"n = {n}, 90 % and 75 % right, K = 5", partial(_goodness, better, n), power=True)


# Several classifiers


def _exact_q(right: np.ndarray, rng: Generator) -> float:
    """Cochran's Q among 999 exchanges of models within instances."""

    def spread_of(hits: np.ndarray) -> np.ndarray:
        return ((hits.sum(axis=-2) - hits.sum() / hits.shape[-1]) ** 2).sum(axis=-1)

    observed = ((right.sum(axis=0) - right.sum() / right.shape[1]) ** 2).sum()
    sums = rng.permuted(np.broadcast_to(right, (999, *right.shape)), axis=2).sum(axis=1)
    found = ((sums - right.sum() / right.shape[1]) ** 2).sum(axis=1)
    return float((1 + (found >= observed - 1e-9).sum()) / 1000)


def _cochran(n: int, shares: Sequence[float], common: float, rng: Generator) -> PValues:
    """Ask classifiers; a part of the instances is alike for all of them: all fail there, or none."""
    right = rng.random((n, len(shares))) < np.array(shares)
    hard = rng.random(n) < common
    right[hard] = rng.random((int(hard.sum()), 1)) < 0.5
    hits = right.astype(np.int64)
    ranks = Rankings.of_goodness(hits.astype(float))
    theirs = cochrans_q(hits).pvalue
    return [cochran_q_test(right).p_value, iman_davenport(ranks).p_value, theirs, _exact_q(hits, rng)]


def _cochran_cases() -> Iterator[Case]:
    for n, k, share, common in (
        (10, 3, 0.7, 0.0),
        (10, 10, 0.7, 0.0),
        (20, 60, 0.7, 0.0),
        (30, 3, 0.97, 0.0),
        (30, 10, 0.97, 0.0),
        (30, 5, 0.7, 0.8),
        (100, 3, 0.99, 0.0),
        (100, 5, 0.9, 0.5),
    ):
        name = f"n = {n}, {k} models, {share:.0%} right"
        name += f", {common:.0%} alike for all" if common else ""
        yield Case(name, partial(_cochran, n, [share] * k, common))
    yield Case(
        "n = 30, 4 models, 90 % right and one 65 %",
        partial(_cochran, 30, [0.9] * 3 + [0.65], 0.0),
        power=True,
    )


# Models over data sets


def _scores(kind: str, n: int, k: int, rng: Generator) -> np.ndarray:
    if kind == "three values":
        return rng.integers(0, 3, (n, k)).astype(float)
    if kind == "mostly equal":
        return (rng.random((n, k)) < 0.1).astype(float)
    if kind == "correlated":
        # Half of the models are near copies of each other on every data set.
        found = rng.normal(size=(n, k))
        found[:, : k // 2] = rng.normal(size=(n, 1)) + 0.3 * found[:, : k // 2]
        return found
    return rng.standard_cauchy((n, k))


def _friedman(kind: str, n: int, k: int, shift: float, rng: Generator) -> PValues:
    scores = _scores(kind, n, k, rng)
    scores[:, 0] += shift
    rankings = Rankings.of_goodness(scores)
    try:
        theirs = friedmanchisquare(*scores.T).pvalue
    except (ValueError, ZeroDivisionError):
        theirs = 1.0
    return [friedman(rankings).p_value, iman_davenport(rankings).p_value, theirs]


def _friedman_cases() -> Iterator[Case]:
    for kind, (n, k) in itertools.product(
        ("three values", "mostly equal", "Cauchy"), ((5, 4), (5, 60), (30, 4), (30, 60))
    ):
        yield Case(f"{n} data sets, {k} models, {kind}", partial(_friedman, kind, n, k, 0.0))
    yield Case("15 data sets, 6 models, three values, one 1 better",
               partial(_friedman, "three values", 15, 6, 1.0), power=True)  # fmt: skip


PAIRS = (("wilcoxon", "holm"), ("ranks", "nemenyi"), ("ranks", "shaffer"), ("sign", "holm"))


def _of_scipy(differences: np.ndarray) -> float:
    """SciPy's signed-rank test: by default it counts all signs of few values if there are ties, which takes long."""
    if not differences.any():
        return 1.0
    tied = np.unique(np.abs(differences)).size < differences.size or (differences == 0).any()
    return float(wilcoxon(differences, method="asymptotic" if tied else "auto").pvalue)


def _pairs(kind: str, n: int, k: int, shift: float, rng: Generator) -> PValues:
    scores = _scores(kind, n, k, rng)
    scores[:, 0] += shift
    table = ScoreTable.of(range(n), range(k), scores, "higher")
    tests = [pairwise_tests(table, test=test, correction=correction) for test, correction in PAIRS]
    differences = [scores[:, i] - scores[:, j] for i, j in itertools.combinations(range(k), 2)]
    theirs = [_of_scipy(own) for own in differences]
    found = [list(test.adjusted.values()) for test in tests] + [adjust_p_values(theirs, "holm")]
    # The first pairs are those of the first model, which alone differs.
    return [min(own[: k - 1]) if shift else min(own) for own in found]


def _pairs_cases() -> Iterator[Case]:
    kinds = ("three values", "mostly equal", "Cauchy", "correlated")
    for kind, (n, k) in itertools.product(kinds, ((8, 4), (25, 4), (25, 7))):
        yield Case(f"{n} data sets, {k} models, {kind}", partial(_pairs, kind, n, k, 0.0))
    for kind, n, k, shift in (
        ("Cauchy", 25, 5, 2.0),
        ("three values", 15, 5, 1.0),
        ("correlated", 20, 5, 0.8),
    ):
        name = f"{n} data sets, {k} models, {kind}, one {shift:g} better"
        yield Case(name, partial(_pairs, kind, n, k, shift), power=True)


# Areas, losses, other scores of two models


def _pair_of_scores(
    kind: str, codes: np.ndarray, shifts: Sequence[float], rng: Generator
) -> list[np.ndarray]:
    """Scores of two models that are as right as each other if the shifts are."""
    n = codes.size
    if kind == "skewed":
        noise = rng.exponential(size=(3, n))
    elif kind == "heavy tails":
        noise = rng.standard_t(2, size=(3, n))
    else:
        noise = rng.normal(size=(3, n))
    found = [0.7 * noise[2] + 0.7 * noise[i] + shift * codes for i, shift in enumerate(shifts)]
    return [np.round(scores) for scores in found] if kind == "few values" else found


def _exchanged(codes: np.ndarray, scores: Sequence[np.ndarray], rng: Generator) -> float:
    """Difference of the areas among 499 exchanges of the models' ranks, instance by instance (Venkatraman 2000)."""
    from scipy.stats import rankdata

    ranks = np.stack([rankdata(own) for own in scores])
    m = codes.sum()

    def difference(pair: np.ndarray) -> np.ndarray:
        return rankdata(pair, axis=-1)[..., codes == 1].sum(axis=-1) / m

    swapped = rng.random((499, codes.size)) < 0.5
    first, second = np.where(swapped, ranks[1], ranks[0]), np.where(swapped, ranks[0], ranks[1])
    found = np.abs(difference(first) - difference(second))
    observed = abs(difference(ranks[0]) - difference(ranks[1]))
    return float((1 + (found >= observed - 1e-9).sum()) / 500)


def _areas(kind: str, n: int, m: int, shifts: Sequence[float], rng: Generator) -> PValues:
    codes = np.r_[np.ones(m, np.int64), np.zeros(n - m, np.int64)]
    scores = _pair_of_scores(kind, codes, shifts, rng)
    placed = [placements(DecisionForecasts([0, 1], codes, own, None, 1)) for own in scores]
    test = compare_areas(*placed).test
    return [test.p_value, with_note(test), _exchanged(codes, scores, rng)]


def _areas_cases() -> Iterator[Case]:
    for kind, (n, m), shift in (
        ("normal", (40, 20), 1.0),
        ("normal", (60, 4), 1.0),
        ("normal", (200, 10), 1.0),
        ("normal", (200, 10), 2.5),
        ("few values", (60, 4), 1.0),
        ("few values", (60, 30), 1.0),
        ("few values", (200, 10), 2.5),
        ("skewed", (60, 30), 1.0),
        ("skewed", (200, 10), 2.5),
        ("heavy tails", (200, 10), 2.0),
        ("normal", (200, 100), 0.0),
    ):
        yield Case(
            f"{m} of {n} positive, {kind}, {shift:g} apart", partial(_areas, kind, n, m, (shift, shift))
        )
    for n, m in ((60, 30), (200, 10)):
        name = f"{m} of {n} positive, normal, 1.6 and 1 apart"
        yield Case(name, partial(_areas, "normal", n, m, (1.6, 1.0)), power=True)


def _loss_pair(kind: str, n: int, rng: Generator) -> np.ndarray:
    """Losses of two models with the same expectation; exchangeable unless they are said to be uneven."""
    if kind == "zero or one":
        return (rng.random((2, n)) < 0.1).astype(float)
    if kind == "rarely very large":
        return rng.exponential(size=(2, n)) * np.where(rng.random((2, n)) < 0.03, 20.0, 0.2)
    if kind == "Student's t, 2 degrees of freedom":
        return rng.standard_t(2, size=(2, n))
    if kind == "uneven: one steady, one lognormal":
        return np.stack([np.full(n, math.exp(0.5)), rng.lognormal(size=n)])
    if kind == "uneven: one steady, one exponential":
        return np.stack([np.ones(n), rng.exponential(size=n)])
    return np.stack([np.full(n, 0.2), np.where(rng.random(n) < 0.02, 10.0, 0.0)])


def _losses(kind: str, n: int, better: float, rng: Generator) -> PValues:
    one, other = _loss_pair(kind, n, rng)
    other = other * better
    t, flips = (
        compare_losses(one, other, method=method, n_draws=999, random_state=rng).test
        for method in ("t", "sign-flip")
    )
    theirs = _of_scipy(one - other)
    return [t.p_value, with_note(t), flips.p_value, theirs]


def _losses_cases() -> Iterator[Case]:
    kinds = (
        "zero or one",
        "rarely very large",
        "Student's t, 2 degrees of freedom",
        "uneven: one steady, one exponential",
        "uneven: one steady, one lognormal",
        "uneven: one steady, one rarely far off",
    )
    for kind, n in itertools.product(kinds, (10, 40, 300)):
        yield Case(f"n = {n}, {kind}", partial(_losses, kind, n, 1.0))
    yield Case(
        "n = 100, rarely very large, one a third",
        partial(_losses, "rarely very large", 100, 1 / 3),
        power=True,
    )
    for n, kind in ((20, "uneven: one steady, one exponential"), (100, "uneven: one steady, one lognormal")):
        yield Case(f"n = {n}, {kind}, a third less", partial(_losses, kind, n, 2 / 3), power=True)


DIFFERENCES = ("macro_f1", "balanced_accuracy", "matthews_correlation", "cohen_kappa")


def _labels(shares: np.ndarray, said: Sequence[np.ndarray], n: int, rng: Generator) -> PValues:
    k = shares.size
    truth = rng.choice(k, n, p=shares)
    cumulative = [law.cumsum(axis=1) for law in said]
    both = [(rng.random((n, 1)) > own[truth]).sum(axis=1).clip(max=k - 1) for own in cumulative]
    agreement = Agreement.from_outcomes(*(codes == truth for codes in both))
    named = [Labels(codes.astype(np.int64), 0, k, list(range(k))) for codes in (truth, *both)]
    found = differences_of_labels(
        [find_index(name, "classification") for name in DIFFERENCES],
        PairedLabels(*named, None, list(range(k)), 1 if k == 2 else None),
        agreement,
        0.95,
    )
    tests = [found[name].test for name in DIFFERENCES]
    usual = [math.nan if test is None else test.p_value for test in tests]
    return [*usual, *(with_note(test) for test in tests), mcnemar_test(agreement).p_value]


def _labels_cases() -> Iterator[Case]:
    rare = np.array([0.95, 0.05])
    hub = 0.8 * np.eye(5)
    hub[:, 0] += 0.2
    laws = {
        "5 % positive, 90 % right": (rare, spread(2, 0.9)),
        "5 % positive, which is found in half": (rare, np.array([[0.98, 0.02], [0.5, 0.5]])),
        "five classes, errors to the first": (sizes_of(5, "geometric"), hub),
        "ten classes, 60 % right": (sizes_of(10, "geometric"), spread(10, 0.6)),
    }
    for (name, (shares, said)), n in itertools.product(laws.items(), (40, 150, 600)):
        yield Case(f"n = {n}, {name}", partial(_labels, shares, (said, said), n))
    better = np.array([[0.96, 0.04], [0.15, 0.85]])
    for n in (150, 600):
        law = partial(_labels, rare, (better, np.array([[0.98, 0.02], [0.5, 0.5]])), n)
        yield Case(f"n = {n}, 5 % positive, of which 85 % and 50 % are found", law, power=True)
    said = hub, 0.7 * np.eye(5) + 0.3 * np.eye(5)[0]
    law = partial(_labels, sizes_of(5, "geometric"), said, 150)
    yield Case("n = 150, five classes, errors to the first, 80 % and 70 % right", law, power=True)


def _precision(n: int, share: float, kind: str, shifts: Sequence[float], rng: Generator) -> PValues:
    codes = (rng.random(n) < share).astype(np.int64)
    codes[:2] = 0, 1
    scores = _pair_of_scores(kind, codes, shifts, rng)
    made = [
        ProbabilityForecasts([0, 1], codes, 1 / (1 + np.exp(-np.clip(own, -20, 20))), None, 1)
        for own in scores
    ]
    found = differences_of_forecasts([find_index("average_precision", "classification")], *made, 0.95)
    test = found["average_precision"].test
    return [math.nan if test is None else test.p_value, _exchanged_precision(codes, scores, rng)]


def _exchanged_precision(codes: np.ndarray, scores: Sequence[np.ndarray], rng: Generator) -> float:
    """Difference of average precisions among 199 exchanges of the models' ranks, instance by instance."""
    from scipy.stats import rankdata

    ranks = np.stack([rankdata(own) for own in scores])
    swapped = np.r_[np.zeros((1, codes.size), bool), rng.random((199, codes.size)) < 0.5]

    def precision(pairs: np.ndarray) -> np.ndarray:
        hits = codes[np.argsort(-pairs, axis=1, kind="stable")]
        return (hits * hits.cumsum(axis=1) / np.arange(1, codes.size + 1)).sum(axis=1)

    first, second = (np.where(swapped, ranks[1 - i], ranks[i]) for i in (0, 1))
    found = np.abs(precision(first) - precision(second))
    return float((found >= found[0] - 1e-9).mean())


def _precision_cases() -> Iterator[Case]:
    for n, share, kind in (
        (60, 0.5, "few values"),
        (60, 0.15, "normal"),
        (200, 0.05, "skewed"),
        (300, 0.3, "heavy tails"),
    ):
        name = f"n = {n}, {share:.0%} positive, {kind}"
        yield Case(name, partial(_precision, n, share, kind, (1.5, 1.5)))
    law = partial(_precision, 100, 0.3, "normal", (1.8, 1.0))
    yield Case("n = 100, 30% positive, normal, 1.8 and 1 apart", law, power=True)


# Groups of instances


@cache
def _groups(n: int, m: int) -> np.ndarray:
    """Which tables of two groups each test rejects: ours, Fisher's, Fisher's with half the weight on what was seen."""
    found = np.zeros((n + 1, m + 1, 3), bool)
    for total in range(n + m + 1):
        fewest, most = max(0, total - m), min(n, total)
        own = np.arange(fewest, most + 1)
        likely = hypergeom.pmf(own, n + m, total, n)
        for x, chance in zip(own.tolist(), likely.tolist(), strict=True):
            p = compare_shares((x, n), (total - x, m), 0.95).test.p_value
            as_rare = likely <= chance * (1 + 1e-9)
            fisher = float(likely[as_rare].sum())
            same = float(likely[np.isclose(likely, chance, rtol=1e-9)].sum())
            found[x, total - x] = p <= LEVEL, fisher <= LEVEL, fisher - same / 2 <= LEVEL
    return found


def _of_groups(n: int, m: int, first: float, second: float) -> PValues:
    likely = np.outer(binom.pmf(np.arange(n + 1), n, first), binom.pmf(np.arange(m + 1), m, second))
    return np.einsum("xy,xyt->t", likely, _groups(n, m).astype(float)).tolist()


def _groups_cases() -> Iterator[Case]:
    for (n, m), share in itertools.product(((5, 50), (10, 30), (30, 90), (20, 400)), (0.5, 0.8, 0.95, 0.99)):
        yield Case(f"{n} and {m} instances, {share:.0%} right", exact=partial(_of_groups, n, m, share, share))
    for (n, m), (first, second) in (
        ((10, 30), (0.4, 0.85)),
        ((30, 90), (0.75, 0.95)),
        ((20, 400), (0.8, 0.97)),
    ):
        law = partial(_of_groups, n, m, first, second)
        yield Case(f"{n} and {m} instances, {first:.0%} and {second:.0%} right", exact=law, power=True)


def _table_of_f1(tables: np.ndarray) -> np.ndarray:
    """Macro F1 of confusion tables, of shape (some, k, k)."""
    right = np.diagonal(tables, axis1=1, axis2=2)
    both = tables.sum(axis=1) + tables.sum(axis=2)
    return np.divide(2 * right, both, out=np.zeros(right.shape), where=both > 0).mean(axis=1)


MOVER = ("macro_f1", "balanced_accuracy", "g_mean")


def _mover(shares: np.ndarray, said: Sequence[np.ndarray], sizes: Sequence[int], rng: Generator) -> PValues:
    k = shares.size
    tables = [rng.multinomial(n, (shares[:, None] * own).ravel()) for n, own in zip(sizes, said, strict=True)]
    records = [find_index(name, "classification") for name in MOVER]
    confusions = [Confusion(list(range(k)), table.reshape(k, k)) for table in tables]
    counts = [confusion.by_class() for confusion in confusions]
    made = [intervals_of_labels(records, *own, 0.95) for own in zip(confusions, counts, strict=True)]
    p_values = []
    for record in records:
        (one, other), own = (record.assess(part)[0] for part in counts), [ends[record.name] for ends in made]
        refused = why_not_compared(record, *counts) is not None
        if refused or math.isnan(own[0].low) or math.isnan(own[1].low):
            p_values.append(math.nan)
            continue
        test = compare_independent(one, tuple(own[0]), other, tuple(own[1]), 0.95).test
        p_values.append(math.nan if test is None else test.p_value)
    pooled = tables[0] + tables[1]
    first = np.r_[tables[0][None], rng.multivariate_hypergeometric(pooled, sizes[0], 199)]
    gaps = [_table_of_f1(own.reshape(-1, k, k)) for own in (first, pooled - first)]
    found = np.abs(gaps[0] - gaps[1])
    return [*p_values, float((found >= found[0] - 1e-9).mean())]


def _mover_cases() -> Iterator[Case]:
    rare, few, hub = np.array([0.9, 0.1]), np.array([0.85, 0.1, 0.05]), 0.8 * np.eye(5)
    hub[:, 0] += 0.2
    laws = {
        "10 % positive, 90 % right": (rare, spread(2, 0.9)),
        "10 % positive, of which half are found": (rare, np.array([[0.97, 0.03], [0.5, 0.5]])),
        "five classes, errors to the first": (sizes_of(5, "geometric"), hub),
        "ten classes, 60 % right": (sizes_of(10, "geometric"), spread(10, 0.6)),
        "5 % of a class of which half are found": (
            few,
            np.array([[95, 3, 2], [20, 70, 10], [30, 20, 50]]) / 100,
        ),
    }
    for (name, (shares, said)), sizes in itertools.product(laws.items(), ((20, 60), (50, 400))):
        yield Case(
            f"{sizes[0]} and {sizes[1]} instances, {name}", partial(_mover, shares, (said, said), sizes)
        )
    for right in (0.7, 0.95):
        law = partial(_mover, sizes_of(20, "equal"), (spread(20, right),) * 2, (150, 600))
        yield Case(f"150 and 600 instances, 20 even classes, {right:.0%} right", law)
    law = partial(_mover, sizes_of(5, "geometric"), (0.5 * np.eye(5) + 0.1, hub), (50, 200))
    yield Case("50 and 200 instances, five classes, 60 % and 80 % right", law, power=True)


# Cross-validation


def _centroids(X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> float:
    """Accuracy of the nearest centroid."""
    first, second = (X[train][y[train] == code].mean(axis=0) for code in (0, 1))
    said = ((X[test] - second) ** 2).sum(axis=1) < ((X[test] - first) ** 2).sum(axis=1)
    return float((said == y[test]).mean())


def _cross_validated(n: int, apart: Sequence[float], rng: Generator) -> PValues:
    """Two learners that read features of their own."""
    y = np.arange(n) % 2
    both = [rng.normal(size=(n, 5)) + shift * y[:, None] for shift in apart]

    def halves() -> np.ndarray:
        order = np.concatenate([rng.permutation(np.flatnonzero(y == code)) for code in (0, 1)])
        return order[np.lexsort((np.arange(n), np.arange(n) % 2))]

    scores = np.empty((2, 5, 2))
    for i in range(5):
        order = halves()
        folds = order[: n // 2], order[n // 2 :]
        for j, (train, test) in enumerate((folds, folds[::-1])):
            scores[:, i, j] = [_centroids(X, y, train, test) for X in both]
    differences = []
    for _ in range(3):
        order = rng.permutation(n)
        for test in np.array_split(order, 10):
            train = np.setdiff1d(order, test)
            one, other = (_centroids(X, y, train, test) for X in both)
            differences.append(one - other)
    f, t = five_by_two_f_test(*scores), five_by_two_t_test(*scores)
    naive = compare_losses(differences, np.zeros(len(differences))).test.p_value
    return [
        f.p_value,
        with_note(f),
        t.p_value,
        with_note(t),
        corrected_t_test(differences, test_share=0.1).p_value,
        naive,
    ]


def _cross_validation_cases() -> Iterator[Case]:
    for n, apart in itertools.product((20, 40, 80, 200), (0.4, 1.0)):
        yield Case(f"n = {n}, {apart:g} apart", partial(_cross_validated, n, (apart, apart)))
    for n, apart in ((40, (1.2, 0.4)), (200, (1.0, 0.5))):
        name = f"n = {n}, {apart[0]:g} and {apart[1]:g} apart"
        yield Case(name, partial(_cross_validated, n, apart), power=True)


# One law, or chance


def _values(kind: str, n: int, rng: Generator) -> np.ndarray:
    if kind.startswith("two normal"):
        return rng.normal(size=n) + 3.5 * (rng.random(n) < 0.5)
    draws = {
        "uniform": lambda: rng.random(n),
        "normal": lambda: rng.normal(size=n),
        "exponential": lambda: rng.exponential(size=n),
        "Student's t, 2 degrees of freedom": lambda: rng.standard_t(2, size=n),
        "uniform, rounded to tenths": lambda: np.round(rng.random(n), 1),
        "uniform, rounded to hundredths": lambda: np.round(rng.random(n), 2),
        "normal, rounded to halves": lambda: np.round(2 * rng.normal(size=n)) / 2,
    }
    return draws[kind]()


def _dips(kind: str, n: int, rng: Generator) -> PValues:
    return [dip_test(_values(kind, n, rng)).p_value]


def _dip_cases() -> Iterator[Case]:
    kinds = (
        "uniform",
        "normal",
        "exponential",
        "Student's t, 2 degrees of freedom",
        "uniform, rounded to tenths",
        "uniform, rounded to hundredths",
        "normal, rounded to halves",
    )
    for kind, n in itertools.product(kinds, (10, 66, 800)):
        yield Case(f"n = {n}, {kind}", partial(_dips, kind, n))
    yield Case("n = 66, two normal 3.5 apart", partial(_dips, "two normal", 66), power=True)


CHANCE = ("adjusted_rand", "nmi", "jaccard")


def _by_chance(k: int, kind: str, n: int, common: float, rng: Generator) -> PValues:
    truth, said = (rng.choice(k, n, p=sizes_of(k, kind)) for _ in range(2))
    same = rng.random(n) < common
    said[same] = truth[same]
    ours = [
        null_distribution(
            index, truth, said, n_tables=499, random_state=rng, n_jobs=1, progress=False
        ).p_value()
        for index in CHANCE
    ]
    table = np.zeros((k, k))
    np.add.at(table, (truth, said), 1)
    table = table[table.any(axis=1)][:, table.any(axis=0)]
    theirs = chi2_contingency(table, correction=False).pvalue if min(table.shape) > 1 else 1.0
    return [*ours, theirs]


def _chance_cases() -> Iterator[Case]:
    for k, kind, n in (
        (2, "equal", 12),
        (2, "geometric", 40),
        (4, "geometric", 30),
        (10, "equal", 60),
        (20, "geometric", 200),
        (60, "equal", 200),
    ):
        yield Case(f"n = {n}, K = {k}, {kind} sizes", partial(_by_chance, k, kind, n, 0.0))
    for k, n, common in ((2, 40, 0.35), (10, 60, 0.3)):
        yield Case(
            f"n = {n}, K = {k}, {common:.0%} in common",
            partial(_by_chance, k, "equal", n, common),
            power=True,
        )


CORRECTIONS = ("holm", "bonferroni", "holm-sidak", "hochberg", "hommel", "finner", "li")
# statsmodels takes 64 ms for Holm's.
OF_STATSMODELS = ("simes-hochberg", "fdr_bh")


def _family(m: int, kind: str, false: int, rng: Generator) -> PValues:
    """Smallest adjusted p-value of a true hypothesis."""
    return [own[false:].min() if own.size > false else 1.0 for own in _adjusted(m, kind, false, rng)]


def _discoveries(m: int, kind: str, false: int, rng: Generator) -> PValues:
    """Share of true hypotheses among those that are rejected."""
    found = [own <= LEVEL for own in _adjusted(m, kind, false, rng)]
    return [float(own[false:].sum() / max(1, own.sum())) for own in found]


def _found(m: int, kind: str, false: int, rng: Generator) -> PValues:
    """Share of the false hypotheses that are rejected."""
    return [float((own[:false] <= LEVEL).mean()) for own in _adjusted(m, kind, false, rng)]


def _adjusted(m: int, kind: str, false: int, rng: Generator) -> list[np.ndarray]:
    from scipy.special import ndtr

    z = rng.normal(size=m)
    if kind == "alike":
        z = math.sqrt(0.7) * rng.normal() + math.sqrt(0.3) * z
    elif kind == "opposed":
        z[1::2] = -z[: m // 2 * 2 : 2][: z[1::2].size]
    z[:false] += 3.5
    p = 2 * ndtr(-np.abs(z))
    found = [adjust_p_values(p, correction) for correction in CORRECTIONS]
    found += [multipletests(p, method=method)[1].tolist() for method in OF_STATSMODELS]
    return [np.array(own) for own in found]


def _named_families() -> Iterator[tuple[str, tuple[int, str, int]]]:
    for m, kind in itertools.product((4, 20, 60), ("independent", "alike", "opposed")):
        for false in dict.fromkeys((0, 2, m // 2)):
            yield f"{m} hypotheses, {kind}" + (f", {false} of them false" if false else ""), (m, kind, false)


def _family_cases() -> Iterator[Case]:
    for name, law in _named_families():
        yield Case(name, partial(_family, *law))
    for name, law in _named_families():
        if law[2]:
            yield Case(f"{name}, share found", partial(_found, *law), power=True, rates=True)


def _discovery_cases() -> Iterator[Case]:
    for name, law in _named_families():
        if law[2]:
            yield Case(name, partial(_discoveries, *law), rates=True)


STUDIES = {
    "mcnemar": Study(
        "`mcnemar_test`",
        ("mid-p (default)", "exact", "asymptotic", "corrected", "statsmodels, exact"),
        4,
        _mcnemar,
        "Sums over all counts, weighted by their probabilities.",
    ),
    "two": Study(
        "`equal_goodness_test`, two clusters by two, laws drawn afterwards",
        ("score (default)", "score, with its note", "the larger of two sign tests"),
        2,
        _two_by_two,
        "Sums over all tables, weighted by their probabilities, under 100 laws each that were drawn when the test had "
        "been made. `any table`: four shares from a Dirichlet distribution. Models that are never both wrong, or never "
        "both right, are opposed to each other.",
    ),
    "goodness": Study(
        "`equal_goodness_test`, other laws",
        tuple("rand (score, default)" if name == "rand" else f"{name} (jackknife)" for name in INDICES),
        len(INDICES),
        _goodness_cases,
        "",
        3,
    ),
    "cochran": Study(
        "`cochran_q_test`",
        ("Cochran's Q", "Iman and Davenport's F of the same", "statsmodels", "exchanges within instances"),
        1,
        _cochran_cases,
        "",
        2,
    ),
    "friedman": Study("`friedman_test`", ("Friedman", "Iman-Davenport", "SciPy"), 2, _friedman_cases, ""),
    "pairs": Study(
        "`pairwise_tests`, any false claim",
        (*(f"{test}, {correction}" for test, correction in PAIRS), "SciPy's wilcoxon, Holm"),
        4,
        _pairs_cases,
        "`correlated`: half of the models are near copies of each other, the others are not.",
    ),
    "areas": Study(
        "`compare_areas`: two areas under the ROC curve",
        ("DeLong", "DeLong, with its note", "exchanged ranks (Venkatraman)"),
        2,
        _areas_cases,
        "",
        4,
    ),
    "losses": Study(
        "`compare_losses`",
        ("paired t (default)", "paired t, with its note", "sign flips", "SciPy's wilcoxon"),
        3,
        _losses_cases,
        "Sign flips and Wilcoxon's test assume symmetric differences; those of uneven models are not.",
        2,
    ),
    "labels": Study(
        "Differences of scores of two classifiers' labels",
        (*DIFFERENCES, *(f"{name}, with its note" for name in DIFFERENCES), "McNemar, of the accuracy"),
        2 * len(DIFFERENCES),
        _labels_cases,
        "",
        4,
    ),
    "precision": Study(
        "Differences of average precision",
        ("average_precision", "exchanged ranks"),
        1,
        _precision_cases,
        "",
        8,
    ),
    "mover": Study(
        "Groups of instances: other scores (MOVER)",
        (*MOVER, "exchanged instances, macro_f1"),
        3,
        _mover_cases,
        "A difference without a p-value does not reject. There is none if a class occurs in only one of the groups.",
        4,
    ),
    "groups": Study(
        "Groups of instances: accuracy",
        ("ours", "Fisher", "Fisher, mid-p"),
        1,
        _groups_cases,
        "Sums over all tables, weighted by their probabilities.",
    ),
    "folds": Study(
        "Cross-validation of two learners",
        (
            "5x2cv F",
            "5x2cv F, with its note",
            "5x2cv t",
            "5x2cv t, with its note",
            "corrected t, 3 x 10 folds",
            "t without correction",
        ),
        5,
        _cross_validation_cases,
        "",
        2,
    ),
    "dip": Study("`dip_test`", ("dip",), 1, _dip_cases, ""),
    "chance": Study(
        "p-values by chance: `null_distribution`, `evaluate(adjust=True)`",
        (*CHANCE, "SciPy's chi2_contingency"),
        len(CHANCE),
        _chance_cases,
        "",
        2,
    ),
    "families": Study(
        "`adjust_p_values`, any false claim",
        (*CORRECTIONS, *(f"statsmodels, {method}" for method in OF_STATSMODELS)),
        len(CORRECTIONS),
        _family_cases,
        "Power is the share of the false hypotheses that are rejected, whether or not a correction keeps its level.",
    ),
    "discoveries": Study(
        "`adjust_p_values`, true hypotheses among those that are rejected",
        (*CORRECTIONS, *(f"statsmodels, {method}" for method in OF_STATSMODELS)),
        len(CORRECTIONS),
        _discovery_cases,
        "The false discovery rate, which statsmodels' `fdr_bh` (Benjamini and Hochberg) limits.",
    ),
}
