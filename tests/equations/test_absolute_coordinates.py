"""Equations in absolute coordinates against the engine's own absolute formulation."""

import pytest

import constrained_mechanisms
import mechanisms
import sharnir as sr
import zoo

from .states import difference

MODELS = {
    **{f"one {kind.__name__}": (lambda kind=kind: zoo.one_joint(kind)) for kind in sr.ALL_JOINTS},
    **{f"tree {seed}": (lambda seed=seed: zoo.model(f"tree {seed}")) for seed in range(3)},
    "gears": lambda: zoo.model("gears"),
    "moving base": lambda: zoo.model("moving base"),
    "slider-crank": mechanisms.slider_crank,
    "spatial slider-crank": mechanisms.spatial_slider_crank,
    "Andrews": mechanisms.andrews,
    "knife edge": lambda: constrained_mechanisms.constrained("knife edge", False),
}


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", MODELS)
def test_accelerations_are_those_of_the_engine(name):
    model = MODELS[name]()
    system = model.compile(formulation="absolute")
    equations = model.equations(formulation="absolute")
    assert difference(equations, system, system.q0, system.v0) < 1e-10


def test_parameters_are_letters():
    m = sr.Model("pendulum", parameters={"l": 0.5, "mu": 2.0})
    m.add(sr.Body("bob", mass="mu", inertia=(0.1, 0.1, 0.1), position=(0, 0, "-l")))
    m.add(sr.Revolute("phi", "ground", "bob", at=(0, 0, 0), axis="y", q=0.3, v=1.0))
    equations = m.equations(letters="parameters", formulation="absolute")
    assert set(equations.letters) == {"l", "mu"} and len(equations.speeds) == 6 and len(equations.constraints) == 5
    system = m.with_parameters(l=0.7, mu=3.0).compile(formulation="absolute")
    found = equations.accelerations(system.q0, system.v0, l=0.7, mu=3.0)
    assert found == pytest.approx(system.accelerations(system.q0, system.v0), rel=1e-10, abs=1e-10)


def test_other_formulations_are_refused():
    with pytest.raises(sr.ModelError, match="formulation = 'minimal' must be 'joint' or 'absolute'"):
        zoo.one_joint(sr.Revolute).equations(formulation="minimal")
