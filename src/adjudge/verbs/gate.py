"""The verb `gate` decides whether a new model may replace the old one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from inspect import signature
from os import PathLike, fspath
from typing import Any, Literal

import numpy as np

from adjudge.errors import InputError, InputTypeError, Option
from adjudge.given.alignment import check_same_order
from adjudge.given.arrays import taking_arrays
from adjudge.given.class_names import kind_of_labels
from adjudge.given.data_frames import is_pattern
from adjudge.given.groups import group_columns
from adjudge.given.labels import Column
from adjudge.given.option_groups import OF_CLASSIFIERS, Classifier, classifiers_by_name
from adjudge.given.options import check_choice, given_names
from adjudge.indices.record import Index
from adjudge.kinds.registry import KINDS
from adjudge.kinds.row_costs import COST_BY_ROW
from adjudge.kinds.which_kind import (
    are_names,
    as_values,
    both_of,
    check_direction,
    index_called,
    unknown_kind,
)
from adjudge.presentation.tables import Table
from adjudge.results import Comparison
from adjudge.results.class_notices import labels_alone
from adjudge.results.drawn_units import BELONG_TOGETHER
from adjudge.results.gate import NEW, OLD, Gate, places_of
from adjudge.results.notice import Notice
from adjudge.statistics.agreement import WITHOUT_TRUTH
from adjudge.tables.columns import backend_of_table
from adjudge.tables.counted import sums_suffice
from adjudge.tables.files import FileTable
from adjudge.tables.forecasts import columns_of_groups
from adjudge.tables.source import is_a_table, open_given
from adjudge.unknown_names import check_known, checked_call, naming_kind_of_numbers
from adjudge.verbs.compare import compare
from adjudge.verbs.compare_columns import compare_columns
from adjudge.verbs.compare_results import EarlierModel, is_result
from adjudge.verbs.gate_checks import Conditions, Wanted, judged_gate, names_a_class
from adjudge.verbs.gate_columns import GateColumns
from adjudge.verbs.gate_history import AskedGate, checked_history, with_history
from adjudge.verbs.gate_slices import with_slices

__all__ = ["gate"]


#: What a gate finds the rows of a cell with.
Rows = Callable[[Comparison, str], Table]

# Options of `compare` that a gate passes on.
_FURTHER = (
    "counts",
    "sample_weight",
    "weights",
    "judge",
    "costs",
    "classes",
    "positive",
    "missing",
    "noise",
    "noise_label",
    "delimiter",
    "engine",
)

# What is compared if only single classes are checked.
_COMPARED_ALONE = {
    "classification": "accuracy",
    "clustering": "rand",
    "regression": "mean_absolute_error",
    "values": "mean",
}

_TAKEN_AS_CLASSES = Notice(
    "judged-as-classes",
    "labels that may be classes or clusters are judged as classes",
    (Option("kind", "clustering"), " compares groups whatever they are called"),
    "info",
)


@checked_call
@naming_kind_of_numbers
@taking_arrays
def gate(
    labels_true: Any = None,
    old: Any = None,
    new: Any = None,
    *,
    values: Any = None,
    better: Literal["higher", "lower"] | None = None,
    indices: str | Index | Sequence[str | Index] | None = None,
    margin: float | str | Mapping[str, float | str] = "default",
    superior: str | Index | Sequence[str | Index] = (),
    equivalent: str | Index | Sequence[str | Index] = (),
    max_broken: float | Mapping[Any, float] | None = None,
    units: Any = None,
    runs: Any = None,
    groups: Any = None,
    confidence: float = 0.95,
    kind: Literal["clustering", "classification", "multilabel", "regression", "values"] | None = None,
    probabilities: Any = None,
    scores: Any = None,
    truth: str | None = None,
    prediction: str | None = None,
    key: Any = None,
    smallest_group: int = 0,
    assumed_gain: float = 0.0,
    history: str | PathLike[str] | None = None,
    slices: Any = None,
    **options: Any,
) -> Gate:
    """Decide whether a new model may replace the old one: pass, fail or undecided.

    Each check compares both models on the same instances. It passes if the interval of the change lies above minus the
    margin, fails if it lies below, and is undecided if it contains that value. The gate fails if a check fails (after
    Holm's correction for all checks), passes if all checks pass, and is undecided otherwise.

    Parameters
    ----------
    labels_true : array-like of shape (n,), data frame or path
        The truth. Or a table: a data frame, or a file as the command line reads it; `truth`, `old` and `new` then
        name its columns.
    old, new : array-like of shape (n,) or (n, C), Classifier, or str
        The labels of the old and the new model, or each row's class probabilities. With a table: the names of the
        columns. With `key`, `old` is a second table: the first belongs to the old model, the second to the new one.
        `old` may also be a result of :func:`evaluate` about the same instances in the same order, or the file
        in which it was saved with ``instances=True``; weights, units and runs are then those of the result, unless
        others are given.
    values : mapping of "old" and "new" to array-like of shape (n,), optional
        One number for each row by each model, judged without a truth; see :func:`compare`. With a table: the columns,
        also as two names, the old one first.
    better : {"higher", "lower"}, optional
        Which end of `values` is better.
    indices : str, Index or sequence of these, optional
        What must not become worse: names of indices, and ``"recall[CLASS]"``. Default: accuracy and
        balanced accuracy, plus log loss if there are probabilities; for clusterings the adjusted Rand index and the
        adjusted mutual information; for numbers the mean, or the mean absolute error; or the names in `margin`.
    margin : float, str or mapping, default "default"
        How much worse the new model may be, in units of the index; ``"2%"`` refers to the old model's value. A mapping
        gives a margin for each index. The default is 0.01; numbers, whose unit nobody knows, have none.
    superior : str, Index or sequence of these, optional
        Indices by which the new model must be better.
    equivalent : str, Index or sequence of these, optional
        Indices that must change by less than the margin, up or down.
    max_broken : int, float or mapping, optional
        For classifiers: how many instances may be right with the old model and wrong with the new one; for numbers, on
        how many rows the new one may be worse. A share below 1 is compared with the end of an interval. A mapping
        gives a limit for each class.
    units : array-like of shape (n,), or str, optional
        Sampling units, if rows were not drawn independently; see :func:`compare`. With a table: the column.
    runs : array-like of shape (n,), or str, optional
        The run of each row, where every unit was judged in several; see :func:`compare`. With a table: the column.
    groups : array-like, mapping or data frame, or str or sequence of str, optional
        Also check each group of instances; see :func:`compare`. With a table: the columns.
    confidence : float, default 0.95
        One-sided confidence, of the interval's end that faces the margin.
    kind : {"clustering", "classification", "multilabel", "regression", "values"}, optional
        What the labels are; default: classes. Labels of which none occurs in the truth are refused without it. With
        "multilabel", instances may have several labels or none, given as for :func:`compare`; in a table, columns of
        lists hold them and need no `kind`. With "regression", the truth and both models are numbers.
    probabilities, scores : mapping of "old" and "new" to array-like, optional
        As for :func:`compare`; with a table, they name columns, as for :func:`compare`. If one of the models has
        labels alone, scores of labels are checked. Those of an old model that is a result are in the result.
    truth : str, optional
        With a table: the column with the truth.
    prediction : str, optional
        With two tables: the column with the labels in both; default: the only common column without another role.
    key : str, or array-like of shape (n,), optional
        With two tables: the column whose values match the rows, whose order does not matter. Text matches no numbers,
        but in files of text, which have no types. With `history`, also of one table, or of arrays: a name of each row,
        by which it is found again.
    smallest_group : int, default 0
        Groups with fewer instances (or, with `units`, fewer units) are not checked separately.
    assumed_gain : float, default 0.0
        How much better the new model is assumed to be when the number of units that would be enough is computed.
    history : str or path, optional
        A file, ending in .adjudge, that remembers each look. Limits then hold at all looks together, however often the
        gate is run. Rows that were judged before are not counted again, in whatever order they come; where labels
        alone do not tell rows apart, name them with `key`. Use one file for each pair of models.
    slices : "all", str, sequence of str, or data frame of n rows, optional
        Columns of the table ("all": those without another role), or a table beside arrays: slices of the rows are
        looked for in which the new model is worse than the old one by more than elsewhere; see :func:`weak_slices`.
        They do not change the verdict.
    **options
        Further options of :func:`compare`: `counts`, `sample_weight`, `weights`, `judge`, `costs`, `classes`,
        `positive`, `missing`, `noise`, `noise_label`, `delimiter`; and `engine`: with "memory", rows of a large file
        are read, not counted, so that the gate can be saved with them.

    Returns
    -------
    Gate
        ``.verdict`` is "pass", "fail" or "undecided"; ``.checks`` is a table, ``.broken`` and ``.fixed`` are rows.

    Raises
    ------
    InputError
        If the inputs cannot be used, or if keys are missing or repeated.

    Notes
    -----
    The promise is about one run. A gate that is run again on new rows until it passes lets a model that is worse by the
    margin through in 45 % of the cases within 12 runs. With `history` it does so in at most 5 %, however often one
    looks (2 % within 26 looks); the first look then needs about three times the rows. That is exact for accuracy and
    recalls of independent rows, and otherwise holds for many rows.

    References
    ----------
    Schuirmann (1987) for margins; Berger (1982) and Holm (1979) for several checks; Biswas (2022) for what broke;
    Waudby-Smith & Ramdas (2024) for a history.

    Examples
    --------
    >>> from adjudge import gate
    >>> truth = ["stay", "churn"] * 200
    >>> old = ["stay", "stay"] * 20 + truth[40:]
    >>> new = ["stay", "stay"] * 16 + truth[32:]
    >>> found = gate(truth, old=old, new=new, margin=0.02)
    >>> found.verdict, found.n_broken, found.n_fixed
    ('pass', 0, 4)
    >>> gate(truth[:40], old=old[:40], new=old[:40]).verdict
    'undecided'

    Numbers that need no truth, such as latencies:

    >>> import numpy as np
    >>> old = np.random.default_rng(0).gamma(4, 25, 300)
    >>> found = gate(values={"old": old, "new": 0.9 * old + 5}, better="lower", margin="2%")
    >>> found.verdict, found.n_broken
    ('pass', 40)
    """
    if options:
        own = [name for name in signature(gate).parameters if name != "options"]
        check_known(options, (*own, *_FURTHER), "gate()")
    conditions = Conditions(
        indices=None if indices is None else _listed("indices", indices),
        margin=margin,
        superior=_listed("superior", superior),
        equivalent=_listed("equivalent", equivalent),
        max_broken=max_broken,
        confidence=confidence,
        smallest_group=smallest_group,
        assumed=assumed_gain,
        better=better,
    )
    if kind is not None:
        check_choice("kind", kind, tuple(KINDS))
    known = None if history is None else checked_history(history)
    for option, given in (("runs", runs), ("judge", options.get("judge"))):
        if known is not None and given is not None:
            how = " does not work with ", Option(option), ", which looks may have in common: leave one out"
            raise InputError(Option("history"), *how)
    if values is not None or kind is not None:
        others = {"labels_true": truth if is_a_table(labels_true) else labels_true, "old": old, "new": new}
        values = _columns_meant(values, labels_true, (units, runs, key, groups))
        judged, kind = as_values(values, kind, others, None)
        old, new = (old, new) if judged is None else both_of(judged)
        check_direction(kind, better)
    if isinstance(old, Classifier) or isinstance(new, Classifier):
        beside = {"probabilities": probabilities, "scores": scores, **options}
        named = [name for name, own in beside.items() if own is not None]
        labels, of_both = classifiers_by_name({OLD: old, NEW: new}, named)
        old, new = (None, None) if labels is None else (labels[OLD], labels[NEW])
        probabilities, scores = of_both.pop("probabilities", probabilities), of_both.pop("scores", scores)
        options |= of_both
    summed = truth is not None and (probabilities is not None or scores is not None)
    counted = summed or isinstance(labels_true, (str, PathLike))
    if (known is not None or slices is not None) and counted:
        options.setdefault("engine", "memory")  # digests and slices are of rows
    row_names = None
    if known is not None and not (new is None and is_a_table(old) and not is_result(old)):
        # Two tables need the key to match their rows, all else only to find rows again.
        key, row_names = None, key
    if prediction is not None and key is None and not is_result(old):
        raise InputError(Option("prediction"), " is of two tables: pass ", Option("key"), " as well")
    judge = _Judge(conditions)
    given = {
        "units": units,
        "runs": runs,
        "groups": groups,
        "probabilities": probabilities,
        "scores": scores,
        **options,
    }
    asked = {"kind": kind, "confidence": conditions.of_interval, **given}
    asked |= {} if better is None else {"better": better}
    pair = (old, new)
    if is_result(old):
        earlier = EarlierModel.of(old, key)
        pair, carried = (earlier, new), earlier.beside(asked)
        if known is not None and (own := [name for name in carried if name not in ("kind", "positive")]):
            needs = (
                f" needs the {' and '.join(own)} of {earlier.called} by name: give them to the gate as well"
            )
            raise InputError(Option("history"), needs)
        asked |= carried
        judge.beside = (earlier.paired_by_order(carried),)
    if truth is not None or key is not None or (kind != "multilabel" and is_a_table(labels_true)):
        comparison, rows, columns = _of_tables(judge, labels_true, pair, truth, key, prediction, asked)
    else:
        comparison, rows = _of_vectors(judge, labels_true, pair, asked)
        columns = None
    backend = next(filter(None, map(backend_of_table, (labels_true, old, new))), None)
    beside = {"positive": judge.positive, "smallest_group": smallest_group or None}
    settings = {
        **_places((labels_true, old, new), truth, prediction, key, groups),
        **comparison.settings,
        **{name: own for name, own in beside.items() if own is not None},
        "margin": dict(margin) if isinstance(margin, Mapping) else conditions.margin_of(comparison.kind),
        "max_broken": dict(max_broken) if isinstance(max_broken, Mapping) else max_broken,
        "confidence": confidence,
    }
    found = judged_gate(
        replace(comparison, backend=comparison.backend or backend),
        replace(conditions, of_one=_weight_of_one(comparison)),
        judge.wanted,
        settings=settings,
        warnings=judge.said + judge.beside,
        _rows=None if rows is None else partial(rows, comparison),
    )
    if slices is not None:
        named = [] if columns is None else columns.of_models
        labels_from = [] if columns is None else [*(columns.models or {}).values()]
        roles = [options.get(name) for name in ("sample_weight", "counts", "judge", "costs")]
        taken = [truth, units, runs, key, *roles, *named]
        found = with_slices(found, slices, None if columns is None else columns.table, taken, labels_from)
    if known is None:
        return found
    given = {
        "truth": labels_true if columns is None else truth,
        "better": better,
        "groups": groups,
        "units": units,
    }
    given |= {name: options.get(name) for name in ("sample_weight", "counts", "costs")}
    given["key"] = key if row_names is None else row_names
    models = {OLD: old, NEW: new} if columns is None else columns.models or {}
    models = models if prediction is None else dict.fromkeys((OLD, NEW), prediction)
    asked_for = AskedGate(judge.wanted, given, models, None if columns is None else columns.table)
    return with_history(found, known, str(history), asked_for)


def _columns_meant(values: Any, table: Any, leave_out: Sequence[Any]) -> Any:
    """Return the columns of a table that a pattern stands for; anything else as it is given."""
    names = [values] if isinstance(values, str) else values
    if not isinstance(names, (list, tuple)) or not are_names(names) or not is_a_table(table):
        return values
    opened = open_given(table)
    if not any(is_pattern(own, opened.names) for own in names):
        return values
    taken = [name for own in leave_out for name in (own if isinstance(own, (list, tuple)) else [own])]
    return opened.coordinates(names, taken)


class _Judge:
    """Compares both models by what the conditions ask for, as soon as their labels are at hand.

    Attributes
    ----------
    wanted : list of Wanted
        What is checked, known once the models are compared.
    said, beside : tuple of Notice
        What there is to say of the labels, and of where they are from.
    positive : object
        The class that was named, in the type of the labels.
    """

    def __init__(self, conditions: Conditions) -> None:
        self._conditions = conditions
        self.wanted: list[Wanted] = []
        self.said: tuple[Notice, ...] = ()
        self.beside: tuple[Notice, ...] = ()
        self.positive: Any = None

    def __call__(self, labels_true: Any, models: Any, *, kind: Any = None, **given: Any) -> Comparison:
        """Compare the models; the arguments are those of :func:`adjudge.compare`."""
        if kind is None:
            kind, labels_true, models, self.said = self._with_kind(labels_true, models, given)
        probabilities, self.positive = given.get("probabilities"), given.get("positive")
        self.wanted = self._conditions.wanted(kind, len(probabilities or ()) == len((OLD, NEW)))
        if given.get("costs") is not None and all(own.index.name != COST_BY_ROW.name for own in self.wanted):
            named = f" are of {COST_BY_ROW.name}, which is not checked: name it in "
            raise InputError(Option("costs"), named, Option("indices"), ", with a margin")
        if (
            lacking := []
            if probabilities is None
            else [own for own in (OLD, NEW) if own not in probabilities]
        ):
            every = self._conditions.wanted(kind, True)
            unchecked = [own.index.title for own in every if own not in self.wanted]
            self.said += labels_alone(lacking, unchecked) if unchecked else ()
        indices: list[Any] = list(dict.fromkeys(own.index for own in self.wanted if own.of_class is None))
        indices = indices or [_COMPARED_ALONE.get(kind, "subset_accuracy")]
        judged = (
            {"values": models} if kind in WITHOUT_TRUTH else {"labels_true": labels_true, "models": models}
        )
        return compare(**judged, kind=kind, indices=indices, **given)

    def needs_scores(self, asked: Mapping[str, Any]) -> bool:
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


def _places(given: Sequence[Any], truth: Any, prediction: Any, key: Any, groups: Any) -> dict[str, str]:
    """Name the files and the columns; nothing of values in memory."""
    models = ("old", "new") if key is not None else ("table", "old", "new")
    places = dict(zip(models, given, strict=False))
    places |= {"truth": truth, "prediction": prediction, "key": key}
    if truth is not None:
        places["groups"] = ", ".join(map(str, columns_of_groups(groups)))
    paths = {name: own.table.path if isinstance(own, FileTable) else own for name, own in places.items()}
    named = {name: fspath(own) for name, own in paths.items() if isinstance(own, (str, PathLike))}
    return {name: text for name, text in named.items() if text}


def _of_vectors(
    judge: _Judge, labels_true: Any, models: Sequence[Any], asked: Mapping[str, Any]
) -> tuple[Comparison, Rows | None]:
    """Compare labels, or probabilities in their place, that are in memory."""
    old, new = models
    earlier = old if isinstance(old, EarlierModel) else None
    if earlier is not None and new is None:
        raise InputError("new is missing: give the new model's labels")
    if earlier is not None:
        asked = earlier.with_forecasts(asked)
    several = asked["kind"] == "multilabel"
    given = _vectors(labels_true, old if earlier is None else earlier.labels, new, asked, several=several)
    if earlier is not None:
        earlier.check_same_rows(given["labels_true"])
    known = {name: own for name, own in {**asked, **given}.items() if own is not None}
    known.setdefault("models", None)
    comparison = judge(known.pop("labels_true", None), known.pop("models"), **known)
    return comparison, None if several else partial(_rows_of_vectors, given)


def _of_tables(
    judge: _Judge,
    given: Any,
    models: Sequence[Any],
    truth: Any,
    key: Any,
    prediction: Any,
    asked: dict[str, Any],
) -> tuple[Comparison, Rows | None, GateColumns]:
    """Compare columns of one table, or of two that the key joins."""
    old, new = models
    earlier = old if isinstance(old, EarlierModel) else None
    # Beside a table, weights may be numbers, too; a result has units by number.
    numbers = {
        name: asked.pop(name)
        for name in ("sample_weight", "counts", *(("units", "runs") if earlier is not None else ()))
        if not isinstance(asked.get(name), (str, int, type(None)))
    }
    asked = {"missing": "raise", "units": None, "runs": None, **asked, "truth": truth}
    engine = asked.pop("engine", None) or "auto"
    check_choice("engine", engine, ("auto", "memory"))
    # Engines add up weights in any order.
    needs_rows = earlier is not None or bool(numbers) or asked.get("sample_weight") is not None
    needs_rows |= engine == "memory" or judge.needs_scores(asked)
    if earlier is not None:
        named = new if prediction is None else prediction
        if not isinstance(named, str):
            raise InputError(
                "the new model's labels are missing: name their column with ", Option("prediction")
            )
        columns = GateColumns.of_one(given, {NEW: named}, asked, needs_rows=True)
    elif key is None:
        columns = GateColumns.of_one(given, {OLD: old, NEW: new}, asked, needs_rows=needs_rows)
    elif old is None or new is not None:
        raise InputError(
            Option("key"), " joins two tables: give that of the old model and that of the new one"
        )
    else:
        columns = GateColumns.of_two((given, old), key, prediction, asked, needs_rows=needs_rows)

    def compared(
        labels_true: Any = None, labels: Any = None, *, values: Any = None, **options: Any
    ) -> Comparison:
        labels = labels if values is None else values
        if earlier is not None:
            earlier.check_same_rows(labels_true)
            labels, options = {OLD: earlier.labels, **labels}, earlier.with_forecasts(options)
        return judge(labels_true, labels, **{**options, **numbers})

    comparison = compare_columns(compared, columns.table, columns.models, **(asked | columns.forecasts))
    judge.said = (*columns.said, *judge.said)
    if "units" in numbers:
        others = tuple(own for own in comparison.warnings if own.code != BELONG_TOGETHER)
        comparison = replace(comparison, warnings=others)
    return comparison, None if comparison.kind == "multilabel" else columns.rows, columns


def _weight_of_one(comparison: Comparison) -> float:
    """Return the weight of one effective instance under sampling weights (Kish's effective sample size)."""
    if comparison.settings.get("weights") != "importance" or comparison.units is not None:
        return 1.0
    weights = comparison.known_instances().weights
    return 1.0 if weights is None else float(weights @ weights / weights.sum())


def _listed(name: str, given: Any) -> list[Any]:
    return [given] if isinstance(given, (str, Index)) else list(given_names(name, given))


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
    for option, own in (("probabilities", probabilities), ("scores", scores)):
        if own is not None and (not isinstance(own, Mapping) or not {*own} <= {OLD, NEW} or not own):
            raise InputError(Option(option), ' is a mapping of "old" and "new" to their values')
    missing = next((n for n in (OLD, NEW) if n not in models and n not in (probabilities or ())), None)
    if missing is not None:
        raise InputError(f"{missing} is missing: give the labels, or the probabilities, of both models")
    return {
        "labels_true": labels_true,
        # Without labels, those of a model are its likeliest classes.
        "models": {name: models.get(name) for name in (OLD, NEW)} if models else None,
        "probabilities": _in_order(probabilities),
        "scores": _in_order(scores),
        "units": asked["units"],
        "runs": asked["runs"],
        "groups": asked["groups"],
    }


def _in_order(given: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Put what is known of the old model before what is known of the new one."""
    return None if given is None else {name: given[name] for name in (OLD, NEW) if name in given}


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
