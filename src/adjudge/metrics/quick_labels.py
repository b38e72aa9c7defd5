"""Labels that pass every check of scikit-learn's, converted to codes or integers without these checks.

scikit-learn sorts labels to find the classes, several times per call. Coded labels give them at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError
from adjudge.given.labels import Labels, code_labels

# Every integer up to here fits a float64.
_LARGEST_WHOLE = 2.0**53
# Characters of the longest label whose text is repeated for each instance.
_LONGEST = 32
#: With more instances than this, scikit-learn warns if there are half as many classes as instances.
FEW = 20


def is_plain(*vectors: Any) -> bool:
    """Whether all are vectors of one length that pass every check of labels."""
    first = vectors[0]
    return all(
        type(v) is np.ndarray and v.ndim == 1 and v.dtype.kind in "iub" and v.size == first.size
        for v in vectors
    )


def unwrapped(values: Any) -> Any:
    """Convert a list or tuple of numbers or text, or a column of numbers, to an array; return all else unchanged."""
    if type(values) is np.ndarray:
        return values
    if type(values) in (list, tuple):
        return _array_of(values)
    package = type(values).__module__.partition(".")[0]
    if package == "pandas" and getattr(values, "ndim", 0) == 1:
        own = isinstance(values.dtype, np.dtype) and values.dtype.kind in "iubf"
        return values.to_numpy() if own else values
    if package == "polars" and hasattr(values, "null_count") and hasattr(values, "dtype"):
        return values.to_numpy() if values.dtype.is_numeric() and not values.null_count() else values
    return values


def _array_of(values: list[Any] | tuple[Any, ...]) -> Any:
    """Convert numbers, or text that is not long, to an array, which scikit-learn would do again and again."""
    kinds = set(map(type, values))
    if not kinds or not (kinds <= {int, bool, float} or kinds == {str}):
        return values
    return values if kinds == {str} and max(map(len, values)) > _LONGEST else np.asarray(values)


def is_discrete(values: Any) -> bool:
    """Whether it is a vector of integers, or of floats that are whole."""
    if type(values) is not np.ndarray or values.ndim != 1:
        return False
    return values.dtype.kind in "iub" or (values.dtype.kind == "f" and are_whole(values))


def are_whole(values: NDArray[Any]) -> bool:
    """Whether floats are integers that a float64 can tell apart."""
    if values.dtype == np.float16:
        # No float16 is as large, and the limit would not fit the type.
        values = values.astype(np.float32)
    return bool(((values == np.floor(values)) & (np.abs(values) < _LARGEST_WHOLE)).all())


def coded_text(values: Any) -> Labels | None:
    """Code a vector of text, with the classes that occur in scikit-learn's order.

    None if it holds anything else, is empty, or has so many classes that scikit-learn warns: its own checks then say
    what is wrong.
    """
    if not _begins_with_text(values):
        return None
    try:
        found = code_labels(values, "labels")
    except InputError:
        return None
    if found.missing is not None or not len(found):
        return None
    codes, names = found.dense()
    if not all(type(name) is str and not name.endswith("\0") for name in names):
        return None
    if len(found) > FEW and 2 * len(names) > len(found):
        return None
    return Labels(codes, 0, len(names), names)


def _begins_with_text(values: Any) -> bool:
    """Whether a vector's first label is a string; labels of other types need no further look."""
    if isinstance(values, np.ndarray):
        return values.ndim == 1 and (
            values.dtype.kind == "U" or (values.dtype == object and _is_text(values))
        )
    if type(values) in (list, tuple):
        return _is_text(values)
    if type(values).__module__.partition(".")[0] == "pyarrow":
        return hasattr(values, "type") and len(values) > 0 and type(values[0].as_py()) is str
    if type(values).__module__.partition(".")[0] not in ("pandas", "polars"):
        return False
    first = values.iloc if hasattr(values, "iloc") else values
    return getattr(values, "ndim", 1) == 1 and hasattr(values, "dtype") and _is_text(first, len(values))


def _is_text(values: Any, size: int | None = None) -> bool:
    return (len(values) if size is None else size) > 0 and type(values[0]) is str
