"""Several accepted truths: each index is that of the truth with the best score."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from adjudge.errors import Argument, InputError
from adjudge.results import Evaluation
from adjudge.results.score import Score

__all__ = ["best_of_truths"]


def best_of_truths(truths: Mapping[str, Any], judge: Callable[[Any], Evaluation]) -> Evaluation:
    """Judge a partition against several truths, and keep the best score of each index.

    Parameters
    ----------
    truths : mapping of str to labels
    judge : callable
        Judges the partition against one truth.

    Returns
    -------
    Evaluation
        `truth` of each score names the truth that it is for; of equal scores the first.
    """
    if not truths:
        raise InputError(Argument("labels_true"), " is empty: give at least one truth")
    found = {str(name): judge(labels) for name, labels in truths.items()}
    first = next(iter(found.values()))
    scores = {
        index: _best({name: one.scores[index] for name, one in found.items()}) for index in first.scores
    }
    settings = {**first.settings, "truths": list(found)}
    return replace(first, scores=scores, settings=settings)


def _best(scores: Mapping[str, Score]) -> Score:
    """Choose the best of an index's scores; one that does not compare with a truth has no choice."""
    index = next(iter(scores.values())).index
    if index.kind not in ("external", "classification"):
        return next(iter(scores.values()))
    defined = {name: score for name, score in scores.items() if not math.isnan(score.value)} or dict(scores)
    sign = -1 if index.better == "lower" else 1
    name = max(defined, key=lambda truth: sign * defined[truth].value if len(defined) > 1 else 0.0)
    return replace(defined[name], truth=name)
