"""How the clusters of one clustering split, or merge, in the next one: their sizes, and the points that two share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from adjudge.array_types import Floats, Ints
from adjudge.errors import InputError
from adjudge.given.alignment import align_labels
from adjudge.given.labels import Labels
from adjudge.presentation.layers import laid_out

# Least diameter of a cluster, where that of all points is 1.
_LEAST_DIAMETER = 0.12
# Share of the width for noise, if there is any.
_NOISE_COLUMN = 0.1


@dataclass(frozen=True, eq=False)
class Layer:
    """The clusters of one clustering.

    Attributes
    ----------
    name : str
    clusters : list
        Their labels.
    sizes : ndarray of int64 of shape (K,)
    noise : bool
        Whether the last of them is noise.
    places : ndarray of shape (K,)
        Horizontal positions, between 0 and 1.
    """

    name: str
    clusters: list[Any]
    sizes: Ints
    noise: bool
    places: Floats


@dataclass(frozen=True, slots=True)
class Edge:
    """Points that a cluster shares with one in the next clustering.

    Attributes
    ----------
    layer : int
        Layer of the upper cluster.
    above, below : int
        The two clusters.
    points : int
    share_above, share_below : float
        Shares of their points.
    """

    layer: int
    above: int
    below: int
    points: int
    share_above: float
    share_below: float


@dataclass(frozen=True, eq=False)
class ClusterTree:
    """Clusterings stacked from top to bottom, laid out so that few edges cross.

    Attributes
    ----------
    n : int
        Number of points.
    layers : tuple of Layer
    edges : tuple of Edge
        Those that hold at least `least_share` of the points of the lower cluster.
    least_share : float
    """

    n: int
    layers: tuple[Layer, ...]
    edges: tuple[Edge, ...]
    least_share: float

    @property
    def most_room(self) -> float:
        """Total diameter of the clusters in the widest layer, where that of all points is 1."""
        room = max(
            float(
                np.maximum(np.sqrt(layer.sizes / self.n), _LEAST_DIAMETER)[
                    : -1 if layer.noise else None
                ].sum()
            )
            for layer in self.layers
        )
        return max(room, _LEAST_DIAMETER) / (
            1 - _NOISE_COLUMN if any(layer.noise for layer in self.layers) else 1
        )

    @classmethod
    def of(cls, labels: Mapping[str, Any], *, noise_label: Any = -1, least_share: float = 0.1) -> ClusterTree:
        """Count the points that clusters share, and lay out the clusters.

        Parameters
        ----------
        labels : mapping of str to array-like of shape (n,)
            Clusterings from top to bottom.
        noise_label : default -1
        least_share : float, default 0.1
            Least share of a lower cluster's points for which an edge is drawn.

        Examples
        --------
        >>> tree = ClusterTree.of({"coarse": [0, 0, 0, 1], "fine": [0, 0, 1, 2]})
        >>> [(edge.above, edge.below, edge.points) for edge in tree.edges]
        [(0, 0, 2), (0, 1, 1), (1, 2, 1)]
        """
        if len(labels) < 2:
            raise InputError("a tree of clusters needs at least two clusterings, one below the other")
        aligned = align_labels(labels)
        coded = [_coded(own, noise_label) for own in aligned.labels]
        flows = [
            _shared(above, below, len(names), len(more))
            for (above, names, _), (below, more, _) in pairwise(coded)
        ]
        sizes = [np.bincount(codes, minlength=len(names)) for codes, names, _ in coded]
        drawn = [
            np.where(flow >= least_share * own, flow, 0.0) for flow, own in zip(flows, sizes[1:], strict=True)
        ]
        noise = [has_noise for _, _, has_noise in coded]
        places = _places(drawn, [size / aligned.n_given for size in sizes], noise)
        layers = tuple(
            Layer(name, names, own, has_noise, place)
            for name, (_, names, has_noise), own, place in zip(labels, coded, sizes, places, strict=True)
        )
        return cls(aligned.n_given, layers, tuple(_edges(drawn, sizes)), least_share)


def _coded(labels: Labels, noise_label: Any) -> tuple[Ints, list[Any], bool]:
    """Return the codes, the labels of the clusters, and whether the last one is noise."""
    noisy = labels.where(noise_label)
    codes, names = labels.dense()
    if noisy is None or not noisy.any():
        return codes, names, False
    noise = int(codes[np.flatnonzero(noisy)[0]])
    moved = np.arange(len(names))
    moved[noise + 1 :] -= 1
    moved[noise] = len(names) - 1
    return moved[codes], [*names[:noise], *names[noise + 1 :], names[noise]], True


def _shared(above: Ints, below: Ints, rows: int, columns: int) -> Floats:
    counts = np.bincount(above * columns + below, minlength=rows * columns)
    return counts.reshape(rows, columns).astype(np.float64)


def _places(flows: Sequence[Floats], shares: Sequence[Floats], noise: Sequence[bool]) -> list[Floats]:
    """Lay out the clusters by their diameters; noise gets a column on the right and does not affect the order."""
    without = [slice(None, -1 if has_noise else None) for has_noise in noise]
    widths = [np.maximum(np.sqrt(own), _LEAST_DIAMETER) for own in shares]
    placed = laid_out(
        [flow[above, below] for flow, (above, below) in zip(flows, pairwise(without), strict=True)],
        [own[rows] for own, rows in zip(widths, without, strict=True)],
    )
    if not any(noise):
        return placed
    return [
        np.append(own * (1 - _NOISE_COLUMN), 1 - _NOISE_COLUMN / 2)
        if has_noise
        else own * (1 - _NOISE_COLUMN)
        for own, has_noise in zip(placed, noise, strict=True)
    ]


def _edges(flows: Sequence[Floats], sizes: Sequence[Ints]) -> list[Edge]:
    return [
        Edge(
            number,
            int(i),
            int(j),
            int(flow[i, j]),
            float(flow[i, j] / sizes[number][i]),
            float(flow[i, j] / sizes[number + 1][j]),
        )
        for number, flow in enumerate(flows)
        for i, j in np.argwhere(flow > 0)
    ]
