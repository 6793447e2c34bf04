"""Forces of the surroundings as expressions: drag, the air on wings, the gravity of a central body."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sharnir.equations.bodies import squared
from sharnir.errors import ModelError
from sharnir.model import Aerodynamics, CentralGravity, Drag
from sharnir.model.frames import rotation_matrix
from sharnir.symbolic.matrices import Vector, add, cross, dot, opposite, rotate, rotate_back, scale, sub, symmetric_times
from sharnir.symbolic.nodes import ONE, ZERO, Call, Name, Node, Number, minus, negative, plus, quotient, times

if TYPE_CHECKING:
    from sharnir.equations.mechanism import Mechanism

HALF = Number(0.5)
STILL = Number(1e-300)  # a speed of the air that gives no force, but a direction without division by zero
SIDEWAYS = Number(1e-12)  # of the flow that is not straight sideways, where there is no top


def drag(m: Mechanism, force: Drag) -> None:
    """-(k + ½ ρ C A v) v at a point, v relative to the air."""
    i, world = m.bodies.number(str(force.body)), -2 if m.recursion.moving else -1
    motion, number = m.recursion.motion[i], m.letters.number
    arm = m.centre(i) if force.at is None else m.bodies.point(i, np.array(force.at), force.name)
    R, r = m.recursion.pose(i, world)
    wind = tuple(m.entries.entry(x, {"t": Name("t")}, f"{force.name}_{c}", "w") for x, c in zip(force.wind, "xyz", strict=True))
    v = sub(add(motion.v, cross(motion.om, arm)), rotate_back(R, wind))
    speed = m.define(Call("sqrt", (dot(v, v),)), "v", force.name)
    height = {"h": add(r, rotate(R, arm))[2]}
    x = speed if force.sound is None else quotient(speed, m.entries.entry(force.sound, height, f"{force.name}_sound", "a"))
    density = m.entries.entry(force.density, height, f"{force.name}_density", "rho")
    coefficient = m.entries.entry(force.coefficient, {"x": x, **height}, force.name, "C")
    linear = m.entries.entry(force.linear, height, f"{force.name}_linear", "k")
    quadratic = times(times(HALF, times(density, coefficient)), times(number(force.area, "A", force.name), speed))
    pull = scale(v, negative(plus(linear, quadratic)))
    m.push(i, pull, cross(arm, pull))


def aerodynamics(m: Mechanism, force: Aerodynamics) -> None:
    """½ ρ v² area × coefficients of the angles of flow, and damping -¼ ρ v area length² d ω (dynamics/forces/aerodynamics.py)."""
    i, world, name = m.bodies.number(str(force.body)), -2 if m.recursion.moving else -1, force.name
    motion, number, entry = m.recursion.motion[i], m.letters.number, m.entries.entry
    arm = m.centre(i) if force.at is None else m.bodies.point(i, np.array(force.at), name)
    A = m.bodies.own_axes(i) if force.rotation is None else m.bodies.axes(i, np.array(rotation_matrix(force.rotation)))
    R, r = m.recursion.pose(i, world)
    height = {"h": add(r, rotate(R, arm))[2]}
    wind = tuple(entry(x, {"t": Name("t"), **height}, f"{name}_{c}", "w") for x, c in zip(force.wind, "xyz", strict=True))
    v = rotate_back(A, sub(add(motion.v, cross(motion.om, arm)), rotate_back(R, wind)))
    speed = m.define(Call("sqrt", (dot(v, v),)), "v", name)
    density = entry(force.density, height, f"{name}_density", "rho")
    mach = speed if force.sound is None else quotient(speed, entry(force.sound, height, f"{name}_sound", "a"))
    u = scale(v, quotient(ONE, Call("max", (speed, STILL))))
    forward = Call("sqrt", (plus(times(u[0], u[0]), times(u[2], u[2])),))
    upwards = scale((negative(u[2]), ZERO, u[0]), quotient(ONE, Call("max", (forward, SIDEWAYS))))
    sideways = Call("max", (Number(-1), Call("min", (u[1], ONE))))
    alpha = m.define(Call("atan2", (negative(v[2]), v[0])), "alpha", name)
    flow = {"alpha": alpha, "beta": m.define(Call("asin", (sideways,)), "beta", name), "x": mach}
    area, length = number(force.area, "A", name), number(force.length, "b", name)
    dynamic = times(times(HALF, times(density, times(speed, speed))), area)
    drag_c, side_c, lift_c = (
        entry(x, flow, f"{name}_{key}", "C") for key, x in (("drag", force.drag), ("side", force.side), ("lift", force.lift))
    )
    along = sub(add(scale(upwards, lift_c), scale(cross(upwards, u), side_c)), scale(u, drag_c))
    push = rotate(A, scale(along, dynamic))
    moment = tuple(entry(x, flow, f"{name}_moment_{c}", "C") for x, c in zip(force.moment, "xyz", strict=True))
    turn = rotate_back(A, motion.om)
    slowing = times(times(times(Number(0.25), density), times(speed, area)), times(length, length))
    damping = tuple(times(times(slowing, number(d, "D", name, c)), x) for d, x, c in zip(force.damping, turn, "xyz", strict=True))
    torque = rotate(A, sub(scale(moment, times(dynamic, length)), damping))
    m.push(i, push, add(torque, cross(arm, push)))


def central_gravity(m: Mechanism, force: CentralGravity) -> None:
    """Attraction of all other bodies by mass and inertia, and the opposite on the body of the centre; axes of that body."""
    i, name = m.bodies.number(str(force.body)), force.name
    if m.elastic:
        raise ModelError(
            f"{force.label}: the attraction of what deforms has no formula here, and '{next(iter(m.elastic))}' is flexible; take "
            "another method, or Model's gravity"
        )
    own, place = np.eye(3), np.zeros(3)
    if i >= 0:
        frame = m.placed[str(force.body)]
        own, place = np.array(frame.rotation_matrix), np.array(frame.position)
    centre = m.bodies.point(i, place + own @ np.array(force.center), name)
    axis = m.bodies.direction(i, own @ np.array(force.axis))
    mu, flattening = m.letters.number(force.mu, "mu", name), m.letters.number(force.J2 * (force.radius or 0.0) ** 2, "j", name)
    for j, body in enumerate(m.bodies.tree.bodies):
        if j != i and m.model.body(body).mass > 0.0:
            x = m.bodies.inertia[j]
            c = scale(x.first, quotient(ONE, x.mass)) if tanks_of(m, body) else m.centre(j)
            J = tuple(minus(a, times(x.mass, b)) for a, b in zip(x.second, squared(c, c), strict=True))
            R, shift = m.recursion.relative_pose(i, j)
            at = add(shift, rotate(R, c))
            r = sub(at, centre)
            d = m.define(Call("sqrt", (dot(r, r),)), "r", name, body)
            n = scale(r, quotient(ONE, d))
            pull = add(rotate_back(R, attraction(mu, flattening, axis, n, d, x.mass)), tidal(mu, J, rotate_back(R, n), d))
            lever = rotate_back(R, n)
            turn = scale(cross(lever, symmetric_times(J, lever)), quotient(times(Number(3), mu), cube(d)))
            m.push(j, pull, add(turn, cross(c, pull)))
            if i >= 0:
                back = opposite(rotate(R, pull))
                m.push(i, back, sub(cross(at, back), rotate(R, turn)))


def tanks_of(m: Mechanism, body: str) -> bool:
    """Whether a body loses mass."""
    return any(str(getattr(m.model.forces[name], "body", "")) == body for name in m.bodies.tanks)


def cube(d: Node) -> Node:
    """d³."""
    return times(d, times(d, d))


def attraction(mu: Node, flattening: Node, axis: Vector, n: Vector, d: Node, mass: Node) -> Vector:
    """The force on a point mass at the distance d in the direction n; flattening: J2 radius²."""
    size, s = quotient(times(mu, mass), times(d, d)), dot(n, axis)
    k = quotient(times(Number(1.5), flattening), times(d, d))
    radial = plus(ONE, times(k, minus(ONE, times(Number(5), times(s, s)))))
    return scale(add(scale(n, radial), scale(axis, times(Number(2), times(k, s)))), negative(size))


def tidal(mu: Node, J: tuple[Node, ...], n: Vector, d: Node) -> Vector:
    """What the size of a body adds to the force: inertia J about its centre of mass."""
    a = symmetric_times(J, n)
    spread = minus(plus(J[0], plus(J[3], J[5])), times(Number(5), dot(n, a)))
    k = quotient(times(Number(1.5), mu), times(d, cube(d)))
    return scale(add(scale(n, spread), scale(a, Number(2))), negative(k))
