"""The base of results: what a result says, and its tables; text, HTML, Markdown, LaTeX and data frames follow."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar

from adjudge.presentation.tables import Table, markdown_text

_SENTENCE_END = re.compile(r"\n(?!\s)")


class Result:
    """A result says paragraphs, one line a sentence, and has tables.

    A class writes `table`, or `tables` if it has several, and what it says above and below them.
    """

    __slots__ = ()

    #: What parts paragraphs and tables in text.
    _gap: ClassVar[str] = "\n\n"

    def said(self) -> list[str]:
        """Return the paragraphs above the tables."""
        return []

    def notes(self) -> list[str]:
        """Return the paragraphs below the tables."""
        return []

    def tables(self) -> list[Table]:
        """Return all tables."""
        table: Any = self
        return [table.table()]

    def shown_tables(self) -> list[Table]:
        """Return the tables that people are shown."""
        return self.tables()

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame of the first table, of the library that the inputs came from, or of another one.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            Default: that of the inputs, or the first that is installed.
        """
        return self._framed().frame(backend or getattr(self, "backend", None))

    def _framed(self) -> Table:
        """Return the table for programs."""
        return self.tables()[0]

    def __repr__(self) -> str:
        tables = [table.text() for table in self.shown_tables()]
        return self._gap.join([*self.said(), *tables, *self.notes()])

    def _repr_html_(self) -> str:
        from adjudge.presentation import notebook

        def sentences(paragraphs: Sequence[str]) -> list[str]:
            # A line that is indented goes on with the sentence.
            return [notebook.sentence(own) for text in paragraphs for own in _SENTENCE_END.split(text) if own]

        tables = map(self._in_html, self.shown_tables())
        return notebook.fragment(*sentences(self.said()), *tables, *sentences(self.notes()))

    def _in_html(self, table: Table) -> str:
        from adjudge.presentation import notebook

        return notebook.table(table)

    def to_markdown(self) -> str:
        """Return the sentences and the tables as Markdown."""
        above, below = (
            ["  \n".join(map(markdown_text, text.splitlines())) for text in own]
            for own in (self.said(), self.notes())
        )
        return "\n\n".join([*above, *(table.markdown() for table in self.shown_tables()), *below]) + "\n"

    def to_latex(self) -> str:
        r"""Return the tables as LaTeX, with the sentences as comments; the document needs ``\usepackage{booktabs}``."""
        said = [f"% {line}" for text in (*self.said(), *self.notes()) for line in text.splitlines()]
        return (
            "\n\n".join(
                ["\n".join(said), *(table.latex(remarks=True) for table in self.shown_tables())]
            ).strip()
            + "\n"
        )
