"""Comparing models in a lazy table: only counts, and sums of scores, come back from its engine."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, NoReturn

from adjudge.engines.frames.counting import (
    FrameTable,
    count_cells,
    joined_pairs,
    kept_rows,
    number_of_rows,
    rows_where_right,
)
from adjudge.engines.frames.likeliest import with_likeliest_labels
from adjudge.errors import InputError, TooManyCombinationsError
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import code_labels
from adjudge.kinds.registry import check_roles
from adjudge.kinds.request import EvaluationRequest
from adjudge.results import Comparison
from adjudge.results.label_notices import ROWS_LEFT_OUT, rows_left_out
from adjudge.results.patterns import Patterns
from adjudge.tables.columns import check_weights_suffice, counted_treatment
from adjudge.tables.forecasts import needs_all_scores
from adjudge.verbs.compare_apart import LabelVectors, compare_apart
from adjudge.verbs.table_models import ModelForecasts, SplitIndices, with_scores_of_sums

__all__ = ["LazyModels"]


@dataclass(frozen=True)
class LazyModels:
    """Columns of a lazy table with the labels of models.

    Attributes
    ----------
    judge : callable
        :func:`adjudge.compare`, called with the label combinations that the engine counts.
    table : FrameTable
    truth : str
    kind : {"clustering", "classification"} or None
        None if the labels decide.
    missing : {"raise", "drop"}
    weight : str or None
        Column with the weight of each row.
    grouping : sequence of str
        Columns that define groups.
    units : str or None
        Column with the unit that each row belongs to.
    """

    judge: Callable[..., Comparison]
    table: FrameTable
    truth: str
    kind: str | None
    missing: Any
    weight: str | None
    grouping: Sequence[str]
    units: str | None = None

    def compare(
        self, models: Mapping[str, Any] | None, forecasts: ModelForecasts, options: dict[str, Any]
    ) -> Comparison:
        """Compare labels, and forecasts if there are any; without models, the labels are the likeliest classes.

        `models` has the column of each model.
        """
        treatment = counted_treatment(self.missing, options)
        check_roles(self.kind, EvaluationRequest(labels=treatment).roles)
        check_weights_suffice(options.get("weights"), options.get("confidence"), self.units)
        table, asked, lost = self.table, None, 0
        if forecasts.columns and self.missing == "drop":
            table = kept_rows(table, forecasts.named, LabelOptions(self.missing))
            lost = number_of_rows(self.table) - number_of_rows(table)
        if models is None:
            models = {model: model for model in forecasts.columns}
            positive = options.get("positive")
            table = with_likeliest_labels(table, self.truth, forecasts.columns, positive, self.missing)
        if forecasts.columns:
            if self.weight is not None:
                raise needs_all_scores("sample_weight", forecasts.option)
            if self.units is not None and options.get("confidence") is not None:
                raise needs_all_scores("units", forecasts.option)
            asked = SplitIndices.of(options.get("indices", "default"), options.get("primary"))
            options = {**options, "indices": asked.of_labels, "primary": asked.primary_of_labels}
        comparison, occurring = self._of_labels(table, models, options, lost, forecasts)
        named = treatment.renamed({"labels_true": self.truth, **models})
        kept = kept_rows(table, [self.truth, *models.values(), *self._beside], named)
        if asked is not None:
            given = {
                "positive": options.get("positive"),
                "grouping": self.grouping,
                "confidence": options.get("confidence"),
            }
            comparison = with_scores_of_sums(comparison, kept, self.truth, forecasts, asked, given)
        return self._with_rows(comparison, kept, models, occurring)

    @property
    def _beside(self) -> list[str]:
        """Columns that are counted along with the labels."""
        return [*self.grouping, *(() if self.units is None else (self.units,))]

    def _of_labels(
        self,
        table: FrameTable,
        models: Mapping[str, Any],
        options: dict[str, Any],
        lost: int,
        forecasts: ModelForecasts,
    ) -> tuple[Comparison, dict[str, list[Any]]]:
        """Compare models from label combinations counted by the engine, all at once if possible.

        `lost` rows of the table that was given lack a probability or a score. Also return the labels of each column,
        unless clusterings were compared one by one.
        """
        truth, weight, columns = self.truth, self.weight, list(models.values())
        try:
            cells = count_cells(table, [truth, *columns, *self._beside], missing=self.missing, weight=weight)
        except TooManyCombinationsError:
            noise, confidence = options.get("noise", "cluster"), options.get("confidence")
            if (
                self.kind != "clustering"
                or noise != "cluster"
                or confidence is not None
                or weight is not None
                or self.grouping
            ):
                raise
        else:
            labels = cells.labels
            groups = {name: labels[name] for name in self.grouping} or None
            given = {**cells.weighing, "units": cells.column(self.units), **options}
            named = {model: labels[own] for model, own in models.items()}
            found = self.judge(labels[truth], named, kind=self.kind, groups=groups, **given)
            kept = found.known_instances().kept
            n = (cells.counts if kept is None else cells.counts[kept]).sum()
            n_given = cells.n_given + lost
            said = rows_left_out(n, n_given, counted_treatment(self.missing, options), forecasts.what)
            others = tuple(own for own in found.warnings if own.code != ROWS_LEFT_OUT)
            found = dataclasses.replace(
                found, settings={**found.settings, "n_given": n_given}, warnings=said + others
            )
            return found, {own: code_labels(labels[own], own).occurring() for own in (truth, *columns)}
        if self.missing == "drop":  # an instance left out for one model is left out for all
            table = kept_rows(table, [truth, *columns], LabelOptions(self.missing))

        def counted(one: str, other: str) -> LabelVectors:
            cells = count_cells(table, [one, other], missing=self.missing)
            return cells.labels[one], cells.labels[other], cells.counts

        apart = compare_apart(
            self.judge,
            {model: counted(truth, own) for model, own in models.items()},
            {(p, q): counted(models[p], models[q]) for p, q in combinations(models, 2)},
            **options,
        )
        return apart, {}

    def _with_rows(
        self,
        comparison: Comparison,
        kept: FrameTable,
        models: Mapping[str, Any],
        occurring: dict[str, list[Any]],
    ) -> Comparison:
        """Let pairs of models look up their instances among the rows that were kept."""
        find: Callable[..., Any] = partial(joined_pairs, kept, self.truth)
        if comparison.kind == "classification":
            find = partial(rows_where_right, kept, occurring, self.truth)
        if comparison.kind == "clustering" and self.weight is not None:
            find = _no_weighted_pairs
        instances = partial(_rows_of_models, find, {str(model): own for model, own in models.items()})
        pairs = {
            names: dataclasses.replace(pair, _instances=instances) for names, pair in comparison.pairs.items()
        }
        settings = {**comparison.settings, "missing": self.missing}
        by_group = {group: _without_instances(own) for group, own in comparison.by_group.items()}
        return dataclasses.replace(
            _without_instances(comparison), pairs=pairs, settings=settings, by_group=by_group
        )


def _rows_of_models(
    find: Callable[..., Any], columns: Mapping[str, Any], primary: str, alternative: str, cell: str
) -> Any:
    return find(columns[primary], columns[alternative], cell)


def _without_instances(comparison: Comparison) -> Comparison:
    """Drop the positions: they refer to counted combinations, not to rows."""
    pairs = {names: dataclasses.replace(pair, _instances=None) for names, pair in comparison.pairs.items()}
    patterns = None if comparison._patterns is None else partial(_counted_patterns, comparison)
    return dataclasses.replace(comparison, pairs=pairs, _patterns=patterns, _instances=None)


def _counted_patterns(comparison: Comparison) -> Patterns:
    return Patterns(comparison.models, comparison.patterns.found)


def _no_weighted_pairs(*_: Any) -> NoReturn:
    raise InputError(
        "weights of the pairs of each row are not computed in the engine: collect the table first"
    )
