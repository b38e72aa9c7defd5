"""Print results to the last digit, to compare compilers, processors and numbers of threads on the same data.

`python tools/digits.py` prints one line per result: its name and its number, or the hash of its numbers.
ADJUDGE_KERNELS names the kernels, --n-jobs sets the threads. `--store OTHER ...` stores, for test_digits.py, the lines
that are also in files printed elsewhere: with other BLAS kernels (OPENBLAS_CORETYPE=Prescott) or on other systems.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

import adjudge
from adjudge.engines.points import reduce_coded_points
from adjudge.given.point_options import PointOptions
from adjudge.kernels.elementary import exponentials, logarithms, powers
from adjudge.statistics.pair_distances import Silhouettes

STORED = Path(__file__).parents[1] / "tests" / "reference" / "digits.json"
# Distances in many dimensions use fused operations if the processor has them.
FUSED = "9 dimensions"
_PRODUCTS = "NumPy's products and factors of matrices add in an order that depends on the processor"
# What may have another last digit on another system, even if those at hand agree, and why.
OF_THE_SYSTEM = {
    "mahalanobis": _PRODUCTS,
    "log_det_ratio": _PRODUCTS,
    "trace_wib": _PRODUCTS,
    "friedman": _PRODUCTS,
    "scott": _PRODUCTS,
    "haversine": "sines and cosines are NumPy's",
    "smooth_calibration_error": "the cosine transform is SciPy's",
}


def lines(n_jobs: int = 1) -> dict[str, str]:
    """Return the digits of every result."""
    return {
        f"{group}: {name}": word(value)
        for group, result in results(n_jobs)
        for name, value in numbers_of(result).items()
    }


def results(n_jobs: int) -> Iterator[tuple[str, Any]]:
    """Yield results that, between them, call most kernels that compute with floats."""
    rng = np.random.RandomState(1)  # its numbers are the same in every version of NumPy
    n, k = 800, 5
    codes = rng.randint(k, size=n)
    found = np.where(rng.randint(10, size=n) < 2, rng.randint(k, size=n), codes)
    other = np.where(rng.randint(10, size=n) < 3, rng.randint(k + 2, size=n), codes)
    of_points = partial(adjudge.evaluate, labels=found, n_jobs=n_jobs, progress=False)

    def points(p: int) -> Any:
        centres, steps = rng.randint(-4, 5, (k, p)), rng.random_sample((4, n, p))
        return centres[codes] + (((steps[0] + steps[1]) + steps[2]) + steps[3])

    X, wide = points(3), points(9)
    yield "3 dimensions", of_points(X=X, indices="all")
    yield FUSED, of_points(X=wide, indices="all")
    for group, given in (("3 dimensions", X), (FUSED, wide)):
        reduced = reduce_coded_points(given, found, {Silhouettes}, PointOptions(n_jobs=n_jobs))
        yield group, {"silhouettes of points": reduced[Silhouettes].values}
    some = ["silhouette", "dunn", "gamma", "tau", "c_index", "wcnn", "lisi", "medoid_silhouette", "dbcv"]
    yield "single precision", of_points(X=X.astype(np.float32), indices=some)
    for metric in ("cityblock", "chebyshev", "canberra", "cosine", "correlation", "mahalanobis", "haversine"):
        given = X[:, :2] / 16 if metric == "haversine" else X
        yield metric, of_points(X=given, metric=metric, indices=some)
    sparse = csr_array(np.where(wide > 1.5, wide, 0.0))
    for metric in ("euclidean", "cosine", "correlation"):
        yield f"sparse, {metric}", of_points(X=sparse, metric=metric, indices=some[:5])
    weights = rng.randint(1, 4, n) / 4
    yield "weighted", of_points(X=X, sample_weight=weights, weights="importance", indices=some[:2])
    intervals = of_points(X=X, indices=["silhouette", "davies_bouldin"], confidence=0.95, random_state=1)
    yield "intervals of points", intervals
    choose_k = partial(adjudge.choose_k, random_state=0, n_jobs=n_jobs, progress=False)
    yield "k-means", choose_k(X, k=range(2, 6))
    yield "ward", choose_k(X, "ward", k=range(2, 6), indices="all")
    yield "dip", {"dip": adjudge.inference.dip_test(X[:, 0]).dip}
    line = rng.random_sample(1000) * 2
    yield "logarithms", {"of a line": logarithms(line)}
    yield "exponentials", {"of a line": exponentials(line), "powers": powers(line, 1.2)}

    yield "labels", adjudge.evaluate(codes, found, indices="all")
    yield "labels, weighted", adjudge.evaluate(codes, found, sample_weight=weights, weights="importance")
    yield "element-centric", {"scores": adjudge.indices.element_centric_scores(codes, found)}
    yield "intervals", adjudge.evaluate(codes, found, indices=["rand", "ami", "bcubed_f"], confidence=0.95)
    yield "adjusted", adjudge.evaluate(codes, found, indices=["rand", "nmi", "fm"], adjust=True, n_tables=200)
    for null in ("fixed_margins", "num", "all1"):
        drawn = adjudge.inference.null_distributions(
            ["rand", "nmi"],
            codes[:500],
            other[:500],
            null=null,
            n_tables=200,
            method="simulate",
            random_state=1,
            n_jobs=n_jobs,
            progress=False,
        )
        for name, distribution in drawn.items():
            yield f"chance, {null}, {name}", distribution
    compared = {"found": found, "other": np.minimum(other, k - 1)}
    for kind in ("clustering", "classification"):
        yield f"comparison, {kind}", adjudge.compare(codes, compared, kind=kind, confidence=0.95)
    shares = rng.random_sample((n, k)) + (np.arange(k) == codes[:, None]) / 2
    shares /= shares.sum(axis=1, keepdims=True)
    yield "probabilities", adjudge.evaluate(codes, probabilities=shares, indices="all", confidence=0.95)


def numbers_of(result: Any) -> dict[str, Any]:
    """Return the values to print: each index of an evaluation, or the parts of another result."""
    found = dict(result if isinstance(result, dict) else result.to_dict())
    found.pop("settings", None)
    values = found.pop("values", {})
    named = {**found, **(values if isinstance(values, dict) else {"values": values})}
    return {name: part for name, part in named.items() if next(floats_in(part), None) is not None}


def floats_in(value: Any) -> Iterator[float]:
    """Yield the floats of nested mappings and sequences, in order."""
    if isinstance(value, float):
        yield value
    elif isinstance(value, np.ndarray):
        yield from value.ravel().tolist()
    elif isinstance(value, Mapping):
        for name in sorted(value, key=str):
            yield from floats_in(value[name])
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from floats_in(part)


def word(value: Any) -> str:
    """Return one number in hexadecimal digits, or the hash of several."""
    if isinstance(value, float):
        return value.hex()
    digits = " ".join(number.hex() for number in floats_in(value))
    return hashlib.sha256(digits.encode()).hexdigest()[:16]


def main() -> None:
    """Print all lines, or store those that the other files also have."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--n-jobs", type=int, default=1)
    parser.add_argument("--store", nargs="+", type=Path, metavar="OTHER")
    asked = parser.parse_args()
    found = lines(asked.n_jobs)
    if asked.store:
        elsewhere = [dict(line.split("  ") for line in path.read_text().splitlines()) for path in asked.store]
        held = {
            name: digits
            for name, digits in found.items()
            if OF_THE_SYSTEM.keys().isdisjoint(name.split(": "))
            and all(e.get(name) == digits for e in elsewhere)
        }
        STORED.write_text(json.dumps(held, indent=0) + "\n", "utf-8")
    else:
        print("\n".join(f"{name}  {digits}" for name, digits in found.items()))


if __name__ == "__main__":
    main()
