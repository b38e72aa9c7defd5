"""The verb `weak_slices` finds rows, by the values of one or two columns, in which a model is worse than elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from adjudge.choosing.weak_slices import MOST_TESTED, find_weak_slices
from adjudge.errors import InputError, Option
from adjudge.given.alignment import check_same_order
from adjudge.given.arrays import taking_arrays
from adjudge.given.data_frames import named_models
from adjudge.given.label_options import LabelOptions
from adjudge.given.options import (
    check_confidence,
    check_count,
    check_random_state,
    random_generator,
)
from adjudge.given.weights import Weighting
from adjudge.kinds.classifier_options import ClassifierOptions
from adjudge.kinds.given import Given
from adjudge.kinds.registry import kind_of_rows
from adjudge.kinds.sample import Sample
from adjudge.presentation.numbers import count
from adjudge.results.notice import Notice
from adjudge.results.weak_slices import WeakSlices
from adjudge.statistics.agreement import OF_NUMBERS
from adjudge.tables.columns import column_beside, numbers_or_texts
from adjudge.tables.names import column_names
from adjudge.tables.source import open_given, rows_of
from adjudge.unknown_names import checked_call, naming_what_judges_numbers
from adjudge.usual_seed import USUAL_SEED

__all__ = ["weak_slices"]


@checked_call
@naming_what_judges_numbers("kind")
@taking_arrays
def weak_slices(
    labels_true: Any,
    labels_pred: Any,
    table: Any,
    *,
    kind: Literal["classification", "regression"] | None = None,
    columns: str | Sequence[Any] | None = None,
    units: Any = None,
    smallest: int | None = None,
    most: int = MOST_TESTED,
    confidence: float = 0.95,
    random_state: Any = USUAL_SEED,
    missing: Literal["raise", "drop"] = "raise",
) -> WeakSlices:
    """Find slices of the rows, by one or two columns of a table, in which a model is worse than in all other rows.

    Slices are looked for in one half of the rows, and those that look worst tested on the other half, with Holm's
    correction: if the model is equally good everywhere, a slice is named in at most 5 % of the cases. Two columns
    define a slice only where, in the first half, it is clearly worse than the rest of the slice by either of them.

    Parameters
    ----------
    labels_true : array-like of shape (n,), or str
        The truth; or the column of `table` that has it.
    labels_pred : array-like of shape (n,), mapping of two names to such, or str or mapping of names to str
        What a model says. Of two models, such as ``{"old": ..., "new": ...}``, slices are found in which the second
        is worse than the first by more than elsewhere.
    table : data frame of n rows, or path of a file; the rows of a lazy frame are read
        The columns that define slices: each value of a column of texts or of few numbers or dates, else ranges between
        quintiles.
    kind : {"classification", "regression"}, optional
        Whether a row is right or wrong (the default), or off by a number.
    columns : str or sequence of str, optional
        The columns to slice by, or patterns such as ``"plan_*"``; default: all that have no other role, and neither
        repeat labels or units nor look like a model's probabilities, by a model or class in the name or as shares that
        add up to 1.
    units : array-like of shape (n,), or str, optional
        The sampling unit of each row; see :func:`adjudge.compare`. Units are not torn apart.
    smallest : int, optional
        Fewest rows of a slice, or units, in each half; default: 1 % of those of a half, and at least 20.
    most : int, default 10
        How many slices are tested.
    confidence : float, default 0.95
        Of the intervals; 1 less the chance of naming any slice if there is none.
    random_state : int, Generator, SeedSequence or None, default 0
        How rows are halved. Of very many rows, slices are looked for in 200,000.
    missing : {"raise", "drop"}, default "raise"
        Whether a row without a label, a number or a unit is an error, or left out. One with a gap in a column stays.

    Returns
    -------
    WeakSlices
        ``.slices`` are those that are worse; ``.rows(words)`` are positions. It prints as a table of all that were
        tested.

    Raises
    ------
    InputError
        If rows do not match, or are too few.

    References
    ----------
    Cox (1975), A note on data-splitting for the evaluation of significance levels, Biometrika 62, 441-444.
    Holm (1979), A simple sequentially rejective multiple test procedure. Chung, Kraska, Polyzotis, Tae & Whang (2019),
    Slice Finder, ICDE, for slices by literals.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from adjudge import weak_slices
    >>> rng = np.random.default_rng(0)
    >>> region, device = rng.choice(["north", "south"], 4000), rng.choice(["phone", "tablet", "desk"], 4000)
    >>> frame = pd.DataFrame({"age": rng.integers(18, 90, 4000), "region": region, "device": device})
    >>> truth = rng.integers(0, 2, 4000)
    >>> hard = (region == "north") & (device == "tablet")
    >>> said = np.where(rng.random(4000) < np.where(hard, 0.3, 0.1), 1 - truth, truth)
    >>> found = weak_slices(truth, said, frame)
    >>> worst = found.slices[0]
    >>> worst.words, f"{worst.inside:.2f} against {worst.outside:.2f}", found.rows(worst.words).size
    ('region = north and device = tablet', '0.29 against 0.10', 666)
    """
    check_confidence(confidence)
    check_count("most", most)
    check_random_state(random_state)
    if smallest is not None:
        check_count("smallest", smallest)
    given_table = open_given(table)
    opened = rows_of(given_table, given_table.names if columns is None else ())
    taken: list[Any] = []

    def column_of(given: Any) -> Any:
        if not isinstance(given, str):
            return given
        taken.append(opened.own(given))
        return opened.numbers(given).to_numpy() if kind in OF_NUMBERS else column_beside(opened, given)

    truth, units_of = column_of(labels_true), None if units is None else column_of(units)
    several = isinstance(labels_pred, Mapping) or hasattr(labels_pred, "columns")
    said = named_models(labels_pred) if several else {"labels_pred": labels_pred}
    if several and len(said) != 2:
        raise InputError(
            f"slices compare two models, the old one first, and there are {len(said)}: give two, or one"
        )
    models = {name: column_of(own) for name, own in said.items()}
    check_same_order({"labels_true": truth, **models, "units": units_of, "table": table})
    given = Given(truth, models, ClassifierOptions(), Weighting(units=units_of), LabelOptions(missing))
    cases = kind_of_rows(kind).read(given)
    first = next(iter(cases.values()))
    names = [name for name in opened.names if name not in taken]
    if columns is not None:
        names = opened.coordinates(column_names("columns", columns), taken)
    if not names:
        raise InputError(Option("columns"), " is empty: name at least one column to slice by")
    rows = first.pairs(cases).rows
    assert rows is not None
    found = find_weak_slices(
        rows,
        list(cases),
        numbers_or_texts(opened, names),
        random_generator(random_state),
        are_named=columns is not None,
        labels_from=[own for own in said.values() if isinstance(own, str)],
        smallest=smallest,
        most=most,
        confidence=confidence,
    )
    return replace(found, warnings=(*_left_out(first.sample), *found.warnings))


def _left_out(sample: Sample) -> tuple[Notice, ...]:
    """Say how many rows lack a label, a number or a unit."""
    n = sample.rows.n_given - sample.n_rows
    what = f"{count(n, 'row')} without a label, a number or a unit {'is' if n == 1 else 'are'} left out"
    return (Notice("rows-left-out", what),) if n else ()
