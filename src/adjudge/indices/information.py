"""External indices from information theory, in nats."""

from __future__ import annotations

import math
from typing import Literal

from adjudge.errors import InputError, Option
from adjudge.given.options import check_weight
from adjudge.indices.label_record import external
from adjudge.indices.record import Noted, inf, quotient
from adjudge.statistics.entropies import PartitionEntropies

Average = Literal["arithmetic", "geometric", "min", "max", "joint"]

_NO_ENTROPY = "a partition is one cluster, so its entropy is 0"
_ONE_IS_ONE_CLUSTER = "if just one of the partitions is a single cluster."


def _average(information: PartitionEntropies, average: Average) -> float:
    a, b = information.entropy_true, information.entropy_pred
    if average == "arithmetic":
        return (a + b) / 2
    if average == "geometric":
        return math.sqrt(a * b)
    if average == "min":
        return min(a, b)
    if average == "max":
        return max(a, b)
    if average == "joint":
        return information.joint
    raise InputError(
        Option("average", average),
        " is not known: choose one of 'arithmetic', 'geometric', 'min', 'max', 'joint'",
    )


@external(
    title="Entropy of the truth",
    better=None,
    range=(0, inf),
    reference="shannon1948",
    formula=r"H(T) = -\sum_i \frac{a_i}{n} \log \frac{a_i}{n}",
    peers={"aricode": "H_U"},
)
def entropy_true(information: PartitionEntropies) -> float:
    """Entropy of the reference partition, in nats.

    >>> round(entropy_true([0, 0, 1, 1], [0, 0, 0, 1]), 6)
    0.693147
    """
    return information.entropy_true


@external(
    title="Entropy of the prediction",
    better=None,
    range=(0, inf),
    reference="shannon1948",
    formula=r"H(P) = -\sum_j \frac{b_j}{n} \log \frac{b_j}{n}",
    peers={"aricode": "H_V"},
)
def entropy_pred(information: PartitionEntropies) -> float:
    """Entropy of the predicted partition, in nats.

    >>> round(entropy_pred([0, 0, 0, 1], [0, 0, 1, 1]), 6)
    0.693147
    """
    return information.entropy_pred


@external(
    title="Joint entropy",
    better=None,
    range=(0, inf),
    reference="shannon1948",
    formula=r"H(T, P) = -\sum_{ij} \frac{n_{ij}}{n} \log \frac{n_{ij}}{n}",
    symmetric=True,
    peers={"aricode": "H_UV"},
)
def joint_entropy(information: PartitionEntropies) -> float:
    """Entropy of the cells of the table, in nats.

    >>> round(joint_entropy([0, 0, 1, 1], [0, 0, 1, 1]), 6)
    0.693147
    """
    return information.joint


@external(
    title="Mutual information",
    better="higher",
    range=(0, inf),
    reference="shannon1948",
    formula=r"I = \sum_{ij} \frac{n_{ij}}{n} \log \frac{n\,n_{ij}}{a_i b_j}",
    best=None,
    identical_is_best=False,
    symmetric=True,
    aliases=("mi",),
    peers={
        "scikit-learn": "mutual_info_score",
        "genieclust": "mi_score",
        "aricode": "MI",
        "permetrics": "mutual_info_score",
        "partitionComparison": "mutualInformation",
        "torchmetrics": "mutual_info_score",
    },
    note="In nats; clusim and mclustcomp give bits.",
)
def mutual_information(information: PartitionEntropies) -> float:
    """Information that one partition gives about the other, in nats.

    >>> round(mutual_information([0, 0, 1, 1], [0, 0, 1, 1]), 6)
    0.693147
    """
    return information.mutual


@external(
    title="Normalised mutual information",
    better="higher",
    range=(0, 1),
    reference="kvalseth1987",
    formula=r"\frac{I}{\mathrm{avg}(H(T), H(P))}",
    symmetric=True,
    undefined="with the geometric mean or the minimum, if just one of the partitions is a single cluster.",
    aliases=("normalized_mutual_information", "normalised_mutual_information", "nmi_arithmetic", "nmi_sum"),
    peers={
        "scikit-learn": "normalized_mutual_info_score",
        "genieclust": "normalized_mi_score",
        "clusim": "nmi",
        "permetrics": "normalized_mutual_info_score",
        "aricode": "NMI_sum",
        "mclustcomp": "nmi2",
        "igraph": "nmi",
        "torchmetrics": "normalized_mutual_info_score",
    },
    note="The arithmetic average is the default, as in scikit-learn; aricode's NMI uses the maximum, clue's the "
    "geometric mean.",
    family="information",
    symbols={r"\mathrm{avg}": "their average, by default the arithmetic mean"},
    default="The most reported index of information, the harmonic mean of homogeneity and completeness. It "
    "is not corrected for chance: many small clusters raise it.",
)
def nmi(information: PartitionEntropies, *, average: Average = "arithmetic") -> float | Noted:
    """Mutual information, as a share of an average of the two entropies.

    >>> round(nmi([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.8
    >>> round(nmi([0, 0, 1, 1], [0, 0, 1, 2], average="max"), 6)
    0.666667
    """
    scale = _average(information, average)
    if information.identical:
        return 1.0
    return _capped(quotient(information.mutual, scale, _NO_ENTROPY))


def _capped(value: float | Noted) -> float | Noted:
    """Cap a share at 1, which rounding may exceed by an ulp."""
    return value if isinstance(value, Noted) else min(value, 1.0)


nmi_geometric = nmi.variant(
    "nmi_geometric",
    title="NMI (geometric mean)",
    fixed={"average": "geometric"},
    reference="vinh2010",
    undefined=_ONE_IS_ONE_CLUSTER,
    aliases=("nmi_sqrt",),
    peers={
        "clue": "NMI",
        "aricode": "NMI_sqrt",
        "mclustcomp": "nmi1",
        "scikit-learn": "normalized_mutual_info_score(average_method='geometric')",
        "clusim": "nmi(norm_type='sqrt')",
    },
    note="",
    formula=r"\frac{I}{\sqrt{H(T)\,H(P)}}",
)
nmi_min = nmi.variant(
    "nmi_min",
    title="NMI (minimum)",
    fixed={"average": "min"},
    reference="vinh2010",
    undefined=_ONE_IS_ONE_CLUSTER,
    note="",
    formula=r"\frac{I}{\min\{H(T), H(P)\}}",
    peers={
        "aricode": "NMI_min",
        "partitionComparison": "normalizedMutualInformation",
        "scikit-learn": "normalized_mutual_info_score(average_method='min')",
        "clusim": "nmi(norm_type='min')",
    },
)
nmi_max = nmi.variant(
    "nmi_max",
    title="NMI (maximum)",
    fixed={"average": "max"},
    reference="vinh2010",
    undefined="",
    peers={
        "aricode": ("NMI", "NMI_max"),
        "scikit-learn": "normalized_mutual_info_score(average_method='max')",
        "clusim": "nmi(norm_type='max')",
    },
    note="",
    formula=r"\frac{I}{\max\{H(T), H(P)\}}",
)
nmi_joint = nmi.variant(
    "nmi_joint",
    title="NMI (joint entropy)",
    fixed={"average": "joint"},
    reference="vinh2010",
    undefined="",
    note="",
    formula=r"\frac{I}{H(T, P)}",
    peers={"aricode": "NMI_joint"},
)


@external(
    title="Adjusted mutual information",
    better="higher",
    range=(-inf, 1),
    reference="vinh2010",
    formula=r"\frac{I - E[I]}{\mathrm{avg}(H(T), H(P)) - E[I]}",
    symmetric=True,
    undefined="with the geometric mean or the minimum, if just one of the partitions is a single cluster; with the "
    "minimum also if only one of them consists of singletons.",
    aliases=("adjusted_mutual_information", "ami_arithmetic", "ami_sum"),
    peers={
        "scikit-learn": "adjusted_mutual_info_score",
        "genieclust": "adjusted_mi_score",
        "torchmetrics": "adjusted_mutual_info_score",
    },
    note="The expectation over all tables with the same cluster sizes is exact. aricode's AMI uses the maximum.",
    family="information",
    symbols={r"\mathrm{avg}": "their average, by default the arithmetic mean"},
    default="Corrected for chance, too, and the better choice if clusters differ widely in size (Romano "
    "et al. 2016).",
)
def ami(information: PartitionEntropies, *, average: Average = "arithmetic") -> float | Noted:
    """Mutual information, corrected for chance with fixed cluster sizes.

    >>> round(ami([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.571429
    """
    scale = _average(information, average)
    if information.identical:
        return 1.0
    if information.entropy_true == 0 or information.entropy_pred == 0:
        # A single cluster carries no information: I = E[I] = 0 exactly.
        return quotient(0.0, scale, _NO_ENTROPY)
    expected = information.expected_mutual
    spread = scale - expected
    if abs(spread) <= 1e-14 * scale:
        return Noted(math.nan, "0/0: with these cluster sizes every table has the same mutual information")
    return _capped((information.mutual - expected) / spread)


ami_geometric = ami.variant(
    "ami_geometric",
    title="AMI (geometric mean)",
    fixed={"average": "geometric"},
    undefined=_ONE_IS_ONE_CLUSTER,
    aliases=("ami_sqrt",),
    note="",
    formula=r"\frac{I - E[I]}{\sqrt{H(T)\,H(P)} - E[I]}",
    peers={"scikit-learn": "adjusted_mutual_info_score(average_method='geometric')"},
)
ami_min = ami.variant(
    "ami_min",
    title="AMI (minimum)",
    fixed={"average": "min"},
    undefined="if just one of the partitions is a single cluster, or has singletons only.",
    note="",
    formula=r"\frac{I - E[I]}{\min\{H(T), H(P)\} - E[I]}",
    peers={"scikit-learn": "adjusted_mutual_info_score(average_method='min')"},
)
ami_max = ami.variant(
    "ami_max",
    title="AMI (maximum)",
    fixed={"average": "max"},
    undefined="",
    peers={"aricode": "AMI", "scikit-learn": "adjusted_mutual_info_score(average_method='max')"},
    note="",
    formula=r"\frac{I - E[I]}{\max\{H(T), H(P)\} - E[I]}",
)
ami_joint = ami.variant(
    "ami_joint",
    title="AMI (joint entropy)",
    fixed={"average": "joint"},
    undefined="",
    note="",
    formula=r"\frac{I - E[I]}{H(T, P) - E[I]}",
)


@external(
    title="Homogeneity",
    better="higher",
    range=(0, 1),
    reference="rosenberg2007",
    formula=r"\frac{I}{H(T)}",
    undefined="if the truth is one cluster and the prediction is not.",
    peers={
        "scikit-learn": "homogeneity_score",
        "permetrics": "homogeneity_score",
        "torchmetrics": "homogeneity_score",
    },
    note="scikit-learn gives 1 if the truth is one cluster.",
    default="Whether clusters hold one class each: low if clusters were merged.",
)
def homogeneity(information: PartitionEntropies) -> float | Noted:
    """Whether each cluster contains only instances of one class.

    >>> homogeneity([0, 0, 1, 1], [0, 0, 1, 2])
    1.0
    """
    if information.identical:
        return 1.0
    return _capped(quotient(information.mutual, information.entropy_true, "the truth is one cluster"))


@external(
    title="Completeness",
    better="higher",
    range=(0, 1),
    reference="rosenberg2007",
    formula=r"\frac{I}{H(P)}",
    undefined="if the prediction is one cluster and the truth is not.",
    peers={
        "scikit-learn": "completeness_score",
        "permetrics": "completeness_score",
        "torchmetrics": "completeness_score",
    },
    note="scikit-learn gives 1 if the prediction is one cluster.",
    default="Whether classes lie in one cluster each: low if clusters were split.",
)
def completeness(information: PartitionEntropies) -> float | Noted:
    """Whether the instances of each class stay in one cluster.

    >>> round(completeness([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.666667
    """
    if information.identical:
        return 1.0
    return _capped(quotient(information.mutual, information.entropy_pred, "the prediction is one cluster"))


@external(
    title="V-measure",
    better="higher",
    range=(0, 1),
    reference="rosenberg2007",
    formula=r"\frac{(1 + \beta)\,I}{H(T) + \beta\,H(P)}",
    symmetric=True,
    peers={
        "scikit-learn": "v_measure_score",
        "permetrics": "v_measure_score",
        "torchmetrics": "v_measure_score",
    },
    note="At beta = 1 it equals NMI with the arithmetic average; only then is it symmetric.",
    family="information",
)
def v_measure(information: PartitionEntropies, *, beta: float = 1.0) -> float | Noted:
    """Weighted harmonic mean of homogeneity and completeness; completeness has beta times the weight.

    >>> round(v_measure([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.8
    """
    check_weight("beta", beta, may_be_zero=True)
    if information.identical:
        return 1.0
    scale = information.entropy_true + beta * information.entropy_pred
    return _capped(quotient((1 + beta) * information.mutual, scale, _NO_ENTROPY))


@external(
    title="Variation of information",
    better="lower",
    range=(0, inf),
    reference="meila2007",
    formula=r"H(T \mid P) + H(P \mid T)",
    symmetric=True,
    aliases=("vi",),
    peers={"aricode": "VI", "igraph": "vi", "partitionComparison": "variationOfInformation", "fpc": "vi"},
    note="In nats; clusim and mclustcomp give bits. A metric.",
    default="A metric, in nats: what is lost and gained on the way from one partition to the other (Meila "
    "2007).",
)
def variation_of_information(information: PartitionEntropies) -> float:
    """Information of each partition that the other does not give, in nats.

    >>> round(variation_of_information([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.346574
    """
    return information.variation


@external(
    title="Normalised variation of information",
    better="lower",
    range=(0, 1),
    reference="vinh2010",
    formula=r"\frac{H(T \mid P) + H(P \mid T)}{H(T, P)}",
    symmetric=True,
    aliases=("nvi",),
    peers={"aricode": "NVI"},
    note="A metric; 1 - NMI with the joint entropy. mclustcomp's nvi divides by something else.",
    family="information",
)
def normalized_variation_of_information(information: PartitionEntropies) -> float | Noted:
    """Variation of information, as a share of the joint entropy.

    >>> round(normalized_variation_of_information([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.333333
    """
    if information.identical:
        return 0.0
    return _capped(quotient(information.variation, information.joint, _NO_ENTROPY))


@external(
    title="Normalised information distance",
    better="lower",
    range=(0, 1),
    reference="vinh2010",
    formula=r"1 - \frac{I}{\max(H(T), H(P))}",
    symmetric=True,
    aliases=("nid",),
    peers={"aricode": "NID"},
    note="A metric; 1 - NMI with the maximum.",
    family="information",
)
def normalized_information_distance(information: PartitionEntropies) -> float | Noted:
    """Larger conditional entropy, as a share of the larger entropy.

    >>> round(normalized_information_distance([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.333333
    """
    if information.identical:
        return 0.0
    # max(H) - I is the conditional entropy of the partition with the larger entropy.
    left = max(information.true_given_pred, information.pred_given_true)
    return _capped(quotient(left, max(information.entropy_true, information.entropy_pred), _NO_ENTROPY))
