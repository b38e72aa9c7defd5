"""Differences between the scores of two clusterings against the same truth: intervals and tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from scipy.sparse import coo_array

from adjudge.array_types import Floats
from adjudge.errors import InputError, Option
from adjudge.given.alignment import align_labels
from adjudge.given.label_options import LabelKeywords, LabelOptions
from adjudge.given.options import check_choice, check_count, check_random_state, random_generator
from adjudge.indices.catalog import find_index
from adjudge.indices.record import Index
from adjudge.inference.chance.targets import Target
from adjudge.inference.common.samples import CrossTabulation, three_way
from adjudge.inference.common.significance import Difference, TestResult, agreeing, differences_by_name
from adjudge.inference.influence import Influence
from adjudge.inference.interval import METHOD, Interval, Wanted, p_value_of, why_few_units
from adjudge.inference.linear import Steps, scored
from adjudge.inference.partitions.intervals import TableIntervals, deviation_of
from adjudge.inference.partitions.pair_sums import PairSums
from adjudge.inference.refusals import WITHOUT_ONE, RefusedError, reason_of
from adjudge.inference.sampling_design import Drawn, either_way
from adjudge.statistics.contingency import Contingency
from adjudge.statistics.pair_counts import PairCounts
from adjudge.usual_seed import USUAL_SEED

GOODNESS_METHODS = ("jackknife", "bootstrap")
_SAME = "the expected scores of both clusterings are the same"
_SAME_GOODNESS = "the expected {} of both clusterings is the same"


def differences_of_clusterings(
    records: Sequence[Index], sample: CrossTabulation, confidence: float, drawn: Drawn | None = None
) -> dict[str, Difference]:
    """Return the intervals of differences, and the tests of whether they are 0.

    The influence of an instance on a difference is that on the first score minus that on the second. Without units, the
    test for the Rand index is the score test that corresponds to the interval of comparative deviation.

    Parameters
    ----------
    records : sequence of Index
        External indices.
    sample : CrossTabulation
        The cells of the truth and both clusterings.
    confidence : float
    drawn : Drawn, optional
        How rows were sampled; its entries are these cells.

    Examples
    --------
    >>> import numpy as np
    >>> from adjudge import find_index
    >>> from adjudge.inference.common.samples import CrossTabulation
    >>> from adjudge.inference.differences.clustering_differences import differences_of_clusterings
    >>> truth, first, second = np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> cells = CrossTabulation(np.array([50, 10, 10, 50]), [truth, first, second])
    >>> found = differences_of_clusterings([find_index("adjusted_rand")], cells, 0.95)["adjusted_rand"]
    >>> round(found.interval.low, 2), round(found.interval.high, 2)
    (0.39, 0.77)
    """
    first, second = (_Scored(sample, place) for place in (1, 2))
    asked: dict[str, Wanted | Difference] = {}
    for record in records:
        try:
            if sample.n < 3:
                raise RefusedError(reason_of("one instance" if sample.n < 2 else "few instances"))
            influence = first.influence(record) - second.influence(record)
        except RefusedError as refusal:
            asked[record.name] = Difference(Interval.undefined(confidence, METHOD, str(refusal)))
            continue
        limits = float(record.range[0]), float(record.range[1])
        moved = Influence.centred(influence.value, influence.psi, sample.counts, rounding=influence.rounding)
        # Where few instances tell the models apart, those that would speak for the other one may just be missing.
        asked[record.name] = Wanted(either_way(moved, drawn), limits, drawn)
    found = differences_by_name(asked, confidence, _SAME)
    for record in records:
        own, wanted = found[record.name], asked[record.name]
        if record.name == "rand" and drawn is None and own.test is not None and isinstance(wanted, Wanted):
            test = equal_goodness_of(record, sample)
            agreed = agreeing(wanted.influence.value, own.interval, test)
            # A limit that was moved is no longer that of Student's t.
            freedom = own.freedom if agreed.interval == own.interval else None
            found[record.name] = replace(agreed, freedom=freedom)
    return found


class _Scored:
    """The scores of a clustering, and the influence on them of the cells of the truth and both clusterings."""

    def __init__(self, sample: CrossTabulation, place: int) -> None:
        truth, labels = sample.codes[0], sample.codes[place]
        keys = truth * (int(labels.max()) + 1) + labels
        occurring, self._place = np.unique(keys, return_inverse=True)
        rows, cols = np.divmod(occurring, int(labels.max()) + 1)
        counts = np.bincount(self._place, sample.counts).astype(np.int64)
        self._table = Contingency.from_matrix(coo_array((counts, (rows, cols))))
        self._intervals = TableIntervals(self._table, CrossTabulation.of_table(self._table), {})

    def influence(self, record: Index) -> Influence:
        """Return the influence of the cells of the sample on an index.

        Raises
        ------
        RefusedError
            If the influence is not known.
        """
        return self._intervals.wanted(Target.of(record, self._table, {})).influence.at(self._place)


def equal_goodness_test(
    labels_true: Any,
    primary: Any,
    alternative: Any,
    *,
    index: str | Index = "rand",
    method: str = "jackknife",
    n_resamples: int = 9999,
    random_state: Any = USUAL_SEED,
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
    random_state : int, Generator, SeedSequence or None, default 0
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
        return equal_goodness_of(record, sample)
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


def equal_goodness_of(record: Index, sample: CrossTabulation, drawn: Drawn | None = None) -> TestResult:
    """Test equal goodness as :func:`~adjudge.inference.equal_goodness_test` does, for counted cells.

    The cells are those of the three partitions, and so are the entries of `drawn`.
    """
    observed = _difference(record, sample.n, sample.pair_sums)
    if drawn is not None:
        return _of_units(record, sample, drawn, observed)
    exact = record.name == "rand"
    p_value, reason = math.nan, None
    if math.isnan(observed):
        reason = "the difference is undefined"
    elif sample.n < 3:
        reason = "there are fewer than 3 instances"
    elif exact:
        deviation = deviation_of(sample)
        if deviation is None:
            p_value, reason = 1.0, "the models never disagree (RW + WR = 0)"
        else:
            p_value = p_value_of(deviation)
    else:
        g, p, q = sample.codes
        first, second = (
            scored(record, Steps(PairSums(CrossTabulation(sample.counts, [g, codes])))) for codes in (p, q)
        )
        if not (first.known and second.known):
            reason = WITHOUT_ONE
        else:
            influence = first.less(second, np.stack(sample.codes), np.asarray(sample.counts, np.float64))
            if influence.psi.any():
                moved = replace(influence, value=observed)
                p_value = p_value_of(Wanted(moved, (-math.inf, math.inf)))
            else:
                p_value, reason = (1.0 if observed == 0 else math.nan), "no instance changes the difference"
    method = "score" if exact or math.isnan(observed) else "jackknife"
    return TestResult(observed, p_value, method, _SAME_GOODNESS.format(record.name), reason)


def _of_units(record: Index, sample: CrossTabulation, drawn: Drawn, observed: float) -> TestResult:
    """Return the test of the difference whose interval is shown: units that were not seen have no worst case."""
    hypothesis, reason = _SAME_GOODNESS.format(record.name), why_few_units(drawn)
    if reason is None:
        found = differences_of_clusterings([record], sample, 0.95, drawn)[record.name]
        if found.test is not None:
            return replace(found.test, hypothesis=hypothesis)
        reason = found.interval.reason
    return TestResult(observed, math.nan, METHOD, hypothesis, reason)


def _difference(record: Index, n: int, sums: tuple[int, ...]) -> float:
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
