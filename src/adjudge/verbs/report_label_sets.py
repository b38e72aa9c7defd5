"""The report section of multilabel classifiers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adjudge._report.label_sets import ShownSets
from adjudge._report.section import Section
from adjudge.errors import Argument, InputError, Option
from adjudge.given.label_scores import read_label_scores
from adjudge.given.label_sets import read_label_sets
from adjudge.verbs.compare import compare
from adjudge.verbs.report_models import given_models

__all__ = [
    "label_sets_section",
]


def label_sets_section(
    labels_true: Any,
    models: Any,
    given: Mapping[str, Any],
    indices: Any,
    confidence: float,
    note: str,
    options: Mapping[str, Any],
) -> Section:
    """Compare multilabel classifiers."""
    if (excess := next((name for name, value in given.items() if value is not None), None)) is not None:
        raise InputError(Option(excess), " is not an option for several labels per instance: leave it out")
    if labels_true is None:
        raise InputError("classifiers are judged against the truth: give ", Argument("labels_true"))
    shown = _shown_sets(labels_true, models, options)
    asked = {"indices": "default" if indices is None else indices, "confidence": confidence, **options}
    # Only the comparison reports that labels are derived from probabilities.
    named = None if models is None else shown.models
    comparison = compare(shown.truth, named, kind="multilabel", **asked)
    return Section(title="Classifiers", comparison=comparison, sets=shown, note=note)


def _shown_sets(labels_true: Any, models: Any, options: Mapping[str, Any]) -> ShownSets:
    """Encode the label sets once, for the whole page; without the models' labels, take the likely ones."""
    classes, probabilities = options.get("classes"), options.get("probabilities")
    if models is not None or probabilities is None:
        named = given_models(models, None, labels_true)
        sets = read_label_sets({"labels_true": labels_true, **named}, classes)
        return ShownSets(sets.pop("labels_true"), sets)
    scores = {
        str(name): read_label_scores(own, probabilities=True, labels=classes)
        for name, own in probabilities.items()
    }
    known = classes or next((own.labels for own in scores.values() if own.labels), None)
    truth = read_label_sets({"labels_true": labels_true}, known)["labels_true"]
    return ShownSets(truth, {name: own.of(truth).likely() for name, own in scores.items()})
