"""Sources of points: memory or a lazy table. Each source says what it offers, and reduces its points."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from adjudge.engines.frames.counting import FrameTable
from adjudge.errors import InputError, NoCentroidsError
from adjudge.given.label_options import LabelOptions
from adjudge.given.metrics import why_no_centroids
from adjudge.given.partitioned import PartitionedPoints
from adjudge.progress import Progress
from adjudge.statistics.reduced import ReducedPoints

__all__ = ["FramePoints", "MemoryPoints", "PointSource"]


class PointSource(Protocol):
    """Points with their clusters."""

    @property
    def at_hand(self) -> Collection[type]:
        """What statistics can be made from, or the statistics that can be made."""
        ...

    def refusal(self, names: Sequence[str]) -> InputError:
        """Return the error that says why indices cannot be computed from these points."""
        ...

    def reduce(
        self, wanted: Iterable[type], progress: Progress | None, n_neighbors: int | None = None
    ) -> ReducedPoints:
        """Reduce the points to statistics at once; `n_neighbors` per point are read, None if unknown."""
        ...


@dataclass(frozen=True)
class MemoryPoints:
    """Points in memory, or in a memory map."""

    partitioned: PartitionedPoints

    @property
    def at_hand(self) -> Collection[type]:
        """What statistics can be made from."""
        return self.partitioned.things

    def refusal(self, names: Sequence[str]) -> InputError:
        """Say that there are only distances."""
        more = f" and {len(names) - 4} more" if len(names) > 4 else ""
        return NoCentroidsError(
            f"{', '.join(names[:4])}{more}: ", *why_no_centroids(self.partitioned.options.metric)
        )

    def reduce(
        self, wanted: Iterable[type], progress: Progress | None, n_neighbors: int | None = None
    ) -> ReducedPoints:
        """Have the engine of the options reduce the points."""
        from adjudge.engines.points import reduce_partitioned

        options = self.partitioned.options.for_neighbours(n_neighbors)
        return reduce_partitioned(replace(self.partitioned, options=options), wanted, progress)


@dataclass(frozen=True)
class FramePoints:
    """Columns of a lazy table, which its own engine aggregates.

    Attributes
    ----------
    table : FrameTable
    label : str
        Column with the cluster of each row.
    features : sequence of str
        Numeric columns.
    treatment : LabelOptions
    """

    table: FrameTable
    label: str
    features: Sequence[str]
    treatment: LabelOptions

    @property
    def at_hand(self) -> Collection[type]:
        """Statistics that the table's engine computes."""
        from adjudge.engines.frames.moments import FRAME_STATISTICS

        return FRAME_STATISTICS

    def refusal(self, names: Sequence[str]) -> InputError:
        """Say that no points leave the table."""
        return InputError(
            f"{names[0]} needs the points themselves, but the engine returns only moments: collect the table first"
        )

    def reduce(
        self, wanted: Iterable[type], progress: Progress | None, n_neighbors: int | None = None
    ) -> ReducedPoints:
        """Have the table's engine compute moments."""
        from adjudge.engines.frames.moments import reduce_frame

        return reduce_frame(self.table, self.label, self.features, wanted, self.treatment)
