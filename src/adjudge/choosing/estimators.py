"""Clusterers that partition points for every K: k-means, trees, scikit-learn estimators, functions, ready labels."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Codes, Floats
from adjudge.engines.running.executor import Crew
from adjudge.errors import Call, InputError, InputTypeError, Option, a_type
from adjudge.given.partitioned import dense_codes
from adjudge.inference.clusters.tree_cuts import cuts_of
from adjudge.kernels.elementary import logarithms
from adjudge.kernels.kmeans import kmeans, nearest_centroids
from adjudge.parallel import n_cores
from adjudge.progress import Progress, told_of
from adjudge.statistics.sweep import MixtureFits
from adjudge.unknown_names import close_names

__all__ = [
    "CLUSTERERS",
    "LINKAGES",
    "Clusterer",
    "Fit",
    "KMeansFit",
    "as_clusterer",
    "describe",
    "is_mixture",
    "mixture_fits",
    "n_distinct",
    "seeded",
]

Seed = np.random.SeedSequence

LINKAGES: tuple[Literal["ward", "average", "complete", "single"], ...] = (
    "ward",
    "average",
    "complete",
    "single",
)
CLUSTERERS = ("kmeans", *LINKAGES, "gaussian_mixture")

# A tree of points needs all their distances at once.
_TREE_BYTES = 2 << 30
_MAX_ITER = 300
_REPEATED_STARTS = 3
# Coordinates times runs below which a second thread is not worthwhile.
_WORTH_THREADS = 100_000


@dataclass(frozen=True, eq=False)
class Fit:
    """One partition into K clusters.

    Attributes
    ----------
    codes : ndarray of int64 of shape (n,)
        Clusters coded 0..K-1.
    labels : ndarray
        As named by the estimator.
    estimator : object
        The fitted estimator; None if there is none.
    """

    codes: Codes
    labels: NDArray[Any]
    estimator: Any = None

    @property
    def k(self) -> int:
        """Number of clusters found, possibly fewer than requested."""
        return int(self.codes.max()) + 1


class Clusterer:
    """An algorithm that partitions points.

    Attributes
    ----------
    name : str
        Name of its results.
    hierarchical : bool
        Whether the partitions are levels of a hierarchy.
    refits : bool
        Whether it can partition other points, which bootstraps need.
    """

    name: str
    hierarchical: ClassVar[bool] = False
    refits: ClassVar[bool] = True

    def fit(
        self, X: Floats, ks: Iterable[int], seed: Seed, progress: Progress | None = None
    ) -> dict[int, Fit]:
        """Partition the points into each number of clusters, and report the fits to `progress`."""
        raise NotImplementedError

    def assign(self, fit: Fit, X: Floats, others: Floats) -> Codes:
        """Classify other points by a partition of X: unless there is more to go by, by the nearest centroid."""
        origin = X[0]
        return _to_nearest(_centroids(X - origin, fit.codes), others - origin)

    def repeatable(self) -> Clusterer:
        """Return a clusterer that is light enough for many fits, one at a time in each worker."""
        return self


def _centroids(X: Floats, codes: Codes) -> Floats:
    sums = np.zeros((int(codes.max()) + 1, X.shape[1]))
    np.add.at(sums, codes, X)
    return np.asarray(sums / np.bincount(codes)[:, None])


def _to_nearest(centroids: Floats, X: Floats) -> Codes:
    codes = np.empty(X.shape[0], np.int64)
    nearest_centroids(np.ascontiguousarray(X), np.ascontiguousarray(centroids), codes)
    return codes


@dataclass(frozen=True, eq=False)
class KMeansFit:
    """A fitted k-means.

    Attributes
    ----------
    labels_ : ndarray of int64 of shape (n,)
    cluster_centers_ : ndarray of shape (K, p)
    inertia_ : float
        Sum of the squared distances of points to their centres.
    n_iter_ : int
        Iterations of the best run.
    """

    labels_: Codes
    cluster_centers_: Floats
    inertia_: float
    n_iter_: int

    def predict(self, X: Any) -> Codes:
        """Return the cluster of each point: that of the nearest centre."""
        origin = self.cluster_centers_[0]
        return _to_nearest(self.cluster_centers_ - origin, np.asarray(X, dtype=np.float64) - origin)


@dataclass(frozen=True)
class KMeans(Clusterer):
    """k-means with greedy k-means++ starts: the best of `n_init` runs."""

    n_init: int = 10
    n_threads: int | None = None
    name: str = "kmeans"

    def fit(
        self, X: Floats, ks: Iterable[int], seed: Seed, progress: Progress | None = None
    ) -> dict[int, Fit]:
        """See `Clusterer`; runs are spread over threads, which do not affect their random numbers."""
        ks = sorted(ks)
        origin = X.mean(axis=0)
        points = np.ascontiguousarray(X - origin)
        distinct = n_distinct(points, max(ks))
        if distinct < max(ks):
            raise InputError(
                f"X has {distinct} distinct {'point' if distinct == 1 else 'points'}, too few for {max(ks)} clusters "
                "(criteria read the K next to those asked for): give smaller ones to ",
                Option("k"),
            )
        runs = []
        for k in ks:
            # Each K has its own random numbers: its clusters do not depend on the range of K.
            rng = np.random.default_rng([*seed.generate_state(4).tolist(), k])
            trials = 2 + int(math.log(k))
            runs += [(k, rng.random((k, trials))) for _ in range(1 if k == 1 else self.n_init)]

        def run(i: int) -> tuple[float, int, Codes, Floats]:
            k, draws = runs[i]
            codes, centroids = np.empty(points.shape[0], np.int64), np.empty((k, points.shape[1]))
            inertia, iterations = kmeans(points, draws, _MAX_ITER, 0.0, codes, centroids)
            return inertia, iterations, codes, centroids

        # Large K take longest and go first, so that the threads finish together.
        order = sorted(range(len(runs)), key=lambda i: -runs[i][0])
        best: dict[int, tuple[float, int, Codes, Floats]] = {}
        worth = points.size * len(runs) > _WORTH_THREADS
        crew = Crew(self.n_threads or n_cores(), progress)
        crew.expect(sum(k for k, _ in runs))
        for i, found in crew.map(run, order, threads=worth):
            k = runs[i][0]
            crew.advance(k)
            if k not in best or found[0] < best[k][0]:
                best[k] = found
        fits: dict[int, Fit] = {}
        for k in ks:
            inertia, iterations, codes, centroids = best[k]
            fits[k] = Fit(codes, codes, KMeansFit(codes, centroids + origin, inertia, iterations))
        return fits

    def repeatable(self) -> KMeans:
        """Return a copy with fewer starts and one thread."""
        return KMeans(min(self.n_init, _REPEATED_STARTS), 1)

    def assign(self, fit: Fit, X: Floats, others: Floats) -> Codes:
        """Assign to the nearest centre."""
        codes: Codes = fit.estimator.predict(others)
        return codes


def n_distinct(X: Floats, enough: int) -> int:
    """Count distinct points, but stop at `enough`, so that few points are checked."""
    head = np.unique(X[: 4 * enough], axis=0).shape[0]
    return head if head >= enough else int(np.unique(X, axis=0).shape[0])


@dataclass(frozen=True)
class Tree(Clusterer):
    """Agglomerative clustering: one tree, cut at every K."""

    name: Literal["ward", "average", "complete", "single"]
    hierarchical: ClassVar[bool] = True

    def fit(
        self, X: Floats, ks: Iterable[int], seed: Seed, progress: Progress | None = None
    ) -> dict[int, Fit]:
        """See `Clusterer`; nothing is random."""
        from scipy.cluster.hierarchy import linkage

        n = X.shape[0]
        needed = n * (n - 1) // 2 * 8
        if needed > _TREE_BYTES:
            raise InputError(
                Option("estimator", self.name),
                f" needs the distances of all {n:,} points, {needed / 2**30:.1f} GiB: sample the "
                "points, or pass sklearn.cluster.AgglomerativeClustering with ",
                Option("connectivity"),
            )
        tree = linkage(X - X.mean(axis=0), self.name)
        return {k: Fit(codes, codes) for k, codes in cuts_of(tree, n, sorted(ks)).items()}

    def assign(self, fit: Fit, X: Floats, others: Floats) -> Codes:
        """Assign to the nearest point for single linkage, otherwise to the nearest centroid."""
        if self.name != "single":
            return super().assign(fit, X, others)
        from scipy.spatial import KDTree

        return np.asarray(fit.codes[KDTree(X).query(others)[1]])


def seeded(estimator: Any, seed: int) -> Any:
    """Clone an estimator, and set the random seeds that the user has left open."""
    from sklearn.base import clone

    model = clone(estimator)
    open_ends = {
        name: seed
        for name, value in model.get_params().items()
        if (name == "random_state" or name.endswith("__random_state")) and value is None
    }
    return model.set_params(**open_ends)


def describe(model: Any) -> str:
    """Describe a model, so that a changed model is not mistaken for one that was fitted before."""
    if isinstance(model, str):
        return model
    if hasattr(model, "get_params"):
        return f"{type(model).__module__}.{type(model).__qualname__} {sorted(model.get_params().items(), key=str)!r}"
    try:
        text = inspect.getsource(model)
    except (OSError, TypeError):
        text = repr(getattr(model, "__qualname__", type(model)))
    # The values that a function was created with also identify it.
    closed_over = [cell.cell_contents for cell in getattr(model, "__closure__", None) or ()]
    return f"{text} {getattr(model, '__defaults__', None)!r} {closed_over!r}"


@dataclass(frozen=True, eq=False)
class Estimator(Clusterer):
    """A scikit-learn clusterer or mixture, or a pipeline that ends in one, cloned for each K."""

    prototype: Any
    parameter: str
    name: str

    def fit(
        self, X: Floats, ks: Iterable[int], seed: Seed, progress: Progress | None = None
    ) -> dict[int, Fit]:
        """See `Clusterer`."""
        fits: dict[int, Fit] = {}
        for k in told_of(ks, progress):
            model = seeded(self.prototype, int(seed.generate_state(1)[0])).set_params(**{self.parameter: k})
            try:
                labels = np.asarray(model.fit_predict(X))
            except (ValueError, ArithmeticError) as error:
                raise InputError(f"{self.name} fails for {self.parameter}={k}: {error}") from error
            fits[k] = Fit(dense_codes(labels, X.shape[0], f"what {self.name} returned"), labels, model)
        return fits

    def assign(self, fit: Fit, X: Floats, others: Floats) -> Codes:
        """Use the estimator's predictions if it has them, else the nearest centroid."""
        if not hasattr(fit.estimator, "predict"):
            return super().assign(fit, X, others)
        predicted = np.asarray(fit.estimator.predict(others))
        # A component without points in X has no code.
        names, codes = np.unique(np.concatenate([np.asarray(fit.labels), predicted]), return_inverse=True)
        table = np.full(names.size, -1, np.int64)
        table[codes[: X.shape[0]]] = fit.codes
        found = table[codes[X.shape[0] :]]
        lost = found < 0
        if lost.any():
            found[lost] = super().assign(fit, X, others[lost])
        return found


@dataclass(frozen=True, eq=False)
class Function(Clusterer):
    """A user's function of the points and K."""

    function: Callable[[Any, int], Any]
    name: str

    def fit(
        self, X: Floats, ks: Iterable[int], seed: Seed, progress: Progress | None = None
    ) -> dict[int, Fit]:
        """See `Clusterer`."""
        fits: dict[int, Fit] = {}
        for k in told_of(ks, progress):
            # A function for several clusters need not work for a single one.
            labels = np.zeros(X.shape[0], np.int64) if k == 1 else np.asarray(self.function(X, k))
            fits[k] = Fit(dense_codes(labels, X.shape[0], f"what {self.name} returns for K = {k}"), labels)
        return fits


@dataclass(frozen=True, eq=False)
class Ready(Clusterer):
    """Partitions that already exist."""

    given: Mapping[int, Any]
    name: str = "labels"
    refits: ClassVar[bool] = False

    def fit(
        self, X: Floats, ks: Iterable[int], seed: Seed, progress: Progress | None = None
    ) -> dict[int, Fit]:
        """Check and code the labels; partitions that were not given are left out."""
        return {
            k: Fit(dense_codes(self.given[k], X.shape[0], f"labels[{k}]"), np.asarray(self.given[k]))
            for k in ks
            if k in self.given
        }


def _number_parameter(estimator: Any) -> str | None:
    """Return the name of the parameter for the number of clusters; in a pipeline, that of the last step."""
    path = ""
    while hasattr(estimator, "steps"):
        name, estimator = estimator.steps[-1]
        path += f"{name}__"
    parameters = estimator.get_params()
    return next((path + name for name in ("n_clusters", "n_components") if name in parameters), None)


def as_clusterer(estimator: Any, n_init: int | None) -> Clusterer:
    """Make a clusterer from a user's input."""
    if isinstance(estimator, str):
        return _named(estimator, n_init)
    if isinstance(estimator, Mapping):
        if not estimator or not all(isinstance(k, (int, np.integer)) for k in estimator):
            raise InputTypeError("ready labels are given as {K: labels}, with whole numbers as keys")
        return Ready({int(k): v for k, v in estimator.items()})
    if isinstance(estimator, type):
        raise InputTypeError(f"estimator is the class {estimator.__name__}: give an instance of it")
    if hasattr(estimator, "get_params") and hasattr(estimator, "fit_predict"):
        parameter = _number_parameter(estimator)
        if parameter is not None:
            return Estimator(estimator, parameter, type(estimator).__name__)
        raise InputError(
            f"{type(estimator).__name__} has neither n_clusters nor n_components, so choose_k "
            "cannot set the number of clusters"
        )
    if callable(estimator):
        return Function(estimator, getattr(estimator, "__name__", type(estimator).__name__))
    if isinstance(estimator, (Sequence, np.ndarray, np.integer, int)):
        raise InputTypeError(
            f"estimator has {a_type(estimator)} where a clusterer is needed: give labels with their numbers of "
            "clusters, {K: labels}, or by name to ",
            Call("choose"),
        )
    raise InputTypeError(
        f"estimator is {a_type(estimator)}: give one of {', '.join(map(repr, CLUSTERERS))}, a scikit-learn "
        "estimator, a function (X, k) -> labels, or ready labels {K: labels}"
    )


def _named(name: str, n_init: int | None) -> Clusterer:
    if name == "kmeans":
        return KMeans(10 if n_init is None else n_init)
    for linkage in LINKAGES:
        if name == linkage:
            return Tree(linkage)
    if name == "gaussian_mixture":
        from sklearn.mixture import GaussianMixture

        return Estimator(GaussianMixture(n_init=1 if n_init is None else n_init), "n_components", name)
    close = close_names(name, CLUSTERERS, 1, cutoff=0.7)
    remedy = f"did you mean {close[0]!r}? There are" if close else "choose one of"
    raise InputError(Option("estimator", name), f" is not known: {remedy} {', '.join(map(repr, CLUSTERERS))}")


def is_mixture(fit: Fit) -> bool:
    """Whether the estimator is a mixture with a likelihood: it has `bic`, `aic`, `score` and `predict_proba`."""
    return all(hasattr(fit.estimator, name) for name in ("bic", "aic", "score", "predict_proba"))


def mixture_fits(X: np.ndarray[Any, Any], fits: Mapping[int, Fit]) -> MixtureFits:
    """Read likelihoods, numbers of parameters and posterior probabilities."""
    n = X.shape[0]
    likelihood: dict[int, float] = {}
    parameters: dict[int, int] = {}
    certainty: dict[int, float] = {}
    for k, fit in fits.items():
        model = fit.estimator
        likelihood[k] = float(model.score(X)) * n
        parameters[k] = round((float(model.aic(X)) + 2 * likelihood[k]) / 2)
        certainty[k] = float(logarithms(model.predict_proba(X).max(axis=1)).sum())
    return MixtureFits(n, likelihood, parameters, certainty)
