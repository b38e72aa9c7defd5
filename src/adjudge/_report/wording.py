"""Words and numbers as the report writes them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from adjudge.presentation.numbers import (
    UpperBound,
    count,
    listed,
    p_text,
    share_text,
    show_number,
    weight_text,
    with_minus,
)

__all__ = [
    "amount",
    "bound",
    "caveat",
    "chance",
    "count",
    "decimals_of",
    "estimator_title",
    "fact",
    "fixed",
    "interval",
    "letter",
    "listed",
    "main",
    "number",
    "percent",
    "short",
    "symbol",
    "test_outcome",
]

_SYMBOLS = {
    "comparative_deviation": "σc",
    "polarization": "α",
    "comparative_rightness": "ξc",
    "effective_rightness": "ξe",
    "effective_superiority": "φe",
}


def main(text: str) -> dict[str, str]:
    """Return a sentence of a verdict that says the main thing."""
    return {"tone": "main", "text": text}


def fact(text: str) -> dict[str, str]:
    """Return another sentence of a verdict."""
    return {"tone": "fact", "text": text}


def caveat(text: str) -> dict[str, str]:
    """Return a sentence of a verdict that says what to be careful about."""
    return {"tone": "caveat", "text": text}


def symbol(name: str) -> str:
    """Return the papers' symbol of a comparative measure."""
    return _SYMBOLS.get(name, "")


def amount(n: int | float) -> str:
    """Write a number of instances, or their weight."""
    return weight_text(n) if isinstance(n, float) else f"{n:,}"


def number(value: Any) -> str:
    """Write a number, which may be the text "nan" or "inf" of JSON."""
    if value in ("nan", "inf", "-inf"):
        value = float(value)
    return with_minus(show_number(value))


def short(value: Any, digits: int = 6, *, separate: bool = False) -> str:
    """Write a datum with at most this many significant digits, thousands separated if requested; a gap is a dash."""
    if value in ("nan", None):
        return "–"
    if value in ("inf", "-inf"):
        return bound(value)
    return with_minus(f"{float(value):{',' if separate else ''}.{digits}g}")


def decimals_of(values: Iterable[float], digits: int = 4) -> int | None:
    """Return how many decimals show the largest of some values in this many digits; None if that is too many."""
    largest = max((abs(v) for v in values if math.isfinite(v)), default=0.0)
    if largest == 0:
        return 0
    decimals = digits - 1 - math.floor(math.log10(largest))
    return max(0, decimals) if -3 <= decimals <= 6 else None


def fixed(value: Any, decimals: int | None) -> str:
    """Write a datum like the others of its column, with this many decimals; None for as many as needed."""
    if decimals is None or value in ("nan", None, "inf", "-inf"):
        return short(value)
    return with_minus(f"{float(value):.{decimals}f}")


def estimator_title(name: str) -> str:
    """Return what texts call one of the product's own estimators; others go by their names."""
    return {"kmeans": "k-means", "gaussian_mixture": "Gaussian mixture"}.get(name, name)


def chance(value: Any) -> str:
    """Write a p-value alone, as a table does; a gap is a dash."""
    if value in ("nan", None):
        return short(value)
    # The sign stays on the line of its number.
    p = value if isinstance(value, UpperBound) else float(value)
    return p_text(p).removeprefix("p ").removeprefix("= ").replace(" ", "\N{NO-BREAK SPACE}")


def bound(value: Any) -> str:
    """Write an end of a range."""
    return {"inf": "∞", "-inf": "−∞"}.get(value) or with_minus(f"{value:g}")


def percent(part: float, whole: float) -> str:
    """Write a share; a share of nothing is a dash."""
    return share_text(part, whole) if whole else "–"


def letter(i: int) -> str:
    """Name the groups of a table a, b ... z, a2, b2 ..."""
    turn, place = divmod(i, 26)
    return chr(ord("a") + place) + (str(turn + 1) if turn else "")


def interval(bounds: Sequence[Any]) -> str:
    """Write an interval."""
    if "nan" in bounds:
        return "no interval"
    return f"{number(bounds[0])} to {number(bounds[1])}"


def test_outcome(test: Mapping[str, Any], n_tests: int) -> str:
    """Write the outcome of the test of a pair, alone and among all pairs."""
    if test["p_value"] == "nan":
        return f"undefined: {test['reason']}"
    said = p_text(test["p_value"])
    if n_tests > 1:
        said += f"; with Holm's correction for {n_tests} pairs of models, {p_text(test['adjusted_p_value'])}"
    return f"{said} ({test['reason']})" if test["reason"] else said
