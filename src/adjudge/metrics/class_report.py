"""scikit-learn's table of precision, recall and F1 by class."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from adjudge.metrics.averages import scores_of
from adjudge.metrics.checks import UnusualInputError, drop_in
from adjudge.metrics.targets import checked_targets

__all__ = ["classification_report"]

_COLUMNS = ("precision", "recall", "f1-score", "support")


@drop_in("sklearn.metrics._classification")
def classification_report(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    target_names: Any = None,
    sample_weight: Any = None,
    digits: int = 2,
    output_dict: bool = False,
    zero_division: Any = "warn",
) -> Any:
    """Tabulate precision, recall, F1 and support by class, and their averages.

    >>> report = classification_report(["a", "a", "b", "b"], ["a", "b", "b", "b"], output_dict=True)
    >>> report["a"]
    {'precision': 1.0, 'recall': 0.5, 'f1-score': 0.6666666666666666, 'support': 2.0}
    >>> report["accuracy"]
    0.75
    """
    targets = checked_targets(y_true, y_pred, sample_weight, labels)
    chosen = targets.present if labels is None else np.asarray(labels)
    names = _names(chosen, target_names)
    options = {"labels": chosen, "zero_division": zero_division}
    *columns, support = scores_of(targets, **options)
    rows = list(zip(names, *columns, support, strict=False))
    is_accuracy = labels is None or set(chosen.tolist()) >= set(targets.present.tolist())
    averages = []
    for average in ("micro", "macro", "weighted"):
        heading = "accuracy" if average == "micro" and is_accuracy else f"{average} avg"
        *values, _ = scores_of(targets, average=average, **options)
        averages.append((heading, *values, np.sum(support)))
    return _as_dictionary(rows, averages) if output_dict else _as_text(names, rows, averages, digits)


def _names(labels: Any, target_names: Any) -> list[str]:
    if target_names is None:
        return [f"{label}" for label in labels]
    if len(labels) != len(target_names):
        raise UnusualInputError
    return list(target_names)


def _as_dictionary(rows: Iterable[Any], averages: Iterable[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {
        name: dict(zip(_COLUMNS, map(float, values), strict=True)) for name, *values in (*rows, *averages)
    }
    if "accuracy" in found:
        found["accuracy"] = found["accuracy"]["precision"]
    return found


def _as_text(names: Sequence[str], rows: list[Any], averages: list[Any], digits: int) -> str:
    if not names:
        raise ValueError("labels=[] leaves no class to report")
    width = max(*map(len, names), len("weighted avg"), digits)
    lines = [f"{'':>{width}s} " + "".join(f" {column:>9}" for column in _COLUMNS), ""]
    lines += [_line(row, width, digits) for row in rows]
    lines += ["", *(_line(row, width, digits) for row in averages)]
    return "\n".join(lines) + "\n"


def _line(row: Any, width: int, digits: int) -> str:
    name, *values, support = row
    cells = [f"{value:>9.{digits}f}" for value in values]
    if name == "accuracy":
        cells[:2] = [f"{'':>9}"] * 2
    return f"{name:>{width}s}  " + " ".join([*cells, f"{support:>9}"])
