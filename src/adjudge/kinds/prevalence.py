"""Scores where classes are more or less frequent than here: rows count by how often their class occurs there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, Option, in_words
from adjudge.given.labels import Labels
from adjudge.given.positive import positive_position
from adjudge.kinds.sample import Sample
from adjudge.presentation.numbers import listed, percent_text
from adjudge.results.notice import Notice

__all__ = ["at_prevalence", "shares_said"]


def at_prevalence(sample: Sample, truth: Labels, prevalence: Any, positive: Any) -> Sample:
    """Weigh the rows of each class by its share where the model will be used, over its share here.

    Sensitivity and specificity do not change; predictive values, accuracy and calibration do (Altman & Bland 1994).

    Parameters
    ----------
    sample : Sample
    truth : Labels
        Of its rows.
    prevalence : float, or mapping of object to float
        The share of the positive class of two; or the share of each class.
    positive : object
        The positive class, if one was named.

    Returns
    -------
    Sample
        Its rows have sampling weights.
    """
    codes, names = truth.dense()
    wanted = _shares(names, prevalence, positive)
    weights = np.ones(codes.size) if sample.weights is None else sample.weights.astype(np.float64)
    here = np.bincount(codes, weights, len(names)) / weights.sum()
    settings = {**sample.settings, "prevalence": dict(zip(map(str, names), wanted.tolist(), strict=True))}
    return replace(
        sample, weights=weights * (wanted / here)[codes], draws_rows=True, strata=codes, settings=settings
    )


def shares_said(sample: Sample) -> tuple[Notice, ...]:
    """Say which shares of classes the rows were weighed to."""
    shares: Mapping[str, float] = sample.settings.get("prevalence", {})
    if not shares:
        return ()
    said = listed([f"{percent_text(share)} {name}" for name, share in shares.items()])
    return (Notice("prevalence", f"rows are weighed to {said}, not counted", severity="info"),)


def _is_share(share: Any) -> bool:
    return isinstance(share, (int, float, np.integer, np.floating)) and 0 < float(share) < 1


def _shares(names: Sequence[Any], prevalence: Any, positive: Any) -> NDArray[np.float64]:
    """Check the share of each class that occurs."""
    if isinstance(prevalence, Mapping):
        for name, share in prevalence.items():
            if not _is_share(share):
                raise InputError(
                    Option("prevalence"),
                    f" gives {in_words(name)} the share {share!r}: it lies between 0 and 1",
                )
        if unknown := [name for name in prevalence if name not in names]:
            raise InputError(
                Option("prevalence"), f" names {in_words(unknown[0])}, of which the truth has no row"
            )
        if lacking := [name for name in names if name not in prevalence]:
            raise InputError(
                Option("prevalence"), f" gives no share of {in_words(lacking[0])}: name each class"
            )
        if abs(math.fsum(prevalence.values()) - 1) > 1e-6:
            raise InputError(
                Option("prevalence"), f" adds up to {math.fsum(prevalence.values()):g}: shares make 1 in all"
            )
        return np.array([float(prevalence[name]) for name in names])
    if not _is_share(prevalence):
        raise InputError(Option("prevalence", prevalence), " is not a share between 0 and 1")
    if len(names) != 2:
        raise InputError(
            Option("prevalence", prevalence),
            f" is the share of the positive class of two, and there are {len(names)}: give a mapping of each class to "
            "its share",
        )
    place = positive_position(names, positive)
    share = float(prevalence)
    return np.array([share, 1 - share] if place == 0 else [1 - share, share])
