"""A result is the same after it was saved and loaded, and no file does anything but become a result or an error."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import pkgutil
import random
import time
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from datetime import time as time_of_day
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans

import adjudge
from adjudge.saved.archive import SCHEMA
from adjudge.saved.classes import CLASSES
from adjudge.saved.omitted import LeftOut
from adjudge.saved.savable import Savable
from adjudge.statistics.curve_steps import MOST_STEPS

RNG = np.random.default_rng(0)
N = 120
TRUTH = RNG.integers(0, 3, N)
ONE = np.where(RNG.random(N) < 0.7, TRUTH, RNG.integers(0, 3, N))
OTHER = np.where(RNG.random(N) < 0.6, TRUTH, RNG.integers(0, 3, N))
MODELS = {"one": ONE, "other": OTHER}
BINARY = np.array(["no", "yes"])[RNG.integers(0, 2, N)]
LIKELY = np.clip((BINARY == "yes") * 0.4 + RNG.random(N) * 0.6, 0, 1)
LESS_LIKELY = np.clip((BINARY == "yes") * 0.2 + RNG.random(N) * 0.8, 0, 1)
SHARES = RNG.dirichlet(np.ones(3), N)
GROUPS = np.array(["east", "west"])[RNG.integers(0, 2, N)]
UNITS = RNG.integers(0, 30, N)
POINTS = np.concatenate([RNG.normal(size=(N // 2, 2)), RNG.normal(6, 1, size=(N // 2, 2))])
LABELS = np.repeat([0, 1], N // 2)
SETS, OTHER_SETS = ([list("abc"[: 1 + k]) for k in RNG.integers(0, 3, N)] for _ in range(2))
FOLDS = {f"set {i}": dict(zip("wxyz", row, strict=True)) for i, row in enumerate(RNG.random((12, 4)))}
KMEANS = KMeans(2, n_init=1, random_state=0)
OF_CLASSES: dict[str, Any] = {"kind": "classification", "confidence": 0.95}


def of_table(verb: Callable[..., Any], *names: Any, **options: Any) -> Any:
    frame = pd.DataFrame({"truth": TRUTH, "group": GROUPS, **MODELS, "likely": LIKELY})
    return verb(frame, *names, **options)


RESULTS: dict[str, Callable[[], Any]] = {
    "clustering": lambda: adjudge.evaluate(
        TRUTH, ONE, kind="clustering", indices="all", confidence=0.9, adjust=True, random_state=0
    ),
    "units": lambda: adjudge.evaluate(TRUTH, ONE, kind="clustering", confidence=0.95, units=UNITS),
    "several truths": lambda: adjudge.evaluate({"a": TRUTH, "b": OTHER}, ONE, kind="clustering"),
    "points": lambda: adjudge.evaluate(X=POINTS, labels=LABELS, indices="all"),
    "counts": lambda: adjudge.evaluate(adjudge.statistics.Contingency.from_labels(TRUTH, ONE)),
    "classifier": lambda: adjudge.evaluate(TRUTH, ONE, groups=GROUPS, **OF_CLASSES),
    "probabilities": lambda: adjudge.evaluate(
        BINARY, probabilities=LIKELY, positive="yes", groups=GROUPS, **OF_CLASSES
    ),
    "several classes": lambda: adjudge.evaluate(TRUTH, ONE, probabilities=SHARES, units=UNITS, **OF_CLASSES),
    "decision values": lambda: adjudge.evaluate(BINARY, scores=LIKELY, kind="classification"),
    "weights": lambda: adjudge.evaluate(
        BINARY, probabilities=LIKELY, sample_weight=LESS_LIKELY + 1, weights="importance", **OF_CLASSES
    ),
    "sets": lambda: adjudge.evaluate(SETS, OTHER_SETS, kind="multilabel", confidence=0.95),
    "raters": lambda: adjudge.evaluate(np.stack([TRUTH, ONE, OTHER], 1), kind="raters", confidence=0.95),
    "many": lambda: adjudge.evaluate(TRUTH, MODELS, kind="clustering"),
    "many classifiers": lambda: adjudge.evaluate(TRUTH, MODELS, kind="classification"),
    "table": lambda: of_table(
        adjudge.evaluate, truth="truth", pred="one", kind="classification", groups="group"
    ),
    "compared": lambda: adjudge.compare(TRUTH, MODELS, kind="clustering", confidence=0.95),
    "compared classifiers": lambda: adjudge.compare(
        TRUTH, {**MODELS, "third": OTHER[::-1]}, groups=GROUPS, **OF_CLASSES
    ),
    "compared units": lambda: adjudge.compare(
        TRUTH, MODELS, units=UNITS, groups={"g": GROUPS, "u": UNITS % 2}, **OF_CLASSES
    ),
    "compared probabilities": lambda: adjudge.compare(
        BINARY, probabilities={"one": LIKELY, "other": LESS_LIKELY}, **OF_CLASSES
    ),
    "compared sets": lambda: adjudge.compare(SETS, {"a": OTHER_SETS, "b": SETS}, kind="multilabel"),
    "compared table": lambda: of_table(
        adjudge.compare, truth="truth", models=["one", "other"], kind="classification"
    ),
    "two models": lambda: adjudge.compare(TRUTH, MODELS, **OF_CLASSES)["one", "other"],
    "patterns": lambda: adjudge.compare(TRUTH, MODELS, kind="classification").patterns,
    "verdict": lambda: adjudge.compare(TRUTH, MODELS, **OF_CLASSES).verdict,
    "roc": lambda: adjudge.evaluate(BINARY, probabilities=LIKELY, kind="classification").curve("roc"),
    "band": lambda: adjudge.evaluate(BINARY, probabilities=LIKELY, kind="classification").curve("roc").band(),
    "reliability": lambda: adjudge.evaluate(
        BINARY, probabilities=LIKELY, kind="classification"
    ).reliability(),
    "threshold": lambda: adjudge.evaluate(BINARY, probabilities=LIKELY, kind="classification").best_threshold(
        "f1"
    ),
    "choice": lambda: adjudge.choose(POINTS, {"a": LABELS, "b": ONE, "k": KMEANS}, random_state=0),
    "number": lambda: adjudge.choose_k(POINTS, k=range(2, 4), random_state=0, stability=3),
    "benchmark": lambda: adjudge.benchmark(FOLDS),
    "posteriors": lambda: adjudge.benchmark(FOLDS).bayesian(rope=0.01, n_draws=200),
    "pairwise": lambda: adjudge.benchmark(FOLDS).pairwise(),
    "effects": lambda: next(iter(adjudge.benchmark(FOLDS).effects().values())),
    "ranks": lambda: adjudge.inference.friedman_test({m: [row[m] for row in FOLDS.values()] for m in "wxyz"}),
    "plan": lambda: adjudge.plan(1000, 3, 4),
    "clusters": lambda: adjudge.inference.clusters_test(POINTS, KMEANS, n_samples=19, random_state=0),
    "tree": lambda: adjudge.inference.tree_test(POINTS, n_samples=19, random_state=0),
    "dip": lambda: adjudge.inference.dip_test(POINTS[:, 0]),
    "dips": lambda: adjudge.inference.clusters_dip_test(POINTS, KMEANS, random_state=0),
    "difference": lambda: adjudge.inference.cluster_difference_test(
        POINTS, KMEANS, (0, 1), random_state=0, n_samples=30
    ),
    "mcnemar": lambda: adjudge.inference.mcnemar_test(TRUTH == ONE, TRUTH == OTHER),
    "null": lambda: adjudge.inference.null_distribution("rand", TRUTH, ONE, random_state=0),
    "interval": lambda: adjudge.inference.confidence_interval("rand", TRUTH, ONE),
}
WITHOUT_ROWS = {
    "counts", "raters", "roc", "band", "reliability", "threshold", "benchmark", "posteriors", "pairwise", "effects",
    "ranks", "plan", "clusters", "dip", "dips", "difference", "mcnemar", "null", "interval", "verdict",
}  # fmt: skip


@cache
def result(name: str) -> Any:
    return RESULTS[name]()


def round_trip(found: Any, folder: Path, *, instances: bool = False) -> Any:
    return adjudge.load(found.save(folder / "run.adjudge", instances=instances))


def said(found: Any) -> dict[str, Any]:
    """All that a result says."""
    methods = [
        name
        for name in ("to_dict", "_repr_html_", "flat", "tables", "table")
        if callable(getattr(found, name, None))
    ]
    return {"repr": repr(found), **{name: repr(getattr(found, name)()) for name in methods}}


@pytest.mark.full(keep=2)
@pytest.mark.parametrize("name", RESULTS)
def test_a_loaded_result_says_the_same(name: str, tmp_path: Path) -> None:
    found = result(name)
    loaded = round_trip(found, tmp_path)
    assert type(loaded) is type(found)
    wanted = said(found)
    if name == "tree":  # its labels are of instances
        wanted["to_dict"] = repr({k: v for k, v in found.to_dict().items() if k != "labels"})
    assert said(loaded) == wanted
    assert said(round_trip(loaded, tmp_path)) == wanted


@pytest.mark.full(keep=2)
@pytest.mark.parametrize("name", RESULTS)
def test_with_instances_it_says_the_same(name: str, tmp_path: Path) -> None:
    found = result(name)
    if name in WITHOUT_ROWS:
        with pytest.raises(adjudge.InputError, match="holds no instances: leave instances= out"):
            round_trip(found, tmp_path, instances=True)
        return
    loaded = round_trip(found, tmp_path, instances=True)
    assert said(loaded) == said(found)
    assert said(round_trip(loaded, tmp_path, instances=True)) == said(found)


def test_every_result_can_be_saved() -> None:
    for module in pkgutil.walk_packages(adjudge.__path__, "adjudge."):
        if not module.name.startswith(("adjudge.__main__", "adjudge.cli")):
            importlib.import_module(module.name)
    classes: list[type] = [Savable]
    for found in classes:
        classes += found.__subclasses__()
    abstract = {"Savable", "ByValue", "Chosen", "ScoredModels"}
    assert {c.__name__ for c in classes if c.__module__.startswith("adjudge.")} - abstract <= CLASSES.keys()
    for name, home in CLASSES.items():
        assert hasattr(importlib.import_module(f"adjudge.{home}"), name)


def members(path: Path) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(path) as file:
        for name in file.namelist():
            yield name, file.read(name)


@pytest.mark.full(keep=8)
@pytest.mark.parametrize("name", sorted(RESULTS.keys() - {"probabilities", "compared probabilities", "several classes",
    "decision values", "weights", "roc", "band", "reliability", "threshold", "posteriors", "null"}))  # fmt: skip
def test_no_row_is_saved_unasked(name: str, tmp_path: Path) -> None:
    path = result(name).save(tmp_path / "run.adjudge")
    for member, content in members(path):
        if member.endswith(".npy"):
            array = np.load(io.BytesIO(content), allow_pickle=False)
            assert N not in array.shape, member
            assert N // 2 not in array.shape, member


def test_curves_of_many_scores_are_steps(tmp_path: Path) -> None:
    n = 20_000
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, n)
    found = adjudge.evaluate(truth, probabilities=(truth + 2 * rng.random(n)) / 3, kind="classification")
    loaded = round_trip(found, tmp_path)
    whole, steps = found.curve("roc"), loaded.curve("roc")
    assert 200 < steps.thresholds.size <= MOST_STEPS + 1
    places = np.searchsorted(-whole.thresholds, -steps.thresholds)
    np.testing.assert_array_equal(whole.thresholds[places], steps.thresholds)
    np.testing.assert_array_equal(whole.true_positive_rate[places], steps.true_positive_rate)
    np.testing.assert_array_equal(whole.false_positive_rate[places], steps.false_positive_rate)
    assert abs(whole.area - steps.area) < 1e-5
    for n_bins in (10, 20):
        one, other = found.reliability(n_bins=n_bins).binned, loaded.reliability(n_bins=n_bins).binned
        np.testing.assert_array_equal(one.counts, other.counts)
        np.testing.assert_allclose(one.forecast, other.forecast, rtol=1e-12)
        np.testing.assert_allclose(one.observed, other.observed, rtol=1e-12)
    exact = round_trip(found, tmp_path, instances=True)
    assert exact.curve("roc") == whole
    assert exact.forecasts.codes.dtype == found.forecasts.codes.dtype


@pytest.mark.parametrize("name", ["probabilities", "several classes", "decision values", "weights"])
def test_curves_after_loading(name: str, tmp_path: Path) -> None:
    found = result(name)
    for instances in (False, True):
        loaded = round_trip(found, tmp_path, instances=instances)
        for label in found.known_forecasts().classes:
            for kind in ("roc", "precision_recall", "det", "gains", "thresholds"):
                assert loaded.curve(kind, positive=label) == found.curve(kind, positive=label)
            if name == "decision values":
                with pytest.raises(adjudge.InputError, match="decisions need probabilities"):
                    loaded.curve("decision", positive=label)
            else:
                decisions = [own.curve("decision", positive=label) for own in (loaded, found)]
                assert decisions[0] == decisions[1]
        if name != "decision values":
            assert loaded.reliability() == found.reliability()
            positive = found.known_forecasts().classes[0]
            assert loaded.reliability(positive=positive) == found.reliability(positive=positive)


@pytest.mark.parametrize("name", ["compared", "compared classifiers", "compared units", "compared sets"])
def test_instances_after_loading(name: str, tmp_path: Path) -> None:
    found = result(name)
    loaded = round_trip(found, tmp_path, instances=True)
    without = round_trip(found, tmp_path)
    for pair in found:
        cells = ["both_right", "right_wrong", "wrong_right", "both_wrong"]
        cells += [] if pair.both_wrong_same is None else ["both_wrong_same", "both_wrong_different"]
        for cell in cells:
            other = loaded[pair.primary, pair.alternative]
            np.testing.assert_array_equal(other.instances(cell), pair.instances(cell))
            with pytest.raises(adjudge.InputError, match=r"saved without instances: .* with instances=True"):
                without[pair.primary, pair.alternative].instances(cell)
        assert [own.to_dict() for own in without[pair.primary, pair.alternative].recalls] == [
            own.to_dict() for own in pair.recalls
        ]
    for group, own in found.by_group.items():
        np.testing.assert_array_equal(
            loaded.by_group[group]["one", "other"].instances("right_wrong"),
            own["one", "other"].instances("right_wrong"),
        )
    if found.kind == "classification":
        assert dict(without.patterns) == dict(loaded.patterns) == dict(found.patterns)
        np.testing.assert_array_equal(loaded.patterns.nobody(), found.patterns.nobody())
        with pytest.raises(adjudge.InputError, match="saved without instances"):
            without.patterns.nobody()
    with pytest.raises(adjudge.InputError, match="saved without instances"):
        without.known_instances()


@pytest.mark.parametrize("kind", ["clustering", "classification"])
def test_positions_are_those_of_the_input(kind: Any, tmp_path: Path) -> None:
    truth = np.where(np.arange(N) % 7 == 0, None, TRUTH.astype(object))
    found = adjudge.compare(truth, MODELS, kind=kind, missing="drop")
    loaded = round_trip(found, tmp_path, instances=True)
    for cell in ("both_right", "right_wrong"):
        positions = loaded["one", "other"].instances(cell)
        np.testing.assert_array_equal(positions, found["one", "other"].instances(cell))
        if kind == "classification":
            wanted = (truth == ONE) & ((truth == OTHER) == (cell == "both_right"))
            np.testing.assert_array_equal(positions, np.flatnonzero(wanted))
        else:
            assert positions.size == N
            assert (positions[::7] == 0).all()
            assert positions[1] > 0
    np.testing.assert_array_equal(loaded.known_instances().positions, np.flatnonzero(np.arange(N) % 7))


def test_columns_of_instances(tmp_path: Path) -> None:
    truth = np.array(["no", "yes", None, "yes"] * 10, dtype=object)
    given: dict[str, Any] = {"missing": "drop", "kind": "classification", "units": np.arange(40) // 4}
    models = {"a": np.array(["no", "yes"] * 20), "b": np.array(["no", "no"] * 20)}
    probabilities = {name: np.linspace(0.1, 0.9, 40) for name in models}
    found = adjudge.compare(truth, models, probabilities=probabilities, groups=["x", "y"] * 20, **given)
    rows = round_trip(found, tmp_path, instances=True).known_instances()
    kept = np.flatnonzero(truth != None)  # noqa: E711
    np.testing.assert_array_equal(rows.positions, kept)
    np.testing.assert_array_equal(rows.truth.given(), truth[kept])
    np.testing.assert_array_equal(rows.labels["b"].given(), models["b"][kept])
    np.testing.assert_array_equal(rows.groups.given(), np.array(["x", "y"] * 20)[kept])
    np.testing.assert_array_equal(rows.forecasts["a"].values, probabilities["a"][kept])
    np.testing.assert_array_equal(rows.units.codes, (np.arange(40) // 4)[kept])
    assert rows.n_given == 40
    assert repr(rows) == "<30 instances of a, b>"
    alone = adjudge.evaluate(truth, models["b"], groups=["x", "y"] * 20, **given)
    rows = round_trip(alone, tmp_path, instances=True).known_instances()
    np.testing.assert_array_equal(rows.labels["labels_pred"].given(), models["b"][kept])
    np.testing.assert_array_equal(rows.positions, kept)
    with pytest.raises(adjudge.InputError, match="made from counts or points alone"):
        result("counts").known_instances()


@pytest.mark.full
def test_labels_of_candidates(tmp_path: Path) -> None:
    for name in ("choice", "number"):
        found = result(name)
        loaded, without = round_trip(found, tmp_path, instances=True), round_trip(found, tmp_path)
        for key, labels in found.labels.items():
            np.testing.assert_array_equal(loaded.labels[key], labels)
            with pytest.raises(adjudge.InputError, match="saved without instances"):
                without.labels[key]
        assert list(without.labels) == list(found.labels)
        for key in found.estimators:
            with pytest.raises(adjudge.InputError, match="fitted estimators are not saved: fit them again"):
                loaded.estimators[key]
    widths = result("points").details["silhouette_widths"]
    loaded = round_trip(result("points"), tmp_path, instances=True)
    np.testing.assert_array_equal(loaded.details["silhouette_widths"], widths)
    with pytest.raises(adjudge.InputError, match="saved without instances"):
        np.asarray(round_trip(result("points"), tmp_path).details["silhouette_widths"])


def test_by_cluster_after_loading(tmp_path: Path) -> None:
    found, loaded = result("units"), round_trip(result("units"), tmp_path)
    for criterion in ("pivoted_accuracy", "adjusted_asymmetric_accuracy", "pair_sets_index"):
        assert loaded.by_cluster(criterion).to_dict() == found.by_cluster(criterion).to_dict()
    with pytest.raises(adjudge.InputError, match="criterion='x' is not known"):
        loaded.by_cluster("x")


class Colour(Enum):
    RED = 1


@pytest.mark.parametrize(
    "label",
    [2**70, 0.5, b"x", date(2024, 2, 29), pd.Timestamp("2024-02-29 12:00:00.000000001", tz="Europe/Vienna"),
     pd.Timestamp("2024-02-29"), ("a", 1), "\ud800", True, np.float32(0.1), np.datetime64("2024-02-29"), Colour.RED,
     pd.Timestamp("2024-02-29", tz="UTC"), pd.Timestamp("2024-02-29T00:00:00+02:00"), pd.Timedelta("1h"),
     Fraction(1, 3), Decimal("0.10"), UUID(int=3), complex(1, 2), time_of_day(1, 2), timedelta(1, 2),
     datetime(2024, 2, 29, 1, tzinfo=UTC), frozenset([1])],
    ids=str,
)  # fmt: skip
def test_labels_of_all_kinds(label: Any, tmp_path: Path) -> None:
    cells = adjudge.results.differences.GroupDifference(
        "p", "q", label, 3, result("classifier").differences[0].score, 1
    )
    found = adjudge.compare(TRUTH, MODELS, kind="classification")
    whole = type(found)(
        **{
            **{k: getattr(found, k) for k in ("kind", "models", "n", "judged", "pairs")},
            "group_differences": (cells,),
        },
        settings={"of": "classification", "labels": {label: 1}},
    )
    loaded = round_trip(whole, tmp_path)
    assert loaded.to_dict() == whole.to_dict()
    group = loaded.group_differences[0].group
    assert str(group) == str(label)
    if not isinstance(label, Colour):
        assert group == label
        assert type(group) is type(label)


@pytest.mark.parametrize(
    "values",
    [np.arange(2000) % 3, np.arange(-2000, 0), np.arange(2000) * 2**40, np.array([-1, 2**62] * 1000),
     np.array([0, 2**64 - 1] * 1000, np.uint64), np.arange(2000, dtype=">i4"), np.zeros((40, 50), np.int64, order="F"),
     np.array(["a", "bc"] * 600), np.arange(3000).astype("M8[s]"), np.arange(1200) % 2 == 0, np.array(3.5),
     np.array([{"a": 1}, None, 2.5], object), np.array([], np.float32)],
    ids=str,
)  # fmt: skip
def test_arrays_of_all_kinds(values: Any, tmp_path: Path) -> None:
    found = adjudge.evaluate([0, 1], [0, 1], indices="rand")
    whole = type(found)(found.scores, 2, found.n_clusters, {"own": values})
    loaded = round_trip(whole, tmp_path).settings["own"]
    np.testing.assert_array_equal(loaded, values)
    assert (loaded.dtype, loaded.shape) == (values.dtype, values.shape)


def test_labels_that_would_be_one_are_refused(tmp_path: Path) -> None:
    class Alike:
        def __str__(self) -> str:
            return "alike"

    found = adjudge.evaluate([0, 1], [0, 1])
    whole = type(found)(found.scores, 2, found.n_clusters, {"own": {Alike(): 1, Alike(): 2}})
    with pytest.raises(adjudge.InputError, match="two labels of the result have the same words"):
        whole.save(tmp_path / "x.adjudge")


def test_an_index_of_ones_own(tmp_path: Path) -> None:
    @adjudge.register
    @adjudge.indices.external(title="Mine", better="higher", range=(0, 1), reference="my own")
    def of_my_own(pairs: adjudge.statistics.PairCounts) -> float:
        """Half of it."""
        return 0.5

    try:
        found = adjudge.evaluate(TRUTH, ONE, indices=["of_my_own", "rand"], kind="clustering")
        path = found.save(tmp_path / "run.adjudge")
        assert adjudge.load(path).score("of_my_own").index is adjudge.find_index("of_my_own")
    finally:
        adjudge.unregister("of_my_own")
    loaded = adjudge.load(path)
    assert loaded == found
    assert loaded["of_my_own"] == 0.5
    assert repr(loaded) == repr(found)
    index = loaded.score("of_my_own").index
    assert (index.title, index.better, index.range, index.kind) == ("Mine", "higher", (0, 1), "external")
    with pytest.raises(adjudge.InputError, match="register it"):
        index(TRUTH, ONE)
    assert round_trip(loaded, tmp_path) == found


@pytest.mark.full
def test_displays_of_loaded_results(tmp_path: Path) -> None:
    plt = pytest.importorskip("matplotlib.pyplot")

    def drawn(display: Any) -> bytes:
        found = display.plot()
        buffer = io.BytesIO()
        found.figure_.savefig(buffer, format="raw", dpi=50)
        plt.close(found.figure_)
        return buffer.getvalue()

    for name, display in {
        "compared": adjudge.displays.ComparisonDisplay,
        "probabilities": adjudge.displays.RocCurveDisplay,
        "several classes": adjudge.displays.RocCurveDisplay,
        "weights": adjudge.displays.ReliabilityDisplay,
        "classifier": adjudge.displays.ConfusionMatrixDisplay,
        "number": adjudge.displays.KChoiceDisplay,
        "choice": adjudge.displays.ChoiceDisplay,
        "benchmark": adjudge.displays.CriticalDifferenceDisplay,
        "null": adjudge.displays.NullDistributionDisplay,
    }.items():
        make = getattr(display, "from_result", display)
        # Of rows with weights, intervals need the rows.
        loaded = round_trip(result(name), tmp_path, instances=name == "weights")
        assert drawn(make(result(name))) == drawn(make(loaded)), name


@pytest.mark.full
def test_reports_of_loaded_results(tmp_path: Path) -> None:
    def page(**given: Any) -> dict[str, Any]:
        return adjudge.report(output=tmp_path / "page.html", **given).page

    for name, option in {"benchmark": "benchmark", "choice": "choice", "clusters": "clusters_test"}.items():
        loaded = round_trip(result(name), tmp_path, instances=name == "choice")
        assert page(**{option: loaded}) == page(**{option: result(name)}), name
    without = round_trip(result("number"), tmp_path)
    with pytest.raises(adjudge.InputError, match="saved without instances"):
        page(k_choice=without, X=POINTS)
    loaded = round_trip(result("number"), tmp_path, instances=True)
    assert page(k_choice=loaded, X=POINTS) == page(k_choice=result("number"), X=POINTS)


def test_lazy_tables_hold_no_instances(tmp_path: Path) -> None:
    pl = pytest.importorskip("polars")
    table = pl.LazyFrame({"truth": TRUTH, "group": GROUPS, **MODELS})
    found = adjudge.compare(table, truth="truth", models=list(MODELS), groups="group", kind="classification")
    loaded = round_trip(found, tmp_path)
    assert said(loaded) == said(found)
    assert dict(loaded.patterns) == dict(found.patterns)
    with pytest.raises(adjudge.InputError, match="saved without instances"):
        loaded["one", "other"].instances("right_wrong")
    with pytest.raises(adjudge.InputError, match="made from counts alone"):
        found.patterns.nobody()
    with pytest.raises(adjudge.InputError, match="holds no instances"):
        found.save(tmp_path / "x.adjudge", instances=True)


def test_writing(tmp_path: Path) -> None:
    found = result("clustering")
    path = tmp_path / "run.adjudge"
    assert found.save(path) == path
    first = path.read_bytes()
    found.save(str(path))  # replaced, as reports and figures are
    assert path.read_bytes() == first, "the same result makes the same file"
    assert [own.name for own in tmp_path.iterdir()] == ["run.adjudge"]
    with pytest.raises(adjudge.InputError, match="there is no folder"):
        found.save(tmp_path / "missing" / "run.adjudge")
    with pytest.raises(adjudge.InputError, match="it is a folder"):
        found.save(tmp_path)


# --- hostile files ------------------------------------------------------------------------------------------------


def rewritten(path: Path, **changes: Any) -> Path:
    """Write a file again with other members; a function changes JSON, None removes a member."""
    found = dict(members(path))
    names = {"manifest": "manifest.json", "result": "result.json"}
    for name, change in changes.items():
        member = names.get(name, name)
        if change is None:
            del found[member]
        elif callable(change):
            content = json.loads(found[member])
            found[member] = json.dumps(change(content) or content).encode()
        else:
            found[member] = change
    return packed(path.with_suffix(".forged"), found)


def packed(path: Path, found: dict[str, bytes], *, honest: bool = True) -> Path:
    """Write members to a file; the manifest says how large they are."""
    if honest and found.get("manifest.json", b"").startswith(b"{"):
        with contextlib.suppress(ValueError):
            manifest = json.loads(found["manifest.json"])
            manifest["members"] = {n: len(c) for n, c in found.items() if n != "manifest.json"}
            found = {**found, "manifest.json": json.dumps(manifest).encode()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in found.items():
            file.writestr(name, content)
    return path


def refused(path: Path, match: str = "is no saved result of adjudge") -> None:
    with pytest.raises(adjudge.InputError, match=match) as caught:
        adjudge.load(path)
    assert len(str(caught.value).splitlines()) == 1
    assert path.name in str(caught.value)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    found: Path = result("compared classifiers").save(tmp_path / "run.adjudge", instances=True)
    return found


def test_files_that_are_none(saved: Path, tmp_path: Path) -> None:
    refused(tmp_path / "none.adjudge", "cannot read .*No such file")
    refused(tmp_path, "cannot read")
    with pytest.raises(adjudge.InputTypeError, match="3 is an int: give the path of a file"):
        adjudge.load(3)  # type: ignore[arg-type]
    other = tmp_path / "other.adjudge"
    for content in (b"", b"text", b"PK\3\4", saved.read_bytes()[:-100], saved.read_bytes()[:1000]):
        other.write_bytes(content)
        refused(other)
    refused(packed(other, {"x.txt": b"x"}))
    refused(rewritten(saved, manifest=None))
    refused(rewritten(saved, result=None))


def test_later_versions(saved: Path) -> None:
    later = rewritten(saved, manifest=lambda m: m.update(schema=SCHEMA + 1, adjudge="9.9"))
    refused(later, r"later version of adjudge \(9.9, schema 2\): upgrade adjudge$")
    for schema in ("1", 0, -1, None, 1.5, True):
        refused(rewritten(saved, manifest=lambda m, schema=schema: m.update(schema=schema)))


def test_forged_results(saved: Path) -> None:
    def changed(edit: Callable[[dict[str, Any]], Any]) -> Path:
        def apply(content: dict[str, Any]) -> None:
            edit(content["result"]["Comparison"])

        return rewritten(saved, result=apply)

    refused(changed(lambda own: own.update(kind=3)), "'kind' of a Comparison is missing, or of another type")
    refused(changed(lambda own: own.pop("models")), "'models' of a Comparison")
    refused(changed(lambda own: own.update(models={"tuple": [1, 2, 3]})), "'models' of a Comparison")
    refused(changed(lambda own: own.update(models=["one", "other", "third"])), "'models' of a Comparison")
    refused(changed(lambda own: own.update(n=True)), "'n' of a Comparison")
    refused(changed(lambda own: own.update(by_group={"map": {"east": 1}})), "'by_group' of a Comparison")
    refused(changed(lambda own: own.update(spam=1)), "a Comparison has no 'spam'")
    refused(changed(lambda own: own.update(models={"os.system": ["true"]})), "'os.system' is not known")
    refused(changed(lambda own: own.update(models={"Path": {}})), "'Path' is not known")
    refused(changed(lambda own: own.update(n={"array": [10**6, "<i8"]})))
    refused(changed(lambda own: own.update(n={"shared": -1})), "there is no shared part -1")
    refused(rewritten(saved, manifest=lambda m: m.update(kind="Plan")), "holds no Plan")
    refused(rewritten(saved, result=lambda c: c.update(result=3)))
    deep = ("[" * 100_000 + "]" * 100_000).encode()
    refused(rewritten(saved, result=deep))
    refused(
        rewritten(saved, result=b'{"result": {"range": [0, 1000000000000]}, "shared": []}'), "more memory"
    )
    refused(
        rewritten(saved, result=b'{"result": {"shared": 0}, "shared": [[{"shared": 0}]]}'),
        "'itself' is not known",
    )


def test_forged_arrays(saved: Path) -> None:
    def npy(array: Any, **options: Any) -> bytes:
        stream = io.BytesIO()
        np.save(stream, array, **options)
        return stream.getvalue()

    class Evil:
        def __reduce__(self) -> tuple[Any, ...]:
            return (pytest.fail, ("code of the file was run",))

    name = "arrays/0.npy"
    evil = np.array([Evil()], object)
    for content in (
        npy(evil, allow_pickle=True),
        npy(np.zeros(3, "i4,f8")),
        b"",
        b"\x93NUMPY\x01\x00",
        npy(np.zeros(0, "U0")),
    ):
        refused(rewritten(saved, **{name: content}))
    whole = dict(members(saved))[name]
    refused(rewritten(saved, **{name: whole[:-1]}))
    refused(rewritten(saved, **{name: npy(np.zeros(3, np.int8))}))
    refused(rewritten(saved, **{name: whole.replace(b"(120,)", b"(9**9**9,)"[:6])}))
    header = np.lib.format.header_data_from_array_1_0(np.zeros(1))
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {**header, "shape": (10**12,)})
    refused(rewritten(saved, **{name: stream.getvalue()}))


def test_tricks_of_archives(saved: Path, tmp_path: Path) -> None:
    whole = dict(members(saved))
    other = tmp_path / "other.adjudge"
    for name in (
        "../evil",
        "/etc/evil",
        "arrays/../../evil.npy",
        "arrays/01.npy",
        "C:\\evil",
        "arrays/1.npy/",
    ):
        refused(packed(other, {**whole, name: b"x"}))
    assert sorted(own.name for own in tmp_path.iterdir()) == ["other.adjudge", "run.adjudge"]
    # The manifest lies about sizes.
    lying = {**whole, "result.json": whole["result.json"] + b" " * 5000}
    refused(packed(other, lying, honest=False), "manifest does not fit")
    refused(packed(other, {**whole, "manifest.json": whole["manifest.json"] + bytes(1 << 24)}), "too large")
    # Two members of one name.
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(saved, "a") as file:
        file.writestr("result.json", whole["result.json"])
    refused(saved, "two members of one name")
    # A bomb.
    bomb = packed(other, {**whole, "arrays/99.npy": bytes(1 << 26)})
    with pytest.raises(
        adjudge.InputError, match=r"unpacks to up to [\d,]+ bytes: if you trust it, pass max_bytes="
    ):
        adjudge.load(bomb, max_bytes=1 << 25)


@pytest.mark.full
def test_a_member_that_unpacks_to_more_than_it_says(saved: Path, tmp_path: Path) -> None:
    bomb = packed(tmp_path / "bomb.adjudge", {**dict(members(saved)), "arrays/99.npy": bytes(1 << 26)})
    small = {"arrays/99.npy": 100}
    content = bomb.read_bytes().replace((1 << 26).to_bytes(4, "little"), (100).to_bytes(4, "little"))
    bomb.write_bytes(content)
    with zipfile.ZipFile(bomb) as file:
        assert file.getinfo("arrays/99.npy").file_size == 100
        manifest = json.loads(file.read("manifest.json"))
        found = {name: file.read(name) for name in file.namelist() if name not in (*small, "manifest.json")}
        with pytest.raises(zipfile.BadZipFile):
            file.read("arrays/99.npy")
    assert manifest["members"]["arrays/99.npy"] == 1 << 26
    # The same with a manifest that tells the same lie, and a result that asks for the array.
    manifest["members"] |= small
    result_text = json.dumps({"result": {"array": [99, "|u1"]}, "shared": []}).encode()
    manifest["members"]["result.json"] = len(result_text)
    found |= {"result.json": result_text, "manifest.json": json.dumps(manifest).encode()}
    packed(bomb, {**found, "arrays/99.npy": bytes(1 << 26)}, honest=False)
    bomb.write_bytes(bomb.read_bytes().replace((1 << 26).to_bytes(4, "little"), (100).to_bytes(4, "little")))
    tracemalloc.start()
    refused(bomb)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 24


def mutated(content: bytes, rng: random.Random, path: Path) -> None:
    """Write a file that differs in some way: bits, length, members, or what the JSON says."""
    way = rng.randrange(8)
    if way == 0:
        flipped = bytearray(content)
        for _ in range(rng.choice((1, 1, 1, 8))):
            flipped[rng.randrange(len(flipped))] ^= 1 << rng.randrange(8)
        path.write_bytes(flipped)
        return
    if way == 1:
        path.write_bytes(content[: rng.randrange(len(content))])
        return
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        found = {name: file.read(name) for name in file.namelist()}
    names = list(found)
    one, other = rng.choice(names), rng.choice(names)
    if way == 2:
        found[one], found[other] = found[other], found[one]
    elif way == 3:
        raw = bytearray(found[one])
        for _ in range(rng.choice((1, 4))):
            raw[rng.randrange(len(raw))] = rng.randrange(256)
        found[one] = bytes(raw)
    elif way == 4:
        del found[one]
    else:
        name = rng.choice(("result.json", "result.json", "result.json", "manifest.json"))
        tree = json.loads(found[name])
        for _ in range(rng.choice((1, 1, 2))):
            edited(tree, rng)
        found[name] = json.dumps(tree).encode()
    packed(path, found, honest=rng.random() < 0.9)


def edited(tree: Any, rng: random.Random) -> None:
    """Change one place of a tree of JSON."""
    while True:
        keys = list(tree) if isinstance(tree, dict) else list(range(len(tree)))
        if not keys:
            return
        key = rng.choice(keys)
        if isinstance(tree[key], (dict, list)) and tree[key] and rng.random() < 0.9:
            tree = tree[key]
            continue
        strange: tuple[Any, ...] = (
            None, True, -1, 0, 3, 2**70, 1e308, "", "x" * 50, "nan", [], {}, [[]], [1, "a"], {"tuple": []},
            {"array": [0, "<f8"]}, {"array": [0, "<i8"]}, {"shared": 0}, {"float": "nan"}, {"range": [0, 10**9, 1]},
            {"LeftOut": {}}, {"map": {}}, {"frozenset": [1]}, {"Notice": {"code": "a", "message": "b"}},
        )  # fmt: skip
        way = rng.randrange(4)
        if way == 0:
            del tree[key]
        elif way == 1 and len(keys) > 1:
            other = rng.choice(keys)
            tree[key], tree[other] = tree[other], tree[key]
        elif way == 2 and isinstance(tree, list):
            tree.insert(key, tree[key])
        else:
            tree[key] = rng.choice(strange)
        return


def fuzz(seed: int, times: int, folder: Path) -> dict[str, Any]:
    """Load mutated files: each becomes a result that can be shown, or an error of adjudge."""
    rng = random.Random(seed)
    originals = []
    for name in RESULTS:
        for instances in (False, True)[: 1 if name in WITHOUT_ROWS else 2]:
            originals.append(
                (name, result(name).save(folder / "whole.adjudge", instances=instances).read_bytes())
            )
    path = folder / "mutated.adjudge"
    counts, longest = {"refused": 0, "loaded": 0}, 0.0
    outcome: str | adjudge.AdjudgeError
    for _ in range(times):
        name, content = rng.choice(originals)
        mutated(content, rng, path)
        begin = time.perf_counter()
        try:
            outcome = repr(adjudge.load(path))
        except adjudge.AdjudgeError as error:
            outcome = error
        longest = max(longest, time.perf_counter() - begin)
        counts["loaded" if isinstance(outcome, str) else "refused"] += 1
        if not isinstance(outcome, str):
            assert len(str(outcome).splitlines()) == 1, name
            assert path.name in str(outcome)
    return {**counts, "longest": longest}


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
def test_mutated_files_are_results_or_errors(tmp_path: Path) -> None:
    found = fuzz(0, 300, tmp_path)
    assert found["refused"] > 150
    assert found["longest"] < 10


def test_what_was_left_out() -> None:
    left = LeftOut(("a",), 3)
    assert left.size == 3
    assert list(left) == ["a"]
    assert repr(left) == "<instances that were not saved>"
    with pytest.raises(adjudge.InputError, match="saved without instances"):
        left["a"]
    with pytest.raises(KeyError):
        left["b"]
    with pytest.raises(adjudge.InputError, match="saved without instances"):
        left.mean()
    with pytest.raises(adjudge.InputError, match="saved without instances"):
        LeftOut().size  # noqa: B018
