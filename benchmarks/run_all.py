"""All benchmarks in one run: prints what is measured beside its target, and writes docs/benchmarks.md."""

from __future__ import annotations

import argparse
import os
import platform
import re
import traceback
from pathlib import Path

import andrews_work_precision
import auto_choice
import ball_chain
import figure1
import forward_dynamics
import four_bar
import loops_25_bodies
import mesh_chain
import pendulum
import scaling
import startup
from checks import Check, markdown_table, print_checks
from forward_dynamics import importable

PAGE = Path(__file__).resolve().parent.parent / "docs" / "benchmarks.md"
PEERS = ("pinocchio", "mujoco", "exudyn", "sksundae")  # as they are imported
PACKAGES = {"pin": "Pinocchio", "mujoco": "MuJoCo", "exudyn": "Exudyn", "scikit-sundae": "scikit-sundae"}  # as they are installed
ALL = {
    "forward dynamics": forward_dynamics,
    "scaling": scaling,
    "choice of the method": auto_choice,
    "pendulum": pendulum,
    "ball chain": ball_chain,
    "chain and net": mesh_chain,
    "four-bars": four_bar,
    "25 bodies": loops_25_bodies,
    "start": startup,
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
    from importlib.metadata import PackageNotFoundError, version

    parts = [f"Python {platform.python_version()}"]
    for package, name in (("numba", "Numba"), *PACKAGES.items()):
        try:
            parts.append(f"{name} {version(package)}")
        except PackageNotFoundError:
            parts.append(f"{name} not installed")
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


def main() -> None:
    """Everything, in the order of the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions and smaller sizes; writes nothing")
    parser.add_argument("--only", choices=[*ALL, "Andrews", "figure 1"], help="one of them; writes nothing")
    parser.add_argument("--fit", action="store_true", help="first fit the cost model of `auto` to this machine")
    given = parser.parse_args()
    if given.fit:
        import fit_cost_model

        fit_cost_model.main(given.quick)
    checks, text, curves = [], "", ""
    for name, module in ALL.items():
        if given.only in (None, name):
            checks += attempt(name, module, given.quick)
    if given.only in (None, "Andrews"):
        print("\n== Andrews ==", flush=True)
        found, curves = andrews_work_precision.figure_and_text(given.quick)
        checks += found
        print(curves)
    if given.only in (None, "figure 1"):
        print("\n== figure 1 ==", flush=True)
        text = figure1.run(given.quick)[1]
        print(text)
    print("\n== all ==")
    print_checks(checks)
    complete = not given.quick and given.only is None and all(importable(name) for name in PEERS)
    if complete:
        table = f"Measured on {processor()}; {versions()}.\n\n{markdown_table(checks)}"
        page = replaced(PAGE.read_text(), "table", table)
        PAGE.write_text(replaced(replaced(page, "figure 1", text), "work and precision", curves))
        pictures = ", ".join(f"docs/figures/{x.PICTURE.name}" for x in (figure1, andrews_work_precision))
        print(f"\nwritten: docs/{PAGE.name}, {pictures}")
    else:
        print("\nnothing written: that needs all benchmarks, at full length, with all peers installed")


if __name__ == "__main__":
    main()
