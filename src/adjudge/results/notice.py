"""What a reader of a result should know, as data: shown alike by library, terminal, notebook and report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from adjudge.presentation.columns import shown_line

Severity = Literal["info", "warning", "serious"]


@dataclass(frozen=True, slots=True)
class Notice:
    """A reason not to take a result at face value.

    Attributes
    ----------
    code : str
        The same in every version, for programs: ``noise-is-a-cluster``.
    message : str
        One sentence: what was found.
    remedy : str
        What to do about it; text or pieces, like the message of an error.
    severity : {"info", "warning", "serious"}
    """

    code: str
    message: str
    remedy: str | tuple[Any, ...] = ""
    severity: Severity = "warning"

    @property
    def parts(self) -> tuple[Any, ...]:
        """The whole sentence in pieces, which each front end words in its own way."""
        remedy = (self.remedy,) if isinstance(self.remedy, str) else self.remedy
        return (self.message, ": ", *remedy) if any(remedy) else (self.message,)

    @property
    def text(self) -> str:
        """The whole sentence in the words of the library."""
        return "".join(map(str, self.parts))

    def __str__(self) -> str:
        return f"{'note' if self.severity == 'info' else 'warning'}: {shown_line(self.text)}"

    def to_dict(self) -> dict[str, str]:
        """Plain data."""
        remedy = self.remedy if isinstance(self.remedy, str) else "".join(map(str, self.remedy))
        return {
            "code": self.code,
            "message": self.message,
            "remedy": remedy,
            "severity": self.severity,
        }
