"""The command `adjudge raters`: how well several raters agree, without a known truth."""

from __future__ import annotations

from dataclasses import replace

import adjudge
from adjudge.cli.command import FILES, OUTPUT, Call, command
from adjudge.cli.output import show_work
from adjudge.presentation.numbers import count

__all__ = ["raters"]


@command(
    {
        "What is rated": ("pred", "classes", "indices", "confidence", "units"),
        "Files": ("decimal", *FILES),
        "Output": OUTPUT,
    },
    verb="evaluate",
)
def raters(call: Call) -> None:
    """Measure how well several raters agree: Fleiss' kappa, Gwet's AC1, Krippendorff's alpha.

    Each row is a unit, and each column a rater; an empty cell is a missing rating.

    For example:

    - `adjudge raters reports.csv --raters 'reader_*' --confidence 0.95`
    - `adjudge raters reports.csv --raters ann,bob,eve --classes low,middle,high --indices all`
    """
    with show_work(f"Reading {call.file}"):
        found = adjudge.evaluate(call.file, kind="raters", **call.options)
    names = found.settings["raters"]
    rated = count(found.n, "unit") if found.units is None else found.units.words
    title = f"{rated}, {count(len(names), 'rater')}"
    call.say(found)
    call.output.write(
        data=lambda: {"file": call.shown, "raters": names, **found.to_dict()},
        tables=lambda: [replace(found.table(), title=title), *found.tables()[1:]],
        rows=found.table,
    )
