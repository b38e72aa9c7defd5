"""Fill the tables of docs/how_far_to_trust.md from the files of the studies.

    python studies/page.py

The text between `<!-- NAME: begin -->` and `<!-- NAME: end -->` is replaced; no figure on the page is typed by hand.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from cells import (
    COVERED,
    FAILS,
    LEVEL,
    RESULTS,
    Cell,
    coverage_row,
    coverages,
    grouped,
    markdown,
    percent,
    read,
    sizes,
)

PAGE = RESULTS.parent / "how_far_to_trust.md"
PARTITIONS = ("partitions_elsewhere", "partitions_grid", "points")
TESTS = ("partitions_grid", "classifiers", "tests_of_labels", "tests_over_data_sets", "tests_of_clusters")
#: Lines of exceptions on the page; the files have all.
MOST_LINES = 3
#: Number of indices that are named for a law and a number of rows.
MOST_NAMES = 3
MOST_BYTES = 12_288
#: Samples that a cell needs for a meaningful coverage.
FEWEST = 100


def cells_of(*studies: str) -> list[Cell]:
    return [cell for study in studies for cell in read(RESULTS / f"{study}.csv")]


def in_short() -> list[str]:
    """Summarize each study in one sentence."""
    lines = []
    for what, own in (
        (
            "partitions under laws unseen by those who wrote the intervals",
            cells_of("partitions_elsewhere"),
        ),
        ("classifiers", cells_of("classifiers")),
        ("scores of rows in units, with `units=`", cells_of("units")),
        ("the same scores, if the rows are treated as independent", cells_of("units_ignored")),
    ):
        judged = [cell for cell in own if cell.judged]
        if judged:
            lines.append(
                f"- Of {len(judged):,} cells of {what}, {percent([cell for cell in judged if cell.within], judged)} "
                f"have a coverage of 0.92 to 0.98; below 0.90: {sum(cell.coverage < FAILS for cell in judged)}."
            )
    return lines


def partitions() -> list[str]:
    rows = []
    for study in PARTITIONS:
        for part, own in grouped(
            (cell for cell in cells_of(study) if cell.held is not None), lambda cell: cell.part
        ):
            rows.append(coverage_row(part + ", unseen laws" * (study == "partitions_elsewhere"), own))
    return markdown(HEADS, rows)


HEADS = (*COVERED, "width")


def classifiers() -> list[str]:
    lines = coverages(cells_of("classifiers", "operating_points"), lambda cell: cell.part)
    return [*markdown(HEADS, []), *lines[2:]]


def units() -> list[str]:
    """Show coverage and rejections for equal models, by law and number of units, with and without the units."""
    ignored, told = (
        dict(grouped(cells_of(study), lambda cell: cell.law)) for study in ("units_ignored", "units")
    )
    rows = []
    for law in dict.fromkeys([*ignored, *told]):
        both = ignored.get(law, []), told.get(law, [])
        shown = [by_units(own, which) for which in (coverage, apart) for own in both]
        rows.append([law, *shown[:2], by_units(both[1], refused), *shown[2:]])
    heads = ("law", "coverage without", "with `units=`", "refused", "told apart without", "with `units=`")
    return markdown(heads, rows)


def by_units(cells: Sequence[Cell], which: Callable[[Sequence[Cell]], str]) -> str:
    """Return one figure for each number of units."""
    return " / ".join(which(own) for _, own in sorted(grouped(cells, lambda cell: f"{cell.n:03}"))) or "-"


def coverage(cells: Sequence[Cell]) -> str:
    """Return the mean coverage of judged cells."""
    own = [cell.coverage for cell in cells if cell.judged]
    return f"{np.mean(own):.2f}" if own else "-"


def refused(cells: Sequence[Cell]) -> str:
    """Return the share of samples without an interval."""
    return f"{100 * np.mean([cell.refused for cell in cells if cell.held is not None]):.0f} %"


def apart(cells: Sequence[Cell]) -> str:
    """Return how often equal models are told apart, among samples with a p-value."""
    own = [(cell.rejected or 0) / cell.given for cell in cells if cell.rejected is not None and cell.given]
    return f"{np.mean(own):.2f}" if own else "-"


def tests() -> list[str]:
    """Show the sizes of tests, without studies of power and claims that are not tests."""
    own = [cell for cell in cells_of(*TESTS) if not cell.part.startswith(("Power", "Claims"))]
    return sizes(
        own, lambda cell: "Equally good classifiers" if cell.name.startswith("told apart") else cell.part
    )


def gates() -> list[str]:
    """Show, by law, how often a gate errs, and how often it passes equal models."""
    rows = []
    for law, own in grouped(cells_of("gate"), lambda cell: cell.law):
        cells = {(cell.part, cell.name, cell.n): cell for cell in own}
        numbers = list(dict.fromkeys(cell.n for cell in own))
        shown = [
            " / ".join(f"{cells[at].rate:.2f}" for n in numbers if (at := (part, name, n)) in cells)
            for part, name in (
                ("At the margin", "accuracy passes"),
                ("Equally good", "accuracy passes"),
            )
        ]
        if all(shown):
            rows.append([law, " / ".join(f"{n:,}" for n in numbers), *shown])
    heads = (
        "rows",
        "units",
        "worse by the margin: passes",
        "equal: passes",
    )
    return markdown(heads, rows)


def gates_elsewhere() -> list[str]:
    """Show, by kind of law, how often gates err, how often they pass equal models, and how often intervals hold."""
    rows = []
    for part, own in grouped(cells_of("gate_elsewhere"), lambda cell: cell.part):
        told = [cell for cell in own if cell.rejected is not None and 2 * cell.given >= cell.drawn]
        wrong = [cell for cell in told if cell.law.endswith("at the margin")]
        worst = max(wrong, key=passes)
        equal = [passes(cell) for cell in told if cell.law.endswith("equally good")]
        held = [cell.coverage for cell in own if cell.judged]
        rows.append(
            [
                part,
                f"{np.mean([passes(cell) for cell in wrong]):.2f}",
                f"{passes(worst):.2f} ({worst.n})",
                f"{np.mean(equal):.2f}",
                f"{np.mean(held):.2f}, {min(held):.2f}" if held else "-",
            ]
        )
    heads = ("", "worse by the margin: passes", "at most (of)", "equal: passes", "coverage: mean, least")
    return markdown(heads, rows)


def passes(cell: Cell) -> float:
    """Return the share of gates that pass, among those that decide."""
    return (cell.rejected or 0) / cell.given


def exceptions() -> list[str]:
    """Name the cells below 0.90: all of those for rows in units and for unseen laws, and the lowest of the rest."""
    named = below(cells_of("units")) + below(cells_of("partitions_elsewhere"))
    others = below(cells_of("partitions_grid", "points", "classifiers"))
    more = f"- and {len(others) - MOST_LINES} more laws, which the files name"
    return [*named, *others[:MOST_LINES], *([more] if len(others) > MOST_LINES else [])] or ["None."]


def below(cells: Iterable[Cell]) -> list[str]:
    """Return one line for each law with judged cells below 0.90, the lowest first."""
    failed = [cell for cell in cells if cell.judged and cell.coverage < FAILS]
    laws = grouped(failed, lambda cell: f"{cell.part}: {cell.law}")
    return [
        f"- {law}: "
        + "; ".join(f"{n}: {named(own)}" for n, own in grouped(group, lambda cell: f"{cell.n:,}"))
        for law, group in sorted(laws, key=lambda law: min(cell.coverage for cell in law[1]))
    ]


def named(cells: Sequence[Cell]) -> str:
    lowest = sorted(cells, key=lambda cell: cell.coverage)
    shown = ", ".join(f"{cell.name.replace('_', ' ')} {cell.coverage:.2f}" for cell in lowest[:MOST_NAMES])
    return f"{shown} and {len(lowest) - MOST_NAMES} more" if len(lowest) > MOST_NAMES else shown


def samples() -> list[str]:
    """Say how many samples there were, and how precise a coverage is."""
    drawn = [cell.drawn for cell in cells_of(*PARTITIONS, "classifiers", "units", "units_ignored")]
    most = max(drawn, default=1)
    error = 1.96 * math.sqrt((1 - LEVEL) * LEVEL / most)
    trial = "**This is a trial run, whose figures say nothing yet.** " if most < FEWEST else ""
    return [
        f"{trial}Most cells have {most:,} samples, so a coverage of 0.95 is measured to within {error:.3f}; "
        f"slow cells have fewer, at least {min(drawn, default=1):,}."
    ]


def files() -> list[str]:
    names = [
        f"[{path.stem.replace('_', ' ')}](studies/{path.name})"
        for path in sorted(RESULTS.glob("*.csv"))
        if not path.with_suffix(".md").exists()
    ]
    return [", ".join(names) + "."]


BLOCKS = {
    "in short": in_short,
    "partitions": partitions,
    "classifiers": classifiers,
    "units": units,
    "tests": tests,
    "gates": gates,
    "gates elsewhere": gates_elsewhere,
    "exceptions": exceptions,
    "samples": samples,
    "files": files,
}


def filled(text: str) -> str:
    """Replace every block of a page."""
    for name, block in BLOCKS.items():
        begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
        pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
        if not pattern.search(text):
            raise SystemExit(f"{PAGE.name} lacks the lines {begin} and {end}")
        made = f"{begin}\n\n{joined(block())}\n\n{end}"
        text = pattern.sub(lambda _, made=made: made, text)
    return text


def joined(lines: Iterable[str]) -> str:
    return "\n".join(lines)


def main() -> None:
    text = filled(PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(text, encoding="utf-8")
    size = len(text.encode())
    print(f"{PAGE.name}: {size:,} bytes" + (f", more than {MOST_BYTES:,}" if size > MOST_BYTES else ""))


if __name__ == "__main__":
    main()
