"""Parameters of a model, and elements with formulas of them in place of numbers."""
