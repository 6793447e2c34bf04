"""Random expressions in a few names, from a seed: sums, products, powers, quotients, waves, roots of what is positive."""

from __future__ import annotations

import numpy as np

from sharnir.symbolic.functions import cos, exp, sin, sqrt
from sharnir.symbolic.nodes import Name, Node, Number

NAMES = ("a", "b", "x", "y")


def values(seed: int) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    return dict(zip(NAMES, rng.uniform(0.3, 1.7, len(NAMES)), strict=True))


def polynomial_of_waves(seed: int, depth: int = 5) -> Node:
    """Sums and products of names, numbers, sines and cosines of sums of angles: what the canonical form decides."""
    rng = np.random.default_rng(seed)
    pool: list[Node] = [Name(name) for name in NAMES] + [Number(2), Number(0.5), Number(-3)]
    x, y = Name("x"), Name("y")
    pool += [sin(x), cos(x), sin(y - x), cos(2 * x + y), cos(y)]
    for _ in range(3 * depth):
        p, q = (pool[k] for k in rng.integers(len(pool), size=2))
        pool.append([p + q, p * q, p - q, -p][rng.integers(4)] if p.size + q.size < 60 else p)
    return pool[-1] + pool[-2] * pool[-3]


def expression(seed: int, depth: int = 6) -> Node:
    """The same with quotients, roots, powers and other functions."""
    rng = np.random.default_rng(seed)
    pool: list[Node] = [polynomial_of_waves(seed + k, 2) for k in range(4)]
    for _ in range(depth):
        p, q = (pool[k] for k in rng.integers(len(pool), size=2))
        pool.append([p / (3 + q * q), sqrt(1 + p * p), (1 + q * q) ** -2, p * q, exp(sin(p)), -p - q][rng.integers(6)])
    return pool[-1] * pool[-2] + pool[-3]
