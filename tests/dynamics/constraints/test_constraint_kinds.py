"""Every kind of constraint: ġ is the derivative of g, C is that of ġ by the speeds, C v̇ + bias is the derivative of ġ."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr
from constrained_mechanisms import FORMULATIONS, KINDS, constrained, four_bar, general_state
from sharnir.dynamics.evaluation import python_entries as observation
from sharnir.dynamics.evaluation.constrained_right_hand_side import PROJECTION
from sharnir.dynamics.memory import layout as L


class Equations:
    """The constraint equations of a system at any state, without corrections."""

    def __init__(self, system):
        self.s, self.table = system, system.table.copy()
        self.table[L.CORRECT_POSITION] = self.table[L.CORRECT_SPEED] = 0
        self.work = system.work.copy()
        self.m = int(self.table[L.N_ROW])

    def at(self, t, q, v):
        """g, ġ and bias."""
        y = np.concatenate([q, v, self.s.z0])
        observation.call_once(PROJECTION.address, t, y, np.zeros(8), self.table, self.s.params, self.work)
        return [self.work[self.table[k] :][: self.m].copy() for k in (L.W_G, L.W_GDOT, L.W_ROW_BIAS)]

    def blocks(self):
        """(equation, target, 6 numbers) of the last evaluation."""
        for x in range(int(self.table[L.N_ELEMENT])):
            e = self.table[self.table[L.T_ELEMENT] + x * L.T_ELEMENT_SIZE :][: L.T_ELEMENT_SIZE]
            terms = self.table[e[L.E_TERM] :][: 2 * e[L.E_TERMS] : 2]
            for r in range(e[L.E_COUNT]):
                for k, target in enumerate(terms):
                    yield e[L.E_ROW] + r, int(target), self.work[e[L.E_JACOBIAN] + (r * len(terms) + k) * 6 :][:6]

    def jacobian(self):
        """C, from blocks on bodies and on speeds."""
        C = np.zeros((self.m, self.s.n_v))
        for row, target, J in self.blocks():
            if target >= 0:
                pose = self.work[self.table[L.W_POSE] + target * L.W_POSE_SIZE :][:12]
                R, B = pose[:9].reshape(3, 3), np.zeros((6, self.s.n_v))
                observation.point_jacobian(target, *pose[9:].tolist(), B, self.table, self.work)
                C[row] += J[:3] @ R.T @ B[:3] + J[3:] @ R.T @ B[3:]
            elif target < -1:
                C[row, -2 - target] += J[0]
        return C

    def acceleration(self, t, q, v, vdot):
        """C v̇ + bias, from accelerations of bodies."""
        bias = self.at(t, q, v)[2]
        observation.inverse_dynamics_at(t, q, v, vdot, True, False, np.zeros(self.s.n_v), self.table, self.s.params, self.work)
        for row, target, J in self.blocks():
            if target >= 0:
                bias[row] += J @ self.work[self.table[L.W_BODY] + target * L.W_BODY_SIZE + L.ACC :][:6]
            elif target == -1:
                bias[row] -= J[:3] @ self.s.params[:3]
            else:
                bias[row] += J[0] * vdot[-2 - target]
        return bias

    def moved(self, q, v, vdot, h):
        """Coordinates and speeds a time h later, to second order."""
        rates = np.zeros(self.s.n_q)
        observation.evaluate_rates(q, v, rates, self.table, self.s.params)
        middle = q + 0.5 * h * rates
        observation.evaluate_rates(middle, v + 0.5 * h * vdot, rates, self.table, self.s.params)
        return q + h * rates, v + h * vdot


def holonomic(system):
    """Which equations hold for positions."""
    elements = system.assembly.elements
    return np.concatenate([np.arange(e.count) < (e.count if e.holonomic is None else e.holonomic) for e in elements])


def assert_derivatives(system, limit=5e-9, h=1e-5):
    """At the system's initial state, which is consistent, with accelerations that are not."""
    rng, eq = np.random.default_rng(5), Equations(system)
    t, q, v = 0.0, system.q0.copy(), system.v0.copy()
    vdot, dv = rng.normal(size=system.n_v), rng.normal(size=system.n_v)
    g, gdot, _ = eq.at(t, q, v)
    assert np.abs(g).max() < 1e-9
    assert np.abs(gdot).max() < 1e-9
    C = eq.jacobian()
    after, before = (eq.at(t + x, *eq.moved(q, v, vdot, x)) for x in (h, -h))
    own = system.assembly.elements[-1]  # rows of cut joints may be empty: loops in a plane
    assert np.abs(C[own.row :]).max(axis=1).min() > 1e-3
    position = holonomic(system)
    assert ((after[0] - before[0]) / (2 * h))[position] == pytest.approx(gdot[position], abs=limit)
    faster, slower = (eq.at(t, q, v + x * dv)[1] for x in (1e-4, -1e-4))
    assert (faster - slower) / 2e-4 == pytest.approx(C @ dv, abs=1e-10, rel=1e-9)
    expected = eq.acceleration(t, q, v, vdot)
    assert (after[1] - before[1]) / (2 * h) == pytest.approx(expected, abs=limit * (1 + np.abs(expected).max()))


@pytest.mark.parametrize("moving_ground", [False, True])
@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_derivatives(kind, formulation, moving_ground):
    m = constrained(kind, moving_ground)
    assert_derivatives(general_state(m, formulation))


CUT = {
    "gear": sr.Gear("x", "C", "P", ratio=0.4),
    "formula": sr.Constraint("x", "B.q*P.q + k*sin(C.q)*(1 + A.q) + 0.1*O.q"),
    "nonholonomic": sr.Constraint("x", "P.v - 0.3*C.v*cos(B.q) + 0.1*A.v"),
}


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("name", CUT)
def test_coordinates_of_cut_joints(name, formulation):
    """Some of O, A, B, C is cut in the joint formulation, all of them in the absolute one."""
    s = general_state(four_bar(CUT[name], v=0.0), formulation)
    assert s.tree.cuts
    assert_derivatives(s)
