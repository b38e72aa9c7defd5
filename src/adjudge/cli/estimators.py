"""Clusterers and their settings on the command line."""

from __future__ import annotations

import ast
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from adjudge.errors import InputError

__all__ = ["find_estimator", "plain_value", "settings_of", "timed_estimator"]


def find_estimator(name: str) -> Any:
    """Find a scikit-learn clusterer by name, ignoring case and 'Clustering', or another as module:Class."""
    if ":" in name:
        return _of_module(name)
    import sklearn.cluster
    import sklearn.mixture

    found = {
        found.lower(): getattr(module, found)
        for module in (sklearn.cluster, sklearn.mixture)
        for found in module.__all__
        if hasattr(getattr(module, found), "fit_predict")
    }
    wanted = name.strip().lower().replace("_", "").replace("-", "")
    for key in (wanted, f"{wanted}clustering"):
        if key in found:
            return found[key]()
    raise InputError(
        f"--estimator {name!r} is not known: choose one of {', '.join(sorted(v.__name__ for v in found.values()))}, "
        "or name another as module:Class"
    )


def timed_estimator(name: str) -> Any:
    """Return what `adjudge.plan` fits: a clusterer of `adjudge choose-k` by name, or one of scikit-learn."""
    from adjudge.choosing.estimators import CLUSTERERS

    return name if name in CLUSTERERS else find_estimator(name)


def _of_module(name: str) -> Any:
    """Make a clusterer from module:Class; also search the current folder."""
    module, _, attribute = name.strip().partition(":")
    sys.path.insert(0, str(Path.cwd()))
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(f"--estimator {name!r} cannot be imported: {error}") from None
    finally:
        sys.path.pop(0)
    if not isinstance(found, type) or not any(hasattr(found, what) for what in ("fit", "fit_predict")):
        raise InputError(f"--estimator {name!r} is not a clusterer: name a class with fit or fit_predict")
    try:
        return found()
    except TypeError as error:
        raise InputError(f"--estimator {name!r} cannot be made without settings: {error}") from None


def settings_of(given: list[str]) -> dict[str, list[Any]]:
    """Read settings such as ``min_cluster_size=5,10,20``."""
    settings: dict[str, list[Any]] = {}
    for item in given:
        name, sign, values = item.partition("=")
        if not sign or not name.strip() or not values.strip():
            raise InputError(f"--grid {item!r} is not a setting: write min_cluster_size=5,10,20")
        settings[name.strip()] = [plain_value(text) for text in values.split(",")]
    return settings


def plain_value(text: str) -> Any:
    """Read a number, True, False or None; return anything else as text."""
    try:
        value = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError):
        return text.strip()
    return value if isinstance(value, (int, float, bool, type(None))) else text.strip()
