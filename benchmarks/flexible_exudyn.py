"""Flexible bodies in Exudyn, in its own interpreter: reads matrices from a folder and prints one line of JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

sys.exudynFast = True  # type: ignore[attr-defined]  # the module without range checks; must be said before the import


def fem_interface(folder: str) -> tuple[Any, Any]:
    """Exudyn's container of nodes and matrices, and the sets of nodes."""
    from exudyn.FEM import FEMinterface
    from scipy.sparse import load_npz

    data = np.load(Path(folder) / "nodes.npz")
    fem = FEMinterface()
    fem.nodes = {"Position": data["nodes"]}
    fem.massMatrix, fem.stiffnessMatrix = (load_npz(Path(folder) / f"{name}.npz") for name in ("mass", "stiffness"))
    return fem, data


def reduction(folder: str, modes: int) -> dict[str, Any]:
    """CPU seconds of the modes and of the inertia terms; frequencies of fixed and of free ends."""
    from exudyn.FEM import ObjectFFRFreducedOrderInterface
    from scipy.linalg import eigh

    fem, data = fem_interface(folder)
    begin = process_time()
    fem.ComputeHurtyCraigBamptonModes([data["left"].tolist(), data["right"].tolist()], nEigenModes=modes, timerTreshold=10**9)
    middle = process_time()
    cms = ObjectFFRFreducedOrderInterface(fem)
    end = process_time()
    # a free body: the reduced matrices with the rigid motions, M = [[R'MR, R'MΨ], [., Ψ'MΨ]]
    shifts = cms.mPhitTPsi
    turns = cms.mXRefTildePsi
    center = cms.totalMass * np.array(cms.chiUtilde)
    rigid = np.block([[cms.Mtt, -center], [center, cms.inertiaLocal]])
    coupling = np.vstack([shifts, -turns])
    inner = cms.massMatrixReduced - coupling.T @ np.linalg.solve(rigid, coupling)
    values = eigh(cms.stiffnessMatrixReduced, 0.5 * (inner + inner.T), eigvals_only=True)
    hertz = [np.sqrt(np.abs(x)) / (2.0 * np.pi) for x in (np.sort(fem.eigenValues), values)]
    return {"modes": middle - begin, "inertia": end - middle, "fixed": hertz[0].tolist(), "free": hertz[1].tolist()}


def swinging(folder: str, modes: int, hinge: str) -> tuple[Any, int]:
    """The bar on a hinge about z at its rigid left end, and the sensor of its tip.

    hinge : "joint" as in Exudyn's example NGsolveCraigBampton; "coordinates": five of the body's frame are held, which is faster.
    "loads": "coordinates" with gravity as forces at the nodes; its own takes the moment of the undeformed body's weight.
    """
    import exudyn as exu
    from exudyn.FEM import ObjectFFRFreducedOrderInterface
    from exudyn.itemInterface import SensorSuperElement

    fem, data = fem_interface(folder)
    fem.ComputeHurtyCraigBamptonModes([data["left"].tolist()], nEigenModes=modes)
    mbs = exu.SystemContainer().AddSystem()
    kind = exu.NodeType.RotationEulerParameters if hinge == "joint" else exu.NodeType.RotationRxyz
    # reduced matrices are not rounded, as they are by default, since that changes the motion
    cms = ObjectFFRFreducedOrderInterface(fem, rigidBodyNodeType=kind, roundMassMatrix=0.0, roundStiffnessMatrix=0.0)
    own = [0.0, 0.0 if hinge == "loads" else -9.81, 0.0]
    body = cms.AddObjectFFRFreducedOrder(mbs, gravity=own)
    (_joint if hinge == "joint" else _held_coordinates)(mbs, body, data["left"])
    if hinge == "loads":
        _weights(mbs, body, fem)
    position = exu.OutputVariableType.Position
    tip = {"bodyNumber": body["oFFRFreducedOrder"], "meshNodeNumber": int(data["tip"]), "outputVariableType": position}
    sensor = mbs.AddSensor(SensorSuperElement(**tip, storeInternal=True, writeToFile=False))
    mbs.Assemble()
    return mbs, sensor


def _joint(mbs: Any, body: Any, left: np.ndarray) -> None:
    from exudyn.itemInterface import GenericJoint, MarkerBodyRigid, MarkerSuperElementRigid, ObjectGround

    ground = mbs.AddMarker(MarkerBodyRigid(bodyNumber=mbs.AddObject(ObjectGround()), localPosition=[0.0, 0.0, 0.0]))
    end = {"bodyNumber": body["oFFRFreducedOrder"], "weightingFactors": np.full(len(left), 1.0 / len(left))}
    marker = mbs.AddMarker(MarkerSuperElementRigid(meshNodeNumbers=left, **end))
    mbs.AddObject(GenericJoint(markerNumbers=[ground, marker], constrainedAxes=[1, 1, 1, 1, 1, 0]))


def _held_coordinates(mbs: Any, body: Any, left: np.ndarray) -> None:
    from exudyn.itemInterface import CoordinateConstraint, MarkerNodeCoordinate, NodePointGround

    ground = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=mbs.AddNode(NodePointGround()), coordinate=0))
    for k in range(5):
        held = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=body["nRigidBody"], coordinate=k))
        mbs.AddObject(CoordinateConstraint(markerNumbers=[ground, held]))


def _weights(mbs: Any, body: Any, fem: Any) -> None:
    """The weight M g of every node as one force with as many parts."""
    from exudyn.itemInterface import LoadForceVector, MarkerSuperElementPosition

    masses = np.asarray(fem.massMatrix.sum(axis=1)).ravel()[1::3]
    parts = {"meshNodeNumbers": np.arange(len(masses)), "weightingFactors": masses / masses.sum()}
    marker = mbs.AddMarker(MarkerSuperElementPosition(bodyNumber=body["oFFRFreducedOrder"], **parts))
    mbs.AddLoad(LoadForceVector(markerNumber=marker, loadVector=[0.0, -9.81 * masses.sum(), 0.0]))


def pendulum(folder: str, modes: int, hinge: str, solver: str, steps: list[int], repeats: int) -> list[dict[str, Any]]:
    """For every number of steps in one second: CPU seconds, and places of the tip every 0.1 s from a run that is not timed."""
    import exudyn as exu
    from exudyn_models import settings, solved

    rows = []
    for n in steps:
        seconds = [float("inf")]
        for timed in [False] + [True] * repeats:
            mbs, sensor = swinging(folder, modes, hinge)
            s = settings(1.0)
            s.timeIntegration.numberOfSteps = n
            s.timeIntegration.newton.useModifiedNewton = True
            s.timeIntegration.generalizedAlpha.spectralRadius = 0.9
            s.linearSolver.solverType = exu.LinearSolverType.EXUdense
            s.solution.sensors.active = not timed
            s.solution.sensors.writePeriod = 0.1
            used = solved(mbs, s, solver)
            if timed:
                seconds.append(used)
            else:
                tip = np.array(mbs.GetSensorStoredData(sensor))
        rows.append({"steps": n, "seconds": min(seconds), "times": tip[:, 0].tolist(), "tip": tip[:, 1:].tolist()})
    return rows


def main() -> None:
    """The task that is named first."""
    kind, folder, modes = sys.argv[1], sys.argv[2], int(sys.argv[3])
    if kind == "reduction":
        result: Any = reduction(folder, modes)
    else:
        hinge, solver, repeats = sys.argv[4], sys.argv[5], int(sys.argv[6])
        result = pendulum(folder, modes, hinge, solver, [int(n) for n in sys.argv[7:]], repeats)
    print("\n" + json.dumps(result))


if __name__ == "__main__":
    main()
