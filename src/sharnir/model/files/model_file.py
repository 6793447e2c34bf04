"""Model files: `model.toml` ⇄ Model. Nothing in a file is ever executed.

[model]
name = "pendulum"

[bodies.bob]
mass = 1.0
position = [1.0, 0.0, 0.0]

[joints.hinge]
type = "revolute"
parent = "ground"
child = "bob"
at = [0.0, 0.0, 0.0]
axis = "y"

[simulation]
t_end = 2.0
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from typing import Any

from sharnir.arguments import file_path, mapping
from sharnir.atomic_file import replacement
from sharnir.errors import ModelError, ModelFileError
from sharnir.families import tag
from sharnir.input_file import content, only_below
from sharnir.model.base_motion import BaseMotion
from sharnir.model.bodies.body import Body
from sharnir.model.bodies.flexible_body import FlexibleBody
from sharnir.model.bodies.mesh_file import MOST_BYTES
from sharnir.model.events import Event
from sharnir.model.files.element_encoding import element_data, element_from_data
from sharnir.model.files.field_kinds import BODY_TYPES, CONSTRAINT_TYPES, FORCE_TYPES, JOINT_TYPES, SIGNAL_TYPES
from sharnir.model.files.file_problems import Place, path_text, structure_problems
from sharnir.model.files.flexible_file import reduced_files, with_reduced_models
from sharnir.model.files.mesh_paths import mesh_files, with_mesh_paths, with_saved_names
from sharnir.model.files.table_file import with_curves
from sharnir.model.files.template_encoding import template_data
from sharnir.model.files.toml import section_text
from sharnir.model.links import referenced_bodies, referenced_joints
from sharnir.model.model import Model
from sharnir.model.parameters.parameter import Parameter, checked_parameter
from sharnir.model.parameters.template import Template
from sharnir.model.signals import Input
from sharnir.model.values import holds_code

DEEPEST = 50  # tables and lists inside each other
Problems = list[tuple[Place, str]]


def save(model: Model, path: str | PathLike[str], simulation: Mapping[str, Any] | None = None) -> None:
    """Write a model, and settings of a run if given, to a file. Reading it gives an equal model.

    >>> save(Model("demo"), "demo.json")
    Traceback (most recent call last):
        ...
    sharnir.errors.ModelError: demo.json: a model file is TOML text; give it the suffix .toml
    """
    path = file_path(path, "Model.save")
    if path.suffix.lower() not in ("", ".toml"):
        raise ModelError(f"{path.name}: a model file is TOML text; give it the suffix .toml", field="path")
    if simulation is not None:
        simulation = mapping(simulation, "Model.save", "simulation", "settings by name, such as {'t_end': 1.0}")
    names, meshes = reduced_files(model, path), mesh_files(model, path)
    beside = {name: file for name, (file, _) in (names | meshes).items()}
    text = text_of(model, simulation, beside)
    with ExitStack() as files:  # all are written before the first takes its place
        for file, reduced in dict(names.values()).items():
            reduced.save(files.enter_context(replacement(path.parent / file)))
        for file, place in meshes.values():
            if Path(os.path.realpath(path.parent / file)) != place:
                (path.parent / file).parent.mkdir(exist_ok=True)
                files.enter_context(replacement(path.parent / file)).write_bytes(content(place, MOST_BYTES))
        files.enter_context(replacement(path)).write_text(text, encoding="utf-8", newline="\n")


def load(path: str | PathLike[str], allow_outside: bool = False) -> Model:
    """Read a model from a file; `allow_outside`: files that it names may lie outside its folder."""
    return load_run(path, allow_outside)[0]


def load_run(path: str | PathLike[str], allow_outside: bool = False) -> tuple[Model, dict[str, Any]]:
    """Read a model and its [simulation] settings from a file."""
    path = file_path(path, "Model.load")
    try:
        text = content(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelFileError([("", f"is not UTF-8 text: {error}")], source=Path(path).name) from None
    with only_below(Path(path).parent, allow_outside):
        return run_from_text(text, source=Path(path).name, folder=Path(path).parent)


def text_of(model: Model, simulation: Mapping[str, Any] | None = None, files: Mapping[str, str] | None = None) -> str:
    """The text of the model's file.

    files : where the reduced models of flexible bodies are, by the names of the bodies, and meshes, by their present paths.

    >>> model = Model("demo")
    >>> print(text_of(model), end="")
    [model]
    name = "demo"
    gravity = [0.0, 0.0, -9.81]
    """
    sections = [section_text(("model",), {"name": model.name, "gravity": list(model._gravity_formulas or model.gravity)})]
    if model.parameters:
        sections.append(section_text(("parameters",), _parameter_data(model)))
    if model.base_motion is not None:
        sections.append(section_text(("base_motion",), _data(model.base_motion, model)))
    nodes = {node for body in model.bodies.values() if isinstance(body, FlexibleBody) for node in body.node_names}
    for body in model.bodies.values():
        if body.name not in nodes:  # nodes come with their body
            sections.append(section_text(("bodies", body.name), _body_data(body, model, files or {})))
    for joint in model.joints.values():
        if joint.name in nodes:
            continue
        sections.append(section_text(("joints", joint.name), {"type": tag(type(joint)), **_data(joint, model)}))
    implied = model._implied
    for signal in (one for one in model.signals.values() if one not in implied):
        if holds_code(type(signal)):
            remedy = "use formulas, such as those of Difference"
            raise ModelError(
                f"{signal.label}: function is Python code, which cannot be saved in a file; {remedy}", field="function"
            )
        sections.append(section_text(("signals", signal.name), {"type": tag(type(signal)), **_data(signal, model)}))
    for force in model.forces.values():
        if holds_code(type(force)):
            raise ModelError(f"{force.label}: Python code cannot be saved in a file; use another force with a formula or a Table")
        entries = with_saved_names(_data(force, model), files or {})
        sections.append(section_text(("forces", force.name), {"type": tag(type(force)), **entries}))
    for constraint in model.constraints.values():
        entries = {"type": tag(type(constraint)), **_data(constraint, model)}
        sections.append(section_text(("constraints", constraint.name), entries))
    made = {event.name for force in model.forces.values() for event in force.events(model.joints)}  # these come with their forces
    events = [event for name, event in model.events.items() if name not in made and event not in implied]
    sections += [section_text(("events", event.name), _data(event, model)) for event in events]
    if simulation:
        settings = {key: value for key, value in simulation.items() if value is not None}
        sections.append(section_text(("simulation",), settings))
    return "\n".join(sections)


def _data(element: Any, model: Model) -> dict[str, Any]:
    """The entries of an element; numbers that are formulas as formulas."""
    template = model.template(element)
    return element_data(element) if template is None else template_data(template, model.parameters)


def _parameter_data(model: Model) -> dict[str, Any]:
    """Parameters as numbers, or as tables of value, unit, description and range."""
    result: dict[str, Any] = {}
    for name, value in model.parameters.items():
        note = model.parameters.notes.get(name)
        given = {} if note is None else {"unit": note.unit, "description": note.description, "range": note.range}
        result[name] = {"value": value, **{key: entry for key, entry in given.items() if entry}} if note else value
    return result


def _body_data(body: Body, model: Model, files: Mapping[str, str]) -> dict[str, Any]:
    """The entries of a body; a flexible one names the file of its reduced model."""
    if not isinstance(body, FlexibleBody):
        return with_saved_names(_data(body, model), files)
    if body.name not in files:
        raise ModelError(f"{body.label}: its reduced model is saved in a separate file; use Model.save", field="reduced")
    return {"type": tag(FlexibleBody), **_data(body, model), "reduced": files[body.name]}


def run_from_text(text: str, source: str = "model file", folder: str | PathLike[str] = ".") -> tuple[Model, dict[str, Any]]:
    """Model and [simulation] settings from the text of a file; all problems are reported together. Paths begin at `folder`.

    >>> model, settings = run_from_text('[model]\\nname = "demo"\\n[simulation]\\nt_end = 2')
    >>> model.name, settings
    ('demo', {'t_end': 2})
    """
    try:
        if any(line.partition("=")[0].count(".") > 4 * DEEPEST for line in text.splitlines()):
            raise RecursionError
        data = tomllib.loads(text)
        if too_deep(data):
            raise RecursionError
    except ValueError as error:  # a TOMLDecodeError, or a whole number of thousands of digits
        raise ModelFileError([("", f"is not valid TOML: {error}")], source=source) from None
    except RecursionError:
        raise ModelFileError([("", "is nested too deeply")], source=source) from None
    return run_from_data(data, source, folder)


def run_from_data(data: dict[str, Any], source: str, folder: str | PathLike[str] = ".") -> tuple[Model, dict[str, Any]]:
    """The same from what TOML has made of the text.

    >>> run_from_data({"model": {"name": "demo"}}, "demo.toml")[0].name
    'demo'
    """
    unread: Problems = []
    data = with_curves(data, Path(folder), unread)
    problems = unread + [x for x in structure_problems(data) if not any(x[0][: len(y[0]) - 1] == y[0][:-1] for y in unread)]
    model = build(data, problems, Path(folder))
    if problems:
        raise ModelFileError([(path_text(place), message) for place, message in problems], source=source)
    return model, data.get("simulation", {})


def too_deep(data: dict[str, Any]) -> bool:
    """Whether tables and lists stand inside each other more often than any model needs."""
    level: list[Any] = [data]
    for _ in range(DEEPEST):
        level = [
            x for one in level for x in (one.values() if isinstance(one, dict) else one) if isinstance(x, (dict, list)) and x
        ]
        if not level:
            return False
    return True


def build(data: dict[str, Any], problems: Problems, folder: Path = Path()) -> Model:
    """The model of what is right in the data; what is wrong is added to `problems`."""
    wrong = {place[:2] for place, _ in problems}
    model = _empty_model(data, problems, wrong)
    bodies = [(name, with_mesh_paths(entry, folder)) for name, entry in _right("bodies", data, wrong)]
    for name, entry in with_reduced_models(bodies, folder, problems):
        _add(model, ("bodies", name), BODY_TYPES[entry.get("type", tag(Body))], entry, data, problems)
    signals = _right("signals", data, wrong)
    for name, entry in signals:  # motions may follow inputs, other signals look at joints
        if entry["type"] == tag(Input):
            _add(model, ("signals", name), Input, entry, data, problems)
    _add_base_motion(model, data, problems, wrong)
    for name, entry in leaders_first(_right("joints", data, wrong)):
        _add(model, ("joints", name), JOINT_TYPES[entry["type"]], entry, data, problems)
    for name, entry in signals:
        if entry["type"] == tag(Input):
            if name in model.signals:
                model._signals[name] = model._signals.pop(name)  # in the order of the file
        else:
            _add(model, ("signals", name), SIGNAL_TYPES[entry["type"]], entry, data, problems)
    for name, entry in _right("forces", data, wrong):
        _add(model, ("forces", name), FORCE_TYPES[entry["type"]], with_mesh_paths(entry, folder), data, problems)
    for name, entry in _right("constraints", data, wrong):
        _add(model, ("constraints", name), CONSTRAINT_TYPES[entry["type"]], entry, data, problems)
    for name, entry in _right("events", data, wrong):
        _add(model, ("events", name), Event, entry, data, problems)
    return model


def _empty_model(data: dict[str, Any], problems: Problems, wrong: set[Place]) -> Model:
    """The model without elements; parameters as far as they are right."""
    sections = {place[0] for place in wrong}
    model = Model(parameters=_parameters(data, problems, wrong))
    try:
        if "model" not in sections:
            model = Model(**data.get("model", {}), parameters=model.parameters)
    except ModelError as error:
        problems.append((("model", error.field or ""), _message(error)))
    return model


def _add_base_motion(model: Model, data: dict[str, Any], problems: Problems, wrong: set[Place]) -> None:
    motion = data.get("base_motion")
    try:
        if motion and "base_motion" not in {place[0] for place in wrong}:
            model.base_motion = element_from_data(BaseMotion, motion)
    except ModelError as error:
        problems.append((("base_motion", error.field or ""), _message(error)))


def _parameters(data: dict[str, Any], problems: Problems, wrong: set[Place]) -> dict[str, Parameter]:
    """The parameters; a wrong value is replaced by 1, so that formulas do not complain about its name as well."""
    result: dict[str, Parameter] = {}
    if ("parameters",) in wrong:
        return result
    for name, value in data.get("parameters", {}).items():
        try:
            result[name] = checked_parameter(name, 1.0 if ("parameters", name) in wrong else value)
        except ModelError as error:
            problems.append((("parameters", name), _message(error)))
    return result


def _right(section: str, data: dict[str, Any], wrong: set[Place]) -> list[tuple[str, dict[str, Any]]]:
    """Names and data of the elements of a section that fit the schema."""
    if (section,) in wrong:
        return []
    return [(name, entry) for name, entry in data.get(section, {}).items() if (section, name) not in wrong]


def leaders_first(joints: list[tuple[str, dict[str, Any]]]) -> list[tuple[str, dict[str, Any]]]:
    """The joints in their order, but each that follows another one (mimic) behind it.

    >>> [name for name, _ in leaders_first([("b", {"mimic": {"joint": "a"}}), ("a", {})])]
    ['a', 'b']
    """
    entries = dict(joints)
    order: dict[str, dict[str, Any]] = {}
    for name in entries:
        chain = [name]
        while True:
            leader = entries[chain[-1]].get("mimic", {}).get("joint")
            if leader not in entries or leader in order or leader in chain:
                break
            chain.append(leader)
        for member in reversed(chain):
            order.setdefault(member, entries[member])
    return list(order.items())


def _add(model: Model, place: Place, kind: type, entry: dict[str, Any], data: dict[str, Any], problems: Problems) -> None:
    """Make one element and add it; a problem that only follows from another one is not reported again."""
    try:
        element = element_from_data(kind, entry, place[1])
        made = element.element(model.parameters) if isinstance(element, Template) else element
    except ModelError as error:
        problems.append(((*place, error.field) if error.field else place, _message(error)))
        return
    missing = [("bodies", name) for _, name in referenced_bodies(made) if name != "ground" and name not in model.bodies]
    missing += [("joints", name) for _, name in referenced_joints(made) if name not in model.joints]
    if any(_fails_elsewhere(model, section, name, data) for section, name in missing):
        return
    try:
        model.add(element)
    except ModelError as error:
        problems.append(((*place, error.field) if error.field else place, _message(error)))


def _fails_elsewhere(model: Model, section: str, name: str, data: dict[str, Any]) -> bool:
    """True if an element that is missing stands in the file, and so does the body of a missing node "beam:tip"."""
    owner = name.rpartition(":")[0]
    known = data.get(section, {})
    return name in known or (owner in known and owner not in model.bodies)


def _message(error: ModelError) -> str:
    """The message, with further lines (the caret of a formula) indented."""
    return str(error).replace("\n", "\n    ")
