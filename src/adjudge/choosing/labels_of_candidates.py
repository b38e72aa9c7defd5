"""Labels of candidates that are columns of the points' data frame, or that have gaps."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from adjudge.errors import InputError
from adjudge.given.annotated import annotated_candidates, is_annotated
from adjudge.given.identifiers import no_coordinates
from adjudge.given.labels import Labels, code_labels
from adjudge.given.points import Points, as_points
from adjudge.presentation.numbers import listed
from adjudge.results.notice import Notice
from adjudge.results.point_notices import as_coordinates
from adjudge.unknown_names import close_names

__all__ = ["candidates_in_columns", "without_gaps"]

_FRAMES = ("pandas", "polars", "pyarrow", "narwhals")


def candidates_in_columns(
    X: Any, candidates: Any, graph: Any = None
) -> tuple[Any, Any, Any, tuple[Notice, ...]]:
    """Split a data frame X into the points and the columns that `candidates` names, one name or several.

    Other columns that look like labels are no coordinates, unless all do; the last value says which these are.
    Of an annotated matrix, the points are scanpy's principal components, a name may be a pattern, and the graph may be
    named. With a graph, columns are no points. Any other input stays as it is.
    """
    if is_annotated(X):
        return *annotated_candidates(X, candidates, graph), ()
    names = [candidates] if isinstance(candidates, str) else candidates
    if (
        not isinstance(names, Sequence)
        or not names
        or not all(isinstance(name, (str, int)) for name in names)
    ):
        return X, candidates, graph, ()
    if type(X).__module__.partition(".")[0] not in _FRAMES:
        return X, candidates, graph, ()
    from adjudge.given.data_frames import float_values, read_data_frame

    frame = read_data_frame(X, "X")
    columns = {str(name): series for name, series in zip(frame.columns, frame.iter_columns(), strict=True)}
    wanted = [str(name) for name in names]
    for name in wanted:
        if name not in columns:
            close = close_names(name, columns, 3)
            meant = (
                f"did you mean {listed(list(map(repr, close)))}?"
                if close
                else f"it has {listed(list(columns))}"
            )
            raise InputError(f"candidates names {name!r}, but X has no such column: {meant}")
    named = {name: columns[name].to_native() for name in wanted}
    if graph is not None:
        return None, named, graph, ()
    rest = [name for name in columns if name not in wanted]
    if not rest:
        raise InputError("candidates names all columns of X: none is left for the points")
    numbers = ((name, float_values(columns[name])) for name in rest if columns[name].dtype.is_numeric())
    labels = no_coordinates(numbers, wanted)["labels"]
    labels = labels if len(labels) < len(rest) else []
    left = frame.select(*[columns[name] for name in rest if name not in labels]).to_native()
    return left, named, None, (as_coordinates("labels", labels, left_out=True),) if labels else ()


def without_gaps(X: Any, candidates: Any, precomputed: bool) -> tuple[Any, Any, int]:
    """Leave out the points that lack a label in any candidate, and return also their number.

    Parameters
    ----------
    X : array-like of shape (n, p), or of shape (n, n) for distances
    candidates : mapping, data frame, or anything without labels
    precomputed : bool
    """
    if type(candidates).__module__.partition(".")[0] in _FRAMES:
        from adjudge.given.data_frames import read_data_frame

        frame = read_data_frame(candidates, "candidates")
        candidates = {
            str(name): series.to_list()
            for name, series in zip(frame.columns, frame.iter_columns(), strict=True)
        }
    if not isinstance(candidates, Mapping):
        return X, candidates, 0
    coded = {
        name: code_labels(item, f"candidate {name!r}")
        for name, item in candidates.items()
        if not (callable(item) or hasattr(item, "fit_predict") or hasattr(item, "fit"))
    }
    gaps = [own.missing for own in coded.values() if own.missing is not None]
    if not gaps:
        return X, candidates, 0
    kept = np.flatnonzero(~np.logical_or.reduce(gaps))
    if kept.size == 0:
        raise InputError("no point has a label in every candidate")
    points = as_points(X)
    values = points.values[np.ix_(kept, kept)] if precomputed else points.values[kept]
    left: dict[Hashable, Labels | Any] = {
        name: coded[name].take(kept) if name in coded else item for name, item in candidates.items()
    }
    return Points(values, points.columns), left, int(points.shape[0] - kept.size)
