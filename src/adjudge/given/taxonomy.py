"""Taxonomies: classes that form a tree."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import Argument, InputError, InputTypeError, Option, a_type
from adjudge.given.labels import Labels
from adjudge.given.structures import Structure
from adjudge.unknown_names import close_names

__all__ = ["Taxonomy"]

Ints = NDArray[np.int64]
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

    Parameters
    ----------
    parents : mapping, data frame of two columns, or sequence of pairs
        The class above each class; None above those at the top. The only class at the top is the root, which all have in
        common: it counts in no score. Above several, there is a root without a name.

    Attributes
    ----------
    names : tuple
        The root, then all other classes; of paths, the full ones.

    See Also
    --------
    Taxonomy.from_paths : from labels such as "animal/mammal/cat".
    Taxonomy.from_levels : from a column for each level.

    Examples
    --------
    >>> from adjudge import Taxonomy, evaluate
    >>> kinds = Taxonomy({"cat": "mammal", "dog": "mammal", "hen": "bird", "mammal": "animal", "bird": "animal"})
    >>> evaluate(["cat", "dog", "hen"], ["dog", "dog", "cat"], taxonomy=kinds)["tree_distance"]
    2.0
    """

    option, words, judged_as = "taxonomy", "a taxonomy", "classification"

    parents: Any = field(repr=False)
    names: tuple[Any, ...] = field(init=False)
    _above: Ints = field(init=False, repr=False)
    _depths: Ints = field(init=False, repr=False)
    _places: dict[Any, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        parents = _parents(self.parents)
        tops = [name for name, above in parents.items() if above is None]
        if not tops:
            raise InputError(_circle(parents, next(iter(parents))))
        if len(tops) > 1:
            parents = {_NAMELESS: None} | {
                name: _NAMELESS if above is None else above for name, above in parents.items()
            }
            tops = [_NAMELESS]
        names = [*tops, *(name for name in parents if name is not tops[0])]
        places = {name: place for place, name in enumerate(names)}
        above = [_ROOT, *(places[parents[name]] for name in names[1:])]
        depths = [0] + [-1] * (len(names) - 1)
        for place in range(1, len(names)):
            path: list[int] = []
            while depths[place] < 0 and len(path) <= len(names):
                path.append(place)
                place = above[place]
            if len(path) > len(names):
                raise InputError(_circle(parents, names[place]))
            for step, own in enumerate(reversed(path), 1):
                depths[own] = depths[place] + step
        own_fields = {
            "names": tuple(names),
            "_above": np.array(above, np.int64),
            "_depths": np.array(depths, np.int64),
            "_places": places,
        }
        for name, value in own_fields.items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_paths(cls, paths: Iterable[Any], separator: str = "/") -> Self:
        """Read the tree from the full paths of its classes, such as "animal/mammal/cat".

        Parameters
        ----------
        paths : iterable of str
            They may be repeated. Whatever stands before a separator is a class as well.
        separator : str, default "/"

        Returns
        -------
        Taxonomy
            Labels may be full paths, or last names, such as "cat", where only one path ends with it.

        Examples
        --------
        >>> from adjudge import Taxonomy
        >>> len(Taxonomy.from_paths(["animal/mammal/cat", "animal/mammal/dog", "plant"]).names)
        6
        """
        if isinstance(paths, str):
            raise InputTypeError(f"paths is the text {paths[:60]!r}: give a sequence of paths")
        if not isinstance(separator, str) or not separator:
            raise InputError(Option("separator", separator), ": give the text between the names in a path")
        split = dict.fromkeys(paths)
        other = next((own for own in split if not isinstance(own, str)), None)
        if other is not None:
            raise InputTypeError(f"paths has {other!r}, {a_type(other)}: give texts")
        return cls._from_tuples([tuple(own.split(separator)) for own in split], separator)

    @classmethod
    def from_levels(cls, levels: Any, separator: str = "/") -> Self:
        """Read the tree from a column for each level, the highest first.

        Parameters
        ----------
        levels : data frame, or sequence of tuples
            The class of each row at each level; below a class without subclasses, cells are None, nan or empty.
        separator : str, default "/"
            What joins the names in labels that are full paths.

        Returns
        -------
        Taxonomy
            Labels may be full paths, or last names where only one path ends with it.

        Examples
        --------
        >>> from adjudge import Taxonomy
        >>> kinds = Taxonomy.from_levels([("animal", "cat"), ("animal", "dog"), ("plant", None)])
        >>> kinds.names[1:]
        ('animal', 'animal/cat', 'animal/dog', 'plant')
        """
        paths: dict[tuple[str, ...], None] = {}
        for row in _rows(levels, "levels"):
            filled = [not _is_none(cell) for cell in row]
            depth = sum(filled)
            if not all(filled[:depth]):
                raise InputError(f"levels has {row}: a level is empty above a filled one")
            paths[tuple(str(cell) for cell in row[:depth])] = None
        return cls._from_tuples([path for path in paths if path], separator)

    @classmethod
    def _from_tuples(cls, paths: Iterable[tuple[str, ...]], separator: str) -> Self:
        """Make the tree of paths below a root of its own."""
        parents: dict[Any, Any] = {_NAMELESS: None}
        ends: dict[str, list[str]] = {}
        for path in paths:
            whole: Any = _NAMELESS
            for level, name in enumerate(path):
                if not name:
                    raise InputError(
                        f"the path {separator.join(path)!r} has an empty name: give each level a name"
                    )
                above, whole = whole, separator.join(path[: level + 1])
                if whole not in parents:
                    parents[whole] = above
                    ends.setdefault(name, []).append(whole)
        if not ends:
            raise InputError("there are no paths: give the full path of each class")
        found = cls(parents)
        for name, own in ends.items():
            if len(own) == 1:
                found._places.setdefault(name, found._places[own[0]])
        return found

    @classmethod
    def read(cls, given: Any) -> Self:
        """Accept a taxonomy, or the parent of each class."""
        return given if isinstance(given, cls) else cls(given)

    @property
    def n(self) -> None:
        """None: it has no instances."""
        return None

    def depths(self, classes: Ints) -> Ints:
        """Return how many steps classes are below the root, by their positions in `names`."""
        return self._depths[classes]

    def find(self, labels: Labels, name: str) -> Ints:
        """Return the position in `names` of the class of each instance.

        Parameters
        ----------
        labels : Labels
        name : str
            What errors call them.
        """
        codes, own = labels.dense()
        return np.array([self._place(label, name) for label in own], np.int64)[codes]

    def _place(self, label: Hashable, name: str) -> int:
        found = self._places.get(label, self._places.get(str(label)))
        if found is None:
            close = close_names(str(label), [str(own) for own in self._places], 3)
            hint = (
                f"did you mean {', '.join(map(repr, close))}?" if close else "add it, with the class above it"
            )
            raise InputError(Argument(name), f" has the label {label!r}, which the taxonomy lacks: {hint}")
        return found

    def last_shared(self, one: Ints, other: Ints) -> Ints:
        """Return the lowest class that has both of two classes below it or is one of them, for each pair of positions."""
        one, other = one.copy(), other.copy()
        for deep, high in ((one, other), (other, one)):
            while (lower := self._depths[deep] > self._depths[high]).any():
                deep[lower] = self._above[deep[lower]]
        while (apart := one != other).any():
            one[apart], other[apart] = self._above[one[apart]], self._above[other[apart]]
        return one


def _parents(given: Any) -> dict[Any, Any]:
    """Return the class above each class, also of those that are named only above others."""
    pairs = list(given.items() if isinstance(given, Mapping) else _rows(given, "parents"))
    found: dict[Any, Any] = {}
    for pair in pairs:
        if len(pair) != 2:
            raise InputError(
                f"parents has a row of {len(pair)} entries: give pairs of a class and the one above it"
            )
        name, above = (None if _is_none(own) else own for own in pair)
        if name is None:
            raise InputError(f"parents has no name for a class below {above!r}: give each class a name")
        if found.setdefault(name, above) != above:
            raise InputError(
                f"{name!r} is below {found[name]!r} and below {above!r}: give each class one parent"
            )
    for above in list(found.values()):
        if above is not None:
            found.setdefault(above, None)
    if not found:
        raise InputError("a taxonomy without classes was given: give the class above each class")
    return found


def _circle(parents: Mapping[Any, Any], name: Any) -> str:
    """Say which classes are below themselves."""
    path = [name]
    while (name := parents[name]) not in path:
        path.append(name)
    path = [*path[path.index(name) :], name]
    return f"a class is below itself: {' < '.join(map(str, path[:6]))}{' ...' if len(path) > 6 else ''}"


def _rows(given: Any, name: str) -> Iterator[tuple[Any, ...]]:
    """Return the rows of a data frame or a sequence."""
    if hasattr(given, "itertuples"):
        return iter(given.itertuples(index=False, name=None))
    if hasattr(given, "iter_rows"):
        return iter(given.iter_rows())
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InputTypeError(f"{name} is {a_type(given)}: give a data frame or a sequence of tuples")
    return (tuple(row) for row in given)


def _is_none(cell: Any) -> bool:
    """Whether a cell is empty: None, nan, NA or empty text."""
    return cell is None or cell == "" or bool(np.ndim(cell) == 0 and _differs_from_itself(cell))


def _differs_from_itself(cell: Any) -> bool:
    try:
        return bool(cell != cell)
    except TypeError:  # the NA of pandas
        return True
