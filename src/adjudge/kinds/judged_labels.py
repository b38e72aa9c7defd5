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
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Ints
from adjudge.engines.sources import PointSource
from adjudge.errors import Argument, InputError, Option, Position, in_words
from adjudge.given.alignment import check_same_order, common_length
from adjudge.given.class_names import alike
from adjudge.given.label_vectors import sorted_order
from adjudge.given.labels import Labels, code_labels
from adjudge.indices.catalog import find_index
from adjudge.indices.kinds import Kind
from adjudge.indices.record import Index
from adjudge.inference.influence import Influence
from adjudge.inference.interval import METHOD, Interval, Wanted, intervals_by_name, why_few_units
from adjudge.inference.refusals import NO_ESTIMATE, RefusedError
from adjudge.inference.sampling_design import Drawn, either_way
from adjudge.kinds.case import Case, Pair, Shown
from adjudge.kinds.class_groups import GroupedClassifier
from adjudge.kinds.class_pairs import ClassPairs
from adjudge.kinds.classes import ClassifierCase
from adjudge.kinds.drawn_groups import DrawnPart
from adjudge.kinds.given import MODEL, Given
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.sample import Sample
from adjudge.kinds.scores import with_inferred
from adjudge.presentation.numbers import count, percent_text
from adjudge.results import Evaluation
from adjudge.results.by_class import ClassifierEvaluation
from adjudge.results.notice import Notice
from adjudge.results.score import Score

if TYPE_CHECKING:
    from adjudge.inference.common.significance import Difference

__all__ = ["JudgedClassifier"]

_SAME = "the expected scores of both models are the same"
_OF_ONE = "the score of one of the models cannot be corrected by the judge's labels"

# With fewer rows that people labelled, how far a score by the judge goes along with one by people is not known.
_FEWEST = 20


class JudgedClassifier(Case):
    """A classifier beside people's labels of some rows and a judge's of all.

    Parameters
    ----------
    by_people, by_judge : ClassifierCase
        All rows, with the judge's labels where people gave none; and with the judge's labels everywhere.
    labelled : ndarray of int64
        Positions of the rows that people labelled.
    """

    kind: ClassVar[str] = "classification"
    indices: ClassVar[tuple[Kind, ...]] = ("classification",)
    reads: ClassVar[frozenset[str]] = (ClassifierCase.reads | {"judge"}) - {
        "groups",
        "counts",
        "sample_weight",
        "weights",
        "costs",
        "runs",
    }
    words: ClassVar[tuple[Any, ...]] = (Option("judge"),)
    why: ClassVar[Mapping[str, tuple[Any, ...]]] = {}
    options: ClassVar[frozenset[str]] = frozenset(("judge",))
    result: ClassVar[type[Evaluation]] = ClassifierEvaluation

    def __init__(self, by_people: ClassifierCase, by_judge: ClassifierCase, labelled: Ints) -> None:
        sample = by_people.sample
        judge = {"judge": {"n_labelled": labelled.size, "n": sample.n_rows}}
        super().__init__(replace(sample, settings={**sample.settings, **judge}), {})
        rest = np.setdiff1d(np.arange(sample.n_rows), labelled)
        parts = [
            DrawnPart.of(*own) for own in ((by_people, labelled), (by_judge, labelled), (by_judge, rest))
        ]
        self._parts = [own for own in parts if own is not None]
        self.people, self._judge_here = self._parts[0].case, self._parts[1].case

    @classmethod
    def read(cls, given: Given) -> dict[str, Self]:
        """Read the truth where it is known, and the judge's labels for all rows."""
        if given.options.groups is not None:
            raise cls.refusal("groups")
        check_same_order({"labels_true": given.truth, "judge": given.judge})
        truth, judge = _labels(given.truth, "labels_true"), _labels(given.judge, "judge")
        known = _known(truth, judge)
        _check_classes(truth.take(np.flatnonzero(known)), judge, given.options.classes)
        said = judge.given().tolist()
        filled = [
            own if is_known else other
            for own, is_known, other in zip(truth.given().tolist(), known, said, strict=True)
        ]
        options = replace(given.options, classes=given.options.classes or _in_order([*filled, *said]))
        by_people, by_judge = (
            GroupedClassifier.read(replace(given, truth=own, options=options, judge=None))
            for own in (filled, said)
        )
        kept = next(iter(by_people.values())).sample.rows.kept
        labelled = np.flatnonzero(known if kept is None else known[kept])
        return {name: cls(own, by_judge[name], labelled) for name, own in by_people.items()}

    @classmethod
    def read_one(cls, request: EvaluationRequest, given: Given) -> Self:
        """Read the truth where it is known, and the judge's labels for all rows, of one model."""
        if request.kind not in (None, cls.kind):
            raise InputError(Option("judge"), " is for classifiers: leave out ", Option("kind", request.kind))
        return cls.read(given.by_name)[MODEL]

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
            if (influence := self._corrected(record)) is None:
                continue
            found[record.name] = replace(found[record.name], value=influence.value)
            # Without enough units that people labelled, the interval is that by people alone: none.
            if request.confidence is not None and self.why_few_units is None:
                wanted = {record.name: self._wanted(influence, record)}
                intervals = intervals_by_name(wanted, request.confidence)
                found |= with_inferred({record.name: found[record.name]}, intervals, request.confidence)
        return found

    def influence(self, record: Index) -> Influence:
        """Return the influence of all rows on the corrected score, of those that people labelled first."""
        if (found := self._corrected(record)) is None:
            raise RefusedError(NO_ESTIMATE)
        return found

    @property
    def why_few_units(self) -> str | None:
        """Why the units that people labelled are too few for an interval; None if they are not."""
        return why_few_units(self.sample_shown.drawn)

    def _wanted(self, influence: Influence, record: Index) -> Wanted:
        """Return what an interval of the corrected score, or of a difference, is made from."""
        low, high = map(float, record.range)
        return Wanted(influence, (low, high), self._drawn, is_ratio=bool(record.ratio_of))

    @cached_property
    def _drawn(self) -> Drawn | None:
        """How rows were sampled: those that people labelled first."""
        return self.sample.take(np.concatenate([own.rows for own in (self._parts[0], self._parts[2])])).drawn

    def _corrected(self, record: Index) -> Influence | None:
        """Return the influence of all rows on the corrected score; None if it cannot be corrected."""
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
        low, high = map(float, record.range)
        value = min(max(people.value + share * (there.value - here.value), low), high)
        whole = n + m
        psi = np.concatenate([(people.psi - share * here.psi) * (whole / n), share * there.psi * (whole / m)])
        return Influence(value, psi, None, people.rise, people.fall)

    @classmethod
    def pairs(cls, cases: Mapping[str, JudgedClassifier]) -> _JudgedPairs:
        """Compare models where people labelled rows, and their scores where the judge did, too."""
        return _JudgedPairs(cases)

    @classmethod
    def about(
        cls, cases: Mapping[str, Any], judged: Mapping[str, Mapping[str, Score]], request: EvaluationRequest
    ) -> tuple[Notice, ...]:
        """Say how good the judge is, and what a reader should know of models that are compared."""
        people = {name: own.people for name, own in cases.items()}
        return (
            next(iter(cases.values()))._of_labels(request),
            *ClassifierCase.about(people, judged, request),
        )

    @property
    def sample_shown(self) -> Sample:
        """The rows that people labelled."""
        return self.people.sample

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
        return super().described(replace(request, kind=self.kind), scores)

    @property
    def details(self) -> dict[str, Any]:
        """How good the judge is, against people's labels."""
        return {"judge": {name: score.value for name, score in self._of_judge(None).items()}}

    def _of_judge(self, confidence: float | None) -> dict[str, Score]:
        truth, said = (self._parts[i].case.answers for i in (0, 1))
        assert truth is not None
        assert said is not None
        both = ClassifierCase.of(replace(truth, prediction=said.truth, forecasts=None), self.people.sample)
        names = ["accuracy", "cohen_kappa"]
        names += (
            ["recall", "specificity"] if both.counts is not None and both.counts.positive is not None else []
        )
        return both.scored([find_index(name, "classification") for name in names], confidence)

    def said(self, shown: Shown) -> tuple[Notice, ...]:
        """Say how many rows people labelled, and how good the judge is."""
        return (self._of_labels(shown.request), *self.people.said(shown))

    def _of_labels(self, request: EvaluationRequest) -> Notice:
        judge = self._of_judge(request.confidence)
        kappa, share = judge["cohen_kappa"], judge["accuracy"].value
        sure = "" if kappa.interval is None else " ({:.2f} to {:.2f})".format(*kappa.interval)
        message = (
            f"people labelled {count(self.n, 'row')} of {self.sample.n_rows:,}; on these the judge says the same in "
            f"{percent_text(share)} (kappa {kappa.value:.2f}{sure}), and its labels of the others correct the scores; "
            "matrices and figures by class are of people's labels alone"
        )
        return Notice("judge", message, severity="info")

    def parts(self, request: EvaluationRequest) -> dict[str, Any]:
        """Return the confusion matrix, the scores by class and the rows, by people's labels alone."""
        return self.people.parts(request)


def _labels(given: Any, name: str) -> Labels:
    if given is None:
        raise InputError(Argument(name), " is missing: give it beside ", Option("judge"))
    labels = code_labels(given, name)
    blank = [isinstance(own, str) and not own.strip() for own in labels.categories]
    if not any(blank):
        return labels
    # An empty cell, as in a file of text.
    is_blank = np.array(blank)[labels.codes - labels.low]
    return replace(labels, missing=is_blank if labels.missing is None else labels.missing | is_blank)


def _check_classes(truth: Labels, judge: Labels, classes: Sequence[Any] | None) -> None:
    """Raise if the judge gives a label that is no class."""
    of_people = truth.dense()[1]
    known, said = alike(of_people if classes is None else classes, judge.categories)
    codes = judge.codes - judge.low
    outside = np.array([label not in known for label in said])[codes]
    if not outside.any():
        return
    first = int(np.argmax(outside))
    who = ("people gave",) if classes is None else (Option("classes"), " has")
    raise InputError(
        Argument("judge"),
        f" says {in_words(judge.categories[int(codes[first])])} ",
        Position(first),
        f" ({int(outside.sum())} in all), but ",
        *who,
        " no such label: if it is a class, name all in ",
        Option("classes"),
        "; else relabel such rows, or leave them out",
    )


def _in_order(labels: Sequence[Any]) -> list[Any]:
    """Return distinct labels, sorted."""
    distinct = list(dict.fromkeys(labels))
    return [distinct[i] for i in sorted_order(distinct)]


def _known(truth: Labels, judge: Labels) -> NDArray[np.bool_]:
    """Say which rows people labelled; raise if these are too few, or all, or if the judge left out some."""
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
    return known


class _JudgedPairs(ClassPairs):
    """Where each classifier is right by people's labels; differences of scores are corrected by the judge's."""

    def __init__(self, cases: Mapping[str, JudgedClassifier]) -> None:
        people = {name: own.people for name, own in cases.items()}
        answers = {name: own.answers for name, own in people.items() if own.answers is not None}
        super().__init__(answers, next(iter(people.values())).sample)
        self._cases = cases

    def differences(
        self, records: Sequence[Index], confidence: float
    ) -> Mapping[Pair, Mapping[str, Difference]]:
        """Infer the score differences of each pair of models, in the order of the models."""
        by_people = super().differences(records, confidence)
        return {
            (p, q): {**by_people[p, q], **_differences(self._cases[p], self._cases[q], records, confidence)}
            for p, q in combinations(self.models, 2)
        }


def _differences(
    one: JudgedClassifier, other: JudgedClassifier, records: Sequence[Index], confidence: float
) -> dict[str, Difference]:
    """Compare two models' corrected scores, by the influence of each row on both."""
    from adjudge.inference.common.significance import Difference, differences_by_name

    found: dict[str, Any] = {}
    for record in records:
        first, second = (own._corrected(record) for own in (one, other))
        if (reason := one.why_few_units) is not None:
            found[record.name] = Difference(Interval.undefined(confidence, METHOD, reason))
        elif first is not None and second is not None:
            found[record.name] = one._wanted(either_way(first - second, one._drawn), record)
        elif first is not second:
            found[record.name] = Difference(Interval.undefined(confidence, METHOD, _OF_ONE))
    return differences_by_name(found, confidence, _SAME)
