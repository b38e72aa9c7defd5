"""What a table's engine cannot read is an error of ours, with the engine's own words and error."""

import re
import sqlite3

import polars as pl
import pytest

import adjudge
from adjudge import InputError
from adjudge.engines.frames.failures import engine_failures

VERBS = {
    "evaluate": lambda table: adjudge.evaluate(table, truth="t", pred="p"),
    "compare": lambda table: adjudge.compare(table, truth="t", models=["p"], kind="clustering"),
    "benchmark": lambda table: adjudge.benchmark(table, dataset="t", truth="p"),
}


@pytest.fixture
def truncated(tmp_path):
    polars = pytest.importorskip("polars")
    path = tmp_path / "half.parquet"
    polars.DataFrame({"t": [0, 1] * 500, "p": [1, 2] * 500, "q": [0, 0] * 500}).write_parquet(path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    return path


@pytest.mark.parametrize("verb", VERBS)
def test_half_a_file_in_polars(verb, truncated):
    polars = pytest.importorskip("polars")
    with pytest.raises(InputError, match=r"the table could not be read: .*must end with PAR1") as caught:
        VERBS[verb](polars.scan_parquet(truncated))
    assert caught.value.__cause__ is not None


@pytest.mark.parametrize("verb", VERBS)
def test_a_file_that_is_not_there(verb, tmp_path):
    polars = pytest.importorskip("polars")
    with pytest.raises(InputError, match=r"could not be read: .*none\.csv"):
        VERBS[verb](polars.scan_csv(tmp_path / "none.csv"))


def test_an_expression_that_fails_in_duckdb():
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        relation = connection.sql("SELECT 1 AS t, 'a'::INTEGER AS p")
        with pytest.raises(InputError, match="could not be read: Conversion Error"):
            VERBS["evaluate"](relation)


def test_tables_of_two_connections_cannot_be_joined():
    duckdb = pytest.importorskip("duckdb")
    query = "SELECT range AS id, range % 2 AS t, range % 3 % 2 AS p FROM range(40)"
    named = {"truth": "t", "prediction": "p", "key": "id", "kind": "classification"}
    with duckdb.connect() as one, duckdb.connect() as other:
        for new in (other.sql(query), duckdb.sql(query)):
            with pytest.raises(
                InputError, match=r"different DuckDB connections.*make both with one connection"
            ):
                adjudge.gate(one.sql(query), new, **named)
        assert adjudge.gate(one.sql(query), other.sql(query).pl(), **named).comparison.n == 40
        assert adjudge.gate(one.sql(query), one.sql(query), **named).comparison.n == 40


def test_errors_of_no_engine_pass_unchanged():
    with pytest.raises(ZeroDivisionError), engine_failures():
        raise ZeroDivisionError
    with pytest.raises(InputError, match=r"^mine$"), engine_failures():
        raise InputError("mine")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"a": [1]},
            "table is a dict, where a data frame is needed: pandas.DataFrame makes one of a dict of columns",
        ),
        (
            [{"a": 1}],
            "table is a list, where a data frame is needed: pandas.DataFrame makes one of a dict of columns",
        ),
        (
            sqlite3.connect(":memory:"),
            "where a data frame is needed: pass what a query returns, as pandas.read_sql",
        ),
    ],
)
def test_what_is_no_frame_is_answered_with_how_to_make_one(given, said):
    for verb, named in ((adjudge.evaluate, {"pred": "b"}), (adjudge.compare, {"models": ["b"]})):
        with pytest.raises(adjudge.InputTypeError, match=re.escape(said)):
            verb(given, truth="a", kind="clustering", **named)


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [
        ("lists", "clustering", "column 'lists' has a list at position 0"),
        ("half", "clustering", "column 'half' has 0.5 at position 0"),
        (
            "words",
            "classification",
            "column 'words' has labels such as 'a', but none of the labels of column 't'",
        ),
        ("gap", "clustering", "column 'gap' has "),
    ],
)
def test_a_wrong_column_is_called_by_its_name(lazy, name, kind, said):
    frame = pl.DataFrame(
        {
            "t": [1, 1, 2],
            "lists": [[1], [2], [3]],
            "half": [0.5, 1, 2],
            "words": ["a", "b", "a"],
            "gap": [1, None, 2],
        }
    )
    table = frame.lazy() if lazy else frame
    for call in (
        lambda: adjudge.evaluate(table, truth="t", pred=name, kind=kind),
        lambda: adjudge.compare(table, truth="t", models=[name], kind=kind),
    ):
        with pytest.raises(adjudge.InputError, match=re.escape(said)) as error:
            call()
        assert "labels_pred" not in str(error.value)
    if name == "gap" and lazy:
        assert str(error.value) == (
            "column 'gap' has 1 missing label: fill it in, or pass missing='drop' to leave this row out"
        )
