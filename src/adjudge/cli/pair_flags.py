"""The options of `adjudge evaluate` for clusters that follow from linked pairs of records."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from adjudge.cli.edge_tables import named_ends, numbers_beside, open_edges
from adjudge.cli.output import show_work
from adjudge.errors import InputError

if TYPE_CHECKING:
    from adjudge.cli.columns import Source
    from adjudge.cli.evaluation_rows import Rows
    from adjudge.kinds.request import EvaluationRequest

__all__ = ["PairFlags"]


@dataclass(frozen=True)
class PairFlags:
    """The pairs, and which of them count."""

    heading: ClassVar[str] = "Linked pairs"

    pairs: Path | None = None
    threshold: float | None = None

    def check(self, truth: str | None, record: str | None, others: dict[str, Any]) -> None:
        """Raise for options that do not work with pairs, or only with them."""
        if self.pairs is None:
            if self.threshold is not None:
                raise InputError("--threshold is an option for linked pairs: give them with --pairs")
            return
        given = next((name for name, value in others.items() if value), None)
        if given is not None:
            raise InputError(f"{given} does not work with --pairs: leave it out")
        if truth is None:
            raise InputError("--pairs is judged against the truth: name its column with --truth")
        if record is None:
            raise InputError("--pairs names records: name their column with --id")

    def rows(self, source: Source, truth: str, record: str, request: EvaluationRequest) -> Rows:
        """Read the pairs, and the clusters that they form among the records.

        Parameters
        ----------
        source : Source
            The table with a row for each record.
        truth, record : str
            Its columns with the true clusters and the names of the records.
        request : EvaluationRequest
        """
        from adjudge.cli.evaluation_rows import Model, Rows
        from adjudge.given.labels import Column
        from adjudge.given.pairs import labels_from_pairs
        from adjudge.given.weights import Weighting

        assert self.pairs is not None
        with show_work(f"Reading {self.pairs}"):
            own = source.table.label_columns([source.column(truth)])[0]
            records, pairs, scores = self._read(source, record)
        if len(set(records)) < len(records):
            twice = Counter(records).most_common(1)[0][0]
            raise InputError(f"--id {record} names {twice!r} twice: give each record once")
        model = Model(
            replace(request, kind="clustering"),
            Column(f"column {truth!r}", own.labels(), truth),
            list(labels_from_pairs(pairs, records, scores, self.threshold).values()),
            Weighting(None, None),
            called=f"the clusters of {self.pairs.name}",
        )
        return Rows(truth, f"column {truth!r}", {self.pairs.name: model})

    def _read(self, source: Source, record: str) -> tuple[list[Any], list[tuple[Any, Any]], Any]:
        """Read the names of the records, the pairs and their scores."""
        assert self.pairs is not None
        table = open_edges(self.pairs, "records", "scores")
        scores = numbers_beside(table)
        if (scores is None) != (self.threshold is None):
            said = "no scores: leave out" if scores is None else "scores: say which of them link, with"
            raise InputError(f"{str(self.pairs)!r} has {said} --threshold")
        records, one, other = named_ends(source, record, table)
        return list(records), list(zip(one, other, strict=True)), scores
