"""The options of `adjudge evaluate` for labels that are communities of a graph."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

__all__ = ["GraphFlags"]


@dataclass(frozen=True)
class GraphFlags:
    """The edges, and how they name vertices."""

    heading: ClassVar[str] = "Graph"

    graph: Path | None = None
    directed: bool = False
    key: str | None = None
