"""Model + Tree → equations of motion as arrays and compiled kernels."""
