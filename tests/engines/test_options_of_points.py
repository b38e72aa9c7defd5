"""What goes with points is checked, and does what it says; passes are declared before they run."""

from __future__ import annotations

import json
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
import pytest
from joblib import Parallel, delayed, parallel_config
from scipy import sparse

import adjudge
from adjudge.cli import main
from adjudge.cli.options import as_bytes
from adjudge.engines import points as engine
from adjudge.engines.pairs import meetings as pair_meetings
from adjudge.engines.pairs import nearest, strips
from adjudge.engines.pairs.euclidean_embeddings import has_image, is_squared
from adjudge.engines.passes import Job, Pass, reads_of
from adjudge.engines.points import declared_passes, reduce_coded_points
from adjudge.engines.protocols import Work
from adjudge.engines.running import workers
from adjudge.errors import InputError, InputTypeError
from adjudge.given.input_kinds import Distances, Partition
from adjudge.given.point_options import PointOptions
from adjudge.given.weights import PointWeights
from adjudge.indices.catalog import list_indices
from adjudge.statistics.moments import need_coordinates
from adjudge.statistics.pair_distances import ClusterSizes, Diameters, PairSums, Silhouettes, SingleLinkage
from adjudge.statistics.weighted_points import WeightedClusterSizes

rng = np.random.default_rng(0)
X = rng.normal(size=(400, 3)) + np.arange(400)[:, None] % 3
LABELS = np.arange(400) % 3


def judged(**options: Any) -> Any:
    return adjudge.evaluate(**{"X": X, "labels": LABELS, "indices": ["silhouette", "gamma"], **options})


def test_sparse_points_are_judged_by_all_that_they_allow() -> None:
    points = np.where(np.abs(X) < 1, 0.0, X)
    known = [r for r in adjudge.list_indices("internal") if not r.labels_are]
    names = [r.name for r in known if not need_coordinates(r.requires)]
    whole = judged(X=sparse.coo_matrix(points), indices="all")
    assert list(whole.values) == names
    dense = judged(X=points, indices=names)
    for name in names:
        assert whole[name] == pytest.approx(dense[name], rel=1e-9)
    assert "silhouette" in judged(X=sparse.csr_array(points), indices="all", confidence=0.9).intervals
    assert set(judged(X=sparse.csr_array(points), indices="all", sample_size=60).values) == set(names)


def test_intervals_are_of_the_distances_that_were_asked_for() -> None:
    found = judged(metric="cityblock", indices="silhouette", confidence=0.9)
    euclidean = judged(indices="silhouette", confidence=0.9)
    low, high = found.intervals["silhouette"]
    assert low < found["silhouette"] < high
    assert found.intervals != euclidean.intervals
    given = np.abs(X[:, None] - X).sum(axis=2)
    again = judged(X=given, metric="precomputed", indices="silhouette", confidence=0.9)
    assert again.intervals["silhouette"] == pytest.approx((low, high))


def test_progress_is_a_function_or_a_choice(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    told: list[tuple[str, int, int]] = []
    judged(progress=lambda *step: told.append(step))
    assert {what for what, _, _ in told} == {"distances"}
    assert told[-1][1] == told[-1][2] > 0
    plain = judged().values
    for progress in (True, False, None):
        assert judged(progress=progress).values == plain
    assert judged(sample_size=50, progress=False, random_state=0).intervals
    assert capsys.readouterr().err == ""
    for nonsense in (3, "yes"):
        for options in ({}, {"sample_size": 50}):
            with pytest.raises(InputTypeError, match=f"progress={nonsense!r}: True, False or a function"):
                judged(progress=nonsense, **options)
    from adjudge.engines.points import reduce_points

    with pytest.raises(InputTypeError, match="progress=3: a function of"):
        reduce_points(X, LABELS, [], progress=3)


def test_a_bar_is_shown_unless_it_is_declined(monkeypatch: pytest.MonkeyPatch) -> None:
    from adjudge import progress

    opened: list[str] = []

    class Screen:
        def __init__(self, description: str) -> None:
            self._description = description

        def draw(self, share: float | None, seconds: float) -> None:
            opened.append(self._description)

        def clear(self) -> None:
            opened.append(f"{self._description} cleared")

    monkeypatch.setattr(progress, "_screen", lambda: Screen)
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    judged(progress=False)
    assert not opened
    judged()
    judged(sample_size=50)
    judged(confidence=0.9)
    assert set(opened) >= {"Distances", "Distances cleared", "Samples", "Samples cleared"}


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"checkpoint": 3}, InputTypeError, "3 is an int: give the path of a file"),
        ({"device": "cuda"}, InputError, "device='cuda' needs engine='torch'"),
        ({"bins": 1000}, InputError, "bins=1000: a whole number of at least 65536 is needed"),
        ({"bins": 1 << 21}, InputError, "bins=2097152: at most 1048576 are counted"),
        ({"sample_size": 50, "engine": "torch"}, InputError, "leave engine= out"),
        ({"sample_size": 50, "bins": 1 << 17}, InputError, "leave bins= out"),
        ({"metric": 3}, InputTypeError, "metric=3: a name or a function of two points is needed"),
        ({"metric": "precomputed", "X": sparse.eye(400, format="csr")}, InputError, "X is sparse"),
    ],
)
def test_refuses(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        judged(**options)


def test_a_sample_goes_with_the_engine_that_there_is_anyway() -> None:
    one, other = (
        judged(sample_size=50, random_state=0, **o) for o in ({}, {"engine": "memory", "exact": False})
    )
    assert one.values == other.values


@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
def test_more_bins_bound_the_error_closer(metric: str) -> None:
    options = {"indices": ["gamma", "tau"], "memory_limit": 1 << 16, "metric": metric}
    exact = judged(indices=["gamma", "tau"], metric=metric)
    few, many = judged(**options), judged(**options, bins=1 << 20)
    assert few.values == judged(**options, bins=1 << 16).values
    for name in ("gamma", "tau"):
        assert 0 < many.error_bounds[name] < few.error_bounds[name] / 8
        assert abs(many[name] - exact[name]) <= many.error_bounds[name]
    c_index = judged(indices="c_index", memory_limit=1 << 16, metric=metric, bins=1 << 18)
    assert c_index["c_index"] == pytest.approx(judged(indices="c_index", metric=metric)["c_index"], rel=1e-12)


@pytest.mark.full
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("backend", ["multiprocessing", "loky", "threading", "sequential"])
def test_any_backend_of_joblib(monkeypatch: pytest.MonkeyPatch, backend: str) -> None:
    monkeypatch.setattr(strips, "strip_points", lambda n: 90)
    monkeypatch.setattr(pair_meetings, "_WORTH_SENDING", 20_000)
    monkeypatch.setattr(pair_meetings, "_WORTH_THREADS", 1_000)
    alone = judged(memory_limit=1 << 16, bins=1 << 17).values
    with parallel_config(backend, n_jobs=2):
        assert judged(memory_limit=1 << 16, bins=1 << 17).values == alone


def _ends_at_once() -> bool:
    return signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


@pytest.mark.full
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_worker_ends_when_it_is_told_to() -> None:
    with workers.terminated_in_order(), parallel_config("multiprocessing", n_jobs=2):
        assert not _ends_at_once()
        assert Parallel()(delayed(_ends_at_once)() for _ in range(2)) == [True, True]


def test_plans_advise_what_helps() -> None:
    def warning_of(*numbers: int, **options: Any) -> str:
        (warning,) = [w for w in adjudge.plan(*numbers, **options).warnings if w.code == "takes-long"]
        return str(warning)

    for name in ("calinski_harabasz", "silhouette", "scott_symons"):
        said = warning_of(10**11, 256, 1000, indices=[name], exact=True)
        assert "leave it out, or use workers" in said
    with pytest.raises(
        InputError, match="exact=True needs room for 499,999,500,000 distances: give memory_limit="
    ):
        adjudge.plan(10**6, 8, 10, indices=["gamma"], exact=True)
    assert warning_of(10**6, 8, 10, indices=["gamma"], exact=True, memory_limit=1 << 44)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"indices": "rand"}, "rand"),
        ({"memory_limit": 0}, "memory_limit=0: a whole number of at least 1"),
        ({"memory_limit": "x"}, "memory_limit='x': a whole number"),
        ({"exact": "x"}, "exact='x': True or False"),
    ],
)
def test_plans_refuse_what_evaluate_refuses(options: dict[str, Any], message: str) -> None:
    with pytest.raises(adjudge.AdjudgeError, match=message):
        adjudge.plan(100, 2, 3, **options)
    with pytest.raises(adjudge.AdjudgeError):
        judged(**options)


@pytest.mark.parametrize(
    ("size", "n_bytes"),
    [("500MB", 5 * 10**8), ("4GiB", 1 << 32), ("1024", 1024), ("1.5 k", 1500), ("2tb", 2 * 10**12)],
)
def test_sizes_of_memory(size: str, n_bytes: int) -> None:
    assert as_bytes(size) == n_bytes


@pytest.fixture
def points(tmp_path: Path) -> str:
    rows = "\n".join(f"{a},{b},{c},{label}" for (a, b, c), label in zip(X, LABELS, strict=True))
    (tmp_path / "points.csv").write_text(f"x,y,z,label\n{rows}\n")
    return str(tmp_path / "points.csv")


@pytest.mark.full
def test_commands_take_a_limit_of_memory(points: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["evaluate", points, "--labels", "label", "--indices", "gamma", "--format", "json"]
    shown = []
    for more in ([], ["--memory-limit", "64kiB"], ["--memory-limit", "64kiB", "--bins", "1000000"]):
        assert main([*command, *more]) == 0
        shown.append(json.loads(capsys.readouterr().out)["evaluations"]["label"])
    assert [bool(s["error_bounds"]) for s in shown] == [False, True, True]
    assert shown[2]["error_bounds"]["gamma"] < shown[1]["error_bounds"]["gamma"]
    memory = {}
    for limit in ("1GB", "2MB"):
        plan = ["plan", points, "--labels", "label", "--indices", "gamma", "--memory-limit", limit]
        assert main([*plan, "--format", "json"]) == 0
        said = json.loads(capsys.readouterr().out)["warnings"]
        memory[limit] = [own["message"] for own in said if own["severity"] != "info"]
    assert memory["1GB"] == memory["2MB"] == []
    assert main([*command, "--memory-limit", "much"]) == 2
    assert capsys.readouterr().err == (
        "adjudge: --memory-limit much: a size such as 500MB or 4GiB is needed\n"
    )
    assert main([*command, "--bins", "7"]) == 2
    assert "--bins 7: a whole number of at least 65536 is needed" in capsys.readouterr().err
    assert main([*command, "--metric", "foo"]) == 2
    error = capsys.readouterr().err
    assert error.splitlines()[-1].startswith("adjudge: --metric foo is not known")
    assert "precomputed" not in error
    assert "function" not in error


def test_the_command_takes_a_precision(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adjudge.engines.pairs.euclidean_embeddings.many_dimensions", lambda precision: 24)
    many = np.round(rng.normal(size=(90, 40)), 3)
    names = [f"x{j}" for j in range(40)]
    rows = [",".join([*map(str, row), str(i % 3)]) for i, row in enumerate(many.tolist())]
    path = tmp_path / "points.csv"
    path.write_text("\n".join([",".join([*names, "label"]), *rows, ""]))
    command = ["evaluate", str(path), "--labels", "label", "--indices", "silhouette", "--format", "json"]
    found = {}
    for precision in ("float64", "float32"):
        assert main([*command, "--precision", precision]) == 0
        found[precision] = json.loads(capsys.readouterr().out)["evaluations"]["label"]["values"]["silhouette"]
        here = adjudge.evaluate(X=many, labels=np.arange(90) % 3, indices="silhouette", precision=precision)
        assert found[precision] == here["silhouette"]
    assert 0 < abs(found["float32"] - found["float64"]) < 1e-6
    assert main([*command, "--precision", "half"]) == 2
    assert "'--precision': 'half' is not one of" in capsys.readouterr().err
    assert main(["evaluate", str(path), "--truth", "label", "--pred", "x0", "--precision", "float32"]) == 2
    assert "--precision is an option for points" in capsys.readouterr().err


def test_options_that_are_a_metrics_name_are_checked_once() -> None:
    one = PointOptions.of(metric="manhattan")
    assert one == PointOptions(metric="manhattan")
    assert PointOptions.of(metric="manhattan") is one
    assert PointOptions.of(metric="manhattan", bins=1 << 17) == PointOptions(metric="manhattan", bins=1 << 17)
    for _ in range(2):
        with pytest.raises(InputTypeError, match="metric"):
            PointOptions.of(metric=3)


generator = np.random.default_rng(0)
POINTS = generator.normal(size=(900, 3))
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
    reduce_coded_points(POINTS, CODES, types, chosen)
    metric = options.get("metric", "euclidean")
    plain = metric == "euclidean"
    of_metric = {"has_centroids": plain, "prunes": plain, "has_image": has_image(POINTS, metric)}
    job = Job(*POINTS.shape, 4, chosen, **of_metric, squared=is_squared(POINTS, metric), **job_options)
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
            if not declared:  # sizes of clusters need no pass, of which there is nothing to tell
                assert not calls, names
                continue
            # The tails may lie in a bin that holds too many distances, which is known only then.
            assert calls[0] == (0, declared), names
            assert calls[-1][0] == calls[-1][1] >= declared, names
            if not any("Tail" in name for name in names):
                assert calls[-1][1] == declared, names


def test_sizes_of_clusters_need_no_pass(rng: np.random.Generator) -> None:
    assert told(frozenset({ClusterSizes}), {})[1] == 0
    weights = PointWeights.of(rng.exponential(size=900))
    found = reduce_coded_points(POINTS, CODES, {WeightedClusterSizes}, weights=weights)[WeightedClusterSizes]
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
        reduce_coded_points(POINTS, CODES, {Farthest})
    engine.register_maker("a test", "makes_farthest")
    calls: list[tuple[int, int]] = []
    options = PointOptions(progress=lambda done, total: calls.append((done, total)))
    found = reduce_coded_points(POINTS, CODES, {Farthest, PairSums, Silhouettes}, options)
    assert found.keys() == {Farthest, PairSums, Silhouettes}
    assert found[Farthest].value == np.ptp(POINTS[:, 0])
    assert calls[-1][0] == calls[-1][1] == 900 + 900 * 899 // 2
