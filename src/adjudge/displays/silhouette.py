"""Silhouettes, cluster by cluster."""

from __future__ import annotations

from typing import Any

from adjudge.array_types import Floats
from adjudge.displays._by_point import PointValuesDisplay
from adjudge.statistics.pair_distances import Silhouettes


class SilhouetteDisplay(PointValuesDisplay):
    """Silhouette width of every point, sorted in each cluster.

    Each cluster is as high as its share of the points. Widths below 0, in another colour, belong to points that lie
    closer to another cluster than to their own. The dashed line is the mean over all points.

    Parameters
    ----------
    widths : array-like of shape (n,)
        Silhouette of each point; undefined ones (nan) are counted in a note, and drawn as gaps at the cluster's end.
    labels : array-like of shape (n,)
        Cluster of each point.
    """

    _values, _criterion, _statistic = "widths", "silhouette", Silhouettes
    _title = "Silhouettes"
    _axis, _summary = "silhouette width", "mean (points)"

    def __init__(self, widths: Any, labels: Any) -> None:
        super().__init__(widths, labels)
        self.widths = self._of_points

    @classmethod
    def _read(cls, silhouettes: Silhouettes) -> tuple[Any, ...]:
        return silhouettes.values, silhouettes.codes

    def _of_cluster(self, values: Floats) -> float:
        return float(values.mean())

    def _over_all(self) -> tuple[str, float]:
        return "mean", float(self.widths.mean())
