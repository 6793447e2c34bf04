"""One toy element of every kind, defined outside the package as CONTRIBUTING says; nothing else in the package knows them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from sharnir.dynamics.bodies.kinematics import update_rates
from sharnir.dynamics.constraints.constraint_kinds import linear_element, register_constraint
from sharnir.dynamics.constraints.measure_records import Measures
from sharnir.dynamics.evaluation.registered_methods import register_method
from sharnir.dynamics.evaluation.right_hand_sides import prepare, solve_composite, views
from sharnir.dynamics.forces.force_elements import apply, point_state
from sharnir.dynamics.forces.force_records import register_force
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.methods.all_methods import Method, composite_size
from sharnir.integrate.explicit.butcher_tableaux import Tableau
from sharnir.integrate.explicit.runge_kutta import ExplicitRungeKutta
from sharnir.kernel import Pointer, doubles, fixed_doubles, fixed_ints, shift
from sharnir.kernel.signatures import DERIVATIVE
from sharnir.model.bodies.shapes import Shape
from sharnir.model.checks import number, settle, unit_axis, vector
from sharnir.model.constraints import ConstraintElement, PointCoordinate, ScalarConstraint
from sharnir.model.constraints.constraint_equation import derived_equation
from sharnir.model.constraints.variables import stored_coordinate
from sharnir.model.events import Action, Impulse, NewParameter
from sharnir.model.forces import ForceElement, FreedomForce
from sharnir.model.formula import parse
from sharnir.model.joints import Freedom, Joint
from sharnir.model.signals import Equations
from sharnir.model.signals.blocks import Block
from sharnir.model.signals.sensors import XYZ, Sensor
from sharnir.model.values import Axis, BodyName, Colour, Coordinate, FreedomChoice, JointName, NumberOrFormula, Vector
from sharnir.spatial.vector import dot, load3, scale, sub

# ---- a force on bodies: class, kernel, potential, record ---------------------------------------------------------------------


@dataclass(frozen=True)
class CubicSpring(ForceElement):
    """Tension = stiffness × elongation³ between the positions of two bodies."""

    name: str
    a: BodyName
    b: BodyName
    stiffness: float = 1.0
    length: float = 0.0
    outputs: ClassVar[Any] = (("length", "m", ()), ("force", "N", ("x", "y", "z")))

    def __post_init__(self) -> None:
        label = self._settle_names()
        settle(self, stiffness=number(self.stiffness, label, "stiffness", low=0), length=number(self.length, label, "length"))

    @property
    def conservative(self) -> bool:
        return True

    def coil(self) -> Any:
        return (self.a, None), (self.b, None)


POINT_A, POINT_B, STIFFNESS, FREE_LENGTH = 0, 3, 6, 7  # params
LENGTH, FORCE = 0, 1  # outputs


def add_cubic_spring(t, f, _, table, params, work):
    tab, par, w = fixed_ints(table), fixed_doubles(params), doubles(work)
    p, i, j, out = tab[f + L.F_PARAMS], tab[f + L.BODY_A], tab[f + L.BODY_B], tab[f + L.W_OUT]
    a, _ = point_state(tab, w, i, load3(par, p + POINT_A))
    b, _ = point_state(tab, w, j, load3(par, p + POINT_B))
    d = sub(b, a)
    length = math.sqrt(dot(d, d))
    force = scale(d, par[p + STIFFNESS] * (length - par[p + FREE_LENGTH]) ** 3 / length)
    zero = (0.0, 0.0, 0.0)
    apply(tab, w, i, a, force, zero)
    apply(tab, w, j, b, scale(force, -1.0), zero)
    w[out + LENGTH], w[out + FORCE], w[out + FORCE + 1], w[out + FORCE + 2] = length, force[0], force[1], force[2]


def cubic_potential(t, f, place, table, params, work):
    tab, par, w = fixed_ints(table), fixed_doubles(params), doubles(work)
    p = tab[f + L.F_PARAMS]
    w[place] = 0.25 * par[p + STIFFNESS] * (w[tab[f + L.W_OUT] + LENGTH] - par[p + FREE_LENGTH]) ** 4


def cubic_row(blocks, row, force, drawing):
    a, b = force.a, force.b
    row[L.BODY_A], row[L.BODY_B] = drawing.number(a), drawing.number(b)
    numbers = [*drawing.point(a, None), *drawing.point(b, None), force.stiffness, force.length]
    row[L.F_PARAMS] = blocks.append("params", None, numbers)


register_force(CubicSpring, cubic_row, Pointer(add_cubic_spring, DERIVATIVE), Pointer(cubic_potential, DERIVATIVE))


# ---- a force along a freedom: the engine needs nothing -----------------------------------------------------------------------


@dataclass(frozen=True)
class HardeningHinge(ForceElement):
    """Torque = -stiffness × q³."""

    name: str
    joint: JointName
    stiffness: float = 1.0
    freedom: FreedomChoice = 0
    freedom_outputs: ClassVar[Any] = {"moment": "force"}

    def __post_init__(self) -> None:
        label = self._settle_names()
        settle(self, stiffness=number(self.stiffness, label, "stiffness", low=0))

    def along_freedom(self, joints):
        return FreedomForce(self.label, self.joint, self.freedom, self.freedom_formula("moment", joints))

    def freedom_formula(self, key, joints):
        return f"-{self.stiffness!r}*q^3"


# ---- a joint -----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Turntable(Joint):
    """The child turns about `axis` and shifts along `slide`, which turns with it."""

    axis: Axis = field(kw_only=True)
    slide: Axis = field(kw_only=True)

    def _settle_axes(self) -> tuple[Freedom, ...]:
        settle(self, axis=unit_axis(self.axis, self.label), slide=unit_axis(self.slide, self.label, "slide"))
        return Freedom("rotation", self.axis), Freedom("translation", self.slide)


# ---- constraints: one by its equation, one by a writer of records -------------------------------------------------------------


@dataclass(frozen=True)
class SquareGear(ScalarConstraint):
    """q_b = ratio × q_a² + offset."""

    name: str
    joint_a: Coordinate
    joint_b: Coordinate
    ratio: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        label = self._settle_names()
        for side in ("joint_a", "joint_b"):
            settle(self, **{side: stored_coordinate(getattr(self, side), label, side)})

    @property
    def joint_references(self) -> list[tuple[str, str]]:
        return [("joint_a", self.joint_a.joint), ("joint_b", self.joint_b.joint)]

    def equation(self, model):
        pair = tuple(getattr(self, side).resolved(model.joints, self.label, side) for side in ("joint_a", "joint_b"))
        g = parse(f"b - ({self.ratio!r})*a^2 - ({self.offset!r})", ("a", "b"), None)
        return derived_equation(self.label, ("a", "b"), pair, g)


@dataclass(frozen=True)
class LevelPoint(ConstraintElement):
    """The position of a body stays at the height at which it is drawn."""

    name: str
    body: BodyName

    def __post_init__(self) -> None:
        self._settle_names()


def level_element(x, drawing):
    m, at = Measures(drawing), drawing.world(x.body, None)
    m.point("ground", at, x.body, at, (0.0, 0.0, 1.0))
    return linear_element(x.name, m, [(0.0, 1.0)], ("height",))


register_constraint(LevelPoint, level_element)


# ---- a sensor, a block, an action ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SquaredDistance(Sensor):
    """Square of the distance of a body from the world's origin."""

    body: BodyName

    def __post_init__(self) -> None:
        self._settle_bodies()

    def unit(self, rate, joints):
        return ("m²", "m²/s", "m²/s²")[rate]

    def expansion(self, frames):
        return "x1^2 + x2^2 + x3^2", {f"x{k + 1}": PointCoordinate(self.body, axis=XYZ[k]) for k in range(3)}


@dataclass(frozen=True)
class TwoLags(Block):
    """Two filters of first order in a row."""

    name: str
    input: str
    time_constant: float = 0.1
    unit: str = ""

    def __post_init__(self) -> None:
        label = self._settle_inputs()
        settle(self, time_constant=number(self.time_constant, label, "time_constant", above=0))

    def equations(self) -> Equations:
        rates = {"a": "(u - a)/T", "b": "(a - b)/T"}
        return Equations({"": "b"}, {"a": 0.0, "b": 0.0}, rates, {"T": self.time_constant})


@dataclass(frozen=True)
class Kick(Action):
    """Give a coordinate another speed, and a parameter the value of the same formula."""

    coordinate: Coordinate
    speed: NumberOrFormula
    parameter: str

    def __post_init__(self) -> None:
        settle(self, coordinate=stored_coordinate(self.coordinate, self.label, "coordinate"))
        self._settle_value("speed")

    def effects(self):
        return NewParameter(self.parameter, self.speed), Impulse(self.coordinate, self.speed)


# ---- a shape -------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cone(Shape):
    """A solid cone along z, its centre of mass at `center`."""

    radius: float
    height: float
    center: Vector = (0.0, 0.0, 0.0)
    color: Colour = None

    def __post_init__(self) -> None:
        settle(self, radius=number(self.radius, "Cone", "radius", above=0), height=number(self.height, "Cone", "height", above=0))
        settle(self, center=vector(self.center, 3, "Cone", "center"))

    @property
    def volume(self) -> float:
        return math.pi * self.radius**2 * self.height / 3.0

    def unit_inertia(self):
        across = 3.0 / 20.0 * self.radius**2 + 3.0 / 80.0 * self.height**2
        return (across, 0.0, 0.0), (0.0, across, 0.0), (0.0, 0.0, 0.3 * self.radius**2)

    def picture(self) -> list[Any]:
        angle = np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)
        rim = np.column_stack([self.radius * np.cos(angle), self.radius * np.sin(angle), np.full(12, -0.25 * self.height)])
        vertices = np.vstack([rim, [0.0, 0.0, 0.75 * self.height], [0.0, 0.0, -0.25 * self.height]]) + np.array(self.center)
        faces = [face for k in range(12) for face in ((k, (k + 1) % 12, 12), ((k + 1) % 12, k, 13))]
        return [{"kind": "mesh", "vertices": vertices.tolist(), "faces": faces}]


# ---- an integrator, a method ---------------------------------------------------------------------------------------------------


class Ralston(ExplicitRungeKutta):
    """Ralston's method of order 2 with a given step."""

    name, order, orders, adaptive, dense_order = "ralston", 2, (2,), False, 2
    takes_step = True
    description, source = "Ralston's method of order 2, fixed step", "Ralston (1962)"
    tableau = Tableau(c=(0.0, 2 / 3), a=({0: 2 / 3},), b={0: 1 / 4, 1: 3 / 4})


def derivative_twin(t, y, yd, table, params, work):
    tab, par, w, q, v, qd, vdot = views(y, yd, table, params, work)
    solve_composite(tab, par, w, shift(w, tab[L.W_TAU]), vdot, prepare(t, tab, par, w, q, v))
    update_rates(tab, par, q, v, qd)


register_method(
    Method("twin", "composite bodies under another name", 3, composite_size, handles_flexible=False),
    Pointer(derivative_twin, DERIVATIVE),
)

__all__ = [
    "Cone",
    "CubicSpring",
    "HardeningHinge",
    "Kick",
    "LevelPoint",
    "Ralston",
    "SquareGear",
    "SquaredDistance",
    "Turntable",
    "TwoLags",
]
