"""Equations of cut joints and constraints: residual, rate, Jacobian, bias."""
