"""The old and the new model in lazy tables, or in Parquet files read by DuckDB: no labels are loaded into memory."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from os import PathLike, fspath
from pathlib import Path
from typing import Any, ClassVar

import narwhals as nw

from adjudge.engines.frames.counting import COUNT, FrameTable, aggregated, collected, loaded
from adjudge.engines.frames.failures import engine_failures
from adjudge.errors import InputError, in_words
from adjudge.files.streamed import MEMORY_LIMIT, parquet_source
from adjudge.given.data_frames import from_dask, open_data_frame
from adjudge.given.matched_rows import check_keys, no_partner
from adjudge.presentation.numbers import count
from adjudge.presentation.tables import Table
from adjudge.results import Comparison
from adjudge.results.gate import NEW, OLD
from adjudge.results.notice import Notice
from adjudge.tables.forecasts import columns_of_groups
from adjudge.verbs.compare import compare
from adjudge.verbs.gate_tables import GivenModels, left_out, only_common

__all__ = ["LazyModels", "lazy_models"]


@dataclass(frozen=True, eq=False)
class LazyModels:
    """A lazy frame with the truth and both models' labels.

    Attributes
    ----------
    frame : lazy frame of any library
    truth, old, new : str
        Columns.
    units : str or None
    groups : str, sequence of str or None
    warnings : tuple of Notice
    known : sequence of list, optional
        The labels that occur in the truth and in each model, if they were counted.
    """

    has_probabilities: ClassVar[bool] = False
    without_probabilities: ClassVar[Sequence[str]] = ()

    frame: Any
    truth: str
    old: str
    new: str
    units: str | None
    groups: Any
    warnings: tuple[Notice, ...] = ()
    known: Sequence[list[Any]] | None = None

    @property
    def of_classifiers(self) -> bool:
        """Whether an option that applies only to classifiers was given."""
        return self.groups is not None

    def occurring(self) -> Sequence[list[Any]]:
        """Return the labels that occur in the truth and in each model."""
        if self.known is not None:
            return self.known
        table = FrameTable.of(self.frame)
        names = [self.truth, self.old, self.new]
        own = table.own(names)
        with engine_failures():
            rows = table.frame.lazy().select(*own)
            found = collected(aggregated(rows, own, {COUNT: ("len", own[0])}), names)
        return [found[name].unique().drop_nulls().to_list() for name in own]

    def compare(self, **options: Any) -> Comparison:
        """Compare both models by counts from the engine."""
        models = {OLD: self.old, NEW: self.new}
        return compare(self.frame, models, truth=self.truth, units=self.units, groups=self.groups, **options)

    @staticmethod
    def rows(comparison: Comparison, cell: str) -> Table:
        """Load the rows of a cell of the Prayatul matrix into memory."""
        old, new = comparison.models
        found = FrameTable.of(comparison[old, new].instances(cell))
        with engine_failures():
            frame = loaded(found.frame) if found.is_lazy else found.frame
        frame = frame.rename({own: name for name, own in found.own_names.items() if own != name})
        if comparison.kind == "clustering":
            frame = frame.filter(nw.col("pairs") > 0).sort("pairs", descending=True)
        return Table(tuple(frame.columns), tuple(frame.iter_rows()))


def lazy_models(given: GivenModels) -> LazyModels | None:
    """Open the tables if their engine can count them; return None if they have to be read into memory."""
    are_files = [isinstance(own, (str, PathLike)) for own in given.tables]
    truth, units, groups = given.truth, given.units, given.groups
    if truth is None or any(are_files) != all(are_files):
        return None
    if all(are_files):
        of_labels = (given.second, given.new) if given.key is None else (given.key, given.prediction)
        grouping = groups if isinstance(groups, (list, tuple)) else [groups]
        named = [own for own in (truth, *of_labels, units, *grouping) if isinstance(own, str)]
        tables = _of_files(given.tables, named)
    else:
        # Rows are joined in memory if they are in Dask.
        tables = [
            own if given.key is None and from_dask(own) is not None else _lazy(own) for own in given.tables
        ]
    if any(own is None or _holds_lists(own, truth) for own in tables):
        return None
    if given.key is None:
        if not (isinstance(given.second, str) and isinstance(given.new, str)):
            return None
        FrameTable.of(tables[0]).own([truth, given.second, given.new])
        return LazyModels(tables[0], truth, given.second, given.new, units, groups)
    with engine_failures():
        joined = _joined(tables, given)
    return None if joined is None else replace(joined, units=units, groups=groups)


def _of_files(given: Sequence[Any], names: Sequence[str]) -> list[Any]:
    """Return DuckDB relations if DuckDB is installed and the files, or folders, are Parquet, else ``[None]``.

    In all files of a folder, the columns that are read have the same types.
    """
    if find_spec("duckdb") is None:
        return [None]
    from adjudge.files.parquet_parts import has_parts, open_parts

    parts: list[list[Path]] = []
    for path in (Path(fspath(own)) for own in given):
        if path.is_dir() and has_parts(path) and (opened := open_parts(path)) is not None:
            opened.check_types(names)
            parts.append(opened.parts)
        elif path.suffix.lower() == ".parquet" and path.is_file():
            parts.append([path])
        else:
            return [None]
    import duckdb

    settings: dict[str, Any] = {"memory_limit": MEMORY_LIMIT, "temp_directory": tempfile.gettempdir()}
    connection = duckdb.connect(":memory:", config=settings)
    # Otherwise DuckDB draws a progress bar on standard output, which may be a file.
    connection.execute("SET enable_progress_bar = false")
    try:
        return [connection.sql(f"SELECT * FROM {parquet_source(own)}") for own in parts]
    except duckdb.Error:
        return [None]  # reading the whole file will report the problem


def _lazy(given: Any) -> Any | None:
    """Return a lazy frame unchanged; None for anything else."""
    if from_dask(given) is not None:
        return None
    try:
        frame = open_data_frame(given, "table")
    except TypeError:
        return None
    return given if isinstance(frame, nw.LazyFrame) else None


def _holds_lists(table: Any, truth: str) -> bool:
    """Whether rows have several true labels, which no engine can count."""
    opened = FrameTable.of(table)
    return truth in opened.names and opened.holds_lists(truth)


def _joined(tables: Sequence[Any], given: GivenModels) -> LazyModels | None:
    """Join both tables in their engine."""
    truth, prediction, key = given.truth, given.prediction, given.key
    beside = [own for own in (given.units, *columns_of_groups(given.groups)) if own is not None]
    frames = [nw.from_native(own) for own in tables]
    if frames[0].implementation is not frames[1].implementation:
        return None
    names = [frame.collect_schema().names() for frame in frames]
    called = "the old table", "the new table"
    for own, table in zip(names, tables, strict=True):
        if key not in own:
            FrameTable.of(table).own([key])
    if truth not in (*names[0], *names[1]):
        FrameTable.of(tables[0]).own([truth])
    if prediction is None:
        prediction = only_common(names, {key, truth, *beside})
    for own, table in zip(names, tables, strict=True):
        if prediction not in own:
            FrameTable.of(table).own([prediction])
    check_keys(key, frames, called)
    # Columns of the new table take precedence over those of the old one; only the labels of both are kept.
    apart = [f"{prediction}_old", f"{prediction}_new"]
    shared = [name for name in names[0] if name in names[1] and name not in (key, prediction, truth)]
    old = frames[0].drop(shared) if shared else frames[0]
    old = old.rename({prediction: apart[0]})
    latest = frames[1].rename({prediction: apart[1]})
    both = truth in names[0] and truth in names[1]
    if both:
        latest = latest.rename({truth: f"{truth}_new"})
    joined = old.join(latest, on=key, how="inner")
    # One join gives both the number of matched rows and the labels that occur.
    cells = loaded(joined.group_by(truth, *apart).agg(nw.len().alias(COUNT)))
    matched = int(cells[COUNT].sum()) if len(cells) else 0
    only = tuple(_count(own) - matched for own in frames)
    if any(only) and not given.drop:
        has, lacks = (0, 1) if only[0] else (1, 0)
        example = (
            frames[has].join(frames[lacks], on=key, how="anti").select(key).head(1).collect()[key].to_list()
        )
        raise no_partner(only[has], called[has], called[lacks], example[0])
    if both:
        joined = _same_truth(joined, truth, key)
    for name in set(shared).intersection(beside):
        pair = (
            frames[0]
            .select(key, **{truth: nw.col(name)})
            .join(frames[1].select(key, **{f"{truth}_new": nw.col(name)}), on=key, how="inner")
        )
        _same_truth(pair, truth, key, name)
    known = [cells[name].unique().drop_nulls().to_list() for name in (truth, *apart)]
    return LazyModels(joined.to_native(), truth, apart[0], apart[1], None, None, left_out(sum(only)), known)


def _same_truth(joined: Any, truth: str, key: str, called: str | None = None) -> Any:
    """Raise if the truth of a row, or the column `called`, differs between the tables; drop the duplicate."""
    differ = joined.filter(nw.col(truth) != nw.col(f"{truth}_new"))
    if n := _count(differ):
        row = loaded(differ.select(truth, f"{truth}_new").head(1))
        one, other = row[truth].to_list()[0], row[f"{truth}_new"].to_list()[0]
        raise InputError(
            f"column {(called or truth)!r} differs between the tables in {count(n, 'row')}, such as "
            f"{in_words(one)} and {in_words(other)}: {key!r} must name the same instances"
        )
    return joined.drop(f"{truth}_new")


def _count(frame: Any) -> int:
    return int(loaded(frame.select(nw.len())).item())
