"""Arrays of any library as NumPy's: what lies in the memory of a device, and Python objects that are numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import Argument, InputTypeError, a_type

__all__ = ["numbers_of_objects", "to_numpy"]

# How libraries copy an array to the memory that NumPy reads: CuPy's way, numba's, and that of most others.
_COPIES = ("get", "copy_to_host", "cpu", "to_host")
# DLPack's names for memory that NumPy can read: the processor's, and the part of it shared with a GPU.
_HOST = (1, 3)


def to_numpy(values: Any, name: str) -> NDArray[Any]:
    """Return anything array-like as an array of NumPy or of a subclass; a tensor of PyTorch is copied from its device.

    Raises
    ------
    InputTypeError
        If an array is in the memory of another device; the message names the call that copies it.
    """
    if isinstance(values, np.ndarray):
        return _in_single(values)
    if hasattr(values, "detach") and hasattr(values, "cpu"):
        # NumPy takes a tensor of PyTorch from memory only, and without its gradient.
        values = values.detach().cpu()
        if str(values.dtype).endswith("bfloat16"):  # which NumPy lacks
            values = values.float()
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
