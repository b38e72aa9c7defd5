"""The verb `evaluate_many` judges many partitions, or classifiers, each against a truth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from adjudge.errors import Argument, InputError
from adjudge.given.alignment import check_same_order
from adjudge.given.kinds import names_of_labels
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Column
from adjudge.given.weights import Weighting
from adjudge.indices.record import Index
from adjudge.presentation.tables import backend_of
from adjudge.results.evaluations import Evaluations
from adjudge.results.notice import Notice
from adjudge.verbs.compare import named_models
from adjudge.verbs.evaluate import evaluate_raw
from adjudge.verbs.kinds import with_kind
from adjudge.verbs.request import EvaluationRequest

__all__ = ["evaluate_many"]


def evaluate_many(
    labels_true: Any,
    labels_pred: Any,
    *,
    indices: str | Index | Iterable[str | Index] = "default",
    kind: Literal["clustering", "classification", "multilabel"] | None = None,
    counts: Any = None,
    sample_weight: Any = None,
    weights: Literal["frequency", "importance"] | None = None,
    units: Any = None,
    missing: str | Mapping[str, str] = "raise",
    noise: str | Mapping[str, str] = "cluster",
    noise_label: Any = -1,
    confidence: float | None = None,
    adjust: bool = False,
    n_tables: int | None = None,
    random_state: Any = None,
) -> Evaluations:
    """Judge many partitions or classifiers, each by itself, in one call.

    Each has the scores that :func:`evaluate` gives. A truth that all share is read once. :func:`compare` also tells,
    for each two models, where one is right and the other wrong, and leaves out the same instances for all.

    Parameters
    ----------
    labels_true : array-like of shape (n,), or mapping of str to such
        The truth of all; or the truth of each by the names of `labels_pred`, whose lengths may then differ.
    labels_pred : mapping of str to array-like, data frame, or sequence of array-like
        Labels to judge: by name, in columns, or in a list, whose entries are called "0", "1" ...
    indices : "default", "all", a name or record, or several, default "default"
    kind : {"clustering", "classification", "multilabel"}, optional
        Default: "classification" if all labels are text and have the names of their truth, else "clustering".
    counts, sample_weight, weights
        Weights of the instances, the same for all; see :func:`evaluate`.
    units : array-like of shape (n,), optional
        The unit that each instance belongs to, as for :func:`evaluate`.
    missing : {"raise", "drop"} or mapping, default "raise"
    noise : {"cluster", "singletons", "drop"} or mapping, default "cluster"
    noise_label : default -1
        As for :func:`evaluate`; mappings name "labels_true" and "labels_pred".
    confidence : float, optional
        Add confidence intervals of this level.
    adjust : bool, default False
        Correct external indices for chance.
    n_tables : int, optional
    random_state : int, Generator, SeedSequence or None

    Returns
    -------
    Evaluations
        ``evaluations["a"]`` is the :class:`Evaluation` of one, ``evaluations["a", "rand"]`` a value, and
        ``evaluations.to_frame()`` has a row for each and a column for each index.

    Raises
    ------
    InputError
        If an input cannot be used; the message names the labels.

    Examples
    --------
    >>> from adjudge import evaluate_many
    >>> truth = [0, 0, 0, 1, 1, 1]
    >>> found = evaluate_many(truth, {"a": [0, 0, 1, 1, 2, 2], "b": [5, 5, 5, 5, 7, 7]}, indices=["ari", "purity"])
    >>> print(found.table().text())
    labels_pred  adjusted_rand  purity
    a                   0.2424  0.8333
    b                   0.3243  0.8333
    >>> found["b", "purity"]
    0.8333333333333334
    """
    request = EvaluationRequest(
        indices=indices,
        kind=kind,
        labels=LabelOptions(missing, noise, noise_label),
        confidence=confidence,
        adjust=adjust,
        n_tables=n_tables,
        random_state=random_state,
    )
    weighting = Weighting(counts, sample_weight, weights, units)
    predictions = _by_name(labels_pred)
    truths = _truth_of_each(labels_true, predictions)
    # Sets of labels are coded together with those that they are judged against.
    read = _as_given if kind == "multilabel" else Column.of
    shared = None if isinstance(labels_true, Mapping) else read(labels_true, "labels_true")
    given = {}
    for name, labels in predictions.items():
        check_same_order({"labels_true": truths[name], name: labels})
        truth = read(truths[name], "labels_true") if shared is None else shared
        given[name] = truth, read(labels, name)
    said: tuple[Notice, ...] = ()
    if kind is None:
        names = partial(names_of_labels, numbers_as_well=False)
        occurring = [(names(true.values), [names(own.values)]) for true, own in given.values()]
        request, said = with_kind(request, occurring)
    judged = {}
    for name, pair in given.items():
        found = evaluate_raw(request, *pair, None, None, weighting)
        judged[name] = replace(found, warnings=said + found.warnings)
    return Evaluations(judged, backend_of(labels_true, *truths.values(), *predictions.values()))


def _as_given(labels: Any, name: str) -> Any:
    return labels


def _by_name(labels_pred: Any) -> dict[str, Any]:
    """Return the labels to judge by their names."""
    if isinstance(labels_pred, (list, tuple)):
        labels_pred = {str(i): labels for i, labels in enumerate(labels_pred)}
    return named_models(labels_pred, "labels_pred")


def _truth_of_each(labels_true: Any, predictions: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the truth that each is judged against."""
    if not isinstance(labels_true, Mapping):
        return dict.fromkeys(predictions, labels_true)
    truths = {str(name): labels for name, labels in labels_true.items()}
    for one, other, names in (
        ("labels_pred", "labels_true", predictions.keys() - truths.keys()),
        ("labels_true", "labels_pred", truths.keys() - predictions.keys()),
    ):
        if names:
            raise InputError(
                Argument(one), f" has {min(names)!r}, but ", Argument(other), " has no labels of that name"
            )
    return truths
