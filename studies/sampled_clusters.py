"""How often 95 % intervals of indices estimated from sampled clusters hold the value of all records.

Linkages are simulated with many small and a few large entities: over-merged, under-merged, and both. Clusters are drawn
at random, or through one of their records (in proportion to size). A weight is 1 over the chance to be found by any of
m draws, nearly 1 / size if m is small.

    python studies/sampled_clusters.py [--repetitions 400] [--entities 5000]
"""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

import numpy as np

from adjudge import evaluate
from adjudge.inference.partitions.sampled_clusters import ESTIMABLE

Ints = np.ndarray[Any, np.dtype[np.int64]]


def entities(rng: np.random.Generator, n_entities: int) -> Ints:
    """Return the entity of each record: geometric sizes, and one in twenty is ten times as large."""
    sizes = rng.geometric(0.5, n_entities) * np.where(rng.random(n_entities) < 0.05, 10, 1)
    return np.repeat(np.arange(n_entities), sizes)


def linkage(rng: np.random.Generator, truth: Ints, merged: float, split: float) -> Ints:
    """Merge a share of the entities with another one, and move a share of the records to new clusters."""
    n_entities = int(truth.max()) + 1
    into = np.where(
        rng.random(n_entities) < merged, rng.integers(0, n_entities, n_entities), np.arange(n_entities)
    )
    pred = into[truth]
    moved = np.flatnonzero(rng.random(truth.size) < split)
    pred[moved] = n_entities + moved // 2
    return pred


def drawn(rng: np.random.Generator, truth: Ints, m: int, by_size: bool) -> tuple[Ints, Any]:
    """Return sampled entities and their weights; drawn again, an entity counts once."""
    sizes = np.bincount(truth)
    if not by_size:
        return rng.choice(sizes.size, m, replace=False), None
    found = np.unique(truth[rng.integers(0, truth.size, m)])
    return found, 1 / (1 - (1 - sizes[found] / truth.size) ** m)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=400)
    parser.add_argument("--entities", type=int, default=5000)
    options = parser.parse_args()
    print("linkage        drawn    clusters  " + "  ".join(f"{name:>23}" for name in ESTIMABLE))
    for name, merged, split in (("over-merged", 0.2, 0.0), ("under-merged", 0.0, 0.2), ("both", 0.1, 0.1)):
        for by_size in (False, True):
            for m in (30, 100, 300):
                rng = np.random.default_rng([m, by_size, round(100 * merged)])
                truth = entities(rng, options.entities)
                pred = linkage(rng, truth, merged, split)
                values = evaluate(truth, pred, indices=ESTIMABLE)
                held: Counter[str] = Counter()
                given: Counter[str] = Counter()
                for _ in range(options.repetitions):
                    sampled, weights = drawn(rng, truth, m, by_size)
                    found = evaluate(
                        truth, pred, sampled=sampled.tolist(), sampling_weights=weights, confidence=0.95
                    )
                    for index, limits in found.intervals.items():
                        given[index] += 1
                        held[index] += limits[0] <= values[index] <= limits[1]
                cells = (
                    f"{held[index] / given[index]:.3f} of {given[index] / options.repetitions:.0%}"
                    if given[index]
                    else "-"
                    for index in ESTIMABLE
                )
                way = "by size" if by_size else "evenly"
                print(
                    f"{name:<13}  {way:<7}  {m:>8}  " + "  ".join(f"{cell:>23}" for cell in cells), flush=True
                )


if __name__ == "__main__":
    main()
