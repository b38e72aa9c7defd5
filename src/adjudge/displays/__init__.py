"""Plots of results with matplotlib, in the style of scikit-learn.

Each display is made by ``from_result``, ``from_predictions`` or ``from_estimator``; its ``plot(ax=None)`` draws it,
returns the display and sets `figure_` and `ax_`. A new figure is as wide as a paper's column (3.4 inches);
pyplot's state is never touched. ``display.plot().figure_.savefig("matrix.pdf")`` writes a file.
"""

from adjudge.displays.choice import AgreementMapDisplay, ChoiceDisplay
from adjudge.displays.cluster_tree import ClusterTreeDisplay
from adjudge.displays.comparison import ComparisonDisplay
from adjudge.displays.confusion import ConfusionMatrixDisplay
from adjudge.displays.contingency import ContingencyDisplay
from adjudge.displays.curves import (
    DetCurveDisplay,
    GainsDisplay,
    PrecisionRecallDisplay,
    RocCurveDisplay,
    ThresholdDisplay,
)
from adjudge.displays.density import DbcvDisplay, ReachabilityDisplay
from adjudge.displays.indices import IndicesDisplay
from adjudge.displays.k_choice import KChoiceDisplay
from adjudge.displays.null import NullDistributionDisplay
from adjudge.displays.outcome_map import OutcomeMapDisplay
from adjudge.displays.over_datasets import (
    DatasetMapDisplay,
    RankDistributionDisplay,
    WinTieLossDisplay,
)
from adjudge.displays.patterns import PatternsDisplay
from adjudge.displays.posterior import PosteriorDisplay
from adjudge.displays.prayatul import PrayatulMatrixDisplay
from adjudge.displays.ranks import CriticalDifferenceDisplay
from adjudge.displays.reliability import ReliabilityDisplay
from adjudge.displays.silhouette import SilhouetteDisplay
from adjudge.displays.stability import StabilityDisplay

__all__ = [
    "AgreementMapDisplay",
    "ChoiceDisplay",
    "ClusterTreeDisplay",
    "ComparisonDisplay",
    "ConfusionMatrixDisplay",
    "ContingencyDisplay",
    "CriticalDifferenceDisplay",
    "DatasetMapDisplay",
    "DbcvDisplay",
    "DetCurveDisplay",
    "GainsDisplay",
    "IndicesDisplay",
    "KChoiceDisplay",
    "NullDistributionDisplay",
    "OutcomeMapDisplay",
    "PatternsDisplay",
    "PosteriorDisplay",
    "PrayatulMatrixDisplay",
    "PrecisionRecallDisplay",
    "RankDistributionDisplay",
    "ReachabilityDisplay",
    "ReliabilityDisplay",
    "RocCurveDisplay",
    "SilhouetteDisplay",
    "StabilityDisplay",
    "ThresholdDisplay",
    "WinTieLossDisplay",
]
