"""What new users stumbled over once: short pulses, tables left behind, initial values nobody uses, point masses in flight."""

import pytest

import sharnir as sr


def block(**options):
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)), sr.Prismatic("rail", "ground", "b", axis="x", **options))
    return m


def test_a_short_pulse_is_met_with_a_bound_on_the_step():
    m = block(torque="if((t > 5)*(t < 5.01), 100, 0)")
    assert m.simulate(10.0, max_step=0.002, tolerance=1e-6)["rail.v"][-1] == pytest.approx(1.0, abs=1e-3)


def test_max_step_must_be_positive():
    with pytest.raises(sr.ModelError, match="max_step = -1"):
        block().simulate(1.0, max_step=-1.0)


def test_leaving_a_strict_table_names_the_element():
    m = block(v=1.0)
    m.add(sr.JointForce("brake", "rail", sr.Table((0.0, 0.5), (0.0, -0.1), outside="error")))
    with pytest.raises(sr.SimulationError, match=r"JointForce 'brake'.*outside the range of its Table") as info:
        m.simulate(2.0)
    assert 0.0 < info.value.result.t[-1] < 0.7


def test_initial_values_of_a_prescribed_freedom_are_refused():
    with pytest.raises(sr.ModelError, match="follow from it"):
        sr.Prismatic("rail", "ground", "b", axis="x", q=0.4, motion="0.1*t")


def test_one_damping_for_a_joint_with_a_prescribed_freedom():
    m = sr.Model()
    m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)))
    m.add(sr.Universal("u", "ground", "b", axis="x", axis2="y", damping=0.1, motion=("0.2*t", None), v=(0, 1.0)))
    assert m.simulate(0.1)["u.v"][-1, 1] < 1.0


def test_a_flying_point_mass_is_refused_for_its_rotation():
    m = sr.Model()
    m.add(sr.Body("p", mass=1))
    with pytest.raises(sr.ModelError, match=r"'p\.v\.r"):
        m.compile()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"t_end": "long"}, "t_end = 'long' must be a number"),
        ({"t_end": 1.0, "step": None, "tolerance": "x"}, "tolerance = 'x' must be a number"),
        ({"t_end": 1.0, "step": 1e-12}, "asks for 1e"),
        ({"t_end": 1.0, "output": [[0.5]]}, "must increase"),
    ],
)
def test_settings_of_a_run_are_checked(options, message):
    with pytest.raises(sr.ModelError, match=message):
        block().simulate(**options)


def test_reactions_of_a_system_carry_the_weight():
    m = sr.Model()
    m.add(sr.Body("a", mass=2, inertia=(1, 1, 1)), sr.Body("b", mass=3, inertia=(1, 1, 1)))
    m.add(sr.Fixed("wall", "ground", "a"), sr.Fixed("weld", "a", "b"))
    found = m.compile().reactions([], [])
    assert found["wall"][2] == pytest.approx(5 * 9.81)
    assert found["weld"][2] == pytest.approx(3 * 9.81)


def test_base_motion_can_be_set_later():
    m = block()
    m.base_motion = {"x": "0.1*sin(t)"}
    assert m.simulate(0.5)["ground.position"][-1, 0] == pytest.approx(0.1 * 0.479425538604203)
    with pytest.raises(sr.ModelError, match="base_motion"):
        m.base_motion = 3.0
