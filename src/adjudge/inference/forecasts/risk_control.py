"""How much a model may answer by itself, with a guarantee on the share of wrong answers."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from adjudge.errors import InputError, Option
from adjudge.given.options import check_confidence, check_count
from adjudge.inference.common.proportions import clopper_pearson
from adjudge.presentation.numbers import percent_text, value_text
from adjudge.presentation.plain import plain_json
from adjudge.presentation.result import Result
from adjudge.presentation.tables import Table
from adjudge.saved.savable import Savable
from adjudge.statistics.forecasts import ProbabilityForecasts, read_forecasts
from adjudge.statistics.ranked_scores import TopLabels


@dataclass(frozen=True, repr=False)
class CoverageWithRisk(Result, Savable):
    """The largest share of the instances that may be answered so that few answers are wrong.

    Attributes
    ----------
    risk : float
        Largest share of wrong answers that is allowed.
    coverage : float
        Share of the instances that are answered; 0 if no threshold keeps the risk.
    threshold : float
        An instance is answered if the probability of its likeliest class is above this; infinite if none is.
    n_answered, n_wrong : int
        Instances that are answered, and those of them that are wrong.
    limit : float
        Upper limit of the share of wrong answers among all instances that this threshold would answer.
    confidence : float
        Least probability that the share of wrong answers is at most the allowed one.
    n : int
        Number of instances.
    """

    risk: float
    coverage: float
    threshold: float
    n_answered: int
    n_wrong: int
    limit: float
    confidence: float
    n: int

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        found: dict[str, Any] = plain_json(asdict(self))
        return {"kind": "coverage_with_risk", **found}

    def said(self) -> list[str]:
        """Say how much may be answered."""
        most = percent_text(self.risk)
        if not self.n_answered:
            return [
                f"at no threshold are at most {most} of the answers wrong with a confidence of "
                f"{percent_text(self.confidence)}"
            ]
        which = f"those with a probability above {value_text(self.threshold, 3)}"
        some = f"{percent_text(self.coverage)} of the instances may be answered, {which}"
        said = "all instances may be answered" if self.coverage == 1 else some
        return [
            f"{said}: at most {most} of such answers are wrong, with a confidence of {percent_text(self.confidence)}"
        ]

    def table(self) -> Table:
        """Return what was counted."""
        names = ("coverage", "threshold", "n_answered", "n_wrong", "limit")
        return Table(names, (tuple(getattr(self, name) for name in names),))


def coverage_with_risk(
    labels_true: Any,
    probabilities: Any,
    *,
    risk: float = 0.05,
    confidence: float = 0.95,
    n_shares: int = 20,
    **options: Any,
) -> CoverageWithRisk:
    """Find the largest share of instances that a model may answer so that few answers are wrong, with a guarantee.

    The answer is the likeliest class, and the instances whose likeliest class is surest are answered. Shares are tried
    in ascending order, each with the exact upper limit of its risk, until the first that does not keep the risk; so the
    confidence holds for all of them together (fixed-sequence testing). They start where a third of the wrong answers
    that are allowed would be few enough: of fewer answers, a single wrong one would end the search. Instances must have
    been drawn independently, and must not have been used to fit or calibrate the model.

    Parameters
    ----------
    labels_true : array-like of shape (n,)
    probabilities : array-like of shape (n, C) or (n,), or data frame
    risk : float, default 0.05
        Largest share of wrong answers that is allowed, among those that are answered.
    confidence : float, default 0.95
    n_shares : int, default 20
        How many shares are tried: 1 / n_shares, 2 / n_shares, ... 1.
    **options
        `classes`, `positive` and `missing`, as for :func:`adjudge.statistics.read_forecasts`.

    Returns
    -------
    CoverageWithRisk

    Raises
    ------
    InputError
        For weights, which do not say how many instances there are, and for units, which are not independent.

    References
    ----------
    Geifman & El-Yaniv (2017), Selective classification for deep neural networks, NeurIPS.
    Angelopoulos, Bates, Candès, Jordan & Lei (2025), Learn then test: calibrating predictive algorithms to achieve risk
    control, Annals of Applied Statistics 19, 1641-1662.

    Examples
    --------
    >>> import numpy as np
    >>> from adjudge.inference import coverage_with_risk
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> found = coverage_with_risk(rng.random(2000) < p, p, risk=0.1)
    >>> found.coverage, round(found.threshold, 3), round(found.n_wrong / found.n_answered, 3)
    (0.3, 0.851, 0.067)
    """
    check_confidence(confidence)
    check_count("n_shares", n_shares)
    if not 0 < risk < 1:
        raise InputError(Option("risk", risk), ": a share between 0 and 1 is needed")
    if options.get("sample_weight") is not None:
        raise InputError(Option("sample_weight"), " does not say how many instances there are: leave it out")
    if options.get("units") is not None:
        raise InputError(
            Option("units"),
            ": rows of one unit vary together, and the guarantee is for instances drawn alone",
        )
    forecasts = read_forecasts(labels_true, probabilities, **options)
    assert isinstance(forecasts, ProbabilityForecasts)
    top = TopLabels.make(forecasts)
    sure, right, wrong = top.ranked.falling
    n = int(right[-1] + wrong[-1])
    shares = np.arange(1, n_shares + 1) / n_shares
    # As many of the surest instances as make up each share; equal probabilities are answered together, or not at all.
    place = np.searchsorted(right + wrong, np.floor(shares * n + 1e-9), side="right") - 1
    place = np.unique(place[place >= 0])
    answered = (right + wrong)[place]
    # One-sided: an interval of this confidence leaves out as much on either side.
    both = 2 * confidence - 1
    enough = clopper_pearson(np.floor(answered * risk / 3), answered, both)[1] <= risk
    limits = clopper_pearson(wrong[place], answered, both)[1]
    tried = np.arange(np.argmax(enough) if enough.any() else enough.size - 1, enough.size)
    kept = tried[np.cumsum(limits[tried] > risk) == 0]
    if not kept.size:
        return CoverageWithRisk(risk, 0.0, math.inf, 0, 0, math.nan, confidence, n)
    best = int(kept[-1])
    next_one = place[best] + 1
    return CoverageWithRisk(
        risk=risk,
        coverage=float(answered[best]) / n,
        threshold=float(sure[next_one]) if next_one < sure.size else 0.0,
        n_answered=int(answered[best]),
        n_wrong=int(wrong[place[best]]),
        limit=float(limits[best]),
        confidence=confidence,
        n=n,
    )
