"""Models with a parameter in the place of every number: formulas must give the same elements as the numbers did."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass

import sharnir as sr
from sharnir.model.bodies.flexible_body import FlexibleBody
from sharnir.model.files.field_kinds import FROM_REDUCED
from sharnir.model.parameters.entry_formulas import LISTS, SCALAR
from sharnir.model.parameters.template import Parametric
from sharnir.model.signals import Input
from sharnir.model.values import Kind, kinds_of

OWN = ("name", "names", "text", "flag", "code", "freedom", "reduced")  # kinds without numbers


class Letters:
    """Gives every number a parameter of its own, and remembers its value; `formula` says what stands in its place."""

    def __init__(self, formula=lambda name, value: name, first="p", only=None):
        self.values, self.formula, self.first, self.only = {}, formula, first, only

    def __call__(self, value):
        if not math.isfinite(value):
            return value
        name = f"{self.first}{len(self.values)}_"
        self.values[name] = float(value)
        return self.formula(name, value)

    def entry(self, value, word):
        """The value of a field with letters for its numbers."""
        if value is None or isinstance(value, (str, bool)):
            return value
        if isinstance(value, (int, float)):
            return self(value) if word in SCALAR or word in LISTS or word == "values" else value
        if isinstance(value, Parametric):
            return self.element(value)
        if isinstance(value, dict):
            return {name: self.entry(part, word) for name, part in value.items()}
        if isinstance(value, tuple) and word == "mimic":
            return (value[0], *map(self, value[1:]))
        if isinstance(value, tuple) and word == "terms":
            return tuple((coordinate, self(factor)) for coordinate, factor in value)
        return tuple(self.entry(part, word) for part in value) if isinstance(value, tuple) else value

    def element(self, element):
        """An element, or a part of one, with letters."""
        if not is_dataclass(element):
            return element
        kinds = kinds_of(type(element))
        left = FROM_REDUCED if isinstance(element, FlexibleBody) else ()
        names = [field.name for field in fields(element) if field.init and field.name not in left]
        if self.only is not None:
            wanted = next((x for kind, x in self.only.items() if isinstance(element, kind)), ())
            kinds = {name: kind if name in wanted else Kind("flag") for name, kind in kinds.items()}
        given = {name: (getattr(element, name), kinds[name].word) for name in names}
        return type(element)(**{name: x if word in OWN else self.entry(x, word) for name, (x, word) in given.items()})


def lettered(model, formula=lambda name, value: name, first="p", only=None):
    """The model with a parameter for every number of every element, gravity included; `only`: of some fields of some classes."""
    letters = Letters(formula, first, only)
    gravity = tuple(map(letters, model.gravity))
    nodes, implied = model._nodes, model._implied
    made = {event.name for force in model.forces.values() for event in force.events(model.joints)}
    signals = [x for x in model.signals.values() if x not in implied]
    parts = [x for x in model.bodies.values() if x.name not in nodes]
    parts += [x for x in signals if isinstance(x, Input)]
    parts += [x for x in model.joints.values() if x.name not in nodes]
    parts += [x for x in signals if not isinstance(x, Input)]
    parts += [*model.forces.values(), *model.constraints.values()]
    parts += [x for x in model.events.values() if x.name not in made and x not in implied]
    elements = [letters.element(part) for part in parts]
    motion = model.base_motion and letters.element(model.base_motion)
    other = sr.Model(model.name, gravity, {**model.parameters, **letters.values})
    for element, part in zip(elements, parts, strict=True):
        if motion is not None and isinstance(part, sr.Joint):
            other.base_motion, motion = motion, None
        other.add(element)
    other._signals = {name: other._signals[name] for name in model.signals}
    return other


def elements_of(model):
    """All elements of a model, for comparison: bodies, joints, signals, forces, constraints, events."""
    parts = (model.bodies, model.joints, model.signals, model.forces, model.constraints, model.events)
    return [list(part.values()) for part in parts]


def blocks():
    """A mechanism with signals of every kind, events with every action, and forces, shapes and laws that other models lack."""
    m = sr.Model("blocks", parameters={"k": 2.0})
    m.add(sr.Body("car", mass=2, inertia=(1, 1, 1)), sr.Body("arm", mass=1, inertia=(0.2, 0.3, 0.4), position=(0.5, 0, 0)))
    m.add(sr.Input("u", initial=0.3), sr.Input("w", initial=-0.2))
    m.add(sr.Prismatic("P", "ground", "car", axis="x", limits=(-3, 4)), sr.Revolute("A", "car", "arm", at=(0.1, 0, 0), axis="y"))
    m.add(sr.Body("fan", mass=1, shape=SHAPES), sr.Revolute("D", "car", "fan", axis="z", motion="3*t"))
    m.add(sr.Integral("s1", "A.q", initial=0.3), sr.LowPass("s2", "A.q", 0.02, 0.1), sr.Derivative("s3", "A.q", 0.03, 0.2))
    m.add(
        sr.Limit("s4", "A.q", (-0.5, 0.7)), sr.PID("s5", "A.q", kp=1, ki=2, kd=3, filter_time=0.02, limits=(-4, 5), initial=0.1)
    )
    m.add(sr.StateSpace("s6", "A.q", ((0.0, 1.0), (-2.0, -3.0)), (0.0, 1.0), (1.0, 0.5), 0.2, (0.1, 0.2)))
    m.add(sr.TransferFunction("s7", "A.q", (1.0, 2.0), (1.0, 3.0, 4.0)), sr.Delay("s8", "A.q", 0.05, 0.1))
    m.add(sr.PadeDelay("s9", "A.q", 0.05, 3), sr.Lookup("s10", ("A.q",), sr.Table((0, 1, 2), (0, 2, 3))))
    m.add(sr.Lookup("s11", ("A.q", "P.q"), sr.GridTable(((0, 1), (0, 10)), ((0, 1), (2, 3)))))
    m.add(
        sr.DeadZone("s12", "A.q", (-0.1, 0.2)), sr.Quantizer("s13", "A.q", 0.1), sr.RateLimiter("s14", "A.q", (-2, 3), 0.02, 0.1)
    )
    m.add(sr.Relay("s15", "A.q", low=-0.5, high=0.6, off=-1, on=2), sr.SampleHold("s16", "A.q", 0.1, 0.05, 0.2))
    m.add(sr.DiscreteStateSpace("s17", "A.q", ((0.5,),), (1.0,), (2.0,), 0.1, 0.1, 0.05, (0.3,)))
    m.add(sr.DiscreteTransferFunction("s18", "A.q", (1.0, 0.5), (1.0, -0.3), 0.1, 0.02))
    m.add(sr.Difference("s19", {"e": "A.q"}, "e + m", {"m": 0.5}, {"m": "0.5*m + e"}, 0.1, 0.01, 0.3))
    m.add(sr.Signal("s20", "d + k", {"d": sr.PointDistance("car", "arm", at_a=(0.1, 0.2, 0.3), at_b=(0.6, 0, 0.1))}))
    m.add(sr.JointFriction("rub", "A", 0.2, 0.3, radius=0.05, viscous=0.01, preload=3.0, smoothing=0.01))
    m.add(sr.Motor("motor", "A", "3*u", ratio=3, efficiency=0.9), sr.Drag("air", "car", area=0.4, coefficient=0.3))
    m.add(
        sr.JointLimit("stop", "A", lower=-1.5, upper=1.2, restitution=0.5), sr.JointLimit("end", "P", law=sr.LinearLaw(1e4, 10.0))
    )
    m.add(sr.CentralGravity("earth", 3e3, center=(0, 0, -90), J2=1e-3, radius=40))
    m.add(sr.Aerodynamics("wing", "arm", 0.3, 1.2, at=(0.6, 0, 0), lift="0.4 + 5*alpha", damping=(0.1, 0.2, 0.3)))
    m.add(sr.Thrust("jet", "car", 3.0, axis=(1, 0, 0), exhaust_speed=900, propellant=0.1, tank=(0.1, 0, 0)))
    seen = (sr.Position("arm", at=(0.6, 0.1, 0), origin=(0.1, 0.2, 0.3)), sr.AngularVelocity("arm"), sr.Angle("arm"))
    m.add(*(sr.Signal(f"seen{k}", "x", {"x": one}) for k, one in enumerate(seen)))
    m.add(sr.Signal("drive", "x + y", {"x": sr.JointDrive("D"), "y": sr.ForceOutput("wing", "speed")}))
    late = (sr.Acceleration("arm", at=(0.6, 0.2, 0)), sr.AngularAcceleration("arm"), sr.JointReaction("A", component="fx"))
    m.add(*(sr.Signal(f"late{k}", "x", {"x": one}) for k, one in enumerate(late)))
    m.add(sr.Body("ball", mass=1, inertia=(0.1, 0.1, 0.1), position=(0, 5, 1)), sr.Free("loose", "ground", "ball"))
    for k, (a, b, law) in enumerate(CONTACTS):
        m.add(sr.Contact(f"c{k}", "ball", "ground", a, b, law=law, friction=sr.Friction(0.3, 0.4, 0.01, 0.2, 0.05)))
    m.add(sr.ContactGroup("all", ("car", "ball"), law=sr.Hertz(1e6, 1.4), friction=0.2, shape=sr.Sphere(0.1)))
    for k, tyre in enumerate(TYRES):
        wheel = sr.Wheel(f"w{k}", "ball", radius=0.3, tube=0.1, law=sr.LinearLaw(2e5, 500), tyre=tyre, through=(0, 0, -9))
        m.add(wheel)
    moves = (sr.SetParameter("k", 3.0), sr.SetSpeed("P", 0.5), sr.Enable("last"), sr.Disable("last"), sr.SetSignal("s15", 1.0))
    m.add(sr.Event("last", at=50.0, actions=(sr.Stop(),)), sr.Event("first", at=20.0, every=3.0, actions=moves, times=2))
    m.add(sr.Event("hit", "P.q > 50", sr.Rebound(sr.JointCoordinate("P"), 0.4)))
    m.add(sr.Event("turn", at=60.0, actions=(sr.Lock("A"), sr.Unlock("A"), sr.SetMotion("A", "0.1*t"))))
    new = sr.Revolute("grip", "car", "ball", at=(0, 5, 1), axis="y", damping=0.2)
    m.add(sr.Event("catch", at=70.0, actions=(sr.Release("A"), sr.Join("A", gap=0.01), sr.Attach("car", "ball"), sr.Join(new))))
    return m


SHAPES = (
    sr.Sphere(0.1, (0.1, 0, 0)),
    sr.Box((0.1, 0.2, 0.3), (0, 0.1, 0), sr.rotation_about("x", 0.3)),
    sr.Cylinder(0.1, 0.3, (1, 2, 0), (0, 0, 0.1)),
    sr.Rod((0, 0, 0), (0.1, 0, 0.2), 0.01),
)
TYRES = (
    sr.LinearTyre(6e4, 5e4, 0.9, 0.8),
    sr.BrushTyre(6e4, 5e4, 0.9, 0.8),
    sr.MagicFormula((10.0, 1.9, 0.9, 0.97), (9.0, 1.6, 0.8, 0.9)),
    sr.FormulaTyre("3000*kappa", "-2000*alpha"),
)
CONTACTS = [
    (sr.Sphere(0.1), sr.Plane((0, 0, -5)), sr.LinearLaw(1e5, 30.0)),
    (sr.Point((0, 5.1, 1)), sr.Plane((0, 0, -6)), sr.ExponentialLaw(1e3, 50.0, 0.1)),
    (sr.Box((0.1, 0.2, 0.3)), sr.Plane((0, 0, -7)), sr.Hertz(1e6, 1.4)),
    (sr.Capsule((0, 5, 1), (0.1, 5, 1), 0.02), sr.Plane((0, 0, -8)), sr.HuntCrossley(1e6, restitution=0.7, speed=0.5)),
    (sr.Sphere(0.05), sr.Bore(9.0, 20.0), sr.LankaraniNikravesh(1e6, 0.7, 0.5)),
    (sr.Sphere(0.05), sr.Slot((-9, 0, 0), (9, 0, 0), 8.0), sr.Flores(1e6, 0.7, 0.5)),
    (sr.Sphere(0.05), sr.Surface("z + 9 + 0.1*x", (0, 0, -1)), sr.LinearLaw(1e5)),
    (sr.Sphere(0.05), sr.Profile("9*cos(s)", "8*sin(s)", (0, 2 * math.pi)), sr.LinearLaw(1e5)),
    (sr.Sphere(0.05), sr.Revolution("9 + 0.1*s", (-20, 20)), sr.LinearLaw(1e5)),
]
