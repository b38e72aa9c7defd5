"""Graphs, trees, overlapping and soft clusters: whatever can be made from what was given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, ClassVar, Self

from adjudge.engines.sources import PointSource
from adjudge.errors import InputError, Option
from adjudge.given.cover import Cover
from adjudge.given.input_kinds import Partition, Prediction, Thing, Truth, needs
from adjudge.given.points import as_points
from adjudge.given.scaling import standardized
from adjudge.given.structures import STRUCTURES, GivenStructures, Structure, read_structures
from adjudge.given.taxonomy import ClassSets
from adjudge.indices.catalog import all_indices, is_default
from adjudge.indices.kinds import Kind
from adjudge.indices.record import Index
from adjudge.indices.structure_record import StructureIndex, check_all_read
from adjudge.kinds.case import Case
from adjudge.kinds.clusters import Clustering
from adjudge.kinds.given import MODEL, Given
from adjudge.kinds.menu import selected
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.sample import ALONE
from adjudge.kinds.scores import scores_of, with_intervals, with_nulls
from adjudge.progress import reporting
from adjudge.results.score import Score
from adjudge.statistics.contingency import joint_table
from adjudge.statistics.joint import JointCounts
from adjudge.statistics.making import lacking_of

__all__ = ["StructureCase"]

# What indices ask whose labels are batches.
_MIXING = "mixing of batches"
_REFUSED = " does not work with a graph, a tree, batches, overlapping or soft clusters: leave it out"

#: What reads the labels of instances that may have several, or none, by kind; and the option that must be beside.
_OF_SETS: Mapping[str | None, tuple[Callable[[Any, str], Structure], str]] = MappingProxyType(
    {"overlapping": (Cover.from_instances, "kind"), "multilabel": (ClassSets.of, "taxonomy")}
)


class StructureCase(Case):
    """A graph, a tree, a cover or a soft clustering, and the labels beside it.

    Parameters
    ----------
    given : GivenStructures
    """

    kind: ClassVar[str] = "structure"
    indices: ClassVar[tuple[Kind, ...]] = ()
    reads: ClassVar[frozenset[str]] = frozenset(
        (
            "labels_true",
            MODEL,
            "labels",
            "X",
            "missing",
            "noise",
            "adjust",
            "n_tables",
            "random_state",
            *STRUCTURES,
        )
    )
    options: ClassVar[frozenset[str]] = frozenset(STRUCTURES)
    places: ClassVar[tuple[type, ...]] = (Structure,)
    said_as: ClassVar[str] = "overlapping"
    may_be_by_name: ClassVar[bool] = True

    def __init__(self, given: GivenStructures) -> None:
        things = given.things
        self._pair: Clustering | None = None
        if Truth in things and Prediction in things and not given.of_classes:
            self._pair = Clustering(joint_table((things[Truth], things[Prediction]), None, None))
        super().__init__(ALONE, {**things, **({} if self._pair is None else self._pair)})
        self._structures, self._records = given, list[StructureIndex]()

    @classmethod
    def refusal(cls, role: str) -> InputError:
        """Return the error for an option that is not read."""
        return InputError(Option(role), _REFUSED)

    @classmethod
    def read_one(cls, request: EvaluationRequest, given: Given) -> Self:
        """Check what was given, and file it by kind of input."""
        kind = request.kind
        read, beside = _OF_SETS.get(kind, (Cover.from_instances, ""))
        if beside in ("kind", *given.roles):
            for name in ("labels_true", MODEL):
                own = given.vectors[name]
                if own is not None and not isinstance(own, Structure):
                    given = given.with_vector(name, read(own, name))
            kind = None
        if request.scaling is not None and given.X is not None:
            points = as_points(given.X, gaps=request.labels.drops_missing)
            given = replace(given, X=standardized(points, request.scaling))
        labels = request.labels
        places = (given.truth, given.pred, given.labels)
        if all(own is None or isinstance(own, Structure) for own in places):
            unread = {"noise": labels.treats_noise, "missing": labels.drops}
            if refused := [name for name, is_given in unread.items() if is_given]:
                raise cls.refusal(refused[0])
        found = read_structures(**given.vectors, keywords=given.structures, options=labels)
        if found is None:
            raise InputError(
                "labels stand beside overlapping or soft clusters: give all as adjudge.Cover or adjudge.Memberships"
            )
        labels.check_kind("classification" if found.of_classes else None)
        _check_kind(kind, found.of_classes)
        return cls(found)

    def menu(
        self, request: EvaluationRequest, points: PointSource | None = None, *, together: bool = False
    ) -> list[Index]:
        """Return the indices that are meant and can be computed."""
        of_classes, inputs = self._structures.of_classes, self.inputs
        by_keyword, named = selected(request.indices, _kinds(self, of_classes), inputs)
        if of_classes is not None:
            by_keyword = [record for record in by_keyword if isinstance(record, StructureIndex)]
        if is_default(request.indices) and not by_keyword:
            raise InputError(*_nothing(self))
        if by_keyword:
            check_all_read(by_keyword, self)
        for record in named:
            if missing := lacking_of(record.requires, inputs):
                raise InputError(f"{record.name} needs ", *needs(missing))
            if of_classes is not None and not isinstance(record, StructureIndex):
                raise InputError(
                    f"{record.name} does not read {of_classes.words}: leave out ", Option(of_classes.option)
                )
            if record.kind == "internal":
                options = (one.option for one in inputs if issubclass(one, Structure))
                option = next((own for own in options if own), "graph")
                of_batches = (", and the batches as ", Option("labels")) if record.asks == _MIXING else ()
                raise InputError(
                    f"{record.name} judges points: give them and their labels in a call of their own, without ",
                    Option(option),
                    *of_batches,
                )
        return list(dict.fromkeys([*by_keyword, *named]))

    def scores(self, records: Sequence[Index], request: EvaluationRequest) -> dict[str, Score]:
        """Compute indices, with intervals and corrections on request."""
        self._records = [record for record in records if isinstance(record, StructureIndex)]
        scores = scores_of(self._records, self)
        if request.confidence is not None:
            from adjudge.inference.instances import structure_intervals

            values = {name: score.value for name, score in scores.items()}
            scores = with_intervals(
                scores, structure_intervals(self._records, values, self, request.confidence)
            )
        if request.adjust:
            scores = self._with_chance(scores, request)
        if self._pair is not None:
            outer = [record for record in records if not isinstance(record, StructureIndex)]
            scores |= self._pair.scores(outer, request)
        return scores

    def _with_chance(self, scores: dict[str, Score], request: EvaluationRequest) -> dict[str, Score]:
        from adjudge.inference.instances import exchanged_nulls

        given, records = self._structures, self._records
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
            raise InputError(
                Option("adjust"), f" changes nothing: {records[0].name} has no correction, as {why}"
            )
        values = {record.name: scores[record.name].value for record in corrected}
        with reporting(request.progress, "random orders") as told:
            nulls = exchanged_nulls(
                corrected, values, given.exchanged, given.n, request.n_tables, request.random_state, told
            )
        return with_nulls(scores, nulls)

    @property
    def n(self) -> Any:
        """Number of instances."""
        return self._structures.n

    @property
    def n_clusters(self) -> dict[str, int]:
        """Number of clusters or classes of each vector."""
        return dict(self._structures.n_clusters)

    @property
    def details(self) -> dict[str, Any]:
        """What the statistics of the indices hold by cluster or instance, where they say it as `details`."""
        kinds = dict.fromkeys(kind for record in self._records for kind in record.requires)
        return {name: own for kind in kinds for name, own in getattr(self[kind], "details", {}).items()}

    def described(self, request: EvaluationRequest, scores: Mapping[str, Score]) -> dict[str, Any]:
        """Return the settings of an evaluation."""
        of = "clustering" if self._structures.of_classes is None else "classification"
        return request.settings(scores) | {"of": of}


def _check_kind(kind: str | None, of_classes: type[Structure] | None) -> None:
    """Raise if labels are asked to be something else than what the structures beside them make of them."""
    if kind in (None, "clustering" if of_classes is None else "classification"):
        return
    if of_classes is not None:
        raise InputError(f"labels beside {of_classes.words} are classes: leave out ", Option("kind", kind))
    raise InputError(
        "a graph, a tree, batches, overlapping and soft clusters are judged as clusterings: leave out ",
        Option("kind", kind),
    )


def _kinds(at_hand: Mapping[type, Any], of_classes: type[Structure] | None) -> tuple[Kind, ...]:
    """Return the kinds of which some index can be computed or be meant by a name, those of structures first."""
    records = [own for own in all_indices().values() if isinstance(own, StructureIndex)]
    kinds = dict.fromkeys(record.kind for record in records if not lacking_of(record.requires, at_hand))
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
