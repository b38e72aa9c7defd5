"""The verb `gate` decides whether a new model may replace the old one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from inspect import signature
from os import PathLike, fspath
from typing import Any, Literal

from adjudge.errors import InputError, Option
from adjudge.given.arrays import taking_arrays
from adjudge.given.data_frames import is_pattern
from adjudge.given.option_groups import Classifier, classifiers_by_name
from adjudge.given.options import check_choice, given_names
from adjudge.indices.record import Index
from adjudge.kinds.registry import KINDS
from adjudge.kinds.which_kind import are_names, as_values, both_of, check_direction
from adjudge.results.gate import NEW, OLD, Gate
from adjudge.tables.columns import backend_of_table
from adjudge.tables.files import FileTable
from adjudge.tables.forecasts import columns_of_groups
from adjudge.tables.source import is_a_table, open_given
from adjudge.unknown_names import check_known, checked_call, naming_what_judges_numbers
from adjudge.verbs.compare_results import EarlierModel, is_result
from adjudge.verbs.gate_checks import judged_gate
from adjudge.verbs.gate_conditions import Conditions
from adjudge.verbs.gate_history import AskedGate, checked_history, with_history
from adjudge.verbs.gate_models import BothModels
from adjudge.verbs.gate_slices import with_slices

__all__ = ["gate"]

# Options of `compare` that a gate passes on.
_FURTHER = (
    "counts", "sample_weight", "weights", "judge", "costs", "classes", "positive", "missing", "noise", "noise_label",
    "delimiter", "engine",
)  # fmt: skip


@checked_call
@naming_what_judges_numbers("kind", "probabilities")
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
    rows = {"units": units, "runs": runs, "groups": groups}
    asked = {**rows, "probabilities": probabilities, "scores": scores, **options}
    if isinstance(old, Classifier) or isinstance(new, Classifier):
        named = [name for name, own in asked.items() if own is not None]
        labels, of_both = classifiers_by_name({OLD: old, NEW: new}, named)
        old, new = (None, None) if labels is None else (labels[OLD], labels[NEW])
        asked |= of_both
    summed = truth is not None and (asked["probabilities"] is not None or asked["scores"] is not None)
    if (known is not None or slices is not None) and (summed or isinstance(labels_true, (str, PathLike))):
        asked.setdefault("engine", "memory")  # digests and slices are of rows
    earlier = None
    row_names = key
    if known is not None and not (new is None and is_a_table(old) and not is_result(old)):
        key = None  # two tables need it to match their rows, all else only to find rows again
    if prediction is not None and key is None and not is_result(old):
        raise InputError(Option("prediction"), " is of two tables: pass ", Option("key"), " as well")
    asked |= {"kind": kind, "confidence": conditions.of_interval}
    asked |= {} if better is None else {"better": better}
    if is_result(old):
        earlier = EarlierModel.of(old, key)
        carried = earlier.beside(asked)
        if known is not None and (own := [name for name in carried if name not in ("kind", "positive")]):
            which = f" needs the {' and '.join(own)} of {earlier.called} by name: "
            raise InputError(Option("history"), which, "give them to the gate as well")
        asked |= carried
    places = {"truth": truth, "key": key, "prediction": prediction}
    both = BothModels(conditions, earlier)
    comparison = both.compared(labels_true, old, new, asked, **places)
    backend = next(filter(None, map(backend_of_table, (labels_true, old, new))), None)
    beside = {"positive": both.positive, "smallest_group": smallest_group or None}
    settings = {
        **_places((labels_true, old, new), truth, prediction, key, groups),
        **comparison.settings,
        **{name: own for name, own in beside.items() if own is not None},
        "margin": dict(margin) if isinstance(margin, Mapping) else conditions.margin_of(comparison.kind),
        "max_broken": dict(max_broken) if isinstance(max_broken, Mapping) else max_broken,
        "confidence": confidence,
    }
    said = () if earlier is None else (earlier.paired_by_order(carried),)
    found = judged_gate(
        replace(comparison, backend=comparison.backend or backend),
        conditions,
        both.wanted,
        settings=settings,
        warnings=both.said + said,
        _rows=both.rows,
    )
    if slices is not None:
        roles = [asked.get(name) for name in ("sample_weight", "counts", "judge", "costs")]
        taken = [truth, units, runs, key, *roles, *both.named]
        found = with_slices(found, slices, both.table, taken, [*(both.columns or {}).values()])
    if known is None:
        return found
    given = {"truth": labels_true if both.table is None else truth, "better": better}
    given |= {"groups": groups, "units": units, "key": row_names}
    given |= {name: options.get(name) for name in ("sample_weight", "counts", "costs")}
    models = {OLD: old, NEW: new} if both.table is None else both.columns
    models = models if prediction is None else dict.fromkeys((OLD, NEW), prediction)
    return with_history(found, known, str(history), AskedGate(both.wanted, given, models, both.table))


def _listed(name: str, given: Any) -> list[Any]:
    return [given] if isinstance(given, (str, Index)) else list(given_names(name, given))


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
