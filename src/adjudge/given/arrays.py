"""Arrays of any library as NumPy arrays, including arrays in device memory and of Python numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import Argument, InputTypeError, a_type

__all__ = ["numbers_of_objects", "to_numpy"]

# Methods that copy an array to memory that NumPy reads: CuPy's, numba's, and those of most other libraries.
_COPIES = ("get", "copy_to_host", "cpu", "to_host")
# Attributes of arrays, and of objects that can be made arrays.
_PROTOCOLS = (
    "__array__",
    "__array_interface__",
    "__array_struct__",
    "__cuda_array_interface__",
    "__dlpack__",
    "__arrow_array__",
)
# DLPack's codes for memory that NumPy can read: CPU memory, and the part of it shared with a GPU.
_HOST = (1, 3)


def to_numpy(values: Any, name: str) -> NDArray[Any]:
    """Return anything array-like as a NumPy array or a subclass; a PyTorch tensor is copied from its device.

    Raises
    ------
    InputTypeError
        If an array is in the memory of another device; the message names the call that copies it. Also for a container
        that is no array and whose entries are containers of the same kind, which NumPy would unpack forever.
    """
    if isinstance(values, np.ndarray):
        return _in_single(values)
    if hasattr(values, "detach") and hasattr(values, "cpu"):
        # NumPy reads a PyTorch tensor only from CPU memory, and without its gradient.
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
    """Raise for a container with a length and entries that is neither a sequence nor declares itself an array."""
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
    """Convert bfloat16 and other types that JAX adds to NumPy to float32; leave all others unchanged."""
    return values.astype(np.float32) if values.dtype.type.__module__ == "ml_dtypes" else values


def _on_device(values: Any) -> bool:
    if hasattr(values, "__cuda_array_interface__"):
        return True
    return hasattr(values, "__dlpack_device__") and values.__dlpack_device__()[0] not in _HOST


def numbers_of_objects(values: NDArray[Any]) -> NDArray[Any]:
    """Return an array of Python numbers as floating point; any other array, or one with text, unchanged."""
    if values.dtype.kind != "O" or any(isinstance(value, (str, bytes, complex)) for value in values.flat):
        return values
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError, ArithmeticError):
        return values
