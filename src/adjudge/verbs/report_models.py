"""Judging the models of a page: against the truth, by class, and from the data alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from adjudge._report.features import read_features
from adjudge._report.section import Section
from adjudge.errors import Argument, InputError, Option
from adjudge.given.alignment import align_labels
from adjudge.given.data_frames import named_models
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import code_labels
from adjudge.given.points import Points
from adjudge.given.scaling import as_scaling, scaled
from adjudge.indices.catalog import (
    default_indices,
    is_all,
    is_default,
    select_indices,
)
from adjudge.indices.internal_record import InternalIndex
from adjudge.indices.record import Index
from adjudge.inference.differences.head_to_head import takes_long
from adjudge.kinds.registry import KINDS
from adjudge.results import Comparison, Evaluation, KChoice
from adjudge.results.drawn_units import repeating_identifier
from adjudge.statistics.moments import made_by_centroids
from adjudge.verbs.compare import compare
from adjudge.verbs.evaluate import evaluate

__all__ = [
    "ShownIndices",
    "given_models",
    "internal_criteria",
    "judged_section",
]

# With more instances, a report shows only those default criteria that need no pass over all pairs of points.
_PAIRS_UP_TO = 20_000
# The leading criterion is bounded, so that readers can tell what a value is worth.
_LEADS = "silhouette"


@dataclass(frozen=True)
class ShownIndices:
    """The indices on the page: against the truth, and from the data alone."""

    scores: Any
    criteria: Any

    @classmethod
    def of(cls, indices: Any, kind: str | None) -> ShownIndices:
        """Split indices by whether they need the truth; a kind without a named index keeps its defaults."""
        if indices is None:
            return cls("default", None)
        if is_all(indices) or is_default(indices):
            return cls(indices, indices)
        records = select_indices(indices, KINDS[kind or "clustering"].judged_by())
        criteria = [record for record in records if isinstance(record, InternalIndex)]
        scores = [record for record in records if record not in criteria]
        return cls(scores or "default", criteria or "default")


def given_models(models: Any, k_choice: KChoice | None, labels_true: Any) -> dict[str, Any]:
    """Name the models; without models and truth, use the recommended partition."""
    if models is not None:
        return named_models(models)
    if labels_true is None and k_choice is not None and k_choice.k is not None:
        return {f"{k_choice.estimator}, K = {k_choice.k}": k_choice.labels[k_choice.k]}
    raise InputError("models is missing: give a mapping of names to labels, or a data frame")


def judged_section(
    given: Section,
    kind: Literal["clustering", "classification"] | None,
    shown: ShownIndices,
    confidence: float,
    standardize: bool | str,
    options: Mapping[str, Any],
) -> Section:
    """Add to a section the results of its models, which give one label per instance.

    Parameters
    ----------
    given : Section
        A section with models and, if known, truth and points.
    kind : {"clustering", "classification"} or None
        None if there is no truth.
    shown : ShownIndices
    confidence : float
    standardize : bool or {"standard", "robust", "log"}
        Compute internal criteria on scaled columns.
    options : mapping
        As for :func:`adjudge.compare`.
    """
    assert given.models is not None
    treatment = _treatment(options)
    comparison = internal = None
    if given.labels_true is None:
        _check_alone(kind, given.X, options, treatment, shown)
    else:
        assert kind is not None
        options = {"indices": shown.scores, **options}
        comparison = _compare_surely(given.labels_true, given.models, kind, confidence, treatment, options)
        if given.X is not None and options.get("units") is None:
            columns = read_features(given.X, given.feature_names, len(code_labels(given.labels_true, "")))
            said = repeating_identifier(columns.columns, (), columns.columns.__getitem__)
            comparison = replace(comparison, warnings=comparison.warnings + said)
    if kind != "classification" and given.X is not None and shown.criteria is not None:
        internal = internal_criteria(
            given.X,
            given.models,
            shown.criteria,
            labels_true=given.labels_true,
            feature_names=given.feature_names,
            features=given.features,
            standardize=standardize,
            **treatment,
        )
    return replace(
        given,
        comparison=comparison,
        internal=internal,
        treatment=treatment,
        units=options.get("units"),
        groups=options.get("groups"),
    )


def _treatment(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: options[name] for name in ("missing", "noise", "noise_label") if name in options}


def _check_alone(
    kind: str | None, X: Any, options: Mapping[str, Any], treatment: Mapping[str, Any], shown: ShownIndices
) -> None:
    """Check the inputs if there is no truth."""
    if kind == "classification":
        raise InputError("classifiers are judged against the truth: give ", Argument("labels_true"))
    if X is None:
        raise InputError(
            "there is neither ",
            Argument("labels_true"),
            " nor ",
            Argument("X"),
            ": give the truth, or the points",
        )
    # Models judged from points alone have no intervals here, so units have no effect.
    excess = sorted(options.keys() - treatment.keys() - {"units"})
    if excess:
        raise InputError(
            Option(excess[0]), " needs the truth: give ", Argument("labels_true"), ", or leave it out"
        )
    if isinstance(shown.scores, list):
        raise InputError(
            f"{shown.scores[0].name} compares with the truth: give ",
            Argument("labels_true"),
            ", or leave it out",
        )


def _compare_surely(
    labels_true: Any,
    models: Mapping[str, Any],
    kind: Literal["clustering", "classification"],
    confidence: float,
    treatment: Mapping[str, Any],
    options: Mapping[str, Any],
) -> Comparison:
    """Compare models; clusterings without intervals if they would take long, and corrected for chance."""
    level: float | None = confidence
    given = dict(options)
    if kind == "clustering":
        given = {"adjust": True, "random_state": 0, **given}
        aligned = align_labels({"labels_true": labels_true, **models}, LabelOptions(**treatment))
        if takes_long(aligned.labels[0], aligned.labels[1:]):
            level = None
    return compare(labels_true, models, kind=kind, confidence=level, **given)


def internal_criteria(
    X: Any,
    models: Mapping[str, Any],
    indices: str | Iterable[str | Index] = "default",
    *,
    labels_true: Any = None,
    feature_names: Sequence[str] | None = None,
    features: Sequence[str] | None = None,
    standardize: bool | str = False,
    **options: Any,
) -> dict[str, Evaluation] | None:
    """Judge each clustering from the numeric columns of the data alone.

    Parameters
    ----------
    X : array-like of shape (n, p) or data frame
    models : mapping of str to array-like of shape (n,)
    indices : "default" or internal indices
    labels_true : array-like of shape (n,), optional
        A column that repeats it is no coordinate.
    feature_names, features : sequence of str, optional
        Column names, and the columns used for distances; default: all that are coordinates.
    standardize : bool or {"standard", "robust", "log"}
        Scale the columns (:func:`adjudge.given.scaling.scaled`).
    **options
        As for :func:`adjudge.evaluate`.

    Returns
    -------
    dict of str to Evaluation, or None
        None if no column is numeric.
    """
    n = len(next(iter(models.values())))
    treatment = _treatment(options)
    known = {"labels_true": labels_true, "units": options.get("units")}
    beside = {name: own for name, own in known.items() if own is not None}
    gaps = LabelOptions(**treatment).drops_missing
    read = read_features(X, feature_names, n, features, {**models, **beside}, gaps=gaps)
    names, values = read.numeric(complete=False)
    if not names:
        return None
    values = Points.checked(values, names, gaps=gaps).values
    if (scaling := as_scaling(standardize)) is not None:
        values = scaled(values, scaling)
    chosen: Any = _default_criteria(n) if is_default(indices) else indices
    if "drop" in treatment.values():
        # An instance left out for one model is left out for all.
        aligned = align_labels(models, LabelOptions(**treatment))
        models = dict(zip(models, aligned.labels, strict=True))
        if aligned.kept is not None:
            values = values[aligned.kept]
    return {
        model: evaluate(X=values, labels=labels, indices=chosen, **options)
        for model, labels in models.items()
    }


def _default_criteria(n: int) -> list[Index]:
    """Return the default criteria that are feasible for n points, the leading one first."""
    found = default_indices(("internal",))
    if n > _PAIRS_UP_TO:
        found = [record for record in found if made_by_centroids(record.requires) == {*record.requires}]
    return sorted(found, key=lambda record: record.name != _LEADS)
