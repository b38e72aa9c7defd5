"""The options of `adjudge evaluate` for clusters that follow from linked pairs of records."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

__all__ = ["PairFlags"]


@dataclass(frozen=True)
class PairFlags:
    """The pairs, and which of them count."""

    heading: ClassVar[str] = "Linked pairs"

    pairs: Path | None = None
    threshold: float | None = None
