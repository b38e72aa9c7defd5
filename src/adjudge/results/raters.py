"""What `evaluate` returns about several raters: how they agree as a whole, each with the others, and in pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from adjudge.presentation.plain import plain_json
from adjudge.presentation.tables import Table
from adjudge.results.evaluation import Evaluation
from adjudge.saved.savable import Savable
from adjudge.statistics.ratings import Level


@dataclass(frozen=True)
class OneRater(Savable):
    """One rater beside all others.

    Attributes
    ----------
    rater : object
    n : int
        Units that the rater and somebody else rated.
    agreement : float
        Mean share of the others' ratings of a unit that are the same.
    low, high : float or None
        Confidence interval, if requested and possible.
    alpha_without : float
        Krippendorff's alpha of the others, without this rater; nan if it is undefined.
    reason : str or None
        Why the interval is one-sided or missing.
    level : {"nominal", "ordinal", "interval"}
        Of `alpha_without`: that of the one alpha among the scores; nominal if there are several, or none.
    """

    rater: Any
    n: int
    agreement: float
    low: float | None
    high: float | None
    alpha_without: float
    reason: str | None = None
    level: Level = "nominal"


@dataclass(frozen=True)
class RaterPair(Savable):
    """Two raters.

    Attributes
    ----------
    one, other : object
    n : int
        Units that both rated.
    agreement : float
        Share of these with the same rating.
    kappa : float
        Cohen's kappa; nan if it is undefined.
    low, high : float or None
        Confidence interval of kappa, if requested and possible.
    reason : str or None
        Why kappa, or its interval, is missing.
    """

    one: Any
    other: Any
    n: int
    agreement: float
    kappa: float
    low: float | None
    high: float | None
    reason: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class RaterEvaluation(Evaluation):
    """How well several raters agree: as a whole, each with the others, and in pairs.

    ``evaluation["krippendorff_alpha"]`` is a value, as in any :class:`~adjudge.Evaluation`.

    """

    #: Rows, or functions that return them, called once they are read.
    _by_rater: Any = ()
    _pairs: Any = ()

    _gap: ClassVar[str] = "\n\n"

    @cached_property
    def by_rater(self) -> tuple[OneRater, ...]:
        """Each rater beside all others; empty of two."""
        return tuple(self._by_rater() if callable(self._by_rater) else self._by_rater)

    @cached_property
    def pairs(self) -> tuple[RaterPair, ...]:
        """Each two raters, most agreement first; empty with more than 50."""
        return tuple(self._pairs() if callable(self._pairs) else self._pairs)

    def _saved_fields(self) -> dict[str, Any]:
        return super()._saved_fields() | {"_by_rater": self.by_rater, "_pairs": self.pairs}

    def rater_table(self) -> Table:
        """One row per rater: how often the others agree, and how well these agree without this one."""
        level = self.by_rater[0].level if self.by_rater else "nominal"
        columns: dict[str, Callable[[OneRater], Any]] = {
            "rater": lambda own: str(own.rater),
            "units": lambda own: own.n,
            "agreement": lambda own: own.agreement,
            "low": lambda own: own.low,
            "high": lambda own: own.high,
            f"{level} alpha without": lambda own: own.alpha_without,
            "note": lambda own: own.reason or "",
        }
        return Table.of(self.by_rater, columns, "Each rater and the others", optional=[("low", "high")])

    def pair_table(self) -> Table:
        """One row per pair of raters: how often they agree, and Cohen's kappa."""
        columns: dict[str, Callable[[RaterPair], Any]] = {
            "rater": lambda own: str(own.one),
            "and": lambda own: str(own.other),
            "units": lambda own: own.n,
            "agreement": lambda own: own.agreement,
            "kappa": lambda own: own.kappa,
            "low": lambda own: own.low,
            "high": lambda own: own.high,
            "note": lambda own: own.reason or "",
        }
        return Table.of(self.pairs, columns, "Pairs of raters", optional=[("low", "high")])

    def tables(self) -> list[Table]:
        """Return the scores, each rater, and the pairs."""
        return [
            self.table(),
            *([self.rater_table()] if self.by_rater else []),
            *([self.pair_table()] if self.pairs else []),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON: the scores, each rater, and the pairs."""
        parts = {"by_rater": self.by_rater, "pairs": self.pairs}
        return super().to_dict() | {
            name: [plain_json(dict(vars(row))) for row in rows] for name, rows in parts.items()
        }
