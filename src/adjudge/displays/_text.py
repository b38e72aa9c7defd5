"""Numbers and names for pictures: short, and never rounded to a false statement."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from itertools import takewhile

from adjudge.presentation.tables import UpperBound, show_number

__all__ = ["count_text", "p_text", "share_text", "shorten", "shorten_all", "value_text"]

_SUFFIXES = ((10**15, "P"), (10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k"))
_MINUS = "\N{MINUS SIGN}"


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
    # Cut, not rounded: 999,999 is not a million.
    cut = count * 10**places // unit
    digits = f"{cut / 10**places:.{places}f}"
    if cut * unit == count * 10**places:
        return (digits.rstrip("0").rstrip(".") if places else digits) + suffix
    return f"≈{digits}{suffix}"


def share_text(part: float, whole: float) -> str:
    """Write a share in per cent; "0 %" means exactly none and "100 %" exactly all.

    Examples
    --------
    >>> share_text(1, 3), share_text(1, 10**6), share_text(10**6 - 1, 10**6), share_text(0, 5), share_text(0, 0)
    ('33.3 %', '<0.1 %', '>99.9 %', '0 %', 'undefined')
    """
    if whole == 0:
        return "undefined"
    if part in (0, whole):
        return "0 %" if part == 0 else "100 %"
    per_mille = round(1000 * part / whole)
    if per_mille == 0:
        return "<0.1 %"
    if per_mille == 1000:
        return ">99.9 %"
    return f"{per_mille / 10:.1f} %"


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
        return "∞" if value > 0 else f"{_MINUS}∞"
    size = abs(value)
    if size >= 10**6 or 0 < size < 10.0**-places / 2:
        text = f"{value:.{max(places - 1, 0)}g}" if size < 1 else f"{value:.{places}e}"
    elif size >= 1000:
        text = f"{value:,.0f}"
    else:
        text = f"{value:.{places}f}"
    return text.replace("-", _MINUS)


def p_text(p: float) -> str:
    """Write a p-value to two digits.

    Examples
    --------
    >>> p_text(0.0312), p_text(5.9e-5), p_text(float("nan"))
    ('p = 0.031', 'p = 5.9e−05', 'p undefined')
    """
    if math.isnan(p):
        return "p undefined"
    if isinstance(p, UpperBound):
        return f"p {show_number(p)}".replace("-", _MINUS)
    return f"p = {p:.2g}".replace("-", _MINUS)


def shorten(name: object, max_chars: int) -> str:
    """Write a name on one line, its middle left out if it is too long.

    Examples
    --------
    >>> shorten("agglomerative, complete linkage", 17)
    'agglomer… linkage'
    """
    text = " ".join(str(name).split())
    if len(text) <= max_chars:
        return text
    tail = (max_chars - 1) // 2
    return text[: max_chars - 1 - tail] + "…" + (text[-tail:] if tail else "")


def shorten_all(names: Sequence[object], max_chars: int) -> list[str]:
    """Write names on one line each such that different names stay different.

    Names with the same ends keep the part in which they differ; if they are too similar for that, they get a number.

    Examples
    --------
    >>> shorten_all(["gradient boosting 1 of June", "gradient boosting 12 of June", "SVM"], 9)
    ['…1…', '…12…', 'SVM']
    """
    full = [" ".join(str(name).split()) for name in names]
    short = [shorten(name, max_chars) for name in full]
    for alike in _collisions(full, short):
        texts = list(dict.fromkeys(full[i] for i in alike))
        head = _shared_words(texts)
        tail = _shared_words([text[:head:-1] for text in texts])
        for i in alike:
            middle = full[i][head : len(full[i]) - tail]
            short[i] = ("…" if head else "") + shorten(middle, max(max_chars - 2, 1)) + ("…" if tail else "")
    for alike in _collisions(full, short):
        numbers: dict[str, int] = {}
        for i in alike:
            number = numbers.setdefault(full[i], len(numbers) + 1)
            short[i] = f"{short[i]} #{number}"
    return short


def _shared_words(texts: Sequence[str]) -> int:
    """Length of the beginning that all texts share, up to the end of a word."""
    shared = sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False)))
    while shared and texts[0][shared - 1].isalnum():
        shared -= 1
    return shared


def _collisions(full: Sequence[str], short: Sequence[str]) -> list[list[int]]:
    """Positions of different names that were shortened to the same text."""
    groups: dict[str, list[int]] = defaultdict(list)
    for i, text in enumerate(short):
        groups[text].append(i)
    return [group for group in groups.values() if len({full[i] for i in group}) > 1]
