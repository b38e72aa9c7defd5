"""How `evaluate` estimates indices from true clusters that were sampled."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import Argument, InputError, Option, Position
from adjudge.given.alignment import align_labels, check_same_order
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Labels, code_labels
from adjudge.given.options import as_numbers, check_confidence
from adjudge.indices.catalog import select_indices, split_keywords
from adjudge.indices.record import Index
from adjudge.inference.partitions.sampled_clusters import ESTIMABLE, estimates
from adjudge.kinds.scores import with_intervals
from adjudge.presentation.numbers import listed
from adjudge.presentation.tables import backend_of
from adjudge.results import Evaluation
from adjudge.results.score import Score
from adjudge.statistics.sampled_clusters import SampledClusters

__all__ = ["evaluate_sampled"]


def evaluate_sampled(
    labels_true: Any = None,
    labels_pred: Any = None,
    *,
    sampled: Any = None,
    sampling_weights: Any = None,
    indices: str | Index | Iterable[str | Index] = "default",
    confidence: float | None = None,
    kind: str | None = None,
    **others: Any,
) -> Evaluation:
    """Estimate indices of all records; parameters are those of :func:`adjudge.evaluate`."""
    if others or kind not in (None, "clustering"):
        name = next(iter(others), "kind")
        raise InputError(Option(name), " is not an option for ", Option("sampled"), ": leave it out")
    if sampled is None:
        raise InputError(
            Option("sampling_weights"),
            " are of sampled clusters, which are missing: give ",
            Option("sampled"),
        )
    if confidence is not None:
        check_confidence(confidence)
    records = _chosen(indices)
    clusters = _counted(labels_true, labels_pred, sampled, sampling_weights)
    found = estimates(clusters)
    scores = {
        record.name: Score(record, found[record.name].value, reason=_reason(found[record.name].value, record))
        for record in records
    }
    if confidence is not None:
        scores = with_intervals(scores, {name: found[name].interval(confidence) for name in scores})
    m = clusters.sizes.size
    return Evaluation(
        scores=scores,
        n=clusters.n,
        n_clusters={"labels_pred": clusters.n_pred, "sampled": m},
        details={"standard_errors": {name: found[name].standard_error for name in scores}},
        settings={
            "indices": list(scores),
            "of": "clustering",
            "confidence": confidence,
            "sampled_clusters": m,
        },
        backend=backend_of(labels_true, labels_pred),
    )


def _chosen(indices: Any) -> list[Index]:
    keywords, named = split_keywords(indices)
    asked = select_indices([*(ESTIMABLE if keywords else ()), *named], ("external",))
    for record in asked:
        if record.name not in ESTIMABLE:
            raise InputError(
                f"{record.name} cannot be estimated from sampled clusters: these can: {listed(ESTIMABLE, 9)}"
            )
    return asked


def _reason(value: float, record: Index) -> str | None:
    return f"0/0: {record.undefined.removeprefix('if ').rstrip('.')}" if math.isnan(value) else None


def _counted(labels_true: Any, labels_pred: Any, sampled: Any, sampling_weights: Any) -> SampledClusters:
    check_same_order({"labels_true": labels_true, "labels_pred": labels_pred})
    pred = code_labels(labels_pred, "labels_pred")
    if pred.missing is not None:
        raise InputError(
            Argument("labels_pred"),
            " has no label ",
            Position(int(np.argmax(pred.missing))),
            ": the predictions of all records are needed",
        )
    chosen = code_labels(sampled, "sampled")
    if not len(chosen) or chosen.missing is not None:
        where = () if chosen.missing is None else (" ", Position(int(np.argmax(chosen.missing))))
        raise InputError(
            Option("sampled"), " has no label", *where, ": give labels of ", Argument("labels_true")
        )
    places, labels = chosen.dense()
    names = [labels[place] for place in places.tolist()]
    known = align_labels({"labels_true": labels_true, "labels_pred": pred}, LabelOptions("drop"))
    cluster = _places(known.labels[0], names)
    check_same_order({"sampled": sampled, "sampling_weights": sampling_weights})
    weights = np.ones(len(names)) if sampling_weights is None else _weights(sampling_weights, names)
    inside = np.flatnonzero(cluster >= 0)
    rows = inside if known.kept is None else known.kept[inside]
    return SampledClusters.count(cluster[inside], rows, pred.dense()[0], weights / weights.max())


def _weights(given: Any, names: list[Any]) -> NDArray[np.float64]:
    name, m = Option("sampling_weights"), len(names)
    weights = as_numbers("sampling_weights", given)
    if weights.size != m:
        raise InputError(name, f" has {weights.size} entries: {m} clusters need one weight each")
    index: Any = getattr(given, "index", None)
    if hasattr(index, "equals") and list(index) != names and set(index) == set(names):
        raise InputError(
            name, " has the labels of ", Option("sampled"), " as its index, in another order: sort them alike"
        )
    usable = np.isfinite(weights) & (weights > 0)
    if not usable.all():
        wrong = int(np.argmin(usable))
        raise InputError(name, f" has {weights[wrong]:g} ", Position(wrong), ": a number above 0 is needed")
    return weights


def _places(truth: Labels, names: list[Any]) -> NDArray[np.int64]:
    """Return the place of each record's cluster among the sampled ones; -1 for others."""
    codes, labels = truth.dense()
    # A file with a column of text is read as text, so 7 names "7".
    number = {str(label): i for i, label in enumerate(labels)} | {label: i for i, label in enumerate(labels)}
    places = np.full(len(labels), -1)
    for place, name in enumerate(names):
        own = number.get(name, number.get(str(name)))
        if own is None:
            raise InputError(
                Option("sampled"), f" has {name!r}, of which ", Argument("labels_true"), " has no record"
            )
        if places[own] >= 0:
            raise InputError(Option("sampled"), f" has {name!r} twice: name each cluster once")
        places[own] = place
    return np.asarray(places[codes])
