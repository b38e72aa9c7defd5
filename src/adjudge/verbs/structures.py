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
from adjudge.given.input_kinds import Partition, Prediction, Thing, Truth, needs
from adjudge.given.structures import GivenStructures, Structure, read_structures
from adjudge.given.weights import Weighting
from adjudge.indices.catalog import all_indices, is_default
from adjudge.indices.kinds import Kind
from adjudge.indices.record import Index
from adjudge.indices.structure_record import StructureIndex, check_all_read
from adjudge.kinds.clusters import Clustering
from adjudge.kinds.menu import selected
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.scores import scores_of, with_intervals, with_nulls
from adjudge.presentation.tables import backend_of
from adjudge.progress import reporting
from adjudge.results import Evaluation
from adjudge.results.evaluations import Evaluations
from adjudge.results.score import Score
from adjudge.statistics.contingency import joint_table
from adjudge.statistics.joint import JointCounts
from adjudge.statistics.making import Made, lacking_of

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
# What indices ask whose labels are batches.
_MIXING = "mixing of batches"
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
    table = _table(given)
    at_hand: dict[type, Any] = {**given.things, **({} if table is None else {type(table): table})}
    chosen = _chosen(request, at_hand, given.of_classes)
    made = Made(at_hand)
    structural = [record for record in chosen if isinstance(record, StructureIndex)]
    scores = scores_of(structural, made)
    if request.confidence is not None:
        from adjudge.inference.instances import structure_intervals

        values = {name: score.value for name, score in scores.items()}
        scores = with_intervals(scores, structure_intervals(structural, values, made, request.confidence))
    if request.adjust:
        scores = _with_chance(scores, structural, given, request)
    if table is not None:
        outer = [record for record in chosen if not isinstance(record, StructureIndex)]
        scores |= Clustering(table).scores(outer, request)
    return Evaluation(
        scores={record.name: scores[record.name] for record in chosen},
        n=given.n,
        n_clusters=dict(given.n_clusters),
        settings=request.settings(scores)
        | {"of": "clustering" if given.of_classes is None else "classification"},
        details=_details(structural, made),
        backend=backend_of(*vectors.values()),
    )


def _details(records: list[StructureIndex], made: Made) -> dict[str, Any]:
    """Collect what the statistics of the records hold by cluster or instance, where they say it as `details`."""
    kinds = dict.fromkeys(kind for record in records for kind in record.requires)
    return {name: own for kind in kinds for name, own in getattr(made[kind], "details", {}).items()}


def _table(given: GivenStructures) -> JointCounts | None:
    """Count the table of two clusterings, if both are given."""
    if Truth not in given.things or Prediction not in given.things or given.of_classes:
        return None
    return joint_table((given.things[Truth], given.things[Prediction]), None, None)


def _chosen(
    request: EvaluationRequest, at_hand: Mapping[type, Any], of_classes: type[Structure] | None
) -> list[Index]:
    kinds = _kinds(at_hand, of_classes)
    by_keyword, named = selected(request.indices, kinds, list(at_hand))
    if of_classes is not None:
        by_keyword = [record for record in by_keyword if isinstance(record, StructureIndex)]
    if is_default(request.indices) and not by_keyword:
        raise InputError(*_nothing(at_hand))
    if by_keyword:
        check_all_read(by_keyword, at_hand)
    for record in named:
        if missing := lacking_of(record.requires, at_hand):
            raise InputError(f"{record.name} needs ", *needs(missing))
        if of_classes is not None and not isinstance(record, StructureIndex):
            raise InputError(
                f"{record.name} does not read {of_classes.words}: leave out ", Option(of_classes.option)
            )
        if record.kind == "internal":
            options = (one.option for one in at_hand if issubclass(one, Structure))
            option = next((own for own in options if own), "graph")
            of_batches = (", and the batches as ", Option("labels")) if record.asks == _MIXING else ()
            raise InputError(
                f"{record.name} judges points: give them and their labels in a call of their own, without ",
                Option(option),
                *of_batches,
            )
    return list(dict.fromkeys([*by_keyword, *named]))


def _kinds(at_hand: Mapping[type, Any], of_classes: type[Structure] | None) -> tuple[Kind, ...]:
    """Return the kinds of which some index can be computed or be meant by a name, those of structures first."""
    records = [own for own in all_indices().values() if isinstance(own, StructureIndex)]
    kinds = dict.fromkeys(own.kind for own in records if not lacking_of(own.requires, at_hand))
    if of_classes is not None:
        return (*kinds, "classification")
    return (*kinds, *(("external",) if any(issubclass(one, JointCounts) for one in at_hand) else ()))


def _nothing(at_hand: Mapping[type, Any]) -> list[Any]:
    """Say what the indices lack that read something of what was given."""
    words = [one.words for one in at_hand if issubclass(one, Thing) and one is not Partition]
    structures = [kind for kind, own in at_hand.items() if isinstance(own, Structure)]
    needed = [own.requires for own in all_indices().values() if isinstance(own, StructureIndex)]
    reading = [own for own in needed if lacking_of(own, structures) != lacking_of(own, ())]
    missing = dict.fromkeys(lacking_of(own, at_hand) for own in reading)
    least = [own for own in missing if len(own) == min(map(len, missing))]
    ways = {tuple(one.option for one in own): needs(own)[2:] for own in least}
    options = [part for way in ways.values() for part in (" or ", *way)]
    return [f"nothing to judge from {' and '.join(words)} alone: give ", *options[1:], " as well"]


def _with_chance(
    scores: dict[str, Score],
    records: list[StructureIndex],
    given: GivenStructures,
    request: EvaluationRequest,
) -> dict[str, Score]:
    from adjudge.inference.instances import exchanged_nulls

    if given.judged is None:
        raise InputError(
            Option("adjust"),
            " exchanges the instances of labels or clusters, and there are none: leave it out",
        )
    others = [kind for kind in given.things if kind not in given.kinds_judged]
    corrected = [
        record
        for record in records
        if record.has_perfect_value and not record.chance and lacking_of(record.requires, others)
    ]
    if not corrected and Truth not in given.things:
        why = next((record.chance for record in records if record.chance), "its best value is infinite")
        raise InputError(Option("adjust"), f" changes nothing: {records[0].name} has no correction, as {why}")
    values = {record.name: scores[record.name].value for record in corrected}
    with reporting(request.progress, "random orders") as told:
        nulls = exchanged_nulls(
            corrected, values, given.exchanged, given.n, request.n_tables, request.random_state, told
        )
    return with_nulls(scores, nulls)


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
