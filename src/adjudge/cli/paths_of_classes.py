"""Labels that are classes in a tree, on the command line: paths, or a column for each level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from adjudge.cli.options import split_list
from adjudge.cli.output import show_work
from adjudge.errors import InputError, Row

if TYPE_CHECKING:
    from adjudge.cli.columns import Source
    from adjudge.cli.evaluation_columns import Asked
    from adjudge.cli.evaluation_flags import JudgedFlags
    from adjudge.cli.evaluation_rows import Rows
    from adjudge.cli.label_sets import LabelSetFlags
    from adjudge.cli.options import WeightFlags
    from adjudge.given.labels import Column
    from adjudge.kinds.request import EvaluationRequest

__all__ = ["asked_by_level", "path_rows"]


_SIGN = "/"


def asked_by_level(judged: JudgedFlags, weights: WeightFlags) -> Asked:
    """Return what is judged if true classes have a column for each level."""
    from adjudge.cli.evaluation_columns import Asked

    levels = split_list(judged.level)
    if judged.truth is not None:
        raise InputError("--level names the columns of the truth: leave out --truth")
    if len(levels) < 2:
        raise InputError("--level needs at least two columns, the highest level first")
    if not judged.pred:
        raise InputError("--level has the true classes: name the predicted ones with --pred")
    return Asked(_SIGN.join(levels), split_list(judged.pred), weights)


def path_rows(
    source: Source,
    asked: Asked,
    separator: str | None,
    request: EvaluationRequest,
    refused: Mapping[str, bool],
    several: LabelSetFlags | None = None,
) -> Rows:
    """Read columns of paths, whose tree has all classes that occur.

    Parameters
    ----------
    separator : str or None
        Sign in paths; None if the truth has a column for each level, and predictions may be last names.
    refused : mapping of str to bool
        Options that do not work, and whether they are given.
    several : LabelSetFlags, optional
        How the cells of rows with several classes are read.
    """
    from adjudge.cli.evaluation_rows import Model, Rows
    from adjudge.given.taxonomy import Taxonomy
    from adjudge.given.weights import Weighting

    given = next((name for name, is_given in refused.items() if is_given), None)
    if given is not None:
        option = "--level" if separator is None else "--path-separator"
        raise InputError(f"{given} does not work with {option}: leave it out")
    if several is not None:
        return _several(source, asked, str(separator), request, several)
    with show_work(f"Reading {source.path}"):
        coded = [_paths(source, name, separator) for name in asked.labelled]
    labels = [own.values.dense()[1] for own in coded]
    # Beside columns by level, a column may have last names, which are in the tree already.
    paths = [path for own in labels for path in own if separator is not None or _SIGN in path]
    taxonomy = Taxonomy.from_paths(paths or labels[0], _SIGN if separator is None else separator)
    if separator is None and request.labels.missing == "raise":
        _check_not_levels(coded, asked.judged)
    truth, *judged = _in_common(coded) if request.labels.missing == "drop" else coded
    models = {
        name: Model(
            request, truth, own, Weighting(None, None), called=own.name, structures={"taxonomy": taxonomy}
        )
        for name, own in zip(asked.judged, judged, strict=True)
    }
    return Rows(asked.truth, truth.name, models, len(coded[0].values))


def _in_common(columns: list[Column]) -> list[Column]:
    """Leave out, for all columns, the rows without a class in any, so that all are judged on the same rows."""
    import numpy as np

    gaps = [own.values.missing for own in columns if own.values.missing is not None]
    kept = np.flatnonzero(~np.logical_or.reduce(gaps)) if gaps else np.empty(0)
    if not kept.size:  # no row is left out, or all are, which is said later
        return columns
    return [replace(own, values=own.values.take(kept)) for own in columns]


def _check_not_levels(columns: list[Column], names: list[str]) -> None:
    """Raise if predictions have gaps, and are of one level each from the top: together they may be one prediction."""
    lacking = next((own for own in columns[1:] if own.values.missing is not None), None)
    if lacking is None or len(names) == 1:
        return
    truth, *predicted = (own.values.occurring() for own in columns)
    paths = [str(path).split(_SIGN) for path in truth]
    levels = ({path[depth] for path in paths if len(path) > depth} for depth in range(len(names)))
    if all(level.issuperset(own) for level, own in zip(levels, predicted, strict=True)):
        raise InputError(
            f"{lacking.name} lacks a class in some rows, and each column has classes of one level: did you mean "
            f"--pred {_SIGN.join(names)}? If not, pass --missing drop"
        )


def _several(
    source: Source, asked: Asked, separator: str, request: EvaluationRequest, flags: LabelSetFlags
) -> Rows:
    """Read columns whose cells hold several paths."""
    from adjudge.cli.classifier_flags import ClassifierFlags
    from adjudge.cli.evaluation_rows import Model, Rows
    from adjudge.cli.label_sets import SetTable
    from adjudge.given.class_sets import ClassSets
    from adjudge.given.taxonomy import Taxonomy
    from adjudge.given.weights import Weighting

    with show_work(f"Reading {source.path}"):
        table = SetTable.read(source, str(asked.truth), asked.judged, ClassifierFlags(), flags)
    truth = ClassSets(table.labels_true)
    paths = [path for own in (table.labels_true, *table.models.values()) for path in own.labels]
    structures = {"taxonomy": Taxonomy.from_paths(paths, separator)}
    models = {
        name: Model(
            replace(request, kind=None),
            truth,
            ClassSets(own),
            Weighting(None, None),
            called=repr(name),
            structures=structures,
        )
        for name, own in table.models.items()
    }
    return Rows(table.truth, repr(table.truth), models)


def _paths(source: Source, name: str, separator: str | None) -> Column:
    """Read a column of paths, or join columns by level."""
    from adjudge.given.labels import Column

    names = [name] if separator is not None or name in source.table.columns else name.split(_SIGN)
    columns = source.table.label_columns([source.column(one) for one in names])
    if len(columns) == 1:
        return Column.of(columns[0].as_text(), f"column {columns[0].name!r}")
    rows = zip(*(column.as_text() for column in columns), strict=True)
    joined = [_joined(i, cells, names) for i, cells in enumerate(rows)]
    return Column.of(joined, f"the columns {name}")


def _joined(row: int, cells: tuple[Any, ...], names: list[str]) -> str | None:
    """Join the classes of a row; None if there are none."""
    filled = [str(cell) for cell in cells if cell is not None and cell != ""]
    # If no level is missing, the filled ones come first.
    for cell, name in zip(cells[: len(filled)], names, strict=False):
        if cell in (None, ""):
            raise InputError(
                f"column {name!r} is empty ", Row(row), ", where a lower level is not: fill it in"
            )
        if _SIGN in str(cell):
            raise InputError(
                f"column {name!r} has {cell!r} ", Row(row), f": names of classes must have no {_SIGN!r}"
            )
    return _SIGN.join(filled) or None
