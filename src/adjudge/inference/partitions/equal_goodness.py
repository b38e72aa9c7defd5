"""Tests whether two clusterings of the same instances are equally good: a score test, the jackknife or a bootstrap."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, Option
from adjudge.given.alignment import align_labels
from adjudge.given.label_options import LabelKeywords, LabelOptions
from adjudge.given.options import check_choice, check_count, check_random_state, random_generator
from adjudge.indices.catalog import find_index
from adjudge.indices.record import Index
from adjudge.inference.common.few_disagreements import (
    ENOUGH_DISAGREEMENTS,
    mid_p_of_signs,
    n_disagreements,
    raised_to_signs,
)
from adjudge.inference.common.samples import Sample, three_way
from adjudge.inference.common.test_results import TestResult, note_of_few
from adjudge.inference.drawn import Drawn
from adjudge.inference.partitions.intervals import equality_score
from adjudge.inference.partitions.pair_influence import FEWEST_A_CLUSTER, of_two_instances_in_a_difference
from adjudge.presentation.numbers import count
from adjudge.statistics.pair_counts import PairCounts

__all__ = ["equal_goodness_of", "equal_goodness_test"]

Float64s = NDArray[np.float64]
PairSumsOfCell = tuple[int, ...]

GOODNESS_METHODS = ("jackknife", "bootstrap")
# Instances of two clusters up to which sign tests are asked beside the score test.
_FEW_OF_TWO_CLUSTERS = 50
_SAME_GOODNESS = "the expected {} of both clusterings is the same"


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


def equal_goodness_of(sample: Sample, record: Index, drawn: Drawn | None = None) -> TestResult:
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
        p_value,
        lambda: max(mid_p_of_signs(a, d), mid_p_of_signs(b, c)),
        "by sign tests",
        "there are few instances",
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
