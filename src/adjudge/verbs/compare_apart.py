"""Comparing clusterings from counts of two columns at a time, when all columns together have too many combinations."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, Option
from adjudge.results import Comparison
from adjudge.statistics.agreement import Agreement
from adjudge.statistics.contingency import reduce_labels
from adjudge.statistics.pair_counts import PairCounts
from adjudge.verbs.clusterings_compared import agreement_of_pairs
from adjudge.verbs.compare_arrays import head_to_heads
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
    source = _TwoAtATime(
        {model: reduce_labels(*v[:2], counts=v[2]).pairs for model, v in of_truth.items()},
        {pair: reduce_labels(*v[:2], counts=v[2]).pairs for pair, v in between.items()},
    )
    found = dataclasses.replace(
        first,
        models=tuple(models),
        judged={m: one.judged[m] for m, one in zip(models, alone, strict=True)},
        pairs=head_to_heads(models, "clustering", source),
        _instances=None,
    )
    return with_differences(found, {})


@dataclasses.dataclass(frozen=True)
class _TwoAtATime:
    """Pair counts of the truth with each model, and of each pair of models."""

    with_truth: Mapping[str, PairCounts]
    between: Mapping[tuple[str, str], PairCounts]
    instances: None = None

    def agreement(self, p: str, q: str) -> Agreement:
        return agreement_of_pairs(self.with_truth, self.between, p, q)

    def wrong_alike(self, p: str, q: str) -> None:
        return None

    def inference(self, agreements: Mapping[tuple[str, str], Agreement], confidence: float) -> NoReturn:
        raise InputError(Option("confidence"), " needs the combinations of all labels")
