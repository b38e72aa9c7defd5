"""The section on what `evaluate` returned: every score with what is known about it."""

from __future__ import annotations

import math
from typing import Any

from adjudge._report.records import facts
from adjudge._report.summary import placed
from adjudge._report.wording import caveat, count, fact, main
from adjudge.presentation.numbers import range_text
from adjudge.presentation.plain import plain_json
from adjudge.results.evaluation import Evaluation
from adjudge.results.evaluations import Evaluations
from adjudge.results.raters import RaterEvaluation
from adjudge.results.score import Score


def evaluated(result: Evaluation | Evaluations) -> dict[str, Any]:
    """Reduce one evaluation, or several, to what their section shows, as plain JSON."""
    several = dict(result.evaluations) if isinstance(result, Evaluations) else {"": result}
    first = next(iter(several.values()))
    return {
        "layout": "evaluated.html.j2",
        "kind": "evaluation",
        "verdict": _about(several),
        "confidence": first.settings.get("confidence"),
        "placed": _placed(several),
        "records": [facts(score.index) for score in first.scores.values()],
        "parts": [
            {"name": name, "groups": _groups(own), "tables": _tables(own)} for name, own in several.items()
        ],
        "criteria": None,
        "scores": None,
        "settings": plain_json(first.settings),
    }


def _placed(several: dict[str, Evaluation]) -> dict[str, Any] | None:
    """Draw the scores of one evaluation, or the first score of each of several."""
    first = next(iter(several.values()))
    confidence = first.settings.get("confidence")
    if len(several) == 1:
        return placed([(score.title, score) for score in first.scores.values()], "Each score", confidence)
    name = next(iter(first.scores))
    return placed(
        [(called, own.scores[name]) for called, own in several.items()], first.scores[name].title, confidence
    )


def _about(several: dict[str, Evaluation]) -> list[dict[str, str]]:
    found = []
    for name, own in several.items():
        sizes = ", ".join(f"{size} in {what}" for what, size in own.n_clusters.items())
        if isinstance(own, RaterEvaluation):
            sizes = f"{sum(own.n_clusters.values())} that {count(len(own.settings['raters']), 'rater')} gave"
        called, sample = f"{name}: " if name else "", "".join(map(str, own.sample_parts()))
        what = "clusters" if own.settings.get("of", "clustering") == "clustering" else "classes"
        found.append(
            {
                "tone": "fact" if name else "main",
                "text": f"{called}{sample}{f', {what}: {sizes}' if sizes else ''}.",
            }
        )
        found += [
            (fact if notice.severity == "info" else caveat)(f"{called}{notice.text}")
            for notice in own.notices()
        ]
    if len(several) > 1:
        found.insert(0, main(f"{count(len(several), 'evaluation')} by the same indices."))
    return found


def _groups(evaluation: Evaluation) -> list[dict[str, Any]]:
    """List the scores by what they ask for."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for score in evaluation.scores.values():
        groups.setdefault(score.index.question, []).append(_row(score))
    return [
        {
            "title": title.capitalize(),
            "rows": rows,
            "has_chance": any(row["adjusted"] is not None for row in rows),
        }
        for title, rows in groups.items()
    ]


def _tables(evaluation: Evaluation) -> list[dict[str, Any]]:
    """List the tables of raters, row by row, as text and numbers."""
    if not isinstance(evaluation, RaterEvaluation):
        return []
    return [
        {
            "title": table.title,
            "columns": list(table.columns),
            "rows": [{name: _cell(own) for name, own in row.items()} for row in table.records()],
        }
        for table in evaluation.tables()[1:]
    ]


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    return "undefined" if isinstance(value, float) and math.isnan(value) else plain_json(value)


def _row(score: Score) -> dict[str, Any]:
    return {
        "title": score.title,
        "summary": score.index.summary,
        "value": plain_json(score.value),
        "interval": None if score.interval is None else plain_json(list(score.interval)),
        "expected": plain_json(score.expected),
        "adjusted": plain_json(score.adjusted),
        "p_value": plain_json(score.p_value),
        "better": score.index.better or "",
        "range": range_text(*score.range),
        "note": score.note,
    }
