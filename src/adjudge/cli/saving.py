"""The option `--save`: save the result of a command with its rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge.cli.output import tell
from adjudge.errors import InputError

if TYPE_CHECKING:
    from adjudge.cli.command import Call

__all__ = ["check_saved", "engine_of_saved", "is_result", "save_result"]


def is_result(path: Path) -> bool:
    """Whether a file is a saved result."""
    return path.suffix.lower() == ".adjudge"


def check_saved(path: Path | None) -> None:
    """Raise unless the file ends in .adjudge and replaces at most a saved result."""
    if path is None:
        return
    if not is_result(path):
        raise InputError(f"--save {str(path)!r} must end in .adjudge, by which --against knows it: rename it")
    from adjudge.saved.archive import check_replaced

    check_replaced(path)


def engine_of_saved(call: Call) -> str | None:
    """Return "memory" if rows are saved: these are read."""
    engine = call.options.get("engine", call.beside.get("engine"))
    if call.beside["save"] is None:
        return None
    if engine == "duckdb":
        raise InputError("--save keeps the rows, which DuckDB only counts: leave out --engine duckdb")
    return "memory"


def save_result(result: Any, path: Path) -> None:
    """Save a result, with its rows if it has any."""
    from adjudge.saved.archive import holds_instances

    has_rows = holds_instances(result)
    result.save(path, instances=has_rows)
    tell(f"result saved to {path}{'' if has_rows else ', without rows'}")
