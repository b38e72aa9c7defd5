"""When there is no interval, and why: one table of rules, each with its source."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, NoReturn

__all__ = [
    "FEWEST_EVENTS",
    "FEWEST_UNITS",
    "FEW_UNITS",
    "NO_ESTIMATE",
    "REFUSALS",
    "WEIGHTED",
    "WITHOUT_ONE",
    "Refusal",
    "RefusedError",
    "reason_of",
    "refuse",
    "round_up",
]

#: Instances that decide a value from which on its variance is known. On the 17 laws of docs/how_far_to_trust.md 92.4 %
#: of the cells have a coverage of 0.92-0.98 without the rule, 93.8 % with it.
FEWEST_EVENTS = 4
#: Effective units from which on there is an interval (Carter, Schnepel & Steigerwald 2017), and from which on it needs
#: no warning.
FEWEST_UNITS, FEW_UNITS = 10, 30

#: Why an undefined value has no interval.
NO_ESTIMATE = "the estimate is undefined"
#: Why scores of weighted instances have none.
WEIGHTED = "weights do not say how many instances there are"
#: Why leaving out instances may tell no error.
WITHOUT_ONE = "the index is undefined without one of the instances"


class Refusal(NamedTuple):
    """Why there is no interval, with places for numbers; and where the rule comes from."""

    reason: str
    source: str


REFUSALS: dict[str, Refusal] = {
    "one instance": Refusal("there is one instance", "no variance of one value"),
    "few units": Refusal(
        "no interval: {n} rows of {units} units vary as {effective:.1f} units of one size would, and fewer than "
        f"{FEWEST_UNITS} do not tell how units vary",
        "Carter, Schnepel & Steigerwald (2017); docs/how_far_to_trust.md",
    ),
    "few events": Refusal(
        "no interval: fewer than {fewest} instances decide the value, which does not tell how it varies; about "
        "{enough} instances would be enough",
        "variance of a variance (Satterthwaite 1946)",
    ),
    "calibration": Refusal(
        "no interval: the error is too large in a sample, by as much as it varies",
        "Bröcker (2012), Climate Dynamics 39, 655-667",
    ),
    "nearly perfect": Refusal(
        "no interval: fewer than {fewest} instances of the class score no higher than one of another class, which does "
        "not tell how a ranking varies",
        "docs/how_far_to_trust.md",
    ),
    "few of a class": Refusal(
        "no interval: a class has {size} of {n} instances, and {fewest} are needed; about {enough} instances "
        "would be enough",
        "variance of a variance (Satterthwaite 1946)",
    ),
    "any threshold": Refusal(
        "no interval: the scores hardly tell the positive class from the others, so that any threshold may be the best",
        "Kim & Pollard (1990): one threshold must be the best",
    ),
    "no baseline": Refusal(
        "no interval: only {others} {are} not of the largest class, and hardly tell the loss of forecasting shares",
        "docs/how_far_to_trust.md",
    ),
    "infinite loss": Refusal("the loss of an instance is infinite", "no variance"),
    "same loss": Refusal(
        "no interval: every instance has the same loss, which does not tell how losses vary", "no variance"
    ),
    "no closed form": Refusal(
        "no interval: leaving out each of {n} instances would take minutes; take a sample of them", "time"
    ),
    "nothing changes": Refusal(
        "leaving out any instance changes nothing, and the index has no finite range", "no variance"
    ),
}


class RefusedError(Exception):
    """No interval would hold its level; the argument says why, and what would help."""


def reason_of(rule: str, **values: Any) -> str:
    """Word a rule of :data:`REFUSALS` with its numbers."""
    return REFUSALS[rule].reason.format(**values)


def refuse(rule: str, **values: Any) -> NoReturn:
    """Refuse an interval by a rule of :data:`REFUSALS`.

    Raises
    ------
    RefusedError
    """
    raise RefusedError(reason_of(rule, **values))


def round_up(instances: float) -> str:
    """Write a number of instances with two digits."""
    whole = math.ceil(instances)
    scale = 10 ** max(0, len(str(whole)) - 2)
    return f"{math.ceil(whole / scale) * scale:,}"
