"""Notices about classes: which one is positive, and whether the scores seem to be for another one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from adjudge.errors import Option, in_words
from adjudge.given.class_names import OVERLOOKED, nearly_the_same, shown_apart
from adjudge.given.class_order import NO_ORDER, StatedOrder
from adjudge.given.positive import ScoredClass, chosen_by_order, positive_position
from adjudge.presentation.numbers import count, listed, percent_text
from adjudge.results.notice import Notice
from adjudge.results.score import Score

#: Why a model has no score of probabilities, where others have.
LABELS_ALONE = "the model has labels alone"

# Text with more distinct values, and more than half as many as instances, may be no labels.
_FEW_CLASSES = 50
# Most labels that a notice names.
_NAMED = 5
# Below this area under the ROC curve, the scores rank the wrong way round rather than badly.
_TURNED = 0.3
# Labels that differ from the likeliest class more often than this are hardly from the same model.
_MOST = 0.5


def about_positive(
    classes: Sequence[Any], positive: Any, scored: ScoredClass | None, scores: Iterable[Score]
) -> tuple[Notice, ...]:
    """Say which class is positive if only the order decides, and which class a column is for if its name decides.

    Parameters
    ----------
    classes : sequence
    positive : object
        The positive class; None if none was named.
    scored : ScoredClass or None
        The class that a single column of scores is for.
    scores : iterable of Score
    """
    found = []
    of_one = scored is not None and scored.why == "order"
    if chosen_by_order(classes, positive) and (of_one or any(score.of_class is not None for score in scores)):
        first, second = map(in_words, classes)
        column = ", and the one column of scores is taken as its own" if of_one else ""
        found.append(
            Notice(
                "positive-by-order",
                f"{second} is the positive class by order, as the second of {first} and {second}{column}",
                (Option("positive", classes[0]), " chooses the other"),
                "info",
            )
        )
    if scored is not None and scored.why == "name" and scored.place != positive_position(classes, positive):
        assert scored.column is not None
        own, other = classes[scored.place], classes[1 - scored.place]
        found.append(
            Notice(
                "class-of-column",
                f"column {scored.column.name!r} is taken as that of {own!r}, by its name, and {other!r} has the rest",
                "give it another name if it is not",
                "info",
            )
        )
    return tuple(found)


def about_answers(outside: Mapping[Any, Any], model: str = "") -> tuple[Notice, ...]:
    """Count the answers that name no class, if there are any.

    Parameters
    ----------
    outside : mapping of object to int or float
        How often each of them occurs, or its weight.
    model : str
        Whose answers they are, if there are several models.
    """
    known = {label: n for label, n in outside.items() if n}
    if not known:
        return ()
    commonest = sorted(known, key=lambda label: -known[label])
    named = [f"{in_words(label)} {known[label]:,.6g}" for label in commonest[:_NAMED]]
    if (others := len(known) - len(named)) > 0:
        named.append(f"and {others:,} others")
    total = sum(known.values())
    answers = count(total, "answer") if isinstance(total, int) else f"answers of weight {total:,.6g}"
    names = "names" if total == 1 and isinstance(total, int) else "name"
    of_model = f" of {model}" if model else ""
    return (
        Notice(
            "answers-outside-the-classes",
            f"{answers}{of_model} {names} no class: {', '.join(named)}",
            ("they count as wrong; ", Option("classes"), " names all classes, if some of them are"),
        ),
    )


def about_order(scores: Iterable[Score]) -> tuple[Notice, ...]:
    """Say which scores are undefined because the order of the labels is not known, and how to state it."""
    without = [score for score in scores if score.index.reads_order and score.reason in NO_ORDER.values()]
    if not without:
        return ()
    return (
        Notice(
            "order-not-known",
            f"{listed([own.index.name for own in without])} {'are' if len(without) > 1 else 'is'} undefined, because "
            f"{without[0].reason}, and the alphabet is no order",
            ("name all in order with ", Option("classes")),
            "info",
        ),
    )


def about_order_of_columns(orders: Sequence[StatedOrder], scores: Iterable[Score]) -> tuple[Notice, ...]:
    """Say that ordinal scores take the order of columns of probabilities, if that is the alphabet's.

    Parameters
    ----------
    orders : sequence of StatedOrder
        Those of a classifier with probabilities.
    scores : iterable of Score
    """
    names = [score.index.name for score in scores if score.index.reads_order]
    labels = next((order.labels for order in orders if order.name == "classes"), ())
    if not names or len(labels) < 3 or not all(isinstance(label, str) for label in labels):
        return ()
    if list(labels) != sorted(labels):
        return ()
    return (
        Notice(
            "order-of-columns",
            f"{listed(names)} {'read' if len(names) > 1 else 'reads'} the order of the classes, which is that of "
            f"the columns of probabilities, and the alphabet's: {listed([repr(label) for label in labels[:5]])}",
            "make the true labels an ordered categorical if theirs is another",
            "info",
        ),
    )


def about_labels(classes: Sequence[Any], answers: Iterable[Any], n: float) -> tuple[Notice, ...]:
    """Say which labels are nearly the same, and ask whether a column of text that hardly repeats has labels.

    Parameters
    ----------
    classes : sequence
    answers : iterable
        Labels that name no class.
    n : int or float
        Number of instances, or their weight.
    """
    found = [*about_near_names([*classes, *answers])]
    if (
        len(classes) > _FEW_CLASSES
        and 2 * len(classes) > n
        and all(isinstance(label, str) for label in classes)
    ):
        found.append(
            Notice(
                "labels-look-like-free-text",
                f"the truth has {len(classes):,} classes in {count(n, 'instance')}, as free text has",
                "is it a column of labels?",
            )
        )
    return tuple(found)


def about_near_names(names: Iterable[Any], what: str = "labels") -> tuple[Notice, ...]:
    """Say which labels are nearly the same, and so easily mistaken; or groups, if `what` says so."""
    resembling = nearly_the_same(names)
    if not resembling:
        return ()
    named = [" and ".join(shown_apart(own[:_NAMED])) for own in resembling[:_NAMED]]
    if (others := len(resembling) - len(named)) > 0:
        named.append(f"{others:,} more")
    message = f"{what} that differ only by {OVERLOOKED} are not the same: {'; '.join(named)}"
    remedy = f"write each in one way to unite them (in pandas {what}.str.normalize('NFKC').str.strip().str.lower())"
    return (Notice(f"{what}-nearly-the-same", message, remedy),)


def about_groups(groups: Iterable[Any]) -> tuple[Notice, ...]:
    """Say which names of groups are nearly the same; groups of several columns are tuples."""
    named = [group if isinstance(group, tuple) else (group,) for group in groups]
    return tuple(
        notice for column in zip(*named, strict=True) for notice in about_near_names(column, "groups")
    )


def about_those_with_labels_alone(judged: Mapping[str, Mapping[str, Score]]) -> tuple[Notice, ...]:
    """Say which models have no score of probabilities, or of decision values, that others have."""
    lacking = {
        model: without
        for model, scores in judged.items()
        if (without := [score.title for score in scores.values() if score.reason == LABELS_ALONE])
    }
    if not lacking:
        return ()
    return labels_alone(list(lacking), next(iter(lacking.values())))


def labels_alone(models: Sequence[str], without: Sequence[str]) -> tuple[Notice, ...]:
    """Say that of some models only labels were given, and name the scores that are lacking for it."""
    message = f"only labels were given of {listed(list(models))}, so there is no {listed(list(without))}"
    return (Notice("labels-alone", message, "scores of labels are of all models", "info"),)


def about_direction(
    classes: Sequence[Any], scored: ScoredClass | None, area: float, contradicted: float, model: str = ""
) -> tuple[Notice, ...]:
    """Warn if the scores rank the wrong way round, or the labels do not fit the scores.

    Parameters
    ----------
    classes : sequence
    scored : ScoredClass or None
        The class that a single column of scores is for.
    area : float
        Area under the ROC curve; nan if unknown.
    contradicted : float
        Share of the instances whose given label is not the likeliest class; nan if unknown.
    model : str
        What to call the scores' model, if there are several.
    """
    of_model = f" of {model!r}" if model else ""
    seems = (
        "the column seems to be that of the other class"
        if len(classes) == 2
        else "the columns seem to be mixed up"
    )
    found = []
    if area < _TURNED:
        found.append(("scores-turned-round", f"the area under the ROC curve{of_model} is {area:.3f}"))
    if contradicted > _MOST:
        share = percent_text(contradicted)
        found.append(
            ("labels-contradict-scores", f"{share} of the labels{of_model} are not the likeliest class")
        )
    remedy = _remedy(classes, scored)
    return tuple(Notice(code, f"{why}, so {seems}", remedy, "serious") for code, why in found)


def _remedy(classes: Sequence[Any], scored: ScoredClass | None) -> tuple[Any, ...]:
    """Say how to name the right class."""
    if scored is None:
        return (Option("classes"), " names the classes in the order of the columns")
    own, other = classes[scored.place], classes[1 - scored.place]
    if scored.why == "name":
        return (f"its name says {in_words(own)}; call it by {in_words(other)} if it is of that class",)
    return (Option("positive", other), f" takes it as that of {in_words(other)}")
