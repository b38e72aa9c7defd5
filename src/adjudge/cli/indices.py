"""The command `adjudge indices`: which indices there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

import adjudge
from adjudge.cli.options import Debug, OutputFiles, OutputFormat
from adjudge.cli.output import Output
from adjudge.errors import InputError
from adjudge.indices.kinds import KINDS
from adjudge.presentation.numbers import range_text
from adjudge.presentation.tables import Table
from adjudge.unknown_names import close_names

if TYPE_CHECKING:
    from adjudge.indices.record import Index

__all__ = ["indices"]


def indices(
    kind: Annotated[
        str | None,
        typer.Argument(
            metavar="KIND", show_default=False, help=f"One of {', '.join(KINDS)}; or an index by its name."
        ),
    ] = None,
    search: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", show_default=False, help="Only indices whose name or meaning contains this text."
        ),
    ] = None,
    output_format: OutputFormat = None,
    output: OutputFiles = None,
    debug: Debug = False,
) -> None:
    """List the indices, or explain one.

    For example:

    - `adjudge indices`
    - `adjudge indices external --search rand`
    - `adjudge indices adjusted_rand`
    """
    destination = Output.to(output, output_format)
    explained = None
    try:
        found = adjudge.list_indices(kind)  # type: ignore[arg-type]
    except InputError:
        explained = _find(str(kind))
        found = [explained]
    if search is not None:
        from adjudge.indices.catalog import mentions

        found = [record for record in found if mentions(record, search)]
        if not found:
            raise InputError(f"no index mentions {search!r}: 'adjudge indices' lists them all")
    destination.write(
        data=lambda: [_facts(record) for record in found],
        tables=lambda: [_explanation(explained) if explained else _overview(found)],
        rows=lambda: _listing(found),
    )


def _find(name: str) -> Index:
    try:
        return adjudge.find_index(name)
    except InputError as error:
        if kinds := close_names(name, KINDS, 1, cutoff=0.8):
            raise InputError(f"{name!r} is not a kind of index: did you mean {kinds[0]}?") from None
        raise InputError(
            f"{name!r} is not a kind of index ({', '.join(KINDS)}), and ", *error.parts
        ) from None


def _listing(found: list[Index]) -> Table:
    rows = [(r.name, r.kind, r.better or "", range_text(*r.range), r.title, r.summary) for r in found]
    return Table(("name", "kind", "better", "range", "title", "meaning"), tuple(rows))


def _overview(found: list[Index]) -> Table:
    from adjudge.indices.index_list import IndexList

    return IndexList(found).table()


def _explanation(record: Index) -> Table:
    facts = {**_facts(record), "range": range_text(*record.range)}
    return Table(
        ("fact", "value"),
        tuple((name, _as_text(value)) for name, value in facts.items() if value not in ("", [], {}, None)),
    )


def _facts(record: Index) -> dict[str, object]:
    from adjudge.indices.notation import plain
    from adjudge.presentation.plain import plain_json

    return {
        "name": record.name,
        "title": record.title,
        "kind": record.kind,
        "meaning": record.summary,
        "advice": record.advice,
        "asks for": record.question,
        "default": record.default,
        "default of choose-k": record.default_k,
        "better": record.better,
        "range": plain_json(record.range),
        "best_k": record.best_k,
        "in choose": _in_choose(record),
        "undefined": record.undefined,
        "aliases": list(record.aliases),
        "elsewhere": plain_json(record.peers),
        "parameters": plain_json(record.parameters),
        "formula": record.formula,
        "notation": {plain(symbol): meaning for symbol, meaning in record.notation.items()},
        "note": record.note,
        "reference": record.citation,
    }


def _in_choose(record: Index) -> str:
    from adjudge.indices.structure_record import StructureIndex

    if not isinstance(record, StructureIndex):
        return ""
    return f"votes: it {record.votes}" if record.votes else record.drift and f"has no vote: {record.drift}"


def _as_text(value: object) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_as_text(entry)}" for name, entry in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)
