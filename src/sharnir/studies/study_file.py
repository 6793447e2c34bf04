"""Study files: `study.toml` → Study. Nothing in a file is ever executed.

[study]
model = "arm.toml"
design = "sobol"
runs = 64

[study.parameters]
l = {uniform = [0.4, 0.6]}

[study.outputs]
peak = "max(abs(O.v))"
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sharnir.errors import ModelError, ModelFileError
from sharnir.input_file import only_below, text
from sharnir.model.files.model_file import load_run, run_from_data, too_deep
from sharnir.studies.design import DESIGNS
from sharnir.studies.distributions import Distribution, LogNormal, Normal, OneOf, Triangular, Truncated, Uniform
from sharnir.studies.study import Study

Pair = Annotated[list[float], Field(min_length=2, max_length=2)]
LAWS: dict[str, type[Distribution]] = {"normal": Normal, "lognormal": LogNormal, "uniform": Uniform, "triangular": Triangular}


class Law(BaseModel):
    """A distribution; exactly one of its kinds, and bounds if it is truncated."""

    model_config = ConfigDict(extra="forbid")
    normal: Pair | None = Field(None, description="mean and standard deviation")
    lognormal: Pair | None = Field(None, description="median and standard deviation of the logarithm")
    uniform: Pair | None = Field(None, description="least and greatest value")
    triangular: Annotated[list[float], Field(min_length=3, max_length=3)] | None = Field(
        None, description="least, likeliest, greatest"
    )
    one_of: list[float] | None = Field(None, description="equally likely values")
    between: Pair | None = Field(None, description="values outside are left out; inf and -inf are possible")

    def distribution(self) -> Distribution:
        """The distribution that is meant."""
        given = {name: getattr(self, name) for name in (*LAWS, "one_of") if getattr(self, name) is not None}
        if len(given) != 1:
            raise ModelError(f"must have one of {', '.join(LAWS)}, one_of, and has {', '.join(given) or 'none'}")
        name, numbers = next(iter(given.items()))
        found = OneOf(numbers) if name == "one_of" else LAWS[name](*numbers)
        return found if self.between is None else Truncated(found, *self.between)


class Section(BaseModel):
    """What stands below [study]."""

    model_config = ConfigDict(extra="forbid")
    model: str | None = Field(None, description="path of the model file; without it the model is in this file")
    title: str | None = None
    parameters: dict[str, float | list[float] | Law] = Field(default_factory=dict, description="numbers, lists, distributions")
    rows: list[dict[str, float]] | None = Field(None, description="the runs one by one, in place of parameters")
    outputs: dict[str, str] = Field(description="formulas by name, such as max(abs(O.v))", min_length=1)
    variables: dict[str, str] | None = Field(None, description="names of channels by the names in formulas")
    design: str | None = Field(None, description="one of: " + ", ".join(DESIGNS))
    runs: int | None = Field(None, ge=1)
    seed: int = Field(0, ge=0)
    correlations: list[tuple[str, str, float]] | None = Field(None, description="two parameters and a number each")
    executor: str | None = Field(None, description="threads, processes, or the address of a scheduler of Dask")
    workers: int | None = Field(None, ge=1)
    store: str | None = Field(None, description="file to which finished runs are written")
    simulation: dict[str, Any] = Field(default_factory=dict, description="settings of the runs: t_end, step, …")


class StudyFile(BaseModel):
    """A study file: the section [study], and those of a model."""

    model_config = ConfigDict(extra="allow")
    study: Section


@dataclass(frozen=True)
class FileStudy:
    """A study from a file, and where the file wants it to run."""

    study: Study
    executor: str | None
    workers: int | None
    store: Path | None


def schema() -> dict[str, Any]:
    """The JSON schema of study files.

    >>> sorted(schema()["required"])
    ['study']
    """
    return StudyFile.model_json_schema()


def load_study(path: str | PathLike[str], allow_outside: bool = False) -> FileStudy:
    """Read a study file; paths in it begin at its folder.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "study.toml"
    >>> _ = file.write_text('[study]\\nparameters = {k = "x"}\\noutputs = {y = "1"}')
    >>> load_study(file)
    Traceback (most recent call last):
    sharnir.errors.ModelFileError: study.toml: 1 problem
      study.parameters.k: 'x' must be a number, a list of numbers or a distribution, such as {uniform = [1, 2]}
    """
    file = Path(path)
    data = _data(file)
    section = _section(data, file.name)
    with only_below(file.parent, allow_outside):
        if section.model is None:
            rest = {key: value for key, value in data.items() if key != "study"}
            model, settings = run_from_data(rest, file.name, file.parent)
        elif data.keys() - {"study"}:
            other = min(data.keys() - {"study"})
            raise ModelFileError([(other, "stands beside [study] with model = …; the model is there or here")], source=file.name)
        else:
            model, settings = load_run(file.parent / section.model, allow_outside)
    settings = settings | section.simulation
    if "t_end" not in settings:
        raise ModelFileError([("study.simulation.t_end", "is missing: the end of the runs in seconds")], source=file.name)
    parameters: Any = section.rows if section.rows is not None else _parameters(section, file.name)
    pairs = None if section.correlations is None else {(a, b): value for a, b, value in section.correlations}
    chosen: dict[str, Any] = {"design": section.design, "runs": section.runs, "seed": section.seed, "correlations": pairs}
    try:
        given: dict[str, Any] = {"outputs": section.outputs, "variables": section.variables, "title": section.title}
        study = Study(model, parameters=parameters, **given, **chosen, **settings)
    except ModelError as error:
        raise ModelFileError([("study", str(error))], source=file.name) from None
    store = None if section.store is None else file.parent / section.store
    return FileStudy(study, section.executor, section.workers, store)


def _data(file: Path) -> dict[str, Any]:
    try:
        data = tomllib.loads(text(file))
        if too_deep(data):
            raise RecursionError
    except tomllib.TOMLDecodeError as error:
        raise ModelFileError([("", f"is not valid TOML: {error}")], source=file.name) from None
    except RecursionError:
        raise ModelFileError([("", "is nested too deeply")], source=file.name) from None
    return data


def _section(data: dict[str, Any], source: str) -> Section:
    """The section [study], checked as a whole."""
    try:
        found = StudyFile.model_validate(data).study
    except ValidationError as error:
        problems: dict[str, str] = {}
        for one in error.errors():
            place = [str(part) for part in one["loc"]]
            if place[:2] == ["study", "parameters"] and len(place) > 3:  # one line for all that it might have been
                values = data["study"]["parameters"][place[2]]
                what = "must be a number, a list of numbers or a distribution, such as {uniform = [1, 2]}"
                problems[".".join(place[:3])] = f"{values!r} {what}"
            else:
                problems.setdefault(".".join(place), _said(one, place))
        raise ModelFileError(problems.items(), source=source) from None
    if (found.rows is None) == (not found.parameters):
        raise ModelFileError([("study.parameters", "or study.rows must be given, one of them")], source=source)
    return found


def _said(problem: Any, place: list[str]) -> str:
    if problem["type"] == "missing":
        return "is missing"
    if problem["type"] == "extra_forbidden":
        return f"is unknown; there are {', '.join(Section.model_fields)}" if len(place) == 2 else "is unknown"
    words = str(problem["msg"])
    return words[:1].lower() + words[1:]


def _parameters(section: Section, source: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    problems = []
    for name, value in section.parameters.items():
        try:
            found[name] = value.distribution() if isinstance(value, Law) else value
        except ModelError as error:
            problems.append((f"study.parameters.{name}", str(error)))
        if isinstance(value, float) and not math.isfinite(value):
            problems.append((f"study.parameters.{name}", f"= {value} must be a finite number"))
    if problems:
        raise ModelFileError(problems, source=source)
    return found
