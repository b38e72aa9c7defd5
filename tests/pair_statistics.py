"""What a pass over all distances is asked for: what it sweeps up, and what needs the ranks of the distances."""

from adjudge.statistics.pair_distances import (
    CompleteLinkage,
    Diameters,
    DistanceTies,
    Hausdorff,
    PairRanks,
    PairSums,
    Silhouettes,
    SingleLinkage,
    TailSums,
)

SWEPT = (PairSums, Silhouettes, Diameters, SingleLinkage, CompleteLinkage, Hausdorff)
RANKED = (PairRanks, DistanceTies, TailSums)
