"""URDF files in Pinocchio and here: which load, mass matrix and bias. `python benchmarks/pinocchio_models.py FOLDER …`.

Pinocchio is `pip install pin`. Inertias that no body can have are kept as they are, mimic joints move by themselves, joints with
one freedom have random states. Bias is compared with the largest entry of the mass matrix, as gravity may not act at all.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from menagerie import without_couplings

import sharnir as sr


def peer_of(path: Path) -> Any:
    """The model of Pinocchio, or None."""
    import pinocchio

    try:
        return pinocchio.buildModelFromXML(path.read_text(encoding="utf-8", errors="replace"))
    except Exception:
        return None


def difference(model: Any, peer: Any) -> float | None:
    """The largest one of M and of the bias; None where no joint is compared."""
    import pinocchio

    system = without_couplings(model).compile(method="composite")
    numbers = {name.strip().replace(".", "_"): peer.getJointId(name) for name in peer.names}
    rng, own, other = np.random.default_rng(0), list[int](), list[int]()
    q, v = np.array(system.q0, float), np.zeros(system.n_v)
    theirs_q, theirs_v = pinocchio.neutral(peer), np.zeros(peer.nv)
    coordinates = {name: k for k, name in enumerate(system.coordinates)}
    for k, speed in enumerate(system.speeds):
        name = speed.rpartition(".v")[0]
        joint = peer.joints[numbers[name]] if name in numbers else None
        if joint is None or joint.nv != 1:
            continue
        angle, v[k] = rng.uniform(-1, 1, 2)
        q[coordinates[f"{name}.q"]] = angle
        theirs_q[joint.idx_q : joint.idx_q + joint.nq] = [np.cos(angle), np.sin(angle)] if joint.nq == 2 else [angle]
        theirs_v[joint.idx_v] = v[k]
        own.append(k)
        other.append(joint.idx_v)
    if not own:
        return None
    data = peer.createData()
    M = np.triu(pinocchio.crba(peer, data, theirs_q))
    M = (M + np.triu(M, 1).T)[np.ix_(other, other)]
    h = pinocchio.nonLinearEffects(peer, data, theirs_q, theirs_v)[other]
    size = max(float(np.abs(M).max()), 1e-300)
    mass = float(np.abs(system.mass_matrix(q)[np.ix_(own, own)] - M).max()) / size
    return max(mass, float(np.abs(system.bias(q, v)[own] - h).max()) / max(size, float(np.abs(h).max())))


def main(*folders: str) -> int:
    """A line for each file that differs, and how many agree."""
    counts: Counter[str] = Counter()
    for path in sorted(p for folder in folders for p in Path(folder).rglob("*.urdf") if p.is_file()):
        peer = peer_of(path)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = sr.load_urdf(path, inertia="keep")
        except sr.ModelError as error:
            counts["only Pinocchio" if peer is not None else "neither"] += 1
            print(f"{path}: {str(error)[:200]!r}" if peer is not None else f"{path}: neither", flush=True)
            continue
        counts["both" if peer is not None else "only here"] += 1
        try:
            found = None if peer is None else difference(model, peer)
        except sr.ModelError as error:
            print(f"{path}: {str(error)[:100]}", flush=True)
            continue
        if found is not None:
            counts["compared"] += 1
            counts["agree to 1e-9"] += found < 1e-9
            if found >= 1e-9:
                print(f"{path}: differs by {found:.1e}", flush=True)
    print("; ".join(f"{key}: {value}" for key, value in counts.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
