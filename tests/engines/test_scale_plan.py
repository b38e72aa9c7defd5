"""plan() foretells what a run costs, and warns of what would surprise."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClusterMixin

import adjudge
from adjudge.choosing import fit_time
from adjudge.cli import main
from adjudge.engines import cost
from adjudge.engines.neighbours import points_looked_at
from adjudge.engines.passes import Job
from adjudge.engines.points import reduce_coded_points
from adjudge.engines.running.executor import Crew
from adjudge.errors import InputError
from adjudge.given.point_options import PointOptions
from adjudge.indices.catalog import find_index
from adjudge.inference.points.sampled_estimates import plan_sample
from adjudge.statistics.neighbours import NeighbourLabels
from adjudge.statistics.pair_distances import Hausdorff
from adjudge.statistics.prototypes import MedoidProfile, OutsideExtremes

PLAIN_RATES = cost.Rates(
    dict.fromkeys(cost._SAMPLES, (1e-9, 8e-9))
    | dict.fromkeys(("moments", "scatter", "centroids"), (1e-8, 1e-7))
)
really_measure = cost._measure


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine whose rates do not depend on what else it does."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(cost, "_measure", lambda: PLAIN_RATES)


def test_gamma_of_a_million_points_is_a_warning() -> None:
    estimated = adjudge.plan(1_000_000, 8, 10, indices=["gamma"])
    assert estimated.groups[0].passes == 1
    warning, *_, offer = estimated.warnings
    assert offer.code == "can-be-estimated"
    assert warning.message.startswith("gamma of 1,000,000 points takes about ")
    assert "leave it out, or use workers" in str(warning)
    assert str(warning) in str(estimated)
    assert any("estimated from a histogram" in warning.message for warning in estimated.warnings)
    assert not adjudge.plan(1000, 8, 10, indices=["gamma"]).warnings


def test_offers_samples_for_what_takes_long() -> None:
    planned = adjudge.plan(3_000_000, 8, 10, indices=["silhouette", "dunn", "calinski_harabasz", "dbcv"])
    (offer,) = [notice for notice in planned.warnings if notice.code == "can-be-estimated"]
    assert offer.severity == "info"
    said = r"silhouette, dunn of 3,000,000 points can be estimated in about \S+ (ms|s|min), with 95 % intervals about "
    assert re.fullmatch(said + r"as wide as: silhouette 0\.004", offer.message)
    assert str(offer).endswith(": sample_size=5000")
    (long,) = [group for group in planned.groups if group.name == "distances"]
    size, seconds, names = plan_sample(
        [find_index(name) for name in ("silhouette", "dunn")],
        Job(3_000_000, 8, 10, PointOptions()),
        PLAIN_RATES,
    )
    assert (size, names) == (5000, ("silhouette", "dunn"))
    assert seconds < long.seconds / 20
    assert not adjudge.plan(100_000, 8, 10, indices=["silhouette"]).warnings
    # A sample has some points of each cluster.
    (many,) = [
        n for n in adjudge.plan(3_000_000, 8, 9_000, indices="tau").warnings if "estimated in" in n.message
    ]
    assert str(many).endswith("tau 0.0004: sample_size=72000")


def test_times_fits_and_follows_them_on(monkeypatch: pytest.MonkeyPatch) -> None:
    fitted: list[tuple[int, int, int]] = []

    class Square(ClusterMixin, BaseEstimator):
        def __init__(self, n_clusters: int = 2) -> None:
            self.n_clusters = n_clusters

        def fit(self, X: np.ndarray, y: object = None) -> Square:
            fitted.append((*X.shape, self.n_clusters))
            self.labels_ = np.arange(len(X)) % self.n_clusters
            return self

    clock = iter(np.cumsum([0.0, 9.0, 0.0, 1.0, 0.0, 16.0]))
    monkeypatch.setattr(fit_time.time, "perf_counter", lambda: next(clock))
    assert fit_time.fit_seconds(Square(), 20_000, 3, 4) == pytest.approx(16 * 10**2)
    assert fitted == [(500, 3, 4), (500, 3, 4), (2000, 3, 4)]
    monkeypatch.undo()
    planned = adjudge.plan(3000, 2, 3, candidates=4, estimator="kmeans", stability=2)
    assert planned.fit_seconds is not None
    assert 0 < planned.fit_seconds < 60
    assert re.search(r"4 candidates, 44 fits of about \S+ m?s each: \S+ m?s", str(planned).splitlines()[0])
    assert adjudge.plan(3000, 2, 3, candidates=4).fit_seconds is None
    with pytest.raises(InputError, match="estimator='kmeans' belongs to a choice: give candidates="):
        adjudge.plan(3000, 2, 3, estimator="kmeans")
    with pytest.raises(InputError, match="estimator=3: give a name"):
        adjudge.plan(3000, 2, 3, candidates=4, estimator=3)


def test_grows_as_the_work_does() -> None:
    def seconds(n: int, p: int = 16, k: int = 10, **options: object) -> dict[str, float]:
        planned = adjudge.plan(n, p, k, **{"indices": "all", **options})
        return {group.name: group.seconds for group in planned.groups}

    small, large = seconds(100_000), seconds(1_000_000)
    assert set(small) == {"centroids", "distances", "ranks of distances"}
    assert large["distances"] == pytest.approx(100 * small["distances"], rel=0.01)
    assert large["centroids"] == pytest.approx(10 * small["centroids"], rel=0.01)
    assert seconds(100_000, p=128)["distances"] > 2 * small["distances"]
    planned = adjudge.plan(1_000_000, 16, 10, n_jobs=64, indices="all")
    by_name = {group.name: group for group in planned.groups}
    ratio = 64 / planned.cores
    assert by_name["distances"].seconds == pytest.approx(ratio * by_name["distances"].seconds_on_workers)
    assert planned.seconds == sum(large.values())


def test_passes_that_groups_share_are_planned_once() -> None:
    planned = adjudge.plan(20_000, 16, 10, indices=["silhouette", "c_index"])
    types = {t for name in ("silhouette", "c_index") for t in find_index(name).requires}
    together = cost.cost_of(types, Job(20_000, 16, 10, PointOptions()), PLAIN_RATES).core_seconds
    assert planned.seconds * planned.cores == pytest.approx(together)
    # The sums come with the bins.
    alone = [adjudge.plan(20_000, 16, 10, indices=[name]).seconds for name in ("silhouette", "c_index")]
    assert max(alone) <= planned.seconds < 0.95 * sum(alone)


def test_what_a_sweep_meets_is_not_planned_again() -> None:
    def seconds(*types: type) -> float:
        return cost.cost_of(types, Job(20_000, 16, 10, PointOptions()), PLAIN_RATES).core_seconds

    assert seconds(OutsideExtremes) > 0
    assert seconds(Hausdorff, OutsideExtremes) == seconds(Hausdorff)


def test_what_compact_blocks_and_bounds_leave_out_is_not_planned() -> None:
    def seconds(type_: type, p: int, k: int) -> float:
        return cost.cost_of({type_}, Job(50_000, p, k, PointOptions()), PLAIN_RATES).core_seconds

    # A pass over all pairs of four variables has the higher rate, but by less.
    assert seconds(OutsideExtremes, 2, 10) < seconds(OutsideExtremes, 4, 10) / 4
    # Clusters of 50,000 points and of 400: many more pairs are in the first.
    assert seconds(MedoidProfile, 2, 1) < 5 * seconds(MedoidProfile, 2, 125)


def test_rates_are_of_the_processor_and_not_of_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "reduce_coded_points", lambda *_: time.sleep(0.03))
    sample = cost._SAMPLES["sums"]
    assert cost._seconds(sample.wanted, sample, 2) < 0.015


def test_every_index_is_in_one_group() -> None:
    planned = adjudge.plan(1000, 2, 3, indices="all")
    names = [name for group in planned.groups for name in group.indices]
    # "all" leaves out those whose labels are batches.
    assert sorted(names) == sorted(r.name for r in adjudge.list_indices("internal") if not r.labels_are)


@pytest.mark.full
def test_measures_every_rate() -> None:
    rates = really_measure()
    assert set(rates.seconds) == set(PLAIN_RATES.seconds)
    measured = [seconds for pair in rates.seconds.values() for seconds in pair]
    # No computer takes less than a hundredth of a nanosecond or more than a millisecond.
    assert all(1e-11 < seconds < 1e-3 for seconds in measured)
    # What runs in an image of the points is planned as what runs there, give or take the load of other programs.
    X, codes = np.random.default_rng(0).normal(size=(10_000, 8)), np.arange(10_000) % 10
    options = PointOptions(metric="cosine", n_jobs=1)
    job = Job(10_000, 8, 10, options, has_centroids=False, squared=True)
    for type_ in (NeighbourLabels, OutsideExtremes):
        times: list[float] = []
        for _ in range(3):
            begun = time.process_time()
            reduce_coded_points(X, codes, {type_}, options)
            times.append(time.process_time() - begun)
        taken = min(times)
        assert taken / 4 < cost.cost_of({type_}, job, rates).core_seconds < 4 * taken


def test_a_run_that_compiles_is_no_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    took = iter([0.0, 0.08, 0.01, 0.01])

    def reduce(*_: object) -> None:
        until = time.process_time() + next(took)
        while time.process_time() < until:
            pass

    monkeypatch.setattr(cost, "reduce_coded_points", reduce)
    sample = cost._SAMPLES["sums"]
    assert cost._seconds(sample.wanted, sample, 2) < 0.03


@pytest.mark.parametrize("index", ["separation_index", "medoid_silhouette", "pearson_gamma", "lisi"])
def test_distances_with_an_image_are_planned_as_euclidean_ones(index: str) -> None:
    def seconds(metric: str, n: int) -> float:
        return adjudge.plan(n, 2, 10, indices=index, metric=metric).seconds

    for n in (20_000, 200_000):
        assert seconds("cosine", n) < 2 * seconds("euclidean", n)


@pytest.mark.full
def test_passes_are_those_that_are_made() -> None:
    n, p, k = 4000, 2, 2
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(n, p)), np.arange(n) % k
    n_pairs = n * (n - 1) // 2
    for name, limit, exact in [
        ("silhouette", 1 << 30, False),
        ("gamma", 1 << 20, False),
        ("c_index", 1 << 24, False),
        ("gamma", 1 << 27, True),
    ]:
        types = set(find_index(name).requires)
        done: list[int] = []
        told = PointOptions(memory_limit=limit, exact=exact, progress=lambda d, t, into=done: into.append(d))
        reduce_coded_points(X, codes, types, told)
        planned = cost.cost_of(types, Job(n, p, k, told), cost.measured_rates())
        passes = done[-1] / n_pairs
        assert planned.passes <= passes < planned.passes + 0.1, name


def test_measures_once(monkeypatch: pytest.MonkeyPatch) -> None:
    first = cost.measured_rates()
    monkeypatch.setattr(cost, "_measure", lambda: pytest.fail("measured again"))
    assert cost.measured_rates() == first


def test_rates_of_other_loops_are_measured_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for build, seconds in (("before", 1.0), ("after", 2.0), ("after", 3.0)):
        monkeypatch.setattr(cost, "_build", lambda build=build: build)
        monkeypatch.setattr(cost, "_measure", lambda own=seconds: cost.Rates({"sums": (own, own)}))
        assert cost.measured_rates().seconds["sums"][0] == min(seconds, 2.0)
    assert len(list((tmp_path / "adjudge").iterdir())) == 1


def test_rates_of_a_clock_that_stood_still_are_measured_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for seconds in (0.0, 2.0):
        monkeypatch.setattr(cost, "_measure", lambda own=seconds: cost.Rates({"sums": (own, 1.0)}))
        assert cost.measured_rates().seconds["sums"][0] == seconds


def test_a_damaged_cache_is_measured_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    rates = cost.Rates({"sums": (1.0, 2.0)})
    monkeypatch.setattr(cost, "_measure", lambda: rates)
    cost._cache_path().parent.mkdir()
    cost._cache_path().write_text("{")
    assert cost.measured_rates() == rates
    assert json.loads(cost._cache_path().read_text())["seconds"] == {"sums": [1.0, 2.0]}
    # A folder that cannot be written to is no error.
    monkeypatch.setenv("XDG_CACHE_HOME", str(cost._cache_path()))
    assert cost.measured_rates() == rates


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"n": 0}, "n=0"),
        ({"p": 2.5}, "p=2.5"),
        ({"n_clusters": 20}, "n_clusters=20 is more than the 10 points"),
        ({"n_jobs": 0}, "n_jobs=0"),
    ],
)
def test_refuses_nonsense(arguments: dict[str, object], reason: str) -> None:
    given: dict[str, object] = {"n": 10, "p": 2, "n_clusters": 3, **arguments}
    with pytest.raises(InputError, match=reason):
        adjudge.plan(**given)


@pytest.mark.full
def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "\n".join(f"{i / 2},{i % 7},{i % 3}" for i in range(300))
    (tmp_path / "points.csv").write_text(f"x,y,label\n{rows}\n")
    command = ["plan", str(tmp_path / "points.csv"), "--labels", "label", "--n-jobs", "8"]
    assert main([*command, "--indices", "silhouette", "--candidates", "3", "--estimator", "Mean-Shift"]) == 0
    assert "3 candidates, 3 fits of about " in capsys.readouterr().out
    assert main([*command, "--indices", "silhouette,gamma"]) == 0
    shown = capsys.readouterr()
    assert "300 points, 2 variables, 3 clusters" in shown.out
    assert "ranks of distances" in shown.out
    assert "on 8 workers" in shown.out
    assert main([*command, "--format", "json"]) == 0
    planned = json.loads(capsys.readouterr().out)
    assert (planned["n"], planned["p"], planned["k"], planned["cores"]) == (
        300,
        2,
        3,
        Crew.of(None, None).n_threads,
    )


def test_sparse_points_cost_what_their_entries_cost() -> None:
    n, p = 20_000, 50_000
    dense = adjudge.plan(n, p, 10, metric="cosine", indices="dunn")
    sparse = adjudge.plan(n, p, 10, metric="cosine", indices="dunn", nnz=60 * n)
    assert dense.memory > 8 * n * p
    assert sparse.memory < dense.memory / 50
    assert sparse.seconds < dense.seconds / 50
    more = adjudge.plan(n, p, 10, metric="cosine", indices="dunn", nnz=6000 * n)
    assert more.seconds > 10 * sparse.seconds
    differences = adjudge.plan(n, p, 10, indices="dunn", nnz=60 * n)
    assert differences.seconds > 2 * sparse.seconds
    # Sums come from centroids, in time that grows with the points.
    small, large = (
        adjudge.plan(m, p, 10, metric="cosine", indices="silhouette", nnz=60 * m) for m in (n, 10 * n)
    )
    assert small.groups[0].passes == 2
    assert small.memory > 12 * 60 * n
    assert large.seconds == pytest.approx(10 * small.seconds)


def test_plans_what_a_metric_has() -> None:
    names = {name for group in adjudge.plan(1000, 9, 3, metric="cosine").groups for name in group.indices}
    assert "silhouette" in names
    assert "calinski_harabasz" not in names
    with pytest.raises(InputError, match=r"calinski_harabasz: .* metric='cosine' gives only distances"):
        adjudge.plan(1000, 9, 3, metric="cosine", indices="calinski_harabasz")
    with pytest.raises(InputError, match=r"calinski_harabasz: .* X is sparse: pass X\.toarray\(\)"):
        adjudge.plan(1000, 9, 3, nnz=3000, indices="calinski_harabasz")
    with pytest.raises(InputError, match="nnz=9001 is more than the 9000 values of 1000 points"):
        adjudge.plan(1000, 9, 3, nnz=9001)
    with pytest.raises(InputError, match="metric='jaccard' is not known"):
        adjudge.plan(1000, 9, 3, metric="jaccard")
    assert adjudge.plan(1000, 9, 3, metric="cosine", nnz=3000, candidates=4).seconds > 0


def test_neighbours_are_planned_as_many_as_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {"neighbours kept": (1e-6, 1e-6)}
    rates = cost.Rates(dict.fromkeys(cost._SAMPLES, (0.0, 0.0)) | {"neighbours": (1e-9, 1e-9)} | kept)
    monkeypatch.setattr(cost, "_measure", lambda: rates)
    n = 10_000
    for p in (3, 30):
        few = adjudge.plan(n, p, 3, indices="neighbor_consistency")
        many = adjudge.plan(n, p, 3, indices="lisi")
        # Among few variables few points are looked at.
        looked = [points_looked_at(n, p, m) for m in (10, 90)]
        assert looked == [n, n] if p == 30 else looked[0] < looked[1] < n / 8
        # Of what is in other clusters half.
        looked = [min(m, 2 * n // 3) for m in looked]
        assert few.seconds * few.cores == pytest.approx(1e-9 * n * looked[0] / 2 + n * 10 * 1e-6)
        assert many.seconds * many.cores == pytest.approx(1e-9 * n * looked[1] / 2 + n * 90 * 1e-6)
        assert many.memory == few.memory + 16 * 80 * n
