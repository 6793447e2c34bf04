"""Forces: stored forms and what is refused."""

from dataclasses import fields

import numpy as np
import pytest

from sharnir.errors import ModelError
from sharnir.model import (
    ALL_FORCES,
    Aerodynamics,
    Body,
    Bushing,
    CentralGravity,
    Contact,
    ContactGroup,
    Drag,
    Force,
    HuntCrossley,
    JointForce,
    JointFriction,
    JointLimit,
    LinearLaw,
    LinearTyre,
    Motor,
    Plane,
    Sphere,
    Spring,
    Table,
    Thrust,
    Torque,
    TorsionSpring,
    UserForce,
    Wheel,
)
from sharnir.model.links import referenced_bodies, referenced_joints


def wind(t, r, R, v, w, force, torque):
    """A user's force."""


EXAMPLES = {
    Force: Force("f", "arm", (1, "2*t", Table((0, 1), (0, 5))), at=(0, 0, 1), axes="body"),
    Torque: Torque("f", "arm", np.array([1, 2, 3])),
    JointForce: JointForce("f", "hinge", "-k*q", freedom=2),
    Spring: Spring("f", "ground", "arm", stiffness=100, force=lambda x, v, t: x**3),
    TorsionSpring: TorsionSpring("f", "hinge", 5, 0.1, angle=0.3, torque="q^3"),
    Bushing: Bushing("f", "ground", "arm", (0, 0, 0), rotation=(1, 0, 0, 1), stiffness=range(6)),
    Contact: Contact("f", "arm", "ground", Sphere(0.1), Plane(), law=HuntCrossley(1e6, restitution=0.5, speed=1), friction=0.3),
    ContactGroup: ContactGroup("f", ("arm", "leg"), walls=Plane(), law=HuntCrossley(1e6, damping=1), friction=0.3),
    JointLimit: JointLimit("f", "hinge", lower=-1, law=HuntCrossley(1e6, damping=1), restitution=0.5),
    JointFriction: JointFriction("f", "hinge", 0.1, static=0.2, radius=0.05, law="lugre"),
    Motor: Motor("f", "hinge", "2*(1 - v/300)", command="5*sin(t)", ratio=20, efficiency=0.9),
    Drag: Drag("f", "arm", 0.1, Table((0, 1), (0.3, 0.5)), density="1.2*exp(-h/8500)", sound=340, wind=(1, "t", 0)),
    Wheel: Wheel("f", "arm", axis=(0, 1, 1), radius=0.3, law=LinearLaw(1e5), tyre=LinearTyre("12*load", 5e4)),
    Aerodynamics: Aerodynamics("f", "arm", 2.0, lift="5*alpha", moment=(0, "-alpha", 0), damping=(1, 2, 3), sound=340),
    CentralGravity: CentralGravity("f", 4e14, J2=1e-3, radius=6.4e6, axis=(0, 1, 1)),
    Thrust: Thrust("f", "arm", "5*t", axis=(0, 1, 1), exhaust_speed=100, propellant=0.5, tank_inertia=(1, 2, 3)),
    UserForce: UserForce("f", (Body("arm", mass=1), "leg"), wind),
}


@pytest.mark.parametrize("kind", ALL_FORCES)
def test_forces_survive_being_stored_again(kind):
    force = EXAMPLES[kind]
    assert kind(**{field.name: getattr(force, field.name) for field in fields(force)}) == force
    assert force.label == f"{kind.__name__} 'f'"
    assert referenced_bodies(force) or referenced_joints(force)


def test_what_forces_refer_to():
    assert referenced_bodies(EXAMPLES[UserForce]) == [("bodies", "arm"), ("bodies", "leg")]
    assert referenced_joints(EXAMPLES[TorsionSpring]) == [("joint", "hinge")]
    assert referenced_bodies(EXAMPLES[Spring]) == [("a", "ground"), ("b", "arm")]


def test_one_body_may_stand_alone():
    assert UserForce("f", "arm", wind).bodies == ("arm",)
    assert UserForce("f", Body("arm", mass=1), wind).bodies == ("arm",)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Force("f", "arm", (1, 2)), "2 entries; 3 are needed"),
        (lambda: Force("f", "arm", "1"), "three entries"),
        (lambda: Force("f", "arm", (1, 2, "3+")), "ends too early"),
        (lambda: Force("f", "arm", (1, 2, None)), r"force\[2\].*number, a formula of t"),
        (lambda: Force("f", "arm", (1, 2, 3), axes="local"), "'world', 'body'"),
        (lambda: Force("f", 3, (1, 2, 3)), "must be a body or its name"),
        (lambda: Force("f", "arm", (1, 2, 3), at=(0, 0)), "at"),
        (lambda: Torque("f", "arm", (1, 2, lambda: 3)), "1 argument"),
        (lambda: JointForce("f", "j", None), "number, a formula"),
        (lambda: JointForce("f", "j", 1, freedom=6), "0 … 5"),
        (lambda: JointForce("f", "j", 1, freedom=True), "0 … 5"),
        (lambda: JointForce("f", "j", lambda q: 0), "3 arguments"),
        (lambda: Spring("s", "a", "a"), "two different bodies"),
        (lambda: Spring("s", "a", "b", stiffness=-1), "negative"),
        (lambda: Spring("s", "a", "b", length=-1), "negative"),
        (lambda: Spring("s", "a", "b", force="x +"), "ends too early"),
        (lambda: TorsionSpring("s", "j", damping=-2), "negative"),
        (lambda: Bushing("b", "a", "a", (0, 0, 0)), "two different bodies"),
        (lambda: Bushing("b", "a", "c", None), "at"),
        (lambda: Bushing("b", "a", "c", (0, 0, 0), stiffness=(1, 2, 3)), "3 entries; 6 are needed"),
        (lambda: Bushing("b", "a", "c", (0, 0, 0), damping=(-1, 0, 0, 0, 0, 0)), "negative"),
        (lambda: UserForce("u", (), wind), "at least one body"),
        (lambda: UserForce("u", ("a", "a"), wind), "each once"),
        (lambda: UserForce("u", ("a",), 3), "must be a function"),
        (lambda: UserForce("u", ("a",), lambda t: 0), "7 arguments"),
        (lambda: Spring("", "a", "b"), "name"),
    ],
)
def test_wrong_forces(build, words):
    with pytest.raises(ModelError, match=words):
        build()
