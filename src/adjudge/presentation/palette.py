"""One vocabulary of colours for every display and report: above all, for the four outcomes of a head-to-head."""

from __future__ import annotations

# Any two of the four stay apart under normal, protanopic, deuteranopic and tritanopic vision (CIE76 difference of at
# least 27), and each stands out from a white and from a near-black page (contrast of 2.5 or more).
OUTCOME_COLORS: dict[str, str] = {
    "both_right": "#1ea462",
    "right_wrong": "#225ddc",
    "wrong_right": "#e27116",
    "both_wrong": "#978d9e",
}

# Matplotlib markers, because green, orange and grey are equally light: the shape tells them apart in greyscale.
OUTCOME_MARKERS: dict[str, str] = {
    "both_right": "o",
    "right_wrong": "^",
    "wrong_right": "v",
    "both_wrong": "X",
}

INK = "#1b1f2a"
MUTED = "#565d6d"
RULE = "#d9dce4"
GROUND = "#f4f5f8"

# The middle of a scale between two outcomes: neither.
NEUTRAL = "#f2f1ee"
# The dark end of a scale of counts or shares that belong to no outcome.
QUANTITY = "#27475f"
# What a display points out: the observed value, the recommended number of clusters.
EMPHASIS = "#b0305c"
# What is amiss: points closer to another cluster than to their own.
WARNING = "#b0305c"

# Clusters have no outcome; these hues (Paul Tol's "muted" scheme) are distinct under colour blindness, too.
CLUSTER_COLORS: tuple[str, ...] = (
    "#332288",
    "#88ccee",
    "#44aa99",
    "#ddcc77",
    "#cc6677",
    "#117733",
    "#aa4499",
    "#999933",
    "#882255",
)


def cluster_color(position: int) -> str:
    """Return the colour of the cluster at a position; colours repeat if there are more clusters than colours."""
    return CLUSTER_COLORS[position % len(CLUSTER_COLORS)]
