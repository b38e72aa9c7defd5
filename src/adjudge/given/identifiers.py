"""Columns of numbers that measure nothing: identifiers of rows, labels, and the output of models."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from adjudge.errors import InputError
from adjudge.given.labels import Labels, code_labels

# A whole word at the end of a name: "id", "customer_id", "customer id", "customerId", "user-key".
_WORD = re.compile(
    r"(?:^|[^a-zA-Z])(?:row|user|customer|client|patient|member|account|order|item|product|session|device|person|subject"
    r"|employee|student|record|document|doc)?(?:id|ids)$"
    r"|(?:^|[^a-zA-Z])(?:key|uuid|guid|idx|index)$|[^a-zA-Z](?:no|number)$|nr$"
    r"|^row$|^unnamed: \d+$|^level_\d+$|__index_level_\d+__$",
    re.IGNORECASE,
)
_CAMEL = re.compile(r"[a-z](?:Id|ID|Key|UUID|Nr|Index)$")
# Names of what rows often belong to, such as "patient", "Author name" and "user_no".
_UNIT = re.compile(
    r"(account|animal|author|client|customer|document|donor|employee|grid[ _-]?cell|household|member|parcel|participant"
    r"|patient|person|plot|polygon|psu|quadrat|respondent|scene|session|site|speaker|student|subject|tile|transect|user"
    r"|writer)s?[^a-zA-Z]*(?:id|ids|no|nr|number|name|key|code|uuid)?",
    re.IGNORECASE,
)
# Names of the places of a pixel in a raster, which repeat and are no units.
_ROW_OF_PIXELS, _COLUMN_OF_PIXELS = {"row"}, {"col", "cols", "column"}
# Names of a column that says who rated.
_RATER = re.compile(
    r"(annotator|coder|judge|labell?er|rater|reviewer|worker)[^a-zA-Z]*(?:id|name|no|nr|number)?",
    re.IGNORECASE,
)
# Words in the names of columns that models write, anywhere or at the end, and clusterers that columns are named after.
_SAYS = {"pred", "preds", "prediction", "predicted", "yhat"}
_OF_LABELS = {"label", "labels", "cluster", "clusters", "class", "classes", "truth", "target"}
_CLUSTERERS = {
    "km",
    "kmeans",
    "kmedoids",
    "gmm",
    "agg",
    "agglomerative",
    "ward",
    "dbscan",
    "hdbscan",
    "optics",
}
_CLUSTERERS |= {"spectral", "birch", "leiden", "louvain", "meanshift"}
_CLUSTERERS |= {"hc", "hclust", "pam", "agnes", "mclust"}  # in R
_OF_PROBABILITIES = {"p", "prob", "probs", "proba", "probability", "probabilities"}
# Before such a word these mark a count, after it the result of a test.
_COUNTS, _OF_TESTS = {"n", "num", "number"}, {"value", "values", "val"}
# A name that ends in the setting it was made with, and what stands before: eps_0.1, res_2, km3.
_WITH_SETTING = re.compile(r"(.*[^\W\d])[\W_]*\d+(?:\.\d+)?")
_WITH_FRACTION = re.compile(r".*[^\W\d][\W_]*\d+\.\d+")
#: What a column that is no coordinate looks like, in words: one column, and several.
LOOKS_LIKE = {
    "identifiers": ("an identifier", "identifiers"),
    "output": ("a model's output", "models' output"),
    "labels": ("labels", "labels"),
}
# Most distinct whole numbers that may be labels.
_MOST_LABELS = 100
# With fewer units, there are no intervals over units.
_FEWEST_UNITS = 10
# With fewer points, consecutive whole numbers may well be measurements.
_FEWEST = 5


def is_name_of_identifiers(name: Any) -> bool:
    """Whether a column's name is that of an identifier, or ends in such a name as a separate word.

    Examples
    --------
    >>> from adjudge.given.identifiers import is_name_of_identifiers
    >>> [is_name_of_identifiers(name) for name in ("customer_id", "customerId", "paid", "index")]
    [True, True, False, True]
    """
    text = str(name).strip()
    return not text or bool(_WORD.search(text) or _CAMEL.search(text))


def unit_named(name: Any) -> str | None:
    """Return what a column's name says that rows belong to, in one word; None if it says nothing.

    Examples
    --------
    >>> from adjudge.given.identifiers import unit_named
    >>> [unit_named(name) for name in ("Patient", "authorName", "user_no", "patient_age")]
    ['patient', 'author', 'user', None]
    """
    matched = _UNIT.fullmatch(str(name).strip())
    return None if matched is None else re.sub("[_-]", " ", matched[1].lower())


def pixel_places(names: Iterable[Any]) -> set[Any]:
    """Return the names of columns with the row and the column of a pixel, if there are both.

    Examples
    --------
    >>> from adjudge.given.identifiers import pixel_places
    >>> sorted(pixel_places(["row", "col", "red"])), pixel_places(["row", "red"])
    (['col', 'row'], set())
    """
    found = [(str(name).strip().lower(), name) for name in names]
    rows = {name for small, name in found if small in _ROW_OF_PIXELS}
    columns = {name for small, name in found if small in _COLUMN_OF_PIXELS}
    return rows | columns if rows and columns else set()


def looks_like_identifiers(name: Any, values: Any) -> bool:
    """Whether a column numbers the rows, in any order, or holds whole numbers and is named like an identifier.

    Whole numbers under the name of one unit, such as "patient", identify it if they repeat as those of units do; under
    the name of several, such as "patients", they may be counts.

    Examples
    --------
    >>> from adjudge.given.identifiers import looks_like_identifiers
    >>> looks_like_identifiers("visits", [3, 0, 1, 4, 2]), looks_like_identifiers("visits", [3, 0, 1, 4, 4])
    (True, False)
    """
    numbers = np.asarray(values)
    n = numbers.size
    if n == 0 or numbers.dtype.kind not in "iuf":
        return False
    if numbers.dtype.kind == "f" and not _are_whole(numbers):
        return False
    if is_name_of_identifiers(name):
        return n > 1
    unit = unit_named(name)
    if unit is not None and str(name).strip().lower() != f"{unit}s" and repeats(numbers):
        return True
    low, high = numbers.min(), numbers.max()
    return n >= _FEWEST and low in (0, 1) and bool(high - low == n - 1) and np.unique(numbers).size == n


def identifies_rows(name: Any, values: Callable[[], Any]) -> bool:
    """Whether a column has the name of an identifier and no value twice, or the name of a unit and no other meaning.

    Parameters
    ----------
    name : object
    values : callable
        Reads the column, or some of its rows.

    Examples
    --------
    >>> from adjudge.given.identifiers import identifies_rows
    >>> columns = {"id": "abcde", "cluster_id": "aabbc", "user": "aabbccddeeffgghhiijj", "kmeans": "abcde"}
    >>> [name for name, own in columns.items() if identifies_rows(name, lambda own=own: list(own))]
    ['id', 'user']
    """
    if not (is_name_of_identifiers(name) or unit_named(name)):
        return False
    try:
        labels = code_labels(values(), "values")
    except InputError:  # fractions identify nothing
        return False
    n = len(labels)
    is_unique = n >= _FEWEST and labels.missing is None and len(labels.present) == n
    return is_unique or (unit_named(name) is not None and repeats(labels))


def identifiers_among_ratings(columns: Mapping[Any, Labels]) -> list[Any]:
    """Find columns that hold no ratings, but say which unit is rated; none if fewer than two others would remain.

    They are named like identifiers, or number the rows or name what rows belong to, and then at least half of their
    values are not among those of other columns.

    Examples
    --------
    >>> from adjudge.given.identifiers import identifiers_among_ratings
    >>> from adjudge.given.labels import code_labels
    >>> given = {"post": range(8), "ann": [1, 2] * 4, "bob": [1, 1, 2, 2] * 2}
    >>> identifiers_among_ratings({name: code_labels([*own], name) for name, own in given.items()})
    ['post']
    """
    names = [name for name, own in columns.items() if _may_identify(name, own)]
    others = [own.present for name, own in columns.items() if name not in names]
    if len(others) < 2:
        return []
    rated = {label for own in others for label in own}
    return [
        name
        for name in names
        if is_name_of_identifiers(name)
        or 2 * sum(label not in rated for label in columns[name].present) >= len(columns[name].present)
    ]


def names_raters(columns: Mapping[Any, Labels]) -> Any | None:
    """Return the column that says who gave the rating of each row, in a table with one rating in a row; or None.

    It is called so, its values repeat, and no other column has any of them.

    Examples
    --------
    >>> from adjudge.given.identifiers import names_raters
    >>> from adjudge.given.labels import code_labels
    >>> given = {"post": [0, 0, 1, 1], "rater": ["ann", "bob"] * 2, "label": ["a", "a", "b", "a"]}
    >>> names_raters({name: code_labels(own, name) for name, own in given.items()})
    'rater'
    """
    for name, own in columns.items():
        if not _RATER.fullmatch(str(name).strip()) or 2 * len(own.present) > len(own):
            continue
        others = {label for other, labels in columns.items() if other != name for label in labels.present}
        if others.isdisjoint(own.present):
            return name
    return None


def _may_identify(name: Any, labels: Labels) -> bool:
    is_named = is_name_of_identifiers(name) or unit_named(name)
    if labels.missing is not None or not (is_named or len(labels.present) == len(labels)):
        return False
    if identifies_rows(name, lambda: labels):
        return True
    codes, present = labels.dense()
    if len(present) == len(labels) >= _FEWEST_UNITS and isinstance(present[0], str):
        return True
    is_whole = all(isinstance(own, int) and not isinstance(own, bool) for own in present)
    return is_whole and looks_like_identifiers(name, np.array(present, np.float64)[codes])


def repeats(values: Any) -> bool:
    """Whether at least half of a column's distinct values repeat, and there are enough of them to be units.

    Examples
    --------
    >>> from adjudge.given.identifiers import repeats
    >>> repeats(list("aabbccddeeffgghhiijj")), repeats(list("aabcdefghij")), repeats(list("aaabbb"))
    (True, False, False)
    """
    try:
        labels = code_labels(values, "values")
    except InputError:  # fractions identify nothing
        return False
    if labels.missing is not None:
        labels = labels.take(~labels.missing)
    counts = labels.counted()[2]
    return counts.size >= _FEWEST_UNITS and 2 * int(np.count_nonzero(counts > 1)) >= counts.size


def looks_like_models_output(name: Any, values: Any, models: Iterable[Any] = ()) -> bool:
    """Whether a column of numbers looks like a model's labels or probabilities, by its name and its values.

    `models` are the names of the label columns, which the names of the models' probability columns often repeat.

    Examples
    --------
    >>> from adjudge.given.identifiers import looks_like_models_output
    >>> [looks_like_models_output(name, [0.2, 0.9, 0.4]) for name in ("p_churn", "share")]
    [True, False]
    >>> looks_like_models_output("old_churn", [0.2, 0.9, 0.4], models=["old", "new"])
    True
    """
    numbers = np.asarray(values)
    if numbers.size == 0 or numbers.dtype.kind not in "iuf" or not np.isfinite(numbers).all():
        return False
    words = _words(name)
    if (numbers == np.floor(numbers)).all():
        last = words[-1] if words and _COUNTS.isdisjoint(words[:-1]) else ""
        is_named = not _SAYS.isdisjoint(words) or last in _OF_LABELS or last in _CLUSTERERS
        return is_named and np.unique(numbers).size <= _MOST_LABELS
    if numbers.min() < 0 or numbers.max() > 1:
        return False
    says_so = not _OF_PROBABILITIES.isdisjoint(words) and _OF_TESTS.isdisjoint(words)
    return says_so or any(own and _has_in_a_row(words, own) for own in map(_words, models))


def no_coordinates(columns: Iterable[tuple[Any, Any]], labels: Iterable[Any] = ()) -> dict[str, list[Any]]:
    """Find columns of numbers that hardly measure anything, by what they look like.

    A column looks like labels if it holds few distinct whole numbers, and its name differs from that of given labels
    only in the number at its end, or from that of other such columns, and these numbers are fractions, as settings are;
    or if a clusterer stands before this number; or if it numbers clusters from -1, for noise, without a gap, beside
    fractions.

    Parameters
    ----------
    columns : iterable of (name, array-like of shape (n,))
        Without gaps.
    labels : iterable
        Names of the label columns.

    Returns
    -------
    dict of str to list
        Names under the keys of `LOOKS_LIKE`.

    Examples
    --------
    >>> from adjudge.given.identifiers import no_coordinates
    >>> columns = {"x": [0.5, 0.2, 0.9], "count": [7, 2, 2], "eps_2": [0, 1, 1], "other": [0, -1, 0]}
    >>> no_coordinates(columns.items(), labels=["eps_1"])
    {'identifiers': [], 'output': [], 'labels': ['eps_2', 'other']}
    """
    names, columns = list(labels), list(columns)
    places = pixel_places(name for name, _ in columns)
    stems = {stem for stem in map(_stem, names) if stem}
    found: dict[str, list[Any]] = {kind: [] for kind in LOOKS_LIKE}
    with_noise, has_fractions = set(), False
    of_settings: dict[str | None, list[Any]] = {}
    for name, values in columns:
        numbers = np.asarray(values)
        if looks_like_identifiers(name, numbers) or (name in places and _is_of_whole(numbers)):
            found["identifiers"].append(name)
        elif looks_like_models_output(name, numbers, names):
            found["output"].append(name)
        elif not _is_of_whole(numbers):
            has_fractions |= numbers.dtype.kind == "f"
        elif (_stem(name) in stems or _names_clusterer(name)) and np.unique(numbers).size <= _MOST_LABELS:
            found["labels"].append(name)
        elif _WITH_FRACTION.fullmatch(str(name)) and numbers_clusters(numbers):
            of_settings.setdefault(_stem(name), []).append(name)
        elif numbers.min() == -1 and _MOST_LABELS > numbers.max() == np.unique(numbers).size - 2 >= 0:
            with_noise.add(name)
            found["labels"].append(name)
    if not has_fractions:  # -1, 0 and 1 may be the values of any variable
        found["labels"] = [name for name in found["labels"] if name not in with_noise]
    found["labels"] += [name for alike in of_settings.values() if len(alike) > 1 for name in alike]
    return found


def numbers_clusters(values: Any) -> bool:
    """Whether a column holds all whole numbers from 0 or 1 on, as clusters are numbered, and few of them.

    Examples
    --------
    >>> from adjudge.given.identifiers import numbers_clusters
    >>> [numbers_clusters(np.array(own)) for own in ([2, 0, 1, 1], [1, 2, 2], [0, 2, 2], [0, 0.5, 1], [1, 1])]
    [True, True, False, False, False]
    """
    if values.dtype.kind not in "iuf" or not values.size or not _are_whole(values):
        return False
    n_distinct = int(np.unique(values).size)
    low, high = float(values.min()), float(values.max())
    return low in (0, 1) and high - low + 1 == n_distinct and 1 < n_distinct <= _MOST_LABELS


def _are_whole(numbers: Any) -> bool:
    return bool((np.isfinite(numbers) & (numbers == np.floor(numbers))).all())


def _names_clusterer(name: Any) -> bool:
    """Whether the number at the end of a name follows that of a clusterer, as in kmeans_3."""
    return not _CLUSTERERS.isdisjoint(_words(_stem(name) or "")[-1:])


def _is_of_whole(numbers: Any) -> bool:
    return numbers.dtype.kind in "iuf" and numbers.size > 0 and _are_whole(numbers)


def _stem(name: Any) -> str | None:
    """Return what stands before the number at the end of a name: eps of eps_0.1."""
    matched = _WITH_SETTING.fullmatch(str(name))
    return None if matched is None else matched[1].lower()


def _words(name: Any) -> list[str]:
    return [word.lower() for word in re.split(r"[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])", str(name)) if word]


def _has_in_a_row(words: list[str], some: list[str]) -> bool:
    return any(words[i : i + len(some)] == some for i in range(len(words) - len(some) + 1))
