"""Numbers as people read them: in tables, sentences, pictures and on the report's page."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, Context
from typing import Any

# A word of a sentence, not a name as in labels_true, groups= or v1.csv.
_PLAIN_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*(?=[\s,;:]|\.?$)")

_SUFFIXES = ((10**15, "P"), (10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k"))
_SMALLEST_P = 0.0001
# Sums of weights from here on are shown without decimals.
_LARGE = 10**6


def with_minus(text: str) -> str:
    """Write a true minus sign for a hyphen."""
    return text.replace("-", "\N{MINUS SIGN}")


def count(n: float, one: str, many: str | None = None) -> str:
    """Write "1 instance", "1,797 instances"."""
    return f"{n:,} {one if n == 1 else many or plural(one)}"


def plural(one: str) -> str:
    """Return the plural of a noun, or of that before the first "of".

    Examples
    --------
    >>> from adjudge.presentation.numbers import plural
    >>> [plural(noun) for noun in ("row", "query", "day", "class", "pair of instances")]
    ['rows', 'queries', 'days', 'classes', 'pairs of instances']
    """
    noun, of, rest = one.partition(" of ")
    if re.search("[^aeiou]y$", noun):
        return f"{noun[:-1]}ies{of}{rest}"
    return f"{noun}{'es' if re.search('(s|x|z|ch|sh)$', noun) else 's'}{of}{rest}"


def out_of(part: int, whole: int, one: str, many: str | None = None) -> str:
    """Write "3 of the 5 criteria", "all 5 criteria", "none of the 5 criteria", "the only criterion"."""
    if part == whole == 1:
        return f"the only {one}"
    share = "all" if part == whole else f"{part:,} of the" if part else "none of the"
    return f"{share} {count(whole, one, many)}"


def instances(n: float) -> str:
    """Write "1,797 instances"; a float is their total weight."""
    return f"instances that weigh {weight_text(n)}" if isinstance(n, float) else count(n, "instance")


def weight_text(n: float) -> str:
    """Write a sum of weights, with thousands separated: to six digits, or all before the point.

    Examples
    --------
    >>> [weight_text(own) for own in (3.5, 713333.333, 3934666.667, 1e7)]
    ['3.5', '713,333', '3,934,667', '10,000,000']
    """
    return f"{n:,.6g}" if n < _LARGE else f"{n:,.0f}"


def listed(items: Sequence[str], limit: int | None = 8) -> str:
    """Write "a, b and c"; a long list is cut, unless the limit is None."""
    shown = list(items[:limit])
    if limit is not None and len(items) > limit:
        return ", ".join(shown) + f" and {len(items) - limit:,} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def named_few(names: Sequence[str]) -> str:
    """Write "a, b, c and 9 others" for a heading: up to four names are all written.

    Examples
    --------
    >>> named_few("abcd"), named_few("abcde")
    ('a, b, c and d', 'a, b, c and 2 others')
    """
    if len(names) < 5:
        return listed(names)
    return f"{', '.join(names[:3])} and {len(names) - 3} others"


def shortened(names: Sequence[str], most: int) -> str:
    """List the first names and the number of remaining ones."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


class UpperBound(float):
    """An upper bound for an unknown number: tables for people show it as "< 5.9e-05"."""


class Share(float):
    """A probability or a share: tables for people show it in per cent."""


class Votes(float):
    """A number of votes, some of which may be shared: tables for people show it to two decimals."""


class Weight(float):
    """A sum of weights among large ones: tables for people show it without decimals."""


def as_weights(sums: Iterable[Any]) -> list[Any]:
    """Mark sums of weights, if the largest has seven digits or more; counts stay as they are.

    Examples
    --------
    >>> [show_number(own) for own in as_weights([3934666.667, 713333.333])], as_weights([1.5, 2]), as_weights([10**7])
    (['3,934,667', '713,333'], [1.5, 2], [10000000])
    """
    found = list(sums)
    are_large = any(isinstance(own, float) and own >= _LARGE for own in found)
    return [Weight(own) if are_large and isinstance(own, (int, float)) else own for own in found]


def bounded(p_value: float, floor: float) -> float:
    """Mark a p-value as an upper bound if it is the smallest one that simulation, or floating point, can give."""
    return UpperBound(max(p_value, sys.float_info.min)) if p_value <= floor else p_value


def shown_p(p_value: float | None) -> float | None:
    """Mark a p-value that is too small for floating point as an upper bound: it is not exactly 0.

    Examples
    --------
    >>> show_number(shown_p(0.0)), show_number(shown_p(0.03)), show_number(shown_p(None))
    ('< 2.3e-308', '0.0300', '-')
    """
    return None if p_value is None else bounded(p_value, 0.0)


def show_number(value: Any, digits: int = 4) -> str:
    """Write a number for people, with thousands separated: counts in full, measures to `digits` places."""
    if value is None:
        return "-"
    if isinstance(value, UpperBound):
        return f"< {_rounded_up(value):.2g}"
    if isinstance(value, Share):
        return percent_text(value)
    if isinstance(value, Votes):
        return f"{value:.2f}"
    if isinstance(value, Weight):
        return f"{value:,.0f}"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    size = abs(value)
    if size != 0 and (size >= 10**6 or size < 10.0**-digits):
        return f"{value:.{digits}g}"
    return f"{value:,.{digits}f}"


def range_text(low: float, high: float) -> str:
    """Write the range of an index: "[0, 1]", "(-inf, 1]"; an infinite end is open."""
    before = "(" if math.isinf(low) else "["
    after = ")" if math.isinf(high) else "]"
    return f"{before}{low:g}, {high:g}{after}"


def _rounded_up(value: float) -> float:
    """Round up to two significant digits."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return math.ceil(value / unit - 1e-9) * unit


def digits_of_interval(low: float, high: float) -> int:
    """Return the number of decimals for an interval: three, or more if its ends are close together.

    Examples
    --------
    >>> digits_of_interval(0.6, 0.7), digits_of_interval(0.80986, 0.81035), digits_of_interval(1.0, 1.0)
    (3, 4, 3)
    """
    width = high - low
    if not 0 < width < math.inf:
        return 3
    return min(max(3, math.ceil(-math.log10(width / 2))), 6)


def with_interval(value: float, interval: tuple[float, float] | None) -> Any:
    """Show a value with its interval; a number if there is none.

    Examples
    --------
    >>> with_interval(0.8, (0.7086, 0.868))
    '0.800 [0.709, 0.868]'
    """
    if interval is None:
        return value
    digits = digits_of_interval(*interval)
    low, high = (show_number(bound, digits) for bound in interval)
    return f"{show_number(value, digits)} [{low}, {high}]"


def count_text(count: int, max_chars: int = 11) -> str:
    """Write a count, exact if it fits.

    A count that does not fit is shortened to three digits and a decimal prefix (k, M, G ...), with "≈" unless exact.

    Examples
    --------
    >>> count_text(1234567), count_text(1234567, 6), count_text(12000000, 6), count_text(999999, 6)
    ('1,234,567', '≈1.23M', '12M', '≈999k')
    """
    exact = f"{count:,}"
    if len(exact) <= max_chars:
        return exact
    if count >= 10**18:
        power = len(str(count)) - 1
        return f"≈{int(str(count)[:3]) / 100:.2f}e{power}"
    unit, suffix = next((unit, suffix) for unit, suffix in _SUFFIXES if count >= unit)
    places = 3 - len(str(count // unit))
    # Truncated, not rounded: 999,999 is not a million.
    cut = count * 10**places // unit
    digits = f"{cut / 10**places:.{places}f}"
    if cut * unit == count * 10**places:
        return (digits.rstrip("0").rstrip(".") if places else digits) + suffix
    return f"≈{digits}{suffix}"


def share_text(part: float, whole: float) -> str:
    """Write a share in per cent; "0 %" means exactly none and "100 %" exactly all.

    Examples
    --------
    >>> share_text(1, 3), share_text(1, 4), share_text(1, 10**6), share_text(10**6 - 1, 10**6), share_text(0, 0)
    ('33.3 %', '25 %', '<0.1 %', '>99.9 %', 'undefined')
    """
    if not whole:
        return "undefined"
    share = 100 * part / whole
    if 0 < share < 0.1:
        return "<0.1 %"
    if 99.9 < share < 100:
        return ">99.9 %"
    return f"{share:.0f} %" if math.isclose(share, round(share)) else f"{share:.1f} %"


def percent_text(share: float) -> str:
    """Write a level, a probability or an estimated share in as few digits as suffice; rounding never makes it 0 or 1.

    Examples
    --------
    >>> percent_text(0.05), percent_text(0.975), percent_text(0.6143), percent_text(0.9963), percent_text(0.0023)
    ('5 %', '97.5 %', '61 %', '>99 %', '<1 %')
    """
    percent = 100 * share
    tenths = round(10 * percent)
    if math.isclose(10 * percent, tenths, abs_tol=1e-9):
        return f"{tenths / 10:g} %"
    if percent < 1:
        return "<1 %"
    return ">99 %" if percent > 99 else f"{percent:.0f} %"


def error_at_most(bound: float | None) -> str:
    """Write a bound in two digits, rounded up, so that the error is no larger than what is written; "" for none.

    Examples
    --------
    >>> error_at_most(0.01231), error_at_most(0.5), error_at_most(0.0)
    ('error at most 0.013', 'error at most 0.5', '')
    """
    if not bound:
        return ""
    return (
        f"error at most {float(Context(prec=2, rounding=ROUND_CEILING).create_decimal_from_float(bound)):g}"
    )


def value_text(value: float, places: int = 2) -> str:
    """Write a value of an index: "undef." for nan, "∞" for infinity, a true minus sign.

    Examples
    --------
    >>> value_text(-0.25), value_text(float("nan")), value_text(1234.5), value_text(2e-7), value_text(0.0)
    ('−0.25', 'undef.', '1,234', '2e−07', '0.00')
    """
    if math.isnan(value):
        return "undef."
    if math.isinf(value):
        return "∞" if value > 0 else with_minus("-∞")
    size = abs(value)
    if size >= 10**6 or 0 < size < 10.0**-places / 2:
        text = f"{value:.{max(places - 1, 0)}g}" if size < 1 else f"{value:.{places}e}"
    elif size >= 1000:
        text = f"{value:,.0f}"
    else:
        text = f"{value:.{places}f}"
    return with_minus(text)


def p_text(p: float) -> str:
    """Write a p-value to two digits, or as a bound if it is tiny.

    Examples
    --------
    >>> p_text(0.0312), p_text(5.9e-5), p_text(UpperBound(0.005)), p_text(float("nan"))
    ('p = 0.031', 'p < 0.0001', 'p < 0.005', 'p undefined')
    """
    if math.isnan(p):
        return "p undefined"
    if p < _SMALLEST_P:
        return f"p < {_SMALLEST_P:f}".rstrip("0")
    return f"p {show_number(p)}" if isinstance(p, UpperBound) else f"p = {p:.2g}"


def capitalised(text: str) -> str:
    """Begin a sentence with a capital letter, unless it begins with the name of a parameter, a file or the like.

    Examples
    --------
    >>> capitalised("two models agree"), capitalised("labels_true has a gap"), capitalised("groups= is missing")
    ('Two models agree', 'labels_true has a gap', 'groups= is missing')
    """
    return text[:1].upper() + text[1:] if _PLAIN_WORD.match(text) else text
