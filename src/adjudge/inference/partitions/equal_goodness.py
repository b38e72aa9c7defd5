"""Tests of whether two clusterings of the same instances are equally good: score test, jackknife or bootstrap."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from adjudge.errors import InputError, Option
from adjudge.given.alignment import align_labels
from adjudge.given.label_options import LabelKeywords, LabelOptions
from adjudge.given.options import check_choice, check_count, check_random_state, random_generator
from adjudge.indices.catalog import find_index
from adjudge.indices.record import Index
from adjudge.inference.arrays import Floats
from adjudge.inference.common.samples import Sample, three_way
from adjudge.inference.common.significance import TestResult
from adjudge.inference.influence import Influence
from adjudge.inference.interval import Wanted, p_value_of, why_few_units
from adjudge.inference.linear import scored
from adjudge.inference.partitions.intervals import deviation_of
from adjudge.inference.partitions.pair_sums import PairSums
from adjudge.inference.refusals import WITHOUT_ONE
from adjudge.inference.sampling_design import Drawn
from adjudge.statistics.pair_counts import PairCounts

__all__ = ["equal_goodness_of", "equal_goodness_test"]

PairSumsOfCell = tuple[int, ...]

GOODNESS_METHODS = ("jackknife", "bootstrap")
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
        The measure of goodness: an external index that counts pairs. "rand" tests whether RW and WR of the Prayatul
        matrix are equal in expectation.
    method : {"jackknife", "bootstrap"}
        Test that the difference of the index is 0 in the population from which the instances are sampled: by Student's
        t with the jackknife's standard error, and the degrees of freedom of the instances on which the models differ;
        or by the centred bootstrap of the instances. For "rand", the jackknife is the score test that corresponds to
        the interval of comparative deviation: it finds a difference if that interval excludes 0.
    n_resamples : int
    random_state : int, Generator, SeedSequence or None
    **options
        `missing`, `noise` and `noise_label`, as for :func:`~adjudge.compare`.

    Returns
    -------
    TestResult
        The statistic is the difference of the index, primary minus alternative.

    Examples
    --------
    >>> from adjudge.inference import equal_goodness_test
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
    return _by_draws(observed, draws - observed, method, hypothesis)


def equal_goodness_of(sample: Sample, record: Index, drawn: Drawn | None = None) -> TestResult:
    """Test equal goodness as :func:`~adjudge.inference.equal_goodness_test` does, for counted cells.

    The cells are those of the three partitions, and so are the entries of `drawn`.
    """
    observed = _difference(record, sample.n, sample.pair_sums)
    hypothesis = _SAME_GOODNESS.format(record.name)
    if math.isnan(observed):
        return TestResult(observed, math.nan, "score", hypothesis, "the difference is undefined")
    method = "score" if record.name == "rand" else "jackknife"
    if sample.n < 3:
        return TestResult(observed, math.nan, method, hypothesis, "there are fewer than 3 instances")
    if (reason := why_few_units(drawn)) is not None:
        return TestResult(observed, math.nan, method, hypothesis, reason)
    if record.name == "rand":
        deviation = deviation_of(sample, drawn)
        if deviation is None:
            return TestResult(observed, 1.0, method, hypothesis, "the models never disagree (RW + WR = 0)")
        return TestResult(observed, p_value_of(deviation), method, hypothesis)
    influence = _of_difference(sample, record, observed)
    if influence is None or not influence.known:
        return TestResult(observed, math.nan, method, hypothesis, WITHOUT_ONE)
    if not influence.psi.any():
        p_value, reason = (1.0 if observed == 0 else math.nan), "no instance changes the difference"
        return TestResult(observed, p_value, method, hypothesis, reason)
    return TestResult(
        observed, p_value_of(Wanted(influence, (-math.inf, math.inf), drawn)), method, hypothesis
    )


def _of_difference(sample: Sample, record: Index, observed: float) -> Influence | None:
    """Return the influence of each cell on the index of P minus that of Q."""
    g, p, q = sample.codes
    both = [scored(record, PairSums(Sample(sample.counts, [g, codes]))) for codes in (p, q)]
    if not all(own.known for own in both):
        return None
    influence = both[0].less(both[1], np.stack([g, p, q]), np.asarray(sample.counts, np.float64))
    return replace(influence, value=observed)


def _difference(record: Index, n: int, sums: PairSumsOfCell) -> float:
    """Return the index of P minus that of Q; `sums` are the pairs joined in g, p, q, gp, gq and pq."""
    g, p, q, gp, gq, _ = sums
    total = n * (n - 1) // 2
    of_p, of_q = (
        record.assess(PairCounts.from_joined(both, g, mine, total))[0] for both, mine in ((gp, p), (gq, q))
    )
    return of_p - of_q


def _by_draws(observed: float, draws: Floats, method: str, hypothesis: str) -> TestResult:
    """Return the two-sided test; the observed difference counts as one of the draws."""
    if np.isnan(draws).any():
        return TestResult(
            observed, math.nan, method, hypothesis, "the difference is undefined for some resamples"
        )
    # Equal differences may differ by rounding.
    extreme = int((np.abs(draws) >= abs(observed) - 1e-12).sum())
    n = draws.size + 1
    return TestResult(observed, (extreme + 1) / n, method, hypothesis, p_floor=1 / n)
