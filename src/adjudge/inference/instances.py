"""Intervals and chance for indices of structures: graphs, trees, overlapping and soft clusters.

An interval comes from the influence of each instance, where the record of an index has one. Under the null model of
chance, the instances of one side change places, so that its clusters keep their sizes and overlaps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from adjudge.indices.structure_record import StructureIndex
from adjudge.inference.chance.null_distribution import NullDistribution, summarise_values
from adjudge.inference.influence import Influence
from adjudge.inference.interval import Interval, interval_of
from adjudge.inference.refusals import NO_ESTIMATE
from adjudge.statistics.making import Made

#: Draws from the null model, unless the caller says how many.
N_DRAWS = 199


def structure_intervals(
    records: Iterable[StructureIndex],
    values: Mapping[str, float],
    made: Mapping[type, Any],
    confidence: float,
) -> dict[str, Interval]:
    """Return the interval of each index, or the reason why it has none.

    Parameters
    ----------
    records : iterable of StructureIndex
    values : mapping of str to float
        The value of each index, by its name.
    made : mapping of type to statistic
    confidence : float
    """
    return {record.name: _interval(record, values[record.name], made, confidence) for record in records}


def _interval(record: StructureIndex, value: float, made: Mapping[type, Any], confidence: float) -> Interval:
    if math.isnan(value):
        return Interval.undefined(confidence, "score", NO_ESTIMATE)
    if isinstance(record.influence, str):
        reason = record.influence or "no interval is known for this index"
        return Interval.undefined(confidence, "score", reason)
    statistics = [made[kind] for kind in record.requires]
    influence = Influence.centred(value, record.influence(*statistics, **record.fixed))
    return interval_of(influence, record.range, confidence)


def exchanged_nulls(
    records: Sequence[StructureIndex],
    observed: Mapping[str, float],
    exchange: Callable[[np.ndarray[Any, Any]], Mapping[type, Any]],
    n: int,
    n_draws: int | None,
    random_state: Any,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, NullDistribution]:
    """Simulate the values of indices when the instances of one side change places.

    Parameters
    ----------
    records : sequence of StructureIndex
    observed : mapping of str to float
        The value of each index, by its name.
    exchange : callable
        Returns what was given with the instances of one side in another order.
    n : int
        Number of instances.
    n_draws : int, optional
    random_state : int, Generator, SeedSequence or None, default 0
    progress : callable, optional
    """
    n_draws = N_DRAWS if n_draws is None else n_draws
    generator = np.random.default_rng(random_state)
    values: dict[str, list[float]] = {record.name: [] for record in records}
    for done in range(n_draws):
        made = Made(exchange(generator.permutation(n)))
        for record in records:
            values[record.name].append(record.assess(*(made[kind] for kind in record.requires))[0])
        if progress is not None:
            progress(done + 1, n_draws)
    return {
        record.name: summarise_values(record, observed[record.name], values[record.name])
        for record in records
    }
