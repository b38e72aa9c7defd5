"""What is asked of `evaluate`: one frozen request, checked when it is made, from Python and the command line alike."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from adjudge.errors import InputError, Option
from adjudge.given.label_options import LabelOptions
from adjudge.given.options import (
    check_choice,
    check_confidence,
    check_count,
    check_flag,
    check_known,
    check_random_state,
)
from adjudge.given.point_options import PointOptions
from adjudge.indices.catalog import is_all
from adjudge.indices.record import Index

__all__ = ["EvaluationRequest", "options_of_points", "point_options"]

#: An option of points that is not the engine's: estimate from samples of this many points.
SAMPLE = "sample_size"


@dataclass(frozen=True, kw_only=True)
class EvaluationRequest:
    """What to compute for one partition or classifier, and how.

    Attributes
    ----------
    indices : "all", str, Index, or several
    kind : {"clustering", "classification", "multilabel"}
    labels : LabelOptions
        What to do with missing labels and with noise.
    confidence : float or None
        Level of the intervals, if any are wanted.
    adjust : bool
        Whether to correct for chance.
    n_tables : int
        Tables to draw, if a null distribution is simulated.
    random_state : int, Generator, SeedSequence or None
    compat : {"clusterCrit"} or None
        Whose internal indices, if not the published ones.
    points : PointOptions
    sample_size : int or None
        Points of the samples that indices of distances are estimated from.
    progress : callable, bool or None
        Told how much is done; None and True draw a bar on a terminal.
    """

    indices: str | Index | Iterable[str | Index] = "all"
    kind: str = "clustering"
    labels: LabelOptions = field(default_factory=LabelOptions)
    confidence: float | None = None
    adjust: bool = False
    n_tables: int = 17_000
    random_state: Any = None
    compat: str | None = None
    points: PointOptions = field(default_factory=PointOptions)
    sample_size: int | None = None
    progress: Any = None

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, ("clustering", "classification", "multilabel"))
        self.labels.check_kind(self.kind)
        check_flag("adjust", self.adjust)
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
        if self.adjust and self.kind != "clustering":
            raise InputError(
                Option("adjust"),
                " corrects indices of clusterings for chance: pass ",
                Option("kind", "clustering"),
            )
        if self.sample_size is not None:
            self._check_sampling()

    def _check_sampling(self) -> None:
        if self.compat is not None:
            raise InputError(
                Option("sample_size"), " estimates the published formulas: leave ", Option("compat"), " out"
            )
        default = PointOptions()
        for name in ("checkpoint", "exact", "bins", "device", "engine"):
            if getattr(self.points, name) != getattr(default, name):
                raise InputError(
                    Option("sample_size"), " reads few of the points: leave ", Option(name), " out"
                )

    def settings(self, names: Iterable[str]) -> dict[str, Any]:
        """Return what a result says was asked for.

        Parameters
        ----------
        names : iterable of str
            Names of the indices that were computed.
        """
        default = PointOptions()
        of_points = {
            name: value
            for name in PointOptions.names()
            if (value := getattr(self.points, name)) != getattr(default, name)
            and isinstance(value, (str, int, float, bool))
        }
        return {
            "indices": "all" if is_all(self.indices) else list(names),
            "of": self.kind,
            **self.labels.settings(),
            "confidence": self.confidence,
            "adjust": self.adjust,
            "compat": self.compat,
            **of_points,
            **({} if self.sample_size is None else {SAMPLE: self.sample_size}),
        }


def point_options(
    given: dict[str, Any], owner: str, others: Iterable[str]
) -> tuple[PointOptions, dict[str, Any]]:
    """Split the keywords that a verb hands on to the points: the engine's options, and `sample_size` and `progress`.

    Parameters
    ----------
    given : dict
    owner : str
        What an error calls the verb.
    others : iterable of str
        The verb's own keywords, which an error may suggest.
    """
    check_known(given, (*others, *options_of_points()), owner)
    own = {name: value for name, value in given.items() if name in (SAMPLE, "progress")}
    return PointOptions(**{name: value for name, value in given.items() if name not in own}), own


def options_of_points() -> tuple[str, ...]:
    """Names of all options that matter for points alone."""
    return (*PointOptions.names(), SAMPLE)
