"""An index with parameters in its name, such as ``specificity_at_sensitivity(at=0.8)``."""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import Any

from adjudge.errors import InputError, in_words
from adjudge.indices.record import Index

__all__ = ["base_and_parameters", "variant_with"]

_CALL = re.compile(r"\s*([^()]+?)\s*(\(.*\))\s*", re.DOTALL)
# How pass@k and pass^k are written with a number.
_OF_K = re.compile(r"\s*(pass[@^])([0-9]+)\s*", re.IGNORECASE)


def base_and_parameters(name: str) -> tuple[str, str] | None:
    """Split a name into that of the index and its parameters in brackets, or its k; None if it has none.

    Examples
    --------
    >>> base_and_parameters("recall_at_precision(at=0.8)"), base_and_parameters("recall")
    (('recall_at_precision', '(at=0.8)'), None)
    >>> base_and_parameters("pass@5")
    ('pass@k', '(k=5)')
    """
    if (matched := _OF_K.fullmatch(name)) is not None:
        return f"{matched[1]}k", f"(k={int(matched[2])})"
    matched = _CALL.fullmatch(name)
    return None if matched is None else (matched[1], matched[2])


def variant_with(record: Index, parameters: str) -> Index:
    """Return an index with some of its parameters fixed, under a name that says so.

    Parameters
    ----------
    record : Index
    parameters : str
        In brackets, as in a call: names and plain values.

    Examples
    --------
    >>> from adjudge import find_index
    >>> found = variant_with(find_index("f1"), "(beta = 2)")
    >>> found.name, found.title, found.fixed
    ('f1(beta=2)', 'F1 (beta=2)', {'beta': 2})
    """
    known = [name for name in record.parameters if name not in record.fixed]
    known += record.parameters_of_names
    said = f"{record.name}{parameters}"
    if not known:
        raise InputError(f"{in_words(said)}: {record.name} has no parameters")
    values = _values(parameters)
    has = ", ".join(known)
    if values is None:
        raise InputError(
            f"{in_words(said)} is not understood: give each parameter once, by its name, of which there are {has}"
        )
    if unknown := [name for name in values if name not in known]:
        raise InputError(f"{in_words(said)}: {record.name} has no parameter {unknown[0]!r}: it has {has}")
    record.check_choices(values)
    return _variant(record, ", ".join(f"{name}={value!r}" for name, value in values.items()))


@cache
def _variant(record: Index, shown: str) -> Index:
    """Return the same record for the same parameters."""
    title = f"{record.title} ({shown})"
    return record.variant(f"{record.name}({shown})", title=title, fixed=_values(f"({shown})") or {})


def _values(parameters: str) -> dict[str, Any] | None:
    """Read names and values as Python writes them; None if that is not what they are."""
    try:
        call = ast.parse(f"f{parameters}", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            return None
        found = {str(own.arg): ast.literal_eval(own.value) for own in call.keywords}
    except (SyntaxError, ValueError):
        return None
    return found if 0 < len(found) == len(call.keywords) else None
