"""Labels that are paths in a tree of classes, on the command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from adjudge.cli.output import show_work
from adjudge.errors import InputError

if TYPE_CHECKING:
    from adjudge.cli.columns import Source
    from adjudge.cli.evaluation_columns import Asked
    from adjudge.results import Evaluation
    from adjudge.verbs.request import EvaluationRequest

__all__ = ["evaluate_paths"]


def evaluate_paths(
    source: Source,
    asked: Asked,
    separator: str,
    request: EvaluationRequest,
    refused: Mapping[str, bool],
    names: dict[str, str],
) -> tuple[dict[str, Evaluation], str | None]:
    """Judge columns of paths, whose tree has all classes that occur; put the columns into `names`, for errors."""
    from adjudge.given.labels import Column
    from adjudge.given.taxonomy import Taxonomy
    from adjudge.given.weights import Weighting
    from adjudge.verbs.structures import evaluate_structures

    given = next((name for name, is_given in refused.items() if is_given), None)
    if given is not None:
        raise InputError(f"{given} does not work with --path-separator: leave it out")
    with show_work(f"Reading {source.path}"):
        columns = source.table.label_columns([source.column(name) for name in asked.labelled])
    coded = [Column.of(own.as_text(), f"column {own.name!r}") for own in columns]
    taxonomy = Taxonomy.from_paths([path for own in coded for path in own.values.dense()[1]], separator)
    truth, *judged = coded
    results: dict[str, Any] = {}
    for name, own in zip(asked.judged, judged, strict=True):
        names |= {"labels_true": truth.name, "labels_pred": own.name}
        vectors = {"labels_true": truth, "labels_pred": own, "labels": None, "X": None}
        with show_work(f"Judging {name}"):
            results[name] = evaluate_structures(
                request, vectors, {"taxonomy": taxonomy}, Weighting(None, None, None, None)
            )
    return results, asked.truth
