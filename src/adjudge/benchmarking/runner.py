"""Models fitted to data sets in parallel, and scored: the work of `benchmark.run`."""

from __future__ import annotations

import hashlib
import math
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.benchmarking.collected_scores import Gathered
from adjudge.benchmarking.fitting import Fit, check_model, fit_clusters, fit_fold
from adjudge.benchmarking.folder import Dataset
from adjudge.benchmarking.label_scores import Scoring, gather_labels
from adjudge.benchmarking.store import Store
from adjudge.benchmarking.suite import load_suite
from adjudge.choosing.estimators import describe
from adjudge.errors import Argument, InputError, InputTypeError, a_type
from adjudge.given.data_frames import read_data_frame
from adjudge.verbs.evaluate import evaluate

__all__ = ["Plan", "Task", "as_datasets", "fit_all", "gather_fits"]


# Where models are right is counted from their labels, whatever is scored.
_BY_LABELS = Scoring("accuracy", "classification", "higher")


@dataclass(frozen=True)
class Plan:
    """Which models are fitted to which data sets, and how.

    Attributes
    ----------
    models : dict of str to estimator, function or template of a command
    datasets : dict of str to Dataset
    cv : int, or splitter of scikit-learn, or None
        None: models cluster the points. Otherwise they classify the instances that they were not trained on.
    n_repeats : int
    tell_n_clusters : bool
        Whether clusterers are told the true number of clusters.
    seed : int
    probabilities_for : str, optional
        Name of the score that reads the models' probabilities.
    """

    models: dict[str, Any]
    datasets: dict[str, Dataset]
    cv: Any
    n_repeats: int
    tell_n_clusters: bool
    seed: int
    probabilities_for: str | None = None

    @property
    def tasks(self) -> list[Task]:
        """One task per data set, model and repetition."""
        return [
            Task(dataset, model, repeat)
            for dataset in self.datasets
            for model in self.models
            for repeat in range(self.n_repeats)
        ]

    def folds(self, dataset: str, repeat: int) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Return the instances to train and to test on, the same for every model."""
        from sklearn.model_selection import StratifiedKFold, check_cv

        data = self.datasets[dataset]
        if isinstance(self.cv, int):
            seed = _seed(self.seed, dataset, repeat)
            splitter: Any = StratifiedKFold(self.cv, shuffle=True, random_state=seed)
        else:
            splitter = check_cv(self.cv, data.y, classifier=True)
            if hasattr(splitter, "random_state") and self.n_repeats > 1:
                splitter.random_state = _seed(self.seed, dataset, repeat)
        return [(train, test) for train, test in splitter.split(data.X, data.y)]


@dataclass(frozen=True)
class Task:
    """One fit of a model to a data set, or to all of its folds if there are any."""

    dataset: str
    model: str
    repeat: int

    @property
    def name(self) -> str:
        """The name of the task in the folder of finished fits."""
        return f"{self.dataset} {self.model} {self.repeat}"


def as_datasets(given: Any) -> dict[str, Dataset]:
    """Read data sets given as a mapping, the name of a suite, or a folder."""
    if isinstance(given, (str, Path)) or (
        isinstance(given, (list, tuple)) and given and all(isinstance(name, str) for name in given)
    ):
        return load_suite(given)
    if not isinstance(given, Mapping) or not given:
        raise InputTypeError(
            f"datasets is {a_type(given)}: give a mapping of names to (X, y), or the name of a suite"
        )
    found = {}
    for name, value in given.items():
        if isinstance(value, Dataset):
            found[str(name)] = value
            continue
        if not isinstance(value, tuple) or len(value) != 2:
            raise InputTypeError(f"data set {name!r} is {a_type(value)}: a tuple (X, y) is needed")
        X, y = value
        X = read_data_frame(X, "X").to_numpy() if hasattr(X, "columns") else np.asarray(X)
        y = np.asarray(y)
        if X.ndim != 2 or y.shape != (len(X),):
            raise InputError(
                f"data set {name!r}: ",
                Argument("X"),
                f" has shape {X.shape} and y {y.shape}, (n, p) and (n,) are needed",
            )
        found[str(name)] = Dataset(str(name), X, {"truth": y})
    return found


def fit_all(
    plan: Plan, *, work: str | Path | None, n_jobs: int | None, progress: Any
) -> dict[Task, list[Fit]]:
    """Fit everything that is not yet in the folder of finished fits."""
    import joblib

    for name, model in plan.models.items():
        check_model(name, model, plan.cv is not None, plan.probabilities_for)
    store = Store(work)
    found: dict[Task, list[Fit]] = {}
    waiting = []
    for task in plan.tasks:
        known = store.read(task.name, _fingerprint(plan, task))
        if known is None:
            waiting.append(task)
        else:
            found[task] = known
    total = len(plan.tasks)
    if progress is not None:
        progress(len(found), total)
    step = max(
        1, len(waiting) if n_jobs in (None, 1) and progress is None else 4 * joblib.effective_n_jobs(n_jobs)
    )
    with joblib.Parallel(n_jobs=n_jobs) as parallel:
        for start in range(0, len(waiting), step):
            batch = waiting[start : start + step]
            fits = parallel(joblib.delayed(_do)(_part(plan, task), task, store) for task in batch)
            found |= dict(zip(batch, fits, strict=True))
            if progress is not None:
                progress(len(found), total)
    return {task: found[task] for task in plan.tasks}


def _part(plan: Plan, task: Task) -> Plan:
    """Reduce a plan to what one task needs, so that no more is sent to a worker."""
    return replace(
        plan,
        models={task.model: plan.models[task.model]},
        datasets={task.dataset: plan.datasets[task.dataset]},
    )


def _do(plan: Plan, task: Task, store: Store) -> list[Fit]:
    data, model = plan.datasets[task.dataset], plan.models[task.model]
    seed = _seed(plan.seed, task.dataset, task.repeat, task.model)
    if plan.cv is None:
        told = data.n_clusters if plan.tell_n_clusters else None
        fits, rows = [fit_clusters(model, data.X, told, seed)], [np.arange(len(data.X))]
    else:
        folds = plan.folds(task.dataset, task.repeat)
        wanted = plan.probabilities_for is not None
        fits = [fit_fold(model, data.X, data.y, fold, seed, with_probabilities=wanted) for fold in folds]
        rows = [test for _, test in folds]
    store.write(task.name, _fingerprint(plan, task), fits, rows)
    return fits


def _seed(seed: int, *parts: Any) -> int:
    """Return a seed that depends only on the arguments."""
    return zlib.crc32(repr((seed, *parts)).encode()) & 0x7FFFFFFF


def _fingerprint(plan: Plan, task: Task) -> str:
    """Return a hash that identifies the model, data and seed of a fit."""
    data = plan.datasets[task.dataset]
    told = data.n_clusters if plan.tell_n_clusters else None
    facts: tuple[Any, ...] = (describe(plan.models[task.model]), repr(plan.cv), told, plan.seed, task.repeat)
    facts += (data.X.shape, *(["probabilities"] if plan.probabilities_for is not None else []))
    digest = hashlib.sha256(repr(facts).encode())
    digest.update(np.ascontiguousarray(data.X).tobytes() if data.X.dtype != object else repr(data.X).encode())
    digest.update(repr(data.y.tolist()).encode())
    return digest.hexdigest()


def gather_fits(
    plan: Plan, fits: Mapping[Task, list[Fit]], scoring: Scoring, head_to_head: bool, **options: Any
) -> Gathered:
    """Score the fits; a model that failed on a data set has no score there, but a reason."""
    if plan.cv is None:
        gathered = _gather_clusters(plan, fits, scoring, head_to_head, options)
    else:
        gathered = _gather_classes(plan, fits, scoring, head_to_head, options)
    failures = 0
    for task, own in fits.items():
        key = task.dataset, task.model
        for fit in own:
            gathered.costs.setdefault("seconds", {}).setdefault(key, 0.0)
            gathered.costs["seconds"][key] += fit.seconds
            if not math.isnan(fit.megabytes):
                memory = gathered.costs.setdefault("megabytes", {})
                memory[key] = max(memory.get(key, 0.0), fit.megabytes)
            if fit.error is not None:
                failures += 1
                gathered.reasons[key] = fit.error
    if failures:
        gathered.notes.append(f"{failures} fits failed: reasons has the error of each")
    warned = {task.model for task, own in fits.items() if any(fit.warnings for fit in own)}
    if warned:
        gathered.notes.append(f"warnings were given by {', '.join(sorted(warned))}")
    return gathered


def _gather_clusters(
    plan: Plan, fits: Mapping[Task, list[Fit]], scoring: Scoring, head_to_head: bool, options: dict[str, Any]
) -> Gathered:
    runs, noise = [], {name: data.noise for name, data in plan.datasets.items()}
    for repeat in range(plan.n_repeats):
        given = {
            name: (data.truths, {m: fits[Task(name, m, repeat)][0].labels for m in plan.models})
            for name, data in plan.datasets.items()
        }
        counted = head_to_head and repeat == 0
        runs.append(gather_labels(given, scoring, truth_noise=noise, head_to_head=counted, **options))
    first = runs[0]
    for name in plan.datasets:
        for model in plan.models:
            # A model that fails in one repetition has no score: the mean of the others would flatter it.
            first.scores[name][model] = float(np.mean([run.scores[name][model] for run in runs]))
    if plan.n_repeats > 1:
        first.notes.append(
            f"scores are means of {plan.n_repeats} repetitions; counts of pairs are of the first"
        )
    return first


def _gather_classes(
    plan: Plan, fits: Mapping[Task, list[Fit]], scoring: Scoring, head_to_head: bool, options: dict[str, Any]
) -> Gathered:
    gathered = Gathered(scoring.name, scoring.better, scoring.kind)
    for name, data in plan.datasets.items():
        splits = [plan.folds(name, repeat) for repeat in range(plan.n_repeats)]
        whole: dict[str, Any] = {}
        for model in plan.models:
            rows = [
                [
                    _score_of_fold(data.y[test], fit, np.unique(data.y), scoring, options)
                    for (_, test), fit in zip(splits[repeat], fits[Task(name, model, repeat)], strict=True)
                ]
                for repeat in range(plan.n_repeats)
            ]
            share = float(np.mean([len(test) for _, test in splits[0]])) / len(data.y)
            gathered.add_folds(name, model, np.array(rows), share)
            whole[model] = _whole(data.y, splits[0], fits[Task(name, model, 0)])
        if head_to_head:
            counted = gather_labels({name: (data.y, whole)}, _BY_LABELS, **options)
            gathered.agreements |= counted.agreements
        gathered.sizes[name] = len(data.y)
    return gathered


def _score_of_fold(
    truth: Any, fit: Fit, classes: NDArray[Any], scoring: Scoring, options: dict[str, Any]
) -> float:
    if fit.labels is None:
        return math.nan
    if scoring.function is not None:
        return float(scoring.function(truth, fit.labels))
    own = {key: value for key, value in options.items() if key != "confidence"}
    forecast = {"probabilities": fit.probabilities, "classes": classes.tolist()}
    given = forecast if scoring.reads_probabilities else {"labels_pred": fit.labels}
    return float(evaluate(truth, **given, indices=[scoring.name], kind=scoring.kind, **own)[scoring.name])


def _whole(y: NDArray[Any], folds: list[Any], fits: list[Fit]) -> NDArray[Any] | None:
    """Combine the predictions of all folds; None if a fold failed, or an instance is in no fold or in several."""
    tests = np.concatenate([test for _, test in folds])
    if any(fit.labels is None for fit in fits) or not np.array_equal(np.sort(tests), np.arange(len(y))):
        return None
    labels = np.concatenate([np.asarray(fit.labels) for fit in fits])
    found = np.empty(len(y), labels.dtype)
    found[tests] = labels
    return found
