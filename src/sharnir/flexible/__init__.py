"""FE model → data of a flexible body: readers, beams, solids, ties, reduction, inertia. Imported when first asked for."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sharnir.flexible.finite_elements.beams import beam_frame, straight_beam
    from sharnir.flexible.finite_elements.fe_model import FEModel
    from sharnir.flexible.finite_elements.material import ALUMINIUM, STEEL, Material
    from sharnir.flexible.finite_elements.rigid_inertia import RigidInertia
    from sharnir.flexible.finite_elements.section import Section
    from sharnir.flexible.finite_elements.solids import solid
    from sharnir.flexible.finite_elements.ties import AveragedTie, RigidTie
    from sharnir.flexible.inertia.modal_inertia import ModalInertia
    from sharnir.flexible.interface import Interface
    from sharnir.flexible.modes.damping import ModalDamping, Rayleigh
    from sharnir.flexible.readers.fe_files import read_fe
    from sharnir.flexible.readers.matrix_reader import from_matrices
    from sharnir.flexible.reduced_model import ReducedModel
    from sharnir.flexible.reduction import reduce
    from sharnir.flexible.reduction_report import ReductionReport

_LATER = {
    "ALUMINIUM": "finite_elements.material",
    "AveragedTie": "finite_elements.ties",
    "FEModel": "finite_elements.fe_model",
    "Interface": "interface",
    "Material": "finite_elements.material",
    "ModalDamping": "modes.damping",
    "ModalInertia": "inertia.modal_inertia",
    "Rayleigh": "modes.damping",
    "ReducedModel": "reduced_model",
    "ReductionReport": "reduction_report",
    "RigidInertia": "finite_elements.rigid_inertia",
    "RigidTie": "finite_elements.ties",
    "STEEL": "finite_elements.material",
    "Section": "finite_elements.section",
    "beam_frame": "finite_elements.beams",
    "reduce": "reduction",
    "from_matrices": "readers.matrix_reader",
    "read_fe": "readers.fe_files",
    "solid": "finite_elements.solids",
    "straight_beam": "finite_elements.beams",
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
