"""What the results of `choose` and `choose_k` have in common: criteria with values and votes, doubts, and labels."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, ClassVar, Literal

from adjudge.errors import UnknownIndexError
from adjudge.inference.clusters.halves import ENOUGH
from adjudge.presentation import notebook
from adjudge.presentation.equal_by_content import ByValue
from adjudge.presentation.result import Result
from adjudge.presentation.tables import Table
from adjudge.results.notice import Notice
from adjudge.saved.omitted import LeftOut, OfRows, fields_of

#: What marks the recommended candidate, and each vote.
MARK = "*"


class Chosen(Result, ByValue):
    """A choice among candidates, which are named, or numbers of clusters."""

    # Of the criteria that names stand for.
    _kinds: ClassVar[tuple[Any, ...]]
    warnings: tuple[Notice, ...]
    values: dict[str, Any]
    labels: dict[Any, Any]
    estimators: dict[Any, Any]
    columns: tuple[str, ...] | None
    scaling: Literal["standard", "robust", "log"] | None

    def _of_columns(self) -> dict[str, Any]:
        """Return which columns were read, and how they were scaled, as plain data."""
        if self.columns is None:
            return {}
        how = {"standardized": self.scaling is not None, "scaling": self.scaling}
        return {"columns": list(self.columns), **how}

    def _saved_fields(self) -> dict[str, Any]:
        return fields_of(self) | {
            "labels": OfRows(self.labels) if self.labels else {},
            "estimators": LeftOut(tuple(self.estimators), what="estimators") if self.estimators else {},
        }

    @property
    def _halves(self) -> float | None:
        raise NotImplementedError

    @property
    def there_are(self) -> bool | None:
        """Whether there are clusters: two halves of the points agree on some. None if that was not tested."""
        return None if self._halves is None else self._halves >= ENOUGH

    def _of_criterion(self, name: str) -> dict[Any, float]:
        from adjudge.indices.catalog import find_index

        if isinstance(name, str) and name in self.values:
            found: dict[Any, float] = self.values[name]
            return found
        for kind in self._kinds:
            with suppress(UnknownIndexError):
                if (own := find_index(name, kind).name) in self.values:
                    return self._of_criterion(own)
        raise UnknownIndexError(
            f"{name!r} was not computed: choose one of {', '.join(list(self.values)[:8])} ..."
        )

    def _headline(self) -> list[str]:
        raise NotImplementedError

    def said(self) -> list[str]:
        """Return the conclusion, and what speaks against it."""
        return ["\n".join([*self._headline(), *map(str, self.warnings)])]

    def _in_html(self, table: Table) -> str:
        return notebook.table(table, 3, mark=MARK)
