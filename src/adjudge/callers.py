"""The line that called adjudge, from any depth: warnings name it, and it may import a name."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

__all__ = ["caller_imports_a_name", "warn_caller"]

# Packages whose lines are not the caller's: ours, and those that calls pass through.
_PASSED = {"adjudge", "contextlib", "functools", "importlib"}
# Modules of scikit-learn, which may be the caller itself, that calls pass through.
_PASSED_MODULES = {"sklearn.utils._param_validation", "sklearn.utils.validation"}


def warn_caller(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called adjudge."""
    frame = _caller()
    warnings.warn_explicit(
        message,
        category,
        frame.f_code.co_filename,
        frame.f_lineno,
        frame.f_globals.get("__name__"),
        frame.f_globals.setdefault("__warningregistry__", {}),
    )


def caller_imports_a_name() -> bool:
    """Whether the line that called adjudge imports a name: a ``from`` import drops the message of an AttributeError."""
    from opcode import opmap

    frame = _caller()
    return frame.f_code.co_code[frame.f_lasti] == opmap["IMPORT_FROM"]


def _caller() -> FrameType:
    frame: FrameType = sys._getframe(2)
    while _is_passed(frame) and frame.f_back is not None:
        frame = frame.f_back
    return frame


def _is_passed(frame: FrameType) -> bool:
    name: str = frame.f_globals.get("__name__", "")
    return name.partition(".")[0] in _PASSED or name in _PASSED_MODULES
