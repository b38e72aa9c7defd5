"""A command imports what it needs and no more: what is slow to import is left out where little is asked for."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

SLOW = (
    "duckdb", "dask", "ibis", "jinja2", "joblib", "matplotlib", "narwhals", "numpy", "pandas",
    "polars", "pyarrow", "pyspark", "scipy", "sklearn", "torch",
)  # fmt: skip
PROGRAM = f"""
import json, sys
from adjudge.cli import main
code = main(sys.argv[1:])
print(json.dumps([m for m in {SLOW!r} if m in sys.modules]), file=sys.stderr)
sys.exit(code)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("startup")
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 5, 300)
    columns = {"truth": truth, "one": np.roll(truth, 1), "two": np.where(rng.random(300) < 0.7, truth, 0)}
    frame = pl.DataFrame(columns)
    frame.write_csv(path / "t.csv")
    frame.write_parquet(path / "t.parquet")
    frame.with_columns(pl.format("class {}", pl.all()).name.keep()).write_parquet(path / "text.parquet")
    frame.with_columns(pl.when(pl.col("one") > 0).then(pl.col("one"))).write_parquet(path / "gaps.parquet")
    (path / "truth.txt").write_text("\n".join(map(str, truth)))
    (path / "one.txt").write_text("\n".join(map(str, columns["one"])))
    return path


def imported_by(folder: Path, *arguments: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found: list[str] = json.loads(done.stderr.splitlines()[-1])
    return found


@pytest.mark.full
@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["--version"], *([name, "--help"] for name in ("evaluate", "compare", "report", "indices"))],
    ids=" ".join,
)
def test_help_imports_nothing_slow(folder: Path, arguments: list[str]) -> None:
    assert imported_by(folder, *arguments) == []


@pytest.mark.full
@pytest.mark.parametrize(
    "command",
    [
        "indices",
        "evaluate t.csv --truth truth --pred one,two --indices ari,rand,purity",
        "evaluate t.csv --truth truth --pred two --kind classification",
        "evaluate truth.txt --pred one.txt --indices ari",
        "compare t.csv --truth truth --models one,two --kind classification",
        "compare t.csv --truth truth --models one,two --kind clustering --indices ari",
    ],
)
def test_small_text_files_need_numpy_alone(folder: Path, command: str) -> None:
    assert imported_by(folder, *command.split()) == ["numpy"]


@pytest.mark.full
@pytest.mark.parametrize(
    "command",
    [
        "evaluate t.parquet --truth truth --pred one,two --indices ari,rand,purity",
        "compare t.parquet --truth truth --models one,two --kind classification",
        "compare t.parquet --truth truth --models one,two --kind clustering --indices ari",
        "compare text.parquet --truth truth --models one,two --kind clustering --indices ari",
        "compare gaps.parquet --truth truth --models one,two --kind clustering --missing drop --indices ari",
    ],
)
def test_parquet_needs_duckdb_beside_numpy(folder: Path, command: str) -> None:
    # The type of a column of text may state an order, which DuckDB does not show.
    more = ["polars"] if "text.parquet" in command else []
    assert imported_by(folder, *command.split()) == ["duckdb", "numpy", *more]


@pytest.mark.full
def test_this_test_sees_what_is_imported(folder: Path) -> None:
    found = imported_by(folder, *["choose-k", "t.csv", "--columns", "one,two", "--k", "2:3"])
    assert {"numpy", "scipy"} <= set(found)


def test_importing_the_command_line_imports_no_part_of_the_library() -> None:
    code = """if True:
        import json, sys
        from adjudge.cli.flags import COMMANDS, function_of
        for names in COMMANDS.values():
            for name in names:
                function_of(name)
        print(json.dumps([m for m in sys.modules if m[:8] == 'adjudge.']))
    """
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    layers = {name.split(".")[1] for name in json.loads(done.stdout)}
    assert layers == {
        "atomic",
        "exported",
        "version",
        "callers",
        "cli",
        "errors",
        "indices",
        "presentation",
        "unknown_names",
        "usual_seed",
    }
