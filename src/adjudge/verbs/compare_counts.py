"""Comparing models in a table by what its engine returns: counts of labels, and sums of scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.frames.counting import (
    FrameTable,
    LabelCells,
    kept_rows,
    number_of_rows,
    rows_that_weigh,
)
from adjudge.engines.frames.likeliest import with_likeliest_labels
from adjudge.engines.frames.rows_of_cells import joined_pairs, rows_where_right
from adjudge.engines.frames.summed_scores import SummedTable, sum_forecasts
from adjudge.errors import InputError, Option, TooManyCombinationsError
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Column, code_labels
from adjudge.indices.catalog import select_indices, split_keywords
from adjudge.indices.forecast_record import ForecastIndex
from adjudge.kinds.class_notices import about_derived_labels
from adjudge.kinds.clusters import PairsOfCounts
from adjudge.kinds.registry import check_roles
from adjudge.kinds.request import EvaluationRequest
from adjudge.results import Comparison
from adjudge.results.label_notices import ROWS_LEFT_OUT, about_words, rows_left_out
from adjudge.results.notice import Notice
from adjudge.results.patterns import Patterns
from adjudge.statistics.contingency import reduce_labels
from adjudge.tables.columns import check_weights_suffice
from adjudge.tables.files import FileCells, FileTable
from adjudge.tables.forecasts import ClassifierColumns, ModelForecasts
from adjudge.tables.frames import Engine
from adjudge.tables.labels import IF_MISSING, noise_meant
from adjudge.tables.written_rows import RowsOfModels
from adjudge.verbs.compared import head_to_heads
from adjudge.verbs.model_differences import with_differences

__all__ = ["CountedModels", "LabelVectors", "two_at_a_time"]

#: Two label vectors with their distinct combinations, and the number of rows with each.
LabelVectors = tuple[Any, Any, NDArray[np.int64]]


@dataclass(frozen=True)
class CountedModels:
    """Columns of a lazy table, or of a large file, with the labels of models.

    Attributes
    ----------
    judge : callable
        :func:`adjudge.compare`, called with the label combinations that the engine counts.
    table : Engine or FileTable
    truth : str
    kind : {"clustering", "classification"} or None
        None if the labels decide.
    treatment : LabelOptions
        By "labels_true" and the names of the models.
    weight : str or None
        Column with the weight of each row.
    grouping : sequence of str
        Columns that define groups.
    units : str or None
        Column with the unit that each row belongs to.
    """

    judge: Callable[..., Comparison]
    table: Engine | FileTable
    truth: str
    kind: str | None
    treatment: LabelOptions
    weight: str | None
    grouping: Sequence[str]
    units: str | None = None

    def compare(
        self, models: Mapping[str, Any] | None, forecasts: ModelForecasts, options: dict[str, Any]
    ) -> Comparison:
        """Compare labels, and forecasts if there are any; without models, the labels are the likeliest classes.

        `models` has the column of each model.
        """
        check_roles(self.kind, EvaluationRequest(labels=self.treatment).roles)
        if isinstance(self.table, FileTable):
            assert models is not None
            return self._of_labels(self.table, models, options, 0, None)
        if self.treatment.scatters_noise:
            raise InputError(
                Option("noise", "singletons"),
                " needs the instances, but the engine returns only counts: collect the table first",
            )
        check_weights_suffice(options.get("weights"), options.get("confidence"), self.units)
        whole, lost, columns = self.table.frame, 0, models
        weight = [] if self.weight is None else [self.weight]
        read = [self.truth, *(models or {}).values(), *self._beside, *weight, *forecasts.named]
        tables = [whole.some_columns(read), whole]
        if forecasts.columns and self.treatment.missing == "drop":
            n_given = self._n_rows(tables[0])
            tables = [kept_rows(own, forecasts.named, LabelOptions("drop")) for own in tables]
            lost = n_given - self._n_rows(tables[0])
        if columns is None:
            positive, missing = options.get("positive"), str(self.treatment.missing)
            tables, columns = with_likeliest_labels(
                tables, self.truth, forecasts.columns, positive, missing, self.weight
            )
        if forecasts.columns and _reads_scores(options.get("indices", "default")):
            options = {**options, forecasts.option: self._sums(tables[0], columns, forecasts, options)}
        found = self._of_labels(self.table.with_rows(*tables), columns, options, lost, forecasts.what)
        derived = about_derived_labels(columns, columns if models is None else ())
        return replace(found, warnings=derived + found.warnings)

    def _n_rows(self, table: FrameTable) -> int:
        """Count the rows of a table, without those of weight 0."""
        return number_of_rows(table if self.weight is None else rows_that_weigh(table, self.weight))

    def _sums(
        self,
        table: FrameTable,
        models: Mapping[str, Any],
        forecasts: ModelForecasts,
        options: Mapping[str, Any],
    ) -> dict[str, SummedTable]:
        """Let the engine add up the scores of each model, on the rows that are compared."""
        named = self.treatment.renamed({"labels_true": self.truth, **models})
        kept = kept_rows(table, [self.truth, *models.values(), *self._beside], named)
        given: dict[str, Any] = {"grouping": self.grouping, "positive": options.get("positive")}
        given |= {"weight": self.weight, "repeats": options.get("weights") == "frequency"}
        given["units"] = None if options.get("confidence") is None else self.units
        return sum_forecasts(kept, self.truth, forecasts.columns, **given)

    @property
    def _beside(self) -> list[str]:
        """Columns that are counted along with the labels."""
        return [*self.grouping, *(() if self.units is None else (self.units,))]

    def _of_labels(
        self,
        table: Engine | FileTable,
        models: Mapping[str, Any],
        options: dict[str, Any],
        lost: int,
        what: str | None,
    ) -> Comparison:
        """Compare models from label combinations counted by the engine, all at once if possible.

        `lost` rows of the table that was given lack `what` is given besides labels.
        """
        missing: Any = self.treatment.missing
        by_column = missing if isinstance(missing, str) else _by_column(missing, self.truth, models)
        count = partial(table.count, treatment=LabelOptions(by_column))
        columns = list(models.values())
        # Groups and units are columns of their own, and intervals need all labels of a row.
        apart = (
            self.kind == "clustering"
            and not self.treatment.treats_noise
            and options.get("confidence") is None
            and self.weight is None
            and not self._beside
        )
        try:
            look_ahead = apart and not self.treatment.drops
            named = [[self.truth, *columns]]
            (cells,) = count(
                named, self.grouping, weight=self.weight, units=self.units, look_ahead=look_ahead
            )
        except TooManyCombinationsError:
            if not apart or (self.treatment.drops and isinstance(table, FileTable)):
                raise
        else:
            return self._of_cells(table, cells, models, options, lost, what)
        if self.treatment.drops_missing and isinstance(table, Engine):
            # An instance left out for one model is left out for all.
            kept = kept_rows(table.frame, [self.truth, *columns], LabelOptions("drop"))
            table = table.with_rows(kept, table.whole)
            count = partial(table.count, treatment=LabelOptions("drop"))
        pairs = [(self.truth, column) for column in columns]
        pairs += list(combinations(columns, 2))
        vectors = {
            pair: (*(cells.labels[name] for name in pair), cells.counts)
            for pair, cells in zip(pairs, count(pairs), strict=True)
        }
        of_truth = {model: vectors[self.truth, own] for model, own in models.items()}
        between = {(p, q): vectors[models[p], models[q]] for p, q in combinations(models, 2)}
        given = {**options, "missing": "drop" if self.treatment.drops_missing else "raise"}
        found = two_at_a_time(self.judge, of_truth, between, **given)
        return self._with_rows(found, table, None, models, {})

    def _of_cells(
        self,
        table: Engine | FileTable,
        cells: LabelCells,
        models: Mapping[str, Any],
        options: dict[str, Any],
        lost: int,
        what: str | None,
    ) -> Comparison:
        """Compare the combinations of all labels."""
        labels, treatment = dict(cells.labels), self.treatment
        said: tuple[Notice, ...] = ()
        if table.from_file:
            judged = [labels[name] for name in (self.truth, *models.values())]
            treatment = noise_meant(treatment, judged)
            said = about_words({str(name): own for name, own in labels.items()}, IF_MISSING, cells.counts)
            typed = ClassifierColumns(None, (), options.get("classes"), options.get("positive"))
            meant = typed.meant(labels[self.truth])
            options = {**options, "classes": meant.classes, "positive": meant.positive}
        groups = {name: labels[name] for name in self.grouping} or None
        given = {**cells.weighing, "units": cells.column(self.units), **options}
        named = {model: _column(own, labels[own]) for model, own in models.items()}
        true = _column(self.truth, labels[self.truth])
        found = self.judge(true, named, kind=self.kind, groups=groups, **given, **treatment.settings())
        meaning = options.get("weights")
        n, n_given = cells.judged(meaning, found.known_instances().kept), cells.given(meaning) + lost
        beside = {"units": self.units is not None, "groups": bool(self.grouping)}
        of_rows = rows_left_out(n, n_given, treatment, what, **beside)
        others = tuple(notice for notice in found.warnings if notice.code != ROWS_LEFT_OUT)
        found = replace(
            found,
            settings={**found.settings, "n_given": n_given},
            warnings=(*of_rows, *others, *said),
        )
        names = (self.truth, *models.values())
        occurring = {name: code_labels(labels[name], name).occurring() for name in names}
        return replace(self, treatment=treatment)._with_rows(found, table, cells, models, occurring)

    def _with_rows(
        self,
        comparison: Comparison,
        table: Engine | FileTable,
        cells: LabelCells | None,
        models: Mapping[str, Any],
        occurring: dict[str, list[Any]],
    ) -> Comparison:
        """Let pairs of models look up their instances among the rows that were compared."""
        instances: Callable[..., Any] | None = None
        if isinstance(table, Engine):
            named = self.treatment.renamed({"labels_true": self.truth, **models})
            # Groups may be those of the truth.
            columns = dict.fromkeys([self.truth, *models.values(), *self._beside])
            kept = kept_rows(table.whole, [*columns], named)
            kept = kept if self.weight is None else rows_that_weigh(kept, self.weight)
            find: Callable[..., Any] = partial(joined_pairs, kept, self.truth)
            if comparison.kind == "classification":
                find = partial(rows_where_right, kept, occurring, self.truth)
            if comparison.kind == "clustering" and self.weight is not None:
                find = _no_weighted_pairs
            instances = partial(_rows_of_models, find, {str(model): own for model, own in models.items()})
            if table.from_file:
                instances = partial(_rows_of_file, table, instances)
        elif isinstance(cells, FileCells) and cells.rows is not None:
            known = comparison.known_instances()
            instances = RowsOfModels(cells.rows, known.of_cell, comparison.kind == "clustering")
        pairs = {names: replace(pair, _instances=instances) for names, pair in comparison.pairs.items()}
        settings = {**comparison.settings, "missing": self.treatment.settings()["missing"]}
        by_group = {group: _without_instances(own) for group, own in comparison.by_group.items()}
        return replace(_without_instances(comparison), pairs=pairs, settings=settings, by_group=by_group)


def _reads_scores(indices: Any) -> bool:
    """Whether scores of probabilities, or of decision values, are among these indices."""
    keywords, named = split_keywords(indices)
    records = select_indices(named, ("classification",)) if named else []
    return bool(keywords) or any(isinstance(record, ForecastIndex) for record in records)


def two_at_a_time(
    judge: Callable[..., Comparison],
    of_truth: Mapping[str, LabelVectors],
    between: Mapping[tuple[str, str], LabelVectors],
    **options: Any,
) -> Comparison:
    """Compare clusterings from counts of two columns at a time, so that no table covers more than two.

    Parameters
    ----------
    judge : callable
        :func:`adjudge.compare`, called for each model alone.
    of_truth : mapping of str to (labels, labels, counts)
        Counts of the truth against each model.
    between : mapping of (str, str) to (labels, labels, counts)
        Counts of each pair of models, in one order only.
    **options
        As for :func:`compare`; intervals need all columns at once.
    """
    alone = [
        judge(truth, {model: labels}, kind="clustering", counts=counts, **options)
        for model, (truth, labels, counts) in of_truth.items()
    ]
    pairs = PairsOfCounts(
        {model: reduce_labels(*v[:2], counts=v[2]).pairs for model, v in of_truth.items()},
        {pair: reduce_labels(*v[:2], counts=v[2]).pairs for pair, v in between.items()},
    )
    found = replace(
        alone[0],
        models=tuple(of_truth),
        judged={m: one.judged[m] for m, one in zip(of_truth, alone, strict=True)},
        pairs=head_to_heads("clustering", pairs, None),
        _instances=None,
    )
    return with_differences(found, {})


def _by_column(missing: Mapping[str, str], truth: str, models: Mapping[str, Any]) -> dict[str, str]:
    named = {"labels_true": truth, **models}
    return {named[vector]: how for vector, how in missing.items() if vector in named}


def _column(name: Any, labels: Any) -> Column:
    return Column(f"column {name!r}", labels, str(name))


def _rows_of_file(_kept_open: Engine, find: Callable[..., Any], *which: str) -> Any:
    """Return rows of a file that an engine reads as a PyArrow table."""
    return find(*which).to_arrow_table()


def _rows_of_models(
    find: Callable[..., Any], columns: Mapping[str, Any], primary: str, alternative: str, cell: str
) -> Any:
    return find(columns[primary], columns[alternative], cell)


def _without_instances(comparison: Comparison) -> Comparison:
    """Drop the positions: they refer to counted combinations, not to rows."""
    pairs = {names: replace(pair, _instances=None) for names, pair in comparison.pairs.items()}
    patterns = None if comparison._patterns is None else partial(_counted_patterns, comparison)
    return replace(comparison, pairs=pairs, _patterns=patterns, _instances=None)


def _counted_patterns(comparison: Comparison) -> Patterns:
    return Patterns(comparison.models, comparison.patterns.found)


def _no_weighted_pairs(*_: Any) -> NoReturn:
    raise InputError(
        "weights of the pairs of each row are not computed in the engine: collect the table first"
    )
