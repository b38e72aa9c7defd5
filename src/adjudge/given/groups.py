"""Columns whose values define groups of instances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from adjudge.errors import InputError, Option, in_words
from adjudge.given.labels import Labels


def group_columns(groups: Any) -> dict[str, Any]:
    """Return one or several columns of groups as label vectors by name."""
    if groups is None:
        return {}
    if isinstance(groups, Mapping):
        return {f"groups[{in_words(name)}]": values for name, values in groups.items()}
    if len(getattr(groups, "shape", ())) == 2 and hasattr(groups, "columns"):
        from adjudge.given.data_frames import read_data_frame

        frame = read_data_frame(groups, "groups")
        return {f"groups[{in_words(s.name)}]": s.to_native() for s in frame.iter_columns()}
    if isinstance(groups, (list, tuple)) and any(getattr(group, "ndim", 0) for group in groups):
        raise InputError(
            Option("groups"), " is a list of columns: pass a mapping of names to them, or a data frame"
        )
    return {"groups": groups}


def crossed_groups(columns: Sequence[Labels]) -> Labels | None:
    """Combine several label vectors into one, with tuples as labels."""
    if not columns:
        return None
    if len(columns) == 1:
        return columns[0]
    coded = [column.dense() for column in columns]
    stacked = np.stack([codes for codes, _ in coded], axis=1)
    distinct, codes = np.unique(stacked, axis=0, return_inverse=True)
    labels = [tuple(names[c] for c, (_, names) in zip(row, coded, strict=True)) for row in distinct.tolist()]
    return Labels(codes.ravel().astype(np.int64), 0, len(labels), labels)
