"""Valleys of density: none on even shapes, however bent; one between clusters."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge.inference.valley import _MOST, _balanced, _places, valley_p_value, valleys_between


def arc(angle: np.ndarray) -> np.ndarray:
    return np.column_stack([np.cos(angle), np.sin(angle)])


def test_places_on_a_curve_are_its_length() -> None:
    angle = np.linspace(0, np.pi, 200)
    places = _places(arc(angle[:100]), arc(angle[100:]))
    scaled = (places - places.mean()) / places.std()
    expected = (angle - angle.mean()) / angle.std()
    np.testing.assert_allclose(scaled, expected, atol=0.02)


def test_places_in_a_flat_space_are_projections() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(600, 2)) * [2, 1]
    order = np.argsort(X[:, 0])
    X = X[order]
    places = _places(X[:300], X[300:])
    assert np.corrcoef(places, X[:, 0])[0, 1] > 0.97


@pytest.mark.parametrize("shape", ["arc", "three quarters", "sphere", "box"])
def test_even_shapes_have_no_valley(shape: str) -> None:
    rng = np.random.default_rng(1)
    found = []
    for _ in range(40):
        if shape == "sphere":
            X = rng.normal(size=(100, 3))
            X /= np.linalg.norm(X, axis=1, keepdims=True)
            codes = (X[:, 0] > 0).astype(np.int64)
        elif shape == "box":
            X = rng.uniform(size=(100, 2)) * [3, 1]
            codes = (X[:, 0] > 1.5).astype(np.int64)
        else:
            most = np.pi if shape == "arc" else 1.5 * np.pi
            angle = rng.uniform(0, most, 100)
            X, codes = arc(angle) + rng.normal(0, 0.05, (100, 2)), (angle > most / 2).astype(np.int64)
        found.append(valley_p_value(valleys_between(X, codes)))
    # Of 40, 2 are expected: 8 come less than once in a thousand times.
    assert np.sum(np.array(found) <= 0.05) < 8


def test_clusters_on_a_curve_have_a_valley() -> None:
    rng = np.random.default_rng(2)
    angle = np.concatenate([rng.uniform(0, 1.2, 60), rng.uniform(1.9, 3.1, 60)])
    X = arc(angle) + rng.normal(0, 0.05, (120, 2))
    assert valley_p_value(valleys_between(X, np.repeat([0, 1], 60))) < 0.01


def test_a_small_cluster_counts() -> None:
    """In the dip of all points it would hardly be seen."""
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(0, 1, (270, 2)), rng.normal([7, 0], 1, (30, 2))])
    assert valley_p_value(valleys_between(X, np.repeat([0, 1], [270, 30]))) < 0.05


def test_each_neighbour_has_a_valley_of_its_own() -> None:
    rng = np.random.default_rng(4)
    even = rng.uniform(size=(120, 2)) * [2, 1]
    X = np.concatenate([even, rng.uniform([4, 0], [5, 1], (60, 2))])
    codes = np.concatenate([(even[:, 0] > 1).astype(np.int64), np.full(60, 2)])
    found = valleys_between(X, codes)
    assert [(a, b) for a, b, _ in found] == [(0, 1), (1, 2)]
    assert found[0][2] > 0.1
    assert found[1][2] < 0.01
    assert valley_p_value(found) == pytest.approx(2 * found[1][2])


def test_of_the_larger_cluster_its_border_counts() -> None:
    small, large = np.array([0.0, 1.0]), np.array([5.0, 3.0, 9.0, 7.0])
    np.testing.assert_array_equal(np.sort(_balanced(small, large)), [0, 1, 3, 5])
    np.testing.assert_array_equal(np.sort(_balanced(-large, -small)), [0, 1, 3, 5])


def test_many_points_are_thinned_and_few_say_nothing() -> None:
    rng = np.random.default_rng(5)
    X = np.concatenate([rng.normal(0, 1, (9 * _MOST, 2)), rng.normal([8, 0], 1, (_MOST, 2))])
    assert valley_p_value(valleys_between(X, np.repeat([0, 1], [9 * _MOST, _MOST]))) < 0.01
    assert valley_p_value(valleys_between(X[-40:], np.repeat([0, 1], [37, 3]))) == 1.0
    assert valley_p_value(valleys_between(X[:9], np.zeros(9, np.int64))) == 1.0
    copies = np.repeat([[0.0, 0.0], [5.0, 0.0]], 30, axis=0)
    assert valley_p_value(valleys_between(copies, np.repeat([0, 1], 30))) < 0.05
