"""Naive twins of the criteria of density, neighbours and prototypes: loops over a distance matrix."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np


class Given:
    """All distances between points, their clusters, and the number of neighbours."""

    def __init__(self, X: Any, labels: Any, n_neighbors: int = 5, D: Any = None) -> None:
        self.X, self.labels = np.asarray(X, float), np.asarray(labels)
        self.n = self.labels.size
        self.m = n_neighbors
        self.D = np.array([[math.dist(x, y) for y in self.X] for x in self.X]) if D is None else np.asarray(D)
        self.names = sorted(set(self.labels.tolist()))
        self.members = {c: [i for i in range(self.n) if self.labels[i] == c] for c in self.names}
        self.centroids = {c: self.X[rows].mean(axis=0) for c, rows in self.members.items()}
        self.pairs = list(itertools.combinations(range(self.n), 2))

    def joined(self, i: int, j: int) -> bool:
        return bool(self.labels[i] == self.labels[j])

    def neighbours(self, i: int) -> list[int]:
        others = sorted((self.D[i, j], j) for j in range(self.n) if j != i)
        return [j for _, j in others[: self.m]]

    def within(self) -> list[float]:
        return [self.D[i, j] for i, j in self.pairs if self.joined(i, j)]

    def between(self) -> list[float]:
        return [self.D[i, j] for i, j in self.pairs if not self.joined(i, j)]


def core_distance(g: Given, i: int, p: float) -> float:
    others = [g.D[i, j] for j in g.members[g.labels[i]] if j != i]
    if min(others) == 0:
        return 0.0
    # 12 digits, so that equivalent points tie whatever the order of summation.
    return float(f"{(sum(d**-p for d in others) / len(others)) ** (-1 / p):.11e}")


Edges = list[tuple[float, int, int]]


def densest_first(g: Given, rows: list[int], core: dict[int, float], by_rows: bool = False) -> Edges:
    """The tree of the authors' program, if the densest points of a cluster come first.

    Points that are as dense come in the order of their coordinates; those of which only distances are known, in that of
    their sorted distances within the cluster, then to other clusters.
    """

    def place(i: int) -> list[float]:
        if not by_rows:
            return g.X[i].tolist()
        others = [j for j in range(g.n) if j not in rows]
        return [d for part in (rows, others) for d in sorted(g.D[i, part].tolist())]

    start, *others = sorted(rows, key=lambda i: (core[i], place(i)))
    tree = []
    nearest = {j: (reach(g, core, start, j), start) for j in others}
    while nearest:
        new = min(nearest, key=lambda j: nearest[j][0])
        length, on = nearest.pop(new)
        tree.append((length, on, new))
        for j, (known, _) in nearest.items():
            if reach(g, core, new, j) < known:
                nearest[j] = reach(g, core, new, j), new
    return tree


def ordered(g: Given, rows: list[int], core: dict[int, float]) -> Edges:
    """The tree of Kruskal's algorithm, with edges by reachability, distance and positions."""
    tree, root = [], {i: i for i in rows}
    pairs = itertools.combinations(rows, 2)
    for m, _, i, j in sorted((reach(g, core, i, j), g.D[i, j], i, j) for i, j in pairs):
        if root[i] != root[j]:
            tree.append((m, i, j))
            old, new = root[i], root[j]
            root = {a: new if r == old else r for a, r in root.items()}
    return tree


def reach(g: Given, core: dict[int, float], i: int, j: int) -> float:
    return max(core[i], core[j], g.D[i, j])


def dbcv(g: Given, tree_of: Callable[..., Edges] = densest_first) -> float:
    parts = dbcv_parts(g, tree_of)
    return sum(len(g.members[c]) / g.n * own[2] for c, own in parts.items()) if parts else math.nan


def dbcv_parts(g: Given, tree_of: Callable[..., Edges]) -> dict[Any, tuple[float, float, float]]:
    """Sparseness, separation and validity of each cluster of several points; none if there are not two."""
    p = g.X.shape[1]
    clusters = {c: rows for c, rows in g.members.items() if len(rows) > 1}
    if len(clusters) < 2:
        return {}
    core = {i: core_distance(g, i, p) for rows in clusters.values() for i in rows}
    inner: dict[Any, list[int]] = {}
    sparse: dict[Any, float] = {}
    for c, rows in clusters.items():
        tree = tree_of(g, rows, core)
        degree = {i: sum(i in edge[1:] for edge in tree) for i in rows}
        inside = [m for m, i, j in tree if degree[i] > 1 and degree[j] > 1]
        sparse[c] = max(inside or [m for m, _, _ in tree])
        inner[c] = [i for i in rows if degree[i] > 1] or rows
    found = {}
    for c in clusters:
        outside = [j for other in clusters if other != c for j in inner[other]]
        apart = min(reach(g, core, i, j) for i in inner[c] for j in outside)
        larger = max(apart, sparse[c])
        found[c] = sparse[c], apart, (apart - sparse[c]) / larger if larger else math.nan
    return found


def disco_of_points(g: Given, min_points: int = 5) -> list[float]:
    """Scores of the points; the label -1 is noise."""
    clusters = {c: rows for c, rows in g.members.items() if c != -1}
    noise = g.members.get(-1, [])
    if not clusters or len(g.names) == 1:
        return [0.0 if clusters else -1.0] * g.n
    core = [sorted(g.D[i])[min_points - 1] for i in range(g.n)]
    far = [[max(core[i], core[j], g.D[i, j]) if i != j else 0.0 for j in range(g.n)] for i in range(g.n)]
    for m, i, j in itertools.product(range(g.n), repeat=3):  # the smallest of the longest steps on any path
        far[i][j] = min(far[i][j], max(far[i][m], far[m][j]))

    def score(small: float, large: float) -> float:
        return (large - small) / max(small, large) if max(small, large) else 0.0

    others = clusters if len(clusters) > 1 else {**clusters, **{(i,): [i] for i in noise}}
    found = [math.nan] * g.n
    for c, rows in clusters.items():
        for i in rows:
            inside = [far[i][j] for j in rows if j != i]
            outside = min(mean([far[i][j] for j in own]) for other, own in others.items() if other != c)
            found[i] = score(mean(inside), outside) if inside else 0.0
    for i in noise:
        sparsest = {c: max(core[j] for j in rows) for c, rows in clusters.items()}
        sparse = min(score(sparsest[c], core[i]) for c in clusters)
        apart = min(score(sparsest[c], min(far[i][j] for j in rows)) for c, rows in clusters.items())
        found[i] = min(sparse, apart)
    return found


def dbcv_of_hdbscan(g: Given) -> float:
    """Points join by the shortest edge, the first of those; the edge hangs on the first point that is about as near."""
    p, sparse, inner, core = g.X.shape[1], {}, {}, {}
    for rows in g.members.values():
        for i in rows:
            powers = [g.D[i, j] ** -p for j in rows if g.D[i, j] > 0]
            core[i] = (sum(powers) / (len(rows) - 1)) ** (-1 / p) if powers else 0.0

    def reach(i: int, j: int) -> float:
        return max(core[i], core[j], g.D[i, j])

    for c, rows in g.members.items():
        joined, tree = [rows[0]], []
        while len(joined) < len(rows):
            nearest = {j: min(reach(i, j) for i in joined) for j in rows if j not in joined}
            new = min(nearest, key=nearest.__getitem__)
            length = nearest[new]
            on = min(i for i in joined if abs(reach(i, new) - length) <= 1e-8 + 1e-5 * length)
            tree.append((length, on, new))
            joined.append(new)
        inner[c] = [i for i in rows if sum(i in edge[1:] for edge in tree) > 1] or rows[:1]
        inside = [m for m, i, j in tree if i in inner[c] and j in inner[c]]
        sparse[c] = max(inside or [m for m, _, _ in tree])
    total = 0.0
    for c, rows in g.members.items():
        apart = min(reach(i, j) for i in inner[c] for k in g.members if k != c for j in inner[k])
        total += len(rows) / g.n * (apart - sparse[c]) / max(apart, sparse[c])
    return total


def widest_gap(g: Given) -> float:
    widest = 0.0
    for rows in g.members.values():
        reached, left = {rows[0]}, set(rows[1:])
        while left:
            d, j = min((g.D[i, k], k) for i in reached for k in left)
            widest = max(widest, d)
            reached.add(j)
            left.remove(j)
    return widest


def connectivity(g: Given) -> float:
    return sum(1 / r for i in range(g.n) for r, j in enumerate(g.neighbours(i), 1) if not g.joined(i, j))


def consistency(g: Given) -> float:
    return sum(g.joined(i, j) for i in range(g.n) for j in g.neighbours(i)) / (g.n * g.m)


def strict_consistency(g: Given) -> float:
    return sum(all(g.joined(i, j) for j in g.neighbours(i)) for i in range(g.n)) / g.n


def wcnn(g: Given) -> float:
    return -math.inf if min(map(len, g.members.values())) <= g.m else consistency(g)


def smooth(values: list[float], spread: int, largest: bool) -> float:
    chosen = sorted(values, reverse=largest)[: 3 * spread]
    weights = [math.exp(-0.5 * (i / spread) ** 2) for i in range(len(chosen))]
    return sum(w * v for w, v in zip(weights, chosen, strict=True)) / sum(weights)


def dunn_owa(above: Callable[[list[float]], float], below: Callable[[list[float]], float]) -> Any:
    def twin(g: Given) -> float:
        if min(map(len, g.members.values())) <= g.m:
            return -math.inf
        edges = [(i, j) for i in range(g.n) for j in g.neighbours(i)]
        outside = [g.D[i, j] for i, j in edges if not g.joined(i, j)]
        inside = [g.D[i, j] for i, j in edges if g.joined(i, j)]
        if not outside:
            return math.inf
        if not inside:
            return -math.inf
        return above(outside) / below(inside)

    return twin


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def lisi(g: Given) -> float:
    found = []
    for i in range(g.n):
        nearest = g.neighbours(i)
        d = np.array([g.D[i, j] for j in nearest]) - g.D[i, nearest[0]]
        if (d == 0).sum() >= g.m / 3:
            continue
        low, high = 0.0, 1e6 / d.max()
        for _ in range(300):
            beta = (low + high) / 2
            w = np.exp(-beta * d) / np.exp(-beta * d).sum()
            entropy = -sum(v * math.log(v) for v in w if v > 0)
            low, high = (beta, high) if entropy > math.log(g.m / 3) else (low, beta)
        shares = [sum(w[[g.labels[j] == c for j in nearest]]) for c in g.names]
        found.append(1 / sum(s * s for s in shares))
    return mean(found) if found else math.nan


def _width(a: float, b: float) -> float:
    return (b - a) / max(a, b) if max(a, b) > 0 else 0.0


def simplified_silhouette(g: Given) -> float:
    if len(g.names) == 1:
        return math.nan
    total = 0.0
    for x, c in zip(g.X, g.labels.tolist(), strict=True):
        others = [math.dist(x, g.centroids[k]) for k in g.names if k != c]
        total += _width(math.dist(x, g.centroids[c]), min(others))
    return total / g.n


def medoid_silhouette(g: Given) -> float:
    if len(g.names) == 1:
        return math.nan
    medoids = {}
    for c, rows in g.members.items():
        sums = [g.D[i, rows].sum() for i in rows]
        medoids[c] = next(i for i, s in zip(rows, sums, strict=True) if s <= min(sums) * (1 + 1e-12))
    return mean(
        [
            _width(g.D[i, medoids[c]], min(g.D[i, medoids[k]] for k in g.names if k != c))
            for i, c in enumerate(g.labels.tolist())
        ]
    )


def rms_silhouette(g: Given) -> float:
    if len(g.names) == 1:
        return math.nan
    total = 0.0
    for i, c in enumerate(g.labels.tolist()):
        if len(g.members[c]) == 1:
            continue
        own = math.sqrt(mean([g.D[i, j] ** 2 for j in g.members[c] if j != i]))
        other = min(math.sqrt(mean([g.D[i, j] ** 2 for j in g.members[k]])) for k in g.names if k != c)
        if own == other == 0:
            return math.nan
        total += _width(own, other)
    return total / g.n


def wb_ratio(g: Given) -> float:
    several = {c: rows for c, rows in g.members.items() if len(rows) > 1}
    if not several or not g.between():
        return math.nan
    weighted = sum(
        len(rows) * mean([g.D[i, j] for i, j in itertools.combinations(rows, 2)]) for rows in several.values()
    )
    return weighted / sum(map(len, several.values())) / mean(g.between())


def pearson_gamma(g: Given) -> float:
    apart = [not g.joined(i, j) for i, j in g.pairs]
    distances = [g.D[i, j] for i, j in g.pairs]
    if len(set(apart)) == 1 or max(distances) == min(distances):
        return math.nan
    return float(np.corrcoef(distances, apart)[0, 1])


def aucc(g: Given) -> float:
    within, between = g.within(), g.between()
    if not within or not between:
        return math.nan
    wins = sum((w < b) + (w == b) / 2 for w in within for b in between)
    return wins / (len(within) * len(between))


def wb_index(g: Given) -> float:
    centre = g.X.mean(axis=0)
    inside = sum(math.dist(x, g.centroids[c]) ** 2 for x, c in zip(g.X, g.labels.tolist(), strict=True))
    outside = sum(len(rows) * math.dist(g.centroids[c], centre) ** 2 for c, rows in g.members.items())
    if len(g.names) == 1:
        outside = 0.0
    if outside == 0:
        return math.nan if inside == 0 else math.inf
    return len(g.names) * inside / outside


def cop(g: Given) -> float:
    if len(g.names) == 1:
        return math.nan
    total = 0.0
    for c, rows in g.members.items():
        own = sum(math.dist(g.X[i], g.centroids[c]) for i in rows)
        far = min(max(g.D[i, j] for i in rows) for j in range(g.n) if g.labels[j] != c)
        total += own / far if far else math.nan
    return total / g.n


def separation_index(g: Given) -> float:
    if len(g.names) == 1:
        return math.nan
    nearest = sorted(min(g.D[i, j] for j in range(g.n) if not g.joined(i, j)) for i in range(g.n))
    return mean(nearest[: max(1, g.n // 10)])


def size_entropy(g: Given) -> float:
    return sum(-len(r) / g.n * math.log(len(r) / g.n) for r in g.members.values())


def centroid_correlation(g: Given) -> float:
    distances = [g.D[i, j] for i, j in g.pairs]
    apart = [math.dist(g.centroids[g.labels[i]], g.centroids[g.labels[j]]) for i, j in g.pairs]
    if len(g.names) == 1 or np.ptp(distances) < 1e-12 or np.ptp(apart) < 1e-12:
        return math.nan
    return float(np.corrcoef(distances, apart)[0, 1])


TWINS: dict[str, Callable[[Given], float]] = {
    "dbcv": dbcv,
    "disco": lambda g: mean(disco_of_points(g)) if g.n >= 5 or len(g.names) == 1 else math.nan,
    "widest_gap": widest_gap,
    "connectivity": connectivity,
    "wcnn": wcnn,
    "neighbor_consistency": consistency,
    "strict_neighbor_consistency": strict_consistency,
    "dunn_owa": dunn_owa(lambda v: smooth(v, 5, False), lambda v: 1.0),
    "dunn_owa_min_max": dunn_owa(min, max),
    "dunn_owa_mean_mean": dunn_owa(mean, mean),
    "dunn_owa_min_mean": dunn_owa(min, mean),
    "dunn_owa_smin_smax": dunn_owa(lambda v: smooth(v, 2, False), lambda v: smooth(v, 3, True)),
    "lisi": lisi,
    "simplified_silhouette": simplified_silhouette,
    "medoid_silhouette": medoid_silhouette,
    "rms_silhouette": rms_silhouette,
    "wb_ratio": wb_ratio,
    "pearson_gamma": pearson_gamma,
    "aucc": aucc,
    "wb_index": wb_index,
    "cop": cop,
    "separation_index": separation_index,
    "size_entropy": size_entropy,
    "centroid_correlation": centroid_correlation,
}
#: The criteria that use only distances, and so work with any metric.
OF_DISTANCES = set(TWINS) - {
    "dbcv",
    "simplified_silhouette",
    "rms_silhouette",
    "wb_index",
    "cop",
    "centroid_correlation",
}
