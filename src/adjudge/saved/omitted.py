"""Placeholders for the parts of a result that were not saved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, NoReturn

from adjudge.errors import InputError, Option

_WHY: dict[str, tuple[Any, ...]] = {
    "instances": (
        "the result was saved without instances: compute it again and save it with ",
        Option("instances", True),
    ),
    "estimators": ("fitted estimators are not saved: fit them again",),
}


@dataclass(frozen=True)
class OfRows:
    """A part of a result with data of single instances, and what replaces it where these are not saved.

    Attributes
    ----------
    value : object
    otherwise : object
        By default a :class:`LeftOut` with the keys of a mapping, or the size of an array.
    """

    value: Any
    otherwise: Any = None

    @property
    def without(self) -> Any:
        """What is saved in place of the part."""
        if self.otherwise is not None:
            return self.otherwise
        names = tuple(self.value) if isinstance(self.value, Mapping) else ()
        return LeftOut(names, getattr(self.value, "size", None))


class LeftOut(Mapping[Any, Any]):
    """A placeholder for a part of a result that was not saved: reading it raises an error that says so.

    Parameters
    ----------
    names : tuple
        The keys, if a mapping was left out.
    n : int, optional
        The number of values, if an array was left out.
    what : {"instances", "estimators"}
    """

    def __init__(self, names: tuple[Any, ...] = (), n: int | None = None, what: str = "instances") -> None:
        self.names, self.n, self.what = names, n, what

    def read(self, *_: Any, **__: Any) -> NoReturn:
        """Raise an error that says how to get what was left out."""
        raise InputError(*_WHY.get(self.what, _WHY["instances"]))

    __call__ = __array__ = read

    @property
    def size(self) -> int:
        """The number of values that the array had."""
        return self.read() if self.n is None else self.n

    def __getitem__(self, name: Any) -> Any:
        if self.names and name not in self.names:
            raise KeyError(name)
        self.read()

    def __contains__(self, name: object) -> bool:
        return name in self.names if self.names else self.read()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.names or self.read())

    def __len__(self) -> int:
        return len(self.names) or self.size

    def __repr__(self) -> str:
        return f"<{self.what} that were not saved>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.read()

    def _saved_fields(self) -> dict[str, Any]:
        return {"names": self.names, "n": self.n, "what": self.what}


def fields_of(result: Any) -> dict[str, Any]:
    """Return the fields of a dataclass by name, except those that hold a marker for "not given"."""
    found = {field.name: getattr(result, field.name) for field in fields(result) if field.init}
    return {name: value for name, value in found.items() if type(value) is not object}
