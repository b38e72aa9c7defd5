"""How `evaluate` judges graphs, trees, overlapping and soft clusters: whatever can be made from what was given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from adjudge.errors import Argument, InputError, Option
from adjudge.given.alignment import check_same_order
from adjudge.given.class_sets import ClassSets
from adjudge.given.cover import Cover
from adjudge.given.data_frames import named_models
from adjudge.given.structures import Structure, read_structures
from adjudge.given.weights import Weighting
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.structures import StructureCase
from adjudge.presentation.tables import backend_of
from adjudge.results import Evaluation
from adjudge.results.evaluations import Evaluations
from adjudge.verbs.judged import judged

__all__ = [
    "as_sets",
    "evaluate_structure",
    "evaluate_structures",
    "has_structures",
    "reader_of_sets",
    "refusal",
]


def has_structures(vectors: Mapping[str, Any], keywords: Mapping[str, Any]) -> bool:
    """Whether a structure is given, by a keyword or in the place of labels."""
    if any(value is not None for value in keywords.values()):
        return True
    given = (own.values() if isinstance(own, Mapping) else (own,) for own in vectors.values())
    return any(isinstance(one, Structure) for several in given for one in several)


ReadSets = Callable[[Any, str], Structure]

#: What reads the labels of instances that may have several, or none, by kind; and the keyword that must be beside.
_OF_SETS: Mapping[str, tuple[ReadSets, str]] = MappingProxyType(
    {"overlapping": (Cover.from_instances, ""), "multilabel": (ClassSets.of, "taxonomy")}
)


def reader_of_sets(kind: str | None, keywords: Mapping[str, Any]) -> ReadSets | None:
    """Return what reads the labels of each instance, if several make a structure; else None."""
    read, needed = _OF_SETS.get(kind or "", (None, ""))
    return None if needed and keywords.get(needed) is None else read


def as_sets(read: ReadSets, labels_true: Any, labels_pred: Any) -> dict[str, Any]:
    """Return the clusters, or the classes in a taxonomy, of each instance as structures."""
    named = {"labels_true": labels_true, "labels_pred": labels_pred}
    check_same_order(named)
    for name, own in named.items():
        if isinstance(own, Mapping):
            named[name] = {key: read(one, key) for key, one in own.items()}
        elif own is not None and not isinstance(own, Structure):
            named[name] = read(own, name)
    return named


def evaluate_structures(
    request: EvaluationRequest,
    vectors: Mapping[str, Any],
    keywords: Mapping[str, Any],
    weighting: Weighting,
) -> Evaluation | Evaluations:
    """Judge what was given by every index whose statistics can be made from it.

    Parameters
    ----------
    request : EvaluationRequest
    vectors : mapping of str to object
        The arguments `labels_true`, `labels_pred`, `labels` and `X` of :func:`adjudge.evaluate`. A mapping of what is
        to be judged has a result for each entry.
    keywords : mapping of str to object
        Structures by their keywords.
    weighting : Weighting
    """
    mapped = [name for name in ("labels_pred", "labels", "labels_true") if isinstance(vectors[name], Mapping)]
    if not mapped:
        return evaluate_structure(request, vectors, keywords, weighting)
    several, *others = mapped
    if others or (several == "labels_true" and vectors["labels_pred"] is not None):
        raise InputError(
            Argument(mapped[-1]),
            " is a mapping: beside a graph, a tree, batches or clusters, give one, not several",
        )
    found = {
        name: evaluate_structure(request, {**vectors, several: own}, keywords, weighting)
        for name, own in named_models(vectors[several], several).items()
    }
    return Evaluations(found, backend_of(*vectors.values()))


def evaluate_structure(
    request: EvaluationRequest,
    vectors: Mapping[str, Any],
    keywords: Mapping[str, Any],
    weighting: Weighting,
) -> Evaluation:
    """Judge one graph, tree, cover or soft clustering; the arguments are those of :func:`evaluate_structures`."""
    _check_options(request, vectors, weighting)
    given = read_structures(**vectors, keywords=keywords, options=request.labels)
    if given is None:
        raise InputError(
            "labels stand beside overlapping or soft clusters: give all as adjudge.Cover or adjudge.Memberships"
        )
    _check_kind(request, given.of_classes)
    found: Evaluation = judged([StructureCase(given)], request, backend=backend_of(*vectors.values()))
    return found


def _check_options(request: EvaluationRequest, vectors: Mapping[str, Any], weighting: Weighting) -> None:
    """Raise for options that do not work with structures."""
    places = (vectors[name] for name in ("labels_true", "labels_pred", "labels"))
    no_labels = all(own is None or isinstance(own, Structure) for own in places)
    given = {
        "noise": no_labels and request.labels.treats_noise,
        "missing": no_labels and request.labels.drops,
        "compat": request.compat is not None,
        "sample_size": request.sample_size is not None,
        **{name: value is not None for name, value in weighting.options.items()},
    }
    option = next((name for name, is_given in given.items() if is_given), None)
    if option is not None:
        raise refusal(option)


def refusal(option: str) -> InputError:
    """Return the error for an option that does not work with structures."""
    return InputError(
        Option(option),
        " does not work with a graph, a tree, batches, overlapping or soft clusters: leave it out",
    )


def _check_kind(request: EvaluationRequest, of_classes: type[Structure] | None) -> None:
    """Raise if labels are asked to be something else than what the structures beside them make of them."""
    request.labels.check_kind("classification" if of_classes else None)
    if request.kind in (None, "clustering" if of_classes is None else "classification"):
        return
    if of_classes is not None:
        raise InputError(
            f"labels beside {of_classes.words} are classes: leave out ", Option("kind", request.kind)
        )
    raise InputError(
        "a graph, a tree, batches, overlapping and soft clusters are judged as clusterings: leave out ",
        Option("kind", request.kind),
    )
