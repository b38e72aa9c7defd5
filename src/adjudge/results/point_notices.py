"""Notices about the columns of points: ids among them, very different units, a few far points."""

from __future__ import annotations

from adjudge.errors import Scaler
from adjudge.given.identifiers import looks_like_identifiers, looks_like_models_output
from adjudge.given.points import Points
from adjudge.given.scaling import apart_in_scale, skewed_columns
from adjudge.presentation.numbers import named_few, show_number
from adjudge.results.notice import Notice

__all__ = ["notices_of_columns"]


def notices_of_columns(points: Points, *, chosen: bool = False) -> tuple[Notice, ...]:
    """Say what distances between points with named columns measure, if that is hardly what was intended.

    Parameters
    ----------
    points : Points
        Without named columns there is nothing to say.
    chosen : bool
        Whether the caller chose the columns, so that ids among them are intended as coordinates.
    """
    if points.columns is None:
        return ()
    notices = []
    if not chosen and len(points.columns) > 1:
        ids = [
            str(name)
            for j, name in enumerate(points.columns)
            if looks_like_identifiers(name, points.values[:, j])
        ]
        said_by_models = [
            str(name)
            for j, name in enumerate(points.columns)
            if str(name) not in ids and looks_like_models_output(name, points.values[:, j])
        ]
        if 0 < len(said_by_models) < len(points.columns):
            is_one = len(said_by_models) == 1
            notices.append(
                Notice(
                    "models-output-as-coordinates",
                    f"{named_few([*map(repr, said_by_models)])} "
                    + (
                        "looks like a model's output, and counts as a coordinate"
                        if is_one
                        else "look like models' output, and count as coordinates"
                    ),
                    f"leave {'it' if is_one else 'them'} out",
                )
            )
        if 0 < len(ids) < len(points.columns):
            said = "looks like an identifier, and counts as a coordinate"
            if len(ids) > 1:
                said = "look like identifiers, and count as coordinates"
            notices.append(
                Notice(
                    "identifiers-as-coordinates",
                    f"{named_few([*map(repr, ids)])} {said}",
                    f"leave {'it' if len(ids) == 1 else 'them'} out",
                )
            )
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
