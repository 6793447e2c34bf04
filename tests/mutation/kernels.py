"""Compiles the kernels of a workplace up to the first that cannot be compiled, and prints which lines its error names."""

from __future__ import annotations

import gc
import json
import re
import sys

from sharnir.kernel.storage.inventory import kernels
from sharnir.kernel.storage.warmup import GARBAGE


def main() -> None:
    """The innermost line comes first. One change that does not compile is often in the way of all kernels."""
    gc.set_threshold(GARBAGE)
    for kernel in kernels():
        try:
            kernel.compile()
        except Exception as problem:
            lines = re.findall(r"at (\S+\.py) \((\d+)\)", str(problem)) + re.findall(r'File "([^"]*)", line (\d+)', str(problem))
            why = [line for line in str(problem).splitlines() if line.strip() and not line.startswith("Failed in")]
            sys.stdout.write(json.dumps({"kernel": kernel.name, "lines": lines, "error": why[:1]}) + "\n")
            return


if __name__ == "__main__":
    main()
