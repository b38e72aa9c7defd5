"""The external indices whose intervals are asked for their coverage, and what they are in a population."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from adjudge.indices.catalog import find_index, list_indices
from adjudge.statistics.contingency import Contingency

__all__ = ["EXTERNAL", "POPULATION", "SAME_AS", "truth_of"]

#: Functions of one of those which are left in, and of the same coverage.
SAME_AS = {
    "rand": ("rogers_tanimoto", "gower_legendre", "hamann", "mirkin"),
    "jaccard": ("pair_f", "f_alpha", "sokal_sneath1"),
    "kulczynski": ("mcconnaughey",),
    "pivoted_accuracy": ("classification_error", "normalized_accuracy"),
    "nmi": ("v_measure", "ami"),
    "nmi_joint": ("normalized_variation_of_information", "ami_joint"),
    "nmi_max": ("normalized_information_distance", "ami_max"),
    "nmi_min": ("ami_min",),
    "nmi_geometric": ("ami_geometric",),
}
_LEFT_OUT = {name for names in SAME_AS.values() for name in names}
# No value of the population: it grows with the number of instances.
_NO_POPULATION = {"pair_mcnemar", "phi_crit"}
#: Instances that stand for infinitely many.
POPULATION = 10**9
#: Names of the indices.
EXTERNAL = tuple(
    record.name
    for record in list_indices("external")
    if record.name not in _LEFT_OUT and record.name not in _NO_POPULATION
)


def truth_of(law: NDArray[np.float64], n: int, names: Iterable[str] = EXTERNAL) -> dict[str, float]:
    """Return what indices are under a law of the cells of a table, for samples of n instances."""
    population = Contingency.from_matrix(np.round(law * POPULATION).astype(np.int64))
    truth = {name: float(find_index(name, "external")(population)) for name in names}
    if "van_dongen" in truth:
        # It counts instances.
        truth["van_dongen"] *= n / POPULATION
    return truth
