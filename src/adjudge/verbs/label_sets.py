"""How `evaluate` and `compare` judge classifiers that give an instance several labels, or none."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, Option
from adjudge.given.label_sets import LabelSets, read_label_sets
from adjudge.given.things import PredictedSets, TrueSets
from adjudge.indices.catalog import find_index, is_default
from adjudge.indices.record import Index
from adjudge.inference.interval_methods import Interval
from adjudge.results import Comparison
from adjudge.results.by_class import ClassifierEvaluation
from adjudge.results.class_scores import ByClass, ClassScores
from adjudge.results.score import Score
from adjudge.statistics.agreement import CELLS, Agreement
from adjudge.statistics.label_sets import SetCounts, SetSizes, shared_keys
from adjudge.statistics.making import Made, lacking_of
from adjudge.verbs.by_class import measured_by_class
from adjudge.verbs.judging import KINDS_OF, scores_of, selected, with_intervals
from adjudge.verbs.request import EvaluationRequest

__all__ = ["LabelSetSource", "evaluate_label_sets", "judge_models"]

_AT_HAND = (TrueSets, PredictedSets)


def evaluate_label_sets(
    request: EvaluationRequest,
    labels_true: Any,
    labels_pred: Any,
    classes: Sequence[Any] | None,
    backend: str | None,
) -> ClassifierEvaluation:
    """Judge one classifier that gives an instance several labels."""
    if labels_true is None or labels_pred is None:
        raise InputError(
            "several labels an instance are judged against the truth: give ",
            Option("labels_true"),
            " and ",
            Option("labels_pred"),
        )
    sets = read_label_sets({"labels_true": labels_true, "labels_pred": labels_pred}, classes)
    made = Made({TrueSets: sets["labels_true"], PredictedSets: sets["labels_pred"]})
    scores = _scores(_chosen(request), made, request.confidence)
    counts: SetCounts = made[SetCounts]
    return ClassifierEvaluation(
        scores=scores,
        n=sets["labels_true"].n,
        n_clusters={"labels": counts.k},
        settings=request.settings(scores),
        backend=backend,
        by_class=ByClass(partial(_by_label, counts, request.confidence)),
    )


def _chosen(request: EvaluationRequest) -> list[Index]:
    """Return the requested indices, all of which read several labels an instance."""
    by_keyword, named = selected(request.indices, KINDS_OF["multilabel"], _AT_HAND)
    if is_default(request.indices):
        by_keyword.append(find_index("micro_f1"))  # with one label per instance it is the accuracy
    if refused := [record.name for record in named if lacking_of(record.requires, _AT_HAND)]:
        raise InputError(f"{refused[0]} is no score of several labels an instance")
    # No label is the positive one: a score by label is its macro average.
    averaged = {record.variant_of for record in by_keyword}
    return list(dict.fromkeys([*(record for record in by_keyword if record.name not in averaged), *named]))


def _scores(records: Sequence[Index], made: Made, confidence: float | None) -> dict[str, Score]:
    scores = scores_of(records, made)
    if confidence is None:
        return scores
    from adjudge.inference.label_set_intervals import label_set_intervals

    found = label_set_intervals(records, made[SetSizes], confidence)
    undefined = {
        name: Interval(math.nan, math.nan, confidence, own.method)
        for name, own in found.items()
        if math.isnan(scores[name].value)
    }
    return with_intervals(scores, found | undefined)


def _by_label(counts: SetCounts, confidence: float | None) -> list[ClassScores]:
    measured = measured_by_class(counts, confidence)
    return [
        ClassScores(label, size, said, {name: own[i] for name, own in measured.items()})
        for i, (label, size, said) in enumerate(
            zip(counts.classes, counts.true.tolist(), counts.predicted.tolist(), strict=True)
        )
    ]


def judge_models(
    request: EvaluationRequest, labels_true: Any, named: Mapping[str, Any], classes: Sequence[Any] | None
) -> tuple[Comparison, LabelSetSource]:
    """Score several classifiers that give an instance several labels; their pairs are left to the source."""
    if request.confidence is not None:
        raise InputError(
            Option("confidence"),
            " has no intervals of pairs of an instance and a label, as those of one instance depend on each other: "
            "leave it out",
        )
    sets = read_label_sets({"labels_true": labels_true, **named}, classes)
    truth, models = sets["labels_true"], {name: sets[name] for name in named}
    chosen = _chosen(request)
    comparison = Comparison(
        kind="multilabel",
        models=tuple(named),
        n=truth.n,
        judged={
            name: scores_of(chosen, Made({TrueSets: truth, PredictedSets: own}))
            for name, own in models.items()
        },
        pairs={},
        settings={"of": "multilabel", "scores": [record.name for record in chosen], "n_given": truth.n},
    )
    return comparison, LabelSetSource(truth, models)


class LabelSetSource:
    """About which pairs of an instance and a label each model is wrong: only these are kept."""

    patterns: None = None

    def __init__(self, truth: LabelSets, models: Mapping[str, LabelSets]) -> None:
        self._n, self._width = truth.n, len(truth.labels)
        self._wrong = {
            name: np.setxor1d(truth.keys, own.keys, assume_unique=True) for name, own in models.items()
        }

    def agreement(self, p: str, q: str) -> Agreement:
        """Count the Prayatul matrix of p against q."""
        wrong_p, wrong_q = self._wrong[p].size, self._wrong[q].size
        both = shared_keys(self._wrong[p], self._wrong[q]).size
        total = self._n * self._width
        return Agreement(total - wrong_p - wrong_q + both, wrong_q - both, wrong_p - both, both)

    def inference(self, agreements: Any, confidence: float) -> dict[tuple[str, str], Any]:
        """Return nothing: pairs of one instance depend on each other."""
        return {}

    def wrong_alike(self, p: str, q: str) -> None:
        """Return nothing: who is wrong about a label has one way to be so."""

    @property
    def instances(self) -> Callable[[str, str, str], NDArray[np.int64]]:
        """Find the pairs of a cell."""
        return self._pairs_of

    def _pairs_of(self, p: str, q: str, cell: str) -> NDArray[np.int64]:
        """Return instance and position of the label of each pair in a cell, shape (m, 2)."""
        wrong_p, wrong_q = self._wrong[p], self._wrong[q]
        if cell == CELLS[0]:
            every = np.arange(self._n * self._width)
            keys = np.setdiff1d(every, np.union1d(wrong_p, wrong_q), assume_unique=True)
        elif cell == CELLS[3]:
            keys = shared_keys(wrong_p, wrong_q)
        else:
            sides = (wrong_q, wrong_p) if cell == CELLS[1] else (wrong_p, wrong_q)
            keys = np.setdiff1d(*sides, assume_unique=True)
        return np.column_stack(np.divmod(keys, self._width)).astype(np.int64)
