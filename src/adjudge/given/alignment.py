"""Label vectors of the same instances: of equal length, without missing labels, with noise treated as requested."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sized
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from adjudge.array_types import Bools, Ints
from adjudge.errors import Argument, InputError, Option, Position, in_words
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Column, Labels, code_labels

_AS_GIVEN = LabelOptions()
# Inputs with a row, not an entry, for each instance.
_MATRICES = ("X", "probabilities", "scores")
_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Rows:
    """The instances that remain of those given.

    Attributes
    ----------
    n_given : int
        Instances in the input.
    kept : ndarray of int64 or None
        Positions of those that remain; None if all do.
    """

    n_given: int
    kept: Ints | None = None


@dataclass(frozen=True)
class AlignedLabels:
    """Label vectors of equal length, without missing labels, with noise treated as requested.

    Attributes
    ----------
    labels : tuple of Labels
    rows : Rows
        The instances that remain.
    n_noise : int
        Number of noise labels that were left out or scattered.
    beside, groups : tuple of Labels
        Other columns of the same rows, in which nothing is noise.
    """

    labels: tuple[Labels, ...]
    rows: Rows
    n_noise: int = 0
    beside: tuple[Labels, ...] = ()
    groups: tuple[Labels, ...] = ()

    @property
    def kept(self) -> Ints | None:
        """Input positions of the remaining instances; None if all remain."""
        return self.rows.kept

    @property
    def n_given(self) -> int:
        """Instances in the input."""
        return self.rows.n_given


def align_labels(
    named: Mapping[str, Any],
    options: LabelOptions = _AS_GIVEN,
    beside: Mapping[str, Any] = _NOTHING,
    absent: Bools | None = None,
    incomplete: Bools | None = None,
    groups: Mapping[str, Any] = _NOTHING,
) -> AlignedLabels:
    """Code several label vectors of the same instances; vectors that are already coded stay as they are.

    Parameters
    ----------
    named : mapping of str to array-like or Labels
        Label vectors by the name that options and errors use; errors call a :class:`Column` by its own name.
    options : LabelOptions
        An instance is left out if the options of any vector ask for it.
    beside : mapping of str to array-like or Labels
        Other columns of the same instances, such as the units they belong to.
    absent : ndarray of bool of shape (n,), optional
        Instances that are left out whatever their labels are, such as those of weight 0.
    incomplete : ndarray of bool of shape (n,), optional
        Instances that are left out because they lack something else, such as a probability.
    groups : mapping of str to array-like or Labels
        Columns that define groups of the same instances.

    Raises
    ------
    InputError
        If labels are empty, not one-dimensional, of different lengths, missing, infinite or not whole.
    """
    options.check_names(list(named))
    check_same_order({**named, **beside, **groups})
    # A model may have the name of a column of groups.
    others = {f"\0{name}": own for part in (beside, groups) for name, own in part.items()}
    given = {**named, **others}
    called = {
        name: values.name if isinstance(values, Column) else name.removeprefix("\0")
        for name, values in given.items()
    }
    coded = {name: code_labels(values, called[name]) for name, values in given.items()}
    n = common_length({called[name]: labels for name, labels in coded.items()})
    dropped = absent if absent is not None and absent.size == n else None
    there = None if dropped is None else ~dropped
    if incomplete is not None and incomplete.size == n:
        dropped = incomplete if dropped is None else dropped | incomplete
    for name, labels in coded.items():
        missing = labels.missing if there is None or labels.missing is None else labels.missing & there
        if missing is None or not missing.any():
            continue
        if options.missing_of(name.removeprefix("\0")) == "raise":
            what = "value" if name.removeprefix("\0") in beside and name not in named else "label"
            raise _has_missing(called[name], missing, what)
        dropped = missing if dropped is None else dropped | missing
    n_noise = 0
    if options.treats_noise:
        for name in named:
            labels, policy = coded[name], options.noise_of(name)
            noisy = None if policy == "cluster" else labels.where(options.noise_label)
            if noisy is not None and there is not None:
                noisy = noisy & there
            if noisy is None or not noisy.any():
                continue
            n_noise += int(np.count_nonzero(noisy))
            if policy == "drop":
                dropped = noisy if dropped is None else dropped | noisy
            else:
                coded[name] = _scattered(labels, noisy)
    k, m = len(named), len(named) + len(beside)
    if dropped is None or not dropped.any():
        left = tuple(coded.values())
        return AlignedLabels(left[:k], Rows(n), n_noise, left[k:m], left[m:])
    kept = np.flatnonzero(~dropped)
    if kept.size == 0:
        lost = next((name for name in named if (own := coded[name].missing) is not None and own.all()), None)
        if lost is not None and len(named) > 1:
            raise InputError(
                Argument(called[lost]),
                " has no label in any row: give its labels, or leave it out",
            )
        raise InputError(f"none of the {n} instances is left: each has a missing label or is noise")
    left = tuple(own.take(kept) for own in coded.values())
    return AlignedLabels(left[:k], Rows(n, kept), n_noise, left[k:m], left[m:])


def check_same_order(named: Mapping[str, Any]) -> None:
    """Raise if indexes of pandas say that rows which share a position are not the same: rows are paired by position.

    They say so if two indexes have the same entries in different orders, or only some entries in common. Indexes with
    no entry in common say nothing, and neither does one that counts from 0, as of what a model says of the rows of a
    test set, unless it stands beside another range.

    Parameters
    ----------
    named : mapping of str to object
        Labels, points, probabilities or weights as given, or mappings of these; only pandas objects are checked.
    """
    unlike: dict[str, Any] = {}
    for name, index in _indexed(named):
        if any(index.equals(other) for other in unlike.values()):
            continue
        own = set(index) if unlike else set()
        for first, other in unlike.items():
            if len(other) != len(index):
                continue
            theirs = set(other)
            if theirs == own:
                raise InputError(
                    Argument(name),
                    " and ",
                    Argument(first),
                    " have the same index in different orders: sort them alike, for instance with "
                    f"{name}.loc[{first}.index], or pass .to_numpy() to compare them by position",
                )
            shared = len(theirs & own)
            if shared and not (_counts_rows(index, other) or _counts_rows(other, index)):
                raise InputError(
                    Argument(name),
                    " and ",
                    Argument(first),
                    f" share only {shared} of {max(len(theirs), len(own))} entries of their indexes: choose the same "
                    "rows with .loc, or pass .to_numpy() to pair them by position",
                )
        unlike[name] = index


def _counts_rows(index: Any, other: Any) -> bool:
    """Whether an index counts rows from 0, as that of rows without names does, and the other one is no range."""
    return _is_range(index) and index[0] == 0 and not _is_range(other)


def _is_range(index: Any) -> bool:
    values = np.asarray(index)
    return values.dtype.kind in "iu" and bool((np.diff(values) == 1).all())


def _indexed(named: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, values in named.items():
        if isinstance(values, Column):
            yield from _indexed({values.name: values.values})
        elif isinstance(values, Mapping):
            yield from _indexed({f"{name}[{in_words(key)}]": own for key, own in values.items()})
        elif type(values).__module__.partition(".")[0] == "pandas" and hasattr(values, "index"):
            index = values.index
            if hasattr(index, "equals"):  # the index of an index is a method
                yield name, index


def _has_missing(name: str, missing: Bools, what: str) -> InputError:
    return InputError(
        Argument(name),
        f" has a missing {what} ",
        Position(int(np.argmax(missing))),
        f" ({int(missing.sum())} in all): fill it in, or pass ",
        Option("missing", "drop"),
        " to leave such instances out",
    )


def common_length(vectors: Mapping[str, Sized]) -> int:
    """Return the number of rows of labels, or of numbers; raise if it is not the same, or none."""
    first, n = next((name, len(vector)) for name, vector in vectors.items())
    for name, vector in vectors.items():
        if len(vector) != n:
            raise of_other_length(name, len(vector), first, n)
    if n == 0:
        raise InputError(Argument(first), " is empty: at least one label is needed")
    return n


def of_other_length(name: str, n: int, first: str, n_first: int) -> InputError:
    """Return the error for an input that has not one row for each row of the first."""
    what, of_first = ("rows" if own in _MATRICES else "entries" for own in (name, first))
    unit = "" if of_first == what else f" {of_first}"
    return InputError(
        Argument(name),
        f" has {n} {what}, ",
        Argument(first),
        f" has {n_first}{unit}: they must have the same length",
    )


def _scattered(labels: Labels, noisy: Bools) -> Labels:
    """Give each noise instance its own cluster, with a code after all others."""
    where = np.flatnonzero(noisy)
    codes = labels.codes.astype(np.int64) - labels.low
    codes[where] = labels.n_codes + np.arange(where.size)
    own = [f"noise {i}" for i in where]
    n_codes = labels.n_codes + where.size
    return Labels(codes, 0, n_codes, [*labels.categories, *own], labels.missing)
