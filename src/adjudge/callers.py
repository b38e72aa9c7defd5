"""Warnings that name the line that called adjudge, however deep in it they arise."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

__all__ = ["warn_caller"]

# Packages whose lines are not the caller's: ours, and those that calls pass through.
_PASSED = {"adjudge", "contextlib", "functools", "importlib"}
# Modules of scikit-learn, which may be the caller itself, that calls pass through.
_PASSED_MODULES = {"sklearn.utils._param_validation", "sklearn.utils.validation"}


def warn_caller(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called adjudge."""
    frame: FrameType = sys._getframe(1)
    while _is_passed(frame) and frame.f_back is not None:
        frame = frame.f_back
    warnings.warn_explicit(
        message,
        category,
        frame.f_code.co_filename,
        frame.f_lineno,
        frame.f_globals.get("__name__"),
        frame.f_globals.setdefault("__warningregistry__", {}),
    )


def _is_passed(frame: FrameType) -> bool:
    name: str = frame.f_globals.get("__name__", "")
    return name.partition(".")[0] in _PASSED or name in _PASSED_MODULES
