"""The command `adjudge choose-k`: how many clusters there are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import adjudge
from adjudge.cli.command import FILES, OUTPUT, Call, command
from adjudge.cli.figures import check_plot, write_figure
from adjudge.cli.fit_warnings import warnings_counted
from adjudge.cli.output import say, share_done, show_work, tell
from adjudge.cli.saving import check_saved, save_result
from adjudge.presentation.tables import Table

if TYPE_CHECKING:
    from adjudge.results import KChoice

__all__ = ["choose_k"]


@command(
    {
        "What is compared": (
            "k", "estimator", "indices", "sample_size", "stability", "n_resamples", "random_state", "work",
        ),
        "Points": ("features", "decimal", *FILES, "standardize", "missing"),
        "Output": (*OUTPUT, "plot", "report", "save"),
    },
    verb="choose_k",
)  # fmt: skip
def choose_k(call: Call) -> None:
    """Choose the number of clusters: the value and vote of every criterion, and a recommendation.

    For example:

    - `adjudge choose-k points.csv`
    - `adjudge choose-k points.csv --k 2:15 --estimator kmeans,ward --standardize`
    - `adjudge choose-k points.csv --indices all,gap --n-resamples 50 --plot votes.png`
    """
    plot, page, saved = (call.beside[name] for name in ("plot", "report", "save"))
    check_saved(saved)
    check_plot(plot)
    with warnings_counted("try another --estimator"), show_work("Clustering") as update:
        choice = adjudge.choose_k(call.file, progress=share_done(update), **call.options)
    if plot is not None:
        write_figure(adjudge.displays.KChoiceDisplay.from_result(choice).plot().figure_, plot)
    if page is not None:
        tell(f"the report is at {_page(call, choice).resolve()}")
    if saved is not None:
        save_result(choice, saved)
    of_each = choice.choices or {choice.estimator: choice}
    say(
        {"": choice},
        but=[notice.code for notice in of_each[choice.estimator].warnings] if choice.choices else (),
    )
    say(choice.choices, by_name=True)
    call.output.write(
        data=lambda: {**choice.to_dict(), "file": call.shown},
        tables=lambda: _tables(choice),
        rows=choice.table,
        said=lambda: [f"{choice.words.headline} {choice.words.because}"],
    )


def _page(call: Call, choice: KChoice) -> Path:
    from adjudge.files.coordinates import coordinates_of

    points = coordinates_of(call.file, {}, features=choice.columns, gaps="missing" in call.options).complete()
    made = adjudge.report(
        X=points.values,
        feature_names=points.columns,
        standardize=choice.scaling or False,
        k_choice=choice,
        title=f"{call.file.name}: how many clusters?",
        note=f"From {call.file.name}.",
        output=call.beside["report"],
    )
    return made.path


def _tables(choice: KChoice) -> list[Table]:
    """Show the clusters, then the basis of the choice; with several estimators, first the choice of each."""
    rows = [(name, own.k, own.reason) for name, own in choice.choices.items()]
    tables = [Table(("estimator", "K", "why"), tuple(rows), f"{choice.n:,} points")] if rows else []
    tables += [choice.profiles_table(first=1)] if choice.profiles else []
    return [*tables, choice.tally_table(), choice.table()]
