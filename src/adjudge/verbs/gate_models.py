"""The old and the new model of a gate, compared: from arrays, from columns of a table or of two, or from a result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from adjudge.errors import InputError, InputTypeError, Option
from adjudge.given.alignment import check_same_order
from adjudge.given.class_names import kind_of_labels
from adjudge.given.labels import Column
from adjudge.given.option_groups import OF_CLASSIFIERS
from adjudge.given.options import check_choice
from adjudge.given.units import group_columns
from adjudge.kinds.registry import KINDS
from adjudge.kinds.row_costs import COST_BY_ROW
from adjudge.kinds.which_kind import index_called, unknown_kind
from adjudge.presentation.tables import Table
from adjudge.results import Comparison
from adjudge.results.class_notices import labels_alone
from adjudge.results.drawn_units import BELONG_TOGETHER
from adjudge.results.gate import NEW, OLD, places_of
from adjudge.results.notice import Notice
from adjudge.tables.counted import sums_suffice
from adjudge.tables.joined import Joined
from adjudge.tables.source import is_a_table
from adjudge.verbs.compare import compare
from adjudge.verbs.compare_columns import compare_columns
from adjudge.verbs.compare_results import EarlierModel
from adjudge.verbs.gate_columns import GateColumns, Opened, by_model
from adjudge.verbs.gate_conditions import Conditions, Wanted, names_a_class

__all__ = ["BothModels"]

_TAKEN_AS_CLASSES = Notice(
    "judged-as-classes",
    "labels that may be classes or clusters are judged as classes",
    (Option("kind", "clustering"), " compares groups whatever they are called"),
    "info",
)


class BothModels:
    """Compares both models by what the conditions ask for, as soon as their labels are at hand.

    Parameters
    ----------
    conditions : Conditions
    earlier : EarlierModel or None
        The result that the old model is.

    Attributes
    ----------
    wanted : list of Wanted
        What is checked, known once the models are compared, as all else is.
    said : tuple of Notice
        What there is to say of the labels.
    positive : object
        The class that was named, in the type of the labels.
    rows : callable or None
        Finds the rows of a cell; None if the comparison alone knows them.
    table : FileTable, Frame, Joined, Engine or None
        The table that was judged, if it is one.
    columns : dict of str to object
        The column of each model's labels.
    named : list
        All columns with what a model says.
    """

    wanted: Sequence[Wanted] = ()
    said: tuple[Notice, ...] = ()
    positive: Any = None
    rows: Callable[[str], Table] | None = None
    table: Opened | Joined | None = None
    columns: Mapping[str, Any] = MappingProxyType({})
    named: Sequence[Any] = ()

    def __init__(self, conditions: Conditions, earlier: EarlierModel | None) -> None:
        self._conditions, self._earlier = conditions, earlier
        # Weights, units and runs of a table's rows that are no columns of it.
        self._numbers: dict[str, Any] = {}

    def compared(
        self,
        labels_true: Any,
        old: Any,
        new: Any,
        asked: dict[str, Any],
        *,
        truth: Any,
        key: Any,
        prediction: Any,
    ) -> Comparison:
        """Compare arrays, columns of a table, or two tables.

        Parameters
        ----------
        labels_true, old, new : object
        asked : dict
            The options of :func:`adjudge.compare`.
        truth, key, prediction : str or None
            Columns of the tables.
        """
        several, earlier = asked["kind"] == "multilabel", self._earlier
        if truth is None and key is None and (several or not is_a_table(labels_true)):
            if earlier is not None and new is None:
                raise InputError("new is missing: give the new model's labels")
            if earlier is not None:
                old, asked = earlier.labels, earlier.with_forecasts(asked)
            given = {**asked, **_vectors(labels_true, old, new, asked, several=several)}
            known = {name: own for name, own in given.items() if own is not None}
            comparison = self._judged(known.pop("labels_true", None), known.pop("models", None), **known)
            self.rows = None if several else partial(_rows_of_vectors, given, comparison)
            return comparison
        opened, asked = self._opened(labels_true, old, new, asked | {"truth": truth}, key, prediction)
        comparison = compare_columns(self._judged, opened.table, opened.models, **(asked | opened.forecasts))
        if "units" in self._numbers:
            others = tuple(own for own in comparison.warnings if own.code != BELONG_TOGETHER)
            comparison = replace(comparison, warnings=others)
        self.said = (*opened.said, *self.said)
        self.rows = None if comparison.kind == "multilabel" else partial(opened.rows, comparison)
        self.table, self.columns, self.named = opened.table, opened.models or {}, opened.of_models
        return comparison

    def _judged(
        self,
        labels_true: Any = None,
        models: Any = None,
        *,
        values: Any = None,
        kind: Any = None,
        **given: Any,
    ) -> Comparison:
        """Compare labels; the arguments are those of :func:`adjudge.compare`."""
        models = models if values is None else values
        if self._earlier is not None:
            self._earlier.check_same_rows(labels_true)
            models, given = {OLD: self._earlier.labels, **models}, self._earlier.with_forecasts(given)
        given |= self._numbers
        if kind is None:
            kind, labels_true, models, self.said = self._with_kind(labels_true, models, given)
        probabilities, self.positive = given.get("probabilities"), given.get("positive")
        self.wanted = self._conditions.wanted(kind, len(probabilities or ()) == len((OLD, NEW)))
        if given.get("costs") is not None and all(own.index.name != COST_BY_ROW.name for own in self.wanted):
            named = f" are of {COST_BY_ROW.name}, which is not checked: name it in "
            raise InputError(Option("costs"), named, Option("indices"), ", with a margin")
        if lacking := [own for own in (OLD, NEW) if probabilities is not None and own not in probabilities]:
            every = self._conditions.wanted(kind, True)
            unchecked = [own.index.title for own in every if own not in self.wanted]
            self.said += labels_alone(lacking, unchecked) if unchecked else ()
        indices: list[Any] = list(dict.fromkeys(own.index for own in self.wanted if own.of_class is None))
        indices = indices or [*KINDS[kind].gated[:1]]
        alone = KINDS[kind].judges_alone
        judged = {"values": models} if alone else {"labels_true": labels_true, "models": models}
        return compare(**judged, kind=kind, indices=indices, **given)

    def _opened(
        self, given: Any, old: Any, new: Any, asked: dict[str, Any], key: Any, prediction: Any
    ) -> tuple[GateColumns, dict[str, Any]]:
        """Open a table, or two that the key joins; also return the options that name its columns."""
        earlier = self._earlier
        # Beside a table, weights may be numbers, too; a result has units by number.
        self._numbers = {
            name: asked.pop(name)
            for name in ("sample_weight", "counts", *(("units", "runs") if earlier is not None else ()))
            if not isinstance(asked.get(name), (str, int, type(None)))
        }
        asked = {"missing": "raise", "units": None, "runs": None, **asked}
        engine = asked.pop("engine", None) or "auto"
        check_choice("engine", engine, ("auto", "memory"))
        models = {OLD: old, NEW: new}
        if earlier is not None:
            models = {NEW: new if prediction is None else prediction}
            if not isinstance(models[NEW], str):
                raise InputError(
                    "the new model's labels are missing: name their column with ", Option("prediction")
                )
        elif key is not None and (old is None or new is not None):
            raise InputError(
                Option("key"), " joins two tables: give that of the old model and that of the new one"
            )
        # Engines add up weights in any order.
        needs_rows = earlier is not None or bool(self._numbers) or asked.get("sample_weight") is not None
        needs_rows |= engine == "memory" or self._needs_scores(asked)
        if earlier is not None or key is None:
            return GateColumns.of_one(given, models, asked, needs_rows=needs_rows), asked
        return GateColumns.of_two((given, old), key, prediction, asked, needs_rows=needs_rows), asked

    def _needs_scores(self, asked: Mapping[str, Any]) -> bool:
        """Whether the scores of all rows are needed: their sums do not tell the intervals of all that is checked."""
        none_given = asked["probabilities"] is None and asked["scores"] is None
        if none_given or asked["kind"] not in (None, "classification"):
            return False
        wanted = self._conditions.wanted("classification", True)
        return not sums_suffice([own.index for own in wanted], for_intervals=True)

    def _with_kind(
        self, labels_true: Any, models: Any, given: Mapping[str, Any]
    ) -> tuple[str, Any, Any, tuple[Notice, ...]]:
        """Decide the kind of the labels; also return them, encoded if that was needed."""
        if any(given.get(name) is not None for name in (*OF_CLASSIFIERS, "groups", "judge", "costs")):
            return "classification", labels_true, models, ()
        named = [name for name in self._conditions.named if isinstance(name, str) and not names_a_class(name)]
        if any(index_called(own, "external") and not index_called(own, "classification") for own in named):
            return "clustering", labels_true, models, ()
        labels = {"labels_true": labels_true, **models}
        check_same_order(labels | {name: given.get(name) for name in ("units", "runs", "sample_weight")})
        coded = {name: Column.of(own, name) for name, own in labels.items()}
        true, *said = [own.values.occurring() for own in coded.values()]
        found = kind_of_labels(true, said)
        if found == "clustering":
            raise unknown_kind(true, said)
        labels_true = coded.pop("labels_true")
        return "classification", labels_true, coded, () if found else (_TAKEN_AS_CLASSES,)


def _vectors(
    labels_true: Any, old: Any, new: Any, asked: Mapping[str, Any], *, several: bool
) -> dict[str, Any]:
    """Sort the inputs into labels, and probabilities given in their place; `several` if an instance may have more."""
    probabilities, scores = asked["probabilities"], asked["scores"]
    labels_true, old, new = (
        list(own) if isinstance(own, Iterator) else own for own in (labels_true, old, new)
    )
    models = {name: own for name, own in ((OLD, old), (NEW, new)) if own is not None}
    matrices = [] if several else [name for name, own in models.items() if _is_matrix(own)]
    if matrices and len(matrices) < len(models):
        raise InputError(
            f"{matrices[0]} has a column for each class, and the other model has labels: give either for both"
        )
    if matrices and (probabilities is not None or scores is not None):
        raise InputError(
            "old and new are probabilities: leave out ", Option("probabilities"), " and ", Option("scores")
        )
    if matrices:
        models, probabilities = {}, models
    probabilities = by_model(probabilities, "probabilities", "their values")
    scores = by_model(scores, "scores", "their values")
    missing = next((n for n in (OLD, NEW) if n not in models and n not in (probabilities or ())), None)
    if missing is not None:
        raise InputError(f"{missing} is missing: give the labels, or the probabilities, of both models")
    return {
        "labels_true": labels_true,
        # Without labels, those of a model are its likeliest classes.
        "models": {name: models.get(name) for name in (OLD, NEW)} if models else None,
        "probabilities": probabilities,
        "scores": scores,
    }


def _is_matrix(given: Any) -> bool:
    """Whether there is a column for each class."""
    shape = getattr(given, "shape", None)
    if shape is not None:
        return len(shape) == 2 and shape[1] > 1
    first = next(iter(given), None) if isinstance(given, (list, tuple)) else None
    return isinstance(first, (list, tuple)) and bool(first) and isinstance(first[0], float)


def _rows_of_vectors(given: Mapping[str, Any], comparison: Comparison, cell: str) -> Table:
    """Return the rows of a cell: their positions, the truth, both models' labels, units and groups."""
    positions, pairs = places_of(comparison, cell)
    columns = {"row": positions, **pairs}
    if given["labels_true"] is not None:
        columns["truth"] = _taken(given["labels_true"], positions)
    for name, own in (given["models"] or {}).items():
        columns[name] = _taken(own, positions)
    for name in ("unit", "run"):
        if given[f"{name}s"] is not None:
            columns[name] = _taken(given[f"{name}s"], positions)
    for name, own in group_columns(given["groups"]).items():
        columns[name.removeprefix("groups['").removesuffix("']")] = _taken(own, positions)
    rows = zip(*(np.asarray(own).tolist() for own in columns.values()), strict=True)
    return Table(tuple(columns), tuple(rows))


def _taken(values: Any, positions: Any) -> Any:
    """Return some entries of a label vector of any kind."""
    values = values.values if isinstance(values, Column) else values
    if hasattr(values, "iloc"):
        return values.iloc[positions].to_numpy()
    if isinstance(values, (list, tuple)):
        return [values[i] for i in positions]
    try:
        return np.asarray(values)[positions]
    except (TypeError, IndexError):
        raise InputTypeError("the rows of these labels cannot be picked") from None
