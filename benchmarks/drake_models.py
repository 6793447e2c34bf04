"""SDF files in Drake and here: which load, places of bodies, mass matrix and bias. `python benchmarks/drake_models.py FOLDER …`.

The folders hold SDF files, such as copies of github.com/osrf/gazebo_models or of the tests of github.com/gazebosim/sdformat.
Drake is `pip install drake`. Both take files as they are, with inertias that no body can have; Drake replaces some of these.
Joints with one freedom have random states, floating bodies are at rest in the drawing. Loops are open, gears and followers free,
as in Drake's matrices. Each file has a process of its own, as a few end Drake's.
"""

from __future__ import annotations

import os
import pickle
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from menagerie import without_couplings

import sharnir as sr
from sharnir.model.frames import rotation_matrix


def peer_of(path: Path, folders: list[str]) -> tuple[Any, Any]:
    """The plant of Drake with a context in the drawing."""
    import pydrake.all as drake

    plant = drake.MultibodyPlant(0.0)
    parser = drake.Parser(plant)
    for folder in folders:
        parser.package_map().PopulateFromFolder(folder)
    parser.AddModels(str(path))
    plant.Finalize()
    return plant, plant.CreateDefaultContext()


def candidates(peer: Any, plant: Any) -> list[str]:
    """Names that an element of Drake may have here: with those of the models that it is in, the outermost one left out or not."""
    path = plant.GetModelInstanceName(peer.model_instance()).split("::")
    names = [[peer.name()], [*path[1:], peer.name()], [*path, peer.name()]]
    return ["_".join(part.strip().replace(".", "_").replace("::", "_") for part in name) for name in reversed(names)]


def compare(path: Path, folders: list[str]) -> tuple[str, float, float]:
    """What became of a file, the largest difference of places, and that of M and bias (-1 where nothing is compared)."""
    try:
        plant, context = peer_of(path, folders)
    except Exception:
        plant = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = sr.load_sdf(path, inertia="keep", packages=packages(folders))
    except sr.ModelError:
        return ("only Drake" if plant else "neither"), -1.0, -1.0
    if plant is None:
        return "only here", -1.0, -1.0
    system = without_couplings(model).compile(method="composite")
    place = places(plant, context, system)
    speeds = {name: k for k, name in enumerate(system.speeds)}
    coordinates = {name: k for k, name in enumerate(system.coordinates)}
    q, v = np.array(system.q0, float), np.zeros(system.n_v)
    theirs_q, theirs_v = plant.GetPositions(context), np.zeros(plant.num_velocities())
    rng, own, other = np.random.default_rng(0), list[int](), list[int]()
    for j in plant.GetJointIndices():
        joint = plant.get_joint(j)
        name = next((name for name in candidates(joint, plant) if f"{name}.v" in speeds), None)
        if joint.num_velocities() != 1 or name is None:
            continue
        own.append(speeds[f"{name}.v"])
        other.append(joint.velocity_start())
        q[coordinates[f"{name}.q"]], v[own[-1]] = rng.uniform(-1, 1, 2)
        theirs_q[joint.position_start()], theirs_v[other[-1]] = q[coordinates[f"{name}.q"]], v[own[-1]]
    if not own:
        return "both", place, -1.0
    plant.mutable_gravity_field().set_gravity_vector(model.gravity)
    plant.SetPositions(context, theirs_q)
    plant.SetVelocities(context, theirs_v)
    M = plant.CalcMassMatrix(context)[np.ix_(other, other)]
    h = (plant.CalcBiasTerm(context) - plant.CalcGravityGeneralizedForces(context))[other]
    size = np.sqrt(np.outer(np.diag(M), np.diag(M)))
    mass = float((np.abs(system.mass_matrix(q)[np.ix_(own, own)] - M) / size).max())
    bias = float(np.abs(system.bias(q, v)[own] - h).max() / max(np.abs(h).max(), np.abs(M).max()))
    return "both", place, max(mass, bias)


def packages(folders: list[str]) -> dict[str, Path]:
    """Folders of models by name."""
    return {path.parent.name: path.parent for folder in folders for path in Path(folder).rglob("model.config")}


def places(plant: Any, context: Any, system: Any) -> float:
    """The largest difference of positions and rotations in the drawing."""
    import pydrake.all as drake

    bodies, worst = system.bodies(np.array(system.q0), np.zeros(system.n_v)), 0.0
    for k in range(1, plant.num_bodies()):
        body = plant.get_body(drake.BodyIndex(k))
        name = next((name for name in candidates(body, plant) if name in bodies), None)
        if name is not None:
            X, state = plant.EvalBodyPoseInWorld(context, body), bodies[name]
            worst = max(worst, float(np.abs(np.array(state.position) - X.translation()).max()))
            worst = max(worst, float(np.abs(np.array(rotation_matrix(tuple(state.rotation))) - X.rotation().matrix()).max()))
    return worst


def in_a_process(path: Path, folders: list[str]) -> tuple[str, float, float]:
    """The comparison in a process of its own."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.write(write, pickle.dumps(compare(path, folders)))
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return pickle.loads(answer) if answer else ("Drake's process ended", -1.0, -1.0)


def main(*folders: str) -> int:
    """A line for each file that differs, and how many agree."""
    counts: Counter[str] = Counter()
    largest = [0.0, 0.0]
    for path in sorted(
        p for folder in folders for p in Path(folder).rglob("*") if p.suffix in (".sdf", ".world") and p.is_file()
    ):
        what, place, matrices = in_a_process(path, list(folders))
        counts[what] += 1
        for k, (kind, value) in enumerate((("places", place), ("M and bias", matrices))):
            if value >= 0.0:
                counts[f"{kind} compared"] += 1
                counts[f"{kind} agree to 1e-9"] += value < 1e-9
                largest[k] = max(largest[k], value if value < 1e-9 else 0.0)
        if what == "only Drake" or max(place, matrices) >= 1e-9:
            print(f"{path}: {what}, places {place:.1e}, M and bias {matrices:.1e}", flush=True)
    print("; ".join(f"{key}: {value}" for key, value in counts.items()))
    print(f"largest differences of those that agree: places {largest[0]:.1e}, M and bias {largest[1]:.1e}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
