"""Parameters of a model, and elements with formulas of them in the place of numbers."""
