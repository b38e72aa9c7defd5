"""The instances behind a comparison: their labels, and where each model is right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import Argument, InputError
from adjudge.given.alignment import align_labels
from adjudge.given.groups import group_columns
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Labels
from adjudge.given.units import Units
from adjudge.given.weights import Weighting
from adjudge.results import Comparison
from adjudge.results.instances import Instances as KnownInstances
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
    truth : Coded or None
        None if there is no truth.
    models : dict of str to Coded
    right : dict of str to ndarray of bool
        Where each classifier is right; empty for clusterings.
    positions : ndarray of int64
        Position in the input of each instance that was not left out.
    n_given : int
        Number of instances in the input.
    labels_true, labels
        The labels as they are judged: with noise and gaps treated as requested.
    noise : dict of str to int
        Instances that each model calls noise.
    units : Units or None
        Which unit each instance belongs to, if units were given.
    """

    truth: Coded | None
    models: dict[str, Coded]
    right: dict[str, NDArray[np.bool_]]
    positions: NDArray[np.int64]
    n_given: int
    labels_true: Labels | None
    labels: dict[str, Labels]
    noise: dict[str, int]
    units: Units | None = None

    @classmethod
    def from_labels(
        cls,
        comparison: Comparison,
        labels_true: Any,
        models: Mapping[str, Any],
        units: Any = None,
        groups: Any = None,
    ) -> Instances:
        """Code the labels that a comparison was made from, treating noise and gaps as it did."""
        absent = [name for name in comparison.models if name not in models]
        if absent:
            raise InputError(f"models has no labels of {absent[0]!r}, which is in the comparison")
        settings = comparison.settings
        named = {"labels_true": labels_true, **{name: models[name] for name in comparison.models}}
        missing, noise_label = settings.get("missing", "raise"), settings.get("noise_label", -1)
        treatment = LabelOptions(missing, settings.get("noise", "cluster"), noise_label)
        # Rows without a unit or a group are left out as those without a label are, and so are those that the
        # comparison left out because they lack a probability, or have weight 0.
        rows, left_out = comparison._instances, None
        if isinstance(rows, KnownInstances) and rows.kept is not None:
            left_out = np.full(rows.n_given, True)
            left_out[rows.kept] = False
        beside = Weighting(units=units).beside | group_columns(groups)
        aligned = align_labels(named, treatment, beside, left_out)
        truth, predictions = aligned.labels[0], dict(zip(comparison.models, aligned.labels[1:], strict=True))
        # Under sampling weights, n is their sum.
        n = comparison.known_instances().n if isinstance(comparison.n, float) else comparison.n
        if len(truth) != n:
            raise InputError(
                Argument("labels_true"),
                f" has {len(truth)} usable entries, the comparison has {n}",
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
            labels_true=truth,
            labels=predictions,
            noise={} if right else _count_noise(named, missing, noise_label),
            units=None if units is None else Units.beside(aligned),
        )

    @classmethod
    def without_truth(cls, models: Mapping[str, Any], treatment: Mapping[str, Any]) -> Instances:
        """Code clusterings that are judged from the data alone, treating noise and gaps as requested."""
        missing, noise_label = treatment.get("missing", "raise"), treatment.get("noise_label", -1)
        aligned = align_labels(models, LabelOptions(missing, treatment.get("noise", "cluster"), noise_label))
        labels = dict(zip(models, aligned.labels, strict=True))
        return cls(
            truth=None,
            models={name: Coded.from_labels(one) for name, one in labels.items()},
            right={},
            positions=np.arange(aligned.n_given) if aligned.kept is None else aligned.kept,
            n_given=aligned.n_given,
            labels_true=None,
            labels=labels,
            noise=_count_noise(models, missing, noise_label),
        )

    def never_right(self) -> NDArray[np.int64]:
        """Return the input positions of the instances on which every classifier is wrong."""
        some = np.logical_or.reduce(list(self.right.values()))
        return np.asarray(self.positions[~some])


def _count_noise(named: Mapping[str, Any], missing: str, noise_label: Any) -> dict[str, int]:
    labels = align_labels(named, LabelOptions(missing)).labels
    masks = {name: one.where(noise_label) for name, one in zip(named, labels, strict=True)}
    counts = {name: int(mask.sum()) for name, mask in masks.items() if mask is not None}
    return {name: n for name, n in counts.items() if n and name != "labels_true"}
