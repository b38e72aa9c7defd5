"""Confidence intervals of results from labels or points, treating the instances as a sample."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, Unpack

from adjudge.errors import InputError, Option
from adjudge.given.alignment import align_labels
from adjudge.given.label_options import LabelKeywords, LabelOptions
from adjudge.given.options import check_choice, given_names
from adjudge.indices.catalog import select_indices
from adjudge.indices.internal_record import InternalIndex
from adjudge.indices.record import Index
from adjudge.inference.classes.outcome_intervals import classification_intervals
from adjudge.inference.interval import Interval
from adjudge.inference.partitions.intervals import clustering_intervals, external_intervals
from adjudge.inference.points.internal_intervals import internal_intervals
from adjudge.statistics.agreement import KINDS, Outcomes, right_or_wrong
from adjudge.usual_seed import USUAL_SEED

AnyIndex = str | Index | Callable[..., Any]


def confidence_interval(
    index: AnyIndex,
    labels_true: Any = None,
    labels_pred: Any = None,
    *,
    X: Any = None,
    labels: Any = None,
    confidence: float = 0.95,
    method: str = "score",
    n_resamples: int | None = None,
    random_state: Any = USUAL_SEED,
    **options: Any,
) -> Interval:
    """Confidence interval of one index; see :func:`~adjudge.inference.confidence_intervals`.

    Parameters
    ----------
    index : str, Index or callable
    labels_true, labels_pred, X, labels, confidence, method, n_resamples, random_state, **options
        As for :func:`~adjudge.inference.confidence_intervals`.

    Returns
    -------
    Interval

    Examples
    --------
    >>> from adjudge.inference import confidence_interval
    >>> low, high = confidence_interval("rand", [[30, 5], [4, 61]])
    >>> round(low, 3), round(high, 3)
    (0.716, 0.912)
    """
    (interval,) = confidence_intervals(
        [index],
        labels_true,
        labels_pred,
        X=X,
        labels=labels,
        confidence=confidence,
        method=method,
        n_resamples=n_resamples,
        random_state=random_state,
        **options,
    ).values()
    return interval


def confidence_intervals(
    indices: Sequence[AnyIndex],
    labels_true: Any = None,
    labels_pred: Any = None,
    *,
    X: Any = None,
    labels: Any = None,
    confidence: float = 0.95,
    method: str = "score",
    n_resamples: int | None = None,
    random_state: Any = USUAL_SEED,
    **options: Any,
) -> dict[str, Interval]:
    """Compute confidence intervals of several indices, treating the instances as a sample.

    Parameters
    ----------
    indices : sequence of str, Index or callable
        Against the truth: as for :func:`~adjudge.inference.null_distribution`, and scores of classifiers. With `X`:
        internal indices.
    labels_true, labels_pred : array-like of shape (n,), optional
        The labels; or, without `labels_pred`, a contingency table.
    X : array-like of shape (n, p), optional
        Points, for internal indices.
    labels : array-like of shape (n,), optional
        Labels that are judged from the points; default `labels_pred`. The clusters are treated as fixed: the
        uncertainty of finding them in these points is not included.
    confidence : float, default 0.95
    method : {"score", "jackknife", "percentile", "bca"}, default "score"
        Against the truth: score-type on the index's range (if finite, else the jackknife); normal with the jackknife's
        standard error; or the percentile or BCa bootstrap of the table's cells. From points, it is always the
        jackknife.
    n_resamples : int, optional
        Number of bootstrap samples (default 2,000); from points, of groups that are left out in turn (default 200).
    random_state : int, Generator, SeedSequence or None, default 0
        Seed for reproducible results.
    **options
        Keyword parameters of the indices; with `X` alone `metric`, `missing`, `noise` and `noise_label`, as for
        :func:`~adjudge.evaluate`.

    Returns
    -------
    dict of str to Interval
        By name of the index; nan with a reason if there is no interval.

    Raises
    ------
    InputError
        If an index needs an input that was not given.

    Examples
    --------
    >>> from adjudge.inference import confidence_intervals
    >>> found = confidence_intervals(["rand", "purity"], [[30, 5], [4, 61]])
    >>> {name: (round(low, 2), round(high, 2)) for name, (low, high) in found.items()}
    {'rand': (0.72, 0.91), 'purity': (0.84, 0.95)}
    >>> import numpy as np
    >>> X = np.r_[np.linspace(0, 1, 20), np.linspace(3, 4, 20)][:, None]
    >>> low, high = confidence_intervals(["silhouette"], X=X, labels=[0] * 20 + [1] * 20)["silhouette"]
    >>> round(low, 2), round(high, 2)
    (0.85, 0.9)
    """
    drawn: dict[str, Any] = {} if n_resamples is None else {"n_resamples": n_resamples}
    common: dict[str, Any] = {"confidence": confidence, "random_state": random_state, **drawn, **options}
    if X is None:
        if labels_true is None:
            raise InputError(
                "nothing to judge: give ", Option("labels_true"), " and ", Option("labels_pred"), ", or ",
                Option("X"), " and ", Option("labels"),
            )  # fmt: skip
        return external_intervals(
            given_names("indices", indices), labels_true, labels_pred, method=method, **common
        )
    judged = labels_pred if labels is None else labels
    if judged is None:
        raise InputError(Option("labels"), " is missing: ", Option("X"), " needs the labels to judge")
    records = select_indices(indices, ("internal",))  # type: ignore[arg-type]
    inner = [record for record in records if isinstance(record, InternalIndex)]
    if outer := [record.name for record in records if not isinstance(record, InternalIndex)]:
        raise InputError(f"{outer[0]} compares with the truth: leave ", Option("X"), " out")
    return internal_intervals(X, judged, inner, **common)


def comparison_intervals(
    labels_true: Any,
    primary: Any,
    alternative: Any,
    *,
    kind: Literal["clustering", "classification"],
    confidence: float = 0.95,
    method: str = "score",
    n_resamples: int | None = None,
    random_state: Any = USUAL_SEED,
    **options: Unpack[LabelKeywords],
) -> dict[str, Interval]:
    """Compute confidence intervals of the Prayatul measures of two models, treating the instances as a sample.

    Parameters
    ----------
    labels_true, primary, alternative : array-like of shape (n,)
    kind : {"clustering", "classification"}
        Kind of the models. For classifiers, comparative deviation and the rightnesses have mid-P intervals (exact, with
        half the weight on the observed outcome), the other measures score intervals.
    confidence : float, default 0.95
    method, n_resamples, random_state
        For clusterings: see :func:`~adjudge.inference.confidence_intervals`.
    **options
        `missing`, `noise` and `noise_label`, as for :func:`~adjudge.compare`.

    Returns
    -------
    dict of str to Interval
        By measure.

    Examples
    --------
    >>> from adjudge.inference import comparison_intervals
    >>> truth = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]
    >>> p, q = [0, 0, 0, 0, 1, 1, 1, 0, 2, 2, 2, 2], [0, 0, 1, 1, 1, 1, 1, 0, 2, 2, 0, 2]
    >>> low, high = comparison_intervals(truth, p, q, kind="clustering")["effective_superiority"]
    >>> round(low, 2) < 0.73 < round(high, 2)
    True
    >>> low, high = comparison_intervals(truth, p, q, kind="classification")["comparative_rightness"]
    >>> low < 1.0 <= high
    True
    """
    check_choice("kind", kind, KINDS)
    if kind == "clustering":
        return clustering_intervals(
            labels_true,
            primary,
            alternative,
            confidence=confidence,
            method=method,
            random_state=random_state,
            **({} if n_resamples is None else {"n_resamples": n_resamples}),
            **options,
        )
    if method != "score":
        raise InputError(Option("method", method), " is an option for clusterings: leave it out")
    treatment = LabelOptions(**options)
    treatment.check_kind(kind)
    vectors = {"labels_true": labels_true, "primary": primary, "alternative": alternative}
    truth, one, other = align_labels(vectors, treatment).labels
    outcomes = Outcomes(right_or_wrong(truth, one, "primary"), right_or_wrong(truth, other, "alternative"))
    return classification_intervals(outcomes.agreement, confidence=confidence)
