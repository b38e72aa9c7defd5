"""Probabilities in Parquet: `evaluate` of a lazy table compared with a bare sum of the same columns in DuckDB.

python benchmarks/forecasts_in_tables.py [--quick]     (10^7 rows in a temporary folder; --quick: 10^6)
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from harness import installed, markdown, show_seconds, write_page
from tables import Run, best

CLASSES = ("cat", "dog", "owl")
BARE = """
import sys
import duckdb
duckdb.execute("SET enable_progress_bar = false")
print(duckdb.sql(sys.argv[1]).fetchall())
"""
OURS = """
import sys
import adjudge
path, library, *columns = sys.argv[1:]
if library == "DuckDB":
    import duckdb
    table = duckdb.sql(f"SELECT * FROM read_parquet('{path}')")
else:
    import polars
    table = polars.scan_parquet(path)
given = columns[0] if len(columns) == 1 else {name.partition("_")[2]: name for name in columns}
print(adjudge.evaluate(table, truth="truth", probabilities=given, kind="classification").n)
"""


def write_probabilities(path: Path, n: int, classes: tuple[str, ...]) -> list[str]:
    """Write the truth and a column of probabilities for each class, or for the second of two; return their names."""
    import duckdb

    drawn = ", ".join(
        f"random() + CASE WHEN t = {i} THEN 0.5 ELSE 0.05 END AS r{i}" for i in range(len(classes))
    )
    total = " + ".join(f"r{i}" for i in range(len(classes)))
    shown = [(i, name) for i, name in enumerate(classes) if len(classes) > 2 or i == 1]
    columns = ", ".join(f"r{i} / ({total}) AS p_{name}" for i, name in shown)
    names = ", ".join(f"'{name}'" for name in classes)
    rows = f"SELECT (hash(i) % {len(classes)})::INTEGER AS t FROM range({n}) AS r(i)"
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT [{names}][t + 1] AS truth, {columns} FROM (SELECT t, {drawn} FROM ({rows}))) "
            f"TO '{path}' (FORMAT parquet)"
        )
    return [f"p_{name}" for _, name in shown]


def programs(path: Path, columns: list[str]) -> dict[str, list[str]]:
    sums = ", ".join(f"sum(ln(1 + {name}))" for name in columns)
    query = f"SELECT truth, count(*), {sums} FROM read_parquet('{path}') GROUP BY truth"
    found = {"a sum of logarithms": [sys.executable, "-c", BARE, query]}
    return found | {
        f"evaluate, {library}": [sys.executable, "-c", OURS, str(path), library, *columns]
        for library in ("DuckDB", "Polars")
    }


def main() -> None:
    sizes = (10**6,) if "--quick" in sys.argv else (10**7,)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        start = best(programs(path, write_probabilities(path, 1000, CLASSES[:2])))
        for n in sizes:
            for classes in (CLASSES[:2], CLASSES):
                found: dict[str, Run] = best(programs(path, write_probabilities(path, n, classes)))
                for name, run in found.items():
                    work = max(run.processor - start[name].processor, 1e-3)
                    bare = max(
                        found["a sum of logarithms"].processor - start["a sum of logarithms"].processor, 1e-3
                    )
                    rows.append(
                        [
                            f"{n:,} rows, {len(classes)} classes",
                            name,
                            show_seconds(run.processor),
                            f"{n / run.processor / 1e6:.1f}",
                            f"{work / bare:.1f}",
                            f"{run.peak / 2**20:.0f} MiB",
                        ]
                    )
                print(*rows[-len(found) :], sep="\n", flush=True)
    if "--quick" in sys.argv:
        return
    header = [
        "table",
        "program",
        "processor time",
        "million rows a second of it",
        "ratio without start",
        "peak memory",
    ]
    about = (
        "No program is ahead that judges probabilities in a lazy table: none was found. A bare sum of logarithms shows "
        "what reading them costs.\n\n"
        "`evaluate` of probabilities in a lazy table on Parquet: accuracy, losses, calibration, areas and confusion "
        "matrix. Two classes have one column, three have three. Each program is a separate process, and its time "
        "includes its start and imports. Times are seconds of the processor, in all threads, because other work "
        "shared the machine: the least of three runs, with the file in the cache. A bare sum of logarithms by class, "
        "in DuckDB, reads the same columns; the ratio is that of the times less those of a file of 1,000 rows. "
        f"Memory does not grow with the rows. DuckDB {installed('duckdb')}, Polars {installed('polars')}."
    )
    write_page("forecasts_in_tables", "Probabilities in tables", f"{about}\n\n{markdown(header, rows)}")


if __name__ == "__main__":
    main()
