"""Argument and options of the command `run`: types, names and help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def positive(value: float | None) -> float | None:
    """Times and tolerances are positive."""
    if value is not None and not 0.0 < value < float("inf"):
        raise typer.BadParameter("must be positive")
    return value


ModelPath = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model file (.toml), or a robot (.urdf, .sdf, MJCF .xml).", show_default=False)
]
WrittenFile = Annotated[
    Path | None,
    typer.Option(
        "--file", metavar="FILE", help="Write all channels to FILE (.h5) during the run, so that nothing is lost if it is killed."
    ),
]
AllowOutside = Annotated[
    bool, typer.Option("--allow-outside", help="The model file may name files outside its folder (tables, meshes, …).")
]
ParameterValues = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=NUMBER", help="Value of a parameter of the model, such as l=0.6; may be repeated."),
]
EndTime = Annotated[float | None, typer.Option("--t-end", "-t", help="End time in seconds.", callback=positive)]
Step = Annotated[float | None, typer.Option(help="Time between outputs in seconds; rk4's own step.", callback=positive)]
Integrator = Annotated[
    str | None, typer.Option(help="auto, dopri5, dop853, rkf45, abm, rk4; for stiff models radau5, bdf, generalized-alpha, …")
]
Tolerance = Annotated[float | None, typer.Option(help="Relative error per step, such as 1e-8.", callback=positive)]
Order = Annotated[int | None, typer.Option(help="Order of the integrator, where it can be chosen.")]
IntegratorOptions = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=NUMBER", help="Option of the integrator, such as rho=0.5; may be repeated."),
]
Formulation = Annotated[str | None, typer.Option(help="joint or absolute coordinates.")]
Method = Annotated[str | None, typer.Option(help="auto, articulated, composite, direct, lagrange1, …")]
Solver = Annotated[str | None, typer.Option(help="Of constraint forces: auto, dense, sparse or null-space.")]
Correction = Annotated[str | None, typer.Option(help="Of the state after every step: on, off, position or velocity.")]
Stabilization = Annotated[
    str | None, typer.Option(metavar="T,XI", help="Of constraints: off, on, or period [s] and damping ratio, such as 0.1,1.")
]
OutputFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="File to write; may be repeated. The suffix says what: "
        ".csv .h5 .parquet (numbers), .html (animation), .png .svg .pdf (plot).",
    ),
]
Channels = Annotated[
    list[str] | None,
    typer.Option(
        "--plot",
        "-p",
        metavar="CHANNEL",
        help="Channel to plot, such as hinge.q; may be repeated. Without a picture among the outputs it goes to MODEL.png.",
    ),
]
