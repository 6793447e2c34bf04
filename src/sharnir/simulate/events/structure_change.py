"""A change of structure during a run: new joints and equations, the same motion, and the impact of joints that engage.

What comes apart only changes coordinates. What takes hold is first an equation between the coordinates that there are; the
engine's projection of speeds in the metric of the masses is the plastic impact, Δv = -M⁻¹ Cᵀ (C M⁻¹ Cᵀ)⁻¹ ġ. Then the state goes
over to the coordinates of the new structure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np

from sharnir.dynamics.mobility.constraint_jacobian import constraints_at
from sharnir.dynamics.mobility.motion_basis import corrected
from sharnir.dynamics.system import System
from sharnir.errors import ModelError
from sharnir.kernel.user import inner_function
from sharnir.model import Attach, FreedomSequence, Join, Joint, Lock, Model, Release, SetMotion, Unlock
from sharnir.model.changed_structure import Structure
from sharnir.model.constraints.programmed import Programmed
from sharnir.model.constraints.variables import JointCoordinate
from sharnir.model.events import START
from sharnir.model.frames import Frame
from sharnir.model.given_functions import Table
from sharnir.model.joints.freedom import SIX_FREEDOMS
from sharnir.model.placement import placements
from sharnir.simulate.channels.channel_groups import Observer
from sharnir.simulate.channels.joint_channels import joint_channel
from sharnir.simulate.events.carried_state import CarriedState, relative_pose
from sharnir.simulate.events.gap_closing import APART, closed, drawn_together
from sharnir.simulate.events.places_on_curves import left_constraint, met_constraint

BEGINS = 1e-6  # how far from the joint's coordinate a new motion may begin, against 1 + |q|
Compile = Callable[[Model, CarriedState, tuple[str, ...]], System]


@dataclass
class StructureChange:
    """Changes at one moment: the original model, its structure now, the system and its state."""

    original: Model
    structure: Structure
    system: System
    t: float
    y: np.ndarray
    compile: Compile
    label: str  # of the event, for messages

    def apply(self, actions: Sequence[Any]) -> None:
        """Do what the actions say, in their order; those that follow each other and are alike at once."""
        for takes_hold, chosen in groupby(map(self._of_leader, actions), _takes_hold):
            if not takes_hold:
                self._come_apart(list(chosen))
                continue
            for together in _each_after_its_join(chosen):
                self._take_hold(together)

    def _of_leader(self, action: Any) -> Any:
        """A joint that follows another one (mimic) stops and goes on with it: the action, on the joint that leads."""
        name = action.coordinate.joint if isinstance(action, SetMotion) else getattr(action, "joint", None)
        follower = self.original.joints.get(name) if isinstance(name, str) else None
        if follower is None or follower.mimic is None or follower.mimic[0] not in self.structure.joints(self.original):
            return action
        leader = follower.mimic[0]
        if isinstance(action, (Lock, Unlock)) and name in self.structure.joints(self.original):
            return replace(action, joint=leader, freedom=None)
        if isinstance(action, SetMotion):
            remedy = f"give the motion to '{leader}'"
        elif isinstance(action, Join) and name in self.structure.released:
            remedy = "its teeth would not mesh; use a Gear instead of mimic, which can be released and joined"
        else:
            return action
        raise ModelError(
            f"{self.label}: {action.label}({name!r}) at t = {self.t:.6g}: this joint follows '{leader}' (mimic); {remedy}"
        )

    def _come_apart(self, actions: Sequence[Any]) -> None:
        before = self.structure
        for action in actions:
            self.structure = self._without(action)
        if self.structure != before:
            self._carry(self.structure.model(self.original), ())

    def _carry(self, model: Model, cut: tuple[str, ...]) -> None:
        """Go over to another model with the state that there is."""
        self.system = self.compile(model, CarriedState(self.system, self.t, self.y), cut)
        self.y = corrected(self.system, self.system.y0.copy(), self.t)

    def _without(self, action: Any) -> Structure:
        """The structure after Release, Unlock, or SetMotion to None."""
        s, joints = self.structure, self.structure.joints(self.original)
        name = action.coordinate.joint if isinstance(action, SetMotion) else action.joint
        joint = joints.get(name)
        if name in self.original.constraints and isinstance(action, Release):
            left = left_constraint(self.system, self.y, self.original.constraints[name])
            return replace(s, slack={name: left, **s.slack})
        if joint is None:
            return s  # it has come apart already
        motions, added = dict(s.motions), dict(s.added)
        if isinstance(action, Release):
            motions = {key: motion for key, motion in motions.items() if key[0] != name}
            given = self.original.joints.get(name, joint)
            added.pop(name, None)
            same = given.n_v and given.coordinates == joint.coordinates  # not a ball joint that was locked
            apart = replace(given, motion=None, q=tuple(self._coordinates(joint)), mimic=None) if same else given
            released = dict(s.released) if name in s.added and name not in self.original.joints else {**s.released, name: apart}
            return replace(s, released=released, motions=motions, added=added)
        if name in added and name in self.original.joints:  # a ball joint that was locked
            added.pop(name)
            return replace(s, added=added)
        for k in self._freedoms(joint, action):
            motions.pop((name, k), None)
            if joint.motion[k] is not None:
                motions[name, k] = None
        return replace(s, motions=motions)

    def _take_hold(self, actions: Sequence[Any]) -> None:
        """Lock, Attach, Join, SetMotion: a plastic impact, then the coordinates of the new structure."""
        driven = [Unlock(x.coordinate.joint, x.coordinate.freedom) for x in actions if isinstance(x, SetMotion)]
        driven += [Unlock(x.joint, x.freedom) for x in actions if isinstance(x, Lock)]
        driven = [x for x in driven if self._is_driven(x)]
        if driven:  # a motion that another one replaces ends first, so that the change of speed is an impact
            self._come_apart(driven)
        now, before = self.structure.model(self.original), self.structure
        equations: dict[str, Programmed] = {}
        joints: dict[str, Joint] = {}
        for action in actions:
            if isinstance(action, (Lock, SetMotion)):
                self._hold(action, equations, joints)
            elif isinstance(action, Join) and action.joint_name in self.original.constraints:
                now._constraints |= self._tightened(action)
            else:
                joint = self._new_joint(action)
                if joint is not None:
                    joints[joint.name] = joint
        if self.structure == before:
            return
        now._joints |= joints
        now._constraints |= equations
        state = CarriedState(self.system, self.t, self.y)
        self.system = self.compile(now, state, tuple(joints))
        self.y = self.system.y0.copy()
        drawn = drawn_together(now, state, self.t) if self._check_gaps(actions, equations) > APART else None
        self.system, self.y = drawn or (self.system, closed(self.system, self.y, self.t))
        self._carry(self.structure.model(self.original), ())

    def _hold(self, action: Any, equations: dict[str, Programmed], joints: dict[str, Joint]) -> None:
        """A freedom that stops where it is, or follows another motion."""
        s = self.structure
        given = action.coordinate.joint if isinstance(action, SetMotion) else action.joint
        s.check_joint(self.original, given, action, self.label, self.t)
        joint = s.joints(self.original)[given]
        if joint.n_v == 0 or given in s.added:
            return  # it holds anyway
        if joint.coordinates != "angles":  # a quaternion: both bodies become one
            weld = self._weld(given, str(joint.parent), str(joint.child))
            joints[f"{given}_held"] = replace(weld, name=f"{given}_held")
            self.structure = replace(s, added={**s.added, given: weld})
            return
        motions, q = dict(s.motions), self._coordinates(joint)
        for k in self._freedoms(joint, action):
            if isinstance(action, SetMotion):
                motion = self._begun(action.motion, q[k], self._speeds(joint)[k])
                if action.relative:
                    motion = shifted_motion(motion, self.t, float(q[k]))
            else:
                motion = float(q[k])
            name = f"{given}_{k}_held"
            equations[name] = Programmed(name, JointCoordinate(given, k), motion)
            motions[given, k] = motion
        self.structure = replace(s, motions=motions)

    def _begun(self, motion: Any, q: float, v: float) -> Any:
        """A motion with the moment, the coordinate and the speed at which it begins put in."""
        if isinstance(motion, tuple):
            return tuple(self._begun(part, q, v) for part in motion)
        if isinstance(motion, str):
            for name, value in zip(START, (self.t, q, v), strict=True):
                motion = re.sub(rf"\b{name}\b", f"({float(value)!r})", motion)
        return motion

    def _new_joint(self, action: Attach | Join) -> Joint | None:
        """The joint that Attach or Join makes, which the structure has from here on; None if it holds already."""
        s = self.structure
        name = action.joint if isinstance(action, Attach) else action.joint_name
        if name in s.joints(self.original):
            return None
        if isinstance(action, Attach):
            joint: Joint = self._weld(action.joint, str(action.a), str(action.b))
        elif isinstance(action.joint, Joint):
            joint = action.joint
        elif action.joint in s.released:
            released = {name: x for name, x in s.released.items() if name != action.joint}
            self.structure = replace(s, released=released)
            return self.original.joints[action.joint]
        else:
            joint = self.original.joints[action.joint]
        released = {name: x for name, x in s.released.items() if name != joint.name}
        self.structure = replace(s, released=released, added={**s.added, joint.name: joint})
        return joint

    def _tightened(self, action: Join) -> dict[str, Any]:
        """The constraint that takes hold again by its name, none if it holds already."""
        s, name = self.structure, action.joint_name
        constraint = s.held_constraint(self.original, name, self.label, self.t)
        if constraint is None:
            return {}
        self.structure = replace(s, slack={other: x for other, x in s.slack.items() if other != name})
        return {name: met_constraint(self.system, self.y, self.t, constraint)}

    def _weld(self, name: str, a: str, b: str) -> FreedomSequence:
        """A joint that holds two bodies as they stand to each other: six freedoms with constant coordinates."""
        placed = placements(self.original)
        turn, arm = relative_pose(self.system, self.t, self.y, a, b)
        world = Frame(placed[b].position)
        on_a, on_b = placed[a].inverse() @ world, placed[b].inverse() @ world
        x = on_a.inverse() @ Frame(tuple(arm), turn.tolist()) @ on_b
        R = np.array(x.rotation_matrix)
        ry = np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0]))
        rz = np.arctan2(R[1, 0], R[0, 0])  # any, where ry = ±90° and only its sum or difference with rx counts
        s, c = np.sin(rz), np.cos(rz)
        rx = np.arctan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])  # what is left, so that rounding of rz goes into it
        motion = tuple(float(value) for value in (*x.position, rz, ry, rx))
        return FreedomSequence(name, a, b, freedoms=SIX_FREEDOMS, motion=motion)

    def _check_gaps(self, actions: Sequence[Any], equations: dict[str, Programmed]) -> float:
        """What takes hold must be nearly closed at that moment; how far it is apart."""
        found = constraints_at(self.system, self.y, self.t)
        off = np.where(found.holonomic, np.abs(found.g), 0.0)
        gaps = {e.name: float(off[e.row : e.row + e.count].max(initial=0.0)) for e in self.system.assembly.elements}
        for action in actions:
            if isinstance(action, Join) and gaps.get(action.joint_name, 0.0) > action.gap:
                apart = f"{gaps[action.joint_name]:.3g}"
                ends = action.joint_name in self.original.constraints
                raise ModelError(
                    f"{self.label}: Join({action.joint_name!r}) at t = {self.t:.6g}: "
                    f"{f'its equation is {apart} from zero' if ends else f'its sides are {apart} apart'}, more than gap = "
                    f"{action.gap:g}; let the event happen where they meet, or allow a larger gap"
                )
        for name, equation in equations.items():
            q = self._coordinates(self.system.model.joints[equation.coordinate.joint])[equation.coordinate.freedom]
            if gaps[name] > BEGINS * (1.0 + abs(q)):
                raise ModelError(
                    f"{self.label}: SetMotion({equation.coordinate.joint!r}) at t = {self.t:.6g}: the motion begins "
                    f"{gaps[name]:.3g} from where the joint is, {q:.6g}; write it with q0 and t0, such as 'q0 + 0.1*(t - t0)'"
                )
        return max(gaps.values(), default=0.0)

    def _is_driven(self, action: Unlock) -> bool:
        """Whether freedoms that an action means have a prescribed motion now."""
        joint = self.structure.model(self.original).joints.get(str(action.joint))
        return joint is not None and joint.n_v > 0 and any(joint.motion[k] is not None for k in self._freedoms(joint, action))

    def _coordinates(self, joint: Joint) -> np.ndarray:
        return self._of(joint, "q")

    def _speeds(self, joint: Joint) -> np.ndarray:
        return self._of(joint, "v")

    def _of(self, joint: Joint, key: str) -> np.ndarray:
        """Coordinates or speeds of a joint at this moment."""
        own = self.system.model.joints[joint.name]
        bodies = dict(zip((x.name for x in self.system.tree.joints), self.system.tree.bodies, strict=True))
        observer = Observer(self.system, np.array([self.t]), self.y[None])
        return np.atleast_1d(joint_channel(observer, own, bodies.get(own.name, ""), key).values[0])

    def _freedoms(self, joint: Joint, action: Any) -> list[int]:
        """Numbers of the freedoms that an action means."""
        freedom = action.coordinate.freedom if isinstance(action, SetMotion) else action.freedom
        if freedom is None and not isinstance(action, SetMotion):
            return list(range(joint.n_v))
        wanted = JointCoordinate(joint.name, freedom).resolved({joint.name: joint}, self.label, action.label)
        return [int(wanted.freedom)]


def shifted_motion(motion: Any, t: float, q: float | None) -> Any:
    """A motion that begins at time t where the coordinate is q: q + f(· - t) - f(0); without q a rate, f(· - t).

    >>> shifted_motion("2*t", 3.0, 1.0)
    '(2*((t) - (3.0))) + (1.0) - (2*(0.0))'
    """
    if isinstance(motion, tuple):
        return (shifted_motion(motion[0], t, q), *(shifted_motion(part, t, None) for part in motion[1:]))
    if isinstance(motion, str):
        later, start = (re.sub(r"\bt\b", other, motion) for other in (f"((t) - ({t!r}))", "(0.0)"))
        return later if q is None else f"({later}) + ({q!r}) - ({start})"
    if isinstance(motion, Table):
        rise = 0.0 if q is None else q - float(motion.evaluate(0.0))
        return replace(motion, x=tuple(x + t for x in motion.x), y=tuple(y + rise for y in motion.y))
    if callable(motion):
        inner = inner_function(motion)
        rise = 0.0 if q is None else q - float(motion(0.0))
        return lambda time: rise + inner(time - t)
    return motion if q is None else q


def _each_after_its_join(actions: Iterable[Any]) -> list[list[Any]]:
    """Lists of actions, one after the other: a joint has coordinates that can be held once it has been joined."""
    found: list[list[Any]] = [[]]
    for action in actions:
        held = action.coordinate.joint if isinstance(action, SetMotion) else action.joint if isinstance(action, Lock) else None
        if any(held == x.joint_name for x in found[-1] if isinstance(x, Join)):
            found.append([])
        found[-1].append(action)
    return found


def _takes_hold(action: Any) -> bool:
    return not (isinstance(action, (Release, Unlock)) or (isinstance(action, SetMotion) and action.motion is None))
