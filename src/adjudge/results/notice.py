"""What a reader of a result should know, as data: shown alike by library, terminal, notebook and report."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

__all__ = ["Notice", "Severity"]

Severity = Literal["info", "warning", "serious"]


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that speaks against reading a result as it stands.

    Attributes
    ----------
    code : str
        The same in every version, for programs: ``noise-is-a-cluster``.
    message : str
        One sentence: what was found.
    remedy : str
        What to do about it.
    severity : {"info", "warning", "serious"}
    """

    code: str
    message: str
    remedy: str = ""
    severity: Severity = "warning"

    def __str__(self) -> str:
        remedy = f" ({self.remedy})" if self.remedy else ""
        return f"{'note' if self.severity == 'info' else 'warning'}: {self.message}{remedy}"

    def to_dict(self) -> dict[str, str]:
        """Plain data."""
        return asdict(self)
