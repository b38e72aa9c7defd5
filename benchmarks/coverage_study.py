"""Measure how often 95 % intervals hold the true value, and how often tests at 5 % reject.

python benchmarks/coverage_study.py [--replicates 300] [--parts external,models,classifiers,tests]
                                    [--rows build/coverage.jsonl] [--minutes 15]
python benchmarks/coverage_study.py --page docs/benchmarks [--rows build/coverage.jsonl]

Cells of the grid are taken in random order and written down one by one: a run that is stopped after some minutes
has looked at a random part of the grid. For each cell samples are drawn from a known law, and each interval is asked
whether it holds the index of that law. A refused interval counts as refused; a cell where more than eight of ten
samples are refused is not judged.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import time
import warnings
from pathlib import Path

import numpy as np
from scipy.stats import t as student

from adjudge.indices.catalog import find_index, list_indices
from adjudge.inference.intervals import (
    classification_intervals,
    clustering_intervals_of,
    external_intervals,
)
from adjudge.inference.samples import Sample
from adjudge.inference.significance import equal_goodness_of
from adjudge.statistics.agreement import Agreement, JoinedPairs
from adjudge.statistics.contingency import Contingency

MEASURES = [record.name for record in list_indices("comparative")]
# Functions of one of those which are left in, and of the same coverage.
SAME_AS = {
    "rand": ("rogers_tanimoto", "gower_legendre", "hamann", "mirkin"),
    "jaccard": ("f_measure", "f_alpha", "sokal_sneath1"),
    "kulczynski": ("mcconnaughey",),
    "pivoted_accuracy": ("classification_error", "normalized_accuracy"),
    "nmi": ("v_measure", "ami"),
    "nmi_joint": ("normalized_variation_of_information", "ami_joint"),
    "nmi_max": ("normalized_information_distance", "ami_max"),
    "nmi_min": ("ami_min",),
    "nmi_geometric": ("ami_geometric",),
}
LEFT_OUT = {name for names in SAME_AS.values() for name in names}
# Indices that are read most: all replicates; of the others a third.
HEADLINE = {
    "rand",
    "adjusted_rand",
    "jaccard",
    "fowlkes_mallows",
    "mutual_information",
    "nmi",
    "variation_of_information",
    "bcubed_f",
    "element_centric",
}
# No value of the population: it grows with the number of instances.
NO_POPULATION = {"pair_mcnemar", "phi_crit"}
POPULATION = 10**9


def sizes_of(k, kind):
    shares = np.ones(k) if kind == "equal" else 0.75 ** np.arange(k)
    return shares / shares.sum()


def spread(k, accuracy):
    law = np.full((k, k), (1 - accuracy) / (k - 1))
    np.fill_diagonal(law, accuracy)
    return law


def merged(law):
    """Each two neighbouring predicted clusters as one."""
    k = law.shape[-1]
    into = np.arange(k) // 2
    found = np.zeros((*law.shape[:-1], into.max() + 1))
    np.add.at(found, (..., into), law)
    return found


def split(law):
    """Each predicted cluster as two halves."""
    return np.repeat(law / 2, 2, axis=-1)


def one_never(law):
    """Send the instances of the last predicted cluster to the first: one class is never predicted."""
    found = law.copy()
    found[..., 0] += found[..., -1]
    return found[..., :-1]


SHAPES = {"as many": lambda law: law, "half as many": merged, "twice as many": split, "one never": one_never}
SIZES = (30, 100, 300, 1000, 3000)


def external_laws():
    for k, kind, accuracy in itertools.product(
        (2, 5, 12, 60), ("equal", "geometric"), (0.5, 0.8, 0.95, 0.995)
    ):
        yield f"K={k} {kind} {accuracy}", sizes_of(k, kind)[:, None] * spread(k, accuracy)
    for k, shape in itertools.product((4, 12), list(SHAPES)[1:]):
        law = sizes_of(k, "geometric")[:, None] * spread(k, 0.85)
        yield f"K={k} geometric 0.85 {shape}", SHAPES[shape](law)
    for k in (2, 12):
        yield f"K={k} identical", np.diag(sizes_of(k, "geometric"))


def model_laws():
    """Truth, P and Q."""

    def law(k, kind, primary, alternative, copied=0.0):
        shares = sizes_of(k, kind)
        p, q = spread(k, primary), spread(k, alternative)
        joint = (1 - copied) * np.einsum("g,gp,gq->gpq", shares, p, q)
        return joint + copied * np.einsum("g,gp,pq->gpq", shares, p, np.eye(k))

    pairs = ((0.5, 0.45), (0.8, 0.7), (0.95, 0.9), (0.995, 0.98))
    for k, kind, (p, q) in itertools.product((2, 4, 12), ("equal", "geometric"), pairs):
        yield f"K={k} {kind} {p} and {q}", law(k, kind, p, q)
    yield "K=4 equal 0.9 and 0.9, 0.8 copied", law(4, "equal", 0.9, 0.9, 0.8)
    three = law(3, "geometric", 0.8, 0.75)
    yield "truth 3, P 6, Q 2", merged(split(np.swapaxes(three, 1, 2)).swapaxes(1, 2))
    yield "K=4 equal 0.85, Q never one", one_never(law(4, "equal", 0.85, 0.85))
    yield "K=4 equal identical models", law(4, "equal", 0.8, 0.8, 1.0)


def same_goodness_laws():
    """Truth, P and Q that are equally good."""
    for k, kind, accuracy in itertools.product(
        (2, 3, 5, 12), ("equal", "geometric"), (0.45, 0.6, 0.8, 0.95, 0.99)
    ):
        shares, p = sizes_of(k, kind), spread(k, accuracy)
        yield f"K={k} {kind} {accuracy}", np.einsum("g,gp,gq->gpq", shares, p, p)


def better_laws():
    """P is better than Q by about a tenth."""
    for k, kind, (p, q) in itertools.product(
        (2, 5), ("equal", "geometric"), ((0.7, 0.6), (0.85, 0.75), (0.97, 0.9))
    ):
        yield (
            f"K={k} {kind} {p} and {q}",
            np.einsum("g,gp,gq->gpq", sizes_of(k, kind), spread(k, p), spread(k, q)),
        )


class Cell:
    """What the intervals of one law and one number of instances did."""

    def __init__(self, names):
        self.held, self.width, self.values, self.refused = ({name: [] for name in names} for _ in range(4))

    def add(self, intervals, truth, values):
        """Ask the intervals of one sample whether they hold the truth."""
        for name, interval in intervals.items():
            self.values[name].append(values[name] if interval.estimate is None else interval.estimate)
            self.refused[name].append(math.isnan(interval.low))
            if not math.isnan(interval.low):
                # Rounding must not decide where an end is the truth.
                slack = 1e-9 * max(1.0, abs(truth[name]))
                self.held[name].append(interval.low - slack <= truth[name] <= interval.high + slack)
                self.width[name].append(interval.high - interval.low)

    def rows(self, part, law, n):
        """Yield what was found, index by index."""
        for name, held in self.held.items():
            refused = float(np.mean(self.refused[name])) if self.refused[name] else 1.0
            if math.isnan(np.sum(self.values[name])) or not self.refused[name]:
                continue
            oracle = 2 * 1.959964 * float(np.std(self.values[name]))
            judged = refused <= 0.8
            yield {
                "part": part,
                "law": law,
                "n": n,
                "name": name,
                "replicates": len(held),
                "refused": refused,
                "coverage": float(np.mean(held)) if judged else None,
                "width": float(np.mean(self.width[name])) / oracle if judged and oracle > 1e-12 else None,
            }


def external(law, replicates, generator, n):
    names = [
        record.name
        for record in list_indices("external")
        if record.name not in LEFT_OUT and record.name not in NO_POPULATION
    ]
    population = Contingency.from_matrix(np.round(law * POPULATION).astype(np.int64))
    truth = {name: find_index(name, "external")(population) for name in names}
    # van Dongen counts instances.
    truth["van_dongen"] *= n / POPULATION
    cell = Cell(names)
    for i, counts in enumerate(generator.multinomial(n, law.ravel(), replicates)):
        table = Contingency.from_matrix(counts.reshape(law.shape))
        wanted = names if i < replicates // 3 else [name for name in names if name in HEADLINE]
        found = external_intervals(wanted, table)
        cell.add(found, truth, {name: find_index(name, "external")(table) for name in wanted})
    return cell


def sample_of(counts):
    g, p, q = np.nonzero(counts)
    return Sample(counts[g, p, q], Sample.groupings_of(g, p, q))


def agreement_of(sample):
    return JoinedPairs(sample.n, *sample.pair_sums).agreement


def measures_of(agreement):
    return {m: find_index(m, "comparative").of(agreement) for m in MEASURES}


def models(law, replicates, generator, n):
    truth = measures_of(agreement_of(sample_of(np.round(law * POPULATION).astype(np.int64))))
    cell = Cell(MEASURES)
    for counts in generator.multinomial(n, law.ravel(), replicates):
        sample = sample_of(counts.reshape(law.shape))
        values = measures_of(agreement_of(sample))
        if not any(math.isnan(v) for v in values.values()):
            cell.add(clustering_intervals_of(sample), truth, values)
    return cell


def classifiers(law, replicates, generator, n):
    truth = measures_of(Agreement(*(round(p * POPULATION) for p in law)))
    cell = Cell(MEASURES)
    for counts in generator.multinomial(n, law, replicates).tolist():
        agreement = Agreement(*counts)
        values = measures_of(agreement)
        if not any(math.isnan(v) for v in values.values()):
            cell.add(classification_intervals(agreement), truth, values)
    return cell


def tests(law, replicates, generator, n):
    """How often each test at 5 % rejects: for P and Q that are equally good, its size; else its power."""
    names = {"score": "rand", "jackknife of the Jaccard index": "jaccard", "Wald, for comparison": "rand"}
    found = {name: [] for name in names}
    for counts in generator.multinomial(n, law.ravel(), replicates):
        sample = sample_of(counts.reshape(law.shape))
        found["score"].append(equal_goodness_of(sample, find_index("rand", "external")).p_value)
        found["jackknife of the Jaccard index"].append(
            equal_goodness_of(sample, find_index("jaccard", "external")).p_value
        )
        found["Wald, for comparison"].append(wald(sample))
    return {name: np.nan_to_num(np.array(values), nan=1.0) for name, values in found.items()}


def wald(sample):
    """Student's t of the difference of the Rand indices, with the jackknife's standard error."""
    pairs = sample.n * (sample.n - 1) / 2
    difference = [
        (a.right_wrong - a.wrong_right) / m
        for a, m in (
            (agreement_of(sample), pairs),
            *(
                (JoinedPairs(sample.n - 1, *sums).agreement, pairs - sample.n + 1)
                for sums in sample.without_one()
            ),
        )
    ]
    error = sample.jackknife_error(np.array(difference[1:]))
    return 1.0 if error == 0 else float(2 * student.sf(abs(difference[0]) / error, sample.n - 1))


CLASSIFIERS = {
    "typical": (0.70, 0.12, 0.08, 0.10),
    "good": (0.93, 0.035, 0.02, 0.015),
    "poor": (0.3, 0.25, 0.2, 0.25),
    "rare disagreement": (0.965, 0.01, 0.005, 0.02),
    "very rare": (0.99, 0.004, 0.002, 0.004),
}
PARTS = {
    "external": (external, lambda: external_laws()),
    "models": (models, lambda: model_laws()),
    "classifiers": (classifiers, lambda: CLASSIFIERS.items()),
    "size": (tests, lambda: same_goodness_laws()),
    "power": (tests, lambda: better_laws()),
}


def rows_of(part, name, n, result, replicates):
    if part not in ("size", "power"):
        yield from result.rows(part, name, n)
        return
    for test, p_values in result.items():
        yield {
            "part": part,
            "law": name,
            "n": n,
            "name": test,
            "replicates": replicates,
            "rejected": float((p_values < 0.05).mean()),
        }


def run(options):
    cells = [
        (part, name, law, n)
        for part in options.parts.split(",")
        for name, law in PARTS[part][1]()
        for n in SIZES
    ]
    np.random.default_rng(options.seed).shuffle(order := np.arange(len(cells)))
    start = time.perf_counter()
    with options.rows.open("a") as out:
        for done, i in enumerate(order):
            if time.perf_counter() - start > 60 * options.minutes:
                break
            part, name, law, n = cells[i]
            result = PARTS[part][0](law, options.replicates, np.random.default_rng([options.seed, int(i)]), n)
            for row in rows_of(part, name, n, result, options.replicates):
                out.write(json.dumps(row) + "\n")
            out.flush()
            print(f"{done + 1} of {len(cells)} cells", end="\r", flush=True)


def page(options):
    """Write the tables, the list of cells and the picture."""
    rows = [json.loads(line) for line in options.rows.read_text().splitlines()]
    judged = [row for row in rows if row.get("coverage") is not None]
    lines = [PAGE_HEAD.format(cells=len(judged), replicates=max(row["replicates"] for row in rows))]
    inside = [0.92 <= row["coverage"] <= 0.98 for row in judged]
    low = [row for row in judged if row["coverage"] < 0.9]
    lines.append(
        f"Of {len(judged)} cells, {100 * np.mean(inside):.1f} % lie within 0.92 and 0.98, "
        f"{100 * np.mean([r['coverage'] > 0.98 for r in judged]):.1f} % above, "
        f"{100 * np.mean([r['coverage'] < 0.92 for r in judged]):.1f} % below; {len(low)} lie below 0.90.\n"
    )
    lines += ["![Coverage by the number of instances](coverage.png)\n"]
    for part in ("external", "models", "classifiers"):
        lines += table_of(part, [row for row in rows if row["part"] == part])
    lines += tests_table(rows)
    outside = [row for row in judged if not 0.93 <= row["coverage"] <= 0.97]
    below = sorted((r for r in outside if r["coverage"] < 0.92), key=lambda r: r["coverage"])
    lines += [
        "## Cells below 0.92\n",
        "| part | index | law | N | coverage | samples |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {r['part']} | {r['name']} | {r['law']} | {r['n']} | {r['coverage']:.3f} | {r['replicates']} |"
        for r in below
    ]
    lines.append(
        f"\nAll {len(outside)} cells outside of 0.93 and 0.97 are in [coverage_cells.csv](coverage_cells.csv).\n"
    )
    (options.page / "coverage.md").write_text("\n".join(lines))
    with (options.page / "coverage_cells.csv").open("w") as out:
        out.write("part,index,law,n,coverage,samples,refused\n")
        for r in outside:
            out.write(
                f'{r["part"]},{r["name"]},"{r["law"]}",{r["n"]},{r["coverage"]:.4f},{r["replicates"]},'
                f"{r['refused']:.3f}\n"
            )
    draw(judged, options.page / "coverage.png")


PAGE_HEAD = """# Coverage of the intervals

How often nominal 95 % intervals hold the true value, and how often tests at 5 % reject (`python
benchmarks/coverage_study.py`). The grid: 2 to 60 clusters of equal and of geometric sizes, 30 to 3,000 instances,
accuracies from 0.5 to 0.995, fewer and more predicted than true clusters, a class that is never predicted, identical
partitions. The constants in the intervals were chosen on other laws (other sizes of clusters and accuracies). {cells}
cells, up to {replicates} samples each (indices that are read less have a third of them): a coverage of 0.95 is measured
to within 0.03 with 240 samples, and within 0.05 with 80, so that some cells lie outside of 0.92 and 0.98 by chance.

A refused interval counts neither for nor against; `refused` is their share. Where nearly no instance is misplaced the
number of misplaced ones is 0, 1 or 2, and no interval can hold the value in 95 % of samples: it does in more.
`width` is the median ratio, at 300 instances and more, to the interval of one who knows the standard deviation.
"""


def table_of(part, rows):
    titles = {
        "external": "External indices",
        "models": "Prayatul measures of two clusterings",
        "classifiers": "Prayatul measures of two classifiers",
    }
    lines = [
        f"## {titles[part]}\n",
        "| index | cells | refused | 0.92-0.98 | below 0.92 | below 0.90 | above 0.98 | least | width |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name in dict.fromkeys(row["name"] for row in rows):
        own = [row for row in rows if row["name"] == name]
        covered = np.array([row["coverage"] for row in own if row["coverage"] is not None])
        widths = [row["width"] for row in own if row["width"] is not None and row["n"] >= 300]
        refused = np.mean([row["refused"] for row in own])
        if covered.size:
            width = f"{np.median(widths):.2f}" if widths else ""
            lines.append(
                f"| {name} | {covered.size} | {refused:.2f} | {np.mean((covered >= 0.92) & (covered <= 0.98)):.2f} "
                f"| {np.mean(covered < 0.92):.2f} | {np.mean(covered < 0.9):.2f} | {np.mean(covered > 0.98):.2f} "
                f"| {covered.min():.3f} | {width} |"
            )
    alike = "; ".join(f"{', '.join(own)} as {name}" for name, own in SAME_AS.items())
    if part == "external":
        lines.append(f"\nOf the same coverage, being functions of another: {alike}.")
    return [*lines, ""]


def tests_table(rows):
    lines = [
        "## Tests that two clusterings are equally good\n",
        "Size: share of rejections at 5 % where they are. Few misplaced instances make every test conservative.\n",
        "| test | size at N = 30 | 100 | 300 | 1000 | 3000 | largest | power (mean) |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name in dict.fromkeys(row["name"] for row in rows if row["part"] == "size"):
        size = [row for row in rows if row["part"] == "size" and row["name"] == name]
        power = [row["rejected"] for row in rows if row["part"] == "power" and row["name"] == name]
        by_n = [[row["rejected"] for row in size if row["n"] == n] for n in SIZES]
        means = " | ".join(f"{np.mean(values):.3f}" if values else "" for values in by_n)
        largest = max(row["rejected"] for row in size)
        lines.append(f"| {name} | {means} | {largest:.3f} | {np.mean(power) if power else math.nan:.3f} |")
    return [*lines, ""]


def draw(rows, path):
    import matplotlib.pyplot as plt

    parts = [part for part in ("external", "models", "classifiers") if any(r["part"] == part for r in rows)]
    figure, axes = plt.subplots(1, len(parts), figsize=(4.2 * len(parts), 3.6), sharey=True, squeeze=False)
    for ax, part in zip(axes[0], parts, strict=True):
        names = list(dict.fromkeys(r["name"] for r in rows if r["part"] == part))
        ax.axhspan(0.92, 0.98, color="#e8edf5", zorder=0)
        ax.axhline(0.95, color="#8a93a3", linewidth=0.8, zorder=1)
        for i, name in enumerate(names):
            means = [
                (
                    n,
                    np.mean(
                        [
                            r["coverage"]
                            for r in rows
                            if r["part"] == part and r["name"] == name and r["n"] == n
                        ]
                    ),
                )
                for n in SIZES
                if any(r["part"] == part and r["name"] == name and r["n"] == n for r in rows)
            ]
            ax.plot(
                *zip(*means, strict=True),
                color=plt.cm.viridis(i / max(1, len(names))),
                linewidth=1,
                marker=".",
            )
        ax.set_xscale("log")
        ax.set_xticks(SIZES, [f"{n:,}" for n in SIZES])
        ax.minorticks_off()
        ax.set_ylim(0.8, 1.005)
        ax.set_xlabel("instances")
        ax.set_title(f"{part}: {len(names)} {'indices' if part == 'external' else 'measures'}", fontsize=10)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    axes[0][0].set_ylabel("coverage, mean over the laws")
    figure.tight_layout()
    figure.savefig(path, dpi=130)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--replicates", type=int, default=300)
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--rows", type=Path, default=Path("coverage.jsonl"))
    parser.add_argument("--minutes", type=float, default=15.0)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--page", type=Path)
    options = parser.parse_args()
    if options.page:
        page(options)
    else:
        run(options)


if __name__ == "__main__":
    warnings.simplefilter("error")
    main()
