"""Write what benchmarks/coverage_study.py measured as a page, a list of cells and a picture."""

from __future__ import annotations

import csv
import itertools
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

import numpy as np
from scipy.stats import beta, binom, poisson

from coverage_estimate import Strata, share_of_grid
from coverage_rows import ENUMERATED, Row, pooled

#: Parts whose cells are intervals, and what they are called.
TITLES = {
    "external": "External indices",
    "models": "Prayatul measures of two clusterings",
    "classifiers": "Prayatul measures of two classifiers",
}
#: What is asked of a nominal 95 % interval.
LEAST, MOST, FAILED = 0.92, 0.98, 0.90
#: What is asked of a width, in those of the oracle's.
WIDE = 1.15
#: Cells outside of this are named.
NAMED = 0.93, 0.97

HEAD = """# Coverage of the intervals, size of the tests

How often nominal 95 % intervals hold the true value, and how often tests at 5 % reject (`python
benchmarks/coverage_study.py`).

The grid: truths of 2 to 60 clusters, of equal and of geometric sizes; predictions that are right on 40 to 99.9 % of
the instances, all errors being equally likely; half as many or twice as many predicted clusters as true ones; a class
that is never predicted; a third of the instances dealt at random; independent partitions; identical ones; two models
of different quality, with errors in common, with other numbers of clusters than the truth; 30 to 3,000 instances. The
constants in the intervals were chosen on laws of the same kind, mostly with other numbers of clusters and accuracies.
Some laws are of other kinds, with the like of which none was chosen: errors that go to two neighbours, or all to one
cluster; one cluster of 70 %; a table of probabilities drawn at random. Indices of points have [a page of their
own](coverage_points.md).

A cell is a law, a number of instances and an index.
Samples of each law: {samples}.
A coverage of 0.95 is measured to within {error:.3f} (median). Two shares are given, that of the cells whose coverage
lies in the band as measured, and that of the cells that do not contradict the band: the 95 % interval of their coverage
meets it.

- **Refused** intervals are counted by themselves: too few instances for the number of clusters, matchings that are too
  uncertain, a measure without a value. `interval_reasons` says which.
- **One-sided** intervals: if no instance is misplaced the index is at its best value, and nobody can tell how far from
  it the population is. The far end is then a bound with a confidence of 97.5 %. `Interval.one_sided` marks it.
- A coverage is that of all intervals that were given. A cell in which more than half of the samples have no two-sided
  interval is not judged; the tables count it.
- **No interval can** be within the band in some cells, which are counted by themselves and not judged either. If the
  number of misplaced instances decides what an index is (it explains 95 % of the variance of the samples' values), an
  interval whose ends grow with it covers as often as that number lies in a run, 0 to 2 or 0 to 3, say. The study adds
  up the binomial probabilities of all runs: with one misplaced instance expected of 1,000, 0 to 2 has {least_gap:.4f},
  0 to 3 has {most_gap:.4f}, and no run lies between. Which cells these are depends on the law alone, not on what the
  intervals did.

`width` is the median ratio, at 300 instances and more, to the interval of one who knows the standard deviation.
"""


ESTIMATES = """In each stratum (a part of the grid with a number of instances) laws were drawn at random, before any of
them was looked at, and every index was judged there; the runs stopped after 20 to 60 minutes, whatever they had found.
Shares of all judged cells of the grid, with their 95 % intervals, which know that all cells of a law stand and fall
together. Two rules were made after a look at a part of the sample: that element-centric similarity needs eight
instances a cluster (until then one more cell was below 0.90), and that strays count where information turns back (found
on nested partitions that are not in the sample). The line "drawn afterwards", a part of the first, has laws that were
drawn when these rules had been made. Others were made when the whole sample had been seen: the limit next to the best
value, chosen by its coverage over all means of a Poisson variable; what may be misplaced though none was drawn; two
clusters near chance, judged by all tables of counts; how far the estimate of an entropy may hang on what was not drawn;
and one stray of a small cluster. Each was tried on other laws before: of 14 with 1 to 6 misplaced instances expected,
the first brings the cells above the band from 145 of 425 to 45, and none below it. All laws of labels were then
measured again with the code as it is, with new samples. Only the comparative deviation of two clusters near chance has
older rows, from before the last change of its test. The laws are those that had been seen, so that the shares may be
somewhat better than those of new laws would be. The two means over clusters and the tables of two clusters by two were
measured again, with new samples, when their intervals had changed. If the cells in which no interval can lie within the
band are counted as being outside, {with_gaps:.1f} % of the cells that were measured lie within it.
"""


COMMON = """What most of the cells outside of the band have in common:

- **About one misplaced instance is expected** (99.9 % right of 1,000 instances). For Poisson means of 0.47 to 0.57, and
  of 1.00 to 1.02, no interval that grows with their number has a coverage within the band. With other means the limit
  next to the best value decides. It was the mid-P limit, which gives half of its errors to a side on which there are
  none: no number of events is too small if few are expected. Now it has all of them, up to 1.5 times as many as
  it says. Of the means of 0.7 to 10, 99.5 % have a coverage of 0.92 to 0.98 (before: 94.5 %), the least being
  0.925 (0.929); of the limits of Wilson, Jeffreys, the likelihood ratio and Blaker (exact and mid-P), those of Wilson
  and of Sterne with mid-P probabilities are as good above 0.7, and fall below 0.92 in places. With three to six
  expected among seven clusters, intervals of information still hold in up to 98 %: hardly a combination was drawn
  twice, the joint entropy is estimated 0.2 to 0.3 deviations too small, and intervals miss on one side alone.
- **Two clusters near chance, up to 100 instances.** Agreement is smallest at independence and grows on either side of
  it. Intervals of pair counts held in 98 to 100 % of the samples, and with clusters of a fifth those of adjusted Rand
  in 80 %. They, BCubed and information are now summed over tables of counts, up to five standard deviations from
  chance. [Summed over all tables](#two-clusters-by-two-all-tables) of 30 instances, 95 % of the cells lie within the
  band: with clusters of 20 % near chance adjusted Rand holds in 0.918; most of the others outside are above. (Mutual
  information held in 0.88 to 0.91 with clusters of 10 %: if none of such a cluster was drawn, its interval was from 0
  to 0. It now ends where the entropy of that partition may be.) Element-centric similarity reads the larger of two
  sizes, and is as it was. [The tests](#size-and-power-of-the-tests) have the same cause.
- **No misplaced instance was drawn, and the index has no best value**: joint entropy, mutual information, Russell and
  Rao's index. That some are possible is allowed for on the side to which they could move the index, and the other side
  has what is left of the errors. If none are possible, intervals now hold in 0.93 to 0.97 (they held in 0.99 to 1.00).
  If some are, or if clusters so even bring the index to its end, they still hold in up to all samples.
- **Means over clusters that count alike** (adjusted asymmetric accuracy, Larsen and Aone's index), if the smallest
  clusters have about ten instances and errors are rare: a cluster without an error in the sample may have many. With
  fewer than ten there is no interval. The end on that side now knows how skewed the mean is: with a class that is never
  predicted, adjusted asymmetric accuracy held in 0.910 to 0.945 under five laws, and holds in 0.944 to 0.960 (600
  samples); under 14 others, without such a class, no coverage changes by more than 0.007. If two true clusters fit the
  same predicted one equally well, the better match in a sample flatters, at any number of instances; many samples are
  refused for it, and not all that should be.
- **Sparse tables**: at most 100 instances of seven clusters, 1,000 of 60. If few combinations of clusters were drawn
  twice, intervals of information are refused, or hold too often; so do those of BCubed and element-centric similarity.
  The refusal has a part in it: it keeps the samples in which the estimate hangs least on what was not drawn, and in
  many of the others that is chance. An estimate of an entropy may change by 1.2 standard deviations if what was not
  drawn lies evenly in all empty cells (before: by 0.8). This was chosen on 108 laws of 5 to 45 clusters, with sizes and
  errors that are even, geometric, or follow Zipf's law, and with log-normal and Dirichlet tables; with 1.4, intervals
  hold in less than 0.90 under some with long tails. Of 28 such laws that were drawn afterwards and four indices, 21
  cells instead of 8 have an interval in most samples, 14 of them hold in 0.92 to 0.98 (7 before), one in less (none),
  the others in more. A variance from Poisson cells with Good and Turing's rates, in place of the jackknife's, is too
  small as often as that is too large.
- **The entropy of two clusters** was taken for normal: 0.892 above, for shares of 0.3 and 0.7 of 30 instances; summed
  over all samples by their probabilities, 0.885. One count of the smaller cluster, 5, has a probability of 0.046, and
  its interval ended 0.0005 before the value. This entropy grows with the share of the smaller cluster, and its interval
  is now that share's score interval. The least coverage for shares of 0.02 to 0.5 is then 0.926, 0.924, 0.932, 0.927,
  0.939 with 25, 30, 50, 100, 300 instances (it was 0.885, 0.894, 0.896 and 0.916 with 30 to 300); with 20 it is
  0.898, as before (0.899). Near equal shares of up to 50 instances it is up to 0.99: shares on both sides of a half
  count.
- **Clusters of one partition within those of the other.** If none or one instance strays, that more are possible is
  allowed for, and intervals of information hold in 98 to 100 % of the samples; with several strays, all of them seen
  once, estimates are biased and they held in 90 % (eight true clusters in four predicted ones, 95 % right, N = 100).
  Intervals of pair counts allow for it only if none strays: with three or four true clusters in twice as many predicted
  ones, 98 % right, N = 200 (four strays expected) Jaccard's index holds in 0.92 to 0.94, adjusted Rand in 0.93 to 0.95
  (1,000 samples): with one stray in the sample, their lower end is that of about four strays expected, where the mid-P
  limit is 4.9. The grid has no such law with few strays.

Widths above 1.15 of the oracle's at 300 instances and more, though every sample has misplaced instances, have three
causes. Entropies of even clusters lie at their largest value: their estimate varies as chi-square, and any interval
that holds the value is longer than 3.92 deviations of it (1.2 to 1.5 times, two clusters most); so does information
near independence. With 20 or more clusters and a few misplaced instances in all, how much one of them matters depends
on the cluster that it falls into: intervals of pair counts allow for kinds of errors that have not been seen (1.15 to
1.7 times; gamma, which is near 1, up to 13 times). And in sparse tables the oracle's deviation is that of the samples
that were not refused. One stray of a small cluster that has a predicted cluster for itself made some intervals of pair
counts a hundred times too long: with 60 geometric clusters, 99.9 % right, 3,000 instances, Rand's were 5.0 times the
oracle's on average, and are 1.3 times now.
"""


TESTS = """How often tests at 5 % reject: if the models are equally good, where 0.05 is right; and if one is better.

The tests are conservative where **few disagreements** are expected: a p-value is then one of few, and none of them
lies near 0.05. With k disagreements the smallest exact one is 2 / 2^k, so that no test of fewer than six can reject,
with half the weight on what was observed (mid-p) none of fewer than five. The last line of the tables by disagreements
is what the mid-p test of as many coins reaches: no choice of p-values would bring tests of fewer than about ten
disagreements to 0.04. McNemar's test is mid-p by default, which gains most of what can be gained over the exact one.
The test of clusterings solves for the level at which its interval ends, and takes mid-P limits if few pairs disagree:
it is at the coins' level already, but for 10 to 25 disagreements. A randomised test would reach 0.05, at the price of a
verdict that depends on a coin.

Tests of other indices by the jackknife or the bootstrap rejected too often with few disagreements: up to 0.10 of
samples of 30 to 100 instances. With **fewer than 20 instances on which the models differ** (clusters matched) their
p-values are now raised to those of an exact sign test of as many, and say so. 20 was chosen on 32 laws (2 to 30
clusters, one of them rare in 9 laws; 30 to 300 instances; 1,200 or 2,000 samples each; Jaccard and adjusted Rand): the
first of 10, 12, 15, 20 and 25 with which no test rejects in more than 0.06. 12 had been enough on the first 8 laws, and
was not on the next 12; a mid-p sign test left 0.09, and a refusal of fewer than 8 left 0.08.
On 14 other laws, measured once, the sizes are 0.02 to 0.05 (they were up to 0.10). The price is power: with 60
instances, seven clusters, and accuracies of 0.95 and 0.8, the jackknife finds the difference in 0.63 of the samples,
the bootstrap in 0.66, and the score test of Rand's index, the default, in 0.67; with 30 instances, two clusters, and
0.97 and 0.9, in 0.04, 0.04 and 0.17. The cells in which fewer than 36 such instances are expected were measured again
with the raised p-values, 1,000 or 2,000 samples each, but for three (30 clusters: even, 0.65, N = 30; geometric, 0.85,
N = 100; eight: geometric, 0.999, N = 3,000). An exact sign test is conservative; one with mid-p is not enough.

**Near chance** the tests of clusterings reject too seldom. Rand's index of two clusters is the square of a distance
from chance, so that the difference of two models is a product: of the sum and the difference of their distances. A
product over its own standard error varies less than a normal variable as long as both factors are uncertain. With
normal distances and an accuracy of 0.4 this gives sizes of 0.003, 0.014, 0.035 and 0.046 at 30, 100, 300 and 1,000
instances. Of two clusters the score test sums the probabilities of tables of counts, from a law without a difference
that lies near the observed one, in which a part of the smaller factor is kept. Of its squares 0.3, 0.5 and 0.7, 0.7
was too large: with 16 to 50 instances and accuracies of 0.7 to 0.8 up to 0.07 were rejected. With 0.5 the sizes over
all tables of 20 instances are 0.005, 0.020, 0.036, 0.059, 0.060 and 0.054 for accuracies of 0.5, 0.4, 0.65, 0.75, 0.8
and 0.85, and 0.9 against 0.7 is found in 0.38 of the samples. [On fresh laws](test_sizes.md) with 12 to 40 instances
the largest size is 0.057 if the models' errors are independent or in common, and up to 0.08 if they are opposed: no
instance on which both are wrong, or none on which both are right. The rows of two clusters below are new: those of up
to 50 instances are summed over all tables, and have no error. Two mid-p sign tests, of both factors, reject 0.015 to
0.042 of 30 instances in place of 0.023 to 0.058, and find less (0.46 in place of 0.50 for 0.9 and 0.7). At an
accuracy of 0.5 no test that does not take its verdict back as either factor grows can have a size above 0.0025 (5 %
of 5 %) for normal distances: if the other factor is beyond doubt, each of the two must exceed its own 5 % limit.
Tests that do reach 0.05 there are known (Berger 1989), but find a difference where both factors are near 0 and not
where one is larger.
With fewer than four instances a cluster pairs of instances are nearly independent of each other, and what they have
in common is hardly known.
"""


#: Tests whose size is on another page: what is tested, the page, and what it found.
ELSEWHERE = (
    ("every test once more, under other laws", "test_sizes.md", "a table each"),
    (
        "DeLong's test of two areas",
        "classifier_coverage.md",
        "0.04 to 0.07, 0.08 to 0.09 with 2 to 20 positives; too seldom with areas above 0.99",
    ),
    (
        "paired differences of scores, of losses",
        "classifier_coverage.md",
        "in brackets in the table of differences",
    ),
    (
        "groups of instances; 5x2cv t and F",
        "classifier_coverage.md",
        "5x2cv: too seldom if folds are independent",
    ),
    (
        "signed-rank, sign, Friedman, Quade; pairs, controls",
        "rank_tests.md",
        "near the level, or less; Li's more",
    ),
    ("`clusters_test` and its kin", "cluster_tests.md", "near the level only for data that they presume"),
)


TWO_BY_TWO = """## Two clusters by two, all tables

There are {tables:,} tables of {n} instances in two clusters by two. `python benchmarks/two_by_two_coverage.py` makes
the interval of each of them, and sums the probabilities of those whose interval holds the value of the law: these
figures have no sampling error. The laws are named by the shares of one true and one predicted cluster
({clusters}), and by how much they depend on each other: from {least} of what is possible, if labels avoid each other,
through 0, chance, to {most} of the largest agreement. Refused tables are left out, and so are laws under which fewer
than half of the samples have an interval with two sides.

| index | laws | least | law | largest | law | within 0.92-0.98 |
|---|---|---|---|---|---|---|
"""


def two_by_two_table(rows: Sequence[Row]) -> list[str]:
    """Show by index the coverage that benchmarks/two_by_two_coverage.py summed."""
    own = [row for row in rows if row["coverage"] is not None]
    if not own:
        return []
    n = own[0]["n"]
    named = [row["law"].split(", ") for row in own]
    parts = sorted({float(part) for _, part in named})
    head = TWO_BY_TWO.format(
        n=n,
        tables=math.comb(n + 3, 3),
        clusters=f"{len({clusters for clusters, _ in named})} pairs",
        least=parts[0],
        most=parts[-1],
    )
    lines = []
    for name in dict.fromkeys(row["name"] for row in own):
        found = sorted((row for row in own if row["name"] == name), key=lambda row: row["coverage"])
        within = sum(inside(row) for row in found)
        ends = " | ".join(f"{row['coverage']:.3f} | {row['law']}" for row in (found[0], found[-1]))
        lines.append(f"| {name} | {len(found)} | {ends} | {within} |")
    lines.append(
        f"\n{sum(map(inside, own))} of {len(own)} lie within 0.92 to 0.98, "
        f"{sum(row['coverage'] < LEAST for row in own)} below.\n"
    )
    return [head.rstrip("\n"), *lines]


def write_page(
    rows: Sequence[Row],
    folder: Path,
    *,
    same_as: Mapping[str, Sequence[str]],
    sizes: Sequence[int],
    strata: Strata,
    afterwards: Collection[tuple[str, int]],
) -> None:
    """Write coverage.md, coverage_cells.md and .csv, coverage.png.

    `afterwards` are external laws, and numbers of instances, that were drawn when the first three rules had been made.
    """
    enumerated = [row for row in rows if row["part"] == ENUMERATED]
    rows = pooled([row for row in rows if row["part"] != ENUMERATED])
    cells = [row for row in rows if row["part"] in TITLES]
    judged = [row for row in cells if row["coverage"] is not None]
    lines = [
        HEAD.format(
            samples=samples_of(cells),
            least_gap=binom.cdf(2, 1000, 0.001),
            most_gap=binom.cdf(3, 1000, 0.001),
            error=1.96 * math.sqrt(0.95 * 0.05 / float(np.median([row["replicates"] for row in judged]))),
        ),
        looked_at(rows, strata),
        *estimates(cells, strata, afterwards),
        *summary(cells, judged, TITLES),
        "![Coverage by the number of instances](coverage.png)\n",
        COMMON,
    ]
    for part in TITLES:
        lines += table_of(TITLES[part], [row for row in cells if row["part"] == part])
        if part == "external":
            alike = "; ".join(f"{', '.join(own)} as {name}" for name, own in same_as.items())
            lines.append(f"Of the same coverage, being functions of another: {alike}.\n")
    lines += two_by_two_table(enumerated)
    lines += tests_tables(rows, sizes)
    outside = [row for row in judged if not NAMED[0] <= row["coverage"] <= NAMED[1]]
    lines += named(outside, len(judged))
    (folder / "coverage.md").write_text("\n".join(lines).rstrip() + "\n")
    (folder / "coverage_cells.md").write_text("\n".join(all_named(outside)).rstrip() + "\n")
    with (folder / "coverage_cells.csv").open("w", newline="") as out:
        table = csv.writer(out, lineterminator="\n")
        table.writerow(["part", "index", "law", "n", "coverage", "samples", "refused", "one_sided"])
        for r in outside:
            shares = (f"{r[key]:.3f}" for key in ("refused", "one_sided"))
            table.writerow(
                [r["part"], r["name"], r["law"], r["n"], f"{r['coverage']:.4f}", r["replicates"], *shares]
            )
    draw(judged, folder / "coverage.png")


def samples_of(cells: Sequence[Row], titles: Mapping[str, str] = TITLES) -> str:
    """Say how many samples were drawn of the laws of each part."""
    told = []
    for part, title in titles.items():
        own = [row for row in cells if row["part"] == part]
        if own:
            # An index that is always given tells how many there were.
            largest: dict[tuple[str, int], int] = {}
            for row in own:
                key = row["law"], row["n"]
                largest[key] = max(largest.get(key, 0), row["replicates"])
            told.append(f"{int(np.median([*largest.values()])):,} ({title})")
    return ", ".join(told)


def looked_at(rows: Sequence[Row], strata: Strata) -> str:
    """Say how much of the grid was measured."""
    names = {
        **TITLES,
        "size": "Tests of clusterings, size",
        "power": "the same, power",
        "several": "Other tests",
    }
    done = {part: len({(row["law"], row["n"]) for row in rows if row["part"] == part}) for part in names}
    there = {part: sum(laws for (own, _), laws in strata.items() if own == part) for part in names}
    told = "; ".join(f"{names[part]}: {done[part]} of {there[part]}" for part in names)
    start = "The whole grid was measured" if done == there else "A random part of the grid was measured"
    return f"{start}. Laws and numbers of instances: {told}.\n"


def judged(row: Row) -> bool:
    return row["coverage"] is not None


def inside(row: Row) -> bool:
    return LEAST <= row["coverage"] <= MOST


def estimates(cells: Sequence[Row], strata: Strata, afterwards: Collection[tuple[str, int]]) -> list[str]:
    """Estimate shares of the whole grid, with what is not known because only a part of its laws was drawn."""
    parts = {title: [row for row in cells if row["part"] == part] for part, title in TITLES.items()}
    parts["External indices, drawn afterwards"] = [
        row for row in parts[TITLES["external"]] if (row["law"], row["n"]) in afterwards
    ]
    possible = [row for row in cells if judged(row) or row["gap"] is not None]
    with_gaps = float(np.mean([judged(row) and inside(row) for row in possible]))
    lines = [
        ESTIMATES.format(with_gaps=100 * with_gaps),
        "| part | laws and numbers | cells judged | within 0.92-0.98 | below 0.92 | below 0.90 "
        "| width within 1.15, N >= 300 |",
        "|---|---|---|---|---|---|---|",
    ]
    for title, own in parts.items():
        if not own:
            continue
        within = share_of_grid(own, strata, judged, inside)
        below, failed = (
            share_of_grid(own, strata, judged, lambda row, end=end: row["coverage"] < end)
            for end in (LEAST, FAILED)
        )
        width = share_of_grid(
            [row for row in own if row["n"] >= 300],
            strata,
            lambda row: row["width"] is not None,
            lambda row: row["width"] <= WIDE,
        )
        lines.append(
            f"| {title} | {within.laws} | {within.cells} | {within} | {below} | {failed} | {width} |"
        )
    return [*lines, ""]


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


def overview(
    cells: Sequence[Row], judged: Sequence[Row], chosen: Mapping[str, Callable[[Row], bool]]
) -> list[str]:
    """Count cells by what became of them, in a line for each kind of row."""
    lines = [
        "| part | cells | judged | mostly refused | mostly one-sided | no interval can | within 0.92-0.98 "
        "| the same, chance allowed for | above | below | below 0.90 | surely below 0.90 |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for title, belongs in chosen.items():
        own = [row for row in cells if belongs(row)]
        found = [row for row in judged if belongs(row)]
        if not found:
            continue
        unjudged = [row for row in own if row["coverage"] is None and row["gap"] is None]
        refused = sum(row["refused"] >= row["one_sided"] for row in unjudged)
        inside, meeting, above, below, surely = shares(found)
        failed = sum(row["coverage"] < FAILED for row in found)
        lines.append(
            f"| {title} | {len(own)} | {len(found)} | {refused} | {len(unjudged) - refused} "
            f"| {sum(row['gap'] is not None for row in own)} | {100 * inside:.1f} % | {100 * meeting:.1f} % "
            f"| {100 * above:.1f} % | {100 * below:.1f} % | {failed} | {surely} |"
        )
    return lines


def summary(cells: Sequence[Row], judged: Sequence[Row], titles: Mapping[str, str]) -> list[str]:
    chosen = {title: (lambda row, part=part: row["part"] == part) for part, title in titles.items()}
    lines = overview(cells, judged, chosen | {"All": lambda row: True})
    told = [row for row in cells if row["together"] is not None]
    least = min(told, key=lambda row: row["together"] if row["refused"] < 0.5 else 1.0)
    missed = max(row["missed"] for row in cells if row["refused"] > 0.5)
    lines.append(
        "\nIn cells where fewer than half are refused, those that are mostly one-sided included, the least "
        f"coverage is {least['together']:.3f} ({least['name']}, {least['law']}, N = {least['n']:,}). Where most are "
        f"refused, the intervals that are given miss the value in at most {100 * missed:.1f} % of all samples.\n"
    )
    lines.append(expected_by_chance(judged))
    lines.append(widths(cells, judged))
    return lines


def expected_by_chance(judged: Sequence[Row]) -> str:
    """Say how many cells would be measured outside of the band if all covered 0.95."""
    return (
        f"If every cell covered 0.95, {100 * by_chance(judged):.1f} % would be measured outside of the band, with as "
        "many samples. All indices of a law were judged on the same samples: a sample that is unlike its law shows in "
        "many cells.\n"
    )


def by_chance(judged: Sequence[Row]) -> float:
    """Share of the cells that would be measured outside of the band if all covered 0.95."""
    samples = np.array([row["replicates"] for row in judged])
    lowest, highest = np.ceil(LEAST * samples - 1e-9), np.floor(MOST * samples + 1e-9)
    inside = binom.cdf(highest, samples, 0.95) - binom.cdf(lowest - 1, samples, 0.95)
    return float(1 - inside.mean())


def widths(cells: Sequence[Row], judged: Sequence[Row]) -> str:
    """Say how many widths are near the oracle's, and what those are that are not."""
    some_without = {(row["part"], row["law"], row["n"]) for row in cells if row["one_sided"] > 0}
    wide = [row for row in judged if row["width"] is not None and row["n"] >= 300]
    errors = [row for row in wide if (row["part"], row["law"], row["n"]) not in some_without]
    within, of_these = (float(np.mean([row["width"] <= WIDE for row in rows])) for rows in (wide, errors))
    too_wide = [row for row in wide if row["width"] > WIDE]
    of_few = sum((row["part"], row["law"], row["n"]) in some_without for row in too_wide)
    of_one = sum(row["width"] > WIDE and row["name"] in ("entropy_true", "entropy_pred") for row in errors)
    return (
        f"At 300 instances and more, {100 * within:.1f} % of the widths are within 1.15 of the oracle's; under laws "
        f"and numbers where no sample was without a misplaced instance, {100 * of_these:.1f} %. Of the "
        f"{len(too_wide)} that are wider, {of_few} are of laws under which some samples have no misplaced instance, "
        f"{of_one} others are entropies of one partition, {len(too_wide) - of_few - of_one} have other causes, named "
        "below. If one to three "
        "misplaced instances are expected, discreteness decides: the exact interval with mid-P probabilities of a "
        "Poisson variable with mean 1 is 1.44 times as wide as the oracle's, with mean 2 1.17 times, with mean 3 1.09 "
        "times.\n"
    )


def table_of(title: str, rows: Sequence[Row]) -> list[str]:
    if not rows:
        return []
    lines = [
        f"## {title}\n",
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
    mcnemar = [row for row in several if row["name"].startswith("McNemar")]
    return [
        "## Size and power of the tests\n",
        TESTS,
        "### Two clusterings are equally good\n",
        *tests_table(by_test, sizes),
        *by_disagreements(by_test),
        *outside_of_size([row for row in by_test if row["part"] == "size"]),
        *powers([row for row in by_test if row["part"] == "power"]),
        "### Classifiers; models over as many data sets, at most 100\n",
        *tests_table(several, sizes),
        *by_disagreements(mcnemar),
        *powers([row for row in mcnemar if row["part"] == "power"]),
        "### All other tests\n",
        "| tests | size at 0.05 |",
        "|---|---|",
        *(f"| [{tests}]({page}) | {found} |" for tests, page, found in ELSEWHERE),
        "",
    ]


def by_disagreements(rows: Sequence[Row]) -> list[str]:
    """Write sizes by how many instances there are on which one of two models is right."""
    bins = (0, 5, 10, 25, 100, math.inf)
    size = [row for row in rows if row["part"] == "size"]
    heads = " | ".join(
        f"{low} to {high:.0f}" if high < math.inf else f"{low} and more"
        for low, high in itertools.pairwise(bins)
    )
    lines = [
        "Mean size by the expected number of instances on which one model is right and the other wrong:\n",
        f"| test | {heads} |",
        "|---|" + "---|" * (len(bins) - 1),
    ]
    for name in dict.fromkeys(row["name"] for row in size):
        means = []
        for low, high in itertools.pairwise(bins):
            own = [r for r in size if r["name"] == name and low <= r["disagreements"] < high]
            means.append(f"{np.mean([r['rejected'] for r in own]):.3f}" if own else "")
        lines.append(f"| {name} | {' | '.join(means)} |")
    of_coins = {(r["law"], r["n"]): r["disagreements"] for r in size}
    reached = []
    for low, high in itertools.pairwise(bins):
        own = [mid_p_of_coins(mean) for mean in of_coins.values() if low <= mean < high]
        reached.append(f"{np.mean(own):.3f}" if own else "")
    lines.append(f"| mid-p of as many coins | {' | '.join(reached)} |")
    return [*lines, ""]


def mid_p_of_coins(mean: float) -> float:
    """Size at 0.05 of the mid-p sign test of as many coins as a Poisson variable with this mean."""
    coins = np.arange(1, int(mean + 10 * math.sqrt(mean)) + 20)
    rejected = []
    for n in coins.tolist():
        heads = np.arange(n + 1)
        likely = binom.pmf(heads, n, 0.5)
        fewer = np.minimum(heads, n - heads)
        p_values = 2 * binom.cdf(fewer, n, 0.5) - binom.pmf(fewer, n, 0.5)
        rejected.append(float(likely[p_values < 0.05].sum()))
    return float(poisson.pmf(coins, mean) @ rejected)


def outside_of_size(rows: Sequence[Row]) -> list[str]:
    """Name the cells whose size is not between 0.04 and 0.06, chance allowed for."""
    lines = []
    for name in dict.fromkeys(row["name"] for row in rows):
        own = [row for row in rows if row["name"] == name]
        outside = sorted((r for r in own if not within(r)), key=lambda r: (r["n"], r["law"]))
        above = [r for r in outside if r["rejected"] > 0.06]
        below = [r for r in outside if r["rejected"] < 0.04 and r["disagreements"] >= 5]
        few = len(outside) - len(above) - len(below)
        lines.append(
            f"{name}: above 0.06 by more than chance are {len(above)} of {len(own)} cells{_sizes(above)}; below 0.04 "
            f"{few} with fewer than five disagreements, and {len(below)} others{_sizes(below)}.\n"
        )
    return lines


def _sizes(rows: Sequence[Row]) -> str:
    if not rows:
        return ""
    return " (" + ", ".join(f"{r['law']} N = {r['n']:,}: {r['rejected']:.3f}" for r in rows) + ")"


def powers(rows: Sequence[Row]) -> list[str]:
    """Compare the power of the first test with that of the best, cell by cell."""
    cells: dict[tuple[str, int], dict[str, float]] = {}
    for row in rows:
        cells.setdefault((row["law"], row["n"]), {})[row["name"]] = row["rejected"]
    if not cells:
        return []
    first = rows[0]["name"]
    behind = {key: max(found.values()) - found[first] for key, found in cells.items()}
    (law, n), most = max(behind.items(), key=lambda item: item[1])
    best = max(cells[law, n], key=lambda name: cells[law, n][name])
    return [
        f"Power in {len(cells)} cells: that of {first} is on average {np.mean([*behind.values()]):.3f} less than that "
        f"of the best test of the cell, and at most {most:.3f} ({law}, N = {n:,}, where the best is: {best}).\n"
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
    """Whether the measured size does not contradict 0.04 to 0.06; one that was summed over all tables has no error."""
    if row.get("exact"):
        return bool(0.04 <= row["rejected"] <= 0.06)
    low, high = bounds_of({"coverage": row["rejected"], "replicates": row["replicates"]})
    return low <= 0.06 and high >= 0.04


def named(outside: Sequence[Row], judged: int) -> list[str]:
    """Name the cells below the band; a page of its own names all others."""
    low = sorted((row for row in outside if row["coverage"] < LEAST), key=lambda row: row["coverage"])
    low = [row for row in low if bounds_of(row)[1] < NAMED[0]]
    lines = [
        "## Cells below 0.92\n",
        "Those below 0.93 by more than chance, that is with a 95 % interval that ends before it:\n",
        "| part | index | law | N | coverage | samples | refused |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {r['part']} | {r['name']} | {r['law']} | {r['n']:,} | {r['coverage']:.3f} | {r['replicates']} "
        f"| {r['refused']:.2f} |"
        for r in low
    ]
    surely = sum(bounds_of(row)[1] < NAMED[0] or bounds_of(row)[0] > NAMED[1] for row in outside)
    lines.append(
        f"\n{len(outside):,} of {judged:,} cells were measured outside of 0.93 and 0.97, {surely:,} of them by more "
        "than chance. [Each of them is named](coverage_cells.md); the file coverage_cells.csv has them, too."
    )
    return lines


def all_named(outside: Sequence[Row]) -> list[str]:
    """Write the page that names every cell outside of 0.93 and 0.97, law by law."""
    lines = [
        "# Cells with a coverage outside of 0.93 and 0.97\n",
        "Measured by `benchmarks/coverage_study.py`; [what was measured and how](coverage.md). In bold: those whose",
        "95 % interval leaves out all of 0.93 to 0.97, so that chance does not explain them.",
    ]
    for part, title in TITLES.items():
        own = [row for row in outside if row["part"] == part]
        if not own:
            continue
        lines += [f"\n## {title}\n", "| law | N | coverage |", "|---|---|---|"]
        lines += by_law(own)
    return lines


def by_law(rows: Sequence[Row]) -> list[str]:
    """Write the coverages of cells, a line for each law with a number of instances."""
    cells: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        cells.setdefault((row["law"], row["n"]), []).append(row)
    return [
        f"| {law} | {n:,} | {', '.join(_told(row) for row in found)} |"
        for (law, n), found in sorted(cells.items())
    ]


def _told(row: Row) -> str:
    low, high = bounds_of(row)
    text = f"{row['name']} {row['coverage']:.3f}"
    return f"**{text}**" if high < NAMED[0] or low > NAMED[1] else text


def draw(rows: Sequence[Row], path: Path) -> None:
    """One line per index: mean coverage over the laws, by the number of instances."""
    import matplotlib.pyplot as plt

    parts = [*dict.fromkeys(row["part"] for row in rows)]
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
        title = {
            "external": "external",
            "models": "two clusterings",
            "classifiers": "two classifiers",
            "internal": "internal",
        }
        ax.set_title(f"{title[part]}: {len(names)}", fontsize=10)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    axes[0][0].set_ylabel("coverage, mean over the laws")
    figure.tight_layout()
    figure.savefig(path, dpi=130)
