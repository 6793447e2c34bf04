"""Formulas written by users: read by our own parser, never by Python's."""

from sharnir.model.formula.expression import Expression
from sharnir.model.formula.parser import parse
from sharnir.symbolic.functions import FUNCTIONS

__all__ = ["FUNCTIONS", "Expression", "parse"]
