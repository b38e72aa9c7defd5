"""A request to `evaluate`, checked when it is made and then frozen; Python and the command line share it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from inspect import signature
from typing import Any, Literal, get_args

from adjudge.errors import InputError, Option
from adjudge.given.gower import GOWER
from adjudge.given.label_options import LabelOptions
from adjudge.given.options import (
    check_choice,
    check_confidence,
    check_count,
    check_flag,
    check_random_state,
)
from adjudge.given.point_options import PointOptions
from adjudge.given.scaling import Scaling
from adjudge.indices.catalog import select_indices, split_keywords
from adjudge.indices.kinds import Kind
from adjudge.indices.record import Index
from adjudge.results.differences import GROUP_CORRECTIONS
from adjudge.unknown_names import check_known
from adjudge.usual_seed import USUAL_SEED

__all__ = [
    "ENDS",
    "USUAL_POINTS",
    "EvaluationRequest",
    "KindOfData",
    "changed_options",
    "named_options",
    "options_of_points",
    "point_options",
]

#: The options for points that nobody changed.
USUAL_POINTS = PointOptions()

#: What labels may be.
KindOfData = Literal[
    "clustering", "classification", "multilabel", "regression", "overlapping", "raters", "values"
]
NAMES_OF_KINDS: tuple[KindOfData, ...] = get_args(KindOfData)
#: Which end of numbers may be better.
ENDS = ("higher", "lower")
#: An option for points that engines do not know: estimate from samples of this many points.
SAMPLE = "sample_size"


@dataclass(frozen=True, kw_only=True)
class EvaluationRequest:
    """What to compute for one partition or classifier, and how.

    Attributes
    ----------
    indices : "default", "all", str, Index, or several
    kind : {"clustering", "classification", "multilabel", "regression", "overlapping", "raters", "values"} or None
        None if the labels decide.
    labels : LabelOptions
        What to do with missing labels and with noise.
    confidence : float or None
        Level of the intervals; None for no intervals.
    adjust : bool
        Whether to correct for chance.
    n_tables : int or None
        Tables to draw if a null distribution is simulated; None for as many as time allows.
    random_state : int, Generator, SeedSequence or None
        The same seed is usual in Python and in the shell.
    compat : {"clusterCrit"} or None
        The program whose definitions of internal indices to use; None for the published formulas.
    points : PointOptions
    scaling : {"standard", "robust", "log"} or None
        How the columns of points are brought to one scale.
    sample_size : int or None
        Size of the samples from which distance-based indices are estimated.
    primary : str, Index or None
        Of a comparison: the score that is tested alone, and shown first.
    better : {"higher", "lower"} or None
        Which end of numbers is better.
    groups_correction : {"holm", "fdr"}
        Correction of the tests of groups.
    may_be_classes : bool
        Whether labels that are judged as clusters, because nothing tells what they are, may be classes.
    progress : callable, bool or None
        Called with the progress; None and True show a bar on a terminal.
    """

    indices: str | Index | Iterable[str | Index] = "default"
    kind: str | None = None
    labels: LabelOptions = field(default_factory=LabelOptions)
    confidence: float | None = None
    adjust: bool = False
    n_tables: int | None = None
    random_state: Any = USUAL_SEED
    compat: str | None = None
    points: PointOptions = USUAL_POINTS
    scaling: Scaling | None = None
    sample_size: int | None = None
    primary: str | Index | None = None
    better: Literal["higher", "lower"] | None = None
    groups_correction: str = "holm"
    may_be_classes: bool = False
    progress: Any = None
    #: Cache of the chosen indices, by the available inputs: one request may judge many partitions.
    chosen: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.kind is not None:
            check_choice("kind", self.kind, NAMES_OF_KINDS)
        if self.better is not None:
            check_choice("better", self.better, ENDS)
        if isinstance(self.indices, Iterator):  # it is read more than once
            object.__setattr__(self, "indices", list(self.indices))
        check_flag("adjust", self.adjust)
        check_choice("groups_correction", self.groups_correction, tuple(GROUP_CORRECTIONS))
        if self.n_tables is not None:
            check_count("n_tables", self.n_tables)
        check_random_state(self.random_state)
        if self.confidence is not None:
            check_confidence(self.confidence)
        if self.compat is not None:
            check_choice("compat", self.compat, ("clusterCrit",))
            if self.confidence is not None:
                raise InputError(
                    Option("confidence"),
                    " has intervals only for the published formulas: leave ",
                    Option("compat"),
                    " out",
                )
        if self.scaling is not None and self.points.metric in (GOWER, "precomputed"):
            why = (
                "is not for Gower's distance, which divides by ranges"
                if self.points.metric == GOWER
                else ("scales coordinates, and these are distances")
            )
            raise InputError(Option("standardize"), f" {why}: leave it out")
        if self.sample_size is not None:
            self._check_sampling()

    @property
    def roles(self) -> list[str]:
        """The options that not every kind reads, if they are given."""
        given = (
            ("noise", self.labels.noise is not None and self.labels.treats_noise),
            ("missing", self.labels.missing != "raise" and self.labels.drops_missing),
            ("adjust", self.adjust),
            ("n_tables", self.n_tables is not None),
            ("random_state", self.random_state is not USUAL_SEED),
            ("compat", self.compat is not None),
            (SAMPLE, self.sample_size is not None),
        )
        return [*[name for name, is_given in given if is_given], *self._changed_points]

    @property
    def _changed_points(self) -> list[str]:
        """The options for points that are not the usual ones."""
        if self.points == USUAL_POINTS:
            return []
        return [
            name for name in PointOptions.names() if getattr(self.points, name) != getattr(USUAL_POINTS, name)
        ]

    @cached_property
    def _keyword(self) -> str:
        """Return "all" or "default" if it was requested alone, else ""."""
        keywords, named = split_keywords(self.indices)
        return keywords[0] if len(keywords) == 1 and not named else ""

    def _check_sampling(self) -> None:
        if self.compat is not None:
            raise InputError(
                Option("sample_size"), " estimates the published formulas: leave ", Option("compat"), " out"
            )
        for name in ("checkpoint", "exact", "bins", "device", "engine"):
            if getattr(self.points, name) != getattr(USUAL_POINTS, name):
                raise InputError(
                    Option("sample_size"), " reads few of the points: leave ", Option(name), " out"
                )

    def primary_first(self, chosen: list[Index], kinds: tuple[Kind, ...]) -> list[Index]:
        """Return the scores of a comparison with the primary one first.

        Raises
        ------
        InputError
            If it is not among them, or if neither of its ends is better.
        """
        if self.primary is None:
            return chosen
        if not isinstance(self.primary, (str, Index)):
            raise InputError(Option("primary", self.primary), ": name one score")
        record, *more = select_indices(self.primary, kinds)
        shown = ", ".join(own.name for own in chosen)
        if more:
            raise InputError(
                Option("primary", self.primary), f" stands for several scores: name one of {shown}"
            )
        if record not in chosen:
            raise InputError(
                Option("primary", record.name),
                f" is not among the scores that are shown ({shown}): name it in ",
                Option("indices"),
                " as well",
            )
        if record.better is None:
            raise InputError(
                Option("primary", record.name),
                " is better neither if higher nor if lower: name another score",
            )
        return [record, *(own for own in chosen if own is not record)]

    def settings_of_tests(self, chosen: Sequence[Index]) -> dict[str, Any]:
        """Return the settings of a comparison's tests that are not the usual ones; the primary score comes first."""
        own = {} if self.primary is None else {"primary": chosen[0].name}
        return own | self.settings_of_groups()

    def settings_of_groups(self) -> dict[str, Any]:
        """Return the correction of the tests of groups, if it is not the usual one."""
        return {} if self.groups_correction == "holm" else {"groups_correction": self.groups_correction}

    def check_groups(self, groups: Any, *, needs_confidence: bool = False) -> None:
        """Raise if a correction of the tests of groups has none to correct."""
        if self.groups_correction == "holm":
            return
        lacking = "groups" if groups is None else "confidence"
        if groups is None or (needs_confidence and self.confidence is None):
            raise InputError(
                Option("groups_correction", self.groups_correction),
                " corrects the tests of groups: give ",
                Option(lacking),
                " as well",
            )

    def settings(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the settings as a result shows them.

        Parameters
        ----------
        names : iterable of str
            Names of the indices that were computed.
        """
        of_points = {
            name: value
            for name in self._changed_points
            if isinstance(value := getattr(self.points, name), (str, int, float, bool))
        }
        return {
            "indices": self._keyword or list(names),
            "of": self.kind or "clustering",
            **self.labels.settings(),
            "confidence": self.confidence,
            "adjust": self.adjust,
            "compat": self.compat,
            **self.settings_of_groups(),
            **of_points,
            **({} if self.sample_size is None else {SAMPLE: self.sample_size}),
        }


@cache
def _defaults(verb: Callable[..., Any]) -> dict[str, Any]:
    return {name: parameter.default for name, parameter in signature(verb).parameters.items()}


def named_options(verb: Callable[..., Any]) -> list[str]:
    """Return the parameters that a verb names."""
    return [own.name for own in signature(verb).parameters.values() if own.kind is not own.VAR_KEYWORD]


def changed_options(verb: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the named parameters of a verb that differ from their defaults.

    Parameters
    ----------
    verb : callable
    given : mapping of str to object
        What it was called with; other names are left out.
    """
    defaults = _defaults(verb)
    known = {name: value for name, value in given.items() if name in defaults and name != "options"}
    return {name: value for name, value in known.items() if value is not defaults[name]}


def point_options(given: dict[str, Any], others: Iterable[str]) -> tuple[PointOptions, dict[str, Any]]:
    """Split keywords of `evaluate` for points into the engine's options, and `sample_size` and `progress`.

    Parameters
    ----------
    given : dict
    others : iterable of str
        Other keywords of the verb, which an error may suggest.
    """
    if not given:
        return USUAL_POINTS, {}
    check_known(given, (*others, *options_of_points()), "evaluate()")
    own = {name: value for name, value in given.items() if name in (SAMPLE, "progress")}
    return PointOptions(**{name: value for name, value in given.items() if name not in own}), own


def options_of_points() -> tuple[str, ...]:
    """Return the names of all options that matter only for points."""
    return (*PointOptions.names(), SAMPLE)
