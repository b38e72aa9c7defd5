"""Gap statistic, stability and structure: by their definitions, and on data whose answer is known."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import kstest

import naive_choose_k as naive
from adjudge import choose_k
from adjudge.choosing import stability
from adjudge.choosing.calibration import around_random_points, grown_from_random_points
from adjudge.choosing.estimators import Clusterer, Fit, KMeans
from adjudge.choosing.gap import gap_reference, reference_points
from adjudge.choosing.resampling import Repeats, jaccard_of_clusters, least_joined
from adjudge.choosing.structure import hopkins, null_comparison

SEED = np.random.SeedSequence(11)
ONE_BY_ONE = Repeats(n_jobs=1)


def blobs(seed=0, n=40):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(c, 0.5, size=(n, 2)) for c in ((0, 0), (6, 0), (0, 6))])


class Stubborn(Clusterer):
    """Clusters by the sign of the first coordinate, whatever is asked for, and by thirds for three."""

    name = "stubborn"

    def fit(self, X, ks, seed):
        cuts = {2: [0.0], 3: [-1.0, 1.0]}
        codes = {k: np.unique(np.digitize(X[:, 0], cuts[k]), return_inverse=True)[1] for k in ks}
        return {k: Fit(c, c) for k, c in codes.items()}

    def assign(self, fit, X, others):
        means = np.array([X[fit.codes == c].mean(axis=0) for c in range(fit.k)])
        return np.linalg.norm(others[:, None] - means[None], axis=2).argmin(axis=1)


# Gap


def test_gap_is_the_mean_of_the_logarithms_less_that_of_the_data():
    X = blobs()
    gap = gap_reference(
        X, Stubborn(), [2, 3], n_references=7, reference="uniform", seed=SEED, repeats=ONE_BY_ONE
    )
    assert list(gap.log_within) == [1, 2, 3]
    codes = Stubborn().fit(X - X.mean(axis=0), [2], SEED)[2].codes
    assert gap.log_within[2] == pytest.approx(math.log(np.trace(naive.scatter(X, codes))))
    assert gap.log_within[1] == pytest.approx(math.log(np.trace(naive.total(X))))
    simulated = gap.reference[2]
    assert simulated.shape == (7,)
    assert gap.gaps[2] == pytest.approx(simulated.mean() - gap.log_within[2])
    assert gap.errors[2] == pytest.approx(
        math.sqrt(np.mean((simulated - simulated.mean()) ** 2) * (1 + 1 / 7))
    )


def test_reference_points_fill_the_box(rng):
    X = rng.normal(size=(4000, 2)) @ np.array([[3.0, 2.0], [0.0, 0.5]]) + 100
    draw = reference_points(X, "uniform")(rng)
    centred = X - X.mean(axis=0)
    assert (draw.min(axis=0) >= centred.min(axis=0)).all()
    assert (draw.max(axis=0) <= centred.max(axis=0)).all()
    assert kstest((draw[:, 0] - draw[:, 0].min()) / np.ptp(draw[:, 0]), "uniform").pvalue > 0.01
    turned = reference_points(X, "pca")(rng)
    # Along the principal components the box is thin, and its points are as correlated as the data.
    assert np.corrcoef(turned.T)[0, 1] == pytest.approx(np.corrcoef(X.T)[0, 1], abs=0.1)


def test_gap_votes_for_three_blobs_and_for_one():
    three = choose_k(blobs(), k=range(2, 6), indices="gap", n_references=20, random_state=0)
    assert (three.votes["gap"], three.k) == (3, 3)
    assert set(three.values["gap"]) == set(three.critical["gap"]) == {1, 2, 3, 4, 5}
    none = choose_k(
        np.random.default_rng(0).normal(size=(200, 2)), k=range(2, 6), indices="gap", random_state=0
    )
    assert none.votes["gap"] == 1
    assert none.k is None
    assert any("gap statistic prefers one" in w.message for w in none.warnings)


# Stability


def test_jaccard_with_the_most_similar_cluster(rng):
    a, b = rng.integers(3, size=60), rng.integers(4, size=60)
    found = jaccard_of_clusters(a, b, 4)
    for c in range(3):
        mine = set(np.flatnonzero(a == c))
        best = max(len(mine & o) / len(mine | o) for o in (set(np.flatnonzero(b == d)) for d in range(4)))
        assert found[c] == pytest.approx(best)
    assert math.isnan(found[3])


def test_strength_is_the_worst_clusters_share_of_joined_pairs(rng):
    codes, predicted = rng.integers(3, size=40), rng.integers(2, size=40)
    shares = []
    for c in range(3):
        pairs = list(combinations(np.flatnonzero(codes == c), 2))
        shares.append(np.mean([predicted[i] == predicted[j] for i, j in pairs]))
    assert least_joined(codes, predicted) == pytest.approx(min(shares))
    assert least_joined(np.array([0, 1, 1]), np.array([0, 1, 1])) == 1.0


def test_disagreement_is_one_less_rand(rng):
    a, b = rng.integers(3, size=30), rng.integers(4, size=30)
    apart = [(a[i] == a[j]) != (b[i] == b[j]) for i, j in combinations(range(30), 2)]
    assert stability._disagreement(a, b) == pytest.approx(np.mean(apart))


def test_consensus_by_its_definition(rng):
    X = rng.normal(size=(30, 1))
    samples = []

    class Remembering(Stubborn):
        def fit(self, X, ks, seed):
            fits = {k: Fit(c, c) for k in ks for c in [np.random.default_rng(seed).integers(k, size=len(X))]}
            samples.append((X[:, 0].copy(), {k: f.codes for k, f in fits.items()}))
            return fits

    found = stability.Resampler(X, Remembering(), 12, ONE_BY_ONE).consensus_ambiguity([2, 3], SEED)
    assert {len(drawn) for drawn, _ in samples} == {24}
    for k in (2, 3):
        ambiguous = []
        for i, j in combinations(range(30), 2):
            together = joined = 0
            for drawn, codes in samples:
                at = [np.flatnonzero(drawn == X[m, 0]) for m in (i, j)]
                if all(position.size for position in at):
                    together += 1
                    joined += codes[k][at[0][0]] == codes[k][at[1][0]]
            if together:
                ambiguous.append(0.1 < joined / together < 0.9)
        assert found[k] == pytest.approx(np.mean(ambiguous))


def test_stability_finds_what_holds():
    choice = choose_k(blobs(), k=range(2, 6), stability=10, random_state=0, indices="all")
    for name in ("prediction_strength", "instability", "ambiguous_clustering"):
        assert choice.votes[name] == 3
    assert choice.stability.jaccard[3].tolist() == pytest.approx([1, 1, 1])
    assert choice.stability.jaccard[5].min() < 0.85
    assert choice.stability.strength[3] == 1.0
    assert choice.stability.instability[3] == 0.0
    assert choice.stability.ambiguity[3] == 0.0
    assert choice.to_dict()["stability"]["jaccard"]["3"] == pytest.approx([1, 1, 1])


@pytest.mark.full
@pytest.mark.parametrize(
    "estimator", ["ward", "single", "gaussian_mixture", lambda X, k: KMeans(2).fit(X, [k], SEED)[k].codes]
)
def test_stability_of_other_estimators(estimator):
    choice = choose_k(blobs(n=25), estimator, [2, 3, 4], stability=4, random_state=0, indices="all")
    assert choice.stability.strength[3] == pytest.approx(1.0, abs=0.05)
    assert choice.votes["instability"] == 3


def test_weak_prediction_is_told():
    choice = choose_k(
        np.random.default_rng(1).uniform(size=(150, 2)),
        k=[4, 5, 6],
        stability=6,
        random_state=0,
        indices="all",
    )
    assert any("prediction strength is under 0.8 for every K" in w.message for w in choice.warnings)
    assert choice.votes["prediction_strength"] == 1


def test_progress_is_told():
    told = []
    choose_k(
        blobs(),
        k=[2, 3],
        stability=2,
        n_resamples=3,
        random_state=0,
        progress=lambda *step: told.append(step),
        indices="all",
    )
    assert ("splits", 2, 2) in told
    assert told[-1] == ("bootstrap samples", 3, 3)


# Calibration


def test_random_partitions_have_k_clusters_around_their_seeds(rng):
    X = rng.normal(size=(40, 2))
    X[:5] = X[0]
    for draw in (around_random_points, grown_from_random_points):
        for k in (2, 7, 39):
            assert np.unique(draw(X, k, np.random.default_rng(k))).size == k
    seeds = np.random.default_rng(3).choice(40, 4, replace=False)
    found = around_random_points(X, 4, np.random.default_rng(3))
    for i in set(range(5, 40)) - set(seeds):
        assert found[i] == np.linalg.norm(X[seeds] - X[i], axis=1).argmin()


def test_growing_gives_the_nearest_point_to_the_nearest_cluster():
    X = np.array([[0.0], [1.0], [2.5], [4.5], [10.0], [11.0]])
    for seed in range(8):
        rng = np.random.default_rng(seed)
        first, second = np.random.default_rng(seed).choice(6, 2, replace=False)
        codes = {int(first): 0, int(second): 1}
        while len(codes) < 6:
            pairs = [(abs(X[i, 0] - X[j, 0]), i, codes[j]) for i in set(range(6)) - set(codes) for j in codes]
            _, point, cluster = min(pairs)
            codes[point] = cluster
        assert grown_from_random_points(X, 2, rng).tolist() == [codes[i] for i in range(6)]


def test_calibrated_values_are_standard_scores():
    choice = choose_k(
        blobs(), k=[2, 3, 4], indices=["silhouette", "davies_bouldin", "kl"], calibration=10, random_state=0
    )
    assert set(choice.calibrated) == {"silhouette", "davies_bouldin"}
    for scores in choice.calibrated.values():
        assert max(scores, key=scores.get) == 3
        assert scores[3] > 0.5
    again = choose_k(blobs(), k=[2, 3, 4], indices=["silhouette"], calibration=10, random_state=0)
    assert again.calibrated["silhouette"] == choice.calibrated["silhouette"]
    assert choose_k(blobs(), k=[2, 3], random_state=0, indices="all").calibrated is None


# Structure


def test_hopkins_of_even_points_is_a_half_with_a_uniform_p_value():
    found = [
        hopkins(np.random.default_rng(i).uniform(size=(200, 2)), np.random.SeedSequence(1000 + i))
        for i in range(60)
    ]
    statistics, p_values = zip(*found, strict=True)
    assert np.mean(statistics) == pytest.approx(0.5, abs=0.06)
    assert kstest(p_values, "uniform").pvalue > 0.001
    statistic, p_value = hopkins(blobs(), SEED)
    assert statistic > 0.9
    assert p_value < 1e-3


def test_null_comparison_tells_clusters_from_a_gaussian_and_from_even_points():
    rng = np.random.default_rng(2)
    repeats = Repeats()
    assert null_comparison(blobs(), 3, SEED, repeats).score > 10
    assert abs(null_comparison(rng.normal(size=(300, 2)), 3, SEED, repeats).gaussian) < 3
    even = null_comparison(rng.uniform(size=(300, 2)), 4, SEED, repeats)
    assert abs(even.uniform) < 3
    assert even.gaussian > 2
    assert even.score == even.uniform
    assert null_comparison(np.repeat([[0.0], [1.0]], 5, axis=0), 2, SEED, repeats) is None
