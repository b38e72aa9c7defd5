"""How `evaluate` estimates indices from true clusters that were sampled."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from adjudge.errors import InputError, Option
from adjudge.indices.record import Index
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.sampled_clusters import SampledClustering, read_sampled
from adjudge.presentation.tables import backend_of
from adjudge.results import Evaluation
from adjudge.verbs.judged import judged

__all__ = ["evaluate_sampled"]


def evaluate_sampled(
    labels_true: Any = None,
    labels_pred: Any = None,
    *,
    sampled: Any = None,
    sampling_weights: Any = None,
    indices: str | Index | Iterable[str | Index] = "default",
    confidence: float | None = None,
    kind: str | None = None,
    **others: Any,
) -> Evaluation:
    """Estimate indices of all records; parameters are those of :func:`adjudge.evaluate`."""
    if others or kind not in (None, "clustering"):
        name = next(iter(others), "kind")
        raise InputError(Option(name), " is not an option for ", Option("sampled"), ": leave it out")
    if sampled is None:
        raise InputError(
            Option("sampling_weights"),
            " are of sampled clusters, which are missing: give ",
            Option("sampled"),
        )
    case = SampledClustering(read_sampled(labels_true, labels_pred, sampled, sampling_weights))
    request = EvaluationRequest(indices=indices, confidence=confidence)
    found: Evaluation = judged([case], request, backend=backend_of(labels_true, labels_pred))
    return found
