"""How clusters split from one clustering to the next."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from adjudge.displays._colors import ground, ink, mix, muted, on_page
from adjudge.displays._display import Display
from adjudge.displays._drawing import (
    add_legend,
    axes_size,
    fit_name,
    fit_names,
    put_text,
    quiet,
    text_width,
    title_axes,
)
from adjudge.displays._given import as_mapping, check_made
from adjudge.displays._makers import Maker, among_settings
from adjudge.errors import InputError, Option
from adjudge.given.data_frames import read_data_frame
from adjudge.presentation.palette import EMPHASIS, QUANTITY
from adjudge.statistics.cluster_tree import ClusterTree, Layer

if TYPE_CHECKING:
    from adjudge.results import Choice, KChoice

_SMALLEST = 4.5


class ClusterTreeDisplay(Display):
    """Clusterings one below the other; lines lead from each cluster to those that its points join next.

    The area of a circle is its share of all points; a line is as wide as the share of all points that it carries, and
    the darker, the larger its share of the lower cluster. A hollow circle on the right is noise. Clusters that split
    cleanly belong to a hierarchy; a cluster with lines from several others is not stable.

    Parameters
    ----------
    labels : mapping of str to array-like of shape (n,)
        Clusterings by name, from the top to the bottom.
    best : str, optional
        The clustering to emphasise.
    noise_label : default -1
    least_share : float, default 0.1
        Lines that hold a smaller share of the lower cluster's points are left out.

    Attributes
    ----------
    tree : ClusterTree

    References
    ----------
    L. Zappia, A. Oshlack (2018), Clustering trees: a visualization for evaluating clusterings at multiple resolutions,
    GigaScience 7.
    """

    def __init__(
        self,
        labels: Mapping[str, Any],
        best: str | None = None,
        *,
        noise_label: Any = -1,
        least_share: float = 0.1,
    ) -> None:
        given = {str(name): own for name, own in as_mapping("labels", labels).items()}
        if not 0 <= least_share <= 1:
            raise InputError(Option("least_share", least_share), ": a share between 0 and 1 is needed")
        self.tree = ClusterTree.of(given, noise_label=noise_label, least_share=least_share)
        self.best = best

    @classmethod
    def from_predictions(cls, labels: Any, **options: Any) -> Self:
        """Use existing labels.

        Parameters
        ----------
        labels : mapping of str to array-like, or data frame
            Clusterings by name, from the top to the bottom; the columns of a data frame are clusterings.
        **options
            `best`, `noise_label` and `least_share`.
        """
        if not isinstance(labels, Mapping) and hasattr(labels, "columns"):
            frame: Any = read_data_frame(labels, "labels")
            labels = {series.name: series.to_list() for series in frame.iter_columns()}
        return cls(labels, **options)

    @classmethod
    def from_result(cls, result: Choice | KChoice, *, most: int = 10, **options: Any) -> Self:
        """Read what :func:`~adjudge.choose` or :func:`~adjudge.choose_k` returned.

        Parameters
        ----------
        result : Choice or KChoice
            Of equivalent candidates, only the best is drawn; those with few clusters are at the top.
        most : int, default 10
            Clusterings to draw; if there are more, those that rank best.
        **options
            `least_share`.
        """
        from adjudge.results import Choice, KChoice

        check_made("result", result, (Choice, KChoice), "choose() or choose_k()")
        if isinstance(result, Choice):
            noise_label = result.settings.get("noise_label", -1)
            return cls(result.distinct(most), result.best, noise_label=noise_label, **options)
        named = {f"K = {k}": result.labels[k] for k in sorted(result.labels)}
        return cls(named, f"K = {result.k}", **options)

    from_estimator = Maker(
        "choose", "Choose among settings of an estimator, and draw the choice.", among_settings
    )

    def _draw(self, ax: Any, size: float) -> None:
        """Draw the tree."""
        layers = self.tree.layers
        quiet(ax, size, keep=())
        ax.set_xticks([])
        ax.set_xlim(0, 1)
        ax.set_ylim(len(layers) - 0.5, -0.5)
        width, height = axes_size(ax)
        # A circle that holds all points leaves room for lines, and the circles of a layer fit side by side.
        largest = 0.72 * min(height / len(layers), width / self.tree.most_room)
        self._draw_edges(ax, largest)
        for row, layer in enumerate(layers):
            self._draw_layer(ax, row, layer, largest, size)
        self._name_layers(ax, size)
        self._explain(ax, size)
        title_axes(ax, f"Clustering tree of {len(layers)} clusterings", size)

    def _draw_edges(self, ax: Any, largest: float) -> None:
        from matplotlib.collections import LineCollection

        # Faint lines first, so that they do not hide others.
        edges = sorted(self.tree.edges, key=lambda edge: edge.share_below)
        layers = self.tree.layers
        lines = LineCollection(
            [
                [
                    (layers[edge.layer].places[edge.above], edge.layer),
                    (layers[edge.layer + 1].places[edge.below], edge.layer + 1),
                ]
                for edge in edges
            ],
            linewidths=[max(0.3, 0.45 * largest * edge.points / self.tree.n) for edge in edges],
            colors=[mix(on_page(QUANTITY), 0.15 + 0.6 * edge.share_below) for edge in edges],
            capstyle="butt",
            zorder=1,
        )
        ax.add_collection(lines, autolim=False)

    def _draw_layer(self, ax: Any, row: int, layer: Layer, largest: float, size: float) -> None:
        from matplotlib.patheffects import withStroke

        width = axes_size(ax)[0]
        diameters = largest * np.sqrt(layer.sizes / self.tree.n)
        fills = [on_page(QUANTITY)] * layer.sizes.size
        edges: list[Any] = [ground()] * layer.sizes.size
        if layer.noise:
            fills[-1], edges[-1] = ground(), muted()
        ax.scatter(
            layer.places,
            np.full(layer.sizes.size, row),
            s=np.maximum(diameters, 1.5) ** 2,
            c=fills,
            edgecolors=edges,
            linewidths=0.07 * size,
            zorder=2,
            clip_on=False,
        )
        starts = width * layer.places - diameters / 2
        for i, (name, place) in enumerate(zip(layer.clusters, layer.places.tolist(), strict=True)):
            if layer.noise and i == layer.sizes.size - 1:
                continue
            fitting = min(0.8 * size, 0.6 * diameters[i])
            if fitting >= _SMALLEST and text_width(str(name), fitting) <= 0.85 * diameters[i]:
                style = {"ha": "center", "va": "center", "fontsize": fitting, "color": ground(), "zorder": 3}
                put_text(ax, place, row, str(name), **style)
                continue
            # Names that are too wide stand beside their circles.
            small, end = 0.8 * size, width * place + diameters[i] / 2 + 0.25 * size
            room = min((own for own in starts.tolist() if own > starts[i]), default=width) - end
            if text_width(shown := fit_name(name, room, small), small) <= room:
                style = {"ha": "left", "va": "center", "fontsize": small, "color": ink(), "zorder": 3}
                style["path_effects"] = [withStroke(linewidth=1.6, foreground=ground())]
                put_text(ax, end / width, row, shown, **style)

    def _name_layers(self, ax: Any, size: float) -> None:
        """Write the names of the clusterings on the left, with each setting of a grid on its own line if these fit."""
        names = [layer.name for layer in self.tree.layers]
        width, height = axes_size(ax)
        fitting, room = min(size, 0.8 * height / len(names)), 0.4 * width
        most = max(name.count(", ") for name in names) + 1
        if 1.2 * most * fitting <= height / len(names):
            columns = zip_longest(*(name.split(", ") for name in names), fillvalue="")
            fitted = [fit_names(column, room, fitting) for column in columns]
            shown = ["\n".join(filter(None, lines)) for lines in zip(*fitted, strict=True)]
        else:
            shown = fit_names(names, room, fitting)
        ax.set_yticks(range(len(names)))
        ax.set_yticklabels(shown, fontsize=fitting, parse_math=False)
        ax.tick_params(axis="y", length=0)
        for label, name in zip(ax.get_yticklabels(), names, strict=True):
            label.set_color(on_page(EMPHASIS) if name == self.best else ink())

    def _explain(self, ax: Any, size: float) -> None:
        from matplotlib.lines import Line2D

        shares = (1.0, 0.5, max(0.1, self.tree.least_share))
        handles: list[Any] = [
            Line2D([], [], color=mix(on_page(QUANTITY), 0.15 + 0.6 * share), linewidth=0.25 * size)
            for share in shares
        ]
        labels = [f"{share:.0%}" for share in shares]
        labels[0] += " of the lower cluster"
        if any(layer.noise for layer in self.tree.layers):
            circle: dict[str, Any] = {"marker": "o", "markersize": 0.8 * size, "markerfacecolor": "none"}
            handles.append(Line2D([], [], linestyle="", markeredgecolor=muted(), **circle))
            labels.append("noise")
        where = {"loc": "upper right", "bbox_to_anchor": (1, 0)}
        add_legend(ax, handles, labels, 0.85 * size, ncols=len(handles), **where)
