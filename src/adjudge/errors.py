"""Every error that adjudge raises for bad input: one line that names the culprit and the remedy."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

_NOTHING: Any = object()


class Shown(str):
    """The text of a value that is not kept itself, because it may be large or impossible to pickle."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def in_words(value: Any) -> str:
    """Show a value as Python writes it; scalars and arrays of NumPy, and dates, without the names of their types.

    Examples
    --------
    >>> in_words("a"), in_words(3), in_words((1, "b"))
    ("'a'", '3', "(1, 'b')")
    """
    if isinstance(value, (datetime.date, datetime.time, datetime.timedelta)):
        return str(value)
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        # The Python value of a time of NumPy is a count of nanoseconds, or has another name.
        is_a_time = getattr(getattr(value, "dtype", None), "kind", "") in "mM"
        return str(value) if is_a_time else in_words(value.tolist())
    if type(value) in (list, tuple) and not all(type(own) in (str, int, float, bool) for own in value):
        inside = ", ".join(map(in_words, value))
        if type(value) is list:
            return f"[{inside}]"
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    return repr(value)


def a_type(value: object) -> str:
    """Name the type of a value with its article: "a list", "an int"."""
    name = type(value).__name__
    # The "n" of "ndarray" is pronounced "en".
    return f"{'an' if name.startswith((*'AEIOaeio', 'ndarray')) else 'a'} {name}"


@dataclass(frozen=True)
class Option:
    """A parameter in a message. Each front end words it in its own way: ``noise='drop'``, ``--noise drop``.

    Attributes
    ----------
    name : str
        Its name in the library's functions.
    value : object
        The value, if the message names one.
    """

    name: str
    value: Any = _NOTHING

    def __post_init__(self) -> None:
        if not self.has_value:
            return
        value = self.value
        if isinstance(value, (str, float)) and type(value).__module__ == "numpy":
            value = value.item()  # type: ignore[union-attr]
        if not isinstance(value, (str, int, float, type(None))):
            value = Shown(in_words(value)[:200])
        object.__setattr__(self, "value", value)

    @property
    def has_value(self) -> bool:
        """Whether the message names a value."""
        return self.value is not _NOTHING

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.value) if self.has_value else (self.name,)

    def __str__(self) -> str:
        return f"{self.name}={self.value!r}" if self.has_value else f"{self.name}="


@dataclass(frozen=True)
class Argument:
    """An argument of a function, by its name: ``labels_true``; for the command line, a column or a file."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Position:
    """An instance, counted from 0 as Python does; rows of a file are counted from 1."""

    index: int

    def __str__(self) -> str:
        return f"at position {self.index}"


@dataclass(frozen=True)
class Row:
    """A row of a matrix, and perhaps an entry of it, counted from 0 as Python does; rows of a file are counted from 1.

    Attributes
    ----------
    index : int
    column : int or str or None
        Position of the entry, or name of its column.
    """

    index: int
    column: int | str | None = None

    @property
    def entry(self) -> str:
        """The words that name the column, after the row."""
        return "" if self.column is None else f", column {self.column!r}"

    def __str__(self) -> str:
        return f"in row {self.index}{self.entry}"


@dataclass(frozen=True)
class Call:
    """A function of the library that a message recommends, by its name."""

    name: str

    def __str__(self) -> str:
        return f"{self.name}()"


@dataclass(frozen=True)
class IndexName:
    """An index that a sentence names: by its name, and in a report by its title."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Scaler:
    """A way to bring columns to one scale: for the library a transformer, for the command line a flag."""

    name: str

    def __str__(self) -> str:
        return {"standard": "StandardScaler", "robust": "RobustScaler", "log": "numpy.log1p"}[self.name]


class Worded(str):
    """A sentence in the words of the library that keeps its pieces, because the command line words some differently.

    Attributes
    ----------
    parts : tuple
        The pieces, like those of an error.
    """

    parts: tuple[Any, ...]

    def __new__(cls, *parts: Any) -> Self:
        """Join the pieces."""
        sentence = super().__new__(cls, "".join(map(str, parts)))
        sentence.parts = parts
        return sentence

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.parts


def joined(sentences: Iterable[str]) -> str:
    """Join sentences by semicolons; their pieces stay pieces."""
    parts: list[Any] = []
    for sentence in sentences:
        parts += ["; " if parts else "", *getattr(sentence, "parts", (sentence,))]
    return Worded(*parts)


class AdjudgeError(Exception):
    """Base of all errors that adjudge raises on purpose.

    Parameters
    ----------
    *parts : str, Option, Argument, Position or Call
        The message, in pieces. Whatever Python and the command line word differently is a piece with a type of its own.

    Attributes
    ----------
    parts : tuple
    """

    def __init__(self, *parts: Any) -> None:
        super().__init__()
        self.worded(*parts)

    def worded(self, *parts: Any) -> Self:
        """Replace the message."""
        self.parts = parts
        # A quoted name may hold a line end; the message stays one line.
        self.args = ("\\n".join("".join(map(str, parts)).splitlines()),)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # A worker process sends its errors pickled.
        return _unpickled, (type(self), *self.args), vars(self)

    @property
    def options(self) -> tuple[Option, ...]:
        """The parameters that the message mentions, in order."""
        return tuple(part for part in self.parts if isinstance(part, Option))


def _unpickled(kind: type[AdjudgeError], message: str) -> AdjudgeError:
    return kind.__new__(kind, message)


class InputError(AdjudgeError, ValueError):
    """A value that was given cannot be used: wrong length, missing labels, an unknown name."""


class InputTypeError(AdjudgeError, TypeError):
    """A value of the wrong kind was given."""


class UnknownIndexError(InputError, KeyError):
    """No index, or more than one, has the given name."""

    def __str__(self) -> str:
        # KeyError shows the repr of its argument; the message should read like any other.
        return str(self.args[0])


class AmbiguousIndexError(UnknownIndexError):
    """Several indices have the given name."""


class TooManyCombinationsError(InputError):
    """The joint counts of all columns of labels would not fit in memory."""


class UnusableColumnError(InputError):
    """A column of coordinates has missing or infinite values."""

    def __init__(self, *parts: Any, column: Any = None) -> None:
        super().__init__(*parts)
        self.column = column


class FractionError(InputError):
    """A label is a number with a fraction, as numbers of rows and probabilities are."""

    def __init__(self, *parts: Any, value: float = math.nan) -> None:
        super().__init__(
            *parts,
            ", which is not a whole number: labels name groups; round scores or probabilities to classes first",
        )
        self.value = value


class GapError(UnusableColumnError):
    """A coordinate is missing; points without it can be left out."""


class UndefinedStatisticError(InputError):
    """A formula needs what a statistic does not have: the index is undefined, for the reason given."""


class NoCentroidsError(InputError):
    """The points have no centroids: only distances are given, or the points are sparse."""


class MissingExtraError(AdjudgeError, ImportError):
    """An optional dependency is needed but not installed."""

    def __init__(
        self, package: str, extra: str, purpose: str | Option | Argument, *, project: str = "adjudge"
    ) -> None:
        super().__init__(
            purpose,
            f" needs the package {package!r}, which is not installed: pip install '{project}[{extra}]'",
        )
