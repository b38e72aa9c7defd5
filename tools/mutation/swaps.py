"""Change functions in place: swap their code, without importing anything again.

This has the same effect as importing the changed module only if nothing but functions differs, and if none of the
changed lines has run yet. `changes` checks the first condition, its callers the second.
"""

from __future__ import annotations

import gc
import inspect
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from types import CodeType, FunctionType, ModuleType

__all__ = ["Functions", "changes", "clear_caches"]


@dataclass(frozen=True)
class Change:
    """The code of a function before and after the change; `new` is None if the function no longer exists."""

    old: CodeType
    new: CodeType | None


def changes(before: str, after: str) -> list[Change] | None:
    """Return the functions that differ between two sources of a module; None if anything else differs.

    Both sources must be whole modules: calls of imported names are compiled differently in a lone statement.
    """
    return _changes(_compiled(before), _compiled(after))


@lru_cache(maxsize=8)
def _compiled(source: str) -> CodeType:
    return compile(source, "module", "exec", dont_inherit=True)


def _changes(old: CodeType, new: CodeType) -> list[Change] | None:
    alone = _shell(old) == _shell(new)
    parts = zip_longest(_nested(old), _nested(new))
    if old.co_flags & inspect.CO_OPTIMIZED == 0:  # the body of a module or class: it has already run
        within = [_changes(*pair) for pair in parts] if alone else [None]
        return None if None in within else [change for found in within for change in found or []]
    found = [change for before, after in parts if before for change in _within(before, after)]
    return found if alone and not found else [Change(old, new), *found]


def _within(old: CodeType, new: CodeType | None) -> list[Change]:
    """Return the changes of functions that a function defines when it runs, and may have defined before."""
    if new is None or new.co_qualname != old.co_qualname:
        return [Change(old, None), *(change for part in _nested(old) for change in _within(part, None))]
    return _changes(old, new) or []


def _nested(code: CodeType) -> list[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def _shell(code: CodeType) -> CodeType:
    """Return the code without its nested definitions and its line numbers."""
    constants = tuple(c.co_qualname if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(co_consts=constants, co_linetable=b"", co_firstlineno=1)


class Functions:
    """The functions of a package that exist in this process."""

    def __init__(self, package: str) -> None:
        self._found: dict[tuple[str, object], list[FunctionType]] = defaultdict(list)
        for function in gc.get_objects():
            if type(function) is FunctionType:
                module = str(function.__globals__.get("__name__"))
                if module.startswith(f"{package}."):
                    self._found[module, _place(function.__code__)].append(function)

    def change(self, module: str, wanted: list[Change]) -> bool:
        """Swap the code of functions of a module; return False if one is missing or cannot be changed in this way."""
        for change in wanted:
            found = self._found.get((module, _place(change.old)), [])
            if not found and "<locals>" not in change.old.co_qualname:
                return False
            for function in found:
                if change.new is None or change.new.co_freevars != change.old.co_freevars:
                    return False
                function.__code__ = change.new
        return True


def _place(code: CodeType) -> object:
    return code.co_qualname, code.co_firstlineno, code.co_linetable


def clear_caches(package: str) -> None:
    """Clear the caches of the functions of a package."""
    for module in _modules(package):
        for value in list(vars(module).values()):
            if getattr(value, "__module__", None) == module.__name__ and hasattr(value, "cache_clear"):
                value.cache_clear()


def _modules(package: str) -> Iterator[ModuleType]:
    return (module for name, module in list(sys.modules.items()) if name.startswith(f"{package}.") and module)
