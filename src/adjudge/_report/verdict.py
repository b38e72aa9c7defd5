"""What the results say, in plain sentences, and what to be careful about."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from adjudge._report.instances import Coded, Instances
from adjudge._report.scores import titled
from adjudge._report.wording import count, interval, listed, number, percent
from adjudge.indices.catalog import find_index
from adjudge.inference.differences.head_to_head import takes_long
from adjudge.presentation.numbers import p_text
from adjudge.results import Comparison, HeadToHead

__all__ = ["about_agreement", "about_noise", "numbers_of_clusters", "ranking", "verdict"]

# Below this number of disagreements, or beyond this imbalance, the reader is warned.
_FEW = 20
_UNBALANCED = 5.0
_SURE = 0.05


def ranking(comparison: Comparison) -> tuple[str, list[str]]:
    """Return the score that ranks the models (the first requested one with a direction) and their order."""
    names = list(next(iter(comparison.scores.values())))
    score = next((name for name in names if find_index(name).better), names[0])
    sign = -1 if find_index(score).better == "lower" else 1

    def key(model: str) -> tuple[bool, float]:
        value = comparison.scores[model][score]
        return math.isnan(value), 0.0 if math.isnan(value) else -sign * value

    return score, sorted(comparison.models, key=key)


def verdict(comparison: Comparison, instances: Instances | None) -> list[dict[str, str]]:
    """Sentences, each a dictionary with its `text` and its `tone`: "main", "fact" or "caveat"."""
    score, order = ranking(comparison)
    said = [_subject(comparison, instances)]
    said.append(_winner(comparison, score, order))
    if len(order) > 1:
        scored = {
            name: {model: comparison.scores[model][name] for model in order}
            for name in comparison.scores[order[0]]
        }
        said += about_agreement(order, scored, "scores")
        pair = comparison[order[0], order[1]]
        said += _duel(pair, comparison.unit)
        said += _how_sure(pair, n_tests=math.comb(len(order), 2)) if pair.test else _untested(instances)
    said += _caveats(comparison, instances, order)
    return said + _notices(comparison)


def _notices(comparison: Comparison) -> list[dict[str, str]]:
    """Say what the comparison warns of; the page has words of its own for noise."""
    return [
        {"tone": "fact" if notice.severity == "info" else "caveat", "text": f"{_capital(notice.text)}."}
        for notice in comparison.warnings
        if notice.code not in ("noise-is-a-cluster", "no-noise-found")
    ]


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def about_agreement(
    order: Sequence[str], values: Mapping[str, Mapping[str, float]], noun: str
) -> list[dict[str, str]]:
    """Say which indices favour whom.

    Parameters
    ----------
    order : sequence of str
        The models, the one that is ranked first at the head: of several with the best value, the first of them wins.
    values : mapping of str to mapping of str to float
        By index and model; indices without a direction say nothing.
    noun : str
        What the indices are called.
    """
    wins: dict[str, list[str]] = {}
    for name, own in values.items():
        record = find_index(name)
        known = {model: own[model] for model in order if model in own and not math.isnan(own[model])}
        if record.better and known:
            best = (max if record.better == "higher" else min)(known.values())
            wins.setdefault(next(m for m in known if known[m] == best), []).append(record.title)
    total = sum(map(len, wins.values()))
    if len(wins) < 2:
        return [_fact(f"{order[0]} is best by all {total} {noun}.")] if total > 1 else []
    others = [f"{model} by {listed(titles)}" for model, titles in wins.items() if model != order[0]]
    mine = len(wins.get(order[0], []))
    return [_caveat(f"The {noun} disagree: {order[0]} is best by {mine} of {total}, {listed(others)}.")]


def _untested(instances: Instances | None) -> list[dict[str, str]]:
    if instances is None or instances.labels_true is None or instances.right:
        return []
    if not takes_long(instances.labels_true, list(instances.labels.values())):
        return []
    return [
        _caveat("With this many clusters and models, intervals and tests would take long and are left out.")
    ]


def _fact(text: str) -> dict[str, str]:
    return {"tone": "fact", "text": text}


def _caveat(text: str) -> dict[str, str]:
    return {"tone": "caveat", "text": text}


def _subject(comparison: Comparison, instances: Instances | None) -> dict[str, str]:
    what = "clustering" if comparison.kind == "clustering" else "classifier"
    text = f"{count(len(comparison.models), what)} of {count(comparison.n, 'instance')}"
    if comparison.kind != "clustering":
        text = f"{count(len(comparison.models), what)} on {count(comparison.n, 'instance')}"
    if instances is not None and instances.truth is not None:
        text += f", judged against {count(len(instances.truth.names), 'true class', 'true classes')}"
    left_out = comparison.settings.get("n_given", comparison.n) - comparison.n
    if left_out:
        text += f" ({count(left_out, 'instance')} left out, without a label or as noise)"
    return _fact(text + ".")


def _winner(comparison: Comparison, score: str, order: list[str]) -> dict[str, str]:
    title = titled(comparison, find_index(score))
    values = {model: comparison.scores[model][score] for model in order}
    best = values[order[0]]
    if math.isnan(best):
        return {"tone": "main", "text": f"{title} is undefined for every model, so no model is ranked first."}
    leaders = [m for m in order if values[m] == best]
    if len(leaders) > 1:
        return {"tone": "main", "text": f"{listed(leaders)} share the best {title}, {number(best)}."}
    if len(order) == 1:
        found = comparison.score_intervals.get(order[0], {}).get(score)
        level = comparison.settings.get("confidence")
        sure = f" ({interval(found)} with {100 * level:g} % confidence)" if found and level else ""
        return {"tone": "main", "text": f"{title} of {order[0]}: {number(best)}{sure}."}
    text = f"{order[0]} is best by {title}: {number(best)}"
    if not math.isnan(values[order[1]]):
        text += f", ahead of {order[1]} with {number(values[order[1]])}"
    return {"tone": "main", "text": text + "."}


def _duel(pair: HeadToHead, unit: str) -> list[dict[str, str]]:
    p, q = pair.primary, pair.alternative
    apart = pair.agreement.disagreements
    total = pair.agreement.total
    one = unit.replace("pairs", "pair", 1) if unit.startswith("pairs") else unit.removesuffix("s")
    if not apart:
        return [
            _fact(f"{p} and {q} are right on exactly the same {unit}: there is no difference between them.")
        ]
    said = [
        _fact(
            f"Head to head, exactly one of the two is right on {count(apart, one, unit)} "
            f"({percent(apart, total)}): {p} on {pair.right_wrong:,} and {q} on {pair.wrong_right:,}. "
            f"Both are right on {pair.both_right:,} and both wrong on {pair.both_wrong:,}."
        )
    ]
    if pair.wrong_right > pair.right_wrong:
        said.append(
            _caveat(
                f"Counted over {unit}, {q} is right more often than {p} where they differ: "
                "the score and the head-to-head do not favour the same model."
            )
        )
    return said


def _how_sure(pair: HeadToHead, n_tests: int) -> list[dict[str, str]]:
    value = pair.test["adjusted_p_value"]
    if math.isnan(value) or pair.test["reason"] or pair.right_wrong == pair.wrong_right:
        return []
    corrected = f", corrected for {n_tests} pairs of models" if n_tests > 1 else ""
    test = f"{pair.test['name']}: {p_text(value)}{corrected}"
    if value < _SURE:
        return [_fact(f"Equally good models would rarely differ this much by chance ({test}).")]
    return [
        _caveat(
            f"Equally good models would often differ this much by chance ({test}): there is no clear difference."
        )
    ]


def _caveats(comparison: Comparison, instances: Instances | None, order: list[str]) -> list[dict[str, str]]:
    said = []
    if comparison.kind == "classification" and len(order) > 1:
        apart = comparison[order[0], order[1]].agreement.disagreements
        if 0 < apart < _FEW:
            said.append(
                _caveat(
                    f"Only {count(apart, 'instance separates', 'instances separate')} {order[0]} and {order[1]}: "
                    "other data of the same kind could easily reverse the order."
                )
            )
    if instances is not None and instances.truth is not None:
        said += _about_labels(comparison, instances, instances.truth)
    undefined = [
        f"{titled(comparison, find_index(name))} of {model} ({reason})"
        for model, reasons in comparison.score_reasons.items()
        for name, reason in reasons.items()
    ]
    if undefined:
        said.append(_caveat(f"Undefined: {listed(undefined)}."))
    return said


def _about_labels(comparison: Comparison, instances: Instances, truth: Coded) -> list[dict[str, str]]:
    said = []
    sizes = truth.sizes
    if len(sizes) > 1 and sizes.max() >= _UNBALANCED * sizes.min():
        largest, smallest = int(sizes.argmax()), int(sizes.argmin())
        said.append(
            _caveat(
                f"The classes are unbalanced: {truth.names[largest]} has {int(sizes[largest]):,} instances, "
                f"{truth.names[smallest]} has {int(sizes[smallest]):,}. Look also at the scores that "
                "weigh all classes equally."
            )
        )
    if comparison.kind == "classification":
        never = instances.never_right()
        if never.size and len(comparison.models) > 1:
            said.append(
                _fact(
                    f"{count(int(never.size), 'instance is', 'instances are')} labelled wrong by every model: "
                    + (
                        "a hard case, or an error in the truth."
                        if never.size == 1
                        else "hard cases, or errors in the truth."
                    )
                )
            )
        return said
    k_true = len(truth.names)
    noise = comparison.settings.get("noise", "cluster")
    numbers = numbers_of_clusters(instances, noise)
    others = [f"{count(k, 'cluster')} by {name}" for name, k in numbers.items() if k != k_true]
    if others:
        said.append(
            _caveat(f"The truth has {count(k_true, 'class', 'classes')}, but there are {listed(others)}.")
        )
    return said + about_noise(instances, noise)


def numbers_of_clusters(instances: Instances, noise: str) -> dict[str, int]:
    """Count the clusters of each model; what it calls noise is none."""
    found = {}
    for name, coded in instances.models.items():
        noisy = instances.noise.get(name, 0)
        found[name] = len(coded.names) - {"cluster": min(noisy, 1), "singletons": noisy, "drop": 0}[noise]
    return found


def about_noise(instances: Instances, noise: str) -> list[dict[str, str]]:
    """Say how noise was treated, if there is any."""
    if not instances.noise:
        return []
    treated = {
        "cluster": "count as one cluster",
        "singletons": "each count as a cluster",
        "drop": "are left out, for all models",
    }[noise]
    named = listed([f"{n:,} by {name}" for name, n in instances.noise.items()])
    return [_caveat(f"Instances labelled as noise {treated}: {named}.")]
