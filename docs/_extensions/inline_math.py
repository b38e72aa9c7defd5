"""Set what is mathematics in the plain sentences of the records as such, and link the indices that they name."""

from __future__ import annotations

import re

import adjudge
from adjudge.indices.notation import SYMBOLS, plain
from adjudge.indices.record import Index

_OPERATOR = r"\s*(?:>=|<=|[-+/=<>])?\s*"
_INDEX = "[ijklm]"
# Could be a word of the sentence: mathematics only where the formula has it.
_WORDS = {"I"}


def with_math(text: str, record: Index) -> str:
    """Return Markdown: runs of symbols, numbers and operators between dollars, names of indices as links.

    Symbols are those of the record's formula and of its kind, with any running index.
    """
    known = {plain(s): s for s in SYMBOLS.get(record.kind, {}) if s not in _WORDS} | {
        plain(s): s for s in record.notation
    }
    indexed = {base for name in known if (base := re.sub(rf"_{_INDEX}$", "", name)) != name}
    names = [*map(re.escape, sorted(known, key=len, reverse=True)), _INDEX]
    names.insert(0, rf"(?:{'|'.join(map(re.escape, sorted(indexed)))})_{_INDEX}(?!\w)")
    symbol = rf"(?<![\w`-])(?:{'|'.join(names)})(?![\w`]|-[a-zA-Z])"
    atom = rf"(?:{symbol}|[()]|\d+(?:\.\d+)?(?![\w.]*[a-zA-Z])|\^)'?"
    run = re.compile(rf"{atom}(?:{_OPERATOR}{atom})*")

    def written(found: re.Match[str]) -> str:
        before, inside, after = _balanced(found[0])
        if not re.search(symbol, inside):
            return found[0]
        latex = re.sub(symbol, lambda s: known.get(s[0], s[0]), inside)
        latex = re.sub(r"\^\(([^()]*)\)", r"^{\1}", latex).replace(">=", r"\ge").replace("<=", r"\le")
        latex = re.sub(r"(?<=\w) (?=\w)", r"\\,", latex)
        return f"{before}${latex}${after}"

    return _linked(run.sub(written, text), record)


def _balanced(run: str) -> tuple[str, str, str]:
    """Split off brackets at the ends that have no partner within the run, and blanks."""
    start, end = 0, len(run)
    while start < end and (run[start] == " " or (run[start] == "(" and _partner(run[start:end]) is None)):
        start += 1
    while start < end and (
        run[end - 1] == " " or (run[end - 1] == ")" and run[start:end].count("(") < run[start:end].count(")"))
    ):
        end -= 1
    return run[:start], run[start:end], run[end:]


def _partner(run: str) -> int | None:
    """Where the bracket that a run begins with is closed."""
    depth = 0
    for place, character in enumerate(run):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return place
    return None


def _linked(text: str, record: Index) -> str:
    others = [r.name for r in adjudge.list_indices() if "_" in r.name and r is not record]
    name = re.compile(rf"(?<![\w$`\\/])`?({'|'.join(sorted(others, key=len, reverse=True))})`?(?![\w`])")
    return name.sub(r"[\1](\1.md)", text)
