"""What a section of the page is made from: results, and what is known about the instances, checked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from adjudge._report.features import Features, PlaneMap, given_map, principal_map, read_features
from adjudge._report.images import Pictures, PixelPictures, read_pictures
from adjudge._report.instances import Instances
from adjudge._report.label_sets import ShownSets
from adjudge.errors import InputError
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Labels
from adjudge.given.options import given_names
from adjudge.given.scaling import Scaling
from adjudge.results import Comparison, Evaluation, Evaluations
from adjudge.results.differences import ScoreDifference
from adjudge.results.head_to_head import HeadToHead

if TYPE_CHECKING:
    from adjudge.inference.clusters.cluster_tests import ClustersTest
    from adjudge.results import Choice, KChoice
    from adjudge.results.benchmark import Benchmark
    from adjudge.results.by_class import ClassifierEvaluation
    from adjudge.results.gate import Gate

__all__ = [
    "AS_GIVEN",
    "BEFORE",
    "Changes",
    "Material",
    "Section",
    "material_of",
]

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
    evaluations : mapping of str to ClassifierEvaluation, optional
        Each classifier by class, and its probabilities if there are any.
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
    evaluations: Mapping[str, ClassifierEvaluation] | None = None
    k_choice: KChoice | None = None
    result: Benchmark | Choice | Evaluation | Evaluations | KChoice | ClustersTest | Gate | None = None
    space: str = AS_GIVEN
    scaling: Scaling | None = "standard"
    treatment: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    units: Any = None
    changes: Changes | None = None
    groups: Any = None


@dataclass(frozen=True, eq=False)
class Material:
    """What a section says about its instances, checked."""

    instances: Instances
    features: Features | None
    plane: PlaneMap | None
    pictures: Pictures | None
    text: list[str] | None

    # A column for each pixel would bury the table, and says little beside the picture.
    pixels: bool

    @property
    def columns(self) -> Features | None:
        """The columns that are worth showing."""
        return None if self.pixels else self.features


def _labels_of(section: Section) -> dict[str, Any]:
    """Return the names of columns that hold no coordinates: the labels of the models, the truth and the units."""
    beside = {"labels_true": section.labels_true, "units": section.units}
    return {name: own for name, own in beside.items() if own is not None} | dict(section.models or {})


def material_of(section: Section) -> Material | None:
    """Check what a section says about its instances; None if it does not show any."""
    if section.models is None:
        return None
    if section.comparison is None:
        instances = Instances.without_truth(section.models, section.treatment)
    elif section.labels_true is None:
        return None
    else:
        given = section.comparison, section.labels_true, section.models
        instances = Instances.from_labels(*given, section.units, section.groups)
    n = instances.n_given
    features = (
        None
        if section.X is None
        else read_features(
            section.X,
            section.feature_names,
            n,
            section.features,
            _labels_of(section),
            gaps=LabelOptions(**section.treatment).drops_missing,
        )
    )
    text = None if section.text is None else [str(t) for t in given_names("text", section.text)]
    if text is not None and len(text) != n:
        raise InputError(f"text has {len(text)} entries, but there are {n} instances")
    pictures = None if section.images is None else read_pictures(section.images, n)
    pixels = (
        features is not None
        and isinstance(pictures, PixelPictures)
        and len(features.columns) == math.prod(np.shape(section.images)[1:])
    )
    plane = None
    if section.embedding is not None:
        plane = given_map(section.embedding, n)
    elif features is not None:
        plane = principal_map(features, None if pixels else section.scaling)
    return Material(instances, features, plane, pictures, text, pixels)
