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
from adjudge.given.positive import positive_position
from adjudge.inference.common.proportions import clopper_pearson, normal_quantile, wilson
from adjudge.inference.influence import Influence
from adjudge.inference.interval import Wanted, intervals_of, why_few_units
from adjudge.inference.sampling_design import Drawn
from adjudge.presentation.equal_by_content import ByValue
from adjudge.presentation.plain import plain_json
from adjudge.presentation.tables import Table
from adjudge.results.score_curve import ScoreCurve
from adjudge.saved.omitted import fields_of
from adjudge.statistics.curve_steps import CurveSteps
from adjudge.statistics.forecasts import Forecasts, ProbabilityForecasts, read_forecasts
from adjudge.statistics.ranked_scores import CalibratedScores, RankedScores, ScoredOutcomes
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
    in_units : bool
        Whether instances were sampled in units of several.
    drawn : Drawn or None
        How they were sampled, if in units or with weights, as far as that is known; entries are the scores, each first
        without and then with the outcome.

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
    in_units: bool = False
    drawn: Drawn | None = None

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
        in_units: bool = False,
        drawn: Drawn | None = None,
    ) -> Self:
        """Sort probabilities that have been read already; `drawn` says how the instances were sampled."""
        if isinstance(forecasts, CurveSteps) and forecasts.calibrated is not None:
            return cls._of_steps(forecasts, forecasts.calibrated, positive, n_bins, bins, in_units)
        if not isinstance(forecasts, ProbabilityForecasts):
            raise InputError(
                "reliability needs probabilities: ", Option("scores"), " only rank the instances"
            )
        known = forecasts.weighing()
        code = known.positive if positive is None else positive_position(known.classes, positive)
        one = CalibratedScores.make(known) if code is None else ScoredOutcomes.of_one(known, code)
        if drawn is not None:
            at = np.searchsorted(one.ranked.scores, one.values)
            drawn = drawn.with_entries(2 * at + one.hits)
        return cls(one.ranked, None if code is None else known.classes[code], n_bins, bins, in_units, drawn)

    @classmethod
    def _of_steps(
        cls,
        steps: CurveSteps,
        calibrated: RankedScores,
        positive: Any,
        n_bins: int,
        bins: Bins,
        in_units: bool,
    ) -> Self:
        own = None if steps.positive is None else steps.classes[steps.positive]
        if positive is None or positive == own:
            return cls(calibrated, own, n_bins, bins, in_units)
        one = ScoreCurve.of(steps, positive)
        return cls(one.ranked, one.label, n_bins, bins, in_units)

    def __add__(self, other: ReliabilityCurve) -> Self:
        if not isinstance(other, ReliabilityCurve):
            return NotImplemented
        if (self.label, self.n_bins, self.bins) != (other.label, other.n_bins, other.bins):
            raise InputError("curves of different classes or bins cannot be added")
        in_units = self.in_units or other.in_units
        return type(self)(self.ranked + other.ranked, self.label, self.n_bins, self.bins, in_units)

    def _saved_fields(self) -> dict[str, Any]:
        # No row leaves this machine.
        return fields_of(self) | {"drawn": None}

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
            Of units, and with weights, there is one method.

        Returns
        -------
        ndarray of float64 of shape (b, 2)
            nan if there are too few units.
        """
        check_confidence(confidence)
        check_choice("method", method, ("wilson", "clopper_pearson"))
        if self.drawn is not None:
            return self._intervals_as_drawn(self.drawn, confidence)
        if (reason := self.without_intervals) is not None:
            raise InputError(f"{reason}: an interval needs the instances")
        observed, counts = self.binned.observed, self.binned.counts
        if method == "clopper_pearson":
            return np.stack(clopper_pearson(observed * counts, counts, confidence), axis=1)
        z = normal_quantile(confidence)
        pairs = zip(observed.tolist(), counts.tolist(), strict=True)
        return np.array([wilson(share, n, z) for share, n in pairs]).reshape(-1, 2)

    @property
    def without_intervals(self) -> str | None:
        """Why the bins have no intervals; None if they have some."""
        if self.drawn is not None:
            return why_few_units(self.drawn)
        if self.in_units:
            return "rows of one unit vary together"
        return "weights do not say how many instances a bin has" if self.ranked.is_weighted else None

    def _intervals_as_drawn(self, drawn: Drawn, confidence: float) -> Floats:
        """Return the interval of the share of each bin from what each unit has of it."""
        found, scores = self.binned, self.ranked
        place = np.repeat(np.searchsorted(found.high, scores.scores), 2)
        outcome = np.tile([0.0, 1.0], scores.scores.size)
        counts = np.stack([scores.negatives, scores.positives], axis=1).ravel()
        assert drawn.entry is not None
        wanted = []
        for b, (share, size) in enumerate(zip(found.observed.tolist(), found.counts.tolist(), strict=True)):
            psi = np.where(place == b, outcome - share, 0.0) * (float(scores.n) / size)
            # One more unit, of the other outcome, would have as much of the bin as a unit has on average.
            held = np.unique(drawn.unit[place[drawn.entry] == b])
            units = float(drawn.times[held].sum())
            ends = {"rise": (1 - share) / (units + 1), "fall": share / (units + 1)}
            wanted.append(Wanted(Influence.centred(share, psi, counts, **ends), (0.0, 1.0), drawn))
        return np.array([tuple(own) for own in intervals_of(wanted, confidence)]).reshape(-1, 2)

    def histogram(self, n_bins: int = 20) -> tuple[NDArray[Any], Floats]:
        """Count the forecasts in bins of equal width; return the counts and the edges, as NumPy does."""
        edges = np.arange(n_bins + 1) / n_bins
        found = reliability_bins(self.ranked, n_bins)
        counts = np.zeros(n_bins)
        counts[np.searchsorted(edges, found.low)] = found.counts
        return counts, edges

    def table(self, confidence: float | None = None) -> Table:
        """One row per bin; with `confidence`, the interval of the observed share as well."""
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
