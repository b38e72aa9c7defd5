"""A table of labels in Parquet: `adjudge compare` beside DuckDB's bare GROUP BY of the same columns.

python benchmarks/tables.py [--quick]     (10^8 rows, about 150 MB in a temporary folder; --quick: 10^7)
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from harness import installed, markdown, show_seconds, write_page

REPETITIONS = 3

BARE = """
import sys
import duckdb
duckdb.execute("SET memory_limit = '1GB'")
print(len(duckdb.sql(sys.argv[1]).fetchall()))
"""


@dataclass(frozen=True)
class Run:
    """What a program took."""

    seconds: float
    peak: int  # bytes
    output: str


def write_labels(path: Path, n: int, text: bool) -> None:
    """Three columns of labels: ten classes, and two models that are wrong on three and four instances of ten."""
    import duckdb

    def label(code: str) -> str:
        return f"'class ' || ({code})" if text else f"({code})::INTEGER"

    with duckdb.connect() as connection:
        connection.execute(
            f"""COPY (
                SELECT {label("truth")} AS truth,
                       {label("CASE WHEN hash(i, 1) % 10 < 3 THEN hash(i, 2) % 10 ELSE truth END")} AS old,
                       {label("CASE WHEN hash(i, 3) % 10 < 4 THEN hash(i, 4) % 12 ELSE truth END")} AS new
                FROM (SELECT i, hash(i) % 10 AS truth FROM range({n}) AS r(i))
            ) TO '{path}' (FORMAT parquet)"""
        )


def run(command: list[str]) -> Run:
    """Run a program and measure its peak of resident memory."""
    start = time.perf_counter()
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        if os.waitstatus_to_exitcode(status):
            raise RuntimeError(f"{command} failed")
        output.seek(0)
        scale = 1 if sys.platform == "darwin" else 1024
        return Run(seconds, usage.ru_maxrss * scale, output.read())


def best(commands: dict[str, list[str]]) -> dict[str, Run]:
    """Run the programs in turns, after one turn that reads the file into the cache; the shortest run of each."""
    turns = [{name: run(command) for name, command in commands.items()} for _ in range(REPETITIONS + 1)]
    return {name: min((turn[name] for turn in turns[1:]), key=lambda r: r.seconds) for name in commands}


def main() -> None:
    if installed("duckdb") is None:
        raise SystemExit("this benchmark needs DuckDB: pip install duckdb pyarrow")
    n = 10**7 if "--quick" in sys.argv else 10**8
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for text in (False, True):
            path = Path(folder) / "labels.parquet"
            write_labels(path, n, text)
            query = f"SELECT truth, old, new, count(*) FROM read_parquet('{path}') GROUP BY ALL"
            compare = [sys.executable, "-m", "adjudge", "compare", str(path), "--truth", "truth"]
            compare += ["--models", "old,new", "--format", "json", "--kind"]
            found = best(
                {
                    "DuckDB, GROUP BY": [sys.executable, "-c", BARE, query],
                    "adjudge compare, classification": [*compare, "classification"],
                    "adjudge compare, clustering": [*compare, "clustering"],
                }
            )
            bare = found["DuckDB, GROUP BY"].seconds
            for name, result in found.items():
                if "adjudge" in name and json.loads(result.output)["n"] != n:
                    raise RuntimeError(f"{name} has not counted {n} rows")
                rows.append(
                    [
                        f"{'text' if text else 'integers'}, {path.stat().st_size / 1e6:.0f} MB",
                        name,
                        show_seconds(result.seconds),
                        f"{n / result.seconds / 1e6:.1f}",
                        f"{result.seconds / bare:.2f}",
                        f"{result.peak / 2**20:.0f} MiB",
                    ]
                )
                print(*rows[-1], sep=" | ")
    header = ["labels", "program", "time", "million rows/s", "beside GROUP BY", "peak memory"]
    about = (
        f"{n:,} rows of three columns of labels in Parquet (10, 10 and 12 labels; 1,200 combinations). Each program is "
        f"a process of its own, its start and imports included; the shortest of {REPETITIONS} runs, with the file in "
        f"the cache. Peak memory is the largest resident set. DuckDB {installed('duckdb')}."
    )
    if "--quick" in sys.argv:
        return
    write_page("tables", "Tables in files", f"{about}\n\n{markdown(header, rows)}")


if __name__ == "__main__":
    main()
