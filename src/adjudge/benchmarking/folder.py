"""A folder of data sets in the layout of the clustering benchmark suite of Gagolewski et al.

``BATTERY/NAME.data.gz`` has the points; ``NAME.labels0.gz``, ``NAME.labels1.gz`` ... have one accepted truth each,
with 0 for noise. Results are in a separate folder: ``METHOD/BATTERY/NAME.resultK.gz`` has one column per variant of the
method, named in the first line. Plain predictions lie beside the truths: ``NAME.MODEL.labels`` (also .gz, .csv, .txt).
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError

__all__ = ["NOISE", "Dataset", "read_predictions", "read_suite"]

#: Label of the instances of a truth that belong to no cluster.
NOISE = 0

_TRUTH = re.compile(r"(?P<name>.+)\.labels(?P<number>\d+)(\.gz)?")
_RESULT = re.compile(r"(?P<name>.+)\.result(?P<k>\d+)(\.gz)?")
_PREDICTION = re.compile(r"(?P<name>.+?)\.(?P<model>[^.]+)\.(labels|pred|csv|txt)(\.gz)?")


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Points and their accepted truths.

    Attributes
    ----------
    name : str
    X : ndarray of shape (n, p)
    truths : dict of str to ndarray of shape (n,)
    noise : object
        Label of the instances of a truth that belong to no cluster; None if there are none.
    source : str
        Where the data set comes from.
    licence : str
    """

    name: str
    X: NDArray[np.float64]
    truths: dict[str, NDArray[Any]]
    noise: Any = None
    source: str = ""
    licence: str = ""

    def __repr__(self) -> str:
        n, p = self.X.shape
        return f"<Dataset {self.name}: {n:,} points, {p} columns, {self.n_clusters} clusters>"

    @property
    def y(self) -> NDArray[Any]:
        """The first truth."""
        return next(iter(self.truths.values()))

    @property
    def n_clusters(self) -> int:
        """Number of clusters of the first truth, without noise."""
        labels = np.unique(self.y)
        return int(labels.size if self.noise is None else (labels != self.noise).sum())


def read_suite(folder: str | Path) -> dict[str, Dataset]:
    """Read the points and truths of every data set below a folder.

    Returns
    -------
    dict of str to Dataset
        Named ``battery/name``, or ``name`` if they lie in the folder itself.
    """
    root = _checked(folder)
    found = {}
    for path in sorted((*root.rglob("*.data.gz"), *root.rglob("*.data"))):
        stem = path.name.removesuffix(".gz").removesuffix(".data")
        name = _name(root, path.parent, stem)
        truths = _truths(path.parent, stem)
        if not truths:
            raise InputError(f"{path} has no labels beside it: {stem}.labels0.gz is missing")
        noisy = any((labels == NOISE).any() for labels in truths.values())
        X = _numbers(path)
        for file, labels in truths.items():
            if len(labels) != len(X):
                raise InputError(f"{file} has {len(labels)} labels, {path.name} has {len(X)} points")
        found[name] = Dataset(name, X, truths, NOISE if noisy else None, str(path))
    if not found:
        raise InputError(
            f"{root} holds no data sets: files such as NAME.data.gz and NAME.labels0.gz are needed"
        )
    return found


def read_predictions(folder: str | Path) -> tuple[dict[str, tuple[dict[str, Any], dict[str, Any]]], Any]:
    """Read the truths and the models' labels of every data set below a folder.

    Returns
    -------
    datasets : dict of str to (truths, predictions)
    noise : object
        Label of the truths that means noise.
    """
    root = _checked(folder)
    truths: dict[str, dict[str, Any]] = {}
    places: dict[str, Path] = {}
    for path in sorted(root.rglob("*.labels*")):
        match = _TRUTH.fullmatch(path.name)
        if match:
            name = _name(root, path.parent, match["name"])
            truths.setdefault(name, {})[f"labels{match['number']}"] = _labels(path)
            places[name] = path.parent
    if not truths:
        raise InputError(f"{root} holds no truth: files such as NAME.labels0.gz are needed")
    predictions: dict[str, dict[str, Any]] = {name: {} for name in truths}
    for path in sorted(root.rglob("*")):
        if path.is_file() and not _TRUTH.fullmatch(path.name):
            _take_predictions(root, path, truths, predictions)
    datasets = {name: (truths[name], found) for name, found in predictions.items() if found}
    if not datasets:
        raise InputError(
            f"{root} holds no predictions: files such as NAME.MODEL.labels.gz or MODEL/BATTERY/NAME.result3.gz are "
            "needed"
        )
    return datasets, NOISE


def _take_predictions(
    root: Path, path: Path, truths: Mapping[str, dict[str, Any]], predictions: dict[str, dict[str, Any]]
) -> None:
    result = _RESULT.fullmatch(path.name)
    if result:
        # METHOD/BATTERY/NAME.resultK: the method's folder is not a folder of data sets.
        for name in truths:
            battery, _, own = name.rpartition("/")
            if own == result["name"] and (not battery or path.parent.name == battery.rpartition("/")[2]):
                _take_results(path, int(result["k"]), name, truths, predictions)
        return
    plain = _PREDICTION.fullmatch(path.name)
    if plain is None:
        return
    name = _name(root, path.parent, plain["name"])
    if name in truths:
        predictions[name][plain["model"]] = _labels(path)


def _take_results(
    path: Path,
    k: int,
    name: str,
    truths: Mapping[str, dict[str, Any]],
    predictions: dict[str, dict[str, Any]],
) -> None:
    """Take the columns of a result file if its number of clusters is that of a truth."""
    counts = {int((np.unique(labels) != NOISE).sum()) for labels in truths[name].values()}
    if k not in counts:
        return
    with _open(path) as lines:
        header = next(lines, "").strip().split(",")
        rows = [line.strip().split(",") for line in lines if line.strip()]
    table = np.array(rows, dtype=np.int64) if rows else np.empty((0, len(header)), np.int64)
    for column, model in enumerate(header):
        labels = table[:, column]
        known = predictions[name].get(model)
        # If truths differ in their number of clusters, the partition into the largest number is kept.
        predictions[name][model] = labels if known is None or k == max(counts) else known


def _checked(folder: str | Path) -> Path:
    root = Path(folder)
    if not root.is_dir():
        raise InputError(f"{str(root)!r} is not a folder: name one with files such as NAME.labels0.gz")
    return root


def _name(root: Path, parent: Path, stem: str) -> str:
    inner = parent.relative_to(root).as_posix()
    return stem if inner == "." else f"{inner}/{stem}"


def _truths(parent: Path, stem: str) -> dict[str, NDArray[Any]]:
    found = {}
    for path in sorted(parent.glob(f"{stem}.labels*")):
        match = _TRUTH.fullmatch(path.name)
        if match and match["name"] == stem:
            found[f"labels{match['number']}"] = _labels(path)
    return found


def _open(path: Path) -> Any:
    return gzip.open(path, "rt") if path.suffix == ".gz" else path.open()


def _numbers(path: Path) -> NDArray[np.float64]:
    try:
        with _open(path) as lines:
            return np.loadtxt(lines, ndmin=2, dtype=np.float64)
    except (ValueError, OSError, EOFError) as error:
        raise InputError(f"{path} cannot be read as numbers: {error}") from None


def _labels(path: Path) -> NDArray[Any]:
    """Read one label per line: as integers if all are whole numbers, else as text."""
    try:
        with _open(path) as lines:
            texts = [line.strip() for line in lines if line.strip()]
    except (UnicodeDecodeError, OSError, EOFError) as error:
        raise InputError(f"{path} cannot be read as labels: {error}") from None
    try:
        return np.array([int(float(text)) if float(text).is_integer() else text for text in texts])
    except ValueError:
        return np.array(texts)
