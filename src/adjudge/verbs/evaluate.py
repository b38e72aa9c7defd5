"""The verb `evaluate` judges one partition."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from inspect import signature
from typing import Any, Literal

import numpy as np

from adjudge.errors import InputError, NoCentroidsError
from adjudge.given.label_options import LabelOptions
from adjudge.given.metrics import as_metric, keeps_centroids
from adjudge.given.options import check_choice, check_flag, check_known, check_random_state
from adjudge.given.point_options import PointOptions
from adjudge.indices.catalog import is_all, select_indices
from adjudge.indices.kinds import Kind
from adjudge.indices.record import Index, InternalIndex, LabelIndex
from adjudge.presentation.tables import backend_of
from adjudge.progress import reporting
from adjudge.results import Evaluation
from adjudge.statistics.contingency import Contingency, reduce_labels
from adjudge.statistics.moments import POINT_STATISTICS
from adjudge.statistics.pair_distances import Silhouettes
from adjudge.statistics.reduced import ReducedPoints

__all__ = [
    "check_options",
    "evaluate",
    "evaluate_counted",
    "evaluate_reduced",
    "has_perfect_value",
    "merged",
    "options_of_points",
]


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
    confidence: float | None = None,
    adjust: bool = False,
    n_tables: int = 17_000,
    random_state: Any = None,
    compat: Literal["clusterCrit"] | None = None,
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
        Whether names of clusters are arbitrary, or labels are right only where they equal the true ones. Classes that
        are none of the true ones are an error.
    counts : array-like of int of shape (n,), optional
        How many instances each row stands for.
    missing : {"raise", "drop"}, default "raise"
        What to do with instances that have no label.
    noise : {"cluster", "singletons", "drop"}, default "cluster"
        Whether instances labelled `noise_label` are an ordinary cluster, one cluster each, or left out.
    noise_label : default -1
        The label of noise.
    confidence : float, optional
        Add confidence intervals of this level, the instances being a sample. Internal indices that need distances
        between points have none, but for the silhouette: `interval_reasons` says so.
    adjust : bool, default False
        Correct external indices for chance: the mean over pairs of partitions with these cluster sizes becomes 0. The
        p-value is the share of such pairs that agree at least as well; from simulated tables it is at least
        1 / (`n_tables` + 1), which tables show as an upper bound.
    n_tables : int, default 17,000
        Tables to draw for the indices whose null distribution is simulated; see :func:`null_distribution`.
    random_state : int, Generator, SeedSequence or None
        Makes what is drawn at random the same again.
    compat : {"clusterCrit"}, optional
        Internal indices as that program computes them, where it departs from the published formulas.
    **points_options
        With X:

        - `metric`, default "euclidean": a name that SciPy or scikit-learn know, "precomputed", or a function of two
          points.
        - `sample`, a number of points: estimate the indices of distances from samples of so many, with intervals.
        - `memory_limit`, default 2**30: bytes that ranks of distances may take. `exact=True` counts ranks exactly also
          where that is too little.
        - `n_threads`, default one a core; the digits do not depend on it.
        - `engine`, "numba" or "torch", and for the latter `device`, "cpu" or "cuda".
        - `checkpoint`, a file: the passes over all distances are saved there, and go on from there.
        - `bins`, default 2**16 and at most 2**20: of the histogram that estimates ranks where `memory_limit` is too
          little; with more of them the bound of the error is closer.
        - `progress`, called as ``progress(done, total)``; False shows nothing. Default: a bar on a terminal.

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
    LabelOptions(missing, noise, noise_label).check_kind(kind)
    check_flag("adjust", adjust)
    check_random_state(random_state)
    if compat is not None:
        check_choice("compat", compat, ("clusterCrit",))
    has_truth = labels_true is not None
    if labels is None:
        labels = labels_pred
    has_points = X is not None
    _check_given(has_truth, has_points, labels, points_options, counts, adjust)
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
    parts: list[Evaluation] = []
    if has_truth:
        table = reduce_labels(labels_true, labels_pred, counts=counts, **label_options)
        outer = [record for record in chosen if isinstance(record, LabelIndex)]
        judged = evaluate_counted(table, outer)
        parts.append(_with_inference(judged, table, outer, confidence, adjust, n_tables, random_state))
    inner = [record for record in chosen if isinstance(record, InternalIndex)]
    if (
        has_points
        and is_all(indices)
        and not keeps_centroids(X, as_metric(points_options.get("metric", "euclidean")))
    ):
        # "all" means all that the points allow.
        inner = [record for record in inner if POINT_STATISTICS.isdisjoint(record.requires)]
    if has_points and (inner or not has_truth):
        options = {**label_options, **points_options}
        sample = options.pop("sample", None)
        if sample is not None:
            judged = _look_quickly(X, labels, inner, compat, sample, confidence, random_state, options)
        else:
            judged, reduced = _judge_points(X, labels, inner, compat, options)
            if confidence is not None and compat is None:
                widths = reduced.statistics.get(Silhouettes)
                judged = _with_point_intervals(
                    judged, X, labels, inner, confidence, random_state, options, widths
                )
        parts.append(judged)
    return replace(
        merged(parts, [record.name for record in chosen]),
        settings={
            "indices": "all" if is_all(indices) else [record.name for record in chosen],
            "of": kind,
            **label_options,
            "confidence": confidence,
            "adjust": adjust,
            "compat": compat,
            **{k: v for k, v in points_options.items() if isinstance(v, (str, int, float, bool))},
        },
        backend=backend_of(labels_true, labels_pred, labels, X),
    )


def _check_given(
    has_truth: bool,
    has_points: bool,
    labels: Any,
    points_options: dict[str, Any],
    counts: Any,
    adjust: bool,
) -> None:
    if not has_truth and not has_points:
        raise InputError(
            "nothing to judge: give labels_true and labels_pred, or X and labels, or all of them"
        )
    check_options(points_options)
    if has_points and labels is None:
        raise InputError("labels are missing: X needs the labels to be judged")
    if points_options and not has_points:
        raise InputError(f"{', '.join(points_options)} goes with points: X is missing")
    if not has_truth and counts is not None:
        raise InputError("counts= weighs instances of label vectors: it does not go with points")
    if not has_truth and adjust:
        raise InputError("adjust= goes with the truth: labels_true is missing")


def options_of_points() -> list[str]:
    """Options of `evaluate` that go with points alone: those of the engine, and the size of samples."""
    return [*PointOptions.names(), "sample"]


def check_options(given: Iterable[str]) -> None:
    """Raise for an option that `evaluate` does not have."""
    if given:
        named = [name for name in signature(evaluate).parameters if name != "points_options"]
        check_known(given, (*named, *options_of_points()), "evaluate()")


def _judge_points(
    X: Any, labels: Any, records: list[InternalIndex], compat: str | None, options: dict[str, Any]
) -> tuple[Evaluation, ReducedPoints]:
    from adjudge.engines.points import reduce_points

    if compat is not None:
        from adjudge.indices.compat import as_clustercrit

        records = [record for r in records if isinstance(record := as_clustercrit(r), InternalIndex)]
    wanted = list(dict.fromkeys(t for record in records for t in record.requires))
    try:
        with reporting(options.pop("progress", None), "Distances") as progress:
            reduced = reduce_points(X, labels, wanted, progress=progress, **options)
    except NoCentroidsError as error:
        names = [record.name for record in records if not POINT_STATISTICS.isdisjoint(record.requires)]
        more = f" and {len(names) - 4} more" if len(names) > 4 else ""
        raise NoCentroidsError(f"{', '.join(names[:4])}{more}: {error}") from None
    return evaluate_reduced(reduced, records), reduced


def _look_quickly(
    X: Any,
    labels: Any,
    records: list[InternalIndex],
    compat: str | None,
    sample: int,
    confidence: float | None,
    random_state: Any,
    options: dict[str, Any],
) -> Evaluation:
    """Estimate the indices of distances; the others are computed from all points."""
    from adjudge.inference.quick_look import quick_look

    if compat is not None:
        raise InputError("sample= estimates the published formulas: leave compat= out")
    for name in ("checkpoint", "exact", "bins", "device"):
        if options.pop(name, None):
            raise InputError(f"sample= makes passes short: leave {name}= out")
    if options.pop("engine", "numba") != "numba":
        raise InputError("sample= makes passes short: leave engine= out")
    with reporting(options.pop("progress", None), "Samples") as progress:
        reduced, estimates = quick_look(
            X,
            labels,
            records,
            sample,
            confidence=0.95 if confidence is None else confidence,
            random_state=random_state,
            progress=progress,
            **options,
        )
    judged = evaluate_reduced(reduced, [record for record in records if record.name not in estimates])
    undefined = {name: e.reason for name, e in estimates.items() if math.isnan(e.value)}
    return replace(
        judged,
        values={**judged.values, **{name: e.value for name, e in estimates.items()}},
        reasons={**judged.reasons, **undefined},
        intervals={name: (e.low, e.high) for name, e in estimates.items() if not math.isnan(e.low)},
        interval_reasons={name: e.reason for name, e in estimates.items() if name not in undefined},
        records={record.name: record for record in records},
    )


def _with_point_intervals(
    evaluation: Evaluation,
    X: Any,
    labels: Any,
    records: Sequence[InternalIndex],
    confidence: float,
    random_state: Any,
    options: dict[str, Any],
    widths: Silhouettes | None,
) -> Evaluation:
    from adjudge.inference.internal_intervals import internal_intervals

    intervals = internal_intervals(
        X,
        labels,
        records,
        confidence=confidence,
        random_state=random_state,
        widths=widths,
        **{k: options[k] for k in ("missing", "noise", "noise_label", "metric") if k in options},
    )
    return replace(
        evaluation,
        intervals={name: (i.low, i.high) for name, i in intervals.items() if not math.isnan(i.low)},
        interval_reasons={name: i.reason for name, i in intervals.items() if i.reason},
    )


def evaluate_counted(table: Contingency, indices: Sequence[LabelIndex]) -> Evaluation:
    """Judge a partition from its contingency table with the truth."""
    values: dict[str, float] = {}
    reasons: dict[str, str] = {}
    for record in indices:
        _assess(record, record.read(table), values, reasons)
    return Evaluation(
        values=values,
        reasons=reasons,
        records={record.name: record for record in indices},
        n=table.n,
        n_clusters={"labels_true": table.shape[0], "labels_pred": table.shape[1]},
    )


def _with_inference(
    evaluation: Evaluation,
    table: Contingency,
    records: Sequence[LabelIndex],
    confidence: float | None,
    adjust: bool,
    n_tables: int,
    random_state: Any,
) -> Evaluation:
    """Add intervals, and values corrected for chance."""
    if confidence is not None:
        from adjudge.inference.intervals import external_intervals

        intervals = external_intervals(records, table, confidence=confidence)
        evaluation = replace(
            evaluation,
            intervals={name: (i.low, i.high) for name, i in intervals.items()},
            interval_reasons={name: i.reason for name, i in intervals.items() if i.reason},
        )
    if adjust:
        from adjudge.inference.chance import null_distributions

        if records and records[0].kind != "external":
            raise InputError("adjust= corrects indices of clusterings for chance: pass kind='clustering'")
        nulls = null_distributions(
            [record for record in records if has_perfect_value(record)],
            table,
            n_tables=n_tables,
            random_state=random_state,
            progress=True,
        )
        evaluation = replace(
            evaluation,
            expected={name: null.mean for name, null in nulls.items()},
            adjusted={name: null.adjusted for name, null in nulls.items()},
            p_values={name: null.p_value() for name, null in nulls.items()},
            p_floors={name: null.p_floor for name, null in nulls.items()},
            chance_methods={name: null.method for name, null in nulls.items()},
        )
    return evaluation


def has_perfect_value(record: Index) -> bool:
    """Whether there is a value to be adjusted towards; for mutual information it is an average of the entropies."""
    return (record.best is not None and np.isfinite(record.best)) or record.name == "mutual_information"


def merged(parts: Sequence[Evaluation], order: Sequence[str]) -> Evaluation:
    """Join evaluations of the same instances by different kinds of index."""
    joined = parts[0]
    for part in parts[1:]:
        joined = replace(
            joined,
            values={**joined.values, **part.values},
            reasons={**joined.reasons, **part.reasons},
            records={**joined.records, **part.records},
            n_clusters={**joined.n_clusters, **part.n_clusters},
            details=part.details,
            intervals={**joined.intervals, **part.intervals},
            interval_reasons={**joined.interval_reasons, **part.interval_reasons},
            error_bounds=part.error_bounds,
        )
    return replace(joined, values={name: joined.values[name] for name in order if name in joined.values})


def evaluate_reduced(reduced: ReducedPoints, indices: Sequence[InternalIndex]) -> Evaluation:
    """Judge a partition from what its points were reduced to, by whatever engine."""
    values: dict[str, float] = {}
    reasons: dict[str, str] = {}
    for record in indices:
        _assess(record, tuple(reduced[t] for t in record.requires), values, reasons)
    return Evaluation(
        values=values,
        reasons=reasons,
        records={record.name: record for record in indices},
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
    if record.kind == "selection":
        return f"{record.name} reads partitions into several numbers of clusters: use choose_k()"
    if record.kind == "classification" and kind == "clustering":
        return f"{record.name} scores classifiers: pass kind='classification'"
    if record.kind == "external" and kind == "classification":
        return f"{record.name} compares partitions: pass kind='clustering'"
    return f"{record.name} is an external index: it needs labels_true"
