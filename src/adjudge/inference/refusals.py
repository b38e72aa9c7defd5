"""When and why there is no interval: one table of rules, each with its source."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple, NoReturn

#: Least number of instances of a class, or points of a cluster, for the best threshold or a nearest cluster to be
#: reliable.
FEWEST_OF_CLASS = 5
#: Least effective number of units for an interval (Carter, Schnepel & Steigerwald 2017), and for one without a warning.
FEWEST_UNITS, FEW_UNITS = 10, 30

#: Most classes whose scores have intervals if rows were drawn in units, whose sums each class needs.
MOST_CLASSES_OF_UNITS = 2_000
#: Why scores of classes have no interval if there are more.
TOO_MANY_CLASSES = (
    f"no interval: each of more than {MOST_CLASSES_OF_UNITS:,} classes would need the sums of all units"
)
#: Most classes whose confusion matrix intervals read, and most different counts in which scores are differentiated.
MOST_CLASSES, MOST_COUNTS = 1_000, 1_000
#: Most cells for which an index without a closed form is recomputed without an instance of each: this takes seconds.
MOST_LEFT_OUT = 20_000
#: Most standard deviations by which the best match in a sample may be too optimistic.
MOST_FLATTERED = 0.2

#: Why there is no interval for a difference that no instance changes.
NO_VARIANCE = "the difference has no variance: no instance changes it"
#: Why an undefined value has no interval.
NO_ESTIMATE = "the estimate is undefined"
#: Why scores of weighted instances have no interval.
WEIGHTED = "weights do not say how many instances there are"
#: Why pairs of weighted instances have no interval.
WEIGHTED_PAIRS = "no interval of weighted pairs of instances is known"
#: Why the jackknife may give no standard error.
WITHOUT_ONE = "the index is undefined without one of the instances"


class Refusal(NamedTuple):
    """The reason for refusing an interval, with placeholders for numbers, and the source of the rule."""

    reason: str
    source: str


REFUSALS: dict[str, Refusal] = {
    "one instance": Refusal("there is one instance", "no variance of one value"),
    "few instances": Refusal("there are fewer than 3 instances", "no variance"),
    "many cells": Refusal(
        f"no interval: the index has no closed form, and more than {MOST_LEFT_OUT:,} cells would be left out in turn",
        "time",
    ),
    "many classes": Refusal(
        f"no interval: the classes have more than {MOST_COUNTS:,} different counts", "time"
    ),
    "few units": Refusal(
        "no interval: {rows} of {units} vary as {effective:.1f} units of one size would, and fewer than "
        f"{FEWEST_UNITS} do not tell how units vary",
        "Carter, Schnepel & Steigerwald (2017); docs/how_far_to_trust.md",
    ),
    "one unit of a class": Refusal(
        "no interval: of a class, nearly all rows are in one unit, and one does not tell how units vary",
        "no variance of one value",
    ),
    "points of units": Refusal(
        "no interval: what points of one unit have in common is not known, and they are not independent",
        "no method at hand",
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
    "whole clusters": Refusal(
        "no interval: the index counts whole clusters, of which a sample of instances has only parts; `sampled` "
        "estimates exact clusters from whole ones",
        "leaving out an instance says nothing about clusters that were cut",
    ),
    "one sampled cluster": Refusal("one sampled cluster does not tell how clusters vary", "no variance"),
    "few sampled clusters": Refusal(
        "no interval: {m} sampled clusters are worth {effective:.1f} of one size, and fewer than "
        f"{FEW_UNITS} do not tell how a ratio varies; sample more, or in proportion to size",
        "studies/sampled_clusters.py",
    ),
    "of this sample": Refusal(
        "no interval: the value grows with the number of instances, so no larger population has one",
        "no estimand",
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
    "small cluster": Refusal(
        "no interval: every cluster has the same weight, and one has fewer than {fewest} instances; about {enough} "
        "instances would be enough",
        "docs/how_far_to_trust.md",
    ),
    "class unknown": Refusal(
        "no interval: {classes} does not occur in the truth, so that its score is not known", "no score of it"
    ),
    "calibration": Refusal(
        "no interval: calibration errors are too large in a sample, by as much as they vary",
        "Bröcker (2012), Climate Dynamics 39, 655-667",
    ),
    "summed": Refusal(
        "no interval: sums of scores do not tell how it varies; collect the table, or read the file with the engine "
        "'memory'",
        "no closed form in the sums",
    ),
    "nearly perfect": Refusal(
        f"no interval: fewer than {FEWEST_OF_CLASS} instances of the class score no higher than one of another class, "
        "which does not tell how a ranking varies",
        "docs/how_far_to_trust.md",
    ),
    "few of a class": Refusal(
        f"no interval: a class has {{size}} of {{n}} instances, and {FEWEST_OF_CLASS} are needed; about {{enough}} "
        "instances would be enough",
        "variance of a variance (Satterthwaite 1946)",
    ),
    "any threshold": Refusal(
        "no interval: the scores hardly tell the positive class from the others, so that any threshold may be the best",
        "Kim & Pollard (1990): one threshold must be the best",
    ),
    "few held": Refusal(
        f"no interval: fewer than {FEWEST_UNITS} instances tell where the rate that is held is reached; about "
        "{enough} instances would be enough",
        "Hsieh & Turnbull (1996), whose density is then not known",
    ),
    "tied threshold": Refusal(
        "no interval: scores are equal at the threshold, where the rate that is held jumps",
        "no slope",
    ),
    "equal numbers": Refusal(
        "no interval: numbers are equal around the quantile, which jumps to the next one",
        "no slope",
    ),
    "few beyond": Refusal(
        "no interval: {n} rows may well have no number beyond the quantile; about {enough} rows would be enough",
        "binomial distribution: the quantile may lie beyond all numbers",
    ),
    "flattering threshold": Refusal(
        "no interval: precision rises and falls along the curve, and the best place in a sample is too optimistic",
        "Kim & Pollard (1990): the largest of many",
    ),
    "ratio": Refusal(
        "no interval: a ratio may be any number, and the difference of two is mostly that of their errors; compare "
        "what they are made of, such as recall and specificity",
        "studies/operating_points.py: such a test rejects 0 % at a level of 5 %",
    ),
    "weighted top": Refusal(
        "no interval: at the highest scores few instances of the other classes stand for many, and precision there is "
        "mostly that of chance",
        "Jensen's inequality; tried at a prevalence of 2 %: .80 of .95 covered",
    ),
    "flattering coverage": Refusal(
        "no interval: of many thresholds, those that look good by chance are taken; "
        "adjudge.inference.coverage_with_risk allows for that",
        "Kim & Pollard (1990): the largest of many",
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
    "average over labels": Refusal(
        "an average over labels: those of one instance depend on each other", "no method at hand"
    ),
    "one rated unit": Refusal("one unit does not tell how much units vary", "no variance"),
    "raters agree": Refusal(
        "all ratings of every unit are alike: the units do not tell how much they vary", "no variance"
    ),
    "one category": Refusal("without one of the units all ratings are of one category", "no variance"),
    "rare categories": Refusal(
        "one category has more than {share} of the ratings, and fewer than {fewest} units have another one: "
        "no interval would hold its level",
        "docs/how_far_to_trust.md",
    ),
    # For internal indices.
    "pass over all pairs": Refusal(
        "no interval is given: each point left out would need a new pass over all pairs of points", "time"
    ),
    "sizes alone": Refusal(
        "no interval is given here: the index reads only the sizes of the clusters; entropy_pred has one",
        "the same index of label vectors",
    ),
    "change places": Refusal(
        "no interval is given: the index has a bend where two clusters change places, or one's part is 0",
        "leaving out points does not tell what lies beyond",
    ),
    "counted within": Refusal(
        "no interval is given: the index counts the points within a distance, and jumps from point to point",
        "leaving out points does not tell what lies beyond",
    ),
    "many sums": Refusal(
        "no interval: with this many clusters, sums of distances would take more than a gigabyte", "memory"
    ),
    "no silhouette": Refusal("the silhouette is undefined", "no value"),
    "few points": Refusal(
        "no interval: a cluster has {size} of {n} points, and {fewest} are needed; about {enough} points would be "
        "enough",
        "docs/how_far_to_trust.md",
    ),
    "undefined without": Refusal(
        "no interval: the index is undefined or infinite, here or without some of the points", "no variance"
    ),
    "no point changes it": Refusal("leaving out points changes nothing", "no variance"),
    "centroids too near": Refusal(
        "no interval: two centroids are only {ratio:.1f} times as far apart as chance would put them if they were one, "
        "and the index divides by their distance; about {enough} points would be enough, or take an index that does "
        "not divide by it, such as the silhouette",
        "Fieller (1954): the denominator of a ratio must differ from 0",
    ),
    # For estimates from samples of the points.
    "not in samples": Refusal(
        "samples say nothing about it, because their points lie farther apart; compute it from all points",
        "no method at hand",
    ),
    "undefined in samples": Refusal("undefined in samples of the points", "no value"),
}


class RefusedError(Exception):
    """Raised if no interval would hold its level; the argument says why, and what would help."""


def reason_of(rule: str, **values: Any) -> str:
    """Fill the numbers into a rule of :data:`REFUSALS`."""
    return REFUSALS[rule].reason.format(**values)


def refuse(rule: str, **values: Any) -> NoReturn:
    """Refuse an interval by a rule of :data:`REFUSALS`.

    Raises
    ------
    RefusedError
    """
    raise RefusedError(reason_of(rule, **values))


def refuse_few_of_class(sizes: Iterable[int], n: int) -> None:
    """Refuse an interval if a class that occurs among the `n` instances has few of them.

    Raises
    ------
    RefusedError
    """
    for size in sizes:
        if 0 < size < FEWEST_OF_CLASS:
            enough = round_up(n * FEWEST_OF_CLASS / size)
            refuse("few of a class", size=size, n=f"{n:,}", enough=enough)


def round_up(instances: float) -> str:
    """Round a number of instances up to two significant digits, and format it."""
    whole = math.ceil(instances)
    scale = 10 ** max(0, len(str(whole)) - 2)
    return f"{math.ceil(whole / scale) * scale:,}"
