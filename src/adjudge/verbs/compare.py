"""The verb `compare` shows where one model is right and another wrong, from arrays or the columns of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from adjudge.errors import Call, InputError, Option
from adjudge.given.alignment import check_same_order
from adjudge.given.arrays import taking_arrays
from adjudge.given.data_frames import named_models
from adjudge.given.label_options import LabelOptions
from adjudge.given.option_groups import Classifier, classifiers_by_name
from adjudge.given.options import check_choice
from adjudge.given.weights import Weighting
from adjudge.indices.record import Index
from adjudge.kinds.classifier_options import ClassifierOptions
from adjudge.kinds.given import Given
from adjudge.kinds.model_forecasts import forecasts_of_models
from adjudge.kinds.registry import kind_compared
from adjudge.kinds.request import NAMES_OF_KINDS, EvaluationRequest, changed_options
from adjudge.kinds.which_kind import are_names, as_values, check_direction, coded_with_kind
from adjudge.presentation.tables import backend_of
from adjudge.results import Comparison
from adjudge.results.label_notices import no_noise_found, rows_left_out
from adjudge.statistics.agreement import OF_NUMBERS, UNITS
from adjudge.tables.source import is_a_file
from adjudge.unknown_names import checked_call, naming_what_judges_numbers
from adjudge.usual_seed import USUAL_SEED
from adjudge.verbs.compare_columns import compare_columns
from adjudge.verbs.compare_results import models_of_results, results_given, with_what_changed
from adjudge.verbs.compared import compared

__all__ = ["compare"]


@checked_call
@naming_what_judges_numbers("kind", "probabilities")
@taking_arrays
def compare(
    labels_true: Any = None,
    models: Mapping[str, Any] | Any = None,
    *,
    kind: Literal["clustering", "classification", "multilabel", "regression", "values"] | None = None,
    indices: str | Index | Iterable[str | Index] = "default",
    values: Any = None,
    better: Literal["higher", "lower"] | None = None,
    counts: Any = None,
    sample_weight: Any = None,
    weights: Literal["frequency", "importance"] | None = None,
    units: Any = None,
    runs: Any = None,
    judge: Any = None,
    costs: Any = None,
    probabilities: Mapping[str, Any] | None = None,
    scores: Mapping[str, Any] | None = None,
    classes: Sequence[Any] | None = None,
    positive: Any = None,
    groups: Any = None,
    missing: str | Mapping[str, str] = "raise",
    noise: str | Mapping[str, str] | None = None,
    noise_label: Any = -1,
    confidence: float | None = None,
    adjust: bool = False,
    n_tables: int | None = None,
    random_state: Any = USUAL_SEED,
    truth: str | None = None,
    primary: str | Index | None = None,
    groups_correction: Literal["holm", "fdr"] = "holm",
    engine: Literal["auto", "memory", "duckdb"] | None = None,
    delimiter: str | None = None,
) -> Comparison:
    """Compare models with each other, instance by instance or pair by pair, against the truth.

    Parameters
    ----------
    labels_true : array-like of shape (n,), data frame, path, or Evaluation
        The truth. Or a table whose columns the other arguments name: a data frame of any library, eager or lazy, or
        the path of a file. Or a result of :func:`evaluate`, to compare with a second one about the same instances.
    models : mapping of str to array-like of shape (n,) or Classifier, data frame, or Evaluation, optional
        Each model's labels; the columns of a data frame are models. For classifiers, `probabilities` can replace them.
        With a table: the columns with the models' labels, or patterns such as ``"model_*"``; default: all columns not
        named elsewhere. Beside a file, a name may be that of another file with one label per line.
    values : mapping of str to array-like of shape (n,), or data frame, optional
        One number for each row by each model, judged without a truth: rewards, latencies, errors of forecasts, the nDCG
        of each query. Models are compared row by row. `better` is then required.
    better : {"higher", "lower"}, optional
        Which end of `values` is better.
    truth : str, optional
        With a table: the column with the true labels. `sample_weight`, `counts`, `units`, `groups`, and the entries of
        `probabilities` and `scores` then name columns, too.
    kind : {"clustering", "classification", "multilabel", "regression", "values"}, optional
        Clustering counts pairs of instances (is the pair joined or separated as in the truth?), classification counts
        instances (is the label the true one?), and "multilabel", for instances with several labels or none, counts
        pairs of an instance and a label (is the label predicted or not, as in the truth?). With "regression", the
        truth and the models are numbers, and a model is right about a row if it is at least as close to the truth as
        the other one. "values" is meant if `values` is given. Default: "classification"
        if an option of classifiers is given, or if all labels are text or booleans and share the names of the truth;
        otherwise it is required.
    indices : "default", "all", a name or record, or several, default "default"
        Scores of each model against the truth.
    counts : array-like of int of shape (n,), optional
        How many instances each row stands for.
    sample_weight : array-like of float of shape (n,), optional
        Weights of the instances.
    weights : {"frequency", "importance"}, optional
        What `sample_weight` means; required for clusterings. With "frequency", each row stands for a whole
        number of instances. With "importance", the weights are sampling weights on any scale; the matrices then hold
        the total weight of the instances, or of the pairs of instances (each the product of two weights).
    units : array-like of shape (n,), optional
        The sampling unit of each row, if rows were not drawn independently: rows with the same value (visits of a
        patient, sentences of a document) belong together. Intervals and tests then treat the units as the sample; the
        values do not change.
    runs : array-like of shape (n,), optional
        The run of each row, where every unit was judged in several; see :func:`evaluate`. Models are paired by unit;
        they may share runs (seeds), or each have their own.
    judge : array-like of shape (n,), optional
        For classifiers: labels of all rows by a judge, where `labels_true` by people is missing for most; see
        :func:`evaluate`. Scores and their differences are corrected by them; matrices are of the rows that people
        labelled.
    costs : array-like of shape (n,), optional
        For classifiers: what a mistake on each row costs; see :func:`evaluate`.
    probabilities : mapping of str to array-like of shape (n, C) or (n,), or data frame, optional
        For classifiers: each model's predicted probabilities, as for :func:`evaluate`. Without `models`, the likeliest
        class of each instance is its label. A model may have labels alone, and no scores of probabilities. With a
        table: columns, or patterns such as ``v1_*``, whose star stands for the class, by model or in their order.
    scores : mapping of str to array-like of shape (n, C) or (n,), or data frame, optional
        For classifiers, instead of probabilities: each model's decision values, which only rank the instances and
        therefore need `models` as well.
    classes : sequence, optional
        All classes, in the order of the columns of `probabilities`. Without probabilities, it is also the order that
        ordinal scores read, instead of that of the labels' type (an ordered categorical, an Enum).
    positive : optional
        The positive class of two; default: 1 (of 0 and 1), True (of False and True), or else the second, with a notice.
    groups : array-like of shape (n,), mapping of names to such, or data frame, optional
        Also compare the models within each group of instances; several columns are crossed. Clusterings are then judged
        by the pairs of instances of the same group. Without `kind`, groups say that the models are classifiers.
    missing : {"raise", "drop"} or mapping, default "raise"
        Whether instances with a missing label, or probability, are an error, or left out for all models.
    noise : {"cluster", "singletons", "drop"} or mapping, optional
        Whether instances labelled `noise_label` form an ordinary cluster, form one cluster each, or are left out
        for all models. A mapping sets this for each label vector, by "labels_true" and the names of the models.
        Default: an ordinary cluster.
    noise_label : default -1
    confidence : float, optional
        Add confidence intervals of this level for measures, scores and their differences, and a test of each pair of
        models with Holm's correction, treating the instances as a sample. For classifiers, differences in
        ROC area, log loss and Brier score are tested, too.
    adjust : bool, default False
        Also correct scores of clusterings for chance (with fixed cluster sizes).
    n_tables : int, optional
        For scores whose null distribution is simulated; see :func:`~adjudge.inference.null_distribution`.
    random_state : int, Generator, SeedSequence or None, default 0
        The seed of these tables: the same call gives the same answer. With None it varies.
    primary : str or Index, optional
        The one score that decides, chosen before the results are known. Its test is not corrected for the other scores,
        and it is named first; the others are corrected among themselves. Among several models it is corrected for
        their pairs.
    groups_correction : {"holm", "fdr"}, default "holm"
        What limits false claims among the tests of groups, for each score. With Holm's correction, the probability of
        any. With "fdr", that of Benjamini and Hochberg, the expected share of false ones among all claims: more of the
        groups that differ are found, and of 20 groups named, one may be a false alarm.
    engine : {"auto", "memory", "duckdb"}, optional
        With the path of a file: whether its rows are read, or DuckDB counts them. Default: "auto", DuckDB for large
        files, if it is installed.
    delimiter : str, optional
        With a table and `kind` "multilabel": the sign between the labels of a cell; default ``";"``. Cells may also be
        lists, and a pattern may name a column of 0 and 1 for each label: ``"old_*"`` reads ``old_LABEL``.

    Returns
    -------
    Comparison
        ``comparison["p", "q"]`` has the Prayatul matrix of p against q, the five measures and the instances.
        For classifiers, ``comparison["p", "q"].differences["log_loss"]`` is a difference of scores,
        and ``comparison.by_group[value]`` is the comparison within a group. ``comparison["p", "q"].instances(cell)``
        gives positions or pair counts; for a lazy table it is a lazy frame of the same engine, and for a large file a
        PyArrow table, with the rows of the cell (classification), or all rows that were compared and a column ``pairs``
        (clustering).

    Raises
    ------
    InputError
        If labels cannot be used, or there is no model.

    References
    ----------
    Biswas (2022), Prayatul matrix (classification); Biswas (2023), Prayatul matrix for clustering. DeLong, DeLong &
    Clarke-Pearson (1988) for areas under ROC curves. Holm (1979) and Benjamini & Hochberg (1995) for several tests.

    Examples
    --------
    >>> from adjudge import compare
    >>> truth = ["cat", "cat", "dog", "dog"]
    >>> models = {"one": ["cat", "cat", "dog", "cat"], "two": ["cat", "dog", "cat", "dog"]}
    >>> pair = compare(truth, models, kind="classification")["one", "two"]
    >>> pair.both_right, pair.right_wrong, pair.wrong_right, pair.both_wrong
    (1, 2, 1, 0)
    >>> pair.instances("right_wrong")
    array([1, 2])
    >>> round(pair.measures["comparative_deviation"], 4)
    0.3333

    A primary score is tested alone:

    >>> truth = ["sick", "well"] * 100
    >>> old = ["sick", "well"] * 80 + ["well", "well"] * 20
    >>> new = ["sick", "well"] * 86 + ["well", "well"] * 11 + ["sick", "sick"] * 3
    >>> asked = {"kind": "classification", "positive": "sick", "confidence": 0.95}
    >>> asked["indices"] = ["accuracy", "recall", "specificity", "f1"]
    >>> found = compare(truth, {"old": old, "new": new}, **asked, primary="recall")
    >>> print(found.verdict.sentences[0])
    By the primary score, Recall of sick (+0.090: 0.890 against 0.800, p = 0.002), new is better than old.
    >>> both = found, compare(truth, {"old": old, "new": new}, **asked)
    >>> [f"{own['new', 'old'].differences['recall'].adjusted_p_value:.4f}" for own in both]
    ['0.0020', '0.0078']

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"label": [0, 0, 1], "a": [0, 0, 1], "b": [0, 1, 1]})
    >>> compare(frame, ["a", "b"], truth="label", kind="classification")["a", "b"].right_wrong
    1
    """
    of_table = truth is not None or is_a_file(labels_true, models) or are_names(values)
    if values is not None or kind is not None:
        beside = {"labels_true": truth if of_table else labels_true, "models": models}
        models, kind = as_values(values, kind, beside, models)
        values = None
        check_direction(kind, better)
    if of_table:
        asked = changed_options(compare, locals())
        models, options = _of_classifiers(
            models, ClassifierOptions(probabilities, scores, classes, positive, groups, costs=costs)
        )
        given = {name: getattr(options, name) for name in options.named()}
        return compare_columns(compare, **{**asked, **given, "models": models})
    if engine is not None:
        raise InputError(Option("engine"), " says what reads a file: give its path, or leave it out")
    if delimiter is not None:
        raise InputError(Option("delimiter"), " separates labels in cells of a table: leave it out of arrays")
    if (results := results_given(labels_true, models)) is not None:
        kept = {"labels_true", "models", "indices", "confidence", "groups", "primary", "groups_correction"}
        if other := next((name for name in changed_options(compare, locals()) if name not in kept), None):
            raise InputError(Option(other), " is that of the two results: leave it out")
        true, said_by, known = models_of_results(*results)
        given = {"indices": indices, "confidence": confidence, "groups": groups, **known}
        given |= {"primary": primary, "groups_correction": groups_correction}
        return with_what_changed(compare(true, said_by, **given), *results)
    if kind is not None:
        if kind in NAMES_OF_KINDS and kind not in UNITS:
            raise InputError(Option("kind", kind), " is not compared: ", Call("evaluate"), " judges it")
        check_choice("kind", kind, tuple(UNITS))
    request = EvaluationRequest(
        indices=indices,
        kind=kind,
        labels=LabelOptions(missing, noise, noise_label),
        confidence=confidence,
        adjust=adjust,
        n_tables=n_tables,
        random_state=random_state,
        primary=primary,
        better=better,
        groups_correction=groups_correction,
    )
    models, options = _of_classifiers(
        models, ClassifierOptions(probabilities, scores, classes, positive, groups, costs=costs)
    )
    request.check_groups(options.groups, needs_confidence=True)
    weighting = Weighting(counts, sample_weight, weights, units, runs)
    return _of_arrays(
        request,
        Given(labels_true, {}, options, weighting, request.labels, better=better, judge=judge),
        models,
    )


def _of_classifiers(models: Any, options: ClassifierOptions) -> tuple[Any, ClassifierOptions]:
    """Return the labels by model, and the options merged with those in `Classifier` instances."""
    if not isinstance(models, Mapping) or not any(isinstance(model, Classifier) for model in models.values()):
        return models, options
    labels, given = classifiers_by_name(models, options.named())
    return labels, replace(options, **given)


def _of_arrays(request: EvaluationRequest, given: Given, models: Any) -> Comparison:
    """Check and encode what was given once, and compare the models."""
    options = given.options
    named = {} if models is None and options.has_forecasts else named_models(models)
    backend = backend_of(models, given.truth, *named.values())
    beside = {"judge": given.judge, **given.weighting.rows, **options.rows()}
    check_same_order({"labels_true": given.truth, **named, **beside})
    request, given, said = coded_with_kind(request, replace(given, models=named), must_be_known=True)
    kind = kind_compared(request, given)
    # Models of all kinds are compared by group.
    kind.check([*(name for name in given.roles if name != "groups"), *request.roles])
    options, names = forecasts_of_models(given.models, options)
    models = {name: given.models.get(name) for name in names}
    cases = kind.read(replace(given, models=models, options=options))
    most = max(cases.values(), key=lambda case: len(case.inputs))
    records = request.primary_first(most.menu(request, together=True), kind.indices)
    found = compared(cases, records, request)
    sample = next(iter(cases.values())).sample
    of_numbers = request.kind in OF_NUMBERS
    said += rows_left_out(
        sample.n_judged,
        sample.n_given,
        request.labels,
        options.what,
        of_numbers=of_numbers,
        units=given.weighting.units is not None,
        groups=options.groups is not None,
    )
    return replace(
        found,
        settings={**found.settings, **sample.settings, "n_given": sample.n_given},
        warnings=said + found.warnings + no_noise_found(sample.n_noise, request.labels),
        backend=backend,
    )
