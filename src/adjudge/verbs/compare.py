"""The verb `compare` tells which model is right where another is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from adjudge.deprecation import former_options
from adjudge.errors import InputError, InputTypeError, Option
from adjudge.given.alignment import AlignedLabels, align_labels
from adjudge.given.counts import checked_counts
from adjudge.given.data_frames import read_data_frame
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Labels
from adjudge.given.options import check_choice
from adjudge.given.things import Prediction, Truth
from adjudge.indices.catalog import is_all, list_indices, select_indices
from adjudge.indices.kinds import Kind
from adjudge.indices.record import Index
from adjudge.presentation.tables import backend_of
from adjudge.results import Comparison, HeadToHead
from adjudge.results.label_notices import label_notices, nothing_dropped
from adjudge.results.score import Score
from adjudge.statistics.agreement import (
    KINDS,
    Agreement,
    JoinedPairs,
    pairs_per_instance,
)
from adjudge.statistics.contingency import Contingency, count_labels
from adjudge.statistics.forecasts import ProbabilityForecasts
from adjudge.statistics.making import lacking_of
from adjudge.statistics.pair_counts import sum_of_pairs
from adjudge.verbs.classifiers import ClassifierOptions, check_options
from adjudge.verbs.classifiers_compared import (
    ClassificationSource,
    CodedModels,
    code_models,
    compare_groups,
    with_differences,
)
from adjudge.verbs.judging import check_all_there, judged_table, with_intervals
from adjudge.verbs.request import EvaluationRequest

if TYPE_CHECKING:
    from adjudge.inference.head_to_head import PairInference

__all__ = ["compare", "head_to_heads"]

DEFAULT_INDICES = {
    "clustering": (
        "adjusted_rand",
        "ami",
        "adjusted_asymmetric_accuracy",
        "rand",
        "jaccard",
        "homogeneity",
        "completeness",
    ),
    "classification": ("accuracy", "balanced_accuracy", "macro_precision", "macro_f1", "cohen_kappa"),
}


@former_options(scores="indices")
def compare(
    labels_true: Any,
    models: Mapping[str, Any] | Any = None,
    *,
    kind: Literal["clustering", "classification"],
    indices: str | Index | Iterable[str | Index] = "default",
    counts: Any = None,
    probabilities: Mapping[str, Any] | None = None,
    classes: Sequence[Any] | None = None,
    positive: Any = None,
    groups: Any = None,
    missing: str = "raise",
    noise: str = "cluster",
    noise_label: Any = -1,
    confidence: float | None = None,
    adjust: bool = False,
    n_tables: int = 17_000,
    random_state: Any = None,
) -> Comparison:
    """Compare models with each other, instance by instance or pair by pair, against the truth.

    Parameters
    ----------
    labels_true : array-like of shape (n,)
        The truth.
    models : mapping of str to array-like of shape (n,), or data frame, optional
        Labels by each model; the columns of a data frame are models. Of classifiers `probabilities` will do.
    kind : {"clustering", "classification"}
        Clustering counts pairs of instances (is the pair joined, or separate, as in the truth?), classification counts
        instances (is the label the true one?).
    indices : "default", "all", a name or record, or several, default "default"
        By what each model is scored against the truth.
    counts : array-like of int of shape (n,), optional
        How many instances each row stands for.
    probabilities : mapping of str to array-like of shape (n, C) or (n,), or data frame, optional
        Of classifiers: probabilities predicted by each model, as for :func:`evaluate`. Without `models` the likeliest
        class of each instance is its label.
    classes : sequence, optional
        All classes in the order wanted, which is that of the columns of `probabilities`.
    positive : optional
        The positive class; of two classes by default the second.
    groups : array-like of shape (n,), mapping of names to such, or data frame, optional
        Compare classifiers within each group of instances as well; several columns are crossed.
    missing : {"raise", "drop"}, default "raise"
        Instances with a missing label are an error, or left out for all models alike.
    noise : {"cluster", "singletons", "drop"}, default "cluster"
        Whether instances labelled `noise_label` are an ordinary cluster, one cluster each, or left out (for all
        models alike).
    noise_label : default -1
    confidence : float, optional
        Add confidence intervals of this level for measures, scores and their differences, and a test of each pair of
        models with Holm's correction; the instances are taken as a sample. Of classifiers the differences of areas
        under the ROC curve, log losses and Brier scores are tested, too.
    adjust : bool, default False
        Add scores of clusterings corrected for chance (fixed cluster sizes).
    n_tables, random_state
        For scores whose null distribution is simulated; see :func:`null_distribution`.

    Returns
    -------
    Comparison
        ``comparison["p", "q"]`` has the Prayatul matrix of p against q, the five measures and the instances; of
        classifiers ``comparison["p", "q"].differences["log_loss"]`` has a difference of scores, and
        ``comparison.by_group[value]`` is the comparison within a group.

    Raises
    ------
    InputError
        For labels that cannot be used, or fewer than one model.

    References
    ----------
    Biswas (2022), Prayatul matrix (classification); Biswas (2023), Prayatul matrix for clustering. DeLong, DeLong &
    Clarke-Pearson (1988) for areas under ROC curves.

    Examples
    --------
    >>> from adjudge import compare
    >>> truth = ["cat", "cat", "dog", "dog"]
    >>> models = {"one": ["cat", "cat", "dog", "cat"], "two": ["cat", "dog", "cat", "dog"]}
    >>> pair = compare(truth, models, kind="classification")["one", "two"]
    >>> pair.both_right, pair.right_wrong, pair.wrong_right, pair.both_wrong
    (1, 2, 1, 0)
    >>> pair.instances("right_wrong")
    array([1, 2])
    >>> round(pair.measures["comparative_deviation"], 4)
    0.3333
    """
    check_choice("kind", kind, KINDS)
    request = EvaluationRequest(
        indices=indices,
        kind=kind,
        labels=LabelOptions(missing, noise, noise_label),
        confidence=confidence,
        adjust=adjust,
        n_tables=n_tables,
        random_state=random_state,
    )
    options = ClassifierOptions(probabilities, None, classes, positive, groups)
    check_options(options, kind)
    named = {} if models is None and probabilities is not None else named_models(models)
    backend = backend_of(models, labels_true, *named.values())
    if kind == "classification":
        coded, aligned = code_models(labels_true, named, options, counts, request)
        found = _compare_classifiers(request, coded)
    else:
        found, aligned = _compare_clusterings(request, labels_true, named, counts)
    n_given = aligned.n_given if counts is None else int(np.sum(counts))
    return replace(
        found,
        settings={**found.settings, "n_given": n_given},
        warnings=found.warnings + nothing_dropped(aligned, request.labels),
        backend=backend,
    )


def _compare_clusterings(
    request: EvaluationRequest, labels_true: Any, named: Mapping[str, Any], counts: Any
) -> tuple[Comparison, AlignedLabels]:
    aligned = align_labels({"labels_true": labels_true, **named}, request.labels)
    truth, predictions = aligned.labels[0], dict(zip(named, aligned.labels[1:], strict=True))
    weights = checked_counts(counts, aligned)
    tables = {name: count_labels(truth, labels, weights=weights) for name, labels in predictions.items()}
    chosen = _chosen(request, [Truth, Prediction])
    source = _ClusteringSource(aligned, predictions, tables, weights)
    first = next(iter(tables.values()))
    comparison = Comparison(
        kind="clustering",
        models=tuple(named),
        n=first.n,
        judged={name: judged_table(chosen, table, request) for name, table in tables.items()},
        pairs=head_to_heads(list(named), "clustering", source, request.confidence),
        settings=_settings(request, chosen),
        warnings=label_notices(
            {name: (table.col_labels, table.col_sums) for name, table in tables.items()}
            | {"labels_true": (first.row_labels, first.row_sums)},
            request.labels,
            "clustering",
        ),
    )
    return comparison, aligned


def _compare_classifiers(request: EvaluationRequest, coded: CodedModels) -> Comparison:
    chosen = _chosen(request, coded.at_hand, binary=coded.is_binary)

    def compared(part: CodedModels) -> Comparison:
        names, source = list(part.models), ClassificationSource(part)
        comparison = Comparison(
            kind="classification",
            models=tuple(names),
            n=part.n,
            judged=part.judged(chosen, request.confidence),
            pairs=head_to_heads(names, "classification", source, request.confidence),
            settings=_settings(request, chosen),
            _patterns=source.patterns,
        )
        return with_differences(comparison, part, request.confidence)

    whole = compared(coded)
    return whole if coded.groups is None else compare_groups(whole, coded, compared)


def _settings(request: EvaluationRequest, chosen: Sequence[Index]) -> dict[str, Any]:
    return {
        "of": request.kind,
        "scores": [record.name for record in chosen],
        **request.labels.settings(),
        "confidence": request.confidence,
        "adjust": request.adjust,
    }


def named_models(models: Any) -> dict[str, Any]:
    if isinstance(models, Mapping):
        named = {str(name): labels for name, labels in models.items()}
        if len(named) < len(models):
            raise InputError("two models have the same name")
    else:
        import narwhals as nw

        frame = read_data_frame(models, "models", pass_through=True)
        if not isinstance(frame, nw.DataFrame):
            raise InputTypeError(
                f"models is a {type(models).__name__}: give a mapping of names to labels, or a data frame"
            )
        named = {str(column.name): column.to_native() for column in frame.iter_columns()}
    if not named:
        raise InputError("models is empty: at least one model is needed")
    if "labels_true" in named:
        raise InputError("no model may be called 'labels_true'")
    return named


def _chosen(request: EvaluationRequest, at_hand: Sequence[type], *, binary: bool = False) -> list[Index]:
    """Return the scores that were asked for, all of which can be computed from what is at hand."""
    kind, indices = request.kind, request.indices
    if isinstance(indices, str) and indices == "default":
        indices = DEFAULT_INDICES[kind]
        if ProbabilityForecasts in at_hand:
            indices = (*indices, "roc_auc" if binary else "roc_auc_ovo", "log_loss", "brier_score")
    wanted: Kind = "external" if kind == "clustering" else "classification"
    chosen = select_indices(indices, (wanted,))
    if is_all(indices):
        return [record for record in chosen if not lacking_of(record.requires, at_hand)]
    for record in chosen:
        if record.kind != wanted:
            raise InputError(
                f"{record.name} is of kind {record.kind!r}: scores of a {kind} are {wanted} indices"
            )
    check_all_there(chosen, at_hand, None)
    return list(chosen)


class _PairSource(Protocol):
    """Where the numbers of a pair of models come from."""

    def agreement(self, p: str, q: str) -> Agreement: ...

    def inference(
        self, agreements: Mapping[tuple[str, str], Agreement], confidence: float
    ) -> dict[tuple[str, str], PairInference]: ...

    def wrong_alike(self, p: str, q: str) -> int | None: ...

    @property
    def instances(self) -> Callable[[str, str, str], Any] | None: ...


def head_to_heads(
    models: list[str], kind: str, source: _PairSource, confidence: float | None = None
) -> dict[tuple[str, str], HeadToHead]:
    """Compare all ordered pairs of models."""
    agreements = {(p, q): source.agreement(p, q) for p, q in permutations(models, 2)}
    inference = {} if confidence is None else source.inference(agreements, confidence)
    records = list_indices("comparative")
    found = {}
    for (p, q), agreement in agreements.items():
        measured = {record.name: Score.of(record, agreement) for record in records}
        test: dict[str, Any] = {}
        if (inferred := inference.get((p, q))) is not None:
            measured = with_intervals(measured, inferred.intervals)
            test = inferred.tested
        same = source.wrong_alike(p, q)
        found[p, q] = HeadToHead(
            p, q, kind, agreement, measured, test, _instances=source.instances, both_wrong_same=same
        )
    return found


class _ClusteringSource:
    """Pairs that share a cluster in one or two of the partitions: each table is counted once for all pairs."""

    def __init__(
        self,
        aligned: AlignedLabels,
        predictions: Mapping[str, Labels],
        tables: Mapping[str, Contingency],
        weights: NDArray[np.int64] | None,
    ) -> None:
        self._aligned = aligned
        self._weights = weights
        self._predictions = dict(predictions)
        self._counted: tuple[tuple[str, str], dict[str, NDArray[np.int64]]] | None = None
        first = next(iter(tables.values()))
        n = first.n
        self._n = n
        self._of_truth = sum_of_pairs(first.row_sums, n)
        self._own = {name: sum_of_pairs(table.col_sums, n) for name, table in tables.items()}
        self._with_truth = {name: table.pairs.yy for name, table in tables.items()}
        self._between = {
            frozenset((p, q)): count_labels(predictions[p], predictions[q], weights=weights).pairs.yy
            for p, q in combinations(predictions, 2)
        }

    def agreement(self, p: str, q: str) -> Agreement:
        return JoinedPairs(
            n=self._n,
            g=self._of_truth,
            p=self._own[p],
            q=self._own[q],
            gp=self._with_truth[p],
            gq=self._with_truth[q],
            pq=self._between[frozenset((p, q))],
        ).agreement

    def wrong_alike(self, p: str, q: str) -> int | None:
        return None

    def inference(
        self, agreements: Mapping[tuple[str, str], Agreement], confidence: float
    ) -> dict[tuple[str, str], PairInference]:
        from adjudge.inference.head_to_head import MOST_CELLS, assess_clusterings
        from adjudge.inference.samples import Sample, joined, three_way_of

        g = self._aligned.labels[0]
        samples: dict[tuple[str, str], Sample] = {}
        for p, first in self._predictions.items():
            both = joined(g, first)
            for q, second in self._predictions.items():
                # Both orders of two models have the same cells.
                if (q, p) in samples:
                    samples[p, q] = samples[q, p].swapped()
                elif p != q:
                    samples[p, q] = three_way_of(both, first.n_codes, second, weights=self._weights)
        largest = max((sample.counts.size for sample in samples.values()), default=0)
        if largest > MOST_CELLS:
            raise InputError(
                Option("confidence"),
                f" would take long: a pair of models has {largest:,} combinations of labels with "
                f"the truth, more than {MOST_CELLS:,}; leave it out, or compare coarser "
                "clusterings",
            )
        return assess_clusterings(samples, confidence)

    def instances(self, p: str, q: str, cell: str) -> NDArray[np.int64]:
        counts = self._per_instance(p, q)[cell]
        if self._aligned.kept is None:
            return counts
        scattered = np.zeros(self._aligned.n_given, np.int64)
        scattered[self._aligned.kept] = counts
        return scattered

    def _per_instance(self, p: str, q: str) -> dict[str, NDArray[np.int64]]:
        """Count all four cells, which are asked for one after the other: the last pair is remembered."""
        counted = self._counted
        if counted is None or counted[0] != (p, q):
            g, first, second = self._aligned.labels[0], self._predictions[p], self._predictions[q]
            counted = (p, q), pairs_per_instance(g, first, second, weights=self._weights)
            self._counted = counted
        return counted[1]
