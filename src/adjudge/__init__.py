"""adjudge judges clusterings and classifiers.

Seven verbs: :func:`evaluate`, :func:`compare`, :func:`gate`, :func:`choose` (and :func:`choose_k`), :func:`benchmark`,
:func:`report` and :func:`plan`.
Every index is a function (``adjudge.jaccard(labels_true, labels_pred)``): ``adjudge.list_indices()`` lists their
records, and ``dir(adjudge.indices)`` their names.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "1.0.0rc1"


def __getattr__(name: str) -> Any:
    # Only what is used is imported, so that `import adjudge` takes a millisecond.
    return import_module("adjudge.indices").beside_indices("adjudge")[0](name)


def __dir__() -> list[str]:
    names: list[str] = import_module("adjudge.indices").beside_indices("adjudge")[1]()
    return sorted([*names, "__version__"])
