"""Clusterings judged from the columns of the data alone, for a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from adjudge._report.features import read_features
from adjudge.given.alignment import align_labels
from adjudge.given.label_options import LabelOptions
from adjudge.given.points import DataMatrix
from adjudge.given.scaling import as_scaling, scaled
from adjudge.indices.catalog import default_indices, is_default
from adjudge.indices.record import Index
from adjudge.results import Evaluation
from adjudge.statistics.moments import made_by_centroids
from adjudge.verbs.evaluate import evaluate

# With more instances, a report shows only those default criteria that need no pass over all pairs of points.
_PAIRS_UP_TO = 20_000
# The leading criterion is bounded, so that readers can tell what a value is worth.
_LEADS = "silhouette"


def treatment_in(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return those options that say how missing labels and noise are treated."""
    return {name: options[name] for name in ("missing", "noise", "noise_label") if name in options}


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
    treatment = treatment_in(options)
    known = {"labels_true": labels_true, "units": options.get("units")}
    beside = {name: own for name, own in known.items() if own is not None}
    gaps = LabelOptions(**treatment).drops_missing
    read = read_features(X, feature_names, n, features, {**models, **beside}, gaps=gaps)
    names, values = read.numeric(complete=False)
    if not names:
        return None
    values = DataMatrix.checked(values, names, gaps=gaps).values
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
