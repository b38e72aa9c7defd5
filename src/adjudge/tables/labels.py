"""Labels as they were read from a table, and what they may mean."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from typing import Any

from adjudge.errors import InputError, Option
from adjudge.files.table_file import LabelColumn
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Labels, code_labels

__all__ = ["coded_alike", "noise_meant"]


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
