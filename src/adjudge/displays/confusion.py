"""The confusion matrix of a classifier."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from adjudge.displays._display import Display
from adjudge.displays._given import check_made
from adjudge.displays._heat_map import HeatMap, Writer, count_writers
from adjudge.displays._makers import Maker, estimator_and_truth
from adjudge.errors import Argument, InputTypeError
from adjudge.presentation.numbers import share_text
from adjudge.results.by_class import ClassifierEvaluation, normalized
from adjudge.results.evaluations import Evaluations
from adjudge.statistics.confusion import Confusion

_SCALES = {
    "true": "share of the true class",
    "predicted": "share of the predicted class",
    "all": "share of all",
}
# What the matrix needs of `evaluate`.
_COUNTED: dict[str, Any] = {"indices": "accuracy", "kind": "classification"}


class ConfusionMatrixDisplay(Display):
    """True classes (rows) against predicted classes (columns), both in the order of the labels.

    Cells hold counts or shares; colours are shares. Empty cells are left blank.

    Parameters
    ----------
    confusion : Confusion
    name : str
        Name of the classifier.
    """

    def __init__(self, confusion: Confusion, *, name: str = "predicted") -> None:
        check_made("confusion", confusion, Confusion, "evaluate(kind='classification').confusion")
        self.confusion = confusion
        self.name = str(name)

    @classmethod
    def from_result(cls, result: ClassifierEvaluation, *, name: str = "predicted") -> Self:
        """Read the matrix that :func:`~adjudge.evaluate` counted.

        Parameters
        ----------
        result : ClassifierEvaluation
        name : str
            Name of the classifier.
        """
        if isinstance(result, Evaluations):
            first = next(iter(result.evaluations))
            raise InputTypeError(
                Argument("result"), f" holds several evaluations: give one, as result[{first!r}]"
            )
        check_made("result", result, ClassifierEvaluation, "evaluate(kind='classification')")
        return cls(result.known_confusion(), name=name)

    from_predictions = Maker("evaluate", "Count the matrix.", **_COUNTED)
    from_estimator = Maker(
        "evaluate",
        "Count the matrix of the truth and a fitted classifier's labels.",
        estimator_and_truth,
        **_COUNTED,
    )

    def _draw(
        self,
        ax: Any,
        size: float,
        *,
        normalize: Literal["true", "predicted", "all"] | None = None,
        mistakes: bool = False,
        cmap: Any = None,
        colorbar: bool = True,
    ) -> None:
        """Draw the matrix.

        Parameters
        ----------
        normalize : {"true", "predicted", "all"}, optional
            Write shares of the true class, of the predicted one, or of all instances, instead of counts. Colours are
            the same shares; with counts, those of the true class.
        mistakes : bool, default False
            Leave out the diagonal, so that the colours show differences between mistakes.
        cmap : str or Colormap, optional
            Colours of the shares.
        colorbar : bool, default True
            Draw the scale of the colours.
        """
        # Answers that name no class have columns alone.
        classes = list(self.confusion.classes)
        matrix = self.confusion.matrix[: len(classes)]
        shares = np.array(normalized(matrix, normalize or "true"), np.float64)
        if mistakes:
            matrix = matrix.copy()
            np.fill_diagonal(matrix, 0)
            np.fill_diagonal(shares, 0.0)
        writers = count_writers(matrix) if normalize is None else _share_writers(shares)
        labels = list(self.confusion.labels)
        title = "Confusion matrix" if self.name == "predicted" else f"Confusion matrix of {self.name}"
        HeatMap.of_shares(
            shares,
            cmap,
            rows=classes,
            columns=labels,
            labels=("true class", "predicted class"),
            title=title,
            scale=_SCALES[normalize or "true"] if colorbar else "",
            writers=writers,
        ).draw(ax, size)

    def describe(self) -> str:
        """Say in a sentence which classes are confused most often."""
        n = int(self.confusion.n)
        wrong = self.confusion.n - self.confusion.right.sum().item()
        if not wrong:
            return "no instance is misclassified"
        pairs = [f"{true} as {said} ({count:,})" for true, said, count in self.confusion.most_confused(3)]
        return (
            f"{share_text(int(wrong), n)} of the instances are misclassified, most often {', '.join(pairs)}"
        )


def _share_writers(shares: Any) -> list[Writer]:
    def whole(i: int, j: int) -> str | None:
        share = shares[i, j]
        if not share > 0:
            return None
        per_cent = round(100 * share)
        return "<1" if per_cent == 0 else ">99" if per_cent == 100 and share < 1 else f"{per_cent}"

    def full(i: int, j: int) -> str | None:
        text = whole(i, j)
        return None if text is None else f"{text} %"

    return [full, whole]
