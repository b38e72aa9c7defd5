"""Intervals of internal criteria beside a plain jackknife of the public functions."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import sparse, stats
from scipy.spatial.distance import cdist

import adjudge
import interval_twin as twin
from adjudge.errors import InputError, InputTypeError
from adjudge.indices.catalog import list_indices
from adjudge.inference.common.proportions import wilson
from adjudge.inference.points import silhouette_influence
from adjudge.inference.points.internal_intervals import (
    _bias,
    _by_groups,
    _groups,
    _most_bias,
    _nearest_apart,
    internal_intervals,
)
from adjudge.inference.points.silhouette_influence import without_points
from adjudge.statistics.moments import made_by_centroids
from conftest import raises_line

RNG = np.random.default_rng(5)
LABELS = np.repeat([0, 1, 2], [25, 20, 15])
X = np.array([(0.0, 0.0), (5.0, 0.0), (0.0, 6.0)])[LABELS] + RNG.normal(size=(60, 2))


def without_each(name: str) -> np.ndarray:
    index = adjudge.find_index(name)
    return np.array([index(np.delete(X, i, axis=0), np.delete(LABELS, i)) for i in range(len(X))])


def ends(centre: float, without: np.ndarray | list[float], confidence: float) -> tuple[float, float]:
    """The interval of a value from its values without each point, or group of points."""
    values = np.asarray(without, float)
    return twin.ends(centre, (values.size - 1) * (values.mean() - values), confidence=confidence)


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_positive_criteria_have_the_jackknifes_error_of_their_logarithm(confidence: float) -> None:
    name = "calinski_harabasz"
    found = internal_intervals(X, LABELS, [name], confidence=confidence)[name]
    values, value = without_each(name), adjudge.find_index(name)(X, LABELS)
    logs = np.log(values)
    assert (
        abs(59 * (logs.mean() - math.log(value))) > 0.3
    )  # growth with the number of points, which is no bias
    expected = ends(math.log(value), logs, confidence)
    assert (math.log(found.low), math.log(found.high)) == pytest.approx(expected, rel=1e-6)
    assert (found.confidence, found.method, found.reason) == (confidence, "jackknife", None)


def test_what_may_be_growth_is_no_bias() -> None:
    without = np.array([1.2, 1.3, 1.1, 1.2])
    assert _bias(1.1, without, 0.31) == pytest.approx(3 * 0.1)
    assert _bias(1.1, without, 0.29) == 0.0


@pytest.mark.parametrize(
    ("n", "most", "shape"),
    [(60, 200, (60, 1)), (299, 200, (149, 2)), (400, 200, (200, 2)), (401, 200, (133, 3))],
)
def test_hardly_a_point_is_in_no_group(n: int, most: int, shape: tuple[int, int]) -> None:
    """A hundred of 300 were, and their chance was a bias of half a standard deviation."""
    groups = _groups(n, most, np.random.default_rng(0))
    assert groups.shape == shape
    assert np.unique(groups).size == groups.size <= n


def test_intervals_do_not_hang_on_how_many_points_make_a_group() -> None:
    """With 40 of 60 points left out in turn, and 20 in no group, intervals were by a fifth too short."""

    def length(most: int, seed: int) -> float:
        found = internal_intervals(X, LABELS, ["ball_hall"], n_resamples=most, random_state=seed)["ball_hall"]
        return math.log(found.high / found.low)

    of_some = np.mean([length(40, seed) for seed in range(20)])
    assert of_some == pytest.approx(length(60, 0), rel=0.08)


def test_intervals_of_squares_in_many_dimensions_lie_around_what_they_estimate() -> None:
    """The mean square within clusters of sixty points in six dimensions is too small by 1 - K / n."""
    rng = np.random.default_rng(3)
    labels = np.repeat([0, 1, 2], 20)
    points = 4.0 * np.eye(3, 6)[labels] + rng.uniform(-1.0, 1.0, (60, 6))
    found = internal_intervals(points, labels, ["ball_hall", "davies_bouldin"])
    own, value = found["ball_hall"], adjudge.find_index("ball_hall")(points, labels)
    assert own.estimate == pytest.approx(value * 20 / 19, rel=0.01)
    assert math.sqrt(own.low * own.high) == pytest.approx(own.estimate, rel=0.01)
    assert (
        own.reason
        == "around the estimate for the population: with so few instances the value is too small on average"
    )
    assert (found["davies_bouldin"].estimate, found["davies_bouldin"].reason) == (None, None)


@pytest.mark.full
@pytest.mark.parametrize("name", ["det_ratio", "trace_wib"])
def test_a_large_bias_is_no_growth_if_the_index_has_a_limit(name: str) -> None:
    """Of sixty points of five clusters in ten dimensions intervals held in 70 and 59 % of the samples."""
    rng = np.random.default_rng(8)
    centres = rng.normal(size=(5, 10)) * 1.5

    def drawn(of_each: int) -> tuple[np.ndarray, np.ndarray]:
        labels = np.repeat(np.arange(5), of_each)
        return centres[labels] + rng.normal(size=(labels.size, 10)), labels

    limit = adjudge.find_index(name)(*drawn(20_000))
    found = [internal_intervals(*drawn(12), [name])[name] for _ in range(12)]
    assert sum(own.low <= limit <= own.high for own in found) >= 10
    assert sum(own.estimate is not None and own.reason is not None for own in found) == 12
    assert "too large on average" in str(found[0].reason)


@pytest.mark.parametrize("name", [own.name for own in list_indices("internal") if own.with_n == "settles"])
def test_indices_of_a_limit_do_not_grow(name: str) -> None:
    """With every point four times their value is the same, but for a divisor of one point less."""
    index, often = adjudge.find_index(name), np.repeat(np.arange(60), 4)
    assert index(X[often], LABELS[often]) == pytest.approx(index(X, LABELS), rel=0.05)


@pytest.mark.parametrize("name", [own.name for own in list_indices("internal") if own.with_n == "grows"])
def test_indices_that_grow_do_so(name: str) -> None:
    index, often = adjudge.find_index(name), np.repeat(np.arange(60), 4)
    assert abs(index(X[often], LABELS[often])) > 1.5 * abs(index(X, LABELS))


def test_of_every_index_it_is_known_whether_it_grows() -> None:
    of_centroids = [r for r in list_indices("internal") if made_by_centroids(r.requires) == {*r.requires}]
    assert all(bool(record.with_n) != bool(record.no_interval) for record in of_centroids)


@pytest.mark.full
def test_a_sum_of_log_determinants_has_no_bias_taken_off() -> None:
    """A part of its growth looked like a bias: of 200 points in 20 dimensions intervals held in 0.81 of the samples."""
    rng = np.random.default_rng(0)

    def drawn() -> tuple[np.ndarray, np.ndarray]:
        labels = np.repeat([0, 1], 60)
        return rng.normal(size=(120, 12)) + 3.0 * labels[:, None], labels

    index = adjudge.find_index("scott_symons")
    mean = np.mean([index(*drawn()) for _ in range(400)])
    found = [internal_intervals(*drawn(), [index])["scott_symons"] for _ in range(30)]
    assert {own.reason for own in found} == {None}
    assert sum(own.low <= mean <= own.high for own in found) >= 26


def test_a_determinant_has_the_jackknifes_error_of_its_logarithm() -> None:
    """Without a point it is smaller by a factor, and its error was too small: of 30 dimensions it held in 0.70."""
    points = np.random.default_rng(1).normal(size=(80, 20))
    labels = np.arange(80) % 2
    found = internal_intervals(points, labels, ["ksq_detw"])["ksq_detw"]
    each = [np.delete(np.arange(80), i) for i in range(80)]
    within = [scatter_within(points[kept], labels[kept]) for kept in each]
    logs = np.array([np.linalg.slogdet(matrix)[1] for matrix in within])
    centre = np.linalg.slogdet(scatter_within(points, labels))[1] + math.log(4)
    assert (math.log(found.low), math.log(found.high)) == pytest.approx(ends(centre, logs, 0.95))


def scatter_within(points: np.ndarray, labels: np.ndarray) -> np.ndarray:
    return sum(
        (labels == k).sum() * np.cov(points[labels == k], rowvar=False, bias=True) for k in np.unique(labels)
    )


@pytest.mark.parametrize("unit", [1e-5, 1.0, 1e5])
def test_determinants_of_any_size_have_an_interval(unit: float) -> None:
    """Squares of values beyond 1e154 are too large for a float, and an OverflowError said so."""
    points = np.random.default_rng(2).normal(size=(90, 20))
    index = adjudge.find_index("ksq_detw")
    found = internal_intervals(unit * points, LABELS[:60].tolist() + [0] * 30, [index])["ksq_detw"]
    value = index(unit * points, LABELS[:60].tolist() + [0] * 30)
    assert (math.log10(value) > 180) == (unit > 1)
    assert found.low < value < found.high
    assert 0.5 < math.log(found.high / found.low) < 5


def test_lengths_that_differ_are_named() -> None:
    with pytest.raises(
        InputError, match=r"^labels has 60 entries, X has 59 rows: they must have the same length$"
    ):
        internal_intervals(X[:-1], LABELS, ["silhouette"])


def test_criteria_that_leave_one_out_undefined_have_no_interval() -> None:
    points = np.r_[np.zeros((6, 1)), np.ones((6, 1))]
    found = internal_intervals(points, np.repeat([0, 1], 6), ["calinski_harabasz"], confidence=0.8)
    own = found["calinski_harabasz"]
    assert math.isnan(own.low)
    assert math.isnan(own.high)
    assert (own.confidence, own.method) == (0.8, "jackknife")
    assert own.reason is not None


# --- the silhouettes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["silhouette", "silhouette_macro"])
def test_silhouettes_have_the_jackknifes_error(name: str) -> None:
    found = internal_intervals(X, LABELS, [name], confidence=0.9)[name]
    values, value = without_each(name), adjudge.find_index(name)(X, LABELS)
    assert (found.low, found.high) == pytest.approx(ends(value, values, 0.9), abs=1e-9)
    assert (found.confidence, found.method, found.reason) == (0.9, "jackknife", None)


def test_points_in_two_places_are_as_many_good_ones() -> None:
    """No point changes anything: the limit allows for the next one, which may be as bad as can be."""
    points = np.r_[np.zeros((15, 2)), np.ones((15, 2))]
    found = internal_intervals(points, np.repeat([0, 1], 15), ["silhouette"])["silhouette"]
    least = wilson(1.0, 30, stats.norm.ppf(0.975))[0]
    assert (found.low, found.high) == (pytest.approx(2 * least - 1), 1.0)


@pytest.mark.parametrize("of_each", [4, 5, 7, 8])
def test_small_clusters_have_no_interval(of_each: int) -> None:
    labels = np.r_[LABELS, np.full(of_each, 3)]
    points = np.r_[X, RNG.normal([8.0, 8.0], size=(of_each, 2))]
    names = ["silhouette", "silhouette_macro", "calinski_harabasz"]
    for (name, own), fewest in zip(internal_intervals(points, labels, names).items(), (5, 8, 5), strict=True):
        enough = math.ceil(labels.size * fewest / of_each)
        if of_each < fewest:
            assert math.isnan(own.low)
            assert own.reason is not None
            assert own.reason.startswith(
                f"no interval: a cluster has {of_each} of {labels.size} points, and {fewest} are needed; about "
            )
            said = int(own.reason.split("about ")[1].split()[0].replace(",", ""))
            assert enough <= said <= 1.1 * enough
        else:
            assert (own.reason, own.low < own.high) == (None, True), name


def test_sums_of_distances_take_a_gigabyte_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(silhouette_influence, "_MOST_BYTES", 8 * 60 * 3)
    assert internal_intervals(X, LABELS, ["silhouette"])["silhouette"].reason is None
    monkeypatch.setattr(silhouette_influence, "_MOST_BYTES", 8 * 60 * 3 - 1)
    for own in internal_intervals(X, LABELS, ["silhouette", "silhouette_macro"], confidence=0.8).values():
        assert math.isnan(own.low)
        assert math.isnan(own.high)
        assert (own.confidence, own.method) == (0.8, "jackknife")
        assert own.reason is not None
        assert own.reason.startswith("no interval: with this many clusters, sums of distances")


def test_of_many_points_those_left_out_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """They stand for all: nearly the same interval, and the same one again."""
    everyone = internal_intervals(X, LABELS, ["silhouette"], random_state=0)["silhouette"]
    monkeypatch.setattr(silhouette_influence, "_LEFT_OUT", 40)
    monkeypatch.setattr(silhouette_influence, "_OF_EACH", 5)
    first, again, other = (
        internal_intervals(X, LABELS, ["silhouette"], random_state=seed)["silhouette"] for seed in (1, 1, 2)
    )
    assert first == again != other
    for some in (first, other):
        assert (some.low, some.high) == pytest.approx((everyone.low, everyone.high), abs=0.03)
    with pytest.raises(InputTypeError, match="random_state"):
        internal_intervals(X, LABELS, ["silhouette"], random_state="seed")


# --- the other criteria --------------------------------------------------------------------------------------------


def by_groups(value: float, without: list[float], low: float, high: float) -> tuple[float, float, str]:
    found = _by_groups(
        SimpleNamespace(with_n="", reads_extreme="", range=(low, high)), value, np.array(without), 0.9
    )
    assert (found.confidence, found.method) == (0.9, "jackknife")
    return found.low, found.high, found.reason or ""


WITHOUT = [0.52, 0.49, 0.5, 0.51, 0.475, 0.48, 0.525, 0.5, 0.495]


def test_limits_of_criteria_of_any_range() -> None:
    centre = 0.5 - 8 * (np.mean(WITHOUT) - 0.5)
    expected = ends(centre, WITHOUT, 0.9)
    assert by_groups(0.5, WITHOUT, -math.inf, math.inf)[:2] == pytest.approx(expected)
    assert by_groups(0.5, WITHOUT, 0.0, 1.0)[:2] == pytest.approx(expected)
    logs = np.log(WITHOUT)
    expected = np.exp(ends(math.log(0.5) - 8 * (logs.mean() - math.log(0.5)), logs, 0.9))
    assert by_groups(0.5, WITHOUT, 0.0, math.inf)[:2] == pytest.approx(tuple(expected))
    # A value of 0 has no logarithm.
    values = [w - 0.5 + 0.2 for w in WITHOUT]
    expected = 0.0, ends(0.0, values, 0.9)[1]
    assert by_groups(0.0, values, 0.0, math.inf)[:2] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("value", "without", "reason"),
    [
        (math.inf, WITHOUT, "no interval: the index is undefined or infinite"),
        (0.5, [*WITHOUT, math.nan], "no interval: the index is undefined or infinite"),
        (0.5, [0.5] * 9, "leaving out points changes nothing"),
    ],
)
@pytest.mark.parametrize("high", [1.0, math.inf])
def test_criteria_without_an_interval(value: float, without: list[float], reason: str, high: float) -> None:
    found = by_groups(value, without, 0.0, high)
    assert math.isnan(found[0])
    assert math.isnan(found[1])
    assert found[2].startswith(reason)


# --- requests ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_points_without_a_label_are_dropped(metric: str) -> None:
    kept = np.arange(60) % 7 != 3
    labels = np.where(kept, LABELS.astype(object), None)
    given: Any = X if metric == "euclidean" else cdist(X, X)
    rest = X[kept] if metric == "euclidean" else cdist(X[kept], X[kept])
    names = ["silhouette", *(["calinski_harabasz"] if metric == "euclidean" else [])]
    found = internal_intervals(given, labels, names, metric=metric, missing="drop", random_state=0)
    expected = internal_intervals(rest, LABELS[kept], names, metric=metric, random_state=0)
    assert found == expected
    assert all(own.reason is None for own in found.values())


def test_all_that_is_asked_is_answered() -> None:
    names = ["silhouette", "gdi43", "calinski_harabasz", "dunn", "wemmert_gancarski", "silhouette_macro"]
    found = internal_intervals(X, LABELS, names, confidence=0.8)
    assert list(found) == names
    given = {name for name, own in found.items() if own.reason is None}
    assert given == {"silhouette", "calinski_harabasz", "silhouette_macro"}
    assert {(own.confidence, own.method) for own in found.values()} == {(0.8, "jackknife")}
    assert all(math.isnan(found[name].low) and math.isnan(found[name].high) for name in found.keys() - given)


def test_the_index_of_sizes_names_the_same_index_that_has_an_interval() -> None:
    labels = np.repeat([0, 1, 2], [60, 30, 10])
    points = labels[:, None] + np.random.default_rng(0).normal(size=(100, 2))
    both = ["size_entropy", "entropy_pred"]
    found = adjudge.evaluate(labels, labels, X=points, indices=both, confidence=0.95)
    assert "entropy_pred has one" in found.interval_reasons["size_entropy"]
    assert found["size_entropy"] == pytest.approx(found["entropy_pred"], rel=1e-12)
    assert set(found.intervals) == {"entropy_pred"}


def test_sparse_points_have_silhouettes_and_no_centroids() -> None:
    points = sparse.csr_array(X)
    found = internal_intervals(points, LABELS, ["silhouette"])["silhouette"]
    dense = internal_intervals(X, LABELS, ["silhouette"])["silhouette"]
    assert tuple(found) == pytest.approx(tuple(dense), rel=1e-13)
    with raises_line(
        InputError, "calinski_harabasz needs centroids of dense points, and X is sparse: pass X.toarray()"
    ):
        internal_intervals(points, LABELS, ["silhouette", "calinski_harabasz"])
    with pytest.raises(InputError, match="n_resamples"):
        internal_intervals(X, LABELS, ["calinski_harabasz"], n_resamples=1)
    groups = internal_intervals(X, LABELS, ["calinski_harabasz"], n_resamples=2)["calinski_harabasz"]
    assert groups.low < groups.high or groups.reason is not None


@pytest.mark.parametrize(
    ("names", "most"),
    [
        ("trace_w calinski_harabasz ksq_detw log_det_ratio banfield_raftery scott_symons ccc", 0.0),
        ("ball_hall det_ratio trace_wib log_ss_ratio wb_index ratkowsky_lance sd_scat d_index", math.inf),
        ("simplified_silhouette rms_silhouette davies_bouldin", math.inf),
        ("xie_beni", 0.3 * 7),
    ],
)
def test_how_much_may_be_bias(names: str, most: float) -> None:
    """Nothing of criteria that grow with the number of points; anything of those that have a limit."""
    for name in names.split():
        assert _most_bias(adjudge.find_index(name, "internal"), 7.0) == pytest.approx(most), name


def test_criteria_that_divide_by_the_distance_of_centroids_need_them_apart() -> None:
    """Two of three centroids are nearer than 1.96 standard errors of their distance."""
    rng = np.random.default_rng(3)
    codes = np.arange(180) % 3
    centres = np.array([[0.0, 0.0], [0.0, 0.0], [9.0, 0.0]])
    names = ["davies_bouldin", "ray_turi", "sd_dis", "sd_validity", "pbm", "calinski_harabasz"]
    points = centres[codes] + rng.normal(size=(180, 2))
    own = [points[codes == cluster] for cluster in range(3)]
    apart = np.linalg.norm(own[0].mean(axis=0) - own[1].mean(axis=0))
    error = math.sqrt(sum(part.var(axis=0, ddof=1).sum() / 60 for part in own[:2]))
    assert _nearest_apart(points, codes) == pytest.approx(apart / error)
    found = internal_intervals(points, codes, names, random_state=0)
    near = {name for name, own in found.items() if own.reason and "two centroids are only" in own.reason}
    assert near == {"davies_bouldin", "ray_turi", "sd_dis", "sd_validity"}
    assert not any(math.isnan(found[name].low) for name in ("pbm", "calinski_harabasz"))
    far = internal_intervals(points + 3 * (codes == 1)[:, None], codes, names, random_state=0)
    assert not any(math.isnan(one.low) for one in far.values())


@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
def test_silhouettes_without_a_point_are_those_of_the_others(metric: str) -> None:
    rng = np.random.default_rng(3)
    X = rng.standard_normal((25, 3))
    codes = np.array([0] * 10 + [1] * 8 + [2] * 4 + [3] * 2 + [4])
    found = without_points(X, codes, np.bincount(codes), metric, rng)
    assert found is not None
    for gone, sums in zip(found.points, found.sums, strict=True):
        rest = np.arange(25) != gone
        widths = naive_widths(cdist(X[rest], X[rest], metric), codes[rest])
        expected = [widths[codes[rest] == cluster].sum() for cluster in range(5)]
        assert sums == pytest.approx(expected, rel=1e-12, abs=1e-12)


def naive_widths(distances: np.ndarray, codes: np.ndarray) -> np.ndarray:
    widths = np.zeros(codes.size)
    for i, own in enumerate(codes):
        mates = (codes == own) & (np.arange(codes.size) != i)
        if mates.any():
            a = distances[i, mates].mean()
            b = min(distances[i, codes == other].mean() for other in set(codes.tolist()) - {own})
            widths[i] = (b - a) / max(a, b)
    return widths
