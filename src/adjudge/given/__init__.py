"""Everything that a user may bring, checked once: labels and points."""

from adjudge.given.labels import AlignedLabels, Labels, align_labels
from adjudge.given.points import Points, as_points

__all__ = ["AlignedLabels", "Labels", "Points", "align_labels", "as_points"]
