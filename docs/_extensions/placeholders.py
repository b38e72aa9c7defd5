"""Fill ``<!-- fill name: argument -->`` in hand-written pages with what the code knows."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from markdown import table
from pictures import GUIDE_PICTURE, data_code, sections
from sphinx.application import Sphinx

import adjudge
from adjudge.exported import public_names, public_object
from adjudge.indices.record import Index
from peers import Difference, differences, found_by

PLACEHOLDER = re.compile(r"<!-- fill ([a-z]+)(?:: (.+?))? -->")
_ROLE = re.compile(r":\w+:`~?([^`]+)`")
_DOCS = Path(__file__).parents[1]
#: Sections of the top-level names, and the modules that hold these; each package has a section of its own.
API_SECTIONS = {
    "Verbs": ("verbs", "choosing", "saved"),
    "Beside the verbs": (),
    "Groups of options": ("given",),
    "Results": ("results",),
    "Indices by name": ("indices",),
    "Errors": ("errors",),
}


def fill(text: str) -> str:
    """Replace every placeholder of a page, and put the call that draws a picture under it."""
    text = GUIDE_PICTURE.sub(r"\2\n\n```python\n\1\n```", text)
    return PLACEHOLDER.sub(lambda found: FILLERS[found[1]](found[2]), text)


def _differences(program: str) -> str:
    chosen = [
        d for d in differences() if (d.peer not in _NAMED if program == "others" else d.peer == program)
    ]
    reasons: dict[tuple[str, str], list[Difference]] = {}
    for difference in chosen:
        reasons.setdefault((difference.reason, difference.test), []).append(difference)
    heads = ("name there", "index here", "data", "value there", "here")
    parts = ["Compared with: " + ", ".join(dict.fromkeys(d.program for d in chosen)) + "."]
    for (reason, test), found in reasons.items():
        rows = [
            (
                d.name + (f" ({d.peer})" if program == "others" else ""),
                f"[{d.index}](indices/{d.index}.md)",
                d.data,
                d.theirs,
                d.ours,
            )
            for d in found
        ]
        parts += [f"**{reason[0].upper()}{reason[1:]}.** Test: {_test(test)}", table(heads, rows)]
    return "\n\n".join(parts)


_NAMED = ("clusterCrit", "scikit-learn", "genieclust", "clusim", "NbClust")


def _test(test: str) -> str:
    path, _, name = test.partition("::")
    return f"*{name.removeprefix('test_').replace('_', ' ')}*, in `{path}`"


def _api(section: str) -> str:
    names = [name for name in public_names() if section_of(name) == section]
    verbs = _verbs()
    names.sort(key=lambda name: (verbs.index(name) if name in verbs else 0, name.lower(), name))
    summary = table(("name", "what it is"), ((f"{{any}}`adjudge.{name}`", _summary(name)) for name in names))
    return "\n\n".join([summary, *(_entry(name) for name in names)])


def _verbs() -> list[str]:
    """Return the verbs in the order of the first page."""
    rows = re.findall(r"^\| `(.+?)` \|", (_DOCS / "index.md").read_text("utf-8"), re.MULTILINE)
    return [name for row in rows for name in row.split("`, `")]


def _summary(name: str) -> str:
    """Return the first sentence of a docstring, as Markdown."""
    first = (inspect.getdoc(public_object(name)) or "").split("\n\n")[0]
    return " ".join(_ROLE.sub(r"`\1`", first).replace("``", "`").split())


def section_of(name: str) -> str:
    """Return the section of the reference that a public name belongs to."""
    package, _, _ = name.rpartition(".")
    if package:
        return f"adjudge.{package}"
    home = public_names()[name].removeprefix("adjudge.")
    for section, modules in API_SECTIONS.items():
        if any(home == m or home.startswith(f"{m}.") for m in modules):
            if section == "Verbs" and name not in _verbs():
                # Plans and reports are defined beside the verbs that return them.
                return "Results" if name[0].isupper() else "Beside the verbs"
            return section
    return "Other"


def _entry(name: str) -> str:
    value = public_object(name)
    if not isinstance(value, type):
        return "\n\n".join(
            f"```{{eval-rst}}\n.. autofunction:: adjudge.{path}\n```" for path in (name, *_functions_of(name))
        )
    return f"```{{eval-rst}}\n.. autoclass:: adjudge.{name}\n   {_members(value)}\n```"


def _functions_of(name: str) -> list[str]:
    """Functions that a verb has beside itself, such as ``benchmark.run``."""
    value = public_object(name)
    own = () if inspect.isfunction(value) else vars(type(value))
    return [f"{name}.{part}" for part in own if not part.startswith("_") and callable(getattr(value, part))]


def _members(value: type) -> str:
    """Which members of other classes a class's entry shows: those of bases that have no entry of their own."""
    if issubclass(value, Exception):
        return ":show-inheritance:"
    documented = [base.__name__ for base in value.__mro__[1:] if _documented(base)]
    return f":inherited-members: {', '.join(documented)}"


def _documented(base: type) -> bool:
    """Whether a class has an entry of its own, or is another program's."""
    return not base.__module__.startswith("adjudge.") or base.__name__ in {
        name.rpartition(".")[2] for name in public_names()
    }


def _names(program: str) -> str:
    rows = [
        (name, record)
        for record in adjudge.list_indices()
        for peer, name in record.names_elsewhere
        if peer == program
    ]
    rows.sort(key=lambda row: row[0].lower())
    return table(
        ("name there", "here", "title"),
        (
            (f"`{name}`{_mark(name, record)}", f"[{record.name}](indices/{record.name}.md)", record.title)
            for name, record in rows
        ),
    )


def _mark(name: str, record: Index) -> str:
    """Mark a name that does not find the index."""
    return "" if found_by(name) is record else " *"


def _pages(_: str) -> str:
    """List, for a table of contents, the pages that the first page does not mention."""
    mentioned = (_DOCS / "index.md").read_text("utf-8")
    pages = sorted(page.stem for page in _DOCS.glob("*.md"))
    return "\n".join(
        page for page in pages if not re.search(rf"^{page}$", mentioned, re.MULTILINE) and page != "index"
    )


def _count(kind: str | None) -> str:
    return str(len(adjudge.list_indices(kind)))  # type: ignore[arg-type]


FILLERS: dict[str, Callable[..., str]] = {
    "differences": _differences,
    "api": _api,
    "gallery": lambda _: sections(),
    "gallerydata": lambda _: f"```python\n{data_code()}\n```",
    "names": _names,
    "count": _count,
    "pages": _pages,
}


def setup(app: Sphinx) -> dict[str, Any]:
    """Fill the placeholders of each page as it is read."""

    def on_read(app: Sphinx, name: str, source: list[str]) -> None:
        source[0] = fill(source[0])

    app.connect("source-read", on_read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
