"""How long a person waits: for the import, for a first small run, for the demo, and for the very first run, which compiles."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from time import perf_counter

from checks import Check, print_checks
from forward_dynamics import importable

IMPORT = "from time import process_time; t = process_time(); import sharnir; print(process_time() - t)"
SMALL = """
import sharnir as sr
m = sr.Model()
m.add(sr.Body("arm", mass=2, inertia=(0.1, 0.1, 0.1), com=(0.5, 0, 0)), sr.Revolute("h", "ground", "arm", axis="y"))
m.simulate(1.0)
"""
FORMULAS = """
import sharnir as sr
m = sr.Model()
m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)), sr.Prismatic("j", "ground", "b", axis="x", q=0.5))
m.add(sr.Signal("target", "if(t > 0.3, 1.2, 0.1)"), sr.LowPass("slow", "target", 0.2))
m.add(sr.JointForce("drive", "j", "40*(slow - q) - 3*v"), sr.JointForce("spring", "j", sr.Table((-1, 0, 1, 2), (2, 0, -1, -3))))
m.simulate(1.0)
"""
LIBRARY = "from sharnir.kernel.mode import LIBRARY; print('' if LIBRARY is None else LIBRARY.level.name)"
DEMO = [sys.executable, "-m", "sharnir", "demo"]
IMPORTED = re.compile(r"import time:\s*(\d+) \|\s*\d+ \|\s*(\w+)")


def import_seconds() -> float:
    """CPU seconds of `import sharnir` in a fresh interpreter."""
    return float(subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True).stdout)


def work_seconds(command: list[str]) -> float:
    """CPU seconds of a command, from the interpreter's start to its end: other work on the machine matters less."""
    environment = os.environ | {"BROWSER": "true"}
    with tempfile.TemporaryDirectory() as folder:
        before = os.times()
        subprocess.run(command, capture_output=True, check=True, cwd=folder, env=environment)
        now = os.times()
    return now.children_user + now.children_system - before.children_user - before.children_system


def import_shares(command: list[str]) -> str:
    """What the imports of a command cost: packages with their shares of the time, the largest first."""
    environment = os.environ | {"BROWSER": "true"}
    with tempfile.TemporaryDirectory() as folder:
        said = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder, env=environment).stderr
    spent: Counter[str] = Counter()
    for own, package in IMPORTED.findall(said):
        spent[package] += int(own)
    whole = sum(spent.values())
    listed = ", ".join(f"{name} {time / whole:.0%}" for name, time in spent.most_common(6))
    return f"imports {whole / 1e6:.2f} s when watched: {listed}"


def first_demo_seconds(cache: str) -> tuple[float, str]:
    """Seconds from the command to its end, and what it said; `cache`: an empty folder for compiled kernels."""
    environment = os.environ | {"BROWSER": "true", "SHARNIR_CACHE_DIR": cache}
    with tempfile.TemporaryDirectory() as folder:
        begin = perf_counter()
        done = subprocess.run(DEMO, capture_output=True, text=True, check=True, cwd=folder, env=environment)
        return perf_counter() - begin, done.stdout + done.stderr


def run(quick: bool = False) -> list[Check]:
    """CPU times, the least of several; of the first run ever, which several processes share, a wall time."""
    imports = sorted(import_seconds() for _ in range(5 if quick else 15))
    checks = [Check("start", "import sharnir, CPU time, s", imports[0], 0.4, note=f"median {imports[len(imports) // 2]:.2f}")]
    if not importable("sharnir.__main__"):
        return [*checks, Check("start", "sharnir demo, s", None, 1.5, note="no command line")]
    level = subprocess.run([sys.executable, "-c", LIBRARY], capture_output=True, text=True, check=True).stdout.strip()
    kernels = f"kernels of the wheel, {level}" if level else "kernels in the cache, loaded by Numba"
    times = 3 if quick else 9
    for what, text in (("a small model", SMALL), ("with formulas, a table and a filter", FORMULAS)):
        command = [sys.executable, "-c", text]
        work_seconds(command)  # fills the cache, if it is not full yet
        shares = import_shares([sys.executable, "-X", "importtime", "-c", text])
        least = min(work_seconds(command) for _ in range(times))
        limit = 0.5 if level else 1.5
        checks.append(Check("start", f"import and first run, {what}, CPU time, s", least, limit, note=f"{kernels}; {shares}"))
    work_seconds(DEMO)
    shares = import_shares([DEMO[0], "-X", "importtime", *DEMO[1:]])
    least = min(work_seconds(DEMO) for _ in range(times))
    checks.append(Check("start", "sharnir demo, CPU time, s", least, 1.5 if level else 2.5, note=f"{kernels}; {shares}"))
    if quick or level:
        return checks
    with tempfile.TemporaryDirectory() as cache:
        seconds, text = first_demo_seconds(cache)
    said = "with a message that kernels are compiled" if "compil" in text else "WITHOUT A MESSAGE THAT KERNELS ARE COMPILED"
    checks.append(Check("start", "sharnir demo, first run ever, s", seconds, 25.0, note=said))
    return checks


if __name__ == "__main__":
    print_checks(run())
