"""The verb `report`: everything on one page to open, read and explore."""

from __future__ import annotations

import html
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from adjudge._report.build import report_page
from adjudge._report.notebook import page_widget
from adjudge._report.pages import PAGES
from adjudge._report.render import write_report
from adjudge._report.section import AS_GIVEN, Changes, Section
from adjudge.atomic import check_outputs, check_page
from adjudge.errors import Argument, Call, InputError, InputTypeError, Option, a_type
from adjudge.given.alignment import check_same_order
from adjudge.given.arrays import taking_arrays
from adjudge.given.data_frames import named_models
from adjudge.given.label_options import LabelOptions
from adjudge.given.label_sets import LabelSets
from adjudge.given.labels import Column, code_labels
from adjudge.given.option_groups import Classifier, classifiers_by_name
from adjudge.given.options import check_choice, given_names
from adjudge.given.points import DataMatrix
from adjudge.given.scaling import as_scaling
from adjudge.indices.record import Index
from adjudge.inference.clusters.cluster_tests import ClustersTest
from adjudge.kinds.class_notices import about_derived_labels
from adjudge.kinds.model_forecasts import by_model, likeliest_labels
from adjudge.kinds.request import NAMES_OF_KINDS
from adjudge.kinds.which_kind import kind_of_models
from adjudge.presentation.numbers import listed
from adjudge.results import Choice, Evaluation, Evaluations, KChoice
from adjudge.results.benchmark import Benchmark
from adjudge.results.gate import Gate
from adjudge.results.notice import Notice
from adjudge.statistics.agreement import UNITS
from adjudge.tables.annotated import AnnotatedRows
from adjudge.tables.columns import called_columns
from adjudge.tables.compared_columns import ComparedColumns, ReadModels
from adjudge.tables.frames import Engine
from adjudge.tables.shown_columns import ShownColumns, features_are
from adjudge.tables.source import is_a_file, open_given
from adjudge.unknown_names import check_known, checked_call, naming_what_judges_numbers
from adjudge.verbs.compare import compare
from adjudge.verbs.report_against import (
    Judged,
    changes_of_evaluation,
    changes_of_section,
    with_earlier_model,
)
from adjudge.verbs.report_sections import (
    ShownIndices,
    given_models,
    judged_section,
    label_sets_section,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "Report",
    "report",
]

KindOfPage = Literal["clustering", "classification", "multilabel"]


@dataclass(frozen=True)
class Report(os.PathLike[str]):
    """A written report.

    Attributes
    ----------
    path : Path
        The HTML file.
    page : dict
        Its contents, as plain JSON.
    warnings : tuple of Notice
        What a reader of a table should know: which columns are features, what may be missing.
    """

    path: Path
    page: dict[str, Any] = field(hash=False)
    warnings: tuple[Notice, ...] = field(default=(), hash=False)

    def __fspath__(self) -> str:
        return str(self.path)

    def __repr__(self) -> str:
        return f"Report({str(self.path)!r})"

    def open(self) -> None:
        """Show the page in the web browser."""
        import webbrowser

        webbrowser.open(self.path.resolve().as_uri())

    @cached_property
    def widget(self) -> Any:
        """The page as an anywidget, where outputs of a notebook may run scripts: ``made.widget`` shows it.

        Needs the extra "notebook". Its filters set :attr:`selected`.
        """
        return page_widget(self.path.read_text(encoding="utf-8"))

    @property
    def selected(self) -> NDArray[np.int64]:
        """Row numbers, counted from 0, of the instances that :attr:`widget` lists, in the order of its table.

        Raises
        ------
        InputError
            If the widget has not been shown, or the page has no instances.
        """
        import numpy as np

        rows = vars(self)["widget"].selected if "widget" in vars(self) else None
        if rows is None:
            raise InputError("no instances are selected: show the page with .widget in a notebook first")
        return np.frombuffer(rows, "<u4").astype(np.int64)

    def _repr_html_(self) -> str:
        # Jupyter shows no frames of a notebook that it does not trust, such as one from somebody else.
        where = html.escape(f"The page is the file {self.path}. A notebook shows it here if it is trusted.")
        content = html.escape(self.path.read_text(encoding="utf-8"), quote=True)
        return (
            f'<iframe srcdoc="{content}" sandbox="allow-scripts allow-downloads" title="adjudge report" '
            'style="display: block; box-sizing: border-box; width: 100%; height: 48rem; border: 1px solid #8886">'
            f"</iframe><p>{where}</p>"
        )


@checked_call
@naming_what_judges_numbers("probabilities")
@taking_arrays
def report(
    labels_true: Any = None,
    models: Any = None,
    *,
    kind: KindOfPage | None = None,
    X: Any = None,
    feature_names: Sequence[str] | None = None,
    features: Sequence[str] | None = None,
    standardize: bool | Literal["standard", "robust", "log"] = False,
    embedding: Any = None,
    images: Any = None,
    text: Sequence[str] | None = None,
    indices: str | Index | Iterable[str | Index] | None = "default",
    k_choice: KChoice | Sequence[int] | None = None,
    benchmark: Benchmark | None = None,
    choice: Choice | None = None,
    clusters_test: ClustersTest | None = None,
    gate: Gate | None = None,
    evaluation: Evaluation | Evaluations | None = None,
    against: Any = None,
    confidence: float = 0.95,
    title: str | None = None,
    note: str = "",
    output: str | Path = "adjudge-report.html",
    truth: str | None = None,
    **options: Any,
) -> Report:
    """Compare models and write the comparison, with the instances behind it, to one HTML file.

    Without the truth, clusterings are judged from `X` alone.

    Parameters
    ----------
    labels_true : array-like of shape (n,), data frame or path, optional
        The truth. Or a table whose columns `truth`, `models` and the options of :func:`adjudge.compare` name; `text`
        may be the name of a column, too, and the columns that are named nowhere are `X`.
    truth : str, optional
        With a table: the column with the true labels.
    models : mapping of str to array-like of shape (n,), or data frame
        Each model's labels; the columns of a data frame are models. Default, without the truth and with `k_choice`:
        the recommended partition; for classifiers with `probabilities`: their likeliest classes.
    kind : {"clustering", "classification", "multilabel"}
        What the models are; default: clusterings without the truth, else as for :func:`adjudge.compare`. With
        "multilabel", instances may have several labels or none; the page then shows no columns of `X`.
    X : array-like of shape (n, p) or data frame, optional
        The instances' features, and other columns to show.
    feature_names : sequence of str, optional
        Column names; default those of `X`.
    features : sequence of str, optional
        The columns of `X` used for distances, on the map and in the criteria; default: all columns of numbers that
        neither look like identifiers or labels nor equal the labels.
    standardize : bool or {"standard", "robust", "log"}, default False
        Compute the criteria, and draw the map, on scaled columns: mean 0 and standard deviation 1 (True), median 0
        and interquartile range 1 ("robust"), or after taking logarithms of skewed columns ("log").
    embedding : array-like of shape (n, 2), optional
        Positions on the map; default: the first two principal components of `X`.
    images : array-like of shape (n, height, width) or (n, height, width, channels), or sequence of paths, optional
        One picture per instance: pixels, or PNG, JPEG, GIF or WebP files (or their bytes), which are embedded
        unchanged. With a table: the column with their files, as seen from the folder of the table.
    text : sequence of str, optional
        One text per instance; with a table, the name of a column.
    indices : "default", "all", a name or record, or several, or None, default "default"
        Internal indices judge clusterings from `X` alone; all others score models against the truth.
        If no index of one kind is named, its defaults are shown; None leaves out the internal ones.
    k_choice : KChoice or sequence of int, optional
        The result of :func:`adjudge.choose_k`, or the numbers of clusters that it compares. Without models, and
        without a recommended number (or without `X`), the page says why and shows the criteria.
    benchmark : Benchmark, optional
        The result of :func:`adjudge.benchmark`, which makes a separate page, without labels.
    choice : Choice, optional
        The result of :func:`adjudge.choose`, which makes a separate page, without labels.
    clusters_test : ClustersTest, optional
        The result of :func:`adjudge.inference.clusters_test`, which makes a separate page, without labels.
    gate : Gate, optional
        The result of :func:`adjudge.gate`, which makes a separate page: where rows broke, the checks, and the rows.
    evaluation : Evaluation or Evaluations, optional
        The result of :func:`adjudge.evaluate`, which makes a separate page: the scores, with all that is known about
        them. It is the page of graphs, trees, overlapping and soft clusters.
    against : Evaluation, Evaluations, Comparison or Gate, or path, optional
        An earlier result, or the file in which it was saved: the page then says what has changed since. Models are
        those of the same name; a result of one model is that of every model. Saved with ``instances=True``, on
        the same instances in the same order, the changes have intervals, the instances that broke and were fixed are
        listed, and the model of a result of one model is shown as "before".
    confidence : float, default 0.95
        Level of the intervals. They are left out, and the page says so, if very many clusters would make them slow.
    title : str, optional
        Title of the page.
    note : str
        A sentence on where the data and the models come from.
    output : path-like, default "adjudge-report.html"
        The file. An earlier page is replaced atomically; any other file that is there is left alone, with an error.
    **options
        As for :func:`adjudge.compare`, including `probabilities`, `scores` and `groups` of classifiers. Scores of
        clusterings are corrected for chance unless ``adjust=False``, with seed 0 if that needs simulation.

    Returns
    -------
    Report
        Path-like; notebooks show the page itself.

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
    >>> made.page["sections"][0]["subject"]
    '2 classifiers on 4 instances, judged against 2 true classes'
    """
    check_known(options, _known_options(), "report()")
    _check_kind(kind, options.get("values"))
    pictures = images if isinstance(images, (list, tuple)) else ()
    paths = [own for own in (labels_true, X, against, *pictures) if isinstance(own, (str, os.PathLike))]
    check_outputs([("output", output)], paths)
    check_page(output)
    results = {
        "benchmark": benchmark,
        "choice": choice,
        "clusters_test": clusters_test,
        "gate": gate,
        "evaluation": evaluation,
    }
    alone = {name: value for name, value in results.items() if value is not None}
    if alone:
        given = {
            "labels_true": labels_true,
            "models": models,
            "X": X,
            "k_choice": k_choice,
            "truth": truth,
            **options,
        }
        return _of_result(alone, given, against, title, note, output)
    chosen = k_choice if isinstance(k_choice, KChoice) else None
    numbers = None if k_choice is None or isinstance(k_choice, KChoice) else k_choice
    if numbers is not None and not isinstance(numbers, (list, tuple, range)):
        raise InputTypeError(f"k_choice is {a_type(k_choice)}: give what ", Call("choose_k"), " returns")
    said, named_features, of_table = tuple[Notice, ...](), features, False
    if truth is not None or is_a_file(labels_true, models):
        if X is not None:
            shows = " are points beside a table: leave it out, its other columns are shown"
            raise InputError(Option("X"), shows)
        asked = {"truth": truth, "kind": kind, **options}
        shown = {"features": features, "text": text, "images": images}
        read, beside = _of_table(labels_true, models, asked, shown, needs_points=numbers is not None)
        labels_true, models, options = read.truth, read.models, read.options
        X, features, text, images = beside.X, beside.features, beside.text, beside.images
        kind, said, of_table = options.pop("kind", None), read.said + beside.said, True
    if numbers is not None and kind != "multilabel":
        chosen = _chosen(X, features, numbers, standardize)
    rows = {"X": X, "embedding": embedding, "text": text, **options}
    check_same_order({"labels_true": labels_true, "models": models, **rows})
    if kind == "multilabel":
        given = {
            "X": X,
            "embedding": embedding,
            "images": images,
            "text": text,
            "k_choice": k_choice,
            "against": against,
            "features": named_features,
        }
        section = label_sets_section(labels_true, models, given, indices, confidence, note, options)
        page = report_page(title or "Which model is right where?", [section])
        return Report(write_report(page, output), page)
    if isinstance(models, Mapping) and any(isinstance(own, Classifier) for own in models.values()):
        models, of_models = classifiers_by_name(
            models, [name for name, own in options.items() if own is not None]
        )
        options |= of_models
    for option in ("probabilities", "scores"):
        if options.get(option) is not None:
            options[option] = by_model(options[option], option)
    by_name = {} if models is None else named_models(models)
    if kind is None and labels_true is not None:
        kind = kind_of_models(labels_true, by_name, {**options, "indices": indices})
        said += _assumed(kind, truth) if of_table else ()
    indices_shown = ShownIndices.of(indices, kind)
    # A map alone does not need the columns that have gaps.
    is_map = kind == "classification" or (labels_true is not None and indices_shown.criteria is None)
    if of_table and is_map and named_features is None:
        features, said = _without_gaps(X, features, said)
    probabilities = options.get("probabilities")
    lacking = set(probabilities or ()) if models is None else {m for m, own in by_name.items() if own is None}
    likeliest: dict[str, Any] = {}
    if lacking and probabilities is not None and kind == "classification":
        without = {name: own for name, own in probabilities.items() if name in lacking}
        known = options.get("classes"), options.get("positive")
        weighs = options.get("sample_weight") is not None or options.get("counts") is not None
        gaps = LabelOptions(options.get("missing", "raise")).drops_missing or weighs
        likeliest = likeliest_labels(labels_true, without, *known, gaps=gaps)
        models = likeliest if models is None else {m: likeliest.get(m, own) for m, own in by_name.items()}
    if models is None and labels_true is None and chosen is not None and (chosen.k is None or X is None):
        if against is not None:
            raise InputError(Option("against"), " is of models: leave it out, or give them")
        return _page_of("k_choice", chosen, title, note, output)
    named = given_models(models, chosen, labels_true)
    earlier = None if against is None else Judged.of(against)
    if earlier is not None and probabilities is None and options.get("scores") is None:
        named = with_earlier_model(named, earlier, labels_true)
    scaling = as_scaling(standardize)
    section = Section(
        title="Classifiers" if kind == "classification" else "Clusterings",
        # Labels are encoded once, for the whole page.
        models={n: code_labels(own, n) for n, own in named.items()},
        labels_true=None if labels_true is None else code_labels(labels_true, "labels_true"),
        X=X,
        feature_names=feature_names,
        features=None if features is None else tuple(given_names("features", features)),
        embedding=embedding,
        images=images,
        text=text,
        k_choice=chosen,
        space=AS_GIVEN if scaling is None else _SPACES[scaling],
        scaling="standard" if kind == "classification" else scaling,
        note=note,
    )
    section = judged_section(section, kind, indices_shown, confidence, standardize, options)
    if (found := section.comparison) is not None:
        of_labels = about_derived_labels(found.models, likeliest)
        section = replace(section, comparison=replace(found, warnings=of_labels + found.warnings))
    if earlier is not None:
        section = replace(section, changes=changes_of_section(section, earlier, kind, options))
    if title is None:
        title = "How good are the clusters?" if section.comparison is None else "Which model is right where?"
    page = report_page(title, [section])
    return Report(write_report(page, output), page, said)


def _check_kind(kind: Any, values: Any) -> None:
    """Raise unless there is a page of models of this kind."""
    if values is None and (kind is None or kind in get_args(KindOfPage)):
        return
    if values is None and kind not in NAMES_OF_KINDS:
        check_choice("kind", kind, get_args(KindOfPage))
    are_compared = values is not None or kind in UNITS
    raise InputError(
        *((Option("kind", kind), " has") if values is None else (Option("values"), " have")),
        " no page of models: ",
        *((Call("compare"), " compares them, and ") if are_compared else ()),
        Option("evaluation"),
        " makes a page of what ",
        Call("evaluate"),
        " returns",
    )


def _of_table(
    given: Any, models: Any, asked: dict[str, Any], shown: dict[str, Any], *, needs_points: bool
) -> tuple[ReadModels, ShownColumns]:
    """Read the columns of a table: labels and what `compare` reads beside them, and what is shown with them."""
    table = open_given(given, "memory")
    if isinstance(table, Engine):
        raise InputError("a report shows the instances: collect the table first")
    if isinstance(table, AnnotatedRows) and shown["features"] is not None:
        raise InputError(
            Option("features"),
            " names no columns of obs, which a page shows: give labels from obs, and an entry of obsm as ",
            Option("X"),
        )
    truth = table.own_list if asked["truth"] is None else asked["truth"]
    if models is None and asked.get("probabilities") is None and (truth or not needs_points):
        raise InputError("the models are missing: name their columns with ", Option("models"))
    if truth is None:
        _check_needs_no_truth(asked)
    columns = ComparedColumns.of(table, models, needs_truth=False, **asked)
    with called_columns(columns.naming):
        read = columns.arguments(table)
    models = read.models and {name: _coded(own) for name, own in read.models.items()}
    read = replace(read, truth=read.truth and _coded(read.truth), models=models)
    return read, ShownColumns.read(table, columns, **shown, needs_points=needs_points)


def _coded(column: Column) -> Any:
    """Return coded labels; sets of labels unchanged."""
    return column.values if isinstance(column.values, LabelSets) else code_labels(column.values, column.name)


def _check_needs_no_truth(asked: Mapping[str, Any]) -> None:
    """Raise if models in a table would have to be judged against the truth."""
    of_classifiers = ("probabilities", "scores", "classes", "positive", "groups")
    given = [Option(name) for name in of_classifiers if asked.get(name) is not None]
    if asked["kind"] in ("classification", "multilabel"):
        given.append(Option("kind", asked["kind"]))
    if given:
        raise InputError(given[0], " needs the truth: name its column with ", Option("truth"))


def _without_gaps(
    X: Any, features: Sequence[str] | None, said: tuple[Notice, ...]
) -> tuple[Sequence[str] | None, tuple[Notice, ...]]:
    """Leave out features with gaps, which a map alone does not need, and say so."""
    import numpy as np

    gaps = [
        own for own in features or () if not (isinstance(X[own], np.ndarray) and np.isfinite(X[own]).all())
    ]
    if not gaps:
        return features, said
    has = "has" if len(gaps) == 1 else "have"
    why = f"the map leaves out {listed([*map(repr, gaps)])}, which {has} gaps"
    left = [name for name in features or () if name not in gaps]
    known = features_are(features or ())
    said = tuple(features_are(left) if own == known and left else own for own in said)
    return left or None, (*said, Notice("gaps-in-map", why, severity="info"))


def _assumed(kind: str, truth: Any) -> tuple[Notice, ...]:
    """Say that models count as classifiers because of their labels."""
    if kind != "classification":
        return ()
    why = "the models' labels are those of " + ("the truth" if truth is None else repr(truth))
    others = (Option("kind", "clustering"), " compares the groups whatever they are called")
    return (Notice("assumed-kind", why, ("assuming ", Option("kind", kind), "; ", *others), "info"),)


def _chosen(X: Any, features: Sequence[str] | None, k: Sequence[int], standardize: Any) -> KChoice:
    """Choose the number of clusters among the points that the page shows."""
    from adjudge.verbs.choose_k import choose_k

    if isinstance(X, Mapping) and features is not None:
        import numpy as np

        values = np.column_stack([X[name] for name in features])
        X, features = DataMatrix.checked(values, list(features)), None
    return choose_k(X, k=k, features=features, standardize=standardize)


_SPACES = {
    "standard": "the columns, standardised",
    "robust": "the columns, scaled by their quartiles",
    "log": "the columns, skewed ones as logarithms, standardised",
}


def _of_result(
    alone: Mapping[str, Any],
    given: Mapping[str, Any],
    against: Any,
    title: str | None,
    note: str,
    output: str | Path,
) -> Report:
    name, *more = alone
    result, page = alone[name], PAGES[name]
    if not isinstance(result, page.of):
        raise InputTypeError(Argument(name), f" is {a_type(result)}: give what {page.made_by} returns")
    excess = [*more, *(other for other, value in given.items() if value is not None)]
    if excess:
        raise InputError(Option(name), " makes a separate page: leave out ", Option(excess[0]))
    if against is not None and name != "evaluation":
        raise InputError(Option("against"), " is of models and their scores: leave it out of this page")
    changes = None if against is None else changes_of_evaluation(result, against)
    return _page_of(name, result, title, note, output, changes)


def _page_of(
    name: str, result: Any, title: str | None, note: str, output: str | Path, changes: Changes | None = None
) -> Report:
    """Write the page of a single result."""
    page = PAGES[name]
    section = Section(title=page.section, result=result, note=note, changes=changes)
    built = report_page(title or page.title, [section])
    return Report(write_report(built, output), built)


def _known_options() -> tuple[str, ...]:
    both = signature(report).parameters | signature(compare).parameters
    return tuple(name for name, parameter in both.items() if parameter.kind is not Parameter.VAR_KEYWORD)
