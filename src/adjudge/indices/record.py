"""The record of an index: its formula and every fact about it, each stated once.

An index is a pure function of one or more statistics, which the annotations of its parameters name. The modules
``*_record`` have a class for each kind of input, and a decorator that returns a frozen record without registering it:
:mod:`adjudge.indices.catalog` builds the catalog.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import math
import re
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, Literal, Self, TypeVar

import numpy as np

from adjudge.array_types import Floats
from adjudge.errors import AdjudgeError, InputError, InputTypeError, Option, UndefinedStatisticError
from adjudge.given.options import check_choice
from adjudge.indices.kinds import Kind
from adjudge.indices.notation import explained, plain
from adjudge.indices.parameter_meanings import meaning_of
from adjudge.indices.references import REFERENCES
from adjudge.indices.rules import PartitionRule
from adjudge.presentation.numbers import range_text
from adjudge.presentation.tables import Table
from adjudge.unknown_names import check_known

inf = math.inf

Better = Literal["higher", "lower"]
R = TypeVar("R", bound="Index")

# Where the examples of a formula begin, with or without a heading.
_EXAMPLES = re.compile(r"\n+Examples\n-+\n|\n\n(?=>>> )")
# Facts that a variant of an index does not inherit.
_OF_ITS_OWN: Mapping[str, Any] = {"aliases": (), "peers": {}, "default": "", "default_k": ""}


@cache
def _advice() -> Mapping[str, str]:
    """Read what ``studies/which_index.py`` found, by index."""
    from importlib.resources import files  # slow to import, and seldom needed

    text = (files("adjudge.indices") / "advice.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


@dataclass(frozen=True, slots=True)
class Noted:
    """A value that needs an explanation: undefined (nan) or infinite, and why."""

    value: float
    reason: str


def quotient(numerator: float, denominator: float, reason: str) -> float | Noted:
    """Divide; 0/0 is undefined and c/0 is infinite, both with the reason why the denominator is 0.

    Parameters
    ----------
    numerator, denominator : float or int
        Python integers of any size are divided exactly and rounded once.
    reason : str
        Why the denominator is 0, if it is.

    Returns
    -------
    float or Noted

    Examples
    --------
    >>> from adjudge.indices import quotient
    >>> quotient(1, 4, "there is one instance"), quotient(0, 0, "there is one instance").reason
    (0.25, '0/0: there is one instance')
    """
    if isinstance(denominator, np.ndarray):  # of several populations
        return numerator / denominator
    if denominator != 0:
        return numerator / denominator
    if numerator == 0 or math.isnan(numerator):
        return Noted(math.nan, f"0/0: {reason}")
    return Noted(math.copysign(inf, numerator), f"division by zero: {reason}")


class _Documentation:
    """The docstring of a class of indices, or, for one of its records, one generated from it."""

    def __init__(self, of_the_class: str | None) -> None:
        self.of_the_class = of_the_class

    def __get__(self, record: Index | None, owner: type[Index]) -> str | None:
        return self.of_the_class if record is None else record._documentation()


@dataclass(frozen=True, eq=False)
class Index:
    """One index: what it computes, from what, and how to interpret it.

    Attributes
    ----------
    name : str
        Canonical name, a Python identifier.
    title : str
        Name as written in the literature.
    function : callable
        The formula, a pure function of the statistics in `requires`.
    requires : tuple of type
        The statistics that the formula reads, in order.
    better : {"higher", "lower"} or None
        Direction of a better value; None if neither end is better.
    range : tuple of float
        Smallest and largest possible value.
    reference : str
        Key into :data:`adjudge.indices.references.REFERENCES`, or the reference itself.
    formula : str
        LaTeX.
    symbols : mapping of str to str
        The meaning of symbols of this formula; see :mod:`adjudge.indices.notation`.
    best : float or None
        Value for perfect agreement; None if there is no fixed one.
    identical_is_best : bool
        Whether two identical partitions reach `best` wherever the index is defined.
    identical_is_defined : bool
        Whether it is always defined for two identical partitions.
    symmetric : bool
        Whether truth and prediction may be swapped, of classifiers if both have the same labels.
    best_k : {"max", "min", "max_diff", "min_diff"} or None
        Rule that chooses the number of clusters (internal indices).
    undefined : str
        When the value is nan or infinite.
    aliases : tuple of str
        Other names by which it is found.
    peers : mapping of str to tuple of str
        Names of the same quantity in other programs (these are aliases too); a single name may be given as str.
    note : str
        Whose definition is used if programs differ, and other caveats.
    family : str
        Indices of one family rank partitions in the same way, or nearly.
    variant_of : str or None
        Name of the index that this is a variant of, with fixed parameters.
    fixed : mapping
        Those parameters.
    asks : str
        What the index asks, if `question` cannot infer it from the other facts.
    default : str
        Why it is computed by default; empty if it is not.
    default_k : str
        Why `choose_k` shows it by default; empty if it does not.
    reads_order : bool
        Whether it depends on the order of the classes, so that it is undefined if that is not known.
    labels_are : str
        What its labels are, if they are no clusters: "all" leaves such an index out.
    range_of_two : tuple of float or None
        The range for two classes, if it is another.
    mean_of : {"", "instances", "one class", "all but one class", "classes", "classes that occur"}
        What it is a plain mean of, if it is one: whether each instance is right, or each of the positive class, or of
        the others (wrong, if lower is better); or a score of each class, perhaps only of those that occur in the truth.
    with_n : {"", "grows", "settles"}
        How it changes with the number of instances: it grows with it, or settles at a limit; empty if that is open.
    reads_extreme : {"", "nearest", "farthest"}
        Whether it divides by the distance of the nearest centroids, or reads that of the farthest.
    ratio_of : tuple of str
        Two measures of a class of which it is the ratio, or whose odds, if it is one; it may be any number from 0 on.
    of_odds : bool
        Whether it is the ratio of their odds.
    elementwise : bool
        Whether the formula also takes counts of several populations, in arrays whose last axis they are along, and
        returns an array of their values: its slopes take one call.
    reads_outside : bool
        Whether it asks which answers name no class of the truth.
    over_constants : {"", "largest", "smallest"}
        Whether it is the largest, or the smallest, of the values that it has with each class as `constant`.
    meaning : str
        What it means, in a sentence; default: the first line of the formula's docstring.
    no_interval : str
        Why it has no confidence interval: the rule of :mod:`adjudge.inference.refusals`.
    """

    name: str
    title: str
    function: Callable[..., float | Noted]
    requires: tuple[type, ...]
    better: Better | None
    range: tuple[float, float]
    reference: str
    formula: str = ""
    symbols: Mapping[str, str] = field(default_factory=dict)
    best: float | None = None
    identical_is_best: bool = True
    identical_is_defined: bool = True
    symmetric: bool = False
    best_k: PartitionRule | None = None
    undefined: str = ""
    aliases: tuple[str, ...] = ()
    peers: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    family: str = ""
    variant_of: str | None = None
    fixed: Mapping[str, Any] = field(default_factory=dict)
    asks: str = ""
    default: str = ""
    default_k: str = ""
    reads_order: bool = False
    labels_are: str = ""
    range_of_two: tuple[float, float] | None = None
    mean_of: str = ""
    with_n: str = ""
    reads_extreme: str = ""
    ratio_of: tuple[str, ...] = ()
    of_odds: bool = False
    elementwise: bool = False
    reads_outside: bool = False
    over_constants: str = ""
    meaning: str = ""
    no_interval: str = ""

    kind: typing.ClassVar[Kind]
    #: Saved results name every index by this, whatever its class.
    _saved_as: typing.ClassVar[str] = "restored_index"

    def _saved_fields(self) -> dict[str, Any]:
        """Return what a saved result keeps: the name, and the meaning of values if the index is missing on loading."""
        names = ("name", "title", "better", "range", "reference", "note", "variant_of")
        return {"kind": self.kind, "asks": self.question, **{name: getattr(self, name) for name in names}}

    def __init_subclass__(cls) -> None:
        cls.__doc__ = _Documentation(cls.__doc__)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        peers = {
            program: (names,) if isinstance(names, str) else names for program, names in self.peers.items()
        }
        object.__setattr__(self, "peers", peers)
        object.__setattr__(self, "__name__", self.name)
        object.__setattr__(self, "__signature__", self._signature())

    def __repr__(self) -> str:
        return f"<{self.kind} index {self.name}: {self.title}>"

    def _repr_html_(self) -> str:
        from adjudge.presentation import notebook

        facts = {
            "": self.summary,
            "advice": self.advice,
            "formula": f"${self.formula}$" if self.formula else "",
            "kind": self.kind,
            "range": range_text(*self.range),
            "better": self.better or "",
            "best K by": (self.best_k or "").replace("_", " "),
            "undefined": self.undefined,
            "parameters": ", ".join(f"{name}={value!r}" for name, value in self.parameters.items()),
            "also called": ", ".join(
                dict.fromkeys((*self.aliases, *(name for _, name in self.names_elsewhere)))
            ),
            "reference": self.citation,
            "note": self.note,
        }
        rows = tuple((fact, text) for fact, text in facts.items() if text)
        return notebook.fragment(notebook.table(Table((self.name, self.title), rows)))

    @property
    def summary(self) -> str:
        """The meaning in one sentence."""
        return self.meaning or (inspect.getdoc(self.function) or "").split("\n", 1)[0]

    @property
    def advice(self) -> str:
        """What a study found the index to reward, in one sentence; empty if no study tried it."""
        return _advice().get(self.name, "")

    @property
    def question(self) -> str:
        """What the index asks, such as "agreement" or "separation": its heading in tables."""
        return self.asks or self._asked()

    def _asked(self) -> str:
        return self.kind

    @property
    def citation(self) -> str:
        """The reference in full."""
        return REFERENCES.get(self.reference, self.reference)

    @property
    def notation(self) -> dict[str, str]:
        """Symbols of the formula in LaTeX, and what they stand for."""
        return explained(self.formula, self.kind, self.symbols)

    @property
    def has_perfect_value(self) -> bool:
        """Whether there is a best value to adjust to; for mutual information, it is an average of the entropies."""
        return (self.best is not None and math.isfinite(self.best)) or self.name == "mutual_information"

    @property
    def names_elsewhere(self) -> list[tuple[str, str]]:
        """Each program that has the same quantity, with each of its names for it."""
        return [(program, name) for program, names in self.peers.items() for name in names]

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """Keyword parameters of the formula and their defaults."""
        found = {
            p.name: p.default
            for p in inspect.signature(self.function).parameters.values()
            if p.kind is inspect.Parameter.KEYWORD_ONLY
        }
        return {**found, **self.fixed}

    def check_choices(self, parameters: Mapping[str, Any]) -> None:
        """Raise for what is not one of the texts that a parameter takes."""
        hints = typing.get_type_hints(self.function) if parameters else {}
        for name, value in parameters.items():
            choices = typing.get_args(hints[name]) if typing.get_origin(hints.get(name)) is Literal else ()
            if choices and all(isinstance(choice, str) for choice in choices):
                check_choice(name, value, choices)

    @property
    def reads_of_partition(self) -> frozenset[type]:
        """Statistics of a single partition that it reads."""
        return frozenset(self.requires)

    @property
    def parameters_of_names(self) -> tuple[str, ...]:
        """Parameters that its name may have in brackets, besides those of the formula."""
        return ()

    @property
    def is_over_constants(self) -> bool:
        """Whether no class is named as `constant`, so that it is the most extreme value over all."""
        return bool(self.over_constants) and self.fixed.get("constant") is None

    @property
    def leaves_noise_out(self) -> bool:
        """Whether its definition accounts for noise, which it then leaves out by default."""
        return any(getattr(statistic, "leaves_noise_out", False) for statistic in self.requires)

    @property
    def counts_units(self) -> bool:
        """Whether each unit counts once, however many rows it has."""
        return any(getattr(statistic, "counts_units", False) for statistic in self.requires)

    @property
    def knows_noise(self) -> bool:
        """Whether its definition accounts for noise, be it left out or judged."""
        return self.leaves_noise_out or any(getattr(one, "reads_noise", False) for one in self.requires)

    def assess(self, *statistics: Any, **parameters: Any) -> tuple[float, str | None]:
        """Return the value, and the reason if it is undefined or infinite (else None).

        The value is ``nan`` if the index is undefined.
        """
        if parameters and not parameters.keys() <= self.parameters.keys():
            self._refuse(parameters)
        try:
            result = self.function(*statistics, **{**self.fixed, **parameters})
            if isinstance(result, Noted):
                return float(result.value), result.reason
            value = float(result)
        except UndefinedStatisticError as error:
            return math.nan, str(error)
        except AdjudgeError:
            raise
        except Exception as error:
            # Users may have their own formulas: a "division by zero" does not say where to look.
            error.add_note(f"in the formula of the index {self.name!r}")
            raise
        return value, "too large for floating point" if math.isinf(value) else None

    def of_several(self, *statistics: Any, **parameters: Any) -> Floats:
        """Return the values of an elementwise index for several populations; nan or infinite where undefined."""
        with np.errstate(divide="ignore", invalid="ignore"):
            found: Any = self.function(*statistics, **{**self.fixed, **parameters})
        return np.asarray(found, np.float64)

    def _refuse(self, parameters: Mapping[str, Any]) -> None:
        """Raise an error for an unknown parameter."""
        of_call = inspect.signature(self.__call__).parameters.values()
        options = [p.name for p in of_call if p.kind is inspect.Parameter.KEYWORD_ONLY]
        check_known(parameters, [*self.parameters, *options], f"{self.name}()")

    def of(self, *statistics: Any, **parameters: Any) -> float:
        """Return the value from the statistics in `requires`, which are all that the formula reads."""
        if len(statistics) != len(self.requires) or not all(
            isinstance(s, t) for s, t in zip(statistics, self.requires, strict=True)
        ):
            wanted = ", ".join(t.__name__ for t in self.requires)
            given = ", ".join(type(s).__name__ for s in statistics) or "nothing"
            raise InputTypeError(f"{self.name}.of takes {wanted}; it was given {given}")
        return self.assess(*statistics, **parameters)[0]

    def variant(self, name: str, *, title: str, fixed: Mapping[str, Any], **changes: Any) -> Self:
        """Return the same index with some parameters fixed, under another name."""
        return dataclasses.replace(
            self,
            name=name,
            title=title,
            fixed={**self.fixed, **fixed},
            variant_of=self.variant_of or self.name,
            **{
                **_OF_ITS_OWN,
                **({"symbols": {}} if "formula" in changes else {}),
                **changes,
            },
        )

    def _signature(self) -> inspect.Signature:
        options = [
            p.replace(default=self.fixed.get(p.name, p.default))
            for p in inspect.signature(self.function).parameters.values()
            if p.kind is inspect.Parameter.KEYWORD_ONLY
        ]
        own = [p for p in inspect.signature(type(self).__call__).parameters.values() if p.name != "self"]
        fixed_part = [p for p in own if p.kind is not inspect.Parameter.VAR_KEYWORD]
        return inspect.Signature(fixed_part + options, return_annotation=float)

    def _documentation(self) -> str:
        body = _EXAMPLES.split(inspect.getdoc(self.function) or "", maxsplit=1)[0]
        head, _, rest = body.partition("\n")
        head = self.meaning or head
        facts = [f"Range {range_text(*self.range)}"]
        if self.better:
            facts.append(f"{self.better} is better")
        if self.best_k:
            facts.append(f"best K by {self.best_k.replace('_', ' ')}")
        lines = [head, "", "; ".join(facts) + "."]
        if rest.strip():
            lines += ["", rest.strip()]
        if self.undefined:
            lines += ["", "Undefined (nan, with a reason): " + self.undefined]
        if self.note:
            lines += ["", self.note]
        lines += ["", *self._parameter_lines(), "", "Returns", "-------", "float", "    The value."]
        if self.formula:
            lines += ["", "Notes", "-----", ".. math:: " + self.formula, ""]
            lines += [f"- ``{plain(symbol)}``: {meaning}" for symbol, meaning in self.notation.items()]
        others = [f"{program}: ``{name}``" for program, name in self.names_elsewhere]
        if others:
            lines += ["", "Elsewhere: " + ", ".join(others) + "."]
        lines += ["", "References", "----------", REFERENCES.get(self.reference, self.reference)]
        if self.example and not self.fixed:
            lines += ["", "Examples", "--------", self.example]
        return "\n".join(lines) + "\n"

    @property
    def example(self) -> str:
        """The calls at the end of the formula's documentation, and what they return; empty if there are none."""
        body = inspect.getdoc(self.function) or ""
        found = _EXAMPLES.search(body)
        if found is None:
            return ""
        calls = body[found.end() :].strip()
        name = self.function.__name__
        is_known = name not in calls or re.search(rf"import .*\b{name}\b", calls)
        return calls if is_known else f">>> from adjudge import {name}\n{calls}"

    def _parameter_lines(self) -> list[str]:
        return [
            "Parameters",
            "----------",
            *self._input_lines(),
            *(line for name in self.parameters for line in self._lines_on(name)),
        ]

    def _lines_on(self, parameter: str) -> list[str]:
        meaning = meaning_of(parameter, self.function.__name__)
        lines = [f"{parameter} : default {self.parameters[parameter]!r}", f"    {meaning}"]
        return lines if meaning else lines[:1]

    def _input_lines(self) -> list[str]:
        raise NotImplementedError

    def __call__(self, *args: Any, **kwargs: Any) -> float:
        """Compute the index from raw inputs."""
        raise NotImplementedError


def statistics_read(formula: Callable[..., Any]) -> tuple[type, ...]:
    """Return the statistics that a formula needs, from the annotations of its positional parameters."""
    hints = typing.get_type_hints(formula)
    positional = [
        p.name
        for p in inspect.signature(formula).parameters.values()
        if p.kind is not inspect.Parameter.KEYWORD_ONLY
    ]
    for name in positional:
        if name not in hints:
            raise InputTypeError(
                f"{formula.__name__}(): annotate {name!r} with the statistic that the index is computed from, "
                f"such as {name}: PairCounts"
            )
    return tuple(hints[name] for name in positional)


def best_value(better: Better | None, range: tuple[float, float]) -> float | None:
    """Return the better end of the range."""
    if better not in ("higher", "lower", None):
        raise InputError(Option("better", better), " is not known: choose 'higher', 'lower' or None")
    if not (len(range) == 2 and range[0] <= range[1]):
        raise InputError(Option("range", range), ": give the smallest and the largest value, such as (0, 1)")
    return {"higher": range[1], "lower": range[0], None: None}[better]


def maker_of(kind: type[R], **facts: Any) -> Callable[[Callable[..., Any]], R]:
    """Return a decorator that makes the record of a formula; name and statistics come from the formula unless given."""

    def decorate(formula: Callable[..., Any]) -> R:
        check_known(facts, [known.name for known in dataclasses.fields(kind)], f"{kind.kind}()")
        read = facts.get("requires") or statistics_read(formula)
        return kind(**{"name": formula.__name__, "function": formula, **facts, "requires": read})

    return decorate
