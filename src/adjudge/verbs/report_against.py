"""What changed between an earlier result and the models of a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import Any

from adjudge._report.section import BEFORE, Changes, Section
from adjudge.errors import InputError, InputTypeError, Option, a_type
from adjudge.given.labels import code_labels
from adjudge.indices.forecast_record import ForecastIndex
from adjudge.results import Comparison, Evaluation, Evaluations
from adjudge.results.differences import ScoreDifference
from adjudge.results.gate import Gate
from adjudge.results.score import Score
from adjudge.verbs.compare import compare
from adjudge.verbs.compare_results import check_same_rows, known_labels, options_of, read_result

__all__ = ["Judged", "changes_of_evaluation", "changes_of_section", "with_earlier_model"]

# The only model of a result, whatever it is called.
_ONLY = ""
# Kinds of indices that compare labels with the truth.
_COMPARED = ("external", "classification")
# Options of `compare` that say how labels are compared.
_OF_LABELS = (
    "kind", "counts", "sample_weight", "weights", "units", "classes", "positive", "missing", "noise", "noise_label",
)  # fmt: skip


@dataclass(frozen=True)
class Judged:
    """Models with their scores and, if they are known, their labels row by row.

    Attributes
    ----------
    called : str
    scores : dict of str to dict of str to Score
        By model and index.
    truth, labels
        None and empty if the rows are not known.
    why : str
        Why they are not.
    """

    called: str
    scores: Mapping[str, Mapping[str, Score]]
    truth: Any = None
    labels: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""

    @classmethod
    def of(cls, given: Any) -> Judged:
        """Read a result, or the file in which it was saved.

        Raises
        ------
        InputError
            If it is of something else than models or labels.
        """
        result, called = read_result(given, "the earlier result")
        if isinstance(given, (str, PathLike)):
            called = fspath(given).replace("\\", "/").rpartition("/")[2]
        if isinstance(result, Evaluations):
            every = {name: cls.of(own) for name, own in result.evaluations.items()}
            first = next(iter(every.values()))
            named = {name: own.labels[_ONLY] for name, own in every.items() if own.labels}
            scores = {name: own.scores[_ONLY] for name, own in every.items()}
            return cls(called, scores, first.truth, named, first.why)
        judged = result.comparison if isinstance(result, Gate) else result
        if not isinstance(judged, (Evaluation, Comparison)):
            raise InputTypeError(
                Option("against"),
                f" is {a_type(result)}: give what evaluate, compare or gate returned, or its file",
            )
        truth, why = None, ""
        labels: dict[str, Any] = {}
        try:
            truth, labels = known_labels(judged, called)
        except InputError as error:
            why = str(error)
        if isinstance(judged, Evaluation):
            only = {_ONLY: next(iter(labels.values()))} if labels else {}
            return cls(called, {_ONLY: judged.scores}, truth, only, why)
        if isinstance(result, Gate):
            new = judged.models[1]
            only = {_ONLY: labels[new]} if labels else {}
            return cls(called, {_ONLY: judged.judged[new]}, truth, only, why)
        return cls(called, judged.judged, truth, labels, why)

    def predecessor(self, model: str) -> str | None:
        """Return the name of a model that is this one, or the only one; None if there is none."""
        return next((name for name in (model, _ONLY) if name in self.scores), None)


def with_earlier_model(models: Mapping[str, Any], earlier: Judged, labels_true: Any) -> dict[str, Any]:
    """Add the only model of an earlier result, so that the page compares with it instance by instance."""
    if BEFORE in models:
        raise InputError(
            f"a model is called {BEFORE!r}, as the page calls that of ", Option("against"), ": rename it"
        )
    if _ONLY not in earlier.labels or _differ(labels_true, earlier):
        return dict(models)
    return {**models, BEFORE: earlier.labels[_ONLY]}


def _differ(labels_true: Any, earlier: Judged) -> str:
    """Return why the rows are not the earlier ones; empty if they are."""
    if earlier.why or earlier.truth is None:
        return earlier.why or f"{earlier.called} does not know its rows"
    if labels_true is None:
        return "there is no truth now"
    try:
        check_same_rows(labels_true, earlier.truth, earlier.called)
    except InputError as error:
        return str(error).partition(": ")[0]
    return ""


def changes_of_section(
    section: Section, earlier: Judged, kind: str | None, options: Mapping[str, Any]
) -> Changes:
    """Compare the models of a section with an earlier result."""
    assert section.models is not None
    models = {name: own for name, own in section.models.items() if name != BEFORE}
    judged: Mapping[str, Mapping[str, Score]] = {}
    confidence = None
    if section.comparison is not None:
        judged = {name: section.comparison.judged[name] for name in models}
        confidence = section.comparison.settings.get("confidence")
    elif section.internal is not None:
        judged = {name: section.internal[name].scores for name in models}
    now = Judged("the page", judged, section.labels_true, models)
    return _changes(earlier, now, confidence, {**options, "kind": kind})


def changes_of_evaluation(result: Evaluation | Evaluations, against: Any) -> Changes:
    """Compare one evaluation, or several, with an earlier result."""
    one = result if isinstance(result, Evaluation) else next(iter(result.evaluations.values()))
    now = Judged.of(result)
    options = options_of(one.known_instances()) if now.labels else {}
    return _changes(Judged.of(against), now, one.settings.get("confidence"), options)


def _changes(earlier: Judged, now: Judged, confidence: float | None, options: Mapping[str, Any]) -> Changes:
    """Compare models with what they were: by rows if these are the same, else by the scores that both results have.

    Raises
    ------
    InputError
        If no model and no score is in both results.
    """
    before = {model: earlier.predecessor(model) for model in now.scores if model != BEFORE}
    found = {model: name for model, name in before.items() if name is not None}
    why = now.why or _differ(now.truth, earlier)
    compared: dict[str, Comparison] = {}
    if not why:
        of_labels = {name: options[name] for name in _OF_LABELS if options.get(name) is not None}
        for model, name in found.items():
            both = {model or "now": now.labels[model], BEFORE: earlier.labels[name]}
            scores = [
                own.index
                for own in now.scores[model].values()
                if own.index.kind in _COMPARED and not isinstance(own.index, ForecastIndex)
            ]
            compared[model] = compare(now.truth, both, indices=scores, confidence=confidence, **of_labels)
    pairs = {model: own[own.models[0], BEFORE] for model, own in compared.items()}
    rows = {
        model: _differences(now.scores[model], earlier.scores[name], pairs.get(model))
        for model, name in found.items()
    }
    if not any(rows.values()):
        raise InputError(
            Option("against"),
            f": no score of a model is in both {earlier.called} and this page: "
            "give models the names that they had, and name the same indices",
        )
    truth = None if why else code_labels(now.truth, "labels_true")
    return Changes(
        earlier.called,
        rows,
        pairs,
        {
            model: (
                truth,
                code_labels(now.labels[model], model),
                code_labels(earlier.labels[found[model]], BEFORE),
            )
            for model in pairs
            if truth is not None
        },
        why,
        new=[model for model, name in before.items() if name is None],
        gone=[name for name in earlier.scores if name not in (*found.values(), _ONLY)],
    )


def _differences(now: Mapping[str, Score], before: Mapping[str, Score], pair: Any) -> list[ScoreDifference]:
    """Return a difference for each score now: over the same instances, or of the two values."""
    found = []
    for name, own in now.items():
        if pair is not None and name in pair.differences:
            found.append(pair.differences[name])
        elif name in before:
            found.append(
                ScoreDifference(
                    own.index, own.value, before[name].value, average=own.average, of_class=own.of_class
                )
            )
    return found
