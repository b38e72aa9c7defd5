"""Points cut into strips: every pair once, the same values however they are cut, and little that is sent."""

from __future__ import annotations

import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest
from joblib import parallel_config

from adjudge.engines.pairs import layout as laying
from adjudge.engines.pairs.blocks import Reduce
from adjudge.engines.pairs.euclidean_embeddings import image_of
from adjudge.engines.pairs.layout import Layout
from adjudge.engines.pairs.products import ProductPoints
from adjudge.engines.pairs.sources import tiles_of
from adjudge.engines.pairs.sweep import PairPass
from adjudge.engines.pairs.tasks import OverTasks, messages, worth_sending
from adjudge.engines.points import reduce_coded_points
from adjudge.given.point_options import PointOptions
from adjudge.statistics.pair_distances import (
    CompleteLinkage,
    Diameters,
    DistanceTies,
    Hausdorff,
    PairRanks,
    PairSums,
    Silhouettes,
    SingleLinkage,
    TailSums,
)
from digits import numbers_of

SWEPT = {PairSums, Silhouettes, Diameters, SingleLinkage, CompleteLinkage, Hausdorff}
ALL = {*SWEPT, PairRanks, DistanceTies, TailSums}

LABELLINGS = {
    "two large clusters and many small ones": lambda rng, n: np.where(
        np.arange(n) % 7 == 0, rng.integers(2, 60, n), np.arange(n) % 2
    ),
    "one cluster and a few points": lambda rng, n: np.minimum(np.arange(n), 6)[::-1].copy(),
    "small clusters": lambda rng, n: rng.integers(0, n // 20, n),
    "one point each": lambda rng, n: np.arange(n),
    "sizes around a strip": lambda rng, n: np.repeat(
        [0, 1, 2, 3], [n // 3, n // 3 - 90, n // 5, n - 2 * (n // 3) + 90 - n // 5]
    ),
}


def data(name: str, n: int = 3200, p: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    codes = np.unique(LABELLINGS[name](rng, n), return_inverse=True)[1].astype(np.int64)
    codes = rng.permutation(codes)
    return rng.normal(size=(n, p)) + codes[:, None] % 5, codes


def cut_at(monkeypatch: pytest.MonkeyPatch, points: int) -> None:
    monkeypatch.setattr(laying, "strip_points", lambda n: points)


@pytest.mark.full(keep=1)
@pytest.mark.parametrize("labels", LABELLINGS)
@pytest.mark.parametrize(("points", "cut"), [(300, None), (1100, None), (1100, 100_000)])
def test_every_pair_is_in_one_task(
    monkeypatch: pytest.MonkeyPatch, labels: str, points: int, cut: int | None
) -> None:
    cut_at(monkeypatch, points)
    _, codes = data(labels, 3000)
    laid = Layout.of(codes, np.bincount(codes))
    seen: Counter[tuple[int, int]] = Counter()
    for task in laid.tasks(cut):
        rows = np.arange(task.rows.start + task.first, task.rows.start + task.last)
        columns = np.arange(task.columns.start, task.columns.stop)
        first, second = np.meshgrid(rows, columns, indexing="ij")
        met = first > second if task.diagonal else np.ones(first.shape, bool)
        keys = np.minimum(first, second)[met] * 3000 + np.maximum(first, second)[met]
        assert met.sum() == task.pairs
        own = codes[laid.order]
        assert (own[first] == own[second])[met].sum() == task.pairs_within
        seen.update({"pairs": keys.size, "sum": int(keys.sum())})  # type: ignore[dict-item]
    expected = np.add.outer(3000 * np.arange(3000), np.arange(3000))[np.triu_indices(3000, 1)]
    assert seen == {"pairs": expected.size, "sum": int(expected.sum())}
    assert all(strip.size <= (2048 if strip.is_single else points) for strip in laid.strips)


def assert_equal(found: dict[type, Any], expected: dict[type, Any]) -> None:
    for type_, statistic in expected.items():
        for name, value in numbers_of(statistic).items():
            other = getattr(found[type_], name)
            if isinstance(value, int):
                assert other == value, (type_, name)
            elif value is not None:
                np.testing.assert_allclose(other, value, rtol=1e-13, atol=1e-14, err_msg=f"{type_} {name}")


@pytest.mark.full
@pytest.mark.parametrize("labels", LABELLINGS)
@pytest.mark.parametrize("options", [{}, {"memory_limit": 1 << 24, "exact": True}, {"metric": "canberra"}])
def test_parts_of_clusters_add_up_to_the_clusters(
    monkeypatch: pytest.MonkeyPatch, labels: str, options: dict[str, Any]
) -> None:
    X, codes = data(labels, 1500 if options else 3200)
    cut_at(monkeypatch, 10**9)
    whole = reduce_coded_points(X, codes, ALL, PointOptions(**options))
    for points in (500, 1100):
        cut_at(monkeypatch, points)
        assert_equal(reduce_coded_points(X, codes, ALL, PointOptions(**options)), whole)


@pytest.mark.full
def test_products_of_parts_add_up_to_the_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    X, codes = data("sizes around a strip", p=120)
    cut_at(monkeypatch, 10**9)
    whole = reduce_coded_points(X, codes, {PairSums, Silhouettes})
    cut_at(monkeypatch, 500)
    assert_equal(reduce_coded_points(X, codes, {PairSums, Silhouettes}), whole)
    with parallel_config("loky", n_jobs=2):
        assert_equal(reduce_coded_points(X, codes, {PairSums, Silhouettes}), whole)


def over_strips(p: int, types: frozenset[type] = frozenset({Silhouettes})) -> tuple[OverTasks, PairPass]:
    X, codes = data("sizes around a strip", 2400, p)
    laid = Layout.of(codes, np.bincount(codes))
    image, options = image_of(X, "euclidean"), PointOptions()
    distances: Any = (
        ProductPoints.of(X, laid, image, options) if p > 100 else tiles_of(X, laid, options, image)
    )
    state = PairPass(laid, {*types}, roots=False)
    return OverTasks(distances, Reduce(state.wanted, None)), state


@pytest.mark.parametrize("p", [4, 128])
def test_a_worker_needs_two_strips_and_returns_a_number_a_point(
    monkeypatch: pytest.MonkeyPatch, p: int
) -> None:
    cut_at(monkeypatch, 500)
    function, state = over_strips(p)
    emptied = function.emptied()
    assert emptied is not None
    assert len(pickle.dumps(emptied.distances)) < 20_000
    for task in state.layout.tasks():
        needed = function.needs((task,))
        assert set(needed) == {task.rows.number, task.columns.number}
        portions = [(strip, pickle.loads(pickle.dumps(function.portion(strip)))) for strip in needed.values()]
        assert len(pickle.dumps(portions)) < 1.1 * sum(s.size for s in needed.values()) * 8 * (p + 8) + 20_000
        [there] = emptied.with_portions(portions)((task,))
        [here] = function((task,))
        assert pickle.dumps(there) == pickle.dumps(here)
        assert (
            len(pickle.dumps(there)) < 8 * (2 - len(needed) + 1) * sum(s.size for s in needed.values()) + 5000
        )
        state.add(task, there)


def test_a_worker_finds_extremes_by_products(monkeypatch: pytest.MonkeyPatch) -> None:
    cut_at(monkeypatch, 500)
    types = frozenset({Silhouettes, Diameters, SingleLinkage})
    function, state = over_strips(128, types)
    emptied = function.emptied()
    assert emptied is not None
    for task in state.layout.tasks():
        portions = [(strip, function.portion(strip)) for strip in function.needs((task,)).values()]
        [there] = emptied.with_portions(portions)((task,))
        state.add(task, there)
    X, codes = data("sizes around a strip", 2400, 128)
    found, explicit = state.statistics(codes), reduce_coded_points(X, codes, {*types, Hausdorff})
    assert found[Diameters].values.tobytes() == explicit[Diameters].values.tobytes()
    assert found[SingleLinkage].matrix.tobytes() == explicit[SingleLinkage].matrix.tobytes()


def test_messages_are_about_as_many_pairs_and_never_of_two_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    cut_at(monkeypatch, 300)
    _, codes = data("two large clusters and many small ones", 20_000)
    tasks = [*Layout.of(codes, np.bincount(codes)).tasks()]
    found = [*messages(tasks, 400_000)]
    assert [task for message in found for task in message] == tasks
    for message in found:
        assert len({task.rows.number for task in message}) == 1
        assert len(message) == 1 or sum(task.pairs for task in message) <= 400_000
    assert len(found) < len(tasks) / 2


def test_more_workers_get_larger_messages_until_each_has_few() -> None:
    n_pairs = 10**7 * (10**7 - 1) // 2
    assert worth_sending(10**6, 2) == worth_sending(n_pairs, 2) == 1 << 27
    assert worth_sending(n_pairs, 100) > 8 << 27
    assert n_pairs / worth_sending(n_pairs, 1000) >= 8 * 1000
