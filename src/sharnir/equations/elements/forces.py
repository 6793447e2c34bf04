"""Applied forces as expressions: in joints, along freedoms, on bodies. What has no closed form keeps a name."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.equations.elements.surroundings import aerodynamics, central_gravity, drag
from sharnir.equations.joint_motion import Coordinate
from sharnir.model import Aerodynamics, Bushing, CentralGravity, Drag, Force, Motor, Spring, Thrust, Torque, TorsionSpring
from sharnir.model.frames import rotation_matrix
from sharnir.model.links import referenced_bodies, referenced_joints
from sharnir.symbolic.matrices import (
    NOTHING,
    Matrix,
    Vector,
    add,
    cross,
    dot,
    multiply,
    multiply_back,
    opposite,
    rotate,
    rotate_back,
    scale,
    sub,
    symmetric_times,
)
from sharnir.symbolic.nodes import ONE, ZERO, Call, Name, Node, Number, minus, negative, plus, quotient, times
from sharnir.symbolic.printing import plain_name

if TYPE_CHECKING:
    from sharnir.equations.mechanism import Mechanism

HALF = Number(0.5)


def applied_forces(m: Mechanism) -> list[Node]:
    """Generalized forces of everything but inertia, gravity and constraints."""
    m.tau = [ZERO] * len(m.speeds)
    for joint in m.joints.values():
        joint_forces(m, joint)
    for joint in m.tree.cuts:
        if joint.coordinates == "ball":
            cut_ball_forces(m, joint)
    for force in m.model.forces.values():
        along = force.along_freedom(m.model.joints)
        if along is not None:
            freedom_force(m, force, along)
        elif type(force) in WRITERS:
            WRITERS[type(force)](m, force)
        elif m.engine is not None:
            m.engine.leave(m, force)
        else:
            opaque_force(m, force)
    on_bodies = m.recursion.generalized(m.wrenches, len(m.speeds))
    return [plus(a, b) for a, b in zip(m.tau, on_bodies, strict=True)]


def act(m: Mechanism, x: Coordinate, force: Node) -> None:
    """A force along a freedom, on all speeds that it is made of."""
    for k, factor in x.speeds.items():
        m.tau[k] = plus(m.tau[k], times(factor, force))


def joint_forces(m: Mechanism, joint: Any) -> None:
    """-damping v - stiffness (q - rest) + torque(q, v, t) in the joint itself."""
    number = m.letters.number
    names = joint.freedom_names
    if joint.coordinates != "angles":
        first = m.first_speed[joint.name]
        if any(joint.stiffness):
            torque = ball_spring(m, joint)
            for k in range(3):
                m.tau[first + k] = plus(m.tau[first + k], torque[k])
        for k, name in enumerate(names):
            v = m.speeds[first + k]
            drag = times(number(joint.damping[k], "d", joint.name, name), v)
            drive = m.entries.entry(joint.torque[k], {"q": ZERO, "v": v, "t": Name("t")}, f"{joint.name}_{name}", "T")
            m.tau[first + k] = plus(m.tau[first + k], minus(drive, drag))
        return
    for k, (x, name) in enumerate(zip(m.coordinates_of[joint.name], names, strict=True)):
        if not x.speeds:
            continue
        below = (joint.name, name)
        spring = times(number(joint.stiffness[k], "k", *below), minus(x.value, number(joint.rest[k], "r", *below)))
        drag = times(number(joint.damping[k], "d", *below), x.rate)
        variables = {"q": x.value, "v": x.rate, "t": Name("t")}
        drive = m.entries.entry(joint.torque[k], variables, "_".join(part for part in below if part), "T")
        act(m, x, minus(minus(drive, spring), drag))


def ball_spring(m: Mechanism, joint: Any) -> Vector:
    """-k φ, φ = 2 atan2(s, w)/s (x, y, z) the rotation vector."""
    w, *e = m.quaternion_of[joint.name]
    s = Call("sqrt", (dot(e, e),))
    sign = Call("if", (Call("<", (w, ZERO)), Number(-1), ONE))
    factor = times(Number(2), quotient(Call("atan2", (s, times(sign, w))), s))
    factor = times(sign, Call("if", (Call(">", (s, ZERO)), factor, Number(2))))
    return scale(e, negative(times(m.letters.number(joint.stiffness[0], "k", joint.name), factor)))


def cut_ball_speed(m: Mechanism, joint: Any) -> Vector:
    """Angular velocity of the child relative to the parent, in child axes, of a ball joint that closes a loop."""
    return opposite(m.turning(m.bodies.number(str(joint.child)), m.bodies.number(str(joint.parent))))


def push_cut_ball(m: Mechanism, joint: Any, torque: Vector) -> None:
    """A torque in child axes on the child, and its opposite on the parent."""
    a, b = m.bodies.number(str(joint.parent)), m.bodies.number(str(joint.child))
    if b >= 0:
        m.push(b, NOTHING, torque)
    if a >= 0:
        m.push(a, NOTHING, opposite(rotate(m.recursion.relative_pose(a, b)[0], torque)))


def cut_ball_forces(m: Mechanism, joint: Any) -> None:
    """Damping, stiffness and torque in a ball joint that closes a loop, in child axes."""
    number, v = m.letters.number, cut_ball_speed(m, joint)
    torque = NOTHING
    for k, name in enumerate(joint.freedom_names):
        drag = times(number(joint.damping[k], "d", joint.name, name), v[k])
        drive = m.entries.entry(joint.torque[k], {"q": ZERO, "v": v[k], "t": Name("t")}, f"{joint.name}_{name}", "T")
        axis = tuple(ONE if j == k else ZERO for j in range(3))
        torque = add(torque, scale(axis, minus(drive, drag)))
    if any(joint.stiffness):
        a, b = m.bodies.number(str(joint.parent)), m.bodies.number(str(joint.child))
        R, _ = m.recursion.relative_pose(a, b)
        drawn = m.bodies.axes(a, np.eye(3) if b < 0 else m.bodies.rotation[b])  # child axes → parent axes in the drawing
        phi, _ = rotation_vector(multiply_back(drawn, R))
        torque = sub(torque, scale(phi, number(joint.stiffness[0], "k", joint.name)))
    if torque != NOTHING:
        push_cut_ball(m, joint, torque)


def freedom_force(m: Mechanism, force: Any, along: Any) -> None:
    """A force along one freedom of a joint."""
    joint = m.model.joints[along.joint]
    if joint.name not in m.joints:
        axis = tuple(ONE if k == along.freedom else ZERO for k in range(3))
        variables = {"q": ZERO, "v": cut_ball_speed(m, joint)[along.freedom], "t": Name("t")}
        push_cut_ball(m, joint, scale(axis, m.entries.entry(along.torque, variables, force.name, "T")))
        return
    if joint.coordinates != "angles":
        k = m.first_speed[joint.name] + along.freedom
        variables = {"q": ZERO, "v": m.speeds[k], "t": Name("t")}
        m.tau[k] = plus(m.tau[k], m.entries.entry(along.torque, variables, force.name, "T"))
        return
    x = m.coordinates_of[joint.name][along.freedom]
    if not x.speeds:
        return
    spring = isinstance(force, TorsionSpring)
    k, d, rest = ((m.letters.number(v, c, force.name) if spring else Number(v)) for v, c in _numbers(along))
    variables = {"q": x.value, "v": x.rate, "t": Name("t")}
    own = m.entries.entry(along.torque, variables, force.name, "T")
    act(m, x, minus(minus(own, times(k, minus(x.value, rest))), times(d, x.rate)))


def _numbers(along: Any) -> tuple[tuple[float, str], ...]:
    return (along.stiffness, "k"), (along.damping, "d"), (along.angle, "r")


def spring(m: Mechanism, force: Spring) -> None:
    """Tension along the line between two points: by its length L, whose square is polynomial, τ = -T/(2 L) ∂(L²)˙/∂v."""
    a, b = m.bodies.number(str(force.a)), m.bodies.number(str(force.b))
    ends = [m.bodies.position(str(force.a), force.at_a), m.bodies.position(str(force.b), force.at_b)]
    d = m.distance(a, ends[0], b, ends[1], force.name)
    square = dot(d, d)
    length = m.define(Call("sqrt", (square,)), "L", force.name)
    rate = m.rate(square)
    speed = quotient(times(HALF, rate), length)
    number = m.letters.number
    free = float(np.linalg.norm(ends[1] - ends[0])) if force.length is None else force.length
    x = minus(length, number(free, "l0", force.name))
    tension = plus(times(number(force.stiffness, "k", force.name), x), times(number(force.damping, "d", force.name), speed))
    if force.force is not None:
        tension = plus(tension, m.entries.entry(force.force, {"x": x, "v": speed, "t": Name("t")}, force.name, "F"))
    factor = quotient(times(HALF, tension), length)
    for k, slope in enumerate(m.by_speeds(rate)):
        if slope is not ZERO:
            m.tau[k] = minus(m.tau[k], times(factor, slope))


def vector_force(m: Mechanism, force: Any) -> None:
    """A force at a point of a body, or a torque on it, in world or body axes."""
    i = m.bodies.number(str(force.body))
    if i < 0:
        return
    given, letter = (force.force, "F") if isinstance(force, Force) else (force.torque, "T")
    entries = [m.entries.entry(x, {"t": Name("t")}, f"{force.name}_{axis}", letter) for x, axis in zip(given, "xyz", strict=True)]
    if force.axes == "body":
        local = rotate(m.bodies.own_axes(i), tuple(entries))
    else:
        local = rotate_back(m.recursion.pose(i, -2)[0] if m.recursion.moving else m.recursion.pose(i, -1)[0], tuple(entries))
    if isinstance(force, Torque):
        m.push(i, NOTHING, local)
        return
    arm = m.bodies.point(i, m.bodies.centre(str(force.body), force.at), force.name)
    if force.at is None:
        arm = m.centre(i)
    m.push(i, local, cross(arm, local))


def thrust(m: Mechanism, force: Thrust) -> None:
    """Thrust, an input, and the Coriolis forces of the flow within the body (dynamics/forces/thrust.py)."""
    i = m.bodies.number(str(force.body))
    om, push_along = m.recursion.motion[i].om, m.tank_symbols[force.name][0]
    nozzle = m.bodies.point(i, m.bodies.position(str(force.body), force.at), force.name)
    jet = scale(m.bodies.direction(i, np.array(force.axis)), push_along)
    m.push(i, jet, cross(nozzle, jet))
    if force.jet_damping:
        flow = quotient(push_along, Number(force.exhaust_speed))
        content = m.bodies.tanks[force.name]
        share = quotient(flow, Number(force.propellant))
        tank = scale(content.first, Number(1.0 / force.propellant))
        coriolis = scale(cross(om, sub(nozzle, tank)), times(Number(-2), flow))
        leaves = add(cross(nozzle, cross(om, nozzle)), cross(om, cross(tank, nozzle)))
        m.push(i, coriolis, sub(scale(symmetric_times(content.second, om), share), scale(leaves, flow)))


def motor(m: Mechanism, force: Motor) -> None:
    """The motor's curve at the rotor's speed, or what is commanded within it, through its gear."""
    x = m.coordinates_of[str(force.joint)][0]
    ratio = m.letters.number(force.ratio, "i", force.name)
    speed = times(ratio, x.rate)
    own = speed if force.command is None else Call("abs", (speed,))
    torque = m.entries.entry(force.torque, {"v": own, "t": Name("t")}, force.name, "T")
    if force.command is not None:
        most = Call("abs", (torque,))
        wanted = m.entries.entry(force.command, {"v": speed, "t": Name("t")}, f"{force.name}_command", "T")
        torque = Call("min", (Call("max", (wanted, negative(most))), most))
    act(m, x, times(times(ratio, m.letters.number(force.efficiency, "eta", force.name)), torque))


def bushing(m: Mechanism, force: Bushing) -> None:
    """Six-axis spring and damper: -K x - D ẋ + F₀ in its axes on a, and for rotations J(φ)⁻ᵀ K φ, φ the rotation vector."""
    a, b = m.bodies.number(str(force.a)), m.bodies.number(str(force.b))
    axes, at = np.array(rotation_matrix(force.rotation)), np.array(force.at, float)
    A, B = m.bodies.axes(a, axes), m.bodies.axes(b, axes)
    R, _ = m.recursion.relative_pose(a, b)
    x = rotate_back(A, m.distance(a, at, b, at, force.name))
    xd, om = tuple(m.rate(y) for y in x), rotate_back(A, m.turning(a, b))
    phi, k = rotation_vector(multiply_back(A, multiply(R, B)))
    number, names = m.letters.number, ("x", "y", "z", "rx", "ry", "rz")
    K, D, F = (
        [number(value, letter, force.name, name) for value, name in zip(values, names, strict=True)]
        for values, letter in ((force.stiffness, "k"), (force.damping, "d"), (force.preload, "F"))
    )
    push_b = tuple(minus(minus(F[j], times(K[j], x[j])), times(D[j], xd[j])) for j in range(3))
    u = tuple(negative(times(K[3 + j], phi[j])) for j in range(3))
    c = cross(phi, u)
    turn = add(u, add(scale(c, HALF), scale(cross(phi, c), k)))
    turn_b = tuple(plus(turn[j], minus(F[3 + j], times(D[3 + j], om[j]))) for j in range(3))
    f, n = rotate(A, push_b), rotate(A, turn_b)  # on b, in axes of a
    _, r = m.recursion.relative_pose(a, b)
    end = m.bodies.point(b, at, force.name if b < 0 else f"{force.name}_b")
    if b >= 0:
        own = rotate_back(R, f)
        m.push(b, own, add(rotate_back(R, n), cross(end, own)))
    if a >= 0:
        m.push(a, opposite(f), opposite(add(n, cross(add(r, rotate(R, end)), f))))


def rotation_vector(R: Matrix) -> tuple[Vector, Node]:
    """φ with exp(φ~) = R, and k = (1 - ½θ cot ½θ)/θ² of its rate."""
    half = tuple(times(HALF, minus(R[i], R[j])) for i, j in ((7, 5), (2, 6), (3, 1)))
    s = Call("sqrt", (dot(half, half),))
    c = times(HALF, plus(plus(R[0], R[4]), plus(R[8], Number(-1))))
    angle = Call("atan2", (s, c))
    phi = scale(half, Call("if", (Call(">", (s, ZERO)), quotient(angle, s), ONE)))
    h, square = times(HALF, angle), times(angle, angle)
    exact = quotient(minus(ONE, times(h, quotient(Call("cos", (h,)), Call("sin", (h,))))), square)
    near = plus(
        plus(Number(Fraction(1, 12)), times(Number(Fraction(1, 720)), square)),
        times(Number(Fraction(1, 30240)), times(square, square)),
    )
    return phi, Call("if", (Call("<", (square, Number(1e-4))), near, exact))


def opaque_force(m: Mechanism, force: Any) -> None:
    """Forces without a closed form: a named force and torque on every body, at its origin in its axes, or along a freedom."""
    joints = [str(name) for _, name in referenced_joints(force)]
    name = plain_name(force.name)
    if joints:
        for joint in (m.model.joints[name] for name in joints):
            symbols = ["_".join(part for part in ("T", name, freedom) if part) for freedom in joint.freedom_names]
            if joint.name in m.coordinates_of:
                for symbol, x in zip(symbols, m.coordinates_of[joint.name], strict=True):
                    act(m, x, m.named(force, symbol))
            elif joint.name in m.first_speed:
                for k, symbol in enumerate(symbols, m.first_speed[joint.name]):
                    m.tau[k] = plus(m.tau[k], m.named(force, symbol))
            else:
                push_cut_ball(m, joint, tuple(m.named(force, symbol) for symbol in symbols))
        return
    on = [i for i in dict.fromkeys(m.bodies.number(str(body)) for _, body in referenced_bodies(force)) if i >= 0]
    on = on or list(range(len(m.bodies.tree.bodies)))
    for i in on:
        below = name if len(on) == 1 else f"{name}_{plain_name(m.bodies.tree.bodies[i])}"
        f, n = (tuple(m.named(force, f"{letter}_{below}_{axis}") for axis in "xyz") for letter in ("F", "M"))
        m.push(i, f, n)


WRITERS: dict[type, Callable[[Any, Any], None]] = {
    Spring: spring,
    Force: vector_force,
    Torque: vector_force,
    Drag: drag,
    Aerodynamics: aerodynamics,
    CentralGravity: central_gravity,
    Motor: motor,
    Bushing: bushing,
    Thrust: thrust,
}
