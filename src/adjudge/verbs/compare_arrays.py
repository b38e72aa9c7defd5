"""How `compare` compares models whose labels are in memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from adjudge.given.alignment import check_same_order
from adjudge.given.data_frames import named_models
from adjudge.given.weights import Weighting
from adjudge.kinds.classifier_options import ClassifierOptions
from adjudge.kinds.given import Given
from adjudge.kinds.model_forecasts import forecasts_of_models
from adjudge.kinds.registry import KINDS
from adjudge.kinds.request import EvaluationRequest
from adjudge.presentation.tables import backend_of
from adjudge.results import Comparison
from adjudge.results.label_notices import nothing_dropped, rows_left_out
from adjudge.verbs.compared import compared
from adjudge.verbs.kind_of_labels import coded_with_kind

__all__ = ["compare_arrays"]


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
    check_same_order({"labels_true": labels_true, **named, **weighting.rows, **options.rows()})
    with_labels = {name: own for name, own in named.items() if own is not None or not options.has_forecasts}
    request, labels_true, coded, said = coded_with_kind(
        request, labels_true, with_labels, of_classifiers=bool(options.named()), must_be_known=True
    )
    kind = KINDS[str(request.kind)]
    options, names = forecasts_of_models({name: coded.get(name) for name in named}, options)
    given = {name: coded.get(name) for name in names}
    cases = kind.read(Given(labels_true, given, options, weighting, request.labels))
    most = max(cases.values(), key=lambda case: len(case.inputs))
    records = request.primary_first(most.menu(request, together=True), kind.indices)
    found = compared(cases, records, request)
    sample = next(iter(cases.values())).sample
    said += rows_left_out(sample.n_judged, sample.n_given, request.labels, options.what)
    return replace(
        found,
        settings={**found.settings, **sample.settings, "n_given": sample.n_given},
        warnings=said + found.warnings + nothing_dropped(sample.n_noise, request.labels),
        backend=backend,
    )
