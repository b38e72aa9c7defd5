"""Unknown names of options and of module attributes: the names to suggest, and the errors to raise."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import wraps
from inspect import Parameter, signature
from typing import Any, ParamSpec, TypeVar

from adjudge.callers import caller_imports_a_name
from adjudge.errors import Call, FractionError, InputTypeError, Option

__all__ = ["check_known", "checked_call", "close_names", "naming_what_judges_numbers", "no_such_name"]

P = ParamSpec("P")
R = TypeVar("R")

# Names of options in other libraries, by their names here, which differ between functions.
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
    ("groups",): "group group_by sensitive_features",
    ("sample_weight",): "weight sample_weights",
    ("random_state",): "seed random_seed",
    ("n_jobs",): "n_threads num_threads threads workers n_workers n_cores cores",
    ("average",): "average_method",
    ("positive",): "pos_label",
    ("candidates",): "labels labelings labellings clusterings partitions",
    ("estimator",): "method algorithm clusterer",
    ("k",): "K ks n_clusters min_nc max_nc",
}
_CALLED_HERE = {theirs: ours for ours, names in _NAMES_ELSEWHERE.items() for theirs in names.split()}


# Words for the table itself, which is the first argument.
_TABLES = ("data", "df", "frame", "dataframe", "table")


def _name_here(name: str, known: Container[str], given: Container[str] = ()) -> str | None:
    """Return the name here of an option with a name from elsewhere, if the function has it.

    Of a table, as what is given beside it shows, another argument may be meant than of arrays.
    """
    ours = [own for own in _CALLED_HERE.get(name, ()) if own in known]
    if ours and any(own in given for own in ("truth", "pred", "features")):
        return "labels_true" if name.casefold() in _TABLES else ours[-1]
    return next(iter(ours), None)


def close_names(name: str, names: Iterable[str], most: int, cutoff: float = 0.6) -> list[str]:
    """Return the names that are similar to another one, the most similar first; case makes no difference.

    Names that differ only in case are returned alone.

    Examples
    --------
    >>> close_names("KM", ["km", "ward"], 3)
    ['km']
    """
    from difflib import get_close_matches

    by_small: dict[str, list[str]] = {}
    for own in names:
        by_small.setdefault(own.casefold(), []).append(own)
    if name.casefold() in by_small:
        return by_small[name.casefold()][:most]
    close = get_close_matches(name.casefold(), list(by_small), n=most, cutoff=cutoff)
    return [own for small in close for own in by_small[small]][:most]


def no_such_name(module: str, name: str, names: Iterable[str] = (), otherwise: str = "") -> Exception:
    """Return the error for a name that a module does not have.

    Parameters
    ----------
    module, name : str
    names : iterable of str
        The module's names; close ones are suggested.
    otherwise : str
        What to say if none is close.
    """
    close = close_names(name, names, 3)
    remedy = f"did you mean {', '.join(close)}?" if close else otherwise
    # A circular import finds a submodule only after an AttributeError.
    if remedy and caller_imports_a_name() and f"{module}.{name}" not in sys.modules:
        return ImportError(f"cannot import name {name!r} from {module!r}: {remedy}", name=module)
    # With the name, Python does not add its own suggestion.
    return AttributeError(f"module {module!r} has no attribute {name!r}{remedy and ': '}{remedy}", name=name)


def checked_call(function: Callable[P, R]) -> Callable[P, R]:
    """Refuse a call that lacks an option or has an unknown one, and suggest the one that may be meant."""
    parameters = signature(function).parameters
    takes_others = any(p.kind is Parameter.VAR_KEYWORD for p in parameters.values())
    check_given = _check_of_what_is_given(function.__name__, parameters)
    needed = [
        p.name
        for p in parameters.values()
        if p.default is Parameter.empty and p.kind is Parameter.POSITIONAL_OR_KEYWORD
    ]

    # The command line's word for the groups of instances is a second word for it here.
    has_other_word = "groups" in parameters and "by" not in parameters

    @wraps(function)
    def call(*args: P.args, **given: P.kwargs) -> R:
        if has_other_word and "by" in given:
            if given.get("groups") is not None:
                raise InputTypeError(Option("groups"), " was given twice: it is the same as ", Option("by"))
            given["groups"] = given.pop("by")
        if not given.keys() <= parameters.keys():
            # A function that passes options on leaves those that it does not know for others to check.
            own = [n for n in given if n in parameters or not takes_others or _name_here(n, parameters)]
            check_known(own, list(parameters), f"{function.__name__}()", given, needed)
        check_given(len(args), given)
        return function(*args, **given)

    return call


def naming_what_judges_numbers(*options: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Say in an error about labels with fractions which of some options judges numbers, or probabilities."""

    def naming(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def call(*args: P.args, **given: P.kwargs) -> R:
            try:
                return function(*args, **given)
            except FractionError as error:
                said = [option.name for option in error.options]
                kind, remedies = given.get("kind"), list[Any]()
                are_shares = kind in (None, "classification") and 0 < error.value < 1
                none_given = given.get("probabilities") is None and "probabilities" not in said
                if "probabilities" in options and are_shares and none_given:
                    remedies += [", or pass probabilities as ", Option("probabilities")]
                if "kind" in options and kind is None and "kind" not in said:
                    remedies += [", or pass ", Option("kind", "regression"), " if models give numbers"]
                error.worded(*error.parts, *remedies)
                raise

        return call

    return naming


def _check_of_what_is_given(
    function: str, parameters: Mapping[str, Parameter]
) -> Callable[[int, Mapping[str, Any]], None]:
    """Return a check that refuses a call with too many unnamed values, or without a required one."""
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
                *(
                    (", and columns of a table as ", Option("truth"), " and ", Option("pred"))
                    if {"truth", "pred"} <= parameters.keys()
                    else ()
                ),
            )
        if twice := next((name for name in plain[:n_plain] if name in given), None):
            raise InputTypeError(
                f"{function}() was given {twice} twice, without a name and by name",
                *(
                    (": the column of a table is ", Option("truth"))
                    if "truth" in named and twice == plain[0]
                    else ()
                ),
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


_OF_STRATA = (
    "strata are not known; give the inverse of each instance's chance to be drawn as ",
    Option("sample_weight"),
    ", with ",
    Option("weights", "importance"),
    " (",
    Option("groups"),
    " judges groups apart)",
)
_OF_NO_DATA = (
    "write a label that stands for none as missing (None); ",
    Option("missing", "drop"),
    " leaves it out",
)
# Keywords of other programs that are not options here, what to use instead, and the option that this is, if any.
_INSTEAD: dict[str, tuple[tuple[Any, ...], str]] = {
    "average": (("indices have their average in their names, as macro_f1 and weighted_recall",), ""),
    "recall": (
        ("of a class plan by its instances: its recall is their ", Option("accuracy")),
        "disagreement",
    ),
    "metric": (
        (
            "its criteria, and what they say of K, are for Euclidean distances; ",
            Call("choose"),
            " compares labels of yours by others, and rows scaled to length 1 stand for cosine",
        ),
        "n_references",
    ),
    **dict.fromkeys(("strata", "stratum", "stratify"), (_OF_STRATA, "weights")),
    **dict.fromkeys(
        ("nodata", "no_data", "ignore_index", "ignore_label", "ignore_value"), (_OF_NO_DATA, "missing")
    ),
    "sample_size": ((Call("evaluate"), " estimates indices from samples"), "metric"),
    "alpha": ((Option("confidence", 0.95), " does what alpha=0.05 does elsewhere"), "confidence"),
}


def check_known(
    given: Iterable[str],
    known: Sequence[str],
    owner: str,
    beside: Container[str] = (),
    needed: Sequence[str] = (),
) -> None:
    """Raise for an unknown option, and suggest the one that may be meant.

    Parameters
    ----------
    given : iterable of str
    known : sequence of str
    owner : str
        What errors call the function.
    beside : container of str
        All options of the call.
    needed : sequence of str
        What each call gives, in this order.
    """
    for name in given:
        if name in known:
            continue
        here = _name_here(name, known, beside)
        if here is not None:
            raise _called_otherwise(owner, name, here, needed)
        instead, option = _INSTEAD.get(name, ((), ""))
        if instead and (not option or option in known):
            raise InputTypeError(f"{owner} has no option ", Option(name), ": ", *instead)
        close: list[Any] = []
        for other in close_names(name, known, 2):
            close += [" or ", Option(other)]
        hint = (
            [": did you mean ", *close[1:], "?"]
            if close
            else [f": there are {', '.join(dict.fromkeys(known))}"]
        )
        raise InputTypeError(f"{owner} has no option ", Option(name), *hint)


def _called_otherwise(owner: str, name: str, here: str, needed: Sequence[str] = ()) -> InputTypeError:
    whole = ""
    if "table" in needed:  # stands beside the labels, which may be its columns
        whole = f", as in {owner.removesuffix('()')}({', '.join(needed)}), where labels may be columns of the table"
    message = f"{owner} has no option ", Option(name), ": it is called ", Option(here), " here"
    return InputTypeError(*message, whole)
