"""The verb `evaluate` judges one partition."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np

from adjudge.errors import InputError
from adjudge.indices.catalog import select_indices
from adjudge.indices.record import Index, InternalIndex, Kind, LabelIndex
from adjudge.inputs.labels import check_choice, check_noise
from adjudge.results import Evaluation
from adjudge.statistics.contingency import reduce_labels
from adjudge.statistics.reduced import ReducedPoints
from adjudge.tables import backend_of

__all__ = ["evaluate", "evaluate_reduced"]


def evaluate(
    labels_true: Any = None,
    labels_pred: Any = None,
    *,
    X: Any = None,
    labels: Any = None,
    indices: str | Index | Iterable[str | Index] = "all",
    kind: Literal["clustering", "classification"] = "clustering",
    counts: Any = None,
    missing: str = "raise",
    noise: str = "cluster",
    noise_label: Any = -1,
    **points_options: Any,
) -> Evaluation:
    """Judge a partition against the truth (external indices), from the data alone (internal), or both.

    Parameters
    ----------
    labels_true : array-like of shape (n,), or a contingency table, optional
        Reference labels: integers, text, categories ... A :class:`Contingency` or a matrix of counts may stand in
        for both label vectors.
    labels_pred : array-like of shape (n,), optional
        Labels to be judged.
    X : array-like of shape (n, p), optional
        Points, for internal indices.
    labels : array-like of shape (n,), optional
        Labels to be judged from the points; default `labels_pred`.
    indices : "all", a name or record, or several, default "all"
        "all" means all that the inputs allow. Names may be abbreviated.
    kind : {"clustering", "classification"}, default "clustering"
        Whether names of clusters are arbitrary, or labels are right only where they equal the true ones.
    counts : array-like of int of shape (n,), optional
        How many instances each row stands for.
    missing : {"raise", "drop"}, default "raise"
        What to do with instances that have no label.
    noise : {"cluster", "singletons", "drop"}, default "cluster"
        Whether instances labelled `noise_label` are an ordinary cluster, one cluster each, or left out.
    noise_label : default -1
    **points_options
        With X: `metric`, `memory_limit`, `exact`, `n_threads`, `progress`, as for
        :func:`adjudge.engines.threads.reduce_points`.

    Returns
    -------
    Evaluation
        ``evaluation["rand"]`` is a value, ``evaluation.reasons`` says why values are undefined.

    Raises
    ------
    InputError
        For inputs that cannot be used, and for indices that need an input which was not given.

    Examples
    --------
    >>> from adjudge import evaluate
    >>> result = evaluate(["a", "a", "b", "b"], [0, 0, 1, 2], indices=["rand", "jac", "precision"])
    >>> result["rand"]
    0.8333333333333334
    >>> result.values["jaccard"], result["prec"]
    (0.5, 1.0)
    """
    check_choice("kind", kind, ("clustering", "classification"))
    check_noise(noise, kind)
    has_truth = labels_true is not None
    if labels is None:
        labels = labels_pred
    has_points = X is not None
    if not has_truth and not has_points:
        raise InputError(
            "nothing to judge: give labels_true and labels_pred, or X and labels, or all of them"
        )
    if has_points and labels is None:
        raise InputError("labels are missing: X needs the labels to be judged")
    if points_options and not has_points:
        raise InputError(f"{', '.join(points_options)} goes with points: X is missing")
    kinds: list[Kind] = []
    if has_truth:
        kinds.append("external" if kind == "clustering" else "classification")
    if has_points:
        kinds.append("internal")
    chosen = select_indices(indices, tuple(kinds))
    for record in chosen:
        if record.kind not in kinds:
            raise InputError(_what_is_missing(record, kind))
    label_options = {"missing": missing, "noise": noise, "noise_label": noise_label}
    values: dict[str, float] = {}
    reasons: dict[str, str] = {}
    n_clusters: dict[str, int] = {}
    extra: dict[str, Any] = {}
    n = 0
    if has_truth:
        table = reduce_labels(labels_true, labels_pred, counts=counts, **label_options)
        n = table.n
        n_clusters = {"labels_true": table.shape[0], "labels_pred": table.shape[1]}
        for record in chosen:
            if isinstance(record, LabelIndex):
                _assess(record, record.read(table), values, reasons)
    inner = [record for record in chosen if isinstance(record, InternalIndex)]
    if has_points and (inner or not has_truth):
        if counts is not None and not has_truth:
            raise InputError("counts= weighs instances of label vectors: it does not go with points")
        from adjudge.engines.threads import reduce_points

        wanted = list(dict.fromkeys(t for record in inner for t in record.requires))
        reduced = reduce_points(X, labels, wanted, **label_options, **points_options)
        judged = evaluate_reduced(reduced, inner)
        values |= judged.values
        reasons |= judged.reasons
        n_clusters |= judged.n_clusters
        n = n or judged.n
        extra = {"details": judged.details, "error_bounds": judged.error_bounds}
    order = [record.name for record in chosen]
    return Evaluation(
        values={name: values[name] for name in order},
        reasons={name: reasons[name] for name in order if name in reasons},
        n=n,
        n_clusters=n_clusters,
        settings={
            "indices": "all" if isinstance(indices, str) and indices == "all" else order,
            "of": kind,
            **label_options,
            **{k: v for k, v in points_options.items() if isinstance(v, (str, int, float, bool))},
        },
        backend=backend_of(labels_true, labels_pred, labels, X),
        **extra,
    )


def evaluate_reduced(reduced: ReducedPoints, indices: Sequence[InternalIndex]) -> Evaluation:
    """Judge a partition from what its points were reduced to, by whatever engine."""
    values: dict[str, float] = {}
    reasons: dict[str, str] = {}
    for record in indices:
        _assess(record, tuple(reduced[t] for t in record.requires), values, reasons)
    return Evaluation(
        values=values,
        reasons=reasons,
        n=reduced.n,
        n_clusters={"labels": reduced.n_clusters},
        details=reduced.details,
        error_bounds=reduced.error_bounds(indices),
    )


def _assess(
    record: Index, statistics: tuple[Any, ...], values: dict[str, float], reasons: dict[str, str]
) -> None:
    value, reason = record.assess(*statistics)
    values[record.name] = value
    if reason is not None:
        reasons[record.name] = reason
    elif np.isnan(value):
        reasons[record.name] = "undefined"


def _what_is_missing(record: Index, kind: str) -> str:
    if record.kind == "internal":
        return f"{record.name} is an internal index: it needs the points, X="
    if record.kind == "comparative":
        return f"{record.name} compares two models: use compare()"
    if record.kind == "classification" and kind == "clustering":
        return f"{record.name} scores classifiers: pass kind='classification'"
    if record.kind == "external" and kind == "classification":
        return f"{record.name} compares partitions: pass kind='clustering'"
    return f"{record.name} is an external index: it needs labels_true"
