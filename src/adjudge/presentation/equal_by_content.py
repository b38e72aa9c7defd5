"""Results that are compared by their content."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from adjudge.saved.savable import Savable


class ByValue(Savable, ABC):
    """A result that equals another of its class if ``to_dict()`` is the same.

    Details that ``to_dict()`` leaves out, such as the values of each point, are not compared. An undefined value equals
    another undefined one.
    """

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self is other or self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(_hashable(self.to_dict()))


def _hashable(value: Any) -> Any:
    if isinstance(value, dict):
        return frozenset((key, _hashable(own)) for key, own in value.items())
    return tuple(map(_hashable, value)) if isinstance(value, (list, tuple)) else value
