"""Checkpoints: a pass that was killed goes on and gives the same digits; nothing of another computation is taken."""

from __future__ import annotations

import errno
import functools
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjudge import atomic
from adjudge.engines.pairs import reduction, strips
from adjudge.engines.points import reduce_points
from adjudge.engines.running import checkpoint
from adjudge.errors import InputError
from adjudge.statistics.pair_distances import Diameters, PairRanks, PairSums, Silhouettes, TailSums
from digits import digits
from pair_statistics import RANKED, SWEPT


def cloud(n: int = 3000, k: int = 2, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, k, n)
    # A large cluster, and many small ones that share a group.
    labels[: n // 10] = rng.integers(k, k + 40, n // 10)
    return rng.normal(size=(k + 40, 3))[labels] * 2 + rng.normal(size=(n, 3)), labels


class Killed(BaseException):
    """Ends a run wherever it is, as nothing that catches errors would."""


@pytest.fixture
def small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strips, "strip_points", lambda n: 390)
    monkeypatch.setattr(checkpoint, "INTERVAL", 0.0)
    monkeypatch.setattr(atomic.os, "fsync", lambda descriptor: None)


@pytest.mark.full
@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
@pytest.mark.parametrize(
    ("steps", "options"),
    [(3, {}), (8, {"memory_limit": 1 << 20}), (8, {"memory_limit": 1 << 24, "exact": True})],
)
@pytest.mark.usefixtures("small_tasks")
def test_killed_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steps: int, options: dict[str, Any], metric: str
) -> None:
    monkeypatch.setattr(checkpoint, "INTERVAL", 0.005)
    monkeypatch.setattr(reduction, "_FEW_DISTANCES", 1 << 20 if not options else 0)
    X, labels = cloud(1300, 1)
    wanted = (*SWEPT, *RANKED)
    whole = digits(reduce_points(X, labels, wanted, metric=metric, **options))
    path = tmp_path / "pass.npz"
    before, runs = -1, 0

    def killed_soon(done: int, total: int) -> None:
        nonlocal before, left
        # Work that was done is not done again.
        left -= done > before
        before = max(done, before)
        if left < 0:
            raise Killed

    while True:
        left, runs = steps, runs + 1
        try:
            found = reduce_points(
                X, labels, wanted, metric=metric, checkpoint=path, progress=killed_soon, **options
            )
        except Killed:
            assert path.exists()
            continue
        break
    assert digits(found) == whole
    assert runs > 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("wanted", "share"), [(SWEPT, 0.8), ((*SWEPT, *RANKED), 0.2), ((*SWEPT, *RANKED), 0.8)]
)
@pytest.mark.usefixtures("small_tasks")
def test_what_is_done_is_saved_when_the_run_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: Any, share: float
) -> None:
    monkeypatch.setattr(checkpoint, "INTERVAL", 1000.0)
    X, labels = cloud(1300, 1)
    options: dict[str, Any] = {"memory_limit": 1 << 20, "n_jobs": 2, "checkpoint": tmp_path / "pass.npz"}
    whole = digits(reduce_points(X, labels, wanted, memory_limit=1 << 20))
    told: list[int] = []

    def stop_late(done: int, total: int) -> None:
        told.append(done)
        if done > total * share:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reduce_points(X, labels, wanted, progress=stop_late, **options)
    done_before = told[-2]
    told.clear()
    found = reduce_points(X, labels, wanted, progress=lambda done, total: told.append(done), **options)
    assert digits(found) == whole
    if wanted is SWEPT:
        assert next(done for done in told if done > 2 * labels.size) >= done_before
    assert list(tmp_path.iterdir()) == []


SCRIPT = """
    import sys, time
    import numpy as np
    import adjudge
    from adjudge.engines.running import checkpoint
    from adjudge.engines.pairs import strips
    checkpoint.INTERVAL = 0.05
    strips.strip_points = lambda n: 450
    rng = np.random.default_rng(1)
    X = rng.normal(size=(4000, 3)); labels = rng.integers(0, 2, 4000)
    def slowly(what, done, total):
        print(done, flush=True)
        time.sleep(float(sys.argv[2]))
    result = adjudge.evaluate(X=X, labels=labels, indices=["silhouette", "dunn", "mcclain_rao", "gamma"],
                              checkpoint=sys.argv[1] or None, progress=slowly, memory_limit=1 << 20)
    print("values", {name: value.hex() for name, value in result.values.items()})
"""


def run_script(path: str, pause: float) -> subprocess.Popen[str]:
    code = textwrap.dedent(SCRIPT)
    return subprocess.Popen([sys.executable, "-c", code, path, str(pause)], stdout=subprocess.PIPE, text=True)


@pytest.mark.full
def test_a_process_killed_by_sigkill_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "pass.npz"
    done_before = 0
    for _ in range(2):
        process = run_script(str(path), 0.05)
        assert process.stdout is not None
        last_change = path.stat().st_mtime_ns if path.exists() else 0
        saves = 0
        for line in process.stdout:
            if line.startswith("values"):
                pytest.fail("the run ended before it was killed")
            now = path.stat().st_mtime_ns if path.exists() else 0
            saves += now != last_change
            last_change = now
            if saves >= 4:
                done_before = max(done_before, int(line))
                break
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
        assert process.returncode == -signal.SIGKILL
    assert path.exists()
    ended, _ = run_script(str(path), 0.0).communicate(timeout=60)
    straight, _ = run_script("", 0.0).communicate(timeout=60)
    assert ended.splitlines()[-1].startswith("values")
    assert ended.splitlines()[-1] == straight.splitlines()[-1]
    # What was done is not done again: beyond the two passes over 4,000 points the first report is after it, or close.
    first = next(int(line) for line in ended.splitlines() if int(line) > 2 * 4000)
    assert first > done_before // 2
    assert not path.exists()


def interrupted(path: Path, X: Any, labels: Any, **options: Any) -> None:
    def stop(done: int, total: int) -> None:
        if done > total // 2:
            raise Killed

    with pytest.raises(Killed):
        reduce_points(X, labels, [Silhouettes], checkpoint=path, progress=stop, **options)


@pytest.mark.usefixtures("small_tasks")
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda X, y: (X[:-1], y[:-1], {}), "shape of X is 3000 x 3 there and 2999 x 3 here"),
        (lambda X, y: (X + (np.arange(3000) == 77)[:, None] * 1e-9, y, {}), "values of the points differ"),
        (lambda X, y: (X, np.roll(y, 1), {}), "labels differ"),
        (lambda X, y: (X.astype(np.float32), y, {}), "type of X is float64 there and float32 here"),
        (lambda X, y: (X, y, {"metric": "cityblock"}), "metric is euclidean there and cityblock here"),
        (lambda X, y: (X, y, {"exact": True}), "exact is False there and True here"),
    ],
)
def test_refuses_a_checkpoint_of_something_else(tmp_path: Path, change: Any, reason: str) -> None:
    X, labels = cloud()
    path = tmp_path / "pass.npz"
    interrupted(path, X, labels)
    kept = path.read_bytes()
    other_X, other_labels, options = change(X, labels)
    with pytest.raises(InputError, match=reason) as caught:
        reduce_points(other_X, other_labels, [Silhouettes], checkpoint=path, **options)
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == kept


def power(exponent: float) -> Any:
    return lambda a, b: float((np.abs(a - b) ** exponent).sum())


@pytest.mark.full
@pytest.mark.usefixtures("small_tasks")
def test_refuses_a_checkpoint_of_another_function_of_the_same_name(tmp_path: Path) -> None:
    X, labels = cloud(600)
    path = tmp_path / "pass.npz"
    interrupted(path, X, labels, metric=power(1))
    with pytest.raises(InputError, match=r"metric is .*<lambda> with distances .* there and .* here"):
        reduce_points(X, labels, [Silhouettes], checkpoint=path, metric=power(2))
    resumed = reduce_points(X, labels, [Silhouettes], checkpoint=path, metric=power(1))
    alone = reduce_points(X, labels, [Silhouettes], metric=power(1))
    np.testing.assert_array_equal(resumed[Silhouettes].values, alone[Silhouettes].values)


@pytest.mark.full
@pytest.mark.usefixtures("small_tasks")
def test_goes_on_with_a_metric_that_has_no_name(tmp_path: Path) -> None:
    X, labels = cloud(600)
    path = tmp_path / "pass.npz"
    metric = functools.partial(lambda exponent, a, b: power(exponent)(a, b), 1)
    interrupted(path, X, labels, metric=metric)
    resumed = reduce_points(X, labels, [Silhouettes], checkpoint=path, metric=metric)
    alone = reduce_points(X, labels, [Silhouettes], metric=metric)
    np.testing.assert_array_equal(resumed[Silhouettes].values, alone[Silhouettes].values)


@pytest.mark.full
@pytest.mark.parametrize("wanted", [[PairRanks], [TailSums]])
@pytest.mark.parametrize("later", [0.7, 1.4])
def test_a_metric_that_changes_while_it_is_used_is_refused(
    wanted: Any, later: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reduction, "_FEW_DISTANCES", 0)
    X, labels = cloud(600)
    scale = 1.0

    def drift(done: int, total: int) -> None:
        nonlocal scale
        # Two passes were made: how far the distances reach, and how they are spread.
        scale = later if done >= 2 * (600 * 599 // 2) else 1.0

    def metric(a: Any, b: Any) -> float:
        return float(np.abs(a - b).sum()) * scale

    with pytest.raises(InputError, match="metric gives different distances for the same points than before"):
        reduce_points(X, labels, wanted, metric=metric, memory_limit=1 << 21, progress=drift)


def test_refuses_other_statistics_and_other_versions(
    tmp_path: Path, small_tasks: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, labels = cloud()
    path = tmp_path / "pass.npz"
    interrupted(path, X, labels)
    with pytest.raises(InputError, match="statistics differ"):
        reduce_points(X, labels, [Diameters], checkpoint=path)
    monkeypatch.setattr("adjudge.engines.points.__version__", "99.0")
    with pytest.raises(InputError, match=r"version of adjudge is .* there and 99\.0 here"):
        reduce_points(X, labels, [Silhouettes], checkpoint=path)


@pytest.mark.parametrize("damage", ["cut", "flipped", "text", "array"])
@pytest.mark.usefixtures("small_tasks")
def test_refuses_damaged_and_foreign_files(tmp_path: Path, damage: str) -> None:
    X, labels = cloud()
    path = tmp_path / "pass.npz"
    interrupted(path, X, labels)
    content = bytearray(path.read_bytes())
    if damage == "cut":
        content = content[: len(content) // 2]
    elif damage == "flipped":
        # In the middle lies what ZIP writes between two arrays, part of which nobody reads.
        content[len(content) // 3] ^= 0xFF
    elif damage == "text":
        content = bytearray(b"my notes")
    else:
        with path.open("wb") as stream:
            np.save(stream, X)
        content = bytearray(path.read_bytes())
    path.write_bytes(content)
    with pytest.raises(InputError, match="exists and is not a checkpoint, or is damaged"):
        reduce_points(X, labels, [Silhouettes], checkpoint=path)
    assert path.read_bytes() == bytes(content)


def test_unwritable_places_are_told_before_the_work(tmp_path: Path) -> None:
    X, labels = cloud(100)
    called: list[int] = []
    with pytest.raises(InputError, match="there is no folder"):
        reduce_points(
            X, labels, [Silhouettes], checkpoint=tmp_path / "no" / "x", progress=lambda *d: called.append(1)
        )
    with pytest.raises(InputError, match="it is a folder"):
        reduce_points(X, labels, [Silhouettes], checkpoint=tmp_path)
    assert not called


@pytest.mark.usefixtures("small_tasks")
def test_a_full_disk_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    X, labels = cloud()
    path = tmp_path / "pass.npz"
    whole = digits(reduce_points(X, labels, [Silhouettes, PairSums]))
    contents: list[bytes] = []
    replace, calls = os.replace, 0

    def full_from_the_third_on(a: str, b: str) -> None:
        nonlocal calls
        calls += 1
        if calls >= 3:
            contents.append(path.read_bytes())
            raise OSError(errno.ENOSPC, "No space left on device")
        replace(a, b)

    monkeypatch.setattr(atomic.os, "replace", full_from_the_third_on)
    with pytest.warns(UserWarning, match=r"No space left on device; the computation continues") as warned:
        found = reduce_points(X, labels, [Silhouettes, PairSums], checkpoint=path)
    assert len(warned) == 1
    assert "\n" not in str(warned[0].message)
    assert digits(found) == whole
    # The last good checkpoint stayed, whole.
    assert len(contents) > 1
    assert len(set(contents)) == 1


def test_a_full_disk_at_the_start_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(a: str, b: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(atomic.os, "replace", full)
    with pytest.raises(InputError, match="No space left on device"):
        reduce_points(*cloud(100), [Silhouettes], checkpoint=tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_saves_when_the_time_has_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strips, "strip_points", lambda n: 320)
    X, labels = cloud()
    path = tmp_path / "pass.npz"
    written: list[float] = []
    write = checkpoint.write_atomically
    monkeypatch.setattr(
        checkpoint, "write_atomically", lambda *a: (written.append(time.monotonic()), write(*a))[1]
    )
    reduce_points(X, labels, [Silhouettes], checkpoint=path)
    assert len(written) == 1  # a minute has not passed


@pytest.mark.usefixtures("small_tasks")
def test_what_a_killed_process_left_beside_it_is_removed(tmp_path: Path) -> None:
    X, labels = cloud(1300, 1)
    path = tmp_path / "pass.npz"
    interrupted(path, X, labels)
    left, another = tmp_path / ".pass.npz.abcd_123", tmp_path / ".pass2.npz.abcd_123"
    for file in (left, another):
        file.write_bytes(b"half of it")
    reduce_points(X, labels, [Silhouettes], checkpoint=path)
    assert [*tmp_path.iterdir()] == [another]
