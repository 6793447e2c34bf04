"""Expressions as a graph with shared nodes: formulas of users and equations of motion are both made of it."""
