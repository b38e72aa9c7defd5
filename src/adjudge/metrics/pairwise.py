"""The names of ``sklearn.metrics.pairwise``, all of them scikit-learn's: programs import them from this module."""

from __future__ import annotations

from typing import Any

from adjudge.metrics.others import names_with_theirs, theirs


def __getattr__(name: str) -> Any:
    return theirs(name, "sklearn.metrics.pairwise")


def __dir__() -> list[str]:
    return names_with_theirs((), "sklearn.metrics.pairwise")
