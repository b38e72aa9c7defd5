"""Roots of scatter matrices: R such that R'R is the matrix, which keeps the digits that squaring loses.

The matrix of products of deviations has the squared condition number of the deviations. If two columns are nearly the
same, it has lost what distinguishes them; a triangular factor of the deviations themselves still has it.
"""

from __future__ import annotations

import numpy as np

from adjudge.array_types import Matrix, Vector
from adjudge.blas import factorizing
from adjudge.kernels.elementary import logarithms

_EPS = float(np.finfo(np.float64).eps)
# Correlations this close to singular may be due to rounding: accumulation by blocks leaves a relative error of some
# tens of units in the last place.
_RANK_TOLERANCE = 64 * _EPS
# If the smallest eigenvalue of the correlations is larger than this, the determinant has at least 10 digits.
_WELL_CONDITIONED = 1e-4


def triangular_root(deviations: Matrix, so_far: Matrix | None = None) -> Matrix:
    """Return the triangular factor of some rows of deviations, combined with that of earlier rows."""
    rows = deviations if so_far is None else np.vstack([so_far, deviations])
    with factorizing(rows.shape[1]):
        return np.asarray(np.linalg.qr(rows, mode="r"))


def root_of(matrix: Matrix) -> Matrix:
    """Return the root of a scatter matrix without its deviations; what was lost to rounding is 0."""
    scale, eigenvalues, vectors = _correlations(matrix)
    eigenvalues = np.where(eigenvalues < _RANK_TOLERANCE * scale.size, 0.0, eigenvalues)
    return np.asarray(np.sqrt(eigenvalues)[:, None] * vectors.T * scale)


def is_ill_conditioned(matrix: Matrix) -> bool:
    """Return whether a scatter matrix lost digits of its determinant, so that its root must come from the points."""
    return bool(_correlations(matrix)[1][0] < _WELL_CONDITIONED)


def _correlations(matrix: Matrix) -> tuple[Vector, Vector, Matrix]:
    """Return the scale of each column, and eigenvalues and eigenvectors of the correlations, which are unit-free."""
    diagonal = np.diag(matrix)
    scale = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    with factorizing(scale.size):
        return scale, *np.linalg.eigh(matrix / scale / scale[:, None])


def is_singular(root: Matrix, degrees: int, rounding: Vector) -> bool:
    """Return whether R'R is numerically singular.

    Parameters
    ----------
    root : ndarray of shape (m, p)
    degrees : int
        Degrees of freedom of the deviations: with fewer than p, the matrix is singular.
    rounding : ndarray of shape (p,)
        What rounding of the data alone may add to the length of each column of deviations.
    """
    p = root.shape[1]
    lengths = _lengths(root)
    if degrees < p or root.shape[0] < p or not (lengths > 0).all():
        return True
    with factorizing(p):
        smallest = float(np.linalg.svd(root / lengths, compute_uv=False)[-1])
    return bool(smallest <= _RANK_TOLERANCE * p + 4.0 * np.max(rounding / lengths))


def spanned_axes(root: Matrix, degrees: int, rounding: Vector) -> Matrix:
    """Return axes, as columns, of the space that deviations span, so that R times them has full rank.

    Parameters
    ----------
    root : ndarray of shape (m, p)
    degrees : int
        Degrees of freedom of the deviations, the most axes that there can be.
    rounding : ndarray of shape (p,)
        What rounding of the data alone may add to the length of each column of deviations.

    Returns
    -------
    ndarray of shape (p, r)
        r is the rank, up to rounding.
    """
    lengths = _lengths(root)
    varies = lengths > 4.0 * rounding
    if not varies.any():
        return np.zeros((lengths.size, 0))
    own = lengths[varies]
    with factorizing(own.size):
        _, sizes, axes = np.linalg.svd(root[:, varies] / own, full_matrices=False)
    least = _RANK_TOLERANCE * own.size + 4.0 * np.max(rounding[varies] / own)
    rank = min(int((sizes > least).sum()), degrees)
    found = np.zeros((lengths.size, rank))
    found[varies] = axes[:rank].T / own[:, None]
    return found


def log_determinant(root: Matrix) -> float:
    """Return the logarithm of the determinant of R'R, which must not be singular."""
    lengths = _lengths(root)
    diagonal = np.diag(triangular_root(root / lengths))
    return 2.0 * float(logarithms(np.abs(diagonal)).sum() + logarithms(lengths).sum())


def _lengths(root: Matrix) -> Vector:
    return np.asarray(np.sqrt(np.einsum("ij,ij->j", root, root)))
