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
    return [float(share) for share in (np.nan_to_num(found, nan=1.0) <= LEVEL).mean(axis=0)]


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


HEAD = ""
READING = ""
ELSEWHERE = ""


if __name__ == "__main__":
    main()
