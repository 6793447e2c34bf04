"""Kernels of an installed wheel and the same kernels compiled now for the same level of processors: the same bits."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from sharnir.kernel.mode import LIBRARY
from sharnir.kernel.storage.ahead_of_time import CPUS
from sharnir.kernel.storage.library import HOUSE

RUN = """
import hashlib, sys
import sharnir as sr
from sharnir.kernel.mode import LIBRARY

m = sr.Model("crank")
m.add(sr.Body("crank", mass=1, inertia=(0.01, 0.02, 0.02), com=(0.15, 0, 0)))
m.add(sr.Body("rod", mass=2, inertia=(0.01, 0.1, 0.1), com=(0.4, 0, 0), position=(0.3, 0, 0)))
m.add(sr.Body("slider", mass=3, inertia=(0.1, 0.1, 0.1), position=(0.9, 0, 0)))
m.add(sr.Revolute("main", "ground", "crank", axis="z", v=5.0), sr.Revolute("pin", "crank", "rod", at=(0.3, 0, 0), axis="z"))
m.add(sr.Revolute("gudgeon", "rod", "slider", at=(0.9, 0, 0), axis="z"))
m.add(sr.Prismatic("guide", "ground", "slider", at=(0.9, 0, 0), axis="x"))
digest = hashlib.sha256()
r = m.simulate(0.5, output=0.01, integrator="dopri5")
for channel in (r.t, r["main.q"], r["slider.position"], r["energy.total"]):
    digest.update(channel.tobytes())
print(LIBRARY is not None, digest.hexdigest())
"""


@pytest.mark.skipif(LIBRARY is None, reason="the kernels of this installation are compiled on demand")
def test_same_bits_as_compiled_now(tmp_path):
    assert LIBRARY is not None
    cpu, features = CPUS.get(LIBRARY.level.name, (LIBRARY.level.name, ""))
    now = {"SHARNIR_COMPILE": "1", "SHARNIR_LANES": str(LIBRARY.level.lanes), "SHARNIR_CACHE_DIR": str(tmp_path)}
    now |= {"SHARNIR_COMPILERS": "1", "NUMBA_CPU_NAME": cpu, "NUMBA_CPU_FEATURES": features}

    def said(more):
        environment = os.environ | {"PYTHONPATH": str(HOUSE.parent)} | more
        return subprocess.run([sys.executable, "-c", RUN], env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout

    (shipped, ours), (compiled, theirs) = said({}).split(), said(now).split()
    assert (shipped, compiled) == ("True", "False")
    assert ours == theirs
