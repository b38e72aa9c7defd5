"""Criteria over a sweep, of dispersion and of ranks, and rules for K, beside plain sums and definitions."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import pdist

import adjudge
import naive_choose_k as naive
from adjudge import find_index
from adjudge.engines.labellings import sweep_of_labels
from adjudge.engines.points import reduce_coded_points
from adjudge.indices.compat import as_clustercrit
from adjudge.indices.cvnn_index import cvnn_of
from adjudge.indices.record import Noted
from adjudge.indices.rules import RULES, vote_of_gap
from adjudge.statistics.moments import Moments, Scatter
from adjudge.statistics.pair_distances import DistanceTies, PairRanks, PairSums

Labels = dict[int, np.ndarray]


def grown(n: int, kinds: int, seed: int) -> tuple[np.ndarray, Labels]:
    """Points, and partitions by their order along the first axis, from one cluster on; each worse for odd seeds."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)) + 2.0 * rng.integers(0, 3, n)[:, None]
    ranks = np.argsort(np.argsort(X[:, 0]))
    labels = {k: ranks * k // n for k in range(1, kinds + 1)}
    if seed % 2:
        for k, codes in labels.items():
            moved = rng.permutation(n)[: n * (k - 1) // kinds]
            codes[moved] = codes[rng.permutation(moved)]
    return X, labels


def correlation(X: np.ndarray, codes: np.ndarray) -> float:
    k = codes.max() + 1
    if k == 1:
        away = np.linalg.norm(X - X.mean(axis=0), axis=1)
        return float(away.std(ddof=1) / (away.max() - away.min()))
    centres = np.array([X[codes == c].mean(axis=0) for c in range(k)])[codes]
    return float(np.corrcoef(pdist(X), pdist(centres))[0, 1])


def nci_by_definition(X: np.ndarray, labels: Labels) -> dict[int, float]:
    value = {k: correlation(X, codes) for k, codes in labels.items()}
    gain = {k: (value[k + 1] - value[k]) / (1 - value[k]) for k in value if k + 1 in value}
    ks = [k for k in value if k - 1 in gain and k in gain]
    ratio = {k: gain[k - 1] / gain[k] if gain[k] > 0 else math.copysign(math.inf, gain[k - 1]) for k in ks}
    finite = [r for r in ratio.values() if math.isfinite(r)]
    if len(finite) == len(ks):
        return ratio
    if not finite:
        return dict.fromkeys(ks, math.nan)
    ends = {math.inf: max(finite), -math.inf: min(finite)}
    return {k: ends.get(r, r) + gain[k - 1] - gain[k] for k, r in ratio.items()}


@pytest.mark.parametrize("seed", range(6))
def test_nci(seed: int) -> None:
    X, labels = grown(40, 7, seed)
    expected = nci_by_definition(X, labels)
    found = adjudge.nci(X, labels)
    assert set(found) >= set(expected)
    for k, value in expected.items():
        assert found[k] == pytest.approx(value, rel=1e-9, nan_ok=True), k


def test_the_quotients_of_nci_are_infinite_in_both_directions() -> None:
    """Else the replacement of one of them is not seen."""
    kinds = set()
    for seed in range(6):
        X, labels = grown(40, 7, seed)
        value = {k: correlation(X, codes) for k, codes in labels.items()}
        rises = {k: value[k + 1] > value[k] for k in value if k + 1 in value}
        kinds |= {rises[k - 1] for k in rises if k - 1 in rises and not rises[k]}
    assert kinds == {True, False}


def test_an_undefined_correlation_leaves_the_other_quotients_of_nci_alone() -> None:
    """Clusters whose centroids coincide have no correlation; it counted as an infinite quotient."""
    half = np.random.default_rng(0).integers(-9, 10, size=(20, 2)) * [3.0, 1.0]
    X = np.r_[half, -half]
    ranks = np.argsort(np.argsort(X[:, 0]))
    labels = {k: ranks * k // 40 for k in (1, 2, 3, 4)}
    before = nci_by_definition(X, labels)
    assert all(map(math.isfinite, before.values()))
    found = adjudge.nci(X, {**labels, 5: np.arange(40) % 20 % 5})
    assert math.isnan(found[4])
    assert {k: found[k] for k in before} == pytest.approx(before)


def test_centroids_that_coincide_up_to_rounding_have_no_correlation() -> None:
    half = np.random.default_rng(0).normal(size=(20, 2))
    assert math.isnan(adjudge.centroid_correlation(np.r_[half, -half], np.arange(40) % 20 % 5))
    assert math.isnan(adjudge.centroid_correlation(1e-50 * np.r_[half, -half], np.arange(40) % 20 % 5))


def test_nci_without_a_finite_quotient_or_without_a_correlation() -> None:
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    same = {k: np.arange(4) % k for k in (1, 2, 3)}
    record = find_index("nci")
    equal = sweep_of_labels(np.zeros((4, 1)), same, record.reads, record.neighbours)  # type: ignore[attr-defined]
    (none,) = {value.reason for value in record.over(equal).values() if isinstance(value, Noted)}  # type: ignore[attr-defined]
    assert none == "a correlation is undefined"
    worse = {1: np.zeros(4, int), 2: np.array([0, 0, 1, 1]), 3: np.array([0, 1, 2, 0])}
    assert correlation(X, worse[3]) < correlation(X, worse[2])
    found = record.over(sweep_of_labels(X, worse, record.reads, record.neighbours))[2]  # type: ignore[attr-defined]
    assert isinstance(found, Noted)
    assert found.reason == "no partition has a finite quotient"


def cvnn_by_definition(
    X: np.ndarray, labels: Labels, n_neighbors: int, compactness: str, limit_to_size: bool
) -> dict[int, float]:
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    np.fill_diagonal(distances, np.inf)
    near = np.argsort(distances, axis=1, kind="stable")
    foreign, compact = {}, {}
    for k, codes in labels.items():
        shares = []
        for c in range(codes.max() + 1):
            others = max(1, (codes == c).sum() - 1)
            m = min(n_neighbors, others) if limit_to_size else n_neighbors
            shares.append((codes[near[codes == c, :m]] != c).mean())
        foreign[k] = max(shares)
        within = [pdist(X[codes == c]) for c in range(codes.max() + 1)]
        if compactness == "sum":
            compact[k] = sum(own.mean() for own in within if own.size)
        else:
            compact[k] = np.concatenate(within).mean()
    most, widest = max(foreign.values()), max(compact.values())
    return {k: foreign[k] / most + compact[k] / widest for k in labels}


@pytest.mark.parametrize("compactness", ["pooled", "sum"])
@pytest.mark.parametrize("n_neighbors", [3, 10])
@pytest.mark.parametrize("limit_to_size", [True, False])
def test_cvnn(n_neighbors: int, compactness: str, limit_to_size: bool) -> None:
    X, labels = grown(40, 6, 3)
    # A cluster of one point, and one of two.
    small = labels[4].copy()
    small[[0, 1, 2]] = 4, 5, 5
    chosen = {2: labels[2], 4: labels[4], 6: small}
    expected = cvnn_by_definition(X, chosen, n_neighbors, compactness, limit_to_size)
    options = {"n_neighbors": n_neighbors, "compactness": compactness, "limit_to_size": limit_to_size}
    assert adjudge.cvnn(X, chosen, **options) == pytest.approx(expected)


def test_small_clusters_that_are_far_from_others_do_not_count_against_a_partition() -> None:
    """Ten neighbours of five points that are far from all others lie mostly in other clusters."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(m, 0.3, size=(n, 2)) for m, n in ((0, 40), (5, 40), (10, 5))])
    three = np.repeat([0, 1, 2], [40, 40, 5])
    partitions = {2: np.minimum(three, 1), 3: three, 4: np.where(np.arange(85) < 20, 3, three)}
    published = adjudge.cvnn(X, partitions, limit_to_size=False)
    found = adjudge.cvnn(X, partitions)
    assert min(published, key=published.__getitem__) == 2
    assert min(found, key=found.__getitem__) == 3


def test_reasons_of_cvnn() -> None:
    none = Noted(math.nan, "no cluster has two points")
    found: Any = cvnn_of({"a": (0.5, 2.0), "b": (0.25, none), "c": (0.25, 4.0), "d": (0.0, 0.0)})
    assert (found["a"], found["c"], found["d"]) == (1 + 0.5, 0.5 + 1, 0.0)
    assert (math.isnan(found["b"].value), found["b"].reason) == (True, "no cluster has two points")
    for parts in ({"a": (0.0, 2.0)}, {"a": (0.5, 0.0)}, {"a": (0.5, none)}):
        alone: Any = cvnn_of(parts)["a"]  # type: ignore[arg-type]
        assert alone.reason == "0/0: no near neighbour of any of the partitions lies in another cluster"
    X, labels = grown(8, 3, 0)
    record = find_index("cvnn")
    sweep = sweep_of_labels(X, {k: labels[k] for k in (2, 3)}, record.reads, (), 7)  # type: ignore[attr-defined]
    few = record.over(sweep, n_neighbors=8, limit_to_size=False)  # type: ignore[attr-defined]
    assert {(k, own.reason) for k, own in few.items() if isinstance(own, Noted)} == {
        (2, "a point has only 7 others"),
        (3, "a point has only 7 others"),
    }
    # By default no cluster is asked for more neighbours than it has points.
    assert record.over(sweep, n_neighbors=8) == cvnn_by_definition(  # type: ignore[attr-defined]
        X, {k: labels[k] for k in (2, 3)}, 8, "pooled", True
    )


SIDES = [[1.0], [1, 1], [30, 1], [9, 1, 0.1], [5, 5, 1, 0.01], [8, 4, 2, 1, 0.5], [40, 30, 20, 1, 1, 1]]


def ccc(X: np.ndarray, codes: np.ndarray) -> tuple[float, str | None]:
    return find_index("ccc").assess(reduce_coded_points(X, codes, {Scatter})[Scatter])


@pytest.mark.parametrize("sides", SIDES, ids=str)
@pytest.mark.parametrize("k", [2, 3, 4, 7])
def test_cubic_clustering_criterion(sides: list[float], k: int) -> None:
    X = np.random.default_rng(len(sides)).normal(size=(80, len(sides))) * sides
    codes = np.arange(80) % k
    X += 0.7 * codes[:, None] * sides
    value, reason = ccc(X, codes)
    assert value == pytest.approx(naive.ccc(X, {k: codes}, k), rel=1e-9)
    assert reason is None
    # A unit changes nothing, nor does a column that says what another one says.
    assert ccc(X * 1e-3, codes)[0] == pytest.approx(value, rel=1e-9)
    doubled = np.column_stack([X / math.sqrt(2), X / math.sqrt(2)])
    assert ccc(doubled, codes)[0] == pytest.approx(value, rel=1e-6)


def test_reasons_of_the_cubic_clustering_criterion() -> None:
    X = np.random.default_rng(0).normal(size=(6, 2))
    assert ccc(X, np.zeros(6, int))[1] == "there is only one cluster"
    assert ccc(X, np.arange(6))[1] == "every point is its own cluster"
    assert ccc(np.ones((6, 2)), np.arange(6) % 2)[1] == "0/0: all points are equal"
    assert ccc(np.arange(6)[:, None] % 2.0, np.arange(6) % 2)[1] == "no cluster has any dispersion"


def test_a_uniform_box_leaves_some_dispersion_unexplained_for_few_points_too() -> None:
    for n, p in ((3, 1), (3, 4), (4, 2), (6, 9)):
        value, reason = ccc(np.random.default_rng(n).normal(size=(n, p)), np.arange(n) % (n - 1))
        assert math.isfinite(value)
        assert reason is None


def test_distances_of_centroids_weigh_distances_of_points() -> None:
    """A statistic whose sums for pairs of clusters are not kept has no value."""
    X = np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0], [6.0, 0.0]])
    codes = np.array([0, 0, 1, 1])
    found = reduce_coded_points(X, codes, {Moments, PairSums})
    gap = math.dist((1.5, 2.0), (6.0, 4.0))
    between = sum(math.dist(X[i], X[j]) for i in (0, 1) for j in (2, 3))
    value = find_index("hubert_statistic").of(found[Moments], found[PairSums])
    assert value == pytest.approx(2 * gap * between / (4 * 3), rel=1e-14)


def test_hubert_without_the_sums_of_each_pair_of_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adjudge.engines.pairs.reducers.MATRIX_CLUSTERS", 2)
    X = np.random.default_rng(0).normal(size=(12, 2))
    found = reduce_coded_points(X, np.arange(12) % 4, {Moments, PairSums})
    value, reason = find_index("hubert_statistic").assess(found[Moments], found[PairSums])
    assert math.isnan(value)
    assert reason == "there are too many clusters to keep sums of distances for each pair"


# 3 distances within and 5 between clusters: 15 comparisons, of which 4 are left open.
OPEN = PairRanks(n_within=3, n_between=5, s_plus=7, s_minus=2, ties=2, unknown=4)
EXACT = PairRanks(n_within=3, n_between=5, s_plus=9, s_minus=4, ties=2)


@pytest.mark.parametrize(
    ("ranks", "plus", "minus"), [(EXACT, 9, 4), (OPEN, 7 + 4 / 2, 2 + 4 / 2)], ids=["exact", "estimated"]
)
def test_values(ranks: PairRanks, plus: float, minus: float) -> None:
    gamma, g_plus, tau, tau_b = map(find_index, ("gamma", "g_plus", "tau", "tau_b"))
    assert gamma.of(ranks) == pytest.approx((plus - minus) / (plus + minus), rel=1e-15)
    assert g_plus.of(ranks) == pytest.approx(minus / (8 * 7 / 2), rel=1e-15)
    assert tau.of(ranks) == pytest.approx((plus - minus) / math.sqrt(3 * 5 * 28), rel=1e-15)
    assert tau_b.of(ranks, DistanceTies(6)) == pytest.approx(
        (plus - minus) / math.sqrt(3 * 5 * 22), rel=1e-15
    )


@pytest.mark.parametrize(
    ("ranks", "plus", "minus"), [(EXACT, 11, 4), (OPEN, 7 + 2 + 2, 2 + 2)], ids=["exact", "estimated"]
)
def test_clustercrit_takes_ties_for_concordant(ranks: PairRanks, plus: float, minus: float) -> None:
    gamma, tau = (as_clustercrit(find_index(name)) for name in ("gamma", "tau"))
    assert gamma.of(ranks) == pytest.approx((plus - minus) / (plus + minus), rel=1e-15)
    assert tau.of(ranks) == pytest.approx((plus - minus) / math.sqrt(3 * 5 * 4 * 7), rel=1e-15)


def test_clustercrit_halves_an_odd_number_of_distances_and_drops_the_rest() -> None:
    odd = PairRanks(n_within=2, n_between=3, s_plus=5, s_minus=1, ties=0)
    assert as_clustercrit(find_index("tau")).of(odd) == pytest.approx(4 / math.sqrt(2 * 3 * 2 * 4), rel=1e-15)
    assert find_index("tau").of(odd) == pytest.approx(4 / math.sqrt(2 * 3 * 5 * 4 / 2), rel=1e-15)


def test_reasons() -> None:
    nothing = "0/0: there is no pair of distances to compare: one cluster, or none with two points"
    tied = PairRanks(n_within=1, n_between=2, s_plus=0, s_minus=0, ties=2)
    for name in ("gamma", "tau"):
        assert as_clustercrit(find_index(name)).assess(PairRanks(3, 0, 0, 0, 0))[1] == nothing
        assert find_index(name).assess(PairRanks(3, 0, 0, 0, 0))[1] == nothing
    assert find_index("gamma").assess(tied)[1] == (
        "0/0: every distance within clusters equals every distance between clusters"
    )
    assert find_index("tau_b").assess(tied, DistanceTies(3))[1] == "0/0: all distances are equal"
    assert find_index("tau_b").assess(PairRanks(3, 0, 0, 0, 0), DistanceTies(0))[1] == nothing
    assert (
        find_index("g_plus").assess(PairRanks(1, 0, 0, 0, 0))[1] == "0/0: there are fewer than two distances"
    )
    assert find_index("g_plus").assess(PairRanks(1, 1, 1, 0, 0)) == (0.0, None)


nan, inf = math.nan, math.inf
Values = Sequence[float]


def extreme(sign: int, order: int) -> Callable[[list[int], Values, Values], int | None]:
    def chosen(ks: list[int], v: Values, c: Values) -> int | None:
        if order == 2:
            scores = {ks[i]: (v[i + 1] - v[i]) - (v[i] - v[i - 1]) for i in range(1, len(v) - 1)}
        elif order == 1:
            scores = {ks[i]: v[i] - v[i - 1] for i in range(1, len(v))}
        else:
            scores = dict(zip(ks, v, strict=True))
        if any(math.isnan(score) for score in scores.values()):
            return None
        scores = {k: score for k, score in scores.items() if math.isfinite(score)}
        if not scores:
            return None
        best = max(sign * score for score in scores.values())
        return min(k for k, score in scores.items() if sign * score == best)

    return chosen


def below_first(ks: list[int], v: Values, c: Values) -> int | None:
    """Of the values before the first that is not at least its critical one, the last."""
    kept = list(itertools.takewhile(lambda k: v[ks.index(k)] >= c[ks.index(k)], ks))
    last = kept[-1] if kept and len(kept) < len(ks) else None
    return None if last is None or math.isinf(v[ks.index(last)]) else last


def within_an_error(ks: list[int], v: Values, c: Values) -> int | None:
    known = {k: (own, limit) for k, own, limit in zip(ks, v, c, strict=True) if not math.isinf(own)}
    if not known or any(math.isnan(own) for own, _ in known.values()):
        return None
    top = max(own for own, _ in known.values())
    limit = next(limit for own, limit in known.values() if own == top)
    return min(k for k, (own, _) in known.items() if own >= top - limit)


def finite(keep: Callable[[float, float], bool], pick: Any, default: int | None) -> Any:
    return lambda ks, v, c: pick(
        (k for k, own, limit in zip(ks, v, c, strict=True) if keep(own, limit) and not math.isinf(own)),
        default=default,
    )


DEFINED: dict[str, Callable[[list[int], Values, Values], int | None]] = {
    "max": extreme(1, 0),
    "min": extreme(-1, 0),
    "max_diff": extreme(1, 2),
    "min_diff": extreme(-1, 2),
    "max_rise": extreme(1, 1),
    "max_drop": extreme(-1, 1),
    "first_at_least": finite(operator.ge, min, None),
    "first_at_most": finite(operator.le, min, None),
    "last_at_least": finite(operator.ge, max, 1),
    "last_above": below_first,
    "one_standard_error": within_an_error,
}
SEQUENCES = [
    *(list(values) for n in range(5) for values in itertools.product((0.0, 1.0, 3.0), repeat=n)),
    *([nan, 1.0, 0.0], [1.0, nan, 3.0, 0.0], [inf, 1.0, 2.0], [-inf, 1.0, 2.0, inf], [inf, inf, 1.0]),
    [1e308, -1e308, 1.0],
]


def test_every_rule_is_defined() -> None:
    assert list(DEFINED) == list(RULES)


@pytest.mark.parametrize("rule", RULES)
def test_rules_choose_as_they_say(rule: str) -> None:
    for values in SEQUENCES:
        ks = list(range(2, 2 + len(values)))
        for critical in ([1.0] * len(values), [0.5 * k for k in ks]):
            found = RULES[rule].choose(ks, values, critical)
            assert found == DEFINED[rule](ks, values, critical), (values, critical)


GAPS = {1: 0.2, 2: 0.5, 3: 0.45, 4: 0.9, 5: 0.9}
ERRORS = {1: 0.05, 2: 0.3, 3: 0.1, 4: 0.5, 5: 0.01}


@pytest.mark.parametrize(
    ("rule", "factor", "expected"),
    [
        ("Tibs2001SEmax", 1.0, 1),  # 0.2 >= 0.5 - 0.3
        ("Tibs2001SEmax", 0.9, 2),
        ("firstmax", 1.0, 2),
        ("globalmax", 1.0, 4),
        ("firstSEmax", 1.0, 1),
        ("firstSEmax", 0.5, 2),
        ("globalSEmax", 1.0, 2),
        ("globalSEmax", 0.1, 4),
    ],
)
def test_rules_of_the_gap_by_hand(rule: str, factor: float, expected: int) -> None:
    assert vote_of_gap(GAPS, ERRORS, rule, factor) == expected
    assert vote_of_gap({}, {}, rule) is None
    assert vote_of_gap(GAPS | {3: nan}, ERRORS, rule) is None
    rising = {1: 0.0, 2: 0.5, 3: 1.0}
    assert vote_of_gap(rising, dict.fromkeys(rising, 0.1), rule) == 3
