"""Differences between the scores of two clusterings against the same truth: intervals and tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.sparse import coo_array

from adjudge.indices.record import Index
from adjudge.inference.chance.targets import Target
from adjudge.inference.common.samples import Sample
from adjudge.inference.common.significance import Difference, agreeing, differences_by_name
from adjudge.inference.influence import Influence
from adjudge.inference.interval import METHOD, Interval, Wanted
from adjudge.inference.partitions.equal_goodness import equal_goodness_of
from adjudge.inference.partitions.intervals import TableIntervals
from adjudge.inference.refusals import RefusedError, reason_of
from adjudge.inference.sampling_design import Drawn
from adjudge.statistics.contingency import Contingency

__all__ = ["differences_of_clusterings"]

_SAME = "the expected scores of both clusterings are the same"


def differences_of_clusterings(
    records: Sequence[Index], sample: Sample, confidence: float, drawn: Drawn | None = None
) -> dict[str, Difference]:
    """Return the intervals of differences, and the tests of whether they are 0.

    The influence of an instance on a difference is that on the first score minus that on the second. The test for the
    Rand index is the score test that corresponds to the interval of comparative deviation.

    Parameters
    ----------
    records : sequence of Index
        External indices.
    sample : Sample
        The cells of the truth and both clusterings.
    confidence : float
    drawn : Drawn, optional
        How rows were sampled; its entries are these cells.

    Examples
    --------
    >>> import numpy as np
    >>> from adjudge import find_index
    >>> from adjudge.inference.common.samples import Sample
    >>> from adjudge.inference.differences.clustering_differences import differences_of_clusterings
    >>> truth, first, second = np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> cells = Sample(np.array([50, 10, 10, 50]), [truth, first, second])
    >>> found = differences_of_clusterings([find_index("adjusted_rand")], cells, 0.95)["adjusted_rand"]
    >>> round(found.interval.low, 2), round(found.interval.high, 2)
    (0.4, 0.77)
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
        asked[record.name] = Wanted(moved, limits, drawn)
    found = differences_by_name(asked, confidence, _SAME)
    for record in records:
        own, wanted = found[record.name], asked[record.name]
        if record.name == "rand" and own.test is not None and isinstance(wanted, Wanted):
            test = equal_goodness_of(sample, record, drawn)
            agreed = agreeing(wanted.influence.value, own.interval, test)
            # A limit that was moved is no longer that of Student's t.
            freedom = own.freedom if agreed.interval == own.interval else None
            found[record.name] = replace(agreed, freedom=freedom)
    return found


class _Scored:
    """The scores of a clustering, and the influence on them of the cells of the truth and both clusterings."""

    def __init__(self, sample: Sample, place: int) -> None:
        truth, labels = sample.codes[0], sample.codes[place]
        keys = truth * (int(labels.max()) + 1) + labels
        occurring, self._place = np.unique(keys, return_inverse=True)
        rows, cols = np.divmod(occurring, int(labels.max()) + 1)
        counts = np.bincount(self._place, sample.counts).astype(np.int64)
        self._table = Contingency.from_matrix(coo_array((counts, (rows, cols))))
        self._intervals = TableIntervals(self._table, Sample.of_table(self._table), {})

    def influence(self, record: Index) -> Influence:
        """Return the influence of the cells of the sample on an index.

        Raises
        ------
        RefusedError
            If the influence is not known.
        """
        return self._intervals.wanted(Target.of(record, self._table, {})).influence.at(self._place)
