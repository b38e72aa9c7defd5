"""The distance pass on Ray, through joblib, gives the digits of threads."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from joblib import parallel_config

import adjudge
from adjudge.engines.pairs import meetings as pair_meetings
from adjudge.engines.pairs import strips
from adjudge.engines.running.executor import Crew
from adjudge.engines.running.workers import WorkerError, Workers, _run_published


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    from ray.util.joblib import register_ray

    register_ray()
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    yield ray
    ray.shutdown()


@pytest.fixture
def small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_meetings, "_WORTH_SENDING", 500_000)
    monkeypatch.setattr(strips, "strip_points", lambda n: 500)


@pytest.mark.usefixtures("small_tasks")
def test_ray_gives_the_digits_of_threads(cluster: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(3000, 3)), rng.integers(0, 3, 3000)
    np.save(tmp_path / "X.npy", X)
    options: dict[str, Any] = {"indices": ["silhouette", "dunn"], "progress": False}
    alone = adjudge.evaluate(X=X, labels=labels, **options)
    with parallel_config("ray", n_jobs=2):
        crew = Crew.of(None, None)
        assert crew.workers == Workers(2)
        assert os.getpid() not in {pid for _, pid in crew.map(where, range(8), batch=1)}
        for points in (X, tmp_path / "X.npy"):
            found = adjudge.evaluate(X=points, labels=labels, **options)
            assert {k: v.hex() for k, v in found.values.items()} == {
                k: v.hex() for k, v in alone.values.items()
            }


def own_workers() -> list[int]:
    """Processes of joblib's pool that this process has started through Ray."""
    parents, names = {}, {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(path.name)] = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            names[int(path.name)] = (path / "cmdline").read_text()
        except OSError:
            continue

    def is_own(pid: int) -> bool:
        while pid in parents and pid != os.getpid():
            pid = parents[pid]
        return pid == os.getpid()

    return [pid for pid, name in names.items() if "PoolActor" in name and is_own(pid)]


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are found in /proc")
@pytest.mark.usefixtures("small_tasks")
@pytest.mark.parametrize("both", [False, True])
def test_killed_ray_workers_change_nothing(cluster: Any, both: bool) -> None:
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(3000, 3)), rng.integers(0, 3, 3000)
    options: dict[str, Any] = {"indices": ["silhouette", "dunn"]}
    alone = adjudge.evaluate(X=X, labels=labels, progress=False, **options)
    killed: list[int] = []

    def kill_in_the_middle(what: str, done: int, total: int) -> None:
        if not killed and done > total // 3:
            killed.extend(own_workers()[: 2 if both else 1])
            for pid in killed:
                os.kill(pid, signal.SIGKILL)

    with parallel_config("ray", n_jobs=2):
        found = adjudge.evaluate(X=X, labels=labels, progress=kill_in_the_middle, **options)
    assert len(killed) == 1 + both
    assert {k: v.hex() for k, v in found.values.items()} == {k: v.hex() for k, v in alone.values.items()}


def slow(i: int) -> int:
    time.sleep(0.8)
    return i * i


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are found in /proc")
def test_tasks_of_a_killed_ray_worker_are_run_again(cluster: Any) -> None:
    """Also tasks that take so long that the worker dies in one."""
    killed: list[int] = []

    def kill() -> None:
        while not (workers := own_workers()):
            time.sleep(0.1)
        time.sleep(2.0)
        killed.append(workers[0])
        os.kill(workers[0], signal.SIGKILL)

    helper = threading.Thread(target=kill)
    with parallel_config("ray", n_jobs=2):
        found = Crew.of(None, None).map(slow, range(14), batch=1)
        helper.start()
        assert [result for _, result in found] == [i * i for i in range(14)]
    helper.join()
    assert len(killed) == 1


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are found in /proc")
def test_ray_workers_that_always_die_are_given_up(cluster: Any) -> None:
    with parallel_config("ray", n_jobs=2), pytest.raises(WorkerError, match="Ray lost its workers 5 times"):
        list(Crew.of(None, None).map(fatal, range(4), batch=1))


def fatal(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def where(_: int) -> int:
    return os.getpid()


def test_a_worker_without_the_folder_says_so(tmp_path: Path) -> None:
    with pytest.raises(WorkerError, match=r"cannot read .*nowhere.*: let the environment variable TMPDIR"):
        _run_published(str(tmp_path / "nowhere"), os.getpid(), [])
