"""How time and memory grow with points, variables, clusters and ties, over four decades each, and where they jump.

A cliff is where time grows from one size to the next by much more than the expected power of the sizes. Time is
processor time over all threads, so that other programs matter little. Writes docs/benchmarks/growth.md and growth.png.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import adjudge
from harness import DOCS, machine

# The factor by which the time of a point may exceed what the previous point predicts.
CLIFF = 2.5
# The factor by which the time of a point may fall below that of the previous point.
FALL = 1.5
# Shorter times are unreliable.
LEAST = 0.02
# A series ends once a point takes this many seconds.
LONGEST = 6.0
POINTS = 9


@dataclass(frozen=True)
class Series:
    """One line of the picture.

    Attributes
    ----------
    name : str
    axis : {"n", "p", "K", "different points"}
    first, last : int
    power : float
        The largest power with which the time should grow.
    make : callable
        Makes the callable to time, from a size.
    """

    name: str
    axis: str
    first: int
    last: int
    power: float
    make: Callable[[int], Callable[[], Any]]

    @property
    def sizes(self) -> list[int]:
        """The sizes, at equal ratios."""
        return sorted({round(x) for x in np.geomspace(self.first, self.last, POINTS)})


@dataclass(frozen=True)
class Point:
    """One measurement."""

    size: int
    seconds: float
    memory: int


def points(n: int, p: int = 2, k: int = 5, different: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    if different is not None:
        X = X[rng.integers(0, different, n)]
    return X, rng.permutation(np.arange(n) % k)


def internal(indices: Any, **shape: int) -> Callable[[], Any]:
    X, labels = points(**shape)
    return lambda: adjudge.evaluate(X=X, labels=labels, indices=indices, progress=False)


def with_single_points(indices: Any, n: int, share: int) -> Callable[[], Any]:
    """Put one of every `share` points in one of five clusters, and all others in clusters of one."""
    X, labels = points(n)
    labels = np.where(np.arange(n) % share == 0, labels, np.arange(n) + 5)
    return lambda: adjudge.evaluate(X=X, labels=labels, indices=indices, progress=False)


def on_a_circle(indices: Any, n: int) -> Callable[[], Any]:
    """Draw two clusters, each around the whole circle: all points are equally far from the centre."""
    angle = np.random.default_rng(0).uniform(0, 2 * np.pi, n)
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    return lambda: adjudge.evaluate(X=X, labels=np.arange(n) % 2, indices=indices, progress=False)


def external(indices: Any, n: int, k: int, **options: Any) -> Callable[[], Any]:
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, k, n), rng.integers(0, k, n)
    return lambda: adjudge.evaluate(a, b, indices=indices, **options)


def partitions(n: int) -> Callable[[], Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    labels = {k: rng.permutation(np.arange(n) % k) for k in range(2, 11)}
    return lambda: adjudge.choose_k(X, labels, indices=["silhouette", "c_index", "tau"], progress=False)


SERIES = [
    Series("adjusted Rand index", "n", 10**3, 10**7, 1, lambda n: external(["ari"], n, 10)),
    Series("all external indices", "n", 10**2, 10**6, 1, lambda n: external("all", n, 10)),
    Series("silhouette", "n", 10, 10**5, 2, lambda n: internal(["silhouette"], n=n)),
    Series(
        "silhouette, half of the points single",
        "n",
        10,
        10**5,
        2,
        lambda n: with_single_points(["silhouette"], n, 2),
    ),
    Series(
        "Davies-Bouldin, nine of ten points single",
        "n",
        20,
        2 * 10**5,
        1,
        lambda n: with_single_points(["davies_bouldin"], n, 10),
    ),
    Series(
        "pivoted accuracy, three instances a cluster",
        "n",
        30,
        3 * 10**5,
        1,
        lambda n: external(["pivoted_accuracy"], n, n // 3),
    ),
    Series(
        "silhouette of centroids, Wemmert-Gançarski and Davies-Bouldin, three points a cluster",
        "n",
        30,
        3 * 10**4,
        2,
        lambda n: internal(["simplified_silhouette", "wemmert_gancarski", "davies_bouldin"], n=n, k=n // 3),
    ),
    Series("Dunn, on a circle", "n", 10, 10**6, 1, lambda n: on_a_circle(["dunn"], n)),
    Series(
        "Dunn and Xie-Beni in five variables, two points a cluster",
        "n",
        30,
        5 * 10**4,
        2,
        lambda n: internal(["dunn", "xie_beni"], n=n, k=n // 2, p=5),
    ),
    Series("DBCV", "n", 10, 3 * 10**4, 2, lambda n: internal(["dbcv"], n=n)),
    Series(
        "DBCV, four points a cluster",
        "n",
        40,
        3 * 10**4,
        2,
        lambda n: internal(["dbcv"], n=n, k=n // 4),
    ),
    Series("C index and tau", "n", 10, 10**5, 2, lambda n: internal(["c_index", "tau"], n=n)),
    Series("all internal indices", "n", 20, 2 * 10**4, 2, lambda n: internal("all", n=n)),
    Series(
        "all internal indices, half of the points single",
        "n",
        20,
        2 * 10**4,
        2,
        lambda n: with_single_points("all", n, 2),
    ),
    Series("choose_k, 9 crossing partitions", "n", 50, 2 * 10**4, 2, partitions),
    Series("silhouette, 1,000 points", "p", 1, 10**4, 1, lambda p: internal(["silhouette"], n=1000, p=p)),
    Series(
        "Calinski-Harabasz, 1,000 points",
        "p",
        1,
        10**4,
        1,
        lambda p: internal(["calinski_harabasz"], n=1000, p=p),
    ),
    Series("silhouette, 10,000 points", "K", 2, 10**4, 0.5, lambda k: internal(["silhouette"], n=10**4, k=k)),
    Series("all internal indices, 3,000 points", "K", 2, 3000, 0.5, lambda k: internal("all", n=3000, k=k)),
    Series("all external indices, 10⁵ instances", "K", 2, 10**4, 1, lambda k: external("all", 10**5, k)),
    Series(
        "ARI, confidence=0.95, 10⁵ instances",
        "K",
        2,
        10**4,
        1,
        lambda k: external(["ari"], 10**5, k, confidence=0.95),
    ),
    Series(
        "Rand, adjust=True, 10⁵ instances",
        "K",
        2,
        10**4,
        1,
        lambda k: external(["rand"], 10**5, k, adjust=True),
    ),
    Series(
        "all internal indices, 5,000 points",
        "different points",
        1,
        5000,
        0,
        lambda d: internal("all", n=5000, different=d),
    ),
]


def memory(field: str) -> int:
    """Return this process's memory in bytes: "VmHWM" (peak since the last reset) or "VmRSS" (now)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(field))


def measure(series: Series) -> list[Point]:
    """Time each size by the best of a few runs, until one takes too long."""
    series.make(series.sizes[len(series.sizes) // 2])()
    found = []
    for size in series.sizes:
        work = series.make(size)
        seconds = []
        before = 0
        # The first run of a size may load what no other size needs.
        while len(seconds) < 2 or (sum(seconds) < 0.3 and len(seconds) < 5):
            Path("/proc/self/clear_refs").write_text("5")
            before = memory("VmRSS")
            begun = time.process_time()
            work()
            seconds.append(time.process_time() - begun)
        found.append(Point(size, min(seconds), max(0, memory("VmHWM") - before)))
        print(
            f"{series.name:40} {series.axis} = {size:>9,} {min(seconds):8.3f} s", file=sys.stderr, flush=True
        )
        if min(seconds) > LONGEST:
            break
    return found


def cliffs(series: Series, found: list[Point]) -> list[tuple[Point, Point, float]]:
    """Return the neighbouring points between which time jumps unexpectedly, and by which factor."""
    leaps = []
    for before, after in pairwise(found):
        expected = max(before.seconds, LEAST) * max(1.0, after.size / before.size) ** series.power
        if series.power == 0:
            # No size should be slower than its neighbours on either side.
            expected = max(before.seconds, LEAST)
        if after.seconds > CLIFF * expected:
            leaps.append((before, after, after.seconds / expected))
        elif series.power > 0 and before.seconds > LEAST and FALL * after.seconds < before.seconds:
            # A larger size takes less time: the method for smaller sizes is slow.
            leaps.append((before, after, after.seconds / before.seconds))
    return leaps


def slope(found: list[Point]) -> str:
    """Return the fitted power over the last points that take long enough."""
    used = [p for p in found if p.seconds >= LEAST][-4:]
    if len(used) < 2:
        return "–"
    x, y = np.log([p.size for p in used]), np.log([p.seconds for p in used])
    return f"{np.polyfit(x, y, 1)[0]:.1f}"


def draw(results: list[tuple[Series, list[Point]]], path: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    axes_of = ["n", "p", "K", "different points"]
    figure, axes = plt.subplots(
        3,
        4,
        figsize=(16, 10.5),
        height_ratios=(1, 1, 0.5),
        layout="constrained",
        width_ratios=(2, 1, 1.4, 1.2),
    )
    for column, axis in enumerate(axes_of):
        drawn = [(series, found) for series, found in results if series.axis == axis]
        for i, (series, found) in enumerate(drawn):
            sizes = [p.size for p in found]
            # Matplotlib's colour cycle repeats after ten lines.
            style = {"marker": "o", "ms": 3, "color": f"C{i % 10}", "ls": "-" if i < 10 else "--"}
            axes[0, column].loglog(sizes, [p.seconds for p in found], label=series.name, **style)
            axes[1, column].loglog(sizes, [max(p.memory, 2**16) / 2**20 for p in found], **style)
            for _, after, _ in cliffs(series, found):
                axes[0, column].plot(after.size, after.seconds, "o", ms=11, mfc="none", mec="black")
        axes[1, column].set_xlabel(axis)
        for row in axes[:2]:
            row[column].grid(alpha=0.3)
            low, high = row[column].get_ylim()
            row[column].set_ylim(min(low, high / 1000), 2 * high)
        axes[2, column].axis("off")
        axes[2, column].legend(
            *axes[0, column].get_legend_handles_labels(), fontsize=8, loc="upper left", borderaxespad=0
        )
    axes[0, 0].set_ylabel("processor time, seconds")
    axes[1, 0].set_ylabel("peak memory beyond the input, MiB")
    figure.savefig(path, dpi=80)


def show(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1 else f"{1e3 * seconds:.3g} ms"


def page(results: list[tuple[Series, list[Point]]]) -> str:
    lines = [
        "# Growth",
        "",
        "How processor time and memory grow with points, variables, clusters and ties. `python benchmarks/growth.py` "
        f"draws it and looks for cliffs: a time more than {CLIFF} times what the expected power gives from the size "
        f"before (and at least {LEAST * CLIFF:.2g} s), or a time that falls by more than {FALL} times. "
        f"Cliffs have a black ring. {machine()}.",
        "",
        "```{image} growth.png",
        ":alt: Time and peak memory against the number of points, variables, clusters, and different points.",
        "```",
        "",
        "| what | grows | from | to | time | peak memory | power expected | power measured | cliffs |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for series, found in results:
        leaps = "; ".join(
            f"{before.size:,} to {after.size:,}: {factor:.2g} ×"
            for before, after, factor in cliffs(series, found)
        )
        first, last = found[0], found[-1]
        lines.append(
            f"| {series.name} | {series.axis} | {first.size:,} | {last.size:,} | {show(first.seconds)} to "
            f"{show(last.seconds)} | {max(p.memory for p in found) / 2**20:,.0f} MiB | {series.power:g} | "
            f"{slope(found)} | {leaps or 'none'} |"
        )
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="series whose names contain this")
    parser.add_argument("--keep", type=Path, help="a file of results, to go on with")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    kept: dict[str, Any] = {}
    if given.keep is not None and given.keep.exists():
        kept = json.loads(given.keep.read_text())
    results = []
    for series in SERIES:
        if given.only and given.only not in series.name:
            continue
        key = f"{series.axis}: {series.name}"
        if key not in kept:
            kept[key] = [asdict(point) for point in measure(series)]
            if given.keep is not None:
                given.keep.write_text(json.dumps(kept))
        results.append((series, [Point(**point) for point in kept[key]]))
    text = page(results)
    print(text)
    if not given.only:
        draw(results, DOCS / "growth.png")
        (DOCS / "growth.md").write_text(text)


if __name__ == "__main__":
    main()
