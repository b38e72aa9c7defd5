"""Constructors that call a verb: what is given goes to the verb, and `from_result` reads what it returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, Signature, signature
from typing import Any, TypeVar

from adjudge.displays._estimators import estimator_name, labels_by
from adjudge.displays._given import as_mapping
from adjudge.exported import public_object

D = TypeVar("D")
#: Arguments of a verb, and options.
Call = tuple[tuple[Any, ...], dict[str, Any]]


class Maker:
    """A constructor by a verb, in the place of a class method.

    It has the parameters of the verb, and those of the class's `from_result` that the verb does not have.

    Parameters
    ----------
    verb : str
        Its public name, such as "compare".
    says : str
        What the constructor does.
    reads : callable, optional
        Makes the arguments of the verb from what is given in their place, such as a fitted estimator.
    **defaults
        Options of the verb that have another default here.
    """

    def __init__(
        self, verb: str, says: str, reads: Callable[..., Call] | None = None, **defaults: Any
    ) -> None:
        self.verb, self.says, self.reads, self.defaults = verb, says, reads, defaults

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: type[D]) -> Callable[..., D]:
        verb, kind = public_object(self.verb), owner
        reader: Callable[..., D] = kind.from_result  # type: ignore[attr-defined]
        of_verb = signature(verb).parameters
        _, *read_by = signature(reader).parameters.values()
        own = {p.name: p for p in read_by if p.name not in of_verb and p.kind is not Parameter.VAR_KEYWORD}

        def make(*given: Any, **options: Any) -> D:
            if self.reads is not None:
                first = signature(self.reads)
                named = {name: options.pop(name) for name in first.parameters if name in options}
                try:
                    first.bind(*given, **named)
                except TypeError as error:
                    raise TypeError(f"{make.__qualname__}(): {error}") from None
                given, made = self.reads(*given, **named)
                options = made | options
            read = {name: options.pop(name) for name in own if name in options}
            return reader(verb(*given, **{**self.defaults, **options}), **read)

        make.__name__, make.__qualname__ = self.name, f"{owner.__name__}.{self.name}"
        make.__signature__ = self._signature(of_verb, own)  # type: ignore[attr-defined]
        more = f"; {', '.join(f'`{name}`' for name in own)} as for :meth:`from_result`" if own else ""
        make.__doc__ = f"{self.says}\n\nOptions are those of :func:`adjudge.{self.verb}`{more}."
        return make

    def _signature(self, of_verb: Mapping[str, Parameter], parameters: Mapping[str, Parameter]) -> Signature:
        options = [
            p.replace(default=self.defaults.get(p.name, p.default))
            for p in of_verb.values()
            if p.kind is Parameter.KEYWORD_ONLY
        ]
        others = [p for p in of_verb.values() if p.kind is Parameter.VAR_KEYWORD]
        first = of_verb if self.reads is None else signature(self.reads).parameters
        placed = [p for p in first.values() if p.kind is Parameter.POSITIONAL_OR_KEYWORD]
        beside = () if self.reads is None else [p for p in first.values() if p not in placed]
        named = {
            p.name: p
            for p in (*options, *parameters.values(), *beside)
            if p.name not in {q.name for q in placed}
        }
        return Signature([*placed, *named.values(), *others])


def estimators_and_truth(estimators: Any, X: Any, y: Any) -> Call:
    """Take what several fitted estimators say of data, by name."""
    named = as_mapping("estimators", estimators)
    return (y, {name: labels_by(own, X) for name, own in named.items()}), {}


def estimator_and_truth(estimator: Any, X: Any, y: Any) -> Call:
    """Take what a fitted estimator says of data."""
    return (y, labels_by(estimator, X)), {"name": estimator_name(estimator)}


def two_models(
    labels_true: Any, primary: Any, alternative: Any, *, names: tuple[str, str] = ("primary", "alternative")
) -> Call:
    """Name two models."""
    return (labels_true, dict(zip(names, (primary, alternative), strict=True))), {}


def two_estimators(
    primary: Any, alternative: Any, X: Any, y: Any, *, names: tuple[str, str] | None = None
) -> Call:
    """Take what two fitted estimators say of data; they are called by their classes unless they have names."""
    called = names or (estimator_name(primary), estimator_name(alternative))
    return two_models(y, labels_by(primary, X), labels_by(alternative, X), names=called)


def among_settings(estimator: Any, X: Any) -> Call:
    """Take an estimator whose settings are to be compared."""
    return (X, estimator), {}
