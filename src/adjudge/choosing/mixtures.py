"""Input of the information criteria, from fitted mixtures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from adjudge.choosing.estimators import Fit
from adjudge.kernels.elementary import logarithms
from adjudge.statistics.sweep import MixtureFits

__all__ = ["is_mixture", "mixture_fits"]


def is_mixture(fit: Fit) -> bool:
    """Whether the estimator is a mixture with a likelihood: it has `bic`, `aic`, `score` and `predict_proba`."""
    return all(hasattr(fit.estimator, name) for name in ("bic", "aic", "score", "predict_proba"))


def mixture_fits(X: np.ndarray[Any, Any], fits: Mapping[int, Fit]) -> MixtureFits:
    """Read likelihoods, numbers of parameters and posterior probabilities."""
    n = X.shape[0]
    likelihood: dict[int, float] = {}
    parameters: dict[int, int] = {}
    certainty: dict[int, float] = {}
    for k, fit in fits.items():
        model = fit.estimator
        likelihood[k] = float(model.score(X)) * n
        parameters[k] = round((float(model.aic(X)) + 2 * likelihood[k]) / 2)
        certainty[k] = float(logarithms(model.predict_proba(X).max(axis=1)).sum())
    return MixtureFits(n, likelihood, parameters, certainty)
