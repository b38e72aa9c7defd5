"""Small examples of every index, run when the documentation is built."""

from __future__ import annotations

import ast
import doctest

from adjudge.indices.batches import BatchIndex
from adjudge.indices.forecast_record import ForecastIndex
from adjudge.indices.raters import RaterIndex
from adjudge.indices.record import Index
from adjudge.indices.selection_record import SelectionIndex
from adjudge.statistics.sweep import GapReference, MixtureFits, Stability

_FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def example_of(record: Index) -> str:
    """Return an interactive session that shows the index, with the output that it really gives.

    Raises
    ------
    AssertionError
        If the example in the docstring shows something else than what happens.
    """
    if record.example and not record.fixed:
        check_session(record.example, record.name)
        return record.example
    return session(_source(record))


def check_session(text: str, name: str) -> None:
    """Run an interactive session, and complain where it shows something else."""
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    said: list[str] = []
    doctest.DocTestRunner(optionflags=_FLAGS).run(test, out=said.append)
    assert not said, "".join(said)


def session(source: str) -> str:
    """Run statements, and write them down as an interactive session with the values of the expressions."""
    names: dict[str, object] = {}
    lines: list[str] = []
    for statement in ast.parse(source).body:
        code = ast.get_source_segment(source, statement) or ""
        first, *more = code.splitlines()
        lines += [f">>> {first}", *(f"... {line}" for line in more)]
        if isinstance(statement, ast.Expr):
            value = eval(code, names)
            if value is not None:
                lines.append(repr(value))
        else:
            exec(code, names)
    return "\n".join(lines)


def _source(record: Index) -> str:
    if isinstance(record, SelectionIndex):
        return _sweep(record)
    given = "[0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 2, 2]"
    if isinstance(record, ForecastIndex):
        given = "[0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]"
    if isinstance(record, RaterIndex):
        given = "[[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 2, 1], [2, 2, 2]]"
    if isinstance(record, BatchIndex):
        given = "[[1.0, 0.0], [0.9, 0.1], [0.8, 0.3], [0.9, 0.2]], [0, 0, 0, 0], batch=[0, 1, 0, 1]"
    return f"from adjudge import {record.name}\n{record.name}({given})\n"


def _sweep(record: SelectionIndex) -> str:
    options = [f"indices={record.name}", "random_state=0"]
    if record.hierarchical:
        options.insert(0, 'estimator="ward"')
    if record.requires == (MixtureFits,):
        options.insert(0, 'estimator="gaussian_mixture"')
    if record.requires == (Stability,):
        options.append("stability=20")
    if record.requires == (GapReference,):
        options.append("n_references=20")
    return (
        "import numpy as np\n"
        f"from adjudge import choose_k, {record.name}\n"
        "rng = np.random.default_rng(0)\n"
        "X = np.concatenate([rng.normal(centre, 0.3, size=(40, 2)) for centre in (0, 3, 6)])\n"
        f"choice = choose_k(X, k=range(2, 6), {', '.join(options)})\n"
        f'{{k: round(value, 4) for k, value in choice.values["{record.name}"].items()}}\n'
        f'choice.votes["{record.name}"]\n'
    )
