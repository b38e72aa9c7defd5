"""Every error that adjudge raises for a bad input: one line that names the culprit and the remedy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_NOTHING: Any = object()


@dataclass(frozen=True)
class Option:
    """A parameter that a message speaks of. Each front end words it in its own way: ``noise='drop'``, ``--noise drop``.

    Attributes
    ----------
    name : str
        As the library's functions have it.
    value : object
        The value that is meant, if one is.
    """

    name: str
    value: Any = _NOTHING

    @property
    def has_value(self) -> bool:
        """Whether a value is meant."""
        return self.value is not _NOTHING

    def __str__(self) -> str:
        return f"{self.name}={self.value!r}" if self.has_value else f"{self.name}="


@dataclass(frozen=True)
class Call:
    """A function of the library that a message recommends, by its name."""

    name: str

    def __str__(self) -> str:
        return f"{self.name}()"


class AdjudgeError(Exception):
    """Base of all errors that adjudge raises on purpose.

    Parameters
    ----------
    *parts : str, Option or Call
        The message, in pieces: what differs between Python and the command line is no plain text.

    Attributes
    ----------
    parts : tuple
    """

    def __init__(self, *parts: Any) -> None:
        # A name that is quoted may hold a line end; the message stays one line.
        super().__init__("\\n".join("".join(map(str, parts)).splitlines()))
        self.parts = parts

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.parts

    @property
    def options(self) -> tuple[Option, ...]:
        """The parameters that the message speaks of, in order."""
        return tuple(part for part in self.parts if isinstance(part, Option))


class InputError(AdjudgeError, ValueError):
    """A value that was given cannot be used: wrong length, missing labels, an unknown name."""


class InputTypeError(AdjudgeError, TypeError):
    """A value of the wrong kind was given."""


class UnknownIndexError(InputError, KeyError):
    """No index, or more than one, goes by the name that was asked for."""

    def __str__(self) -> str:
        # KeyError shows the repr of its argument; the message should read like any other.
        return str(self.args[0])


class TooManyCombinationsError(InputError):
    """Counts of all columns of labels at once would not fit in memory."""


class UnusableColumnError(InputError):
    """A column of coordinates has missing or infinite values."""

    def __init__(self, message: str = "", column: Any = None) -> None:
        super().__init__(message)
        self.column = column

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.column)


class UndefinedStatisticError(InputError):
    """A formula asked a statistic for what it does not have: the index is undefined, for the reason given."""


class NoCentroidsError(InputError):
    """The points have no centroids: there are distances alone, or they are sparse."""


class MissingExtraError(AdjudgeError, ImportError):
    """An optional dependency is needed and not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        self._given = package, extra, purpose
        super().__init__(
            f"{purpose} needs the package {package!r}, which is not installed: pip install 'adjudge[{extra}]'"
        )

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, str, str]]:
        # An error is pickled on its way out of a worker process, and made again from what it was made from.
        return type(self), self._given
