"""Criteria for K that judge the next split of a hierarchy: whether the cluster should stay whole."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from adjudge.indices.record import Noted, inf, quotient
from adjudge.indices.selection_record import Compared, Value, selection
from adjudge.kernels.elementary import power
from adjudge.statistics.moments import Moments
from adjudge.statistics.pair_distances import PairSums
from adjudge.statistics.sweep import Split, Sweep


def _of_splits(s: Sweep, function: Callable[[Split], Value]) -> dict[int, Value]:
    return {k: function(s.splits[k]) for k in s.ks if k in s.splits}


_ONE_POINT = "the cluster that splits has no dispersion"
# The standard score that Milligan & Cooper found best for testing the ratio.
_STANDARD_SCORE = 3.20


def _critical_ratio(split: Split, z: float) -> float:
    spread = 2 * (1 - 8 / (math.pi**2 * split.p)) / (split.n * split.p)
    return 1 - 2 / (math.pi * split.p) - z * math.sqrt(spread)


@selection(
    title="Duda-Hart",
    better="higher",
    range=(0, 1),
    rule="first_at_least",
    reference="duda1973",
    formula=r"\frac{Je(2)}{Je(1)} = \frac{W_k + W_l}{W_m}, \quad "
    r"\text{critical: } 1 - \frac{2}{\pi p} - z \sqrt{\frac{2 (1 - 8 / (\pi^2 p))}{n_m p}}",
    undefined="if the cluster that splits has no dispersion.",
    hierarchical=True,
    reads=(Moments,),
    neighbours=(1,),
    family="Duda-Hart",
    note="Cluster m splits into k and l from K to K + 1 clusters.",
    peers={"NbClust": "Duda"},
    symbols={
        "Je(2)": "dispersion of the two parts of the cluster that splits next",
        "Je(1)": "dispersion of that cluster",
        "z": "a quantile of the normal law",
    },
    default_k="If the partitions are a tree: misses none of the close round clusters.",
)
def duda(s: Sweep, *, z: float = _STANDARD_SCORE) -> Mapping[int, Value]:
    """Dispersion that remains when the next cluster splits, as a share of what it had."""

    def value(split: Split) -> Value:
        ratio = quotient(split.parts, split.whole, _ONE_POINT)
        return ratio if isinstance(ratio, Noted) else Compared(ratio, _critical_ratio(split, z))

    return _of_splits(s, value)


@selection(
    title="Pseudo t²",
    better="lower",
    range=(0, inf),
    rule="first_at_most",
    reference="duda1973",
    formula=r"\frac{W_m - W_k - W_l}{(W_k + W_l) / (n_k + n_l - 2)}",
    undefined="if the cluster that splits has no dispersion, or two points.",
    hierarchical=True,
    reads=(Moments,),
    neighbours=(1,),
    family="Duda-Hart",
    note="The critical value is that of `duda`, transformed: both vote alike if it is positive.",
    aliases=("pseudo_t_squared",),
    peers={"NbClust": "PseudoT2"},
)
def pseudo_t2(s: Sweep, *, z: float = _STANDARD_SCORE) -> Mapping[int, Value]:
    """Reduction of the dispersion when the next cluster splits, per degree of freedom of the remainder."""

    def value(split: Split) -> Value:
        ratio = quotient((split.whole - split.parts) * (split.n - 2), split.parts, _ONE_POINT)
        critical = _critical_ratio(split, z)
        if isinstance(ratio, Noted):
            return ratio
        return Compared(ratio, (1 - critical) / critical * (split.n - 2) if critical > 0 else math.inf)

    return _of_splits(s, value)


@selection(
    title="Beale",
    better="lower",
    range=(0, inf),
    rule="first_at_most",
    reference="beale1969",
    formula=r"\frac{(W_m - W_k - W_l) / (W_k + W_l)}{\frac{n_m - 1}{n_m - 2} 2^{2/p} - 1}",
    undefined="if the cluster that splits has no dispersion, or two points.",
    hierarchical=True,
    reads=(Moments,),
    neighbours=(1,),
    note="The critical value is the upper quantile of F(p, (n_m - 2) p) at `alpha`. NbClust divides by "
    "(n_m - 1)/(n_m - 2) (2^(2/p) - 1), which gives up to a tenth more for small clusters.",
    peers={"NbClust": "Beale"},
)
def beale(s: Sweep, *, alpha: float = 0.1) -> Mapping[int, Value]:
    """F statistic for whether the next cluster should stay whole."""
    from scipy.special import fdtri

    def value(split: Split) -> Value:
        if split.n <= 2:
            return Noted(math.nan, "0/0: the cluster that splits has two points")
        gain = quotient(split.whole - split.parts, split.parts, _ONE_POINT)
        if isinstance(gain, Noted):
            return gain
        expected = (split.n - 1) / (split.n - 2) * power(2.0, 2 / split.p) - 1
        return Compared(gain / expected, float(fdtri(split.p, (split.n - 2) * split.p, 1 - alpha)))

    return _of_splits(s, value)


@selection(
    title="Frey",
    better=None,
    range=(-inf, inf),
    rule="last_above",
    reference="frey1972",
    formula=r"\frac{\bar S_B(K+1) - \bar S_B(K)}{\bar S_W(K+1) - \bar S_W(K)}",
    undefined="if the mean distance within clusters does not change.",
    hierarchical=True,
    reads=(Moments, PairSums),
    neighbours=(1,),
    note="The last level before the ratio first falls below 1 is chosen; none if it never does, or at once.",
    peers={"NbClust": "Frey"},
    symbols={
        r"\bar S_B": "mean distance between clusters at a level",
        r"\bar S_W": "mean distance within clusters at a level",
    },
)
def frey(s: Sweep) -> Mapping[int, Value]:
    """Change of the mean distance between clusters over that of the mean distance within, to the next level."""
    sums = s.all(PairSums)

    def value(k: int) -> Value:
        here, there = sums[k], sums[k + 1]
        if not (here.n_between and there.n_within):
            return Noted(math.nan, "there are no distances to compare")
        between = there.between / there.n_between - here.between / here.n_between
        within = float(there.within.sum()) / there.n_within - float(here.within.sum()) / here.n_within
        ratio = quotient(between, within, "the mean distance within clusters does not change")
        return ratio if isinstance(ratio, Noted) else Compared(ratio, 1.0)

    return {k: value(k) for k in s.ks if k in sums and k + 1 in sums and s.splits.get(k)}
