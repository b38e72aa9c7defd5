"""Warnings of clusterers while they are fitted, each reported once instead of once per fit."""

from __future__ import annotations

import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from adjudge.cli.messages import one_line
from adjudge.cli.output import tell
from adjudge.presentation.numbers import count

__all__ = ["RAISE_MAX_ITER", "warnings_counted"]

#: The remedy for commands that set the parameters of clusterers.
RAISE_MAX_ITER = "raise max_iter, with --grid max_iter=1000"

# The warnings that Python shows by default.
_SHOWN = (UserWarning, FutureWarning, RuntimeWarning)
_NUMBER = re.compile(r"\d+(\.\d+)?")
_LESS_CLUSTERS = "distinct clusters"
_NOT_CONVERGED = "did not converge"


@contextmanager
def warnings_counted(remedy: str) -> Iterator[None]:
    """Report each warning raised inside once, with its count; `remedy` says what to do if fits did not converge.

    If Python was told what to do with warnings (``PYTHONWARNINGS``, ``-W``), leave them to Python.
    """
    if sys.warnoptions:
        yield
        return
    with warnings.catch_warnings(record=True) as caught:
        for category in _SHOWN:
            warnings.simplefilter("always", category)
        try:
            yield
        finally:
            for sentence in _sentences([str(warning.message) for warning in caught], remedy):
                tell(sentence)


def _sentences(messages: list[str], remedy: str) -> Iterator[str]:
    """Yield one sentence per kind of message; messages that differ only in numbers are of one kind."""
    first: dict[str, str] = {}
    kinds: Counter[str] = Counter()
    for message in messages:
        kind = next((k for k in (_NOT_CONVERGED, _LESS_CLUSTERS) if k in message), _NUMBER.sub("0", message))
        first.setdefault(kind, message)
        kinds[kind] += 1
    for kind, n in kinds.items():
        if kind == _NOT_CONVERGED:
            yield f"{count(n, 'fit')} did not converge: {remedy}"
        elif kind == _LESS_CLUSTERS:
            yield f"{count(n, 'fit')} found fewer clusters than asked for: there are too few distinct points"
        else:
            yield one_line(first[kind]) + (f" (warned of {n:,} times)" if n > 1 else "")
