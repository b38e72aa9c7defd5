"""The labels and scores that a fitted scikit-learn estimator gives to data."""

from __future__ import annotations

from typing import Any

from adjudge.errors import Argument, InputError, InputTypeError
from adjudge.given.probabilities import decision_values


def labels_by(estimator: Any, X: Any) -> Any:
    """Return the labels of X by a fitted estimator: predicted if it can predict, or else those of the fit."""
    name = _checked_name(estimator)
    if hasattr(estimator, "predict"):
        return estimator.predict(X)
    if not hasattr(estimator, "labels_"):
        raise InputTypeError(Argument(name), " has neither predict() nor labels_: it gives no labels")
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    if len(estimator.labels_) != n:
        raise InputError(
            Argument(name),
            f" cannot predict and was fitted to {len(estimator.labels_)} instances, ",
            Argument("X"),
            f" has {n}: give the X that it was fitted to",
        )
    return estimator.labels_


def scores_by(estimator: Any, X: Any) -> tuple[dict[str, Any], Any]:
    """Return a fitted classifier's probabilities, or else decision values, as options of a verb, and its classes."""
    name = _checked_name(estimator)
    classes = list(estimator.classes_) if hasattr(estimator, "classes_") else None
    if hasattr(estimator, "predict_proba"):
        return {"probabilities": estimator.predict_proba(X)}, classes
    if hasattr(estimator, "decision_function"):
        return {"scores": decision_values(estimator.decision_function(X), classes)}, classes
    raise InputTypeError(
        Argument(name), " has neither predict_proba() nor decision_function(): it gives no scores"
    )


def _checked_name(estimator: Any) -> str:
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    name = type(estimator).__name__
    if not hasattr(estimator, "fit"):
        raise InputTypeError(Argument(name), " is not an estimator: it has no fit()")
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        raise InputError(Argument(name), " is not fitted: call fit() first") from None
    return name


def estimator_name(estimator: Any) -> str:
    """Return the name of an estimator for a picture: its class."""
    return type(estimator).__name__
