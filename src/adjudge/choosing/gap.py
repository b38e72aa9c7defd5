"""The gap statistic: the dispersion of the data compared with that of reference data without clusters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

import numpy as np

from adjudge.array_types import Floats, Ints
from adjudge.blas import factorizing
from adjudge.choosing.estimators import Clusterer
from adjudge.choosing.resampling import Repeats
from adjudge.given.options import check_choice
from adjudge.kernels.elementary import logarithms
from adjudge.statistics.sweep import GapReference

__all__ = ["REFERENCES", "box", "gap_reference", "reference_points", "within_dispersion"]

Reference = Literal["uniform", "pca"]

REFERENCES = ("uniform", "pca")


def within_dispersion(X: Floats, codes: Ints) -> float:
    """Return the WGSS of a partition of points that lie around the origin."""
    total = 0.0
    order = np.argsort(codes, kind="stable")
    edges = np.cumsum(np.bincount(codes))
    for points in np.split(X[order], edges[:-1]):
        total += float(((points - points.mean(axis=0)) ** 2).sum())
    return total


def box(X: Floats, reference: Reference) -> tuple[Floats, Floats, Floats]:
    """Return the axes of a box around X, and its lower and upper limit along each axis."""
    centred = X - X.mean(axis=0)
    with factorizing(X.shape[1]):
        axes = np.linalg.eigh(centred.T @ centred)[1].T if reference == "pca" else np.eye(X.shape[1])
    scores = centred @ axes.T
    return axes, scores.min(axis=0), scores.max(axis=0)


def reference_points(X: Floats, reference: Reference) -> Callable[[np.random.Generator], Floats]:
    """Return a function that draws points uniformly from a box around X.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    reference : {"uniform", "pca"}
        A box along the coordinates or along the principal components.
    """
    axes, low, high = box(X, reference)
    return lambda rng: np.asarray(rng.uniform(low, high, size=(X.shape[0], low.size)) @ axes)


def gap_reference(
    X: Floats,
    clusterer: Clusterer,
    ks: Iterable[int],
    *,
    n_references: int = 100,
    reference: Reference = "pca",
    seed: np.random.SeedSequence,
    repeats: Repeats,
) -> GapReference:
    """Cluster the data and reference data in the same way.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    clusterer : Clusterer
        Its lighter version clusters both kinds of data, so that neither gets more starts.
    ks : iterable of int
        1 is added.
    n_references : int, default 100
        Number of reference data sets, B.
    reference : {"uniform", "pca"}, default "pca"
    seed : SeedSequence
    repeats : Repeats
    """
    check_choice("reference", reference, REFERENCES)
    wanted = sorted({1, *ks})
    centred = np.ascontiguousarray(X - X.mean(axis=0))
    draw = reference_points(centred, reference)
    light = clusterer.repeatable()

    def dispersions(points: Floats, seed: np.random.SeedSequence) -> list[float]:
        fits = light.fit(points, [k for k in wanted if k > 1], seed)
        total = float(((points - points.mean(axis=0)) ** 2).sum())
        return [total, *(within_dispersion(points, fits[k].codes) for k in wanted if k > 1)]

    def one(seed: np.random.SeedSequence) -> list[float]:
        return dispersions(draw(np.random.default_rng(seed)), seed)

    found = logarithms(np.array(dispersions(centred, seed)))
    references = logarithms(np.array(repeats.run(one, seed.spawn(n_references), "reference sets")))
    return GapReference(
        dict(zip(wanted, found.tolist(), strict=True)), {k: references[:, i] for i, k in enumerate(wanted)}
    )
