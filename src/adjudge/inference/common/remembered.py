"""What is made once, however often it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["Remembered"]


class Remembered:
    """What has been made, by a key that says what it is."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], Any] = {}

    def once(self, key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        """Return what has this key, which is made if nobody has asked for it before."""
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]
