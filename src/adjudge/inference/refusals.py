"""When there is no interval, and why: one table of rules, each with its source."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, NoReturn

__all__ = [
    "FEWEST_EVENTS",
    "FEWEST_OF_CLASS",
    "FEWEST_UNITS",
    "FEW_UNITS",
    "MOST_FLATTERED",
    "NO_ESTIMATE",
    "REFUSALS",
    "WEIGHTED",
    "WEIGHTED_PAIRS",
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
#: Instances of a class from which on a mean over the classes does not hang on what they do not show.
FEWEST_OF_CLASS = 5
#: Effective units from which on there is an interval (Carter, Schnepel & Steigerwald 2017), and from which on it needs
#: no warning.
FEWEST_UNITS, FEW_UNITS = 10, 30

#: Standard deviations by which the best match in a sample may be too optimistic.
MOST_FLATTERED = 0.2

#: Why an undefined value has no interval.
NO_ESTIMATE = "the estimate is undefined"
#: Why scores of weighted instances have none.
WEIGHTED = "weights do not say how many instances there are"
#: Why pairs of weighted instances have none.
WEIGHTED_PAIRS = "no interval of weighted pairs of instances is known"
#: Why leaving out instances may tell no error.
WITHOUT_ONE = "the index is undefined without one of the instances"


class Refusal(NamedTuple):
    """Why there is no interval, with places for numbers; and where the rule comes from."""

    reason: str
    source: str


REFUSALS: dict[str, Refusal] = {
    "one instance": Refusal("there is one instance", "no variance of one value"),
    "few instances": Refusal("there are fewer than 3 instances", "no variance"),
    "many cells": Refusal(
        "no interval: the index has no closed form, and more than {most} cells would be left out in turn",
        "time",
    ),
    "few units": Refusal(
        "no interval: {rows} of {units} vary as {effective:.1f} units of one size would, and fewer than "
        f"{FEWEST_UNITS} do not tell how units vary",
        "Carter, Schnepel & Steigerwald (2017); docs/how_far_to_trust.md",
    ),
    "points of units": Refusal(
        "no interval: what points of one unit have in common is not known, and they are not independent",
        "no method at hand",
    ),
    "few events": Refusal(
        "no interval: fewer than {fewest} instances decide the value, which does not tell how it varies; about "
        "{enough} instances would be enough",
        "variance of a variance (Satterthwaite 1946)",
    ),
    "too few pairs": Refusal(
        "no interval: {n} instances in {k} clusters make too few pairs; about {enough} instances would be enough",
        "docs/how_far_to_trust.md",
    ),
    "one cluster": Refusal(
        "no interval: a partition has one cluster, and what the index would be with another one is not known",
        "no variance",
    ),
    "no slope": Refusal("the index has no slope at these clusters: no interval is given", "Hampel (1974)"),
    "clusters not drawn": Refusal(
        "no interval: there are too few instances for {k} clusters, so that others were likely not drawn; about "
        "{enough} instances would be enough",
        "Chao (1984)",
    ),
    "cells not drawn": Refusal(
        "no interval: there are too few instances for {r} x {c} clusters, so most combinations occur at most once; "
        "about {enough} instances would be enough",
        "coverage of the sample (Good 1953; Chao, Wang & Jost 2013)",
    ),
    "even clusters": Refusal(
        "no interval: the clusters are as even as chance would make even ones, where the entropy is largest and does "
        "not vary normally",
        "chi-square (Wilks 1938)",
    ),
    "independent": Refusal(
        "no interval: the partitions agree by no more than chance, where the index is least and does not vary normally",
        "chi-square (Wilks 1938)",
    ),
    "alone": Refusal(
        "no interval: {alone} instances are alone in their clusters, which says nothing about the rest of those "
        "clusters; about {enough} instances would be enough",
        "docs/how_far_to_trust.md",
    ),
    "sizes tie": Refusal(
        "no interval: it is too uncertain which of two matching clusters is the larger one, where the index has a bend",
        "Clark (1961)",
    ),
    "bend": Refusal(
        "no interval is given: the larger of two cluster sizes has a bend where they are equal, as the sizes of "
        "matched clusters nearly are",
        "Clark (1961)",
    ),
    "match not clear": Refusal(
        "no interval: it is too uncertain which clusters match, and the best match in a sample is too optimistic; "
        "about {enough} instances would be enough",
        "Clark (1961)",
    ),
    "not as many clusters": Refusal(
        "no interval: the partitions have different numbers of clusters, and which of them have no partner decides "
        "the value",
        "docs/how_far_to_trust.md",
    ),
    "small cluster": Refusal(
        "no interval: every cluster has the same weight, and one has fewer than {fewest} instances; about {enough} "
        "instances would be enough",
        "docs/how_far_to_trust.md",
    ),
    "few for a mean": Refusal(
        f"no interval: {{classes}} has fewer than {FEWEST_OF_CLASS} instances, on which the score hangs",
        "as few as a recall has as few values; docs/how_far_to_trust.md",
    ),
    "calibration": Refusal(
        "no interval: calibration errors are too large in a sample, by as much as they vary",
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
