"""Files that DuckDB reads in passing give what the in-memory readers give, and say what is wrong with them."""

from __future__ import annotations

import csv
import json
import random
import shlex
import subprocess
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import adjudge
from adjudge.cli import main
from adjudge.engines.frames import moments
from adjudge.errors import InputError
from adjudge.files import streamed as streamed_files
from cases import each

pytest.importorskip("duckdb", reason="DuckDB is not installed")
pa = pytest.importorskip("pyarrow", reason="PyArrow is not installed")
pq = pytest.importorskip("pyarrow.parquet", reason="PyArrow is not installed")

N = 300


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Stream even small files in Parquet."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("adjudge.tables.streaming.SMALL_PARQUET", 0)
    return tmp_path


def frame(seed: int = 0, n: int = N) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, n)
    one = np.where(rng.random(n) < 0.3, rng.integers(0, 4, n), truth)
    two = np.where(rng.random(n) < 0.5, rng.integers(0, 4, n), truth)
    return pl.DataFrame(
        {
            "truth": truth,
            "one": one,
            "two": two.astype(float),
            "text": [str(t) for t in two],
            "codes": [f"0{t}" if i % 2 else str(t) for i, t in enumerate(one.tolist())],
            "yes": one > 1,
            "gaps": pl.Series(two).set(pl.Series(rng.random(n) < 0.1), None),
            "nan": np.where(rng.random(n) < 0.1, np.nan, one),
            "row": np.arange(n),
            "x": rng.normal(size=n) + truth,
            "y": rng.normal(size=n) - one,
        }
    )


def in_both(run, file: str, *arguments: str) -> dict[str, object]:
    """Run with either engine, make sure that the results are the same, and return them."""
    streamed, read = (
        json.loads(run(arguments[0], file, *arguments[1:], "--format", "json", "--engine", engine))
        for engine in ("duckdb", "memory")
    )
    assert streamed == read
    return read


@pytest.mark.full
@pytest.mark.parametrize("kind", ["clustering", "classification"])
@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_comparisons_are_the_same(run, ending, kind):
    write(frame(), f"t.{ending}")
    for models in ("one,two", "one,text", "codes,text", "yes,one", "two,gaps", "nan,gaps", "text,nan", "one"):
        if models == "yes,one" and (ending, kind) == ("csv", "classification"):
            continue  # true and false are no numbers in a text
        options = ["--models", models, "--kind", kind, "--missing", "drop"]
        found = in_both(run, f"t.{ending}", "compare", "--truth", "truth", *options)
        assert (found["n"] < N) == ("gaps" in models or "nan" in models)


def write(table: pl.DataFrame, name: str) -> None:
    (table.write_parquet if name.endswith("parquet") else table.write_csv)(name)


@pytest.mark.full
@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_evaluations_are_the_same(run, ending):
    write(frame(), f"t.{ending}")
    common = ["evaluate", "--truth", "truth"]
    in_both(run, f"t.{ending}", *common, "--pred", "one,two,text,codes")
    in_both(run, f"t.{ending}", *common, "--pred", "one,text", "--kind", "classification")
    in_both(run, f"t.{ending}", *common, "--pred", "gaps,nan,one", "--missing", "drop")
    inference = ["--indices", "rand,jaccard,vi", "--confidence", "0.9", "--adjust", "--seed", "0"]
    found = in_both(run, f"t.{ending}", *common, "--pred", "two", *inference)
    assert found["evaluations"]["two"]["intervals"]["rand"]
    for noise in ("2", "3"):
        in_both(run, f"t.{ending}", *common, "--pred", "one,text", "--noise", "drop", "--noise-label", noise)


@pytest.mark.full
def test_intervals_and_corrections_of_a_comparison(run):
    write(frame(), "t.parquet")
    for kind in ("clustering", "classification"):
        options = ["--truth", "truth", "--models", "one,two", "--kind", kind, "--confidence", "0.95"]
        found = in_both(run, "t.parquet", "compare", *options)
        assert found["pairs"][0]["test"]["p_value"] < 1
    options = ["--truth", "truth", "--models", "one,two", "--kind", "clustering"]
    options += ["--adjust", "--seed", "0", "--indices", "rand,jaccard"]
    in_both(run, "t.parquet", "compare", *options)


def test_the_kind_is_guessed_from_the_distinct_labels(run):
    words = frame().select(pl.format("class {}", pl.col("truth", "one")), cluster=pl.col("one"))
    words.write_parquet("t.parquet")
    found = in_both(run, "t.parquet", "compare", "--truth", "truth", "--models", "one")
    assert found["of"] == "classification"
    said = run("compare", "t.parquet", "--truth", "truth", "--models", "cluster", code=2)
    assert said.endswith("or pass --kind clustering")


@pytest.mark.full
def test_text_that_looks_like_numbers(run):
    """1 and 1.0 are one label of a column of numbers, 7 and 07 are two of a column of codes."""
    Path("t.csv").write_text(
        "a,b,c,d\n1,7,x,5\n1.0, 07,x ,5\n2,7,y,6\n2.0,07,,NA\n2, 7 ,y,6\n"
        + "".join(f"1,7,x,{5 + i % 2}\n" for i in range(5))
    )
    for pred in ("a", "b", "c", "d"):
        found = (
            in_both(run, "t.csv", "evaluate", "--truth", "a", "--pred", pred, "--missing", "drop")
            if (pred != "a")
            else in_both(run, "t.csv", "evaluate", "--truth", "b", "--pred", "a")
        )
        (result,) = found["evaluations"].values()
        assert result["n_clusters"] == {"labels_true": 2, "labels_pred": 2}


@pytest.mark.full(keep=3)
@pytest.mark.parametrize("seed", range(8))
def test_any_delimited_text_is_read_alike_or_left_to_the_strict_reader(seed):
    draw = random.Random(seed)
    fields = ["1", "1.0", "01", " 1", "x", "x ", "", "NA", "-1", "1e3", "é", "'", "#", "\\", "a b", '"', "\0"]
    fields = draw.sample(fields, 6)
    if seed % 2:
        fields = [field for field in fields if field not in ('"', "\0")]
    lines = ["a,b,A", *(",".join(draw.choices(fields, k=3)) for _ in range(40))]
    end = draw.choice(["\n", "\r\n"])
    Path("t.csv").write_bytes((end.join(lines) + draw.choice(["", end])).encode())
    codes, outputs = [], []
    for engine in ("memory", "duckdb"):
        arguments = shlex.split(f"evaluate t.csv --truth a --pred A --missing drop --engine {engine}")
        codes.append(main([*arguments, "-o", f"{engine}.json"]))
        outputs.append(Path(f"{engine}.json").read_text() if codes[-1] == 0 else None)
    if '"' in "".join(fields):
        assert codes[1] == 2
    else:
        assert codes[0] == codes[1]
        assert outputs[0] == outputs[1]


@pytest.mark.full
def test_points_of_parquet_are_reduced_to_moments(run, monkeypatch):
    reduced = []
    reduce_frame = moments.reduce_frame
    monkeypatch.setattr(
        moments, "reduce_frame", lambda *given, **more: reduced.append(given) or reduce_frame(*given, **more)
    )
    write(frame(), "t.parquet")
    columns = ["--columns", "x,y", "--indices", "calinski,trace_w,ball_hall,ratkowsky,det_ratio"]
    for i, name in enumerate(("one", "gaps")):
        mine, its = (
            json.loads(run("evaluate", "t.parquet", "--labels", name, *columns, *more, "-f", "json"))[
                "evaluations"
            ][name]
            for more in (
                ["--missing", "drop", "--engine", "auto"],
                ["--missing", "drop", "--engine", "memory"],
            )
        )
        assert mine["n"] == its["n"]
        assert mine["settings"] == its["settings"]
        assert mine["values"] == pytest.approx(its["values"], rel=1e-9)
        assert len(reduced) == i + 1
    both = ["evaluate", "t.parquet", "--truth", "truth", "--labels", "two", "--columns", "x,y"]
    streamed, read = (
        json.loads(run(*both, "--indices", "rand,trace_w", "--engine", engine, "-f", "json"))
        for engine in ("duckdb", "memory")
    )
    assert streamed["evaluations"]["two"]["values"] == pytest.approx(read["evaluations"]["two"]["values"])
    duckdb = [*both, "--engine", "duckdb", "-f", "json"]
    everything = json.loads(run(*duckdb, "--indices", "all"))["evaluations"]["two"]["values"]
    assert {"rand", "trace_w"} < set(everything)
    assert "silhouette" not in everything
    default = set(json.loads(run(*duckdb))["evaluations"]["two"]["values"])
    assert {"adjusted_rand", "calinski_harabasz"} < default < set(everything)


@pytest.mark.full(keep=1)
@pytest.mark.parametrize("engine", ["auto", "duckdb", "memory"])
@pytest.mark.parametrize(
    ("value", "what"), [(None, "is missing"), (np.nan, "is missing"), (-np.inf, "is infinite")]
)
def test_a_coordinate_that_cannot_be_used_is_found(run, folder, value, what, engine):
    rng = np.random.default_rng(1)
    table = pl.DataFrame({"x": rng.normal(size=N), "a b.c": rng.normal(size=N), "k": rng.integers(0, 3, N)})
    row = pl.int_range(pl.len())
    spoilt = table.with_columns(pl.when(row.is_in([41, 200])).then(value).otherwise("a b.c").alias("a b.c"))
    spoilt.write_parquet("t.parquet")
    common = ["--labels", "k", "--indices", "ch", "--engine", engine]
    wanted = f"'t.parquet', column 'a b.c' {what} in row 42: fill in or leave out such rows, or choose other columns"
    wanted += ", or pass --missing drop" if what == "is missing" else ""
    assert run("evaluate", "t.parquet", *common, code=2) == wanted
    Path("parts").mkdir()
    table.write_parquet("parts/0.parquet")
    spoilt.write_parquet("parts/1.parquet")
    found = run("evaluate", "parts", *common, code=2)
    if engine == "memory":
        assert found == wanted.replace("t.parquet", "parts").replace("row 42", f"row {N + 42}")
    else:
        assert found == wanted.replace("t.parquet", "parts/1.parquet")


@pytest.mark.full
def test_what_needs_all_rows_in_memory_is_said(run):
    write(frame(), "t.parquet")
    write(frame(), "t.csv")
    Path("list.txt").write_text("1\n" * N)
    Path("quotes.csv").write_text('truth,one\n1,"1"\n')
    points = ["--labels", "one", "--columns", "x,y"]
    for arguments, message in (
        (["evaluate", "t.parquet", *points, "--indices", "dunn"], "--indices needs all points in memory"),
        (["evaluate", "t.parquet", *points, "--standardize"], "--standardize needs all points in memory"),
        (
            ["evaluate", "t.parquet", *points, "--confidence", "0.9", "--indices", "trace_w"],
            "--confidence needs all points in memory",
        ),
        (
            ["evaluate", "t.parquet", *points, *shlex.split("--labels two --missing drop --indices trace_w")],
            "--missing drop needs all points in memory",
        ),
        (["evaluate", "t.csv", *points], "only Parquet points can be streamed, and 't.csv' is not Parquet"),
        (
            ["evaluate", "t.parquet", "--truth", "truth", "--pred", "one", "--noise", "singletons"],
            "--noise singletons needs all rows in memory",
        ),
        (
            ["evaluate", "t.parquet", "--truth", "truth", "--pred", "list.txt"],
            "labels in several files are read into memory",
        ),
        (
            ["evaluate", "quotes.csv", "--truth", "truth", "--pred", "one"],
            "'quotes.csv' cannot be streamed, because it has quoted fields "
            "(without quotes, or as Parquet, it could)",
        ),
    ):
        assert run(*arguments, "--engine", "duckdb", code=2) == f"{message}: leave out --engine duckdb"
        run(*arguments)


def test_singletons_of_parquet_are_read_into_memory(run):
    write(frame().with_columns(one=pl.col("one") - 1), "t.parquet")
    options = shlex.split("--truth truth --pred one --noise singletons --indices rand -f json")
    found = json.loads(run("evaluate", "t.parquet", *options))["evaluations"]["one"]
    table = pl.read_parquet("t.parquet")
    wanted = adjudge.evaluate(table["truth"], table["one"], noise="singletons", indices="rand")
    assert found["values"]["rand"] == wanted["rand"]


# files that are wrong


EVALUATE = ["evaluate", "t.parquet", "--truth", "truth", "--pred", "one"]


@pytest.mark.full
def test_damaged_and_empty_files(run):
    table = frame()
    write(table, "t.parquet")
    whole = Path("t.parquet").read_bytes()
    for content, message in (
        (whole[:-40], "'t.parquet' is not a readable Parquet file: "),
        (whole[:4] + bytes(len(whole) // 2) + whole[4 + len(whole) // 2 :], "cannot read 't.parquet': "),
        (b"", "'t.parquet' is empty"),
        (b"PAR1", "'t.parquet' is not a readable Parquet file: "),
    ):
        Path("t.parquet").write_bytes(content)
        assert run(*EVALUATE, "-o", "out.json", code=2).startswith(message)
        assert not Path("out.json").exists()
    write(table.head(0), "t.parquet")
    assert run(*EVALUATE, code=2) == "'t.parquet' has no rows"
    table.select("truth", "gaps").head(0).write_csv("t.csv")
    assert run("evaluate", "t.csv", *EVALUATE[2:4], "--pred", "gaps", "--engine", "duckdb", code=2) == (
        "'t.csv' has no rows"
    )


@pytest.mark.full
def test_columns_and_labels_that_are_wrong(run):
    write(frame(), "t.parquet")
    common = ["evaluate", "t.parquet", "--truth", "truth", "--pred"]
    assert run(*common, "on", code=2).startswith(
        "'t.parquet' has no column 'on': did you mean 'one'? It has 'truth', 'one'"
    )
    nulls, nans = frame()["gaps"].null_count(), int(frame()["nan"].is_nan().sum())
    assert run(*common, "gaps", code=2) == (
        f"column 'gaps' has {nulls} missing labels: fill them in, or pass --missing drop to leave such rows out"
    )
    assert run(*common, "nan", code=2).startswith(f"column 'nan' has {nans} missing labels: ")
    assert run(*common, "x", code=2).endswith(
        "round scores or probabilities to classes first, or pass --kind regression if models give numbers"
    )
    write(frame().with_columns(x=pl.lit(0.13)), "shares.parquet")
    for command, of_model in (("evaluate", "--pred"), ("compare", "--models"), ("report", "--models")):
        said = run(command, "shares.parquet", "--truth", "truth", of_model, "x", code=2)
        assert ", or pass probabilities as --probabilities" in said
    nothing = pl.DataFrame({"truth": [1, None], "one": [None, 1]})
    nothing.write_parquet("t.parquet")
    assert run(*EVALUATE, "--missing", "drop", code=2) == (
        "'t.parquet' has no row with all its labels: at least one is needed"
    )


@pytest.mark.full
def test_names_that_only_case_or_place_tells_apart(run):
    table = frame().select("truth", pl.col("one").alias("m"), pl.col("two").cast(int).alias("M"))
    table = table.with_columns(pl.col("text").alias('"; --')) if "text" in table.columns else table
    write(table, "t.parquet")
    write(table, "t.csv")
    for file in ("t.parquet", "t.csv"):
        in_both(run, file, "evaluate", "--truth", "truth", "--pred", "m,M")
        in_both(run, file, "evaluate", "--truth", "m", "--pred", "M")


def test_a_name_with_quotes_and_a_file_with_wildcards(run):
    frame().select(pl.col("truth").alias('a"b'), pl.col("one").alias("c'd, e")).write_parquet(
        "t[1]*'.parquet"
    )
    in_both(run, "t[1]*'.parquet", "evaluate", "--truth", 'a"b', "--pred", "c'd, e")


# several files


@pytest.mark.full
def test_a_folder_or_pattern_stands_for_its_files(run):
    Path("parts").mkdir()
    table = frame()
    table.head(100).with_columns(pl.col("one").cast(pl.Int8)).write_parquet("parts/a.parquet")
    table.tail(N - 100).write_parquet("parts/b.parquet")
    table.write_parquet("t.parquet")
    options = ["--truth", "truth", "--pred", "one,codes,yes", "-f", "json"]
    whole = json.loads(run("evaluate", "t.parquet", *options))
    for name in ("parts", "parts/*.parquet", "parts/[ab].parquet"):
        for engine in ("auto", "memory", "duckdb"):
            found = json.loads(run("evaluate", name, *options, "--engine", engine))
            assert found == {**whole, "file": name}


def parts_in_other_forms():
    """The same table whole and in parts, whose columns differ in order, type and number."""
    rng = np.random.default_rng(0)
    y = rng.choice(["a", "b", "c"], 90)
    whole = pl.DataFrame(
        {
            "key": np.arange(90),
            "y": y,
            "old": np.where(rng.random(90) < 0.6, y, rng.choice(["a", "b", "c"], 90)),
            "new": np.where(rng.random(90) < 0.8, y, rng.choice(["a", "b", "c"], 90)),
            "x": rng.normal(size=90),
            "z": rng.normal(size=90),
            "k": rng.integers(0, 3, 90),
            "d": ["d1", "d2", "d3"] * 30,
            "flag": rng.random(90) < 0.5,
        }
    )
    whole.write_parquet("whole.parquet")
    Path("parts").mkdir()
    whole[:30].write_parquet("parts/1.parquet")
    other = whole[30:60].select(whole.columns[::-1])
    narrow = pl.col("key").cast(pl.Int32), pl.col("y", "new").cast(pl.Categorical), pl.col("k").cast(pl.Int8)
    other.with_columns(*narrow, extra=pl.lit(1.5)).write_parquet("parts/2.parquet")
    own = pl.col("old").cast(pl.Enum(["a", "b", "c"])), pl.col("k").cast(pl.Float64)
    whole[60:].with_columns(*own).write_parquet("parts/3.parquet")


@each(
    "words",
    [
        ["evaluate", "--truth", "y", "--pred", "new,old", "--kind", "classification", "--by", "d"],
        ["evaluate", "--labels", "k", "--columns", "x,z"],
        ["evaluate", "--labels", "k"],
        ["compare", "--truth", "y", "--models", "old,new"],
        ["gate", "--truth", "y", "--old", "old", "--new", "new"],
        ["gate", "--against", "whole.parquet", "--key", "key", "--truth", "y", "--prediction", "new"],
        ["benchmark", "--dataset", "d", "--truth", "y", "--models", "old,new"],
        ["raters", "--raters", "old,new"],
        ["choose", "--labels", "k", "--columns", "x,z"],
        ["report", "--truth", "y", "--models", "old,new", "-o", "r.html"],
    ],
)
def test_parts_of_other_order_and_width_are_the_one_table(words, tmp_path_factory, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path_factory.mktemp("here"))
    parts_in_other_forms()
    found = {}
    for where in ("whole.parquet", "parts", "parts/*.parquet"):
        code = main([words[0], where, *words[1:]])
        assert code in (0, 1, 3), capsys.readouterr().err
        found[where] = code, capsys.readouterr().out.replace(where, "").split("\nThe report")[0]
    assert found["parts"] == found["parts/*.parquet"] == found["whole.parquet"]


@pytest.mark.usefixtures("run")
def test_parts_in_python(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    parts_in_other_forms()
    given = {"truth": "y", "kind": "classification"}
    for call in (
        lambda where: adjudge.evaluate(where, pred="new", **given)["accuracy"],
        lambda where: adjudge.compare(where, ["old", "new"], **given).scores,
        lambda where: adjudge.gate(where, truth="y", old="old", new="new").verdict,
        lambda where: adjudge.gate("whole.parquet", where, truth="y", key="key", prediction="new").verdict,
        lambda where: len(adjudge.report(where, ["old", "new"], output="r.html", **given).page["sections"]),
    ):
        assert call("parts") == call("parts/*.parquet") == call("whole.parquet")
    with pytest.raises(
        InputError, match=r"'parts.1.parquet' has no column 'extra', but 'parts.2.parquet' has one"
    ):
        adjudge.evaluate("parts", truth="y", pred="extra", kind="classification")


def test_parts_that_do_not_go_together(run):
    Path("parts").mkdir()
    table = frame()
    table.write_parquet("parts/a.parquet")
    for other, message in (
        (
            table.with_columns(pl.col("one").cast(pl.String)),
            "column 'one' is int64 in 'parts/a.parquet' and large_string in 'parts/b.parquet': "
            "give it the same type in all parts",
        ),
        (table.drop("one"), "'parts/b.parquet' has no column 'one', but 'parts/a.parquet' has one"),
    ):
        other.write_parquet("parts/b.parquet")
        for engine in ("duckdb", "memory"):
            command = ["evaluate", "parts", "--truth", "truth", "--pred", "one", "--engine", engine]
            assert run(*command, code=2) == message
    Path("parts/b.parquet").write_bytes(b"PAR1 and no more")
    assert run("evaluate", "parts", "--truth", "truth", "--pred", "one", code=2).startswith(
        "'parts/b.parquet' is not a readable Parquet file: "
    )


@pytest.mark.full
def test_row_groups_that_differ(run):
    truth, p = np.arange(600) % 3, np.arange(600) % 4
    table = pa.table({"truth": truth, "p": p})
    pq.write_table(
        table,
        "t.parquet",
        row_group_size=300,
        use_dictionary=False,
        compression="none",
        write_statistics=False,
    )
    wanted = adjudge.evaluate(truth, p, indices="rand")["rand"]
    # The footer calls the last column of the second group DOUBLE: its type is that of the schema all the same.
    whole = Path("t.parquet").read_bytes()
    place = whole.rindex(b"\x15\x04\x19")
    Path("double.parquet").write_bytes(whole[: place + 1] + b"\x0a" + whole[place + 2 :])
    assert pq.ParquetFile("double.parquet").metadata.row_group(1).column(1).physical_type == "DOUBLE"
    # One group has a dictionary, one is too varied for it, one has nothing but nulls.
    schema = table.schema
    with pq.ParquetWriter("mixed.parquet", schema, dictionary_pagesize_limit=8) as writer:
        writer.write_table(pa.table({"truth": [0] * 600, "p": pa.nulls(600, pa.int64())}, schema=schema))
        writer.write_table(table)
        writer.write_table(pa.table({"truth": [0] * 600, "p": [0] * 600}, schema=schema))
    mixed = adjudge.evaluate([*truth, *[0] * 600], [*p, *[0] * 600], indices="rand")["rand"]
    for engine in ("auto", "duckdb", "memory"):
        for name, value in (("double", wanted), ("mixed", mixed)):
            given = [f"{name}.parquet", *shlex.split("--truth truth --pred p --indices rand --missing drop")]
            found = json.loads(run("evaluate", *given, "--engine", engine, "-f", "json"))
            assert found["evaluations"]["p"]["values"]["rand"] == value


def test_a_text_whose_column_changes_type_late(run):
    numbers = "".join(f"{i % 3},{(i % 3) + 1}\n" for i in range(30_000))
    Path("t.csv").write_text("a,b\n" + numbers + "x,y\n01,y\n1,1.0\n")
    found = in_both(run, "t.csv", "evaluate", "--truth", "a", "--pred", "b", "--indices", "rand")
    assert found["evaluations"]["b"]["n_clusters"] == {"labels_true": 5, "labels_pred": 5}
    assert found["evaluations"]["b"]["n"] == 30_003


# rows of a cell


ROWS_OF_TWO = ["--rows", "both_right", "--pair", "one,text", "-o", "x.csv"]
ROWS = ["compare", "t.parquet", "--truth", "truth", "--models", "one,text,gaps"]


@pytest.mark.full
@pytest.mark.parametrize("ending", ["parquet", "csv", "tsv"])
def test_rows_of_a_cell_of_classifiers(run, ending):
    table = frame()
    table.write_parquet("t.parquet")
    table.write_csv("t.csv")
    there = ~np.array(table["gaps"].is_null())
    right = {m: np.array(table[m].cast(int) == table["truth"]) for m in ("one", "text")}
    masks = {
        "both_right": right["one"] & right["text"],
        "right_wrong": right["one"] & ~right["text"],
        "wrong_right": ~right["one"] & right["text"],
        "both_wrong": ~right["one"] & ~right["text"],
    }
    for source in ("t.parquet", "t.csv"):
        for cell, mask in masks.items():
            options = ["--kind", "classification", "--missing", "drop", "--rows", cell, "--pair", "one,text"]
            assert run("compare", source, *ROWS[2:], *options, "-o", f"rows.{ending}") == ""
            rows = read(f"rows.{ending}")  # the fields of a text stay text
            assert rows["row"].cast(int).sort().to_list() == np.flatnonzero(mask & there).tolist()
            assert rows.columns == table.columns
    if ending == "parquet":
        run(*ROWS, *options, "-o", "rows.parquet")
        assert_frame_equal(pl.read_parquet("rows.parquet").sort("row"), table.filter(pl.Series(mask & there)))


@pytest.mark.full
@pytest.mark.parametrize("source", ["t.parquet", "t.csv"])
@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_rows_hold_no_formula(run, source, ending):
    """What a spreadsheet would run is defused; numbers with a sign stay numbers."""
    n = 8
    truth = [t * 4 for t in "abcdefgh"]
    table = pl.DataFrame(
        {
            "truth": truth,
            "=note": ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "-1.5", "+2e3", "'-", "plain"],
            "kind": ["=x", "y", "=x", "y", "=x", "y", "=x", "y"],
            "number": [-float(i) for i in range(n)],
            "one": truth,
            "two": truth[1:] + truth[:1],
        }
    )
    if source == "t.parquet":
        table = table.with_columns(
            pl.Series("tab", ["\t=1", *"abcdefg"]),
            pl.Series("return", ["\r=1", *"abcdefg"]),
            pl.col("kind").cast(pl.Categorical),
            pl.Series("bytes", [b"=1+1"] * n),
        )
        table.write_parquet(source)
    else:
        table.write_csv(source)
    options = ["--kind", "classification", "--rows", "right_wrong", "-o", f"rows.{ending}"]
    run("compare", source, "--truth", "truth", "--models", "one,two", *options)
    with open(f"rows.{ending}", newline="", encoding="utf-8") as stream:
        header, *rows = csv.reader(stream, delimiter="\t" if ending == "tsv" else ",")
    assert header == ["truth", "'=note", *table.columns[2:]]
    assert len(rows) == n
    found = {row[0]: dict(zip(table.columns, row, strict=True)) for row in rows}
    notes = ["'=1+1", "'+cmd|' /C calc'!A0", "'-2+3", "'@SUM(A1)", "-1.5", "+2e3", "'-", "plain"]
    assert [found[t]["=note"] for t in truth] == notes
    assert [found[t]["kind"] for t in truth] == ["'=x", "y"] * 4
    assert [float(found[t]["number"]) for t in truth] == table["number"].to_list()
    if source == "t.parquet":
        assert found["aaaa"]["tab"] == "'\t=1"
        assert found["aaaa"]["return"] == "'\r=1"
        assert found["aaaa"]["bytes"] == "'=1+1"
    run("compare", source, "--truth", "truth", "--models", "one,two", *options[:-1], "rows.parquet")
    assert pl.read_parquet("rows.parquet").columns == table.columns
    assert set(pl.read_parquet("rows.parquet")["=note"]) == set(table["=note"])


def read(name: str) -> pl.DataFrame:
    if name.endswith("parquet"):
        return pl.read_parquet(name)
    return pl.read_csv(name, separator="\t" if name.endswith("tsv") else ",")


@pytest.mark.full
def test_rows_of_clusterings_have_their_pairs(run):
    table = frame()
    table.write_parquet("t.parquet")
    wanted = adjudge.compare(
        table["truth"], table.select("one", "two", "gaps"), kind="clustering", missing="drop"
    )["two", "gaps"]
    for cell in ("both_right", "right_wrong", "wrong_right", "both_wrong"):
        options = shlex.split("--models one,two,gaps --kind clustering --missing drop --pair two,gaps")
        run("compare", "t.parquet", "--truth", "truth", *options, "--rows", cell, "-o", "rows.parquet")
        rows = pl.read_parquet("rows.parquet").sort("row")
        assert rows["row"].to_list() == table.filter(pl.col("gaps").is_not_null())["row"].to_list()
        np.testing.assert_array_equal(
            rows[f"{cell}_pairs"], wanted.instances(cell)[np.array(table["gaps"].is_not_null())]
        )


@pytest.mark.parametrize("kind", ["classification", "clustering"])
def test_rows_of_a_file_that_is_not_streamed(run, kind):
    """CSV with quotes was refused, which most programs write."""
    table = pl.DataFrame(
        {
            "id": ["001", "002", "003", "004", "005"],
            "truth": ["a", "b", "a", "b", None],
            "one": ["a", "b", "b", "b", "a"],
            "two": ["b", "b", "a", "a", "a"],
            "note": ["x, y", 'a "b"', "plain", "two\nlines", "z"],
        }
    )
    table.write_csv("quoted.csv")
    table.with_columns(note=pl.lit("-")).write_csv("plain.csv")
    options = [
        "--truth",
        "truth",
        "--models",
        "one,two",
        "--kind",
        kind,
        "--missing",
        "drop",
        "--rows",
        "right_wrong",
    ]
    for ending in ("csv", "tsv", "parquet"):
        for source in ("quoted", "plain"):
            assert run("compare", f"{source}.csv", *options, "-o", f"of_{source}.{ending}") == ""
        quoted, plain = (read_text(f"of_{source}.{ending}").sort("id") for source in ("quoted", "plain"))
        assert_frame_equal(quoted.drop("note"), plain.drop("note"), check_dtypes=False)
        notes = {"classification": ["x, y", "two\nlines"], "clustering": table["note"].to_list()[:4]}
        assert quoted["note"].to_list() == notes[kind]
    if kind == "classification":  # several files are read into memory
        Path("two.txt").write_text("\n".join(table["two"]))
        beside = [own.replace("one,two", "one,two.txt") for own in options]
        run("compare", "plain.csv", *beside, "-o", "beside.csv")
        assert_frame_equal(read_text("beside.csv"), read_text("of_plain.csv").sort("id"))
    run("compare", "plain.csv", *options, "--engine", "memory", "-o", "memory.csv")
    assert_frame_equal(read_text("memory.csv").sort("id"), read_text("of_plain.csv").sort("id"))


def read_text(name: str) -> pl.DataFrame:
    if name.endswith("parquet"):
        return pl.read_parquet(name)
    return pl.read_csv(name, separator="\t" if name.endswith("tsv") else ",", infer_schema=False)


@pytest.mark.full
def test_rows_that_cannot_be_written(run, monkeypatch):
    table = frame()
    table.write_parquet("t.parquet")
    Path("old.parquet").write_text("old")
    good = [*ROWS, "--kind", "classification", "--missing", "drop"]
    for arguments, message in (
        ("--rows right", "--rows 'right' is not known: choose one of both_right, right_wrong"),
        ("--rows both_right", "--rows needs two models: name the primary and the alternative"),
        ("--pair one,text", "--pair needs --rows: name the cell"),
        ("--rows both_right --pair one,text", "--rows needs a file to write to: name it with --output"),
        ("--rows both_right --pair one,text -o x.txt", "--output 'x.txt' must end in one of .parquet"),
        (
            "--rows both_right --pair one,two -o x.csv",
            "no model is called 'two': choose one of 'one', 'text', 'gaps'",
        ),
        (
            "--rows both_right --pair one,text -o x.csv -o y.csv",
            "--rows writes one file, and --output names 2: name one",
        ),
        ("--rows both_right --pair one,text -o t.parquet", "--output t.parquet is a file that is read"),
    ):
        assert run(*good, *shlex.split(arguments), code=2).startswith(message)
    assert not Path("x.csv").exists()
    table.with_columns(both_right_pairs=1).write_parquet("t.parquet")
    clusters = [*ROWS, *shlex.split("--kind clustering --missing drop --rows both_right --pair one,text")]
    assert (
        run(*clusters, "-o", "old.parquet", code=2)
        == "'t.parquet' has a column 'both_right_pairs': rename it"
    )
    assert Path("old.parquet").read_text() == "old"


def test_a_full_disk_leaves_the_old_file(run, folder):
    """A tiny file system of its own, where one can be mounted; a full device everywhere else on Linux."""
    rng = np.random.default_rng(0)
    n = 200_000
    table = pl.DataFrame(
        {"truth": rng.integers(0, 2, n), "one": rng.integers(0, 2, n), "two": 0, "noise": rng.random(n)}
    )
    table.write_parquet("t.parquet")
    command = ["compare", "t.parquet", "--truth", "truth", "--models", "one,two", "--kind", "clustering"]
    command += ["--rows", "both_right"]
    tiny = folder / "tiny"
    tiny.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", tiny], capture_output=True)
    if mounted.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        for name in ("rows.parquet", "rows.csv"):
            (tiny / name).write_text("old")
            message = run(*command, "-o", str(tiny / name), code=2)
            assert message.startswith(f"cannot write '{tiny / name}': ")
            assert "No space left on device" in message
            assert (tiny / name).read_text() == "old"
        assert sorted(p.name for p in tiny.iterdir()) == ["rows.csv", "rows.parquet"]
    finally:
        subprocess.run(["umount", tiny], check=True)


# many labels


@pytest.mark.full
def test_clusterings_of_many_labels_are_counted_two_at_a_time(run, monkeypatch):
    frame().write_parquet("t.parquet")
    options = ["--truth", "truth", "--models", "one,codes,two", "-f", "json"]
    arguments = [
        "compare",
        "t.parquet",
        *options,
        *shlex.split("--kind clustering --adjust --indices rand,ami"),
    ]
    whole = json.loads(run(*arguments))
    monkeypatch.setattr("adjudge.tables.streaming.MOST_COMBINATIONS", 40)
    assert json.loads(run(*arguments)) == whole
    duckdb = ["--engine", "duckdb"]
    assert json.loads(run(*arguments, *duckdb)) == whole
    too_many = (
        "the columns 'truth', 'one', 'codes', 'two' have more than 40 combinations of labels: "
        "compare fewer models at a time, or use --engine memory"
    )
    for more in (["--kind", "classification"], [], ["--kind", "clustering", "--confidence", "0.9"]):
        assert run("compare", "t.parquet", *options, *more, *duckdb, code=2) == too_many
    gaps = ["--truth", "truth", "--models", "one,two,gaps", "--kind", "clustering", "--missing"]
    left_out = json.loads(run("compare", "t.parquet", *gaps, "drop", "-f", "json"))
    assert left_out["n"] < N  # of all models, so all rows are read
    assert run("compare", "t.parquet", *gaps, "raise", code=2).startswith("column 'gaps' has ")


def test_much_variety_in_the_first_rows_saves_counting_all_combinations(run, monkeypatch):
    frame().write_parquet("t.parquet")
    options = ["--truth", "truth", "--models", "one,codes,two", "--kind", "clustering", "-f", "json"]
    whole = json.loads(run("compare", "t.parquet", *options))
    asked = []
    count = streamed_files.Stream.count

    def noted(stream, names, *others):
        asked.append(len(names))
        return count(stream, names, *others)

    monkeypatch.setattr(streamed_files.Stream, "count", noted)
    for first_rows, widths in ((40, {2}), (10**6, {4})):
        monkeypatch.setattr(streamed_files, "_FIRST_ROWS", first_rows)
        monkeypatch.setattr(streamed_files, "_MUCH_VARIETY", 0.1)
        asked.clear()
        assert json.loads(run("compare", "t.parquet", *options)) == whole
        assert set(asked) == widths


@pytest.mark.full
def test_names_and_types_of_parquet_are_those_of_the_file(run, tmp_path):
    given = pl.DataFrame(
        {
            "Ä": [1, 1, 2, None],
            "nested": [{"x": 1, "y": [2]}] * 4,
            "a": [True, True, False, None],
            "A": pl.Series([1.0, 1.0, 2.0, 2.0], dtype=pl.Float32),
            "small": pl.Series([-1, -1, 3, 3], dtype=pl.Int8),
            "large": pl.Series([2**64 - 1, 2**64 - 1, 0, 0], dtype=pl.UInt64),
            "day": pl.Series(["2020-01-01", "2020-01-01", "2021-01-01", "2021-01-01"]).str.to_date(),
            "price": pl.Series(["1", "1", "2", "2"]).cast(pl.Decimal(5, 0)),
        }
    )
    given.write_parquet("t.parquet")
    assert streamed_files.parquet_columns(Path("t.parquet"), streamed_files.Database()) == (
        given.columns,
        {"nested"},
    )
    for name in ("Ä", "a", "A", "large", "day", "price"):
        arguments = shlex.split(f"evaluate t.parquet --truth small --pred {name} --missing drop -f json")
        counted, read = (json.loads(run(*arguments, "--engine", e)) for e in ("duckdb", "memory"))
        assert counted == read


def test_duckdb_draws_no_progress_among_the_results():
    with streamed_files.Database().connection() as connection:
        assert connection.execute("SELECT current_setting('enable_progress_bar')").fetchone() == (False,)


@pytest.mark.full(keep=4)
@pytest.mark.parametrize("name", ["t*.parquet", "t[1].parquet", "t?.parquet"])
@pytest.mark.parametrize("engine", ["auto", "memory", "duckdb"])
def test_a_file_whose_name_is_a_pattern_is_that_file(run, name, engine):
    frame().write_parquet("t1.parquet")
    frame().head(7).write_parquet(name)
    found = run("evaluate", name, "--truth", "truth", "--pred", "one", "-f", "json", "--engine", engine)
    assert json.loads(found)["evaluations"]["one"]["n"] == 7


@pytest.mark.full
def test_all_rows_are_read_where_counting_does_not_help(run, monkeypatch, capsys):
    frame().write_parquet("t.parquet")
    evaluation = ["evaluate", "t.parquet", "--truth", "truth", "--pred", "one,two", "-f", "json"]
    comparison = ["compare", "t.parquet", "--truth", "truth", "--models", "one,two", "-f", "json"]
    for command in (evaluation, *([*comparison, "--kind", k] for k in ("classification", "clustering"))):
        whole = json.loads(run(*command))
        with monkeypatch.context() as patch:
            patch.setattr("adjudge.tables.streaming.MOST_COMBINATIONS", 5)
            assert main(command) == 0
            captured = capsys.readouterr()
            found = json.loads(captured.out)
            for one in found.get("evaluations", {"": found}).values():  # which say so, too
                assert one["warnings"].pop()["code"] == "all-rows-read"
            assert found == whole
            assert captured.err == ("adjudge: too many combinations of labels to count; reading all rows\n")
            assert run(*command, "--engine", "duckdb", code=2).endswith("or use --engine memory")


@pytest.mark.full
@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("with_points", [False, True], ids=["truth", "points"])
def test_what_one_column_leaves_out_is_left_out_of_it_alone(run, ending, with_points):
    table = pl.DataFrame(
        {
            "truth": [0, 0, 0, 1, 1, 1, 1, 0],
            "whole": [0, 0, 1, 1, 1, 0, 1, 0],
            "noisy": [0, 0, -1, 1, 1, -1, 0, 0],
            "gaps": [0, None, 0, 1, 1, 1, 1, 0],
            "x": [0.0, 1, 2, 3, 4, 5, 6, 7],
        }
    )
    write(table, f"t.{ending}")
    given = ["--labels" if with_points else "--pred", "whole,noisy", "--truth", "truth", "--indices"]
    given += ["rand,trace_w", "--columns", "x"] if with_points else ["rand"]
    command = ["evaluate", f"t.{ending}", *given]
    found = json.loads(run(*command, "--noise", "drop", "-f", "json"))["evaluations"]
    for name, kept in (("whole", table), ("noisy", table.filter(pl.col("noisy") != -1))):
        x = {"X": kept.select("x")} if with_points else {}
        wanted = adjudge.evaluate(kept["truth"], kept[name], indices=found[name]["settings"]["indices"], **x)
        assert found[name]["n"] == len(kept)
        assert found[name]["values"] == wanted.to_dict()["values"]
        assert found[name]["settings"]["noise"] == "drop"
    command[command.index("whole,noisy")] = "whole,gaps"
    found = json.loads(run(*command, "--missing", "drop", "-f", "json"))["evaluations"]
    assert [found[name]["n"] for name in found] == [8, 7]


@pytest.mark.full
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_noise_that_is_taken_for_a_cluster_is_told(capsys, ending):
    table = pl.DataFrame({"truth": ["a", "a", "b", "b"], "found": [0, -1, 1, -1], "x": [0.0, 1, 2, 3]})
    write(table, f"t.{ending}")
    said = "adjudge: the label -1 counts as a cluster (2 in {}): --noise drop leaves such instances out, --noise "
    for command in (
        ["evaluate", "--truth", "truth", "--pred", "found", "--indices", "rand"],
        ["evaluate", "--labels", "found", "--columns", "x", "--indices", "trace_w"],
        ["compare", "--truth", "truth", "--models", "found", "--kind", "clustering"],
    ):
        command.insert(1, f"t.{ending}")
        for more, times in (([], 1), (["--noise", "cluster"], 0), (["--noise", "drop"], 0)):
            assert main([*command, *more]) == 0
            name = "found" if command[0] == "compare" else "column 'found'"
            assert capsys.readouterr().err.count(said.format(name)) == times, (command, more)


def test_the_command_line_shows_a_line_a_row(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.csv").write_text('truth,"pred\nmodel"\na,a\na,b\nb,b\n')
    out = run("evaluate", "p.csv", "--truth", "truth", "--pred", "pred*", "--kind", "classification")
    lines = out.splitlines()
    assert any(line.startswith("index") and "better" in line for line in lines)
    assert "model" not in [line.strip() for line in lines]
    compared = run("compare", "p.csv", "--truth", "truth", "--models", "pred*", "--kind", "classification")
    assert compared.startswith("Accuracy of pred␣model: ")
    found = json.loads(run("compare p.csv --truth truth --models pred* --kind classification -f json"))
    assert found["models"] == ["pred\nmodel"]
