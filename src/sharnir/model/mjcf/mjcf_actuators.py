"""Actuators: a control signal u as an Input, and force = gain(u) + bias along a joint or a tendon as formulas.

All shortcuts (motor, position, velocity, …) are settings of one general actuator, in default classes too, as in MuJoCo:
l = gear q, gain = g₀ + g₁ l + g₂ l̇, bias = b₀ + b₁ l + b₂ l̇, force = gain u + bias within its range; gear × force acts on the
joint.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from xml.etree.ElementTree import Element

from sharnir.model.forces import JointForce
from sharnir.model.mjcf.body_tree import BodyTree, all_of
from sharnir.model.mjcf.default_classes import ACTUATORS
from sharnir.model.mjcf.mjcf_joints import KINDS, JointRow, JointRows
from sharnir.model.mjcf.mjcf_numbers import number_of, numbers_of
from sharnir.model.mjcf.mjcf_tendons import Tendon
from sharnir.model.model import Model
from sharnir.model.signals import Input, Integral, LowPass

ZERO = (0.0, 0.0, 0.0)
GENERAL = ("general", "motor", "position", "velocity", "intvelocity", "damper")


@dataclass(frozen=True)
class Drive:
    """The numbers of a general actuator."""

    gain: tuple[float, float, float] = (1.0, 0.0, 0.0)
    bias: tuple[float, float, float] = ZERO
    affine_gain: bool = False
    affine_bias: bool = False
    dynamics: str = "none"
    time: float = 1.0
    ratio: float = 0.0  # damping ratio of a position actuator, in the place of its damping
    unknown: str = ""  # what it has that cannot be taken over
    given: dict[str, str] = field(default_factory=dict)


def drive_of(tree: BodyTree, element: Element) -> Drive:
    """An actuator with its defaults, step by step."""
    found = Drive()
    for tag, given in tree.defaults.steps(element, "", "general"):
        found = changed(found, tag, given)
    return found


def changed(d: Drive, tag: str, given: Mapping[str, str]) -> Drive:
    """What one element makes of the settings before it."""
    d = replace(d, given=d.given | dict(given))
    if tag == "motor":
        return replace(d, gain=(1.0, 0.0, 0.0), bias=ZERO, affine_gain=False, affine_bias=False, dynamics="none")
    if tag == "position":
        kp, kv = number_of(given, "kp", d.gain[0]), number_of(given, "kv", max(-d.bias[2], 0.0))
        time = number_of(given, "timeconst", d.time if d.dynamics == "filterexact" else 0.0)
        d = replace(d, gain=(kp, 0.0, 0.0), bias=(0.0, -kp, -kv), affine_gain=False, affine_bias=True)
        ratio = number_of(given, "dampratio", 0.0 if "kv" in given else d.ratio)
        return replace(d, ratio=ratio, dynamics="filterexact" if time > 0.0 else "none", time=time or 1.0)
    if tag == "velocity":
        kv = number_of(given, "kv", d.gain[0])
        return replace(d, gain=(kv, 0.0, 0.0), bias=(0.0, 0.0, -kv), affine_gain=False, affine_bias=True, dynamics="none")
    if tag == "intvelocity":
        kp, kv = number_of(given, "kp", d.gain[0]), number_of(given, "kv", 0.0)
        return replace(d, gain=(kp, 0.0, 0.0), bias=(0.0, -kp, -kv), affine_gain=False, affine_bias=True, dynamics="integrator")
    if tag == "damper":
        kv = number_of(given, "kv", 1.0)
        return replace(d, gain=(0.0, 0.0, -kv), bias=ZERO, affine_gain=True, affine_bias=False, dynamics="none")
    if tag != "general":
        return replace(d, unknown=f"{tag} actuators")
    d = replace(d, gain=three(given, "gainprm", d.gain), bias=three(given, "biasprm", d.bias))
    if "gaintype" in given:
        d = replace(d, affine_gain=given["gaintype"] == "affine")
    if "biastype" in given:
        d = replace(d, affine_bias=given["biastype"] == "affine")
    for key in ("gaintype", "biastype"):
        if given.get(key, "fixed") not in ("affine", "fixed", "none"):
            d = replace(d, unknown=f"{key} {given[key]!r} of actuators")
    if "dyntype" in given:
        d = replace(d, dynamics=given["dyntype"])
    return replace(d, time=number_of(given, "dynprm", d.time))


def three(given: Mapping[str, str], key: str, old: tuple[float, float, float]) -> tuple[float, float, float]:
    """The first three numbers of an attribute; those that it leaves out stay."""
    entries = numbers_of(given[key], key, 1, 10)[:3] if key in given else ()
    a, b, c = (*entries, *old[len(entries) :])
    return a, b, c


def limits_of(given: Mapping[str, str], what: str, autolimits: bool) -> tuple[float, float] | None:
    """The range of "ctrl", "force" or "act" if it holds."""
    limited = given.get(f"{what}limited", "auto")
    if f"{what}range" not in given or limited == "false" or (limited == "auto" and not autolimits):
        return None
    lower, upper = numbers_of(given[f"{what}range"], f"{what}range", 2)
    return (lower, upper) if lower < upper else None


def within(formula: str, bounds: tuple[float, float] | None) -> str:
    """The formula between its bounds."""
    return formula if bounds is None else f"min(max({formula}, {bounds[0]!r}), {bounds[1]!r})"


def linear(numbers: tuple[float, float, float], length: str, rate: str) -> str:
    """c₀ + c₁ l + c₂ l̇ without what is zero."""
    a, b, c = numbers
    terms = [repr(a)] * bool(a) + [f"{b!r}*{length}"] * bool(b) + [f"{c!r}*{rate}"] * bool(c)
    return " + ".join(terms) or "0"


class Words:
    """Names that formulas can contain, each used once."""

    def __init__(self) -> None:
        self._used: set[str] = set()

    def word(self, name: str, ending: str) -> str:
        """
        >>> words = Words()
        >>> words.word("left/arm 1", "ctrl"), words.word("left_arm_1", "ctrl")
        ('left_arm_1_ctrl', 'left_arm_1_ctrl_2')
        """
        plain = re.sub(r"\W", "_", name)
        first = f"{'' if plain[:1].isalpha() else 'a'}{plain}_{ending}"
        found, again = first, 1
        while found in self._used:
            again += 1
            found = f"{first}_{again}"
        self._used.add(found)
        return found


def add_actuators(
    model: Model, tree: BodyTree, joints: JointRows, tendons: Mapping[str, Tendon], words: Words, controls: tuple[float, ...]
) -> None:
    """Inputs "<name>_ctrl" and forces "<name> actuator"; controls: of a keyframe."""
    for k, element in enumerate(x for x in all_of(tree.source.root, "actuator")):
        name = element.get("name") or f"actuator_{k}"
        if element.tag not in ACTUATORS:
            tree.notes.add(f"<{element.tag}> in <actuator>", name)
            continue
        drive = drive_of(tree, element)
        initial = controls[k] if k < len(controls) else 0.0
        problem = _add_one(model, tree, joints, tendons, words, drive, name, initial)
        if problem:
            tree.notes.add(problem, name)


def _add_one(
    model: Model,
    tree: BodyTree,
    joints: JointRows,
    tendons: Mapping[str, Tendon],
    words: Words,
    drive: Drive,
    name: str,
    initial: float,
) -> str:
    """What is wrong with the actuator, or nothing once it has been added."""
    given, gear = drive.given, number_of(drive.given, "gear", 1.0)
    if drive.unknown or any(given.get(key) == "muscle" for key in ("gaintype", "biastype", "dyntype")):
        return drive.unknown or "muscles"
    if drive.dynamics not in ("none", "integrator", "filter", "filterexact"):
        return f"dyntype {drive.dynamics!r} of actuators"
    joint = given.get("joint", given.get("jointinparent", ""))
    if joint:
        row = joints.by_name[tree.joint_called(joint)]
        if KINDS[row.kind] > 1:
            return f"actuators of {row.kind} joints"
        place = f"(q + {row.ref!r})" if row.ref else "q"
        length, rate, bounds, inertia = f"{gear!r}*{place}", f"{gear!r}*v", row.range, row.inertia / max(gear * gear, 1e-300)
        bounds = None if bounds is None else (bounds[0] + row.ref, bounds[1] + row.ref)
    elif given.get("tendon", "") in tendons:
        tendon = tendons[given["tendon"]]
        tendon.measure(model, words)
        length, rate, bounds, inertia = f"{gear!r}*{tendon.length}", f"{gear!r}*{tendon.rate}", tendon.range, 0.0
        inertia = joints.effective.along({joint: c for joint, c, _ in tendon.terms}) / max(gear * gear, 1e-300)
    else:
        return "actuators of sites, bodies, spatial tendons and slider-cranks"
    if drive.ratio > 0.0:
        drive = replace(drive, bias=(*drive.bias[:2], -2.0 * drive.ratio * math.sqrt(drive.gain[0] * inertia)))
    formula = _force(model, tree, words, drive, name, initial, length, rate, bounds)
    if joint:
        model.add(JointForce(f"{name} actuator", row.name, within(f"{gear!r}*({formula})", effort(row))))
    else:
        tendons[given["tendon"]].pull(model, f"{name} actuator", f"{gear!r}*({formula})")
    return ""


def effort(row: JointRow) -> tuple[float, float] | None:
    """`actuatorfrcrange` of a joint."""
    if "actuatorfrcrange" not in row.given or row.given.get("actuatorfrclimited") == "false":
        return None
    lower, upper = numbers_of(row.given["actuatorfrcrange"], "actuatorfrcrange", 2)
    return (lower, upper) if lower < upper else None


def _force(
    model: Model,
    tree: BodyTree,
    words: Words,
    drive: Drive,
    name: str,
    initial: float,
    length: str,
    rate: str,
    bounds: tuple[float, float] | None,
) -> str:
    """The formula of the force; its input, and the state of its dynamics, are added to the model."""
    given, auto = drive.given, tree.compiler.autolimits
    ctrl = words.word(name, "ctrl")
    model.add(Input(ctrl, initial))
    limits = limits_of(given, "ctrl", auto)
    inherit = number_of(given, "inheritrange", 0.0)
    if limits is None and inherit > 0.0 and bounds is not None:
        middle, half = 0.5 * (bounds[0] + bounds[1]), 0.5 * (bounds[1] - bounds[0]) * inherit
        limits = (middle - half, middle + half)
    u = within(ctrl, limits if drive.dynamics != "integrator" or "ctrlrange" in given else None)
    if drive.dynamics != "none":
        state = words.word(name, "act")
        model.add(Integral(state, u) if drive.dynamics == "integrator" else LowPass(state, u, drive.time))
        u = within(state, limits_of(given, "act", auto) or (limits if "inheritrange" in given else None))
    gain = linear(drive.gain if drive.affine_gain else (drive.gain[0], 0.0, 0.0), length, rate)
    bias = linear(drive.bias, length, rate) if drive.affine_bias else "0"
    formula = f"({gain})*{u}" + (f" + {bias}" if bias != "0" else "")
    return within(formula, limits_of(given, "force", auto))
