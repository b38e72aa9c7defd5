"""The options for missing labels and noise: for all columns, or for some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from adjudge.cli.options import WhatMissing, WhatNoise, split_list
from adjudge.errors import InputError

if TYPE_CHECKING:
    from adjudge.given.label_options import LabelOptions

__all__ = ["TreatmentFlags"]


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
