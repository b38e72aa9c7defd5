"""Two models head to head over many data sets: the Prayatul matrix pooled, by data set, and with each one left out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from adjudge.indices.comparative import comparative_deviation
from adjudge.presentation import notebook
from adjudge.presentation.equal_by_content import ByValue
from adjudge.presentation.numbers import show_number
from adjudge.presentation.plain import plain_json
from adjudge.presentation.tables import Table
from adjudge.statistics.agreement import BETTER_CELLS, CELL_SYMBOLS, CELLS, OF_NUMBERS, UNITS, Agreement


def pooled(agreements: Mapping[str, Agreement]) -> Agreement:
    """Add up the counts of all data sets."""
    return Agreement(*(sum(getattr(a, cell) for a in agreements.values()) for cell in CELLS))


@dataclass(frozen=True, eq=False, repr=False)
class AcrossDatasets(ByValue):
    """The Prayatul matrix of a primary model and an alternative on each of several data sets.

    Attributes
    ----------
    primary, alternative : str
    kind : {"clustering", "classification", "regression", "values"}
    by_dataset : dict of str to Agreement
    """

    primary: str
    alternative: str
    kind: str
    by_dataset: dict[str, Agreement]

    @property
    def pooled(self) -> Agreement:
        """Counts of all data sets added up: large data sets weigh more (pairs grow with the square of their size)."""
        return pooled(self.by_dataset)

    @property
    def deviations(self) -> dict[str, float]:
        """Comparative deviation sigma_c by data set: above 0 if the primary model is right more often."""
        return {name: comparative_deviation.of(a) for name, a in self.by_dataset.items()}

    @property
    def pooled_deviation(self) -> float:
        """Sigma_c of the pooled counts."""
        return comparative_deviation.of(self.pooled)

    @property
    def mean_deviation(self) -> float:
        """Mean of sigma_c over the data sets on which it is defined, equally weighted."""
        known = [value for value in self.deviations.values() if not math.isnan(value)]
        return math.fsum(known) / len(known) if known else math.nan

    def without(self, dataset: str) -> AcrossDatasets:
        """Leave one data set out."""
        rest = {name: a for name, a in self.by_dataset.items() if name != dataset}
        return AcrossDatasets(self.primary, self.alternative, self.kind, rest)

    @property
    def decisive(self) -> list[str]:
        """Data sets each of which, when left out, gives the pooled sigma_c the other sign, or none."""
        side = _side(self.pooled_deviation)
        if side == 0:
            return []
        return [name for name in self.by_dataset if _side(self.without(name).pooled_deviation) != side]

    def table(self) -> Table:
        """One row per data set, then the pooled counts."""
        cells = BETTER_CELLS if self.kind in OF_NUMBERS else CELL_SYMBOLS
        columns = ("data set", *cells.values(), "sigma_c", "pooled sigma_c without it")
        rows = [
            (
                name,
                *(getattr(agreement, cell) for cell in cells),
                comparative_deviation.of(agreement),
                self.without(name).pooled_deviation,
            )
            for name, agreement in self.by_dataset.items()
        ]
        whole = self.pooled
        rows.append(("pooled", *(getattr(whole, cell) for cell in cells), self.pooled_deviation, None))
        title = f"{self.primary} against {self.alternative}: {UNITS[self.kind]}"
        return Table(columns, tuple(rows), title)

    @property
    def headline(self) -> str:
        """Which model is right more often over all data sets, and whether one data set decides that."""
        favoured = {1: self.primary, -1: self.alternative}.get(_side(self.pooled_deviation))
        what = "better" if self.kind in OF_NUMBERS else "right"
        found = f"{favoured or 'neither'} is {what} more often"
        text = f"Pooled over {len(self.by_dataset)} data sets, {found}"
        text += f" (sigma_c = {show_number(self.pooled_deviation)})"
        if self.decisive:
            return f"{text}, but only because of {' or '.join(self.decisive)}"
        return f"{text}; no single data set decides that" if favoured else text

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "primary": self.primary,
            "alternative": self.alternative,
            "pooled_sigma_c": plain_json(self.pooled_deviation),
            "mean_sigma_c": plain_json(self.mean_deviation),
            "decisive": self.decisive,
            "by_dataset": {
                name: {cell: getattr(a, cell) for cell in CELLS} for name, a in self.by_dataset.items()
            },
        }

    def __repr__(self) -> str:
        return f"{self.headline}\n\n{self.table().text()}"

    def _repr_html_(self) -> str:
        return notebook.fragment(notebook.sentence(self.headline), notebook.table(self.table()))


def _side(value: float) -> int:
    return 0 if math.isnan(value) or value == 0 else 1 if value > 0 else -1
