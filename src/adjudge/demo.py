"""The main tasks on real data: wines and handwritten digits, clustered and classified, compared, and reported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from shutil import get_terminal_size
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

import adjudge
from adjudge._report.build import report_page
from adjudge._report.criteria import internal_criteria
from adjudge._report.render import write_report
from adjudge._report.section import Section
from adjudge.presentation.numbers import capitalised
from adjudge.presentation.tables import Table
from adjudge.presentation.terminal_width import fitted
from adjudge.results import Comparison

__all__ = ["run_demo"]

Say = Callable[[str], object]

SEED = 0
FOLDS = 5


@dataclass(frozen=True)
class Task:
    """Data with a known truth.

    Attributes
    ----------
    name : str
        Name in a sentence.
    X : ndarray of float64 of shape (n, p)
    space : ndarray of float64 of shape (n, q)
        The coordinates in which the clusterings measure distances.
    truth : ndarray of shape (n,)
    feature_names : list of str
    images : ndarray of shape (n, height, width) or None
    preparation : str
        How `space` was made from `X`.
    min_cluster_size : int
        Minimum cluster size of HDBSCAN.
    numbers : range
        Numbers of clusters to choose from; empty if there is no choice to make.
    """

    name: str
    X: NDArray[np.float64]
    space: NDArray[np.float64]
    truth: NDArray[Any]
    feature_names: list[str]
    images: NDArray[np.float64] | None
    preparation: str
    min_cluster_size: int
    numbers: range


def run_demo(output: str | Path, say: Say) -> Path:
    """Cluster, classify, compare and report.

    Parameters
    ----------
    output : path-like
        Where the report goes.
    say : callable
        Receives each line of text as it comes.

    Returns
    -------
    Path
        The report.
    """
    started = perf_counter()
    sections = []
    for task in (_wine(), _digits()):
        say(f"{task.name}: {len(task.truth):,} instances, {len(np.unique(task.truth))} classes")
        say("")
        sections.append(_compare_clusterings(task, say))
        sections.append(_compare_classifiers(task, say))
    page = report_page("adjudge on wines and handwritten digits", sections)
    path = write_report(page, output)
    say("What was found:")
    for section in page["sections"]:
        for sentence in section["verdict"]:
            if sentence["tone"] == "main":
                say(f"  {section['title']}: {sentence['text']}")
    say("")
    say(f"The report is at {path.resolve()} ({perf_counter() - started:.0f} s).")
    return path


def _wine() -> Task:
    from sklearn.datasets import load_wine
    from sklearn.preprocessing import StandardScaler

    data = load_wine()
    return Task(
        name="Wine",
        X=data.data,
        space=StandardScaler().fit_transform(data.data),
        truth=data.target_names[data.target],
        feature_names=list(data.feature_names),
        images=None,
        preparation="13 chemical measurements, standardised",
        min_cluster_size=10,
        numbers=range(2, 9),
    )


def _digits() -> Task:
    from sklearn.datasets import load_digits
    from sklearn.decomposition import PCA

    data = load_digits()
    return Task(
        name="Digits",
        X=data.data,
        space=PCA(20, random_state=SEED).fit_transform(data.data),
        truth=data.target,
        feature_names=list(data.feature_names),
        images=data.images,
        preparation="8 x 8 pixels, reduced to 20 principal components",
        min_cluster_size=15,
        numbers=range(0),
    )


def _compare_clusterings(task: Task, say: Say) -> Section:
    from sklearn.cluster import HDBSCAN, AgglomerativeClustering, KMeans
    from sklearn.mixture import GaussianMixture

    k = len(np.unique(task.truth))
    estimators = {
        "k-means": KMeans(k, n_init=10, random_state=SEED),
        "Ward": AgglomerativeClustering(k, linkage="ward"),
        "Gaussian mixture": GaussianMixture(k, covariance_type="diag", n_init=5, random_state=SEED),
        "HDBSCAN": HDBSCAN(min_cluster_size=task.min_cluster_size, copy=True),
    }
    models = {}
    for name, estimator in estimators.items():
        say(f"  clustering with {name} ...")
        models[name] = estimator.fit_predict(task.space)
    comparison = adjudge.compare(
        task.truth,
        models,
        kind="clustering",
        noise="singletons",
        confidence=0.95,
        adjust=True,
        n_tables=1000,
        random_state=SEED,
    )
    _show(comparison, say)
    k_choice = None
    if task.numbers:
        say(f"  asking how many clusters there are, {task.numbers[0]} to {task.numbers[-1]} ...")
        k_choice = adjudge.choose_k(task.space, k=task.numbers, stability=20, random_state=SEED)
        say(f"  recommended: {k_choice.k}")
        say("")
    return Section(
        title=f"{task.name}: clusterings",
        comparison=comparison,
        labels_true=task.truth,
        models=models,
        X=task.X,
        feature_names=task.feature_names,
        images=task.images,
        internal=internal_criteria(task.space, models, noise="singletons"),
        k_choice=k_choice,
        space=task.preparation,
        note=f"{capitalised(task.preparation)}. k-means, Ward and the Gaussian mixture were told "
        f"the number of classes, {k}; HDBSCAN was not, and each instance that it calls noise counts as a cluster "
        "of its own.",
    )


def _show(comparison: Comparison, say: Say) -> None:
    """Show the scores of all models, and the best two head to head: the rest is in the report."""
    verdict = comparison.verdict
    say("")
    for line in verdict.lines():
        say(line)
    names = list(next(iter(comparison.scores.values())))
    rows = tuple((model, *scores.values()) for model, scores in comparison.scores.items())
    say("")
    say("Each model against the truth")
    for line in fitted(Table(("model", *names), rows), get_terminal_size((100, 24)).columns):
        say(line)
    say("")
    if verdict.rival is not None:
        say(repr(comparison[verdict.leader, verdict.rival]))
    say("")


def _compare_classifiers(task: Task, say: Say) -> Section:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    estimators = {
        "k-NN": make_pipeline(StandardScaler(), KNeighborsClassifier(5)),
        "tree": DecisionTreeClassifier(random_state=SEED),
        "forest": RandomForestClassifier(200, random_state=SEED),
        "naive Bayes": GaussianNB(),
    }
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    models = {}
    for name, estimator in estimators.items():
        say(f"  training {name}, {FOLDS} folds ...")
        models[name] = cross_val_predict(estimator, task.X, task.truth, cv=folds)
    comparison = adjudge.compare(task.truth, models, kind="classification", confidence=0.95)
    _show(comparison, say)
    return Section(
        title=f"{task.name}: classifiers",
        comparison=comparison,
        labels_true=task.truth,
        models=models,
        X=task.X,
        feature_names=task.feature_names,
        images=task.images,
        note=f"Out-of-fold predictions: {FOLDS} stratified folds, shuffled with seed {SEED}; each instance is "
        "predicted by a model that has not seen it.",
    )
