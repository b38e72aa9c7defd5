"""External indices of the whole table: a Rand index of clusters drawn anew, and corrected information."""

from __future__ import annotations

import math
from typing import Literal

from adjudge.given.options import check_choice, check_flag
from adjudge.indices.label_record import external
from adjudge.indices.record import Noted, inf, quotient
from adjudge.statistics.description_length import information_saved, information_within
from adjudge.statistics.information_variance import variance_of_mutual_information
from adjudge.statistics.joint import JointCounts

_WEIGHED = Noted(math.nan, "the number of instances counts, which sampling weights do not give")


def _weighed(table: JointCounts) -> bool:
    return bool(table.cells()[2].dtype.kind == "f")


@external(
    title="Modified adjusted Rand",
    better="higher",
    range=(-inf, 1),
    reference="sundqvist2023",
    formula=r"\frac{yy - E}{\frac12 (2\,yy + yn + ny) - E}, \quad "
    r"E = \frac{(yy + yn)(yy + ny) - yy - t}{\frac12 (n - 2)(n - 3)}",
    undefined="if n < 4, or 0/0, as when both partitions are one cluster or have singletons only.",
    identical_is_defined=False,
    symmetric=True,
    peers={"aricode": "MARI"},
    note="The mean over multinomial tables takes the place of the one over fixed cluster sizes, and is estimated from "
    "disjoint pairs. aricode gives 1 for 0/0 if pairs are joined. Undefined under sampling weights.",
    family="pair agreement",
    symbols={
        "t": "ordered choices of three instances: the truth joins the first with the second, the prediction with the "
        "third",
        "E": "pairs joined in both by chance",
    },
)
def mari(table: JointCounts) -> float | Noted:
    """Adjusted Rand index whose chance is that of clusters drawn anew, not of the given sizes.

    >>> round(mari([0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 2, 2]), 6)
    0.0625
    """
    if _weighed(table):
        return _WEIGHED
    pairs, n = table.pairs, int(table.n)
    if n < 4:
        return Noted(math.nan, "there are no two pairs without a common instance (n < 4)")
    rows, cols, counts = (x.tolist() for x in table.cells())
    a, b = table.row_sums.tolist(), table.col_sums.tolist()
    meeting = sum(k * ((a[i] - 1) * (b[j] - 1) - (k - 1)) for i, j, k in zip(rows, cols, counts, strict=True))
    joined = pairs.joined_true + pairs.joined_pred
    # Everything is multiplied by (n - 2)(n - 3), so that it stays whole.
    scale, chance = (n - 2) * (n - 3), 2 * (pairs.joined_true * pairs.joined_pred - pairs.yy - meeting)
    return quotient(
        2 * (pairs.yy * scale - chance),
        joined * scale - 2 * chance,
        "every choice of pairs is joined as often",
    )


@external(
    title="Reduced mutual information",
    better="higher",
    range=(-inf, inf),
    reference="jerdee2024",
    formula=r"\ell(T) - \ell(T \mid P)",
    best=None,
    identical_is_best=False,
    aliases=("reduced_mutual_information",),
    peers={"clustering-mi": "mutual_information(variation='reduced')"},
    note="In bits, for all instances together. Not symmetric: `of` says which partition is transmitted, the truth or "
    "the prediction. With `normalized`, as a share of what the partition itself would save, which is undefined for one "
    "cluster and for singletons. Messages are those of the "
    "Dirichlet-multinomial encoding, with the best concentration between exp(-12) and exp(12), or further for large "
    "tables; clustering-mi searches it more coarsely, and transmits its second argument. Newman's flat encoding (2020) "
    "needs the number of tables with these cluster sizes, which nobody can count for large ones. Undefined under "
    "sampling weights.",
    family="information",
    symbols={
        r"\ell(T)": "length of the message of the truth",
        r"\ell(T \mid P)": "its length for a reader who knows the prediction",
    },
    no_interval="of this sample",
)
def rmi(
    table: JointCounts, *, of: Literal["truth", "prediction"] = "truth", normalized: bool = False
) -> float | Noted:
    """Bits that the prediction saves in a message of the truth, where the message of the table is paid for.

    >>> round(rmi([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1]), 3)
    4.0
    >>> round(rmi([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], normalized=True), 3)
    0.033
    """
    check_choice("of", of, ("truth", "prediction"))
    check_flag("normalized", normalized)
    if _weighed(table):
        return _WEIGHED
    table = table.transpose() if of == "prediction" else table  # type: ignore[attr-defined]
    saved = information_saved(table)
    if not normalized:
        return saved
    r = table.shape[0]
    if r in (1, table.n):
        return Noted(
            math.nan, "0/0: a partition into one cluster, or into singletons, tells nothing about itself"
        )
    return saved / information_within(table)


@external(
    title="Standardised mutual information",
    better="higher",
    range=(-inf, inf),
    reference="romano2014",
    formula=r"\frac{I - E[I]}{\sqrt{\mathrm{Var}[I]}}",
    best=None,
    identical_is_best=False,
    identical_is_defined=False,
    symmetric=True,
    undefined="if all tables with these cluster sizes have the same mutual information.",
    aliases=("standardized_mutual_information", "standardised_mutual_information"),
    note="Mean and variance are exact; where they would take more than a few seconds, as for hundreds of different "
    "cluster sizes or ten of thousands of instances, it is undefined. Grows with n. Undefined under sampling weights.",
    family="information",
    symbols={r"\mathrm{Var}[I]": "variance of I over all tables with the same cluster sizes"},
    no_interval="of this sample",
)
def smi(table: JointCounts) -> float | Noted:
    """Mutual information above that of unrelated partitions with these cluster sizes, in standard deviations.

    >>> round(smi([0, 0, 1, 1], [0, 0, 1, 1]), 6)
    1.414214
    """
    if _weighed(table):
        return _WEIGHED
    variance = variance_of_mutual_information(table.row_sums, table.col_sums, table.n)
    if variance == 0:
        return Noted(math.nan, "0/0: all tables with these cluster sizes have the same mutual information")
    information = table.information
    return float((information.mutual - information.expected_mutual) / math.sqrt(variance))
