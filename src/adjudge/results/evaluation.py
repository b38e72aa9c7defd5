"""What `evaluate` returns."""

from __future__ import annotations

from collections.abc import Iterator, KeysView
from dataclasses import dataclass, field
from typing import Any

from adjudge.errors import UnknownIndexError
from adjudge.indices.catalog import find_index
from adjudge.indices.record import Index
from adjudge.presentation import notebook
from adjudge.presentation.tables import Table, bounded, count
from adjudge.results.plain import finite, plain_json

__all__ = ["Evaluation"]


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
    p_floors : dict of str to float
        Smallest p-value that the simulated tables could give, 0 where nothing is simulated. A p-value that is not above
        it is an upper bound, which tables show as "< 5.9e-05".
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
    p_floors: dict[str, float] = field(default_factory=dict)
    chance_methods: dict[str, str] = field(default_factory=dict)
    records: dict[str, Index] = field(default_factory=dict)
    backend: str | None = None

    def __getitem__(self, name: str) -> float:
        return self.values[self._name(name)]

    def keys(self) -> KeysView[str]:
        """Canonical names of the indices that were computed, so that ``dict(evaluation)`` has their values."""
        return self.values.keys()

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
                cells += [self.expected.get(name), self.adjusted.get(name), self._shown_p(name)]
            low, high = record.range
            rows.append((*cells, record.better or "", f"[{low:g}, {high:g}]", self._note(name)))
        return Table((*columns, "better", "range", "note"), tuple(rows))

    def _shown_p(self, name: str) -> float | None:
        p = self.p_values.get(name)
        return None if p is None else bounded(p, self.p_floors.get(name, 0.0))

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
            "p_floors": plain_json(self.p_floors),
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
        group = ("class", "classes") if self.settings.get("of") == "classification" else ("cluster",)
        found = ", ".join(f"{name}: {count(k, *group)}" for name, k in self.n_clusters.items())
        return f"Evaluation of {count(self.n, 'instance')} ({found})\n{self.table().text()}"

    def _repr_html_(self) -> str:
        return notebook.fragment(notebook.sentence(repr(self).splitlines()[0]), notebook.table(self.table()))
