"""Expressions as a graph with shared nodes: formulas of users and equations of motion are both made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sharnir.symbolic.expression_algebra import (
        canonical,
        coefficients,
        collect,
        cross,
        derivative,
        determinant,
        dot,
        equal,
        evaluate,
        expression,
        jacobian,
        latex,
        names,
        operations,
        product,
        shared,
        simplify,
        solve,
        substitute,
        symbols,
        transpose,
    )

__all__ = [
    "canonical",
    "coefficients",
    "collect",
    "cross",
    "derivative",
    "determinant",
    "dot",
    "equal",
    "evaluate",
    "expression",
    "jacobian",
    "latex",
    "names",
    "operations",
    "product",
    "shared",
    "simplify",
    "solve",
    "substitute",
    "symbols",
    "transpose",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from sharnir.symbolic import expression_algebra

        return getattr(expression_algebra, name)
    raise AttributeError(f"module 'sharnir.symbolic' has no attribute {name!r}")
