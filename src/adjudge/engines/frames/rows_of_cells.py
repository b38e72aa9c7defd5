"""Rows of a lazy table in which one model is right and the other is wrong, found by its own engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from adjudge.engines.frames.counting import COUNT, FrameTable, aggregated, is_text, loaded
from adjudge.engines.frames.partitions import Partitions
from adjudge.errors import InputError
from adjudge.given.class_names import alike, are_boolean

__all__ = ["joined_pairs", "rows_where_right"]


def rows_where_right(
    table: FrameTable,
    occurring: Mapping[Any, Sequence[Any]],
    truth: Any,
    primary: Any,
    alternative: Any,
    cell: str,
) -> Any:
    """Return the rows of one cell of the classification matrix, as a frame of the same engine.

    `occurring` has the labels of each column.
    """
    import narwhals as nw

    columns = [truth, primary, alternative]
    g, p, q = (nw.col(own) for own in table.own(columns))
    known = {str(name): own for name, own in occurring.items()}
    labels = [known[str(name)] for name in columns]
    schema = table.frame.collect_schema()
    are_text = [is_text(schema[own]) for own in table.own(columns)]
    if len({*are_text}) > 1 and all(isinstance(own, str) for each in labels for own in each):
        g, p, q = (
            own if text else own.cast(nw.String) for own, text in zip((g, p, q), are_text, strict=True)
        )
    if any(map(are_boolean, labels)):  # which engines compare in their own ways
        names = alike(*labels)
        g, p, q = (_renamed(*own) for own in zip((g, p, q), labels, names, strict=True))
    same = p == q
    p, q = p == g, q == g
    wanted = {
        "both_right": p & q,
        "right_wrong": p & ~q,
        "wrong_right": ~p & q,
        "both_wrong": ~p & ~q,
        "both_wrong_same": ~p & same,
        "both_wrong_different": ~p & ~q & ~same,
    }[cell]
    return table.given_back(table.frame.filter(wanted))


def _renamed(column: Any, labels: Sequence[Any], names: Sequence[Any]) -> Any:
    """Return a column as text, with other names for those labels that mean True or False."""
    import narwhals as nw

    found = column.cast(nw.String)
    for label, name in zip(labels, names, strict=True):
        if isinstance(name, bool):
            found = nw.when(column == nw.lit(label)).then(nw.lit(str(name))).otherwise(found)
    return found


def joined_pairs(table: FrameTable, truth: Any, primary: Any, alternative: Any, cell: str) -> Any:
    """Return all rows with a column ``pairs``: how many of a row's pairs fall in one cell of the clustering matrix.

    The engine counts with its own window functions, so no labels are collected.
    """
    import narwhals as nw

    if "pairs" in table.own_names:
        raise InputError(
            "the table has a column 'pairs', the name of the new column with the counts: rename it"
        )
    # A model may be the truth itself.
    columns = [own for name in (truth, primary, alternative) for own in table.own([name])]
    if isinstance(table.frame, Partitions):
        return _pairs_in_partitions(table, columns, cell)
    whole = "__adjudge_whole__"
    counted = _pairs_of_rows(
        columns, cell, lambda *shared: nw.len().over(*dict.fromkeys(shared or [whole])).cast(nw.Int64)
    )
    rows = table.frame.with_columns(nw.lit(1).alias(whole)).with_columns(pairs=counted).drop(whole)
    return table.given_back(rows)


def _pairs_of_rows(columns: Sequence[str], cell: str, rows_that_share: Callable[..., Any]) -> Any:
    """Return how many pairs of each row fall in a cell, from how many rows share its labels in some columns."""
    g, p, q = columns
    others = rows_that_share() - 1
    right = [others - rows_that_share(g) - rows_that_share(m) + 2 * rows_that_share(g, m) for m in (p, q)]
    models = others - rows_that_share(p) - rows_that_share(q) + 2 * rows_that_share(p, q)
    both = (right[0] + right[1] + models - others) // 2
    return {
        "both_right": both,
        "right_wrong": right[0] - both,
        "wrong_right": right[1] - both,
        "both_wrong": others - right[0] - right[1] + both,
    }[cell]


def _pairs_in_partitions(table: FrameTable, columns: list[str], cell: str) -> Any:
    """Join the pairs of each combination of labels to the partitions, across which there are no windows."""
    import narwhals as nw

    apart = list(dict.fromkeys(columns))
    cells = loaded(aggregated(table.frame.select(*apart), apart, {COUNT: ("len", apart[0])}))
    total = int(cells[COUNT].sum())

    def rows_that_share(*shared: str) -> Any:
        return nw.col(COUNT).sum().over(*dict.fromkeys(shared)) if shared else nw.lit(total)

    counted = _pairs_of_rows(columns, cell, rows_that_share)
    pairs = cells.with_columns(pairs=counted.cast(nw.Int64)).select(*apart, "pairs")
    return table.given_back(table.frame.join(pairs, on=apart))
