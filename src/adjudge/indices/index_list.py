"""A list of records that prints as a table."""

from __future__ import annotations

from adjudge.indices.record import Index
from adjudge.presentation.numbers import range_text
from adjudge.presentation.tables import Table


class IndexList(list[Index]):
    """Records of indices: a list, which prints as a table and shows as one in a notebook.

    Examples
    --------
    >>> from adjudge import list_indices
    >>> print(list_indices("comparative"))  # doctest: +ELLIPSIS
    name                   better  range      meaning
    comparative_deviation  higher  [-1, 1]    Among the disagreements, the excess of those in which the primary ...
    polarization           higher  [-1, 1]    Share on which the primary model is right, minus the share on which ...
    ...
    """

    def table(self) -> Table:
        """Return one row per index, with columns that fit a terminal, and the kind only if it varies."""
        several = len({record.kind for record in self}) > 1
        rows = [
            (r.name, *((r.kind,) if several else ()), r.better or "", range_text(*r.range), r.summary)
            for r in self
        ]
        return Table(("name", *(("kind",) if several else ()), "better", "range", "meaning"), tuple(rows))

    def __repr__(self) -> str:
        return repr(self.table())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()
