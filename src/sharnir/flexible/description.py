"""Flexible bodies described by plain data, as model files have them: where the FE model comes from, and how it is reduced."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sharnir.errors import ModelError
from sharnir.flexible.finite_elements.beams import beam_frame, straight_beam
from sharnir.flexible.finite_elements.fe_model import FEModel
from sharnir.flexible.finite_elements.material import ALUMINIUM, STEEL, Material
from sharnir.flexible.finite_elements.section import Section
from sharnir.flexible.finite_elements.ties import AveragedTie, RigidTie
from sharnir.flexible.modes.damping import ModalDamping, Rayleigh
from sharnir.flexible.reduced_model import ReducedModel
from sharnir.flexible.reduction import reduce
from sharnir.input_file import is_file

MATERIALS = {"steel": STEEL, "aluminium": ALUMINIUM}
SECTIONS: dict[str, Callable[..., Section]] = {
    "round": Section.round,
    "tube": Section.tube,
    "rectangle": Section.rectangle,
    "moments": Section,
}
TIES = {"rigid-tie": RigidTie, "averaged-tie": AveragedTie}
MATRICES_IN_FILE = (".op4", ".pch")  # formats whose `mass` and `stiffness` are names inside of one file


def described_model(data: str | Mapping[str, Any], folder: str | Path = ".") -> ReducedModel:
    """A reduced model from the path of its .npz file, or from a description: `fe`, `interfaces`, `ties` and options of `reduce`.

    Paths are relative to `folder`.

    >>> fe = {"type": "straight-beam", "start": [0, 0, 0], "end": [1, 0, 0], "section": {"type": "round", "radius": 0.01}}
    >>> described_model({"fe": fe | {"elements": 4}, "interfaces": {"root": 0, "tip": 4}, "modes": 2})
    <ReducedModel 'beam': 8 elastic coordinates, interfaces root, tip>
    """
    folder = Path(folder)
    if isinstance(data, str):
        return ReducedModel.load(folder / data)
    options = dict(data)
    model = fe_model(options.pop("fe"), folder)
    for tie in options.pop("ties", ()):
        model = model.with_ties(_tie(tie, model))
    if isinstance(options.get("damping"), Mapping):
        given = options["damping"]
        options["damping"] = ModalDamping(**given) if "ratio" in given else Rayleigh(**given)
    return reduce(model, **options)


def fe_model(data: Mapping[str, Any], folder: Path) -> FEModel:
    """The FE model of a description: {type = "straight-beam", …}."""
    options = dict(data)
    made = options.pop("type")
    if "material" in options:
        options["material"] = _material(options["material"])
    if "section" in options:
        options["section"] = _section(options["section"])
    return SOURCES[made](options, folder)


def _solid(options: dict[str, Any], folder: Path) -> FEModel:
    from sharnir.flexible.finite_elements.solids import solid

    return solid(_existing(folder, options.pop("mesh"), "mesh"), **options)


def _fe_file(options: dict[str, Any], folder: Path) -> FEModel:
    from sharnir.flexible.readers.fe_files import read_fe

    path = _existing(folder, options.pop("path"), "path")
    named = path.suffix.lower() in MATRICES_IN_FILE or options.get("format") in ("op4", "dmig")
    for key in ("mesh", "mapping") if named else ("mesh", "mapping", "mass"):
        if key in options:
            options[key] = _existing(folder, options[key], key)
    return read_fe(path, **options)


SOURCES: dict[str, Callable[[dict[str, Any], Path], FEModel]] = {
    "straight-beam": lambda options, folder: straight_beam(**options),
    "beam-frame": lambda options, folder: beam_frame(**options),
    "solid": _solid,
    "fe-file": _fe_file,
}


def _existing(folder: Path, name: str, field: str) -> Path:
    """The path of a file beside the description."""
    path = folder / name
    if not is_file(path):
        raise ModelError(f"{field} = {name!r}: there is no such file; paths are relative to the model file", field=field)
    return path


def _material(data: Any) -> Material:
    if isinstance(data, Mapping):
        return Material(**data)
    if data not in MATERIALS:
        raise ModelError(f"material = {data!r} is not known; use {', '.join(MATERIALS)} or {{E, nu, density}}", field="material")
    return MATERIALS[data]


def _section(data: Mapping[str, Any]) -> Section:
    options = dict(data)
    return SECTIONS[options.pop("type")](**options)


def _tie(data: Mapping[str, Any], model: FEModel) -> Any:
    """A tie; nodes by labels, by the name of a set, or by their coordinates: {x = 0.1, z = [0, 0.2]}."""
    options = dict(data)
    kind, nodes = TIES[options.pop("type")], options["nodes"]
    if isinstance(nodes, Mapping):
        options["nodes"] = model.select(**nodes)
        if not len(options["nodes"]):
            raise ModelError(f"ties: there are no nodes at {dict(nodes)} in {model.name!r}", field="ties")
    return kind(**options)
