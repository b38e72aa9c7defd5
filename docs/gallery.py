"""Draw every display from real data: ``python docs/gallery.py`` writes docs/images/*.png.

The page shows what stands here: the body of `gallery` up to its end, then each call under its picture.
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image
from sklearn.cluster import DBSCAN, HDBSCAN, AgglomerativeClustering, KMeans
from sklearn.datasets import load_digits, load_wine, make_classification
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from adjudge import benchmark, choose, choose_k, compare, displays

OUT = Path(__file__).parent / "images"
TITLES = {
    "prayatul-matrix": "Prayatul matrix of two classifiers",
    "prayatul-matrix-clustering": "Prayatul matrix of two clusterings",
    "comparison": "All models against each other",
    "outcome-map": "Where two classifiers differ",
    "outcome-map-clustering": "Where two clusterings differ",
    "contingency": "Contingency table",
    "alluvial": "How partitions flow into each other",
    "silhouette": "Silhouettes",
    "indices": "Indices of one partition",
    "scores": "Scores of several models",
    "k-choice": "How many clusters?",
    "null-distribution": "Is it better than chance?",
    "stability": "How sure is the number of clusters?",
    "critical-difference": "Models over many data sets",
    "dataset-map": "Scores by data set",
    "rank-distribution": "How often a model ranks where",
    "wins": "Wins, ties and losses",
    "posterior": "Better, or as good?",
    "choice": "Which settings?",
    "agreement-map": "Which settings say the same?",
    "cluster-tree": "How clusters fall apart",
    "dbcv": "Density-based validity",
    "reachability": "Reachability plot",
    "confusion": "Confusion matrix",
    "patterns": "Which classifiers are right at once?",
    "roc": "ROC curves",
    "roc-classes": "ROC curves of all classes",
    "precision-recall": "Precision-recall curves",
    "det": "DET curves",
    "gains": "Cumulative gains",
    "thresholds": "Measures by threshold",
    "decision": "Is it worth acting on?",
    "reliability": "Are probabilities what they say?",
}


def gallery() -> dict[str, Callable[..., Any]]:
    """Every picture by its name: a function that draws it."""
    # Clusterings of the wines by their measurements.
    X, cultivar = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    clusterings = {
        "k-means": KMeans(3, n_init=10, random_state=0).fit_predict(X),
        "single linkage": AgglomerativeClustering(3, linkage="single").fit_predict(X),
        "Gaussian mixture": GaussianMixture(4, random_state=0).fit_predict(X),
        "DBSCAN": DBSCAN(2.2, min_samples=4).fit_predict(X),
    }
    wines = compare(cultivar, clusterings, kind="clustering")
    choice = choose_k(X, k=range(2, 9), random_state=0, stability=20, n_resamples=20)

    # Classifiers of handwritten digits, each digit predicted by a model that has not seen it.
    pixels, digit = load_digits(return_X_y=True)
    classifiers = {
        "k-NN": KNeighborsClassifier(),
        "random forest": RandomForestClassifier(60, random_state=0),
        "decision tree": DecisionTreeClassifier(random_state=0),
        "naive Bayes": GaussianNB(),
    }
    predicted = {name: cross_val_predict(c, pixels, digit, cv=5) for name, c in classifiers.items()}
    probabilities = {
        name: cross_val_predict(classifiers[name], pixels, digit, cv=5, method="predict_proba")
        for name in ("k-NN", "random forest", "naive Bayes")
    }
    digits = compare(digit, predicted, kind="classification")
    groups = KMeans(10, n_init=4, random_state=0).fit_predict(pixels)

    # Accuracies of six classifiers on fourteen made-up problems.
    more = {
        **classifiers,
        "random forest": RandomForestClassifier(30, random_state=0),
        "logistic regression": LogisticRegression(max_iter=2000),
        "stump": DecisionTreeClassifier(max_depth=1, random_state=0),
    }
    problems = [
        make_classification(
            n_samples=300,
            n_features=12,
            n_informative=3 + i % 6,
            n_classes=2 + i % 2,
            class_sep=0.7,
            random_state=i,
        )
        for i in range(14)
    ]
    accuracies = {
        name: [cross_val_score(model, *problem, cv=4).mean() for problem in problems]
        for name, model in more.items()
    }
    problems_by_model = benchmark(accuracies, score="accuracy")
    # Settings of HDBSCAN for some of the digits.
    components = PCA(10, random_state=0).fit_transform(pixels)[:800]
    grid = {"min_cluster_size": [5, 10, 15, 20, 30, 50], "min_samples": [2, 5]}
    settings = choose(components, HDBSCAN(copy=True), grid=grid, random_state=0)
    return {
        "prayatul-matrix": displays.PrayatulMatrixDisplay.from_result(
            digits, primary="k-NN", alternative="naive Bayes"
        ).plot,
        "prayatul-matrix-clustering": displays.PrayatulMatrixDisplay.from_result(
            wines, primary="k-means", alternative="DBSCAN"
        ).plot,
        "comparison": displays.ComparisonDisplay.from_result(digits).plot,
        "outcome-map": displays.OutcomeMapDisplay.from_result(
            digits, pixels, primary="k-NN", alternative="naive Bayes"
        ).plot,
        "outcome-map-clustering": displays.OutcomeMapDisplay.from_result(
            wines, X, primary="k-means", alternative="DBSCAN"
        ).plot,
        "contingency": displays.ContingencyDisplay.from_predictions(
            digit, groups, names=["digit", "k-means"]
        ).plot,
        "alluvial": displays.ContingencyDisplay.from_predictions(
            cultivar,
            {name: clusterings[name] for name in ("k-means", "Gaussian mixture")},
            names=["cultivar", "k-means", "Gaussian mixture"],
        ).plot,
        "silhouette": displays.SilhouetteDisplay.from_predictions(X, clusterings["Gaussian mixture"]).plot,
        "indices": displays.IndicesDisplay.from_predictions(
            cultivar,
            clusterings["k-means"],
            X=X,
            indices=[
                *("calinski_harabasz", "davies_bouldin", "silhouette", "dunn"),
                *("c_index", "ball_hall", "rand", "adjusted_rand"),
            ],
        ).plot,
        "scores": displays.IndicesDisplay.from_result(wines).plot,
        "k-choice": displays.KChoiceDisplay.from_result(
            choice, indices=[name for name in choice.voters if choice.votes[name] is not None][:10]
        ).plot,
        "null-distribution": displays.NullDistributionDisplay.from_predictions(
            "rand", cultivar, clusterings["DBSCAN"], n_tables=5000, random_state=0
        ).plot,
        "stability": displays.StabilityDisplay.from_result(choice).plot,
        "critical-difference": displays.CriticalDifferenceDisplay.from_scores(accuracies).plot,
        "dataset-map": displays.DatasetMapDisplay.from_result(problems_by_model).plot,
        "rank-distribution": displays.RankDistributionDisplay.from_result(problems_by_model).plot,
        "wins": displays.WinTieLossDisplay.from_result(problems_by_model).plot,
        "posterior": displays.PosteriorDisplay.from_result(
            problems_by_model.bayesian(rope=0.02), "random forest", "k-NN"
        ).plot,
        "choice": displays.ChoiceDisplay.from_result(settings).plot,
        "agreement-map": displays.AgreementMapDisplay.from_result(settings).plot,
        "cluster-tree": displays.ClusterTreeDisplay.from_result(settings).plot,
        "dbcv": displays.DbcvDisplay.from_predictions(components, settings.labels[settings.best]).plot,
        "reachability": displays.ReachabilityDisplay.from_predictions(
            components, settings.labels[settings.best], min_samples=3
        ).plot,
        "confusion": displays.ConfusionMatrixDisplay.from_predictions(
            digit, predicted["naive Bayes"], name="naive Bayes"
        ).plot,
        "patterns": displays.PatternsDisplay.from_result(digits).plot,
        "roc": displays.RocCurveDisplay.from_predictions(digit, probabilities, positive=8).plot,
        "roc-classes": displays.RocCurveDisplay.from_predictions(
            digit, probabilities["naive Bayes"], name="naive Bayes"
        ).plot,
        "precision-recall": displays.PrecisionRecallDisplay.from_predictions(
            digit, probabilities, positive=8
        ).plot,
        "det": displays.DetCurveDisplay.from_predictions(digit, probabilities, positive=8).plot,
        "gains": displays.GainsDisplay.from_predictions(digit, probabilities, positive=8).plot,
        "decision": displays.DecisionCurveDisplay.from_predictions(digit, probabilities, positive=8).plot,
        "thresholds": displays.ThresholdDisplay.from_predictions(
            digit, probabilities["random forest"], positive=8, name="random forest"
        ).plot,
        "reliability": displays.ReliabilityDisplay.from_predictions(digit, probabilities).plot,
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
        save(figure, args.out / f"{name}.png", args.dpi)


def save(figure: Any, path: Path, dpi: int = 180) -> None:
    """Write a drawing as PNG, in 256 colours: these are enough, and make the file a third as large."""
    drawing = io.BytesIO()
    figure.savefig(drawing, format="png", dpi=dpi)
    Image.open(drawing).convert("RGB").quantize(256).save(path, optimize=True)


if __name__ == "__main__":
    main()
