"""The mutation operators: mutmut's, without near-duplicates, and a few of our own.

mutmut itself mutates only the bodies of undecorated functions. Here almost every function is decorated, and the
decorator's arguments (range, direction, rule for K) matter as much as the formula. So we take only mutmut's operators,
and apply them to all code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import libcst as cst
import libcst.matchers as m
from mutmut.mutation import mutators

__all__ = ["mutations"]


def _both_ways(*pairs: tuple[str, str]) -> dict[str, str]:
    return {a: b for pair in pairs for a, b in (pair, pair[::-1])}


#: Names that are easily mistaken for each other.
_OPPOSITE_NAMES = _both_ways(
    ("min", "max"),
    ("minimum", "maximum"),
    ("any", "all"),
    ("isnan", "isinf"),
    ("smallest", "largest"),
    ("within", "between"),
    ("n_within", "n_between"),
    ("row_sums", "col_sums"),
    ("yn", "ny"),
    ("yy", "nn"),
    ("joined_true", "joined_pred"),
    ("agreeing", "disagreeing"),
    ("entropy_true", "entropy_pred"),
    ("true_given_pred", "pred_given_true"),
    ("true_counts", "predicted_counts"),
    ("right_wrong", "wrong_right"),
    ("both_right", "both_wrong"),
    ("s_plus", "s_minus"),
    ("plus", "minus"),
) | {"inf": "1.0"}
_OPPOSITE_TEXTS = _both_ways(
    ("higher", "lower"), ("min", "max"), ("min_diff", "max_diff"), ("max_rise", "max_drop")
)


def _name(node: cst.Name) -> Iterator[cst.CSTNode]:
    if node.value in _OPPOSITE_NAMES:
        yield cst.parse_expression(_OPPOSITE_NAMES[node.value])


def _string(node: cst.SimpleString) -> Iterator[cst.CSTNode]:
    """Yield the opposite if there is one, else a single change; mutmut would also change the case."""
    opposite = _OPPOSITE_TEXTS.get(str(node.evaluated_value))
    if opposite:
        yield node.with_changes(value=repr(opposite))
    else:
        yield from list(mutators.operator_string(node))[:1]


#: As a type, None also means float64, so replacing it changes nothing.
_AS_FLOATS = m.Call(m.Attribute(attr=m.Name("astype")), [m.Arg(m.Attribute(attr=m.Name("float64")))])


def _arguments(node: cst.Call) -> Iterator[cst.CSTNode]:
    """Drop a keyword argument, or replace a positional one by None; mutmut does both to both."""
    if m.matches(node.func, m.Name("isinstance") | m.Name("len")):
        return
    if m.matches(node, _AS_FLOATS):
        return
    kept = list(mutators.operator_arg_removal(node))
    for mutated in kept:
        shortened = len(mutated.args) < len(node.args)
        changed = next(a for a, b in zip(node.args, [*mutated.args, None], strict=False) if a is not b)
        if shortened == (changed.keyword is not None) or len(node.args) == 1:
            yield mutated


def _condition(node: cst.If) -> Iterator[cst.CSTNode]:
    """Negate a condition that no other operator negates."""
    negated_elsewhere = m.UnaryOperation(operator=m.Not()) | m.Comparison(
        comparisons=[m.ComparisonTarget(m.Equal() | m.NotEqual() | m.Is() | m.IsNot() | m.In() | m.NotIn())]
    )
    if not m.matches(node.test, negated_elsewhere):
        test = node.test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        yield node.with_changes(test=cst.UnaryOperation(cst.Not(), test))


_REPLACED = {mutators.operator_string, mutators.operator_arg_removal}
_OPERATORS: list[tuple[type, Callable[[Any], Iterable[cst.CSTNode]]]] = [
    *((kind, operator) for kind, operator in mutators.mutation_operators if operator not in _REPLACED),
    (cst.Name, _name),
    (cst.SimpleString, _string),
    (cst.Call, _arguments),
    (cst.If, _condition),
]


def mutations(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield the nodes that may replace a node."""
    for kind, operator in _OPERATORS:
        if isinstance(node, kind):
            yield from operator(node)
