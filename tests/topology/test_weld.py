"""Bodies without mass or inertia in absolute coordinates: they stay on the Fixed joints that carry them."""

import numpy as np
import pytest

import sharnir as sr
from sharnir.app.demos.machines.stewart import STEWART
from sharnir.topology import free_tree


def crane(turned: bool = False) -> sr.Model:
    """A frame on the ground, a boom with a massless hook plate on it, a load that hangs on the plate, a spring to it."""
    m = sr.Model("crane")
    m.add(sr.Body("frame", mass=0), sr.Fixed("floor", "ground", "frame"))
    m.add(sr.Body("boom", mass=3, inertia=(0.1, 0.2, 0.3), com=(0.5, 0, 0)))
    m.add(sr.Body("plate", mass=0, position=(1, 0, 0.1)), sr.Body("label", mass=0.2, position=(1, 0.2, 0.1)))
    m.add(sr.Body("load", mass=2, inertia=(0.02, 0.03, 0.01), position=(1, 0.1, -0.6)))
    m.add(sr.Universal("O", "frame", "boom", at=(0, 0, 0), axis="y", axis2="z", v=(0.3, 1.0)))
    ends = ("plate", "boom") if turned else ("boom", "plate")
    m.add(sr.Fixed("weld", *ends, at=(0.9, 0, 0)), sr.Fixed("glue", "plate", "label", at=(1, 0.1, 0.1)))
    m.add(sr.Ball("hook", "plate", "load", at=(1, 0.1, 0)))
    m.add(sr.Spring("stay", "frame", "plate", at_a=(0, 0, 1), at_b=(1, 0, 0.1), stiffness=80, length=1.2))
    return m


def agree(a: sr.Result, b: sr.Result, tolerance: float) -> None:
    assert set(a.channels) == set(b.channels)
    for name in a.channels:
        size = max(1.0, float(np.abs(a[name]).max()))
        np.testing.assert_allclose(b[name], a[name], atol=tolerance * size, err_msg=name)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("solver", ["dense", "sparse", "null-space"])
def test_welded_bodies_move_and_react_as_in_joint_coordinates(turned: bool, solver: str) -> None:
    runs = [
        crane(turned).simulate(0.5, step=0.05, tolerance=1e-10, formulation=f, solver=solver if f == "absolute" else "auto")
        for f in ("joint", "absolute")
    ]
    assert runs[1].stats["formulation"] == "absolute"
    agree(*runs, tolerance=1e-7)


def test_weight_of_what_hangs_on_a_weld() -> None:
    system = crane().compile("absolute", initial=sr.Initial(v={"O": (0, 0)}))
    states, reactions = system.bodies(system.q0, system.v0), system.reactions(system.q0, system.v0)
    momentum_rate = 0.2 * (states["label"].acceleration + (0, 0, 9.81))
    np.testing.assert_allclose(reactions["glue"][:3], momentum_rate, atol=1e-9)
    hook, glue, weld = (reactions[name][:3] for name in ("hook", "glue", "weld"))
    arm = states["plate"].position - (0, 0, 1)
    pull = -80 * (np.linalg.norm(arm) - 1.2) * arm / np.linalg.norm(arm)
    np.testing.assert_allclose(weld + pull - hook - glue, 0.0, atol=1e-9)  # the plate has no inertia: forces balance


def test_statics_and_modes_of_welded_bodies() -> None:
    m = crane()
    m._bodies["load"] = sr.Body("load", mass=2, inertia=(0.02, 0.02, 0.01), position=(1, 0.1, -0.6))  # its spin does not matter
    joint, absolute = (m.modes(formulation=f).frequencies for f in ("joint", "absolute"))
    np.testing.assert_allclose(absolute, joint, rtol=1e-5, atol=1e-4)
    assert joint.max() > 0.9


def test_point_masses_that_are_fixed_together_fly() -> None:
    m = sr.Model("tripod")
    m.add(*(sr.Body(name, mass=1, position=p) for name, p in (("a", (1, 0, 0)), ("b", (0, 1, 0)), ("c", (0, 0, 0)))))
    m.add(sr.Ball("O", "ground", "c", v=(1, 2, 3)), sr.Fixed("cb", "c", "b"), sr.Fixed("ba", "b", "a"))
    tree = free_tree(m)
    assert tree.bodies == ("a", "b", "c") and [j.name for j in tree.joints] == ["a", "ba", "cb"] and tree.reversed[2]
    assert [j.name for j in tree.cuts] == ["O"]
    agree(*(m.simulate(0.5, step=0.1, tolerance=1e-10, formulation=f) for f in ("joint", "absolute")), tolerance=1e-7)


def test_base_of_a_moving_ground() -> None:
    def model() -> sr.Model:
        m = sr.Model("shaker", base_motion=sr.BaseMotion(x="0.1*sin(5*t)"))
        m.add(sr.Body("table", mass=0, position=(0, 0, 1)), sr.Fixed("screws", "ground", "table"))
        m.add(sr.Body("bob", mass=1, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0.5)))
        m.add(sr.Revolute("pivot", "table", "bob", at=(0, 0, 1), axis="y", q=0.3))
        return m

    agree(*(model().simulate(1.0, step=0.1, tolerance=1e-10, formulation=f) for f in ("joint", "absolute")), tolerance=1e-7)


def test_stewart_platform_in_both_formulations() -> None:
    runs = [STEWART.model().simulate(0.6, step=0.1, formulation=f) for f in ("joint", "absolute")]
    assert runs[1].stats["equations"] == 78  # 6 Universal · 4 + 6 Prismatic · 6 (driven) + 6 Ball · 3: the base needs none
    agree(*runs, tolerance=1e-9)


def test_bodies_without_mass_on_a_hinge_carry_others_in_both_formulations() -> None:
    m = sr.Model()
    m.add(sr.Body("link", mass=0), sr.Body("flag", mass=0), sr.Body("bob", mass=1, inertia=(1, 1, 1), position=(1, 0, 0)))
    m.add(sr.Revolute("O", "ground", "link", axis="y"), sr.Ball("B", "link", "bob", at=(1, 0, 0)))
    m.add(sr.Fixed("F", "link", "flag"))
    runs = [m.simulate(1.0, formulation=formulation, tolerance=1e-10) for formulation in ("joint", "absolute")]
    for name in ("link", "flag", "bob"):
        assert np.abs(runs[0][f"{name}.position"] - runs[1][f"{name}.position"]).max() < 1e-8
