"""Intervals of the Prayatul measures of two classifiers, and of how alike their errors are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TypeVar

import numpy as np

from adjudge.array_types import Floats
from adjudge.given.options import check_confidence
from adjudge.indices.catalog import list_indices
from adjudge.indices.kinds import Kind
from adjudge.indices.record import Index
from adjudge.inference.classes.label_sums import OutcomeSums
from adjudge.inference.common.proportions import mid_p
from adjudge.inference.interval import METHOD, Interval, Wanted, intervals_by_name, share_of
from adjudge.inference.linear import of_counts
from adjudge.inference.refusals import WEIGHTED
from adjudge.inference.sampling_design import Drawn
from adjudge.statistics.agreement import CELLS, Agreement, WeightedAgreement

K = TypeVar("K")


def classification_intervals(
    agreement: Agreement, *, confidence: float = 0.95, drawn: Drawn | None = None
) -> dict[str, Interval]:
    """Compute confidence intervals of the Prayatul measures of two classifiers.

    Comparative deviation and the rightnesses are proportions, or twice one, less 1: their intervals are the exact ones
    with half the weight on what was observed (mid-P). Comparative deviation leaves 0 out if
    :func:`~adjudge.inference.mcnemar_test` finds a difference. Polarization and effective superiority are sums of
    proportions, with score intervals.

    Parameters
    ----------
    agreement : Agreement
        Counts of instances.
    confidence : float
    drawn : Drawn, optional
        How rows were sampled; its entries are the four cells of the matrix: both right, right and wrong, wrong and
        right, both wrong. All intervals then follow from sums by unit.

    Returns
    -------
    dict of str to Interval
        By measure.

    Examples
    --------
    >>> from adjudge.statistics import Agreement
    >>> from adjudge.inference.classes.outcome_intervals import classification_intervals
    >>> low, high = classification_intervals(Agreement(28, 5, 3, 4))["comparative_deviation"]
    >>> round(low, 3), round(high, 3)
    (-0.444, 0.789)
    """
    check_confidence(confidence)
    return intervals_of_pairs([agreement], confidence, [drawn])[0]


def intervals_of_pairs(
    agreements: Sequence[Agreement], confidence: float, drawn: Sequence[Drawn | None]
) -> list[dict[str, Interval]]:
    """Compute those of several pairs of classifiers; see :func:`classification_intervals`."""
    return _intervals("comparative", agreements, confidence, drawn, exact=True)


def diversity_intervals(agreement: Agreement, *, confidence: float = 0.95) -> dict[str, Interval]:
    """Return the intervals of the diversity indices, treating the instances as a sample.

    Parameters
    ----------
    agreement : Agreement
        Counts of instances.
    confidence : float

    Examples
    --------
    >>> from adjudge.statistics import Agreement
    >>> from adjudge.inference.classes.outcome_intervals import diversity_intervals
    >>> low, high = diversity_intervals(Agreement(38, 9, 5, 8))["negative_flip_rate"]
    >>> round(low, 3), round(high, 3)
    (0.081, 0.261)
    """
    if isinstance(agreement.total, float):
        none = Interval.undefined(confidence, METHOD, WEIGHTED)
        return {record.name: none for record in list_indices("diversity")}
    return _intervals("diversity", [agreement], confidence, [None])[0]


def _intervals(
    kind: Kind,
    agreements: Sequence[Agreement],
    confidence: float,
    drawn: Sequence[Drawn | None],
    *,
    exact: bool = False,
) -> list[dict[str, Interval]]:
    """Return the intervals of the indices of one kind for each pair of models; `exact` ones of shares are mid-P."""
    if not agreements:
        return []
    tables = np.array([[getattr(own, cell) for cell in CELLS] for own in agreements], np.float64)
    of_one = np.array([[1.0 if own is None else own.share_of_one] for own in drawn])
    sums, amounts, records = OutcomeSums(tables), np.repeat(of_one, len(CELLS), axis=1), list_indices(kind)
    found: dict[tuple[int, str], Wanted | Interval] = {}
    for record in records:
        low, high = map(float, record.range)
        influences = sums.influences(partial(_values, record), (low, high), amounts)
        for i, (influence, agreement, how) in enumerate(zip(influences, agreements, drawn, strict=True)):
            found[i, record.name] = Wanted(influence, (low, high), how)
            if math.isnan(influence.value):
                reason = f"{record.assess(agreement)[1]}: every value is possible"
                found[i, record.name] = Interval(low, high, confidence, METHOD, reason)
    if exact:
        found |= _of_shares(found, confidence)
    made = intervals_by_name(found, confidence)
    return [{own.name: made[i, own.name] for own in records} for i in range(len(agreements))]


def _values(record: Index, outcomes: Floats) -> Floats:
    """Return an index of each of several matrices, of any shape that has the four outcomes first."""
    if record.elementwise:
        return record.of_several(of_counts(Agreement, CELLS, outcomes))
    each = outcomes.reshape(len(CELLS), -1).T
    values = [record.assess(of_counts(WeightedAgreement, CELLS, own))[0] for own in each]
    return np.array(values).reshape(outcomes.shape[1:])


def _of_shares(found: Mapping[K, Wanted | Interval], confidence: float) -> dict[K, Interval]:
    """Return the mid-P intervals of those values that are shares."""
    wanted = {key: own for key, own in found.items() if isinstance(own, Wanted)}
    shares = {key: share for key, own in wanted.items() if (share := share_of(own)) is not None}
    values, sizes = np.array([*shares.values()]).reshape(-1, 2).T
    ends = np.stack(mid_p(values, sizes, confidence), axis=1)
    made = {}
    for key, value, both in zip(shares, values.tolist(), ends.tolist(), strict=True):
        low, high = wanted[key].limits
        below, above = (low + (high - low) * end for end in both)
        made[key] = Interval(below, above, confidence, "mid-p", one_sided=value in (0, 1))
    return made
