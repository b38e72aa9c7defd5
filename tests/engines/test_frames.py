"""Tables are compared in their own engine, and all engines agree with the labels in memory."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import adjudge
from table_engines import ENGINES, LAZY, in_engine, in_engines, rows_in_memory


def labels(n: int = 400, text: bool = True, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, n)
    columns = {
        "truth": truth,
        "one": np.where(rng.random(n) < 0.3, rng.integers(0, 4, n), truth),
        "two": np.where(rng.random(n) < 0.5, rng.integers(0, 5, n), truth),
        "row": np.arange(n),
    }
    frame = pl.DataFrame(columns)
    if text:
        frame = frame.with_columns(pl.format("class {}", pl.col(c)).alias(c) for c in ("truth", "one", "two"))
    return frame


def points(n: int = 300) -> pl.DataFrame:
    rng = np.random.default_rng(5)
    cluster = rng.integers(0, 4, n)
    return pl.DataFrame(
        {
            # Different units, a large offset, a correlation.
            "a": rng.normal(size=n) + 3 * cluster + 1e6,
            "b": 1e-3 * (rng.normal(size=n) + cluster % 2),
            "c": 1e3 * (rng.normal(size=n) - cluster),
            "constant": np.full(n, 7.25),
            "flag": rng.random(n) < 0.3,
            "cluster": [f"cluster {k}" for k in cluster],
            "number": cluster - 1,
            "truth": [f"class {k % 3}" for k in cluster],
        }
    )


# The indices that need of the points what a lazy table sums up.
LAZILY = [
    record.name
    for record in adjudge.list_indices("internal")
    if {t.__name__ for t in record.requires} <= {"Moments", "Scatter", "ClusterDeterminants"}
]
MODELS = {"truth": "truth", "models": ["one", "two"]}
OF_LABELS = {"truth": "truth", "pred": "two", "indices": "all"}
NOISY = {"truth": "truth", "noise": "drop", "indices": ["calinski_harabasz", "scott_symons", "rand"]}
ASKED = {
    "clusterings": (labels(), {**MODELS, "kind": "clustering"}),
    "clusterings of numbers": (labels(text=False), {**MODELS, "kind": "clustering"}),
    "classifiers": (labels(), {**MODELS, "kind": "classification"}),
    "classifiers of numbers": (labels(text=False), {**MODELS, "kind": "classification"}),
    "labels": (labels(), OF_LABELS),
    "a classifier": (labels(), {**OF_LABELS, "kind": "classification"}),
    "points": (points(), {"labels": "cluster", "features": ["a", "b", "c"], "indices": LAZILY}),
    "true or false": (
        points(),
        {"labels": "cluster", "features": ["flag", "b"], "indices": ["calinski", "trace_w"]},
    ),
    "labels and points": (
        points(),
        {
            "truth": "truth",
            "pred": "cluster",
            "features": ["a", "constant"],
            "indices": ["rand", "calinski", "ratkowsky"],
        },
    ),
    **{
        f"{name}s but {meant}": (
            points(),
            {**NOISY, "labels": name, "features": ["a", "b"], "noise_label": meant},
        )
        for meant in (-1, "cluster 2")
        for name in ("cluster", "number")
    },
}


@pytest.mark.full(keep=12)
@pytest.mark.parametrize("asked", ASKED)
@in_engines(ENGINES)
def test_every_engine_says_what_is_said_of_the_table_in_memory(engine, asked, request):
    frame, options = ASKED[asked]
    verb = adjudge.compare if "models" in options else adjudge.evaluate
    found, wanted = (verb(own, **options) for own in (in_engine(frame, engine, request), frame))
    assert found.n == wanted.n
    if verb is adjudge.evaluate:
        assert list(found) == list(wanted)
        rel = 1e-9 if "features" in options else 1e-12
        assert found.values == pytest.approx(wanted.values, rel=rel, nan_ok=True)
        if "noise" in options:
            meant = options["noise_label"]
            assert (found.n < len(frame)) == ((options["labels"] == "cluster") == isinstance(meant, str))
        return
    for model, scores in wanted.scores.items():
        assert found.scores[model] == pytest.approx(scores, rel=1e-12)
    for pair in wanted:
        same = found[pair.primary, pair.alternative]
        assert same.agreement == pair.agreement
        assert same.measures == pair.measures


@pytest.mark.parametrize("kind", ["clustering", "classification"])
def test_columns_of_a_table_in_memory_are_judged_as_arrays_are(kind):
    frame, of_points = labels(), points()
    truth, one, two = (frame[name].to_list() for name in ("truth", "one", "two"))
    wanted = adjudge.compare(truth, {"one": one, "two": two}, kind=kind)
    assert adjudge.compare(frame, kind=kind, **MODELS).to_dict()["pairs"] == wanted.to_dict()["pairs"]
    wanted = adjudge.evaluate(truth, two, kind=kind, indices="all").values
    assert adjudge.evaluate(frame, kind=kind, **OF_LABELS).values == pytest.approx(
        wanted, nan_ok=True, rel=1e-12
    )
    wanted = adjudge.evaluate(X=of_points.select("a", "b"), labels=of_points["cluster"], indices=LAZILY)
    found = adjudge.evaluate(of_points, labels="cluster", features=["a", "b"], indices=LAZILY)
    assert found.values == wanted.values


def test_what_a_lazy_table_sums_up():
    assert {"calinski_harabasz", "det_ratio", "scott_symons", "ratkowsky_lance", "ball_hall"} <= {*LAZILY}
    found = adjudge.evaluate(points().lazy(), labels="cluster", features=["a", "b"], indices="all")
    assert "trace_w" in found
    assert "silhouette" not in found


def collected(rows: object) -> pl.DataFrame:
    import narwhals as nw

    frame = nw.from_native(rows_in_memory(rows))
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    return pl.DataFrame({name: frame[name].to_list() for name in frame.columns})


@pytest.mark.full(keep=2)
@in_engines(ENGINES)
def test_rows_of_a_classification_cell(engine, request):
    frame = labels()
    pair = adjudge.compare(
        in_engine(frame, engine, request), truth="truth", models=["one", "two"], kind="classification"
    )["one", "two"]
    truth, one, two = (frame[c].to_numpy() for c in ("truth", "one", "two"))
    for cell, mask in {
        "both_right": (one == truth) & (two == truth),
        "right_wrong": (one == truth) & (two != truth),
        "wrong_right": (one != truth) & (two == truth),
        "both_wrong": (one != truth) & (two != truth),
    }.items():
        rows = pair.instances(cell)
        positions = rows if isinstance(rows, np.ndarray) else collected(rows)["row"].to_numpy()
        np.testing.assert_array_equal(np.sort(positions), np.flatnonzero(mask))


@pytest.mark.full
@pytest.mark.parametrize("text", [True, False], ids=["text", "integers"])
@in_engines(LAZY)
def test_pairs_of_each_row_of_a_clustering(engine, text, request):
    frame = labels(120, text)
    table = in_engine(frame, engine, request)
    found = adjudge.compare(table, truth="truth", models=["one", "two"], kind="clustering")["one", "two"]
    wanted = adjudge.compare(frame, truth="truth", models=["one", "two"], kind="clustering")["one", "two"]
    for cell in ("both_right", "right_wrong", "wrong_right", "both_wrong"):
        rows = found.instances(cell)
        assert isinstance(table, type(rows)) or engine == "ibis"
        rows = collected(rows).sort("row")
        assert rows.columns == [*frame.columns, "pairs"]
        np.testing.assert_array_equal(rows["pairs"].to_numpy(), wanted.instances(cell))


# Dask's reader of Parquet calls pandas as older versions of it were called.
@pytest.mark.full
@pytest.mark.filterwarnings("ignore:The inplace keyword")
@pytest.mark.parametrize("made", ["one partition", "files", "categories", "indexed"])
def test_pairs_of_each_row_in_dask(made, tmp_path):
    dataframe = pytest.importorskip("dask.dataframe", reason="Dask is not installed")
    frame = labels(90)
    if made == "files":
        for i in range(3):
            frame[30 * i : 30 * i + 30].write_parquet(tmp_path / f"{i}.parquet")
        table = dataframe.read_parquet(tmp_path)
        assert not table.known_divisions
        index = np.tile(np.arange(30), 3)
    else:
        rows = frame.to_pandas()
        if made == "categories":
            rows = rows.astype({"truth": "category", "two": "category"})
        if made == "indexed":
            rows.index = rows.index * 10
        index = rows.index
        table = dataframe.from_pandas(rows, npartitions=1 if made == "one partition" else 4)
    found = adjudge.compare(table, truth="truth", models=["one", "two"], kind="clustering")["one", "two"]
    wanted = adjudge.compare(frame, truth="truth", models=["one", "two"], kind="clustering")["one", "two"]
    for cell in ("both_right", "right_wrong", "wrong_right", "both_wrong"):
        rows = found.instances(cell)
        assert rows.npartitions == table.npartitions
        rows = rows.compute()
        np.testing.assert_array_equal(rows.index, index)
        np.testing.assert_array_equal(rows["row"], np.arange(90))
        np.testing.assert_array_equal(rows["pairs"], wanted.instances(cell))


@pytest.mark.parametrize("engine", ["polars-lazy", "duckdb", "dask"])
def test_a_column_of_pairs_is_not_overwritten(engine, request):
    table = in_engine(labels().rename({"row": "pairs"}), engine, request)
    pair = adjudge.compare(table, truth="truth", models=["one", "two"], kind="clustering")["one", "two"]
    with pytest.raises(adjudge.InputError, match="the table has a column 'pairs'"):
        pair.instances("both_right")


@in_engines(["pandas", "duckdb", "dask", "pyspark"])
def test_columns_of_one_name_are_refused(engine, request):
    table = in_engine(labels(), engine, request)
    names = ["truth", "one", "two", "one"]
    if engine == "pyspark":
        table = table.toDF(*names)
    elif engine == "duckdb":
        table = table.project('truth, one, two, "row" AS one')
    else:
        table = table.rename(columns={"row": "one"})
    with pytest.raises(adjudge.InputError, match="table has columns of the same name: rename all but one"):
        adjudge.evaluate(table, truth="truth", pred="two", indices="rand")


@pytest.mark.full
@in_engines(["duckdb", "dask", "pyspark"])
def test_frames_of_narwhals_are_taken(engine, request):
    import narwhals as nw

    table = in_engine(labels(), engine, request)
    with warnings.catch_warnings():
        # Those who wrap a Dask frame are told that narwhals-dask will do so.
        warnings.filterwarnings("ignore", "Dask support is moving", FutureWarning)
        try:
            wrapped = nw.from_native(table)
        except TypeError:
            pytest.skip(f"this narwhals does not wrap {engine}")
    found = [adjudge.evaluate(t, truth="truth", pred="two", indices="rand")["rand"] for t in (table, wrapped)]
    assert found[0] == found[1]


@pytest.mark.full
def test_narwhals_is_not_asked_about_dask(request, monkeypatch):
    """It warns that Dask needs another package, and one day will refuse."""
    import narwhals as nw

    from_native = nw.from_native

    def refusing(native, **options):
        assert not type(native).__module__.startswith("dask"), type(native)
        return from_native(native, **options)

    frame = labels()
    table = in_engine(frame, "dask", request)
    monkeypatch.setattr(nw, "from_native", refusing)
    assert adjudge.evaluate(table, truth="truth", pred="one", features=["row"], indices="all").n == len(frame)
    for kind in ("clustering", "classification"):
        pair = adjudge.compare(table, truth="truth", models=["one", "two"], kind=kind)["one", "two"]
        assert len(pair.instances("both_right")) == (len(frame) if kind == "clustering" else pair.both_right)
        assert adjudge.compare(table["truth"], table[["one"]], kind=kind).models == ("one",)
    for X in (table[["row"]], table["row"]):
        found = adjudge.evaluate(X=X, labels=frame["truth"], indices="dunn")
        assert (
            found["dunn"] == adjudge.evaluate(X=frame[["row"]], labels=frame["truth"], indices="dunn")["dunn"]
        )


@pytest.mark.full
def test_dask_sends_its_partitions_to_processes(request):
    """What works on partitions can be pickled."""
    dask = pytest.importorskip("dask", reason="Dask is not installed")
    frame = points()
    options = {"labels": "cluster", "features": ["a", "b"], "indices": "det_ratio", "noise": "drop"}
    with dask.config.set(scheduler="processes", num_workers=1):
        found = adjudge.evaluate(in_engine(frame, "dask", request), noise_label="cluster 2", **options)
    wanted = adjudge.evaluate(frame, noise_label="cluster 2", **options)
    assert found["det_ratio"] == pytest.approx(wanted["det_ratio"], rel=1e-9)


@pytest.mark.full
@pytest.mark.parametrize("engine", ["polars-lazy", "duckdb", "dask"])
def test_clusters_may_be_categories(engine, request):
    frame = points().with_columns(pl.col("cluster").cast(pl.Categorical))
    options = {"labels": "cluster", "features": ["a", "b"], "indices": "det_ratio"}
    found = adjudge.evaluate(in_engine(frame, engine, request), **options)
    assert found["det_ratio"] == pytest.approx(adjudge.evaluate(frame, **options)["det_ratio"], rel=1e-9)
    for meant in ("cluster 2", "cluster 9"):
        dropped = adjudge.evaluate(
            in_engine(frame, engine, request), noise="drop", noise_label=meant, **options
        )
        assert dropped.n == int((frame["cluster"].cast(str) != meant).sum())


ODD = {
    "truth": "true.label",
    "one": "model.v1",
    "two": 'model "2" `b`',
    "row": "a.row",
    "cluster": "c.d",
    "a": "x.y",
}


@pytest.mark.full(keep=1)
@in_engines(ENGINES)
def test_names_of_columns_are_nothing_but_names(engine, request):
    truth, one, two = ODD["truth"], ODD["one"], ODD["two"]
    plain = labels()
    frame = plain.rename(lambda name: ODD[name])
    table = in_engine(frame, engine, request)
    for kind in ("clustering", "classification"):
        found = adjudge.compare(table, truth=truth, models=[one, two], kind=kind)
        wanted = adjudge.compare(plain, truth="truth", models=["one", "two"], kind=kind)
        assert found.models == (one, two)
        assert found[one, two].agreement == wanted["one", "two"].agreement
        rows = found[one, two].instances("right_wrong")
        if not isinstance(rows, np.ndarray):
            assert collected(rows).columns == [*frame.columns, *(["pairs"] if kind == "clustering" else [])]
    external = adjudge.evaluate(table, truth=truth, pred=one, indices="rand")
    assert external["rand"] == adjudge.evaluate(plain, truth="truth", pred="one", indices="rand")["rand"]
    with pytest.raises(adjudge.InputError, match=r"has no column 'model\.v': did you mean 'model\.v1'"):
        adjudge.compare(table, truth=truth, models=["model.v"], kind="clustering")


@pytest.mark.full(keep=1)
@in_engines(ENGINES)
def test_names_of_features_are_nothing_but_names(engine, request):
    frame = points().select("a", "b", "cluster")
    table = in_engine(frame.rename({"a": "x.y", "cluster": "c.d"}), engine, request)
    found = adjudge.evaluate(table, labels="c.d", features=["x.y", "b"], indices="det_ratio")
    wanted = adjudge.evaluate(frame, labels="cluster", features=["a", "b"], indices="det_ratio")
    assert found["det_ratio"] == pytest.approx(wanted["det_ratio"], rel=1e-9)
    if engine in LAZY:
        holes = frame.with_columns(pl.when(pl.int_range(pl.len()) > 5).then(pl.col("a"))).rename({"a": "x.y"})
        with pytest.raises(adjudge.InputError, match=r"^the column 'x\.y' has 6 missing or infinite values"):
            adjudge.evaluate(in_engine(holes, engine, request), labels="cluster", features=["x.y"])


def with_nulls() -> pl.DataFrame:
    row = pl.int_range(pl.len())
    return labels().with_columns(
        one=pl.when(row < 7).then(None).otherwise(pl.col("one")),
        two=pl.when((row >= 5) & (row < 9)).then(None).otherwise(pl.col("two")),
    )


@pytest.mark.full
@in_engines(["polars-lazy", "duckdb", "pyspark", "dask", "ibis"])
def test_missing_labels_are_an_error_or_left_out(engine, request):
    frame = with_nulls()
    table = in_engine(frame, engine, request)
    with pytest.raises(adjudge.InputError) as error:
        adjudge.compare(table, truth="truth", models=["one", "two"], kind="clustering")
    assert str(error.value) == (
        "column 'one' has 7 missing labels: fill them in, or pass missing='drop' to leave such rows out"
    )
    found = adjudge.compare(table, truth="truth", models=["one", "two"], kind="clustering", missing="drop")
    wanted = adjudge.compare(frame, truth="truth", models=["one", "two"], kind="clustering", missing="drop")
    assert found.n == wanted.n == len(frame) - 9
    assert found["one", "two"].agreement == wanted["one", "two"].agreement


@pytest.mark.parametrize("engine", ["polars-lazy", "duckdb"])
def test_rows_leave_out_what_the_comparison_left_out(engine, request):
    frame = with_nulls().with_columns(extra=pl.col("truth"))
    table = in_engine(frame, engine, request)
    models = ["two", "extra", "one"]
    found = adjudge.compare(table, truth="truth", models=models, kind="clustering", missing="drop")[
        "two", "extra"
    ]
    wanted = adjudge.compare(frame, truth="truth", models=models, kind="clustering", missing="drop")[
        "two", "extra"
    ]
    pairs = np.zeros(len(frame), np.int64)
    rows = collected(found.instances("wrong_right"))
    pairs[rows["row"].to_numpy()] = rows["pairs"].to_numpy()
    assert len(rows) == len(frame) - 9
    np.testing.assert_array_equal(pairs, wanted.instances("wrong_right"))


@pytest.mark.parametrize("engine", ["polars-lazy", "duckdb"])
def test_noise_is_dropped_in_the_engine(engine, request):
    frame = labels(text=False).with_columns(one=pl.col("one") - 1)
    table = in_engine(frame, engine, request)
    options = {"kind": "clustering", "noise": "drop"}
    found = adjudge.compare(table, truth="truth", models=["one", "two"], **options)
    wanted = adjudge.compare(frame, truth="truth", models=["one", "two"], **options)
    assert found.n == wanted.n < len(frame)
    assert found["one", "two"].agreement == wanted["one", "two"].agreement
    rows = collected(found["one", "two"].instances("both_right"))
    assert len(rows) == found.n
    with pytest.raises(adjudge.InputError, match="collect the table first"):
        adjudge.compare(table, truth="truth", models=["one", "two"], kind="clustering", noise="singletons")


def test_a_table_without_rows_is_refused():
    message = "^the table has no row with all its labels: at least one is needed$"
    with pytest.raises(adjudge.InputError, match=message):
        adjudge.evaluate(labels().lazy().head(0), truth="truth", pred="one", indices="all")


def test_too_many_combinations_are_refused(monkeypatch):
    monkeypatch.setattr("adjudge.engines.frames.counting.LARGEST_RESULT", 5)
    with pytest.raises(adjudge.InputError, match="more than 5 combinations of labels: compare fewer models"):
        adjudge.compare(labels().lazy(), truth="truth", models=["one", "two"], kind="clustering")


def exact_moments(x: np.ndarray, clusters: np.ndarray) -> tuple[float, float]:
    """WGSS and BGSS of one column in rational numbers."""
    values = [Fraction(float(v)) for v in x]
    centre = sum(values) / len(values)
    within = between = Fraction(0)
    for k in np.unique(clusters):
        own = [v for v, c in zip(values, clusters, strict=True) if c == k]
        mean = sum(own) / len(own)
        within += sum((v - mean) ** 2 for v in own)
        between += len(own) * (mean - centre) ** 2
    return float(within), float(between)


FAR = {
    "an outlier is first, in a cluster of its own": lambda x, g: (
        np.where(np.arange(x.size) == 0, 1e8, x),
        np.where(np.arange(x.size) == 0, 9, g),
    ),
    "an outlier is first, in a large cluster": lambda x, g: (np.where(np.arange(x.size) == 0, -1e8, x), g),
    "clusters are far apart": lambda x, g: (x + 1e8 * g * (g + 1), g),
    "all is far from zero": lambda x, g: (x + 1e10, g),
}


@pytest.mark.full
@pytest.mark.parametrize("case", FAR)
@in_engines(LAZY)
def test_moments_keep_their_digits(engine, case, request):
    rng = np.random.default_rng(0)
    g = rng.integers(0, 4, 300)
    x, g = FAR[case](0.01 * (rng.normal(size=300) + g), g)
    y = rng.normal(size=300) + x / np.abs(x).max()
    within, between = exact_moments(x, g)
    frame = pl.DataFrame({"x": x, "y": y, "g": g})
    found = adjudge.evaluate(
        in_engine(frame, engine, request),
        labels="g",
        features=["x"],
        indices=["trace_w", "calinski_harabasz"],
    )
    k = np.unique(g).size
    assert found["trace_w"] == pytest.approx(within, rel=1e-12, abs=0)
    assert found["calinski_harabasz"] == pytest.approx(between / (k - 1) / (within / (300 - k)), rel=1e-12)
    names = ["det_ratio", "scott_symons"]
    found = adjudge.evaluate(
        in_engine(frame, engine, request), labels="g", features=["x", "y"], indices=names
    )
    products = {}
    for k in np.unique(g):
        mine = [[Fraction(float(v)) for v in column[g == k]] for column in (x, y)]
        means = [sum(column) / len(column) for column in mine]
        deviations = [[v - m for v in column] for column, m in zip(mine, means, strict=True)]
        products[k] = [
            sum(a * b for a, b in zip(deviations[i], deviations[j], strict=True))
            for i, j in ((0, 0), (0, 1), (1, 1))
        ]
    pooled = [sum(column) for column in zip(*products.values(), strict=True)]
    whole = [
        sum((Fraction(float(a)) - ma) * (Fraction(float(b)) - mb) for a, b in zip(u, v, strict=True))
        for u, v in ((x, x), (x, y), (y, y))
        for ma, mb in [(sum(map(Fraction, u.tolist())) / 300, sum(map(Fraction, v.tolist())) / 300)]
    ]
    determinants = [xx * yy - xy * xy for xx, xy, yy in (whole, pooled)]
    assert found["det_ratio"] == pytest.approx(float(determinants[0] / determinants[1]), rel=1e-11)
    if min(np.unique(g, return_counts=True)[1]) > 2:
        logarithms = sum(
            int((g == k).sum()) * math.log((xx * yy - xy * xy) / int((g == k).sum()) ** 2)
            for k, (xx, xy, yy) in products.items()
        )
        assert found["scott_symons"] == pytest.approx(logarithms, rel=1e-12)


@pytest.mark.full
@in_engines(LAZY)
def test_what_is_constant_has_no_squares(engine, request):
    frame = pl.DataFrame({"x": [0.1] * 10 + [0.7] * 3, "g": [0] * 10 + [1] * 3})
    table = in_engine(frame, engine, request)
    assert adjudge.evaluate(table, labels="g", features=["x"], indices="trace_w")["trace_w"] == 0.0


@pytest.mark.full(keep=2)
@in_engines(LAZY)
@pytest.mark.parametrize("value", [1e200, -1e71])
def test_magnitudes_beyond_floating_point_are_refused(engine, value, request):
    frame = points().with_columns(a=pl.when(pl.int_range(pl.len()) == 7).then(value).otherwise("a"))
    for table in (frame, in_engine(frame, engine, request)):
        with pytest.raises(
            adjudge.InputError, match=r"has 1e\+(200|71) as its largest magnitude, whose powers"
        ):
            adjudge.evaluate(table, labels="cluster", features=["b", "a"], indices="trace_w")
    tiny = in_engine(frame.with_columns(a=1e-80 * pl.col("b")), engine, request)
    with pytest.raises(adjudge.InputError, match="as its largest magnitude, whose powers"):
        adjudge.evaluate(tiny, labels="cluster", features=["a"], indices="trace_w")


@pytest.mark.parametrize("engine", ["polars-lazy", "duckdb"])
def test_missing_clusters_are_an_error_although_noise_is_dropped(engine, request):
    row = pl.int_range(pl.len())
    frame = points().with_columns(
        number=pl.when(row < 4).then(None).when(row < 9).then(-1).otherwise(row % 3)
    )
    table = in_engine(frame, engine, request)
    options = {"labels": "number", "features": ["a"], "indices": "trace_w", "noise": "drop"}
    with pytest.raises(adjudge.InputError, match="column 'number' has 4 missing labels"):
        adjudge.evaluate(table, **options)
    assert adjudge.evaluate(table, missing="drop", **options).n == len(frame) - 9
    with pytest.raises(adjudge.InputError, match="noise='singletons' needs the instances"):
        adjudge.evaluate(table, **{**options, "noise": "singletons"})
    with pytest.raises(adjudge.InputError, match="noise='nonsense' is not known"):
        adjudge.evaluate(table, **{**options, "noise": "nonsense"})


def test_columns_of_a_table_in_memory_are_called_by_their_names():
    table = pl.DataFrame({"y": ["a", None, "b"], "p": [0, 1, 1], "x": [1.0, 2.0, 3.0]})
    for call in (
        lambda: adjudge.evaluate(table, truth="y", pred="p", indices="all"),
        lambda: adjudge.evaluate(table, truth="p", pred="y", indices="all"),
        lambda: adjudge.evaluate(table, labels="y", features=["x"], indices="all"),
        lambda: adjudge.compare(table, truth="y", kind="clustering"),
        lambda: adjudge.compare(table, truth="p", models=["y"], kind="clustering"),
    ):
        with pytest.raises(
            adjudge.InputError, match=r"^column 'y' has a missing label at position 1 \(1 in all\)"
        ):
            call()


def test_what_an_engine_cannot_do_is_said():
    table = points().lazy()
    for call, message in (
        (
            lambda: adjudge.evaluate(table, labels="cluster", features=["a"], indices="silhouette"),
            "silhouette needs the points themselves, but the engine returns only moments: collect the table first",
        ),
        (
            lambda: adjudge.evaluate(table, labels="cluster", features=["truth"], indices="all"),
            "the column 'truth' is not numeric (String): leave it out or encode it",
        ),
        (
            lambda: adjudge.evaluate(
                table.with_columns(
                    a=pl.when(pl.col("a") > 1e6 + 9).then(float("nan")).otherwise(pl.col("a"))
                ),
                labels="cluster",
                features=["b", "a"],
                indices="all",
            ),
            "the column 'a' has 33 missing or infinite values: fill in or leave out such rows",
        ),
        (
            lambda: adjudge.evaluate(table, labels="cluster", features=["a"], metric="cosine", indices="all"),
            "metric= with features needs the points: collect the table first",
        ),
        (
            lambda: adjudge.evaluate(table, labels="cluster", features=["a"], confidence=0.95, indices="all"),
            "confidence= with features needs the points: collect the table first",
        ),
        (
            lambda: adjudge.evaluate(table, labels="cluster", features=["a"], adjust=True, indices="all"),
            "adjust= corrects indices that compare with the truth: truth is missing",
        ),
        (
            lambda: adjudge.evaluate(table, features=["a"], indices="all"),
            "labels is missing: features need the column with the clusters to be judged",
        ),
    ):
        with pytest.raises(adjudge.InputError) as error:
            call()
        assert str(error.value) == message


FRAMES_OF_RESULTS = {
    "ray": "pyarrow",
    "pandas": "pandas",
    "polars": "polars",
    "polars-lazy": "polars",
    "pyarrow": "pyarrow",
    "duckdb": "pyarrow",
    "duckdb-own": "pyarrow",
    "dask": "pandas",
    "ibis": "pyarrow",
    "pyspark": "pandas",
}


@pytest.mark.full(keep=5)
@in_engines(ENGINES)
def test_results_are_frames_of_what_the_engine_hands_over(engine, request):
    table = in_engine(labels(), engine, request)
    for result in (
        adjudge.compare(table, truth="truth", models=["one", "two"], kind="classification"),
        adjudge.evaluate(table, truth="truth", pred="one", indices="rand"),
    ):
        assert type(result.to_frame()).__module__.partition(".")[0] == FRAMES_OF_RESULTS[engine]


@pytest.mark.full
@in_engines(["polars-lazy", "duckdb", "pyspark"])
def test_nan_is_a_missing_label(engine, request):
    frame = labels(text=False).with_columns(pl.col("one").cast(float), x=pl.col("row") * 1.5)
    frame = frame.with_columns(one=pl.when(pl.col("row") < 9).then(float("nan")).otherwise(pl.col("one")))
    table = in_engine(frame, engine, request)
    for call in (
        lambda **options: adjudge.evaluate(table, truth="truth", pred="one", indices="rand", **options),
        lambda **options: adjudge.evaluate(table, labels="one", features=["x"], indices="trace_w", **options),
        lambda **options: adjudge.compare(
            table, truth="truth", models=["one", "two"], kind="clustering", **options
        ),
    ):
        with pytest.raises(adjudge.InputError, match="column 'one' has 9 missing labels"):
            call()
        assert call(missing="drop").n == len(frame) - 9
    rows = adjudge.compare(table, truth="truth", models=["one", "two"], kind="classification", missing="drop")
    found = rows["one", "two"]
    assert len(collected(found.instances("both_wrong"))) == found.both_wrong
    halves = in_engine(frame.with_columns(pl.col("two") / 2), engine, request)
    with pytest.raises(adjudge.InputError, match="which is not a whole number"):
        adjudge.evaluate(halves, labels="two", features=["x"], indices="trace_w")


@pytest.mark.full
@in_engines(["polars-lazy", "duckdb", "pyspark"])
def test_clusterings_of_many_labels_are_counted_two_at_a_time(engine, request, monkeypatch):
    frame = with_nulls()
    table = in_engine(frame, engine, request)
    models = ["one", "two"]
    monkeypatch.setattr("adjudge.engines.frames.counting.LARGEST_RESULT", 30)
    found = adjudge.compare(table, truth="truth", models=models, kind="clustering", missing="drop")
    wanted = adjudge.compare(frame, truth="truth", models=models, kind="clustering", missing="drop")
    assert found.n == wanted.n
    assert found.models == wanted.models
    assert found.scores == wanted.scores
    assert {name: pair.agreement for name, pair in found.pairs.items()} == {
        name: pair.agreement for name, pair in wanted.pairs.items()
    }
    assert found.to_dict()["pairs"] == wanted.to_dict()["pairs"]
    assert len(collected(found["one", "two"].instances("both_right"))) == found.n
    with pytest.raises(adjudge.InputError, match="column 'one' has 7 missing labels"):
        adjudge.compare(table, truth="truth", models=models, kind="clustering")
    with pytest.raises(adjudge.InputError, match="more than 30 combinations"):
        adjudge.compare(table, truth="truth", models=models, kind="classification")


def weighted(
    engine: str, request: pytest.FixtureRequest, weights: list[float]
) -> tuple[pl.DataFrame, object]:
    frame = labels(120).with_columns(weight=pl.Series(weights))
    return frame, in_engine(frame, engine, request)


WHOLE = [float(w) for w in np.random.default_rng(3).integers(0, 4, 120)]
SAMPLING = [float(w) for w in np.random.default_rng(4).exponential(size=120)]


@pytest.mark.full(keep=2)
@pytest.mark.parametrize(("meaning", "weights"), [("frequency", WHOLE), ("importance", SAMPLING)])
@in_engines(ENGINES)
def test_weights_are_summed_in_the_engine(engine, meaning, weights, request):
    frame, table = weighted(engine, request, weights)
    options = {"sample_weight": "weight", "weights": meaning}
    vectors = {name: frame[name].to_list() for name in ("truth", "one", "two")}
    in_memory = {"sample_weight": weights, "weights": meaning}
    judged = adjudge.evaluate(table, truth="truth", pred="one", **options)
    assert judged.values == pytest.approx(
        adjudge.evaluate(vectors["truth"], vectors["one"], **in_memory).values, rel=1e-10, nan_ok=True
    )
    models = {name: vectors[name] for name in ("one", "two")}
    for kind in ("clustering", "classification"):
        found = adjudge.compare(table, truth="truth", models=["one", "two"], kind=kind, **options)
        wanted = adjudge.compare(vectors["truth"], models, kind=kind, **in_memory)
        assert found.n == pytest.approx(wanted.n)
        for pair in wanted:
            same = found[pair.primary, pair.alternative]
            assert same.measures == pytest.approx(pair.measures, rel=1e-10)
            assert same.agreement.total == pytest.approx(pair.agreement.total)


@pytest.mark.full(keep=7)
@in_engines(["polars-lazy", "duckdb", "dask"])
@pytest.mark.parametrize(
    ("broken", "meaning", "message"),
    [
        (-1.0, "importance", r"weight has -1.0: a number of at least 0 is needed"),
        (None, "importance", r"weight has missing or infinite weights"),
        (math.inf, "importance", r"weight has missing or infinite weights"),
        (0.5, "frequency", r"weight'? has 0.5, which is not a number of instances"),
    ],
)
def test_weights_that_the_engine_cannot_sum(engine, broken, meaning, message, request):
    # The other half of an instance is in the same combination: the sum is whole.
    twins = {0: broken, 1: broken}
    frame = pl.DataFrame(
        {
            "truth": ["a", "a", "b", "b"],
            "one": ["x", "x", "y", "x"],
            "weight": pl.Series([twins.get(i, 2.0) for i in range(4)], dtype=pl.Float64),
        }
    )
    with pytest.raises(adjudge.InputError, match=message):
        adjudge.evaluate(
            in_engine(frame, engine, request),
            truth="truth",
            pred="one",
            sample_weight="weight",
            weights=meaning,
        )


def test_weights_that_are_labels_or_text(request):
    table = in_engine(labels(), "polars-lazy", request)
    with pytest.raises(adjudge.InputError, match="truth has labels: name another column with the weights"):
        adjudge.evaluate(table, truth="truth", pred="one", sample_weight="truth", weights="importance")
    with pytest.raises(TypeError, match="two has type String: weights are numbers"):
        adjudge.evaluate(table, truth="truth", pred="one", sample_weight="two", weights="importance")
    pair = adjudge.compare(
        table,
        truth="truth",
        models=["one", "two"],
        kind="clustering",
        sample_weight="row",
        weights="importance",
    )["one", "two"]
    with pytest.raises(adjudge.InputError, match="are not computed in the engine: collect the table first"):
        pair.instances("both_right")


@pytest.mark.filterwarnings("ignore:.use_\\w+. is deprecated:DeprecationWarning")
def test_ray_data_is_gated_joined_and_refused(ray_cluster, tmp_path):
    """Types that differ between blocks, labels that are missing, two data sets with a key, and a worker's error."""
    import ray.data

    frame = labels(text=False)
    frame.head(40).write_parquet(tmp_path / "a.parquet")
    rest = frame.slice(40).with_columns(pl.col("one").cast(pl.Int16))
    rest.select(*frame.columns[::-1]).write_parquet(tmp_path / "b.parquet")
    table = ray.data.read_parquet([str(tmp_path / name) for name in ("a.parquet", "b.parquet")])
    asked = {"truth": "truth", "margin": 0.1, "kind": "classification"}
    found, wanted = (adjudge.gate(one, "one", "two", **asked) for one in (table, frame))
    assert [own.to_dict() for own in found.tested] == [own.to_dict() for own in wanted.tested]
    assert sorted(found.broken["row"].to_pylist()) == sorted(wanted.broken["row"])
    assert adjudge.gate(table, "one", "two", engine="memory", **asked).n_broken == wanted.n_broken
    two = [ray.data.from_arrow(frame.select("row", "truth", said=own).to_arrow()) for own in ("one", "two")]
    assert adjudge.gate(*two, key="row", **asked).n_broken == wanted.n_broken
    gaps = ray.data.from_pandas(frame.to_pandas().assign(one=lambda own: own.one.where(own.row != 3)))
    with pytest.raises(adjudge.InputError, match="column 'one' has 1 missing label"):
        adjudge.evaluate(gaps, truth="truth", pred="one", kind="classification")
    with pytest.raises(adjudge.InputError, match="the table has no column 'three'"):
        adjudge.evaluate(gaps, truth="truth", pred="three")

    def broken(block):
        raise ValueError("no such file on this machine")

    with pytest.raises(
        adjudge.InputError, match=r"^the table could not be read: no such file on this machine$"
    ):
        adjudge.evaluate(table.map_batches(broken), truth="truth", pred="one")
