"""Optimal drives: closed forms of least effort and least time, motions that a run confirms, loops, and what is refused."""

import numpy as np
import pytest

import sharnir as sr

pytest.importorskip("casadi")


def slide(**joint):
    """A car of 2 kg on a rail, pushed by u."""
    m = sr.Model("slide", parameters={"w": 2.0})
    m.add(sr.Body("car", mass=2), sr.Input("u", unit="N"), sr.Prismatic("x", "ground", "car", axis="x", **joint))
    m.add(sr.JointForce("drive", "x", "u"))
    return m


REST = {"x.q": 1.0, "x.v": 0.0}


def test_least_effort_from_rest_to_rest_is_a_straight_line():
    found = sr.optimal_control(slide(), 2.0, inputs={"u": None}, cost="w*u^2", final=REST, intervals=6)
    assert found.success and found.result is not None
    np.testing.assert_allclose(found.inputs["u"], 3.0 - 3.0 * found.t, atol=1e-8)  # m 6 d/T² (1 - 2 t/T)
    assert found.cost == pytest.approx(12.0, rel=1e-9)  # w 12 m² d²/T³
    np.testing.assert_allclose(found.states["x.q"], 0.75 * found.t**2 - 0.25 * found.t**3, atol=1e-8)
    assert max(found.error.values()) < 1e-8


def test_least_effort_against_a_spring_and_a_damper_is_that_of_the_gramian():
    m = slide(stiffness=3.0, damping=0.4, q=0.2, v=-0.3)
    found = sr.optimal_control(m, 1.5, inputs={"u": (None, None)}, cost="u^2", final=REST, intervals=30)
    from scipy.integrate import quad_vec
    from scipy.linalg import expm

    A, B = np.array([[0.0, 1.0], [-1.5, -0.2]]), np.array([[0.0], [0.5]])
    gramian = quad_vec(lambda t: expm(A * t) @ B @ B.T @ expm(A.T * t), 0.0, 1.5)[0]
    gap = np.array([1.0, 0.0]) - expm(A * 1.5) @ [0.2, -0.3]
    assert found.cost == pytest.approx(gap @ np.linalg.solve(gramian, gap), rel=1e-4)  # drives are straight in each interval


def test_least_time_is_full_force_either_way():
    found = sr.optimal_control(slide(), (0.1, 9.0), inputs={"u": (-1, 1)}, cost="1", final=REST, intervals=8, profile="constant")
    assert found.t[-1] == pytest.approx(2.0 * np.sqrt(2.0), rel=1e-6)
    np.testing.assert_allclose(found.inputs["u"][:8], [1.0] * 4 + [-1.0] * 4, atol=1e-5)
    assert found.drive("u").evaluate(found.t[4] * 1.01) == pytest.approx(-1.0, abs=1e-5)
    assert max(found.error.values()) < 1e-4


def test_limits_along_the_way_and_costs_at_the_end():
    m = slide()
    found = sr.optimal_control(
        m,
        (0.1, 9.0),
        inputs={"u": (-1, 1)},
        cost="1",
        final=REST,
        limits={"x.v": (None, 0.5), "2*x.v": (-1, 1)},
        intervals=9,
        profile="constant",
    )
    assert found.t[-1] == pytest.approx(3.0, rel=1e-6)  # d/v + v m/F: a third each of pushing, rolling and braking
    assert found.states["x.v"].max() < 0.5 + 1e-8
    soft = sr.optimal_control(m, 1.0, inputs={"u": None}, cost="0.5*u^2", final_cost="50*(x.q - 1)^2", intervals=8)
    # from rest, with the end free: u = λ (T - t), λ = 100 (1 - x(T)), x(T) = λ T³/(3 m), least of a quadratic form
    assert soft.states["x.q"][-1] == pytest.approx(100 / 12 / (1 + 100 / 12), rel=1e-6)


def test_a_pendulum_is_swung_up_as_the_run_confirms():
    m = sr.Model("cart")
    m.add(sr.Input("F", unit="N"), sr.Body("cart", mass=1.0), sr.Body("bob", mass=0.3, position=(0, 0, -0.5)))
    m.add(sr.Prismatic("x", "ground", "cart", axis="x"), sr.Revolute("O", "cart", "bob", at=(0, 0, 0), axis="y"))
    m.add(sr.JointForce("motor", "x", "F"))
    up = {"x.q": 1, "x.v": 0, "O.q": np.pi, "O.v": 0}
    found = sr.optimal_control(m, 2.0, inputs={"F": (-20, 20)}, cost="F^2", final=up, limits={"x.q": (-2, 2)}, intervals=30)
    assert found.success and found.result["O.q"][-1] == pytest.approx(np.pi, abs=1e-3)
    assert found.model.simulate(2.0)["x.q"][-1] == pytest.approx(1.0, abs=1e-3)


def test_drives_of_a_loop():
    m = sr.Model("four-bar")
    m.add(sr.Input("T", unit="N m"))
    corners = [(0, 0, 0), (0, 0, 0.2), (0.5, 0, 0.4), (0.5, 0, 0)]
    for k, name in enumerate(("crank", "coupler", "rocker")):
        start, end = np.array(corners[k]), np.array(corners[k + 1])
        d = end - start
        m.add(sr.Body(name, mass=1.0, com=d / 2, inertia=(0.01, 0.01, 0.01), position=start))
        m.add(sr.Revolute(f"J{k}", "ground" if k == 0 else ("crank", "coupler")[k - 1], name, at=start, axis="y"))
    m.add(sr.Revolute("J3", "rocker", "ground", at=corners[3], axis="y"))
    m.add(sr.JointForce("motor", "J0", "T"))
    found = sr.optimal_control(m, 1.0, inputs={"T": None}, cost="T^2", final={"J0.q": 0.8, "J0.v": 0.0}, intervals=15)
    assert found.success and max(found.error.values()) < 1e-3
    assert found.result["J0.q"][-1] == pytest.approx(0.8, abs=1e-4)


def test_a_plan_that_the_run_leaves_is_told():
    m = sr.Model("rod")
    m.add(sr.Input("T", unit="N m"), sr.Body("bob", mass=1, position=(0, 0, -1)))
    m.add(sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y"), sr.JointForce("motor", "O", "T"))
    with pytest.warns(sr.RunWarning, match="take more intervals"):
        sr.optimal_control(m, 4.0, inputs={"T": None}, cost="T^2", final={"O.q": np.pi, "O.v": 0}, intervals=2)


def test_what_cannot_be_reached_is_no_success():
    found = sr.optimal_control(slide(), 1.0, inputs={"u": (-1, 1)}, final=REST, intervals=4)  # it takes 2.8 s
    assert not found.success and found.message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"inputs": {}}, "inputs is empty"),
        ({"inputs": {"v": None}}, r"inputs\['v'\] is not an Input of the model; it has u"),
        ({"inputs": {"u": (1, -1)}}, "the least value is greater"),
        ({"inputs": {"u": None}, "final": {"y.q": 1}}, "unknown name 'y.q'"),
        ({"inputs": {"u": None}, "limits": {"x.q": (1, 2)}}, "excludes the initial value 0"),
        ({"inputs": {"u": None}, "t_end": (2, 1)}, "the least value is greater"),
        ({"inputs": {"u": None}, "profile": "cubic"}, "must be one of 'linear', 'constant'"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    with pytest.raises(sr.ModelError, match=message):
        sr.optimal_control(slide(), arguments.pop("t_end", 1.0), **arguments)


def test_inputs_that_move_nothing_and_forces_without_formula_are_refused():
    m = slide()
    m.add(sr.Input("idle"))
    with pytest.raises(sr.ModelError, match=r"'idle'.*moves nothing"):
        sr.optimal_control(m, 1.0, inputs={"u": None, "idle": None})
    m.add(sr.JointForce("second", "x", "idle"))
    with pytest.raises(sr.ModelError, match="does not mention Input 'idle'"):
        sr.optimal_control(m, 1.0, inputs={"u": None})
    m = slide()
    m.add(sr.Signal("back", "-3*x.v"), sr.JointForce("brake", "x", "back"))
    with pytest.raises(sr.ModelError, match="'back' has no closed form"):
        sr.optimal_control(m, 1.0, inputs={"u": None})
