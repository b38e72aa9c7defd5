"""Choosing among clusterings of a graph, or soft ones: criteria are the indices that read what was given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adjudge.choosing.candidate_scores import Assessment
from adjudge.choosing.candidates import Candidate, ready_candidates
from adjudge.choosing.choose_among import ChoiceOptions, Trial, conclude
from adjudge.choosing.ranking import CONSENSUS, MEAN_RANK
from adjudge.errors import InputError, Option
from adjudge.given.input_kinds import Thing, needs
from adjudge.given.label_options import LabelOptions
from adjudge.given.structures import Structure, kind_of_structure, read_structures
from adjudge.indices.catalog import all_indices, is_all, is_default, is_own, select_indices
from adjudge.indices.structure_record import StructureIndex, check_all_read
from adjudge.presentation.numbers import listed
from adjudge.progress import reporting, told_of
from adjudge.results import Choice
from adjudge.results.notice import Notice
from adjudge.statistics.making import Made, lacking_of

__all__ = ["choose_structures"]


def choose_structures(X: Any, given: Any, keywords: Mapping[str, Any], options: ChoiceOptions) -> Choice:
    """Judge candidates by every index of a single clustering that can be made from them and what is beside them.

    Parameters
    ----------
    X : DataMatrix or None
        For soft clusterings.
    given : mapping, data frame or Cuts
        Labels, or soft clusterings, by name.
    keywords : mapping of str to object
        Structures by their keywords, such as a graph.
    options : ChoiceOptions
    """
    beside = {name: kind_of_structure(name).read(own) for name, own in keywords.items()}
    for own in beside.values():
        for name, labels in given.items() if isinstance(given, Mapping) else [("candidates", given)]:
            own.check_order(str(name), labels)
    sizes = [own.n for own in beside.values()] + ([] if X is None else [X.shape[0]])
    candidates = ready_candidates(given, next(iter(sizes), None), options.noise_label)
    things = {c.name: _things(c, X, beside, options.noise) for c in candidates}
    records, by = _records(options, things)
    values: dict[str, dict[str, float]] = {record.name: {} for record in records}
    reasons: dict[str, dict[str, str]] = {}
    with reporting(options.progress, "criteria") as told:
        for candidate in told_of(candidates, told):
            made = Made(things[candidate.name])
            for record in records:
                value, reason = record.assess(*(made[kind] for kind in record.requires))
                values[record.name][candidate.name] = value
                if reason is not None:
                    reasons.setdefault(record.name, {})[candidate.name] = reason
    assessed = Assessment(values, reasons, dict.fromkeys(things))
    voters = [record for record in records if not record.drift]
    words = "vertices" if "graph" in beside else "points"
    trial = Trial(
        candidates[0].codes.size,
        candidates,
        list(records),
        list(voters),
        by,
        assessed,
        words,
        notices=_notices(records),
    )
    return conclude(trial, options)


def _things(
    candidate: Candidate, X: Any, beside: Mapping[str, Structure], noise: str
) -> Mapping[type[Any], Any]:
    """File a candidate, and what is beside it, by kinds of input."""
    if candidate.structure is not None:
        given = read_structures(candidate.structure, X=X, keywords=beside)
    else:
        codes = candidate.codes
        if noise == "drop" and (codes < 0).any():
            raise InputError(
                f"candidate {candidate.name!r} has noise, which a graph still holds: pass ",
                Option("noise", "singletons"),
                " or ",
                Option("noise", "cluster"),
            )
        given = read_structures(
            labels=codes,
            X=X,
            keywords=beside,
            options=LabelOptions(noise="cluster" if noise == "drop" else noise),
        )
    assert given is not None
    return given.things


def _records(
    options: ChoiceOptions, things: Mapping[str, Mapping[type[Any], Any]]
) -> tuple[list[StructureIndex], str]:
    """Return the criteria that every candidate allows, and the one that ranks."""
    at_hand = next(iter(things.values()))
    for name, own in things.items():
        if own.keys() != at_hand.keys():
            raise InputError(
                f"candidate {name!r} is of another kind than the first one: give all as one kind"
            )
    known = [own for own in all_indices().values() if isinstance(own, StructureIndex)]
    possible = [own for own in known if own.better and not lacking_of(own.requires, at_hand)]
    kinds = tuple(dict.fromkeys(own.kind for own in possible))
    if not kinds:
        words = [one.words for one in at_hand if issubclass(one, Thing)]
        raise InputError(f"nothing ranks candidates from {listed(words)}")
    if is_all(options.indices) or is_default(options.indices):
        every = is_all(options.indices)
        chosen = [own for own in possible if every or own.default or own.votes or is_own(own)]
    else:
        chosen = _named(options.indices, kinds, at_hand)
    if options.by == CONSENSUS:
        raise InputError(
            Option("by", CONSENSUS),
            " is for candidates that points judge: name a criterion, or ",
            Option("by", MEAN_RANK),
        )
    by = options.by
    if by is None:
        # The criterion that reads the most of what was given.
        voters = [own for own in chosen if not own.drift] or chosen
        by = max(voters, key=lambda own: len(lacking_of(own.requires, ()))).name
    elif by != MEAN_RANK:
        (ranking,) = _named([by], kinds, at_hand)
        chosen, by = list(dict.fromkeys([*chosen, ranking])), ranking.name
    check_all_read(chosen, at_hand)
    return chosen, by


def _named(asked: Any, kinds: tuple[Any, ...], at_hand: Mapping[type[Any], Any]) -> list[StructureIndex]:
    found = []
    for record in select_indices(asked, kinds):
        missing = lacking_of(record.requires, at_hand)
        if missing:
            raise InputError(f"{record.name} needs ", *needs(missing))
        if not isinstance(record, StructureIndex):
            raise InputError(f"{record.name} is of kind {record.kind}: it does not rank such candidates")
        found.append(record)
    return found


def _notices(records: Sequence[StructureIndex]) -> tuple[Notice, ...]:
    """Say which criteria have no vote."""
    names = [record.name for record in records if record.drift]
    if not names:
        return ()
    said = f"without a vote: {', '.join(names)} (`adjudge indices NAME` says why)"
    return (Notice("no-vote", said, severity="info"),)
