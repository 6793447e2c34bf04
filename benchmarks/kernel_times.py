"""CPU seconds that the compiler takes for each kernel of a usual run, each in a process of its own with an empty cache.

`python benchmarks/kernel_times.py` measures this source tree, `python benchmarks/kernel_times.py OTHER/src` another one.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

TASK = """
import sys
from time import process_time
from importlib import import_module
place, _, function = sys.argv[1].rpartition(".")
module = import_module(place)
begin = process_time()
from sharnir.kernel.storage.inventory import kernel_named
kernel_named(sys.argv[1]).compile()
print(process_time() - begin)
"""


def seconds(source: Path, kernel: str) -> float:
    """CPU seconds of one kernel."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"SHARNIR_CACHE_DIR": folder, "PYTHONPATH": str(source), "SHARNIR_COMPILERS": "1"}
        done = subprocess.run([sys.executable, "-c", TASK, kernel], env=environment, capture_output=True, text=True, check=False)
    return float(done.stdout.split()[-1]) if done.returncode == 0 else float("nan")


def main() -> None:
    """The kernels of `sharnir demo`, and those of loops."""
    source = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[1] / "src").resolve()
    sys.path.insert(0, str(source))
    from sharnir.kernel.storage.warmup import USUAL

    more = ("dynamics.evaluation.constrained_right_hand_side.derivative_constrained",)
    more += ("dynamics.evaluation.constrained_right_hand_side.projection", "integrate.events.event_search.search")
    total = 0.0
    for name in (*USUAL, *more):
        spent = seconds(source, f"sharnir.{name}")
        total += spent if spent == spent else 0.0
        print(f"{spent:7.2f}  {name}", flush=True)
    print(f"{total:7.2f}  together")


if __name__ == "__main__":
    main()
