"""Conditions on the initial state: coordinates and speeds given by the user, in joints of the tree or in cut joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.arguments import shown
from sharnir.dynamics.mobility.joint_coordinates import (
    JointFreedoms,
    coordinate_values,
    displacement_rows,
    find_freedoms,
    freedoms_of,
    speed_rows,
    speed_values,
)
from sharnir.errors import ModelError
from sharnir.model.initial import Initial

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations

ROTATION = ".rotation"  # of a free joint: its quaternion


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
        if self.turn is not None and not self.values and self.freedoms.joint.coordinates == "free":
            return f"{self.freedoms.joint.name}.rotation"
        return labels[0] if len(labels) == 1 else f"{self.freedoms.joint.name}.{self.letter}"

    @property
    def held(self) -> JointFreedoms | None:
        """Freedoms of a joint of the tree, which need not move at all; one displacement of a free joint holds no speed alone."""
        return self.freedoms if self.freedoms.element < 0 and not self.single_displacement else None

    @property
    def single_displacement(self) -> bool:
        """True if it keeps some displacements of a free joint; speeds of that are in axes of the body, not in those."""
        return self.letter == "q" and self.freedoms.joint.coordinates == "free" and len(self.freedoms.parts) < 3

    def without_zeros(self) -> Condition:
        """The same for the parts that are not zero."""
        parts = tuple(self.freedoms.parts[k] for k in self.certain)
        return replace(self, freedoms=replace(self.freedoms, parts=parts), values=tuple(self.values[k] for k in self.certain))

    def miss(self, system: Equations, y: np.ndarray) -> np.ndarray:
        """Wanted less present value, one per freedom; needs constraints_at."""
        if self.letter == "v":
            v = y[system.n_q : system.n_q + system.n_v]
            return np.array(self.values) - speed_values(system, self.freedoms, v)
        present = coordinate_values(system, self.freedoms, y)
        if self.turn is None:
            return np.array(self.values) - self.present(system, y)
        w, x = self.turn[0], np.array(self.turn[1:])
        a, b = present[-4], present[-3:]
        turn = turn_vector(w * a + x @ b, a * x - w * b - np.cross(b, x))  # conj(present) wanted, in child axes
        return turn if not self.values else np.concatenate([np.array(self.values) - present[:3], turn])

    def present(self, system: Equations, y: np.ndarray) -> np.ndarray:
        """Present values of what is kept, a turn as a quaternion; needs constraints_at."""
        values = coordinate_values(system, self.freedoms, y)
        if self.freedoms.joint.coordinates != "free":
            return values
        if self.turn is None:
            return values[list(self.freedoms.parts)]
        return values if self.values else values[3:]

    def rows(self, system: Equations, y: np.ndarray) -> np.ndarray:
        """Rates of what is kept per unit speed of the state; needs constraints_at."""
        return displacement_rows(system, self.freedoms, y) if self.single_displacement else speed_rows(system, self.freedoms)


def turn_vector(w: float, x: np.ndarray) -> np.ndarray:
    """Rotation vector of the quaternion (w, x), at most π long.

    >>> turn_vector(1.0, np.zeros(3))
    array([0., 0., 0.])
    """
    s = float(np.linalg.norm(x))
    return 2.0 * np.arctan2(s if w >= 0 else -s, abs(w)) / s * x if s > 0.0 else np.zeros(3)


def own_conditions(system: Equations, initial: Initial) -> list[Condition]:
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


def _joint_name(system: Equations, name: str) -> str:
    return find_freedoms(system, str(name).removesuffix(ROTATION)).joint.name


def _free_parts(joint: Any) -> list[int]:
    """Freedoms of the user's list that are not prescribed, in order."""
    return [k for k, motion in enumerate(joint.motion) if motion is None]


def _kept_coordinates(system: Equations, joint: Any) -> list[Condition]:
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


def _kept_speeds(system: Equations, joint: Any) -> list[Condition]:
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
        if told or (any(values) and joint.name in system.model.joints):  # that of a free joint of the tree follows
            certain = tuple(j for j, x in enumerate(values) if x)
            found.append(Condition(freedoms_of(system, joint, (k, k + 1, k + 2)), "v", values, certain=certain))
    return found


def given_conditions(system: Equations, initial: Initial) -> tuple[list[Condition], list[Condition]]:
    """Conditions of `initial`, and its guesses; the values of joints in the tree go to the state at once."""
    found: list[Condition] = []
    guesses: list[Condition] = []
    for letter, entries in (("q", initial.q), ("v", initial.v), ("guess", initial.guess)):
        for name, value in ((str(name), value) for name, value in entries.items()):
            f = find_freedoms(system, name.removesuffix(ROTATION))
            _check_name(f, letter, name)
            condition = _given(system, f, "v" if letter == "v" else "q", name, value)
            start(system, condition)
            (guesses if letter == "guess" else found).append(condition)
    return found, guesses


def _check_name(f: JointFreedoms, letter: str, name: str) -> None:
    """A name with the wrong letter, or of a joint that follows another one, is refused."""
    joint = f.joint
    if joint.mimic is not None:
        raise ModelError(f"'{name}': joint '{joint.name}' follows joint '{joint.mimic[0]}'; set that one")
    own = "v" if letter == "v" else "q"
    wrong = {"q": "v", "v": "q"}[own]
    rest = name[len(joint.name) :].split(".")
    if wrong in rest and wrong not in joint.freedom_names:
        what = {"q": "a coordinate", "v": "a speed"}[wrong]
        raise ModelError(
            f"Initial: {letter} has '{name}', {what}; write '{name.replace('.' + wrong, '.' + own, 1)}', or give it in {wrong}="
        )
    if name.endswith(ROTATION) and (joint.coordinates != "free" or own == "v"):
        remedy = f"write '{joint.name}'" if own == "q" else f"write '{joint.name}.rx', '{joint.name}.ry', '{joint.name}.rz'"
        raise ModelError(f"Initial: {letter} has '{name}', which exists only in q and guess of a Free joint; {remedy}")


def _given(system: Equations, f: JointFreedoms, letter: str, name: str, value: Any) -> Condition:
    numbers = tuple(float(x) for x in np.atleast_1d(np.asarray(value, float)))
    quaternions = f.joint.coordinates != "angles" and letter == "q"
    single = quaternions and len(f.parts) == 1
    if single and (f.joint.coordinates == "ball" or f.parts[0] > 2):
        whole = f"'{f.joint.name}{ROTATION}'" if f.joint.coordinates == "free" else f"'{f.joint.name}'"
        raise ModelError(f"'{name}': a rotation can only be given as a whole: {whole} = (w, x, y, z), a quaternion")
    turn = name.endswith(ROTATION)
    need = 4 if turn else f.joint.n_q if quaternions and not single else len(f.parts)
    if len(numbers) != need or not np.isfinite(numbers).all():
        raise ModelError(f"'{name}' = {value!r} needs {need} finite number{'s' if need > 1 else ''}")
    if not quaternions or single:
        return Condition(f, letter, numbers, certain=tuple(range(len(numbers))))
    four = np.array(numbers[-4:])
    if not np.linalg.norm(four) > 0.0:
        raise ModelError(f"'{name}' = {value!r} has a zero quaternion; the identity is (1, 0, 0, 0)")
    f = freedoms_of(system, f.joint, (3, 4, 5)) if turn else f
    return Condition(f, letter, numbers[:-4], tuple(four / np.linalg.norm(four)))


def start(system: Equations, condition: Condition) -> None:
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
        for part, value in zip(f.parts, condition.values, strict=False):  # displacements
            system.q0[first + part] = value
        if condition.turn is not None:
            first += 3 if f.joint.coordinates == "free" else 0
            system.q0[first : first + 4] = condition.turn


def as_initial(initial: Initial | Mapping[str, Any] | None) -> Initial:
    """None: nothing beyond the model; a mapping has the fields of Initial."""
    if initial is None or isinstance(initial, Initial):
        return initial or Initial()
    try:
        return Initial(**initial)
    except TypeError:
        raise ModelError(f"initial = {shown(initial)} must be an Initial(q=..., v=..., guess=...)") from None
