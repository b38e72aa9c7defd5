"""What the pages of studies share: Markdown tables, shares in words, pictures, and parts that are filled in place."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib

__all__ = ["fill", "percent", "save", "table"]

IMAGES = Path(__file__).parents[1] / "docs" / "studies" / "images"


def table(rows: Iterable[Sequence[Any]], header: Sequence[str]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def percent(value: float) -> str:
    """Write a share."""
    return "-" if math.isnan(value) else f"{round(100 * value)} %"


def fill(page: Path, parts: Mapping[str, str]) -> None:
    """Write parts of a page between ``<!-- name -->`` and ``<!-- end -->``."""
    text = page.read_text("utf-8")
    for name, own in parts.items():
        filled = f"<!-- {name} -->\n\n{own}\n\n<!-- end -->"
        text = re.sub(f"<!-- {name} -->.*?<!-- end -->", lambda _, own=filled: own, text, flags=re.DOTALL)
    page.write_text(text, "utf-8")


def save(figure: Any, name: str) -> None:
    """Save a picture for the pages; the same figure gives the same file."""
    IMAGES.mkdir(exist_ok=True)
    with matplotlib.rc_context({"svg.hashsalt": name, "svg.fonttype": "none"}):
        figure.savefig(IMAGES / name, metadata={"Date" if name.endswith(".svg") else "CreationDate": None})
