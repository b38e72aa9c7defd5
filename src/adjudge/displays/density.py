"""Density of clusters point by point: DBCV, and the reachability plot."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from adjudge.array_types import Floats, Ints
from adjudge.displays._by_point import PointValuesDisplay
from adjudge.displays._colors import faint, hue, ink
from adjudge.displays._display import Display
from adjudge.displays._drawing import (
    above,
    legend_above,
    name_axes,
    quiet,
    separate_thousands,
    title_axes,
)
from adjudge.displays._estimators import labels_by
from adjudge.displays._given import as_array
from adjudge.displays._text import shorten_all
from adjudge.errors import Argument, InputError
from adjudge.given.alignment import align_labels
from adjudge.given.options import check_count
from adjudge.presentation.numbers import count_text
from adjudge.statistics.reachability import DensityTrees

if TYPE_CHECKING:
    from adjudge.given.metrics import Metric


# Most columns that are drawn: finer than any printer.
_COLUMNS = 3000
# Most clusters that the legend names.
_NAMED = 9


class DbcvDisplay(PointValuesDisplay):
    """Density-based validity of every point, sorted in each cluster.

    Each cluster is as high as its share of the points. The value of a point compares the distance to the other clusters
    with the longest inner edge of its own, and the smallest value of a cluster is its validity. Values below 0, in
    another colour, belong to points that are closer to another cluster than that edge is long. The dashed line is DBCV.

    Parameters
    ----------
    values : array-like of shape (n,)
        Validity at each point; undefined ones (nan) are counted in a note.
    labels : array-like of shape (n,)
        Cluster of each point.
    left_out : int, default 0
        Noise points that are not among these; they lower DBCV.
    """

    _values, _criterion, _statistic = "values", "dbcv", DensityTrees
    _options: ClassVar[Mapping[str, Any]] = MappingProxyType({"noise": "drop"})
    _title = "Density-based validity"
    _axis, _summary = "density-based validity", "smallest (points)"

    def __init__(self, values: Any, labels: Any, left_out: int = 0) -> None:
        super().__init__(values, labels)
        self.values = self._of_points
        if left_out:
            check_count("left_out", left_out)
        self.left_out = int(left_out)

    @classmethod
    def _read(cls, trees: DensityTrees) -> tuple[Any, ...]:
        return trees.of_points, trees.codes, trees.left_out

    @classmethod
    def _without(cls, values: Floats, labels: Any, left_out: int) -> Self:
        return cls(values, labels, left_out)

    def _of_cluster(self, values: Floats) -> float:
        return float(values.min())

    def _over_all(self) -> tuple[str, float]:
        smallest = np.full(len(self.names), np.inf)
        np.minimum.at(smallest, self.codes, self.values)
        sizes = np.bincount(self.codes, minlength=smallest.size)
        return "DBCV", float(sizes @ smallest / (self.codes.size + self.left_out))


class ReachabilityDisplay(Display):
    """Reachability plot: points in the order in which OPTICS reaches them, and how far each is from those before it.

    Valleys are clusters, peaks the gaps between them; the deeper a valley, the denser the cluster. With labels,
    colours show the cluster of each point: a good clustering cuts between the valleys. Noise points are grey.

    Parameters
    ----------
    reachability : array-like of shape (n,)
        Reachability of each point in the order of the plot; infinite where none came before.
    codes : array-like of shape (n,), optional
        Cluster of each point in this order, -1 for noise.
    names : sequence, optional
        Names of the clusters.

    References
    ----------
    M. Ankerst, M. M. Breunig, H.-P. Kriegel, J. Sander (1999), OPTICS: ordering points to identify the clustering
    structure, SIGMOD.
    """

    def __init__(self, reachability: Any, codes: Any = None, names: Any = None) -> None:
        self.reachability = as_array("reachability", reachability)
        if self.reachability.ndim != 1 or self.reachability.size == 0:
            raise InputError(
                Argument("reachability"), f" has shape {self.reachability.shape}: one value a point is needed"
            )
        self.codes = None if codes is None else as_array("codes", codes).astype(np.int64)
        if self.codes is not None and self.codes.shape != self.reachability.shape:
            raise InputError(
                Argument("codes"),
                f" has shape {self.codes.shape}, ",
                Argument("reachability"),
                f" has {self.reachability.size} entries",
            )
        k = 0 if self.codes is None else int(self.codes.max(initial=-1)) + 1
        self.names = list(range(k)) if names is None else list(names)
        if len(self.names) < k:
            raise InputError(Argument("names"), f" has {len(self.names)} entries for {k} clusters")

    @classmethod
    def from_predictions(
        cls,
        X: Any,
        labels: Any = None,
        *,
        min_samples: int = 5,
        metric: Metric = "euclidean",
        noise_label: Any = -1,
    ) -> Self:
        """Order points by reachability, without a maximum distance.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Points, or with ``metric="precomputed"`` their distances.
        labels : array-like of shape (n,), optional
            Clusters to colour.
        min_samples : int, default 5
            A point's core distance reaches this many points, including itself.
        metric : str or callable
        noise_label : default -1
        """
        from adjudge.engines.optics import reachability_order

        ordered = reachability_order(X, min_samples=min_samples, metric=metric)
        values = ordered.reachability[ordered.order]
        return cls(values, *_in_order(labels, ordered.order, noise_label))

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, **options: Any) -> Self:
        """Take the order of a fitted OPTICS, or compute it for another clusterer; colours are its labels.

        Parameters
        ----------
        estimator : fitted clusterer
        X : array-like of shape (n, p)
        **options
            As for :meth:`from_predictions`, if the clusterer has no `reachability_`.
        """
        labels = labels_by(estimator, X)
        if not hasattr(estimator, "reachability_"):
            return cls.from_predictions(X, labels, **options)
        order = np.asarray(estimator.ordering_)
        values = np.asarray(estimator.reachability_)[order]
        return cls(values, *_in_order(labels, order, options.get("noise_label", -1)))

    def _draw(self, ax: Any, size: float) -> None:
        """Draw the reachability of all points."""
        quiet(ax, size)
        edges, heights, codes = self._columns()
        finite = heights[np.isfinite(heights)]
        top = 1.05 * float(finite.max(initial=0.0)) or 1.0
        drawn = np.where(np.isfinite(heights), heights, top)
        handles: list[Any] = []
        for code in np.unique(codes).tolist():
            color = faint() if code < 0 else hue(code)
            inside = np.repeat(codes == code, 2)
            handles.append(
                ax.fill_between(
                    np.repeat(edges, 2)[1:-1],
                    0,
                    np.repeat(drawn, 2),
                    where=inside,
                    color=color,
                    linewidth=0,
                )
            )
        ax.set_xlim(0, self.reachability.size)
        ax.set_ylim(0, top)
        name_axes(ax, "points, in the order of OPTICS", "reachability distance", size)
        separate_thousands(ax.xaxis)
        self._name(ax, np.unique(codes).tolist(), handles, size)
        title_axes(ax, f"Reachability plot of {self.reachability.size:,} points", size)

    def _columns(self) -> tuple[Floats, Floats, Ints]:
        """Return edges, heights and clusters of columns; a column of several points is as high as its highest one."""
        n = self.reachability.size
        codes = np.zeros(n, np.int64) if self.codes is None else self.codes
        starts = np.unique(np.linspace(0, n, min(n, _COLUMNS), endpoint=False).astype(np.int64))
        heights = np.maximum.reduceat(self.reachability, starts)
        return np.append(starts, n).astype(np.float64), heights, codes[starts]

    def _name(self, ax: Any, codes: list[int], handles: list[Any], size: float) -> None:
        if self.codes is None:
            return
        shown = [(code, handle) for code, handle in zip(codes, handles, strict=True) if code >= 0][:_NAMED]
        labels = shorten_all([self.names[code] for code, _ in shown], 12) if shown else []
        drawn = [handle for _, handle in shown]
        if codes[0] < 0:
            drawn.append(handles[0])
            labels = [*labels, f"noise: {count_text(int((self.codes < 0).sum()), 7)}"]
        more = sum(code >= 0 for code in codes) - len(shown)
        legend_above(ax, drawn, labels, 0.85 * size, ncols=5)
        if more:
            style = {"ha": "right", "va": "bottom", "fontsize": 0.85 * size, "color": ink()}
            ax.text(1.0, above(ax, 3), f"{more} more", transform=ax.transAxes, **style)


def _in_order(labels: Any, order: Ints, noise_label: Any) -> tuple[Any, Any]:
    """Return the clusters of the points in this order (-1 for noise), and the labels of the clusters."""
    if labels is None:
        return None, None
    aligned = align_labels({"labels": labels})
    if aligned.n_given != order.size:
        raise InputError(
            Argument("labels"), f" has {aligned.n_given} entries, ", Argument("X"), f" has {order.size} rows"
        )
    coded = aligned.labels[0]
    noise = coded.where(noise_label)
    kept = np.ones(order.size, np.bool_) if noise is None else ~noise
    codes = np.full(order.size, -1, np.int64)
    names: list[Any] = []
    if kept.any():
        codes[kept], names = coded.take(kept).dense()
    return codes[order], names
