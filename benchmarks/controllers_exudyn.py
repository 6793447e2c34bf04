"""Springs in Exudyn, its own and as Python functions: in the joints of a kinematic tree, and between masses in space."""

from __future__ import annotations

import json
import sys

import numpy as np
from exudyn_models import settings, solved

LENGTH, STIFFNESS, DAMPING = 0.2, 20.0, 0.1


def chain(n: int, python: bool) -> object:
    """A kinematic tree of n links."""
    import exudyn as exu
    from exudyn.itemInterface import NodeGenericODE2, ObjectKinematicTree

    mbs = exu.SystemContainer().AddSystem()
    node = mbs.AddNode(
        NodeGenericODE2(
            referenceCoordinates=[0.0] * n,
            initialCoordinates=[0.1] * n,
            initialCoordinates_t=[0.0] * n,
            numberOfODE2Coordinates=n,
        )
    )

    def force(mbs: object, t: float, number: int, q: list[float], v: list[float]) -> list[float]:
        return [-STIFFNESS * a - DAMPING * b for a, b in zip(q, v, strict=True)]

    given: dict[str, object] = {"forceUserFunction": force}
    if not python:
        given = {
            "jointPControlVector": [STIFFNESS] * n,
            "jointDControlVector": [DAMPING] * n,
            "jointPositionOffsetVector": [0.0] * n,
            "jointVelocityOffsetVector": [0.0] * n,
        }
    offsets = [[0.0, 0.0, 0.0], *[[0.0, 0.0, -LENGTH]] * (n - 1)]
    mbs.AddObject(
        ObjectKinematicTree(
            nodeNumber=node,
            gravity=[0.0, 0.0, -9.81],
            jointTypes=[exu.JointType.RevoluteY] * n,
            linkParents=list(range(-1, n - 1)),
            jointTransformations=exu.Matrix3DList([np.eye(3)] * n),
            jointOffsets=exu.Vector3DList(offsets),
            linkInertiasCOM=exu.Matrix3DList([np.diag([0.01, 0.01, 0.001])] * n),
            linkCOMs=exu.Vector3DList([[0.0, 0.0, -LENGTH / 2]] * n),
            linkMasses=[1.0] * n,
            **given,
        )
    )
    mbs.Assemble()
    return mbs


def masses(n: int, python: bool) -> object:
    """Masses in a row, joined by springs in space; every Python function is called for one spring."""
    import exudyn as exu

    mbs = exu.SystemContainer().AddSystem()
    previous = mbs.CreateGround()

    def force(mbs: object, t: float, number: int, x: float, v: float, k: float, d: float, f: float) -> float:
        return 500.0 * x + v

    for k in range(n):
        mass = mbs.CreateMassPoint(referencePosition=[0.3 * (k + 1), 0, -0.01 * k], physicsMass=1.0, gravity=[0, 0, -9.81])
        given = {"springForceUserFunction": force} if python else {}
        mbs.CreateSpringDamper(bodyNumbers=[previous, mass], stiffness=500.0, damping=1.0, referenceLength=0.25, **given)
        previous = mass
    mbs.Assemble()
    return mbs


def main(task: str, n: int, repeats: int) -> None:
    """CPU seconds of 1 s with RK44 and 1 ms, both ways; coordinates at the end."""
    best, ends = {"own": np.inf, "python": np.inf}, {}
    for _ in range(repeats):
        for name in best:
            mbs = (chain if task == "chain" else masses)(n, name == "python")
            s = settings(1.0)
            s.timeIntegration.numberOfSteps = 1000
            best[name] = min(best[name], solved(mbs, s, "RK44"))
            ends[name] = list(mbs.systemData.GetODE2Coordinates())
    print(json.dumps({"seconds": best, "ends": ends}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
