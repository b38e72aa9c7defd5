"""Many cases of one fact in one test: they are collected, and reported, as one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from inspect import signature
from typing import Any

import pytest

__all__ = ["each", "evenly"]

#: The part of the tests that runs: "all", "quick" or "rest".
PART = "all"
# So many cases that fail are shown.
_SHOWN = 5


def evenly(values: Sequence[Any], keep: int) -> list[Any]:
    """Return so many of the values, evenly spaced."""
    keep = min(keep, len(values))
    return [values[i * len(values) // keep] for i in range(keep)]


def each(names: str, values: Iterable[Any], *, keep: int | None = None) -> Callable[[Any], Any]:
    """Decorate a test that is run for each value, as ``parametrize`` does, but within one test.

    Parameters
    ----------
    names : str
        One parameter, or several that are separated by commas.
    values : iterable
        Values of the parameter, or tuples of them.
    keep : int, optional
        So many of them, evenly spaced, are enough in the quick part; default: all.
    """
    own, values = [name.strip() for name in names.split(",")], list(values)
    if not values:
        raise ValueError(f"a test has no value of {names}")

    def decorate(test: Any) -> Any:
        parameters = signature(test).parameters

        @wraps(test)
        def run(*args: Any, **given: Any) -> None:
            if args or own[0] in given:  # called for one case
                return test(*args, **given)
            cases = values
            if keep is not None and PART == "quick":
                cases = evenly(cases, keep)
            failed: list[BaseException] = []
            skipped = 0
            for case in cases:
                row = (case,) if len(own) == 1 else case
                try:
                    test(**dict(zip(own, row, strict=True)), **given)
                except pytest.skip.Exception:
                    skipped += 1
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(
                        f"where {', '.join(f'{n} = {v!r}' for n, v in zip(own, row, strict=True))}"[:400]
                    )
                    failed.append(error)
                    if len(failed) == _SHOWN:
                        break
            if len(failed) == 1:
                raise failed[0]
            if failed:
                raise BaseExceptionGroup(f"the first {len(failed)} cases that fail", failed)
            if skipped and skipped == len(cases):
                pytest.skip("every case is skipped")
            return None

        left = [p for name, p in parameters.items() if name not in own]
        run.__signature__ = signature(test).replace(parameters=left)  # type: ignore[attr-defined]
        del run.__wrapped__  # else pytest asks for the parameters
        return run if keep is None else pytest.mark.sampled(run)

    return decorate
