"""Words and numbers as the report writes them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from adjudge.presentation.tables import count, listed, show_number

__all__ = [
    "bound",
    "chance",
    "count",
    "decimals_of",
    "estimator_title",
    "fixed",
    "interval",
    "letter",
    "listed",
    "number",
    "p_value",
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


def symbol(name: str) -> str:
    """Return the papers' symbol of a comparative measure."""
    return _SYMBOLS.get(name, "")


def number(value: Any) -> str:
    """Write a number; what is not one ("nan", "inf" from JSON) is named."""
    if value in ("nan", "inf", "-inf"):
        value = float(value)
    return show_number(value).replace("-", "−")


def short(value: Any, digits: int = 6) -> str:
    """Write a datum with at most this many significant digits; a gap is a dash."""
    if value in ("nan", None):
        return "–"
    if value in ("inf", "-inf"):
        return bound(value)
    return f"{float(value):.{digits}g}".replace("-", "−")


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
    return f"{float(value):.{decimals}f}".replace("-", "−")


def estimator_title(name: str) -> str:
    """Return what texts call one of the product's own estimators; others go by their names."""
    return {"kmeans": "k-means", "gaussian_mixture": "Gaussian mixture"}.get(name, name)


def p_value(value: float) -> str:
    """Write "p = 0.04"; a tiny value by its bound."""
    return "p < 0.0001" if value < 0.0001 else f"p = {value:.2g}"


def chance(value: Any) -> str:
    """Write a p-value alone, as a table does; a gap is a dash."""
    return (
        short(value)
        if value in ("nan", None)
        else p_value(float(value)).removeprefix("p ").removeprefix("= ")
    )


def bound(value: Any) -> str:
    """Write an end of a range."""
    return {"inf": "∞", "-inf": "−∞"}.get(value) or f"{value:g}".replace("-", "−")


def percent(part: float, whole: float) -> str:
    """Write a share; what is not quite nothing or everything is never rounded to it."""
    if not whole:
        return "–"
    share = 100 * part / whole
    if 0 < share < 0.1:
        return "<0.1 %"
    if 99.9 < share < 100:
        return ">99.9 %"
    return f"{share:.1f} %" if not math.isclose(share, round(share)) else f"{share:.0f} %"


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
    said = p_value(test["p_value"])
    if n_tests > 1:
        said += f"; with Holm's correction for {n_tests} pairs of models, {p_value(test['adjusted_p_value'])}"
    return f"{said} ({test['reason']})" if test["reason"] else said
