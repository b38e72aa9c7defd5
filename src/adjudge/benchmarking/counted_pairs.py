"""Where each pair of models in a table is right, by data set: only sums leave the table's engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from adjudge.engines.frames.counting import FrameTable, aggregated
from adjudge.statistics.agreement import Agreement, JoinedPairs
from adjudge.statistics.contingency import reduce_labels

__all__ = ["LabelColumns", "instances_where_right", "pairs_where_right"]

_COUNT, _PAIRS = "__adjudge_count__", "__adjudge_pairs__"

#: Matrices by data set and pair of models.
Agreements = dict[str, dict[tuple[str, str], Agreement]]
#: True labels, a model's labels, and the number of instances with each combination of the two.
Cells = tuple[Any, Any, Any]


@dataclass(frozen=True)
class LabelColumns:
    """The columns of a table, by their names in its engine.

    Attributes
    ----------
    table : FrameTable
    dataset, truth : str
    models : dict of str to str
        By the names of the models in the result.
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
    """Count the instances on which each pair of classifiers is right, for all pairs in one GROUP BY."""
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
    """Count the pairs of instances on which two clusterings are right, in one GROUP BY for each pair of models.

    Parameters
    ----------
    columns : LabelColumns
    cells : mapping of str to mapping of str to (labels, labels, counts)
        By data set and model: true labels, the model's labels, and counts.
    """
    names = list(columns.models)
    between = {
        (p, q): _joined_by_both(columns, columns.models[p], columns.models[q])
        for p, q in combinations(names, 2)
    }
    found: Agreements = {}
    for dataset, by_model in cells.items():
        with_truth = {
            model: reduce_labels(true, label, counts=counts).pairs
            for model, (true, label, counts) in by_model.items()
        }
        found[dataset] = {
            (p, q): JoinedPairs.of_sums(with_truth[p], with_truth[q], joined[dataset]).agreement
            for (p, q), joined in between.items()
        }
    return found


def _joined_by_both(columns: LabelColumns, p: str, q: str) -> dict[str, int]:
    """Count the pairs of instances that two models both join, by data set."""
    import narwhals as nw

    keys: Sequence[str] = [columns.dataset, p, q]
    cells = aggregated(columns.rows().select(*keys), keys, {_COUNT: ("len", columns.dataset)})
    n = nw.col(_COUNT).cast(nw.Int64)
    cells = cells.with_columns(**{_PAIRS: n * (n - 1) // 2})
    sums = aggregated(cells, [columns.dataset], {_PAIRS: ("sum", _PAIRS)}).collect()
    return {str(row[columns.dataset]): int(row[_PAIRS]) for row in sums.iter_rows(named=True)}
