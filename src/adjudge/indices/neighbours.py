"""Internal criteria from nearest neighbours: whether points share their cluster with the points around them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from adjudge.array_types import Floats
from adjudge.errors import InputError
from adjudge.indices.internal_record import internal
from adjudge.indices.record import Noted, inf, quotient
from adjudge.kernels.elementary import exponentials
from adjudge.kernels.perplexity import effective_numbers, fit_weights
from adjudge.statistics.neighbours import NeighbourLabels

#: What a note says of indices that count whole neighbours, as the programs do from which they come.
FIRST_OF_TIES = (
    "Of equally near neighbours those that come first in the input count, so that values may depend on the order of "
    "the rows where distances tie."
)

# Points whose neighbours are weighted in one call.
_ROWS = 1 << 12


def few_neighbours(n: NeighbourLabels, n_neighbors: int) -> Noted | None:
    """Say that there are too few points for this number of neighbours; None if there are enough."""
    if n_neighbors >= n.n:
        return Noted(math.nan, f"a point has only {n.n - 1} others, but {n_neighbors} neighbours are needed")
    return None


@internal(
    title="Connectivity",
    better="lower",
    range=(0, inf),
    best_k="min",
    reference="handl2005",
    formula=r"\sum_i \sum_{r=1}^{L} \frac{[c(i) \neq c(\nu_r(i))]}{r}",
    symbols={
        "c": "cluster of a point",
        r"\nu_r(i)": "r-th nearest neighbour of point i",
        "r": "rank of a neighbour",
        "L": "number of neighbours, `n_neighbors`",
    },
    note=f"{FIRST_OF_TIES} Neighbours beyond the last "
    "point are left out. clValid leaves out the first of the sorted distances, which need not be the point itself "
    "if points coincide.",
    peers={"clValid": "connectivity"},
    asks="density",
)
def connectivity(n: NeighbourLabels, *, n_neighbors: int = 10) -> float:
    """How many near neighbours lie in another cluster, with more weight for nearer ones.

    >>> connectivity([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1], n_neighbors=2)
    2.0
    """
    read = min(n_neighbors, n.n - 1)
    foreign = ~n.same(n_neighbors)[:, :read]
    return math.fsum(foreign.sum(axis=0) / np.arange(1, read + 1))


@internal(
    title="WCNN",
    better="higher",
    range=(0, 1),
    best_k="max",
    reference="gagolewski2021",
    formula=r"\frac{1}{N M} \sum_i \sum_{r=1}^{M} [c(i) = c(\nu_r(i))]",
    symbols={
        "c": "cluster of a point",
        r"\nu_r(i)": "r-th nearest neighbour of point i",
        "r": "rank of a neighbour",
        "M": "number of neighbours, `n_neighbors`",
    },
    undefined="-inf if a cluster has too few points for `n_neighbors`; nan if the data have.",
    note=FIRST_OF_TIES,
    aliases=("within_cluster_near_neighbours",),
    peers={"genieclust": "wcnn_index"},
    asks="density",
)
def wcnn(n: NeighbourLabels, *, n_neighbors: int = 25) -> float | Noted:
    """Share of the near neighbours that lie in the same cluster.

    >>> wcnn([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1], n_neighbors=1)
    1.0
    """
    problem = few_neighbours(n, n_neighbors) or _small_cluster(n, n_neighbors)
    return problem or float(n.same(n_neighbors).mean())


def _small_cluster(n: NeighbourLabels, n_neighbors: int) -> Noted | None:
    if int(n.sizes.min()) <= n_neighbors:
        return Noted(
            -inf,
            f"the smallest cluster has size {int(n.sizes.min())}, but {n_neighbors} neighbours are needed",
        )
    return None


@internal(
    title="Neighbour consistency",
    better="higher",
    range=(0, 1),
    best_k="max",
    reference="ding2004",
    formula=r"\frac{1}{N M} \sum_i \sum_{r=1}^{M} [c(i) = c(\nu_r(i))]",
    symbols=wcnn.symbols,
    undefined="if there are too few points for `n_neighbors`.",
    note="`wcnn` without its rule for small clusters. `strict_neighbor_consistency` counts points all of whose "
    f"neighbours agree. {FIRST_OF_TIES}",
    aliases=("neighbour_consistency", "neighbour_agreement"),
    asks="density",
)
def neighbor_consistency(n: NeighbourLabels, *, n_neighbors: int = 10) -> float | Noted:
    """Share of the near neighbours that lie in the same cluster, regardless of the sizes of the clusters.

    >>> neighbor_consistency([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1], n_neighbors=2)
    0.5
    """
    return few_neighbours(n, n_neighbors) or float(n.same(n_neighbors).mean())


@internal(
    title="Neighbour consistency (all)",
    better="higher",
    range=(0, 1),
    best_k="max",
    reference="ding2004",
    formula=r"\frac{1}{N} \sum_i \prod_{r=1}^{M} [c(i) = c(\nu_r(i))]",
    symbols=wcnn.symbols,
    undefined="if there are too few points for `n_neighbors`.",
    note=FIRST_OF_TIES,
    aliases=("strict_neighbour_consistency",),
    asks="density",
)
def strict_neighbor_consistency(n: NeighbourLabels, *, n_neighbors: int = 10) -> float | Noted:
    """Share of the points whose near neighbours all lie in their own cluster.

    >>> strict_neighbor_consistency([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1], n_neighbors=1)
    1.0
    """
    return few_neighbours(n, n_neighbors) or float(n.same(n_neighbors).all(axis=1).mean())


def _owa(values: Floats, operator: str) -> float:
    """Aggregate distances by an ordered weighted average.

    "Min", "Max", "Mean", "Const" (1), or "SMin:D" and "SMax:D": the 3 D smallest or largest, weighted by the normal
    density with mean 1 and standard deviation D at their ranks.
    """
    name, _, spread = operator.partition(":")
    if name == "Const":
        return 1.0
    simple: dict[str, Callable[[Floats], Any]] = {"Min": np.min, "Max": np.max, "Mean": np.mean}
    if name in simple and not spread:
        return float(simple[name](values))
    if name in ("SMin", "SMax") and spread.isdigit() and int(spread) > 0:
        count = min(3 * int(spread), values.size)
        if name == "SMin":
            chosen = np.sort(np.partition(values, count - 1)[:count])
        else:
            chosen = np.sort(np.partition(values, values.size - count)[-count:])[::-1]
        weights = exponentials(-0.5 * (np.arange(count) / int(spread)) ** 2)
        return float((chosen * weights).sum() / weights.sum())
    raise InputError(
        f"{operator!r} is not an average: use 'Min', 'Max', 'Mean', 'Const', or 'SMin:5' and 'SMax:5' with any number"
    )


@internal(
    title="DuNN-OWA",
    better="higher",
    range=(0, inf),
    best_k="max",
    reference="gagolewski2021",
    formula=r"\frac{\operatorname{OWA} \{d_{ij} : c(i) \neq c(j)\}}{\operatorname{OWA} \{d_{ij} : c(i) = c(j)\}}, "
    r"\quad j \in \{\nu_1(i), \ldots, \nu_M(i)\}",
    symbols={
        "c": "cluster of a point",
        "M": "number of neighbours, `n_neighbors`",
        r"\nu_1(i)": "nearest neighbour of point i",
        r"\nu_M(i)": "M-th nearest neighbour of point i",
        r"\operatorname{OWA}": "an ordered weighted average, `numerator` and `denominator`",
    },
    undefined="inf if no near neighbour lies in another cluster, or those in the same cluster coincide; -inf if none "
    "lies in the same cluster, or a cluster has too few points for `n_neighbors`; nan if the data have, and for 0/0.",
    note=FIRST_OF_TIES,
    peers={"genieclust": "dunnowa_index"},
    family="DuNN",
    asks="density",
)
def dunn_owa(
    n: NeighbourLabels, *, n_neighbors: int = 25, numerator: str = "SMin:5", denominator: str = "Const"
) -> float | Noted:
    """Distance to near neighbours in other clusters over the distance to those in the same cluster.

    The averages are "Min", "Max", "Mean", "Const" (which is 1), and "SMin:D" and "SMax:D", smooth forms of the
    minimum and the maximum over 3 D distances.

    >>> dunn_owa([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1], n_neighbors=1, numerator="Min", denominator="Max")
    inf
    """
    problem = few_neighbours(n, n_neighbors) or _small_cluster(n, n_neighbors)
    if problem:
        return problem
    same, distances = n.same(n_neighbors), n.distances(n_neighbors)
    if same.all():
        return Noted(inf, "no near neighbour lies in another cluster")
    if not same.any():
        return Noted(-inf, "no near neighbour lies in the same cluster")
    between, within = _owa(distances[~same], numerator), _owa(distances[same], denominator)
    return quotient(between, within, "near neighbours in the same cluster coincide")


dunn_owa_min_max = dunn_owa.variant(
    "dunn_owa_min_max", title="DuNN (Min, Max)", fixed={"numerator": "Min", "denominator": "Max"}
)
dunn_owa_mean_mean = dunn_owa.variant(
    "dunn_owa_mean_mean", title="DuNN (Mean, Mean)", fixed={"numerator": "Mean", "denominator": "Mean"}
)
dunn_owa_min_mean = dunn_owa.variant(
    "dunn_owa_min_mean", title="DuNN (Min, Mean)", fixed={"numerator": "Min", "denominator": "Mean"}
)
dunn_owa_smin_smax = dunn_owa.variant(
    "dunn_owa_smin_smax",
    title="DuNN (SMin:2, SMax:3)",
    fixed={"numerator": "SMin:2", "denominator": "SMax:3"},
)


def lisi_of_points(n: NeighbourLabels, *, n_neighbors: int = 90) -> Floats:
    """Return the effective number of clusters among the near neighbours of each point.

    Neighbours have weights exp(-beta d), with beta such that the entropy of the weights is the logarithm of the
    perplexity, a third of `n_neighbors`; the number is the inverse of the sum of the clusters' squared shares.

    Returns
    -------
    ndarray of shape (n,)
        nan if no beta gives that entropy, because too many neighbours are equally near.
    """
    labels, distances = n.labels(n_neighbors), np.ascontiguousarray(n.distances(n_neighbors))
    if labels.shape[1] < n_neighbors:
        return np.full(n.n, np.nan)
    found, fitted = np.empty(n.n), n.neighbours.sharpness.get(n_neighbors)
    betas = np.empty(n.n) if fitted is None else fitted
    # A few at a time, so that an interruption takes effect between them.
    for first in range(0, n.n, _ROWS):
        rows = slice(first, first + _ROWS)
        if fitted is None:
            fit_weights(distances[rows], n_neighbors / 3, betas[rows])
        effective_numbers(distances[rows], betas[rows], labels[rows], n.sizes.size, found[rows])
    n.neighbours.sharpness[n_neighbors] = betas
    for tied, inside, shares in n.ties(n_neighbors):
        for i, row in enumerate(tied.tolist()):
            if not math.isnan(found[row]) and np.count_nonzero(shares[i]) > 1:
                weights = exponentials(-betas[row] * (distances[row] - distances[row, 0]))
                by_cluster = shares[i] * weights[-1]
                np.add.at(by_cluster, labels[row, : inside[i]], weights[: inside[i]])
                found[row] = weights.sum() ** 2 / (by_cluster @ by_cluster)
    return found


@internal(
    title="LISI",
    better="lower",
    range=(1, inf),
    best_k="min",
    reference="korsunsky2019",
    formula=r"\frac{1}{N} \sum_i \frac{1}{\sum_k \bigl(\sum_{j : c(j) = k} p_{ij}\bigr)^2}, "
    r"\quad p_{ij} \propto e^{-\beta_i d_{ij}}",
    symbols={
        "c": "cluster of a point",
        "p_{ij}": "weight of neighbour j of point i; their entropy is the logarithm of the perplexity, a third of "
        "n_neighbors",
        r"\beta_i": "parameter chosen to make it so",
        "e": "Euler's number",
    },
    undefined="if there are too few points for `n_neighbors`, and if too many neighbours of every point are equally "
    "near that no weights have the perplexity.",
    note="If the last neighbours are as near as others, all of these share their places. The mean over the points that "
    "have a value; `adjudge.indices.neighbours.lisi_of_points` gives each. Low values mean that clusters do not mix; "
    "for batches, which should mix, high values are better.",
    aliases=("local_inverse_simpson_index", "clisi"),
    peers={"harmonypy": "compute_lisi", "scib-metrics": "lisi_knn"},
    asks="density",
)
def lisi(n: NeighbourLabels, *, n_neighbors: int = 90) -> float | Noted:
    """Mean effective number of clusters around a point.

    >>> import numpy as np
    >>> from adjudge import lisi
    >>> X = np.array([[0.0], [1.0], [2.5], [4.0], [6.0], [9.0], [13.0]])
    >>> round(lisi(X, [0, 0, 0, 0, 1, 1, 1], n_neighbors=6), 6)
    1.169496
    """
    problem = few_neighbours(n, n_neighbors)
    if problem:
        return problem
    values = lisi_of_points(n, n_neighbors=n_neighbors)
    values = values[~np.isnan(values)]
    if values.size == 0:
        return Noted(math.nan, "too many neighbours of every point are equally near")
    return float(values.mean())
