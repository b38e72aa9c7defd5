"""The verb `choose_k` recommends the number of clusters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import Argument, Call, InputError, InputTypeError, Option, a_type
from adjudge.files.coordinates import coordinates_of
from adjudge.given.alignment import check_same_order
from adjudge.given.arrays import taking_arrays
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Column, code_labels
from adjudge.given.options import check_choice, check_count, check_jobs, resamples, seed_sequence
from adjudge.given.scaling import as_scaling, standardized
from adjudge.indices.record import Index
from adjudge.presentation.tables import backend_of
from adjudge.progress import StagedProgress
from adjudge.results import KChoice
from adjudge.results.notice import Notice
from adjudge.results.point_notices import notices_of_columns
from adjudge.tables.annotated import usual_points
from adjudge.unknown_names import checked_call
from adjudge.usual_seed import USUAL_SEED

if TYPE_CHECKING:
    from adjudge.choosing.estimators import Clusterer
    from adjudge.given.points import DataMatrix

__all__ = ["choose_k", "numbers_of_clusters"]

# Default numbers of clusters to compare.
_DEFAULT = range(2, 11)
# Nobody reads descriptions of more columns or clusters than this.
_MOST_DESCRIBED, _MOST_CLUSTERS = 64, 30


@checked_call
@taking_arrays
def choose_k(
    X: Any,
    estimator: Any = "kmeans",
    k: int | Iterable[int] | None = None,
    *,
    features: Sequence[str] | None = None,
    standardize: bool | Literal["standard", "robust", "log"] = False,
    indices: str | Index | Iterable[str | Index] = "default",
    missing: Literal["raise", "drop"] = "raise",
    noise: Literal["cluster", "drop"] = "cluster",
    noise_label: Any = -1,
    sample_size: int | None = None,
    n_init: int | None = None,
    random_state: Any = USUAL_SEED,
    tally: Literal["families", "raw"] = "families",
    stability: bool | int = False,
    n_resamples: int | None = None,
    calibration: bool | int = False,
    n_references: int = 100,
    reference: Literal["pca", "uniform"] = "pca",
    work: str | Path | None = None,
    n_jobs: int | None = None,
    progress: StagedProgress | bool | None = None,
) -> KChoice:
    """Choose the number of clusters: every criterion's values and vote, and a recommendation with reasons.

    Parameters
    ----------
    X : array-like of shape (n, p), data frame, AnnData, or path
        Points, one per row, whose distances are Euclidean: :func:`adjudge.choose` compares labels by other metrics.
        Scale the columns first if their units differ. Columns of a data frame that look like
        identifiers or labels, or hold text, are left out, and a note says so. A path names a table,
        or a .npy file of points. Of an AnnData, the points are ``obsm["X_pca"]``.
    estimator : str, estimator, callable, mapping, or several, default "kmeans"
        What partitions the points: "kmeans", "gaussian_mixture", a hierarchical linkage ("ward", "average", "complete",
        "single"), a scikit-learn clusterer or mixture with `n_clusters` or `n_components`, a pipeline ending in one, a
        function ``(X, k) -> labels``, or existing partitions ``{k: labels}``. A list, or a dictionary by name, compares
        several. The criteria judge the given points, not the points after a pipeline's transforms.
    k : iterable of int, optional
        Numbers of clusters to compare. Default: 2 to 10, or fewer if there are too few distinct points; for existing
        partitions, their numbers. 1 may be among them: the gap, the information criteria of mixtures and the
        prediction strength compare it, and for the other criteria and the verdict it is undefined.
    features : sequence of str, optional
        Of a table: the columns that are coordinates, or patterns such as ``x_*``. Default: all columns of
        numbers that look like neither identifiers nor labels. Of an AnnData, another entry of `obsm`.
    standardize : bool or {"standard", "robust", "log"}, default False
        Bring the columns to one scale before anything else: mean 0 and standard deviation 1 (True), median 0 and
        interquartile range 1 ("robust"), or after taking logarithms of skewed columns ("log").
    indices : "default", "all", a name or record, or several, default "default"
        "default" means the five criteria behind the recommendation and the four most cited ones, "all" every criterion
        that needs no further fits. "gap" needs them and must be named: ``indices=["default", "gap"]``. Without the
        five, the number with the most votes is recommended, without a probability.
    missing : {"raise", "drop"}, default "raise"
        What to do with points that lack a coordinate, or a label in an existing partition; "drop" leaves them out.
    noise : {"cluster", "drop"}, default "cluster"
        Whether points labelled `noise_label` form an ordinary cluster, or are left out of all partitions.
        "singletons" is not possible, because it would change the numbers of clusters.
    noise_label : default -1
        The label of noise, in existing partitions or from an estimator or function.
    sample_size : int, optional
        Estimate the criteria from this many random points, and a few more from clusters that would be missed.
        Default: 5,000, which a note says; most criteria use all distances, which would take far longer than the fits.
        The number of points reads all. All points are clustered either way.
    n_init : int, optional
        Random starts of "kmeans" (default 10) and of "gaussian_mixture" (default 1).
    random_state : int, numpy Generator or RandomState, or None, default 0
        Seed: the same call gives the same answer. With None it varies.
    tally : {"families", "raw"}, default "families"
        Whether near-duplicate criteria share one vote in `KChoice.tally` or vote separately.
    stability : bool or int, default False
        Resample the points this many times (True: 50) and add prediction strength, instability, consensus and the
        clusters' bootstrap Jaccard similarities.
    n_resamples : int, optional
        Number of bootstrap samples in which to repeat the recommendation; default: none.
    calibration : bool or int, default False
        Compare each value with those of this many random partitions of the points (True: 50), to make criteria
        comparable in `KChoice.calibrated`.
    n_references : int, default 100
        Number of reference data sets for the gap statistic.
    reference : {"pca", "uniform"}, default "pca"
        Whether the reference data fill a box along the principal components, or along the coordinates.
    work : path-like, optional
        Folder that keeps the statistics behind the criteria of each partition, so that an interrupted call can
        resume. The points are clustered again; partitions are recognised by their labels.
    n_jobs : int, optional
        Number of workers for repeated fits, and of threads; -1 and the default mean one per core.
    progress : callable or bool, optional
        Called as ``progress(what, done, total)``; False shows nothing. Default: a bar on a terminal or in a notebook;
        True also writes a line every 30 seconds elsewhere.

    Returns
    -------
    KChoice
        ``.there_are`` says whether there are clusters: whether two halves of the points agree on some. ``.k`` is the
        recommendation, None if they do not, or if probably no partition shows them. ``.probability`` says how probable
        each number is, ``.answers`` which other numbers stand out. ``.votes`` and ``.values`` are the basis;
        ``.labels[k]`` holds the partitions.

    Raises
    ------
    InputError
        If an input cannot be used.

    Examples
    --------
    >>> import numpy as np
    >>> from adjudge import choose_k
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(m, 0.3, size=(40, 2)) for m in (0, 3, 6)])
    >>> choice = choose_k(X, k=range(2, 7), random_state=0)
    >>> choice.k, choice.votes["silhouette"], round(choice.probability[3], 2)
    (3, 3, 0.97)
    """
    from adjudge.choosing.recommending import Options, recommend, recommend_one
    from adjudge.choosing.sampling import check_sample_size

    check_choice("tally", tally, ("families", "raw"))
    check_choice("missing", missing, ("raise", "drop"))
    check_choice("noise", noise, ("cluster", "drop"))
    check_choice("reference", reference, ("pca", "uniform"))
    check_count("n_references", n_references)
    check_sample_size(sample_size)
    if n_init is not None:
        check_count("n_init", n_init)
    check_jobs(n_jobs)
    check_same_order({"X": X, "estimator": estimator})
    points = coordinates_of(X, {}, features=features, gaps=missing == "drop")
    if hasattr(points.values, "indptr"):
        raise InputError(Argument("X"), " is sparse: choose_k clusters dense points, pass X.toarray()")
    given, points = points, standardized(points, as_scaling(standardize))
    named = _estimators(estimator, n_init)
    left_out: tuple[Notice, ...] = ()
    if missing == "drop":
        given = _without_gaps(given, {**named})[0]
        points, named, left_out = _without_gaps(points, named)
    values = np.ascontiguousarray(points.values, dtype=np.float64)
    options = Options(
        ks=numbers_of_clusters(k, values.shape[0], named.values(), values),
        indices=indices,
        labels=LabelOptions(noise=noise, noise_label=noise_label),
        sample_size=sample_size,
        n_init=n_init,
        seed=seed_sequence(random_state),
        by_family=tally == "families",
        stability=resamples("stability", stability),
        n_resamples=resamples("n_resamples", n_resamples),
        calibration=resamples("calibration", calibration),
        n_references=n_references,
        reference=reference,
        n_jobs=n_jobs,
        progress=progress,
        backend=backend_of(X),
        work=work,
    )
    if len(named) == 1:
        found = recommend_one(values, *next(iter(named.items())), options)
    else:
        found = recommend({name: recommend_one(values, name, c, options) for name, c in named.items()})
    remedy = (
        "choose_k reads no distances; ",
        Call("choose"),
        " compares labels by distances, with ",
        Option("metric", "precomputed"),
    )
    of_file = isinstance(X, (str, PathLike)) and features is None
    said = usual_points(X, features)
    notices = notices_of_columns(points, remedy=remedy, of_file=of_file)
    found = replace(
        found,
        warnings=(*said, *left_out, *notices, *found.warnings),
        columns=None if points.columns is None else tuple(map(str, points.columns)),
        scaling=as_scaling(standardize),
    )
    return _profiled(found, np.asarray(given.values, np.float64), points.columns)


def _without_gaps(
    points: DataMatrix, named: dict[str, Clusterer]
) -> tuple[DataMatrix, dict[str, Clusterer], tuple[Notice, ...]]:
    """Leave out the points with a gap, or without a label in an existing partition."""
    from adjudge.choosing.estimators import Ready
    from adjudge.verbs.candidate_columns import without_gaps

    ready = {name: own for name, own in named.items() if isinstance(own, Ready)}
    given = {(name, k): labels for name, own in ready.items() for k, labels in own.given.items()}
    labels = {key: Column.of(values, f"labels[{key[1]}]") for key, values in given.items()}
    points, left, notices = without_gaps(points, given, labels)
    if notices:
        for name, own in ready.items():
            found = {k: left[name, k].given() for k in own.given}
            named[name] = replace(own, given=found)
    return points, named, notices


def _profiled(k_choice: KChoice, values: NDArray[np.float64], columns: Sequence[str] | None) -> KChoice:
    """Describe the clusters of the recommended partition, or else of the most probable one, by values as given."""
    from adjudge.choosing.profiles import profiles_of

    k = k_choice.likeliest
    if k is None or k == 1 or values.shape[1] > _MOST_DESCRIBED:
        return k_choice
    codes, labels = code_labels(k_choice.labels[k], "labels").dense()
    names = columns if columns is not None else [f"x{i}" for i in range(values.shape[1])]
    profiles = profiles_of(values, list(map(str, names)), codes, labels)
    return replace(k_choice, profiles=tuple(profiles[:_MOST_CLUSTERS]))


def numbers_of_clusters(
    k: int | Iterable[int] | None,
    n: int,
    clusterers: Iterable[Clusterer],
    X: NDArray[np.float64] | None = None,
    least: int = 1,
) -> tuple[int, ...]:
    """Check the numbers of clusters to compare of n points, or return the default ones; ascending, each once.

    The default ones are fewer if X holds few distinct points.
    """
    from adjudge.choosing.estimators import Ready, n_distinct

    if k is not None and (isinstance(k, str) or not isinstance(k, (int, np.integer, Iterable))):
        raise InputTypeError(f"k is {a_type(k)}: give the numbers of clusters to compare, as range(2, 11)")
    if n < 3:
        raise InputError(
            f"there {'is 1 point' if n == 1 else f'are {n} points'}: at least 3 are needed to compare K"
        )
    asked: list[int] = []
    if k is None:
        for clusterer in clusterers:
            asked += (
                [own for own in clusterer.given if own > 1]
                if isinstance(clusterer, Ready)
                else _default_numbers(n, X)
            )
    else:
        asked = [k] if isinstance(k, (int, np.integer)) else list(k)
    for number in asked:
        if isinstance(number, (bool, np.bool_)) or not isinstance(number, (int, np.integer)):
            raise InputTypeError(f"k holds {number!r}: give whole numbers")
        if not least <= number < n:
            raise InputError(
                Option("k", number),
                f" is out of range: {n} points allow {least} to {n - 1} clusters",
            )
    if k is not None and X is not None and not all(isinstance(own, Ready) for own in clusterers):
        _check_distinct(n_distinct(X, 3))
    if not asked and k is None:
        raise InputError(
            "no partition has two clusters: give labels with their numbers of clusters, {K: labels}"
        )
    if not asked:
        raise InputError("k is empty: give the numbers of clusters to compare, range(2, 11) for instance")
    if max(asked) == 1:
        raise InputError(Option("k", 1), " is compared with nothing: give larger numbers, too")
    return tuple(sorted({int(number) for number in asked}))


def _default_numbers(n: int, X: NDArray[np.float64] | None) -> range:
    """Return 2 to 10, or fewer: criteria also read the next larger number, and clusters need a point of their own."""
    from adjudge.choosing.estimators import n_distinct

    distinct = n if X is None else n_distinct(X, _DEFAULT.stop)
    _check_distinct(distinct)
    return _DEFAULT[: distinct - 2]


def _check_distinct(found: int) -> None:
    if found < 3:
        raise InputError(
            Argument("X"),
            f" has {found} distinct {'point' if found == 1 else 'points'}: at least 3 are needed to compare K",
        )


def _estimators(estimator: Any, n_init: int | None) -> dict[str, Clusterer]:
    """Name the estimators; a mapping from integers to labels counts as one estimator."""
    from adjudge.choosing.estimators import as_clusterer

    by_number = isinstance(estimator, Mapping) and all(
        isinstance(key, (int, np.integer)) for key in estimator
    )
    if isinstance(estimator, Mapping) and estimator and not by_number:
        return {str(name): as_clusterer(item, n_init) for name, item in estimator.items()}
    if isinstance(estimator, Sequence) and not isinstance(estimator, str):
        if not estimator:
            raise InputError("estimator is empty: give one, or several")
        named: dict[str, Clusterer] = {}
        for item in estimator:
            clusterer = as_clusterer(item, n_init)
            name, number = clusterer.name, 2
            while name in named:
                name, number = f"{clusterer.name}_{number}", number + 1
            named[name] = clusterer
        return named
    clusterer = as_clusterer(estimator, n_init)
    return {clusterer.name: clusterer}
