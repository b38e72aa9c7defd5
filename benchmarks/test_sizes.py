"""How often each test rejects at 5 %, if its hypothesis is true (its size) and if it is not (its power).

python benchmarks/test_sizes.py [--replicates 1000] [--studies mcnemar,areas,...] [--rows build/test_sizes.jsonl]
                                [--seed 2034]
python benchmarks/test_sizes.py --page [--rows build/test_sizes.jsonl]

A run writes a row for each case as soon as that is done; one that is stopped goes on with what is missing. The page is
docs/benchmarks/test_sizes.md.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import beta

from harness import DOCS, markdown
from test_sizes_studies import LEVEL, STUDIES, Case, Study

Row = Mapping[str, Any]

LEAST, MOST = 0.04, 0.06


def measured(case: Case, replicates: int, generator: np.random.Generator) -> list[float]:
    """How often each test rejects; a test without a p-value does not."""
    if case.exact is not None:
        return [float(share) for share in case.exact()]
    assert case.draw is not None
    found = np.array([case.draw(generator) for _ in range(replicates)], float)
    shares = found if case.rates else np.nan_to_num(found, nan=1.0) <= LEVEL
    return [float(share) for share in shares.mean(axis=0)]


def read(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def run(options: argparse.Namespace) -> None:
    there = {(row["study"], row["case"]) for row in read(options.rows)}
    names = options.studies.split(",")
    cases = [(name, case) for name in names for case in STUDIES[name].cases()]
    with options.rows.open("a") as out:
        for done, (name, case) in enumerate(cases):
            if (name, case.name) in there:
                continue
            replicates = max(1, options.replicates // STUDIES[name].fewer)
            generator = np.random.default_rng([options.seed, *f"{name}, {case.name}".encode()])
            row = {
                "study": name,
                "case": case.name,
                "power": case.power,
                "replicates": 0 if case.exact is not None else replicates,
                "rejected": measured(case, replicates, generator),
            }
            out.write(json.dumps(row) + "\n")
            out.flush()
            print(f"{done + 1} of {len(cases)} cases", end="\r", flush=True)


def bounds(row: Row, share: float) -> tuple[float, float]:
    """Exact 95 % interval of a measured share; of a share that was counted, the share itself."""
    n = row["replicates"]
    if n == 0:
        return share, share
    k = round(share * n)
    low = 0.0 if k == 0 else float(beta.ppf(0.025, k, n - k + 1))
    high = 1.0 if k == n else float(beta.ppf(0.975, k + 1, n - k))
    return low, high


def shown(row: Row, share: float) -> str:
    """Sizes that are surely too large are bold, those that are surely too small are in italics."""
    low, high = bounds(row, share)
    text = f"{share:.3f}"
    if row["power"]:
        return text
    return f"**{text}**" if low > MOST else f"*{text}*" if high < LEAST else text


def surely_above(rows: Sequence[Row], column: int) -> list[bool]:
    """Whether each size of a column is above 0.06 by more than chance."""
    own = [(row, row["rejected"][column]) for row in rows if not row["power"]]
    return [bounds(row, share)[0] > MOST for row, share in own]


def table_of(study: Study, rows: Sequence[Row]) -> str:
    body = [
        [
            f"power: {row['case']}" if row["power"] else row["case"],
            *(shown(row, share) for share in row["rejected"]),
        ]
        for row in rows
    ]
    return markdown(["case", *study.columns], body)


def summary(found: Mapping[str, Sequence[Row]]) -> str:
    """One line a test of ours: how its sizes lie, and its power beside the best other column."""
    lines = []
    for name, rows in found.items():
        study = STUDIES[name]
        sizes = [row for row in rows if not row["power"]]
        powers = [row for row in rows if row["power"]]
        for i in range(study.peers):
            own = [(row, row["rejected"][i]) for row in sizes]
            above = sum(surely_above(rows, i))
            below = sum(bounds(row, share)[1] < LEAST for row, share in own)
            behind = [max(row["rejected"]) - row["rejected"][i] for row in powers]
            lines.append(
                [
                    study.name,
                    study.columns[i],
                    str(len(own)),
                    str(len(own) - above - below),
                    str(below),
                    str(above),
                    f"{min(share for _, share in own):.3f}",
                    f"{max(share for _, share in own):.3f}",
                    f"{np.mean(behind):.3f}" if behind else "",
                ]
            )
    heads = [
        "tests",
        "column",
        "cells",
        "0.04-0.06",
        "below",
        "above",
        "least",
        "largest",
        "behind the best power",
    ]
    return markdown(heads, lines)


def samples(rows: Sequence[Row]) -> str:
    drawn = [f"{n:,}" for n in sorted({row["replicates"] for row in rows} - {0})]
    told = " or ".join(filter(None, (", ".join(drawn[:-1]), *drawn[-1:])))
    return f"{told} samples per case." if drawn else ""


def write_page(rows: Sequence[Row]) -> None:
    found = {name: [row for row in rows if row["study"] == name] for name in STUDIES}
    found = {name: own for name, own in found.items() if own}
    fine = [not any(surely_above(own, i)) for name, own in found.items() for i in range(STUDIES[name].peers)]
    lines = [
        "# Size and power of every test\n",
        HEAD.format(tests=len(fine), fine=sum(fine)),
        READING,
        "## All tests\n",
        summary(found),
        "",
        ELSEWHERE,
    ]
    for name, own in found.items():
        study = STUDIES[name]
        words = " ".join(filter(None, (study.words, samples(own))))
        lines += [f"\n## {study.name}\n", f"{words}\n", table_of(study, own)]
    lines.append(METHOD)
    path = DOCS / "test_sizes.md"
    path.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    print(f"written to {path}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--replicates", type=int, default=1000)
    parser.add_argument("--studies", default=",".join(STUDIES))
    parser.add_argument("--rows", type=Path, default=Path("test_sizes.jsonl"))
    parser.add_argument("--seed", type=int, default=2034)
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    if options.page:
        write_page(read(options.rows))
    else:
        # Others warn of what a case is about: ties, or a row of zeros.
        warnings.simplefilter("ignore")
        run(options)


HEAD = """\
How often does each test reject at 5 %? Two shares were measured: the size, if its hypothesis is true, which should be
0.04 to 0.06; and the power, if it is not. Of {tests} tests and variants of tests, {fine} never reject more than 6 % by
more than chance. The others are named first, with what is done about them.
"""


READING = """\
## Where tests reject too often

A test that is known to reject too often has a note (`reason`) with a more cautious p-value where it makes a difference.
The p-value itself stays as published, or as the interval has it. `With its note` in the tables is the size for a reader
who takes the p-value of the note.

- **Areas under the ROC curve**, with fewer than about ten instances of a class. DeLong's z rejects up to 10 %. The note
  has Student's t with the degrees of freedom that a rare class leaves (2 to 5 % in 1,000 samples of eight laws). With
  fewer than five instances the p-value is read off the interval, which is made from the limits of both areas.
- **Accuracies of groups of instances**, if few of the smaller group are wrong. The pooled z rejects up to 8 % (10 %
  with 5 and 300 instances). The note sums over all counts (Storer & Kim 1990): at most 5.3 %, and 6.2 % with 5 and 300
  instances.
- **Skewed losses.** The paired t rejects 11 % of samples of ten exponential losses and 17 % of ten lognormal ones. The
  note has Johnson's t (1978): 6 and 8 %, and no more than 5 % from 40 instances on. Hall's cubic is no better (9 % of
  ten lognormal losses, 20,000 samples). Johnson's t with 1.5 times the skewness has 6 %, but 9 % with Student's t with
  3 degrees of freedom.
- **Losses that are rarely very large.** If a model is far off on one of 50 instances, most samples of ten have no such
  instance, and all differences are the same. The paired t then has no p-value, and a reason. Sign flips and Wilcoxon's
  test assume symmetric differences: of such samples of ten they reject 80 %. Wilcoxon's test rejects more the larger
  the sample.
- **Cross-validation, 5x2cv.** The tests reject up to 19 % with 40 instances or fewer, because both learners' features
  differ by chance on the one data set that all folds share. The note has the corrected t of the same ten differences:
  at most 5 %. With 200 instances it finds as much as the F.
- **Cross-validation, corrected t of 3 x 10 folds.** It rejects 1 to 8 %, most if both learners are near chance. Folds
  then have more in common than its correction allows for: 1.1 to 1.5 times as much with ridge regression, centroids and
  naive Bayes (7 to 9 %; 14 to 24 % with ridge regression of few features), and 2 to 3 times with trees of one split (14
  to 23 %). Nine degrees of freedom do not cure it (10 to 18 % with such trees). The note has two and a half times the
  correction and the degrees of freedom of one run: at most 4.5 % over all learners tried, of which naive Bayes, trees
  and support vectors were tried afterwards. With two or three folds the correction is enough.
- **Differences of scores of labels**, if a rare class is found in half of its instances. The tests reject 8 to 12 %
  with 150 instances, on nine of which the models disagree. The note exchanges the labels of both models: 3 to 4 %. The
  test of balanced accuracy is worth having all the same: where accuracies hardly differ but a rare class is found in 85
  and 50 % of its instances, it finds this many times as often as McNemar's test.
- **Two clusterings into two clusters** whose models are never both wrong, or never both right: up to 7 %. The models
  are equally good if they are right equally often, or if both together are as often right as wrong. The note has the
  larger of the p-values of two sign tests: at most 5 %.
- **Finner's correction**, if some hypotheses are false. It makes a false claim in 13 % of the families of 20
  independent tests of which two are surely rejected, and in 50 to 55 % of those of 60 of which 30 are. It rejects
  hardly more than Benjamini and Hochberg's, and limits the same rate.
- **Li's correction**, if hypotheses are alike: up to 13 %. The tables of pairs that the package prints say so. Holm's,
  Hochberg's and Hommel's corrections hold their level.

## Where tests reject too seldom

These sizes are below 0.04, and stay there:

- tests of few disagreements, whose p-values have few possible values (a randomised test would reach 0.05);
- p-values by chance of small tables, which count ties in full;
- Friedman's chi-square of few data sets (Iman and Davenport's F is nearer);
- the dip of laws with a peak, because its level must hold for uniform data;
- corrections for families of hypotheses that are alike.
"""


ELSEWHERE = """\
Tests on other pages: [equal goodness on the grid of laws](coverage.md#size-and-power-of-the-tests), [tests over data
sets](rank_tests.md), [tests of clusters](cluster_tests.md) (`clusters_test`, `clusters_dip_test`, `tree_test`,
`cluster_difference_test`), and [areas, groups, raters](classifier_coverage.md). Several raters have intervals, but no
test. The power of the dip is not compared, because no library used here tests the same hypothesis.
"""


METHOD = """\

## How it was measured

`python benchmarks/test_sizes.py` measures it again. Each test stands beside others of the same hypothesis, from SciPy
and statsmodels if they have one. Where all samples can be counted, sizes are sums over all of them and have no error.
The others are shares of samples: bold if their 95 % interval lies above 0.06, in italics if it lies below 0.04.

The laws are mostly unlike those of the other pages: rare classes, few instances, ties, heavy tails, up to 60 models or
clusters. None was used to choose anything in a test, except for scores of groups.

## What was changed

- **Scores of groups other than the accuracy (MOVER).** They now reject at most 7 % of 500 samples, none surely above 6
  %. Before, balanced accuracy rejected up to 14 % and macro F1 up to 9 %: the limits of classes with one or two
  instances, and the error of a table in which a rare class is never right, were too close. If a class occurs in only
  one of the groups, balanced accuracies are means over different classes, and there is no test. Some of the laws above
  were in view when these intervals were made. Of 44 laws drawn afterwards for balanced accuracy (2 to 20 classes, a
  tenth to a half of the instances in the smaller group), at most 6.1 % of the samples were rejected. Of 25 laws for
  macro F1 (3 to 12 classes), at most 7.1 % of the samples with all classes in both groups were; but 7.7 and 9.1 % under
  two laws under which nine samples in ten lack a class.
- **The dip of rounded values** rejected 84 to 100 % of samples of 66 values or more. Values are now spread over the
  range that was rounded to them. This was changed when it was seen here.
- **Equal losses.** The paired t rejected 83 % of samples in which all differences are the same. It now has no p-value
  there. This, too, was changed when it was seen here.
"""


if __name__ == "__main__":
    main()
