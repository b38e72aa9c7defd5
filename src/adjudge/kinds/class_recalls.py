"""Differences in the recall of each class between two classifiers: the accuracies among its instances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from adjudge.given.labels import Labels
from adjudge.indices.catalog import find_index
from adjudge.inference.common.significance import Difference
from adjudge.inference.differences.label_differences import compare_accuracies
from adjudge.inference.interval import Interval
from adjudge.inference.refusals import MOST_CLASSES_OF_UNITS, TOO_MANY_CLASSES
from adjudge.inference.sampling_design import Drawn
from adjudge.kinds.sample import Sample
from adjudge.results.differences import ClassDifference, ScoreDifference, corrected, difference_of
from adjudge.statistics.agreement import CELLS, Agreement, Outcomes, WeightedAgreement, is_sampled

__all__ = ["agreements_by_class", "compare_recalls"]


def compare_recalls(
    truth: Labels, outcomes: Outcomes, confidence: float | None, sample: Sample
) -> list[ClassDifference]:
    """Compare the recall of each class by two models, with Newcombe's paired interval and McNemar's test.

    Parameters
    ----------
    truth : Labels
    outcomes : Outcomes
        Where each model is right.
    confidence : float or None
        None for no intervals and tests.
    sample : Sample
        If rows were not drawn independently, intervals and tests use the sums by unit.

    Returns
    -------
    list of ClassDifference
        In the order of the classes; p-values are corrected for the number of classes.
    """
    recall = find_index("recall", "classification")
    units = None if sample.drawn is None else _units_by_class(truth, outcomes, sample)
    found = []
    # Of very many classes, most share their counts with others.
    known: dict[tuple[float, ...], Difference] = {}
    for label, agreement in agreements_by_class(truth, outcomes):
        n = agreement.total
        first = (agreement.both_right + agreement.right_wrong) / n
        second = (agreement.both_right + agreement.wrong_right) / n
        own = ScoreDifference(recall, first, second)
        if confidence is not None:
            if units is not None:
                inferred = compare_accuracies(agreement, confidence, units(label))
            elif sample.drawn is not None:
                inferred = Difference(Interval.undefined(confidence, "t", TOO_MANY_CLASSES))
            else:
                counts = tuple(getattr(agreement, cell) for cell in CELLS)
                inferred = known.get(counts) or compare_accuracies(agreement, confidence)
                known[counts] = inferred
            own = difference_of(recall, first, second, inferred)
        found.append(ClassDifference(label, n, own, agreement.right_wrong, agreement.wrong_right))
    scores = corrected([own.score for own in found])
    return [replace(own, score=score) for own, score in zip(found, scores, strict=True)]


def _units_by_class(truth: Labels, outcomes: Outcomes, sample: Sample) -> Callable[[object], Drawn] | None:
    """Return a function that gives the units of the instances of a class, by cell; None if classes are too many."""
    codes, labels = truth.dense()
    if len(labels) > MOST_CLASSES_OF_UNITS:
        return None
    drawn = sample.numbered(len(CELLS) * codes + outcomes.cells, len(CELLS) * len(labels))
    assert drawn is not None
    assert drawn.entry is not None
    place = {label: code for code, label in enumerate(labels)}
    # The lines of each class: the others have no influence on its recall.
    of_class, entries = np.divmod(drawn.entry, len(CELLS))
    order = np.argsort(of_class, kind="stable")
    ends = np.searchsorted(of_class[order], np.arange(len(labels) + 1))

    def of(label: object) -> Drawn:
        lines = order[ends[place[label]] : ends[place[label] + 1]]
        return drawn.with_entries(entries[lines], lines)

    return of


def agreements_by_class(truth: Labels, outcomes: Outcomes) -> list[tuple[object, Agreement]]:
    """Count the Prayatul matrix among the instances of each class that occurs."""
    codes, labels = truth.dense()
    cells = len(CELLS) * codes + outcomes.cells
    counts = np.bincount(cells, outcomes.weights, len(CELLS) * len(labels)).reshape(-1, len(CELLS)).tolist()
    made: list[tuple[object, Agreement]] = []
    for label, own in zip(labels, counts, strict=True):
        sampled = is_sampled(outcomes.weights)
        made.append((label, WeightedAgreement(*own) if sampled else Agreement(*map(round, own))))
    return [(label, own) for label, own in made if own.total]
