"""Arrays of any library as NumPy's: what lies in the memory of a device, and Python objects that are numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import Argument, InputTypeError, a_type

__all__ = ["numbers_of_objects", "to_numpy"]

# How libraries copy an array to the memory that NumPy reads: CuPy's way, numba's, and that of most others.
_COPIES = ("get", "copy_to_host", "cpu", "to_host")
# What tells that an object is an array, or can be made one.
_PROTOCOLS = (
    "__array__",
    "__array_interface__",
    "__array_struct__",
    "__cuda_array_interface__",
    "__dlpack__",
    "__arrow_array__",
)
# DLPack's names for memory that NumPy can read: the processor's, and the part of it shared with a GPU.
_HOST = (1, 3)


def to_numpy(values: Any, name: str) -> NDArray[Any]:
    """Return anything array-like as an array of NumPy or of a subclass; a tensor of PyTorch is copied from its device.

    Raises
    ------
    InputTypeError
        If an array is in the memory of another device; the message names the call that copies it. If it is no array,
        but a container whose entries are containers of its own kind, which NumPy would never stop to unpack.
    """
    if isinstance(values, np.ndarray):
        return _in_single(values)
    if hasattr(values, "detach") and hasattr(values, "cpu"):
        # NumPy takes a tensor of PyTorch from memory only, and without its gradient.
        values = values.detach().cpu()
        if str(getattr(values, "dtype", "")).endswith("bfloat16"):  # which NumPy lacks
            values = values.float()
    _refuse_containers(values, name)
    try:
        return _in_single(np.asanyarray(values))
    except Exception:
        if not _on_device(values):
            raise
        by_call = next((f", as {name}.{call}() is" for call in _COPIES if hasattr(values, call)), "")
        raise InputTypeError(
            Argument(name),
            f" is {a_type(values)} in the memory of a device: pass a copy in the computer's memory{by_call}",
        ) from None


def _refuse_containers(values: Any, name: str) -> None:
    """Raise for what has a length and entries, but is neither a sequence nor says that it is an array."""
    if isinstance(values, (Sequence, Mapping)) or not (
        hasattr(values, "__len__") and hasattr(values, "__getitem__")
    ):
        return
    if any(hasattr(values, protocol) for protocol in _PROTOCOLS) or _is_buffer(values):
        return
    part = next((own for own in ("X", "values", "data") if _is_array(getattr(values, own, None))), None)
    raise InputTypeError(
        Argument(name),
        f" is {a_type(values)}, not an array: pass ",
        "its matrix of numbers" if part is None else f"its matrix of numbers, {name}.{part}",
    )


def _is_buffer(values: Any) -> bool:
    try:
        memoryview(values)
    except TypeError:
        return False
    return True


def _is_array(values: Any) -> bool:
    return any(hasattr(values, protocol) for protocol in (*_PROTOCOLS, "tocsr"))


def _in_single(values: NDArray[Any]) -> NDArray[Any]:
    """Bring bfloat16 and other types that JAX adds to NumPy to float32; leave everything else."""
    return values.astype(np.float32) if values.dtype.type.__module__ == "ml_dtypes" else values


def _on_device(values: Any) -> bool:
    if hasattr(values, "__cuda_array_interface__"):
        return True
    return hasattr(values, "__dlpack_device__") and values.__dlpack_device__()[0] not in _HOST


def numbers_of_objects(values: NDArray[Any]) -> NDArray[Any]:
    """Return an array of Python numbers as floating point; any other array, and one that holds text, as it is."""
    if values.dtype.kind != "O" or any(isinstance(value, (str, bytes, complex)) for value in values.flat):
        return values
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError, ArithmeticError):
        return values
