"""Labels in Arrow columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from adjudge.errors import Argument, InputError
from adjudge.given.array_labels import code_array
from adjudge.given.class_order import joined_order, stated_orders
from adjudge.given.label_vectors import Labels
from adjudge.given.object_labels import bind, code_objects
from adjudge.given.ordered_labels import ranks_of

__all__ = ["code_arrow", "code_strings", "order_of_dictionary"]


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
    return replace(bind(codes, array.dictionary.to_pylist(), name), order=stated)


def order_of_dictionary(array: Any, name: str) -> list[Any] | None:
    """Return the order that an ordered dictionary states, whose chunks may have parts of it; None for another array."""
    import pyarrow as pa

    if not (pa.types.is_dictionary(array.type) and array.type.ordered):
        return None
    chunks = array.chunks if isinstance(array, pa.ChunkedArray) else [array]
    return joined_order(stated_orders((name, own.dictionary.to_pylist()) for own in chunks))


def code_strings(arrays: Sequence[Any]) -> Labels | None:
    """Code Arrow strings in place; return None if they cannot be packed into words."""
    from adjudge.given.strings import numbered_strings

    strings = numbered_strings(arrays)
    if strings is None:
        return None
    texts = strings.texts
    # Nulls sort last, and get no code of their own.
    order = sorted(range(len(texts)), key=lambda i: (texts[i] is None, texts[i] or ""))
    codes = strings.found.ranked(ranks_of(order))
    known = [texts[i] for i in order if texts[i] is not None]
    if len(known) == len(texts):
        return Labels(codes, 0, len(known), known)
    missing = codes == len(known)
    codes[missing] = 0
    return Labels(codes, 0, max(1, len(known)), known or [None], missing)
