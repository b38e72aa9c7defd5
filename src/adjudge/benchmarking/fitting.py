"""Fits of one model to one data set: an estimator, a function or a shell command. They are timed, and never fatal."""

from __future__ import annotations

import inspect
import shlex
import subprocess
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, InputTypeError, a_type

__all__ = ["Fit", "Fold", "check_model", "fit_clusters", "fit_fold"]

# Seconds between two looks at the memory of the process.
_INTERVAL = 0.02
# Most characters of an error or warning that are kept.
_LONGEST_ERROR = 300
_CLUSTER_FIELDS = ("data", "labels", "n_clusters", "seed")
_CLASS_FIELDS = ("train", "test", "labels", "seed")

#: Instances to train on, and instances to classify.
Fold = tuple[NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True)
class Fit:
    """The outcome of a fit.

    Attributes
    ----------
    labels : ndarray, or None if it failed
    seconds : float
    megabytes : float
        Largest growth of the process's memory; nan if the system does not report it.
    error : str or None
    warnings : tuple of str
    probabilities : ndarray of shape (n, C), or None
        If requested: one column per class of the data set, sorted.
    """

    labels: NDArray[Any] | None
    seconds: float
    megabytes: float
    error: str | None = None
    warnings: tuple[str, ...] = ()
    probabilities: NDArray[np.float64] | None = None


class Predicted(NamedTuple):
    """The predictions for a set of instances."""

    labels: Any
    probabilities: Any = None


def check_model(name: str, model: Any, of_classes: bool, probabilities_for: str | None = None) -> None:
    """Raise unless a model can be fitted and gives the probabilities that the named score reads, if any."""
    if probabilities_for is not None:
        _check_probabilities(name, model, probabilities_for)
    if isinstance(model, str):
        fields = _CLASS_FIELDS if of_classes else _CLUSTER_FIELDS
        needed = ("{train}", "{test}", "{labels}") if of_classes else ("{data}", "{labels}")
        try:
            model.format(**dict.fromkeys(fields, ""))
        except (KeyError, IndexError, ValueError):
            raise InputError(
                f"the command of {name!r} may hold {', '.join('{' + f + '}' for f in fields)}"
            ) from None
        for field in needed:
            if field not in model:
                raise InputError(f"the command of {name!r} lacks {field}")
    elif not (hasattr(model, "fit") or callable(model)):
        raise InputTypeError(
            f"{name!r} is {a_type(model)}: give an estimator, a function, or the template of a shell command"
        )


def _check_probabilities(name: str, model: Any, score: str) -> None:
    if isinstance(model, str):
        raise InputError(f"{score} reads probabilities, and the command of {name!r} writes labels")
    if hasattr(model, "fit") and not hasattr(model, "predict_proba"):
        raise InputError(
            f"{score} reads probabilities, and {name!r} has no predict_proba: wrap it in scikit-learn's "
            "CalibratedClassifierCV, or choose a score of labels"
        )


def fit_clusters(model: Any, X: NDArray[Any], n_clusters: int | None, seed: int) -> Fit:
    """Cluster the points; `n_clusters` is the number that the model is told, if any."""

    def work() -> Predicted:
        if isinstance(model, str):
            return Predicted(_command_of_clusters(model, X, n_clusters, seed))
        if not hasattr(model, "fit"):
            return Predicted(model(X, **_wanted(model, n_clusters=n_clusters, random_state=seed)))
        estimator = _prepared(model, seed, n_clusters)
        if hasattr(estimator, "fit_predict"):
            return Predicted(estimator.fit_predict(X))
        return Predicted(estimator.fit(X).predict(X))

    return _measured(work, len(X))


def fit_fold(
    model: Any, X: NDArray[Any], y: NDArray[Any], fold: Fold, seed: int, *, with_probabilities: bool = False
) -> Fit:
    """Train on some instances and classify others.

    Parameters
    ----------
    model : estimator, function or template of a command
    X, y : ndarray
    fold : (ndarray, ndarray)
        Instances to train on, and instances to classify.
    seed : int
    with_probabilities : bool
        Whether probabilities are requested; a function then returns them instead of labels.
    """
    train, test = fold

    def work() -> Predicted:
        if isinstance(model, str):
            return Predicted(_command_of_classes(model, X, y, train, test, seed))
        if not hasattr(model, "fit"):
            found = model(X[train], y[train], X[test], **_wanted(model, random_state=seed))
            return _of_function(np.asarray(found), np.unique(y)) if with_probabilities else Predicted(found)
        fitted = _prepared(model, seed, None).fit(X[train], y[train])
        if not with_probabilities:
            return Predicted(fitted.predict(X[test]))
        found = _by_class(fitted.predict_proba(X[test]), fitted.classes_, np.unique(y))
        return Predicted(fitted.predict(X[test]), found)

    return _measured(work, len(test))


def _of_function(found: NDArray[Any], classes: NDArray[Any]) -> Predicted:
    """Read a function's probabilities, one column per class, sorted; the labels are the most probable classes."""
    if found.ndim != 2 or found.shape[1] != len(classes):
        raise InputError(
            f"the function gave shape {found.shape}: probabilities of {len(classes)} classes are needed"
        )
    return Predicted(classes[found.argmax(axis=1)], found)


def _by_class(found: Any, own: Any, classes: NDArray[Any]) -> NDArray[np.float64]:
    """Put the columns in the order of all classes; a class absent from training has the probability 0."""
    whole = np.zeros((len(found), len(classes)))
    whole[:, np.searchsorted(classes, own)] = found
    return whole


def _prepared(model: Any, seed: int, n_clusters: int | None) -> Any:
    """Copy an estimator, and set its seeds and number of clusters if it has such parameters."""
    from sklearn.base import clone

    estimator = clone(model)
    if not hasattr(estimator, "get_params"):
        return estimator
    own = estimator.get_params(deep=True)
    changed: dict[str, Any] = {key: seed for key in own if key.rpartition("__")[2] == "random_state"}
    if n_clusters is not None:
        changed |= {key: n_clusters for key in own if key.rpartition("__")[2] in ("n_clusters", "n_components")
                    and not _reduces(own, key)}  # fmt: skip
    return estimator.set_params(**changed)


def _reduces(parameters: dict[str, Any], key: str) -> bool:
    """Whether ``n_components`` belongs to a step that transforms, such as PCA."""
    owner = parameters.get(key.rpartition("__")[0])
    return key.endswith("n_components") and hasattr(owner, "transform")


def _wanted(function: Callable[..., Any], **offered: Any) -> dict[str, Any]:
    """Select the arguments that the function has parameters for."""
    known = inspect.signature(function).parameters
    return {name: value for name, value in offered.items() if name in known and value is not None}


def _measured(work: Callable[[], Predicted], n: int) -> Fit:
    """Run the work, and record what goes wrong."""
    with warnings.catch_warnings(record=True) as caught, _watched_memory() as peak:
        warnings.simplefilter("always")
        started = time.perf_counter()
        error, labels, probabilities = None, None, None
        try:
            predicted = work()
            labels, probabilities = np.asarray(predicted.labels), predicted.probabilities
            if labels.shape != (n,):
                error, labels = f"{n} labels are needed, the model gave shape {labels.shape}", None
        except Exception as failure:
            error = " ".join(f"{type(failure).__name__}: {failure}".split())[:_LONGEST_ERROR]
        seconds = time.perf_counter() - started
    told = tuple(dict.fromkeys(" ".join(str(w.message).split())[:_LONGEST_ERROR] for w in caught))
    return Fit(labels, seconds, peak[0], error, told, probabilities)


@contextmanager
def _watched_memory() -> Iterator[list[float]]:
    """Watch the size of the process; yield a list that finally holds its growth in MB."""
    peak = [float("nan")]
    start = _resident()
    if start is None:
        yield peak
        return
    largest, done = [start], threading.Event()

    def watch() -> None:
        while not done.wait(_INTERVAL):
            largest[0] = max(largest[0], _resident() or 0.0)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield peak
    finally:
        done.set()
        watcher.join()
        peak[0] = max(largest[0], _resident() or 0.0) - start


def _resident() -> float | None:
    """Return the memory of this process in MB; None if the system does not report it as Linux does."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * 4096 / 2**20


def _command_of_clusters(template: str, X: NDArray[Any], n_clusters: int | None, seed: int) -> NDArray[Any]:
    with tempfile.TemporaryDirectory() as folder:
        data, labels = Path(folder) / "data.csv", Path(folder) / "labels.txt"
        np.savetxt(data, X, delimiter=",", fmt="%.17g")
        told = "" if n_clusters is None else n_clusters
        return _ran(template, labels, data=data, n_clusters=told, seed=seed)


def _command_of_classes(
    template: str, X: NDArray[Any], y: NDArray[Any], train: Any, test: Any, seed: int
) -> NDArray[Any]:
    """Give the command the training instances, with labels in the last column, and the others without labels."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder) / f"{name}.csv" for name in ("train", "test")}
        rows = [[*map(repr, map(float, x)), str(label)] for x, label in zip(X[train], y[train], strict=True)]
        paths["train"].write_text("".join(",".join(row) + "\n" for row in rows), encoding="utf-8")
        np.savetxt(paths["test"], X[test], delimiter=",", fmt="%.17g")
        found = _ran(template, Path(folder) / "labels.txt", seed=seed, **paths)
    return _as_classes(found, y)


def _as_classes(found: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
    """Convert the text of labels to the labels of the truth."""
    by_text = {str(label): label for label in np.unique(y).tolist()}
    unknown = [text for text in found.tolist() if text not in by_text]
    if unknown:
        raise InputError(f"the command wrote the label {unknown[0]!r}, which does not occur in the truth")
    return np.array([by_text[text] for text in found.tolist()])


def _ran(template: str, labels: Path, **values: Any) -> NDArray[Any]:
    """Run a command, and read the labels that it wrote, one per line."""
    quoted = {name: shlex.quote(str(value)) for name, value in {**values, "labels": labels}.items()}
    done = subprocess.run(template.format(**quoted), shell=True, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:] or ["it wrote nothing"]
        raise RuntimeError(f"the command ended with {done.returncode}: {last[0]}")
    if not labels.is_file():
        raise RuntimeError("the command wrote no labels")
    texts = [line.strip() for line in labels.read_text(encoding="utf-8").splitlines() if line.strip()]
    return np.array(texts)
