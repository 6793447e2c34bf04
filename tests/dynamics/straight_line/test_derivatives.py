"""Exact derivatives of accelerations and constraints: against complex steps on the graph, and differences of the engine."""

import cmath
import ctypes

import numpy as np
import pytest

import mechanisms
import sharnir as sr
import zoo
from sharnir.app.bench import chain
from sharnir.dynamics.straight_line.derivatives import plain_directions
from sharnir.dynamics.straight_line.neighbours import PLACES, sixth_order
from sharnir.integrate.stepping.run_memory import padded
from sharnir.kernel import PLAIN
from sharnir.symbolic.expression_graph import ordered
from sharnir.symbolic.nodes import Name, Number

pytestmark = pytest.mark.skipif(PLAIN, reason="machine code of one's own is not plain Python")

LOOPS = {
    "slider-crank": mechanisms.slider_crank,
    "spatial slider-crank": mechanisms.spatial_slider_crank,
    "Andrews": mechanisms.andrews,
    "Bricard": mechanisms.bricard,
    "four-bars": mechanisms.four_bar,
}
FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_double, *[ctypes.c_int64] * 5)


def complex_values(roots, values):
    """Values of expressions for complex numbers of their names."""
    one = {"sin": cmath.sin, "cos": cmath.cos, "sqrt": cmath.sqrt, "neg": lambda x: -x}
    found = {}
    for node in ordered(roots):
        if isinstance(node, Number):
            found[node] = complex(float(node.value))
        elif isinstance(node, Name):
            found[node] = values[node.name]
        else:
            a = [found[x] for x in node.arguments]
            if node.function == "+":
                found[node] = sum(a)
            elif node.function == "*":
                found[node] = np.prod(a)
            elif node.function == "/":
                found[node] = a[0] / a[1]
            elif node.function == "^":
                found[node] = a[0] ** a[1]
            else:
                found[node] = one[node.function](*a)
    return np.array([found[root] for root in roots])


def state_at(system, seed):
    q, v = zoo.state(system, seed)
    return np.concatenate([q, v, system.z0])


def rates(system, y, t=0.7):
    out = np.zeros(len(y))
    blocks = (system.table, system.params, system.work)
    FUNCTION(system.derivative.address)(t, y.ctypes.data, out.ctypes.data, *(x.ctypes.data for x in blocks))
    return out


@pytest.mark.parametrize("make", [lambda: chain(4), lambda: chain(2, freedoms=3), *LOOPS.values()])
def test_complex_steps(make):
    system = make().compile()
    found, n = plain_directions(system), len(system.y0)
    state = found.derivation.state
    y = system.y0 + 0.05 * np.random.default_rng(3).standard_normal(n)
    J = found.rate_changes(0.0, y, np.eye(n), np.zeros((0, n)))
    roots = state.rates[: system.n_q + system.n_v]  # what follows cut joints is an angle of two arguments
    for symbol, k in state.places.items():
        values = {x.name: complex(y[i]) for x, i in state.places.items()} | {"t": 0.0}
        values[symbol.name] += 1e-30j
        column = complex_values(roots, values).imag * 1e30
        assert np.abs(J[: len(roots), k] - column).max() < 1e-11 * max(1.0, np.abs(J).max())


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", [name for name in zoo.ZOO if name not in ("forces", "prescribed", "gears")])
@pytest.mark.parametrize("seed", range(2))
def test_trees_against_differences_of_the_engine(name, seed):
    system = zoo.model(name).compile()
    y, h = state_at(system, seed), 1e-3
    d = system.derivatives(y[: system.n_q], y[system.n_q :], 0.7)
    n_q, n_v = system.n_q, system.n_v
    T = np.array([_rate_of_unit(system, y, k) for k in range(n_v)]).reshape(n_v, n_q).T  # along these, quaternions keep length 1
    J = np.hstack([d.q @ T, d.v])
    directions = np.block([[T, np.zeros((n_q, n_v))], [np.zeros((n_v, n_v)), np.eye(n_v)]])
    for k, direction in enumerate(directions.T):
        moved = [y + place * h * direction for place in PLACES]
        column = sixth_order([rates(system, x)[n_q:] for x in moved], h)
        assert np.abs(J[:, k] - column).max() < 1e-8 * max(1.0, np.abs(J).max())


def lettered(seed=0):
    """A slider-crank, most numbers of which are formulas."""
    rng = np.random.default_rng(seed)
    numbers = {"g": 9.81, "r": 0.15, "l": 0.35, "mass": 0.2, "d": 0.01, "k": 20.0, "w": 3.0}
    numbers = {name: value * rng.uniform(0.8, 1.25) for name, value in numbers.items()}
    m = sr.Model("lettered", gravity=(0, 0, "-g"), parameters=numbers)
    m.add(sr.Body("crank", mass=0.4, inertia=(1e-5, 1e-3, 1e-3), com=("r/2", 0, 0)))
    m.add(sr.Body("rod", mass="mass", inertia=(1e-5, "mass*l^2/12", "mass*l^2/12"), com=("l/2", 0, 0), position=("r", 0, 0)))
    m.add(sr.Body("slider", mass=0.1, position=("r + l", 0, 0)))
    m.add(sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="y", q=0.4, v=20, damping="d", torque="0.1*sin(w*t)"))
    m.add(sr.Revolute("A", "crank", "rod", at=("r", 0, 0), axis="y"))
    m.add(sr.Revolute("B", "rod", "slider", at=("r + l", 0, 0), axis="y"))
    m.add(sr.Prismatic("slide", "ground", "slider", axis="x", damping=0.2))
    m.add(sr.Spring("spring", "ground", "rod", at_a=(0, 0, "2*r"), at_b=("r + l/3", 0, 0), stiffness="k"))
    return m


@pytest.mark.parametrize("seed", range(3))
def test_parameters_of_a_loop(seed):
    m = lettered(seed)
    system, names = m.compile(), list(m.parameters)
    d = system.derivatives(t=0.3, parameters=names)
    for name in names:
        h = 1e-3 * m.parameters[name]
        others = [m.with_parameters(**{name: m.parameters[name] + k * h}).compile() for k in PLACES]
        wanted = sixth_order([other.accelerations(system.q0, system.v0, 0.3) for other in others], h)
        assert np.abs(d.parameters[name] - wanted).max() < 1e-8 * max(1.0, np.abs(wanted).max())
        assert np.abs(d.parameters[name]).max() > 1e-6


def test_constraints():
    system = mechanisms.slider_crank().compile()
    d = system.derivatives()
    C = system.constraint_jacobian(system.q0)
    assert np.allclose(d.constraints_q, d.constraint_rates_v, atol=1e-13)  # ġ = ∂g/∂q v
    null = np.linalg.svd(C)[2][np.linalg.matrix_rank(C) :]
    assert np.abs(d.constraints_q @ null.T).max() < 1e-12  # the same motions are allowed


@pytest.mark.parametrize("make", [lambda: chain(2, freedoms=3), mechanisms.andrews])
def test_what_implicit_integrators_get(make):
    system = make().compile(method="symbolic")
    y, n = system.y0 + 0.1, len(system.y0)
    n_w, column = n - system.n_q, padded(n - system.n_q)
    out = np.zeros((system.n_v + n_w, column))
    address, blocks = system.problem().jacobian.address, (system.table, system.params, system.work)
    FUNCTION(address)(0.0, y.ctypes.data, out.ctypes.data, *(x.ctypes.data for x in blocks))
    J = plain_directions(system).rate_changes(0.0, y, np.eye(n), np.zeros((0, n)))
    T = np.array([_rate_of_unit(system, y, k) for k in range(system.n_v)]).T
    assert np.abs(out[system.n_v :, :n_w].T - J[system.n_q :, system.n_q :]).max() < 1e-12 * np.abs(J).max()
    assert np.abs(out[: system.n_v, :n_w].T - J[system.n_q :, : system.n_q] @ T).max() < 1e-12 * np.abs(J).max()


def _rate_of_unit(system, y, k):
    z = y.copy()
    z[system.n_q : system.n_q + system.n_v] = np.arange(system.n_v) == k
    still = z.copy()
    still[system.n_q : system.n_q + system.n_v] = 0.0  # prescribed motions go on
    return (rates(system, z) - rates(system, still))[: system.n_q]


def test_a_direction_that_follows_a_parameter_is_refused():
    m = sr.Model(parameters={"a": 0.3})
    m.add(sr.Body("b", mass=1, inertia=(1, 2, 3), com=(0.1, 0, 0)))
    m.add(sr.Revolute("O", "ground", "b", at=(0, 0, 0), axis=("sin(a)", "cos(a)", 0)))
    with pytest.raises(sr.ModelError, match="'a' changes directions"):
        m.compile().derivatives(parameters=["a"])
    with pytest.raises(sr.ModelError, match="'b' is not a parameter"):
        m.compile().derivatives(parameters=["b"])


def test_other_values_need_no_new_derivation(monkeypatch):
    from sharnir.dynamics.straight_line import derived_functions, parametric_code

    m, made = lettered(), []
    init = derived_functions.Derivation.__init__
    monkeypatch.setattr(derived_functions.Derivation, "__init__", lambda self, *a, **k: (made.append(1), init(self, *a, **k))[1])
    assert parametric_code.Derivation is derived_functions.Derivation
    system = m.compile(method="symbolic")
    for k, l in enumerate((0.3, 0.31, 0.36, 0.4)):
        other = system.with_parameters(l=l)
        assert other.method == "symbolic"
        wanted = m.with_parameters(l=l).compile()
        assert np.abs(other.q0 - wanted.q0).max() < 1e-12
        a, b = other.accelerations(wanted.q0, wanted.v0, 0.2), wanted.accelerations(wanted.q0, wanted.v0, 0.2)
        assert np.abs(a - b).max() < 1e-11 * np.abs(b).max()
        if k == 1:
            first = len(made)
    assert len(made) == first <= 3  # the system's own, the first other value, and one with numbers in memory
