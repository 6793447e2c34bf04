"""All benchmarks, or one group of them, in one run: prints what is measured beside its target, and writes docs/benchmarks.md."""

from __future__ import annotations

import argparse
import os
import platform
import re
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import andrews_work_precision
import auto_choice
import ball_chain
import contacts
import controllers
import craig_bampton
import events
import figure1
import flexible_chain
import flexible_pendulum
import forward_dynamics
import four_bar
import loops_25_bodies
import mesh_chain
import mixed_problem
import pendulum
import scaling
import startup
from checks import Check, markdown_table, print_checks, wrapped
from flexible_peer import python_with, version_of

PAGE = Path(__file__).resolve().parent.parent / "docs" / "benchmarks.md"
PACKAGES = {"pin": "Pinocchio", "mujoco": "MuJoCo", "exudyn": "Exudyn", "scikit-sundae": "scikit-sundae"}  # as they are installed


@dataclass(frozen=True)
class Group:
    """Benchmarks of one run, with one table in the page."""

    marker: str  # of the table in the page
    peers: tuple[str, ...]  # without which nothing is written, as they are imported
    modules: dict[str, Any]
    figure: tuple[str, Any, str]  # its name, what draws it and gives checks and text, marker of the text


GROUPS = {
    "trees": Group(
        "table",
        ("pinocchio", "mujoco", "exudyn"),
        {
            "forward dynamics": forward_dynamics,
            "scaling": scaling,
            "choice of the method": auto_choice,
            "pendulum": pendulum,
            "ball chain": ball_chain,
            "start": startup,
        },
        ("figure 1", lambda quick: ([], figure1.run(quick)[1]), "figure 1"),
    ),
    "loops": Group(
        "table of loops",
        ("exudyn", "sksundae"),
        {"chain and net": mesh_chain, "four-bars": four_bar, "25 bodies": loops_25_bodies},
        ("Andrews", andrews_work_precision.figure_and_text, "work and precision"),
    ),
    "flexible": Group(
        "table of flexible bodies",
        ("exudyn",),
        {
            "Craig–Bampton": craig_bampton,
            "flexible pendulum": flexible_pendulum,
            "flexible chain": flexible_chain,
            "mixed problem": mixed_problem,
        },
        ("cost of reduction", craig_bampton.cost_table, "cost of reduction"),
    ),
    "control": Group(
        "table of controllers",
        ("exudyn",),
        {"controllers": controllers, "events": events, "contacts": contacts},
        ("cost of a tick", controllers.cost_of_a_tick, "cost of a tick"),
    ),
}


def processor() -> str:
    """The kind of processor in words."""
    name, info = platform.machine(), Path("/proc/cpuinfo")
    if info.exists():
        text = info.read_text()
        found = re.search(r"model name\s*: (.*)", text)
        wide = "AVX-512" if "avx512f" in text else "AVX2" if "avx2" in text else "no AVX2"
        name = f"{found.group(1).strip() if found else name}, {wide}"
    return f"{name}, {os.cpu_count()} cores"


def versions() -> str:
    """Python, Numba and the peers."""
    parts = [f"Python {platform.python_version()}"]
    for package, name in (("numba", "Numba"), *PACKAGES.items()):
        parts.append(f"{name} {version_of(package) or 'not installed'}")
    return ", ".join(parts)


def attempt(name: str, module: object, quick: bool) -> list[Check]:
    """The checks of one benchmark; one that fails is a miss with its reason, and the others go on."""
    print(f"\n== {name} ==", flush=True)
    try:
        return module.run(quick)  # type: ignore[attr-defined]
    except Exception as error:
        traceback.print_exc()
        return [Check(name, "whole benchmark", None, 0.0, note=f"failed: {type(error).__name__}: {error}")]


def replaced(page: str, marker: str, text: str) -> str:
    """The page with what stands between the markers exchanged."""
    begin, end = f"<!-- {marker} -->", f"<!-- end of {marker} -->"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    if not pattern.search(page):
        raise SystemExit(f"{PAGE.name} has no place for {marker}: put {begin} and {end} there")
    return pattern.sub(lambda _: f"{begin}\n{text}\n{end}", page)


def run_group(group: Group, only: str | None, quick: bool) -> bool:
    """Measure, print, and write the group's part of the page if nothing was left out; returns whether it was written."""
    checks: list[Check] = []
    text, (figure, draw, marker) = "", group.figure
    for name, module in group.modules.items():
        if only in (None, name):
            checks += attempt(name, module, quick)
    if only in (None, figure):
        print(f"\n== {figure} ==", flush=True)
        found, text = draw(quick)
        checks += found
        print(text)
    if not checks and not text:
        return False
    print_checks(checks)
    if quick or only is not None or not all(python_with(name) for name in group.peers):
        return False
    machine = wrapped(f"Measured on {processor()}; {versions()}.")
    table = f"{machine}\n\n{markdown_table(checks)}"
    PAGE.write_text(replaced(replaced(PAGE.read_text(), group.marker, table), marker, text))
    return True


def main() -> None:
    """Everything, in the order of the page."""
    names = [name for group in GROUPS.values() for name in (*group.modules, group.figure[0])]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions and smaller sizes; writes nothing")
    parser.add_argument("--group", choices=list(GROUPS), help="one group of benchmarks; writes its part of the page")
    parser.add_argument("--only", choices=names, help="one of them; writes nothing")
    parser.add_argument("--fit", action="store_true", help="first fit the cost model of `auto` to this machine")
    given = parser.parse_args()
    if given.fit:
        import fit_cost_model

        fit_cost_model.main(given.quick)
    for name, group in GROUPS.items():
        if given.group in (None, name):
            written = run_group(group, given.only, given.quick)
            print(f"\n{name}: {'written to docs/' + PAGE.name if written else 'nothing written'}", flush=True)
    if given.quick or given.only:
        print("writing needs whole groups, at full length, with their peers installed")


if __name__ == "__main__":
    main()
