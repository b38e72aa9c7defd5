"""Random cases, thousands with --hypothesis-profile=deep, against independent implementations.

scikit-learn, SciPy and genieclust; permetrics, clusim and torchmetrics where they are installed (make test-peers).
Values of R's packages are stored: test_external_golden.py.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from scipy import optimize, stats
from scipy.spatial import distance
from scipy.stats import contingency
from sklearn import metrics

import adjudge
from adjudge.kernels.hypergeometric import deviance_of_large_mean, expected_deviance

CLOSE = {"rel": 1e-9, "abs": 1e-11}

# How many random cases; a deeper profile tries twenty times as many.
CASES = 100 * settings.default.max_examples // 60


def joined(labels: np.ndarray) -> np.ndarray:
    """Return whether each pair of instances is joined."""
    return (labels[:, None] == labels)[np.triu_indices(labels.size, 1)]


def of_pairs(function: Callable[..., float], **options: Any) -> Callable[..., float]:
    """What compares two vectors of truth values compares partitions, too: by the pairs that they join."""
    return lambda truth, pred: function(joined(truth), joined(pred), **options)


def similarity(distance: Callable[..., float]) -> Callable[..., float]:
    return lambda truth, pred: 1 - distance(joined(truth), joined(pred))


def entropy_of(labels: np.ndarray) -> float:
    return float(stats.entropy(np.unique(labels, return_counts=True)[1]))


def joint_entropy_of(truth: np.ndarray, pred: np.ndarray) -> float:
    return float(stats.entropy(contingency.crosstab(truth, pred).count.ravel()))


def matched(truth: np.ndarray, pred: np.ndarray) -> float:
    """Share of the instances that the best assignment of clusters to classes gets right."""
    table = contingency.crosstab(truth, pred).count
    return float(table[optimize.linear_sum_assignment(-table)].sum() / truth.size)


def largest(truth: np.ndarray, pred: np.ndarray) -> float:
    return float(contingency.crosstab(truth, pred).count.max(axis=0).sum() / truth.size)


def nmi(average: str) -> Callable[..., float]:
    return lambda truth, pred: metrics.normalized_mutual_info_score(truth, pred, average_method=average)


def ami(average: str) -> Callable[..., float]:
    return lambda truth, pred: metrics.adjusted_mutual_info_score(truth, pred, average_method=average)


def joined_apart(truth: np.ndarray, pred: np.ndarray) -> float:
    """McNemar's statistic, with the sign that tells which partition joins more."""
    from statsmodels.stats.contingency_tables import mcnemar

    table = metrics.cluster.pair_confusion_matrix(truth, pred) // 2
    found = mcnemar(table, exact=False, correction=False)
    return float(np.sqrt(found.statistic) * np.sign(table[1, 0] - table[0, 1]))


SCIKIT_LEARN: dict[str, Callable[..., float]] = {
    "adjusted_rand": metrics.adjusted_rand_score,
    "rand": metrics.rand_score,
    "ami": metrics.adjusted_mutual_info_score,
    "ami_geometric": ami("geometric"),
    "ami_min": ami("min"),
    "ami_max": ami("max"),
    "nmi": metrics.normalized_mutual_info_score,
    "nmi_geometric": nmi("geometric"),
    "nmi_min": nmi("min"),
    "nmi_max": nmi("max"),
    "mutual_information": metrics.mutual_info_score,
    "homogeneity": metrics.homogeneity_score,
    "completeness": metrics.completeness_score,
    "v_measure": metrics.v_measure_score,
    "fowlkes_mallows": metrics.fowlkes_mallows_score,
    "pair_precision": of_pairs(metrics.precision_score, zero_division=0),
    "pair_recall": of_pairs(metrics.recall_score, zero_division=0),
    "pair_f": of_pairs(metrics.f1_score, zero_division=0),
    "pair_phi": of_pairs(metrics.matthews_corrcoef),
    "adjusted_rand ": of_pairs(metrics.cohen_kappa_score),  # the same of pairs
    "accuracy": metrics.accuracy_score,
    "balanced_accuracy": metrics.balanced_accuracy_score,
    # Over the classes of the truth: an answer that names none of them makes no class.
    "macro_f1": lambda t, p: metrics.f1_score(t, p, labels=np.unique(t), average="macro", zero_division=0),
    "cohen_kappa": metrics.cohen_kappa_score,
    "matthews_correlation": metrics.matthews_corrcoef,
}
SCIPY: dict[str, Callable[..., float]] = {
    "jaccard": similarity(distance.jaccard),
    "pair_f": similarity(distance.dice),
    "rogers_tanimoto": similarity(distance.rogerstanimoto),
    "russell_rao": similarity(distance.russellrao),
    "sokal_sneath1": similarity(distance.sokalsneath),
    "goodman_kruskal": similarity(distance.yule),
    "rand": similarity(distance.hamming),
    "hamann": lambda t, p: 1 - 2 * distance.hamming(joined(t), joined(p)),
    "mirkin": lambda t, p: 2 * distance.hamming(joined(t), joined(p)) * joined(t).size,
    "fowlkes_mallows": lambda t, p: 1 - distance.cosine(joined(t).astype(float), joined(p).astype(float)),
    "entropy_true": lambda t, p: entropy_of(t),
    "entropy_pred": lambda t, p: entropy_of(p),
    "joint_entropy": joint_entropy_of,
    "mutual_information": lambda t, p: entropy_of(t) + entropy_of(p) - joint_entropy_of(t, p),
    "variation_of_information": lambda t, p: 2 * joint_entropy_of(t, p) - entropy_of(t) - entropy_of(p),
    "normalized_variation_of_information": lambda t, p: (
        2 - (entropy_of(t) + entropy_of(p)) / joint_entropy_of(t, p)
    ),
    "nmi_joint": lambda t, p: (entropy_of(t) + entropy_of(p)) / joint_entropy_of(t, p) - 1,
    "classification_error": lambda t, p: 1 - matched(t, p),
    "purity": largest,
    "inverse_purity": lambda t, p: largest(p, t),
    "van_dongen": lambda t, p: t.size * (2 - largest(t, p) - largest(p, t)),
}
STATSMODELS: dict[str, Callable[..., float]] = {"pair_mcnemar": joined_apart}


def peer(package: str, names: dict[str, str]) -> dict[str, Callable[..., float]]:
    """Functions of a module by our names; those that its version lacks are left out."""
    module: Any = importlib.import_module(package)
    return {ours: getattr(module, theirs) for ours, theirs in names.items() if hasattr(module, theirs)}


def genieclust() -> dict[str, Callable[..., float]]:
    pytest.importorskip("genieclust", reason="genieclust is not installed")
    names = {
        "adjusted_rand": "adjusted_rand_score",
        "rand": "rand_score",
        "fowlkes_mallows": "fm_score",
        "adjusted_fowlkes_mallows": "adjusted_fm_score",
        "mutual_information": "mi_score",
        "nmi": "normalized_mi_score",
        "ami": "adjusted_mi_score",
        "adjusted_asymmetric_accuracy": "normalized_clustering_accuracy",
        "normalized_accuracy": "normalized_pivoted_accuracy",
        "pair_sets_index": "pair_sets_index",
    }

    def squarely(function: Callable[..., float]) -> Callable[..., float]:
        """Their accuracies want as many clusters as there are classes."""
        return lambda t, p: function(t, p) if np.unique(t).size == np.unique(p).size else math.nan

    found = peer("genieclust.compare_partitions", names)
    for name in found.keys() & {"normalized_accuracy", "adjusted_asymmetric_accuracy"}:
        found[name] = squarely(found[name])
    if "pair_sets_index" in found:
        psi: Any = found["pair_sets_index"]
        found["simplified_pair_sets_index"] = lambda t, p: psi(t, p, simplified=True)
    return found


def permetrics() -> dict[str, Callable[..., float]]:
    pytest.importorskip("permetrics", reason="permetrics is not installed: make test-peers")
    from permetrics import ClusteringMetric

    names = {
        "adjusted_rand": "adjusted_rand_score",
        "rand": "rand_score",
        "fowlkes_mallows": "fowlkes_mallows_score",
        # Not homogeneity, completeness and their mean, which are other numbers there for some partitions.
        "mutual_information": "mutual_info_score",
        "nmi": "normalized_mutual_info_score",
        "pair_precision": "precision_score",
        "pair_recall": "recall_score",
        "pair_f": "f_measure_score",
        "jaccard": "jaccard_score",
        "kulczynski": "kulczynski_score",
        "rogers_tanimoto": "rogers_tanimoto_score",
        "russell_rao": "russel_rao_score",
        "sokal_sneath1": "sokal_sneath1_score",
        "gower_legendre": "sokal_sneath2_score",
        "purity": "purity_score",
    }

    def caller(method: str) -> Callable[..., float]:
        def call(t: np.ndarray, p: np.ndarray) -> float:
            try:
                found: float = getattr(ClusteringMetric(y_true=t, y_pred=p), method)(force_finite=False)
            except ValueError:  # it has no value for these
                return math.nan
            return found

        return call

    return {ours: caller(theirs) for ours, theirs in names.items()}


def clusim() -> dict[str, Callable[..., float]]:
    pytest.importorskip("clusim", reason="clusim is not installed: make test-peers")
    from clusim import sim
    from clusim.clustering import Clustering

    functions: dict[str, Callable[..., float]] = {
        "rand": sim.rand_index,
        "adjusted_rand": lambda a, b: sim.adjrand_index(a, b, random_model="perm"),
        "jaccard": sim.jaccard_index,
        "pair_f": sim.dice_index,
        "fowlkes_mallows": sim.fowlkes_mallows_index,
        "rogers_tanimoto": sim.rogers_tanimoto_index,
        "nmi": lambda a, b: sim.nmi(a, b, norm_type="sum"),
        "nmi_max": lambda a, b: sim.nmi(a, b, norm_type="max"),
        "nmi_min": lambda a, b: sim.nmi(a, b, norm_type="min"),
        "nmi_geometric": lambda a, b: sim.nmi(a, b, norm_type="sqrt"),
        "mutual_information": lambda a, b: sim.mi(a, b) * math.log(2),
        "variation_of_information": lambda a, b: sim.vi(a, b, norm_type="none") * math.log(2),
        # Not the classification error, which is not that of the best assignment there, nor purity.
        "element_centric": sim.element_sim,
    }

    def caller(function: Callable[..., float]) -> Callable[..., float]:
        def call(t: np.ndarray, p: np.ndarray) -> float:
            a, b = (Clustering().from_membership_list(labels.tolist()) for labels in (t, p))
            return function(a, b)

        return call

    return {ours: caller(theirs) for ours, theirs in functions.items()}


def torchmetrics() -> dict[str, Callable[..., float]]:
    pytest.importorskip("torchmetrics", reason="torchmetrics is not installed: make test-peers")
    import torch

    names = {
        "adjusted_rand": "adjusted_rand_score",
        "rand": "rand_score",
        "fowlkes_mallows": "fowlkes_mallows_index",
        "homogeneity": "homogeneity_score",
        "completeness": "completeness_score",
        # Not v_measure, which is 1 there where homogeneity and completeness are 0.
        "mutual_information": "mutual_info_score",
        "nmi": "normalized_mutual_info_score",
        "ami": "adjusted_mutual_info_score",
    }

    def caller(function: Callable[..., Any]) -> Callable[..., float]:
        return lambda t, p: float(function(torch.as_tensor(p), torch.as_tensor(t)))

    return {k: caller(f) for k, f in peer("torchmetrics.functional.clustering", names).items()}


PROGRAMS: dict[str, Callable[[], dict[str, Callable[..., float]]]] = {
    "scikit-learn": lambda: SCIKIT_LEARN,
    "scipy": lambda: SCIPY,
    "statsmodels": lambda: STATSMODELS if importlib.util.find_spec("statsmodels") else {},
    "genieclust": genieclust,
    "permetrics": permetrics,
    "clusim": clusim,
    "torchmetrics": torchmetrics,
}
# torchmetrics computes in single precision.
COARSE = {"torchmetrics": {"rel": 2e-4, "abs": 2e-5}}


def random_labels(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    truth = rng.integers(0, rng.integers(2, 7), n)
    pred = np.where(rng.random(n) < rng.random(), rng.integers(0, rng.integers(2, 7), n), truth)
    # Some programs take labels for positions, and see clusters without instances in the gaps.
    return np.unique(truth, return_inverse=True)[1], np.unique(pred, return_inverse=True)[1]


@pytest.mark.full
@pytest.mark.parametrize("program", PROGRAMS)
def test_labels(program: str) -> None:
    """Each index of labels against each program that has it."""
    theirs = PROGRAMS[program]()
    cases = CASES if program in ("scipy", "genieclust") else CASES // 2
    rng = np.random.default_rng(11)
    compared = dict.fromkeys(theirs, 0)
    for _ in range(cases):
        truth, pred = random_labels(rng, int(rng.integers(4, 40)))
        # Where nothing is joined, or all is, programs have conventions of their own.
        if not all(1 < np.unique(labels).size < labels.size for labels in (truth, pred)):
            continue
        for name, function in theirs.items():
            value = getattr(adjudge, name.strip())(truth, pred)
            if not math.isfinite(
                value
            ):  # they have a number for everything; where we have none, a reason says why
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = function(truth, pred)
            if math.isnan(found):
                continue
            case = name, truth.tolist(), pred.tolist()
            assert value == pytest.approx(float(found), **COARSE.get(program, CLOSE)), case
            compared[name] += 1
    assert all(count > cases // 10 for count in compared.values()), compared


def point_biserial(X: np.ndarray, codes: np.ndarray) -> float:
    d = distance.pdist(X)
    return float(stats.pointbiserialr(joined(codes), d).statistic * d.std())


def gamma(X: np.ndarray, codes: np.ndarray) -> float:
    """Goodman and Kruskal's gamma out of the concordant and discordant pairs of the cross-table of ranks."""
    d = distance.pdist(X)
    table = stats.contingency.crosstab(joined(codes) < 1, d).count
    below = np.cumsum(table[0]) - table[0]
    above = table[0].sum() - table[0] - below
    plus, minus = (below * table[1]).sum(), (above * table[1]).sum()
    return float((plus - minus) / (plus + minus))


def hausdorff(X: np.ndarray, codes: np.ndarray) -> float:
    """The generalised Dunn index of Hausdorff's distance and complete diameters."""
    parts = [X[codes == k] for k in np.unique(codes)]
    apart = min(
        max(distance.directed_hausdorff(a, b)[0], distance.directed_hausdorff(b, a)[0])
        for i, a in enumerate(parts)
        for b in parts[:i]
    )
    return float(apart / max(distance.pdist(part).max() for part in parts))


OF_POINTS: dict[str, dict[str, Callable[..., float]]] = {
    "scikit-learn": {
        "silhouette": metrics.silhouette_score,
        "calinski_harabasz": metrics.calinski_harabasz_score,
        "davies_bouldin": metrics.davies_bouldin_score,
        "silhouette_macro": lambda X, y: float(
            np.mean([metrics.silhouette_samples(X, y)[y == k].mean() for k in np.unique(y)])
        ),
    },
    "scipy": {
        "tau_b": lambda X, y: stats.kendalltau(distance.pdist(X), ~joined(y), method="asymptotic").statistic,
        "gamma": gamma,
        "point_biserial": point_biserial,
        "gdi61": hausdorff,
        "mcclain_rao": lambda X, y: (
            distance.pdist(X)[joined(y)].mean() / distance.pdist(X)[~joined(y)].mean()
        ),
    },
}


def genieclust_of_points() -> dict[str, Callable[..., float]]:
    pytest.importorskip("genieclust", reason="genieclust is not installed")
    v: Any = importlib.import_module("genieclust.cluster_validity")
    found: dict[str, Callable[..., float]] = {
        "calinski_harabasz": v.calinski_harabasz_index,
        "silhouette": v.silhouette_index,
        "silhouette_macro": v.silhouette_w_index,
        "davies_bouldin": lambda X, y: -v.negated_davies_bouldin_index(X, y),
        # Theirs is a sum over the clusters.
        "ball_hall": lambda X, y: -v.negated_ball_hall_index(X, y) / np.unique(y).size,
    }

    def dunn(i: int, j: int) -> Callable[..., float]:
        # Their second diameter is half a mean distance.
        share = 0.5 if j == 2 else 1.0
        return lambda X, y: share * v.generalised_dunn_index(X, y, lowercase_d=i, uppercase_d=j)

    for i in range(1, 6):
        for j in range(1, 4):
            found["dunn" if i == j == 1 else f"gdi{i}{j}"] = dunn(i, j)
    return found


def permetrics_of_points() -> dict[str, Callable[..., float]]:
    pytest.importorskip("permetrics", reason="permetrics is not installed: make test-peers")
    from permetrics import ClusteringMetric

    names = {
        "calinski_harabasz": "calinski_harabasz_index",
        "banfield_raftery": "banfeld_raftery_index",
        "davies_bouldin": "davies_bouldin_index",
        "det_ratio": "det_ratio_index",
        # Not dunn, ksq_detw and xie_beni, which are other quantities there.
        "log_det_ratio": "log_det_ratio_index",
        "silhouette": "silhouette_index",
        "trace_w": "sum_squared_error_index",
    }

    def caller(method: str) -> Callable[..., float]:
        return lambda X, y: getattr(ClusteringMetric(X=X, y_pred=y), method)(force_finite=False)

    return {ours: caller(theirs) for ours, theirs in names.items()}


PROGRAMS_OF_POINTS: dict[str, Callable[[], dict[str, Callable[..., float]]]] = {
    "scikit-learn": lambda: OF_POINTS["scikit-learn"],
    "scipy": lambda: OF_POINTS["scipy"],
    "genieclust": genieclust_of_points,
    "permetrics": permetrics_of_points,
}


def random_points(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    n, p, k = int(rng.integers(12, 40)), int(rng.integers(1, 5)), int(rng.integers(2, 6))
    codes = rng.permutation(np.arange(n) % k)
    scale = 10.0 ** rng.integers(-3, 4)
    return (rng.normal(size=(k, p))[codes] * rng.random() * 5 + rng.normal(size=(n, p))) * scale, codes


@pytest.mark.full
@pytest.mark.parametrize("program", PROGRAMS_OF_POINTS)
def test_points(program: str) -> None:
    """Each criterion from points against each program that has it."""
    theirs = PROGRAMS_OF_POINTS[program]()
    rng = np.random.default_rng(14)
    for _ in range(CASES):
        X, codes = random_points(rng)
        for name, function in theirs.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = float(function(X, codes))
            case = name, X.tolist(), codes.tolist()
            assert getattr(adjudge, name)(X, codes) == pytest.approx(found, rel=1e-8, abs=1e-10), case


@pytest.mark.parametrize(
    ("row", "col", "n"), [(0.99e8, 2.97e8, 3e8), (4e8, 2e8, 8.1e8), (1.9e8, 1.9e8, 3.7e8), (3e9, 1e8, 3.1e9)]
)
def test_expectation_of_a_large_cell(row: float, col: float, n: float) -> None:
    """The expansion for large cells against the sum over all counts, on both sides of where one takes over."""
    assert deviance_of_large_mean(row * col / n, row, col, n) == pytest.approx(
        expected_deviance(row, col, n), rel=1e-12
    )
