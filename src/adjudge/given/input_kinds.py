"""Kinds of input, and the options that take them: statistics declare which ones they are computed from.

These classes are names, not containers. A statistic of labels says ``made_from = (Truth, Prediction)``; a verb
files its input under these names, and everything else follows: which indices can be computed, and what to say about
those that cannot.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from adjudge.errors import Option


class Thing:
    """A kind of input.

    Attributes
    ----------
    option : str
        The parameter of the verbs that takes it.
    words : str
        What a message calls it.
    """

    option: ClassVar[str]
    words: ClassVar[str]


class Truth(Thing):
    """Reference labels."""

    option, words = "labels_true", "true labels"


class Prediction(Thing):
    """Labels that are judged against the truth."""

    option, words = "labels_pred", "predicted labels"


class Partition(Thing):
    """Labels that are judged from the points."""

    option, words = "labels", "their labels"


class Distances(Thing):
    """Anything with a distance between each pair of instances: points under any metric, or the distances themselves."""

    option, words = "X", "points"


class Coordinates(Distances):
    """Dense points in Euclidean space, which have centroids too."""

    option, words = "X", "points"


class Weights(Thing):
    """How much each instance counts."""

    option, words = "sample_weight", "weights"


class Probabilities(Thing):
    """Predicted probabilities of the classes."""

    option, words = "probabilities", "predicted probabilities"


class DecisionScores(Thing):
    """Scores that only rank the instances."""

    option, words = "scores", "scores that rank the instances"


class Primary(Thing):
    """Labels by the first of two models."""

    option, words = "models", "labels by two models"


class Alternative(Thing):
    """Labels by the second of two models."""

    option, words = "models", "labels by two models"


class Candidates(Thing):
    """Partitions into several numbers of clusters."""

    option, words = "estimator", "partitions into several numbers of clusters"


class Ratings(Thing):
    """Labels that several raters give to the same units."""

    option, words = "ratings", "labels by several raters"


class Values(Thing):
    """A number for each row, of which either end is better."""

    option, words = "values", "a number for each row"


class Runs(Thing):
    """The units that were each judged in several runs."""

    option, words = "units", "units with several answers"


class Targets(Thing):
    """The true number of each row."""

    option, words = "labels_true", "true numbers"


class Predictions(Thing):
    """The predicted number of each row."""

    option, words = "labels_pred", "predicted numbers"


class TrueSets(Thing):
    """The true labels of each instance: several, one or none."""

    option, words = "labels_true", "true sets of labels"


class PredictedSets(Thing):
    """The predicted labels of each instance: several, one or none."""

    option, words = "labels_pred", "predicted sets of labels"


class LabelForecasts(Thing):
    """A probability, or a score that ranks, for each label of each instance."""

    option, words = "probabilities", "probabilities of the labels"


def needs(things: Sequence[type[Thing]]) -> list[Any]:
    """Name missing inputs and the options for them, as parts of an error."""
    parts: list[Any] = [" and ".join(dict.fromkeys(thing.words for thing in things)), ": give "]
    for option in dict.fromkeys(thing.option for thing in things):
        parts += [Option(option), " and "]
    return parts[:-1]
