"""A table of scores as a data frame or file holds it: columns by name, and which rows and columns are not scores."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np

from adjudge.array_types import Floats
from adjudge.errors import InputError, Option
from adjudge.given.data_frames import read_data_frame
from adjudge.given.identifiers import is_name_of_identifiers
from adjudge.given.label_values import is_missing
from adjudge.given.written import NOT_AVAILABLE, decimal_remedy, parsed

# What pandas calls a column whose heading is empty.
_WITHOUT_NAME = re.compile(r"\s*|Unnamed: \d+(_level_\d+)?")
# Usual names of the column that names the data sets.
_DATA_SETS = ("dataset", "data set", "data_set", "dataset_id", "data_id", "task_id")
# Rows and columns that papers, spreadsheets and this program put below and beside scores.
_SUMMARY = re.compile(
    r"((overall|grand|total|arithmetic|average|avg\.?|mean|median|std\.?|stdev|sd|sum|rank)[ _-]*)+"
    r"(score|accuracy|value)?s?|standard[ _]deviation",
    re.IGNORECASE,
)
# How far a printed mean may be from the mean of the other columns.
_OFF = 0.0051


@dataclass(frozen=True, eq=False)
class ScoreColumn:
    """A column, before it is known whether it holds scores or names.

    Attributes
    ----------
    name : object
        As in the table: text or a number.
    values : list
        Numbers, text and None.
    decimal : str
        The decimal sign in text.
    """

    name: Any
    values: list[Any]
    decimal: str = "."

    @cached_property
    def _read(self) -> list[float | None]:
        return [_number(value, self.decimal) for value in self.values]

    @property
    def are_numbers(self) -> bool:
        """Whether all values are numbers or missing."""
        return None not in self._read

    @property
    def are_text(self) -> bool:
        """Whether there are values, and none is a number."""
        return not self.are_numbers and all(number is None or math.isnan(number) for number in self._read)

    @property
    def are_missing(self) -> bool:
        """Whether there is no value at all."""
        return all(number is not None and math.isnan(number) for number in self._read)

    @property
    def has_no_name(self) -> bool:
        """Whether the heading is empty."""
        return has_no_name(self.name)

    @property
    def numbers_the_rows(self) -> bool:
        """Whether the column is named like an identifier, and holds whole numbers, each once."""
        called = str(self.name).strip().lower()
        if called in _DATA_SETS or not (is_name_of_identifiers(called) and self.are_numbers):
            return False
        found = self.scores()
        return (
            found.size > 1 and bool((found == np.floor(found)).all()) and np.unique(found).size == found.size
        )

    def scores(self) -> Floats:
        """Return the numbers, nan for a missing one; raise for anything else."""
        for row, (value, number) in enumerate(zip(self.values, self._read, strict=True)):
            if number is None:
                text = str(value).strip()
                remedy = decimal_remedy(text, self.decimal)
                raise InputError(
                    f"column {self.name!r} holds {text!r} in row {row + 1}: scores are numbers",
                    *((" (", *remedy, ")") if remedy else ()),
                )
        return np.array(self._read, np.float64)


@dataclass(frozen=True, eq=False)
class ScoreFrame:
    """The columns of a table.

    Attributes
    ----------
    parts : tuple of ScoreColumn
    index : list or None
        Names of the rows, if they are not a column.
    notices : list of str
        What was left out.
    """

    parts: tuple[ScoreColumn, ...]
    index: list[Any] | None = None
    notices: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, given: Any) -> ScoreFrame:
        """Read a data frame of any library."""
        if isinstance(given, ScoreFrame):
            return given
        frame = read_data_frame(given, "data")
        # By position: pandas finds no column whose name is a number.
        parts = [ScoreColumn(name, frame[:, i].to_list()) for i, name in enumerate(frame.columns)]
        in_pandas = type(given).__module__.partition(".")[0] == "pandas"
        return cls(tuple(parts), list(given.index) if in_pandas else None)

    @property
    def columns(self) -> list[Any]:
        """Names of the columns."""
        return [part.name for part in self.parts]

    def column(self, name: Any) -> ScoreColumn:
        """Return a column; raise if there is none, or more than one."""
        found = [part for part in self.parts if part.name == name]
        found = found or [part for part in self.parts if str(part.name) == str(name)]
        if len(found) > 1:
            raise InputError(f"data has {len(found)} columns named {name!r}: rename all but one")
        if not found:
            raise InputError(f"data has no column {name!r}: it has {', '.join(map(repr, self.columns))}")
        return found[0]

    def wide(
        self, dataset: Any = None, models: Sequence[Any] | None = None
    ) -> tuple[list[str] | None, list[str], Floats]:
        """Read one row per data set and one column per model.

        Parameters
        ----------
        dataset : str, optional
            Column with the names of the data sets; default the first that holds no numbers, or else the pandas index.
        models : sequence of str, optional
            Columns of the models; default all others.

        Returns
        -------
        names of the data sets or None, names of the models, and the scores, of shape (n_datasets, n_models)
        """
        parts = self._with_meaning([*([] if dataset is None else [dataset]), *(models or [])])
        of_names = self._of_names(parts) if dataset is None else self.column(dataset)
        if models is None:
            chosen = self._without_summaries([part for part in parts if part is not of_names])
        else:
            chosen = [self.column(name) for name in models]
        names = [str(part.name) for part in chosen]
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"data has {names.count(name)} columns named {name!r}: rename all but one")
        matrix = (
            np.column_stack([self._scores(part, models) for part in chosen]) if chosen else np.empty((0, 0))
        )
        rows = self._row_names(of_names)
        if rows is None:
            return None, names, matrix
        whole = [part.scores() for part in parts if part is not of_names and part.are_numbers]
        kept = self._of_data_sets(rows, matrix, *([np.column_stack(whole)] if whole else []))
        return [row for row, keep in zip(rows, kept, strict=True) if keep], names, matrix[kept]

    def long(
        self, dataset: Any, model: Any, score: Any, fold: Any = None
    ) -> list[tuple[str, str, str | None, float]]:
        """Read one row per score: its data set, model and fold, and the score."""
        datasets = self._names(self.column(dataset), "data sets")
        models = self._names(self.column(model), "models")
        folds = [None] * len(models) if fold is None else self._names(self.column(fold), "folds")
        scores = self.column(score).scores().tolist()
        rows = list(zip(datasets, models, folds, scores, strict=True))
        names, chosen = list(dict.fromkeys(datasets)), list(dict.fromkeys(models))
        known: dict[tuple[str, str], list[float]] = {}
        for d, m, _, value in rows:
            known.setdefault((d, m), []).append(value)
        means = [[float(np.mean(known.get((d, m), [math.nan]))) for m in chosen] for d in names]
        kept = self._of_data_sets(names, np.array(means).reshape(len(names), len(chosen)))
        left = {name for name, keep in zip(names, kept, strict=True) if keep}
        return [row for row in rows if row[0] in left]

    def _of_data_sets(self, rows: Sequence[str], *tables: Floats) -> list[bool]:
        """Mark the rows of data sets: all but those that are called a mean or the like, and are one of the others.

        Parameters
        ----------
        rows : sequence of str
        *tables : ndarray of shape (n_rows, n_columns)
            The scores of the models, and those of all columns, as ranks may be among fewer models.
        """
        called = np.array([sums_up(row) for row in rows], np.bool_)
        found = []
        for i, row in enumerate(rows):
            is_summary = bool(called[i]) and any(_summarise(own[~called], own[i]) for own in tables)
            found.append(not is_summary)
            if is_summary:
                self._tell_summaries("row", [row])
            elif called[i]:
                self.notices.append(
                    f"the row {row!r} counts as a data set, because it does not sum up the others: leave it out if it "
                    "is none"
                )
        return found

    def _with_meaning(self, named: Sequence[Any]) -> list[ScoreColumn]:
        """Leave out empty columns without a name, and columns that number the rows."""
        found = []
        for place, part in enumerate(self.parts):
            if part.name in named:
                found.append(part)
            elif part.has_no_name and part.are_missing:
                self.notices.append(f"column {place + 1} has neither a name nor values and is left out")
            elif part.numbers_the_rows:
                called = (
                    f"column {place + 1}, which has no name," if part.has_no_name else f"column {part.name!r}"
                )
                self.notices.append(f"{called} only numbers the rows and is left out")
            elif part.has_no_name and place:
                raise InputError(
                    f"column {place + 1} of data has values and no name: name it, or leave it out"
                )
            else:
                found.append(part)
        return found

    def _of_names(self, parts: Sequence[ScoreColumn]) -> ScoreColumn | None:
        """Find the column with the names of the data sets."""
        for part in parts:
            if part.has_no_name or part.are_text or str(part.name).strip().lower() in _DATA_SETS:
                return part
        # A later column with numbers and something else holds scores, one of which is wrong.
        return parts[0] if parts and not parts[0].are_numbers else None

    def _row_names(self, of_names: ScoreColumn | None) -> list[str] | None:
        if of_names is not None:
            return self._names(of_names, "data sets")
        return None if self.index is None else names_of(self.index, "data sets", "the index")

    def _names(self, part: ScoreColumn, what: str) -> list[str]:
        """Return the values as names of data sets, models or folds."""
        found = names_of(part.values, what, f"column {part.name!r}")
        for word in sorted(NOT_AVAILABLE.intersection(found)):
            self.notices.append(
                f"{word!r} is among the names of the {what}: if it means that the name is missing, fill it in"
            )
        return found

    def _scores(self, part: ScoreColumn, models: Sequence[Any] | None) -> Floats:
        try:
            return part.scores()
        except InputError as error:
            if models is None and not any(isinstance(piece, Option) for piece in error.parts):
                error.worded(
                    *error.parts,
                    "; name the models' columns with ",
                    Option("models"),
                    ", or those of a long table with ",
                    Option("dataset"),
                    ", ",
                    Option("model"),
                    " and ",
                    Option("score"),
                )
            raise

    def _without_summaries(self, parts: list[ScoreColumn]) -> list[ScoreColumn]:
        """Leave out a column that is called a mean and is the mean of all others."""
        found = []
        for part in parts:
            others = [other.scores() for other in parts if other is not part and other.are_numbers]
            if sums_up(str(part.name)) and len(others) > 1 and part.are_numbers:
                mean = np.mean(others, axis=0)
                if np.allclose(
                    part.scores(), mean, rtol=0, atol=_OFF * max(1.0, np.nanmax(np.abs(mean))), equal_nan=True
                ):
                    self._tell_summaries("column", [str(part.name)])
                    continue
            found.append(part)
        return found

    def _tell_summaries(self, what: str, names: Iterable[str]) -> None:
        of = "data sets" if what == "row" else "models"
        for name in dict.fromkeys(names):
            self.notices.append(
                f"the {what} {name!r} is left out, because it sums up the {of} and is none: rename it to keep it"
            )


def _summarise(others: Floats, row: Floats) -> bool:
    """Whether a row holds the means, medians, sums, deviations or average ranks of others, as they are printed."""
    there = ~np.isnan(others)
    if not there.any(axis=0).all():
        return False
    complete = others[there.all(axis=1)]
    higher = (complete[:, :, None] > complete[:, None, :]).sum(axis=2)
    ties = (complete[:, :, None] == complete[:, None, :]).sum(axis=2)
    ranks = (higher + (ties + 1) / 2).mean(axis=0) if len(complete) else np.full(row.size, np.nan)
    deviations, n = np.nanstd(others, axis=0), there.sum(axis=0)
    summaries = (
        np.nanmean(others, axis=0),
        np.nanmedian(others, axis=0),
        np.nansum(others, axis=0),
        deviations,
        deviations * np.sqrt(n / np.maximum(n - 1, 1)),
        ranks,
        row.size + 1 - ranks,
    )
    return any(np.allclose(row, own, rtol=0, atol=_OFF * max(1.0, np.abs(own).max())) for own in summaries)


def has_no_name(name: Any) -> bool:
    """Whether the heading of a column is empty."""
    return isinstance(name, str) and _WITHOUT_NAME.fullmatch(name) is not None


def sums_up(name: str) -> bool:
    """Whether a row or column of this name summarises scores, with means or the like, and has none of its own."""
    return _SUMMARY.fullmatch(name.strip()) is not None


def names_of(values: Iterable[Any], what: str, where: str) -> list[str]:
    """Write names of data sets, models or folds as text; raise if one is missing."""
    found = []
    for row, value in enumerate(values):
        if is_missing(value) or (isinstance(value, str) and not value.strip()):
            raise InputError(
                f"{where} has a missing name in row {row + 1}: name all {what}, or leave such rows out"
            )
        if isinstance(value, (float, np.floating)) and float(value).is_integer():
            value = int(value)
        found.append(str(value).strip())
    return found


def _number(value: Any, decimal: str) -> float | None:
    """Read a number, nan for a missing one; None for anything else."""
    if is_missing(value):
        return math.nan
    if isinstance(value, str):
        text = value.strip()
        return math.nan if not text or text in NOT_AVAILABLE else parsed(text, decimal)
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (Real, Decimal, np.number)):
        return None
    return float(value)
