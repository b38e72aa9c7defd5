"""The section of a page about models, whether instances have one label each or several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from adjudge._report.criteria import internal_criteria, treatment_in
from adjudge._report.features import read_features
from adjudge._report.label_sets import ShownSets
from adjudge._report.section import Section
from adjudge.errors import Argument, InputError, Option
from adjudge.given.alignment import align_labels
from adjudge.given.data_frames import named_models
from adjudge.given.label_options import LabelOptions
from adjudge.given.label_scores import read_label_scores
from adjudge.given.label_sets import read_label_sets
from adjudge.given.labels import code_labels
from adjudge.indices.catalog import is_all, is_default, select_indices
from adjudge.indices.internal_record import InternalIndex
from adjudge.inference.differences.head_to_head import takes_long
from adjudge.kinds.registry import KINDS
from adjudge.results import Comparison, KChoice
from adjudge.results.drawn_units import repeating_identifier
from adjudge.verbs.compare import compare

__all__ = ["ShownIndices", "given_models", "judged_section", "label_sets_section"]


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
    treatment = treatment_in(options)
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


def label_sets_section(
    labels_true: Any,
    models: Any,
    given: Mapping[str, Any],
    indices: Any,
    confidence: float,
    note: str,
    options: Mapping[str, Any],
) -> Section:
    """Compare multilabel classifiers."""
    if (excess := next((name for name, value in given.items() if value is not None), None)) is not None:
        raise InputError(Option(excess), " is not an option for several labels per instance: leave it out")
    if labels_true is None:
        raise InputError("classifiers are judged against the truth: give ", Argument("labels_true"))
    shown = _shown_sets(labels_true, models, options)
    asked = {"indices": "default" if indices is None else indices, "confidence": confidence, **options}
    # Only the comparison reports that labels are derived from probabilities.
    named = None if models is None else shown.models
    comparison = compare(shown.truth, named, kind="multilabel", **asked)
    return Section(title="Classifiers", comparison=comparison, sets=shown, note=note)


def _shown_sets(labels_true: Any, models: Any, options: Mapping[str, Any]) -> ShownSets:
    """Encode the label sets once, for the whole page; without the models' labels, take the likely ones."""
    classes, probabilities = options.get("classes"), options.get("probabilities")
    if models is not None or probabilities is None:
        named = given_models(models, None, labels_true)
        sets = read_label_sets({"labels_true": labels_true, **named}, classes)
        return ShownSets(sets.pop("labels_true"), sets)
    scores = {
        str(name): read_label_scores(own, probabilities=True, labels=classes)
        for name, own in probabilities.items()
    }
    known = classes or next((own.labels for own in scores.values() if own.labels), None)
    truth = read_label_sets({"labels_true": labels_true}, known)["labels_true"]
    return ShownSets(truth, {name: own.of(truth).likely() for name, own in scores.items()})
