"""DBCV compared with hdbscan's validity_index, in the same process: seconds and memory.

``python benchmarks/density.py [n] [p] [clusters]``; hdbscan is optional.
"""

from __future__ import annotations

import json
import sys
import time
import tracemalloc

import numpy as np

import adjudge


def blobs(n: int, p: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    labels = rng.integers(k, size=n)
    return rng.normal(size=(k, p))[labels] * 5 + rng.normal(size=(n, p)), labels


def seconds(function: object, *arguments: object) -> tuple[float, float]:
    begun = time.perf_counter()
    value = function(*arguments)  # type: ignore[operator]
    return time.perf_counter() - begun, float(value)


def main() -> None:
    n, p, k = (int(a) for a in [*sys.argv[1:], *["30000", "10", "10"][len(sys.argv) - 1 :]])
    adjudge.dbcv(*blobs(300, p, k))  # warm-up, for the imports
    X, labels = blobs(n, p, k)
    found: dict[str, object] = {"n": n, "p": p, "clusters": k}
    tracemalloc.start()
    found["adjudge"], found["dbcv"] = seconds(adjudge.dbcv, X, labels)
    found["peak MB beyond the points"] = round(tracemalloc.get_traced_memory()[1] / 1e6, 1)
    tracemalloc.stop()
    try:
        from hdbscan.validity import validity_index
    except ImportError:
        found["hdbscan"] = "not installed"
    else:
        found["hdbscan"], found["validity_index"] = seconds(validity_index, X, labels)
        found["ratio"] = round(float(found["hdbscan"]) / float(found["adjudge"]), 1)  # type: ignore[arg-type]
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
