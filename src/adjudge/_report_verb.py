"""The verb `report`: all of it on one page that a person can open, read and explore."""

from __future__ import annotations

import html
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from adjudge._compare import compare, named_models
from adjudge._evaluate import evaluate
from adjudge._report.build import Section, report_page
from adjudge._report.features import read_features
from adjudge._report.render import write_report
from adjudge.atomic import check_writable
from adjudge.results import Evaluation

if TYPE_CHECKING:
    from adjudge.choice_results import KChoice

__all__ = ["Report", "internal_criteria", "report"]

# Criteria that a report shows unless others are asked for; beyond so many instances, only those that need no pass
# over all pairs of points.
_SCATTER_CRITERIA = ("calinski_harabasz", "davies_bouldin", "wemmert_gancarski")
_PAIR_CRITERIA = ("silhouette", "dunn", "xie_beni")
_PAIRS_UP_TO = 20_000


@dataclass(frozen=True, eq=False)
class Report(os.PathLike[str]):
    """A report that was written.

    Attributes
    ----------
    path : Path
        The HTML file.
    page : dict
        What is on it, as plain JSON.
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
            'style="width: 100%; height: 48rem; border: 1px solid #8886"></iframe>'
        )


def report(
    labels_true: Any,
    models: Any,
    *,
    kind: Literal["clustering", "classification"],
    X: Any = None,
    feature_names: Sequence[str] | None = None,
    embedding: Any = None,
    images: Any = None,
    text: Sequence[str] | None = None,
    criteria: Iterable[str] | Literal["default"] | None = "default",
    k_choice: KChoice | None = None,
    confidence: float = 0.95,
    title: str = "Which model is right where?",
    note: str = "",
    output: str | Path = "adjudge-report.html",
    **options: Any,
) -> Report:
    """Compare models and write the comparison, with the instances behind it, to one HTML file.

    Parameters
    ----------
    labels_true : array-like of shape (n,)
        The truth.
    models : mapping of str to array-like of shape (n,), or data frame
        Labels by each model; the columns of a data frame are models.
    kind : {"clustering", "classification"}
    X : array-like of shape (n, p) or data frame, optional
        The instances' features.
    feature_names : sequence of str, optional
        Names of the features; default the columns of `X`.
    embedding : array-like of shape (n, 2), optional
        Places on the map; default the first two principal components of `X`.
    images : array-like of shape (n, height, width) or (n, height, width, channels), or sequence of paths, optional
        One picture an instance: pixels, or PNG, JPEG, GIF or WebP files (or their bytes), which the page holds as
        they are.
    text : sequence of str, optional
        One text an instance.
    k_choice : KChoice, optional
        What :func:`adjudge.choose_k` says about the number of clusters.
    confidence : float, default 0.95
        Of the intervals.
    criteria : "default", names of internal indices, or None
        How clusterings are judged from `X` alone.
    title : str
        Title of the page.
    note : str
        A sentence on where the data and the models come from.
    output : path-like, default "adjudge-report.html"
        The file; an existing one is replaced in one step.
    **options
        As for :func:`adjudge.compare`.

    Returns
    -------
    Report
        Path-like; shown as the page in a notebook.

    Raises
    ------
    InputError
        For inputs that cannot be used.
    MissingExtraError
        Where the extra "report" is not installed.

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
    check_writable(output)
    named = named_models(models)
    comparison = compare(labels_true, named, kind=kind, **options)
    internal = None
    if kind == "clustering" and X is not None and criteria is not None:
        treatment = {name: options[name] for name in ("missing", "noise", "noise_label") if name in options}
        internal = internal_criteria(X, named, criteria, **treatment)
    section = Section(
        title="Classifiers" if kind == "classification" else "Clusterings",
        comparison=comparison,
        labels_true=labels_true,
        models=named,
        X=X,
        feature_names=feature_names,
        embedding=embedding,
        images=images,
        text=text,
        internal=internal,
        k_choice=k_choice,
        confidence=confidence,
        note=note,
    )
    page = report_page(title, [section])
    return Report(write_report(page, output), page)


def internal_criteria(
    X: Any,
    models: Mapping[str, Any],
    criteria: Iterable[str] | Literal["default"] = "default",
    **options: Any,
) -> dict[str, Evaluation] | None:
    """Judge each clustering from the numeric columns of the data alone.

    Parameters
    ----------
    X : array-like of shape (n, p) or data frame
    models : mapping of str to array-like of shape (n,)
    criteria : "default" or names of internal indices
    **options
        As for :func:`adjudge.evaluate`.

    Returns
    -------
    dict of str to Evaluation, or None
        None where no column is numeric and without gaps.
    """
    n = len(next(iter(models.values())))
    _, values = read_features(X, None, n).numeric()
    if values.shape[1] == 0:
        return None
    names: tuple[str, ...] = tuple(criteria)
    if criteria == "default":
        names = _SCATTER_CRITERIA if n > _PAIRS_UP_TO else (*_PAIR_CRITERIA, *_SCATTER_CRITERIA)
    return {
        model: evaluate(X=values, labels=labels, indices=names, **options) for model, labels in models.items()
    }
