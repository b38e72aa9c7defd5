"""Names of options: unknown ones are refused, and what had another name in version 0.1 works until version 0.3."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from inspect import Parameter, signature
from typing import Any, ParamSpec, TypeVar

from adjudge.callers import warn_caller
from adjudge.errors import InputTypeError, Option
from adjudge.unknown_names import close_names

__all__ = ["FORMER_NAMES", "Former", "check_known", "former_name", "former_options", "warn"]

P = ParamSpec("P")
R = TypeVar("R")

#: The version without the old names.
ENDS = "0.3"


@dataclass(frozen=True)
class Former:
    """What a public name of version 0.1 is now.

    Attributes
    ----------
    new : str
        The name that replaces it.
    function : str
        Module and name of what the old one still gives, if the new one is called in another way.
    """

    new: str
    function: str = ""


#: Public names of version 0.1 and what replaces them.
FORMER_NAMES = {
    "adjust": Former("adjusted_for_chance"),
    "Caution": Former("Notice"),
    "classification_intervals": Former(
        "comparison_intervals", "adjudge.inference.classes.outcome_intervals:classification_intervals"
    ),
    "clustering_intervals": Former(
        "comparison_intervals", "adjudge.inference.partitions.intervals:clustering_intervals"
    ),
    "expected": Former("expected_by_chance"),
    "external_interval": Former("confidence_interval"),
    "external_intervals": Former("confidence_intervals"),
    "f_measure": Former("pair_f"),
    "holm": Former("adjust_p_values"),
    "hubert": Former("pair_phi"),
    "Information": Former("PartitionEntropies"),
    "internal_intervals": Former(
        "confidence_intervals", "adjudge.inference.points.internal_intervals:internal_intervals"
    ),
    "mcnemar": Former("pair_mcnemar"),
    "pac": Former("ambiguous_clustering"),
    "sd": Former("sd_validity"),
    "sos": Former("sokal_sneath3"),
    "tau_c": Former("tau_b"),
}


# Options by the names that they have here: one function has the first of them, another the second.
_NAMES_ELSEWHERE = {
    (
        "labels_true",
        "truth",
    ): "labels_true truth truths true true_labels y_true y_test y target targets ground_truth gold",
    ("labels_pred", "pred", "models"): (
        "labels_pred pred preds predicted prediction predictions predicted_labels pred_labels models y_pred y_hat yhat"
    ),
    ("probabilities",): "y_prob y_proba proba prob probs",
    ("scores",): "y_score y_scores score decision_function",
    ("X", "table", "features"): "X x points data df frame dataframe features columns",
    ("indices",): "metrics scoring index criteria",
    ("confidence",): "conf_level confidence_level level ci",
    ("groups",): "by group group_by strata sensitive_features",
    ("sample_weight",): "weight sample_weights",
    ("random_state",): "seed random_seed",
    ("n_jobs",): "n_cores cores threads n_workers",
    ("average",): "average_method",
    ("positive",): "pos_label",
    ("estimator",): "method algorithm clusterer",
    ("k",): "K ks n_clusters min_nc max_nc",
}
_CALLED_HERE = {theirs: ours for ours, names in _NAMES_ELSEWHERE.items() for theirs in names.split()}


def _name_here(name: str, known: Container[str]) -> str | None:
    """Return what an option with a name from elsewhere is called here, if the function has it."""
    return next((ours for ours in _CALLED_HERE.get(name, ()) if ours in known), None)


def former_name(name: str) -> Any:
    """Return what a former name of the package stands for, and warn."""
    former = FORMER_NAMES[name]
    warn(f"adjudge.{name} is adjudge.{former.new} now")
    module, _, attribute = (former.function or f"adjudge:{former.new}").partition(":")
    return getattr(import_module(module), attribute)


def former_options(
    *,
    join: Callable[[dict[str, Any]], Any] | None = None,
    unless: Callable[[Any], bool] | None = None,
    **former: str,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function take options by the names that they had in version 0.1, with a warning.

    An option that there is not is refused with the one that may be meant.

    Parameters
    ----------
    join : callable, optional
        Makes the value of the one option that several old ones are now from theirs, by old name.
    unless : callable, optional
        Whether a value belongs to a new option that has an old one's name.
    **former : str
        The new name of each old one.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        parameters = signature(function).parameters
        takes_others = any(p.kind is Parameter.VAR_KEYWORD for p in parameters.values())
        check_given = _check_of_what_is_given(function.__name__, parameters)

        @wraps(function)
        def call(*args: P.args, **given: P.kwargs) -> R:
            old = {
                name: new
                for name, new in former.items()
                if name in given and not (unless is not None and unless(given[name]))
            }
            if old:
                _rename(given, old, function.__name__, join)
            if not given.keys() <= parameters.keys():
                # A function that passes options on leaves the check of those that it does not know to others.
                own = [n for n in given if n in parameters or not takes_others or _name_here(n, parameters)]
                check_known(own, list(parameters), f"{function.__name__}()")
            check_given(len(args), given)
            return function(*args, **given)

        return call

    return decorate


def _check_of_what_is_given(
    function: str, parameters: Mapping[str, Parameter]
) -> Callable[[int, Mapping[str, Any]], None]:
    """Make what refuses a call with too many values without names, or without one that it needs."""
    plain = [p.name for p in parameters.values() if p.kind is Parameter.POSITIONAL_OR_KEYWORD]
    named = [p.name for p in parameters.values() if p.kind is Parameter.KEYWORD_ONLY]
    needed = [
        (place, p)
        for place, p in enumerate(parameters.values())
        if p.default is Parameter.empty and p.kind is not Parameter.VAR_KEYWORD
    ]

    def check(n_plain: int, given: Mapping[str, Any]) -> None:
        if n_plain > len(plain):
            raise InputTypeError(
                f"{function}() takes {' and '.join(plain)} without names, and {n_plain} values were given: name the "
                "others, as in ",
                Option(named[0]),
            )
        for place, parameter in needed:
            if parameter.name not in given and place >= n_plain:
                choices = re.fullmatch(r"Literal\[(.*)\]", str(parameter.annotation))
                raise InputTypeError(
                    f"{function}() needs ",
                    Option(parameter.name),
                    f": one of {choices[1]}" if choices else "",
                )

    return check


# Keywords of other programs that are no option here, what is there instead, and the option that this is, if any.
_INSTEAD: dict[str, tuple[tuple[Any, ...], str]] = {
    "average": (("indices have their average in their names, as macro_f1 and weighted_recall",), ""),
    "alpha": ((Option("confidence", 0.95), " does what alpha=0.05 does elsewhere"), "confidence"),
}


def check_known(given: Iterable[str], known: Sequence[str], owner: str) -> None:
    """Raise for an unknown option, and suggest the one that may be meant."""
    for name in given:
        if name in known:
            continue
        here = _name_here(name, known)
        if here is not None:
            raise _called_otherwise(owner, name, here)
        instead, option = _INSTEAD.get(name, ((), ""))
        if instead and (not option or option in known):
            raise InputTypeError(f"{owner} has no option ", Option(name), ": ", *instead)
        close: list[Any] = []
        for other in close_names(name, known, 2):
            close += [" or ", Option(other)]
        hint = [": did you mean ", *close[1:], "?"] if close else [f": there are {', '.join(known)}"]
        raise InputTypeError(f"{owner} has no option ", Option(name), *hint)


def _called_otherwise(owner: str, name: str, here: str) -> InputTypeError:
    return InputTypeError(f"{owner} has no option ", Option(name), ": it is called ", Option(here), " here")


def _rename(
    given: dict[str, Any],
    former: Mapping[str, str],
    function: str,
    join: Callable[[dict[str, Any]], Any] | None,
) -> None:
    old = {name: given.pop(name) for name in former}
    for name, new in former.items():
        if new in given:
            raise InputTypeError(
                f"{function}() was given ",
                Option(name),
                " and ",
                Option(new),
                ", which are one option: leave ",
                Option(name),
                " out",
            )
        warn(f"{function}({name}=) is {new}= now")
    if join is not None:
        given[next(iter(former.values()))] = join(old)
    else:
        given.update({former[name]: value for name, value in old.items()})


def warn(message: str) -> None:
    """Say what replaces an old name, and how long it goes on working, at the line that used it."""
    warn_caller(f"{message}; the old form will be removed in {ENDS}", DeprecationWarning)
