"""Forecast probabilities, and how often they came true."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Floats
from adjudge.errors import InputError, Option
from adjudge.given.options import check_choice, check_confidence, check_count
from adjudge.inference.common.proportions import clopper_pearson, normal_quantile, wilson
from adjudge.presentation.equal_by_content import ByValue
from adjudge.presentation.plain import plain_json
from adjudge.presentation.tables import Table
from adjudge.results.score_curve import ScoreCurve
from adjudge.statistics.curve_steps import CurveSteps
from adjudge.statistics.forecasts import Forecasts, ProbabilityForecasts, read_forecasts
from adjudge.statistics.ranked_scores import CalibratedScores, RankedScores
from adjudge.statistics.reliability import Bins, ReliabilityBins, reliability_bins


@dataclass(frozen=True, eq=False, repr=False)
class ReliabilityCurve(ByValue):
    """Forecast probabilities in bins, and how often they came true. Curves of disjoint instances add up with ``+``.

    Attributes
    ----------
    ranked : RankedScores
    label : object
        The class; None if the forecasts are of the likeliest class of each instance.
    n_bins : int
    bins : {"width", "mass"}

    Examples
    --------
    >>> from adjudge.results import ReliabilityCurve
    >>> curve = ReliabilityCurve.from_predictions([0, 0, 1, 1], [0.1, 0.1, 0.1, 0.9], n_bins=5)
    >>> curve.binned.forecast, curve.binned.observed.round(3)
    (array([0.1, 0.9]), array([0.333, 1.   ]))
    """

    ranked: RankedScores
    label: Any = None
    n_bins: int = 10
    bins: Bins = "width"

    columns: ClassVar[tuple[str, ...]] = ("low", "high", "counts", "forecast", "observed")

    def __post_init__(self) -> None:
        check_count("n_bins", self.n_bins)
        check_choice("bins", self.bins, get_args(Bins))

    @classmethod
    def from_predictions(
        cls,
        labels_true: Any,
        probabilities: Any,
        *,
        positive: Any = None,
        n_bins: int = 10,
        bins: Bins = "width",
        **options: Any,
    ) -> Self:
        """Sort the probabilities of one class, or of the likeliest class of each instance.

        Parameters
        ----------
        labels_true : array-like of shape (n,)
        probabilities : array-like of shape (n, C) or (n,), or data frame
            A vector has the values of that class, unless its name ends in another class.
        positive : optional
            The class; default: the second of two classes; with more, the likeliest of each instance.
        n_bins : int, default 10
        bins : {"width", "mass"}, default "width"
            Bins of equal width, or with equally many instances.
        **options
            `classes`, `sample_weight` and `missing`, as for :func:`adjudge.statistics.read_forecasts`.
        """
        read = read_forecasts(labels_true, probabilities, positive=positive, **options)
        return cls.of(read, n_bins=n_bins, bins=bins)

    @classmethod
    def of(
        cls,
        forecasts: Forecasts | CurveSteps,
        positive: Any = None,
        *,
        n_bins: int = 10,
        bins: Bins = "width",
    ) -> Self:
        """Sort probabilities that have been read already."""
        if isinstance(forecasts, CurveSteps) and forecasts.calibrated is not None:
            return cls._of_steps(forecasts, forecasts.calibrated, positive, n_bins, bins)
        if not isinstance(forecasts, ProbabilityForecasts):
            raise InputError(
                "reliability needs probabilities: ", Option("scores"), " only rank the instances"
            )
        known = forecasts.weighing()
        if positive is not None or known.positive is not None:
            one = ScoreCurve.of(known, positive)
            return cls(one.ranked, one.label, n_bins, bins)
        return cls(CalibratedScores.make(known).ranked, None, n_bins, bins)

    @classmethod
    def _of_steps(
        cls, steps: CurveSteps, calibrated: RankedScores, positive: Any, n_bins: int, bins: Bins
    ) -> Self:
        own = None if steps.positive is None else steps.classes[steps.positive]
        if positive is None or positive == own:
            return cls(calibrated, own, n_bins, bins)
        one = ScoreCurve.of(steps, positive)
        return cls(one.ranked, one.label, n_bins, bins)

    def __add__(self, other: ReliabilityCurve) -> Self:
        if not isinstance(other, ReliabilityCurve):
            return NotImplemented
        if (self.label, self.n_bins, self.bins) != (other.label, other.n_bins, other.bins):
            raise InputError("curves of different classes or bins cannot be added")
        return type(self)(self.ranked + other.ranked, self.label, self.n_bins, self.bins)

    @cached_property
    def binned(self) -> ReliabilityBins:
        """The bins that contain forecasts."""
        return reliability_bins(self.ranked, self.n_bins, self.bins)

    @property
    def calibration_error(self) -> float:
        """Mean distance between forecast and observation, with bins weighted by their instances (ECE)."""
        return float(self.binned.shares @ self.binned.gaps)

    def intervals(
        self, confidence: float = 0.95, *, method: Literal["wilson", "clopper_pearson"] = "wilson"
    ) -> Floats:
        """Return an interval of the observed share for each bin separately.

        Parameters
        ----------
        confidence : float
        method : {"wilson", "clopper_pearson"}
            Wilson's reaches the level on average over the shares, Clopper and Pearson's at least the level for each.

        Returns
        -------
        ndarray of float64 of shape (b, 2)
        """
        check_confidence(confidence)
        check_choice("method", method, ("wilson", "clopper_pearson"))
        if self.ranked.is_weighted:
            raise InputError(
                "weights do not say how many instances a bin has: an interval needs the instances"
            )
        observed, counts = self.binned.observed, self.binned.counts
        if method == "clopper_pearson":
            return np.stack(clopper_pearson(observed * counts, counts, confidence), axis=1)
        z = normal_quantile(confidence)
        pairs = zip(observed.tolist(), counts.tolist(), strict=True)
        return np.array([wilson(share, n, z) for share, n in pairs]).reshape(-1, 2)

    def histogram(self, n_bins: int = 20) -> tuple[NDArray[Any], Floats]:
        """Count the forecasts in bins of equal width; return the counts and the edges, as NumPy does."""
        edges = np.arange(n_bins + 1) / n_bins
        found = reliability_bins(self.ranked, n_bins)
        counts = np.zeros(n_bins)
        counts[np.searchsorted(edges, found.low)] = found.counts
        return counts, edges

    def table(self, confidence: float | None = None) -> Table:
        """One row per bin; with `confidence`, Wilson's interval of the observed share as well."""
        columns = {name: getattr(self.binned, name).tolist() for name in self.columns}
        if confidence is not None:
            low, high = self.intervals(confidence).T.tolist()
            columns |= {"observed_low": low, "observed_high": high}
        return Table(tuple(columns), tuple(zip(*columns.values(), strict=True)), "Reliability")

    def to_frame(self, backend: str | None = None, *, confidence: float | None = None) -> Any:
        """Return a data frame of a library, by default the first that is installed, one row per bin."""
        return self.table(confidence).frame(backend)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        columns = {name: plain_json(getattr(self.binned, name).tolist()) for name in self.columns}
        return {"class": plain_json(self.label), "bins": self.bins, **columns}

    def __repr__(self) -> str:
        of = "the likeliest class" if self.label is None else repr(self.label)
        return f"<Reliability of {of}: {self.binned.counts.size} bins, {self.ranked.n:,} instances>"
