"""sharnir: dynamics of mechanisms. Describe bodies, joints and forces; get the motion, the forces and the pictures.

>>> import sharnir as sr
>>> m = sr.Model("pendulum")
>>> bob = m.add(sr.Body("bob", mass=1, position=(1, 0, 0)))
>>> hinge = m.add(sr.Revolute("hinge", m.ground, bob, at=(0, 0, 0), axis="y"))
>>> result = m.simulate(1.0, step=0.01)
>>> result["hinge.q"].shape
(101,)
"""

from typing import TYPE_CHECKING, Any

from sharnir import model as _model
from sharnir.errors import (
    FileError,
    FormulaError,
    MissingExtraError,
    MissingFileError,
    MissingProgramError,
    ModelError,
    ModelFileError,
    ModelWarning,
    RunWarning,
    SharnirError,
    SimulationError,
    TopologyError,
    UnknownArgumentError,
)
from sharnir.model import *  # noqa: F403
from sharnir.results import Channel, Result, UnknownChannelError

if TYPE_CHECKING:
    from sharnir.dynamics.small_motions.equilibrium import Equilibrium
    from sharnir.dynamics.small_motions.linearization import Linearization
    from sharnir.dynamics.small_motions.modes import Modes
    from sharnir.dynamics.system import System
    from sharnir.equations import Equations
    from sharnir.kernel.user import SlowFunctionWarning
    from sharnir.model.mjcf import load_mjcf
    from sharnir.model.sdf import load_sdf
    from sharnir.model.urdf import load_urdf
    from sharnir.simulate.cyclic_mechanism import CyclicRun, approximate_cycle
    from sharnir.simulate.many_runs import Ensemble, simulate_many
    from sharnir.studies.curve_fit import Fit, fit
    from sharnir.studies.distributions import LogNormal, Normal, OneOf, Triangular, Truncated, Uniform
    from sharnir.studies.optimal_control import OptimalControl, optimal_control
    from sharnir.studies.optimization import Optimum
    from sharnir.studies.study import Study
    from sharnir.studies.study_result import StudyResult
    from sharnir.symbolic.functions import acos, asin, atan, atan2, cos, exp, log, sin, sqrt, tan

__version__ = "0.3.0"

__all__ = [  # noqa: PLE0604 - those of the model are strings too
    *_model.__all__,
    "Channel",
    "CyclicRun",
    "Ensemble",
    "Equations",
    "Equilibrium",
    "FileError",
    "Fit",
    "FormulaError",
    "Linearization",
    "LogNormal",
    "MissingExtraError",
    "MissingFileError",
    "MissingProgramError",
    "ModelError",
    "ModelFileError",
    "ModelWarning",
    "Modes",
    "Normal",
    "OneOf",
    "OptimalControl",
    "Optimum",
    "Result",
    "RunWarning",
    "SharnirError",
    "SimulationError",
    "SlowFunctionWarning",
    "Study",
    "StudyResult",
    "System",
    "TopologyError",
    "Triangular",
    "Truncated",
    "Uniform",
    "UnknownArgumentError",
    "UnknownChannelError",
    "acos",
    "approximate_cycle",
    "asin",
    "atan",
    "atan2",
    "cos",
    "exp",
    "fit",
    "load_mjcf",
    "load_sdf",
    "load_urdf",
    "log",
    "optimal_control",
    "simulate_many",
    "sin",
    "sqrt",
    "tan",
]

# what needs the compiler or a parser is imported when it is first asked for
_LATER = {
    "LogNormal": "sharnir.studies.distributions",
    "Normal": "sharnir.studies.distributions",
    "OneOf": "sharnir.studies.distributions",
    "Triangular": "sharnir.studies.distributions",
    "Truncated": "sharnir.studies.distributions",
    "Uniform": "sharnir.studies.distributions",
    "Fit": "sharnir.studies.curve_fit",
    "fit": "sharnir.studies.curve_fit",
    "OptimalControl": "sharnir.studies.optimal_control",
    "optimal_control": "sharnir.studies.optimal_control",
    "Optimum": "sharnir.studies.optimization",
    "Study": "sharnir.studies.study",
    "StudyResult": "sharnir.studies.study_result",
    "CyclicRun": "sharnir.simulate.cyclic_mechanism",
    "Ensemble": "sharnir.simulate.many_runs",
    "Equations": "sharnir.equations",
    "Equilibrium": "sharnir.dynamics.small_motions.equilibrium",
    "Linearization": "sharnir.dynamics.small_motions.linearization",
    "Modes": "sharnir.dynamics.small_motions.modes",
    "SlowFunctionWarning": "sharnir.kernel.user",
    "System": "sharnir.dynamics.system",
    "acos": "sharnir.symbolic.functions",
    "approximate_cycle": "sharnir.simulate.cyclic_mechanism",
    "load_mjcf": "sharnir.model.mjcf",
    "load_sdf": "sharnir.model.sdf",
    "load_urdf": "sharnir.model.urdf",
    "asin": "sharnir.symbolic.functions",
    "atan": "sharnir.symbolic.functions",
    "atan2": "sharnir.symbolic.functions",
    "cos": "sharnir.symbolic.functions",
    "exp": "sharnir.symbolic.functions",
    "log": "sharnir.symbolic.functions",
    "sin": "sharnir.symbolic.functions",
    "sqrt": "sharnir.symbolic.functions",
    "tan": "sharnir.symbolic.functions",
    "simulate_many": "sharnir.simulate.many_runs",
}


if not TYPE_CHECKING:  # else every name would exist

    def __getattr__(name: str) -> Any:
        if name in _LATER:
            from sharnir.face import upward

            return upward(_LATER[name], name)
        if name.startswith("_"):  # programs ask for such names, people do not
            raise AttributeError(f"module 'sharnir' has no attribute {name!r}")
        from sharnir.arguments import meant

        raise AttributeError(f"module 'sharnir' has no attribute {name!r}{meant(name, __all__)}")


def __dir__() -> list[str]:
    """What is public, and nothing else."""
    return [*__all__, "__version__"]
