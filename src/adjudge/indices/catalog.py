"""All indices by name: looked up by name, alias or unambiguous abbreviation, in any case."""

from __future__ import annotations

import copyreg
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from adjudge.errors import (
    AmbiguousIndexError,
    Call,
    InputError,
    InputTypeError,
    Option,
    UnknownIndexError,
    a_type,
    in_words,
)
from adjudge.indices.index_list import IndexList
from adjudge.indices.kinds import KINDS, Kind
from adjudge.indices.record import Index
from adjudge.indices.with_parameters import base_and_parameters, variant_with
from adjudge.statistics.making import can_be_made
from adjudge.unknown_names import close_names

__all__ = [
    "KINDS",
    "all_indices",
    "default_indices",
    "exactly_named",
    "find_index",
    "index_named",
    "is_all",
    "is_default",
    "is_own",
    "list_indices",
    "name_here",
    "register",
    "select_indices",
    "split_keywords",
    "unregister",
]

#: Modules of this package with records, in the order in which indices are listed, and the kinds of these. Looking up
#: one index by name, or the indices that are computed by default, does not import them all.
_MODULES: dict[str, tuple[Kind, ...]] = {
    "pairs": ("external",),
    "matching": ("external",),
    "purity_measures": ("external",),
    "instance_overlap": ("external",),
    "coreference": ("external",),
    "table_measures": ("external",),
    "information": ("external",),
    "scatter": ("internal",),
    "separation": ("internal",),
    "ranked": ("internal",),
    "dispersion": ("internal",),
    "density": ("internal",),
    "neighbours": ("internal",),
    "batch_mixing": ("internal",),
    "characteristics": ("internal",),
    "level_differences": ("internal", "selection"),
    "hierarchy_splits": ("selection",),
    "gap_statistic": ("selection",),
    "information_criteria": ("selection",),
    "stability": ("selection",),
    "cvnn_index": ("selection",),
    "nci_index": ("internal", "selection"),
    "comparative": ("comparative",),
    "diversity": ("diversity",),
    "classification": ("classification",),
    "classes": ("classification",),
    "ordered_classes": ("classification",),
    "probabilities": ("classification",),
    "score_ranking": ("classification",),
    "decisions": ("classification",),
    "abstention": ("classification",),
    "calibration": ("classification",),
    "label_rankings": ("multilabel",),
    "label_sets": ("multilabel",),
    "raters": ("raters",),
    "covers": ("overlapping",),
    "soft_clusters": ("soft",),
    "cluster_trees": ("hierarchy",),
    "taxonomies": ("taxonomy",),
    "communities": ("graph",),
    "batches": ("batches",),
    "numbers": ("values", "regression"),
}


@cache
def all_indices() -> dict[str, Index]:
    """Return every record by its canonical name, in the order of the modules."""
    found: dict[str, Index] = {}
    for module in _MODULES:
        for record in _records(module):
            if found.setdefault(record.name, record) is not record:
                raise InputError(f"two indices are named {record.name!r}")
    return {**found, **_REGISTERED}


@cache
def _by_kind() -> dict[str, list[Index]]:
    found: dict[str, list[Index]] = {}
    for record in all_indices().values():
        found.setdefault(record.kind, []).append(record)
    return found


def index_named(name: str) -> Index | None:
    """Return the index with a canonical name, if there is one, importing no more modules than necessary."""
    if (parts := base_and_parameters(name)) is not None:
        base = index_named(parts[0])
        return None if base is None else variant_with(base, parts[1])
    ours = (record for module in _MODULES for record in _records(module) if record.name == name)
    return next(ours, None) or _REGISTERED.get(name)


#: Indices that users have registered, by name.
_REGISTERED: dict[str, Index] = {}
#: Kinds of indices that are computed from points.
_OF_POINTS: tuple[Kind, ...] = ("internal", "selection")


def register(index: Index) -> Index:
    """Register your own index, which then works everywhere that the built-in ones do.

    Parameters
    ----------
    index : Index
        A record made by :func:`adjudge.indices.external`, :func:`adjudge.indices.internal` or another of the
        decorators.

    Returns
    -------
    Index
        The same record, so that ``@register`` can be put above the decorator.

    Raises
    ------
    InputTypeError
        If it is not a record, or needs something that no engine makes.
    InputError
        If its name or one of its aliases belongs to another index.

    Examples
    --------
    >>> import adjudge
    >>> from adjudge import register, unregister
    >>> from adjudge.indices import external, quotient
    >>> from adjudge.statistics import PairCounts
    >>> @register
    ... @external(title="Share joined twice", better="higher", range=(0, 1), reference="my own")
    ... def joined_twice(pairs: PairCounts) -> float:
    ...     "Pairs joined in both partitions, among all pairs."
    ...     return quotient(pairs.yy, pairs.total, "there is one instance")
    >>> adjudge.evaluate([0, 0, 1], [0, 0, 1], indices="joined_twice")["joined_twice"]
    0.3333333333333333
    >>> unregister("joined_twice")
    """
    if not isinstance(index, Index):
        raise InputTypeError(
            f"index is {a_type(index)}: give a record, made by adjudge.indices.external() or another decorator"
        )
    for statistic in index.requires:
        if not can_be_made(statistic):
            raise InputTypeError(
                f"{index.name}() is annotated with {getattr(statistic, '__name__', statistic)}, not with a statistic:"
                " annotate it with what it is computed from, such as PairCounts"
            )
    if all_indices().get(index.name, index) is not index:
        raise InputError(f"an index {index.name!r} exists already: choose another name")
    _REGISTERED[index.name] = index
    _forget()
    try:
        _names(index.kind)
    except InputError:
        unregister(index.name)
        raise
    copyreg.pickle(type(index), _reduced)
    return index


def unregister(name: str) -> None:
    """Remove an index that you registered.

    Parameters
    ----------
    name : str

    Raises
    ------
    UnknownIndexError
        If no registered index has this name.

    Examples
    --------
    >>> from adjudge import unregister
    >>> unregister("rand")
    Traceback (most recent call last):
    adjudge.errors.UnknownIndexError: no registered index is called 'rand'
    """
    if _REGISTERED.pop(name, None) is None:
        raise UnknownIndexError(f"no registered index is called {name!r}")
    _forget()


def _forget() -> None:
    for function in (all_indices, _by_kind, _default, _names, _claims):
        function.cache_clear()


@cache
def _records(module: str) -> tuple[Index, ...]:
    """Return the records of a module, which are pickled by name from now on."""
    found: list[Index] = []
    for value in vars(import_module(f"adjudge.indices.{module}")).values():
        members = value if isinstance(value, tuple) else (value,)
        found.extend(member for member in members if isinstance(member, Index))
    for kind in set(map(type, found)):
        copyreg.pickle(kind, _reduced)
    return tuple(found)


def _named(name: str) -> Index:
    found = index_named(name)
    if found is None:
        raise InputError(f"no index {name!r} is registered in this process: register it before unpickling")
    return found


def _reduced(record: Index) -> str | tuple[Any, ...]:
    """Pickle a record by name: it replaces its formula in the module, so pickle would not find the formula."""
    if index_named(record.name) is record:
        return _named, (record.name,)
    return object.__reduce_ex__(record, 2)


@cache
def _names(kind: Kind | None) -> dict[str, Index]:
    """Return normalised names, aliases and names in other programs.

    A name takes precedence over an alias, and both over names in other programs. A name on which programs disagree
    with each other or with us is not used.
    """
    records = [r for r in all_indices().values() if kind is None or r.kind == kind]
    names: dict[str, Index] = {_normalise(r.name): r for r in records}
    aliases: dict[str, Index] = {}
    for record in records:
        for alias in map(_normalise, record.aliases):
            claimed = names.get(alias) or aliases.setdefault(alias, record)
            if claimed is not record and claimed.kind == record.kind:
                raise InputError(f"{alias!r} is an alias of both {claimed.name} and {record.name}")
    claims = _claims(kind)
    peers: dict[str, Index] = {}
    for record in records:
        for name in map(_normalise, (name for _, name in record.names_elsewhere)):
            if all(
                other is record or other.variant_of == record.name for other in claims.get(name, [record])
            ):
                peers[name] = record
    return {**peers, **aliases, **names}


@cache
def _claims(kind: Kind | None) -> dict[str, list[Index]]:
    """Return the meanings of names in other programs, regardless of the options they need there."""
    claims: dict[str, list[Index]] = {}
    for record in all_indices().values():
        if kind is None or record.kind == kind:
            for _, name in record.names_elsewhere:
                claims.setdefault(_normalise(name.partition("(")[0]), []).append(record)
    return claims


def _normalise(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_").replace(".", "_")


def find_index(name: str, kind: Kind | None = None) -> Index:
    """Return the index with a name, alias or unambiguous abbreviation.

    Parameters
    ----------
    name : str
        Case does not matter; blanks, dots and hyphens count as underscores. An exact name takes precedence over an
        exact alias, and both over abbreviations. If one of several matching names is a prefix of all others, it is
        chosen. Parameters may follow in brackets: ``"recall_at_precision(at=0.8)"``.
    kind : str, optional
        "external", "internal", "comparative", "diversity", "classification", "multilabel", "raters", "selection",
        "overlapping", "soft", "graph", "batches", "hierarchy", "taxonomy", "values" or "regression".
        Look only among these; default: among all.

    Raises
    ------
    UnknownIndexError
        If no index, or more than one, has the name; the candidates are listed.
    """
    if not isinstance(name, str):
        raise UnknownIndexError(f"name an index by a str, not by {in_words(name)}")
    wanted = _normalise(name)
    names = _names(kind)
    if wanted in names:
        return names[wanted]
    if (parts := base_and_parameters(name)) is not None:
        return variant_with(find_index(parts[0], kind), parts[1])
    meant = {r.name: r for r in _claims(kind).get(wanted, ())}
    matches = _abbreviated(wanted, names)
    shortest = min(matches, key=len, default="")
    if matches and not meant and all(name == shortest or name.startswith(f"{shortest}_") for name in matches):
        return matches[shortest]
    if len(candidates := {**meant, **matches}) > 1:
        raise AmbiguousIndexError(f"{name!r} is ambiguous: it may be {', '.join(sorted(candidates))}")
    raise UnknownIndexError(*_unknown(name, wanted, names, kind))


def exactly_named(name: str, kind: Kind | None = None) -> Index | None:
    """Return the index with this name, alias or name in another program in full; None if there is none."""
    return _names(kind).get(_normalise(name))


def _abbreviated(wanted: str, names: dict[str, Index]) -> dict[str, Index]:
    """Return the indices whose names or aliases begin with this, or else whose names in other programs do."""
    found = {n: r for n, r in names.items() if wanted and n.startswith(wanted) and "(" not in n}
    own = {r.name: r for n, r in found.items() if n in map(_normalise, (r.name, *r.aliases))}
    return own or {r.name: r for r in found.values()}


# Disparities between groups, which are no indices.
_OF_GROUPS = ("demographic_parity", "equalized_odds")


def _unknown(name: str, wanted: str, names: dict[str, Index], kind: Kind | None) -> tuple[Any, ...]:
    what = f"{kind} index" if kind else "index"
    head = f"no {what} is called {in_words(name)}: "
    if wanted.startswith(_OF_GROUPS):
        return head, "it compares groups: evaluate by group, and name the positive class"
    elsewhere = _names(None).get(wanted) if kind else None
    if elsewhere is not None:
        return head, f"{elsewhere.name} is of kind {elsewhere.kind!r}"
    if (of_class := re.fullmatch(r"(\w+)\[.+\]", name)) is not None and _normalise(of_class[1]) in names:
        return head, "a result has the scores of each class in by_class; only a gate takes that of one"
    meant = [r.name for r in _claims(kind).get(wanted, ())] or _noted(name, names)
    close = meant or list(dict.fromkeys(names[own].name for own in close_names(wanted, names, 3)))
    apart = [part for part in re.split(r"[\s,;|]+", name) if part]
    if not meant and len(apart) > 1 and all(_normalise(part) in names for part in apart):
        return head, f"these are {len(apart)} names: give ", Option("indices"), " a list of them"
    close = close or _by_initials(wanted, names)
    if close:
        return head, f"did you mean {', '.join(close)}?"
    return head, Call("list_indices"), " lists them all"


def mentions(record: Index, text: str) -> bool:
    """Whether an index has a text in its names or its description; case and apostrophes make no difference."""
    elsewhere = (name for _, name in record.names_elsewhere)
    words = (record.name, record.title, record.summary, record.note, *record.aliases, *elsewhere)
    return any(_bare(text) in _bare(word) for word in words)


def _noted(phrase: str, names: Mapping[str, Index]) -> list[str]:
    """Return names of indices whose notes have these whole words, such as "overall accuracy"; none if many do."""
    words = re.compile(rf"\b{re.escape(_bare(phrase.replace('_', ' ').strip()))}\b")
    found = [record.name for record in dict.fromkeys(names.values()) if words.search(_bare(record.note))]
    return found if len(found) <= _MOST_NOTED else []


def _bare(text: str) -> str:
    return re.sub("['\u2019]", "", text).casefold()


def _by_initials(wanted: str, names: dict[str, Index]) -> list[str]:
    """Return names of indices whose words begin with these letters, such as xb for Xie-Beni."""
    if len(wanted) < 2:
        return []
    initials = {name: "".join(word[:1] for word in name.split("_")) for name in names}
    return list(dict.fromkeys(names[name].name for name, own in initials.items() if own.startswith(wanted)))[
        :3
    ]


# A phrase that the notes of more indices have names none of them.
_MOST_NOTED = 3
# Functions of scikit-learn that are not indices, and their replacements here.
_NO_INDICES = {
    "classification_report": 'adjudge.evaluate(labels_true, labels_pred, kind="classification")',
    "confusion_matrix": "adjudge.statistics.Contingency.from_labels(labels_true, labels_pred).to_array()",
    "contingency_matrix": "adjudge.statistics.Contingency.from_labels(labels_true, labels_pred).to_array()",
    "expected_mutual_information": "adjudge.statistics.Contingency.from_labels(...).information.expected_mutual",
    "homogeneity_completeness_v_measure": "adjudge.homogeneity, adjudge.completeness and adjudge.v_measure",
    "pair_confusion_matrix": "adjudge.statistics.Contingency.from_labels(labels_true, labels_pred).pairs",
    "silhouette_samples": 'adjudge.evaluate(X=X, labels=labels).details["silhouette_widths"]',
}


def name_here(name: str) -> str:
    """Say what a function of scikit-learn is called here; empty if there is no such function there or here."""
    here = _NO_INDICES.get(name)
    if here is None:
        claims = _claims(None).get(_normalise(name), ())
        here = " or ".join(f"adjudge.{r.name}" for r in dict.fromkeys(claims) if _stands_for(r, name))
    return f"it is {here}, and adjudge.metrics.{name} is as in scikit-learn" if here else ""


def _stands_for(record: Index, function: str) -> bool:
    """Return whether scikit-learn's function computes an index, and not just a variant of it."""
    names = (name for program, name in record.names_elsewhere if program == "scikit-learn")
    return record.variant_of is None and any(name.partition("(")[0] == function for name in names)


def list_indices(kind: Kind | None = None) -> list[Index]:
    """List the records of all indices, or of one kind.

    Parameters
    ----------
    kind : str, optional
        "external", "internal", "comparative", "diversity", "classification", "multilabel", "raters", "selection",
        "overlapping", "soft", "graph", "batches", "hierarchy", "taxonomy", "values" or "regression".
        Default: all.

    Returns
    -------
    list of Index
        Each with `name`, `title`, `range`, `better`, `formula`, `citation` ... The list prints as a table.

    Examples
    --------
    >>> from adjudge import list_indices
    >>> [index.name for index in list_indices("comparative")][:2]
    ['comparative_deviation', 'polarization']
    """
    if kind is not None and not (isinstance(kind, str) and kind in KINDS):
        raise InputError(Option("kind", kind), f" is not known: choose one of {', '.join(map(repr, KINDS))}")
    return IndexList(all_indices().values() if kind is None else _by_kind().get(kind, ()))


def is_all(indices: object) -> bool:
    """Return whether the keyword "all" was given."""
    return isinstance(indices, str) and _normalise(indices) == "all"


def is_default(indices: object) -> bool:
    """Return whether the keyword "default" was given."""
    return isinstance(indices, str) and _normalise(indices) == "default"


def split_keywords(
    indices: str | Index | Iterable[str | Index],
) -> tuple[list[str], list[str | Index]]:
    """Separate the keywords "default" and "all" from the indices that are named."""
    try:
        asked = [indices] if isinstance(indices, (str, Index)) else list(indices)
    except TypeError:
        raise InputTypeError(
            f"indices is {a_type(indices)}: give names, records, 'default' or 'all'"
        ) from None
    keywords = [item for item in asked if isinstance(item, str) and (is_all(item) or is_default(item))]
    return keywords, [item for item in asked if item not in keywords]


def is_own(record: Index) -> bool:
    """Return whether an index was registered by a user."""
    return _REGISTERED.get(record.name) is record


def default_indices(kinds: tuple[Kind, ...]) -> list[Index]:
    """Return the indices that are computed by default: those whose record says why, and registered ones."""
    return list(_default(tuple(kinds)))


@cache
def _default(kinds: tuple[Kind, ...]) -> list[Index]:
    ours = (_records(module) for module, of in _MODULES.items() if not set(of).isdisjoint(kinds))
    default = [r for records in ours for r in records if r.kind in kinds and r.default]
    return default + [r for r in _REGISTERED.values() if r.kind in kinds]


def select_indices(indices: str | Index | Iterable[str | Index], kinds: tuple[Kind, ...]) -> list[Index]:
    """Return the requested records, of the kinds that the inputs allow.

    Parameters
    ----------
    indices : "default", "all", a name, a record, or several
    kinds : tuple of str
        Kinds that can be computed, in the order in which names are looked up.
    """
    keywords, named = split_keywords(indices)
    if not keywords and not named:
        raise InputError("indices is empty: give names, 'default' or 'all'")
    chosen: dict[str, Index] = {}
    if any(map(is_all, keywords)):
        chosen = {r.name: r for r in all_indices().values() if r.kind in kinds and not r.labels_are}
    elif keywords:
        chosen = {r.name: r for r in default_indices(kinds)}
    for item in named:
        record = item if isinstance(item, Index) else _find_among(item, kinds)
        chosen[record.name] = record
    return list(chosen.values())


def _find_among(name: str, kinds: tuple[Kind, ...]) -> Index:
    """Look up a name in each kind in turn, then everywhere (the caller reports what cannot be computed).

    An exact name of any kind takes precedence over an alias, and an alias over an abbreviation in an earlier kind.
    The name of an index of points abbreviates no other: "scott" is not Scott-Symons, nor "gamma" one of labels.
    """
    if isinstance(name, str):
        if (parts := base_and_parameters(name)) is not None and exactly_named(name) is None:
            return variant_with(_find_among(parts[0], kinds), parts[1])
        wanted = _normalise(name)
        exact = all_indices().get(wanted)
        if exact is not None and exact.kind in kinds:
            return exact
        for record in (_names(kind).get(wanted) for kind in kinds):
            if record is not None and wanted in map(_normalise, record.aliases):
                return record
        if exact is not None and exact.kind in _OF_POINTS:
            return exact
    for kind in kinds:
        try:
            return find_index(name, kind)
        except AmbiguousIndexError:
            raise
        except UnknownIndexError:
            pass
    return find_index(name)
