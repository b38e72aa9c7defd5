"""One display of each kind, of data that no generator draws."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge.displays import (
    ClusterTreeDisplay,
    ComparisonDisplay,
    ConfusionMatrixDisplay,
    ContingencyDisplay,
    CriticalDifferenceDisplay,
    DatasetMapDisplay,
    DbcvDisplay,
    DecisionCurveDisplay,
    DetCurveDisplay,
    GainsDisplay,
    IndicesDisplay,
    KChoiceDisplay,
    NullDistributionDisplay,
    OutcomeMapDisplay,
    PatternsDisplay,
    PosteriorDisplay,
    PrayatulMatrixDisplay,
    PrecisionRecallDisplay,
    RankDistributionDisplay,
    ReachabilityDisplay,
    ReliabilityDisplay,
    RocCurveDisplay,
    SilhouetteDisplay,
    StabilityDisplay,
    ThresholdDisplay,
    WinTieLossDisplay,
)
from adjudge.statistics.agreement import CELLS, Agreement
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.contingency import Contingency


def spread(n: int) -> np.ndarray:
    """Return points that are the same with every version of NumPy: no generator is involved."""
    i = np.arange(1, n + 1)
    return np.column_stack([(i * 0.754877666) % 1, (i * 0.569840291) % 1])


def displays(change: float = 0.0, names: tuple[str, str] = ("a", "b")) -> dict[str, Any]:
    """One display of each kind; `change` alters the data a little or much, `names` are those of what is shown."""
    one, other = names
    pair = {"primary": one, "alternative": other}
    called = np.array([one, other, "c", "d"])
    points = spread(120)
    kinds = (points[:, 0] * 3.99 + change * points[:, 1]).astype(int) % 4
    widths = np.sort(points[:, 1])[::-1] * 1.2 - 0.3 - change * points[:, 0]
    curve = {k: float(np.exp(-((k - 4 - 3 * change) ** 2) / 4)) for k in range(2, 9)}
    table = [[30, 2, 0], [int(1 + 40 * change), 20, 5], [0, 8, 24]]
    ranks = {one: 1.2, other: 1.9 + change, "c": 2.8, "d": 4.1}
    normal = np.linspace(-2.5, 2.5, 300) + change
    happened = points[:, 0] > 0.45
    likely = (0.8, 0.6 - change, 0.4 + change)
    forecasts = {
        name: 0.7 * points[:, 0] ** power * (1 - change) + (0.3 + 0.7 * change) * points[:, 1]
        for name, power in ((one, 1), (other, 3))
    }
    shares = np.column_stack([points[:, 0], np.full(120, 0.0 if change else 0.4), points[:, 1]])
    return {
        "confusion": ConfusionMatrixDisplay(Confusion([one, other, "c"], np.array(table))),
        "patterns": PatternsDisplay.from_predictions(
            kinds,
            {
                called[i]: np.where(points[:, i % 2] < limit, kinds, 1 - kinds)
                for i, limit in enumerate(likely)
            },
        ),
        "roc": RocCurveDisplay.from_predictions(happened, forecasts),
        "precision_recall": PrecisionRecallDisplay.from_predictions(happened, forecasts),
        "det": DetCurveDisplay.from_predictions(happened, forecasts),
        "gains": GainsDisplay.from_predictions(happened, forecasts),
        "thresholds": ThresholdDisplay.from_predictions(happened, forecasts[one]),
        "decision": DecisionCurveDisplay.from_predictions(happened, forecasts),
        "reliability": ReliabilityDisplay.from_predictions(happened, forecasts, n_bins=5),
        "prayatul": PrayatulMatrixDisplay(
            Agreement(70 - int(130 * change), 16, 9, 5 + int(130 * change)), **pair
        ),
        "comparison": ComparisonDisplay(
            [one, other, "c"], [[0, 0.8 - change, 0.1], [change - 0.8, 0, np.nan], [-0.1, np.nan, 0]]
        ),
        "outcome_map": OutcomeMapDisplay(
            points, {cell: kinds == i for i, cell in enumerate(CELLS)}, kind="classification", **pair
        ),
        "balance_map": OutcomeMapDisplay(
            points,
            {
                cell: (100 * (points[:, i % 2] + 0.4 * change * i) % 50).astype(int)
                for i, cell in enumerate(CELLS)
            },
            kind="clustering",
            **pair,
        ),
        "contingency": ContingencyDisplay(Contingency.from_matrix(table), names=names),
        "alluvial": ContingencyDisplay(
            [Contingency.from_matrix(table), Contingency.from_matrix(np.transpose(table))],
            names=[one, other, "c"],
        ),
        "silhouette": SilhouetteDisplay(widths, called[np.arange(120) % 3]),
        "dbcv": DbcvDisplay(widths, called[np.arange(120) % 4], left_out=10),
        "reachability": ReachabilityDisplay(
            [np.inf, *points[1:, 1] ** (1 - change)], (np.arange(120) // 40) - (points[:, 0] < change)
        ),
        "cluster_tree": ClusterTreeDisplay(
            {
                one: np.zeros(120, int),
                other: called[(points[:, 0] > 0.6).astype(int)],
                "four": np.where(points[:, 1] < 0.1 + change, -1, kinds),
            }
        ),
        "indices": IndicesDisplay({one: {"rand": 0.9 - change}, other: {"rand": 0.7 - change}}),
        "k_choice": KChoiceDisplay(
            {"silhouette": curve, "dunn": {**curve, 5: np.nan}}, {"silhouette": 4, "dunn": None}, 4
        ),
        "null": NullDistributionDisplay(3.5 - 2 * change, normal, np.exp(-(normal**2)) / 106, title=one),
        "stability": StabilityDisplay(
            {k: [v, v / 2] for k, v in curve.items()},
            strength=curve,
            confidence={4: 0.8 - change / 2, 5: 0.2},
            k=4,
        ),
        "dataset_map": DatasetMapDisplay(
            list("stuvw"), [one, other, "c"], (points[:15, 0] + 2 * change * points[:15, 1]).reshape(5, 3)
        ),
        "rank_distribution": RankDistributionDisplay(
            [[1, 2, 3], [1, 3, 2], [2, 1, 3], [3, 1, 2] if change else [1, 2, 3]], [one, other, "c"]
        ),
        "wins": WinTieLossDisplay(
            [one, other, "c"],
            [[0, 7 - 6 * change, 4], [2 + 6 * change, 0, 9], [5, 1, 0]],
            [[0, 1, 1], [1, 0, 0], [1, 0, 0]],
        ),
        "posterior": PosteriorDisplay(shares / shares.sum(axis=1, keepdims=True), *names),
        "ranks": CriticalDifferenceDisplay(ranks, critical_difference=1.0 + change),
    }
