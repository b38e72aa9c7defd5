"""The labels in a file, by column name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.cli.output import tell
from adjudge.errors import InputError
from adjudge.given.alignment import AlignedLabels, align_labels
from adjudge.given.label_options import LabelOptions, rows_without_label
from adjudge.given.labels import Column, Labels
from adjudge.given.weights import Weighting, WeightSums
from adjudge.given.written_numbers import NOT_AVAILABLE
from adjudge.presentation.numbers import count, listed
from adjudge.tables.streaming import CountedColumns

__all__ = ["LabelTable", "noise_meant", "tell_words", "tell_words_for_missing"]


@dataclass(frozen=True)
class LabelTable:
    """Labels by column name, all numbers or all text.

    Attributes
    ----------
    truth : str or None
        The column that holds the truth.
    labels : dict of str to Labels
        Coded once, for all later steps.
    are_text : bool
    counted : CountedColumns or None
        How many rows have each combination, if the entries are distinct combinations and not rows.
    weights : ndarray of float64, WeightSums or None
        The weight of each entry, if there is a column of weights.
    grouping : tuple of str
        The columns among the labels that define groups of rows, of any type.
    units : str or None
        The column among the labels with the unit of each row.
    """

    truth: str | None
    labels: dict[str, Labels]
    are_text: bool
    counted: CountedColumns | None = None
    weights: NDArray[np.float64] | WeightSums | None = None
    grouping: tuple[str, ...] = ()
    units: str | None = None

    @property
    def counts(self) -> Any:
        """How many rows each entry stands for; None if one each."""
        return None if self.counted is None else self.counted.counts

    @property
    def n_given(self) -> int | None:
        """How many rows the file has; None if there is a column of weights."""
        if self.weights is not None:
            return None
        return int(self.counts.sum()) if self.counted is not None else len(next(iter(self.labels.values())))

    def weighting(self, meaning: str | None) -> Weighting:
        """Return how much each entry counts; `meaning` says what the weights mean."""
        units = None if self.units is None else self.column(self.units)
        if self.weights is None:
            return Weighting(self.counts, None, meaning, units)
        return Weighting(None, self.weights, meaning, units)

    @property
    def _beside(self) -> tuple[str, ...]:
        """The columns that are not labels: groups and units."""
        return self.grouping if self.units is None else (*self.grouping, self.units)

    @cached_property
    def _aligned(self) -> AlignedLabels:
        return align_labels(self._named, LabelOptions(missing="drop"))

    @property
    def _named(self) -> dict[str, Any]:
        return {f"column {name!r}": labels for name, labels in self.labels.items()}

    def column(self, name: str) -> Column:
        """Return a column with the name to use in error messages."""
        return Column(f"column {name!r}", self.labels[name], name)

    @property
    def occurring(self) -> dict[str, Labels]:
        """The coded labels of the entries in which none is missing."""
        return dict(zip(self.labels, self._aligned.labels, strict=True))

    def compared(self) -> NDArray[np.int64]:
        """Return the positions of the entries without a missing label."""
        try:
            aligned = self._aligned
        except InputError:  # every entry has a missing label
            return np.empty(0, np.int64)
        return np.arange(aligned.n_given) if aligned.kept is None else aligned.kept

    def checked(self, path: Path, treatment: LabelOptions) -> LabelTable:
        """Raise for missing labels of counted columns unless they may be left out; return the checked table."""
        counts = self.counts
        kept = self.compared()
        if kept.size == counts.size:
            return replace(self, labels=self.occurring)
        for name, labels in self.labels.items():
            if treatment.missing_of(name) == "raise":
                alone = replace(self, truth=None, labels={name: labels})
                n = int(counts.sum() - counts[alone.compared()].sum())
                if n:
                    raise rows_without_label(name, n)
        if not kept.size:
            raise InputError(f"{str(path)!r} has no row with all its labels: at least one is needed")
        return self

    @property
    def judged(self) -> dict[str, Column]:
        """All columns except the truth, groups and units."""
        return {name: self.column(name) for name in self.labels if name not in (self.truth, *self._beside)}

    @property
    def groups(self) -> dict[str, Column]:
        """The columns that define groups."""
        return {name: self.column(name) for name in self.grouping}


def tell_words_for_missing(
    tables: Iterable[LabelTable], remedy: str = "empty the cells and pass --missing drop"
) -> None:
    """Report labels such as "NA" that programs write for a missing label, and what to do if they mean that."""
    told: dict[str, dict[str, int]] = {}
    for table in tables:
        for name, labels in table.labels.items():
            if name not in told and not isinstance(labels.categories, range):
                words = NOT_AVAILABLE & {*labels.categories}
                told[name] = {word: _rows(labels, word, table.counts) for word in words}
    for name, rows in told.items():
        tell_words(name, rows, remedy)


def tell_words(column: str, rows: Mapping[str, int], remedy: str) -> None:
    """Report in how many rows a column has such words."""
    words = [repr(word) for word in sorted(rows) if rows[word]]
    if not words:
        return
    is_one = len(words) == 1
    tell(
        f"{listed(words)} {'is a label' if is_one else 'are labels'} of column {column!r}, in "
        f"{count(sum(rows.values()), 'row')}: if {'it means' if is_one else 'they mean'} that the label is missing, "
        f"{remedy}"
    )


def _rows(labels: Labels, label: str, counts: Any) -> int:
    mask = labels.where(label)
    if mask is None:
        return 0
    if labels.missing is not None:
        mask &= ~labels.missing
    return int(mask.sum() if counts is None else counts[mask].sum())


def noise_meant(tables: Iterable[LabelTable], text: str | None) -> Any:
    """Return the label that stands for noise, -1 by default, in the type of these columns' labels."""
    tables = list(tables)
    label: Any = "-1" if text is None else text
    if not tables[0].are_text:
        try:
            label = int(label)
        except ValueError:
            raise InputError(f"--noise-label {text!r} is text, but the labels are numbers") from None
    columns = [column for table in tables for column in table.occurring.values()]
    if text is not None and not any(_occurs(label, column) for column in columns):
        raise InputError(f"--noise-label {text!r} is not among the labels: leave it out, or correct it")
    return label


def _occurs(label: Any, column: Labels) -> bool:
    mask = column.where(label)
    return mask is not None and bool(mask.any())
