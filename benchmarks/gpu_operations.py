"""Operations that one evaluation executes, of our kernels and of the probe: their very text, with numbers that count.

Registers and spills say how a kernel uses its processor; this says how much it has to compute, loops included. Sines and cosines
are functions in the probe and polynomials in ours; here each function counts as POLYNOMIAL operations, which is what ours needs,
and a quotient, which a GPU makes from an estimate by Newton's method, as QUOTIENT.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

COUNTED = Path(__file__).resolve().parent / "counted.h"
HOST = Path(__file__).resolve().parent.parent / "tests" / "cuda_on_host.h"
QUOTIENT = 8
POLYNOMIAL = 22  # operations of a sine or a cosine alone: half of what both together need in kernels.cuh


class Operations(NamedTuple):
    """What was executed."""

    additions: int
    products: int
    fused: int
    quotients: int
    functions: int

    @property
    def all(self) -> int:
        """All of them; quotients and functions as what they take."""
        return self.additions + self.products + self.fused + QUOTIENT * self.quotients + POLYNOMIAL * self.functions


def of_ours(text: str, n: int, folder: Path) -> Operations:
    """Of the rates of a kernel's text, at a state of a chain of n hinges."""
    body = f"double y[{2 * n}], c[4096], p[1] = {{0.0}}, dy[{2 * n}]; for (int k = 0; k < {2 * n}; ++k) y[k] = 0.1 + 0.01 * k;"
    call = "constants(p, c); begin(); rates(double(0.0), y, c, dy); end();"
    text = re.sub(r"\bstatic __device__ __constant__ const\b", "static const", text)
    return _counted(f"#define THREADS 32\n{text}\nint main() {{ {body} {call} }}\n", folder / "ours")


def of_probe(header: Path, n: int, folder: Path) -> Operations:
    """Of the probe's forward dynamics."""
    words = "typedef double real;\n#define sin_ sin\n#define cos_ cos\n"
    state = f"for (int k = 0; k < {n}; ++k) {{ q[k] = 0.1 + 0.01 * k; v[k] = 0.2; u[k] = 0.0; }}"
    body = f"double q[{n}], v[{n}], u[{n}], a[{n}]; {state}"
    return _counted(f'{words}#include "{header}"\nint main() {{ {body} begin(); fd(q, v, u, a); end(); }}\n', folder / "probe")


def _counted(text: str, path: Path) -> Operations:
    source = path.with_suffix(".cpp")
    source.write_text(f'#include "{COUNTED}"\n#include "{HOST}"\n#define double Counted\n{text}')
    compiler = shutil.which("c++") or shutil.which("g++") or "c++"
    subprocess.run([compiler, "-std=c++14", "-O0", "-w", "-o", path, source], check=True)
    return Operations(*map(int, subprocess.run([path], check=True, capture_output=True, text=True).stdout.split()))
