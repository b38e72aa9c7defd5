"""Everything that a user may bring, checked and coded once: labels, points, and the options of both."""

from adjudge.given.alignment import AlignedLabels, align_labels
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Labels
from adjudge.given.points import Points, as_points

__all__ = ["AlignedLabels", "LabelOptions", "Labels", "Points", "align_labels", "as_points"]
