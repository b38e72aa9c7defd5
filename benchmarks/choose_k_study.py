"""Which criteria find the number of clusters, and on what: the study behind the verdict of `choose_k`.

    python benchmarks/choose_k_study.py run OUT.jsonl [--sets FOLDER]     values and votes on every data set, resumable
    python benchmarks/choose_k_study.py report OUT.jsonl                   the tables of docs/choose_k.md

FOLDER holds benchmark sets as BATTERY/NAME.data.gz with BATTERY/NAME.labels0.gz, labels1.gz ... beside them
(M. Gagolewski et al., doi:10.5281/zenodo.7088171); it may also be given as CLUSTERING_SETS. Without it the generated sets and those of
scikit-learn are used.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import numpy as np  # noqa: E402 (threads are set before)

MOST_POINTS = 1500
SHAPES = (("equal", "round"), ("unbalanced", "round"), ("equal", "elongated"), ("equal", "varied"))
KS = range(2, 11)
ESTIMATORS = ("kmeans", "ward", "average", "gaussian_mixture")


@dataclass(frozen=True)
class Set:
    """Points and what counts as right.

    Attributes
    ----------
    name, group : str
    X : ndarray
    references : list of ndarray
        Accepted labellings, 0 for noise; empty where there is no structure.
    """

    name: str
    group: str
    X: np.ndarray
    references: list[np.ndarray]

    @property
    def right(self) -> list[int]:
        """Accepted numbers of clusters; noise is none."""
        return sorted({int(np.unique(r[r > 0]).size) for r in self.references})


def _standardized(X: np.ndarray) -> np.ndarray:
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def _known() -> Iterator[Set]:
    from sklearn import datasets

    for name, scaled in (("iris", False), ("wine", True), ("breast_cancer", True), ("digits", False)):
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        yield Set(name, "real", _standardized(X) if scaled else X, [y + 1])


def _gaussian(rng: np.random.Generator, k: int, p: int, apart: float, sizes: str, shape: str) -> tuple[Any, Any]:
    """Gaussian clusters whose centres are at least `apart` standard deviations from each other."""
    box = apart * max(1.5, k ** (1 / p)) * 1.2
    while True:
        centres = rng.uniform(0, box, size=(k, p))
        gaps = np.linalg.norm(centres[:, None] - centres[None], axis=2)[np.triu_indices(k, 1)]
        if gaps.min() >= apart:
            break
        box *= 1.02
    counts = np.full(k, 600 // k)
    if sizes == "unbalanced":
        counts = np.maximum((600 * 2.0 ** -np.arange(k) / (2 - 2.0 ** (1 - k))).astype(int), 25)
    parts = []
    for centre, count in zip(centres, counts, strict=True):
        spread = np.eye(p)
        if shape == "elongated":
            turn = np.linalg.qr(rng.normal(size=(p, p)))[0]
            spread = turn * np.geomspace(0.4, 1.6, p)
        elif shape == "varied":
            spread = np.eye(p) * rng.uniform(0.4, 1.4)
        parts.append(centre + rng.normal(size=(count, p)) @ spread.T)
    return np.concatenate(parts), np.repeat(np.arange(1, k + 1), counts)


def _generated() -> Iterator[Set]:
    from sklearn import datasets

    seed = 0
    for apart, words in ((4.0, "close"), (7.0, "apart")):
        for k in (2, 3, 4, 6, 8):
            for p in (2, 6):
                for sizes, shape in SHAPES:
                    seed += 1
                    X, y = _gaussian(np.random.default_rng(seed), k, p, apart, sizes, shape)
                    kind = sizes if sizes == "unbalanced" else shape
                    yield Set(f"gaussian_{words}_{kind}_k{k}_p{p}", f"gaussian, {words}", X, [y])
    for noise in (0.05, 0.1):
        X, y = datasets.make_moons(600, noise=noise, random_state=1)
        yield Set(f"moons_{noise}", "not convex", X, [y + 1])
        X, y = datasets.make_circles(600, noise=noise / 2, factor=0.4, random_state=2)
        yield Set(f"circles_{noise}", "not convex", X, [y + 1])
    for number in range(3):
        rng = np.random.default_rng(100 + number)
        yield Set(f"uniform_square_{number}", "no structure", rng.uniform(size=(500, 2)), [])
        yield Set(f"uniform_cube_{number}", "no structure", rng.uniform(size=(500, 6)), [])
        yield Set(f"one_gaussian_{number}", "no structure", rng.normal(size=(500, 2)), [])
        yield Set(f"one_gaussian_p6_{number}", "no structure", rng.normal(size=(500, 6)), [])
        yield Set(f"one_elongated_{number}", "no structure", rng.normal(size=(500, 3)) * [4.0, 2.0, 1.0], [])
        yield Set(f"one_heavy_tailed_{number}", "no structure", rng.standard_t(5, size=(500, 2)), [])


def _given(folder: Path) -> Iterator[Set]:
    for path in sorted(folder.glob("*/*.data.gz")):
        stem = path.name.removesuffix(".data.gz")
        labels = sorted(path.parent.glob(f"{stem}.labels*.gz"))
        yield Set(
            f"{path.parent.name}/{stem}",
            path.parent.name,
            np.loadtxt(path, ndmin=2),
            [np.loadtxt(file, dtype=int) for file in labels],
        )


def sets(folder: Path | None) -> Iterator[Set]:
    """All sets, large ones sampled."""
    for data in (*_known(), *_generated(), *(_given(folder) if folder else ())):
        n = data.X.shape[0]
        if n > MOST_POINTS:
            keep = np.sort(np.random.default_rng(n).choice(n, MOST_POINTS, replace=False))
            data = Set(data.name, data.group, data.X[keep], [r[keep] for r in data.references])
        yield data


def run(out: Path, folder: Path | None) -> None:
    """Append a line for each set and estimator that has none yet."""
    from adjudge import adjusted_rand, choose_k

    done = set()
    if out.exists():
        done = {(r["set"], r["estimator"]) for r in map(json.loads, out.read_text().splitlines())}
    for data in sets(folder):
        for estimator in ESTIMATORS:
            if (data.name, estimator) in done:
                continue
            costly = estimator == "kmeans"
            start = time.perf_counter()
            choice = choose_k(
                data.X,
                estimator,
                KS,
                indices=["all", "gap"] if costly else "all",
                n_references=30,
                stability=20 if costly else False,
                random_state=0,
            )
            agreement = {}
            for reference in data.references:
                k = int(np.unique(reference[reference > 0]).size)
                if k in choice.labels:
                    clear = reference > 0
                    agreement[str(k)] = adjusted_rand(reference[clear], choice.labels[k][clear])
            row = choice.to_dict()
            row.pop("settings")
            row |= {"set": data.name, "group": data.group, "right": data.right, "agreement": agreement}
            with out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            seconds = time.perf_counter() - start
            print(f"{data.name} {estimator} right={data.right} k={choice.k} {seconds:.1f}s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run", "report"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--sets", type=Path, default=os.environ.get("CLUSTERING_SETS"))
    given = parser.parse_args()
    if given.what == "run":
        run(given.file, Path(given.sets) if given.sets else None)
    else:
        sys.exit("not yet")


if __name__ == "__main__":
    main()
