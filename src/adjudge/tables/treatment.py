"""How missing labels and noise are treated in columns of a table, which options name by column, by role, or all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adjudge.errors import InputError, Option
from adjudge.given.label_options import LabelOptions

__all__ = ["treatment_of", "treatment_of_models"]

#: Names that stand for the truth, or for all columns that are judged.
_TRUTH = ("truth", "labels_true")
_JUDGED = ("pred", "labels_pred", "models")
#: Stands for all columns that are not named.
_OTHERS = "*"


def treatment_of(
    options: LabelOptions, truth: Any, judged: Mapping[Any, Any], labels: Any = None
) -> dict[Any, LabelOptions]:
    """Return how each judged column is treated, and the truth beside it, by the arguments that hold them.

    Parameters
    ----------
    options : LabelOptions
        Their mappings name columns, roles ("truth", "pred"), or "*" for all others.
    truth : str or None
    judged : mapping of str to (str or None)
        The columns that are judged, by the names of the models.
    labels : str or None
        The column that is judged from points, if it is another one.

    Raises
    ------
    InputError
        For a name that is no column of labels.
    """
    for option in ("missing", "noise"):
        _check(option, getattr(options, option), truth, [*judged, *judged.values(), labels])
    found = {}
    for name, own in judged.items():
        vectors: dict[str, tuple[Any, Sequence[str]]] = {
            "labels_true": (truth, _TRUTH),
            "labels_pred": (own, (name, *_JUDGED)),
            "labels": (labels, ("labels",)) if labels is not None else (own, (name, "labels", *_JUDGED)),
        }
        if labels is None:
            vectors["labels_pred"] = own, (name, *_JUDGED, "labels")
        missing, noise = (_of_vectors(value, vectors) for value in (options.missing, options.noise))
        found[name] = LabelOptions(missing, noise, options.noise_label)
    return found


def treatment_of_models(options: LabelOptions, truth: Any, models: Mapping[str, Any]) -> LabelOptions:
    """Return how the truth and the models' labels are treated, by "labels_true" and the names of the models.

    Parameters
    ----------
    options : LabelOptions
        As for `treatment_of`.
    truth : str
    models : mapping of str to str
        The column of each model.
    """
    if isinstance(options.missing, str) and not isinstance(options.noise, Mapping):
        return options
    for option in ("missing", "noise"):
        _check(option, getattr(options, option), truth, [*models.values(), *models])
    vectors: dict[str, tuple[Any, Sequence[str]]] = {"labels_true": (truth, _TRUTH)}
    vectors |= {name: (column, (name, *_JUDGED)) for name, column in models.items()}
    missing, noise = (_of_vectors(value, vectors) for value in (options.missing, options.noise))
    return LabelOptions(missing, noise, options.noise_label)


def _of_vectors(value: Any, vectors: Mapping[str, tuple[Any, Sequence[str]]]) -> Any:
    if not isinstance(value, Mapping):
        return value
    found = {}
    for vector, (column, roles) in vectors.items():
        if column is None:
            continue
        name = next((name for name in (column, *roles) if name in value), _OTHERS)
        if name in value:
            found[vector] = value[name]
    return found


def _check(option: str, value: Any, truth: Any, judged: Sequence[Any]) -> None:
    if not isinstance(value, Mapping):
        return
    columns = list(dict.fromkeys(name for name in (truth, *judged) if name is not None))
    roles = (*(() if truth is None else _TRUTH), *_JUDGED, "labels", _OTHERS)
    for name in value:
        if name not in (*columns, *roles):
            raise InputError(
                Option(option),
                f" names {name!r}: the columns of labels are {', '.join(map(repr, columns))}",
            )
