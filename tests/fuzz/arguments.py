"""Bad arguments of everything that is public: each call works or raises an error of ours, never a raw one.

python -m tests.fuzz.arguments --count 28600 [--seed 0] [--only Body]
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import decimal
import fractions
import functools
import inspect
import math
import os
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator, default_rng

import sharnir as sr
from sharnir import flexible as fx

from .files import DATA, Hang, alarm


class Call(NamedTuple):
    """A public function, arguments that are right, and what is done with what it returns."""

    function: Callable[..., Any]
    given: dict[str, Any]
    then: Callable[[Any], Any] = lambda made: made


TETRAHEDRON = str(Path(__file__).parents[1] / "app" / "studio" / "meshes" / "part.obj")

# ---- what is right ------------------------------------------------------------------------------------------------------


def plant() -> sr.Model:
    """A small model to which elements are added: two bodies, a hinge, a slide, a signal, an event."""
    m = sr.Model("plant", parameters={"k": 2.0})
    m.add(sr.Body("arm", mass=1, inertia=(1, 1, 1), position=(1, 0, 0), shape=sr.Box((1, 0.1, 0.1))))
    m.add(sr.Body("cart", mass=2, inertia=(1, 1, 1), shape=sr.Sphere(0.1)))
    m.add(sr.Revolute("O", "ground", "arm", at=(0, 0, 0), axis="y"))
    m.add(sr.Prismatic("S", "arm", "cart", at=(1, 0, 0), axis="x"))
    m.add(sr.Spring("spring", "ground", "cart", at_a=(0, 0, 1), stiffness=10))
    m.add(sr.Input("u"))
    m.add(sr.Event("late", at=5.0, actions=sr.Stop()))
    return m


def add(element: Any) -> Any:
    """The element in the small model, which is compiled unless that would wake the compiler."""
    m = plant()
    m.add(element)
    return m


def add_bare(element: Any) -> Any:
    """A body alone, compiled."""
    m = sr.Model()
    m.add(element)
    return m.compile()


def add_joint(element: Any) -> Any:
    """A joint between two new bodies, compiled if nothing in it is a formula."""
    m = sr.Model()
    m.add(sr.Body("a", mass=1, inertia=(1, 1, 1)), sr.Body("b", mass=1, inertia=(1, 1, 1)))
    m.add(sr.Fixed("base", "ground", "a"), element)
    plain = all(isinstance(entry, float) for entry in element.torque) and element.motion is None
    return m.compile() if plain or os.environ.get("NUMBA_DISABLE_JIT") == "1" else m


def in_event(action: Any) -> Any:
    """An action as part of an event of the small model."""
    return add(sr.Event("act", at=1.0, actions=action))


def in_contact(law: Any) -> Any:
    return add(sr.Contact("touch", "arm", "ground", shape_a=sr.Sphere(0.1), shape_b=sr.Plane(), law=law))


def touching(shape: Any) -> Any:
    return add(sr.Contact("touch", "arm", "ground", shape_a=sr.Sphere(0.1), shape_b=shape, law=sr.Hertz(1e6)))


def in_wheel(tyre: Any) -> Any:
    law = sr.Hertz(1e5)
    return add(sr.Wheel("wheel", "cart", center=(0, 0, 0.1), radius=0.1, law=law, tyre=tyre))


def in_signal(sensor: Any) -> Any:
    return add(sr.Signal("measured", "x", variables={"x": sensor}))


@functools.cache
def beam() -> Any:
    return fx.straight_beam((0, 0, 0), (1, 0, 0), fx.Section.round(0.01), elements=3)


@functools.cache
def reduced() -> Any:
    return fx.reduce(beam(), interfaces={"root": 0, "tip": 3}, modes=1)


@functools.cache
def motion() -> Any:
    return plant().simulate(0.1)


@functools.cache
def compiled() -> Any:
    return plant().compile()


JOINT = {"name": "J", "parent": "a", "child": "b", "at": (0, 0, 0), "q": None, "v": 0.0, "damping": 0.0, "stiffness": 0.0}
JOINT |= {"rest": 0.0, "torque": 0.0, "motion": None, "limits": None, "mimic": None, "parent_frame": None, "child_frame": None}
FREEDOMS = (sr.Rotation("x"), sr.Translation("y"))
SIGNAL = {"name": "s", "input": "O.q"}


def joints() -> dict[str, Call]:
    own = {"axis": "x", "axis2": "y", "pitch": 0.1, "freedoms": FREEDOMS, "x_axis": None}
    own |= {"variables": {"a": "m"}, "position": ("a", 0, 0), "rotation": ("z", "a"), "tables": {}}
    found = {}
    for kind in sr.ALL_JOINTS:
        names = inspect.signature(kind).parameters
        found[kind.__name__] = Call(kind, {key: value for key, value in (JOINT | own).items() if key in names}, add_joint)
    return found


def elements() -> dict[str, Call]:
    """Bodies, forces, constraints, signals, events, and what they are made of."""
    law, table = sr.Hertz(1e6), sr.Table((0, 1), (0, 1))
    force = {"name": "f", "body": "arm"}
    pair = {"name": "c", "a": "arm", "b": "ground"}
    contact = {**pair, "shape_a": sr.Sphere(0.1), "shape_b": sr.Plane(), "law": law, "friction": 0.1}
    wheel = {"name": "w", "wheel": "cart", "radius": 0.1, "law": law, "tyre": sr.LinearTyre(1e3, 1e3), "center": (0, 0, 0.1)}
    wheel |= {"axis": "y", "surface": "ground", "normal": "z", "through": (0, 0, 0), "tube": 0.0, "resistance": 0.0, "trail": 0.0}
    wheel |= {"grip": 1.0, "low_speed": 0.1, "camber": 0.0, "lateral_compliance": 0.0}
    air = {**force, "area": 1.0, "length": 1.0, "drag": 0.1, "side": 0.0, "lift": "0.1*alpha", "moment": (0, 0, 0), "at": None}
    air |= {"damping": (0, 0, 0), "density": 1.2, "sound": None, "wind": (0, 0, 0), "rotation": None}
    coefficients = (10, 1.9, 1.0, 0.9)
    body = {"name": "new", "mass": 1.0, "com": (0, 0, 0), "inertia": (1, 1, 1), "position": (0, 0, 0), "rotation": None}
    body |= {"shape": None, "density": None, "color": None, "velocity": None, "angular_velocity": None, "any_inertia": False}
    return {
        "Body": Call(sr.Body, body, add_bare),
        "FlexibleBody": Call(
            sr.FlexibleBody, {"name": "beam", "reduced": reduced(), "w": None, "xi": None, "frame_at": None}, add
        ),
        "Frame": Call(sr.Frame, {"position": (0, 0, 0), "rotation": (1, 0, 0, 0)}),
        "Box": Call(sr.Box, {"size": (1, 1, 1), "center": (0, 0, 0), "rotation": None, "color": "red"}),
        "Cylinder": Call(sr.Cylinder, {"radius": 1, "length": 1, "axis": "z", "center": (0, 0, 0), "color": None}),
        "Sphere": Call(sr.Sphere, {"radius": 1, "center": (0, 0, 0), "color": None}, touching),
        "Mesh": Call(
            sr.Mesh,
            {"file": TETRAHEDRON, "scale": (1, 1, 1), "position": (0, 0, 0), "rotation": None, "color": None},
            lambda shape: sr.Body("b", density=1, shape=shape),
        ),
        "Rod": Call(sr.Rod, {"start": (0, 0, 0), "end": (1, 0, 0), "radius": 0.1, "color": None}),
        "Bore": Call(sr.Bore, {"radius": 1, "length": None, "axis": "z", "center": (0, 0, 0)}, touching),
        "Capsule": Call(sr.Capsule, {"start": (0, 0, 0), "end": (1, 0, 0), "radius": 0.1}, touching),
        "Plane": Call(sr.Plane, {"point": (0, 0, 0), "normal": "z"}, touching),
        "Point": Call(sr.Point, {"at": (0, 0, 0)}),
        "Slot": Call(sr.Slot, {"start": (0, 0, 0), "end": (1, 0, 0), "radius": 1, "axis": "z", "length": None}, touching),
        "Profile": Call(
            sr.Profile, {"x": "cos(s)", "y": "sin(s)", "span": (0, 6.28), "inside": True, "center": (0, 0, 0)}, touching
        ),
        "Revolution": Call(
            sr.Revolution, {"radius": "1+s", "span": (0, 1), "inside": True, "axis": "z", "center": (0, 0, 0)}, touching
        ),
        "Surface": Call(sr.Surface, {"formula": "x^2+y^2-z", "center": (0, 0, 0), "rotation": None}, touching),
        "Hertz": Call(sr.Hertz, {"stiffness": 1e6, "exponent": 1.5}, in_contact),
        "HuntCrossley": Call(sr.HuntCrossley, {"stiffness": 1e6, "damping": 0.1, "restitution": None, "speed": None}, in_contact),
        "Flores": Call(sr.Flores, {"stiffness": 1e6, "restitution": 0.5, "speed": 1, "exponent": 1.5}, in_contact),
        "LankaraniNikravesh": Call(sr.LankaraniNikravesh, {"stiffness": 1e6, "restitution": 0.5, "speed": 1}, in_contact),
        "LinearLaw": Call(sr.LinearLaw, {"stiffness": 1e6, "damping": 1}, in_contact),
        "ExponentialLaw": Call(sr.ExponentialLaw, {"stiffness": 1e6, "steepness": 1, "damping": 0}, in_contact),
        "Parameter": Call(sr.Parameter, {"value": 0.5, "unit": "m", "description": "length", "range": (0.1, 2.0)}),
        "Friction": Call(sr.Friction, {"kinetic": 0.1, "static": 0.2, "speed": 0.001, "stribeck_speed": 0.01, "viscous": 0.0}),
        "LinearTyre": Call(
            sr.LinearTyre, {"longitudinal": 1e3, "cornering": 1e3, "friction": 1, "lateral_friction": None}, in_wheel
        ),
        "BrushTyre": Call(
            sr.BrushTyre, {"longitudinal": 1e3, "cornering": 1e3, "friction": 1, "lateral_friction": None}, in_wheel
        ),
        "MagicFormula": Call(sr.MagicFormula, {"x": coefficients, "y": coefficients}, in_wheel),
        "FormulaTyre": Call(sr.FormulaTyre, {"x": "load*kappa", "y": "-load*alpha"}, in_wheel),
        "Table": Call(
            sr.Table, {"x": (0, 1, 2, 3), "y": (0, 1, 4, 9), "kind": "cubic", "outside": "constant"}, lambda x: x.evaluate(0.5)
        ),
        "GridTable": Call(
            sr.GridTable,
            {"axes": ((0, 1), (0, 1)), "values": ((0, 1), (1, 2)), "kind": "linear", "outside": "constant"},
            lambda x: x.evaluate(0.5, 0.5),
        ),
        "Limits": Call(sr.Limits, {"lower": -1, "upper": 1, "effort": 10, "velocity": 1}),
        "Freedom": Call(sr.Freedom, {"kind": "screw", "axis": "x", "pitch": 0.1}),
        "Rotation": Call(sr.Rotation, {"axis": "x"}),
        "Translation": Call(sr.Translation, {"axis": "x"}),
        "BaseMotion": Call(sr.BaseMotion, dict.fromkeys(("x", "y", "z", "rx", "ry", "rz"))),
        "Initial": Call(sr.Initial, {"q": {"O": 0.1}, "v": {"O": 0.1}, "guess": {}}, lambda x: plant().compile(initial=x)),
        "Target": Call(
            sr.Target,
            {"body": "arm", "position": (0.5, 0, None), "rotation": None, "point": (0.1, 0, 0)},
            lambda x: plant().compile().inverse_kinematics(x),
        ),
        "Model": Call(sr.Model, {"name": "m", "gravity": (0, 0, -9.81), "parameters": {"k": 1.0}, "base_motion": None}),
        # forces
        "Force": Call(sr.Force, {**force, "force": (1, 0, "sin(t)"), "at": (0, 0, 0), "axes": "world"}, add),
        "Torque": Call(sr.Torque, {**force, "torque": (1, 0, 0), "axes": "body"}, add),
        "Spring": Call(
            sr.Spring, {**pair, "at_a": (0, 0, 1), "at_b": None, "stiffness": 1, "damping": 1, "length": 1, "force": None}, add
        ),
        "TorsionSpring": Call(
            sr.TorsionSpring,
            {"name": "t", "joint": "O", "stiffness": 1, "damping": 1, "angle": 0, "torque": None, "freedom": 0},
            add,
        ),
        "Bushing": Call(
            sr.Bushing,
            {**pair, "at": (0, 0, 0), "rotation": None, "stiffness": (1,) * 6, "damping": (0,) * 6, "preload": (0,) * 6},
            add,
        ),
        "Contact": Call(sr.Contact, contact, add),
        "ContactGroup": Call(
            sr.ContactGroup,
            {"name": "g", "bodies": ["arm", "cart"], "walls": [sr.Plane()], "law": law, "shape": sr.Sphere(0.1), "friction": 0.1},
            add,
        ),
        "Drag": Call(
            sr.Drag, {**force, "area": 1, "coefficient": 1, "density": 1.2, "sound": None, "wind": (0, 0, 0), "linear": 0}, add
        ),
        "Aerodynamics": Call(sr.Aerodynamics, air, add),
        "CentralGravity": Call(
            sr.CentralGravity,
            {"name": "g", "mu": 1e14, "body": "ground", "center": (0, 0, -6e6), "J2": 0.001, "radius": 6e6, "axis": "z"},
            add,
        ),
        "JointForce": Call(sr.JointForce, {"name": "jf", "joint": "O", "torque": "-k*q", "freedom": 0}, add),
        "JointFriction": Call(
            sr.JointFriction,
            {
                "name": "fr",
                "joint": "O",
                "coefficient": 0.1,
                "static": 0.2,
                "stribeck_speed": 0.01,
                "viscous": 0.0,
                "radius": 0.01,
            }
            | {"axial_radius": None, "length": None, "width": None, "preload": 0.0, "law": "coulomb", "smoothing": 0.001},
            add,
        ),
        "JointLimit": Call(
            sr.JointLimit,
            {
                "name": "jl",
                "joint": "O",
                "lower": -1,
                "upper": 1,
                "law": law,
                "restitution": None,
                "rest_speed": 0.01,
                "freedom": 0,
            },
            add,
        ),
        "Motor": Call(sr.Motor, {"name": "m", "joint": "O", "torque": table, "command": "u", "ratio": 2, "efficiency": 0.9}, add),
        "Thrust": Call(
            sr.Thrust,
            {**force, "force": 10, "axis": "x", "exhaust_speed": 1000, "propellant": 0.5, "at": None, "tank": None}
            | {"tank_inertia": (0, 0, 0), "jet_damping": True},
            add,
        ),
        "Wheel": Call(sr.Wheel, wheel, add),
        "UserForce": Call(sr.UserForce, {"name": "uf", "bodies": ["arm"], "function": lambda t, r, R, v, w, f, m: None}, add),
        # constraints
        "Distance": Call(sr.Distance, {**pair, "at_a": (1, 0, 0), "at_b": (0, 0, 1), "length": None}, add),
        "PointOnPlane": Call(sr.PointOnPlane, {**pair, "at": (1, 0, 0), "normal": "z", "through": None}, add),
        "PointOnLine": Call(sr.PointOnLine, {**pair, "at": (1, 0, 0), "axis": "x", "through": None}, add),
        "PointOnCurve": Call(
            sr.PointOnCurve,
            {**pair, "at": (1, 0, 0), "curve": ("cos(s)", "sin(s)", 0), "s": 0.0, "origin": (0, 0, 0), "axes": None},
            add,
        ),
        "PointOnSurface": Call(
            sr.PointOnSurface, {**pair, "at": (1, 0, 0), "surface": "x^2 + y^2 - z", "origin": (0, 0, 0), "axes": None}, add
        ),
        "Gear": Call(sr.Gear, {"name": "g", "joint_a": "O", "joint_b": "S", "ratio": 2, "offset": None}, add),
        "Rack": Call(sr.Rack, {"name": "r", "pinion": "O", "rack": "S", "radius": 0.1, "offset": None}, add),
        "Coupler": Call(sr.Coupler, {"name": "c", "terms": [("O", 1.0), ("S", 2.0)], "constant": None}, add),
        "Cam": Call(sr.Cam, {"name": "cam", "cam": "O", "follower": "S", "profile": "0.1*cos(q)"}, add),
        "Constraint": Call(sr.Constraint, {"name": "c", "formula": "O.q - 2*S.q", "variables": {}}, add),
        "RollingBall": Call(
            sr.RollingBall,
            {
                "name": "rb",
                "ball": "cart",
                "radius": 1,
                "center": (0, 0, 1),
                "surface": "ground",
                "normal": "z",
                "through": (0, 0, 0),
            },
            add,
        ),
        "RollingDisc": Call(
            sr.RollingDisc,
            {"name": "rd", "wheel": "cart", "radius": 1, "center": (0, 0, 1), "axis": "y", "normal": "z", "tube": 0},
            add,
        ),
        "KnifeEdge": Call(sr.KnifeEdge, {"name": "k", "body": "arm", "at": None, "direction": "y", "surface": "ground"}, add),
        # events and actions
        "Event": Call(
            sr.Event,
            {
                "name": "e",
                "when": "O.q > 1",
                "actions": sr.Stop(),
                "at": None,
                "every": None,
                "direction": "both",
                "variables": {},
            }
            | {"times": None, "enabled": True, "initially": False, "tables": {}},
            add,
        ),
        "Stop": Call(sr.Stop, {"message": "done"}, in_event),
        "Enable": Call(sr.Enable, {"event": "late"}, in_event),
        "Disable": Call(sr.Disable, {"event": "late"}, in_event),
        "SetParameter": Call(sr.SetParameter, {"parameter": "k", "value": 3.0}, in_event),
        "SetSignal": Call(sr.SetSignal, {"signal": "u", "value": 3.0}, in_event),
        "SetSpeed": Call(sr.SetSpeed, {"coordinate": "O", "value": 3.0}, in_event),
        "SetMotion": Call(sr.SetMotion, {"coordinate": "O", "motion": "t", "relative": False}, in_event),
        "Rebound": Call(sr.Rebound, {"variable": "O", "restitution": 0.5}, in_event),
        "Release": Call(sr.Release, {"joint": "S"}, in_event),
        "Lock": Call(sr.Lock, {"joint": "S", "freedom": None}, in_event),
        "Unlock": Call(sr.Unlock, {"joint": "S", "freedom": None}, in_event),
        "Attach": Call(sr.Attach, {"a": "arm", "b": "cart", "joint": ""}, in_event),
        "Join": Call(sr.Join, {"joint": sr.Ball("latch", "ground", "cart"), "gap": 0.001}, in_event),
    }


def signals() -> dict[str, Call]:
    """Blocks and sensors."""
    point = {"body": "arm", "at": (0, 0, 0), "axis": "x", "relative_to": "ground"}
    turn = {"body": "arm", "axis": "z", "relative_to": "ground", "axes_of": None}
    matrices = {"A": [[0.5]], "B": [1.0], "C": [1.0], "D": 0.0, "initial": None}
    clock = {"period": 0.1, "offset": 0.0}
    return {
        "Signal": Call(sr.Signal, {"name": "s", "formula": "2*O.q", "variables": {}, "unit": "rad", "tables": {}}, add),
        "Input": Call(sr.Input, {"name": "other", "initial": 0.0, "unit": "N"}, add),
        "PID": Call(
            sr.PID,
            {**SIGNAL, "kp": 1, "ki": 1, "kd": 1, "rate": None, "filter_time": 0.01, "limits": None, "initial": 0.0, "unit": ""},
            add,
        ),
        "LowPass": Call(sr.LowPass, {**SIGNAL, "time_constant": 0.1, "initial": 0.0, "unit": ""}, add),
        "Integral": Call(sr.Integral, {**SIGNAL, "initial": 0.0, "unit": ""}, add),
        "Derivative": Call(sr.Derivative, {**SIGNAL, "time_constant": 0.1, "initial": 0.0}, add),
        "Limit": Call(sr.Limit, {**SIGNAL, "limits": (-1, 1)}, add),
        "DeadZone": Call(sr.DeadZone, {**SIGNAL, "limits": (-1, 1)}, add),
        "Quantizer": Call(sr.Quantizer, {**SIGNAL, "step": 0.1}, add),
        "RateLimiter": Call(sr.RateLimiter, {**SIGNAL, "limits": (-1, 1), "time_constant": 0.1, "initial": 0.0}, add),
        "Relay": Call(sr.Relay, {**SIGNAL, "low": 0, "high": 1, "off": 0, "on": 1, "initial": False}, add),
        "Delay": Call(sr.Delay, {**SIGNAL, "time": 0.1, "initial": None}, add),
        "PadeDelay": Call(sr.PadeDelay, {**SIGNAL, "time": 0.1, "order": 3}, add),
        "TransferFunction": Call(sr.TransferFunction, {**SIGNAL, "numerator": (1,), "denominator": (1, 1)}, add),
        "StateSpace": Call(sr.StateSpace, {**SIGNAL, **matrices}, add),
        "DiscreteStateSpace": Call(sr.DiscreteStateSpace, {**SIGNAL, **matrices, **clock}, add),
        "DiscreteTransferFunction": Call(
            sr.DiscreteTransferFunction, {**SIGNAL, "numerator": (1,), "denominator": (1, -0.5), **clock}, add
        ),
        "SampleHold": Call(sr.SampleHold, {**SIGNAL, **clock, "initial": 0.0}, add),
        "Difference": Call(
            sr.Difference,
            {
                "name": "d",
                "inputs": {"x": "O.q"},
                "output": "z",
                "states": {"z": 0.0},
                "updates": {"z": "x"},
                **clock,
                "initial": 0.0,
            },
            add,
        ),
        "Sampled": Call(sr.Sampled, {"name": "d", "function": lambda t, x: x, "inputs": ("O.q",), "outputs": (), **clock}, add),
        "Function": Call(sr.Function, {"name": "d", "function": lambda x: x, "inputs": ("O.q",), "unit": ""}, add),
        "Lookup": Call(sr.Lookup, {"name": "d", "inputs": ("O.q",), "table": sr.Table((0, 1), (0, 1)), "unit": ""}, add),
        "Position": Call(sr.Position, {**point, "origin": None, "axes_of": None}, in_signal),
        "PointCoordinate": Call(sr.PointCoordinate, point, in_signal),
        "PointVelocity": Call(sr.PointVelocity, {**point, "axes_of": None}, in_signal),
        "Acceleration": Call(sr.Acceleration, {**point, "axes_of": None}, in_signal),
        "AngularVelocity": Call(sr.AngularVelocity, turn, in_signal),
        "AngularAcceleration": Call(sr.AngularAcceleration, turn, in_signal),
        "Angle": Call(sr.Angle, {"body": "arm", "angle": "yaw", "relative_to": "ground", "axes": "zyx"}, in_signal),
        "PointDistance": Call(sr.PointDistance, {"a": "arm", "b": "ground", "at_a": None, "at_b": None}, in_signal),
        "DirectionCosine": Call(sr.DirectionCosine, {"a": "arm", "axis_a": "x", "b": "ground", "axis_b": "x"}, in_signal),
        "JointCoordinate": Call(sr.JointCoordinate, {"joint": "O", "freedom": None}, in_signal),
        "JointDrive": Call(sr.JointDrive, {"joint": "O", "freedom": None}, in_signal),
        "JointReaction": Call(sr.JointReaction, {"joint": "O", "component": "fx", "axes": "world"}, in_signal),
        "ForceOutput": Call(sr.ForceOutput, {"force": "spring", "output": "force", "component": None}, in_signal),
    }


def functions() -> dict[str, Call]:
    """Functions and methods: what is asked of models, systems and results."""
    run = {"t_end": 0.01, "step": None, "output": None, "integrator": "auto", "tolerance": None, "formulation": "joint"}
    run |= {"method": "auto", "order": None, "max_step": None, "progress": False, "stabilization": None, "correction": True}
    run |= {"solver": "auto", "initial": None, "options": None, "callback": None, "communication": None}
    run |= {"parameters": {"k": 1.0}}
    s, r, b = compiled(), motion(), beam()
    q, v = s.y0[: s.n_q], s.y0[s.n_q : s.n_q + s.n_v]
    folder = tempfile.mkdtemp(prefix="sharnir_fuzz_")
    r.save(f"{folder}/r.h5")
    reduced().save(f"{folder}/x.npz")
    return {
        "Model.simulate": Call(lambda **given: plant().simulate(**given), run),
        "Model.compile": Call(
            lambda **given: plant().compile(**given),
            {
                "formulation": "joint",
                "method": "auto",
                "solver": "auto",
                "initial": None,
                "stabilization": None,
                "correction": True,
            },
        ),
        "Model.parameter": Call(
            lambda **given: plant().parameter(**given),
            {"name": "l", "value": 1.0, "unit": "m", "description": "length", "range": (0.0, 2.0)},
        ),
        "Model.with_parameters": Call(lambda **given: plant().with_parameters(**given), {"k": 1.0}),
        "Model.parameters": Call(lambda values: plant().parameters.update(values), {"values": {"k": 1.0}}),
        "Model.statics": Call(lambda **given: plant().statics(**given), {"formulation": "joint", "initial": None}),
        "Model.modes": Call(lambda **given: plant().modes(**given), {"formulation": "joint", "initial": None}),
        "Model.save": Call(
            lambda path, simulation: plant().save(path, simulation), {"path": f"{folder}/m.toml", "simulation": None}
        ),
        "Model.load": Call(sr.Model.load, {"path": f"{folder}/m.toml"}),
        "Model.stepper": Call(lambda **given: plant().stepper(**given), {"formulation": "joint", "tolerance": 1e-6}),
        "Stepper.step": Call(lambda dt, u: plant().stepper().step(dt, u=u), {"dt": 0.01, "u": 1.0}),
        "simulate_many": Call(
            sr.simulate_many,
            {
                "models": hanging(),
                "t_end": 0.01,
                "q": np.zeros((2, 1)),
                "v": None,
                "step": None,
                "output": None,
                "integrator": "auto",
            }
            | {"tolerance": None, "method": "auto", "order": None, "max_step": None, "threads": 1},
        ),
        **systems(s, q, v),
        "Model.add": Call(lambda element: plant().add(element), {"element": sr.Body("new", mass=1)}),
        "Model.kinematics": Call(lambda **given: driven().kinematics(**given), {"times": [0.0, 0.1], "formulation": "joint"}),
        "Model.topology": Call(lambda path: plant().topology().draw(path), {"path": f"{folder}/t.png"}),
        "Result.plot": Call(lambda name, path: r.plot(name, path=path), {"name": "O.q", "path": f"{folder}/p.png"}),
        "Result.to_dict": Call(lambda name: r.to_dict(name), {"name": "O.q"}),
        "Result.__getitem__": Call(r.__getitem__, {"name": "O.q"}),
        "Result.channel": Call(r.channel, {"name": "O.q"}),
        "Result.unit": Call(r.unit, {"name": "O.q"}),
        "Result.components": Call(r.components, {"name": "arm.position"}),
        "Result.node": Call(r.node, {"body": "arm", "which": 1}),
        "Result.displacements": Call(r.displacements, {"body": "arm", "t": 0.0}),
        "Result.save": Call(r.save, {"path": f"{folder}/r.csv", "channels": ["O.q"]}),
        "Result.load": Call(sr.Result.load, {"path": f"{folder}/r.h5"}),
        "Result.animate": Call(
            r.animate,
            {
                "path": f"{folder}/r.html",
                "fps": 10,
                "speed": 1,
                "title": "x",
                "plots": ["O.q"],
                "traces": ["arm"],
                "look": "auto",
                "scale": 1,
            },
        ),
        "Result": Call(sr.Result, {"t": [0.0, 1.0], "channels": [sr.Channel("a", [1.0, 2.0])], "title": "t"}),
        "Channel": Call(sr.Channel, {"name": "a", "values": [1.0, 2.0], "unit": "m", "labels": None}, lambda c: c.values),
        "Table.evaluate": Call(sr.Table((0, 1), (0, 1)).evaluate, {"x": 0.5, "derivative": 0}),
        "Table.from_csv": Call(sr.Table.from_csv, {"path": table_file(folder), "columns": (0, 1), "kind": "linear"}),
        "GridTable.from_csv": Call(sr.GridTable.from_csv, {"path": table_file(folder), "kind": "linear", "outside": "constant"}),
        "geared_rotor": Call(sr.geared_rotor, {"motor": sr.Motor("m", "O", torque=1), "inertia": 0.1, "axis": "z"}),
        "hertz_stiffness": Call(sr.hertz_stiffness, {"radius_a": 1, "modulus_a": 1e9, "poisson_a": 0.3, "radius_b": 1}),
        "joint_limits": Call(sr.joint_limits, {"model": plant(), "law": sr.Hertz(1e6), "restitution": None, "rest_speed": 0.01}),
        "joint_motors": Call(sr.joint_motors, {"model": plant(), "commands": {}}),
        "restitution_of": Call(sr.restitution_of, {"law": sr.HuntCrossley(1e6, 0.1), "speed": 1}),
        "rotation_about": Call(sr.rotation_about, {"axis": "x", "angle": 1.0}),
        **{name: Call(getattr(sr, name), {"x": 0.5}) for name in ("sin", "cos", "tan", "asin", "acos", "atan")},
        **{name: Call(getattr(sr, name), {"x": 0.5}) for name in ("exp", "log", "sqrt")},
        "atan2": Call(sr.atan2, {"y": 0.5, "x": 0.5}),
        "rotation_rpy": Call(sr.rotation_rpy, {"roll": 1.0, "pitch": 0.0, "yaw": 0.0}),
        "load_urdf": Call(
            sr.load_urdf,
            {"source": '<robot name="r"><link name="l"/></robot>', "floating_base": False, "name": None, "stops": None},
        ),
        "load_mjcf": Call(
            sr.load_mjcf,
            {"source": MJCF, "name": None, "keyframe": "bent", "stops": "soft", "friction_speed": 0.01, "contacts": None}
            | {"actuators": True, "meshes": True},
        ),
        "load_sdf": Call(
            sr.load_sdf,
            {"source": SDF, "name": None, "floating_base": True, "stops": None, "friction_speed": 0.01, "inertia": "keep"}
            | {"packages": {}},
        ),
        "deg": Call(sr.deg, {"angle": 90.0}),
        **many_runs(),
        # flexible bodies
        "straight_beam": Call(
            fx.straight_beam,
            {"start": (0, 0, 0), "end": (1, 0, 0), "section": fx.Section.round(0.01), "elements": 3, "orientation": None}
            | {"material": fx.STEEL, "theory": "timoshenko", "mass": "consistent", "rotary": None, "name": "b"},
        ),
        "beam_frame": Call(
            fx.beam_frame,
            {"nodes": [[0, 0, 0], [1, 0, 0]], "elements": [[0, 1]], "section": fx.Section.round(0.01), "material": fx.STEEL}
            | {"orientation": None, "theory": "euler", "mass": "lumped", "rotary": None, "labels": None, "name": "f"},
        ),
        "solid": Call(
            fx.solid,
            {"mesh": ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], {"tetra": [[0, 1, 2, 3]]}), "material": fx.STEEL}
            | {"materials": None, "mass": "consistent", "units": "m-kg-s", "name": "s"},
        ),
        "from_matrices": Call(
            fx.from_matrices,
            {
                "mass": b.mass,
                "stiffness": b.stiffness,
                "nodes": b.nodes,
                "freedoms": b.freedoms,
                "labels": b.labels,
                "lines": b.lines,
            }
            | {"faces": (), "sets": None, "modal": (), "units": "m-kg-s", "check": True, "name": "x", "source": "y"},
        ),
        "read_fe": Call(
            fx.read_fe, {"path": str(DATA / "brick.sti"), "format": None, "units": "m-kg-s", "check": True, "name": "b"}
        ),
        "reduce": Call(
            fx.reduce,
            {"fe_model": b, "interfaces": {"root": 0}, "modes": 1, "frequency": None, "basis": "craig-bampton", "shapes": None}
            | {"parameters": None, "inertia": "general", "geometry": None, "damping": None, "stiffening": None, "solver": None},
        ),
        "Material": Call(fx.Material, {"E": 1e9, "nu": 0.3, "density": 1000, "name": "m"}),
        "Section": Call(fx.Section, {"area": 1, "Iy": 1, "Iz": 1, "J": 1, "shear_y": 0.8, "shear_z": 0.8}),
        "Section.round": Call(fx.Section.round, {"radius": 1, "nu": 0.3}),
        "Section.tube": Call(fx.Section.tube, {"radius": 1, "inner": 0.5, "nu": 0.3}),
        "Section.rectangle": Call(fx.Section.rectangle, {"width": 1, "height": 0.5, "nu": 0.3}),
        "Rayleigh": Call(fx.Rayleigh, {"stiffness": 0.1, "mass": 0.1, "against": "ground"}, damped),
        "ModalDamping": Call(fx.ModalDamping, {"ratio": 0.1, "at": None}, damped),
        "RigidTie": Call(fx.RigidTie, {"nodes": [1, 2], "at": None, "node": None, "label": 100, "rotations": True}, b.with_ties),
        "AveragedTie": Call(
            fx.AveragedTie,
            {"nodes": [1, 2], "at": None, "node": None, "label": 100, "weights": None, "rotations": True},
            b.with_ties,
        ),
        "FEModel.select": Call(b.select, {"x": 0.5, "y": None, "z": (0, 1), "tolerance": 1e-6}),
        "FEModel.scaled": Call(b.scaled, {"units": "mm-t-s"}),
        "FEModel.node": Call(b.node, {"label": 0}),
        "ReducedModel.load": Call(fx.ReducedModel.load, {"path": f"{folder}/x.npz"}),
        "ReducedModel.save": Call(reduced().save, {"path": f"{folder}/x.npz"}),
    }


SDF = """<sdf version="1.9"><model name="m"><link name="a"/><joint name="j" type="revolute"><parent>world</parent>
  <child>a</child><axis><xyz>0 1 0</xyz></axis></joint></model></sdf>"""
MJCF = """<mujoco><worldbody><body><joint name="a" axis="0 1 0"/><geom type="sphere" size="0.1" pos="0 0 -1"/></body></worldbody>
<actuator><motor joint="a"/></actuator><keyframe><key name="bent" qpos="0.1"/></keyframe></mujoco>"""


def many_runs() -> dict[str, Call]:
    """Studies, what they vary, and fits."""
    given = {"parameters": {"k": sr.Uniform(1.0, 2.0)}, "outputs": {"top": "max(O.q)"}, "t_end": 0.01, "design": "sobol"}
    given |= {"runs": 4, "seed": 0, "correlations": None, "variables": None, "title": None, "output": 0.005}
    curves = {"O.q": ([0.0, 0.005, 0.01], [0.0, 0.0, 0.0])}
    return {
        "Study": Call(lambda **given: sr.Study(sprung(), **given), given),
        "Study.run": Call(sr.Study(sprung(), **{**given, "runs": 2}).run, {"store": None, "progress": False}),
        "Study.minimize": Call(
            lambda **given: sr.Study(sprung(), parameters={}, outputs={"end": "final(O.q)"}, t_end=0.01).minimize(**given),
            {"objective": "end", "bounds": {"k": (1, 2)}, "constraints": {"end": (-1, None)}, "start": {"k": 1.5}}
            | {"method": "local", "evaluations": 2, "seed": 0},
        ),
        "optimal_control": Call(
            lambda **given: sr.optimal_control(pushed(), **given),
            {"t_end": 0.5, "inputs": {"u": (-90, 90)}, "cost": "u^2", "final": {"x.q": 1, "x.v": 0}, "final_cost": "0"}
            | {"limits": {"x.q": (-1, 2)}, "intervals": 3, "profile": "linear", "initial": None, "iterations": 50},
        ),
        "fit": Call(
            lambda **given: sr.fit(sprung(), **given),
            {"measured": curves, "parameters": {"k": (0.5, 2.0)}, "start": {"k": 1.1}, "deviations": {"O.q": 0.1}},
        ),
        "Uniform": Call(sr.Uniform, {"low": 0.0, "high": 1.0}),
        "Normal": Call(sr.Normal, {"mean": 0.0, "deviation": 1.0}),
        "LogNormal": Call(sr.LogNormal, {"median": 1.0, "spread": 2.0}),
        "Triangular": Call(sr.Triangular, {"low": 0.0, "mode": 0.5, "high": 1.0}),
        "Truncated": Call(sr.Truncated, {"of": sr.Normal(0.0, 1.0), "low": -1.0, "high": 1.0}),
        "OneOf": Call(sr.OneOf, {"values": [1.0, 2.0]}),
    }


def systems(s: Any, q: np.ndarray, v: np.ndarray) -> dict[str, Call]:
    """Questions to a compiled model about one state."""
    state = {"q": q, "v": v, "t": 0.0}
    place = {"q": q, "t": 0.0}
    asked = {
        "accelerations": {**state, "tau": None, "threads": None},
        "inverse_dynamics": {**state, "vdot": v},
        "bias": state,
        "mass_matrix": place,
        "jacobian": {"body": "arm", **place, "point": (0, 0, 0)},
        "bodies": state,
        "reactions": state,
        "energy": state,
        "constraints": state,
        "constraint_jacobian": place,
        "multipliers": state,
        "structure": state,
        "equilibrium": {"q": None, "t": 0.0, "stable": False, "steady": False},
        "linearize": state,
        "modes": {**state, "still": False},
        "assemble": {"initial": None},
        "mixed_dynamics": {**state, "forces": {"S": 1.0}, "accelerations": {"O": 1.0}, "method": "recursion"},
    }
    return {f"System.{name}": Call(getattr(s, name), given) for name, given in asked.items()}


def damped(damping: Any) -> Any:
    return fx.reduce(beam(), interfaces={"root": 0}, modes=1, damping=damping)


def hanging() -> sr.Model:
    m = sr.Model()
    m.add(sr.Body("bob", mass=1, position=(1, 0, 0)), sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y"))
    return m


def pushed() -> sr.Model:
    """A slide that an input pushes."""
    m = sr.Model("slide")
    m.add(sr.Body("car", mass=2), sr.Input("u", unit="N"), sr.Prismatic("x", "ground", "car", axis="x"))
    m.add(sr.JointForce("drive", "x", "u"))
    return m


def sprung() -> sr.Model:
    m = sr.Model(parameters={"k": 2.0})
    m.add(sr.Body("bob", mass=1, position=(1, 0, 0)))
    m.add(sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y", stiffness="k"))
    return m


def driven() -> sr.Model:
    m = sr.Model()
    m.add(sr.Body("bob", mass=1, position=(1, 0, 0)), sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y", motion=0.5))
    return m


def table_file(folder: str) -> str:
    path = Path(folder) / "table.csv"
    path.write_text("0,0\n1,1\n2,4\n3,9\n")
    return str(path)


@functools.cache
def calls() -> dict[str, Call]:
    """Everything that is tried."""
    found = {**joints(), **elements(), **signals(), **functions()}
    return {name: call for name, call in found.items() if call.given}


# ---- what is wrong ------------------------------------------------------------------------------------------------------


class Odd:
    """An object of a stranger."""

    def __float__(self) -> float:
        raise RuntimeError("not a number")

    def __repr__(self) -> str:
        return "Odd()"


def deep_list(depth: int = 3000) -> list[Any]:
    nested: list[Any] = []
    for _ in range(depth):
        nested = [nested]
    return nested


def round_list() -> list[Any]:
    ring: list[Any] = [1.0]
    ring.append(ring)
    return ring


BAD: tuple[Callable[[], Any], ...] = tuple(
    (lambda value=value: value)
    for value in (
        *(
            None,
            True,
            False,
            0,
            1,
            -1,
            3,
            1.5,
            -0.0,
            math.nan,
            math.inf,
            -math.inf,
            1e308,
            -1e308,
            1e-320,
            10**30,
            -(10**30),
            10**400,
        ),
        *(
            "",
            " ",
            "text",
            "x",
            "arm",
            "O",
            "ground",
            "t",
            "q",
            "1/0",
            "nan",
            "sin(",
            "O.q",
            "O.qq",
            "\0",
            "a.b",
            "é",
            "x" * 2000,
            "\n",
        ),
        *("2" * 500, "q" + "*q" * 3000, "(" * 500, "-" * 500, "/dev/zero", "../x", "auto", "linear", b"bytes", bytearray(3)),
        *(
            [],
            (),
            [[]],
            {},
            set(),
            [1],
            [1, 2],
            [1, 2, 3],
            (1, 2, 3, 4),
            [math.nan] * 3,
            [math.inf] * 3,
            [None] * 3,
            ["a", "b", "c"],
        ),
        *(
            [1, 2, "x"],
            [[1, 2], [3]],
            [[0] * 3] * 3,
            [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
            [0, 0, 0],
            [0] * 6,
            [1e200] * 3,
            [1e308] * 6,
        ),
        *([10**400] * 3, [True] * 3, {"a": 1}, {1: 2}, {"O": math.nan}, {"x": None}, {"type": "box"}, {1, 2}, frozenset("ab")),
        *(
            1j,
            [1j] * 3,
            decimal.Decimal("1.5"),
            fractions.Fraction(1, 3),
            np.float32(1.5),
            np.int64(-2),
            np.bool_(True),
            np.array(2.0),
        ),
        *(
            np.zeros(3),
            np.zeros((3, 3)),
            np.zeros((2, 2, 2)),
            np.zeros(0),
            np.array("a"),
            np.array([1j]),
            np.array([None]),
            np.ones(7),
        ),
        *(
            np.array(["a", "b", "c"]),
            np.array([math.nan] * 3),
            np.zeros((0, 3)),
            np.arange(4),
            np.datetime64("2020-01-01"),
            range(3),
        ),
        *(
            int,
            object,
            math.sin,
            len,
            print,
            lambda: 0,
            lambda *x: 1 / 0,
            lambda *x: "text",
            ...,
            NotImplemented,
            slice(3),
            Path(),
        ),
        *(datetime.date(2020, 1, 1), Odd(), [Odd()] * 3, memoryview(b"abc"), Exception("x"), sr, sr.Body, list(range(5000))),
    )
)
MADE: tuple[Callable[[], Any], ...] = (
    lambda: iter([1, 2, 3]),
    lambda: (x for x in (1, 2, 3)),
    deep_list,
    round_list,
    lambda: sr.Body("other", mass=1),
    lambda: sr.Model("other"),
    lambda: sr.Table((0, 1), (0, 1)),
    lambda: sr.Revolute("other", "ground", "arm", axis="x"),
    lambda: sr.Box((1, 1, 1)),
    lambda: sr.Frame(),
    lambda: sr.Stop(),
    lambda: sr.Hertz(1e6),
    lambda: [sr.Body("other", mass=1)],
    lambda: {"x": sr.Body("other", mass=1)},
)
WRONG = BAD + MADE


def wrong_arguments(rng: Generator, given: dict[str, Any]) -> dict[str, Any]:
    """The arguments with one or two of them wrong."""
    names, out = list(given), dict(given)
    for _ in range(1 if rng.random() < 0.8 else 2):
        out[names[int(rng.integers(len(names)))]] = WRONG[int(rng.integers(len(WRONG)))]()
    return out


def outcome(seed: int, only: str | None = None) -> tuple[str, str, str]:
    """(name, "fine" | "refused" | "raw" | "hang", what was said) of one case."""
    rng = default_rng(seed)
    name = only or list(calls())[int(rng.integers(len(calls())))]
    call = calls()[name]
    given = wrong_arguments(rng, call.given)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), contextlib.chdir(folder), quiet():
        warnings.simplefilter("ignore")
        try:
            with alarm():
                call.then(call.function(**given))
        except sr.SharnirError as error:
            return name, "refused", str(error)
        except Hang as error:
            return name, "hang", said(call, given, error)
        except Exception as error:
            return name, "raw", said(call, given, error)
    return name, "fine", ""


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """What users' functions print goes nowhere."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):  # noqa: PTH123
        yield


def said(call: Call, given: dict[str, Any], error: BaseException) -> str:
    changed = {}
    for key, value in given.items():
        if value is not call.given[key]:
            try:
                changed[key] = repr(value)[:100]
            except RecursionError:
                changed[key] = "a deep list"
    return f"{changed}\n" + "".join(traceback.format_exception(error)[-3:])


def main() -> int:
    """Run so many cases, and say what became of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=28_600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", help="the name of one function or class")
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    for seed in range(given.seed, given.seed + given.count):
        name, found, words = outcome(seed, given.only)
        counts[found] += 1
        if found in ("raw", "hang"):
            sys.stdout.write(f"--- {name} {seed}: {found} {words}\n")
    sys.stdout.write(", ".join(f"{found}: {number}" for found, number in sorted(counts.items())) + "\n")
    return int(bool(counts["raw"] + counts["hang"]))


if __name__ == "__main__":
    raise SystemExit(main())
