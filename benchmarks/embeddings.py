"""Silhouettes of embeddings, beside scikit-learn, a few lines of BLAS, and the machine's own product of matrices.

``python benchmarks/embeddings.py`` takes some minutes and writes docs/benchmarks/embeddings.md; ``--points 500`` takes
fewer points and writes nothing. All programs run in turn in one process and on one core, and the best of several runs
counts, in seconds of that core: what else a machine does then matters little.
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics import silhouette_samples
from threadpoolctl import threadpool_limits

from adjudge.engines.points import reduce_points
from adjudge.statistics.pair_distances import Diameters, Silhouettes
from harness import markdown, show_seconds, write_page

POINTS = 3000
CLUSTERS = 10
DIMENSIONS = (64, 128, 768, 1536)
REPEATS = 2

Widths = np.ndarray[Any, Any]


def embeddings(n: int, p: int) -> tuple[Widths, Widths]:
    rng = np.random.default_rng(0)
    codes = np.arange(n) % CLUSTERS
    points = rng.normal(size=(CLUSTERS, p))[codes] + rng.normal(size=(n, p))
    return points.astype(np.float32), codes


def ours(X: Widths, codes: Widths, metric: str, *others: type, **options: Any) -> Widths:
    return reduce_points(X, codes, [Silhouettes, *others], metric=metric, n_jobs=1, **options)[
        Silhouettes
    ].values


def plain_blas(X: Widths, codes: Widths, metric: str, dtype: type = np.float64) -> Widths:
    """Compute them as one would by hand: block by block, one product each."""
    X = X.astype(dtype)
    if metric == "cosine":
        X = X / np.sqrt((X**2).sum(axis=1, keepdims=True))
    squares = (X**2).sum(axis=1)
    member = np.eye(CLUSTERS, dtype=dtype)[codes]
    sizes = np.bincount(codes)
    widths = np.empty(codes.size)
    for first in range(0, codes.size, 1024):
        rows = slice(first, first + 1024)
        products = X[rows] @ X.T
        if metric == "cosine":
            distances = 1 - products
        else:
            distances = np.sqrt(np.maximum(squares[rows, None] + squares - 2 * products, 0))
        sums = distances @ member
        line, own = np.arange(sums.shape[0]), codes[rows]
        a = sums[line, own] / (sizes[own] - 1)
        means = sums / sizes
        means[line, own] = np.inf
        b = means.min(axis=1)
        widths[rows] = (b - a) / np.maximum(a, b)
    return widths


def core_seconds(programs: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Run all in turn, several times; the best of each."""
    best = dict.fromkeys(programs, np.inf)
    for _ in range(REPEATS):
        for name, call in programs.items():
            begun = time.process_time()
            call()
            best[name] = min(best[name], time.process_time() - begun)
    return best


def peak(call: Callable[[], Any]) -> float:
    tracemalloc.start()
    call()
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int)
    n = parser.parse_args().points or POINTS
    threadpool_limits(1)
    rows: list[list[str]] = []
    memory: list[list[str]] = []
    for p in DIMENSIONS:
        X, codes = embeddings(n, p)
        left = np.random.default_rng(1).normal(size=(1024, p))
        for metric in ("euclidean", "cosine"):
            programs: dict[str, Callable[[], Any]] = {
                "adjudge": lambda X=X, c=codes, m=metric: ours(X, c, m),
                "float32": lambda X=X, c=codes, m=metric: ours(X, c, m, precision="float32"),
                "scikit-learn": lambda X=X, c=codes, m=metric: silhouette_samples(X, c, metric=m),
                "BLAS": lambda X=X, c=codes, m=metric: plain_blas(X, c, m),
                "BLAS float32": lambda X=X, c=codes, m=metric: plain_blas(X, c, m, np.float32),
            }
            seconds = core_seconds(programs)
            product = core_seconds({"product": lambda left=left: left @ left.T})["product"]
            flops = 2 * p * n * (n - 1) / 2
            explicit = ours(X, codes, metric, Diameters)
            lost = [
                np.abs(widths - explicit).max()
                for widths in (programs["adjudge"](), programs["float32"](), programs["BLAS float32"]())
            ]
            rows.append(
                [
                    metric,
                    f"{p:,}",
                    *(show_seconds(seconds[name]) for name in programs),
                    f"{seconds['scikit-learn'] / seconds['adjudge']:.1f}",
                    f"{flops / seconds['adjudge'] / 1e9:.0f} of {2 * p * 1024**2 / product / 1e9:.0f}",
                    *(f"{difference:.0e}" for difference in lost),
                ]
            )
            if p == 768:
                memory += [[metric, name, f"{peak(call):,.0f} MB"] for name, call in programs.items()]
    head = ["metric", "p", *programs, "scikit-learn / adjudge", "GFLOP/s"]
    head += [f"{name} differs" for name in ("adjudge", "float32", "BLAS float32")]
    text = "\n\n".join(
        (
            f"Silhouettes of {n:,} points (float32) in {CLUSTERS} clusters, on one core: its seconds, the best of "
            f"{REPEATS} runs that alternate in one process.",
            '"float32" is `precision="float32"`; BLAS is what one would write by hand, a product a block of rows.'
            " GFLOP/s are those that adjudge reaches, for half of the pairs, and those of the machine's own product of "
            "two matrices. Differences are the largest from silhouettes by explicit differences in double precision."
            " scikit-learn computes products of float32 points in single precision: like with like is its time beside "
            "that of float32.",
            markdown(head, rows),
            "Memory at its peak, beyond the points (768 variables):",
            markdown(["metric", "program", "memory"], memory),
        )
    )
    if n != POINTS:
        print(text)
    else:
        write_page("embeddings", "Embeddings", text)


if __name__ == "__main__":
    main()
