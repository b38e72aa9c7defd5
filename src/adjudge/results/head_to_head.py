"""One model against another: an ordered pair of what `compare` returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError
from adjudge.presentation import notebook
from adjudge.presentation.tables import Table, show_number
from adjudge.results.plain import plain_json
from adjudge.statistics.agreement import CELLS, UNITS, Agreement

__all__ = ["HeadToHead"]


@dataclass(frozen=True, eq=False, repr=False)
class HeadToHead:
    """One ordered pair of models: the Prayatul matrix and its five measures.

    Attributes
    ----------
    primary, alternative : str
        Names of the models P and Q.
    kind : {"clustering", "classification"}
    agreement : Agreement
        Exact counts of pairs of instances (clustering) or of instances (classification).
    measures : dict of str to float
        The five measures of P against Q; nan where undefined.
    reasons : dict of str to str
        Why a measure is nan.
    intervals : dict of str to tuple
        (low, high) of each measure, where `confidence` was asked for; `interval_reasons` says why one is one-sided.
    test : dict
        Where `confidence` was asked for: `name`, `method`, `hypothesis`, `p_value`, `adjusted_p_value` (Holm, for all
        pairs of models) and `reason` (why it cannot tell anything, else None). McNemar's test for classifiers, a test
        of equal Rand indices for clusterings.
    """

    primary: str
    alternative: str
    kind: str
    agreement: Agreement
    measures: dict[str, float]
    reasons: dict[str, str]
    intervals: dict[str, tuple[float, float]] = field(default_factory=dict)
    interval_reasons: dict[str, str] = field(default_factory=dict)
    test: dict[str, Any] = field(default_factory=dict)
    _instances: Any = None

    @property
    def both_right(self) -> int:
        """BR."""
        return self.agreement.both_right

    @property
    def right_wrong(self) -> int:
        """RW: the primary is right, the alternative wrong."""
        return self.agreement.right_wrong

    @property
    def wrong_right(self) -> int:
        """WR: the primary is wrong, the alternative right."""
        return self.agreement.wrong_right

    @property
    def both_wrong(self) -> int:
        """BW."""
        return self.agreement.both_wrong

    def instances(self, cell: str) -> NDArray[np.int64]:
        """Which instances make up a cell.

        Parameters
        ----------
        cell : {"both_right", "right_wrong", "wrong_right", "both_wrong"}

        Returns
        -------
        ndarray of int64
            Classification: positions in the input, counted from 0. Clustering: for each instance of the input, the
            number of its pairs in the cell (0 for instances that were left out).
        """
        if cell not in CELLS:
            raise InputError(f"cell={cell!r} is not known: choose one of {', '.join(map(repr, CELLS))}")
        if self._instances is None:
            raise InputError("the instances are not known: the comparison was made from counts alone")
        found: NDArray[np.int64] = self._instances(self.primary, self.alternative, cell)
        return found

    def matrix_table(self) -> Table:
        """Return the Prayatul matrix with margins."""
        a = self.agreement
        p, q = self.primary, self.alternative
        return Table(
            ("", f"{q} right", f"{q} wrong", "sum"),
            (
                (f"{p} right", a.both_right, a.right_wrong, a.both_right + a.right_wrong),
                (f"{p} wrong", a.wrong_right, a.both_wrong, a.wrong_right + a.both_wrong),
                ("sum", a.both_right + a.wrong_right, a.right_wrong + a.both_wrong, a.total),
            ),
        )

    def measures_table(self) -> Table:
        """One row a measure."""
        rows = []
        for name, value in self.measures.items():
            interval = self.intervals.get(name)
            extra = (interval[0], interval[1]) if interval else ()
            notes = (self.reasons.get(name), self.interval_reasons.get(name))
            rows.append((name, value, *extra, "; ".join(note for note in notes if note)))
        bounds = ("low", "high") if self.intervals else ()
        return Table(("measure", "value", *bounds, "note"), tuple(rows))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "primary": self.primary,
            "alternative": self.alternative,
            "counts": {cell: getattr(self, cell) for cell in CELLS},
            "measures": plain_json(self.measures),
            "reasons": dict(self.reasons),
            "intervals": plain_json(self.intervals),
            "interval_reasons": dict(self.interval_reasons),
            "test": plain_json(self.test),
        }

    def __repr__(self) -> str:
        counted = f"{self.agreement.total:,} {UNITS[self.kind]}"
        head = f"{self.primary} (primary) against {self.alternative}: {counted}"
        return f"{head}\n{self.matrix_table().text()}\n\n{self.measures_table().text()}{self._tested()}"

    def _tested(self) -> str:
        if not self.test:
            return ""
        p, holm = (show_number(self.test[key]) for key in ("p_value", "adjusted_p_value"))
        return f"\n\n{self.test['name']}: p = {p}, {holm} after Holm's correction for all pairs"

    def _repr_html_(self) -> str:
        return notebook.fragment(
            notebook.sentence(repr(self).splitlines()[0]),
            notebook.matrix(self.matrix_table(), (CELLS[:2], CELLS[2:])),
            notebook.table(self.measures_table()),
            *([notebook.sentence(self._tested().strip())] if self.test else []),
        )
