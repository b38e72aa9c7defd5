"""Advice from the three studies of indices: a sentence each, the defaults, and a tree from the question to the call.

Reads the tables in docs/studies. Writes src/adjudge/indices/advice.json, the page docs/which_index.md, and the sheet:

    python studies/which_index.py
"""

from __future__ import annotations

import csv
import json
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import adjudge
from adjudge.presentation.palette import EMPHASIS, INK, MUTED, RULE
from tables import fill, percent, save, table

ROOT = Path(__file__).parents[1]
TABLES = ROOT / "docs" / "studies"
PAGE = ROOT / "docs" / "which_index.md"
ADVICE = ROOT / "src" / "adjudge" / "indices" / "advice.json"
Facts = dict[str, dict[str, float]]

# A change that lowers an index by less than this share of the way to the truth is rewarded.
REWARDED = -0.005
#: An index drifts if the number of random clusters moves it by more than this, from 0 for chance to 1 for the truth.
DRIFTS = 0.1
#: A criterion is cited if so many other programs have it.
CITED = 3
FAULTS = ("ranks worse", "overconfident", "too high", "threshold 0.2", "always the prevalence")
#: An index has taken a side if it costs this many times as much.
SIDES = 1.5


@dataclass(frozen=True)
class Leaf:
    """What to do: a call that runs, and why."""

    when: str
    call: str
    why: str


#: Questions, and what to call. ``tests/studies/test_which_index.py`` runs every call.
TREE: Mapping[str, tuple[Leaf, ...]] = {
    "Clusters, and you know the truth": (
        Leaf(
            "one number, whatever the number of clusters",
            'evaluate(truth, labels, indices=["adjusted_rand", "ami"])',
            "chance gives 0 in both; the first weighs pairs, the second information",
        ),
        Leaf(
            "small classes count as much as large ones",
            'evaluate(truth, labels, indices="adjusted_asymmetric_accuracy")',
            "drop noise first: each cluster of one instance counts as surplus",
        ),
        Leaf(
            "how many instances are in the right place",
            'evaluate(truth, labels, indices="pivoted_accuracy")',
            "everybody understands it; compare only equal numbers of clusters",
        ),
        Leaf(
            "only wrong merges count, or only wrong splits",
            'evaluate(truth, labels, indices=["homogeneity", "completeness"])',
            "report both: each is best for a trivial partition",
        ),
        Leaf(
            "clusters are records of one thing (entities)",
            'evaluate(truth, labels, indices=["bcubed_f", "pair_f", "exact_cluster_f"])',
            "by record, by pair and by whole entity; never muc_f alone",
        ),
        Leaf(
            "is one clustering better than another?",
            'compare(truth, {"new": new, "old": labels}, indices="adjusted_rand", confidence=0.95)',
            "a difference without an interval says little",
        ),
    ),
    "Clusters, and you have only the data": (
        Leaf(
            "lumps: several partitions to choose from",
            'choose(X, {"a": labels, "b": new, "c": third})',
            "the consensus of several criteria; no single one is safe",
        ),
        Leaf(
            "arcs, rings, chains: single linkage can find them",
            'evaluate(X=X, labels={"a": labels, "b": new}, indices=["disco", "gdi12", "dunn"])',
            "criteria with centroids fail here; these are poor for lumps",
        ),
        Leaf(
            "how many clusters?",
            "choose_k(X, KMeans(n_init=3, random_state=0), k=range(2, 9))",
            "a verdict with its probability, or the reason why there is none",
        ),
        Leaf(
            "how good is this one partition?",
            "evaluate(X=X, labels=labels)",
            "describes it; says nothing about whether it is true",
        ),
    ),
    "Classes": (
        Leaf(
            "somebody uses the probabilities",
            'evaluate(y, probabilities=p, positive=1, indices=["log_loss", "brier_score"])',
            "sees every fault, and needs the fewest instances",
        ),
        Leaf(
            "only the order counts",
            'evaluate(y, probabilities=p, positive=1, indices="roc_auc")',
            "the same at any prevalence",
        ),
        Leaf(
            "few are looked at, and positives are rare",
            'evaluate(y, probabilities=p, positive=1, indices="average_precision")',
            "depends on the prevalence: compare on the same data only",
        ),
        Leaf(
            "somebody decides, and all errors cost the same",
            'evaluate(y, pred, indices="accuracy", kind="classification")',
            "is the cost; blind to rare classes",
        ),
        Leaf(
            "every class counts the same",
            'evaluate(y, pred, indices=["balanced_accuracy", "macro_f1"], kind="classification")',
            "tune the threshold of both models alike first: they reward a bias",
        ),
        Leaf(
            "may the new model replace the old?",
            'gate(y, probabilities={"old": q, "new": p}, positive=1, margin={"brier_score": 0.02})',
            "passed, failed or undecided, with the rows that broke",
        ),
    ),
}


def read(name: str, key: str, half: str | None = None) -> Facts:
    """Return the facts of a study by index, of one half if it has two."""
    with (TABLES / f"{name}.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if half is None or row["half"] == half]
    return {row[key]: {k: float(v) for k, v in row.items() if k not in (key, "half")} for row in rows}


# Sentences

REWARDS = {
    "split": "clusters are split",
    "merge": "clusters are merged",
    "alone": "instances become clusters of their own",
    "into largest": "the largest cluster grows",
    "lose the smallest": "the smallest cluster is lost",
    "move as many": "instances leave the largest cluster",
}
SHAPES = {
    "round": "round clusters",
    "of uneven sizes": "uneven sizes",
    "stretched": "stretched clusters",
    "two arcs": "arcs",
    "among noise": "noise",
    "in many columns": "many useless columns",
    "of uneven spread": "uneven spread",
    "many": "many clusters",
    "heavy-tailed": "heavy tails",
    "ring and ball": "rings",
    "spirals": "spirals",
    "squares": "squares",
}


def of_external(own: dict[str, float]) -> str:
    """Say what an index of two partitions rewards."""
    if own["split"] == own["merge"] == own["move"] == 0:
        return (
            "Looks at whole clusters only: with 10 % of the instances misplaced, nothing moves it any more."
        )
    rewarded = [words for change, words in REWARDS.items() if own[change] < REWARDED]
    parts = (
        [f"do not use it alone, because it improves if {' or if '.join(rewarded[:2])}"] if rewarded else []
    )
    moved = own["drift"]
    if moved <= 0.02:
        parts.append("different numbers of clusters can be compared")
    elif moved <= DRIFTS:
        parts.append("different numbers of clusters can nearly be compared")
    elif moved < 1:
        parts.append(
            f"compare equal numbers of clusters only, because their number moves it by {percent(moved)} "
            "even if labels are random"
        )
    else:
        parts.append(
            "compare equal numbers of clusters only, because their number moves it more than quality does"
        )
    if not rewarded:
        merge, lose = (
            own["merge"] / max(own["split"], 1e-3),
            own["lose the smallest"] / max(own["move as many"], 1e-3),
        )
        parts += _sides(merge, "a wrong merge costs {} a wrong split", "a wrong split costs {} a wrong merge")
        parts += _sides(lose, "small classes count {} large ones", "large classes count {} small ones")
    return _sentence(parts)


def _sides(ratio: float, first: str, second: str) -> list[str]:
    """Say which of two counts for more, and how much, if it is not nearly the same."""
    times = max(ratio, 1 / max(ratio, 1e-3))
    how = "more than" if times < 2.5 else f"{times:.0f} times as much as" if times <= 20 else "far more than"
    return [(first if ratio > 1 else second).format(how)] if times > SIDES else []


def of_internal(own: dict[str, float], by_chance: dict[str, float]) -> str:
    """Say for which shapes a criterion finds the best of several partitions."""
    good = [SHAPES[family] for family, lost in own.items() if lost <= 0.1]
    bad = [SHAPES[family] for family, lost in own.items() if lost >= by_chance[family] + 0.1]
    mean, chance = (sum(each.values()) / len(each) for each in (own, by_chance))
    how = "no better than a random one" if mean > chance - 0.03 else "better than a random one"
    parts = [f"on twelve kinds of data, its choice among partitions was {how}"]
    if good:
        parts.append(f"nearly the best with {_listed(good)}")
    if bad:
        parts.append(f"worse than random with {_listed(bad)}")
    return _sentence(parts)


def of_classifier(own: dict[str, float], log_loss: dict[str, float]) -> str:
    """Say which faults of a classifier a score rewards, and how many instances it needs."""
    rewards = {
        "too high": "probabilities that are too high",
        "threshold 0.2": "a low threshold",
        "always the prevalence": "a model without any signal",
    }
    found = [words for fault, words in rewards.items() if own[fault] < -0.5]
    parts = [f"rewards {_listed(found)}"] if found else []
    often, seldom = abs(own["at 0.5"]), abs(own["at 0.01"])
    if abs(often - seldom) > 0.1:
        parts.append(
            f"the same classifier has {often:.2f} if half of the instances are positive, "
            f"{seldom:.2f} if one in a hundred is"
        )
    elif abs(often - seldom) < 0.02:
        parts.append("the share of positive instances does not move it")
    times = own["needed at 0.2"] / log_loss["needed at 0.2"]
    if times > 20:
        parts.append("hardly tells two classifiers apart")
    elif times >= 1.5:
        parts.append(
            f"needs {_times(times)} as many instances as the logarithmic loss to tell two classifiers apart"
        )
    else:
        parts.append("tells two classifiers apart with few instances")
    return _sentence(parts)


def _times(ratio: float) -> str:
    return "twice" if round(ratio) == 2 else f"{ratio:.0f} times"


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _sentence(parts: list[str]) -> str:
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def advice() -> dict[str, str]:
    """Return a sentence for each index that a study tried."""
    external = read("external_indices", "index", "chosen")
    internal = read("internal_criteria", "criterion")
    classifier = read("classifier_scores", "score")
    said = {name: of_external(own) for name, own in external.items()}
    said |= {
        name: of_internal(own, internal["any candidate"]) for name, own in internal.items() if " " not in name
    }
    return said | {name: of_classifier(own, classifier["log_loss"]) for name, own in classifier.items()}


# Defaults


def sound(facts: Facts) -> set[str]:
    """Return the external indices that do not drift, reward no error and can tell models apart."""
    return {
        name
        for name, own in facts.items()
        if own["drift"] <= DRIFTS and all(own[change] >= REWARDED for change in REWARDS) and own["needed"] > 0
    }


def external_roles(facts: Facts) -> dict[str, str]:
    """Choose external indices by the rules of the page."""
    of_pairs, of_information = (
        [name for name in facts if _reads(name) == kind] for kind in ("pairs", "information")
    )
    fit = sound(facts)
    one_side = [
        (name, other)
        for name, other in PAIRED
        if facts[name]["split"] < 0.005 and facts[other]["merge"] < 0.05
    ]
    least = min(one_side, key=lambda pair: max(facts[own]["drift"] for own in pair))
    metrics = [name for name in facts if adjudge.find_index(name, "external").question == "distance"]
    return {
        "pairs, comparable": max(fit & set(of_pairs), key=_programs),
        "information, comparable": min(
            fit & set(of_information), key=lambda name: (-_programs(name), facts[name]["drift"])
        ),
        "small classes count": max(
            fit, key=lambda name: facts[name]["lose the smallest"] / max(facts[name]["move as many"], 1e-3)
        ),
        "wrong merges only": least[0],
        "wrong splits only": least[1],
        "cited most, pairs": max(of_pairs, key=_programs),
        "cited most, information": max(of_information, key=_programs),
        "cited most, distances": max(metrics, key=_programs),
    }


#: Indices of which one should see wrong merges only, and the other wrong splits only.
PAIRED = (
    ("homogeneity", "completeness"), ("purity", "inverse_purity"), ("pair_precision", "pair_recall"),
    ("bcubed_precision", "bcubed_recall"), ("lea_precision", "lea_recall"),
)  # fmt: skip


def _reads(name: str) -> str:
    """Return whether an index counts pairs, or measures information and is no part of such a pair of indices."""
    record = adjudge.find_index(name, "external")
    if any(name in pair for pair in PAIRED):
        return ""
    module = record.function.__module__.rpartition(".")[2]
    return module if record.question == "agreement" else ""


def _programs(name: str) -> int:
    """Return how many other programs have an index."""
    return len(adjudge.find_index(name).peers)


def internal_roles(facts: Facts, families: list[str]) -> dict[str, str]:
    """Choose internal criteria: those that most programs have, and the one that helps them most."""
    cited = sorted((name for name in facts if " " not in name and _programs(name) >= CITED), key=_programs)[
        ::-1
    ]
    best = min(facts, key=lambda name: left(facts, [*cited, name], families) if " " not in name else 1.0)
    return {f"cited most ({i + 1})": name for i, name in enumerate(cited)} | {"best addition": best}


def left(facts: Facts, names: Iterable[str], families: list[str]) -> float:
    """Return what is lost if one knew for each family which of some criteria is best."""
    return float(np.mean([min(facts[name][family] for name in names) for family in families]))


def classifier_roles(facts: Facts, half: str) -> dict[str, str]:
    """Choose scores of classifiers by what they see of faults."""
    cost = {name: {fault: own[fault + half] for fault in FAULTS} for name, own in facts.items()}
    asked = {name: adjudge.find_index(name, "classification").question for name in facts}
    proper = [
        name for name, own in cost.items()
        if asked[name] == "probabilities" and not adjudge.find_index(name, "classification").reads_order
        and min(own.values()) > -0.5 and own["overconfident"] > 1 < own["too high"]
    ]  # fmt: skip
    order = [
        name for name, own in cost.items()
        if asked[name] == "ranking" and own["overconfident"] == own["too high"] == own["threshold 0.2"] == 0
    ]  # fmt: skip
    still = [name for name in order if abs(facts[name]["at 0.5"] - facts[name]["at 0.01"]) < 0.02]
    first, second = sorted(
        proper, key=lambda name: (facts[name]["needed at 0.2"], -_programs(name), len(name))
    )[::2]
    return {
        "every fault of probabilities": first,
        "every fault, bounded": second,
        "order, at any prevalence": max(still, key=_programs),
        "order, if positives are rare": max((name for name in order if "precision" in name), key=_programs),
    }


# The page


def roles() -> list[list[str]]:
    """Return what the rules choose from one half of the data, and what from the other."""
    internal = read("internal_criteria", "criterion")
    families = list(next(iter(internal.values())))
    classifier = read("classifier_scores", "score")
    found = [
        [external_roles(read("external_indices", "index", half)) for half in ("chosen", "held out")],
        [internal_roles(internal, own) for own in (families[:6], families[6:])],
        [classifier_roles(classifier, half) for half in ("", ", held out")],
    ]
    return [
        [role, _linked(name), "the same" if other[role] == name else _linked(other[role])]
        for one, other in found
        for role, name in one.items()
    ]


def addition() -> str:
    """Say what one more internal criterion would bring."""
    facts = read("internal_criteria", "criterion")
    families = list(next(iter(facts.values())))
    *cited, best = internal_roles(facts, families[:6]).values()
    lost = [
        left(facts, names, own) for own in (families[:6], families[6:]) for names in (cited, [*cited, best])
    ]
    return (
        f"If one knew which of the cited criteria is best for one's data, one would lose {lost[0]:.2f} on the first "
        f"six families, and {lost[1]:.2f} with {_linked(best)} beside them. On the other six it is {lost[2]:.2f} and "
        f"{lost[3]:.2f}."
    )


def defaults() -> str:
    """Return the table of what is computed by default, with the reason in the record."""
    kinds = ("external", "internal", "classification")
    rows = [
        [_linked(r.name), r.question, r.default]
        for kind in kinds
        for r in adjudge.list_indices(kind)
        if r.default
    ]
    return table(rows, ["index", "asks for", "why"])


def tree() -> str:
    """Return the tree in Markdown."""
    parts = []
    for question, leaves in TREE.items():
        rows = [[leaf.when, f"`{leaf.call}`", leaf.why] for leaf in leaves]
        parts.append(f"### {question}\n\n{table(rows, ['if', 'call', 'because'])}")
    return "\n\n".join(parts)


def _linked(name: str) -> str:
    return f"[{name}](indices/{name}.md)"


def sheet() -> Figure:
    """Draw the tree on one page, A4 across."""
    figure = Figure(figsize=(11.69, 8.27))
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, 11.69), ylim=(8.27, 0))
    ax.set_axis_off()
    ax.text(
        0.45, 0.55, "Which index should you trust?", fontsize=17, fontweight="bold", color=INK, va="center"
    )
    ax.text(11.24, 0.55, "adjudge", fontsize=11, color=MUTED, ha="right", va="center")
    width = (11.69 - 0.9) / len(TREE)
    for i, (question, leaves) in enumerate(TREE.items()):
        x = 0.45 + i * width
        ax.text(x, 1.12, question, fontsize=10.5, fontweight="bold", color=EMPHASIS, va="center")
        y = 1.5
        for leaf in leaves:
            ax.plot([x + 0.05, x + 0.05, x + 0.2], [1.25, y, y], color=RULE, linewidth=1.2)
            y = _write(ax, x + 0.27, y, leaf)
    closing = (
        "Say which errors count before you look at the results. Without the truth, trust no index alone."
    )
    ax.text(0.45, 7.85, closing, fontsize=10.5, color=INK, va="center")
    return figure


def _write(ax: Any, x: float, y: float, leaf: Leaf) -> float:
    """Write a leaf from y on, and return where the next one starts."""
    call = textwrap.wrap(leaf.call, 44, subsequent_indent="  ", break_long_words=False)
    for lines, style in (
        (textwrap.wrap(leaf.when, 46), {"fontsize": 9.0, "fontweight": "bold", "color": INK}),
        (call, {"fontsize": 7.2, "family": "monospace", "color": INK}),
        (textwrap.wrap(leaf.why, 52), {"fontsize": 8.0, "color": MUTED}),
    ):
        for line in lines:
            ax.text(x, y, line, va="center", **style)
            y += 0.175
    return y + 0.2


def main() -> None:
    """Write the advice, the page and the sheet."""
    ADVICE.write_text(
        json.dumps(dict(sorted(advice().items())), indent=1, ensure_ascii=False) + "\n", "utf-8"
    )
    parts = {
        "tree": tree(),
        "roles": table(roles(), ["role", "chosen", "on the other half"]),
        "addition": addition(),
        "defaults": defaults(),
    }
    fill(PAGE, parts)
    for kind in ("svg", "pdf"):
        save(sheet(), f"which_index.{kind}")


if __name__ == "__main__":
    main()
