"""What `evaluate` returns for several labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, overload

from adjudge.errors import InputError
from adjudge.presentation.equal_by_content import ByValue
from adjudge.presentation.numbers import count
from adjudge.presentation.plain import finite
from adjudge.presentation.result import Result
from adjudge.presentation.tables import Table
from adjudge.results.by_class import ClassifierEvaluation
from adjudge.results.evaluation import Evaluation
from adjudge.results.label_notices import NAMES_ARE_ARBITRARY
from adjudge.results.notice import Notice
from adjudge.results.score import Score, score_columns

# Ending of the names of details that have a value for each depth of a tree of classes.
_BY_DEPTH = "_by_depth"


@dataclass(frozen=True, eq=False, repr=False)
class Evaluations(Result, ByValue):
    """Many evaluations by name, each of one label vector against a truth.

    ``evaluations["a"]`` is one :class:`~adjudge.Evaluation`, and ``evaluations["a", "rand"]`` one value.

    Attributes
    ----------
    evaluations : mapping of str to Evaluation
    """

    evaluations: Mapping[str, Evaluation]
    backend: str | None = None

    _gap: ClassVar[str] = "\n"

    @overload
    def __getitem__(self, name: str) -> Evaluation: ...
    @overload
    def __getitem__(self, name: tuple[str, str]) -> float: ...
    def __getitem__(self, name: str | tuple[str, str]) -> Evaluation | float:
        if isinstance(name, tuple):
            own, index = name
            return self[own][index]
        # Columns may have numbers as names.
        name = str(name)
        if name not in self.evaluations:
            some = ", ".join(map(repr, list(self.evaluations)[:8]))
            raise InputError(f"no labels are called {name!r}: choose from {some}")
        return self.evaluations[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.evaluations)

    def __len__(self) -> int:
        return len(self.evaluations)

    @property
    def values(self) -> dict[str, dict[str, float]]:
        """Value of each index, by name of the labels; nan if it is undefined."""
        return {name: evaluation.values for name, evaluation in self.evaluations.items()}

    @property
    def reasons(self) -> dict[str, dict[str, str]]:
        """Why values are nan or infinite, by name of the labels that have such values."""
        return {
            name: evaluation.reasons for name, evaluation in self.evaluations.items() if evaluation.reasons
        }

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """What a reader should know of any of them, each once."""
        every = (notice for one in self.evaluations.values() for notice in one.warnings)
        return tuple({str(notice): notice for notice in every}.values())

    def table(self) -> Table:
        """One row per label vector, one column per index, and the ends of intervals if requested."""
        return self._table(
            {
                name: score.heading
                for evaluation in self.evaluations.values()
                for name, score in evaluation.scores.items()
            }
        )

    def _table(self, headings: Mapping[str, str]) -> Table:
        # A classifier with labels alone has no scores of probabilities.
        names = max((list(evaluation.scores) for evaluation in self.evaluations.values()), key=len)
        columns: dict[str, Callable[[tuple[str, Evaluation]], Any]] = {"labels_pred": lambda row: row[0]}
        optional = []
        for index in names:
            find = partial(_score_of, index)
            own, ends = score_columns(headings.get(index, index), find, f"{index} low", f"{index} high")
            columns |= own
            optional.append(ends)
        return Table.of(self.evaluations.items(), columns, optional=optional)

    def _framed(self) -> Table:
        return self._table({})

    def by_index(self, title: str = "", remedy: str = "class_table() has a row for each") -> list[Table]:
        """One row per index, and one column per label vector; a table of each if there are intervals.

        What else is known of them follows: scores by depth of a tree, by class and by group.

        Parameters
        ----------
        title : str
            Of the scores.
        remedy : str
            Where the scores of classes are that are too many to list.

        Examples
        --------
        >>> from adjudge import evaluate
        >>> both = evaluate([0, 0, 1, 1], {"a": [0, 0, 1, 1], "b": [0, 1, 1, 1]}, kind="clustering", indices="rand")
        >>> print(both.by_index()[0].text())
        index       a       b  better  range
        rand   1.0000  0.5000  higher  [0, 1]
        """
        parts = self._parts(remedy)
        several = self.evaluations.values()
        if len(several) == 1 or any(own.intervals or own.adjusted for own in several):
            return [*(_alone(name, own, title) for name, own in self.evaluations.items()), *parts]
        # A classifier with labels alone has no scores of probabilities.
        most = max(several, key=lambda own: len(own.values))
        first = most.table()
        rows = tuple(
            (row[0], *(own.values.get(name) for own in several), *row[2:4])
            for name, row in zip(most.values, first.rows, strict=True)
        )
        scores = Table(("index", *self.evaluations, *first.columns[2:4]), rows, title, first.groups)
        notes = self._notes_by_index()
        return [scores, *([Table(("column", "index", "note"), notes, "Notes")] if notes else []), *parts]

    def _notes_by_index(self) -> tuple[tuple[str, str, str], ...]:
        """List each note on an index once, with the label vectors that it concerns."""
        about: dict[tuple[str, str], list[str]] = {}
        for name, evaluation in self.evaluations.items():
            for row in evaluation.table().rows:
                if row[-1]:
                    about.setdefault((row[0], row[-1]), []).append(name)
        return tuple(
            ("all" if len(names) == len(self) else ", ".join(names), index, note)
            for (index, note), names in about.items()
        )

    def _parts(self, remedy: str) -> list[Table]:
        """Show classes in a tree by depth, a single classifier by class and by group, several ones only by group."""
        found = []
        for name, evaluation in self.evaluations.items():
            by_depth = {key: own for key, own in evaluation.details.items() if key.endswith(_BY_DEPTH)}
            if by_depth:
                measures = [key.removesuffix(_BY_DEPTH) for key in by_depth]
                rows = zip(*(own.tolist() for own in by_depth.values()), strict=True)
                numbered = tuple((depth, *row) for depth, row in enumerate(rows, 1))
                found.append(Table(("depth", *measures), numbered, f"By depth ({name})"))
            if isinstance(evaluation, ClassifierEvaluation):
                tables = evaluation.shown_tables()[1:] if len(self) == 1 else evaluation.group_tables()
                if len(self) == 1 and evaluation.n_unlisted and tables:
                    tables[0] = replace(tables[0], foot=f"{evaluation.n_unlisted}: {remedy}")
                found += [replace(table, title=f"{table.title} ({name})") for table in tables]
        return found

    def cluster_tables(self, *measures: str) -> list[Table]:
        """One table per label vector: the true clusters, each with its matched predicted cluster."""
        tables = {name: own.cluster_table(*measures) for name, own in self.evaluations.items()}
        return [replace(table, title=f"{table.title} ({name})") for name, table in tables.items()]

    def stacked(self, tables: Sequence[Table]) -> Table:
        """Stack tables with the same columns, one of each label vector, whose name each row begins with."""
        rows = [(name, *row) for name, table in zip(self, tables, strict=True) for row in table.rows]
        return Table(("column", *tables[0].columns), tuple(rows))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON: each evaluation by name."""
        return {
            "kind": "evaluations",
            "evaluations": {name: evaluation.to_dict() for name, evaluation in self.evaluations.items()},
        }

    def flat(self) -> dict[str, float]:
        """Return names and finite numbers, such as ``a/rand``, for experiment trackers."""
        return finite(
            {
                f"{name}/{what}": value
                for name, evaluation in self.evaluations.items()
                for what, value in evaluation.flat().items()
            }
        )

    def said(self) -> list[str]:
        """Return how many label vectors were judged, and that labels count as clusters, if they may be classes."""
        found = (evaluation.sample_parts()[1:] for evaluation in self.evaluations.values())
        said = next(("".join(map(str, parts)) for parts in found if parts), "")
        return [f"Evaluations of {count(len(self), 'label vector')}" + said]

    def notes(self) -> list[str]:
        """Return the warnings, each once."""
        return [str(notice) for notice in self.warnings if notice.code != NAMES_ARE_ARBITRARY]


def _score_of(index: str, row: tuple[str, Evaluation]) -> Score | None:
    return row[1].scores.get(index)


def _alone(name: str, evaluation: Evaluation, title: str) -> Table:
    """Show the scores of one label vector; omit the notes if there are none."""
    table = evaluation.table()
    width = len(table.columns) - (0 if any(row[-1] for row in table.rows) else 1)
    rows = tuple(row[:width] for row in table.rows)
    columns = ("index", name, *table.columns[2:width])
    return Table(columns, rows, title, table.groups, evaluation.interval_words)
