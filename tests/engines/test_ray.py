"""The distance pass on Ray, through joblib, gives the digits of threads."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from joblib import parallel_config

import adjudge
from adjudge.engines.pairs import layout
from adjudge.engines.pairs import tasks as pair_tasks
from adjudge.engines.running.crew import Crew
from adjudge.engines.running.workers import WorkerError, Workers, _run_published


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    from ray.util.joblib import register_ray

    register_ray()
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    yield ray
    ray.shutdown()


def test_ray_gives_the_digits_of_threads(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pair_tasks, "task_size", lambda n_pairs: 150_000)
    monkeypatch.setattr(pair_tasks, "_WORTH_SENDING", 500_000)
    monkeypatch.setattr(layout, "span_points", lambda n: 500)
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


def where(_: int) -> int:
    return os.getpid()


def test_a_worker_without_the_folder_says_so(tmp_path: Path) -> None:
    with pytest.raises(WorkerError, match=r"cannot read .*nowhere.*: let the environment variable TMPDIR"):
        _run_published(str(tmp_path / "nowhere"), os.getpid(), [])
