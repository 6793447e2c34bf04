"""Mechanisms with closed loops that the tests and the benchmarks share; each is drawn in its initial position."""

from __future__ import annotations

import math

import numpy as np

import sharnir as sr

G = 9.81


def turned(angle, x, y=0.0):
    """The plane vector (x, y) turned by an angle, with z = 0."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * x - s * y, s * x + c * y, 0.0])


def rod(name, start, end, mass, radius=0.0, **options):
    """A uniform slender rod between two points of the plane z = 0; its frame is at `start`, its x axis along it.

    radius : gives it a moment about itself, which no planar motion feels; m L²/12 across it is that of a line.
    """
    d = np.subtract(end, start)
    L, angle = math.hypot(*d[:2]), math.atan2(d[1], d[0])
    inertia = (mass * radius**2 / 2, mass * L**2 / 12, mass * L**2 / 12)
    turn = sr.rotation_about("z", angle)
    return sr.Body(name, mass=mass, com=(L / 2, 0, 0), inertia=inertia, position=tuple(start), rotation=turn, **options)


# ---- four-bars -----------------------------------------------------------------------------------------------------------


def four_bar(N=2, radius=0.01, omega=1.0):
    """IFToMM A02: N + 1 upright cranks, N couplers between their tops, all of 1 m and 1 kg; the tops move with 1 m/s.

    The hinges are spatial, so three constraints of every loop are redundant; with the cranks level it is singular, too.
    """
    m = sr.Model(f"{N} four-bars", gravity=(0, -G, 0))
    for i in range(N + 1):
        m.add(rod(f"crank{i}", (i, 0, 0), (i, 1, 0), 1.0, radius))
        m.add(sr.Revolute(f"foot{i}", "ground", f"crank{i}", at=(i, 0, 0), axis="z", v=-omega))
    for i in range(N):
        m.add(rod(f"coupler{i}", (i, 1, 0), (i + 1, 1, 0), 1.0, radius))
        m.add(sr.Revolute(f"left{i}", f"crank{i}", f"coupler{i}", at=(i, 1, 0), axis="z", v=omega))
        m.add(sr.Revolute(f"right{i}", f"coupler{i}", f"crank{i + 1}", at=(i + 1, 1, 0), axis="z", v=-omega))
    return m


def planar_parallelogram(radius=0.01):
    """One four-bar that hangs, a parallelogram off its singular position: one freedom, three redundant constraints."""
    m = sr.Model("parallelogram", gravity=(0, -G, 0))
    foot, top = np.array([0.8, -0.6, 0.0]), np.array([1.5, 0.0, 0.0])
    m.add(rod("left", (0, 0, 0), foot, 1.0, radius), rod("right", top, top + foot, 1.0, radius))
    m.add(rod("coupler", foot, top + foot, 2.0, radius))
    m.add(sr.Revolute("O", "ground", "left", at=(0, 0, 0), axis="z"), sr.Revolute("C", "ground", "right", at=top, axis="z"))
    m.add(sr.Revolute("A", "left", "coupler", at=foot, axis="z"))
    m.add(sr.Revolute("B", "coupler", "right", at=top + foot, axis="z"))
    return m


# The pendulum with a closed loop of Computer Research and Modeling 2024: rods OA, AB, BC between the fixed hinges O and C, and a
# fourth rod welded to BC at B. It is drawn there without numbers; with these rod 1 can turn all around, so its angle is a good
# coordinate.
CLOSED_PENDULUM = {"OC": 2.0, "L": (1.0, 2.0, 1.6, 0.8), "bend": 2.0, "start": 1.2}


def circles(a, ra, b, rb, side=1.0):
    """The point at the distances ra from a and rb from b, on the left of a → b (side 1) or on the right (side -1)."""
    d = np.subtract(b, a)[:2]
    L = math.hypot(*d)
    x = (L**2 + ra**2 - rb**2) / (2 * L)
    y = side * math.sqrt(ra**2 - x**2)
    return np.array([a[0] + (x * d[0] - y * d[1]) / L, a[1] + (x * d[1] + y * d[0]) / L, 0.0])


def closed_pendulum(radius=0.01):
    """Example 2 of Computer Research and Modeling 2024: a four-bar with a rod welded to its rocker, at rest; rods of 1 kg/m."""
    p = CLOSED_PENDULUM
    L, O, C = p["L"], np.zeros(3), np.array([p["OC"], 0.0, 0.0])
    A = turned(p["start"], L[0])
    B = circles(A, L[1], C, L[2], side=-1.0)
    back = math.atan2(C[1] - B[1], C[0] - B[0])
    tip = B + turned(back + p["bend"], L[3])
    m = sr.Model("closed pendulum", gravity=(0, -G, 0))
    m.add(rod("rod1", O, A, L[0], radius), rod("rod2", A, B, L[1], radius), rod("rod3", B, C, L[2], radius))
    m.add(rod("rod4", B, tip, L[3], radius))
    m.add(sr.Revolute("O", "ground", "rod1", at=O, axis="z"), sr.Revolute("A", "rod1", "rod2", at=A, axis="z"))
    m.add(sr.Revolute("B", "rod2", "rod3", at=B, axis="z"), sr.Revolute("C", "rod3", "ground", at=C, axis="z"))
    m.add(sr.Fixed("weld", "rod3", "rod4", at=B))
    return m


def crank_rocker(side=1.0, radius=0.01):
    """Four-bar 6, 2, 7, 9 of the kinematics tables, crank at 30° driven with 10 rad/s; open (side 1) or crossed (-1)."""
    O, C = np.zeros(3), np.array([6.0, 0.0, 0.0])
    A = turned(math.radians(30), 2.0)
    B = circles(A, 7.0, C, 9.0, side)
    m = sr.Model("crank-rocker", gravity=(0, 0, 0))
    m.add(rod("crank", O, A, 2.0, radius), rod("coupler", A, B, 7.0, radius), rod("rocker", C, B, 9.0, radius))
    m.add(
        sr.Revolute("O", "ground", "crank", at=O, axis="z", motion="10*t"), sr.Revolute("A", "crank", "coupler", at=A, axis="z")
    )
    m.add(sr.Revolute("B", "coupler", "rocker", at=B, axis="z"), sr.Revolute("C", "ground", "rocker", at=C, axis="z"))
    return m


# ---- slider-cranks -------------------------------------------------------------------------------------------------------


def slider_crank(theta=1.0, radius=0.01, **options):
    """Crank 0.15 m, rod 0.3 m, slider on x; crank at the angle theta. Options go to the crank's hinge O (v=, motion=)."""
    A = turned(theta, 0.15)
    B = np.array([A[0] + math.sqrt(0.3**2 - A[1] ** 2), 0.0, 0.0])
    m = sr.Model("slider-crank", gravity=(0, -G, 0))
    m.add(rod("crank", (0, 0, 0), A, 0.36, radius), rod("rod", A, B, 0.15, radius))
    m.add(sr.Body("slider", mass=0.08, inertia=(1e-4, 1e-4, 1e-4), position=B))
    m.add(sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="z", **options))
    m.add(sr.Revolute("A", "crank", "rod", at=A, axis="z"), sr.Revolute("B", "rod", "slider", at=B, axis="z"))
    m.add(sr.Prismatic("slide", "ground", "slider", axis="x"))
    return m


def spatial_slider_crank():
    """IFToMM's spatial slider-crank: crank about x at (0, 0.1, 0.12), a ball at its end, a cardan joint on the slider."""
    A, B = np.array([0, 0.1, 0.12]), np.array([0, 0.1, 0.2])
    C = np.array([math.sqrt(0.3**2 - 0.1**2 - 0.2**2), 0.0, 0.0])
    u = (C - B) / 0.3
    cross = np.cross((1, 0, 0), u) / np.linalg.norm(np.cross((1, 0, 0), u))  # the axis of the cardan joint in the rod
    m = sr.Model("spatial slider-crank")
    m.add(sr.Body("crank", mass=0.12, com=(0, 0, 0.04), inertia=(1e-4, 1e-4, 1e-5), position=A))
    turn = np.stack([u, cross, np.cross(u, cross)], axis=1)
    m.add(sr.Body("rod", mass=0.5, com=(0.15, 0, 0), inertia=(4e-4, 4e-3, 4e-3), position=B, rotation=turn))
    m.add(sr.Body("slider", mass=2.0, inertia=(1e-4, 1e-4, 1e-4), position=C))
    m.add(sr.Revolute("A", "ground", "crank", at=A, axis="x", v=6.0), sr.Ball("B", "crank", "rod", at=B, v=SPATIAL_BALL_SPEED))
    m.add(sr.Universal("C", "slider", "rod", at=C, axis="x", axis2=cross, v=SPATIAL_CARDAN_SPEED))
    m.add(sr.Prismatic("slide", "ground", "slider", axis="x", v=0.24))
    return m


# consistent with the crank's 6 rad/s: ω of the rod is (1.92, -0.96, 0.48) = 1.92 x - 0.48 √5 cross
SPATIAL_CARDAN_SPEED = (1.92, -0.48 * math.sqrt(5))
_U = np.array([2.0, -1.0, -2.0]) / 3
_CROSS = np.array([0.0, 2.0, -1.0]) / math.sqrt(5)
_ROD = np.stack([_U, _CROSS, np.cross(_U, _CROSS)], axis=1)
SPATIAL_BALL_SPEED = tuple(_ROD.T @ (np.array([1.92, -0.96, 0.48]) - np.array([6.0, 0.0, 0.0])))


# ---- Andrews and Bricard -------------------------------------------------------------------------------------------------

ANDREWS = dict(  # noqa: C408 - the letters of the literature read better without quotes
    m=(0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498),
    I=(2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5),
    A=(-0.06934, -0.00227, 0.0), B=(-0.03635, 0.03273, 0.0), C=(0.014, 0.072, 0.0),
    c0=4530.0, l0=0.07785, mom=0.033, d=0.028, da=0.0115, e=0.02, ea=0.01421, rr=0.007, ra=0.00092, ss=0.035, sa=0.01874,
    sb=0.01043, sc=0.018, sd=0.02, ta=0.02308, tb=0.00916, u=0.04, ua=0.01228, ub=0.00449, zf=0.02, zt=0.04, fa=0.01421,
)  # fmt: skip
ANDREWS_START = (
    -0.0617138900142764496358948458001, 0.0, 0.455279819163070380255912382449, 0.222668390165885884674473185609,
    0.487364979543842550225598953530, -0.222668390165885884674473185609, 1.23054744454982119249735015568,
)  # fmt: skip
ANDREWS_JOINTS = ("O", "F", "B", "G", "A5", "H", "A7")  # whose coordinates are β, Θ, γ, φ, δ, Ω, ε less their start values


def andrews():
    """Andrews' squeezing mechanism: seven bodies, three loops that meet in E, a spring and a constant torque."""
    p, (beta, theta, gamma, phi, delta, Omega, epsilon) = ANDREWS, ANDREWS_START
    A, B, C = (np.array(p[k]) for k in "ABC")
    F, G5, H = turned(beta, p["rr"]), A + turned(delta, p["zt"]), A + turned(epsilon, 0, -p["u"])
    E = F - turned(beta + theta, p["d"])
    bodies = (  # origin, angle, centre of mass in body axes
        ((0, 0, 0), beta, (p["ra"], 0)), (F, beta + theta, (-p["da"], 0)), (B, gamma, (p["sb"], -p["sa"])),
        (G5, phi + delta, (0, p["ea"] - p["e"])), (A, delta, (p["ta"], p["tb"])), (H, Omega + epsilon, (p["zf"] - p["fa"], 0)),
        (A, epsilon, (p["ua"], p["ub"])),
    )  # fmt: skip
    m = sr.Model("Andrews", gravity=(0, 0, 0))
    for k, (origin, angle, com) in enumerate(bodies):
        turn, inertia = sr.rotation_about("z", angle), (p["I"][k],) * 3
        m.add(sr.Body(f"K{k + 1}", mass=p["m"][k], com=(*com, 0), inertia=inertia, position=origin, rotation=turn))
    pairs = {"O": ("ground", "K1", (0, 0, 0)), "F": ("K1", "K2", F), "B": ("ground", "K3", B), "E3": ("K2", "K3", E)}
    pairs |= {"A5": ("ground", "K5", A), "G": ("K5", "K4", G5), "E4": ("K2", "K4", E)}
    pairs |= {"A7": ("ground", "K7", A), "H": ("K7", "K6", H), "E6": ("K2", "K6", E)}
    m.add(*(sr.Revolute(name, a, b, at=at, axis="z") for name, (a, b, at) in pairs.items()))
    m.add(sr.JointForce("motor", "O", p["mom"]))
    D = B + turned(gamma, p["sd"], -p["sc"])
    m.add(sr.Spring("spring", "ground", "K3", at_a=C, at_b=D, stiffness=p["c0"], length=p["l0"]))
    return m


BRICARD_POINTS = ((0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1))
BRICARD_AXES = "yzxyzx"


def bricard():
    """IFToMM A04: five rods and six hinges; one freedom, although counting gives none."""
    m = sr.Model("Bricard", gravity=(0, -G, 0))
    names = ["ground", *(f"rod{i}" for i in range(5)), "ground"]
    for i in range(5):
        start, end = np.array(BRICARD_POINTS[i], float), np.array(BRICARD_POINTS[i + 1], float)
        along = np.abs(end - start)
        inertia = tuple(np.where(along > 0.5, 0.02, 1.01) / 12)
        m.add(sr.Body(names[i + 1], mass=1.0, com=(end - start) / 2, inertia=inertia, position=start))
    for i in range(6):
        m.add(sr.Revolute(f"P{i}", names[i], names[i + 1], at=BRICARD_POINTS[i], axis=BRICARD_AXES[i]))
    return m
