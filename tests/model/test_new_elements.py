"""CONTRIBUTING's recipes are enough: elements defined outside the package run, are saved, drawn, recorded and checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import sharnir as sr
from model.new_elements import (
    Cone,
    CubicSpring,
    HardeningHinge,
    Kick,
    LevelPoint,
    SquaredDistance,
    SquareGear,
    Turntable,
    TwoLags,
)
from sharnir.app.report import exchanges_energy
from sharnir.dynamics.events import event_records
from sharnir.dynamics.forces.force_records import register_force
from sharnir.dynamics.forces.spring import SPRING
from sharnir.errors import ModelError, ModelFileError
from sharnir.families import Family, import_room
from sharnir.model import bodies, constraints, contact, events, forces, joints, signals
from sharnir.model.bodies.shapes import Shape
from sharnir.model.constraints import ConstraintElement, Variable
from sharnir.model.events import Action, Effect
from sharnir.model.files.field_kinds import TYPES_OF_KIND, file_fields, kind
from sharnir.model.files.model_file import run_from_text, text_of
from sharnir.model.files.schema import WORDS, _types, schema
from sharnir.model.forces import ForceElement
from sharnir.model.joints import Joint
from sharnir.model.signals import SignalElement
from sharnir.model.values import BodyName, FunctionValue

FORMULATIONS = ("joint", "absolute")
BASES: tuple[Any, ...] = (ForceElement, Joint, ConstraintElement, Variable, SignalElement, Action, Shape, contact.ContactLaw)
FAMILIES = [base.family for base in BASES]
TOYS = (Cone, CubicSpring, HardeningHinge, Kick, LevelPoint, SquaredDistance, SquareGear, Turntable, TwoLags)


def listed(listings) -> None:
    """Let the families list these classes and no others."""
    for family, classes in zip(FAMILIES, listings, strict=True):
        family._classes = dict(classes)
    Family.changes += 1


# the toys are listed while these tests run, so that tests of other files see the package as it is
WITH_TOYS = [family.classes() for family in FAMILIES]
WITHOUT = [{word: x for word, x in classes.items() if x not in TOYS} for classes in WITH_TOYS]
listed(WITHOUT)


@pytest.fixture(autouse=True, scope="module")
def toys():
    listed(WITH_TOYS)
    yield
    listed(WITHOUT)


MASS: dict[str, Any] = {"mass": 2.0, "inertia": (0.2, 0.3, 0.4)}


def pendulum(*elements):
    m = sr.Model("toy")
    m.add(sr.Body("arm", position=(0.5, 0.0, 0.0), **MASS), sr.Revolute("O", "ground", "arm", at=(0, 0, 0), axis="y", v=1.0))
    m.add(*elements)
    return m


def same_motion(m, n, channel, formulation="joint", t_end=0.5):
    a, b = (x.simulate(t_end, output=0.1, formulation=formulation, tolerance=1e-10) for x in (m, n))
    assert np.abs(a[channel]).max() > 1e-3
    assert np.allclose(a[channel], b[channel], rtol=1e-7, atol=1e-9)
    return a


def saved_and_read(m):
    again, _ = run_from_text(text_of(m))
    assert again == m
    return again


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_force(formulation):
    """Motion as with a Spring of the same characteristic; energy is kept; channels, files, picture, report."""
    m = pendulum(CubicSpring("toy", "ground", "arm", stiffness=300.0, length=0.3))
    n = pendulum(sr.Spring("toy", "ground", "arm", at_a=(0, 0, 0), force="300*x^3", length=0.3))
    m.add(sr.Body("bob", position=(0.5, 0.4, 0.3), **MASS), CubicSpring("free", "arm", "bob", stiffness=80.0, length=0.1))
    n.add(sr.Body("bob", position=(0.5, 0.4, 0.3), **MASS), sr.Spring("free", "arm", "bob", force="80*x^3", length=0.1))
    result = same_motion(m, n, "bob.position", formulation)
    assert np.ptp(result.energy.total) < 1e-7 * result.energy.kinetic.max()
    assert np.allclose(result["toy.length"], 0.5)
    assert np.allclose(result["toy.force.x"], result["toy.force"][:, 0])
    assert [spring.name for spring in result.scene.springs] == ["toy", "free"]
    assert not exchanges_energy(m)
    saved_and_read(m)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_force_along_a_freedom(formulation):
    m, n = pendulum(HardeningHinge("toy", "O", 50.0)), pendulum(sr.JointForce("toy", "O", "-50*q^3"))
    result = same_motion(m, n, "O.q", formulation)
    assert np.allclose(result["toy.moment"], -50.0 * result["O.q"] ** 3)
    saved_and_read(m)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_joint(formulation):
    """A sequence of freedoms needs nothing of the engine."""
    m, n = sr.Model(), sr.Model()
    for x in (m, n):
        x.add(sr.Body("disc", **MASS))
    m.add(Turntable("T", "ground", "disc", axis="z", slide="x", v=(2.0, 1.0), stiffness=3.0))
    freedoms = (sr.Rotation("z"), sr.Translation("x"))
    n.add(sr.FreedomSequence("T", "ground", "disc", freedoms=freedoms, v=(2.0, 1.0), stiffness=3.0))
    same_motion(m, n, "disc.position", formulation)
    saved_and_read(m)


def test_equations_of_motion():
    """A joint and what acts along a freedom appear in formulas; a force on bodies is named; what is not known is refused."""
    hinge = pendulum(HardeningHinge("toy", "O", 50.0)).equations()
    assert str(hinge.rows[0]) == "0.8*q_O'' - 9.81*cos(q_O) = -50*q_O^3"
    spring = pendulum(CubicSpring("toy", "ground", "arm", stiffness=300.0)).equations()
    assert "F_toy_x" in spring.inputs and "CubicSpring 'toy'" in str(spring)
    m = sr.Model()
    m.add(sr.Body("disc", **MASS), Turntable("T", "ground", "disc", axis="z", slide="x", v=(2.0, 1.0)))
    q, v = np.array([0.3, 0.2]), np.array([2.0, 1.0])
    assert np.allclose(m.equations().accelerations(q, v), m.compile().accelerations(q, v))
    gear = two_shafts(SquareGear("gear", "A", "B")).equations()
    assert str(gear.presentation.constraints[0]) == "q_B - q_A^2 = 0"
    with pytest.raises(ModelError, match=r"LevelPoint 'floor': equations\(\) does not support LevelPoint; write it as a"):
        pendulum(LevelPoint("floor", "arm")).equations()


def two_shafts(*elements):
    m = sr.Model()
    for name, x in (("a", 0.0), ("b", 1.0)):
        m.add(sr.Body(name, position=(x, 0, 0), com=(0.1, 0, 0), **MASS))
        m.add(sr.Revolute(name.upper(), "ground", name, axis="y", q=0.5 if name == "a" else 0.25))
    m.add(*elements)
    return m


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_constraints(formulation):
    """One by its equation, one by a writer of records."""
    m, n = two_shafts(SquareGear("gear", "A", "B")), two_shafts(sr.Constraint("gear", "B.q - A.q^2"))
    result = same_motion(m, n, "B.q", formulation)
    assert np.allclose(result["B.q"], result["A.q"] ** 2, atol=1e-9)
    assert result["gear.force"].shape == result.t.shape
    saved_and_read(m)
    m, n = sr.Model(), sr.Model()
    for x in (m, n):
        x.add(sr.Body("puck", velocity=(1.0, 0.0, 0.0), angular_velocity=(0, 0, 1.0), com=(0.1, 0, 0), **MASS))
    m.add(LevelPoint("floor", "puck"))
    n.add(sr.PointOnPlane("floor", "ground", "puck", normal="z"))
    same_motion(m, n, "puck.position", formulation)
    saved_and_read(m)


def test_sensor():
    """A sensor is a formula of simpler ones; its rate follows."""
    sensor = {"r": SquaredDistance("arm")}
    m = pendulum(sr.Signal("square", "r", sensor), sr.Signal("rate", "r_dot", sensor), sr.Body("ball", **MASS))
    m.add(sr.Free("f", "ground", "ball", v=(1.0, 2.0, 0.0, 0, 0, 0)), sr.Signal("gone", "r", {"r": SquaredDistance("ball")}))
    result = m.simulate(0.4, output=0.1)
    assert np.allclose(result["square"], 0.25)
    assert np.allclose(result["rate"], 0.0, atol=1e-9)
    assert np.allclose(result["gone"], (result["ball.position"] ** 2).sum(axis=1))
    assert result.unit("rate") == "m²/s"
    saved_and_read(m)


def test_block():
    m = pendulum(TwoLags("late", "O.q", 0.2))
    n = pendulum(sr.LowPass("once", "O.q", 0.2), sr.LowPass("late", "once", 0.2))
    same_motion(m, n, "late")
    saved_and_read(m)


def test_action(monkeypatch):
    """Written once, done compiled and in Python."""
    runs = []
    for most in (event_records.MOST_SPEEDS, 0):
        monkeypatch.setattr(event_records, "MOST_SPEEDS", most)
        m = sr.Model(parameters={"gain": 1.0})
        m.add(sr.Body("arm", position=(0.5, 0, 0), **MASS), sr.Revolute("O", "ground", "arm", at=(0, 0, 0), axis="y", v=1.0))
        m.add(sr.JointForce("push", "O", "10*gain"), sr.Event("hit", at=0.2, actions=Kick("O", "2 - 0.5*O.v", "gain")))
        runs.append(m.simulate(0.4, output=0.1, tolerance=1e-10))
        assert [event["name"] for event in runs[-1].events] == ["hit"]
    compiled, interpreted = runs
    assert np.allclose(compiled["O.v"], interpreted["O.v"], rtol=1e-9, atol=1e-9)
    plain = pendulum(sr.JointForce("push", "O", "10")).simulate(0.4, output=0.1, tolerance=1e-10)
    assert np.allclose(compiled["O.v"][:2], plain["O.v"][:2])
    assert abs(compiled["O.v"][-1] - plain["O.v"][-1]) > 0.1
    saved_and_read(m)


def test_shape():
    """Mass, inertia and picture follow from the shape."""
    m = sr.Model()
    m.add(sr.Body("top", shape=Cone(radius=0.3, height=0.6), density=1000.0), sr.Free("f", "ground", "top"))
    body = m.bodies["top"]
    assert body.mass == pytest.approx(1000.0 * np.pi * 0.3**2 * 0.2)
    assert body.inertia[2] == pytest.approx(0.3 * body.mass * 0.3**2)
    scene = m.simulate(0.1, output=0.1).scene
    shapes = next(item for item in scene.items if item.name == "top").shapes
    assert [shape["kind"] for shape in shapes] == ["mesh"]
    # the divergence theorem on the mesh: a polygon of 12 corners instead of a circle
    points, faces = np.array(shapes[0]["vertices"]), np.array(shapes[0]["faces"])
    a, b, c = (points[faces[:, k]] for k in range(3))
    volume = np.einsum("ni,ni->", a, np.cross(b, c)) / 6.0
    assert volume == pytest.approx(body.shape.volume * 12 * np.sin(np.pi / 6) / (2 * np.pi))
    saved_and_read(m)


def test_integrator():
    """Its name works where names do; its order is seen."""
    exact = pendulum().simulate(0.5, output=0.5, tolerance=1e-12)["O.q"][-1]
    errors = [abs(pendulum().simulate(0.5, step=h, integrator="ralston")["O.q"][-1] - exact) for h in (0.02, 0.01)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.15)
    with pytest.raises(ModelError, match=r"choose one of auto, .*ralston"):
        pendulum().simulate(0.5, integrator="ralstn")


def test_method():
    a, b = (
        pendulum(sr.Spring("s", "ground", "arm", at_a=(0, 0, 1), stiffness=9)).compile(method=x) for x in ("twin", "composite")
    )
    assert np.array_equal(a.accelerations([0.3], [0.7]), b.accelerations([0.3], [0.7]))
    with pytest.raises(ModelError, match=r"choose one of auto, .*twin"):
        pendulum().compile(method="twn")


TOYS = (CubicSpring, HardeningHinge, Turntable, SquareGear, LevelPoint, SquaredDistance, TwoLags, Kick, Cone)


@pytest.mark.parametrize("toy", TOYS)
def test_schema_knows_it_and_the_published_one_does_not(toy):
    assert toy.__name__ in schema()["$defs"]
    assert toy.__name__ not in schema(own=True)["$defs"]


def test_unknown_types_are_answered_with_all_that_are_known():
    text = "[bodies.a]\nmass = 1\n[forces.f]\ntype = 'cubic-sprin'\na = 'ground'\nb = 'a'\n"
    with pytest.raises(ModelFileError, match=r"did you mean 'cubic-spring'.*types are .*spring.*cubic-spring"):
        run_from_text(text)


@pytest.mark.parametrize("name", [name for name in sr.model.__all__ if name.startswith("ALL_")])
def test_lists_hold_the_classes_of_the_package(name):
    assert not set(getattr(sr.model, name)) & set(TOYS)


@pytest.mark.parametrize("room", [bodies, constraints, contact, events, forces, joints, signals], ids=lambda room: room.__name__)
def test_every_element_of_the_package_is_exported(room):
    """A file that is not imported, or a name that is missing in __all__, would be an element that nobody finds."""
    import_room(room)
    for family in FAMILIES:
        for element in family.own():
            assert getattr(sr, element.__name__, None) is element, f"{element.__name__} is missing in sharnir.model.__all__"


def test_kinds_of_values_have_words_and_types():
    """Whatever fields of listed classes hold can be described, written and read."""
    words = {kind(x, f.name) for family in FAMILIES for x in family for f in file_fields(x)} - {"code"}
    assert words <= set(WORDS)
    assert words <= {*_types(), *TYPES_OF_KIND, "friction", "joined"}


# ---- what would be forgotten silently ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bodiless(ForceElement, listed=False):
    """A force without a kernel; not listed, so that files of other tests do not know it."""

    name: str
    body: BodyName


@dataclass(frozen=True)
class Untold(ForceElement, listed=False):
    """A field that does not say what it holds."""

    name: str
    size: Any


@dataclass(frozen=True)
class Nameless(ForceElement, listed=False):
    """A formula of who knows what."""

    name: str
    size: FunctionValue = 0.0


@dataclass(frozen=True)
class Lossless(ForceElement, listed=False):
    """It keeps the energy, but does not say where."""

    name: str
    body: BodyName
    outputs: ClassVar[Any] = ()

    @property
    def conservative(self) -> bool:
        return True


@dataclass(frozen=True)
class Equationless(ConstraintElement, listed=False):
    """A constraint that the engine does not know."""

    name: str
    body: BodyName


@dataclass(frozen=True)
class Curse(Effect):
    """An effect that no run knows."""


@dataclass(frozen=True)
class Hex(Action, listed=False):
    """An action with it."""

    def effects(self):
        return (Curse(),)


def test_what_is_forgotten_is_told():
    with pytest.raises(ModelError, match="Bodiless 'x': the engine has no kernel for Bodiless; register one with register_force"):
        pendulum(Bodiless("x", "arm")).compile()
    with pytest.raises(ModelError, match="Untold: field 'size' does not say what it holds; annotate it"):
        pendulum(Untold("x", 1.0))
    with pytest.raises(ModelError, match="Nameless: field 'size' may hold a formula; declare its variables"):
        pendulum(Nameless("x"))
    with pytest.raises(ModelError, match="Equationless 'x': the engine has no writer of records for Equationless"):
        pendulum(Equationless("x", "arm")).compile()
    with pytest.raises(ModelError, match="Bodiless 'x': body = 'arn' is not a body of the model; did you mean 'arm'"):
        pendulum(Bodiless("x", "arn"))
    register_force(Lossless, lambda *_: None, SPRING)
    with pytest.raises(ModelError, match="Lossless 'x': Lossless is conservative, but its potential is not known"):
        pendulum(Lossless("x", "arm")).compile()
    with pytest.raises(ModelError, match="Event 'e': Hex: Curse is not an effect of the engine; there are NewParameter"):
        pendulum(sr.Event("e", at=0.1, actions=Hex())).simulate(0.2)


def test_a_word_belongs_to_one_class():
    with pytest.raises(ModelError, match=r"there is a force 'spring' already, of sharnir\.model\.forces\.spring"):

        @dataclass(frozen=True)
        class Spring(ForceElement):
            name: str


def test_numbers_are_formulas_of_parameters():
    """What is defined outside takes formulas in the place of numbers, in files and with other values, too."""

    def model(k, r):
        m = sr.Model("toy", parameters={"k": k, "r": r})
        m.add(sr.Body("arm", position=("r", 0, 0), shape=Cone("r/2", "2*r", ("r", 0, 0)), density=1000.0))
        m.add(Turntable("T", "ground", "arm", at=(0, 0, 0), axis=(0, 0, "k"), slide="x", stiffness="k"))
        m.add(CubicSpring("s", "ground", "arm", stiffness="3*k"), HardeningHinge("h", "T", "2*k"))
        m.add(TwoLags("late", "T.q.rz", "r/10"), sr.Signal("d", "x", {"x": SquaredDistance("arm")}))
        return m

    m = model(2.0, 0.4)
    assert (m.bodies["arm"].shape.height, m.joints["T"].stiffness, m.forces["h"].stiffness) == (0.8, (2.0, 2.0), 4.0)
    assert m.with_parameters(k=3.0, r=0.5) == model(3.0, 0.5)
    assert saved_and_read(m).with_parameters(r=0.5) == model(2.0, 0.5)
    system = m.compile()
    for r in (0.5, 0.6, 0.7):
        other, built = system.with_parameters(r=r, k=3.0), model(3.0, r).compile()
        q, v = np.array([0.1, 0.2]), np.array([0.3, 0.4])
        assert np.array_equal(other.accelerations(q, v), built.accelerations(q, v))
    with pytest.raises(ModelError, match=r"Body 'arm': shape: Cone: radius = -0\.5 must be positive"):
        m.with_parameters(r=-1.0)
