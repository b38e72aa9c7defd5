"""How each Python program computes a measure: calls on labels `a` and `b`, or on points `X` with labels `y`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Call = Callable[[], Any]

# The packages of the programs; adjudge comes first, because the others are compared with it.
PYTHON = ("adjudge", "scikit-learn", "genieclust", "permetrics", "clusim", "torchmetrics")

KS = range(2, 11)


def adjudge(a: Any, b: Any, X: Any, y: Any) -> dict[str, Call]:
    import adjudge as ours

    return {
        "adjusted Rand": lambda: ours.adjusted_rand(a, b),
        "Rand": lambda: ours.rand(a, b),
        "normalised mutual information": lambda: ours.nmi(a, b),
        "adjusted mutual information": lambda: ours.ami(a, b),
        "silhouette": lambda: ours.silhouette(X, y),
        "Calinski-Harabasz": lambda: ours.calinski_harabasz(X, y),
        "Davies-Bouldin": lambda: ours.davies_bouldin(X, y),
        "Dunn": lambda: ours.dunn(X, y),
        "all internal criteria": lambda: len(ours.evaluate(X=X, labels=y, indices="all")),
        "number of clusters": lambda: ours.choose_k(X, "kmeans", k=KS, indices="all", random_state=0).k,
    }


def scikit_learn(a: Any, b: Any, X: Any, y: Any) -> dict[str, Call]:
    from sklearn import metrics

    return {
        "adjusted Rand": lambda: metrics.adjusted_rand_score(a, b),
        "Rand": lambda: metrics.rand_score(a, b),
        "normalised mutual information": lambda: metrics.normalized_mutual_info_score(a, b),
        "adjusted mutual information": lambda: metrics.adjusted_mutual_info_score(a, b),
        "silhouette": lambda: metrics.silhouette_score(X, y),
        "Calinski-Harabasz": lambda: metrics.calinski_harabasz_score(X, y),
        "Davies-Bouldin": lambda: metrics.davies_bouldin_score(X, y),
    }


def genieclust(a: Any, b: Any, X: Any, y: Any) -> dict[str, Call]:
    from genieclust import cluster_validity, compare_partitions

    return {
        "adjusted Rand": lambda: compare_partitions.adjusted_rand_score(a, b),
        "Rand": lambda: compare_partitions.rand_score(a, b),
        "normalised mutual information": lambda: compare_partitions.normalized_mi_score(a, b),
        "adjusted mutual information": lambda: compare_partitions.adjusted_mi_score(a, b),
        "silhouette": lambda: cluster_validity.silhouette_index(X, y),
        "Calinski-Harabasz": lambda: cluster_validity.calinski_harabasz_index(X, y),
        "Davies-Bouldin": lambda: -cluster_validity.negated_davies_bouldin_index(X, y),
        "Dunn": lambda: cluster_validity.generalised_dunn_index(X, y, lowercase_d=1, uppercase_d=1),
    }


def permetrics(a: Any, b: Any, X: Any, y: Any) -> dict[str, Call]:
    from permetrics import ClusteringMetric

    return {
        "adjusted Rand": lambda: ClusteringMetric(y_true=a, y_pred=b).adjusted_rand_score(),
        "Rand": lambda: ClusteringMetric(y_true=a, y_pred=b).rand_score(),
        "normalised mutual information": lambda: ClusteringMetric(
            y_true=a, y_pred=b
        ).normalized_mutual_info_score(),
        "silhouette": lambda: ClusteringMetric(X=X, y_pred=y).silhouette_index(),
        "Calinski-Harabasz": lambda: ClusteringMetric(X=X, y_pred=y).calinski_harabasz_index(),
        "Davies-Bouldin": lambda: ClusteringMetric(X=X, y_pred=y).davies_bouldin_index(),
        "Dunn": lambda: ClusteringMetric(X=X, y_pred=y).dunn_index(),
    }


def clusim(a: Any, b: Any, X: Any, y: Any) -> dict[str, Call]:
    from clusim import sim
    from clusim.clustering import Clustering

    def both() -> tuple[Any, Any]:
        return tuple(Clustering().from_membership_list(labels.tolist()) for labels in (a, b))

    return {
        "adjusted Rand": lambda: sim.adjrand_index(*both()),
        "Rand": lambda: sim.rand_index(*both()),
        "normalised mutual information": lambda: sim.nmi(*both(), norm_type="sum"),
        "adjusted mutual information": lambda: sim.adj_mi(*both(), norm_type="sum"),
    }


def torchmetrics(a: Any, b: Any, X: Any, y: Any) -> dict[str, Call]:
    import torch
    from torchmetrics.functional import clustering

    t, p, points, labels = (None if v is None else torch.from_numpy(v) for v in (a, b, X, y))
    return {
        "adjusted Rand": lambda: clustering.adjusted_rand_score(p, t).item(),
        "Rand": lambda: clustering.rand_score(p, t).item(),
        "normalised mutual information": lambda: clustering.normalized_mutual_info_score(p, t).item(),
        "adjusted mutual information": lambda: clustering.adjusted_mutual_info_score(p, t).item(),
        "Calinski-Harabasz": lambda: clustering.calinski_harabasz_score(points, labels).item(),
        "Davies-Bouldin": lambda: clustering.davies_bouldin_score(points, labels).item(),
        "Dunn": lambda: clustering.dunn_index(points, labels).item(),
    }


def calls(program: str, a: Any, b: Any, X: Any, y: Any) -> dict[str, Call]:
    """Return the calls of a program, by measure."""
    function = globals()[program.replace("-", "_")]
    found: dict[str, Call] = function(a, b, X, y)
    return found
