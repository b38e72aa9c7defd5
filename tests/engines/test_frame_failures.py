"""What a table's engine cannot read is an error of ours, with the engine's own words and error."""

import pytest

import adjudge
from adjudge import InputError
from adjudge.engines.frames.failures import engine_failures

VERBS = {
    "evaluate_table": lambda table: adjudge.evaluate_table(table, truth="t", pred="p"),
    "compare_table": lambda table: adjudge.compare_table(table, truth="t", models=["p"], kind="clustering"),
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
            VERBS["evaluate_table"](relation)


def test_errors_of_no_engine_pass_unchanged():
    with pytest.raises(ZeroDivisionError), engine_failures():
        raise ZeroDivisionError
    with pytest.raises(InputError, match=r"^mine$"), engine_failures():
        raise InputError("mine")
