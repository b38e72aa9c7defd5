"""Every kind of case: those that labels may be, by name, and those that are seen in what was given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from adjudge.given.options import check_choice
from adjudge.kinds.case import Case
from adjudge.kinds.class_statistics import ConfusionCase, LossesCase
from adjudge.kinds.clusters import Clustering
from adjudge.kinds.given import Given
from adjudge.kinds.judged_labels import JudgedClassifier
from adjudge.kinds.label_sets import LabelSetCase
from adjudge.kinds.numbers import RegressionCase, ValueCase
from adjudge.kinds.points import PointCase
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.sampled_clusters import SampledClustering
from adjudge.kinds.structures import StructureCase
from adjudge.kinds.sums import GivenClassifier

__all__ = ["KINDS", "check_roles", "kind_at_sight", "kind_compared", "kind_of_rows", "read_cases"]

_COMPARED: tuple[type[Case], ...] = (
    Clustering,
    GivenClassifier,
    LabelSetCase,
    RegressionCase,
    ValueCase,
)
#: What labels may be, by the name that options and results have for it: models of these kinds are compared.
KINDS: Mapping[str, type[Case]] = {kind.kind: kind for kind in _COMPARED}
# Models of these kinds are right or wrong, or off by a number, row by row, whatever they say of other rows.
_BY_ROW: Mapping[str, type[Case]] = {kind.kind: kind for kind in (GivenClassifier, RegressionCase)}
# What is no more than labels, at sight.
_PLAIN = (np.ndarray, list, type(None))
_AT_SIGHT: tuple[type[Case], ...] = (
    JudgedClassifier,
    SampledClustering,
    StructureCase,
    ConfusionCase,
    LossesCase,
)


def kind_at_sight(request: EvaluationRequest, given: Given) -> type[Case] | None:
    """Return the kind of what was given, if an option, or the type of what stands in the place of labels, says it."""
    one = [own for own in (given.truth, given.pred, given.labels) if type(own) not in _PLAIN]
    several = [part for own in one for part in (own.values() if isinstance(own, Mapping) else (own,))]
    for kind in _AT_SIGHT:
        if request.kind == kind.said_as or not kind.options.isdisjoint(given.roles):
            return kind
        for own in several if kind.may_be_by_name else one:
            if isinstance(own, kind.places):
                return kind
    return None


def kind_of_rows(name: str | None) -> type[Case]:
    """Return a kind whose models are judged row by row; None means that of classes."""
    if name is not None:
        check_choice("kind", name, tuple(_BY_ROW))
    return _BY_ROW[name or GivenClassifier.kind]


def kind_compared(request: EvaluationRequest, given: Given) -> type[Case]:
    """Return the kind of models that are compared: that of their labels, or classifiers with a judge beside them."""
    kind = KINDS[str(request.kind)]
    return JudgedClassifier if given.judge is not None and kind is GivenClassifier else kind


def check_roles(kind: str | None, roles: Iterable[str]) -> None:
    """Raise for the first option that labels of a kind do not read, if it is known that they are of that kind."""
    if kind in KINDS:
        KINDS[str(kind)].check(roles)


def read_cases(kind: type[Case], request: EvaluationRequest, given: Given) -> list[Case]:
    """Check and encode what `evaluate` judges of one model: labels, and the points beside them."""
    if not kind.may_have_points:
        return [kind.read_one(request, given)]
    cases: list[Case] = [] if given.truth is None else [kind.read_one(request, given)]
    return cases if given.X is None else [*cases, PointCase.read_one(request, given)]
