"""Coverage of 95 % intervals for two clusters by two, summed over all tables.

python benchmarks/two_by_two_coverage.py [--instances 30] [--rows build/two_by_two.jsonl] [--indices rand,jaccard]

With 30 instances there are 5,456 tables of four counts. Each has its intervals, and under a law its probability; the
coverage is the sum of the probabilities of the tables whose interval holds the index of the law. There is no chance in
it. Names of the clusters change no index, so that about a quarter of the tables need intervals.

benchmarks/coverage_study.py --page shows the rows if they are among its own.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import multinomial

from adjudge.inference.partitions.intervals import external_intervals
from adjudge.statistics.contingency import Contingency
from coverage_indices import EXTERNAL, truth_of
from coverage_rows import ENUMERATED

__all__ = ["laws", "rows_of", "tables_of"]

#: Shares of one true and one predicted cluster.
_CLUSTERS = (
    (0.5, 0.5),
    (0.5, 0.3),
    (0.4, 0.3),
    (0.3, 0.3),
    (0.5, 0.2),
    (0.2, 0.2),
    (0.5, 0.1),
    (0.3, 0.1),
    (0.1, 0.1),
)
#: How much they depend on each other, as a part of the most that is possible; negative if they avoid each other.
_DEPENDENCE = (-0.4, 0.0, 0.125, 0.3, 0.7)


def laws() -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Yield names and tables of shares."""
    for first, second in _CLUSTERS:
        independent = np.outer([first, 1 - first], [second, 1 - second])
        for part in _DEPENDENCE:
            most = (
                min(independent[0, 1], independent[1, 0])
                if part > 0
                else min(independent[0, 0], independent[1, 1])
            )
            yield f"{first} and {second}, {part}", independent + part * most * np.array([[1, -1], [-1, 1]])


def tables_of(n: int) -> NDArray[np.int64]:
    """Return all tables of n instances, of shape (some, 2, 2)."""
    counts = np.array(
        [
            (a, b, c, n - a - b - c)
            for a in range(n + 1)
            for b in range(n + 1 - a)
            for c in range(n + 1 - a - b)
        ]
    )
    return counts.reshape(-1, 2, 2)


def _but_for_names(tables: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return tables that differ by more than the names of their clusters, and which of them each table is."""
    alike = np.stack([tables, tables[:, ::-1], tables[:, :, ::-1], tables[:, ::-1, ::-1]], axis=1).reshape(
        -1, 4, 4
    )
    order = np.lexsort(alike.transpose(2, 0, 1)[::-1], axis=1)
    first = alike[np.arange(len(alike)), order[:, 0]]
    distinct, which = np.unique(first, axis=0, return_inverse=True)
    return distinct.reshape(-1, 2, 2), which.ravel()


def rows_of(n: int, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield a row for each law and index, like those of the study."""
    tables = tables_of(n)
    distinct, which = _but_for_names(tables)
    found = [external_intervals(names, Contingency.from_matrix(table)) for table in distinct]
    lows, highs, one_sided = (
        np.array([[getattr(own[name], side) for name in names] for own in found])[which]
        for side in ("low", "high", "one_sided")
    )
    for law, shares in laws():
        weights = multinomial.pmf(tables.reshape(-1, 4), n, shares.ravel())
        truth = truth_of(shares, n, names)
        for i, name in enumerate(names):
            slack = 1e-9 * max(1.0, abs(truth[name]))
            given = ~np.isnan(lows[:, i])
            held = given & (lows[:, i] - slack <= truth[name]) & (truth[name] <= highs[:, i] + slack)
            told = float(weights[given].sum())
            two_sided = float(weights[given & ~one_sided[:, i].astype(bool)].sum())
            yield {
                "part": ENUMERATED,
                "law": law,
                "n": n,
                "name": name,
                "refused": 1 - told,
                "coverage": float(weights[held].sum()) / told if two_sided >= 0.5 else None,
            }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--instances", type=int, default=30)
    parser.add_argument("--indices", default=",".join(EXTERNAL))
    parser.add_argument("--rows", type=Path, default=Path("two_by_two.jsonl"))
    options = parser.parse_args()
    with options.rows.open("w") as out:
        for row in rows_of(options.instances, options.indices.split(",")):
            out.write(json.dumps({"seed": None, **row}) + "\n")


if __name__ == "__main__":
    warnings.simplefilter("error")
    main()
