"""What the verbs return: frozen results that print, turn into JSON and into data frames, and compute nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge import notebook
from adjudge.errors import InputError, UnknownIndexError
from adjudge.indices.catalog import find_index, list_indices
from adjudge.indices.record import Index
from adjudge.statistics.agreement import CELLS, Agreement
from adjudge.tables import Table, show_number

__all__ = ["Comparison", "Evaluation", "HeadToHead", "finite", "plain_json"]

CELL_TITLES = {
    "both_right": "both right",
    "right_wrong": "only primary right",
    "wrong_right": "only alternative right",
    "both_wrong": "both wrong",
}


def plain_json(value: Any) -> Any:
    """Bring a value to what JSON knows: numbers that it lacks become the strings "nan", "inf", "-inf"."""
    if isinstance(value, Mapping):
        return {str(k): plain_json(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_json(v) for v in value]
    if isinstance(value, np.ndarray):
        return plain_json(value.tolist())
    if isinstance(value, np.generic):
        return plain_json(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return str(value)


def finite(metrics: Mapping[str, float]) -> dict[str, float]:
    """Keep what trackers of experiments take: what is undefined or infinite is left out."""
    return {name: float(value) for name, value in metrics.items() if math.isfinite(value)}


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """How good a partition is: the value of each index asked for.

    Attributes
    ----------
    values : dict of str to float
        Value of each index by its canonical name; nan where undefined.
    reasons : dict of str to str
        Why a value is nan or infinite.
    error_bounds : dict of str to float
        Bound on the error of values that were not computed exactly.
    n : int
        Number of instances judged.
    n_clusters : dict of str to int
        Number of clusters of each label vector.
    settings : dict
        What was asked for.
    details : dict
        Values per point, per cluster and per pair of clusters (internal indices).
    intervals : dict of str to tuple of float
        (low, high) where `confidence` was asked for; `interval_reasons` says why one is one-sided or undefined.
    expected, adjusted, p_values : dict of str to float
        Mean under chance, the value corrected for it, and the chance of a value at least as good, where `adjust` was
        asked for; `chance_methods` says whether the null distribution is exact, simulated or approximated.
    records : dict of str to Index
        What was computed.

    ``evaluation["rand"]`` is a value, by name, alias or unambiguous abbreviation among those computed.
    """

    values: dict[str, float]
    reasons: dict[str, str]
    n: int
    n_clusters: dict[str, int]
    settings: dict[str, Any] = field(default_factory=dict)
    error_bounds: dict[str, float] = field(default_factory=dict)
    details: dict[str, Any] = field(default_factory=dict)
    intervals: dict[str, tuple[float, float]] = field(default_factory=dict)
    interval_reasons: dict[str, str] = field(default_factory=dict)
    expected: dict[str, float] = field(default_factory=dict)
    adjusted: dict[str, float] = field(default_factory=dict)
    p_values: dict[str, float] = field(default_factory=dict)
    chance_methods: dict[str, str] = field(default_factory=dict)
    records: dict[str, Index] = field(default_factory=dict)
    backend: str | None = None

    def __getitem__(self, name: str) -> float:
        return self.values[self._name(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def __contains__(self, name: str) -> bool:
        try:
            self._name(name)
        except UnknownIndexError:
            return False
        return True

    def _name(self, name: str) -> str:
        """Find the canonical name among the values that were computed."""
        if not isinstance(name, str):
            raise UnknownIndexError(f"a value is read by the name of its index, a str, not by {name!r}")
        if name in self.values:
            return name
        wanted = name.strip().lower()
        short = [v for v in self.values if v.startswith(wanted)]
        if len(short) == 1:
            return short[0]
        kinds = dict.fromkeys((self.records.get(v) or find_index(v)).kind for v in self.values)
        for kind in kinds:
            try:
                found = find_index(name, kind).name
            except UnknownIndexError:
                continue
            if found in self.values:
                return found
        if short:
            raise UnknownIndexError(f"{name!r} is ambiguous: it may be {', '.join(short)}")
        raise UnknownIndexError(
            f"{name!r} was not computed: this evaluation has {', '.join(list(self.values)[:8])}"
            + (" ..." if len(self.values) > 8 else "")
        )

    def table(self) -> Table:
        """One row an index: value, interval and correction where asked for, direction, range, and a note."""
        columns = ["index", "value"]
        if self.intervals:
            columns += ["low", "high"]
        if self.adjusted:
            columns += ["by chance", "adjusted", "p"]
        rows = []
        for name, value in self.values.items():
            record = self.records.get(name) or find_index(name)
            cells: list[Any] = [name, value]
            if self.intervals:
                cells += self.intervals.get(name, (None, None))
            if self.adjusted:
                cells += [d.get(name) for d in (self.expected, self.adjusted, self.p_values)]
            low, high = record.range
            rows.append((*cells, record.better or "", f"[{low:g}, {high:g}]", self._note(name)))
        return Table((*columns, "better", "range", "note"), tuple(rows))

    def _note(self, name: str) -> str:
        bound = self.error_bounds.get(name)
        parts = [
            self.reasons.get(name),
            f"error at most {bound:.2g}" if bound else None,
            self.interval_reasons.get(name),
        ]
        return "; ".join(part for part in parts if part)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON: values with their reasons and what was asked for."""
        return {
            "kind": "evaluation",
            "n": self.n,
            "n_clusters": plain_json(self.n_clusters),
            "values": plain_json(self.values),
            "reasons": dict(self.reasons),
            "error_bounds": plain_json(self.error_bounds),
            "intervals": plain_json(self.intervals),
            "interval_reasons": dict(self.interval_reasons),
            "expected": plain_json(self.expected),
            "adjusted": plain_json(self.adjusted),
            "p_values": plain_json(self.p_values),
            "chance_methods": dict(self.chance_methods),
            "settings": plain_json(self.settings),
        }

    def flat(self) -> dict[str, float]:
        """Return names and finite numbers, as trackers of experiments take them: ``mlflow.log_metrics(result.flat())``.

        The names are ``rand`` and, where asked for, ``rand/low``, ``rand/high``, ``rand/expected``, ``rand/adjusted``
        and ``rand/p_value``. ``mlflow.log_dict(result.to_dict(), "result.json")`` keeps everything, reasons included.
        """
        metrics = dict(self.values)
        for name, bounds in self.intervals.items():
            metrics |= dict(zip((f"{name}/low", f"{name}/high"), bounds, strict=True))
        for what, values in (
            ("expected", self.expected),
            ("adjusted", self.adjusted),
            ("p_value", self.p_values),
        ):
            metrics |= {f"{name}/{what}": value for name, value in values.items()}
        return finite(metrics)

    def to_frame(self) -> Any:
        """Return a data frame of the library that the inputs came from, one row an index."""
        return self.table().frame(self.backend)

    def __repr__(self) -> str:
        clusters = ", ".join(f"{name}: {k} clusters" for name, k in self.n_clusters.items())
        return f"Evaluation of {self.n:,} instances ({clusters})\n{self.table().text()}"

    def _repr_html_(self) -> str:
        return notebook.fragment(notebook.sentence(repr(self).splitlines()[0]), notebook.table(self.table()))


@dataclass(frozen=True, eq=False, repr=False)
class HeadToHead:
    """One ordered pair of models: the Prayatul matrix and its five measures.

    Attributes
    ----------
    primary, alternative : str
        Names of the models P and Q.
    kind : {"clustering", "classification"}
    agreement : Agreement
        Exact counts of pairs of instances (clustering) or of instances (classification).
    measures : dict of str to float
        The five measures of P against Q; nan where undefined.
    reasons : dict of str to str
        Why a measure is nan.
    intervals : dict of str to tuple
        (low, high) of each measure, where `confidence` was asked for; `interval_reasons` says why one is one-sided.
    test : dict
        Where `confidence` was asked for: `name`, `method`, `hypothesis`, `p_value`, `adjusted_p_value` (Holm, for all
        pairs of models) and `reason` (why it cannot tell anything, else None). McNemar's test for classifiers, a test
        of equal Rand indices for clusterings.
    """

    primary: str
    alternative: str
    kind: str
    agreement: Agreement
    measures: dict[str, float]
    reasons: dict[str, str]
    intervals: dict[str, tuple[float, float]] = field(default_factory=dict)
    interval_reasons: dict[str, str] = field(default_factory=dict)
    test: dict[str, Any] = field(default_factory=dict)
    _instances: Any = None

    @property
    def both_right(self) -> int:
        """BR."""
        return self.agreement.both_right

    @property
    def right_wrong(self) -> int:
        """RW: the primary is right, the alternative wrong."""
        return self.agreement.right_wrong

    @property
    def wrong_right(self) -> int:
        """WR: the primary is wrong, the alternative right."""
        return self.agreement.wrong_right

    @property
    def both_wrong(self) -> int:
        """BW."""
        return self.agreement.both_wrong

    def instances(self, cell: str) -> NDArray[np.int64]:
        """Which instances make up a cell.

        Parameters
        ----------
        cell : {"both_right", "right_wrong", "wrong_right", "both_wrong"}

        Returns
        -------
        ndarray of int64
            Classification: positions in the input, counted from 0. Clustering: for each instance of the input, the
            number of its pairs in the cell (0 for instances that were left out).
        """
        if cell not in CELLS:
            raise InputError(f"cell={cell!r} is not known: choose one of {', '.join(map(repr, CELLS))}")
        if self._instances is None:
            raise InputError("the instances are not known: the comparison was made from counts alone")
        found: NDArray[np.int64] = self._instances(self.primary, self.alternative, cell)
        return found

    def matrix_table(self) -> Table:
        """Return the Prayatul matrix with margins."""
        a = self.agreement
        p, q = self.primary, self.alternative
        return Table(
            ("", f"{q} right", f"{q} wrong", "sum"),
            (
                (f"{p} right", a.both_right, a.right_wrong, a.both_right + a.right_wrong),
                (f"{p} wrong", a.wrong_right, a.both_wrong, a.wrong_right + a.both_wrong),
                ("sum", a.both_right + a.wrong_right, a.right_wrong + a.both_wrong, a.total),
            ),
        )

    def measures_table(self) -> Table:
        """One row a measure."""
        rows = []
        for name, value in self.measures.items():
            interval = self.intervals.get(name)
            extra = (interval[0], interval[1]) if interval else ()
            notes = (self.reasons.get(name), self.interval_reasons.get(name))
            rows.append((name, value, *extra, "; ".join(note for note in notes if note)))
        bounds = ("low", "high") if self.intervals else ()
        return Table(("measure", "value", *bounds, "note"), tuple(rows))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "primary": self.primary,
            "alternative": self.alternative,
            "counts": {cell: getattr(self, cell) for cell in CELLS},
            "measures": plain_json(self.measures),
            "reasons": dict(self.reasons),
            "intervals": plain_json(self.intervals),
            "interval_reasons": dict(self.interval_reasons),
            "test": plain_json(self.test),
        }

    def __repr__(self) -> str:
        unit = "pairs of instances" if self.kind == "clustering" else "instances"
        head = f"{self.primary} (primary) against {self.alternative}: {self.agreement.total:,} {unit}"
        return f"{head}\n{self.matrix_table().text()}\n\n{self.measures_table().text()}{self._tested()}"

    def _tested(self) -> str:
        if not self.test:
            return ""
        p, holm = (show_number(self.test[key]) for key in ("p_value", "adjusted_p_value"))
        return f"\n\n{self.test['name']}: p = {p}, {holm} after Holm's correction for all pairs"

    def _repr_html_(self) -> str:
        return notebook.fragment(
            notebook.sentence(repr(self).splitlines()[0]),
            notebook.matrix(self.matrix_table(), (CELLS[:2], CELLS[2:])),
            notebook.table(self.measures_table()),
            *([notebook.sentence(self._tested().strip())] if self.test else []),
        )


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Several models against the truth and against each other.

    Attributes
    ----------
    kind : {"clustering", "classification"}
    models : tuple of str
        Names of the models, in the order given.
    n : int
        Number of instances compared.
    scores : dict of str to dict of str to float
        Each model's own scores against the truth.
    score_reasons : dict of str to dict of str to str
        Why a score is nan.
    pairs : dict of (str, str) to HeadToHead
        Every ordered pair of models.
    score_intervals : dict of str to dict of str to tuple
        (low, high) of each score, where `confidence` was asked for.
    adjusted_scores : dict of str to dict of str to float
        Scores corrected for chance, where `adjust` was asked for.
    settings : dict
        What was asked for.

    ``comparison["kmeans", "dbscan"]`` is the :class:`HeadToHead` of k-means (primary) against DBSCAN.
    """

    kind: str
    models: tuple[str, ...]
    n: int
    scores: dict[str, dict[str, float]]
    score_reasons: dict[str, dict[str, str]]
    pairs: dict[tuple[str, str], HeadToHead]
    score_intervals: dict[str, dict[str, tuple[float, float]]] = field(default_factory=dict)
    adjusted_scores: dict[str, dict[str, float]] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    backend: str | None = None

    def __getitem__(self, pair: tuple[str, str]) -> HeadToHead:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise InputError("a comparison is read by two names: comparison['primary', 'alternative']")
        for name in pair:
            if name not in self.models:
                raise InputError(
                    f"no model is called {name!r}: there are {', '.join(map(repr, self.models))}"
                )
        if pair[0] == pair[1]:
            raise InputError(f"{pair[0]!r} is not compared with itself: name two models")
        return self.pairs[pair[0], pair[1]]

    def __iter__(self) -> Iterator[HeadToHead]:
        return iter(self.pairs.values())

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def unit(self) -> str:
        """What the matrices count."""
        return "pairs of instances" if self.kind == "clustering" else "instances"

    def scores_table(self) -> Table:
        """One row a model."""
        names = list(next(iter(self.scores.values())))
        columns = ["model"]
        for name in names:
            columns += [name, f"{name} (adjusted)"] if self.is_corrected(name) else [name]
        rows = []
        for model, scores in self.scores.items():
            cells: list[Any] = [model]
            for name in names:
                cells.append(_with_interval(scores[name], self.score_intervals.get(model, {}).get(name)))
                if self.is_corrected(name):
                    cells.append(self.adjusted_scores[model][name])
            rows.append(tuple(cells))
        return Table(tuple(columns), tuple(rows), title="Each model against the truth")

    def is_corrected(self, score: str) -> bool:
        """Tell whether a score was corrected for chance, and is not so by itself."""
        return any(
            score in corrected and not math.isclose(corrected[score], self.scores[model][score], abs_tol=1e-9)
            for model, corrected in self.adjusted_scores.items()
        )

    def tests_table(self) -> Table:
        """One row a pair of models: the test that they are equally good, where `confidence` was asked for."""
        rows = []
        seen = set()
        for pair in self:
            key = frozenset((pair.primary, pair.alternative))
            if pair.test and key not in seen:
                seen.add(key)
                test = pair.test
                rows.append(
                    (
                        f"{pair.primary} = {pair.alternative}",
                        test["name"],
                        test["p_value"],
                        test["adjusted_p_value"],
                        test["reason"] or "",
                    )
                )
        return Table(("hypothesis", "test", "p", "p (Holm)", "note"), tuple(rows), "Equally good?")

    def table(self) -> Table:
        """One row an ordered pair: the four counts and the five measures (with intervals where asked for)."""
        measures = list(next(iter(self.pairs.values())).measures) if self.pairs else []
        with_intervals = any(pair.intervals for pair in self)
        rows: list[tuple[Any, ...]] = []
        for pair in self:
            cells: list[Any] = [pair.primary, pair.alternative, *(getattr(pair, c) for c in CELLS)]
            for name in measures:
                cells.append(pair.measures[name])
                if with_intervals:
                    cells += pair.intervals.get(name, (math.nan, math.nan))
            rows.append(tuple(cells))
        columns = ["primary", "alternative", *CELLS]
        for name in measures:
            columns += [name, f"{name}_low", f"{name}_high"] if with_intervals else [name]
        return Table(tuple(columns), tuple(rows), title=f"Head to head, over {self.unit}")

    def short_table(self) -> Table:
        """Return the same with the papers' symbols as headings, so that the row of a pair fits a terminal."""
        rows = []
        for pair in self:
            cells: list[Any] = [pair.primary, pair.alternative, *(getattr(pair, c) for c in CELLS)]
            cells += [
                _with_interval(value, pair.intervals.get(name)) for name, value in pair.measures.items()
            ]
            rows.append(tuple(cells))
        measures = list(next(iter(self.pairs.values())).measures) if self.pairs else []
        columns = ["primary", "alternative", *(_SHORT_NAMES[c] for c in (*CELLS, *measures))]
        return Table(tuple(columns), tuple(rows), title=f"Head to head, over {self.unit}")

    def legend_table(self) -> Table:
        """Explain the symbols of :meth:`short_table`."""
        cells = [(_SHORT_NAMES[cell], cell, f"{CELL_TITLES[cell]}: number of {self.unit}") for cell in CELLS]
        measures = [
            (_SHORT_NAMES[r.name], r.name, r.summary)
            for r in list_indices("comparative")
            if r.name in _SHORT_NAMES
        ]
        return Table(("symbol", "name", "meaning"), (*cells, *measures), title="Symbols")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "kind": "comparison",
            "of": self.kind,
            "n": self.n,
            "models": list(self.models),
            "scores": plain_json(self.scores),
            "score_reasons": plain_json(self.score_reasons),
            "score_intervals": plain_json(self.score_intervals),
            "adjusted_scores": plain_json(self.adjusted_scores),
            "pairs": [pair.to_dict() for pair in self],
            "settings": plain_json(self.settings),
        }

    def flat(self) -> dict[str, float]:
        """Return names and finite numbers, as trackers of experiments take them.

        ``kmeans/rand`` is a model's score; ``kmeans/dbscan/right_wrong`` and ``kmeans/dbscan/polarization`` are of the
        first model against the second.
        """
        metrics = {f"{model}/{name}": v for model, found in self.scores.items() for name, v in found.items()}
        for pair in self:
            head = f"{pair.primary}/{pair.alternative}"
            metrics |= {f"{head}/{cell}": getattr(pair, cell) for cell in CELLS}
            metrics |= {f"{head}/{name}": value for name, value in pair.measures.items()}
        return finite(metrics)

    def to_frame(self) -> Any:
        """Return a data frame of the library that the inputs came from, one row an ordered pair of models."""
        return self.table().frame(self.backend)

    def __repr__(self) -> str:
        head = f"Comparison of {len(self.models)} models ({self.kind}) on {self.n:,} instances"
        tables = [self.scores_table(), self.short_table()]
        if any(pair.test for pair in self):
            tables.append(self.tests_table())
        return "\n\n".join([head, *(table.text() for table in tables)])

    def _repr_html_(self) -> str:
        tables = [self.scores_table(), self.short_table()]
        if any(pair.test for pair in self):
            tables.append(self.tests_table())
        return notebook.fragment(
            notebook.sentence(repr(self).splitlines()[0]), *(notebook.table(table) for table in tables)
        )


_SHORT_NAMES = {
    "both_right": "BR",
    "right_wrong": "RW",
    "wrong_right": "WR",
    "both_wrong": "BW",
    "comparative_deviation": "sigma_c",
    "polarization": "alpha",
    "comparative_rightness": "xi_c",
    "effective_rightness": "xi_e",
    "effective_superiority": "phi_e",
}


def _with_interval(value: float, interval: tuple[float, float] | None) -> Any:
    """Show a value with its interval; a number where there is none."""
    if interval is None:
        return value
    low, high = (show_number(bound, 3) for bound in interval)
    return f"{show_number(value, 3)} [{low}, {high}]"
