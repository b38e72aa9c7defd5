"""Criteria that read a whole sweep over K: neighbouring partitions, levels of a hierarchy, reference data, mixtures.

A record's function returns the value at each K for which it is defined, with a critical value if it is a test;
`rule` says which K it votes for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from adjudge.errors import Call, InputTypeError, Option
from adjudge.indices.characteristics import centroid_correlation
from adjudge.indices.kinds import Kind
from adjudge.indices.record import Better, Index, Noted, inf, maker_of, neighbours_read, quotient
from adjudge.indices.rules import RULES
from adjudge.indices.scatter import ball_hall, log_det_ratio, trace_wib
from adjudge.statistics.moments import Moments, Scatter
from adjudge.statistics.neighbours import NeighbourLabels
from adjudge.statistics.pair_distances import PairSums
from adjudge.statistics.prototypes import CentroidProfile, DistanceSquares
from adjudge.statistics.sweep import GapReference, MixtureFits, Split, Stability, Sweep


@dataclass(frozen=True, slots=True)
class Compared:
    """A value and what it is compared with."""

    value: float
    critical: float


Value = float | Noted | Compared


@dataclass(frozen=True, eq=False, repr=False)
class SelectionIndex(Index):
    """A criterion for the number of clusters that no single partition has a value of.

    Attributes
    ----------
    rule : str
        Which K it votes for; a key of :data:`adjudge.indices.rules.RULES`.
    reads : tuple of type
        Statistics of each partition that it reads from the sweep.
    neighbours : tuple of int
        Which partitions it reads besides that into K clusters, as differences from K.
    hierarchical : bool
        Whether the partitions must be levels of a hierarchy.
    """

    rule: str = "max"
    reads: tuple[type, ...] = ()
    neighbours: tuple[int, ...] = ()
    hierarchical: bool = False

    kind: ClassVar[Kind] = "selection"

    @property
    def reads_of_partition(self) -> frozenset[type]:
        """Statistics of a single partition that it reads."""
        return frozenset(self.reads)

    def __call__(self, X: Any, labels: Any, **parameters: Any) -> Any:
        """Compute the values for ready partitions, ``{K: labels}``; a dictionary by K."""
        from adjudge.engines.labellings import sweep_of_labels

        if self.requires != (Sweep,):
            raise InputTypeError(
                f"{self.name} is not a function of labels: use ",
                Call("choose_k"),
                " with ",
                Option("indices", self.name),
            )
        sweep = sweep_of_labels(
            X, labels, self.reads, self.neighbours, parameters.get("n_neighbors", neighbours_read([self]))
        )
        return {k: _plain(v) for k, v in self.over(sweep, **parameters).items()}

    def over(self, statistic: Any, **parameters: Any) -> Mapping[int, Value]:
        """Values, reasons and critical values by K."""
        found: Any = self.function(statistic, **{**self.fixed, **parameters})
        values: Mapping[int, Value] = found
        return values

    def _documentation(self) -> str:
        return (
            super()
            ._documentation()
            .replace("float\n    The value.", "dict of int to float\n    The value by K.")
        )

    def _input_lines(self) -> list[str]:
        return [
            "X : array-like of shape (n, p)",
            "    Points, one a row.",
            "labels : mapping of int to array-like of shape (n,)",
            "    Partitions by their numbers of clusters.",
        ]


def _plain(value: Value) -> float:
    return float(value.value) if isinstance(value, (Noted, Compared)) else float(value)


def selection(
    *,
    title: str,
    better: Better | None,
    range: tuple[float, float],
    rule: str,
    reference: str,
    requires: type = Sweep,
    **facts: Any,
) -> Callable[[Callable[..., Mapping[int, Value]]], SelectionIndex]:
    """Make the record of a criterion over a sweep out of its formula."""
    facts["note"] = " ".join(filter(None, (f"Votes for {RULES[rule].words}.", facts.get("note"))))
    return maker_of(
        SelectionIndex,
        title=title,
        requires=(requires,),
        better=better,
        range=range,
        reference=reference,
        rule=rule,
        identical_is_best=False,
        **facts,
    )


def _each(sweep: Sweep, function: Callable[[Moments], float | Noted]) -> dict[int, Value]:
    moments = sweep.all(Moments)
    return {k: function(moments[k]) for k in sweep.ks if k in moments}


@selection(
    title="Krzanowski-Lai",
    better="higher",
    range=(0, inf),
    rule="max",
    reference="krzanowski1988",
    formula=r"\left|\frac{D_K}{D_{K+1}}\right|, \quad D_K = (K-1)^{2/p} WGSS_{K-1} - K^{2/p} WGSS_K",
    undefined="if 0 is divided by 0.",
    reads=(Moments,),
    neighbours=(-1, 1),
    aliases=("kl",),
    peers={"NbClust": "KL"},
    symbols={"D_K": "fall of the dispersion from K - 1 to K clusters, the number of variables allowed for"},
    default_k="Of the verdict; where one more cluster stops to pay.",
)
def krzanowski_lai(s: Sweep) -> Mapping[int, Value]:
    """How much the dispersion falls on the way to K clusters, over how much it falls on the way to one more."""
    moments = s.all(Moments)

    def scaled(k: int) -> float:
        return float(k ** (2 / moments[k].p) * moments[k].within)

    def value(k: int) -> float | Noted:
        ratio = quotient(
            scaled(k - 1) - scaled(k), scaled(k) - scaled(k + 1), "the dispersion does not change"
        )
        return Noted(abs(ratio.value), ratio.reason) if isinstance(ratio, Noted) else abs(ratio)

    return {k: value(k) for k in s.ks if k - 1 in moments and k in moments and k + 1 in moments}


def _hartigan(s: Sweep) -> dict[int, float | Noted]:
    moments = s.all(Moments)

    def value(k: int) -> float | Noted:
        here, there = moments[k].within, moments[k + 1].within
        gain = quotient(here - there, there, "no cluster has any dispersion with one cluster more")
        return gain if isinstance(gain, Noted) else gain * (moments[k].n - k - 1)

    return {k: value(k) for k in s.ks if k in moments and k + 1 in moments}


@selection(
    title="Hartigan",
    better=None,
    range=(-inf, inf),
    rule="first_at_most",
    reference="hartigan1975",
    formula=r"\left(\frac{WGSS_K}{WGSS_{K+1}} - 1\right) (N - K - 1)",
    undefined="if no cluster has any dispersion; inf if none has with one cluster more.",
    reads=(Moments,),
    neighbours=(1,),
    family="Hartigan",
    note="Hartigan's rule of thumb adds clusters while the value exceeds 10.",
)
def hartigan(s: Sweep, *, critical: float = 10.0) -> Mapping[int, Value]:
    """How much one cluster more reduces the dispersion, as an F statistic."""
    return {k: v if isinstance(v, Noted) else Compared(v, critical) for k, v in _hartigan(s).items()}


@selection(
    title="Hartigan (drop)",
    better=None,
    range=(-inf, inf),
    rule="max_drop",
    reference="milligan1985",
    formula=hartigan.formula,
    undefined="if no cluster has any dispersion; inf if none has with one cluster more.",
    reads=(Moments,),
    neighbours=(1,),
    family="Hartigan",
    note="The values of `hartigan`, read by the largest difference between levels. NbClust multiplies by N - K.",
    peers={"NbClust": "Hartigan"},
)
def hartigan_drop(s: Sweep) -> Mapping[int, Value]:
    """How much one cluster more reduces the dispersion, as an F statistic; the largest drop of it counts."""
    return dict(_hartigan(s))


@selection(
    title="Ball-Hall (drop)",
    better="lower",
    range=(0, inf),
    rule="max_drop",
    reference="milligan1985",
    formula=ball_hall.formula,
    reads=(Moments,),
    family="within dispersion",
    note="The values of `ball_hall` by the largest difference between levels. NbClust's values are WGSS / K.",
    peers={"NbClust": "Ball"},
)
def ball_drop(s: Sweep) -> Mapping[int, Value]:
    """Mean over the clusters of the mean squared distance to the centroid; the largest drop counts."""
    return _each(s, ball_hall.function)


@selection(
    title="Friedman",
    better="higher",
    range=(0, inf),
    rule="max_rise",
    reference="friedman1967",
    formula=trace_wib.formula,
    undefined=trace_wib.undefined,
    reads=(Scatter,),
    family="trace W⁻¹B",
    note="The values of `trace_wib` by the largest difference between levels. NbClust multiplies element by element, "
    "and takes T about the origin.",
    peers={"NbClust": "Friedman"},
)
def friedman(s: Sweep) -> Mapping[int, Value]:
    """Trace of the between-cluster scatter matrix in units of the within-cluster one; the largest rise counts."""
    scatters = s.all(Scatter)
    return {k: trace_wib.function(scatters[k]) for k in s.ks if k in scatters}


@selection(
    title="Scott",
    better="higher",
    range=(0, inf),
    rule="max_rise",
    reference="scott1971",
    formula=log_det_ratio.formula,
    undefined=log_det_ratio.undefined,
    reads=(Scatter,),
    family="determinant",
    note="The values of `log_det_ratio` by the largest difference between levels. NbClust takes T about the origin, "
    "which adds a constant and leaves the choice.",
    peers={"NbClust": "Scott"},
)
def scott(s: Sweep) -> Mapping[int, Value]:
    """N times the logarithm of det T / det WG; the largest rise counts."""
    scatters = s.all(Scatter)
    return {k: log_det_ratio.function(scatters[k]) for k in s.ks if k in scatters}


@selection(
    title="Trace cov W",
    better="lower",
    range=(0, inf),
    rule="max_drop",
    reference="milligan1985",
    formula=r"\operatorname{tr} \operatorname{cov}(WG)",
    undefined="for one variable.",
    reads=(Scatter,),
    aliases=("tr_cov_w",),
    peers={"NbClust": "TrCovW"},
    symbols={
        r"\operatorname{cov}": "covariance of the columns, the rows of the matrix taken as observations"
    },
)
def trcovw(s: Sweep) -> Mapping[int, Value]:
    """Trace of the covariance matrix of the within-cluster scatter matrix; the largest drop counts."""

    def value(within: np.ndarray[Any, Any]) -> float | Noted:
        if within.shape[0] == 1:
            return Noted(math.nan, "0/0: there is one variable")
        return float(within.var(axis=0, ddof=1).sum())

    scatters = s.all(Scatter)
    return {k: value(scatters[k].within) for k in s.ks if k in scatters}


def _of_splits(s: Sweep, function: Callable[[Split], Value]) -> dict[int, Value]:
    return {k: function(s.splits[k]) for k in s.ks if k in s.splits}


_ONE_POINT = "the cluster that splits has no dispersion"
# The standard score that Milligan & Cooper found best for the ratio's test.
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
    """Dispersion that is left when the next cluster splits, as a share of what it had."""

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
    """Reduction of the dispersion when the next cluster splits, per degree of freedom of what is left."""

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
    """F statistic of whether the next cluster may stay one."""
    from scipy.special import fdtri

    def value(split: Split) -> Value:
        if split.n <= 2:
            return Noted(math.nan, "0/0: the cluster that splits has two points")
        gain = quotient(split.whole - split.parts, split.parts, _ONE_POINT)
        if isinstance(gain, Noted):
            return gain
        expected = (split.n - 1) / (split.n - 2) * 2 ** (2 / split.p) - 1
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
    """Change of the mean distance between clusters over that of the mean distance within, at the next level."""
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


@selection(
    title="Gap",
    better="higher",
    range=(-inf, inf),
    rule="one_standard_error",
    reference="tibshirani2001",
    requires=GapReference,
    formula=r"E^*[\log W_K] - \log W_K, \quad W_K = WGSS",
    note="The critical value is the standard error of the gap. The published rule, clusGap's Tibs2001SEmax, stops at "
    "the first K that the next one does not exceed by more than its error, and misses large K; this one is its "
    "globalSEmax. W_K is the dispersion of squared distances, as published: clusGap's with d.power = 2.",
    aliases=("gap_statistic",),
    peers={"NbClust": "Gap", "cluster": "clusGap(d.power = 2)"},
    symbols={
        "E^*": "mean over data drawn without clusters",
        "W_K": "dispersion within the clusters of the partition into K",
    },
)
def gap(g: GapReference) -> Mapping[int, Value]:
    """How far log W_K falls below its expectation for data without clusters."""
    gaps, errors = g.gaps, g.errors
    return {k: Compared(gaps[k], errors[k]) for k in sorted(gaps)}


def _information(m: MixtureFits, value: Callable[[int], float]) -> Mapping[int, Value]:
    return {k: value(k) for k in sorted(m.log_likelihood)}


@selection(
    title="Bayesian information criterion",
    better="lower",
    range=(-inf, inf),
    rule="min",
    reference="schwarz1978",
    requires=MixtureFits,
    formula=r"-2 \log L + q \log N",
    family="information criterion",
    note="mclust's sign is the opposite.",
    symbols={"L": "likelihood of the mixture of K components", "q": "number of its free parameters"},
    default_k="If there are likelihoods: right on 91 % of the fair held-out pairs.",
)
def bic(m: MixtureFits) -> Mapping[int, Value]:
    """Likelihood of a mixture with a penalty for its parameters that grows with N."""
    return _information(m, lambda k: -2 * m.log_likelihood[k] + m.n_parameters[k] * math.log(m.n))


@selection(
    title="Akaike information criterion",
    better="lower",
    range=(-inf, inf),
    rule="min",
    reference="akaike1974",
    requires=MixtureFits,
    formula=r"-2 \log L + 2 q",
    family="information criterion",
    symbols={"L": "likelihood of the mixture of K components", "q": "number of its free parameters"},
)
def aic(m: MixtureFits) -> Mapping[int, Value]:
    """Likelihood of a mixture with a penalty of two for each parameter."""
    return _information(m, lambda k: -2 * m.log_likelihood[k] + 2 * m.n_parameters[k])


@selection(
    title="Integrated completed likelihood",
    better="lower",
    range=(-inf, inf),
    rule="min",
    reference="biernacki2000",
    requires=MixtureFits,
    formula=r"BIC - 2 \sum_i \log \max_k \tau_{ik}",
    family="information criterion",
    note="mclust's sign is the opposite.",
    symbols={
        "BIC": "value of bic",
        r"\tau_{ik}": "posterior probability that point i belongs to component k",
    },
)
def icl(m: MixtureFits) -> Mapping[int, Value]:
    """BIC with a further penalty for points that no component claims with certainty."""
    return _information(
        m,
        lambda k: -2 * m.log_likelihood[k] + m.n_parameters[k] * math.log(m.n) - 2 * m.log_certainty[k],
    )


@selection(
    title="Prediction strength",
    better="higher",
    range=(0, 1),
    rule="last_at_least",
    reference="tibshirani2005",
    requires=Stability,
    formula=r"\min_k \frac{1}{n_k (n_k - 1)} \sum_{i \neq j \in I_k} "
    r"[i \text{ and } j \text{ joined by the other half's centroids}]",
    family="stability",
    note="The mean over splits in halves, both halves being predicted; a cluster of one point counts as predicted.",
    default_k="If the points are resampled: right on 95 % of the fair held-out pairs, the most of all.",
)
def prediction_strength(s: Stability, *, critical: float = 0.8) -> Mapping[int, Value]:
    """Share of the pairs in the worst cluster of one half of the points that the other half's clusters join too."""
    return {k: Compared(v, critical) for k, v in s.strength.items()}


@selection(
    title="Instability",
    better="lower",
    range=(0, 1),
    rule="min",
    reference="fang2012",
    requires=Stability,
    formula=r"E \left| [p_i = p_j] - [q_i = q_j] \right|",
    family="stability",
    note="1 - Rand of two partitions of all points, each by the clusters of a separate bootstrap sample.",
    symbols={
        "E": "mean over pairs of points and of bootstrap samples",
        "p_i": "cluster of point i by the first sample's clusters",
        "q_i": "cluster of point i by the second sample's clusters",
    },
)
def instability(s: Stability) -> Mapping[int, Value]:
    """Share of the pairs of points on which two bootstrapped partitions disagree."""
    return dict(s.instability)


@selection(
    title="Proportion of ambiguous clustering",
    better="lower",
    range=(0, 1),
    rule="min",
    reference="senbabaoglu2014",
    aliases=("pac",),
    requires=Stability,
    formula=r"P(0.1 < M_{ij} < 0.9)",
    family="stability",
    symbols={
        "P": "share of the pairs of points",
        "M_{ij}": "share of the subsamples with points i and j in which they are joined",
    },
)
def ambiguous_clustering(s: Stability) -> Mapping[int, Value]:
    """Share of the pairs of points that subsamples neither regularly join nor regularly part."""
    return dict(s.ambiguity)


def cvnn_parts(
    n: NeighbourLabels, s: PairSums, *, n_neighbors: int, compactness: str
) -> tuple[float, float | Noted]:
    """Separation and compactness of one partition, as :func:`cvnn` compares them.

    The separation is the largest share of foreign neighbours in a cluster; the compactness the mean distance of all
    pairs within clusters ("pooled"), or the sum of the clusters' mean distances ("sum").
    """
    foreign = (~n.same(n_neighbors)).mean(axis=1)
    separation = float((np.bincount(n.codes, foreign) / n.sizes).max())
    if compactness == "sum":
        return separation, float(np.nansum(s.mean_within))
    return separation, quotient(float(s.within.sum()), s.n_within, "no cluster has two points")


def cvnn_of(parts: Mapping[Any, tuple[float, float | Noted]]) -> dict[Any, float | Noted]:
    """Values of the index from the parts of the partitions that are compared."""
    separations = {name: part[0] for name, part in parts.items()}
    compact = {
        name: part[1] for name, part in parts.items() if not isinstance(part[1], Noted) and part[0] == part[0]
    }
    if not compact or max(compact.values()) == 0 or max(separations[name] for name in compact) == 0:
        reason = "0/0: no near neighbour of any of the partitions lies in another cluster"
        return {name: Noted(math.nan, reason) for name in parts}
    widest = max(separations[name] for name in compact)
    largest = max(compact.values())
    return {
        name: separations[name] / widest + compact[name] / largest
        if name in compact
        else Noted(math.nan, "no cluster has two points")
        for name in parts
    }


@selection(
    title="CVNN",
    better="lower",
    range=(0, 2),
    rule="min",
    reference="liu2013",
    formula=r"\frac{s_K}{\max_K s_K} + \frac{c_K}{\max_K c_K}",
    undefined="if no neighbour of any of the partitions lies in another cluster.",
    reads=(NeighbourLabels, PairSums),
    symbols={
        "s_K": "largest share, over the K clusters, of neighbours that lie in other clusters",
        "c_K": "mean distance within the K clusters",
    },
    note="The index exists only for several partitions. The compactness pools all pairs, as fpc does; "
    "compactness='sum' adds the clusters' means up, as published.",
    peers={"fpc": "cvnn"},
    default_k="Of the verdict; the best for heavy tails, many columns and background noise.",
)
def cvnn(s: Sweep, *, n_neighbors: int = 10, compactness: str = "pooled") -> Mapping[int, Value]:
    """Foreign near neighbours and mean distance within clusters, each relative to the largest of the sweep."""
    neighbours, sums = s.all(NeighbourLabels), s.all(PairSums)
    parts = {}
    for k in s.ks:
        if k in neighbours and k in sums:
            if n_neighbors >= neighbours[k].n:
                return {j: Noted(math.nan, f"a point has only {neighbours[k].n - 1} others") for j in s.ks}
            parts[k] = cvnn_parts(neighbours[k], sums[k], n_neighbors=n_neighbors, compactness=compactness)
    return cvnn_of(parts)


def _gained(before: float, after: float) -> float:
    """Quotient of what a cluster gains and what one more gains; infinite if that is nothing, or a loss."""
    if after > 0:
        return before / after
    return math.nan if before == 0 or math.isnan(before + after) else math.copysign(inf, before)


def _relative_spread(distances: np.ndarray[Any, Any]) -> float:
    """Standard deviation over range."""
    reach = float(distances.max() - distances.min())
    return float(distances.std(ddof=1)) / reach if reach > 0 else math.nan


@selection(
    title="NCI",
    better="higher",
    range=(-inf, inf),
    rule="max",
    reference="wiroonsri2024",
    formula=r"\frac{g_{K-1}}{\max(0, g_K)}, \quad g_K = \frac{NC_{K+1} - NC_K}{1 - NC_K}",
    undefined="if a correlation is undefined, or no partition has a finite value.",
    reads=(PairSums, DistanceSquares, Moments, CentroidProfile),
    neighbours=(-1, 1),
    symbols={
        "NC_K": "correlation of the distances with those of the centroids of K clusters; for K = 1 the standard "
        "deviation of the distances from the mean over their range",
        "g_K": "share of what was left to gain that one cluster more gains",
    },
    note="If g_K is not positive the quotient is infinite: it is replaced by the largest finite one (or the "
    "smallest) and g_(K-1) - g_K is added to all, as published. UniversalCVI has other values of NC_1 for "
    "several variables, and so of NCI at K = 2.",
    peers={"UniversalCVI": "NCI"},
)
def nci(s: Sweep) -> Mapping[int, Value]:
    """How much the correlation with the centroids gains by the K-th cluster, over what it gains by one more."""
    sums, squares, moments = s.all(PairSums), s.all(DistanceSquares), s.all(Moments)
    profiles = s.all(CentroidProfile)
    correlations: dict[int, float] = {}
    for k in sums:
        value = (
            _relative_spread(profiles[k].own)
            if k == 1
            else centroid_correlation.function(sums[k], squares[k], moments[k])
        )
        correlations[k] = math.nan if isinstance(value, Noted) else value

    def gain(k: int) -> float:
        here, there = correlations[k], correlations[k + 1]
        return (there - here) / (1 - here) if here != 1 else math.nan

    found = [k for k in s.ks if {k - 1, k, k + 1} <= correlations.keys()]
    gains = {k: (gain(k - 1), gain(k)) for k in found}
    ratios = {k: _gained(before, after) for k, (before, after) in gains.items()}
    finite = [v for v in ratios.values() if math.isfinite(v)]
    if any(map(math.isinf, ratios.values())):
        if not finite:
            return {k: Noted(math.nan, "no partition has a finite quotient") for k in found}
        ends = {inf: max(finite), -inf: min(finite)}
        ratios = {k: ends.get(v, v) + gains[k][0] - gains[k][1] for k, v in ratios.items()}
    return {
        k: Noted(math.nan, "a correlation is undefined") if math.isnan(v) else v for k, v in ratios.items()
    }
