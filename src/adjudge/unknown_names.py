"""What is raised for a name that a module of the package does not have, with the names that may be meant."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from adjudge.callers import caller_imports_a_name

__all__ = ["no_such_name"]


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
    from difflib import get_close_matches

    close = get_close_matches(name, list(names), n=3)
    remedy = f"did you mean {', '.join(close)}?" if close else otherwise
    # An import in a circle finds a submodule only after an AttributeError.
    if remedy and caller_imports_a_name() and f"{module}.{name}" not in sys.modules:
        return ImportError(f"cannot import name {name!r} from {module!r}: {remedy}", name=module)
    # With the name, Python does not add what it believes to be meant.
    return AttributeError(f"module {module!r} has no attribute {name!r}{remedy and ': '}{remedy}", name=name)
