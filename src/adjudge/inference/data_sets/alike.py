"""Groups of models without a detectable difference."""

from __future__ import annotations

from collections.abc import Collection, Sequence

__all__ = ["alike_groups"]


def alike_groups(names: Sequence[str], alike: Collection[frozenset[str]]) -> list[list[str]]:
    """List the largest groups of two or more models without a difference in any pair.

    They are the maximal cliques of a graph (Bron & Kerbosch 1973). A model may be in several.

    Parameters
    ----------
    names : sequence of str
        All models, from the best to the worst.
    alike : collection of frozenset of str
        Pairs that do not differ.

    Returns
    -------
    list of list of str
        Ordered by their members' places in `names`.

    Examples
    --------
    >>> from adjudge.inference.data_sets.alike import alike_groups
    >>> alike_groups(["a", "b", "c"], {frozenset("ab"), frozenset("bc")})
    [['a', 'b'], ['b', 'c']]
    """
    near = {a: {b for b in names if frozenset((a, b)) in alike and a != b} for a in names}
    found: list[list[str]] = []

    def grow(group: set[str], able: set[str], done: set[str]) -> None:
        if not able and not done:
            found.append([name for name in names if name in group])
            return
        pivot = max(able | done, key=lambda name: len(near[name] & able))
        for name in sorted(able - near[pivot]):
            grow(group | {name}, able & near[name], done & near[name])
            able = able - {name}
            done = done | {name}

    grow(set(), set(names), set())
    position = {name: i for i, name in enumerate(names)}
    return sorted((g for g in found if len(g) > 1), key=lambda g: [position[name] for name in g])
