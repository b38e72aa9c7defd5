"""Silhouettes, cluster by cluster."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from adjudge.displays._by_point import PointValuesDisplay, names_of_clusters

__all__ = ["SilhouetteDisplay"]


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

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes
    """

    _values, _criterion = "widths", "silhouette"
    _title = "Silhouettes"
    _axis, _summary = "silhouette width", "mean (points)"

    def __init__(self, widths: Any, labels: Any) -> None:
        super().__init__(widths, labels)
        self.widths = self._of_points

    @classmethod
    def from_predictions(cls, X: Any, labels: Any, *, metric: Any = "euclidean", **options: Any) -> Self:
        """Compute the silhouettes of a clustering.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Points, or with ``metric="precomputed"`` their distances.
        labels : array-like of shape (n,)
        metric : str or callable
        **options
            `missing`, `noise`, `noise_label`, `n_jobs` ..., as for :func:`~adjudge.evaluate`.
        """
        from adjudge.engines.points import reduce_points
        from adjudge.statistics.pair_distances import Silhouettes

        found: Silhouettes = reduce_points(X, labels, [Silhouettes], metric=metric, **options)[Silhouettes]
        display = cls(found.values, found.codes)
        display.names = names_of_clusters(labels, options)
        return display

    def _of_cluster(self, values: NDArray[np.float64]) -> float:
        return float(values.mean())

    def _over_all(self) -> tuple[str, float]:
        return "mean", float(self.widths.mean())
