"""Everything that a user may bring, checked once: labels and points."""

from adjudge.inputs.labels import AlignedLabels, Labels, align_labels
from adjudge.inputs.points import Points, as_points

__all__ = ["AlignedLabels", "Labels", "Points", "align_labels", "as_points"]
