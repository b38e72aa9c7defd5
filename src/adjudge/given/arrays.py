"""Arrays of any library as NumPy arrays, also of Python numbers; room for large ones; checks that floats are finite.

A large array has room in memory while it suffices, then in a temporary file that vanishes with the process. The checks
take a fraction of the time of a mask.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from adjudge.array_types import Ints
from adjudge.errors import Argument, InputError, InputTypeError, a_type, in_words
from adjudge.given.annotated import USUAL_POINTS, is_annotated
from adjudge.kernels.magnitude import sum_of_squares

P = ParamSpec("P")
R = TypeVar("R")

#: Bytes of arrays that stay in memory.
MEMORY_LIMIT = 1 << 30
# Bytes that are copied at a time.
_BLOCK = 1 << 25
# For more values BLAS uses threads, which spin while they wait for work: ours then wait up to 8 ms for a core.
_ON_ONE_THREAD = 10_000
# Squares of values between these, and sums of very many of them, stay well within even single precision.
_SMALL, _LARGE = 1e-10, 1e8
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
# What NumPy reads an array from without DLPack.
_OF_NUMPY = ("__array__", "__array_interface__", "__array_struct__")
# DLPack's codes for memory that NumPy can read: the computer's own, and what it shares with CUDA's and ROCm's devices.
_HOST = (1, 3, 11, 13)


def taking_arrays(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a verb: arrays of other libraries, also those in a mapping, reach it as NumPy's."""
    names = list(signature(function).parameters)

    @wraps(function)
    def call(*args: P.args, **given: P.kwargs) -> R:
        plain = [_with_own_arrays(value, name) for value, name in zip(args, names, strict=False)]
        named = {name: _with_own_arrays(value, name) for name, value in given.items()}
        return function(*plain, **named)

    return call


def _with_own_arrays(value: Any, name: str) -> Any:
    if not isinstance(value, dict) or not any(map(_is_exchanged, value.values())):
        return in_numpy(value, name)
    return {
        k: in_numpy(own, k if isinstance(k, str) else f"{name}[{in_words(k)}]") for k, own in value.items()
    }


def in_numpy(value: Any, name: str) -> Any:
    """Return an array of another library as NumPy's; anything else unchanged."""
    return to_numpy(value, name) if _is_exchanged(value) else value


def _is_exchanged(value: Any) -> bool:
    """Whether it is an array, not a number, that libraries pass to each other; Arrow's have gaps of their own."""
    if isinstance(value, (np.ndarray, np.generic)) or not hasattr(value, "__dlpack__"):
        return False
    return getattr(value, "ndim", 1) > 0 and type(value).__module__.partition(".")[0] != "pyarrow"


def to_numpy(values: Any, name: str) -> NDArray[Any]:
    """Return anything array-like as a NumPy array or a subclass, without a copy where NumPy can read its memory.

    Raises
    ------
    InputTypeError
        If an array is in the memory of another device; the message names the call that copies it. Also for a container
        that is no array and whose entries are containers of the same kind, which NumPy would unpack forever, and for
        an array with numbers of a type that NumPy lacks.
    """
    if isinstance(values, np.ndarray):
        return _in_single(values)
    if _on_device(values):
        raise InputTypeError(
            Argument(name),
            f" is {a_type(values)} in the memory of a device: pass a copy in the computer's memory",
            _copying(values, name),
        )
    if hasattr(values, "detach") and hasattr(values, "cpu"):
        # NumPy reads a PyTorch tensor only without its gradient.
        values = values.detach().cpu()
        if str(getattr(values, "dtype", "")).endswith("bfloat16"):  # which NumPy lacks
            values = values.float()
    _refuse_containers(values, name)
    by_numpy = not hasattr(values, "__dlpack__") or any(hasattr(values, own) for own in _OF_NUMPY)
    try:
        return _in_single(np.asanyarray(values)) if by_numpy else np.from_dlpack(values)
    except (BufferError, RuntimeError, TypeError) as error:
        if by_numpy and not hasattr(values, "__array__"):
            raise
        raise InputTypeError(
            Argument(name), f" is {a_type(values)} that NumPy cannot read ({error}): pass a NumPy array"
        ) from None


def _refuse_containers(values: Any, name: str) -> None:
    """Raise for a container with a length and entries that is neither a sequence nor declares itself an array."""
    if isinstance(values, (Sequence, Mapping)):
        return
    if is_annotated(values):
        raise InputTypeError(
            Argument(name),
            f" is {a_type(values)}, not an array: pass an entry of its obsm, such as {name}.obsm[{USUAL_POINTS!r}]",
        )
    if not (hasattr(values, "__len__") and hasattr(values, "__getitem__")):
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
    if not hasattr(values, "__dlpack_device__"):
        return hasattr(values, "__cuda_array_interface__")
    try:
        return values.__dlpack_device__()[0] not in _HOST
    except Exception:  # an array on several devices, which its library gathers
        return False


def _copying(values: Any, name: str) -> str:
    """Say how to copy an array from a device."""
    if type(values).__module__.partition(".")[0] in ("jax", "jaxlib"):
        return f", as jax.device_get({name}) is"
    return next((f", as {name}.{call}() is" for call in _COPIES if hasattr(values, call)), "")


def number_array(given: Any, name: str, nested: str) -> NDArray[Any]:
    """Return an array-like, perhaps of Python numbers, as an array; `nested` says what is wrong if it is no array."""
    try:
        return numbers_of_objects(to_numpy(given, name))
    except ValueError:
        raise InputError(Argument(name), nested) from None


def numbers_of_objects(values: NDArray[Any]) -> NDArray[Any]:
    """Return an array of Python numbers as floating point; any other array, or one with text, unchanged."""
    if values.dtype.kind != "O" or any(isinstance(value, (str, bytes, complex)) for value in values.flat):
        return values
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError, ArithmeticError):
        return values


def room_for(shape: tuple[int, ...], dtype: DTypeLike, memory_limit: int) -> NDArray[Any]:
    """Return zeros in memory or, beyond `memory_limit` bytes, in an unnamed temporary file."""
    n_bytes = int(np.prod(shape, dtype=object)) * np.dtype(dtype).itemsize
    if n_bytes <= memory_limit:
        return np.zeros(shape, dtype)
    import tempfile

    with tempfile.TemporaryFile(prefix="adjudge-") as file:
        try:
            # Reserved at once, because a disk that fills up under a memory map kills the process.
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, n_bytes)
        except OSError as error:
            raise InputError(
                f"no room for {n_bytes / 1e9:.1f} GB of points in {tempfile.gettempdir()!r} ({error.strerror}): "
                "let the environment variable TMPDIR name a folder on a larger disk, or give a larger memory_limit"
            ) from error
        return np.memmap(file, dtype, "r+" if hasattr(os, "posix_fallocate") else "w+", shape=shape)


def take_rows(X: NDArray[Any], kept: Ints, memory_limit: int) -> NDArray[Any]:
    """Return some rows of a matrix, dense or sparse; block by block if it is a memory map."""
    if not isinstance(X, np.memmap):
        return X[kept]
    rows = room_for((kept.size, X.shape[1]), X.dtype, memory_limit)
    step = max(1, _BLOCK // (X.shape[1] * X.itemsize))
    for start in range(0, kept.size, step):
        rows[start : start + step] = X[kept[start : start + step]]
    return rows


def magnitude_of_ordinary(values: NDArray[Any]) -> float | None:
    """Return the largest magnitude, or the root mean square, if all values are finite and far from all bounds."""
    if values.flags.c_contiguous:
        # One number, in which no bad value can hide, takes less time than both extremes.
        found = math.sqrt(sum_of_squares(values.reshape(-1)) / max(1, values.size))
    else:
        low, high = extremes(values)
        found = max(-low, high)
    return found if _SMALL < found < _LARGE else None


def have_finite_squares(values: NDArray[Any]) -> bool:
    """Whether the squares of floats have a finite sum, which they cannot have if a number is not finite."""
    if values.size <= _ON_ONE_THREAD:
        return math.isfinite(np.vdot(values, values))
    low, high = extremes(values)
    return max(-low, high) < math.sqrt(np.finfo(values.dtype).max / values.size)


def extremes(values: NDArray[Any]) -> tuple[float, float]:
    """Return the smallest and the largest value; NaN carries through, which is cheaper than a mask."""
    return float(np.minimum.reduce(values, None)), float(np.maximum.reduce(values, None))
