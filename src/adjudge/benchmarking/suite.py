"""Data sets that need no network: from scikit-learn, generated, and thirteen from a benchmark suite."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from adjudge.benchmarking.folder import Dataset, read_suite
from adjudge.errors import InputError

__all__ = ["BATTERIES", "load_suite"]

_CC_BY = "CC BY 4.0, see LICENCES.md beside the data"
_WUT = {
    "circles": "Aleksander Truszczyński",
    "graph": "Adam Wawrzeńczyk",
    "isolation": "Aleksander Truszczyński",
    "labirynth": "Adam Wawrzeńczyk",
    "mk1": "Mateusz Kobyłka",
    "mk2": "Mateusz Kobyłka",
    "mk3": "Mateusz Kobyłka",
    "mk4": "Mateusz Kobyłka",
    "olympic": "Michał Maciąg",
    "stripes": "Michał Maciąg",
    "trajectories": "Michał Maciąg",
    "trapped_lovers": "Aleksander Truszczyński",
    "windows": "Adam Wawrzeńczyk",
}


def load_suite(source: str | Path | Sequence[str] = "bundled") -> dict[str, Dataset]:
    """Load data sets with their truths.

    Parameters
    ----------
    source : str, path or sequence of str, default "bundled"
        "bundled" means all that come with this package: the batteries "sklearn", "generated" and "wut". Or give the
        name of one battery, names of data sets such as "wut/mk1", or a folder in the layout of Gagolewski's
        benchmark suite.

    Returns
    -------
    dict of str to Dataset
        Named ``battery/name``.

    Examples
    --------
    >>> from adjudge import benchmark
    >>> suite = benchmark.suite("sklearn")
    >>> suite["sklearn/iris"].X.shape, suite["sklearn/iris"].n_clusters
    ((150, 4), 3)
    """
    if isinstance(source, (str, Path)):
        if source == "bundled":
            return {name: one for battery in BATTERIES.values() for name, one in battery().items()}
        if source in BATTERIES:
            return BATTERIES[str(source)]()
        if Path(source).is_dir():
            return read_suite(source)
        if "/" not in str(source):
            raise InputError(
                f"{str(source)!r} is neither a folder nor a battery: there are bundled, {', '.join(BATTERIES)}"
            )
        source = [str(source)]
    wanted = list(source)
    found: dict[str, Dataset] = {}
    for battery in dict.fromkeys(name.partition("/")[0] for name in wanted):
        found |= BATTERIES.get(battery, dict)()
    for name in wanted:
        if name not in found:
            raise InputError(f"no data set is called {name!r}: benchmark.suite() has them all")
    return {name: found[name] for name in wanted}


def _sklearn() -> dict[str, Dataset]:
    """Load real data; columns are standardised, except for the digits, whose pixels share a scale."""
    from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

    found = {}
    for load in (load_iris, load_wine, load_breast_cancer, load_digits):
        X, y = load(return_X_y=True)
        name = f"sklearn/{load.__name__.removeprefix('load_')}"
        if load is not load_digits:
            X = (X - X.mean(axis=0)) / X.std(axis=0)
        found[name] = Dataset(
            name, X, {"classes": y}, source="scikit-learn", licence="BSD-3-Clause, public domain"
        )
    return found


def _generated() -> dict[str, Dataset]:
    """Generate shapes on which clusterers differ; the numbers are the same every time."""
    from sklearn.datasets import make_blobs, make_circles, make_moons

    noisy: dict[str, Any] = {"random_state": 7}
    many = {"n_samples": 1000, "centers": 12, "cluster_std": 0.8, "center_box": (-10, 10), **noisy}
    sets = {
        "blobs": make_blobs(600, centers=4, cluster_std=1.0, **noisy),
        "overlap": make_blobs(600, centers=[[0, 0], [2, 0], [1, 1.8]], cluster_std=0.9, **noisy),
        "unequal_sizes": make_blobs([500, 80, 20], centers=[[0, 0], [6, 0], [0, 6]], **noisy),
        "unequal_spread": make_blobs(
            600, centers=[[0, 0], [8, 0], [0, 9]], cluster_std=[0.4, 2.0, 1.0], **noisy
        ),
        "many": make_blobs(**many),
        "ten_dimensions": make_blobs(500, n_features=10, centers=5, cluster_std=3.0, **noisy),
        "moons": make_moons(600, noise=0.07, **noisy),
        "rings": make_circles(600, noise=0.05, factor=0.45, **noisy),
    }
    X, y = make_blobs(600, centers=[[0, 0], [0, 5], [0, 10]], **noisy)
    sets["stretched"] = (X @ np.array([[2.5, 1.5], [0.0, 0.6]]), y)
    return {
        f"generated/{name}": Dataset(
            f"generated/{name}", X, {"groups": y}, source="generated", licence="BSD-3-Clause"
        )
        for name, (X, y) in sets.items()
    }


def _wut() -> dict[str, Dataset]:
    """Load the data sets of the battery "wut" whose authors licensed them for redistribution."""
    found = {}
    with (files("adjudge.benchmarking") / "data" / "wut.npz").open("rb") as stream:
        stored = np.load(stream)
        for name, author in _WUT.items():
            X, y = stored[f"{name}.X"].astype(np.float64), stored[f"{name}.y"].astype(np.int64)
            full = f"wut/{name}"
            found[full] = Dataset(
                full, X, {"labels0": y}, source=f"{author}, benchmark suite", licence=_CC_BY
            )
    return found


#: Loaders of the bundled data sets, by battery.
BATTERIES = {"sklearn": _sklearn, "generated": _generated, "wut": _wut}
