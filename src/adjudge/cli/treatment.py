"""The options for missing labels and noise: for all columns, or for some."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from adjudge.cli.options import WhatMissing, WhatNoise, split_list
from adjudge.errors import InputError

if TYPE_CHECKING:
    from adjudge.given.label_options import LabelOptions

__all__ = ["TreatmentFlags"]

#: Names for columns by their role.
_TRUTH = ("truth", "labels_true")
_JUDGED = ("pred", "labels_pred", "labels", "models")


@dataclass(frozen=True)
class TreatmentFlags:
    """What to do with missing labels and with noise."""

    heading: ClassVar[str] = "Missing labels, noise, weights"

    missing: list[str] | None = None
    noise: list[str] | None = None
    noise_label: str | None = None

    @property
    def options(self) -> LabelOptions:
        """The options by the names as typed: they say what may happen, not to which column."""
        from adjudge.given.label_options import LabelOptions

        return LabelOptions(self._missing.any_of or WhatMissing.raise_.value, self._noise.any_of)

    def of_columns(self, truth: str | None, judged: Iterable[str]) -> LabelOptions:
        """Return the options by the names of the columns."""
        from adjudge.given.label_options import LabelOptions

        judged = list(judged)
        missing = self._missing.of(truth, judged) or WhatMissing.raise_.value
        return LabelOptions(missing, self._noise.of(truth, judged))

    def check(self, truth: str | None, judged: Sequence[str]) -> None:
        """Raise for a name that is not among the columns of labels."""
        for choice in (self._missing, self._noise):
            choice.check(truth, judged)

    @property
    def _missing(self) -> _Choice:
        return _Choice.read("--missing", self.missing, [*WhatMissing])

    @property
    def _noise(self) -> _Choice:
        return _Choice.read("--noise", self.noise, [*WhatNoise])


@dataclass(frozen=True)
class _Choice:
    """The values of an option.

    Attributes
    ----------
    option : str
    for_all : str or None
        The value for columns that are not named; None if not given.
    named : dict of str to str
        The value for a column, or for all columns with one role, by the name as typed.
    usual : str
        The value for the truth if none was given.
    """

    option: str
    for_all: str | None
    named: Mapping[str, str]
    usual: str = ""

    @classmethod
    def read(cls, option: str, given: Sequence[str] | None, choices: Sequence[str]) -> _Choice:
        """Read ``drop``, ``truth=drop``, or several of these."""
        for_all, named = None, {}
        for text in split_list(given):
            name, sign, what = text.rpartition("=")
            if what not in choices or (sign and not name):
                known = ", ".join(map(str, choices))
                raise InputError(
                    f"{option} {text!r} is not known: choose one of {known}, or say COLUMN=drop for one column"
                )
            if name:
                named[name.strip()] = what
            elif for_all is not None:
                raise InputError(
                    f"{option} says both {for_all} and {what}: name the columns, as truth={what}"
                )
            else:
                for_all = what
        return cls(option, for_all, named, str(choices[0]))

    @property
    def any_of(self) -> str | dict[str, str] | None:
        """All values that may apply to a column."""
        if not self.named:
            return self.for_all
        return {**self.named} if self.for_all is None else {"*": self.for_all, **self.named}

    def of(self, truth: str | None, judged: Sequence[str]) -> str | dict[str, str] | None:
        """Return the value for each column that has one, by column name; a single value if no column is named."""
        if not self.named:
            return self.for_all
        said: dict[str, str | None]
        said = {} if truth is None else {truth: self._of_one(truth, _TRUTH) or self.usual}
        said |= {name: self._of_one(name, _JUDGED) for name in judged}
        return {name: what for name, what in said.items() if what is not None}

    def _of_one(self, column: str, purposes: Sequence[str]) -> str | None:
        for name in (column, *purposes):
            if name in self.named:
                return self.named[name]
        return self.for_all

    def check(self, truth: str | None, judged: Sequence[str]) -> None:
        of_truth = () if truth is None else (truth, *_TRUTH)
        for name in self.named:
            if name not in (*of_truth, *judged, *_JUDGED):
                columns = ", ".join(map(repr, [*of_truth[:1], *judged]))
                raise InputError(f"{self.option} names {name!r}: the columns of labels are {columns}")
