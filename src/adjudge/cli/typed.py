"""What was typed for an option, read as its role says."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import Any

from adjudge.cli.options import as_bytes, split_list, split_names
from adjudge.cli.parameters import Parameter, Role

__all__ = ["value_of"]


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
        case Role.labels | Role.numbers | Role.groups:
            return _columns(typed, file)
        case Role.names:
            return split_list(typed)
        case Role.size:
            return as_bytes(typed)
        case _:
            return typed.value if isinstance(typed, Enum) else typed


def _columns(typed: Sequence[str], file: Path) -> list[str]:
    """Split lists of columns at commas, but for those within a name."""
    if not any("," in text for text in typed):
        return split_names(typed, ())
    from adjudge.files.kinds import open_table

    return split_names(typed, {*open_table(file).columns})
