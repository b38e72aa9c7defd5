"""Level and power of `gate` on laws that its authors did not design: real data, scikit-learn's generators and models.

    python studies/gate_elsewhere.py [--replicates 500] [--out CSV] [--only PART]

A population is finite: rows that two fitted models have judged, single or in units of neighbouring points. Samples are
drawn from it with replacement, so its scores are the true ones. The new model is the one that is worse in the
population, and the margin is the gap between the two: at most 5 % of the samples may pass. To make models equal, a coin
toss per unit swaps their answers; then the margin is 0.03. For clusterings and several labels per instance, the study
also counts how often 95 % intervals of differences hold the gap.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_wine,
    make_blobs,
    make_classification,
    make_multilabel_classification,
)
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix
from sklearn.mixture import GaussianMixture
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import adjudge
from cells import Found, Generator, Setting, arguments, run
from laws import POPULATION

Array = np.ndarray[Any, np.dtype[Any]]
MARGIN = 0.03
INDICES = {
    "classification": ["accuracy", "balanced_accuracy", "macro_f1"],
    "clustering": ["adjusted_rand", "ami", "rand", "nmi"],
    "multilabel": ["subset_accuracy", "micro_f1", "hamming_loss"],
}
#: The correction for chance vanishes with many instances.
LIMITS = {"ami": "nmi"}


@dataclass(frozen=True, eq=False)
class Population:
    """Rows with their truth and the answers of two models; `sure` holds the probabilities of class 1."""

    kind: str
    truth: Array
    said: tuple[Array, Array]
    units: Array | None = None
    groups: Array | None = None
    weights: Array | None = None
    sure: tuple[Array, Array] | None = None

    @cached_property
    def rows_of(self) -> list[Array]:
        """The rows of each unit."""
        if self.units is None:
            return list(np.arange(len(self.truth))[:, None])
        order = np.argsort(self.units, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.units))[:-1])

    @property
    def indices(self) -> list[str]:
        """The indices that are checked."""
        return [*INDICES[self.kind], *(["log_loss", "roc_auc"] if self.sure else [])]

    def given(self) -> dict[str, Any]:
        """Return the arguments of `compare` for all rows."""
        found: dict[str, Any] = {"kind": self.kind, "labels_true": self.truth}
        if self.sure:
            return found | {"probabilities": dict(zip(("old", "new"), self.sure, strict=True))}
        return found | {"models": dict(zip(("old", "new"), self.said, strict=True))}

    @cached_property
    def gaps(self) -> dict[tuple[str, Any], float]:
        """How much worse the new model is, by index and group."""
        more: dict[str, Any] = {} if self.groups is None else {"groups": {"part": self.groups}}
        if self.kind == "clustering":
            more["counts"] = np.full(len(self.truth), POPULATION // len(self.truth))
        names = [name for name in self.indices if name not in LIMITS]
        found = adjudge.compare(**self.given(), indices=names, **more)
        gaps = {}
        for group, own in [(None, found), *found.by_group.items()]:
            for name in self.indices:
                change = own["old", "new"].differences[LIMITS.get(name, name)]
                gaps[name, group] = change.value * (-1 if change.index.better == "lower" else 1)
        return gaps

    def sample(self, n: int, swap: bool, rng: Generator) -> Population:
        """Draw units with replacement; rows with weights are drawn in inverse proportion to these."""
        chance = None
        if self.weights is not None:
            chance = 1 / self.weights / (1 / self.weights).sum()
        drawn = rng.choice(len(self.rows_of), n, p=chance)
        rows = [self.rows_of[unit] for unit in drawn]
        at, sizes = np.concatenate(rows), [len(own) for own in rows]
        coin = np.repeat(rng.random(n) < 0.5, sizes) if swap else np.zeros(at.size, bool)

        def both(of: tuple[Array, Array]) -> tuple[Array, Array]:
            one, other = of[0][at], of[1][at]
            turned = coin.reshape(-1, *[1] * (one.ndim - 1))
            return np.where(turned, other, one), np.where(turned, one, other)

        return Population(
            self.kind,
            self.truth[at],
            both(self.said),
            None if self.units is None else np.repeat(np.arange(n), sizes),
            None if self.groups is None else self.groups[at],
            None if self.weights is None else self.weights[at],
            None if self.sure is None else both(self.sure),
        )


def judged(law: str, n: int, swap: bool, rng: Generator) -> Mapping[str, Found]:
    """Return for each index whether the new model passes, and the interval of the difference with the true gap."""
    population = populations()[law]()
    own = population.sample(n, swap, rng)
    if population.kind == "classification" and np.unique(own.truth).size < np.unique(population.truth).size:
        return {}
    given = own.given() | ({} if own.units is None else {"units": own.units})
    if own.weights is not None:
        given |= {"sample_weight": own.weights, "weights": "importance"}
    models = given.pop("models", None) or {}
    grouped: dict[str, Any] = {} if own.groups is None else {"groups": {"part": own.groups}}
    found = adjudge.gate(**given, **models, **grouped, indices=own.indices, margin=MARGIN)
    said: dict[str, Found] = {}
    for check in found.tested:
        margin = MARGIN if swap else population.gaps[check.name, check.group]
        if margin > 0:
            name = f"{check.name} passes" + ("" if check.group is None else f" in {check.group}")
            # A check passes if the end of its interval lies within the margin.
            passes = check.change is not None and check.change.low > -margin
            said[name] = float("nan") if check.change is None else float(not passes)
    if population.kind != "classification" and not swap:
        options: dict[str, Any] = given | {"models": models, "indices": own.indices, "confidence": 0.95}
        compared = adjudge.compare(**options)["old", "new"].differences
        for name in own.indices:
            sign = -1 if compared[name].index.better == "lower" else 1
            said[name] = compared[name], sign * population.gaps[name, None]
    return said


def worse_last(population: Population) -> Population:
    """Put the model that is better by the first index first."""
    if population.gaps[population.indices[0], None] >= 0:
        return population
    sure = population.sure and (population.sure[1], population.sure[0])
    return replace(population, said=(population.said[1], population.said[0]), sure=sure)


def of_classifiers(points: Array, labels: Array, first: Any, second: Any, learnt: int) -> Population:
    """Let two classifiers, trained on other rows, judge the rest; for two classes, also with probabilities."""
    order = np.random.default_rng(3).permutation(len(points))
    known, asked = order[:learnt], order[learnt:]
    fitted = [
        make_pipeline(StandardScaler(), own).fit(points[known], labels[known]) for own in (first, second)
    ]
    said = fitted[0].predict(points[asked]), fitted[1].predict(points[asked])
    sure = None
    if np.unique(labels).size == 2:
        raw = [own.predict_proba(points[asked])[:, 1] for own in fitted]
        sure = np.clip(raw[0], 0.01, 0.99), np.clip(raw[1], 0.01, 0.99)
    return Population("classification", labels[asked], said, sure=sure)


def units_of(points: Array, k: int) -> Array:
    """Group neighbouring points into units, so that points that are hard to judge occur together."""
    found = KMeans(k, n_init=1, random_state=0).fit_predict(StandardScaler().fit_transform(points))
    return np.asarray(np.unique(found, return_inverse=True)[1])


@cache
def parity_in_units() -> Population:
    """Odd or even digits: units hold neighbouring points, and groups are bright or dark pictures."""
    points, labels = load_digits(return_X_y=True)
    found = worse_last(
        of_classifiers(points, labels % 2, KNeighborsClassifier(3), KNeighborsClassifier(25), 300)
    )
    asked = points[np.random.default_rng(3).permutation(len(points))[300:]]
    bright = np.where(asked.sum(axis=1) > np.median(asked.sum(axis=1)), "bright", "dark")
    return replace(found, units=units_of(asked, 250), groups=bright, sure=None)


@cache
def breast_cancer() -> Population:
    points, labels = load_breast_cancer(return_X_y=True)
    return worse_last(of_classifiers(points, labels, LogisticRegression(), GaussianNB(), 100))


@cache
def wine() -> Population:
    points, labels = load_wine(return_X_y=True)
    return worse_last(
        of_classifiers(points, labels, GaussianNB(), DecisionTreeClassifier(random_state=0), 40)
    )


@cache
def rare_class() -> Population:
    points, labels = make_classification(
        12_000, 20, n_informative=6, weights=[0.9], flip_y=0.03, random_state=0
    )
    found = worse_last(of_classifiers(points, labels, KNeighborsClassifier(15), LogisticRegression(), 2000))
    return replace(found, sure=None)


@cache
def with_weights(spread: float) -> Population:
    """Rows with weights: the larger the weight, the rarer the row is drawn; weights are larger where models differ."""
    found = rare_class()
    rng = np.random.default_rng(8)
    broken = (found.said[0] != found.said[1]).astype(float)
    weights = np.exp(spread * (rng.normal(size=len(found.truth)) + broken))
    return replace(found, weights=weights)


def of_clusterings(points: Array, labels: Array, first: Any, second: Any) -> Population:
    """Cluster the same points in two ways, and give matching clusters the same names."""
    scaled = StandardScaler().fit_transform(points)
    said = [np.asarray(own.fit_predict(scaled)) for own in (first, second)]
    table = confusion_matrix(*said)
    rows, cols = linear_sum_assignment(-table)
    renamed = np.empty(len(table), int)
    renamed[cols] = rows
    return worse_last(Population("clustering", labels, (said[0], renamed[said[1]])))


@cache
def digits_clustered() -> Population:
    points, labels = load_digits(return_X_y=True)
    return of_clusterings(points, labels, KMeans(10, n_init=3, random_state=0), AgglomerativeClustering(10))


@cache
def digits_clustered_in_units() -> Population:
    return replace(digits_clustered(), units=units_of(load_digits(return_X_y=True)[0], 250))


@cache
def wine_clustered() -> Population:
    points, labels = load_wine(return_X_y=True)
    return of_clusterings(points, labels, KMeans(3, n_init=3, random_state=0), AgglomerativeClustering(3))


@cache
def blobs_clustered() -> Population:
    points, labels, *_ = make_blobs([600, 300, 1200, 150, 450], 3, cluster_std=2.2, random_state=1)
    first, second = KMeans(5, n_init=3, random_state=0), GaussianMixture(5, random_state=0)
    return of_clusterings(points, labels, first, second)


@cache
def several_labels() -> Population:
    points, labels = make_multilabel_classification(6000, 12, n_classes=5, n_labels=2, random_state=2)
    known, asked = slice(0, 1500), slice(1500, None)
    models = OneVsRestClassifier(LogisticRegression(C=0.05)), KNeighborsClassifier(15)
    said = [own.fit(points[known], labels[known]).predict(points[asked]) for own in models]
    return worse_last(Population("multilabel", labels[asked], (said[0], said[1])))


@cache
def several_labels_in_units() -> Population:
    points, _ = make_multilabel_classification(6000, 12, n_classes=5, n_labels=2, random_state=2)
    return replace(several_labels(), units=units_of(points[1500:], 600))


def populations() -> dict[str, Any]:
    """Return all populations by name."""
    return {
        "breast cancer, with probabilities": breast_cancer,
        "wine": wine,
        "a class of 10 %": rare_class,
        "odd digits in units and groups": parity_in_units,
        "weights, log-normal 0.5": partial(with_weights, 0.5),
        "weights, log-normal 1": partial(with_weights, 1.0),
        "clusterings of wine": wine_clustered,
        "clusterings of five blobs": blobs_clustered,
        "clusterings of digits in units": digits_clustered_in_units,
        "five labels": several_labels,
        "five labels in units": several_labels_in_units,
    }


#: Kinds of laws, their laws, and how many rows or units are drawn from each.
PARTS: dict[str, tuple[tuple[str, tuple[int, ...]], ...]] = {
    "Classifiers": (
        ("breast cancer, with probabilities", (100, 400)),
        ("wine", (60, 200)),
        ("a class of 10 %", (100, 400, 2000)),
    ),
    "Units and groups": (("odd digits in units and groups", (30, 60, 200)),),
    "Weights": (("weights, log-normal 0.5", (100, 400)), ("weights, log-normal 1", (100, 400))),
    "Clusterings": (
        ("clusterings of wine", (60, 200)),
        ("clusterings of five blobs", (100, 300, 1000)),
    ),
    "Clusterings in units": (("clusterings of digits in units", (30, 200)),),
    "Several labels": (("five labels", (100, 400)),),
    "Several labels in units": (("five labels in units", (15, 30, 200)),),
}


def settings() -> Iterator[Setting]:
    """Yield each law with a new model at the margin, and with equal models."""
    for part, laws in PARTS.items():
        for law, numbers in laws:
            for n in numbers:
                yield Setting(part, f"{law}, at the margin", n, partial(judged, law, n, False))
                yield Setting(part, f"{law}, equally good", n, partial(judged, law, n, True))


if __name__ == "__main__":
    run(settings(), arguments(__doc__, 500).parse_args())
