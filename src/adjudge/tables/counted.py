"""What counts and sums of an engine do not suffice for: lazy frames refuse it, files are read instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adjudge.engines.frames.moments import FRAME_STATISTICS
from adjudge.errors import Argument, InputError, Option
from adjudge.files.columnar import is_countable, is_parquet, words_among_numbers
from adjudge.files.text import DelimitedTable
from adjudge.given.label_options import MISSING, LabelOptions
from adjudge.given.options import check_choice
from adjudge.given.weights import Weighting
from adjudge.indices.catalog import select_indices, split_keywords
from adjudge.indices.forecast_record import ForecastIndex
from adjudge.indices.internal_record import InternalIndex
from adjudge.indices.kinds import Kind
from adjudge.kinds.request import EvaluationRequest
from adjudge.statistics.losses import ProbabilityLosses
from adjudge.statistics.ranked_scores import RankAreas
from adjudge.tables.columns import check_weights_suffice, counts_of_rows, needs_instances
from adjudge.tables.files import FileTable
from adjudge.tables.judged_columns import JudgedColumns
from adjudge.tables.named_columns import NamedColumns
from adjudge.tables.streaming import has_few_scores

__all__ = [
    "check_can_be_counted",
    "check_engine",
    "moments_suffice",
    "sums_suffice",
    "what_models_need",
    "what_needs_rows",
    "what_scores_need",
]

# Kinds of labels that an engine can count.
_COUNTED = ("clustering", "classification")
# Columns beside labels that say more of a row than can be counted.
_OF_INSTANCES = ("runs", "judge", "costs")
# The option of points that changes no value, and that the engine of the table decides.
_OF_ANY_ENGINE = ("n_jobs",)
# Of what sums of scores tell, what indices that are not among the usual ones read.
_OF_SUMS = frozenset((RankAreas, ProbabilityLosses))


def check_engine(columns: JudgedColumns, request: EvaluationRequest) -> None:
    """Raise if a lazy frame would have to give its rows."""
    check_choice("missing", request.labels.missing, MISSING)
    if (name := _beyond_counts(columns)) is not None:
        what = "every record" if name == "sampled" else "the instances"
        raise InputError(Option(name), f" needs {what}: collect the table first")
    check_can_be_counted(columns)
    weight, units = columns.beside["sample_weight"], columns.beside["units"]
    if weight is not None and columns.features is not None:
        raise InputError(Option("sample_weight"), " with features needs the points: collect the table first")
    if weight is None:
        Weighting(None, None, columns.weights)  # says that weights are missing
    check_weights_suffice(columns.weights, request.confidence, units)
    if request.labels.scatters_noise:
        raise InputError(
            Option("noise", "singletons"),
            " needs the instances, but the engine returns only counts: collect the table first",
        )
    named = [name for name in columns.of_points if name not in _OF_ANY_ENGINE]
    if named and columns.features is None:
        raise InputError(Option(named[0]), " is an option for points: ", Argument("features"), " is missing")
    if columns.features is None:
        return
    if request.scaling is not None:
        raise InputError(Option("standardize"), " with features needs the points: collect the table first")
    of_points = {name: getattr(request.points, name, None) for name in named if name != "sample_size"}
    asked = {**of_points, "sample_size": request.sample_size, "compat": request.compat}
    for name, value in {**asked, "confidence": request.confidence}.items():
        if value not in (None, False, "euclidean"):
            raise InputError(Option(name), " with features needs the points: collect the table first")


def check_can_be_counted(columns: NamedColumns) -> None:
    """Raise for labels that an engine cannot count, and for columns beside them that need the rows."""
    if columns.beside["counts"] is not None:
        raise counts_of_rows()
    needing = next((name for name in _OF_INSTANCES if columns.beside[name] is not None), None)
    if needing is not None:
        raise InputError(Option(needing), " needs the instances: collect the table first")
    if columns.kind is not None and columns.kind not in _COUNTED:
        raise needs_instances(columns.kind)


def what_needs_rows(table: FileTable, columns: JudgedColumns, request: EvaluationRequest) -> Any:
    """Say, in pieces, what needs the rows of a file in memory; return None if counts or moments are enough."""
    scored = None
    if columns.scored is not None and columns.features is None:
        scored = what_scores_need(table, columns.scored, request.indices)
    elif columns.scored is not None:
        scored = Option(columns.scored), " needs all rows in memory"
    options = {"weights": columns.weights, "confidence": request.confidence}
    found = what_models_need(request.kind, request.labels, scored, columns.beside, options)
    if (name := _beyond_counts(columns)) is not None:
        return Option(name), " needs all rows in memory"
    return found if found or columns.features is None else _what_needs_points(table, columns, request)


def _beyond_counts(columns: JudgedColumns) -> str | None:
    """Return the first option that counts of labels do not suffice for, whatever the kind is."""
    needing = {
        str(columns.structure): columns.structure is not None,
        "levels" if columns.tree is None else columns.tree.option: columns.tree is not None,
        "pairs": columns.links.pairs is not None,
        "prevalence": columns.prevalence is not None,
        "sampled": columns.sampled is not None,
    }
    return next((name for name, needs in needing.items() if needs), None)


def what_models_need(
    kind: str | None,
    treatment: LabelOptions,
    scored: Any,
    columns: Mapping[str, Any],
    options: Mapping[str, Any],
) -> Any:
    """Say, in pieces, what needs the rows of models that are compared; return None if counts are enough.

    Parameters
    ----------
    kind : str or None
    treatment : LabelOptions
    scored : sequence or None
        What of the scores of models needs their rows, see :func:`what_scores_need`.
    columns : mapping
        The columns of "counts", "units", "runs", "judge" and "costs".
    options : mapping
        Those of :func:`adjudge.compare`: "confidence" and "weights".
    """
    in_memory = " needs all rows in memory"
    if treatment.scatters_noise:
        return Option("noise", "singletons"), in_memory
    meaning = options.get("weights")
    draws_rows = isinstance(meaning, str) and meaning == "importance" and columns.get("units") is None
    if options.get("confidence") is not None and draws_rows:
        return Option("confidence"), " with ", Option("weights", "importance"), in_memory
    if kind is not None and kind not in _COUNTED:
        return Option("kind", kind), in_memory
    found = next((name for name in ("counts", *_OF_INSTANCES) if columns.get(name) is not None), None)
    return scored if found is None else (Option(found), in_memory)


def what_scores_need(table: FileTable, option: str, indices: Any) -> Any:
    """Say, in pieces, what needs the scores of a file's rows in memory: sums of few are not worth their bounds.

    Parameters
    ----------
    table : FileTable
    option : {"probabilities", "scores"}
    indices : index or sequence of them
    """
    needing = Option(option), " needs all rows in memory"
    is_table = is_parquet(table.table) or isinstance(table.table, DelimitedTable)
    if not is_table or not is_countable():
        return needing
    if table.engine == "duckdb":  # with which keywords mean the indices that sums suffice for
        indices = split_keywords(indices)[1]
    suffices = sums_suffice(indices) and not (table.engine == "auto" and has_few_scores(table.table))
    return None if suffices else needing


def _what_needs_points(table: FileTable, columns: JudgedColumns, request: EvaluationRequest) -> Any:
    path, features = str(table.table.path), columns.features
    if not is_parquet(table.table):
        return (f"only Parquet points can be streamed, and {path!r} is not Parquet",)
    if (words := words_among_numbers(table.table, features)) is not None:
        return (f"column {words!r} has words among its numbers",)
    names = [*columns.of_labels, *features]
    if len({name.casefold() for name in names}) < len(names):
        return ("columns whose names differ only in case are read into memory",)
    # With DuckDB, "all" and "default" mean those indices among them that it can compute.
    all_it_can = table.engine == "duckdb" and not split_keywords(request.indices)[1]
    demands: dict[Any, bool] = {
        **{Option(name): True for name in columns.of_points if name not in _OF_ANY_ENGINE},
        Option("standardize"): request.scaling is not None,
        Option("compat"): request.compat is not None,
        Option("noise"): request.labels.treats_noise,
        **{Option(name): columns.beside[name] is not None for name in ("sample_weight", "units")},
        Option("confidence"): request.confidence is not None,
        "missing for one column": not isinstance(request.labels.missing, str),
        Option("missing", "drop"): request.labels.drops and len(columns.pred) > 1,
        Option("kind", "classification"): request.kind not in (None, "clustering"),
        Option("indices"): not all_it_can and not moments_suffice(request.indices, columns.truth is not None),
    }
    found = next((name for name, is_made in demands.items() if is_made), None)
    return None if found is None else (found, " needs all points in memory")


def moments_suffice(indices: Any, has_truth: bool) -> bool:
    """Whether an engine's moments are enough to compute all these internal indices."""
    kinds: tuple[Kind, ...] = ("external", "internal") if has_truth else ("internal",)
    return all(
        FRAME_STATISTICS.issuperset(record.requires)
        for record in select_indices(indices, kinds)
        if isinstance(record, InternalIndex)
    )


def sums_suffice(indices: Any, *, for_intervals: bool = False) -> bool:
    """Whether an engine's sums of scores are enough to compute all these indices of classifiers, or their intervals."""
    usual = () if for_intervals else select_indices("default", ("classification",))
    return all(
        record in usual or not isinstance(record, ForecastIndex) or _OF_SUMS.issuperset(record.requires)
        for record in (select_indices(indices, ("classification",)) if indices else ())
    )
