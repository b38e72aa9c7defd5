"""Naive twins of the internal criteria: their definitions, with loops over points and pairs of points.

`points` is a list of tuples, and `labels` a list. Every function returns nan for 0/0 and an infinity for c/0, and
follows the conventions of adjudge where formulas leave a choice.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

Point = Sequence[float]


def euclidean(x: Point, y: Point) -> float:
    total = 0.0
    for a, b in zip(x, y, strict=True):
        total += (a - b) * (a - b)
    return math.sqrt(total)


def over(a: float, b: float) -> float:
    if b == 0:
        return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a)
    return a / b


def log(x: float) -> float:
    return math.nan if math.isnan(x) else -math.inf if x == 0 else math.log(x)


class Partition:
    """The points of each cluster, centroids and distances."""

    def __init__(self, points: Sequence[Point], labels: Sequence[Any]) -> None:
        self.points = [tuple(map(float, x)) for x in points]
        self.labels = list(labels)
        self.names = sorted(set(labels))
        self.members = {k: [i for i, c in enumerate(labels) if c == k] for k in self.names}
        self.n, self.k, self.p = len(points), len(self.names), len(self.points[0])
        self.centroids = {k: self.mean(self.members[k]) for k in self.names}
        self.centre = self.mean(range(self.n))

    def mean(self, members: Sequence[int]) -> Point:
        rows = [self.points[i] for i in members]
        # Exact, rounded once.
        return tuple(
            float(sum(map(Fraction, column), Fraction(0)) / len(rows)) for column in zip(*rows, strict=True)
        )

    def d(self, i: int, j: int) -> float:
        return euclidean(self.points[i], self.points[j])

    def pairs(self) -> list[tuple[float, bool]]:
        """Return all distances, and whether each lies within a cluster."""
        return [
            (self.d(i, j), self.labels[i] == self.labels[j])
            for i, j in itertools.combinations(range(self.n), 2)
        ]

    def within(self) -> list[float]:
        return [d for d, same in self.pairs() if same]

    def between(self) -> list[float]:
        return [d for d, same in self.pairs() if not same]

    def dispersion(self, k: Any) -> float:
        return sum(euclidean(self.points[i], self.centroids[k]) ** 2 for i in self.members[k])

    def wgss(self) -> float:
        return sum(self.dispersion(k) for k in self.names)

    def bgss(self) -> float:
        return sum(len(self.members[k]) * euclidean(self.centroids[k], self.centre) ** 2 for k in self.names)

    def radius(self, k: Any) -> float:
        return sum(euclidean(self.points[i], self.centroids[k]) for i in self.members[k]) / len(
            self.members[k]
        )

    def centroid_pairs(self) -> list[float]:
        return [
            euclidean(self.centroids[k], self.centroids[m]) for k, m in itertools.combinations(self.names, 2)
        ]

    def variances(self, members: Sequence[int]) -> list[float]:
        mean = self.mean(members)
        return [
            sum((self.points[i][j] - mean[j]) ** 2 for i in members) / len(members) for j in range(self.p)
        ]

    def scatter(self, members: Sequence[int]) -> list[list[Fraction]]:
        """Return the exact scatter matrix around the exact mean."""
        rows = [[Fraction(v) for v in self.points[i]] for i in members]
        mean = [sum(c, Fraction(0)) / len(rows) for c in zip(*rows, strict=True)]
        return [
            [sum(((r[a] - mean[a]) * (r[b] - mean[b]) for r in rows), Fraction(0)) for b in range(self.p)]
            for a in range(self.p)
        ]

    def within_scatter(self) -> list[list[Fraction]]:
        return add(*(self.scatter(self.members[k]) for k in self.names))

    def total_scatter(self) -> list[list[Fraction]]:
        return self.scatter(range(self.n))


def add(*matrices: list[list[Fraction]]) -> list[list[Fraction]]:
    return [
        [sum(cells, Fraction(0)) for cells in zip(*rows, strict=True)] for rows in zip(*matrices, strict=True)
    ]


def determinant(matrix: list[list[Fraction]]) -> Fraction:
    """Expand along the first row."""
    if len(matrix) == 1:
        return matrix[0][0]
    total = Fraction(0)
    for j, value in enumerate(matrix[0]):
        minor = [row[:j] + row[j + 1 :] for row in matrix[1:]]
        total += (-1) ** j * value * determinant(minor)
    return total


# --- from centroids ---------------------------------------------------------------------------------------------


def ball_hall(c: Partition) -> float:
    return sum(c.dispersion(k) / len(c.members[k]) for k in c.names) / c.k


def banfield_raftery(c: Partition) -> float:
    return sum(len(c.members[k]) * log(c.dispersion(k) / len(c.members[k])) for k in c.names)


def calinski_harabasz(c: Partition) -> float:
    if c.k == 1 or c.k == c.n:
        return math.nan
    return over(c.bgss() / (c.k - 1), c.wgss() / (c.n - c.k))


def davies_bouldin(c: Partition) -> float:
    if c.k == 1:
        return math.nan
    worst = []
    for k in c.names:
        ratios = [
            over(c.radius(k) + c.radius(m), euclidean(c.centroids[k], c.centroids[m]))
            for m in c.names
            if m != k
        ]
        if any(map(math.isnan, ratios)):
            return math.nan
        worst.append(max(ratios))
    return sum(worst) / c.k


def some(matrix: list[list[Fraction]], columns: Sequence[int]) -> list[list[Fraction]]:
    return [[matrix[a][b] for b in columns] for a in columns]


def det_ratio(c: Partition) -> float:
    """Take the first columns that span all in which the points differ: others change both determinants alike."""
    total, spanning = c.total_scatter(), list[int]()
    for j in range(c.p):
        if determinant(some(total, [*spanning, j])) != 0:
            spanning.append(j)
    if not spanning:
        return math.nan
    return over(determinant(some(total, spanning)), determinant(some(c.within_scatter(), spanning)))


def log_det_ratio(c: Partition) -> float:
    ratio = det_ratio(c)
    return ratio if math.isinf(ratio) else c.n * log(ratio)


def ksq_detw(c: Partition) -> float:
    return float(c.k**2 * determinant(c.within_scatter()))


def log_ss_ratio(c: Partition) -> float:
    ratio = over(c.bgss(), c.wgss())
    return ratio if math.isinf(ratio) else log(ratio)


def pbm(c: Partition) -> float:
    if c.k == 1:
        return math.nan
    own = sum(c.radius(k) * len(c.members[k]) for k in c.names)
    whole = sum(euclidean(x, c.centre) for x in c.points)
    return over(whole * max(c.centroid_pairs()), own * c.k) ** 2


def ratkowsky_lance(c: Partition) -> float:
    shares = []
    for j in range(c.p):
        total = sum((x[j] - c.centre[j]) ** 2 for x in c.points)
        if len({x[j] for x in c.points}) > 1:
            between = sum(len(c.members[k]) * (c.centroids[k][j] - c.centre[j]) ** 2 for k in c.names)
            shares.append(between / total)
    return math.sqrt(sum(shares) / len(shares) / c.k) if shares else math.nan


def ray_turi(c: Partition) -> float:
    return math.nan if c.k == 1 else over(c.wgss() / c.n, min(c.centroid_pairs()) ** 2)


def scott_symons(c: Partition) -> float:
    total = 0.0
    for k in c.names:
        size = len(c.members[k])
        total += size * log(float(determinant(c.scatter(c.members[k])) / size**c.p))
    return total


def norm(vector: Sequence[float]) -> float:
    return math.sqrt(sum(v * v for v in vector))


def sd_scat(c: Partition) -> float:
    own = sum(norm(c.variances(c.members[k])) for k in c.names) / c.k
    return over(own, norm(c.variances(range(c.n))))


def sd_dis(c: Partition) -> float:
    if c.k == 1:
        return math.nan
    ratio = over(max(c.centroid_pairs()), min(c.centroid_pairs()))
    if not math.isfinite(ratio):
        return ratio
    sums = [sum(euclidean(c.centroids[k], c.centroids[m]) for m in c.names if m != k) for k in c.names]
    return ratio * sum(1 / s for s in sums)


def sd_validity(c: Partition) -> float:
    return sd_dis(c) * sd_scat(c) + sd_dis(c)


def s_dbw(c: Partition) -> float:
    if c.k == 1:
        return math.nan
    radius = math.sqrt(sum(norm(c.variances(c.members[k])) for k in c.names)) / c.k
    total = 0.0
    for k, m in itertools.combinations(c.names, 2):
        both = c.members[k] + c.members[m]

        def density(place: Point, both: list[int] = both) -> int:
            return sum(euclidean(c.points[i], place) < radius for i in both)

        middle = density(tuple((a + b) / 2 for a, b in zip(c.centroids[k], c.centroids[m], strict=True)))
        if middle:
            total += over(middle, max(density(c.centroids[k]), density(c.centroids[m])))
    return sd_scat(c) + 2 * total / (c.k * (c.k - 1))


def trace_w(c: Partition) -> float:
    return c.wgss()


def trace_wib(c: Partition) -> float:
    """Return the exact trace of WG^-1 BG, by Cramer's rule."""
    within = c.within_scatter()
    between = [
        [t - w for t, w in zip(*rows, strict=True)] for rows in zip(c.total_scatter(), within, strict=True)
    ]
    whole = determinant(within)
    if whole == 0:
        return math.nan
    trace = Fraction(0)
    for j in range(c.p):
        replaced = [[*row[:j], between[i][j], *row[j + 1 :]] for i, row in enumerate(within)]
        trace += determinant(replaced) / whole
    return float(trace)


def wemmert_gancarski(c: Partition) -> float:
    if c.k == 1:
        return math.nan
    total = 0.0
    for k in c.names:
        ratios = [
            over(
                euclidean(c.points[i], c.centroids[k]),
                min(euclidean(c.points[i], c.centroids[m]) for m in c.names if m != k),
            )
            for i in c.members[k]
        ]
        if any(map(math.isnan, ratios)):
            return math.nan
        total += max(0.0, len(ratios) - sum(ratios))
    return total / c.n


# --- from distances between points ------------------------------------------------------------------------------


def between_distance(c: Partition, u: int, k: Any, m: Any) -> float:
    cross = [c.d(i, j) for i in c.members[k] for j in c.members[m]]
    a, b = len(c.members[k]), len(c.members[m])
    if u == 1:
        return min(cross)
    if u == 2:
        return max(cross)
    if u == 3:
        return sum(cross) / (a * b)
    if u == 4:
        return euclidean(c.centroids[k], c.centroids[m])
    if u == 5:
        return (a * c.radius(k) + b * c.radius(m)) / (a + b)
    there = max(min(c.d(i, j) for j in c.members[m]) for i in c.members[k])
    back = max(min(c.d(i, j) for i in c.members[k]) for j in c.members[m])
    return max(there, back)


def cluster_diameter(c: Partition, v: int, k: Any) -> float:
    own = [c.d(i, j) for i, j in itertools.combinations(c.members[k], 2)]
    if v == 1:
        return max(own, default=0.0)
    if v == 2:
        return over(sum(own), len(own))
    return 2 * c.radius(k)


def generalized_dunn(c: Partition, u: int, v: int) -> float:
    diameters = [cluster_diameter(c, v, k) for k in c.names]
    if c.k == 1 or any(map(math.isnan, diameters)):
        return math.nan
    separation = min(between_distance(c, u, k, m) for k, m in itertools.combinations(c.names, 2))
    return over(separation, max(diameters))


def mcclain_rao(c: Partition) -> float:
    within, between = c.within(), c.between()
    if not within or not between:
        return math.nan
    return over(sum(within) / len(within), sum(between) / len(between))


def point_biserial(c: Partition) -> float:
    within, between = c.within(), c.between()
    if not within or not between:
        return math.nan
    a, b = len(within), len(between)
    return (sum(within) / a - sum(between) / b) * math.sqrt(a * b) / (a + b)


def silhouette_widths(c: Partition) -> list[float]:
    widths = []
    for i in range(c.n):
        own = [j for j in c.members[c.labels[i]] if j != i]
        if c.k == 1:
            widths.append(math.nan)
        elif not own:
            widths.append(0.0)
        else:
            a = sum(c.d(i, j) for j in own) / len(own)
            b = min(
                sum(c.d(i, j) for j in members) / len(members)
                for k, members in c.members.items()
                if k != c.labels[i]
            )
            widths.append(over(b - a, max(a, b)))
    return widths


def silhouette(c: Partition) -> float:
    return sum(silhouette_widths(c)) / c.n


def silhouette_macro(c: Partition) -> float:
    widths = silhouette_widths(c)
    return sum(sum(widths[i] for i in c.members[k]) / len(c.members[k]) for k in c.names) / c.k


def xie_beni(c: Partition) -> float:
    return math.nan if c.k == 1 else over(c.wgss() / c.n, min(c.between()) ** 2)


# --- from ranks -------------------------------------------------------------------------------------------------


def c_index(c: Partition) -> float:
    within, everything = c.within(), sorted(d for d, _ in c.pairs())
    if not within or len(within) == len(everything):
        return math.nan
    low, high = sum(everything[: len(within)]), sum(everything[-len(within) :])
    return over(sum(within) - low, high - low)


def rank_counts(c: Partition) -> tuple[int, int, int]:
    """Return (s+, s-, ties)."""
    comparisons = [(w, b) for w in c.within() for b in c.between()]
    plus = sum(w < b for w, b in comparisons)
    minus = sum(w > b for w, b in comparisons)
    return plus, minus, len(comparisons) - plus - minus


def tied_pairs(c: Partition) -> int:
    return sum(a == b for (a, _), (b, _) in itertools.combinations(c.pairs(), 2))


def gamma(c: Partition) -> float:
    plus, minus, _ = rank_counts(c)
    return over(plus - minus, plus + minus)


def g_plus(c: Partition) -> float:
    total = len(c.pairs())
    return over(2 * rank_counts(c)[1], total * (total - 1))


def kendall(c: Partition, tied: int) -> float:
    plus, minus, _ = rank_counts(c)
    total = len(c.pairs())
    product = len(c.within()) * len(c.between()) * (total * (total - 1) // 2 - tied)
    return over(plus - minus, math.sqrt(product))


def tau(c: Partition) -> float:
    return kendall(c, 0)


def tau_b(c: Partition) -> float:
    return kendall(c, tied_pairs(c))


TWINS: dict[str, Callable[[Partition], float]] = {
    f.__name__: f
    for f in (
        ball_hall,
        banfield_raftery,
        calinski_harabasz,
        davies_bouldin,
        det_ratio,
        log_det_ratio,
        ksq_detw,
        log_ss_ratio,
        pbm,
        ratkowsky_lance,
        ray_turi,
        scott_symons,
        sd_scat,
        sd_dis,
        sd_validity,
        s_dbw,
        trace_w,
        trace_wib,
        wemmert_gancarski,
        mcclain_rao,
        point_biserial,
        silhouette,
        silhouette_macro,
        xie_beni,
        c_index,
        gamma,
        g_plus,
        tau,
        tau_b,
    )
}
for _u, _v in itertools.product(range(1, 7), range(1, 4)):
    TWINS["dunn" if _u == _v == 1 else f"gdi{_u}{_v}"] = lambda c, u=_u, v=_v: generalized_dunn(c, u, v)
