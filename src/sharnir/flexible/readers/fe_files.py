"""One function for all files that FE programs write."""

from __future__ import annotations

from inspect import signature
from typing import Any

from sharnir.arguments import check_settings, fail, file_path, shown
from sharnir.errors import ModelError
from sharnir.flexible.finite_elements.fe_model import FEModel
from sharnir.flexible.readers.ansys import is_matrix_market
from sharnir.input_file import is_file

#: suffix: format
SUFFIXES = {
    ".sti": "calculix",
    ".mas": "calculix",
    ".dof": "calculix",
    ".mtx": "abaqus",
    ".mmf": "ansys",
    ".matrix": "ansys",
    ".hb": "ansys",
    ".rsa": "ansys",
    ".op4": "op4",
    ".pch": "dmig",
    ".asm": "superelement",
}
FORMATS = ("calculix", "abaqus", "ansys", "op4", "dmig", "superelement")


def read_fe(path: Any, *, format: str | None = None, **options: Any) -> FEModel:
    """A body from files of an FE program; the format by the suffix of `path`, or by `format`.

    | suffix | format | files |
    |---|---|---|
    | .sti | "calculix" | job.sti, job.mas, job.dof, mesh=job.inp |
    | .mtx | "abaqus" | job_STIF1.mtx, mass=job_MASS1.mtx, mesh=job.inp |
    | .mmf .matrix .hb .rsa | "ansys" | the stiffness; mass=, mapping=, mesh= |
    | .op4 | "op4" | mesh= bulk data with GRIDs, freedoms= |
    | .pch | "dmig" | mesh= bulk data with GRIDs, unless in the same file |
    | .asm | "superelement" | job.asm, job.pch, job.op4 of EXTSEOUT |

    Further options of all: units= (e.g. "mm-t-s"), check=, name=.

    >>> try:
    ...     read_fe("beam.xyz")
    ... except ModelError as error:
    ...     print(str(error)[:40])
    beam.xyz: the suffix .xyz is not known;
    """
    path = file_path(path, "read_fe")
    if not (format is None or isinstance(format, str)):
        fail("read_fe", "format", f"= {shown(format)} must be one of {', '.join(FORMATS)}")
    chosen = format or SUFFIXES.get(path.suffix.lower())
    if chosen not in FORMATS:
        what = f"the suffix {path.suffix or '(none)'}" if format is None else f"the format {format!r}"
        raise ModelError(
            f"{path.name}: {what} is not known; give format=, one of {', '.join(FORMATS)}. A mesh without matrices is"
            " read by solid(path)",
            field="format",
        )
    if chosen == "abaqus" and format is None and is_file(path) and is_matrix_market(path):
        chosen = "ansys"
    reader = _reader(chosen)
    check_settings(options, [*signature(reader).parameters][1:], f"{path.name}, read as {chosen}")
    try:
        found: FEModel = reader(path, **options)
        return found
    except TypeError as trouble:
        if "argument" not in str(trouble):
            raise
        raise ModelError(
            f"{path.name}, read as {chosen}: {str(trouble).partition(') ')[2] or trouble}", field="options"
        ) from None


def _reader(chosen: str) -> Any:
    if chosen == "calculix":
        from sharnir.flexible.readers.calculix import read_calculix

        return read_calculix
    if chosen == "abaqus":
        from sharnir.flexible.readers.abaqus import read_abaqus

        return read_abaqus
    if chosen == "ansys":
        from sharnir.flexible.readers.ansys import read_ansys

        return read_ansys
    from sharnir.flexible.readers import nastran

    return {"op4": nastran.read_op4, "dmig": nastran.read_dmig, "superelement": nastran.read_superelement}[chosen]
