"""The verb `gate` decides whether a new model may replace the old one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from inspect import signature
from os import PathLike, fspath
from typing import Any, Literal

import numpy as np

from adjudge.errors import InputError, InputTypeError, Option
from adjudge.given.alignment import check_same_order
from adjudge.given.arrays import taking_arrays
from adjudge.given.groups import group_columns
from adjudge.given.kinds import kind_of_labels
from adjudge.given.labels import Column
from adjudge.given.option_groups import Classifier, classifiers_by_name
from adjudge.given.options import as_numbers, check_choice, given_names
from adjudge.given.weights import as_weights
from adjudge.indices.record import Index
from adjudge.kinds.registry import KINDS
from adjudge.kinds.which_kind import index_called, unknown_kind
from adjudge.presentation.tables import Table, backend_of
from adjudge.results import Comparison
from adjudge.results.class_notices import labels_alone
from adjudge.results.gate import NEW, OLD, Gate, places_of
from adjudge.results.notice import Notice
from adjudge.tables.files import FileTable
from adjudge.tables.forecasts import columns_of_groups
from adjudge.tables.sets import holds_sets
from adjudge.tables.source import is_a_table
from adjudge.unknown_names import check_known, checked_call
from adjudge.verbs.compare import compare
from adjudge.verbs.gate_checks import DEFAULT_MARGIN, Conditions, judged_gate
from adjudge.verbs.gate_lazily import LazyModels, lazy_models
from adjudge.verbs.gate_stored import StoredModel, check_beside_stored, is_stored
from adjudge.verbs.gate_tables import GivenModels, table_of_one

__all__ = ["gate"]


@dataclass(frozen=True, eq=False)
class InMemory:
    """Both models' labels or probabilities in memory, row by row.

    Attributes
    ----------
    given : dict
        "labels_true", "models", "units", "groups", "probabilities" and "scores".
    rows : callable or None
        Returns the rows of a cell of a comparison's Prayatul matrix; None if the comparison knows all of them.
    warnings : tuple of Notice
    """

    given: dict[str, Any]
    rows: Callable[[Comparison, str], Table] | None
    warnings: tuple[Notice, ...] = ()

    @property
    def has_probabilities(self) -> bool:
        """Whether both models have probabilities."""
        return len(self.given["probabilities"] or ()) == len((OLD, NEW))

    @property
    def without_probabilities(self) -> list[str]:
        """The model that has labels alone beside one with probabilities."""
        given = self.given["probabilities"]
        return [] if given is None else [model for model in (OLD, NEW) if model not in given]

    @property
    def of_classifiers(self) -> bool:
        """Whether an option that applies only to classifiers was given."""
        return any(self.given[name] is not None for name in ("probabilities", "scores", "groups"))

    @cached_property
    def coded(self) -> dict[str, Column]:
        """The truth and both models' labels, encoded once for both the choice of a kind and the comparison."""
        labels = {"labels_true": self.given["labels_true"], **(self.given["models"] or {})}
        check_same_order({**labels, "units": self.given["units"], "groups": self.given["groups"]})
        return {name: Column.of(own, name) for name, own in labels.items()}

    def occurring(self) -> list[list[Any]]:
        """Return the labels that occur in the truth and in each model."""
        return [own.values.occurring() for own in self.coded.values()]

    def compare(self, **options: Any) -> Comparison:
        """Compare both models."""
        beside = ("units", "groups", "probabilities", "scores")
        given = {name: self.given[name] for name in beside if self.given[name] is not None}
        truth, models = self.given["labels_true"], self.given["models"]
        if "coded" in vars(self):
            truth, models = self.coded["labels_true"], {name: self.coded[name] for name in models}
        return compare(truth, models, **given, **options)


# Options of `compare` that a gate passes on.
_FURTHER = ("counts", "sample_weight", "weights", "classes", "positive", "missing", "noise", "noise_label")

_TAKEN_AS_CLASSES = Notice(
    "judged-as-classes",
    "labels that may be classes or clusters are judged as classes",
    (Option("kind", "clustering"), " compares groups whatever they are called"),
    "info",
)


@checked_call
@taking_arrays
def gate(
    labels_true: Any,
    old: Any = None,
    new: Any = None,
    *,
    indices: str | Index | Sequence[str | Index] | None = None,
    margin: float | str | Mapping[str, float | str] = DEFAULT_MARGIN,
    superior: str | Index | Sequence[str | Index] = (),
    equivalent: str | Index | Sequence[str | Index] = (),
    max_broken: float | Mapping[Any, float] | None = None,
    units: Any = None,
    groups: Any = None,
    confidence: float = 0.95,
    kind: Literal["clustering", "classification", "multilabel"] | None = None,
    probabilities: Any = None,
    scores: Any = None,
    truth: str | None = None,
    prediction: str | None = None,
    key: str | None = None,
    smallest_group: int = 0,
    assumed_gain: float = 0.0,
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
        in which it was saved with ``instances=True``.
    indices : str, Index or sequence of these, optional
        What must not become worse: names of indices, and ``"recall[CLASS]"``. Default: accuracy and
        balanced accuracy, plus log loss if there are probabilities; for clusterings the adjusted Rand index and the
        adjusted mutual information; or the names in `margin`.
    margin : float, str or mapping, default 0.01
        How much worse the new model may be, in units of the index; ``"2%"`` refers to the old model's value. A mapping
        gives a margin for each index.
    superior : str, Index or sequence of these, optional
        Indices by which the new model must be better.
    equivalent : str, Index or sequence of these, optional
        Indices that must change by less than the margin, up or down.
    max_broken : int, float or mapping, optional
        For classifiers: how many instances may be right with the old model and wrong with the new one. A share below 1
        is compared with the end of an interval. A mapping gives a limit for each class.
    units : array-like of shape (n,), or str, optional
        Sampling units, if rows were not drawn independently; see :func:`compare`. With a table: the column.
    groups : array-like, mapping or data frame, or str or sequence of str, optional
        Also check each group of instances; see :func:`compare`. With a table: the columns.
    confidence : float, default 0.95
        One-sided confidence, of the interval's end that faces the margin.
    kind : {"clustering", "classification", "multilabel"}, optional
        What the labels are; default: classes. Labels of which none occurs in the truth are refused without it. With
        "multilabel", instances may have several labels or none, given as for :func:`compare`; in a table, columns of
        lists hold them and need no `kind`.
    probabilities, scores : mapping of "old" and "new" to array-like, optional
        As for :func:`compare`; with a table, they name columns, also as for :func:`compare`, or by a pattern such as
        ``v1_*``, whose star stands for the class. If one of the models has labels alone, scores of labels are checked.
    truth : str, optional
        With a table: the column with the truth.
    prediction : str, optional
        With two tables: the column with the labels in both; default: the only common column without another role.
    key : str, optional
        With two tables: the column whose values match the rows. The order of the rows does not matter.
    smallest_group : int, default 0
        Groups with fewer instances (or, with `units`, fewer units) are not checked separately.
    assumed_gain : float, default 0.0
        How much better the new model is assumed to be when the number of units that would be enough is computed.
    **options
        Further options of :func:`compare`: `counts`, `sample_weight`, `weights`, `classes`, `positive`, `missing`,
        `noise`, `noise_label`.

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
    margin through in 45 % of the cases within 12 runs. Judge each version of a model once, or raise `confidence`.

    References
    ----------
    Schuirmann (1987) for margins; Berger (1982) and Holm (1979) for several checks; Biswas (2022) for what broke.

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
    """
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
    )
    if kind is not None:
        check_choice("kind", kind, tuple(KINDS))
    if isinstance(old, Classifier) or isinstance(new, Classifier):
        beside = {"probabilities": probabilities, "scores": scores, **options}
        named = [name for name, own in beside.items() if own is not None]
        labels, of_both = classifiers_by_name({OLD: old, NEW: new}, named)
        old, new = (None, None) if labels is None else (labels[OLD], labels[NEW])
        probabilities, scores = of_both.pop("probabilities", probabilities), of_both.pop("scores", scores)
        options |= of_both
    if prediction is not None and key is None and not is_stored(old):
        raise InputError(Option("prediction"), " is of two tables: pass ", Option("key"), " as well")
    given = GivenModels(
        labels_true, old, new, truth, prediction, key, units, groups, probabilities, scores,
        drop=options.get("missing") == "drop",
    )  # fmt: skip
    source: InMemory | LazyModels
    if is_stored(old):
        check_beside_stored(key=key, probabilities=probabilities, scores=scores)
        source = _against_stored(given, StoredModel(old))
    elif truth is not None or key is not None or (kind != "multilabel" and is_a_table(labels_true)):
        source = _of_tables(given, options, kind)
        kind = _with_label_sets(source, kind)
    else:
        source = _of_vectors(given, several=kind == "multilabel")
    said: tuple[Notice, ...] = source.warnings
    if kind is None:
        kind, of_kind = _kind(source, conditions, options)
        said += of_kind
    wanted = conditions.wanted(kind, source.has_probabilities)
    if lacking := source.without_probabilities:
        unchecked = [own.index.title for own in conditions.wanted(kind, True) if own not in wanted]
        said += labels_alone(lacking, unchecked) if unchecked else ()
    compared = dict.fromkeys(own.index for own in wanted if own.of_class is None)
    comparison = source.compare(
        kind=kind,
        indices=list(compared)
        or [{"classification": "accuracy", "clustering": "rand"}.get(kind, "subset_accuracy")],
        confidence=conditions.of_interval,
        **options,
    )
    comparison = replace(comparison, backend=comparison.backend or backend_of(labels_true, old, new))
    beside = {"positive": options.get("positive"), "smallest_group": smallest_group or None}
    settings = {
        **_places(given),
        **comparison.settings,
        **{name: own for name, own in beside.items() if own is not None},
        "margin": dict(margin) if isinstance(margin, Mapping) else margin,
        "max_broken": dict(max_broken) if isinstance(max_broken, Mapping) else max_broken,
        "confidence": confidence,
    }
    return judged_gate(
        comparison,
        replace(conditions, of_one=_weight_of_one(options)),
        wanted,
        settings=settings,
        warnings=said,
        _rows=None if source.rows is None else partial(source.rows, comparison),
    )


def _places(given: GivenModels) -> dict[str, str]:
    """Name the files and the columns; nothing of values in memory."""
    models = ("old", "new") if given.key is not None else ("table", "old", "new")
    places = dict(zip(models, (given.first, given.second, given.new), strict=False))
    places |= {"truth": given.truth, "prediction": given.prediction, "key": given.key}
    if given.truth is not None:
        places["groups"] = ", ".join(map(str, columns_of_groups(given.groups)))
    paths = {name: own.table.path if isinstance(own, FileTable) else own for name, own in places.items()}
    named = {name: fspath(own) for name, own in paths.items() if isinstance(own, (str, PathLike))}
    return {name: text for name, text in named.items() if text}


def _of_vectors(given: GivenModels, *, several: bool) -> InMemory:
    """Take labels, or probabilities in their place, that are in memory; `several` if an instance may have more."""
    vectors = _vectors(given, several=several)
    return InMemory(vectors, None if several else partial(_rows_of_vectors, vectors))


def _against_stored(given: GivenModels, stored: StoredModel) -> InMemory:
    """Combine the new model's labels with those of a saved result."""
    if given.truth is None:
        if given.new is None:
            raise InputError("new is missing: give the new model's labels")
        source = _of_vectors(replace(given, second=stored.labels), several=False)
    else:
        named = given.new if given.prediction is None else given.prediction
        if not isinstance(named, str):
            raise InputError(
                "the new model's labels are missing: name their column with ", Option("prediction")
            )
        grouping = columns_of_groups(given.groups)
        judged = table_of_one(given.first, given.truth, {NEW: named}, given.units, grouping)
        judged.given["models"] = {OLD: stored.labels, **judged.given["models"]}
        source = InMemory(judged.given, judged.rows)
    stored.check(source.given["labels_true"])
    return source


def _of_tables(given: GivenModels, options: dict[str, Any], kind: str | None) -> InMemory | LazyModels:
    """Open the tables; those that their engine can count are not read into memory."""
    of_forecasts = given.probabilities is not None or given.scores is not None
    if kind != "multilabel" and not of_forecasts and not {"counts", "sample_weight", "noise"} & {*options}:
        lazy = lazy_models(given)
        if lazy is not None:
            return lazy
    judged = given.read()
    if judged.are_numbers:
        options |= {name: _as_numbers(options[name]) for name in ("positive", "classes") if name in options}
    for name in ("counts", "sample_weight"):
        if isinstance(options.get(name), str):
            options[name] = judged.numbers(options[name], name)
    several = kind == "multilabel" or holds_sets(judged.given["labels_true"].values)
    return InMemory(judged.given, None if several else judged.rows, judged.warnings)


def _with_label_sets(source: InMemory | LazyModels, kind: Any) -> Any:
    """Return the kind of the labels in tables: multilabel if the cells hold lists, else `kind`."""
    if isinstance(source, LazyModels) or not holds_sets(source.given["labels_true"].values):
        return kind
    if kind not in (None, "multilabel"):
        name = source.given["labels_true"].name
        raise InputError(f"{name} holds lists of labels: pass ", Option("kind", "multilabel"))
    return "multilabel"


def _weight_of_one(options: Mapping[str, Any]) -> float:
    """Return the weight of one effective instance under sampling weights (Kish's effective sample size)."""
    if options.get("weights") != "importance" or options.get("sample_weight") is None:
        return 1.0
    numbers = as_numbers("sample_weight", options["sample_weight"])
    weights = as_weights(numbers, numbers.size)
    return float(weights @ weights / weights.sum())


def _as_numbers(given: Any) -> Any:
    """Convert classes named by text to the numbers in a file."""
    if isinstance(given, str):
        return int(given) if given.lstrip("+-").isdecimal() else given
    return [_as_numbers(own) for own in given] if isinstance(given, (list, tuple)) else given


def _listed(name: str, given: Any) -> list[Any]:
    return [given] if isinstance(given, (str, Index)) else list(given_names(name, given))


def _vectors(given: GivenModels, *, several: bool) -> dict[str, Any]:
    """Sort the inputs into labels, and probabilities given in their place."""
    probabilities, scores = given.probabilities, given.scores
    labels_true, old, new = (
        list(own) if isinstance(own, Iterator) else own for own in (given.first, given.second, given.new)
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
        "units": given.units,
        "groups": given.groups,
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


def _kind(
    source: InMemory | LazyModels, conditions: Conditions, options: Mapping[str, Any]
) -> tuple[Literal["clustering", "classification"], tuple[Notice, ...]]:
    """Decide the kind of the labels."""
    if source.of_classifiers or {"classes", "positive"} & {*options}:
        return "classification", ()
    named = [name for name in conditions.named if isinstance(name, str) and "[" not in name]
    if any(index_called(name, "external") and not index_called(name, "classification") for name in named):
        return "clustering", ()
    truth, *models = source.occurring()
    found = kind_of_labels(truth, models)
    if found == "clustering":
        raise unknown_kind(truth, models)
    return "classification", () if found else (_TAKEN_AS_CLASSES,)


def _rows_of_vectors(given: Mapping[str, Any], comparison: Comparison, cell: str) -> Table:
    """Return the rows of a cell: their positions, the truth, both models' labels, units and groups."""
    positions, pairs = places_of(comparison, cell)
    columns = {"row": positions, **pairs, "truth": _taken(given["labels_true"], positions)}
    for name, own in (given["models"] or {}).items():
        columns[name] = _taken(own, positions)
    if given["units"] is not None:
        columns["unit"] = _taken(given["units"], positions)
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
