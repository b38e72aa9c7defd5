"""The tables that `adjudge evaluate` prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from adjudge.cli.messages import one_line
from adjudge.errors import Worded
from adjudge.presentation.numbers import shortened
from adjudge.presentation.tables import Table

if TYPE_CHECKING:
    from adjudge.cli.output import Output
    from adjudge.results import Evaluation

__all__ = ["write_evaluations"]


# Ending of the names of details that have a value for each depth of a tree of classes.
_BY_DEPTH = "_by_depth"


def _tables(results: dict[str, Evaluation], truth: str | None, features: list[str] | None) -> list[Table]:
    """Show the scores of all columns side by side, or one table per column if there are intervals."""
    samples = [own.sample_parts() for own in results.values()]
    # The first that says that labels count as clusters.
    title = one_line(Worded(*max(samples, key=len)))
    if truth is not None:
        title += f"; truth: {truth}"
    if features is not None:
        title += f"; points: {shortened(features, 6)}"
    parts = _parts(results)
    if len(results) == 1 or any(result.intervals or result.adjusted for result in results.values()):
        return [*(_alone(name, result, title) for name, result in results.items()), *parts]
    # A classifier with labels alone has no scores of probabilities.
    most = max(results.values(), key=lambda own: len(own.values))
    first = most.table()
    merged = [
        (row[0], *(own.values.get(name) for own in results.values()), *row[2:4])
        for name, row in zip(most.values, first.rows, strict=True)
    ]
    tables = [Table(("index", *results, *first.columns[2:4]), tuple(merged), title, first.groups)]
    if notes := _notes(results):
        tables.append(Table(("column", "index", "note"), notes, "Notes"))
    return [*tables, *parts]


def write_evaluations(
    output: Output, results: dict[str, Evaluation], about: dict[str, Any], *, by_cluster: bool
) -> None:
    """Write the scores of all columns, and on request those of each true cluster."""

    def said_of(result: Evaluation) -> dict[str, Any]:
        return result.to_dict() | ({"by_cluster": result.by_cluster().to_dict()} if by_cluster else {})

    output.write(
        data=lambda: {
            "kind": "evaluations",
            **about,
            "evaluations": {name: said_of(result) for name, result in results.items()},
        },
        tables=lambda: [
            *_tables(results, about["truth"], about["columns"]),
            *(_of_clusters(results) if by_cluster else ()),
        ],
        rows=lambda: _joined(_of_clusters(results), list(results)) if by_cluster else _rows(results),
    )


def _notes(results: dict[str, Evaluation]) -> tuple[tuple[str, str, str], ...]:
    """List each note on an index once, with the columns that it concerns."""
    about: dict[tuple[str, str], list[str]] = {}
    for name, result in results.items():
        for row in result.table().rows:
            if row[-1]:
                about.setdefault((row[0], row[-1]), []).append(name)
    return tuple(
        ("all" if len(names) == len(results) else ", ".join(names), index, note)
        for (index, note), names in about.items()
    )


def _parts(results: dict[str, Evaluation]) -> list[Table]:
    """Show classes in a tree by depth, a single classifier by class and by group, several ones only by group."""
    from adjudge.results.by_class import ClassifierEvaluation

    found = []
    for name, result in results.items():
        by_depth = {key: own for key, own in result.details.items() if key.endswith(_BY_DEPTH)}
        if by_depth:
            measures = [key.removesuffix(_BY_DEPTH) for key in by_depth]
            rows = zip(*(own.tolist() for own in by_depth.values()), strict=True)
            numbered = tuple((depth, *row) for depth, row in enumerate(rows, 1))
            found.append(Table(("depth", *measures), numbered, f"By depth ({name})"))
        if isinstance(result, ClassifierEvaluation):
            tables = result.shown_tables()[1:]
            if len(results) > 1:
                tables = result.group_tables()
            elif result.n_unlisted and tables:
                tables[0] = replace(
                    tables[0], foot=f"{result.n_unlisted}: --format json has the scores of each"
                )
            found += [replace(table, title=f"{table.title} ({name})") for table in tables]
    return found


#: The measures that are shown for each true cluster.
_OF_CLUSTERS = ("precision", "recall", "f1", "jaccard")


def _of_clusters(results: dict[str, Evaluation]) -> list[Table]:
    """Show the true clusters, each with its matched predicted cluster."""
    tables = {name: result.cluster_table(*_OF_CLUSTERS) for name, result in results.items()}
    return [replace(table, title=f"{table.title} ({name})") for name, table in tables.items()]


def _alone(name: str, result: Evaluation, title: str) -> Table:
    """Show the scores of one column; omit the notes if there are none."""
    table = result.table()
    width = len(table.columns) - (0 if any(row[-1] for row in table.rows) else 1)
    rows = tuple(row[:width] for row in table.rows)
    return Table(("index", name, *table.columns[2:width]), rows, title, table.groups, result.interval_words)


def _rows(results: dict[str, Evaluation]) -> Table:
    """Return a table with one row for each judged column and index."""
    return _joined([result.plain_table() for result in results.values()], list(results))


def _joined(tables: Sequence[Table], names: Sequence[str]) -> Table:
    """Stack tables with the same columns, and add the name of the judged column to each row."""
    rows = [(name, *row) for name, table in zip(names, tables, strict=True) for row in table.rows]
    return Table(("column", *tables[0].columns), tuple(rows))
