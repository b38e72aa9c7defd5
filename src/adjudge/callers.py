"""Warnings at the line of a user's program that called, however deep in the package they arise."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

__all__ = ["warn_caller"]

# Packages whose lines are not the caller's.
_BETWEEN = {"adjudge", "contextlib", "functools", "importlib"}


def warn_caller(message: str, category: type[Warning], *, through: str = "") -> None:
    """Warn at the line that called adjudge, perhaps through another package."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in {*_BETWEEN, through}:
        frame = frame.f_back
    if frame is None:
        return
    warnings.warn_explicit(
        message,
        category,
        frame.f_code.co_filename,
        frame.f_lineno,
        frame.f_globals.get("__name__"),
        frame.f_globals.setdefault("__warningregistry__", {}),
    )
