"""Options that belong together, as one object each: of a classifier, of points, and of how to compute."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, TypedDict

from adjudge.errors import InputError, InputTypeError, Option, a_type
from adjudge.given.metrics import Metric
from adjudge.given.point_options import Engine, Precision, Tree
from adjudge.given.structures import StructureKeywords


class _Group:
    """Options of which those that are not None are given."""

    def given(self) -> dict[str, Any]:
        """Return the options that are given, by their names as keywords."""
        named = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return {name: value for name, value in named.items() if value is not None}


@dataclass(frozen=True, eq=False)
class Classifier(_Group):
    """What a classifier says about each instance; takes the place of its labels.

    ``evaluate(truth, Classifier(probabilities=p))`` is ``evaluate(truth, probabilities=p)``, and
    ``compare(truth, {"a": Classifier(probabilities=p), "b": Classifier(probabilities=q)})`` compares two of them.

    Attributes
    ----------
    labels : array-like of shape (n,), optional
        Predicted labels; default: the likeliest class of each instance.
    probabilities : array-like of shape (n, C) or (n,), or data frame with a column for each class, optional
        A vector holds the probabilities of the positive class.
    scores : the same, optional
        Instead of probabilities: scores that only rank the instances.
    classes : sequence, optional
        All classes, in the order of the columns. Without probabilities, it is also the order that
        ordinal scores read, instead of that of the labels' type (an ordered categorical, an Enum).
    positive : optional
        The positive class; "true" names True, too, also in files.

    Examples
    --------
    >>> from adjudge import Classifier, evaluate
    >>> evaluate(["no", "yes", "yes"], Classifier(probabilities=[0.2, 0.9, 0.4], positive="yes"))["roc_auc"]
    1.0
    """

    labels: Any = None
    probabilities: Any = None
    scores: Any = None
    classes: Sequence[Any] | None = None
    positive: Any = None


#: The options of `Classifier` beside the labels.
OF_CLASSIFIERS = tuple(field.name for field in fields(Classifier) if field.name != "labels")


@dataclass(frozen=True, eq=False)
class Points(_Group):
    """Points, and how the distances between them are measured; takes the place of `X`.

    Attributes
    ----------
    X : array-like of shape (n, p), data frame, sparse matrix, or path
    metric : str or callable, optional
        A name from SciPy or scikit-learn, "precomputed", "gower" for columns of any kind, or a function of two points.
        Default: "euclidean".
    sample_size : int, optional
        Estimate the indices of distances from ten samples of this many points, with intervals.
    exact : bool, optional
        Count ranks of distances exactly, even if they exceed the memory limit.
    bins : int, optional
        Bins of the histogram that estimates ranks otherwise. Default: 2**16.
    n_neighbors : int, optional
        Number of nearest neighbours, for all indices that use neighbours. Default: that of each index.
    dimension : float, optional
        Exponent of the core distances of DBCV. Default: the number of variables.
    tree : {"densest_first", "ordered", "prim", "index"}, optional
        The minimum spanning tree of DBCV. Default: "densest_first".
    min_points : int, optional
        Points within the core distance of DISCO, including the point itself. Default: 5.

    Examples
    --------
    >>> from adjudge import Points, evaluate
    >>> X = [[0.0, 1.0], [0.0, 2.0], [1.0, 0.0], [3.0, 0.0]]
    >>> evaluate(X=Points(X, metric="cosine"), labels=[0, 0, 1, 1], indices="silhouette")["silhouette"]
    1.0
    """

    X: Any
    metric: Metric | None = None
    sample_size: int | None = None
    exact: bool | None = None
    bins: int | None = None
    n_neighbors: int | None = None
    dimension: float | None = None
    tree: Tree | None = None
    min_points: int | None = None


@dataclass(frozen=True, kw_only=True)
class Compute(_Group):
    """Where and how passes over points are computed. The values do not depend on it, except for `precision`.

    Attributes
    ----------
    n_jobs : int, optional
        Threads. Default, and for -1: one per core.
    memory_limit : int, optional
        Bytes for ranks of distances, in addition to the points. Default: 2**30.
    engine : {"memory", "torch"}, optional
        Compiled loops in threads (the default), or PyTorch.
    device : str, optional
        For PyTorch: "cpu" (the default) or "cuda".
    checkpoint : str or Path, optional
        A file in which passes over all distances save their state, and from which they resume.
    precision : {"float64", "float32"}, optional
        Precision of matrix products. Default: "float64".
    progress : callable or bool, optional
        Called as ``progress(what, done, total)``; False shows nothing. Default: a bar on a terminal or in a notebook.

    Examples
    --------
    >>> from adjudge import Compute, evaluate
    >>> points, labels = [[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1]
    >>> round(evaluate(X=points, labels=labels, indices="silhouette", compute=Compute(n_jobs=1))["silhouette"], 4)
    0.746
    """

    n_jobs: int | None = None
    memory_limit: int | None = None
    engine: Engine | None = None
    device: str | None = None
    checkpoint: str | Path | None = None
    precision: Precision | None = None
    progress: Any = None


class TableForms(TypedDict, total=False):
    """What only columns of a table need."""

    delimiter: str | None
    path_separator: str | None
    levels: Sequence[Any] | None
    key: Any
    directed: bool | None
    pairs: Any
    threshold: float | None


#: The options of `TableForms`.
OF_TABLES = tuple(TableForms.__annotations__)


class ShortForms(StructureKeywords, TableForms, total=False):
    """The options of `Classifier`, `Points` and `Compute` as keywords of a verb, structures, and those of tables."""

    probabilities: Any
    scores: Any
    classes: Sequence[Any] | None
    positive: Any
    metric: Metric
    sample_size: int | None
    exact: bool
    bins: int
    n_neighbors: int | None
    dimension: float | None
    tree: Tree
    min_points: int
    n_jobs: int | None
    memory_limit: int
    engine: Literal["auto", "memory", "duckdb", "torch"]
    device: str
    checkpoint: str | Path | None
    precision: Precision
    progress: Any


def with_classifier(labels_pred: Any, options: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the labels of a classifier, and the options of a verb with those that it holds."""
    if not isinstance(labels_pred, Classifier):
        return labels_pred, dict(options)
    found = _merged(labels_pred, options)
    return found.pop("labels", None), found


def classifiers_by_name(
    models: Mapping[Any, Any], beside: Collection[str]
) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """Return the labels of several classifiers by name, None if they follow from probabilities, and their options.

    Parameters
    ----------
    models : mapping of str to Classifier or array-like
        Labels alone are a classifier that has nothing else.
    beside : collection of str
        Options that were given as keywords.
    """
    given = {
        str(name): model.given() if isinstance(model, Classifier) else {"labels": model}
        for name, model in models.items()
    }
    options: dict[str, Any] = {}
    for option in ("labels", "probabilities", "scores"):
        found = {name: own[option] for name, own in given.items() if option in own}
        if found:
            options[option] = found
    if "labels" in options:  # those that have none follow from probabilities
        options["labels"] = {name: own.get("labels") for name, own in given.items()}
    for option in ("classes", "positive"):
        said = [own[option] for own in given.values() if option in own]
        if any(not _same(own, said[0]) for own in said):
            raise InputError(Option(option), " differs between the models: give the same for all")
        if said:
            options[option] = said[0]
    twice = next((name for name in options if name in beside), None)
    if twice is not None:
        raise InputError(Option(twice), " was given twice: in Classifier, and as a keyword")
    return options.pop("labels", None), options


def _same(one: Any, other: Any) -> bool:
    """Whether two models name the same class, or the same classes."""
    if isinstance(one, (str, int, float)) or isinstance(other, (str, int, float)):
        return type(one) is type(other) and bool(one == other)
    return [*one] == [*other]


def with_points(X: Any, compute: Compute | None, options: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the points themselves, and the options of a verb with those that `Points` and `Compute` hold."""
    found = dict(options)
    if isinstance(X, Points):
        found = _merged(X, found)
        X = found.pop("X")
    if compute is not None:
        if not isinstance(compute, Compute):
            raise InputTypeError(Option("compute"), f" is {a_type(compute)}: give a Compute")
        found = _merged(compute, found)
    return X, found


def _merged(group: _Group, options: Mapping[str, Any]) -> dict[str, Any]:
    """Add the options of a group; each may be given once."""
    own = group.given()
    twice = next((name for name in own if options.get(name) is not None), None)
    if twice is not None:
        raise InputError(Option(twice), f" was given twice: in {type(group).__name__}, and as a keyword")
    return {**options, **own}
