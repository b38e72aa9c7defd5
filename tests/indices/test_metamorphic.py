"""How each index must answer to a change of its input whose effect is known without computing it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.metrics.cluster import contingency_matrix, expected_mutual_information

import adjudge
from adjudge.engines.points import reduce_points
from adjudge.indices.internal_record import InternalIndex
from adjudge.indices.label_record import LabelIndex
from adjudge.indices.record import Index
from adjudge.statistics.agreement import Agreement
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.contingency import Contingency
from adjudge.statistics.moments import Scatter
from adjudge.statistics.pair_counts import PairCounts
from naive_density import TWINS, Given
from scatter_matrices import scatter_of

EXTERNAL = adjudge.list_indices("external")
CLASSIFICATION = [r for r in adjudge.list_indices("classification") if isinstance(r, LabelIndex)]
INTERNAL = [record for record in adjudge.list_indices("internal") if isinstance(record, InternalIndex)]
COMPARATIVE = adjudge.list_indices("comparative")
SELECTION = adjudge.list_indices("selection")
EXACT = {"rel": 1e-12, "abs": 1e-13}
CLOSE = {"rel": 1e-9, "abs": 1e-11}


def labels(seed: int, n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, n)
    return truth, np.where(rng.random(n) < 0.3, rng.integers(0, 5, n), truth)


def cloud(
    seed: int, n: int = 40, p: int = 3, k: int = 3, record: Index | None = None
) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.arange(n) % k)
    # Near neighbours say something only where clusters touch.
    spread = 1 if record is not None and "n_neighbors" in record.parameters else 3
    return rng.normal(size=(k, p))[codes] * spread + rng.normal(size=(n, p)), codes


def ids(record: Index) -> str:
    return record.name


# Labels: names and order of instances mean nothing.

NAMES = np.array(["z", "b", "a", "y", "q"])


# What happens when every instance is there m times: shares stay, counts of pairs do not.
UNCHANGED_BY_COPIES = {
    "purity", "inverse_purity", "classification_error", "larsen_aone", "bcubed_precision", "bcubed_recall",
    "bcubed_f", "element_centric", "pivoted_accuracy", "normalized_accuracy", "adjusted_asymmetric_accuracy",
    "pair_sets_index", "simplified_pair_sets_index", "entropy_true", "entropy_pred", "joint_entropy",
    "mutual_information", "nmi", "nmi_geometric", "nmi_min", "nmi_max", "nmi_joint", "homogeneity", "completeness",
    "v_measure", "variation_of_information", "normalized_variation_of_information",
    "normalized_information_distance", "ceaf_m", "ceaf_e", "ceaf_e_precision", "ceaf_e_recall",
    "exact_cluster_f", "exact_cluster_precision", "exact_cluster_recall", "merge_distance",
}  # fmt: skip


@pytest.mark.parametrize("record", EXTERNAL, ids=ids)
def test_external_indices_of_copies(record: Index) -> None:
    truth, pred = labels(1)
    value = record(truth, pred)
    counted = record(truth, pred, counts=np.full(truth.size, 3))
    assert counted == pytest.approx(record(np.tile(truth, 3), np.tile(pred, 3)), **EXACT)
    if record.name in UNCHANGED_BY_COPIES:
        assert counted == pytest.approx(value, **EXACT)
    elif record.name in ("van_dongen", "split_join"):
        assert counted == pytest.approx(3 * value, **EXACT)
    elif record.name == "mirkin":  # pairs of different originals only, m^2 of each
        assert counted == pytest.approx(9 * value, **EXACT)
    elif record.requires[0] is PairCounts:  # pairs of an instance with its own copy are joined by both
        p = Contingency.from_labels(truth, pred).pairs
        copied = PairCounts(9 * p.yy + 3 * truth.size, 9 * p.yn, 9 * p.ny, 9 * p.nn)
        assert counted == pytest.approx(record.of(copied), **EXACT)
        assert counted != pytest.approx(value, **EXACT)
    elif record.name.startswith(
        "ami"
    ):  # nothing but the expectation of the mutual information depends on the number of instances
        table = contingency_matrix(truth, pred)
        mutual, expected = (
            adjudge.mutual_information(truth, pred),
            expected_mutual_information(3 * table, 180),
        )
        best = mutual / getattr(adjudge, record.name.replace("ami", "nmi"))(truth, pred)
        assert counted == pytest.approx((mutual - expected) / (best - expected), rel=1e-7)


@pytest.mark.parametrize("record", CLASSIFICATION, ids=ids)
def test_scores_of_classifiers(record: Index) -> None:
    truth, pred = labels(2)
    value = record(truth, pred)
    order = np.random.default_rng(0).permutation(truth.size)
    same = pytest.approx(value, nan_ok=bool(record.undefined), **EXACT)
    assert record(truth[order], pred[order]) == same
    assert record(np.tile(truth, 3), np.tile(pred, 3)) == same
    if record.requires != (Confusion,):  # else the order of the classes matters
        assert record(NAMES[truth], NAMES[pred]) == same
        assert record((truth + 1) % 5, (pred + 1) % 5) == same


@pytest.mark.parametrize("record", COMPARATIVE, ids=ids)
@pytest.mark.parametrize("kind", ["clustering", "classification"])
def test_comparative_measures(record: Index, kind: str) -> None:
    truth, p = labels(3)
    q = labels(4)[1]
    value = record(truth, p, q, kind=kind)
    order = np.random.default_rng(0).permutation(truth.size)
    assert record(truth[order], p[order], q[order], kind=kind) == pytest.approx(value, **EXACT)
    named = record(NAMES[truth], NAMES[p], NAMES[q], kind=kind)
    assert named == pytest.approx(value, **EXACT)
    if kind == "clustering":
        assert record(truth, 9 - p, NAMES[q], kind=kind) == pytest.approx(value, **EXACT)
    swapped = record(truth, q, p, kind=kind)
    assert swapped == pytest.approx(SWAPPED[record.name](value, truth, p, q, kind), **CLOSE)
    copied = record(*(np.tile(labels, 4) for labels in (truth, p, q)), kind=kind)
    assert copied == pytest.approx(value, rel=1e-12 if kind == "classification" else 0.1)
    if kind == "clustering":
        m = Agreement.from_labels(truth, p, q, kind=kind)
        pairs = Agreement(
            16 * m.both_right + 6 * truth.size, 16 * m.right_wrong, 16 * m.wrong_right, 16 * m.both_wrong
        )
        assert copied == pytest.approx(record.of(pairs), **EXACT)


def share_right(truth: np.ndarray, labels: np.ndarray, kind: str) -> float:
    found: float = adjudge.rand(truth, labels) if kind == "clustering" else adjudge.accuracy(truth, labels)
    return found


def either_right(truth: np.ndarray, p: np.ndarray, q: np.ndarray, kind: str) -> float:
    m = Agreement.from_labels(truth, p, q, kind=kind)
    return 1 - m.both_wrong / m.total


# What a comparison says of the second model beside the first, from what it says of the first beside the second.
SWAPPED: dict[str, Callable[..., float]] = {
    "comparative_deviation": lambda v, g, p, q, kind: -v,
    "polarization": lambda v, g, p, q, kind: v + share_right(g, q, kind) - share_right(g, p, kind),
    "comparative_rightness": lambda v, g, p, q, kind: v * share_right(g, q, kind) / share_right(g, p, kind),
    "effective_rightness": lambda v, g, p, q, kind: (
        v + 2 * (share_right(g, q, kind) - share_right(g, p, kind)) / either_right(g, p, q, kind)
    ),
    "effective_superiority": lambda v, g, p, q, kind: (
        v + 2 * (share_right(g, q, kind) - share_right(g, p, kind))
    ),
}


# Points.

# The response to multiplying all coordinates by s, for N points, p variables and K clusters.
SCALED: dict[str, Callable[[float, float, int, int, int], float]] = {
    **dict.fromkeys(("ball_hall", "trace_w"), lambda v, s, n, p, k: v * s**2),
    "d_index": lambda v, s, n, p, k: v * s,
    "pbm": lambda v, s, n, p, k: v * s**2,
    "point_biserial": lambda v, s, n, p, k: v * s,
    "hubert_statistic": lambda v, s, n, p, k: v * s**2,
    # Without another partition alpha is its own separation, which is in units of the points, too.
    **dict.fromkeys(("sd_dis", "sd_validity"), lambda v, s, n, p, k: v / s),
    "ksq_detw": lambda v, s, n, p, k: v * s ** (2 * p),
    **dict.fromkeys(("widest_gap", "separation_index", "dunn_owa"), lambda v, s, n, p, k: v * s),
    "banfield_raftery": lambda v, s, n, p, k: v + 2 * n * math.log(s),
    "scott_symons": lambda v, s, n, p, k: v + 2 * n * p * math.log(s),
}
# Not free of the axes: these look at each column's variance.
TURNED = {"ratkowsky_lance", "sd_scat", "sd_validity", "s_dbw"}
# Free of any invertible linear map.
AFFINE = {"det_ratio", "log_det_ratio", "trace_wib", "size_entropy"}
# Free of what becomes of distances as long as their order stays.
RANKS = {"gamma", "g_plus", "tau", "tau_b", "aucc", "connectivity", "wcnn", "neighbor_consistency"}
# Single, complete and Hausdorff distances, and means of them, do not see that a point is there twice.
SAME_FOR_COPIES = {
    "ball_hall", "davies_bouldin", "det_ratio", "gdi13", "gdi23", "gdi33", "gdi43", "gdi53", "gdi63", "dunn", "gdi21",
    "gdi31", "gdi41", "gdi51", "gdi61", "wemmert_gancarski", "log_ss_ratio", "pbm", "ratkowsky_lance", "ray_turi",
    "sd_validity", "sd_dis", "sd_scat", "xie_beni", "trace_wib", "d_index", "s_dbw", "simplified_silhouette",
    "medoid_silhouette", "widest_gap", "separation_index", "wb_index", "cop", "size_entropy",
}  # fmt: skip
DOUBLED_FOR_COPIES = {"trace_w", "banfield_raftery", "scott_symons", "log_det_ratio"}


def value_of(record: InternalIndex, X: np.ndarray, codes: np.ndarray, **options: Any) -> float:
    # Clusters are small here: fewer neighbours are read.
    if "n_neighbors" in record.parameters:
        options["n_neighbors"] = 6
    return record(X, codes, **options)


@pytest.mark.full(keep=44)
@pytest.mark.parametrize("record", INTERNAL, ids=ids)
def test_order_names_and_places_do_not_matter(record: InternalIndex) -> None:
    for seed in range(2):
        X, codes = cloud(seed, record=record)
        value = value_of(record, X, codes)
        assert math.isfinite(value)
        order = np.random.default_rng(seed).permutation(len(X))
        assert value_of(record, X[order], codes[order]) == pytest.approx(value, **CLOSE)
        assert value_of(record, X, NAMES[codes]) == pytest.approx(value, **CLOSE)
        assert value_of(record, X[:, ::-1], codes) == pytest.approx(value, **CLOSE)
        assert value_of(record, -X, codes) == pytest.approx(value, **CLOSE)
        assert value_of(record, X + np.array([1e3, -50.0, 7.0]), codes) == pytest.approx(value, **CLOSE)


@pytest.mark.full(keep=129)
@pytest.mark.parametrize("record", INTERNAL, ids=ids)
@pytest.mark.parametrize("s", [2.0, 1e-6, 1e6])
def test_scaling(record: InternalIndex, s: float) -> None:
    X, codes = cloud(5, record=record)
    value, scaled = value_of(record, X, codes), value_of(record, X * s, codes)
    respond = SCALED.get(record.name, lambda v, *_: v)
    expected = respond(value, s, *X.shape, 3)
    assert scaled == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("record", INTERNAL, ids=ids)
def test_rotation(record: InternalIndex) -> None:
    X, codes = cloud(6, record=record)
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    value, turned = value_of(record, X, codes), value_of(record, X @ turn, codes)
    if record.name in TURNED:
        assert turned != pytest.approx(value, rel=1e-6)
    else:
        assert turned == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("record", INTERNAL, ids=ids)
def test_linear_maps(record: InternalIndex) -> None:
    X, codes = cloud(7, record=record)
    bent = X @ np.array([[2.0, 0.3, 0.0], [0.0, 0.5, 1.0], [0.7, 0.0, 3.0]])
    value, mapped = value_of(record, X, codes), value_of(record, bent, codes)
    assert (mapped == pytest.approx(value, rel=1e-9)) == (record.name in AFFINE)


@pytest.mark.parametrize("name", sorted(RANKS))
def test_ranks(name: str) -> None:
    record = adjudge.find_index(name, "internal")
    assert isinstance(record, InternalIndex)
    X, codes = cloud(8, record=record)
    distances = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    value = value_of(record, X, codes)
    for monotone in (np.sqrt, np.square, np.log1p):
        assert value_of(record, monotone(distances), codes, metric="precomputed") == pytest.approx(
            value, **EXACT
        )


@pytest.mark.full(keep=4)
@pytest.mark.parametrize("record", INTERNAL, ids=ids)
def test_copies_of_all_points(record: InternalIndex) -> None:
    if record.name in ("kbet", "scaled_clisi", "scaled_ilisi"):
        pytest.skip("half of the near points are copies then")
    X, codes = cloud(9, record=record)
    value, copied = value_of(record, X, codes), value_of(record, np.tile(X, (2, 1)), np.tile(codes, 2))
    if record.name in SAME_FOR_COPIES:
        assert copied == pytest.approx(value, rel=1e-9)
    elif record.name in DOUBLED_FOR_COPIES:
        assert copied == pytest.approx(2 * value, rel=1e-9)
    elif record.name == "calinski_harabasz":
        assert copied == pytest.approx(value * (80 - 3) / (40 - 3), rel=1e-9)
    elif record.name == "ksq_detw":
        assert copied == pytest.approx(value * 2**3, rel=1e-9)
    else:  # pairs of a point with its copy, at distance 0, are new
        assert copied == pytest.approx(WITH_COPIES[record.name](value, X, codes), rel=1e-9)
        assert copied != pytest.approx(value, rel=1e-9)


class Pairs:
    """Distances of a partition's pairs, apart, and those of each point there twice: all four times, and N zeros."""

    def __init__(self, X: np.ndarray, codes: np.ndarray) -> None:
        self.n, self.codes, self.D = len(X), codes, np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
        i, j = np.triu_indices(self.n, 1)
        self.all, joined = self.D[i, j], codes[i] == codes[j]
        self.within, self.between = self.all[joined], self.all[~joined]
        self.n_within, self.n_between = 4 * self.within.size + self.n, 4 * self.between.size
        self.total = self.n_within + self.n_between
        smaller = np.searchsorted(np.sort(self.within), self.between).sum()
        self.s_minus = 16 * (self.within.size * self.between.size - int(smaller))
        self.s_plus = 16 * int(smaller) + self.n * self.n_between

    def kendall(self, tied: int) -> float:
        pairs = math.comb(self.total, 2) - tied
        return (self.s_plus - self.s_minus) / math.sqrt(self.n_within * self.n_between * pairs)

    def c_index(self) -> float:
        every = np.sort(np.r_[np.zeros(self.n), np.repeat(self.all, 4)])
        low, high = every[: self.n_within].sum(), every[-self.n_within :].sum()
        return float((4 * self.within.sum() - low) / (high - low))

    def widths(self) -> np.ndarray:
        of = np.array([self.D[:, self.codes == k].sum(axis=1) for k in range(3)]).T
        sizes = np.bincount(self.codes)
        own = of[np.arange(self.n), self.codes] * 2 / (2 * sizes[self.codes] - 1)
        means = of / sizes
        means[np.arange(self.n), self.codes] = math.inf
        other = means.min(axis=1)
        return np.asarray((other - own) / np.maximum(own, other))

    def diameters(self, copies: int) -> float:
        """The largest mean distance of a cluster's pairs."""
        sums = [self.D[np.ix_(self.codes == k, self.codes == k)].sum() for k in range(3)]
        sizes = copies * np.bincount(self.codes)
        return float(max(copies**2 * s / (m * (m - 1)) for s, m in zip(sums, sizes, strict=True)))


def copied_ccc(X: np.ndarray, codes: np.ndarray) -> float:
    scatter = reduce_points(X, codes, [Scatter])[Scatter]
    return adjudge.ccc.of(scatter_of(2 * scatter.n, scatter.k, 2 * scatter.within, 2 * scatter.between))


WITH_COPIES: dict[str, Callable[[float, np.ndarray, np.ndarray], float]] = {
    "mcclain_rao": lambda v, X, y: v * 4 * Pairs(X, y).within.size / Pairs(X, y).n_within,
    "point_biserial": lambda v, X, y: (
        (4 * Pairs(X, y).within.sum() / Pairs(X, y).n_within - Pairs(X, y).between.mean())
        * math.sqrt(Pairs(X, y).n_within * Pairs(X, y).n_between)
        / Pairs(X, y).total
    ),
    "c_index": lambda v, X, y: Pairs(X, y).c_index(),
    "gamma": lambda v, X, y: 1 - 2 * Pairs(X, y).s_minus / (Pairs(X, y).s_plus + Pairs(X, y).s_minus),
    "g_plus": lambda v, X, y: Pairs(X, y).s_minus / math.comb(Pairs(X, y).total, 2),
    "tau": lambda v, X, y: Pairs(X, y).kendall(0),
    "tau_b": lambda v, X, y: Pairs(X, y).kendall(6 * Pairs(X, y).all.size + math.comb(len(X), 2)),
    "silhouette": lambda v, X, y: float(Pairs(X, y).widths().mean()),
    "silhouette_macro": lambda v, X, y: float(
        np.mean([Pairs(X, y).widths()[y == k].mean() for k in range(3)])
    ),
    **dict.fromkeys(
        (f"gdi{i}2" for i in range(1, 7)),
        lambda v, X, y: v * Pairs(X, y).diameters(1) / Pairs(X, y).diameters(2),
    ),
    "hubert_statistic": lambda v, X, y: v * 2 * (len(X) - 1) / (2 * len(X) - 1),
    "ccc": lambda v, X, y: copied_ccc(X, y),
    # What looks at near points finds the copies there: by their definitions.
    **{
        name: lambda v, X, y, twin=twin: twin(Given(np.tile(X, (2, 1)), np.tile(y, 2), 6))
        for name, twin in TWINS.items()
        if name not in SAME_FOR_COPIES
    },
}


def test_every_response_is_of_an_index() -> None:
    """A name that is no longer there would declare nothing."""
    names = {record.name for record in INTERNAL}
    declared = (SCALED, TURNED, AFFINE, RANKS, SAME_FOR_COPIES, DOUBLED_FOR_COPIES, WITH_COPIES)
    assert all(name in names for names_of in declared for name in names_of)
    assert {record.name for record in EXTERNAL} >= UNCHANGED_BY_COPIES
    assert {record.name for record in COMPARATIVE} == set(SWAPPED)
    assert {record.name for record in SELECTION} == set(SWEEPS) | {"gap"} | MIXTURES | RESAMPLED


# Criteria for K.

# Responses to a scale s, as a power of it, and to each of n points there twice, at the level of k clusters.
SWEEPS: dict[str, tuple[float, Callable[..., float]]] = {
    "krzanowski_lai": (0, lambda v, n, k: v),
    "hartigan": (0, lambda v, n, k: v * (2 * n - k - 1) / (n - k - 1)),
    "hartigan_drop": (0, lambda v, n, k: v * (2 * n - k - 1) / (n - k - 1)),
    "ball_drop": (2, lambda v, n, k: v),
    "friedman": (0, lambda v, n, k: v),
    "scott": (0, lambda v, n, k: 2 * v),
    "trcovw": (4, lambda v, n, k: 4 * v),
    "duda": (0, lambda v, n, k: v),
    "pseudo_t2": (0, lambda v, n, k: v),
    "beale": (0, lambda v, n, k: v),
    "frey": (0, lambda v, n, k: v),
    "cvnn": (0, lambda v, n, k: v),
    "nci": (0, lambda v, n, k: v),
}
# Two count the points of the cluster that splits, and Frey's the pairs: their responses are tried apart. Copies are
# near neighbours of their own.
OF_SPLITS = {"pseudo_t2", "beale", "frey", "cvnn", "nci"}
MIXTURES = {"bic", "aic", "icl"}
RESAMPLED = {"prediction_strength", "instability", "ambiguous_clustering"}


def levels(X: np.ndarray, linkage: str = "ward") -> dict[int, np.ndarray]:
    from scipy.cluster.hierarchy import fcluster
    from scipy.cluster.hierarchy import linkage as tree

    return {k: fcluster(tree(X, linkage), k, "maxclust") for k in range(1, 7)}


def close(found: dict[int, float], wanted: dict[int, float]) -> None:
    assert set(found) == set(wanted)
    for k, value in wanted.items():
        assert found[k] == pytest.approx(value, rel=1e-8, nan_ok=True), k


@pytest.mark.parametrize("name", sorted(SWEEPS))
def test_criteria_of_sweeps(name: str) -> None:
    record = adjudge.find_index(name, "selection")
    X, _ = cloud(11, n=60)
    partitions = levels(X)
    values = record(X, partitions)
    assert any(math.isfinite(value) for value in values.values())
    order = np.random.default_rng(0).permutation(len(X))
    close(record(X[order], {k: y[order] for k, y in partitions.items()}), values)
    close(record(X, {k: NAMES_OF_SIX[y - 1] for k, y in partitions.items()}), values)
    close(record(X + np.array([1e3, -50.0, 7.0]), partitions), values)
    close(record(-X[:, ::-1], partitions), values)
    power, copied = SWEEPS[name]
    for s in (2.0, 1e-5, 1e5):
        close(record(X * s, partitions), {k: v * s**power for k, v in values.items()})
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    if name == "trcovw":  # the covariance of a matrix's columns looks at the axes
        assert record(X @ turn, partitions)[3] != pytest.approx(values[3], rel=1e-6)
    else:
        close(record(X @ turn, partitions), values)
    if name in OF_SPLITS:
        return
    doubled = record(np.tile(X, (2, 1)), {k: np.tile(y, 2) for k, y in partitions.items()})
    close(doubled, {k: copied(v, len(X), k) for k, v in values.items()})


NAMES_OF_SIX = np.array(["z", "b", "a", "y", "q", "c"])


def test_copies_for_criteria_of_splits() -> None:
    X, _ = cloud(11, n=60)
    partitions = levels(X)
    twice = np.tile(X, (2, 1)), {k: np.tile(y, 2) for k, y in partitions.items()}
    t2, beale = adjudge.pseudo_t2(X, partitions), adjudge.beale(X, partitions)
    splits = {k: _size_of_split(partitions[k], partitions[k + 1]) for k in t2}
    close(adjudge.pseudo_t2(*twice), {k: v * (2 * splits[k] - 2) / (splits[k] - 2) for k, v in t2.items()})

    def norm(n: int) -> float:
        return (n - 1) / (n - 2) * 2 ** (2 / 3) - 1

    close(adjudge.beale(*twice), {k: v * norm(splits[k]) / norm(2 * splits[k]) for k, v in beale.items()})
    frey = adjudge.frey(X, partitions)
    means = {k: Pairs(X, y) for k, y in partitions.items()}
    within = {k: 4 * m.within.sum() / m.n_within for k, m in means.items()}
    between = {k: m.between.mean() for k, m in means.items() if m.between.size}
    wanted = {
        k: (between[k + 1] - between[k]) / (within[k + 1] - within[k]) for k in between if k + 1 in between
    }
    found = adjudge.frey(*twice)
    close({k: found[k] for k in wanted}, wanted)
    assert set(wanted) <= set(frey)


def _size_of_split(coarse: np.ndarray, fine: np.ndarray) -> int:
    """Points of the only cluster of one level that is two at the next."""
    (size,) = (int((coarse == k).sum()) for k in np.unique(coarse) if np.unique(fine[coarse == k]).size == 2)
    return size


def test_criteria_that_draw_or_fit() -> None:
    """With one seed, what is drawn is drawn alike: a move and a power of two change no partition and no draw."""
    X, _ = cloud(12, n=50)
    options = {"k": [2, 3, 4], "n_init": 2, "random_state": 0}
    drawn = {"indices": ["gap", *sorted(RESAMPLED)], "n_references": 10, "stability": 10, **options}
    values, scaled, moved = (adjudge.choose_k(Y, **drawn).values for Y in (X, 4 * X, X + 8.0))
    for name in ("gap", *RESAMPLED):
        close(scaled[name], values[name])
        close(moved[name], values[name])
    fitted = {
        "estimator": "gaussian_mixture",
        "indices": sorted(MIXTURES),
        **options,
        "k": [2, 3],
        "n_init": 1,
    }
    values, scaled, moved = (adjudge.choose_k(Y, **fitted).values for Y in (X, 4 * X, X + 8.0))
    for name in MIXTURES:  # a density in other units; the least variance that a fit allows is a constant
        wanted = {k: v + 2 * X.size * math.log(4) for k, v in values[name].items()}
        assert scaled[name] == pytest.approx(wanted, rel=1e-4)
        assert moved[name] == pytest.approx(values[name], rel=1e-6)


def test_a_farther_cluster_is_better() -> None:
    """Clusters that do not touch, moved further apart: an improvement to every index with a direction."""
    X, codes = cloud(10)
    X = X + np.array([[0.0, 0, 0], [40, 0, 0], [0, 40, 0]])[codes]
    farther = X + np.array([[0.0, 0, 0], [40, 0, 0], [0, 40, 0]])[codes]
    for record in INTERNAL:
        if record.better is None:
            continue
        before, after = value_of(record, X, codes), value_of(record, farther, codes)
        if before == after:
            continue
        change = after - before if record.better == "higher" else before - after
        assert change >= -1e-9 * abs(before), record.name
