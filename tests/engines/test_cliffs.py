"""Data on which the time once rose by far more than their size: ties, and clusters of one point."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import adjudge
from adjudge.choosing.sampling import sampled_points
from adjudge.engines import centroid_pass, prototypes, reachability
from adjudge.engines.neighbours import distances_from, nearest_neighbours
from adjudge.engines.pairs import nearest, tail_sums
from adjudge.engines.pairs.strips import Strips
from adjudge.engines.pairs.tiles import Tiles
from adjudge.engines.points import reduce_coded_points
from adjudge.engines.prototypes import medoid_profile
from adjudge.engines.reachability import linkage_gaps
from adjudge.engines.running import executor as crews
from adjudge.engines.running.executor import Crew
from adjudge.errors import InputError
from adjudge.given.point_options import PointOptions
from adjudge.indices import neighbours as neighbour_indices
from adjudge.statistics.moments import CentroidDistances, CentroidSums, MidpointDensities
from adjudge.statistics.neighbours import NeighbourLabels
from adjudge.statistics.pair_distances import (
    Diameters,
    Hausdorff,
    PairRanks,
    PairSums,
    Silhouettes,
    SingleLinkage,
    TailSums,
)
from adjudge.statistics.prototypes import MedoidProfile, OutsideExtremes


def core_seconds(work: Callable[[], Any]) -> float:
    """Best of three, in seconds of the processor: others may be at work, too."""
    found = []
    for _ in range(3):
        begun = time.process_time()
        work()
        found.append(time.process_time() - begun)
    return min(found)


def test_neighbours_of_identical_points_take_little_longer_than_those_of_others(
    rng: np.random.Generator,
) -> None:
    crew = Crew.of(1, None)
    apart = rng.normal(size=(3000, 2))
    seconds = [
        core_seconds(lambda X=X: nearest_neighbours(X, "euclidean", 10, crew))
        for X in (apart, np.zeros((3000, 2)))
    ]
    # It was 12 times as long.
    assert seconds[1] < 4 * seconds[0]


def test_closest_points_of_many_clusters_take_little_longer_than_those_of_few(
    rng: np.random.Generator,
) -> None:
    X = rng.normal(size=(16_000, 2))
    seconds = [
        core_seconds(lambda k=k: reduce_coded_points(X, np.arange(16_000) % k, {SingleLinkage, Diameters}))
        for k in (5, 4000)
    ]
    # It was 10 times as long.
    assert seconds[1] < 4 * seconds[0]


def test_closest_points_of_very_many_clusters_in_five_variables(rng: np.random.Generator) -> None:
    X = rng.normal(size=(8000, 5))
    seconds = [
        core_seconds(lambda k=k: reduce_coded_points(X, np.arange(8000) % k, {SingleLinkage, Diameters}))
        for k in (5, 4000)
    ]
    # It was 14 times as long.
    assert seconds[1] < 8 * seconds[0]


def test_of_identical_points_the_first_in_the_input_are_the_nearest() -> None:
    found = nearest_neighbours(np.zeros((3000, 2)), "euclidean", 3, Crew.of(2, None))
    assert found.positions[:4].tolist() == [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]
    assert (found.positions[4:] == [0, 1, 2]).all()


@pytest.mark.parametrize("values", ["identical", "two distances", "grid"])
def test_few_passes_sum_the_tails_of_many_equal_distances(
    values: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    n = 1500
    X = {
        "identical": np.zeros((n, 2)),
        "two distances": np.repeat([[0.0, 0.0], [0.0, 1.5]], n // 2, axis=0),
        "grid": rng.integers(0, 3, (n, 2)).astype(float),
    }[values]
    codes = np.arange(n) % 4
    calls = []
    fold = tail_sums.fold_meetings
    monkeypatch.setattr(tail_sums, "fold_meetings", lambda *given: calls.append(1) or fold(*given))
    options = PointOptions(memory_limit=1 << 18)
    found = reduce_coded_points(X, codes, {TailSums, PairSums}, options)
    assert 1 <= len(calls) <= 4
    distances = np.sort(cdist(X, X)[np.triu_indices(n, 1)])
    n_within = found[TailSums].n_within
    assert found[TailSums].smallest == pytest.approx(distances[:n_within].sum(), rel=1e-12)
    assert found[TailSums].largest == pytest.approx(distances[-n_within:].sum(), rel=1e-12)


def test_ranks_beyond_the_memory_are_not_called_exact(rng: np.random.Generator) -> None:
    X, codes = rng.integers(0, 4, (900, 2)).astype(float), np.arange(900) % 3
    whole = reduce_coded_points(X, codes, {PairRanks}, PointOptions())[PairRanks]
    said = r"exact=True needs room for 404,550 distances: give memory_limit=4315200, or leave it out for an estimate"
    with pytest.raises(InputError, match=said):
        reduce_coded_points(X, codes, {PairRanks}, PointOptions(memory_limit=1 << 18, exact=True))
    given = PointOptions(memory_limit=4_315_200, exact=True)
    assert vars(reduce_coded_points(X, codes, {PairRanks}, given)[PairRanks]) == vars(whole)
    assert whole.ties > 0


def test_medoids_of_many_small_clusters_are_found_in_two_passes(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = rng.normal(size=(1200, 3))
    codes = np.concatenate([np.arange(400), rng.integers(0, 400, 800)])
    crew = Crew.of(2, None)
    passes = []
    run = Crew.map
    monkeypatch.setattr(Crew, "map", lambda self, *a, **o: passes.append(1) or run(self, *a, **o))
    found = medoid_profile(X, codes, "euclidean", crew)
    assert len(passes) == 2
    for cluster in range(400):
        members = np.flatnonzero(codes == cluster)
        sums = cdist(X[members], X[members]).sum(axis=1)
        assert found.medoids[cluster] == members[np.flatnonzero(sums <= sums.min() * (1 + 1e-12))[0]]
    assert crew.done == crew.total
    named = medoid_profile(X, codes, "minkowski", Crew.of(2, None))
    assert (named.medoids == found.medoids).all()


def test_choose_k_judges_a_sample_that_keeps_every_cluster(rng: np.random.Generator) -> None:
    X = np.concatenate([rng.normal(m, 0.3, size=(2000, 2)) for m in (0, 4, 8)])
    labels = {
        3: np.repeat([0, 1, 2], 2000),
        4: np.concatenate([np.full(3, 3), np.repeat([0, 1, 2], 2000)[3:]]),
    }
    whole = adjudge.choose_k(X, labels, indices=["silhouette", "dunn"], progress=False)
    some = adjudge.choose_k(X, labels, indices=["silhouette", "dunn"], sample_size=600, progress=False)
    again = adjudge.choose_k(X, labels, indices=["silhouette", "dunn"], sample_size=600, progress=False)
    assert some.k == whole.k == 3
    assert some.n == 6000
    assert some.labels[4].size == 6000
    assert set(some.values["silhouette"]) == {3, 4}
    assert some.values["silhouette"][3] == pytest.approx(whole.values["silhouette"][3], abs=0.01)
    assert some.values["silhouette"] != whole.values["silhouette"]
    assert some.settings["sample_size"] == 600
    # All points are read if as many are asked for, else a sample of 5,000.
    everything = adjudge.choose_k(X, labels, sample_size=6000, progress=False)
    assert everything.values == adjudge.choose_k(X, labels, sample_size=7000, progress=False).values
    assert everything.values != adjudge.choose_k(X, labels, progress=False).values
    assert again.values == some.values


def test_a_sample_has_a_few_points_of_every_cluster() -> None:
    codes = {2: np.array([0] * 9990 + [1] * 10), 9994: np.minimum(np.arange(10000), 9993)}
    chosen = sampled_points({2: codes[2]}, 50, np.random.SeedSequence(1))
    assert np.bincount(codes[2][chosen])[1] == 5
    assert 50 <= chosen.size <= 55
    assert (np.diff(chosen) > 0).all()
    every = sampled_points(codes, 50, np.random.SeedSequence(1))
    assert np.unique(codes[9994][every]).size == 9994


@pytest.mark.parametrize("bad", [3, 0.5, True, "many"])
def test_sample_sizes_that_cannot_be_used(bad: Any) -> None:
    with pytest.raises(adjudge.InputError, match=r"sample_size=.*: a number of points, at least 10"):
        adjudge.choose_k(np.zeros((20, 2)), sample_size=bad)


def test_tiles_of_very_many_dimensions_stay_in_the_cache(rng: np.random.Generator) -> None:
    for p in (1, 17, 500, 2048, 10_000):
        tiles = Tiles.of(rng.normal(size=(3, p)), Strips.of(np.arange(3), np.ones(3, np.int64)))
        assert tiles.values[0].nbytes <= 1 << 24
    X, codes = rng.normal(size=(300, 2100)), np.arange(300) % 3
    D = cdist(X, X)
    assert adjudge.silhouette(X, codes) == pytest.approx(
        adjudge.silhouette(D, codes, metric="precomputed"), rel=1e-11
    )
    assert adjudge.dunn(X, codes) == pytest.approx(adjudge.dunn(D, codes, metric="precomputed"), rel=1e-12)


@pytest.mark.parametrize("single", [False, True])
def test_midpoints_of_many_clusters_are_counted_block_by_block(
    single: bool, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = np.round(rng.normal(size=(260, 2)) * 2)
    codes = np.concatenate([np.arange(40), np.arange(220) % 7 if single else rng.integers(0, 40, 220)])
    whole = reduce_coded_points(X, codes, {MidpointDensities})[MidpointDensities]
    centroids = np.array([X[codes == c].mean(axis=0) for c in range(40)])

    def near(place: np.ndarray, clusters: tuple[int, ...]) -> int:
        some = X[np.isin(codes, clusters)]
        return int((((some - place) ** 2).sum(axis=1) < whole.radius**2).sum())

    ratios, empty = 0.0, 0
    for k in range(40):
        for other in range(k + 1, 40):
            pair = k, other
            middle = near((centroids[k] + centroids[other]) / 2, pair)
            densest = max(near(centroids[k], pair), near(centroids[other], pair))
            empty += middle + densest == 0
            with np.errstate(divide="ignore"):
                ratios += np.float64(middle) / densest if middle else 0.0
    assert whole.ratio_sum == pytest.approx(ratios, rel=1e-12)
    assert whole.empty_pairs == empty
    monkeypatch.setattr(centroid_pass, "_COUNTED", 16)
    parts = reduce_coded_points(X, codes, {MidpointDensities})[MidpointDensities]
    assert parts.ratio_sum == pytest.approx(whole.ratio_sum, rel=1e-12)
    assert parts.empty_pairs == whole.empty_pairs


@pytest.mark.parametrize("p", [2, 10])
def test_longest_edges_take_a_part_of_the_time_of_trees(rng: np.random.Generator, p: int) -> None:
    X, codes, crew = rng.normal(size=(6000, p)), np.zeros(6000, np.int64), Crew.of(1, None)
    source = reachability._Points(X, np.arange(6000), X.shape[1])
    whole = slice(0, 6000)
    tree = core_seconds(lambda: source.tree(whole, np.zeros(6000), "ordered"))
    # It was one tree.
    assert core_seconds(lambda: linkage_gaps(X, codes, "euclidean", crew)) < tree / 2


@pytest.mark.parametrize("n", [37, 1000])
def test_diameters_in_many_dimensions_are_measured_some_tiles_at_a_time(
    n: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One call ran for seconds, and Ctrl-C was not heard."""
    X = rng.normal(size=(n, 6))
    X /= np.linalg.norm(X, axis=1)[:, None]
    at_once = nearest.diameter(X)
    calls = []

    def counted(*given: Any) -> tuple[int, float]:
        calls.append(given[1])
        return whole(*given)

    whole = nearest.farthest
    monkeypatch.setattr(nearest, "farthest", counted)
    monkeypatch.setattr(nearest, "_PRODUCTS_AT_ONCE", 1)
    assert nearest.diameter(X) == at_once == pytest.approx(cdist(X, X).max(), rel=1e-12)
    assert len(calls) > 3
    assert calls == sorted(calls)


@pytest.mark.full
def test_diameters_of_rings_are_measured_some_nodes_at_a_time(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    angles = rng.uniform(0, 2 * np.pi, size=9000)
    X = np.column_stack([np.cos(angles), np.sin(angles)]) * rng.uniform(1, 1.001, size=(9000, 1))
    calls, look = [], nearest.farthest_of_tree

    def counted(*operands: Any) -> Any:
        calls.append(1)
        return look(*operands)

    monkeypatch.setattr(nearest, "farthest_of_tree", counted)
    found = [nearest.diameter(X)]
    monkeypatch.setattr(nearest, "_NODES_AT_ONCE", 100)
    found.append(nearest.diameter(X))
    assert len(calls) > 10
    assert found[0] == found[1] == pytest.approx(cdist(X, X).max(), rel=1e-14)


def test_one_pass_over_pairs_brings_medoids_and_closest_points(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, codes = rng.normal(size=(5000, 5)), rng.integers(3, size=5000)
    X[:50] = X[50:100]
    alone = reduce_coded_points(X, codes, {MedoidProfile}) | reduce_coded_points(X, codes, {OutsideExtremes})

    def refuse(*_: Any) -> None:
        raise AssertionError("all pairs are met once more")

    monkeypatch.setattr(prototypes, "medoids_from_points", refuse)
    monkeypatch.setattr(reachability._Points, "separation", refuse)
    together = reduce_coded_points(X, codes, {MedoidProfile, OutsideExtremes, Silhouettes, Hausdorff})
    for type_, names in (
        (MedoidProfile, ("medoids", "own", "other")),
        (OutsideExtremes, ("nearest", "least_reach")),
    ):
        for name in names:
            np.testing.assert_array_equal(getattr(together[type_], name), getattr(alone[type_], name))


def test_weights_of_neighbours_are_fitted_once_for_all_partitions(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = rng.normal(size=(400, 3))
    codes = rng.integers(4, size=(2, 400))
    alone = [adjudge.lisi(X, c) for c in codes]
    calls, fit = [], neighbour_indices.fit_weights

    def counted(*operands: Any) -> None:
        calls.append(1)
        fit(*operands)

    monkeypatch.setattr(neighbour_indices, "fit_weights", counted)
    neighbours = nearest_neighbours(X, "euclidean", 90, Crew.of(1, None))
    measure = partial(distances_from, X, "euclidean")
    together = [adjudge.lisi.of(NeighbourLabels.of(neighbours, c, measure)) for c in codes]
    assert together == alone
    assert len(calls) == 1


@pytest.mark.parametrize("seed", range(40))
def test_extreme_distances_of_many_centroids_are_those_of_all_pairs(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(seed)
    k, p = int(rng.integers(2, 400)), int(rng.choice([1, 2, 3, 4, 5, 11, 12, 13, 40]))
    X = rng.normal(size=(2 * k, p)) if seed % 3 else rng.integers(0, 9, size=(2 * k, p)).astype(float)
    codes = np.arange(2 * k) % k
    met = reduce_coded_points(X, codes, {CentroidDistances})[CentroidDistances]
    monkeypatch.setattr(centroid_pass, "_MANY_CENTROIDS", 2)
    monkeypatch.setattr(centroid_pass, "_COMPARED", 7 * k)
    found = reduce_coded_points(X, codes, {CentroidDistances})[CentroidDistances]
    assert found.smallest == met.smallest
    # Tiles add up the variables two by two.
    assert found.largest == (met.largest if p <= 4 else pytest.approx(met.largest, rel=1e-15))


@pytest.mark.parametrize("p", [1, 4, 9])
def test_sums_of_distances_of_many_centroids(p: int, rng: np.random.Generator) -> None:
    k = 1500
    X = 1e3 + rng.normal(size=(k, p))
    sums = [
        reduce_coded_points(X, np.arange(k), {CentroidSums}, PointOptions(n_jobs=n_jobs))[CentroidSums].sums
        for n_jobs in (1, 3)
    ]
    np.testing.assert_array_equal(*sums)
    np.testing.assert_allclose(sums[0], cdist(X, X).sum(axis=1), rtol=1e-13)


def test_all_distances_of_many_centroids_are_reported_as_they_are_met(rng: np.random.Generator) -> None:
    X, codes = rng.normal(size=(6000, 2)), np.arange(6000) % 3000
    told: list[tuple[int, int]] = []
    options = PointOptions(n_jobs=1, progress=lambda done, total: told.append((done, total)))
    reduce_coded_points(X, codes, {CentroidDistances, CentroidSums}, options)
    # Beside them three passes over the points: means, squares, and distances to the own centroid.
    assert told[-1] == (3000**2 + 18_000, 3000**2 + 18_000)
    assert sum(18_000 < done < total for done, total in told) >= 2


def test_trees_of_small_clusters_start_no_thread_for_each(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    pools = []

    class Counted(crews.ThreadPoolExecutor):
        def __init__(self, *args: Any, **options: Any) -> None:
            pools.append(args)
            super().__init__(*args, **options)

    monkeypatch.setattr(crews, "ThreadPoolExecutor", Counted)
    X, codes = rng.normal(size=(400, 3)), np.arange(400) % 100
    several = reachability.density_trees(X, codes, "euclidean", Crew.of(2, None))
    # Trees share one, and separations may have another.
    assert 0 < len(pools) <= 2
    alone = reachability.density_trees(X, codes, "euclidean", Crew.of(1, None))
    np.testing.assert_array_equal(several.core, alone.core)
