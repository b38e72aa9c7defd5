"""Candidates: named clusterings of the same points, ready or yet to be fitted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Codes
from adjudge.choosing.estimators import describe, seeded
from adjudge.choosing.work_folder import WorkFolder
from adjudge.errors import InputError, InputTypeError, Option, a_type
from adjudge.given.labels import Column, Labels, code_labels
from adjudge.given.linkage import Linkage
from adjudge.given.partitioned import labels_of_points
from adjudge.given.structures import Structure
from adjudge.progress import Progress, told_of

__all__ = ["Candidate", "Cuts", "as_candidates", "coded_with_noise", "models_of_grid", "ready_candidates"]

Refit = Callable[[Any, int], Any]

_FRAMES = ("pandas", "polars", "pyarrow", "narwhals")


@dataclass(frozen=True, eq=False)
class Cuts:
    """The candidates that cuts of a tree are, by their numbers of clusters."""

    tree: Linkage
    ks: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Candidate:
    """One clustering.

    Attributes
    ----------
    name : str
    codes : ndarray of int64 of shape (n,)
        Clusters coded 0..K-1; -1 is noise.
    labels : ndarray of shape (n,)
        As given, or as named by the estimator.
    parameters : dict
        Parameters that distinguish the candidate from others of its grid.
    refit : callable or None
        Returns labels of other points, given points and a seed; None for ready labels.
    estimator : object or None
        The fitted estimator; None if the labels were read.
    description : str
        The model that is fitted, with its settings; empty for ready labels.
    structure : Structure or None
        The soft clustering that `codes` has the likeliest clusters of.
    """

    name: str
    codes: Codes
    labels: NDArray[Any]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    refit: Refit | None = None
    estimator: Any = None
    description: str = ""
    structure: Structure | None = None

    @property
    def n_clusters(self) -> int:
        """Number of clusters, without noise."""
        own = None if self.structure is None else self.structure.n_clusters
        return int(self.codes.max(initial=-1)) + 1 if own is None else own

    @property
    def coverage(self) -> float:
        """Share of the points that are not noise."""
        return float((self.codes >= 0).mean())


def coded_with_noise(labels: Any, n: int, name: str, noise_label: Any) -> Codes:
    """Check the labels of n points and code them 0..K-1, with -1 for noise."""
    coded = labels_of_points(labels, n, name)
    noise = coded.where(noise_label)
    if noise is None or not noise.any():
        return np.ascontiguousarray(coded.dense()[0], np.int64)
    found = np.full(n, -1, np.int64)
    if not noise.all():
        found[~noise] = coded.take(~noise).dense()[0]
    return found


def as_candidates(
    X: Any,
    candidates: Any,
    grid: Any,
    *,
    noise_label: Any,
    seed: int,
    folder: WorkFolder,
    progress: Progress | None = None,
) -> list[Candidate]:
    """Fit, check and name the candidates that the user gave.

    Parameters
    ----------
    X : ndarray of shape (n, p), or scipy sparse matrix, or distances (n, n)
    candidates : mapping, data frame, estimator, or sequence of estimators
    grid : mapping of str to sequence, or sequence of such mappings, optional
    noise_label : Any
    seed : int
        For estimators whose random_state is None.
    folder : WorkFolder
        Folder that keeps labels found before.
    progress : callable, optional
        Called as ``progress(done, total)``.
    """
    n = X.shape[0]
    found: list[Candidate] = []
    for name, item, parameters in told_of(named_candidates(candidates, grid), progress):
        estimator, described = None, ""
        if _is_estimator(item):
            model = seeded(item, seed)
            described = describe(model)
            labels, was_fitted = _recalled(folder, name, described, partial(_fitted, model, X, name))
            refit: Refit | None = _refit_by(item, name)
            estimator = model if was_fitted else None
        elif callable(item):
            described = describe(item)
            labels, _ = _recalled(folder, name, described, partial(_called, item, X))
            refit = _refit_by_call(item)
        else:
            labels, refit = _as_given(item), None
        codes = coded_with_noise(item if refit is None else labels, n, f"candidate {name!r}", noise_label)
        found.append(Candidate(name, codes, labels, parameters, refit, estimator, described))
    if not found:
        raise InputError(
            "candidates is empty: give labels or estimators by name, or an estimator with a grid"
        )
    return found


def ready_candidates(candidates: Any, n: int | None, noise_label: Any) -> list[Candidate]:
    """Check and name candidates that are labels or soft clusterings, without points to fit anything to."""
    found: list[Candidate] = []
    for name, item, parameters in named_candidates(candidates, None):
        if _is_estimator(item) or callable(item):
            raise InputTypeError(
                f"{name!r} is {a_type(item)}, which needs points to be fitted: give its labels"
            )
        structure = item if isinstance(item, Structure) else None
        labels = _as_given(item) if structure is None else structure.likeliest
        n = len(labels) if n is None else n
        codes = coded_with_noise(item if structure is None else labels, n, f"candidate {name!r}", noise_label)
        found.append(Candidate(name, codes, labels, parameters, structure=structure))
    if not found:
        raise InputError("candidates is empty: give labels or soft clusterings by name")
    return found


def _recalled(
    folder: WorkFolder, name: str, described: str, fit: Callable[[], NDArray[Any]]
) -> tuple[NDArray[Any], bool]:
    """Return the labels of a candidate, and whether it was fitted to find them."""
    fits = []

    def compute() -> dict[str, NDArray[Any]]:
        fits.append(name)
        return {"labels": fit()}

    return folder.recall(name, described, compute)["labels"], bool(fits)


def _as_given(labels: Any) -> NDArray[Any]:
    """Return labels as an array; those of a file's column have been coded."""
    if isinstance(labels, (Column, Labels)):
        return code_labels(labels, "labels").given()
    return np.asarray(labels)


def named_candidates(candidates: Any, grid: Any) -> Iterable[tuple[str, Any, dict[str, Any]]]:
    """Name what was given: the name, labels or a model, and the parameters of each candidate."""
    if grid is not None:
        if not _is_estimator(candidates):
            raise InputTypeError(
                Option("grid"),
                f" varies one estimator: candidates is {a_type(candidates)}, not a clusterer",
            )
        yield from _of_grid(candidates, grid)
    elif isinstance(candidates, Cuts):
        for k, labels in candidates.tree.cuts(candidates.ks):
            yield f"k={k}", labels, {"k": k}
    elif isinstance(candidates, Mapping):
        for name, item in candidates.items():
            yield str(name), item, {}
    elif type(candidates).__module__.partition(".")[0] in _FRAMES:
        from adjudge.given.data_frames import read_data_frame

        frame: Any = read_data_frame(candidates, "candidates")
        names = [str(name) for name in frame.columns]
        for name, series in zip(names, frame.iter_columns(), strict=True):
            if names.count(name) > 1:
                raise InputError(
                    f"candidates has {names.count(name)} columns named {name!r}: rename all but one"
                )
            yield name, series.to_list(), {}
    elif _is_estimator(candidates):
        yield type(candidates).__name__, candidates, {}
    elif isinstance(candidates, Sequence) and not isinstance(candidates, str):
        yield from _of_sequence(candidates)
    else:
        raise InputTypeError(
            f"candidates is {a_type(candidates)}: give labels or estimators by name, a data frame of labels, "
            "or an estimator with a grid"
        )


def _of_sequence(candidates: Sequence[Any]) -> Iterable[tuple[str, Any, dict[str, Any]]]:
    taken: dict[str, int] = {}
    for item in candidates:
        if not _is_estimator(item):
            raise InputTypeError(
                f"candidates holds {a_type(item)}: name labels in a dictionary, {{name: labels}}"
            )
        name = type(item).__name__
        taken[name] = taken.get(name, 0) + 1
        yield name if taken[name] == 1 else f"{name}_{taken[name]}", item, {}


def _of_grid(estimator: Any, grid: Any) -> Iterable[tuple[str, Any, dict[str, Any]]]:
    from sklearn.base import clone
    from sklearn.model_selection import ParameterGrid

    try:
        settings = list(ParameterGrid(grid))
    except (TypeError, ValueError) as error:
        raise InputError(Option("grid", grid), f" is not a grid: {error}") from None
    known = estimator.get_params()
    for parameters in settings:
        for name in parameters:
            if name not in known:
                raise InputError(
                    f"grid has {name!r}, which is not a parameter of {type(estimator).__name__}: it "
                    f"has {', '.join(sorted(known))}"
                )
        model = clone(estimator).set_params(**parameters)
        yield ", ".join(f"{name}={value}" for name, value in parameters.items()), model, dict(parameters)


def models_of_grid(estimator: Any, grid: Any) -> dict[str, Any]:
    """Copy an estimator for each setting of a grid; return the copies by setting."""
    return {name: model for name, model, _ in _of_grid(estimator, grid)}


def _is_estimator(item: Any) -> bool:
    if isinstance(item, type):
        raise InputTypeError(f"candidates has the class {item.__name__}: give an instance of it")
    return hasattr(item, "get_params") and hasattr(item, "fit_predict")


def _fitted(model: Any, X: Any, name: str) -> NDArray[Any]:
    try:
        return np.asarray(model.fit_predict(X))
    except (ValueError, ArithmeticError, TypeError) as error:
        raise InputError(f"{name!r} fails: {error}") from error


def _called(function: Callable[[Any], Any], X: Any) -> NDArray[Any]:
    return np.asarray(function(X))


def _refit_by(estimator: Any, name: str) -> Refit:
    return lambda X, seed: _fitted(seeded(estimator, seed), X, name)


def _refit_by_call(function: Callable[[Any], Any]) -> Refit:
    return lambda X, _: _called(function, X)
