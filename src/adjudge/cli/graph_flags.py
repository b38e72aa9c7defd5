"""The options of `adjudge evaluate` for labels that are communities of a graph."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from adjudge.cli.edge_tables import named_ends, numbers_beside, open_edges
from adjudge.cli.output import show_work
from adjudge.errors import InputError

if TYPE_CHECKING:
    from adjudge.cli.columns import Source
    from adjudge.cli.evaluation_columns import Asked
    from adjudge.cli.evaluation_flags import JudgedFlags, PointFlags
    from adjudge.cli.evaluation_rows import Rows
    from adjudge.cli.options import WeightFlags
    from adjudge.cli.treatment import TreatmentFlags
    from adjudge.given.graph import Graph
    from adjudge.kinds.request import EvaluationRequest

__all__ = ["EdgeFlags", "GraphFlags"]


@dataclass(frozen=True)
class EdgeFlags:
    """The edges, and how they name vertices."""

    heading: ClassVar[str] = "Graph"

    graph: Path | None = None
    directed: bool = False
    id: str | None = None

    def check_edges(self) -> None:
        """Raise for options of a graph without one."""
        if self.graph is None and (self.directed or self.id):
            name = "--directed" if self.directed else "--id"
            raise InputError(f"{name} is an option for graphs: give their edges with --graph")

    def read(self, source: Source) -> Graph:
        """Read the edges, whose vertices are those of a column, or numbers of rows."""
        import numpy as np

        from adjudge.given.graph import Graph

        assert self.graph is not None
        table = open_edges(self.graph, "vertices", "weights")
        weighted = numbers_beside(table)
        if self.id is None:
            n = len(source.table.label_columns(source.table.columns[:1])[0].labels())
            try:
                ends = table.points(table.columns[:2])
                graph = Graph(ends, n, directed=self.directed, weights=weighted)
            except InputError as error:
                raise InputError(
                    *error.parts, "; if edges name vertices, name their column with --id"
                ) from None
            _check_that_rows_are_meant(source, ends)
            return graph
        vertices, one, other = (np.asarray(own, object) for own in named_ends(source, self.id, table))
        return Graph(
            np.column_stack([one, other]), directed=self.directed, weights=weighted, vertices=vertices
        )


def _check_that_rows_are_meant(source: Source, ends: Any) -> None:
    """Raise if a column holds each vertex of the edges once, but not in the order of the rows."""
    import numpy as np

    vertices, named = np.unique(ends), source.table.numeric_columns()
    columns = source.table.points(named, gaps=True).T if named else ()
    for name, numbers in zip(named, columns, strict=True):
        if np.isnan(numbers).any():
            continue
        names = np.unique(numbers)
        if names.size < numbers.size or (numbers == np.arange(numbers.size)).all():
            continue
        if np.isin(vertices, names, assume_unique=True).all():
            raise InputError(
                f"edges may number the rows from 0, or name vertices as {name!r} does, in another order: if they are "
                f"names, give --id {name}; if not, take this column out of the file"
            )


@dataclass(frozen=True)
class GraphFlags(EdgeFlags):
    """The edges, where names may also be those of records in linked pairs."""

    def check(self, judged: JudgedFlags, points: PointFlags, weights: WeightFlags, *, of_pairs: bool) -> None:
        """Raise for options that do not work with a graph, or only with one; pairs of records have ids, too."""
        if self.graph is None:
            if self.directed:
                raise InputError("--directed is an option for graphs: give their edges with --graph")
            if self.id is not None and not of_pairs:
                raise InputError(
                    "--id names vertices or records: give edges with --graph, or pairs with --pairs"
                )
            return
        if not judged.labels:
            raise InputError("--graph judges communities: name their columns with --labels")
        others: dict[str, Any] = {
            "--weight": weights.weight,
            "--units": weights.units,
            "--columns": points.columns,
            "--by-cluster": judged.by_cluster,
            "--path-separator": judged.path_separator,
            "--level": judged.levels,
            "--kind": judged.kind not in (None, "clustering"),
            **points.demands,
        }
        found = next((name for name, is_given in others.items() if is_given), None)
        if found is not None:
            raise InputError(f"{found} does not work with --graph: leave it out")

    def rows(
        self, source: Source, asked: Asked, treatment: TreatmentFlags, request: EvaluationRequest
    ) -> Rows:
        """Read the edges, and the columns of communities."""
        from adjudge.cli.evaluation_rows import Model, Rows
        from adjudge.cli.label_table import noise_meant
        from adjudge.given.weights import Weighting

        with show_work(f"Reading {self.graph}"):
            graph = self.read(source)
            table = source.read(asked.truth, asked.judged, treatment=treatment, in_memory=True)
        treatment.check(table.truth, list(table.judged))
        models = {}
        for name in table.judged:
            # Without a truth, communities are labels that are judged from the edges.
            place = "labels" if table.truth is None else "labels_pred"
            vectors = {name: place} | ({} if table.truth is None else {table.truth: "labels_true"})
            options = treatment.of_columns(table.truth, table.judged).only(vectors).renamed(vectors)
            if options.treats_noise:
                options = replace(options, noise_label=noise_meant([table], treatment.noise_label))
            models[name] = Model(
                replace(request, labels=options),
                None if table.truth is None else table.column(table.truth),
                table.column(name),
                Weighting(None, None),
                called=f"column {name!r}",
                structures={"graph": graph},
            )
        return Rows(asked.truth, f"column {asked.truth!r}", models)
