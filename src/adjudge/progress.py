"""A progress bar for passes that take long enough to wonder about."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from adjudge.errors import InputTypeError, Option

__all__ = ["Progress", "check_progress", "progress_bar", "reporting"]

Progress = Callable[[int, int], None]

# Seconds before a bar appears: shorter work would only flicker.
_PATIENCE = 1.0


@contextmanager
def progress_bar(description: str) -> Iterator[Callable[[int, int], None] | None]:
    """Yield a callback ``progress(done, total)`` that draws a bar on standard error; None if that is not a terminal.

    The bar appears only when the work has taken a second and is not done, and vanishes at its end, also when it is
    interrupted.
    """
    if not sys.stderr.isatty():
        yield None
        return
    bar = _LateBar(description)
    try:
        yield bar.update
    finally:
        bar.close()


def check_progress(progress: Any, words: str = "a function of (done, total), or None") -> None:
    """Raise unless `progress` can be told how much is done."""
    if progress is not None and not callable(progress):
        raise InputTypeError(Option("progress", progress), f": {words} is needed")


@contextmanager
def reporting(progress: Any, description: str) -> Iterator[Progress | None]:
    """Yield what is told how much is done: the caller's function; None for False; and for True or None a bar."""
    if progress is None or progress is True:
        with progress_bar(description) as bar:
            yield bar
    elif progress is False:
        yield None
    else:
        check_progress(progress, "True, False or a function of (done, total)")
        yield progress


class _LateBar:
    def __init__(self, description: str) -> None:
        self._description = description
        self._started = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def update(self, done: int, total: int) -> None:
        """Show how much is done."""
        if self._bar is None:
            if time.monotonic() - self._started < _PATIENCE or done >= total:
                return
            self._open(total)
        self._bar.update(self._task, completed=done, total=total)

    def _open(self, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task(self._description, total=total)
        self._bar.start()

    def close(self) -> None:
        """Take the bar off the screen."""
        if self._bar is not None:
            self._bar.stop()
