"""FE model → data of a flexible body: readers, beams, solids, ties, reduction, inertia. Imported when first asked for."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sharnir.flexible.beams import beam_frame, straight_beam
    from sharnir.flexible.damping import ModalDamping, Rayleigh
    from sharnir.flexible.fe_model import FEModel
    from sharnir.flexible.interface import Interface
    from sharnir.flexible.material import ALUMINIUM, STEEL, Material
    from sharnir.flexible.modal_inertia import ModalInertia
    from sharnir.flexible.readers.choice import read_fe
    from sharnir.flexible.readers.matrices import from_matrices
    from sharnir.flexible.reduced_model import ReducedModel
    from sharnir.flexible.reduction import reduce
    from sharnir.flexible.reduction_report import ReductionReport
    from sharnir.flexible.rigid_inertia import RigidInertia
    from sharnir.flexible.section import Section
    from sharnir.flexible.solids import solid
    from sharnir.flexible.ties import AveragedTie, RigidTie

_LATER = {
    "ALUMINIUM": "material",
    "AveragedTie": "ties",
    "FEModel": "fe_model",
    "Interface": "interface",
    "Material": "material",
    "ModalDamping": "damping",
    "ModalInertia": "modal_inertia",
    "Rayleigh": "damping",
    "ReducedModel": "reduced_model",
    "ReductionReport": "reduction_report",
    "RigidInertia": "rigid_inertia",
    "RigidTie": "ties",
    "STEEL": "material",
    "Section": "section",
    "beam_frame": "beams",
    "reduce": "reduction",
    "from_matrices": "readers.matrices",
    "read_fe": "readers.choice",
    "solid": "solids",
    "straight_beam": "beams",
}

__all__ = [
    "ALUMINIUM",
    "STEEL",
    "AveragedTie",
    "FEModel",
    "Interface",
    "Material",
    "ModalDamping",
    "ModalInertia",
    "Rayleigh",
    "ReducedModel",
    "ReductionReport",
    "RigidInertia",
    "RigidTie",
    "Section",
    "beam_frame",
    "from_matrices",
    "read_fe",
    "reduce",
    "solid",
    "straight_beam",
]


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(f"sharnir.flexible.{_LATER[name]}"), name)
    raise AttributeError(f"module 'sharnir.flexible' has no attribute {name!r}")
