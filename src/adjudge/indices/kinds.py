"""Kinds of index."""

from __future__ import annotations

from typing import Literal, get_args

Kind = Literal[
    "external",
    "internal",
    "comparative",
    "diversity",
    "classification",
    "multilabel",
    "raters",
    "selection",
    "overlapping",
    "soft",
    "graph",
    "batches",
    "hierarchy",
    "taxonomy",
    "values",
    "regression",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
