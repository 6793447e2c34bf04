"""The rotor of a geared motor: a body that turns with the joint, ratio times as fast."""

from __future__ import annotations

from sharnir.arguments import with_advice
from sharnir.model.bodies.body import Body
from sharnir.model.checks import fail, number, shown
from sharnir.model.forces.motor import Motor
from sharnir.model.joints import Revolute
from sharnir.model.values import Direction, Numbers

LIGHT = 1e-3  # mass of such a body per moment of inertia [1/m²]: enough for absolute coordinates, nothing beside a mechanism


@with_advice
def geared_rotor(motor: Motor, inertia: float, axis: Direction | Numbers = "z") -> tuple[Body, Revolute]:
    """Body and joint of a motor's rotor, to be added to the model: they reflect ratio² × inertia into the motor's joint.

    motor : its joint and ratio determine the speed of the rotor.   inertia : of the rotor about its axis [kg m²].
    axis : of the rotor, in the drawing; it counts for the angular momentum only.

    `armature=` of the joint has the same effect without a body, where the joint has coordinates of its own; this works also in
    absolute coordinates and in joints that close loops.

    The rotor, "<motor>_rotor" on the joint "<motor>_shaft", turns about a bearing in the ground: its kinetic energy is
    ½ inertia (ratio v)², "armature" of MuJoCo, rotor inertia of Pinocchio. Its mass is that of the link which carries it. A rotor
    whose gyroscopic torques count is a body with its own Revolute on that link, with mimic=(joint, ratio).

    >>> import sharnir as sr
    >>> m = sr.Model("drive", gravity=(0, 0, 0))
    >>> _ = m.add(sr.Body("load", mass=1, inertia=(1, 1, 0.5)), sr.Revolute("O", "ground", "load", axis="z"))
    >>> motor = m.add(sr.Motor("motor", "O", torque=0.3, ratio=10))
    >>> _ = m.add(*geared_rotor(motor, inertia=0.01))
    >>> float(m.simulate(1.0)["O.a"][0].round(6))  # 10 × 0.3/(0.5 + 10² × 0.01)
    2.0
    """
    if not isinstance(motor, Motor):
        fail("geared_rotor", "motor", f"= {shown(motor)} must be a Motor")
    label = f"rotor of {motor.label}"
    J = number(inertia, label, "inertia", above=0)
    body = Body(f"{motor.name}_rotor", mass=LIGHT * J, inertia=(J, J, J))
    return body, Revolute(f"{motor.name}_shaft", "ground", body.name, axis=axis, mimic=(str(motor.joint), motor.ratio))
