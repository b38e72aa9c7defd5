"""What the page's script reads: columns as typed arrays in base64, pictures as sheets."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge._report.features import PlaneMap
from adjudge._report.material import Coded, Material
from adjudge.array_types import Floats, Ints
from adjudge.statistics.assignment import matched_columns
from adjudge.statistics.contingency import Contingency

# Most columns of the data in the table of instances.
MOST_COLUMNS = 40
# Columns of at least this many bytes are compressed; of this many instances, the map has 65,536 places a side.
_COMPRESSED, _GRIDDED = 500_000, 200_000


def packed(values: NDArray[Any]) -> dict[str, Any]:
    """Return numbers as little-endian base64 in the smallest type that holds them; long columns are compressed.

    Whole numbers keep their value; others keep seven significant digits. The first bytes of all numbers are
    compressed together, then the second ones, and so on: signs and exponents are much alike.
    """
    dtype = _smallest_type(values)
    raw = np.ascontiguousarray(values.astype(np.dtype(dtype).newbyteorder("<")))
    is_long = raw.nbytes >= _COMPRESSED
    content = raw.tobytes()
    if is_long:
        content = zlib.compress(raw.view(np.uint8).reshape(-1, raw.itemsize).T.tobytes())
    return {"type": dtype, "data": base64.b64encode(content).decode("ascii"), "compressed": is_long}


def _smallest_type(values: NDArray[Any]) -> str:
    if values.dtype.kind == "b":
        return "uint8"
    if values.size == 0:
        return "uint8"
    if values.dtype.kind == "f":
        if not np.isfinite(values).all() or not (values == np.rint(values)).all():
            return "float32"
        if np.abs(values).max() > 2**31 - 1:
            return "float64"
    low, high = int(values.min()), int(values.max())
    for dtype in ("uint8", "uint16", "int32", "uint32"):
        info = np.iinfo(dtype)
        if info.min <= low and high <= info.max:
            return dtype
    return "float64"


def instances_payload(material: Material) -> dict[str, Any]:
    """Return the instances that were compared, column by column."""
    kept, features, text = material.positions, material.columns, material.text
    everything = kept.size == material.n_given
    columns: list[dict[str, Any]] = []
    if text is not None:
        columns.append({"name": "text", "text": [text[i] for i in kept.tolist()]})
    shown = list(features.columns.items())[:MOST_COLUMNS] if features is not None else []
    for name, values in shown:
        if isinstance(values, np.ndarray):
            columns.append({"name": name, "numbers": packed(values[kept])})
        else:
            columns.append({"name": name, "text": [values[i] for i in kept.tolist()]})
    return {
        "n": int(kept.size),
        "positions": None if everything else packed(kept),
        "truth": None if material.truth is None else _coded(material.truth),
        "models": {
            name: {**_coded(coded), "order": _order(material, name)}
            for name, coded in material.models.items()
        },
        "right": {name: packed(right) for name, right in material.right.items()},
        "columns": columns,
        "columns_left_out": len(features.columns) - len(shown) if features is not None else 0,
        "map": None if material.plane is None else _plane(material.plane, kept),
        "pictures": None if material.pictures is None else material.pictures.payload(kept),
    }


def _coded(coded: Coded) -> dict[str, Any]:
    return {"codes": packed(coded.codes), "names": coded.names}


def _order(material: Material, model: str) -> list[int]:
    """Return a model's labels in the order of the columns of its cross table: clusters beside their classes."""
    if material.labels_true is None or material.right:
        return list(range(len(material.models[model].names)))
    table = Contingency.make(material.labels_true, material.labels[model])
    return [int(column) for column in matched_columns(table)]


def _places(values: Floats) -> dict[str, Any]:
    """Return positions along an axis of the map: of very many instances, on a grid finer than any screen."""
    low, width = float(values.min()), float(np.ptp(values))
    if values.size < _GRIDDED or not 0 < width < np.inf:
        return packed(values.astype(np.float32))
    grid = np.rint((values - low) * (65_535 / width)).astype(np.uint16)
    return {**packed(grid), "low": low, "step": width / 65_535}


def _plane(plane: PlaneMap, kept: Ints) -> dict[str, Any]:
    return {
        "x": _places(plane.x[kept]),
        "y": _places(plane.y[kept]),
        "x_title": plane.x_title,
        "y_title": plane.y_title,
        "caption": plane.caption,
    }
