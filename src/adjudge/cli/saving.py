"""The options `--save` and `--report`: save the result of a command with its rows, or write its page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from adjudge.cli.options import Engine, OutputFlags
from adjudge.cli.output import tell
from adjudge.errors import InputError

__all__ = [
    "PageOutputFlags",
    "SaveFlags",
    "check_saved",
    "engine_of_saved",
    "is_result",
    "save_result",
]


@dataclass(frozen=True)
class SaveFlags:
    """Where the result is saved."""

    heading: ClassVar[str] = "Output"

    save: Path | None = None


@dataclass(frozen=True)
class PageOutputFlags(OutputFlags):
    """Where results go, with a page."""

    report: Path | None = None


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


def engine_of_saved(engine: Engine, path: Path | None) -> Engine:
    """Return the engine that reads the file: saving rows needs them in memory."""
    if path is None:
        return engine
    if engine is Engine.duckdb:
        raise InputError("--save keeps the rows, which DuckDB only counts: leave out --engine duckdb")
    return Engine.memory


def save_result(result: Any, path: Path) -> None:
    """Save a result, with its rows if it has any."""
    from adjudge.saved.archive import holds_instances

    has_rows = holds_instances(result)
    result.save(path, instances=has_rows)
    tell(f"result saved to {path}{'' if has_rows else ', without rows'}")
