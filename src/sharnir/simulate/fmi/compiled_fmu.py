"""Models as FMUs of FMI 2 with compiled C inside, for co-simulation and model exchange: derived equations and an integrator.

The FMU holds the sources, and a library for the platform on which it was made; it needs no Python.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sharnir.atomic_file import replacement
from sharnir.equations import Equations
from sharnir.equations.exports.c_source import INSIDE, CSource
from sharnir.equations.exports.program import program_of
from sharnir.errors import ModelError
from sharnir.model import Input, Model
from sharnir.simulate.fmi.model_description import Variable, channel_note, model_description
from sharnir.symbolic.nodes import Node

HERE = Path(__file__).parent
SOURCES = ("fmi2.c", "integration.c")
WAIT = 600.0  # seconds for the compiler
PLATFORMS = {"Linux": ("linux", ".so"), "Darwin": ("darwin", ".dylib"), "Windows": ("win", ".dll")}


@dataclass(frozen=True)
class CompiledModel:
    """Equations, start values and variables of an FMU."""

    equations: Equations
    q: np.ndarray
    v: np.ndarray
    outputs: dict[str, Node]
    variables: list[Variable]


def export_compiled_fmu(model: Model, path: Path, inputs: Sequence[str], outputs: Sequence[str] | None, name: str) -> Path:
    """Write a model as an FMU with C inside; see Model.export_fmu."""
    compiler = c_compiler()
    check_exportable(model, inputs)
    made = compiled_model(model, inputs, outputs)
    source = model_source(made)
    guid = "{" + hashlib.sha256((source + "".join(v.name for v in made.variables)).encode()).hexdigest()[:32] + "}"
    description = model_description(name, model.name, guid, made.variables, len(made.q) + len(made.v), ("fmi2.c",))
    with tempfile.TemporaryDirectory(prefix="sharnir_") as folder:
        where = Path(folder)
        (where / "model.c").write_text(f'#define GUID "{guid}"\n{source}', encoding="utf-8")
        for file in SOURCES:
            shutil.copyfile(HERE / file, where / file)
        system, suffix = PLATFORMS.get(platform.system(), ("linux", ".so"))
        library = where / f"{name}{suffix}"
        compile_library(compiler, where / "fmi2.c", library)
        bits = "64" if platform.architecture()[0] == "64bit" else "32"
        with replacement(path) as new, zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("modelDescription.xml", description)
            for file in ("model.c", *SOURCES):
                archive.write(where / file, f"sources/{file}")
            archive.write(library, f"binaries/{system}{bits}/{library.name}")
    return path


def c_compiler() -> str:
    """The C compiler: what the variable CC names, or cc."""
    wanted = os.environ.get("CC", "cc").split()[0]
    found = shutil.which(wanted)
    if found is None:
        raise ModelError(
            f"export_fmu: compiled=True needs a C compiler, and '{wanted}' is not on the search path; install one, or set the "
            "environment variable CC to its name"
        )
    return found


def compile_library(compiler: str, source: Path, library: Path) -> None:
    """A shared library of one C file."""
    options = ["-std=c99", "-O2", "-shared", "-fvisibility=hidden"]
    options += [] if platform.system() == "Windows" else ["-fPIC"]
    command = [compiler, *options, str(source), "-o", str(library), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT, check=False)
    if done.returncode:
        raise ModelError(f"export_fmu: the C compiler '{compiler}' failed: {done.stderr.strip()[-500:]}")


def check_exportable(model: Model, inputs: Sequence[str]) -> None:
    """Refuse what derived equations do not have: events, and signals other than inputs."""
    remedy = "leave compiled=True out: an FMU with Python inside has it"
    if model.events:
        raise ModelError(f"export_fmu: compiled=True does not support events, such as '{next(iter(model.events))}'; {remedy}")
    for name, signal in model.signals.items():
        if not isinstance(signal, Input):
            raise ModelError(
                f"export_fmu: compiled=True supports Input signals only, and '{name}' is a {type(signal).__name__}; {remedy}"
            )
    left = [name for name in model.signals if name not in inputs]
    if left:
        raise ModelError(f"export_fmu: compiled=True has all Inputs of a model as inputs; '{left[0]}' is missing in them")


def compiled_model(model: Model, inputs: Sequence[str], outputs: Sequence[str] | None) -> CompiledModel:
    """Derived equations with the model's parameters as letters, start values, outputs, variables."""
    equations, system = model.equations(letters="parameters"), model.compile()
    m, c = equations.mechanism, system.assembly.coordinates
    q = np.array([system.q0[c.q_names.index(x)] for x in m.coordinate_channels if x in c.q_names])
    v = np.array([system.v0[c.v_names.index(x)] for x in m.speed_channels if x in c.v_names])
    q, v = equations._completed(q, v, 0.0)
    states = [*m.coordinate_channels, *m.speed_channels]
    shown = states if outputs is None else list(outputs)
    made = {name: output_node(equations, name) for name in shown if name not in states}
    units = dict(zip((*c.q_names, *c.v_names), (*c.q_units, *(f"{unit}/s" for unit in speed_units(model, c))), strict=True))
    listed = [
        Variable(x, "output" if x in shown else "local", float(y), units.get(x, ""), channel_note(model, x))
        for x, y in zip(states, (*q, *v), strict=True)
    ]
    rates = [(x, per_second(units.get(x, "")), f"rate of {channel_note(model, x)}") for x in states]
    listed += [Variable(f"der({x})", "local", None, unit, said) for x, unit, said in rates]
    for name in equations.inputs:
        signal = model.signals.get(m.entries.signals.get(name, ""))
        text = m.opaque.get(name, "") or ("" if signal is None else signal.label)
        label = m.entries.signals.get(name, f"der({name.rstrip(chr(39))})" if name.endswith("'") else name)
        label = f"der({label})" if name.endswith("''") else label
        listed.append(Variable(label, "input", float(getattr(signal, "initial", 0.0)), getattr(signal, "unit", ""), text))
    for name, value in equations.letters.items():
        note = model.parameters.notes.get(name)
        said = (note.unit, note.description, note.range) if note else ("", "", None)
        listed.append(Variable(name, "parameter", value, *said))
    for name in made:
        listed.append(Variable(name, "output", None, "m/s" if ".velocity." in name else "m", channel_note(model, name)))
    return CompiledModel(equations, q, v, made, listed)


def speed_units(model: Model, coordinates: Any) -> list[str]:
    """Units of what speeds are the rates of."""
    by_joint = {name: joint.units for name, joint in model.joints.items()}
    found = []
    for channel in coordinates.v_names:
        joint, _, rest = channel.partition(".v")
        names = model.joints[joint].freedom_names if joint in model.joints else ()
        known = dict(zip((f".{x}" if x else "" for x in names), by_joint.get(joint, ()), strict=False))
        found.append(known.get(rest, "1"))
    return found


def per_second(unit: str) -> str:
    """The unit of a rate."""
    return {"": "", "1": "1/s"}.get(unit, f"{unit[:-2]}/s2" if unit.endswith("/s") else f"{unit}/s")


def output_node(equations: Equations, channel: str) -> Node:
    """An output as an expression: a component of the position or velocity of a body's origin in the world."""
    m = equations.mechanism
    body, _, rest = channel.rpartition(".position.") if ".position." in channel else channel.rpartition(".velocity.")
    if body not in m.tree.bodies or rest not in ("x", "y", "z"):
        known = ", ".join([*m.coordinate_channels, *m.speed_channels][:6])
        raise ModelError(
            f"export_fmu: outputs: '{channel}' is not known with compiled=True; it knows coordinates and speeds ({known}, …) and "
            "'<body>.position.x', '<body>.velocity.x'"
        )
    position = m.origin_in_world(m.tree.bodies.index(body))["xyz".index(rest)]
    return position if ".position." in channel else m.rate(position)


def model_source(made: CompiledModel) -> str:
    """model.c: sizes, start values, and functions under the names that integration.c calls."""
    e = made.equations
    program = program_of(e, {"outputs": ("outputs", list(made.outputs.values()))})
    source = CSource(program, INSIDE, solver=True)
    names = [x.name for x in e.mechanism.coordinates]
    firsts = [names.index(str(x[0])) for x in e.mechanism.quaternion_of.values()]
    start_u = [x.start or 0.0 for x in made.variables if x.causality == "input"]
    arrays = {
        "QUATERNIONS": [*firsts, 0],
        "START_Q": made.q,
        "START_V": made.v,
        "START_U": [*start_u, 0.0],
        "START_P": [*program.p.values(), 0.0],
    }
    lines = [f"#define {name} {size}" for name, size in source.sizes().items()]
    lines += [f"#define NY {len(made.outputs)}", f"#define N_QUATERNIONS {len(firsts)}"]
    lines += [f"#define {name} {{{', '.join(repr(x) for x in np.asarray(array).tolist())}}}" for name, array in arrays.items()]
    used = ("rates", "accelerations", "mass_matrix", "constraints", "outputs", "solve")
    lines += [f"#define model_{name} {program.name}_{name}" for name in used]
    return "\n\n".join([source.comment(), "#include <math.h>", "\n".join(lines), source.body()]) + "\n"


def identifier(path: Path) -> str:
    """The name of a file as an identifier."""
    name = re.sub(r"\W+", "_", path.stem) or "model"
    return f"model_{name}" if name[0].isdigit() else name
