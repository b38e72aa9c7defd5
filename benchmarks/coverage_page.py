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

OPENING = """# Coverage of the intervals, size of the tests

Samples were drawn from known distributions to see how often nominal 95 % intervals cover the true value, and how often
tests at 5 % reject. Of {judged:,} combinations of a distribution, a number of instances and an index, {inside:.1f} %
have a coverage of 0.92 to 0.98. Coverage is below 0.92 in {below:.1f} % and below 0.90 in {failed}. The default test of
two equally good clusterings rejects more than 6 % of the samples, by more than chance, in {above} of {tests} cells. It
rejects too seldom if few disagreements are expected, and near chance.

This page is about indices of labels; [indices of points](coverage_points.md) and [scores of
classifiers](classifier_coverage.md) have their own, and so do [laws of other shapes](coverage_elsewhere.md).
`python benchmarks/coverage_study.py` measures this page again.

In what follows, a *law* is a joint distribution of true and predicted labels, and a *cell* is a law with a number of
instances and an index. The *target range* of a coverage is 0.92 to 0.98. A *misplaced* instance, or *stray*, is one
that is not with most of its true cluster. The *oracle* is an interval made with the true standard deviation.
"""


RESULTS = """## Results

How to read the tables:

- **Judged** cells are those in which at least half of the samples have a two-sided interval. Only they count in the
  shares. Coverage is that of all intervals that were given.
- **Refused**: there is no interval, because there are too few instances for the number of clusters, the matching is too
  uncertain, or the measure has no value. `interval_reasons` says which.
- **One-sided**: without a misplaced instance the index is at its best value, and the sample does not show how far from
  it the population is. The far end is a bound with a confidence of 97.5 %. `Interval.one_sided` marks it.
- **No interval can** have a coverage in the target range in these cells; they are not judged. If the number of
  misplaced instances decides the index (it explains 95 % of the variance of the samples' values), an interval whose
  ends grow with this number covers the true value for a run of numbers, such as 0 to 2 or 0 to 3. The study sums the
  binomial probabilities of all runs. With one misplaced instance expected of 1,000, the run 0 to 2 has {least_gap:.4f},
  0 to 3 has {most_gap:.4f}, and no run lies between. This depends on the law alone, not on what the intervals did.
- **Chance allowed for**: the share of cells that do not contradict the target range, because the 95 % interval of their
  measured coverage meets it. A coverage of 0.95 is measured to within {error:.3f} (median).
- **Width**: the interval's width over the oracle's. By index it is the median of the cells with 300 instances and more.

The first table estimates shares of all judged cells of the grid, with 95 % intervals that allow for the dependence
between cells of the same law. Laws "drawn afterwards" are a part of the first line; [what they are](#what-was-changed)
is said below.
"""


METHOD = """## How it was measured

The grid has these laws, with 30 to 3,000 instances:

- truths of 2 to 60 clusters, of equal and of geometric sizes, and predictions that are right on 40 to 99.9 % of the
  instances, with all errors equally likely;
- half as many or twice as many predicted clusters as true ones, and a class that is never predicted;
- a third of the instances assigned at random, independent partitions, and identical ones;
- two models of different quality, with errors in common, or with other numbers of clusters than the truth.

The constants in the intervals were chosen on laws of these kinds, mostly with other numbers of clusters and accuracies.
No constant was chosen on laws of some further kinds, which the grid has as well: errors that go to two neighbours or
all to one cluster, one cluster of 70 %, and a table of probabilities drawn at random.

Samples of each law: {samples}.
"""


ESTIMATES = """\
In each stratum (a part of the grid with a number of instances) laws were drawn at random before any of them was looked
at, and every index was judged under each. The runs stopped after 20 to 60 minutes, whatever they had found. If the
cells in which no interval can be in the target range are counted as outside of it, {with_gaps:.1f} % of the measured
cells are within it.
"""


CHANGED = """## What was changed

The intervals and tests were changed while they were measured, so the shares above may be somewhat better than those of
new laws would be.

**Rules made after a look at a part of the sample.** Element-centric similarity needs eight instances per cluster; until
then one more cell was below 0.90. Strays count where information turns back; this was found on nested partitions that
are not in the sample. The line "drawn afterwards" has the laws that were drawn when these two rules had been made.

**Rules made after a look at the whole sample.** Each was first tried on other laws:

- The limit next to the best value was chosen by its coverage over all means of a Poisson variable. The mid-P limit,
  used before, gives half of its errors to a side on which there are none, because no number of events is too small if
  few are expected. The new limit has all errors on the side where they can happen, up to 1.5 times the nominal rate. Of
  the means from 0.7 to 10, 99.5 % instead of 94.5 % have a coverage in the target range, and the lowest coverage is
  0.925 instead of 0.929. Of the limits of Wilson, Jeffreys, the likelihood ratio and Blaker (exact and mid-P), those of
  Wilson and of Sterne with mid-P probabilities are as good above 0.7, but fall below 0.92 in places. Of 14 laws with 1
  to 6 expected misplaced instances, 45 instead of 145 of 425 cells are above the target range, and none is below it.
- Intervals allow for misplaced instances though none was drawn. In samples without one, coverage had been 0.99 to 1.00
  under laws without misplaced instances.
- Two clusters near chance are judged by all tables of counts. Intervals of pair counts had covered in 98 to 100 % of
  the samples, and those of adjusted Rand in 80 % with clusters of a fifth. Mutual information had a coverage of 0.88 to
  0.91 with clusters of 10 %: if no instance of such a cluster was drawn, its interval was from 0 to 0. It now ends
  where the entropy of that partition may be.
- There is no interval of an entropy if the estimate would change by more than 1.2 standard deviations (before: 0.8) if
  what was not drawn were spread evenly over all empty cells. This limit was chosen on 108 laws of 5 to 45 clusters:
  sizes and errors that are even, geometric, or follow Zipf's law, and log-normal and Dirichlet tables. With 1.4,
  coverage is below 0.90 under some laws with long tails. On 28 such laws drawn afterwards, with four indices, 21
  instead of 8 cells have an interval in most samples. In 14 of them coverage is in the target range (before: 7), in one
  below it (before: none), in the others above. A variance from Poisson cells with Good and Turing's rates is too small
  as often as the jackknife's is too large.
- One stray of a small cluster that has a predicted cluster of its own made some intervals of pair counts a hundred
  times too long. With 60 geometric clusters, 99.9 % right and 3,000 instances, Rand's were 5.0 times as wide as the
  oracle's on average, and are 1.3 times now.

**Other changes of intervals.**

- The entropy of two clusters was treated as normal. For shares of 0.3 and 0.7 of 30 instances its coverage was 0.892 in
  this study, and 0.885 when summed over all samples by their probabilities. One count of the smaller cluster, 5, has a
  probability of 0.046, and its interval ended 0.0005 before the true value. The lowest coverage was 0.885, 0.894, 0.896
  and 0.916 with 30, 50, 100 and 300 instances, and 0.899 with 20.
- Means in which all clusters count alike now allow for their skewness at the end on that side. Under five laws with a
  class that is never predicted, the coverage of adjusted asymmetric accuracy was 0.910 to 0.945 before and is 0.944 to
  0.960 now (600 samples). Under 14 laws without such a class no coverage changed by more than 0.007.

**Tests.**

- The jackknife's and the bootstrap's p-values are raised if the models differ on fewer than 20 instances. This limit
  was chosen on 32 laws (2 to 30 clusters, one of them rare in 9 laws; 30 to 300 instances; 1,200 or 2,000 samples each;
  Jaccard and adjusted Rand). It is the first of 10, 12, 15, 20 and 25 with which no test rejects more than 6 %. The
  limit 12 had been enough on the first 8 laws, and was not on the next 12. A mid-p sign test left 0.09, and refusing
  fewer than 8 left 0.08. On 14 other laws, measured once, the sizes are 0.02 to 0.05 (before: up to 0.10).
- The null law of the score test of two clusters keeps a part of the smaller of two factors. Of 0.3, 0.5 and 0.7 for the
  square of this part, 0.7 was too large: with 16 to 50 instances and accuracies of 0.7 to 0.8 up to 7 % were rejected.
- Two mid-p sign tests, one for each factor, would have a size of 0.015 to 0.042 with 30 instances in place of 0.023 to
  0.058, and find less (0.46 in place of 0.50 for accuracies of 0.9 and 0.7).

**What was measured again.** All laws of labels were measured again with the present code and new samples. Only the rows
of the comparative deviation of two clusters near chance are older than the last change of its test. The two means over
clusters and the tables of two clusters by two were measured again, with new samples, when their intervals had changed.
So were the cells in which fewer than 36 instances are expected on which the models differ, with the raised p-values and
1,000 or 2,000 samples each, except for three (30 clusters: even, 0.65, N = 30; geometric, 0.85, N = 100; eight:
geometric, 0.999, N = 3,000). The rows of two clusters of up to 50 instances are sums over all tables, and have no
error.
"""


COMMON = """## Where intervals fall short

Most cells outside of the target range belong to one of these groups. Where tests fall short is said [with the
tests](#size-and-power-of-the-tests).

- **About one misplaced instance is expected** (99.9 % right of 1,000 instances, say). The number of misplaced instances
  is then nearly a Poisson variable. If its mean is 0.47 to 0.57, or 1.00 to 1.02, no interval whose ends grow with that
  number has a coverage in the target range. For other means the coverage depends on the limit next to the best value.
  Of the means from 0.7 to 10, 99.5 % have a coverage in the target range, and the lowest is 0.925.
- **Three to six misplaced instances are expected among seven clusters.** Intervals of information cover the true value
  in up to 98 % of the samples. Hardly any combination of clusters was drawn twice, the joint entropy is estimated 0.2
  to 0.3 standard deviations too low, and the intervals miss on one side only.
- **Two clusters near chance, up to 100 instances.** Agreement is smallest at independence and grows on either side of
  it. Intervals of pair counts, BCubed and information are therefore summed over tables of counts, up to five standard
  deviations from chance. [Over all tables](#two-clusters-by-two-all-tables) of 30 instances, 95 % of the cells are in
  the target range. With clusters of 20 % near chance, adjusted Rand has a coverage of 0.918; most other cells outside
  of the range are above it. Element-centric similarity depends on the larger of two sizes, and is not treated in this
  way.
- **No misplaced instance was drawn, and the index has no best value**: joint entropy, mutual information, Russell and
  Rao's index. The interval allows for misplaced instances on the side to which they could move the index; the other
  side gets the rest of the error. If the law has no misplaced instances, coverage is 0.93 to 0.97. If it has some, or
  if the clusters are so even that the index is at its end, coverage is up to 1.
- **Means in which all clusters count alike** (adjusted asymmetric accuracy, Larsen and Aone's index), if the smallest
  clusters have about ten instances and errors are rare. A cluster without an error in the sample may have many in the
  population. With fewer than ten instances there is no interval. If two true clusters fit the same predicted one
  equally well, the better match in a sample looks better than it is, whatever the number of instances. Many such
  samples are refused, but not all that should be.
- **Sparse tables**: at most 100 instances of seven clusters, or 1,000 of 60. If few combinations of clusters were drawn
  twice, intervals of information are refused or cover too often. Those of BCubed and element-centric similarity also
  cover too often. Refusal itself contributes to this: it keeps the samples whose estimate depends least on what was not
  drawn, and many of the others depend on it by chance alone.
- **The entropy of two clusters.** Its interval is the score interval of the smaller cluster's share, with which this
  entropy grows. For shares of 0.02 to 0.5, the lowest coverage is 0.926, 0.924, 0.932, 0.927 and 0.939 with 25, 30, 50,
  100 and 300 instances, and 0.898 with 20. Near equal shares it is up to 0.99 with up to 50 instances, because shares
  on both sides of a half count.
- **Clusters of one partition within those of the other.** If at most one instance strays, the interval allows for more,
  and intervals of information cover in 98 to 100 % of the samples. With several strays, all of them seen once, the
  estimates are biased: these intervals covered in 90 % (eight true clusters in four predicted ones, 95 % right, N =
  100). Intervals of pair counts allow for more strays only if there is none in the sample. With three or four true
  clusters in twice as many predicted ones, 98 % right and N = 200, four strays are expected. The coverage of Jaccard's
  index is then 0.92 to 0.94 and that of adjusted Rand 0.93 to 0.95 (1,000 samples). With one stray in the sample, the
  lower end of the interval belongs to about four expected strays, where the mid-P limit allows for 4.9. The grid has no
  such law with few strays.
- **The entropy of one partition, if a rare cluster was not drawn.** With a third cluster of 2 of N instances beside two
  even ones, coverage is 0.85 to 0.87 for N = 100 to 3,000 (800 samples each): an eighth of the samples have no instance
  of it, and nothing shows that it exists. Mutual information and NMI of the same samples cover in 0.93 to 0.97.
- **Nearly all instances in one predicted cluster.** Goodman and Kruskal's gamma of four true clusters, 97 % in one of
  three predicted ones, has a coverage of 0.80 and 0.87 with 150 and 300 instances.

Some intervals are more than 1.15 times as wide as the oracle's although there are 300 instances or more and every
sample has misplaced instances. There are three causes:

- *Entropies of even clusters* are at their largest value. Their estimate varies like chi-square, and any interval that
  covers the true value is longer than 3.92 of its standard deviations: 1.2 to 1.5 times, most with two clusters. The
  same holds for information near independence.
- *20 or more clusters and a few misplaced instances in all.* How much one of these matters depends on the cluster in
  which it lies. Intervals of pair counts allow for kinds of errors that have not been seen, and are 1.15 to 1.7 times
  as wide; that of gamma, which is near 1, up to 13 times.
- *Sparse tables.* The oracle's standard deviation is that of the samples that were not refused.
"""


TESTS = """\
How often tests at 5 % reject if the models are equally good (the size, which should be 0.05), and if one is better (the
power). The tests are conservative in three situations:

- **Few disagreements are expected.** The p-value then has few possible values, and none of them is near 0.05. With k
  disagreements the smallest exact p-value is 2 / 2^k, so an exact test cannot reject with fewer than six. A mid-p test,
  which counts half the probability of what was observed, cannot with fewer than five. The last line of the tables by
  disagreements is the mid-p test of as many tosses of a coin: with fewer than about ten disagreements no choice of
  p-values would bring the size to 0.04. A randomised test would, but its verdict would depend on a coin.
- **Near chance** the tests of clusterings reject too seldom.
- **With fewer than four instances per cluster** pairs of instances are nearly independent of each other, and the sample
  hardly shows what they have in common.

How the tests deal with few disagreements:

- McNemar's test is mid-p by default. This gains most of what can be gained over the exact test.
- The test of clusterings finds the level at which its interval ends at equality, with mid-P limits if few pairs
  disagree. It reaches the coins' size, except with 10 to 25 disagreements.
- Tests of other indices by the jackknife or the bootstrap rejected up to 10 % of the samples of 30 to 100 instances.
  With **fewer than 20 instances on which the models differ** (clusters matched), their p-values are now raised to those
  of an exact sign test of as many, and say so. An exact sign test is conservative, but one with mid-p is not enough.
  The price is power. With 60 instances, seven clusters, and accuracies of 0.95 and 0.8, the jackknife finds the
  difference in 63 % of the samples, the bootstrap in 66 %, and the score test of Rand's index, the default, in 67 %.
  With 30 instances, two clusters, and accuracies of 0.97 and 0.9, the same three find it in 4, 4 and 17 %.

Why tests reject too seldom near chance: for two clusters, Rand's index is the square of a distance from chance. The
difference of two models is then a product, of the sum and of the difference of their distances. A product over its own
standard error varies less than a normal variable as long as both factors are uncertain. With normal distances and an
accuracy of 0.4 this gives sizes of 0.003, 0.014, 0.035 and 0.046 at 30, 100, 300 and 1,000 instances.

For two clusters the score test therefore sums the probabilities of tables of counts, under a law without a difference
that is near the observed one:

- Over all tables of 20 instances its sizes are 0.005, 0.020, 0.036, 0.059, 0.060 and 0.054 for accuracies of 0.5, 0.4,
  0.65, 0.75, 0.8 and 0.85. It finds 0.9 against 0.7 in 38 % of the samples.
- [On fresh laws](test_sizes.md) with 12 to 40 instances the largest size is 0.057 if the models' errors are independent
  or in common. It is up to 0.08 if they are opposed: no instance on which both are wrong, or none on which both are
  right.
- At an accuracy of 0.5 and with normal distances, the size cannot exceed 0.0025 (5 % of 5 %) if a larger factor is
  never to turn a rejection into an acceptance. When one factor is beyond doubt, the other alone must exceed its 5 %
  limit. Tests that do reach 0.05 there are known (Berger 1989), but find a difference where both factors are near 0 and
  not where one is larger.
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
the interval of each and sums the probabilities of those whose interval covers the true value, so these figures have no
sampling error. A law is named by the shares of one true and one predicted cluster ({clusters}) and by how much the two
partitions depend on each other: from {least} of what is possible if labels avoid each other, through 0 for chance, to
{most} of the largest agreement. Refused tables are left out, and so are laws under which fewer than half of the samples
have a two-sided interval.

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
        f"\n{sum(map(inside, own))} of {len(own)} cells are within 0.92 to 0.98, "
        f"{sum(row['coverage'] < LEAST for row in own)} are below.\n"
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
        opening(judged, rows),
        COMMON,
        RESULTS.format(
            least_gap=binom.cdf(2, 1000, 0.001),
            most_gap=binom.cdf(3, 1000, 0.001),
            error=1.96 * math.sqrt(0.95 * 0.05 / float(np.median([row["replicates"] for row in judged]))),
        ),
        *estimates(cells, strata, afterwards),
        *summary(cells, judged, TITLES),
        "![Coverage by the number of instances](coverage.png)\n",
    ]
    for part in TITLES:
        lines += table_of(TITLES[part], [row for row in cells if row["part"] == part])
        if part == "external":
            alike = "; ".join(f"{', '.join(own)} as {name}" for name, own in same_as.items())
            lines.append(
                f"These have the same coverage, because they are functions of another index: {alike}.\n"
            )
    lines += two_by_two_table(enumerated)
    lines += tests_tables(rows, sizes)
    outside = [row for row in judged if not NAMED[0] <= row["coverage"] <= NAMED[1]]
    lines += named(outside, len(judged))
    lines += ["", METHOD.format(samples=samples_of(cells)), looked_at(rows, strata)]
    possible = [row for row in cells if row["coverage"] is not None or row["gap"] is not None]
    with_gaps = float(np.mean([row["coverage"] is not None and inside(row) for row in possible]))
    lines += [ESTIMATES.format(with_gaps=100 * with_gaps), CHANGED]
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


def opening(judged: Sequence[Row], rows: Sequence[Row]) -> str:
    """Say in a paragraph what was measured and what came out."""
    _, _, _, below, _ = shares(judged)
    size = [row for row in rows if row["part"] == "size"]
    default = [row for row in size if row["name"] == size[0]["name"]]
    return OPENING.format(
        judged=len(judged),
        inside=100 * float(np.mean([inside(row) for row in judged])),
        below=100 * below,
        failed=sum(row["coverage"] < FAILED for row in judged) or "none",
        above=sum(row["rejected"] > 0.06 and not within(row) for row in default) or "none",
        tests=len(default),
    )


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
    return f"{start}. Laws with a number of instances: {told}.\n"


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
    lines = [
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
    """Whether the measured coverage does not contradict the target range."""
    low, high = bounds_of(row)
    return low <= MOST and high >= LEAST


def shares(rows: Sequence[Row]) -> tuple[float, float, float, float, int]:
    """Shares inside, meeting the target range, above and below it; and the number of cells surely below 0.90."""
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
        "\nIn cells with fewer than half of the intervals refused, mostly one-sided ones included, the lowest "
        f"coverage is {least['together']:.3f} ({least['name']}, {least['law']}, N = {least['n']:,}). Where most are "
        f"refused, the others miss the true value in at most {100 * missed:.1f} % of all samples.\n"
    )
    lines.append(expected_by_chance(judged))
    lines.append(widths(cells, judged))
    return lines


def expected_by_chance(judged: Sequence[Row]) -> str:
    """Say how many cells would be measured outside of the target range if all covered 0.95."""
    return (
        f"If every coverage were 0.95, chance alone would put {100 * by_chance(judged):.1f} % of the measured ones "
        "outside of the target range. All indices of a law were judged on the same samples, so unusual samples show "
        "in many cells.\n"
    )


def by_chance(judged: Sequence[Row]) -> float:
    """Share of the cells that would be measured outside of the target range if all covered 0.95."""
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
        f"With 300 instances and more, {100 * within:.1f} % of the widths are at most 1.15 times the oracle's; where "
        f"every sample has misplaced instances, {100 * of_these:.1f} %. Of the {len(too_wide)} wider cells, {of_few} "
        f"are of laws under which some samples have no misplaced instance, {of_one} others are entropies of one "
        f"partition, and {len(too_wide) - of_few - of_one} have other causes, named above. With one to three misplaced "
        "instances expected, discreteness decides: the exact interval of a Poisson variable with mid-P probabilities "
        "is 1.44 times as wide as the oracle's if the mean is 1, 1.17 times if it is 2, and 1.09 times if it is 3.\n"
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
            f"{name}: {len(above)} of {len(own)} cells are above 0.06 by more than chance{_sizes(above)}. Below 0.04 "
            f"are {few} with fewer than five disagreements, and {len(below)} others{_sizes(below)}.\n"
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
        f"Power in {len(cells)} cells: {first} is on average {np.mean([*behind.values()]):.3f} behind the best test of "
        f"the cell, and at most {most:.3f} ({law}, N = {n:,}, where the best is: {best}).\n"
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
    """Name the cells surely below the target range; a page of its own names all others."""
    low = sorted((row for row in outside if row["coverage"] < LEAST), key=lambda row: row["coverage"])
    low = [row for row in low if bounds_of(row)[1] < NAMED[0]]
    lines = [
        "## Cells below 0.92\n",
        "A cell is named here if it is below 0.93 by more than chance as well: the 95 % interval of its coverage ends "
        f"before 0.93. {'These are:' if low else 'There is none.'}",
    ]
    if low:
        lines += [
            "",
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
        f"\n{len(outside):,} of {judged:,} cells have a measured coverage outside of 0.93 to 0.97, {surely:,} of them "
        "by more than chance. [They are all named](coverage_cells.md); the file coverage_cells.csv has them, too."
    )
    return lines


def all_named(outside: Sequence[Row]) -> list[str]:
    """Write the page that names every cell outside of 0.93 and 0.97, law by law."""
    lines = [
        "# Cells with a coverage outside of 0.93 and 0.97\n",
        "These are all cells whose measured coverage is below 0.93 or above 0.97. In bold: cells that chance does not",
        "explain, because the 95 % interval of their coverage has nothing in common with 0.93 to 0.97.",
        "[What was measured, and how](coverage.md); `benchmarks/coverage_study.py` writes this page.",
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
