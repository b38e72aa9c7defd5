"""What sets the clusters of a partition apart, in words, and a typical point of each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from adjudge.presentation.plain import plain_json
from adjudge.presentation.tables import Table

# How many standard deviations a centre must be from that of all points to be called high, and very high.
_HIGH, _VERY_HIGH = 0.5, 1.5
# Most columns that are named.
_NAMED = 4


@dataclass(frozen=True, slots=True)
class ClusterProfile:
    """How a cluster differs from all points, column by column.

    Attributes
    ----------
    label : object
    n : int
        Points of the cluster.
    offsets : dict of str to float
        By column: by how many standard deviations the centre of the cluster lies above that of all points. For skewed
        columns, medians are compared, in units of the interquartile range.
    typical : int
        Position of the point that is nearest to the centre.
    """

    label: Any
    n: int
    offsets: dict[str, float]
    typical: int

    @property
    def words(self) -> str:
        """The columns that stand out, the furthest first: "spend very high, visits low".

        Examples
        --------
        >>> ClusterProfile(0, 5, {"spend": 1.8, "age": 0.1, "visits": -0.7}, 3).words
        'spend very high, visits low'
        """
        far = sorted(
            (name for name, own in self.offsets.items() if abs(own) >= _HIGH),
            key=lambda name: -abs(self.offsets[name]),
        )
        said = [
            f"{name} {'very ' if abs(self.offsets[name]) >= _VERY_HIGH else ''}"
            f"{'high' if self.offsets[name] > 0 else 'low'}"
            for name in far[:_NAMED]
        ]
        more = f" and {len(far) - _NAMED} more" if len(far) > _NAMED else ""
        return ", ".join(said) + more if said else "average in every column"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "cluster": plain_json(self.label),
            "n": self.n,
            "words": self.words,
            "offsets": plain_json(self.offsets),
            "typical": self.typical,
        }


def profiles_table(profiles: Iterable[ClusterProfile], title: str, first: int = 0) -> Table:
    """One row per cluster; positions of typical points are counted from `first`."""
    rows = [(profile.label, profile.n, profile.words, profile.typical + first) for profile in profiles]
    return Table(
        ("cluster", "points", "profile", "typical point" if first == 0 else "typical row"), tuple(rows), title
    )
