"""Which class is positive, and which class a single column of scores is for: decided here for every front end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from adjudge.errors import InputError, Option, in_words
from adjudge.given.class_names import alike

# Pairs of labels whose second is positive by convention, in scikit-learn as well.
_CONVENTIONAL = {("0", "1"), ("-1", "1"), ("0.0", "1.0"), ("-1.0", "1.0"), ("false", "true")}
# Words before a class that a column is not for: p_not_churn.
_NEGATIONS = {"not", "no", "non"}
# Words before a number that is a class: p_0, P(class 0).
_PROBABILITIES = {"p", "pr", "prob", "proba", "probability", "score", "class", "label"}
# Fewest letters of a class that may stand anywhere in a name.
_FEWEST_LETTERS = 3
Why = Literal["name", "positive", "convention", "order"]


@dataclass(frozen=True)
class OneColumn:
    """The name of a single column of scores.

    Attributes
    ----------
    name : object
    says : object, optional
        The class that the column was given for, or that a pattern found in its name.
    must_fit : bool
        Whether it is an error if neither the name nor `positive` says which of two text classes it is for.
    is_given : bool
        Whether `says` must be a class.
    """

    name: Any
    says: Any = None
    must_fit: bool = False
    is_given: bool = False


@dataclass(frozen=True)
class ScoredClass:
    """The class that a single column of scores is for, and what says so.

    Attributes
    ----------
    place : int
        Position among the classes.
    why : {"name", "positive", "convention", "order"}
        "order": nothing says so, but it is the second.
    column : OneColumn or None
    """

    place: int
    why: Why
    column: OneColumn | None = None


def positive_position(classes: Sequence[Any], positive: Any) -> int | None:
    """Return the position of the positive class: the one named, or the second of two; else None."""
    if positive is None:
        return 1 if len(classes) == 2 else None
    named, (wanted,) = alike(classes, [positive])
    for i, label in enumerate(named):
        if label == wanted:
            return i
    raise InputError(
        Option("positive", positive), f" is not a class: choose one of {named_few_classes(classes)}"
    )


def scored_class(classes: Sequence[Any], positive: Any, column: OneColumn | None = None) -> ScoredClass:
    """Find which of two classes a single column of scores is for: the one in its name, or else the positive one."""
    place = positive_position(classes, positive)
    said = None if column is None else _said_by(column, classes)
    if said is not None:
        return ScoredClass(said, "name", column)
    assert place is not None
    if positive is not None:
        return ScoredClass(place, "positive", column)
    if is_conventional(classes):
        return ScoredClass(place, "convention", column)
    if column is not None and column.must_fit and any(isinstance(label, str) for label in classes):
        raise InputError(
            f"column {column.name!r} does not say which class it is of, "
            f"{in_words(classes[0])} or {in_words(classes[1])}: pass ",
            Option("positive", classes[1]),
            f" or the other, or end the column's name with its class, as in {f'{column.name}_{classes[1]}'!r}",
        )
    return ScoredClass(place, "order", column)


def class_named_by(name: Any, classes: Sequence[Any]) -> int | None:
    """Return the position of the class that a column is named after: CLASS, or a name ending in it, as ``p_CLASS``."""
    exact = [i for i, label in enumerate(classes) if _text(label) == str(name)]
    if exact:
        return exact[0]
    text = str(name).strip().rstrip(")]")
    # Of "churn" and "no_churn", the longer one, whose case fits best.
    fitting = [
        (len(_text(label)), how, -i) for i, label in enumerate(classes) if (how := _fit(text, _text(label)))
    ]
    if fitting:
        length, _, place = max(fitting)
        found, before = -place, text[: len(text) - length]
        if _last_word(before) in _NEGATIONS:
            return 1 - found if len(classes) == 2 else None
        return found
    if [_text(label).lower() for label in classes] == ["false", "true"]:
        return class_named_by(name, [0, 1])
    words = _words(text)
    within = [i for i, label in enumerate(classes) if _is_within(words, _words(_text(label)))]
    return within[0] if len(within) == 1 and _NEGATIONS.isdisjoint(words) else None


def chosen_by_order(classes: Sequence[Any], positive: Any) -> bool:
    """Whether the positive class is the second of two only because of their order."""
    return positive is None and len(classes) == 2 and not is_conventional(classes)


def is_usual(label: Any) -> bool:
    """Whether a class is called 1 or True, so that every reader takes it for the positive one."""
    return str(label).lower() in {second for _, second in _CONVENTIONAL}


def one_positive(positive: Any, pos_label: Any) -> Any:
    """Return the positive class, which scikit-learn calls `pos_label`."""
    if positive is not None and pos_label is not None and positive != pos_label:
        raise InputError(
            Option("positive", positive), " and ", Option("pos_label", pos_label), " are one option: give one"
        )
    return pos_label if positive is None else positive


def shown_class(classes: Sequence[Any], place: int | None) -> Any:
    """Return the positive class if a reader needs to be told; None for 0 and 1, of which it is 1."""
    if place is None or len(classes) < 2 or (place == 1 and is_conventional(classes)):
        return None
    return classes[place]


def _said_by(column: OneColumn, classes: Sequence[Any]) -> int | None:
    said = None if column.says is None else class_named_by(column.says, classes)
    if said is None and column.is_given:
        raise InputError(
            f"{in_words(column.says)} is not a class: choose one of {named_few_classes(classes)}"
        )
    return class_named_by(column.name, classes) if said is None else said


def is_conventional(classes: Sequence[Any]) -> bool:
    """Whether two classes are a usual pair, of which the second is positive: 0 and 1, or False and True."""
    return len(classes) == 2 and tuple(str(label).lower() for label in classes) in _CONVENTIONAL


def _fit(text: str, label: str) -> int:
    """Say how well the end of a name fits a class: 3 exactly, 2 but for its case, 1 but for its separators, 0 not."""
    if _is_number(label):
        return 3 if _ends_in_number(text, label) else 0
    return next((3 - i for i, fold in enumerate(_FOLDS) if _ends_in(fold(text), fold(label))), 0)


def _ends_in(text: str, label: str) -> bool:
    return bool(label) and text.endswith(label) and not text[: -len(label)][-1:].isalnum()


def _ends_in_number(text: str, label: str) -> bool:
    if not text.endswith(label):
        return False
    before = text[: -len(label)]
    if label.startswith("-"):  # nothing is numbered -1, but "model-1" may be the first
        return not before[-1:].isalnum() or _says_probability(before)
    # The 0 of "v1.0" is not a class, nor the 1 of "p -1", and that of "model_0" or "fold_0" numbers a model or fold.
    is_decimal = before[-1:] == "." and before[-2:-1].isdigit()
    is_negative = before[-1:] == "-" and not before[-2:-1].isalnum()
    return not (before[-1:].isalnum() or is_decimal or is_negative) and _says_probability(before)


def _last_word(before: str) -> str:
    words = _words(before)
    return words[-1] if words else ""


def _without_separators(text: str) -> str:
    return "".join(c if c.isalnum() else " " for c in text.casefold())


_FOLDS: tuple[Callable[[str], str], ...] = (str, str.casefold, _without_separators)


def _words(text: str) -> list[str]:
    return _without_separators(text).split()


def _is_number(text: str) -> bool:
    return text.lstrip("-").replace(".", "", 1).isdigit()


def _says_probability(before: str) -> bool:
    return not _words(before) or _last_word(before) in _PROBABILITIES


def _is_within(words: list[str], label: list[str]) -> bool:
    """Whether a class with enough letters stands anywhere in a name, as in ``churn_probability``."""
    if sum(map(len, label)) < _FEWEST_LETTERS or _is_number("".join(label)):
        return False
    return any(words[i : i + len(label)] == label for i in range(len(words) - len(label) + 1))


def _text(label: Any) -> str:
    """Return a class as column names write it."""
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def named_few_classes(classes: Sequence[Any]) -> str:
    """List classes in a message."""
    return ", ".join(map(in_words, classes[:6])) + (" ..." if len(classes) > 6 else "")
