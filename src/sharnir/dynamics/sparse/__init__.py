"""Block-sparse Cholesky of the multiplier matrix G M⁻¹ Gᵀ: order, plan, factors, solution (decision 20: why a second one)."""
