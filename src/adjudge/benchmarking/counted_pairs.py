"""If each two models of a table are right, data set by data set: only sums leave the table's engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from adjudge.engines.frames.counting import FrameTable, aggregated
from adjudge.statistics.agreement import Agreement, JoinedPairs

__all__ = ["LabelColumns", "instances_where_right", "pairs_where_right"]

_COUNT, _PAIRS = "__adjudge_count__", "__adjudge_pairs__"

#: Matrices by data set, and in it by pair of models.
Agreements = dict[str, dict[tuple[str, str], Agreement]]
#: True labels, a model's labels, and how many instances have each combination of the two.
Cells = tuple[Any, Any, Any]


@dataclass(frozen=True)
class LabelColumns:
    """A table's columns: names in its engine.

    Attributes
    ----------
    table : FrameTable
    dataset, truth : str
    models : dict of str to str
        By the names that the models have in the result.
    truth_noise : object, optional
        Rows with this true label do not count.
    """

    table: FrameTable
    dataset: str
    truth: str
    models: dict[str, str]
    truth_noise: Any = None

    def rows(self) -> Any:
        """Return the rows that count, as a lazy frame."""
        import narwhals as nw

        rows = self.table.frame.lazy()
        return rows if self.truth_noise is None else rows.filter(nw.col(self.truth) != self.truth_noise)


def instances_where_right(columns: LabelColumns, sizes: Mapping[str, int]) -> Agreements:
    """Count the instances on which two classifiers are right, for all pairs in one GROUP BY."""
    import narwhals as nw

    names = list(columns.models)
    right = {name: nw.col(columns.models[name]) == nw.col(columns.truth) for name in names}
    pairs = list(combinations(range(len(names)), 2))
    made = {f"r{i}": right[name].cast(nw.Int64) for i, name in enumerate(names)}
    made |= {f"b{i}_{j}": (right[names[i]] & right[names[j]]).cast(nw.Int64) for i, j in pairs}
    rows = columns.rows().select(columns.dataset, **made)
    sums = aggregated(rows, [columns.dataset], {name: ("sum", name) for name in made}).collect()
    found: Agreements = {}
    for row in sums.iter_rows(named=True):
        dataset = str(row[columns.dataset])
        n, counts = sizes[dataset], {name: int(row[name]) for name in made}
        found[dataset] = {}
        for i, j in pairs:
            p, q, both = counts[f"r{i}"], counts[f"r{j}"], counts[f"b{i}_{j}"]
            found[dataset][names[i], names[j]] = Agreement(both, p - both, q - both, n - p - q + both)
    return {dataset: found[dataset] for dataset in sizes}


def pairs_where_right(columns: LabelColumns, cells: Mapping[str, Mapping[str, Cells]]) -> Agreements:
    """Count the pairs of instances on which two clusterings are right, in one GROUP BY for each two models.

    Parameters
    ----------
    columns : LabelColumns
    cells : mapping of str to mapping of str to (labels, labels, counts)
        By data set and model, the truth and the model: counted before.
    """
    names = list(columns.models)
    between = {
        (p, q): _joined_by_both(columns, columns.models[p], columns.models[q])
        for p, q in combinations(names, 2)
    }
    found: Agreements = {}
    for dataset, by_model in cells.items():
        found[dataset] = {}
        for (p, q), joined in between.items():
            (true, of_p, n_p), (_, of_q, n_q) = by_model[p], by_model[q]
            n = int(n_p.sum())
            pairs = JoinedPairs(
                total=n * (n - 1) // 2,
                g=_joined(n_p, true),
                p=_joined(n_p, of_p),
                q=_joined(n_q, of_q),
                gp=_joined(n_p),
                gq=_joined(n_q),
                pq=joined[dataset],
            )
            found[dataset][p, q] = pairs.agreement
    return found


def _joined(counts: Any, labels: Any = None) -> int:
    """Count the pairs that share a combination of labels, or one of its labels."""
    sizes = counts
    if labels is not None:
        codes = np.unique(labels, return_inverse=True)[1]
        sizes = np.zeros(codes.max(initial=-1) + 1, np.int64)
        np.add.at(sizes, codes, counts)
    return sum(n * (n - 1) // 2 for n in sizes.tolist())


def _joined_by_both(columns: LabelColumns, p: str, q: str) -> dict[str, int]:
    """Count the pairs that two models both join, by data set."""
    import narwhals as nw

    keys: Sequence[str] = [columns.dataset, p, q]
    cells = aggregated(columns.rows().select(*keys), keys, {_COUNT: ("len", columns.dataset)})
    n = nw.col(_COUNT).cast(nw.Int64)
    cells = cells.with_columns(**{_PAIRS: n * (n - 1) // 2})
    sums = aggregated(cells, [columns.dataset], {_PAIRS: ("sum", _PAIRS)}).collect()
    return {str(row[columns.dataset]): int(row[_PAIRS]) for row in sums.iter_rows(named=True)}
