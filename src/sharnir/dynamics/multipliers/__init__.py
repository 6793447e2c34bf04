"""Constraint forces: A λ = b with A = C M⁻¹ Cᵀ (Delassus matrix), its paths, blocks and solvers."""
