"""Names inside elements: internal ones cannot collide with names of the model, documented ones do not hide them."""

import numpy as np
import pytest

import sharnir as sr
from sharnir.errors import ModelError

# what equations of blocks, engines and generated code call their own numbers
INTERNAL = (
    "s",
    "m",
    "u",
    "w",
    "d",
    "T",
    "low",
    "high",
    "kp",
    "ki",
    "kd",
    "s0",
    "x0",
    "u0",
    "tape",
    "before",
    "h",
    "y",
    "n",
    "r",
    "f0",
    "p0",
    "x1",
    "c11",
    "e1",
    "math",
    "numbers",
    "on",
    "off",
    "step1",
    "doubles",
)


def controlled(name: str) -> sr.Model:
    """Every block of control, an engine, a constraint and events, all with a parameter called `name` in their formulas."""
    m = sr.Model(parameters={name: 3.0}, gravity=(0, 0, 0))
    m.add(sr.Body("cart", mass=10, inertia=(1, 1, 1)), sr.Body("bob", mass=1, inertia=(1, 1, 1), position=(0, 1, 0)))
    m.add(sr.Prismatic("rail", "ground", "cart", axis="x", v=1), sr.Prismatic("side", "ground", "bob", axis="x"))
    table = sr.Table((0, 10), (0, 20), outside="extend")
    grid = sr.GridTable(((0, 10), (0, 10)), ((0, 1), (1, 2)))
    m.add(
        sr.Signal("plain", f"{name}*rail.q + look(t)", tables={"look": table}),
        sr.Signal("seen", f"{name}*far_dot", {"far": sr.PointDistance("ground", "cart", at_a=(-1, 1, 0))}),
        sr.Integral("sum1", f"{name} - rail.v"),
        sr.LowPass("filtered", f"{name}*rail.v", 0.1),
        sr.Derivative("rate", f"{name}*rail.q", 0.1),
        sr.Limit("limited", f"{name}*t", (-1, 2)),
        sr.DeadZone("dead", f"{name}*t", (-1, 2)),
        sr.Quantizer("steps", f"{name}*t", 0.25),
        sr.RateLimiter("slow", f"{name}", (-1, 1), 0.1),
        sr.PID("pid", f"{name} - rail.q", 1, 2, 3, limits=(-50, 50)),
        sr.PID("pid2", f"{name} - rail.q", 1, 2, 3, rate=f"-rail.v/{name}"),
        sr.StateSpace("space", name, [[-2.0]], [2.0], [1.0], 0.5),
        sr.TransferFunction("transfer", name, (1,), (0.1, 1)),
        sr.Delay("late", f"{name}*t", 0.1),
        sr.PadeDelay("late2", f"{name}*t", 0.1),
        sr.Relay("relay", f"{name} - rail.q", 0.5, 1.5),
        sr.Lookup("found", [f"t*{name}"], table),
        sr.Lookup("found2", [f"t*{name}", "t"], grid),
        sr.SampleHold("hold", f"{name}*t", 0.1),
        sr.DiscreteStateSpace("dspace", f"{name}*t", [[0.5]], [1], [1], period=0.1),
        sr.DiscreteTransferFunction("dtransfer", f"{name}*t", (1,), (1, -0.5), 0.1),
        sr.Difference("law", {"e": f"t*{name}"}, "e + i + 1", {"i": 0}, {"i": "i + e"}, 0.1),
    )
    m.add(sr.Thrust("engine", "cart", f"{name}*2 + plain", "x", exhaust_speed=10, propellant=5))
    m.add(sr.JointForce("push", "side", f"{name} + law + 0*q"))
    m.add(sr.Event("kick", f"t > {name}/10", sr.SetSpeed("side", name)))
    return m


def program(model):
    """The code of all signals, in which names have become places in memory."""
    found = model.compile().assembly.program
    return found.early, found.late, [(x.states, x.lines) for x in found.updates]


def test_parameters_may_have_any_name_that_elements_use_inside():
    wanted = program(controlled("gain"))
    for name in INTERNAL:
        assert program(controlled(name)) == wanted, name


@pytest.mark.parametrize("name", ["s", "u"])
def test_runs_do_not_depend_on_the_name_of_a_parameter(name):
    wanted, found = (controlled(x).simulate(0.5, output=0.025) for x in ("gain", name))
    for key in (*controlled(name).signals, "rail.q", "rail.v", "side.v", "engine.propellant"):
        np.testing.assert_allclose(found[key], wanted[key], rtol=1e-9, atol=1e-12, err_msg=key)


def test_engines_take_signals_called_s_and_m():
    for name in ("s", "m", "u", "c"):
        m = sr.Model(gravity=(0, 0, 0))
        m.add(sr.Body("cart", mass=2, inertia=(1, 1, 1)), sr.Prismatic("rail", "ground", "cart", axis="x"))
        m.add(sr.Signal(name, "200"), sr.Thrust("engine", "cart", name, "x", exhaust_speed=1e12, propellant=1))
        assert m.simulate(1.0)["rail.v"][-1] == pytest.approx(100.0, rel=1e-9)


def body_model(parameters=None):
    m = sr.Model(parameters=parameters or {}, gravity=(0, 0, 0))
    m.add(sr.Body("ball", mass=1, inertia=(1, 1, 1)), sr.Prismatic("rail", "ground", "ball", axis="x"))
    m.add(sr.Body("rod", mass=1, inertia=(1, 1, 1)), sr.Revolute("axle", "ground", "rod", axis="y"))
    return m


def wheel(**given):
    settings = {"law": sr.LinearLaw(1e5), "tyre": sr.LinearTyre(1e4, 1e4), "radius": 1} | given
    return sr.Wheel("wheel", "rod", center=(0, 0, 1), **settings)


LOCAL = [
    ("h", sr.Drag("air", "ball", 1, 1, density="exp(-h)")),
    ("h", sr.Drag("air", "ball", 1, "x*h")),
    ("h", sr.Drag("air", "ball", 1, 1, linear="h")),
    ("h", sr.Drag("air", "ball", 1, 1, sound="300 - h")),
    ("h", sr.Aerodynamics("wing", "ball", 1, wind=("h", 0, 0))),
    ("alpha", sr.Aerodynamics("wing", "ball", 1, lift="alpha")),
    ("beta", sr.Aerodynamics("wing", "ball", 1, moment=(0, 0, "beta"))),
    ("load", wheel(camber="2*load")),
    ("load", wheel(resistance="0.01*load")),
    ("y", wheel(grip="1 + 0.1*y")),
    ("kappa", wheel(trail="0.1*kappa")),
    ("load", wheel(tyre=sr.LinearTyre("10*load", 1e4))),
    ("alpha", wheel(tyre=sr.FormulaTyre("load*kappa", "load*alpha"))),
    ("z", sr.Contact("touch", "ball", "ground", sr.Sphere(0.1), sr.Surface("z - 0.1*x"), law=sr.LinearLaw(1e4))),
    (
        "s",
        sr.Contact(
            "touch", "ball", "ground", sr.Sphere(0.1), sr.Profile("cos(s)", "sin(s)", (0, 2 * np.pi)), law=sr.LinearLaw(1e4)
        ),
    ),
    ("s", sr.PointOnCurve("wire", "ground", "ball", curve=("s", "0.1*s^2", 0))),
    ("y", sr.PointOnSurface("bowl", "ground", "ball", surface="z - y^2")),
    ("q0", sr.Event("go", at=0.1, actions=sr.SetMotion("rail", "q0 + (t - t0)"))),
    ("t0", sr.Event("go", at=0.1, actions=sr.SetMotion("rail", "q0 + (t - t0)"))),
    ("v0", sr.Event("go", at=0.1, actions=sr.SetMotion("rail", ("q0 + v0*(t - t0)", "v0", "0")))),
    ("y", sr.Difference("law", {"e": "rail.q"}, "0.5*y + e")),
    ("e", sr.Difference("law", {"e": "rail.q"}, "e")),
    ("i", sr.Difference("law", {"e": "rail.q"}, "e", {"i": 0}, {"i": "i + e"})),
    ("d", sr.Signal("far", "d", {"d": sr.PointDistance("ground", "ball")})),
    ("d_dot", sr.Signal("far", "d_dot", {"d": sr.PointDistance("ground", "ball")})),
    ("p", sr.Signal("far", "p(t)*p", tables={"p": sr.Table((0, 1), (0, 1))})),
    ("d", sr.Event("far", "d > 1", variables={"d": sr.PointDistance("ground", "ball")})),
    ("d", sr.Constraint("far", "d - 1", {"d": sr.PointDistance("ground", "ball", at_a=(0, 1, 0))})),
]


@pytest.mark.parametrize(("name", "element"), LOCAL, ids=lambda x: x if isinstance(x, str) else type(x).__name__)
def test_a_local_name_that_hides_a_parameter_is_refused(name, element):
    m = body_model({name: 2.0})
    with pytest.raises(ModelError, match=rf"{element.name}.*'{name}'.*rename"):
        m.add(element)


SEEN = [(name, x) for name, x in LOCAL if not isinstance(x, (sr.Constraint, sr.PointOnCurve, sr.PointOnSurface))]


@pytest.mark.parametrize(("name", "element"), SEEN, ids=lambda x: x if isinstance(x, str) else type(x).__name__)
def test_a_local_name_that_hides_a_signal_is_refused(name, element):
    m = body_model()
    m.add(sr.Input(name, 1.0))
    with pytest.raises(ModelError, match=rf"{element.name}.*hide the signal '{name}'"):
        m.add(element)
    m = body_model()
    m.add(element)
    m.add(sr.Input(name, 1.0))
    with pytest.raises(ModelError, match=rf"{element.name}.*hide the signal '{name}'"):
        m.compile()


def test_parameters_set_later_are_checked_too():
    m = body_model()
    m.add(sr.Drag("air", "ball", 1, 1, density="exp(-h)"))
    m.compile()
    m.parameters["h"] = 3.0
    with pytest.raises(ModelError, match=r"Drag 'air': density.*parameter 'h'"):
        m.compile()


def test_names_that_no_formula_of_the_element_has_are_free():
    m = body_model({"h": 2.0, "y": 1.0, "s": 1.0})
    m.add(sr.Drag("air", "ball", 1, 1, density="1.2"))
    m.add(sr.Difference("law", {"e": "rail.q + y"}, "e"), sr.JointForce("push", "rail", "h*s"))
    m.add(sr.Difference("law2", {"law": "law"}, "2*law"))  # an input that is the signal itself
    assert m.simulate(0.1)["rail.v"][-1] > 0.0


def test_a_signal_and_a_parameter_do_not_share_a_name():
    m = body_model({"k": 1.0})
    with pytest.raises(ModelError, match=r"Signal 'k'.*parameter"):
        m.add(sr.Signal("k", "3"))
    m = body_model()
    m.add(sr.Signal("k", "3"))
    m.parameters["k"] = 1.0
    with pytest.raises(ModelError, match=r"Signal 'k'.*parameter"):
        m.compile()


def test_a_signal_called_still_is_a_signal():
    m = body_model()
    m.add(sr.Signal("still", "3"), sr.JointForce("push", "rail", "still"), sr.Event("end", "t > 5", sr.Lock("rail")))
    assert m.simulate(1.0)["rail.v"][-1] == pytest.approx(3.0)


def test_states_of_difference_equations_may_be_called_on_and_s_and_q():
    m = body_model()
    states, updates = {"on": 0, "s": 0, "q": 0}, {"on": "on + 1", "s": "s + 2", "q": "q + 3"}
    m.add(sr.Difference("rail", {"e": "t"}, "on + s + q", states, updates, period=0.1))
    m.add(sr.Event("off", at=0.57, actions=sr.Disable("rail")))
    m.add(sr.Prismatic("loop", "ground", "ball", axis="x"))  # cuts a joint, whose coordinate is a further state
    r = m.simulate(0.9, output=0.05)
    np.testing.assert_allclose(r["rail"][1::2], [0, 6, 12, 18, 24, 30, 0, 0, 0])
    np.testing.assert_allclose(r["rail.q"], 0.0, atol=1e-12)


def test_set_signal_does_not_take_a_state_called_s_for_the_value_of_a_difference_equation():
    m = body_model()
    m.add(sr.Difference("law", {"e": "t"}, "s", {"s": 0}, {"s": "s + 1"}, period=0.1))
    m.add(sr.Event("set", at=0.55, actions=sr.SetSignal("law", 7)))
    with pytest.raises(ModelError, match="SetSignal\\('law'\\): there is no such signal with a state"):
        m.compile()


def test_places_on_curves_and_integrals_of_one_name():
    def model(name):
        m = sr.Model()
        m.add(sr.Body("bead", mass=1, inertia=(1, 1, 1), position=(0.5, 0, 0.25)))
        m.add(sr.Planar("plane", "ground", "bead", axis="y"))
        m.add(sr.PointOnCurve("wire", "ground", "bead", curve=("s", 0, "s^2"), s=0.5))
        m.add(sr.Integral(name, "1", initial=40.0), sr.Event("jam", at=0.3, actions=sr.Lock("plane", "angle")))
        return m.simulate(0.6, output=0.1)

    wanted, found = model("other"), model("wire")
    np.testing.assert_array_equal(found["wire"], wanted["other"])
    np.testing.assert_array_equal(found["plane.q"], wanted["plane.q"])
