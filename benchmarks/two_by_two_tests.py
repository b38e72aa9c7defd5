"""Size and power of the score test of two clusterings into two clusters each, by tables of counts.

python benchmarks/two_by_two_tests.py [--rows build/two.jsonl] [--replicates 2000] [--seed 2033]

Rand's index of two clusters by two reads four counts: the instances on which both models are right, the first alone,
the second alone, neither. All tables of up to 50 instances are asked; of more instances, tables are drawn. The rows
take the place of those that benchmarks/coverage_study.py draws of the same cells.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
from scipy.special import gammaln

from adjudge.indices.catalog import find_index
from adjudge.inference.common.samples import Sample
from adjudge.inference.common.test_results import TestResult
from adjudge.inference.partitions.equal_goodness import equal_goodness_of

#: Instances up to which all tables are asked.
MOST_ENUMERATED = 50
#: Probability of all tables that are left out because they are rare.
LEFT_OUT = 1e-6
LEVEL = 0.05

Table = tuple[int, ...]


def of_four(law: np.ndarray) -> np.ndarray:
    """Shares of the instances on which both are right, the first alone, the second alone, neither."""
    found = np.zeros((2, 2))
    for g, p, q in np.ndindex(law.shape):
        found[g ^ p, g ^ q] += law[g, p, q]
    return found.ravel()


def alike(table: Table) -> Table:
    """One of the eight tables that differ in the names of clusters and of models."""
    a, b, c, d = table
    named = [(a, b, c, d), (c, d, a, b), (b, a, d, c), (d, c, b, a)]
    return max(named + [(a, c, b, d) for a, b, c, d in named])


def of_four_counts(table: Table) -> TestResult:
    """Score test of a table of instances."""
    g = np.repeat([0, 1], 4)
    p, q = g ^ np.tile([0, 0, 1, 1], 2), g ^ np.tile([0, 1, 0, 1], 2)
    counts = np.r_[np.array(table) // 2, (np.array(table) + 1) // 2]
    some = counts > 0
    sample = Sample(counts[some], Sample.groupings_of(g[some], p[some], q[some]))
    return equal_goodness_of(sample, find_index("rand", "external"))


@cache
def _p_value(table: Table) -> float:
    found = of_four_counts(table).p_value
    return 1.0 if math.isnan(found) else found


def rejects(table: Table) -> bool:
    """Whether the score test tells the models apart at 5 %."""
    return _p_value(alike(table)) < LEVEL


def all_tables(n: int, law: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Tables of four counts and their probabilities, without those that are hardly ever drawn."""
    a, b = (x.ravel() for x in np.indices((n + 1, n + 1)))
    a, b = a[a + b <= n], b[a + b <= n]
    rest = n - a - b
    c = np.concatenate([np.arange(m + 1) for m in rest])
    a, b, rest = (np.repeat(x, rest + 1) for x in (a, b, rest))
    tables = np.stack([a, b, c, rest - c], axis=1)
    logs = gammaln(n + 1) - gammaln(tables + 1).sum(axis=1) + tables @ np.log(np.maximum(law, 1e-300))
    likely = np.exp(logs)
    order = np.argsort(-likely)
    kept = order[: np.searchsorted(np.cumsum(likely[order]), 1 - LEFT_OUT) + 1]
    return tables[kept], likely[kept]


def enumerated(n: int, law: np.ndarray, test: Callable[[Table], bool] = rejects) -> float:
    """Probability that a test rejects."""
    tables, likely = all_tables(n, law)
    return float(likely @ [test(tuple(table)) for table in tables.tolist()])


def drawn(n: int, law: np.ndarray, replicates: int, generator: np.random.Generator) -> float:
    """Share of samples that the score test rejects."""
    return float(np.mean([rejects(tuple(t)) for t in generator.multinomial(n, law, replicates).tolist()]))


def main() -> None:
    from coverage_study import cells_of, disagreements_of

    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rows", type=Path, default=Path("two.jsonl"))
    parser.add_argument("--replicates", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=2033)
    options = parser.parse_args()
    cells = [cell for part in ("size", "power") for cell in cells_of(part) if cell[2].shape[0] == 2]
    found: dict[tuple[int, tuple[float, ...]], float] = {}
    with options.rows.open("w") as out:
        for i, (part, name, law, n) in enumerate(cells):
            four = of_four(law)
            key = n, tuple(four.round(12).tolist())
            # Clusters of equal and of other sizes differ in nothing that the test reads.
            if key not in found:
                found[key] = (
                    enumerated(n, four)
                    if n <= MOST_ENUMERATED
                    else drawn(n, four, options.replicates, np.random.default_rng([options.seed, i]))
                )
            row = {
                "seed": options.seed,
                "part": part,
                "law": name,
                "n": n,
                "name": "score",
                "replicates": options.replicates,
                "exact": n <= MOST_ENUMERATED,
                "rejected": found[key],
                "disagreements": disagreements_of(part, law, n),
            }
            out.write(json.dumps(row) + "\n")
            out.flush()
            print(f"{i + 1} of {len(cells)} cells", end="\r", flush=True)


if __name__ == "__main__":
    main()
