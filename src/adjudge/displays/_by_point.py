"""Point values, sorted within each cluster: the common parts of silhouettes and DBCV by point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from adjudge.array_types import Bools, Floats
from adjudge.displays._colors import faint, ink, muted, on_page
from adjudge.displays._display import Display
from adjudge.displays._drawing import (
    above,
    axes_size,
    cell_size,
    fit_names,
    legend_above,
    put_text,
    quiet,
    title_axes,
)
from adjudge.displays._estimators import estimator_name, labels_by
from adjudge.displays._given import as_array, check_made
from adjudge.errors import Argument, InputError
from adjudge.given.alignment import align_labels
from adjudge.given.label_options import LabelOptions
from adjudge.presentation.numbers import count_text, value_text
from adjudge.presentation.palette import QUANTITY, WARNING
from adjudge.presentation.spacing import spread_apart

if TYPE_CHECKING:
    from adjudge.results import Choice


# Most vertices of one cluster's outline: finer than any printer.
_OUTLINE = 1500
# Smallest text that can be read, in points.
_SMALLEST = 4.5


def names_of_clusters(labels: Any, options: dict[str, Any]) -> Sequence[Any]:
    """Return the labels of the clusters that remain when noise and missing labels are treated as requested."""
    chosen = {k: v for k, v in options.items() if k in ("missing", "noise", "noise_label")}
    return align_labels({"labels": labels}, LabelOptions(**chosen)).labels[0].dense()[1]


class PointValuesDisplay(Display):
    """Base of displays with one value between -1 and 1 per point, sorted within its cluster."""

    #: What the constructor calls the values.
    _values: ClassVar[str]
    _criterion: ClassVar[str]
    #: What they are read from, and options of a reduction to it.
    _statistic: ClassVar[type]
    _options: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    _title: ClassVar[str]
    _axis: ClassVar[str]
    #: What is written beside a cluster.
    _summary: ClassVar[str]

    #: Of the clustering, for the title.
    name: str = ""

    def __init__(self, values: Any, labels: Any) -> None:
        self._of_points = as_array(self._values, values)
        self.codes, names = align_labels({"labels": labels}).labels[0].dense()
        self.names: Sequence[Any] = names
        if self._of_points.shape != self.codes.shape:
            raise InputError(
                Argument(self._values),
                f" has shape {self._of_points.shape}, labels has {self.codes.size} entries",
            )

    @classmethod
    def from_result(cls, result: Choice) -> Self:
        """Read the values under the recommended candidate from what :func:`~adjudge.choose` returned.

        Parameters
        ----------
        result : Choice

        Raises
        ------
        InputError
            If there are none: nothing is recommended, the criterion was not computed, or each noise point counted as
            a cluster.
        """
        from adjudge.results import Choice

        check_made("result", result, Choice, "choose()")
        values = result.point_values.get(cls._criterion)
        if result.best is None or values is None:
            raise InputError(
                Argument("result"),
                f" has no values of points for {cls._criterion}: recommend a candidate by criteria that include it, "
                "with noise left out or as one cluster",
            )
        labels = align_labels({"labels": result.labels[result.best]}).labels[0]
        noise = labels.where(result.settings["noise_label"]) if result.settings["noise"] == "drop" else None
        clustered = np.ones(values.size, np.bool_) if noise is None else ~noise
        # Of many points, a sample was read, with its share of the noise.
        read = clustered & ~np.isnan(values)
        left_out = round((values.size - clustered.sum()) * read.sum() / clustered.sum())
        display = cls._without(values[read], np.asarray(result.labels[result.best])[read], left_out)
        display.name = result.best
        return display

    @classmethod
    def _without(cls, values: Floats, labels: Any, left_out: int) -> Self:
        """Make a display of some points, while others are left out."""
        return cls(values, labels)

    @classmethod
    def from_predictions(cls, X: Any, labels: Any, *, metric: Any = "euclidean", **options: Any) -> Self:
        """Compute the values of a clustering.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Points, or with ``metric="precomputed"`` their distances; DBCV then needs `dimension`, too.
        labels : array-like of shape (n,)
        metric : str or callable
        **options
            `missing`, `noise`, `noise_label`, `n_jobs` ..., as for :func:`~adjudge.evaluate`. DBCV leaves noise out by
            default; it still counts.
        """
        from adjudge.engines.points import reduce_points

        options = {**cls._options, **options}
        found = reduce_points(X, labels, [cls._statistic], metric=metric, **options)[cls._statistic]
        display = cls(*cls._read(found))
        display.names = names_of_clusters(labels, options)
        return display

    @classmethod
    def _read(cls, found: Any) -> tuple[Any, ...]:
        """Return the arguments of the constructor from the statistic."""
        raise NotImplementedError

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, *, metric: Any = "euclidean", **options: Any) -> Self:
        """Compute the values of a fitted clusterer.

        Parameters
        ----------
        estimator : fitted clusterer
        X : array-like of shape (n, p)
        metric : str or callable
        **options
            As for :meth:`from_predictions`.
        """
        display = cls.from_predictions(X, labels_by(estimator, X), metric=metric, **options)
        display.name = estimator_name(estimator)
        return display

    def _of_cluster(self, values: Floats) -> float:
        """Sum up a cluster's values, all of them defined, in one number."""
        raise NotImplementedError

    def _over_all(self) -> tuple[str, float]:
        """Return name and value of the index over all points, all of them defined."""
        raise NotImplementedError

    def _draw(self, ax: Any, size: float) -> None:
        """Draw the values."""
        n, k = self.codes.size, len(self.names)
        quiet(ax, size, keep=("bottom",))
        gap = min(0.05, 0.25 / k) * n
        members = [self._of_points[self.codes == code] for code in range(k)]
        sizes = np.array([len(inside) for inside in members])
        tops = np.concatenate([[0.0], np.cumsum(sizes + gap)[:-1]])
        defined = ~np.isnan(self._of_points)
        for inside, top in zip(members, tops.tolist(), strict=True):
            known = np.sort(inside[~np.isnan(inside)])[::-1]
            if known.size:
                _outline(ax, known, top)
        ax.set_ylim(tops[-1] + sizes[-1] + 0.01 * n, -0.01 * n)
        low = float(self._of_points[defined].min(initial=0.0))
        high = float(self._of_points[defined].max(initial=0.1))
        ax.set_xlim(low - 0.02, high * 1.02)
        ax.axvline(0, color=muted(), linewidth=0.6)
        self._add_notes(ax, defined, size)
        ax.set_yticks([])
        ax.set_xlabel(self._axis, fontsize=size, color=ink())
        of = f" of {self.name}" if self.name else ""
        plural = "cluster" if k == 1 else "clusters"
        title_axes(ax, f"{self._title}{of}: {n:,} points, {k} {plural}", size)
        self._describe(ax, members, tops + sizes / 2, size)

    def _describe(self, ax: Any, members: list[Floats], middles: Floats, size: float) -> None:
        """Write each cluster's name, value and size beside it, if there is room to read them."""
        width = axes_size(ax)[0]
        bottom, top = ax.get_ylim()
        unit = cell_size(ax)[1]
        fitting = min(size, unit * (bottom - top) / (1.15 * len(members)))
        if fitting < _SMALLEST:
            return
        names = fit_names(self.names, 0.3 * width, fitting)
        place = {"transform": ax.get_yaxis_transform(), "va": "center", "fontsize": fitting}
        half = 0.55 * fitting / unit
        places = spread_apart(middles.tolist(), 2 * half, top + half, bottom - half)
        for name, inside, middle in zip(names, members, places.tolist(), strict=True):
            known = inside[~np.isnan(inside)]
            value = value_text(self._of_cluster(known)) if known.size else "undef."
            text = f"{value}  ({count_text(inside.size, 7)})"
            put_text(ax, -0.02, middle, name, ha="right", color=ink(), **place)
            put_text(ax, 1.02, middle, text, ha="left", color=muted(), **place)
        # The headings are on the line of the axis title, where nothing else is.
        below = above(ax, -5 - 1.25 * size) - 1
        style = {"va": "top", "fontsize": 0.9 * size, "color": muted(), "transform": ax.transAxes}
        put_text(ax, 1.02, below, self._summary, ha="left", **style)
        put_text(ax, -0.02, below, "cluster", ha="right", **style)

    def _add_notes(self, ax: Any, defined: Bools, size: float) -> None:
        """Mark the index over all points, and count what is below 0 or undefined."""
        from matplotlib.patches import Patch

        handles: list[Any] = []
        labels: list[str] = []
        if defined.all():
            name, value = self._over_all()
            handles.append(ax.axvline(value, color=ink(), linewidth=0.13 * size, linestyle=(0, (4, 2))))
            labels.append(f"{name} {value_text(value)}")
        if negative := int((self._of_points[defined] < 0).sum()):
            handles.append(Patch(facecolor=on_page(WARNING)))
            labels.append(f"below 0: {count_text(negative, 7)} of {count_text(self._of_points.size, 7)}")
        if missing := int((~defined).sum()):
            handles.append(Patch(facecolor="none", edgecolor=faint()))
            labels.append(f"undefined: {count_text(missing, 7)}")
        if handles:
            legend_above(ax, handles, labels, size, ncols=2)


def _outline(ax: Any, values: Floats, top: float) -> None:
    """Fill between 0 and the sorted values, from `top` down; many points are thinned out evenly."""
    if values.size > _OUTLINE:
        picked = values[np.linspace(0, values.size - 1, _OUTLINE).round().astype(np.int64)]
        edges = top + np.linspace(0, values.size, _OUTLINE + 1)
    else:
        picked, edges = values, top + np.arange(values.size + 1.0)
    levels = np.append(picked, picked[-1])
    for part, color in (
        (np.maximum(levels, 0), on_page(QUANTITY)),
        (np.minimum(levels, 0), on_page(WARNING)),
    ):
        if part.any():
            ax.fill_betweenx(edges, 0, part, step="post", color=color, linewidth=0)
