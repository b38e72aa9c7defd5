"""A progress bar for long computations: in a terminal, in a notebook, and as lines in the log of a job."""

from __future__ import annotations

import contextvars
import html
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from importlib import import_module
from inspect import signature
from typing import Any, Protocol, TypeVar

from adjudge.errors import InputTypeError, Option

__all__ = [
    "Progress",
    "StagedProgress",
    "busy",
    "check_progress",
    "part",
    "progress_bar",
    "reporting",
    "share_and_rest",
    "told_of",
]

T = TypeVar("T")

#: Called with how much is done, and of how much.
Progress = Callable[[int, int], None]
#: Called with the stage, too.
StagedProgress = Callable[[str, int, int], None]

# Seconds before a bar appears: shorter work would only flicker.
_PATIENCE = 1.0
# Seconds between two drawings, and between two lines of a log.
_INTERVAL = 0.25
_SILENCE = 30.0
# Steps in which a part of the work is counted.
_STEPS = 1000
# The share, or the seconds, after which the time for the rest can be estimated.
_TELLING_SHARE, _TELLING_SECONDS = 0.02, 10.0


@contextmanager
def progress_bar(description: str, *, lines: bool = False) -> Iterator[Progress | None]:
    """Yield a callback ``progress(done, total)`` that draws a bar; None if there is neither terminal nor notebook.

    The bar appears once the work has taken a second, whether or not the callback was called, and vanishes at its end,
    even if it is interrupted. With `lines`, a line every 30 seconds stands for it where it cannot be drawn.
    """
    screen = _screen() or (_Lines if lines else None)
    if screen is None:
        yield None
        return
    bar = _LateBar(screen(description))
    try:
        yield bar.update
    finally:
        bar.close()


def check_progress(progress: Any) -> None:
    """Raise unless `progress` is None or can be called."""
    if progress is not None and not callable(progress):
        raise InputTypeError(Option("progress", progress), ": a function of (done, total), or None is needed")


@contextmanager
def reporting(progress: Any, what: str) -> Iterator[Progress | None]:
    """Yield the callback for how much is done: the caller's function, with the stage; None for False; else a bar."""
    if callable(progress) and _takes_a_stage(progress):
        yield partial(progress, what)
        return
    if progress not in (None, True, False):
        raise InputTypeError(
            Option("progress", progress), ": True, False or a function of (what, done, total) is needed"
        )
    if progress is False:
        yield None
        return
    with progress_bar(what[:1].upper() + what[1:], lines=progress is True) as bar:
        yield bar


def _takes_a_stage(function: Callable[..., Any]) -> bool:
    """Whether a function takes the stage, how much is done, and of how much."""
    try:
        signature(function).bind("", 0, 1)
    except TypeError:
        return False
    except ValueError:  # a built-in function may have no signature
        return True
    return True


def busy(progress: Any, what: str) -> AbstractContextManager[Progress | None]:
    """Show a bar for work that cannot say how much is done, unless the caller wants none or gave a function."""
    return reporting(False if callable(progress) else progress, what)


def part(progress: Progress | None, i: int, n: int) -> Progress | None:
    """Return the callback for how much of the i-th of n equal parts is done."""
    if progress is None:
        return None
    return lambda done, total: progress(round(_STEPS * (i + done / max(total, 1))), _STEPS * n)


def told_of(items: Iterable[T], progress: Progress | None) -> Iterator[T]:
    """Yield the items, and report after each how many are done."""
    given = list(items)
    for i, item in enumerate(given):
        yield item
        if progress is not None:
            progress(i + 1, len(given))


class _Screen(Protocol):
    """Where a bar is drawn."""

    def draw(self, share: float | None, seconds: float) -> None:
        """Show the finished share, if known, after this many seconds."""

    def clear(self) -> None:
        """Remove what was drawn."""


def _screen() -> Callable[[str], _Screen] | None:
    if _in_notebook():
        return _Notebook
    if sys.stderr is not None and sys.stderr.isatty():
        return _Terminal
    return None


def _in_notebook() -> bool:
    """Whether this is the kernel of a notebook, which it can be only if IPython runs already."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and getattr(ipython.get_ipython(), "kernel", None) is not None


class _LateBar:
    """A bar drawn by a separate thread, so that it moves even if the work rarely reports progress."""

    def __init__(self, screen: _Screen) -> None:
        self._screen = screen
        self._work = (0, 0)
        self._ended = threading.Event()
        # In the caller's context a notebook knows which cell the bar belongs to.
        run = contextvars.copy_context().run
        self._thread = threading.Thread(target=run, args=(self._draw,), name="adjudge progress", daemon=True)
        self._thread.start()

    def update(self, done: int, total: int) -> None:
        """Record how much is done."""
        self._work = done, total

    def close(self) -> None:
        """Take the bar off the screen."""
        self._ended.set()
        self._thread.join()

    def _draw(self) -> None:
        started = time.monotonic()
        if self._ended.wait(_PATIENCE):
            return
        try:
            while True:
                done, total = self._work
                self._screen.draw(min(done / total, 1.0) if total else None, time.monotonic() - started)
                if self._ended.wait(_INTERVAL):
                    return
        finally:
            self._screen.clear()


class _Terminal:
    """A line on standard error, drawn by Rich."""

    def __init__(self, description: str) -> None:
        self._description = description
        self._bar: Any = None
        self._task: Any = None

    def draw(self, share: float | None, seconds: float) -> None:
        """See `_Screen`."""
        if self._bar is None:
            self._open()
        total = None if share is None else 1.0
        self._bar.update(self._task, completed=share or 0.0, total=total)

    def clear(self) -> None:
        """See `_Screen`."""
        if self._bar is not None:
            self._bar.stop()

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(elapsed_when_finished=True),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task(self._description, total=None)
        self._bar.start()


class _Notebook:
    """A line below the cell, which is replaced as the work proceeds."""

    def __init__(self, description: str) -> None:
        self._description = description
        self._handle: Any = None

    def draw(self, share: float | None, seconds: float) -> None:
        """See `_Screen`."""
        value = "" if share is None else f' value="{share:.3f}"'
        text = f"{self._description}: {_state(share, seconds)}"
        self._show(
            '<div style="display:flex;gap:.75em;align-items:center;font-variant-numeric:tabular-nums">'
            f'<progress max="1"{value} style="flex:0 1 16em"></progress><span>{html.escape(text)}</span></div>',
            text,
        )

    def clear(self) -> None:
        """See `_Screen`."""
        self._show("", "")

    def _show(self, page: str, text: str) -> None:
        display = import_module("IPython.display").display
        bundle = {"text/html": page, "text/plain": text}
        if self._handle is None:
            self._handle = display(bundle, raw=True, display_id=True)
        else:
            self._handle.update(bundle, raw=True)


class _Lines:
    """Occasional lines on standard error, which a job's log keeps."""

    def __init__(self, description: str) -> None:
        self._description = description
        self._next = _SILENCE

    def draw(self, share: float | None, seconds: float) -> None:
        """See `_Screen`."""
        if seconds >= self._next and sys.stderr is not None:
            self._next = seconds + _SILENCE
            print(f"adjudge: {self._description}: {_state(share, seconds)}", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Leave what was written."""


def _state(share: float | None, seconds: float) -> str:
    return f"{seconds:.0f} s" if share is None else share_and_rest(share, seconds)


def share_and_rest(share: float, seconds: float, begun: float = 0.0) -> str:
    """State the share of the work that is done, and how long the rest takes at the pace of these seconds.

    `begun` is the share that was done before them.
    """
    gained = share - begun
    # The first steps say little about how fast the others will be.
    is_known = gained >= _TELLING_SHARE or (gained > 0 and seconds >= _TELLING_SECONDS)
    left = f", {_rounded(seconds * (1 - share) / gained)} left" if is_known else ""
    return f"{share:.0%}{left}"


def _rounded(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
