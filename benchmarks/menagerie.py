"""Models of MuJoCo in both programs: mass matrix and bias at random states. `python benchmarks/menagerie.py FOLDER [NAME …]`.

FOLDER holds the models, each in a folder of its own, such as a copy of github.com/google-deepmind/mujoco_menagerie. Meshes that
are not there are replaced for both programs by a tetrahedron, in a copy of the model's folder; with `--plain` all of them are,
which takes a tenth of the time and leaves the inertias as they are unless they follow from meshes. Files scene*.xml are left
out: they add a floor and lights to another file.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import mujoco
import numpy as np

import sharnir as sr
from sharnir.model.frames import rotation_matrix

STATES = 3
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


class Row(NamedTuple):
    """What became of one model."""

    name: str
    speeds: int
    mass: float  # largest relative difference of M
    bias: float
    notes: str


def corners() -> np.ndarray:
    """The tetrahedron as triangles of a binary STL file."""
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
    return points[[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]]


def write_stand_in(path: Path) -> None:
    """A small mesh in the format of its ending, or a picture of one pixel."""
    path.parent.mkdir(parents=True, exist_ok=True)
    suffix = path.suffix.lower()
    if suffix == ".obj":
        path.write_text(TETRAHEDRON)
    elif suffix == ".stl":
        data = np.zeros(4, np.dtype([("normal", "<f4", 3), ("points", "<f4", (3, 3)), ("flag", "<u2")]))
        data["points"] = corners()
        path.write_bytes(b" " * 80 + np.uint32(4).tobytes() + data.tobytes())
    elif suffix == ".png":
        from PIL import Image

        Image.new("RGB", (12, 12)).save(path)


def loaded(path: Path) -> Any:
    """The model in MuJoCo; files that it misses are made until it loads."""
    for _ in range(500):
        try:
            return mujoco.MjModel.from_xml_path(str(path))
        except ValueError as error:
            missing = re.search(
                r"(?:opening file|resource|Resource not found via provider or OS filesystem:|file) '([^']+)'", str(error)
            )
            if missing is None or (path.parent / missing[1]).exists():
                raise
            write_stand_in(path.parent / missing[1])
    raise ValueError("too many files are missing")


def conversion(ours: Any, peer: Any, model: Any, data: Any, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Speeds of MuJoCo = T × ours, and Ṫ v, from the velocities of free bodies; sets the state of MuJoCo."""
    n = ours.n_v
    T, rest = np.zeros((peer.nv, n)), np.zeros(peer.nv)
    speeds = {name: k for k, name in enumerate(ours.speeds)}
    bodies = ours.bodies(q, v) if any(peer.jnt_type == 0) else {}
    for j in range(peer.njnt):
        joint, kind = joint_of(model, peer, j), peer.jnt_type[j]
        dof, at = peer.jnt_dofadr[j], peer.jnt_qposadr[j]
        own = [k for name, k in speeds.items() if name == f"{joint.name}.v" or name.startswith(f"{joint.name}.v.")]
        first = ours.assembly.coordinates.ranges[joint.name][0]
        if kind == 0:
            state = bodies[joint.child]
            data.qpos[at : at + 3], data.qpos[at + 3 : at + 7] = state.position, state.rotation
            R = np.array(rotation_matrix(tuple(state.rotation)))
            T[dof : dof + 3, own[:3]], T[dof + 3 : dof + 6, own[3:]] = R, np.eye(3)
            rest[dof : dof + 3] = np.cross(state.angular_velocity, state.velocity)
        elif kind == 1:
            data.qpos[at : at + 4] = q[first : first + 4]
            T[dof : dof + 3, own] = np.eye(3)
        else:
            data.qpos[at] = q[first] + peer.qpos0[at]
            T[dof, own[0]] = 1.0
    data.qvel[:] = T @ v
    return T, rest


def joint_of(model: Any, peer: Any, j: int) -> Any:
    """Our joint for joint j of MuJoCo: of the same name, or the one that carries the same body."""
    name = peer.joint(j).name.strip().replace(".", "_")
    if name:
        return model.joints[name]
    child = peer.body(peer.jnt_bodyid[j]).name.strip().replace(".", "_") or f"body_{peer.jnt_bodyid[j]}"
    return next(joint for joint in model.joints.values() if joint.child == child)


def random_state(system: Any, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates within ±1 of the drawing, with unit quaternions, and speeds within ±1."""
    rng = np.random.default_rng(seed)
    q, v = rng.uniform(-1, 1, system.n_q), rng.uniform(-1, 1, system.n_v)
    for k in system.assembly.coordinates.quaternions:
        q[k : k + 4] = rng.normal(size=4)
        q[k : k + 4] /= np.linalg.norm(q[k : k + 4])
    return q, v


def without_couplings(model: Any) -> Any:
    """The same bodies and joints as a tree: without loops and forces, followers moving by themselves."""
    from dataclasses import replace

    tree = sr.Model(model.name, gravity=model.gravity)
    tree.add(*model.bodies.values())
    reached: set[str] = set()
    for joint in model.joints.values():
        if joint.child in reached:
            continue  # it closes a loop
        reached.add(joint.child)
        tree.add(replace(joint, mimic=None) if joint.mimic else joint)
    return tree


def compare(path: str | Path, meshes: bool = False) -> Row:
    """Both programs on one file; differences relative to the largest entries of each row's scale √(M_ii M_jj)."""
    path = Path(path)
    peer = loaded(path)
    peer.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data = mujoco.MjData(peer)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = sr.load_mjcf(path, meshes=meshes)
        tree = without_couplings(model)
    system = tree.compile(method="composite")
    mass = bias = 0.0
    for seed in range(STATES):
        q, v = random_state(system, seed)
        T, rest = conversion(system, peer, tree, data, q, v)
        mujoco.mj_forward(peer, data)
        full = np.zeros((peer.nv, peer.nv))
        try:
            mujoco.mj_fullM(peer, full, data.qM)
        except (TypeError, AttributeError):
            mujoco.mj_fullM(peer, data, full)
        M, h = T.T @ full @ T, T.T @ (data.qfrc_bias + full @ rest)
        ours, own = system.mass_matrix(q), system.bias(q, v)
        size = np.sqrt(np.diag(M))
        mass = max(mass, float(np.abs((ours - M) / np.outer(size, size)).max()))
        bias = max(bias, float((np.abs(own - h) / size).max() / max(1.0, np.abs(h / size).max())))
    notes = "; ".join(line[2:].split(":")[0] for x in caught for line in str(x.message).split("\n")[1:])
    return Row(f"{path.parent.name}/{path.name}", peer.nv, mass, bias, notes)


def meshes_in(_: str, names: list[str]) -> list[str]:
    """Names of files that hold meshes."""
    return [name for name in names if name.lower().endswith((".obj", ".stl"))]


def copied(source: str, target: str) -> str:
    """XML files as copies, all others as links."""
    if source.endswith(".xml"):
        return str(shutil.copy(source, target))
    Path(target).symlink_to(Path(source).resolve())
    return target


def main(folder: str, *arguments: str) -> int:
    """A line for each model, and how many agree."""
    rows, failed = [], []
    ignored = meshes_in if "--plain" in arguments else None
    names = [name for name in arguments if name != "--plain"]
    for path in sorted(Path(folder).glob("*/*.xml")):
        if path.name.startswith("scene") or (names and not any(name in str(path) for name in names)):
            continue
        with tempfile.TemporaryDirectory() as home:
            copy = Path(home) / path.parent.name
            shutil.copytree(path.parent, copy, copy_function=copied, ignore=ignored)
            label = f"{path.parent.name}/{path.name}"
            try:
                loaded(copy / path.name)
            except ValueError as error:
                print(f"{label}: MuJoCo does not load it: {str(error)[:90]!r}", flush=True)
                continue
            try:
                row = compare(copy / path.name)
                rows.append(row)
                print(f"{label}: {row.speeds} speeds, M {row.mass:.1e}, bias {row.bias:.1e}; {row.notes}", flush=True)
            except Exception as error:
                failed.append(label)
                print(f"{label}: FAILS {type(error).__name__}: {str(error)[:300]}", flush=True)
    good = [row for row in rows if row.mass < 1e-9 and row.bias < 1e-9]
    print(f"{len(rows) + len(failed)} files that MuJoCo loads; {len(rows)} load here; {len(good)} agree to 1e-9")
    return 1 if failed or len(good) < len(rows) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
