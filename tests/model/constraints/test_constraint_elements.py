"""Constraints: stored forms, what they answer to the engine, and what is refused."""

from dataclasses import fields

import numpy as np
import pytest

from sharnir.errors import FormulaError, ModelError
from sharnir.model import (
    ALL_CONSTRAINTS,
    Ball,
    Body,
    Cam,
    Constraint,
    Coupler,
    DirectionCosine,
    Distance,
    Force,
    Free,
    Gear,
    JointCoordinate,
    KnifeEdge,
    Model,
    Planar,
    PointCoordinate,
    PointDistance,
    PointOnCurve,
    PointOnLine,
    PointOnPlane,
    PointOnSurface,
    PointVelocity,
    Prismatic,
    Rack,
    Revolute,
    RollingBall,
    RollingDisc,
    Table,
)
from sharnir.model.links import referenced_bodies, referenced_joints

SPLINE = Table((0, 1, 2, 3), (0, 1, 0, 1), kind="cubic")

# element, bodies, joints, holonomic and nonholonomic equations
EXAMPLES = {
    Distance: (Distance("c", "ground", "arm", at_a=(0, 0, 1), length="1 + 0.1*t"), ("ground", "arm"), (), 1, 0),
    PointOnPlane: (PointOnPlane("c", "ground", "arm", normal=(1, 1, 0)), ("ground", "arm"), (), 1, 0),
    PointOnLine: (PointOnLine("c", "leg", "arm", through=np.zeros(3)), ("leg", "arm"), (), 2, 0),
    PointOnCurve: (PointOnCurve("c", "leg", "arm", curve=("s", SPLINE, 1)), ("leg", "arm"), (), 2, 0),
    PointOnSurface: (PointOnSurface("c", "ground", "arm", axes=(1, 0, 0, 1)), ("ground", "arm"), (), 1, 0),
    Gear: (Gear("c", "A", ("table", "angle"), -2), (), ("A", "table"), 1, 0),
    Rack: (Rack("c", "A", "S", 0.1, offset=1), (), ("A", "S"), 1, 0),
    Cam: (Cam("c", "A", "S", SPLINE), (), ("A", "S"), 1, 0),
    Coupler: (Coupler("c", [("A", 1), (("table", 2), -1), ("S", 3)]), (), ("A", "table", "S"), 1, 0),
    RollingDisc: (RollingDisc("c", "arm", center=(0, 0, 1), radius=1, tube=0.25), ("arm", "ground"), (), 1, 2),
    RollingBall: (RollingBall("c", "arm", 0.5, surface="leg"), ("arm", "leg"), (), 1, 2),
    KnifeEdge: (KnifeEdge("c", "arm", direction="-x"), ("arm", "ground"), (), 0, 1),
    Constraint: (Constraint("c", "x - A.v", {"x": PointCoordinate("arm")}), ("arm", "ground"), ("A",), 0, 1),
}


def mechanism():
    m = Model(parameters={"k": 3.0})
    m.add(*(Body(name, mass=1) for name in ("arm", "leg", "slider", "puck", "head")))
    m.add(Revolute("A", "ground", "arm", axis="z", q=0.5), Prismatic("S", "ground", "slider", axis="x", motion="2 + t"))
    m.add(Planar("table", "ground", "puck", axis="z", q=(1, 2, 3)), Ball("neck", "ground", "head"))
    return m


@pytest.mark.parametrize("kind", ALL_CONSTRAINTS)
def test_constraints_survive_being_stored_again(kind):
    element, *_ = EXAMPLES[kind]
    again = kind(**{field.name: getattr(element, field.name) for field in fields(element)})
    assert again == element
    assert hash(again) == hash(element)
    assert element.label == f"{kind.__name__} 'c'"


@pytest.mark.parametrize("kind", ALL_CONSTRAINTS)
def test_what_the_engine_asks(kind):
    element, bodies, joints, holonomic, nonholonomic = EXAMPLES[kind]
    assert (element.bodies, element.joints) == (bodies, joints)
    assert (element.n_holonomic, element.n_nonholonomic) == (holonomic, nonholonomic)
    assert element.n_equations == holonomic + nonholonomic
    assert element.nonholonomic == (nonholonomic > 0)
    assert referenced_bodies(element) or referenced_joints(element)


@pytest.mark.parametrize("kind", ALL_CONSTRAINTS)
def test_models_take_every_constraint(kind):
    m = mechanism()
    element = m.add(EXAMPLES[kind][0])
    assert m.constraints["c"] is element
    assert repr(m) == "Model('model': 5 bodies, 4 joints, 0 forces, 1 constraint)"
    assert m.summary().splitlines()[-1].startswith(f"  {element.label}: {', '.join((*element.bodies, *element.joints))}, ")
    assert m != mechanism()
    assert m.copy() == m
    with pytest.raises(ModelError, match="already a constraint of this name"):
        m.add(element)


def test_forces_and_constraints_share_channels_so_they_must_not_share_names():
    m = mechanism()
    m.add(Force("c", "arm", (0, 0, 1)), Distance("d", "ground", "arm"))
    with pytest.raises(ModelError, match="Force 'c' has the same name"):
        m.add(KnifeEdge("c", "arm"))
    with pytest.raises(ModelError, match="Distance 'd' has the same name"):
        m.add(Force("d", "arm", (0, 0, 1)))


def test_objects_stand_for_their_names():
    m = mechanism()
    gear = Gear("g", m.joints["A"], (m.joints["table"], 2), 2)
    assert gear.joint_a == JointCoordinate("A")
    assert gear.joint_b == JointCoordinate("table", 2)
    assert PointCoordinate(m.bodies["arm"], relative_to=m.ground).bodies == ("arm", "ground")
    assert PointVelocity("arm", relative_to="leg").axes_of == "leg"
    assert RollingDisc("d", m.bodies["arm"], radius=2, tube=0.5).ring_radius == 1.5


def test_a_formula_speaks_of_many_bodies():
    names = {"a": PointDistance("arm", "leg"), "b": PointDistance("leg", "puck"), "c": DirectionCosine("head", "x", "arm", "y")}
    element = Constraint("belt", "a + b*c + slider.x - 3", names)
    assert element.bodies == ("arm", "leg", "puck", "head", "slider", "ground")
    assert not element.nonholonomic


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Distance("c", "a", "a"), "two different bodies"),
        (lambda: Distance("c", "a", "b", length=0), "positive; for points that coincide use a Ball joint"),
        (lambda: Distance("c", "a", "b", length=Table((0, 1), (1, 2))), 'kind="cubic"'),
        (lambda: Distance("c", "a", "b", length="1 +"), "ends too early"),
        (lambda: PointOnPlane("c", "a", "a"), "two different bodies"),
        (lambda: PointOnPlane("c", "a", "b", normal=(0, 0, 0)), "normal = .*no direction"),
        (lambda: PointOnLine("c", "a", "b", axis="w"), "axis"),
        (lambda: PointOnCurve("c", "a", "b", curve=("s", "s")), "2 entries; 3 are needed"),
        (lambda: PointOnCurve("c", "a", "b", curve=(1, 2, 3)), "is a point; use a Ball joint"),
        (lambda: PointOnCurve("c", "a", "b", curve=("s", 0, lambda s: s)), r"curve\[2\].*give the triple"),
        (lambda: PointOnCurve("c", "a", "b", curve=("s", 0, Table((0, 1), (1, 2)))), "slope jumps"),
        (lambda: PointOnCurve("c", "a", "b", axes=(0, 0, 0, 0)), "axes"),
        (lambda: PointOnSurface("c", "a", "b", surface=3), "must be a formula"),
        (lambda: PointOnSurface("c", "a", "b", surface="2*k"), "none of x, y, z"),
        (lambda: PointOnSurface("c", "a", "b", surface="x = y"), r"write x - \(y\)"),
        (lambda: Gear("c", "A", "A", 2), "two different coordinates"),
        (lambda: Gear("c", "A", "B", 0), "hold joint_b still"),
        (lambda: Gear("c", "A", ("B", 7), 1), r"joint_b = \('B', 7\)"),
        (lambda: Gear("c", "A", 3, 1), "must be a joint, its name, or"),
        (lambda: Rack("c", "A", "B", -0.1), "positive.*reverse the axis"),
        (lambda: Cam("c", "A", "B", lambda q: q), "slope and curvature are not known; give the triple"),
        (lambda: Cam("c", "A", "B", (1, 2)), "triple"),
        (lambda: Cam("c", "A", "B", "q +"), "ends too early"),
        (lambda: Coupler("c", ()), "at least one term"),
        (lambda: Coupler("c", (("A", 1), ("A", 2))), "each coordinate once"),
        (lambda: Coupler("c", (("A", 0),)), "coefficient 0"),
        (lambda: Coupler("c", ("A",)), r"terms\[0\]"),
        (lambda: RollingDisc("c", "a", radius=0), "radius.*positive"),
        (lambda: RollingDisc("c", "a", radius=1, tube=1), "use RollingBall"),
        (lambda: RollingDisc("c", "a", radius=1, axis="z"), "lies on its side"),
        (lambda: RollingDisc("c", "ground", radius=1), "is the body itself"),
        (lambda: RollingDisc("c", "a", center=(0, 0, -1), radius=1), "1 m below the plane"),
        (lambda: RollingBall("c", "a", -1), "radius.*positive"),
        (lambda: RollingBall("c", "a", 1, center=(0, 0, 1), normal="-z"), "reverse the normal"),
        (lambda: KnifeEdge("c", "a", surface="a"), "is the body itself"),
        (lambda: Constraint("c", 3), "must be text"),
        (lambda: Constraint("c", "x = 1", {"x": JointCoordinate("A")}), r"write x - \(1\)"),
        (lambda: Constraint("c", "2*t"), "no coordinate of the mechanism"),
        (lambda: Constraint("c", "x", {"x": 3}), "must be one of JointCoordinate"),
        (lambda: Constraint("c", "t", {"t": JointCoordinate("A")}), "cannot be used in formulas"),
        (lambda: Constraint("c", "x_dot", {"x_dot": JointCoordinate("A")}), "no _dot at the end"),
        (lambda: Constraint("c", "x", {"x": JointCoordinate("A"), "y": JointCoordinate("B")}), "'y', which the formula does not"),
        (lambda: Constraint("c", "x", "x"), "dict of variables"),
        (lambda: Constraint("c", "u_dot", {"u": PointVelocity("a")}), "an acceleration"),
        (lambda: Constraint("c", "A.w"), "'A.w' is not known; write O.q"),
        (lambda: Constraint("c", "A.v_dot"), "'A.v_dot' is not known"),
        (lambda: Constraint("c", "A.q + (B.q"), "expected"),
        (lambda: PointCoordinate("a", relative_to="a"), "constant; name another body"),
        (lambda: PointDistance("a", "a"), "two different bodies"),
        (lambda: DirectionCosine("a", "x", "a", "y"), "two different bodies"),
        (lambda: DirectionCosine("a", "x", "b", (0, 0, 0)), "axis_b"),
        (lambda: PointVelocity("a", relative_to="a"), "name another body"),
        (lambda: JointCoordinate("A", -1), "freedom = -1"),
    ],
)
def test_wrong_constraints(build, words):
    with pytest.raises(ModelError, match=words):
        build()


@pytest.mark.parametrize(
    ("element", "field", "words"),
    [
        (Distance("c", "ground", "rod"), "b", "'rod' is not a body"),
        (Distance("c", "ground", "arm", length="w*t"), "length", "unknown name 'w'"),
        (PointOnCurve("c", "ground", "arm", curve=("s", "w", 0)), "curve", "unknown name 'w'"),
        (PointOnSurface("c", "ground", "arm", surface="x + w"), "surface", "unknown name 'w'"),
        (Gear("c", "A", "B", 2), "joint_b", "'B' is not a joint"),
        (Gear("c", "A", "table", 2), "joint_b", r"3 freedoms; name one: 0 \(x\), 1 \(y\), 2 \(angle\)"),
        (Gear("c", "A", ("table", "phi"), 2), "joint_b", "freedom 'phi' does not exist"),
        (Gear("c", ("A", 1), "S", 2), "joint_a", "freedom 1 does not exist in Revolute 'A'"),
        (Gear("c", "A", "neck", 2), "joint_b", "no scalar coordinate.*quaternion; use a FreedomSequence"),
        (Gear("c", "A", ("A", 0), 2), "joint_b", "named twice"),
        (Rack("c", "S", "A", 0.1), "pinion", "does not turn"),
        (Rack("c", "A", ("table", "angle"), 0.1), "rack", "does not shift"),
        (Cam("c", "A", "S", "w*q"), "profile", "unknown name 'w'"),
        (Cam("c", "A", "neck", "q"), "follower", "no scalar coordinate"),
        (Coupler("c", (("A", 1), ("neck", 2))), "terms", "no scalar coordinate"),
        (RollingDisc("c", "wheel", radius=1), "wheel", "'wheel' is not a body"),
        (Constraint("c", "A.q - w"), "formula", "unknown name 'w'"),
        (Constraint("c", "B.q"), "formula", "'B' is not a joint"),
        (Constraint("c", "rod.x"), "formula", "'rod' is not a body"),
        (Constraint("c", "table.q"), "formula", "name one: "),
        (Constraint("c", "neck.q.x"), "formula", "no scalar coordinate"),
        (Constraint("c", "x", {"x": PointCoordinate("rod")}), "variables", "'rod' is not a body"),
        (Constraint("c", "k", {"k": JointCoordinate("A")}), "variables", "'k' is a parameter"),
        (Constraint("c", "A.q == 1"), "formula", "does not change with any coordinate"),
    ],
)
def test_what_does_not_fit_the_model_is_refused(element, field, words):
    m = mechanism()
    with pytest.raises(ModelError, match=words) as caught:
        m.add(element)
    assert caught.value.field == field
    assert m == mechanism()


def test_a_free_joint_has_no_scalar_coordinate_either():
    m = mechanism()
    m.add(Body("stone", mass=1), Free("flight", "ground", "stone"))
    with pytest.raises(ModelError, match="PointCoordinate"):
        m.add(Constraint("c", "flight.q.x - 1"))
    m.add(Constraint("c", "stone.x - 1"))


def test_a_wrong_name_in_a_formula_is_shown_at_its_place():
    with pytest.raises(FormulaError) as caught:
        mechanism().add(Constraint("c", "A.q - 2*S.w"))
    assert caught.value.position == 8
