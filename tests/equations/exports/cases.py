"""Models to export, with states, and the numbers that exports must give there."""

from __future__ import annotations

import numpy as np

import constrained_mechanisms
import mechanisms
import sharnir as sr
import zoo

LOOPS = {
    "slider-crank": mechanisms.slider_crank,
    "spatial slider-crank": mechanisms.spatial_slider_crank,
    "Andrews": mechanisms.andrews,
    "four-bar": constrained_mechanisms.four_bar,
}


def curves():
    """Tables of every kind and end, and functions with pieces."""
    m = sr.Model("curves")
    above = "ground"
    for k, outside in enumerate(("constant", "extend", "repeat")):
        name = f"b{k}"
        m.add(sr.Body(name, mass=1 + k, com=(0.3, 0.1, 0), inertia=(0.1, 0.2, 0.25), position=(k, 0, 0)))
        curve = sr.Table((-1, -0.2, 0.4, 1.1), (0.5, 2, -1, 0.5), ("linear", "cubic")[k % 2], outside)
        m.add(sr.Revolute(f"j{k}", above, name, at=(k, 0, 0), axis="xyz"[k], torque=curve))
        above = name
    m.add(sr.JointForce("pieces", "j0", "if(q > 0.3, min(v, 2, q), max(q^3, -abs(v))) + sign(v)*step(q) + floor(3*q)"))
    m.add(sr.JointForce("smooth", "j1", "atan2(q, v) + hypot(q, v)^1.5 + tanh(v)*exp(-q) - sqrt(1 + q*q) + (q < v)"))
    m.add(sr.Body("b3", mass=0.5, com=(0.1, 0.2, 0.3), inertia=(0.1, 0.1, 0.1), position=(3, 0, 0)))
    m.add(sr.Revolute("driven", "b2", "b3", at=(3, 0, 0), axis="y", motion=sr.Table((0, 1, 2), (0, 1, 0), "cubic", "repeat")))
    return m


def stiff_loop():
    """A cut joint with a spring: its coordinate is an unknown without inertia."""
    m = sr.Model("stiff loop")
    for name, at in (("a", (0, 0, 0)), ("b", (1, 0, 0)), ("c", (1, 0, 1))):
        m.add(sr.Body(name, mass=1, inertia=(0.1, 0.1, 0.1), com=(0.2, 0, 0.3), position=at))
    m.add(sr.Revolute("A", "ground", "a", axis="y", at=(0, 0, 0), damping=0.1, v=1.0))
    m.add(sr.Revolute("B", "a", "b", axis="y", at=(1, 0, 0), damping=0.1))
    m.add(sr.Revolute("C", "b", "c", axis="y", at=(1, 0, 1), damping=0.1))
    m.add(sr.Revolute("D", "c", "ground", axis="y", at=(0.4, 0, 1.3), stiffness=20, damping=0.3))
    return m


def case(name):
    """The model of a name, and its system at a state on its constraints."""
    if name == "curves":
        model = curves()
        return model, model.compile()
    if name == "stiff loop":
        model = stiff_loop()
        return model, model.compile()
    if name in LOOPS:
        model = LOOPS[name]()
        return model, constrained_mechanisms.general_state(model)
    if name in constrained_mechanisms.KINDS:
        model = constrained_mechanisms.constrained(name, True)
        return model, constrained_mechanisms.general_state(model)
    return zoo.model(name), zoo.system(name)


def states(name, system, count=3):
    """Random states of trees, the state of a system with constraints."""
    if system.constrained:
        return [(system.q0, system.v0, 0.0)]
    return [(*zoo.state(system, seed), 0.3 + 0.4 * seed) for seed in range(count)]


TREE_NAMES = [name for name in zoo.ZOO if name not in ("forces", "prescribed", "gears")]
NAMES = [*TREE_NAMES, "curves", *LOOPS, "stiff loop"]


def wanted(equations, q, v, t):
    """The arrays of all functions from the expressions, evaluated in Python."""
    n, rows = len(equations.speeds), equations.constraints

    def of(nodes):
        return equations.evaluate(nodes, q, v, t) if nodes else np.zeros(0)

    found = {
        "qdot": of(list(equations.rates)),
        "M": of([x for row in equations.mass_matrix for x in row]).reshape(n, n),
        "h": of(equations.bias),
        "tau": of(equations.applied),
        "g": of([row.value if row.value is not None else row.rate * 0 for row in rows]),
        "gdot": of([row.rate for row in rows]),
        "G": of([x for row in rows for x in row.jacobian]).reshape(-1, n),
        "gamma": of([row.bias for row in rows]),
    }
    M, G = found["M"], found["G"]
    K = np.block([[M, -G.T], [G, np.zeros((len(rows), len(rows)))]])
    x = np.linalg.solve(K, np.concatenate([found["tau"] - found["h"], -found["gamma"]]))
    return found | {"vdot": x[:n], "lam": x[n:]}


def close(found, want, limit=1e-11):
    """Whether all numbers agree, relative to the largest one."""
    found, want = np.asarray(found, float), np.asarray(want, float)
    return np.abs(found - want).max(initial=0.0) <= limit * max(1.0, np.abs(want).max(initial=0.0))
