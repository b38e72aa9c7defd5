"""The numbers that statistics hold, so that tests can ask for the same digits, or nearly the same."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
from joblib import parallel_config

from adjudge.engines.points import reduce_points


def numbers_of(statistic: Any) -> dict[str, Any]:
    """Return the fields of a statistic; what it makes of them when asked follows from them."""
    return {field.name: getattr(statistic, field.name) for field in fields(statistic)}


def digits(found: Mapping[type, Any]) -> dict[str, Any]:
    """Return all numbers of all statistics, as bytes or Python numbers."""
    return {
        f"{t.__name__}.{name}": value.tobytes() if isinstance(value, np.ndarray) else value
        for t, statistic in found.items()
        for name, value in numbers_of(statistic).items()
    }


def check_alike(
    found: Mapping[type, Any],
    expected: Mapping[type, Any],
    rtol: float,
    atol: float | None = None,
    exact: Collection[type] = (),
) -> None:
    """Check that statistics hold nearly the same numbers: the same if they are whole, or of the exact ones."""
    assert set(found) == set(expected)
    for type_, statistic in expected.items():
        for name, value in numbers_of(statistic).items():
            own, where = getattr(found[type_], name), f"{type_.__name__}.{name}"
            if is_dataclass(value):
                check_alike({type(value): own}, {type(value): value}, rtol, atol)
            elif value is None or isinstance(value, int) or type_ in exact:
                np.testing.assert_array_equal(own, value, err_msg=where)
            else:
                off = rtol if atol is None else atol
                np.testing.assert_allclose(
                    np.asarray(own, float), np.asarray(value, float), rtol=rtol, atol=off, err_msg=where
                )


def digits_of_all(X: Any, codes: Any, types: Any, folder: Path, **options: Any) -> set[str]:
    """Return the digits that threads, processes, those who read a map and those who keep a checkpoint find."""

    def run(X: Any, **more: Any) -> str:
        return repr(digits(reduce_points(X, codes, types, **options, **more)))

    runs = {run(X, n_jobs=n) for n in (1, 2, 5)} | {run(X, checkpoint=folder / "checkpoint")}
    with parallel_config("loky", n_jobs=2):
        runs.add(run(X))
    if isinstance(X, np.ndarray):
        np.save(folder / "X.npy", X)
        runs.add(run(np.load(folder / "X.npy", mmap_mode="r")))
    return runs
