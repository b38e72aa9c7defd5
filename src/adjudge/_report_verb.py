"""The verb `report`: all of it on one page that a person can open, read and explore."""

from __future__ import annotations

import html
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from adjudge._compare import compare, named_models
from adjudge._report.build import Section, report_page
from adjudge._report.render import write_report
from adjudge.atomic import check_writable

__all__ = ["Report", "report"]


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
    images: Any = None,
    text: Sequence[str] | None = None,
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
    images : array-like of shape (n, height, width) or (n, height, width, channels), optional
        One picture an instance.
    text : sequence of str, optional
        One text an instance.
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
    """
    check_writable(output)
    named = named_models(models)
    comparison = compare(labels_true, named, kind=kind, **options)
    section = Section(
        title="Classifiers" if kind == "classification" else "Clusterings",
        comparison=comparison,
        labels_true=labels_true,
        models=named,
        X=X,
        feature_names=feature_names,
        images=images,
        text=text,
        note=note,
    )
    page = report_page(title, [section])
    return Report(write_report(page, output), page)
