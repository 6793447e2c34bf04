"""The slider-crank of Gevorkian 2020 with an elastic rod: as a model, and by Lagrange's equations written out by hand.

Coordinates s (slider), θ (tangent of the rod at A2), w (displacement of A3), ψ (crank, from A3 to A4), two closing equations.
A point of the rod is (s, 0) + x e₁(θ) + φ(x) w e₂(θ). Beam elements interpolate velocities along the rod linearly, also the
part -θ̇ φ w that comes from turning; φ there is the broken line through the nodes, φ itself with many elements. The motion of the
centre of mass has the momentum that it must have (`ModalInertia.balanced`).
"""

import math

import numpy as np
from numpy.polynomial import Polynomial

import sharnir as sr
from sharnir.flexible import Material, Section, reduce, straight_beam

SLIDER, ROD, CRANK, RADIUS, DENSITY, YOUNG = 0.1, 0.35, 0.15, 3e-3, 7800.0, 200e9
AREA, SECOND = math.pi * RADIUS**2, math.pi * RADIUS**4 / 4
PERIOD = 2 * math.pi / 100
CUBIC = (0.0, 0.0, 1.5, -0.5)  # φ of ξ = x/l: a force at the end of a cantilever; beam elements hold it exactly


def start():
    """θ, ψ and their rates at q₁ = 0, q̇₁ = 12 m/s."""
    theta = math.acos((0.35**2 + ROD**2 - CRANK**2) / (2 * 0.35 * ROD))
    psi = math.atan2(-ROD * math.sin(theta), 0.35 - ROD * math.cos(theta))
    J = [[-ROD * math.sin(theta), -CRANK * math.sin(psi)], [ROD * math.cos(theta), CRANK * math.cos(psi)]]
    return (theta, psi, *np.linalg.solve(J, (-12.0, 0.0)))


def slider_crank(young=YOUNG, damping=None, motion="0.12*sin(100*t)", cut=True, elements=4):
    """The model; cut=False leaves the crank's bearing out, so that there is no loop."""
    theta, psi, w2, w3 = start()
    end = (ROD * math.cos(theta), ROD * math.sin(theta), 0.0)
    m = sr.Model("slider-crank", gravity=(0, 0, 0))
    m.add(sr.Body("slider", mass=SLIDER, inertia=(1e-5, 1e-5, 1e-5)))
    m.add(sr.Prismatic("S", "ground", "slider", axis="x", **({"motion": motion} if motion else {"v": 12.0})))
    steel = Material(young, 0.3, DENSITY)
    beam = straight_beam((0, 0, 0), (ROD, 0, 0), Section.round(RADIUS), steel, elements=elements, theory="euler", rotary=False)
    shape = ("-y*(3*x/l^2 - 1.5*x^2/l^3)", "1.5*x^2/l^2 - 0.5*x^3/l^3", "0")
    options = {} if damping is None else {"damping": damping}
    rod = reduce(beam, interfaces={"A2": 0, "A3": elements}, shapes=[shape], parameters={"l": ROD}, **options)
    m.add(sr.FlexibleBody("rod", reduced=rod, rotation=sr.rotation_about("z", theta)))
    m.add(sr.Revolute("A2", "slider", "rod:A2", at=(0, 0, 0), axis="z", v=w2))
    mass = DENSITY * AREA * CRANK
    inertia = (mass * RADIUS**2 / 2, mass * CRANK**2 / 12, mass * CRANK**2 / 12)
    turn = sr.rotation_about("z", psi)
    m.add(sr.Body("crank", mass=mass, com=(CRANK / 2, 0, 0), inertia=inertia, position=end, rotation=turn))
    m.add(sr.Revolute("A3", "rod:A3", "crank", at=end, axis="z", v=w3 - w2))
    if cut:
        m.add(sr.Revolute("A4", "ground", "crank", at=(0.35, 0, 0), axis="z"))
    return m


def integrals(elements=None):
    """m, ∫μφ, ∫μxφ, ∫μφ², EI∫φ''² of the rod, and ∫μφ, ∫μφ² along it.

    The latter with the broken line through the nodes of `elements`, but for the motion of the centre of mass, which is exact.
    """
    f, x, mu = Polynomial(CUBIC), Polynomial((0.0, 1.0)), DENSITY * AREA

    def total(p):
        return float(p.integ()(1.0))

    along = total(f), total(f * f)
    if elements is not None:
        y = f(np.linspace(0.0, 1.0, elements + 1))
        broken = float((y[1:] + y[:-1]).sum()) / (2 * elements)
        square = float((y[1:] ** 2 + y[1:] * y[:-1] + y[:-1] ** 2).sum()) / (3 * elements)
        along = total(f), square + total(f) ** 2 - broken**2
    stiffness = YOUNG * SECOND / ROD**3 * total(f.deriv(2) ** 2)
    across = mu * ROD * total(f), mu * ROD**2 * total(x * f), mu * ROD * total(f * f)
    return mu * ROD, *across, stiffness, mu * ROD * along[0], mu * ROD * along[1]


def equations(t, y, numbers):
    """Accelerations of s, θ, w, ψ, two multipliers and the drive force at y = (θ, w, ψ, rates)."""
    m2, S, P, J, K, Sa, Ja = numbers
    theta, w, psi, thetad, wd, psid = y
    sd, sdd = 12 * math.cos(100 * t), -1200 * math.sin(100 * t)
    c, s, cp, sp = math.cos(theta), math.sin(theta), math.cos(psi), math.sin(psi)
    a, crank = m2 * ROD / 2, DENSITY * AREA * CRANK**3 / 3
    M = np.zeros((4, 4))
    M[0, :3] = M[:3, 0] = SLIDER + m2, -a * s - Sa * w * c, -S * s
    M[1, 1], M[1, 2], M[2, 1], M[2, 2], M[3, 3] = m2 * ROD**2 / 3 + Ja * w * w, P, P, J, crank
    h = [
        -(a * c - Sa * w * s) * thetad**2 - (S + Sa) * c * thetad * wd,
        2 * Ja * w * wd * thetad + (S - Sa) * c * sd * wd,
        K * w - Ja * w * thetad**2 - (S - Sa) * c * sd * thetad,
        0.0,
    ]
    C = np.array([[1.0, -ROD * s - w * c, -s, -CRANK * sp], [0.0, ROD * c - w * s, c, CRANK * cp]])
    b = [
        -(ROD * c - w * s) * thetad**2 - 2 * c * wd * thetad - CRANK * cp * psid**2,
        -(ROD * s + w * c) * thetad**2 - 2 * s * wd * thetad - CRANK * sp * psid**2,
    ]
    R = np.zeros((7, 7))
    R[:4, :4], R[:4, 4:6], R[4:6, :4], R[0, 6], R[6, 0] = M, -C.T, C, -1.0, 1.0
    return np.linalg.solve(R, np.concatenate([np.negative(h), np.negative(b), [sdd]]))


def motion_by_hand(times, elements=None):
    """Displacement of A3 and drive force at times, by SciPy."""
    from scipy.integrate import solve_ivp

    numbers = integrals(elements)
    theta, psi, w2, w3 = start()
    first = [theta, 0.0, psi, w2, 0.0, w3]

    def rates(t, y):
        return np.concatenate([y[3:], equations(t, y, numbers)[1:4]])

    run = solve_ivp(rates, (0.0, times[-1]), first, method="DOP853", rtol=1e-12, atol=1e-13, t_eval=times)
    return run.y[1], np.array([equations(t, y, numbers)[6] for t, y in zip(run.t, run.y.T, strict=True)])
