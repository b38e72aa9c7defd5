"""Indices of soft clusterings: how soft one is, how its clusters lie among the points, and how well two agree."""

from __future__ import annotations

import math
from operator import attrgetter

from adjudge.given.options import check_choice, check_weight
from adjudge.indices.record import Noted, quotient
from adjudge.indices.structure_record import StructureIndex, maker_of_structure
from adjudge.kernels.elementary import logarithm, powers
from adjudge.statistics.memberships import MembershipSums, PointMemberships, SoftPairs, TNorm

__all__ = [
    "SoftIndex",
    "fuzzy_adjusted_rand",
    "fuzzy_fowlkes_mallows",
    "fuzzy_jaccard",
    "fuzzy_rand",
    "fuzzy_rand_campello",
    "fuzzy_silhouette",
    "modified_partition_coefficient",
    "normalized_partition_entropy",
    "partition_coefficient",
    "partition_entropy",
]

_OF_ONE = "it reads one clustering"
_OF_PAIRS = "no influence of an instance on this index is known: no interval is given"


class SoftIndex(StructureIndex):
    """An index of one soft clustering, or of two."""

    kind = "soft"

    def _asked(self) -> str:
        return "softness"


soft = maker_of_structure(SoftIndex)


@soft(
    title="Partition coefficient",
    better="higher",
    range=(0, 1),
    reference="bezdek1981",
    formula=r"\frac1n \sum_i \sum_k u_{ik}^2",
    influence=attrgetter("squares"),
    chance=_OF_ONE,
    peers={"e1071": "partition.coefficient"},
    default="The usual measure of how crisp a soft clustering is: 1 if every instance is in one cluster.",
    drift="it falls with the number of clusters",
)
def partition_coefficient(sums: MembershipSums) -> float | Noted:
    """Mean over the instances of the sum of their squared memberships: 1/K if all are equal, 1 without softness.

    >>> from adjudge import Memberships, partition_coefficient
    >>> partition_coefficient(Memberships([[1.0, 0.0], [0.5, 0.5]]))
    0.75
    """
    return math.fsum(sums.squares.tolist()) / sums.n


@soft(
    title="Modified partition coefficient",
    better="higher",
    range=(0, 1),
    reference="dave1996",
    formula=r"1 - \frac{K}{K - 1} (1 - P)",
    symbols={"P": "partition coefficient"},
    influence=lambda sums: sums.squares * (sums.n_clusters / (sums.n_clusters - 1)),
    chance=_OF_ONE,
    undefined="There is one cluster.",
    votes="is corrected for the number of clusters; it still prefers few crisp ones, and says nothing about points",
)
def modified_partition_coefficient(sums: MembershipSums) -> float | Noted:
    """Partition coefficient, rescaled so that it is 0 if all memberships are equal, whatever the number of clusters.

    >>> from adjudge import Memberships, modified_partition_coefficient
    >>> modified_partition_coefficient(Memberships([[1.0, 0.0], [0.5, 0.5]]))
    0.5
    """
    k, softness = sums.n_clusters, 1 - math.fsum(sums.squares.tolist()) / sums.n
    lost = quotient(k * softness, k - 1, "there is one cluster")
    return lost if isinstance(lost, Noted) else 1 - lost


@soft(
    title="Partition entropy",
    better="lower",
    range=(0, math.inf),
    reference="bezdek1981",
    formula=r"-\frac1n \sum_i \sum_k u_{ik} \log u_{ik}",
    influence=attrgetter("entropies"),
    chance=_OF_ONE,
    peers={"e1071": "partition.entropy"},
    default="The entropy of the memberships: 0 if every instance is in one cluster.",
    drift="it grows with the number of clusters",
)
def partition_entropy(sums: MembershipSums) -> float | Noted:
    """Mean entropy of the memberships of an instance, in nats: 0 without softness, log K if all are equal.

    >>> from adjudge import Memberships, partition_entropy
    >>> round(partition_entropy(Memberships([[1.0, 0.0], [0.5, 0.5]])), 6)
    0.346574
    """
    return math.fsum(sums.entropies.tolist()) / sums.n


@soft(
    title="Normalised partition entropy",
    better="lower",
    range=(0, 1),
    reference="bezdek1981",
    formula=r"-\frac{1}{n \log K} \sum_i \sum_k u_{ik} \log u_{ik}",
    influence=lambda sums: sums.entropies / logarithm(sums.n_clusters),
    chance=_OF_ONE,
    undefined="There is one cluster.",
    note="Dunn's normalisation is another one: n / (n - K) times the partition entropy.",
    drift="it says the same as the modified partition coefficient",
)
def normalized_partition_entropy(sums: MembershipSums) -> float | Noted:
    """Partition entropy relative to its largest value: 0 without softness, 1 if all memberships are equal.

    >>> from adjudge import Memberships, normalized_partition_entropy
    >>> normalized_partition_entropy(Memberships([[1.0, 0.0], [0.5, 0.5]]))
    0.5
    """
    mean = math.fsum(sums.entropies.tolist()) / sums.n
    return quotient(mean, logarithm(sums.n_clusters), "there is one cluster")


@soft(
    title="Fuzzy silhouette",
    better="higher",
    range=(-1, 1),
    reference="campello2006",
    formula=r"\frac{\sum_i (u_{i(1)} - u_{i(2)})^\alpha s_i}{\sum_i (u_{i(1)} - u_{i(2)})^\alpha}",
    symbols={
        "s_i": "silhouette width of instance i among the likeliest clusters",
        "u_{i(1)}": "largest membership of instance i",
        "u_{i(2)}": "second largest membership of instance i",
        r"\alpha": "weight of the difference of the memberships; 1 unless `alpha` is given",
    },
    influence="the silhouette width of an instance depends on all others: no interval is given",
    asks="compactness and separation",
    undefined="All instances are likeliest in one cluster, or the two largest memberships of every instance are equal.",
    note="Of each instance, 0 counts as its width if it is alone in its cluster. Distances are Euclidean.",
    peers={"fclust": "SIL.F"},
    default="The silhouette of soft clusters, in which clear instances count for more.",
    votes="compares distances within clusters with those to the nearest other one; it prefers round, separate ones",
)
def fuzzy_silhouette(points: PointMemberships, *, alpha: float = 1.0) -> float | Noted:
    """Mean silhouette width of the likeliest clusters, in which clear instances have more weight.

    >>> from adjudge import Memberships, fuzzy_silhouette
    >>> U = Memberships([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9], [0.3, 0.7]])
    >>> round(fuzzy_silhouette(U, X=[[0.0], [1.0], [4.0], [5.0]]), 4)
    0.7436
    """
    check_weight("alpha", alpha, may_be_zero=True)
    if points.n_clusters < 2:
        return Noted(math.nan, "all instances are likeliest in one cluster")
    weights = powers(points.largest - points.second, alpha)
    top = math.fsum((weights * points.widths).tolist())
    return quotient(
        top, math.fsum(weights.tolist()), "no instance is more likely in one cluster than in another"
    )


@soft(
    title="Fuzzy Rand index",
    better="higher",
    range=(0, 1),
    reference="hullermeier2012",
    formula=r"1 - \frac{2}{n (n - 1)} \sum_{i < j} |E_{ij} - F_{ij}|,\quad "
    r"E_{ij} = 1 - \frac12 \sum_k |u_{ik} - u_{jk}|",
    symbols={
        "E_{ij}": "how alike the first clustering finds instances i and j",
        "F_{ij}": "how alike the second one finds them",
        "u_{jk}": "membership of instance j in cluster k",
    },
    symmetric=True,
    identical_is_best=True,
    # A pair belongs to two instances.
    influence=lambda pairs: -2 * pairs.differences / (pairs.n - 1),
    asks="agreement",
    undefined="There is one instance.",
    note="Of two partitions it is the Rand index. It is 1 also if columns are in another order.",
    default="The Rand index of soft clusterings that is 1 for two equal ones.",
)
def fuzzy_rand(pairs: SoftPairs) -> float | Noted:
    """1 minus the mean difference of how alike two clusterings find a pair of instances.

    >>> from adjudge import Memberships, fuzzy_rand
    >>> round(fuzzy_rand(Memberships([[1, 0], [0.5, 0.5], [0, 1]]), Memberships([[1, 0], [1, 0], [0, 1]])), 4)
    0.6667
    """
    lost = quotient(math.fsum(pairs.differences.tolist()), pairs.n * (pairs.n - 1), "there is one instance")
    return lost if isinstance(lost, Noted) else 1 - lost


_JOINED = {
    "a": "how far pairs are joined in both clusterings, summed over the pairs",
    "b": "how far they are joined in the first only",
    "c": "how far they are joined in the second only",
    "d": "how far they are joined in neither",
}
_WITHOUT_NEITHER = {symbol: meaning for symbol, meaning in _JOINED.items() if symbol != "d"}
_CAMPELLO = (
    "Of two soft clusterings that are equal it is below 1; of two partitions it is the index of partitions. "
    '`t_norm` may also be "product".'
)


def _joined(pairs: SoftPairs, t_norm: TNorm) -> tuple[float, float, float, float]:
    check_choice("t_norm", t_norm, ("min", "product"))
    return pairs.joined(t_norm)


@soft(
    title="Fuzzy Rand index (Campello)",
    better="higher",
    range=(0, 1),
    reference="campello2007",
    formula=r"\frac{a + d}{a + b + c + d}",
    symbols=_JOINED,
    symmetric=True,
    influence=_OF_PAIRS,
    asks="agreement",
    undefined="There is one instance.",
    note=_CAMPELLO,
)
def fuzzy_rand_campello(pairs: SoftPairs, *, t_norm: TNorm = "min") -> float | Noted:
    """Rand index from how far pairs are joined in both clusterings, in one or in neither.

    >>> from adjudge import Memberships, fuzzy_rand_campello
    >>> U, V = Memberships([[1, 0], [0.5, 0.5], [0, 1]]), Memberships([[1, 0], [1, 0], [0, 1]])
    >>> round(fuzzy_rand_campello(U, V), 4)
    0.6667
    """
    a, b, c, d = _joined(pairs, t_norm)
    return quotient(a + d, a + b + c + d, "there is one instance")


@soft(
    title="Fuzzy adjusted Rand index",
    better="higher",
    range=(-1, 1),
    reference="campello2007",
    formula=r"\frac{a - \frac{(a + c)(a + b)}{a + b + c + d}}"
    r"{\frac{(a + c) + (a + b)}{2} - \frac{(a + c)(a + b)}{a + b + c + d}}",
    symbols=_JOINED,
    symmetric=True,
    influence=_OF_PAIRS,
    asks="agreement",
    undefined="There is one instance, or both clusterings join all pairs alike.",
    note=_CAMPELLO,
    aliases=("campello_adjusted_rand",),
    default="The adjusted Rand index of soft clusterings.",
)
def fuzzy_adjusted_rand(pairs: SoftPairs, *, t_norm: TNorm = "min") -> float | Noted:
    """Adjusted Rand index from how far pairs are joined in both clusterings, in one or in neither.

    >>> from adjudge import Memberships, fuzzy_adjusted_rand
    >>> U, V = Memberships([[1, 0], [0.9, 0.1], [0, 1]]), Memberships([[1, 0], [1, 0], [0, 1]])
    >>> round(fuzzy_adjusted_rand(U, V), 4)
    0.85
    """
    a, b, c, d = _joined(pairs, t_norm)
    total = quotient((a + c) * (a + b), a + b + c + d, "there is one instance")
    if isinstance(total, Noted):
        return total
    return quotient(a - total, (2 * a + b + c) / 2 - total, "both clusterings join all pairs alike")


@soft(
    title="Fuzzy Jaccard index",
    better="higher",
    range=(0, 1),
    reference="campello2007",
    formula=r"\frac{a}{a + b + c}",
    symbols=_WITHOUT_NEITHER,
    symmetric=True,
    influence=_OF_PAIRS,
    asks="agreement",
    undefined="No pair is joined to any extent.",
    note=_CAMPELLO,
)
def fuzzy_jaccard(pairs: SoftPairs, *, t_norm: TNorm = "min") -> float | Noted:
    """Jaccard index from how far pairs are joined in both clusterings, or in one.

    >>> from adjudge import Memberships, fuzzy_jaccard
    >>> U, V = Memberships([[1, 0], [0.5, 0.5], [0, 1]]), Memberships([[1, 0], [1, 0], [0, 1]])
    >>> round(fuzzy_jaccard(U, V), 4)
    0.3333
    """
    a, b, c, _ = _joined(pairs, t_norm)
    return quotient(a, a + b + c, "no pair is joined to any extent")


@soft(
    title="Fuzzy Fowlkes-Mallows index",
    better="higher",
    range=(0, 1),
    reference="campello2007",
    formula=r"\frac{a}{\sqrt{(a + b)(a + c)}}",
    symbols=_WITHOUT_NEITHER,
    symmetric=True,
    influence=_OF_PAIRS,
    asks="agreement",
    undefined="A clustering joins no pair to any extent.",
    note=_CAMPELLO,
)
def fuzzy_fowlkes_mallows(pairs: SoftPairs, *, t_norm: TNorm = "min") -> float | Noted:
    """Fowlkes-Mallows index from how far pairs are joined in both clusterings, or in one.

    >>> from adjudge import Memberships, fuzzy_fowlkes_mallows
    >>> U, V = Memberships([[1, 0], [0.5, 0.5], [0, 1]]), Memberships([[1, 0], [1, 0], [0, 1]])
    >>> round(fuzzy_fowlkes_mallows(U, V), 4)
    0.5
    """
    a, b, c, _ = _joined(pairs, t_norm)
    return quotient(a, math.sqrt((a + b) * (a + c)), "a clustering joins no pair to any extent")
