"""Noise in the partitions that `choose_k` compares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from adjudge.choosing.candidate_warnings import LOW_COVERAGE
from adjudge.choosing.estimators import Fit
from adjudge.given.alignment import align_labels
from adjudge.given.label_options import LabelOptions
from adjudge.presentation.numbers import percent_text
from adjudge.results.label_notices import label_notices, nothing_dropped
from adjudge.results.notice import Notice

__all__ = ["Compared", "compared_points"]


@dataclass(frozen=True)
class Compared:
    """Points and partitions to compare once noise is treated.

    Attributes
    ----------
    points : ndarray of shape (n, p)
        If noise is left out, only the points that no partition calls noise.
    fits : dict of int to Fit
        Their codes are of `points`; their labels remain those of all points.
    notices : tuple of Notice
    """

    points: NDArray[np.float64]
    fits: dict[int, Fit]
    notices: tuple[Notice, ...]


def compared_points(X: NDArray[np.float64], fits: Mapping[int, Fit], options: LabelOptions) -> Compared:
    """Leave noise out of all partitions if requested; otherwise say where it counts as a cluster."""
    named = {f"K = {k}": fit.labels for k, fit in fits.items()}
    if not options.drops_noise:
        counted = (np.unique(labels, return_counts=True) for labels in named.values())
        clusters = {name: (found.tolist(), n) for name, (found, n) in zip(named, counted, strict=True)}
        return Compared(X, dict(fits), label_notices(clusters, options, "clustering"))
    aligned = align_labels(named, options)
    notices = nothing_dropped(aligned.n_noise, options)
    if aligned.kept is None:
        return Compared(X, dict(fits), notices)
    coverage = aligned.kept.size / aligned.n_given
    if coverage < LOW_COVERAGE:
        message = f"{percent_text(1 - coverage)} of the points are left out as noise by at least one of the partitions"
        notices = (Notice("low-coverage", message, "judge partitions with less noise"),)
    codes = (labels.dense()[0].astype(np.int64) for labels in aligned.labels)
    left = {k: replace(fit, codes=own) for (k, fit), own in zip(fits.items(), codes, strict=True)}
    return Compared(np.ascontiguousarray(X[aligned.kept]), left, notices)
