"""External indices that count pairs of instances. The symbols are explained in notation.py.

Amorim & Cardoso write a, b, c, d for yy, yn, ny, nn.
"""

from __future__ import annotations

import math
from typing import Any, Literal

from adjudge.errors import InputError, Option
from adjudge.given.options import check_weight
from adjudge.indices.label_record import external
from adjudge.indices.record import Noted, inf, quotient
from adjudge.statistics.contingency import reduce_labels
from adjudge.statistics.pair_counts import PairCounts

NO_PAIR = "there is no pair of instances"
NONE_JOINED_TRUE = "the truth joins no pair"
NONE_JOINED_PRED = "the prediction joins no pair"
NONE_JOINED = "neither partition joins any pair"
ONE_SIDED = "a partition joins no pair, or all of them"


@external(
    title="Precision (pairs)",
    better="higher",
    range=(0, 1),
    reference="desgraupes2017",
    formula=r"\frac{yy}{yy + ny}",
    undefined="if the prediction joins no pair.",
    identical_is_defined=False,
    aliases=("precision", "wallace_ii", "wallace2", "wallace_01"),
    peers={
        "clusterCrit": "Precision",
        "partitionComparison": "wallaceII",
        "permetrics": "precision_score",
        "mclustcomp": "wallace2",
    },
    note="Wallace II of Wallace (1983).",
)
def pair_precision(pairs: PairCounts) -> float | Noted:
    """Share of the pairs joined by the prediction that the truth joins too.

    >>> pair_precision([0, 0, 0, 1], [0, 0, 1, 1])
    0.5
    """
    return quotient(pairs.yy, pairs.joined_pred, NONE_JOINED_PRED)


@external(
    title="Recall (pairs)",
    better="higher",
    range=(0, 1),
    reference="desgraupes2017",
    formula=r"\frac{yy}{yy + yn}",
    undefined="if the truth joins no pair.",
    identical_is_defined=False,
    aliases=("recall", "wallace_i", "wallace1", "wallace_10", "wallace"),
    peers={
        "clusterCrit": "Recall",
        "partitionComparison": "wallaceI",
        "permetrics": "recall_score",
        "mclustcomp": "wallace1",
    },
    note="Wallace I of Wallace (1983).",
)
def pair_recall(pairs: PairCounts) -> float | Noted:
    """Share of the pairs joined by the truth that the prediction joins too.

    >>> pair_recall([0, 0, 0, 1], [0, 0, 1, 1])
    0.3333333333333333
    """
    return quotient(pairs.yy, pairs.joined_true, NONE_JOINED_TRUE)


@external(
    title="F-measure (pairs)",
    better="higher",
    range=(0, 1),
    reference="rijsbergen1979",
    formula=r"\frac{(1 + \beta^2)\,yy}{(1 + \beta^2)\,yy + \beta^2\,yn + ny}",
    undefined="if neither partition joins any pair.",
    identical_is_defined=False,
    aliases=("czekanowski_dice", "czekanowski", "dice", "sorensen", "f_measure", "f1", "f_beta", "pair_f1"),
    peers={
        "clusterCrit": "Czekanowski_Dice",
        "clusim": ("dice_index", "fmeasure", "czekanowski_index", "sorensen_index"),
        "permetrics": ("czekanowski_dice_score", "f_measure_score"),
        "mclustcomp": "sdc",
        "partitionComparison": "czekanowski",
    },
    symmetric=True,
    note="At beta = 1 the Czekanowski-Dice index; only then is it symmetric. It is not the Ochiai index.",
    family="pair agreement",
)
def pair_f(pairs: PairCounts, *, beta: float = 1.0) -> float | Noted:
    """Harmonic mean of precision and recall over pairs; recall has beta times the weight.

    >>> pair_f([0, 0, 0, 1], [0, 0, 1, 1])
    0.4
    """
    check_weight("beta", beta)
    return _weighted_f(pairs, beta * beta)


@external(
    title="F-alpha measure (pairs)",
    better="higher",
    range=(0, 1),
    reference="desgraupes2017",
    formula=r"\frac{(1 + \alpha)\,P R}{\alpha P + R}",
    undefined="if neither partition joins any pair.",
    identical_is_defined=False,
    symmetric=True,
    variant_of="pair_f",
    note="Desgraupes' weighting: alpha is the square of the usual beta.",
    family="pair agreement",
    symbols={
        r"\alpha": "weight of recall over precision",
        "P": "precision over pairs",
        "R": "recall over pairs",
    },
)
def f_alpha(pairs: PairCounts, *, alpha: float = 1.0) -> float | Noted:
    """F-measure over pairs with Desgraupes' weight, alpha = beta squared.

    >>> f_alpha([0, 0, 0, 1], [0, 0, 1, 1], alpha=4)
    0.35714285714285715
    """
    check_weight("alpha", alpha)
    return _weighted_f(pairs, alpha)


def _weighted_f(pairs: PairCounts, alpha: float) -> float | Noted:
    return quotient((1 + alpha) * pairs.yy, (1 + alpha) * pairs.yy + alpha * pairs.yn + pairs.ny, NONE_JOINED)


@external(
    title="Fowlkes-Mallows",
    better="higher",
    range=(0, 1),
    reference="fowlkes1983",
    formula=r"\frac{yy}{\sqrt{(yy + yn)(yy + ny)}}",
    undefined="if a partition joins no pair.",
    identical_is_defined=False,
    symmetric=True,
    aliases=("fm", "fmi", "folkes_mallows", "ochiai"),
    peers={
        "clusterCrit": "Folkes_Mallows",
        "scikit-learn": "fowlkes_mallows_score",
        "genieclust": "fm_score",
        "clusim": "fowlkes_mallows_index",
        "permetrics": "fowlkes_mallows_score",
        "mclustcomp": "fmi",
        "partitionComparison": "folwkesMallowsIndex",
        "clue": "FM",
        "dendextend": "FM_index",
        "torchmetrics": "fowlkes_mallows_index",
    },
    family="pair agreement",
)
def fowlkes_mallows(pairs: PairCounts) -> float | Noted:
    """Geometric mean of precision and recall over pairs.

    >>> round(fowlkes_mallows([0, 0, 0, 1], [0, 0, 1, 1]), 6)
    0.408248
    """
    return quotient(pairs.yy, math.sqrt(pairs.joined_true * pairs.joined_pred), "a partition joins no pair")


@external(
    title="Adjusted Fowlkes-Mallows",
    better="higher",
    range=(-1, 1),
    reference="hubert1985",
    formula=r"\frac{FM - E}{1 - E},\quad E = \frac{\sqrt{(yy + yn)(yy + ny)}}{M}",
    undefined="if a partition joins no pair and the other does.",
    symmetric=True,
    aliases=("afm",),
    peers={"genieclust": "adjusted_fm_score"},
    family="pair agreement",
    symbols={"FM": "Fowlkes-Mallows index", "E": "its mean over all tables with the same cluster sizes"},
)
def adjusted_fowlkes_mallows(pairs: PairCounts) -> float | Noted:
    """Fowlkes-Mallows, corrected for chance with fixed cluster sizes.

    >>> adjusted_fowlkes_mallows([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    if pairs.identical:
        return 1.0
    product = pairs.joined_true * pairs.joined_pred
    if product == 0:
        return Noted(math.nan, "0/0: a partition joins no pair")
    # (yy / root - root / M) / (1 - root / M), root^2 = product, written so that only exact integers are subtracted.
    excess = pairs.total * pairs.yy - product
    return quotient(excess * (1 + pairs.total / math.sqrt(product)), pairs.total**2 - product, ONE_SIDED)


@external(
    title="Phi coefficient (Hubert's gamma)",
    better="higher",
    range=(-1, 1),
    reference="hubert1985",
    formula=r"\frac{M\,yy - (yy + yn)(yy + ny)}{\sqrt{(yy + yn)(yy + ny)(nn + yn)(nn + ny)}}",
    undefined="if a partition joins no pair, or all pairs.",
    identical_is_defined=False,
    symmetric=True,
    aliases=("phi", "hubert", "hubert_gamma", "phi_coefficient", "matthews"),
    peers={
        "clusterCrit": "Hubert",
        "permetrics": ("phi_score", "hubert_gamma_score"),
        "partitionComparison": "gammaStatistics",
    },
    note="The correlation of the two indicators 'joined'. clusterCrit's Phi is not this: see phi_crit.",
    family="pair agreement",
)
def pair_phi(pairs: PairCounts) -> float | Noted:
    """Correlation between being joined in the truth and being joined in the prediction.

    >>> pair_phi([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    return quotient(_covariation(pairs), math.sqrt(_product_of_margins(pairs)), ONE_SIDED)


@external(
    title="Phi as clusterCrit prints it",
    better="higher",
    range=(-1, 1),
    reference="desgraupes2017",
    formula=r"\frac{yy\,nn - yn\,ny}{(yy + yn)(yy + ny)(yn + nn)(ny + nn)}",
    undefined="if a partition joins no pair, or all pairs.",
    best=None,
    identical_is_best=False,
    symmetric=True,
    aliases=("pearson",),
    peers={"clusim": "pearson_correlation", "partitionComparison": "pearson", "clusterCrit": "Phi"},
    note="Equation 132 of the vignette, which lacks the square root of the correlation: for identical partitions it "
    "is 1 / (yy nn), not 1. Kept to compare with clusterCrit; use pair_phi for the correlation.",
)
def phi_crit(pairs: PairCounts) -> float | Noted:
    """Numerator of the phi coefficient over the product of the four margins, without the square root.

    >>> phi_crit([0, 0, 1, 1], [1, 1, 0, 0])
    0.125
    """
    return quotient(_covariation(pairs), _product_of_margins(pairs), ONE_SIDED)


def _covariation(pairs: PairCounts) -> int:
    """Return yy nn - yn ny = M yy - (yy + yn)(yy + ny), exactly."""
    return pairs.yy * pairs.nn - pairs.yn * pairs.ny


def _product_of_margins(pairs: PairCounts) -> int:
    return pairs.joined_true * pairs.joined_pred * (pairs.nn + pairs.yn) * (pairs.nn + pairs.ny)


@external(
    title="Jaccard",
    better="higher",
    range=(0, 1),
    reference="jaccard1908",
    formula=r"\frac{yy}{yy + yn + ny}",
    undefined="if neither partition joins any pair.",
    identical_is_defined=False,
    symmetric=True,
    aliases=("tanimoto",),
    peers={
        "clusterCrit": "Jaccard",
        "clusim": "jaccard_index",
        "mclustcomp": ("jaccard", "tanimoto"),
        "permetrics": "jaccard_score",
        "partitionComparison": "jaccardCoefficient",
        "clue": "Jaccard",
    },
    family="pair agreement",
)
def jaccard(pairs: PairCounts) -> float | Noted:
    """Pairs joined in both partitions, among the pairs joined in either.

    >>> jaccard([0, 0, 0, 1], [0, 0, 1, 1])
    0.25
    """
    return quotient(pairs.yy, pairs.yy + pairs.disagreeing, NONE_JOINED)


@external(
    title="Kulczynski",
    better="higher",
    range=(0, 1),
    reference="kulczynski1927",
    formula=r"\frac12\left(\frac{yy}{yy + ny} + \frac{yy}{yy + yn}\right)",
    undefined="if a partition joins no pair.",
    identical_is_defined=False,
    symmetric=True,
    peers={
        "clusterCrit": "Kulczynski",
        "partitionComparison": "kulczynski",
        "permetrics": "kulczynski_score",
    },
    family="pair agreement",
)
def kulczynski(pairs: PairCounts) -> float | Noted:
    """Arithmetic mean of precision and recall over pairs.

    >>> kulczynski([0, 0, 1, 1], [0, 0, 1, 2])
    0.75
    """
    return quotient(
        pairs.yy * (pairs.joined_true + pairs.joined_pred),
        2 * pairs.joined_true * pairs.joined_pred,
        "a partition joins no pair",
    )


@external(
    title="McNemar (pairs)",
    better=None,
    range=(-inf, inf),
    reference="mcnemar1947",
    formula=r"\frac{yn - ny}{\sqrt{yn + ny}}",
    undefined="if the partitions join the same pairs.",
    identical_is_best=False,
    aliases=("mcnemar",),
    peers={"clusterCrit": "McNemar", "permetrics": "mc_nemar_score"},
    note="A test statistic as in the vignette. A normal distribution would need independent pairs, "
    "which these are not.",
)
def pair_mcnemar(pairs: PairCounts) -> float | Noted:
    """Standardised excess of pairs joined only by the truth over pairs joined only by the prediction.

    >>> pair_mcnemar([0, 0, 0, 1], [0, 1, 2, 3])
    1.7320508075688774
    """
    return quotient(pairs.yn - pairs.ny, math.sqrt(pairs.disagreeing), "the partitions agree on every pair")


@external(
    title="Rand",
    better="higher",
    range=(0, 1),
    reference="rand1971",
    formula=r"\frac{yy + nn}{M}",
    undefined="if there is no pair (n = 1).",
    identical_is_defined=False,
    symmetric=True,
    aliases=("rand_index", "simple_matching"),
    peers={
        "clusterCrit": "Rand",
        "scikit-learn": "rand_score",
        "aricode": "RI",
        "mclustcomp": ("smc", "rand"),
        "genieclust": "rand_score",
        "clusim": "rand_index",
        "permetrics": "rand_score",
        "partitionComparison": "randIndex",
        "clue": "Rand",
        "igraph": "rand",
        "torchmetrics": "rand_score",
    },
    family="rand",
)
def rand(pairs: PairCounts) -> float | Noted:
    """Share of the pairs that both partitions treat in the same way.

    >>> rand([0, 0, 1, 1], [0, 0, 1, 2])
    0.8333333333333334
    """
    return quotient(pairs.agreeing, pairs.total, NO_PAIR)


@external(
    title="Adjusted Rand",
    better="higher",
    range=(-0.5, 1),
    reference="hubert1985",
    formula=r"\frac{M\,yy - (yy + yn)(yy + ny)}{M\,\frac{(yy + yn) + (yy + ny)}{2} - (yy + yn)(yy + ny)}",
    symmetric=True,
    aliases=("ari", "adjusted_rand_index", "crand"),
    peers={
        "scikit-learn": "adjusted_rand_score",
        "genieclust": "adjusted_rand_score",
        "aricode": "ARI",
        "clusim": "adjrand_index",
        "mclust": "adjustedRandIndex",
        "permetrics": "adjusted_rand_score",
        "mclustcomp": "adjrand",
        "partitionComparison": "adjustedRandIndex",
        "clue": "cRand",
        "igraph": "adjusted.rand",
        "fpc": "corrected.rand",
        "torchmetrics": "adjusted_rand_score",
    },
    note="Two identical partitions get 1, even if both are one cluster, all singletons, or n = 1.",
    family="pair agreement",
    default="The index that papers report most. Its mean by chance is 0, so that partitions into different "
    "numbers of clusters can be compared (Hubert and Arabie 1985).",
)
def adjusted_rand(pairs: PairCounts) -> float | Noted:
    """Rand index, corrected for chance with fixed cluster sizes.

    >>> adjusted_rand([0, 0, 1, 1], [0, 0, 1, 2])
    0.5714285714285714
    """
    if pairs.identical:
        return 1.0
    total, true, pred = pairs.total, pairs.joined_true, pairs.joined_pred
    chance = 2 * true * pred
    return quotient(2 * total * pairs.yy - chance, total * (true + pred) - chance, ONE_SIDED)


@external(
    title="Rogers-Tanimoto",
    better="higher",
    range=(0, 1),
    reference="rogers1960",
    formula=r"\frac{yy + nn}{yy + nn + 2(yn + ny)}",
    undefined="if there is no pair (n = 1).",
    identical_is_defined=False,
    symmetric=True,
    peers={
        "clusterCrit": "Rogers_Tanimoto",
        "partitionComparison": "rogersTanimoto",
        "clusim": "rogers_tanimoto_index",
        "permetrics": "rogers_tanimoto_score",
    },
    family="rand",
)
def rogers_tanimoto(pairs: PairCounts) -> float | Noted:
    """Rand index in which every disagreement counts twice.

    >>> rogers_tanimoto([0, 0, 1, 1], [0, 0, 1, 2])
    0.7142857142857143
    """
    return quotient(pairs.agreeing, pairs.agreeing + 2 * pairs.disagreeing, NO_PAIR)


@external(
    title="Russell-Rao",
    better="higher",
    range=(0, 1),
    reference="russell1940",
    formula=r"\frac{yy}{M}",
    undefined="if there is no pair (n = 1).",
    identical_is_best=False,
    identical_is_defined=False,
    symmetric=True,
    aliases=("russel_rao", "rr"),
    peers={"clusterCrit": "Russel_Rao", "partitionComparison": "russelRao", "permetrics": "russel_rao_score"},
    note="Identical partitions reach 1 only if they are one cluster.",
)
def russell_rao(pairs: PairCounts) -> float | Noted:
    """Share of all pairs that both partitions join.

    >>> russell_rao([0, 0, 1, 1], [0, 0, 1, 1])
    0.3333333333333333
    """
    return quotient(pairs.yy, pairs.total, NO_PAIR)


@external(
    title="Sokal-Sneath 1",
    better="higher",
    range=(0, 1),
    reference="sokal1963",
    formula=r"\frac{yy}{yy + 2(yn + ny)}",
    undefined="if neither partition joins any pair.",
    identical_is_defined=False,
    symmetric=True,
    aliases=("ss2",),
    peers={
        "clusterCrit": "Sokal_Sneath1",
        "partitionComparison": "sokalSneath2",
        "permetrics": "sokal_sneath1_score",
    },
    note="Numbered as in clusterCrit. Amorim & Cardoso call it SS2.",
    family="pair agreement",
)
def sokal_sneath1(pairs: PairCounts) -> float | Noted:
    """Jaccard in which every disagreement counts twice.

    >>> sokal_sneath1([0, 0, 1, 1], [0, 0, 1, 2])
    0.3333333333333333
    """
    return quotient(pairs.yy, pairs.yy + 2 * pairs.disagreeing, NONE_JOINED)


@external(
    title="Gower-Legendre",
    better="higher",
    range=(0, 1),
    reference="gower1986",
    formula=r"\frac{yy + nn}{yy + nn + \frac12(yn + ny)}",
    undefined="if there is no pair (n = 1).",
    identical_is_defined=False,
    symmetric=True,
    aliases=("sokal_sneath2", "gl"),
    peers={
        "clusterCrit": "Sokal_Sneath2",
        "partitionComparison": "gowerLegendre",
        "permetrics": "sokal_sneath2_score",
    },
    note="clusterCrit calls it Sokal-Sneath 2.",
    family="rand",
)
def gower_legendre(pairs: PairCounts) -> float | Noted:
    """Rand index in which every disagreement counts half.

    >>> gower_legendre([0, 0, 1, 1], [0, 0, 1, 2])
    0.9090909090909091
    """
    return quotient(2 * pairs.agreeing, 2 * pairs.agreeing + pairs.disagreeing, NO_PAIR)


@external(
    title="Goodman-Kruskal",
    better="higher",
    range=(-1, 1),
    reference="goodman1954",
    formula=r"\frac{yy\,nn - yn\,ny}{yy\,nn + yn\,ny}",
    undefined="if both products vanish, as when a partition joins no pair or all pairs.",
    identical_is_defined=False,
    symmetric=True,
    aliases=("gk", "yule_q"),
    peers={"partitionComparison": "goodmanKruskal"},
    note="Reaches 1 if yn or ny is 0, so also for a refinement.",
)
def goodman_kruskal(pairs: PairCounts) -> float | Noted:
    """Gamma of the 2 x 2 table of pairs (Yule's Q).

    >>> goodman_kruskal([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.3333333333333333
    """
    return quotient(
        _covariation(pairs), pairs.yy * pairs.nn + pairs.yn * pairs.ny, "yy nn and yn ny are both 0"
    )


@external(
    title="Sokal-Sneath 3 (SoS)",
    better="higher",
    range=(0, 1),
    reference="sokal1963",
    formula=r"\frac{yy\,nn}{\sqrt{(yy + yn)(yy + ny)(nn + ny)(nn + yn)}}",
    undefined="if a partition joins no pair, or all pairs.",
    identical_is_defined=False,
    symmetric=True,
    aliases=("sos",),
    peers={"partitionComparison": "sokalSneath3"},
)
def sokal_sneath3(pairs: PairCounts) -> float | Noted:
    """Product of agreements over the geometric mean of the margins.

    >>> sokal_sneath3([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    return quotient(pairs.yy * pairs.nn, math.sqrt(_product_of_margins(pairs)), ONE_SIDED)


@external(
    title="Hamann",
    better="higher",
    range=(-1, 1),
    reference="hamann1961",
    formula=r"\frac{(yy + nn) - (yn + ny)}{M}",
    undefined="if there is no pair (n = 1).",
    identical_is_defined=False,
    symmetric=True,
    peers={"partitionComparison": "hamann"},
    family="rand",
)
def hamann(pairs: PairCounts) -> float | Noted:
    """Agreements minus disagreements, among all pairs: 2 Rand - 1.

    >>> hamann([0, 0, 1, 1], [0, 0, 1, 2])
    0.6666666666666666
    """
    return quotient(pairs.agreeing - pairs.disagreeing, pairs.total, NO_PAIR)


@external(
    title="McConnaughey",
    better="higher",
    range=(-1, 1),
    reference="mcconnaughey1964",
    formula=r"\frac{yy^2 - yn\,ny}{(yy + yn)(yy + ny)}",
    undefined="if a partition joins no pair.",
    identical_is_defined=False,
    symmetric=True,
    peers={"partitionComparison": "mcconnaughey"},
    note="2 Kulczynski - 1.",
    family="pair agreement",
)
def mcconnaughey(pairs: PairCounts) -> float | Noted:
    """Precision plus recall over pairs, minus 1.

    >>> mcconnaughey([0, 0, 1, 1], [0, 0, 1, 2])
    0.5
    """
    return quotient(
        pairs.yy**2 - pairs.yn * pairs.ny,
        pairs.joined_true * pairs.joined_pred,
        "a partition joins no pair",
    )


@external(
    title="Peirce",
    better="higher",
    range=(-1, 1),
    reference="peirce1884",
    formula=r"\frac{yy\,nn - yn\,ny}{(yy + yn)(ny + nn)}",
    undefined="if the truth joins no pair, or all pairs.",
    identical_is_defined=False,
    peers={"partitionComparison": "peirce"},
    family="informedness",
    note="True-positive rate minus false-positive rate over pairs; not symmetric.",
)
def peirce(pairs: PairCounts) -> float | Noted:
    """Recall minus the share of the truly separate pairs that the prediction joins.

    >>> peirce([0, 0, 1, 1], [0, 0, 1, 2])
    0.5
    """
    return quotient(
        _covariation(pairs),
        pairs.joined_true * (pairs.ny + pairs.nn),
        "the truth joins no pair, or all of them",
    )


@external(
    title="Mirkin metric",
    better="lower",
    range=(0, inf),
    reference="mirkin1996",
    formula=r"2(yn + ny)",
    symmetric=True,
    identical_is_defined=False,
    peers={"mclustcomp": "mirkin", "partitionComparison": "mirkinMetric"},
    undefined="as a share, if there is no pair (n = 1).",
    note="Counts ordered pairs, as Mirkin does; with `scale` 'unordered' each pair counts once, 'share' divides by M.",
)
def mirkin(
    pairs: PairCounts, *, scale: Literal["ordered", "unordered", "share"] = "ordered"
) -> float | Noted:
    """Number of ordered pairs that the partitions treat differently.

    >>> mirkin([0, 0, 1, 1], [0, 0, 1, 2])
    2.0
    """
    if pairs.total == 0:
        return Noted(math.nan, f"0/0: {NO_PAIR}")
    if scale == "ordered":
        return 2 * pairs.disagreeing
    if scale == "unordered":
        return pairs.disagreeing
    if scale == "share":
        return quotient(pairs.disagreeing, pairs.total, NO_PAIR)
    raise InputError(Option("scale", scale), " is not known: choose one of 'ordered', 'unordered', 'share'")


def concordance(labels_true: Any, labels_pred: Any = None, **options: Any) -> list[list[int]]:
    """Count pairs of instances by whether each partition joins them, like clusterCrit's function of this name.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,), or a contingency table instead of the first
    **options
        `counts`, `missing`, `noise`, `noise_label`, as for every external index.

    Returns
    -------
    list of list of int
        [[yy, yn], [ny, nn]], exact.

    References
    ----------
    Desgraupes (2017), section 3.1.

    Examples
    --------
    >>> from adjudge.indices import concordance
    >>> concordance([0, 0, 0, 1], [0, 0, 1, 2])
    [[1, 2], [0, 3]]
    """
    pairs = reduce_labels(labels_true, labels_pred, **options).pairs
    return [[pairs.yy, pairs.yn], [pairs.ny, pairs.nn]]
