"""Stiffness and mass of straight two-node beams, many at once, in their local axes.

Shape functions of the static Timoshenko beam (Friedman and Kosmatka 1993) with the shear parameter Φ = 12 E I / (k G A L²); Φ = 0
gives Hermite's cubics of the Euler–Bernoulli beam. Freedoms of an element: x y z rx ry rz of node 1, then of node 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# freedoms (shift, rotation, shift, rotation) of bending in the x-y plane and in the x-z plane
PLANE_Y = np.array([1, 5, 7, 11])
PLANE_Z = np.array([2, 4, 8, 10])
GAUSS = np.polynomial.legendre.leggauss(4)  # exact for the products of two cubics


@dataclass(frozen=True)
class BeamProperties:
    """(e,) arrays of every element.

    Length, stiffnesses E A, E Iy, E Iz, G J, shear parameters, mass per length, rotary inertias.
    """

    length: np.ndarray
    EA: np.ndarray
    EIy: np.ndarray
    EIz: np.ndarray
    GJ: np.ndarray
    phi_y: np.ndarray  # bending in x-y: shear along y, moment about z
    phi_z: np.ndarray
    line_mass: np.ndarray
    rotary_x: np.ndarray  # ρ (Iy + Iz)
    rotary_y: np.ndarray  # ρ Iy
    rotary_z: np.ndarray


def stiffness(beam: BeamProperties) -> np.ndarray:
    """(e, 12, 12) stiffness in local axes."""
    K = np.zeros((len(beam.length), 12, 12))
    _add_bar(K, 0, beam.EA / beam.length)
    _add_bar(K, 3, beam.GJ / beam.length)
    for plane, EI, phi, sign in ((PLANE_Y, beam.EIz, beam.phi_y, 1.0), (PLANE_Z, beam.EIy, beam.phi_z, -1.0)):
        block = bending_stiffness(beam.length, EI, phi)
        K[:, plane[:, None], plane[None, :]] += block * _signs(sign)
    return K


def bending_stiffness(L: np.ndarray, EI: np.ndarray, phi: np.ndarray) -> np.ndarray:
    """(e, 4, 4) of (w₁, θ₁, w₂, θ₂) with θ the slope; Przemieniecki (1968), equation 5.116."""
    factor = EI / (L**3 * (1 + phi))
    one = np.ones_like(L)
    near, far = (4 + phi) * L**2, (2 - phi) * L**2
    rows = [
        [12 * one, 6 * L, -12 * one, 6 * L],
        [6 * L, near, -6 * L, far],
        [-12 * one, -6 * L, 12 * one, -6 * L],
        [6 * L, far, -6 * L, near],
    ]
    return np.moveaxis(np.array(rows), 2, 0) * factor[:, None, None]


def consistent_mass(beam: BeamProperties) -> np.ndarray:
    """(e, 12, 12) mass of the shape functions that made the stiffness, in local axes."""
    M = np.zeros((len(beam.length), 12, 12))
    for first, density in ((0, beam.line_mass), (3, beam.rotary_x)):
        block = np.array([[2.0, 1.0], [1.0, 2.0]]) / 6 * (density * beam.length)[:, None, None]
        M[:, [[first], [first + 6]], [[first, first + 6]]] += block
    for plane, phi, rotary, sign in ((PLANE_Y, beam.phi_y, beam.rotary_z, 1.0), (PLANE_Z, beam.phi_z, beam.rotary_y, -1.0)):
        block = bending_mass(beam.length, phi, beam.line_mass, rotary)
        M[:, plane[:, None], plane[None, :]] += block * _signs(sign)
    return M


def bending_mass(L: np.ndarray, phi: np.ndarray, line_mass: np.ndarray, rotary: np.ndarray) -> np.ndarray:
    """(e, 4, 4): ∫ (ρA Nᵀ N + ρI Nθᵀ Nθ) dx."""
    M = np.zeros((len(L), 4, 4))
    for point, weight in zip(*GAUSS, strict=True):
        w, theta = shapes((1 + point) / 2, L, phi)
        half = weight * L / 2
        M += (half * line_mass)[:, None, None] * w[:, :, None] * w[:, None, :]
        M += (half * rotary)[:, None, None] * theta[:, :, None] * theta[:, None, :]
    return M


def shapes(s: float, L: np.ndarray, phi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(e, 4) deflection and (e, 4) rotation of the section at x = s L; Friedman and Kosmatka (1993), equations 19 and 20."""
    d = 1 / (1 + phi)
    w = [
        d * (2 * s**3 - 3 * s**2 - phi * s + 1 + phi),
        d * L * (s**3 - (2 + phi / 2) * s**2 + (1 + phi / 2) * s),
        -d * (2 * s**3 - 3 * s**2 - phi * s),
        d * L * (s**3 - (1 - phi / 2) * s**2 - phi / 2 * s),
    ]
    theta = [
        6 * d / L * (s**2 - s),
        d * (3 * s**2 - (4 + phi) * s + 1 + phi),
        -6 * d / L * (s**2 - s),
        d * (3 * s**2 - (2 - phi) * s),
    ]
    return np.stack(w, axis=1), np.stack(theta, axis=1)


def lumped_mass(beam: BeamProperties) -> np.ndarray:
    """(e, 12, 12) diagonal: half of the mass and of the rotary inertia of the section in each node."""
    M = np.zeros((len(beam.length), 12, 12))
    half = beam.length / 2
    for density, rows in ((beam.line_mass, (0, 1, 2)), (beam.rotary_x, (3,)), (beam.rotary_y, (4,)), (beam.rotary_z, (5,))):
        for row in rows:
            M[:, row, row] = M[:, row + 6, row + 6] = density * half
    return M


def _signs(sign: float) -> np.ndarray:
    """In the x-z plane a positive rotation about y lowers z: θ = -ry."""
    signs = np.array([1.0, sign, 1.0, sign])
    return signs[:, None] * signs[None, :]


def _add_bar(K: np.ndarray, first: int, value: np.ndarray) -> None:
    K[:, [[first], [first + 6]], [[first, first + 6]]] += np.array([[1.0, -1.0], [-1.0, 1.0]]) * value[:, None, None]
