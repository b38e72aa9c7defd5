"""One page an index, and the table of all, written from the records when the documentation is built."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from examples import example_of
from inline_math import with_math
from markdown import table
from sphinx.application import Sphinx
from sphinx.util import logging

import adjudge
from adjudge.indices.kinds import KINDS, Kind
from adjudge.indices.record import Index
from adjudge.indices.rules import RULES
from adjudge.indices.selection_record import SelectionIndex
from peers import compared_with, differences_of, found_by

log = logging.getLogger(__name__)

TITLES = {
    "external": "External indices",
    "internal": "Internal indices",
    "selection": "Criteria for the number of clusters",
    "comparative": "Comparative measures",
    "diversity": "Diversity of two models",
    "classification": "Scores of classifiers",
    "multilabel": "Scores of several labels per instance",
    "raters": "Agreement of several raters",
    "overlapping": "Overlapping clusters",
    "soft": "Soft clusters",
    "graph": "Communities in a graph",
    "batches": "Batches of the same labels",
    "hierarchy": "Trees of clusters",
    "taxonomy": "Classes in a taxonomy",
    "values": "One number for each row",
    "regression": "Predicted numbers",
}
MEANINGS = {
    "external": "They compare a partition with the truth. Names of clusters do not matter.",
    "internal": "They judge a partition from the points alone.",
    "selection": "They read partitions into several numbers of clusters at once, and vote for one of these numbers; "
    "[choose_k](../guide/how_many_clusters.md) computes them.",
    "comparative": "They compare two models with each other against the truth: "
    "[how to read the Prayatul matrix](../prayatul.md).",
    "diversity": "They tell how alike two models err against the truth: `compare(...)[p, q].diversity`.",
    "multilabel": "They compare predicted with true sets of labels. Scores by label, and their averages over the "
    "labels, are those of classifiers.",
    "raters": "They tell how well several raters agree; nobody knows the truth. "
    '[evaluate(..., kind="raters")](../guide/several_labels.md) computes them with intervals.',
    "overlapping": "They compare clusterings in which an instance may be in several clusters, or in none.",
    "soft": "They judge memberships: how much each instance belongs to each cluster.",
    "graph": "They judge the communities of a graph from its edges.",
    "batches": "They judge how well batches mix within each label, from the points: `evaluate(X=, labels=, batch=)`.",
    "hierarchy": "They judge a tree of clusters, from the truth, from the points or against another tree.",
    "taxonomy": "They score classifiers whose classes form a tree: a near miss costs less than a far one.",
    "values": "They sum up numbers that need no truth, such as rewards, latencies or errors: `evaluate(values=)`.",
    "regression": 'They tell how far predicted numbers are from true ones: `evaluate(..., kind="regression")`.',
    "classification": "They compare predicted with true labels. A label is right only where it equals the true one.",
}


# Sentences that begin with a name keep its capital where they go on in another one.
_NAMES = {"Hausdorff", "Prayatul"}


def write_pages(folder: Path) -> list[Path]:
    """Write the pages of all indices and the table of them; pages of indices that are gone are removed."""
    folder.mkdir(exist_ok=True)
    pages = {f"{record.name}.md": page(record) for record in adjudge.list_indices()}
    pages |= {f"kind-{kind}.md": kind_page(kind) for kind in KINDS}
    pages["index.md"] = overview()
    for old in folder.glob("*.md"):
        if old.name not in pages:
            old.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
    return [folder / name for name in pages]


def page(record: Index) -> str:
    """Return the page of one index."""
    try:
        example = example_of(record)
    except AssertionError as error:
        log.warning("the example of %s does not give what it shows: %s", record.name, error)
        example = ""
    parts = [
        f"# {record.title}",
        record.summary,
        _signature(record),
        _formula(record),
        _notation(record),
        table(("", ""), facts(record)),
        f"## Example\n\n```pycon\n{example}\n```",
        _elsewhere(record),
        f"## Reference\n\n{record.citation}",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def overview() -> str:
    """Return the list of all indices by kind."""
    records = adjudge.list_indices()
    parts = [
        "# Indices",
        f"{len(records)} indices, by kind. These pages are generated from the records in the code: they say what "
        "`adjudge.list_indices()` and `adjudge indices` say.",
        "```{toctree}\n:hidden:\n\n" + "\n".join(f"kind-{kind}" for kind in KINDS) + "\n```",
    ]
    for kind in KINDS:
        chosen = [record for record in records if record.kind == kind]
        rows = [(f"[{r.name}]({r.name}.md)", r.summary) for r in chosen]
        parts += [
            f"## [{TITLES[kind]}](kind-{kind}.md)",
            f"{MEANINGS[kind]} {len(chosen)} of them:",
            table(("index", "meaning"), rows),
        ]
    parts += ["## Computed unless you name others", *_defaults(records)]
    return "\n\n".join(parts) + "\n"


def _defaults(records: Iterable[Index]) -> Iterator[str]:
    """List what `indices="default"` means, with the reason for each."""
    records = list(records)
    yield (
        '`indices="default"` stands for a few indices for each kind of question, which studies favour or people cite; '
        '`indices="all"` computes every one that the inputs allow, and `indices=["default", "rand"]` adds one.'
    )
    chosen = [r for r in records if r.default]
    rows = [(r.kind, r.question, f"[{r.name}]({r.name}.md)", r.default) for r in chosen]
    yield table(("kind", "asks for", "index", "why"), rows)
    yield "`choose_k` compares, of those that its estimator allows:"
    of_k = [(f"[{r.name}]({r.name}.md)", r.default_k) for r in records if r.default_k]
    yield table(("criterion", "why"), of_k)


def kind_page(kind: Kind) -> str:
    """Return the table of the indices of one kind."""
    chosen = adjudge.list_indices(kind)
    rows = [
        (f"[{_escaped(r.title)}]({r.name}.md)", f"`{r.name}`", r.better or "neither", _range(r), r.summary)
        for r in chosen
    ]
    parts = [
        f"# {TITLES[kind]}",
        MEANINGS[kind],
        table(("index", "name", "better", "range", "meaning"), rows),
        "```{toctree}\n:hidden:\n\n" + "\n".join(r.name for r in chosen) + "\n```",
    ]
    return "\n\n".join(parts) + "\n"


def _signature(record: Index) -> str:
    signature = inspect.signature(record)
    bare = signature.replace(
        parameters=[p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()],
        return_annotation=inspect.Signature.empty,
    )
    return f":::{{py:function}} adjudge.{record.name}{bare}\n:::"


def _formula(record: Index) -> str:
    return f"$$\n{record.formula}\n$$" if record.formula else ""


def facts(record: Index) -> list[tuple[str, str]]:
    """Put into words what the record says."""
    facts = [
        ("Kind", f"[{record.kind}](index.md)"),
        ("Asks for", record.question),
        *([("Advice", f"{record.advice} ([Which index?](../which_index.md))")] if record.advice else []),
        ("Range", _range(record)),
        ("Better", f"{record.better} values" if record.better else "neither end: it has no direction"),
    ]
    if record.kind in ("external", "classification"):
        facts.append(("Perfect agreement", _perfect(record)))
        condition = " if they have the same labels" if record.kind == "classification" else ""
        swapped = f"may be swapped{condition}" if record.symmetric else "may not be swapped"
        facts.append(("Truth and prediction", swapped))
    if record.best_k:
        facts.append(("Best partition", f"by the rule *{record.best_k.replace('_', ' ')}*"))
    if isinstance(record, SelectionIndex):
        facts.append(("Votes for", with_math(RULES[record.rule].words, record)))
    if record.default or record.default_k:
        facts.append(("Computed by default", record.default or f"by `choose_k`: {record.default_k}"))
    if record.undefined:
        facts.append(("Undefined or infinite", with_math(record.undefined, record)))
    facts.append(("Computed from", "; ".join(_statistic(t, record) for t in record.requires)))
    if record.variant_of:
        fixed = ", ".join(f"`{k}={v!r}`" for k, v in record.fixed.items())
        origin = f"[{record.variant_of}]({record.variant_of}.md)"
        facts.append(("Variant of", f"{origin} with {fixed}" if fixed else origin))
    elif record.parameters:
        facts.append(("Parameters", ", ".join(f"`{k}={v!r}`" for k, v in record.parameters.items())))
    relatives = [r for r in adjudge.list_indices() if r.family == record.family and r is not record]
    if record.family and relatives:
        names = ", ".join(f"[{r.name}]({r.name}.md)" for r in relatives)
        facts.append(("Ranks partitions much as", names))
    if record.aliases:
        facts.append(("Also found as", ", ".join(f"`{a}`" for a in record.aliases)))
    note = record.note
    if isinstance(record, SelectionIndex):  # whose row "Votes for" is there
        note = note.removeprefix(f"Votes for {RULES[record.rule].words}.").strip()
    if note:
        facts.append(("Note", with_math(note, record)))
    return facts


def _perfect(record: Index) -> str:
    if record.best is None:
        return "nothing fixed"
    if not record.identical_is_best:
        return f"{record.best:g}, which identical partitions need not reach"
    if record.identical_is_defined:
        return f"{record.best:g}"
    return f"{record.best:g} (undefined {with_math(record.undefined, record).rstrip('.')})"


def _statistic(statistic: type, record: Index) -> str:
    """Say what a statistic is, and its name: what `of` takes."""
    first = (inspect.getdoc(statistic) or "").partition("\n\n")[0].replace("\n", " ").removeprefix("The ")
    words = re.split(r"[.:;](?= |$)", first)[0]
    if words.partition(" ")[0] not in _NAMES:
        words = words[0].lower() + words[1:]
    return f"{with_math(words, record)} (`{statistic.__name__}`)"


def _notation(record: Index) -> str:
    rows = [(f"${symbol}$", with_math(meaning, record)) for symbol, meaning in record.notation.items()]
    return table(("", ""), rows) if rows else ""


def _elsewhere(record: Index) -> str:
    names = [(program, f"`{name}`{_caution(record, name)}") for program, name in record.names_elsewhere]
    known = {(program, name.lower()) for program, name in record.names_elsewhere}
    names += [
        (peer.program, f"`{peer.measure}`" + (f" ({peer.parameters})" if peer.parameters else ""))
        for peer in compared_with(record.name)
        if (peer.program, peer.measure.lower()) not in known
    ]
    parts = [table(("program", "name there"), names)] if names else []
    rows = [
        (f"{d.program}: {d.name}", d.data, d.theirs, d.ours, with_math(d.reason, record))
        for d in differences_of(record.name)
    ]
    if rows:
        parts.append(
            "Where they differ, each with an example ([all differences](../differences.md)):\n\n"
            + table(("program", "data", "there", "here", "why"), rows)
        )
    return "## In other programs\n\n" + "\n\n".join(parts) if parts else ""


def _caution(record: Index, name: str) -> str:
    """Say where a name of another program finds something else here."""
    found = found_by(name)
    return "" if found is record else f" (here `{name}` is `{found.name}`)" if found else " (ambiguous here)"


def _range(record: Index) -> str:
    low, high = (
        "∞" if math.isinf(v) and v > 0 else "−∞" if math.isinf(v) else f"{v:g}" for v in record.range
    )
    return f"[{low},\N{NO-BREAK SPACE}{high}]".replace("-", "−")


def _escaped(text: str) -> str:
    return re.sub(r"([*_<>])", r"\\\1", text)


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the pages before the sources are read."""
    app.connect("builder-inited", lambda app: write_pages(Path(app.srcdir) / "indices") and None)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
