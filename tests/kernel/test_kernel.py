"""Raw memory, vector lanes, elementary functions, calls by address: what all other kernels stand on."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sharnir.kernel import (
    LANES,
    Pointer,
    address,
    address_of,
    call_scalar,
    doubles,
    entry,
    inline,
    ints,
    lanes,
    shift,
    shift_address,
    sincos,
    sqrt,
)
from sharnir.kernel.signatures import SCALAR


@entry
def lane_numbers(x, y, out):
    """All the arithmetic that kernels use, on lanes and with scalars on both sides."""
    a, b, r = lanes(address(x))[0], lanes(address(y))[0], lanes(address(out))
    r[0] = a + b
    r[1] = a - b
    r[2] = a * b
    r[3] = a / b
    r[4] = -a
    r[5] = 2.0 * a + 1
    r[6] = 3 - a * 2
    r[7] = 1.0 / b
    r[8] = sqrt(a * a)
    r[8] += b
    r[9] = a
    r[9] -= 0.5
    s, c = sincos(a)
    r[10] = s
    r[11] = c


@entry
def sines(x, s, c):
    a, u, v = doubles(address(x)), doubles(address(s)), doubles(address(c))
    for k in range(x.size):
        u[k], v[k] = sincos(a[k])


@entry
def lane_sines(x, s, c):
    a, u, v = lanes(address(x)), lanes(address(s)), lanes(address(c))
    for k in range(x.size // LANES):
        u[k], v[k] = sincos(a[k])


@entry
def walk(x, n, out):
    """Shifted views and addresses see the same memory."""
    m, k = doubles(address(x)), ints(address(n))
    o = shift(doubles(address(out)), 1)
    o[0] = shift(m, 2)[1]
    o[1] = doubles(shift_address(address(x), 3))[0]
    o[2] = doubles(address_of(m, 4))[0]
    o[3] = m[k[1]]


@entry
def call(f, x, y, z):
    return call_scalar(f, x, y, z)


def test_lane_arithmetic():
    rng = np.random.default_rng(1)
    x, y, out = rng.normal(size=LANES), rng.uniform(1, 2, LANES), np.zeros((12, LANES))
    lane_numbers(x, y, out)
    expected = [x + y, x - y, x * y, x / y, -x, 2 * x + 1, 3 - 2 * x, 1 / y, np.abs(x) + y, x - 0.5, np.sin(x), np.cos(x)]
    for row, wanted in zip(out, expected, strict=True):
        assert row == pytest.approx(wanted, rel=4e-16, abs=2e-16)


def test_memory():
    x, out = np.arange(10.0, 20.0), np.zeros(6)
    walk(x, np.array([0, 7]), out)
    assert out.tolist() == [0, 13, 13, 14, 17, 0]


@pytest.mark.parametrize("size", [1e-300, 1e-8, 1.0, 10.0, 1e3, 1e6, 1e9])
def test_sincos(size):
    """To rounding for angles of many turns: a wheel that has run for years is no excuse."""
    rng = np.random.default_rng(2)
    x = rng.uniform(-size, size, 8000)
    x[:5] = 0.0, size, -size, size / 3, 0.5 * size
    for kernel in (sines, lane_sines):
        s, c = np.zeros_like(x), np.zeros_like(x)
        kernel(x, s, c)
        limit = 2.5e-16 if size <= 1e6 else 4e-16
        assert np.abs(s - [math.sin(a) for a in x]).max() <= limit
        assert np.abs(c - [math.cos(a) for a in x]).max() <= limit
        assert np.abs(s * s + c * c - 1).max() < 5e-16


def test_sincos_at_quarter_turns():
    """Next to multiples of π/2 the small one of the two must keep its digits, and the quadrants their signs."""
    x = np.array([k * math.pi / 2 + d for k in range(-40, 40) for d in (-1e-9, 0.0, 1e-9, 0.7)])
    s, c = np.zeros_like(x), np.zeros_like(x)
    sines(x, s, c)
    assert s == pytest.approx(np.array([math.sin(a) for a in x]), rel=1e-9, abs=1e-22)
    assert np.abs(s - np.sin(x)).max() < 2.5e-16
    assert np.abs(c - np.cos(x)).max() < 2.5e-16
    assert (np.sign(s) == np.sign(np.sin(x))).all()


def test_sincos_of_nothing():
    x = np.array([np.nan, np.inf, -np.inf])
    s, c = np.zeros(3), np.zeros(3)
    sines(x, s, c)
    assert np.isnan(s).all()
    assert np.isnan(c).all()
    x, s, c = np.array([0.0]), np.ones(1), np.zeros(1)
    sines(x, s, c)
    assert (s[0], c[0]) == (0.0, 1.0)


def test_pointers_meet_kernels():
    pointer = Pointer(lambda x, y, z: x * y + z, SCALAR, False)
    assert call(pointer.address, 2.0, 3.0, 4.0) == 10.0
    assert call(pointer.address, -1.0, 3.0, 0.5) == -2.5  # the same address again, compiled once


@inline
def sum_and_difference(a, b):
    return a + b, a - b


@inline
def twice(a, b):
    x, y = sum_and_difference(a, b)
    return sum_and_difference(x, y)


@entry
def twice_compiled(a, b):
    return twice(a, b)


def test_inlined_functions_can_be_called_from_python():
    """They have no compiled wrapper; their source runs instead, with the functions that it calls."""
    assert twice(3.0, 1.0) == twice_compiled(3.0, 1.0) == (6.0, 2.0)
