"""Comparing clusterings from counts of two columns at a time, when all columns together have too many combinations."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.kinds.clusters import PairsOfCounts
from adjudge.results import Comparison
from adjudge.statistics.contingency import reduce_labels
from adjudge.verbs.compared import head_to_heads
from adjudge.verbs.model_differences import with_differences

__all__ = ["LabelVectors", "compare_apart"]

#: Two label vectors with their distinct combinations, and the number of rows with each.
LabelVectors = tuple[Any, Any, NDArray[np.int64]]


def compare_apart(
    judge: Callable[..., Comparison],
    of_truth: Mapping[str, LabelVectors],
    between: Mapping[tuple[str, str], LabelVectors],
    **options: Any,
) -> Comparison:
    """Compare clusterings from counts of two columns at a time, so that no table covers more than two columns.

    Parameters
    ----------
    judge : callable
        :func:`adjudge.compare`, called for each model alone.
    of_truth : mapping of str to (labels, labels, counts)
        Counts of the truth against each model.
    between : mapping of (str, str) to (labels, labels, counts)
        Counts of each pair of models, in one order only.
    **options
        As for :func:`compare`; intervals need all columns at once.
    """
    alone = [
        judge(truth, {model: labels}, kind="clustering", counts=counts, **options)
        for model, (truth, labels, counts) in of_truth.items()
    ]
    first, models = alone[0], list(of_truth)
    pairs = PairsOfCounts(
        {model: reduce_labels(*v[:2], counts=v[2]).pairs for model, v in of_truth.items()},
        {pair: reduce_labels(*v[:2], counts=v[2]).pairs for pair, v in between.items()},
    )
    found = dataclasses.replace(
        first,
        models=tuple(models),
        judged={m: one.judged[m] for m, one in zip(models, alone, strict=True)},
        pairs=head_to_heads("clustering", pairs, None),
        _instances=None,
    )
    return with_differences(found, {})
