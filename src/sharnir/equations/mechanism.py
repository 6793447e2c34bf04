"""A model made ready for the derivation: its coordinates, speeds and given motions as symbols, and all bodies' motion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.equations.bodies import aligned_rotations, bodies_of, empty_tank
from sharnir.equations.entries import TIME, Entries, UsersFunction
from sharnir.equations.flexible_bodies import check_flexible, list_elastic, node_motion
from sharnir.equations.formula_motion import formula_motion, in_axes
from sharnir.equations.joint_motion import (
    Coordinate,
    Elementary,
    RelativeMotion,
    ball_motion,
    free_motion,
    opened_motion,
    quaternion_rates,
    sequence_motion,
    symbol,
)
from sharnir.equations.letters import Letters, coordinate_name, settled_entry
from sharnir.equations.recursion import Recursion, Wrench
from sharnir.errors import ModelError
from sharnir.model import FormulaJoint, Model, PointOnCurve, Table, Thrust
from sharnir.model.bodies.flexible_body import Attachment
from sharnir.model.events.effects import NewParameter
from sharnir.model.frames import Frame
from sharnir.model.links import referenced_joints
from sharnir.model.placement import placements
from sharnir.symbolic.differentiation import gradient, rates
from sharnir.symbolic.evaluation import evaluated
from sharnir.symbolic.expression_graph import names_of
from sharnir.symbolic.matrices import NOTHING, Matrix, Vector, add, quaternion_rotation, rotate, rotate_back, sub
from sharnir.symbolic.nodes import ONE, ZERO, Name, Node, Number, plus, times
from sharnir.symbolic.printing import plain_name
from sharnir.topology import Tree
from sharnir.topology.cut_cost import joints_in_use, loaded

if TYPE_CHECKING:
    from sharnir.equations.elements.left_forces import LeftForces
    from sharnir.equations.tracking import Track

SIMPLE_CUTS = ("Ball", "Fixed", "Revolute", "Prismatic", "Cylindrical", "Universal", "Planar")  # closed without coordinates
FOLLOWED = ("Revolute", "Prismatic", "Screw", "Cylindrical", "Universal", "Planar")  # their coordinates follow from the bodies


class Mechanism:
    """Symbols and motion of a model.

    coordinates, speeds : those of the tree, then those that cut joints and curves add, which have no inertia.
    rates : how fast a symbol changes: coordinates by speeds, given motions by their own rates, t by 1; speeds do not change.
    given : prescribed motions, symbol → value, rate and acceleration as expressions of t.
    definitions : nodes that print under a name; opaque : symbols of forces without a closed form, with their elements.
    for_machines : nobody reads the equations, so that bodies may have other axes than their users gave them (aligned_rotations).
    to_follow, followed : cut joints whose coordinates are expressions of the motion of the bodies, and these (tracking.py).
    engine : takes forces without a closed form (left_forces.py); None: they keep a name.
    positions, velocities : constraint equations.   explicit_rows : g, ġ, g̈ without v̇, perhaps ∂g/∂q.
    opened : joints that get six more freedoms, the last of all, for their reactions (opened_joints.py).
    """

    def __init__(
        self,
        model: Model,
        tree: Tree,
        letters: Letters,
        for_machines: bool = False,
        engine: LeftForces | None = None,
        opened: Sequence[str] = (),
    ) -> None:
        self.model, self.tree, self.engine = model, tree, engine
        self.letters, self.for_machines = letters, for_machines
        self.entries = Entries(model, self.letters, changing=changing_parameters(model) if for_machines else {})
        self.placed: dict[str, Frame] = placements(model)
        check_flexible(self)
        self.coordinates: list[Name] = []
        self.coordinate_channels: list[str] = []
        self.speeds: list[Name] = []
        self.speed_channels: list[str] = []
        self.accelerations: list[Name] = []
        self.start: list[float] = []
        self.rates: dict[Node, Node] = {TIME: ONE}
        self.given: dict[str, tuple[Node, Node, Node]] = {}
        self.definitions: dict[Node, str] = {}
        self.opaque: dict[str, str] = {}
        self.tank_symbols: dict[str, tuple[Node, Node]] = {}  # thrust of every engine, and the mass in its tank
        self.coordinates_of: dict[str, list[Coordinate]] = {}
        self.first_speed: dict[str, int] = {}
        self.quaternion_of: dict[str, tuple[Node, ...]] = {}
        self.joints: dict[str, Any] = {}
        self.dependent: dict[str, Coordinate] = {}
        self.followed: dict[str, list[Track]] = {}
        self.followed_start: dict[str, float] = {}
        for joint in tree.joints:
            self._list_joint(joint)
        self.elastic = list_elastic(self)
        self.n_tree, self.n_tree_q = len(self.speeds), len(self.coordinates)
        cuts = [joint for joint in tree.cuts if needs_coordinates(joint, model)]
        self.to_follow = [joint for joint in cuts if for_machines and can_follow(joint, model)]
        for joint in cuts:
            if joint not in self.to_follow:
                self._list_joint(joint)
        curves = [x for x in model.constraints.values() if isinstance(x, PointOnCurve)]
        self.on_curve = {x.name: self._on_curve(x) for x in curves if engine is None}
        self._follow()
        self.opened = {name: [self._opening(name, c) for c in range(6)] for name in opened}
        turns = None  # flexible bodies are described in axes of their own
        if for_machines and not self.elastic:
            turns = partial(aligned_rotations, tree, joint_axes=self._joint_axes)
        self.bodies = bodies_of(model, tree, self.placed, self.letters, turns)
        self._list_engines(for_machines)
        relative = [self._maybe_opened(i) for i in range(len(tree.joints))]
        self.recursion = Recursion(self.bodies, relative, self._base(), self.letters.gravity(model.gravity), for_machines)
        self._list_rotors()
        self.wrenches: list[Wrench] = [(NOTHING, NOTHING)] * len(tree.joints)
        self.tau: list[Node] = []
        self.origins: list[Vector] = []
        self.positions: list[tuple[str, Node]] = []
        self.velocities: list[tuple[str, Node]] = []
        self.explicit_rows: list[tuple[str, Node, Node, Node, list[Node] | None]] = []
        self.curve_tracks: list[Track] = []

    def _list_engines(self, for_machines: bool) -> None:
        """Engines take what they burn off their bodies."""
        for force in self.model.forces.values():
            if isinstance(force, Thrust):
                self._name_engine(force, for_machines)
                empty_tank(self.bodies, force, self.tank_symbols[force.name][1])

    def _name_engine(self, force: Thrust, for_machines: bool) -> None:
        """Symbols of the thrust of an engine and of the mass in its tank: inputs, or in code a signal and one of its states."""
        own = plain_name(force.name)
        names = f"F_{own}", f"m_{own}_propellant"
        found = (Name(f".{force.signal}"), control_symbol(f"{force.signal}.m")) if for_machines else ()
        self.tank_symbols[force.name] = found or (self.named(force, names[0]), self.named(force, names[1]))

    # coordinates

    def _list_joint(self, joint: Any) -> None:
        """Symbols of a joint's coordinates and speeds."""
        self.joints[joint.name] = joint
        if joint.coordinates != "angles":
            self._list_quaternion(joint)
            return
        self.coordinates_of[joint.name] = []
        for k, name in enumerate(joint.freedom_names):
            if joint.mimic is not None:
                continue
            own = self._new(coordinate_name(joint.name, name))
            if joint.motion[k] is not None:
                self.coordinates_of[joint.name].append(self._given(own, joint.motion[k], (joint.name, k)))
            else:
                dot = f".{name}" if name else ""
                self.coordinates_of[joint.name].append(
                    self.add_coordinate(own, f"{joint.name}.q{dot}", f"{joint.name}.v{dot}", joint.q[k])
                )

    def add_coordinate(self, own: str, q: str, v: str, start: float) -> Coordinate:
        """One more coordinate whose speed is its rate."""
        value, rate, acceleration = symbol(own)
        self.coordinates.append(value)
        self.coordinate_channels.append(q)
        self.speeds.append(rate)
        self.speed_channels.append(v)
        self.accelerations.append(acceleration)
        self.start.append(start)
        self.rates[value] = rate
        return Coordinate(value, rate, ZERO, {len(self.speeds) - 1: ONE})

    def _on_curve(self, x: PointOnCurve) -> Node:
        """The place of a point on its curve."""
        return self.add_coordinate(self._new(f"s_{plain_name(x.name)}"), f"{x.name}.s", f"{x.name}.s_dot", x.s).value

    def _list_quaternion(self, joint: Any) -> None:
        self.first_speed[joint.name] = len(self.speeds)
        own = plain_name(joint.name)
        q = [Name(self._new(f"q_{own}_{name}")) for name in _unique(joint)]
        v = [Name(self._new(f"v_{own}_{name}")) for name in joint.freedom_names]
        self.quaternion_of[joint.name] = tuple(q[-4:])
        self.coordinates += q
        self.coordinate_channels += [f"{joint.name}.q.{name}" for name in joint.coordinate_names]
        self.speeds += v
        self.speed_channels += [f"{joint.name}.v.{name}" for name in joint.freedom_names]
        self.accelerations += [Name(x.name + "'") for x in v]
        self.start += list(joint.q)
        for x, rate in zip(q[-4:], quaternion_rates(q[-4:], v[-3:]), strict=True):
            self.rates[x] = rate
        if joint.coordinates == "free":
            D = self._free_axes(joint)
            for x, rate in zip(q[:3], rotate_back(D, rotate(quaternion_rotation(q[3:]), tuple(v[:3]))), strict=True):
                self.rates[x] = rate

    def _new(self, name: str) -> str:
        """A name that no other symbol has."""
        first, again = name, 1
        while name in self.letters.taken:
            again += 1
            name = f"{first}_{again}"
        self.letters.taken.add(name)
        return name

    def _given(self, own: str, motion: Any, freedom: tuple[str, int] | None = None) -> Coordinate:
        """A prescribed freedom: a number, or a symbol with what it follows; `freedom`: which one of a joint."""
        if isinstance(motion, float):
            held = self.letters.number(motion, own) if self.for_machines else Number(motion)
            return Coordinate(held, ZERO, ZERO)
        value, rate, acceleration = symbol(own)
        self.given[own] = self._course(own, motion, freedom)
        self.rates[value], self.rates[rate] = rate, acceleration
        return Coordinate(value, rate, acceleration)

    def _course(self, own: str, motion: Any, freedom: tuple[str, int] | None) -> tuple[Node, Node, Node]:
        """Value, rate and acceleration of a prescribed motion as expressions of t."""
        parts = motion if isinstance(motion, tuple) else (motion,)
        found = [self.entries.entry(part, {"t": TIME}, f"{own}{'' if k == 0 else k}") for k, part in enumerate(parts)]
        if len(found) == 1 and names_of(found[0]) & set(self.entries.signals):
            if self.engine is not None and freedom is not None:
                return self._followed_course(own, found[0], freedom)
            dots = (own + "'", own + "''")  # what comes from outside has rates that only the outside knows
            self.opaque |= dict.fromkeys(dots, "rate of a prescribed motion that follows a signal")
            return found[0], Name(dots[0]), Name(dots[1])
        if len(found) == 1:
            if not isinstance(motion, (str, Table)):
                self._differences(own, motion)
            for _ in range(2):
                found += rates(found[-1:], {TIME: ONE}, self.entries.slopes)
        return found[0], found[1], found[2]

    def _followed_course(self, own: str, value: Node, freedom: tuple[str, int]) -> tuple[Node, Node, Node]:
        """A motion that follows inputs: the engine knows their course and its rates."""
        assert self.engine is not None
        names = tuple(Name(f".course {own}{dots}") for dots in ("", "'", "''"))
        self.engine.courses[names] = freedom
        inputs = {symbol: self.model.signals[name] for symbol, name in self.entries.signals.items()}
        start = {symbol: float(getattr(x, "initial", 0.0)) for symbol, x in inputs.items()} | {"t": 0.0}
        self.followed_start |= dict.fromkeys((x.name for x in names), 0.0)
        self.followed_start[names[0].name] = evaluated([value], self.letters.values | start, self.entries.functions)[0]
        return names[0], names[1], names[2]

    def _differences(self, own: str, function: Callable[[float], float]) -> None:
        """Slopes of a user's function of time by differences of fourth order."""
        names = self.entries.function_names(own, function)
        plain, h = self.entries.functions[names[0]], 1e-3

        def slope(t: float) -> float:
            return (8.0 * (plain(t + h) - plain(t - h)) - (plain(t + 2 * h) - plain(t - 2 * h))) / (12.0 * h)

        def curvature(t: float) -> float:
            near, far = plain(t + h) + plain(t - h), plain(t + 2 * h) + plain(t - 2 * h)
            return (16.0 * near - far - 30.0 * plain(t)) / (12.0 * h * h)

        self.entries.functions[names[1]], self.entries.functions[names[2]] = slope, curvature
        self.entries.slopes[names[0]], self.entries.slopes[names[1]] = (names[1],), (names[2],)
        self.entries.users |= {name: UsersFunction(function, 1, own, order) for order, name in enumerate(names)}

    def _follow(self) -> None:
        """Mimic joints: multiples of the coordinates they follow."""
        for joint in self.joints.values():
            if joint.mimic is None:
                continue
            factor, offset, leader = 1.0, 0.0, joint
            for _ in self.model.joints:
                if leader.mimic is None:
                    break
                name, m, o = leader.mimic
                leader = self.model.joints[name]
                factor, offset = factor * m, factor * o + offset
            x = self.coordinates_of[leader.name][0]
            f = self.letters.number(factor, "i", joint.name) if abs(factor) != 1.0 else Number(factor)
            value = plus(times(f, x.value), self.letters.number(offset, "r", joint.name))
            speeds = {k: times(f, c) for k, c in x.speeds.items()}
            follower = Coordinate(value, times(f, x.rate), times(f, x.known), speeds)
            self.coordinates_of[joint.name] = [follower]
            self.dependent[joint.name] = follower

    def _list_rotors(self) -> None:
        """½ J q̇² of rotors that turn with freedoms; q̇ may be made of several speeds."""
        for joint in self.joints.values():
            if not any(joint.armature):
                continue
            if joint.name in {cut.name for cut in self.tree.cuts}:
                raise ModelError(f"joint '{joint.name}': armature in a joint that closes a loop has no equations; leave it out")
            speeds = [{self.first_speed[joint.name] + k: ONE} for k in range(joint.n_v)] if joint.coordinates != "angles" else []
            speeds = speeds or [x.speeds for x in self.coordinates_of[joint.name]]
            for J, name, of in zip(joint.armature, joint.freedom_names, speeds, strict=True):
                for k, a in of.items():
                    for j, b in of.items():
                        term = times(times(a, b), self.letters.number(J, "J", joint.name, name))
                        self.recursion.rotors[k, j] = plus(self.recursion.rotors.get((k, j), ZERO), term)

    # motion

    def _opening(self, joint: str, c: int) -> Coordinate:
        """One of the freedoms of an opened joint."""
        own = self._new(f"open_{plain_name(joint)}_{c}")
        return self.add_coordinate(own, f"{joint}.open.{c}", f"{joint}.opening.{c}", 0.0)

    def _maybe_opened(self, i: int) -> RelativeMotion:
        x, opened = self._relative(i), self.opened.get(self.tree.joints[i].name)
        return x if opened is None else opened_motion(x, opened[:3], opened[3:])

    def elastic_symbols(self, k: int) -> Node:
        """The coordinate whose rate is the speed of number k."""
        return Name(self.speeds[k].name.removesuffix("'"))

    def new_name(self, name: str) -> str:
        """A name that no other symbol has."""
        return self._new(name)

    def _relative(self, i: int) -> RelativeMotion:
        joint = self.tree.joints[i]
        if isinstance(joint, Attachment):
            return node_motion(self, joint)
        if joint.coordinates != "angles":
            first = self.first_speed[joint.name]
            v = self.speeds[first : first + joint.n_v]
            e = self.quaternion_of[joint.name]
            if joint.coordinates == "ball":
                return ball_motion(e, v, first)
            place = next(k for k, x in enumerate(self.coordinates) if x is e[0]) - 3
            q = self.coordinates[place : place + 7]
            return free_motion(q, v, first, self._free_axes(joint))
        if isinstance(joint, FormulaJoint):
            return in_axes(self.by_formulas(joint, self.tree.reversed[i]), self.bodies.axes(i, self._joint_axes(joint)))
        sign = -1.0 if self.tree.reversed[i] else 1.0
        freedoms = []
        for f, x in zip(joint.freedoms, self.coordinates_of[joint.name], strict=True):
            axis = sign * self.bodies.rotation[i].T @ self._joint_axes(joint) @ np.array(f.axis)
            freedoms.append(Elementary(f.kind, tuple(settled_entry(y) for y in axis), f.pitch, x))
        return sequence_motion(freedoms[::-1] if self.tree.reversed[i] else freedoms)

    def by_formulas(self, joint: FormulaJoint, turned: bool = False) -> RelativeMotion:
        """Motion in a joint that is given by formulas, in the axes in which they are written."""
        names = {name: self.entries.table_names(table, f"{joint.name}_{name}") for name, table in joint.tables.items()}
        return formula_motion(joint, self.coordinates_of[joint.name], names, self.entries.known(), turned)

    def _joint_axes(self, joint: Any) -> np.ndarray:
        """Axes in which a joint's own axes are given → world, in the drawing."""
        if not joint.uses_frames:
            return np.eye(3)
        world = self.placed[joint.parent] @ joint.parent_frame if joint.parent_frame else self.placed[joint.parent]
        return np.array(world.rotation_matrix)

    def _free_axes(self, joint: Any) -> Matrix:
        """Axes of the drawing in which a free joint measures displacement → body axes at zero."""
        R = np.array(self.placed[joint.child].rotation_matrix)
        return tuple(Number(settled_entry(x)) for x in (R.T @ self._joint_axes(joint)).ravel())

    def _base(self) -> RelativeMotion | None:
        motion = self.model.base_motion
        if motion is None:
            return None
        freedoms = []
        for k, name in enumerate(("x", "y", "z", "rx", "ry", "rz")):
            entry = getattr(motion, name)
            if entry is not None:
                x = self._given(self._new(f"base_{name}"), entry)
                axis = tuple(float(j == k % 3) for j in range(3))
                freedoms.append(Elementary("translation" if k < 3 else "rotation", axis, 0.0, x))
        return sequence_motion(freedoms)

    def renamed(self, names: Mapping[str, str], done: Callable[[Node], Node]) -> Mechanism:
        """The same symbols under other names."""
        other = copy(self)
        other.coordinates = [Name(names.get(x.name, x.name)) for x in self.coordinates]
        other.speeds = [Name(names.get(x.name, x.name)) for x in self.speeds]
        other.accelerations = [Name(names.get(x.name, x.name)) for x in self.accelerations]
        other.rates = {done(x): done(rate) for x, rate in self.rates.items()}
        other.given = {names.get(name, name): tuple(done(x) for x in course) for name, course in self.given.items()}  # type: ignore[misc]
        other.definitions = {done(node): names.get(name, name) for node, name in self.definitions.items()}
        other.opaque = {names.get(name, name): x for name, x in self.opaque.items()}
        other.letters = copy(self.letters)
        other.letters.values = {names.get(name, name): value for name, value in self.letters.values.items()}
        other.entries = copy(self.entries)
        other.entries.signals = {names.get(name, name): x for name, x in self.entries.signals.items()}
        other.bodies = copy(self.bodies)
        other.bodies.about_joint = [(done(node), body, axis) for node, body, axis in self.bodies.about_joint]
        return other

    # what forces and constraints ask for

    def rate(self, node: Node) -> Node:
        """How fast an expression changes, without accelerations of the speeds."""
        return rates([node], self.rates, self.entries.slopes)[0]

    def by_speeds(self, node: Node) -> list[Node]:
        """∂node/∂v for all speeds."""
        return gradient(node, self.speeds, self.entries.slopes)

    def define(self, node: Node, letter: str, *below: str) -> Node:
        """The node, which will print under a name."""
        if node not in self.definitions and node.arguments:
            self.definitions[node] = self._new("_".join([letter, *map(plain_name, below)]))
        return node

    def named(self, element: Any, name: str) -> Node:
        """A symbol for what an element gives that no formula describes."""
        own = self._new(name)
        self.opaque[own] = element.label
        return Name(own)

    def ask_origins(self) -> None:
        """Where the users' body frames are in those of the derivation: asked for last, so that other numbers keep their order."""
        self.origins = [self.bodies.point(i, np.array(self.placed[x].position), x) for i, x in enumerate(self.tree.bodies)]

    def origin_in_world(self, i: int) -> Vector:
        """Position of the frame of body i, as the user placed it."""
        R, r = self.recursion.pose(i, -2 if self.recursion.moving else -1)
        return add(r, rotate(R, self.origins[i]))

    def push(self, i: int, force: Vector, torque: Vector) -> None:
        """Add a force, and a torque about the origin, to body i, in its axes."""
        f, n = self.wrenches[i]
        self.wrenches[i] = add(f, force), add(n, torque)

    def centre(self, i: int) -> Vector:
        """Centre of mass of body i in its axes."""
        x = self.bodies.inertia[i]
        if x.mass is not ZERO and not isinstance(x.mass, Number):
            return self.letters.vector(
                self.bodies.local(i, self.bodies.centre(self.tree.bodies[i], None)), self.bodies.scale, "c", self.tree.bodies[i]
            )
        return tuple(Number(y) for y in self.bodies.local(i, self.bodies.centre(self.tree.bodies[i], None)))

    def distance(self, a: int, at_a: np.ndarray, b: int, at_b: np.ndarray, name: str) -> Vector:
        """From a point of body a to one of body b, both given in the drawing; axes of body a."""
        R, r = self.recursion.relative_pose(a, b)
        start = self.bodies.point(a, at_a, name if a < 0 else f"{name}_a")
        end = self.bodies.point(b, at_b, name if b < 0 else f"{name}_b")
        return sub(add(r, rotate(R, end)), start)

    def turning(self, a: int, b: int) -> Vector:
        """Angular velocity of body b relative to body a, in axes of a."""
        R, _ = self.recursion.relative_pose(a, b)
        return sub(rotate(R, self.recursion.at(b).om), self.recursion.at(a).om)

    def given_coordinate(self, joint: Any, k: int) -> Coordinate:
        """A prescribed coordinate of a joint; one that is free does not move."""
        name = coordinate_name(joint.name, joint.freedom_names[k])
        motion = joint.motion[k]
        return Coordinate(ZERO, ZERO, ZERO) if motion is None else self._given(self._new(name), motion, (joint.name, k))

    def given_length(self, name: str, value: Any) -> Node:
        """A length or coordinate that follows a Python function of time: prescribed, with the rates that the engine has."""
        return self._given(self._new(f"given_{plain_name(name)}"), value).value

    def followed_coordinate(self, own: Name, rate: Node, start: float) -> Coordinate:
        """A coordinate that follows from the motion of the bodies."""
        self.rates[own], self.followed_start[own.name] = rate, start
        speeds = {k: slope for k, slope in enumerate(self.by_speeds(rate)) if slope is not ZERO}
        return Coordinate(own, rate, ZERO, speeds)

    def coordinate(self, joint: str, freedom: int) -> Node:
        """A coordinate of a joint."""
        if joint in self.followed:
            return self.followed[joint][freedom].value
        return self.coordinates_of[joint][freedom].value


def _unique(joint: Any) -> Sequence[str]:
    """Names of the coordinates below q; quaternions of free joints keep their q apart from positions."""
    return [f"e{name[1:]}" if name.startswith("q") else name for name in joint.coordinate_names]


def control_symbol(name: str) -> Name:
    """The symbol of a state of control, as the engine has them; no other symbol begins with a dot."""
    return Name(f".{name}")


def changing_parameters(model: Model) -> dict[str, Node]:
    """Symbols of parameters that events change."""
    effects = [effect for event in model.events.values() for action in event.actions for effect in action.effects()]
    return {x.parameter: control_symbol(f"parameter {x.parameter}") for x in effects if isinstance(x, NewParameter)}


def can_follow(joint: Any, model: Model) -> bool:
    """Whether the coordinates of a cut joint follow from the motion of the bodies, and nothing follows them."""
    leaders = {other.mimic[0] for other in model.joints.values() if other.mimic is not None}
    return joint.mimic is None and joint.name not in leaders and type(joint).__name__ in FOLLOWED


def needs_coordinates(joint: Any, model: Model) -> bool:
    """Whether a cut joint keeps its coordinates: others refer to them, forces act along them, or it has no simple equations."""
    if joint.coordinates != "angles":
        if joint.coordinates == "free" and (loaded(joint) or joint.name in joints_in_use(model)):
            raise ModelError(f"{joint.label}: forces act in it, but it closes a loop; use Force, Torque or Bushing instead")
        return False
    followed = {other.mimic[0] for other in model.joints.values() if other.mimic is not None}
    signals = {name for element in model.signals.values() for _, name in referenced_joints(element)}
    used = joint.name in joints_in_use(model) | followed | signals or joint.mimic is not None
    return used or any(joint.driven) or loaded(joint) or type(joint).__name__ not in SIMPLE_CUTS
