"""Several labels per instance on the command line: all in one cell, or one column per label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from adjudge.cli.classifier_flags import ClassifierFlags, by_model, model_and_pattern, named_by, starred
from adjudge.cli.options import WeightFlags, split_list
from adjudge.cli.output import tell
from adjudge.errors import InputError
from adjudge.presentation.numbers import count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from adjudge.cli.columns import Source
    from adjudge.given.label_scores import LabelScores
    from adjudge.given.label_sets import LabelSets
    from adjudge.given.labels import Column
    from adjudge.given.weights import Weighting

__all__ = ["LabelSetFlags", "SetTable"]

_EQUAL = WeightFlags()
# Signs that often separate labels, besides the default one.
_OTHER_SIGNS = ("|", ",")


@dataclass(frozen=True)
class LabelSetFlags:
    """How several labels per row are written."""

    heading: ClassVar[str] = "Classifiers"

    delimiter: str | None = None

    @property
    def sign(self) -> str:
        """What separates the labels in a cell."""
        return ";" if self.delimiter is None else self.delimiter

    def refuse(self) -> None:
        """Raise if a delimiter was given although each cell holds one label."""
        if self.delimiter is not None:
            raise InputError(
                "--delimiter separates the labels in a cell: pass --kind multilabel, or leave it out"
            )


@dataclass(frozen=True, eq=False)
class SetTable:
    """The labels of each row: the true ones, and those of each model.

    Attributes
    ----------
    truth : str
        The name of the truth.
    labels_true : LabelSets
    models : dict of str to LabelSets
        Empty if the labels follow from probabilities.
    probabilities : dict of str to LabelScores
    classes : list of str or None
    weights : ndarray or None
    units : Column or None
        The unit of each row.
    """

    truth: str
    labels_true: LabelSets
    models: dict[str, LabelSets]
    probabilities: dict[str, LabelScores]
    classes: list[str] | None
    weights: Any
    units: Any = None

    @classmethod
    def read(
        cls,
        source: Source,
        truth: str,
        judged: Sequence[str],
        classifier: ClassifierFlags,
        flags: LabelSetFlags,
        drawn: WeightFlags = _EQUAL,
    ) -> SetTable:
        """Read the labels of all rows into memory."""
        from adjudge.cli.options import Engine

        if source.engine is Engine.duckdb:
            raise InputError("--engine duckdb counts single labels: leave it out for --kind multilabel")
        refused = [name for name in classifier.named if name in ("--positive", "--by")]
        if refused:
            raise InputError(f"{refused[0]} is not an option for --kind multilabel: leave it out")
        classes = split_list(classifier.classes) or None
        signs: Counter[str] = Counter()
        sets = {given: _sets(source, given, flags.sign, signs) for given in (truth, *judged)}
        if flags.delimiter is None:
            _tell_other_sign(signs)
        names = [named_by(given) for given in judged]
        weights = None if drawn.weight is None else source.table.points([source.column(drawn.weight)])[:, 0]
        forecasts = _forecasts(source, source.names(classifier.patterns), names, weights)
        units = None if drawn.units is None else _units(source, source.column(drawn.units))
        models = {name: sets[given] for name, given in zip(names, judged, strict=True)}
        return cls(truth, sets[truth], models, forecasts, classes, weights, units)

    @property
    def names(self) -> list[str]:
        """The names of the models."""
        return list(self.models or self.probabilities)

    def weighting(self, meaning: str | None) -> Weighting:
        """Return how much each row counts."""
        from adjudge.given.weights import Weighting

        return Weighting(None, self.weights, meaning, self.units)

    @property
    def options(self) -> dict[str, Any]:
        """Options of :func:`adjudge.compare` besides the labels."""
        given = {"probabilities": self.probabilities or None, "classes": self.classes}
        return {name: value for name, value in given.items() if value is not None}


def _units(source: Source, name: str) -> Column:
    from adjudge.given.labels import Column

    (column,) = source.table.label_columns([name])
    return Column(f"column {name!r}", column.labels(), name)


def _sets(source: Source, given: str, sign: str, signs: Counter[str]) -> LabelSets:
    """Read one column whose cells hold labels, or several columns of 0 and 1; count the cells with each sign."""
    import numpy as np

    from adjudge.cli.label_table import tell_words
    from adjudge.given.label_sets import LabelSets, read_label_sets
    from adjudge.given.written_numbers import NOT_AVAILABLE

    columns, labels = starred(given, source, (), "the pattern", "label")
    if labels is not None:
        name = f"the pattern {given!r}"
        return read_label_sets({name: source.table.points(columns)}, labels)[name]
    (column,) = source.table.label_columns(columns)
    cells = column.label_lists()
    if cells is None:
        texts = ["" if cell is None else str(cell) for cell in column.as_text()]
        signs.update(own for text in texts for own in (sign, *_OTHER_SIGNS) if own in text)
        cells = [_split(text, sign) for text in texts]
    words = Counter(word for labels in cells for word in NOT_AVAILABLE.intersection(labels))
    tell_words(given, words, "leave it out of the cells")
    if not any(cells):  # the set of labels comes from the other columns
        return LabelSets(np.empty(0, np.int64), len(cells), [])
    return read_label_sets({f"column {given!r}": cells})[f"column {given!r}"]


def _tell_other_sign(signs: Counter[str]) -> None:
    """Say that cells hold another sign than the default one, which no cell holds."""
    other, n = max(((own, signs[own]) for own in _OTHER_SIGNS), key=lambda own: own[1])
    if n > 1 and not signs[LabelSetFlags().sign]:
        tell(
            f"no cell has {LabelSetFlags().sign!r} between labels, but {count(n, 'cell')} have {other!r}: "
            f"if it separates labels, pass --delimiter {other!r}"
        )


def _split(cell: str, sign: str) -> list[str]:
    return [label.strip() for label in cell.split(sign) if label.strip()]


def _forecasts(
    source: Source, patterns: Sequence[str], models: Sequence[str], weights: NDArray[Any] | None
) -> dict[str, LabelScores]:
    """Read each model's probabilities; without labels, the patterns name the models."""
    from adjudge.given.label_scores import read_label_scores
    from adjudge.given.weights import Weighting

    absent = Weighting(sample_weight=weights).absent
    if models:
        named = [model_and_pattern(own, models, source.table.columns) for own in patterns]
        of_each = by_model(named, models)
    else:
        of_each = {named_by(own): own for own in patterns}
    found = {}
    for name, pattern in of_each.items():
        columns, labels = starred(pattern, source, (), "--probabilities", "label")
        if labels is None:
            raise InputError(f"--probabilities {pattern!r} is one column: give a pattern such as 'p_*'")
        values = source.table.points(columns, gaps=absent is not None)
        scores = read_label_scores(values, probabilities=True, absent=absent)
        found[name] = replace(scores, labels=labels)
    return found
