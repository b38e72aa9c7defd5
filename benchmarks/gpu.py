"""Points on a GPU, compared with the compiled loops: silhouettes, extremes and moments, and how far they differ.

On a machine with a GPU, ``python benchmarks/gpu.py`` compares PyTorch's values with those of the compiled loops,
measures for some minutes, and writes docs/benchmarks/gpu.md. Without a GPU, it says so, takes few points, computes with
PyTorch on the CPU, and writes nothing. ``--points 5000`` sets other numbers of points.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge.engines.points import reduce_points
from adjudge.statistics.moments import Moments, Scatter
from adjudge.statistics.pair_distances import Diameters, PairSums, Silhouettes, SingleLinkage
from harness import markdown, show_seconds, write_page

ON_A_GPU, ON_A_CPU = (20_000, 100_000), (3000,)
CLUSTERS = 10
REPEATS = 2


@dataclass(frozen=True)
class Case:
    """What is computed, and for which points."""

    name: str
    wanted: tuple[type, ...]
    p: int
    metric: str = "euclidean"
    precision: str = "float64"


CASES = (
    Case("moments and scatter", (Moments, Scatter), 64),
    Case("silhouettes", (Silhouettes,), 8),
    Case("silhouettes", (Silhouettes,), 768),
    Case("silhouettes", (Silhouettes,), 768, precision="float32"),
    Case("silhouettes, cosine", (Silhouettes,), 768, "cosine"),
    Case("sums of pairs", (PairSums,), 768),
    Case("Dunn's index", (SingleLinkage, Diameters), 8),
    Case("Dunn's index", (SingleLinkage, Diameters), 128),
)
# The attribute of each statistic that is compared.
VALUES = {
    Moments: "centroids",
    Scatter: "within",
    Silhouettes: "values",
    PairSums: "within",
    SingleLinkage: "smallest",
    Diameters: "values",
}


def found_device() -> tuple[str, str]:
    """Return PyTorch's device and its name."""
    import torch

    if torch.cuda.is_available():
        return "cuda", torch.cuda.get_device_name()
    return "cpu", "no GPU: PyTorch on the CPU"


def measured(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds of the best run, after a warm-up run, and the result."""
    found = call()
    best = np.inf
    for _ in range(REPEATS):
        begun = time.perf_counter()
        found = call()
        best = min(best, time.perf_counter() - begun)
    return float(best), found


def largest_difference(found: Any, expected: Any) -> float:
    """Return the largest difference, as a share of the largest value."""
    worst = 0.0
    for type_ in expected:
        own, value = (np.asarray(getattr(some[type_], VALUES[type_])) for some in (found, expected))
        worst = max(worst, float(np.abs(own - value).max() / np.abs(value).max()))
    return worst


def row_of(case: Case, n: int, device: str) -> list[str]:
    rng = np.random.default_rng(0)
    codes = np.arange(n) % CLUSTERS
    X = (rng.normal(size=(CLUSTERS, case.p))[codes] + rng.normal(size=(n, case.p))).astype(np.float32)

    def run(**options: Any) -> Any:
        return reduce_points(X, codes, case.wanted, metric=case.metric, precision=case.precision, **options)

    ours, expected = measured(run)
    theirs, found = measured(lambda: run(engine="torch", device=device))
    return [
        case.name,
        f"{n:,}",
        str(case.p),
        case.precision,
        show_seconds(ours),
        show_seconds(theirs),
        f"{ours / theirs:.2g}",
        f"{largest_difference(found, expected):.0e}",
    ]


def text_of(sizes: Sequence[int], device: str, name: str) -> str:
    head = ["computed", "points", "variables", "precision", "compiled loops", f"PyTorch, {device}"]
    head += ["times as fast", "differs"]
    rows = []
    for case in CASES:
        for n in sizes:
            rows.append(row_of(case, n, device))
            print(" | ".join(rows[-1]), flush=True)
    about = (
        f"{name}. Compiled loops take all cores of the machine. Times include that points are sent to the device; the "
        f"best of {REPEATS} runs after a first one. Differences are shares of the largest value."
    )
    return f"{about}\n\n{markdown(head, rows)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, nargs="*")
    sizes = parser.parse_args().points
    try:
        device, name = found_device()
    except ModuleNotFoundError:
        raise SystemExit("PyTorch is not installed: pip install 'adjudge[torch]'") from None
    if device == "cpu":
        print(
            "PyTorch finds no GPU here: a small run on the CPU shows that all is in order; nothing is written."
        )
    text = text_of(sizes or (ON_A_CPU if device == "cpu" else ON_A_GPU), device, name)
    if device == "cpu":
        print(f"\n{text}")
    else:
        write_page("gpu", "Points on a GPU", text)


if __name__ == "__main__":
    main()
