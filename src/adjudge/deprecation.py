"""What goes on working under its old name until version 0.3: names of the package, and options of its functions."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from importlib import import_module
from typing import Any

__all__ = ["FORMER_NAMES", "Former", "former_name", "warn"]

#: The version without the old names.
ENDS = "0.3"


@dataclass(frozen=True)
class Former:
    """What a public name of version 0.1 is now.

    Attributes
    ----------
    new : str
        The name that replaces it.
    function : str
        Module and name of what the old one still gives, if the new one is called in another way.
    """

    new: str
    function: str = ""


#: Public names of version 0.1 and what replaces them.
FORMER_NAMES = {
    "adjust": Former("adjusted_for_chance"),
    "Caution": Former("Notice"),
    "classification_intervals": Former(
        "comparison_intervals", "adjudge.inference.intervals:classification_intervals"
    ),
    "clustering_intervals": Former(
        "comparison_intervals", "adjudge.inference.intervals:clustering_intervals"
    ),
    "expected": Former("expected_by_chance"),
    "external_interval": Former("confidence_interval"),
    "external_intervals": Former("confidence_intervals"),
    "f_measure": Former("pair_f"),
    "holm": Former("adjust_p_values"),
    "hubert": Former("pair_phi"),
    "Information": Former("PartitionEntropies"),
    "internal_intervals": Former(
        "confidence_intervals", "adjudge.inference.internal_intervals:internal_intervals"
    ),
    "mcnemar": Former("pair_mcnemar"),
    "pac": Former("ambiguous_clustering"),
    "sd": Former("sd_validity"),
    "sos": Former("sokal_sneath3"),
    "tau_c": Former("tau_b"),
}


def former_name(name: str) -> Any:
    """Return what a former name of the package stands for, and warn."""
    former = FORMER_NAMES[name]
    warn(f"adjudge.{name} is adjudge.{former.new} now", stacklevel=4)
    module, _, attribute = (former.function or f"adjudge:{former.new}").partition(":")
    return getattr(import_module(module), attribute)


def warn(message: str, *, stacklevel: int = 3) -> None:
    """Say what replaces an old name, and how long it goes on working."""
    warnings.warn(f"{message}, and goes in {ENDS}", DeprecationWarning, stacklevel=stacklevel)
