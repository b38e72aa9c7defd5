"""Draw every display from real data: ``python docs/gallery.py`` writes docs/images/*.png."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.datasets import load_digits, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from adjudge import adjusted_rand, compare, displays, evaluate
from adjudge.best import best_partition

OUT = Path(__file__).parent / "images"
SEED = 0


class Wine:
    """Clusterings of the wine data, standardised."""

    def __init__(self) -> None:
        X, self.y = load_wine(return_X_y=True)
        self.X = StandardScaler().fit_transform(X)
        self.models = {
            "k-means": KMeans(3, n_init=10, random_state=SEED).fit_predict(self.X),
            "single linkage": AgglomerativeClustering(3, linkage="single").fit_predict(self.X),
            "Gaussian mixture": GaussianMixture(4, random_state=SEED).fit_predict(self.X),
            "DBSCAN": DBSCAN(2.2, min_samples=4).fit_predict(self.X),
        }
        self.comparison = compare(self.y, self.models, kind="clustering")


class Digits:
    """Classifiers of the digits data, each instance predicted by a model that has not seen it."""

    def __init__(self) -> None:
        self.X, self.y = load_digits(return_X_y=True)
        models = {
            "k-NN": KNeighborsClassifier(),
            "random forest": RandomForestClassifier(60, random_state=SEED),
            "decision tree": DecisionTreeClassifier(random_state=SEED),
            "naive Bayes": GaussianNB(),
        }
        self.models = {name: cross_val_predict(model, self.X, self.y, cv=5) for name, model in models.items()}
        self.comparison = compare(self.y, self.models, kind="classification")


def k_choice(X: Any) -> displays.KChoiceDisplay:
    """Values and votes of some criteria for k-means."""
    names = [
        "calinski_harabasz", "davies_bouldin", "silhouette", "dunn", "c_index", "ball_hall",
        "xie_beni", "pbm", "wemmert_gancarski",
    ]  # fmt: skip
    ks = range(2, 11)
    values: dict[str, dict[int, float]] = {name: {} for name in names}
    for k in ks:
        labels = KMeans(k, n_init=10, random_state=SEED).fit_predict(X)
        for name, value in evaluate(X=X, labels=labels, indices=names).values.items():
            values[name][k] = value
    votes: dict[str, int | None] = {}
    for name in names:
        position = best_partition(list(values[name].values()), name)
        votes[name] = None if position is None else ks[position]
    counts = [list(votes.values()).count(k) for k in ks]
    return displays.KChoiceDisplay(values, votes, ks[int(np.argmax(counts))])


def stability(X: Any) -> displays.StabilityDisplay:
    """Agreement of k-means on pairs of bootstrap samples, on all points."""
    rng = np.random.default_rng(SEED)
    agreement = {}
    for k in range(2, 9):
        found = []
        for _ in range(20):
            a, b = (
                KMeans(k, n_init=2, random_state=SEED).fit(X[rng.integers(0, len(X), len(X))]).predict(X)
                for _ in range(2)
            )
            found.append(adjusted_rand(a, b))
        agreement[k] = np.array(found)
    best = max(agreement, key=lambda k: float(np.median(agreement[k])))
    return displays.StabilityDisplay(agreement, measure="adjusted Rand index", k=best)


def ranks() -> displays.CriticalDifferenceDisplay:
    """Average ranks of eight classifiers on thirty data sets, as in Demšar's examples (made up)."""
    names = [
        "boosting",
        "random forest",
        "SVM",
        "k-NN",
        "logistic regression",
        "naive Bayes",
        "tree",
        "stump",
    ]
    average = [2.1, 2.6, 3.0, 4.3, 4.6, 5.5, 6.2, 7.7]
    return displays.CriticalDifferenceDisplay(
        dict(zip(names, average, strict=True)), critical_difference=1.92
    )


def gallery() -> dict[str, Callable[..., displays.PrayatulMatrixDisplay]]:
    """Every picture by its name: a function that draws it."""
    wine, digits = Wine(), Digits()
    d: Any = displays
    pair = {"primary": "k-NN", "alternative": "naive Bayes"}
    clusterings = {"primary": "k-means", "alternative": "DBSCAN"}
    partitions = {name: wine.models[name] for name in ("k-means", "Gaussian mixture")}
    chosen = [
        "calinski_harabasz",
        "davies_bouldin",
        "silhouette",
        "dunn",
        "c_index",
        "ball_hall",
        "rand",
        "adjusted_rand",
    ]
    return {
        "prayatul-matrix": d.PrayatulMatrixDisplay.from_result(digits.comparison, **pair).plot,
        "prayatul-matrix-clustering": d.PrayatulMatrixDisplay.from_result(
            wine.comparison, **clusterings
        ).plot,
        "comparison": d.ComparisonDisplay.from_result(digits.comparison).plot,
        "outcome-map": d.OutcomeMapDisplay.from_result(digits.comparison, digits.X, **pair).plot,
        "outcome-map-clustering": d.OutcomeMapDisplay.from_result(
            wine.comparison, wine.X, **clusterings
        ).plot,
        "contingency": d.ContingencyDisplay.from_predictions(
            digits.y,
            KMeans(10, n_init=4, random_state=SEED).fit_predict(digits.X),
            names=["digit", "k-means"],
        ).plot,
        "alluvial": d.ContingencyDisplay.from_predictions(
            wine.y, partitions, names=["cultivar", *partitions]
        ).plot,
        "silhouette": d.SilhouetteDisplay.from_predictions(wine.X, wine.models["Gaussian mixture"]).plot,
        "indices": d.IndicesDisplay.from_predictions(
            wine.y, wine.models["k-means"], X=wine.X, indices=chosen
        ).plot,
        "scores": d.IndicesDisplay.from_result(wine.comparison).plot,
        "k-choice": k_choice(wine.X).plot,
        "null-distribution": d.NullDistributionDisplay.from_predictions(
            "rand", wine.y, wine.models["DBSCAN"], n_tables=5000, random_state=SEED
        ).plot,
        "stability": stability(wine.X).plot,
        "critical-difference": ranks().plot,
    }


def main() -> None:
    """Write the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--width", type=float, help="width in inches; heights grow alike")
    parser.add_argument("--dpi", type=int, default=150)
    parser.add_argument("only", nargs="*", help="names of pictures; default all")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for name, draw in gallery().items():
        if args.only and name not in args.only:
            continue
        figure = draw().figure_
        if args.width:
            width, height = figure.get_size_inches()
            figure = draw(figsize=(args.width, height * args.width / width)).figure_
        figure.savefig(args.out / f"{name}.png", dpi=args.dpi, pil_kwargs={"optimize": True})


if __name__ == "__main__":
    main()
