"""Models as FMUs for co-simulation (FMI 2 and 3): Python stays inside, through pythonfmu and pythonfmu3.

The FMU holds the model as a file and a short script; the machine that runs it needs Python with sharnir installed.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import uuid
from collections.abc import Sequence
from inspect import signature
from os import PathLike
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from sharnir.arguments import meant, shown
from sharnir.atomic_file import replacement
from sharnir.errors import MissingExtraError, ModelError
from sharnir.model import Input, Model
from sharnir.simulate.channels.initial_picture import initial_picture
from sharnir.simulate.fmi.compiled_fmu import export_compiled_fmu, identifier
from sharnir.simulate.fmi.model_description import channel_note, described
from sharnir.simulate.stepper import Stepper

SCRIPT = '''"""A sharnir model as a co-simulation slave."""

from {package} import {base}, {causality}, {variability}, {real}
from sharnir.simulate.fmu import FmuModel


class {name}({parents}):
    def __init__(self, **given):
        super().__init__(**given)
        self.modelName, self.description = "{name}", "made by sharnir"
        self.model = FmuModel(self.resources)
        for name in {independent}:
            self._register(name, "independent", "continuous")
        for name in self.model.parameters:
            self._register(name, "parameter", "tunable")
        for name in self.model.inputs:
            self._register(name, "input", "continuous")
        for name in self.model.outputs:
            self._register(name, "output", "continuous")

    def _register(self, name, causality, variability):
        kinds = {{"causality": {causality}[causality], "variability": {variability}[variability]}}
        access = {{"getter": lambda: self.model.get(name), "setter": lambda value: self.model.set(name, value)}}
        self.register_variable({real}(name, **kinds, **access))

    def to_xml(self, *options):
        return self.model.described(super().to_xml(*options))

    def setup_experiment(self, start_time, *rest):
        self.model.start_time = start_time

    def exit_initialization_mode(self):
        self.model.start()

    def do_step(self, current_time, step_size):
        {step}
'''
VERSIONS: dict[int, dict[str, str]] = {
    2: {
        "package": "pythonfmu",
        "base": "Fmi2Slave",
        "parents": "Fmi2Slave",
        "causality": "Fmi2Causality",
        "variability": "Fmi2Variability",
        "real": "Real",
        "independent": "()",
        "step": "return self.model.step(current_time + step_size)",
    },
    3: {
        "package": "pythonfmu3",
        "base": "Fmi3Slave, CoSimulation, Fmi3StepResult, Fmi3Status",
        "parents": "Fmi3Slave, CoSimulation",
        "causality": "Fmi3Causality",
        "variability": "Fmi3Variability",
        "real": "Float64",
        "independent": '("time",)',
        "step": "going = self.model.step(current_time + step_size)\n"
        "        return Fmi3StepResult(status=Fmi3Status.ok, terminateSimulation=not going)",
    },
}


class FmuModel:
    """The model inside of an FMU: parameters and inputs that can be set, outputs that can be read, steps."""

    def __init__(self, folder: str | PathLike[str]) -> None:
        from sharnir.model.files.model_file import load

        where = Path(folder)
        described = json.loads((where / "sharnir.json").read_text(encoding="utf-8"))
        self.inputs, self.outputs, self.settings = described["inputs"], described["outputs"], described["settings"]
        self.notes = described["notes"]
        self.model = load(where / described["model"])
        self.parameters = list(self.model.parameters)
        self.start_time = 0.0
        self._given: dict[str, float] = {name: self.model.signals[name].initial for name in self.inputs}  # type: ignore[attr-defined]
        self._changed: dict[str, float] = {}
        self._stepper: Stepper | None = None

    def start(self) -> Stepper:
        """The run, begun when it is first needed, with the parameters set until then."""
        if self._stepper is None:
            self._stepper = self.model.stepper(**self.settings)
            self._stepper.set(**self._given)
        return self._stepper

    def set(self, name: str, value: float) -> None:
        """A parameter (before the start) or an input (from the next step on)."""
        if name in self.inputs:
            self._given[name] = value
        elif self._stepper is None:
            self.model.parameters[name] = float(value)
        elif self.model.parameters[name] != value:
            raise ModelError(f"parameter '{name}' cannot change while the FMU runs; make it an Input")

    def get(self, name: str) -> float:
        """The value of a parameter, an input or an output."""
        if name == "time":
            return self.start_time + (0.0 if self._stepper is None else self._stepper.t)
        if name in self.model.parameters:
            return float(self.model.parameters[name])
        return float(self._given[name]) if name in self._given else float(self.start()[name])

    def described(self, root: Element) -> Element:
        """The description of the FMU with units, descriptions and ranges."""
        return described(root, self.notes)

    def step(self, t: float) -> bool:
        """Go on to a time of the master; False if the model has stopped by itself."""
        stepper = self.start()
        stepper.step(t - self.start_time, **self._given)
        return not stepper.stopped


def export_fmu(
    model: Model,
    path: str | PathLike[str],
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    version: int = 2,
    compiled: bool = False,
    **settings: Any,
) -> Path:
    """Write a model as an FMU; see Model.export_fmu."""
    if version not in VERSIONS:
        raise ModelError(f"export_fmu: version = {shown(version)} must be 2 or 3")
    if compiled and (version != 2 or settings):
        extra = f"version = {version!r}" if version != 2 else next(iter(settings))
        raise ModelError(f"export_fmu: compiled=True is for FMI 2 and takes no settings of a run; leave out {extra}")
    _check_settings(settings)
    known = [name for name, signal in model.signals.items() if isinstance(signal, Input)]
    chosen = known if inputs is None else list(inputs)
    wrong = [name for name in chosen if name not in known]
    if wrong:
        raise ModelError(f"export_fmu: inputs: '{wrong[0]}' is not an Input; inputs are {', '.join(known) or 'none'}")
    if compiled:
        target = Path(path)
        return export_compiled_fmu(model, target, chosen, outputs, identifier(target))
    told = [name for name in model.signals if name not in known] if outputs is None else list(outputs)
    for name in told:
        value = Stepper(model)[name] if name not in model.signals else 0.0  # an unknown channel is said here
        if not isinstance(value, float):
            raise ModelError(f"export_fmu: outputs: '{name}' has several components; name one, such as '{name}.x'")
    contents = {"model": "model.toml", "inputs": chosen, "outputs": told, "settings": settings, "notes": _notes(model, told)}
    target = Path(path)
    name = identifier(target)
    with tempfile.TemporaryDirectory(prefix="sharnir_") as folder:
        where = Path(folder)
        model.save(where / "model.toml")
        (where / "sharnir.json").write_text(json.dumps(contents), encoding="utf-8")
        files = list(where.iterdir())
        # a process that runs two FMUs keeps both scripts apart by their names
        script = where / f"{name}_{uuid.uuid4().hex[:12]}.py"
        script.write_text(SCRIPT.format(name=name, **VERSIONS[version]), encoding="utf-8")
        made = _built(version, script, where / "made", files)
        with replacement(target) as new:
            shutil.copyfile(made, new)
    return target


def _notes(model: Model, outputs: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Unit, description and range of what the FMU shows, by name."""
    start = initial_picture(model)
    notes: dict[str, dict[str, Any]] = {
        name: {"unit": getattr(signal, "unit", ""), "description": signal.label} for name, signal in model.signals.items()
    }
    for name in outputs:
        if name not in model.signals:
            notes[name] = {"unit": start.unit(name), "description": channel_note(model, name)}
    for name in model.parameters:
        note = model.parameters.notes.get(name)
        if note is not None:
            notes[name] = {"unit": note.unit, "description": note.description, "range": list(note.range or ())}
    return notes


def _check_settings(settings: dict[str, Any]) -> None:
    """Refuse what a stepper does not take: whoever runs the FMU could not mend it."""
    taken = [name for name in signature(Stepper).parameters if name != "model"]
    for name in settings:
        if name not in taken:
            advice = meant(name, [*taken, *signature(export_fmu).parameters])
            message = f"export_fmu: '{name}' is not a setting of a stepper; settings are {', '.join(taken)}{advice}"
            raise ModelError(message, field=name)


def _built(version: int, script: Path, folder: Path, files: list[Path]) -> Path:
    """The FMU as the builder of a version makes it."""
    try:
        if version == 2:
            from pythonfmu import FmuBuilder
        else:
            from pythonfmu3 import FmuBuilder
    except ImportError:
        raise MissingExtraError("fmi", f"exporting an FMU of FMI {version}") from None
    folder.mkdir()
    FmuBuilder.build_FMU(script, folder, project_files=files)
    return next(folder.glob("*.fmu"))
