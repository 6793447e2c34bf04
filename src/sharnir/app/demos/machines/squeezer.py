"""Andrews' squeezing mechanism: seven bodies, three loops that meet in one point, a fast spring-driven motion."""

from __future__ import annotations

import numpy as np

from sharnir.app.demos.demo import Demo
from sharnir.model import Body, Cylinder, JointForce, Model, Revolute, Rod, Spring, rotation_about
from sharnir.model.bodies.shapes import Shape
from sharnir.results import Result

# Hairer and Wanner (1996), VII.7: angles at the start; masses, moments, lengths in the plane [kg, kg m², m]
BETA, THETA, GAMMA = -0.0617138900142764496, 0.0, 0.455279819163070380
PHI, DELTA, OMEGA, EPSILON = 0.222668390165885885, 0.487364979543842550, -0.222668390165885885, 1.23054744454982119
MASSES = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
MOMENTS = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
A, B, C = np.array((-0.06934, -0.00227)), np.array((-0.03635, 0.03273)), np.array((0.014, 0.072))
END_ANGLE = 15.8107712  # of the crank after 0.03 s
COLORS = ("#e03131", "#f76707", "#1c7ed6", "#2f9e44", "#2f9e44", "#9c36b5", "#9c36b5")
Plane = tuple[float, float]


def turned(angle: float, x: float, y: float = 0.0) -> np.ndarray:
    """A vector of the plane, turned."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array((c * x - s * y, s * x + c * y))


def model() -> Model:
    """Drawn as it starts; a constant torque on the crank K1 works against the spring at K3.

    >>> model()
    Model('squeezer': 7 bodies, 10 joints, 2 forces)
    """
    m = Model("squeezer", gravity=(0, 0, 0))
    F, G, H = turned(BETA, 0.007), A + turned(DELTA, 0.04), A + turned(EPSILON, 0, -0.04)
    E = F - turned(BETA + THETA, 0.028)
    plates: tuple[tuple[np.ndarray, float, Plane, tuple[np.ndarray, ...]], ...] = (  # origin, angle, centre of mass, joints
        (np.zeros(2), BETA, (0.00092, 0), (F,)),
        (F, BETA + THETA, (-0.0115, 0), (E,)),
        (B, GAMMA, (0.01043, -0.01874), (E, B + turned(GAMMA, 0.02, -0.018))),
        (G, PHI + DELTA, (0, 0.01421 - 0.02), (E,)),
        (A, DELTA, (0.02308, 0.00916), (G,)),
        (H, OMEGA + EPSILON, (0.02 - 0.01421, 0), (E,)),
        (A, EPSILON, (0.01228, 0.00449), (H,)),
    )
    for k, (origin, angle, com, joints) in enumerate(plates):
        shape = plate(COLORS[k], [turned(-angle, *(p - origin)) for p in joints], k)
        m.add(
            Body(
                f"K{k + 1}",
                mass=MASSES[k],
                com=(*com, 0),
                inertia=(MOMENTS[k],) * 3,
                position=(*origin, 0),
                rotation=rotation_about("z", angle),
                shape=shape,
            )
        )
    hinges = {"O": ("ground", "K1", np.zeros(2)), "F": ("K1", "K2", F), "B": ("ground", "K3", B), "E3": ("K2", "K3", E)}
    hinges |= {"A5": ("ground", "K5", A), "G": ("K5", "K4", G), "E4": ("K2", "K4", E)}
    hinges |= {"A7": ("ground", "K7", A), "H": ("K7", "K6", H), "E6": ("K2", "K6", E)}
    m.add(*(Revolute(name, a, b, at=(*at, 0), axis="z") for name, (a, b, at) in hinges.items()))
    m.add(JointForce("motor", "O", 0.033))
    D = B + turned(GAMMA, 0.02, -0.018)
    m.add(Spring("spring", m.ground, "K3", at_a=(*C, 0), at_b=(*D, 0), stiffness=4530.0, length=0.07785))
    return m


def plate(color: str, ends: list[np.ndarray], layer: int) -> tuple[Shape, ...]:
    """Bars from the body's own joint to the others, each body in a layer of its own."""
    z = 0.0012 * layer
    bars = [Rod((0, 0, z), (*end, z), 0.0012, color=color) for end in ends]
    return (*bars, *(Cylinder(0.0022, 0.003, "z", (*p, z), color=color) for p in (np.zeros(2), *ends)))


def finding(result: Result) -> str:
    """The angle of the crank at 0.03 s is known to many digits."""
    angle = BETA + result["O.q"][-1]
    return f"after 0.03 s the crank stands at {angle:.7f} rad, in the literature at {END_ANGLE}; {angle / (2 * np.pi):.1f} turns"


SQUEEZER = Demo(
    name="squeezer",
    story="Andrews' squeezing mechanism: seven bodies and three loops, at 10 000 to 60 000 rpm.",
    model=model,
    settings={"t_end": 0.03, "step": 5e-5, "tolerance": 1e-9},
    plots=("O.v", "B.q", "A5.q", "A7.q", "E3.reaction.fx"),
    finding=finding,
    speed=0.002,
    traces=("K3",),
)
