"""Sparse Cholesky factorization of large stiffness matrices, and the eigenvalues behind it."""
