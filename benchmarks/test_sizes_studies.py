"""The tests of adjudge, the laws under which benchmarks/test_sizes.py asks them, and their peers in other libraries.

A case is a law with a number of instances. It says what p-values one sample gives, or, where samples can be counted,
with what probability each test rejects.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from scipy.stats import binom, chi2_contingency, friedmanchisquare, hypergeom, wilcoxon
from statsmodels.stats.contingency_tables import cochrans_q, mcnemar
from statsmodels.stats.multitest import multipletests

from adjudge.given.labels import Labels
from adjudge.given.score_table import ScoreTable
from adjudge.indices.catalog import find_index
from adjudge.inference.adjustments import adjust_p_values
from adjudge.inference.auc import compare_areas, placements
from adjudge.inference.chance import null_distribution
from adjudge.inference.cross_validation import five_by_two_f_test, five_by_two_t_test
from adjudge.inference.dip import dip_test
from adjudge.inference.groups import compare_shares
from adjudge.inference.paired_differences import PairedLabels, differences_of_forecasts, differences_of_labels
from adjudge.inference.paired_losses import compare_losses
from adjudge.inference.posterior import corrected_t_test
from adjudge.inference.rank_comparison import pairwise_tests
from adjudge.inference.ranks import friedman, iman_davenport
from adjudge.inference.significance import cochran_q_test, equal_goodness_of, mcnemar_test
from adjudge.statistics.agreement import Agreement
from adjudge.statistics.forecasts import DecisionForecasts, ProbabilityForecasts
from adjudge.statistics.rankings import Rankings
from coverage_study import merged, sample_of, sizes_of, split, spread
from coverage_two import enumerated

__all__ = ["LEVEL", "STUDIES", "Case", "Study"]

LEVEL = 0.05
Generator = np.random.Generator
PValues = Sequence[float]


@dataclass(frozen=True)
class Case:
    """A law with a number of instances; `power` says that its hypothesis is false."""

    name: str
    draw: Callable[[Generator], PValues] | None = None
    exact: Callable[[], PValues] | None = None
    power: bool = False


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


def _of_fresh_laws(n: int, kind: str, quantile: float) -> PValues:
    rng = np.random.default_rng([20261123, n])
    sizes = [enumerated(n, _unlike_models(rng, kind)) for _ in range(100)]
    return [float(np.quantile(sizes, quantile))]


def _two_by_two() -> Iterator[Case]:
    kinds = ("models with errors in common", "any table")
    names = {0.5: "median", 0.95: "95th percentile", 1.0: "largest"}
    for n, kind, quantile in itertools.product((12, 18, 28), kinds, names):
        law = partial(_of_fresh_laws, n, kind, quantile)
        yield Case(f"n = {n}, {kind}, {names[quantile]} of 100 laws", exact=law)


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


def _pairs(kind: str, n: int, k: int, shift: float, rng: Generator) -> PValues:
    scores = _scores(kind, n, k, rng)
    scores[:, 0] += shift
    table = ScoreTable.of(range(n), range(k), scores, "higher")
    tests = [pairwise_tests(table, test=test, correction=correction) for test, correction in PAIRS]
    columns = list(itertools.combinations(range(k), 2))
    theirs = [
        wilcoxon(scores[:, i], scores[:, j]).pvalue if (scores[:, i] != scores[:, j]).any() else 1.0
        for i, j in columns
    ]
    smallest = [min(test.adjusted.values()) for test in tests]
    return [*smallest, min(adjust_p_values(theirs, "holm"))]


def _pairs_cases() -> Iterator[Case]:
    for kind, (n, k) in itertools.product(
        ("three values", "mostly equal", "Cauchy"), ((8, 4), (25, 4), (25, 9))
    ):
        yield Case(f"{n} data sets, {k} models, {kind}", partial(_pairs, kind, n, k, 0.0))
    yield Case(
        "25 data sets, 5 models, Cauchy, one 3 better", partial(_pairs, "Cauchy", 25, 5, 3.0), power=True
    )


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
    return [compare_areas(*placed).test.p_value, _exchanged(codes, scores, rng)]


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
    if kind == "uneven: one steady, one exponential":
        return np.stack([np.ones(n), rng.exponential(size=n)])
    return np.stack([np.full(n, 0.2), np.where(rng.random(n) < 0.02, 10.0, 0.0)])


def _losses(kind: str, n: int, better: float, rng: Generator) -> PValues:
    one, other = _loss_pair(kind, n, rng)
    other = other * better
    ours = [
        compare_losses(one, other, method=method, n_draws=999, random_state=rng).test.p_value
        for method in ("t", "sign-flip")
    ]
    theirs = wilcoxon(one, other).pvalue if (one != other).any() else 1.0
    return [*ours, theirs]


def _losses_cases() -> Iterator[Case]:
    kinds = (
        "zero or one",
        "rarely very large",
        "Student's t, 2 degrees of freedom",
        "uneven: one steady, one exponential",
        "uneven: one steady, one rarely far off",
    )
    for kind, n in itertools.product(kinds, (10, 40, 300)):
        yield Case(f"n = {n}, {kind}", partial(_losses, kind, n, 1.0))
    yield Case(
        "n = 100, rarely very large, one a third",
        partial(_losses, "rarely very large", 100, 1 / 3),
        power=True,
    )


DIFFERENCES = ("macro_f1", "balanced_accuracy", "matthews_correlation", "cohen_kappa")


def _labels(shares: np.ndarray, said: np.ndarray, n: int, rng: Generator) -> PValues:
    k = shares.size
    truth = rng.choice(k, n, p=shares)
    cumulative = said.cumsum(axis=1)
    both = [(rng.random((n, 1)) > cumulative[truth]).sum(axis=1).clip(max=k - 1) for _ in range(2)]
    named = [Labels(codes.astype(np.int64), 0, k, list(range(k))) for codes in (truth, *both)]
    found = differences_of_labels(
        [find_index(name, "classification") for name in DIFFERENCES],
        PairedLabels(*named, None, list(range(k)), 1 if k == 2 else None),
        Agreement.from_outcomes(*(codes == truth for codes in both)),
        0.95,
    )
    return [math.nan if (test := found[name].test) is None else test.p_value for name in DIFFERENCES]


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
        yield Case(f"n = {n}, {name}", partial(_labels, shares, said, n))


def _resampled(n: int, share: float, kind: str, rng: Generator) -> PValues:
    codes = (rng.random(n) < share).astype(np.int64)
    codes[:2] = 0, 1
    scores = _pair_of_scores(kind, codes, (1.5, 1.5), rng)
    made = [
        ProbabilityForecasts([0, 1], codes, 1 / (1 + np.exp(-np.clip(own, -20, 20))), None, 1)
        for own in scores
    ]
    found = differences_of_forecasts([find_index("average_precision", "classification")], *made, 0.95)
    test = found["average_precision"].test
    return [math.nan if test is None else test.p_value]


def _resampled_cases() -> Iterator[Case]:
    for n, share, kind in (
        (60, 0.5, "few values"),
        (60, 0.15, "normal"),
        (200, 0.05, "skewed"),
        (300, 0.3, "heavy tails"),
    ):
        yield Case(f"n = {n}, {share:.0%} positive, {kind}", partial(_resampled, n, share, kind))


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
    t = five_by_two_t_test(*scores).p_value
    naive = compare_losses(differences, np.zeros(len(differences))).test.p_value
    return [
        five_by_two_f_test(*scores).p_value,
        t,
        corrected_t_test(differences, test_share=0.1).p_value,
        naive,
    ]


def _cross_validation_cases() -> Iterator[Case]:
    for n, apart in itertools.product((40, 200), (0.4, 1.0)):
        yield Case(f"n = {n}, {apart:g} apart", partial(_cross_validated, n, (apart, apart)))
    yield Case("n = 200, 1 and 0.5 apart", partial(_cross_validated, 200, (1.0, 0.5)), power=True)


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
OF_STATSMODELS = ("simes-hochberg",)


def _family(m: int, kind: str, false: int, rng: Generator) -> PValues:
    """Smallest adjusted p-value of a true hypothesis; with power, the largest of the false ones."""
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
    return [min(own[false:]) for own in found]


def _family_cases() -> Iterator[Case]:
    for m, kind, false in itertools.product((4, 20), ("independent", "alike", "opposed"), (0, 2)):
        name = f"{m} hypotheses, {kind}" + (f", {false} of them false" if false else "")
        yield Case(name, partial(_family, m, kind, false))


STUDIES = {
    "mcnemar": Study(
        "`mcnemar_test`",
        ("mid-p (default)", "exact", "asymptotic", "corrected", "statsmodels, exact"),
        4,
        _mcnemar,
        "All counts, by their probabilities.",
    ),
    "two": Study(
        "`equal_goodness_test`, two clusters by two, laws drawn afterwards",
        ("score (default)",),
        1,
        _two_by_two,
        "All tables, by their probabilities, of 100 laws each that were drawn when the test was made. `any table`: "
        "four shares from a Dirichlet distribution. With models that are never both wrong, or never both right, the "
        "test rejects up to 0.08: such models are opposed to each other on purpose.",
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
        "",
        8,
    ),
    "areas": Study(
        "`compare_areas`: two areas under the ROC curve",
        ("DeLong", "exchanged ranks (Venkatraman)"),
        1,
        _areas_cases,
        "",
        2,
    ),
    "losses": Study(
        "`compare_losses`", ("paired t (default)", "sign flips", "SciPy's wilcoxon"), 2, _losses_cases, "", 3
    ),
    "labels": Study(
        "Differences of scores of two classifiers' labels",
        DIFFERENCES,
        len(DIFFERENCES),
        _labels_cases,
        "",
        4,
    ),
    "resampled": Study("Differences by resampling", ("average_precision",), 1, _resampled_cases, "", 5),
    "groups": Study(
        "Groups of instances: accuracy",
        ("ours", "Fisher", "Fisher, mid-p"),
        1,
        _groups_cases,
        "All tables, by their probabilities.",
    ),
    "folds": Study(
        "Cross-validation of two learners",
        ("5x2cv F", "5x2cv t", "corrected t, 3 x 10 folds", "t without correction"),
        3,
        _cross_validation_cases,
        "",
        4,
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
        "",
        2,
    ),
}
