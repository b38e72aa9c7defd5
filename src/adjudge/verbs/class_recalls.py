"""Differences of the recall of each class by two classifiers: the accuracies among its instances."""

from __future__ import annotations

import numpy as np

from adjudge.given.labels import Labels
from adjudge.indices.catalog import find_index
from adjudge.inference.classes.right_or_wrong import mcnemar_test
from adjudge.inference.common.test_results import Difference
from adjudge.inference.differences.label_differences import newcombe_paired
from adjudge.inference.interval import Interval
from adjudge.results.differences import ClassDifference, ScoreDifference, difference_of, holm_corrected
from adjudge.statistics.agreement import Agreement, Outcomes, WeightedAgreement, is_sampled

__all__ = ["agreements_by_class", "compare_recalls"]


def compare_recalls(truth: Labels, outcomes: Outcomes, confidence: float | None) -> list[ClassDifference]:
    """Compare which share of each class two models find, with Newcombe's paired interval and McNemar's test.

    Parameters
    ----------
    truth : Labels
    outcomes : Outcomes
        Where each model is right.
    confidence : float or None
        None for neither intervals nor tests.

    Returns
    -------
    list of ClassDifference
        In the order of the classes; p-values are corrected for all of them.
    """
    recall = find_index("recall", "classification")
    found = []
    for label, agreement in agreements_by_class(truth, outcomes):
        n = agreement.total
        first = (agreement.both_right + agreement.right_wrong) / n
        second = (agreement.both_right + agreement.wrong_right) / n
        own = ScoreDifference(recall, first, second)
        if confidence is not None:
            interval = Interval(*newcombe_paired(agreement, confidence), confidence, "newcombe")
            own = difference_of(recall, first, second, Difference(interval, mcnemar_test(agreement)))
        found.append(ClassDifference(label, n, own))
    scores = holm_corrected([own.score for own in found])
    return [ClassDifference(own.label, own.n, score) for own, score in zip(found, scores, strict=True)]


def agreements_by_class(truth: Labels, outcomes: Outcomes) -> list[tuple[object, Agreement]]:
    """Count the Prayatul matrix among the instances of each class that occurs."""
    codes, labels = truth.dense()
    cells = 4 * codes + 2 * ~outcomes.primary_right + ~outcomes.alternative_right
    counts = np.bincount(cells, outcomes.weights, 4 * len(labels)).reshape(-1, 4).tolist()
    made: list[tuple[object, Agreement]] = []
    for label, own in zip(labels, counts, strict=True):
        sampled = is_sampled(outcomes.weights)
        made.append((label, WeightedAgreement(*own) if sampled else Agreement(*map(round, own))))
    return [(label, own) for label, own in made if own.total]
