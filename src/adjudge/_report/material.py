"""The instances of a section of the page: labels as they are judged, and what is shown beside them, checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from adjudge._report.features import Features, PlaneMap, given_map, principal_map, read_features
from adjudge._report.images import Pictures, PixelPictures, read_pictures
from adjudge._report.section import Section
from adjudge.array_types import Bools, Ints
from adjudge.errors import InputError
from adjudge.given.alignment import align_labels
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Labels
from adjudge.given.options import given_names
from adjudge.results import Comparison


@dataclass(frozen=True)
class Coded:
    """A label vector as codes 0..K-1, with the name and the size of each group."""

    codes: Ints
    names: list[str]
    sizes: Ints

    @classmethod
    def of(cls, labels: Labels) -> Coded:
        """Code labels without gaps."""
        codes, names, sizes = labels.counted()
        return cls(codes, [str(name) for name in names], sizes)


@dataclass(frozen=True, eq=False)
class Material:
    """What is known about the instances of a section.

    Attributes
    ----------
    labels : dict of str to Labels
        By model, as they are judged: with noise and gaps treated as requested.
    positions : ndarray of int64
        Position in the input of each instance that was not left out.
    n_given : int
        Number of instances in the input.
    labels_true : Labels or None
        None if there is no truth.
    right : dict of str to ndarray of bool
        Where each classifier is right; empty for clusterings.
    noise : dict of str to int
        Instances that each model calls noise.
    features, plane, pictures, text
        What is shown beside the labels, if anything.
    pixels : bool
        Whether the columns are the pixels of the pictures.
    """

    labels: dict[str, Labels]
    positions: Ints
    n_given: int
    labels_true: Labels | None = None
    right: dict[str, Bools] = field(default_factory=dict)
    noise: dict[str, int] = field(default_factory=dict)
    features: Features | None = None
    plane: PlaneMap | None = None
    pictures: Pictures | None = None
    text: list[str] | None = None
    pixels: bool = False

    @cached_property
    def truth(self) -> Coded | None:
        """The true classes."""
        return None if self.labels_true is None else Coded.of(self.labels_true)

    @cached_property
    def models(self) -> dict[str, Coded]:
        """The labels of each model."""
        return {name: Coded.of(labels) for name, labels in self.labels.items()}

    @property
    def columns(self) -> Features | None:
        """The columns that are worth showing: one for each pixel would bury the table, and says little."""
        return None if self.pixels else self.features

    def never_right(self) -> Ints:
        """Return the input positions of the instances on which every classifier is wrong."""
        some = np.logical_or.reduce(list(self.right.values()))
        return np.asarray(self.positions[~some])


def material_of(section: Section) -> Material | None:
    """Check what a section says about its instances; None if it does not show any."""
    if section.models is None or (section.comparison is not None and section.labels_true is None):
        return None
    if section.comparison is None:
        known = _judged_alone(section.models, section.treatment)
    else:
        known = _compared(section.comparison, section.labels_true, section.models)
    n = known["n_given"]
    features = None
    if section.X is not None:
        beside = {"labels_true": section.labels_true, "units": section.units}
        # Columns that repeat labels or units hold no coordinates.
        labels = {name: own for name, own in beside.items() if own is not None} | dict(section.models)
        gaps = LabelOptions(**section.treatment).drops_missing
        features = read_features(section.X, section.feature_names, n, section.features, labels, gaps=gaps)
    text = None if section.text is None else [str(t) for t in given_names("text", section.text)]
    if text is not None and len(text) != n:
        raise InputError(f"text has {len(text)} entries, but there are {n} instances")
    pictures = None if section.images is None else read_pictures(section.images, n)
    pixels = (
        features is not None
        and isinstance(pictures, PixelPictures)
        and len(features.columns) == math.prod(np.shape(section.images)[1:])
    )
    plane = None
    if section.embedding is not None:
        plane = given_map(section.embedding, n)
    elif features is not None:
        plane = principal_map(features, None if pixels else section.scaling)
    return Material(**known, features=features, plane=plane, pictures=pictures, text=text, pixels=pixels)


def _compared(comparison: Comparison, labels_true: Any, models: Mapping[str, Any]) -> dict[str, Any]:
    """Return the instances that a comparison keeps, and what the given labels say of noise, which it has treated."""
    rows = comparison.known_instances()
    if rows.weights is not None and rows.weights.dtype.kind != "f" and (rows.weights != 1).any():
        raise InputError(
            "a page shows each instance, but a row stands for several: repeat each row as often as it was counted"
        )
    found = {
        "labels": {name: own for name, own in rows.labels.items() if isinstance(own, Labels)},
        "positions": rows.positions,
        "n_given": rows.n_given,
        "labels_true": rows.truth,
    }
    if comparison.kind == "classification":
        return found | {"right": rows.right}
    named = {"labels_true": labels_true, **{name: models[name] for name in comparison.models}}
    settings = comparison.settings
    return found | {"noise": _noise(named, settings.get("missing", "raise"), settings.get("noise_label", -1))}


def _judged_alone(models: Mapping[str, Any], treatment: Mapping[str, Any]) -> dict[str, Any]:
    """Code clusterings that are judged from the data alone, treating noise and gaps as requested."""
    missing, noise_label = treatment.get("missing", "raise"), treatment.get("noise_label", -1)
    aligned = align_labels(models, LabelOptions(missing, treatment.get("noise", "cluster"), noise_label))
    return {
        "labels": dict(zip(models, aligned.labels, strict=True)),
        "positions": np.arange(aligned.n_given) if aligned.kept is None else aligned.kept,
        "n_given": aligned.n_given,
        "noise": _noise(models, missing, noise_label),
    }


def _noise(named: Mapping[str, Any], missing: str, noise_label: Any) -> dict[str, int]:
    """Count the instances that each model calls noise."""
    labels = align_labels(named, LabelOptions(missing)).labels
    masks = {name: one.where(noise_label) for name, one in zip(named, labels, strict=True)}
    counts = {name: int(mask.sum()) for name, mask in masks.items() if mask is not None}
    return {name: n for name, n in counts.items() if n and name != "labels_true"}
