"""How several labels per row are written, on the command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

__all__ = ["LabelSetFlags"]


@dataclass(frozen=True)
class LabelSetFlags:
    """How several labels per row are written."""

    heading: ClassVar[str] = "Classifiers"

    delimiter: str | None = None
