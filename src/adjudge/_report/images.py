"""Images of the instances as small PNG files inside the page."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, InputTypeError

__all__ = ["as_pictures", "png_uri"]

# Colour types of the PNG format by the number of channels.
_COLOUR_TYPE = {1: 0, 2: 4, 3: 2, 4: 6}


def as_pictures(images: Any, n: int, max_side: int = 64) -> NDArray[np.uint8]:
    """Check images and bring them to bytes.

    Parameters
    ----------
    images : array-like of shape (n, height, width) or (n, height, width, channels)
        Grey, grey with alpha, RGB or RGBA. Bytes stay as they are; other numbers are stretched so that the
        smallest of all becomes 0 and the largest 255.
    n : int
        Number of instances.
    max_side : int
        Larger images are thinned out by a whole step.

    Returns
    -------
    ndarray of uint8 of shape (n, height, width, channels)
    """
    array = np.asarray(images)
    if array.dtype.kind not in "iubf":
        raise InputTypeError(f"images has dtype {array.dtype}: give numbers, one array an image")
    if array.ndim == 3:
        array = array[..., None]
    if array.ndim != 4 or array.shape[3] not in _COLOUR_TYPE or 0 in array.shape:
        raise InputError(
            f"images has shape {np.shape(images)}: give (n, height, width) or (n, height, width, channels)"
        )
    if array.shape[0] != n:
        raise InputError(f"images has {array.shape[0]} entries, there are {n} instances")
    step = -(-max(array.shape[1:3]) // max_side)
    array = array[:, ::step, ::step]
    if array.dtype == np.uint8:
        return np.ascontiguousarray(array)
    low, high = float(array.min()), float(array.max())
    if not (np.isfinite(low) and np.isfinite(high)):
        raise InputError("images has NaN or infinite entries: fill them in")
    scale = 255.0 / (high - low) if high > low else 0.0
    return np.ascontiguousarray(np.rint((array - low) * scale).astype(np.uint8))


def png_uri(picture: NDArray[np.uint8]) -> str:
    """Return the data URI of one picture of shape (height, width, channels)."""
    height, width, channels = picture.shape
    rows = picture.reshape(height, width * channels)
    # Every row starts with its filter, 0 for none.
    raw = np.concatenate([np.zeros((height, 1), np.uint8), rows], axis=1).tobytes()
    header = struct.pack(">IIBBBBB", width, height, 8, _COLOUR_TYPE[channels], 0, 0, 0)
    body = b"\x89PNG\r\n\x1a\n" + b"".join(
        _chunk(kind, data)
        for kind, data in ((b"IHDR", header), (b"IDAT", zlib.compress(raw, 9)), (b"IEND", b""))
    )
    return "data:image/png;base64," + base64.b64encode(body).decode("ascii")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
