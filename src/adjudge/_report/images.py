"""Images of the instances as small PNG files inside the page."""

from __future__ import annotations

import base64
import struct
import zlib
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Ints
from adjudge.errors import Argument, InputError, InputTypeError, Position
from adjudge.given.arrays import to_numpy
from adjudge.given.options import given_names

# Pictures per sheet, pictures per row, and most bytes of pixels in all.
_SHEET = 1024
_ROW = 32
_PIXELS = 40_000_000
# Most bytes of picture files that a page may hold.
_FILES = 40_000_000
# First bytes of the files that every browser shows.
_SIGNATURES = {
    b"\x89PNG\r\n\x1a\n": "png",
    b"\xff\xd8\xff": "jpeg",
    b"GIF87a": "gif",
    b"GIF89a": "gif",
    b"RIFF": "webp",
}

# Colour types of the PNG format by the number of channels.
_COLOUR_TYPE = {1: 0, 2: 4, 3: 2, 4: 6}


@dataclass(frozen=True)
class PixelPictures:
    """Pictures of one size, in an array."""

    pixels: NDArray[np.uint8]

    def uri(self, i: int) -> str | None:
        """Return the data URI of one picture."""
        return png_uri(self.pixels[i])

    def payload(self, kept: Ints) -> dict[str, Any]:
        """Return sheets of many pictures each; those beyond the budget are left out."""
        height, width, channels = self.pixels.shape[1:]
        shown = min(kept.size, max(_SHEET, _PIXELS // (height * width * channels)))
        uris = []
        for start in range(0, shown, _SHEET):
            part = self.pixels[kept[start : min(start + _SHEET, shown)]]
            rows = -(-part.shape[0] // _ROW)
            sheet = np.zeros((rows * _ROW, height, width, channels), np.uint8)
            sheet[: part.shape[0]] = part
            grid = sheet.reshape(rows, _ROW, height, width, channels).transpose(0, 2, 1, 3, 4)
            uris.append(png_uri(grid.reshape(rows * height, _ROW * width, channels)))
        return {
            "width": width,
            "height": height,
            "row": _ROW,
            "sheet": _SHEET,
            "count": shown,
            "sheets": uris,
        }


@dataclass(frozen=True)
class FilePictures:
    """Pictures from files, of any size, unchanged; None for an instance without one."""

    uris: list[str | None]

    def uri(self, i: int) -> str | None:
        """Return the data URI of one picture."""
        return self.uris[i]

    def payload(self, kept: Ints) -> dict[str, Any]:
        """Return the data URIs."""
        return {"files": [self.uris[i] for i in kept.tolist()]}


Pictures = PixelPictures | FilePictures


def read_pictures(images: Any, n: int) -> Pictures:
    """Read images: an array of pixels, or one file name (or the bytes of a file) per instance."""
    if isinstance(images, np.ndarray) and images.dtype.kind not in "OUST":
        return PixelPictures(as_pictures(images, n))
    items = given_names("images", images)
    if not any(isinstance(item, (str, bytes, PathLike)) for item in items):
        return PixelPictures(as_pictures(images, n))
    if len(items) != n:
        raise InputError(f"images has {len(items)} entries, but there are {n} instances")
    uris: list[str | None] = []
    total = 0
    for i, item in enumerate(items):
        content = _content(item, i)
        total += len(content or b"")
        if total > _FILES:
            raise InputError(
                f"images hold more than {_FILES // 10**6} MB: make thumbnails, or give small arrays of pixels"
            )
        uris.append(None if content is None else _file_uri(content, item, i))
    return FilePictures(uris)


def _content(item: Any, i: int) -> bytes | None:
    """Return the bytes of a picture file; None for a gap."""
    if isinstance(item, bytes):
        return item
    if not isinstance(item, (str, PathLike)) or not str(item):
        return None
    try:
        return Path(item).read_bytes()
    except OSError as error:
        raise InputError(
            Argument("images"), " ", Position(i), f": cannot read {str(item)!r}: {error.strerror}"
        ) from None


def _file_uri(content: bytes, item: Any, i: int) -> str:
    for start, kind in _SIGNATURES.items():
        if content.startswith(start) and (kind != "webp" or content[8:12] == b"WEBP"):
            return f"data:image/{kind};base64,{base64.b64encode(content).decode('ascii')}"
    name = repr(str(item)) if not isinstance(item, bytes) else "this"
    raise InputError(Argument("images"), " ", Position(i), f": {name} is not a PNG, JPEG, GIF or WebP file")


def as_pictures(images: Any, n: int, max_side: int = 64) -> NDArray[np.uint8]:
    """Check images and convert them to bytes.

    Parameters
    ----------
    images : array-like of shape (n, height, width) or (n, height, width, channels)
        Grey, grey with alpha, RGB or RGBA. Bytes stay as they are; other numbers are scaled so that the
        smallest of all becomes 0 and the largest 255.
    n : int
        Number of instances.
    max_side : int
        Larger images are subsampled by a whole step.

    Returns
    -------
    ndarray of uint8 of shape (n, height, width, channels)
    """
    array = to_numpy(images, "images")
    if array.dtype.kind not in "iubf":
        raise InputTypeError(f"images has dtype {array.dtype}: give numbers, one array per image")
    if array.ndim == 3:
        array = array[..., None]
    if array.ndim != 4 or array.shape[3] not in _COLOUR_TYPE or 0 in array.shape:
        raise InputError(
            f"images has shape {np.shape(images)}: give (n, height, width) or (n, height, width, channels)"
        )
    if array.shape[0] != n:
        raise InputError(f"images has {array.shape[0]} entries, but there are {n} instances")
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
