"""A document looked over: what is wrong and where, the picture of what is right, its graph, its channels.

A document is the data of a model file, as TOML and JSON read it. Whatever is missing or wrong, the rest is drawn: elements with
problems are left out, and if the whole has no equations yet, bodies stand where the drawing puts them.
"""

from __future__ import annotations

import contextlib
import math
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from sharnir.app.studio.assembly_correction import as_drawn, correction
from sharnir.app.studio.catalogue import SECTIONS
from sharnir.app.studio.places import innermost
from sharnir.app.text_settings import compile_settings, found_problems
from sharnir.dynamics.system import System
from sharnir.errors import SharnirError
from sharnir.input_file import only_below
from sharnir.model import FlexibleBody, Model
from sharnir.model.files.file_problems import path_text, structure_problems
from sharnir.model.files.model_file import build, too_deep
from sharnir.model.files.table_file import with_curves
from sharnir.model.joints.joint import Joint
from sharnir.model.placement import joint_frames, placements
from sharnir.results.flexible_shapes import FlexibleShapes
from sharnir.results.scene import shape_record, stick_lines
from sharnir.simulate.channels.flexible_channels import flexible_shapes
from sharnir.simulate.channels.model_scene import scene_of
from sharnir.topology.structure import topology

Document = dict[str, Any]
Problem = dict[str, Any]
SECTION_OF = {"body": "bodies", "joint": "joints", "force": "forces", "signal": "signals", "event": "events"}


def read_document(document: Document, folder: Path) -> tuple[Model, list[Problem]]:
    """The model of what is right in a document, and what is wrong with the rest."""
    if too_deep(document):
        return Model(), [problem((), "is nested too deeply")]
    data = {name: value for name, value in document.items() if value not in ({}, None)}
    with only_below(folder):
        unread: list[Any] = []
        data = with_curves(data, folder, unread)
        found = unread + [x for x in structure_problems(data) if not any(x[0][: len(y[0]) - 1] == y[0][:-1] for y in unread)]
        model = build(data, found, folder)
    return model, [problem(innermost(data, place, message), message) for place, message in found]


def problem(place: tuple[Any, ...], message: str, kind: str = "error") -> Problem:
    """One message with its place in the document."""
    return {"place": [part for part in place if part != ""], "path": path_text(place), "message": message, "kind": kind}


def examine(document: Document, folder: Path) -> dict[str, Any]:
    """Problems, picture, graph, freedoms and channels of a document.

    >>> bob = {"mass": 1, "position": [0, 0, -1]}
    >>> hinge = {"type": "revolute", "parent": "ground", "child": "bob", "at": [0, 0, 0], "axis": "y", "q": 0.5}
    >>> found = examine({"bodies": {"bob": bob}, "joints": {"O": hinge}}, Path())
    >>> found["problems"], found["freedoms"], round(found["poses"]["bob"][2], 3)
    ([], 1, -0.878)
    """
    model, problems = read_document(document, folder)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        system, failure = compiled(model, document)
    problems += [problem(("simulation", key), message) for key, message in run_problems(document)]
    if failure is not None and model.bodies and not problems:  # else it only follows from what is left out
        problems.append(located(failure, model, document))
    problems += [problem((), str(warning.message), "warning") for warning in caught]
    found = {"problems": problems, "model": model.name, "parameters": dict(model.parameters)}
    return found | picture(model, system) | graph(model) | numbers(system)


def compiled(model: Model, document: Document) -> tuple[System | None, SharnirError | None]:
    """The system of a model, or why there is none."""
    settings = {} if run_problems(document) else document.get("simulation") or {}
    try:
        return model.compile(**compile_settings(settings)), None
    except SharnirError as error:
        return None, error


def run_problems(document: Document) -> list[tuple[str, str]]:
    """What is wrong with the settings of the run: field and message."""
    settings = document.get("simulation") or {}
    if not isinstance(settings, dict):
        return []
    return found_problems({"t_end": 1.0, **settings})


def located(error: SharnirError, model: Model, document: Document) -> Problem:
    """The problem of the model as a whole, at the first element that its message names."""
    text = str(error)
    label = re.match(r"(\w+) '([^']+)':", text)
    if label is not None:  # the element that the message is about
        for section, kinds in SECTIONS.items():
            name = label.group(2)
            if name in (document.get(section) or {}) and any(kind.__name__ == label.group(1) for kind in kinds.values()):
                field = getattr(error, "field", None)
                return problem(innermost(document, (section, name, field) if field else (section, name), text), text)
    for name, letter in re.findall(r"\b(\w+)\.([qv])\b", text):  # initial conditions that contradict the constraints
        if name in (document.get("joints") or {}):
            return problem(("joints", name, letter), text)
    for section in ("joints", "bodies", "forces", "constraints", "signals", "events"):
        for name in getattr(model, section):
            if f"'{name}'" in text:
                field = getattr(error, "field", None)
                return problem((section, name, field) if field else (section, name), text)
    return problem((), text)


def picture(model: Model, system: System | None) -> dict[str, Any]:
    """What is drawn and where: the scene, and the pose of every body (x, y, z, qw, qx, qy, qz) at the start of a run."""
    placed = placements(model)
    poses = {name: [*frame.position, *unit_quaternion(frame.rotation_matrix)] for name, frame in placed.items()}
    drawn = dict(poses)
    if system is not None:
        scene = scene_of(system).to_dict()
        poses |= poses_of(system, system.y0)
        moved = system.constrained and not np.array_equal(system.start[0], system.q0)
        corrected = correction(system, poses_of(system, as_drawn(system)), poses_of(system, system.y0)) if moved else None
    else:
        scene, corrected = bare_scene(model), None
    shapes = flexible_shapes(model)
    for item in scene["items"]:
        item["elastic"] = undeformed(shapes[item["name"]]) if item["name"] in shapes else None
    return {"scene": scene, "poses": poses, "drawn": drawn, "joints": joint_marks(model, placed), "correction": corrected}


def undeformed(body: FlexibleShapes) -> dict[str, Any]:
    """What is drawn of a flexible body before a run: its FE model without displacements."""
    from sharnir.app.animation.drawn_shape import DrawnShape
    from sharnir.app.animation.packing import packed

    shape = DrawnShape.of(body).with_shapes(np.zeros(0, np.int64))
    return shape.to_dict() | {"w": packed(np.zeros((1, 0)), "<f4")}


def poses_of(system: System, y: np.ndarray, t: float = 0.0) -> dict[str, list[float]]:
    """The pose of every body in a state."""
    n = system.assembly.count
    motion = system.observe(np.array([t]), np.ascontiguousarray(y[None]), np.arange(n))[0][0]
    return {name: [float(x) for x in motion[k, :7]] for k, name in enumerate(system.tree.bodies)}


def unit_quaternion(matrix: Any) -> list[float]:
    """(w, x, y, z) of a rotation matrix."""
    from sharnir.model.frames import quaternion

    return [float(x) for x in quaternion(matrix)]


def bare_scene(model: Model) -> dict[str, Any]:
    """The picture of a model that has no equations yet: shapes, and sticks between joints."""
    placed = placements(model)
    points: dict[str, list[Any]] = {name: [] for name in placed}
    for joint in model.joints.values():
        with contextlib.suppress(SharnirError, KeyError):
            for end, frame in zip((joint.parent, joint.child), joint_frames(joint, placed), strict=True):
                points[end].append(frame.position)
    items: list[dict[str, Any]] = [{"name": "ground", "shapes": [], "lines": [], "pins": [], "com": None, "color": None}]
    for name, body in model.bodies.items():
        flexible = isinstance(body, FlexibleBody)
        shapes = [] if flexible else [shape_record(part) for shape in body.shapes for part in shape.picture()]
        lines = stick_lines(points[name], body.com)
        items.append({"name": name, "shapes": shapes, "lines": lines, "pins": [], "com": body.com, "color": body.color})
    g = np.array(model.gravity)
    return {"items": items, "springs": [], "up": "xyz"[int(np.argmax(np.abs(g)))] if g.any() else "z", "title": model.name}


def joint_marks(model: Model, placed: dict[str, Any]) -> dict[str, Any]:
    """Where joints are, with the axes of their freedoms, both in the axes of the body `on` which the page draws their signs."""
    marks = {}
    for name, joint in model.joints.items():
        if ":" in name:  # between a flexible body and its own nodes
            continue
        with contextlib.suppress(SharnirError, KeyError):
            in_parent, in_child = joint_frames(joint, placed)
            on, frame = (joint.child, in_child) if slides(joint) else (joint.parent, in_parent)
            turn = np.array(frame.rotation_matrix)
            freedoms = [
                {"kind": freedom.kind, "axis": [float(x) for x in turn @ np.array(freedom.axis)]}
                for freedom in joint.freedoms
                if freedom.kind != "formula"  # along no axis
            ]
            kind = type(joint).__name__
            marks[name] = {"kind": kind, "parent": joint.parent, "child": joint.child, "on": on, "at": list(frame.position)}
            marks[name] |= {"freedoms": freedoms, "units": list(joint.units)}
            marks[name]["names"] = [str(word) for word in joint.freedom_names]
    return marks


def slides(joint: Joint) -> bool:
    """Whether the sign of a joint moves with the child: where the child slides along the only axis, or flies freely."""
    axes = [np.array(freedom.axis) for freedom in joint.freedoms if freedom.kind != "formula"]
    along = any(freedom.kind in ("translation", "screw") for freedom in joint.freedoms)
    return joint.coordinates == "free" or (along and all(np.linalg.norm(np.cross(axes[0], axis)) < 1e-9 for axis in axes))


def graph(model: Model) -> dict[str, Any]:
    """Bodies and joints as a graph: levels, cut joints, loops, and the count of freedoms in words."""
    try:
        found = topology(model)
    except SharnirError as error:
        return {"graph": None, "graph_problem": str(error)}
    tree = found.tree
    depth = {name: int(level) for name, level in zip(tree.bodies, tree.depth, strict=True)}
    edges = [
        {"joint": joint.name, "kind": type(joint).__name__, "parent": str(joint.parent), "child": str(joint.child), "cut": cut}
        for joints, cut in ((tree.joints, False), (tree.cuts, True))
        for joint in joints
    ]
    loops = [{"cut": x.cut, "joints": list(x.joints), "rows": x.rows, "planar": x.planar} for x in found.loops]
    return {"graph": {"bodies": depth, "joints": edges, "loops": loops, "text": str(found)}}


def numbers(system: System | None) -> dict[str, Any]:
    """Freedoms, redundant equations and channels of a system."""
    if system is None:
        return {"freedoms": None, "redundant": [], "channels": []}
    free = system.freedoms if system.constrained else system.n_v
    redundant = [str(name) for name in system.redundant] if system.constrained else []
    return {"freedoms": int(free), "redundant": redundant, "channels": channel_names(system)}


def channel_names(system: System) -> list[dict[str, Any]]:
    """All channels that a run will have, with unit and labels of their components."""
    from sharnir.simulate.channels.channel_groups import Observer
    from sharnir.simulate.channels.run_channels import RunChannels

    found = RunChannels(Observer(system, np.zeros(0), np.zeros((0, len(system.y0)))))
    return [{"name": name} for name in found]


def finite(value: Any) -> Any:
    """Plain data for JSON: numbers that are not finite become null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): finite(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(entry) for entry in value]
    if isinstance(value, np.ndarray):
        return finite(value.tolist())
    if isinstance(value, np.generic):
        return finite(value.item())
    return value
