"""Sparse Cholesky factorization of large stiffness matrices (decision 20: why a second one), and the eigenvalues behind it."""
