"""What implicit integrators share: LU factorization, difference Jacobian, simplified Newton iteration."""
