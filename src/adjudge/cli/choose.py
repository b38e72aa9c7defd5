"""The command `adjudge choose`: which of several clusterings to choose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import adjudge
from adjudge.cli.command import FILES, OUTPUT, Call, command
from adjudge.cli.estimators import plain_value
from adjudge.cli.figures import check_plot, write_figure
from adjudge.cli.fit_warnings import RAISE_MAX_ITER, warnings_counted
from adjudge.cli.output import share_done, show_work
from adjudge.cli.saving import check_saved, save_result
from adjudge.errors import InputError
from adjudge.presentation.numbers import shortened
from adjudge.presentation.tables import Table

if TYPE_CHECKING:
    from adjudge.results import Choice

__all__ = ["choose"]


@command(
    {
        "Candidates": ("candidates", "estimator", "grid"),
        "Points": ("features", "decimal", *FILES, "standardize"),
        "Graph": ("graph", "directed", "key"),
        "How they are judged": (
            "by", "indices", "metric", "missing", "noise", "noise_label", "sample_size", "stability", "random_state",
            "work",
        ),
        "Output": (*OUTPUT, "plot", "report", "save"),
    },
    verb="choose",
    beside=("estimator",),
)  # fmt: skip
def choose(call: Call) -> None:
    """Choose among clusterings of the same points, and show every criterion, the coverage, and near-duplicates.

    For example:

    - `adjudge choose points.csv --labels 'res_*'`
    - `adjudge choose members.csv --labels 'res_*' --graph edges.csv --id name`
    - `adjudge choose points.csv --estimator hdbscan --grid min_cluster_size=5,10,20 --report page.html`
    - `adjudge choose points.csv --estimator dbscan --grid eps=0.3,0.5,0.8 --grid min_samples=5,10 --stability 20`
    """
    plot, page, saved = (call.beside[name] for name in ("plot", "report", "save"))
    check_saved(saved)
    check_plot(plot)
    options = _candidates(call) | call.options
    with warnings_counted(RAISE_MAX_ITER), show_work("Judging") as update:
        choice = adjudge.choose(call.file, progress=share_done(update), **options)
    if plot is not None:
        write_figure(adjudge.displays.ChoiceDisplay.from_result(choice).plot().figure_, plot)
    if page is not None:
        adjudge.report(choice=choice, note=f"Read from {call.file.name}.", output=page)
    if saved is not None:
        save_result(choice, saved)
    call.say(choice)
    call.output.write(
        data=lambda: {**choice.to_dict(), "file": call.shown},
        tables=lambda: _tables(choice),
        rows=choice.table,
    )


def _candidates(call: Call) -> dict[str, Any]:
    """Return the clusterer to fit, if there is one."""
    estimator = call.beside["estimator"]
    if (estimator is None) == ("candidates" not in call.options):
        raise InputError("give either --labels, columns of the file, or --estimator with --grid")
    if estimator is None and "grid" in call.options:
        raise InputError("--grid varies the settings of an --estimator")
    if estimator is not None and "graph" in call.options:
        raise InputError("--graph judges communities: name their columns with --labels")
    if estimator is not None:
        if "noise_label" in call.options:  # of labels that a clusterer gives, and no text
            call.options["noise_label"] = plain_value(call.options["noise_label"])
        return {"candidates": estimator}
    return {}


def _tables(choice: Choice) -> list[Table]:
    columns = f": {shortened([*choice.columns], 6)}" if choice.columns else ""
    title = f"{choice.n:,} {choice.instances}{columns}"
    tables = [Table(("best", "why"), ((choice.best, choice.reason),), title)]
    tables.append(choice.summary_table())
    several = tuple(
        ("; ".join(group), choice.n_clusters[group[0]]) for group in choice.groups if len(group) > 1
    )
    if several:
        tables.append(Table(("candidates", "clusters"), several, "Say the same"))
    return tables
