"""A case: what is known of one model, the sample that it is of, and all statistics made of both.

Each kind of what is judged is a class of cases. It says how its cases are read and scored, what compares them in pairs,
and how some of the rows are taken; the verbs know nothing else of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

from adjudge.array_types import Ints
from adjudge.engines.sources import PointSource
from adjudge.errors import Call, InputError, Option
from adjudge.given.label_options import CLASSES_ARE_NO_NOISE, NEVER_MISSING
from adjudge.given.option_groups import OF_CLASSIFIERS
from adjudge.indices.kinds import Kind
from adjudge.indices.record import Index
from adjudge.inference.influence import Influence
from adjudge.inference.refusals import NO_ESTIMATE, RefusedError
from adjudge.inference.sampling_design import Components, Drawn
from adjudge.kinds.given import MODEL, Given
from adjudge.kinds.menu import chosen_indices, compared_indices
from adjudge.kinds.request import EvaluationRequest, options_of_points
from adjudge.kinds.runs import about_runs, components_of
from adjudge.kinds.sample import Sample
from adjudge.results import Evaluation
from adjudge.results.class_notices import LABELS_ALONE
from adjudge.results.differences import ClassDifference
from adjudge.results.instances import Instances
from adjudge.results.notice import Notice
from adjudge.results.patterns import Patterns
from adjudge.results.score import Score
from adjudge.statistics.agreement import Agreement
from adjudge.statistics.forecasts import Forecasts
from adjudge.statistics.making import Made

if TYPE_CHECKING:
    from adjudge.inference.common.significance import Difference
    from adjudge.inference.differences.head_to_head import PairInference

__all__ = ["Case", "Pair", "Pairs", "Shown", "alone"]

Pair = tuple[str, str]

_OF_CLASSIFIERS = " is an option for classifiers: pass ", Option("kind", "classification")
#: What a refusal of labels says after the name of an option, if not that they do not have it.
_WHY: Mapping[str, tuple[Any, ...]] = {
    **dict.fromkeys(OF_CLASSIFIERS, _OF_CLASSIFIERS),
    "prevalence": _OF_CLASSIFIERS,
    "judge": _OF_CLASSIFIERS,
    "costs": _OF_CLASSIFIERS,
    "groups": (" is an option for classifiers: judge models of other kinds by group with ", Call("compare")),
    "runs": (" is for classifiers and numbers: leave it out",),
    "noise": (CLASSES_ARE_NO_NOISE,),
    "missing": (NEVER_MISSING,),
    "adjust": (" corrects indices of clusterings for chance: pass ", Option("kind", "clustering")),
}
_OF_POINTS = (*options_of_points(), "compat", "progress")
_OF_SAMPLES = ("counts", "sample_weight", "weights", "units")


@dataclass(frozen=True, eq=False)
class Shown:
    """Scores that a reader is shown.

    Attributes
    ----------
    scores : mapping of str to Score
    request : EvaluationRequest
    beside : sequence of Case
        Points that were judged beside labels.
    called : mapping of str to str
        Names of the label vectors, by parameter.
    varying : mapping of str to Components
        What scores vary with, where units cross runs.
    """

    scores: Mapping[str, Score]
    request: EvaluationRequest
    beside: Sequence[Case]
    called: Mapping[str, str]
    varying: Mapping[str, Components] = field(default_factory=dict)


class Case(Made):
    """One model, with its statistics by type.

    Parameters
    ----------
    sample : Sample
    at_hand : mapping of type to object
        Statistics, and what they are made from.

    Attributes
    ----------
    kind : str
        What results and options call it.
    indices : tuple of str
        Kinds of the indices that score it against the truth.
    """

    kind: ClassVar[str]
    indices: ClassVar[tuple[Kind, ...]]
    #: The options that it reads, of those that not every kind does.
    reads: ClassVar[frozenset[str]] = frozenset(
        (
            "labels_true",
            MODEL,
            "labels",
            "X",
            "missing",
            "n_tables",
            "random_state",
            *_OF_SAMPLES,
            *_OF_POINTS,
        )
    )
    #: What a refusal of another option calls it.
    words: ClassVar[tuple[Any, ...]] = ("labels",)
    #: What a refusal says instead, by option.
    why: ClassVar[Mapping[str, tuple[Any, ...]]] = _WHY
    #: The options, the types in the place of labels, and the name as an option that say it is this kind, whatever the
    #: labels are.
    options: ClassVar[frozenset[str]] = frozenset()
    places: ClassVar[tuple[type, ...]] = ()
    said_as: ClassVar[str] = ""
    #: What `evaluate` returns.
    result: ClassVar[type[Evaluation]] = Evaluation
    #: Whether labels are clusters, which the points beside them are in, too.
    names_are_arbitrary: ClassVar[bool] = False
    #: Whether points beside the labels are another case, as they leave out other rows.
    may_have_points: ClassVar[bool] = False
    #: Whether the labels of one model may fill several columns, which are coded together with the truth.
    fills_columns: ClassVar[bool] = False
    #: Whether it is judged without a truth.
    judges_alone: ClassVar[bool] = False
    #: What a gate checks if nothing is named.
    gated: ClassVar[tuple[str, ...]] = ()
    #: Whether `evaluate` takes several by name, though they are not label vectors.
    may_be_by_name: ClassVar[bool] = False
    #: The points that it is about.
    source: PointSource | None = None

    def __init__(self, sample: Sample, at_hand: Mapping[type, Any]) -> None:
        super().__init__(at_hand)
        self.sample = sample

    @classmethod
    def check(cls, roles: Iterable[str]) -> None:
        """Raise for the first option that was given and is not read."""
        for role in roles:
            if role not in cls.reads:
                raise cls.refusal(role)

    @classmethod
    def refusal(cls, role: str) -> InputError:
        """Return the error for an option that is not read."""
        return InputError(
            Option(role), *cls.why.get(role, (" is not an option for ", *cls.words, ": leave it out"))
        )

    @property
    def inputs(self) -> list[type]:
        """Types of what was given, from which the possible indices follow."""
        return list(self)

    @property
    def n(self) -> Any:
        """Number of instances, or their weight."""
        return self.sample.total

    def scores(self, records: Sequence[Index], request: EvaluationRequest) -> dict[str, Score]:
        """Compute indices, with intervals and corrections on request."""
        raise NotImplementedError

    def menu(
        self, request: EvaluationRequest, points: PointSource | None = None, *, together: bool = False
    ) -> list[Index]:
        """Return the indices that are meant and can be computed: the only choice of them.

        Parameters
        ----------
        request : EvaluationRequest
        points : PointSource, optional
            Points beside the labels.
        together : bool
            Whether models are compared, of which this one has most inputs.
        """
        if together:
            return compared_indices(request, self.indices[0], self.inputs)
        return chosen_indices(request, self.judged_by(), self.inputs, points)

    @classmethod
    def judged_by(cls) -> tuple[Kind, ...]:
        """Return the kinds of the indices of it and of the points that may stand beside it."""
        return (*cls.indices, "internal") if cls.may_have_points else cls.indices

    @property
    def n_shown(self) -> Any:
        """The number of instances, or their weight, as `evaluate` shows it."""
        return self.n

    @property
    def sample_shown(self) -> Sample:
        """The rows that a result says it is of."""
        return self.sample

    @property
    def n_clusters(self) -> dict[str, int]:
        """Number of clusters or classes of each vector."""
        return {}

    @property
    def details(self) -> dict[str, Any]:
        """What statistics hold by cluster or instance."""
        return {}

    def influence(self, record: Index) -> Influence:
        """Return the influence of each row on a score.

        Raises
        ------
        RefusedError
            If it is not known.
        """
        raise RefusedError(NO_ESTIMATE)

    def drawn(self, record: Index) -> Drawn:
        """Return how the rows were drawn that a score is of."""
        return self.sample.each

    def components(self, scores: Mapping[str, Score]) -> dict[str, Components]:
        """Return what each score varies with, where units cross runs."""
        records = [score.index for score in scores.values()]
        return components_of(self.sample, records, self.influence, self.drawn)

    def described(self, request: EvaluationRequest, scores: Mapping[str, Score]) -> dict[str, Any]:
        """Return the settings of an evaluation."""
        return {**request.settings(scores), **self.sample.settings}

    def said(self, shown: Shown) -> tuple[Notice, ...]:
        """Say what a reader of the scores should know."""
        return self.sample.notices(shown.request.confidence) + self.said_of_runs(shown)

    def said_of_runs(self, shown: Shown) -> tuple[Notice, ...]:
        """Say whether more units or more runs would help, if intervals are shown."""
        return () if shown.request.confidence is None else about_runs(self.sample, shown.varying)

    def left_out(self, request: EvaluationRequest) -> tuple[Notice, ...]:
        """Say what was left out when it was read."""
        return ()

    def said_beside(self, request: EvaluationRequest) -> tuple[Notice, ...]:
        """Say what a reader should know of points beside labels."""
        return ()

    def parts(self, request: EvaluationRequest) -> dict[str, Any]:
        """Return further fields of the evaluation."""
        return {}

    def with_groups(self, found: Any, request: EvaluationRequest) -> Any:
        """Add to an evaluation what it says of each group."""
        return found

    def scores_beside(self, records: Sequence[Index], request: EvaluationRequest) -> dict[str, Score]:
        """Compute the scores that other models have, too; those that lack an input are undefined."""
        return self.scores(records, request)

    def take(self, positions: Ints, sample: Sample) -> Self:
        """Return the case of some of the rows, which are the rows of a sample."""
        raise NotImplementedError

    def fixed(self) -> Self:
        """Fix what must be the same for all parts, such as the classes."""
        return self

    @classmethod
    def read(cls, given: Given) -> dict[str, Self]:
        """Check and encode what several models said of the same rows."""
        raise NotImplementedError

    @classmethod
    def read_one(cls, request: EvaluationRequest, given: Given) -> Self:
        """Check and encode what one model said; counts may stand in the place of the truth."""
        return cls.read(given.by_name)[MODEL] if given.has_rows else cls.of_counts(given)

    @classmethod
    def of_counts(cls, given: Given) -> Self:
        """Take a table of counts in the place of the truth, of which the rows are not known."""
        raise NotImplementedError

    @classmethod
    def pairs(cls, cases: Mapping[str, Any]) -> Pairs:
        """Return what compares models of this kind with each other."""
        raise NotImplementedError

    @classmethod
    def settings(cls, request: EvaluationRequest) -> dict[str, Any]:
        """Return the options that a comparison shows."""
        return {**request.labels.settings(), "confidence": request.confidence, "adjust": request.adjust}

    @classmethod
    def about(
        cls, cases: Mapping[str, Any], judged: Mapping[str, Mapping[str, Score]], request: EvaluationRequest
    ) -> tuple[Notice, ...]:
        """Say what a reader should know of models that are compared."""
        return ()


def alone(records: Sequence[Index], scores: Mapping[str, Score]) -> dict[str, Score]:
    """Add, as undefined, the scores that a model cannot have because only its labels were given."""
    return {record.name: scores.get(record.name, Score(record, math.nan, LABELS_ALONE)) for record in records}


class Pairs:
    """All pairs of models: what is counted or inferred once is shared by all of them.

    Attributes
    ----------
    rows : Instances or None
        None if only counts are known.
    patterns : callable or None
        Says which models are right on the same instances.
    forecasts : mapping of str to Forecasts
        Those of the models that gave any.
    """

    #: The measures that say something of them; None for all.
    measures: tuple[str, ...] | None = None
    rows: Instances | None = None
    forecasts: Mapping[str, Forecasts] = MappingProxyType({})
    patterns: Callable[[], Patterns] | None = None

    def __init__(self, models: Sequence[str]) -> None:
        self.models = tuple(models)

    def agreement(self, p: str, q: str) -> Agreement:
        """Count the Prayatul matrix of p against q."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[Pair]:
        return ((p, q) for p in self.models for q in self.models if p != q)

    @cached_property
    def agreements(self) -> dict[Pair, Agreement]:
        """The Prayatul matrices of all ordered pairs."""
        return {pair: self.agreement(*pair) for pair in self}

    def wrong_alike(self, p: str, q: str) -> float | None:
        """Return how often both are wrong and say the same; None if there is only one way to be wrong."""
        return None

    def inference(self, confidence: float) -> Mapping[Pair, PairInference]:
        """Return intervals of the measures and a test for all ordered pairs."""
        return {}

    def differences(
        self, records: Sequence[Index], confidence: float
    ) -> Mapping[Pair, Mapping[str, Difference]]:
        """Infer the score differences of each pair of models, in the order of the models."""
        return {}

    @property
    def recalls(self) -> Callable[[float | None, str, str], list[ClassDifference]] | None:
        """Compares two models' recall of each class, with intervals of a confidence; None if there are no classes."""
        return None
