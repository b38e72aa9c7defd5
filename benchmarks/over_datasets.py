"""Many data sets in one Parquet file: `adjudge benchmark` compared with DuckDB's bare count of the same labels.

python benchmarks/over_datasets.py [--quick]   (500 data sets x 20 models x 10^5 instances, 0.4 GB; --quick: 10^4)
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from harness import Ratios, installed, markdown, show_seconds, write_page
from tables import Run, run

DATASETS, MODELS, CLASSES = 500, 20, 10

BARE = """
import sys
import duckdb
duckdb.execute("SET enable_progress_bar = false")
names = ", ".join(f"m{i}" for i in range(int(sys.argv[2])))
print(len(duckdb.sql(
    f"SELECT data, model, truth, label, count(*) FROM (FROM read_parquet('{sys.argv[1]}')) "
    f"UNPIVOT (label FOR model IN ({names})) GROUP BY ALL").fetchnumpy()["label"]))
"""
MATRICES = """
import sys
import duckdb
import adjudge
duckdb.execute("SET enable_progress_bar = false")
found = adjudge.benchmark(duckdb.read_parquet(sys.argv[1]), dataset="data", truth="truth", score="accuracy",
                          head_to_head=True)
print(sum(len(pairs) for pairs in found.agreements.values()))
"""


def write_predictions(path: Path, n: int) -> None:
    """Write one row per instance; model i errs on about i + 1 of 40 instances."""
    import duckdb

    models = ", ".join(
        f"(CASE WHEN hash(i, {k}) % 40 <= {k} THEN hash(i, {k}, 1) % {CLASSES} ELSE truth END)::UTINYINT AS m{k}"
        for k in range(MODELS)
    )
    with duckdb.connect() as connection:
        connection.execute(
            f"""COPY (SELECT data, truth::UTINYINT AS truth, {models} FROM (
                SELECT i, (i // {n})::USMALLINT AS data, hash(i) % {CLASSES} AS truth
                FROM range({DATASETS * n}) AS r(i))) TO '{path}' (FORMAT parquet)"""
        )


def programs(path: Path) -> dict[str, list[str]]:
    command = [
        sys.executable,
        "-m",
        "adjudge",
        "benchmark",
        str(path),
        "--dataset",
        "data",
        "--truth",
        "truth",
    ]
    return {
        "GROUP BY of the unpivoted labels": [sys.executable, "-c", BARE, str(path), str(MODELS)],
        "adjudge benchmark, accuracy": [*command, "--score", "accuracy", "--format", "json"],
        "adjudge benchmark, adjusted Rand index": [*command, "--kind", "clustering", "--format", "json"],
        "benchmark(head_to_head=True), classifiers": [sys.executable, "-c", MATRICES, str(path)],
    }


def check(name: str, found: Run) -> None:
    """Raise unless the program has judged everything."""
    if name.startswith("adjudge"):
        judged = json.loads(found.output)
        wanted = DATASETS, MODELS
        if (len(judged["datasets"]), len(judged["models"])) != wanted or judged["n_complete"] != DATASETS:
            raise RuntimeError(f"{name} has not judged {DATASETS} data sets")
    elif "head_to_head" in name and int(found.output) != DATASETS * MODELS * (MODELS - 1) // 2:
        raise RuntimeError(f"{name} has not counted every pair of models")


def main() -> None:
    if installed("duckdb") is None:
        raise SystemExit("this benchmark needs DuckDB: pip install duckdb pyarrow")
    n = 10**4 if "--quick" in sys.argv else 10**5
    rows, ratios = [], Ratios()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "predictions.parquet"
        write_predictions(path, n)
        size = f"{path.stat().st_size / 1e6:.0f} MB"
        bare = 0.0
        for name, command in programs(path).items():
            found = run(command)
            check(name, found)
            if bare:
                ratios.add(name, "GROUP BY", bare / found.seconds)
            bare = bare or found.seconds
            labels = DATASETS * n * MODELS
            rows.append(
                [
                    name,
                    show_seconds(found.seconds),
                    f"{labels / found.seconds / 1e6:.0f}",
                    f"{found.seconds / bare:.2f}",
                    f"{found.peak / 2**20:.0f} MiB",
                ]
            )
            print(rows[-1], flush=True)
    about = (
        f"{DATASETS} data sets, {MODELS} models and {n:,} instances a data set in one Parquet file ({size}): "
        f"{DATASETS * n * MODELS:,} labels of {CLASSES} classes, counted in one GROUP BY. Each program is a process of "
        "its own, start included; adjudge also scores, ranks and tests all models. Prayatul matrices of all "
        f"{MODELS * (MODELS - 1) // 2} pairs of models on every data set take one more pass. DuckDB "
        f"{installed('duckdb')}."
    )
    header = ["program", "time", "million labels/s", "ratio", "peak memory"]
    body = f"{ratios}\n\n{about}\n\n{markdown(header, rows)}"
    write_page("many_data_sets", "Many data sets in one file", body)


if __name__ == "__main__":
    main()
