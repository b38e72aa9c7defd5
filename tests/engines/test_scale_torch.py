"""engine="torch" gives what the compiled engine gives: counts exactly, everything else to 1e-10."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.cli import main
from adjudge.engines import torch_centroids, torch_distances
from adjudge.engines.pairs import strips
from adjudge.engines.points import reduce_points
from adjudge.engines.running import checkpoint
from adjudge.errors import InputError, MissingExtraError
from adjudge.statistics.moments import ClusterDeterminants, Moments, Scatter
from adjudge.statistics.pair_distances import (
    CompleteLinkage,
    Diameters,
    DistanceTies,
    Hausdorff,
    PairRanks,
    PairSums,
    Silhouettes,
    SingleLinkage,
)
from digits import check_alike, numbers_of
from pair_statistics import RANKED, SWEPT

HAS_TORCH = importlib.util.find_spec("torch") is not None
needs_torch = pytest.mark.skipif(not HAS_TORCH, reason="torch is not installed: pip install 'adjudge[torch]'")
CENTRAL = (Moments, Scatter, ClusterDeterminants)
EQUAL = (PairRanks, DistanceTies)


def devices() -> list[str]:
    if not HAS_TORCH:
        return ["cpu"]
    import torch

    return ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]


def cloud(n: int, p: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, k, n)
    labels[: n // 8] = rng.integers(k, k + 40, n // 8)
    X = rng.normal(size=(k + 40, p))[labels] * 2 + rng.normal(size=(n, p))
    X[:, -1] = 7.25  # a constant variable
    return X, labels


@needs_torch
@pytest.mark.parametrize("device", devices())
@pytest.mark.parametrize(("n", "p", "k"), [(1600, 3, 1), (700, 7, 3), (60, 1, 2)])
@pytest.mark.parametrize(
    "wanted",
    [SWEPT, (*SWEPT, *RANKED, *CENTRAL), (Diameters, SingleLinkage), (PairSums,), RANKED, (Hausdorff,)],
)
def test_equals_the_compiled_engine(
    device: str, n: int, p: int, k: int, wanted: tuple[type, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strips, "strip_points", lambda n: 390)
    monkeypatch.setattr(torch_distances, "_CPU_BLOCK", 1 << 16)
    monkeypatch.setattr(torch_centroids, "_CHUNK", 500)
    X, labels = cloud(n, p, k)
    for options in ({}, {"memory_limit": 1 << 20}, {"exact": True}):
        expected = reduce_points(X, labels, wanted, **options)
        found = reduce_points(X, labels, wanted, engine="torch", device=device, **options)
        check_alike(found, expected, 1e-10, exact=EQUAL)


@needs_torch
def test_at_an_offset_and_from_a_map(tmp_path: Path) -> None:
    X, labels = cloud(1500, 3, 2)
    X = np.round(X, 3) + 1e3
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    expected = reduce_points(X, labels, (*SWEPT, *CENTRAL))
    check_alike(
        reduce_points(mapped, labels, (*SWEPT, *CENTRAL), engine="torch"), expected, 1e-10, exact=EQUAL
    )


@needs_torch
def test_goes_on_from_its_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strips, "strip_points", lambda n: 390)
    monkeypatch.setattr(checkpoint, "INTERVAL", 0.0)
    X, labels = cloud(2400, 3, 2)
    whole = reduce_points(X, labels, [Silhouettes], engine="torch")

    class Killed(BaseException):
        pass

    def stop(done: int, total: int) -> None:
        if done > total // 2:
            raise Killed

    path = tmp_path / "pass.npz"
    with pytest.raises(Killed):
        reduce_points(X, labels, [Silhouettes], engine="torch", checkpoint=path, progress=stop)
    with pytest.raises(InputError, match="engine is torch there and memory here"):
        reduce_points(X, labels, [Silhouettes], checkpoint=path)
    again = reduce_points(X, labels, [Silhouettes], engine="torch", checkpoint=path)
    assert again[Silhouettes].values.tobytes() == whole[Silhouettes].values.tobytes()


@needs_torch
def test_the_verb_takes_it() -> None:
    X, labels = cloud(300, 3, 2)
    names = ["silhouette", "dunn", "calinski_harabasz", "c_index", "gamma"]
    plain = adjudge.evaluate(X=X, labels=labels, indices=names).values
    found = adjudge.evaluate(X=X, labels=labels, indices=names, engine="torch").values
    assert found == pytest.approx(plain, rel=1e-10)


@needs_torch
def test_threads_change_no_digit_and_torch_keeps_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(strips, "strip_points", lambda n: 390)
    before = torch.get_num_threads()
    X, labels = cloud(1600, 3, 1)
    one, three = (
        reduce_points(X, labels, [Silhouettes], engine="torch", n_jobs=n)[Silhouettes] for n in (1, 3)
    )
    assert one.values.tobytes() == three.values.tobytes()
    assert torch.get_num_threads() == before


def near_copies(k: int) -> tuple[np.ndarray, np.ndarray]:
    """Points far from 0 in k clusters, with near copies, of whose distances products alone would leave little."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1300, 30)) + 5 * rng.normal(size=(k, 30))[np.arange(1300) % k] + 100
    X[600:900] = X[:300] + 1e-6 * rng.normal(size=(300, 30))
    return X, np.arange(1300) % k


def counted_products(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Let small tasks use products, and note each of them."""
    monkeypatch.setattr(strips, "strip_points", lambda n: 390)
    monkeypatch.setattr(torch_distances, "_CPU_PRODUCTS", (60, 130))
    monkeypatch.setattr(torch_distances, "_GPU_PRODUCTS", (60, 130))
    multiplied: list[Any] = []
    squares = torch_distances.TorchProducts.squares
    monkeypatch.setattr(
        torch_distances.TorchProducts, "squares", lambda *given: multiplied.append(1) or squares(*given)
    )
    return multiplied


@needs_torch
@pytest.mark.parametrize("device", devices())
@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("k", [1, 3, 400])
def test_products_give_sums(
    device: str, precision: str, metric: str, k: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch_distances, "_SENT", 3000)
    X, labels = near_copies(k)
    X[900:1000] = X[:100]
    multiplied = counted_products(monkeypatch)
    types = (PairSums, Silhouettes)
    expected = reduce_points(X, labels, (*types, Hausdorff), metric=metric)
    own = {type_: expected[type_] for type_ in types}
    # The same tolerance as for the compiled loops; unit rows of points far from 0 are rounded.
    tolerance = 1e-10 if precision == "float64" else 1e-5
    for options in ({}, {"memory_limit": 1 << 10}):
        found = reduce_points(
            X, labels, types, metric=metric, engine="torch", device=device, precision=precision, **options
        )
        check_alike(found, own, tolerance)
    # Sums of squared distances to a few centroids need no pass over pairs.
    assert bool(multiplied) == (metric == "euclidean" or k == 400)


@needs_torch
@pytest.mark.parametrize("device", devices())
@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("k", [1, 3, 30])
def test_products_find_extremes(
    device: str, precision: str, metric: str, k: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, labels = near_copies(k)
    X[1100] = X[1101]  # of different clusters
    multiplied = counted_products(monkeypatch)
    extremes = (SingleLinkage, CompleteLinkage, Diameters)
    # Hausdorff distances need all distances, as explicit differences.
    exact = reduce_points(X, labels, (*extremes, Hausdorff), metric=metric)
    for types in (extremes, (*extremes, PairSums)):
        found = reduce_points(
            X, labels, types, metric=metric, engine="torch", device=device, precision=precision
        )
        for type_ in extremes:
            for name, value in numbers_of(exact[type_]).items():
                own = getattr(found[type_], name)
                assert np.array_equal(np.asarray(own), np.asarray(value), equal_nan=value is not None), name
    assert multiplied


@needs_torch
def test_takes_distances_that_are_squares() -> None:
    X, labels = cloud(700, 7, 3)
    for metric in ("cosine", "correlation"):
        expected = reduce_points(X, labels, (*SWEPT, *RANKED), metric=metric)
        found = reduce_points(X, labels, (*SWEPT, *RANKED), metric=metric, engine="torch")
        check_alike(found, expected, 1e-10, exact=EQUAL)


@needs_torch
def test_devices_that_are_not_there() -> None:
    X, labels = cloud(300, 3, 2)
    for device in ("meadow", "cuda:77"):
        with pytest.raises(InputError, match=f"device='{device}' cannot be used") as caught:
            reduce_points(X, labels, [PairSums], engine="torch", device=device)
        assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match="computes only Euclidean, cosine and correlation distances"):
        reduce_points(X, labels, [PairSums], engine="torch", metric="cityblock")


def test_engines_that_are_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    X, labels = cloud(300, 3, 2)
    with pytest.raises(InputError, match="engine='abacus'"):
        reduce_points(X, labels, [PairSums], engine="abacus")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(
        MissingExtraError, match=r"engine='torch' needs the package 'torch'.*adjudge\[torch\]"
    ):
        reduce_points(X, labels, [PairSums], engine="torch")


POINTS = "x,y,group\n0,0,a\n1,0,a\n9,8,b\n8,9,b\n7,9,b\n"


def on_the_command_line(folder: Path, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str]:
    path = folder / "t.csv"
    path.write_text(POINTS)
    code = main(["evaluate", str(path), "--indices", "silhouette,dunn", "--format", "json", *options])
    captured = capsys.readouterr()
    return code, captured.err.removeprefix("adjudge: ").rstrip("\n") if code else captured.out


@needs_torch
@pytest.mark.parametrize("device", [[], *(["--device", device] for device in devices())])
def test_the_command_line_takes_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], device: list[str]
) -> None:
    plain = json.loads(on_the_command_line(tmp_path, capsys, "--labels", "group")[1])
    options = ["--labels", "group", "--engine", "torch", *device]
    found = json.loads(on_the_command_line(tmp_path, capsys, *options)[1])
    wanted = plain["evaluations"]["group"]["values"]
    assert found["evaluations"]["group"]["values"] == pytest.approx(wanted, rel=1e-10)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--labels", "group", "--engine", "torch"],
            "--engine torch needs the package 'torch', which is not installed: pip install 'adjudge[torch]'",
        ),
        (["--labels", "group", "--device", "cuda"], "--device needs --engine torch: give both"),
        (
            ["--labels", "group", "--engine", "torch", "--sample-size", "3"],
            "--sample-size reads few of the points: leave --engine out",
        ),
        (
            ["--labels", "group", "--engine", "torch", "--metric", "cityblock"],
            "--engine torch computes only Euclidean, cosine and correlation distances of dense points: leave it out",
        ),
        (
            ["--truth", "group", "--pred", "group", "--engine", "torch"],
            "--engine torch is an option for points: name the labels with --labels, not --pred",
        ),
    ],
)
def test_what_the_command_line_says_of_it(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    message: str,
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    assert on_the_command_line(tmp_path, capsys, *options) == (2, message)
