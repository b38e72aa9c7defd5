"""Arrays that need no treatment: the same digits as by the general way, and anything else takes that way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge import InputError
from adjudge.engines.centroid_fast_path import plain_centroids, plain_codes, reduce_plain_points
from adjudge.engines.points import reduce_points
from adjudge.given.label_vectors import counted
from adjudge.given.points import are_plain, as_points
from adjudge.kernels.centroids import first_members
from adjudge.statistics.moments import CentroidDistances, CentroidOverlaps, Moments, Scatter
from adjudge.statistics.pair_distances import Silhouettes
from digits import numbers_of

OF_CENTROIDS = (Moments, CentroidOverlaps, CentroidDistances, Scatter)


@pytest.mark.parametrize("seed", range(6))
def test_digits_are_those_of_the_general_way(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, p, k = (int(v) for v in (rng.integers(20, 3000), rng.integers(1, 20), rng.integers(2, 7)))
    X = (rng.normal(size=(n, p)) + 1e3).astype(rng.choice(["f4", "f8"]))
    labels = np.append(np.arange(k), rng.integers(0, k, n - k)).astype(rng.choice(["i4", "i8"])) + seed - 2
    found = reduce_plain_points(X, labels, OF_CENTROIDS)
    assert found is not None
    expected = reduce_points(X, labels, OF_CENTROIDS)
    for type_, statistic in zip(OF_CENTROIDS, found, strict=True):
        assert_same_digits(statistic, expected[type_])


def assert_same_digits(found: Any, expected: Any) -> None:
    general = numbers_of(expected)
    assert general.keys() == numbers_of(found).keys()
    for name, value in numbers_of(found).items():
        np.testing.assert_array_equal(value, general[name])
        assert np.asarray(value).dtype is np.asarray(general[name]).dtype


def of_one_call(X: Any, labels: Any, type_: type) -> None:
    """Few points are reduced in one call: what it finds is what the passes find, in the same digits."""
    found = reduce_plain_points(X, labels, (type_,))
    assert found is not None
    expected = reduce_points(X, labels, (type_,))[type_]
    assert_same_digits(found[0], expected)
    if type_ is Moments:
        assert found[0].n == expected.n
        np.testing.assert_array_equal(found[0].centre, expected.centre)
        np.testing.assert_array_equal(found[0].between_columns, expected.between_columns)


@pytest.mark.parametrize("type_", [Moments, CentroidOverlaps])
@pytest.mark.parametrize("seed", range(8))
def test_few_points_are_reduced_in_one_call(seed: int, type_: type) -> None:
    rng = np.random.default_rng(seed)
    n, p, k = (int(v) for v in (rng.integers(200, 3000), rng.integers(1, 12), rng.choice([1, 3, 9, 140])))
    X = (rng.normal(size=(n, p)) * 3 + 1e4).astype(rng.choice(["f4", "f8"]))
    labels = np.append(np.arange(k), rng.integers(0, k, n - k)).astype(rng.choice(["i4", "i8"])) + seed - 2
    of_one_call(X, labels, type_)
    of_one_call(X, np.repeat(labels, 2)[::2], type_)


@pytest.mark.parametrize("type_", [Moments, CentroidOverlaps])
def test_clusters_of_equal_points_are_reduced_in_one_call(type_: type) -> None:
    X = np.array([[1.0, 2], [1, 2], [1, 2], [5, 6], [5, 7]])
    for labels in ([0, 0, 1, 2, 2], [0, 1, 1, 2, 2], [0, 0, 0, 1, 2], [0, 1, 2, 3, 4], [0, 0, 0, 0, 0]):
        of_one_call(X, np.array(labels), type_)
    of_one_call(X[:1], np.array([0]), type_)
    # Two clusters of a point each that are so close that the square of their distance vanishes are not in one place.
    of_one_call(np.array([[0.0], [1e-200], [1.0], [1.1]]), np.array([0, 1, 2, 2]), type_)


@pytest.mark.parametrize("n_codes", [1, 3, 5000])
@pytest.mark.parametrize("n", [0, 1, 6, 7, 10_003])
def test_loops_count_as_numpy_does(n: int, n_codes: int) -> None:
    codes = np.random.default_rng(n).integers(0, n_codes, n)
    np.testing.assert_array_equal(counted(codes, n_codes), np.bincount(codes, minlength=n_codes))
    np.testing.assert_array_equal(counted(codes[::-2], n_codes), np.bincount(codes[::-2], minlength=n_codes))


@pytest.mark.parametrize("type_", [np.int32, np.int64])
@pytest.mark.parametrize("low", [-7, 0, 2**30])
@pytest.mark.parametrize("k", [1, 3, 1500])
def test_plain_labels_are_coded_from_the_lowest(k: int, low: int, type_: type) -> None:
    expected = np.random.default_rng(k).permutation(np.append(np.arange(k), np.arange(k) // 2))
    for labels in ((expected + low).astype(type_), np.repeat((expected + low).astype(type_), 2)[::2]):
        coded = plain_codes(labels, 2 * k)
        assert coded is not None
        np.testing.assert_array_equal(coded[0], expected)
        np.testing.assert_array_equal(coded[1], np.bincount(expected))


@pytest.mark.parametrize(
    "codes", [[0], [2, 2, 0, 1, 0], [0, 0, 0, 1], [1, 0, 1, 2, 2], [0, 2, 0]], ids=lambda codes: str(codes)
)
def test_the_first_point_of_each_cluster_is_found(codes: list[int]) -> None:
    members = np.zeros(max(codes) + 1, np.int64)
    first_members(np.array(codes), members)
    assert members.tolist() == [codes.index(k) if k in codes else 0 for k in range(max(codes) + 1)]


@pytest.mark.parametrize(
    "labels",
    [
        [0, 1, 1, 0],
        np.array(["a", "b", "b", "a"]),
        np.array([0.0, 1.0, 1.0, 0.0]),
        np.array([0, 2, 2, 0]),
        np.array([0, 10**18, 0, 0]),
        np.array([[0], [1], [1], [0]]),
        np.ma.MaskedArray([0, 1, 1, 0], [False, True, False, False]),
    ],
    ids=["list", "text", "floats", "a gap", "far apart", "a column", "masked"],
)
def test_other_labels_are_not_plain(labels: Any) -> None:
    X = np.arange(8.0).reshape(4, 2)
    assert plain_codes(labels, 4) is None
    assert plain_centroids(X, labels) is None


@pytest.mark.parametrize(
    "X",
    [
        [[0.0], [1.0]],
        np.array([[0], [1]]),
        np.array([[0.0], [np.nan]]),
        np.array([[0.0], [np.inf]]),
        np.array([[0.0], [1e75]]),
        np.array([[0.0], [1e-75]]),
        np.array([[0.0], [1e30]], np.float32),
        np.zeros((2, 1)),
        np.zeros((0, 1)),
        np.array([0.0, 1.0]),
        np.asfortranarray([[0.0, 1.0], [2.0, 3.0]]),
        np.array([[0.0], [1.0]], ">f8"),
    ],
    ids=[
        *("list", "integers", "nan", "infinite", "large", "small", "large in single precision", "zeros"),
        *("empty", "vector", "by columns", "foreign byte order"),
    ],
)
def test_other_points_are_not_plain(X: Any) -> None:
    assert not are_plain(X)
    assert plain_centroids(X, np.array([0, 1])) is None


def test_labels_of_another_length_are_refused() -> None:
    with pytest.raises(InputError, match="3 entries, X has 4 rows"):
        adjudge.calinski_harabasz(np.arange(8.0).reshape(4, 2), np.array([0, 1, 1]))


def test_statistics_of_pairs_are_not_made_at_once() -> None:
    X, labels = np.arange(8.0).reshape(4, 2), np.array([0, 1, 1, 0])
    assert reduce_plain_points(X, labels, (Moments, Silhouettes)) is None


@pytest.mark.parametrize("value", [1e80, 1e-80, np.nan, np.inf])
@pytest.mark.parametrize("where", [0, 70_000])
def test_a_value_that_cannot_be_used_is_found_among_many(value: float, where: int) -> None:
    X = np.full((80_000, 1), 0.0 if value < 1 else 1.0)
    X[where] = value
    with pytest.raises(InputError, match="X has"):
        as_points(X)
