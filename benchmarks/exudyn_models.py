"""The pendulum and the ball chain in Exudyn, with the settings that are fastest there: no range checks, no files, one thread."""

from __future__ import annotations

import sys
from time import process_time
from typing import Any

import numpy as np

sys.exudynFast = True  # type: ignore[attr-defined]  # the module without range checks; must be said before the import


def settings(t_end: float) -> Any:
    """Simulation settings without output."""
    import exudyn as exu

    s = exu.SimulationSettings()
    s.solution.file.write = False
    s.solution.sensors.active = False
    s.timeIntegration.endTime = t_end
    s.timeIntegration.verboseMode = 0
    s.timeIntegration.explicit.computeEndOfStepAccelerations = False
    s.parallel.numberOfThreads = 1
    return s


def solved(mbs: Any, s: Any, solver: str) -> float:
    """CPU seconds of the solution alone."""
    import exudyn as exu

    begin = process_time()
    if not mbs.SolveDynamic(s, solverType=getattr(exu.DynamicSolverType, solver)):
        raise RuntimeError("Exudyn did not finish")
    return process_time() - begin


def tree(
    types: list[Any], offsets: np.ndarray, masses: list[float], coms: np.ndarray, inertias: list[np.ndarray], q0: np.ndarray
) -> Any:
    """An ObjectKinematicTree of links in a row, at rest."""
    import exudyn as exu
    from exudyn.itemInterface import NodeGenericODE2, ObjectKinematicTree

    n = len(types)
    mbs = exu.SystemContainer().AddSystem()
    node = mbs.AddNode(
        NodeGenericODE2(
            referenceCoordinates=[0.0] * n, initialCoordinates=list(q0), initialCoordinates_t=[0.0] * n, numberOfODE2Coordinates=n
        )
    )
    mbs.AddObject(
        ObjectKinematicTree(
            nodeNumber=node,
            gravity=[0.0, 0.0, -9.81],
            jointTypes=types,
            linkParents=list(range(-1, n - 1)),
            jointTransformations=exu.Matrix3DList([np.eye(3)] * n),
            jointOffsets=exu.Vector3DList([list(x) for x in offsets]),
            linkInertiasCOM=exu.Matrix3DList(inertias),
            linkCOMs=exu.Vector3DList([list(x) for x in coms]),
            linkMasses=masses,
        )
    )
    mbs.Assemble()
    return mbs


def pendulum_run(t_end: float, solver: str, tolerance: float, step: float) -> tuple[float, np.ndarray]:
    """CPU seconds and joint angles at the end; DOPRI5 takes the tolerance, fixed-step methods the step."""
    import exudyn as exu

    offsets, coms = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 0.0, -1.0]]), np.tile([0.0, 0.0, -0.5], (3, 1))
    inertia = np.diag([1 / 12, 1 / 12, 1e-3])
    mbs = tree([exu.JointType.RevoluteY] * 3, offsets, [1.0] * 3, coms, [inertia] * 3, np.array([0.0, 0.0, -np.pi / 6]))
    s = settings(t_end)
    s.timeIntegration.absoluteTolerance = s.timeIntegration.relativeTolerance = tolerance
    s.timeIntegration.minimumStepSize = 1e-10
    if solver == "DOPRI5":
        s.timeIntegration.numberOfSteps = max(1, round(t_end / 0.1))  # an upper bound of the step, far above what it takes
        s.timeIntegration.initialStepSize = 1e-3
    else:
        s.timeIntegration.numberOfSteps = round(t_end / step)
    seconds = solved(mbs, s, solver)
    return seconds, -np.array(mbs.systemData.GetODE2Coordinates())


def ball_chain_tree(
    n: int, length: float, mass: float, inertia: np.ndarray, step: float, t_end: float
) -> tuple[float, np.ndarray]:
    """Every ball as three hinges (the first two links weigh nothing), RK4; CPU seconds and the end of the chain."""
    import exudyn as exu

    hinge = exu.JointType
    types = [hinge.RevoluteX, hinge.RevoluteY, hinge.RevoluteZ] * n
    offsets, coms = np.zeros((3 * n, 3)), np.zeros((3 * n, 3))
    offsets[3::3, 0] = length
    coms[2::3, 0] = 0.5 * length
    masses = [0.0, 0.0, mass] * n
    mbs = tree(types, offsets, masses, coms, [np.zeros((3, 3)), np.zeros((3, 3)), inertia] * n, np.zeros(3 * n))
    s = settings(t_end)
    s.timeIntegration.numberOfSteps = round(t_end / step)
    seconds = solved(mbs, s, "RK44")
    q = np.array(mbs.systemData.GetODE2Coordinates()).reshape(n, 3)
    return seconds, _end_of_chain(q, length)


def _end_of_chain(angles: np.ndarray, length: float) -> np.ndarray:
    R, point = np.eye(3), np.zeros(3)
    for a, b, c in angles:
        X = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
        Y = np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
        Z = np.array([[np.cos(c), -np.sin(c), 0], [np.sin(c), np.cos(c), 0], [0, 0, 1]])
        R = R @ X @ Y @ Z
        point = point + R @ np.array([length, 0.0, 0.0])
    return point


def ball_chain_absolute(
    n: int, length: float, mass: float, inertia: np.ndarray, step: float, t_end: float, solver: str, node: str
) -> tuple[float, np.ndarray]:
    """Absolute coordinates, spherical joints, sparse solver; CPU seconds and the end of the chain."""
    import exudyn as exu
    from exudyn.itemInterface import MarkerBodyPosition, MarkerBodyRigid, ObjectGround, SensorBody, SphericalJoint
    from exudyn.utilities import RigidBodyInertia

    mbs = exu.SystemContainer().AddSystem()
    above = mbs.AddMarker(MarkerBodyPosition(bodyNumber=mbs.AddObject(ObjectGround()), localPosition=[0, 0, 0]))
    for i in range(n):
        body = mbs.CreateRigidBody(
            inertia=RigidBodyInertia(mass=mass, inertiaTensor=inertia, com=[0, 0, 0]),
            referencePosition=[length * (i + 0.5), 0, 0],
            gravity=[0, 0, -9.81],
            nodeType=getattr(exu.NodeType, node),
        )
        near = mbs.AddMarker(MarkerBodyRigid(bodyNumber=body, localPosition=[-length / 2, 0, 0]))
        mbs.AddObject(SphericalJoint(markerNumbers=[above, near]))
        above = mbs.AddMarker(MarkerBodyRigid(bodyNumber=body, localPosition=[length / 2, 0, 0]))
    sensor = mbs.AddSensor(
        SensorBody(
            bodyNumber=body,
            localPosition=[length / 2, 0, 0],
            outputVariableType=exu.OutputVariableType.Position,
            storeInternal=True,
        )
    )
    mbs.Assemble()
    s = settings(t_end)
    s.linearSolver.solverType = exu.LinearSolverType.EigenSparse
    s.linearSolver.reuseAnalyzedPattern = True
    s.timeIntegration.numberOfSteps = round(t_end / step)
    s.timeIntegration.newton.useModifiedNewton = True
    s.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    seconds = solved(mbs, s, solver)
    return seconds, np.array(mbs.GetSensorValues(sensor))
