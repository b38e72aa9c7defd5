"""Points cut into strips: every pair once, the same values however they are cut; workers are sent little, or read."""

from __future__ import annotations

import pickle
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from joblib import parallel_config

from adjudge.engines.pairs import strips as laying
from adjudge.engines.pairs.euclidean_embeddings import image_of
from adjudge.engines.pairs.meetings import OverMeetings, messages, worth_sending
from adjudge.engines.pairs.open_tables import Meet
from adjudge.engines.pairs.pair_pass import PairPass
from adjudge.engines.pairs.products import ProductPoints
from adjudge.engines.pairs.sources import distances_of, tiles_of
from adjudge.engines.pairs.stored_strips import Reader
from adjudge.engines.pairs.strips import Meeting, Strips
from adjudge.engines.points import reduce_coded_points
from adjudge.errors import InputError
from adjudge.given.label_options import LabelOptions
from adjudge.given.partitioned import PartitionedPoints
from adjudge.given.point_options import PointOptions
from adjudge.given.points import as_points
from adjudge.given.points_file import StoredArray, stored_of
from adjudge.statistics.pair_distances import Diameters, Hausdorff, PairSums, Silhouettes, SingleLinkage
from digits import check_alike
from pair_statistics import RANKED, SWEPT

ALL = {*SWEPT, *RANKED}


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
def test_every_pair_is_in_one_meeting(
    monkeypatch: pytest.MonkeyPatch, labels: str, points: int, cut: int | None
) -> None:
    cut_at(monkeypatch, points)
    _, codes = data(labels, 3000)
    laid = Strips.of(codes, np.bincount(codes))
    seen: Counter[str] = Counter()
    for meeting in laid.meetings(cut):
        first, second = positions_of(meeting)
        keys = np.minimum(first, second) * 3000 + np.maximum(first, second)
        assert keys.size == meeting.pairs
        own = codes[laid.order]
        assert (own[first] == own[second]).sum() == meeting.pairs_within
        assert meeting.is_between == (not np.isin(meeting.rows.own, meeting.columns.own).any())
        seen.update({"pairs": keys.size, "sum": int(keys.sum())})
    expected = np.add.outer(3000 * np.arange(3000), np.arange(3000))[np.triu_indices(3000, 1)]
    assert seen == {"pairs": expected.size, "sum": int(expected.sum())}
    assert all(strip.size <= points for strip in laid.each)
    assert np.array_equal(np.concatenate([strip.own for strip in laid.each]), np.sort(codes))


def positions_of(meeting: Meeting) -> tuple[np.ndarray, np.ndarray]:
    """The sorted positions of the points of each pair that meets."""
    rows = np.arange(meeting.rows.start + meeting.first, meeting.rows.start + meeting.last)
    first, second = np.meshgrid(rows, np.arange(meeting.columns.start, meeting.columns.stop), indexing="ij")
    met = first > second if meeting.diagonal else np.ones(first.shape, bool)
    return first[met], second[met]


def test_strips_meet_all_others_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    cut_at(monkeypatch, 100)
    codes = np.arange(900) % 7
    laid = Strips.of(codes, np.bincount(codes))
    met: dict[int, list[int]] = {strip.number: [] for strip in laid.each}
    for meeting in laid.meetings():
        g, h = meeting.rows.number, meeting.columns.number
        for own, other in {(g, h), (h, g)}:
            met[own].append(other)
    assert all(others == list(range(9)) for others in met.values())


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
        check_alike(reduce_coded_points(X, codes, ALL, PointOptions(**options)), whole, 1e-13, 1e-14)


@pytest.mark.parametrize("labels", LABELLINGS)
def test_sums_of_pairs_do_not_need_those_of_points(monkeypatch: pytest.MonkeyPatch, labels: str) -> None:
    cut_at(monkeypatch, 400)
    X, codes = data(labels)
    both = reduce_coded_points(X, codes, {PairSums, Silhouettes})[PairSums]
    alone = reduce_coded_points(X, codes, {PairSums})[PairSums]
    np.testing.assert_allclose(alone.within, both.within, rtol=1e-13)
    assert alone.between == pytest.approx(both.between, rel=1e-13)
    assert alone.smallest_mean == pytest.approx(both.smallest_mean, rel=1e-13)


@pytest.mark.full
def test_products_of_parts_add_up_to_the_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    X, codes = data("sizes around a strip", p=120)
    cut_at(monkeypatch, 10**9)
    whole = reduce_coded_points(X, codes, {PairSums, Silhouettes})
    cut_at(monkeypatch, 500)
    check_alike(reduce_coded_points(X, codes, {PairSums, Silhouettes}), whole, 1e-13, 1e-14)
    with parallel_config("loky", n_jobs=2):
        check_alike(reduce_coded_points(X, codes, {PairSums, Silhouettes}), whole, 1e-13, 1e-14)


def over_strips(p: int, types: frozenset[type] = frozenset({Silhouettes})) -> tuple[OverMeetings, PairPass]:
    X, codes = data("sizes around a strip", 2400, p)
    laid = Strips.of(codes, np.bincount(codes))
    image, options = image_of(X, "euclidean"), PointOptions()
    distances: Any = (
        ProductPoints.of(X, laid, image, options) if p > 100 else tiles_of(X, laid, options, image)
    )
    state = PairPass(laid, {*types}, codes)
    return OverMeetings(distances, Meet(state.wanted, None)), state


@pytest.mark.parametrize("p", [4, 128])
def test_a_worker_needs_two_strips_and_returns_a_number_a_point_and_cluster(
    monkeypatch: pytest.MonkeyPatch, p: int
) -> None:
    cut_at(monkeypatch, 500)
    function, state = over_strips(p)
    emptied, fold = function.emptied(), state.fold
    assert emptied is not None
    assert len(pickle.dumps(emptied.distances)) < 20_000
    for meeting in state.strips.meetings():
        needed = function.needs((meeting,))
        assert set(needed) == {meeting.rows.number, meeting.columns.number}
        portions = [(strip, pickle.loads(pickle.dumps(function.portion(strip)))) for strip in needed.values()]
        assert len(pickle.dumps(portions)) < 1.1 * sum(s.size for s in needed.values()) * 8 * (p + 8) + 20_000
        [there] = emptied.with_portions(portions)((meeting,))
        [here] = function((meeting,))
        assert pickle.dumps(there) == pickle.dumps(here)
        g, h = meeting.rows, meeting.columns
        assert len(pickle.dumps(there)) < 8 * (g.k * (h.size + 8) + h.k * g.size) + 5000
        fold.add(meeting, there)
    assert state.statistics().keys() == {Silhouettes}


def test_a_worker_finds_extremes_by_products(monkeypatch: pytest.MonkeyPatch) -> None:
    cut_at(monkeypatch, 500)
    types = frozenset({Silhouettes, Diameters, SingleLinkage})
    function, state = over_strips(128, types)
    emptied, fold = function.emptied(), state.fold
    assert emptied is not None
    for meeting in state.strips.meetings():
        portions = [(strip, function.portion(strip)) for strip in function.needs((meeting,)).values()]
        [there] = emptied.with_portions(portions)((meeting,))
        fold.add(meeting, there)
    X, codes = data("sizes around a strip", 2400, 128)
    found, explicit = state.statistics(), reduce_coded_points(X, codes, {*types, Hausdorff})
    assert found[Diameters].values.tobytes() == explicit[Diameters].values.tobytes()
    assert found[SingleLinkage].matrix.tobytes() == explicit[SingleLinkage].matrix.tobytes()


def test_messages_are_about_as_many_pairs_and_never_of_two_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    cut_at(monkeypatch, 300)
    _, codes = data("two large clusters and many small ones", 20_000)
    meetings = [*Strips.of(codes, np.bincount(codes)).meetings()]
    found = [*messages(meetings, 400_000)]
    assert [meeting for message in found for meeting in message] == meetings
    for message in found:
        assert len({meeting.rows.number for meeting in message}) == 1
        assert len(message) == 1 or sum(meeting.pairs for meeting in message) <= 400_000
    assert len(found) < len(meetings) / 2


def test_more_workers_get_larger_messages_until_each_has_few() -> None:
    n_pairs = 10**7 * (10**7 - 1) // 2
    assert worth_sending(10**6, 2) == worth_sending(n_pairs, 2) == 1 << 27
    assert worth_sending(n_pairs, 100) > 8 << 27
    assert n_pairs / worth_sending(n_pairs, 1000) >= 8 * 1000


def in_npy(X: np.ndarray, folder: Path) -> Any:
    np.save(folder / "X.npy", X)
    return folder / "X.npy"


def in_a_part_of_a_map(X: np.ndarray, folder: Path) -> Any:
    n, p = X.shape
    wide = np.lib.format.open_memmap(folder / "wide.npy", "w+", X.dtype, (n + 9, p + 3))
    wide[7:-2, 2:-1] = X
    return wide[7:-2, 2:-1]


def in_fortran_order(X: np.ndarray, folder: Path) -> Any:
    np.save(folder / "F.npy", np.asfortranarray(X))
    return str(folder / "F.npy")


def in_parquet(X: np.ndarray, folder: Path) -> Any:
    pq = pytest.importorskip("pyarrow.parquet", reason="the extra 'files' is not installed")
    import pyarrow as pa

    columns = {f"x{i}": values for i, values in enumerate(X.T)}
    pq.write_table(pa.table(columns), folder / "X.parquet", row_group_size=333)
    return folder / "X.parquet"


def in_zarr(X: np.ndarray, folder: Path) -> Any:
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    array = zarr.open_array(folder / "X.zarr", mode="w", shape=X.shape, chunks=(300, 2), dtype=X.dtype)
    array[:] = X
    return array


WAYS = [in_npy, in_a_part_of_a_map, in_fortran_order, in_parquet, in_zarr]


def stored_points(p: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(8)
    return rng.normal(size=(1500, p)), np.minimum(rng.integers(0, 9, 1500), rng.integers(0, 60, 1500))


@pytest.mark.full(keep=3)
@pytest.mark.parametrize("kind", ["differences", "products", "cityblock", "a function's blocks"])
@pytest.mark.parametrize("way", WAYS)
def test_a_worker_is_told_where_its_points_lie(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, way: Any, kind: str
) -> None:
    monkeypatch.setattr(laying, "strip_points", lambda n: 400)
    X, labels = stored_points(40)
    given = PartitionedPoints.of(way(X, tmp_path), labels)
    assert given.stored is not None
    laid = Strips.of(given.codes, given.sizes)
    state = PairPass(laid, {PairSums, Silhouettes, Diameters}, given.codes)
    of_metric = PointOptions(metric="braycurtis" if "block" in kind else "cityblock", n_jobs=1)
    options, image = PointOptions(), image_of(X, "euclidean")

    def over(points: Any, reader: Reader | None) -> OverMeetings:
        if kind == "products":
            distances: Any = ProductPoints.of(points, laid, image, options, reader)
        elif kind == "differences":
            distances = tiles_of(points, laid, options, image, reader)
        else:
            distances = distances_of(points, laid, of_metric, reader)
        return OverMeetings(distances, Meet(state.wanted, None))

    alone, there = over(X, None), over(given.points, Reader(given.stored, given.kept, 1 << 20))
    emptied = there.emptied()
    if emptied is None:
        cloudpickle = pytest.importorskip("cloudpickle", reason="the extra 'dask' is not installed")
        sent = cloudpickle.dumps(there)
        assert len(sent) < 40_000
        there = pickle.loads(sent)
    for meeting in laid.meetings():
        if emptied is not None:
            portions = [(strip, there.portion(strip)) for strip in there.needs((meeting,)).values()]
            # A row's number, and for products its length.
            assert len(pickle.dumps(portions)) < 16 * sum(strip.size for strip, _ in portions) + 10_000
            function: Any = pickle.loads(pickle.dumps(emptied)).with_portions(portions)
        else:
            function = there
        [found], [expected] = function((meeting,)), alone((meeting,))
        assert pickle.dumps(found) == pickle.dumps(expected)


def test_rows_that_are_left_out_are_not_read(tmp_path: Path) -> None:
    X, labels = stored_points()
    marked: list[Any] = labels.tolist()
    marked[3] = marked[700] = None
    given = PartitionedPoints.of(in_npy(X, tmp_path), marked, LabelOptions("drop"))
    assert given.stored is not None
    reader = pickle.loads(pickle.dumps(Reader(given.stored, given.kept, 1 << 20)))
    some = np.array([0, 3, 699, 1200])
    assert np.array_equal(reader[some], given.points[some])


def test_what_was_made_is_kept_up_to_the_limit(tmp_path: Path) -> None:
    X, _ = stored_points()
    stored = as_points(in_npy(X, tmp_path)).stored
    assert stored is not None
    reader, made = Reader(stored, None, 4 * 100 * 3 * 8), []

    def make(rows: np.ndarray) -> np.ndarray:
        made.append(rows[0, 0])
        return rows

    for i in [0, 1, 2, 3, 0, 4, 0, 1, 1]:
        rows = np.arange(100 * i, 100 * i + 100)
        assert np.array_equal(reader.made_of(("rows", i), rows, make), X[rows])
    assert made == [X[100 * i, 0] for i in [0, 1, 2, 3, 4, 1]]


def test_points_in_memory_are_sent(tmp_path: Path) -> None:
    X, _ = stored_points()
    path = in_npy(X, tmp_path)
    assert as_points(X).stored is None
    assert as_points(np.asarray(np.load(path, mmap_mode="r"))).stored is None
    # What was changed in memory alone, and what has no name.
    assert stored_of(np.load(path, mmap_mode="c")) is None
    assert stored_of(np.load(path, mmap_mode="r")[::-1]) is None
    np.save(path, X.astype(np.int32))
    assert as_points(path).stored is None


def test_a_worker_that_does_not_see_the_file_says_so(tmp_path: Path) -> None:
    X, _ = stored_points()
    path = in_npy(X, tmp_path)
    stored = as_points(path).stored
    assert isinstance(stored, StoredArray)
    stored.open(1 << 20)
    np.save(path, X + 1)
    with pytest.raises(
        InputError, match=r"the worker on .* has another file .*X\.npy.* that all workers share"
    ):
        stored.open(1 << 20)
    path.unlink()
    with pytest.raises(
        InputError, match=r"cannot read the points in .*X.npy.* \(No such file or directory\)"
    ):
        stored.open(1 << 20)


def test_files_that_are_no_points(tmp_path: Path) -> None:
    for name, message in {
        "X.csv": "names the file .*X.csv.*: points are read from .npy and .parquet files",
        "no.npy": "no.npy', which is not a file",
        "bad.npy": "bad.npy' is not a readable .npy file of numbers",
        "bad.parquet": "bad.parquet' is not a readable Parquet file",
    }.items():
        if name.startswith("bad"):
            (tmp_path / name).write_bytes(b"nothing")
        with pytest.raises(InputError, match=message):
            as_points(tmp_path / name)
    X, _ = stored_points()
    X[1234, 1] = np.nan
    with pytest.raises(InputError, match="X has a NaN in row 1234, column 'x1'"):
        as_points(in_parquet(X, tmp_path))
