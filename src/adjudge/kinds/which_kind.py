"""The kind of the labels if the user has not given it: inferred from other options or from the label names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from adjudge.errors import AmbiguousIndexError, Argument, InputError, Option, UnknownIndexError, in_words
from adjudge.given.alignment import check_same_order
from adjudge.given.class_names import OVERLOOKED, alike, kind_of_labels, nearly_the_same, overlooked
from adjudge.given.counts import read_frame
from adjudge.given.data_frames import n_columns
from adjudge.given.label_options import LabelOptions
from adjudge.given.label_values import is_missing
from adjudge.given.labels import Column
from adjudge.given.option_groups import OF_CLASSIFIERS
from adjudge.given.written import is_number
from adjudge.indices.catalog import exactly_named, select_indices, split_keywords
from adjudge.indices.kinds import Kind
from adjudge.indices.record import Index
from adjudge.indices.with_parameters import base_and_parameters, variant_with
from adjudge.kinds.classifier_options import ClassifierOptions
from adjudge.kinds.given import Given
from adjudge.kinds.request import EvaluationRequest
from adjudge.results.notice import Notice
from adjudge.statistics.contingency import Contingency

__all__ = [
    "CLASSES_BY_NAME",
    "are_names",
    "as_values",
    "both_of",
    "check_direction",
    "coded_with_kind",
    "index_called",
    "kind_of_models",
    "unknown_kind",
    "with_kind",
]

CLASSES_BY_NAME = Notice(
    "judged-as-classes",
    "judged as classes, because truth and prediction have the same names",
    (Option("kind", "clustering"), " compares the groups whatever they are called"),
    "info",
)
_NAMES_UNUSED = Notice(
    "names-are-not-compared",
    "truth and prediction have the same names, which clusterings do not compare",
    (Option("kind", "classification"), " counts an instance as right if its names are equal"),
    "info",
)


def with_kind(
    request: EvaluationRequest,
    labels: Iterable[tuple[Sequence[Any], Sequence[Sequence[Any]]]],
    *,
    of_classifiers: bool = False,
    must_be_known: bool = False,
) -> tuple[EvaluationRequest, tuple[Notice, ...]]:
    """Decide the kind of the labels, unless the request gives it; also return the notices.

    Parameters
    ----------
    request : EvaluationRequest
    labels : iterable of (true labels, predicted labels of each model)
        Labels that occur; they are judged as classes only if all of them look like classes.
    of_classifiers : bool
        Whether options that apply only to classifiers were given.
    must_be_known : bool
        Whether labels that may be clusters are an error; otherwise they are clusters.
    """
    if request.kind is not None:
        return request, ()
    if of_classifiers:
        return replace(request, kind="classification"), ()
    given = list(labels)
    kinds = [kind_of_labels(true, models) for true, models in given]
    of_clusterings = _needs_clusterings(request)
    unsure = [own for own, kind in zip(given, kinds, strict=True) if kind != "classification"]
    if must_be_known and unsure and not of_clusterings:
        raise unknown_kind(*unsure[0])
    alike = bool(kinds) and set(kinds) == {"classification"}
    if alike and not of_clusterings:
        return replace(request, kind="classification"), (CLASSES_BY_NAME,)
    said: tuple[Notice, ...] = (_NAMES_UNUSED,) if "classification" in kinds else ()
    if not of_clusterings and unsure and len(unsure) == len(given):
        said = _other_names(*unsure[0])
    is_open = not of_clusterings and None in kinds
    return replace(request, kind="clustering", may_be_classes=is_open), said


def _other_names(true: Sequence[Any], predicted: Sequence[Sequence[Any]]) -> tuple[Notice, ...]:
    """Say that text labels are taken as clusters because they are not the classes; nothing of numbers, also as text."""
    names = [label for own in predicted for label in own]
    if not all(isinstance(label, str) for label in (*true, *names)) or all(map(is_number, names)):
        return ()
    known = set(true)
    names = [label for label in dict.fromkeys(names) if label not in known]
    if not names:  # all are true labels, of which others are not predicted
        return ()
    some = ", ".join(names[:2]) + (", ..." if len(names) > 2 else "")
    why = f"judged as clusters, because the labels of the prediction ({some}) are not classes of the truth"
    as_classes = (Option("kind", "classification"), " judges classes")
    if {*map(overlooked, true)}.isdisjoint(map(overlooked, names)):
        return (Notice("judged-as-clusters", why, as_classes, "info"),)
    remedy = ("write them alike to judge classes, or ", Option("kind", "clustering"), " confirms clusters")
    return (Notice("judged-as-clusters", f"{why}; they differ only by {OVERLOOKED}", remedy),)


def coded_with_kind(
    request: EvaluationRequest, given: Given, *, must_be_known: bool = False
) -> tuple[EvaluationRequest, Given, tuple[Notice, ...]]:
    """Decide the kind of labels like :func:`with_kind`; also return them, encoded if that was needed.

    Parameters
    ----------
    request : EvaluationRequest
    given : Given
        The truth may be a table of counts, or several truths by name.
    must_be_known : bool
    """
    of_classifiers, truth = bool(given.options.named()) or given.judge is not None, given.truth
    if request.kind is not None or of_classifiers or truth is None:
        request, notices = with_kind(request, (), of_classifiers=of_classifiers)
        return request, given, notices
    predicted = {name: model for name, model in given.models.items() if model is not None}
    if not predicted:
        is_table = isinstance(truth, Contingency)
        true, said = (truth.row_labels, truth.col_labels) if is_table else read_frame(truth)[1]
        request, notices = with_kind(request, [] if true is None or said is None else [(true, [said])])
        return request, given, notices
    truths = truth if isinstance(truth, Mapping) else {"labels_true": truth}
    for own in truths.values():
        check_same_order({"labels_true": own, **predicted})
    truths = {name: Column.of(own, "labels_true") for name, own in truths.items()}
    coded = {name: Column.of(own, name) for name, own in predicted.items()}
    said = [own.values.occurring(numbers_as_well=must_be_known) for own in coded.values()]
    pairs = [(true.values.occurring(numbers_as_well=must_be_known), said) for true in truths.values()]
    request, notices = with_kind(request, pairs, must_be_known=must_be_known)
    truth = truths if isinstance(truth, Mapping) else truths["labels_true"]
    return request, replace(given, truth=truth, models={**given.models, **coded}), notices


def kind_of_models(
    labels_true: Any, models: Mapping[str, Any], options: Mapping[str, Any]
) -> Literal["clustering", "classification"]:
    """Decide the kind of models from the options of `compare` and the labels; raise if it is not certain.

    Parameters
    ----------
    labels_true : array-like
    models : mapping of str to array-like
    options : mapping
    """
    treatment = {name: options[name] for name in ("missing", "noise", "noise_label") if name in options}
    request = EvaluationRequest(
        indices=options.get("indices") or "default",
        labels=LabelOptions(**treatment),
        adjust=options.get("adjust") or False,
    )
    of_classifiers = ClassifierOptions(**{name: options.get(name) for name in (*OF_CLASSIFIERS, "groups")})
    decided, *_ = coded_with_kind(request, Given(labels_true, models, of_classifiers), must_be_known=True)
    return "classification" if decided.kind == "classification" else "clustering"


def unknown_kind(true: Sequence[Any], predicted: Sequence[Sequence[Any]]) -> InputError:
    """Return the error that labels may be classes or clusters, or that no label is a class."""
    known = [[label for label in own if not is_missing(label)] for own in (true, *predicted)]
    if not all(known):
        whose = "a model" if known[0] else "the truth"
        return InputError(f"every label of {whose} is missing: name another column, or give its labels")
    true, *predicted = known
    names, *models = alike(true, *predicted)
    if apart := [own for own, said in zip(predicted, models, strict=True) if set(names).isdisjoint(said)]:
        resembling = [own for own in nearly_the_same([*true, *apart[0]]) if own[0] in names]
        one, other = resembling[0][:2] if resembling else (true[0], apart[0][0])
        but = f", from which they differ only by {OVERLOOKED}" if resembling else ""
        return InputError(
            f"the models have labels such as {in_words(other)}, but none of the truth, such as {in_words(one)}{but}: "
            "give them the names of the truth if they are classes, or pass ",
            Option("kind", "clustering"),
        )
    shared = ", ".join(sorted(map(str, set(true).intersection(predicted[0]) or set(true)))[:3])
    return InputError(
        f"labels such as {shared} may be classes or numbers of clusters: pass ",
        Option("kind", "classification"),
        " or ",
        Option("kind", "clustering"),
    )


def _needs_clusterings(request: EvaluationRequest) -> bool:
    """Whether the request includes options or indices that only clusterings have."""
    _, named = split_keywords(request.indices)
    return request.adjust or request.labels.treats_noise or any(map(_is_of_clusterings, named))


def _is_of_clusterings(index: str | Index) -> bool:
    """Whether this name or abbreviation belongs only to an index of clusterings."""
    if isinstance(index, Index):
        return index.kind == "external"
    others: tuple[Kind, ...] = ("classification", "internal")
    if any(index_called(index, kind) for kind in others):
        return False
    if index_called(index, "external"):
        return True
    return _known(index, ("external",)) and not _known(index, others)


def _known(name: str, kinds: tuple[Kind, ...]) -> bool:
    try:
        select_indices([name], kinds)
    except AmbiguousIndexError:
        return True
    except UnknownIndexError:
        return False
    return True


def index_called(name: str, kind: Kind) -> Index | None:
    """Return the index of a kind with exactly this name or alias, perhaps with parameters, if any."""
    if isinstance(name, str) and (called := base_and_parameters(name)) is not None:
        base = index_called(called[0], kind)
        if base is not None:
            return variant_with(base, called[1])
    if not isinstance(name, str) or (found := exactly_named(name, kind)) is None:
        return None
    known = {text.lower() for text in (found.name, *found.aliases)}
    return found if name.strip().lower().replace("-", "_").replace(" ", "_") in known else None


def both_of(values: Any) -> tuple[Any, Any]:
    """Return the numbers of the old and the new model, given by name or, of a table's columns, in this order."""
    if isinstance(values, (list, tuple)) and are_names(values):
        if len(values) == 2:
            return values[0], values[1]
        what = f" names {len(values)} of the 2 columns that are compared: those of the old and the new model"
        raise InputError(Option("values"), what)
    if not isinstance(values, Mapping) or {*values} != {"old", "new"}:
        raise InputError(Option("values"), ' is a mapping of "old" and "new" to their numbers')
    return values["old"], values["new"]


def check_direction(kind: Any, better: Any) -> None:
    """Raise unless it is said which end of numbers is better, if models are compared by them."""
    of_values = isinstance(kind, str) and kind == "values"
    if of_values and better is None:
        raise InputError(
            Option("better"),
            " is missing: say which end of ",
            Option("values"),
            " is better, 'higher' or 'lower'",
        )
    if not of_values and better is not None:
        raise InputError(
            Option("better"), " says which end of ", Option("values"), " is better: leave it out"
        )


def as_values(values: Any, kind: Any, beside: Mapping[str, Any], models: Any) -> tuple[Any, Any]:
    """Take numbers that are judged without a truth in the place of models.

    Parameters
    ----------
    values : array-like, mapping or None
    kind : str or None
        The kind that was said.
    beside : mapping of str to object
        What must not stand beside them, by argument.
    models : object
        What is judged without them.

    Returns
    -------
    tuple
        What is judged, and its kind.
    """
    if values is None:
        if isinstance(kind, str) and kind == "values":
            raise no_values()
        return models, kind
    if kind not in (None, "values"):
        raise InputError(Option("values"), " are numbers without a truth: leave out ", Option("kind", kind))
    if other := next((name for name, own in beside.items() if own is not None), None):
        how = (Option("kind", "regression"), " judges predicted numbers against true ones")
        raise InputError(
            Option("values"), " are judged without ", Argument(other), ": leave it out, or ", *how
        )
    is_one = not isinstance(values, Mapping) and n_columns(values) <= 1 and not are_names(values)
    return Column("values", values) if is_one else values, "values"


def are_names(values: Any) -> bool:
    """Whether numbers are not given, but the columns of a table that hold them."""
    if isinstance(values, Mapping):
        return bool(values) and are_names(list(values.values()))
    return isinstance(values, str) or (
        isinstance(values, (list, tuple)) and bool(values) and all(isinstance(value, str) for value in values)
    )


def no_values() -> InputError:
    """Return the error that numbers without a truth are missing."""
    return InputError(Option("values"), " is missing: give a number for each row")
