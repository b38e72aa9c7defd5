"""The options of `adjudge evaluate`: what is judged, and how points are read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar

from adjudge.cli.options import EvaluateEngine, Precision, WhatScaling, as_bytes
from adjudge.errors import InputError

__all__ = ["JudgedFlags", "JudgedKind", "PointFlags"]


# Options of points that say how indices are defined.
_OF_INDICES = ("n_neighbors", "dimension", "tree", "min_points")


class JudgedKind(StrEnum):
    """Which kind the labels to judge are."""

    clustering = "clustering"
    classification = "classification"
    multilabel = "multilabel"
    overlapping = "overlapping"

    @property
    def of_sets(self) -> bool:
        """Whether a row has several labels, or none."""
        return self in (JudgedKind.multilabel, JudgedKind.overlapping)


@dataclass(frozen=True)
class JudgedFlags:
    """What is judged, and by which indices."""

    heading: ClassVar[str] = "What is judged"

    truth: str | None = None
    pred: list[str] | None = None
    labels: list[str] | None = None
    kind: JudgedKind | None = None
    indices: list[str] | None = None
    path_separator: str | None = None
    levels: list[str] | None = None
    by_cluster: bool = False


@dataclass(frozen=True)
class PointFlags:
    """The points, and how distances between them are computed."""

    heading: ClassVar[str] = "Points"

    columns: list[str] | None = None
    batch: str | None = None
    decimal: str | None = None
    standardize: WhatScaling | None = None
    metric: str = "euclidean"
    compat: str | None = None
    index_option: list[str] | None = None
    exact: bool = False
    bins: int | None = None
    memory_limit: str | None = None
    precision: Precision = Precision.float64
    sample_size: int | None = None
    checkpoint: Path | None = None
    engine: EvaluateEngine = EvaluateEngine.auto
    device: str | None = None

    @property
    def in_torch(self) -> bool:
        """Whether PyTorch does the computation."""
        return self.engine is EvaluateEngine.torch

    @property
    def demands(self) -> dict[str, bool]:
        """The options that matter only for points, and whether each is given."""
        return {
            "--engine torch": self.in_torch,
            "--standardize": self.standardize is not None,
            "--batch": self.batch is not None,
            "--exact": self.exact,
            "--metric": self.metric != "euclidean",
            "--bins": self.bins is not None,
            "--memory-limit": self.memory_limit is not None,
            "--precision": self.precision is not Precision.float64,
            "--sample-size": self.sample_size is not None,
            "--checkpoint": self.checkpoint is not None,
            "--compat": self.compat is not None,
            "--index-option": bool(self.index_option),
        }

    def _of_indices(self) -> dict[str, Any]:
        """Read the options of indices."""
        from adjudge.cli.estimators import plain_value

        given = {}
        for text in self.index_option or ():
            name, sign, value = text.partition("=")
            name = name.strip().replace("-", "_")
            if name not in _OF_INDICES or not sign:
                known = ", ".join(_OF_INDICES)
                raise InputError(f"--index-option {text!r} is not known: write NAME=VALUE with {known}")
            given[name] = plain_value(value)
        return given

    @property
    def keywords(self) -> dict[str, Any]:
        """Return the options for points as arguments of `adjudge.evaluate`."""
        given = {
            "metric": self.metric if self.metric != "euclidean" else None,
            "exact": self.exact or None,
            "precision": self.precision.value if self.precision is not Precision.float64 else None,
            "bins": self.bins,
            "memory_limit": None if self.memory_limit is None else as_bytes(self.memory_limit),
            "checkpoint": self.checkpoint,
            "engine": "torch" if self.in_torch else None,
            "device": self.device,
            "sample_size": self.sample_size,
            **self._of_indices(),
        }
        return {name: value for name, value in given.items() if value is not None}
