"""Partitions by their numbers of clusters, ``{K: labels}``: checked and coded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from adjudge.array_types import Codes
from adjudge.errors import Argument, InputError, InputTypeError, in_words
from adjudge.given.alignment import align_labels, of_other_length
from adjudge.given.labels import Labels


def check_numbers_of_clusters(labels: Any) -> list[int]:
    """Return the numbers of clusters of a mapping of partitions, ascending; raise for any other input."""
    if not isinstance(labels, Mapping):
        raise InputTypeError(Argument("labels"), " must be given by number of clusters: {K: labels}")
    for k in labels:
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)):
            raise InputTypeError(
                Argument("labels"), f" has the key {in_words(k)}: labels must be given by number of clusters"
            )
    return sorted(int(k) for k in labels)


def coded_partitions(labels: Mapping[int, Any], ks: Iterable[int], n: int) -> dict[int, Codes]:
    """Check and code the partitions of n points into `ks` clusters; numbers without a partition are left out."""
    found: dict[int, Codes] = {}
    for k in ks:
        if k in labels:
            found[k] = dense_codes(np.asarray(labels[k]), n, f"labels[{k}]")
            if found[k].max() + 1 != k:
                raise InputError(
                    f"labels[{k}] has {found[k].max() + 1} clusters: its key must be its number of clusters"
                )
    return found


def labels_of_points(labels: Any, n: int, name: str) -> Labels:
    """Code labels; raise unless there is one for each of n points."""
    aligned = align_labels({name: labels})
    if aligned.n_given != n:
        raise of_other_length(name, aligned.n_given, "X", n)
    return aligned.labels[0]


def dense_codes(labels: Any, n: int, name: str) -> Codes:
    """Check labels of n points and code them 0..K-1."""
    codes, _ = labels_of_points(labels, n, name).dense()
    return np.ascontiguousarray(codes, dtype=np.int64)
