"""Random elements and models for property tests."""

import math

from hypothesis import strategies as st

from sharnir import model as sr
from sharnir.model.joints.quaternion_joint import QuaternionJoint

finite = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e6, max_value=1e6)
positive = st.floats(min_value=1e-3, max_value=1e3)
not_negative = st.floats(min_value=0.0, max_value=1e6)
vectors = st.tuples(finite, finite, finite)
axes = st.one_of(
    st.sampled_from(["x", "y", "z", "-x", "-y", "-z"]),
    st.tuples(finite, finite, finite).filter(lambda a: max(map(abs, a)) > 1e-3),
)
quaternions = st.tuples(finite, finite, finite, finite).filter(lambda a: max(map(abs, a)) > 1e-3)
rotations = st.one_of(
    st.none(),
    quaternions,
    st.tuples(*[st.floats(-math.pi, math.pi)] * 3).map(lambda angles: sr.rotation_rpy(*angles)),
)
names = st.text(st.characters(exclude_characters=".", exclude_categories=("Cc", "Cs")), min_size=1, max_size=12).filter(
    lambda text: text == text.strip() and text.strip() and text != "ground"
)
colors = st.one_of(st.none(), st.just("steelblue"), st.tuples(*[st.floats(0, 1)] * 3), st.tuples(*[st.floats(0, 1)] * 4))
frames = st.builds(sr.Frame, vectors, rotations)
entries = st.one_of(finite, st.sampled_from(["k*sin(2*t)", "-3.5e-2*t + k", "if(t < 1, t, 1)"]))


@st.composite
def tables(draw, kind=None):
    xs = sorted(draw(st.sets(st.integers(-1000, 1000), min_size=2, max_size=6)))
    ys = draw(st.lists(finite, min_size=len(xs), max_size=len(xs)))
    sort = kind or draw(st.sampled_from(["linear", "cubic"]))
    return sr.Table(xs, ys, sort, draw(st.sampled_from(["constant", "extend", "error"])))


functions = st.one_of(entries, tables())
motions = st.one_of(entries, tables("cubic"), st.tuples(entries, entries, entries))


@st.composite
def shapes(draw):
    kind = draw(st.sampled_from([kind for kind in sr.ALL_SHAPES if kind is not sr.Mesh]))  # which needs a file: test_mesh.py
    color = draw(colors)
    if kind is sr.Box:
        return sr.Box(draw(st.tuples(positive, positive, positive)), draw(vectors), draw(rotations), color)
    if kind is sr.Cylinder:
        return sr.Cylinder(draw(positive), draw(positive), draw(axes), draw(vectors), color)
    if kind is sr.Sphere:
        return sr.Sphere(draw(positive), draw(vectors), color)
    start = draw(vectors)
    end = tuple(a + b for a, b in zip(start, draw(st.tuples(positive, positive, positive)), strict=True))
    return sr.Rod(start, end, draw(st.one_of(st.none(), positive)), color)


@st.composite
def inertias(draw):
    """Six entries of a physical inertia: second moments of mass along axes that are turned."""
    import numpy as np

    second = draw(st.tuples(not_negative, not_negative, not_negative))
    R = np.array(sr.rotation_rpy(*draw(st.tuples(*[st.floats(-3, 3)] * 3))))
    J = R @ np.diag([second[1] + second[2], second[0] + second[2], second[0] + second[1]]) @ R.T
    return (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])


@st.composite
def bodies(draw, name):
    shape = draw(st.one_of(st.none(), shapes(), st.tuples(shapes(), shapes())))
    weight = {"mass": draw(not_negative)}
    if shape is not None and draw(st.booleans()):
        weight = {"density": draw(positive)}
    return sr.Body(
        name,
        **weight,
        com=draw(st.one_of(st.none(), vectors)),
        inertia=draw(st.one_of(st.none(), inertias())),
        position=draw(vectors),
        rotation=draw(rotations),
        shape=shape,
        color=draw(colors),
        velocity=draw(st.one_of(st.none(), vectors)),
        angular_velocity=draw(st.one_of(st.none(), vectors)),
    )


@st.composite
def own_fields(draw, kind):
    """The fields that belong to one kind of joint."""
    if kind in (sr.Fixed, sr.Ball, sr.Free):
        return {}
    if kind is sr.FreedomSequence:
        screw = st.builds(sr.Freedom, st.just("screw"), axes, finite)
        freedom = st.one_of(st.builds(sr.Rotation, axes), st.builds(sr.Translation, axes), screw)
        return {"freedoms": tuple(draw(st.lists(freedom, max_size=6)))}
    if kind is sr.FormulaJoint:
        place = draw(st.sampled_from([("a", 0, "0.1*b"), ("h(a)", "b*t", 1)]))
        turned = draw(st.sampled_from([None, ("z", "a"), (("x", "a*b"), ((1, 1, 0), "k*b"))]))
        table = sr.Table((0, 1, 2, 3), (0, 1, 0, 0), kind="cubic", outside=draw(st.sampled_from(["extend", "repeat"])))
        return {"variables": {"a": "m", "b": "rad"}, "position": place, "rotation": turned, "tables": {"h": table}}
    if kind is sr.Universal:
        return {"axis": draw(st.sampled_from(["x", "-y"])), "axis2": draw(st.sampled_from(["z", (1, 1, 1)]))}
    fields = {"axis": draw(axes)}
    return fields | ({"pitch": draw(finite)} if kind is sr.Screw else {})


@st.composite
def joints(draw, name, parent, child):
    kind = draw(st.sampled_from(sr.ALL_JOINTS))
    own = draw(own_fields(kind))
    n = kind(name, parent, child, **own).n_v
    quaternion = issubclass(kind, QuaternionJoint)
    where = draw(st.sampled_from(["nothing", "at", "frames"]))
    fields = {
        "v": draw(st.tuples(*[finite] * n)),
        "damping": draw(st.one_of(not_negative, st.tuples(*[not_negative] * n))),
        "torque": draw(st.tuples(*[st.one_of(finite, st.just("-k*v")) if quaternion else functions] * n)),
        "at": draw(vectors) if where == "at" else None,
        "parent_frame": draw(frames) if where == "frames" else None,
        "child_frame": draw(st.one_of(st.none(), frames)) if where == "frames" else None,
    }
    if not quaternion:
        pair = st.one_of(st.none(), st.tuples(st.floats(-9, 0), not_negative), st.just(sr.Limits(-1, 1, 5.5, 6)))
        fields |= {
            "q": draw(st.tuples(*[finite] * n)),
            "stiffness": draw(not_negative),
            "rest": draw(st.tuples(*[finite] * n)),
            "motion": tuple(draw(st.tuples(*[st.one_of(st.none(), motions)] * n))),
            "limits": draw(st.one_of(st.none(), st.tuples(*[pair] * n))),
        }
        for k, entry in enumerate(fields["motion"]):
            if entry is not None:  # initial values follow from the motion
                fields |= {key: (*fields[key][:k], 0.0, *fields[key][k + 1 :]) for key in ("q", "v")}
    elif kind is sr.Ball:
        fields |= {"q": draw(quaternions), "stiffness": draw(not_negative)}
    else:
        fields |= {"q": draw(vectors) + draw(quaternions)}
    return kind(name, parent, child, **own, **fields)


def forces(name, body, joint):
    three = st.tuples(functions, functions, functions)
    six = st.tuples(*[not_negative] * 6)
    side = st.sampled_from(["world", "body"])
    where = st.one_of(st.none(), vectors)
    n, a, b = st.just(name), st.just(body), st.just("ground")
    options = [
        st.builds(sr.Force, n, a, three, where, side),
        st.builds(sr.Torque, n, a, three, side),
        st.builds(sr.Bushing, n, b, a, vectors, rotations, six, six, six),
        st.builds(sr.Spring, n, b, a, where, where, not_negative, not_negative, st.one_of(st.none(), not_negative)),
        st.builds(sr.Spring, n, a, b, stiffness=not_negative, force=functions),
    ]
    if joint.freedoms:
        k = st.integers(0, joint.n_v - 1)
        options.append(st.builds(sr.JointForce, n, st.just(joint), functions, k))
        options.append(st.builds(sr.TorsionSpring, n, st.just(joint), not_negative, not_negative, finite, functions, k))
    return st.one_of(options)


@st.composite
def curve_entries(draw, variable):
    smooth = st.one_of(finite, st.sampled_from([f"k*sin({variable})", f"{variable}^2 - 1"]))
    return draw(st.one_of(smooth, tables("cubic"), st.tuples(smooth, smooth, tables())))


def variables(body, joints):
    n, g, where = st.just(body), st.just("ground"), st.one_of(st.none(), vectors)
    options = [
        st.builds(sr.PointCoordinate, n, where, axes, g),
        st.builds(sr.PointDistance, g, n, where, where),
        st.builds(sr.DirectionCosine, g, axes, n, axes),
        st.builds(sr.PointVelocity, n, where, axes, g, st.one_of(st.none(), n, g)),
    ]
    options += [st.builds(sr.JointCoordinate, st.just(name), st.just(k)) for name, k in joints]
    return st.one_of(options)


def constraints(name, body, joints):
    """Constraints of a body against the ground, and between coordinates (joint, freedom)."""
    n, a, b, where = st.just(name), st.just("ground"), st.just(body), st.one_of(st.none(), vectors)
    number = st.one_of(st.none(), finite)
    curve = st.tuples(curve_entries("s"), curve_entries("s"), st.just("s"))
    small = st.floats(0, 9e-4)
    options = [
        st.builds(sr.Distance, n, a, b, where, where, st.one_of(st.none(), positive, motions.filter(not_a_number))),
        st.builds(sr.PointOnPlane, n, a, b, where, axes, where),
        st.builds(sr.PointOnLine, n, b, a, where, axes, where),
        st.builds(sr.PointOnCurve, n, a, b, where, curve, finite, vectors, rotations),
        st.builds(sr.PointOnSurface, n, a, b, where, st.sampled_from(["x - k", "x*y + z^2 - 1"]), vectors, rotations),
        st.builds(
            sr.RollingDisc, n, b, axis=st.just("x"), radius=positive, normal=st.sampled_from("yz"), tube=small, through=vectors
        ),
        st.builds(sr.RollingBall, n, b, positive, normal=axes, through=vectors),
        st.builds(sr.KnifeEdge, n, b, where, axes),
        st.builds(
            sr.Constraint, n, st.just("x*k - y_dot*t"), st.fixed_dictionaries({"x": variables(body, joints), "y": fixed(body)})
        ),
    ]
    if len(joints) > 1:
        first, second = st.just(joints[0]), st.just(joints[-1])
        options.append(st.builds(sr.Gear, n, first, second, positive, number))
        options.append(st.builds(sr.Cam, n, first, second, curve_entries("q")))
        options.append(st.builds(sr.Coupler, n, st.tuples(st.tuples(first, positive), st.tuples(second, positive)), number))
    return st.one_of(options)


def fixed(body):
    return st.just(sr.PointCoordinate(body, axis="z"))


def not_a_number(entry):
    return not isinstance(entry, float)


@st.composite
def models(draw):
    motion = draw(st.one_of(st.none(), st.builds(sr.BaseMotion, x=st.one_of(st.none(), motions), rz=motions)))
    title = draw(st.text(st.characters(exclude_categories=("Cs",)), min_size=1).filter(str.strip))
    model = sr.Model(title, draw(vectors), {"k": draw(finite), "omega_0": draw(finite)}, motion)
    previous = "ground"
    coordinates = []
    for k, name in enumerate(draw(st.lists(names, max_size=3, unique=True))):
        model.add(draw(bodies(name)))
        joint = model.add(draw(joints(name + "!", previous, name)))
        model.add(draw(forces(f"force {k}", name, joint)))
        coordinates += [(joint.name, k) for k in range(len(joint.freedoms))]
        model.add(draw(constraints(f"constraint {k}", name, coordinates)))
        previous = name
    return model
