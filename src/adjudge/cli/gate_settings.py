"""Settings of `adjudge gate` in a file: gate.toml, or the table [tool.adjudge.gate] of pyproject.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from adjudge.cli.options import Kind, WhatMissing
from adjudge.errors import InputError
from adjudge.unknown_names import close_names

__all__ = ["GateSettings", "Undecided", "read_settings"]


class Undecided(StrEnum):
    """What the exit code says if the gate is undecided."""

    as_it_is = "undecided"
    passes = "pass"
    fails = "fail"


_TEXTS = ("truth", "old", "new", "key", "prediction", "positive", "units")
_LISTS = ("indices", "superior", "equivalent", "by", "probabilities")
_KNOWN = (*_TEXTS, *_LISTS, "against", "kind", "missing", "margin", "max_broken", "confidence", "smallest_group",
          "undecided")  # fmt: skip


@dataclass(frozen=True)
class GateSettings:
    """The settings in a file.

    Attributes
    ----------
    source : str
        The file; empty if there is none.
    values : dict
        By the names of the options, in the form of the command line.
    words : str
        The same as text, for printing.
    """

    source: str
    values: dict[str, Any]
    words: str


def read_settings(path: Path | None) -> GateSettings:
    """Read a file of settings; by default gate.toml or pyproject.toml in the current folder.

    Raises
    ------
    InputError
        If the file does not exist or is not TOML, or if a setting is unknown or of the wrong type.
    """
    if path is not None:
        return _read(path, must_be_there=True)
    for name in ("gate.toml", "pyproject.toml"):
        if Path(name).is_file():
            found = _read(Path(name), must_be_there=False)
            if found.values:
                return found
    return GateSettings("", {}, "")


def _read(path: Path, *, must_be_there: bool) -> GateSettings:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"--settings {str(path)!r}: there is no such file") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        if not must_be_there and path.name == "pyproject.toml":
            return GateSettings("", {}, "")  # not our file: another tool will report the error
        raise InputError(f"{str(path)!r} is no TOML file: {error}") from None
    tool = (
        content.get("tool", {})
        if path.name == "pyproject.toml" or "tool" in content
        else {"adjudge": {"gate": content}}
    )
    table = tool
    for name in ("adjudge", "gate"):
        table = table.get(name, {}) if isinstance(table, dict) else {}
    if not isinstance(table, dict):
        raise InputError(f"{str(path)!r}: [tool.adjudge.gate] is no table")
    if not table and must_be_there:
        raise InputError(
            f"{str(path)!r} has no settings: write them as in margin = 0.01, or in [tool.adjudge.gate]"
        )
    values = {}
    for name, value in table.items():
        option = name.replace("-", "_")
        if option not in _KNOWN:
            close = close_names(option, _KNOWN, 1)
            hint = f": did you mean {close[0]!r}?" if close else ""
            raise InputError(f"{str(path)!r} has a setting {name!r}, which is not known{hint}")
        values[option] = _value(path, option, value)
    words = ", ".join(f"{name} = {_toml(value)}" for name, value in table.items())
    return GateSettings(str(path), values, words)


def _value(path: Path, name: str, value: Any) -> Any:
    """Convert a value to the form that it has on the command line."""
    wrong = InputError(f"{str(path)!r}: {name} = {_toml(value)} is of the wrong type")
    if name in _TEXTS:
        if not isinstance(value, (str, int)) or isinstance(value, bool):
            raise wrong
        return str(value)
    if name in _LISTS:
        items = [value] if isinstance(value, str) else value
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            raise wrong
        return items
    if name in ("margin", "max_broken"):
        if isinstance(value, dict):
            if not all(_is_amount(own) for own in value.values()):
                raise wrong
            return [f"{key}={own}" for key, own in value.items()]
        if not _is_amount(value):
            raise wrong
        return [str(value)]
    if name == "against":
        if not isinstance(value, str):
            raise wrong
        return path.parent / value
    kinds: dict[str, Any] = {"kind": Kind, "missing": WhatMissing, "undecided": Undecided}
    if name in kinds:
        try:
            return kinds[name](value)
        except ValueError:
            raise wrong from None
    if isinstance(value, bool) or not isinstance(value, int if name == "smallest_group" else (int, float)):
        raise wrong
    return value


def _is_amount(value: Any) -> bool:
    return isinstance(value, (str, int, float)) and not isinstance(value, bool)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {_toml(own)}" for name, own in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return (
        f'"{value}"'
        if isinstance(value, str)
        else str(value).lower()
        if isinstance(value, bool)
        else str(value)
    )
