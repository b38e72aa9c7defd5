"""Labels of models in columns of a table, counted where the rows are, by the data set that another column names."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.benchmarking.collected_scores import Gathered, Scored
from adjudge.benchmarking.label_scores import Scoring, scored
from adjudge.engines.frames.counting import LabelCells, aggregated, kept_rows
from adjudge.errors import InputError, Option, Worded
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Labels, code_labels
from adjudge.kinds.clusters import PairsOfCounts
from adjudge.results.label_notices import about_words
from adjudge.statistics.agreement import Agreement
from adjudge.statistics.contingency import reduce_labels
from adjudge.tables.files import FileTable
from adjudge.tables.frames import Engine
from adjudge.tables.labels import IF_MISSING

__all__ = ["gather_counted"]

#: Label vectors with their distinct combinations, and the number of rows with each; by data set.
Parts = dict[str, tuple[list[Labels], NDArray[np.int64]]]


def gather_counted(
    table: Engine | FileTable,
    scoring_of: Callable[[list[tuple[list[Any], list[list[Any]]]]], Scoring],
    *,
    dataset: Any,
    truth: Any,
    models: Sequence[Any],
    head_to_head: bool = False,
    truth_noise: Any = None,
    confidence: float | None = None,
    **options: Any,
) -> Gathered:
    """Judge models whose labels are columns of a table, on the data sets that another column names.

    `scoring_of` tells how they are scored from the true labels and those of each model that occur in each data set.
    """
    of_rows = ("noise", "cluster", "counts noise as a cluster"), ("missing", "raise", "needs all labels")
    for option, usual, what in of_rows if head_to_head else ():
        if options.get(option, usual) != usual:
            how = f" of a table {what}: leave ", Option(option), " out, or give labels in memory"
            raise InputError(Option("head_to_head", True), *how)
    if len(models) < 2:
        raise InputError(
            f"there are {len(models)} columns with models' labels: a benchmark compares two or more"
        )
    if isinstance(table, Engine) and truth_noise is not None:
        is_left_out = LabelOptions("raise", {truth: "drop"}, truth_noise)
        table = table.with_rows(kept_rows(table.frame, [truth], is_left_out))
    counted = _Counts(table, dataset, truth, truth_noise, str(options.get("missing", "raise")))
    cells = counted.of([[truth, name] for name in models])
    parts = {
        str(name): counted.by_dataset(own, [truth, name]) for name, own in zip(models, cells, strict=True)
    }
    names = list(dict.fromkeys(name for own in parts.values() for name in own))
    scoring = scoring_of(
        [_occurring([own[name][0] for own in parts.values() if name in own]) for name in names]
    )
    scoring.check_reads_labels()
    gathered = Gathered(scoring.name, scoring.better, scoring.kind, notes=counted.words_in(models, cells))
    for name in names:
        for model, own in parts.items():
            found = Scored(math.nan, "there are no labels")
            if name in own:
                (true, said), counts = own[name]
                found = scored(true, said, model, scoring, confidence, {**options, "counts": counts})
                gathered.sizes.setdefault(name, int(counts.sum()))
            gathered.add(name, model, found)
    if head_to_head and scoring.kind == "classification":
        gathered.agreements = counted.instances_where_right(models, gathered.sizes)
    elif head_to_head:
        gathered.agreements = counted.pairs_where_right(models, parts)
    return gathered


class _Counts:
    """Counts labels in a table by data set.

    Parameters
    ----------
    table : Engine or FileTable
    dataset, truth : str
    truth_noise : object
        Rows with this true label do not count.
    missing : {"raise", "drop"}
    """

    def __init__(
        self, table: Engine | FileTable, dataset: Any, truth: Any, truth_noise: Any, missing: str
    ) -> None:
        self._table, self._dataset, self._truth, self._noise = table, dataset, truth, truth_noise
        self._treatment = LabelOptions(missing)
        if missing != "raise":  # every row names its data set
            table.count([[dataset]], treatment=LabelOptions("raise"))

    def of(self, columns: Sequence[Sequence[Any]]) -> list[LabelCells]:
        """Count the combinations of some columns in each data set."""
        return self._table.count(columns, [self._dataset], treatment=self._treatment)

    def by_dataset(self, cells: LabelCells, columns: Sequence[Any]) -> Parts:
        """Split counted combinations by data set."""
        labels = [code_labels(cells.labels[name], f"column {name!r}") for name in columns]
        noisy = (
            labels[0].where(self._noise) if self._noise is not None and columns[0] == self._truth else None
        )
        kept = np.arange(cells.counts.size) if noisy is None else np.flatnonzero(~noisy)
        codes, names = code_labels(cells.labels[self._dataset], f"column {self._dataset!r}").dense()
        order = kept[np.argsort(codes[kept], kind="stable")]
        sizes = np.bincount(codes[kept], minlength=len(names))
        places = dict(zip(map(str, names), np.split(order, np.cumsum(sizes)[:-1]), strict=True))
        return {
            name: ([one.take(own) for one in labels], cells.counts[own])
            for name, own in places.items()
            if own.size
        }

    def words_in(self, models: Sequence[Any], cells: Sequence[LabelCells]) -> list[Any]:
        """Say which labels of a file are words that programs write for a missing one."""
        if not self._table.from_file:
            return []
        said: dict[str, Worded] = {}
        for model, own in zip(models, cells, strict=True):
            labels = {str(name): own.labels[name] for name in (self._truth, model)}
            said |= {one.text: Worded(*one.parts) for one in about_words(labels, IF_MISSING, own.counts)}
        return list(said.values())

    def instances_where_right(
        self, models: Sequence[Any], sizes: Mapping[str, int]
    ) -> dict[str, dict[tuple[str, str], Agreement]]:
        """Count the instances on which each pair of classifiers is right, for all pairs in one GROUP BY."""
        import narwhals as nw

        assert isinstance(self._table, Engine)
        table, pairs = self._table.frame, list(combinations(range(len(models)), 2))
        dataset, truth, *own = table.own([self._dataset, self._truth, *models])
        right = [nw.col(name) == nw.col(truth) for name in own]
        made = {f"r{i}": one.cast(nw.Int64) for i, one in enumerate(right)}
        made |= {f"b{i}_{j}": (right[i] & right[j]).cast(nw.Int64) for i, j in pairs}
        rows = table.frame.lazy().select(dataset, **made)
        sums = aggregated(rows, [dataset], {name: ("sum", name) for name in made}).collect()
        found: dict[str, dict[tuple[str, str], Agreement]] = {name: {} for name in sizes}
        for row in sums.iter_rows(named=True):
            name = str(row[dataset])
            n, counts = sizes[name], {one: int(row[one]) for one in made}
            cells = {}
            for i, j in pairs:
                p, q, both = counts[f"r{i}"], counts[f"r{j}"], counts[f"b{i}_{j}"]
                cells[str(models[i]), str(models[j])] = Agreement(both, p - both, q - both, n - p - q + both)
            found[name] = cells
        return found

    def pairs_where_right(
        self, models: Sequence[Any], parts: Mapping[str, Parts]
    ) -> dict[str, dict[tuple[str, str], Agreement]]:
        """Count the pairs of instances on which two clusterings are right; `parts` are those of the truth and each."""
        pairs = list(combinations(models, 2))
        between = {
            (str(p), str(q)): self.by_dataset(own, [p, q])
            for (p, q), own in zip(pairs, self.of([[p, q] for p, q in pairs]), strict=True)
        }

        def joined(own: tuple[list[Labels], NDArray[np.int64]]) -> Any:
            labels, counts = own
            return reduce_labels(*labels, counts=counts).pairs

        found = {}
        for dataset in next(iter(parts.values())):
            both = PairsOfCounts(
                {model: joined(own[dataset]) for model, own in parts.items()},
                {pair: joined(own[dataset]) for pair, own in between.items()},
            )
            found[dataset] = {(p, q): both.agreement(p, q) for p, q in between}
        return found


def _occurring(pairs: Sequence[Sequence[Labels]]) -> tuple[list[Any], list[list[Any]]]:
    """Return the labels that occur in the truth, and in each model's column."""
    return pairs[0][0].occurring(), [said.occurring() for _, said in pairs]
