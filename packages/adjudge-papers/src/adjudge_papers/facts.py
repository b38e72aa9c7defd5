"""The printed tables and the settings behind them, from the JSON files in ``data``."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

__all__ = ["load_facts"]


def load_facts(name: str) -> dict[str, Any]:
    """Return the facts about a paper; each file names its source."""
    found: dict[str, Any] = json.loads(
        files("adjudge_papers").joinpath("data", f"{name}.json").read_text("utf-8")
    )
    return found
