"""The columns that `adjudge evaluate` judges, and whether an engine can summarize them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adjudge.cli.classifier_flags import ClassifierFlags
from adjudge.cli.evaluation_flags import JudgedFlags, PointFlags
from adjudge.cli.options import Engine, WeightFlags
from adjudge.errors import InputError

if TYPE_CHECKING:
    from adjudge.cli.columns import Source
    from adjudge.kinds.request import EvaluationRequest

__all__ = ["Asked"]


@dataclass(frozen=True)
class Asked:
    """The columns that the command names.

    Attributes
    ----------
    truth : str or None
    judged : list of str
    features : list of str or None
        The columns of coordinates, if labels are judged from points.
    weights : WeightFlags
    """

    truth: str | None
    judged: list[str]
    features: list[str] | None
    weights: WeightFlags

    @classmethod
    def of(
        cls,
        source: Source,
        judged: JudgedFlags,
        points: PointFlags,
        weights: WeightFlags,
        classifier: ClassifierFlags,
        *,
        vertices: str | None = None,
        in_graph: bool = False,
    ) -> Asked:
        """Find the columns that the options name; labels in a graph are judged from its edges, not from points."""
        others = (
            vertices,
            points.batch,
            judged.truth,
            weights.weight,
            weights.units,
            *source.names(classifier.by),
        )
        names = source.labelled(judged.pred or judged.labels, judged.kind, others)
        alone = bool(judged.labels or points.columns)
        truth = judged.truth
        if truth is None and not alone:
            truth = source.own_list
        if not names and not classifier.has_forecasts:
            raise InputError(
                "nothing to judge: name columns with --pred (against --truth) or --labels (from points)"
            )
        if truth is None and not alone:
            raise InputError(
                "--pred is judged against the truth: name its column with --truth, or use --labels"
            )
        beside = truth, *names, weights.weight, weights.units, points.batch
        no_points = [name for name in beside if name]
        features = source.feature_names(points.columns, no_points) if alone and not in_graph else None
        return cls(truth, names, features, weights)

    @property
    def labelled(self) -> list[str]:
        """All columns of labels."""
        return [*([self.truth] if self.truth else []), *self.judged]

    def used(self, source: Source, classifier: ClassifierFlags, *, several: bool) -> list[str]:
        """All columns that are used."""
        own = self.labelled
        # With several labels per row, the options hold patterns, not columns.
        others = () if several else classifier.columns(source, own)
        return [*own, *(self.features or ()), *others]

    def is_streamed(self, source: Source, points: PointFlags, request: EvaluationRequest) -> bool:
        """Whether the engine that reads the file also summarizes the points."""
        if not self.features:
            return False
        hindrance = _what_needs_rows(source, self, points.demands, request)
        return source.streams(self.labelled, request.labels, hindrance and (hindrance,))


def _what_needs_rows(
    source: Source, asked: Asked, demands: Mapping[str, bool], request: EvaluationRequest
) -> str | None:
    """Say what needs the points in memory; return None if moments are enough."""
    from adjudge.files.columnar import is_parquet, words_among_numbers
    from adjudge.indices.catalog import split_keywords
    from adjudge.verbs.evaluate_lazily import moments_suffice

    if not is_parquet(source.table):
        return f"only Parquet points can be streamed, and {str(source.path)!r} is not Parquet"
    if (words := words_among_numbers(source.table, asked.features or [])) is not None:
        return f"column {words!r} has words among its numbers"
    names = [*asked.labelled, *(asked.features or [])]
    if len({name.casefold() for name in names}) < len(names):
        return "columns whose names differ only in case are read into memory"
    # With DuckDB, "all" and "default" mean those indices among them that it can compute.
    all_it_can = source.engine is Engine.duckdb and not split_keywords(request.indices)[1]
    all_demands = {
        **demands,
        "--compat": request.compat is not None,
        "--noise": request.labels.treats_noise,
        "--weight": asked.weights.weight is not None,
        "--units": asked.weights.units is not None,
        "--confidence": request.confidence is not None,
        "--missing for a column": not isinstance(request.labels.missing, str),
        "--missing drop": request.labels.drops and len(asked.judged) > 1,
        "--kind classification": request.kind not in (None, "clustering"),
        "--indices": not all_it_can and not moments_suffice(request.indices, asked.truth is not None),
    }
    found = next((name for name, is_made in all_demands.items() if is_made), None)
    return None if found is None else f"{found} needs all points in memory"
