"""3-D and 6-D algebra against NumPy."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sharnir.spatial import inertia, rotation, vector

RNG = np.random.default_rng(5)


def plain(function):
    """The Python source of a kernel function."""
    return getattr(function, "py_func", function)


def three():
    return tuple(RNG.normal(size=3))


def turn():
    """A rotation matrix as nine numbers."""
    Q, R = np.linalg.qr(RNG.normal(size=(3, 3)))
    Q = Q @ np.diag(np.sign(np.diag(R)))
    return tuple((Q * np.linalg.det(Q)).ravel())


def full(a):
    return np.array(a).reshape(3, 3)


def symmetric(S):
    xx, xy, xz, yy, yz, zz = S
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def six(A, B, C):
    return np.block([[symmetric(A), full(B)], [full(B).T, symmetric(C)]])


def same(found, expected, limit=1e-13):
    assert np.array(found, float) == pytest.approx(np.array(expected, float).reshape(np.shape(found)), abs=limit)


def test_vectors():
    a, b, G, H = three(), three(), turn(), turn()
    same(plain(vector.add)(a, b), np.add(a, b))
    same(plain(vector.sub)(a, b), np.subtract(a, b))
    same(plain(vector.scale)(a, 3.0), np.multiply(a, 3))
    same(plain(vector.dot)(a, b), np.dot(a, b))
    same(plain(vector.cross)(a, b), np.cross(a, b))
    same(plain(vector.rotate)(G, a), full(G) @ a)
    same(plain(vector.rotate_back)(G, a), full(G).T @ a)
    same(plain(vector.multiply)(G, H), (full(G) @ full(H)).ravel())
    same(plain(vector.multiply_back)(G, H), (full(G).T @ full(H)).ravel())
    same(plain(vector.transposed)(G), full(G).T.ravel())


def test_memory():
    m = np.arange(20.0)
    assert plain(vector.load3)(m, 2) == (2, 3, 4)
    assert plain(vector.load6)(m, 2) == tuple(range(2, 8))
    assert plain(vector.load9)(m, 2) == tuple(range(2, 11))
    for store, n in ((vector.store3, 3), (vector.store6, 6)):
        out = np.zeros(12)
        plain(store)(out, 2, tuple(range(1, n + 1)))
        assert out.tolist() == [0, 0, *range(1, n + 1), *(0,) * (10 - n)]


def test_symmetric_blocks():
    S, T, G, a, r = (tuple(RNG.normal(size=6)), tuple(RNG.normal(size=6)), turn(), three(), three())
    B = tuple(RNG.normal(size=9))
    same(plain(inertia.symmetric_times)(S, a), symmetric(S) @ a)
    same(symmetric(plain(inertia.symmetric_sum)(S, T)), symmetric(S) + symmetric(T))
    same(plain(inertia.symmetric_full)(S), symmetric(S).ravel())
    same(symmetric(plain(inertia.congruent)(G, S)), full(G).T @ symmetric(S) @ full(G))
    P = np.block([[np.eye(3), -skew(r)], [np.zeros((3, 3)), np.eye(3)]])
    I = inertia.Inertia(S, B, T)
    same(six(*plain(inertia.shifted)(I, r)), P.T @ six(*I) @ P)
    X = np.kron(np.eye(2), full(G)) @ P
    same(six(*plain(inertia.transformed)(I, G, r)), X.T @ six(*I) @ X)
    same(six(*plain(inertia.shifted_mass)(S, r)), P.T @ six(S, (0,) * 9, (0,) * 6) @ P)
    x, y = plain(inertia.inertia_times)(I, a, r)
    same((*x, *y), six(*I) @ np.array([*a, *r]))
    U = RNG.normal(size=6)
    same(six(*plain(inertia.without_direction)(I, tuple(U), 0.7)), six(*I) - 0.7 * np.outer(U, U))
    same(plain(inertia.full_sum)(B, B), np.multiply(B, 2))


def test_articulated_inertia_in_memory():
    numbers = RNG.normal(size=27)
    I = plain(inertia.load_articulated)(numbers, 0)
    out = np.zeros(30)
    plain(inertia.store_articulated)(out, 2, I)
    same(out[2:29], numbers)
    twice = plain(inertia.articulated_sum)(I, I)
    same(six(*twice[:3]), 2 * six(*I[:3]))
    same((*twice.f, *twice.m), 2 * numbers[21:])
    assert plain(inertia.inertia_of)(I) == plain(inertia.load_inertia)(numbers, 0)


def test_rigid_body():
    m, r, J = 2.0, three(), (3.0, 0.1, 0.2, 4.0, 0.3, 5.0)
    h = tuple(m * x for x in r)
    expected = np.block([[m * np.eye(3), -m * skew(r)], [m * skew(r), symmetric(J)]])
    same(six(*plain(inertia.rigid)(m, h, J, 0.0)), expected)


def test_rotation_about_an_axis():
    a = np.array(three())
    a /= np.linalg.norm(a)
    for angle in (0.0, 0.3, -2.0, 7.0):
        R = full(plain(rotation.axis_rotation)(tuple(a), angle))
        same(R @ R.T, np.eye(3))
        same(R @ a, a)
        assert np.trace(R) == pytest.approx(1 + 2 * math.cos(angle))
        assert R[2, 1] - R[1, 2] == pytest.approx(2 * math.sin(angle) * a[0])


def quaternions():
    """Generic ones, and those near every branch of the logarithm and of the square roots."""
    yield from (RNG.normal(size=4) for _ in range(20))
    for k in range(4):
        for small in (0.0, 1e-9, 1e-5):
            e = np.full(4, small)
            e[k] = 1.0
            yield e
    yield np.array([1.0, 1e-12, 0, 0])
    yield np.array([-1.0, 1e-3, 2e-3, 0])
    yield np.array([0.5, 0.5, 0.5, 0.5])
    yield np.array([-0.5, 0.5, -0.5, 0.5])


def test_quaternions():
    for e in quaternions():
        e = e / np.linalg.norm(e)
        R = full(plain(rotation.quaternion_rotation)(tuple(3.0 * e)))  # of any length
        same(R @ R.T, np.eye(3), 1e-15 * 8)
        w, u = e[0], e[1:]
        same(R, np.eye(3) + 2 * w * skew(u) + 2 * skew(u) @ skew(u))
        back = np.array(plain(rotation.quaternion_of)(tuple(R.ravel())))
        assert back[0] >= 0
        assert np.linalg.norm(back) == pytest.approx(1, abs=1e-15)
        assert min(np.abs(back - e).max(), np.abs(back + e).max()) < 1e-15


def test_quaternion_rate():
    """ė = ½ e ∘ (0, ω): the rotation turns with ω in body axes, Ṙ = R ω~."""
    e, om, h = np.array([0.5, -0.1, 0.7, 0.3]), np.array(three()), 1e-6
    e /= np.linalg.norm(e)
    rate = np.array(plain(rotation.quaternion_rate)(tuple(e), tuple(om)))
    R = [full(plain(rotation.quaternion_rotation)(tuple(e + s * h * rate))) for s in (-1, 0, 1)]
    same((R[2] - R[0]) / (2 * h), R[1] @ skew(om), 1e-9)
    assert rate @ e == pytest.approx(0, abs=1e-16)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-8, 1e-4, 0.01, 1.0, 3.0, math.pi - 1e-6, math.pi])
def test_rotation_vector(angle):
    a = np.array(three())
    a /= np.linalg.norm(a)
    e = np.array([math.cos(angle / 2), *(math.sin(angle / 2) * a)])
    for sign in (1, -1):
        phi = np.array(plain(rotation.rotation_vector)(tuple(sign * e)))
        if angle < math.pi:
            same(phi, angle * a, 1e-15 + 1e-9 * (angle > 3.1))
        assert np.linalg.norm(phi) == pytest.approx(angle, abs=1e-15)


@pytest.mark.parametrize("size", [1e-8, 5e-3, 9.9e-3, 1.01e-2, 0.5, 3.0])
def test_rate_of_the_rotation_vector(size):
    """φ̇ = (1 - ½ φ~ + k φ~²) ω with k from rotation_vector_slope, against differences; both sides of its series."""
    phi = np.array(three())
    phi *= size / np.linalg.norm(phi)
    om, h = np.array(three()), 1e-5
    k = plain(rotation.rotation_vector_slope)(tuple(phi))
    half = size / 2
    assert k == pytest.approx((1 - half / math.tan(half)) / size**2, rel=1e-6) if size > 1e-3 else k == pytest.approx(1 / 12)

    def after(s):
        d, angle = s * h * om, np.linalg.norm(s * h * om)
        turn = np.array([math.cos(angle / 2), *(0.5 * np.sinc(angle / 2 / np.pi) * d)])  # first, in the axes before the turn
        e = np.array([math.cos(size / 2), *(math.sin(size / 2) * phi / size)])
        w = turn[0] * e[0] - turn[1:] @ e[1:]
        u = turn[0] * e[1:] + e[0] * turn[1:] + np.cross(turn[1:], e[1:])
        return np.array(plain(rotation.rotation_vector)((w, *u)))

    rate = (after(1) - after(-1)) / (2 * h)
    same(rate, (np.eye(3) - 0.5 * skew(phi) + k * skew(phi) @ skew(phi)) @ om, 1e-8)
