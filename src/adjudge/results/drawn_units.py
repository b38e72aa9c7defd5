"""What a result says about the units that its rows belong to, and about columns that look like units."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from adjudge.errors import Option
from adjudge.given.identifiers import is_name_of_identifiers, pixel_places, repeats, unit_named
from adjudge.inference.refusals import FEW_UNITS, FEWEST_UNITS
from adjudge.presentation.numbers import count, instances, weight_text
from adjudge.results.notice import Notice

# Measured by studies/units.py for such numbers of units.
_MEASURED = (
    f"intervals of {FEWEST_UNITS} to {FEW_UNITS} units may hold less often than they say: "
    "0.85 to 0.98 measured at 0.95"
)

#: The code of the notice that rows may be of units that nobody named.
BELONG_TOGETHER = "rows-belong-together"


@dataclass(frozen=True)
class DrawnUnits:
    """The numbers of rows, units and runs that were judged.

    Attributes
    ----------
    n : int
        Number of rows.
    n_units : int
    effective : float
        Effective number of units (Kish): as many units of equal size would vary as much.
    n_runs : int or None
        Number of runs that units cross.
    """

    n: int
    n_units: int
    effective: float
    n_runs: int | None = None

    @property
    def words(self) -> str:
        """Say "1,000 rows of 60 units", or "of 60 units in 5 runs"."""
        in_runs = "" if self.n_runs is None else f" in {count(self.n_runs, 'run')}"
        return f"{count(self.n, 'row')} of {count(self.n_units, 'unit')}{in_runs}"

    @property
    def hold_several(self) -> bool:
        """Whether any unit has several rows."""
        return self.n > self.n_units

    @property
    def are_few(self) -> bool:
        """Whether any interval is from few units: in runs, some scores count each unit once, whatever its size."""
        numbers = (self.effective,) if self.n_runs is None else (self.effective, self.n_units)
        return any(FEWEST_UNITS <= own < FEW_UNITS for own in numbers)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Say what is known about intervals from few units."""
        if not (self.are_few and self.hold_several):
            return ()
        return (Notice("few-units", _MEASURED, "judge more units, or read the ends with care"),)


class OfSample:
    """What results of a sample of instances have in common."""

    n: float
    units: DrawnUnits | None
    settings: dict[str, Any]
    _instances: Any

    @property
    def n_units(self) -> int | None:
        """Number of units that the rows belong to; None if `units` was not given."""
        return None if self.units is None else self.units.n_units

    @property
    def sample(self) -> str:
        """What was judged: "150 instances", "150 rows of 30 units", or "150 rows that weigh 12.5"."""
        if self.units is not None:
            return self.units.words
        if self.settings.get("weights", "frequency") == "frequency":
            return instances(self.n)
        rows: int | None = getattr(self._instances, "n", None)  # also of those that were not saved
        if rows is None:
            return instances(float(self.n))
        return f"{count(rows, 'row')} that weigh{'s' if rows == 1 else ''} {weight_text(self.n)}"


def units_as_dict(units: DrawnUnits | None) -> dict[str, Any]:
    """Return plain data of the units, for the dictionary of a result; empty if none were given."""
    if units is None:
        return {}
    runs = {} if units.n_runs is None else {"n_runs": units.n_runs}
    return {"n_units": units.n_units, "effective_units": units.effective, **runs}


def repeating_identifier(
    names: Iterable[Any], used: Container[Any], values: Callable[[Any], Any]
) -> tuple[Notice, ...]:
    """Note that a column of identifiers or units repeats, so that rows may belong together, and how to declare that.

    Parameters
    ----------
    names : iterable of str
        All columns of a table.
    used : container of str
        Columns that have another meaning.
    values : callable
        Reads a column, or some of its rows.
    """
    names = list(names)
    no_units = pixel_places(names)
    named = (
        name
        for name in names
        if name not in used
        and name not in no_units
        and str(name).strip()
        and (is_name_of_identifiers(name) or unit_named(name))
    )
    column = next((name for name in named if repeats(values(name))), None)
    return () if column is None else (_belong_together(column),)


def _belong_together(column: Any) -> Notice:
    whose = unit_named(column) or _identified(str(column)) or "value of it"
    return Notice(
        BELONG_TOGETHER,
        f"column {str(column)!r} repeats: rows of one {whose} are alike, but intervals take all rows as independent",
        ("pass ", Option("units", str(column))),
    )


def _identified(column: str) -> str:
    """Return what a column of identifiers identifies: the customer of customer_id."""
    words: Sequence[str] = column.replace("-", "_").replace(" ", "_").lower().split("_")
    return " ".join(words[:-1]) if len(words) > 1 and words[-1] in ("id", "ids", "key", "no", "nr") else ""
