"""The instances behind a comparison: their labels, and where each model is right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError
from adjudge.inputs.labels import Labels, align_labels
from adjudge.results import Comparison
from adjudge.statistics.agreement import right_or_wrong

__all__ = ["Coded", "Instances"]


@dataclass(frozen=True)
class Coded:
    """A label vector as codes 0..K-1, with the name and the size of each group."""

    codes: NDArray[np.int64]
    names: list[str]

    @classmethod
    def from_labels(cls, labels: Labels) -> Coded:
        """Code labels without gaps."""
        codes, categories = labels.dense()
        return cls(codes, [str(c) for c in categories])

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Number of instances in each group."""
        return np.bincount(self.codes, minlength=len(self.names))


@dataclass(frozen=True)
class Instances:
    """The instances that a comparison is about.

    Attributes
    ----------
    truth : Coded
    models : dict of str to Coded
    right : dict of str to ndarray of bool
        Where each classifier is right; empty for clusterings.
    positions : ndarray of int64
        Position in the input of each instance that was not left out.
    n_given : int
        Instances in the input.
    """

    truth: Coded
    models: dict[str, Coded]
    right: dict[str, NDArray[np.bool_]]
    positions: NDArray[np.int64]
    n_given: int

    @classmethod
    def from_labels(cls, comparison: Comparison, labels_true: Any, models: Mapping[str, Any]) -> Instances:
        """Code the labels that a comparison was made from, treating noise and gaps as it did."""
        absent = [name for name in comparison.models if name not in models]
        if absent:
            raise InputError(f"models has no labels of {absent[0]!r}, which the comparison is about")
        settings = comparison.settings
        aligned = align_labels(
            {"labels_true": labels_true, **{name: models[name] for name in comparison.models}},
            missing=settings.get("missing", "raise"),
            noise=settings.get("noise", "cluster"),
            noise_label=settings.get("noise_label", -1),
        )
        truth, predictions = aligned.labels[0], dict(zip(comparison.models, aligned.labels[1:], strict=True))
        if len(truth) != comparison.n:
            raise InputError(
                f"labels_true has {len(truth)} usable entries, the comparison is about {comparison.n}"
            )
        right = {}
        if comparison.kind == "classification":
            right = {name: right_or_wrong(truth, labels, name) for name, labels in predictions.items()}
        return cls(
            truth=Coded.from_labels(truth),
            models={name: Coded.from_labels(labels) for name, labels in predictions.items()},
            right=right,
            positions=np.arange(aligned.n_given) if aligned.kept is None else aligned.kept,
            n_given=aligned.n_given,
        )

    def never_right(self) -> NDArray[np.int64]:
        """Positions in the input of the instances on which every classifier is wrong."""
        some = np.logical_or.reduce(list(self.right.values()))
        return np.asarray(self.positions[~some])
