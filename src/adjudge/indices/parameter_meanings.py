"""What the parameters of formulas mean, in the words of the documentation: those of one name mostly mean the same."""

from __future__ import annotations

from collections.abc import Mapping

_OF_ENTROPIES = 'Of the two entropies: "arithmetic", "geometric", "min", "max" or "joint".'
_OF_RANKS = '"binary", "macro" or "weighted"; None is the first, or "macro" without a positive class.'
_OF_INSTANCES = (
    'An instance with 0/0 counts 0 or 1, is left out ("skip"), or makes the mean undefined ("nan").'
)

#: By the name of the parameter, and of the formula where it means something else there.
MEANINGS: Mapping[str, str | Mapping[str, str]] = {
    "alpha": {
        "f_alpha": "Weight of recall over precision.",
        "sd_validity": "Weight of the scattering. Default: this partition's `sd_dis`.",
        "kbet": "Level of the tests.",
        "beale": "Level of the critical value.",
        "fuzzy_silhouette": "Power of the difference of the two largest memberships that is the weight of an instance.",
    },
    "at": {
        "net_benefit": "Probability from which one would act.",
        "sensitivity_at_specificity": "The least specificity.",
        "specificity_at_sensitivity": "The least sensitivity.",
        "recall_at_precision": "The least precision.",
        "precision_at_recall": "The least recall.",
        "risk_at_coverage": "Share of the instances that is answered.",
        "coverage_at_risk": "Share of wrong answers that is allowed.",
        "quantile": "Share of the rows that do not exceed the value.",
        "quantile_loss": "Level of the quantile that is predicted.",
    },
    "average": {
        "nmi": _OF_ENTROPIES,
        "ami": _OF_ENTROPIES,
        "onmi_max": 'Of the two entropies: "max", "sum", "min" or "sqrt".',
        "roc_auc": _OF_RANKS,
        "gini": _OF_RANKS,
        "average_precision": _OF_RANKS,
        "roc_auc_ovo": 'The mean over pairs of classes: "macro", or "weighted" by their sizes.',
        "": '"binary", "macro", "micro" or "weighted"; None is the first, or "macro" without a positive class.',
    },
    "beta": {
        "v_measure": "Weight of completeness over homogeneity.",
        "": "Weight of recall over precision.",
    },
    "between": 'Distance to other batches: "mean_other", or of one batch, the "nearest" or "furthest".',
    "bins": 'Of equal "width", or with equal "mass": as many instances each.',
    "by_height": "Whether merges at equal heights are one merge of many clusters.",
    "clipped": "Whether negative values become 0.",
    "compactness": '"pooled" over all pairs, or the "sum" of the means of the clusters.',
    "constant": "The class that a model without information always answers. Default: the most frequent one.",
    "costs": (
        "A row for each true class, a column for each predicted one; or the cost of a mistake on each instance. "
        "Default: 1 for each mistake."
    ),
    "critical": {
        "hartigan": "Votes for the first K whose value is at most this.",
        "prediction_strength": "Votes for the largest K whose value is at least this.",
    },
    "denominator": "Average of the distances within clusters.",
    "depth": "Steps below the root.",
    "exact": "Whether the probability is exact, of at least as many edges, and not that for large graphs.",
    "inner": "Whether single instances are no clusters.",
    "k": {
        "pass_at": "Number of runs, of which one must be right.",
        "pass_hat": "Number of runs, which must all be right.",
        "top_k_accuracy": "Number of the likeliest classes.",
    },
    "level": 'What differs: "nominal", "ordinal" or "interval" categories.',
    "limit_to_size": "Whether no more neighbours are looked at than a point's cluster has other points.",
    "max_fpr": "False positive rate at which the curve ends.",
    "merge": "Cost of a merge: a number, or a function of the sizes of two clusters.",
    "metric": 'Distances between points: "cosine" or "euclidean".',
    "n_bins": "Number of bins.",
    "n_neighbors": "Number of nearest neighbours of a point.",
    "norm": 'Of the differences in all bins: "l1", "l2" or "max".',
    "normalized": {
        "rmi": "Whether the value is a share of what the partition itself would save.",
        "": "Whether the value is a share: divided by 2n.",
    },
    "numerator": "Average of the distances between clusters.",
    "of": 'The partition that is transmitted, the "truth" or the "prediction".',
    "over": 'The "mean" over communities, or the "worst" of them.',
    "part": '"f", or one of its parts: "precision" or "recall".',
    "resolution": "Weight of the share that is expected: above 1, smaller communities are better.",
    "scale": 'Pairs that are "ordered", "unordered", or their "share".',
    "share": "Share of the points, those that are nearest to other clusters.",
    "simplified": "Whether the overlap that is expected is taken as 1.",
    "singletons": "Width of a cluster of one point.",
    "split": "Cost of a split: a number, or a function of the sizes of two clusters.",
    "t_norm": 'How far an instance is in two clusters at once: "min" or "product" of memberships.',
    "ties": {
        "top_k_accuracy": 'Equal scores count as "expected" in random order, "for" or "against" the true class.',
        "label_ranking_loss": 'A tie counts "half", "for" or "against" the true label.',
        "": 'Whether a cluster must say more of another than of its complement ("strict"), or as much ("weak").',
    },
    "undefined": {
        "label_ranking_average_precision": f"{_OF_INSTANCES} It is 0/0 without a true label.",
        "label_ranking_loss": f"{_OF_INSTANCES} It is 0/0 with all labels, or none.",
        "samples_precision": _OF_INSTANCES,
        "samples_recall": _OF_INSTANCES,
        "samples_f1": _OF_INSTANCES,
        "samples_jaccard": _OF_INSTANCES,
        "": 'A class with 0/0 counts 0 or 1, is left out ("skip"), or makes the average undefined ("nan").',
    },
    "z": "Quantile of the normal law in the critical value.",
}


def meaning_of(parameter: str, formula: str) -> str | None:
    """Return what a parameter of a formula means; None if nothing is written about it, as of an index of one's own."""
    found = MEANINGS.get(parameter)
    return found if found is None or isinstance(found, str) else found.get(formula, found.get(""))
