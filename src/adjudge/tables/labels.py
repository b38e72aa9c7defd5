"""Labels as they were read from a table, and what they may mean."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from adjudge.errors import InputError, Option
from adjudge.files.table_file import LabelColumn
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Column, Labels, code_labels
from adjudge.results.label_notices import about_words
from adjudge.results.notice import Notice

__all__ = ["IF_MISSING", "Treatments", "coded_alike", "meant", "noise_meant", "with_words"]

#: How each judged column is treated, by the arguments that hold it and the truth.
Treatments = Mapping[Any, LabelOptions]
#: What to do if a label means that it is missing.
IF_MISSING = ("empty the cells and pass ", Option("missing", "drop"))


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
    labels: dict[Any, Column],
    treatments: Treatments,
    counts: Any = None,
    beside: Iterable[Column] = (),
) -> tuple[dict[Any, Column], Treatments, tuple[Notice, ...]]:
    """Code the labels of a file, whose text says neither which are missing nor which number is noise.

    The label of noise is one of any of them, or of the columns beside them.
    """
    coded, said = with_words(labels, counts)
    known = [one.values for one in (*coded.values(), *beside)]
    typed = {name: noise_meant(own, known) for name, own in treatments.items()}
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
