"""Names for pictures: short, and different names stay different."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import takewhile


def shorten(name: object, max_chars: int) -> str:
    """Write a name on one line, without its middle if it is too long.

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
    """Write each name on one line, so that different names stay different.

    Names with the same ends keep the part in which they differ, and what fits of the ends; if they are too similar for
    that, they get a number.

    Examples
    --------
    >>> shorten_all(["gradient boosting 1 of June", "gradient boosting 12 of June", "SVM"], 13)
    ['gradient b…1…', 'gradient …12…', 'SVM']
    """
    full = [" ".join(str(name).split()) for name in names]
    short = [shorten(name, max_chars) for name in full]
    for alike in _collisions(full, short):
        texts = list(dict.fromkeys(full[i] for i in alike))
        head = _shared_words(texts)
        tail = _shared_words([text[:head:-1] for text in texts])
        for i in alike:
            end = len(full[i]) - tail
            middle = shorten(full[i][head:end], max(max_chars - 2, 1))
            room = max_chars - len(middle)
            after = full[i][end:] if tail <= room // 2 else "…"
            short[i] = _cut(full[i][:head], room - len(after)) + middle + after
    for alike in _collisions(full, short):
        numbers: dict[str, int] = {}
        for i in alike:
            number = numbers.setdefault(full[i], len(numbers) + 1)
            short[i] = f"{short[i]} #{number}"
    return short


def _cut(text: str, room: int) -> str:
    """Write the beginning of a text, and leave out the rest."""
    return text if len(text) <= room else text[: max(room - 1, 0)] + "…"


def _shared_words(texts: Sequence[str]) -> int:
    """Return the length of the beginning that all texts share, up to the end of a word."""
    shared = sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False)))
    while shared and texts[0][shared - 1].isalnum():
        shared -= 1
    return shared


def _collisions(full: Sequence[str], short: Sequence[str]) -> list[list[int]]:
    """Return the positions of different names that were shortened to the same text."""
    groups: dict[str, list[int]] = defaultdict(list)
    for i, text in enumerate(short):
        groups[text].append(i)
    return [group for group in groups.values() if len({full[i] for i in group}) > 1]
