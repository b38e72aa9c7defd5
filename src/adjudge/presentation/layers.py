"""Layout of a graph in layers, with edges from each layer to the next, so that few of them cross."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from adjudge.array_types import Floats, Ints
from adjudge.presentation.spacing import spread_apart

# Passes down and up; after these, orders hardly ever improve.
_PASSES = 12


def crossings(flow: Floats) -> int:
    """Count the pairs of edges that cross between two layers; an edge is a positive entry.

    Examples
    --------
    >>> import numpy as np
    >>> crossings(np.array([[0, 1], [1, 0]]))
    1
    """
    edges = (np.asarray(flow) > 0).astype(np.int64)
    # Edges from later rows to earlier columns.
    later = edges.sum(axis=0) - np.cumsum(edges, axis=0)
    before = np.cumsum(later, axis=1) - later
    return int((edges * before).sum())


def orders(flows: Sequence[Floats]) -> list[Ints]:
    """Order the nodes of each layer repeatedly by the barycentre of their neighbours; keep the best order.

    Parameters
    ----------
    flows : sequence of ndarray of shape (K_i, K_i+1)
        Weights of the edges between a layer and the next.

    Returns
    -------
    list of ndarray of int64
        Positions of nodes from left to right, a permutation per layer.
    """
    sizes = [flows[0].shape[0], *(flow.shape[1] for flow in flows)]
    found = [np.arange(size) for size in sizes]
    best, fewest = list(found), _all_crossings(flows, found)
    for number in range(_PASSES):
        down = number % 2 == 0
        for i in range(1, len(sizes)) if down else range(len(sizes) - 2, -1, -1):
            weights = flows[i - 1].T if down else flows[i]
            beside = found[i - 1] if down else found[i + 1]
            centres = _barycentres(weights, _fractions(beside), _fractions(found[i]))
            # Nodes with the same barycentre keep their order.
            found[i] = found[i][np.argsort(centres[found[i]], kind="stable")]
        now = _all_crossings(flows, found)
        if now < fewest:
            best, fewest = list(found), now
    return best


def laid_out(flows: Sequence[Floats], widths: Sequence[Floats]) -> list[Floats]:
    """Place the nodes of each layer between 0 and 1, as close to the barycentre of their neighbours as room allows.

    The layer that needs the most room is filled evenly; the others follow from it, upwards and downwards.

    Parameters
    ----------
    flows : sequence of ndarray of shape (K_i, K_i+1)
        Weights of the edges between a layer and the next.
    widths : sequence of ndarray of shape (K_i,)
        Room that nodes need side by side, in any unit.

    Returns
    -------
    list of ndarray of shape (K_i,)
        Centres of the nodes.
    """
    ordered = orders(flows)
    totals = [own.sum() for own in widths]
    widest = int(np.argmax(totals))
    room = [own[order] / totals[widest] for own, order in zip(widths, ordered, strict=True)]
    places = [np.empty(order.size) for order in ordered]
    places[widest][ordered[widest]] = np.cumsum(room[widest]) - room[widest] / 2
    for steps, below in ((range(widest + 1, len(ordered)), False), (range(widest - 1, -1, -1), True)):
        for i in (i for i in steps if ordered[i].size):
            weights, beside = (flows[i], places[i + 1]) if below else (flows[i - 1].T, places[i - 1])
            wanted = _barycentres(weights, beside, _fractions(ordered[i]))[ordered[i]]
            gaps = (room[i][:-1] + room[i][1:]) / 2
            ends = room[i][0] / 2, 1 - room[i][-1] / 2
            places[i][ordered[i]] = spread_apart(wanted.tolist(), gaps.tolist(), *ends)
    return places


def _fractions(order: Ints) -> Floats:
    """Return evenly spaced positions of nodes between 0 and 1."""
    places = np.empty(order.size)
    places[order] = (np.arange(order.size) + 0.5) / order.size
    return places


def _barycentres(weights: Floats, places: Floats, otherwise: Floats) -> Floats:
    """Return the weighted mean position of each node's neighbours; a node without any has a given position."""
    totals = weights.sum(axis=1)
    means = weights @ places / np.where(totals > 0, totals, 1.0)
    return np.where(totals > 0, means, otherwise)


def _all_crossings(flows: Sequence[Floats], ordered: Sequence[Ints]) -> int:
    pairs = zip(flows, pairwise(ordered), strict=True)
    return sum(crossings(flow[np.ix_(above, below)]) for flow, (above, below) in pairs)
