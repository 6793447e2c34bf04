"""What is to be kept of an initial state: coordinates and speeds that the user gave, in joints of the tree or in cut ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics.joint_coordinates import JointFreedoms, coordinate_values, find_freedoms, freedoms_of, speed_values
from sharnir.errors import ModelError
from sharnir.model.initial import Initial

if TYPE_CHECKING:
    from sharnir.dynamics.system import System


@dataclass(frozen=True)
class Condition:
    """Values that some freedoms of a joint keep: coordinates (letter q) or speeds (letter v).

    `values` are one per freedom; a turn given as a quaternion stands in `turn`. `certain`: parts that are not zero.
    """

    freedoms: JointFreedoms
    letter: str
    values: tuple[float, ...]
    turn: tuple[float, ...] | None = None
    certain: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """As the user may write it."""
        labels = self.freedoms.labels(self.letter)
        return labels[0] if len(labels) == 1 else f"{self.freedoms.joint.name}.{self.letter}"

    @property
    def held(self) -> JointFreedoms | None:
        """Freedoms of a joint of the tree, which need not move at all."""
        return self.freedoms if self.freedoms.element < 0 else None

    def without_zeros(self) -> Condition:
        """The same for the parts that are not zero."""
        parts = tuple(self.freedoms.parts[k] for k in self.certain)
        return replace(self, freedoms=replace(self.freedoms, parts=parts), values=tuple(self.values[k] for k in self.certain))

    def miss(self, system: System, y: np.ndarray) -> np.ndarray:
        """Wanted less present value, one per freedom; needs constraints_at."""
        if self.letter == "v":
            v = y[system.n_q : system.n_q + system.n_v]
            return np.array(self.values) - speed_values(system, self.freedoms, v)
        present = coordinate_values(system, self.freedoms, y)
        if self.turn is None:
            return np.array(self.values) - (present if self.freedoms.joint.coordinates == "angles" else present[:3])
        w, x = self.turn[0], np.array(self.turn[1:])
        a, b = present[-4], present[-3:]
        turn = turn_vector(w * a + x @ b, a * x - w * b - np.cross(b, x))  # conj(present) wanted, in child axes
        return turn if not self.values else np.concatenate([np.array(self.values) - present[:3], turn])


def turn_vector(w: float, x: np.ndarray) -> np.ndarray:
    """Rotation vector of the quaternion (w, x), at most π long.

    >>> turn_vector(1.0, np.zeros(3))
    array([0., 0., 0.])
    """
    s = float(np.linalg.norm(x))
    return 2.0 * np.arctan2(s if w >= 0 else -s, abs(w)) / s * x if s > 0.0 else np.zeros(3)


def own_conditions(system: System, initial: Initial) -> list[Condition]:
    """Conditions that stand in the joints and bodies of the model, but for those that `initial` overrules."""
    overruled = {letter: {_joint_name(system, name) for name in names} for letter, names in _overruled(initial).items()}
    found: list[Condition] = []
    for joint in (*system.tree.joints, *system.tree.cuts):
        if joint.n_v == 0 or joint.mimic is not None:
            continue
        if joint.name not in overruled["q"]:
            found += _kept_coordinates(system, joint)
        if joint.name not in overruled["v"]:
            found += _kept_speeds(system, joint)
    return found


def _overruled(initial: Initial) -> dict[str, list[str]]:
    return {"q": [*initial.q, *initial.guess], "v": list(initial.v)}


def _joint_name(system: System, name: str) -> str:
    return find_freedoms(system, name).joint.name


def _free_parts(joint: Any) -> list[int]:
    """Freedoms of the user's list that are not prescribed, in order."""
    return [k for k, motion in enumerate(joint.motion) if motion is None]


def _kept_coordinates(system: System, joint: Any) -> list[Condition]:
    if joint.coordinates == "angles":
        pairs = [(part, joint.q[k]) for part, k in enumerate(_free_parts(joint)) if joint.q[k]]
        return [Condition(freedoms_of(system, joint, (part,)), "q", (value,)) for part, value in pairs]
    found = []
    if joint.coordinates == "free" and any(joint.q[:3]):
        found.append(Condition(freedoms_of(system, joint, (0, 1, 2)), "q", joint.q[:3]))
    if any(joint.q[-3:]):
        first = 3 if joint.coordinates == "free" else 0
        found.append(Condition(freedoms_of(system, joint, (first, first + 1, first + 2)), "q", (), joint.q[-4:]))
    return found


def _kept_speeds(system: System, joint: Any) -> list[Condition]:
    if joint.coordinates == "angles":
        pairs = [(part, joint.v[k]) for part, k in enumerate(_free_parts(joint)) if joint.v[k]]
        return [Condition(freedoms_of(system, joint, (part,)), "v", (value,)) for part, value in pairs]
    found = []
    tree = joint.name not in system.assembly.coordinates.cuts
    first = system.assembly.coordinates.ranges[joint.name][2] if tree else 0
    own = system.v0[first : first + joint.n_v] if tree else np.array(joint.v)
    for k in range(0, joint.n_v, 3):
        values = tuple(float(x) for x in own[k : k + 3])
        body = system.model.body(joint.child)
        told = tree and joint.n_v == 6 and (body.angular_velocity if k else body.velocity) is not None
        if any(values) or told:
            certain = tuple(j for j, x in enumerate(values) if x)
            found.append(Condition(freedoms_of(system, joint, (k, k + 1, k + 2)), "v", values, certain=certain))
    return found


def given_conditions(system: System, initial: Initial) -> tuple[list[Condition], list[Condition]]:
    """Conditions of `initial`, and its guesses; the values of joints in the tree go to the state at once."""
    found: list[Condition] = []
    guesses: list[Condition] = []
    for letter, entries in (("q", initial.q), ("v", initial.v), ("guess", initial.guess)):
        for name, value in entries.items():
            f = find_freedoms(system, name)
            if f.joint.mimic is not None:
                raise ModelError(f"'{name}': joint '{f.joint.name}' follows joint '{f.joint.mimic[0]}'; set that one")
            condition = _given(f, "v" if letter == "v" else "q", name, value)
            start(system, condition)
            (guesses if letter == "guess" else found).append(condition)
    return found, guesses


def _given(f: JointFreedoms, letter: str, name: str, value: Any) -> Condition:
    numbers = tuple(float(x) for x in np.atleast_1d(np.asarray(value, float)))
    quaternions = f.joint.coordinates != "angles" and letter == "q"
    need = f.joint.n_q if quaternions else len(f.parts)
    if len(numbers) != need or not np.isfinite(numbers).all():
        raise ModelError(f"'{name}' = {value!r} needs {need} finite number{'s' if need > 1 else ''}")
    if not quaternions:
        return Condition(f, letter, numbers, certain=tuple(range(len(numbers))))
    four = np.array(numbers[-4:])
    if not np.linalg.norm(four) > 0.0:
        raise ModelError(f"'{name}' = {value!r} has a zero quaternion; the identity is (1, 0, 0, 0)")
    return Condition(f, letter, numbers[:-4], tuple(four / np.linalg.norm(four)))


def start(system: System, condition: Condition) -> None:
    """Put the values of a condition into the initial state, where the state holds them."""
    c, f = system.assembly.coordinates, condition.freedoms
    if f.element >= 0:
        if f.joint.coordinates == "angles" and condition.letter == "q":
            for part, value in zip(f.parts, condition.values, strict=True):
                system.z0[c.first_z[f.joint.name] + part] = value
    elif condition.letter == "v":
        system.v0[f.speeds(system)] = condition.values
    elif f.joint.coordinates == "angles":
        for part, value in zip(f.parts, condition.values, strict=True):
            system.q0[c.ranges[f.joint.name][0] + part] = value
    else:
        first = c.ranges[f.joint.name][0]
        whole = (*condition.values, *(condition.turn or ()))
        system.q0[first : first + len(whole)] = whole


def as_initial(initial: Initial | Mapping[str, Any] | None) -> Initial:
    """None: nothing beyond the model; a mapping has the fields of Initial."""
    if initial is None or isinstance(initial, Initial):
        return initial or Initial()
    try:
        return Initial(**initial)
    except TypeError:
        raise ModelError(f"initial = {initial!r} must be an Initial(q=..., v=..., guess=...)") from None
