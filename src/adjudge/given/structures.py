"""Inputs with a structure that no label vector has: graphs, trees, batches, overlapping and soft clusterings.

Each is a class of its own that checks what a user brings, and is at the same time a kind of input: a statistic of a
graph says ``made_from = (Graph, Partition)``. Verbs do not know these classes. They pass on what was given, and this
module files it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Any, ClassVar, Self, TypedDict

import numpy as np

from adjudge.array_types import Bools, Ints
from adjudge.errors import Argument, InputError, InputTypeError, Option, a_type
from adjudge.given.alignment import AlignedLabels, align_labels
from adjudge.given.input_kinds import Coordinates, Partition, Prediction, Thing, Truth
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Labels
from adjudge.given.points import DataMatrix, as_points
from adjudge.presentation.numbers import count

_AS_GIVEN = LabelOptions()


class Structure(Thing):
    """An input with a structure of its own.

    A class sets `option` to the keyword of the verbs that takes it. One without a keyword of its own takes the place of
    a label vector, and names in `places` what it is there.
    """

    #: The kind of input by place, "labels_true" or "labels_pred", of a class that takes the place of a label vector.
    places: ClassVar[Mapping[str, type[Thing]]] = MappingProxyType({})
    #: Whether label vectors beside it are classes, whose names count, and not clusters.
    names_classes: ClassVar[bool] = False

    @classmethod
    def read(cls, given: Any) -> Self:
        """Check what stands behind the keyword: the structure, or whatever its class makes it from."""
        return given if isinstance(given, cls) else cls(given)  # type: ignore[call-arg]

    @classmethod
    def of_labels(cls, labels: Labels) -> Self:
        """Return a partition in this form, if a label vector may stand beside a structure in the place of the other."""
        raise InputError(f"a {cls.__name__} is compared with another one: labels are no {cls.__name__}")

    @property
    def n(self) -> int | None:
        """Number of instances; None if it has none."""
        raise NotImplementedError

    @property
    def n_clusters(self) -> int | None:
        """Number of clusters; None if there are none in it."""
        return None

    @property
    def likeliest(self) -> Ints:
        """The cluster that each instance is likeliest in, of a soft clustering."""
        raise InputTypeError(f"{a_type(self)} is no candidate: give labels, or adjudge.Memberships")

    def check_order(self, name: str, labels: Any) -> None:
        """Raise if labels or points are in another order than the instances, as far as both have names."""

    @property
    def missing(self) -> Bools | None:
        """The instances of which it says nothing; None if there are none."""
        return None

    def check_complete(self) -> None:
        """Raise if it says nothing of an instance."""

    def take(self, order: Ints) -> Self:
        """Return the same structure with its instances in another order."""
        raise NotImplementedError

    def left(self, kept: Ints) -> Self | None:
        """Return what is left of it with some instances only; None if it has no meaning without the others."""
        return None


class StructureKeywords(TypedDict, total=False):
    """The keywords of verbs that take a structure."""

    batch: Any
    graph: Any
    linkage: Any
    taxonomy: Any


#: The keywords of those that a column of a table may hold.
OF_COLUMNS = ("batch",)
#: The module of the class behind each keyword.
STRUCTURES: Mapping[str, str] = MappingProxyType(
    {
        "batch": "adjudge.given.batches.Batches",
        "graph": "adjudge.given.graph.Graph",
        "linkage": "adjudge.given.linkage.Linkage",
        "taxonomy": "adjudge.given.taxonomy.Taxonomy",
    }
)


@dataclass(frozen=True, eq=False)
class GivenStructures:
    """Structures, and the label vectors and points beside them.

    Attributes
    ----------
    things : mapping of type to object
        What was given, by kind of input: coded labels, points and structures.
    n : int
        Number of instances.
    n_clusters : mapping of str to int
        By argument.
    judged : type or None
        The kind of input whose instances are exchanged for the null model of chance: the labels or clusters to judge.
    """

    things: Mapping[type[Any], Any]
    n: int
    n_clusters: Mapping[str, int]
    judged: type[Thing] | None

    def exchanged(self, order: Ints) -> dict[type[Any], Any]:
        """Return what was given, with the instances of what is judged in another order."""
        assert self.judged is not None
        judged = self.things[self.judged].take(order)
        return {**self.things, **dict.fromkeys(self.kinds_judged, judged)}

    @property
    def kinds_judged(self) -> tuple[type[Any], ...]:
        """The kinds of input that what is judged is filed under: predicted labels, under two."""
        if self.judged is Partition and self.things.get(Prediction) is self.things[Partition]:
            return Prediction, Partition
        return () if self.judged is None else (self.judged,)

    @property
    def of_classes(self) -> type[Structure] | None:
        """The structure that makes classes of the label vectors, if there is one."""
        kinds = (own for own in self.things if issubclass(own, Structure) and own.names_classes)
        return next(kinds, None)


def read_structures(
    labels_true: Any = None,
    labels_pred: Any = None,
    *,
    labels: Any = None,
    X: Any = None,
    keywords: Mapping[str, Any] = MappingProxyType({}),
    options: LabelOptions = _AS_GIVEN,
) -> GivenStructures | None:
    """Check and file structures, and what is given beside them; return None if there are none.

    Parameters
    ----------
    labels_true, labels_pred : Structure or array-like of shape (n,), optional
    labels : array-like of shape (n,), optional
        Labels to judge from a structure; default `labels_pred`.
    X : array-like of shape (n, p), optional
    keywords : mapping of str to object
        Structures by their keywords.
    options : LabelOptions

    Raises
    ------
    InputError
        If numbers of instances differ, or an instance has no label.
    """
    named = {name: value for name, value in keywords.items() if value is not None}
    vectors = {"labels_true": labels_true, "labels_pred": labels_pred, "labels": labels}
    in_place = {name: own for name, own in vectors.items() if isinstance(own, Structure)}
    if not named and not in_place:
        return None
    for own in in_place.values():
        for name, other in (*vectors.items(), ("X", X)):
            own.check_order(name, other)
    in_place |= _in_the_same_form(vectors, in_place, options)
    vectors = {name: own for name, own in vectors.items() if own is not None and name not in in_place}
    things: dict[type[Any], Any] = {}
    sizes: dict[str, int] = {}
    clusters: dict[str, int] = {}
    judged: type[Thing] | None = None
    lacking: list[Bools | None] = []
    for name, value in named.items():
        read = kind_of_structure(name).read(value)
        things[type(read)] = read
        for vector, own in vectors.items():
            read.check_order(vector, own)
        if read.n is not None:
            sizes[name] = read.n
        if not (vectors and options.missing_of(name) == "drop"):
            read.check_complete()
        lacking.append(read.missing)
    for name, own in in_place.items():
        kind = own.places.get(name)
        if kind is None or own.n is None:
            where = getattr(own, "option", None) or next(iter(own.places))
            raise InputError(Argument(name), f" is a {type(own).__name__}: give it as ", Option(where))
        things[kind], sizes[name], judged = own, own.n, kind
        if own.n_clusters is not None:
            clusters[name] = own.n_clusters
    if X is not None:
        points = (
            X if isinstance(X, DataMatrix) else as_points(X, gaps=bool(vectors) and options.drops_missing)
        )
        lacking.append(points.gaps)
        if hasattr(points.values, "tocsr"):
            raise InputError(Argument("X"), " is a sparse matrix: give a dense one, such as X.toarray()")
        things[Coordinates], sizes["X"] = points.values, points.shape[0]
    if vectors:
        _check_lengths(sizes)
        incomplete = [own for own in lacking if own is not None]
        aligned = align_labels(
            vectors,
            options.only(list(vectors)),
            incomplete=np.logical_or.reduce(incomplete) if incomplete else None,
        )
        _check_lengths(sizes | dict.fromkeys(vectors, aligned.n_given))
        if aligned.kept is not None:
            things = _left(things, aligned, options)
            sizes = dict.fromkeys(sizes, aligned.kept.size)
        kinds = {"labels_true": Truth, "labels_pred": Prediction, "labels": Partition}
        for name, one in zip(vectors, aligned.labels, strict=True):
            things[kinds[name]], sizes[name], judged = one, len(one), kinds[name]
            clusters[name] = len(one.counted()[1])
        if Prediction in things and Partition not in things:
            things[Partition] = things[Prediction]
            judged = Partition
    _check_lengths(sizes)
    return GivenStructures(things, next(iter(sizes.values()), 0), clusters, judged)


def _left(
    things: Mapping[type[Any], Any], aligned: AlignedLabels, options: LabelOptions
) -> dict[type[Any], Any]:
    """Leave the instances that labels leave out also out of what stands beside them."""
    return {
        kind: structure_left(own, aligned, options) if isinstance(own, Structure) else own[aligned.kept]
        for kind, own in things.items()
    }


def structure_left(own: Structure, aligned: AlignedLabels, options: LabelOptions) -> Structure:
    """Return what is left of a structure with the instances that labels keep.

    Raises
    ------
    InputError
        If it has no meaning without the others.
    """
    if aligned.kept is None or own.n is None:
        return own
    if (left := own.left(aligned.kept)) is None:
        raise _still_held(aligned, options)
    return left


def _still_held(aligned: AlignedLabels, options: LabelOptions) -> InputError:
    """Return the error that instances cannot be left out of what stands beside their labels."""
    n_lost = aligned.n_given - (aligned.n_given if aligned.kept is None else aligned.kept.size)
    remedy: list[Any] = [", or pass ", Option("noise", "singletons")] if options.drops_noise else []
    return InputError(
        f"{count(n_lost, 'instance')} would be left out, which a tree or clusters beside the labels still hold: leave "
        "them out of both",
        *remedy,
    )


def _in_the_same_form(
    vectors: Mapping[str, Any], in_place: Mapping[str, Structure], options: LabelOptions
) -> dict[str, Structure]:
    """Return the label vector to compare with a structure in the form of that structure."""
    if len(in_place) != 1:
        return {}
    ((name, own),) = in_place.items()
    other = {"labels_true": "labels_pred", "labels_pred": "labels_true"}.get(name, "")
    if vectors.get(other) is None or name not in own.places:
        return {}
    aligned = align_labels({other: vectors[other]}, options.only([other]))
    if aligned.kept is not None:
        raise _still_held(aligned, options)
    return {other: own.of_labels(aligned.labels[0])}


def kind_of_structure(keyword: str) -> type[Structure]:
    """Return the class behind a keyword."""
    module, _, name = STRUCTURES[keyword].rpartition(".")
    found: type[Structure] = getattr(import_module(module), name)
    return found


def _check_lengths(sizes: Mapping[str, int]) -> None:
    first, n = next(iter(sizes.items()), ("", 0))
    for name, size in sizes.items():
        if size != n:
            raise InputError(
                _named(name),
                f" has {count(size, 'instance')}, ",
                _named(first),
                f" has {n}: they must be the same instances",
            )


def _named(name: str) -> Argument | Option:
    return Option(name) if name in STRUCTURES else Argument(name)
