"""Tests of the hypothesis that models are equally good.

Two classifiers: McNemar. Several: Cochran's Q. Two clusterings of the same instances: a score test, the jackknife or a
bootstrap. Models over several data sets: :mod:`adjudge.inference.ranks`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from adjudge.errors import InputError, InputTypeError, Option
from adjudge.given.alignment import align_labels
from adjudge.given.label_options import LabelKeywords, LabelOptions
from adjudge.given.options import check_choice, check_count, check_random_state, random_generator
from adjudge.indices.catalog import find_index
from adjudge.indices.record import Index
from adjudge.inference.few_disagreements import ENOUGH_DISAGREEMENTS, n_disagreements, raised_to_signs
from adjudge.inference.interval_methods import Interval
from adjudge.inference.intervals import equality_score
from adjudge.inference.pair_influence import FEWEST_A_CLUSTER, of_two_instances_in_a_difference
from adjudge.inference.proportions import normal_quantile
from adjudge.inference.samples import Sample, three_way
from adjudge.presentation import notebook
from adjudge.presentation.numbers import bounded, count, p_text
from adjudge.presentation.tables import Table
from adjudge.statistics.agreement import Agreement
from adjudge.statistics.pair_counts import PairCounts

__all__ = [
    "Difference",
    "TestResult",
    "cochran_q_test",
    "equal_goodness_of",
    "equal_goodness_test",
    "interval_test",
    "mcnemar_test",
    "note_of_few",
]

Float64s = NDArray[np.float64]
PairSumsOfCell = tuple[int, ...]

MCNEMAR_METHODS = ("exact", "mid-p", "asymptotic", "corrected")
GOODNESS_METHODS = ("jackknife", "bootstrap")
# Beyond it a float64 is not every whole number, and SciPy's binomial distribution reads floats.
_LARGEST_COUNT = 1 << 53
# Normal p-values up to the first are compared with those for few instances. These are noted from the second on, if the
# normal one is no more than the third part of them.
_OF_INTEREST, _OF_NOTE, _SMALLER = 0.1, 0.001, 0.8
# Instances of two clusters up to which sign tests are asked beside the score test.
_FEW_OF_TWO_CLUSTERS = 50
_SAME_GOODNESS = "the expected {} of both clusterings is the same"


@dataclass(frozen=True)
class TestResult:
    """Outcome of a test.

    Attributes
    ----------
    statistic : float
    p_value : float
        Two-sided.
    method : str
    hypothesis : str
        What is tested.
    reason : str or None
        Why the test cannot tell anything, or why its p-value is conservative, if so.
    p_floor : float
        Smallest p-value that this many draws can give; a p-value that is not above it is an upper bound. 0 if
        nothing is drawn.
    """

    # pytest would take the class for a test by its name.
    __test__ = False

    statistic: float
    p_value: float
    method: str
    hypothesis: str
    reason: str | None = None
    p_floor: float = 0.0

    def table(self) -> Table:
        """One row; a p-value at its floor is shown as an upper bound."""
        p = bounded(self.p_value, self.p_floor)
        columns = ("hypothesis", "method", "statistic", "p", "note")
        return Table(columns, ((self.hypothesis, self.method, self.statistic, p, self.reason or ""),))

    def _repr_html_(self) -> str:
        return notebook.fragment(notebook.table(self.table()))


@dataclass(frozen=True)
class Difference:
    """What is known of a difference of two scores: its interval, and the test that there is none.

    Attributes
    ----------
    interval : Interval
    test : TestResult or None
    """

    interval: Interval
    test: TestResult | None = None


def note_of_few(
    p_value: float, for_few: Callable[[], float], how: str, why: str = "z is not normal for so few instances"
) -> str | None:
    """Say what a test that keeps its level finds, if the usual p-value is much smaller.

    Parameters
    ----------
    p_value : float
        The usual one, such as by the normal distribution.
    for_few : callable
        Its p-value is asked for only if it may matter.
    how : str
        How it is made.
    why : str
        Why the usual one is too small.
    """
    if p_value > _OF_INTEREST:
        return None
    found = for_few()
    if found < _OF_NOTE or p_value > _SMALLER * found:
        return None
    return f"{why}: {p_text(found)} {how}"


def interval_test(value: float, interval: Interval, hypothesis: str) -> TestResult:
    """Test whether a value is 0 by its confidence interval: the p-value is that at which the interval would end there.

    The standard error is read off the side of the interval that faces 0, as if it were that of a normal distribution;
    so the p-value is below 1 - `confidence` if the interval leaves 0 out, and nowhere else.

    Parameters
    ----------
    value : float
    interval : Interval
    hypothesis : str

    References
    ----------
    Altman & Bland (2011), How to obtain the P value from a confidence interval.

    Examples
    --------
    >>> from adjudge.inference.interval_methods import Interval
    >>> from adjudge.inference.significance import interval_test
    >>> round(interval_test(0.1, Interval(0.0, 0.2, 0.95, "score"), "both are the same").p_value, 4)
    0.05
    """
    from scipy.special import ndtr

    side = value - interval.low if value > 0 else interval.high - value
    if not side > 0:
        return TestResult(math.nan, math.nan, "from the interval", hypothesis, "the interval has no width")
    z = value / side * normal_quantile(interval.confidence)
    return TestResult(z, 2 * float(ndtr(-abs(z))), "from the interval", hypothesis)


def mcnemar_test(
    agreement: Agreement | ArrayLike, alternative_right: ArrayLike | None = None, *, method: str = "mid-p"
) -> TestResult:
    """Test whether two classifiers are right equally often, on the instances where one of them is.

    Parameters
    ----------
    agreement : Agreement, or array-like of bool of shape (n,)
        Counts of instances; or where the primary classifier is right.
    alternative_right : array-like of bool of shape (n,), optional
        In the second case: where the alternative classifier is right.
    method : {"exact", "mid-p", "asymptotic", "corrected"}
        Binomial; binomial with half the weight on the observed count (Fagerland, Lydersen & Laake 2013), which is less
        conservative and still holds its level; chi-square; or chi-square with the continuity correction.

    Returns
    -------
    TestResult
        The statistic is the smaller count, or chi-square.

    Raises
    ------
    InputError
        For vectors of different lengths, or that do not say true or false.

    Examples
    --------
    >>> from adjudge import Agreement, mcnemar_test
    >>> round(mcnemar_test(Agreement(50, 12, 3, 5), method="exact").p_value, 6)
    0.035156
    >>> first_right, second_right = [True] * 6 + [False], [False] * 6 + [True]
    >>> mcnemar_test(first_right, second_right, method="exact").p_value
    0.125
    """
    from scipy.stats import binom, chi2

    check_choice("method", method, MCNEMAR_METHODS)
    agreement = _agreement(agreement, alternative_right)
    b, c = agreement.right_wrong, agreement.wrong_right
    hypothesis = "RW and WR are equally likely: both classifiers have the same accuracy"
    if b + c == 0:
        reason = "the models never disagree (RW + WR = 0)"
        return TestResult(0.0, 1.0, method, hypothesis, reason)
    if method in ("asymptotic", "corrected"):
        distance = max(0, abs(b - c) - (1 if method == "corrected" else 0))
        statistic = distance**2 / (b + c)
        return TestResult(statistic, float(chi2.sf(statistic, 1)), method, hypothesis)
    if b + c > _LARGEST_COUNT:
        raise InputError(
            "the models disagree on more than 2^53 instances: use ",
            Option("method", "asymptotic"),
            f", not {method!r}",
        )
    fewer = min(b, c)
    p_value = _mid_p(b, c) if method == "mid-p" else min(1.0, 2 * float(binom.cdf(fewer, b + c, 0.5)))
    return TestResult(float(fewer), p_value, method, hypothesis)


def _mid_p(b: int, c: int) -> float:
    """Two-sided p-value of the sign test, with half the weight on the observed counts."""
    from scipy.stats import binom

    fewer = min(b, c)
    # If both counts are the same, the exact p-value is cut at 1, and half of their probability is taken off that.
    seen = float(binom.pmf(fewer, b + c, 0.5)) * (0.5 if b == c else 1.0)
    return min(1.0, 2 * float(binom.cdf(fewer, b + c, 0.5))) - seen


def _agreement(given: Any, alternative_right: Any) -> Agreement:
    """Count, unless that was done before."""
    if not isinstance(given, Agreement):
        if alternative_right is None:
            raise InputTypeError(
                "alternative_right is missing: give an Agreement, or where each of the two models is right"
            )
        return Agreement.from_outcomes(given, alternative_right)
    if alternative_right is not None:
        raise InputTypeError("an Agreement has the counts of both models: leave alternative_right out")
    return given


def cochran_q_test(right: Any) -> TestResult:
    """Test whether several classifiers have the same accuracy on the same instances.

    Parameters
    ----------
    right : array-like of bool of shape (n_instances, n_models)
        Where each model is right.

    Returns
    -------
    TestResult
        Cochran's Q and its chi-square p-value.

    Examples
    --------
    >>> from adjudge.inference.significance import cochran_q_test
    >>> result = cochran_q_test([[1, 1, 0], [1, 0, 0], [1, 1, 1], [1, 1, 0], [0, 1, 0], [1, 1, 0]])
    >>> round(result.statistic, 6), round(result.p_value, 6)
    (6.4, 0.040762)
    """
    from scipy.stats import chi2

    try:
        values = np.asarray(right)
    except ValueError:
        raise InputError("right is ragged: give a matrix of booleans with one column per model") from None
    if (
        values.ndim != 2
        or values.shape[1] < 2
        or values.dtype.kind not in "biuf"
        or not np.isin(values, (0, 1)).all()
    ):
        raise InputError(
            f"right has shape {values.shape}: give a matrix of booleans with one column per model, "
            "for two or more models"
        )
    hits = values.astype(np.int64)
    models = hits.shape[1]
    by_model, by_instance = hits.sum(axis=0), hits.sum(axis=1)
    total = int(hits.sum())
    numerator = (models - 1) * (models * int((by_model**2).sum()) - total**2)
    denominator = models * total - int((by_instance**2).sum())
    hypothesis = "all models have the same accuracy"
    if denominator == 0:
        return TestResult(0.0, 1.0, "cochran-q", hypothesis, "all models are right on the same instances")
    statistic = numerator / denominator
    return TestResult(statistic, float(chi2.sf(statistic, models - 1)), "cochran-q", hypothesis)


def equal_goodness_test(
    labels_true: Any,
    primary: Any,
    alternative: Any,
    *,
    index: str | Index = "rand",
    method: str = "jackknife",
    n_resamples: int = 9999,
    random_state: Any = None,
    **options: Unpack[LabelKeywords],
) -> TestResult:
    """Test whether two clusterings of the same instances are equally good.

    Parameters
    ----------
    labels_true, primary, alternative : array-like of shape (n,)
    index : str or Index
        What is good: an external index that counts pairs. With "rand", whether RW and WR of the Prayatul matrix are
        equal in expectation.
    method : {"jackknife", "bootstrap"}
        Whether the difference of the index is 0 in the population that the instances are a sample of, by Student's
        t with the jackknife's standard error, or by the bootstrap of the instances, centred. Of "rand" the jackknife
        gives the score test instead that the interval of comparative deviation contains: it finds a difference
        if that interval leaves 0 out.
    n_resamples : int
    random_state : int, Generator, SeedSequence or None
    **options
        `missing`, `noise` and `noise_label`, as for :func:`adjudge.compare`.

    Returns
    -------
    TestResult
        The statistic is the difference of the index, primary less alternative. If the models differ on fewer than 20
        instances, with their clusters matched, the jackknife and the bootstrap find a difference too often: their
        p-values are raised to those of an exact sign test of as many instances, and `reason` says so. The score test
        needs no such thing, but for two clusters and models that are hardly ever both wrong, or both right: it then
        rejects up to 8 % at 5 %. Of up to 50 instances `reason` has the p-value by sign tests where it matters.

    Examples
    --------
    >>> from adjudge import equal_goodness_test
    >>> truth = [0] * 20 + [1] * 20
    >>> good, bad = [0] * 19 + [1] * 21, [0, 1] * 20
    >>> result = equal_goodness_test(truth, good, bad)
    >>> round(result.statistic, 3), result.p_value < 0.001
    (0.463, True)
    """
    if method == "permutation":
        raise InputError(
            Option("method", "permutation"),
            " is not valid for clusterings, whose labels have no common names to swap: "
            "use 'jackknife' or 'bootstrap'",
        )
    check_choice("method", method, GOODNESS_METHODS)
    record = index if isinstance(index, Index) else find_index(index, "external")
    check_count("n_resamples", n_resamples)
    check_random_state(random_state)
    if record.requires != (PairCounts,):
        raise InputError(
            Option("index", record.name),
            " does not count pairs of instances: choose one that does, such as 'rand'",
        )
    vectors = {"labels_true": labels_true, "primary": primary, "alternative": alternative}
    g, p, q = align_labels(vectors, LabelOptions(**options)).labels
    sample = three_way(g, p, q)
    if method == "jackknife":
        return equal_goodness_of(sample, record)
    observed = _difference(record, sample.n, sample.pair_sums)
    hypothesis = _SAME_GOODNESS.format(record.name)
    if math.isnan(observed):
        return TestResult(observed, math.nan, method, hypothesis, "the difference is undefined")
    draws = np.array(
        [
            _difference(record, sample.n, sums)
            for counts in sample.resamples(n_resamples, random_generator(random_state))
            for sums in sample.resampled_sums(counts)
        ]
    )
    return _with_few_disagreements(_by_draws(observed, draws - observed, method, hypothesis), sample)


def equal_goodness_of(sample: Sample, record: Index) -> TestResult:
    """Do what :func:`equal_goodness_test` does by default, for the counted cells of the three partitions."""
    observed = _difference(record, sample.n, sample.pair_sums)
    hypothesis = _SAME_GOODNESS.format(record.name)
    if math.isnan(observed):
        return TestResult(observed, math.nan, "score", hypothesis, "the difference is undefined")
    if record.name != "rand":
        return _by_jackknife(record, sample, observed, hypothesis)
    if sample.n < 3:
        return TestResult(observed, math.nan, "score", hypothesis, "there are fewer than 3 instances")
    score = equality_score(sample)
    if score is None:
        return TestResult(observed, 1.0, "score", hypothesis, "the models never disagree (RW + WR = 0)")
    p_value = score.p_value(0.0)
    return TestResult(observed, p_value, "score", hypothesis, _note_of_opposed(p_value, sample))


def _note_of_opposed(p_value: float, sample: Sample) -> str | None:
    """Say what sign tests find of two clusters by two and few instances.

    Two models are equally good if they are right equally often, or if both are as often right as wrong: their
    difference is the product of (RW - WR) and (BR - BW). So both sign tests must reject.
    """
    if sample.n > _FEW_OF_TWO_CLUSTERS or max(size for _, size in sample.groupings[:3]) > 2:
        return None
    g, p, q = (codes for codes, _ in sample.groupings[:3])
    counts = np.bincount(2 * (g != p) + (g != q), sample.counts, 4)
    a, b, c, d = counts.astype(np.int64).tolist()
    return note_of_few(
        p_value, lambda: max(_mid_p(a, d), _mid_p(b, c)), "by sign tests", "there are few instances"
    )


def _difference(record: Index, n: int, sums: PairSumsOfCell) -> float:
    """Index of P less that of Q; `sums` are the pairs joined in g, p, q, gp, gq and pq."""
    g, p, q, gp, gq, _ = sums
    total = n * (n - 1) // 2
    of_p, of_q = (
        record.assess(PairCounts.from_joined(both, g, mine, total))[0] for both, mine in ((gp, p), (gq, q))
    )
    return of_p - of_q


def _by_draws(observed: float, draws: Float64s, method: str, hypothesis: str) -> TestResult:
    """Two-sided p-value; the observed difference counts as one of the draws."""
    if np.isnan(draws).any():
        return TestResult(
            observed, math.nan, method, hypothesis, "the difference is undefined for some resamples"
        )
    # Equal differences may differ by rounding.
    extreme = int((np.abs(draws) >= abs(observed) - 1e-12).sum())
    n = draws.size + 1
    return TestResult(observed, (extreme + 1) / n, method, hypothesis, p_floor=1 / n)


def _by_jackknife(record: Index, sample: Sample, observed: float, hypothesis: str) -> TestResult:
    from scipy.stats import t

    if sample.n < 3:
        return TestResult(observed, math.nan, "jackknife", hypothesis, "there are fewer than 3 instances")
    values = np.array([_difference(record, sample.n - 1, sums) for sums in sample.without_one()])
    error = sample.jackknife_error(values)
    if math.isnan(error):
        reason = "the difference is undefined without one of the instances"
        return TestResult(observed, math.nan, "jackknife", hypothesis, reason)
    if error == 0:
        reason = "no instance changes the difference"
        return TestResult(observed, 1.0 if observed == 0 else math.nan, "jackknife", hypothesis, reason)
    n_clusters = max(size for _, size in sample.groupings[:3])
    if sample.n >= FEWEST_A_CLUSTER * n_clusters:
        # The jackknife counts twice what two instances have in common (Efron & Stein 1981).
        of_two = of_two_instances_in_a_difference(sample, lambda pairs: record.assess(pairs)[0])
        error = math.sqrt(max(error**2 - of_two, of_two)) if math.isfinite(of_two) else error
    p_value = 2 * float(t.sf(abs(observed) / error, sample.n - 1))
    return _with_few_disagreements(TestResult(observed, p_value, "jackknife", hypothesis), sample)


def _with_few_disagreements(found: TestResult, sample: Sample) -> TestResult:
    """Raise the p-value if the models differ on too few instances for it."""
    if math.isnan(found.p_value):
        return found
    differ = n_disagreements(sample)
    if differ >= ENOUGH_DISAGREEMENTS:
        return found
    p_value, p_floor = (raised_to_signs(p, differ) for p in (found.p_value, found.p_floor))
    if p_value == found.p_value:
        return found
    reason = (
        f"the models differ on only {count(differ, 'instance')}: the p-value is raised to that of an exact sign test "
        "of as many; index='rand' with method='jackknife' is a score test, which is less conservative"
    )
    return replace(found, p_value=p_value, reason=reason, p_floor=p_floor if found.p_floor > 0 else 0.0)
