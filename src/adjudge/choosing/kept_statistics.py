"""Statistics of partitions in a work folder, so that an interrupted choice does not compute them again."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from typing import Any, get_type_hints

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Codes
from adjudge.choosing.work_folder import WorkFolder
from adjudge.engines.running.checkpoint import Arrays
from adjudge.errors import a_type
from adjudge.given.point_options import PointOptions

__all__ = ["KeptStatistics"]

Reduced = dict[Any, dict[type, Any]]

_FIELDS = "fields"


@dataclass(frozen=True)
class KeptStatistics:
    """A store of statistics of partitions, keyed by what they are computed from; see `labellings.Keep`.

    Attributes
    ----------
    folder : WorkFolder
    told : str
        What the statistics depend on besides the points of the folder and the partitions.
    """

    folder: WorkFolder
    told: str

    @classmethod
    def of(cls, folder: WorkFolder, options: PointOptions) -> KeptStatistics:
        """Keep statistics of all points."""
        return cls(folder, f"{options.metric!r} {options.facts()!r}")

    def of_some(self, kept: NDArray[Any]) -> KeptStatistics:
        """Keep statistics of some of the points, given by a mask or by positions."""
        return replace(self, told=f"{self.told} of {_digest(kept)}")

    def __call__(
        self, labellings: Mapping[Any, Codes], types: set[type], compute: Callable[[], Reduced]
    ) -> Reduced:
        """Return the statistics of some partitions by key, from the folder or else computed now."""
        if self.folder.folder is None:
            return compute()
        names = " ".join(sorted(t.__name__ for t in types))
        partitions = " ".join(_digest(codes) for codes in labellings.values())
        found: list[Reduced] = []

        def reduced() -> Arrays:
            found.append(compute())
            return _as_arrays([found[0][key] for key in _keys(labellings)])

        arrays = self.folder.recall(f"statistics {partitions} {names} {self.told}", self.told, reduced)
        if found:
            return found[0]
        read = _from_arrays(arrays, {t.__name__: t for t in types})
        return dict(zip(_keys(labellings), read, strict=True))


def _keys(labellings: Mapping[Any, Codes]) -> list[Hashable]:
    # Statistics that belong to no partition have the key None.
    return [*labellings] or [None]


def _digest(array: NDArray[Any]) -> str:
    return blake2b(np.ascontiguousarray(array).tobytes(), digest_size=16).hexdigest()


def _as_arrays(statistics: list[dict[type, Any]]) -> Arrays:
    """Take statistics apart: arrays as they are, everything else in one text."""
    arrays: Arrays = {}
    written = [
        {t.__name__: _apart(s, f"{i}.{t.__name__}", arrays) for t, s in own.items()}
        for i, own in enumerate(statistics)
    ]
    return {**arrays, _FIELDS: np.array(json.dumps(written))}


def _apart(value: Any, path: str, arrays: Arrays) -> Any:
    if dataclasses.is_dataclass(value):
        # Fields that are not arguments are derived from the others.
        return {
            f.name: _apart(getattr(value, f.name), f"{path}.{f.name}", arrays)
            for f in dataclasses.fields(value)
            if f.init
        }
    if isinstance(value, np.ndarray):
        arrays[path] = value
        return {"array": path}
    if isinstance(value, (float, np.floating)):
        # Hexadecimal keeps all digits.
        return {"float": float(value).hex()}
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if value is None:
        return None
    raise TypeError(f"{path} is {a_type(value)}, which is not kept")


def _from_arrays(arrays: Arrays, types: Mapping[str, type]) -> list[dict[type, Any]]:
    written = json.loads(str(arrays[_FIELDS]))
    together = partial(_together, arrays=arrays)
    return [{types[name]: together(found, types[name]) for name, found in own.items()} for own in written]


def _together(found: Any, kind: Any, arrays: Arrays) -> Any:
    if not isinstance(found, dict):
        return found
    if "array" in found:
        return arrays[found["array"]]
    if "float" in found:
        return float.fromhex(found["float"])
    hints = get_type_hints(kind)
    return kind(**{name: _together(value, hints[name], arrays) for name, value in found.items()})
