"""One model against another: an ordered pair of what `compare` returns."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, Option
from adjudge.indices.catalog import list_indices
from adjudge.presentation import notebook
from adjudge.presentation.columns import shown_line
from adjudge.presentation.equal_by_content import ByValue
from adjudge.presentation.numbers import show_number, shown_p, weight_text
from adjudge.presentation.plain import plain_json
from adjudge.presentation.result import Result
from adjudge.presentation.tables import Table
from adjudge.results.differences import ClassDifference, ScoreDifference, differences_table, recalls_table
from adjudge.results.instances import Instances
from adjudge.results.score import OfScores, Score
from adjudge.saved.omitted import LeftOut, OfRows, fields_of
from adjudge.statistics.agreement import BETTER_CELLS, CELLS, OF_NUMBERS, SPLIT_CELLS, UNITS, Agreement

# What is by measure in the dictionary of a pair.
_IN_DICT = ("measures", "reasons", "intervals", "interval_methods", "interval_reasons")


@dataclass(frozen=True, eq=False, repr=False)
class HeadToHead(Result, ByValue):
    """One ordered pair of models: the Prayatul matrix and its five measures.

    Attributes
    ----------
    primary, alternative : str
        Names of the models P and Q.
    kind : {"clustering", "classification", "multilabel", "regression", "values"}
    agreement : Agreement
        Exact counts of pairs of instances (clustering) or of instances (classification); with sampling weights, their
        weights. Of numbers, a model is right where it is at least as good as the other.
    measured : dict of str to Score
        The measures of P against Q.
    both_wrong_same : int, float or None
        Classifiers: how often both are wrong and say the same; None for clusterings.
    test : dict
        If `confidence` was requested: `name`, `method`, `hypothesis`, `p_value`, `adjusted_p_value` (Holm, for all
        pairs of models) and `reason` (why it is not possible, else None). McNemar's test for classifiers, a test
        of equal Rand indices for clusterings.
    differences : dict of str to ScoreDifference
        Classifiers: each score of P minus that of Q, by index.
    """

    primary: str
    alternative: str
    kind: str
    agreement: Agreement
    measured: dict[str, Score]
    test: dict[str, Any] = field(default_factory=dict)
    _instances: Any = None
    both_wrong_same: float | None = None
    differences: dict[str, ScoreDifference] = field(default_factory=dict)
    _recalls: Any = None

    @cached_property
    def recalls(self) -> list[ClassDifference]:
        """Classifiers: the shares of each class that P finds, and that Q finds.

        Examples
        --------
        >>> from adjudge import compare
        >>> models = {"old": [0, 0, 1, 0], "new": [0, 1, 1, 1]}
        >>> pair = compare([0, 0, 1, 1], models, kind="classification")["old", "new"]
        >>> [(own.label, own.n, own.score.first, own.score.second) for own in pair.recalls]
        [(0, 2, 1.0, 0.5), (1, 2, 0.5, 1.0)]
        """
        known = self._recalls
        return list(known or []) if isinstance(known, (list, tuple, type(None))) else known()

    def _saved_fields(self) -> dict[str, Any]:
        rows = getattr(self._instances, "__self__", self._instances)
        # The instances of a lazy table are found by its engine.
        of_engine = None if self._instances is None else LeftOut()
        kept = OfRows(rows if isinstance(rows, Instances) else None, of_engine)
        return fields_of(self) | {"_recalls": self.recalls, "_instances": kept}

    @property
    def both_wrong_different(self) -> float | None:
        """How often both are wrong and disagree; None for clusterings."""
        return None if self.both_wrong_same is None else self.both_wrong - self.both_wrong_same

    @property
    def diversity(self) -> dict[str, Score]:
        """How similar the models' errors are: Q statistic, double fault, flips when one replaces the other ...

        Examples
        --------
        >>> from adjudge import compare
        >>> models = {"old": [0, 0, 1, 0], "new": [0, 1, 1, 0]}
        >>> pair = compare([0, 0, 1, 1], models, kind="classification")["old", "new"]
        >>> pair.diversity["negative_flip_rate"].value
        0.25
        """
        return {record.name: Score.of(record, self.agreement) for record in list_indices("diversity")}

    def diversity_intervals(self, confidence: float = 0.95) -> dict[str, tuple[float, float]]:
        """Return intervals (low, high) of :attr:`diversity`, for classifiers, whose instances are a sample."""
        if self.kind != "classification":
            raise InputError("pairs of instances are not a sample: only classifiers have these intervals")
        from adjudge.inference.classes.outcome_intervals import diversity_intervals

        found = diversity_intervals(self.agreement, confidence=confidence)
        return {name: (own.low, own.high) for name, own in found.items() if own.low == own.low}

    measures = OfScores[dict[str, float]](
        "value", "The measures of P against Q; nan if undefined.", "measured"
    )
    reasons = OfScores[dict[str, str]]("reason", "Why measures are nan.", "measured")
    intervals = OfScores[dict[str, tuple[float, float]]](
        "interval", "Confidence intervals (low, high), if `confidence` was given.", "measured"
    )
    interval_methods = OfScores[dict[str, str]]("interval_method", "How intervals are computed.", "measured")
    interval_reasons = OfScores[dict[str, str]]("interval_reason", "Why intervals are one-sided.", "measured")

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
        """Return the instances that make up a cell.

        Parameters
        ----------
        cell : {"both_right", "right_wrong", "wrong_right", "both_wrong"}
            For classifiers also "both_wrong_same" and "both_wrong_different".

        Returns
        -------
        ndarray of int64
            Classification: positions in the input, counted from 0. Clustering: for each instance of the input, the
            number of its pairs in the cell (0 for instances that were left out). Several labels per instance: a row
            for each pair, with its instance and the position of its label.
        """
        known = CELLS if self.both_wrong_same is None else (*CELLS, *SPLIT_CELLS)
        if cell not in known:
            raise InputError(
                Option("cell", cell), f" is not known: choose one of {', '.join(map(repr, known))}"
            )
        if self._instances is None:
            raise InputError("the instances are not known: the comparison was made from counts alone")
        rows = self._instances
        find = rows.of_cell if isinstance(rows, Instances) else rows
        found: NDArray[np.int64] = find(self.primary, self.alternative, cell)
        return found

    def table(self) -> Table:
        """One row: the four counts and the five measures, with intervals if requested.

        Examples
        --------
        >>> from adjudge import compare
        >>> models = {"old": [0, 0, 1, 0], "new": [0, 1, 1, 1]}
        >>> compare([0, 0, 1, 1], models, kind="classification")["old", "new"].table().rows[0][:6]
        ('old', 'new', 2, 1, 1, 0)
        """
        return pairs_table([self], f"Head to head, over {UNITS[self.kind]}")

    def matrix_table(self) -> Table:
        """Return the Prayatul matrix with margins; of numbers, on how many rows the primary is better and worse."""
        a = self.agreement
        if self.kind in OF_NUMBERS:
            cells = [(f"{self.primary} {name}", getattr(a, own)) for own, name in BETTER_CELLS.items()]
            return Table(("", UNITS[self.kind]), (*cells, ("sum", a.total)))
        p, q = self.primary, self.alternative
        found = Table(
            ("", f"{q} right", f"{q} wrong", "sum"),
            (
                (f"{p} right", a.both_right, a.right_wrong, a.both_right + a.right_wrong),
                (f"{p} wrong", a.wrong_right, a.both_wrong, a.wrong_right + a.both_wrong),
                ("sum", a.both_right + a.wrong_right, a.right_wrong + a.both_wrong, a.total),
            ),
        )
        return found.weighing(*found.columns)

    def measures_table(self) -> Table:
        """One row per measure."""
        columns: dict[str, Callable[[Score], Any]] = {
            "measure": lambda own: own.name,
            "value": lambda own: own.value,
            "low": lambda own: own.low,
            "high": lambda own: own.high,
            "note": lambda own: own.note,
        }
        return Table.of(self.measured.values(), columns, optional=[("low", "high")])

    def differences_table(self) -> Table:
        """One row per score: that of P minus that of Q."""
        rows = [(self.primary, self.alternative, difference) for difference in self.differences.values()]
        return differences_table(rows, "Differences of the scores")

    def recalls_table(self) -> Table:
        """One row per class: its recall by P, and by Q."""
        rows = [(self.primary, self.alternative, recall) for recall in self.recalls]
        return recalls_table(rows, "Recall of each class")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "primary": self.primary,
            "alternative": self.alternative,
            "counts": {cell: getattr(self, cell) for cell in CELLS},
            **({} if self.both_wrong_same is None else {"both_wrong_same": self.both_wrong_same}),
            **{name: plain_json(getattr(self, name)) for name in _IN_DICT},
            "test": plain_json(self.test),
            **(
                {"differences": {n: d.to_dict() for n, d in self.differences.items()}}
                if self.differences
                else {}
            ),
            **({"recalls": [recall.to_dict() for recall in self.recalls]} if self.recalls else {}),
        }

    def said(self) -> list[str]:
        """Return the models, and what is counted."""
        total, unit = self.agreement.total, UNITS[self.kind]
        counted = (
            f"{unit} that weigh {weight_text(total)}" if isinstance(total, float) else f"{total:,} {unit}"
        )
        return [shown_line(f"{self.primary} (primary) against {self.alternative}: {counted}")]

    def tables(self) -> list[Table]:
        """Return the matrix and the measures."""
        return [self.matrix_table(), self.measures_table()]

    def notes(self) -> list[str]:
        """Return the outcome of the test, if there is one."""
        if not self.test:
            return []
        p, holm = (show_number(shown_p(self.test[key])) for key in ("p_value", "adjusted_p_value"))
        sign = "" if p.startswith("<") else "= "
        return [f"{self.test['name']}: p {sign}{p}, {holm} after Holm's correction for all pairs"]

    def _framed(self) -> Table:
        return self.table()

    def __repr__(self) -> str:
        (head,), (matrix, measures) = self.said(), self.tables()
        return "\n\n".join([f"{head}\n{matrix.text()}", measures.text(), *self.notes()])

    def _repr_html_(self) -> str:
        (matrix, measures), outcomes = self.tables(), (CELLS[:2], CELLS[2:])
        return notebook.fragment(
            *map(notebook.sentence, self.said()),
            notebook.matrix(matrix, outcomes),
            notebook.table(measures),
            *map(notebook.sentence, self.notes()),
        )


def pairs_table(pairs: Sequence[HeadToHead], title: str) -> Table:
    """One row per ordered pair: the four counts and the five measures, with their intervals if there are any."""
    measures = list(pairs[0].measured) if pairs else []
    names = cells_of(pairs[0].kind) if pairs else {}
    ends = ("_low", "_high") if any(pair.intervals for pair in pairs) else ()
    rows = []
    for pair in pairs:
        cells: list[Any] = [pair.primary, pair.alternative, *(getattr(pair, cell) for cell in names)]
        for own in pair.measured.values():
            cells += [own.value, *((own.interval or (math.nan, math.nan)) if ends else ())]
        rows.append(tuple(cells))
    columns = [f"{name}{end}" for name in measures for end in ("", *ends)]
    found = Table(("primary", "alternative", *names.values(), *columns), tuple(rows), title=title)
    return found.weighing(*names.values())


def cells_of(kind: str) -> dict[str, str]:
    """Return the cells of a matrix that tables of pairs have, and what they are called."""
    return BETTER_CELLS if kind in OF_NUMBERS else {cell: cell for cell in CELLS}
