"""Shared parts of the studies: cells that count how often intervals hold and tests reject, their file and tables.

A study is a list of settings. A setting is a law with a number of instances, and draws samples. Each sample gives, by
name, either an interval and the true value, or the p-value of a test. A cell counts the outcomes for one name.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
import warnings
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binomtest

RESULTS = Path(__file__).resolve().parent.parent / "docs" / "studies"
#: Requirements on a nominal 95 % interval: the band for its coverage, and the coverage below which it fails.
LEAST, MOST, FAILS = 0.92, 0.98, 0.90
#: Largest width, relative to an interval from the known standard deviation, with at least this many instances.
WIDE, MANY = 1.15, 300
#: Level of the tests, and the share of rejections above which a test rejects too often.
LEVEL, TOO_OFTEN = 0.05, 0.06

Generator = np.random.Generator
#: An interval (anything with `low` and `high`) and the true value, or a p-value; None if there is neither.
Found = tuple[Any, float] | float | None
Sample = Callable[[Generator], Mapping[str, Found]]


@dataclass(frozen=True)
class Setting:
    """A law with a number of instances, and how a sample from it is drawn and judged.

    `fewer` divides the number of samples if a sample takes long.
    """

    part: str
    law: str
    n: int
    sample: Sample
    fewer: int = 1


@dataclass(frozen=True)
class Cell:
    """The outcomes for one index or test, under a law with a number of instances.

    For intervals: how many samples were drawn, how many had an interval (`given`), how many of these are one-sided, and
    how many hold the true value; `width` is the median width relative to an interval from the known standard deviation.
    For tests: how many samples were `rejected`; a sample without a p-value is not.
    """

    part: str
    law: str
    n: int
    name: str
    drawn: int
    given: int
    one_sided: int | None = None
    held: int | None = None
    width: float | None = None
    rejected: int | None = None

    @property
    def judged(self) -> bool:
        """Whether at least half of the samples have a two-sided interval."""
        return self.one_sided is not None and 2 * (self.given - self.one_sided) >= self.drawn

    @property
    def coverage(self) -> float:
        """Share of the intervals that hold the true value, one-sided ones included."""
        return math.nan if self.held is None or not self.given else self.held / self.given

    @property
    def refused(self) -> float:
        """Share of the samples without an interval."""
        return 1 - self.given / self.drawn

    @property
    def within(self) -> bool:
        """Whether the coverage lies in the band."""
        return LEAST <= self.coverage <= MOST

    @property
    def may_be_within(self) -> bool:
        """Whether the 95 % interval of the coverage meets the band."""
        low, high = wilson(self.held or 0, self.given)
        return low <= MOST and high >= LEAST

    @property
    def rate(self) -> float:
        """Share of the samples in which the test rejects."""
        return math.nan if self.rejected is None else self.rejected / self.drawn

    @property
    def surely_too_often(self) -> bool:
        """Whether the 95 % interval of the share of rejections lies entirely above `TOO_OFTEN`."""
        return self.rejected is not None and wilson(self.rejected, self.drawn)[0] > TOO_OFTEN


def wilson(k: int, n: int) -> tuple[float, float]:
    """Return the 95 % interval of a share."""
    ends = binomtest(k, n).proportion_ci(0.95, "wilson")
    return float(ends.low), float(ends.high)


def p_of(difference: Any) -> float:
    """Return the p-value of a difference, or nan if it has none."""
    return math.nan if difference is None or difference.p_value is None else difference.p_value


@dataclass
class Tally:
    """Collects the results of the samples of a setting for one name."""

    given: int = 0
    one_sided: int = 0
    held: int = 0
    rejected: int | None = None
    widths: list[float] = field(default_factory=list)
    estimates: list[float] = field(default_factory=list)

    def add(self, found: Found) -> None:
        """Count one sample."""
        if isinstance(found, tuple):
            self._interval(*found)
        elif found is not None:
            self.given += not math.isnan(found)
            self.rejected = (self.rejected or 0) + (found <= LEVEL)

    def _interval(self, interval: Any, truth: float) -> None:
        if interval is None or interval.low is None or not math.isfinite(interval.low) or math.isnan(truth):
            return
        low, high = interval.low, interval.high
        slack = 1e-9 * max(1.0, abs(truth))  # rounding must not decide if the truth is an end of the interval
        estimate = getattr(interval, "estimate", None)
        estimate = interval.value if estimate is None else estimate
        self.given += 1
        self.held += low - slack <= truth <= high + slack
        self.one_sided += min(estimate - low, high - estimate) < 1e-12
        self.widths.append(high - low)
        self.estimates.append(estimate)

    def cell(self, setting: Setting, name: str, drawn: int) -> Cell:
        """Summarize the counts as a cell."""
        where = setting.part, setting.law, setting.n, name
        if self.rejected is not None:
            return Cell(*where, drawn, self.given, rejected=self.rejected)
        width = None
        if self.widths:
            spread = 3.92 * float(np.std(self.estimates))
            width = round(float(np.median(self.widths)) / spread, 3) if spread > 0 else math.inf
        return Cell(*where, drawn, self.given, self.one_sided, self.held, width)


def measure(setting: Setting, replicates: int) -> list[Cell]:
    """Draw the samples of a setting, with a seed from its law and its number of instances."""
    rng = np.random.default_rng(zlib.crc32(f"{setting.law}{setting.n}".encode()))
    drawn = max(1, replicates // setting.fewer)
    tallies: dict[str, Tally] = {}
    for _ in range(drawn):
        for name, found in setting.sample(rng).items():
            tallies.setdefault(name, Tally()).add(found)
    return [tally.cell(setting, name, drawn) for name, tally in tallies.items()]


def arguments(description: str | None, replicates: int) -> argparse.ArgumentParser:
    """Make the parser of the arguments that all studies share."""
    parser = argparse.ArgumentParser(description=(description or "").split("\n", 1)[0])
    parser.add_argument("--replicates", type=int, default=replicates, help="samples of each law")
    parser.add_argument("--out", type=Path, help="file of all cells; by default one of docs/studies")
    parser.add_argument(
        "--only", default="", help="only parts and laws whose names contain this; others stay"
    )
    return parser


def run(settings: Iterable[Setting], options: argparse.Namespace) -> list[Cell]:
    """Measure settings, write their cells, and print a table by part."""
    warnings.simplefilter("ignore")  # many samples cause warnings by design
    out = options.out or RESULTS / f"{Path(sys.argv[0]).stem}.csv"
    chosen = [own for own in settings if options.only in f"{own.part}: {own.law}"]
    measured = {(own.part, own.law, own.n) for own in chosen}
    cells = [own for own in read(out) if (own.part, own.law, own.n) not in measured] if options.only else []
    for done, setting in enumerate(chosen, 1):
        cells += measure(setting, options.replicates)
        write(cells, out)
        told = f"{done} of {len(chosen)}: {setting.part}: {setting.law}, {setting.n:,}"
        print(f"\r{told:79.79}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    for kind in (coverages, sizes):
        print("\n".join(kind(cells, lambda cell: cell.part)), end="\n\n")
    return cells


def write(cells: Sequence[Cell], path: Path) -> None:
    """Write a file of cells, one per line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as out:
        table = csv.writer(out, lineterminator="\n")
        table.writerow([own.name for own in fields(Cell)])
        table.writerows(["" if value is None else value for value in astuple(cell)] for cell in cells)


def read(path: Path) -> list[Cell]:
    """Read a file of cells; return none if there is no file."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as lines:
        return [_cell(line) for line in csv.DictReader(lines)]


def _cell(line: Mapping[str, str]) -> Cell:
    def number(name: str) -> int | None:
        return int(line[name]) if line[name] else None

    where = line["part"], line["law"], int(line["n"]), line["name"], int(line["drawn"]), int(line["given"])
    width = float(line["width"]) if line["width"] else None
    return Cell(*where, number("one_sided"), number("held"), width, number("rejected"))


def markdown(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table."""
    return [f"| {' | '.join(row)} |" for row in (columns, ["---"] * len(columns), *rows)]


def percent(part: Sequence[Any], of: Sequence[Any]) -> str:
    """Return a share as text."""
    return f"{100 * len(part) / len(of):.1f} %" if of else "-"


def by_family(cells: Sequence[Cell], family: Callable[[Cell], str]) -> str:
    """Return a table of coverage, refusals and width by family; of cells with 30 intervals or more."""
    rows = []
    for name, own in grouped(cells, family):
        given = [cell for cell in own if cell.given >= 30]
        refused = 1 - sum(cell.given for cell in own) / sum(cell.drawn for cell in own)
        row = [name, f"{len(given)}", "", "", f"{round(100 * refused)} %", ""]
        if given:
            covered = sorted(cell.coverage for cell in given)
            row[2:4] = (
                f"{np.mean(covered):.2f}, {covered[0]:.2f}",
                f"{sum(value < FAILS for value in covered)}",
            )
            row[5] = f"{float(np.median([cell.width for cell in given if cell.width])):.2f}"
        rows.append(row)
    columns = ("", "cells", "coverage: mean, least", f"below {FAILS:.2f}", "refused", "width")
    return "\n".join(markdown(columns, rows))


COVERED = (
    "", "cells", "judged", "0.92-0.98", "chance allowed for", "above", "below 0.90", "lowest", "refused",
)  # fmt: skip
COVERAGES = (*COVERED, "width within 1.15")


def coverage_row(name: str, cells: Sequence[Cell]) -> list[str]:
    """Summarize cells of intervals: how many are judged, in the band, above it or below 0.90; refusals and widths."""
    judged = [cell for cell in cells if cell.judged]
    wide = [cell for cell in judged if cell.n >= MANY and not cell.one_sided and cell.width is not None]
    lowest = min((cell.coverage for cell in judged), default=math.nan)
    return [
        name,
        f"{len(cells):,}",
        f"{len(judged):,}",
        percent([cell for cell in judged if cell.within], judged),
        percent([cell for cell in judged if cell.may_be_within], judged),
        percent([cell for cell in judged if cell.coverage > MOST], judged),
        f"{sum(cell.coverage < FAILS for cell in judged)}",
        "-" if math.isnan(lowest) else f"{lowest:.3f}",
        f"{100 * float(np.mean([cell.refused for cell in cells])):.1f} %",
        percent([cell for cell in wide if (cell.width or 0) <= WIDE], wide),
    ]


def coverages(cells: Sequence[Cell], by: Callable[[Cell], str]) -> list[str]:
    """Return the lines of a table of intervals."""
    own = [cell for cell in cells if cell.held is not None]
    return markdown(COVERAGES, [coverage_row(name, group) for name, group in grouped(own, by)]) if own else []


def sizes(cells: Sequence[Cell], by: Callable[[Cell], str]) -> list[str]:
    """Return the lines of a table of tests."""
    own = [cell for cell in cells if cell.rejected is not None]
    rows = [
        [
            name,
            f"{len(group):,}",
            f"{np.mean([cell.rate for cell in group]):.3f}",
            f"{max(cell.rate for cell in group):.3f}",
            f"{sum(cell.surely_too_often for cell in group)}",
        ]
        for name, group in grouped(own, by)
    ]
    heads = ("", "cells", "rejected on average", "at most", "surely above 0.06")
    return markdown(heads, rows) if own else []


def grouped(cells: Iterable[Cell], by: Callable[[Cell], str]) -> list[tuple[str, list[Cell]]]:
    """Group cells by name, in the order in which the names occur."""
    found: dict[str, list[Cell]] = {}
    for cell in cells:
        found.setdefault(by(cell), []).append(cell)
    return list(found.items())
