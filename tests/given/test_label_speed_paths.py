"""Labels that are many take shorter ways, to the same codes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adjudge.errors import InputError
from adjudge.given.labels import code_labels

N = 120_000
NUMBERS = np.random.default_rng(0).integers(-3, 40, N)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_whole_floats(dtype: Any) -> None:
    coded = code_labels(NUMBERS.astype(dtype), "labels")
    assert coded.missing is None
    codes, labels = coded.dense()
    assert (np.array(labels)[codes] == NUMBERS).all()
    lost = NUMBERS.astype(dtype)
    lost[[5, N - 1]] = np.nan
    again = code_labels(lost, "labels")
    assert again.missing is not None
    assert np.flatnonzero(again.missing).tolist() == [5, N - 1]
    for bad, words in ((0.5, "not a whole number"), (np.inf, "infinite"), (1e19, "too large")):
        lost[N - 2] = bad
        with pytest.raises(InputError, match=f"at position {N - 2}, which is {words}"):
            code_labels(lost, "labels")


@pytest.mark.parametrize("kind", ["Categorical", "Enum"])
@pytest.mark.parametrize("n", [40, N])
def test_categories_of_polars(kind: str, n: int) -> None:
    pl = pytest.importorskip("polars")
    names = np.array(["z", "b", "yy", "a"])[np.abs(NUMBERS[:n]) % 4]
    dtype = pl.Categorical if kind == "Categorical" else pl.Enum(["unused", "z", "yy", "b", "a"])
    series = pl.Series(names, dtype=dtype)
    coded = code_labels(series, "labels")
    assert coded.categories == ["a", "b", "yy", "z"]
    assert (np.array(coded.categories)[coded.codes] == names).all()
    part = code_labels(series.filter(pl.Series(names == "b")), "labels")
    assert part.categories == ["b"]


@pytest.mark.parametrize("missing", [False, True])
def test_categories_of_pandas(missing: bool) -> None:
    pd = pytest.importorskip("pandas")
    names = np.array(["z", "b", "yy", "a"], object)[np.abs(NUMBERS) % 4]
    if missing:
        names[7] = None
    coded = code_labels(pd.Categorical(names), "labels")
    assert (coded.missing is not None) == missing
    here = np.ones(N, bool) if coded.missing is None else ~coded.missing
    assert (np.array(coded.categories)[coded.codes[here]] == names[here]).all()
    assert coded.codes.dtype in (np.int32, np.int64)
