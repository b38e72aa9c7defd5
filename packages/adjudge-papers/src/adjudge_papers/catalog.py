"""The experiments, by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge.errors import InputError, Option

if TYPE_CHECKING:
    from adjudge_papers.reproduction import Reproduction

__all__ = ["EXPERIMENTS", "Experiment", "reproduce"]


@dataclass(frozen=True)
class Experiment:
    """A published experiment.

    Attributes
    ----------
    name, summary : str
    module : str
        Module of :mod:`adjudge_papers` whose function ``reproduce`` runs it.
    takes : str
        Running time on two cores.
    """

    name: str
    summary: str
    module: str
    takes: str

    @property
    def function(self) -> Callable[..., Reproduction]:
        """The function that runs the experiment; its parameters are the options."""
        found: Callable[..., Reproduction] = import_module(f"adjudge_papers.{self.module}").reproduce
        return found


EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        Experiment(
            "biswas-clustering",
            "Prayatul matrix, four clusterings of three data sets: Tables I-III, Figures 2 and 3",
            "biswas_clustering",
            "10 seconds",
        ),
        Experiment(
            "biswas-classification",
            "Prayatul matrix, four classifiers on three data sets: Tables 1 and 2, Figures 2 and 5",
            "biswas_classification",
            "10 seconds",
        ),
        Experiment(
            "biswas-deep",
            "Prayatul matrix, four deep networks on images: Tables 3 and 4, Figures 3 and 4",
            "biswas_deep",
            "10 minutes if reduced; the full run needs a GPU",
        ),
        Experiment(
            "desgraupes", "The clusterCrit vignette: worked example and benchmark", "desgraupes", "20 seconds"
        ),
        Experiment(
            "gagolewski",
            "External validity measures: worked confusion matrix, a benchmark set drawn like Figure 10",
            "gagolewski",
            "10 seconds",
        ),
        Experiment(
            "amorim-cardoso",
            "Nine paired indices adjusted for chance with 17,000 tables: Tables 2-7",
            "amorim_cardoso",
            "10 minutes",
        ),
        Experiment(
            "clusterers",
            "Our own study: ten clusterers on the 26 bundled data sets",
            "clusterers",
            "10 minutes",
        ),
    )
}

# Options that are counts.
_COUNTS = {"datasets", "n_tables", "repetitions", "epochs", "starts"}


def reproduce(name: str, *, output: str | Path | None = None, **options: Any) -> Reproduction:
    """Repeat a published experiment and put each of our cells beside the printed one.

    Parameters
    ----------
    name : str
        A key of :data:`EXPERIMENTS`.
    output : path-like, optional
        Folder for the tables, figures and the page.
    **options
        Options of the experiment, such as ``labels="fresh"`` for "biswas-clustering".

    Returns
    -------
    Reproduction

    Examples
    --------
    >>> from adjudge_papers import reproduce
    >>> print(reproduce("biswas-clustering").summary().text())
    Printed cells and ours
    table      cells  agree  verdicts
    Table I      180    179  104 rounded, 68 exact, 7 cut, 1 misprint
    Table II      36     36  18 rounded, 18 exact
    Table III     36      0  36 not printed
    """
    from adjudge.given.options import check_count  # NumPy, which a list of commands does without

    if name not in EXPERIMENTS:
        raise InputError(
            f"no experiment is called {name!r}: choose one of {', '.join(map(repr, EXPERIMENTS))}"
        )
    function = EXPERIMENTS[name].function
    known = inspect.signature(function).parameters
    for option in options:
        if option not in known:
            raise InputError(f"{name} has no option {option!r}: it takes {', '.join(known) or 'none'}")
    for option in _COUNTS.intersection(options):
        check_count(option, options[option])
    if "random_state" in options:
        check_count("random_state", options["random_state"], least=0)
    if output is not None and Path(output).exists() and not Path(output).is_dir():
        raise InputError(Option("output", str(output)), " is a file: name a folder")
    result = function(**options)
    if output is not None:
        result.write(output)
    return result
