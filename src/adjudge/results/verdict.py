"""A comparison in words, made once from its numbers: terminal, notebook, page and Markdown read it here."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from adjudge.errors import Option
from adjudge.inference.refusals import WEIGHTED_PAIRS
from adjudge.presentation import notebook
from adjudge.presentation.columns import shown_line
from adjudge.presentation.numbers import (
    count,
    listed,
    p_text,
    share_text,
    show_number,
    weight_text,
    with_minus,
)
from adjudge.results.class_notices import LABELS_ALONE
from adjudge.results.differences import ClassDifference, GroupDifference, ScoreDifference, words_of_group
from adjudge.results.model_differences import USUAL_LEVEL, ModelsCompared, WhatDiffers, ranking
from adjudge.results.notice import Notice
from adjudge.saved.savable import Savable
from adjudge.statistics.agreement import WeightedAgreement

# Below this number of disagreements, or beyond this imbalance, the reader is warned.
_FEW = 20
_UNBALANCED = 5.0
# Most scores that one sentence names with their differences, and most classes.
_NAMED, _CLASSES = 4, 3
# Most models whose recalls a sentence has.
_FOUND = 5


@dataclass(frozen=True)
class Verdict(Savable):
    """A comparison in up to four sentences, and what to be careful about.

    Attributes
    ----------
    sentences : tuple of str
        What the primary score says, if there is one; which scores differ, and by how much; the recall of each class;
        the groups with the largest differences. A difference that its test does not detect counts as none.
    cautions : tuple of Notice
    leader : str
    rival : str or None
        The model with the better scores, and the next one; the sentences are about them.
    score : str
        The index that groups are compared by: the first that differs, or else the first that has a direction.
    """

    sentences: tuple[str, ...]
    cautions: tuple[Notice, ...]
    leader: str
    rival: str | None
    score: str

    def lines(self) -> list[str]:
        """Return the sentences and the cautions as a terminal shows them."""
        return [*self.sentences, *map(str, self.cautions)]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "sentences": list(self.sentences),
            "cautions": [notice.to_dict() for notice in self.cautions],
            "leader": self.leader,
            "rival": self.rival,
            "score": self.score,
        }

    def __str__(self) -> str:
        return "\n".join(self.lines())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return notebook.fragment(*map(notebook.sentence, self.lines()))


def verdict_of(comparison: ModelsCompared) -> Verdict:
    """Put a comparison into words."""
    first, order = ranking(comparison)
    if len(order) == 1:
        said = _of_one(comparison, first)
        cautions = (*_no_better_than_chance(comparison), *_undefined(comparison))
        return Verdict((shown_line(said),), cautions, order[0], None, first)
    found = _Words(comparison, first, order)
    sentences = [*found.opening(), found.other_sentence(), found.groups()]
    return Verdict(
        tuple(shown_line(text) for text in sentences if text),
        tuple(found.cautions()),
        found.leader,
        found.rival,
        found.lead,
    )


def _of_one(comparison: ModelsCompared, score: str) -> str:
    """Say how good the only model is."""
    (model,) = comparison.models
    own = comparison.judged[model][score]
    if math.isnan(own.value):
        return f"{own.title} of {model} is undefined: {own.reason}."
    level = comparison.settings.get("confidence")
    sure = ""
    if own.interval is not None and level:
        low, high = (_number(end, 4) for end in own.interval)
        sure = f" ({low} to {high} with {100 * level:g} % confidence)"
    return f"{own.title} of {model}: {_number(own.value, 4)}{sure}."


@dataclass(frozen=True)
class _Words(WhatDiffers):
    """What differs between several models, in words."""

    # The first sentences: the primary score, then what else differs, and by how much

    def opening(self) -> list[str]:
        """Say what the primary score says, if there is one, and which of the others differ."""
        if self.primary is None or self._are_the_same():
            return [self.scores()]
        others = replace(self, but=self.primary)
        rest = others.differences(self.leader, self.rival)
        if not rest:
            return [self._of_primary(self.primary)]
        tested = sum(own.adjusted_p_value is not None for own in rest)
        head = f"The other {count(len(rest), 'score') if len(rest) > 1 else 'score'}"
        head += ", corrected among themselves" if tested > 1 else ""
        return [self._of_primary(self.primary), f"{head}: {_within(others.scores())}"]

    def _of_primary(self, name: str) -> str:
        """Say which models the leader is better than by the primary score."""
        p, own = self.leader, self.of_primary(self.leader, self.rival)
        if own is None:
            undefined = listed([model for model in self.order if self.lacks_primary(model)])
            return f"The primary score, {self.comparison.title_of(name)}, is undefined for {undefined}."
        few = len(self.order) == 2
        by = f"By the primary score, {_named([own]) if few else own.title},"
        nearest = "" if few else f"; against {self.rival}, the nearest, {_values(own)}"
        if own.adjusted_p_value is None:
            ahead = f"{p} is ahead of {self.rival}" if own.value else f"{p} and {self.rival} are the same"
            return f"{by} {ahead}; this is not tested."
        sides: dict[str, list[str]] = {"better": [], "worse": [], "": []}
        for other in self.standing[1:]:
            if self.lacks_primary(other):
                continue
            wins, losses = self.decided(p, other)
            sides["better" if wins else "worse" if losses else ""].append(other)
        none = sides.pop("")
        said = [f"{word} than {listed(others)}" for word, others in sides.items() if others]
        if not said:
            return f"{by} no difference between {p} and {listed(none)} is seen{nearest}."
        rest = f"; no difference from {listed(none)} is seen" if none else ""
        return f"{by} {p} is {' and '.join(said)}{rest}{nearest}."

    def _are_the_same(self) -> bool:
        """Whether two models are right on the same instances, and no score differs."""
        pair = self.comparison[self.leader, self.rival]
        differ = any(own.value for own in self.differences(self.leader, self.rival))
        return not pair.agreement.disagreements and not differ and len(self.order) == 2

    def scores(self) -> str:
        """Say which scores differ."""
        differences = self.differences(self.leader, self.rival)
        if not differences:
            title = self.comparison.title_of(self.first)
            return f"{title} is undefined, and no model is ranked first."
        if self._are_the_same():
            on = f"are right on exactly the same {self.comparison.unit}"
            return f"{self.leader} and {self.rival} {on}: there is no difference between them."
        if not any(difference.adjusted_p_value is not None for difference in differences):
            return self._by_values()
        if len(self.order) == 2:
            return f"{_capital(self._of_two(differences))}."
        overview = "; ".join(self._of_all())
        if any(self.seen(self.leader, self.rival)):
            overview += f"; against {self.rival}, the nearest, {self._detail(differences)}"
        return f"{_capital(overview)}."

    def _of_two(self, differences: list[ScoreDifference]) -> str:
        p, q = self.leader, self.rival
        wins, losses = self.seen(p, q)
        if wins and losses:
            return f"{p} and {q} trade: {self._detail(differences)}"
        if wins or losses:
            better, worse = (p, q) if wins else (q, p)
            found = [_class(own.label) for own in self.finds_more(worse, better)]
            if found:
                more = f", but {worse} finds more of {listed(found, _CLASSES)}"
                return f"{p} and {q} trade: {better} {self._detail(differences, more)}"
            return f"{better} is better than {worse} {self._detail(differences)}"
        return f"no difference between {p} and {q} is seen {self._detail(differences)}"

    def _detail(self, differences: list[ScoreDifference], more: str = "") -> str:
        p, q = self.leader, self.rival
        wins, losses = self.seen(p, q)
        tested = [difference for difference in differences if difference.adjusted_p_value is not None]
        if not wins and not losses:
            if not any(own.value for own in tested):
                return f"by {f'any of {len(tested)} scores' if len(tested) > 1 else tested[0].title}"
            return self._nearest(tested)
        parts = [f"{p} by {_named(wins)}"] if wins and losses else [f"by {_named(wins)}"] if wins else []
        if losses:
            lost = {loss.index.name for loss in losses}
            turned = [own for own in self.differences(q, p) if own.index.name in lost]
            parts.append(f"{q} by {_named(turned)}" if wins else f"by {_named(turned)}")
        text = ", ".join(parts) + more
        seen = {own.index.name for own in (*wins, *losses)}
        none = [own.title for own in tested if own.index.name not in seen]
        if len(none) > 2:
            return f"{text}; no difference is seen in the other {len(none)} scores"
        return f"{text}; no difference is seen in {listed(none)}" if none else text

    def _nearest(self, tested: list[ScoreDifference]) -> str:
        """Say which score is nearest to a difference."""
        least = min(tested, key=lambda own: (own.adjusted_p_value or 0.0, own.p_value or 0.0))
        p = least.adjusted_p_value
        assert p is not None
        corrected = ""
        n_pairs = math.comb(len(self.order), 2)
        if len(tested) * n_pairs > 1:
            tests = [count(len(tested), "score")] if len(tested) > 1 else []
            tests += [count(n_pairs, "pair of models")] if n_pairs > 1 else []
            corrected = f" after Holm's correction for {listed(tests)}"
        values = f"{_number(least.first)} against {_number(least.second)}, {p_text(p)}{corrected}"
        if len(tested) == 1:
            return f"by {least.title} ({values})"
        return f"by any of {len(tested)} scores; {least.title} comes nearest ({values})"

    def _of_all(self) -> list[str]:
        """Say which models the leader is better than."""
        kinds: dict[str, list[str]] = {"trade": [], "better": [], "none": [], "worse": []}
        for other in self.standing[1:]:
            wins, losses = self.seen(self.leader, other)
            trade = trade_of(self, self.leader, other)
            kind = "trade" if trade else "better" if wins else "worse" if losses else "none"
            kinds[kind].append(other)
        worded = {
            "better": "{leader} is better than {others}",
            "none": "no score tells {others} from {leader}",
            "trade": "{leader} and {others} trade",
            "worse": "{leader} is worse than {others}",
        }
        leader = self.leader
        said = [
            worded[kind].format(leader=leader, others=listed(others))
            for kind, others in kinds.items()
            if others
        ]
        if kinds["trade"]:
            said[0] += f": {', '.join(trade_of(self, leader, other) for other in kinds['trade'])}"
        own = None if self.but else self.comparison.judged[leader].get(self.lead)
        # Its value once, where it is first named.
        value = (
            f" ({own.title} {_number(own.value)})" if own is not None and said[0].startswith(leader) else ""
        )
        return [said[0].replace(leader, f"{leader}{value}", 1), *said[1:]]

    def _by_values(self, but: Container[str] = ()) -> str:
        """Say which models have the better values, when no test says whether they differ."""
        judged = self.comparison.judged
        ahead: dict[str, list[ScoreDifference]] = {}
        for name, score in judged[self.order[0]].items():
            values = {m: judged[m][name].value for m in self.order if not math.isnan(judged[m][name].value)}
            if name in but or name == self.but or not score.index.better or len(values) < 2:
                continue
            best = (min if score.index.better == "lower" else max)(values, key=lambda model: values[model])
            rest = [value for value in values.values() if value != values[best]]
            if rest:
                second = (min if score.index.better == "lower" else max)(rest)
                own = ScoreDifference(score.index, values[best], second, average=score.average)
                ahead.setdefault(best, []).append(own)
        if not ahead:
            return f"{listed(self.order)} have the same scores."
        order = sorted(ahead, key=self.order.index)
        if len(order) == 1 and len(self.order) == 2 and self.comparison.kind == "classification":
            (best,) = order
            other = next(model for model in self.order if model != best)
            most = max(abs(own.value) for own in ahead[best])
            rows = self.comparison[other, best].recalls
            if more := [_class(row.label) for row in rows if row.score.value > most]:
                finds = f"but {other} finds more of {listed(more, _CLASSES)}"
                by = f"{best} by {_named(ahead[best])}"
                return f"By values that are not tested, {best} and {other} trade: {by}, {finds}."
        shares = [f"{model} is ahead by {_named(ahead[model])}" for model in order]
        return f"By values that are not tested, {'; '.join(shares)}."

    # The second sentence: classes, or scores of clusterings that have no test

    def other_sentence(self) -> str:
        """Say how the recall of each class differs or, for clusterings, how the scores without a test differ."""
        if self.comparison.kind == "clustering":
            differences = self.differences(self.leader, self.rival)
            tested = [
                difference.index.name for difference in differences if difference.adjusted_p_value is not None
            ]
            return self._by_values(tested) if 0 < len(tested) < len(differences) else ""
        pair = self.comparison[self.leader, self.rival]
        return self._recalls(pair.recalls) if pair.recalls and pair.agreement.disagreements else ""

    def _recalls(self, rows: Sequence[ClassDifference]) -> str:
        tested = any(row.score.adjusted_p_value is not None for row in rows)
        chosen = [row for row in rows if row.score.value and (not tested or self.is_seen(row.score))]
        few = len(rows) <= _CLASSES
        if tested and not chosen:
            values = f": {self._found(rows)}" if few else ""
            return f"No difference{self._between} is seen in the recall of any class{values}."
        largest = sorted(chosen, key=lambda own: -abs(own.score.value))[:_CLASSES]
        text = self._found(rows if few else largest)
        rest = [_class(row.label) for row in rows if row not in chosen] if few and tested else []
        if rest:
            text += f"; no difference{self._between} is seen for {listed(rest)}"
        elif not few:
            others = count(len(rows) - len(largest), "other class")
            if len(chosen) > len(largest):
                text += f"; of {others} the difference{self._between} is smaller"
            else:
                text += f"; of {others} no difference{self._between} is seen"
        if tested and not any(self.seen(self.leader, self.rival)):
            return f"Yet {finds_of_each(self)}: {text}."
        return f"{_capital(text)}."

    @property
    def _between(self) -> str:
        """Which models a difference is between, if there are more than the two of which recalls and groups are read."""
        return f" between {self.leader} and {self.rival}" if len(self.order) > 2 else ""

    def _found(self, rows: Sequence[ClassDifference]) -> str:
        """Write the share of each class that each model finds, or each of the first two if there are many."""
        leader, models = self.leader, self.standing if len(self.standing) <= _FOUND else self.standing[:2]
        shares = {
            model: {recall.label: recall.score.second for recall in self.comparison[leader, model].recalls}
            for model in models[1:]
        }
        parts = []
        for i, row in enumerate(rows):
            values = [row.score.first, *(shares[model][row.label] for model in models[1:])]
            written = [share_text(value, 1.0) for value in values]
            if i == 0:
                written = [f"{m} {share}" for m, share in zip(models, written, strict=True)]
                written[0] = f"{leader} finds {share_text(row.score.first, 1.0)}"
            parts.append(f"of {_class(row.label)}{':' if i else ''} {listed(written)}")
        return ", ".join(parts)

    # The third sentence: groups

    def groups(self) -> str:
        """Name the groups in which the models differ most, in either direction."""
        rows = [
            difference
            for difference in self.comparison.group_differences
            if difference.score.index.name == self.lead
            and {difference.primary, difference.alternative} == {self.leader, self.rival}
        ]
        rows = [row for row in rows if not math.isnan(row.score.value)]
        if not rows:
            return ""
        title = self.comparison.title_of(self.lead)
        tested = [row for row in rows if row.score.adjusted_p_value is not None]
        seen = [own for own in tested if own.score.value and self.is_seen(own.score)]
        groups = count(len(rows), "group")
        if not any(row.score.value for row in rows):
            of = self._between.replace(" between", " of", 1)
            return f"In all of {groups} {title}{of} is the same."
        if tested and not seen:
            most = max(tested, key=lambda own: abs(own.score.value))
            return (
                f"In none of {groups} a difference of {title}{self._between} is seen; "
                f"the largest is in {self._of_group(most)}."
            )
        greatest = max(rows, key=lambda own: abs(own.score.value))
        rows = seen or rows
        either = [[r for r in rows if self._gain(r) > 0], [r for r in rows if self._gain(r) < 0]]
        largest = [max(side, key=lambda own: abs(own.score.value)) for side in either if side]
        largest.sort(key=lambda own: -abs(own.score.value))
        if not largest:  # the index has no direction
            return ""
        differs = f"{title} differs most" if largest[0] is greatest else f"a difference of {title} is seen"
        text = f"Of {groups}, {differs} in {self._of_group(largest[0])}"
        if len(largest) > 1:
            text += f", and in the other direction in {self._of_group(largest[1])}"
        elif tested and len(seen) < len(tested):
            rest = len(tested) - len(seen)
            text += (
                f"; in {'the other' if rest == 1 else f'{rest} others'} no difference{self._between} is seen"
            )
        return f"{text}." if tested else f"{text}; this is not tested."

    def _gain(self, difference: GroupDifference) -> float:
        """Return how much better the leader is."""
        return difference.score.gain if difference.primary == self.leader else -difference.score.gain

    def _of_group(self, difference: GroupDifference) -> str:
        values = (difference.score.first, difference.score.second)
        first, second = values if difference.primary == self.leader else values[::-1]
        which = f"{self.leader} {_number(first)}, {self.rival} {_number(second)}"
        return f"{words_of_group(difference.group)} ({which})"

    # What to be careful about

    def cautions(self) -> Iterable[Notice]:
        """Yield reasons not to take the sentences at face value."""
        pair = self.comparison[self.leader, self.rival]
        differences = self.differences(self.leader, self.rival)
        tested = [difference for difference in differences if difference.adjusted_p_value is not None]
        if not tested:
            others = [model for model in self.order if model != self.leader]
            if any(self.comparison[self.leader, model].agreement.disagreements for model in others):
                yield self._untested()
        elif pair.agreement.disagreements and not any(self.decided(self.leader, self.rival)):
            yield from _may_be_larger(tested, self._between)
        apart = pair.agreement.disagreements
        kind = ""
        if (effective := self.comparison.effective) is not None:
            apart, kind = math.ceil(apart / self.comparison.n * effective), "effective "
        if self.comparison.kind == "classification" and 0 < apart < _FEW:
            some = count(apart, f"{kind}instance separates", f"{kind}instances separate")
            yield Notice(
                "few-disagreements",
                f"only {some} {self.leader} and {self.rival}",
                "other data of the same kind could easily reverse the order",
            )
        if self.comparison.kind == "classification" and tested:
            without = [difference.title for difference in differences if difference.adjusted_p_value is None]
            if without:
                yield Notice(
                    "scores-without-a-test", f"no test says whether the models differ in {listed(without)}"
                )
        yield from unbalanced({str(recall.label): recall.n for recall in pair.recalls})
        yield from _no_better_than_chance(self.comparison)
        yield from _undefined(self.comparison)

    def _untested(self) -> Notice:
        """Say that differences may be chance, and what would tell."""
        is_asked = self.comparison.settings.get("confidence") is not None
        is_weighted = isinstance(self.comparison[self.leader, self.rival].agreement, WeightedAgreement)
        remedy: Any = "" if is_asked else ("pass ", Option("confidence", USUAL_LEVEL))
        if is_weighted and self.comparison.kind == "clustering":
            remedy = WEIGHTED_PAIRS
        return Notice(
            "untested-differences", "nothing says whether these differences are more than chance", remedy
        )


def trade_of(found: WhatDiffers, p: str, q: str) -> str:
    """Say what tests see better of each of two models, scores or classes; empty if one is not worse in anything."""
    wins, losses = found.seen(p, q)
    if not wins and not losses:
        return ""
    sides = [(p, wins, found.finds_more(p, q)), (q, losses, found.finds_more(q, p))]
    if not all(scores or classes for _, scores, classes in sides):
        return ""
    said = []
    for model, scores, classes in sides:
        by = f"by {listed([score.title for score in scores], _NAMED)}" if scores else ""
        of = listed([_class(row.label) for row in classes], _CLASSES)
        said.append(f"{model} {by or f'finds more of {of}'}")
    return " and ".join(said)


def finds_of_each(found: WhatDiffers) -> str:
    """Say of which classes tests see that the leader finds more, and of which the rival; empty if of none."""
    leader, rival = found.leader, found.rival
    sides = ((leader, found.finds_more(leader, rival)), (rival, found.finds_more(rival, leader)))
    said = [(model, listed([_class(row.label) for row in rows], _CLASSES)) for model, rows in sides if rows]
    return " and ".join(
        f"{model}{'' if i else ' finds'} more of {some}" for i, (model, some) in enumerate(said)
    )


def _may_be_larger(tested: Sequence[ScoreDifference], between: str) -> Iterable[Notice]:
    """Say how large a difference may be that no test detects, and `between` which models."""
    own = next((own for own in tested if own.interval and own.interval[0] < 0 < own.interval[1]), None)
    if own is not None and own.interval is not None:
        low, high = (_number(end) for end in own.interval)
        yield Notice(
            "no-difference-seen",
            "that no difference is seen does not show that the models are equally good",
            f"that of {own.title}{between} may be anything from {low} to {high}",
        )


def unbalanced(sizes: Mapping[str, Any]) -> Iterable[Notice]:
    """Warn if one class is much larger than another."""
    sizes = {name: n for name, n in sizes.items() if n}
    if len(sizes) < 2 or max(sizes.values()) < _UNBALANCED * min(sizes.values()):
        return
    largest, smallest = max(sizes, key=lambda name: sizes[name]), min(sizes, key=lambda name: sizes[name])
    yield Notice(
        "unbalanced-classes",
        f"the classes are unbalanced: {largest} has {_size(sizes[largest])}, {smallest} has {_size(sizes[smallest])}; "
        "look also at the scores that weigh all classes equally",
    )


def _no_better_than_chance(comparison: ModelsCompared) -> Iterable[Notice]:
    """Say that no clustering agrees with the truth, whichever of them is ahead."""
    found = [own["adjusted_rand"].value for own in comparison.judged.values() if "adjusted_rand" in own]
    if comparison.kind == "clustering" and found and max(found) <= 0:
        which = "no clustering agrees" if len(found) > 1 else "the clustering does not agree"
        message = f"{which} with the truth better than by chance: adjusted Rand indices are 0 at most"
        yield Notice("no-better-than-chance", message)


def _undefined(comparison: ModelsCompared) -> Iterable[Notice]:
    undefined = [
        f"{comparison.title_of(name)} of {model} ({reason})"
        for model, reasons in comparison.score_reasons.items()
        for name, reason in reasons.items()
        if reason != LABELS_ALONE  # which a notice says
    ]
    if undefined:
        yield Notice("undefined-scores", f"undefined: {listed(undefined)}")


def _named(differences: Sequence[ScoreDifference]) -> str:
    """Name scores with their differences, the first with its values."""
    shown = []
    for i, difference in enumerate(differences):
        shown.append(f"{difference.title} ({_values(difference) if i == 0 else _difference(difference)})")
    return listed(shown, _NAMED)


def _difference(difference: ScoreDifference) -> str:
    return f"{'+' if difference.value > 0 else ''}{_number(difference.value)}"


def _values(difference: ScoreDifference) -> str:
    """Write a difference, the values that it is of, and its p-value if it has one."""
    p = f", {p_text(difference.adjusted_p_value)}" if difference.adjusted_p_value is not None else ""
    return f"{_difference(difference)}: {_number(difference.first)} against {_number(difference.second)}{p}"


def _class(label: Any) -> str:
    """Name a class, or a group; a number alone would not say what it is, and would run into the next one."""
    text = str(label)
    # In a file, truth values are words.
    says_itself = isinstance(label, str) and not text[-1:].isdigit() and text not in ("True", "False")
    return text if says_itself else f"class “{text}”"


def _number(value: float, places: int = 3) -> str:
    """Write a value to some decimals, or to as many as show that it is not 0."""
    if value and math.isfinite(value):
        places = min(6, max(places, 1 - math.floor(math.log10(abs(value)))))
    return with_minus(show_number(float(value), places))


def _size(n: Any) -> str:
    return count(n, "instance") if isinstance(n, int) else f"a weight of {weight_text(n)}"


def _within(text: str) -> str:
    """Return a sentence as it goes on after a colon; the name of a model stays as it is."""
    starts = ("No difference", "No score", "Of ", "By values")
    return text[0].lower() + text[1:] if text.startswith(starts) else text


def _capital(text: str) -> str:
    """Capitalise the start of a sentence; the name of a model stays as it is."""
    starts = ("no difference", "no score", "of ")
    return text[0].upper() + text[1:] if text.startswith(starts) else text
