"""How long a person waits: for the import, for the demo, and for the very first run, which compiles."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from time import perf_counter

from checks import Check, print_checks
from forward_dynamics import importable

IMPORT = "from time import perf_counter; t = perf_counter(); import sharnir; print(perf_counter() - t)"
DEMO = [sys.executable, "-m", "sharnir", "demo"]


def import_seconds() -> float:
    """Seconds of `import sharnir` in a fresh interpreter."""
    return float(subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True).stdout)


def demo_seconds(cache: str | None = None) -> tuple[float, str]:
    """Seconds from the command to its end, and what it said; `cache`: a folder for compiled kernels."""
    environment = os.environ | {"BROWSER": "true"} | ({"SHARNIR_CACHE_DIR": cache} if cache else {})
    with tempfile.TemporaryDirectory() as folder:
        begin = perf_counter()
        done = subprocess.run(DEMO, capture_output=True, text=True, check=True, cwd=folder, env=environment)
        return perf_counter() - begin, done.stdout + done.stderr


def run(quick: bool = False) -> list[Check]:
    """Wall times, the least of several (the first run ever is made once)."""
    imports = sorted(import_seconds() for _ in range(5 if quick else 15))
    checks = [Check("start", "import sharnir, s", imports[0], 0.4, note=f"median {imports[len(imports) // 2]:.2f}")]
    if not importable("sharnir.__main__"):
        return [*checks, Check("start", "sharnir demo, s", None, 2.0, note="no command line")]
    demo_seconds()  # fills the cache, if it is not full yet
    checks.append(
        Check("start", "sharnir demo, kernels in the cache, s", min(demo_seconds()[0] for _ in range(2 if quick else 7)), 2.0)
    )
    if quick:
        return checks
    with tempfile.TemporaryDirectory() as cache:
        seconds, text = demo_seconds(cache)
    said = "with a message that kernels are compiled" if "compil" in text else "WITHOUT A MESSAGE THAT KERNELS ARE COMPILED"
    checks.append(Check("start", "sharnir demo, first run ever, s", seconds, 30.0, note=said))
    return checks


if __name__ == "__main__":
    print_checks(run())
