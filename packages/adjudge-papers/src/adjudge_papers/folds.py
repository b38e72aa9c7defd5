"""Training results, one file per fold; reading them does not need torch."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError

__all__ = ["CURVES", "Outcome", "check_settings", "collect", "fold_path"]

CURVES = ("loss", "training_accuracy", "test_accuracy", "seconds")


@dataclass(frozen=True)
class Outcome:
    """Predictions of one network; each image is classified by the copy that was not trained on it.

    Attributes
    ----------
    network : str
    predicted : ndarray of int64 of shape (n,)
    confidence : ndarray of float32 of shape (n,)
        Probability that the network assigned to the predicted class.
    fold : ndarray of int64 of shape (n,)
    curves : dict of str to ndarray of shape (folds, epochs)
        `loss` and `training_accuracy` during training, `test_accuracy`, and `seconds`, by epoch.
    settings : dict
    device : str
    """

    network: str
    predicted: NDArray[np.int64]
    confidence: NDArray[np.float32]
    fold: NDArray[np.int64]
    curves: dict[str, NDArray[np.float64]]
    settings: dict[str, Any]
    device: str


def collect(output: Path, network: str) -> Outcome:
    """Read and join the folds of a network that :func:`adjudge_papers.networks.train_network` wrote."""
    first = fold_path(output, network, 0)
    if not first.exists():
        raise InputError(f"{str(output)!r} holds no fold 1 of {network}: train it first")
    with np.load(first) as record:
        settings = json.loads(str(record["settings"]))
        device = str(record["device"])
    n = settings["n"]
    predicted = np.full(n, -1, np.int64)
    confidence = np.full(n, np.nan, np.float32)
    fold_of = np.full(n, -1, np.int64)
    curves: dict[str, list[NDArray[np.float64]]] = {name: [] for name in CURVES}
    for fold in range(settings["folds"]):
        path = fold_path(output, network, fold)
        if not path.exists():
            raise InputError(
                f"{str(output)!r} lacks fold {fold + 1} of {network}: run the training again to add it"
            )
        check_settings(path, settings)
        with np.load(path) as record:
            test = record["test"]
            predicted[test], confidence[test], fold_of[test] = record["predicted"], record["confidence"], fold
            for name, found in curves.items():
                found.append(record[name])
    joined = {name: np.array(found) for name, found in curves.items()}
    return Outcome(network, predicted, confidence, fold_of, joined, settings, device)


def fold_path(output: Path, network: str, fold: int) -> Path:
    """Return the file of a fold; folds count from 0."""
    return output / f"{network}-fold{fold:02d}.npz"


def check_settings(path: Path, settings: dict[str, Any]) -> None:
    """Raise if a fold was trained with other settings."""
    with np.load(path) as record:
        found = json.loads(str(record["settings"]))
    differing = sorted(k for k in settings.keys() | found.keys() if settings.get(k) != found.get(k))
    if differing:
        what = ", ".join(f"{k}={found.get(k)!r} (now {settings.get(k)!r})" for k in differing)
        raise InputError(f"{str(path)!r} comes from a run with other settings: {what}; name another folder")
