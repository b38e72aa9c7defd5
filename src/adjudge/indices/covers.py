"""Indices that compare two overlapping clusterings."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from adjudge.array_types import Floats, Ints
from adjudge.given.options import check_choice
from adjudge.indices.record import Noted, quotient
from adjudge.indices.structure_record import StructureIndex, maker_of_structure
from adjudge.kernels.elementary import logarithm, logarithms
from adjudge.statistics.covers import CoverOverlaps, SharedClusters

__all__ = [
    "CoverIndex",
    "best_match_f",
    "extended_bcubed_f",
    "extended_bcubed_precision",
    "extended_bcubed_recall",
    "omega",
    "onmi",
    "onmi_max",
]

Ties = Literal["strict", "weak"]

_OF_OTHERS = "the value of an instance depends on those that share its clusters: no interval is known"
_OF_CLUSTERS = "the index is a mean over clusters, which are no sample: no interval is known"


# Sums of two entropies that differ by less are equal: rounding must not decide which clusters may be compared.
_ROUNDING = 1e-12


class CoverIndex(StructureIndex):
    """An index of two overlapping clusterings."""

    kind = "overlapping"

    def _asked(self) -> str:
        return "agreement"


overlapping = maker_of_structure(CoverIndex)


def _shares(shared: SharedClusters) -> tuple[float, float, Floats, Floats]:
    """Return observed and expected agreement, and the shares of pairs by shared true and predicted clusters."""
    of_true, of_pred = shared.pairs.sum(axis=1), shared.pairs.sum(axis=0)
    observed = int(np.trace(shared.pairs)) / shared.n_pairs
    common = min(of_true.size, of_pred.size)
    products = (a * b for a, b in zip(of_true[:common].tolist(), of_pred[:common].tolist(), strict=True))
    expected = sum(products) / shared.n_pairs**2
    return observed, expected, of_true / shared.n_pairs, of_pred / shared.n_pairs


def _influence_on_omega(shared: SharedClusters) -> Floats:
    """Return twice what an instance's own pairs take from omega, because a pair belongs to two instances."""
    observed, expected, of_true, of_pred = _shares(shared)
    common = min(of_true.size, of_pred.size)
    own_true, own_pred = (
        own[:, :common] / (shared.n - 1) for own in (shared.true_shared, shared.pred_shared)
    )
    own_expected = own_true @ of_pred[:common] + own_pred @ of_true[:common] - expected
    own_observed = shared.equal / (shared.n - 1)
    return 2 * (own_observed / (1 - expected) + own_expected * (observed - 1) / (1 - expected) ** 2)


@overlapping(
    title="Omega index",
    better="higher",
    range=(-1, 1),
    reference="collins1988",
    formula=r"\frac{o - e}{1 - e},\quad o = \frac1M |\{i < j : t_{ij} = p_{ij}\}|,\quad "
    r"e = \frac{1}{M^2} \sum_v N_v R_v",
    symbols={
        "o": "share of the pairs that share as many true as predicted clusters",
        "e": "that share if the covers were unrelated",
        "t_{ij}": "number of true clusters that instances i and j share",
        "p_{ij}": "number of predicted clusters that they share",
        "N_v": "number of pairs that share v true clusters",
        "R_v": "number of pairs that share v predicted clusters",
    },
    symmetric=True,
    influence=_influence_on_omega,
    undefined="There is one instance. If all pairs share as many clusters in both covers, the value is 1.",
    note="For two partitions it is the adjusted Rand index. Programs that take only the instances in some cluster have "
    "another value if there are others.",
    peers={"omega-index-py3": "Omega", "cdlib": "omega"},
    default="The adjusted Rand index of overlapping clusters: pairs count by how many clusters they share.",
)
def omega(shared: SharedClusters) -> float | Noted:
    """Share of the pairs that share as many clusters in both covers, corrected for chance.

    >>> from adjudge import Cover, omega
    >>> round(omega(Cover([{0, 1, 2}, {2, 3}], n=5), Cover([{0, 1}, {2, 3, 4}], n=5)), 4)
    0.1667
    """
    if shared.n < 2:
        return Noted(math.nan, "there is one instance")
    observed, expected, _, _ = _shares(shared)
    if observed == 1:
        return 1.0
    return (observed - expected) / (1 - expected)


_LOG_2 = logarithm(2.0)


def _h(counts: Ints | Floats, n: int) -> Floats:
    """Return -x/n log2(x/n)."""
    p = np.asarray(counts, np.float64) / n
    return -p * np.where(p > 0, logarithms(p) / _LOG_2, 0.0)


def _entropies(sizes: Ints, n: int) -> Floats:
    return _h(sizes, n) + _h(n - sizes, n)


def _given_one(n: int, own: Ints, other: Ints, both: Ints, ties: Ties) -> Floats:
    """Return the entropy of clusters given others; infinite where a cluster says more of the complement."""
    absent, present = n - own - other + both, both
    only_own, only_other = own - both, other - both
    alike, unlike = _h(absent, n) + _h(present, n), _h(only_own, n) + _h(only_other, n)
    found = alike + unlike - _entropies(other, n)
    passes = alike - unlike > (_ROUNDING if ties == "strict" else -_ROUNDING)
    return np.where(passes, np.maximum(found, 0.0), np.inf)


def _conditional(overlaps: CoverOverlaps, ties: Ties) -> Floats:
    """Return the entropy of each true cluster given the predicted cluster that says most about it."""
    n, sizes = overlaps.n, overlaps.true_sizes
    best = _entropies(sizes, n)
    own, other = sizes[overlaps.rows], overlaps.pred_sizes[overlaps.cols]
    np.minimum.at(best, overlaps.rows, _given_one(n, own, other, overlaps.counts, ties))
    return np.minimum(best, _of_disjoint(overlaps, ties))


def _of_disjoint(overlaps: CoverOverlaps, ties: Ties) -> Floats:
    """Return the same given the best cluster without common instances, which depends on the sizes alone."""
    n, sizes = overlaps.n, overlaps.true_sizes
    known, codes = np.unique(overlaps.pred_sizes, return_inverse=True)
    how_many = np.bincount(codes)
    keys, met = np.unique(overlaps.rows * known.size + codes[overlaps.cols], return_counts=True)
    # All clusters of that size overlap with this one.
    taken = set(keys[met == how_many[keys % known.size]].tolist())
    found = np.full(sizes.size, np.inf)
    for size in np.unique(sizes).tolist():
        fits = np.flatnonzero(known <= n - size)
        values = _given_one(n, np.full(fits.size, size), known[fits], np.zeros(fits.size, np.int64), ties)
        order = [j for j in np.argsort(values, kind="stable").tolist() if np.isfinite(values[j])]
        for k in np.flatnonzero(sizes == size).tolist() if order else ():
            free = (j for j in order if k * known.size + int(fits[j]) not in taken)
            j = next(free, None)
            if j is not None:
                found[k] = values[j]
    return found


@overlapping(
    title="Overlapping normalised mutual information (LFK)",
    better="higher",
    range=(0, 1),
    reference="lancichinetti2009",
    formula=r"1 - \frac12 \Bigl( \frac1K \sum_k \frac{H(X_k \mid Y)}{H(X_k)} + "
    r"\frac1L \sum_l \frac{H(Y_l \mid X)}{H(Y_l)} \Bigr)",
    symbols={
        "K": "number of true clusters",
        "L": "number of predicted clusters",
        "X_k": "whether an instance is in true cluster k",
        "Y_l": "whether an instance is in predicted cluster l",
        "H(X_k)": "entropy of X_k",
        "H(Y_l)": "entropy of Y_l",
        r"H(X_k \mid Y)": "entropy of X_k given the predicted cluster that says most about it",
        r"H(Y_l \mid X)": "entropy of Y_l given the true cluster that says most about it",
    },
    symmetric=True,
    influence=_OF_CLUSTERS,
    aliases=("lfk_nmi", "overlapping_nmi"),
    undefined="A cluster holds all instances.",
    note='A cluster counts for another only if it says more of it than of its complement; with ties="weak", as much '
    "is enough. It is 1 also if a cluster is there twice: prefer onmi_max. cdlib counts "
    "a cluster of all instances as 1.",
    peers={"cdlib": "overlapping_normalized_mutual_information_LFK"},
)
def onmi(overlaps: CoverOverlaps, *, ties: Ties = "strict") -> float | Noted:
    """Mean share of the information in a cluster that the best cluster of the other cover has.

    >>> from adjudge import Cover, onmi
    >>> round(onmi(Cover([{0, 1, 2}, {2, 3}], n=6), Cover([{0, 1}, {2, 3, 4}], n=6)), 4)
    0.4796
    """
    check_choice("ties", ties, ("strict", "weak"))
    means = []
    for one in (overlaps, overlaps.swap()):
        whole = _entropies(one.true_sizes, one.n)
        if not whole.all():
            return Noted(math.nan, "0/0: a cluster holds all instances, which says nothing")
        means.append(math.fsum((_conditional(one, ties) / whole).tolist()) / whole.size)
    return 1 - (means[0] + means[1]) / 2


@overlapping(
    title="Overlapping normalised mutual information (max)",
    better="higher",
    range=(0, 1),
    reference="mcdaid2011",
    formula=r"\frac{H(X) - H(X \mid Y) + H(Y) - H(Y \mid X)}{2 \max(H(X), H(Y))}",
    symbols={
        "H(X)": "sum of the entropies of the true clusters",
        "H(Y)": "sum of the entropies of the predicted clusters",
        r"H(X \mid Y)": "the same, each given the predicted cluster that says most about it",
        r"H(Y \mid X)": "the same for the predicted clusters, given the true ones",
    },
    symmetric=True,
    influence=_OF_CLUSTERS,
    aliases=("mgh_nmi",),
    undefined="Every cluster of a cover holds all instances.",
    note='`average` may also be "sum", "min" or "sqrt". A cluster counts for another only if it says more of it '
    'than of its complement; with ties="weak", as much is enough.',
    peers={"cdlib": "overlapping_normalized_mutual_information_MGH"},
    default="The mutual information of overlapping clusters; unlike the older form, it is not 1 if a cluster is there "
    "twice (McDaid et al. 2011).",
)
def onmi_max(
    overlaps: CoverOverlaps,
    *,
    average: Literal["max", "sum", "min", "sqrt"] = "max",
    ties: Ties = "strict",
) -> float | Noted:
    """Information that two covers have in common, relative to the larger one.

    >>> from adjudge import Cover, onmi_max
    >>> round(onmi_max(Cover([{0, 1, 2}, {2, 3}], n=6), Cover([{0, 1}, {2, 3, 4}], n=6)), 4)
    0.4787
    """
    check_choice("average", average, ("max", "sum", "min", "sqrt"))
    check_choice("ties", ties, ("strict", "weak"))
    whole, given = [], []
    for one in (overlaps, overlaps.swap()):
        whole.append(math.fsum(_entropies(one.true_sizes, one.n).tolist()))
        given.append(math.fsum(_conditional(one, ties).tolist()))
    common = ((whole[0] + whole[1]) - (given[0] + given[1])) / 2
    scale = {
        "max": max(whole),
        "min": min(whole),
        "sum": (whole[0] + whole[1]) / 2,
        "sqrt": math.sqrt(whole[0] * whole[1]),
    }[average]
    return quotient(max(common, 0.0), scale, "every cluster of a cover holds all instances")


def _mean_of(values: Floats, side: str) -> float | Noted:
    known = values[~np.isnan(values)]
    return quotient(math.fsum(known.tolist()), known.size, f"no instance is in a {side} cluster")


@overlapping(
    title="Extended BCubed precision",
    better="higher",
    range=(0, 1),
    reference="amigo2009",
    formula=r"\frac{1}{n_P} \sum_i \frac{1}{|S_i|} \sum_{j \in S_i} \frac{\min(t_{ij}, p_{ij})}{p_{ij}}",
    symbols={
        "n_P": "number of instances in a predicted cluster",
        "S_i": "the instances that share a predicted cluster with i, and i itself",
        "t_{ij}": "number of true clusters that instances i and j share",
        "p_{ij}": "number of predicted clusters that they share",
    },
    influence=_OF_OTHERS,
    undefined="No instance is in a predicted cluster.",
    note="Instances in no predicted cluster are left out.",
)
def extended_bcubed_precision(shared: SharedClusters) -> float | Noted:
    """Share of the predicted clusters that an instance has in common with others and that are true, on average.

    >>> from adjudge import Cover, extended_bcubed_precision
    >>> extended_bcubed_precision(Cover([{0, 1, 2}, {2, 3}], n=4), Cover([{0, 1}, {2, 3}], n=4))
    1.0
    """
    return _mean_of(shared.precision, "predicted")


@overlapping(
    title="Extended BCubed recall",
    better="higher",
    range=(0, 1),
    reference="amigo2009",
    formula=r"\frac{1}{n_T} \sum_i \frac{1}{|S_i|} \sum_{j \in S_i} \frac{\min(t_{ij}, p_{ij})}{t_{ij}}",
    symbols={
        "n_T": "number of instances in a true cluster",
        "S_i": "the instances that share a true cluster with i, and i itself",
        "t_{ij}": "number of true clusters that instances i and j share",
        "p_{ij}": "number of predicted clusters that they share",
    },
    influence=_OF_OTHERS,
    undefined="No instance is in a true cluster.",
    note="Instances in no true cluster are left out.",
)
def extended_bcubed_recall(shared: SharedClusters) -> float | Noted:
    """Share of the true clusters that an instance has in common with others and that are predicted, on average.

    >>> from adjudge import Cover, extended_bcubed_recall
    >>> extended_bcubed_recall(Cover([{0, 1, 2}, {2, 3}], n=4), Cover([{0, 1}, {2, 3}], n=4))
    0.6770833333333333
    """
    return _mean_of(shared.recall, "true")


@overlapping(
    title="Extended BCubed F",
    better="higher",
    range=(0, 1),
    reference="amigo2009",
    formula=r"\frac{2 P R}{P + R}",
    symbols={"P": "extended BCubed precision", "R": "extended BCubed recall"},
    symmetric=True,
    influence=_OF_OTHERS,
    undefined="No instance is in a cluster of one of the covers, or precision and recall are 0.",
    peers={"bcubed": "fscore"},
    default="Precision and recall over instances for overlapping clusters, which large clusters do not rule.",
)
def extended_bcubed_f(shared: SharedClusters) -> float | Noted:
    """Harmonic mean of extended BCubed precision and recall.

    >>> from adjudge import Cover, extended_bcubed_f
    >>> extended_bcubed_f(Cover([{0, 1, 2}, {2, 3}], n=4), Cover([{0, 1}, {2, 3}], n=4))
    0.8074534161490683
    """
    precision, recall = extended_bcubed_precision.function(shared), extended_bcubed_recall.function(shared)
    for part in (precision, recall):
        if isinstance(part, Noted):
            return part
    return quotient(2 * precision * recall, precision + recall, "both are 0")  # type: ignore[operator]


@overlapping(
    title="Best-match F",
    better="higher",
    range=(0, 1),
    reference="yang2013",
    formula=r"\frac12 \Bigl( \frac1K \sum_k \max_l F_{kl} + \frac1L \sum_l \max_k F_{kl} \Bigr)",
    symbols={
        "K": "number of true clusters",
        "L": "number of predicted clusters",
        "F_{kl}": "F score of true cluster k and predicted cluster l: twice their overlap by the sum of their sizes",
    },
    symmetric=True,
    influence=_OF_CLUSTERS,
    aliases=("average_f1",),
)
def best_match_f(overlaps: CoverOverlaps) -> float | Noted:
    """Mean F score of each cluster with its best match in the other cover, over both directions.

    >>> from adjudge import Cover, best_match_f
    >>> round(best_match_f(Cover([{0, 1, 2}, {2, 3}], n=5), Cover([{0, 1}, {2, 3, 4}], n=5)), 4)
    0.8
    """
    scores = 2 * overlaps.counts / (overlaps.true_sizes[overlaps.rows] + overlaps.pred_sizes[overlaps.cols])
    means = []
    for places, sizes in ((overlaps.rows, overlaps.true_sizes), (overlaps.cols, overlaps.pred_sizes)):
        best = np.zeros(sizes.size)
        np.maximum.at(best, places, scores)
        means.append(math.fsum(best.tolist()) / best.size)
    return (means[0] + means[1]) / 2
