"""What a record says of its index is true, and all that is true: its range is reached, its direction and names hold."""

from __future__ import annotations

import html
import itertools
import math
import re
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge import find_index
from adjudge.engines.points import reduce_coded_points
from adjudge.indices.kinds import KINDS
from adjudge.indices.label_record import LabelIndex
from adjudge.indices.record import Index
from adjudge.indices.structure_record import StructureIndex
from adjudge.statistics import Agreement, Contingency, PairCounts
from adjudge.statistics.moments import Scatter
from cases import each
from conftest import as_number, read_reference, reference_cases

EXTERNAL = adjudge.list_indices("external")
CLASSIFICATION = [r for r in adjudge.list_indices("classification") if isinstance(r, LabelIndex)]
COMPARATIVE = adjudge.list_indices("comparative")
INTERNAL = adjudge.list_indices("internal")

Statistics = dict[type, Any]


def name_of(record: Index) -> str:
    return record.name


# --- what the indices are tried on ------------------------------------------------------------------------------


def partitions(n: int) -> Iterator[list[int]]:
    """Every partition of n instances, clusters numbered as they appear."""

    def grow(labels: list[int], k: int) -> Iterator[list[int]]:
        if len(labels) == n:
            yield labels
        else:
            for c in range(k + 1):
                yield from grow([*labels, c], max(k, c + 1))

    return grow([], 0)


def labellings() -> Iterator[tuple[list[int], list[int]]]:
    """Every two partitions of up to five instances, and some of many."""
    for n in range(1, 6):
        for a, b in itertools.product(partitions(n), repeat=2):
            if a == sorted(a):
                yield a, b
    one, singletons = [0] * 500, list(range(500))
    yield from [(one, singletons), (singletons, one), (singletons, singletons)]
    # The only pair that the prediction joins is one that the truth parts.
    yield [0] * 9 + [1], [*range(9), 8]


@pytest.fixture(scope="module")
def of_labels() -> list[Statistics]:
    tables = [Contingency.from_labels(a, b) for a, b in labellings()]
    types = {t for record in EXTERNAL for t in record.requires}
    return [{t: table.statistic(t) for t in types} for table in tables]


def blobs(apart: float) -> tuple[np.ndarray, np.ndarray]:
    codes = np.arange(12) % 3
    return np.random.default_rng(1).normal(size=(12, 2)) + apart * codes[:, None], codes


def line(*points: float) -> np.ndarray:
    return np.array(points, float)[:, None]


def nested() -> tuple[np.ndarray, np.ndarray]:
    """But for one point each cluster lies at the next one, which is far smaller; the last one has a single point."""
    widths = 1e-4 ** np.arange(20)
    points = [line(*[w * 1e-4] * 30, w) for w in widths]
    return np.concatenate([*points, line(0)]), np.repeat(np.arange(21), [31] * 20 + [1])


def each_at_the_others(k: int) -> tuple[np.ndarray, np.ndarray]:
    """Each cluster has two points at its own place and one at each place of the others, all equally far apart."""
    places, codes = np.concatenate([np.tile(np.arange(k), k), np.arange(k)]), np.repeat(np.arange(k), k)
    return np.eye(k)[places], np.concatenate([codes, np.arange(k)])


def astray(widest: float) -> tuple[np.ndarray, np.ndarray]:
    """One point of the first cluster lies at the second one, which is wide."""
    near = np.arange(26) * 1e-6
    return line(*near, 100, *(105 + widest * np.arange(60.0))), np.repeat([0, 1], [27, 60])


def astray_and_wide() -> tuple[np.ndarray, np.ndarray]:
    """Many points lie at those of another cluster; a third cluster is far away and wide."""
    return line(*[0] * 60, *(1e3 * np.arange(100.0, 140.0))), np.repeat([0, 1, 2], [30, 30, 40])


DATA = {
    "far_apart": blobs(1e3),
    "mixed": (blobs(1e3)[0], np.random.default_rng(0).permutation(12) % 3),
    "crossed": (line(0, 1e-3, 1, 1 + 1e-3), np.array([0, 1, 1, 0])),
    "two_around_one": (line(-1, 0, 1), np.array([0, 1, 0])),
    "one_beside_two": (line(0, 0, 1), np.array([0, 0, 1])),
    "two_around_many": (line(-1, 1, *[0] * 40), np.array([0, 0, *range(1, 41)])),
    "wide_and_close": (line(-1, 1, 0, 0, 1e-3, 1e-3), np.array([0, 0, 1, 1, 2, 2])),
    "wide_and_small": (line(*[0] * 100, 10, -10), np.array([0] * 100 + [1, 1])),
    "many": (np.arange(400.0)[:, None] + blobs(0)[0][:1, :1], np.arange(400) // 2),
    "alternating": (np.arange(40.0)[:, None], np.arange(40) % 2),
    "near_duplicates": (
        line(0, 0, 0, 0, 1e3, 1e3, 1e3, 1e3) + np.arange(8)[:, None] * 1e-4,
        np.arange(8) % 2,
    ),
    "nested": nested(),
    "beside_points": (line(*[0] * 30, *[1] * 30, 0, 1), np.array([0] * 60 + [1, 2])),
    "one_point_apart": (line(*[0] * 60, 1, *[0] * 60, 1), np.repeat([0, 1], 61)),
    "simplex": (np.eye(80), np.arange(80) % 2),
    "tiny": (blobs(1)[0] * 1e-9, blobs(1)[1]),
    "two_around_nearly_one": (line(-1, 1e-3, 1), np.array([0, 1, 0])),
    "many_around_one": (line(*[-1, 1] * 30, 0), np.repeat([0, 1], [60, 1])),
    "each_at_the_others": each_at_the_others(45),
    "astray": astray(1e-6),
    "astray_and_wide": astray_and_wide(),
    "large_and_far_apart": (line(*range(30), *range(1000, 1030)), np.repeat([0, 1], 30)),
}
DEGENERATE = {
    "one_cluster": (line(0, 1, 3), np.zeros(3, int)),
    "every_point": (line(0, 1, 3), np.arange(3)),
    "equal_points": (line(2, 2, 2, 2), np.array([0, 1, 0, 1])),
    "one_point": (line(2), np.array([0])),
    "same_centroids": (line(-1, 1, -2, 2), np.array([0, 0, 1, 1])),
    "coinciding": (line(0, 0, 0, 0, 5), np.array([0, 0, 1, 1, 2])),
    "no_dispersion": (line(0, 0, 5, 5), np.array([0, 0, 1, 1])),
    "one_point_in_a_cluster": (line(0, 1, 3, 7), np.array([0, 0, 0, 1])),
    "between_and_equal": (line(0, 2, 1, 7, 7), np.array([0, 0, 1, 2, 2])),
    # Two clusters have nothing near their centroids and all near the midpoint.
    "empty_centres": (line(-9, 0, 0, 9, -8, 2, 2, 10), np.array([0, 0, 1, 1, 0, 0, 1, 1])),
    # Those of more points than neighbours are read.
    "two_places": (line(*[0] * 30, *[1] * 30), np.repeat([0, 1], 30)),
    "small_beside_large": (line(*range(40)), np.repeat([0, 1], [3, 37])),
}


def of_points(data: dict[str, tuple[np.ndarray, np.ndarray]]) -> list[Statistics]:
    types = {t for record in INTERNAL for t in record.requires}
    return [reduce_coded_points(X, codes, types) for X, codes in data.values()]


@pytest.fixture(scope="module")
def of_clouds() -> list[Statistics]:
    return of_points(DATA)


@pytest.fixture(scope="module")
def of_degenerate() -> list[Statistics]:
    return of_points(DEGENERATE)


def assessed(record: Index, cases: list[Statistics]) -> list[tuple[float, str | None]]:
    return [record.assess(*(case[t] for t in record.requires)) for case in cases]


#: In no cloud do the 90 nearest points of most points have all clusters alike.
OF_MIXED = {"scaled_clisi", "scaled_ilisi"}

# --- range ------------------------------------------------------------------------------------------------------


def assert_reached(record: Index, values: list[float], which: str = "both") -> None:
    """The ends of the range are reached, or come close; where there is no end, values go far."""
    finite = [v for v in values if math.isfinite(v)]
    low, high = record.range
    assert all(low <= v <= high for v in finite)
    if which == "both":
        assert min(finite) < -3 if math.isinf(low) else min(finite) == pytest.approx(low, abs=0.1)
    assert max(finite) > 3 if math.isinf(high) else max(finite) == pytest.approx(high, abs=0.1)


#: Partitions do not reach the lower end, pair counts that are those of no partitions do.
OF_ANY_COUNTS = ("adjusted_fowlkes_mallows", "pair_phi", "phi_crit", "peirce")
#: Nobody has told how far below 0 they can fall.
UNKNOWN_BELOW = ("ami", "ami_geometric", "ami_max", "ami_joint", "mari", "rmi")


@pytest.mark.full(keep=21)
@pytest.mark.parametrize("record", [r for r in EXTERNAL if r.name != "smi"], ids=name_of)  # it grows with n
def test_range_of_external_indices_is_reached(record: Index, of_labels: list[Statistics]) -> None:
    values = [value for value, _ in assessed(record, of_labels)]
    if record.name in OF_ANY_COUNTS:
        values += [record.of(PairCounts(*c)) for c in [(0, 1, 1, 0), (1, 0, 0, 1), (0, 5, 5, 0)]]
    assert_reached(record, values, "high" if record.name in UNKNOWN_BELOW else "both")


@pytest.mark.full(keep=9)
@pytest.mark.parametrize("record", CLASSIFICATION, ids=name_of)
def test_range_of_classification_scores_is_reached(record: Any) -> None:
    vectors = itertools.product([0, 1], repeat=4)
    tables = [Contingency.from_labels(a, b) for a, b in itertools.product(vectors, repeat=2)]
    values = [record.of(*record.read(table)) for table in tables]
    if record.name in ("within_one", "macro_mae"):
        far = Contingency.from_labels([0, 0, 0, 4], [4, 4, 4, 0])
        values.append(record.of(*record.read(far, classes=range(5))))
    if record.ratio_of:
        often, said = [1] * 9 + [0] * 9, [1] * 8 + [0] * 9 + [1]
        values += [record.of(*record.read(Contingency.from_labels(often, own))) for own in (said, said[::-1])]
    if record.name == "detection_rate":
        values.append(record.of(*record.read(tables[-1], positive=1)))
    if "no_information" in record.name:
        each = list(range(30))
        values += [record.of(*record.read(Contingency.from_labels(own, own))) for own in (each, [0, 0, 0])]
        values.append(record.of(*record.read(Contingency.from_labels([0, 0, 0], [1, 1, 1]))))
    if record.name == "answered_share":
        values.append(record.of(*record.read(Contingency.from_labels([0, 0], [5, 5]))))
    if record.name == "expected_cost":
        values += [record.of(*record.read(tables[1]), costs=sign * (np.eye(2) * 90 - 40)) for sign in (-1, 1)]
    assert_reached(record, values)


@pytest.mark.parametrize("record", COMPARATIVE, ids=name_of)
def test_range_of_comparative_measures_is_reached(record: Index) -> None:
    assert_reached(record, [record.of(Agreement(*c)) for c in itertools.product(range(3), repeat=4)])


@pytest.mark.full(keep=28)
@pytest.mark.parametrize("record", [r for r in INTERNAL if r.name not in OF_MIXED], ids=name_of)
def test_range_of_internal_criteria_is_reached(record: Index, of_clouds: list[Statistics]) -> None:
    assert_reached(record, [value for value, _ in assessed(record, of_clouds)])


# --- where an index is undefined or infinite, and why -----------------------------------------------------------


class Cloud:
    """What the reasons speak of, for points on a line."""

    def __init__(self, X: np.ndarray, codes: np.ndarray) -> None:
        self.clusters = [X[codes == c, 0] for c in range(int(codes.max()) + 1)]
        self.n, self.k = len(X), len(self.clusters)
        self.largest = max(map(len, self.clusters))
        self.widths = [float(np.ptp(c)) for c in self.clusters]
        self.sizes = [len(c) for c in self.clusters]
        self.centres = [float(c.mean()) for c in self.clusters]
        self.flat = [float(c[0]) for c, width in zip(self.clusters, self.widths, strict=True) if width == 0]
        self.distances = {abs(a - b) for a, b in itertools.combinations(X[:, 0].tolist(), 2)}
        self.gaps = {
            abs(a - b) for one, other in itertools.combinations(self.clusters, 2) for a in one for b in other
        }

    def fewest_nearest(self) -> int:
        """How many points share the distance of the nearest one, for the point of which the fewest do."""
        X = np.concatenate(self.clusters)
        distances = np.abs(X[:, None] - X[None, :])
        np.fill_diagonal(distances, np.inf)
        return int((distances == distances.min(axis=1, keepdims=True)).sum(axis=1).min())


ONE_CLUSTER = "there is only one cluster"
TRUE_OF_CLOUDS: dict[str, Callable[[Cloud], bool]] = {
    ONE_CLUSTER: lambda c: c.k == 1,
    "all distances are equal, or there is only one cluster": lambda c: c.k == 1 or len(c.distances) == 1,
    "there is no pair of distances to compare: one cluster, or none with two points": lambda c: 1 in (c.k, c.largest),
    "the points of a cluster are all equal, or there is only one": lambda c: 0 in c.widths,
    "every point is its own cluster": lambda c: c.k == c.n,
    "the within-cluster scatter matrix is singular": lambda c: not any(c.widths),
    "the total and the within-cluster scatter matrices are singular": lambda c: c.distances <= {0},
    "no cluster has any dispersion": lambda c: not any(c.widths),
    "the scatter matrix of a cluster is singular": lambda c: 0 in c.widths,
    "every cluster has diameter 0": lambda c: not any(c.widths),
    "a cluster of one point has no mean distance": lambda c: 1 in map(len, c.clusters),
    "no cluster has two points": lambda c: c.largest == 1,
    "all points are equal": lambda c: c.distances <= {0},
    "two clusters of equal points coincide": lambda c: len(set(c.flat)) < len(c.flat),
    "two clusters have the same centroid": lambda c: len(set(c.centres)) < c.k,
    "all centroids coincide": lambda c: c.k > 1 and len(set(c.centres)) == 1,
    "a point coincides with its own and with another centroid": lambda c: len(set(c.centres)) < c.k,
    "all distances between clusters are 0": lambda c: c.gaps == {0},
    "a point has distance 0 to all points of its own and of another cluster": lambda c: len(set(c.flat)) < len(c.flat),
    "two clusters share a point": lambda c: 0 in c.gaps,
    "every distance within clusters equals every distance between clusters": lambda c: len(c.distances) == 1,
    "all distances are equal": lambda c: len(c.distances) == 1,
    "there are fewer than two distances": lambda c: c.n <= 2,
    "there is only one point": lambda c: c.n == 1,
    "points lie near the midpoint of two centroids, none near the centroids": lambda c: min(c.widths) > 0,
    "a cluster's points all coincide with a point of another cluster": lambda c: any(
        sum(value in cluster for cluster in c.clusters) > 1 for value in c.flat
    ),
    "only one cluster has two points": lambda c: sum(size > 1 for size in c.sizes) == 1,
    "all distances of points, or of centroids, are equal": lambda c: (
        len(c.distances) == 1 or len(set(c.centres)) == 1
    ),
    "near neighbours in the same cluster coincide": lambda c: any(
        len(set(cluster)) < len(cluster) for cluster in c.clusters
    ),
    "too many neighbours of every point are equally near": lambda c: c.fewest_nearest() > 30,
}  # fmt: skip
#: Values that an index has by its definition, of which no operation fails: the value, and when the reason is true.
BY_DEFINITION: dict[str, tuple[float, Callable[..., bool]]] = {
    r"a point has only (\d+) others, but (\d+) neighbours are needed": (
        math.nan,
        lambda c, others, read: c.n - 1 == others < read,
    ),
    r"the smallest cluster has size (\d+), but (\d+) neighbours are needed": (
        -math.inf,
        lambda c, size, read: min(c.sizes) == size <= read < c.n,
    ),
    r"there are fewer points than min_points, (\d+)": (math.nan, lambda c, least: c.n < least and c.k > 1),
    r"no near neighbour lies in another cluster": (math.inf, lambda c: c.k == 1 or min(c.sizes) > 25),
}


def is_true_of_cloud(value: float, reason: str, cloud: Cloud) -> bool:
    for pattern, (expected, holds) in BY_DEFINITION.items():
        if named := re.fullmatch(pattern, reason):
            assert value == expected or (math.isnan(value) and math.isnan(expected)), reason
            return holds(cloud, *map(int, named.groups()))
    return TRUE_OF_CLOUDS[cause_of(value, reason)](cloud)


KIND_OF_VALUE = {"0/0": math.isnan, "division by zero": math.isinf, "log 0": lambda v: v == -math.inf}


def cause_of(value: float, reason: str) -> str:
    """The cause without the operation that fails, which has to fit the value."""
    operation, colon, cause = reason.partition(": ")
    if not colon or operation not in KIND_OF_VALUE:
        assert math.isnan(value)
        return reason
    assert KIND_OF_VALUE[operation](value), reason
    return cause


# The smallest clusters of "nested" are points as soon as the points are centred.
ON_A_LINE = {
    name: data for name, data in (DEGENERATE | DATA).items() if data[0].shape[1] == 1 and name != "nested"
}


@pytest.mark.parametrize("data", ON_A_LINE)
def test_reasons_of_internal_criteria_are_true(data: str) -> None:
    X, codes = ON_A_LINE[data]
    types = {t for record in INTERNAL for t in record.requires}
    statistics = reduce_coded_points(X, codes, types)
    cloud = Cloud(X, codes)
    for record in INTERNAL:
        value, reason = record.assess(*(statistics[t] for t in record.requires))
        assert (reason is None) == math.isfinite(value), record.name
        if reason is not None:
            assert is_true_of_cloud(value, reason, cloud), f"{record.name}: {reason}"


@pytest.mark.parametrize("record", INTERNAL, ids=name_of)
def test_internal_criteria_say_whether_they_are_undefined_somewhere(
    record: Index, of_degenerate: list[Statistics]
) -> None:
    cases = of_degenerate
    if record.name == "ksq_detw":  # where no double holds its value
        X, codes = blobs(1)
        cases = [reduce_coded_points(X * 1e90, codes, set(record.requires))]
    values = [value for value, _ in assessed(record, cases)]
    assert any(not math.isfinite(v) for v in values) == bool(record.undefined)
    # The sum says that its parts tell; without the triangle inequality distances may do what they do in no space.
    if record.name not in ("sd_validity", "mcclain_rao", "wb_ratio"):
        assert any(math.isinf(v) for v in values) == ("inf" in record.undefined)
        assert (-math.inf in values) == ("-inf" in record.undefined)


def test_a_determinant_that_no_double_holds_is_told_by_its_logarithm() -> None:
    X, codes = blobs(1)
    record = find_index("ksq_detw")
    value, reason = record.assess(reduce_coded_points(X * 1e90, codes, set(record.requires))[Scatter])
    assert value == math.inf
    assert reason is not None
    logarithm = re.fullmatch(r"the value exp\((.*)\) exceeds the largest floating-point number", reason)
    assert logarithm is not None
    expected = math.log(record(X, codes)) + 4 * math.log(1e90)
    assert float(logarithm[1]) == pytest.approx(expected, rel=1e-5)
    # Just within what a double holds.
    scale = math.exp((math.log(sys.float_info.max) - math.log(record(X, codes))) / 4)
    for factor, finite in ((0.999, True), (1.001, False)):
        scatter = reduce_coded_points(X * scale * factor, codes, {Scatter})[Scatter]
        assert math.isfinite(record.of(scatter)) == finite


def test_variants_speak_of_themselves_alone() -> None:
    """The family says what happens with which average, a variant what happens with its own."""
    for record in EXTERNAL:
        assert not (record.fixed and "with the" in record.undefined), record.name
        if record.fixed:
            assert "default" not in record.note, record.name


def test_summaries_of_the_generalised_dunn_indices_name_both_distances() -> None:
    summaries = {r.name: r.summary for r in INTERNAL if r.family == "generalised Dunn"}
    assert len(set(summaries.values())) == 18
    assert summaries["gdi62"] == (
        "Distance of the closest two clusters (Hausdorff) over the widest diameter (mean over pairs of points)."
    )


def test_who_is_cited() -> None:
    for name, author in {"dunn": "J. C. Dunn", "gdi12": "J. C. Bezdek", "gdi63": "J. C. Bezdek"}.items():
        assert find_index(name).citation.startswith(author)


@pytest.mark.parametrize("record", [r for r in INTERNAL if r.family == "generalised Dunn"], ids=name_of)
def test_clusters_of_one_point_are_named_where_they_matter(record: Index) -> None:
    statistics = reduce_coded_points(line(0, 1, 3, 7), np.array([0, 0, 0, 1]), set(record.requires))
    value = record.of(*(statistics[t] for t in record.requires))
    assert math.isfinite(value) != ("one point" in record.undefined)


def joins(labels: list[int]) -> str:
    """Which pairs of instances a partition joins."""
    k = len(set(labels))
    return "all" if k == 1 and len(labels) > 1 else "none" if k == len(labels) else "some"


def one(labels: list[int]) -> bool:
    return len(set(labels)) == 1


ENDS = ("all", "none")


def joined(a: list[int]) -> Fraction:
    """The share of the pairs that a partition joins."""
    pairs = list(itertools.combinations(range(len(a)), 2))
    return Fraction(sum(a[i] == a[j] for i, j in pairs), len(pairs))


def agrees_apart(a: list[int], b: list[int]) -> Fraction:
    """The share of two pairs without a common instance of which one partition joins the first, the other the second."""
    pairs = itertools.permutations(itertools.combinations(range(len(a)), 2), 2)
    apart = [(p, q) for p, q in pairs if not {*p} & {*q}]
    return Fraction(sum(a[p[0]] == a[p[1]] and b[q[0]] == b[q[1]] for p, q in apart), len(apart))


TRUE_OF_LABELS: dict[str, Callable[[list[int], list[int]], bool]] = {
    "a partition joins no pair, or all of them": lambda a, b: joins(a) in ENDS or joins(b) in ENDS,
    "the partitions agree on every pair": lambda a, b: a == b,
    "yy nn and yn ny are both 0": lambda a, b: joins(a) in ENDS or joins(b) in ENDS,
    "the truth joins no pair, or all of them": lambda a, b: joins(a) in ENDS,
    "the truth joins no pair": lambda a, b: joins(a) == "none",
    "the prediction joins no pair": lambda a, b: joins(b) == "none",
    "a partition joins no pair": lambda a, b: "none" in (joins(a), joins(b)),
    "neither partition joins any pair": lambda a, b: joins(a) == joins(b) == "none",
    "there is no pair of instances": lambda a, b: len(a) == 1,
    "there is only one label": lambda a, b: len({*a, *b}) == 1,
    "truth or prediction has only one label": lambda a, b: one(a) or one(b),
    "a partition is one cluster, so its entropy is 0": lambda a, b: one(a) or one(b),
    "the truth is one cluster": lambda a, b: one(a),
    "the truth has one class": lambda a, b: one(a),
    "there is one class": lambda a, b: len({*a, *b}) == 1,
    "the truth has one class, and it is not named as positive": lambda a, b: one(a),
    "the prediction is one cluster": lambda a, b: one(b),
    "the truth has only singletons": lambda a, b: joins(a) == "none" or len(a) == 1,
    "the prediction has only singletons": lambda a, b: joins(b) == "none" or len(b) == 1,
    "there are no two pairs without a common instance (n < 4)": lambda a, b: len(a) < 4,
    "no class is predicted": lambda a, b: not {*a} & {*b} and {*a, *b} != {0, 1},
    "every choice of pairs is joined as often": lambda a, b: (
        agrees_apart(a, b) == (joined(a) + joined(b)) / 2
    ),
    "all tables with these cluster sizes have the same mutual information": lambda a, b: (
        len({round(adjudge.mutual_information(a, list(own)), 12) for own in itertools.permutations(b)}) == 1
    ),
    "with these cluster sizes every table has the same mutual information": lambda a, b: (
        "none" in (joins(a), joins(b))
    ),
    "the mean over the classes is always 1 divided by their number: name the positive class": lambda a, b: (
        len({*a, *b}) > 2
    ),
}


#: What a reason says of one class.
TRUE_OF_A_CLASS: dict[str, Callable[[int, list[int], list[int]], bool]] = {
    "is never predicted": lambda c, a, b: c not in b,
    "is always predicted": lambda c, a, b: {c} == set(b),
    "does not occur in the truth": lambda c, a, b: c not in a,
    "is the only class in the truth": lambda c, a, b: {c} == set(a),
    "occurs never or always in the truth": lambda c, a, b: c not in a or one(a),
    "occurs never or always in the truth, or is never predicted wrongly": lambda c, a, b: (
        c not in a or one(a) or not any(x != c == y for x, y in zip(a, b, strict=True))
    ),
    "occurs never or always in the truth, or is predicted for every other instance": lambda c, a, b: (
        c not in a or one(a) or all(y == c for x, y in zip(a, b, strict=True) if x != c)
    ),
    "has no false positives or no false negatives": lambda c, a, b: (
        not any(x != c == y for x, y in zip(a, b, strict=True))
        or not any(x == c != y for x, y in zip(a, b, strict=True))
    ),
    "is predicted never or always": lambda c, a, b: c not in b or one(b),
}


def is_true_of_labels(cause: str, a: list[int], b: list[int]) -> bool:
    """Whether a cause, of the partitions or of the classes that it names, holds."""
    named = re.fullmatch(r"(?:class|each of the classes) ([\d, ]+?)(?: and 1 more)? ([a-z].*)", cause)
    if named is not None:
        return all(TRUE_OF_A_CLASS[named[2]](int(c), a, b) for c in named[1].split(", "))
    return TRUE_OF_LABELS[cause](a, b)


@pytest.mark.full
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_reasons_of_measures_on_labels_are_true(n: int) -> None:
    for a, b in itertools.product(partitions(n), repeat=2):
        table = Contingency.from_labels(a, b)
        for record in [*EXTERNAL, *CLASSIFICATION]:
            value, reason = record.assess(*record.read(table))
            assert (reason is None) == math.isfinite(value)
            if reason is not None:
                assert is_true_of_labels(cause_of(value, reason), a, b), f"{record.name}: {reason}"


@pytest.mark.parametrize(
    ("counts", "causes"),
    [
        ((0, 0, 0, 0), {"RW + WR = 0", "neither model is right anywhere", "there is no instance or pair"}),
        ((0, 0, 0, 5), {"RW + WR = 0", "neither model is right anywhere"}),
        ((5, 0, 0, 0), {"RW + WR = 0"}),
        ((1, 1, 1, 1), set()),
    ],
)
def test_reasons_of_comparative_measures_are_true(counts: tuple[int, ...], causes: set[str]) -> None:
    found = set()
    for record in COMPARATIVE:
        value, reason = record.assess(Agreement(*counts))
        if reason is not None:
            cause = cause_of(value, reason)
            found.add("RW + WR = 0" if "(RW + WR = 0)" in cause else cause)
    assert found == causes


# --- direction, rule for K, families ----------------------------------------------------------------------------


#: Their numerator is the width of the clusters: as published they are better the higher, of whatever use that is.
OF_WIDTHS_ALONE = {"gdi51", "gdi52", "gdi53"}
#: Their labels are batches, which mix where the points are shared out at random.
OF_BATCHES = {"kbet", "scaled_ilisi"}
#: Others describe the clusters, neither well nor badly.
DIRECTED = [r for r in INTERNAL if r.better]


@pytest.mark.parametrize(
    "record", [r for r in DIRECTED if r.name not in OF_WIDTHS_ALONE | OF_BATCHES], ids=name_of
)
def test_direction_of_internal_criteria(record: Index) -> None:
    """Clusters that are there are better than the same points shared out at random."""
    sign = 1 if record.better == "higher" else -1
    for seed in range(3):
        rng = np.random.default_rng(seed)
        codes = np.arange(120) % 3  # more than the 90 neighbours that lisi reads
        X = rng.normal(size=(120, 2)) + 8 * np.eye(3)[codes][:, :2]
        found, shuffled = record(X, codes), record(X, rng.permutation(codes))
        assert sign * found > sign * shuffled


def test_rules_for_k_are_those_of_clustercrit() -> None:
    rules = {}
    for path in reference_cases("clustercrit_best"):
        case = read_reference(path)
        rules |= {name: case["rule"].replace("diff", "_diff").replace("__", "_") for name in case["criteria"]}
    assert len(rules) > 40
    differing = {"point_biserial"}  # its record says why
    for name, rule in rules.items():
        record = find_index(name, "internal")
        assert (record.best_k == rule) == (name not in differing), name


@pytest.mark.parametrize("record", INTERNAL, ids=name_of)
def test_the_rule_for_k_follows_the_direction(record: Index) -> None:
    if record.best_k in ("max", "min"):
        assert record.best_k == ("max" if record.better == "higher" else "min")


def test_indices_that_rank_alike_are_of_one_family() -> None:
    """Those that are functions of one another have one vote together."""
    pairs = [PairCounts(*c) for c in itertools.product(range(1, 6), repeat=4) if sum(c) in (10, 11)]
    ranked: dict[tuple[float, ...], list[Index]] = {}
    for record in EXTERNAL:
        if record.requires == (PairCounts,) and record.better:
            values = np.array([record.of(p) for p in pairs]) * (1 if record.better == "higher" else -1)
            order = tuple(np.unique(values.round(10), return_inverse=True)[1].tolist())
            ranked.setdefault(order, []).append(record)
    groups = [{r.name for r in records} for records in ranked.values() if len(records) > 1]
    assert {"jaccard", "sokal_sneath1", "pair_f", "f_alpha"} in groups
    for records in ranked.values():
        families = {r.family for r in records}
        assert len(records) == 1 or (len(families) == 1 and families != {""})


# --- names ------------------------------------------------------------------------------------------------------

NAMES = read_reference("names.json")


@pytest.mark.parametrize("kind", NAMES)
def test_published_names_keep_their_meaning(kind: str) -> None:
    """Names, aliases, names in other programs and families are not lost."""
    for name, promised in NAMES[kind].items():
        record = find_index(name, kind)
        assert record.name == name
        assert {name, *promised["aliases"]} <= {record.name, *record.aliases}, name
        for program, names in promised["peers"].items():
            assert set(names) <= set(record.peers[program]), (name, program)
        assert record.family == promised["family"], name
        assert record.variant_of == promised["variant_of"], name


def test_records_of_structures_have_an_influence_or_say_why_there_is_none() -> None:
    records = [record for record in adjudge.list_indices() if isinstance(record, StructureIndex)]
    assert len(records) > 30
    assert [record.name for record in records if not record.influence] == []


FACTS = read_reference("records.json")


# Sentences and formulas for people, which may be there or not.
SENTENCES = ("formula", "symbols", "undefined", "note", "asks", "default", "default_k")


def facts_of(record: Index) -> dict[str, Any]:
    flags = ("symmetric", "identical_is_best", "identical_is_defined")
    facts = {
        "range": list(record.range),
        "better": record.better,
        "best": record.best,
        "best_k": record.best_k,
        "flags": [flag for flag in flags if getattr(record, flag)],
        "says": [fact for fact in SENTENCES if getattr(record, fact)],
        "reference": record.reference,
        "question": record.question,
        "requires": [statistic.__name__ for statistic in record.requires],
        "parameters": {name: repr(value) for name, value in record.parameters.items()},
    }
    return {fact: value for fact, value in facts.items() if value or fact not in {"best_k", "parameters"}}


@pytest.mark.parametrize("kind", KINDS)
def test_records_state_what_the_list_states(kind: str) -> None:
    """The list is read by people, beside the papers; a record that differs from it is one that somebody changed."""
    stated, here = FACTS.get(kind, {}), [record.name for record in adjudge.list_indices(kind)]
    apart = sorted(set(stated).symmetric_difference(here))
    assert not apart, f"only the catalog or tests/reference/records.json has {apart}: add them to the other"
    assert list(stated) == here, "tests/reference/records.json has another order than the catalog"
    for name, facts in stated.items():
        low, high = map(as_number, facts["range"])
        best = None if facts["best"] is None else as_number(facts["best"])
        assert facts_of(find_index(name, kind)) == {**facts, "range": [low, high], "best": best}, name


@each("record", adjudge.list_indices())
def test_a_record_shows_its_facts_in_a_notebook(record: Any) -> None:
    shown = record._repr_html_()
    cells = [html.unescape(cell) for cell in re.findall(r"<t[hd](?: [^>]*)?>(.*?)</t[hd]>", shown, re.DOTALL)]
    facts = dict(zip(cells[::2], cells[1::2], strict=True))
    low, high = record.range
    expected = {
        record.name: record.title,
        "": record.summary,
        "advice": record.advice,
        "formula": f"${record.formula}$" if record.formula else "",
        "kind": record.kind,
        "range": f"{'(' if low == -math.inf else '['}{low:g}, {high:g}{')' if high == math.inf else ']'}",
        "better": record.better or "",
        "best K by": (record.best_k or "").replace("_", " "),
        "undefined": record.undefined,
        "parameters": ", ".join(f"{name}={value!r}" for name, value in record.parameters.items()),
        "reference": record.citation,
        "note": record.note,
    }
    also = facts.pop("also called", "")
    assert facts == {fact: text for fact, text in expected.items() if text}
    called = [*record.aliases, *(name for _, name in record.names_elsewhere)]
    assert also == ", ".join(dict.fromkeys(called))


def test_names_in_other_programs_are_theirs() -> None:
    from sklearn import metrics

    clustercrit = read_reference(reference_cases("clustercrit_internal")[0])["values"].keys()
    external = read_reference(reference_cases("clustercrit_external")[0])["vignette"].keys()
    nbclust = read_reference(reference_cases("nbclust")[0])["indices"]
    theirs = {
        "scikit-learn": {name.lower() for name in [*dir(metrics), *metrics.get_scorer_names()]},
        "clusterCrit": {name.lower() for name in [*clustercrit, *external]},
        "NbClust": {*map(str.lower, nbclust), "gap", "gamma", "gplus", "tau"},
    }
    for record in adjudge.list_indices():
        for program, names in record.peers.items():
            ours = {name.partition("(")[0].lower() for name in names}
            assert ours <= theirs.get(program, ours), (record.name, program)
