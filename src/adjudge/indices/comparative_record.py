"""The record of a measure that compares two models against the truth."""

from __future__ import annotations

import typing
from collections.abc import Callable
from typing import Any, Literal

from adjudge.indices.kinds import Kind
from adjudge.indices.record import Index, Noted, maker_of
from adjudge.statistics.agreement import Agreement


class ComparativeIndex(Index):
    """An index that compares two models, instance by instance or pair by pair, against the truth."""

    kind: typing.ClassVar[Kind] = "comparative"

    def __call__(
        self,
        labels_true: Any,
        primary: Any,
        alternative: Any,
        *,
        kind: Literal["clustering", "classification"],
        missing: str = "raise",
        noise: str = "cluster",
        noise_label: Any = -1,
        **parameters: Any,
    ) -> float:
        """Compute the measure for the primary model against the alternative."""
        agreement = Agreement.from_labels(
            labels_true,
            primary,
            alternative,
            kind=kind,
            missing=missing,
            noise=noise,
            noise_label=noise_label,
        )
        return self.assess(agreement, **parameters)[0]

    def _input_lines(self) -> list[str]:
        return [
            "labels_true : array-like of shape (n,)",
            "    The truth G.",
            "primary, alternative : array-like of shape (n,)",
            "    Labels by the two models P and Q.",
            'kind : {"clustering", "classification"}',
            "    Whether pairs of instances or instances are counted.",
            'missing : {"raise", "drop"}, default "raise"',
            'noise : {"cluster", "singletons", "drop"}, default "cluster"',
            "noise_label : default -1",
            "    The label of noise.",
        ]


def comparative(
    *, title: str, range: tuple[float, float], reference: str, **facts: Any
) -> Callable[[Callable[[Agreement], float | Noted]], ComparativeIndex]:
    """Make the record of a comparative measure (Prayatul) from its formula."""
    return maker_of(
        ComparativeIndex,
        title=title,
        better="higher",
        range=range,
        reference=reference,
        identical_is_best=False,
        **facts,
    )
