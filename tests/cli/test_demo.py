"""The main job on real data, from beginning to end."""

from __future__ import annotations

import re

import pytest

import adjudge


@pytest.mark.full
def test_demo(tmp_path, run, monkeypatch):
    made = []
    compare = adjudge.compare
    monkeypatch.setattr(adjudge, "compare", lambda *a, **k: made.append(compare(*a, **k)) or made[-1])
    path = tmp_path / "report.html"
    lines = run("demo --output", path).splitlines()
    assert lines[-1].startswith(f"The report is at {path} (")
    assert [c.kind for c in made] == ["clustering", "classification"] * 2
    assert [c.n for c in made] == [178, 178, 1797, 1797]
    assert all(len(c.models) >= 4 for c in made)
    text = "\n".join(lines)
    for comparison in made:
        score = "adjusted_rand" if comparison.kind == "clustering" else "accuracy"
        verdict = comparison.verdict
        assert repr(comparison[verdict.leader, verdict.rival]) in text
        assert all(f"{scores[score]:.4f}" in text for scores in comparison.scores.values())
    found = lines[lines.index("What was found:") + 1 : -2]
    assert len(found) == 4
    for sentence, comparison in zip(found, made, strict=True):
        assert sentence.endswith(comparison.verdict.sentences[0])
    lines = [
        line
        for line in lines
        if not any(line.strip() in c.verdict.lines() for c in made) and line not in found
    ]
    assert max(map(len, lines)) < 120
    assert "  recommended: 3" in lines
    page = path.read_text(encoding="utf-8")
    assert "How many clusters" in page
    assert page.lower().startswith("<!doctype html>")
    for title in ("Wine: clusterings", "Wine: classifiers", "Digits: clusterings", "Digits: classifiers"):
        assert title in page
    assert not re.search(r"""(src|href)=["']https?://[^"']*\.(js|css|png|woff2?)""", page)
