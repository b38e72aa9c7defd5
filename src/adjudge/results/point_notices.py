"""Notices about the columns of points: ids and labels among them, different units, far points, lacking axes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from adjudge.array_types import Floats, Ints
from adjudge.errors import Option, Scaler
from adjudge.given.identifiers import LOOKS_LIKE
from adjudge.given.points import LIKE_DISTANCES, ColumnsLeftOut, DataMatrix
from adjudge.given.scaling import apart_in_scale, column_moments, skewed_columns, some_rows
from adjudge.indices.record import Index
from adjudge.indices.scatter import ON_SPANNED
from adjudge.presentation.numbers import listed, named_few, out_of, shortened, show_number
from adjudge.results.notice import Notice
from adjudge.statistics.moments import Scatter

#: What to do if the points are distances.
IF_DISTANCES = ("if they are distances, pass ", Option("metric", "precomputed"))

_CODES = {
    "identifiers": "identifiers-as-coordinates",
    "output": "models-output-as-coordinates",
    "labels": "labels-as-coordinates",
    "copy": "labels-as-coordinates",
    "constant": "constant-coordinates",
    "text": "text-as-coordinates",
}
_WHY = {kind: (f"looks like {one}", f"look like {several}") for kind, (one, several) in LOOKS_LIKE.items()}
_WHY["constant"] = ("has one value only", "have one value only")
_WHY["text"] = ("holds no numbers", "hold no numbers")


def why_left_out(columns: ColumnsLeftOut) -> str:
    """Say why columns are no coordinates: "'id' looks like an identifier"."""
    named = listed([repr(name) if name.strip() else "the column without a name" for name in columns.names])
    if columns.why == "copy":
        what = {"labels_true": "the truth", "labels_pred": "the labels", "labels": "the labels"}
        what["units"] = "the units"
        return f"{named} equals {what.get(str(columns.label), f'the labels {columns.label!r}')}"
    one, several = _WHY[columns.why]
    return f"{named} {one if len(columns.names) == 1 else several}"


def points_without(n_gaps: int, n: int) -> Notice:
    """Say how many points are left out for their gaps."""
    are = "is" if n_gaps == 1 else "are"
    message = f"{out_of(n_gaps, n, 'point')} {are} left out, with a gap among the coordinates"
    return Notice("points-left-out", message, severity="info")


def _left_out(columns: ColumnsLeftOut, has_features: bool) -> Notice:
    is_one = len(columns.names) == 1
    message = f"{why_left_out(columns)}, so {'it is' if is_one else 'they are'} left out of the coordinates"
    them = "it" if is_one else "them"
    remedy: Any = f"pass X.to_numpy() as X to include {them}"
    if has_features:
        remedy = Option("features"), f" can include {them}"
    if columns.why == "text":
        remedy = f"encode {them} as numbers to include {them}"
    return Notice(_CODES[columns.why], message, remedy, "info")


def _notice_of_dummies(points: DataMatrix, weights: Ints | Floats | None) -> Notice | None:
    """Say that the columns of one category outweigh all others in distances."""
    names = [*map(str, points.columns or ())]
    values, weights = some_rows(points.values, weights)
    high, low = values.max(axis=0), values.min(axis=0)
    binary = np.flatnonzero((low < high) & ((values == low) | (values == high)).all(axis=0))
    by_stem: dict[str, list[int]] = {}
    for j in binary.tolist():
        by_stem.setdefault(_stem_of(names[j]), []).append(j)
    spread = column_moments(values, weights)[1] ** 2
    for stem, own in by_stem.items():
        is_one_hot = len(own) > 2 and ((values[:, own] == high[own]).sum(axis=1) == 1).all()
        share = spread[own].sum() / spread.sum()
        if is_one_hot and share > 0.5 and len(own) < len(names):
            return Notice(
                "dummies-outweigh",
                f"the {len(own)} columns of {stem!r}, of which one is 1 in each row, make {100 * share:.0f} % of the "
                "squared distances, so clusters are mostly its values",
                "leave them out, divide them by a constant, or give distances for mixed columns, such as Gower's",
            )
    return None


def _stem_of(name: str) -> str:
    """Return a name up to its last separator: city of city_Rome."""
    found = re.match(r"(.+?)[\W_][^\W_]*$", name)
    return found[1] if found else ""


def notices_of_columns(
    points: DataMatrix,
    *,
    remedy: Any = IF_DISTANCES,
    of_file: bool = False,
    has_features: bool = True,
    weights: Ints | Floats | None = None,
) -> tuple[Notice, ...]:
    """Say what distances between points measure, if that is hardly what was intended.

    Parameters
    ----------
    points : DataMatrix
        Without named columns there is only to say whether they look like distances.
    remedy : str or piece of a message, or several
        What to do if the points are distances.
    of_file : bool
        Whether the user gave the path of a table, and no columns.
    has_features : bool
        Whether the caller has an option that names columns.
    weights : ndarray of shape (n,), optional
        How much each point counts.
    """
    notices = [Notice("distances-as-points", LIKE_DISTANCES, remedy)] if points.look_like_distances else []
    if points.columns is None:
        return tuple(notices)
    notices += notices_of_use(points.columns, points.left_out, of_file=of_file, has_features=has_features)
    if (dummies := _notice_of_dummies(points, weights)) is not None:
        notices.append(dummies)
    if (apart := apart_in_scale(points, weights)) is not None:
        wide, most, narrow, least = apart
        notices.append(
            Notice(
                "scales-far-apart",
                f"the columns differ in scale: the standard deviation of {wide!r} is {show_number(most)}, that of "
                f"{narrow!r} {show_number(least)}, so distances are mostly those of {wide!r}",
                ("bring them to one scale with ", Scaler("standard")),
            )
        )
    if skewed := skewed_columns(points, weights):
        is_one = len(skewed) == 1
        notices.append(
            Notice(
                "skewed-columns",
                f"a few points have very large values of {named_few([*map(repr, skewed)])}, which make most of "
                f"{'its' if is_one else 'their'} variance",
                ("take logarithms, as ", Scaler("log"), " does, or use ", Scaler("robust")),
                "info",
            )
        )
    return tuple(notices)


def notices_of_use(
    columns: Sequence[Any] | None,
    left_out: Sequence[ColumnsLeftOut],
    *,
    of_file: bool,
    has_features: bool = True,
) -> tuple[Notice, ...]:
    """Say which columns are coordinates, if nobody named them, and why others are not.

    Parameters
    ----------
    columns : sequence of str or None
        The coordinates.
    left_out : sequence of ColumnsLeftOut
    of_file, has_features : bool
        As for `notices_of_columns`.
    """
    notices = [_left_out(own, has_features) for own in left_out]
    if of_file and columns is not None:
        used = f"points from {shortened([*map(str, columns)], 12)}"
        notices.append(Notice("points-from", used, (Option("features"), " chooses others"), "info"))
    return tuple(notices)


def notices_of_axes(records: Iterable[Index], statistics: Iterable[Any]) -> tuple[Notice, ...]:
    """Say that determinants are those on the axes along which the points differ, if these are not all axes.

    Parameters
    ----------
    records : iterable of Index
    statistics : iterable
        Those of the points, among which scatter matrices are looked for.
    """
    names = [record.name for record in records if ON_SPANNED in record.note]
    for scatter in statistics if names else ():
        if not isinstance(scatter, Scatter):
            continue
        own, p = scatter.spanned, scatter.rounding.size
        some = own.rounding.size
        if 0 < some < p and own.log_det_within > -math.inf:
            message = (
                f"the points differ along {out_of(some, p, 'axis', 'axes')} only, since a column is constant or "
                f"follows from others: the determinants of {listed(names, None)} are those on "
                f"{'this axis' if some == 1 else 'these axes'}"
            )
            return (Notice("lacking-axes", message, severity="info"),)
    return ()
