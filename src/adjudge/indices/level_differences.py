"""Criteria for K that compare each partition with those with one cluster more or fewer."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TypeVar

from adjudge.indices.record import Noted, inf, quotient
from adjudge.indices.scatter import ON_SPANNED, ball_hall, log_det_ratio, trace_wib
from adjudge.indices.selection_record import Compared, Value, selection
from adjudge.kernels.elementary import power
from adjudge.statistics.moments import Moments, Scatter
from adjudge.statistics.sweep import Sweep

S = TypeVar("S")


def _each(sweep: Sweep, statistic: type[S], function: Callable[[S], float | Noted]) -> dict[int, Value]:
    """Return the values of an index of single partitions at each K."""
    found = sweep.all(statistic)
    return {k: function(found[k]) for k in sweep.ks if k in found}


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
    """How much the dispersion falls from K - 1 to K clusters, over how much it falls from K to K + 1."""
    moments = s.all(Moments)

    def scaled(k: int) -> float:
        return float(power(k, 2 / moments[k].p) * moments[k].within)

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
    """How much one more cluster reduces the dispersion, as an F statistic."""
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
    """How much one more cluster reduces the dispersion, as an F statistic; its largest drop counts."""
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
    return _each(s, Moments, ball_hall.function)


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
    return _each(s, Scatter, trace_wib.function)


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
    f"which adds a constant and leaves the choice. {ON_SPANNED}",
    peers={"NbClust": "Scott"},
)
def scott(s: Sweep) -> Mapping[int, Value]:
    """N times the logarithm of det T / det WG; the largest rise counts."""
    return _each(s, Scatter, log_det_ratio.function)


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

    def value(scatter: Scatter) -> float | Noted:
        within = scatter.within
        if within.shape[0] == 1:
            return Noted(math.nan, "0/0: there is one variable")
        return float(within.var(axis=0, ddof=1).sum())

    return _each(s, Scatter, value)
