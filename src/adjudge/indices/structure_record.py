"""The records of indices that read a structure: a graph, a tree, batches, overlapping or soft clusters."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeVar

from adjudge.array_types import Floats
from adjudge.errors import InputError, InputTypeError, Option
from adjudge.given.input_kinds import Thing, needs
from adjudge.given.structures import STRUCTURES, read_structures
from adjudge.indices.record import Better, Index, Noted, best_value, maker_of
from adjudge.presentation.numbers import listed
from adjudge.statistics.joint import JointCounts
from adjudge.statistics.making import Made, lacking_of

InfluenceOf = Callable[..., Floats]
Formula = Callable[..., float | Noted]
S = TypeVar("S", bound="StructureIndex", covariant=True)


@dataclass(frozen=True, eq=False, repr=False)
class StructureIndex(Index):
    """An index of a graph, a tree, batches, overlapping or soft clusters.

    Attributes
    ----------
    influence : callable or str
        A function of the statistics in `requires` that returns the influence of each instance on the value, up to a
        constant; or the reason why there is no interval.
    chance : str
        Why there is no correction for chance; empty if exchanging the instances of one side is the null model.
    votes : str
        Why it votes in `choose`, and what it prefers nevertheless; empty if it does not vote.
    drift : str
        Why it does not vote: what it prefers whatever the data, so that candidates of different numbers of clusters
        cannot be compared.
    """

    influence: InfluenceOf | str = ""
    chance: str = ""
    votes: str = ""
    drift: str = ""

    #: The inputs that come first.
    first: ClassVar[tuple[str, ...]] = ("labels_true", "labels_pred")

    def __call__(
        self,
        *inputs: Any,
        labels_true: Any = None,
        labels_pred: Any = None,
        labels: Any = None,
        X: Any = None,
        **parameters: Any,
    ) -> float:
        """Compute the index from what :func:`adjudge.evaluate` takes; `inputs` are those it needs, in their order."""
        vectors = {"labels_true": labels_true, "labels_pred": labels_pred, "labels": labels, "X": X}
        keywords = {name: parameters.pop(name) for name in STRUCTURES if name in parameters}
        named = self._placed(inputs, {**vectors, **keywords})
        vectors = {name: named.pop(name) for name in vectors}
        given = read_structures(**vectors, keywords=named)
        missing = lacking_of(self.requires, () if given is None else given.things)
        if given is None or missing:
            raise InputError(f"{self.name} needs ", *needs(missing))
        made = Made(given.things)
        return self.assess(*(made[kind] for kind in self.requires), **parameters)[0]

    def _placed(self, inputs: Sequence[Any], named: dict[str, Any]) -> dict[str, Any]:
        """Return all inputs by name, of which some were given by position."""
        places = list(self._inputs())
        if len(inputs) > len(places):
            raise InputTypeError(
                f"{self.name}() takes {listed(places)} without names, and {len(inputs)} values were given: name the "
                "others"
            )
        for name, own in zip(places, inputs, strict=False):
            if named.get(name) is not None:
                raise InputTypeError(f"{self.name}() was given {name} twice, without a name and by name")
            named[name] = own
        return named

    def _signature(self) -> inspect.Signature:
        places = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in self._inputs()]
        options = [
            p.replace(default=self.fixed.get(p.name, p.default))
            for p in inspect.signature(self.function).parameters.values()
            if p.kind is inspect.Parameter.KEYWORD_ONLY
        ]
        return inspect.Signature(places + options, return_annotation=float)

    def _inputs(self) -> dict[str, str]:
        """Return the arguments that it needs, in their order, and what each of them is."""
        own = {thing.option: thing.words for thing in lacking_of(self.requires, ())}
        return {name: own[name] for name in sorted(own, key=self.first.__contains__, reverse=True)}

    def _input_lines(self) -> list[str]:
        return [f"{name} : {words}" for name, words in self._inputs().items()]


def check_all_read(records: Iterable[Index], at_hand: Mapping[type, Any]) -> None:
    """Raise if no index reads something that was given, which would then change nothing."""
    records = list(records)
    for kind in at_hand:
        others = [
            one
            for one, own in at_hand.items()
            if own is not at_hand[kind] and not issubclass(one, JointCounts)
        ]
        if issubclass(kind, Thing) and not any(lacking_of(record.requires, others) for record in records):
            raise InputError(
                f"none of the indices reads {kind.words} beside the other inputs: leave out ",
                Option(kind.option),
            )


class Maker(Protocol[S]):
    """The decorator that makes a record from a formula."""

    def __call__(
        self, *, title: str, better: Better | None, range: tuple[float, float], reference: str, **facts: Any
    ) -> Callable[[Formula], S]:
        """Take the facts about the index."""
        ...


def maker_of_structure(kind: type[S]) -> Maker[S]:
    """Return the decorator that makes records of a class of structure indices."""

    def decorator(
        *, title: str, better: Better | None, range: tuple[float, float], reference: str, **facts: Any
    ) -> Callable[[Formula], S]:
        best = facts.pop("best", best_value(better, range))
        facts = {"best": best, "identical_is_best": False, **facts}
        return maker_of(kind, title=title, better=better, range=range, reference=reference, **facts)

    return decorator
