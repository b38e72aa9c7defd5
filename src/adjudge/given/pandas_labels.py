"""Labels in pandas columns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from adjudge.errors import Argument, InputTypeError, a_type
from adjudge.given.array_labels import code_array
from adjudge.given.arrow_labels import code_arrow
from adjudge.given.label_vectors import Labels
from adjudge.given.object_labels import bind, code_objects

__all__ = ["code_pandas"]


def code_pandas(series: Any, name: str) -> Labels | None:
    """Code a pandas series, index or array; return None for a data frame."""
    import pandas as pd

    if getattr(series, "ndim", 1) != 1:
        return None
    if not hasattr(series, "dtype"):  # pandas.NA, say
        raise InputTypeError(Argument(name), f" is {a_type(series)}: give a sequence of labels")
    dtype = series.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "iubf":
        return code_array(series.to_numpy(), name)
    if isinstance(dtype, pd.CategoricalDtype):
        categorical = series.cat if hasattr(series, "cat") else series
        categories = list(categorical.categories)
        coded = bind(np.asarray(categorical.codes), categories, name)
        return replace(coded, order=categories) if dtype.ordered else coded
    if _holds_arrow_strings(dtype):
        return code_arrow(pd.array(series, copy=False).__arrow_array__(), name)
    try:
        codes, uniques = pd.factorize(series)
    except NotImplementedError:  # lists and extension types, which Arrow does not encode
        return code_arrow(pd.array(series, copy=False).__arrow_array__(), name)
    except TypeError:  # a label that is not hashable: the other reader names it
        return code_objects(list(series), name)
    return bind(codes, uniques.tolist(), name)


def _holds_arrow_strings(dtype: Any) -> bool:
    """Whether a pandas column is an array of Arrow strings."""
    return dtype in ("string[pyarrow]", "large_string[pyarrow]") or getattr(dtype, "storage", "") == "pyarrow"
