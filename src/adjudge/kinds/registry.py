"""Every kind of case that models are compared by, by the name that options and results have for it."""

from __future__ import annotations

from collections.abc import Mapping

from adjudge.kinds.case import Case
from adjudge.kinds.class_groups import GroupedClassifier
from adjudge.kinds.clusters import Clustering
from adjudge.kinds.label_sets import LabelSetCase

__all__ = ["KINDS"]

KINDS: Mapping[str, type[Case]] = {kind.kind: kind for kind in (Clustering, GroupedClassifier, LabelSetCase)}
