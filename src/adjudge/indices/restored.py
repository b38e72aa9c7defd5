"""Indices of saved results: looked up by name, or, if missing, reduced to their saved facts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, NoReturn

from adjudge.errors import InputError
from adjudge.indices.catalog import index_named
from adjudge.indices.kinds import Kind
from adjudge.indices.record import Better, Index


class AbsentIndex(Index):
    """An index of a saved result that is not registered here: the meaning of its values, without its formula."""

    kind: ClassVar[Kind] = "external"

    def __call__(self, *_: Any) -> NoReturn:
        """Raise, because there is no formula."""
        raise InputError(
            f"{self.name!r} is an index of the user who saved the result: register it to compute it"
        )


def restored_index(
    name: str,
    kind: Kind,
    title: str,
    better: Better | None,
    range: tuple[float, float],
    reference: str,
    asks: str,
    note: str = "",
    variant_of: str | None = None,
) -> Index:
    """Return the index with a name, or, if it is not registered, one without a formula.

    Parameters
    ----------
    name, kind, title, better, range, reference, asks, note, variant_of
        Facts of the saved index.
    """
    known = index_named(name)
    if known is not None and known.kind == kind:
        # Of numbers, the call said which end is better.
        return known if known.better == better else replace(known, better=better)
    facts: dict[str, Any] = {"asks": asks, "note": note, "variant_of": variant_of}
    found = AbsentIndex(name, title, _absent, (), better, range, reference, **facts)
    object.__setattr__(found, "kind", kind)
    return found


def _absent() -> NoReturn:
    raise InputError("this index has no formula: register it")
