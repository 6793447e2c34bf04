"""Nodes of flexible bodies and forces at their interfaces: against bodies of the engine, statics, and the laws of momentum."""

import pickle

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import sharnir as sr
from sharnir.errors import ModelError
from sharnir.flexible import STEEL, Section, reduce, straight_beam
from sharnir.results import Result, UnknownChannelError

RADIUS, G = 0.01, 9.81
BOTH = ("joint", "absolute")


def rod(elements=6, modes=3, middle=True):
    """A steel rod of one metre, whose frame's origin is none of its nodes."""
    beam = straight_beam((0.2, 0, 0.1), (1.2, 0, 0.1), Section.round(RADIUS), elements=elements)
    ends = {"root": 0, "tip": elements} | ({"middle": elements // 2} if middle else {})
    return reduce(beam, interfaces=ends, modes=modes)


def crane(**place):
    """A rod on a hinge with a weight at its tip, pushed and held by a spring in the middle."""
    m = sr.Model("crane")
    m.add(sr.FlexibleBody("boom", reduced=rod(), position=(0, 0, 1), rotation=sr.rotation_about("z", 0.5), **place))
    tip, middle = (tuple(m.bodies[f"boom:{end}"].position) for end in ("tip", "middle"))
    m.add(sr.Revolute("hinge", "ground", "boom:root", axis="y", v=1.0))
    m.add(sr.Body("weight", mass=0.5, inertia=(1e-3, 2e-3, 3e-3), com=(0.1, 0, 0), position=tip))
    m.add(sr.Ball("hook", "boom:tip", "weight", at=tip, v=(0, 3, 1)))
    m.add(sr.Force("push", "boom:middle", at=(0.1, 0, 0.2), force=(0, 0, "20*sin(30*t)")))
    m.add(sr.Spring("stay", "ground", "boom:middle", at_a=(0, 0, 3), at_b=middle, stiffness=300.0))
    return m


@pytest.fixture(scope="module", params=BOTH)
def run(request):
    return crane().simulate(0.02, step=2e-5, tolerance=1e-10, formulation=request.param)


@pytest.mark.parametrize(("end", "label"), [("middle", 3), ("tip", 6)])
def test_nodes_move_as_the_bodies_of_the_engine_do(run, end, label):
    node = run.node("boom", label)
    for key in ("position", "rotation", "velocity", "angular_velocity", "acceleration"):
        known = run[f"boom:{end}.{key}"]
        assert getattr(node, key) == pytest.approx(known, abs=1e-11 * np.abs(known).max()), key


def test_any_node_by_label_name_and_channel(run):
    by_label, by_name = run.node("boom", 6), run.node("boom", "tip")
    assert (by_label.displacement == by_name.displacement).all()
    assert (run["boom:6.turn"] == by_label.turn).all()
    assert (run["boom:5.position.z"] == run.node("boom", 5).position[:, 2]).all()
    assert run.unit("boom:5.acceleration") == "m/s²"
    assert "boom:5.displacement.x" in run
    assert "boom:9.displacement" not in run
    assert "boom:5.displacement" not in run.channels
    assert by_label.label == by_name.label == 6
    assert not run.node("boom", "root").displacement.any()


def test_speeds_are_rates_of_places(run):
    node = run.node("boom", 5)
    middle = slice(100, -100)
    for value, rate in (("position", "velocity"), ("velocity", "acceleration")):
        slope = CubicSpline(run.t, getattr(node, value)).derivative()(run.t)[middle]
        known = getattr(node, rate)[middle]
        assert slope == pytest.approx(known, abs=2e-5 * np.abs(known).max()), rate


def test_field_and_largest_displacement(run):
    field = run.displacements("boom", 0.01)
    assert field[5] == pytest.approx(run.node("boom", 5).displacement[500], rel=1e-12)
    largest = np.linalg.norm([run.node("boom", k).displacement for k in range(7)], axis=2).max(axis=0)
    assert run["boom.largest_displacement"] == pytest.approx(largest, rel=1e-12)
    assert run.unit("boom.largest_displacement") == "m"


def test_interface_forces_are_those_of_the_elements(run):
    """Hinge, hook, and push with spring: the sum of all that acts on a node."""
    assert run["boom:root.force"] == pytest.approx(run["hinge.reaction"], abs=1e-9)
    assert run["boom:tip.force"][:, :3] == pytest.approx(-run["hook.reaction"][:, :3], abs=1e-9)
    place = run["boom:middle.position"]
    along = np.array([0, 0, 3]) - place
    pull = run["stay.force"][:, None] * along / np.linalg.norm(along, axis=1)[:, None]
    push = np.outer(20 * np.sin(30 * run.t), (0, 0, 1))
    assert run["boom:middle.force"][:, :3] == pytest.approx(push + pull, abs=1e-9)
    # the push acts beside the node, at a point that the node carries along
    node = crane().bodies["boom:middle"]
    arm = np.array(node.rotation_matrix).T @ (np.array([0.1, 0, 0.2]) - node.position)
    torque = np.cross(_turned(run["boom:middle.rotation"], arm), push)
    assert np.abs(torque).max() > 1.0
    assert run["boom:middle.force"][:, 3:] == pytest.approx(torque, abs=1e-9)


def test_local_forces_are_the_same_in_axes_of_the_node(run):
    world, local = run["boom:tip.force"], run["boom:tip.force_local"]
    for part in (slice(0, 3), slice(3, 6)):
        assert np.linalg.norm(local[:, part], axis=1) == pytest.approx(np.linalg.norm(world[:, part], axis=1), abs=1e-10)
    w, u = run["boom:tip.rotation"][:, :1], run["boom:tip.rotation"][:, 1:]
    x = local[:, :3]
    assert x + 2 * (w * np.cross(u, x) + np.cross(u, np.cross(u, x))) == pytest.approx(world[:, :3], abs=1e-10)


def test_forces_and_gravity_change_the_momentum_of_the_body(run):
    """ṗ = Σ F + m g for the boom alone: the whole system's momentum less that of the weight."""
    model = crane()
    boom, weight = model.bodies["boom"], model.bodies["weight"]
    center = run["weight.position"] + _turned(run["weight.rotation"], np.array(weight.com))
    speed = run["weight.velocity"] + np.cross(run["weight.angular_velocity"], center - run["weight.position"])
    rate = CubicSpline(run.t, run["system.momentum"] - weight.mass * speed).derivative()(run.t)
    force = sum(run[f"boom:{end}.force"][:, :3] for end in ("root", "middle", "tip")) + boom.mass * np.array([0, 0, -G])
    inner = slice(100, -100)
    assert force[inner] == pytest.approx(rate[inner], abs=2e-5 * np.abs(rate).max())


def _turned(q, x):
    w, u = q[:, :1], q[:, 1:]
    x = np.broadcast_to(x, u.shape)
    return x + 2 * (w * np.cross(u, x) + np.cross(u, np.cross(u, x)))


def test_formulations_agree():
    one, two = (crane().simulate(0.02, step=0.005, tolerance=1e-11, formulation=f) for f in BOTH)
    assert set(one.channels) == set(two.channels)
    for name in ("root.force", "middle.force_local", "tip.force", "5.displacement", "5.acceleration", "4.turn"):
        known = one[f"boom:{name}"]
        assert two[f"boom:{name}"] == pytest.approx(known, abs=2e-6 * np.abs(known).max()), name


@pytest.mark.parametrize("frame_at", ["root", "tip", "floating"])
@pytest.mark.parametrize("formulation", BOTH)
def test_root_of_a_cantilever_carries_weight_and_inertia(frame_at, formulation):
    """A rod that is let go from its straight shape: at first the root carries less than the weight, on average all of it."""
    m = sr.Model()
    m.add(sr.FlexibleBody("rod", reduced=rod(), frame_at=frame_at), sr.Fixed("clamp", "ground", "rod:root"))
    result = m.simulate(0.05, step=1e-4, formulation=formulation)
    weight = STEEL.density * np.pi * RADIUS**2 * G
    rate = CubicSpline(result.t, result["system.momentum"]).derivative()(result.t)
    force = result["rod:root.force"]
    assert force == pytest.approx(result["clamp.reaction"], abs=1e-6 * weight)
    assert force[20:-20, 2] == pytest.approx(rate[20:-20, 2] + weight, abs=1e-3 * weight)
    assert np.abs(result["rod:tip.force"]).max() < 1e-6 * weight
    rest = m.statics(formulation=formulation)
    assert rest.reactions["clamp"][2] == pytest.approx(weight, rel=1e-6)


@pytest.mark.parametrize("frame_at", ["root", "tip"])
def test_interfaces_of_stiffened_bodies_move_as_those_of_the_engine(frame_at):
    """A spinning rod, bent: its interfaces by label agree with the bodies of the engine."""
    beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(RADIUS), elements=6)
    body = reduce(beam, interfaces={"root": 0, "tip": 6}, modes=2, stiffening="root")
    m = sr.Model()
    m.add(sr.FlexibleBody("rod", reduced=body, frame_at=frame_at, xi=np.linspace(4, -3, body.count)))
    m.add(sr.Revolute("hub", "ground", "rod:root", axis="z", v=20.0))
    run = m.simulate(0.01, step=0.002, tolerance=1e-10)
    for end, label in (("root", 0), ("tip", 6)):
        for key in ("position", "rotation", "velocity", "angular_velocity", "acceleration"):
            known = run[f"rod:{end}.{key}"]
            size = max(1.0, np.abs(run[f"rod:tip.{key}"]).max())
            assert getattr(run.node("rod", label), key) == pytest.approx(known, abs=1e-10 * size), (end, key)


def test_unknown_nodes_and_bodies_are_errors_with_a_remedy(run):
    with pytest.raises(UnknownChannelError, match="has no node 99; the nearest labels are 2, 3, 4, 5, 6"):
        run["boom:99.displacement"]
    with pytest.raises(ModelError, match="no interface 'tipp'; it has root, tip, middle"):
        run.node("boom", "tipp")
    with pytest.raises(ModelError, match="no flexible body 'mast'; it has boom"):
        run.node("mast", 1)
    with pytest.raises(UnknownChannelError, match="beam"):
        run["beam:3.position"]


def test_saved_and_sent_results_know_all_nodes(run, tmp_path):
    pytest.importorskip("h5py")
    copies = [Result.load(run.save(tmp_path / "run.h5")), pickle.loads(pickle.dumps(run))]
    for again in copies:
        assert again.channels == run.channels
        for name in (
            "boom:5.displacement",
            "boom:5.acceleration",
            "boom:4.rotation",
            "boom.largest_displacement",
            "boom:tip.force",
        ):
            assert (again[name] == run[name]).all(), name
        assert (again.displacements("boom", 0.013) == run.displacements("boom", 0.013)).all()
        assert (again.flexible["boom"].labels == run.flexible["boom"].labels).all()


def test_chosen_channels_of_nodes_are_saved(run, tmp_path):
    pytest.importorskip("h5py")
    names = ["boom:5.displacement", "boom:4.turn.y"]
    again = Result.load(run.save(tmp_path / "some.h5", channels=names))
    assert list(again.channels) == names
    assert not again.flexible
    assert (again["boom:4.turn.y"] == run["boom:4.turn.y"]).all()
    text = run.save(tmp_path / "some.csv", channels=names).read_text()
    assert text.splitlines()[0] == "t,boom:5.displacement.x,boom:5.displacement.y,boom:5.displacement.z,boom:4.turn.y"
    figure = run.plot("boom:5.displacement.z", "boom:tip.force.fz")
    assert len(figure.axes) == 2
