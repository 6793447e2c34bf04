"""The slider-crank with an elastic rod of the IVP Test Set (B. Simeon; crank.f): its equations by hand, and its model.

Places of the rod's points are L1 (cos φ1, sin φ1) + R(φ2) (x + u, w) with w = q1 sin(πξ) + q2 sin(2πξ), ξ = x/L2, and
u = 4ξ(1-ξ) q3 + ξ(2ξ-1) q4. The test set's mass of q3, q4 lacks a factor 1/15, and its π has eight digits: `literal` keeps both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

import sharnir as sr
from sharnir.flexible import Material, Section, reduce, straight_beam
from sharnir.flexible.inertia.inertia_moments import InertiaMoments
from sharnir.flexible.inertia.modal_inertia import ModalInertia
from sharnir.flexible.reduced_model import ReducedModel

M2, M3, L1, L2 = 0.151104, 0.075552, 0.15, 0.3
J1, J2, E, SIDE, DENSITY, OMEGA = 0.002727, 0.0045339259, 2e11, 0.008, 7870.0, 150.0
CRUDE_PI = 3.1415927
DAMPING = np.zeros((4, 4))
DAMPING[0, 0], DAMPING[1, 1], DAMPING[2, 2], DAMPING[3, 3] = 5.0, 25.0, 0.5 * 2.308375455264791e2, 0.5 * 4.217421837156818e2
DAMPING[2, 3] = DAMPING[3, 2] = -0.5 * 2.62688487992052e2


@dataclass(frozen=True)
class Rod:
    """Constant matrices; c1, c2, c12, c21, B already times the density."""

    literal: bool = True
    damping: bool = False

    @property
    def pi(self) -> float:
        return CRUDE_PI if self.literal else np.pi

    @property
    def mass(self) -> np.ndarray:
        M = np.zeros((4, 4))
        M[0, 0] = M[1, 1] = 0.5 * M2
        M[2:, 2:] = M2 * np.array([[8.0, 1.0], [1.0, 2.0]]) / (1.0 if self.literal else 15.0)
        return M

    @property
    def stiffness(self) -> np.ndarray:
        axial = E * SIDE**2 / L2
        K = np.zeros((4, 4))
        K[0, 0] = axial * self.pi**4 / 24.0 * (SIDE / L2) ** 2
        K[1, 1] = 16.0 * K[0, 0]
        K[2:, 2:] = axial / 3.0 * np.array([[16.0, -8.0], [-8.0, 7.0]])
        return K

    @property
    def integrals(self) -> dict[str, np.ndarray]:
        """∫ dm of u, w, x u, x w, and B with qᵀ B q' = ∫ (u w' - w u') dm."""
        pi, B = self.pi, np.zeros((4, 4))
        B[0, 2], B[0, 3], B[1, 3] = -16.0 / pi**3, 8.0 / pi**3 - 1.0 / pi, 1.0 / (2.0 * pi)
        return {
            "c1": M2 * np.array([0.0, 0.0, 2.0 / 3.0, 1.0 / 6.0]),
            "c2": M2 * np.array([2.0 / pi, 0.0, 0.0, 0.0]),
            "c12": M2 * L2 * np.array([0.0, 0.0, 1.0 / 3.0, 1.0 / 6.0]),
            "c21": M2 * L2 * np.array([1.0 / pi, -1.0 / (2.0 * pi), 0.0, 0.0]),
            "B": M2 * (B - B.T),
        }

    def equations(self, p: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """A, F, G, Ġ v of A a + Gᵀ λ = F, G a + Ġ v = 0 in the coordinates (φ1, φ2, x3, q1 … q4)."""
        I, MQ, (f1, f2), (v1, v2), q, r = self.integrals, self.mass, p[:2], v[:2], p[3:], v[3:]
        c1, c2, s, c = I["c1"], I["c2"], np.sin(f1 - f2), np.cos(f1 - f2)
        A = np.zeros((7, 7))
        A[0, 0], A[2, 2] = J1 + M2 * L1**2, M3
        A[0, 1] = A[1, 0] = 0.5 * L1 * L2 * M2 * c + L1 * (s * c2 @ q + c * c1 @ q)
        A[1, 1] = J2 + q @ MQ @ q + 2.0 * I["c12"] @ q
        A[0, 3:] = A[3:, 0] = L1 * (-s * c1 + c * c2)
        A[1, 3:] = A[3:, 1] = I["c21"] + q @ I["B"]
        A[3:, 3:] = MQ
        F = np.zeros(7)
        F[0] = (
            -0.5 * L1 * L2 * M2 * v2**2 * s + L1 * v2**2 * (-s * c1 @ q + c * c2 @ q) - 2.0 * L1 * v2 * (c * c1 @ r + s * c2 @ r)
        )
        F[1] = 0.5 * L1 * L2 * M2 * v1**2 * s + L1 * v1**2 * (s * c1 @ q - c * c2 @ q)
        F[1] -= 2.0 * v2 * I["c12"] @ r + 2.0 * v2 * r @ MQ @ q + r @ I["B"] @ r
        F[3:] = v2**2 * MQ @ q + v2**2 * I["c12"] + L1 * v1**2 * (c * c1 + s * c2) + 2.0 * v2 * I["B"] @ r - self.stiffness @ q
        if self.damping:
            F[3:] -= DAMPING @ r
        length, (sin1, sin2), (cos1, cos2) = L2 + q[3], np.sin(p[:2]), np.cos(p[:2])
        G = np.zeros((3, 7))
        G[0, :2], G[0, 6] = (L1 * cos1, length * cos2), sin2
        G[1, :3], G[1, 6] = (L1 * sin1, length * sin2, 1.0), -cos2
        G[2, 0] = 1.0
        turning = 2.0 * r[3] * v2 * np.array([cos2, sin2])
        curving = np.array([-L1 * sin1 * v1**2 - length * sin2 * v2**2, L1 * cos1 * v1**2 + length * cos2 * v2**2])
        return A, F, G, np.concatenate([turning + curving, [0.0]])

    def accelerations(self, p: np.ndarray, v: np.ndarray) -> np.ndarray:
        """(7,) and the multipliers (3,)."""
        A, F, G, bias = self.equations(p, v)
        return np.linalg.solve(np.block([[A, G.T], [G, np.zeros((3, 3))]]), np.concatenate([F, -bias]))

    def consistent(self, p: np.ndarray, v: np.ndarray) -> np.ndarray:
        """The speeds projected onto G v = (0, 0, Ω), weighted by mass."""
        A, _, G, _ = self.equations(p, v)
        X = np.linalg.solve(A, G.T)
        return v - X @ np.linalg.solve(G @ X, G @ v - np.array([0.0, 0.0, OMEGA]))

    def reduced(self) -> ReducedModel:
        """The rod as a flexible body; its frame is the chord, so the rotation of the end A is left out (it is a pin)."""
        x, u, w = 1, (None, None, 10, 13), (5, 8)  # rows of the fields 1, x, y, z, then three components of each shape
        gram, I = np.zeros((16, 16)), self.integrals
        gram[0, 0], gram[0, x], gram[x, x], gram[2, 2] = M2, 0.5 * M2 * L2, M2 * L2**2 / 3.0, J2 - M2 * L2**2 / 3.0
        for i in range(4):
            at, one, moment = (w[i], "c2", "c21") if i < 2 else (u[i], "c1", "c12")
            gram[0, at], gram[x, at] = I[one][i], I[moment][i]
            for k in range(i, 4):
                other = w[k] if k < 2 else u[k]
                gram[at, other] = -I["B"][i, k] if i < 2 <= k else self.mass[i, k]
        gram = np.triu(gram) + np.triu(gram, 1).T
        moments = InertiaMoments(np.einsum("bd,fg->bdfg", np.eye(3), gram), np.zeros((3, 3, 16, 13)), np.zeros((3, 3, 13, 13)))
        given = ritz()
        ends = {name: replace(end, shape=np.zeros((6, 4))) for name, end in given.interfaces.items()}
        ends["B"].shape[0, 3], ends["B"].shape[5, :2] = 1.0, self.pi / L2 * np.array([-1.0, 2.0])
        damping = DAMPING if self.damping else None
        inertia = ModalInertia.of_moments(moments)
        return replace(given, stiffness=self.stiffness, moments=moments, inertia=inertia, interfaces=ends, damping=damping)


def ritz(elements: int = 40) -> ReducedModel:
    """The rod from beam elements, with the shapes given by formulas."""
    beam = straight_beam((0, 0, 0), (L2, 0, 0), Section.rectangle(SIDE, SIDE), Material(E, 0.3, DENSITY), elements=elements)
    bending = [(f"-y*{k}*pi/L*cos({k}*pi*x/L)", f"sin({k}*pi*x/L)", "0") for k in (1, 2)]
    stretching = [("4*x/L*(1-x/L)", "0", "0"), ("x/L*(2*x/L-1)", "0", "0")]
    return reduce(beam, {"A": 0, "B": elements}, shapes=bending + stretching, parameters={"L": L2})


def model(rod: Rod, p: np.ndarray, v: np.ndarray) -> sr.Model:
    """The mechanism, crank and rod stretched along x; consistent speeds."""
    m = sr.Model("elastic slider-crank", gravity=(0.0, 0.0, 0.0))
    m.add(sr.Body("crank", mass=0.36, inertia=(J1, J1, J1)), sr.Revolute("O", "ground", "crank", axis="z", motion=f"{OMEGA}*t"))
    m.add(sr.FlexibleBody("rod", reduced=rod.reduced(), position=(L1, 0.0, 0.0), w=p[3:], xi=v[3:]))
    m.add(sr.Revolute("A", "crank", "rod:A", at=(L1, 0.0, 0.0), axis="z", q=p[1], v=v[1] - v[0]))
    m.add(sr.Body("slider", mass=M3, inertia=(1e-4, 1e-4, 1e-4), position=(L1 + L2, 0.0, 0.0)))
    m.add(sr.Prismatic("S", "ground", "slider", axis="x", q=p[2] - L1 - L2, v=v[2]))
    m.add(sr.Revolute("B", "rod:B", "slider", at=(L1 + L2, 0.0, 0.0), axis="z"))
    return m
