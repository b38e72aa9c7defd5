"""Passes are declared before they run: progress counts what they read, and another module can make a statistic."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
import pytest
from joblib import parallel_config

from adjudge.engines import points as engine
from adjudge.engines.pairs import nearest
from adjudge.engines.pairs.euclidean_embeddings import has_image, is_squared
from adjudge.engines.passes import Job, Pass, reads_of
from adjudge.engines.points import declared_passes, reduce_coded_points
from adjudge.engines.protocols import Work
from adjudge.errors import InputTypeError
from adjudge.given.input_kinds import Distances, Partition
from adjudge.given.point_options import PointOptions
from adjudge.given.weights import PointWeights
from adjudge.indices.catalog import list_indices
from adjudge.statistics.moments import need_coordinates
from adjudge.statistics.pair_distances import ClusterSizes, Diameters, PairSums, Silhouettes, SingleLinkage
from adjudge.statistics.weighted_points import WeightedClusterSizes

rng = np.random.default_rng(0)
X = rng.normal(size=(900, 3))
CODES = np.arange(900) % 4
REQUIRED = [r.requires for r in list_indices("internal") if not r.name.startswith("_")]
EACH = list(dict.fromkeys(frozenset(types) for types in REQUIRED))
ALL = frozenset().union(*EACH)
NARROW = 1 << 16


def told(
    types: frozenset[type], job_options: dict[str, Any], **options: Any
) -> tuple[list[tuple[int, int]], int]:
    """What progress was told, and what was declared to be read."""
    calls: list[tuple[int, int]] = []
    chosen = PointOptions(**options, progress=lambda done, total: calls.append((done, total)))
    reduce_coded_points(X, CODES, types, chosen)
    metric = options.get("metric", "euclidean")
    plain = metric == "euclidean"
    of_metric = {"has_centroids": plain, "prunes": plain, "has_image": has_image(X, metric)}
    job = Job(*X.shape, 4, chosen, **of_metric, squared=is_squared(X, metric), **job_options)
    return calls, reads_of(declared_passes(types, job))


@pytest.mark.full(keep=1)
@pytest.mark.parametrize("options", [{}, {"memory_limit": NARROW}], ids=["sorted", "counted"])
@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "sqeuclidean", "mahalanobis"])
def test_what_is_declared_is_read(options: dict[str, Any], metric: str) -> None:
    for types in (*EACH, ALL):
        if metric != "euclidean":
            types = types - need_coordinates(types)
        if types:
            calls, declared = told(types, {}, metric=metric, **options)
            names = sorted(t.__name__ for t in types)
            # The tails may lie in a bin that holds too many distances, which is known only then.
            assert calls[0] == (0, declared), names
            assert calls[-1][0] == calls[-1][1] >= declared, names
            if not any("Tail" in name for name in names):
                assert calls[-1][1] == declared, names


def test_sizes_of_clusters_need_no_pass(rng: np.random.Generator) -> None:
    assert told(frozenset({ClusterSizes}), {})[1] == 0
    weights = PointWeights.of(rng.exponential(size=900))
    found = reduce_coded_points(X, CODES, {WeightedClusterSizes}, weights=weights)[WeightedClusterSizes]
    np.testing.assert_array_equal(found.sizes, np.bincount(CODES, weights.values))


@pytest.mark.full
def test_what_is_declared_is_read_elsewhere() -> None:
    with parallel_config("loky", n_jobs=2):
        calls, declared = told(ALL, {})
    assert calls[-1] == (declared, declared)
    pytest.importorskip("torch")
    for options in ({}, {"memory_limit": NARROW}):
        calls, declared = told(ALL, {"counts_apart": True}, engine="torch", **options)
        assert calls[-1][0] == calls[-1][1] >= declared


def test_trees_read_the_points_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "_MANY_POINTS", 100)
    calls, declared = told(frozenset({SingleLinkage, Diameters}), {})
    assert calls[-1] == (declared, declared) == (900, 900)


@dataclass(frozen=True)
class Farthest:
    """The largest distance of all."""

    value: float

    made_from: ClassVar[tuple[type, ...]] = (Distances, Partition)
    made_by: ClassVar[str] = "a test"


def test_another_module_makes_a_statistic(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_MAKERS", dict(engine._MAKERS))
    module: Any = ModuleType("makes_farthest")

    def make(types: set[type], work: Work) -> dict[type, Any]:
        assert types == {Farthest}
        work.crew.advance(work.job.n)
        return {Farthest: Farthest(float(np.ptp(work.X[:, 0])))}

    module.declare = lambda types, job: [Pass(("moments",), "points", job.n)]
    module.make = make
    monkeypatch.setitem(sys.modules, "makes_farthest", module)
    with pytest.raises(InputTypeError, match=r"\['Farthest'\] are not statistics of points"):
        reduce_coded_points(X, CODES, {Farthest})
    engine.register_maker("a test", "makes_farthest")
    calls: list[tuple[int, int]] = []
    options = PointOptions(progress=lambda done, total: calls.append((done, total)))
    found = reduce_coded_points(X, CODES, {Farthest, PairSums, Silhouettes}, options)
    assert found.keys() == {Farthest, PairSums, Silhouettes}
    assert found[Farthest].value == np.ptp(X[:, 0])
    assert calls[-1][0] == calls[-1][1] == 900 + 900 * 899 // 2
