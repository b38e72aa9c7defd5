"""The options of `adjudge evaluate`: what is judged, and how points are read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer

from adjudge.cli.options import (
    RESOURCES,
    Decimal,
    EvaluateEngine,
    MemoryLimit,
    Precision,
    PrecisionOption,
    Standardize,
    Truth,
    as_bytes,
)
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

    truth: Truth = None
    pred: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COL",
            show_default=False,
            help="Columns to judge against the truth, or a pattern: 'model_*'.",
        ),
    ] = None
    labels: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COL",
            show_default=False,
            help="Columns to judge from points, and by --truth.",
        ),
    ] = None
    kind: Annotated[
        JudgedKind | None,
        typer.Option(
            metavar="KIND",
            show_default=False,
            help="clustering: names are arbitrary; classification: equal names are right; multilabel, overlapping: "
            "several labels, or clusters, in a row. Default: classification if both have the same text labels.",
        ),
    ] = None
    indices: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="Indices, by name or abbreviation, or 'all'; 'adjudge indices' lists them.",
        ),
    ] = None
    path_separator: Annotated[
        str | None,
        typer.Option(
            metavar="SIGN",
            show_default=False,
            help="Labels are paths of classes, such as a/b/c.",
        ),
    ] = None
    level: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COL",
            show_default=False,
            help="Columns of true classes in a tree, the highest first; --pred: classes, paths, or a/b/c for columns.",
        ),
    ] = None
    by_cluster: Annotated[
        bool,
        typer.Option(
            "--by-cluster",
            help="Also score each true cluster by its partner.",
        ),
    ] = False


@dataclass(frozen=True)
class PointFlags:
    """The points, and how distances between them are computed."""

    heading: ClassVar[str] = "Points"

    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--columns",
            "--features",
            metavar="COL",
            show_default=False,
            help="Columns of coordinates, or a pattern: 'x*'; default: all other numeric ones.",
        ),
    ] = None
    batch: Annotated[
        str | None,
        typer.Option(
            metavar="COL",
            show_default=False,
            help="Judge how well the batches in this column mix within each of --labels.",
        ),
    ] = None
    decimal: Decimal = None
    standardize: Standardize = None
    metric: Annotated[
        str, typer.Option(metavar="NAME", help="Distance between points, as SciPy names it")
    ] = "euclidean"
    compat: Annotated[
        str | None,
        typer.Option(
            metavar="PROGRAM",
            show_default=False,
            help="Internal indices as in 'clusterCrit'.",
        ),
    ] = None
    index_option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SET",
            show_default=False,
            help="Set an option of indices: tree=index, min_points=4 ...",
        ),
    ] = None
    exact: Annotated[
        bool,
        typer.Option(
            "--exact",
            help="Exact ranks even if memory is short.",
            rich_help_panel=RESOURCES,
        ),
    ] = False
    bins: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            show_default=False,
            help="Bins for estimating ranks of distances: 65536 (default) to 1048576.",
            rich_help_panel=RESOURCES,
        ),
    ] = None
    memory_limit: MemoryLimit = None
    precision: PrecisionOption = Precision.float64
    sample_size: Annotated[
        int | None,
        typer.Option(
            metavar="POINTS",
            show_default=False,
            help="Estimate indices that read distances from samples of this many points.",
            rich_help_panel=RESOURCES,
        ),
    ] = None
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            show_default=False,
            help="Save a long run here; the same command resumes from it.",
            rich_help_panel=RESOURCES,
        ),
    ] = None
    engine: Annotated[
        EvaluateEngine,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="memory: read all rows; duckdb: only counts and moments; auto (default): duckdb for large "
            "files; torch: compute in PyTorch.",
            rich_help_panel=RESOURCES,
        ),
    ] = EvaluateEngine.auto
    device: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="With --engine torch: 'cpu' (default) or 'cuda'.",
            rich_help_panel=RESOURCES,
        ),
    ] = None

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
