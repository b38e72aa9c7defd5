"""The mutants of a module's source, each with its place and, if it is not worth a trial, the reason."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

import libcst as cst
import libcst.matchers as m
from libcst.metadata import MetadataWrapper, PositionProvider, WhitespaceInclusivePositionProvider

from operators import mutations

__all__ = ["GUARDS", "TYPES", "WORDING", "Mutant", "mutants_of"]

WORDING = "wording"
TYPES = "types"
GUARDS = "guards"

#: Parameters of a record that are only for people to read.
_PROSE = {"title", "note", "formula", "symbols"}


@dataclass(frozen=True)
class Mutant:
    """One change in one place.

    Attributes
    ----------
    scope : str
        The top-level function, class or variable whose definition (with decorators) contains the place.
    before, after : str
        The changed lines.
    number : int
        Numbers mutants that agree in all of these, from 1.
    key : str
        Identifies the mutant, even after changes elsewhere; sorting by it gives a random order.
    excluded : str or None
        `WORDING`, `TYPES` or `GUARDS`.
    start, stop : int
        The position of the statement in the source of the module.
    changed : str
        The code that replaces it.
    """

    module: str
    line: int
    scope: str
    before: str
    after: str
    number: int
    key: str
    excluded: str | None
    start: int
    stop: int
    changed: str

    def code(self, source: str) -> str:
        """Return the source of the module with the change."""
        return source[: self.start] + self.changed + source[self.stop :]

    def __str__(self) -> str:
        return f"{self.module}.py:{self.line} {self.scope}: {self.before} => {self.after or '(nothing)'}"


def mutants_of(module: str, source: str) -> Iterator[Mutant]:
    """Yield every mutant of a module, including excluded ones, in source order."""
    wrapper = MetadataWrapper(cst.parse_module(source), unsafe_skip_copy=True)
    positions = wrapper.resolve(PositionProvider)
    spans = wrapper.resolve(WhitespaceInclusivePositionProvider)
    offsets = [0, *accumulate(map(len, source.splitlines(keepends=True)))]
    tree = wrapper.module
    texts = [tree.code_for_node(statement) for statement in tree.body]
    start = source.index("".join(texts))
    for statement, text in zip(tree.body, texts, strict=True):
        scope = _scope(statement)
        places = _Places()
        statement.visit(places)
        seen: Counter[tuple[str, str]] = Counter()
        codes = {text}
        for node, mutated, excluded in places.found:
            if isinstance(node, cst.BaseCompoundStatement):
                changed = tree.code_for_node(statement.deep_replace(node, mutated))
            else:  # much faster: rewrite only what changes
                span = spans[node]
                first, last = (offsets[p.line - 1] + p.column - start for p in (span.start, span.end))
                changed = text[:first] + tree.code_for_node(mutated) + text[last:]
            if changed in codes or not _compiles(changed):
                continue
            codes.add(changed)
            before, after = _changed_lines(text, changed)
            seen[before, after] += 1
            identity = [module, scope, before, after, str(seen[before, after])]
            yield Mutant(
                module=module,
                line=positions[node].start.line,
                scope=scope,
                before=before,
                after=after,
                number=seen[before, after],
                key=hashlib.sha256("\0".join(identity).encode()).hexdigest()[:20],
                excluded=excluded,
                start=start,
                stop=start + len(text),
                changed=changed,
            )
        start += len(text)


def _compiles(code: str) -> bool:
    try:
        # Parsing misses some errors, such as a keyword given twice.
        compile(code, "mutant", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


def _changed_lines(old: str, new: str) -> tuple[str, str]:
    """Return the lines that differ, without equal lines before and after them."""
    ours, theirs = old.splitlines(), new.splitlines()
    shorter = min(len(ours), len(theirs))
    start = next((i for i in range(shorter) if ours[i] != theirs[i]), shorter)
    end = next((i for i in range(shorter - start) if ours[-1 - i] != theirs[-1 - i]), shorter - start)
    first, second = (lines[start : len(lines) - end] for lines in (ours, theirs))
    return " ".join(line.strip() for line in first), " ".join(line.strip() for line in second)


def _scope(statement: cst.CSTNode) -> str:
    if isinstance(statement, (cst.FunctionDef, cst.ClassDef)):
        return statement.name.value
    found = m.extract(
        statement,
        m.SimpleStatementLine(
            [
                m.Assign([m.AssignTarget(m.SaveMatchedNode(m.Name(), "name"))])
                | m.AnnAssign(m.SaveMatchedNode(m.Name(), "name"))
            ]
        ),
    )
    name = found and found.get("name")
    return name.value if isinstance(name, cst.Name) else "(module)"


class _Places(cst.CSTVisitor):
    """Collect nodes, their replacements, and reasons not to try these."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[cst.CSTNode, cst.CSTNode, str | None]] = []
        self._excluding: list[tuple[cst.CSTNode, str]] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, (cst.Annotation, cst.Import, cst.ImportFrom)):
            return False
        reason = _excluded(node)
        if reason:
            self._excluding.append((node, reason))
        for mutated in mutations(node):
            why = self._excluding[-1][1] if self._excluding else _excluded_change(node, mutated)
            self.found.append((node, mutated, why))
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if self._excluding and self._excluding[-1][0] is original_node:
            self._excluding.pop()


def _excluded(node: cst.CSTNode) -> str | None:
    """Return why nothing within a node is worth a trial, if so."""
    if isinstance(node, (cst.SimpleString, cst.ConcatenatedString)) and _is_sentence(node):
        return WORDING
    if isinstance(node, cst.Arg):
        return _excluded_argument(node)
    if isinstance(node, cst.Assign) and m.matches(node.targets[0].target, m.Name()):
        name = cst.ensure_type(node.targets[0].target, cst.Name).value
        if name == "__all__" or (name[:1].isupper() and not name.isupper()):
            return TYPES
    return None


def _is_sentence(node: cst.SimpleString | cst.ConcatenatedString) -> bool:
    """Whether a text contains a space, which no name, key or option does."""
    value = node.evaluated_value
    return isinstance(value, str) and " " in value


def _excluded_argument(node: cst.Arg) -> str | None:
    keyword = node.keyword.value if node.keyword else ""
    return WORDING if keyword in _PROSE else GUARDS if keyword == "strict" else None


def _excluded_change(node: cst.CSTNode, mutated: cst.CSTNode) -> str | None:
    if isinstance(node, cst.Call) and isinstance(mutated, cst.Call) and len(mutated.args) < len(node.args):
        left_out = next(a for a, b in zip(node.args, [*mutated.args, None], strict=False) if a is not b)
        return _excluded_argument(left_out)
    return None
