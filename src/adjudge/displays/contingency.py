"""Contingency tables: one as a heat map, a row of them as an alluvial diagram."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, pairwise
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Bools, Ints
from adjudge.displays._colors import ground, hue, ink, mix, muted, n_hues
from adjudge.displays._display import Display
from adjudge.displays._drawing import axes_size, cell_size, fit_name, put_text, title_axes
from adjudge.displays._estimators import estimator_name, labels_by
from adjudge.displays._given import check_made
from adjudge.displays._heat_map import HeatMap, count_writers
from adjudge.errors import InputError, Option
from adjudge.given.alignment import align_labels
from adjudge.given.label_options import LabelOptions
from adjudge.given.options import check_choice, given_names
from adjudge.presentation.numbers import share_text
from adjudge.statistics.assignment import matched_columns, optimal_assignment
from adjudge.statistics.contingency import Contingency, count_labels

_SHARES = ("true", "pred", "all")
# Half the width of a cluster's box, where partitions are 1 apart.
_BOX = 0.045


class ContingencyDisplay(Display):
    """How the clusters of one partition correspond to those of another.

    Heat map of clusterings: rows are the true clusters; columns are the predicted clusters in the order of an optimal
    one-to-one relabelling, so that matched clusters are on the diagonal (columns keep their own names), and their
    label says so. Heat map of classifications: rows and columns are the classes in the same order, because a label is
    right only if it is the true one. Cells contain counts; colours are shares. Empty cells are left blank.

    Alluvial diagram: each partition is a column of boxes as high as its clusters, and each band is the instances that
    two neighbouring clusters share. Matched clusters, or equal classes, have the same colour, and a band has the colour
    of its origin. Clusters for which no colour is left are grey; noise is a hollow box, which is matched with nothing.
    Bands relate only neighbouring partitions: they do not follow instances further.

    Parameters
    ----------
    tables : Contingency, or sequence of Contingency
        Table of two partitions; or the tables of the first with the second partition, the second with the third ...
    names : sequence of str, optional
        Names of the partitions, one more than there are tables.
    kind : {"clustering", "classification"}, default "clustering"
        Whether names of clusters are arbitrary, or labels are classes.
    noise_label : default -1
        The label of noise in clusterings.
    """

    def __init__(
        self,
        tables: Contingency | Sequence[Contingency],
        *,
        names: Sequence[str] | None = None,
        kind: Literal["clustering", "classification"] = "clustering",
        noise_label: Any = -1,
    ) -> None:
        check_choice("kind", kind, ("clustering", "classification"))
        self.noise_label = noise_label
        self.kind = kind
        self.tables: tuple[Contingency, ...] = (
            (tables,) if isinstance(tables, Contingency) else tuple(given_names("tables", tables))
        )
        if not self.tables:
            raise InputError("tables is empty: a contingency table is needed")
        for table in self.tables:
            check_made("a table", table, Contingency, "Contingency.from_labels()")
        for left, right in pairwise(self.tables):
            if not np.array_equal(left.col_sums, right.row_sums):
                raise InputError("the tables do not match: the columns of one must be the rows of the next")
        count = len(self.tables) + 1
        if names is None:
            names = ["true", "predicted"] if count == 2 else [f"partition {i + 1}" for i in range(count)]
        self.names = tuple(given_names("names", names))
        if len(self.names) != count:
            raise InputError(f"names has {len(self.names)} entries, but there are {count} partitions")

    @classmethod
    def from_predictions(
        cls,
        labels_true: Any,
        labels_pred: Any,
        *,
        names: Sequence[str] | None = None,
        kind: Literal["clustering", "classification"] = "clustering",
        **label_options: Any,
    ) -> Self:
        """Count the tables of two or more partitions.

        Parameters
        ----------
        labels_true : array-like of shape (n,)
        labels_pred : array-like of shape (n,), or mapping of str to such
            A mapping gives several partitions, drawn in this order after the truth.
        names : sequence of str, optional
            Names of all partitions, the truth's first.
        kind : {"clustering", "classification"}, default "clustering"
        **label_options
            `missing`, `noise`, `noise_label`, as for :func:`~adjudge.evaluate`.
        """
        if isinstance(labels_pred, Mapping):
            others = {str(name): labels for name, labels in labels_pred.items()}
            names = ["true", *others] if names is None else names
        else:
            others = {"labels_pred": labels_pred}
        options = LabelOptions(**label_options)
        aligned = align_labels({"labels_true": labels_true, **others}, options)
        tables = [count_labels(a, b) for a, b in pairwise(aligned.labels)]
        return cls(tables, names=names, kind=kind, noise_label=options.noise_label)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, **label_options: Any) -> Self:
        """Count the table of the truth and a fitted estimator's labels.

        Parameters
        ----------
        estimator : fitted estimator
        X : array-like of shape (n, p)
        y : array-like of shape (n,)
            The truth.
        **label_options
            As for :meth:`from_predictions`; `kind` is what scikit-learn says about the estimator.
        """
        from sklearn.base import is_classifier

        label_options.setdefault("kind", "classification" if is_classifier(estimator) else "clustering")
        names = ("true", estimator_name(estimator))
        return cls.from_predictions(y, labels_by(estimator, X), names=names, **label_options)

    def _draw(
        self,
        ax: Any,
        size: float,
        *,
        style: Literal["heatmap", "alluvial"] | None = None,
        colors: Literal["true", "pred", "all"] = "true",
        cmap: Any = None,
        colorbar: bool = True,
    ) -> None:
        """Draw the table or tables.

        Parameters
        ----------
        style : {"heatmap", "alluvial"}, optional
            Default: a heat map for two partitions, alluvial for more.
        colors : {"true", "pred", "all"}, default "true"
            Heat map: whether colours are shares of the true cluster, of the predicted one, or of all instances.
        cmap : str or Colormap, optional
            Heat map: colours of the shares.
        colorbar : bool, default True
            Heat map: draw the scale of the colours.
        """
        style = style or ("heatmap" if len(self.tables) == 1 else "alluvial")
        check_choice("style", style, ("heatmap", "alluvial"))
        check_choice("colors", colors, _SHARES)
        if style == "heatmap" and len(self.tables) > 1:
            raise InputError(
                f"a heat map shows two partitions, but there are {len(self.names)}: use ",
                Option("style", "alluvial"),
            )
        if style == "heatmap":
            self._draw_heat_map(ax, size, colors, cmap, colorbar)
        else:
            self._draw_alluvial(ax, size)

    def _draw_heat_map(self, ax: Any, size: float, colors: str, cmap: Any, colorbar: bool) -> None:
        table = self.tables[0]
        down, across = self.names
        title = f"Contingency table of {down} and {across}"
        if self.kind == "classification":
            counts, rows = _by_class(table)
            columns = rows
        else:
            order = matched_columns(table)
            counts, rows = table.to_array()[:, order], list(table.row_labels)
            columns = [table.col_labels[i] for i in order.tolist()]
            across += " (in the order of the best matching)"
        whole: NDArray[Any] = {
            "true": counts.sum(axis=1, keepdims=True),
            "pred": counts.sum(axis=0, keepdims=True),
            "all": np.array([[table.n]]),
        }[colors]
        of = {"true": "its row", "pred": "its column", "all": "all instances"}[colors]
        HeatMap.of_shares(
            np.divide(counts, whole, out=np.zeros(counts.shape), where=whole > 0),
            cmap,
            rows=rows,
            columns=columns,
            labels=(down, across),
            title=title,
            scale=f"share of {of}" if colorbar else "",
            writers=count_writers(counts),
        ).draw(ax, size)

    def _draw_alluvial(self, ax: Any, size: float) -> None:
        from matplotlib.patches import PathPatch, Rectangle

        n = self.tables[0].n
        sizes = [self.tables[0].row_sums, *(table.col_sums for table in self.tables)]
        labels = [self.tables[0].row_labels, *(table.col_labels for table in self.tables)]
        orders, hues = self._orders_and_hues()
        noise = [self._are_noise(own) for own in labels]
        gap = 0.25 * n / max(len(s) for s in sizes)
        tallest = max(n + gap * (len(s) - 1) for s in sizes)
        tops = []
        for own, order in zip(sizes, orders, strict=True):
            start = (tallest - n - gap * (len(own) - 1)) / 2
            heights = own[order] + gap
            place = np.empty(len(own))
            place[order] = start + np.concatenate([[0.0], np.cumsum(heights)[:-1]])
            tops.append(place)
        last = len(self.tables)
        ax.set_xlim(-_BOX, last + _BOX)
        ax.set_ylim(tallest, 0)
        ax.set_axis_off()
        for step, table in enumerate(self.tables):
            leaving, arriving = tops[step].copy(), tops[step + 1].copy()
            dense = table.to_array()
            for i in orders[step]:
                for j in orders[step + 1]:
                    if count := int(dense[i, j]):
                        band = _band(step + _BOX, step + 1 - _BOX, leaving[i], arriving[j], count)
                        color = _color(hues[step][i])
                        ax.add_patch(PathPatch(band, facecolor=color, alpha=0.45, linewidth=0))
                        leaving[i] += count
                        arriving[j] += count
        for step, (own, place) in enumerate(zip(sizes, tops, strict=True)):
            for code in range(len(own)):
                box = (step - _BOX, place[code]), 2 * _BOX, float(own[code])
                style: dict[str, Any] = {"facecolor": _color(hues[step][code]), "linewidth": 0}
                if noise[step][code]:
                    style = {
                        "facecolor": ground(),
                        "edgecolor": muted(),
                        "linewidth": 0.07 * size,
                        "clip_on": False,
                    }
                ax.add_patch(Rectangle(*box, **style))
            x = float(np.clip(step, 0, last))
            side = "left" if step == 0 else "right" if step == last else "center"
            edge = {"left": -_BOX, "right": _BOX, "center": 0}[side]
            put_text(
                ax,
                x + edge,
                -0.02 * tallest,
                fit_name(self.names[step], 1.25 * axes_size(ax)[0] / len(sizes), size),
                ha=side,
                va="bottom",
                fontsize=size,
                fontweight="bold",
                color=ink(),
            )
        self._name_boxes(ax, sizes, labels, tops, size)
        what = "classes" if self.kind == "classification" else "clusters"
        title_axes(ax, f"Alluvial diagram of {what}", size)

    def _name_boxes(self, ax: Any, sizes: Any, labels: Any, tops: Any, size: float) -> None:
        from matplotlib.patheffects import withStroke

        per_instance = cell_size(ax)[1]
        per_step = cell_size(ax)[0]
        last = len(sizes) - 1
        for step, (own, place) in enumerate(zip(sizes, tops, strict=True)):
            outward = step == last
            for code, count in enumerate(own.tolist()):
                if count * per_instance < 0.9 * size:
                    continue
                room = 0.32 * per_step
                style = {"path_effects": [withStroke(linewidth=1.6, foreground=ground())]}
                put_text(
                    ax,
                    step + (-_BOX - 0.02 if outward else _BOX + 0.02),
                    place[code] + count / 2,
                    fit_name(labels[step][code], room, size),
                    ha="right" if outward else "left",
                    va="center",
                    fontsize=size,
                    color=ink(),
                    **style,
                )

    def _orders_and_hues(self) -> tuple[list[Ints], list[Ints]]:
        """Return the order of the boxes of each partition, from the top, and the colours of clusters; -1 for noise."""
        if self.kind == "classification":
            return self._classes_and_hues()
        is_cluster = ~self._are_noise(self.tables[0].row_labels)
        used = int(is_cluster.sum())
        orders = [np.arange(is_cluster.size)]
        hues = [np.where(is_cluster, np.cumsum(is_cluster) - 1, -1)]
        for table in self.tables:
            dense = table.to_array().astype(np.float64)
            rank = np.empty(table.shape[0])
            rank[orders[-1]] = np.arange(table.shape[0])
            centre = rank @ dense / dense.sum(axis=0)
            orders.append(np.argsort(centre, kind="stable"))
            hue = np.full(table.shape[1], -1, np.int64)
            matched = self._matched(table)
            taken = matched >= 0
            hue[matched[taken]] = hues[-1][taken]
            new = np.flatnonzero((hue < 0) & ~self._are_noise(table.col_labels))
            hue[new] = np.arange(used, used + new.size)
            used += new.size
            hues.append(hue)
        return orders, hues

    def _are_noise(self, labels: Sequence[Any]) -> Bools:
        """Mark the label of noise; no class is noise."""
        options = LabelOptions(noise_label=self.noise_label)
        return np.array([self.kind == "clustering" and options.is_noise(own) for own in labels], np.bool_)

    def _matched(self, table: Contingency) -> Ints:
        """Return the column matched with each row, -1 for none: noise is matched with no cluster."""
        rows, cols, counts = table.cells()
        kept = ~(self._are_noise(table.row_labels)[rows] | self._are_noise(table.col_labels)[cols])
        matched = optimal_assignment(rows[kept], cols[kept], counts[kept], table.shape)
        shared = {*zip(rows[kept].tolist(), cols[kept].tolist(), strict=True)}
        return np.array([j if (i, j) in shared else -1 for i, j in enumerate(matched.tolist())], np.int64)

    def _classes_and_hues(self) -> tuple[list[Ints], list[Ints]]:
        """Return the order and colours of classes, which are the same in all partitions."""
        labels = [self.tables[0].row_labels, *(table.col_labels for table in self.tables)]
        place = {name: i for i, name in enumerate(dict.fromkeys(chain.from_iterable(labels)))}
        hues = [np.array([place[name] for name in own], np.int64) for own in labels]
        return [np.argsort(own, kind="stable") for own in hues], hues

    def describe(self) -> str:
        """Say in a sentence how many instances of two partitions lie in matched clusters, or have the right class."""
        if len(self.tables) > 1:
            raise InputError(f"the sentence needs two partitions, but there are {len(self.names)}")
        table = self.tables[0]
        if self.kind == "classification":
            right = int(np.trace(_by_class(table)[0]))
            return f"{right:,} of {table.n:,} instances ({share_text(right, table.n)}) have the right class"
        matched = self._matched(table)
        rows = np.flatnonzero(matched >= 0)
        inside = int(table.to_array()[rows, matched[rows]].sum())
        return f"{inside:,} of {table.n:,} instances ({share_text(inside, table.n)}) lie in matched clusters"


def _color(position: int) -> Any:
    """Return the colour at a position; grey where colours would repeat, and for noise."""
    return hue(position) if 0 <= position < n_hues() else mix(ink(), 0.35)


def _by_class(table: Contingency) -> tuple[NDArray[Any], list[Any]]:
    """Return counts with the same classes, in the same order, as rows and as columns; the true ones come first."""
    classes = list(dict.fromkeys([*table.row_labels, *table.col_labels]))
    place = {name: i for i, name in enumerate(classes)}
    counts = np.zeros((len(classes), len(classes)), table.to_array().dtype)
    rows, cols = ([place[name] for name in own] for own in (table.row_labels, table.col_labels))
    counts[np.ix_(rows, cols)] = table.to_array()
    return counts, classes


def _band(x0: float, x1: float, y0: float, y1: float, height: float) -> Any:
    """Return the outline of a band with horizontal ends."""
    from matplotlib.path import Path

    middle = (x0 + x1) / 2
    corners = [
        (x0, y0),
        (middle, y0),
        (middle, y1),
        (x1, y1),
        (x1, y1 + height),
        (middle, y1 + height),
        (middle, y0 + height),
        (x0, y0 + height),
        (x0, y0),
    ]
    curve = [Path.CURVE4] * 3
    return Path(corners, [Path.MOVETO, *curve, Path.LINETO, *curve, Path.CLOSEPOLY])
