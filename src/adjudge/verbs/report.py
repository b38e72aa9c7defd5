"""The verb `report`: everything on one page that a person can open, read and explore."""

from __future__ import annotations

import html
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Literal

import numpy as np

from adjudge._report.build import AS_GIVEN, Section, report_page
from adjudge._report.features import read_features
from adjudge._report.label_sets import ShownSets
from adjudge._report.render import write_report
from adjudge.atomic import check_writable
from adjudge.deprecation import check_known, former_options
from adjudge.errors import Argument, Call, InputError, InputTypeError, Option, a_type
from adjudge.given.alignment import align_labels
from adjudge.given.data_frames import columns_by_name
from adjudge.given.label_options import LabelOptions
from adjudge.given.label_scores import read_label_scores
from adjudge.given.label_sets import read_label_sets
from adjudge.given.labels import code_labels
from adjudge.given.options import given_names
from adjudge.indices.catalog import (
    default_indices,
    is_all,
    is_default,
    names_no_indices,
    select_indices,
)
from adjudge.indices.record import Index, InternalIndex
from adjudge.inference.cluster_tests import ClustersTest
from adjudge.inference.head_to_head import takes_long
from adjudge.results import Choice, Comparison, Evaluation, KChoice
from adjudge.results.benchmark import Benchmark
from adjudge.results.by_class import ClassifierEvaluation
from adjudge.statistics.moments import made_by_centroids
from adjudge.verbs.classifiers_compared import likeliest_labels
from adjudge.verbs.compare import compare, named_models
from adjudge.verbs.evaluate import evaluate
from adjudge.verbs.judging import KINDS_OF

__all__ = ["Report", "internal_criteria", "report"]

# With more instances, a report shows only default criteria that need no pass over all pairs of points.
_PAIRS_UP_TO = 20_000
# Bounded, so that a reader can tell what a value is worth.
_LEADS = "silhouette"


# What classifiers are judged by, beside their classes or labels.
_ON_THE_PAGE = {"classification": "accuracy", "multilabel": "micro_f1"}
# Options of `compare` that hold for each of its classifiers.
_OF_EACH_CLASSIFIER = ("classes", "positive", "counts", "sample_weight", "weights")


@dataclass(frozen=True)
class _Shown:
    """The indices on the page: against the truth, and from the data alone."""

    scores: Any
    criteria: Any

    @classmethod
    def of(cls, indices: Any, kind: str | None) -> _Shown:
        """Separate indices that need the truth from the others; if none of one sort is named, it keeps its default."""
        if isinstance(indices, cls):
            return indices
        if indices is None:
            return cls("default", None)
        if is_all(indices) or is_default(indices):
            return cls(indices, indices)
        records = select_indices(
            indices, KINDS_OF["classification" if kind == "classification" else "clustering"]
        )
        criteria = [record for record in records if isinstance(record, InternalIndex)]
        scores = [record for record in records if record not in criteria]
        return cls(scores or "default", criteria or "default")

    @classmethod
    def of_former(cls, given: dict[str, Any]) -> _Shown:
        """Accept the two old options that are now one."""
        return cls(given.get("scores", "default"), given.get("criteria", "default"))


@dataclass(frozen=True, eq=False)
class Report(os.PathLike[str]):
    """A written report.

    Attributes
    ----------
    path : Path
        The HTML file.
    page : dict
        Its contents, as plain JSON.
    """

    path: Path
    page: dict[str, Any]

    def __fspath__(self) -> str:
        return str(self.path)

    def __repr__(self) -> str:
        return f"Report({str(self.path)!r})"

    def open(self) -> None:
        """Show the page in the web browser."""
        import webbrowser

        webbrowser.open(self.path.resolve().as_uri())

    def _repr_html_(self) -> str:
        content = html.escape(self.path.read_text(encoding="utf-8"), quote=True)
        return (
            f'<iframe srcdoc="{content}" sandbox="allow-scripts allow-downloads" title="adjudge report" '
            'style="display: block; box-sizing: border-box; width: 100%; height: 48rem; border: 1px solid #8886">'
            "</iframe>"
        )


@former_options(join=_Shown.of_former, unless=names_no_indices, criteria="indices", scores="indices")
def report(
    labels_true: Any = None,
    models: Any = None,
    *,
    kind: Literal["clustering", "classification", "multilabel"] | None = None,
    X: Any = None,
    feature_names: Sequence[str] | None = None,
    features: Sequence[str] | None = None,
    standardize: bool = False,
    embedding: Any = None,
    images: Any = None,
    text: Sequence[str] | None = None,
    indices: str | Index | Iterable[str | Index] | None = "default",
    k_choice: KChoice | None = None,
    benchmark: Benchmark | None = None,
    choice: Choice | None = None,
    clusters_test: ClustersTest | None = None,
    confidence: float = 0.95,
    title: str | None = None,
    note: str = "",
    output: str | Path = "adjudge-report.html",
    **options: Any,
) -> Report:
    """Compare models and write the comparison, with the instances behind it, to one HTML file.

    Without the truth, clusterings are judged from `X` alone.

    Parameters
    ----------
    labels_true : array-like of shape (n,), optional
        The truth.
    models : mapping of str to array-like of shape (n,), or data frame
        Labels by each model; the columns of a data frame are models. Default, without the truth and with `k_choice`:
        the recommended partition; of classifiers with `probabilities`: their likeliest classes.
    kind : {"clustering", "classification", "multilabel"}
        What the models are; clusterings if there is no truth. With "multilabel", instances have several labels or none,
        as for :func:`adjudge.compare`; the page then shows no columns of `X`.
    X : array-like of shape (n, p) or data frame, optional
        The instances' features, and other columns to show.
    feature_names : sequence of str, optional
        Names of the columns; default those of `X`.
    features : sequence of str, optional
        The columns of `X` that measure distances, for the map and the criteria; default: all numeric ones without
        gaps.
    standardize : bool, default False
        Measure the criteria on columns of mean 0 and standard deviation 1.
    embedding : array-like of shape (n, 2), optional
        Positions on the map; default: the first two principal components of `X`.
    images : array-like of shape (n, height, width) or (n, height, width, channels), or sequence of paths, optional
        One picture per instance: pixels, or PNG, JPEG, GIF or WebP files (or their bytes), which are embedded
        unchanged.
    text : sequence of str, optional
        One text per instance.
    indices : "default", "all", a name or record, or several, or None, default "default"
        Internal indices judge clusterings from `X` alone, all others score models against the truth.
        If none of one kind is named, its defaults are shown; None leaves internal ones out.
    k_choice : KChoice, optional
        The result of :func:`adjudge.choose_k`.
    benchmark : Benchmark, optional
        The result of :func:`adjudge.benchmark`, which makes a separate page, without labels.
    choice : Choice, optional
        The result of :func:`adjudge.choose`, which makes a separate page, without labels.
    clusters_test : ClustersTest, optional
        The result of :func:`adjudge.clusters_test`, which makes a separate page, without labels.
    confidence : float, default 0.95
        Level of the intervals, which are left out (and the page says so) if very many clusters would make them slow.
    title : str, optional
        Title of the page.
    note : str
        A sentence on where the data and the models come from.
    output : path-like, default "adjudge-report.html"
        The file; an existing one is replaced in one step.
    **options
        As for :func:`adjudge.compare`, `probabilities`, `scores` and `groups` of classifiers among them; scores of
        clusterings are corrected for chance unless ``adjust=False``, with seed 0 if that needs simulation.

    Returns
    -------
    Report
        Path-like; shown as the page in a notebook.

    Raises
    ------
    InputError
        If an input cannot be used.

    Examples
    --------
    >>> import tempfile
    >>> from adjudge import report
    >>> truth = ["cat", "cat", "dog", "dog"]
    >>> models = {"one": ["cat", "cat", "dog", "cat"], "two": ["cat", "dog", "dog", "cat"]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = report(truth, models, kind="classification", output=f"{folder}/report.html")
    >>> made.page["sections"][0]["verdict"][1]["text"]
    'one is best by Accuracy: 0.7500, ahead of two with 0.5000.'
    """
    check_known(options, _known_options(), "report()")
    check_writable(output)
    results = {"benchmark": benchmark, "choice": choice, "clusters_test": clusters_test}
    alone = {name: value for name, value in results.items() if value is not None}
    if alone:
        given = {"labels_true": labels_true, "models": models, "X": X, "k_choice": k_choice, **options}
        return _of_result(alone, given, title, note, output)
    if k_choice is not None and not isinstance(k_choice, KChoice):
        raise InputTypeError(f"k_choice is {a_type(k_choice)}: give what ", Call("choose_k"), " returns")
    if kind == "multilabel":
        given = {"X": X, "embedding": embedding, "images": images, "text": text, "k_choice": k_choice}
        section = _label_sets(labels_true, models, given, indices, confidence, note, options)
        page = report_page(title or "Which model is right where?", [section])
        return Report(write_report(page, output), page)
    for option in ("probabilities", "scores"):
        if options.get(option) is not None and not isinstance(options[option], Mapping):
            options[option] = columns_by_name(options[option], option) or options[option]
    probabilities = options.get("probabilities")
    if models is None and probabilities is not None and kind == "classification":
        models = likeliest_labels(labels_true, probabilities, options.get("classes"))
    # Coded once, for the whole page.
    named = {name: code_labels(own, name) for name, own in _models(models, k_choice, labels_true).items()}
    if labels_true is not None:
        labels_true = code_labels(labels_true, "labels_true")
    shown = _Shown.of(indices, kind)
    treatment: dict[str, Any] = {
        name: options[name] for name in ("missing", "noise", "noise_label") if name in options
    }
    comparison = None
    if labels_true is not None:
        if kind is None:
            raise InputError("kind is missing: give 'classification' or 'clustering'")
        options = {"indices": shown.scores, **options}
        comparison = _compare_surely(labels_true, named, kind, confidence, treatment, options)
    else:
        _check_alone(kind, X, options, treatment, shown)
    evaluations = None
    if kind == "classification":
        evaluations = _evaluations(labels_true, named, confidence, treatment, options)
    internal = None
    if kind != "classification" and X is not None and shown.criteria is not None:
        internal = internal_criteria(
            X,
            named,
            shown.criteria,
            feature_names=feature_names,
            features=features,
            standardize=standardize,
            **treatment,
        )
    section = Section(
        title="Classifiers" if kind == "classification" else "Clusterings",
        comparison=comparison,
        labels_true=labels_true,
        models=named,
        X=X,
        feature_names=feature_names,
        features=None if features is None else tuple(given_names("features", features)),
        embedding=embedding,
        images=images,
        text=text,
        internal=internal,
        evaluations=evaluations,
        k_choice=k_choice,
        space="the columns, standardised" if standardize else AS_GIVEN,
        treatment=treatment,
        note=note,
    )
    if title is None:
        title = "How good are the clusters?" if comparison is None else "Which model is right where?"
    page = report_page(title, [section])
    return Report(write_report(page, output), page)


def _label_sets(
    labels_true: Any,
    models: Any,
    given: Mapping[str, Any],
    indices: Any,
    confidence: float,
    note: str,
    options: Mapping[str, Any],
) -> Section:
    """Compare classifiers that give an instance several labels."""
    if (excess := next((name for name, value in given.items() if value is not None), None)) is not None:
        raise InputError(Option(excess), " is not an option for several labels per instance: leave it out")
    if labels_true is None:
        raise InputError("classifiers are judged against the truth: give ", Argument("labels_true"))
    shown = _shown_sets(labels_true, models, options)
    asked = {"indices": "default" if indices is None else indices, **options}
    # Which are predicted from probabilities is said once, by the comparison.
    named = None if models is None else shown.models
    comparison = compare(shown.truth, named, kind="multilabel", **asked)
    evaluations = _evaluations(shown.truth, shown.models, confidence, {}, options, kind="multilabel")
    return Section(title="Classifiers", comparison=comparison, sets=shown, evaluations=evaluations, note=note)


def _shown_sets(labels_true: Any, models: Any, options: Mapping[str, Any]) -> ShownSets:
    """Code several labels per instance once, for the whole page; without models' labels, take the likely ones."""
    classes, probabilities = options.get("classes"), options.get("probabilities")
    if models is not None or probabilities is None:
        named = _models(models, None, labels_true)
        sets = read_label_sets({"labels_true": labels_true, **named}, classes)
        return ShownSets(sets.pop("labels_true"), sets)
    scores = {
        str(name): read_label_scores(own, probabilities=True, labels=classes)
        for name, own in probabilities.items()
    }
    known = classes or next((own.labels for own in scores.values() if own.labels), None)
    truth = read_label_sets({"labels_true": labels_true}, known)["labels_true"]
    return ShownSets(truth, {name: own.of(truth).likely() for name, own in scores.items()})


@dataclass(frozen=True)
class _Page:
    """The page of a result, which reads only that."""

    of: type[Any]
    made_by: str
    title: str
    section: str


_PAGES = {
    "benchmark": _Page(
        Benchmark, "benchmark()", "Which model is better over many data sets?", "Models over data sets"
    ),
    "choice": _Page(Choice, "choose()", "Which of these clusterings?", "Candidates"),
    "clusters_test": _Page(ClustersTest, "clusters_test()", "Are there clusters?", "Tests of clusters"),
}


def _of_result(
    alone: Mapping[str, Any], given: Mapping[str, Any], title: str | None, note: str, output: str | Path
) -> Report:
    name, *more = alone
    result, page = alone[name], _PAGES[name]
    if not isinstance(result, page.of):
        raise InputTypeError(Argument(name), f" is {a_type(result)}: give what {page.made_by} returns")
    excess = [*more, *(other for other, value in given.items() if value is not None)]
    if excess:
        raise InputError(Option(name), " makes a separate page: leave out ", Option(excess[0]))
    section = Section(title=page.section, result=result, note=note)
    built = report_page(title or page.title, [section])
    return Report(write_report(built, output), built)


def _known_options() -> tuple[str, ...]:
    both = signature(report).parameters | signature(compare).parameters
    return tuple(name for name, parameter in both.items() if parameter.kind is not Parameter.VAR_KEYWORD)


def _models(models: Any, k_choice: KChoice | None, labels_true: Any) -> dict[str, Any]:
    if models is not None:
        return named_models(models)
    if labels_true is None and k_choice is not None and k_choice.k is not None:
        return {f"{k_choice.estimator}, K = {k_choice.k}": k_choice.labels[k_choice.k]}
    raise InputError("models is missing: give a mapping of names to labels, or a data frame")


def _check_alone(
    kind: str | None, X: Any, options: Mapping[str, Any], treatment: Mapping[str, Any], shown: _Shown
) -> None:
    """Check the inputs if there is no truth."""
    if kind == "classification":
        raise InputError("classifiers are judged against the truth: give ", Argument("labels_true"))
    if X is None:
        raise InputError(
            "there is neither ",
            Argument("labels_true"),
            " nor ",
            Argument("X"),
            ": give the truth, or the points",
        )
    excess = sorted(options.keys() - treatment.keys())
    if excess:
        raise InputError(
            Option(excess[0]), " needs the truth: give ", Argument("labels_true"), ", or leave it out"
        )
    if isinstance(shown.scores, list):
        raise InputError(
            f"{shown.scores[0].name} compares with the truth: give ",
            Argument("labels_true"),
            ", or leave it out",
        )


def _compare_surely(
    labels_true: Any,
    models: Mapping[str, Any],
    kind: Literal["clustering", "classification"],
    confidence: float,
    treatment: Mapping[str, Any],
    options: Mapping[str, Any],
) -> Comparison:
    """Compare, with intervals and tests unless they would take long, and corrected for chance."""
    level: float | None = confidence
    given = dict(options)
    if kind == "clustering":
        given = {"adjust": True, "random_state": 0, **given}
        aligned = align_labels({"labels_true": labels_true, **models}, LabelOptions(**treatment))
        if takes_long(aligned.labels[0], aligned.labels[1:]):
            level = None
    return compare(labels_true, models, kind=kind, confidence=level, **given)


def _evaluations(
    labels_true: Any,
    models: Mapping[str, Any],
    confidence: float,
    treatment: Mapping[str, Any],
    options: Mapping[str, Any],
    kind: Literal["classification", "multilabel"] = "classification",
) -> dict[str, ClassifierEvaluation]:
    """Judge each classifier by class, and its probabilities if there are any."""
    shared = {name: options[name] for name in _OF_EACH_CLASSIFIER if name in options}
    forecasts: dict[str, dict[str, Any]] = {
        option: {str(name): own for name, own in options[option].items()}
        for option in ("probabilities", "scores")
        if options.get(option) is not None
    }
    found = {}
    for name, labels in models.items():
        judged = evaluate(
            labels_true,
            labels,
            kind=kind,
            indices=_ON_THE_PAGE[kind],
            confidence=confidence,
            **{option: own[name] for option, own in forecasts.items()},
            **treatment,
            **shared,
        )
        assert isinstance(judged, ClassifierEvaluation)
        found[name] = judged
    return found


def internal_criteria(
    X: Any,
    models: Mapping[str, Any],
    indices: str | Iterable[str | Index] = "default",
    *,
    feature_names: Sequence[str] | None = None,
    features: Sequence[str] | None = None,
    standardize: bool = False,
    **options: Any,
) -> dict[str, Evaluation] | None:
    """Judge each clustering from the numeric columns of the data alone.

    Parameters
    ----------
    X : array-like of shape (n, p) or data frame
    models : mapping of str to array-like of shape (n,)
    indices : "default" or internal indices
    feature_names, features : sequence of str, optional
        Names of the columns, and which of them measure distances; default: all numeric ones without gaps.
    standardize : bool
        Bring them to mean 0 and standard deviation 1.
    **options
        As for :func:`adjudge.evaluate`.

    Returns
    -------
    dict of str to Evaluation, or None
        None if no column is numeric and without gaps.
    """
    n = len(next(iter(models.values())))
    _, values = read_features(X, feature_names, n, features).numeric()
    if values.shape[1] == 0:
        return None
    if standardize:
        spread = values.std(axis=0)
        values = (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    chosen: Any = _default_criteria(n) if is_default(indices) else indices
    treatment = {name: options[name] for name in ("missing", "noise", "noise_label") if name in options}
    if "drop" in treatment.values():
        # An instance that is left out for one model is left out for all.
        aligned = align_labels(models, LabelOptions(**treatment))
        models = dict(zip(models, aligned.labels, strict=True))
        if aligned.kept is not None:
            values = values[aligned.kept]
    return {
        model: evaluate(X=values, labels=labels, indices=chosen, **options)
        for model, labels in models.items()
    }


def _default_criteria(n: int) -> list[Index]:
    """Return the default criteria that n points allow on a page, the one that ranks the clusterings first."""
    found = default_indices(("internal",))
    if n > _PAIRS_UP_TO:
        found = [record for record in found if made_by_centroids(record.requires) == {*record.requires}]
    return sorted(found, key=lambda record: record.name != _LEADS)
