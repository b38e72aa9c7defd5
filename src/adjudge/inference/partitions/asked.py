"""An index of partitions whose interval is asked for: what instances do to it, and what its values can be."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from adjudge.inference.drawn import Drawn
from adjudge.inference.influence import Influence
from adjudge.inference.interval import Interval, interval_of
from adjudge.inference.refusals import FEWEST_EVENTS

__all__ = ["Asked"]


@dataclass(frozen=True, eq=False)
class Asked:
    """What an interval is made of.

    Attributes
    ----------
    influence : Influence
    limits : (float, float)
        Smallest and largest value.
    highest : float
        What the value cannot exceed in this population.
    back : callable or None
        If all of this is of a function of the index: the growing function from there to the index.
    fewest_events : float
        Instances that must decide the value.
    """

    influence: Influence
    limits: tuple[float, float]
    highest: float = math.inf
    back: Callable[[float], float] | None = None
    fewest_events: float = FEWEST_EVENTS

    def interval(self, observed: float, confidence: float, drawn: Drawn | None = None) -> Interval:
        """Make the interval of an index with this value in the sample."""
        found = interval_of(
            self.influence,
            self.limits,
            confidence,
            drawn,
            observed=observed if self.back is None else None,
            fewest_events=self.fewest_events,
        )
        if self.back is None:
            held = observed if found.estimate is None else found.estimate
            return replace(found, high=max(min(found.high, self.highest), held))
        low, high = (self.back(min(end, self.highest)) for end in found)
        return replace(found, low=min(low, observed), high=max(high, observed))
