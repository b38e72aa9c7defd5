"""How statistics are made: each type says what it is made from, and this module traces that back to what is given.

A type's ``made_from`` names things that a user provides (:mod:`adjudge.given.input_kinds`) or other statistics. A type
with a class method `make` is made from these by itself; the types without one are made by an engine, all in one run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any

from adjudge.errors import InputTypeError
from adjudge.given.input_kinds import Thing, Weights

Engine = Callable[[set[type]], Mapping[type, Any]]


def lacking(statistic: type, at_hand: Iterable[type]) -> tuple[type[Thing], ...]:
    """Return the things that are missing for a statistic; empty if it can be made.

    Parameters
    ----------
    statistic : type
    at_hand : iterable of type
        Available things and statistics.
    """
    known = tuple(at_hand)
    if any(issubclass(one, statistic) for one in known):
        return ()
    if issubclass(statistic, Thing):
        return (statistic,)
    ways = [lacking_of(way, known) for way in _ways(statistic)]
    if not ways:
        raise InputTypeError(f"{statistic.__name__} does not say what it is made from")
    return min(ways, key=len)


def can_be_made(statistic: object) -> bool:
    """Return whether a type says what it is made from, or is provided by the user."""
    return isinstance(statistic, type) and (issubclass(statistic, Thing) or bool(_ways(statistic)))


def lacking_of(sources: Iterable[type], at_hand: Iterable[type]) -> tuple[type[Thing], ...]:
    """Return the things that are missing for several sources together, each once."""
    known = tuple(at_hand)
    return tuple(dict.fromkeys(thing for source in sources for thing in lacking(source, known)))


def weighted_form(statistic: type) -> type | None:
    """Return the form of a statistic for weighted points; None if there is none.

    A statistic that positive weights do not change sets `ignores_weights`.
    """
    # A subclass is known once its module is imported.
    import_module("adjudge.statistics.weighted_points")
    if getattr(statistic, "ignores_weights", False):
        return statistic
    kinds: list[type] = statistic.__subclasses__()
    return next((kind for kind in kinds if Weights in getattr(kind, "made_from", ())), None)


def why_unweighted(statistic: type) -> str | None:
    """Say why a statistic has no form for weighted points; None if it has one."""
    if weighted_form(statistic) is not None:
        return None
    words = getattr(statistic, "unweighed", statistic.__name__)
    return f"{words} take no weights: repeat the points, if weights count them"


def _ways(statistic: type) -> list[tuple[type, ...]]:
    """List what a statistic can be made from; for an abstract type, what any of its subclasses can."""
    own: tuple[type, ...] | None = getattr(statistic, "made_from", None)
    if own is not None:
        return [own]
    kinds: list[type] = statistic.__subclasses__()
    return [way for kind in kinds for way in _ways(kind)]


class Made(Mapping[type, Any]):
    """Statistics by type, each made once, when it is first needed.

    Parameters
    ----------
    at_hand : mapping of type to object
        What was given, and statistics that exist already.
    engine : callable, optional
        Makes statistics that have no `make`: takes their types and returns them by type.
    """

    def __init__(self, at_hand: Mapping[type, Any], engine: Engine | None = None) -> None:
        self._found: dict[type, Any] = dict(at_hand)
        self._engine = engine

    def __getitem__(self, kind: type) -> Any:
        if kind not in self._found:
            self._found[kind] = self._make(kind)
        return self._found[kind]

    def __iter__(self) -> Iterator[type]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def prepare(self, kinds: Iterable[type]) -> None:
        """Have the engine make in one run everything it can that these statistics need."""
        if self._engine is None:
            return
        wanted: set[type] = set()
        pending = list(kinds)
        while pending:
            kind = pending.pop()
            if kind in self._found or issubclass(kind, Thing):
                continue
            concrete = self._concrete(kind)
            if concrete in self._found:
                continue
            if not hasattr(concrete, "make"):
                wanted.add(concrete)
            pending.extend(getattr(concrete, "made_from", ()))
        if wanted:
            self._found.update(self._engine(wanted))

    def _make(self, kind: type) -> Any:
        concrete = self._concrete(kind)
        if concrete is not kind and concrete in self._found:
            return self._found[concrete]
        if hasattr(concrete, "make"):
            return concrete.make(*(self[source] for source in concrete.made_from))  # type: ignore[attr-defined]
        if self._engine is None:
            raise InputTypeError(f"{kind.__name__} is made by an engine, and there is none")
        return self._engine({concrete})[concrete]

    def _concrete(self, kind: type) -> type:
        """Choose the subclass of a type that uses the most of what was given."""
        at_hand = [one for one in self._found if issubclass(one, kind)]
        if at_hand:
            return at_hand[0]
        if hasattr(kind, "made_from"):
            return kind
        kinds: list[type] = kind.__subclasses__()
        possible = [one for one in kinds if not lacking(one, self._found)]
        if not possible:
            raise InputTypeError(f"{kind.__name__} cannot be made from what was given")
        return max(possible, key=lambda one: len(one.made_from))  # type: ignore[attr-defined]
