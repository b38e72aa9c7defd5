"""Time and memory of the internal criteria, compared with goals and other programs.

``python benchmarks/internal.py`` takes some minutes, most of them for 1,400,000 points in 200 clusters, and writes
docs/benchmarks/internal.md; ``--quick`` leaves out this case and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness import Ratios, markdown, show_seconds, write_page


@dataclass(frozen=True)
class Case:
    """Points in clusters, the requested indices, and the goal."""

    n: int
    p: int
    k: int
    indices: str
    repeats: int
    goal: str
    program: str = "adjudge"


#: The indices of clusterCrit, and others from moments and pairs; no passes for density and neighbours.
PAIRS = "moments and pairs"
#: Seconds of clusterCrit for these, of 20,000 points; R is not available everywhere.
CLUSTERCRIT = 90.0

CASES = (
    Case(1_000, 2, 5, PAIRS, 20, "15 ms"),
    Case(1_000, 2, 5, "all", 20, ""),
    # Just below the number of points above which ranks are only bounded.
    Case(14_000, 2, 5, "c_index,tau", 5, "1.5 s, 370 MB"),
    Case(14_000, 2, 5, "all", 3, "1.5 s, 370 MB"),
    Case(20_000, 2, 5, PAIRS, 5, "0.18 s (clusterCrit: 90 s, 3.2 GB)"),
    Case(20_000, 2, 5, "all", 5, ""),
    Case(30_000, 10, 5, "silhouette", 5, "1/25 of scikit-learn"),
    Case(30_000, 10, 5, "silhouette", 1, "", "scikit-learn"),
    Case(100_000, 10, 5, PAIRS, 2, "5 s, 300 MB above the input"),
    Case(100_000, 10, 5, "all", 2, ""),
    Case(100_000, 10, 10, "silhouette", 2, ""),
    Case(100_000, 10, 1_000, "silhouette", 2, "2 x the line above"),
    Case(1_000_000, 2, 10, "dunn", 2, "5 s"),
)
LARGE = (Case(1_400_000, 3, 200, "silhouette,dunn", 1, "600 s, 2 GB (elsewhere reported as impossible)"),)


def clusters(case: Case) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, case.k, case.n)
    labels[: case.k] = np.arange(case.k)
    return 6 * rng.normal(size=(case.k, case.p))[labels] + rng.normal(size=(case.n, case.p)), labels


def asked_for(indices: str) -> Any:
    """Return the `indices` argument of `evaluate` for a case."""
    from adjudge import list_indices
    from adjudge.statistics import moments, pair_distances

    if indices != PAIRS:
        return indices if indices == "all" else indices.split(",")
    rooms = {moments.__name__, pair_distances.__name__}
    return [
        index.name
        for index in list_indices(kind="internal")
        if rooms.issuperset(statistic.__module__ for statistic in index.requires)
    ]


def peak_memory() -> float:
    import resource

    # Kilobytes on Linux, bytes on macOS.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform == "linux" else 1024**2)


def measure(case: Case, threads: int) -> dict[str, float]:
    """Run one case in this process: return the fastest repeat, the first call, and the peak memory above the input."""
    X, labels = clusters(case)
    if case.program == "scikit-learn":
        from sklearn.metrics import silhouette_score

        def call() -> Any:
            return silhouette_score(X, labels)
    else:
        import adjudge

        asked = asked_for(case.indices)

        def call() -> Any:
            return adjudge.evaluate(X=X, labels=labels, indices=asked, n_jobs=threads)

    before = peak_memory()
    times = []
    for _ in range(case.repeats + 1):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
        if times[0] > 60:
            break
    return {"first": times[0], "best": min(times), "memory": peak_memory() - before}


def first_call() -> float:
    """Return the seconds of the first call, on few points, in a new process."""
    code = (
        "import time, numpy as np; X = np.random.default_rng(0).normal(size=(1000, 2)); y = np.arange(1000) % 5\n"
        "import adjudge; t = time.perf_counter(); adjudge.evaluate(X=X, labels=y, indices='all')\n"
        "print(time.perf_counter() - t)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--quick", action="store_true", help="leave out what takes minutes; writes nothing")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--case", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.case:
        print(json.dumps(measure(Case(**json.loads(arguments.case)), arguments.threads)))
        return
    first = min(first_call() for _ in range(3))
    print(f"first call: {first:.2f} s", flush=True)
    rows, best, ratios = [], {}, Ratios()
    for case in CASES if arguments.quick else (*CASES, *LARGE):
        settings = ["--threads", str(arguments.threads), "--case", json.dumps(vars(case))]
        done = subprocess.run(
            [sys.executable, __file__, *settings], capture_output=True, text=True, check=True
        )
        found = json.loads(done.stdout.splitlines()[-1])
        rows.append(
            [
                f"{case.n:,}",
                str(case.p),
                f"{case.k:,}",
                case.indices,
                case.program,
                show_seconds(found["best"]),
                f"{found['memory']:.0f} MB",
                case.goal,
            ]
        )
        best[case.program, case.n, case.indices] = found["best"]
        if case.program != "adjudge":
            ours = best["adjudge", case.n, case.indices]
            ratios.add(f"{case.indices} of {case.n:,} points", case.program, found["best"] / ours)
        print(*rows[-1], sep=" | ", flush=True)
    if arguments.quick:
        return
    ours = best["adjudge", 20_000, PAIRS]
    ratios.add(f"{PAIRS} of 20,000 points", "clusterCrit", CLUSTERCRIT / ours)
    about = (
        "Each case runs in a separate process; time is the best of several runs, memory what the process takes at "
        "its peak above the input. clusterCrit's figures were recorded on a machine of this "
        "kind (R 4.2.2, clusterCrit 1.3.0)."
    )
    header = ["points", "p", "K", "indices", "program", "best", "memory", "goal"]
    called = f"A first call of all criteria in a fresh process takes {show_seconds(first)}."
    write_page(
        "internal", "Internal criteria", f"{ratios}\n\n{about}\n\n{markdown(header, rows)}\n\n{called}"
    )


if __name__ == "__main__":
    main()
