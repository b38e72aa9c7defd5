"""The gap statistic: dispersion compared with that of data without clusters."""

from __future__ import annotations

from collections.abc import Mapping

from adjudge.indices.record import inf
from adjudge.indices.selection_record import Compared, Value, selection
from adjudge.statistics.sweep import GapReference


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
    """How far log W_K lies below its expectation for data without clusters."""
    gaps, errors = g.gaps, g.errors
    return {k: Compared(gaps[k], errors[k]) for k in sorted(gaps)}
