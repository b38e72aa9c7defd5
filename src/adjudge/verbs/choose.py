"""The verb `choose` recommends one of several clusterings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np

from adjudge.choosing.candidates import Cuts
from adjudge.errors import Call, InputError, InputTypeError, Option, a_type
from adjudge.files.coordinates import coordinates_of
from adjudge.given.alignment import check_same_order
from adjudge.given.annotated import graph_named, is_annotated
from adjudge.given.arrays import taking_arrays
from adjudge.given.gower import GOWER
from adjudge.given.graph import Graph
from adjudge.given.linkage import Linkage
from adjudge.given.metrics import Metric
from adjudge.given.option_groups import Compute, with_points
from adjudge.given.options import check_choice, check_jobs, resamples, seed_sequence
from adjudge.given.point_options import PointOptions
from adjudge.given.points import as_points
from adjudge.given.scaling import as_scaling, standardized
from adjudge.indices.record import Index
from adjudge.kinds.given import Given
from adjudge.kinds.registry import kind_at_sight
from adjudge.kinds.request import EvaluationRequest, named_options
from adjudge.presentation.tables import backend_of
from adjudge.progress import StagedProgress
from adjudge.results import Choice
from adjudge.results.notice import Notice
from adjudge.results.point_notices import notices_of_columns, notices_of_use
from adjudge.tables.annotated import usual_points
from adjudge.tables.edges import Links, edges_given
from adjudge.tables.source import is_a_table, open_given, rows_of
from adjudge.unknown_names import check_known, checked_call
from adjudge.usual_seed import USUAL_SEED
from adjudge.verbs.candidate_columns import (
    candidates_in_columns,
    candidates_in_file,
    labels_by_name,
    without_gaps,
)
from adjudge.verbs.choose_k import numbers_of_clusters

__all__ = ["choose"]

# Two candidates are equivalent at or above this agreement, or at or below this distance.
_EQUIVALENT = {"ari": 0.95, "ami": 0.95, "vi": 0.1}


@checked_call
@taking_arrays
def choose(
    X: Any = None,
    candidates: Any = None,
    *,
    graph: Any = None,
    directed: bool | None = None,
    key: str | None = None,
    linkage: Any = None,
    k: int | Iterable[int] | None = None,
    features: Sequence[str] | None = None,
    standardize: bool | Literal["standard", "robust", "log"] = False,
    grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]] | None = None,
    indices: str | Index | Iterable[str | Index] = "default",
    by: str | None = None,
    metric: Metric = "euclidean",
    missing: Literal["raise", "drop"] = "raise",
    noise: Literal["drop", "singletons", "cluster"] = "drop",
    noise_label: Any = -1,
    agreement: Literal["ari", "ami", "vi"] = "ari",
    equivalent: float | None = None,
    sample_size: int | None = None,
    stability: bool | int = False,
    random_state: Any = USUAL_SEED,
    work: str | Path | None = None,
    n_jobs: int | None = None,
    progress: StagedProgress | bool | None = None,
    compute: Compute | None = None,
    **points_options: Any,
) -> Choice:
    """Choose among clusterings of the same points that differ in any setting, not only in the number of clusters.

    Parameters
    ----------
    X : array-like of shape (n, p), data frame, path, scipy sparse matrix, or distances of shape (n, n), optional
        Points, one per row, or their distances with ``metric="precomputed"``. A path names a table, or a .npy file of
        points. Estimators are fitted to X as it is. Of
        an AnnData, the points are ``obsm["X_pca"]``. Not needed with a graph, nor for soft clusterings.
    candidates : mapping, data frame, estimator, or sequence of estimators or of names
        Labels, scikit-learn clusterers, pipelines or functions ``X -> labels`` by name; a data frame with one column
        of labels per candidate; names of such columns in a data frame `X`, which are then not used as coordinates, in
        a file or an AnnData; "leiden_*" names all that begin so; or one clusterer with `grid`. Or soft
        clusterings by name, each as :class:`~adjudge.Memberships`.
    graph : Graph, or what one is made from, optional
        Judge the candidates as communities of a graph, and not from points. Of an AnnData, the name of an entry of
        `obsp`. With a table `X`: also the path of a table of edges, or a data frame: two columns of vertices, and
        perhaps one of weights.
    directed : bool, optional
        Whether the edges of such a table have a direction.
    key : str, optional
        The column of `X` with the names of the vertices in such a table. Default: they are row numbers, from 0.
    linkage : Linkage, or what one is made from, optional
        The candidates are cuts of this tree; they are judged from `X` or `graph`.
    k : iterable of int, optional
        Numbers of clusters of the cuts. Default: 2 to 10.
    features : sequence of str, optional
        Of a table: the columns that are coordinates, or patterns such as ``x_*``. Default: all columns of
        numbers that neither look like identifiers or labels nor equal the labels. Of an AnnData, another entry of
        `obsm`.
    standardize : bool or {"standard", "robust", "log"}, default False
        Bring the columns to one scale before anything else: mean 0 and standard deviation 1 (True), median 0 and
        interquartile range 1 ("robust"), or after taking logarithms of skewed columns ("log").
    grid : mapping of str to sequence, or sequence of such mappings, optional
        Settings of the clusterer, as for scikit-learn's `ParameterGrid`.
    indices : "default", "all", a name or record, or several, default "default"
        Criteria that can rank single partitions, without a sweep over K. If criteria are named, these alone vote; those
        of the consensus are shown beside them. With a graph or soft clusterings, "default" means those of
        :func:`~adjudge.evaluate` and all that vote.
    by : str, optional
        What ranks the candidates: a criterion; "mean_rank", over all criteria that vote; or "consensus", the default
        for points, the mean of five terms: the rank by CVNN times the coverage; the rank by coverage times the
        generalised Dunn index 22; the agreement with the other candidates; the coverage if any candidate has noise,
        else the rank by DBCV; and twice the share of points outside the largest cluster (at most 1). Default with a
        graph: "modularity"; for soft clusterings: "fuzzy_silhouette", or else "modified_partition_coefficient".
    metric : str or callable, default "euclidean"
        A name from SciPy or scikit-learn, "precomputed", "gower" for columns of any kind, or a function of two points.
    missing : {"raise", "drop"}, default "raise"
        What to do with points that lack a coordinate, or a label in some candidate; "drop" leaves them out for all.
    noise : {"drop", "singletons", "cluster"}, default "drop"
        Whether criteria leave noise out (DISCO judges it all the same), treat each noise point as its own cluster, or
        treat all noise as one cluster. `Choice.coverage` is always the share of points that are not noise.
    noise_label : default -1
    agreement : {"ari", "ami", "vi"}, default "ari"
        How to measure the agreement of candidates: adjusted Rand, adjusted mutual information, or variation
        of information. Noise counts as an ordinary label here.
    equivalent : float, optional
        Lowest agreement of equivalent candidates; default 0.95. For "vi", the largest distance; default 0.1 nats.
    sample_size : int, optional
        Estimate the criteria from this many random points, and a few more from clusters that would be missed.
        Default: 5,000, which a note says. The number of points reads all. Coverage and agreement are of all points
        either way.
    stability : bool or int, default False
        Refit each candidate to this many resamples (True: 50) of each of four kinds: bootstrap samples, subsets, points
        with added noise, and halves.
    random_state : int, numpy Generator or RandomState, or None, default 0
        Seed, also for estimators whose random_state is None: the same call gives the same answer. With None it varies.
    work : path-like, optional
        Folder for finished work: the labels of each fitted candidate, the statistics behind its criteria, and its
        stability. Nothing found there is computed again, so an interrupted call resumes; this needs an integer
        `random_state`. Candidates whose labels are read from the folder have no fitted estimator.
    n_jobs : int, optional
        Number of workers for repeated fits, and of threads; -1 and the default mean one per core.
    progress : callable or bool, optional
        Called as ``progress(what, done, total)``; False shows nothing. Default: a bar on a terminal or in a notebook;
        True also writes a line every 30 seconds elsewhere.
    compute : Compute, optional
        Threads, memory, engine and checkpoint of the passes over points.
    **points_options
        Further options for points, such as `n_neighbors`, `dimension`, `tree` and `min_points`.

    Returns
    -------
    Choice
        ``.best`` is the recommended candidate and ``.probability`` how certain that is (below 10 %, none is
        recommended); ``.ranking``, ``.values`` and ``.votes`` say why, ``.warnings`` what speaks against it, and
        ``.groups`` which candidates are equivalent.

    Raises
    ------
    InputError
        If an input cannot be used, or a candidate cannot be fitted (the message names it).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import DBSCAN
    >>> from adjudge import choose
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(m, 0.3, size=(40, 2)) for m in (0, 3, 6)])
    >>> choice = choose(X, DBSCAN(), grid={"eps": [0.1, 0.2, 0.5, 1.0, 3.0]}, indices=["dbcv", "silhouette"])
    >>> choice.best, choice.n_clusters[choice.best], choice.coverage[choice.best]
    ('eps=0.5', 3, 1.0)
    >>> choice.groups[0]
    ('eps=0.5', 'eps=1.0')
    """
    from adjudge.choosing.choose_among import ChoiceOptions, choose_among
    from adjudge.choosing.choose_structures import choose_structures
    from adjudge.choosing.sampling import check_sample_size

    if isinstance(X, Mapping):
        raise InputTypeError(f"X is {a_type(X)}: the points come first, as in choose(X, candidates)")
    check_choice("missing", missing, ("raise", "drop"))
    check_choice("noise", noise, ("drop", "singletons", "cluster"))
    check_choice("agreement", agreement, tuple(_EQUIVALENT))
    check_sample_size(sample_size)
    X, points_options = with_points(X, compute, points_options)
    metric, n_jobs = points_options.pop("metric", metric), points_options.pop("n_jobs", n_jobs)
    progress = points_options.pop("progress", progress)
    check_jobs(n_jobs)
    if work is not None and not isinstance(random_state, (int, np.integer)):
        raise InputError(
            Option("work", str(work)),
            " needs a whole number as ",
            Option("random_state"),
            ": with other seeds the same work would not be done again",
        )
    check_known(points_options, (*named_options(choose), *PointOptions.names()), "choose()")
    if directed is not None or key is not None or (edges_given(graph) and not is_annotated(X)):
        if graph is None:
            option = "directed" if key is None else "key"
            raise InputError(
                Option(option), " is an option for graphs: give their edges with ", Option("graph")
            )
        graph = _graph_of(X, Links(graph_named(X, graph) if is_annotated(X) else graph, directed, key=key))
    beside: Sequence[str] = ()
    said: tuple[Notice, ...] = ()
    if (in_file := candidates_in_file(X, candidates, noise_label)) is not None:
        candidates, noise_label, said = in_file
        beside = list(candidates)
        X = X if graph is None else None
    options = ChoiceOptions(
        indices=indices,
        by=by,
        points=PointOptions(metric=metric, n_jobs=n_jobs, **points_options),
        noise=noise,
        noise_label=noise_label,
        agreement=agreement,
        equivalent=_EQUIVALENT[agreement] if equivalent is None else float(equivalent),
        sample_size=sample_size,
        stability=resamples("stability", stability),
        seed=seed_sequence(random_state),
        n_jobs=n_jobs,
        progress=progress,
        backend=backend_of(X),
        work=work,
    )
    if linkage is not None or k is not None:
        candidates = _cuts(candidates, linkage, k)
    if candidates is None:
        raise InputTypeError(
            "choose() has no candidates: give labels or estimators by name, or a tree of clusters as ",
            Option("linkage"),
        )
    check_same_order({"X": X, "candidates": candidates})
    precomputed = options.points.metric == "precomputed"
    X, candidates, graph = candidates_in_columns(X, candidates, graph)
    structures = Given(labels=candidates, structures={"graph": graph})
    if (kind := kind_at_sight(EvaluationRequest(), structures)) is not None:
        given = {
            "grid": grid is not None,
            "features": features is not None,
            "standardize": as_scaling(standardize) is not None,
            "metric": options.points.metric != "euclidean",
            "missing": missing != "raise",
            "sample_size": sample_size is not None,
            "stability": bool(options.stability),
            "work": work is not None,
            **dict.fromkeys(points_options, True),
        }
        if unread := [name for name, is_given in given.items() if is_given]:
            raise kind.refusal(unread[0])
        keywords = {} if graph is None else {"graph": graph}
        choice = choose_structures(None if X is None else as_points(X), candidates, keywords, options)
        return replace(choice, warnings=(*said, *choice.warnings))
    if X is None:
        raise InputTypeError(
            "choose() has nothing to judge the candidates from: give ", Option("X"), " or ", Option("graph")
        )
    labels = labels_by_name(candidates)
    if precomputed:
        points = as_points(X)
    else:
        are_mixed, gaps = options.points.metric == GOWER, missing == "drop"
        _check_mixed(candidates, standardize, are_mixed=are_mixed)
        points = coordinates_of(X, labels, features=features, beside=beside, gaps=gaps, are_mixed=are_mixed)
    complete = points = standardized(points, as_scaling(standardize))
    left_out: tuple[Notice, ...] = ()
    if missing == "drop":
        complete, candidates, left_out = without_gaps(points, candidates, labels, precomputed)
    choice = choose_among(complete.values, candidates, grid, options)
    of_file = isinstance(X, (str, PathLike)) and features is None
    notices: tuple[Notice, ...] = ()
    if options.points.metric == GOWER:
        notices = notices_of_use(complete.columns, complete.left_out, of_file=of_file)
    elif not precomputed:
        notices = notices_of_columns(complete, of_file=of_file)
    return replace(
        choice,
        warnings=(*said, *usual_points(X, features), *left_out, *notices, *choice.warnings),
        columns=None if points.columns is None else tuple(map(str, points.columns)),
        scaling=as_scaling(standardize),
    )


def _check_mixed(candidates: Any, standardize: Any, *, are_mixed: bool) -> None:
    """Raise for what Gower's distance does not take: scaling, and clusterers, which read coordinates."""
    if not are_mixed:
        return
    if as_scaling(standardize) is not None:
        raise InputError(
            Option("standardize"), " is not for Gower's distance, which divides by ranges: leave it out"
        )
    several = list(candidates.values()) if isinstance(candidates, Mapping) else [candidates]
    if any(hasattr(own, "fit") for own in several):
        raise InputError(
            Option("metric", GOWER), " is of columns that no clusterer reads: give labels, not estimators"
        )


def _graph_of(X: Any, links: Links) -> Any:
    """Read a table of edges between the rows of `X`."""
    links.check_edges()
    if not is_a_table(X):
        if not isinstance(links.graph, (str, PathLike)) and links.key is None:
            return Graph(links.graph, directed=links.directed)
        raise InputError(
            Option("graph"), " is a table of edges between rows of ", Option("X"), ": give its table"
        )
    return links.read_graph(rows_of(open_given(X)))


def _cuts(candidates: Any, linkage: Any, k: int | Iterable[int] | None) -> Cuts:
    """Return the cuts of a tree as candidates."""
    if linkage is None:
        raise InputError(
            Option("k"),
            " chooses cuts of a tree: give it as ",
            Option("linkage"),
            ", or use ",
            Call("choose_k"),
        )
    if candidates is not None:
        raise InputError(
            "candidates are the cuts of ", Option("linkage"), ": leave out other ones, or the tree"
        )
    tree = Linkage.read(linkage)
    numbers = range(2, min(11, tree.n)) if k is None else k
    return Cuts(tree, numbers_of_clusters(numbers, tree.n, (), least=2))
