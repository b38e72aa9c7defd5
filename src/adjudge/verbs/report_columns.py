"""What a report shows of a table: the labels as `compare` reads them, and the other columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from adjudge.errors import InputError, Option
from adjudge.given.class_names import are_boolean
from adjudge.given.forecast_columns import ForecastColumns, with_patterns
from adjudge.given.label_options import LabelOptions
from adjudge.given.label_sets import LabelSets
from adjudge.given.labels import Column, code_labels
from adjudge.presentation.numbers import listed, shortened
from adjudge.results.notice import Notice
from adjudge.tables.annotated import AnnotatedRows
from adjudge.tables.columns import column_beside
from adjudge.tables.coordinates import coordinates_in
from adjudge.tables.files import FileTable
from adjudge.tables.forecasts import columns_of_groups
from adjudge.tables.frames import Engine, Frame
from adjudge.tables.names import column_names, named_column, the_one
from adjudge.tables.source import open_given
from adjudge.verbs.columns_alike import meant
from adjudge.verbs.compare_columns import compare_columns

__all__ = ["ColumnsOfPage"]

# Codes of notices about columns that a page says otherwise: it shows columns of text.
_SAID_BY_THE_PAGE = ("text-as-coordinates", "points-from")
# The code of the notice that says which features were found.
_FOUND = "features-are"
# Options that only classifiers have.
_OF_CLASSIFIERS = ("probabilities", "scores", "classes", "positive", "groups")


@dataclass(frozen=True)
class _Read:
    """The arguments that `compare_columns` makes from the columns, in the place of a comparison."""

    labels: tuple[Any, ...]
    options: dict[str, Any]
    backend: str | None = None
    warnings: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Named:
    """What the arguments name of a table: columns of labels, and of what stands beside them.

    Attributes
    ----------
    truth : str or None
    models : sequence of str, mapping of str to str, or None
    text, images : str or anything else
        Columns, if they are names.
    features : sequence of str or None
    """

    truth: str | None
    models: Any
    text: Any
    images: Any
    features: Sequence[str] | None


@dataclass(frozen=True)
class ColumnsOfPage:
    """Columns of a table as arguments of `report`."""

    labels_true: Any
    models: dict[str, Any] | None
    X: Any
    text: Any
    images: Any
    features: Sequence[str] | None
    kind: Any
    options: dict[str, Any]
    said: tuple[Notice, ...]

    @classmethod
    def read(
        cls, given: Any, named: Named, X: Any, kind: Any, options: Mapping[str, Any], *, needs_points: bool
    ) -> ColumnsOfPage:
        """Read the columns that the arguments name; those that none names are `X`.

        Parameters
        ----------
        given : data frame or path
        named : Named
        X : None
        kind : str or None
        options : mapping
            Those of :func:`adjudge.compare`.
        needs_points : bool
            Whether coordinates are needed, beside a truth, too.

        Raises
        ------
        InputError
            If the table is lazy, if `X` is given as well, or if no models are named.
        """
        if X is not None:
            raise InputError(
                Option("X"), " are points beside a table: leave it out, its other columns are shown"
            )
        table = open_given(given, "memory")
        if isinstance(table, Engine):
            raise InputError("a report shows the instances: collect the table first")
        if isinstance(table, AnnotatedRows) and named.features is not None:
            raise InputError(
                Option("features"),
                " names no columns of obs, which a page shows: give labels from obs, and an entry of obsm as ",
                Option("X"),
            )
        truth = table.own_list if named.truth is None else named.truth
        if named.models is None and options.get("probabilities") is None and (truth or not needs_points):
            raise InputError("the models are missing: name their columns with ", Option("models"))
        if truth is None:
            labels, own, said = _without_truth(table, named.models, kind, options)
            true, found_kind = None, kind
        else:
            reading: Any = lambda *labels, **own: _Read(labels, own)  # noqa: E731
            source = table if isinstance(table, FileTable) else given
            read: Any = compare_columns(
                reading, source, named.models, truth=truth, kind=kind, engine="memory", **options
            )
            own, said = dict(read.options), read.warnings
            found_kind = own.pop("kind", None)
            true, labels = read.labels
        own = {name: value for name, value in own.items() if value is not None}
        used = _used(table, replace(named, truth=truth), labels, options)
        features: Sequence[str] | None = named.features
        about: tuple[Notice, ...] = ()
        if isinstance(table, FileTable) and found_kind != "multilabel" and table.own_list is None:
            needed = needs_points or truth is None
            features, about = _features(table, named.features, used, needed=needed)
        text, images = (
            _texts(table, name) if isinstance(name, str) else name for name in (named.text, named.images)
        )
        if isinstance(named.images, str):
            folder = Path(given).parent if isinstance(given, (str, PathLike)) else _folder_of(table)
            images = [folder / own_path if own_path else None for own_path in images]
        return cls(
            None if true is None else _coded(true),
            labels and {name: _coded(column) for name, column in labels.items()},
            None if found_kind == "multilabel" else _shown(table, features or (), used),
            text,
            images,
            features or None,
            found_kind,
            own,
            (*said, *about),
        )

    def without_gaps(self) -> ColumnsOfPage:
        """Leave out features with gaps, which a map alone does not need, and say so."""
        gaps = [
            name
            for name in self.features or ()
            if not (isinstance(self.X[name], np.ndarray) and np.isfinite(self.X[name]).all())
        ]
        if not gaps:
            return self
        has = "has" if len(gaps) == 1 else "have"
        why = f"the map leaves out {listed([*map(repr, gaps)])}, which {has} gaps"
        left = [name for name in self.features or () if name not in gaps]
        said = [_features_are(left) if own.code == _FOUND and left else own for own in self.said]
        return replace(self, features=left or None, said=(*said, Notice("gaps-in-map", why, severity="info")))


def _without_truth(
    table: FileTable | Frame, models: Any, kind: Any, options: Mapping[str, Any]
) -> tuple[dict[str, Any] | None, dict[str, Any], tuple[Notice, ...]]:
    """Read the labels of clusterings, which are judged from the features alone."""
    given = next((name for name in _OF_CLASSIFIERS if options.get(name) is not None), None)
    if kind in ("classification", "multilabel") and given is None:
        raise InputError(Option("kind", kind), " needs the truth: name its column with ", Option("truth"))
    if given is not None:
        raise InputError(Option(given), " needs the truth: name its column with ", Option("truth"))
    own = dict(options)
    if own.get("units") is not None:
        own["units"] = column_beside(table, own["units"])
    if models is None:
        return None, own, ()
    found = _models(table, models, options)
    read, _ = table.labels(list(found.values()))
    columns = {name: named_column(column, read[column]) for name, column in found.items()}
    if not isinstance(table, FileTable):
        return columns, own, ()
    treatment = LabelOptions(own.get("missing", "raise"), own.get("noise"), own.get("noise_label", -1))
    columns, typed, said = meant(columns, {None: treatment})
    own["noise_label"] = typed[None].noise_label
    return columns, own, said


def _models(table: FileTable | Frame, models: Any, options: Mapping[str, Any]) -> dict[Any, Any]:
    """Return the column of each model by its name."""
    if isinstance(models, Mapping):
        return {name: the_one(own, table.matching([own])) for name, own in models.items()}
    beside = [options[name] for name in ("units", "sample_weight", "counts") if options.get(name) is not None]
    return {name: name for name in table.matching(column_names("models", models), beside)}


def _used(
    table: FileTable | Frame, named: Named, labels: Any, options: Mapping[str, Any]
) -> dict[str, list[Any]]:
    """Return the columns with a role: of labels, those that are shown all the same, and others."""
    judged = [] if named.truth is None else table.matching([named.truth])
    if named.models is not None:
        judged += list(_models(table, named.models, options).values())
    elif labels is not None and options.get("probabilities") is None:
        judged += list(labels)
    shown = [own for own in (named.text, named.images) if isinstance(own, str)]
    beside = [options[name] for name in ("units", "sample_weight", "counts") if options.get(name) is not None]
    for option in ("probabilities", "scores"):
        of_each = with_patterns(options.get(option) or {}, option, table.names, judged)
        shown += [name for each in of_each.values() for name in ForecastColumns.of(each, option).columns]
    return {
        "labels": judged,
        "hidden": list(map(table.own, shown)),
        "beside": [table.own(name) for name in (*beside, *columns_of_groups(options.get("groups")))],
    }


def _features(
    table: FileTable, features: Sequence[str] | None, used: Mapping[str, list[Any]], *, needed: bool
) -> tuple[list[str], tuple[Notice, ...]]:
    """Find the columns of coordinates, and say which they are if nobody named them."""
    others = [*used["hidden"], *used["beside"]]
    if features is not None:
        return table.coordinates(column_names("features", features), [*used["labels"], *others]), ()
    try:
        names, said = coordinates_in(table, used["labels"], others, or_all=needed)
    except InputError:
        if needed:
            raise
        return [], ()
    return names, (*(own for own in said if own.code not in _SAID_BY_THE_PAGE), _features_are(names))


def _features_are(names: Sequence[str]) -> Notice:
    why = f"features are {shortened(list(names), 12)}"
    return Notice(_FOUND, why, (Option("features"), " chooses others"), "info")


def _shown(table: FileTable | Frame, features: Sequence[str], used: Mapping[str, list[Any]]) -> Any:
    """Read the features, and the columns to show with the labels, as numbers (NaN if missing) or text."""
    if table.own_list is not None:
        return None
    hidden = [*used["labels"], *used["hidden"], *features]
    if not isinstance(table, FileTable):
        hidden += used["beside"]
    rest = [name for name in table.names if name not in hidden and table.names.count(name) == 1]
    if not isinstance(table, FileTable):
        return table.shown([*features, *rest]) if rest or features else None
    numeric = [name for name in features if name in table.table.numeric_columns()]
    others = table.shown([name for name in (*features, *rest) if name not in numeric])
    numeric += [name for name in features if are_boolean([own for own in others.get(name, ()) if own])]
    values = table.table.points(numeric, gaps=True).T if numeric else ()
    read = others | dict(zip(numeric, values, strict=True))
    return {name: read[name] for name in (*features, *rest)} or None


def _texts(table: FileTable | Frame, name: str) -> list[str]:
    column = table.own(name)
    if table.holds_lists(column):
        raise InputError(f"column {name!r} has lists: a text, or a picture, is one for each instance")
    return [*map(str, table.cells(column))]


def _folder_of(table: FileTable | Frame) -> Path:
    return table.table.path.parent if isinstance(table, FileTable) else Path()


def _coded(column: Column) -> Any:
    """Return coded labels; sets of labels unchanged."""
    return column.values if isinstance(column.values, LabelSets) else code_labels(column.values, column.name)
