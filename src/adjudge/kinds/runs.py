"""What scores vary with where each unit was judged in several runs, and whether more units or more runs would help."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from adjudge.errors import Option
from adjudge.indices.record import Index
from adjudge.inference.influence import Influence
from adjudge.inference.refusals import RefusedError
from adjudge.inference.sampling_design import Components, Drawn
from adjudge.kinds.sample import Sample
from adjudge.presentation.numbers import count, percent_text
from adjudge.results.notice import Notice

__all__ = ["about_difference_in_runs", "about_runs", "components_of", "details_of_runs"]

# Shares of an error that are said to be alike.
_ALIKE = 0.005
# With fewer runs, intervals of 95 % cover in 90 % where runs differ much.
_FEW = 5


def components_of(
    sample: Sample,
    records: Iterable[Index],
    influence: Callable[[Index], Influence],
    drawn: Callable[[Index], Drawn],
) -> dict[str, Components]:
    """Return what each score varies with; without runs, or with one, nothing is known of that.

    Parameters
    ----------
    sample : Sample
    records : iterable of Index
    influence : callable
        Returns the influence of each row on a score.
    drawn : callable
        Returns how the rows were drawn that a score is of.
    """
    found = {}
    if sample.runs is None:
        return {}
    for record in records:
        try:
            own = influence(record)
        except RefusedError:
            continue
        design = drawn(record)
        parts = design.components(own.psi) if own.psi.size == design.unit.size else None
        if parts is not None and own.known:
            found[record.name] = parts
    return found


def details_of_runs(sample: Sample, found: Mapping[str, Components]) -> dict[str, Any]:
    """Return the same as plain data, for the details of a result."""
    if sample.runs is None:
        return {}
    scores = {
        name: {
            "of_units": own.of_units,
            "of_runs": own.of_runs,
            "of_rest": own.of_rest,
            "with_twice_the_units": own.with_more(units=2),
            "with_twice_the_runs": own.with_more(runs=2),
        }
        for name, own in found.items()
    }
    return {"runs": {"n_runs": sample.runs.n_units, "scores": scores}}


def about_difference_in_runs(cases: Mapping[str, Any], records: Sequence[Index]) -> tuple[Notice, ...]:
    """Say what would make the first difference of the first two models more certain, if units cross runs.

    Parameters
    ----------
    cases : mapping of str to Case
    records : sequence of Index
    """
    first, *others = cases.values()
    found = components_of(
        first.sample,
        records[:1],
        lambda record: (
            first.influence(record) - others[0].influence(record) if others else first.influence(record)
        ),
        first.drawn,
    )
    return about_runs(first.sample, found, "difference of " if others else "")


def about_runs(sample: Sample, found: Mapping[str, Components], of_what: str = "") -> tuple[Notice, ...]:
    """Say what would make the first of some scores more certain, if units cross runs."""
    if sample.runs is None:
        return ()
    n_runs = sample.runs.n_units
    if n_runs < 2:
        message = "with one run, how runs vary is not known, and intervals are for this run"
        return (Notice("runs", message, severity="info"),)
    if not sample.each.crosses_runs:
        message = "no unit was judged in two runs, so that how runs vary is not known, and intervals are for these runs"
        return (Notice("runs", message, ("judge units in several runs, or leave out ", Option("runs"))),)
    few = ""
    if n_runs < _FEW:
        few = f"; {count(n_runs, 'run')} hardly tell how runs vary, and intervals may be too narrow"
    name, parts = next(iter(found.items()), ("", None))
    if parts is None or not parts.of_units + parts.of_runs + parts.of_rest > 0:
        return (Notice("runs", f"intervals are for new units in new runs{few}", severity="info"),)
    units, runs = parts.with_more(units=2), parts.with_more(runs=2)
    better = (
        "both help alike"
        if abs(runs - units) < _ALIKE
        else f"{'units' if runs > units else 'runs'} help more"
    )
    message = (
        f"{of_what}{name}: twice as many units would leave {percent_text(units)} of the error, twice as many runs "
        f"{percent_text(runs)}: {better}{few}"
    )
    return (Notice("runs", message, severity="info"),)
