"""The options of the verbs that apply only to classifiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, Option
from adjudge.given.label_options import LabelOptions
from adjudge.given.options import given_names
from adjudge.given.probabilities import ScoreMatrix, as_class_scores

__all__ = ["ClassifierOptions"]


@dataclass(frozen=True)
class ClassifierOptions:
    """The options of `evaluate` that apply only to classifiers.

    Attributes
    ----------
    probabilities, scores : array-like of shape (n, C) or (n,), or data frame, optional
    classes : sequence, optional
    positive : object, optional
    groups : array-like of shape (n,), or mapping of names to such, optional
    prevalence : float, or mapping of object to float, optional
        How frequent classes are where the model will be used.
    costs : array-like of shape (n,), optional
        What a mistake on each row costs.
    """

    probabilities: Any = None
    scores: Any = None
    classes: Sequence[Any] | None = None
    positive: Any = None
    groups: Any = None
    prevalence: Any = None
    costs: Any = None

    def __post_init__(self) -> None:
        if self.probabilities is not None and self.scores is not None:
            raise InputError(
                Option("probabilities"), " and ", Option("scores"), " were given: give one of them"
            )
        if isinstance(self.classes, str):  # whose letters would be the classes
            given_names("classes", self.classes)

    @property
    def has_forecasts(self) -> bool:
        """Whether probabilities or scores were given."""
        return self.probabilities is not None or self.scores is not None

    @property
    def what(self) -> str | None:
        """What was given besides labels, in words."""
        named = {"probabilities": "a probability", "scores": "a score", "costs": "a cost"}
        return ", ".join(own for name, own in named.items() if getattr(self, name) is not None) or None

    def of_model(self, name: str) -> ClassifierOptions:
        """Return the options of one model, if those of forecasts are mappings by the names of models."""
        given = {option: getattr(self, option) for option in ("probabilities", "scores")}
        own = {option: None if by_name is None else by_name.get(name) for option, by_name in given.items()}
        return replace(self, **own)

    def for_model(self, name: str) -> ClassifierOptions:
        """Return the options of one model as those of several, by its name."""
        if not self.has_forecasts:
            return self
        given = {option: getattr(self, option) for option in ("probabilities", "scores")}
        own: dict[str, Any] = {n: None if one is None else {name: one} for n, one in given.items()}
        return replace(self, **own)

    def named(self) -> list[str]:
        """Return the names of the options that were given."""
        return [name for name, value in vars(self).items() if value is not None]

    def rows(self) -> dict[str, Any]:
        """Return the options that have one row per instance."""
        return {name: getattr(self, name) for name in ("probabilities", "scores", "groups", "costs")}

    def class_scores(self, truth: Any, *, gaps: bool = False) -> ScoreMatrix | None:
        """Check the probabilities or scores of instances with these true labels; with `gaps`, some may lack them."""
        given = self.scores if self.probabilities is None else self.probabilities
        if given is None:
            return None
        are_probabilities = self.probabilities is not None
        return as_class_scores(
            given, probabilities=are_probabilities, classes=self.classes, truth=truth, gaps=gaps
        )

    def marked(
        self, truth: Any, treatment: LabelOptions, vector: str, absent: NDArray[np.bool_] | None
    ) -> tuple[ClassifierOptions, Any]:
        """Read the probabilities or scores before the labels, to know which instances lack them.

        Parameters
        ----------
        truth : array-like of shape (n,)
        treatment : LabelOptions
            If it drops instances without a label in `vector`, those without a score are left out, too.
        vector : str
        absent : ndarray of bool of shape (n,), or None
            Instances that are left out whatever is known of them, such as those of weight 0.

        Returns
        -------
        options : ClassifierOptions
        missing : ndarray of bool of shape (n,), or None
            Which instances lack a score; None if none does, or if that is an error.
        """
        drops = treatment.missing_of(vector) == "drop"
        if not self.has_forecasts or not (drops or absent is not None):
            return self, None
        found = self.class_scores(truth, gaps=True)
        assert found is not None
        if not drops and absent is not None and absent.size == len(found):
            found.check_complete(np.flatnonzero(~absent))
        missing = found.missing if drops else None
        if self.scores is None:
            return replace(self, probabilities=found), missing
        return replace(self, scores=found), missing
