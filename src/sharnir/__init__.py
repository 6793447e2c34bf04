"""sharnir: dynamics of mechanisms. Describe bodies, joints and forces; get the motion, the forces and the pictures.

>>> import sharnir as sr
>>> m = sr.Model("pendulum")
>>> bob = m.add(sr.Body("bob", mass=1, position=(1, 0, 0)))
>>> hinge = m.add(sr.Revolute("hinge", m.ground, bob, at=(0, 0, 0), axis="y"))
>>> result = m.simulate(1.0, step=0.01)
>>> result["hinge.q"].shape
(101,)
"""

from sharnir import model as _model
from sharnir.errors import (
    FormulaError,
    MissingExtraError,
    ModelError,
    ModelFileError,
    SharnirError,
    SimulationError,
    TopologyError,
)
from sharnir.model import *  # noqa: F403
from sharnir.results import Result

__version__ = "0.1.0"

__all__ = [
    *_model.__all__,
    "FormulaError",
    "MissingExtraError",
    "ModelError",
    "ModelFileError",
    "Result",
    "SharnirError",
    "SimulationError",
    "TopologyError",
]
