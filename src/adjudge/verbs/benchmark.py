"""The verb `benchmark`: many data sets, many models."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from adjudge.benchmarking.counted import gather_counted
from adjudge.benchmarking.gathered import Gathered
from adjudge.benchmarking.judged import Scoring, gather_labels
from adjudge.benchmarking.tables import gather_array, gather_long, gather_mapping, gather_wide
from adjudge.errors import InputError, InputTypeError
from adjudge.given.options import check_choice, check_flag
from adjudge.given.score_table import BETTER
from adjudge.presentation.tables import backend_of
from adjudge.results.benchmark import Benchmark

__all__ = ["benchmark"]

_DEFAULT_SCORE = "adjusted_rand"
_LABEL_OPTIONS = ("missing", "noise", "noise_label")


class _Benchmark:
    """Compare models over many data sets: ``benchmark(...)`` of what they gave, :meth:`run` to fit them."""

    # The type checker and the documentation see a function.
    __name__ = "benchmark"

    def __call__(
        self,
        data: Any,
        *,
        score: Any = None,
        kind: str | None = None,
        better: str | None = None,
        truth: str | None = None,
        models: Sequence[str] | None = None,
        dataset: str | None = None,
        model: str | None = None,
        fold: str | None = None,
        test_share: float | None = None,
        truth_noise: Any = None,
        missing_score: float | None = None,
        confidence: float | None = None,
        head_to_head: bool = True,
        **options: Any,
    ) -> Benchmark:
        """Compare models over many data sets: ranks, tests with corrections, and what may be written about them.

        Parameters
        ----------
        data : mapping, data frame, matrix or folder
            - ``{"iris": (truth, {"kmeans": labels, ...}), ...}``: labels, which are scored here. In place of the
              truth, a mapping of names to arrays holds several accepted ones.
            - ``{"iris": {"kmeans": 0.73, ...}, ...}``: scores; arrays of scores are those of folds (runs by folds).
            - ``{"kmeans": [0.73, 0.62, ...], ...}``: scores by model, on the same data sets.
            - A data frame or matrix of scores, data sets by models.
            - A long data frame: name its columns with `dataset`, `model`, `score` and perhaps `fold`.
            - A data frame of any library, eager or lazy, with a row an instance: name the columns `dataset` and
              `truth`; all others are models, or those of `models`. Its engine counts all labels in one GROUP BY.
            - A folder in the layout of Gagolewski's benchmark suite, or with files ``NAME.labels0.gz`` (truth; 0 is
              noise) and ``NAME.MODEL.labels.gz``.
        score : str, Index or callable, default "adjusted_rand"
            How labels are scored: an external index, a score of classifiers, or a function of the truth and the labels.
            Of scores that are given, their name; of a long data frame, their column.
        kind : {"clustering", "classification"}, optional
            Default: what the score is for.
        better : {"higher", "lower"}, optional
            Default: what the index's record says; of scores that are given "higher".
        truth, models, dataset, model, fold : str
            Columns of a data frame.
        test_share : float, optional
            Share of the instances that a fold tests; default 1 / (number of folds). With several runs of k folds in a
            long data frame, 1 / k.
        truth_noise : object, optional
            Label of instances of the truth that belong nowhere: they are left out, whatever the models say of them.
        missing_score : float, optional
            What a model gets where it has no score, as 0 for a clusterer that failed. Default: such data sets take no
            part in ranks.
        confidence : float, optional
            Add intervals of each score, the instances of a data set being a sample.
        head_to_head : bool, default True
            Whether to count where each two models are right (the Prayatul matrix), of labels in memory.
        **options
            `missing`, `noise` and `noise_label` of the models' labels, as for :func:`adjudge.evaluate`.

        Returns
        -------
        Benchmark
            ``.scores .ranks .average_ranks .friedman .critical_difference .pairwise() .bayesian() .sentences()``

        Raises
        ------
        InputError
            For data that cannot be read as scores or labels of two or more models.

        References
        ----------
        Demšar (2006), Statistical comparisons of classifiers over multiple data sets; García & Herrera (2008);
        Benavoli, Corani, Demšar & Zaffalon (2017), Time for a change.

        Examples
        --------
        >>> from adjudge import benchmark
        >>> result = benchmark(
        ...     {
        ...         "one": {"kmeans": 0.61, "ward": 0.68, "single": 0.20},
        ...         "two": {"kmeans": 0.55, "ward": 0.57, "single": 0.51},
        ...         "three": {"kmeans": 0.70, "ward": 0.71, "single": 0.30},
        ...         "four": {"kmeans": 0.81, "ward": 0.80, "single": 0.77},
        ...     },
        ...     score="adjusted_rand",
        ... )
        >>> result.average_ranks
        {'kmeans': 1.75, 'ward': 1.25, 'single': 3.0}
        >>> round(result.friedman.p_value, 4), round(result.critical_difference, 3)
        (0.0388, 1.657)
        """
        if better is not None:
            check_choice("better", better, BETTER)
        check_flag("head_to_head", head_to_head)
        for name in options:
            if name not in _LABEL_OPTIONS:
                raise InputTypeError(
                    f"benchmark() has no option {name}=: of labels there are {', '.join(_LABEL_OPTIONS)}"
                )
        if missing_score is not None and not (
            isinstance(missing_score, (int, float)) and math.isfinite(missing_score)
        ):
            raise InputError(f"missing_score={missing_score!r}: a finite number is needed")
        judging = {"truth_noise": truth_noise, "confidence": confidence, **options}

        def given_scores() -> Gathered:
            return Gathered(score if isinstance(score, str) else "score", better or _known_direction(score))

        if isinstance(data, (str, Path)):
            gathered = _of_folder(
                data, Scoring.of(score or _DEFAULT_SCORE, kind, better), head_to_head, judging
            )
        elif isinstance(data, Mapping):
            if not data:
                raise InputError("data is empty: at least two data sets are needed")
            if all(isinstance(value, tuple) and len(value) == 2 for value in data.values()):
                scoring = Scoring.of(score or _DEFAULT_SCORE, kind, better)
                named = {str(name): value for name, value in data.items()}
                gathered = gather_labels(named, scoring, head_to_head=head_to_head, **judging)
            else:
                gathered = gather_mapping(data, given_scores())
        elif truth is not None:
            if dataset is None:
                raise InputError("dataset is missing: name the column that says which data set a row is of")
            scoring = Scoring.of(score or _DEFAULT_SCORE, kind, better)
            gathered = gather_counted(data, scoring, dataset=dataset, truth=truth, models=models, **judging)
        elif model is not None:
            if dataset is None or not isinstance(score, str):
                raise InputError("a long table needs the names of its columns: dataset=, model= and score=")
            gathered = gather_long(data, dataset, model, score, fold, test_share, given_scores())
        elif _is_frame(data):
            gathered = gather_wide(data, dataset, models, given_scores())
        else:
            gathered = gather_array(data, models, None, given_scores())
        settings = {
            "score": gathered.score,
            "better": gathered.better,
            "missing_score": missing_score,
            **judging,
        }
        return gathered.benchmark(missing_score=missing_score, settings=settings, backend=backend_of(data))


def _known_direction(score: Any) -> str:
    """Which end of an index of this name is better; higher where no index is called so."""
    from adjudge.indices.catalog import find_index

    if not isinstance(score, str):
        return "higher"
    try:
        return find_index(score).better or "higher"
    except InputError:
        return "higher"


def _is_finite(value: Any) -> bool:
    return isinstance(value, (int, float)) and math.isfinite(value)


def _is_frame(data: Any) -> bool:
    return hasattr(data, "columns") or hasattr(data, "column_names")


def _of_folder(folder: str | Path, scoring: Scoring, head_to_head: bool, judging: dict[str, Any]) -> Gathered:
    from adjudge.benchmarking.folder import read_predictions

    datasets, noise = read_predictions(folder)
    options = {**judging, "truth_noise": noise if judging["truth_noise"] is None else judging["truth_noise"]}
    return gather_labels(datasets, scoring, head_to_head=head_to_head, **options)


benchmark = _Benchmark()
