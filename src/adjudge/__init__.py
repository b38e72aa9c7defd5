"""adjudge judges clusterings and classifiers.

Seven verbs: :func:`evaluate`, :func:`compare`, :func:`gate`, :func:`choose` (and :func:`choose_k`), :func:`benchmark`,
:func:`report` and :func:`plan`.
Every index is a function (``adjudge.jaccard(labels_true, labels_pred)``): ``adjudge.list_indices()`` lists their
records, and ``dir(adjudge.indices)`` their names.
"""

from __future__ import annotations

from importlib import import_module

from adjudge.version import __version__ as __version__


def __getattr__(name: str) -> object:
    # Only what is used is imported, so that `import adjudge` takes a millisecond.
    return import_module("adjudge.exported").exports_of("adjudge", with_indices=True)[0](name)


def __dir__() -> list[str]:
    names: list[str] = import_module("adjudge.exported").exports_of("adjudge")[1]()
    return sorted([*names, "__version__"])
