"""Write what benchmarks/coverage_study.py measured as a page, a list of cells and a picture."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import beta

Row = Mapping[str, Any]

#: Parts whose cells are intervals, and what they are called.
TITLES = {
    "external": "External indices",
    "models": "Prayatul measures of two clusterings",
    "classifiers": "Prayatul measures of two classifiers",
    "internal": "Internal indices",
}
#: What is asked of a nominal 95 % interval.
LEAST, MOST, FAILED = 0.92, 0.98, 0.90

HEAD = """# Coverage of the intervals, size of the tests

How often nominal 95 % intervals hold the true value, and how often tests at 5 % reject (`python
benchmarks/coverage_study.py`).

The grid: truths of 2 to 60 clusters, of equal and of geometric sizes; predictions that are right on 40 to 99.9 % of the
instances, all errors being equally likely; half as many or twice as many predicted clusters as true ones; a class that
is never predicted; a third of the instances dealt at random; independent partitions; identical ones; two models of
different quality, with errors in common, with other numbers of clusters than the truth; 30 to 3,000 instances. Points:
two to four clusters in the plane, normal or with heavy tails (Student's t, 3 degrees of freedom), 60 to 400 points.
The constants in the intervals were chosen on laws of the same kind, with other numbers of clusters and accuracies.
Errors that prefer some clusters, points in more dimensions and clusters of other shapes were not tried.

A cell is a law, a number of instances and an index: {least} to {most} samples each. A coverage of 0.95 is measured to
within {error:.3f}. Two shares are given, that of the cells whose coverage lies in the band as measured, and that of the
cells that do not contradict the band: the 95 % interval of their coverage meets it.

- **Refused** intervals are counted by themselves: too few instances for the number of clusters, clusters of fewer than
  five points, matchings that are too uncertain, tails that seem to be heavy, a measure without a value.
  `interval_reasons` says which.
- **One-sided** intervals: if no instance is misplaced the index is at its best value, and nobody can tell how far from
  it the population is. The far end is then a bound with a confidence of 97.5 %. `Interval.one_sided` marks it.
- A coverage is that of all intervals that were given. A cell in which more than half of the samples have no two-sided
  interval is not judged; the tables count it.

`width` is the median ratio, at 300 instances and more, to the interval of one who knows the standard deviation.
"""


COMMON = """What most of the cells outside of the band have in common:

- **Heavy tails, 60 points.** As long as no point far out is drawn, sums of squares and their variance are both too
  small, and the sample does not show it. Nearly half of these samples are refused; the other intervals are too narrow.
- **Two clusters at or near chance.** Agreement is smallest at independence and grows on either side of it. The
  intervals are up to twice as wide there as the standard deviation asks for, and hold in more than 98 % of the samples.
- **Entropies of few instances.** Where many combinations of clusters were drawn once or never, intervals are refused
  or too wide. Where a few rare combinations decide, those of the joint entropy and of mutual information are too
  narrow.
- **Rare errors in small clusters** (60 clusters of geometric sizes, 98 % right): those of precision are too narrow.
"""


def write_page(
    rows: Sequence[Row],
    folder: Path,
    *,
    same_as: Mapping[str, Sequence[str]],
    sizes: Sequence[int],
    grid: Mapping[str, int],
) -> None:
    """Write coverage.md, coverage_cells.csv and coverage.png; `grid` is how many laws and sizes each part has."""
    cells = [of_all_given(row) for row in rows if row["part"] in TITLES]
    judged = [row for row in cells if row["coverage"] is not None]
    lines = [
        HEAD.format(
            least=min(row["replicates"] for row in judged),
            most=max(row["replicates"] for row in judged),
            error=1.96 * math.sqrt(0.95 * 0.05 / float(np.median([row["replicates"] for row in judged]))),
        ),
        looked_at(rows, grid),
        *summary(cells, judged),
        "![Coverage by the number of instances](coverage.png)\n",
        COMMON,
    ]
    for part in TITLES:
        lines += table_of(part, [row for row in cells if row["part"] == part])
        if part == "external":
            alike = "; ".join(f"{', '.join(own)} as {name}" for name, own in same_as.items())
            lines.append(f"Of the same coverage, being functions of another: {alike}.\n")
    lines += tests_tables(rows, sizes)
    outside = [row for row in judged if not 0.93 <= row["coverage"] <= 0.97]
    lines += named(outside)
    (folder / "coverage.md").write_text("\n".join(lines).rstrip() + "\n")
    with (folder / "coverage_cells.csv").open("w", newline="") as out:
        table = csv.writer(out, lineterminator="\n")
        table.writerow(["part", "index", "law", "n", "coverage", "samples", "refused", "one_sided"])
        for r in outside:
            shares = (f"{r[key]:.3f}" for key in ("refused", "one_sided"))
            table.writerow(
                [r["part"], r["name"], r["law"], r["n"], f"{r['coverage']:.4f}", r["replicates"], *shares]
            )
    draw(judged, folder / "coverage.png")


def looked_at(rows: Sequence[Row], grid: Mapping[str, int]) -> str:
    """Say how much of the grid was measured."""
    names = {
        **TITLES,
        "size": "Tests of clusterings, size",
        "power": "the same, power",
        "several": "Other tests",
    }
    done = {part: len({(row["law"], row["n"]) for row in rows if row["part"] == part}) for part in names}
    told = "; ".join(f"{names[part]}: {done[part]} of {grid[part]}" for part in names)
    return f"A random part of the grid was measured. Laws and numbers of instances: {told}.\n"


def of_all_given(row: Row) -> Row:
    """Take the coverage of one-sided and two-sided intervals together."""
    if row["coverage"] is None:
        return row
    samples = row["replicates"] * (1 - row["refused"]) / (1 - row["refused"] - row["one_sided"])
    return {**row, "coverage": row["together"], "replicates": round(samples)}


def bounds_of(row: Row) -> tuple[float, float]:
    """Exact 95 % interval of a measured coverage."""
    n = row["replicates"]
    k = round(row["coverage"] * n)
    low = 0.0 if k == 0 else float(beta.ppf(0.025, k, n - k + 1))
    high = 1.0 if k == n else float(beta.ppf(0.975, k + 1, n - k))
    return low, high


def meets(row: Row) -> bool:
    """Whether the measured coverage does not contradict the band."""
    low, high = bounds_of(row)
    return low <= MOST and high >= LEAST


def shares(rows: Sequence[Row]) -> tuple[float, float, float, float, int]:
    """Shares inside, meeting the band, above and below it; and the number of cells surely below 0.90."""
    covered = np.array([row["coverage"] for row in rows])
    return (
        float(np.mean((covered >= LEAST) & (covered <= MOST))),
        float(np.mean([meets(row) for row in rows])),
        float(np.mean(covered > MOST)),
        float(np.mean(covered < LEAST)),
        sum(bounds_of(row)[1] < FAILED for row in rows),
    )


def summary(cells: Sequence[Row], judged: Sequence[Row]) -> list[str]:
    lines = [
        "| part | cells | judged | mostly refused | mostly one-sided | within 0.92-0.98 | the same, chance allowed for "
        "| above | below | below 0.90 | surely below 0.90 |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for part, title in (*TITLES.items(), ("", "All")):
        own = [row for row in cells if part in ("", row["part"])]
        found = [row for row in judged if part in ("", row["part"])]
        if not found:
            continue
        unjudged = [row for row in own if row["coverage"] is None]
        refused = sum(row["refused"] >= row["one_sided"] for row in unjudged)
        inside, meeting, above, below, surely = shares(found)
        failed = sum(row["coverage"] < FAILED for row in found)
        lines.append(
            f"| {title} | {len(own)} | {len(found)} | {refused} | {len(unjudged) - refused} | {100 * inside:.1f} % "
            f"| {100 * meeting:.1f} % | {100 * above:.1f} % | {100 * below:.1f} % | {failed} | {surely} |"
        )
    told = [row for row in cells if row["together"] is not None and row["part"] != "internal"]
    least = min(told, key=lambda row: row["together"] if row["refused"] < 0.5 else 1.0)
    missed = max(row["missed"] for row in cells if row["refused"] > 0.5)
    lines.append(
        "\nIn cells of labels where fewer than half are refused, those that are mostly one-sided included, the least "
        f"coverage is {least['together']:.3f} ({least['name']}, {least['law']}, N = {least['n']:,}). Where most are "
        f"refused, the intervals that are given miss the value in at most {100 * missed:.1f} % of all samples.\n"
    )
    wide = [row for row in judged if row["width"] is not None and row["n"] >= 300]
    narrow = float(np.mean([row["width"] <= 1.15 for row in wide]))
    lines.append(
        f"At 300 instances and more, {100 * narrow:.1f} % of the widths are within 1.15 of the oracle's.\n"
    )
    return lines


def table_of(part: str, rows: Sequence[Row]) -> list[str]:
    if not rows:
        return []
    lines = [
        f"## {TITLES[part]}\n",
        "| index | cells | judged | refused | one-sided | 0.92-0.98 | chance allowed for | below 0.90 | least "
        "| width |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name in dict.fromkeys(row["name"] for row in rows):
        own = [row for row in rows if row["name"] == name]
        found = [row for row in own if row["coverage"] is not None]
        refused, one_sided = (np.mean([row[key] for row in own]) for key in ("refused", "one_sided"))
        head = f"| {name} | {len(own)} | {len(found)} | {refused:.2f} | {one_sided:.2f} "
        if not found:
            lines.append(head + "| | | | | |")
            continue
        widths = [row["width"] for row in found if row["width"] is not None and row["n"] >= 300]
        inside, meeting, _, _, _ = shares(found)
        failed = sum(row["coverage"] < FAILED for row in found)
        least = min(row["coverage"] for row in found)
        width = f"{np.median(widths):.2f}" if widths else ""
        lines.append(head + f"| {inside:.2f} | {meeting:.2f} | {failed} | {least:.3f} | {width} |")
    return [*lines, ""]


def tests_tables(rows: Sequence[Row], sizes: Sequence[int]) -> list[str]:
    by_test = [row for row in rows if row["part"] in ("size", "power")]
    several = [
        {**row, "part": "size" if row["law"].startswith("equal") else "power"}
        for row in rows
        if row["part"] == "several"
    ]
    return [
        "## Size and power of the tests\n",
        "How often tests at 5 % reject: if the models are equally good, where 0.05 is right; and if one is better.",
        "With few instances on which only one of two models is right, no p-value can be near 0.05, and every test of",
        "them is conservative.\n",
        "### Two clusterings are equally good\n",
        *tests_table(by_test, sizes),
        "### Classifiers; models over as many data sets, at most 100\n",
        *tests_table(several, sizes),
    ]


def tests_table(rows: Sequence[Row], sizes: Sequence[int]) -> list[str]:
    heads = " | ".join(f"{n:,}" for n in sizes)
    lines = [
        f"| test | size at N = {heads} | cells of 0.04-0.06 | chance allowed for | largest | power (mean) |",
        "|---|" + "---|" * (len(sizes) + 4),
    ]
    for name in dict.fromkeys(row["name"] for row in rows):
        size = [row for row in rows if row["part"] == "size" and row["name"] == name]
        power = [row["rejected"] for row in rows if row["part"] == "power" and row["name"] == name]
        means = [
            np.mean(found) if (found := [r["rejected"] for r in size if r["n"] == n]) else None for n in sizes
        ]
        if not size:
            continue
        cells = " | ".join("" if mean is None else f"{mean:.3f}" for mean in means)
        inside = np.mean([0.04 <= r["rejected"] <= 0.06 for r in size])
        meeting = np.mean([within(r) for r in size])
        largest = max(r["rejected"] for r in size)
        said = f"{np.mean(power):.3f}" if power else ""
        lines.append(f"| {name} | {cells} | {inside:.2f} | {meeting:.2f} | {largest:.3f} | {said} |")
    return [*lines, ""]


def within(row: Row) -> bool:
    """Whether the measured size does not contradict 0.04 to 0.06."""
    low, high = bounds_of({"coverage": row["rejected"], "replicates": row["replicates"]})
    return low <= 0.06 and high >= 0.04


def named(outside: Sequence[Row]) -> list[str]:
    low = sorted((row for row in outside if row["coverage"] < LEAST), key=lambda row: row["coverage"])
    lines = [
        "## Cells below 0.92\n",
        "| part | index | law | N | coverage | samples | refused |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {r['part']} | {r['name']} | {r['law']} | {r['n']:,} | {r['coverage']:.3f} | {r['replicates']} "
        f"| {r['refused']:.2f} |"
        for r in low
    ]
    lines.append(
        f"\nAll {len(outside):,} cells outside of 0.93 and 0.97 are in [coverage_cells.csv](coverage_cells.csv)."
    )
    return lines


def draw(rows: Sequence[Row], path: Path) -> None:
    """One line per index: mean coverage over the laws, by the number of instances."""
    import matplotlib.pyplot as plt

    parts = [part for part in TITLES if any(row["part"] == part for row in rows)]
    figure, axes = plt.subplots(1, len(parts), figsize=(3.4 * len(parts), 3.6), sharey=True, squeeze=False)
    for ax, part in zip(axes[0], parts, strict=True):
        own = [row for row in rows if row["part"] == part]
        names = list(dict.fromkeys(row["name"] for row in own))
        sizes = sorted({row["n"] for row in own})
        ax.axhspan(LEAST, MOST, color="#e8edf5", zorder=0)
        ax.axhline(0.95, color="#8a93a3", linewidth=0.8, zorder=1)
        for i, name in enumerate(names):
            means = [
                (n, np.mean(found))
                for n in sizes
                if (found := [row["coverage"] for row in own if row["name"] == name and row["n"] == n])
            ]
            ax.plot(*zip(*means, strict=True), color=plt.cm.viridis(i / len(names)), linewidth=1, marker=".")
        ax.set_xscale("log")
        ax.set_xticks(sizes, [f"{n:,}" for n in sizes], fontsize=8)
        ax.minorticks_off()
        ax.set_ylim(0.8, 1.005)
        ax.set_xlabel("points" if part == "internal" else "instances")
        title = {"external": "external", "models": "two clusterings", "classifiers": "two classifiers"}
        ax.set_title(f"{title.get(part, part)}: {len(names)}", fontsize=10)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    axes[0][0].set_ylabel("coverage, mean over the laws")
    figure.tight_layout()
    figure.savefig(path, dpi=130)
