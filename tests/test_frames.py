"""Tables are compared in their own engine, and all engines agree with the labels in memory."""

from __future__ import annotations

import shutil
import warnings

import numpy as np
import polars as pl
import pytest

import adjudge

ENGINES = ["pandas", "polars", "polars-lazy", "pyarrow", "duckdb", "dask", "ibis", "pyspark"]


@pytest.fixture(scope="module")
def spark():
    pyspark = pytest.importorskip("pyspark", reason="PySpark is not installed")
    if shutil.which("java") is None:
        pytest.skip("PySpark needs Java, which is not installed")
    with warnings.catch_warnings():
        # Spark's own start-up warns about its sockets and its log.
        warnings.simplefilter("ignore")
        session = (
            pyspark.sql.SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.sql.session.timeZone", "UTC")
            .getOrCreate()
        )
        session.sparkContext.setLogLevel("ERROR")
        yield session
        session.stop()


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


def in_engine(frame: pl.DataFrame, engine: str, request: pytest.FixtureRequest) -> object:
    if engine == "polars":
        return frame
    if engine == "polars-lazy":
        return frame.lazy()
    if engine == "pyarrow":
        return frame.to_arrow()
    if engine == "pandas":
        return frame.to_pandas()
    if engine == "duckdb":
        duckdb = pytest.importorskip("duckdb")
        return duckdb.from_arrow(frame.to_arrow())
    if engine == "dask":
        dataframe = pytest.importorskip("dask.dataframe", reason="Dask is not installed")
        return dataframe.from_pandas(frame.to_pandas(), npartitions=3)
    if engine == "ibis":
        ibis = pytest.importorskip("ibis", reason="Ibis is not installed")
        return ibis.memtable(frame.to_arrow())
    session = request.getfixturevalue("spark")
    return session.createDataFrame([tuple(row) for row in frame.iter_rows()], schema=frame.columns)


def collected(rows: object) -> pl.DataFrame:
    import narwhals as nw

    frame = nw.from_native(rows)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    return pl.DataFrame({name: frame[name].to_list() for name in frame.columns})


@pytest.mark.parametrize("text", [True, False], ids=["text", "integers"])
@pytest.mark.parametrize("kind", ["clustering", "classification"])
@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_gives_the_counts_of_the_labels_in_memory(engine, kind, text, request):
    frame = labels(text=text)
    table = in_engine(frame, engine, request)
    found = adjudge.compare_table(table, "truth", ["one", "two"], kind=kind)
    wanted = adjudge.compare(
        frame["truth"].to_list(), {m: frame[m].to_list() for m in ("one", "two")}, kind=kind
    )
    assert found.n == wanted.n
    for model, scores in wanted.scores.items():
        assert found.scores[model] == pytest.approx(scores, rel=1e-12)
    for pair in wanted:
        same = found[pair.primary, pair.alternative]
        assert same.agreement == pair.agreement
        assert same.measures == pair.measures


@pytest.mark.parametrize("engine", ENGINES)
def test_rows_of_a_classification_cell(engine, request):
    frame = labels()
    pair = adjudge.compare_table(
        in_engine(frame, engine, request), "truth", ["one", "two"], kind="classification"
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


@pytest.mark.parametrize("engine", ["polars-lazy", "duckdb", "pyspark"])
def test_pairs_of_each_row_of_a_clustering(engine, request):
    frame = labels(120)
    table = in_engine(frame, engine, request)
    found = adjudge.compare_table(table, "truth", ["one", "two"], kind="clustering")["one", "two"]
    wanted = adjudge.compare_table(frame, "truth", ["one", "two"], kind="clustering")["one", "two"]
    for cell in ("both_right", "right_wrong", "wrong_right", "both_wrong"):
        rows = collected(found.instances(cell)).sort("row")
        np.testing.assert_array_equal(rows["pairs"].to_numpy(), wanted.instances(cell))


@pytest.mark.parametrize("engine", ENGINES)
def test_evaluate_table_equals_evaluate(engine, request):
    frame = labels()
    found = adjudge.evaluate_table(in_engine(frame, engine, request), truth="truth", pred="two")
    wanted = adjudge.evaluate(frame["truth"].to_list(), frame["two"].to_list())
    assert found.n == wanted.n
    assert list(found.values) == list(wanted.values)
    np.testing.assert_allclose(list(found.values.values()), list(wanted.values.values()), rtol=1e-12)


def with_nulls() -> pl.DataFrame:
    row = pl.int_range(pl.len())
    return labels().with_columns(
        one=pl.when(row < 7).then(None).otherwise(pl.col("one")),
        two=pl.when((row >= 5) & (row < 9)).then(None).otherwise(pl.col("two")),
    )


@pytest.mark.parametrize("engine", ["polars-lazy", "duckdb", "pyspark", "dask", "ibis"])
def test_missing_labels_are_an_error_or_left_out(engine, request):
    frame = with_nulls()
    table = in_engine(frame, engine, request)
    with pytest.raises(adjudge.InputError) as error:
        adjudge.compare_table(table, "truth", ["one", "two"], kind="clustering")
    assert str(error.value) == (
        "one has 7 missing labels: fill them in, or pass missing='drop' to leave such rows out"
    )
    found = adjudge.compare_table(table, "truth", ["one", "two"], kind="clustering", missing="drop")
    wanted = adjudge.compare_table(frame, "truth", ["one", "two"], kind="clustering", missing="drop")
    assert found.n == wanted.n == len(frame) - 9
    assert found["one", "two"].agreement == wanted["one", "two"].agreement


@pytest.mark.parametrize("engine", ["polars-lazy", "duckdb"])
def test_rows_leave_out_what_the_comparison_left_out(engine, request):
    frame = with_nulls().with_columns(extra=pl.col("truth"))
    table = in_engine(frame, engine, request)
    models = ["two", "extra", "one"]
    found = adjudge.compare_table(table, "truth", models, kind="clustering", missing="drop")["two", "extra"]
    wanted = adjudge.compare_table(frame, "truth", models, kind="clustering", missing="drop")["two", "extra"]
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
    found = adjudge.compare_table(table, "truth", ["one", "two"], **options)
    wanted = adjudge.compare_table(frame, "truth", ["one", "two"], **options)
    assert found.n == wanted.n < len(frame)
    assert found["one", "two"].agreement == wanted["one", "two"].agreement
    rows = collected(found["one", "two"].instances("both_right"))
    assert len(rows) == found.n
    with pytest.raises(adjudge.InputError, match="collect the table first"):
        adjudge.compare_table(table, "truth", ["one", "two"], kind="clustering", noise="singletons")


def test_columns_that_are_not_there_are_named():
    frame = labels()
    for call, message in (
        (
            lambda: adjudge.compare_table(frame, "trut", kind="clustering"),
            "the table has no column 'trut': did you mean 'truth'? it has 'truth', 'one', 'two', 'row'",
        ),
        (
            lambda: adjudge.compare_table(frame, "truth", ["one", "one"], kind="clustering"),
            "column 'one' is asked for twice",
        ),
        (
            lambda: adjudge.compare_table(frame.select("truth"), "truth", kind="clustering"),
            "models is empty: at least one column with a model's labels is needed",
        ),
        (
            lambda: adjudge.evaluate_table(frame.lazy().head(0), truth="truth", pred="one"),
            "the table has no row with all its labels: at least one is needed",
        ),
    ):
        with pytest.raises(adjudge.InputError) as error:
            call()
        assert str(error.value) == message
    with pytest.raises(adjudge.InputTypeError) as wrong:
        adjudge.compare_table([1, 2], "truth", kind="clustering")
    assert str(wrong.value) == "table is a list: a data frame is needed"


def test_too_many_combinations_are_refused(monkeypatch):
    monkeypatch.setattr("adjudge.engines.frames.LARGEST_RESULT", 5)
    with pytest.raises(adjudge.InputError, match="more than 5 combinations of labels: compare fewer models"):
        adjudge.compare_table(labels().lazy(), "truth", ["one", "two"], kind="clustering")


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
            "cluster": [f"cluster {k}" for k in cluster],
            "truth": [f"class {k % 3}" for k in cluster],
        }
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_moments_in_the_engine_equal_those_in_memory(engine, request):
    frame = points()
    features = ["a", "b", "c"]
    lazy_ones = [
        i.name
        for i in adjudge.list_indices("internal")
        if {t.__name__ for t in i.requires} <= {"Moments", "Scatter", "ClusterDeterminants"}
    ]
    assert {"calinski_harabasz", "det_ratio", "scott_symons", "ratkowsky_lance", "ball_hall"} <= set(
        lazy_ones
    )
    wanted = adjudge.evaluate(X=frame.select(features), labels=frame["cluster"], indices=lazy_ones)
    found = adjudge.evaluate_table(
        in_engine(frame, engine, request), labels="cluster", features=features, indices=lazy_ones
    )
    assert found.n == wanted.n
    for name in lazy_ones:
        assert found[name] == pytest.approx(wanted[name], rel=1e-9), name


@pytest.mark.parametrize("engine", ["polars-lazy", "duckdb"])
def test_labels_and_points_of_a_lazy_table(engine, request):
    table = in_engine(points(), engine, request)
    found = adjudge.evaluate_table(
        table, "truth", "cluster", features=["a", "constant"], indices=["rand", "calinski", "ratkowsky"]
    )
    wanted = adjudge.evaluate_table(
        points(), "truth", "cluster", features=["a", "constant"], indices=["rand", "calinski", "ratkowsky"]
    )
    assert list(found) == list(wanted)
    for name in found:
        assert found[name] == pytest.approx(wanted[name], rel=1e-9)
    everything = adjudge.evaluate_table(table, labels="cluster", features=["a", "b"])
    assert "trace_w" in everything
    assert "silhouette" not in everything


def test_what_an_engine_cannot_do_is_said():
    table = points().lazy()
    for call, message in (
        (
            lambda: adjudge.evaluate_table(table, labels="cluster", features=["a"], indices="silhouette"),
            "silhouette needs the points themselves, the engine returns moments: collect the table first",
        ),
        (
            lambda: adjudge.evaluate_table(table, labels="cluster", features=["truth"]),
            "the column 'truth' is not numeric (String): leave it out or encode it",
        ),
        (
            lambda: adjudge.evaluate_table(
                table.with_columns(
                    a=pl.when(pl.col("a") > 1e6 + 9).then(float("nan")).otherwise(pl.col("a"))
                ),
                labels="cluster",
                features=["b", "a"],
            ),
            "the column 'a' has 33 missing or infinite values: fill in or leave out such rows",
        ),
        (
            lambda: adjudge.evaluate_table(table, features=["a"]),
            "labels is missing: features need the column with the clusters to be judged",
        ),
        (
            lambda: adjudge.evaluate_table(table),
            "nothing to judge: give truth and pred, or labels and features, or all of them",
        ),
    ):
        with pytest.raises(adjudge.InputError) as error:
            call()
        assert str(error.value) == message


@pytest.mark.parametrize("engine", ENGINES)
def test_classifiers_in_a_table_are_evaluated(engine, request):
    frame = labels()
    table = in_engine(frame, engine, request)
    found = adjudge.evaluate_table(table, "truth", "two", kind="classification")
    wanted = adjudge.evaluate(frame["truth"].to_list(), frame["two"].to_list(), kind="classification")
    assert "accuracy" in found
    assert list(found.values) == list(wanted.values)
    np.testing.assert_allclose(list(found.values.values()), list(wanted.values.values()), rtol=1e-12)
    assert found.settings["of"] == "classification"


FRAMES_OF_RESULTS = {
    "pandas": "pandas",
    "polars": "polars",
    "polars-lazy": "polars",
    "pyarrow": "pyarrow",
    "duckdb": "pyarrow",
    "dask": "pandas",
    "ibis": "pyarrow",
    "pyspark": "pandas",
}


@pytest.mark.parametrize("engine", ENGINES)
def test_results_are_frames_of_what_the_engine_hands_over(engine, request):
    table = in_engine(labels(), engine, request)
    for result in (
        adjudge.compare_table(table, "truth", ["one", "two"], kind="classification"),
        adjudge.evaluate_table(table, "truth", "one", indices="rand"),
    ):
        assert type(result.to_frame()).__module__.partition(".")[0] == FRAMES_OF_RESULTS[engine]


@pytest.mark.parametrize("engine", ["polars-lazy", "duckdb", "pyspark"])
def test_nan_is_a_missing_label(engine, request):
    frame = labels(text=False).with_columns(pl.col("one").cast(float), x=pl.col("row") * 1.5)
    frame = frame.with_columns(one=pl.when(pl.col("row") < 9).then(float("nan")).otherwise(pl.col("one")))
    table = in_engine(frame, engine, request)
    for call in (
        lambda **options: adjudge.evaluate_table(table, "truth", "one", indices="rand", **options),
        lambda **options: adjudge.evaluate_table(
            table, labels="one", features=["x"], indices="trace_w", **options
        ),
        lambda **options: adjudge.compare_table(table, "truth", ["one", "two"], kind="clustering", **options),
    ):
        with pytest.raises(adjudge.InputError, match="one has 9 missing labels"):
            call()
        assert call(missing="drop").n == len(frame) - 9
    rows = adjudge.compare_table(table, "truth", ["one", "two"], kind="classification", missing="drop")
    found = rows["one", "two"]
    assert len(collected(found.instances("both_wrong"))) == found.both_wrong
    halves = in_engine(frame.with_columns(pl.col("two") / 2), engine, request)
    with pytest.raises(adjudge.InputError, match="which is not a whole number"):
        adjudge.evaluate_table(halves, labels="two", features=["x"], indices="trace_w")


@pytest.mark.parametrize("engine", ["polars-lazy", "duckdb", "pyspark"])
def test_clusterings_of_many_labels_are_counted_two_at_a_time(engine, request, monkeypatch):
    frame = with_nulls()
    table = in_engine(frame, engine, request)
    models = ["one", "two"]
    monkeypatch.setattr("adjudge.engines.frames.LARGEST_RESULT", 30)
    found = adjudge.compare_table(table, "truth", models, kind="clustering", missing="drop")
    wanted = adjudge.compare_table(frame, "truth", models, kind="clustering", missing="drop")
    assert found.n == wanted.n
    assert found.models == wanted.models
    assert found.scores == wanted.scores
    assert {name: pair.agreement for name, pair in found.pairs.items()} == {
        name: pair.agreement for name, pair in wanted.pairs.items()
    }
    assert found.to_dict()["pairs"] == wanted.to_dict()["pairs"]
    assert len(collected(found["one", "two"].instances("both_right"))) == found.n
    with pytest.raises(adjudge.InputError, match="one has 7 missing labels"):
        adjudge.compare_table(table, "truth", models, kind="clustering")
    with pytest.raises(adjudge.InputError, match="more than 30 combinations"):
        adjudge.compare_table(table, "truth", models, kind="classification")
