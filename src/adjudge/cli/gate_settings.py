"""Settings of `adjudge gate` in a file: gate.toml, or the table [tool.adjudge.gate] of pyproject.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from adjudge.cli.options import Kind, WhatMissing
from adjudge.errors import InputError
from adjudge.unknown_names import close_names

__all__ = ["GateSettings", "Undecided", "margin_in", "max_broken_in", "names_in", "read_settings"]


class Undecided(StrEnum):
    """What the exit code says if the gate is undecided."""

    as_it_is = "undecided"
    passes = "pass"
    fails = "fail"


_TEXTS = ("truth", "old", "new", "key", "prediction", "positive", "units")
_LISTS = ("indices", "superior", "equivalent", "by", "probabilities", "classes")
_KNOWN = (*_TEXTS, *_LISTS, "against", "decimal", "kind", "missing", "margin", "max_broken", "confidence",
          "smallest_group", "undecided")  # fmt: skip


@dataclass(frozen=True)
class GateSettings:
    """The settings in a file.

    Attributes
    ----------
    source : str
        The file; empty if there is none.
    values : dict
        By the names of the options, in the form of the command line.
    table : dict
        The same as written in the file.
    looked_in : tuple of str
        Every file that was read.
    """

    source: str
    values: dict[str, Any]
    table: dict[str, Any]
    looked_in: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The settings as text, for printing."""
        return _words(self.table)

    def beside(self, typed: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
        """Return the values that apply beside those that were typed, and say which these are and which are overridden.

        Margins by index, and limits by class, are overridden one by one, so that a check in the file is still made. A
        single margin that was typed is that of every index in the file, unless the indices were typed as well.
        """
        values = {name: value for name, value in self.values.items() if name not in typed}
        applied = {name: value for name, value in self.table.items() if name.replace("-", "_") not in typed}
        lost = {name: value for name, value in self.table.items() if name not in applied}
        for written, stored in tuple(lost.items()):
            name = written.replace("-", "_")
            if not isinstance(stored, dict) or (name == "margin" and "indices" in typed):
                continue
            parts = names_in(typed[name])
            own = {part.rpartition("=")[0].strip() for part in parts}
            if "" not in own:
                kept = {key: value for key, value in stored.items() if key not in own}
                values[name] = [*parts, *(f"{key}={value}" for key, value in kept.items())]
                applied |= {written: kept} if kept else {}
                lost[written] = {key: value for key, value in stored.items() if key in own}
            elif name == "margin" and len(parts) == 1:
                values[name] = [f"{key}={parts[0]}" for key in stored]
        lost = {name: value for name, value in lost.items() if value != {}}
        said = _words(applied)
        if lost:
            said = f"{said or 'none'}; overridden by the command line: {_words(lost)}"
        return values, said


def read_settings(path: Path | None) -> GateSettings:
    """Read a file of settings; by default gate.toml or pyproject.toml in the current folder.

    Raises
    ------
    InputError
        If the file does not exist or is not TOML, or if a setting is unknown or of the wrong type.
    """
    if path is not None:
        return replace(_read(path, must_be_there=True), looked_in=(str(path),))
    looked_in = tuple(name for name in ("gate.toml", "pyproject.toml") if Path(name).is_file())
    for name in looked_in:
        found = _read(Path(name), must_be_there=False)
        if found.values:
            return replace(found, looked_in=looked_in)
    return GateSettings("", {}, {}, looked_in)


def _read(path: Path, *, must_be_there: bool) -> GateSettings:
    written = b""
    try:
        written = path.read_bytes()
        content = tomllib.loads(written.decode("utf-8-sig"))
    except FileNotFoundError:
        raise InputError(f"--settings {str(path)!r}: there is no such file") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        # Without a word about us it is not our file: another tool will report the error. UTF-16 has zeros between.
        is_ours = b"adjudge" in written.replace(b"\0", b"")
        if not must_be_there and path.name == "pyproject.toml" and not is_ours:
            return GateSettings("", {}, {})
        raise InputError(f"{str(path)!r} is no TOML file: {error}") from None
    table = _table(path, content)
    if not table and must_be_there:
        raise InputError(
            f"{str(path)!r} has no settings: write them as in margin = 0.01, or in [tool.adjudge.gate]"
        )
    values = {}
    for name, value in table.items():
        option = name.replace("-", "_")
        if option not in _KNOWN:
            raise _unknown(path, f"a setting {name!r}", option, _KNOWN)
        values[option] = _value(path, option, value)
    return GateSettings(str(path), values, table)


def _table(path: Path, content: dict[str, Any]) -> dict[str, Any]:
    """Find the settings; raise if what stands beside them looks as if it were read, and is not.

    In pyproject.toml only [tool.adjudge] is ours; a file of settings is ours as a whole, unless it has [tool.adjudge].
    """
    owned = path.name == "pyproject.toml" or "tool" in content
    if not owned:
        if isinstance(content.get("gate"), dict):
            raise InputError(
                f"{str(path)!r} has a table [gate]: write the settings without a table, or in [tool.adjudge.gate]"
            )
        return content
    tool = content.get("tool", {})
    if not isinstance(tool, dict):
        return {}
    for name in content:
        if name.replace("-", "_") in _KNOWN or name == "adjudge":
            what = f"[{name}]" if isinstance(content[name], dict) else repr(name)
            raise InputError(
                f"{str(path)!r} has {what} outside of [tool.adjudge.gate], where it is not read: move it there"
            )
    for name in tool:
        if name != "adjudge" and str(name).casefold() == "adjudge":
            raise _unknown(path, f"a table [tool.{name}]", name, ("adjudge",))
    ours = tool.get("adjudge", {})
    if not isinstance(ours, dict):
        raise InputError(f"{str(path)!r}: [tool.adjudge] is no table: write settings in [tool.adjudge.gate]")
    for name, value in ours.items():
        if name == "gate":
            continue
        if isinstance(value, dict) and name.replace("-", "_") not in _KNOWN:
            raise _unknown(path, f"a table [tool.adjudge.{name}]", name, ("gate",))
        if name.replace("-", "_") in _KNOWN:
            raise InputError(
                f"{str(path)!r} has {name!r} in [tool.adjudge], where nothing is read: move it to [tool.adjudge.gate]"
            )
        raise _unknown(path, f"a setting {name!r} in [tool.adjudge]", name, _KNOWN)
    table = ours.get("gate", {})
    if not isinstance(table, dict):
        raise InputError(f"{str(path)!r}: [tool.adjudge.gate] is no table")
    return table


def _unknown(path: Path, what: str, name: str, known: Sequence[str]) -> InputError:
    close = close_names(name.casefold().replace("-", "_"), known, 1)
    hint = (
        f": did you mean {close[0]!r}?"
        if close
        else f": only {', '.join(known)} is"
        if len(known) == 1
        else ""
    )
    return InputError(f"{str(path)!r} has {what}, which is not known{hint}")


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
    if name == "decimal":
        if value not in (".", ","):
            raise wrong
        return value
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


def _words(table: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {_toml(value)}" for name, value in table.items())


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


def names_in(given: list[str] | None) -> list[str]:
    """Split a list of names, but not within brackets, as in recall[a,b]."""
    found: list[str] = []
    for text in given or ():
        part = ""
        for piece in text.split(","):
            part = f"{part},{piece}" if part else piece
            if part.count("[") == part.count("]"):
                found.append(part.strip())
                part = ""
        if part:
            found.append(part.strip())
    return list(dict.fromkeys(name for name in found if name))


def margin_in(given: list[str] | None) -> Any:
    """Read 0.01, 2%, or margins by index."""
    parts = names_in(given)
    if not parts:
        return None
    if all("=" not in part for part in parts):
        if len(parts) > 1:
            raise InputError(
                f"--margin has {len(parts)} values: give one, or one for each index as NAME=VALUE"
            )
        return _number("--margin", parts[0])
    return {name: _number("--margin", value) for name, value in _assigned("--margin", parts)}


def max_broken_in(given: list[str] | None) -> Any:
    """Read 5, 0.02, or limits by class."""
    parts = names_in(given)
    if not parts:
        return None
    if len(parts) == 1 and "=" not in parts[0]:
        return _limit(parts[0])
    return {name: _limit(value) for name, value in _assigned("--max-broken", parts)}


def _assigned(option: str, parts: list[str]) -> list[tuple[str, str]]:
    found = []
    for part in parts:
        name, sign, value = part.rpartition("=")
        if not sign or not name.strip():
            raise InputError(f"{option} {part!r}: write NAME=VALUE for each")
        found.append((name.strip(), value))
    return found


def _number(option: str, text: str) -> float | str:
    text = text.strip()
    try:
        value = float(text.removesuffix("%"))
    except ValueError:
        raise InputError(f"{option} {text!r} is neither a number nor a percentage such as 2%") from None
    return text if text.endswith("%") else value


def _limit(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        found = _number("--max-broken", text)
        return float(found[:-1]) / 100 if isinstance(found, str) else found
