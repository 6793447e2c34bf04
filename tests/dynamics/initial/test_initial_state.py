"""Assembly: what is given is kept, the rest follows; gaps close; what is impossible is said clearly."""

import math

import numpy as np
import pytest

import mechanisms
import sharnir as sr

BOTH = ("joint", "absolute")


def slider_crank(**options):
    """Crank 0.15 m and rod 0.35 m about y, drawn stretched along x; options per joint name."""
    m = sr.Model("slider-crank", gravity=(0, 0, -9.81))
    m.add(sr.Body("crank", mass=0.4, inertia=(1e-5, 1e-3, 1e-3), com=(0.075, 0, 0)))
    m.add(sr.Body("rod", mass=0.2, inertia=(1e-5, 2e-3, 2e-3), com=(0.175, 0, 0), position=(0.15, 0, 0)))
    rough = "slider" in options
    m.add(sr.Body("slider", mass=0.1, inertia=(1e-4, 1e-4, 1e-4), position=options.pop("slider", (0.5, 0, 0))))
    m.add(sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="y", **options.get("O", {})))
    m.add(sr.Revolute("A", "crank", "rod", parent_frame=sr.Frame((0.15, 0, 0)), axis="y", **options.get("A", {})))
    frames = {"parent_frame": sr.Frame((0.35, 0, 0)), "child_frame": sr.Frame()}
    m.add(sr.Prismatic("slide", "ground", "slider", at=(0, 0, 0), axis="x", **options.get("slide", {})))
    if rough:  # from the slider, which is where it says: the rod is placed by A, and B is open
        m.add(sr.Revolute("B", "slider", "rod", axis="y", child_frame=frames["parent_frame"], **options.get("B", {})))
    else:
        m.add(sr.Revolute("B", "rod", "slider", axis="y", **frames, **options.get("B", {})))
    return m


def joint_values(system):
    """Coordinates of all joints, from the state and from the tracked ones of cut joints."""
    c = system.assembly.coordinates
    return dict(zip(system.coordinates, system.q0, strict=True)) | dict(zip(c.z_names, system.z0, strict=True))


def crank_positions(q):
    """Slider position, and its derivative by the crank angle, of the closed mechanism."""
    c, s = 0.15 * math.cos(q), 0.15 * math.sin(q)
    x = c + math.sqrt(0.35**2 - s**2)
    return x, -s - s * c / math.sqrt(0.35**2 - s**2)


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize("q", [0.3, 1.0, -1.2, -2.0, 3.0, 7.0])
def test_a_given_coordinate_and_speed_are_kept_exactly(formulation, q):
    system = slider_crank(O={"q": q, "v": 20.0}).compile(formulation)
    values, (x, dx) = joint_values(system), crank_positions(q)
    assert values["O.q"] == pytest.approx(q, abs=1e-15)
    assert values["slide.q"] == pytest.approx(x - 0.5, abs=1e-12)
    slider = system.bodies(system.q0, system.v0)["slider"]
    assert slider.velocity[0] == pytest.approx(20.0 * dx, abs=1e-11)
    assert np.abs(system.constraints(system.q0)).max() < 1e-13
    assert np.abs(system.constraints(system.q0, system.v0)).max() < 1e-12


@pytest.mark.parametrize("formulation", BOTH)
def test_the_crank_of_the_first_page_starts_with_the_wanted_speed(formulation):
    system = slider_crank(O={"v": 20.0}).compile(formulation)
    crank, rod = (system.bodies(system.q0, system.v0)[name].angular_velocity[1] for name in ("crank", "rod"))
    assert crank == pytest.approx(20.0, rel=1e-15)
    assert rod == pytest.approx(-20.0 * 0.15 / 0.35, rel=1e-14)


@pytest.mark.parametrize("joint", ["A", "B", "slide"])
def test_conditions_may_stand_in_any_joint_cut_or_not(joint):
    value = {"A": 1.0, "B": -0.3, "slide": -0.2}[joint]
    for formulation in BOTH:
        system = slider_crank(**{joint: {"q": value, "v": 2.0}}).compile(formulation)
        assert joint_values(system)[f"{joint}.q"] == pytest.approx(value, abs=1e-13)
        result = slider_crank(**{joint: {"q": value, "v": 2.0}}).simulate(0.01, formulation=formulation)
        assert result[f"{joint}.v"][0] == pytest.approx(2.0, abs=1e-12)


@pytest.mark.parametrize("gap", [(0.5, 0.0, 0.0), (0.3, 0.0, 0.0), (0.62, 0.0, 0.0)])
def test_rough_drawings_are_closed(gap):
    system = slider_crank(slider=gap).compile()
    assert np.abs(system.constraints(system.q0)).max() < 1e-13


def test_what_is_not_given_moves_least():
    """A heavy slider stays, a light crank turns."""
    m = sr.Model()
    m.add(sr.Body("crank", mass=0.4, inertia=(1e-3, 1e-3, 1e-3)), sr.Body("rod", mass=0.2, inertia=(2e-3, 2e-3, 2e-3)))
    m.add(sr.Body("slider", mass=1e6, inertia=(1, 1, 1), position=(0.42, 0, 0)))
    m.add(sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="y"), sr.Prismatic("slide", "ground", "slider", axis="x"))
    bent = sr.Frame((0.15, 0, 0), sr.rotation_about("y", 0.8))  # not at a dead point
    m.add(sr.Revolute("A", "crank", "rod", axis="y", parent_frame=bent))
    m.add(sr.Revolute("B", "slider", "rod", axis="y", child_frame=sr.Frame((0.35, 0, 0))))
    found = joint_values(m.compile())
    assert abs(found["slide.q"]) < 1e-4 and abs(found["O.q"]) > 0.1


def test_initial_overrules_the_joints():
    m = slider_crank(O={"q": 0.3, "v": 20.0})
    for formulation in BOTH:
        system = m.compile(formulation, initial=sr.Initial(q={"O": 0.8}, v={"slide": -1.0, "O": -1.0 / crank_positions(0.8)[1]}))
        assert joint_values(system)["O.q"] == pytest.approx(0.8, abs=1e-14)
        assert system.bodies(system.q0, system.v0)["slider"].velocity[0] == pytest.approx(-1.0, abs=1e-12)
    q, v = m.compile().assemble({"guess": {"O": -1.0}, "q": {"slide": -0.1}})
    names = m.compile().coordinates
    assert q[names.index("slide.q")] == -0.1
    assert q[names.index("O.q")] < 0.0
    assert len(v) == 3


def test_initial_state_of_an_open_chain():
    m = sr.Model()
    m.add(sr.Body("bob", mass=1, inertia=(1, 1, 1), position=(1, 0, 0)), sr.Ball("O", "ground", "bob", at=(0, 0, 0)))
    system = m.compile(initial=sr.Initial(q={"O": (0, 1, 0, 0)}, v={"O": (1, 2, 3)}))
    assert system.q0.tolist() == [0, 1, 0, 0]
    assert system.v0.tolist() == [1, 2, 3]


def test_a_ball_that_is_cut_keeps_its_turn_and_its_speed():
    """Two balls and a hinge close a triangle; whichever is cut, both formulations start alike."""
    m = mechanisms.spatial_slider_crank()
    for formulation in BOTH:
        system = m.compile(formulation)
        states = system.bodies(system.q0, system.v0)
        assert states["crank"].angular_velocity == pytest.approx((6.0, 0.0, 0.0), abs=1e-12)
        assert states["rod"].angular_velocity == pytest.approx((1.92, -0.96, 0.48), abs=1e-12)
        assert states["slider"].velocity == pytest.approx((0.24, 0.0, 0.0), abs=1e-12)


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize("kind", [sr.Ball, sr.Free])
def test_the_ground_as_the_child_of_a_ball(kind, formulation):
    """What is given is the motion of the ground as the body sees it."""
    free = kind is sr.Free
    turn, spin, shift = (0.5, 0.5, -0.5, 0.5), (1.0, 2.0, 3.0), ((0.1, 0.2, 0.3) if free else ())
    m = sr.Model()
    bob = sr.Body("bob", mass=1, inertia=(0.1, 0.2, 0.3), position=(1, 0, 0), rotation=sr.rotation_about("y", 0.4))
    at = {} if free else {"at": (0, 0, 0)}
    q, v = (*shift, *turn), ((0.4, 0.5, 0.6, *spin) if free else spin)
    m.add(bob, kind("J", "bob", "ground", **at, q=q, v=v))
    state = m.compile(formulation)
    body = state.bodies(state.q0, state.v0)["bob"]
    w, x, y, z = body.rotation
    R = np.array(sr.Frame((0, 0, 0), (w, x, y, z)).rotation_matrix)
    R0, Q = np.array(bob.frame.rotation_matrix), np.array(sr.Frame((0, 0, 0), turn).rotation_matrix)
    assert np.abs(R.T - R0.T @ Q).max() < 1e-12  # the ground's axes seen from the body
    assert -R.T @ body.angular_velocity == pytest.approx(Q.T @ np.zeros(3) + R0.T @ Q @ spin, abs=1e-12)
    if not free:
        assert body.position + R @ R0.T @ (-np.array([1, 0, 0])) == pytest.approx((0, 0, 0), abs=1e-12)
    else:
        origin = R.T @ -body.position  # the ground's origin seen from the body
        assert origin == pytest.approx(R0.T @ (np.array([-1.0, 0, 0]) + shift), abs=1e-12)
        velocity = R.T @ -(body.velocity - np.cross(body.angular_velocity, body.position))
        assert velocity == pytest.approx(R0.T @ Q @ (0.4, 0.5, 0.6), abs=1e-12)


def test_values_that_are_rounded_do_not_contradict():
    x, _ = crank_positions(1.0)
    system = slider_crank(O={"q": 1.0}, slide={"q": round(x - 0.5, 4)}).compile()
    assert np.abs(system.constraints(system.q0)).max() < 1e-13
    assert joint_values(system)["O.q"] == pytest.approx(1.0, abs=1e-3)


def test_contradictions_name_the_joint_and_the_value_it_would_have():
    with pytest.raises(sr.ModelError, match=r"slide\.q = -0\.3 contradicts .* O\.q kept: there it is -0\.0925"):
        slider_crank(O={"q": 1.0}, slide={"q": -0.3}).compile()
    with pytest.raises(sr.ModelError, match=r"slide\.v = 3 contradicts .* O\.v kept: there it is -3\.15"):
        slider_crank(O={"q": 1.0, "v": 20.0}, slide={"v": 3.0}).compile()


def test_loops_that_cannot_close_say_how_far_they_are_open():
    m = sr.Model("short")
    m.add(sr.Body("a", mass=1, inertia=(1, 1, 1)), sr.Body("b", mass=1, inertia=(1, 1, 1), position=(1, 0, 0)))
    m.add(sr.Revolute("O", "ground", "a", at=(0, 0, 0), axis="z"), sr.Revolute("A", "a", "b", at=(1, 0, 0), axis="z"))
    m.add(sr.Revolute("C", "ground", "b", parent_frame=sr.Frame((3, 0, 0)), child_frame=sr.Frame((1, 0, 0)), axis="z"))
    m._joints["A"] = sr.Revolute("A", "a", "b", parent_frame=sr.Frame((1, 0, 0)), axis="z")
    with pytest.raises(sr.ModelError, match=r"joint '.' cannot be closed: the nearest position leaves a gap of 1(.0.)? m"):
        m.compile()


def test_drives_of_one_loop_that_contradict_each_other_are_named():
    m = mechanisms.slider_crank(motion="10*t")
    m._joints["slide"] = sr.Prismatic("slide", "ground", "slider", axis="x", motion="0.3*t")
    with pytest.raises(sr.ModelError, match="contradict each other"):
        m.compile()


def test_unknown_names_and_wrong_numbers_are_refused():
    m = slider_crank()
    for initial, match in (
        (sr.Initial(q={"P": 1.0}), "no joint 'P'"),
        (sr.Initial(q={"O": (1.0, 2.0)}), "needs 1 finite number"),
        (sr.Initial(v={"O.x": 1.0}), "no free freedom 'x'"),
        ({"speed": 1.0}, "must be an Initial"),
    ):
        with pytest.raises(sr.ModelError, match=match):
            m.compile(initial=initial)
    with pytest.raises(sr.ModelError, match="choose one of them"):
        sr.Initial(q={"O": 1.0}, guess={"O": 1.0})
