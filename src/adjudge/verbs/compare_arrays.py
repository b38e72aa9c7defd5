"""How `compare` compares models whose labels are in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, permutations
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from adjudge.errors import InputError
from adjudge.given.alignment import AlignedLabels, align_labels, check_same_order
from adjudge.given.data_frames import named_models
from adjudge.given.input_kinds import Prediction, Truth
from adjudge.given.weights import Weighting
from adjudge.indices.catalog import list_indices
from adjudge.indices.kinds import Kind
from adjudge.indices.record import Index
from adjudge.kinds.sample import DrawnLabels, Sample
from adjudge.presentation.tables import backend_of
from adjudge.results import Comparison, HeadToHead
from adjudge.results.class_notices import about_order, about_those_with_labels_alone
from adjudge.results.label_notices import label_notices, nothing_dropped, rows_left_out
from adjudge.results.score import Score
from adjudge.statistics.agreement import Agreement
from adjudge.verbs.classifiers import ClassifierOptions
from adjudge.verbs.classifiers_compared import (
    ClassificationSource,
    CodedModels,
    code_models,
    compare_groups,
    with_inferred_differences,
)
from adjudge.verbs.clusterings_compared import ClusteringSource
from adjudge.verbs.judging import check_all_there, check_design, judged_table, selected, with_intervals
from adjudge.verbs.kind_of_labels import coded_with_kind
from adjudge.verbs.label_sets import judge_models
from adjudge.verbs.model_differences import with_differences
from adjudge.verbs.request import EvaluationRequest

if TYPE_CHECKING:
    from adjudge.inference.differences.head_to_head import PairInference

__all__ = ["compare_arrays", "head_to_heads"]


def compare_arrays(
    request: EvaluationRequest,
    labels_true: Any,
    models: Any,
    options: ClassifierOptions,
    weighting: Weighting,
) -> Comparison:
    """Check and encode the inputs once, and compare them; the arguments are those of :func:`adjudge.compare`."""
    named = {} if models is None and options.has_forecasts else named_models(models)
    backend = backend_of(models, labels_true, *named.values())
    beside = {**weighting.rows, **options.rows()}
    check_same_order({"labels_true": labels_true, **named, **beside})
    likeliest = [name for name, own in named.items() if own is None and options.has_forecasts]
    names, named = list(named), {name: own for name, own in named.items() if name not in likeliest}
    request, labels_true, named, said = coded_with_kind(
        request, labels_true, named, of_classifiers=bool(options.named()), must_be_known=True
    )
    if likeliest:
        named = {name: named.get(name) for name in names}
    if request.kind == "multilabel":
        found, source = judge_models(request, labels_true, named, options, weighting)
        pairs = head_to_heads(list(found.models), "multilabel", source)
        left = rows_left_out(found.n, found.settings["n_given"], request.labels)
        found = replace(found, pairs=pairs, backend=backend, warnings=left + found.warnings)
        records = [score.index for score in next(iter(found.judged.values())).values()]
        return with_differences(found, source.differences(records, request.confidence))
    if request.kind == "classification":
        coded, aligned = code_models(labels_true, named, options, weighting, request)
        found = _compare_classifiers(request, coded)
    else:
        found, aligned = _compare_clusterings(request, labels_true, named, weighting)
    n_given, n = weighting.n_given, found.n
    if n_given is None:  # where rows have sampling weights, n is their sum
        n_given, absent = aligned.n_given, weighting.absent
        n = n_given if aligned.kept is None else aligned.kept.size
        n_given -= 0 if absent is None else int(np.count_nonzero(absent))
    said += rows_left_out(n, n_given, request.labels, options.what)
    return replace(
        found,
        settings={**found.settings, **weighting.settings(), "n_given": n_given},
        warnings=said + found.warnings + nothing_dropped(aligned.n_noise, request.labels),
        backend=backend,
    )


def _compare_clusterings(
    request: EvaluationRequest, labels_true: Any, named: Mapping[str, Any], weighting: Weighting
) -> tuple[Comparison, AlignedLabels]:
    aligned = align_labels(
        {"labels_true": labels_true, **named}, request.labels, weighting.beside, weighting.absent
    )
    truth, predictions = aligned.labels[0], dict(zip(named, aligned.labels[1:], strict=True))
    sample = Sample.of(aligned, weighting, "clustering")
    tables = {name: sample.table((truth, labels)) for name, labels in predictions.items()}
    drawn = {name: DrawnLabels(sample, (truth, labels)) for name, labels in predictions.items()}
    chosen = _chosen(request, [Truth, Prediction])
    rows = sample.instances("clustering", truth, predictions)
    source = ClusteringSource(truth, predictions, sample, rows, tables)
    first = next(iter(tables.values()))
    comparison = Comparison(
        kind="clustering",
        models=tuple(named),
        n=first.n,
        judged={name: judged_table(chosen, table, request, drawn[name]) for name, table in tables.items()},
        pairs=head_to_heads(list(named), "clustering", source, request.confidence),
        settings=_settings(request, chosen),
        warnings=label_notices(
            {name: (table.col_labels, table.col_sums) for name, table in tables.items()}
            | {"labels_true": (first.row_labels, first.row_sums)},
            request.labels,
            "clustering",
        )
        + sample.notices(request.confidence),
        units=sample.drawn_units,
        _instances=rows,
    )
    return with_differences(comparison, source.differences(chosen, request.confidence)), aligned


def _compare_classifiers(request: EvaluationRequest, coded: CodedModels) -> Comparison:
    chosen = _chosen(request, coded.at_hand)
    if coded.sample.is_weighted:
        check_design(request, is_known=coded.sample.is_known)

    def compared(part: CodedModels) -> Comparison:
        names, source = list(part.models), ClassificationSource(part)
        comparison = Comparison(
            kind="classification",
            models=tuple(names),
            n=part.sample.total,
            judged=part.judged(chosen, request.confidence),
            pairs=head_to_heads(names, "classification", source, request.confidence),
            settings=_settings(request, chosen),
            units=part.sample.drawn_units,
            _patterns=source.patterns,
            _instances=source.rows,
        )
        return with_inferred_differences(comparison, part, source, request.confidence)

    whole = compared(coded)
    called = {name: name if len(coded.models) > 1 else "" for name in coded.models}
    notices = (own.notices(whole.judged[name], called[name]) for name, own in coded.models.items())
    orders = (about_order(own.values()) for own in whole.judged.values())
    alone = about_those_with_labels_alone(whole.judged)
    said = tuple(dict.fromkeys(chain(alone, *orders, *notices)))
    known: dict[str, Any] = {
        name: own.forecasts for name, own in coded.models.items() if own.forecasts is not None
    }
    whole = replace(whole, warnings=said + coded.sample.notices(request.confidence), _forecasts=known)
    if coded.sample.groups is None:
        return whole
    return compare_groups(whole, coded, compared, request.groups_correction)


def _settings(request: EvaluationRequest, chosen: Sequence[Index]) -> dict[str, Any]:
    return {
        "of": request.kind,
        "scores": [record.name for record in chosen],
        **request.settings_of_tests(chosen),
        **request.labels.settings(),
        "confidence": request.confidence,
        "adjust": request.adjust,
    }


def _chosen(request: EvaluationRequest, at_hand: Sequence[type]) -> list[Index]:
    """Return the requested scores, all of which can be computed from the inputs."""
    wanted: Kind = "external" if request.kind == "clustering" else "classification"
    by_keyword, by_name = selected(request.indices, (wanted,), at_hand)
    for record in by_name:
        if record.kind != wanted:
            raise InputError(
                f"{record.name} is of kind {record.kind!r}: scores of a {request.kind} are {wanted} indices"
            )
    check_all_there(by_name, at_hand, None)
    return request.primary_first(list(dict.fromkeys([*by_keyword, *by_name])), (wanted,))


class _PairSource(Protocol):
    """The source of the counts and the inference for each pair of models."""

    def agreement(self, p: str, q: str) -> Agreement: ...

    def inference(
        self, agreements: Mapping[tuple[str, str], Agreement], confidence: float
    ) -> dict[tuple[str, str], PairInference]: ...

    def wrong_alike(self, p: str, q: str) -> float | None: ...

    @property
    def instances(self) -> Callable[[str, str, str], Any] | None: ...


def head_to_heads(
    models: list[str], kind: str, source: _PairSource, confidence: float | None = None
) -> dict[tuple[str, str], HeadToHead]:
    """Compare all ordered pairs of models."""
    agreements = {(p, q): source.agreement(p, q) for p, q in permutations(models, 2)}
    inference = {} if confidence is None else source.inference(agreements, confidence)
    records = list_indices("comparative")
    found = {}
    for (p, q), agreement in agreements.items():
        measured = {record.name: Score.of(record, agreement) for record in records}
        test: dict[str, Any] = {}
        if (inferred := inference.get((p, q))) is not None:
            measured = with_intervals(measured, inferred.intervals)
            test = inferred.tested
        same = source.wrong_alike(p, q)
        found[p, q] = HeadToHead(
            p, q, kind, agreement, measured, test, _instances=source.instances, both_wrong_same=same
        )
    return found
