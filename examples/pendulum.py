"""A pendulum of one point mass (IFToMM benchmark A01), compared with its exact solution after ten seconds."""

import os
import tempfile
from pathlib import Path

import sharnir as sr

m = sr.Model("pendulum")
bob = m.add(sr.Body("bob", mass=1, position=(-1, 0, 0)))
m.add(sr.Revolute("hinge", m.ground, bob, at=(0, 0, 0), axis="y"))

result = m.simulate(10.0, step=0.01, tolerance=1e-12)

x, _, z = result["bob.position"][-1]
error = max(abs(x + 0.27508746257611686), abs(z + 0.96141920509912506))  # from Jacobi's elliptic functions
print(f"error of the position after 10 s: {error:.1e} m")

folder = Path(os.environ.get("SHARNIR_EXAMPLES_DIR") or tempfile.mkdtemp())
result.plot("bob.position.x", "bob.position.z", "hinge.v", path=folder / "pendulum.png")
print(f"picture: {folder / 'pendulum.png'}")
