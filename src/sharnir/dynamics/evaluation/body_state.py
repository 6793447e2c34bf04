"""Quantities of a System at one state: the motion of its bodies, and their energy."""

from __future__ import annotations

import numpy as np


class BodyState:
    """Where a body is and how it moves, world axes; `reaction` is what its joint in the tree exerts on it.

    Force, and torque at the joint's point. In absolute coordinates that joint is a free one, with the reaction zero;
    `system.reactions` has the joints of the model, in both formulations.

    position, velocity, acceleration : of the body's origin.   rotation : quaternion (w, x, y, z).
    angular_velocity, angular_acceleration : in world axes.   reaction : six numbers.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("bob", mass=1, position=(1, 0, 0)), sr.Revolute("hinge", "ground", "bob", at=(0, 0, 0), axis="y"))
    >>> m.compile().bodies([0.0], [2.0])["bob"].velocity + 0.0
    array([ 0.,  0., -2.])
    """

    def __init__(self, numbers: np.ndarray, reaction: np.ndarray) -> None:
        self.position, self.rotation = numbers[0:3], numbers[3:7]
        self.velocity, self.angular_velocity = numbers[7:10], numbers[10:13]
        self.acceleration, self.angular_acceleration = numbers[13:16], numbers[16:19]
        self.reaction = reaction


class Energy:
    """Energy and momentum of the whole system.

    kinetic, potential, total : [J].   mass : [kg].   center_of_mass : [m].
    momentum : [kg m/s].   angular_momentum : about the world's origin [kg m²/s].

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("bob", mass=1, position=(1, 0, 0)), sr.Revolute("hinge", "ground", "bob", at=(0, 0, 0), axis="y"))
    >>> m.compile().energy([0.0], [2.0]).kinetic
    2.0
    """

    def __init__(self, energies: np.ndarray, momenta: np.ndarray) -> None:
        self.kinetic, self.potential = float(energies[0]), float(energies[1])
        self.total = self.kinetic + self.potential
        self.mass, self.center_of_mass = float(momenta[0]), momenta[1:4]
        self.momentum, self.angular_momentum = momenta[4:7], momenta[7:10]
