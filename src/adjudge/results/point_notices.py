"""Notices about the columns of points: ids and labels among them, very different units, a few far points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adjudge.errors import Option, Scaler
from adjudge.given.identifiers import LOOKS_LIKE, no_coordinates
from adjudge.given.points import LIKE_DISTANCES, Points
from adjudge.given.scaling import apart_in_scale, skewed_columns
from adjudge.presentation.numbers import listed, named_few, show_number
from adjudge.results.notice import Notice

__all__ = ["as_coordinates", "notices_of_columns"]

#: What to do if the points are distances.
IF_DISTANCES = ("if they are distances, pass ", Option("metric", "precomputed"))

_CODES = {"identifiers": "identifiers", "output": "models-output", "labels": "labels"}


def as_coordinates(kind: str, names: Sequence[Any], *, left_out: bool = False) -> Notice:
    """Say that columns look like a kind of `LOOKS_LIKE`, and count as coordinates, or are left out of them."""
    one, several = LOOKS_LIKE[kind]
    is_one = len(names) == 1
    said = f"{listed([repr(str(name)) for name in names])} " + (
        f"looks like {one}" if is_one else f"look like {several}"
    )
    code = f"{_CODES[kind]}-as-coordinates"
    if left_out:
        message = f"{said}, so {'it is' if is_one else 'they are'} left out of the coordinates"
        return Notice(
            code, message, "pass the candidates as a mapping, and in X the columns that are meant", "info"
        )
    counts = "counts as a coordinate" if is_one else "count as coordinates"
    return Notice(code, f"{said}, and {counts}", f"leave {'it' if is_one else 'them'} out")


def notices_of_columns(
    points: Points, *, chosen: bool = False, remedy: Any = IF_DISTANCES
) -> tuple[Notice, ...]:
    """Say what distances between points measure, if that is hardly what was intended.

    Parameters
    ----------
    points : Points
        Without named columns there is only to say whether they look like distances.
    chosen : bool
        Whether the caller chose the columns, so that ids among them are intended as coordinates.
    remedy : str or piece of a message, or several
        What to do if the points are distances.
    """
    notices = [Notice("distances-as-points", LIKE_DISTANCES, remedy)] if points.look_like_distances else []
    if points.columns is None:
        return tuple(notices)
    if not chosen:
        values = ((name, points.values[:, j]) for j, name in enumerate(points.columns))
        notices += [
            as_coordinates(kind, names)
            for kind, names in no_coordinates(values).items()
            if 0 < len(names) < len(points.columns)
        ]
    if (apart := apart_in_scale(points)) is not None:
        wide, most, narrow, least = apart
        notices.append(
            Notice(
                "scales-far-apart",
                f"the columns differ in scale: the standard deviation of {wide!r} is {show_number(most)}, that of "
                f"{narrow!r} {show_number(least)}, so distances are mostly those of {wide!r}",
                ("bring them to one scale with ", Scaler("standard")),
            )
        )
    if skewed := skewed_columns(points):
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
