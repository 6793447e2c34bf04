"""Sparse Cholesky factorization of large stiffness matrices (decision 20 says why there are two), and Lanczos' method."""
