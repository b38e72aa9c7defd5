"""Models on the page: scores by class or cluster, curves of probabilities, differences, and groups of instances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.given.positive import is_usual
from adjudge.presentation.plain import plain_json
from adjudge.results import Comparison, Evaluation
from adjudge.results.by_class import ClassifierEvaluation
from adjudge.results.class_scores import ByClass, OneClass
from adjudge.results.curves import RocCurve
from adjudge.results.differences import ScoreDifference, words_of_group
from adjudge.results.reliability import ReliabilityCurve
from adjudge.statistics.agreement import CELLS

_BY_CLASS = ("precision", "recall", "f1", "specificity", "roc_auc")
_BY_CLUSTER = ("precision", "recall", "f1", "jaccard")
_TITLES = {
    "precision": "Precision",
    "recall": "Recall",
    "f1": "F1",
    "specificity": "Specificity",
    "jaccard": "Jaccard",
    "roc_auc": "ROC AUC",
}
#: Most classes that are listed (the largest), and most whose ROC curves are drawn side by side.
MOST_LISTED, MOST_DRAWN = 200, 12
# Most unmatched clusters that are named.
_MOST_LEFT = 12
# Most overlaid curves that can be told apart.
_MOST_LINES = 6
#: Most points of a curve: more cannot be seen.
MOST_POINTS = 160


def classifiers(
    evaluations: Mapping[str, ClassifierEvaluation], order: Sequence[str], confidence: float | None
) -> list[dict[str, Any]]:
    """Return scores by class and curves of each model.

    Parameters
    ----------
    evaluations : mapping of str to ClassifierEvaluation
    order : sequence of str
        The models, the best first.
    confidence : float or None
    """
    known = [model for model in order if model in evaluations]
    return [{"model": model, **_one(evaluations[model], confidence)} for model in known]


def overlaid(found: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Overlay the ROC curves of a class by several models; of very many models, only the best."""
    by_class: dict[str, list[dict[str, Any]]] = {}
    for line, own in enumerate(found[:_MOST_LINES]):
        for curve in own["roc"] or ():
            by_class.setdefault(curve["name"], []).append({**curve, "model": own["model"], "line": line})
    return [{"name": name, "curves": curves} for name, curves in by_class.items()]


def overlaid_reliability(found: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Overlay the reliability of several models; of very many models, only that of the best."""
    drawn = [
        {**own["reliability"], "model": own["model"], "line": line}
        for line, own in enumerate(found[:_MOST_LINES])
        if own["reliability"]
    ]
    return {"curves": drawn, "class": drawn[0]["class"]} if drawn else None


def matched_clusters(model: str, evaluation: Evaluation) -> dict[str, Any]:
    """Return the true clusters, each with its partner among the predicted ones and its scores."""
    by_cluster = evaluation.by_cluster()
    left = by_cluster.left_over or ()
    return {
        "model": model,
        "n_clusters": len(by_cluster),
        "left_over": [str(label) for label in left[:_MOST_LEFT]],
        "n_left_over": len(left),
        **_rows(by_cluster, _BY_CLUSTER),
    }


def _one(evaluation: ClassifierEvaluation, confidence: float | None) -> dict[str, Any]:
    own, confusion = evaluation.by_class, evaluation.confusion
    confused = [] if confusion is None else confusion.most_confused(5)
    return {
        "n_classes": len(own),
        "confidence": evaluation.settings.get("confidence"),
        **_rows(own, _BY_CLASS),
        "confused": [
            {"true": str(true), "said": str(said), "n": plain_json(n)} for true, said, n in confused
        ],
        **_curves(evaluation, confidence),
    }


def _rows(by_class: ByClass, names: Sequence[str]) -> dict[str, Any]:
    """Return the largest classes, or true clusters, with those of the measures that they have."""
    own = list(by_class.values())
    shown = [name for name in names if own and name in own[0]]
    largest = sorted(range(len(own)), key=lambda i: -own[i].support)[:MOST_LISTED]
    return {
        "measures": [_TITLES[name] for name in shown],
        "rows": [
            {
                "name": str(own[i].label),
                "partner": None if own[i].partner is None else str(own[i].partner),
                "support": plain_json(own[i].support),
                "predicted": plain_json(own[i].predicted),
                "cells": [_cell(own[i].score(name)) for name in shown],
            }
            for i in sorted(largest)
        ],
    }


def _cell(score: OneClass) -> dict[str, Any]:
    """Return a measure of one class with its interval, or the reason why it is undefined."""
    interval = None if score.low is None else [plain_json(score.low), plain_json(score.high)]
    return {"value": plain_json(score.value), "interval": interval, "reason": score.reason}


def _curves(evaluation: ClassifierEvaluation, confidence: float | None) -> dict[str, Any]:
    """Return the ROC curve, or those of several classes, and the reliability; None without scores."""
    forecasts = evaluation.forecasts
    if forecasts is None:
        return {"roc": None, "reliability": None}
    if forecasts.positive is not None:
        drawn = [evaluation.curve("roc")]
    else:
        codes = np.argsort(-forecasts.sizes, kind="stable")[:MOST_DRAWN]
        chosen = [forecasts.classes[code] for code in np.sort(codes).tolist()]
        drawn = [evaluation.curve("roc", positive=label) for label in chosen]
    roc = [
        {
            "name": str(curve.label),
            "of": "" if is_usual(curve.label) else f" of {curve.label}",
            "area": plain_json(curve.area),
            "points": _points(curve.false_positive_rate, curve.true_positive_rate),
            "band": _band(curve, confidence),
        }
        for curve in drawn
        if isinstance(curve, RocCurve) and curve.is_defined
    ]
    reliability = None
    if forecasts.are_probabilities:
        reliability = _reliability(evaluation.reliability(), confidence)
    return {"roc": roc, "reliability": reliability}


def _band(curve: RocCurve, confidence: float | None) -> str | None:
    """Return the outline of the band around a curve; None if it has none."""
    if confidence is None or curve.without_band is not None:
        return None
    band = curve.band(confidence, at=np.linspace(0, 1, 101))
    x = np.concatenate([band.false_positive_rate, band.false_positive_rate[::-1]])
    return _written(x, np.concatenate([band.low, band.high[::-1]]))


def _points(x: NDArray[Any], y: NDArray[Any]) -> str:
    """Return points of a line in the plot's units; from many, only as many as are visible."""
    if x.size > MOST_POINTS:
        kept = np.unique(np.rint(np.linspace(0, x.size - 1, MOST_POINTS)).astype(np.int64))
        x, y = x[kept], y[kept]
    return _written(x, y)


def _written(x: NDArray[Any], y: NDArray[Any]) -> str:
    """Write points in per cent of the box, downwards."""
    points = zip((100 * x).tolist(), (100 - 100 * y).tolist(), strict=True)
    return " ".join([f"{across:.4g},{down:.4g}" for across, down in points])


def _reliability(curve: ReliabilityCurve, confidence: float | None) -> dict[str, Any]:
    bins = curve.binned
    ends: list[Any] = [None] * bins.counts.size
    if confidence is not None and curve.without_intervals is None:
        ends = [[round(100 - 100 * end, 3) for end in pair] for pair in curve.intervals(confidence).tolist()]
    most = float(bins.counts.max())
    rows = zip(*(part.tolist() for part in (bins.forecast, bins.observed, bins.counts)), ends, strict=True)
    return {
        "of": None if curve.label is None else str(curve.label),
        "class": "" if curve.label is None or is_usual(curve.label) else f" of {curve.label}",
        "error": plain_json(curve.calibration_error),
        "bins": [
            {
                "x": round(100 * forecast, 3),
                "y": round(100 - 100 * observed, 3),
                "forecast": forecast,
                "observed": observed,
                "n": plain_json(int(n) if float(n).is_integer() else n),
                "height": round(18 * n / most, 3),
                "ends": own,
            }
            for forecast, observed, n, own in rows
        ],
    }


def differences(comparison: Comparison, order: Sequence[str]) -> list[dict[str, Any]]:
    """Return the score differences of each pair of models, the better model first; empty without intervals."""
    rows = [
        {"first": p, "second": q, **_difference(difference)}
        for p, q in combinations(order, 2)
        for difference in comparison[p, q].differences.values()
    ]
    return rows if any(row["interval"] for row in rows) else []


def _difference(difference: ScoreDifference) -> dict[str, Any]:
    return {"title": difference.title, "better": difference.index.better, **difference.to_dict()}


def recalls(comparison: Comparison, best: Sequence[str] | None) -> dict[str, Any] | None:
    """Return the share of each class that the best two models find; None if they are not classifiers."""
    rows = [] if best is None else comparison[best[0], best[1]].recalls
    if not rows or best is None:
        return None
    return {"first": best[0], "second": best[1], "rows": [row.to_dict() for row in rows]}


def groups(comparison: Comparison, order: Sequence[str]) -> dict[str, Any] | None:
    """Return the outcomes of each pair of models, by group, and the difference of the verdict's score."""
    if not comparison.by_group or len(order) < 2:
        return None
    name = comparison.verdict.score
    index = next(
        difference.score.index
        for difference in comparison.group_differences
        if difference.score.index.name == name
    )
    place, alpha = (
        {model: i for i, model in enumerate(order)},
        1 - (comparison.settings.get("confidence") or 0),
    )
    rows = []
    for difference in comparison.group_differences:
        if difference.score.index is not index:
            continue
        better_first = place[difference.primary] < place[difference.alternative]
        p, q = (
            (difference.primary, difference.alternative)
            if better_first
            else (difference.alternative, difference.primary)
        )
        pair = comparison.by_group[difference.group][p, q]
        adjusted = difference.score.adjusted_p_value
        rows.append(
            {
                "first": p,
                "second": q,
                "group": words_of_group(difference.group),
                "n": plain_json(difference.n),
                "counts": {cell: plain_json(getattr(pair, cell)) for cell in CELLS},
                "values": [
                    plain_json(comparison.by_group[difference.group].scores[m][index.name]) for m in (p, q)
                ],
                "reversed": difference.is_reversed,
                **_difference(pair.differences[index.name]),
                "adjusted_p_value": plain_json(adjusted),
                "differ": adjusted is not None and adjusted <= alpha,
            }
        )
    rows.sort(key=lambda row: (place[row["first"]], place[row["second"]]))
    correction = _CORRECTIONS[comparison.settings.get("groups_correction", "holm")]
    return {"title": comparison.title_of(index.name), "rows": rows, "correction": correction}


# How p-values of groups are corrected, as a heading and in a sentence.
_CORRECTIONS = {
    "holm": ("Holm", "Holm"),
    "fdr": ("FDR", "Benjamini and Hochberg: a share of the claims is false"),
}
