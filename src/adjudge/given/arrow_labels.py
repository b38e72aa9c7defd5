"""Labels in Arrow columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from adjudge.errors import Argument, InputError, Position
from adjudge.given.array_labels import code_array
from adjudge.given.class_order import joined_order, stated_orders
from adjudge.given.distinct_values import distinct_strings
from adjudge.given.label_vectors import Labels
from adjudge.given.object_labels import bind, code_objects
from adjudge.given.ordered_labels import ranks_of

__all__ = ["code_arrow", "code_strings", "not_text", "order_of_dictionary"]


def code_arrow(array: Any, name: str) -> Labels | None:
    """Code an Arrow array, in one chunk or several; return None for anything else."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not isinstance(array, (pa.Array, pa.ChunkedArray)):
        return None
    if isinstance(array.type, pa.BaseExtensionType):  # such as UUIDs, which Arrow does not encode
        return code_objects(array.to_pylist(), name)
    if pa.types.is_nested(array.type):
        raise InputError(Argument(name), " is nested: labels must be one-dimensional")
    if array.null_count == 0 and (pa.types.is_integer(array.type) or pa.types.is_floating(array.type)):
        return code_array(array.to_numpy(), name)
    if _is_binary(array.type):
        array = _as_text(array, name)
    is_text = pa.types.is_string(array.type) or pa.types.is_large_string(array.type)
    if is_text or pa.types.is_string_view(array.type):
        coded = code_strings(array.chunks if isinstance(array, pa.ChunkedArray) else [array])
        if coded is not None:
            return coded
    stated = order_of_dictionary(array, name)
    if isinstance(array, pa.ChunkedArray):
        # Combining would copy even a single chunk.
        array = array.chunk(0) if array.num_chunks == 1 else array.combine_chunks()
    if not pa.types.is_dictionary(array.type):
        array = pc.dictionary_encode(array)
    indices = array.indices
    if indices.null_count:
        if pa.types.is_unsigned_integer(indices.type):
            indices = indices.cast(pa.int64())
        indices = indices.fill_null(-1)
    codes = indices.to_numpy(zero_copy_only=False)
    categories = array.dictionary
    if _is_binary(categories.type):
        categories = _as_text(categories, name)
    return replace(bind(codes, categories.to_pylist(), name), order=stated)


def _is_binary(dtype: Any) -> bool:
    import pyarrow.types as types

    known = types.is_binary(dtype) or types.is_large_binary(dtype) or types.is_binary_view(dtype)
    return bool(known or types.is_fixed_size_binary(dtype))


def _as_text(array: Any, name: str) -> Any:
    """Read bytes as text, which many programs write as bytes."""
    import pyarrow as pa

    try:
        return array.cast(pa.binary()).cast(pa.string())
    except pa.ArrowInvalid:
        raise not_text(array.to_pylist(), name) from None


def _is_utf8(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def not_text(values: Iterable[bytes | None], name: str) -> InputError:
    """Return the error that names the first bytes that are no text."""
    place, value = next((i, own) for i, own in enumerate(values) if own is not None and not _is_utf8(own))
    return InputError(
        Argument(name),
        f" has the bytes {value!r:.60} ",
        Position(place),
        ", which are not UTF-8: decode them to text",
    )


def order_of_dictionary(array: Any, name: str) -> list[Any] | None:
    """Return the order that an ordered dictionary states, whose chunks may have parts of it; None for another array."""
    import pyarrow as pa

    if not (pa.types.is_dictionary(array.type) and array.type.ordered):
        return None
    chunks = array.chunks if isinstance(array, pa.ChunkedArray) else [array]
    return joined_order(stated_orders((name, own.dictionary.to_pylist()) for own in chunks))


def code_strings(arrays: Sequence[Any]) -> Labels | None:
    """Code Arrow strings in place; return None if there are none."""
    filled = [array for array in arrays if len(array)]
    if not filled:
        return None
    found = distinct_strings(filled)
    texts = found.values.to_pylist()
    # Nulls sort last, and get no code of their own.
    order = sorted(range(len(texts)), key=lambda i: (texts[i] is None, texts[i] or ""))
    codes = found.ranked(ranks_of(order))
    known = [texts[i] for i in order if texts[i] is not None]
    if len(known) == len(texts):
        return Labels(codes, 0, len(known), known)
    missing = codes == len(known)
    codes[missing] = 0
    return Labels(codes, 0, max(1, len(known)), known or [None], missing)
