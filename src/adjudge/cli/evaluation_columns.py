"""The columns that `adjudge evaluate` judges, and whether an engine can summarize them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from adjudge.cli.classifier_flags import ClassifierFlags
from adjudge.cli.evaluation_flags import JudgedFlags
from adjudge.cli.options import WeightFlags
from adjudge.errors import InputError

if TYPE_CHECKING:
    from adjudge.cli.columns import Source

__all__ = ["Asked"]


@dataclass(frozen=True)
class Asked:
    """The columns that the command names.

    Attributes
    ----------
    truth : str or None
    judged : list of str
    weights : WeightFlags
    """

    truth: str | None
    judged: list[str]
    weights: WeightFlags

    @classmethod
    def of(
        cls,
        source: Source,
        judged: JudgedFlags,
        weights: WeightFlags,
        classifier: ClassifierFlags,
        *,
        vertices: str | None = None,
        in_graph: bool = False,
    ) -> Asked:
        """Find the columns that the options name; labels in a graph are judged from its edges."""
        others = (
            vertices,
            judged.truth,
            weights.weight,
            weights.units,
            *source.names(classifier.by),
        )
        names = source.labelled(judged.pred or judged.labels, judged.kind, others)
        alone = bool(judged.labels)
        truth = judged.truth
        if truth is None and not alone:
            truth = source.own_list
        if not names and not classifier.has_forecasts:
            raise InputError(
                "nothing to judge: name columns with --pred (against --truth) or --labels (from points)"
            )
        if truth is None and not alone:
            raise InputError(
                "--pred is judged against the truth: name its column with --truth, or use --labels"
            )
        return cls(truth, names, weights)

    @property
    def labelled(self) -> list[str]:
        """All columns of labels."""
        return [*([self.truth] if self.truth else []), *self.judged]

    def used(self, source: Source, classifier: ClassifierFlags, *, several: bool) -> list[str]:
        """All columns that are used."""
        own = self.labelled
        # With several labels per row, the options hold patterns, not columns.
        others = () if several else classifier.columns(source, own)
        return [*own, *others]
