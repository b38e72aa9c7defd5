"""What `sample_size=` costs and how far off it is: errors, intervals and processor time by sample size.

Writes docs/benchmarks/sampled.md and its picture. `plan` predicts the width of intervals from these measurements: see
src/adjudge/inference/points/sampled_estimates.py.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import adjudge
from harness import DOCS, machine, markdown, show_seconds

N = 20_000
SIZES = (125, 250, 500, 1000, 2000)
REPEATS = 2
# Means over points and pairs of points, and ranks of distances: the indices with an interval for a mean.
INDICES = ("silhouette", "mcclain_rao", "baker_hubert_gamma", "tau", "c_index", "point_biserial")


@dataclass(frozen=True)
class Seen:
    """One estimate."""

    size: int
    index: str
    seconds: float
    error: float
    width: float
    holds: bool


def data() -> Iterator[tuple[str, Any, Any]]:
    """Yield clusters apart, touching, of unequal sizes, in many dimensions, with heavy tails, and no clusters."""
    rng = np.random.default_rng(0)
    even = rng.integers(0, 8, N)
    for name, p, spread in (("apart", 2, 8.0), ("touching", 8, 1.2), ("many dimensions", 32, 1.0)):
        yield name, rng.normal(size=(8, p))[even] * spread + rng.normal(size=(N, p)), even
    uneven = np.minimum(rng.geometric(0.35, N) - 1, 9)
    yield "unlike sizes", rng.normal(size=(10, 4))[uneven] * 3 + rng.normal(size=(N, 4)), uneven
    yield "heavy tails", rng.normal(size=(8, 5))[even] * 4 + rng.standard_t(3, size=(N, 5)), even
    X = rng.normal(size=(N, 3))
    yield "no clusters", X, (X[:, 0] > 0) * 2 + (X[:, 1] > 0)


def measure() -> tuple[list[Seen], dict[str, float]]:
    """Estimate every index of all data from samples of every size; also time the exact run."""
    found, whole = [], {}
    for name, X, labels in data():
        begun = time.process_time()
        exact = adjudge.evaluate(X=X, labels=labels, indices=INDICES, progress=False)
        whole[name] = time.process_time() - begun
        for size in SIZES:
            for seed in range(REPEATS):
                begun = time.process_time()
                result = adjudge.evaluate(
                    X=X, labels=labels, indices=INDICES, sample_size=size, random_state=seed, progress=False
                )
                seconds = time.process_time() - begun
                for index in INDICES:
                    score, value = result.score(index), exact[index]
                    assert score.low is not None
                    assert score.high is not None
                    found.append(
                        Seen(
                            size,
                            index,
                            seconds,
                            abs(score.value - value),
                            score.high - score.low,
                            score.low <= value <= score.high,
                        )
                    )
        print(name, whole[name], flush=True)
    return found, whole


def by_size(found: list[Seen], index: str) -> dict[int, list[Seen]]:
    grouped = defaultdict(list)
    for seen in found:
        if seen.index == index:
            grouped[seen.size].append(seen)
    return grouped


def widths(found: list[Seen]) -> dict[str, float]:
    """Return the median, over all data, of the interval's width times the square root of the sample size."""
    return {
        index: float(np.median([seen.width * seen.size**0.5 for seen in found if seen.index == index]))
        for index in INDICES
    }


def draw(found: list[Seen], whole: dict[str, float], path: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, len(INDICES), figsize=(16, 3.6), sharey=True, layout="constrained")
    for axis, index in zip(axes, INDICES, strict=True):
        sizes = by_size(found, index)
        seconds = [np.median([s.seconds for s in sizes[size]]) for size in SIZES]
        errors = [np.array([s.error for s in sizes[size]]) for size in SIZES]
        axis.loglog(seconds, [np.median(e) for e in errors], "o-", ms=4, label="error, median")
        axis.loglog(seconds, [e.max() for e in errors], ":", color="C0", label="error, largest")
        half = [np.median([s.width for s in sizes[size]]) / 2 for size in SIZES]
        axis.loglog(seconds, half, "s--", ms=4, color="C1", label="half the interval, median")
        axis.axvline(float(np.median(list(whole.values()))), color="black", lw=1)
        axis.set_title(index, fontsize=10)
        axis.set_xlabel("processor time, seconds")
        axis.set_xticks([0.03, 0.1, 0.3, 1.0], ["0.03", "0.1", "0.3", "1"])
        axis.minorticks_off()
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("off by")
    axes[-1].legend(fontsize=7)
    figure.savefig(path, dpi=80)


def page(found: list[Seen], whole: dict[str, float]) -> str:
    rows = []
    for size in SIZES:
        own = [seen for seen in found if seen.size == size]
        cells = [f"{size:,}", show_seconds(float(np.median([seen.seconds for seen in own])))]
        for index in INDICES:
            some = [seen for seen in own if seen.index == index]
            error, half = (float(np.median([getattr(s, name) for s in some])) for name in ("error", "width"))
            cells.append(f"{error:.1g} (± {half / 2:.1g})")
        rows.append([*cells, f"{sum(seen.holds for seen in own)} of {len(own)}"])
    return "\n".join(
        [
            "# Samples instead of all points",
            "",
            f"Measured on: {machine()}.",
            "",
            f"`evaluate(..., sample_size=)` of {N:,} points: six sets (clusters apart, touching, of unlike sizes, in "
            f"32 dimensions, with heavy tails, and none at all), {REPEATS} seeds each. Error in the middle, half the "
            "width of the 95 % interval in brackets, and how many intervals hold the value. The exact run takes "
            f"{show_seconds(float(np.median(list(whole.values()))))} of processor time, the line in the picture; it "
            "grows with the square of the number of points, and the time of samples hardly grows. Coverage falls "
            "below 95 % for samples under 500 points.",
            "",
            "![Errors against processor time](sampled.png)",
            "",
            markdown(["points a sample", "time", *INDICES, "intervals that hold"], rows),
            "",
            "Intervals narrow with the root of the size of a sample. `plan` says how wide they are to be expected, "
            "from the middle of these data: width times root of the size is "
            + ", ".join(f"{value:.2g} for {index}" for index, value in widths(found).items())
            + ". `python benchmarks/sampled.py --write` repeats all this.",
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks/sampled.md")
    given = parser.parse_args()
    found, whole = measure()
    text = page(found, whole)
    print(text)
    print(widths(found))
    if given.write:
        (DOCS / "sampled.md").write_text(text)
        draw(found, whole, DOCS / "sampled.png")


if __name__ == "__main__":
    main()
