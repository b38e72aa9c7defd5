"""From scored pairs of records to a threshold, and from clusters to the errors in them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from adjudge.errors import Argument, InputError, InputTypeError, Option, a_type
from adjudge.given.alignment import align_labels, check_same_order
from adjudge.given.label_options import LabelOptions
from adjudge.given.label_values import is_missing
from adjudge.given.pairs import read_pairs
from adjudge.presentation.tables import Table


def threshold_curve(truth: Mapping[Hashable, Any], pairs: Any, scores: Any) -> Table:
    """Judge the clusters of linked pairs at every threshold of the scores, in one sweep.

    Parameters
    ----------
    truth : mapping of record to entity
        All records.
    pairs : iterable of (record, record), array of shape (E, 2) or data frame with two columns
        Pairs of other records cannot be judged: leave them out.
    scores : array-like of shape (E,)

    Returns
    -------
    Table
        A row for each distinct score, the largest first: threshold, clusters, pair precision, recall and F.

    Notes
    -----
    Clusters are joined from the largest score down, the smaller into the larger; O(E log E + n log n).

    Examples
    --------
    >>> from adjudge.indices import threshold_curve
    >>> truth = {"a": 1, "b": 1, "c": 2, "d": 2}
    >>> print(threshold_curve(truth, [("a", "b"), ("c", "d"), ("b", "c")], [0.9, 0.8, 0.4]).text())
    threshold  clusters  pair_precision  pair_recall  pair_f
       0.9000         3          1.0000       0.5000  0.6667
       0.8000         2          1.0000       1.0000  1.0000
       0.4000         1          0.3333       1.0000  0.5000
    """
    if not isinstance(truth, Mapping):
        raise InputTypeError(Argument("truth"), f" is {a_type(truth)}: give a mapping of record to entity")
    if (lost := next((record for record, entity in truth.items() if is_missing(entity)), None)) is not None:
        raise InputError(
            Argument("truth"), f" has no entity for {lost!r}: leave it out, or give it one of its own"
        )
    _, ends, values = read_pairs(pairs, truth, [] if scores is None else scores)
    assert values is not None
    members = [Counter([entity]) for entity in truth.values()]
    parent, n = list(range(len(members))), len(members)

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = i = parent[parent[i]]
        return i

    in_true = sum(size * (size - 1) // 2 for size in Counter(truth.values()).values())
    sizes, both, in_pred, clusters = [1] * n, 0, 0, n
    rows = []
    order = np.argsort(-values, kind="stable")
    ranked = values[order]
    last = np.r_[ranked[1:] != ranked[:-1], True][: order.size]
    for (i, j), score, ends_here in zip(ends[order].tolist(), ranked.tolist(), last.tolist(), strict=True):
        one, other = root(i), root(j)
        if one != other:
            if len(members[one]) < len(members[other]):
                one, other = other, one
            both += sum(members[one][entity] * times for entity, times in members[other].items())
            in_pred += sizes[one] * sizes[other]
            members[one].update(members[other])
            members[other].clear()
            sizes[one], parent[other], clusters = sizes[one] + sizes[other], one, clusters - 1
        if ends_here:
            precision, recall = _share(both, in_pred), _share(both, in_true)
            rows.append((score, clusters, precision, recall, _share(2 * both, in_true + in_pred)))
    return Table(("threshold", "clusters", "pair_precision", "pair_recall", "pair_f"), tuple(rows))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan


def cluster_errors(
    labels_true: Any, labels_pred: Any, *, records: Iterable[Any] | None = None, missing: str = "raise"
) -> Table:
    """List the true clusters that the prediction split, merged with others, or both, the most wrong pairs first.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
    records : iterable of length n, optional
        Names of the records: adds a column with those of each cluster.
    missing : {"raise", "drop"}, default "raise"
        What to do with records that have no label.

    Returns
    -------
    Table
        By true cluster: size, error, number of predicted clusters, pairs missed, and wrong pairs with others.

    Examples
    --------
    >>> from adjudge.indices import cluster_errors
    >>> print(cluster_errors([0, 0, 0, 1, 2, 2], ["a", "a", "b", "b", "c", "c"], records="uvwxyz").text())
    cluster  size  error   parts  missed  wrong  records
          0     3  both        2       2      1  ['u', 'v', 'w']
          1     1  merged      1       0      1  ['x']
    """
    vectors = {"labels_true": labels_true, "labels_pred": labels_pred}
    check_same_order(vectors | {"records": records})
    aligned = align_labels(vectors, LabelOptions(missing))
    (truth, names), (pred, _) = (own.dense() for own in aligned.labels)
    called = (
        None if records is None else [*(records.tolist() if isinstance(records, np.ndarray) else records)]
    )
    if called is not None and len(called) != aligned.n_given:
        raise InputError(Option("records"), f" has {len(called)} names for {aligned.n_given} labels")
    if called is not None and aligned.kept is not None:
        called = [called[i] for i in aligned.kept.tolist()]
    k = int(pred.max()) + 1
    keys, x = np.unique(truth * k + pred, return_counts=True)
    of, a, b = keys // k, np.bincount(truth), np.bincount(pred)[keys % k]
    parts, kept, wrong = (
        np.bincount(of, own, a.size).astype(np.int64)
        for own in (np.ones(x.size), x * (x - 1) // 2, x * (b - x))
    )
    missed = a * (a - 1) // 2 - kept
    order = np.lexsort((np.arange(a.size), -(missed + wrong)))
    starts, by_cluster = np.cumsum(a) - a, np.argsort(truth, kind="stable")
    rows = []
    for c in order[(missed + wrong)[order] > 0].tolist():
        error = "both" if parts[c] > 1 and wrong[c] else "split" if parts[c] > 1 else "merged"
        own = by_cluster[starts[c] : starts[c] + a[c]].tolist()
        more = () if called is None else ([called[i] for i in own],)
        rows.append((names[c], int(a[c]), error, int(parts[c]), int(missed[c]), int(wrong[c]), *more))
    columns = ("cluster", "size", "error", "parts", "missed", "wrong")
    return Table(columns if called is None else (*columns, "records"), tuple(rows))
