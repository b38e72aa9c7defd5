"""Sentences begin with a capital letter, names stay as they are, and lines stay apart in a notebook."""

from __future__ import annotations

import numpy as np

import adjudge
from adjudge._report.verdict import _of_notice
from adjudge.presentation import notebook
from adjudge.presentation.numbers import capitalised
from adjudge.results.notice import Notice
from cases import each


@each(
    "text, shown",
    [
        ("two models agree", "Two models agree"),
        ("k-means parts the points", "K-means parts the points"),
        ("model's labels", "Model's labels"),
        ("änderung", "Änderung"),
        ("over.", "Over."),
        ("labels_true has a gap", "labels_true has a gap"),
        ("groups= is missing", "groups= is missing"),
        ("classes='a' is no class", "classes='a' is no class"),
        ("choose_k() chooses", "choose_k() chooses"),
        ("v1 has 3 answers", "v1 has 3 answers"),
        ("models.csv lacks a column", "models.csv lacks a column"),
        ("X is sparse", "X is sparse"),
        ("6 answers", "6 answers"),
        ("", ""),
    ],
)
def test_only_words_are_capitalised(text: str, shown: str) -> None:
    assert capitalised(text) == shown


def test_the_page_leaves_the_name_of_a_parameter_as_it_is() -> None:
    said = [
        _of_notice(Notice("code", text, "do this", "info"))["text"]
        for text in ("labels_true is short", "it is")
    ]
    assert said == ["labels_true is short: do this.", "It is: do this."]


def test_a_score_of_a_benchmark_keeps_its_name() -> None:
    table = {"m": {"d1": 0.1, "d2": 0.4, "d3": 0.2}, "n": {"d1": 0.2, "d2": 0.5, "d3": 0.3}}
    found = adjudge.benchmark(table, score="my_score", better="higher")
    assert "my_score" in repr(found)
    assert "My_score" not in repr(found) + found._repr_html_()


def test_lines_of_a_sentence_stay_apart() -> None:
    assert (
        notebook.sentence("Say the same:\n  a; b\n  <c>; d") == "<p>Say the same:<br>a; b<br>&lt;c&gt;; d</p>"
    )
    labels = np.repeat([0, 1, 2], 10)
    halves = labels // 2
    points = np.arange(60.0).reshape(30, 2)
    candidates = {"a": labels, "b": (labels + 1) % 3, "one": halves, "other": 1 - halves}
    shown = adjudge.choose(points, candidates)._repr_html_()
    assert "<br>a; b<br>one; other" in shown
