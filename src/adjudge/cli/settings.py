"""Settings of a command in a file: gate.toml, or the table [tool.adjudge.gate] of pyproject.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from adjudge.cli.parameters import Parameter, Role
from adjudge.cli.typed import indices_in
from adjudge.errors import InputError
from adjudge.unknown_names import close_names

__all__ = ["Settings", "Stored"]

_LISTS = (Role.labels, Role.numbers, Role.groups, Role.probabilities, Role.names, Role.indices)
_AMOUNTS = (Role.amounts, Role.limits)


@dataclass(frozen=True)
class Stored:
    """The settings in a file.

    Attributes
    ----------
    source : str
        The file; empty if there is none.
    values : dict
        By the names of the options, as they may be typed.
    table : dict
        The same as written in the file.
    written : dict of str to str
        The name in the file, by that of the option.
    looked_in : tuple of str
        Every file that was read.
    said : str
        What is told of them.
    """

    source: str
    values: dict[str, Any]
    table: dict[str, Any]
    written: dict[str, str]
    looked_in: tuple[str, ...] = ()
    said: str = ""

    @property
    def words(self) -> str:
        """The settings as text, for printing."""
        return _words(self.table)

    def beside(self, typed: Mapping[str, Any]) -> Stored:
        """Return the settings that apply beside those that were typed; `said` names these and what is overridden.

        Margins by index, and limits by class, are overridden one by one, so that a check in the file is still made. A
        single margin that was typed is that of every index in the file, unless the indices were typed as well.
        """
        values = {name: value for name, value in self.values.items() if name not in typed}
        applied = {self.written[name]: self.table[self.written[name]] for name in values}
        lost: dict[str, Any] = {}
        for name in self.values.keys() & typed.keys():
            written = self.written[name]
            stored = lost[written] = self.table[written]
            if not isinstance(stored, dict) or (name == "margin" and "indices" in typed):
                continue
            parts = indices_in(typed[name])
            own = {part.rpartition("=")[0].strip() for part in parts}
            if "" not in own:
                kept = {key: value for key, value in stored.items() if key not in own}
                values[name] = [*parts, *(f"{key}={value}" for key, value in kept.items())]
                applied |= {written: kept} if kept else {}
                lost[written] = {key: value for key, value in stored.items() if key in own}
            elif name == "margin" and len(parts) == 1:
                values[name] = [f"{key}={parts[0]}" for key in stored]
        in_order = {name: lost[name] for name in self.table if name in lost and lost[name] != {}}
        said = _words({name: applied[name] for name in self.table if name in applied})
        if in_order:
            said = f"{said or 'none'}; overridden by the command line: {_words(in_order)}"
        return replace(self, values=values, said=said and f"settings from {self.source}: {said}")


@dataclass(frozen=True)
class Settings:
    """The files in which the options of a command may stand.

    Attributes
    ----------
    command : str
        It names the file and the table.
    known : sequence of Parameter
    """

    command: str
    known: Sequence[Parameter]

    @property
    def _names(self) -> dict[str, Parameter]:
        return {own.setting: own for own in self.known}

    @property
    def _table_name(self) -> str:
        return f"[tool.adjudge.{self.command}]"

    def beside(self, path: Path | None, typed: Mapping[str, Any]) -> Stored:
        """Read the settings that apply beside the options that were typed."""
        return self.read(path).beside(typed)

    def read(self, path: Path | None) -> Stored:
        """Read a file of settings; by default gate.toml or pyproject.toml in the current folder.

        Raises
        ------
        InputError
            If the file does not exist or is not TOML, or if a setting is unknown or of the wrong type.
        """
        if path is not None:
            return replace(self._read(path, must_be_there=True), looked_in=(str(path),))
        usual = (f"{self.command}.toml", "pyproject.toml")
        looked_in = tuple(name for name in usual if Path(name).is_file())
        for name in looked_in:
            found = self._read(Path(name), must_be_there=False)
            if found.values:
                return replace(found, looked_in=looked_in)
        return Stored("", {}, {}, {}, looked_in)

    def _read(self, path: Path, *, must_be_there: bool) -> Stored:
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
                return Stored("", {}, {}, {})
            raise InputError(f"{str(path)!r} is no TOML file: {error}") from None
        table = self._table(path, content)
        if not table and must_be_there:
            raise InputError(
                f"{str(path)!r} has no settings: write them as in margin = 0.01, or in {self._table_name}"
            )
        values, names = {}, {}
        for name, value in table.items():
            own = self._names.get(name.replace("-", "_"))
            if own is None:
                raise _unknown(path, f"a setting {name!r}", name, list(self._names))
            names[own.name], values[own.name] = name, _value(path, name.replace("-", "_"), own, value)
        return Stored(str(path), values, table, names)

    def _table(self, path: Path, content: dict[str, Any]) -> dict[str, Any]:
        """Find the settings; raise if what stands beside them looks as if it were read, and is not.

        In pyproject.toml only [tool.adjudge] is ours; a file of settings is ours as a whole, unless it has
        [tool.adjudge].
        """
        owned = path.name == "pyproject.toml" or "tool" in content
        if not owned:
            if isinstance(content.get(self.command), dict):
                raise InputError(
                    f"{str(path)!r} has a table [{self.command}]: write the settings without a table, or in "
                    f"{self._table_name}"
                )
            return content
        tool = content.get("tool", {})
        if not isinstance(tool, dict):
            return {}
        for name in content:
            if name.replace("-", "_") in self._names or name == "adjudge":
                what = f"[{name}]" if isinstance(content[name], dict) else repr(name)
                raise InputError(
                    f"{str(path)!r} has {what} outside of {self._table_name}, where it is not read: move it there"
                )
        for name in tool:
            if name != "adjudge" and str(name).casefold() == "adjudge":
                raise _unknown(path, f"a table [tool.{name}]", name, ("adjudge",))
        ours = tool.get("adjudge", {})
        if not isinstance(ours, dict):
            raise InputError(
                f"{str(path)!r}: [tool.adjudge] is no table: write settings in {self._table_name}"
            )
        for name, value in ours.items():
            if name == self.command:
                continue
            known = name.replace("-", "_") in self._names
            if isinstance(value, dict) and not known:
                raise _unknown(path, f"a table [tool.adjudge.{name}]", name, (self.command,))
            if known:
                raise InputError(
                    f"{str(path)!r} has {name!r} in [tool.adjudge], where nothing is read: move it to "
                    f"{self._table_name}"
                )
            raise _unknown(path, f"a setting {name!r} in [tool.adjudge]", name, list(self._names))
        table = ours.get(self.command, {})
        if not isinstance(table, dict):
            raise InputError(f"{str(path)!r}: {self._table_name} is no table")
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


def _value(path: Path, name: str, own: Parameter, value: Any) -> Any:
    """Return a value as it may be typed; raise if the option takes none of its type."""
    found = _typed(path, own, value)
    if found is None:
        wrong = f"not known: choose one of {', '.join(own.choices)}" if own.choices else "of the wrong type"
        raise InputError(f"{str(path)!r}: {name} = {_toml(value)} is {wrong}")
    return found


def _typed(path: Path, own: Parameter, value: Any) -> Any:
    if own.choices:
        return value if value in own.choices else None
    if own.role in _LISTS:
        items = [value] if isinstance(value, str) else value
        return items if isinstance(items, list) and all(isinstance(item, str) for item in items) else None
    if own.role in _AMOUNTS:
        parts = value if isinstance(value, dict) else {"": value}
        if not all(map(_is_amount, parts.values())):
            return None
        return [f"{key}={part}" if key else str(part) for key, part in parts.items()]
    if isinstance(value, bool):
        return None
    if own.role in (Role.count, Role.number):
        return value if isinstance(value, int if own.role is Role.count else (int, float)) else None
    if own.name == "decimal":
        return value if value in (".", ",") else None
    if own.role is Role.file:
        return path.parent / value if isinstance(value, str) else None
    return str(value) if isinstance(value, (str, int)) else None


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
