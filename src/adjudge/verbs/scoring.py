"""Any index as a scikit-learn scorer: a callable that takes an estimator, points, and the truth."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from adjudge.errors import Call, InputError, InputTypeError, Option, a_type
from adjudge.given.labels import Column
from adjudge.given.options import check_choice
from adjudge.given.positive import chosen_by_order
from adjudge.given.probabilities import decision_values
from adjudge.given.weights import MEANINGS
from adjudge.indices.catalog import find_index
from adjudge.indices.comparative_record import ComparativeIndex
from adjudge.indices.forecast_record import ForecastIndex
from adjudge.indices.internal_record import InternalIndex
from adjudge.indices.kinds import Kind
from adjudge.indices.numbers import RunIndex, ValueIndex
from adjudge.indices.record import Index
from adjudge.indices.structure_record import StructureIndex
from adjudge.kinds.which_kind import index_called
from adjudge.statistics.classes import classes_of_truth

__all__ = ["IndexScorer", "make_scorer"]

# Parameters that a scorer fills in itself; the other parameters of an index can be fixed.
_FOUND = {"labels_true", "labels_pred", "X", "labels", "primary", "alternative", "counts"}
_FOUND |= {"probabilities", "scores", "classes", "sample_weight"}
Response = Literal["probabilities", "scores"]


def make_scorer(
    index: str | Index,
    *,
    greater_is_better: bool | None = None,
    undefined: float | Literal["raise"] = math.nan,
    alternative: Any = None,
    kind: Literal["clustering", "classification"] | None = None,
    response: Response | None = None,
    **parameters: Any,
) -> IndexScorer:
    """Turn an index into a scorer for ``GridSearchCV``, ``cross_validate`` and the rest of scikit-learn.

    Parameters
    ----------
    index : str or Index
        External indices and classification scores compare the estimator's labels with `y`; internal indices judge
        them from `X` and ignore `y`; comparative measures compare them with the labels of `alternative`.
        Criteria for K need a whole sweep rather than a single partition: use :func:`choose_k` for them.
    greater_is_better : bool, optional
        Default: as the record says. Values are negated if lower is better, because scikit-learn
        maximises. Required for the few indices where neither direction is better.
    undefined : float or "raise", default nan
        The score if the index is undefined. ``GridSearchCV`` ranks nan last, and warns; "raise" raises an
        :class:`InputError`, which its `error_score` handles.
    alternative : fitted estimator or callable, optional
        The other model for comparative measures: an estimator with ``predict(X)``, or a function that returns labels
        for X.
    kind : {"clustering", "classification"}, optional
        Whether the score is for clusterings or classifiers. By default, an ambiguous name such as "f1" follows the type
        of the estimator; comparative measures require `kind`.
    response : {"probabilities", "scores"}, optional
        The input of scores of probabilities: the estimator's ``predict_proba`` or its ``decision_function``. Default:
        probabilities if available, else decision values if these are enough.
    **parameters
        Parameters of the index, such as `positive` (or `pos_label`), `noise`, `missing` and `metric`; and `weights`,
        the meaning of the sample weights that the scorer may be given, which clusterings need.

    Returns
    -------
    IndexScorer
        ``scorer(estimator, X, y=None, sample_weight=None)`` returns a float. Scorers can be pickled.

    Notes
    -----
    Labels come from ``estimator.predict(X)``. An estimator that cannot label new points (DBSCAN, agglomerative
    clustering) clusters the points that it is judged on: a clone is fitted to them. For a pipeline, internal
    indices use `X` before the pipeline transforms it.

    From scikit-learn 1.7 on, a search that is fitted with sample weights passes them on. With metadata routing
    enabled, any version does so if ``scorer.set_score_request(sample_weight=True)`` asks for them.

    Internal indices whose rule for K is a difference (see `best_k` of their record) improve with every additional
    cluster, so they cannot choose K in a grid search.

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV, ShuffleSplit
    >>> from adjudge import make_scorer
    >>> X, species = load_iris(return_X_y=True)
    >>> search = GridSearchCV(
    ...     KMeans(n_init=10, random_state=0),
    ...     {"n_clusters": [2, 3, 4, 5]},
    ...     scoring={"ari": make_scorer("adjusted_rand"), "db": make_scorer("davies_bouldin")},
    ...     refit="ari",
    ...     cv=ShuffleSplit(5, random_state=0),
    ... ).fit(X, species)
    >>> search.best_params_, bool((search.cv_results_["mean_test_db"] < 0).all())
    ({'n_clusters': 3}, True)

    A score of one class needs its name, unless the classes are 0 and 1, or False and True:

    >>> from sklearn.dummy import DummyClassifier
    >>> text = ["churn", "stay", "stay"]
    >>> guess = DummyClassifier().fit(X[:3], text)
    >>> make_scorer("recall", positive="churn")(guess, X[:3], text)
    0.0
    >>> make_scorer("recall")(guess, X[:3], text)
    Traceback (most recent call last):
        ...
    adjudge.errors.InputError: recall is of one class: pass make_scorer() positive='churn' or positive='stay'
    """
    meant = (index,) if isinstance(index, Index) else _find(index, kind, parameters)
    record, of_clusterings = meant[0], meant[1] if len(meant) > 1 else None
    if record.kind == "selection":
        raise InputError(
            f"{record.name} reads partitions into several numbers of clusters: use ", Call("choose_k")
        )
    if isinstance(record, (StructureIndex, ValueIndex, RunIndex)):
        raise InputError(f"{record.name} judges no labels that an estimator predicts: use ", Call("evaluate"))
    if greater_is_better is None:
        if record.better is None:
            raise InputError(
                f"neither high nor low values of {record.name} are better: pass ",
                Option("greater_is_better", True),
                " or False",
            )
        greater_is_better = record.better == "higher"
    if undefined != "raise" and not isinstance(undefined, (int, float)):
        raise InputError(Option("undefined", undefined), " is not known: give a number, or 'raise'")
    if isinstance(record, ComparativeIndex) and kind is not None:
        parameters["kind"] = kind
    _check_response(record, response)
    _check_alternative(record, alternative)
    _check_parameters(record, parameters)
    return IndexScorer(
        record, 1 if greater_is_better else -1, undefined, alternative, parameters, response, of_clusterings
    )


def _find(name: str, kind: str | None, parameters: Mapping[str, Any]) -> tuple[Index, ...]:
    """Look up a name among the indices of a kind; without a kind, it may mean one of classes and one of clusters."""
    if kind is not None:
        check_choice("kind", kind, ("clustering", "classification"))
        of_kind: tuple[Kind, ...] = ("external", "internal") if kind == "clustering" else ("classification",)
        for one in (*of_kind, "comparative", "diversity"):
            if (found := index_called(name, one)) is not None:
                return (found,)
    of_classifiers, of_clusterings = index_called(name, "classification"), index_called(name, "external")
    if kind is None and of_clusterings is not None and of_classifiers is not None:
        both = (of_classifiers, of_clusterings)
        return tuple(own for own in both if parameters.keys() <= {*_parameters_of(own)}) or both
    return (find_index(name),)


def _check_response(record: Index, response: Any) -> None:
    if response is None:
        return
    check_choice("response", response, ("probabilities", "scores"))
    if not isinstance(record, ForecastIndex):
        raise InputError(f"{record.name} reads labels: leave ", Option("response"), " out")
    if response == "scores" and record.needs_probabilities:
        raise InputError(
            f"{record.name} needs probabilities: ", Option("response", "scores"), " only rank the instances"
        )


def _check_alternative(record: Index, alternative: Any) -> None:
    if not isinstance(record, ComparativeIndex):
        if alternative is not None:
            raise InputError(
                f"{record.name} judges one model: ",
                Option("alternative"),
                " is for measures that compare two models",
            )
    elif alternative is None:
        raise InputError(
            f"{record.name} compares two models: pass ", Option("alternative"), ", a fitted estimator"
        )
    elif not hasattr(alternative, "predict") and not callable(alternative):
        raise InputTypeError(
            f"alternative is {a_type(alternative)}: give a fitted estimator, or a function of X"
        )


def _parameters_of(record: Index) -> list[str]:
    """Return the parameters of an index that can be fixed."""
    return [name for name in inspect.signature(record).parameters if name not in _FOUND]


def _check_parameters(record: Index, parameters: Mapping[str, Any]) -> None:
    known = _parameters_of(record)
    for name in parameters:
        if name not in known:
            raise InputTypeError(f"{record.name} has no parameter {name!r}: choose one of {', '.join(known)}")
    record.check_choices(parameters)
    if "weights" in parameters:
        check_choice("weights", parameters["weights"], MEANINGS)
    if isinstance(record, ComparativeIndex) and "kind" not in parameters:
        raise InputError(
            f"{record.name} needs ", Option("kind", "clustering"), " or ", Option("kind", "classification")
        )


@dataclass(frozen=True)
class IndexScorer:
    """A scorer made by :func:`make_scorer`.

    Attributes
    ----------
    index : Index
        The index that it computes.
    sign : {1, -1}
        -1 if lower is better: the score is then the negated value.
    undefined : float or "raise"
        The score if the index is undefined.
    alternative : object or None
        The other model of comparative measures.
    parameters : dict
        Parameters of the index.
    response : {"probabilities", "scores"} or None
        The input of a score of probabilities.
    of_clusterings : Index or None
        The index that it computes for clusterers, if the name is ambiguous.
    requests : dict
        What :meth:`set_score_request` was told.
    """

    index: Index
    sign: int
    undefined: float | Literal["raise"]
    alternative: Any
    parameters: Mapping[str, Any]
    response: Response | None = None
    of_clusterings: Index | None = None
    requests: dict[str, bool | str | None] = field(default_factory=dict)

    def __call__(self, estimator: Any, X: Any, y: Any = None, *, sample_weight: Any = None) -> float:
        """Score an estimator on points, with the truth if the index needs it; higher is better."""
        if self.of_clusterings is not None:
            meant = replace(self, index=self._meant_for(estimator), of_clusterings=None)
            return meant(estimator, X, y, sample_weight=sample_weight)
        if sample_weight is not None:
            self._check_takes_weights()
        if y is None and not isinstance(self.index, InternalIndex):
            raise InputError(f"{self.index.name} compares labels with the truth: y is missing")
        options = dict(self.parameters)
        if sample_weight is None:
            options.pop("weights", None)
        else:
            options["sample_weight"] = sample_weight
        if isinstance(self.index, ForecastIndex):
            forecast = self._forecast(estimator, X)
            classes = forecast.get("classes")
            found = partial(self.index, y, **forecast, **options)
            return self._signed(self._of_a_named_class(found, y if classes is None else classes))
        labels = _labels_of(estimator, X)
        if isinstance(self.index, InternalIndex):
            value = self.index(X, labels, **options)
        elif isinstance(self.index, ComparativeIndex):
            value = self.index(y, labels, _labels_by(self.alternative, X), **options)
        else:
            value = self._of_a_named_class(partial(self.index, y, labels, **options), y, labels)
        return self._signed(value)

    def _of_a_named_class(self, value: Callable[..., float], *labels: Any) -> float:
        """Return the value, unless it is another one of the other class and only their order says which is meant.

        Parameters
        ----------
        value : callable
            The value, or that of the class `positive`.
        *labels : array-like
            Labels that occur.
        """
        found = value()
        parameters = inspect.signature(self.index).parameters
        named = self.parameters.keys() & {"positive", "pos_label"}
        averaged = self.parameters.get("average") not in (None, "binary")
        if "positive" not in parameters or named or averaged:
            return found
        occurring = [Column.of(np.asarray(own), "y").values.occurring() for own in labels]
        classes = classes_of_truth(occurring[0], [label for own in occurring[1:] for label in own])
        if chosen_by_order(classes, None):
            other = value(positive=classes[0])
            if not (math.isclose(found, other, abs_tol=1e-9) or (math.isnan(found) and math.isnan(other))):
                raise InputError(
                    f"{self.index.name} is of one class: pass make_scorer() ",
                    Option("positive", classes[0]),
                    " or ",
                    Option("positive", classes[1]),
                )
        return found

    def set_score_request(self, *, sample_weight: bool | str | None) -> IndexScorer:
        """Say whether scikit-learn's metadata routing passes sample weights to the scorer.

        Parameters
        ----------
        sample_weight : bool, str or None
            Whether they are passed, or the name under which they are given. None: an error if they are given.

        Returns
        -------
        IndexScorer
            The scorer itself.

        Raises
        ------
        InputError
            If routing is not enabled, or the index has no weights, or it is unknown what they mean.
        """
        from sklearn import get_config

        if not get_config().get("enable_metadata_routing"):
            raise InputError(
                "scikit-learn routes no metadata: call sklearn.set_config() with ",
                Option("enable_metadata_routing", True),
            )
        self._check_takes_weights()
        if sample_weight and not self._accept_sample_weight():
            raise InputError(
                f"sample weights of {self.index.name} can mean two things: pass make_scorer() ",
                Option("weights", "frequency"),
                " or ",
                Option("weights", "importance"),
            )
        self.requests["sample_weight"] = sample_weight
        return self

    def get_metadata_routing(self) -> Any:
        """Return what the scorer asks of scikit-learn's metadata routing.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRequest
        """
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        if self._takes_weights:
            request.score.add_request(param="sample_weight", alias=self.requests.get("sample_weight"))
        return request

    @property
    def _takes_weights(self) -> bool:
        return "sample_weight" in inspect.signature(self.index).parameters

    def _accept_sample_weight(self) -> bool:
        # scikit-learn's name: without routing, a search asks for it before it passes weights on.
        has_meaning = self.index.kind == "classification" or "weights" in self.parameters
        return self._takes_weights and has_meaning

    def _check_takes_weights(self) -> None:
        if not self._takes_weights:
            raise InputError(f"{self.index.name} has no weights: leave ", Option("sample_weight"), " out")

    def _meant_for(self, estimator: Any) -> Index:
        """Return the index for classes if given a classifier, the one for clusterings if given a clusterer."""
        from sklearn.base import is_classifier, is_clusterer

        assert self.of_clusterings is not None
        if is_classifier(estimator):
            return self.index
        if is_clusterer(estimator):
            return self.of_clusterings
        raise InputError(
            f"{a_type(estimator)} is neither a classifier nor a clusterer: pass make_scorer() ",
            Option("kind", "clustering"),
            f" for {self.of_clusterings.name} of pairs of instances, or ",
            Option("kind", "classification"),
            f" for {self.index.name} of classes",
        )

    def _signed(self, value: float) -> float:
        return self._undefined() if math.isnan(value) else self.sign * value

    def _forecast(self, estimator: Any, X: Any) -> dict[str, Any]:
        """Return an estimator's probabilities or decision values for its classes."""
        assert isinstance(self.index, ForecastIndex)
        classes = list(estimator.classes_) if hasattr(estimator, "classes_") else None
        if self.response != "scores" and hasattr(estimator, "predict_proba"):
            return {"probabilities": estimator.predict_proba(X), "classes": classes}
        if self.response == "probabilities" or self.index.needs_probabilities:
            raise InputTypeError(f"{a_type(estimator)} has no predict_proba, which {self.index.name} needs")
        if hasattr(estimator, "decision_function"):
            return {"scores": decision_values(estimator.decision_function(X), classes)}
        raise InputTypeError(
            f"{a_type(estimator)} has neither predict_proba nor decision_function: {self.index.name} needs one"
        )

    def _undefined(self) -> float:
        if isinstance(self.undefined, str):
            why = f": {self.index.undefined}" if self.index.undefined else ""
            raise InputError(f"{self.index.name} is undefined for these labels{why}")
        return self.undefined

    def __repr__(self) -> str:
        options = [f"{name}={value!r}" for name, value in self.parameters.items()]
        if self.sign == -1:
            options.append("greater_is_better=False")
        if self.response is not None:
            options.append(f"response={self.response!r}")
        return f"make_scorer({', '.join([repr(self.index.name), *options])})"


def _labels_of(estimator: Any, X: Any) -> Any:
    if hasattr(estimator, "predict"):
        return estimator.predict(X)
    if hasattr(estimator, "fit_predict"):
        from sklearn.base import clone

        return clone(estimator).fit_predict(X)
    raise InputTypeError(f"{a_type(estimator)} cannot label points: it has neither predict nor fit_predict")


def _labels_by(model: Any, X: Any) -> Any:
    return model.predict(X) if hasattr(model, "predict") else model(X)
