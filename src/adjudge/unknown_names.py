"""Names that may be meant by one that is not there, and what is raised for one that a module does not have."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from adjudge.callers import caller_imports_a_name

__all__ = ["close_names", "no_such_name"]


def close_names(name: str, names: Iterable[str], most: int, cutoff: float = 0.6) -> list[str]:
    """Return the names that are like another one, the most similar first; capitals make no difference.

    A name that differs in capitals alone is the one that is meant.

    Examples
    --------
    >>> close_names("KM", ["km", "ward"], 3)
    ['km']
    """
    from difflib import get_close_matches

    by_small: dict[str, list[str]] = {}
    for own in names:
        by_small.setdefault(own.casefold(), []).append(own)
    if name.casefold() in by_small:
        return by_small[name.casefold()][:most]
    close = get_close_matches(name.casefold(), list(by_small), n=most, cutoff=cutoff)
    return [own for small in close for own in by_small[small]][:most]


def no_such_name(module: str, name: str, names: Iterable[str] = (), otherwise: str = "") -> Exception:
    """Return the error for a name that a module does not have.

    Parameters
    ----------
    module, name : str
    names : iterable of str
        The module's names; those that are close are offered.
    otherwise : str
        What to say if none is close.
    """
    close = close_names(name, names, 3)
    remedy = f"did you mean {', '.join(close)}?" if close else otherwise
    # An import in a circle finds a submodule only after an AttributeError.
    if remedy and caller_imports_a_name() and f"{module}.{name}" not in sys.modules:
        return ImportError(f"cannot import name {name!r} from {module!r}: {remedy}", name=module)
    # With the name, Python does not add what it believes to be meant.
    return AttributeError(f"module {module!r} has no attribute {name!r}{remedy and ': '}{remedy}", name=name)
