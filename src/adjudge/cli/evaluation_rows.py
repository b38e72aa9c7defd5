"""What `adjudge evaluate` reads from the columns of a file, in the form that the library judges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from adjudge.cli.options import WeightFlags
from adjudge.cli.output import share_done, show_work

if TYPE_CHECKING:
    from adjudge.given.weights import Weighting
    from adjudge.kinds.classifier_options import ClassifierOptions
    from adjudge.kinds.given import Given
    from adjudge.kinds.request import EvaluationRequest
    from adjudge.results import Evaluation
    from adjudge.results.notice import Notice

__all__ = ["Rows", "judged_rows"]


@dataclass(frozen=True)
class Rows:
    """The judged columns as read from the file, in the form that `evaluate` takes.

    Attributes
    ----------
    truth : str or None
        The column with the truth.
    called : str
        The name of the truth in error messages.
    models : dict of str to Model
    n_given : int or None
        The number of rows, if some may be left out.
    """

    truth: str | None
    called: str
    models: dict[str, Model]
    n_given: int | None = None


@dataclass(frozen=True)
class Model:
    """One column, or the probabilities of one classifier, with the request for it."""

    request: EvaluationRequest
    labels_true: Any
    labels_pred: Any
    weighting: Weighting
    options: ClassifierOptions | None = None
    called: str = ""
    structures: Mapping[str, Any] = field(default_factory=dict)

    @property
    def what(self) -> str | None:
        """What it has besides labels, in words."""
        return None if self.options is None else self.options.what

    @property
    def given(self) -> Given:
        """What is judged, as a kind reads it."""
        from adjudge.kinds.given import MODEL, Given

        return Given(
            self.labels_true,
            {MODEL: self.labels_pred},
            **({} if self.options is None else {"options": self.options}),
            weighting=self.weighting,
            treatment=self.request.labels,
            structures=self.structures,
        )


def judged_rows(
    rows: Rows, weights: WeightFlags, names: dict[str, str]
) -> tuple[dict[str, Evaluation], str | None]:
    """Judge what was read; put the names of the columns into `names`, for error messages."""
    from adjudge.kinds.registry import kind_at_sight
    from adjudge.results.label_notices import rows_left_out
    from adjudge.verbs import evaluated

    names |= {"labels_true": rows.called, "sample_weight": f"column {weights.weight!r}"}
    results = {}
    for name, own in rows.models.items():
        names["labels_pred"] = own.called
        with show_work(f"Judging {name}") as update:
            request = replace(own.request, progress=share_done(update, f"Judging {name}"))
            given = own.given
            kind = kind_at_sight(request, given)
            if kind is not None and given.truth is None:  # a structure judges the labels
                given = replace(given, models={}, labels=given.pred)
            found = evaluated.evaluated(request, given, kind)
        said: tuple[Notice, ...] = ()
        if rows.n_given is not None and own.request.labels.drops:
            said = rows_left_out(found.n, rows.n_given, own.request.labels, own.what)
        results[name] = replace(found, warnings=found.warnings + said)
    return results, rows.truth
