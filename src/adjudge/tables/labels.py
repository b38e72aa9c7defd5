"""Labels as they were read from a table: what they may mean, and which rows several columns have in common."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, Option
from adjudge.files.table_file import LabelColumn
from adjudge.given.alignment import align_labels
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Column, Labels, code_labels
from adjudge.given.points import DataMatrix
from adjudge.given.structures import kind_of_structure, structure_left
from adjudge.kinds.given import Given
from adjudge.results.label_notices import about_words
from adjudge.results.notice import Notice

__all__ = ["IF_MISSING", "Treatments", "coded_alike", "in_common", "meant", "noise_meant", "with_words"]

#: How each judged column is treated, by the arguments that hold it and the truth.
Treatments = Mapping[Any, LabelOptions]
#: What to do if a label means that it is missing.
IF_MISSING = ("empty the cells and pass ", Option("missing", "drop"))

# Beside the names of columns.
_TRUTH = " truth"


def coded_alike(parts: Sequence[Sequence[LabelColumn]], alike: Container[Any]) -> list[dict[str, Labels]]:
    """Code the counted columns of a file: those named in `alike` all get one type, each other its own.

    Parameters
    ----------
    parts : sequence of sequence of LabelColumn
        Columns that were counted together, for each count.
    alike : container of str
    """
    are_text = any(own.is_text for part in parts for own in part if own.name in alike)
    return [
        {
            own.name: code_labels(
                own.as_text() if (are_text if own.name in alike else own.is_text) else own.labels(),
                f"column {own.name!r}",
            )
            for own in part
        }
        for part in parts
    ]


def with_words(
    labels: Mapping[Any, Column], counts: Any = None
) -> tuple[dict[Any, Column], tuple[Notice, ...]]:
    """Code the labels of a table, and say which words may mean that they are missing."""
    coded = {name: Column.of(own, str(name)) for name, own in labels.items()}
    return coded, about_words({str(name): own.values for name, own in coded.items()}, IF_MISSING, counts)


def meant(
    labels: dict[Any, Column], treatments: Treatments, counts: Any = None
) -> tuple[dict[Any, Column], Treatments, tuple[Notice, ...]]:
    """Code the labels of a file, whose text says neither which are missing nor which number is noise."""
    coded, said = with_words(labels, counts)
    typed = {
        name: noise_meant(own, [one.values for one in coded.values()]) for name, own in treatments.items()
    }
    return coded, typed, said


def noise_meant(options: LabelOptions, columns: Iterable[Labels]) -> LabelOptions:
    """Return the options with the label that stands for noise in the type of these labels: a file has no other types.

    Raises
    ------
    InputError
        If none of the labels is the one that was named.
    """
    label, columns = options.noise_label, list(columns)
    are_text = any(isinstance(own, str) for one in columns for own in one.categories[:1])
    if not options.treats_noise:
        return options
    if not isinstance(label, str):
        return replace(options, noise_label=str(label)) if are_text else options
    named = f" {label!r}"
    if not are_text:
        try:
            label = int(label)
        except ValueError:
            raise InputError(Option("noise_label"), f"{named} is text, but the labels are numbers") from None
    masks = (own.where(label) for own in columns)
    if not any(mask is not None and mask.any() for mask in masks):
        raise InputError(
            Option("noise_label"), f"{named} is not among the labels: leave it out, or correct it"
        )
    return replace(options, noise_label=label)


def in_common(
    given: Given,
    judged: Mapping[str, Column],
    treatments: Mapping[Any, LabelOptions],
    incomplete: NDArray[np.bool_] | None = None,
) -> tuple[Given, dict[str, Column], NDArray[np.int64] | None, bool]:
    """Leave out, for all columns, every row that any column leaves out, so that all are judged on the same rows.

    Parameters
    ----------
    given : Given
        What stands beside the columns that are judged.
    judged : mapping of str to Column
        Coded labels.
    treatments : mapping of str to LabelOptions
        How each is treated, by argument.
    incomplete : ndarray of bool, optional
        Rows that lack a probability.

    Returns
    -------
    given : Given
    judged : dict of str to Column
    kept : ndarray of int64 or None
        Positions of the rows that are left; None if all are.
    has_noise : bool
        Whether rows were left out as noise.
    """
    own, weighting = dict(judged), given.weighting
    missing: Any = {name: treatments[name].missing_of("labels_pred") for name in own}
    noise = {name: treatments[name].noise_of("labels_pred") for name in own}
    first = next(iter(treatments.values()))
    named: dict[str, Any] = dict(own)
    if given.truth is not None:
        missing[_TRUTH], noise[_TRUTH] = first.missing_of("labels_true"), first.noise_of("labels_true")
        named = {_TRUTH: given.truth, **own}
    noise = {name: "drop" if how == "drop" else "cluster" for name, how in noise.items()}
    if isinstance(first.missing, str):  # of units and groups, too
        missing = first.missing
    options = LabelOptions(missing, noise, first.noise_label)
    beside = {name: Column.of(one, name) for name, one in weighting.beside.items()}
    groups = {name: Column.of(one, name) for name, one in given.groups.items()}
    aligned = align_labels(named, options, beside, weighting.absent, incomplete, groups)
    kept = aligned.kept
    if kept is None:
        return given, own, None, False

    def left(column: Column) -> Column:
        return replace(column, values=column.values.take(kept))

    def some(values: Any) -> Any:
        if values is None:
            return None
        return values.take(kept) if hasattr(values, "squares") else values[kept]

    taken = replace(
        given,
        truth=None if given.truth is None else left(given.truth),
        options=replace(given.options, groups={name: left(one) for name, one in groups.items()} or None),
        weighting=replace(
            weighting,
            counts=some(weighting.counts),
            sample_weight=some(weighting.sample_weight),
            units=left(beside["units"]) if "units" in beside else None,
            runs=left(beside["runs"]) if "runs" in beside else None,
        ),
        X=given.X.take(kept) if isinstance(given.X, DataMatrix) else given.X,
        structures={
            name: left(Column.of(one, name))
            if isinstance(one, Column)
            else None
            if one is None
            else structure_left(kind_of_structure(name).read(one), aligned, first)
            for name, one in given.structures.items()
        },
    )
    return taken, {name: left(one) for name, one in own.items()}, kept, aligned.n_noise > 0
