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
            above = sum(bounds(row, share)[0] > MOST for row, share in own)
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
    drawn = sorted({row["replicates"] for row in rows} - {0})
    return f"{' and '.join(f'{n:,}' for n in drawn)} samples a case." if drawn else ""


def write_page(rows: Sequence[Row]) -> None:
    found = {name: [row for row in rows if row["study"] == name] for name in STUDIES}
    found = {name: own for name, own in found.items() if own}
    lines = [
        "# Size and power of every test\n",
        HEAD,
        "## All tests\n",
        summary(found),
        "",
        READING,
        ELSEWHERE,
    ]
    for name, own in found.items():
        study = STUDIES[name]
        words = " ".join(filter(None, (study.words, samples(own))))
        lines += [f"\n## {study.name}\n", f"{words}\n", table_of(study, own)]
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


HEAD = """How often each test rejects at 5 %: if its hypothesis is true (its size, which should be 0.04 to 0.06),
and if it is not (its power), beside other tests of the same hypothesis, of SciPy and statsmodels where
they have one (`python benchmarks/test_sizes.py`). The laws are mostly unlike those of the other pages:
rare classes, few instances, ties, heavy tails, up to 60 models or clusters. None was used to choose
anything in a test, but for scores of groups; the dip of rounded values and equal losses were mended when they
were seen here. Where all samples can be counted, sizes are summed over them and have no error. The others are
shares of samples: bold if their 95 % interval lies above 0.06, in italics if it lies below 0.04.
"""
READING = """**What is above 0.06**, and what is done about it. `With its note` is the size for a reader who takes the
p-value of the note (`reason`), which is there where it makes a difference; the p-value itself stays as
published, or as the interval has it.

- *Areas under the ROC curve* with fewer than about ten instances of a class: DeLong's z rejects up to 10 %. The note
  has Student's t with the degrees of freedom that a rare class leaves (2 to 5 % in 1,000 samples of eight laws).
  With fewer than five the p-value is read off the interval, which is made from the limits of both areas.
- *Groups of instances*: the pooled z rejects up to 8 % (of 5 and 300 instances, 10 %) if few of the smaller group are
  wrong. The note sums over all counts (Storer & Kim 1990): at most 5.3 %, of 5 and 300 instances 6.2 %.
- *Skewed losses*: the paired t rejects 11 % of samples of ten exponential losses, 17 % of ten lognormal ones. The
  note has Johnson's t (1978): 6 and 8 %, and no more than 5 % from 40 instances on. Hall's cubic is no better (9 % of
  ten lognormal losses, 20,000 samples); Johnson's with 1.5 times the skewness has 6 %, but 9 % of Student's t with 3
  degrees of freedom.
- *Losses that are rarely very large*: if a model is far off on one of 50 instances, most samples of ten have none
  such, and all differences are the same. The paired t rejected 83 % of them; it now has no p-value there, and a reason.
  Sign flips and Wilcoxon's test are of symmetric differences, and reject the more the larger the sample.
- *Cross-validation*: 5x2cv tests reject up to 19 % of 40 instances or fewer, because both learners' features differ by
  chance on the one data set that all folds share. The note has the corrected t of the same ten differences: at most
  5 %. Of 200 instances it finds as much as the F. The corrected t of 3 x 10 folds rejects 1 to 8 %, and most if both
  learners are near chance (40 instances, 1,200 samples: 10 % if they find nothing, 8 % of 0.2 apart, 6 % of 0.4, 3 %
  of 1): folds then have more in common than its correction allows for. It has no note.
- *Differences of scores of labels*, if a rare class is found in half: 8 to 12 % with 150 instances, on nine of which
  the models disagree. The note exchanges the labels of both models: 3 to 4 %. Where accuracies hardly differ, but
  a rare class is found in 85 and 50 %, the test of balanced accuracy finds it many times as often as McNemar's.
- *Scores of groups* other than the accuracy (MOVER) reject at most 7 % of 500 samples, none surely above 6 %. Before,
  balanced accuracy rejected up to 14 % and macro F1 up to 9 %: limits of classes with one or two instances, and the
  error of a table in which a rare class is never right, were too near. If a class occurs in one of the groups alone,
  balanced accuracies are means over different classes, and there is no test.
  Some of the laws below were in view when these intervals were made. Of 44 that were drawn afterwards for balanced
  accuracy (2 to 20 classes, a tenth to a half of the instances in the smaller group) at most 6.1 % of the samples
  were rejected. Of 25 for macro F1 (3 to 12 classes) it was at most 7.1 % of the samples with all classes in both
  groups, but 7.7 and 9.1 % of two laws of which nine samples in ten lack a class.
- *Two clusterings into two clusters* whose models are never both wrong, or never both right: up to 7 %. The note has
  the larger of the p-values of two sign tests, for the models are equally good if they are right equally often, or
  are as often right as wrong together: at most 5 %.
- *The dip of rounded values* was 0.84 to 1.00 of 66 values or more. They are now spread over what was rounded to
  them.
- *Finner's correction*, if some hypotheses are false: 13 % of the families of 20 independent tests of which two are
  surely rejected, 50 to 55 % of those of 60 of which 30 are. It rejects hardly more than Benjamini and
  Hochberg's, and limits the same rate. *Li's*, if hypotheses are alike: up to 13 %. Tables of pairs say so
  below; Holm's, Hochberg's and Hommel's hold their level.

**What is below 0.04**, and stays there: tests of few disagreements, whose p-values are few (a randomised test would
reach 0.05); p-values by chance of small tables, which count ties in full; Friedman's chi-square of few data sets
(Iman and Davenport's F is nearer); the dip of laws with a peak (it must hold for uniform data); corrections for
families of hypotheses that are alike.
"""
ELSEWHERE = """Tests on other pages:
[equal goodness on the grid of laws](coverage.md#size-and-power-of-the-tests), [tests over
data sets](rank_tests.md), [tests of clusters](cluster_tests.md) (`clusters_test`, `clusters_dip_test`, `tree_test`,
`cluster_difference_test`), [areas, groups, raters](classifier_coverage.md). Several raters have intervals, and no
test. The dip has no power beside another test's: no library that is used here has one of the same hypothesis.
"""


if __name__ == "__main__":
    main()
