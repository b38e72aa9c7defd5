"""Common base of displays of a choice among clusterings, which can compare an estimator's settings first."""

from __future__ import annotations

from typing import Any, Self

from adjudge.displays._drawing import Display

__all__ = ["DisplayOfChoice"]


class DisplayOfChoice(Display):
    """Base of displays of what :func:`~adjudge.choose` returns."""

    @classmethod
    def from_result(cls, result: Any) -> Self:
        """Read what :func:`~adjudge.choose` returned."""
        raise NotImplementedError

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, **options: Any) -> Self:
        """Choose among settings of an estimator, and draw the choice.

        Parameters
        ----------
        estimator : clusterer
        X : array-like of shape (n, p)
        **options
            As for :func:`~adjudge.choose`, `grid` above all.
        """
        from adjudge.verbs.choose import choose

        return cls.from_result(choose(X, estimator, **options))
