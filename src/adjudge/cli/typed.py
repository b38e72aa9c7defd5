"""What was typed for an option, read as its role says."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

from adjudge.cli.estimators import find_estimator, settings_of, timed_estimator
from adjudge.cli.options import as_bytes, split_list, split_names
from adjudge.cli.parameters import Parameter, Role
from adjudge.errors import InputError

__all__ = ["indices_in", "numbers_in", "value_of"]

# What may be done with missing labels and with noise, and the sign for all columns that are not named.
_TREATMENTS = {"missing": ("raise", "drop"), "noise": ("cluster", "singletons", "drop")}
_OTHERS = "*"
_RANGE = re.compile(r"(\d+):(\d+)(?::(\d+))?")


def value_of(own: Parameter, typed: Any, file: Path) -> Any:
    """Return the value that a verb takes; None if nothing was typed.

    Parameters
    ----------
    own : Parameter
    typed : object
        As typer returns it.
    file : Path
        The table, whose names of columns may contain commas.
    """
    if typed is None or typed == []:
        return None
    match own.role:
        case Role.labels | Role.numbers | Role.groups | Role.probabilities:
            return _columns(typed, file)
        case Role.names:
            return split_list(typed)
        case Role.treatment:
            return _treatment(typed, own)
        case Role.indices:
            return indices_in(typed)
        case Role.amounts:
            return _amounts(typed, own.own_flags[0], _amount)
        case Role.limits:
            return _amounts(typed, own.own_flags[0], _limit)
        case Role.range:
            return numbers_in(typed, own.own_flags[0])
        case Role.grid:
            return settings_of(typed)
        case Role.size:
            return as_bytes(typed)
        case Role.value:
            return int(typed) if re.fullmatch(r"[+-]?\d+", typed) else typed
        case Role.estimator:
            return find_estimator(typed)
        case Role.clusterer:
            return timed_estimator(typed)
        case _:
            return typed.value if isinstance(typed, Enum) else typed


def numbers_in(text: str, flag: str = "--k") -> list[int]:
    """Read 2:10, 2:10:2 or 2,3,5."""
    matched = _RANGE.fullmatch(text.strip())
    if matched:
        first, last, step = int(matched[1]), int(matched[2]), int(matched[3] or 1)
        if first > last or step < 1:
            raise InputError(f"{flag} {text!r} is empty: write the smaller number first, as in 2:10")
        return list(range(first, last + 1, step))
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() for part in parts):
        raise InputError(f"{flag} {text!r} is not a list of numbers: write 2:10, or 2,3,5")
    return [int(part) for part in parts]


def indices_in(given: Sequence[str]) -> list[str]:
    """Split a list of names, but not within brackets, as in recall[a,b] and f1(beta=2, undefined=0)."""
    found: list[str] = []
    for text in given:
        begun = ""
        for piece in text.split(","):
            part = f"{begun},{piece}" if begun else piece
            is_whole = all(part.count(left) == part.count(right) for left, right in ("[]", "()"))
            begun = "" if is_whole else part
            if is_whole:
                found.append(part.strip())
        if begun:
            found.append(begun.strip())
    if given and not all(found):
        raise InputError(f"an empty name in the list {','.join(given)!r}")
    return list(dict.fromkeys(found))


def _treatment(given: Sequence[str], own: Parameter) -> str | dict[str, str] | None:
    """Read ``drop``, ``truth=drop``, or several of these; "*" stands for the columns that are not named."""
    flag, choices = own.own_flags[0], _TREATMENTS[own.name]
    found: dict[str, str] = {}
    for text in split_list(given):
        name, sign, what = text.rpartition("=")
        if what not in choices or (sign and not name):
            known = ", ".join(choices)
            raise InputError(
                f"{flag} {text!r} is not known: choose one of {known}, or say COLUMN=drop for one column"
            )
        if not name and _OTHERS in found:
            said = f"both {found[_OTHERS]} and {what}"
            raise InputError(f"{flag} says {said}: name the columns, as truth={what}")
        found[name.strip() or _OTHERS] = what
    return found[_OTHERS] if [*found] == [_OTHERS] else found or None


def _amounts(given: Sequence[str], flag: str, read: Callable[[str, str], Any]) -> Any:
    """Read one amount, such as 0.01 or 2%, or amounts by name; None if there is none."""
    parts = indices_in(given)
    if not parts:
        return None
    if all("=" not in part for part in parts):
        if len(parts) > 1:
            raise InputError(f"{flag} has {len(parts)} values: give one, or one for each index as NAME=VALUE")
        return read(flag, parts[0])
    found = {}
    for part in parts:
        name, sign, value = part.rpartition("=")
        if not sign or not name.strip():
            raise InputError(f"{flag} {part!r}: write NAME=VALUE for each")
        found[name.strip()] = read(flag, value)
    return found


def _amount(flag: str, text: str) -> float | str:
    text = text.strip()
    try:
        value = float(text.removesuffix("%"))
    except ValueError:
        raise InputError(f"{flag} {text!r} is neither a number nor a percentage such as 2%") from None
    return text if text.endswith("%") else value


def _limit(flag: str, text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        found = _amount(flag, text)
        return float(found[:-1]) / 100 if isinstance(found, str) else found


def _columns(typed: Sequence[str], file: Path) -> list[str]:
    """Split lists of columns at commas, but for those within a name."""
    if file.is_dir() or not any("," in text for text in typed):
        return split_names(typed, ())
    from adjudge.tables.files import FileTable

    return split_names(typed, FileTable(file))
