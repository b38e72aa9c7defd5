"""Annotated matrices as tables: their columns are those of `obs`, and their coordinates are entries of `obsm`."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from adjudge.engines.frames.counting import FrameTable
from adjudge.errors import Option
from adjudge.given.annotated import USUAL_GRAPH, USUAL_POINTS, graph_named, is_annotated, points_named
from adjudge.given.gower import gower_points
from adjudge.given.points import DataMatrix, as_points
from adjudge.results.notice import Notice
from adjudge.tables.frames import Frame

__all__ = ["AnnotatedRows", "judged_from", "usual_points"]


class AnnotatedRows(Frame):
    """The rows of an annotated matrix.

    Parameters
    ----------
    given : AnnData
    """

    def __init__(self, given: Any) -> None:
        super().__init__(FrameTable.of(given.obs), "the table")
        self._given = given

    def coordinates(self, names: Iterable[Any], leave_out: Container[Any] = ()) -> list[Any]:
        """Find the entry of `obsm` that is named."""
        return [points_named(self._given, list(names))]

    def points(self, names: Sequence[str], *, gaps: bool = False) -> DataMatrix:
        """Read an entry of `obsm`; with `gaps`, rows may have some."""
        return as_points(self._given.obsm[names[0]], gaps=gaps)

    def mixed_points(
        self, names: Sequence[str], labels: Mapping[str, Any] | None = None, *, gaps: bool = False
    ) -> DataMatrix:
        """Read an entry of `obsm` for Gower's distance; with `gaps`, rows may be empty."""
        return gower_points(self._given.obsm[names[0]], labels, gaps=gaps)


def judged_from(
    given: Any, labels: Any, features: Any, graph: Any, *, beside_batches: bool
) -> tuple[Any, Any, tuple[Notice, ...]]:
    """Return the points' name and the graph that `labels` are judged from, and what is said if neither was named."""
    if features is not None:
        features = points_named(given, features)
    if labels is None or features is not None or graph is not None:
        return features, graph_named(given, graph), ()
    if beside_batches or USUAL_GRAPH not in given.obsp:
        return points_named(given, None), None, usual_points(given, None)
    names_others = Option("graph"), " or ", Option("features"), " names another entry"
    said = Notice("usual-graph", f"judged from obsp[{USUAL_GRAPH!r}]", names_others, severity="info")
    return None, graph_named(given, USUAL_GRAPH), (said,)


def usual_points(given: Any, features: Any) -> tuple[Notice, ...]:
    """Say which entry of the `obsm` of an annotated matrix holds the points, unless it was named."""
    if features is not None or not is_annotated(given):
        return ()
    names_others = Option("features"), " names another entry"
    return (Notice("usual-points", f"judged from obsm[{USUAL_POINTS!r}]", names_others, severity="info"),)
