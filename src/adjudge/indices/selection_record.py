"""The record of a criterion for the number of clusters that uses a whole sweep over K.

A record's function returns the value at each K for which it is defined, with a critical value if it is a test;
`rule` says which K it votes for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from adjudge.errors import Call, InputTypeError, Option
from adjudge.indices.internal_record import neighbours_read
from adjudge.indices.kinds import Kind
from adjudge.indices.record import Better, Index, Noted, maker_of
from adjudge.indices.rules import RULES
from adjudge.statistics.sweep import Sweep


@dataclass(frozen=True, slots=True)
class Compared:
    """A value and the critical value that it is compared with."""

    value: float
    critical: float


Value = float | Noted | Compared


@dataclass(frozen=True, eq=False, repr=False)
class SelectionIndex(Index):
    """A criterion for the number of clusters that is not defined for a single partition.

    Attributes
    ----------
    rule : str
        Which K it votes for; a key of :data:`adjudge.indices.rules.RULES`.
    reads : tuple of type
        Statistics of each partition that it uses from the sweep.
    neighbours : tuple of int
        Other partitions it uses besides the one into K clusters, as differences from K.
    hierarchical : bool
        Whether the partitions must be levels of a hierarchy.
    """

    rule: str = "max"
    reads: tuple[type, ...] = ()
    neighbours: tuple[int, ...] = ()
    hierarchical: bool = False

    kind: ClassVar[Kind] = "selection"

    @property
    def reads_of_partition(self) -> frozenset[type]:
        """Statistics of a single partition that it reads."""
        return frozenset(self.reads)

    def __call__(self, X: Any, labels: Any, **parameters: Any) -> Any:
        """Compute the values for given partitions, ``{K: labels}``; returns a dictionary by K."""
        from adjudge.engines.labellings import sweep_of_labels

        if self.requires != (Sweep,):
            raise InputTypeError(
                f"{self.name} is not a function of labels: use ",
                Call("choose_k"),
                " with ",
                Option("indices", self.name),
            )
        sweep = sweep_of_labels(
            X, labels, self.reads, self.neighbours, parameters.get("n_neighbors", neighbours_read([self]))
        )
        return {k: _plain(v) for k, v in self.over(sweep, **parameters).items()}

    def over(self, statistic: Any, **parameters: Any) -> Mapping[int, Value]:
        """Return values, reasons and critical values by K."""
        found: Any = self.function(statistic, **{**self.fixed, **parameters})
        values: Mapping[int, Value] = found
        return values

    def _documentation(self) -> str:
        return (
            super()
            ._documentation()
            .replace("float\n    The value.", "dict of int to float\n    The value by K.")
        )

    def _input_lines(self) -> list[str]:
        return [
            "X : array-like of shape (n, p)",
            "    Points, one a row.",
            "labels : mapping of int to array-like of shape (n,)",
            "    Partitions by their numbers of clusters.",
        ]


def _plain(value: Value) -> float:
    return float(value.value) if isinstance(value, (Noted, Compared)) else float(value)


def selection(
    *,
    title: str,
    better: Better | None,
    range: tuple[float, float],
    rule: str,
    reference: str,
    requires: type = Sweep,
    **facts: Any,
) -> Callable[[Callable[..., Mapping[int, Value]]], SelectionIndex]:
    """Make the record of a criterion over a sweep from its formula."""
    facts["note"] = " ".join(filter(None, (f"Votes for {RULES[rule].words}.", facts.get("note"))))
    return maker_of(
        SelectionIndex,
        title=title,
        requires=(requires,),
        better=better,
        range=range,
        reference=reference,
        rule=rule,
        identical_is_best=False,
        **facts,
    )
