"""Draw every display from real data: ``python docs/gallery.py`` writes docs/images/*.png."""

from __future__ import annotations

import argparse
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.datasets import load_digits, load_wine, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from adjudge import choose_k, compare, displays

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


def ranks() -> displays.CriticalDifferenceDisplay:
    """Accuracies of six classifiers on fourteen made-up problems."""
    models = {
        "k-NN": KNeighborsClassifier(),
        "random forest": RandomForestClassifier(30, random_state=SEED),
        "decision tree": DecisionTreeClassifier(random_state=SEED),
        "naive Bayes": GaussianNB(),
        "logistic regression": LogisticRegression(max_iter=2000),
        "stump": DecisionTreeClassifier(max_depth=1, random_state=SEED),
    }
    scores: dict[str, list[float]] = {name: [] for name in models}
    for seed in range(14):
        X, y = make_classification(
            300, 12, n_informative=3 + seed % 6, n_classes=2 + seed % 2, class_sep=0.7, random_state=seed
        )
        for name, model in models.items():
            scores[name].append(float(cross_val_score(model, X, y, cv=4).mean()))
    return displays.CriticalDifferenceDisplay.from_scores(scores)


def gallery() -> dict[str, Callable[..., displays.PrayatulMatrixDisplay]]:
    """Every picture by its name: a function that draws it."""
    wine, digits = Wine(), Digits()
    d: Any = displays
    pair = {"primary": "k-NN", "alternative": "naive Bayes"}
    clusterings = {"primary": "k-means", "alternative": "DBSCAN"}
    partitions = {name: wine.models[name] for name in ("k-means", "Gaussian mixture")}
    choice = choose_k(wine.X, k=range(2, 9), random_state=SEED, stability=20, confidence=20)
    criteria = [name for name in choice.voters if choice.votes[name] is not None][:10]
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
        "k-choice": d.KChoiceDisplay.from_result(choice, indices=criteria).plot,
        "null-distribution": d.NullDistributionDisplay.from_predictions(
            "rand", wine.y, wine.models["DBSCAN"], n_tables=5000, random_state=SEED
        ).plot,
        "stability": d.StabilityDisplay.from_result(choice).plot,
        "critical-difference": ranks().plot,
    }


def main() -> None:
    """Write the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--width", type=float, help="width in inches; heights grow alike")
    parser.add_argument("--dpi", type=int, default=180)
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
        pixels = io.BytesIO()
        figure.savefig(pixels, format="png", dpi=args.dpi)
        # 256 colours are enough for a drawing, and make the file a third as large.
        Image.open(pixels).convert("RGB").quantize(256).save(args.out / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
