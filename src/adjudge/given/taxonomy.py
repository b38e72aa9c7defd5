"""Taxonomies: classes that form a tree, of which an instance may have several."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np

from adjudge.array_types import Ints
from adjudge.errors import Argument, InputError, InputTypeError, Option, a_type, in_words
from adjudge.given.input_kinds import PredictedSets, Thing, TrueSets
from adjudge.given.label_sets import LabelSets, read_one
from adjudge.given.label_values import is_missing
from adjudge.given.labels import Labels
from adjudge.given.structures import Structure
from adjudge.unknown_names import close_names

# The position of the class above all others.
_ROOT = 0


class _Nameless:
    """The class above all others, if none of those that were named is."""

    def __repr__(self) -> str:
        return "(root)"


_NAMELESS = _Nameless()


@dataclass(frozen=True, eq=False)
class Taxonomy(Structure):
    """Classes that form a tree, such as species, products or diseases.

    `Taxonomy.from_paths` makes one from labels such as "animal/mammal/cat", `Taxonomy.from_levels` from a column for
    each level.

    Parameters
    ----------
    parents : mapping, data frame of two columns, or sequence of pairs
        The class above each class; None at the top. A single class at the top is the root, which all have in common and
        which counts in no score; above several there is a root without a name.

    Attributes
    ----------
    names : tuple
        The root, then all other classes; of paths, the full ones.

    Examples
    --------
    >>> from adjudge import Taxonomy, evaluate
    >>> kinds = Taxonomy({"cat": "mammal", "dog": "mammal", "hen": "bird", "mammal": "animal", "bird": "animal"})
    >>> evaluate(["cat", "dog", "hen"], ["dog", "dog", "cat"], taxonomy=kinds)["tree_distance"]
    2.0
    """

    option, words, names_classes = "taxonomy", "a taxonomy", True

    parents: Any = field(repr=False)
    names: tuple[Any, ...] = field(init=False)
    _above: Ints = field(init=False, repr=False)
    _depths: Ints = field(init=False, repr=False)
    _places: dict[Any, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        parents = _parents(self.parents)
        tops = [name for name, above in parents.items() if above is None]
        if len(tops) > 1:
            parents = {name: _NAMELESS if above is None else above for name, above in parents.items()}
            parents, tops = {_NAMELESS: None, **parents}, [_NAMELESS]
        names = [*tops, *(name for name in parents if name not in tops)]
        places = {name: place for place, name in enumerate(names)}
        places = {str(name): place for name, place in places.items() if name is not _NAMELESS} | places
        depths = _depths(parents, tops)
        above = [places.get(parents[name], _ROOT) for name in names]
        object.__setattr__(self, "names", tuple(names))
        object.__setattr__(self, "_above", np.array(above, np.int64))
        object.__setattr__(self, "_depths", np.array([depths[name] for name in names], np.int64))
        object.__setattr__(self, "_places", places)

    @classmethod
    def from_paths(cls, paths: Iterable[str], separator: str = "/") -> Self:
        """Read the tree from the full paths of its classes; whatever stands before a separator is a class as well.

        Labels may be full paths, or last names such as "cat" where only one path ends with it.

        Parameters
        ----------
        paths : iterable of str
            They may be repeated.
        separator : str, default "/"

        Examples
        --------
        >>> from adjudge import Taxonomy
        >>> Taxonomy.from_paths(["animal/cat", "animal/dog", "plant"]).names
        ((root), 'animal', 'animal/cat', 'animal/dog', 'plant')
        """
        if not isinstance(separator, str) or not separator:
            raise InputError(Option("separator", separator), ": give the text between the names in a path")
        distinct = [paths] if isinstance(paths, str) else list(dict.fromkeys(paths))
        others = [own for own in distinct if own is paths or not isinstance(own, str)]
        if others:
            raise InputTypeError(f"paths has {a_type(others[0])}: give a sequence of texts")
        if distinct and not any(separator in own for own in distinct):
            raise InputError(
                f"no path has the separator {separator!r}, such as {distinct[0]!r}: give the one that they have"
            )
        return cls._of_split([tuple(own.split(separator)) for own in distinct], separator)

    @classmethod
    def from_levels(cls, levels: Any, separator: str = "/") -> Self:
        """Read the tree from a column for each level, the highest first.

        Parameters
        ----------
        levels : data frame, or sequence of tuples
            The class of each row at each level; below a class without subclasses, cells are None, nan or empty.
        separator : str, default "/"
            What joins the names in labels that are full paths.

        Examples
        --------
        >>> from adjudge import Taxonomy
        >>> Taxonomy.from_levels([("animal", "cat"), ("animal", "dog"), ("plant", None)]).names
        ((root), 'animal', 'animal/cat', 'animal/dog', 'plant')
        """
        paths: dict[tuple[str, ...], None] = {}
        for row in _rows(levels, "levels"):
            filled = [not _is_empty(cell) for cell in row]
            if not all(filled[: sum(filled)]):
                raise InputError(f"levels has {row}: a level is empty above a filled one")
            paths[tuple(str(cell) for cell in row[: sum(filled)])] = None
        return cls._of_split([path for path in paths if path], separator)

    @classmethod
    def _of_split(cls, paths: Iterable[tuple[str, ...]], separator: str) -> Self:
        """Make the tree of paths below a root of its own."""
        parents: dict[Any, Any] = {_NAMELESS: None}
        ends: dict[str, list[str]] = {}
        for path in paths:
            if not all(path):
                raise InputError(
                    f"the path {separator.join(path)!r} has an empty name: give each level a name"
                )
            above: Any = _NAMELESS
            for level, name in enumerate(path, 1):
                whole = separator.join(path[:level])
                if whole not in parents:
                    parents[whole] = above
                    ends.setdefault(name, []).append(whole)
                elif parents[whole] != above:
                    raise InputError(
                        f"two classes have the path {whole!r}: pass a separator that no name has"
                    )
                above = whole
        if not ends:
            raise InputError("there are no paths: give the full path of each class")
        found = cls(parents)
        for name, own in ends.items():
            if len(own) == 1:
                found._places.setdefault(name, found._places[own[0]])
        return found

    @property
    def n(self) -> None:
        """None: it has no instances."""
        return None

    def depths(self, classes: Ints) -> Ints:
        """Return how many steps classes are below the root, by their positions in `names`."""
        return self._depths[classes]

    def find(self, labels: Labels, name: str) -> Ints:
        """Return the position in `names` of the class of each instance; errors call the labels by a name."""
        codes, own = labels.dense()
        return np.array([self._place(label, name) for label in own], np.int64)[codes]

    def with_ancestors(self, sets: LabelSets, name: str) -> Ints:
        """Return, ascending, ``instance * len(names) + position`` of the classes of each instance and all above them.

        The root is left out. Errors call the labels by a name.
        """
        places = np.array([self._place(label, name) for label in sets.labels], np.int64)
        rows, classes = sets.rows, places[sets.columns]
        found = [np.empty(0, np.int64)]
        while rows.size:
            below = classes != _ROOT
            rows, classes = rows[below], classes[below]
            found.append(rows * len(self.names) + classes)
            classes = self._above[classes]
        return np.unique(np.concatenate(found))

    def _place(self, label: Hashable, name: str) -> int:
        found = self._places.get(label, self._places.get(str(label)))
        if found is None:
            close = close_names(str(label), [str(own) for own in self._places], 3)
            hint = (
                f"did you mean {', '.join(map(repr, close))}?" if close else "add it, with the class above it"
            )
            raise InputError(
                Argument(name), f" has the label {in_words(label)}, which the taxonomy lacks: {hint}"
            )
        return found

    def last_shared(self, one: Ints, other: Ints) -> Ints:
        """Return the lowest class to which both of two classes belong, for each pair of positions in `names`."""
        one, other = one.copy(), other.copy()
        for deep, high in ((one, other), (other, one)):
            while (lower := self._depths[deep] > self._depths[high]).any():
                deep[lower] = self._above[deep[lower]]
        while (apart := one != other).any():
            one[apart], other[apart] = self._above[one[apart]], self._above[other[apart]]
        return one


def _parents(given: Any) -> dict[Any, Any]:
    """Return the class above each class, also of those that are named only above others."""
    found: dict[Any, Any] = {}
    for pair in given.items() if isinstance(given, Mapping) else _rows(given, "parents"):
        if len(pair) != 2:
            raise InputError(
                f"parents has a row of {len(pair)} entries: give pairs of a class and the one above it"
            )
        name, above = (None if _is_empty(own) else own for own in pair)
        if not isinstance(above, Hashable) or not isinstance(name, Hashable):
            raise InputError(f"{name!r} is below {above!r}: map each class to the one class above it")
        if name is None:
            raise InputError(f"parents has no name for a class below {above!r}: give each class a name")
        if found.setdefault(name, above) != above:
            raise InputError(
                f"{name!r} is below {found[name]!r} and below {above!r}: give each class one parent"
            )
    if not found:
        raise InputError("the taxonomy has no classes: give the class above each class")
    return found | {above: None for above in found.values() if above is not None and above not in found}


def _depths(parents: Mapping[Any, Any], tops: Iterable[Any]) -> dict[Any, int]:
    """Return how many steps each class is below the top."""
    depths = dict.fromkeys(tops, 0)
    for name in parents:
        path: dict[Any, None] = {}
        while name not in depths:
            if name in path:
                circle = [*list(path)[list(path).index(name) :], name]
                raise InputError(f"a class is below itself: {' < '.join(map(str, circle))}: remove one step")
            path[name] = None
            name = parents[name]
        for step, own in enumerate(reversed(path), depths[name] + 1):
            depths[own] = step
    return depths


def _rows(given: Any, name: str) -> Iterator[tuple[Any, ...]]:
    """Return the rows of a data frame or a sequence."""
    if hasattr(given, "itertuples"):
        return iter(given.itertuples(index=False, name=None))
    if hasattr(given, "iter_rows"):
        return iter(given.iter_rows())
    if isinstance(given, (str, Mapping)) or not isinstance(given, Iterable):
        raise InputTypeError(f"{name} is {a_type(given)}: give a data frame or a sequence of tuples")
    rows = list(given)
    for row in rows:
        if isinstance(row, str) or not isinstance(row, Iterable):
            raise InputTypeError(f"{name} has {row!r}: give a data frame or a sequence of tuples")
    return (tuple(row) for row in rows)


def _is_empty(cell: Any) -> bool:
    return is_missing(cell) or (isinstance(cell, str) and not cell)


@dataclass(frozen=True, eq=False)
class ClassSets(Structure):
    """The classes of each instance: several, one or none."""

    option, words = "labels_true", "sets of classes"
    places: ClassVar[Mapping[str, type[Thing]]] = MappingProxyType(
        {"labels_true": TrueSets, "labels_pred": PredictedSets}
    )

    sets: LabelSets

    @classmethod
    def of(cls, given: Any, name: str) -> Self:
        """Read what `evaluate` takes for several labels per instance."""
        return cls(read_one(given, name))

    @classmethod
    def of_labels(cls, labels: Labels) -> Self:
        """Return single classes as sets of one."""
        codes, names = labels.dense()
        return cls(LabelSets(np.arange(codes.size) * len(names) + codes, codes.size, list(names)))

    @property
    def n(self) -> int:
        """Number of instances."""
        return self.sets.n

    @property
    def n_clusters(self) -> int:
        """Number of classes that occur."""
        return int(np.unique(self.sets.columns).size)

    def take(self, order: Ints) -> Self:
        """Return the sets of the instances in another order."""
        return type(self)(self.sets.take(order))
