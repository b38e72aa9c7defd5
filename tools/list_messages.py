"""List the messages to users in the source of the package: errors, notices, warnings and help texts.

    python tools/list_messages.py            all, by file
    python tools/list_messages.py error      of one sort: error, notice, warning, note or help

Values that are filled in at run time are shown as {names}.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "adjudge"

#: Calls that make messages, and the sort of message that each makes.
MAKERS = {
    "Notice": "notice",
    "Caution": "notice",
    "warn": "warning",
    "echo": "warning",
    "worded": "error",
    "Noted": "note",
    "SampledValue": "note",
    "Option": "help",
    "Argument": "help",
}
#: Calls in the table of options, and which of their values is the text of the help.
TEXT_OF_HELP = {"Parameter": 2, "_with": 1}
#: Pieces of messages that Python and the command line word differently.
PIECES = frozenset({"Option", "Argument", "Position", "Row", "Call"})


@dataclass(frozen=True)
class Message:
    """One message in the source.

    Attributes
    ----------
    sort : str
    path : Path
        Relative to the folder of the package.
    line : int
    text : str
        With {names} for values, and ‹pieces› that Python and the command line word differently.
    plain : str
        The text without pieces and values: the words that both front ends show.
    """

    sort: str
    path: Path
    line: int
    text: str
    plain: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.sort}: {self.text}"


def messages(source: Path = SOURCE) -> Iterator[Message]:
    """Yield the messages of every module of a package, file by file and from top to bottom."""
    for path in sorted(source.rglob("*.py")):
        command = path.stem if path.parent.name == "cli" else None
        found = _Finder(ast.parse(path.read_text(encoding="utf-8")), command)
        for sort, node, parts in found.messages:
            text, plain = found.shown(parts), found.shown(parts, plain=True)
            yield Message(sort, path.relative_to(source), node.lineno, text, plain)


class _Finder(ast.NodeVisitor):
    """Collect the calls in a module that make messages, with the expressions that hold their words."""

    def __init__(self, module: ast.Module, command: str | None) -> None:
        self.command = command
        self.messages: list[tuple[str, ast.AST, list[ast.expr]]] = []
        self.constants = {
            target.id: node.value
            for node in module.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        self.helpers = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef)}
        self.visit(module)
        self.messages.sort(key=lambda message: message[1].lineno)  # type: ignore[attr-defined]

    def visit_Call(self, node: ast.Call) -> None:
        name = _called(node)
        texts = [keyword.value for keyword in node.keywords if keyword.arg in ("help", "reason", "note")]
        if name.endswith(("Error", "Warning")) and name[0].isupper():
            self.messages.append(("error", node, [*node.args, *texts]))
        elif self.command in ("parameters", "command_parameters") and name in TEXT_OF_HELP:
            place = TEXT_OF_HELP[name]
            self.messages.append(("help", node, node.args[place : place + 1]))
        elif MAKERS.get(name) == "help":
            if texts:
                self.messages.append(("help", node, texts))
        elif name in MAKERS:
            skipped = 1 if MAKERS[name] in ("notice", "note") else 0  # a code, or a number
            parts = [*node.args[skipped:], *(keyword.value for keyword in node.keywords)]
            self.messages.append((MAKERS[name], node, parts))
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Collect the docstrings of commands: they are the help that users read."""
        text = ast.get_docstring(node)
        if text and self.command is not None and (node.name == self.command or _is_callback(node)):
            self.messages.append(("help", node.body[0], [ast.Constant(" ".join(text.split()))]))
        self.generic_visit(node)

    def shown(self, parts: list[ast.expr], *, plain: bool = False, depth: int = 0) -> str:
        """Return the text that expressions make."""
        return "".join(self._shown(part, plain, depth) for part in parts)

    def _shown(self, node: ast.expr, plain: bool, depth: int) -> str:
        match node:
            case ast.Constant(str(text)):
                return text
            case ast.Constant(None | bool() | int() | float()):
                return ""
            case ast.JoinedStr(values):
                return self.shown(values, plain=plain, depth=depth)
            case ast.FormattedValue(value):
                return "" if plain else f"{{{ast.unparse(value)}}}"
            case ast.BinOp(left, ast.Add(), right):
                return self.shown([left, right], plain=plain, depth=depth)
            case ast.IfExp(_, body, orelse):
                either = [self._shown(body, plain, depth), self._shown(orelse, plain, depth)]
                return " | ".join(filter(None, either))
            case ast.Tuple(elts) | ast.List(elts):
                return self.shown(elts, plain=plain, depth=depth)
            case ast.Starred(value):
                return self._shown(value, plain, depth)
            case ast.Name(name) if name in self.constants and depth < 3:
                return self._shown(self.constants[name], plain, depth + 1)
            case ast.Call() if _called(node) in PIECES:
                return "" if plain else f"‹{', '.join(map(ast.unparse, node.args))}›"
            case ast.Call(ast.Name(name)) if name in self.helpers and depth < 3:
                return self._returned(self.helpers[name], plain, depth + 1)
        return "" if plain else f"{{{ast.unparse(node)}}}"

    def _returned(self, helper: ast.FunctionDef, plain: bool, depth: int) -> str:
        """Return the texts that a function of the same module may return."""
        values = [n.value for n in ast.walk(helper) if isinstance(n, ast.Return) and n.value is not None]
        return " | ".join(filter(None, (self._shown(value, plain, depth) for value in values)))


def _is_callback(node: ast.FunctionDef) -> bool:
    """Whether a function is the callback of the whole command line."""
    return any(isinstance(d, ast.Call) and _called(d) == "callback" for d in node.decorator_list)


def _called(node: ast.Call) -> str:
    match node.func:
        case ast.Name(name) | ast.Attribute(_, name):
            return name
    return ""


def main(arguments: list[str]) -> int:
    """Print the messages of the requested sorts."""
    found = [message for message in messages() if not arguments or message.sort in arguments]
    print(*found, sep="\n")
    print(f"{len(found)} messages", file=sys.stderr)
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
