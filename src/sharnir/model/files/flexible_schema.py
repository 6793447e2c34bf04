"""Schema of flexible bodies in model files: a file of a reduced model, or where its FE model comes from and how it is reduced."""

from __future__ import annotations

from collections.abc import Callable
from types import GenericAlias
from typing import Annotated, Any, Literal

Record = Callable[[str, str, dict[str, Any]], Any]

FE_TYPES = ("straight-beam", "beam-frame", "solid", "fe-file")
SECTION_TYPES = ("round", "tube", "rectangle", "moments")
TIE_TYPES = ("rigid-tie", "averaged-tie")
FILE, TABLE = "reduced-file", "reduced-table"  # how messages tell the two forms of `reduced` apart
TAGS = frozenset((*FE_TYPES, *SECTION_TYPES, *TIE_TYPES, FILE, TABLE))  # what stands in pydantic's places, but not in the file
KEYS = (  # for suggestions
    *("fe", "interfaces", "modes", "frequency", "basis", "inertia", "damping", "stiffening", "solver", "ties", "type", "name"),
    *("start", "end", "elements", "nodes", "labels", "section", "material", "orientation", "theory", "mass", "rotary"),
    *("mesh", "units", "path", "format", "mapping", "stiffness", "check", "radius", "inner", "width", "height", "nu"),
    *(
        "area",
        "Iy",
        "Iz",
        "J",
        "shear_y",
        "shear_z",
        "E",
        "density",
        "at",
        "node",
        "label",
        "rotations",
        "weights",
        "against",
        "ratio",
    ),
)
WORDS = 'the .npz file of a reduced model, or a table {fe = {type = "straight-beam", …}, interfaces = {root = 0, tip = 10}, …}'


def reduced_type(types: dict[str, Any], record: Record) -> Any:
    """The pydantic type of the field `reduced`."""
    from pydantic import Discriminator, Tag

    file, table = Annotated[str, Tag(FILE)], Annotated[_reduction(types, record), Tag(TABLE)]
    return Annotated[file | table, Discriminator(lambda value: TABLE if isinstance(value, dict) else FILE)]


def _reduction(types: dict[str, Any], record: Record) -> Any:
    """Options of `sharnir.flexible.reduce`."""
    factors = {"stiffness": (float, 0.0), "mass": (float, 0.0), "against": (str, "ground")}
    rayleigh = record("Rayleigh", "Damping in proportion to stiffness and mass.", factors)
    ratios = {"ratio": float | list[float], "at": (str, None)}
    modal = record("ModalDamping", "Parts of critical damping of modes, clamped at an interface.", ratios)
    entries: dict[str, Any] = {
        "fe": _tagged([_straight_beam, _beam_frame, _solid, _fe_file], types, record),
        "interfaces": (dict[str, int], {}),
        "modes": (int, None),
        "frequency": (float, None),
        "basis": (Literal["craig-bampton", "static", "free modes", "held modes"], "craig-bampton"),
        "inertia": (Literal["general", "shifted", "unshifted"], "general"),
        "damping": (float | list[float] | rayleigh | modal, None),
        "stiffening": (bool | str, None),
        "solver": (str, None),
        "ties": (GenericAlias(list, (_tagged([_rigid_tie, _averaged_tie], types, record),)), []),
    }
    return record("Reduction", "An FE model and its reduction to some shapes.", entries)


def _tagged(makers: list[Callable[..., Any]], types: dict[str, Any], record: Record) -> Any:
    from pydantic import Field

    members = [make(types, record) for make in makers]
    union = members[0]
    for member in members[1:]:
        union = union | member
    return Annotated[union, Field(discriminator="type")]


def _beam(types: dict[str, Any], record: Record) -> dict[str, Any]:
    """What straight beams and frames share."""
    material = record(
        "Material", "An elastic material [Pa, kg/m³].", {"E": float, "nu": float, "density": float, "name": (str, "material")}
    )
    return {
        "section": _tagged([_round, _tube, _rectangle, _section], types, record),
        "material": (Literal["steel", "aluminium"] | material, "steel"),
        "orientation": (types["vector"], None),
        "theory": (Literal["timoshenko", "euler"], "timoshenko"),
        "mass": (Literal["consistent", "lumped"], "consistent"),
        "rotary": (bool, None),
        "name": (str, None),
    }


def _straight_beam(types: dict[str, Any], record: Record) -> Any:
    entries = {"type": Literal["straight-beam"], "start": types["vector"], "end": types["vector"], "elements": (int, 10)}
    return record("StraightBeam", "A straight beam in equal elements; nodes 0, 1, 2, …", entries | _beam(types, record))


def _beam_frame(types: dict[str, Any], record: Record) -> Any:
    entries = {
        "type": Literal["beam-frame"],
        "nodes": GenericAlias(list, (types["vector"],)),
        "elements": list[list[int]],
        "labels": (list[int], None),
    }
    return record("BeamFrame", "Straight beams between nodes.", entries | _beam(types, record))


def _solid(types: dict[str, Any], record: Record) -> Any:
    shared = _beam(types, record)
    entries = {
        "type": Literal["solid"],
        "mesh": str,
        "units": (str, "m-kg-s"),
        **{key: shared[key] for key in ("material", "mass", "name")},
    }
    return record("Solid", "Solid elements of a mesh that meshio reads.", entries)


def _fe_file(types: dict[str, Any], record: Record) -> Any:
    words = ("format", "mesh", "mass", "mapping", "stiffness", "units", "name")
    entries = {"type": Literal["fe-file"], "path": str, **dict.fromkeys(words, (str, None)), "check": (bool, True)}
    return record("FEFile", "Matrices that an FE program wrote.", entries)


def _round(types: dict[str, Any], record: Record) -> Any:
    return record("RoundSection", "A full circle.", {"type": Literal["round"], "radius": float, "nu": (float, 0.3)})


def _tube(types: dict[str, Any], record: Record) -> Any:
    return record("TubeSection", "A tube.", {"type": Literal["tube"], "radius": float, "inner": float, "nu": (float, 0.3)})


def _rectangle(types: dict[str, Any], record: Record) -> Any:
    entries = {"type": Literal["rectangle"], "width": float, "height": float, "nu": (float, 0.3)}
    return record("RectangleSection", "Width along y, height along z.", entries)


def _section(types: dict[str, Any], record: Record) -> Any:
    entries = {"type": Literal["moments"], **dict.fromkeys(("area", "Iy", "Iz", "J"), float)}
    entries |= dict.fromkeys(("shear_y", "shear_z"), (float, 5 / 6))
    return record("Section", "Any section by its area and moments [m², m⁴].", entries)


def _tie(types: dict[str, Any]) -> dict[str, Any]:
    nodes = str | list[int] | dict[Literal["x", "y", "z", "tolerance"], float | list[float]]
    return {"nodes": nodes, "at": (types["vector"], None), "node": (int, None), "label": (int, None)}


def _rigid_tie(types: dict[str, Any], record: Record) -> Any:
    entries = {"type": Literal["rigid-tie"], **_tie(types), "rotations": (bool, True)}
    return record("RigidTie", "Nodes that move with an interface node as one rigid piece (RBE2).", entries)


def _averaged_tie(types: dict[str, Any], record: Record) -> Any:
    entries = {"type": Literal["averaged-tie"], **_tie(types), "weights": (list[float], None), "rotations": (bool, False)}
    return record("AveragedTie", "An interface node that moves as the mean of nodes (RBE3).", entries)
