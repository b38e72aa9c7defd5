"""Labels that are paths in a tree of classes, on the command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from adjudge.cli.output import show_work
from adjudge.errors import InputError

if TYPE_CHECKING:
    from adjudge.cli.columns import Source
    from adjudge.cli.evaluation_columns import Asked
    from adjudge.cli.evaluation_rows import Rows
    from adjudge.verbs.request import EvaluationRequest

__all__ = ["path_rows"]


def path_rows(
    source: Source, asked: Asked, separator: str, request: EvaluationRequest, refused: Mapping[str, bool]
) -> Rows:
    """Read columns of paths, whose tree has all classes that occur."""
    from adjudge.cli.evaluation_rows import Model, Rows
    from adjudge.given.labels import Column
    from adjudge.given.taxonomy import Taxonomy
    from adjudge.given.weights import Weighting

    given = next((name for name, is_given in refused.items() if is_given), None)
    if given is not None:
        raise InputError(f"{given} does not work with --path-separator: leave it out")
    with show_work(f"Reading {source.path}"):
        columns = source.table.label_columns([source.column(name) for name in asked.labelled])
    coded = [Column.of(own.as_text(), f"column {own.name!r}") for own in columns]
    taxonomy = Taxonomy.from_paths([path for own in coded for path in own.values.dense()[1]], separator)
    truth, *judged = coded
    models = {
        name: Model(
            request, truth, own, Weighting(None, None), called=own.name, structures={"taxonomy": taxonomy}
        )
        for name, own in zip(asked.judged, judged, strict=True)
    }
    return Rows(asked.truth, truth.name, models)
