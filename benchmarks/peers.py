"""Time and memory of adjudge and other programs, on the same data, in the same run. Writes docs/benchmarks/peers.md.

python benchmarks/peers.py [--quick]

A full run takes about half an hour.

Every case runs in a separate process, so that its peak memory can be measured. It may take at most MEMORY_SHARE of the
machine's memory and LIMIT seconds; a program that exceeds a limit is not tried with more data.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from harness import DOCS, installed, markdown, show_seconds, write_page
from peer_programs import PYTHON, calls

R = ("genieclust", "clusterCrit", "NbClust", "fpc", "aricode", "mclustcomp")
R_SCRIPT = Path(__file__).with_name("peers.R")

ON_LABELS = ("adjusted Rand", "Rand", "normalised mutual information", "adjusted mutual information")
ON_POINTS = ("silhouette", "Calinski-Harabasz", "Davies-Bouldin", "Dunn", "all internal criteria")
CHOICE = "number of clusters"
SIZES = {**dict.fromkeys(ON_LABELS, (3, 4, 5, 6, 7)), **dict.fromkeys(ON_POINTS, (3, 4, 5)), CHOICE: (3,)}
# These values are numbers of criteria or clusters, so they do not show whether programs compute the same thing.
NO_VALUE = ("all internal criteria", CHOICE)

P = 10
K = 10
BUDGET = 1.0
LIMIT = 20.0
MEMORY_SHARE = 0.6
QUICK_SIZES = {**dict.fromkeys(ON_LABELS, (2, 3)), **dict.fromkeys(ON_POINTS, (2,)), CHOICE: (2,)}


@dataclass(frozen=True)
class Program:
    """A program, and the language from which it is called."""

    name: str
    language: str
    version: str
    measures: tuple[str, ...]

    @property
    def title(self) -> str:
        """The name, with the language if that is R."""
        return self.name if self.language == "Python" else f"{self.name} (R)"


@dataclass(frozen=True)
class Outcome:
    """Time and memory of one program for one measure at one size, or why it failed."""

    seconds: float = math.nan
    memory: float | None = None
    value: float = math.nan
    failed: str = ""


def programs() -> tuple[list[Program], list[str]]:
    """Return the programs that are installed, and the names of those that are not."""
    found, missing = [], []
    for name in PYTHON:
        version = installed(name)
        if version:
            found.append(Program(name, "Python", version, tuple(calls(name, None, None, None, None))))
        else:
            missing.append(name)
    if shutil.which("Rscript") is None:
        return found, [*missing, *(f"{name} (R)" for name in R)]
    versions = dict(line.split() for line in ask_r("programs"))
    measures = {name: tuple(m.split(";")) for name, m in (line.split(":") for line in ask_r("measures"))}
    for name in R:
        if name in versions:
            found.append(Program(name, "R", versions[name], measures[name]))
        else:
            missing.append(f"{name} (R)")
    return found, missing


def ask_r(what: str) -> list[str]:
    done = subprocess.run(["Rscript", R_SCRIPT, what], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


# --- data ---------------------------------------------------------------------------------------------------------


def write_labels(folder: Path, n: int) -> None:
    """Write two partitions into K and K + 2 clusters that agree on about six of ten instances."""
    rng = np.random.default_rng(1)
    a = rng.integers(0, K, n)
    b = np.where(rng.random(n) < 0.4, rng.integers(0, K + 2, n), a)
    a[: K + 2], b[: K + 2] = np.arange(K + 2) % K, np.arange(K + 2)
    a.astype(np.int32).tofile(folder / "a")
    b.astype(np.int32).tofile(folder / "b")


def write_points(folder: Path, n: int) -> None:
    """Write round clusters, with a tenth of the points in a wrong cluster."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, K, n)
    y[:K] = np.arange(K)
    X = 4 * rng.normal(size=(K, P))[y] + rng.normal(size=(n, P))
    wrong = rng.random(n) < 0.1
    wrong[:K] = False
    y[wrong] = rng.integers(0, K, int(wrong.sum()))
    X.tofile(folder / "X")
    y.astype(np.int32).tofile(folder / "y")


def read(folder: Path, n: int) -> tuple[Any, Any, Any, Any]:
    def labels(name: str) -> Any:
        return np.fromfile(folder / name, np.int32).astype(np.int64)

    if (folder / "X").exists():
        return None, None, np.fromfile(folder / "X").reshape(n, P), labels("y")
    return labels("a"), labels("b"), None, None


# --- one case, in a separate process ------------------------------------------------------------------------------


def peak_memory() -> float | None:
    """Return the peak memory so far, in megabytes; None if the system does not report it."""
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    return next(
        int(line.split()[1]) / 1024 for line in status.read_text().splitlines() if line.startswith("VmHWM")
    )


def run_case(program: str, measure: str, folder: Path, n: int, budget: float) -> dict[str, Any]:
    """Measure one case in this process, after a small call, so that imports and compilation do not count."""
    limit_memory()
    with tempfile.TemporaryDirectory() as small:
        (write_labels if measure in ON_LABELS else write_points)(Path(small), 60)
        calls(program, *read(Path(small), 60))[measure]()
    call = calls(program, *read(folder, n))[measure]
    if Path("/proc/self/clear_refs").exists():
        Path("/proc/self/clear_refs").write_text("5")  # reset the peak
    before = peak_memory()
    seconds: list[float] = []
    after = None
    while not seconds or (len(seconds) < 20 and sum(seconds) + seconds[-1] < budget):
        started = time.perf_counter()
        value = call()
        seconds.append(time.perf_counter() - started)
        after = after or peak_memory()
    memory = None if before is None or after is None else after - before
    return {"seconds": seconds, "memory": memory, "value": float(value)}


def limit_memory() -> None:
    import resource

    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (used + int(total * MEMORY_SHARE), resource.RLIM_INFINITY))


def outcome(program: Program, measure: str, folder: Path, n: int, budget: float) -> Outcome:
    case = [program.name, measure, str(folder), str(n)]
    if program.language == "R":
        kilobytes = int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * MEMORY_SHARE / 1024)
        limited = f'ulimit -v {kilobytes} && exec Rscript "$@"'
        command = ["sh", "-c", limited, "sh", str(R_SCRIPT), *case, str(P), str(budget)]
    else:
        command = [sys.executable, "-W", "ignore", __file__, "--case", *case, str(budget)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return Outcome(failed=f"over {LIMIT:.0f} s")
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or [f"ended with {done.returncode}"]
        short = (
            any(word in done.stderr for word in ("MemoryError", "allocate", "memory")) or done.returncode < 0
        )
        return Outcome(failed="out of memory" if short else said[-1][:80])
    found = json.loads(done.stdout.splitlines()[-1])
    return Outcome(statistics.median(found["seconds"]), found["memory"], found["value"])


# --- all cases ----------------------------------------------------------------------------------------------------

Results = dict[str, dict[int, dict[Program, Outcome]]]


def measured(present: Sequence[Program], sizes: Mapping[str, Iterable[int]], budget: float) -> Results:
    """Return outcomes by measure, size and program. A program that fails at one size is not tried at larger ones."""
    found: Results = {}
    for kind, write in ((ON_LABELS, write_labels), ((*ON_POINTS, CHOICE), write_points)):
        for exponent in sorted({e for measure in kind for e in sizes[measure]}):
            n = 10**exponent
            with tempfile.TemporaryDirectory() as temporary:
                folder = Path(temporary)
                write(folder, n)
                for measure in (m for m in kind if exponent in sizes[m]):
                    row = found.setdefault(measure, {}).setdefault(n, {})
                    for program in (p for p in present if measure in p.measures):
                        earlier = [o[program] for m, o in found[measure].items() if m < n]
                        failed = next((o.failed for o in earlier if o.failed), "")
                        row[program] = (
                            Outcome(
                                failed=f"not tried: {failed}".replace("not tried: not tried", "not tried")
                            )
                            if failed
                            else outcome(program, measure, folder, n, budget)
                        )
                        said = row[program].failed or show_seconds(row[program].seconds)
                        print(f"{measure:30} {n:>10,} {program.title:18} {said}", flush=True)
    return found


# --- the page -----------------------------------------------------------------------------------------------------


def show_memory(megabytes: float | None) -> str:
    return "-" if megabytes is None else f"{megabytes:.0f} MB"


def differ(measure: str, ours: Outcome, found: Outcome) -> bool:
    """Whether a program's value of a measure differs from ours."""
    return measure not in NO_VALUE and not math.isclose(ours.value, found.value, rel_tol=1e-4, abs_tol=1e-5)


def rows_of(measure: str, by_size: dict[int, dict[Program, Outcome]]) -> Iterator[list[str]]:
    for n, outcomes in by_size.items():
        ours = next(o for p, o in outcomes.items() if p.name == "adjudge")
        for program, found in outcomes.items():
            if found.failed:
                yield [f"{n:,}", program.title, found.failed, "", "", ""]
                continue
            ratio = found.seconds / ours.seconds
            yield [
                f"{n:,}",
                program.title,
                show_seconds(found.seconds),
                show_memory(found.memory),
                "" if found is ours else f"**{ratio:.2g}**" if ratio < 1 else f"{ratio:.3g}",
                f"{found.value:.6g}, ours {ours.value:.6g}" if differ(measure, ours, found) else "",
            ]


def ahead(results: Results) -> Iterator[str]:
    """List the cases in which another program is faster than adjudge."""
    for measure, by_size in results.items():
        for n, outcomes in by_size.items():
            ours = next(o for p, o in outcomes.items() if p.name == "adjudge")
            for program, found in outcomes.items():
                if found.seconds < ours.seconds:
                    times = ours.seconds / found.seconds
                    but = ", but for another value" if differ(measure, ours, found) else ""
                    yield (
                        f"- {program.title}, {measure}, N = {n:,}: {show_seconds(found.seconds)} where adjudge takes "
                        f"{show_seconds(ours.seconds)} ({times:.2g} times as long){but}"
                    )


def plot(measures: Sequence[str], results: Results, what: str, path: Path) -> None:
    """Draw how time or memory grows with N, with one panel per measure."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = 2
    lines = math.ceil(len(measures) / columns)
    figure = Figure(figsize=(11, 3.2 * lines), layout="constrained")
    FigureCanvasAgg(figure)
    every = list(dict.fromkeys(p for m in measures for row in results[m].values() for p in row))
    for position, measure in enumerate(measures):
        axes = figure.add_subplot(lines, columns, position + 1)
        for number, program in enumerate(every):
            points = [
                (n, value)
                for n, row in results[measure].items()
                if program in row and (value := getattr(row[program], what)) is not None and value > 0
            ]
            if points:
                is_ours = program.name == "adjudge"
                axes.plot(
                    *zip(*points, strict=True),
                    marker="osv^D<>Xphd"[number % 11],
                    color="black" if is_ours else f"C{number - 1}",
                    linewidth=2.4 if is_ours else 1.2,
                    label=program.title,
                )
        axes.set(xscale="log", yscale="log", title=measure, xlabel="N")
        axes.set_ylabel("seconds" if what == "seconds" else "MB above the input")
        axes.grid(alpha=0.3)
    shown = {
        label: line
        for axes in figure.axes
        for line, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    figure.legend(shown.values(), shown.keys(), loc="outside right upper", fontsize=8)
    figure.savefig(path, dpi=110)


def page(results: Results, present: Sequence[Program], missing: Sequence[str], folder: Path) -> str:
    from_where = [f"{p.title} {p.version}" for p in present]
    parts = [
        "Every program gets the same data from one file, in the same run; each case in a process of its own, after "
        f"a small call. Median of up to 20 runs in {BUDGET:.0f} s; memory is the peak above the input and the loaded "
        "program. The ratio is a program's time over that of adjudge: above 1 adjudge is faster, and **in bold** it is "
        f"slower. A case may take {LIMIT:.0f} s and {MEMORY_SHARE:.0%} of the memory. Where a value is shown, the "
        "program computes something else under the name, or the same with a different result.",
        f"Installed: {', '.join(from_where)}.",
        f"Not installed, so not measured: {', '.join(missing) or 'none'}.",
        "## Where another program is ahead",
        "\n".join(ahead(results)) or "Nowhere.",
    ]
    data = {
        "Labels": (ON_LABELS, f"Two partitions into {K} and {K + 2} clusters."),
        "Points": (ON_POINTS, f"{P} dimensions, {K} clusters."),
    }
    for title, (measures, words) in data.items():
        there = [m for m in measures if m in results]
        parts += [f"## {title}", words]
        for what, name in (("seconds", "Time"), ("memory", "Memory")):
            picture = f"peers_{title.lower()}_{name.lower()}.png"
            plot(there, results, what, folder / picture)
            parts.append(f"![{name} by N, {title.lower()}]({picture})")
        parts += [section(measure, results[measure]) for measure in there]
    parts += [
        "## How many clusters",
        '`choose_k` beside NbClust with `index = "all"`: k-means, K from 2 to 10, every criterion.',
        section(CHOICE, results[CHOICE]),
    ]
    return "\n\n".join(parts)


def section(measure: str, by_size: dict[int, dict[Program, Outcome]]) -> str:
    columns = ["N", "program", "time", "memory", "ratio", "another value"]
    return f"### {measure[0].upper()}{measure[1:]}\n\n" + markdown(columns, list(rows_of(measure, by_size)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument(
        "--quick", action="store_true", help="tiny data, to see that everything runs; writes nothing"
    )
    parser.add_argument("--case", nargs=5, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.case:
        program, measure, folder, n, budget = arguments.case
        print(json.dumps(run_case(program, measure, Path(folder), int(n), float(budget))))
        return
    present, missing = programs()
    if arguments.quick:
        with tempfile.TemporaryDirectory() as folder:
            print(page(measured(present, QUICK_SIZES, 0.05), present, missing, Path(folder)))
        return
    DOCS.mkdir(parents=True, exist_ok=True)
    results = measured(present, SIZES, BUDGET)
    write_page("peers", "Beside other programs", page(results, present, missing, DOCS))


if __name__ == "__main__":
    main()
