"""The distance pass on joblib's backends: the digits of one machine, whoever works and whoever dies."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from joblib import parallel_config

import adjudge
from adjudge.engines.pairs import meetings as pair_meetings
from adjudge.engines.pairs import strips
from adjudge.engines.points import reduce_points
from adjudge.engines.running import workers as remote
from adjudge.engines.running.executor import Crew
from adjudge.errors import InputError
from adjudge.inference.chance.null_tables import RandomTables
from adjudge.statistics.contingency import Contingency
from adjudge.statistics.pair_distances import (
    PairSums,
)
from digits import digits
from pair_statistics import RANKED, SWEPT

WANTED = (*SWEPT, *RANKED)


def cloud(n: int = 3200) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, n)
    labels[: n // 10] = rng.integers(2, 30, n // 10)
    return rng.normal(size=(30, 3))[labels] * 2 + rng.normal(size=(n, 3)), labels


@pytest.fixture(autouse=True)
def small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_meetings, "_WORTH_SENDING", 500_000)
    # Clusters in parts, and strips of several.
    monkeypatch.setattr(strips, "strip_points", lambda n: 500)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed", reason="the extra 'dask' is not installed")
    import dask

    # On a busy machine a worker that was killed takes long to come back, and is not to be given up.
    dask.config.set({"distributed.admin.tick.limit": "1h", "distributed.deploy.lost-worker-timeout": "1h"})
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
        ) as running,
        distributed.Client(running) as client,
    ):
        yield client


def in_memory(X: np.ndarray, folder: Path) -> Any:
    return X


def in_npy(X: np.ndarray, folder: Path) -> Any:
    np.save(folder / "X.npy", X)
    return folder / "X.npy"


def mapped(X: np.ndarray, folder: Path) -> Any:
    return np.load(in_npy(X, folder), mmap_mode="r")


def in_parquet(X: np.ndarray, folder: Path) -> Any:
    pq = pytest.importorskip("pyarrow.parquet", reason="the extra 'files' is not installed")
    import pyarrow as pa

    pq.write_table(pa.table({str(i): x for i, x in enumerate(X.T)}), folder / "X.parquet", row_group_size=700)
    return folder / "X.parquet"


# Points that workers are sent, and points that they read.
CASES = [
    (in_memory, {}),
    (mapped, {"memory_limit": 1 << 22}),
    (in_npy, {"memory_limit": 1 << 26, "exact": True}),
    (in_parquet, {"metric": "cityblock"}),
]


@pytest.mark.full
@pytest.mark.parametrize(("way", "options"), CASES)
def test_processes_give_the_digits_of_threads(way: Any, options: dict[str, Any], tmp_path: Path) -> None:
    X, labels = cloud()
    alone = digits(reduce_points(X, labels, WANTED, **options))
    with parallel_config("loky", n_jobs=2):
        assert Crew.of(None, None).workers == remote.Workers(2)
        assert digits(reduce_points(way(X, tmp_path), labels, WANTED, **options)) == alone


@pytest.mark.full
@pytest.mark.parametrize(("way", "options"), CASES)
def test_a_dask_cluster_gives_the_digits_of_threads(
    cluster: Any, way: Any, options: dict[str, Any], tmp_path: Path
) -> None:
    X, labels = cloud()
    alone = digits(reduce_points(X, labels, WANTED, **options))
    with parallel_config("dask"):
        workers = Crew.of(None, None).workers
        assert workers is not None
        assert (workers.n, workers.client) == (2, cluster)
        assert digits(reduce_points(way(X, tmp_path), labels, WANTED, **options)) == alone


def test_a_dask_worker_that_does_not_see_the_points_says_so(cluster: Any, tmp_path: Path) -> None:
    X, labels = cloud()
    path = in_npy(X, tmp_path)

    def unseen(done: int, total: int) -> None:
        path.unlink(missing_ok=True)

    with (
        parallel_config("dask"),
        pytest.raises(InputError, match=r"the worker on .* cannot read the points in"),
    ):
        reduce_points(path, labels, [PairSums], progress=unseen)


def where(_: int) -> int:
    return os.getpid()


@pytest.mark.full
def test_the_work_is_done_elsewhere(cluster: Any) -> None:
    with parallel_config("loky", n_jobs=2):
        pids = {pid for _, pid in Crew.of(None, None).map(where, range(40), batch=1)}
    assert os.getpid() not in pids
    with parallel_config("dask"):
        pids = {pid for _, pid in Crew.of(None, None).map(where, range(40), batch=1)}
    assert len(pids) == 2
    assert pids == {worker["pid"] for worker in cluster.run(lambda: {"pid": os.getpid()}).values()}


@pytest.mark.full
@pytest.mark.parametrize(("both", "way"), [(False, in_memory), (True, in_npy)])
def test_killed_dask_workers_change_nothing(cluster: Any, both: bool, way: Any, tmp_path: Path) -> None:
    X, labels = cloud()
    alone = digits(reduce_points(X, labels, WANTED, memory_limit=1 << 22))
    killed: list[int] = []

    def kill_in_the_middle(done: int, total: int) -> None:
        if not killed and done > total // 3:
            pids = list(cluster.run(os.getpid).values())
            killed.extend(pids if both else pids[:1])
            for pid in killed:
                os.kill(pid, signal.SIGKILL)

    with parallel_config("dask"):
        found = reduce_points(
            way(X, tmp_path), labels, WANTED, memory_limit=1 << 22, progress=kill_in_the_middle
        )
    assert len(killed) == 1 + both
    assert digits(found) == alone
    cluster.wait_for_workers(2, timeout=60)


@pytest.mark.full
def test_a_connection_that_ends_while_data_are_sent_changes_nothing(
    cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from distributed import Client
    from distributed.comm.core import CommClosedError

    scatter, calls = Client.scatter, []

    def broken(self: Any, *args: Any, **options: Any) -> Any:
        calls.append(1)
        if len(calls) in (1, 3):
            raise CommClosedError("the worker is gone")
        return scatter(self, *args, **options)

    X, labels = cloud()
    alone = digits(reduce_points(X, labels, WANTED, memory_limit=1 << 22))
    monkeypatch.setattr(Client, "scatter", broken)
    with parallel_config("dask"):
        assert digits(reduce_points(X, labels, WANTED, memory_limit=1 << 22)) == alone
    assert len(calls) > 3


@pytest.mark.full
def test_a_worker_that_is_killed_at_its_work_changes_no_index(cluster: Any) -> None:
    X, labels = cloud()
    options = {"indices": ["silhouette", "dunn", "c_index", "gamma", "tau"], "memory_limit": 1 << 22}
    alone = adjudge.evaluate(X=X, labels=labels, **options)
    killed: list[int] = []

    def kill_who_works(what: str, done: int, total: int) -> None:
        busy = [address for address, tasks in cluster.processing().items() if tasks]
        if not killed and done > total // 3 and busy:
            killed.extend(cluster.run(os.getpid, workers=busy[:1]).values())
            os.kill(killed[0], signal.SIGKILL)

    with parallel_config("dask"):
        found = adjudge.evaluate(X=X, labels=labels, progress=kill_who_works, **options)
    assert killed
    assert found["silhouette"] == pytest.approx(alone["silhouette"], rel=1e-12)
    assert {**found.values, "silhouette": None} == {**alone.values, "silhouette": None}
    cluster.wait_for_workers(2, timeout=60)


def test_threads_stay_the_default() -> None:
    assert Crew.of(2, None).workers is None
    with parallel_config("threading", n_jobs=2):
        assert Crew.of(None, None).workers is None
    with parallel_config("loky", n_jobs=1):
        assert Crew.of(None, None).workers is None


def failing(task: int) -> int:
    if task == 7:
        raise InputError("task 7 cannot be done")
    return task


@pytest.mark.full
def test_errors_of_workers_are_the_users(cluster: Any) -> None:
    for backend in ("loky", "dask"):
        with parallel_config(backend, n_jobs=2), pytest.raises(InputError, match="task 7"):
            list(Crew.of(None, None).map(failing, range(30), batch=2))


# loky's own thread may look for a task that was cancelled while its workers were killed; nothing depends on it.
@pytest.mark.full
@pytest.mark.filterwarnings("ignore:Exception in thread ExecutorManagerThread")
def test_an_interrupted_run_leaves_the_backends_usable(cluster: Any) -> None:
    for backend in ("loky", "dask"):
        with parallel_config(backend, n_jobs=2):
            results = Crew.of(None, None).map(where, range(1000), batch=1)
            next(results)
            results.close()
            assert len(list(Crew.of(None, None).map(where, range(10), batch=1))) == 10


@pytest.mark.full
@pytest.mark.parametrize("backend", ["loky", "dask"])
def test_null_tables_are_the_same_on_all_backends(cluster: Any, backend: str) -> None:
    table = Contingency.from_matrix([[40, 10, 5], [3, 60, 7], [9, 4, 90]])
    alone = RandomTables(table, 3).pair_sums(4000)
    information = RandomTables(table, 4).mutual_information(4000)
    with parallel_config(backend, n_jobs=2):
        base, sums = RandomTables(table, 3).pair_sums(4000)
        assert (base, sums.tobytes()) == (alone[0], alone[1].tobytes())
        assert RandomTables(table, 4).mutual_information(4000).tobytes() == information.tobytes()
