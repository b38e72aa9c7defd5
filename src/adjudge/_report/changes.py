"""What changed since an earlier result: the scores that moved, and the instances that broke or were fixed."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge._report.disagreements import listed_instances
from adjudge._report.material import Coded, Material
from adjudge._report.section import Changes
from adjudge._report.wording import caveat, count, fact, listed, number
from adjudge.given.labels import Labels
from adjudge.presentation.plain import plain_json
from adjudge.results.differences import ScoreDifference
from adjudge.results.head_to_head import HeadToHead


def changes(found: Changes, material: Material | None, confidence: float | None) -> dict[str, Any]:
    """Reduce what changed to plain JSON."""
    return {
        "called": found.called,
        "why": found.why,
        "confidence": confidence if found.pairs else None,
        "rows": [
            {"model": model, **_row(score)} for model, scores in found.scores.items() for score in scores
        ],
        "instances": [
            {"model": model, "kind": pair.kind, **_instances(pair, found.labels[model], material)}
            for model, pair in found.pairs.items()
        ],
    }


def _row(difference: ScoreDifference) -> dict[str, Any]:
    return {
        "title": difference.title,
        "before": plain_json(difference.second),
        "now": plain_json(difference.first),
        "change": plain_json(difference.value),
        "interval": None if difference.interval is None else plain_json(list(difference.interval)),
        "reason": difference.reason,
        "status": _status(difference),
    }


def _status(difference: ScoreDifference) -> str:
    """Say which way a score has moved, if that is more than chance."""
    if difference.interval is None or difference.index.better is None:
        return ""
    low, high = difference.interval
    if low <= 0 <= high:
        return "none is seen"
    return "better" if difference.gain > 0 else "worse"


def _instances(
    pair: HeadToHead, labels: tuple[Labels, Labels, Labels], material: Material | None
) -> dict[str, Any]:
    truth, now, before = map(Coded.of, labels)
    place = np.arange(truth.codes.size)
    found = listed_instances(pair, place, truth, (now, before), material)
    titles = {
        "wrong_right": "Broken: right before, wrong now",
        "right_wrong": "Fixed: wrong before, right now",
    }
    groups = {group["cell"]: group | {"title": titles[group["cell"]]} for group in found["groups"]}
    return found | {"groups": [groups[cell] for cell in titles]}


def changes_in_words(found: Changes) -> list[dict[str, str]]:
    """Say for the verdict how many instances broke and were fixed, and which scores moved."""
    said = [fact(_of_model(model, found)) for model in found.scores]
    if found.why:
        said.append(caveat(f"Changes have no intervals: {found.why}."))
    for names, what in ((found.new, "not in"), (found.gone, "only in")):
        if names:
            one = "is" if len(names) == 1 else "are"
            said.append(fact(f"{listed(names)} {one} {what} {found.called}."))
    return said


def _of_model(model: str, found: Changes) -> str:
    said = []
    if (pair := found.pairs.get(model)) is not None:
        unit = {"classification": "instance", "clustering": "pair"}[pair.kind]
        were = "was" if pair.right_wrong == 1 else "were"
        said.append(f"{count(pair.wrong_right, unit)} broke, {pair.right_wrong:,} {were} fixed")
    moved = [own for own in found.scores[model] if own.value and own.value == own.value]
    said += [f"{own.title} went from {number(own.second)} to {number(own.first)}" for own in moved[:1]]
    if len(moved) < 2:
        said.append("no other score has changed" if moved else "no score has changed")
    whose = f", {model}" if model else ""
    return f"Since {found.called}{whose}: {'; '.join(said)}."
