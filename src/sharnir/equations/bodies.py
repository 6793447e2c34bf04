"""Bodies of a tree as the derivation sees them: frames at their joints, along the user's body axes, and inertia.

The frame of body i stands in the joint that leads to it and is turned as the user's body frame, so that centre of mass and
moments of inertia are the user's own numbers; where no person reads the equations, it may be turned otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sharnir.equations.letters import Letters, constants, settled_entry
from sharnir.model import FlexibleBody, FormulaJoint, Model, Thrust
from sharnir.model.frames import Frame
from sharnir.symbolic.matrices import NOTHING, Matrix, Vector, add, scale, turned
from sharnir.symbolic.nodes import ZERO, Node, Number, minus, plus, times
from sharnir.topology import Tree

Six = tuple[Node, ...]  # symmetric matrix: xx, xy, xz, yy, yz, zz
PARALLEL = 1e-6  # sine of an angle between axes below which they have no normal of their own


@dataclass(frozen=True)
class Inertia:
    """Mass, first moment and moments of inertia about the origin of the frame."""

    mass: Node
    first: Vector
    second: Six


@dataclass
class Bodies:
    """Frames and inertia of all bodies. Number -1 is the ground."""

    model: Model
    tree: Tree
    placed: dict[str, Frame]
    letters: Letters
    scale: float
    rotation: np.ndarray  # (n, 3, 3) axes of the derivation → world in the drawing
    origin: np.ndarray  # (n, 3) where the joint stands in the drawing
    tree_rotation: list[Matrix]  # body axes at zero coordinates → parent axes
    tree_position: list[Vector]  # from the parent's origin, parent axes
    inertia: list[Inertia]
    tanks: dict[str, Inertia] = field(default_factory=dict)  # of engines: the full propellant, about the body's origin
    about_joint: list[tuple[Node, str, str]] = field(default_factory=list)  # moments J + m c² of a body: node, body, axis

    def number(self, body: str) -> int:
        """Number of a body by name."""
        return self.tree.number[body]

    def local(self, i: int, world: np.ndarray) -> np.ndarray:
        """A point of the drawing in the frame of body i, as numbers."""
        world = np.asarray(world, float)
        return world if i < 0 else self.rotation[i].T @ (world - self.origin[i])

    def direction(self, i: int, world: np.ndarray) -> Vector:
        """A direction of the drawing in axes of body i."""
        return constants(np.asarray(world, float) if i < 0 else self.rotation[i].T @ np.asarray(world, float))

    def axes(self, i: int, world: np.ndarray) -> Matrix:
        """Axes of the drawing (columns of a rotation matrix) → axes of body i."""
        turned = np.asarray(world, float) if i < 0 else self.rotation[i].T @ np.asarray(world, float)
        return constants(turned.ravel())

    def own_axes(self, i: int) -> Matrix:
        """The user's axes of body i → those of the derivation."""
        return self.axes(i, np.array(self.placed[self.tree.bodies[i]].rotation_matrix))

    def point(self, i: int, world: np.ndarray, name: str) -> Vector:
        """A point of the drawing in the frame of body i, with letters that carry `name`."""
        if i < 0:
            return self.letters.point(self.local(i, world), self.scale, name)
        return self.letters.vector(self.local(i, world), self.scale, "a", self.tree.bodies[i], name)

    def position(self, body: str, at: object) -> np.ndarray:
        """A point of the drawing: as given, or where the body is."""
        return np.array(self.placed[body].position if at is None else at, float)

    def centre(self, body: str, at: object) -> np.ndarray:
        """A point of the drawing: as given, or the centre of mass of the body."""
        if at is not None:
            return np.array(at, float)
        frame = self.placed[body]
        return np.array(frame.position) + np.array(frame.rotation_matrix) @ np.array(self.model.body(body).com)


def bodies_of(
    model: Model,
    tree: Tree,
    placed: dict[str, Frame],
    letters: Letters,
    turns: Callable[[np.ndarray], np.ndarray] | None = None,
) -> Bodies:
    """Frames and inertia of the bodies of a tree; `turns`: axes of the derivation from those of the user."""
    names = tree.bodies
    R = np.array([placed[name].rotation_matrix for name in names]).reshape(-1, 3, 3)
    R = R if turns is None else turns(R)
    o = np.array([joint_point(tree, i, placed) for i in range(len(names))]).reshape(-1, 3)
    user = np.array([placed[name].position for name in names]).reshape(-1, 3)
    size = float(np.abs(np.concatenate([o, user])).max(initial=0.0)) or 1.0
    bodies = Bodies(model, tree, placed, letters, size, R, o, [], [], [])
    outgoing = points_per_body(tree)
    for i, p in enumerate(tree.parent):
        above = np.eye(3) if p < 0 else R[p]
        bodies.tree_rotation.append(constants((above.T @ R[i]).ravel()))
        bodies.tree_position.append(joint_vector(bodies, p, bodies.local(p, o[i]), tree.joints[i].name, outgoing))
    for i, name in enumerate(names):
        bodies.inertia.append(inertia_of(bodies, i, name))
    return bodies


def aligned_rotations(tree: Tree, user: np.ndarray, joint_axes: Callable[[Any], np.ndarray]) -> np.ndarray:
    """Axes of bodies along the axes of their joints, so that rotations between neighbours have zeros (Denavit and Hartenberg).

    A body that one axis leads to gets z along it and x along the common normal to an axis that leads on. The turn in its joint
    is then one about z, and where the axis that leads on is z of its body, the constant turn between the two is one about x.

    user : (n, 3, 3) the users' axes → world in the drawing; they stay where they are along the joint's axis already, and where
    a joint has coordinates that are measured in them.

    joint_axes : of a joint, axes in which its freedoms are given → world.
    """
    along = [_axis(joint, joint_axes) for joint in tree.joints]
    found = user.copy()
    for i, z in enumerate(along):
        if z is None or any(abs(settled_entry(x)) == 1.0 for x in user[i].T @ z):
            continue
        onward = [other for other, p in zip(along, tree.parent, strict=True) if p == i and other is not None]
        normals = [np.cross(z, other) for other in onward]
        normals = [x for x in normals if np.linalg.norm(x) > PARALLEL]
        x = normals[0] if normals else _across(z, user[i])
        x = x - z * (x @ z)
        x /= np.linalg.norm(x)
        found[i] = np.column_stack([x, np.cross(z, x), z])
    return found


def _axis(joint: Any, joint_axes: Callable[[Any], np.ndarray]) -> np.ndarray | None:
    """The axis of a joint with one freedom, in the world; None: it has no single one."""
    if joint.coordinates != "angles" or isinstance(joint, FormulaJoint):
        return None
    freedoms: Any = getattr(joint, "freedoms", ())
    if len(freedoms) != 1:
        return None
    axis = joint_axes(joint) @ np.array(freedoms[0].axis, float)
    return axis / np.linalg.norm(axis)


def _across(z: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """The one of some axes that is farthest from z."""
    return axes[:, int(np.argmin(np.abs(axes.T @ z)))]


def joint_point(tree: Tree, i: int, placed: dict[str, Frame]) -> np.ndarray:
    """Where the joint to body i stands in the drawing; a free joint stands at the body's own origin."""
    joint = tree.joints[i]
    if joint.coordinates == "free":
        return np.array(placed[tree.bodies[i]].position)
    if joint.uses_frames:
        world = placed[joint.parent] @ joint.parent_frame if joint.parent_frame else placed[joint.parent]
        return np.array(world.position)
    return np.array(placed[joint.child].position if joint.at is None else joint.at)


def points_per_body(tree: Tree) -> dict[int, int]:
    """How many joints of tree and loops leave each body; those with one need no second name."""
    count: dict[int, int] = {}
    for p in tree.parent:
        count[p] = count.get(p, 0) + 1
    for joint in tree.cuts:
        for body in (joint.parent, joint.child):
            count[tree.number[body]] = count.get(tree.number[body], 0) + 1
    return count


def joint_vector(bodies: Bodies, i: int, local: np.ndarray, joint: str, outgoing: dict[int, int]) -> Vector:
    """From the origin of body i to a joint on it: l_<body>, or x_<joint>, … on the ground."""
    if i < 0:
        return bodies.letters.point(local, bodies.scale, joint)
    below = (bodies.tree.bodies[i],) if outgoing.get(i, 0) < 2 else (bodies.tree.bodies[i], joint)
    return bodies.letters.vector(local, bodies.scale, "l", *below)


def inertia_of(bodies: Bodies, i: int, name: str) -> Inertia:
    """Inertia of a body about the origin of its frame: J about the centre of mass, and what its distance adds."""
    body, letters = bodies.model.bodies[name], bodies.letters
    if isinstance(body, FlexibleBody):  # flexible_bodies.py adds it
        return Inertia(ZERO, NOTHING, (ZERO,) * 6)
    mass = letters.number(float(body.mass), "m", name)
    if mass is ZERO:
        return Inertia(ZERO, NOTHING, (ZERO,) * 6)
    c = letters.vector(bodies.local(i, bodies.centre(name, None)), bodies.scale, "c", name)
    xx, yy, zz, xy, xz, yz = body.inertia
    first = {zz: "z"} | {yy: "y"} | {xx: "x"}  # equal moments have one letter
    pairs = zip((xx, xy, xz, yy, yz, zz), (first[xx], "xy", "xz", first[yy], "yz", first[zz]), strict=True)
    moments = turned(bodies.own_axes(i), [letters.number(float(value), "J", name, axis) for value, axis in pairs])
    second = tuple(plus(a, times(mass, b)) for a, b in zip(moments, squared(c, c), strict=True))
    if letters.wanted:
        for k, axis in ((0, "x"), (3, "y"), (5, "z")):
            if moments[k] is not ZERO and second[k] is not moments[k]:
                bodies.about_joint.append((second[k], name, axis))
    return Inertia(mass, scale(c, mass), second)


def empty_tank(bodies: Bodies, force: Thrust, left: Node) -> None:
    """Take what an engine has burnt off its body; `left` is the mass in its tank, which keeps its place as it empties."""
    i, name = bodies.number(str(force.body)), str(force.body)
    middle = bodies.centre(name, force.tank)
    c = constants(bodies.local(i, middle))
    mass = Number(force.propellant)
    xx, yy, zz, xy, xz, yz = force.tank_inertia
    own = turned(bodies.own_axes(i), constants((xx, xy, xz, yy, yz, zz)))
    content = Inertia(mass, scale(c, mass), tuple(plus(a, times(mass, b)) for a, b in zip(own, squared(c, c), strict=True)))
    bodies.tanks[force.name] = content
    burnt, x = minus(Number(1), times(Number(1.0 / force.propellant), left)), bodies.inertia[i]
    bodies.inertia[i] = Inertia(
        minus(x.mass, times(burnt, mass)),
        tuple(minus(a, times(burnt, b)) for a, b in zip(x.first, content.first, strict=True)),
        tuple(minus(a, times(burnt, b)) for a, b in zip(x.second, content.second, strict=True)),
    )


def squared(a: Vector, b: Vector) -> Six:
    """a·b 1 - (a bᵀ + b aᵀ)/2 for parallel or equal vectors: with a = b the moments of a unit mass at a."""
    x, y, z = (times(p, q) for p, q in zip(a, b, strict=True))
    return (
        plus(y, z),
        minus(ZERO, times(a[0], b[1])),
        minus(ZERO, times(a[0], b[2])),
        plus(x, z),
        minus(ZERO, times(a[1], b[2])),
        plus(x, y),
    )


def shifted(inertia: Inertia, r: Vector) -> Inertia:
    """The same inertia about a point from which its origin stands at r."""
    m, h = inertia.mass, inertia.first
    mixed = crossed(r, h)
    own = squared(r, r)
    second = tuple(plus(plus(a, b), times(m, c)) for a, b, c in zip(inertia.second, mixed, own, strict=True))
    return Inertia(m, add(h, scale(r, m)), second)


def crossed(r: Vector, h: Vector) -> Six:
    """2 r·h 1 - r hᵀ - h rᵀ."""

    def double(a: Node) -> Node:
        return plus(a, a)

    x, y, z = (times(p, q) for p, q in zip(r, h, strict=True))
    return (
        double(plus(y, z)),
        minus(ZERO, plus(times(r[0], h[1]), times(r[1], h[0]))),
        minus(ZERO, plus(times(r[0], h[2]), times(r[2], h[0]))),
        double(plus(x, z)),
        minus(ZERO, plus(times(r[1], h[2]), times(r[2], h[1]))),
        double(plus(x, y)),
    )
