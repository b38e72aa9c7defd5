"""What a section of the page is made from: results, and what a user says about the instances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from adjudge._report.label_sets import ShownSets
from adjudge.given.labels import Labels
from adjudge.given.scaling import Scaling
from adjudge.results import Comparison, Evaluation, Evaluations
from adjudge.results.differences import ScoreDifference
from adjudge.results.head_to_head import HeadToHead

if TYPE_CHECKING:
    from adjudge.inference.clusters.cluster_tests import ClustersTest
    from adjudge.results import Choice, KChoice
    from adjudge.results.benchmark import Benchmark
    from adjudge.results.gate import Gate

# Where internal criteria measure distances, unless a section says otherwise.
AS_GIVEN = "the columns as given"
#: What the page calls the model of an earlier result.
BEFORE = "before"


@dataclass(frozen=True)
class Changes:
    """Models beside what they were in an earlier result.

    Attributes
    ----------
    called : str
        The earlier result.
    scores : dict of str to list of ScoreDifference
        By model: each score now less the score before.
    pairs : dict of str to HeadToHead
        By model: today's model (primary) against the earlier one, if the instances are the same.
    labels : dict of str to tuple of Labels
        The truth, and the labels now and before, of the models in `pairs`.
    why : str
        Why the instances are not compared; empty if they are.
    new, gone : list of str
        Models that only one of the results has.
    """

    called: str
    scores: dict[str, list[ScoreDifference]]
    pairs: dict[str, HeadToHead] = field(default_factory=dict)
    labels: dict[str, tuple[Labels, Labels, Labels]] = field(default_factory=dict)
    why: str = ""
    new: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Section:
    """One comparison on the page, or clusterings judged from the data alone, with what is known about the instances.

    Attributes
    ----------
    title : str
    comparison : Comparison or None
        None if there is no truth.
    labels_true, models
        The labels that the comparison was made from; without them, no instances are shown.
    X : array-like of shape (n, p) or data frame, optional
        The instances' features.
    feature_names : sequence of str, optional
    features : sequence of str, optional
        The columns that measure distances; default all numeric ones.
    embedding : array-like of shape (n, 2), optional
        Places on the map; default the principal components of `X`.
    images : array-like of shape (n, height, width) or (n, height, width, channels), or sequence of paths, optional
    text : sequence of str, optional
        One text per instance.
    internal : mapping of str to Evaluation, optional
        Internal criteria of each clustering.
    sets : ShownSets, optional
        The labels that the comparison was made from, if an instance may have several.
    k_choice : KChoice, optional
        What :func:`adjudge.choose_k` says about the number of clusters.
    result : Benchmark, Choice, KChoice, ClustersTest or Gate, optional
        A result with a section of its own, which otherwise reads only the title and the note.
    space : str
        Where the internal criteria measure distances.
    scaling : {"standard", "robust", "log"} or None
        How the map of the columns scales them: as the internal criteria do, if there are any.
    treatment : mapping
        `missing`, `noise` and `noise_label`, if there is no comparison that states them.
    note : str
        A sentence on where the data and the models come from.
    units : array-like of shape (n,), optional
        The unit that each instance belongs to.
    changes : Changes, optional
        What changed since an earlier result.
    groups : array-like of shape (n,), or mapping of names to such, optional
        The groups in which classifiers were compared.
    """

    title: str
    comparison: Comparison | None = None
    labels_true: Any = None
    models: Mapping[str, Any] | None = None
    X: Any = None
    feature_names: Sequence[str] | None = None
    features: Sequence[str] | None = None
    embedding: Any = None
    images: Any = None
    text: Sequence[str] | None = None
    internal: Mapping[str, Evaluation] | None = None
    sets: ShownSets | None = None
    k_choice: KChoice | None = None
    result: Benchmark | Choice | Evaluation | Evaluations | KChoice | ClustersTest | Gate | None = None
    space: str = AS_GIVEN
    scaling: Scaling | None = "standard"
    treatment: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    units: Any = None
    changes: Changes | None = None
    groups: Any = None
