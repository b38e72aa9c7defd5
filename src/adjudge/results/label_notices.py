"""Notices about labels: noise that counts as a cluster, or does not occur."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Number
from types import MappingProxyType
from typing import Any

from numpy.typing import NDArray

from adjudge.errors import Option
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Labels
from adjudge.given.written import NOT_AVAILABLE, is_number
from adjudge.presentation.numbers import count, listed, out_of
from adjudge.results.notice import Notice

#: Code of the notice that the first line of a result says in place of the notes below it.
NAMES_ARE_ARBITRARY = "names-are-arbitrary"


#: Code of the notice that no noise was there to be left out.
NO_NOISE_FOUND = "no-noise-found"
#: Code of the notice that counts the rows that were left out.
ROWS_LEFT_OUT = "rows-left-out"
# A column of text is one of numbers, but for a few words, if it has at most this many words, and names in all, and at
# most this share of the rows has the words.
_MOST_WORDS, _MOST_NAMES, _FEW_AMONG = 3, 10_000, 0.2


def rows_left_out(
    n: float,
    n_given: int,
    options: LabelOptions,
    forecasts: str | None = None,
    *,
    of_numbers: bool = False,
    units: bool = False,
    groups: bool = False,
) -> tuple[Notice, ...]:
    """Report how many of the given rows were left out, if any, and what they may lack.

    That is a label or a number; `forecasts`, in words; and a unit or a group, if these were given.
    """
    if (left := n_given - int(n)) <= 0:
        return ()
    lacking = ["a number" if of_numbers else "a label", *([] if forecasts is None else [forecasts])]
    lacking += [*(["a unit"] if units else []), *(["a group"] if groups else [])]
    *first, last = lacking
    named = f"{', '.join(first)} or {last}" if first else last
    why = f"without {named}{', or as noise' if options.treats_noise else ''}"
    text = f"{out_of(left, n_given, 'row')} {'is' if left == 1 else 'are'} left out, {why}"
    return (Notice(ROWS_LEFT_OUT, text),)


def about_words(
    labels: Mapping[str, Labels], remedy: tuple[Any, ...], counts: NDArray[Any] | None = None
) -> tuple[Notice, ...]:
    """Report labels such as "NA" that programs write for a missing label, and the remedy if they mean that.

    So does any word that makes text of a column of numbers.

    Parameters
    ----------
    labels : mapping of str to Labels
        By the names of the columns.
    remedy : tuple
        The pieces of a sentence.
    counts : ndarray of shape (n,), optional
        How many rows each entry stands for.
    """
    found: tuple[Notice, ...] = ()
    for name, own in labels.items():
        words = () if isinstance(own.categories, range) else sorted(NOT_AVAILABLE & {*own.categories})
        found += notice_of_words(name, {word: _rows(own, word, counts) for word in words}, remedy)
        found += _among_numbers(name, own, remedy, counts)
    return found


def _among_numbers(
    name: str, labels: Labels, remedy: tuple[Any, ...], counts: NDArray[Any] | None
) -> tuple[Notice, ...]:
    """Report a column that is text only because of a few words in it; codes such as "007" are no words."""
    texts = labels.categories
    if isinstance(texts, range) or not 2 < len(texts) <= _MOST_NAMES:
        return ()
    words: list[str] = []
    for text in texts:
        if not isinstance(text, str) or (not is_number(text) and any(map(str.isdigit, text))):
            return ()
        words += [] if is_number(text) else [text]
        if len(words) > _MOST_WORDS:
            return ()
    rows = sum(_rows(labels, word, counts) for word in words)
    n = sum(_rows(labels, text, counts) for text in texts) if rows and not {*words} <= NOT_AVAILABLE else 0
    if not 0 < rows <= _FEW_AMONG * n:
        return ()
    holds, it_means = ("holds", "it means") if rows == 1 else ("hold", "they mean")
    shown = listed([*map(repr, words)])
    text = (
        f"{out_of(rows, n, 'row')} {holds} no number in column {name!r}: {shown}, so all its labels are text"
    )
    are_written_alike = all(text in words or text == str(int(float(text))) for text in texts)
    whole = (f"if {it_means} that the label is missing, ", *remedy)
    return (Notice("words-among-numbers", text, whole, "info" if are_written_alike else "warning"),)


def notice_of_words(name: str, rows: Mapping[str, int], remedy: tuple[Any, ...]) -> tuple[Notice, ...]:
    """Report in how many rows a column has such words."""
    words = [repr(word) for word, n in rows.items() if n]
    if not words:
        return ()
    are, means = ("is a label", "it means") if len(words) == 1 else ("are labels", "they mean")
    text = f"{listed(words)} {are} of column {name!r}, in {count(sum(rows.values()), 'row')}"
    whole = (f"if {means} that the label is missing, ", *remedy)
    return (Notice("words-for-missing", text, whole, "info"),)


def _rows(labels: Labels, label: str, counts: NDArray[Any] | None) -> int:
    found = labels.where(label)
    if found is None:
        return 0
    if labels.missing is not None:
        found = found & ~labels.missing
    return int(found.sum() if counts is None else counts[found].sum())


def about_names(true: Sequence[Any], predicted: Sequence[Any]) -> tuple[Notice, ...]:
    """Say that labels count as clusters, if both sides have the same names, as classes have."""
    if set(true) != set(predicted):
        return ()
    return (
        Notice(
            NAMES_ARE_ARBITRARY,
            "as clusters, whose names are arbitrary",
            (Option("kind", "classification"), " if these are classes"),
            "info",
        ),
    )


def label_notices(
    clusters: Mapping[str, tuple[Sequence[Any], NDArray[Any]]],
    options: LabelOptions,
    kind: str | None,
    called: Mapping[str, str] = MappingProxyType({}),
    with_noise: Sequence[str] = (),
    *,
    no_others: bool = False,
) -> tuple[Notice, ...]:
    """Say how noise was treated.

    Parameters
    ----------
    clusters : mapping of str to (labels, sizes)
        Labels of the clusters of each label vector, with the number of instances of each.
    options : LabelOptions
    kind : {"clustering", "classification"}
        Classes are never noise.
    called : mapping of str to str
        What to call the label vectors, if not by their names.
    with_noise : sequence of str
        Requested indices that are defined with noise.
    no_others : bool
        Whether these are all indices that were requested.
    """
    if kind == "classification":
        return ()
    noise = {name: _noise(labels, sizes, options) for name, (labels, sizes) in clusters.items()}
    kept = {
        called.get(name, name): n for name, n in noise.items() if n and options.noise_of(name) == "cluster"
    }
    if not kept:
        # The default is no claim that there is noise; a label that was named is one.
        is_claimed = not options.names_usual_noise and not options.treats_noise
        return (_no_noise("nothing is noise", options),) if is_claimed and not any(noise.values()) else ()
    as_noise = [name for name in with_noise if any(map(options.leaves_noise_to_index, clusters))]
    if as_noise and no_others:
        return (_as_noise(kept, options.noise_label, as_noise),)
    return (_as_cluster(kept, options.noise_label, as_noise),)


def _noise(labels: Sequence[Any], sizes: NDArray[Any], options: LabelOptions) -> int:
    """Count the instances of noise, if there are also clusters."""
    if isinstance(labels, range):
        is_number = isinstance(options.noise_label, Number)
        places = [labels.index(options.noise_label)] if is_number and options.noise_label in labels else []
    else:
        places = [i for i, label in enumerate(labels) if options.is_noise(label)]
    return int(sum(sizes[i] for i in places)) if len(labels) > 1 else 0


def n_without_noise(clusters: tuple[Sequence[Any], NDArray[Any]], options: LabelOptions, vector: str) -> int:
    """Return the number of clusters for indices that are defined with noise."""
    has_noise = options.leaves_noise_to_index(vector) and _noise(*clusters, options)
    return len(clusters[0]) - bool(has_noise)


def _as_noise(noise: Mapping[str, int], noise_label: Any, with_noise: Sequence[str]) -> Notice:
    said = ", ".join(f"{n:,} in {name}" for name, n in noise.items())
    are = "is" if len(with_noise) == 1 else "are"
    return Notice(
        "noise-is-noise",
        f"the label {noise_label!r} is noise in {' and '.join(with_noise)}, which {are} defined with noise ({said})",
        (Option("noise", "cluster"), " makes it a cluster"),
        "info",
    )


def _as_cluster(noise: Mapping[str, int], noise_label: Any, with_noise: Sequence[str]) -> Notice:
    said = ", ".join(f"{n:,} in {name}" for name, n in noise.items())
    are = "is" if len(with_noise) == 1 else "are"
    but = (
        f", but as noise in {' and '.join(with_noise)}, which {are} defined with noise" if with_noise else ""
    )
    return Notice(
        "noise-is-a-cluster",
        f"the label {noise_label!r} counts as a cluster ({said}){but}",
        (
            Option("noise", "drop"),
            " leaves such instances out, ",
            Option("noise", "singletons"),
            " makes each a separate cluster",
        ),
    )


def no_noise_found(n_noise: int, options: LabelOptions) -> tuple[Notice, ...]:
    """Say that noise was to be treated, and that there was none."""
    if n_noise or not options.treats_noise:
        return ()
    return (
        _no_noise(
            "none was left out as noise" if options.drops_noise else "none is a cluster of its own", options
        ),
    )


def _no_noise(so: str, options: LabelOptions) -> Notice:
    return Notice(
        NO_NOISE_FOUND,
        f"no instance has the label {options.noise_label!r}, so {so}",
        (Option("noise_label"), " names the label that means noise"),
    )
