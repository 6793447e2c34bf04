"""Compiles all kernels of a workplace; prints of those that cannot be compiled the lines of the package that the error names."""

from __future__ import annotations

import gc
import json
import re
import sys

from sharnir.kernel.storage.inventory import kernels
from sharnir.kernel.storage.warmup import GARBAGE


def main() -> None:
    gc.set_threshold(GARBAGE)
    for kernel in kernels():
        try:
            kernel.compile()
        except Exception as problem:
            lines = re.findall(r'File "([^"]*)", line (\d+)', str(problem))
            words = [line for line in str(problem).splitlines() if line.strip()]
            sys.stdout.write(json.dumps({"kernel": kernel.name, "lines": lines, "error": words[:3]}) + "\n")


if __name__ == "__main__":
    main()
