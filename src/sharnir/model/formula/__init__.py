"""Formulas written by users: read by our own parser, never by Python's."""

from sharnir.model.formula.expression import Expression
from sharnir.model.formula.functions import FUNCTIONS
from sharnir.model.formula.parser import parse

__all__ = ["FUNCTIONS", "Expression", "parse"]
