"""Mechanisms with loops in Exudyn: Andrews' and the four-bars in its planar elements, four-bars and nets in its spatial ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from exudyn_models import settings, solved
from loop_models import ANDREWS, ANDREWS_START, INERTIA, LENGTH, MASS


class Plane:
    """A planar system: bodies by name, each with its centre and angle, joined by pins."""

    def __init__(self, gravity: tuple[float, float, float]) -> None:
        import exudyn as exu
        from exudyn.itemInterface import ObjectGround

        self.mbs = exu.SystemContainer().AddSystem()
        self.gravity = gravity
        self.ground = self.mbs.AddObject(ObjectGround())
        self.bodies: dict[str, tuple[int, np.ndarray, float]] = {"ground": (self.ground, np.zeros(2), 0.0)}

    def body(self, name: str, mass: float, inertia: float, centre: Any, angle: float, rates: Any = (0.0, 0.0, 0.0)) -> None:
        """A body at its centre of mass."""
        from exudyn.itemInterface import LoadMassProportional, MarkerBodyMass, NodeRigidBody2D, RigidBody2D

        node = self.mbs.AddNode(
            NodeRigidBody2D(referenceCoordinates=[*map(float, centre[:2]), angle], initialVelocities=list(rates))
        )
        number = self.mbs.AddObject(RigidBody2D(nodeNumber=node, physicsMass=mass, physicsInertia=inertia))
        marker = self.mbs.AddMarker(MarkerBodyMass(bodyNumber=number))
        self.mbs.AddLoad(LoadMassProportional(markerNumber=marker, loadVector=list(self.gravity)))
        self.bodies[name] = number, np.array(centre[:2], float), angle

    def marker(self, name: str, point: Any, rigid: bool = False) -> int:
        """A marker on a body at a point of the drawing."""
        from exudyn.itemInterface import MarkerBodyPosition, MarkerBodyRigid

        number, centre, angle = self.bodies[name]
        x, y = np.array(point[:2], float) - centre
        c, s = np.cos(angle), np.sin(angle)
        kind = MarkerBodyRigid if rigid else MarkerBodyPosition
        return self.mbs.AddMarker(kind(bodyNumber=number, localPosition=[c * x + s * y, -s * x + c * y, 0.0]))

    def pin(self, a: str, b: str, point: Any) -> None:
        """A hinge of two bodies."""
        from exudyn.itemInterface import RevoluteJoint2D

        self.mbs.AddObject(RevoluteJoint2D(markerNumbers=[self.marker(a, point), self.marker(b, point)]))


def implicit(t_end: float, step: float, sparse: bool = False) -> Any:
    """Settings of the implicit solvers: Newton with its matrix kept, initial accelerations computed."""
    import exudyn as exu

    s = settings(t_end)
    s.timeIntegration.numberOfSteps = max(1, round(t_end / step))
    s.timeIntegration.newton.useModifiedNewton = True
    s.timeIntegration.generalizedAlpha.computeInitialAccelerations = True
    s.timeIntegration.generalizedAlpha.spectralRadius = 0.95
    if sparse:
        s.linearSolver.solverType = exu.LinearSolverType.EigenSparse
        s.linearSolver.reuseAnalyzedPattern = True
    return s


def andrews_run(solver: str, step: float, t_end: float = 0.03) -> tuple[float, np.ndarray]:
    """CPU seconds, and the seven angles at the end."""
    from exudyn.itemInterface import LoadTorqueVector, SpringDamper

    p, (beta, theta, gamma, phi, delta, Omega, epsilon) = ANDREWS, ANDREWS_START

    def turned(angle: float, x: float, y: float = 0.0) -> np.ndarray:
        c, s = np.cos(angle), np.sin(angle)
        return np.array([c * x - s * y, s * x + c * y])

    A, B, C = (np.array(p[k][:2]) for k in "ABC")
    F, G5, H = turned(beta, p["rr"]), A + turned(delta, p["zt"]), A + turned(epsilon, 0, -p["u"])
    E = F - turned(beta + theta, p["d"])
    plane = Plane((0.0, 0.0, 0.0))
    origins = (np.zeros(2), F, B, G5, A, H, A)
    turns = (beta, beta + theta, gamma, phi + delta, delta, Omega + epsilon, epsilon)
    coms = ((p["ra"], 0), (-p["da"], 0), (p["sb"], -p["sa"]), (0, p["ea"] - p["e"]))
    coms += ((p["ta"], p["tb"]), (p["zf"] - p["fa"], 0), (p["ua"], p["ub"]))
    for k in range(7):
        plane.body(f"K{k + 1}", p["m"][k], p["I"][k], origins[k] + turned(turns[k], *coms[k]), turns[k])
    for a, b, point in (("ground", "K1", (0, 0)), ("K1", "K2", F), ("ground", "K3", B), ("K2", "K3", E), ("ground", "K5", A)):
        plane.pin(a, b, point)
    for a, b, point in (("K5", "K4", G5), ("K2", "K4", E), ("ground", "K7", A), ("K7", "K6", H), ("K2", "K6", E)):
        plane.pin(a, b, point)
    mbs = plane.mbs
    mbs.AddLoad(LoadTorqueVector(markerNumber=plane.marker("K1", (0, 0), rigid=True), loadVector=[0, 0, p["mom"]]))
    D = B + turned(gamma, p["sd"], -p["sc"])
    ends = [plane.marker("ground", C), plane.marker("K3", D)]
    mbs.AddObject(SpringDamper(markerNumbers=ends, stiffness=p["c0"], referenceLength=p["l0"]))
    mbs.Assemble()
    seconds = solved(mbs, implicit(t_end, step), solver)
    a = np.array(mbs.systemData.GetODE2Coordinates()).reshape(7, 3)[:, 2] + turns
    return seconds, np.array([a[0], a[1] - a[0], a[2], a[3] - a[4], a[4], a[5] - a[6], a[6]])


def four_bars_planar(solver: str, step: float, t_end: float = 10.0) -> tuple[float, np.ndarray]:
    """Two four-bars of planar elements, without redundant constraints; CPU seconds and the first crank's top."""
    plane, J = Plane((0.0, -9.81, 0.0)), 1 / 12
    for i in range(3):
        plane.body(f"crank{i}", 1.0, J, (i, 0.5), 0.5 * np.pi, (0.5, 0.0, -1.0))
    for i in range(2):
        plane.body(f"coupler{i}", 1.0, J, (i + 0.5, 1.0), 0.0, (1.0, 0.0, 0.0))
    for i in range(3):
        plane.pin("ground", f"crank{i}", (i, 0))
    for i in range(2):
        plane.pin(f"crank{i}", f"coupler{i}", (i, 1))
        plane.pin(f"coupler{i}", f"crank{i + 1}", (i + 1, 1))
    plane.mbs.Assemble()
    seconds = solved(plane.mbs, implicit(t_end, step), solver)
    x, y = np.array(plane.mbs.systemData.GetODE2Coordinates())[:2]
    return seconds, 2 * np.array([x, y + 0.5])


def four_bars_spatial(defaults: bool, step: float = 1e-3, t_end: float = 10.0) -> tuple[float, np.ndarray]:
    """Two four-bars of its spatial bodies and hinges, as a user writes them.

    defaults : its settings as they are, but for the number of steps; else the dense solver that tolerates redundant constraints.
    """
    import exudyn as exu
    from exudyn.itemInterface import ObjectGround
    from exudyn.utilities import RigidBodyInertia

    mbs = exu.SystemContainer().AddSystem()
    ground = mbs.AddObject(ObjectGround())
    inertia = RigidBodyInertia(mass=1.0, inertiaTensor=np.diag([5e-5, 1 / 12, 1 / 12]), com=[0, 0, 0])
    upright, numbers = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]), {}
    for i in range(5):
        crank = i < 3
        numbers[i] = mbs.CreateRigidBody(
            inertia=inertia,
            referencePosition=[i, 0.5, 0] if crank else [i - 2.5, 1.0, 0],
            referenceRotationMatrix=upright if crank else np.eye(3),
            initialVelocity=[0.5, 0, 0] if crank else [1.0, 0, 0],
            initialAngularVelocity=[0, 0, -1.0 if crank else 0.0],
            gravity=[0, -9.81, 0],
        )
    pairs = [(ground, numbers[i], [i, 0, 0]) for i in range(3)]
    for i in range(2):
        pairs += [(numbers[i], numbers[3 + i], [i, 1, 0]), (numbers[3 + i], numbers[i + 1], [i + 1, 1, 0])]
    for a, b, point in pairs:
        mbs.CreateRevoluteJoint(bodyNumbers=[a, b], position=point, axis=[0, 0, 1])
    mbs.Assemble()
    if defaults:
        s = settings(t_end)
        s.timeIntegration.numberOfSteps = round(t_end / step)
    else:
        s = implicit(t_end, step)
        s.linearSolver.solverType = exu.LinearSolverType.EigenDense
        s.linearSolver.ignoreSingularJacobian = True
    seconds = solved(mbs, s, "GeneralizedAlpha")
    centre = np.array(mbs.GetNodeOutput(mbs.GetObject(numbers[0])["nodeNumber"], exu.OutputVariableType.Position))
    return seconds, 2 * centre[:2]


def net(n: int, step: float, t_end: float, solver: str, node: str) -> tuple[float, np.ndarray]:
    """The net of n × n meshes on spherical joints, sparse; CPU seconds and the far end of the first column."""
    import exudyn as exu
    from exudyn.itemInterface import MarkerBodyRigid, ObjectGround, SphericalJoint
    from exudyn.utilities import RigidBodyInertia

    mbs = exu.SystemContainer().AddSystem()
    ground = mbs.AddObject(ObjectGround())
    half, numbers = 0.5 * LENGTH, {}

    def rod(key: tuple[str, int, int], start: np.ndarray, axis: int) -> None:
        J, middle = np.array(INERTIA), start.copy()
        middle[axis] += half
        moments = np.diag(J if axis == 0 else J[[1, 0, 2]])
        numbers[key] = mbs.CreateRigidBody(
            inertia=RigidBodyInertia(mass=MASS, inertiaTensor=moments, com=[0, 0, 0]),
            referencePosition=list(middle),
            gravity=[0, 0, -9.81],
            nodeType=getattr(exu.NodeType, node),
        )

    def ball(a: int, at_a: list[float], b: int, at_b: list[float]) -> None:
        ends = [mbs.AddMarker(MarkerBodyRigid(bodyNumber=k, localPosition=at)) for k, at in ((a, at_a), (b, at_b))]
        mbs.AddObject(SphericalJoint(markerNumbers=ends))

    near, far = [-half, 0.0, 0.0], [half, 0.0, 0.0]
    for c in range(n + 1):
        for r in range(n):
            rod(("warp", r, c), np.array([r, c, 0.0]) * LENGTH, 0)
            above = (ground, [0.0, c * LENGTH, 0.0]) if r == 0 else (numbers["warp", r - 1, c], far)
            ball(*above, numbers["warp", r, c], near)
    for c in range(n):
        for r in range(n):
            rod(("weft", r, c), np.array([r + 1, c, 0.0]) * LENGTH, 1)
            ball(numbers["warp", r, c], far, numbers["weft", r, c], [0.0, -half, 0.0])
            ball(numbers["weft", r, c], [0.0, half, 0.0], numbers["warp", r, c + 1], far)
    mbs.Assemble()
    s = implicit(t_end, step, sparse=True)
    s.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    seconds = solved(mbs, s, solver)
    last = mbs.GetObject(numbers["warp", n - 1, 0])["nodeNumber"]
    return seconds, np.array(mbs.GetNodeOutput(last, exu.OutputVariableType.Position))
