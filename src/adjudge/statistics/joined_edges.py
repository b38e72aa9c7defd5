"""Which merge of a tree of clusters joins the ends of each edge of a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from adjudge.array_types import Ints
from adjudge.given.graph import Graph, edge_chunks
from adjudge.given.linkage import Linkage
from adjudge.statistics.communities import exact_numbers


@dataclass(frozen=True, eq=False, slots=True)
class JoinedEdges:
    """Weight of the edges whose ends each merge of a tree joins; loops are left out.

    Attributes
    ----------
    weights : tuple
        By merge: integers if the weights of the graph are, else floats that are rounded once.
    sizes : tuple of int
        Number of instances of the new cluster.
    """

    made_from: ClassVar[tuple[type, ...]] = (Linkage, Graph)

    weights: tuple[Any, ...]
    sizes: tuple[int, ...]

    @classmethod
    def make(cls, tree: Linkage, graph: Graph) -> Self:
        """Find the last merge between the ends of each edge, in the order in which each cluster stands together."""
        n, sums = tree.n, np.zeros((len(graph.exponents), tree.n - 1), np.int64)
        latest = _latest(tree)
        for _, ends, parts in edge_chunks(graph):
            one, other = np.sort(tree.starts[ends[ends[:, 0] != ends[:, 1]]], axis=1).T
            level = np.frexp((other - one).astype(np.float64))[1] - 1
            merges = np.maximum(latest[level, one], latest[level, other - 2**level])
            for i, part in enumerate(parts):
                kept = part if part is None else part[ends[:, 0] != ends[:, 1]]
                sums[i] += np.bincount(merges, kept, n - 1).astype(np.int64)
        return cls(exact_numbers(sums, graph), tuple(tree.sizes[n:].tolist()))


def _latest(tree: Linkage) -> Ints:
    """Return the last merge in each range of 2**level gaps between neighbours, by level and first gap."""
    n = tree.n
    gaps = np.zeros(n - 1, np.int64)
    gaps[tree.starts[tree.children[:, 1]] - 1] = np.arange(n - 1)
    found = [gaps]
    for level in range((n - 1).bit_length() - 1):
        above = found[-1].copy()
        np.maximum(above[: -(2**level)], found[-1][2**level :], out=above[: -(2**level)])
        found.append(above)
    return np.array(found)
