"""A table of labels in Parquet: `adjudge compare` compared with DuckDB's bare GROUP BY of the same columns.

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

from harness import Ratios, installed, markdown, show_seconds, write_page

REPETITIONS = 3

BARE = """
import sys
import time
import duckdb
duckdb.execute("SET memory_limit = '1GB'; SET enable_progress_bar = false")
start = time.process_time()
duckdb.sql(sys.argv[1]).fetchall()
print(time.process_time() - start)
"""

SMALL = {
    "adjudge --help": "--help",
    "adjudge indices": "indices",
    "adjudge evaluate, CSV": "evaluate {csv} --truth truth --pred old",
    "adjudge compare, CSV, classification": "compare {csv} --truth truth --models old,new --kind classification",
    "adjudge compare, CSV, clustering": "compare {csv} --truth truth --models old,new --kind clustering",
    "adjudge evaluate, Parquet": "evaluate {parquet} --truth truth --pred old",
    "adjudge compare, Parquet, clustering": "compare {parquet} --truth truth --models old,new --kind clustering",
}


@dataclass(frozen=True)
class Run:
    """Time, memory and output of a program; other work on a machine hardly changes the processor's time."""

    seconds: float
    processor: float
    peak: int  # bytes
    output: str


def write_labels(path: Path, n: int, k: int, text: bool, gaps: bool = False) -> None:
    """Write three columns of labels: k classes, and two models that err on about three and four of ten instances.

    With `gaps`, one in fifty labels of the first model is missing.
    """
    import duckdb

    def label(code: str) -> str:
        return f"'class ' || ({code})" if text else f"({code})::INTEGER"

    old = label(f"CASE WHEN hash(i, 1) % 10 < 3 THEN hash(i, 2) % {k} ELSE truth END")
    with duckdb.connect() as connection:
        connection.execute(
            f"""COPY (
                SELECT {label("truth")} AS truth,
                       {f"CASE WHEN hash(i, 5) % 50 > 0 THEN {old} END" if gaps else old} AS old,
                       {label(f"CASE WHEN hash(i, 3) % 10 < 4 THEN hash(i, 4) % {k} ELSE truth END")} AS new
                FROM (SELECT i, hash(i) % {k} AS truth FROM range({n}) AS r(i))
            ) TO '{path}' (FORMAT parquet)"""
        )


def run(command: list[str]) -> Run:
    """Run a program, and measure its time and peak resident memory."""
    start = time.perf_counter()
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        if os.waitstatus_to_exitcode(status):
            raise RuntimeError(f"{command} failed")
        output.seek(0)
        scale = 1 if sys.platform == "darwin" else 1024
        return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * scale, output.read())


def best(commands: dict[str, list[str]]) -> dict[str, Run]:
    """Run the programs in turn, after a first turn that fills the cache; return the runs of least processor time."""
    turns = [{name: run(command) for name, command in commands.items()} for _ in range(REPETITIONS + 1)]
    return {name: min((turn[name] for turn in turns[1:]), key=lambda r: r.processor) for name in commands}


def programs(path: Path, kinds: tuple[str, ...], gaps: bool = False) -> dict[str, list[str]]:
    query = f"""SELECT count(*), max(n) FROM (
        SELECT truth, old, new, count(*) AS n FROM read_parquet('{path}') GROUP BY ALL)"""
    compare = [sys.executable, "-m", "adjudge", "compare", str(path), "--truth", "truth"]
    compare += ["--models", "old,new", "--format", "json", "--missing", "drop" if gaps else "raise", "--kind"]
    bare = {"GROUP BY": [sys.executable, "-c", BARE, query]}
    return bare | {f"adjudge compare, {kind}": [*compare, kind] for kind in kinds}


def starts(folder: Path) -> str:
    """Time commands on a thousand rows, which is mostly start-up time."""
    import duckdb

    small = {"csv": folder / "small.csv", "parquet": folder / "small.parquet"}
    write_labels(small["parquet"], 1000, 10, True)
    duckdb.sql(f"COPY (FROM '{small['parquet']}') TO '{small['csv']}' (HEADER)")
    commands = {
        name: [sys.executable, "-m", "adjudge", *arguments.format(**small).split()]
        for name, arguments in SMALL.items()
    }
    bare = {f"python -c '{code}'": [sys.executable, "-c", code] for code in ("import numpy", "import duckdb")}
    found = best({**bare, **commands})
    return markdown(
        ["program", "processor time"], [[name, show_seconds(r.processor)] for name, r in found.items()]
    )


def main() -> None:
    if installed("duckdb") is None:
        raise SystemExit("this benchmark needs DuckDB: pip install duckdb pyarrow")
    quick = "--quick" in sys.argv
    both = ("classification", "clustering")
    n = 10**7 if quick else 10**8
    cases = [
        (n, 10, False, False, both),
        (n, 10, False, True, both[1:]),
        (n, 10, True, False, both),
        (3 * n // 10, 1000, True, False, both[1:]),
    ]
    rows, ratios = [], Ratios()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "labels.parquet"
        write_labels(path, 1000, 10, True)
        start = best(programs(path, both))
        print(
            *(f"start of {name}: {show_seconds(result.processor)}" for name, result in start.items()),
            sep="\n",
        )
        started = starts(Path(folder))
        print(started)
        for size, k, text, gaps, kinds in cases:
            write_labels(path, size, k, text, gaps)
            found = best(programs(path, kinds, gaps))
            own = {
                name: max(result.processor - start[name].processor, 1e-3) for name, result in found.items()
            }
            query = float(found["GROUP BY"].output)
            what = f"{size:,} rows, {k:,} labels, {'text' if text else 'integers'}{', with gaps' if gaps else ''}"
            megabytes = f"{path.stat().st_size / 1e6:.0f} MB"
            rows.append(
                [
                    what,
                    megabytes,
                    "the query alone",
                    show_seconds(query),
                    f"{size / query / 1e6:.0f}",
                    "",
                    "",
                    "",
                ]
            )
            for name, result in found.items():
                if "adjudge" in name and not size * 0.97 < json.loads(result.output)["n"] <= size:
                    raise RuntimeError(f"{name} has not counted {size} rows")
                if name != "GROUP BY":
                    ratios.add(
                        f"{name} of {what}", "GROUP BY", found["GROUP BY"].processor / result.processor
                    )
                rows.append(
                    [
                        what,
                        megabytes,
                        name,
                        show_seconds(result.processor),
                        f"{size / result.processor / 1e6:.0f}",
                        f"{result.processor / found['GROUP BY'].processor:.2f}",
                        f"{own[name] / own['GROUP BY']:.2f}",
                        f"{result.peak / 2**20:.0f} MiB",
                    ]
                )
            print(*rows[-len(found) - 1 :], sep="\n", flush=True)
    if quick:
        return
    header = [
        "three columns",
        "Parquet",
        "program",
        "processor time",
        "million rows a second of it",
        "ratio",
        "ratio without start",
        "peak memory",
    ]
    starting = ", ".join(f"{name} {show_seconds(r.processor)}" for name, r in start.items())
    about = (
        "Each program is a separate process, and its time includes its start and imports; `GROUP BY` is DuckDB, "
        "counting the combinations of the three columns. Times are seconds of the processor, in all threads, because "
        f"other work shared the machine: the least of {REPETITIONS} runs, with the file in the cache. Peak memory is "
        "the largest resident set. The ratio without start is that of the times above those of a file of 1,000 rows: "
        f"{starting}. The query alone is what that program takes after DuckDB is imported. A bare count yields no "
        f"measures, scores or matrix; the goal is a ratio of at most 1.3. DuckDB {installed('duckdb')}."
    )
    small = "What commands take on 1,000 rows, as separate processes, is mostly the time to start."
    body = f"{ratios}\n\n{about}\n\n{markdown(header, rows)}\n\n## Small files\n\n{small}\n\n{started}"
    write_page("tables", "Tables in files", body)


if __name__ == "__main__":
    main()
