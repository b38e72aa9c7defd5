"""Labels of candidates that are columns of the points' table, or that have gaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from adjudge.errors import Argument, InputError, Option
from adjudge.given.annotated import graph_named, is_annotated
from adjudge.given.label_vectors import Labels
from adjudge.given.labels import Column, code_labels
from adjudge.given.points import DataMatrix
from adjudge.presentation.numbers import count
from adjudge.results.label_notices import about_words
from adjudge.results.notice import Notice
from adjudge.results.point_notices import points_without
from adjudge.tables.files import FileTable
from adjudge.tables.source import is_a_table

__all__ = ["candidates_in_columns", "candidates_in_file", "labels_by_name", "without_gaps"]


def candidates_in_columns(X: Any, candidates: Any, graph: Any = None) -> tuple[Any, Any, Any]:
    """Split a data frame X into the points and the columns that `candidates` names, by name or pattern.

    Of an annotated matrix, these are columns of `obs`, and the graph may be named. With a graph, there are no points.
    Any other input stays as it is.
    """
    of_cells = is_annotated(X)
    points, table = X, X
    if of_cells:
        graph = graph_named(X, graph)
        points, table = X if graph is None else None, X.obs
    names = [candidates] if isinstance(candidates, str) else candidates
    if (
        not isinstance(names, Sequence)
        or not names
        or not all(isinstance(name, (str, int)) for name in names)
    ):
        return points, candidates, graph
    if not _is_frame(table):
        return points, candidates, graph
    from adjudge.given.data_frames import columns_named, read_data_frame

    frame = read_data_frame(table, "X")
    columns = {str(name): series for name, series in zip(frame.columns, frame.iter_columns(), strict=True)}
    wanted = columns_named(columns, Argument("candidates"), names)
    named = {name: columns[name].to_native() for name in wanted}
    if of_cells:
        return points, named, graph
    if graph is not None:
        return None, named, graph
    rest = [name for name in columns if name not in wanted]
    if not rest:
        raise InputError("candidates names all columns of X: none is left for the points")
    return frame.select(*[columns[name] for name in rest]).to_native(), named, None


def candidates_in_file(
    X: Any, candidates: Any, noise_label: Any
) -> tuple[dict[str, Labels], Any, tuple[Notice, ...]] | None:
    """Read the columns that `candidates` names of the file `X`; None if it is no file, or names no columns.

    Returns
    -------
    labels : dict of str to Labels
        All numbers or all text.
    noise_label : int or str
        In the same type.
    notices : tuple of Notice
    """
    if not isinstance(X, (str, PathLike)):
        return None
    names = [candidates] if isinstance(candidates, str) else candidates
    if not isinstance(names, (list, tuple)) or not names or not all(isinstance(name, str) for name in names):
        return None
    table = FileTable(X)
    values, are_text = table.labels(table.matching(names))
    labels = {name: code_labels(own, f"candidate {name!r}") for name, own in values.items()}
    noise = _noise_of(labels, bool(are_text), noise_label)
    return labels, noise, about_words(labels, ("empty the cells and pass ", Option("missing", "drop")))


def _noise_of(labels: Mapping[str, Labels], are_text: bool, given: Any) -> Any:
    """Return the label of noise in the type of the labels; raise if it was given and does not occur."""
    label = given
    if are_text:
        label = str(given)
    elif isinstance(given, str):
        try:
            label = int(given)
        except ValueError:
            raise InputError(Option("noise_label", given), " is text, but the labels are numbers") from None
    if given != -1 and not any(
        (mask := own.where(label)) is not None and mask.any() for own in labels.values()
    ):
        raise InputError(
            Option("noise_label", given), " is not among the labels: leave it out, or correct it"
        )
    return label


def _is_frame(given: Any) -> bool:
    return not isinstance(given, (str, PathLike)) and is_a_table(given)


def labels_by_name(candidates: Any) -> dict[str, Column]:
    """Return the candidates that are labels, by their names."""
    if _is_frame(candidates):
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
    points: DataMatrix, candidates: Any, labels: Mapping[Any, Column], precomputed: bool = False
) -> tuple[DataMatrix, Any, tuple[Notice, ...]]:
    """Leave out the points with a gap, or without a label in some candidate, and say how many.

    Parameters
    ----------
    points : DataMatrix
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


def _about(points: DataMatrix, n_left_out: int, labels: Mapping[Any, Column]) -> Notice:
    """Say how many points are left out, and for which gaps."""
    if not labels:
        return points_without(n_left_out, points.shape[0])
    gap = "" if points.gaps is None else "with a gap among the coordinates, or "
    message = f"{count(n_left_out, 'point')} {gap}without a label in some candidate left out"
    return Notice("points-left-out", message, severity="info")
