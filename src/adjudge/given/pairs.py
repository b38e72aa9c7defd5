"""Pairs of records that a program links, and the clusters that they form."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from numbers import Real
from typing import Any

import numpy as np

from adjudge.array_types import Floats, Ints
from adjudge.errors import InputError, InputTypeError, Option, Position, in_words
from adjudge.given.arrays import to_numpy
from adjudge.given.label_values import is_missing
from adjudge.given.options import as_numbers


def labels_from_pairs(
    pairs: Any,
    records: Iterable[Hashable] | None = None,
    scores: Any = None,
    threshold: float | None = None,
) -> dict[Any, int]:
    """Return the cluster of each record: its connected component.

    Parameters
    ----------
    pairs : iterable of (record, record), array of shape (E, 2) or data frame with two columns
        Linked records, in either order.
    records : iterable, optional
        All records; those in no pair are alone. Default: the records in pairs.
    scores : array-like of shape (E,), optional
        Scores of the pairs.
    threshold : float, optional
        Only pairs with at least this score link.

    Returns
    -------
    dict
        Record -> cluster, in the order of the records; clusters are numbered 0, 1, ... as they first appear. Its
        ``values()``, as a list, are labels for :func:`adjudge.evaluate`.

    Raises
    ------
    InputError
        If a pair has not two records, or one that is missing or not among `records`; if scores do not fit.

    Examples
    --------
    >>> from adjudge.indices import labels_from_pairs
    >>> labels_from_pairs([("b", "c"), ("a", "c")], records=["a", "d", "b", "c"])
    {'a': 0, 'd': 1, 'b': 0, 'c': 0}
    >>> labels_from_pairs([("b", "c"), ("a", "c")], scores=[0.9, 0.4], threshold=0.5)
    {'b': 0, 'c': 0, 'a': 1}
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    places, ends, values = read_pairs(pairs, records, scores)
    if (values is None) != (threshold is None):
        raise InputError(
            Option("scores"), " and ", Option("threshold"), " belong together: give both or neither"
        )
    if values is not None:
        if not isinstance(threshold, Real) or math.isnan(threshold):
            raise InputError(Option("threshold", threshold), ": a number is needed")
        # The 0.7 of a float32 is less than the 0.7 of a Python number.
        single = to_numpy(scores, "scores").dtype == np.float32
        ends = ends[values >= (np.float32(threshold) if single else threshold)]
    n = len(places)
    graph = coo_array((np.ones(len(ends), np.int8), (ends[:, 0], ends[:, 1])), shape=(n, n))
    found = connected_components(graph, directed=False)[1] if n else np.zeros(0, np.int64)
    numbers: dict[int, int] = {}
    labels = (numbers.setdefault(own, len(numbers)) for own in found.tolist())
    return dict(zip(places, labels, strict=True))


def read_pairs(
    pairs: Any, records: Iterable[Hashable] | None, scores: Any
) -> tuple[dict[Any, int], Ints, Floats | None]:
    """Return the place of each record, those of each pair as an array of shape (E, 2), and the scores."""
    named = () if records is None else dict.fromkeys(_rows(records))
    places: dict[Any, int] = {record: i for i, record in enumerate(named)}
    ends: list[tuple[int, int]] = []
    for i, pair in enumerate(_rows(pairs)):
        if not isinstance(pair, (tuple, list, np.ndarray)) or len(pair) != 2:
            raise InputTypeError(f"pairs has {in_words(pair)} ", Position(i), ": each pair is two records")
        for record in pair:
            if record in places and record is not None:
                continue
            if is_missing(record):
                raise InputError("pairs has a missing record ", Position(i), ": leave such pairs out")
            if records is not None:
                raise InputError(
                    f"pairs has {in_words(record)} ", Position(i), ", which is not among the records"
                )
            places[record] = len(places)
        ends.append((places[pair[0]], places[pair[1]]))
    values = None if scores is None else as_numbers("scores", scores)
    if values is not None and (values.size != len(ends) or np.isnan(values).any()):
        raise InputError(Option("scores"), f" are not one number for each of {len(ends)} pairs")
    return places, np.array(ends, np.int64).reshape(-1, 2), values


def _rows(pairs: Any) -> Iterable[Any]:
    """Return the rows of a pandas or Polars data frame or of an array; other pairs as they are."""
    if hasattr(pairs, "itertuples"):
        return pairs.itertuples(index=False, name=None)  # type: ignore[no-any-return]
    if hasattr(pairs, "iter_rows"):
        return pairs.iter_rows()  # type: ignore[no-any-return]
    return pairs.tolist() if isinstance(pairs, np.ndarray) else pairs  # type: ignore[no-any-return]
