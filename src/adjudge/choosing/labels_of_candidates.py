"""Labels of candidates that are columns of the points' data frame, or that have gaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from adjudge.errors import InputError
from adjudge.given.annotated import annotated_candidates, is_annotated
from adjudge.given.labels import Column
from adjudge.given.points import Points
from adjudge.presentation.numbers import count, listed
from adjudge.results.notice import Notice
from adjudge.results.point_notices import points_without
from adjudge.unknown_names import close_names

__all__ = ["candidates_in_columns", "labels_by_name", "without_gaps"]

_FRAMES = ("pandas", "polars", "pyarrow", "narwhals")


def candidates_in_columns(X: Any, candidates: Any, graph: Any = None) -> tuple[Any, Any, Any]:
    """Split a data frame X into the points and the columns that `candidates` names, one name or several.

    Of an annotated matrix, the points are scanpy's principal components, a name may be a pattern, and the graph may be
    named. With a graph, columns are no points. Any other input stays as it is.
    """
    if is_annotated(X):
        return annotated_candidates(X, candidates, graph)
    names = [candidates] if isinstance(candidates, str) else candidates
    if (
        not isinstance(names, Sequence)
        or not names
        or not all(isinstance(name, (str, int)) for name in names)
    ):
        return X, candidates, graph
    if type(X).__module__.partition(".")[0] not in _FRAMES:
        return X, candidates, graph
    from adjudge.given.data_frames import read_data_frame

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
        return None, named, graph
    rest = [name for name in columns if name not in wanted]
    if not rest:
        raise InputError("candidates names all columns of X: none is left for the points")
    return frame.select(*[columns[name] for name in rest]).to_native(), named, None


def labels_by_name(candidates: Any) -> dict[str, Column]:
    """Return the candidates that are labels, by their names."""
    if type(candidates).__module__.partition(".")[0] in _FRAMES:
        from adjudge.given.data_frames import read_data_frame

        frame = read_data_frame(candidates, "candidates")
        candidates = {
            str(name): series.to_list()
            for name, series in zip(frame.columns, frame.iter_columns(), strict=True)
        }
    if not isinstance(candidates, Mapping):
        return {}
    return {
        name: Column.of(item, f"candidate {name!r}")
        for name, item in candidates.items()
        if not (callable(item) or hasattr(item, "fit_predict") or hasattr(item, "fit"))
    }


def without_gaps(
    points: Points, candidates: Any, labels: Mapping[Any, Column], precomputed: bool = False
) -> tuple[Points, Any, tuple[Notice, ...]]:
    """Leave out the points with a gap, or without a label in some candidate, and say how many.

    Parameters
    ----------
    points : Points
        With ``precomputed``, distances.
    candidates : mapping, data frame, or anything without labels
    labels : mapping of str or (str, int) to Column
        The candidates that are labels.
    precomputed : bool
    """
    gaps = [own.values.missing for own in labels.values() if own.values.missing is not None]
    if points.gaps is not None:
        gaps.append(points.gaps)
    if not gaps:
        return points, candidates, ()
    n = points.shape[0]
    if any(len(own.values) != n for own in labels.values()):  # which is refused with the other labels
        return points, candidates, ()
    kept = np.flatnonzero(~np.logical_or.reduce(gaps))
    if kept.size == 0:
        coordinates = "" if points.gaps is None else "all coordinates, and "
        raise InputError(f"no point has {coordinates}a label in every candidate")
    values = points.values[np.ix_(kept, kept)] if precomputed else points.values[kept]
    if labels:
        candidates = {
            name: labels[name].values.take(kept) if name in labels else item
            for name, item in (candidates.items() if isinstance(candidates, Mapping) else labels.items())
        }
    return (
        replace(points, values=values, stored=None, gaps=None),
        candidates,
        (_about(points, n - kept.size, labels),),
    )


def _about(points: Points, n_left_out: int, labels: Mapping[Any, Column]) -> Notice:
    """Say how many points are left out, and for which gaps."""
    if not labels:
        return points_without(n_left_out, points.shape[0])
    gap = "" if points.gaps is None else "with a gap among the coordinates, or "
    message = f"{count(n_left_out, 'point')} {gap}without a label in some candidate left out"
    return Notice("points-left-out", message, severity="info")
