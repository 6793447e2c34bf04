"""A motor in a joint, with its torque–speed curve."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from sharnir.arguments import mapping
from sharnir.errors import ModelError
from sharnir.model.checks import joints_of, number, settle
from sharnir.model.forces.force_element import ForceElement
from sharnir.model.given_functions import stored_entry
from sharnir.model.joints import Joint, Prismatic, Revolute
from sharnir.model.values import FunctionValue, JointName, Number, OptionalFunctionValue, default, element

if TYPE_CHECKING:
    from sharnir.model.model import Model


@element
class Motor(ForceElement):
    """A motor, with or without a gear, between the bodies of a Revolute or Prismatic joint.

    torque : of the rotor over its speed: number, formula of (v, t), Table of v, or function f(v, t) [N m; N of a linear motor].
    command : torque that a controller demands, formula of (v, t) with signals; `torque` at |v| is then the largest torque of the
        motor, in both directions. Without a command the motor delivers `torque`.
    ratio : rotor speed = ratio × speed of the joint (rad per m for a spindle).   efficiency : of the gear.

    Channels `<name>.torque` (on the joint's child along its axis; N in a Prismatic), `.speed` (of the rotor), `.power`. The
    inertia of its rotor is a body of its own: geared_rotor(motor, inertia).

    >>> Motor("servo", "O", torque="2*(1 - v/300)", ratio=50, command="10*error").ratio
    50.0
    """

    name: str
    joint: JointName
    torque: FunctionValue
    command: OptionalFunctionValue = default(None)
    ratio: Number = default(1.0)
    efficiency: Number = default(1.0)
    formula_fields: ClassVar[dict[str, tuple[str, ...]]] = {"torque": ("v", "t"), "command": ("v", "t")}
    outputs: ClassVar[Any] = (("torque", "N m", ()), ("speed", "rad/s", ()), ("power", "W", ()))

    def __post_init__(self) -> None:
        label = self._settle_names()
        settle(self, torque=stored_entry(self.torque, ("v", "t"), label, "torque"))
        if self.command is not None:
            settle(self, command=stored_entry(self.command, ("v", "t"), label, "command"))
        settle(self, ratio=number(self.ratio, label, "ratio"), efficiency=number(self.efficiency, label, "efficiency", above=0))

    def accepts(self, joint: Joint) -> bool:
        """Whether it can act in a joint."""
        return isinstance(joint, (Revolute, Prismatic))

    def check_joint(self, joint: Joint) -> None:
        """Refused in joints without a single axis."""
        if not self.accepts(joint):
            message = f"{self.label}: joint = {joint.name!r} is a {type(joint).__name__}; a motor is for Revolute and Prismatic"
            raise ModelError(f"{message}; use JointForce for one freedom of another joint", field="joint")


def joint_motors(model: Model, commands: Mapping[str, Any]) -> list[Motor]:
    """Motors that follow commands, up to the largest efforts in the limits of the joints, such as those from URDF.

    commands : by joint, a formula of (v, t) with signals, or a function: the torque [N m], or force [N], that a controller
        demands.

    >>> from sharnir.model import Body, Limits, Model, Revolute
    >>> m = Model()
    >>> _ = m.add(Body("arm", mass=1, com=(1, 0, 0)), Revolute("O", "ground", "arm", axis="y", limits=Limits(effort=5)))
    >>> [(x.name, x.torque) for x in joint_motors(m, {"O": "-20*v"})]
    [('O motor', 5.0)]
    """
    motors = []
    for name, command in mapping(commands, "joint_motors", "commands", "formulas by the names of joints").items():
        joint = joints_of(model, "joint_motors").get(name)
        if joint is None:
            raise ModelError(f"joint_motors: there is no joint {name!r}; joints are {', '.join(model.joints)}", field="commands")
        limits = (joint.limits or (None,))[0]
        if limits is None or math.isinf(limits.effort):
            message = f"joint_motors: joint {name!r} has no effort in its limits"
            raise ModelError(f"{message}; give it limits=Limits(effort=…), or use JointForce or Motor", field="commands")
        motor = Motor(f"{name} motor", name, torque=limits.effort, command=command)
        motor.check_joint(joint)
        motors.append(motor)
    return motors
