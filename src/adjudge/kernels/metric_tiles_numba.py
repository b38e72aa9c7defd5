"""Distances other than Euclidean ones between four rows and a tile of columns."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from adjudge.kernels import inlined, kernel, merged, subroutine

__all__ = [
    "CANBERRA",
    "CHEBYSHEV",
    "CITYBLOCK",
    "EUCLIDEAN",
    "HAMMING",
    "HAMMING_OF_BITS",
    "HAVERSINE",
    "JACCARD_OF_BITS",
    "WORD",
    "haversine_distances",
    "metric_distances",
]

EUCLIDEAN, CITYBLOCK, CHEBYSHEV, CANBERRA, HAMMING, HAMMING_OF_BITS, JACCARD_OF_BITS, HAVERSINE = range(8)
# Binary variables of a packed word.
WORD = 64
_ROWS = 4

_PAIRS_OF_BITS = np.uint64(0x5555555555555555)
_FOURS = np.uint64(0x3333333333333333)
_BYTES = np.uint64(0x0F0F0F0F0F0F0F0F)
_ONES = np.uint64(0x0101010101010101)
_1, _2, _4, _56 = (np.uint64(k) for k in (1, 2, 4, 56))

# Squared half angles below which a sine comes from its series: a difference of products would lose digits.
_SMALL_ANGLE = 1e-3
# (asin(r) / r - 1) / r^2 as a polynomial of r^2 up to 1/4, with the smallest error, 2e-16 (a Chebyshev fit).
_ARCSINE = (
    0.1666666666666665, 0.07500000000020764, 0.044642857103423646, 0.03038194736709848, 0.02237204763174451,
    0.017355259955786323, 0.013929652902326633, 0.011875494382636922, 0.0078029494773533175,
    0.01603551434914882, -0.010749050339697808, 0.028169218060881414,
)  # fmt: skip

Array = np.ndarray[Any, Any]


@inlined()
def _add_difference(total: float, u: float, v: float) -> float:
    return total + abs(u - v)


@inlined()
def _larger_difference(total: float, u: float, v: float) -> float:
    difference = abs(u - v)
    return difference if difference > total else total


@inlined()
def _add_relative_difference(total: float, u: float, v: float) -> float:
    size = abs(u) + abs(v)
    return total + abs(u - v) / (size if size > 0.0 else 1.0)


@inlined()
def _add_unequal(total: float, u: float, v: float) -> float:
    return total + (1.0 if u != v else 0.0)


def _over_tile(add: Callable[[float, float, float], float]) -> Any:
    """Make the loop that gathers something over the variables, two at a time."""

    @subroutine()
    def gather(rows: Array, first: int, tile: Array, width: int, out: Array) -> None:
        for r in range(_ROWS):
            row, line = rows[first + r], out[r]
            for j in range(width):
                line[j] = 0.0
            for d in range(0, row.shape[0], 2):
                a, b, x, y = row[d], row[d + 1], tile[d], tile[d + 1]
                for j in range(width):
                    line[j] = add(add(line[j], x[j], a), y[j], b)

    return gather


_cityblock = _over_tile(_add_difference)
_chebyshev = _over_tile(_larger_difference)
_canberra = _over_tile(_add_relative_difference)
_unequal = _over_tile(_add_unequal)


@inlined()
def _bits_set(x: Any) -> Any:
    x = x - ((x >> _1) & _PAIRS_OF_BITS)
    x = (x & _FOURS) + ((x >> _2) & _FOURS)
    x = (x + (x >> _4)) & _BYTES
    return (x * _ONES) >> _56


@subroutine()
def _unequal_bits(rows: Array, first: int, tile: Array, width: int, out: Array, words: int) -> None:
    """Count the binary variables that differ, packed into the first words."""
    row_bits, tile_bits = rows.view(np.uint64), tile.view(np.uint64)
    for r in range(_ROWS):
        row, line = row_bits[first + r], out[r]
        for j in range(width):
            line[j] = 0.0
        for d in range(words):
            a, x = row[d], tile_bits[d]
            for j in range(width):
                line[j] += np.float64(np.int64(_bits_set(x[j] ^ a)))


@subroutine()
def _divide(width: int, out: Array, by: float) -> None:
    for r in range(_ROWS):
        for j in range(width):
            out[r, j] /= by


@subroutine()
def _divide_by_union(rows: Array, first: int, tile: Array, width: int, out: Array, words: int) -> None:
    """Divide by the variables that are set in either point; after its words each point has the number of its own."""
    counts = tile[words]
    for r in range(_ROWS):
        own, line = rows[first + r, words], out[r]
        for j in range(width):
            union = (own + counts[j] + line[j]) / 2
            line[j] /= union if union > 0.0 else 1.0


@inlined()
def _half_sine(half: float, sine: float, cosine: float, other_sine: float, other_cosine: float) -> float:
    """Sine of half the difference of two angles, from it and from the sines and cosines of the halves."""
    t = half * half
    series = half * (1.0 - t / 6.0 * (1.0 - t / 20.0 * (1.0 - t / 42.0)))
    product = sine * other_cosine - cosine * other_sine
    return series if t < _SMALL_ANGLE else product


@inlined()
def _arcsine_of_root(z: float) -> float:
    """Twice the arcsine of a root, without a branch: loops of it vectorise."""
    z = min(z, 1.0)
    root = math.sqrt(z)
    is_small = z < 0.25
    z = z if is_small else (1.0 - root) / 2.0
    root = root if is_small else math.sqrt(z)
    c = _ARCSINE
    series = c[8] + z * (c[9] + z * (c[10] + z * c[11]))
    series = c[4] + z * (c[5] + z * (c[6] + z * (c[7] + z * series)))
    series = c[0] + z * (c[1] + z * (c[2] + z * (c[3] + z * series)))
    angle = root + root * (z * series)
    return 2.0 * angle if is_small else math.pi - 4.0 * angle


@subroutine()
def _haversine(rows: Array, first: int, tile: Array, width: int, out: Array) -> None:
    """Angles between points on a sphere, of which `own_metrics` prepares seven numbers."""
    for r in range(_ROWS):
        row, line = rows[first + r], out[r]
        for j in range(width):
            north = _half_sine((tile[0, j] - row[0]) / 2.0, tile[2, j], tile[3, j], row[2], row[3])
            east = _half_sine((tile[1, j] - row[1]) / 2.0, tile[4, j], tile[5, j], row[4], row[5])
            line[j] = _arcsine_of_root(north * north + tile[6, j] * row[6] * (east * east))


@kernel()
def haversine_distances(rows: Array, columns: Array) -> Array:
    """Distances of prepared points, (n, 7) and (m, 7)."""
    n, m = rows.shape[0], columns.shape[0]
    padded = np.zeros((n + -n % _ROWS, rows.shape[1]))
    padded[:n] = rows
    tile = np.ascontiguousarray(columns.T)
    out = np.empty((padded.shape[0], m))
    for first in range(0, n, _ROWS):
        _haversine(padded, first, tile, m, out[first : first + _ROWS])
    return out[:n]


@merged
def metric_distances(
    kind: int, variables: int, rows: Array, first: int, tile: Array, width: int, out: Array
) -> None:
    """Distances of four rows to the columns of a tile; packed points have more variables than the tile has lines."""
    if kind == CITYBLOCK:
        _cityblock(rows, first, tile, width, out)
    elif kind == CHEBYSHEV:
        _chebyshev(rows, first, tile, width, out)
    elif kind == CANBERRA:
        _canberra(rows, first, tile, width, out)
    elif kind == HAMMING:
        _unequal(rows, first, tile, width, out)
        _divide(width, out, np.float64(variables))
    elif kind == HAVERSINE:
        _haversine(rows, first, tile, width, out)
    else:
        words = (variables + WORD - 1) // WORD
        _unequal_bits(rows, first, tile, width, out, words)
        if kind == HAMMING_OF_BITS:
            _divide(width, out, np.float64(variables))
        else:
            _divide_by_union(rows, first, tile, width, out, words)
