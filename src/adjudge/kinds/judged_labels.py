"""A truth from people for some of the rows, and a judge's labels for all, which make scores more certain.

A score by people is corrected by how the same score by the judge differs between the rows that people labelled and the
others, as far as both go together (prediction-powered inference). If the judge is no better than chance, nothing is
corrected, and the score is that by people alone.

References
----------
Angelopoulos, Bates, Fannjiang, Jordan & Zrnic (2023), Prediction-powered inference, Science 382, 669-674.
Angelopoulos, Duchi & Zrnic (2023), PPI++: efficient prediction-powered inference, arXiv:2311.01453.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from adjudge.array_types import Ints
from adjudge.engines.sources import PointSource
from adjudge.errors import Argument, InputError, Option, Position
from adjudge.given.alignment import check_same_order, common_length
from adjudge.given.class_names import check_classes
from adjudge.given.label_vectors import sorted_order
from adjudge.given.labels import Labels, code_labels
from adjudge.indices.catalog import find_index
from adjudge.indices.kinds import Kind
from adjudge.indices.record import Index
from adjudge.inference.refusals import RefusedError
from adjudge.kinds.case import Case, Shown
from adjudge.kinds.class_groups import GroupedClassifier
from adjudge.kinds.classes import Classifier
from adjudge.kinds.drawn_groups import DrawnPart
from adjudge.kinds.given import Given
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.scores import with_inferred
from adjudge.presentation.numbers import count, percent_text
from adjudge.results import Evaluation
from adjudge.results.by_class import ClassifierEvaluation
from adjudge.results.notice import Notice
from adjudge.results.score import Score

__all__ = ["JudgedClassifier"]

# With fewer rows that people labelled, how far a score by the judge goes along with one by people is not known.
_FEWEST = 20


class JudgedClassifier(Case):
    """A classifier beside people's labels of some rows and a judge's of all.

    Parameters
    ----------
    by_people, by_judge : Classifier
        All rows, with the judge's labels where people gave none; and with the judge's labels everywhere.
    labelled : ndarray of int64
        Positions of the rows that people labelled.
    """

    kind: ClassVar[str] = "classification"
    indices: ClassVar[tuple[Kind, ...]] = ("classification",)
    reads: ClassVar[frozenset[str]] = (Classifier.reads | {"judge"}) - {
        "groups",
        "counts",
        "sample_weight",
        "weights",
        "runs",
    }
    words: ClassVar[tuple[Any, ...]] = (Option("judge"),)
    why: ClassVar[Mapping[str, tuple[Any, ...]]] = {}
    options: ClassVar[frozenset[str]] = frozenset(("judge",))
    result: ClassVar[type[Evaluation]] = ClassifierEvaluation

    def __init__(self, by_people: Classifier, by_judge: Classifier, labelled: Ints) -> None:
        super().__init__(by_people.sample, {})
        rest = np.setdiff1d(np.arange(by_people.sample.n_rows), labelled)
        parts = [
            DrawnPart.of(*own) for own in ((by_people, labelled), (by_judge, labelled), (by_judge, rest))
        ]
        self._parts = [own for own in parts if own is not None]
        self.people, self._judge_here = self._parts[0].case, self._parts[1].case

    @classmethod
    def read_one(cls, request: EvaluationRequest, given: Given) -> Self:
        """Read the truth where it is known, and the judge's labels for all rows."""
        check_same_order({"labels_true": given.truth, "judge": given.judge})
        truth, judge = _labels(given.truth, "labels_true"), _labels(given.judge, "judge")
        common_length({"labels_true": truth, "judge": judge})
        if judge.missing is not None and judge.missing.any():
            first = int(np.argmax(judge.missing))
            raise InputError(
                Argument("judge"), " has a missing label ", Position(first), ": the judge labels every row"
            )
        known = np.ones(len(truth), np.bool_) if truth.missing is None else ~truth.missing
        n = int(known.sum())
        if n == known.size:
            raise InputError(
                Option("judge"), " is for rows that people did not label, and there are none: leave it out"
            )
        if n < _FEWEST:
            raise InputError(
                Option("judge"),
                f" needs at least {_FEWEST} rows that people labelled to be judged itself, and there are {n}",
            )
        check_classes(truth.take(np.flatnonzero(known)).dense()[1], judge.dense()[1], prediction="judge")
        said = judge.given().tolist()
        filled = [
            own if is_known else other
            for own, is_known, other in zip(truth.given().tolist(), known, said, strict=True)
        ]
        options = replace(given.options, classes=given.options.classes or _in_order([*filled, *said]))
        cases = [
            GroupedClassifier.read_one(request, replace(given, truth=own, options=options, judge=None))
            for own in (filled, said)
        ]
        kept = cases[0].sample.rows.kept
        return cls(cases[0], cases[1], np.flatnonzero(known if kept is None else known[kept]))

    @property
    def inputs(self) -> list[type]:
        """Types of what was given, from which the possible indices follow."""
        return self.people.inputs

    def menu(
        self, request: EvaluationRequest, points: PointSource | None = None, *, together: bool = False
    ) -> list[Index]:
        """Return the indices that are meant and can be computed."""
        return self.people.menu(request, None, together=together)

    def scores(self, records: Sequence[Index], request: EvaluationRequest) -> dict[str, Score]:
        """Compute indices by people's labels, corrected by the judge's."""
        found = self.people.scored(records, request.confidence)
        for record in records:
            corrected = self._corrected(record)
            if corrected is None:
                continue
            found[record.name] = replace(found[record.name], value=corrected.influence.value)
            if request.confidence is not None:
                from adjudge.inference.interval import intervals_of

                (interval,) = intervals_of([corrected], request.confidence)
                found |= with_inferred(
                    {record.name: found[record.name]}, {record.name: interval}, request.confidence
                )
        return found

    def _corrected(self, record: Index) -> Any:
        """Return the influence of all rows on the corrected score; None if it cannot be corrected."""
        from adjudge.inference.influence import Influence
        from adjudge.inference.interval import Wanted

        try:
            people, here, there = (own.influence(record) for own in self._parts)
        except RefusedError:
            return None
        values = people.value, here.value, there.value
        if not all(map(math.isfinite, values)) or not all(own.known for own in (people, here, there)):
            return None
        n, m = people.psi.size, there.psi.size
        spread = float(here.psi @ here.psi) / n
        # The share of the judge's difference by which the variance is least.
        share = float(people.psi @ here.psi) / n / (spread * (1 + n / m)) if spread > 0 else 0.0
        share = min(max(share, 0.0), 1.0)
        value = people.value + share * (there.value - here.value)
        whole = n + m
        psi = np.concatenate([(people.psi - share * here.psi) * (whole / n), share * there.psi * (whole / m)])
        rows = np.concatenate([own.rows for own in (self._parts[0], self._parts[2])])
        sample = self.sample.take(rows)
        low, high = map(float, record.range)
        value = min(max(value, low), high)
        influence = Influence(value, psi, None, people.rise, people.fall)
        return Wanted(influence, (low, high), sample.drawn, is_ratio=bool(record.ratio_of))

    @property
    def n(self) -> int:
        """Number of rows that people labelled."""
        return int(self.people.n)

    @property
    def n_clusters(self) -> dict[str, int]:
        """Number of classes."""
        return self.people.n_clusters

    def described(self, request: EvaluationRequest, scores: Any) -> dict[str, Any]:
        """Return the settings of an evaluation."""
        return {
            **super().described(replace(request, kind=self.kind), scores),
            "judge": {"n_labelled": self.n, "n": self.sample.n_rows},
        }

    @property
    def details(self) -> dict[str, Any]:
        """How good the judge is, against people's labels."""
        return {"judge": {name: score.value for name, score in self._of_judge(None).items()}}

    def _of_judge(self, confidence: float | None) -> dict[str, Score]:
        truth, said = (self._parts[i].case.answers for i in (0, 1))
        assert truth is not None
        assert said is not None
        both = Classifier.of(replace(truth, prediction=said.truth, forecasts=None), self.people.sample)
        names = ["accuracy", "cohen_kappa"]
        names += (
            ["recall", "specificity"] if both.counts is not None and both.counts.positive is not None else []
        )
        return both.scored([find_index(name, "classification") for name in names], confidence)

    def said(self, shown: Shown) -> tuple[Notice, ...]:
        """Say how many rows people labelled, and how good the judge is."""
        judge = self._of_judge(shown.request.confidence)
        kappa, share = judge["cohen_kappa"], judge["accuracy"].value
        sure = "" if kappa.interval is None else " ({:.2f} to {:.2f})".format(*kappa.interval)
        message = (
            f"people labelled {count(self.n, 'row')} of {self.sample.n_rows:,}; on these the judge says the same in "
            f"{percent_text(share)} (kappa {kappa.value:.2f}{sure}), and its labels of the others correct the scores"
        )
        return (Notice("judge", message, severity="info"), *self.people.said(shown))

    def parts(self, request: EvaluationRequest) -> dict[str, Any]:
        """Return the confusion matrix, the scores by class and the rows, by people's labels alone."""
        return self.people.parts(request)


def _labels(given: Any, name: str) -> Labels:
    if given is None:
        raise InputError(Argument(name), " is missing: give it beside ", Option("judge"))
    return code_labels(given, name)


def _in_order(labels: Sequence[Any]) -> list[Any]:
    """Return distinct labels, sorted."""
    distinct = list(dict.fromkeys(labels))
    return [distinct[i] for i in sorted_order(distinct)]
