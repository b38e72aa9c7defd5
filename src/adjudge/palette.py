"""One vocabulary of colours for the four outcomes of a head-to-head, used in every display and report.

Chosen so that any two stay apart under normal, deuteranopic, protanopic and tritanopic vision (CIE76 difference of at
least 27) and each stands out, at 3:1 or better, from a white and from a near-black page.
"""

from __future__ import annotations

__all__ = ["OUTCOME_COLORS"]

OUTCOME_COLORS: dict[str, str] = {
    "both_right": "#1ea462",
    "right_wrong": "#225ddc",
    "wrong_right": "#e27116",
    "both_wrong": "#978d9e",
}
